//! A survey of one question by randomized response.

use core::convert::Infallible;

use super::{Proportion, ProportionError, StatisticError};
use crate::{
    exact::{Integer, Real},
    guarantee::{Domination, Guarantee, Relation},
    mechanism::{Private, RandomizedResponse, Response},
};

/// One person's answer by [`RandomizedResponse`], and what many of them tell.
///
/// # Guarantee
///
/// Pure ε = |ln(p/q)| for a person whose true answer changes, with p the probability of the truth and q of
/// each other answer: exact, and ln((1 + 2γ)/(1 − 2γ)) for two answers and p = ½ + γ. Tight, and the pair is
/// exact.
///
/// ```
/// use certus::{bits::seeded, exact::{Probability, Rational, Real}, mechanism::{Private, RandomizedResponse, statistic::Survey}};
///
/// let three_quarters = Probability::new(Rational::new(3.into(), 4.into()))?;
/// let survey = Survey::new(RandomizedResponse::truth_with(three_quarters, 2))?;
/// assert!(survey.guarantee().to_string().starts_with("pure, epsilon = [1.0986122886681096913"));
/// // 600 of 1000 said yes: E = 1/4 + π/2, so that π is estimated as 7/10.
/// let proportion = survey.proportion(600, 1000)?;
/// assert_eq!(proportion.estimate(), &Real::ratio(7, 10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Survey {
    response: RandomizedResponse,
    guarantee: Guarantee,
}

impl Survey {
    /// A survey with this response.
    ///
    /// # Errors
    ///
    /// If an answer is certain or impossible: there is no ε then.
    pub fn new(response: RandomizedResponse) -> Result<Self, StatisticError> {
        let epsilon = response.epsilon().ok_or(StatisticError::CertainAnswer)?;
        Ok(Self { response, guarantee: Guarantee::pure(Relation::ChangeOne, epsilon)? })
    }

    /// What it tells that `matching` of `responses` people gave a certain answer.
    ///
    /// # Errors
    ///
    /// If there are no responses, fewer than match, or the truth is no likelier or unlikelier than the rest.
    pub fn proportion(&self, matching: u64, responses: u64) -> Result<Proportion, ProportionError> {
        let (truth, other): (Real, Real) = self.response.probabilities();
        Proportion::new(truth, other, matching, responses)
    }
}

impl Private for Survey {
    type Input = Integer;
    type Release = Response;
    type Error = Infallible;

    fn on(&self, truth: &Integer) -> Result<Response, Infallible> {
        self.response.on(truth)
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by any two true answers.
    fn domination(&self) -> Domination {
        self.response.domination()
    }
}
