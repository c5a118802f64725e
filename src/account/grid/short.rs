//! ln x to some forty binary digits, in words: what a curve asks for at every point.
//!
//! With 2^62·m ≤ x·2^n < 2^62·m + 1 for 1/2 ≤ m < 1, ln x = ln m + e·ln 2 and ln m = −2·atanh z, z = (1 − m)/(1 + m) ≤ 1/3. The series Σ z^(2k+1)/(2k+1) is summed up in ulps
//! of 2^-60, every number rounded down. A true power of z is more than that by less than 2 of them, since with every step a ninth or less of the error is left, and 5/3 of an
//! ulp come to it at most (one by rounding it, 2/3 by rounding z²); a term by less than 3; and all that follow when a power is 0 are less than 3 together.

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use super::fixed::Range;

/// Ulps are 2^-this.
const ULPS: u32 = 60;

/// ⌊2^60·ln 2⌋.
const LN_TWO: i128 = 0x0b17_217f_7d1c_f79a;

/// Binary digits after the point that are right.
pub(super) const MOST_PLACES: u32 = 44;

/// ln(x·2^-scale) for x > 0 over 2^places, for at most [`MOST_PLACES`]; `None` for more, or an x so large or small that fewer are right.
pub(super) fn ln(x: &BigUint, scale: u32, places: u32) -> Option<Range> {
    let exponent = i64::try_from(x.bits()).ok()? - i64::from(scale);
    if places > MOST_PLACES || exponent.abs() >= 1 << 14 {
        return None;
    }
    let one = 1_u128 << 62;
    let m = if x.bits() > 62 { x >> (x.bits() - 62) } else { x << (62 - x.bits()) }.to_u128()?;
    let z = u64::try_from(((one.checked_sub(m)?) << ULPS) / (one + m)).ok()?;
    let times = |a: u64, b: u64| u64::try_from((u128::from(a) * u128::from(b)) >> ULPS).unwrap_or(u64::MAX);
    let square = times(z, z);
    let (mut power, mut divisor, mut total, mut slack) = (z, 1, 0_u64, 3_i128);
    while power > 0 {
        total += power / divisor;
        slack += 3;
        divisor += 2;
        power = times(power, square);
    }
    // What is cut off of x raises ln by less than 1/m·2^-62, not an ulp.
    let (least, most) = (-2 * (i128::from(total) + slack), -2 * i128::from(total) + 1);
    let (low, high) = (i128::from(exponent) * LN_TWO, i128::from(exponent) * (LN_TWO + 1));
    let (least, most) = (least + low.min(high), most + low.max(high));
    let finer = ULPS - places;
    Some(Range { lower: BigInt::from(least >> finer), upper: BigInt::from(-(-most >> finer)) })
}

#[cfg(test)]
mod tests {
    use num_traits::One;
    use proptest::prelude::*;

    use super::*;
    use crate::exact::{Positive, Rational, ln as long};

    fn is_right(x: &BigUint, scale: u32, places: u32) {
        let truth = long(&Positive::new(Rational::new(x.clone().into(), BigInt::one() << scale)).unwrap(), 100);
        let Range { lower, upper } = ln(x, scale, places).unwrap();
        let over = |n: &BigInt| Rational::new(n.clone(), BigInt::one() << places);
        assert!(over(&lower) <= truth.lower() && truth.upper() <= over(&upper), "{x} {scale}: {lower} {upper}");
        assert!(upper - lower <= BigInt::from(2), "{x} {scale}");
    }

    proptest! {
        /// The long way's number is inside, and the bounds are neighbours or next but one.
        #[test]
        fn agrees_with_the_long_way(leading in 1_u64.., more in 0_u32..300, scale in 0_u32..400, places in 0..=MOST_PLACES) {
            is_right(&((BigUint::from(leading) << more) + leading / 3), scale, places);
        }
    }

    /// Powers of two, and their neighbours; long numbers of ones.
    #[test]
    fn at_the_ends() {
        for n in [0_u32, 1, 61, 62, 63, 200] {
            let power = BigUint::one() << n;
            let beside = [&power + 1_u32, power.clone(), &power * 2_u32 - 1_u32];
            for (x, scale) in beside.iter().flat_map(|x| [0, n, n + 1, 500].map(|scale| (x, scale))) {
                is_right(x, scale, MOST_PLACES);
            }
        }
    }

    /// Of so many times ln 2 the rounding of that is seen.
    #[test]
    fn far_from_one() {
        for n in 1..100_u32 {
            let x = BigUint::from(3_u32).pow(n);
            is_right(&x, 16_000, MOST_PLACES);
            is_right(&(x << 16_000_u32), 0, MOST_PLACES);
        }
    }

    #[test]
    fn refuses_what_it_cannot_do() {
        assert_eq!(ln(&BigUint::one(), 0, MOST_PLACES + 1), None);
        assert_eq!(ln(&BigUint::one(), 1 << 15, 10), None);
        assert_eq!(ln(&(BigUint::one() << (1_u32 << 15)), 0, 10), None);
    }
}
