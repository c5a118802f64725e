//! Calibration: a scale on a stated grid that is certified to meet (ε, δ), and how much less was certified to
//! fail.

mod classical;
mod noise;
#[cfg(test)]
mod tests;
mod trend;

use alloc::{collections::BTreeMap, vec::Vec};

use num_traits::{One, Signed};

pub use classical::Classical;
pub use noise::CalibratedNoise;
pub use trend::Trend;

use trend::Wanted;

use crate::{
    account::{self, AccountError, Plan, Precision},
    exact::{Enclosure, NonNegative, Positive, Probability, Rational},
};

/// Which smaller scales of the grid do not meet (ε, δ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Excluded {
    /// All of them: each was certified to fail, or the next was and δ is known to fall with the scale. This
    /// is *the smallest*.
    Every,
    /// The next smaller was certified to fail; others below it were not looked at.
    Next,
    /// Nothing: the next smaller one's δ and the wanted one did not part at the account's precision.
    Nothing,
}

impl Excluded {
    /// Its name in documents: `every`, `next` or `nothing`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Next => "next",
            Self::Nothing => "nothing",
        }
    }
}

/// Why there is no calibrated scale.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// δ is not below 1.
    #[error("delta must be below 1 (0 <= delta < 1)")]
    Delta,
    /// No scale up to 2^64 steps was certified to meet (ε, δ).
    #[error("no scale of the grid up to 2^64 steps is certified to meet epsilon and delta")]
    NoScale,
    /// No formula says about where the scale is.
    #[error("a step must be given for such an epsilon and delta")]
    NoStep,
    /// The account failed.
    #[error(transparent)]
    Account(#[from] AccountError),
}

/// A scale that meets (ε, δ), with what is known of the smaller ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// The scale (or σ): a multiple of the grid's step.
    pub scale: Positive,
    /// Encloses its δ(ε): at most the wanted one, certified.
    pub delta: Enclosure,
    /// The next smaller scale of the grid with its δ(ε); nothing if there is none.
    pub below: Option<(Positive, Enclosure)>,
    /// Which smaller scales are certified to fail.
    pub excluded: Excluded,
    /// How many scales the account was asked about.
    pub asked: usize,
}

impl Calibration {
    /// Whether it is the smallest scale of the grid that meets (ε, δ).
    #[must_use]
    pub fn is_smallest(&self) -> bool {
        self.excluded == Excluded::Every
    }
}

/// What a scale is wanted for, and how it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// ε.
    pub epsilon: NonNegative,
    /// The δ that is to be met.
    pub delta: Probability,
    /// The scale is a multiple of this.
    pub step: Positive,
    /// How δ changes with the scale.
    pub trend: Trend,
    /// How many smaller multiples are looked at, unless δ is known to fall.
    pub most_checked: u64,
    /// The digits of every δ.
    pub precision: Precision,
}

/// Finds a multiple of the step that the account certifies to have δ(ε) of at most the wanted one, while the
/// next smaller multiple fails.
///
/// `plan` is what is accounted for at a scale. That a smaller multiple fails rests on the lower ends of its
/// account: those of pairs that only dominate the mechanism ([`Plan::has_lower_end`]) say nothing, so that
/// nothing is excluded then, and the scale still meets δ. The scale doubles until one meets δ, and bisection
/// between the last that did not and the first that did finds a boundary. Unless δ is known to fall, the
/// smaller multiples are then excluded, the smallest first, many at once where the trend says how, with at
/// most `most_checked` questions in all: the answer is the first that is not excluded and meets δ.
///
/// ```
/// use certus::{
///     account::{Plan, Precision},
///     exact::NonNegative,
///     guarantee::{Attained, Domination, Pair},
///     mechanism::{Excluded, Target, Trend, calibrate},
/// };
///
/// let target = Target {
///     epsilon: NonNegative::one(),
///     delta: "1/100".parse()?,
///     step: "1/4".parse()?,
///     trend: Trend::Gaussian { sensitivity: 1u32.into() },
///     most_checked: 100,
///     precision: Precision { digits: 6 },
/// };
/// let found = calibrate(&target, |sigma| {
///     let pair = Pair::Gaussian { variance: sigma.square(), shift: 1u32.into() };
///     Plan::of(&Domination::by(pair).attained(Attained::ByAnswers), 1)
/// })?;
/// assert_eq!((found.scale.to_string().as_str(), found.excluded), ("2", Excluded::Every));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If δ is 1, the account fails, or no scale up to 2^64 steps is certified to meet δ.
pub fn calibrate(target: &Target, mut plan: impl FnMut(&Positive) -> Plan) -> Result<Calibration, CalibrateError> {
    calibrate_by(target, |scale, epsilon| {
        let plan = plan(scale);
        let delta = account::delta(&plan, epsilon, &target.precision)?.enclosure;
        let nothing = Enclosure::from_integer(0, delta.precision());
        Ok(if plan.has_lower_end() { delta } else { delta.hull(&nothing) })
    })
}

fn calibrate_by(
    target: &Target,
    account: impl FnMut(&Positive, &NonNegative) -> Result<Enclosure, AccountError>,
) -> Result<Calibration, CalibrateError> {
    let Target { epsilon, delta, step, trend, most_checked, .. } = target;
    if delta.get().is_one() {
        return Err(CalibrateError::Delta);
    }
    let mut asked = Asked { epsilon, delta: delta.get(), step, account, known: BTreeMap::new() };
    // Invariant: not certified to meet δ at `low` (0: no noise at all), certified at `high`.
    let (mut low, mut high) = (0_u64, 1_u64);
    while !asked.meets(high)? {
        low = high;
        high = high.checked_mul(2).ok_or(CalibrateError::NoScale)?;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if asked.meets(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    let mut every = true;
    if *trend != Trend::Falls {
        let (met, all) = asked.smaller(high, trend, *most_checked)?;
        high = met.unwrap_or(high);
        every = all;
    }
    let next_fails = high == 1 || asked.fails(high - 1)?;
    let excluded = match (next_fails, every) {
        (true, true) => Excluded::Every,
        (true, false) => Excluded::Next,
        (false, _) => Excluded::Nothing,
    };
    let below = if high == 1 { None } else { asked.scale(high - 1).zip(Some(asked.at(high - 1)?)) };
    Ok(Calibration {
        scale: asked.scale(high).ok_or(CalibrateError::NoScale)?,
        delta: asked.at(high)?,
        below,
        excluded,
        asked: asked.known.len(),
    })
}

struct Asked<'a, A> {
    epsilon: &'a NonNegative,
    delta: &'a Rational,
    step: &'a Positive,
    account: A,
    known: BTreeMap<u64, Enclosure>,
}

impl<A: FnMut(&Positive, &NonNegative) -> Result<Enclosure, AccountError>> Asked<'_, A> {
    /// n steps, for n ≥ 1.
    fn scale(&self, n: u64) -> Option<Positive> {
        Positive::new(self.step.get() * Rational::from_integer(n.into())).ok()
    }

    fn at(&mut self, n: u64) -> Result<Enclosure, CalibrateError> {
        if let Some(known) = self.known.get(&n) {
            return Ok(known.clone());
        }
        let scale = self.scale(n).ok_or(CalibrateError::NoScale)?;
        let found = (self.account)(&scale, self.epsilon)?;
        self.known.insert(n, found.clone());
        Ok(found)
    }

    /// Certified: δ(ε) ≤ δ.
    fn meets(&mut self, n: u64) -> Result<bool, CalibrateError> {
        Ok(!(self.at(n)?.upper() - self.delta).is_positive())
    }

    /// Certified: δ(ε) > δ.
    fn fails(&mut self, n: u64) -> Result<bool, CalibrateError> {
        Ok((self.at(n)?.lower() - self.delta).is_positive())
    }

    /// Looks at all multiples below `high`, the smallest first: one that meets δ, if any; and whether all
    /// before it, or all, are certified to fail.
    fn smaller(&mut self, high: u64, trend: &Trend, most_checked: u64) -> Result<(Option<u64>, bool), CalibrateError> {
        let mut ranges = Vec::new();
        let last = high.saturating_sub(1);
        match trend {
            Trend::Gaussian { .. } => match self.pivot(high)? {
                Some((first_extended, last_extended)) => {
                    ranges.push((last_extended.saturating_add(1), last));
                    ranges.push((1, first_extended.saturating_sub(1)));
                }
                None => ranges.push((1, last)),
            },
            Trend::Unknown if last > most_checked => return Ok((None, false)),
            Trend::Unknown | Trend::Falls => ranges.push((1, last)),
        }
        let (mut looked, mut every) = (0_u64, true);
        while let Some((from, to)) = ranges.pop() {
            if from > to {
                continue;
            }
            // Without a trend that speaks of intervals, only a single scale is a question.
            looked += u64::from(from == to || *trend != Trend::Unknown);
            if looked > most_checked {
                return Ok((None, false));
            }
            if let (Trend::Gaussian { sensitivity }, Some(smallest), Some(largest)) =
                (trend, self.scale(from), self.scale(to))
            {
                let wanted = Wanted { epsilon: self.epsilon, delta: self.delta, sensitivity };
                if wanted.none_between(&smallest, &largest) {
                    continue;
                }
                // From here on each scale is a question of its own.
                let left: u64 = ranges.iter().map(|(from, to)| to.saturating_sub(*from)).sum();
                if left > most_checked && !wanted.is_within_reach(&smallest) {
                    return Ok((None, false));
                }
            }
            if from == to {
                if self.meets(from)? {
                    return Ok((Some(from), every));
                }
                every &= self.fails(from)?;
            } else {
                let middle = from + (to - from) / 2;
                ranges.push((middle + 1, to));
                ranges.push((from, middle));
            }
        }
        Ok((None, every))
    }

    /// The first and last multiple to which a failure just below `high` extends by sums of Gaussian noise;
    /// nothing if none fails with that to spare.
    fn pivot(&mut self, high: u64) -> Result<Option<(u64, u64)>, CalibrateError> {
        let Some((epsilon, factor)) = trend::to_spare(self.epsilon) else { return Ok(None) };
        // Near `high` there may be too little to spare.
        for distance in [1, 2, 4, 8, 16, 32, 64] {
            let Some(pivot) = high.checked_sub(distance).filter(|&pivot| pivot > 0) else { break };
            let Some(scale) = self.scale(pivot) else { break };
            let delta = (self.account)(&scale, &epsilon).map_err(CalibrateError::Account)?;
            if delta.lower() / &factor <= *self.delta {
                continue;
            }
            // n²·(pivot² − n²) rises up to n = pivot/√2 and falls from there on; 7/10 of the pivot is close
            // enough to its top.
            let middle = pivot - (pivot - pivot / 10 * 7).min(pivot - 1);
            if !trend::extends(middle, pivot, self.step) {
                return Ok(None);
            }
            // Invariants: the failure extends to `inside`, and not to `outside`, on either side.
            let (mut outside, mut inside) = (0, middle);
            while inside - outside > 1 {
                let n = outside + (inside - outside) / 2;
                if trend::extends(n, pivot, self.step) { inside = n } else { outside = n }
            }
            let first = inside;
            (inside, outside) = (middle, pivot);
            while outside - inside > 1 {
                let n = inside + (outside - inside) / 2;
                if trend::extends(n, pivot, self.step) { inside = n } else { outside = n }
            }
            return Ok(Some((first, inside)));
        }
        Ok(None)
    }
}
