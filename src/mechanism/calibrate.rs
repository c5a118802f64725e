//! Calibration: a scale on a stated grid that is certified to meet (ε, δ), and how much less was certified to fail.

use alloc::collections::BTreeMap;

use num_traits::{One, Signed};

use crate::exact::{Enclosure, NonNegative, Positive, Probability, Rational, Real};

/// What is known beforehand of δ(ε) as the scale grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It falls, and this is proven. So it is for discrete Laplace noise: with q < q′, noise of q′ is noise of q plus independent noise (0 with probability
    /// c·q/q′, c = (1 − q′)²/(1 − q)², and noise of q′ otherwise), by the characteristic functions (1 − q)²/(1 − 2q·cos t + q²); more noise is post-processing.
    Falls,
    /// Nothing. For discrete Gaussian noise it is *not* monotone: at ε = 3, σ = 0.42 gives 0.052 and σ = 0.50 gives 0.101.
    Unknown,
}

/// Which smaller scales of the grid do not meet (ε, δ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excluded {
    /// All of them: each was certified to fail, or the next was and δ is known to fall with the scale. This is *the smallest*.
    Every,
    /// The next smaller was certified to fail; others below it were not looked at.
    Next,
    /// Nothing: the next smaller one's δ and the wanted one did not part at the account's precision.
    Nothing,
}

/// The classical σ = Δ₂·√(2·ln(1.25/δ))/ε, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classical {
    /// σ.
    pub sigma: Real,
    /// Whether it is proven to meet (ε, δ): for ε ≤ 1 alone (Dwork and Roth 2014, Theorem A.1, for ε < 1; for ε = 1 by continuity). Above, it can fail.
    pub holds: bool,
}

impl Classical {
    /// The classical σ for a sensitivity Δ₂, given as its square.
    ///
    /// ```
    /// use certus::{exact::{Positive, Probability, Rational}, mechanism::Classical};
    ///
    /// // √(2·ln(1.25·10^5)) = 4.8448…
    /// let positive = |n: i64| Positive::new(Rational::from_integer(n.into()));
    /// let delta = Probability::new(Rational::new(1.into(), 100_000.into()))?;
    /// let classical = Classical::new(&positive(1)?, &positive(1)?, &delta);
    /// assert!(classical.sigma.to_string().starts_with("[4.8448"));
    /// assert!(classical.holds);
    /// assert!(!Classical::new(&positive(1)?, &positive(2)?, &delta).holds);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(l2_squared: &Positive, epsilon: &Positive, delta: &Probability) -> Self {
        // For δ = 0 there is none: nothing encloses ln of a division by zero.
        let ratio = &Real::ratio(5, 4) / &Real::from(delta.get().clone());
        let square = &(&Real::from(2) * &ratio.ln()) * &Real::from(l2_squared.clone());
        let sigma = &square.sqrt() / &Real::from(epsilon.clone());
        Self { sigma, holds: *epsilon.get() <= Rational::one() }
    }

    /// How much less noise a scale is, as a share of the classical σ: 1 − scale/σ.
    #[must_use]
    pub fn saved(&self, scale: &Positive) -> Real {
        &Real::from(1) - &(&Real::from(scale.clone()) / &self.sigma)
    }
}

/// Why there is no calibrated scale.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError<E> {
    /// δ is not below 1.
    #[error("delta must be below 1 (0 <= delta < 1)")]
    Delta,
    /// No scale up to 2^64 steps was certified to meet (ε, δ).
    #[error("no scale of the grid up to 2^64 steps is certified to meet epsilon and delta")]
    NoScale,
    /// The account failed.
    #[error(transparent)]
    Account(E),
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

/// Finds a multiple of `step` that the account certifies to have δ(ε) ≤ `delta`, while the next smaller multiple fails.
///
/// `account` encloses δ(ε) for a scale. The scale doubles until one meets δ, and bisection between the last that did not and the first that did finds a
/// boundary. Unless δ is known to fall, each smaller multiple is then looked at, the smallest first, if there are at most `most_checked`: the answer is the first that meets δ.
///
/// ```
/// use certus::{
///     account::{self, AccountError, Plan, Precision},
///     exact::{NonNegative, Positive, Probability, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Excluded, Private, Trend, additive::GaussianMechanism, calibrate},
/// };
///
/// let count = Sensitivity::<L1>::of_count(Relation::AddRemove).to_l2_squared();
/// let account = |sigma: &Positive, epsilon: &NonNegative| {
///     let mechanism = GaussianMechanism::with_sigma(&count, sigma.get()).map_err(|_| AccountError::OutOfReach)?;
///     let plan = Plan::new().with(&mechanism.domination(), 1);
///     account::delta(&plan, epsilon, &Precision { digits: 6 }).map(|answer| answer.enclosure)
/// };
/// let delta = Probability::new(Rational::new(1.into(), 100.into()))?;
/// let step = Positive::new(Rational::new(1.into(), 4.into()))?;
/// let found = calibrate(&NonNegative::one(), &delta, &step, Trend::Unknown, 100, account)?;
/// assert_eq!((found.scale.to_string().as_str(), found.excluded), ("2", Excluded::Every));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If δ is 1, the account fails, or no scale up to 2^64 steps is certified to meet δ.
pub fn calibrate<E>(
    epsilon: &NonNegative,
    delta: &Probability,
    step: &Positive,
    trend: Trend,
    most_checked: u64,
    account: impl FnMut(&Positive, &NonNegative) -> Result<Enclosure, E>,
) -> Result<Calibration, CalibrateError<E>> {
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
    if trend == Trend::Unknown {
        // `high` is at least 1.
        let smaller = high - 1;
        every = smaller <= most_checked;
        if every {
            for n in 1..=smaller {
                if asked.meets(n)? {
                    high = n;
                    break;
                }
                every &= asked.fails(n)?;
            }
        }
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

impl<E, A: FnMut(&Positive, &NonNegative) -> Result<Enclosure, E>> Asked<'_, A> {
    /// n steps, for n ≥ 1.
    fn scale(&self, n: u64) -> Option<Positive> {
        Positive::new(self.step.get() * Rational::from_integer(n.into())).ok()
    }

    fn at(&mut self, n: u64) -> Result<Enclosure, CalibrateError<E>> {
        if let Some(known) = self.known.get(&n) {
            return Ok(known.clone());
        }
        let scale = self.scale(n).ok_or(CalibrateError::NoScale)?;
        let found = (self.account)(&scale, self.epsilon).map_err(CalibrateError::Account)?;
        self.known.insert(n, found.clone());
        Ok(found)
    }

    /// Certified: δ(ε) ≤ δ.
    fn meets(&mut self, n: u64) -> Result<bool, CalibrateError<E>> {
        Ok(!(self.at(n)?.upper() - self.delta).is_positive())
    }

    /// Certified: δ(ε) > δ.
    fn fails(&mut self, n: u64) -> Result<bool, CalibrateError<E>> {
        Ok((self.at(n)?.lower() - self.delta).is_positive())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{self, AccountError, Plan, Precision},
        guarantee::{Domination, Pair},
    };

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    fn positive(n: i64, d: i64) -> Positive {
        Positive::new(rational(n, d)).unwrap()
    }

    fn whole(n: i64) -> NonNegative {
        NonNegative::new(rational(n, 1)).unwrap()
    }

    fn probability(n: i64, d: i64) -> Probability {
        Probability::new(rational(n, d)).unwrap()
    }

    fn gaussian(sigma: &Positive, epsilon: &NonNegative) -> Result<Enclosure, AccountError> {
        let pair = Pair::Gaussian { variance: sigma.square(), shift: 1u32.into() };
        let plan = Plan::new().with(&Domination::by(pair), 1);
        account::delta(&plan, epsilon, &Precision { digits: 6 }).map(|answer| answer.enclosure)
    }

    fn laplace(scale: &Positive, epsilon: &NonNegative) -> Result<Enclosure, AccountError> {
        let pair = Pair::Laplace { scale: scale.clone(), shift: 3u32.into() };
        let plan = Plan::new().with(&Domination::by(pair), 1);
        account::delta(&plan, epsilon, &Precision { digits: 6 }).map(|answer| answer.enclosure)
    }

    /// At ε = 3, σ = 0.42 gives 0.052 and σ = 0.50 gives 0.101.
    #[test]
    fn delta_is_not_monotone_in_sigma() {
        let at = |n: i64| gaussian(&positive(n, 100), &whole(3)).unwrap();
        assert!(at(42).lower() > rational(52, 1000) && at(42).upper() < rational(53, 1000));
        assert!(at(50).lower() > rational(100, 1000) && at(50).upper() < rational(102, 1000));
    }

    /// The scan finds a σ below the one that bisection alone stops at; every smaller one is certified to fail.
    #[test]
    fn smallest_only_where_every_smaller_one_fails() {
        let (epsilon, delta, step) = (whole(3), probability(53, 1000), positive(1, 100));
        let found = calibrate(&epsilon, &delta, &step, Trend::Unknown, 1000, gaussian).unwrap();
        assert!(found.is_smallest());
        let first = (1..200).find(|n| gaussian(&positive(*n, 100), &epsilon).unwrap().upper() <= *delta.get()).unwrap();
        assert_eq!(found.scale, positive(first, 100));
        assert!(found.delta.upper() <= *delta.get());
        let (below, fails) = found.below.clone().unwrap();
        assert_eq!(below, positive(first - 1, 100));
        assert!(fails.lower() > *delta.get());
        // Without leave to look at them all, nothing is said of all.
        let hasty = calibrate(&epsilon, &delta, &step, Trend::Unknown, 10, gaussian).unwrap();
        assert_eq!(hasty.excluded, Excluded::Next);
        assert!(!hasty.is_smallest() && hasty.scale >= found.scale);
        assert!(hasty.asked < found.asked);
        // A wrong claim of monotonicity gives another answer, which is not the smallest: the bug that `Trend::Unknown` is there for.
        let wrong = calibrate(&epsilon, &delta, &step, Trend::Falls, 10, gaussian).unwrap();
        assert!(wrong.scale > found.scale, "{} {}", wrong.scale, found.scale);
    }

    #[test]
    fn laplace_falls_with_the_scale() {
        let (epsilon, delta, step) = (whole(1), probability(1, 10), positive(1, 8));
        let found = calibrate(&epsilon, &delta, &step, Trend::Falls, 0, laplace).unwrap();
        let scanned = calibrate(&epsilon, &delta, &step, Trend::Unknown, 1000, laplace).unwrap();
        assert!(found.is_smallest() && scanned.is_smallest());
        assert_eq!(found.scale, scanned.scale);
        let falling: alloc::vec::Vec<_> = (4..40).map(|n| laplace(&positive(n, 8), &epsilon).unwrap()).collect();
        assert!(falling.windows(2).all(|pair| pair[1].lower() <= pair[0].upper()));
    }

    #[test]
    fn the_classical_sigma() {
        // For ε = 1 and δ = 10^-5 it is 4.8448; the exact answer saves about a fifth.
        let (epsilon, delta) = (positive(1, 1), probability(1, 100_000));
        let classical = Classical::new(&positive(1, 1), &epsilon, &delta);
        let found =
            calibrate(&epsilon.clone().into(), &delta, &positive(1, 20), Trend::Unknown, 100, gaussian).unwrap();
        assert!(found.is_smallest());
        let saved = classical.saved(&found.scale).enclose(20).unwrap();
        assert!(saved.lower() > rational(1, 5) && saved.upper() < rational(1, 4), "{saved} {}", found.scale);
        // Far above ε = 1 it fails: at ε = 40 and δ = 1/10 the classical σ is 0.056, and δ is all but 1.
        let (epsilon, delta) = (positive(40, 1), probability(1, 10));
        let classical = Classical::new(&positive(1, 1), &epsilon, &delta);
        assert!(!classical.holds);
        let sigma = Positive::new(classical.sigma.enclose(40).unwrap().upper()).unwrap();
        assert!(gaussian(&sigma, &epsilon.into()).unwrap().lower() > *delta.get());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused = calibrate(&whole(1), &probability(1, 1), &positive(1, 1), Trend::Unknown, 10, gaussian);
        assert_eq!(refused, Err(CalibrateError::Delta));
        let failing = |_: &Positive, _: &NonNegative| Err::<Enclosure, _>(AccountError::OutOfReach);
        let refused = calibrate(&whole(1), &probability(1, 2), &positive(1, 1), Trend::Unknown, 10, failing);
        assert_eq!(refused, Err(CalibrateError::Account(AccountError::OutOfReach)));
        let never = |_: &Positive, _: &NonNegative| Ok::<_, AccountError>(Enclosure::from_integer(1, 0));
        let refused = calibrate(&whole(1), &probability(1, 2), &positive(1, 1), Trend::Unknown, 10, never);
        assert_eq!(refused, Err(CalibrateError::NoScale));
        // Undecided is not certified, and says so.
        let vague = |scale: &Positive, _: &NonNegative| {
            let zero = Enclosure::from_integer(0, 0);
            let one = Enclosure::from_integer(1, 0);
            Ok::<_, AccountError>(if *scale.get() < rational(5, 1) { zero.hull(&one) } else { zero })
        };
        let found = calibrate(&whole(1), &probability(1, 2), &positive(1, 1), Trend::Unknown, 10, vague).unwrap();
        assert_eq!((found.scale, found.excluded), (positive(5, 1), Excluded::Nothing));
    }
}
