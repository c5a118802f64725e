//! The sparse vector technique with answers.

use alloc::vec::Vec;
use core::{convert::Infallible, ops::ControlFlow};

use super::{SparseAnswers, SparseVector, ThresholdError, dominated_by_a_response};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Domination, Guarantee},
    mechanism::{Private, opaque_debug},
    sample::{Interpreter, Laplace, Program, Step},
};

/// A [`SparseVector`] that also answers each query that passes: qᵢ + Lap(cΔ/ε₃), with noise that is drawn
/// afresh.
///
/// # Guarantee
///
/// Pure ε₁ + ε₂ + ε₃: the sparse vector, and at most c Laplace mechanisms of ε₃/c each (Dwork and Roth 2014,
/// Algorithm 3 and Theorem 3.28, with the noise of Lyu, Su and Li 2017, Theorem 4). The answer must not reuse
/// the noise of the comparison: that the query passed says where it was. Not claimed to be tight.
///
/// ```
/// use certus::{bits::seeded, exact::{Integer, NonNegative, Positive, Rational}, guarantee::{LInfinity, Relation, Sensitivity}};
/// use certus::mechanism::{Private, selection::{SelectionNoise, NumericSparseVector, SparseVector}};
///
/// let half = Positive::new(Rational::new(1.into(), 2.into()))?;
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
/// let test = SparseVector::new(&sensitivity, 100.into(), 1, &half, &half, SelectionNoise::Laplace)?;
/// let mechanism = NumericSparseVector::new(test, &half)?;
/// let queries = [-900, 2000].map(|query: i64| Integer::from(query));
/// let answers = mechanism.release(&queries, &mut seeded([0; 32]))?;
/// assert!(answers.get()[0].is_none() && answers.get()[1].as_ref() > Some(&Integer::from(1900)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NumericSparseVector {
    test: SparseVector,
    epsilon: Rational,
    answer_noise: Laplace,
    guarantee: Guarantee,
}

impl NumericSparseVector {
    /// A sparse vector, and ε₃ for the answers.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive ε excludes.
    pub fn new(test: SparseVector, epsilon_answers: &Positive) -> Result<Self, ThresholdError> {
        let before = test.guarantee();
        let answers = Guarantee::pure(before.relation(), Real::from(epsilon_answers.clone()))?;
        let guarantee = before.compose(&answers)?;
        let epsilon = test.epsilon() + epsilon_answers.get();
        Ok(Self { answer_noise: Laplace::new(&test.scale_of_passes(epsilon_answers)), test, epsilon, guarantee })
    }
}

impl Private for NumericSparseVector {
    type Input = [Integer];
    type Release = NumericAnswers;
    type Error = Infallible;

    fn on(&self, queries: &[Integer]) -> Result<NumericAnswers, Infallible> {
        Ok(NumericAnswers { test: self.test.answers(queries), answer_noise: self.answer_noise.clone() })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: that of every ε-private mechanism.
    fn domination(&self) -> Domination {
        dominated_by_a_response(&self.epsilon, self.guarantee.relation())
    }
}

/// For each query, nothing if it does not pass, and a noisy answer if it does; up to the last that may.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumericAnswers {
    test: SparseAnswers,
    answer_noise: Laplace,
}

opaque_debug!(NumericAnswers);

impl Program for NumericAnswers {
    /// The noisy threshold once it is drawn, and the answers so far.
    type State = (Option<Integer>, Vec<Option<Integer>>);
    type Output = Vec<Option<Integer>>;

    fn start(&self) -> Self::State {
        (None, Vec::new())
    }

    fn step<I: Interpreter>(&self, (threshold, mut answers): Self::State, on: &mut I) -> Step<Self, I> {
        let Some(threshold) = threshold else {
            return Ok(ControlFlow::Continue((Some(self.test.draw_threshold(on)?), answers)));
        };
        let passed = answers.iter().flatten().count();
        let Some(query) = self.test.next(answers.len(), passed) else { return Ok(ControlFlow::Break(answers)) };
        let passes = self.test.passes(query, &threshold, on)?;
        answers.push(if passes { Some(query.add(&on.call(&self.answer_noise)?)) } else { None });
        Ok(ControlFlow::Continue((Some(threshold), answers)))
    }
}
