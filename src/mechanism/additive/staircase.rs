//! The staircase mechanism on integers.

use core::{convert::Infallible, ops::ControlFlow};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::{AdditiveError, Noisy};
use crate::{
    exact::{Integer, NonNegative, Positive, Rational, Real},
    guarantee::{Attained, Domination, FinitePair, Guarantee, L1, Pair, Sensitivity, Weight},
    mechanism::Private,
    sample::{BernoulliExp, Geometric, Interpreter, Program, Step, Uniform},
};

/// Staircase noise: P(k) ∝ e^(−ε·level(k)) with level(k) = ⌊(|k| + Δ − r)/Δ⌋, a step down at |k| = r, Δ + r,
/// 2Δ + r, …
///
/// Geng and Viswanath 2014, section V ("the optimal mechanism", for integer-valued queries): with b = e^−ε,
/// P(k) = a·b^level(k), a = (1 − b)/(2r + 2b(Δ − r) − (1 − b)).
///
/// # Algorithm
///
/// |k| = gΔ + u with 0 ≤ u < Δ is a bijection, and the weight is b^g·(1 if u < r, else b): g is geometric of
/// scale 1/ε, u is uniform below Δ, accepted with e^−ε from r on. A fair sign; a negative zero is rejected.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, mechanism::additive::Staircase, sample::Program};
///
/// let epsilon = Positive::new(Rational::from_integer(1.into()))?;
/// let noise = Staircase::new(&epsilon, 10u32.into(), 3u32.into())?;
/// println!("{}", noise.sample(&mut seeded([7; 32]))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Staircase {
    sensitivity: BigUint,
    step: Integer,
    level: Geometric,
    within: Uniform,
    lower: BernoulliExp,
}

impl Staircase {
    /// The noise for ε, Δ and r.
    ///
    /// # Errors
    ///
    /// If not 1 ≤ r ≤ Δ.
    pub fn new(epsilon: &Positive, sensitivity: BigUint, step: BigUint) -> Result<Self, AdditiveError> {
        if step.is_zero() || step > sensitivity {
            return Err(AdditiveError::Step);
        }
        let scale = Positive::new(epsilon.get().recip()).map_err(|_| AdditiveError::Epsilon)?;
        let within = Uniform::new(sensitivity.clone()).map_err(|_| AdditiveError::SensitivityBelowOne)?;
        let lower = BernoulliExp::new(&NonNegative::from(epsilon.clone()));
        Ok(Self { sensitivity, step: step.into(), level: Geometric::new(&scale), within, lower })
    }
}

impl Program for Staircase {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let u = on.call(&self.within)?;
        if u >= self.step && !on.call(&self.lower)? {
            return Ok(ControlFlow::Continue(()));
        }
        let g = on.call(&self.level)?;
        let negative = on.bits(1)? == 1;
        let magnitude = Integer::from(BigInt::from(self.sensitivity.clone()) * g.to_big()).add(&u);
        Ok(match (negative, magnitude.is_zero()) {
            (true, true) => ControlFlow::Continue(()),
            (true, false) => ControlFlow::Break(magnitude.neg()),
            (false, _) => ControlFlow::Break(magnitude),
        })
    }
}

/// An integer answer plus [`Staircase`] noise: pure ε, exactly, for the integer sensitivity Δ = ⌊Δ₁⌋ that its
/// steps are made for.
///
/// # Guarantee and worst pair
///
/// | |y| − |y − d| | ≤ d ≤ Δ, and the level rises by 1 over each Δ, so neighbours' levels differ by at most
/// 1: the loss is −ε, 0 or ε, and ε is attained. With A the mass of the loss ε, δ(e) = A·(1 − e^(e−ε)) for 0
/// ≤ e ≤ ε, so the worst shift is that with the largest A; and A·(1 − b) is the total variation, which for
/// symmetric unimodal noise is P(−d/2 ≤ noise < d/2) and grows with d: the largest shift Δ is the worst.
///
/// For d = Δ, y ≤ 0 and the 0 < y < Δ with y < r ≤ Δ − y have the loss ε, and the 0 < y < Δ whose two levels
/// are equal have the loss 0. The pair is therefore (1, b), (b, 1), (z, z) up to normalisation with z =
/// P(loss 0)/A, which is rounded *down* by less than 2^-256, which can only worsen it.
///
/// Geng and Viswanath choose r to minimise the expected |noise|; about Δ/(1 + e^(ε/2)) is best for it.
///
/// ```
/// use certus::{
///     exact::Rational,
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::StaircaseMechanism},
/// };
///
/// let whole = |n: i64| Rational::from_integer(n.into());
/// let sum = Sensitivity::<L1>::of_sum(&whole(0), &whole(10), Relation::ChangeOne)?;
/// let mechanism = StaircaseMechanism::new(&sum, &whole(1), 4u32.into())?;
/// assert_eq!(mechanism.guarantee().to_string(), "pure, epsilon = 1; neighbours: change one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::parameters::StaircaseParameters", into = "super::parameters::StaircaseParameters")
)]
pub struct StaircaseMechanism {
    epsilon: Positive,
    sensitivity: BigUint,
    step: BigUint,
    noise: Staircase,
    guarantee: Guarantee,
}

impl StaircaseMechanism {
    /// Noise for ε with steps of Δ = ⌊Δ₁⌋, the first of them at r = `step`.
    ///
    /// # Errors
    ///
    /// If ε is not positive, Δ is below 1, or not 1 ≤ r ≤ Δ.
    pub fn new(sensitivity: &Sensitivity<L1>, epsilon: &Rational, step: BigUint) -> Result<Self, AdditiveError> {
        let epsilon = Positive::new(epsilon.clone()).map_err(|_| AdditiveError::Epsilon)?;
        let whole = sensitivity.get().floor().numer().magnitude().clone();
        if whole.is_zero() {
            return Err(AdditiveError::SensitivityBelowOne);
        }
        let noise = Staircase::new(&epsilon, whole.clone(), step.clone())?;
        let guarantee = Guarantee::pure(sensitivity.relation(), Real::from(epsilon.clone()))?;
        Ok(Self { epsilon, sensitivity: whole, step, noise, guarantee })
    }

    /// ε.
    #[must_use]
    pub fn epsilon(&self) -> &Positive {
        &self.epsilon
    }

    /// Δ.
    #[must_use]
    pub fn sensitivity(&self) -> &BigUint {
        &self.sensitivity
    }

    /// r.
    #[must_use]
    pub fn step(&self) -> &BigUint {
        &self.step
    }

    /// P(loss 0)/A. In units of a: A = (r + b(Δ − r))/(1 − b) + S with S = #{0 < y < Δ: y < r ≤ Δ − y}, and
    /// P(loss 0) = E or E·b with E = #{0 < y < Δ: both levels 0} = max(2r − 1 − Δ, 0), or both 1: max(Δ + 1 −
    /// 2r, 0). Never both.
    fn undecided(&self) -> Real {
        let (delta, r) = (BigInt::from(self.sensitivity.clone()), BigInt::from(self.step.clone()));
        let real = |n: BigInt| Real::from(Rational::from_integer(n));
        let one = BigInt::one();
        let b = Real::from(-self.epsilon.get()).exp();
        // y from 1 to min(r − 1, Δ − r).
        let single = (&r - &one).min(&delta - &r);
        let both_upper: BigInt = &r * 2 - &one - &delta;
        let upper = both_upper.clone().max(BigInt::zero());
        let lower = (-both_upper).max(BigInt::zero());
        let equal = &real(upper) + &(&real(lower) * &b);
        let half = &(&real(r.clone()) + &(&b * &real(&delta - &r))) / &(&Real::from(1) - &b);
        &equal / &(&half + &real(single))
    }
}

impl Private for StaircaseMechanism {
    type Input = Integer;
    type Release = Noisy<Staircase>;
    type Error = Infallible;

    fn on(&self, input: &Integer) -> Result<Noisy<Staircase>, Infallible> {
        Ok(Noisy::new(input.clone(), self.noise.clone()))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by the answers 0 and Δ where there is no loss of 0, that is 2r = Δ + 1: then it is a
    /// randomized response. Otherwise z is rounded, and the pair is above the mechanism's own, by less than
    /// 2^-256, but above.
    fn domination(&self) -> Domination {
        let falling = Weight { factor: NonNegative::one(), exponent: NonNegative::from(self.epsilon.clone()) };
        let flat = Weight::rational(NonNegative::one());
        // Nothing undecided is the worst there is, a randomized response.
        let undecided = self.undecided().enclose(256).map(|z| z.lower()).and_then(|z| NonNegative::new(z).ok());
        let equal = Weight::rational(undecided.unwrap_or_else(NonNegative::zero));
        let pair =
            FinitePair::new(alloc::vec![(flat.clone(), falling.clone()), (falling, flat), (equal.clone(), equal)]);
        let decided = &self.step * 2u32 == &self.sensitivity + 1u32;
        let domination = match pair {
            Ok(pair) if decided => Domination::by(Pair::Finite(pair)).attained(Attained::ByAnswers),
            Ok(pair) => Domination::by(Pair::Finite(pair)),
            Err(_) => Domination::by(Pair::Finite(FinitePair::revealing())),
        };
        domination.for_neighbours(self.guarantee.relation())
    }
}
