//! Permute-and-flip: a choice at least as good as the exponential mechanism's, for the same ε.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Candidates, ScoresError, SelectionError, dominated_by_a_response};
use crate::{
    exact::{Positive, Rational},
    guarantee::{Domination, Guarantee},
    mechanism::{Private, opaque_debug},
    sample::{BernoulliExp, Interpreter, Program, Step, Uniform},
};

/// Permute-and-flip: look at the candidates in a random order, and take each with probability e^(−ε·(max u −
/// uᵢ)/span), until one is taken.
///
/// McKenna and Sheldon 2020, Algorithm 1. Its expected error is never more than the exponential mechanism's
/// (their Theorem 2). The best candidate is always taken when its turn comes, so there is always an outcome.
///
/// # Guarantee
///
/// Pure ε, and tight: it is attained. The outcome is distributed as the argmax of uᵢ + Xᵢ with exponential
/// noise Xᵢ of scale span/ε (Ding, Kifer, Steinke et al. 2021). With the others' noise fixed, i wins iff Xᵢ ≥
/// t = maxⱼ (uⱼ − uᵢ + Xⱼ), with probability min(1, e^(−ε·t/span)), and t moves by at most the span between
/// neighbours. Of two candidates the worse has probability ½·e^(−ε·gap/span), which a gap that grows by the
/// span multiplies by exactly e^-ε.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Positive, Rational}, guarantee::{LInfinity, Relation, Sensitivity}};
/// use certus::mechanism::{Private, selection::{Candidates, PermuteAndFlip}};
///
/// let integer = |n: i64| Rational::from_integer(n.into());
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::ChangeOne);
/// let mechanism = PermuteAndFlip::new(Candidates::new(2, &sensitivity)?, Positive::new(integer(1))?)?;
/// assert_eq!(mechanism.release(&[integer(500), integer(0)], &mut seeded([0; 32]))?.get(), &0);
/// assert!(mechanism.on(&[integer(1)]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PermuteAndFlip {
    candidates: Candidates,
    epsilon: Positive,
    guarantee: Guarantee,
}

impl PermuteAndFlip {
    /// The mechanism for these candidates and this ε.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive ε excludes.
    pub fn new(candidates: Candidates, epsilon: Positive) -> Result<Self, SelectionError> {
        Ok(Self { guarantee: candidates.pure(&epsilon)?, candidates, epsilon })
    }
}

impl Private for PermuteAndFlip {
    type Input = [Rational];
    type Release = Flips;
    type Error = ScoresError;

    fn on(&self, scores: &[Rational]) -> Result<Flips, ScoresError> {
        let exponents = self.candidates.exponents(scores, &self.candidates.scale(&self.epsilon))?;
        Ok(Flips { coins: exponents.iter().map(BernoulliExp::new).collect() })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: ε is, by the candidate that is behind, but no neighbours have the losses ±ε alone.
    fn domination(&self) -> Domination {
        dominated_by_a_response(self.epsilon.get(), self.guarantee.relation())
    }
}

/// One coin a candidate, tossed in a random order until one comes up true: its index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flips {
    /// Invariant: one of them is certain.
    coins: Arc<[BernoulliExp]>,
}

opaque_debug!(Flips);

impl Program for Flips {
    /// The candidates that were not looked at yet, in ascending order: a random permutation, drawn as far as
    /// it is needed.
    type State = Vec<usize>;
    type Output = usize;

    fn start(&self) -> Vec<usize> {
        (0..self.coins.len()).collect()
    }

    fn step<I: Interpreter>(&self, mut left: Vec<usize>, on: &mut I) -> Step<Self, I> {
        let next = Uniform::new(BigUint::from(left.len())).map_err(|_| on.overflow())?;
        let place = on.call(&next)?.to_i64().and_then(|place| usize::try_from(place).ok());
        let place = place.filter(|place| *place < left.len()).ok_or_else(|| on.overflow())?;
        let candidate = left.remove(place);
        let coin = self.coins.get(candidate).ok_or_else(|| on.overflow())?;
        Ok(if on.call(coin)? { ControlFlow::Break(candidate) } else { ControlFlow::Continue(left) })
    }
}
