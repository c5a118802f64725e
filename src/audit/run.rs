//! An audit: two tallies and a claim in, a verdict out.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::Claim;
use super::events::{Candidate, Event, Goal, Search};
use super::outputs::{MergeError, Part, Table, Tally};
use super::report::{Finding, Report, Verdict};
use super::statistics::normal::score_at_most;
use super::statistics::plug_in::EmpiricalLoss;
use super::statistics::region::{Pair, Region};
use super::statistics::{exp_bounds, real};
use crate::bits::{BitsError, SystemBits, seeded};

/// The share of α that the lower bounds have; the upper bound has the rest.
const LOWER_SHARE: f64 = 0.8;

/// A second event is evaluated if it promises an ε that is larger by this factor, in spite of its share of α.
const WORTH_A_SECOND: f64 = 1.05;

/// The share of a second event in the α of the lower bounds.
const SECOND_SHARE: f64 = 0.25;

/// Fewer samples a side than this can say nothing.
pub const LEAST_SAMPLES: u64 = 20;

/// Why there is no audit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The confidence is out of range.
    #[error("confidence must be between 0 and 1 (0 < confidence < 1), and at most 1 - 1e-12")]
    Confidence,
    /// A side has hardly any samples.
    #[error("an audit needs at least {LEAST_SAMPLES} samples a side")]
    Samples,
    /// The sides share samples.
    #[error(transparent)]
    Sides(#[from] MergeError),
    /// The source of the split failed.
    #[error(transparent)]
    Bits(#[from] BitsError),
}

/// An audit of a claim, ready to run on samples.
///
/// # What holds
///
/// Let the claim be true for the two distributions that were sampled. Then the verdict is `violation` with probability at most
/// 1 − confidence =: α, over samples and coins, whatever the families, scores and thresholds that were tried:
///
/// * the coins of the split are drawn afresh by every run, independently of the samples, so the evaluation part is an independent sample
///   given the selection part (under [`Audit::seed`] that is the caller's word; see [`crate::audit`] for every coin of an audit);
/// * direction, family, event and the shape of the region are functions of the selection part;
/// * on the evaluation part k events (one or two, as the selection part decided) are counted, each for a region at its share of 0.8·α (one: all of
///   it; two: ¾ and ¼); all lower bounds follow from the regions, at every ε and δ at once;
/// * the upper bound has α/5 (over all samples, which a union bound allows).
///
/// So δ_lower, ε_lower and δ_upper hold together at the confidence. That is a statement on one run: whoever runs again on the same samples until
/// an alarm comes has tried as many coins, each of them at α.
///
/// ```
/// use certus::audit::{Audit, Claim, Verdict, outputs::Recording};
/// use certus::exact::parse;
///
/// // Two inputs, and a mechanism that adds no noise at all.
/// let side = |value: i64, name: &str| {
///     let mut recording = Recording::new();
///     (0..1000).for_each(|_| recording.integer(value));
///     recording.finish(name)
/// };
/// let claim = Claim::new(parse("1")?, parse("0")?)?;
/// let report = Audit::new(claim, 0.999)?.run(&side(7, "a"), &side(8, "b"))?;
/// assert_eq!(report.verdict, Verdict::Violation);
/// assert!(report.delta_lower > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Audit {
    claim: Claim,
    confidence: f64,
    /// The coins of the split; without, the operating system's.
    seed: Option<[u8; 32]>,
    scales: Vec<f64>,
    given: Vec<Event>,
    resolution: f64,
}

impl Audit {
    /// An audit of this claim at this confidence.
    ///
    /// # Errors
    ///
    /// If the confidence is not in (0, 1 − 10^-12].
    pub fn new(claim: Claim, confidence: f64) -> Result<Self, AuditError> {
        // NaN is refused too.
        if !(confidence > 0.0 && confidence <= 1.0 - 1e-12) {
            return Err(AuditError::Confidence);
        }
        Ok(Self { claim, confidence, seed: None, scales: Vec::new(), given: Vec::new(), resolution: 0.1 })
    }

    /// Splits by the coins of this seed, so that the audit can be reproduced; without it, every run draws fresh ones from the operating system.
    ///
    /// **The level then assumes that the seed is independent of the samples and of the mechanism**, as one that is drawn anew for this audit is. A fixed
    /// one is not: given the coins, the two parts are functions of the counts, and there are true claims (three outputs are enough) that a given seed
    /// calls false in every other run at confidence 0.95. The [`Report`] says that it was seeded.
    #[must_use]
    pub fn seed(mut self, seed: [u8; 32]) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Numbers that float outputs may be multiples of, such as the scale of the noise.
    #[must_use]
    pub fn scales(mut self, scales: &[f64]) -> Self {
        self.scales = scales.to_vec();
        self
    }

    /// Events that were named before the samples were seen, such as the exact likelihood ratio's: they compete with the families'.
    #[must_use]
    pub fn events(mut self, events: &[Event]) -> Self {
        self.given = events.to_vec();
        self
    }

    /// What counts as having looked hard enough: `consistent` needs that an excess over the claimed δ of this size would have been seen (0.1).
    #[must_use]
    pub fn resolution(mut self, resolution: f64) -> Self {
        self.resolution = resolution;
        self
    }

    /// Runs the audit on the samples of two neighbouring inputs.
    ///
    /// # Errors
    ///
    /// If a side has too few samples, or both share some, or the operating system gives no randomness.
    pub fn run(&self, a: &Tally, b: &Tally) -> Result<Report, AuditError> {
        if a.samples().min(b.samples()) < LEAST_SAMPLES {
            return Err(AuditError::Samples);
        }
        a.check_apart(b)?;
        let table = match self.seed {
            Some(seed) => Table::split(a, b, &mut seeded(seed))?,
            None => Table::split(a, b, &mut SystemBits::new()?)?,
        };
        let alpha = 1.0 - self.confidence;
        let candidates = self.select(&table, alpha * LOWER_SHARE);
        let findings = self.evaluate(&table, candidates, alpha * LOWER_SHARE);
        Ok(self.report(&table, findings, alpha))
    }

    /// One or two events, from the selection part alone.
    fn select(&self, table: &Table<'_>, alpha: f64) -> Vec<Candidate> {
        let (train, validate) = (table.counts(Part::Train), table.counts(Part::Validate));
        let kept = table.counts(Part::Evaluate).samples();
        let search = Search::new(table.outputs(), train, validate, kept, &self.given, &self.scales);
        let (_, c) = exp_bounds(self.claim.epsilon_above());
        let epsilon_goal = Goal::Epsilon { delta: self.claim.delta_above() };
        let for_delta = search.best(Goal::Delta { c, delta: self.claim.delta_above() }, alpha);
        let for_epsilon = search.best(epsilon_goal, alpha * SECOND_SHARE);
        match (for_delta, for_epsilon) {
            (Some(first), Some(second)) => {
                let alone = super::events::Prospect { goal: epsilon_goal, ..first.prospect }.promise(first.seen);
                let again = second.prospect.promise(second.seen);
                // With both at their shares of α, or the first alone at all of it.
                if second.event != first.event && again > 0.0 && again > alone * WORTH_A_SECOND {
                    vec![first, second]
                } else {
                    vec![first]
                }
            }
            (first, second) => first.or(second).into_iter().collect(),
        }
    }

    /// Counts the chosen events on the evaluation part. This is the only place that looks at it.
    fn evaluate(&self, table: &Table<'_>, candidates: Vec<Candidate>, alpha: f64) -> Vec<Finding> {
        // One event has all of α; of two, the second has its share, and the first the rest.
        let shares: &[f64] = if candidates.len() > 1 { &[1.0 - SECOND_SHARE, SECOND_SHARE] } else { &[1.0] };
        let counts = table.counts(Part::Evaluate);
        let (n_a, n_b) = counts.samples();
        let finding = |(candidate, share): (Candidate, &f64)| {
            let share = alpha * share;
            let Candidate { event, direction, seen, prospect, .. } = candidate;
            let shape = super::events::Prospect { alpha: share, ..prospect }.shape(seen);
            let (in_a, in_b) = counts.inside(&event.select(table.outputs()));
            let ((x, n), (y, m)) = direction.orient((in_a, n_a), (in_b, n_b));
            let pair = Pair { x, n, y, m };
            Finding { event, direction, pair, alpha: share, shape, region: Region::new(pair, share, shape) }
        };
        candidates.into_iter().zip(shares).map(finding).collect()
    }

    fn report(&self, table: &Table<'_>, mut findings: Vec<Finding>, alpha: f64) -> Report {
        let (epsilon, delta) = (self.claim.epsilon_above(), self.claim.delta_above());
        let (_, c) = exp_bounds(epsilon);
        // The strongest finding first: the one that refutes the claim by most.
        let mut bounds: Vec<(f64, Finding)> =
            findings.drain(..).map(|mut finding| (finding.region.delta_lower(c), finding)).collect();
        bounds.sort_by(|one, two| two.0.total_cmp(&one.0));
        let delta_lower = bounds.first().map_or(0.0, |(bound, _)| bound.clamp(0.0, 1.0));
        findings.extend(bounds.into_iter().map(|(_, finding)| finding));
        let epsilon_lower = findings.iter_mut().map(|finding| finding.region.epsilon_lower(delta)).fold(0.0, f64::max);
        let excess = findings.iter().map(|finding| finding.pair.excess(c)).fold(0.0, f64::max);

        let all = table.counts(Part::Train).plus(table.counts(Part::Validate)).plus(table.counts(Part::Evaluate));
        let loss = EmpiricalLoss::new(&all.a, &all.b);
        let (forward, backward) = (
            loss.delta_upper(epsilon, alpha * (1.0 - LOWER_SHARE)),
            loss.reversed().delta_upper(epsilon, alpha * (1.0 - LOWER_SHARE)),
        );
        let delta_upper = Some(forward.max(backward)).filter(|bound| *bound < 1.0);
        let share = findings.first().map_or(alpha, |finding| finding.alpha);
        let (n_a, n_b) = table.counts(Part::Evaluate).samples();
        let min_detectable_delta =
            smallest_seen((n_a, n_b), c, delta, share).max(smallest_seen((n_b, n_a), c, delta, share));
        let verdict = if delta_lower > delta {
            Verdict::Violation
        } else if min_detectable_delta - delta <= self.resolution {
            Verdict::Consistent
        } else {
            Verdict::Inconclusive
        };
        let (samples_a, samples_b) = all.samples();
        Report {
            verdict,
            claim: self.claim.clone(),
            delta_lower,
            delta_estimate: excess.max(0.0),
            delta_upper,
            epsilon_lower,
            min_detectable_delta,
            confidence: self.confidence,
            is_seeded: self.seed.is_some(),
            samples_a,
            samples_b,
            findings,
            loss,
            upper_alpha: alpha * (1.0 - LOWER_SHARE),
        }
    }
}

/// The smallest δ that an event would need to be called a violation of (ε, `delta`) every other time, if it was chosen: the worst case over
/// Q(S), by the normal approximation. It is a description of the run, on which no verdict of a violation rests.
fn smallest_seen(kept: (u64, u64), c: f64, delta: f64, alpha: f64) -> f64 {
    let z = score_at_most(alpha);
    let (n, m) = (real(kept.0.max(1)), real(kept.1.max(1)));
    let mut worst = 0.0_f64;
    for place in 0..=GRID {
        let q = f64::from(place) / f64::from(GRID) / c;
        // The least δ with δ − delta ≥ z·σ at P(S) = δ + c·q, from above.
        let mut least = 1.0_f64;
        for _ in 0..30 {
            let p = (least + c * q).min(1.0);
            least = (delta + z * (p * (1.0 - p) / n + c * c * q * (1.0 - q) / m).sqrt() + z / n).min(1.0);
        }
        worst = worst.max(least);
    }
    worst
}

/// Values of Q(S) that are looked at.
const GRID: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::outputs::Recording;
    use crate::bits::Bits;
    use crate::exact::parse;

    /// Event, direction, shape and α are functions of the selection part: with the sides of the evaluation part exchanged they are the same, and
    /// only the counts are exchanged. Scalars, words, vectors, and near ties.
    #[test]
    fn what_is_evaluated_is_fixed_before_it_is_looked_at() {
        for run in 0..24_u8 {
            let mut bits = seeded([run; 32]);
            let mut side = |name: &str, bias: u64| {
                let mut recording = Recording::new();
                for _ in 0..3000 {
                    let (one, two) = (bits.take(4).unwrap(), bits.take(8).unwrap());
                    // On every other run both sides are alike, so that chance decides, and would decide otherwise on other samples.
                    let bias = if run % 2 == 0 { bias } else { 0 };
                    let line = match run % 3 {
                        0 => format!("{}", one + two % (2 + bias)),
                        1 => format!("{},{}", one, two % (5 + bias)),
                        _ => format!("w{}", one * (two % (2 + bias))),
                    };
                    recording.line(line.as_bytes()).unwrap();
                }
                recording.finish(name)
            };
            let (a, b) = (side("a", 0), side("b", 1));
            let audit = Audit::new(Claim::new(parse("0.1").unwrap(), parse("0").unwrap()).unwrap(), 0.95).unwrap();
            let table = Table::split(&a, &b, &mut seeded([0; 32])).unwrap();
            let findings = |table: &Table<'_>| audit.evaluate(table, audit.select(table, 0.04), 0.04);
            let (before, after) = (findings(&table), findings(&table.clone().with_evaluation_exchanged()));
            assert!(!before.is_empty() && before.len() == after.len());
            for (one, two) in before.iter().zip(&after) {
                assert_eq!((&one.event, one.direction, one.shape), (&two.event, two.direction, two.shape), "run {run}");
                assert_eq!(one.alpha, two.alpha);
                assert_eq!((one.pair.x, one.pair.y), (two.pair.y, two.pair.x), "run {run}");
            }
        }
    }
}
