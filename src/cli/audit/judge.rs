//! One target under audit: its samples drawn, its claim tested.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Instant,
};

use super::{
    outcome::Outcome,
    search,
    settings::{Confidence, Settings},
    target::{Origin, Target},
    thousandths,
};
use crate::{
    audit::{
        Audit, AuditError, Sequential, Verdict, fresh_seed,
        outputs::{Output, Tally},
    },
    bits::{Bits, BitsError, seeded},
    cli::Failure,
    exact::NonNegative,
};

/// Draws the samples of a target and tests its claim.
pub(super) fn judge(
    target: &mut Target,
    settings: &Settings,
    confidence: &Confidence,
    seed: [u8; 32],
    done: &Arc<AtomicU64>,
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let mut seeds = seeded(seed);
    search::settle(target, settings, fresh_seed(&mut seeds)?, done)?;
    if settings.sequential {
        return batches(target, settings, confidence, fresh_seed(&mut seeds)?, done);
    }
    let (a, b) = target.draw(target.wanted(settings), settings, fresh_seed(&mut seeds)?, done)?;
    let epsilon = NonNegative::new(target.claim.epsilon().clone()).ok();
    let events = epsilon.zip(target.own()).map(|(epsilon, own)| own.events(&epsilon)).unwrap_or_default();
    let audit = Audit::new(target.claim.clone(), confidence.float())
        .map_err(|error| Failure::argument("--confidence", error))?;
    let report = audit.scales(&target.scales).events(&events).run(&a, &b).map_err(|error| refused(target, &error))?;
    let recordings = [a.digests(), b.digests()].concat();
    Ok(Outcome { recordings, ..Outcome::of_report(&report, target.own(), thousandths(started.elapsed())) })
}

/// Samples that cannot be audited: whoever gave them made a mistake, or the command that printed them did.
fn refused(target: &Target, error: &AuditError) -> Failure {
    match &target.origin {
        Origin::Samples { arguments, .. } | Origin::Tallies { arguments, .. } => {
            Failure::argument(&arguments.1, format_args!("{error}"))
        }
        Origin::Commands { arguments, .. } => Failure::Environment(format!("{}: {error}", arguments.1)),
        _ => Failure::Environment(format!("{}: {error}", target.name)),
    }
}

/// The first batches, in outputs a side; later ones are half of what was seen.
const BATCH: u64 = 500;

/// Batch after batch, until the claim falls or the samples are used up.
fn batches(
    target: &Target,
    settings: &Settings,
    confidence: &Confidence,
    seed: [u8; 32],
    done: &Arc<AtomicU64>,
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let mut seeds = seeded(seed);
    let mut audit = Sequential::new(&target.claim, confidence.float())
        .map_err(|error| Failure::argument("--confidence", error))?
        .scales(&target.scales);
    let wanted = target.wanted(settings);
    let is_command = matches!(target.origin, Origin::Commands { .. } | Origin::Search { .. });
    let (mut all_a, mut all_b) = (Tally::default(), Tally::default());
    let mut drawn = 0;
    while drawn < wanted && !audit.is_refuted() {
        let batch = BATCH.max(drawn / 2).min(wanted - drawn);
        let (a, b) = target.draw(batch, settings, fresh_seed(&mut seeds)?, done)?;
        if is_command {
            // A command that prints the same again would be bet on with knowledge of what comes.
            let repeated = |error| Failure::Environment(format!("{}: {error}", target.name));
            all_a = all_a.merge(&a).map_err(repeated)?;
            all_b = all_b.merge(&b).map_err(repeated)?;
            all_a.check_apart(&all_b).map_err(repeated)?;
        }
        let (a, b) = (shuffled(&a, &mut seeds)?, shuffled(&b, &mut seeds)?);
        audit.batch(&a, &b);
        drawn += batch;
    }
    let refuted = audit.is_refuted();
    let lower = audit.delta_lower();
    Ok(Outcome {
        verdict: if refuted { Verdict::Violation } else { Verdict::Inconclusive },
        delta_lower: lower,
        delta_estimate: lower,
        delta_upper: None,
        epsilon_lower: if refuted { target.claim.epsilon_above() } else { 0.0 },
        min_detectable_delta: None,
        samples: (drawn, drawn),
        event: audit.event().cloned(),
        counts: None,
        recordings: [all_a.digests(), all_b.digests()].concat(),
        delta_exact: target.own().and_then(|own| own.delta(&NonNegative::new(target.claim.epsilon().clone()).ok()?)),
        curve: Vec::new(),
        losses: serde_json::Value::Null,
        mode: "sequential",
        seconds: thousandths(started.elapsed()),
    })
}

/// The outputs of a tally in random order: as if they had been drawn so, since independent samples may be permuted.
fn shuffled(tally: &Tally, bits: &mut impl Bits) -> Result<Vec<Output>, BitsError> {
    let mut outputs: Vec<Output> = Vec::new();
    for (output, count) in tally.iter() {
        outputs.extend((0..count).map(|_| output.clone()));
    }
    // Fisher and Yates.
    for last in (1..outputs.len()).rev() {
        let other = below(last as u64 + 1, bits)?;
        outputs.swap(last, other);
    }
    Ok(outputs)
}

/// Uniform below n: as many bits as n has, again until they are below it.
fn below(n: u64, bits: &mut impl Bits) -> Result<usize, BitsError> {
    loop {
        let drawn = bits.take(u64::BITS - n.leading_zeros())?;
        if drawn < n {
            return Ok(usize::try_from(drawn).unwrap_or(0));
        }
    }
}
