//! What a field of a CSV file means: the rules of [`crate::sql`] for texts, as a program.

use certus_ledger::plan::Column;

use crate::sql::{NUMBER_CHARACTERS, grid_parts};

/// Digits of an integer.
const INTEGER_DIGITS: usize = 38;

/// What a declaration makes of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// An integer within bounds.
    Integer(i64, i64),
    /// Steps of a grid within bounds: of a number x, ⌊x·multiplier/divisor + 1/2⌋, in doubles.
    Steps {
        /// Least and greatest.
        bounds: (i64, i64),
        /// The grid's denominator.
        multiplier: f64,
        /// The grid's numerator.
        divisor: f64,
    },
    /// A text.
    Text,
}

impl Rule {
    /// The rule of a column; nothing where the grid is not a fraction of doubles.
    #[must_use]
    pub fn of(column: &Column) -> Option<Self> {
        Some(match column {
            Column::Integer { bounds } => {
                let (low, high) = bounds.unwrap_or((i64::MIN, i64::MAX));
                Self::Integer(low, high)
            }
            Column::Number { bounds, grid } => {
                let (p, q) = grid_parts(grid)?;
                Self::Steps { bounds: *bounds, multiplier: double(q), divisor: double(p) }
            }
            Column::Text { .. } => Self::Text,
        })
    }

    /// The integer that a field holds, clamped; nothing where it is missing.
    #[must_use]
    pub fn integer(&self, field: &[u8]) -> Option<i64> {
        match *self {
            Self::Integer(low, high) => {
                let value = integer(field)?.clamp(i128::from(low), i128::from(high));
                i64::try_from(value).ok()
            }
            Self::Steps { bounds: (low, high), multiplier, divisor } => {
                Some(steps(number(field)?, multiplier, divisor).clamp(low, high))
            }
            Self::Text => None,
        }
    }
}

/// An integer below 2^53 as a double.
#[expect(clippy::cast_precision_loss, reason = "the value is below 2^53")]
fn double(value: u64) -> f64 {
    value as f64
}

/// ⌊x·multiplier/divisor + 1/2⌋, with a rounding after each operation, as the engines compute it. What is
/// beyond the
/// 64-bit integers becomes the last of them, and is clamped next.
#[expect(
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    reason = "the same doubles as in SQL; `as` saturates"
)]
fn steps(x: f64, multiplier: f64, divisor: f64) -> i64 {
    (x * multiplier / divisor + 0.5).floor() as i64
}

/// An integer in text: ` *[+-]?[0-9]{1,38}(\.0*)? *`.
#[must_use]
pub fn integer(field: &[u8]) -> Option<i128> {
    let (negative, digits) = sign(trim(field));
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, fraction) = digits.split_at_checked(whole)?;
    let zeros = match fraction.split_first() {
        None => true,
        Some((b'.', zeros)) => zeros.iter().all(|byte| *byte == b'0'),
        Some(_) => false,
    };
    if whole.is_empty() || whole.len() > INTEGER_DIGITS || !zeros {
        return None;
    }
    // 38 digits are below 2^127. Eighteen fit 64 bits, which are faster.
    let magnitude = if whole.len() <= 18 {
        i128::from(whole.iter().fold(0_i64, |sum, byte| sum * 10 + i64::from(byte - b'0')))
    } else {
        whole.iter().fold(0_i128, |sum, byte| sum * 10 + i128::from(byte - b'0'))
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// A number in text: ` *[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?0*[0-9]{1,2})? *`, at most 100 characters.
#[must_use]
pub fn number(field: &[u8]) -> Option<f64> {
    if field.len() > NUMBER_CHARACTERS {
        return None;
    }
    let text = trim(field);
    let (_, digits) = sign(text);
    let (whole, rest) = split_digits(digits);
    let (fraction, rest) = match rest.split_first() {
        Some((b'.', rest)) => split_digits(rest),
        _ => (&[][..], rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    if let Some((mark, rest)) = rest.split_first() {
        let (exponent, rest) = split_digits(sign(rest).1);
        let zeros = exponent.iter().take_while(|byte| **byte == b'0').count();
        if !matches!(mark, b'e' | b'E') || exponent.is_empty() || exponent.len() - zeros > 2 || !rest.is_empty() {
            return None;
        }
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A text: UTF-8, not empty.
#[must_use]
pub fn text(field: &[u8]) -> Option<&str> {
    std::str::from_utf8(field).ok().filter(|text| !text.is_empty())
}

fn trim(mut field: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = field {
        field = rest;
    }
    field
}

fn sign(field: &[u8]) -> (bool, &[u8]) {
    match field {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, field),
    }
}

fn split_digits(field: &[u8]) -> (&[u8], &[u8]) {
    let count = field.iter().take_while(|byte| byte.is_ascii_digit()).count();
    field.split_at_checked(count).unwrap_or((field, &[]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;
    use crate::sql::{INTEGER, NUMBER};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_the_sql_takes_for_an_integer_is_one(field in "[ +-]{0,2}[0-9]{0,39}[.]?[0e]{0,2}[ 1]{0,2}") {
            let expected = Regex::new(INTEGER).unwrap().is_match(&field).then(|| {
                field.trim().split('.').next().unwrap().parse::<i128>().unwrap()
            });
            prop_assert_eq!(integer(field.as_bytes()), expected);
        }

        #[test]
        fn what_the_sql_takes_for_a_number_is_one(field in "[ +-]{0,2}[0-9]{0,3}[.]?[0-9]{0,3}[eE]?[-+]?[0-9]{0,4}[ e.]?") {
            let expected = Regex::new(NUMBER).unwrap().is_match(&field).then(|| field.trim().parse::<f64>().unwrap());
            prop_assert_eq!(number(field.as_bytes()), expected);
        }
    }

    #[test]
    fn a_number_has_at_most_a_hundred_characters() {
        assert_eq!(number(format!("{}1", "0".repeat(99)).as_bytes()), Some(1.0));
        assert_eq!(number(format!("{}1", "0".repeat(100)).as_bytes()), None);
    }

    #[test]
    fn steps_are_rounded_half_up_and_clamped() {
        let rule = Rule::Steps { bounds: (-8, 8), multiplier: 4.0, divisor: 1.0 };
        let steps = |field: &str| rule.integer(field.as_bytes());
        assert_eq!([steps("0.125"), steps("-0.125"), steps("-0.126")], [Some(1), Some(0), Some(-1)]);
        assert_eq!([steps("1e99"), steps("-1e99"), steps("inf"), steps("")], [Some(8), Some(-8), None, None]);
    }
}
