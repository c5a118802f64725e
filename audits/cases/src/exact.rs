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
    if nearest_lower == nearest_upper {
        short(&nearest_lower)
    } else {
        format!("[{}, {}]", short(&lower), short(&upper))
    }
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

/// `0.0000227` as `2.27e-5`; what is not small stays as it is.
fn short(text: &str) -> String {
    let Some(digits) = text.strip_prefix("0.000") else { return text.to_owned() };
    let significant = digits.trim_start_matches('0');
    let power = 4 + digits.len() - significant.len();
    match significant.split_at_checked(1) {
        Some((first, "")) => format!("{first}e-{power}"),
        Some((first, rest)) => format!("{first}.{rest}e-{power}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::parse;

    #[test]
    fn numbers_are_shown_to_the_nearest_and_small_ones_shortly() {
        let shown = |lower: &str, upper: &str, digits: u32| {
            show(&Enclosure::from_bounds(&parse(lower).unwrap(), &parse(upper).unwrap(), 200).unwrap(), digits)
        };
        assert_eq!(shown("0.00002266", "0.00002266", 3), "2.27e-5");
        assert_eq!(shown("0.0005", "0.0005", 3), "5e-4");
        assert_eq!(shown("1.2345", "1.2345", 3), "1.23");
        assert_eq!(shown("0", "0", 3), "0");
        assert_eq!(shown("1", "2", 3), "[1, 2]");
        assert_eq!(shown("1e-9", "1e-9", 3), "1e-9");
    }
}
