//! Bounded Laplace: the output itself conditioned on an interval.

use alloc::vec::Vec;
use core::{convert::Infallible, ops::ControlFlow};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

use super::{AdditiveError, truncated::power};
use crate::{
    exact::{Integer, NonNegative, Positive, Rational, Real},
    guarantee::{Attained, Domination, FinitePair, Guarantee, L1, Pair, Sensitivity, Weight},
    mechanism::{Private, opaque_debug},
    sample::{BernoulliExp, Interpreter, Laplace, Program, Step, Uniform},
};

/// The widest interval whose pairs are listed, one for each answer.
const WIDEST: u32 = 128;

/// An integer answer x, clamped to [lower, upper], plus discrete Laplace noise, the *output* conditioned on
/// [lower, upper]: P(y) = q^|y−x|/Z(x), q = e^(−1/s). Pure, with
///
/// > ε = d/s + ln(Z(lower + d)/Z(lower)) = d/s + ln((1 + q − q^(d+1) − q^(n−d+1))/(1 − q^(n+1))),
///
/// n = upper − lower, d = min(⌊Δ⌋, n): *more* than the d/s of the noise, because the normaliser Z(x) = (1 + q
/// − q^(x−lower+1) − q^(upper−x+1))/(1 − q) depends on the answer. (Holohan, Antonatos, Braghin and Mac
/// Aonghusa 2020, "The bounded Laplace mechanism in differential privacy", on the integers.)
///
/// *Proof.* For x < x′ = x + d the ratio P_x(y)/P_x′(y) is at most q^−d·Z(x′)/Z(x), attained at y ≤ x. Each
/// term of Z(x + 1) is at least q times that of Z(x), so q^−d·Z(x + d) does not fall with d: the largest d is
/// the worst. Z is concave (minus two exponentials), so Z(x + d)/Z(x) falls with x: x = lower is the worst.
/// The other direction is the mirror image. ∎
///
/// Clamping ([`Clamped`](super::Clamped)) keeps d/s, at the price of atoms at the ends. How often a draw is
/// rejected depends on the answer: its time tells about it.
///
/// ```
/// use certus::{
///     exact::{Integer, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::BoundedLaplace},
/// };
///
/// let count = Sensitivity::<L1>::of_count(Relation::AddRemove);
/// let mechanism = BoundedLaplace::new(&count, &Rational::from_integer(2.into()), 0.into(), 10.into())?;
/// assert!(mechanism.guarantee().to_string().starts_with("pure, epsilon = [0.712663"), "{}", mechanism.guarantee());
/// // An answer beyond a bound is taken for the bound.
/// assert_eq!(mechanism.on(&Integer::from(11)), mechanism.on(&Integer::from(10)));
/// # Ok::<(), certus::mechanism::additive::AdditiveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::parameters::BoundedLaplaceParameters",
        into = "super::parameters::BoundedLaplaceParameters"
    )
)]
pub struct BoundedLaplace {
    scale: Positive,
    /// Invariant: lower ≤ upper.
    lower: Integer,
    upper: Integer,
    /// n.
    width: BigUint,
    /// d ≤ n.
    shift: BigUint,
    proposal: Proposal,
    epsilon: Real,
    guarantee: Guarantee,
}

impl BoundedLaplace {
    /// Noise of a scale, the output conditioned on [lower, upper].
    ///
    /// # Errors
    ///
    /// If the scale is not positive, or lower > upper.
    pub fn new(
        sensitivity: &Sensitivity<L1>,
        scale: &Rational,
        lower: Integer,
        upper: Integer,
    ) -> Result<Self, AdditiveError> {
        let scale = Positive::new(scale.clone()).map_err(|_| AdditiveError::Scale)?;
        if lower > upper {
            return Err(AdditiveError::Bounds);
        }
        let width = (upper.to_big() - lower.to_big()).magnitude().clone();
        let shift = sensitivity.get().floor().numer().magnitude().clone().min(width.clone());
        let epsilon = epsilon(&scale, &width, &shift);
        let guarantee = Guarantee::pure(sensitivity.relation(), epsilon.clone())?;
        let proposal = Proposal::new(&scale, &width + 1u32)?;
        Ok(Self { scale, lower, upper, width, shift, proposal, epsilon, guarantee })
    }

    /// The scale s.
    #[must_use]
    pub fn scale(&self) -> &Positive {
        &self.scale
    }

    /// The bounds.
    #[must_use]
    pub fn bounds(&self) -> (&Integer, &Integer) {
        (&self.lower, &self.upper)
    }

    /// n = upper − lower.
    #[must_use]
    pub fn width(&self) -> &BigUint {
        &self.width
    }

    /// d = min(⌊Δ⌋, n).
    #[must_use]
    pub fn shift(&self) -> &BigUint {
        &self.shift
    }

    /// The exact ε.
    #[must_use]
    pub fn epsilon(&self) -> &Real {
        &self.epsilon
    }

    /// The answer x beside x + shift, both counted from the lower bound.
    fn pair(&self, width: u32, x: u32, shift: u32) -> Option<FinitePair> {
        let weight = |y: u32, answer: u32| {
            let exponent = Rational::from_integer(y.abs_diff(answer).into()) / self.scale.get();
            Some(Weight { factor: NonNegative::one(), exponent: NonNegative::new(exponent).ok()? })
        };
        let outcomes: Option<Vec<_>> = (0..=width).map(|y| weight(y, x).zip(weight(y, x + shift))).collect();
        FinitePair::new(outcomes?).ok()
    }

    /// A randomized response with ε rounded up by less than 2^-128.
    fn response(&self) -> Option<FinitePair> {
        let exponent = NonNegative::new(self.epsilon.at_most(128)?).ok()?;
        let (flat, falling) = (Weight::rational(NonNegative::one()), Weight { factor: NonNegative::one(), exponent });
        FinitePair::new(alloc::vec![(flat.clone(), falling.clone()), (falling, flat)]).ok()
    }
}

/// d/s + ln((1 + q − q^(d+1) − q^(n−d+1))/(1 − q^(n+1))), for d ≤ n.
fn epsilon(scale: &Positive, width: &BigUint, shift: &BigUint) -> Real {
    let one = Real::from(1);
    let inner = &(&one + &power(scale, &BigUint::one()))
        - &(&power(scale, &(shift + 1u32)) + &power(scale, &(width - shift + 1u32)));
    let outer = &one - &power(scale, &(width + 1u32));
    let plain = Real::from(Rational::from_integer(shift.clone().into()) / scale.get());
    // No distance, or all of it: the normalisers are equal.
    if *shift == BigUint::ZERO || shift == width { plain } else { &plain + &(&inner / &outer).ln() }
}

impl Private for BoundedLaplace {
    type Input = Integer;
    type Release = Conditioned;
    type Error = Infallible;

    fn on(&self, input: &Integer) -> Result<Conditioned, Infallible> {
        let (lower, upper) = (self.lower.clone(), self.upper.clone());
        // Clamping moves no two answers further apart: clamped answers of neighbours are at most Δ apart, and
        // the guarantee holds.
        let answer = input.clone().max(lower.clone()).min(upper.clone());
        Ok(Conditioned { answer, lower, upper, scale: self.scale.clone(), proposal: self.proposal.clone() })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// The pairs (x, x + d) of all answers x where n ≤ 128, which dominate all nearer ones (F_x(t) falls with
    /// x, and the likelihood ratio with y); beyond, the randomized response of ratio e^ε, which dominates
    /// every ε-private mechanism.
    ///
    /// The pair of x is attained by the answers lower + x and lower + x + d. The response is not: its losses
    /// are ±ε alone, and those of the mechanism are between as well.
    fn domination(&self) -> Domination {
        let listed = self.width.to_u32().filter(|width| *width <= WIDEST).zip(self.shift.to_u32());
        let pairs: Option<Vec<_>> = listed.and_then(|(width, shift)| {
            (0..=width.saturating_sub(shift)).map(|x| Some(Pair::Finite(self.pair(width, x, shift)?))).collect()
        });
        let domination = match pairs {
            Some(pairs) => Domination::by_all(pairs).attained(Attained::ByAnswers),
            None => Domination::by(Pair::Finite(self.response().unwrap_or_else(FinitePair::revealing))),
        };
        domination.for_neighbours(self.guarantee.relation())
    }
}

/// Laplace noise around an answer, given that the sum is in [lower, upper].
///
/// Where the interval is wider than 2s, noise is drawn until it is inside; otherwise a uniform output is
/// accepted with e^(−|y−x|/s). Either accepts with probability at least (1 − e^-2)/2.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conditioned {
    answer: Integer,
    lower: Integer,
    upper: Integer,
    scale: Positive,
    proposal: Proposal,
}

opaque_debug!(Conditioned);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Proposal {
    Noise(Laplace),
    Uniform(Uniform),
}

impl Proposal {
    /// For so many outputs, at least 1.
    fn new(scale: &Positive, outputs: BigUint) -> Result<Self, AdditiveError> {
        let whole = Rational::from_integer(BigInt::from(outputs.clone()));
        Ok(if whole > scale.get() * Rational::from_integer(2.into()) {
            Self::Noise(Laplace::new(scale))
        } else {
            Self::Uniform(Uniform::new(outputs).map_err(|_| AdditiveError::Bounds)?)
        })
    }
}

impl Program for Conditioned {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let (output, accepted) = match &self.proposal {
            Proposal::Noise(noise) => {
                let output = self.answer.add(&on.call(noise)?);
                let inside = self.lower <= output && output <= self.upper;
                (output, inside)
            }
            Proposal::Uniform(uniform) => {
                let output = self.lower.add(&on.call(uniform)?);
                let distance = Rational::from_integer(output.add(&self.answer.neg()).magnitude().into());
                let exponent = NonNegative::new(distance / self.scale.get()).map_err(|_| on.overflow())?;
                let accepted = on.call(&BernoulliExp::new(&exponent))?;
                (output, accepted)
            }
        };
        Ok(if accepted { ControlFlow::Break(output) } else { ControlFlow::Continue(()) })
    }
}
