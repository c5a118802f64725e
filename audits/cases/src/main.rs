//! The command: `certus-cases [NAME] [--quick] [--seed N] [--PARAM VALUE…] [--plots DIR]`, or `--all [--quick] --report DIR`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use certus_cases::{CASES, Case, CaseError, Setting, Silent, Study, Watch, cases, site, terminal};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::{ProgressBar, ProgressStyle};

/// A line on stderr, and the status: 2 for what was given, 3 for what failed.
struct Failure {
    line: String,
    status: u8,
}

impl Failure {
    fn refused(line: impl Into<String>) -> Self {
        Self { line: line.into(), status: 2 }
    }

    fn failed(line: impl Into<String>) -> Self {
        Self { line: line.into(), status: 3 }
    }
}

impl From<CaseError> for Failure {
    fn from(error: CaseError) -> Self {
        match error {
            CaseError::Refused(line) => Self::refused(line),
            CaseError::Failed(error) => Self::failed(error.to_string()),
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(io::stderr(), "certus-cases: {}", failure.line);
            ExitCode::from(failure.status)
        }
    }
}

fn command() -> Command {
    let mut command = Command::new("certus-cases")
        .about("The case studies: attacks that work, and noise that stops them. Without a name it lists them.")
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .subcommand_help_heading("Cases")
        .subcommand_value_name("CASE")
        .args(shared())
        .arg(Arg::new("all").long("all").action(ArgAction::SetTrue).requires("report").help("Run every case"))
        .arg(
            Arg::new("report")
                .long("report")
                .value_name("DIR")
                .requires("all")
                .value_parser(value_parser!(PathBuf))
                .help("Where the page is written, as DIR/index.html"),
        );
    for case in CASES {
        let mut of = Command::new(case.name).about(format!("{} ({})", case.about, case.source)).args(shared()).arg(
            Arg::new("plots")
                .long("plots")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Write its pictures, as DIR/CASE-1.svg and so on"),
        );
        for parameter in case.parameters {
            let quick = if parameter.quick == parameter.default {
                String::new()
            } else {
                format!("; quick: {}", parameter.quick)
            };
            of = of.arg(
                Arg::new(parameter.name)
                    .long(parameter.name)
                    .value_name("VALUE")
                    .allow_hyphen_values(true)
                    .help(format!("{}: {} [{}{quick}]", parameter.about, parameter.accepts(), parameter.default)),
            );
        }
        command = command.subcommand(of);
    }
    command
}

fn shared() -> [Arg; 2] {
    [
        Arg::new("quick").long("quick").action(ArgAction::SetTrue).help("Fewer trials, the same conclusions"),
        Arg::new("seed")
            .long("seed")
            .value_name("N")
            .default_value("1")
            .allow_hyphen_values(true)
            .help("What all randomness follows from: an integer from 0 to 2^64 - 1"),
    ]
}

fn run() -> Result<(), Failure> {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let _ = error.print();
            return Ok(());
        }
        Err(error) => return Err(Failure::refused(one_line(&error))),
    };
    if let Some((name, of)) = matches.subcommand() {
        let case = cases::named(name).ok_or_else(|| Failure::refused(unknown(name)))?;
        return alone(case, of);
    }
    if matches.get_flag("all") {
        let folder: &PathBuf = matches.get_one("report").ok_or_else(|| Failure::refused("--report DIR is missing"))?;
        return all(folder, matches.get_flag("quick"), seed(&matches)?);
    }
    let width = CASES.iter().map(|case| case.name.len()).max().unwrap_or(0);
    for case in CASES {
        print(&format!("{:width$}  {} ({})\n", case.name, case.about, case.source))?;
    }
    Ok(())
}

/// clap's first line says what was wrong; the others are for those who look for help.
fn one_line(error: &clap::Error) -> String {
    use clap::error::ContextKind;
    if let (ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument, Some(name)) = (
        error.kind(),
        error
            .get(ContextKind::InvalidSubcommand)
            .or_else(|| error.get(ContextKind::InvalidArg).filter(|name| !name.to_string().starts_with('-'))),
    ) {
        return unknown(&name.to_string());
    }
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
    format!("there is no case '{name}'; the cases are {}", names.join(", "))
}

fn seed(matches: &ArgMatches) -> Result<u64, Failure> {
    let text: &String = matches.get_one("seed").ok_or_else(|| Failure::refused("--seed N is missing"))?;
    text.parse().map_err(|_| Failure::refused(format!("--seed {text}: must be an integer from 0 to {}", u64::MAX)))
}

fn alone(case: &Case, matches: &ArgMatches) -> Result<(), Failure> {
    let given: Vec<(&str, &str)> = case
        .parameters
        .iter()
        .filter_map(|parameter| Some((parameter.name, matches.get_one::<String>(parameter.name)?.as_str())))
        .collect();
    let setting = Setting::new(case, matches.get_flag("quick"), seed(matches)?, &given)
        .map_err(|error| Failure::refused(error.to_string()))?;
    let plots = matches.get_one::<PathBuf>("plots");
    if let Some(folder) = plots {
        writable("--plots", folder)?;
    }
    let study = watched(case, &setting)?;
    print(&terminal::render(case, &setting, &study))?;
    if let Some(folder) = plots {
        for (place, plot) in study.plots().enumerate() {
            let path = folder.join(format!("{}-{}.svg", case.name, place + 1));
            write(&path, &plot.svg())?;
            print(&format!("{}\n", path.display()))?;
        }
    } else if study.plots().next().is_some() {
        print("Its pictures: --plots DIR\n")?;
    }
    Ok(())
}

fn all(folder: &Path, quick: bool, seed: u64) -> Result<(), Failure> {
    writable("--report", folder)?;
    let mut pages = Vec::new();
    for case in CASES {
        let started = Instant::now();
        let setting = Setting::new(case, quick, seed, &[]).map_err(|error| Failure::refused(error.to_string()))?;
        let study = watched(case, &setting)
            .map_err(|failure| Failure { line: format!("{}: {}", case.name, failure.line), ..failure })?;
        let seconds = started.elapsed().as_secs_f64();
        let holds = study.findings.iter().filter(|finding| finding.agrees).count();
        print(&format!(
            "{:15} {seconds:6.1} s  {holds} of {} of the documents' statements hold\n",
            case.name,
            study.findings.len()
        ))?;
        pages.push(site::Page { case, setting, study, seconds });
    }
    let path = folder.join("index.html");
    write(&path, &site::render(&pages))?;
    print(&format!("{}\n", path.display()))
}

/// Before anything is computed: whether a file can be written there.
fn writable(argument: &str, folder: &Path) -> Result<(), Failure> {
    let refused = |error: io::Error| {
        Failure::refused(format!("{argument} {}: must be a folder that can be written to: {error}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(refused)?;
    let probe = folder.join(format!(".certus-cases-{}", std::process::id()));
    std::fs::write(&probe, "").map_err(refused)?;
    std::fs::remove_file(&probe).map_err(refused)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
}

/// A closed pipe ends the command silently.
fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        written => written.map_err(|error| Failure::failed(format!("standard output: {error}"))),
    }
}

/// A bar on stderr, where it is a terminal.
struct Bar(ProgressBar);

impl Watch for Bar {
    fn step(&self, what: &str, done: u64, of: u64) {
        self.0.set_length(of);
        self.0.set_position(done);
        self.0.set_message(what.to_owned());
    }
}

fn watched(case: &Case, setting: &Setting) -> Result<Study, Failure> {
    if !io::stderr().is_terminal() {
        return Ok((case.run)(setting, &Silent)?);
    }
    let bar = ProgressBar::new(1);
    if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_prefix(case.name);
    let study = (case.run)(setting, &Bar(bar.clone()));
    bar.finish_and_clear();
    Ok(study?)
}
