//! A user's `f64`, as the exact dyadic rational that it is.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::One;

use super::Rational;

/// The float is NaN or an infinity where it must be a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be finite (neither NaN nor an infinity)")]
pub struct NotFiniteError;

/// Bits of the significand that an `f64` stores.
const STORED_BITS: u32 = 52;

/// What the biased exponent is when it marks NaN and the infinities.
const SPECIAL_EXPONENT: u64 = 0x7FF;

/// The biased exponent at which the significand, read as an integer, is the value: 1023 + 52.
const UNIT_EXPONENT: u64 = 1_075;

/// The exact rational that a float is, by its bits and with no float arithmetic.
///
/// With sign `s`, biased exponent `e` and stored significand `m` (IEEE 754 binary64):
/// `(-1)^s × (2^52 + m) × 2^(e − 1075)` for a normal number, `(-1)^s × m × 2^(−1074)` for a subnormal one
/// (`e = 0`). Both zeros are 0.
///
/// # Errors
///
/// If the float is NaN or an infinity.
///
/// # Example
///
/// ```
/// use certus::exact::{NotFiniteError, from_f64, parse};
///
/// assert_eq!(from_f64(0.75).ok(), parse("3/4").ok());
/// assert_ne!(from_f64(0.1).ok(), parse("0.1").ok()); // the float 0.1 is not 1/10
/// assert_eq!(from_f64(f64::NAN), Err(NotFiniteError));
/// ```
pub fn from_f64(value: f64) -> Result<Rational, NotFiniteError> {
    let bits = value.to_bits();
    let exponent = (bits >> STORED_BITS) & SPECIAL_EXPONENT;
    let stored = bits & ((1 << STORED_BITS) - 1);
    if exponent == SPECIAL_EXPONENT {
        return Err(NotFiniteError);
    }
    // A subnormal number has no leading one, and the exponent of the smallest normal numbers.
    let significand = if exponent == 0 { stored } else { stored | (1 << STORED_BITS) };
    let exponent = exponent.max(1);

    let sign = if value.is_sign_negative() { Sign::Minus } else { Sign::Plus };
    let significand = BigInt::from_biguint(sign, BigUint::from(significand));
    Ok(match exponent.checked_sub(UNIT_EXPONENT) {
        Some(up) => Rational::from_integer(significand << up),
        None => Rational::new(significand, BigInt::one() << UNIT_EXPONENT.abs_diff(exponent)),
    })
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;

    /// Every `f64` has a finite decimal expansion of at most 1,074 places, and the standard library prints it
    /// exactly when asked for that many: an oracle that shares nothing with the bit decoding.
    fn exact_decimal(value: f64) -> Rational {
        let digits: String = format!("{value:.1074}").chars().filter(|c| *c != '.').collect();
        Rational::new(digits.parse().unwrap(), BigInt::from(10).pow(1_074))
    }

    #[test]
    fn decodes_the_edges() {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            f64::from_bits(1),                     // the smallest subnormal
            f64::from_bits(0x000F_FFFF_FFFF_FFFF), // the largest subnormal
            f64::MIN_POSITIVE,
            f64::from_bits(0x4330_0000_0000_0000), // 2^52, where the shift changes side
            f64::from_bits(0x432F_FFFF_FFFF_FFFF),
            f64::from_bits(0x4340_0000_0000_0001),
            f64::MAX,
            f64::MIN,
            f64::EPSILON,
        ];
        for value in edges {
            assert_eq!(from_f64(value), Ok(exact_decimal(value)), "{value:e}");
        }
        assert_eq!(from_f64(-0.0), from_f64(0.0));
        assert_eq!(from_f64(f64::from_bits(1)), Ok(Rational::new(BigInt::one(), BigInt::from(2).pow(1_074))));
    }

    #[test]
    fn refuses_what_is_not_finite() {
        let signalling = f64::from_bits(0x7FF0_0000_0000_0001);
        for value in [f64::NAN, -f64::NAN, signalling, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(from_f64(value), Err(NotFiniteError));
        }
    }

    proptest! {
        #[test]
        fn decodes_any_bits(bits: u64) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                prop_assert_eq!(from_f64(value), Ok(exact_decimal(value)));
            } else {
                prop_assert_eq!(from_f64(value), Err(NotFiniteError));
            }
        }

        #[test]
        fn decodes_subnormals(stored in 0_u64..1 << STORED_BITS, negative: bool) {
            let value = f64::from_bits(stored | (u64::from(negative) << 63));
            prop_assert_eq!(from_f64(value), Ok(exact_decimal(value)));
        }
    }
}
