//! How large errors are at 95 %: the smallest α with P(|error| ≥ α) ≤ 1/20, in the unit of what is released.

use certus::{
    exact::{BigUint, NonNegative, Positive, Probability, Rational, Real, normal_tail},
    guarantee::{L1, L2Squared, Relation, Sensitivity},
    mechanism::{
        Accuracy as _, AccuracyError,
        additive::{GaussianMechanism, LaplaceMechanism},
    },
};
use certus_ledger::plan::{After, Statistic};

use super::{Part, PriceError, Pricing, Role, root, whole};

/// The distribution of a part's errors, in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Law {
    /// Discrete Laplace noise.
    Laplace {
        /// Its scale.
        scale: Positive,
    },
    /// Discrete Gaussian noise.
    Gaussian {
        /// σ².
        variance: Positive,
    },
    /// A choice with weights e^(score/scale), made so many times.
    Choice {
        /// span/ε of one round.
        scale: Positive,
        /// Rounds.
        rounds: u32,
    },
}

/// What is known beforehand of the error at 95 %, of the clamped and bounded statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Of each number that is released.
    Value {
        /// Of each one by itself, in the unit of what is released.
        alpha: Rational,
        /// Of all of them at once, where there are several and their number is public.
        all: Option<Rational>,
    },
    /// Of a mean or variance: it depends on the noisy count, and comes with the release.
    WithRelease,
    /// Of a quantile, in rows: the score |(1 − level)·below − level·above| is at most this above the best.
    Rank {
        /// Rows.
        alpha: Rational,
    },
    /// Of top-k: a value left out has at most so many rows more than one that is chosen.
    Count {
        /// Rows.
        alpha: Rational,
    },
}

/// From this variance on the tails of Gaussian noise are taken from the normal distribution's.
const WIDE_VARIANCE: i64 = 1 << 16;

/// Relative steps of a scale that is looked for.
const SCALE_STEPS: i64 = 10_000;

/// 1/20 divided by a number of parts: the probability of a larger error.
///
/// # Errors
///
/// Never: it is a probability for every number of parts.
pub fn beta(parts: u32) -> Result<Probability, AccuracyError> {
    let beta = Rational::new(1.into(), (u64::from(parts.max(1)) * 20).into());
    Probability::new(beta).map_err(|_| AccuracyError::Beta)
}

impl Law {
    /// The smallest α (or, of wide Gaussian noise and of choices, one that is certified) with P(max |error| ≥
    /// α) ≤ β over so many numbers.
    ///
    /// # Errors
    ///
    /// If the noise is out of reach.
    pub fn alpha(&self, entries: usize, beta: &Probability) -> Result<BigUint, AccuracyError> {
        match self {
            Self::Laplace { scale } => {
                let mechanism = LaplaceMechanism::with_scale(&one::<L1>(), scale.get());
                let mechanism = mechanism.and_then(|mechanism| mechanism.vector(entries));
                Ok(mechanism.map_err(|_| AccuracyError::Grid)?.error_bound(beta)?.alpha().clone())
            }
            Self::Gaussian { variance } if *variance.get() < whole(WIDE_VARIANCE) => {
                let mechanism = GaussianMechanism::with_variance(&one::<L2Squared>(), variance.get());
                let mechanism = mechanism.and_then(|mechanism| mechanism.vector(entries));
                Ok(mechanism.map_err(|_| AccuracyError::Grid)?.error_bound(beta)?.alpha().clone())
            }
            Self::Gaussian { variance } => {
                let sigma = root::at_least(variance.get());
                let entries = whole(i64::try_from(entries).unwrap_or(i64::MAX));
                let deviations = deviations(&(beta.get() / entries))?;
                let alpha = (sigma * deviations).ceil() + whole(1);
                alpha.to_integer().to_biguint().ok_or(AccuracyError::OutOfReach)
            }
            Self::Choice { scale, rounds } => {
                // P(best − score ≥ t) ≤ n·e^(−t/scale) in each round (McSherry and Talwar 2007, Lemma 7).
                let many = whole(i64::try_from(entries).unwrap_or(i64::MAX)) * whole(i64::from(*rounds)) / beta.get();
                let logarithm = Real::from(many).ln().at_most(64).ok_or(AccuracyError::OutOfReach)?;
                (logarithm * scale.get()).ceil().to_integer().to_biguint().ok_or(AccuracyError::OutOfReach)
            }
        }
    }

    /// The most Laplace noise with which P(|error| ≥ α) ≤ 1/20.
    pub(super) fn widest_laplace(alpha: &BigUint) -> Result<Positive, AccuracyError> {
        let step = step_of(alpha)?;
        let found = LaplaceMechanism::scale_for(&one::<L1>(), 1, alpha, &beta(1)?, &step)?;
        Ok(found.scale().clone())
    }

    /// The most Gaussian noise with which P(|error| ≥ α) ≤ 1/20; of wide noise, nearly the most.
    pub(super) fn widest_gaussian(alpha: &BigUint) -> Result<Positive, AccuracyError> {
        if *alpha < BigUint::from(256_u32) {
            let found = GaussianMechanism::sigma_for(&one::<L2Squared>(), 1, alpha, &beta(1)?, &step_of(alpha)?)?;
            return Ok(found.scale().clone());
        }
        // As α of wide noise is found, backwards.
        let widest = Rational::from_integer((alpha - 1_u32).into()) / deviations(beta(1)?.get())?;
        let thousandth = whole(1000);
        Positive::new((widest * &thousandth).floor() / thousandth).map_err(|_| AccuracyError::NoScale)
    }

    /// An upper bound of the variance, in steps²: 2·scale² and σ² are those of the continuous noise, which
    /// the discrete one does not exceed.
    pub(crate) fn variance(&self) -> Option<Rational> {
        match self {
            Self::Laplace { scale } => Some(scale.square().get() * whole(2)),
            Self::Gaussian { variance } => Some(variance.get().clone()),
            Self::Choice { .. } => None,
        }
    }
}

/// α/10000: fine enough for a scale near α/3.
fn step_of(alpha: &BigUint) -> Result<Positive, AccuracyError> {
    Positive::new(Rational::new(alpha.clone().into(), SCALE_STEPS.into())).map_err(|_| AccuracyError::Alpha)
}

/// z with 2·P(N ≥ z) ≤ β for a standard normal N, to a thousandth.
///
/// For discrete Gaussian noise X and m ≥ 1, P(X ≥ m) ≤ P(N(0, σ²) ≥ m − 1): the sum of e^(−k²/2σ²) from m on
/// is at most the integral from m − 1 on, and the sum over all integers is at least √(2πσ²), by Poisson
/// summation. So α = ⌈zσ⌉ + 1 has P(|X| ≥ α) ≤ β.
fn deviations(beta: &Rational) -> Result<Rational, AccuracyError> {
    let fits = |thousandths: i64| {
        let z = Rational::new(thousandths.into(), 1000.into());
        normal_tail(&z, 64).is_some_and(|tail| tail.upper() * whole(2) <= *beta)
    };
    // Up to 40 deviations, where the tail is below 10^-348.
    let (mut low, mut high) = (0_i64, 40_000_i64);
    if !fits(high) {
        return Err(AccuracyError::OutOfReach);
    }
    while high - low > 1 {
        let middle = i64::midpoint(low, high);
        if fits(middle) { high = middle } else { low = middle }
    }
    Ok(Rational::new(high.into(), 1000.into()))
}

/// What does not matter for errors.
fn one<N>() -> Sensitivity<N>
where
    Sensitivity<N>: Stated,
{
    Sensitivity::<N>::stated()
}

trait Stated {
    fn stated() -> Self;
}

impl Stated for Sensitivity<L1> {
    fn stated() -> Self {
        Self::new(NonNegative::one(), Relation::AddRemove)
    }
}

impl Stated for Sensitivity<L2Squared> {
    fn stated() -> Self {
        Self::new(NonNegative::one(), Relation::AddRemove)
    }
}

impl Pricing<'_> {
    pub(super) fn expected(&self, parts: &[Part]) -> Result<Expected, PriceError> {
        let failed = |error: AccuracyError| PriceError::new("accuracy", error);
        let of = |part: &Part, entries| -> Result<Rational, PriceError> {
            let alpha = part.law.alpha(entries, &beta(1).map_err(failed)?).map_err(failed)?;
            Ok(Rational::from_integer(alpha.into()))
        };
        let Some(last) = parts.last() else { return Err(PriceError::new("query", "has no mechanism")) };
        match &self.query.statistic {
            Statistic::Mean { .. } | Statistic::Variance { .. } => Ok(Expected::WithRelease),
            Statistic::Quantile { .. } => Ok(Expected::Rank { alpha: of(last, last.entries)? }),
            // Two noisy counts stand the wrong way round: each may err by α.
            Statistic::TopK { .. } => {
                let sides = if matches!(last.law, Law::Choice { .. }) { 1 } else { 2 };
                Ok(Expected::Count { alpha: of(last, last.entries)? * whole(sides) })
            }
            _ if self.query.after.contains(&After::Consistent) => {
                let alpha = consistent_alpha(parts).map_err(failed)?;
                Ok(Expected::Value { alpha: alpha * self.step(), all: None })
            }
            _ => {
                let is_public = !matches!(parts.first(), Some(Part { role: Role::Keys { .. }, .. }));
                let all =
                    if is_public && last.entries > 1 { Some(of(last, last.entries)? * self.step()) } else { None };
                Ok(Expected::Value { alpha: of(last, 1)? * self.step(), all })
            }
        }
    }
}

/// Of counts and a total that were adjusted by least squares: x = c + a·(t − Σc) has the variance v·(1 − a)
/// at most, and the total k·v·(1 − ka)² + w·(ka)²; P(|error| ≥ α) ≤ 1/20 for α² = 20 times that, by
/// Chebyshev.
pub(crate) fn consistent_alpha(parts: &[Part]) -> Result<Rational, AccuracyError> {
    let (Some(values), Some(total)) = (parts.first(), parts.get(1)) else { return Err(AccuracyError::OutOfReach) };
    let (Some(v), Some(w)) = (values.law.variance(), total.law.variance()) else {
        return Err(AccuracyError::OutOfReach);
    };
    let k = whole(i64::try_from(values.entries).unwrap_or(i64::MAX));
    let pull = pull(&v, &w, &k);
    let all = &k * &pull;
    let rest = whole(1) - &all;
    let one = &v * (whole(1) - &pull) * (whole(1) - &pull) + &v * (&k - whole(1)) * &pull * &pull + &w * &pull * &pull;
    let sum = &k * &v * &rest * &rest + &w * &all * &all;
    Ok(root::at_least(&(one.max(sum) * whole(20))))
}

/// a = v/(w + k·v): how much of the total's surplus each count takes.
pub(crate) fn pull(v: &Rational, w: &Rational, k: &Rational) -> Rational {
    v / (w + k * v)
}
