//! Groups: what a guarantee for one person says of k people, and of other neighbours.

use num_bigint::BigInt;
use num_traits::One;

use super::{Guarantee, GuaranteeError, Privacy, Relation, compose::at_most_one};
use crate::exact::{Rational, Real};

impl Guarantee {
    /// The guarantee for inputs that are k steps apart: families of k.
    ///
    /// ε becomes kε. δ becomes δ·(1 + e^ε + … + e^((k−1)ε)) = δ·(e^(kε) − 1)/(e^ε − 1), which is at most the
    /// k·e^((k−1)ε)·δ of Dwork and Roth 2014, Theorem 2.2: one step from D_i to D_(i+1) costs δ, and each
    /// later step multiplies it by e^ε. ρ becomes k²ρ (Bun and Steinke 2016, Proposition 1.9). For Rényi and
    /// k = 2^c, order α/2^c and 3^c·ε, where α ≥ 2^(c+1) (Mironov 2017, Proposition 2).
    ///
    /// # Errors
    ///
    /// If k is 0; for Rényi, if k is no power of two or the order is too small.
    pub fn group(&self, k: u64) -> Result<Self, GuaranteeError> {
        if k == 0 {
            return Err(GuaranteeError::Count);
        }
        let people = Real::from(Rational::from_integer(k.into()));
        let privacy = match self.privacy() {
            Privacy::Pure { epsilon } => Privacy::Pure { epsilon: &people * epsilon },
            Privacy::Approximate { epsilon, delta } => {
                let epsilons = &people * epsilon;
                let one = Real::from(1);
                let sum = if epsilon.exact().is_some_and(|value| *value == Rational::from_integer(0.into())) || k == 1 {
                    people
                } else {
                    // Either form holds; the quotient has no value where ε is 0 without being known to be,
                    // and then it is not the least.
                    let simple = &people * &(&(&people - &one) * epsilon).exp();
                    (&(&epsilons.exp() - &one) / &(&epsilon.exp() - &one)).min(&simple)
                };
                Privacy::Approximate { epsilon: epsilons, delta: at_most_one(&(&sum * delta)) }
            }
            Privacy::Zcdp { rho } => Privacy::Zcdp { rho: &(&people * &people) * rho },
            Privacy::Renyi { alpha, epsilon } => {
                if !k.is_power_of_two() {
                    return Err(GuaranteeError::Count);
                }
                let doublings = k.trailing_zeros();
                if *alpha < Rational::from_integer(BigInt::one() << (doublings + 1)) {
                    return Err(GuaranteeError::Alpha);
                }
                let tripled = Real::from(Rational::from_integer(BigInt::from(3u32).pow(doublings)));
                let alpha = alpha / Rational::from_integer(k.into());
                Privacy::Renyi { alpha, epsilon: &tripled * epsilon }
            }
        };
        Ok(Self::new(self.relation(), privacy))
    }

    /// The guarantee for other neighbours: a change is a removal and an addition, hence a group of two.
    ///
    /// # Errors
    ///
    /// From change-one to add/remove nothing follows: two databases of different sizes are no changes apart.
    pub fn under(&self, relation: Relation) -> Result<Self, GuaranteeError> {
        match (self.relation(), relation) {
            (from, to) if from == to => Ok(self.clone()),
            (Relation::AddRemove, Relation::ChangeOne) => {
                let two = self.group(2)?;
                Ok(Self::new(relation, two.privacy().clone()))
            }
            _ => Err(GuaranteeError::RelationsDiffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Positive;
    use proptest::prelude::*;

    fn approximate(epsilon: Real, delta: Real) -> Guarantee {
        Guarantee::approximate(Relation::AddRemove, epsilon, delta).unwrap()
    }

    fn delta(guarantee: &Guarantee) -> Real {
        let Privacy::Approximate { delta, .. } = guarantee.privacy() else { panic!("kind") };
        delta.clone()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// The seeds' formula is an upper bound of ours, and one step at a time gives ours.
        #[test]
        fn delta_of_a_group(n in 0i64..3000, k in 1u64..12) {
            let (epsilon, small) = (Real::ratio(n, 1000), "1e-30".parse::<Real>().unwrap());
            let ours = delta(&approximate(epsilon.clone(), small.clone()).group(k).unwrap());
            let k_real = Real::from(i64::try_from(k).unwrap());
            let classical = &(&(&k_real * &(&(&k_real - &Real::from(1)) * &epsilon).exp()) * &small);
            prop_assert!(ours.enclose(200).unwrap().lower() <= classical.enclose(200).unwrap().upper());
            let stepwise: Real = (0..k).map(|i| &(&Real::from(i64::try_from(i).unwrap()) * &epsilon).exp() * &small).sum();
            prop_assert!(ours.enclose(200).unwrap().intersects(&stepwise.enclose(200).unwrap()));
        }
    }

    #[test]
    fn groups_of_other_kinds() {
        let one = Relation::AddRemove;
        let pure = |n| Guarantee::pure(one, Real::from(n)).unwrap();
        assert_eq!(pure(2).group(3).unwrap(), pure(6));
        let zcdp = |n| Guarantee::zcdp(one, Real::from(n)).unwrap();
        assert_eq!(zcdp(2).group(3).unwrap(), zcdp(18));
        let order = |n: i64| Positive::new(Rational::from_integer(n.into())).unwrap();
        let renyi = |a, n| Guarantee::renyi(one, &order(a), Real::from(n)).unwrap();
        assert_eq!(renyi(8, 1).group(4).unwrap(), renyi(2, 9));
        assert_eq!(renyi(8, 1).group(8), Err(GuaranteeError::Alpha));
        assert_eq!(renyi(8, 1).group(3), Err(GuaranteeError::Count));
        assert_eq!(pure(2).group(0), Err(GuaranteeError::Count));
    }

    #[test]
    fn a_change_is_two_steps_and_never_the_other_way() {
        let pure = |relation, n| Guarantee::pure(relation, Real::from(n)).unwrap();
        let changed = pure(Relation::AddRemove, 2).under(Relation::ChangeOne).unwrap();
        assert_eq!(changed, pure(Relation::ChangeOne, 4));
        assert_eq!(changed.under(Relation::AddRemove), Err(GuaranteeError::RelationsDiffer));
        assert_eq!(changed.under(Relation::ChangeOne).unwrap(), changed);
    }
}
