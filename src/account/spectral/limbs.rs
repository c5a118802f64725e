//! Complex numbers in fixed point, of as many limbs as a sum needs.
//!
//! A real number x with |x| < 2^31 is the integer ⌊x·2^F⌋, of L limbs of 64 bits in two's complement: F =
//! 64·L − 32 digits after the point. A **unit** is 2^-F.
//!
//! **Rounding.** A product of reals is rounded down, so that it is too small by less than a unit. Of a
//! complex product (a + bi)(c + di) the real part ⌊ac⌋ − ⌊bd⌋ is off by less than one unit, the imaginary
//! part ⌊ad⌋ + ⌊bc⌋ by less than two: **a complex product is off by less than √5 < 3 units**, besides what
//! its factors are off by. Sums are exact.

#![expect(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "every index is below the number of limbs, a constant; limbs of several numbers go together"
)]

use num_bigint::BigInt;

/// A real number of so many limbs, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fixed<const L: usize>([u64; L]);

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Complex<const L: usize> {
    pub(super) re: Fixed<L>,
    pub(super) im: Fixed<L>,
}

/// The digits after the point of numbers of so many limbs.
pub(super) const fn digits(limbs: u32) -> u32 {
    64 * limbs - 32
}

const TWO_TO_62: f64 = 4_611_686_018_427_387_904.0;
const TWO_TO_MINUS_32: f64 = 1.0 / 4_294_967_296.0;
const TWO_TO_MINUS_64: f64 = TWO_TO_MINUS_32 * TWO_TO_MINUS_32;

/// The lower and the upper half.
#[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits are 64 bits each")]
const fn halves(x: u128) -> (u64, u64) {
    (x as u64, (x >> 64) as u64)
}

impl<const L: usize> Fixed<L> {
    pub(super) const ZERO: Self = Self([0; L]);

    /// An integer of units; `None` if it is beyond the limbs.
    pub(super) fn from_units(units: &BigInt) -> Option<Self> {
        let bytes = units.to_signed_bytes_le();
        let fill = if units.sign() == num_bigint::Sign::Minus { u8::MAX } else { 0 };
        if bytes.len() > 8 * L {
            return None;
        }
        let byte = |i: usize| bytes.get(i).copied().unwrap_or(fill);
        Some(Self(core::array::from_fn(|limb| u64::from_le_bytes(core::array::from_fn(|i| byte(8 * limb + i))))))
    }

    /// The integer of units.
    pub(super) fn units(self) -> BigInt {
        let bytes: alloc::vec::Vec<u8> = self.0.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        BigInt::from_signed_bytes_le(&bytes)
    }

    #[inline(always)]
    pub(super) fn add(self, other: Self) -> Self {
        let mut sum = [0; L];
        let mut carry = false;
        for i in 0..L {
            let (part, first) = self.0[i].overflowing_add(other.0[i]);
            let (part, second) = part.overflowing_add(u64::from(carry));
            sum[i] = part;
            carry = first | second;
        }
        Self(sum)
    }

    #[inline(always)]
    pub(super) fn sub(self, other: Self) -> Self {
        let mut difference = [0; L];
        let mut borrow = false;
        for i in 0..L {
            let (part, first) = self.0[i].overflowing_sub(other.0[i]);
            let (part, second) = part.overflowing_sub(u64::from(borrow));
            difference[i] = part;
            borrow = first | second;
        }
        Self(difference)
    }

    /// ⌊x·y⌋: the digits from 2^(64·(L−1) + 32) on of the product of the integers.
    #[inline(always)]
    pub(super) fn mul(self, other: Self) -> Self {
        let (mut low, mut high) = ([0_u64; L], [0_u64; L]);
        for i in 0..L {
            let mut carry = 0_u64;
            for j in 0..L {
                let place = if i + j < L { &mut low[i + j] } else { &mut high[i + j - L] };
                let sum = u128::from(self.0[i]) * u128::from(other.0[j]) + u128::from(*place) + u128::from(carry);
                (*place, carry) = halves(sum);
            }
            high[i] = carry;
        }
        // In two's complement a negative factor was taken for 2^(64·L) more.
        let high = Self(high).sub(other.masked(self)).sub(self.masked(other)).0;
        let mut product = [0; L];
        product[0] = (low[L - 1] >> 32) | (high[0] << 32);
        for i in 1..L {
            product[i] = (high[i - 1] >> 32) | (high[i] << 32);
        }
        Self(product)
    }

    /// This number where the other is negative, 0 elsewhere.
    #[inline(always)]
    fn masked(self, other: Self) -> Self {
        let mask = (other.0[L - 1] >> 63).wrapping_neg();
        Self(self.0.map(|limb| limb & mask))
    }

    /// The float next to it.
    #[expect(
        clippy::float_arithmetic,
        clippy::cast_precision_loss,
        clippy::cast_possible_wrap,
        reason = "a first guess"
    )]
    pub(super) fn approximate(self) -> f64 {
        let (high, low) = (self.0[L - 1] as i64 as f64, self.0[L - 2] as f64);
        (high + low * TWO_TO_MINUS_64) * TWO_TO_MINUS_32
    }

    /// A number of fewer limbs, with its point so many binary digits further left: ⌊x·2^F·2^-shift⌋ of the
    /// integer, if that has its limbs.
    pub(super) fn shifted<const N: usize>(self, shift: u32) -> Fixed<N> {
        let (limbs, bits) = (usize::try_from(shift / 64).unwrap_or(usize::MAX), shift % 64);
        let fill = (self.0[L - 1] >> 63).wrapping_neg();
        let limb = |i: usize| self.0.get(i).copied().unwrap_or(fill);
        Fixed(core::array::from_fn(|i| {
            let low = limb(i.saturating_add(limbs)) >> bits;
            if bits == 0 { low } else { low | (limb(i.saturating_add(limbs).saturating_add(1)) << (64 - bits)) }
        }))
    }

    /// The number of a float, |x| < 2^30, about.
    #[expect(
        clippy::float_arithmetic,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a first guess"
    )]
    pub(super) fn from_float(x: f64) -> Self {
        // The digits of x·2^62, two limbs of them, at the top.
        let units = (x * TWO_TO_62) as i128;
        let wide = Fixed::<3>([0, halves(units as u128).0, halves(units as u128).1]);
        // 62 + 64 digits after the point, and F are wanted.
        let digits = digits(u32::try_from(L).unwrap_or(0));
        if digits <= 126 { wide.shifted(126 - digits) } else { wide.raised(digits - 126) }
    }

    /// More limbs below.
    fn raised<const N: usize>(self, shift: u32) -> Fixed<N> {
        let (limbs, bits) = (usize::try_from(shift / 64).unwrap_or(0), shift % 64);
        let fill = (self.0[L - 1] >> 63).wrapping_neg();
        let limb = |i: usize| self.0.get(i).copied().unwrap_or(fill);
        Fixed(core::array::from_fn(|i| {
            let Some(from) = i.checked_sub(limbs) else { return 0 };
            let below = from.checked_sub(1).map_or(0, limb);
            if bits == 0 { limb(from) } else { (limb(from) << bits) | (below >> (64 - bits)) }
        }))
    }

    /// The binary digits of the integer, without those that only tell its sign.
    pub(super) fn size(self) -> u32 {
        let sign = (self.0[L - 1] >> 63).wrapping_neg();
        let top = self.0.iter().rposition(|limb| limb ^ sign != 0);
        top.map_or(0, |i| u32::try_from(64 * (i + 1)).unwrap_or(0) - (self.0[i] ^ sign).leading_zeros())
    }

    /// Whether |x| is at most so many units.
    pub(super) fn is_within(self, units: u64) -> bool {
        let mut bound = [0; L];
        bound[0] = units;
        let is_negative = |x: Self| x.0[L - 1] >> 63 == 1;
        !is_negative(Self(bound).sub(self)) && !is_negative(Self(bound).add(self))
    }
}

impl<const L: usize> Complex<L> {
    pub(super) const ZERO: Self = Self { re: Fixed::ZERO, im: Fixed::ZERO };

    /// 1.
    pub(super) fn one() -> Self {
        let mut one = [0; L];
        one[L - 1] = 1 << 32;
        Self { re: Fixed(one), im: Fixed::ZERO }
    }

    #[inline(always)]
    pub(super) fn add(self, other: Self) -> Self {
        Self { re: self.re.add(other.re), im: self.im.add(other.im) }
    }

    #[inline(always)]
    pub(super) fn sub(self, other: Self) -> Self {
        Self { re: self.re.sub(other.re), im: self.im.sub(other.im) }
    }

    /// The product, off by less than 3 units.
    #[inline(always)]
    pub(super) fn mul(self, other: Self) -> Self {
        Self {
            re: self.re.mul(other.re).sub(self.im.mul(other.im)),
            im: self.re.mul(other.im).add(self.im.mul(other.re)),
        }
    }

    /// The product with a real number, off by less than 2 units.
    #[inline(always)]
    pub(super) fn scaled(self, factor: Fixed<L>) -> Self {
        Self { re: self.re.mul(factor), im: self.im.mul(factor) }
    }

    /// 1/x for 1/2 ≤ |x| < 2, off by less than 32 units: by Newton's steps v ← v(2 − xv) from floats.
    ///
    /// What is found is checked: if 1 − xv as it is computed is at most 8 units in either part, it is at most
    /// 8√2 + 3 < 15 units in truth, and v is off by at most 15/|x| ≤ 30 units. `None` if it is not.
    pub(super) fn reciprocal(self) -> Option<Self> {
        let (re, im) = (self.re.approximate(), self.im.approximate());
        let mut v = reciprocal(re, im);
        let one = Self::one();
        for _ in 0..L {
            let rest = one.sub(self.mul(v));
            if rest.re.is_within(8) && rest.im.is_within(8) {
                return Some(v);
            }
            v = v.add(v.mul(rest));
        }
        let rest = one.sub(self.mul(v));
        (rest.re.is_within(8) && rest.im.is_within(8)).then_some(v)
    }

    /// x^k by squaring, k > 0 (of a plan no part has 0 copies): off by at most 2k(e + 3) units for |x| ≤ 1
    /// that is off by e units, where k(e + 3) units are at most 1/2.
    ///
    /// With u a unit let b_j = ((1 + (e + 3)u)^j − 1)/u, so that b_(i+j) = b_i + b_j + u·b_i·b_j. If x^i and
    /// x^j are off by at most b_i − 3 and b_j − 3 units, their product is off by at most (b_i − 3) + (b_j −
    /// 3) + u·b_i·b_j + 3 ≤ b_(i+j) − 3; and b_1 − 3 = e. At last (1 + y)^k − 1 ≤ e^(ky) − 1 ≤ 2ky for ky ≤
    /// 1.
    #[inline(always)]
    pub(super) fn pow(self, mut k: u64) -> Self {
        let mut square = self;
        while k & 1 == 0 && k > 0 {
            square = square.mul(square);
            k >>= 1;
        }
        let mut power = square;
        k >>= 1;
        while k > 0 {
            square = square.mul(square);
            if k & 1 == 1 {
                power = power.mul(square);
            }
            k >>= 1;
        }
        power
    }
}

/// 1/(re + i·im) in floats.
#[expect(clippy::float_arithmetic, reason = "a first guess")]
fn reciprocal<const L: usize>(re: f64, im: f64) -> Complex<L> {
    let norm = re * re + im * im;
    Complex { re: Fixed::from_float(re / norm), im: Fixed::from_float(-im / norm) }
}

#[cfg(test)]
mod tests {
    use num_traits::One;
    use proptest::prelude::*;

    use super::*;

    /// Products against products of integers: the floor, whatever the signs.
    fn agrees<const L: usize>(a: i128, b: i128, spread: u32) -> Result<(), TestCaseError> {
        let digits = digits(u32::try_from(L).unwrap());
        // Up to 2^15 in magnitude, of all limbs or of few.
        let wide = |x: i128| ((BigInt::from(x) << digits) >> 111_u32) + (BigInt::from(x) >> spread);
        let (x, y) = (wide(a), wide(b));
        let (one, other) = (Fixed::<L>::from_units(&x).unwrap(), Fixed::<L>::from_units(&y).unwrap());
        prop_assert_eq!(one.units(), x.clone());
        prop_assert_eq!(one.mul(other).units(), (&x * &y) >> digits);
        prop_assert_eq!(one.add(other).units(), &x + &y);
        prop_assert_eq!(one.sub(other).units(), &x - &y);
        prop_assert_eq!(one.shifted::<L>(spread).units(), &x >> spread);
        Ok(())
    }

    /// x^k with integers of many more digits, for a turn x: the bound holds.
    fn powers<const L: usize>(angle: u32, k: u64) -> Result<(), TestCaseError> {
        let digits = digits(u32::try_from(L).unwrap());
        let turn = crate::exact::Working::new(digits + 100).turn(&angle.into(), &(1_u32 << 30).into());
        let exact = turn.pow(k);
        let down = |x: crate::exact::Enclosure| x.at_precision(digits).scaled_bounds().0.clone();
        let units = |x: crate::exact::Enclosure| Fixed::<L>::from_units(&down(x)).unwrap();
        // Off by less than 3 units itself.
        let found = Complex { re: units(turn.re()), im: units(turn.im()) }.pow(k);
        let bound = BigInt::from(2 * k * (3 + 3));
        for (part, truth) in [(found.re, exact.re()), (found.im, exact.im())] {
            prop_assert!((part.units() - down(truth)).magnitude() <= (bound.clone() + BigInt::one()).magnitude());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn arithmetic_of_limbs(a in -(1_i128 << 126)..1 << 126, b in -(1_i128 << 126)..1 << 126, spread in 0_u32..200) {
            agrees::<3>(a, b, spread)?;
            agrees::<4>(a, b, spread)?;
            agrees::<2>(a, b, spread + 40)?;
        }

        #[test]
        fn powers_are_off_by_little(angle in any::<u32>(), k in 1_u64..1 << 40) {
            powers::<2>(angle, k)?;
            powers::<3>(angle, k)?;
            powers::<4>(angle, k)?;
        }
    }
}
