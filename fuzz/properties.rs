//! What must hold of any bytes given to the readers. A fuzz target and `tests/corpus.rs` share each property;
//! a broken one panics.
#![allow(dead_code, reason = "a fuzz target uses one of the properties")]

use certus::exact::{parse, render};
use certus::mechanism::{Spec, from_spec};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// `parse` accepts exactly the texts that [`evaluate`] does, with the same value, and reads back what `render` writes.
pub fn number(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let parsed = parse(text);
    let expected = evaluate(text);
    assert_eq!(parsed.is_ok(), expected.is_some(), "who accepts {text:?}? parse: {parsed:?}");
    match parsed {
        Ok(value) => {
            let (numerator, denominator) = expected.unwrap_or_default();
            assert_eq!(value.numer() * denominator, numerator * value.denom(), "the value of {text:?}");
            assert!(
                value.denom().is_positive() && value.numer().gcd(value.denom()).is_one(),
                "{text:?} in lowest terms"
            );
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
            build(&spec);
        }
        Err(error) => check_line(&error.to_string()),
    }
}

/// A spec builds a mechanism that takes its own example of an input, or is refused in one short line.
fn build(spec: &Spec) {
    match from_spec(spec) {
        Ok(mechanism) => {
            let (first, second) = mechanism.neighbours();
            assert!(mechanism.on(first).is_ok() && mechanism.on(second).is_ok(), "{spec} on its own inputs");
            let _ = mechanism.privacy();
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

/// Numerator and denominator of a number by its grammar, not reduced; or nothing. The second opinion on `parse`: it
/// splits the text by its marks, and shifts by writing zeros.
fn evaluate(text: &str) -> Option<(BigInt, BigInt)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (numerator, denominator) = match unsigned.split_once('/') {
        Some((numerator, denominator)) if digits(&[numerator, denominator]) => {
            (numerator.to_owned(), denominator.to_owned())
        }
        Some(_) => return None,
        None => {
            let (decimal, exponent) = match unsigned.split_once(['e', 'E']) {
                Some((decimal, exponent)) => (decimal, shift(exponent)?),
                None => (unsigned, 0),
            };
            let parts: Vec<&str> = decimal.splitn(2, '.').collect();
            if !digits(&parts) {
                return None;
            }
            let (integer, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
            let zeros = "0".repeat(usize::from(exponent.unsigned_abs()));
            let (up, down) = if exponent < 0 { ("", &*zeros) } else { (&*zeros, "") };
            (format!("{integer}{fraction}{up}"), format!("1{}{down}", "0".repeat(fraction.len())))
        }
    };
    let denominator: BigInt = denominator.parse().ok()?;
    if denominator.is_zero() {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    Some((format!("{sign}{numerator}").parse().ok()?, denominator))
}

/// Whether each part has a digit or more and nothing else, and all have at most 1,000 together.
fn digits(parts: &[&str]) -> bool {
    let well_formed = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    parts.iter().all(well_formed) && parts.concat().len() <= 1000
}

/// A signed exponent of one to four digits, from -1000 to 1000.
fn shift(text: &str) -> Option<i16> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.len() > 4 || !digits(&[unsigned]) {
        return None;
    }
    text.parse().ok().filter(|exponent| (-1000..=1000).contains(exponent))
}
