//! Square roots of rationals, rounded to the side of more noise.

use certus::exact::{BigInt, Rational};

/// Decimal digits after the first.
const DIGITS: u32 = 12;

/// At most √x, with about twelve digits; 0 for what is not positive.
pub(super) fn at_most(x: &Rational) -> Rational {
    let (scaled, unit) = scaled(x);
    Rational::new(scaled.floor().to_integer().sqrt(), unit)
}

/// At least √x, with about twelve digits.
pub(super) fn at_least(x: &Rational) -> Rational {
    let (scaled, unit) = scaled(x);
    let root = scaled.ceil().to_integer().sqrt();
    let is_exact = Rational::from_integer(&root * &root) >= scaled;
    Rational::new(if is_exact { root } else { root + 1 }, unit)
}

/// x·unit², with a unit that gives its root twelve digits, and the unit.
fn scaled(x: &Rational) -> (Rational, BigInt) {
    let zero = Rational::from_integer(0.into());
    if *x <= zero {
        return (zero, BigInt::from(1));
    }
    // 2^10 > 10^3: so many decimal digits more below the fraction bar than above it.
    let short = x.denom().bits().saturating_sub(x.numer().bits()) / 6 + 1;
    let unit = BigInt::from(10).pow(DIGITS.saturating_add(u32::try_from(short).unwrap_or(u32::MAX)));
    (x * Rational::from_integer(&unit * &unit), unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn roots_are_on_their_side(n in 1i64..1_000_000_000, d in 1i64..1_000_000_000_000) {
            let x = Rational::new(n.into(), d.into());
            let (low, high) = (at_most(&x), at_least(&x));
            prop_assert!(&low * &low <= x && &high * &high >= x);
            let near = Rational::new(1.into(), 100_000_000_000_i64.into());
            prop_assert!(&high - &low <= &high * &near);
        }
    }
}
