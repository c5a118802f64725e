//! Counter mode: each sample by its place under a key, the same whatever the chunks, the threads or the
//! device.
//!
//! Sample i is what [`Trial::trial`] draws on a tape that no other sample reads: which words are on it is
//! told in [`certus_kernel::counter`]. The first words of all samples are one stream of ChaCha20, and their
//! second parts another, so that most samples are settled a batch at a time as in [`bulk`](super::bulk); the rest of a
//! tape is computed for the few samples that need it.

use certus_kernel::{
    counter::{self, PARTS_OF_A_WORD, Tape},
    table::TableView,
    wide::WideView,
};
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, TryCryptoRng, TryRng};

use super::{
    Construction, FillError, PreparedGaussian, PreparedLaplace, Sample, Trial,
    bulk::{clamped_sum, slow},
};
use crate::{
    bits::{BitStream, BitsError, Launch, Range},
    exact::Integer,
    sample::{Program, execute, machine::MOST_BATCH},
};

/// How many samples a thread draws at a time.
#[cfg(feature = "parallel")]
const CHUNK: usize = 1 << 14;

/// The most samples of a batch, as a number of samples.
const BATCH: u64 = MOST_BATCH as u64;

/// What a device borrows of a prepared sampler: the tables on which `certus-kernel` draws.
#[derive(Clone, Copy, Debug)]
pub enum View<'t> {
    /// A word indexes a table.
    Table(TableView<'t, u64>),
    /// Buckets, in one word.
    Wide(WideView<'t, u64, 0>),
    /// Buckets, in a word and a quarter.
    Wider(WideView<'t, u64, 16>),
    /// There are no tables: the reference sampler draws.
    Reference,
}

/// The words of a sample's tape that were not read yet.
struct Words<'k> {
    /// The first word, if that is one of them.
    first: Option<u64>,
    rest: Tape<'k>,
}

/// A tape has an end, after 2^67 words.
#[derive(Debug, thiserror::Error)]
#[error("the streams of a sample are at their end")]
struct Ended;

impl TryRng for Words<'_> {
    type Error = Ended;

    fn try_next_u32(&mut self) -> Result<u32, Ended> {
        // Nobody asks: a stream of bits reads whole words.
        Err(Ended)
    }

    fn try_next_u64(&mut self) -> Result<u64, Ended> {
        self.first.take().or_else(|| self.rest.next_word()).ok_or(Ended)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Ended> {
        Err(Ended)
    }
}

impl TryCryptoRng for Words<'_> {}

/// The tape of a sample, from its first word on or from the one after.
fn tape(key: &[u32; 8], sample: u64, first: Option<u64>) -> BitStream<Words<'_>> {
    BitStream::new(Words { first, rest: Tape::new(key, sample) })
}

/// A stream of ChaCha20 from a word of 64 bits on.
fn dense(key: &[u32; 8], stream: u64, word: u64) -> ChaCha20Rng {
    let mut seed = [0; 32];
    for (bytes, word) in seed.chunks_exact_mut(4).zip(key) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let mut rng = ChaCha20Rng::from_seed(seed);
    seed = [0; 32];
    core::hint::black_box(&mut seed);
    rng.set_stream(stream);
    // In words of 32 bits.
    rng.set_word_pos(u128::from(word) << 1);
    rng
}

/// The next words of a stream.
#[inline]
fn read(rng: &mut ChaCha20Rng, words: &mut [u64]) {
    for word in words {
        // It cannot fail: its error has no value.
        let Ok(next) = rng.try_next_u64();
        *word = next;
    }
}

/// Draws the samples from number `sample` on, one for each slot; `put` is handed each, settled or slow.
#[inline]
fn each<C: Trial<Word = u64>, T, E: From<BitsError>>(
    construction: &C,
    key: &[u32; 8],
    mut sample: u64,
    mut slots: &mut [T],
    mut put: impl FnMut(&mut T, Result<i64, Integer>) -> Result<(), E>,
) -> Result<(), E> {
    let mut first_words = dense(key, counter::FIRST, sample);
    let mut second_words = dense(key, counter::SECOND, sample / PARTS_OF_A_WORD);
    let (mut firsts, mut seconds) = ([0; MOST_BATCH], [0; MOST_BATCH]);
    while !slots.is_empty() {
        // Batches end at multiples of their length, so that each begins at a word's first part, but for the
        // first of all.
        let most = usize::try_from(BATCH - sample % BATCH).unwrap_or(MOST_BATCH);
        let Some(batch) = slots.split_off_mut(..most.min(slots.len())) else { return Ok(()) };
        let firsts = firsts.get_mut(..batch.len()).unwrap_or_default();
        read(&mut first_words, firsts);
        // Of the parts of the first word, those of samples before the range.
        let skipped = usize::try_from(sample % PARTS_OF_A_WORD).unwrap_or(0);
        if C::SECOND > 0 {
            let mut words = [0; MOST_BATCH / 4];
            let words = words.get_mut(..(skipped + batch.len()).div_ceil(4)).unwrap_or_default();
            read(&mut second_words, words);
            for (parts, &mut word) in seconds.chunks_exact_mut(4).zip(words) {
                for (place, part) in (0..).zip(parts) {
                    *part = counter::second_part(word, place);
                }
            }
        }
        // As many as the batch has samples, at least: it ends where a batch that skips none would.
        let parts = seconds.get(skipped..).unwrap_or_default();
        for ((slot, &mut first), &second) in batch.iter_mut().zip(firsts).zip(parts) {
            // Known to the compiler where there is none.
            let second = if C::SECOND > 0 { second } else { 0 };
            match construction.settle(first, second) {
                Some(word) => put(slot, Ok(word))?,
                None => put(slot, Err(slow(construction, first, second, &mut tape(key, sample, None))?))?,
            }
            sample = sample.wrapping_add(1);
        }
    }
    Ok(())
}

/// Draws by the reference sampler: on the whole tape of each sample.
fn each_by_reference<T, E: From<BitsError>>(
    reference: &impl Program<Output = Integer>,
    key: &[u32; 8],
    mut sample: u64,
    slots: &mut [T],
    mut put: impl FnMut(&mut T, Result<i64, Integer>) -> Result<(), E>,
) -> Result<(), E> {
    let mut first_words = dense(key, counter::FIRST, sample);
    for slot in slots {
        let mut first = [0];
        read(&mut first_words, &mut first);
        let [first] = first;
        put(slot, Err(execute(reference, &mut tape(key, sample, Some(first)))?))?;
        sample = sample.wrapping_add(1);
    }
    Ok(())
}

impl<R: Program<Output = Integer>> Construction<R> {
    fn each_at<T, E: From<BitsError>>(
        &self,
        key: &[u32; 8],
        sample: u64,
        slots: &mut [T],
        put: impl FnMut(&mut T, Result<i64, Integer>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Table(table) => each(table, key, sample, slots, put),
            Self::Wide(wide) => each(wide, key, sample, slots, put),
            Self::Wider(wide) => each(wide, key, sample, slots, put),
            Self::Reference(reference) => each_by_reference(reference, key, sample, slots, put),
        }
    }
}

/// Runs `work` on a slice or, with feature `parallel` and where it is long, on chunks of it on all threads:
/// each with the number of its first sample.
fn in_chunks<T: Send, E: Send>(
    first: u64,
    slice: &mut [T],
    work: impl Fn(u64, &mut [T]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    #[cfg(feature = "parallel")]
    if slice.len() > CHUNK {
        use rayon::prelude::*;
        return slice.par_chunks_mut(CHUNK).enumerate().try_for_each(|(index, chunk)| {
            // Within the range, which ends below 2^64.
            let before = u64::try_from(index.saturating_mul(CHUNK)).unwrap_or(u64::MAX);
            work(first.saturating_add(before), chunk)
        });
    }
    work(first, slice)
}

/// The samples of a range that a slice has one place each for.
fn launched<R>(range: Range, length: usize, work: impl FnOnce(&Launch<'_>) -> R) -> Result<R, BitsError> {
    if u64::try_from(length) != Ok(range.length()) {
        return Err(BitsError::Range);
    }
    range.launch(work)
}

macro_rules! at {
    ($name:ident) => {
        impl $name {
            /// Fills a slice with the samples of a range, as many as it has.
            ///
            /// What the slice holds is a function of the key and of the range's place: the same in one piece
            /// or in several, on any number of threads, and on a GPU. With feature `parallel`, a long slice
            /// is filled on all threads of the rayon pool that this runs in.
            ///
            /// # Errors
            ///
            /// If the range has more samples than the slice has places, or fewer; if a forked child would
            /// draw its parent's; if a sample does not fit `T`, as [`fill`](Self::fill) says: what the slice
            /// holds then must not be released.
            pub fn fill_at<T: Sample>(&self, range: Range, out: &mut [T]) -> Result<(), FillError> {
                launched(range, out.len(), |launch| {
                    in_chunks(launch.first(), out, |first, chunk| {
                        self.construction.each_at(launch.key(), first, chunk, |slot, sample| {
                            *slot = match sample {
                                Ok(word) => T::of_word(word),
                                Err(sample) => T::of_integer(sample).ok_or(FillError::TooWide)?,
                            };
                            Ok(())
                        })
                    })
                })?
            }

            /// Adds the samples of a range, as many as it has, to the values; the answer is how many sums
            /// were clamped, as [`add_noise`](Self::add_noise) says. The samples are those of
            /// [`fill_at`](Self::fill_at).
            ///
            /// # Errors
            ///
            /// If the range has more samples than there are values, or fewer; if a forked child would draw
            /// its parent's. Every value is then overwritten with 0: those that had no noise yet are private.
            pub fn add_noise_at(&self, range: Range, values: &mut [i64]) -> Result<usize, BitsError> {
                let clamped = core::sync::atomic::AtomicUsize::new(0);
                let noised = launched(range, values.len(), |launch| {
                    in_chunks(launch.first(), values, |first, chunk| {
                        let mut clamped_here = 0_usize;
                        self.construction.each_at(launch.key(), first, chunk, |value, sample| {
                            let (sum, is_clamped) = match sample {
                                Ok(word) => certus_kernel::machine::SignedMachine::clamped_add(*value, word),
                                Err(sample) => clamped_sum(*value, &sample),
                            };
                            *value = sum;
                            clamped_here = clamped_here.saturating_add(usize::from(is_clamped));
                            Ok::<(), BitsError>(())
                        })?;
                        clamped.fetch_add(clamped_here, core::sync::atomic::Ordering::Relaxed);
                        Ok(())
                    })
                });
                // A chunk that fails stops the others, wherever they are.
                noised.and_then(|noised| noised).inspect_err(|_| values.fill(0))?;
                Ok(clamped.into_inner())
            }

            /// One sample of a launch alone, exactly: sample `index` of its range, from 0 on. For those that
            /// a device leaves open.
            ///
            /// # Errors
            ///
            /// [`BitsError::Range`] if the range has no such sample.
            pub fn sample_at(&self, launch: &Launch<'_>, index: u64) -> Result<Integer, BitsError> {
                if index >= launch.length() {
                    return Err(BitsError::Range);
                }
                // Within the range, which ends below 2^64.
                let sample = launch.first().saturating_add(index);
                let mut integer = [Integer::ZERO];
                self.construction.each_at(launch.key(), sample, &mut integer, |slot, drawn| {
                    *slot = drawn.map_or_else(|integer| integer, Integer::from);
                    Ok::<(), BitsError>(())
                })?;
                let [integer] = integer;
                Ok(integer)
            }

            /// The tables, borrowed: what a device copies to draw the samples of a launch.
            #[must_use]
            pub fn view(&self) -> View<'_> {
                match &self.construction {
                    Construction::Table(table) => View::Table(table.view()),
                    Construction::Wide(wide) => View::Wide(wide.view()),
                    Construction::Wider(wide) => View::Wider(wide.view()),
                    Construction::Reference(_) => View::Reference,
                }
            }
        }
    };
}

at!(PreparedLaplace);
at!(PreparedGaussian);
