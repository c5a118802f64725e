//! Decimal digits of exact numbers, rounded in a stated direction.
//!
//! `0.1` below is one tenth, not the double nearest to it: a bound that is printed is still a bound.

use alloc::format;
use alloc::string::{String, ToString};
use core::cmp::Ordering;
use core::fmt;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::{Enclosure, Rational, number};

/// The direction in which a decimal may differ from the number that it renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rounding {
    /// Toward −∞: the decimal is at most the number.
    Down,
    /// Toward +∞: the decimal is at least the number.
    Up,
}

/// The exponents `E` of `d.ddd · 10^E` that are written without one.
const PLAIN: core::ops::Range<i64> = -6..21;

/// Writes `value` with at most `digits` significant decimal digits (at least one), rounded in the given
/// direction.
///
/// The decimal `s` satisfies `s ≤ value` (down) or `s ≥ value` (up), and `|s − value| < 10^(E + 1 − digits)`
/// for `10^E ≤ |value| < 10^(E + 1)`; it is exact if `value` has that few digits. Trailing zeros are dropped.
/// From `10^-6` up to `10^21` the notation is plain, beyond it is scientific.
///
/// A quotient by 0, which only `Ratio::new_raw` makes, has no decimals: it is written as it is, `1/0`.
///
/// ```
/// use certus::exact::{Rational, Rounding, decimal};
///
/// let minus_third = Rational::new((-1).into(), 3.into());
/// assert_eq!(decimal(&minus_third, 4, Rounding::Down), "-0.3334");
/// assert_eq!(decimal(&minus_third, 4, Rounding::Up), "-0.3333");
/// assert_eq!(decimal(&Rational::new(1.into(), 4.into()), 9, Rounding::Up), "0.25");
/// ```
#[must_use]
pub fn decimal(value: &Rational, digits: u32, rounding: Rounding) -> String {
    let Some(value) = number(value) else { return value.to_string() };
    if value.is_zero() {
        return String::from("0");
    }
    let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
    let digits = digits.max(1);
    let exponent = decimal_exponent(numerator, denominator);
    // magnitude = |value| · 10^(digits − 1 − exponent), so 10^(digits − 1) ≤ magnitude < 10^digits.
    let scale = i64::from(digits).saturating_sub(1).saturating_sub(exponent);
    let (magnitude, remainder) = scaled(numerator, denominator, scale);
    // Rounding a negative number down is rounding its magnitude up.
    let away = value.is_negative() == (rounding == Rounding::Down);
    let magnitude = if away && !remainder.is_zero() { magnitude + 1_u32 } else { magnitude };
    // Rounding up 99…9 gives 10^digits: one digit more, so the exponent rises by one, and the digits are
    // still right.
    let digits_written = magnitude.to_str_radix(10);
    let length = i64::try_from(digits_written.len()).unwrap_or(i64::MAX);
    let exponent = exponent.saturating_add(length.saturating_sub(i64::from(digits)));
    let sign = if value.is_negative() { "-" } else { "" };
    format!("{sign}{}", place_point(digits_written.trim_end_matches('0'), exponent))
}

/// `⌊log10(numerator / denominator)⌋` of a positive number.
fn decimal_exponent(numerator: &BigUint, denominator: &BigUint) -> i64 {
    let bits = |value: &BigUint| i64::try_from(value.bits()).unwrap_or(i64::MAX);
    // The number is in 2^(difference − 1) .. 2^(difference + 1), and log10 2 is near 30103 / 100000: an
    // estimate, off by at most one or two, which the exact comparisons below correct.
    let difference = bits(numerator).saturating_sub(bits(denominator));
    let mut exponent = difference.saturating_mul(30_103).div_euclid(100_000);
    while compare_to_power(numerator, denominator, exponent) == Ordering::Less {
        exponent = exponent.saturating_sub(1);
    }
    while compare_to_power(numerator, denominator, exponent.saturating_add(1)) != Ordering::Less {
        exponent = exponent.saturating_add(1);
    }
    exponent
}

/// The order of `numerator / denominator` and `10^exponent`, exactly.
fn compare_to_power(numerator: &BigUint, denominator: &BigUint, exponent: i64) -> Ordering {
    let power = power_of_ten(exponent);
    if exponent < 0 { (numerator * power).cmp(denominator) } else { numerator.cmp(&(denominator * power)) }
}

/// Quotient and remainder of `numerator · 10^scale / denominator`; the remainder is zero exactly if that is
/// an integer.
fn scaled(numerator: &BigUint, denominator: &BigUint, scale: i64) -> (BigUint, BigUint) {
    let power = power_of_ten(scale);
    if scale < 0 { numerator.div_rem(&(denominator * power)) } else { (numerator * power).div_rem(denominator) }
}

/// `10^|exponent|`.
fn power_of_ten(exponent: i64) -> BigUint {
    // Beyond u32 the power itself would not fit in memory, let alone the number that asked for it.
    BigUint::from(10_u32).pow(u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX))
}

/// Writes `d.ddd · 10^exponent` for its digits `dddd`, which neither begin nor end with a zero.
fn place_point(digits: &str, exponent: i64) -> String {
    let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
    if !PLAIN.contains(&exponent) {
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{first}{point}{rest}e{exponent}");
    }
    let Ok(whole) = usize::try_from(exponent) else {
        // Below one: −exponent − 1 zeros between the point and the first digit.
        let zeros = usize::try_from(exponent.saturating_neg().saturating_sub(1)).unwrap_or(0);
        return format!("0.{:0<zeros$}{digits}", "");
    };
    match rest.split_at_checked(whole) {
        Some((whole, "")) => format!("{first}{whole}"),
        Some((whole, fraction)) => format!("{first}{whole}.{fraction}"),
        // Fewer digits than places before the point.
        None => format!("{first}{rest:0<whole$}"),
    }
}

/// Significant digits of the width that the bounds show.
const WIDTH_DIGITS: i64 = 3;

impl Enclosure {
    /// A decimal that is at most the lower bound; the bound itself if the enclosure is a point.
    ///
    /// It has enough digits to show the width: the distance to the bound is at most a hundredth of the width.
    ///
    /// ```
    /// use certus::exact::{Enclosure, Rational};
    ///
    /// let third = Enclosure::enclosing(&Rational::new(1.into(), 3.into()), 8).expect("a number");
    /// assert_eq!((third.lower_decimal().as_str(), third.upper_decimal().as_str()), ("0.33203", "0.33594"));
    /// ```
    #[must_use]
    pub fn lower_decimal(&self) -> String {
        decimal(&self.lower(), self.digits(&self.lower()), Rounding::Down)
    }

    /// A decimal that is at least the upper bound; the bound itself if the enclosure is a point. Digits as
    /// for [`Enclosure::lower_decimal`].
    #[must_use]
    pub fn upper_decimal(&self) -> String {
        decimal(&self.upper(), self.digits(&self.upper()), Rounding::Up)
    }

    /// Significant digits of `bound`, down to the last of the `WIDTH_DIGITS` first digits of the width.
    fn digits(&self, bound: &Rational) -> u32 {
        let width = self.width();
        if bound.is_zero() {
            return 1;
        }
        if width.is_zero() {
            // n / 2^p = n · 5^p / 10^p, and n · 5^p < 2^(bits of n) · 10^p has at most that many digits.
            let bits = bound.numer().bits().saturating_add(bound.denom().bits());
            return u32::try_from(bits).unwrap_or(u32::MAX);
        }
        let exponent = |value: &Rational| decimal_exponent(value.numer().magnitude(), value.denom().magnitude());
        let digits = exponent(bound).saturating_sub(exponent(&width)).saturating_add(WIDTH_DIGITS);
        // A bound far below the width still shows its own first digits.
        u32::try_from(digits.max(WIDTH_DIGITS)).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Enclosure {
    /// `[lower, upper]` in decimals rounded outward.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.lower_decimal(), self.upper_decimal())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use num_bigint::BigInt;
    use num_traits::{Pow, pow};
    use proptest::prelude::*;

    use super::*;

    /// Reads back what this file writes, exactly.
    fn parse(text: &str) -> Rational {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        let exponent = exponent.parse::<i32>().unwrap() - i32::try_from(fraction.len()).unwrap();
        Rational::from_integer(digits) * Rational::from_integer(10.into()).pow(exponent)
    }

    fn significant(text: &str) -> usize {
        let mantissa = text.split('e').next().unwrap().replace(['-', '.'], "");
        mantissa.trim_start_matches('0').trim_end_matches('0').len()
    }

    /// Both signs, sizes from 10^-60 to 10^60.
    fn rational() -> impl Strategy<Value = Rational> {
        (any::<i64>(), 1_i64.., -40_i32..40, any::<bool>()).prop_map(|(n, d, exponent, terminates)| {
            let d = if terminates { 1 << (d % 20) } else { d };
            Rational::new(n.into(), d.into()) * Rational::from_integer(10.into()).pow(exponent)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn decimals_are_bounds_within_a_unit_of_the_last_digit(value in rational(), digits in 1_u32..40) {
            let (down, up) = (decimal(&value, digits, Rounding::Down), decimal(&value, digits, Rounding::Up));
            prop_assert!(parse(&down) <= value && value <= parse(&up), "{} {} {}", down, value, up);
            if value.is_zero() {
                prop_assert_eq!((down.as_str(), up.as_str()), ("0", "0"));
                return Ok(());
            }
            let exponent = decimal_exponent(value.numer().magnitude(), value.denom().magnitude());
            let ten = Rational::from_integer(10.into());
            let power = |e: i64| ten.clone().pow(i32::try_from(e).unwrap());
            prop_assert!(power(exponent) <= value.abs() && value.abs() < power(exponent + 1));
            // Exact, or neighbours on the grid of the last digit.
            let gap = parse(&up) - parse(&down);
            prop_assert!(gap.is_zero() || gap == power(exponent + 1 - i64::from(digits)));
            prop_assert!(significant(&down) <= digits as usize && significant(&up) <= digits as usize);
            prop_assert!(!down.contains('.') || down.contains('e') || !down.ends_with('0'), "{}", down);
        }

        #[test]
        fn enclosures_print_outward_and_show_their_width(a in rational(), b in rational(), p in 0_u32..200, kind in 0..3) {
            let enclosed = match kind {
                0 => Enclosure::from_rational(&a, p),
                1 => Enclosure::from_bounds(&a.clone().min(b.clone()), &a.max(b), p).unwrap(),
                _ => Enclosure::from_integer(a.to_integer(), p),
            };
            let (lower, upper) = (parse(&enclosed.lower_decimal()), parse(&enclosed.upper_decimal()));
            prop_assert!(lower <= enclosed.lower() && enclosed.upper() <= upper);
            let slack = enclosed.width() / BigInt::from(100);
            prop_assert!(enclosed.lower() - lower <= slack && upper - enclosed.upper() <= slack);
            prop_assert_eq!(enclosed.lower_decimal() == enclosed.upper_decimal(), enclosed.is_point());
        }
    }

    #[test]
    fn notations() {
        let show = |n: i64, d: i64, digits| decimal(&Rational::new(n.into(), d.into()), digits, Rounding::Up);
        assert_eq!(show(0, 1, 5), "0");
        assert_eq!(show(1, 1, 0), "1");
        assert_eq!(show(1, 4, 20), "0.25");
        assert_eq!(show(-1, 4, 20), "-0.25");
        assert_eq!(show(1200, 1, 2), "1200");
        assert_eq!(show(12345, 100, 9), "123.45");
        assert_eq!(show(1, 1_000_000, 3), "0.000001");
        assert_eq!(show(12, 100_000_000, 3), "1.2e-7");
        assert_eq!(show(999_999, 1, 3), "1000000");
        assert_eq!(show(999_999, 1_000_000, 3), "1");
        assert_eq!(show(-999_999, 1_000_000, 3), "-0.999");
        let big = |e: usize| Rational::from_integer(pow(BigInt::from(10), e));
        assert_eq!(decimal(&big(20), 3, Rounding::Up), "100000000000000000000");
        assert_eq!(decimal(&big(21), 3, Rounding::Up), "1e21");
        assert_eq!(decimal(&(big(21) - BigInt::from(1)), 3, Rounding::Up), "1e21");
        assert_eq!(decimal(&(big(21) - BigInt::from(1)), 3, Rounding::Down), "999000000000000000000");
        assert_eq!(decimal(&big(1000), 3, Rounding::Down), "1e1000");
        assert_eq!(decimal(&(-big(1000).recip()), 3, Rounding::Down), "-1e-1000");
        assert_eq!(decimal(&(big(1000) + BigInt::from(1)), 6, Rounding::Up), "1.00001e1000");
    }

    #[test]
    fn a_point_prints_exactly() {
        let value = Rational::new(1.into(), BigInt::from(1) << 10_u32);
        assert_eq!(Enclosure::from_rational(&value, 10).to_string(), "[0.0009765625, 0.0009765625]");
    }
}
