//! The integers that say whether V < e^-x: every bound is on its side of the truth, and what is decided
//! is decided rightly.
#![allow(clippy::cast_possible_truncation, reason = "proofs and tests")]

use super::*;

/// The polynomials that enclose e^-x, in the exact integers of a finer unit: [lower, upper] holds 1 − x + x²/2 − x³/6 and 1 − x + x²/2, for x
/// = `x`·2^-(BITS + finer) in [least, most].
fn encloses_the_series<W: Machine>(
    exponential: impl Fn(u128, u128) -> (u128, u128),
    (least, most): (u8, u8),
    x: u16,
    finer: u32,
) {
    let (lower, upper) = exponential(least.into(), most.into());
    // No more than 12 bits, as are x and the bounds: its cube is below 2^36.
    let (one, x) = (1u64 << (W::BITS + finer), u64::from(x));
    let (lower, upper) = ((lower as u64) << finer, (upper as u64) << finer);
    assert!(u64::from(least) << finer <= x && x <= u64::from(most) << finer);
    let square = 2 * one * one + x * x - 2 * x * one;
    assert!(upper * 2 * one >= square);
    assert!(lower * 6 * one * one <= 3 * square * one - x * x * x);
}

/// mantissa·2^-exponent ≤ denominator/numerator < (mantissa + 1)·2^-exponent, with all but one bit of the mantissa or all.
fn is_the_reciprocal<W: Machine>(reciprocal: Reciprocal<W>, numerator: u8, denominator: u8) {
    let mantissa: u64 = reciprocal.mantissa.into();
    let scaled = u64::from(denominator) << reciprocal.exponent;
    assert!(mantissa * u64::from(numerator) <= scaled && scaled < (mantissa + 1) * u64::from(numerator));
    assert!(mantissa >> (W::BITS - 2) != 0 && mantissa >> W::BITS == 0);
}

/// [lower, upper]·2^-BITS holds amount·r for every r in [mantissa, mantissa + 1]·2^-exponent.
fn encloses_the_multiple<W: Machine>(
    times: impl Fn(Reciprocal<W>, u128) -> Option<(u128, u128)>,
    reciprocal: Reciprocal<W>,
    amount: u16,
) {
    if let Some((lower, upper)) = times(reciprocal, amount.into()) {
        let (mantissa, exponent): (u64, _) = (reciprocal.mantissa.into(), reciprocal.exponent);
        let (lower, upper, amount) = (lower as u64, upper as u64, u64::from(amount));
        assert!(lower <= upper && upper < 1 << W::BITS);
        assert!(lower << exponent <= (amount * mantissa) << W::BITS);
        assert!((amount * (mantissa + 1)) << W::BITS <= upper << exponent);
    }
}

/// k² = (bw)² + the amount; nothing exactly where it does not fit.
fn is_a_difference_of_squares(square_amount: impl Fn(u64, u64, u32) -> Option<u8>, bucket: u8, offset: u8, bits: u32) {
    let edge = u32::from(bucket) << bits;
    let magnitude = edge + u32::from(offset);
    let exact = magnitude * magnitude - edge * edge;
    match square_amount(bucket.into(), offset.into(), bits) {
        Some(amount) => assert!(u32::from(amount) == exact),
        // Its parts, or it.
        None => assert!(exact > 255 || edge >> 7 != 0 || 2 * edge + u32::from(offset) > 255),
    }
}

/// The greatest number of v's that are below 1 − X, all of them: c ≤ (1 − X)·2^bits < c + 1; 0 if X is 1 or more.
fn is_sure(sure: impl Fn(&u16, &u16, u32) -> u64, numerator: u8, denominator: u8, bits: u32) {
    let count = sure(&numerator.into(), &denominator.into(), bits);
    let (n, d, whole) = (u64::from(numerator), u64::from(denominator), 1u64 << bits);
    assert!(count == 0 || count * d + n * whole <= d * whole);
    assert!((count + 1) * d + n * whole > d * whole);
}

/// What is decided holds for every V in [prefix, prefix + 1]·2^-length, and what is open cannot be told from the first BITS digits of V.
fn decides<W: Machine>(
    decided: impl Fn(u128, u32, (u128, u128)) -> Option<bool>,
    prefix: u128,
    length: u32,
    (lower, upper): (u128, u128),
) {
    // In the finer of the two units: V is in [low, high].
    let (finer, coarser) = (length.saturating_sub(W::BITS), W::BITS.saturating_sub(length));
    let (low, high) = (prefix << coarser, (prefix + 1) << coarser);
    match decided(prefix, length, (lower, upper)) {
        Some(true) => assert!(high <= lower << finer),
        Some(false) => assert!(low >= upper << finer),
        None => {
            let ceiling = if finer > 0 { (low >> finer) + 1 } else { high };
            assert!(ceiling > lower && low >> finer < upper);
        }
    }
}

/// Planted: the upper bound is rounded down.
#[cfg(any(test, certus_controls))]
fn rounded_down<W: Machine>(least: u128, most: u128) -> (u128, u128) {
    let (lower, upper) = exponential::<W>(least, most);
    (lower, upper - 1)
}

/// Planted: the lower bound is taken at the least x.
#[cfg(any(test, certus_controls))]
fn at_the_least<W: Machine>(least: u128, most: u128) -> (u128, u128) {
    (exponential::<W>(least, least).0, exponential::<W>(least, most).1)
}

/// Planted: an amount that is cut is not rounded up.
#[cfg(any(test, certus_controls))]
fn cut_down<W: Machine>(reciprocal: Reciprocal<W>, amount: u128) -> Option<(u128, u128)> {
    let dropped = (128 - W::BITS).saturating_sub(amount.leading_zeros());
    let (top, mantissa) = (amount >> dropped, u128::from(reciprocal.mantissa.into()));
    let shift = reciprocal.exponent.checked_sub(dropped)?.checked_sub(W::BITS)?;
    let (lower, upper) = ((top * mantissa) >> shift, ((top * (mantissa + 1)) >> shift) + 1);
    (upper < 1 << W::BITS).then_some((lower, upper))
}

/// Planted: X is rounded down.
#[cfg(any(test, certus_controls))]
fn sure_rounded_up(numerator: &u16, denominator: &u16, bits: u32) -> u64 {
    (1u64 << bits).saturating_sub(u64::from(*numerator << bits) / u64::from(*denominator))
}

/// Planted: o·(bw + o).
#[cfg(any(test, certus_controls))]
fn half_the_reach(bucket: u64, offset: u64, bits: u32) -> Option<u8> {
    u8::try_from(((bucket << bits) + offset) * offset).ok()
}

/// Planted: V at the lower bound is below it.
#[cfg(any(test, certus_controls))]
fn decided_at_the_bound(prefix: u128, length: u32, (lower, upper): (u128, u128)) -> Option<bool> {
    decided::<u64>(prefix, length, (lower + 1, upper))
}

#[cfg(kani)]
mod harnesses {
    use super::*;
    use crate::sample::machine::Short;

    /// x of BITS + finer bits, between two of BITS bits.
    fn any_x(bits: u32, finer: u32) -> ((u8, u8), u16) {
        let ((least, most), x): ((u8, u8), u16) = (kani::any(), kani::any());
        kani::assume(u32::from(most) < 1 << bits);
        kani::assume(u16::from(least) << finer <= x && x <= u16::from(most) << finer);
        ((least, most), x)
    }

    fn any_reciprocal<const BITS: u32>(most_exponent: u32) -> Reciprocal<Short<BITS>> {
        let (mantissa, exponent): (u8, u32) = (kani::any(), kani::any());
        kani::assume(mantissa >> BITS == 0 && exponent <= most_exponent);
        Reciprocal { mantissa: Short::cut(mantissa.into()), exponent }
    }

    /// ∀ x < 1 of 8 bits, ∀ bounds of x of 6 bits: the two partial sums, on words of 6 bits. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_exponential_u6() {
        let (bounds, x) = any_x(6, 2);
        encloses_the_series::<Short<6>>(exponential::<Short<6>>, bounds, x, 2);
        kani::cover!(x == 0, "x = 0");
        kani::cover!(bounds.1 == 63 && bounds.0 == 0, "wide bounds");
    }

    /// ∀ numerator ≥ denominator > 0 of 6 bits, on words of 6. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_reciprocal_u6() {
        let (numerator, denominator): (u8, u8) = (kani::any(), kani::any());
        kani::assume(numerator < 64 && denominator > 0 && denominator <= numerator);
        let made = reciprocal::<Short<6>, u32>(&numerator.into(), &denominator.into());
        assert!(made.is_some());
        if let Some(reciprocal) = made {
            is_the_reciprocal(reciprocal, numerator, denominator);
        }
        kani::cover!(denominator == numerator, "1");
    }

    /// ∀ mantissas of 4 bits, exponents up to 20 and amounts of 8 bits, on words of 4. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_times_u4() {
        let (reciprocal, amount) = (any_reciprocal::<4>(20), kani::any::<u16>());
        kani::assume(amount < 1 << 8);
        encloses_the_multiple(Reciprocal::<Short<4>>::times, reciprocal, amount);
        let times = reciprocal.times(amount.into());
        kani::cover!(times.is_some() && amount > 15, "an amount that is cut");
        kani::cover!(times.is_none(), "1 or more");
    }

    /// ∀ buckets and places of 8 bits, in buckets of up to 2^7 places, in 8 bits. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_square_amount_u8() {
        let (bucket, offset, bits): (u8, u8, u32) = (kani::any(), kani::any(), kani::any());
        kani::assume(bits <= 7);
        is_a_difference_of_squares(square_amount::<u8>, bucket, offset, bits);
        kani::cover!(bucket == 3 && bits == 3 && offset == 4, "one that fits");
    }

    /// ∀ X of 6 bits over 6, ∀ squeezes of 1 to 6 bits. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_sure_u16() {
        let (numerator, denominator, bits): (u8, u8, u32) = (kani::any(), kani::any(), kani::any());
        kani::assume(numerator < 64 && denominator < 64 && denominator > 0 && 1 <= bits && bits <= 6);
        is_sure(sure::<u16>, numerator, denominator, bits);
        kani::cover!(numerator > denominator, "X past 1");
    }

    /// ∀ bounds up to 2^64 + 1 and V's of 72, 79 and 94 bits (v of the fewest, of some and of the most), on words of 64 bits.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_decided_u64() {
        let (prefix, bounds): (u128, (u128, u128)) = (kani::any(), kani::any());
        kani::assume(bounds.0 <= bounds.1 && bounds.1 <= (1 << 64) + 1 && prefix >> 94 == 0);
        // Each length is known to the solver, so that it need not shift by a symbol.
        decides::<u64>(decided::<u64>, prefix >> 22, 72, bounds);
        decides::<u64>(decided::<u64>, prefix >> 15, 79, bounds);
        decides::<u64>(decided::<u64>, prefix, 94, bounds);
        kani::cover!(decided::<u64>(prefix, 94, bounds).is_none(), "open");
    }

    /// ∀ numbers of 128 bits: all fit two words of 64 bits, and those below 2^12 two of 6.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_double() {
        let number: u128 = kani::any();
        assert!(double::<u64>(number) == Some(number));
        assert!(double::<Short<6>>(number) == if number < 1 << 12 { Some(number) } else { None });
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_exponential_rounded_down() {
        let (bounds, x) = any_x(4, 2);
        encloses_the_series::<Short<4>>(rounded_down::<Short<4>>, bounds, x, 2);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_exponential_at_the_least() {
        let (bounds, x) = any_x(4, 2);
        encloses_the_series::<Short<4>>(at_the_least::<Short<4>>, bounds, x, 2);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_times_cut_down() {
        let (reciprocal, amount) = (any_reciprocal::<4>(20), kani::any::<u16>());
        kani::assume(amount < 1 << 8);
        encloses_the_multiple(cut_down::<Short<4>>, reciprocal, amount);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_square_amount_halved() {
        let (bucket, offset): (u8, u8) = (kani::any(), kani::any());
        kani::assume(bucket < 8 && offset < 8);
        is_a_difference_of_squares(half_the_reach, bucket, offset, 3);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_sure_rounded_up() {
        let (numerator, denominator): (u8, u8) = (kani::any(), kani::any());
        kani::assume(numerator < 16 && denominator < 16 && denominator > 0);
        is_sure(sure_rounded_up, numerator, denominator, 4);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_decided_at_the_bound() {
        let (prefix, bounds): (u64, (u64, u64)) = (kani::any(), kani::any());
        kani::assume(bounds.0 <= bounds.1);
        decides::<u64>(decided_at_the_bound, prefix.into(), 64, (bounds.0.into(), bounds.1.into()));
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use crate::{
        exact::{NonNegative, Rational, exp_neg},
        sample::machine::Short,
    };
    use num_bigint::BigUint;
    use num_traits::One;
    use proptest::prelude::*;

    /// Every x of four bits and two finer, every bounds of it.
    #[test]
    fn the_series_exhaustively() {
        for (least, most) in (0..16u8).flat_map(|most| (0..=most).map(move |least| (least, most))) {
            for x in u16::from(least) << 2..=u16::from(most) << 2 {
                encloses_the_series::<Short<4>>(exponential::<Short<4>>, (least, most), x, 2);
            }
        }
    }

    #[test]
    fn reciprocals_and_multiples_exhaustively() {
        for (numerator, denominator) in (1..32u8).flat_map(|n| (1..=n).map(move |d| (n, d))) {
            let reciprocal = reciprocal::<Short<5>, u32>(&numerator.into(), &denominator.into()).unwrap();
            is_the_reciprocal(reciprocal, numerator, denominator);
            for amount in 0..1024 {
                encloses_the_multiple(Reciprocal::times, reciprocal, amount);
            }
        }
    }

    /// Amounts of up to twice a word, which are cut off.
    #[test]
    fn multiples_past_a_word_exhaustively() {
        for (n, d) in (32..1024u32).step_by(5).flat_map(|n| (1..8u32).map(move |d| (n, d))) {
            let reciprocal = reciprocal::<Short<5>, u32>(&n, &d).unwrap();
            for amount in 0..=n / d {
                let Some((lower, upper)) = reciprocal.times(amount.into()) else { continue };
                let (scaled, n) = (u128::from(amount * d) << 5, u128::from(n));
                assert!(lower * n <= scaled && scaled <= upper * n, "{amount}·{d}/{n} in [{lower}, {upper}]");
            }
        }
    }

    #[test]
    fn bytes_exhaustively() {
        for (a, b) in (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| (a, b))) {
            for bits in 0..8 {
                is_a_difference_of_squares(square_amount::<u8>, a, b, bits);
                if b > 0 {
                    is_sure(sure::<u16>, a, b, bits);
                }
            }
        }
        assert_eq!((double::<Short<4>>(255), double::<Short<4>>(256)), (Some(255), None));
        assert_eq!(double::<u64>(u128::MAX), Some(u128::MAX));
    }

    #[test]
    fn decisions_exhaustively() {
        for (lower, upper) in (0..=17u128).flat_map(|upper| (0..=upper).map(move |lower| (lower, upper))) {
            for length in 1..8 {
                for prefix in 0..1 << length {
                    decides::<Short<4>>(decided::<Short<4>>, prefix, length, (lower, upper));
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn an_upper_bound_rounded_down_is_seen() {
        encloses_the_series::<Short<4>>(rounded_down::<Short<4>>, (3, 3), 12, 2);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_lower_bound_at_the_least_is_seen() {
        encloses_the_series::<Short<4>>(at_the_least::<Short<4>>, (0, 15), 60, 2);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn an_amount_cut_down_is_seen() {
        let reciprocal = Reciprocal { mantissa: Short::<4>::cut(12), exponent: 11 };
        (0..256).for_each(|amount| encloses_the_multiple(cut_down::<Short<4>>, reciprocal, amount));
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn half_the_reach_is_seen() {
        is_a_difference_of_squares(half_the_reach, 1, 1, 0);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_squeeze_rounded_up_is_seen() {
        is_sure(sure_rounded_up, 1, 3, 4);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_decision_at_the_bound_is_seen() {
        decides::<u64>(decided_at_the_bound, 5, 64, (5, 9));
    }

    proptest! {
        #[test]
        fn words(prefix: u128, length in 1u32..=94, lower: u64, wide in 0u32..64) {
            let near = u128::from(lower);
            let bounds = (near, near + (1u128 << wide >> 1));
            decides::<u64>(decided::<u64>, prefix >> (128 - length), length, bounds);
            let at = if length > 64 { near << (length - 64) } else { near >> (64 - length) };
            decides::<u64>(decided::<u64>, at, length, bounds);
        }

        /// The integer bounds of e^-x hold the enclosure of it.
        #[test]
        fn the_series_encloses_the_exponential(x in 0u64..1 << 60, bits in 0u32..60) {
            let x = x >> bits;
            let (lower, upper) = exponential::<u64>(x.into(), x.into());
            let unit = Rational::from_integer(num_bigint::BigInt::one() << 64);
            let truth = exp_neg(&NonNegative::new(Rational::from_integer(x.into()) / &unit).unwrap(), 80);
            prop_assert!(Rational::from_integer(lower.into()) <= truth.upper() * &unit);
            prop_assert!(Rational::from_integer(upper.into()) >= truth.lower() * &unit);
            prop_assert!(upper - lower <= ((u128::from(x) * u128::from(x)) >> 64) * u128::from(x) / (6 << 64) + 6);
        }

        #[test]
        fn multiples_of_the_reciprocal_are_enclosed(n in 1u64.., d in 1u64.., amount: u128, shift in 0u32..128) {
            let (n, d) = (n.max(d), n.min(d) / 8 + 1);
            prop_assume!(n / d >= 4);
            let amount = amount >> shift;
            let truth = Rational::from_integer(amount.into()) * Rational::new(d.into(), n.into());
            match reciprocal::<u64, BigUint>(&BigUint::from(n), &BigUint::from(d)).unwrap().times(amount) {
                Some((lower, upper)) => {
                    let scaled = truth * Rational::from_integer(num_bigint::BigInt::one() << 64);
                    prop_assert!(Rational::from_integer(lower.into()) <= scaled && scaled <= Rational::from_integer(upper.into()));
                    prop_assert!(upper - lower <= 8);
                }
                None => prop_assert!(truth >= Rational::new(1.into(), 2.into())),
            }
        }
    }
}
