//! The exponential mechanism over a finite set.

use super::{Candidates, Inversion, ScoresError, SelectionError, dominated_by_a_response};
use crate::{
    exact::{NonNegative, Positive, Rational, Real},
    guarantee::{Domination, Guarantee, Weight},
    mechanism::Private,
};

/// The exponential mechanism: P(i) = e^(ε·uᵢ/span) / Σⱼ e^(ε·uⱼ/span), with span = 2Δ, or Δ for monotone
/// scores.
///
/// McSherry and Talwar 2007, Definition 2. Its weights are irrational; they are sampled exactly
/// ([`Inversion`]).
///
/// # Guarantee
///
/// Pure ε. P(i) = 1/Σⱼ e^(ε·(uⱼ − uᵢ)/span), and between neighbours each uⱼ − uᵢ moves by at most the span,
/// so that each term, and with them the sum, changes by a factor of at most e^ε. It is tight as a supremum:
/// for a candidate far below all others, each of which moves away from it by the whole span, the ratio tends
/// to e^ε, and never reaches it.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Positive, Rational}, guarantee::{LInfinity, Relation, Sensitivity}};
/// use certus::mechanism::{Private, selection::{Candidates, Exponential}};
///
/// let integer = |n: i64| Rational::from_integer(n.into());
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
/// let mechanism = Exponential::new(Candidates::new(3, &sensitivity)?.monotone(), Positive::new(integer(1))?)?;
/// let chosen = mechanism.release(&[integer(-1000), integer(400), integer(0)], &mut seeded([0; 32]))?;
/// assert_eq!(chosen.get(), &1);
/// assert_eq!(chosen.guarantee().to_string(), "pure, epsilon = 1; neighbours: add or remove one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exponential {
    candidates: Candidates,
    epsilon: Positive,
    guarantee: Guarantee,
}

impl Exponential {
    /// The mechanism for these candidates and this ε.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive ε excludes.
    pub fn new(candidates: Candidates, epsilon: Positive) -> Result<Self, SelectionError> {
        Ok(Self { guarantee: candidates.pure(&epsilon)?, candidates, epsilon })
    }

    /// ε²/8-zCDP, which follows from more than the ε: the losses ln(P(i)/P′(i)) of two neighbours lie in an
    /// interval of width ε, since those of two candidates differ by ε/span times what moved between their
    /// scores (Cesar and Rogers 2021, Lemma 4.1 and Theorem 5; Dong, Durfee and Rogers 2020).
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive ε excludes.
    pub fn zcdp(&self) -> Result<Guarantee, SelectionError> {
        let rho = self.epsilon.square().get() / Rational::from_integer(8.into());
        Ok(Guarantee::zcdp(self.candidates.relation(), Real::from(rho))?)
    }
}

/// The choice with weights e^-xᵢ. There is one of weight 1 among the exponents of scores.
pub(super) fn softmax(
    exponents: impl Iterator<Item = NonNegative>,
    candidates: usize,
) -> Result<Inversion, ScoresError> {
    let weights = exponents.map(|exponent| Weight { factor: NonNegative::one(), exponent });
    Inversion::new(weights.collect()).map_err(|_| ScoresError { candidates })
}

impl Private for Exponential {
    type Input = [Rational];
    type Release = Inversion;
    type Error = ScoresError;

    fn on(&self, scores: &[Rational]) -> Result<Inversion, ScoresError> {
        let exponents = self.candidates.exponents(scores, &self.candidates.scale(&self.epsilon))?;
        softmax(exponents.into_iter(), self.candidates.count())
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: the loss ε is approached and never reached.
    fn domination(&self) -> Domination {
        dominated_by_a_response(self.epsilon.get(), self.guarantee.relation())
    }
}
