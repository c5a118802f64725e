//! Pairs (P, Q) of output distributions, as exact descriptions rather than as numbers.

use alloc::{boxed::Box, vec::Vec};

use num_bigint::BigUint;
use num_traits::Zero;

use crate::exact::{NonNegative, Positive, Probability, Rational};

/// A pair (P, Q) of distributions over the same outputs. Its *privacy profile* is the hockey-stick divergence
/// δ(ε) = Σ_y max(P(y) − e^ε·Q(y), 0).
///
/// A mechanism is (ε, δ)-private if its pairs' profiles are at most δ at ε: they *dominate* the output
/// distributions of neighbouring inputs (Zhu, Dong and Wang 2022, Definition 7).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Pair {
    /// P is discrete Laplace noise, P(y) ∝ e^(-|y|/scale), and Q the same moved by `shift`.
    Laplace {
        /// The scale of the noise.
        scale: Positive,
        /// The distance Δ between the true answers; 0 makes P and Q equal.
        shift: BigUint,
    },
    /// P is discrete Gaussian noise, P(y) ∝ e^(-y²/2σ²), and Q the same moved by `shift`.
    Gaussian {
        /// σ².
        variance: Positive,
        /// The distance Δ between the true answers; 0 makes P and Q equal.
        shift: BigUint,
    },
    /// Finitely many outcomes.
    Finite(FinitePair),
    /// Poisson subsampling at `rate` r of the pair (P, Q), of which P has the person: ((1 − r)·Q + r·P, Q),
    /// or the reverse of it.
    ///
    /// Zhu, Dong and Wang 2022, Theorem 11: it dominates the subsampled mechanism for add/remove neighbours.
    Subsampled {
        /// r, the probability that a person is in the sample.
        rate: Probability,
        /// The pair that is subsampled.
        of: Box<Pair>,
        /// Whether the pair is (Q, (1 − r)·Q + r·P) instead.
        reversed: bool,
    },
}

impl Pair {
    /// (Q, P) for (P, Q), up to a renaming of the outputs, which changes no profile.
    #[must_use]
    pub fn reversed(&self) -> Self {
        match self {
            // y ↦ shift − y exchanges the two.
            Self::Laplace { .. } | Self::Gaussian { .. } => self.clone(),
            Self::Finite(pair) => Self::Finite(pair.reversed()),
            Self::Subsampled { rate, of, reversed } => {
                Self::Subsampled { rate: rate.clone(), of: of.clone(), reversed: !reversed }
            }
        }
    }

    /// Whether (P, Q) and (Q, P) have the same profile because a renaming of the outputs exchanges them.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        *self == self.reversed()
    }
}

/// The weight c·e^-x of one outcome, before it is divided by the sum of all weights.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight {
    /// c.
    pub factor: NonNegative,
    /// x.
    pub exponent: NonNegative,
}

impl Weight {
    /// The rational weight c.
    #[must_use]
    pub fn rational(factor: NonNegative) -> Self {
        Self { factor, exponent: NonNegative::zero() }
    }

    /// Whether the weight is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.factor.get().is_zero()
    }
}

/// Why a finite pair is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FinitePairError {
    /// P or Q has no outcome of positive weight.
    #[error("must have an outcome of positive probability on either side")]
    NoMass,
    /// The probabilities of a side do not add up to 1.
    #[error("must have probabilities that add up to 1 on either side")]
    NotNormalised,
}

/// Two distributions over finitely many outcomes: outcome i has (Pᵢ, Qᵢ) ∝ its two weights.
///
/// The outcomes are sorted, those of no weight on either side left out (Invariant #1), so that equal pairs
/// compare equal. Each side has an outcome of positive weight (Invariant #2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FinitePair {
    outcomes: Vec<(Weight, Weight)>,
}

impl FinitePair {
    /// From the two weights of every outcome; each side is divided by its sum.
    ///
    /// # Errors
    ///
    /// If a side has no positive weight.
    pub fn new(outcomes: Vec<(Weight, Weight)>) -> Result<Self, FinitePairError> {
        let mut outcomes: Vec<_> = outcomes.into_iter().filter(|(p, q)| !(p.is_zero() && q.is_zero())).collect();
        if outcomes.iter().all(|(p, _)| p.is_zero()) || outcomes.iter().all(|(_, q)| q.is_zero()) {
            return Err(FinitePairError::NoMass);
        }
        outcomes.sort();
        Ok(Self { outcomes })
    }

    /// From the two probabilities of every outcome.
    ///
    /// # Errors
    ///
    /// If a side's do not add up to exactly 1.
    pub fn from_probabilities(outcomes: Vec<(Probability, Probability)>) -> Result<Self, FinitePairError> {
        let one = Rational::from_integer(1.into());
        let p: Rational = outcomes.iter().map(|(p, _)| p.get()).sum();
        let q: Rational = outcomes.iter().map(|(_, q)| q.get()).sum();
        if p != one || q != one {
            return Err(FinitePairError::NotNormalised);
        }
        let weight = |p: Probability| Weight::rational(p.into());
        Self::new(outcomes.into_iter().map(|(p, q)| (weight(p), weight(q))).collect())
    }

    /// P and Q on different outcomes: no privacy at all, δ(ε) = 1 for every ε.
    #[must_use]
    pub fn revealing() -> Self {
        let (zero, one) = (NonNegative::zero(), NonNegative::one());
        let outcome = |p: &NonNegative, q: &NonNegative| (Weight::rational(p.clone()), Weight::rational(q.clone()));
        Self { outcomes: alloc::vec![outcome(&zero, &one), outcome(&one, &zero)] }
    }

    /// The two weights of every outcome.
    #[must_use]
    pub fn outcomes(&self) -> &[(Weight, Weight)] {
        &self.outcomes
    }

    fn reversed(&self) -> Self {
        let mut outcomes: Vec<_> = self.outcomes.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
        outcomes.sort();
        Self { outcomes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probability(n: i64, d: i64) -> Probability {
        Probability::new(Rational::new(n.into(), d.into())).unwrap()
    }

    #[test]
    fn a_finite_pair_is_two_distributions() {
        let third = || probability(1, 3);
        let pair = |a, b, c, d| FinitePair::from_probabilities(alloc::vec![(a, b), (c, d)]);
        assert!(pair(third(), probability(2, 3), probability(2, 3), third()).is_ok());
        let short = pair(third(), third(), third(), probability(2, 3));
        assert_eq!(short, Err(FinitePairError::NotNormalised));
        let zero = Weight::rational(NonNegative::zero());
        let one = Weight::rational(probability(1, 1).into());
        assert_eq!(FinitePair::new(alloc::vec![(zero.clone(), one.clone())]), Err(FinitePairError::NoMass));
        assert_eq!(FinitePair::new(alloc::vec![(one, zero)]), Err(FinitePairError::NoMass));
    }

    #[test]
    fn reversing_twice_changes_nothing() {
        let asymmetric = FinitePair::from_probabilities(alloc::vec![
            (probability(1, 2), probability(0, 1)),
            (probability(1, 2), probability(1, 1)),
        ]);
        let asymmetric = Pair::Finite(asymmetric.unwrap());
        assert!(!asymmetric.is_symmetric());
        assert_eq!(asymmetric.reversed().reversed(), asymmetric);
        let response = FinitePair::from_probabilities(alloc::vec![
            (probability(3, 4), probability(1, 4)),
            (probability(1, 4), probability(3, 4)),
        ]);
        assert!(Pair::Finite(response.unwrap()).is_symmetric());
        let noise =
            Pair::Laplace { scale: Positive::new(Rational::from_integer(2.into())).unwrap(), shift: 1u32.into() };
        assert!(noise.is_symmetric());
        let sampled = Pair::Subsampled { rate: probability(1, 10), of: Box::new(noise), reversed: false };
        assert!(!sampled.is_symmetric());
        assert_eq!(sampled.reversed().reversed(), sampled);
    }
}
