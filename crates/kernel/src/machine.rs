//! The machine words that the samplers' integer cores assemble their outputs on: 64 bits as shipped, a few
//! bits where they are enumerated.
//!
//! A core is written once, over [`Machine`]. On `u64` it ships. On [`Short`], the same code meets every edge
//! of its word (the sign bit, the last bit, the step to big integers) within a few bits, so that a
//! certificate runs it on every tape.

use core::fmt::Debug;

/// An unsigned machine word, whose arithmetic is that of `u64`, cut to [`BITS`](Self::BITS) bits.
pub trait Machine: Copy + Ord + Default + Send + Sync + Debug + Into<u64> + sealed::Sealed + 'static {
    /// The number of bits, at most 64.
    const BITS: u32;
    /// How many trials' words a slice draws at a time: at most [`MOST_BATCH`].
    const BATCH: usize;
    /// How many bits are drawn at a time where a trial's own do not decide: 1 to 64.
    const REFILL_BITS: u32;
    /// The same bits, in two's complement.
    type Signed: SignedMachine;

    /// The low bits.
    fn cut(bits: u64) -> Self;

    /// The same bits, read as a signed number.
    fn cast_signed(self) -> Self::Signed;

    /// The number, if it fits.
    #[inline]
    fn of_double(number: u128) -> Option<Self> {
        let word = u64::try_from(number).ok().filter(|&word| word >> (Self::BITS - 1) >> 1 == 0);
        word.map(Self::cut)
    }

    /// The first bits of 64.
    #[inline]
    fn of_first_bits(word: u64) -> Self {
        Self::cut(word >> (64 - Self::BITS))
    }

    /// 64 bits that begin with these; the others are 0.
    #[inline]
    fn aligned(self) -> u64 {
        self.into() << (64 - Self::BITS)
    }

    /// self·2^count, modulo 2^BITS; count < 64.
    #[inline]
    fn shifted_up(self, count: u32) -> Self {
        Self::cut(self.into() << count)
    }

    /// ⌊self/2^count⌋; count < 64.
    #[inline]
    fn shifted_down(self, count: u32) -> Self {
        Self::cut(self.into() >> count)
    }

    /// self·other, modulo 2^BITS.
    #[inline]
    fn times(self, other: Self) -> Self {
        Self::cut(self.into().wrapping_mul(other.into()))
    }

    /// Bit by bit.
    #[inline]
    fn and(self, other: Self) -> Self {
        Self::cut(self.into() & other.into())
    }

    /// Bit by bit.
    #[inline]
    fn or(self, other: Self) -> Self {
        Self::cut(self.into() | other.into())
    }

    /// The low `count` < 64 bits, the others 0.
    #[inline]
    fn low_bits(self, count: u32) -> Self {
        Self::cut(self.into() & ((1 << count) - 1))
    }

    /// ±self by the lowest bit of `word`, for a number below 2^(BITS − 1); without a branch: −m = (m xor −1)
    /// + 1.
    #[inline]
    fn signed(self, word: Self) -> Self::Signed {
        let mask = (word.into() & 1).wrapping_neg();
        Self::cut((self.into() ^ mask).wrapping_sub(mask)).cast_signed()
    }
}

/// A signed machine word.
pub trait SignedMachine: Copy + Ord + Default + Send + Sync + Debug + Into<i64> + 'static {
    /// The least number.
    const MIN: Self;
    /// The greatest number.
    const MAX: Self;

    /// The number, if it fits.
    fn of_word(word: i64) -> Option<Self>;

    /// The sum, or the end of the range that it passes; and whether it passes one.
    fn clamped_add(self, other: Self) -> (Self, bool);
}

/// The most trials whose words a slice draws at a time.
pub const MOST_BATCH: usize = 64;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl<const BITS: u32> Sealed for super::Short<BITS> {}
}

impl Machine for u64 {
    const BITS: u32 = 64;
    const BATCH: usize = MOST_BATCH;
    const REFILL_BITS: u32 = 64;
    type Signed = i64;

    #[inline]
    fn cut(bits: u64) -> Self {
        bits
    }

    #[inline]
    fn cast_signed(self) -> i64 {
        self.cast_signed()
    }
}

impl SignedMachine for i64 {
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;

    #[inline]
    fn of_word(word: i64) -> Option<Self> {
        Some(word)
    }

    #[inline]
    fn clamped_add(self, other: Self) -> (Self, bool) {
        (self.saturating_add(other), self.checked_add(other).is_none())
    }
}

pub use short::Short;
pub use short::ShortSigned;

/// Words of few bits.
mod short {
    use super::{Machine, SignedMachine};

    /// A machine word of BITS bits, 2 to 63. Invariant: the others are 0.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Short<const BITS: u32>(u64);

    /// The same, signed. Invariant: from −2^(BITS − 1) to 2^(BITS − 1) − 1.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub struct ShortSigned<const BITS: u32>(i64);

    impl<const BITS: u32> From<Short<BITS>> for u64 {
        #[inline]
        fn from(word: Short<BITS>) -> Self {
            word.0
        }
    }

    impl<const BITS: u32> From<ShortSigned<BITS>> for i64 {
        #[inline]
        fn from(word: ShortSigned<BITS>) -> Self {
            word.0
        }
    }

    impl<const BITS: u32> Machine for Short<BITS> {
        const BITS: u32 = BITS;
        // So that a slice of three is longer than a batch.
        const BATCH: usize = 2;
        // So that a tape is not much longer than it takes to decide.
        const REFILL_BITS: u32 = 2;
        type Signed = ShortSigned<BITS>;

        #[inline]
        fn cut(bits: u64) -> Self {
            Self(bits & ((1 << BITS) - 1))
        }

        #[inline]
        fn cast_signed(self) -> ShortSigned<BITS> {
            // The sign bit moves to the top, and back with its copies.
            ShortSigned((self.0 << (64 - BITS)).cast_signed() >> (64 - BITS))
        }
    }

    impl<const BITS: u32> SignedMachine for ShortSigned<BITS> {
        const MIN: Self = Self(-(1 << (BITS - 1)));
        const MAX: Self = Self((1 << (BITS - 1)) - 1);

        #[inline]
        fn of_word(word: i64) -> Option<Self> {
            Some(Self(word)).filter(|word| (Self::MIN..=Self::MAX).contains(word))
        }

        #[inline]
        fn clamped_add(self, other: Self) -> (Self, bool) {
            // Far from the ends of 64 bits.
            let sum = Self(self.0 + other.0);
            (sum.clamp(Self::MIN, Self::MAX), !(Self::MIN..=Self::MAX).contains(&sum))
        }
    }
}
