//! An audit: two tallies and a claim in, a verdict out.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::Claim;
use super::bounds::LowerBounds;
use super::events::{Candidate, Event, Goal, Search};
use super::outputs::{MergeError, Part, Table, Tally};
use super::report::{Finding, Report, Verdict, estimate, ordered_upper};
use super::statistics::exp_bounds;
use super::statistics::plug_in::EmpiricalLoss;
use super::statistics::power::Test;
use super::statistics::region::{EventCounts, Region};
use certus::bits::{BitsError, SystemBits, seeded};

/// The share of α that the lower bounds have.
const LOWER_SHARE: f64 = 0.8;

/// The share of α that the upper bound at the claimed ε has.
const UPPER_SHARE: f64 = 0.1;

/// The share of α that the upper band of the whole curve has.
const BAND_SHARE: f64 = 0.1;

/// A second event is evaluated if it promises an ε that is larger by this factor, in spite of its share of α.
const WORTH_A_SECOND: f64 = 1.05;

/// The share of a second event in the α of the lower bounds.
const SECOND_SHARE: f64 = 0.25;

/// The share of an event that is read at a glance, where the best is not, and both promise a violation.
const PLAIN_SHARE: f64 = 0.125;

/// The share of a common event, where none promises a violation.
const COMMON_SHARE: f64 = 0.5;

/// Fewer samples a side than this can say nothing.
pub const LEAST_SAMPLES: u64 = 20;

/// More samples a side than this are refused: the error of a binomial tail is stated up to here
/// ([`super::statistics::tail::SLACK`]).
pub const MOST_SAMPLES: u64 = 1_000_000_000;

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
    /// A side has more samples than the bounds are computed for.
    #[error("an audit takes at most {MOST_SAMPLES} samples a side")]
    TooManySamples,
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
/// Let the claim be true for the two distributions that were sampled. Then the verdict is `violation` with
/// probability at most 1 − confidence =: α, over samples and coins, whatever the families, scores and
/// thresholds that were tried:
///
/// * the coins of the split are drawn afresh by every run, independently of the samples, so the evaluation
///   part is an independent sample given the selection part (under [`Audit::seed`] that is the caller's word;
///   see [`crate`] for every coin of an audit);
/// * direction, family, event and the shape of the region are functions of the selection part;
/// * on the evaluation part one to three events, as the selection part decided, are counted, each for a region
///   at its share of 0.8·α: one that promises a larger ε has ¼, one that is read at a glance ⅛ (where a
///   violation is promised), one that is common ½ (where none is), and the one that is chosen for the claimed ε
///   the rest; all lower bounds follow from the regions, at every ε and δ at
///   once;
/// * the upper bound at the claimed ε has α/10, and so has the upper band of the curve (over all samples,
///   which a union bound allows).
///
/// So δ_lower, ε_lower, δ_upper and the curve hold together at the confidence. That is a statement on one
/// run: whoever runs again on the same samples until an alarm comes has tried as many coins, each of them at
/// α.
///
/// ```
/// use certus_audit::{Audit, Claim, Verdict, outputs::Recording};
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
    resolution: Option<f64>,
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
        Ok(Self { claim, confidence, seed: None, scales: Vec::new(), given: Vec::new(), resolution: None })
    }

    /// Splits by the coins of this seed, so that the audit can be reproduced; without it, every run draws
    /// fresh ones from the operating system.
    ///
    /// **The level then assumes that the seed is independent of the samples and of the mechanism**, as one
    /// that is drawn anew for this audit is. A fixed one is not: given the coins, the two parts are functions
    /// of the counts, and there are true claims (three outputs are enough) that a given seed calls false in
    /// every other run at confidence 0.95. The [`Report`] says that it was seeded.
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

    /// Events that were named before the samples were seen, such as the exact likelihood ratio's: they
    /// compete with the families'.
    #[must_use]
    pub fn events(mut self, events: &[Event]) -> Self {
        self.given = events.to_vec();
        self
    }

    /// What counts as having looked hard enough: `consistent` needs that an excess over the claimed δ of this
    /// size, in the event that was tested, would have been seen at least every other time. Where the outputs
    /// that choose an event are all alike, none is tested: there it needs that the upper bound on δ is at most
    /// that much above the claimed δ.
    ///
    /// By default δ of 0.05, or of ten times the claimed one, would have been seen, and never an excess of more
    /// than 0.1 missed.
    #[must_use]
    pub fn resolution(mut self, resolution: f64) -> Self {
        self.resolution = Some(resolution);
        self
    }

    /// Runs the audit on the samples of two neighbouring inputs.
    ///
    /// # Errors
    ///
    /// If a side has too few samples, or too many, or both share some, or the operating system gives no
    /// randomness.
    pub fn run(&self, a: &Tally, b: &Tally) -> Result<Report, AuditError> {
        if a.samples().min(b.samples()) < LEAST_SAMPLES {
            return Err(AuditError::Samples);
        }
        if a.samples().max(b.samples()) > MOST_SAMPLES {
            return Err(AuditError::TooManySamples);
        }
        a.check_apart(b)?;
        let table = match self.seed {
            Some(seed) => Table::split(a, b, &mut seeded(seed))?,
            None => Table::split(a, b, &mut SystemBits::new()?)?,
        };
        let alpha = 1.0 - self.confidence;
        let (candidates, searched) = self.select(&table, alpha * LOWER_SHARE);
        let findings = self.evaluate(&table, candidates, alpha * LOWER_SHARE);
        Ok(self.report(&table, findings, searched, alpha))
    }

    /// The events to evaluate, each with its share of α, from the selection part alone, the one for the claimed
    /// ε first; and the kinds that were searched.
    fn select(&self, table: &Table<'_>, alpha: f64) -> (Vec<(Candidate, f64)>, Vec<&'static str>) {
        let (train, validate) = (table.counts(Part::Train), table.counts(Part::Validate));
        let kept = table.counts(Part::Evaluate).samples();
        let search = Search::new(table.outputs(), train, validate, kept, &self.given, &self.scales);
        let (_, c) = exp_bounds(self.claim.epsilon_above());
        let claimed = self.claim.delta_above();
        let (delta_goal, epsilon_goal) = (Goal::Delta { c, delta: claimed }, Goal::Epsilon { delta: claimed });
        let for_epsilon = search.best(epsilon_goal, alpha * SECOND_SHARE);
        let Some(first) = search.best(delta_goal, alpha) else {
            return (for_epsilon.into_iter().map(|only| (only, 1.0)).collect(), search.kinds());
        };
        let mut chosen = Vec::new();
        if let Some(second) = for_epsilon {
            let alone = super::events::Prospect { goal: epsilon_goal, ..first.prospect }.promise(first.seen);
            let again = second.prospect.promise(second.seen);
            // With both at their shares of α, or the first alone at all of it.
            if second.event != first.event && again > 0.0 && again > alone * WORTH_A_SECOND {
                chosen.push((second, SECOND_SHARE));
            }
        }
        // One that people can explain, where the claim will fall by either of them.
        if !first.event.is_plain() && first.promise > claimed {
            let plain = search.best_plain(delta_goal, alpha * PLAIN_SHARE).filter(|plain| plain.promise > claimed);
            chosen.extend(plain.map(|plain| (plain, PLAIN_SHARE)));
        }
        // Nothing promises a violation: the best by its errors may be a rare event that was lucky.
        if first.promise <= claimed {
            let common = search.most_common(c, claimed, alpha * COMMON_SHARE);
            chosen.extend(common.filter(|one| one.event != first.event).map(|one| (one, COMMON_SHARE)));
        }
        let rest = chosen.iter().fold(1.0, |rest, (_, share)| rest - share);
        chosen.insert(0, (first, rest));
        (chosen, search.kinds())
    }

    /// Counts the chosen events on the evaluation part. This is the only place that looks at it.
    fn evaluate(&self, table: &Table<'_>, candidates: Vec<(Candidate, f64)>, alpha: f64) -> Vec<Finding> {
        let counts = table.counts(Part::Evaluate);
        let (n_a, n_b) = counts.samples();
        let finding = |(candidate, share): (Candidate, f64)| {
            let share = alpha * share;
            let Candidate { event, direction, seen, prospect, .. } = candidate;
            let shape = super::events::Prospect { alpha: share, ..prospect }.shape(seen);
            let (in_a, in_b) = counts.inside(&event.select(table.outputs()));
            let ((x, n), (y, m)) = direction.orient((in_a, n_a), (in_b, n_b));
            let pair = EventCounts { x, n, y, m };
            Finding { event, direction, pair, alpha: share, shape, region: Region::new(pair, share, shape) }
        };
        candidates.into_iter().map(finding).collect()
    }

    fn report(&self, table: &Table<'_>, findings: Vec<Finding>, searched: Vec<&'static str>, alpha: f64) -> Report {
        let (epsilon, delta) = (self.claim.epsilon_above(), self.claim.delta_above());
        let (_, c) = exp_bounds(epsilon);
        // The event that was chosen for the claimed ε: what its test would have seen was fixed with it.
        let test = findings.first().map(|finding| Test {
            n: finding.pair.n,
            m: finding.pair.m,
            alpha: finding.alpha,
            shape: finding.shape,
            c,
            delta,
        });
        let min_detectable_delta = test.and_then(|test| test.smallest_seen());
        let mut bounds: Vec<(f64, Finding)> =
            findings.into_iter().map(|finding| (finding.region.delta_lower(c), finding)).collect();
        if bounds.iter().any(|(bound, _)| *bound > delta) {
            // The one that refutes the claim by most; before it, one that refutes it and is read at a glance.
            bounds.sort_by(|one, two| {
                let is_told = |(bound, finding): &(f64, Finding)| *bound > delta && finding.event.is_plain();
                is_told(two).cmp(&is_told(one)).then(two.0.total_cmp(&one.0))
            });
        }
        let delta_lower = bounds.iter().map(|(bound, _)| *bound).fold(0.0, f64::max);
        let findings: Vec<Finding> = bounds.into_iter().map(|(_, finding)| finding).collect();
        let epsilon_lower = findings.iter().map(|finding| finding.region.epsilon_lower(delta)).fold(0.0, f64::max);
        let lower = LowerBounds::new(&self.claim, delta_lower, epsilon_lower);
        let delta_estimate = estimate(&findings, epsilon);

        let all = table.counts(Part::Train).plus(table.counts(Part::Validate)).plus(table.counts(Part::Evaluate));
        let loss = EmpiricalLoss::new(&all.a, &all.b);
        let upper_alpha = alpha * UPPER_SHARE;
        let upper = loss.delta_upper(epsilon, upper_alpha).max(loss.reversed().delta_upper(epsilon, upper_alpha));
        let upper = ordered_upper(upper, lower.delta, delta_estimate);
        // Where no event tells the outputs of the selection part apart, nothing is tested, and only the upper
        // bound says how large a violation may be.
        let unseen = if findings.is_empty() { Some(upper) } else { min_detectable_delta };
        let resolution = self.resolution.unwrap_or_else(|| (0.05_f64.max(10.0 * delta) - delta).min(0.1));
        let verdict = if lower.is_refuted {
            Verdict::Violation
        } else if unseen.is_some_and(|unseen| unseen < 1.0 && unseen - delta <= resolution) {
            Verdict::Consistent
        } else {
            Verdict::Inconclusive
        };
        let (samples_a, samples_b) = all.samples();
        Report {
            verdict,
            claim: self.claim.clone(),
            delta_lower: lower.delta,
            delta_estimate,
            delta_upper: Some(upper).filter(|bound| *bound < 1.0),
            epsilon_lower: lower.epsilon,
            min_detectable_delta,
            searched,
            confidence: self.confidence,
            is_seeded: self.seed.is_some(),
            samples_a,
            samples_b,
            findings,
            loss,
            band_alpha: alpha * BAND_SHARE,
        }
    }
}

#[cfg(test)]
mod tests;
