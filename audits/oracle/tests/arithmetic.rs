//! The independent oracle: the enclosures against MPFR, and the arithmetic under them against GMP.
//!
//! A wrong big-integer division once biased every sampler of a privacy library whose samplers were proven. The operands
//! here are therefore not only random: they are built for the branches of schoolbook division that random operands
//! almost never take, and a count shows that those were taken. Every seed is fixed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test stops where an assumption fails; its sizes are small"
)]

use certus::exact::{
    Enclosure, NonNegative, Positive, Rational, Rounding, decimal, exp_neg, exp_neg_relative, ln, normal_tail,
};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rug::float::Round;
use rug::integer::Order;
use rug::ops::{DivRounding, Pow};
use rug::{Float, Integer};

// ---- Operands

/// Uniform in `low..=high`; the bias of the remainder is of no matter here.
fn between(rng: &mut ChaCha20Rng, low: u64, high: u64) -> u64 {
    low + rng.next_u64() % (high - low + 1)
}

/// A length in bits from 1 to `longest`, small ones as often as large ones.
fn length(rng: &mut ChaCha20Rng, longest: u64) -> u64 {
    let octave = between(rng, 0, longest.ilog2().into());
    between(rng, 1, (2_u64 << octave).min(longest))
}

/// A uniform integer of exactly `bits` bits.
fn exactly(rng: &mut ChaCha20Rng, bits: u64) -> BigUint {
    let mut bytes = vec![0; bits.div_ceil(8) as usize];
    rng.fill_bytes(&mut bytes);
    let mut value = BigUint::from_bytes_le(&bytes) >> (bytes.len() as u64 * 8 - bits);
    value.set_bit(bits - 1, true);
    value
}

/// An integer whose limbs, of 32 or 64 bits, are mostly the ones at which digit estimates go wrong.
fn edge_limbs(rng: &mut ChaCha20Rng, limbs: u64) -> BigUint {
    let width = if rng.next_u32() & 1 == 0 { 32_u32 } else { 64 };
    let top = 1_u128 << (width - 1);
    let mut value = BigUint::default();
    for _ in 0..limbs {
        let limb = match between(rng, 0, 8) {
            0 | 1 => 0,
            2 => 1,
            3 => top,
            4 => top - 1,
            5 => top + 1,
            6 => top | (top - 1),
            7 => (top | (top - 1)) - 1,
            _ => u128::from(rng.next_u64()) & (top | (top - 1)),
        };
        value = (value << width) + limb;
    }
    value
}

/// A positive integer of up to `longest` bits, of one of several shapes.
fn operand(rng: &mut ChaCha20Rng, longest: u64) -> BigUint {
    let one = BigUint::from(1_u32);
    let value = match between(rng, 0, 4) {
        0 | 1 => {
            let bits = length(rng, longest);
            exactly(rng, bits)
        }
        2 => {
            // 2^a − 2^b ± small
            let a = length(rng, longest);
            let b = between(rng, 0, a);
            let small = between(rng, 0, 3);
            let base = (&one << a) - (&one << b);
            if rng.next_u32() & 1 == 0 || base < BigUint::from(small) { base + small } else { base - small }
        }
        _ => {
            let limbs = length(rng, (longest / 64).max(1));
            edge_limbs(rng, limbs)
        }
    };
    value.max(one)
}

fn signed(rng: &mut ChaCha20Rng, magnitude: BigUint) -> BigInt {
    BigInt::from_biguint(if rng.next_u32() & 1 == 0 { Sign::Plus } else { Sign::Minus }, magnitude)
}

// ---- To GMP and MPFR

fn gmp(value: &BigInt) -> Integer {
    let magnitude = gmp_unsigned(value.magnitude());
    if value.sign() == Sign::Minus { -magnitude } else { magnitude }
}

fn gmp_unsigned(value: &BigUint) -> Integer {
    Integer::from_digits(&value.to_bytes_le(), Order::Lsf)
}

/// GMP's rational, brought to lowest terms by GMP.
fn gmp_rational(value: &Rational) -> rug::Rational {
    rug::Rational::from((gmp(value.numer()), gmp(value.denom())))
}

/// The dyadic rational as a float, exactly.
fn mpfr(value: &Rational) -> Float {
    let shift = value.denom().bits() - 1;
    assert_eq!(*value.denom(), BigInt::from(1) << shift);
    let bits = value.numer().bits().max(2) as u32;
    Float::with_val(bits, gmp(value.numer())) >> shift as u32
}

/// A fixed rational, rounded down and up at the float's precision.
fn bracket(value: &Rational, precision: u32) -> (Float, Float) {
    let value = gmp_rational(value);
    (Float::with_val_round(precision, &value, Round::Down).0, Float::with_val_round(precision, &value, Round::Up).0)
}

fn exp_bracket(x: &Rational, precision: u32) -> (Float, Float) {
    let (least, greatest) = bracket(x, precision);
    let (mut lower, mut upper) = (-greatest, -least);
    lower.exp_round(Round::Down);
    upper.exp_round(Round::Up);
    (lower, upper)
}

fn ln_bracket(x: &Rational, precision: u32) -> (Float, Float) {
    let (mut lower, mut upper) = bracket(x, precision);
    lower.ln_round(Round::Down);
    upper.ln_round(Round::Up);
    (lower, upper)
}

/// The enclosure contains all of MPFR's bracket, which is far narrower.
fn assert_encloses(enclosed: &Enclosure, (lower, upper): &(Float, Float), what: &str) {
    assert!(mpfr(&enclosed.lower()) <= *lower, "lower bound too great: {what}");
    assert!(mpfr(&enclosed.upper()) >= *upper, "upper bound too small: {what}");
}

fn unit(bits: u32) -> Rational {
    Rational::new(1.into(), BigInt::from(1) << bits)
}

/// Non-negative rationals of very different sizes, and precisions from 1 to 2000.
fn argument(rng: &mut ChaCha20Rng) -> (Rational, u32) {
    let precision = length(rng, 2000) as u32;
    let denominator = operand(rng, 1500);
    let numerator = match between(rng, 0, 3) {
        0 => operand(rng, 1500),
        // Near the precision, where the early answer begins, and below.
        1 => &denominator * between(rng, 1, u64::from(precision) + 1) + operand(rng, denominator.bits().max(64)),
        2 => &denominator * operand(rng, 40),
        _ => operand(rng, denominator.bits().max(64)),
    };
    (Rational::new(numerator.into(), denominator.into()), precision)
}

// ---- Enclosures

#[test]
fn exp_neg_encloses_mpfr() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for _ in 0..4000 {
        let (x, precision) = argument(&mut rng);
        let enclosed = exp_neg(&NonNegative::new(x.clone()).unwrap(), precision);
        assert!(enclosed.width() <= unit(precision), "{x} at {precision}");
        assert_encloses(&enclosed, &exp_bracket(&x, 2 * precision + 200), &format!("e^-{x} at {precision}"));
    }
}

#[test]
fn exp_neg_relative_encloses_mpfr() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let mut answered = 0;
    for _ in 0..3000 {
        let (x, bits) = argument(&mut rng);
        // Larger ones are right as well, but have as many binary places as they are large.
        if x > Rational::from_integer(100_000.into()) {
            continue;
        }
        answered += 1;
        let enclosed = exp_neg_relative(&NonNegative::new(x.clone()).unwrap(), bits).unwrap();
        assert!(enclosed.width() <= enclosed.lower() * unit(bits), "{x} at {bits}");
        assert_encloses(&enclosed, &exp_bracket(&x, 2 * bits + 200), &format!("e^-{x} at {bits}"));
    }
    assert!(answered > 1500);
}

#[test]
fn ln_encloses_mpfr() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for case in 0..4000 {
        let (mut x, precision) = argument(&mut rng);
        if case % 3 == 0 {
            // Near 1, on either side.
            let distance = unit(between(&mut rng, 1, 2500) as u32) * BigInt::from(between(&mut rng, 1, 9));
            let one = Rational::from_integer(1.into());
            x = if rng.next_u32() & 1 == 0 || distance >= one { one + distance } else { one - distance };
        }
        let enclosed = ln(&Positive::new(x.clone()).unwrap(), precision);
        assert!(enclosed.width() <= unit(precision), "{x} at {precision}");
        // x near 1 needs its own length to be told from 1.
        let longest = x.numer().bits().max(x.denom().bits()) as u32;
        assert_encloses(&enclosed, &ln_bracket(&x, 2 * precision + 200 + longest), &format!("ln {x} at {precision}"));
    }
}

/// Φ̄(x) = erfc(x/√2)/2, which falls.
fn normal_tail_bracket(x: &Rational, precision: u32) -> (Float, Float) {
    let (least, greatest) = bracket(x, precision);
    let half = |rounding: Round| {
        let mut root = Float::with_val(precision, 0.5);
        root.sqrt_round(rounding);
        root
    };
    let outward = |rounding: Round, other: Round, negative: bool| half(if negative { other } else { rounding });
    let up = outward(Round::Up, Round::Down, greatest.is_sign_negative());
    let down = outward(Round::Down, Round::Up, least.is_sign_negative());
    let (mut lower, _) = Float::with_val_round(precision, &greatest * &up, Round::Up);
    let (mut upper, _) = Float::with_val_round(precision, &least * &down, Round::Down);
    lower.erfc_round(Round::Down);
    upper.erfc_round(Round::Up);
    (lower / 2_u32, upper / 2_u32)
}

#[test]
fn normal_tail_encloses_mpfr() {
    let mut rng = ChaCha20Rng::seed_from_u64(9);
    for case in 0..600 {
        let bits = length(&mut rng, 300) as u32;
        // Both expansions, near where they meet too; both signs; very small.
        let scale = match case % 4 {
            0 => 4_000_u64,
            1 => 64_000,
            2 => 1,
            _ => 1000 * u64::from(2 * (bits + 16)).isqrt() + 20,
        };
        let magnitude = Rational::new(between(&mut rng, 1, scale * 1000).into(), 1_000_000.into());
        let x = if rng.next_u32() % 4 == 0 { -magnitude } else { magnitude };
        let enclosed = normal_tail(&x, bits).unwrap();
        assert!(enclosed.width() <= enclosed.lower() * unit(bits), "{x} at {bits}");
        assert_encloses(&enclosed, &normal_tail_bracket(&x, 2 * bits + 200), &format!("the tail at {x}, {bits} bits"));
    }
}

// ---- Decimals

/// Reads a decimal with GMP.
fn read(text: &str) -> rug::Rational {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = Integer::from(Integer::parse(format!("{whole}{fraction}")).unwrap());
    let exponent = exponent.parse::<i32>().unwrap() - i32::try_from(fraction.len()).unwrap();
    let power = rug::Rational::from(Integer::from(10).pow(exponent.unsigned_abs()));
    if exponent < 0 { digits / power } else { digits * power }
}

#[test]
fn decimals_are_the_neighbours_of_the_number_by_gmp() {
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    for _ in 0..5000 {
        let (magnitude, _) = argument(&mut rng);
        let value = if rng.next_u32() & 1 == 0 { magnitude } else { -magnitude };
        let digits = between(&mut rng, 1, 60) as u32;
        let (down, up) = (read(&decimal(&value, digits, Rounding::Down)), read(&decimal(&value, digits, Rounding::Up)));
        let exact = gmp_rational(&value);
        assert!(down <= exact && exact <= up, "{value} to {digits}");
        // Either exact, or apart by one unit of the last of so many digits: gap · 10^(digits − 1) ≤ |value|.
        let gap = (up - &down) * Integer::from(10).pow(digits - 1);
        assert!(gap <= exact.abs(), "{value} to {digits}");
    }
}

#[test]
fn printed_enclosures_contain_mpfr() {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for _ in 0..1000 {
        let (x, precision) = argument(&mut rng);
        let enclosed = ln(&Positive::new(x.clone()).unwrap(), precision);
        let longest = x.numer().bits().max(x.denom().bits()) as u32;
        let (lower, upper) = ln_bracket(&x, 2 * precision + 200 + longest);
        assert!(read(&enclosed.lower_decimal()) <= lower && read(&enclosed.upper_decimal()) >= upper, "ln {x}");
    }
}

// ---- Integers and rationals

/// Every operation that the library takes from the integers, against GMP.
fn assert_integers_agree(a: &BigInt, b: &BigInt) {
    let (x, y) = (gmp(a), gmp(b));
    assert_eq!(gmp(&(a * b)), Integer::from(&x * &y), "{a} * {b}");
    assert_eq!(gmp(&(a + b)), Integer::from(&x + &y), "{a} + {b}");
    assert_eq!(gmp(&(a - b)), Integer::from(&x - &y), "{a} - {b}");
    assert_eq!(gmp(&a.gcd(b)), Integer::from(x.gcd_ref(&y)), "gcd {a} {b}");
    assert_eq!(a.cmp(b), x.cmp(&y), "{a} <=> {b}");
    assert_divisions_agree(a, b);
}

fn assert_divisions_agree(a: &BigInt, b: &BigInt) {
    let (x, y) = (gmp(a), gmp(b));
    let (quotient, remainder) = a.div_rem(b);
    assert_eq!((gmp(&quotient), gmp(&remainder)), Integer::from(&x).div_rem(y.clone()), "{a} / {b}");
    assert_eq!(gmp(&a.div_floor(b)), Integer::from((&x).div_floor(&y)), "floor {a} / {b}");
    assert_eq!(gmp(&a.div_ceil(b)), Integer::from((&x).div_ceil(&y)), "ceil {a} / {b}");
    let (quotient, remainder) = a.magnitude().div_rem(b.magnitude());
    let expected = x.abs().div_rem(y.abs());
    assert_eq!((gmp_unsigned(&quotient), gmp_unsigned(&remainder)), expected, "|{a}| / |{b}|");
}

#[test]
fn integers_agree_with_gmp() {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    for _ in 0..20_000 {
        let (a, b) = (operand(&mut rng, 5000), operand(&mut rng, 5000));
        let (a, b) = (signed(&mut rng, a), signed(&mut rng, b));
        assert_integers_agree(&a, &b);
        let shift = between(&mut rng, 0, 300) as u32;
        assert_eq!(gmp(&(&a >> shift)), gmp(&a) >> shift, "{a} >> {shift}");
        assert_eq!(gmp(&(&a << shift)), gmp(&a) << shift, "{a} << {shift}");
    }
}

#[test]
fn gcds_of_operands_with_a_common_factor_agree_with_gmp() {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    for _ in 0..5000 {
        let (a, b, common) = (operand(&mut rng, 2500), operand(&mut rng, 2500), operand(&mut rng, 2500));
        assert_integers_agree(&(a * &common).into(), &(b * common).into());
    }
}

/// What schoolbook division (Knuth, The Art of Computer Programming 2, 4.3.1, Algorithm D) meets on its way through
/// `dividend / divisor` with limbs of `width` bits: how often the first estimate of a digit from two limbs by one
/// overflows a limb, and how often the refined estimate, from three limbs by two, is still too great, so that D6 must
/// add back.
fn knuth_events(dividend: &BigUint, divisor: &BigUint, width: u32) -> (u32, u32) {
    let limbs = divisor.bits().div_ceil(width.into()) as u32;
    if limbs < 2 || dividend < divisor {
        return (0, 0);
    }
    let shift = limbs * width - divisor.bits() as u32;
    let (mut rest, v) = (gmp_unsigned(dividend) << shift, gmp_unsigned(divisor) << shift);
    let base = Integer::from(1) << width;
    let (first, two) = (Integer::from(&v >> ((limbs - 1) * width)), Integer::from(&v >> ((limbs - 2) * width)));
    let (mut overflows, mut add_backs) = (0, 0);
    for j in (0..=rest.significant_bits().div_ceil(width).saturating_sub(limbs)).rev() {
        let estimate = Integer::from(&rest >> ((j + limbs - 1) * width)) / &first;
        overflows += u32::from(estimate >= base);
        let refined = Integer::from(&rest >> ((j + limbs - 2) * width)) / &two;
        let (digit, next) = rest.div_rem(Integer::from(&v << (j * width)));
        add_backs += u32::from(refined.min(Integer::from(&base - 1)) > digit);
        rest = next;
    }
    (overflows, add_backs)
}

/// Dividends and divisors from Hacker's Delight's tests of Algorithm D, here with limbs of any width.
fn delight_cases(width: u32) -> Vec<(BigUint, BigUint)> {
    let base = BigUint::from(1_u32) << width;
    let half = &base >> 1_u32;
    let max = &base - 1_u32;
    let join = |limbs: &[&BigUint]| limbs.iter().fold(BigUint::default(), |value, limb| (value << width) + *limb);
    let (zero, one) = (BigUint::default(), BigUint::from(1_u32));
    let eighth = &base >> 3_u32;
    vec![
        // The refined digit is too great: add back.
        (join(&[&half, &zero, &BigUint::from(3_u32)]), join(&[&eighth, &zero, &one])),
        (join(&[&(&half - 1_u32), &half, &zero, &zero]), join(&[&half, &zero, &one])),
        // The first estimate is one limb and more: overflow.
        (join(&[&half, &(&max - 1_u32), &zero]), join(&[&half, &max])),
        // The multiply-and-subtract borrows through every limb.
        (join(&[&half, &zero, &(&max - 1_u32), &zero]), join(&[&half, &zero, &max])),
    ]
}

/// Counts both events over pairs that are all checked against GMP.
fn check_all(pairs: impl IntoIterator<Item = (BigUint, BigUint)>, width: u32) -> (u32, u32) {
    let mut total = (0, 0);
    for (dividend, divisor) in pairs {
        assert_divisions_agree(&dividend.clone().into(), &divisor.clone().into());
        let (overflows, add_backs) = knuth_events(&dividend, &divisor, width);
        total = (total.0 + overflows, total.1 + add_backs);
    }
    total
}

#[test]
fn knuth_d_qhat_overflow_agrees_with_gmp() {
    // The dividend's top limbs equal the divisor's, so the estimate of the digit does not fit a limb.
    let mut rng = ChaCha20Rng::seed_from_u64(8);
    for width in [32, 64] {
        let pairs = (0..4000).map(|_| {
            let limbs = between(&mut rng, 2, 40);
            let mut divisor = edge_limbs(&mut rng, limbs);
            divisor.set_bit(limbs * u64::from(width) - 1, true);
            let places = between(&mut rng, 1, 30) * u64::from(width);
            // Just below divisor · 2^places: every digit of the quotient is the greatest.
            let below = operand(&mut rng, places);
            let dividend = (&divisor << places) - below.min(divisor.clone());
            (dividend, divisor)
        });
        let (overflows, _) = check_all(pairs.collect::<Vec<_>>(), width);
        assert!(overflows > 1000, "only {overflows} overflows at {width} bits");
        let (overflows, _) = check_all(delight_cases(width), width);
        assert!(overflows > 0);
    }
}

#[test]
fn knuth_d_add_back_agrees_with_gmp() {
    let mut rng = ChaCha20Rng::seed_from_u64(9);
    for width in [32, 64] {
        let pairs = (0..4000).map(|case| {
            let limbs = between(&mut rng, 3, 20);
            let base = BigUint::from(1_u32) << width;
            // Two plain top limbs, then a great rest that the estimate does not see: v = (v1, v2, max, …).
            let low = (BigUint::from(1_u32) << (u64::from(width) * (limbs - 2))) - 1_u32;
            let top = if case % 2 == 0 { &base >> 1_u32 } else { &base - 1_u32 };
            let divisor: BigUint = ((top * &base) << (u64::from(width) * (limbs - 2))) + low;
            // A dividend just below digit · divisor: seen through two limbs, it seems to hold one divisor more.
            let digit = exactly(&mut rng, u64::from(width));
            let places = between(&mut rng, 0, 10) * u64::from(width);
            let rest = operand(&mut rng, 200).min(divisor.clone());
            let dividend = ((&divisor * digit) << places) - rest;
            (dividend, divisor)
        });
        let (_, add_backs) = check_all(pairs.collect::<Vec<_>>(), width);
        assert!(add_backs > 1000, "only {add_backs} add-backs at {width} bits");
        let (_, add_backs) = check_all(delight_cases(width), width);
        assert!(add_backs > 0);
    }
}

#[test]
fn divisors_with_extreme_top_limbs_agree_with_gmp() {
    let mut rng = ChaCha20Rng::seed_from_u64(10);
    for case in 0..10_000 {
        let width = if case % 2 == 0 { 32 } else { 64 };
        let places = width * between(&mut rng, 0, 60);
        // A top limb 0x8000…0 or 0xFFFF…F, and a random or extreme rest.
        let top =
            if case % 4 < 2 { BigUint::from(1_u32) << (width - 1) } else { (BigUint::from(1_u32) << width) - 1_u32 };
        let rest = operand(&mut rng, places.max(64)) % (BigUint::from(1_u32) << places);
        let divisor = (top << places) + rest;
        let quotient = operand(&mut rng, 3000);
        // Dividends at and around the multiples, where remainders are 0, 1 and divisor − 1.
        let multiple = &divisor * quotient;
        for dividend in [&multiple - 1_u32, multiple.clone(), &multiple + 1_u32, &multiple + &divisor - 1_u32] {
            let (dividend, divisor) = (signed(&mut rng, dividend), signed(&mut rng, divisor.clone()));
            assert_divisions_agree(&dividend, &divisor);
        }
    }
}

#[test]
fn rationals_agree_with_gmp() {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    let same = |ours: &Rational, theirs: rug::Rational, what: &str| {
        // Numerator and denominator, so that lowest terms and the sign's place are compared too.
        assert_eq!((&gmp(ours.numer()), &gmp(ours.denom())), (theirs.numer(), theirs.denom()), "{what}");
    };
    for _ in 0..5000 {
        let mut draw = || {
            let (n, d, common) = (operand(&mut rng, 3000), operand(&mut rng, 3000), operand(&mut rng, 500));
            let (n, d) = (signed(&mut rng, n * &common), signed(&mut rng, d * &common));
            let ours = Rational::new(n.clone(), d.clone());
            same(&ours, rug::Rational::from((gmp(&n), gmp(&d))), "reduction");
            ours
        };
        let (a, b) = (draw(), draw());
        let (x, y) = (gmp_rational(&a), gmp_rational(&b));
        same(&(&a + &b), rug::Rational::from(&x + &y), "sum");
        same(&(&a - &b), rug::Rational::from(&x - &y), "difference");
        same(&(&a * &b), rug::Rational::from(&x * &y), "product");
        same(&(&a / &b), rug::Rational::from(&x / &y), "quotient");
        assert_eq!(a.cmp(&b), x.cmp(&y));
        assert_eq!(a == b, x == y);
        // Neighbours, which only an exact comparison orders.
        let neighbour = &a + unit(4000);
        assert_eq!(a.cmp(&neighbour), x.cmp(&gmp_rational(&neighbour)));
    }
}
