//! Legal calls at the ends of their ranges have an answer, soon (tests alone).

use super::{DebitError, Filter, Guarantee, GuaranteeError, Privacy, Relation};
use crate::exact::{Probability, Rational, Real};
use num_bigint::BigInt;

const ONE: Relation = Relation::AddRemove;

fn pure(n: i64) -> Guarantee {
    Guarantee::pure(ONE, Real::from(n)).unwrap()
}

fn approximate(epsilon: i64, delta: &str) -> Guarantee {
    Guarantee::approximate(ONE, Real::from(epsilon), delta.parse().unwrap()).unwrap()
}

/// The number before the first digit that is not shown to be right.
fn shown(guarantee: &Guarantee) -> String {
    guarantee.to_string()
}

#[test]
fn a_large_group_has_a_delta_of_one() {
    for k in [100_000, u64::MAX] {
        let group = approximate(1, "1e-10").group(k).unwrap();
        let Privacy::Approximate { delta, .. } = group.privacy() else { panic!("kind") };
        assert_eq!(*delta, Real::from(1), "{k}");
    }
}

#[test]
fn large_epsilons_convert() {
    // ε·tanh(ε/2) is ε for all that can be seen.
    assert!(shown(&pure(1_000_000).to_zcdp().unwrap()).contains("1000000"));
    assert!(shown(&pure(i64::MAX).to_zcdp().unwrap()).contains("rho"));
    let order = |n: i64| Rational::from_integer(n.into());
    for (epsilon, alpha) in [(100, 1000), (1_000_000, 1_000_000), (i64::MAX, 2)] {
        let renyi = pure(epsilon).to_renyi(&order(alpha)).unwrap();
        let Privacy::Renyi { epsilon: divergence, .. } = renyi.privacy() else { panic!("kind") };
        // Below ε, by less than ln 2/(α − 1), which may be too little to be told.
        assert!(divergence.is_at_most(&(&Real::from(epsilon) + &"1e-18".parse().unwrap())));
        assert!((&Real::from(epsilon) - &Real::from(1)).is_at_most(divergence));
    }
    let rate = Probability::new(Rational::new(1.into(), 1000.into())).unwrap();
    assert!(shown(&pure(1_000_000).subsampled(&rate).unwrap()).contains("999993.09"));
    assert_eq!(pure(7).subsampled(&Probability::new(order(0)).unwrap()).unwrap(), pure(0));
}

/// The rewritten formulas are those of the papers.
#[test]
fn rewritten_formulas_are_the_same_numbers() {
    for (n, d) in [(1, 1000), (1, 3), (1, 1), (7, 2), (40, 1)] {
        let epsilon = Real::ratio(n, d);
        let guarantee = Guarantee::pure(ONE, epsilon.clone()).unwrap();
        for (a, b) in [(11, 10), (2, 1), (33, 2)] {
            let (alpha, one) = (Real::ratio(a, b), Real::from(1));
            let sum = &(&alpha * &epsilon).exp() + &(&(&one - &alpha) * &epsilon).exp();
            let paper = &(&sum / &(&one + &epsilon.exp())).ln() / &(&alpha - &one);
            let renyi = guarantee.to_renyi(&Rational::new(a.into(), b.into())).unwrap();
            let Privacy::Renyi { epsilon: ours, .. } = renyi.privacy() else { panic!("kind") };
            assert!(ours.enclose(150).unwrap().intersects(&paper.enclose(150).unwrap()), "{n}/{d}, {a}/{b}");
        }
        for (a, b) in [(1, 1_000_000), (1, 2), (1, 1)] {
            let rate = Rational::new(BigInt::from(a), BigInt::from(b));
            let rises = &epsilon.exp() - &Real::from(1);
            let paper = (&Real::from(1) + &(&Real::from(rate.clone()) * &rises)).ln();
            let subsampled = guarantee.subsampled(&Probability::new(rate).unwrap()).unwrap();
            let Privacy::Pure { epsilon: ours } = subsampled.privacy() else { panic!("kind") };
            assert!(ours.enclose(150).unwrap().intersects(&paper.enclose(150).unwrap()), "{n}/{d}, {a}/{b}");
        }
    }
}

#[test]
fn a_filter_refuses_a_cost_beyond_all_measure() {
    let mut filter = Filter::new(Guarantee::zcdp(ONE, Real::ratio(1, 2)).unwrap());
    assert_eq!(filter.debit(&pure(100_000)), Err(DebitError::Exceeded));
    assert_eq!(filter.debit(&pure(i64::MAX)), Err(DebitError::Exceeded));
    assert_eq!(filter.debit(&pure(0)), Ok(()));
}

/// The digits that a ternary search over ε itself found, which took two seconds.
#[test]
fn tiny_and_huge_costs_convert() {
    let stated = |rho: &str, delta: &str| {
        let cost = Guarantee::zcdp(ONE, rho.parse().unwrap()).unwrap();
        shown(&cost.to_approximate(&delta.parse().unwrap()).unwrap())
    };
    let tiny = stated("1e-1000", "1e-1000");
    assert!(tiny.starts_with("approximate, epsilon = [1.223522e-16, 1.223658e-16]"), "{tiny}");
    assert!(stated("1e-1000", "1e-6").starts_with("approximate, epsilon = 0,"));
    assert!(stated("1e1000", "1e-6").starts_with("approximate, epsilon = [1.00000000000000000005421"));
    assert!(stated("1/3", "1e-1000").starts_with("approximate, epsilon = [55.67662521046640340895"));
    assert!(stated("7", "1e-30").starts_with("approximate, epsilon = [50.24815273968857826787"));
}

/// n/0 is no parameter of a guarantee: as 0 it would be perfect privacy, and its budget would never be empty.
#[test]
fn a_division_by_zero_is_no_guarantee() {
    let undefined = || Real::ratio(1, 0);
    assert_eq!(Guarantee::pure(ONE, undefined()), Err(GuaranteeError::Epsilon));
    assert_eq!(Guarantee::approximate(ONE, Real::from(1), undefined()), Err(GuaranteeError::Delta));
    assert!(Guarantee::zcdp(ONE, undefined()).is_err());
    assert!(pure(1).to_approximate(&undefined()).is_err());
    assert!(pure(1).advanced(2, &undefined()).is_err());
}

#[test]
fn many_compositions_have_a_guarantee() {
    let part = Guarantee::pure(ONE, Real::from(3).ln()).unwrap();
    let sum = (1..30_000).try_fold(part.clone(), |sum, _| sum.compose(&part)).unwrap();
    assert!(shown(&sum).contains("32958.3686"), "{sum}");
    let doubled = (0..40).try_fold(part.clone(), |sum, _| sum.compose(&sum.clone())).unwrap();
    assert!(shown(&doubled).contains("1207936985808.1"), "{doubled}");
    let irrational = Guarantee::approximate(ONE, Real::from(1), (-&Real::from(12)).exp()).unwrap();
    let sum = (1..30_000).try_fold(irrational.clone(), |sum, _| sum.compose(&irrational)).unwrap();
    assert!(shown(&sum).contains("delta = [0.184326"), "{sum}");
    let doubled = (0..40).try_fold(irrational, |sum, _| sum.compose(&sum.clone())).unwrap();
    assert!(shown(&doubled).contains("delta = 1") || shown(&doubled).contains("delta = [1"), "{doubled}");
    let listed = vec![part; 30_000];
    assert!(Guarantee::parallel(&listed, ONE).is_ok());
}
