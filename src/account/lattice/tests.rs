//! Questions at the ends of what the lattice reaches: next to the greatest loss, at more digits than can be
//! had, and where the integral is no help.

use alloc::{vec, vec::Vec};

use num_bigint::BigUint;
use num_traits::One;

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
    Plan::of(&Domination::by(pair), copies)
}

fn non_negative(text: &str) -> NonNegative {
    NonNegative::new(rational(text)).unwrap()
}

/// Whether an enclosure has a number that is known to some digits.
fn holds(enclosure: &Enclosure, known: &str, unit: &str) -> bool {
    let (known, unit) = (rational(known), rational(unit));
    enclosure.lower() <= &known + &unit && known - unit <= enclosure.upper()
}

/// Above all losses but the greatest, g, δ(ε) = (1+q)^-k·(1 − e^(ε−g)), and ε(δ) = g + ln(1 − δ·(1+q)^k):
/// there θ is large, and ρ = e^(−(1+2θ)/s) is 0 to any number of digits. Known values from Python's decimal
/// module at 60 digits.
#[test]
fn next_to_the_greatest_loss() {
    let plan = copies_of(laplace("63/362", 3), 1000);
    let precision = Precision::default();
    let answer = delta(&plan, &non_negative("17238"), &precision).unwrap();
    assert!(answer.is_narrow && answer.method == Method::ExactLattice, "{answer:?}");
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

/// So far out that δ has as many digits as a book, the integral is not begun: seven copies of σ = 75042 at
/// ε = 1 are at z = 28363.
#[test]
fn no_integral_far_out() {
    let variance = Positive::new(rational("5631301764")).unwrap();
    let one = |bits: u32| Some(Enclosure::from_integer(1, bits));
    let coarse = Precision { digits: 3 };
    assert!(smooth::delta(&variance, &BigUint::one(), 7, &one, &coarse).is_none());
    let pair = Pair::Gaussian { variance, shift: BigUint::one() };
    let direction = Direction::of([(vec![pair], 7)]);
    let answer = super::delta(&Question::new(&direction, &NonNegative::one(), &coarse), &Budget::unlimited()).unwrap();
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

fn gaussian(variance: &str, shift: u32) -> Pair {
    Pair::Gaussian { variance: Positive::new(rational(variance)).unwrap(), shift: shift.into() }
}

fn finite(outcomes: &[(&str, &str)]) -> Pair {
    let of = |text: &str| Probability::new(rational(text)).unwrap();
    let outcomes = outcomes.iter().map(|(p, q)| (of(p), of(q))).collect();
    Pair::Finite(crate::guarantee::FinitePair::from_probabilities(outcomes).unwrap())
}

fn direction(parts: &[(Pair, u64)]) -> Direction {
    Direction::of(parts.iter().map(|(pair, copies)| (vec![pair.clone()], *copies)))
}

/// Steps that a question takes.
fn steps(direction: &Direction, epsilon: &str) -> (Answer, u64) {
    let budget = Budget::new(1 << 40);
    let answer =
        super::delta(&Question::new(direction, &non_negative(epsilon), &Precision::default()), &budget).unwrap();
    (answer, (1 << 40) - budget.left())
}

/// A plan, and the ε that it is asked for.
type Asked<'a> = (&'a [(Pair, u64)], &'a [&'a str]);

/// Two lists and the sum over frequencies, which have nothing in common but the tilt: on both sides of the
/// mean, at a loss itself, next to the greatest, with infinite losses.
#[test]
fn lists_agree_with_frequencies() {
    let response = finite(&[("3/4", "1/4"), ("1/4", "3/4")]);
    let revealing = finite(&[("1/2", "1/3"), ("1/3", "2/3"), ("1/6", "0")]);
    let plans: [Asked<'_>; 5] = [
        (&[(gaussian("2", 1), 3), (gaussian("1/3", 2), 2)], &["0", "1/7", "14", "29/2", "60", "500"]),
        (&[(response.clone(), 9), (laplace("3/2", 4), 2)], &["0", "1", "10", "15"]),
        (&[(laplace("2", 3), 5)], &["0", "1/2", "7", "749/100"]),
        (&[(revealing, 4), (gaussian("5", 1), 2)], &["0", "1", "9"]),
        (&[(gaussian("9/10", 40), 1), (response, 2)], &["0", "3", "800", "900", "1500"]),
    ];
    let (precision, budget) = (Precision::default(), Budget::unlimited());
    let mut forms = 0;
    for (parts, epsilons) in plans {
        let factors = factors(&direction(parts)).unwrap();
        let split = split(&factors, true).unwrap();
        for text in epsilons {
            let epsilon = |bits: u32| Some(Enclosure::from_rational(&rational(text), bits));
            let listed = halves::delta(&factors, &epsilon, &precision, LONG_LISTS, &budget)
                .unwrap_or_else(|| panic!("{parts:?} {text}"));
            let summed = by_frequencies(&factors, &split, &epsilon, &precision, FEW_FREQUENCIES, &budget).unwrap();
            assert!(listed.is_narrow && summed.is_narrow, "{parts:?} {text} {listed:?} {summed:?}");
            assert!(listed.enclosure.intersects(&summed.enclosure), "{parts:?} {text} {listed:?} {summed:?}");
            forms += u32::from(listed.enclosure.lower() > rational("999/1000"));
        }
    }
    assert!(forms >= 2, "{forms}");
}

/// Losses on no lattice, against the enumeration of every outcome; and as a half of the copies in either
/// list.
#[test]
fn scattered_losses_are_listed() {
    let odd = finite(&[("1/2", "1/5"), ("1/3", "1/7"), ("1/6", "23/35")]);
    let other = finite(&[("1/2", "1/11"), ("3/8", "2/11"), ("1/8", "7/11"), ("0", "1/11")]);
    assert!(Factor::new(&odd, 1).is_none() && Factor::new(&other, 1).is_none());
    let (precision, budget) = (Precision::default(), Budget::unlimited());
    for parts in [vec![(odd.clone(), 2)], vec![(odd.clone(), 5)], vec![(odd.clone(), 3), (other.reversed(), 2)]] {
        let direction = direction(&parts);
        for text in ["0", "1/3", "2", "9/2"] {
            let epsilon = non_negative(text);
            let question = Question::new(&direction, &epsilon, &precision);
            let answer = super::delta(&question, &budget).unwrap();
            let known = crate::account::reference::delta(&question, &budget).unwrap();
            assert!(answer.is_narrow && answer.enclosure.intersects(&known.enclosure), "{text} {answer:?} {known:?}");
            assert!(known.is_narrow && answer.method == Method::ListedLosses || known.enclosure.upper().is_zero());
        }
    }
    // A thousand copies have half a million numbers of each: those that matter are listed, and no other.
    let many = direction(&[(odd, 100)]);
    let (answer, taken) = steps(&many, "70");
    assert!(answer.is_narrow && answer.method == Method::ListedLosses && taken < 300_000_000, "{taken} {answer:?}");
}

/// Gaussians of unrelated variances, whose common lattice is hundreds of times finer than theirs: 36 and 67
/// seconds of frequencies, and 99 of a grid, for what are lists of some dozen losses.
#[test]
fn unrelated_losses_take_few_steps() {
    let response = finite(&[("319/500", "181/500"), ("181/500", "319/500")]);
    let odd = finite(&[("1/662", "200/337"), ("659/662", "1/337"), ("1/662", "47/674"), ("1/662", "225/674")]);
    for (parts, epsilon) in [
        (vec![(gaussian("1/7", 1), 5), (gaussian("31/25", 1), 1)], "17.7"),
        (vec![(gaussian("19/10", 1), 2), (gaussian("36/19", 4), 1), (response, 1)], "20.5"),
        (vec![(gaussian("41/37", 4), 3), (laplace("2/3", 3), 2), (odd, 1)], "40"),
    ] {
        let (answer, taken) = steps(&direction(&parts), epsilon);
        assert!(answer.is_narrow && answer.method == Method::ListedLosses, "{answer:?}");
        assert!(taken < 50_000_000, "{taken} steps: {answer:?}");
    }
}
