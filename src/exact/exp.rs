//! `e^-x`, enclosed.
//!
//! Halve `x` until it is small, sum the alternating series there, square back. Every step is on integers
//! scaled by `2^working`; one such unit is called an *ulp* below. The bounds are right at any working
//! precision. How narrow they are is not left to an analysis but checked: a result too wide is computed again
//! with more guard bits.

use core::ops::{Div, Mul, Shr};

use num_bigint::{BigInt, BigUint};
use num_integer::{Integer, Roots};
use num_traits::{One, ToPrimitive, Zero};

use super::ln::ln_two;
use super::{Enclosure, NonNegative};

/// Encloses `e^-x` with `width ≤ 2^-precision`; `e^-0` is the point 1.
///
/// The cost grows with the precision and with the length of `x` in memory, never with its value: where
/// `x ≥ precision` the answer is `[0, 2^-precision]` at once, since `e^-x ≤ e^-precision ≤ 2^-precision`. The
/// result carries up to two bits more than `precision`, so that must be at most `u32::MAX − 2`.
///
/// ```
/// use certus::exact::{NonNegative, Rational, exp_neg};
///
/// let half = NonNegative::new(Rational::new(1.into(), 2.into()))?;
/// assert_eq!(exp_neg(&half, 30).to_string(), "[0.606530659599, 0.606530659833]");
/// # Ok::<(), certus::exact::NegativeError>(())
/// ```
#[must_use]
pub fn exp_neg(x: &NonNegative, precision: u32) -> Enclosure {
    let (numerator, denominator) = (x.numerator(), x.denominator());
    if numerator.is_zero() {
        return Enclosure::from_integer(1, 0);
    }
    // x ≥ precision, and precision ≥ precision · ln 2.
    if *numerator >= denominator * precision {
        return Enclosure::from_scaled(BigInt::zero(), BigInt::one(), precision);
    }
    // About √precision / 2 more halvings than bring x below 1 balance the squarings against the terms of the
    // series.
    let extra = u64::from(4 + precision.sqrt() / 2);
    // x < 2^(bits of the numerator − bits of the denominator + 1), so x / 2^halvings < 2^-extra < 1/2.
    let halvings = (numerator.bits() + 1 + extra).saturating_sub(denominator.bits());
    // The early answer left x < 2^32, so halvings ≤ 34 + extra: the conversion never saturates.
    let halvings = u32::try_from(halvings).unwrap_or(u32::MAX);
    // The series is some tens of ulps wide, and each squaring at most doubles that.
    let mut guard = halvings.saturating_add(10);
    loop {
        let enclosed = enclose(numerator, denominator, halvings, precision.saturating_add(guard));
        let rounded = enclosed.at_precision(precision.saturating_add(2));
        if rounded.is_narrow(precision) {
            return rounded;
        }
        guard = guard.saturating_mul(2);
    }
}

/// Encloses `e^-x` with `width ≤ 2^-bits · lower`, a relative width; `lower > 0`.
///
/// `e^-x = 2^-q · e^-(x − q·ln 2)` for `q = ⌊x / ln 2⌋`: the second factor is above 1/2 less a rounding, so
/// it needs only `bits` binary digits, and the first is a precision of about `bits + x / ln 2` on integers of
/// about `bits` binary digits. The cost therefore grows with `bits` and with the length of `x`, not with its
/// value. But to read a bound as a rational, to print it, or to bring another enclosure to this precision
/// writes out every digit: multiply such results among themselves, or round them
/// ([`Enclosure::at_precision`]) first.
///
/// `None` where that precision exceeds a `u32` (every `x > 2^32`, and none below `2^31` for `bits ≤ 2^30`).
///
/// ```
/// use certus::exact::{NonNegative, Rational, exp_neg_relative};
///
/// let thousand = NonNegative::new(Rational::from_integer(1000.into()))?;
/// let enclosed = exp_neg_relative(&thousand, 10).expect("1000 is small");
/// assert_eq!(enclosed.to_string(), "[5.075952e-435, 5.076078e-435]");
/// # Ok::<(), certus::exact::NegativeError>(())
/// ```
#[must_use]
pub fn exp_neg_relative(x: &NonNegative, bits: u32) -> Option<Enclosure> {
    if *x.numerator() > x.denominator() << 32_u32 {
        return None;
    }
    // The second factor is above 1/4, so two bits more than `bits` make it relatively narrow, and two are to
    // spare.
    let precision = bits.checked_add(4)?;
    // q < 2^33 multiplies the width of ln 2, which is about a thousand units at 128 bits.
    let mut guard = 48_u32;
    loop {
        let working = precision.checked_add(guard)?;
        let ln_two = ln_two(working);
        let x_enclosed = Enclosure::from_rational(x.get(), working);
        // Rounded down, so q ≤ x / ln 2 and x − q·ln 2 ≥ 0. A q too small would be slower, not wrong.
        let q = x_enclosed.div(&ln_two)?.lower().floor().to_integer();
        let exponent = q.to_u32()?;
        let reduced = x_enclosed.sub(&ln_two.mul(&Enclosure::from_integer(q, 0))).max_zero();
        let enclosed = exp_neg_over(&reduced, precision)?;
        if enclosed.is_relatively_narrow(bits) {
            return enclosed.scaled_down(exponent);
        }
        guard = guard.checked_mul(2)?;
    }
}

/// Encloses `e^-x` for every `x` of an enclosure; `None` if it has negative ones.
fn exp_neg_over(x: &Enclosure, precision: u32) -> Option<Enclosure> {
    // e^-x falls, so the least is at the greatest x.
    let least = exp_neg(&NonNegative::new(x.upper()).ok()?, precision);
    let greatest = exp_neg(&NonNegative::new(x.lower()).ok()?, precision);
    Some(least.hull(&greatest))
}

/// Encloses `e^-x` on integers scaled by `2^working`, for `x = numerator / denominator ≤ 2^halvings / 2`.
fn enclose(numerator: &BigUint, denominator: &BigUint, halvings: u32, working: u32) -> Enclosure {
    // t = ⌊x · 2^(working − halvings)⌋ ulps is x / 2^halvings less at most one ulp.
    let t = match working.checked_sub(halvings) {
        Some(shift) => (numerator << shift) / denominator,
        None => numerator / (denominator << halvings.saturating_sub(working)),
    };
    let (lower, upper) = series(&t, working);
    // e^-t falls with a slope of at most 1: a t too small by at most one ulp makes it too great by at most
    // one.
    let lower = BigInt::from(lower) - 1_u32;
    // 0 ≤ e^-x ≤ 1.
    let lower = lower.max(BigInt::zero());
    let upper = BigInt::from(upper).min(BigInt::one() << working);
    let mut enclosed = Enclosure::from_scaled(lower, upper, working);
    for _ in 0..halvings {
        enclosed = enclosed.square();
    }
    enclosed
}

/// `T_k = ⌊T_(k−1) · t / (2^working · k)⌋`, for k = `index`.
fn next_term<T, K>(term: T, t: &T, working: u32, index: K) -> T
where
    T: for<'t> Mul<&'t T, Output = T> + Shr<u32, Output = T> + Div<K, Output = T>,
{
    // ⌊⌊a / 2^working⌋ / k⌋ = ⌊a / (2^working · k)⌋
    ((term * t) >> working) / index
}

/// Bounds `e^-t`, for `t ≤ 1/2`, by its series `Σ (−1)^k t^k / k!`; all in ulps of `2^-working`.
///
/// The computed terms are `T_0 = 2^working`, `T_1 = t` and `T_k = ⌊T_(k−1) · t / k⌋`. A true term exceeds its
/// `T_k` by `e_k ≥ 0` ulps: `e_0 = e_1 = 0` and `e_k < e_(k−1) · t / k + 1 ≤ e_(k−1) / 4 + 1`, so `e_k < 2`:
/// from the third on, a true term is in `[T_k, T_k + 2)`. Signs alternate, so the slack of an even term can
/// only raise the sum, and that of an odd term only lower it. The true terms fall, so the sum from any term
/// on is between zero and that term: at the first `T_k = 0` the whole remainder is in that term's slack, and
/// the sum stops.
fn series(t: &BigUint, working: u32) -> (BigUint, BigUint) {
    let mut even = BigUint::one() << working;
    let mut odd = t.clone();
    let (mut even_slack, mut odd_slack) = (0_u64, 0_u64);
    let mut term = t.clone();
    let mut index = 2_u64;
    loop {
        term = next_term(term, t, working, index);
        if index.is_even() {
            even += &term;
            even_slack += 2;
        } else {
            odd += &term;
            odd_slack += 2;
        }
        if term.is_zero() {
            break;
        }
        index += 1;
    }
    let odd_upper = &odd + odd_slack;
    // The even sum is at least 1 and the odd one at most 2/3. Only where the slack is not small against that,
    // at a few bits, may a difference be negative; 0 is a lower bound of e^-t then too.
    let lower = if even > odd_upper { &even - odd_upper } else { BigUint::zero() };
    (lower, even + even_slack - odd)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/exact/exp.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Rational;
    use super::*;

    fn non_negative(numerator: u64, denominator: u64) -> NonNegative {
        NonNegative::new(Rational::new(numerator.into(), denominator.into())).unwrap()
    }

    fn unit(bits: u32) -> Rational {
        Rational::new(BigInt::one(), BigInt::one() << bits)
    }

    /// An independent enclosure of e^-x in exact rationals, narrower than `2^-bits`: two neighbouring partial
    /// sums of the alternating series, once its terms fall.
    fn reference(x: &Rational, bits: u32) -> (Rational, Rational) {
        let mut term = Rational::one();
        let mut partial = Rational::one();
        let mut k = 0_u32;
        loop {
            k += 1;
            term = -term * x / BigInt::from(k);
            let next = &partial + &term;
            let magnitude = if k.is_multiple_of(2) { term.clone() } else { -term.clone() };
            if Rational::from_integer(k.into()) > *x && magnitude < unit(bits) {
                return (partial.clone().min(next.clone()), partial.max(next));
            }
            partial = next;
        }
    }

    /// Whether the enclosure contains the truth, as far as a reference bracket around the truth can tell: it
    /// must not lie wholly on one side of it.
    fn meets(enclosed: &Enclosure, (lower, upper): &(Rational, Rational)) -> bool {
        enclosed.lower() <= *upper && enclosed.upper() >= *lower
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn encloses_the_exact_series(n in 0_u64..200, d in 1_u64..20, precision in 0_u32..150) {
            let x = non_negative(n, d);
            let enclosed = exp_neg(&x, precision);
            prop_assert!(enclosed.width() <= unit(precision));
            prop_assert!(meets(&enclosed, &reference(x.get(), precision + 30)));
        }

        #[test]
        fn encloses_at_any_working_precision(n in 1_u64..100, d in 1_u64..100, halvings in 8_u32..20, working in 0_u32..60) {
            let enclosed = enclose(&n.into(), &d.into(), halvings, working);
            prop_assert!(meets(&enclosed, &reference(non_negative(n, d).get(), 80)));
        }

        #[test]
        fn is_multiplicative(n in any::<u64>(), m in any::<u32>(), d in 1_u64.., precision in 0_u32..400) {
            let (x, y) = (non_negative(n, d), non_negative(m.into(), 1 << 24));
            let sum = NonNegative::new(x.get() + y.get()).unwrap();
            let product = exp_neg(&x, precision).mul(&exp_neg(&y, precision));
            prop_assert!(product.intersects(&exp_neg(&sum, precision)));
        }

        #[test]
        fn relative_width_is_bounded(n in any::<u32>(), d in 1_u64..10_000_000, bits in 0_u32..200) {
            let x = non_negative(u64::from(n) / 2, d);
            let enclosed = exp_neg_relative(&x, bits).unwrap();
            prop_assert!(enclosed.is_relatively_narrow(bits));
            if x.get().to_integer() < 2000.into() {
                prop_assert!(enclosed.lower() > Rational::zero());
                prop_assert!(enclosed.intersects(&exp_neg(&x, bits + 3000)));
            }
        }
    }

    #[test]
    fn every_small_series_is_bounded() {
        for working in 1..=9 {
            for t in 0..=(1_u64 << working) / 2 {
                let (lower, upper) = series(&t.into(), working);
                let enclosed = Enclosure::from_scaled(lower.into(), upper.into(), working);
                let truth = reference(non_negative(t, 1 << working).get(), 60);
                assert!(enclosed.lower() <= truth.0 && truth.1 <= enclosed.upper(), "{t} / 2^{working} in {enclosed}");
            }
        }
    }

    #[test]
    fn an_enclosed_argument_is_enclosed_at_both_ends() {
        let (one, two) = (non_negative(1, 1), non_negative(2, 1));
        let over = exp_neg_over(&Enclosure::from_bounds(one.get(), two.get(), 0).unwrap(), 60).unwrap();
        assert!(over.contains(&exp_neg(&one, 60).upper()) && over.contains(&exp_neg(&two, 60).lower()));
        assert!(exp_neg_over(&Enclosure::from_integer(-1, 0), 60).is_none());
    }

    #[test]
    fn zero_is_exact() {
        let zero = non_negative(0, 1);
        assert_eq!(exp_neg(&zero, 77), Enclosure::from_integer(1, 0));
        assert_eq!(exp_neg_relative(&zero, 77), Some(Enclosure::from_integer(1, 0)));
    }

    #[test]
    fn hostile_sizes_answer_at_once() {
        let huge = Rational::from_integer(BigInt::from(10).pow(1000));
        let tiny = NonNegative::new(huge.recip()).unwrap();
        let huge = NonNegative::new(huge).unwrap();
        assert_eq!(exp_neg(&huge, 128), Enclosure::from_scaled(0.into(), 1.into(), 128));
        assert_eq!(exp_neg_relative(&huge, 128), None);
        assert!(exp_neg(&tiny, 128).upper() == Rational::one());
        let largest = exp_neg_relative(&non_negative(1 << 31, 1), 128).unwrap();
        assert!(largest.is_relatively_narrow(128));
        assert!(exp_neg_relative(&non_negative(1 << 32, 1), 128).is_none());
    }
}
