//! Keys of counter mode: noise whose every sample has a place of its own under a key.
//!
//! A [`Key`] hands out [`Range`]s of samples, and no sample twice; a range is used once, by the call that it
//! is handed to. So the same noise is never added to two values, and what a sample is depends on the key and
//! on its place alone: not on chunks, threads or devices.

use alloc::sync::Arc;
use core::{fmt, hint::black_box};

use super::{Bits, BitsError, Process};

/// The eight words of a key, which are overwritten when nobody can use them any more.
struct Secret([u32; 8]);

impl Secret {
    /// Overwrites the words. (Not where a move left a copy behind, in a register, or in swapped memory.)
    fn erase(&mut self) {
        self.0 = [0; 8];
        // A compiler leaves out what nobody reads; this, it must take for read.
        black_box(&mut self.0);
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.erase();
    }
}

/// 256 secret bits, and how many samples they have given away.
///
/// **Fork.** A child of the process that made a key is refused, by an error, at the key and at every range of
/// it: both would draw the same noise. It makes a key of its own.
///
/// There is no `Clone`, and no way to store or print a key: two copies would be the same noise. It is
/// overwritten when it and its ranges are gone.
///
/// ```
/// use certus::{bits::Key, exact::{Positive, Rational}, sample::PreparedGaussian};
///
/// let noise = PreparedGaussian::new(&Positive::new(Rational::from_integer(10.into()))?);
/// let mut key = Key::new()?;
/// let mut samples = [0i64; 1000];
/// noise.fill_at(key.range(1000)?, &mut samples)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Key {
    secret: Arc<Secret>,
    /// Invariant #1: every range that was handed out ends here, or before.
    next: u64,
    process: Process,
}

/// Without the key, which is all noise to come.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

impl Key {
    /// A key from the operating system.
    ///
    /// # Errors
    ///
    /// [`BitsError::Source`] if the operating system gives no randomness.
    #[cfg(feature = "std")]
    pub fn new() -> Result<Self, BitsError> {
        Self::drawn_from(&mut super::SystemBits::new()?)
    }

    /// A key of the next 256 bits of a source: as secret as they are. Of [`seeded`](super::seeded) bits, it
    /// is for tests and reproducible runs, never for a release.
    ///
    /// # Errors
    ///
    /// If the source fails.
    pub fn drawn_from<B: Bits + ?Sized>(bits: &mut B) -> Result<Self, BitsError> {
        bits.begin()?;
        let mut secret = Secret([0; 8]);
        // A half at a time, so that there is no other copy.
        for half in &mut secret.0 {
            *half = u32::try_from(bits.take(32)?).map_err(|_| BitsError::Source)?;
        }
        Ok(Self { secret: Arc::new(secret), next: 0, process: Process::this() })
    }

    /// The next samples of this key, as many as are asked for: no other range has any of them.
    ///
    /// # Errors
    ///
    /// [`BitsError::Overflow`] if the key has fewer than so many left, of 2^64 − 1; [`BitsError::Forked`] in
    /// a child of the process that made the key.
    pub fn range(&mut self, length: u64) -> Result<Range, BitsError> {
        if !self.process.is_this() {
            return Err(BitsError::Forked);
        }
        let first = self.next;
        self.next = first.checked_add(length).ok_or(BitsError::Overflow)?;
        Ok(Range { secret: Arc::clone(&self.secret), first, length, process: self.process })
    }
}

/// Samples of a key that no other range has, to be used once.
///
/// Whoever draws them takes the range by value. There is no `Clone`: the same samples twice would be the same
/// noise twice.
///
/// ```compile_fail,E0382
/// # use certus::{bits::Key, exact::{Positive, Rational}, sample::PreparedGaussian};
/// # let noise = PreparedGaussian::new(&Positive::new(Rational::from_integer(10.into())).unwrap());
/// # let mut key = Key::new().unwrap();
/// let range = key.range(3).unwrap();
/// noise.fill_at(range, &mut [0i64; 3]).unwrap();
/// // Used already.
/// noise.fill_at(range, &mut [0i64; 3]).unwrap();
/// ```
///
/// ```compile_fail,E0599
/// # let mut key = certus::bits::Key::new().unwrap();
/// let twice = key.range(3).unwrap().clone();
/// ```
#[must_use = "samples that are not drawn are lost"]
pub struct Range {
    secret: Arc<Secret>,
    first: u64,
    length: u64,
    process: Process,
}

/// Without the key, which is all noise to come.
impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").finish_non_exhaustive()
    }
}

impl Range {
    /// How many samples it has.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Uses the range by other means than `fill_at`: `work` sees the key and the place of the samples for as
    /// long as it runs, as a launch on a device does.
    ///
    /// This is the one way to a key's words, for `certus-gpu`. Whoever uses it draws no sample outside the
    /// range, and none twice, keeps no copy of the words, and wipes what it wrote of them elsewhere.
    ///
    /// # Errors
    ///
    /// [`BitsError::Forked`] in a child of the process that made the key; `work` does not run then.
    pub fn launch<R>(self, work: impl FnOnce(&Launch<'_>) -> R) -> Result<R, BitsError> {
        if !self.process.is_this() {
            return Err(BitsError::Forked);
        }
        Ok(work(&Launch { key: &self.secret.0, first: self.first, length: self.length }))
    }
}

/// What a launch on a device needs of a range, for as long as it runs.
///
/// Without a `Clone` that would outlive it: it borrows from the range, which is gone after the launch.
pub struct Launch<'r> {
    key: &'r [u32; 8],
    first: u64,
    length: u64,
}

/// Without the key, which is all noise to come.
impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch").finish_non_exhaustive()
    }
}

impl Launch<'_> {
    /// The words of the key, as ChaCha20 takes them (each the little-endian number of its four bytes).
    #[must_use]
    pub fn key(&self) -> &[u32; 8] {
        self.key
    }

    /// The number of the first sample under the key.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many samples there are.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{Replay, Tape, seeded};

    fn place(range: Range) -> ([u32; 8], u64, u64) {
        range.launch(|launch| (*launch.key(), launch.first(), launch.length())).unwrap()
    }

    /// Ranges follow one another, under one key, and the last ends at the last number.
    #[test]
    fn ranges_are_disjoint() {
        let mut key = Key::drawn_from(&mut seeded([1; 32])).unwrap();
        let (mut end, mut words) = (0, None);
        for length in [3, 0, 1, 1 << 40, 64, u64::MAX - (1 << 40) - 68] {
            let (key, first, long) = place(key.range(length).unwrap());
            assert_eq!((first, long), (end, length), "a range of {length}");
            assert_eq!(*words.get_or_insert(key), key);
            end += length;
        }
        assert_eq!(end, u64::MAX);
        assert_eq!(key.range(1).map(place), Err(BitsError::Overflow));
        // What was refused took nothing.
        assert_eq!(place(key.range(0).unwrap()).1, u64::MAX);
    }

    /// A key is the source's next bits; a source that fails gives none.
    #[test]
    fn a_key_is_drawn() {
        let words = || {
            let mut bits = seeded([2; 32]);
            core::array::from_fn(|_| u32::try_from(bits.take(32).unwrap()).unwrap())
        };
        let mut key = Key::drawn_from(&mut seeded([2; 32])).unwrap();
        assert_eq!(place(key.range(5).unwrap()), (words(), 0, 5));
        let mut short = Replay::new((0..255).map(|_| true).collect::<Tape>());
        assert_eq!(Key::drawn_from(&mut short).map(|_| ()), Err(BitsError::TapeEnded));
    }

    #[cfg(feature = "std")]
    #[test]
    fn two_keys_differ() {
        let key = || place(Key::new().unwrap().range(1).unwrap()).0;
        assert_ne!(key(), key());
    }

    /// As after a fork: the memory is the parent's, the process is not.
    #[cfg(all(feature = "std", unix))]
    #[test]
    fn a_child_is_refused() {
        let mut key = Key::new().unwrap();
        let mut inherited = key.range(7).unwrap();
        inherited.process = Process::another();
        assert_eq!(inherited.launch(|_| ()), Err(BitsError::Forked));
        key.process = Process::another();
        assert_eq!(key.range(1).map(|_| ()), Err(BitsError::Forked));
    }

    #[test]
    fn nothing_of_a_key_is_left() {
        let mut secret = Secret([7; 8]);
        secret.erase();
        assert_eq!(secret.0, [0; 8]);
    }

    #[test]
    fn nothing_of_a_key_is_printed() {
        let mut key = Key::drawn_from(&mut seeded([1; 32])).unwrap();
        let range = key.range(2).unwrap();
        let shown = alloc::format!("{key:?} {range:?}");
        let launch = range.launch(|launch| alloc::format!("{launch:?}")).unwrap();
        assert_eq!((shown.as_str(), launch.as_str()), ("Key { .. } Range { .. }", "Launch { .. }"));
    }
}
