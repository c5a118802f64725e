//! The bits of a wide trial, and the integer that they write.
//!
//! A trial's bits are, from the first on: `prefix` bits of the uniform real that finds the bucket b; v, the
//! first `squeeze` bits of the uniform real that accepts; the place o in the bucket; the sign. No bit has two
//! uses, and none is unused. What is written is ±(b·2^offset + o): each pair of a magnitude and a sign is
//! written by exactly one (b, o, sign), and a negative zero counts for nothing, so that every integer is
//! written exactly once.

use crate::machine::Machine;

/// The parts of a trial's bits, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// Of the uniform real that finds the bucket.
    pub prefix: u32,
    /// Of the place in the bucket, which has 2^offset places.
    pub offset: u32,
    /// Of the uniform real that accepts.
    pub squeeze: u32,
}

impl Layout {
    /// How a trial of so many bits is shared out: 30 bits find the bucket, or as many as leave 8 to squeeze;
    /// a sign.
    #[inline]
    pub fn share(bits: u32, offset: u32) -> Self {
        let both = bits.saturating_sub(offset).saturating_sub(1);
        let squeeze = both.saturating_sub(30).max(8);
        Self { prefix: both.saturating_sub(squeeze), offset, squeeze }
    }

    /// How many bits of the first word are below v, if the second part has `second` bits.
    #[inline]
    pub fn below(self, second: u32) -> u32 {
        self.offset + 1 - second
    }

    /// v, where it is in the first word.
    #[inline]
    pub fn v<W: Machine>(self, second: u32, first: W) -> W {
        first.and(W::cut(((1 << self.squeeze) - 1) << self.below(second)))
    }

    /// A number of v's, as v is in the first word, so that v is among the first so many if it is below this.
    #[inline]
    pub fn among<W: Machine>(self, second: u32, count: u64) -> W {
        W::cut(count).shifted_up(self.below(second))
    }

    /// 2o + 1 if the sign is negative, else 2o: the bits of the first word below v, and the second part.
    #[inline]
    pub fn offset_and_sign<W: Machine>(self, second: u32, first: W, part: W) -> W {
        first.low_bits(self.below(second)).shifted_up(second).or(part)
    }

    /// 2w, by which [`at_once`] multiplies a bucket.
    #[inline]
    pub fn places<W: Machine>(self) -> W {
        W::cut(2).shifted_up(self.offset)
    }

    /// How many buckets are so near that their magnitudes are below 2^(BITS − 1).
    #[inline]
    pub fn near<W: Machine>(self) -> usize {
        1usize.checked_shl((W::BITS - 1).saturating_sub(self.offset)).unwrap_or(usize::MAX)
    }

    /// The magnitude k = bw + o of `both` = 2o + sign, and whether it is negative; nothing for a negative
    /// zero.
    ///
    /// k has at most 64 + 55 bits, as shipped.
    #[inline]
    pub fn written<W: Machine>(self, bucket: u64, both: W) -> Option<(u128, bool)> {
        let magnitude = u128::from(bucket) << self.offset | u128::from(both.shifted_down(1).into());
        let is_negative = both.low_bits(1) == W::cut(1);
        let is_negative_zero = magnitude == 0 && is_negative;
        (!is_negative_zero).then_some((magnitude, is_negative))
    }
}

/// What a bucket of the near ones and `both` = 2o + sign write, if v is known to accept and it is no zero,
/// which may be a negative one.
#[inline]
pub fn at_once<W: Machine>(bucket: u64, places: W, both: W, accepts: bool) -> Option<W::Signed> {
    // 2k + 1 if negative, else 2k; k is below 2^(BITS − 1).
    let both = W::cut(bucket).times(places).or(both);
    let settled = accepts & (both > W::cut(1));
    settled.then(|| both.shifted_down(1).signed(both))
}
