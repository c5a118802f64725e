//! Composition: what several releases about the same people guarantee together, chosen adaptively or not.

use super::{Guarantee, GuaranteeError, Privacy, Relation};
use crate::exact::Real;

impl Guarantee {
    /// Both releases together; the second may be chosen after seeing the first.
    ///
    /// Parameters of the same kind add up: Dwork and Roth 2014, Theorem 3.16 (ε, δ); Bun and Steinke 2016, Lemma 2.3 (ρ); Mironov
    /// 2017, Proposition 1 (order α). A pure guarantee is first converted to the other's kind, and zCDP to Rényi. What needs a choice
    /// (a δ for zCDP beside (ε, δ), two different orders) is not guessed.
    ///
    /// ```
    /// use certus::{exact::Real, guarantee::{Guarantee, Relation}};
    ///
    /// let count = Guarantee::pure(Relation::AddRemove, Real::ratio(1, 10))?;
    /// let sum = Guarantee::approximate(Relation::AddRemove, Real::ratio(1, 2), Real::ratio(1, 1_000_000))?;
    /// let both = Guarantee::approximate(Relation::AddRemove, Real::ratio(3, 5), Real::ratio(1, 1_000_000))?;
    /// assert_eq!(count.compose(&sum)?, both);
    /// # Ok::<(), certus::guarantee::GuaranteeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the neighbours differ, or the kinds do not combine.
    pub fn compose(&self, other: &Self) -> Result<Self, GuaranteeError> {
        let (a, b) = self.alike(other)?;
        let privacy = match (a.privacy(), b.privacy()) {
            (Privacy::Pure { epsilon: a }, Privacy::Pure { epsilon: b }) => Privacy::Pure { epsilon: a + b },
            (Privacy::Approximate { epsilon: a, delta: c }, Privacy::Approximate { epsilon: b, delta: d }) => {
                Privacy::Approximate { epsilon: a + b, delta: at_most_one(&(c + d)) }
            }
            (Privacy::Zcdp { rho: a }, Privacy::Zcdp { rho: b }) => Privacy::Zcdp { rho: a + b },
            (Privacy::Renyi { alpha, epsilon: a }, Privacy::Renyi { epsilon: b, .. }) => {
                Privacy::Renyi { alpha: alpha.clone(), epsilon: a + b }
            }
            _ => return Err(GuaranteeError::KindsDiffer),
        };
        Ok(Self::new(self.relation(), privacy))
    }

    /// `k` releases, each with this guarantee, chosen adaptively.
    ///
    /// # Errors
    ///
    /// If k is 0.
    pub fn k_fold(&self, k: u64) -> Result<Self, GuaranteeError> {
        if k == 0 {
            return Err(GuaranteeError::Count);
        }
        let times = |value: &Real| &Real::from(num_rational::Ratio::from_integer(k.into())) * value;
        let privacy = match self.privacy() {
            Privacy::Pure { epsilon } => Privacy::Pure { epsilon: times(epsilon) },
            Privacy::Approximate { epsilon, delta } => {
                Privacy::Approximate { epsilon: times(epsilon), delta: at_most_one(&times(delta)) }
            }
            Privacy::Zcdp { rho } => Privacy::Zcdp { rho: times(rho) },
            Privacy::Renyi { alpha, epsilon } => Privacy::Renyi { alpha: alpha.clone(), epsilon: times(epsilon) },
        };
        Ok(Self::new(self.relation(), privacy))
    }

    /// Releases about disjoint parts of the data, where a record's own value decides its part (McSherry 2009, Theorem 4).
    ///
    /// Adding or removing a record touches one part: the largest parameters hold. Changing one may move it from a part to another, and
    /// touches two: twice the largest.
    ///
    /// # Errors
    ///
    /// If there is none, the neighbours differ, or the kinds do not combine.
    pub fn parallel(guarantees: &[Self]) -> Result<Self, GuaranteeError> {
        let (first, rest) = guarantees.split_first().ok_or(GuaranteeError::Empty)?;
        let worst = rest.iter().try_fold(first.clone(), |worst, next| worst.worst(next))?;
        match worst.relation() {
            Relation::AddRemove => Ok(worst),
            Relation::ChangeOne => worst.k_fold(2),
        }
    }

    /// Guaranteed by either of the two.
    fn worst(&self, other: &Self) -> Result<Self, GuaranteeError> {
        let (a, b) = self.alike(other)?;
        let privacy = match (a.privacy(), b.privacy()) {
            (Privacy::Pure { epsilon: a }, Privacy::Pure { epsilon: b }) => Privacy::Pure { epsilon: a.max(b) },
            (Privacy::Approximate { epsilon: a, delta: c }, Privacy::Approximate { epsilon: b, delta: d }) => {
                Privacy::Approximate { epsilon: a.max(b), delta: c.max(d) }
            }
            (Privacy::Zcdp { rho: a }, Privacy::Zcdp { rho: b }) => Privacy::Zcdp { rho: a.max(b) },
            (Privacy::Renyi { alpha, epsilon: a }, Privacy::Renyi { epsilon: b, .. }) => {
                Privacy::Renyi { alpha: alpha.clone(), epsilon: a.max(b) }
            }
            _ => return Err(GuaranteeError::KindsDiffer),
        };
        Ok(Self::new(self.relation(), privacy))
    }

    /// Both as the same kind, by conversions that lose nothing that is not lost anyway.
    fn alike(&self, other: &Self) -> Result<(Self, Self), GuaranteeError> {
        if self.relation() != other.relation() {
            return Err(GuaranteeError::RelationsDiffer);
        }
        Ok((self.as_kind_of(other)?, other.as_kind_of(self)?))
    }

    /// This guarantee as the kind of the other, where it follows without a choice; itself where the other is the one to convert.
    pub(super) fn as_kind_of(&self, other: &Self) -> Result<Self, GuaranteeError> {
        match (self.privacy(), other.privacy()) {
            (Privacy::Pure { .. }, Privacy::Approximate { .. }) => {
                let (epsilon, delta) = self.pure_epsilon().map(|epsilon| (epsilon, Real::from(0)))?;
                Ok(Self::new(self.relation(), Privacy::Approximate { epsilon, delta }))
            }
            (Privacy::Pure { .. }, Privacy::Zcdp { .. }) => self.to_zcdp(),
            (Privacy::Pure { .. } | Privacy::Zcdp { .. }, Privacy::Renyi { alpha, .. }) => self.to_renyi(alpha),
            (Privacy::Renyi { alpha: a, .. }, Privacy::Renyi { alpha: b, .. }) if a != b => {
                Err(GuaranteeError::KindsDiffer)
            }
            _ => Ok(self.clone()),
        }
    }
}

/// δ > 1 says no more than δ = 1.
pub(super) fn at_most_one(delta: &Real) -> Real {
    delta.min(&Real::from(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Positive, Rational};

    const ONE: Relation = Relation::AddRemove;

    fn pure(n: i64, d: i64) -> Guarantee {
        Guarantee::pure(ONE, Real::ratio(n, d)).unwrap()
    }

    fn order(n: i64) -> Positive {
        Positive::new(Rational::from_integer(n.into())).unwrap()
    }

    #[test]
    fn k_copies_are_one_by_one() {
        let renyi = Guarantee::renyi(ONE, &order(3), Real::ratio(1, 7)).unwrap();
        let zcdp = Guarantee::zcdp(ONE, Real::ratio(1, 50)).unwrap();
        let approximate = Guarantee::approximate(ONE, Real::ratio(1, 3), Real::ratio(1, 1000)).unwrap();
        for guarantee in [pure(1, 10), approximate, zcdp, renyi] {
            let one_by_one = (1..5).fold(guarantee.clone(), |sum, _| sum.compose(&guarantee).unwrap());
            assert_eq!(guarantee.k_fold(5).unwrap(), one_by_one);
            assert_eq!(guarantee.k_fold(0), Err(GuaranteeError::Count));
        }
    }

    #[test]
    fn kinds_combine_where_nothing_must_be_chosen() {
        let zcdp = Guarantee::zcdp(ONE, Real::ratio(1, 50)).unwrap();
        let renyi = Guarantee::renyi(ONE, &order(3), Real::ratio(1, 7)).unwrap();
        let other_order = Guarantee::renyi(ONE, &order(4), Real::ratio(1, 7)).unwrap();
        let approximate = Guarantee::approximate(ONE, Real::ratio(1, 3), Real::ratio(1, 1000)).unwrap();
        assert!(matches!(pure(1, 1).compose(&zcdp).unwrap().privacy(), Privacy::Zcdp { .. }));
        assert!(matches!(zcdp.compose(&pure(1, 1)).unwrap().privacy(), Privacy::Zcdp { .. }));
        assert!(matches!(zcdp.compose(&renyi).unwrap().privacy(), Privacy::Renyi { .. }));
        assert!(matches!(pure(1, 1).compose(&renyi).unwrap().privacy(), Privacy::Renyi { .. }));
        assert_eq!(zcdp.compose(&approximate), Err(GuaranteeError::KindsDiffer));
        assert_eq!(renyi.compose(&other_order), Err(GuaranteeError::KindsDiffer));
        let changed = Guarantee::pure(Relation::ChangeOne, Real::from(1)).unwrap();
        assert_eq!(pure(1, 1).compose(&changed), Err(GuaranteeError::RelationsDiffer));
    }

    #[test]
    fn disjoint_parts_cost_the_largest_and_a_change_touches_two() {
        assert_eq!(Guarantee::parallel(&[pure(1, 2), pure(2, 1), pure(1, 1)]).unwrap(), pure(2, 1));
        let changed = |n| Guarantee::pure(Relation::ChangeOne, Real::from(n)).unwrap();
        assert_eq!(Guarantee::parallel(&[changed(1), changed(3)]).unwrap(), changed(6));
        assert_eq!(Guarantee::parallel(&[]), Err(GuaranteeError::Empty));
    }

    #[test]
    fn delta_never_exceeds_one() {
        let loose = Guarantee::approximate(ONE, Real::from(1), Real::ratio(2, 3)).unwrap();
        let Privacy::Approximate { delta, .. } = loose.k_fold(9).unwrap().privacy().clone() else { panic!("kind") };
        assert_eq!(delta, Real::from(1));
    }
}
