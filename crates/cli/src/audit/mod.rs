//! `certus audit`: a claim tested on samples of anybody's mechanism.

mod audit_file;
#[cfg(unix)]
mod commands;
pub(super) mod csv_rows;
mod files;
#[cfg(unix)]
mod group;
mod json_value;
mod judge;
#[cfg(unix)]
mod kept;
mod notes;
mod npy;
mod outcome;
pub mod recorded;
pub(super) mod replay;
mod search;
mod settings;
mod suite;
mod table;
pub(super) mod tally;
mod tally_files;
mod target;

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use clap::Parser as _;
use serde_json::{Value, json};

pub(super) use self::settings::{Confidence, claim};
use self::{
    settings::Settings,
    suite::{Judged, NotRun, audit_all},
    target::{Origin, SpecArguments, Target},
};
use super::{
    Failure, SCHEMA_VERSION,
    arguments::{Audit, Cli, Command, Shared},
    data, render,
    source::{Source, seed},
    whole_file::{WholeFile, check_apart},
};
use certus::exact::parse;
use certus_audit::{Claim, fresh_seed};

/// Where plain `certus audit` writes its report.
const REPORT: &str = "certus-audit.html";

/// What is written besides standard output.
struct Files {
    report: Option<WholeFile>,
    counterexample: Option<WholeFile>,
    junit: Option<WholeFile>,
    sarif: Option<WholeFile>,
}

impl Files {
    /// Checks that every file can be written, is no other of them, and is none of the `inputs`, each of which
    /// is an argument and a path.
    fn new(options: &Audit, is_built_in: bool, json: bool, inputs: &[(String, String)]) -> Result<Self, Failure> {
        let file =
            |argument, name: Option<&str>, example| name.map(|name| WholeFile::to(argument, name, example)).transpose();
        let report = options.report.as_deref().or((is_built_in && !json).then_some(REPORT));
        let files = Self {
            report: file("--report", report, REPORT)?,
            counterexample: file("--counterexample", options.counterexample.as_deref(), "counterexample.json")?,
            junit: file("--junit", options.junit.as_deref(), "audit.xml")?,
            sarif: file("--sarif", options.sarif.as_deref(), "audit.sarif")?,
        };
        let written = [&files.report, &files.counterexample, &files.junit, &files.sarif];
        check_apart(&written.into_iter().flatten().collect::<Vec<_>>(), inputs)?;
        Ok(files)
    }

    fn write(&self, document: &Value) -> Result<(), Failure> {
        if let Some(file) = &self.report {
            file.write(render::html(document).as_bytes())?;
        }
        if let Some(file) = &self.junit {
            file.write(render::junit(document).as_bytes())?;
        }
        if let Some(file) = &self.sarif {
            file.write(format!("{:#}\n", render::sarif(document)).as_bytes())?;
        }
        if let Some(file) = &self.counterexample {
            let found = counterexamples(document);
            if !found.is_null() {
                file.write(format!("{found:#}\n").as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Says of every target with a counterexample how it is replayed from the file that it is written into; null
/// where there is no such file.
fn add_replays(document: &mut Value, file: Option<&str>) {
    let add = |target: &mut Value, is_suite: bool| {
        let has_one = target.get("counterexample").is_some_and(Value::is_object);
        let name = target.get("target").and_then(Value::as_str).unwrap_or_default();
        let replay = file.filter(|_| has_one).map(|file| {
            // What begins with a hyphen would be taken for an option.
            let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
            let file = shell_word(&file);
            if is_suite {
                format!("certus replay {file} --target {}", shell_word(name))
            } else {
                format!("certus replay {file}")
            }
        });
        if let Some(target) = target.as_object_mut() {
            target.insert("replay".into(), json!(replay));
        }
    };
    match document.get_mut("targets").and_then(Value::as_array_mut) {
        Some(targets) => targets.iter_mut().for_each(|target| add(target, true)),
        None => add(document, false),
    }
}

/// A text as one word of a shell's command line.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The names of an audit file's targets: all that `certus audit FILE.toml` reads before it runs anything.
///
/// # Errors
///
/// If the text is no audit file, or names a file of samples or tallies that cannot be read.
pub fn targets_of_file(path: &str, text: &str) -> Result<Vec<String>, Failure> {
    let cli =
        Cli::try_parse_from(["certus", "audit", "file.toml"]).map_err(|error| Failure::from_parser(&error, None))?;
    let Command::Audit(options) = cli.command else { return Ok(Vec::new()) };
    let mut settings = Settings::new(&options, &cli.shared)?;
    let targets = audit_file::targets_of(path, text, &options, &mut settings)?;
    Ok(targets.into_iter().map(|target| target.name).collect())
}

/// The counterexample of a single audit, or all of a suite's.
fn counterexamples(document: &Value) -> Value {
    match document.get("targets").and_then(Value::as_array) {
        None => document.get("counterexample").cloned().unwrap_or(Value::Null),
        Some(targets) => {
            let found = targets.iter().filter_map(|target| target.get("counterexample")).filter(|one| !one.is_null());
            let found: Vec<Value> = found.cloned().collect();
            json!({ "schema_version": SCHEMA_VERSION, "counterexamples": found })
        }
    }
}

pub(super) fn run(options: &Audit, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    if let Some(path) = &options.of_canaries.canaries {
        return super::canaries::audit(options, path, shared, out);
    }
    super::canaries::refuse_without(options)?;
    let mut settings = Settings::new(options, shared)?;
    let is_built_in = options.target.is_none()
        && options.a.is_none()
        && options.command.is_none()
        && options.samples_a.is_none()
        && options.tally_a.is_empty();
    let is_file = options.target.as_deref().is_some_and(|target| target.ends_with(".toml"));
    let mut targets = match options.target.as_deref() {
        Some(path) if is_file => {
            refuse_with_file(options)?;
            audit_file::targets(path, options, &mut settings)?
        }
        _ if is_built_in => {
            refuse_with_file(options)?;
            suite::built_in(options.sampler)
        }
        _ => vec![single(options)?],
    };
    let mut inputs: Vec<(String, String)> =
        targets.iter().flat_map(Target::files).map(|(argument, path)| (argument.to_owned(), path.to_owned())).collect();
    inputs.extend(options.target.clone().filter(|_| is_file).map(|path| ("FILE.toml".to_owned(), path)));
    if let Some(only) = &options.only {
        targets.retain(|target| target.name.contains(only));
        if targets.is_empty() {
            return Err(Failure::value("--only", only, "must be part of a target's name"));
        }
    }
    let is_of_files = |target: &Target| matches!(target.origin, Origin::Samples { .. } | Origin::Tallies { .. });
    if settings.sequential
        && let Some(target) = targets.iter().find(|target| is_of_files(target))
    {
        let must = format!("needs samples that are drawn batch after batch: {} has files", target.name);
        return Err(Failure::argument("--sequential", must));
    }
    let seed = seed(shared.seed.as_deref())?;
    let files = Files::new(options, is_built_in, shared.json, &inputs)?;
    let seed = fresh_seed(&mut Source::new(seed)?)?;
    let started = Instant::now();
    let (mut judged, each) = audit_all(targets, &settings, seed)?;
    let is_suite = is_file || is_built_in;
    if !is_suite
        && matches!(judged.first(), Some(Judged { outcome: Err(NotRun::Failed(_)), .. }))
        && let Some(Judged { outcome: Err(NotRun::Failed(failure)), .. }) = judged.pop()
    {
        return Err(failure);
    }
    let seconds = thousandths(started.elapsed());
    let mut document = suite::json(&judged, &settings, &each, options.strict, seconds);
    if is_file && let Some(document) = document.as_object_mut() {
        document.insert("file".into(), options.target.clone().into());
    }
    if !is_suite && let Some(target) = document.get_mut("targets").and_then(|targets| targets.get_mut(0)) {
        document = alone(target.take());
    }
    add_replays(&mut document, options.counterexample.as_deref());
    files.write(&document)?;
    let printed = match (shared.json, is_suite) {
        (true, _) => writeln!(out, "{document}"),
        (false, true) => print_suite(&document, &files, shared.color.is_on(), out),
        (false, false) => print_single(&document, &files, shared.color.is_on(), out),
    };
    match printed.and_then(|()| out.flush()) {
        // Whoever read the output went away; the verdict stands.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    let failed = judged.iter().find_map(|judged| match &judged.outcome {
        Err(NotRun::Failed(failure)) => Some((&judged.target.name, failure)),
        _ => None,
    });
    if let Some((name, failure)) = failed {
        let line = failure.line().unwrap_or_default();
        // A target of a suite that could not run is no verdict, neither way.
        return Err(match failure {
            Failure::Usage(_) => Failure::Usage(format!("{name}: {line}")),
            _ => Failure::Environment(format!("{name}: {line}")),
        });
    }
    Ok(u8::from(!judged.iter().all(|judged| judged.is_as_expected(options.strict))))
}

/// The document of a single audit, from its part of a suite's.
fn alone(mut target: Value) -> Value {
    if let Some(target) = target.as_object_mut() {
        target.insert("schema_version".into(), SCHEMA_VERSION.into());
    }
    target
}

/// Seconds to three digits: more would be noise.
#[expect(clippy::float_arithmetic, reason = "a time, for people to read")]
pub(super) fn thousandths(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 1000.0).round() / 1000.0
}

/// What belongs to a target of its own has no meaning for a suite.
fn refuse_with_file(options: &Audit) -> Result<(), Failure> {
    let given = [
        ("--claim", options.claim.is_some()),
        ("--input", options.input.is_some()),
        ("--expect", options.expect.is_some()),
        ("--scale", !options.scale.is_empty()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::argument(
            name,
            "is for one target: give a SPEC, --a and --b, --command, --samples-a and --samples-b, or --tally-a and --tally-b",
        )),
        None => Ok(()),
    }
}

/// The one target that the arguments name.
fn single(options: &Audit) -> Result<Target, Failure> {
    let given = options.claim.as_deref().map(|text| claim("--claim", text)).transpose()?;
    let needed = || -> Result<Claim, Failure> {
        given.clone().ok_or_else(|| Failure::argument("--claim", "must be given, such as --claim epsilon=1,delta=1e-6"))
    };
    let mut target = if let Some(spec) = &options.target {
        let inputs = match spec.parse() {
            Ok(spec) => data::both(options.input.as_deref(), options.neighbour.as_deref(), &spec)?,
            // What is wrong with it is said below.
            Err(_) => None,
        };
        if inputs.is_some() && given.is_none() {
            return Err(Failure::argument(
                "--claim",
                "must be given beside --input and --neighbour: what SPEC guarantees is for neighbours, and whether these are is for you to say",
            ));
        }
        let inputs = inputs.as_ref().map(|(input, neighbour)| (&**input, &**neighbour));
        Target::of_spec(SpecArguments::OF_COMMAND, spec, given.clone(), inputs, options.sampler)?
    } else if let Some((a, b)) = options.a.as_ref().zip(options.b.as_ref()) {
        let origin = Origin::Commands { a: a.clone(), b: b.clone(), arguments: ("--a".to_owned(), "--b".to_owned()) };
        Target::new("commands", needed()?, origin)
    } else if let Some((command, base)) = options.command.as_ref().zip(options.base.as_ref()) {
        let pairs = search::patterns("--base", base, options.neighbours)?;
        if !command.contains(search::PLACE) {
            return Err(Failure::value("--command", command, "must hold {} where its data go"));
        }
        let origin = Origin::Search { command: command.clone(), pairs, argument: "--command".to_owned() };
        Target::new(command, needed()?, origin)
    } else if let Some((a, b)) = options.samples_a.as_ref().zip(options.samples_b.as_ref()) {
        let claim = needed()?;
        let format = files::format_of_both(("--samples-a", a), ("--samples-b", b), options.format)?;
        let arguments = ("--samples-a".to_owned(), "--samples-b".to_owned());
        let origin = Origin::Samples { a: a.clone(), b: b.clone(), format, column: options.column.clone(), arguments };
        Target::new("samples", claim, origin)
    } else {
        if options.samples.is_some() {
            return Err(Failure::argument("--samples", "has no meaning for tallies: all that they counted is audited"));
        }
        let arguments = ("--tally-a".to_owned(), "--tally-b".to_owned());
        let origin = Origin::Tallies { a: options.tally_a.clone(), b: options.tally_b.clone(), arguments };
        Target::new("tallies", needed()?, origin)
    };
    target.expect = options.expect;
    target.scales = scales("--scale", &options.scale)?;
    Ok(target)
}

/// Positive numbers as floats: which events are looked for depends on them, and nothing else.
fn scales(argument: &str, texts: &[String]) -> Result<Vec<f64>, Failure> {
    let scale = |text: &String| {
        let value = parse(text).ok().map(|value| certus_audit::above(&value));
        let value = value.filter(|value| value.is_finite() && *value > 0.0);
        value.ok_or_else(|| Failure::value(argument, text, "must be a positive number, such as 1.5"))
    };
    texts.iter().map(scale).collect()
}

fn print_suite(document: &Value, files: &Files, is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    let targets = document.get("targets").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    table::print(targets, is_coloured, out)?;
    let count = |wanted: &dyn Fn(&Value) -> bool| targets.iter().filter(|target| wanted(target)).count();
    let text = |target: &Value, key: &str| target.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let violations = count(&|target| text(target, "verdict") == "violation");
    // Where nothing was expected, a violation was not.
    let unexpected = count(&|target| match target.get("as_expected").and_then(Value::as_bool) {
        Some(as_expected) => !as_expected,
        None => text(target, "verdict") == "violation",
    });
    writeln!(
        out,
        "\n{} targets, {violations} violations, {}, at confidence {} for all together, in {:.1} s",
        targets.len(),
        match unexpected {
            0 if targets.iter().all(|target| target.get("verdict").is_none_or(Value::is_null)) =>
                "none of them run".to_owned(),
            0 => "all as expected".to_owned(),
            _ => format!("{unexpected} NOT as expected"),
        },
        text(document, "confidence"),
        document.get("seconds").and_then(Value::as_f64).unwrap_or(0.0),
    )?;
    print_assumption(document, out)?;
    for target in targets {
        for (key, what) in [("skipped", "skipped"), ("error", "FAILED")] {
            if let Some(why) = target.get(key).and_then(Value::as_str) {
                writeln!(out, "{what}: {}: {why}", text(target, "target"))?;
            }
        }
        for note in notes_of(target) {
            writeln!(out, "note: {}: {note}", text(target, "target"))?;
        }
    }
    for target in targets.iter().filter(|target| text(target, "verdict") == "violation") {
        let is_surprise = target.get("as_expected").and_then(Value::as_bool) != Some(true);
        if let Some(told) = render::told(target).filter(|_| is_surprise) {
            writeln!(out, "found: {}: {told}", text(target, "target"))?;
        }
    }
    print_files(files, out)
}

fn print_single(document: &Value, files: &Files, is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    print_alone(document, is_coloured, out)?;
    print_files(files, out)
}

/// The text of one audit.
fn print_alone(document: &Value, is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    table::print(std::slice::from_ref(document), is_coloured, out)?;
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    let count = |key: &str| document.get(key).and_then(Value::as_u64).unwrap_or(0);
    writeln!(out, "\n{} and {} samples, confidence {}", count("samples_a"), count("samples_b"), text("confidence"))?;
    if let Some(seen) = render::seen(document) {
        writeln!(out, "{seen}")?;
    }
    print_assumption(document, out)?;
    if let Some([a, b]) = render::sides(document).filter(|_| text("kind") != "samples" && text("kind") != "tallies") {
        writeln!(out, "a: {}\nb: {}", printed(&a), printed(&b))?;
    }
    print_event(document, out)?;
    for note in notes_of(document) {
        writeln!(out, "note: {note}")?;
    }
    Ok(())
}

/// The event, in words first, and what is known of it.
fn print_event(document: &Value, out: &mut dyn Write) -> io::Result<()> {
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    if text("event").is_empty() {
        return Ok(());
    }
    if text("mode") == "sequential" {
        writeln!(out, "last event played: {}", text("event"))?;
        return writeln!(
            out,
            "       some event that was played violates the claim, at the confidence; of this one alone nothing is shown: a replay tests it"
        );
    }
    let is_violation = text("verdict") == "violation";
    if let Some(told) = render::told(document) {
        writeln!(out, "{}: {told}", if is_violation { "found" } else { "tested" })?;
    }
    if !text("cause").is_empty() {
        writeln!(out, "cause: {}", text("cause"))?;
    }
    writeln!(out, "event: {}", text("event"))?;
    if let Some(counts) = document.get("counts").filter(|counts| counts.is_object()) {
        let of = |key: &str| counts.get(key).and_then(Value::as_u64).unwrap_or(0);
        let (p, q) = if text("direction") == "a over b" { ("a", "b") } else { ("b", "a") };
        writeln!(
            out,
            "       {} of {} on {p}, {} of {} on {q}, of the samples kept for the test",
            of("p_inside"),
            of("p_samples"),
            of("q_inside"),
            of("q_samples")
        )?;
    }
    if let Some(also) = document.get("also").filter(|also| also.is_object()) {
        let of = |key: &str| also.get(key).and_then(Value::as_str).unwrap_or_default();
        writeln!(out, "also:  {}, which shows more: δ is at least {}", of("event"), of("delta_lower"))?;
    }
    Ok(())
}

/// A text of somebody else's on one line, cut where it is long.
fn printed(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut line: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

/// What the confidence of a seeded run assumes.
fn print_assumption(document: &Value, out: &mut dyn Write) -> io::Result<()> {
    match document.get("assumes").and_then(Value::as_str) {
        Some(assumed) => writeln!(out, "seeded: the confidence assumes {assumed}"),
        None => Ok(()),
    }
}

fn notes_of(target: &Value) -> impl Iterator<Item = &str> {
    target.get("notes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn print_files(files: &Files, out: &mut dyn Write) -> io::Result<()> {
    let written = [("report", &files.report), ("JUnit", &files.junit), ("SARIF", &files.sarif)];
    for (what, file) in written {
        if let Some(file) = file {
            writeln!(out, "{what}: {}", file.path().display())?;
        }
    }
    Ok(())
}
