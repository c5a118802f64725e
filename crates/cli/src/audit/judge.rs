//! One target under audit: its samples drawn, its claim tested.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Instant,
};

use super::{
    notes::notes,
    outcome::Outcome,
    search,
    settings::{Confidence, Settings},
    target::{Origin, Target},
    thousandths,
};
use crate::Failure;
use certus::{
    bits::{BitsError, seeded},
    exact::NonNegative,
};
use certus_audit::{
    Audit, AuditError, Sequential, Verdict, fresh_seed,
    outputs::{Tally, Trace},
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
    let streams = Streams::of(seed)?;
    let pilot = search::settle(target, settings, streams.pilot, done)?;
    if settings.sequential {
        return batches(target, settings, confidence, &streams, &pilot, done);
    }
    let (a, b) = target.draw(target.wanted(settings), settings, streams.samples, done)?;
    check_pilot(target, &pilot, &[&a, &b])?;
    // Fresh coins, unless the run is to be repeated.
    let coins = settings.is_seeded.then_some(streams.coins);
    let outcome = examine(target, confidence, coins, (&a, &b))?;
    Ok(Outcome { seconds: thousandths(started.elapsed()), ..outcome })
}

/// Tests the claim on the samples of both sides, split by these coins or by fresh ones.
pub(super) fn examine(
    target: &Target,
    confidence: &Confidence,
    coins: Option<[u8; 32]>,
    (a, b): (&Tally, &Tally),
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let epsilon = NonNegative::new(target.claim.epsilon().clone()).ok();
    let events = epsilon.zip(target.own()).map(|(epsilon, own)| own.events(&epsilon)).unwrap_or_default();
    let audit = Audit::new(target.claim.clone(), confidence.float())
        .map_err(|error| Failure::argument("--confidence", error))?;
    let audit = audit.scales(&target.scales).events(&events);
    let audit = coins.into_iter().fold(audit, Audit::seed);
    let report = audit.run(a, b).map_err(|error| refused(target, &error))?;
    let recordings = [a.digests(), b.digests()].concat();
    let trace = trace(target, a, b);
    let notes = notes(&target.origin, a, b);
    Ok(Outcome {
        recordings,
        trace,
        notes,
        ..Outcome::of_report(&report, target.own(), thousandths(started.elapsed()))
    })
}

/// The samples that chose a pair of inputs are not those that it is audited on.
fn check_pilot(target: &Target, pilot: &Tally, audited: &[&Tally]) -> Result<(), Failure> {
    let apart = audited.iter().try_for_each(|tally| pilot.check_apart(tally));
    apart.map_err(|error| Failure::Environment(format!("{}: {error}", target.name)))
}

/// By what a replay knows parts of these samples again. What is drawn in this process is drawn from a seed of
/// its own.
fn trace(target: &Target, a: &Tally, b: &Tally) -> Trace {
    match target.origin {
        Origin::Mechanism { .. } | Origin::Zoo(_) => Trace::default(),
        _ => a.trace().joined(&b.trace()),
    }
}

/// The seeds of a target's audit, each of a stream that nothing else draws from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streams {
    /// The samples that choose a pair of inputs, and their splits.
    pub(super) pilot: [u8; 32],
    /// The samples that are audited.
    pub(super) samples: [u8; 32],
    /// What parts them, or orders them.
    pub(super) coins: [u8; 32],
}

impl Streams {
    pub(super) fn of(seed: [u8; 32]) -> Result<Self, BitsError> {
        let mut seeds = seeded(seed);
        let mut next = || fresh_seed(&mut seeds);
        Ok(Self { pilot: next()?, samples: next()?, coins: next()? })
    }
}

/// Samples that cannot be audited: whoever gave them made a mistake, or the command that printed them did.
fn refused(target: &Target, error: &AuditError) -> Failure {
    if let AuditError::Bits(error) = error {
        return (*error).into();
    }
    match &target.origin {
        Origin::Function { .. } => Failure::Usage(format!("{}: {error}", target.name)),
        Origin::Samples { arguments, .. } | Origin::Tallies { arguments, .. } => {
            Failure::argument(&arguments.1, format_args!("{error}"))
        }
        Origin::Commands { arguments, .. } => Failure::Environment(format!("{}: {error}", arguments.1)),
        _ => Failure::Environment(format!("{}: {error}", target.name)),
    }
}

/// Batch after batch, until the claim falls or the samples are used up.
fn batches(
    target: &Target,
    settings: &Settings,
    confidence: &Confidence,
    streams: &Streams,
    pilot: &Tally,
    done: &Arc<AtomicU64>,
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let (mut seeds, mut coins) = (seeded(streams.samples), seeded(streams.coins));
    let mut audit = Sequential::new(&target.claim, confidence.float())
        .map_err(|error| Failure::argument("--confidence", error))?
        .scales(&target.scales);
    let wanted = target.wanted(settings);
    let is_command = matches!(target.origin, Origin::Commands { .. } | Origin::Search { .. });
    let (mut all_a, mut all_b) = (Tally::default(), Tally::default());
    #[cfg(unix)]
    let kept = target.kept(settings, done)?;
    let drawn = audit.run(wanted, &mut coins, |batch| {
        let seed = fresh_seed(&mut seeds)?;
        #[cfg(unix)]
        let (a, b) = match &kept {
            Some(kept) => kept.draw(batch)?,
            None => target.draw(batch, settings, seed, done)?,
        };
        #[cfg(not(unix))]
        let (a, b) = target.draw(batch, settings, seed, done)?;
        if is_command {
            // A command that prints the same again would be bet on with knowledge of what comes.
            let repeated = |error| Failure::Environment(format!("{}: {error}", target.name));
            all_a = std::mem::take(&mut all_a).merge(&a).map_err(repeated)?;
            all_b = std::mem::take(&mut all_b).merge(&b).map_err(repeated)?;
            all_a.check_apart(&all_b).map_err(repeated)?;
            check_pilot(target, pilot, &[&all_a, &all_b])?;
        }
        Ok::<_, Failure>((a, b))
    })?;
    let lower = audit.lower();
    Ok(Outcome {
        verdict: if lower.is_refuted { Verdict::Violation } else { Verdict::Inconclusive },
        delta_lower: lower.delta,
        // The events change from batch to batch, and so does the excess of each: there is a bound, and no
        // estimate.
        delta_estimate: None,
        delta_upper: None,
        epsilon_lower: lower.epsilon,
        min_detectable_delta: None,
        searched: audit.searched().to_vec(),
        samples: (drawn, drawn),
        event: audit.event().filter(|_| lower.is_refuted).cloned(),
        counts: None,
        event_lower: None,
        also: None,
        recordings: [all_a.digests(), all_b.digests()].concat(),
        trace: trace(target, &all_a, &all_b),
        notes: notes(&target.origin, &all_a, &all_b),
        delta_exact: target.own().and_then(|own| own.delta(&NonNegative::new(target.claim.epsilon().clone()).ok()?)),
        curve: Vec::new(),
        losses: serde_json::Value::Null,
        mode: "sequential",
        is_seeded: settings.is_seeded,
        seconds: thousandths(started.elapsed()),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{arguments::Sampler, audit::target::SpecArguments};
    use certus::exact::parse;
    use certus_audit::{Claim, statistics::region::EventCounts};

    fn settings(sequential: bool, is_seeded: bool) -> Settings {
        let confidence = Confidence::parse("--confidence", "0.95").unwrap();
        let timeout = Duration::from_secs(9);
        Settings { samples: Some(2000), confidence, timeout, shards: 1, sequential, is_seeded, quiet: true }
    }

    fn target() -> Target {
        let claim = Claim::new(parse("0.2").unwrap(), parse("0").unwrap()).unwrap();
        Target::of_spec(SpecArguments::OF_COMMAND, "laplace(scale=1)", Some(claim), None, Sampler::Auto).unwrap()
    }

    fn judged(settings: &Settings) -> Outcome {
        judge(&mut target(), settings, &settings.confidence, [9; 32], &Arc::default()).unwrap()
    }

    /// The seeds of a target, by the chain that is documented: one for the pilot, one for the samples, one
    /// for the coins.
    fn chain() -> [[u8; 32]; 3] {
        let mut seeds = seeded([9; 32]);
        [(); 3].map(|()| fresh_seed(&mut seeds).unwrap())
    }

    /// A seeded audit is one of samples from the second stream by coins from the third. With the samples' own
    /// seed for coins it would be another: this test sees it.
    #[test]
    fn the_coins_of_the_split_are_not_those_of_the_samples() {
        let (settings, [pilot, samples, coins]) = (settings(false, true), chain());
        let found = judged(&settings).counts.unwrap();
        let by = |coins| -> EventCounts {
            let target = target();
            let (a, b) = target.draw(2000, &settings, samples, &Arc::default()).unwrap();
            let events = target.own().unwrap().events(&NonNegative::new(parse("0.2").unwrap()).unwrap());
            let audit = Audit::new(target.claim, settings.confidence.float()).unwrap().events(&events).seed(coins);
            audit.run(&a, &b).unwrap().findings.first().unwrap().pair
        };
        assert_eq!(found, by(coins));
        assert!([pilot, samples].into_iter().all(|shared| found != by(shared)));
    }

    /// The order of a batch is drawn from the third stream, and its samples from the second.
    #[test]
    fn the_order_of_a_batch_is_not_drawn_from_the_bits_of_its_samples() {
        let (settings, [_, samples, coins]) = (settings(true, true), chain());
        let by = |coins: [u8; 32]| {
            let target = target();
            let (mut seeds, mut coins) = (seeded(samples), seeded(coins));
            let mut audit = Sequential::new(&target.claim, settings.confidence.float()).unwrap();
            let draw = |batch| target.draw(batch, &settings, fresh_seed(&mut seeds)?, &Arc::default());
            assert!(audit.run(2000, &mut coins, draw).is_ok());
            audit.delta_lower()
        };
        let found = judged(&settings).delta_lower;
        assert!(found > 0.0 && found == by(coins) && found != by(samples), "{found}");
    }

    /// Without `--seed` the same samples are split otherwise in every run, although all else is the same: the
    /// coins are not the chain's. That twelve runs agree by chance has probability below 10^-12.
    #[test]
    fn without_a_seed_the_coins_are_fresh() {
        let counts = |is_seeded| -> Vec<EventCounts> {
            (0..12).map(|_| judged(&settings(false, is_seeded)).counts.unwrap()).collect()
        };
        assert!(counts(false).windows(2).any(|two| two.first() != two.last()));
        assert!(counts(true).windows(2).all(|two| two.first() == two.last()));
    }
}
