//! The k best by peeling: one exponential mechanism after the other.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use super::{
    Candidates, ScoresError, SelectionError, dominated_by_a_response, exponential::softmax, noisy_top_k::share,
};
use crate::{
    exact::{NonNegative, Positive, Rational, Real},
    guarantee::{Domination, Guarantee},
    mechanism::{Private, opaque_debug},
    sample::{Interpreter, Program, Step},
};

/// k different candidates, best first: the exponential mechanism with ε/k on all, then on the rest, and so on k times.
///
/// # Guarantee
///
/// Pure ε: k adaptive releases of ε/k each (Dwork and Roth 2014, Theorem 3.16), fresh randomness for each. By [`Peeling::zcdp`], also
/// k·(ε/k)²/8 = ε²/8k, which is much the better for large k. (The same distribution as the k largest of scores with Gumbel noise: Durfee and Rogers 2019.) Tight as a supremum only for k = 1.
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

impl Peeling {
    /// k of these candidates, with this ε in all.
    ///
    /// # Errors
    ///
    /// If k is not from 1 to the number of candidates.
    pub fn new(candidates: Candidates, k: usize, epsilon: Positive) -> Result<Self, SelectionError> {
        candidates.at_most_all(k)?;
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
        Ok(Peel { exponents: exponents.into(), k: self.k })
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
    exponents: Arc<[NonNegative]>,
    /// Invariant: at most as many as there are exponents.
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
        let left: Vec<usize> = (0..self.exponents.len()).filter(|index| !chosen.contains(index)).collect();
        let exponents = left.iter().filter_map(|index| self.exponents.get(*index)).cloned();
        let choice = softmax(exponents, left.len()).map_err(|_| on.overflow())?;
        let place = on.call(&choice)?;
        chosen.push(*left.get(place).ok_or_else(|| on.overflow())?);
        Ok(ControlFlow::Continue(chosen))
    }
}
