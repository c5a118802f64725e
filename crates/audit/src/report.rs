//! What an audit found.

use super::Claim;
use super::bounds::{below, decimal_above, decimal_below};
use super::events::{Event, Goal, Orientation, Prospect};
use super::outputs::Tally;
use super::statistics::exp_bounds;
use super::statistics::normal::score_at_most;
use super::statistics::plug_in::EmpiricalLoss;
use super::statistics::region::{EventCounts, Region, Shape};

/// The most that P(S) is taken for where nothing is known of it: between ½, which gives P's count too much
/// weight where P(S) is near 1, and 1, which gives it none.
const MOST_EXPECTED: f64 = 0.9;

/// What the evidence says of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The claim is refuted, at the confidence.
    Violation,
    /// It is not, and a violation of the audit's resolution would have been seen at least every other time in
    /// the event that was tested.
    Consistent,
    /// It is not, and the samples are too few to say more: that violation, or any at all, would have been
    /// missed.
    Inconclusive,
}

/// An event that was counted on the evaluation part.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The event.
    pub event: Event,
    /// Which side is P.
    pub direction: Orientation,
    /// The counts, P's first.
    pub pair: EventCounts,
    /// The α of its region.
    pub alpha: f64,
    /// The shape of its region, which the selection part chose.
    pub shape: Shape,
    pub(super) region: Region,
}

impl Finding {
    /// The share of α, and the region, as statements: P(S) − e^ε·Q(S) is at least this.
    #[must_use]
    pub fn delta_lower(&self, epsilon: f64) -> f64 {
        self.region.delta_lower(exp_bounds(epsilon).1).clamp(0.0, 1.0)
    }

    /// The counts and bound of the same event on fresh samples, at its own α: the replay of a counterexample.
    ///
    /// `seen` are the counts that the event had when it was found. They choose the shape of the region, as
    /// the selection part did then: the bound holds whatever they are, as long as they are not the fresh
    /// samples' own.
    #[must_use]
    pub fn replay(
        event: &Event,
        direction: Orientation,
        (a, b): (&Tally, &Tally),
        alpha: f64,
        claim: &Claim,
        seen: Option<EventCounts>,
    ) -> (EventCounts, Region) {
        let inside = |tally: &Tally| {
            tally.iter().filter(|(output, _)| event.contains(output)).map(|(_, count)| count).sum::<u64>()
        };
        let ((x, n), (y, m)) = direction.orient((inside(a), a.samples()), (inside(b), b.samples()));
        let (_, c) = exp_bounds(claim.epsilon_above());
        let shape = match seen {
            Some(seen) => {
                let goal = Goal::Delta { c, delta: claim.delta_above() };
                Prospect { goal, n, m, alpha, z: score_at_most(alpha) }.shape(seen)
            }
            None => Shape::Tilted { slope: c, offset: claim.delta_above(), most: MOST_EXPECTED },
        };
        let pair = EventCounts { x, n, y, m };
        (pair, Region::new(pair, alpha, shape))
    }
}

/// The outcome of an audit. All bounds hold together at the confidence.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// What was claimed.
    pub claim: Claim,
    /// δ(ε) of the sampled pair is at least this.
    pub delta_lower: f64,
    /// The excess p̂ − e^ε·q̂ of the best event on the evaluation part: unbiased for that event.
    pub delta_estimate: f64,
    /// δ(ε) of the sampled pair is at most this; `None` where the bound says nothing, as for continuous
    /// outputs.
    pub delta_upper: Option<f64>,
    /// Every ε below this is refuted at the claimed δ; 0 if none is.
    pub epsilon_lower: f64,
    /// The smallest δ of the event that was chosen for the claimed ε, from which on this run would have
    /// called it a violation at least every other time, whatever the event's two probabilities are
    /// ([`Test::smallest_seen`]); `None` if not even a δ of 1 would have been seen.
    ///
    /// It speaks of that event, which is the first finding unless the claim is refuted. A
    /// violation by events that are not [searched](Self::searched) for may be as large as 1 and not be seen.
    ///
    /// [`Test::smallest_seen`]: super::statistics::power::Test::smallest_seen
    pub min_detectable_delta: Option<f64>,
    /// The kinds of events that were searched for, in words.
    pub searched: Vec<&'static str>,
    /// The confidence, over samples and coins.
    pub confidence: f64,
    /// Whether the split's coins came from a seed that the caller gave: the confidence then assumes that the
    /// seed is independent of samples and mechanism.
    pub is_seeded: bool,
    /// The samples of the first side.
    pub samples_a: u64,
    /// The samples of the second.
    pub samples_b: u64,
    /// The events that were evaluated. The first is the one chosen for the claimed ε; of a claim that is
    /// refuted the one that refutes it by most, unless one that is read at a glance refutes it too.
    pub findings: Vec<Finding>,
    /// The empirical privacy loss of all samples.
    pub loss: EmpiricalLoss,
    pub(super) band_alpha: f64,
}

/// A point of the curve ε ↦ δ(ε) with its band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// ε.
    pub epsilon: f64,
    /// The lower band, at least 0.
    pub lower: f64,
    /// The excess of the best event that was evaluated.
    pub estimate: f64,
    /// The plug-in of all samples, in the worse direction: biased upward.
    pub plug_in: f64,
    /// The upper band, at most 1.
    pub upper: f64,
}

impl Report {
    /// The event that refutes the claim by most, or comes closest to it.
    #[must_use]
    pub fn strongest(&self) -> Option<&Finding> {
        let lower = |finding: &Finding| finding.delta_lower(self.claim.epsilon_above());
        self.findings.iter().rev().max_by(|one, two| lower(one).total_cmp(&lower(two)))
    }

    /// The curve at these ε ≥ 0 with a band that holds at all of them, and between them, at the confidence.
    #[must_use]
    pub fn curve(&self, epsilons: &[f64]) -> Vec<CurvePoint> {
        let back = self.loss.reversed();
        let band = self.loss.band(epsilons, self.band_alpha);
        let point = |&epsilon: &f64| {
            let (lower, estimate) = (self.lower(epsilon), estimate(&self.findings, epsilon));
            // δ falls as ε grows: what bounds it at the claimed ε bounds it beyond.
            let claimed = self.delta_upper.filter(|_| epsilon >= self.claim.epsilon_above());
            CurvePoint {
                epsilon,
                lower,
                estimate,
                plug_in: self.loss.delta(epsilon).max(back.delta(epsilon)),
                upper: ordered_upper(band.at(epsilon).min(claimed.unwrap_or(1.0)), lower, estimate),
            }
        };
        epsilons.iter().map(point).collect()
    }

    /// The lower band at an ε ≥ 0; at the claimed one it is `delta_lower`.
    fn lower(&self, epsilon: f64) -> f64 {
        let lower = self.findings.iter().map(|finding| finding.delta_lower(epsilon)).fold(0.0, f64::max);
        // A claim that is not refuted is not refuted by its rounding either, at its ε or beyond: see
        // `LowerBounds`.
        let is_beyond = self.verdict != Verdict::Violation && epsilon >= self.claim.epsilon_above();
        if is_beyond { lower.min(below(self.claim.delta())) } else { lower }
    }

    /// A bound from below as a decimal, rounded down.
    #[must_use]
    pub fn decimal_below(value: f64) -> String {
        decimal_below(value)
    }

    /// A bound from above as a decimal, rounded up.
    #[must_use]
    pub fn decimal_above(value: f64) -> String {
        decimal_above(value)
    }
}

/// The largest excess p̂ − e^ε·q̂ of these events, at least 0.
pub(super) fn estimate(findings: &[Finding], epsilon: f64) -> f64 {
    let (_, c) = exp_bounds(epsilon);
    findings.iter().map(|finding| finding.pair.excess(c)).fold(0.0, f64::max)
}

/// An upper bound of which the ends are ordered: a lower bound or an estimate above it, which a run in 1/α
/// has, raises it to there.
pub(super) fn ordered_upper(upper: f64, lower: f64, estimate: f64) -> f64 {
    upper.max(lower).max(estimate).min(1.0)
}
