use super::*;
use num_bigint::BigInt;
use proptest::prelude::*;

fn rational(n: i64, d: i64) -> Rational {
    Rational::new(n.into(), d.into())
}

#[test]
fn rationals_stay_exact() {
    let x = &(&Real::ratio(1, 3) + &Real::ratio(1, 6)) * &Real::from(4);
    assert_eq!(x.exact(), Some(&rational(2, 1)));
    assert_eq!(Real::ratio(9, 4).sqrt().exact(), Some(&rational(3, 2)));
    assert_eq!(Real::ratio(1, 2).exp().ln(), Real::ratio(1, 2));
    assert_eq!(Real::from(2).sqrt().exact(), None);
    assert_eq!((&Real::from(0) * &Real::from(2).ln()).exact(), Some(&rational(0, 1)));
}

#[test]
fn what_has_no_value_is_never_enclosed() {
    let zero = &Real::from(2).ln() - &Real::from(2).ln();
    for undefined in
        [Real::from(-1).ln(), Real::from(-1).sqrt(), &Real::from(1) / &Real::from(0), &Real::from(1) / &zero]
    {
        assert_eq!(undefined.enclose(20), None, "{undefined:?}");
        assert_eq!(undefined.compare(&Real::from(0)), None);
        assert!(!undefined.is_at_most(&Real::from(0)));
    }
    assert_eq!(Real::from(i64::MAX).exp().enclose(20), None);
    assert!(Real::from(i64::MIN).exp().is_at_most(&Real::ratio(1, i64::MAX)));
    assert_eq!(Real::from(9).ln().compare(&(&Real::from(3).ln() + &Real::from(3).ln())), None);
}

#[test]
fn a_division_by_zero_is_undefined() {
    for n in [1, 0, -1] {
        assert_eq!(Real::ratio(n, 0).enclose(20), None);
        assert!(!Real::ratio(n, 0).is_at_most(&Real::from(i64::MAX)));
    }
    assert_eq!(Real::ratio(3, -2), Real::ratio(-3, 2));
}

/// Neither the first nor the second is known to be the larger: the formula encloses both.
#[test]
fn a_maximum_that_cannot_be_told_is_at_least_both() {
    let (one, other) = (Real::from(9).ln(), &Real::from(3).ln() + &Real::from(3).ln());
    for most in [one.max(&other), other.max(&one)] {
        let most = most.enclose(100).unwrap();
        assert!(
            most.upper() >= one.enclose(200).unwrap().lower() && most.upper() >= other.enclose(200).unwrap().lower()
        );
    }
    assert_eq!(one.max(&Real::ratio(1, 0)).enclose(20), None);
    assert_eq!(Real::ratio(1, 0).max(&one).enclose(20), None);
    assert_eq!(Real::from(1).min(&Real::ratio(1, 0)), Real::from(1));
}

/// Deep, wide and shared formulas: no recursion, and each part once.
#[test]
fn formulas_of_any_shape_are_enclosed_and_dropped() {
    let ln_two = Real::from(2).ln();
    let bound = |n: i64| (&Real::from(n) * &ln_two).enclose(20).unwrap();
    let deep = (0..30_000).fold(Real::from(0), |sum, _| &sum + &ln_two);
    assert!(deep.enclose(20).unwrap().intersects(&bound(30_000)));
    let wide: Real = (0..20_000).map(|_| Real::from(2).ln()).sum();
    assert!(wide.enclose(20).unwrap().intersects(&bound(20_000)));
    let shared = (0..40).fold(ln_two.clone(), |sum, _| &sum + &sum);
    assert!(shared.enclose(20).unwrap().intersects(&bound(1 << 40)));
    // Two such formulas that share nothing are compared pair by pair.
    let again = (0..40).fold(Real::from(2).ln(), |sum, _| &sum + &sum);
    assert!(shared == again);
    let other = (0..40).fold(Real::from(3).ln(), |sum, _| &sum + &sum);
    assert!(shared != other);
    let ln_three = Real::from(3).ln();
    let product = (0..30_000).fold(ln_two.clone(), |product, _| &(&product * &ln_three) / &ln_three);
    assert!(product.enclose(20).unwrap().intersects(&bound(1)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn identities_hold(n in 1i64..10_000, d in 1i64..200, m in 1i64..10_000, bits in 10u32..200) {
        let (x, y) = (Real::ratio(n, d), Real::ratio(m, 7));
        let (a, b) = ((&x * &y).ln().enclose(bits).unwrap(), (&x.ln() + &y.ln()).enclose(bits).unwrap());
        prop_assert!(a.intersects(&b));
        let root = x.sqrt();
        prop_assert!((&root * &root).enclose(bits).unwrap().contains(&rational(n, d)));
        let small = Real::ratio(n, 1000);
        let product = &small.exp() * &(-&small).exp();
        prop_assert!(product.enclose(bits).unwrap().contains(&rational(1, 1)));
        // tanh(x/2) by its own definition.
        let half = &small * &Real::ratio(1, 2);
        let tanh = &(&half.exp() - &(-&half).exp()) / &(&half.exp() + &(-&half).exp());
        prop_assert!(tanh.enclose(bits).unwrap().intersects(&small.half_tanh().enclose(bits).unwrap()));
        for real in [x.ln(), root, small.exp(), tanh] {
            let width = real.enclose(bits).unwrap().width();
            prop_assert!(width <= Rational::new(1.into(), BigInt::one() << bits));
            prop_assert!(real.at_most(bits).unwrap() >= real.enclose(bits + 40).unwrap().lower());
        }
    }

    #[test]
    fn order_is_that_of_numbers(n in 1i64..1000, m in 1i64..1000) {
        let order = Real::from(n).ln().compare(&Real::from(m).ln());
        prop_assert_eq!(order, Some(n.cmp(&m)));
        prop_assert_eq!(Real::from(n).sqrt().max(&Real::from(m).sqrt()), Real::from(n.max(m)).sqrt());
        prop_assert_eq!(Real::from(n).sqrt().min(&Real::from(m).sqrt()), Real::from(n.min(m)).sqrt());
    }
}
