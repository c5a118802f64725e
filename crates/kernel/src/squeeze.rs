//! Whether V < e^-x, on machine words: bounds of x and of e^-x, rounded outwards.
//!
//! x = a/s or a/2σ² for an integer a, the *amount*. Each function is generic over the width of its numbers;
//! where a number outgrows it, the answer is `None`, and the caller goes on with big integers. None of the
//! roundings decides: what is between the bounds is left open.

use crate::machine::Machine;

/// The number, if it fits two machine words: all do in 128 bits if a word has 64.
#[inline]
pub fn double<W: Machine>(number: u128) -> Option<u128> {
    (W::BITS == 64 || number >> (2 * W::BITS) == 0).then_some(number)
}

/// Numbers of a fixed width, whose arithmetic says where it outgrows it: 128 bits as shipped, 8 where all are
/// tried.
pub trait Double: Copy {
    /// A machine word, if it fits.
    fn from_word(word: u64) -> Option<Self>;

    /// self·2^count.
    fn checked_shifted_up(self, count: u32) -> Option<Self>;

    /// self + other.
    fn checked_add(self, other: Self) -> Option<Self>;

    /// self·other.
    fn checked_mul(self, other: Self) -> Option<Self>;
}

macro_rules! double {
    ($($word:ident)*) => {$(
        impl Double for $word {
            #[inline]
            fn from_word(word: u64) -> Option<Self> {
                word.try_into().ok()
            }

            #[inline]
            fn checked_shifted_up(self, count: u32) -> Option<Self> {
                // No set bit is shifted out; 0 stays 0 whatever the shift.
                if self == 0 { Some(0) } else { (count <= self.leading_zeros()).then(|| self << count) }
            }

            #[inline]
            fn checked_add(self, other: Self) -> Option<Self> {
                $word::checked_add(self, other)
            }

            #[inline]
            fn checked_mul(self, other: Self) -> Option<Self> {
                $word::checked_mul(self, other)
            }
        }
    )*};
}

double!(u8 u128);

/// k² − (bw)² = o·(2bw + o) with w = 2^bits and k = bw + o: x as a multiple of 1/2σ².
#[inline]
pub fn square_amount<N: Double>(bucket: u64, offset: u64, bits: u32) -> Option<N> {
    let offset = N::from_word(offset)?;
    N::from_word(bucket)?.checked_shifted_up(bits + 1)?.checked_add(offset)?.checked_mul(offset)
}

/// 1/s or 1/2σ², in [mantissa, mantissa + 1]·2^-exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reciprocal<W> {
    /// The lower bound, in units of 2^-exponent.
    pub mantissa: W,
    /// How fine the unit is.
    pub exponent: u32,
}

impl<W: Machine> Reciprocal<W> {
    /// amount/s or amount/2σ², in [lower, upper] units of 2^-BITS; `None` if that is 1 or more.
    #[inline]
    pub fn times(self, amount: u128) -> Option<(u128, u128)> {
        // amount is in [top, ceiling]·2^dropped, and top below 2^BITS.
        let dropped = (128 - W::BITS).saturating_sub(amount.leading_zeros());
        let top = amount >> dropped;
        let ceiling = top + u128::from(dropped > 0);
        let shift = self.exponent.checked_sub(dropped)?.checked_sub(W::BITS)?;
        let mantissa = u128::from(self.mantissa.into());
        let lower = (top * mantissa).checked_shr(shift).unwrap_or(0);
        let upper = double::<W>(ceiling.checked_mul(mantissa + 1)?)?.checked_shr(shift).unwrap_or(0) + 1;
        (upper < 1 << W::BITS).then_some((lower, upper))
    }
}

/// e^-x in [lower, upper] units of 2^-BITS, for x in [least, most] units of 2^-BITS, below 1.
///
/// 1 − x + x²/2 − x³/6 and 1 − x + x²/2 are neighbouring partial sums of an alternating series whose terms
/// fall, and both fall in x: the former is taken at the greatest x and rounded down, the latter at the least
/// and rounded up.
#[inline]
pub fn exponential<W: Machine>(least: u128, most: u128) -> (u128, u128) {
    let one = 1 << W::BITS;
    // Each is below 2^BITS, so squares fit two words.
    let cube = ((((most * most) >> W::BITS) + 1) * most) >> W::BITS;
    let lower = (one - most + ((most * most) >> (W::BITS + 1))).saturating_sub(cube / 6 + 2);
    (lower, one - least + ((least * least) >> (W::BITS + 1)) + 1)
}

/// Whether V is below all of [lower, upper], in units of 2^-BITS, or not below any of it, if one of the two
/// holds for every V in [prefix, prefix + 1]·2^-length.
#[inline]
pub fn decided<W: Machine>(prefix: u128, length: u32, (lower, upper): (u128, u128)) -> Option<bool> {
    // The first BITS digits of V, as far as they are known.
    let (low, high) = match length.checked_sub(W::BITS) {
        Some(dropped) => (prefix >> dropped, (prefix >> dropped) + 1),
        None => (prefix << (W::BITS - length), (prefix + 1) << (W::BITS - length)),
    };
    if high <= lower {
        return Some(true);
    }
    (low >= upper).then_some(false)
}
