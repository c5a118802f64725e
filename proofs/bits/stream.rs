//! The bit stream: every bit of every word once, in order, across refills; a failure hands out nothing and loses nothing.
#![allow(clippy::panic, clippy::indexing_slicing, reason = "proofs and tests")]

use super::*;

/// A generator of one word, or of none.
#[derive(Clone, Debug)]
struct One(Option<u64>);

#[derive(Debug, thiserror::Error)]
#[error("no more words")]
struct Ended;

impl rand_core::TryRng for One {
    type Error = Ended;
    fn try_next_u32(&mut self) -> Result<u32, Ended> {
        Err(Ended)
    }
    fn try_next_u64(&mut self) -> Result<u64, Ended> {
        self.0.take().ok_or(Ended)
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Ended> {
        Err(Ended)
    }
}
impl TryCryptoRng for One {}

impl<R> BitStream<R> {
    /// Invariants #1 and #2.
    fn is_valid(&self) -> bool {
        self.left < 64 && drop_top(self.word, self.left) == 0
    }

    /// Bit `i` of what is to be read: the bits in hand and then those of the next word.
    fn bit(&self, next: u64, i: u32) -> bool {
        if i < self.left { self.word >> (63 - i) & 1 == 1 } else { next >> (63 - (i - self.left)) & 1 == 1 }
    }
}

/// From any valid state: the first `count` of the unread bits are handed out and the others stay, each in its place, of which `i` is any; a word is
/// drawn iff those in hand do not suffice; or nothing is handed out and nothing lost.
fn hands_out_the_next_bits(
    take: impl Fn(&mut BitStream<One>, u32) -> Result<u64, BitsError>,
    (word, left): (u64, u32),
    next: Option<u64>,
    count: u32,
    i: u32,
) {
    let mut stream = BitStream { source: One(next), word, left };
    assert!(stream.is_valid());
    let before = stream.clone();
    let taken = take(&mut stream, count);
    assert!(stream.is_valid());
    let drew = count > left;
    if count > MAX_TAKE || drew && next.is_none() {
        let error = if count > MAX_TAKE { BitsError::TooManyAtOnce } else { BitsError::Source };
        assert!(taken == Err(error));
        assert!((stream.word, stream.left, stream.source.0) == (word, left, next));
        return;
    }
    let Ok(taken) = taken else { panic!("there are bits") };
    let all = next.unwrap_or(0);
    assert!(count == 64 || taken >> count == 0);
    assert!(stream.source.0 == if drew { None } else { next });
    assert!(stream.left == if drew { left + 64 - count } else { left - count });
    if i < count {
        assert!((taken >> (count - 1 - i) & 1 == 1) == before.bit(all, i), "handed out");
    } else if i - count < stream.left {
        assert!((stream.word >> (63 - (i - count)) & 1 == 1) == before.bit(all, i), "in hand");
    }
}

/// Planted: a refill forgets the bits in hand.
#[cfg(any(test, certus_controls))]
fn forgetful(stream: &mut BitStream<One>, count: u32) -> Result<u64, BitsError> {
    if stream.left < count {
        stream.left = 0;
        stream.word = 0;
    }
    stream.take(count)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_state() -> (u64, u32) {
        let (word, left): (u64, u32) = (kani::any(), kani::any());
        kani::assume(left < 64 && drop_top(word, left) == 0);
        (word, left)
    }

    /// ∀ valid states and counts that the bits in hand suffice for, or that are too large. Slow.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_take_in_hand() {
        let (word, left) = any_state();
        let (next, count): (Option<u64>, u32) = (kani::any(), kani::any());
        kani::assume(count <= left || count > 64);
        hands_out_the_next_bits(BitStream::take, (word, left), next, count, kani::any());
        kani::cover!(count == left && left > 0, "all in hand");
        kani::cover!(count > 64, "too many");
    }

    /// ∀ valid states, next words and counts that take a refill; a source that fails. Slow.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_take_across_a_refill() {
        let (word, left) = any_state();
        let (next, count): (Option<u64>, u32) = (kani::any(), kani::any());
        kani::assume(left < count && count <= 64);
        hands_out_the_next_bits(BitStream::take, (word, left), next, count, kani::any());
        kani::cover!(next.is_some() && left > 0 && count < 64, "across a refill");
        kani::cover!(next.is_none(), "the source fails");
        kani::cover!(count == 64 && left == 0 && next.is_some(), "a whole word");
    }

    /// ∀ valid states and next words: `words` hands out what `take(64)` would.
    #[kani::proof]
    #[kani::unwind(2)] // one word
    #[kani::solver(minisat)]
    fn verify_words() {
        let (word, left) = any_state();
        let next: Option<u64> = kani::any();
        let bulk = |stream: &mut BitStream<One>, _: u32| {
            let mut words = [0];
            stream.words(&mut words).map(|()| words[0])
        };
        hands_out_the_next_bits(bulk, (word, left), next, 64, kani::any());
        kani::cover!(left == 0 && next.is_some(), "in step with the generator");
        kani::cover!(left > 0 && next.is_some(), "not in step");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_take_forgetful() {
        let (word, left) = any_state();
        hands_out_the_next_bits(forgetful, (word, left), kani::any(), kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Every count from every number of bits in hand, on patterned words.
    #[test]
    fn counts_exhaustively() {
        for left in 0..64 {
            for count in 0..=65 {
                for word in [0, u64::MAX, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210] {
                    let valid = word & !u64::MAX.checked_shr(left).unwrap_or(0);
                    for next in [None, Some(word.rotate_left(17))] {
                        for i in 0..128 {
                            hands_out_the_next_bits(BitStream::take, (valid, left), next, count, i);
                        }
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        hands_out_the_next_bits(forgetful, (1 << 63, 1), Some(0), 2, 0);
    }

    proptest! {
        #[test]
        fn words(word: u64, left in 0u32..64, next: Option<u64>, count in 0u32..=64) {
            let valid = word & !u64::MAX.checked_shr(left).unwrap_or(0);
            for i in 0..128 {
                hands_out_the_next_bits(BitStream::take, (valid, left), next, count, i);
            }
            let bulk = |stream: &mut BitStream<One>, _: u32| {
                let mut words = [0];
                stream.words(&mut words).map(|()| words[0])
            };
            for i in 0..128 {
                hands_out_the_next_bits(bulk, (valid, left), next, 64, i);
            }
        }
    }
}
