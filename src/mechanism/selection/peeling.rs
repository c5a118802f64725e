//! The k best by peeling: one exponential mechanism after the other.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::{Candidates, ScoresError, SelectionError, dominated_by_a_response, noisy_top_k::share, race::Weights};
use crate::{
    exact::{Positive, Rational, Real},
    guarantee::{Domination, Guarantee},
    mechanism::{Private, opaque_debug},
    sample::{Interpreter, Program, Step},
};

/// k different candidates, best first: the exponential mechanism with ε/k on all, then on the rest, and so on
/// k times.
///
/// # Guarantee
///
/// Pure ε: k adaptive releases of ε/k each (Dwork and Roth 2014, Theorem 3.16), fresh randomness for each. By
/// [`Peeling::zcdp`], also k·(ε/k)²/8 = ε²/8k, which is much the better for large k. (The same distribution
/// as the k largest of scores with Gumbel noise: Durfee and Rogers 2019.) Tight as a supremum only for k = 1.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Positive, Rational}, guarantee::{LInfinity, Relation, Sensitivity}};
/// use certus::mechanism::{Private, selection::{Candidates, Peeling}};
///
/// let integer = |n: i64| Rational::from_integer(n.into());
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
/// let mechanism = Peeling::new(Candidates::new(3, &sensitivity)?, 2, Positive::new(integer(2))?)?;
/// let chosen = mechanism.release(&[integer(0), integer(999), integer(500)], &mut seeded([0; 32]))?;
/// assert_eq!(chosen.get(), &[1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Peeling {
    candidates: Candidates,
    k: usize,
    epsilon: Positive,
    guarantee: Guarantee,
}

/// The most that k choices look at, all together: about a second.
const MOST_LOOKS: usize = 1 << 22;

impl Peeling {
    /// k of these candidates, with this ε in all.
    ///
    /// # Errors
    ///
    /// If k is not from 1 to the number of candidates, or k times their number is over 2^22: each of the k
    /// choices looks at all that are left.
    pub fn new(candidates: Candidates, k: usize, epsilon: Positive) -> Result<Self, SelectionError> {
        candidates.at_most_all(k)?;
        if candidates.count().checked_mul(k).is_none_or(|looks| looks > MOST_LOOKS) {
            return Err(SelectionError::TooManyChoices);
        }
        Ok(Self { guarantee: candidates.pure(&epsilon)?, candidates, k, epsilon })
    }

    /// ε²/8k-zCDP: k times what [`Exponential::zcdp`](super::Exponential::zcdp) says of ε/k.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive ε excludes.
    pub fn zcdp(&self) -> Result<Guarantee, SelectionError> {
        let rho = self.epsilon.square().get()
            / Rational::from_integer(self.k.max(1).into())
            / Rational::from_integer(8.into());
        Ok(Guarantee::zcdp(self.candidates.relation(), Real::from(rho))?)
    }
}

impl Private for Peeling {
    type Input = [Rational];
    type Release = Peel;
    type Error = ScoresError;

    fn on(&self, scores: &[Rational]) -> Result<Peel, ScoresError> {
        let exponents = self.candidates.exponents(scores, &self.candidates.scale(&share(&self.epsilon, self.k)))?;
        Ok(Peel { weights: Weights::new(exponents), k: self.k })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: that of every ε-private mechanism.
    fn domination(&self) -> Domination {
        dominated_by_a_response(self.epsilon.get(), self.guarantee.relation())
    }
}

/// k choices with weights e^-xᵢ, each among those not chosen before.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peel {
    weights: Weights,
    /// Invariant: at most as many as there are weights.
    k: usize,
}

opaque_debug!(Peel);

impl Program for Peel {
    /// Those chosen so far.
    type State = Vec<usize>;
    type Output = Vec<usize>;

    fn start(&self) -> Vec<usize> {
        Vec::new()
    }

    fn step<I: Interpreter>(&self, mut chosen: Vec<usize>, on: &mut I) -> Step<Self, I> {
        if chosen.len() >= self.k {
            return Ok(ControlFlow::Break(chosen));
        }
        chosen.push(on.call(&self.weights.choice_without(&chosen))?);
        Ok(ControlFlow::Continue(chosen))
    }
}
