//! `certus replay`: a counterexample on fresh samples.

use std::{
    io::{self, IsTerminal as _, Write},
    time::Instant,
};

use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::{
    files,
    notes::notes,
    outcome::{counts_json, counts_of, direction_of},
    settings::{ASSUMES, Confidence, MOST_SAMPLES, SAMPLES, Settings, samples, shards, timeout},
    target::{Origin, SpecArguments, Target},
};
use crate::{
    Failure, SCHEMA_VERSION,
    account::read_text,
    arguments::{Replay, Sampler, Shared},
    progress::{Progress, watched},
    source::{Source, seed},
};
use certus::{bits::Bits, exact::parse, mechanism::Excerpt};
use certus_audit::{
    Claim, Finding, LowerBounds, Report,
    events::{Event, Orientation},
    fresh_seed,
    outputs::{Tally, Trace},
    statistics::{exp_bounds, region::EventCounts},
    zoo::zoo,
};

/// A counterexample as it was written.
struct Counterexample {
    name: String,
    claim: Claim,
    event: Event,
    direction: Orientation,
    /// What the event had when it was found.
    counts: Option<EventCounts>,
    samples: Option<u64>,
    /// The digests of the audit's recordings.
    recordings: Vec<String>,
    /// What tells of parts of them; files of version 0.1.0 have none.
    trace: Option<Trace>,
    origin: Value,
}

pub(crate) fn run(options: &Replay, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let found = read(options)?;
    let settings = Settings {
        samples: options.samples.as_deref().map(samples).transpose()?.or(found.samples),
        confidence: Confidence::parse("--confidence", options.confidence.as_deref().unwrap_or("0.999"))?,
        timeout: timeout("--timeout", options.timeout.as_deref())?,
        shards: shards(None)?,
        sequential: false,
        is_seeded: shared.seed.is_some(),
        quiet: shared.quiet,
    };
    let target = target(&found, options)?;
    let seed = seed(shared.seed.as_deref())?;
    let mut bits = Source::new(seed)?;
    // An audit of the same seed has the first: a replay's samples are its own.
    fresh_seed(&mut bits)?;
    let seed = fresh_seed(&mut bits)?;
    ask(&target, options)?;
    #[cfg(unix)]
    if matches!(target.origin, Origin::Commands { .. }) {
        // Numbers that the audit's shards did not have.
        super::commands::number_shards_from((1 << 20) + bits.take(30)?);
    }
    let started = Instant::now();
    let wanted = match target.origin {
        Origin::Samples { .. } => u64::MAX,
        _ => settings.samples.unwrap_or(SAMPLES),
    };
    let progress = Progress::new(Some(target.work(&settings)), "fresh samples", shared.quiet);
    let (a, b) = watched(progress, |done| target.draw(wanted, &settings, seed, done))?;
    a.check_apart(&b).map_err(|error| Failure::argument("--samples-b", error))?;
    check_fresh(&found, &target, (&a, &b))?;
    let freshness = freshness(&found, &target);
    let claim = &found.claim;
    let (_, slope) = exp_bounds(claim.epsilon_above());
    let alpha = alpha(&settings.confidence);
    let (pair, region) = Finding::replay(&found.event, found.direction, (&a, &b), alpha, claim, found.counts);
    let lower = LowerBounds::new(claim, region.delta_lower(slope), region.epsilon_lower(claim.delta_above()));
    let confirmed = lower.is_refuted;
    let notes = notes(&target.origin, &a, &b);
    let seconds = started.elapsed().as_secs_f64();
    if shared.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "target": found.name,
            "verdict": if confirmed { "violation" } else { "inconclusive" },
            "confirmed": confirmed,
            "epsilon": certus::exact::render(claim.epsilon()),
            "delta_claimed": certus::exact::render(claim.delta()),
            "delta_lower": Report::decimal_below(lower.delta),
            "delta_estimate": Report::decimal_below(pair.excess(slope).max(0.0)),
            "delta_upper": null,
            "epsilon_lower": Report::decimal_below(lower.epsilon),
            "confidence": settings.confidence.to_string(),
            "seeded": settings.is_seeded,
            "assumes": settings.is_seeded.then_some(ASSUMES),
            "samples_a": a.samples(),
            "samples_b": b.samples(),
            "freshness": freshness,
            "notes": notes,
            "event": found.event.to_string(),
            "counts": counts_json(pair),
            "seconds": seconds,
        });
        writeln!(out, "{document}")?;
    } else {
        let (p, q) = found.direction.orient("a", "b");
        writeln!(
            out,
            "{}: claimed epsilon = {}, delta = {}",
            printable(&found.name),
            certus::exact::render(claim.epsilon()),
            certus::exact::render(claim.delta())
        )?;
        writeln!(out, "event: {}", found.event)?;
        let what = if matches!(target.origin, Origin::Samples { .. }) { "samples" } else { "fresh samples" };
        writeln!(out, "{what}: {} of {} on {p}, {} of {} on {q}", pair.x, pair.n, pair.y, pair.m)?;
        writeln!(out, "freshness: {freshness}")?;
        writeln!(
            out,
            "delta(epsilon) is at least {}, at confidence {}: {}",
            Report::decimal_below(lower.delta),
            settings.confidence,
            if confirmed { "the violation is confirmed" } else { "not confirmed by these samples" }
        )?;
        if settings.is_seeded {
            writeln!(out, "seeded: the confidence assumes {ASSUMES}")?;
        }
        for note in notes {
            writeln!(out, "note: {note}")?;
        }
    }
    out.flush()?;
    Ok(u8::from(confirmed))
}

/// Whose word it is that the samples are not the audit's own.
fn freshness(found: &Counterexample, target: &Target) -> &'static str {
    match (&target.origin, &found.trace) {
        (Origin::Samples { .. }, Some(_)) => {
            "the user's word; no long run of lines of the audit's own samples was found in these files"
        }
        (Origin::Samples { .. }, None) => {
            "the user's word; FILE does not say enough of the audit's own samples to look for them"
        }
        _ => "drawn by this replay",
    }
}

/// The audit's own samples confirm nothing, and no part of them does.
fn check_fresh(found: &Counterexample, target: &Target, (a, b): (&Tally, &Tally)) -> Result<(), Failure> {
    let is_known = [a, b].into_iter().any(|side| {
        side.digests().iter().any(|digest| found.recordings.contains(digest))
            || found.trace.as_ref().is_some_and(|trace| trace.shares_a_run(&side.trace()))
    });
    if !is_known {
        return Ok(());
    }
    Err(match target.origin {
        Origin::Samples { .. } => Failure::argument(
            "--samples-a",
            "and --samples-b must be fresh: the audit had these samples, or a long run of them",
        ),
        _ => Failure::Environment(format!(
            "{}: printed the audit's own samples again: a seed was used twice",
            printable(&found.name)
        )),
    })
}

/// Commands come from the file, perhaps somebody else's: they are shown, and run only if whoever sits at the
/// terminal, or `--yes`, says so.
fn ask(target: &Target, options: &Replay) -> Result<(), Failure> {
    let Origin::Commands { a, b, .. } = &target.origin else { return Ok(()) };
    let mut stderr = io::stderr();
    // If they cannot be shown, nobody says yes to them; with --yes they are run all the same.
    let shown = (|| {
        let folder = target.folder.as_deref().map_or_else(String::new, |folder| format!(" in {}", visible(folder)));
        writeln!(stderr, "{} holds commands, run by sh -c{folder}:", visible(&options.file))?;
        for (side, command) in [("a", a), ("b", b)] {
            writeln!(stderr, "  {side}: {}", visible(command))?;
        }
        Ok::<(), io::Error>(())
    })();
    if options.yes {
        return Ok(());
    }
    let refused = |what: &str| Err(Failure::argument("--yes", what));
    // An answer that comes through a pipe is nobody's.
    if shown.is_err() || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return refused("must be given where there is no terminal to ask: FILE holds commands, and none was run");
    }
    write!(stderr, "Run them? [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" | "Yes" | "YES" => Ok(()),
        _ => refused("was not said: FILE holds commands, and none was run"),
    }
}

/// As text that a terminal shows as it is: control characters, marks that turn the direction of writing and
/// characters without a width, which could let a command pose as another, are written as their numbers.
fn visible(text: &str) -> String {
    let shown = |c: char| -> String {
        let is_quote = matches!(c, '\'' | '"' | '\\');
        if is_quote || c.escape_debug().count() == 1 { c.to_string() } else { c.escape_unicode().to_string() }
    };
    text.chars().map(shown).collect()
}

/// Without control characters, which a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// 1 − confidence, rounded down.
#[expect(clippy::float_arithmetic, reason = "a level: the confidence was rounded up")]
fn alpha(confidence: &Confidence) -> f64 {
    1.0 - confidence.float()
}

fn read(options: &Replay) -> Result<Counterexample, Failure> {
    let path = &options.file;
    let text = read_text(path)?;
    let refused = |what: &str| Failure::argument("FILE", format_args!("{path}: {what}"));
    let none = "must be a counterexample that `certus audit --counterexample FILE` wrote";
    let document: Value = serde_json::from_str(&text).map_err(|_| refused(none))?;
    let one = match document.get("counterexamples").and_then(Value::as_array) {
        None => document,
        Some(list) => {
            let name = |one: &Value| one.get("counterexample").and_then(Value::as_str).unwrap_or_default().to_owned();
            let names: Vec<String> = list.iter().map(name).collect();
            let chosen = match &options.target {
                Some(wanted) => list.iter().find(|one| name(one) == *wanted),
                None => list.first().filter(|_| list.len() == 1),
            };
            let listed = format!("{}", Excerpt::new(&names.join(", ")));
            chosen.cloned().ok_or_else(|| {
                Failure::argument("--target", format_args!("must be one of the counterexamples in {path}: {listed}"))
            })?
        }
    };
    let text = |key: &str| one.get(key).and_then(Value::as_str).ok_or_else(|| refused(none));
    if one.get("schema_version").and_then(Value::as_u64) != Some(SCHEMA_VERSION.into()) {
        return Err(refused(none));
    }
    let number = |key: &str| parse(text(key)?).map_err(|_| refused(none));
    Ok(Counterexample {
        name: text("counterexample")?.to_owned(),
        claim: Claim::new(number("epsilon")?, number("delta")?).map_err(|_| refused(none))?,
        event: one
            .get("predicate")
            .and_then(|event| serde_json::from_value(event.clone()).ok())
            .ok_or_else(|| refused(none))?,
        direction: direction_of(text("direction")?).ok_or_else(|| refused(none))?,
        counts: one.get("counts").and_then(counts_of),
        samples: one
            .get("samples")
            .and_then(Value::as_u64)
            .map(|samples| samples.clamp(certus_audit::LEAST_SAMPLES, MOST_SAMPLES)),
        recordings: one
            .get("recordings")
            .and_then(|list| serde_json::from_value(list.clone()).ok())
            .unwrap_or_default(),
        trace: one.get("runs").and_then(|runs| serde_json::from_value(runs.clone()).ok()),
        origin: one.get("origin").cloned().ok_or_else(|| refused(none))?,
    })
}

/// Where the fresh samples come from: the same as the audit's, or files.
fn target(found: &Counterexample, options: &Replay) -> Result<Target, Failure> {
    let none = || Failure::argument("FILE", "names no origin of samples that this version knows");
    let origin = |key: &str| found.origin.get(key).and_then(Value::as_str);
    let two = |key: &str| -> Option<(String, String)> {
        let list = found.origin.get(key)?.as_array()?;
        Some((list.first()?.as_str()?.to_owned(), list.get(1)?.as_str()?.to_owned()))
    };
    if let Some((a, b)) = options.samples_a.as_ref().zip(options.samples_b.as_ref()) {
        let format = files::format_of_both(("--samples-a", a), ("--samples-b", b), options.format)?;
        let arguments = ("--samples-a".to_owned(), "--samples-b".to_owned());
        let origin = Origin::Samples { a: a.clone(), b: b.clone(), format, column: options.column.clone(), arguments };
        return Ok(Target::new(&found.name, found.claim.clone(), origin));
    }
    match origin("kind") {
        Some("mechanism") => {
            let (a, b) = two("inputs").ok_or_else(none)?;
            let spec = origin("spec").ok_or_else(none)?;
            let sampler =
                origin("sampler").and_then(|name| Sampler::from_str(name, false).ok()).unwrap_or(Sampler::Auto);
            Target::of_spec(
                SpecArguments { spec: "FILE", inputs: "FILE", claim: "FILE" },
                spec,
                Some(found.claim.clone()),
                Some((&a, &b)),
                sampler,
            )
        }
        Some("zoo") => {
            let name = origin("specimen").ok_or_else(none)?;
            let specimen = zoo().into_iter().find(|specimen| specimen.name == name).ok_or_else(none)?;
            Target::of_specimen(specimen).ok_or_else(none)
        }
        Some("commands") => {
            let (a, b) = two("commands").ok_or_else(none)?;
            let arguments = ("FILE: a".to_owned(), "FILE: b".to_owned());
            let mut target = Target::new(&found.name, found.claim.clone(), Origin::Commands { a, b, arguments });
            target.folder = origin("folder").map(str::to_owned);
            Ok(target)
        }
        Some("samples" | "tallies") => Err(Failure::argument(
            "--samples-a",
            "must be given, and --samples-b: the audit had files, and a replay needs fresh samples",
        )),
        Some("function") => Err(Failure::argument(
            "--samples-a",
            "must be given, and --samples-b: the audit called a function of Python, and a replay needs fresh samples of it",
        )),
        _ => Err(none()),
    }
}
