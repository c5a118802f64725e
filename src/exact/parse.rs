//! Numbers as people write them, read exactly: `0.1` is 1/10.
//!
//! Reading has two steps. `scan` finds the digits and the exponent in the bytes and checks every limit: it
//! allocates nothing and its arithmetic fits in 16 bits. Only what it accepts becomes a big number, so a
//! hostile text (`1e999999999`, megabytes of digits) costs one pass over its bytes at most.

use core::ops::{Add, Mul};

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Pow;

use super::Rational;

/// The most digits a number may have: before its exponent, or in numerator and denominator together.
pub const MAX_DIGITS: usize = 1_000;

/// The largest absolute value of a written exponent.
pub const MAX_EXPONENT: u16 = 1_000;

/// The most digits a written exponent may have: those of [`MAX_EXPONENT`].
const MAX_EXPONENT_DIGITS: usize = 4;

/// Why a text is not a number that [`parse`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// There is no text.
    #[error("must not be empty; accepted are numbers such as 3, -0.1, 1e-6 and 355/113")]
    Empty,
    /// The text does not follow the grammar.
    #[error("must be an integer, a decimal, scientific notation or a fraction, such as 3, -0.1, 1e-6 and 355/113")]
    NotANumber,
    /// The denominator of the fraction is zero.
    #[error("must have a denominator other than zero")]
    ZeroDenominator,
    /// There are more than [`MAX_DIGITS`] digits.
    #[error("must have at most {MAX_DIGITS} digits")]
    TooManyDigits,
    /// The exponent is beyond ±[`MAX_EXPONENT`], or padded to more than four digits.
    #[error("must have an exponent from -{MAX_EXPONENT} to {MAX_EXPONENT}, in at most {MAX_EXPONENT_DIGITS} digits")]
    ExponentOutOfRange,
}

/// Reads a number exactly.
///
/// ```text
/// number  = [sign] ( decimal | fraction )
/// decimal  = digits ["." digits] [("e" | "E") [sign] digits]      i.f × 10^exponent
/// fraction = digits "/" digits                                    numerator ÷ denominator
/// sign     = "+" | "-"
/// digits   = ("0" … "9")+
/// ```
///
/// A point has digits on both sides: `0.5`, never `.5` or `5.`. There is no space, underscore, hexadecimal,
/// infinity or NaN, and no digit outside ASCII. Leading zeros are accepted and count towards [`MAX_DIGITS`].
///
/// # Errors
///
/// If the text does not follow the grammar, a denominator is zero, there are more than [`MAX_DIGITS`] digits
/// (the exponent's own apart), or the exponent is beyond ±[`MAX_EXPONENT`] or written with more than four
/// digits.
///
/// # Example
///
/// ```
/// use certus::exact::{NumberError, parse};
///
/// assert_eq!(parse("0.1"), parse("1/10"));
/// assert_eq!(parse("-2.50e+3"), parse("-2500"));
/// assert_eq!(parse("1e999999999"), Err(NumberError::ExponentOutOfRange));
/// ```
pub fn parse(text: &str) -> Result<Rational, NumberError> {
    let text = text.as_bytes();
    scan(text).map(|scanned| build(text, &scanned))
}

/// Where a text has digits.
///
/// Invariant: start < end, and every byte from `start` to before `end` is an ASCII digit of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digits {
    start: usize,
    end: usize,
}

impl Digits {
    fn count(self) -> usize {
        // By the invariant nothing saturates.
        self.end.saturating_sub(self.start)
    }
}

/// A number found in a text, within every limit.
///
/// Invariant 1: the two parts have at most [`MAX_DIGITS`] digits together.
/// Invariant 2: a denominator has a digit other than zero.
/// Invariant 3: |exponent| ≤ [`MAX_EXPONENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scanned {
    negative: bool,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Decimal { integer: Digits, fraction: Option<Digits>, exponent: i16 },
    Fraction { numerator: Digits, denominator: Digits },
}

/// Finds the parts of a number. Allocates nothing; linear in the text.
fn scan(text: &[u8]) -> Result<Scanned, NumberError> {
    if text.is_empty() {
        return Err(NumberError::Empty);
    }
    let (negative, at) = sign(text, 0);
    let first = digits(text, at)?;
    let (form, second) = match text.get(first.end) {
        Some(b'/') => {
            let denominator = digits(text, first.end + 1)?;
            end(text, denominator.end)?;
            if is_zero(text, denominator) {
                return Err(NumberError::ZeroDenominator);
            }
            (Form::Fraction { numerator: first, denominator }, denominator.count())
        }
        Some(b'.') => {
            let fraction = digits(text, first.end + 1)?;
            let exponent = exponent(text, fraction.end)?;
            (Form::Decimal { integer: first, fraction: Some(fraction), exponent }, fraction.count())
        }
        _ => (Form::Decimal { integer: first, fraction: None, exponent: exponent(text, first.end)? }, 0),
    };
    // Parts of one text: their lengths cannot overflow together.
    if first.count().saturating_add(second) > MAX_DIGITS {
        return Err(NumberError::TooManyDigits);
    }
    Ok(Scanned { negative, form })
}

/// An optional sign at a place, and the place after it.
fn sign(text: &[u8], at: usize) -> (bool, usize) {
    match text.get(at) {
        Some(b'-') => (true, at + 1),
        Some(b'+') => (false, at + 1),
        _ => (false, at),
    }
}

/// One digit or more from a place on: all that there are.
fn digits(text: &[u8], start: usize) -> Result<Digits, NumberError> {
    let mut end = start;
    while text.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    if end > start { Ok(Digits { start, end }) } else { Err(NumberError::NotANumber) }
}

/// Nothing more from a place on.
fn end(text: &[u8], at: usize) -> Result<(), NumberError> {
    if at >= text.len() { Ok(()) } else { Err(NumberError::NotANumber) }
}

/// Whether all digits are zeros.
fn is_zero(text: &[u8], digits: Digits) -> bool {
    let mut at = digits.start;
    while at < digits.end && text.get(at) == Some(&b'0') {
        at += 1;
    }
    at == digits.end
}

/// The whole of what follows a decimal: nothing, which is exponent 0, or an exponent.
fn exponent(text: &[u8], at: usize) -> Result<i16, NumberError> {
    let Some(b'e' | b'E') = text.get(at) else {
        return end(text, at).map(|()| 0);
    };
    let (negative, at) = sign(text, at + 1);
    let digits = digits(text, at)?;
    end(text, digits.end)?;
    if digits.count() > MAX_EXPONENT_DIGITS {
        return Err(NumberError::ExponentOutOfRange);
    }
    // At most four digits, so at most 9,999: far inside an i16.
    let Small(magnitude) = append(Small(0), text, digits);
    if magnitude.unsigned_abs() > MAX_EXPONENT {
        return Err(NumberError::ExponentOutOfRange);
    }
    Ok(if negative { -magnitude } else { magnitude })
}

/// A number of 16 bits to which at most four digits are appended.
struct Small(i16);

impl Mul<u8> for Small {
    type Output = Self;
    fn mul(self, factor: u8) -> Self {
        Self(self.0 * i16::from(factor))
    }
}

impl Add<u8> for Small {
    type Output = Self;
    fn add(self, digit: u8) -> Self {
        Self(self.0 + i16::from(digit))
    }
}

/// The rational that the parts denote, in lowest terms.
fn build(text: &[u8], scanned: &Scanned) -> Rational {
    let natural = |digits| append(BigUint::ZERO, text, digits);
    let (numerator, denominator) = match scanned.form {
        // By invariant 2 the denominator is not zero.
        Form::Fraction { numerator, denominator } => (natural(numerator), natural(denominator)),
        Form::Decimal { integer, fraction, exponent } => {
            let (digits, places) = joined(BigUint::ZERO, text, integer, fraction);
            // By invariants 1 and 3 neither power is beyond 10^1000.
            scaled(digits, places, exponent, |power| BigUint::from(10_u8).pow(power))
        }
    };
    let sign = if scanned.negative { Sign::Minus } else { Sign::Plus };
    Rational::new(BigInt::from_biguint(sign, numerator), BigInt::from(denominator))
}

/// The digits before and after the point as one number, and how many are after it.
fn joined<T: Mul<u8, Output = T> + Add<u8, Output = T>>(
    zero: T,
    text: &[u8],
    integer: Digits,
    fraction: Option<Digits>,
) -> (T, usize) {
    let whole = append(zero, text, integer);
    match fraction {
        Some(fraction) => (append(whole, text, fraction), fraction.count()),
        None => (whole, 0),
    }
}

/// digits · 10^(exponent − places) as a numerator and a denominator, given the powers of ten.
fn scaled<T: Mul<Output = T>>(digits: T, places: usize, exponent: i16, ten: impl Fn(usize) -> T) -> (T, T) {
    let (shift, magnitude) = (ten(places), ten(exponent.unsigned_abs().into()));
    if exponent.is_negative() { (digits, shift * magnitude) } else { (digits * magnitude, shift) }
}

/// The number that is written by a number's digits and these after them. (This and the two above are over any
/// numbers, so that what ships is proven on words.)
fn append<T: Mul<u8, Output = T> + Add<u8, Output = T>>(number: T, text: &[u8], digits: Digits) -> T {
    let (mut number, mut at) = (number, digits.start);
    while at < digits.end {
        // By the invariant there is a digit.
        let digit = text.get(at).map_or(0, |byte| byte.saturating_sub(b'0'));
        number = number * 10_u8 + digit;
        at += 1;
    }
    number
}

#[cfg(any(kani, test))]
#[path = "../../proofs/exact/parse.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use proptest::prelude::*;

    use super::super::render;
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn reads_every_notation() {
        let cases = [
            ("0", ratio(0, 1)),
            ("-0", ratio(0, 1)),
            ("+3", ratio(3, 1)),
            ("-3", ratio(-3, 1)),
            ("007", ratio(7, 1)),
            ("0.1", ratio(1, 10)),
            ("-00.50", ratio(-1, 2)),
            ("1e-6", ratio(1, 1_000_000)),
            ("2.5E+3", ratio(2_500, 1)),
            ("2.5e3", ratio(2_500, 1)),
            ("1e0000", ratio(1, 1)),
            ("355/113", ratio(355, 113)),
            ("-6/4", ratio(-3, 2)),
            ("+0/7", ratio(0, 1)),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_a_number() {
        assert_eq!(parse(""), Err(NumberError::Empty));
        let texts = [
            ".", "+", "-", "/", "e", "e5", ".5", "5.", "-.5", "5.e1", "1e", "1e+", "1e-", "1e1.5", "1e1e1", "1.2.3",
            "--1", "+-1", "1-", "1/", "/1", "1/-2", "1/+2", "1/2/3", "0.5/2", "1/0.5", "1e1/2", "1/1e1", " 1", "1 ",
            "1 2", "1 / 2", "1_000", "1,000", "0x10", "1f", "inf", "-inf", "Infinity", "NaN", "nan", "\0", "1\0",
            "1\n", "\u{661}", "１", "½", "−1", "1e−6", "abc",
        ];
        for text in texts {
            assert_eq!(parse(text), Err(NumberError::NotANumber), "{text:?}");
        }
        for text in ["1/0", "-0/0", "1/000"] {
            assert_eq!(parse(text), Err(NumberError::ZeroDenominator), "{text}");
        }
    }

    #[test]
    fn holds_each_limit_exactly() {
        let nines = |count| "9".repeat(count);
        let cases: [(String, bool); 6] = [
            (nines(MAX_DIGITS), true),
            (nines(MAX_DIGITS + 1), false),
            (format!("-{}.{}e-1000", nines(1), nines(MAX_DIGITS - 1)), true),
            (format!("-{}.{}", nines(2), nines(MAX_DIGITS - 1)), false),
            (format!("{}/{}", nines(500), nines(MAX_DIGITS - 500)), true),
            (format!("{}/{}", nines(501), nines(MAX_DIGITS - 500)), false),
        ];
        for (text, accepted) in cases {
            assert_eq!(parse(&text).err(), (!accepted).then_some(NumberError::TooManyDigits), "{text}");
        }
        for text in ["1e1000", "1e-1000", "0e+1000"] {
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in ["1e1001", "1e-1001", "1e9999", "0e1001", "1e00001", "1e999999999", "1e-18446744073709551616"] {
            assert_eq!(parse(text), Err(NumberError::ExponentOutOfRange), "{text}");
        }
    }

    /// Megabytes are refused by their length, with no number built: this test would not end otherwise.
    #[test]
    fn refuses_hostile_sizes_at_once() {
        let digits = "7".repeat(16 << 20);
        assert_eq!(parse(&digits), Err(NumberError::TooManyDigits));
        assert_eq!(parse(&format!("0.{digits}")), Err(NumberError::TooManyDigits));
        assert_eq!(parse(&format!("1/{digits}")), Err(NumberError::TooManyDigits));
        assert_eq!(parse(&format!("1e{digits}")), Err(NumberError::ExponentOutOfRange));
    }

    proptest! {
        #[test]
        fn reads_back_a_fraction(numerator: i128, denominator in 1..=i128::MAX, zeros in 0_usize..4) {
            let value = Rational::new(numerator.into(), denominator.into());
            let zeros = "0".repeat(zeros);
            prop_assert_eq!(parse(&format!("{numerator}/{zeros}{denominator}")), Ok(value.clone()));
            prop_assert_eq!(parse(&render(&value)), Ok(value));
        }

        #[test]
        fn reads_back_an_integer(value: i128) {
            let expected = Rational::from_integer(value.into());
            prop_assert_eq!(parse(&format!("{value}")), Ok(expected.clone()));
            prop_assert_eq!(parse(&format!("{value:+}")), Ok(expected));
        }

        /// significand × 10^power, with the point anywhere and the exponent that this calls for.
        #[test]
        fn reads_back_a_decimal(significand: u64, power in -900_i16..=900, places in 0_usize..30, negative: bool, upper: bool) {
            let ten = Rational::from_integer(10.into());
            let magnitude = Rational::from_integer(significand.into()) * Pow::pow(&ten, i32::from(power));
            let value = if negative { -magnitude } else { magnitude };

            let width = places + 1;
            let digits = format!("{significand:0>width$}");
            let (integer, fraction) = digits.split_at(digits.len() - places);
            let point = if places == 0 { "" } else { "." };
            let sign = if negative { "-" } else { "" };
            let letter = if upper { "E" } else { "e" };
            let exponent = i32::from(power) + i32::try_from(places).unwrap();
            for exponent in [format!("{exponent}"), format!("{exponent:+}")] {
                let text = format!("{sign}{integer}{point}{fraction}{letter}{exponent}");
                prop_assert_eq!(parse(&text), Ok(value.clone()), "{}", text);
            }
            prop_assert_eq!(parse(&render(&value)), Ok(value));
        }

        #[test]
        fn never_panics(text: String) {
            let _ = parse(&text);
        }

        #[test]
        fn reads_back_whatever_it_accepts(text in "[+-]?[0-9]{1,8}(\\.[0-9]{1,1000})?([eE][+-]?[0-9]{1,4})?") {
            if let Ok(value) = parse(&text) {
                prop_assert_eq!(parse(&render(&value)), Ok(value));
            }
        }
    }
}
