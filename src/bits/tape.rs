//! Tapes: bits that are known, for tests, frozen values and certificates.

use alloc::vec::Vec;
use core::{fmt, str::FromStr};

use super::{Bits, BitsError, MAX_TAKE};

/// A finite string of bits, read from the front. As text, `0`s and `1`s: `"0110"`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tape(Vec<bool>);

/// The text of a tape holds something other than `0` and `1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tape is written with 0 and 1 only")]
pub struct TapeError;

impl Tape {
    /// The bits, first to last.
    #[must_use]
    pub fn bits(&self) -> &[bool] {
        &self.0
    }

    fn push(&mut self, taken: u64, count: u32) {
        self.0.extend((0..count).rev().map(|i| taken >> i & 1 == 1));
    }
}

impl FromIterator<bool> for Tape {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        Self(bits.into_iter().collect())
    }
}

impl FromStr for Tape {
    type Err = TapeError;

    fn from_str(text: &str) -> Result<Self, TapeError> {
        text.bytes()
            .map(|byte| match byte {
                b'0' => Ok(false),
                b'1' => Ok(true),
                _ => Err(TapeError),
            })
            .collect()
    }
}

impl fmt::Display for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&bit| f.write_str(if bit { "1" } else { "0" }))
    }
}

/// Reads a tape; the end of the tape is [`BitsError::TapeEnded`].
#[derive(Clone, Debug)]
pub struct Replay {
    tape: Tape,
    position: usize,
}

impl Replay {
    /// Starts at the front.
    #[must_use]
    pub fn new(tape: Tape) -> Self {
        Self { tape, position: 0 }
    }

    /// How many bits were read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }
}

impl Bits for Replay {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        if count > MAX_TAKE {
            return Err(BitsError::TooManyAtOnce);
        }
        let end = usize::try_from(count).ok().and_then(|count| self.position.checked_add(count));
        let end = end.ok_or(BitsError::TapeEnded)?;
        let bits = self.tape.0.get(self.position..end).ok_or(BitsError::TapeEnded)?;
        self.position = end;
        Ok(bits.iter().fold(0, |word, &bit| word << 1 | u64::from(bit)))
    }
}

/// Passes bits on from another source and keeps them on a tape.
#[derive(Clone, Debug)]
pub struct Recorder<B> {
    source: B,
    tape: Tape,
}

impl<B: Bits> Recorder<B> {
    /// Records from now on.
    pub fn new(source: B) -> Self {
        Self { source, tape: Tape::default() }
    }

    /// What was recorded since the start, or since the last call.
    pub fn cut(&mut self) -> Tape {
        core::mem::take(&mut self.tape)
    }
}

impl<B: Bits> Bits for Recorder<B> {
    fn begin(&mut self) -> Result<(), BitsError> {
        self.source.begin()
    }

    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        let taken = self.source.take(count)?;
        self.tape.push(taken, count);
        Ok(taken)
    }

    #[inline]
    fn disclose(&mut self, found: &mut [u64]) {
        self.source.disclose(found);
    }
}

/// Every bit string up to a depth, depth first: 0 before 1.
///
/// A run reads bits of the current string; [`advance`](Self::advance) then moves on to the next string that
/// this run's prefix did not cover. So each maximal prefix is run once, and the prefixes partition the space
/// of infinite tapes: the masses 2^-[`used`](Self::used) add up to 1.
///
/// ```
/// use certus::bits::{Bits, Enumeration};
///
/// // A program that reads one bit, and two more if it is 1, has five maximal prefixes.
/// let mut tapes = Enumeration::new(8);
/// let mut runs = 0;
/// loop {
///     if tapes.take(1)? == 1 {
///         tapes.take(2)?;
///     }
///     runs += 1;
///     if !tapes.advance() {
///         break;
///     }
/// }
/// assert_eq!(runs, 5);
/// # Ok::<(), certus::bits::BitsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The string, left-aligned: its first bit is the most significant.
    path: u64,
    used: u32,
    depth: u32,
}

impl Enumeration {
    /// All strings of at most `depth` bits; a depth over 64 is 64, which nobody enumerates.
    #[must_use]
    pub fn new(depth: u32) -> Self {
        Self { path: 0, used: 0, depth: depth.min(MAX_TAKE) }
    }

    /// How many bits the current run has read: a run that ended here has mass 2^-used.
    #[must_use]
    pub fn used(&self) -> u32 {
        self.used
    }

    /// Moves to the next string; false when every string was run.
    pub fn advance(&mut self) -> bool {
        // One more than the first `used` bits read as an integer. A run that read nothing covered everything.
        let Some(unit) = 1u64.checked_shl(MAX_TAKE - self.used) else { return false };
        let Some(path) = self.path.checked_add(unit) else { return false };
        // The addition carries past trailing ones, which become zeros that the next run reads as the start of
        // a subtree.
        self.path = path;
        self.used = 0;
        true
    }
}

impl Bits for Enumeration {
    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        if count > MAX_TAKE {
            return Err(BitsError::TooManyAtOnce);
        }
        // At most 64 + 64.
        let used = self.used + count;
        if used > self.depth {
            return Err(BitsError::TapeEnded);
        }
        let rest = self.path.checked_shl(self.used).unwrap_or(0);
        self.used = used;
        Ok(rest.checked_shr(MAX_TAKE - count).unwrap_or(0))
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/bits/tape.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::seeded;
    use alloc::{string::ToString, vec};
    use proptest::prelude::*;

    #[test]
    fn a_recording_replays() {
        let mut recorder = Recorder::new(seeded([1; 32]));
        let counts = [3, 0, 64, 1, 17];
        let taken: Vec<u64> = counts.iter().map(|&count| recorder.take(count).unwrap()).collect();
        let tape = recorder.cut();
        assert_eq!(tape.bits().len(), 85);
        assert_eq!(tape.to_string().parse::<Tape>().unwrap(), tape);
        let mut replay = Replay::new(tape);
        let again: Vec<u64> = counts.iter().map(|&count| replay.take(count).unwrap()).collect();
        assert_eq!(taken, again);
        assert_eq!(replay.take(1), Err(BitsError::TapeEnded));
        assert_eq!(replay.position(), 85);
        assert!(recorder.cut().bits().is_empty());
        assert_eq!("01x".parse::<Tape>(), Err(TapeError));
    }

    /// Runs a program that draws chunks until their sum passes a limit; checks that its prefixes partition
    /// all tapes.
    fn prefixes(depth: u32, chunks: &[u32]) -> Vec<(Tape, bool)> {
        let mut tapes = Enumeration::new(depth);
        let mut seen = vec![];
        loop {
            let mut prefix = Tape::default();
            let mut finished = true;
            for &count in chunks {
                match tapes.take(count) {
                    Ok(taken) => {
                        prefix.push(taken, count);
                        if taken == 0 {
                            break;
                        }
                    }
                    Err(_) => {
                        finished = false;
                        break;
                    }
                }
            }
            assert_eq!(prefix.bits().len(), tapes.used() as usize);
            seen.push((prefix, finished));
            if !tapes.advance() {
                return seen;
            }
        }
    }

    proptest! {
        #[test]
        fn prefixes_partition_the_tapes(depth in 0u32..12, chunks in proptest::collection::vec(1u32..4, 0..6)) {
            let seen = prefixes(depth, &chunks);
            let mass: u64 = seen.iter().map(|(prefix, _)| 1u64 << (12 - prefix.bits().len())).sum();
            prop_assert_eq!(mass, 1 << 12);
            for pair in seen.windows(2) {
                prop_assert!(pair[0].0 < pair[1].0);
                prop_assert!(!pair[1].0.bits().starts_with(pair[0].0.bits()));
            }
        }
    }

    #[test]
    fn depth_is_the_longest_tape() {
        let mut tapes = Enumeration::new(3);
        assert_eq!(tapes.take(2), Ok(0));
        assert_eq!(tapes.take(2), Err(BitsError::TapeEnded));
        assert_eq!(tapes.used(), 2);
        assert!(tapes.advance());
        assert_eq!(tapes.take(3), Ok(0b010));
        let mut deepest = Enumeration::new(99);
        assert_eq!(deepest.take(64), Ok(0));
        assert!(deepest.advance());
        assert_eq!(deepest.take(64), Ok(1));
        assert_eq!(deepest.take(1), Err(BitsError::TapeEnded));
    }
}
