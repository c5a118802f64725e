//! `ln x`, enclosed.
//!
//! `ln(2^e · m) = e · ln 2 + 2 · atanh((m − 1) / (m + 1))`, and `ln 2` by three faster series of the same
//! kind. Every step is on integers scaled by `2^working`; one such unit is called an *ulp* below. The bounds
//! are right at any working precision. How narrow they are is not left to an analysis but checked: a result
//! too wide is computed again.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};

use super::{Enclosure, Positive};

/// Encloses `ln x` with `width ≤ 2^-precision`; `ln 1` is the point 0.
///
/// The cost grows with the precision and with the length of `x` in memory. The result carries up to two bits
/// more than `precision`, so that must be at most `u32::MAX − 2`.
///
/// ```
/// use certus::exact::{Positive, Rational, ln};
///
/// let two = Positive::new(Rational::from_integer(2.into()))?;
/// assert_eq!(ln(&two, 30).to_string(), "[0.693147180369, 0.693147180835]");
/// # Ok::<(), certus::exact::NotPositiveError>(())
/// ```
#[must_use]
pub fn ln(x: &Positive, precision: u32) -> Enclosure {
    let (numerator, denominator) = (x.numerator(), x.denominator());
    if numerator == denominator {
        return Enclosure::from_integer(0, 0);
    }
    // x = 2^e · m with e the difference of the lengths, so 1/2 < m < 2. As m = a / b: shift the shorter to
    // the longer.
    let (numerator_bits, denominator_bits) = (numerator.bits(), denominator.bits());
    let e = BigInt::from(numerator_bits) - BigInt::from(denominator_bits);
    let a = numerator << denominator_bits.saturating_sub(numerator_bits);
    let b = denominator << numerator_bits.saturating_sub(denominator_bits);
    // |z| = |m − 1| / (m + 1) < 1/3.
    let (sign, distance) = if a < b { (Sign::Minus, &b - &a) } else { (Sign::Plus, &a - &b) };
    let total = a + b;

    // Some units for each of the precision / 3 terms, times e: 6 bits and two lengths (each below 64 bits).
    let length = |bits: u64| u64::BITS - bits.leading_zeros();
    let mut guard = 6 + length(u64::from(precision)) + length(numerator_bits.abs_diff(denominator_bits));
    loop {
        let working = precision.saturating_add(guard);
        let half = atanh(&distance, &total, working);
        let signed = if sign == Sign::Minus { half.neg() } else { half };
        let exponent = Enclosure::from_integer(e.clone(), 0);
        let enclosed = ln_two(working).mul(&exponent).add(&signed).add(&signed);
        let rounded = enclosed.at_precision(precision.saturating_add(2));
        if rounded.is_narrow(precision) {
            return rounded;
        }
        guard = guard.saturating_mul(2);
    }
}

/// Encloses `ln 2` on integers scaled by `2^working`; about a thousand ulps wide at 128 bits, and in
/// proportion.
///
/// `ln 2 = 18 atanh(1/26) − 2 atanh(1/4801) + 8 atanh(1/8749)`, since `2 atanh(1/k) = ln((k + 1) / (k − 1))`
/// and `(27/25)^9 · (4800/4802) · (8750/8748)^4 = 2` (which a test computes).
pub(super) fn ln_two(working: u32) -> Enclosure {
    LN_TWO
        .iter()
        .map(|&(coefficient, k)| {
            let one = BigUint::one() << working;
            // Here z² = 1 / k² is exact: a step loses less than one ulp.
            let atanh = odd_series(one / k, |power| power / (k * k), working);
            atanh.mul(&Enclosure::from_integer(coefficient, 0))
        })
        .sum()
}

/// `(coefficient, k)` of `ln 2 = Σ coefficient · atanh(1/k)`.
const LN_TWO: [(i32, u32); 3] = [(18, 26), (-2, 4801), (8, 8749)];

/// Encloses `atanh z` for `0 ≤ z = numerator / denominator ≤ 1/3`, on integers scaled by `2^working`,
/// `working ≥ 2`.
fn atanh(numerator: &BigUint, denominator: &BigUint, working: u32) -> Enclosure {
    // Both rounded down. The true z² is below (t + 1 ulp)², so it exceeds `square` by less than 1 + 2/3 + 1/4
    // ulps: one by its rounding, 2t by that of t, and 2^-working ≤ 1/4. Times a power, at most 1/3, that is
    // below 2/3 of an ulp.
    let t = (numerator << working) / denominator;
    let square = (&t * &t) >> working;
    odd_series(t, |power| (power * &square) >> working, working)
}

/// Encloses `Σ z^(2k+1) / (2k+1)` for `z ≤ 1/3`, from its first power `P_0` and the step from a power to the
/// next; all in ulps of `2^-working`.
///
/// Asked of both: the true `z` is in `[P_0, P_0 + 1)`, and a step multiplies by at most `z²` and loses less
/// than 5/3 of an ulp: one by rounding its result down, and 2/3 by rounding `z²`.
///
/// Then a true power exceeds its `P_k` by `e_k ≥ 0` ulps with `e_0 < 1` and `e_k < e_(k−1) / 9 + 5/3`, so
/// `e_k < 2`. A true term is in `[P_k, P_k + 2) / (2k+1)`, so in `[T_k, T_k + 3)` for `T_k = ⌊P_k / (2k+1)⌋`.
/// The sum stops at `P_k = 0`: the true power is below 2 ulps there, and the rest of the series below
/// `2 / (1 − 1/9) < 3`.
fn odd_series(first: BigUint, step: impl Fn(&BigUint) -> BigUint, working: u32) -> Enclosure {
    let mut power = first;
    let mut total = BigUint::zero();
    let mut slack = 3_u64;
    let mut divisor = 1_u64;
    while !power.is_zero() {
        total += &power / divisor;
        slack += 3;
        divisor += 2;
        power = step(&power);
    }
    let upper = BigInt::from(&total + slack);
    Enclosure::from_scaled(BigInt::from(total), upper, working)
}

#[cfg(test)]
mod tests {
    use num_rational::Ratio;
    use proptest::prelude::*;

    use super::super::{NonNegative, Rational, exp_neg};
    use super::*;

    fn positive(numerator: u64, denominator: u64) -> Positive {
        Positive::new(Rational::new(numerator.into(), denominator.into())).unwrap()
    }

    fn unit(bits: u32) -> Rational {
        Rational::new(BigInt::one(), BigInt::one() << bits)
    }

    /// An independent enclosure of atanh z, 0 ≤ z ≤ 1/3, in exact rationals: a partial sum, and the same with
    /// a geometric series of ratio 1/9 in place of the rest.
    fn reference(z: &Rational, bits: u32) -> (Rational, Rational) {
        let (mut power, mut total, mut k) = (z.clone(), Rational::zero(), 1_u32);
        while power >= unit(bits) {
            total += &power / BigInt::from(k);
            power *= z * z;
            k += 2;
        }
        let rest = power * Rational::new(9.into(), 8.into());
        (total.clone(), total + rest)
    }

    #[test]
    fn the_identity_of_ln_two_is_exact() {
        let mut product = Ratio::<BigInt>::one();
        for (coefficient, k) in LN_TWO {
            // coefficient · atanh(1/k) = ln of ((k + 1) / (k − 1))^(coefficient / 2)
            assert_eq!(coefficient % 2, 0);
            product *= Ratio::new(BigInt::from(k + 1), BigInt::from(k - 1)).pow(coefficient / 2);
        }
        assert_eq!(product, Ratio::from_integer(2.into()));
    }

    #[test]
    fn ln_two_is_enclosed_at_every_working_precision() {
        let (lower, upper) = reference(&Rational::new(1.into(), 3.into()), 400);
        for working in 0..300 {
            let enclosed = ln_two(working);
            assert!(enclosed.contains(&(&lower * BigInt::from(2))) && enclosed.contains(&(&upper * BigInt::from(2))));
        }
    }

    #[test]
    fn every_small_atanh_is_enclosed() {
        for working in 2..=9 {
            for denominator in 1_u64..=200 {
                for numerator in 0..=denominator / 3 {
                    let enclosed = atanh(&numerator.into(), &denominator.into(), working);
                    let (lower, upper) = reference(&Rational::new(numerator.into(), denominator.into()), 12);
                    assert!(enclosed.lower() <= upper && lower <= enclosed.upper(), "{numerator}/{denominator}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn inverts_the_exponential(n in 1_u64.., d in 1_u64.., small in any::<bool>(), precision in 0_u32..300) {
            let (n, d) = if small { (n % 50 + 1, d % 50 + 1) } else { (n, d) };
            let (x, y) = (positive(n.max(d), n.min(d)), positive(n.min(d), n.max(d)));
            let (up, down) = (ln(&x, precision), ln(&y, precision));
            prop_assert!(up.width() <= unit(precision) && down.width() <= unit(precision));
            prop_assert!(up.intersects(&down.neg()));
            // e^-ln x = 1/x lies between the exponentials of the bounds.
            let exponential = |bound: Rational| exp_neg(&NonNegative::new(bound).unwrap(), precision + 100);
            prop_assert!(exponential(up.upper()).lower() <= *y.get());
            prop_assert!(exponential(up.max_zero().lower()).upper() >= *y.get());
        }

        #[test]
        fn is_additive(n in 1_u64.., d in 1_u64.., m in 1_u64.., precision in 0_u32..200) {
            let (x, y) = (positive(n, d), positive(m, 1 << 40));
            let product = Positive::new(x.get() * y.get()).unwrap();
            let sum = ln(&x, precision).add(&ln(&y, precision));
            prop_assert!(sum.intersects(&ln(&product, precision)));
        }
    }

    #[test]
    fn one_is_exact_and_its_neighbours_are_not_zero() {
        assert_eq!(ln(&positive(1, 1), 50), Enclosure::from_integer(0, 0));
        let above = ln(&positive((1 << 40) + 1, 1 << 40), 100);
        let below = ln(&positive((1 << 40) - 1, 1 << 40), 100);
        assert!(above.lower() > Rational::zero() && below.upper() < Rational::zero());
    }

    #[test]
    fn hostile_sizes_answer_at_once() {
        let huge = Rational::from_integer(BigInt::from(10).pow(1000));
        let ten = ln(&positive(10, 1), 100).mul_rational(&Rational::from_integer(1000.into()));
        assert!(ln(&Positive::new(huge.clone()).unwrap(), 80).intersects(&ten));
        assert!(ln(&Positive::new(huge.recip()).unwrap(), 80).neg().intersects(&ten));
    }
}
