//! A lazy stream of bits over any cryptographic generator.

use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, TryCryptoRng};

use super::{Bits, BitsError, MAX_TAKE};

/// Fair bits from the 64-bit words of a cryptographic generator, most significant bit first.
///
/// A word is drawn only when a bit of it is needed, and every bit of every word is handed out once, in order,
/// across refills.
///
/// ```
/// use certus::bits::{seeded, Bits};
///
/// let mut bits = seeded([7; 32]);
/// let nibble = bits.take(4)?;
/// assert!(nibble < 16);
/// # Ok::<(), certus::bits::BitsError>(())
/// ```
#[derive(Clone)]
pub struct BitStream<R> {
    source: R,
    /// Invariant #1: the unread bits are the top `left` bits of `word`, and the bits below them are zero.
    word: u64,
    /// Invariant #2: `left` < 64.
    left: u32,
}

impl<R: TryCryptoRng> BitStream<R> {
    /// A stream that has read nothing yet.
    pub fn new(source: R) -> Self {
        Self { source, word: 0, left: 0 }
    }
}

/// Without the buffered bits, which are noise to come.
impl<R> core::fmt::Debug for BitStream<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BitStream").finish_non_exhaustive()
    }
}

/// A deterministic stream: ChaCha20 under a seed that somebody knows. For tests and reproducible runs, never
/// for a release.
#[must_use]
pub fn seeded(seed: [u8; 32]) -> BitStream<ChaCha20Rng> {
    BitStream::new(ChaCha20Rng::from_seed(seed))
}

/// The top `count` bits of `word`, `count` ≤ 64: a shift by 64 - count, which is 64 only for no bits at all.
#[inline]
fn top(word: u64, count: u32) -> u64 {
    word.checked_shr(64 - count).unwrap_or(0)
}

/// `word` without its top `count` bits, `count` ≤ 64; zeros come in below.
#[inline]
fn drop_top(word: u64, count: u32) -> u64 {
    word.checked_shl(count).unwrap_or(0)
}

impl<R: TryCryptoRng> Bits for BitStream<R> {
    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        // A whole word where nothing is left over of the last: as the general case below, at no cost.
        if count == MAX_TAKE && self.left == 0 {
            return self.source.try_next_u64().map_err(|_| BitsError::Source);
        }
        if count <= self.left {
            let taken = top(self.word, count);
            self.word = drop_top(self.word, count);
            self.left -= count;
            return Ok(taken);
        }
        if count > MAX_TAKE {
            return Err(BitsError::TooManyAtOnce);
        }
        // The failure comes before any change of state, so that it loses no bit and hands none out.
        let next = self.source.try_next_u64().map_err(|_| BitsError::Source)?;
        // 1 ≤ missing ≤ 64, because left < count ≤ 64.
        let missing = count - self.left;
        let high = top(self.word, self.left);
        let taken = drop_top(high, missing) | top(next, missing);
        self.word = drop_top(next, missing);
        self.left = 64 - missing;
        Ok(taken)
    }

    #[inline]
    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        if self.left == 0 {
            // In step with the generator's words: straight through.
            for word in words {
                *word = self.source.try_next_u64().map_err(|_| BitsError::Source)?;
            }
        } else {
            for word in words {
                *word = self.take(MAX_TAKE)?;
            }
        }
        Ok(())
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/bits/stream.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Hands out the given words, then fails.
    struct Words(Vec<u64>);

    #[derive(Debug, thiserror::Error)]
    #[error("no more words")]
    struct Ended;

    impl rand_core::TryRng for Words {
        type Error = Ended;
        fn try_next_u32(&mut self) -> Result<u32, Ended> {
            Err(Ended)
        }
        fn try_next_u64(&mut self) -> Result<u64, Ended> {
            if self.0.is_empty() { Err(Ended) } else { Ok(self.0.remove(0)) }
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Ended> {
            Err(Ended)
        }
    }
    impl TryCryptoRng for Words {}

    fn every_bit(words: &[u64]) -> Vec<bool> {
        words.iter().flat_map(|word| (0..64).rev().map(move |i| word >> i & 1 == 1)).collect()
    }

    proptest! {
        #[test]
        fn every_bit_once_in_order_across_refills(
            words in proptest::collection::vec(any::<u64>(), 1..6),
            counts in proptest::collection::vec(0u32..=64, 0..20),
        ) {
            let expected = every_bit(&words);
            let mut stream = BitStream::new(Words(words));
            let mut read = Vec::new();
            for count in counts {
                let before = (stream.word, stream.left);
                match stream.take(count) {
                    Ok(taken) => {
                        prop_assert!(count == 64 || taken >> count == 0);
                        read.extend((0..count).rev().map(|i| taken >> i & 1 == 1));
                    }
                    Err(error) => {
                        // No bit is lost by a failure: what is left is too short for the request, and still
                        // there.
                        prop_assert_eq!(error, BitsError::Source);
                        prop_assert_eq!((stream.word, stream.left), before);
                        prop_assert!(expected.len() - read.len() < count as usize);
                    }
                }
                prop_assert!(stream.left < 64);
                prop_assert_eq!(drop_top(stream.word, stream.left), 0);
            }
            prop_assert_eq!(&read[..], &expected[..read.len()]);
        }
    }

    /// In step or not, in bulk or one by one, the words of ChaCha20 are the same.
    #[test]
    fn bulk_words_are_the_same_words() {
        for offset in [0, 1, 63] {
            let (mut bulk, mut single) = (seeded([3; 32]), seeded([3; 32]));
            assert_eq!(bulk.take(offset), single.take(offset));
            for length in [0, 1, 63, 64, 65, 1000, 3] {
                let mut words = alloc::vec![0; length];
                bulk.words(&mut words).unwrap();
                assert!(words.iter().all(|&word| single.take(64) == Ok(word)));
            }
        }
        assert_eq!(BitStream::new(Words(Vec::new())).words(&mut [0; 2]), Err(BitsError::Source));
    }

    #[test]
    fn a_wide_request_is_refused_and_reads_nothing() {
        let mut stream = BitStream::new(Words(alloc::vec![u64::MAX]));
        assert_eq!(stream.take(65), Err(BitsError::TooManyAtOnce));
        assert_eq!(stream.take(64), Ok(u64::MAX));
        assert_eq!(stream.take(1), Err(BitsError::Source));
        assert_eq!(stream.take(0), Ok(0));
    }
}
