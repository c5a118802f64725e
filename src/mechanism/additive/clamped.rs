//! Clamped outputs: post-processing.

use core::ops::ControlFlow;

use super::AdditiveError;
use crate::{
    exact::Integer,
    guarantee::{Attained, Domination, Guarantee},
    mechanism::{Private, SamplerError, opaque_debug},
    sample::{Interpreter, Program, Sampler, Step},
};

/// A mechanism whose output is clamped to [lower, upper]: min(max(output, lower), upper).
///
/// Clamping sees the output alone, so the guarantee and the pairs of the mechanism hold (Dwork and Roth 2014,
/// Proposition 2.1). It is how noise plus answer is kept in a machine word; wrapping is post-processing too,
/// but turns a small error into the largest there is. An answer in [lower, upper] is moved no further by the
/// clamped noise than by the noise.
///
/// ```
/// use certus::{
///     bits::seeded,
///     exact::{Integer, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::{Clamped, LaplaceMechanism}},
/// };
///
/// let count = Sensitivity::<L1>::of_count(Relation::AddRemove);
/// let noisy = LaplaceMechanism::with_scale(&count, &Rational::from_integer(100.into()))?;
/// let mechanism = Clamped::new(noisy, Integer::from(0), Integer::from(255))?;
/// let released = mechanism.release(&Integer::from(3), &mut seeded([7; 32]))?;
/// assert!((Integer::from(0)..=Integer::from(255)).contains(released.get()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::parameters::ClampedParameters<M>",
        into = "super::parameters::ClampedParameters<M>",
        bound(serialize = "M: Clone + serde::Serialize", deserialize = "M: serde::Deserialize<'de>")
    )
)]
pub struct Clamped<M> {
    mechanism: M,
    /// Invariant: lower ≤ upper.
    lower: Integer,
    upper: Integer,
}

impl<M> Clamped<M> {
    /// The mechanism with its output clamped.
    ///
    /// # Errors
    ///
    /// If lower > upper.
    pub fn new(mechanism: M, lower: Integer, upper: Integer) -> Result<Self, AdditiveError> {
        if lower > upper {
            return Err(AdditiveError::Bounds);
        }
        Ok(Self { mechanism, lower, upper })
    }

    /// The mechanism whose output is clamped.
    #[must_use]
    pub fn mechanism(&self) -> &M {
        &self.mechanism
    }

    /// The bounds.
    #[must_use]
    pub fn bounds(&self) -> (&Integer, &Integer) {
        (&self.lower, &self.upper)
    }
}

impl<M: Private<Release: Program<Output = Integer>>> Private for Clamped<M> {
    type Input = M::Input;
    type Release = Clamp<M::Release>;
    type Error = M::Error;

    fn on(&self, input: &M::Input) -> Result<Clamp<M::Release>, M::Error> {
        Ok(Clamp { program: self.mechanism.on(input)?, lower: self.lower.clone(), upper: self.upper.clone() })
    }

    fn guarantee(&self) -> Guarantee {
        self.mechanism.guarantee()
    }

    fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError> {
        Ok(Self { mechanism: self.mechanism.with_sampler(sampler)?, ..self })
    }

    fn sampler(&self) -> &'static str {
        self.mechanism.sampler()
    }

    /// The mechanism's own pairs, not known to be attained after clamping: all outputs beyond a bound are
    /// one, and where their losses differ, as those of Gaussian noise do, two neighbours lose less. (At one ε
    /// the bound may fall where the likelihoods cross, and cost nothing; not at all of them at once, and
    /// composition needs all.)
    fn domination(&self) -> Domination {
        self.mechanism.domination().attained(Attained::Unknown)
    }
}

/// What a program draws, clamped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clamp<P> {
    program: P,
    lower: Integer,
    upper: Integer,
}

opaque_debug!(Clamp<P>);

impl<P: Program<Output = Integer>> Program for Clamp<P> {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let output = on.call(&self.program)?;
        Ok(ControlFlow::Break(output.max(self.lower.clone()).min(self.upper.clone())))
    }
}
