//! Numbers from text, and enclosures to text.

use std::fmt::Display;

use certus::{
    exact::{Enclosure, NonNegative, NumberError, Positive, Probability, Rational, Rounding, decimal, parse},
    mechanism::Excerpt,
};
use num_traits::One as _;
use serde_json::{Value, json};

/// A bad argument, as the command says it: its name, and what is wrong with it.
pub(crate) fn refused(name: &str, problem: impl Display) -> String {
    format!("{name}: {problem}")
}

fn value_refused(name: &str, text: &str, must: &str) -> String {
    refused(name, format_args!("{must}, not {}", Excerpt::new(text)))
}

fn number(name: &str, text: &str, must: &str) -> Result<Rational, String> {
    parse(text).map_err(|error| match error {
        NumberError::ZeroDenominator | NumberError::TooManyDigits | NumberError::ExponentOutOfRange => {
            value_refused(name, text, &format!("{must}, and {error}"))
        }
        _ => value_refused(name, text, must),
    })
}

pub(crate) fn positive(name: &str, text: &str, must: &str) -> Result<Positive, String> {
    Positive::new(number(name, text, must)?).map_err(|_| value_refused(name, text, must))
}

pub(crate) fn non_negative(name: &str, text: &str) -> Result<NonNegative, String> {
    let must = "must be a number of 0 or more, such as 1, 0.1 or 1/3";
    NonNegative::new(number(name, text, must)?).map_err(|_| value_refused(name, text, must))
}

pub(crate) fn delta(name: &str, text: &str) -> Result<Probability, String> {
    let must = "must be a number at least 0 and below 1, such as 0, 1e-6 or 1/1000";
    let below_one = Some(number(name, text, must)?).filter(|delta| *delta < Rational::one());
    below_one.and_then(|delta| Probability::new(delta).ok()).ok_or_else(|| value_refused(name, text, must))
}

/// An integer from `least` to `most`.
pub(crate) fn count(name: &str, text: &str, least: u64, most: u64) -> Result<u64, String> {
    let refused = || value_refused(name, text, &format!("must be an integer from {least} to {most}"));
    let value = parse(text).map_err(|_| refused())?;
    if !value.is_integer() {
        return Err(refused());
    }
    u64::try_from(value.to_integer()).ok().filter(|value| (least..=most).contains(value)).ok_or_else(refused)
}

/// Both ends, rounded outward to so many significant digits.
pub(crate) fn bounds(enclosure: &Enclosure, digits: u32) -> Value {
    json!({
        "lower": decimal(&enclosure.lower(), digits, Rounding::Down),
        "upper": decimal(&enclosure.upper(), digits, Rounding::Up),
    })
}

/// As [`bounds`], or in full where that is shorter.
pub(crate) fn short_bounds(enclosure: &Enclosure, digits: u32) -> Value {
    let shorter = |a: String, b: String| if b.len() < a.len() { b } else { a };
    json!({
        "lower": shorter(decimal(&enclosure.lower(), digits, Rounding::Down), enclosure.lower_decimal()),
        "upper": shorter(decimal(&enclosure.upper(), digits, Rounding::Up), enclosure.upper_decimal()),
    })
}

/// Both ends, in full.
pub(crate) fn whole_bounds(enclosure: &Enclosure) -> Value {
    json!({ "lower": enclosure.lower_decimal(), "upper": enclosure.upper_decimal() })
}
