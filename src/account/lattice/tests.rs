//! Questions at the ends of what the lattice reaches: next to the greatest loss, at more digits than can be had, and where the integral is no help.

use alloc::{vec, vec::Vec};

use super::*;
use crate::{
    account::{Plan, delta, epsilon},
    exact::{Positive, Probability, parse},
    guarantee::Domination,
};

fn rational(text: &str) -> Rational {
    parse(text).unwrap()
}

fn laplace(scale: &str, shift: u32) -> Pair {
    Pair::Laplace { scale: Positive::new(rational(scale)).unwrap(), shift: shift.into() }
}

fn copies_of(pair: Pair, copies: u64) -> Plan {
    Plan::new().with(&Domination::by(pair), copies)
}

fn non_negative(text: &str) -> NonNegative {
    NonNegative::new(rational(text)).unwrap()
}

/// Whether an enclosure has a number that is known to some digits.
fn holds(enclosure: &Enclosure, known: &str, unit: &str) -> bool {
    let (known, unit) = (rational(known), rational(unit));
    enclosure.lower() <= &known + &unit && known - unit <= enclosure.upper()
}

/// Above all losses but the greatest, g, δ(ε) = (1+q)^-k·(1 − e^(ε−g)), and ε(δ) = g + ln(1 − δ·(1+q)^k): there θ is large, and ρ = e^(−(1+2θ)/s) is 0 to any number of digits.
/// Known values from Python's decimal module at 60 digits.
#[test]
fn next_to_the_greatest_loss() {
    let plan = copies_of(laplace("63/362", 3), 1000);
    let precision = Precision::default();
    let answer = delta(&plan, &non_negative("17238"), &precision).unwrap();
    assert!(answer.is_narrow && answer.method == METHOD, "{answer:?}");
    assert!(holds(&answer.enclosure, "0.00373892246222469106418526011563055", "1e-35"), "{answer:?}");
    let answer = epsilon(&plan, &Probability::new(rational("1e-5")).unwrap(), &precision).unwrap();
    assert!(answer.is_narrow, "{answer:?}");
    assert!(holds(&answer.enclosure, "17238.094995098503522403341948624363", "1e-30"), "{answer:?}");
    let plan = copies_of(laplace("1/10", 2), 1517);
    let answer = epsilon(&plan, &Probability::new(rational("1e-300")).unwrap(), &precision).unwrap();
    assert!(answer.is_narrow && holds(&answer.enclosure, "30340", "1e-299"), "{answer:?}");
}

/// Who asks for more digits never gets fewer.
#[test]
fn more_digits_are_no_wider() {
    let plan = copies_of(laplace("694610/873", 47), 870);
    let at = |digits: u32| delta(&plan, &non_negative("7.713964"), &Precision { digits }).unwrap();
    let answers: Vec<Answer> = [12, 25, 30, 50].map(at).into();
    assert!(answers.iter().take(2).all(|answer| answer.is_narrow), "{answers:?}");
    // That is what this test is about: if it is narrow, ask for more.
    assert!(answers.iter().any(|answer| !answer.is_narrow), "{answers:?}");
    for (fewer, more) in answers.iter().zip(answers.iter().skip(1)) {
        assert!(more.enclosure.width() <= fewer.enclosure.width(), "{fewer:?} {more:?}");
        assert!(more.enclosure.intersects(&fewer.enclosure), "{fewer:?} {more:?}");
    }
}

/// So far out that δ has as many digits as a book, the integral is not begun: seven copies of σ = 75042 at ε = 1 are at z = 28363.
#[test]
fn no_integral_far_out() {
    let variance = Positive::new(rational("5631301764")).unwrap();
    let one = |bits: u32| Some(Enclosure::from_integer(1, bits));
    let coarse = Precision { digits: 3 };
    assert!(smooth::delta(&variance, &BigUint::one(), 7, &one, &coarse).is_none());
    let pair = Pair::Gaussian { variance, shift: BigUint::one() };
    let direction = vec![(vec![pair], 7)];
    let answer = super::delta(&direction, &NonNegative::one(), &coarse, &Budget::unlimited()).unwrap();
    assert!(answer.enclosure.upper() <= smallest(), "{answer:?}");
}

/// The integral is begun where it can be narrow, and only where it cannot is it left out.
#[test]
fn the_integral_is_begun_where_it_can_be_narrow() {
    let digits = |digits: u32| Precision { digits };
    let mut begun = 0;
    for (log_variance, shift) in [(20_u32, 1_u32), (20, 1024), (20, 1 << 14), (40, 1 << 20), (40, 3)] {
        let variance = Positive::new(Rational::from_integer(BigInt::one() << log_variance)).unwrap();
        for copies in [1, 100] {
            for (text, wanted) in [("0", 3), ("1/1000", 2), ("1/3", 4), ("3", 6), ("40", 1), ("1e-6", 8)] {
                let epsilon = |bits: u32| Some(Enclosure::from_rational(&rational(text), bits));
                if smooth::can_be_narrow(&variance, copies, &digits(wanted)) {
                    begun += 1;
                    continue;
                }
                let answer = smooth::delta(&variance, &shift.into(), copies, &epsilon, &digits(wanted));
                assert!(!answer.is_some_and(|answer| answer.is_narrow), "2^{log_variance} {shift} {copies} {text}");
            }
        }
    }
    assert!(begun > 20, "{begun}");
    // σ = 2^40 to fifteen digits: every point of a profile took an integral that was thrown away.
    let wide = Positive::new(Rational::from_integer(BigInt::one() << 80_u32)).unwrap();
    assert!(!smooth::can_be_narrow(&wide, 1, &digits(15)) && smooth::can_be_narrow(&wide, 1, &digits(12)));
}
