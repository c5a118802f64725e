//! What is public of a choice: the number of candidates, and how far scores may move between neighbours.

use alloc::{borrow::Cow, vec::Vec};

use num_traits::{One, Zero};

use crate::{
    exact::{NonNegative, Positive, Rational, Real, number},
    guarantee::{Domination, FinitePair, Guarantee, GuaranteeError, LInfinity, Pair, Relation, Sensitivity},
};

/// Why a selection is none. The text depends on public parameters alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// There is nothing to choose from.
    #[error("the number of candidates must be at least 1")]
    NoCandidates,
    /// The sensitivity is 0.
    #[error("the sensitivity of a score must be positive (> 0)")]
    Sensitivity,
    /// k is 0 or more than there are.
    #[error("k must be from 1 to the number of candidates ({candidates})")]
    K {
        /// The number of candidates.
        candidates: usize,
    },
    /// So many choices among so many take too long.
    #[error("k times the number of candidates must be at most 2^22 (4194304)")]
    TooManyChoices,
    /// The guarantee is none.
    #[error(transparent)]
    Guarantee(#[from] GuaranteeError),
}

/// There is not one score for each candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one score for each of the {candidates} candidates")]
pub struct ScoresError {
    /// How many there must be.
    pub candidates: usize,
}

/// A finite set of candidates 0, 1, …, n − 1, and how far their scores may move between neighbours.
///
/// ```
/// use certus::{exact::NonNegative, guarantee::{LInfinity, Relation, Sensitivity}, mechanism::selection::Candidates};
///
/// // Ten candidates, scored by counts of records: one more record raises scores by at most 1, and lowers none.
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
/// let candidates = Candidates::new(10, &sensitivity)?.monotone();
/// assert_eq!(candidates.span().to_string(), "1");
/// # Ok::<(), certus::mechanism::selection::SelectionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// Invariant: at least 1.
    count: usize,
    sensitivity: Positive,
    relation: Relation,
    monotone: bool,
}

impl Candidates {
    /// So many candidates, each of whose scores moves by at most the sensitivity between neighbours.
    ///
    /// # Errors
    ///
    /// If there is none, or the sensitivity is 0.
    pub fn new(count: usize, sensitivity: &Sensitivity<LInfinity>) -> Result<Self, SelectionError> {
        if count == 0 {
            return Err(SelectionError::NoCandidates);
        }
        let relation = sensitivity.relation();
        let sensitivity = Positive::new(sensitivity.get().clone()).map_err(|_| SelectionError::Sensitivity)?;
        Ok(Self { count, sensitivity, relation, monotone: false })
    }

    /// Between any two neighbours all scores move the same way, as counts do when a record comes or goes.
    ///
    /// The caller vouches for it; it halves the noise.
    #[must_use]
    pub fn monotone(self) -> Self {
        Self { monotone: true, ..self }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The neighbours that the sensitivity is for.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// The most by which uᵢ − uⱼ can differ between neighbours: 2Δ, or Δ where all scores move the same way
    /// (one by Δ, the other not at all).
    #[must_use]
    pub fn span(&self) -> Rational {
        let sides = if self.monotone { Rational::one() } else { Rational::from_integer(2.into()) };
        self.sensitivity.get() * sides
    }

    /// span/ε: the scale of the noise, or the reciprocal of what a score is multiplied with in an exponent.
    pub(super) fn scale(&self, epsilon: &Positive) -> Positive {
        // Both are positive, and so is the quotient.
        Positive::new(self.span() / epsilon.get()).unwrap_or_else(|_| epsilon.clone())
    }

    /// (max u − uᵢ)/scale ≥ 0 for every candidate.
    ///
    /// # Errors
    ///
    /// If there are not as many scores as candidates.
    pub(super) fn exponents(&self, scores: &[Rational], scale: &Positive) -> Result<Vec<NonNegative>, ScoresError> {
        let refused = ScoresError { candidates: self.count };
        self.counted(scores)?;
        // A quotient by 0, which only `Ratio::new_raw` makes, has no distance to any other: taken for 0, it
        // moves none that is a number.
        let value = |score: &Rational| number(score).map_or_else(Rational::zero, Cow::into_owned);
        let scores: Vec<Rational> = scores.iter().map(value).collect();
        let best = scores.iter().max().ok_or(refused)?;
        scores.iter().map(|score| NonNegative::new((best - score) / scale.get()).map_err(|_| refused)).collect()
    }

    /// Refuses a number of scores that is not the number of candidates.
    pub(super) fn counted<T>(&self, scores: &[T]) -> Result<(), ScoresError> {
        if scores.len() == self.count { Ok(()) } else { Err(ScoresError { candidates: self.count }) }
    }

    /// Refuses a k that is not from 1 to the number of candidates.
    pub(super) fn at_most_all(&self, k: usize) -> Result<(), SelectionError> {
        if (1..=self.count).contains(&k) { Ok(()) } else { Err(SelectionError::K { candidates: self.count }) }
    }

    pub(super) fn pure(&self, epsilon: &Positive) -> Result<Guarantee, SelectionError> {
        Ok(Guarantee::pure(self.relation, Real::from(epsilon.clone()))?)
    }
}

/// What dominates anything that is ε-private for these neighbours. A bound: hardly anything but a response
/// attains a response, whose losses are ±ε alone.
pub(in crate::mechanism) fn dominated_by_a_response(epsilon: &Rational, relation: Relation) -> Domination {
    let pair = match NonNegative::new(epsilon.clone()) {
        Ok(epsilon) => FinitePair::responses(&epsilon, 1),
        Err(_) => FinitePair::revealing(),
    };
    Domination::by(Pair::Finite(pair)).for_neighbours(relation)
}
