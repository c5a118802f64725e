//! Many targets in one run: the built-in suite, or an audit file's.

use std::sync::{Arc, atomic::AtomicU64};

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    judge::judge,
    outcome::Outcome,
    settings::{ASSUMES, Confidence, Settings},
    target::{Origin, SpecArguments, Target},
};
use crate::{
    Failure,
    arguments::{Expect, Sampler},
    progress::{Progress, watched},
};
use certus::{bits::seeded, exact::render, mechanism::CATALOGUE};
use certus_audit::{fresh_seed, zoo::zoo};

/// What became of one target.
pub(super) struct Judged {
    pub(super) target: Target,
    pub(super) outcome: Result<Outcome, NotRun>,
}

/// Why a target has no verdict.
#[derive(Debug)]
pub(super) enum NotRun {
    /// What it requires is not there.
    Skipped(String),
    Failed(Failure),
}

/// What a target has not that did not run.
const NOT_KNOWN: &[&str] = &[
    "verdict",
    "delta_lower",
    "delta_estimate",
    "delta_upper",
    "epsilon_lower",
    "min_detectable_delta",
    "searched",
    "delta_exact",
    "seeded",
    "assumes",
    "samples_a",
    "samples_b",
    "event",
    "words",
    "cause",
    "direction",
    "counts",
    "event_lower",
    "also",
    "counterexample",
    "replay",
    "seconds",
];

impl Judged {
    /// Whether its verdict is the expected one; a target that was skipped is not held against the suite.
    pub(super) fn is_as_expected(&self, strict: bool) -> bool {
        match &self.outcome {
            Ok(outcome) => outcome.is_as_expected(self.target.expect, strict),
            Err(NotRun::Skipped(_)) => true,
            Err(NotRun::Failed(_)) => false,
        }
    }

    pub(super) fn json(&self, confidence: &Confidence, strict: bool) -> Value {
        match &self.outcome {
            Ok(outcome) => Value::Object(outcome.json(&self.target, confidence, strict)),
            Err(not_run) => {
                let (skipped, error) = match not_run {
                    NotRun::Skipped(why) => (Some(why.clone()), None),
                    NotRun::Failed(failure) => (None, failure.line()),
                };
                let mut document = Map::new();
                document.insert("target".into(), self.target.name.clone().into());
                document.insert("about".into(), self.target.about.clone().into());
                document.insert("kind".into(), self.target.origin_json().get("kind").cloned().unwrap_or(Value::Null));
                document.extend(self.target.line.map(|line| ("line".to_owned(), line.into())));
                document.insert("expected".into(), json!(self.target.expect.map(Expect::name)));
                document.insert("as_expected".into(), if skipped.is_some() { Value::Null } else { false.into() });
                document.insert("epsilon".into(), render(self.target.claim.epsilon()).into());
                document.insert("delta_claimed".into(), render(self.target.claim.delta()).into());
                document.insert("confidence".into(), confidence.to_string().into());
                for unknown in NOT_KNOWN {
                    document.insert((*unknown).into(), Value::Null);
                }
                document.insert("notes".into(), json!([]));
                document.insert("skipped".into(), json!(skipped));
                document.insert("error".into(), json!(error));
                Value::Object(document)
            }
        }
    }
}

/// Every built-in mechanism at what it states, and the whole zoo.
pub(super) fn built_in(sampler: Sampler) -> Vec<Target> {
    let sampler = if sampler == Sampler::Reference { Sampler::Reference } else { Sampler::Auto };
    let specs = CATALOGUE.iter().flat_map(|family| family.entries).flat_map(|entry| entry.examples);
    let mechanisms = specs.filter_map(|spec| {
        let target = Target::of_spec(SpecArguments::OF_COMMAND, spec, None, None, sampler).ok()?;
        let samples = mechanism_samples(target.claim.epsilon_above());
        Some(Target { expect: Some(Expect::NoViolation), samples: Some(samples), ..target })
    });
    mechanisms.chain(zoo().into_iter().filter_map(Target::of_specimen)).collect()
}

/// The fewest and the most outputs a side of a mechanism of the built-in suite.
const MECHANISM_SAMPLES: (f64, f64) = (50_000.0, 310_000.0);

/// The outputs a side that see an excess of 1/20 over a claimed δ: about 15,000·e^ε, by the suite's own figures.
#[expect(
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of samples"
)]
fn mechanism_samples(epsilon: f64) -> u64 {
    (15_000.0 * epsilon.exp()).clamp(MECHANISM_SAMPLES.0, MECHANISM_SAMPLES.1) as u64
}

/// Audits every target; all of them together have the confidence. Targets in this process run side by side,
/// commands one after another.
pub(super) fn audit_all(
    targets: Vec<Target>,
    settings: &Settings,
    seed: [u8; 32],
) -> Result<(Vec<Judged>, Confidence), Failure> {
    let confidence = settings.confidence.shared_by(targets.len())?;
    let total: u64 = targets.iter().map(|target| target.work(settings)).sum();
    let mut seeds = seeded(seed);
    let seeded: Vec<([u8; 32], Target)> =
        targets.into_iter().map(|target| Ok((fresh_seed(&mut seeds)?, target))).collect::<Result<_, Failure>>()?;
    let work = |seed: [u8; 32], mut target: Target, done: &Arc<AtomicU64>| {
        let outcome = match unmet(&target, settings) {
            Some(why) => Err(NotRun::Skipped(why)),
            None => judge(&mut target, settings, &confidence, seed, done).map_err(NotRun::Failed),
        };
        Judged { target, outcome }
    };
    let progress = Progress::new(Some(total), "samples", settings.quiet);
    let judged = watched(progress, |done| {
        let work = |seed, target| work(seed, target, done);
        let (commands, inside): (Vec<_>, Vec<_>) = seeded
            .into_iter()
            .enumerate()
            .partition(|(_, (_, target))| matches!(target.origin, Origin::Commands { .. } | Origin::Search { .. }));
        // The longest first, so that none is left for the end.
        let mut inside = inside;
        inside.sort_by_key(|(_, (_, target))| std::cmp::Reverse(target.work(settings)));
        let mut judged: Vec<(usize, Judged)> =
            inside.into_par_iter().with_max_len(1).map(|(place, (seed, target))| (place, work(seed, target))).collect();
        judged.extend(commands.into_iter().map(|(place, (seed, target))| (place, work(seed, target))));
        judged.sort_by_key(|(place, _)| *place);
        judged
    });
    Ok((judged.into_iter().map(|(_, judged)| judged).collect(), confidence))
}

/// Why a target cannot run here.
#[cfg(unix)]
fn unmet(target: &Target, settings: &Settings) -> Option<String> {
    let command = target.requires.as_deref()?;
    let is_met =
        super::commands::succeeds(command, target.folder.as_deref(), target.timeout.unwrap_or(settings.timeout));
    (!is_met).then(|| format!("requires: {command}"))
}

#[cfg(not(unix))]
fn unmet(target: &Target, _: &Settings) -> Option<String> {
    Some(format!("requires: {}", target.requires.as_deref()?))
}

/// The document of a suite.
pub(super) fn json(judged: &[Judged], settings: &Settings, each: &Confidence, strict: bool, seconds: f64) -> Value {
    json!({
        "schema_version": crate::SCHEMA_VERSION,
        "confidence": settings.confidence.to_string(),
        "seeded": settings.is_seeded,
        "assumes": settings.is_seeded.then_some(ASSUMES),
        "as_expected": judged.iter().all(|judged| judged.is_as_expected(strict)),
        "targets": judged.iter().map(|judged| judged.json(each, strict)).collect::<Vec<_>>(),
        "seconds": seconds,
    })
}
