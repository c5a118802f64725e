//! A guarantee: how far the outputs on neighbouring inputs may be apart, and which inputs are neighbours.

use core::fmt;

use super::Relation;
use crate::exact::{Positive, Rational, Real};

/// How far apart the outputs on neighbouring inputs may be.
///
/// M(D) and M(D′) are the outputs on neighbours, in either order, and S any event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Privacy {
    /// P(M(D) ∈ S) ≤ e^ε·P(M(D′) ∈ S). Dwork, McSherry, Nissim and Smith 2006.
    Pure {
        /// ε ≥ 0.
        epsilon: Real,
    },
    /// P(M(D) ∈ S) ≤ e^ε·P(M(D′) ∈ S) + δ.
    Approximate {
        /// ε ≥ 0.
        epsilon: Real,
        /// δ from 0 to 1.
        delta: Real,
    },
    /// Rényi divergence of every order α > 1 at most ρ·α. Bun and Steinke 2016, Definition 1.1.
    Zcdp {
        /// ρ ≥ 0.
        rho: Real,
    },
    /// Rényi divergence of order α at most ε. Mironov 2017, Definition 4.
    Renyi {
        /// α > 1.
        alpha: Rational,
        /// ε ≥ 0.
        epsilon: Real,
    },
}

/// Why a guarantee is none, or does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GuaranteeError {
    /// ε is not known to be ≥ 0.
    #[error("epsilon must be zero or greater (epsilon >= 0)")]
    Epsilon,
    /// δ is not known to be in [0, 1).
    #[error("delta must be from 0 to below 1 (0 <= delta < 1)")]
    Delta,
    /// ρ is not known to be ≥ 0.
    #[error("rho must be zero or greater (rho >= 0)")]
    Rho,
    /// α ≤ 1.
    #[error("alpha must be greater than 1 (alpha > 1)")]
    Alpha,
    /// A number of copies or of people is 0.
    #[error("the number must be at least 1")]
    Count,
    /// A rate is not in [0, 1].
    #[error("the rate must be from 0 to 1")]
    Rate,
    /// Two guarantees speak of different neighbours.
    #[error("both guarantees must be for the same neighbours (add_remove or change_one)")]
    RelationsDiffer,
    /// Pairs for add/remove neighbours whose two steps are not known.
    #[error("no conversion from add/remove to change-one neighbours is known for these pairs")]
    NoTwoSteps,
    /// The kinds of guarantee do not combine, or the wanted one does not follow.
    #[error("the guarantees must be of kinds that combine: convert one to the other's first")]
    KindsDiffer,
    /// A part of the data has a guarantee for change-one neighbours.
    #[error("guarantees of parts must be for adding or removing a record: one that moves between parts does both")]
    PartChanges,
    /// There is nothing to combine.
    #[error("at least one guarantee must be given")]
    Empty,
}

/// A [`Privacy`] for a [`Relation`].
///
/// ```
/// use certus::{exact::Real, guarantee::{Guarantee, Relation}};
///
/// // Randomized response with γ = 1/4 tells the truth with probability 3/4: ε = ln 3.
/// let response = Guarantee::pure(Relation::ChangeOne, Real::from(3).ln())?;
/// let ten = response.k_fold(10)?;
/// assert!(ten.to_string().starts_with("pure, epsilon = [10.986122886681"));
/// # Ok::<(), certus::guarantee::GuaranteeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantee {
    relation: Relation,
    privacy: Privacy,
}

fn is_non_negative(value: &Real) -> bool {
    Real::from(0).is_at_most(value)
}

impl Guarantee {
    /// ε-privacy.
    ///
    /// # Errors
    ///
    /// If ε is not ≥ 0.
    pub fn pure(relation: Relation, epsilon: Real) -> Result<Self, GuaranteeError> {
        if !is_non_negative(&epsilon) {
            return Err(GuaranteeError::Epsilon);
        }
        Ok(Self::new(relation, Privacy::Pure { epsilon }))
    }

    /// (ε, δ)-privacy.
    ///
    /// # Errors
    ///
    /// If ε is not ≥ 0, or δ not in [0, 1).
    pub fn approximate(relation: Relation, epsilon: Real, delta: Real) -> Result<Self, GuaranteeError> {
        if !is_non_negative(&epsilon) {
            return Err(GuaranteeError::Epsilon);
        }
        let below_one = delta.compare(&Real::from(1)) == Some(core::cmp::Ordering::Less);
        if !is_non_negative(&delta) || !below_one {
            return Err(GuaranteeError::Delta);
        }
        Ok(Self::new(relation, Privacy::Approximate { epsilon, delta }))
    }

    /// ρ-zCDP.
    ///
    /// # Errors
    ///
    /// If ρ is not ≥ 0.
    pub fn zcdp(relation: Relation, rho: Real) -> Result<Self, GuaranteeError> {
        if !is_non_negative(&rho) {
            return Err(GuaranteeError::Rho);
        }
        Ok(Self::new(relation, Privacy::Zcdp { rho }))
    }

    /// (α, ε)-Rényi privacy.
    ///
    /// # Errors
    ///
    /// If α is not > 1, or ε not ≥ 0.
    pub fn renyi(relation: Relation, alpha: &Positive, epsilon: Real) -> Result<Self, GuaranteeError> {
        if *alpha.get() <= Rational::from_integer(1.into()) {
            return Err(GuaranteeError::Alpha);
        }
        if !is_non_negative(&epsilon) {
            return Err(GuaranteeError::Epsilon);
        }
        Ok(Self::new(relation, Privacy::Renyi { alpha: alpha.get().clone(), epsilon }))
    }

    pub(crate) fn new(relation: Relation, privacy: Privacy) -> Self {
        Self { relation, privacy }
    }

    /// No guarantee at all: (0, 1), which everything has.
    #[must_use]
    pub fn none(relation: Relation) -> Self {
        Self::new(relation, Privacy::Approximate { epsilon: Real::from(0), delta: Real::from(1) })
    }

    /// Whether it is [none](Self::none) at all.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::none(self.relation)
    }

    /// The neighbours that it speaks of.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// How far apart.
    #[must_use]
    pub fn privacy(&self) -> &Privacy {
        &self.privacy
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.privacy {
            Privacy::Pure { epsilon } => write!(f, "pure, epsilon = {epsilon}")?,
            Privacy::Approximate { epsilon, delta } => {
                write!(f, "approximate, epsilon = {epsilon}, delta = {delta}")?;
            }
            Privacy::Zcdp { rho } => write!(f, "zCDP, rho = {rho}")?,
            Privacy::Renyi { alpha, epsilon } => write!(f, "Renyi of order {alpha}, epsilon = {epsilon}")?,
        }
        write!(f, "; neighbours: {}", self.relation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_names_its_predicate() {
        let relation = Relation::AddRemove;
        let (zero, minus, one) = (Real::from(0), Real::from(-1), Real::from(1));
        assert_eq!(Guarantee::pure(relation, minus.clone()), Err(GuaranteeError::Epsilon));
        assert_eq!(Guarantee::pure(relation, minus.ln()), Err(GuaranteeError::Epsilon), "no value");
        assert_eq!(Guarantee::approximate(relation, minus.clone(), zero.clone()), Err(GuaranteeError::Epsilon));
        assert_eq!(Guarantee::approximate(relation, zero.clone(), one.clone()), Err(GuaranteeError::Delta));
        assert_eq!(Guarantee::approximate(relation, zero.clone(), minus.clone()), Err(GuaranteeError::Delta));
        assert_eq!(Guarantee::zcdp(relation, minus.clone()), Err(GuaranteeError::Rho));
        let order = Positive::new(Rational::from_integer(1.into())).unwrap();
        assert_eq!(Guarantee::renyi(relation, &order, one), Err(GuaranteeError::Alpha));
        assert!(Guarantee::pure(relation, zero).is_ok());
    }
}
