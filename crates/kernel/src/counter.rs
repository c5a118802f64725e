//! Counter mode: which words of ChaCha20 belong to which sample of a key.
//!
//! Sample i reads one tape, and no word of it is on another sample's tape:
//!
//! 1. word i of stream 0, the first word of its first trial. A word is of 64 bits; block b of a stream holds
//!    its words 8b to 8b + 7 ([`words`]);
//! 2. in a layout of a word and a quarter, the second part of its first trial: part i mod 4, of 16 bits, of
//!    word ⌊i/4⌋ of stream 2^64 − 1 ([`second_part`]). The first part of a word is the highest;
//! 3. the eight words of block i of stream 1, then those of block i of stream 2, and so on, in the order of
//!    use: refills, and the whole words of later trials, each of which has, in a layout of a word and a
//!    quarter, a second word, of which it reads the first 16 bits.
//!
//! Almost all samples are settled by 1 and 2, which are dense: words of one stream in order.

use crate::chacha::{block, words};

/// The stream of the first words.
pub const FIRST: u64 = 0;

/// The stream of the second parts.
pub const SECOND: u64 = u64::MAX;

/// The first of the streams of which a sample has a block.
pub const MORE: u64 = 1;

/// How many words a block has.
pub const WORDS_OF_A_BLOCK: u64 = 8;

/// How many second parts a word has.
pub const PARTS_OF_A_WORD: u64 = 4;

/// The second part of sample i, of 16 bits, in word ⌊i/4⌋ of its stream.
#[inline]
#[must_use]
pub fn second_part(word: u64, sample: u64) -> u64 {
    word >> (48 - 16 * (sample % PARTS_OF_A_WORD)) & 0xffff
}

/// Word i of a dense stream, alone: a block for one word.
#[inline]
#[must_use]
pub fn dense_word(key: &[u32; 8], stream: u64, index: u64) -> u64 {
    let [w0, w1, w2, w3, w4, w5, w6, w7] = words(block(key, index / WORDS_OF_A_BLOCK, stream));
    match index % WORDS_OF_A_BLOCK {
        0 => w0,
        1 => w1,
        2 => w2,
        3 => w3,
        4 => w4,
        5 => w5,
        6 => w6,
        _ => w7,
    }
}

/// The words of a sample's tape after those of its first trial, a block when it is needed.
#[derive(Clone)]
pub struct Tape<'k> {
    key: &'k [u32; 8],
    sample: u64,
    /// Of the block that comes next.
    stream: u64,
    /// What is left of the last block: the first `left` of them, the next one first.
    words: [u64; 8],
    left: u32,
}

/// Without the words, which are noise to come.
impl core::fmt::Debug for Tape<'_> {
    #[inline]
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Tape { .. }")
    }
}

impl<'k> Tape<'k> {
    /// The tape of a sample, nothing of it read.
    #[inline]
    #[must_use]
    pub fn new(key: &'k [u32; 8], sample: u64) -> Self {
        Self { key, sample, stream: MORE, words: [0; 8], left: 0 }
    }

    /// The next word; nothing at the end of the streams, after 2^64 of them.
    #[inline]
    pub fn next_word(&mut self) -> Option<u64> {
        if self.left == 0 {
            if self.stream == SECOND {
                return None;
            }
            self.words = words(block(self.key, self.sample, self.stream));
            self.stream = self.stream.wrapping_add(1);
            self.left = 8;
        }
        // By moves, since an index would be checked, and would put the words in a GPU's memory.
        let [next, w1, w2, w3, w4, w5, w6, w7] = self.words;
        self.words = [w1, w2, w3, w4, w5, w6, w7, 0];
        self.left = self.left.wrapping_sub(1);
        Some(next)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may panic")]
mod tests {
    use super::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};

    const KEY: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

    /// `rand_chacha` under the same key, at a word of a stream.
    fn rng(stream: u64, word: u64) -> ChaCha20Rng {
        let mut seed = [0; 32];
        seed.chunks_exact_mut(4).zip(KEY).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        let mut rng = ChaCha20Rng::from_seed(seed);
        rng.set_stream(stream);
        rng.set_word_pos(u128::from(word) << 1);
        rng
    }

    /// Eight words of the sample's block in stream 1, eight in stream 2, and so on.
    #[test]
    fn a_tape_reads_a_block_of_each_stream() {
        for sample in [0, 1, 7, 8, 1 << 32, (1 << 61) - 1] {
            let mut tape = Tape::new(&KEY, sample);
            for stream in 1..5 {
                let mut rng = rng(stream, 8 * sample);
                for _ in 0..8 {
                    assert_eq!(tape.next_word(), Some(rng.next_u64()), "sample {sample}, stream {stream}");
                }
            }
        }
    }

    /// The last stream is not a sample's.
    #[test]
    fn a_tape_ends_before_the_second_parts() {
        let mut tape = Tape::new(&KEY, 3);
        tape.stream = SECOND - 1;
        let mut rng = rng(SECOND - 1, 24);
        for _ in 0..8 {
            assert_eq!(tape.next_word(), Some(rng.next_u64()));
        }
        assert_eq!(tape.next_word(), None);
    }

    #[test]
    fn a_dense_word_is_alone_what_it_is_among_others() {
        for stream in [FIRST, SECOND] {
            let mut rng = rng(stream, 5);
            for index in 5..30 {
                assert_eq!(dense_word(&KEY, stream, index), rng.next_u64());
            }
        }
    }

    /// Four samples share a word: all of it, the first part being the highest.
    #[test]
    fn parts_are_the_word() {
        let word = 0x0123_4567_89ab_cdef;
        let parts = [4, 5, 6, 7].map(|sample| second_part(word, sample));
        assert_eq!(parts, [0x0123, 0x4567, 0x89ab, 0xcdef]);
    }
}
