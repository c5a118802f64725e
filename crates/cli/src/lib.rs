//! The command: parse, call, print. Everything else is in the layers above.

mod account;
mod arguments;
mod audit;
mod binary;
mod calibrate;
mod canaries;
mod catalogue;
mod certify;
mod data;
mod failure;
mod ledger;
mod man;
mod progress;
mod release;
mod render;
mod sample;
mod source;
mod statistic;
mod suggest;
mod toml_file;
mod whole_file;

use std::{
    ffi::OsString,
    io::{self, IsTerminal as _, Write},
};

use clap::{FromArgMatches as _, error::ErrorKind};

use arguments::{Cli, Command};
pub use audit::{recorded as report, targets_of_file};
pub use canaries::recorded as canary_report;
pub use failure::Failure;

/// The version of the JSON documents that the command prints.
pub const SCHEMA_VERSION: u32 = 1;

/// Runs the command on the process's own arguments and streams; the answer is the exit status: 0 fine, 1 a
/// certificate that fails or a claim that is refuted, 2 bad usage or bad input, 3 the environment failed, 4 the
/// budget refuses.
#[must_use]
pub fn main() -> u8 {
    run_on_streams(std::env::args_os())
}

/// As [`main`], on the given arguments, the program's name first: what a Python wheel's command calls.
#[must_use]
pub fn run_on_streams(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let stdout = io::stdout();
    let outcome = run(arguments, &mut stdout.lock());
    match outcome {
        Ok(status) => status,
        Err(failure) => {
            if let Some(line) = failure.line() {
                // If even this cannot be written, the status still tells.
                let _ = writeln!(io::stderr(), "error: {line}");
            }
            failure.status()
        }
    }
}

/// Runs the command on the given arguments, the program's name first.
///
/// # Errors
///
/// If the arguments are bad, or the environment fails.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Result<u8, Failure> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let [_, command, rest @ ..] = arguments.as_slice()
        && command == "release"
    {
        return release::run(rest);
    }
    let cli = match Cli::command_for_people()
        .try_get_matches_from(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches))
    {
        Ok(cli) => cli,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            out.write_all(error.to_string().as_bytes())?;
            return Ok(0);
        }
        Err(error) => {
            // Whoever types `certus` and looks at the answer wants to know what there is.
            if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && io::stdout().is_terminal() {
                out.write_all(error.to_string().as_bytes())?;
            }
            return Err(Failure::from_parser(&error, suggest::arguments(&arguments)));
        }
    };
    match cli.command {
        Command::Sample(options) => sample::run(&options, &cli.shared, out),
        Command::Certify(options) => certify::run(&options, &cli.shared, out),
        Command::Account(options) => account::run(&options, &cli.shared, out),
        Command::Calibrate(options) => calibrate::run(&options, &cli.shared, out),
        Command::Audit(options) => audit::run(&options, &cli.shared, out),
        Command::Canaries(options) => canaries::draw::run(&options, &cli.shared, out),
        Command::Tally(options) => audit::tally::run(&options, &cli.shared, out),
        Command::Replay(options) => audit::replay::run(&options, &cli.shared, out),
        Command::Ledger { command } => ledger::run(&command, &cli.shared, out),
        Command::Release { arguments } => release::run(&arguments),
        Command::Mechanisms { name } => catalogue::run(name.as_deref(), &cli.shared, out),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command_for_people(), "certus", &mut script);
            out.write_all(&script)?;
            Ok(0)
        }
        Command::Man { command, folder } => man::run(command.as_deref(), folder.as_deref(), out),
    }
}
