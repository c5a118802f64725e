//! Between certus' numbers and floats, for tables and pictures.

use certus::exact::{Enclosure, Rational, Rounding, decimal};

/// The float near a rational.
#[must_use]
pub fn float(value: &Rational) -> f64 {
    decimal(value, 20, Rounding::Down).parse().unwrap_or(f64::NAN)
}

/// The float near an enclosure's upper end: what may be said of a privacy loss.
#[must_use]
pub fn upper(value: &Enclosure) -> f64 {
    float(&value.upper())
}

/// The float near the middle of an enclosure.
#[must_use]
pub fn middle(value: &Enclosure) -> f64 {
    f64::midpoint(float(&value.lower()), float(&value.upper()))
}

/// An enclosure to so many digits: one number where both ends round to it, `[lower, upper]` where they do not.
#[must_use]
pub fn show(value: &Enclosure, digits: u32) -> String {
    let (lower, upper) =
        (decimal(&value.lower(), digits, Rounding::Down), decimal(&value.upper(), digits, Rounding::Up));
    let (nearest_lower, nearest_upper) = (nearest(&value.lower(), digits), nearest(&value.upper(), digits));
    if nearest_lower == nearest_upper { nearest_lower } else { format!("[{lower}, {upper}]") }
}

/// A rational to so many digits, to the nearest.
fn nearest(value: &Rational, digits: u32) -> String {
    let (down, up) = (decimal(value, digits, Rounding::Down), decimal(value, digits, Rounding::Up));
    let gap = |text: &str| {
        let near = certus::exact::parse(text).unwrap_or_default();
        if near > *value { near - value } else { value - near }
    };
    if gap(&down) <= gap(&up) { down } else { up }
}
