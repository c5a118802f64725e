//! Bounds as doubles: the largest double that is at most a number, and the smallest that is at least it.

use core_certus::exact::{Rational, Rounding, decimal, from_f64};

/// More digits than two neighbouring doubles need to be told apart.
const DIGITS: u32 = 20;

/// A double near a number: no bound yet.
fn near(value: &Rational) -> f64 {
    // The standard library reads a decimal to the nearest double, and what is too large to infinity.
    decimal(value, DIGITS, Rounding::Down).parse().unwrap_or(f64::NAN)
}

/// The largest double that is at most the number; minus infinity below all of them.
pub(crate) fn at_most(value: &Rational) -> f64 {
    let is_bound = |double: f64| match from_f64(double) {
        Ok(exact) => exact <= *value,
        Err(_) => double == f64::NEG_INFINITY,
    };
    let mut double = near(value);
    // One step at most, unless the number is beyond all doubles: a NaN cannot be.
    while !is_bound(double) && !double.is_nan() {
        double = double.next_down();
    }
    double
}

/// The smallest double that is at least the number; infinity above all of them.
pub(crate) fn at_least(value: &Rational) -> f64 {
    #[expect(clippy::float_arithmetic, reason = "the other sign of a double is exact")]
    let double = -at_most(&-value);
    double
}

#[cfg(test)]
mod tests {
    use core_certus::exact::parse;

    use super::*;

    #[test]
    fn doubles_enclose_their_number_tightly() {
        for text in [
            "0",
            "1",
            "1/3",
            "-1/3",
            "0.1",
            "1e-6",
            "123456789012345678901234567890",
            "2e308",
            "-2e308",
            "1e-330",
            "4.9e-324",
            "-1e-400",
            "9007199254740993",
            "1.7976931348623157e308",
        ] {
            let value = parse(text).unwrap();
            let (lower, upper) = (at_most(&value), at_least(&value));
            assert!(lower <= upper && upper <= lower.next_up(), "{text}: {lower:e}, {upper:e}");
            assert!(from_f64(lower).map_or(lower < 0.0, |lower| lower <= value), "{text}");
            assert!(from_f64(upper).map_or(upper > 0.0, |upper| upper >= value), "{text}");
        }
        assert_eq!((at_most(&parse("1e-330").unwrap()), at_least(&parse("1e-330").unwrap())), (0.0, f64::from_bits(1)));
        assert_eq!((at_most(&parse("1e400").unwrap()), at_least(&parse("1e400").unwrap())), (f64::MAX, f64::INFINITY));
    }
}
