//! Composition: what several releases about the same people guarantee together, chosen adaptively or not.

use super::{Guarantee, GuaranteeError, Privacy, Relation};
use crate::exact::Real;

impl Guarantee {
    /// Both releases together; the second may be chosen after seeing the first.
    ///
    /// Parameters of the same kind add up: Dwork and Roth 2014, Theorem 3.16 (ε, δ); Bun and Steinke 2016,
    /// Lemma 2.3 (ρ); Mironov 2017, Proposition 1 (order α). A pure guarantee is first converted to the
    /// other's kind, and zCDP to Rényi. What needs a choice (a δ for zCDP beside (ε, δ), two different
    /// orders) is not guessed.
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
                // Not enclosed at every step of many.
                Privacy::Approximate { epsilon: a + b, delta: (c + d).least(&Real::from(1)) }
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

    /// Releases about disjoint parts of the data, where a record's own value decides its part (McSherry 2009,
    /// Theorem 4), for the neighbours that are asked for. The parts' guarantees must be for adding or
    /// removing a record.
    ///
    /// * [`Relation::AddRemove`]: the record touches one part, so the largest parameters hold.
    /// * [`Relation::ChangeOne`]: the record may change inside a part, which is a group of two there; or move
    ///   to another part, so that one part loses a record and another gains one, and both costs add up.
    ///   [`Guarantee::group`] of two covers both: 2ε; (2ε, (1 + e^ε)·δ) where a move costs (2ε, 2δ); 4ρ where
    ///   a move costs 2ρ; order α/2 at 3ε where a move costs 2ε.
    ///
    /// A change-one guarantee of a part says nothing of a part that gains or loses a record: it is refused.
    ///
    /// # Errors
    ///
    /// If there is none, one of them is for change-one neighbours, the kinds do not combine, or a Rényi order
    /// is below 4.
    pub fn parallel(guarantees: &[Self], relation: Relation) -> Result<Self, GuaranteeError> {
        let (first, rest) = guarantees.split_first().ok_or(GuaranteeError::Empty)?;
        if guarantees.iter().any(|part| part.relation() != Relation::AddRemove) {
            return Err(GuaranteeError::PartChanges);
        }
        rest.iter().try_fold(first.clone(), |worst, next| worst.worst(next))?.under(relation)
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

    /// This guarantee as the kind of the other, where it follows without a choice; itself where the other is
    /// the one to convert.
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
    fn disjoint_parts_cost_the_largest_and_a_change_two_steps() {
        let parts = [pure(1, 2), pure(2, 1), pure(1, 1)];
        let changed = |privacy| Ok(Guarantee::new(Relation::ChangeOne, privacy));
        assert_eq!(Guarantee::parallel(&parts, ONE).unwrap(), pure(2, 1));
        let both = Guarantee::parallel(&parts, Relation::ChangeOne);
        assert_eq!(both, changed(Privacy::Pure { epsilon: Real::from(4) }));
        let zcdp = Guarantee::zcdp(ONE, Real::ratio(1, 8)).unwrap();
        let both = Guarantee::parallel(&[zcdp.clone(), zcdp], Relation::ChangeOne);
        assert_eq!(both, changed(Privacy::Zcdp { rho: Real::ratio(1, 2) }));
        assert_eq!(Guarantee::parallel(&[], ONE), Err(GuaranteeError::Empty));
    }

    /// Finding 1: the counts of two parts, exact but for moves, are change-one private at ε = 0 part by part,
    /// and tell who moved.
    #[test]
    fn change_one_parts_say_nothing_of_a_move() {
        let part = Guarantee::pure(Relation::ChangeOne, Real::from(0)).unwrap();
        for relation in [ONE, Relation::ChangeOne] {
            let parts = [part.clone(), pure(1, 1)];
            assert_eq!(Guarantee::parallel(&parts[..1], relation), Err(GuaranteeError::PartChanges));
            assert_eq!(Guarantee::parallel(&parts, relation), Err(GuaranteeError::PartChanges));
        }
    }

    /// What is stated under change-one is at least what a move costs, and at least what a change inside one
    /// part costs.
    #[test]
    fn a_change_covers_a_move_and_a_group() {
        let renyi = |n: i64| Guarantee::renyi(ONE, &order(n), Real::ratio(1, 7)).unwrap();
        let approximate = Guarantee::approximate(ONE, Real::ratio(1, 3), Real::ratio(1, 1000)).unwrap();
        for part in [pure(1, 10), approximate, Guarantee::zcdp(ONE, Real::ratio(1, 50)).unwrap(), renyi(8)] {
            let stated = Guarantee::parallel(&[part.clone(), part.clone()], Relation::ChangeOne).unwrap();
            for needed in [part.compose(&part).unwrap(), part.group(2).unwrap()] {
                assert!(is_at_most(needed.privacy(), stated.privacy()), "{needed} {stated}");
            }
        }
        assert_eq!(Guarantee::parallel(&[renyi(3)], Relation::ChangeOne), Err(GuaranteeError::Alpha));
    }

    /// Whether a guarantee follows from the other by larger parameters; of a Rényi guarantee, by a lower
    /// order.
    fn is_at_most(a: &Privacy, b: &Privacy) -> bool {
        match (a, b) {
            (Privacy::Pure { epsilon: a }, Privacy::Pure { epsilon: b }) => a.is_at_most(b),
            (Privacy::Zcdp { rho: a }, Privacy::Zcdp { rho: b }) => a.is_at_most(b),
            (Privacy::Approximate { epsilon: a, delta: c }, Privacy::Approximate { epsilon: b, delta: d }) => {
                a.is_at_most(b) && c.is_at_most(d)
            }
            (Privacy::Renyi { alpha: p, epsilon: a }, Privacy::Renyi { alpha: q, epsilon: b }) => {
                p >= q && a.is_at_most(b)
            }
            _ => false,
        }
    }

    #[test]
    fn delta_never_exceeds_one() {
        let loose = Guarantee::approximate(ONE, Real::from(1), Real::ratio(2, 3)).unwrap();
        let Privacy::Approximate { delta, .. } = loose.k_fold(9).unwrap().privacy().clone() else { panic!("kind") };
        assert_eq!(delta, Real::from(1));
    }
}
