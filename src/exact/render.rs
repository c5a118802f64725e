//! Numbers as [`parse`](super::parse) reads them back: one canonical text for each.

use alloc::format;
use alloc::string::{String, ToString};

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::parse::{MAX_DIGITS, MAX_EXPONENT};
use super::{Rational, number};

/// The canonical text of a number: an integer `a` or a fraction `a/b` in lowest terms.
///
/// A few numbers that [`parse`](super::parse) accepts have more than [`MAX_DIGITS`] digits as a fraction
/// (`1e-1000` does). They are decimals, and their canonical text is `m × 10^e` in scientific notation, with
/// `e` the exponent that leaves `m` an integer not divisible by ten, or the nearest within ±[`MAX_EXPONENT`].
///
/// Guarantee: `parse(&render(x)) == Ok(x)` for every `x` that `parse` has returned.
/// A number with more digits that no accepted text writes (3^-5000) is rendered as a fraction nevertheless.
///
/// # Example
///
/// ```
/// use certus::exact::{parse, render};
///
/// assert_eq!(parse("-0.25").as_ref().map(render).as_deref(), Ok("-1/4"));
/// assert_eq!(parse("2.50e3").as_ref().map(render).as_deref(), Ok("2500"));
/// assert_eq!(parse("0.01e-999").as_ref().map(render).as_deref(), Ok("0.1e-1000"));
/// ```
#[must_use]
pub fn render(value: &Rational) -> String {
    // A quotient by 0 is written as it is, and not read.
    let Some(value) = number(value) else { return value.to_string() };
    let text = value.to_string();
    if text.bytes().filter(u8::is_ascii_digit).count() <= MAX_DIGITS {
        return text;
    }
    scientific(&value).unwrap_or(text)
}

/// `m × 10^e` in scientific notation, or nothing if no power of ten makes the number an integer.
fn scientific(value: &Rational) -> Option<String> {
    // A denominator 2^a 5^b divides 10^max(a, b), and no smaller power of ten.
    let (twos, odd) = strip(value.denom().magnitude().clone(), &BigUint::from(2_u8));
    let (fives, one) = strip(odd, &BigUint::from(5_u8));
    if !one.is_one() {
        return None;
    }
    let places = twos.max(fives);
    let integer = (value * BigInt::from(10).pow(places)).to_integer();
    let (zeros, significand) = strip(integer.magnitude().clone(), &BigUint::from(10_u8));

    // The number is significand × 10^(zeros − places); at most one of the two is not zero, as it is in lowest
    // terms.
    let limit = u32::from(MAX_EXPONENT);
    let sign = if value.is_negative() { "-" } else { "" };
    Some(if places == 0 {
        let exponent = zeros.min(limit);
        let significand = significand * BigUint::from(10_u8).pow(zeros - exponent);
        format!("{sign}{significand}e{exponent}")
    } else {
        let exponent = places.min(limit);
        let fraction = usize::try_from(places - exponent).ok()?;
        // At least one digit before the point.
        let width = fraction.checked_add(1)?;
        let digits = format!("{significand:0>width$}");
        let (integer, fraction) = digits.split_at_checked(digits.len().checked_sub(fraction)?)?;
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{integer}{point}{fraction}e-{exponent}")
    })
}

/// How often `factor` divides the number, and what remains; zero is left alone.
///
/// Dividing by factor, factor², factor⁴, … on the way in and by the same on the way out takes a logarithm of
/// the count in divisions.
fn strip(number: BigUint, factor: &BigUint) -> (u32, BigUint) {
    if number.is_zero() {
        return (0, number);
    }
    let (quotient, remainder) = number.div_rem(factor);
    if !remainder.is_zero() {
        return (0, number);
    }
    // The number is factor × (factor²)^pairs × rest, where factor may divide the rest once more, and not
    // twice. Saturation never happens: no number in memory has 2^32 factors.
    let (pairs, rest) = strip(quotient, &(factor * factor));
    let count = pairs.saturating_mul(2).saturating_add(1);
    let (quotient, remainder) = rest.div_rem(factor);
    if remainder.is_zero() { (count.saturating_add(1), quotient) } else { (count, rest) }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn writes_the_shortest_exact_form_that_fits() {
        let cases = [
            ("0e-1000", "0"),
            ("-0.25", "-1/4"),
            ("1e999", &*format!("1{}", "0".repeat(999))),
            ("-1e1000", "-1e1000"),
            ("100e1000", "100e1000"),
            ("1e-998", &*format!("1/1{}", "0".repeat(998))),
            ("1e-999", "1e-999"),
            ("1.5e-1000", "1.5e-1000"),
            ("0.0050e-1000", "0.005e-1000"),
            ("0.5e-999", "5e-1000"),
        ];
        for (text, canonical) in cases {
            let value = parse(text).unwrap();
            assert_eq!(render(&value), canonical, "{text}");
            assert_eq!(parse(canonical), Ok(value), "{text}");
        }
    }

    #[test]
    fn strips_every_factor() {
        let (ten, seven) = (BigUint::from(10_u8), BigUint::from(7_u8));
        for count in 0..100 {
            assert_eq!(strip(ten.pow(count) * &seven, &ten), (count, seven.clone()));
        }
        assert_eq!(strip(BigUint::ZERO, &ten), (0, BigUint::ZERO));
    }

    #[test]
    fn writes_a_fraction_where_no_accepted_text_exists() {
        let value = Rational::new(BigInt::one(), BigInt::from(3).pow(5_000));
        assert_eq!(render(&value), value.to_string());
    }
}
