//! What must hold of any bytes given to the readers. A fuzz target and `tests/corpus.rs` share each property;
//! a broken one panics.
#![allow(dead_code, reason = "a fuzz target uses one of the properties")]

use certus::exact::{Rational, parse, render};
use certus::mechanism::Spec;
use num_traits::{One, Zero};

/// `parse` accepts exactly the texts that [`evaluate`] does, with the same value, and reads back what `render` writes.
pub fn number(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let parsed = parse(text);
    assert_eq!(parsed.as_ref().ok(), evaluate(text).as_ref(), "parse differs from the slow evaluation of {text:?}");
    match parsed {
        Ok(value) => {
            let canonical = render(&value);
            assert_eq!(parse(&canonical), Ok(value), "the canonical form {canonical:?} of {text:?} does not read back");
        }
        Err(error) => check_line(&error.to_string()),
    }
}

/// An accepted spec reads back from its canonical form, which is a fixed point, and no space between tokens matters.
/// A refusal is one short line.
pub fn spec(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    match text.parse::<Spec>() {
        Ok(spec) => {
            let canonical = spec.to_string();
            assert_eq!(canonical.parse().as_ref(), Ok(&spec), "the canonical form of {text:?} does not read back");
            let dense: String = text.chars().filter(|c| !matches!(c, ' ' | '\t')).collect();
            assert_eq!(dense.parse().as_ref(), Ok(&spec), "spaces change the meaning of {text:?}");
            let spaced = space(&dense);
            if spaced.len() <= 64 << 10 {
                assert_eq!(spaced.parse().as_ref(), Ok(&spec), "spaces change the meaning of {text:?}");
            }
            read_all(&spec);
        }
        Err(error) => check_line(&error.to_string()),
    }
}

/// Every argument can be taken, by the reader of its kind and by no other, and then nothing is left.
fn read_all(spec: &Spec) {
    let mut reader = spec.reader();
    for (key, value) in spec.arguments() {
        let number = spec.reader().take_number(key).is_ok();
        let list = spec.reader().take_list(key).is_ok();
        assert!(number != list, "{key} is read as one kind exactly");
        let taken = if number {
            reader.take_number(key).ok().flatten().map(|number| render(&number))
        } else {
            reader.take_list(key).ok().flatten().map(|list| {
                let entries: Vec<String> = list.iter().map(render).collect();
                format!("[{}]", entries.join(", "))
            })
        };
        assert_eq!(taken, Some(value.to_string()), "{key} is read as it is");
    }
    assert_eq!(reader.finish(&[]), Ok(()), "everything was taken");
}

/// The text with a space and a tab around every punctuation mark.
fn space(text: &str) -> String {
    let mut spaced = String::new();
    for character in text.chars() {
        let around = if "()[]=,*".contains(character) { " \t" } else { "" };
        spaced.extend([around, character.encode_utf8(&mut [0; 4]), around]);
    }
    spaced
}

/// One line that a terminal can print.
fn check_line(line: &str) {
    assert!(!line.is_empty() && line.chars().count() <= 300, "an error is short: {line}");
    assert!(!line.chars().any(char::is_control), "an error is one printable line: {line:?}");
}

/// The value of a number by its grammar, or nothing: the slow second opinion on `parse`. It splits the text by
/// its marks, and adds digit × 10^place, a rational for every digit.
fn evaluate(text: &str) -> Option<Rational> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let magnitude = match unsigned.split_once('/') {
        Some((numerator, denominator)) => {
            let divisor = places(denominator, "")?;
            if numerator.len() + denominator.len() > 1000 || divisor.is_zero() {
                return None;
            }
            places(numerator, "")? / divisor
        }
        None => {
            let (decimal, exponent) = match unsigned.split_once(['e', 'E']) {
                Some((decimal, exponent)) => (decimal, exponent_value(exponent)?),
                None => (unsigned, 0),
            };
            let (integer, fraction) = match decimal.split_once('.') {
                Some((_, "")) => return None,
                Some(parts) => parts,
                None => (decimal, ""),
            };
            places(integer, fraction)? * power_of_ten(exponent)
        }
    };
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

/// Σ digit × 10^place over `integer.fraction`; nothing if either has another character, the integer is empty, or
/// there are more than 1,000 digits.
fn places(integer: &str, fraction: &str) -> Option<Rational> {
    if integer.is_empty() || integer.len() + fraction.len() > 1000 {
        return None;
    }
    let mut sum = Rational::zero();
    let mut place = Rational::one();
    for digit in integer.chars().rev() {
        sum += Rational::from_integer(digit.to_digit(10)?.into()) * &place;
        place *= Rational::from_integer(10.into());
    }
    let mut place = Rational::one();
    for digit in fraction.chars() {
        place /= Rational::from_integer(10.into());
        sum += Rational::from_integer(digit.to_digit(10)?.into()) * &place;
    }
    Some(sum)
}

/// A signed exponent of one to four digits, from -1000 to 1000.
fn exponent_value(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !(1..=4).contains(&digits.len()) || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|exponent| (-1000..=1000).contains(exponent))
}

fn power_of_ten(exponent: i32) -> Rational {
    let ten = Rational::from_integer(10.into());
    let power = (0..exponent.unsigned_abs()).fold(Rational::one(), |power, _| power * &ten);
    if exponent < 0 { power.recip() } else { power }
}
