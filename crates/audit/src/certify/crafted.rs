//! Tapes that are crafted so that their outputs are known, run through the public functions that draw.
//!
//! A certificate of masses speaks of look-ups and comparisons. What a user gets is assembled from them: a
//! sign, a zero, a place in a bucket, a step to big integers, a batch, a slice of some type. Here a
//! [`Crafted`] trial names the words that it reads and the integer that they must give, computed by plain
//! arithmetic from the documented layout; and [`disagreements`] draws it by `sample`, by `fill` of three
//! types and by `add_noise`, in slices that are longer than a batch. Words that should be ignored are not
//! zeros, and no word is left over.

use std::{vec, vec::Vec};

use num_bigint::BigInt;

use certus::{
    bits::{Bits, BitsError},
    exact::Integer,
    sample::{FillError, PreparedGaussian, PreparedLaplace, Program, Sample},
};

/// How many trials' words a slice draws at a time, by the documentation of `bulk`.
const BATCH: usize = 64;

/// Slots of a slice: two batches, and a part of a third whose second words do not fill a word.
const SLICE: usize = 2 * BATCH + 5;

/// Bits that nothing should read.
const NOISE: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// One sample: the words of its first trial, the words after them, and what it must be.
#[derive(Clone, Debug)]
pub(super) struct Crafted {
    /// The first word.
    pub(super) first: u64,
    /// The second part, of 16 bits or of none.
    pub(super) second: u64,
    /// What is drawn after them: refinements, and the trials after a rejection.
    pub(super) more: Vec<u64>,
    /// The sample.
    pub(super) expected: BigInt,
}

/// What the public samplers have in common.
pub(super) trait Draws {
    /// One sample.
    fn one(&self, bits: &mut Words) -> Result<Integer, BitsError>;
    /// A slice.
    fn many<T: Sample>(&self, bits: &mut Words, out: &mut [T]) -> Result<(), FillError>;
    /// Sums, and how many of them are clamped.
    fn added(&self, bits: &mut Words, values: &mut [i64]) -> Result<usize, BitsError>;
}

macro_rules! draws {
    ($($name:ident),*) => {$(
        impl Draws for $name {
            fn one(&self, bits: &mut Words) -> Result<Integer, BitsError> {
                self.sample(bits)
            }

            fn many<T: Sample>(&self, bits: &mut Words, out: &mut [T]) -> Result<(), FillError> {
                self.fill(bits, out)
            }

            fn added(&self, bits: &mut Words, values: &mut [i64]) -> Result<usize, BitsError> {
                self.add_noise(bits, values)
            }
        }
    )*};
}

draws!(PreparedLaplace, PreparedGaussian);

/// A source of these words.
pub(super) struct Words {
    words: Vec<u64>,
    at: usize,
}

impl Words {
    pub(super) fn new(words: Vec<u64>) -> Self {
        Self { words, at: 0 }
    }

    /// Whether all of them were drawn.
    pub(super) fn is_used_up(&self) -> bool {
        self.at == self.words.len()
    }
}

impl Bits for Words {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        let word = *self.words.get(self.at).ok_or(BitsError::TapeEnded)?;
        self.at += 1;
        Ok(word.checked_shr(64 - count).unwrap_or(0))
    }
}

/// The words of one sample drawn alone: the first, the second in the top of a word of its own, the rest.
pub(super) fn alone(trial: &Crafted, second: u32) -> Vec<u64> {
    let mut words = vec![trial.first];
    if second > 0 {
        words.push(trial.second << (64 - second) | NOISE >> second);
    }
    words.extend(&trial.more);
    words
}

/// The words of a slice: for each batch the first words, the second parts, four to a word, and what each slot
/// needs beyond them.
fn together(trials: &[Crafted], second: u32) -> Vec<u64> {
    let mut words = Vec::new();
    for batch in trials.chunks(BATCH) {
        words.extend(batch.iter().map(|trial| trial.first));
        if second > 0 {
            for four in batch.chunks(4) {
                let parts = four.iter().map(|trial| trial.second).chain([NOISE & 0xffff; 3]).take(4);
                words.push(parts.fold(0, |word, part| word << 16 | part));
            }
        }
        words.extend(batch.iter().flat_map(|trial| &trial.more));
    }
    words
}

/// How many of these trials the public functions draw otherwise than expected: 0 if all is well.
pub(super) fn disagreements(noise: &impl Draws, second: u32, trials: &[Crafted]) -> usize {
    let alone = trials.iter().filter(|trial| {
        let mut words = Words::new(alone(trial, second));
        let drawn = noise.one(&mut words);
        drawn.map_or(true, |drawn| drawn.to_big() != trial.expected) || !words.is_used_up()
    });
    let wrong = alone.count();
    let fitting: Vec<Crafted> = trials.iter().filter(|trial| i64::try_from(&trial.expected).is_ok()).cloned().collect();
    let slices = trials.chunks(SLICE).filter(|slice| !is_drawn_together(noise, second, slice));
    let words = fitting.chunks(SLICE).filter(|slice| !fills_words(noise, second, slice));
    wrong + slices.count() + words.count()
}

/// Whether a sample is drawn as expected alone: by `sample`, and as a slice of one.
pub(super) fn is_drawn_alone(noise: &impl Draws, second: u32, trial: &Crafted) -> bool {
    let words = || Words::new(alone(trial, second));
    let (mut integer, mut word, mut sum) = ([Integer::ZERO], [0i64], [1i64]);
    let drawn = noise.one(&mut words()).is_ok_and(|drawn| drawn.to_big() == trial.expected);
    let filled =
        noise.many(&mut words(), &mut integer).is_ok() && integer.iter().all(|drawn| drawn.to_big() == trial.expected);
    let expected = i64::try_from(&trial.expected).map_err(|_| FillError::TooWide);
    let fits = noise.many(&mut words(), &mut word).map(|()| word) == expected.map(|expected| [expected]);
    let count = usize::from(is_clamped(1, &trial.expected));
    let added = noise.added(&mut words(), &mut sum) == Ok(count);
    drawn && filled && fits && added && sum.map(BigInt::from) == [clamped(1, &trial.expected)]
}

/// Whether slices of integers and of double words hold what they must, sums are clamped, and a slice of words
/// refuses what does not fit.
fn is_drawn_together(noise: &impl Draws, second: u32, slice: &[Crafted]) -> bool {
    let tape = || Words::new(together(slice, second));
    let expected = || slice.iter().map(|trial| &trial.expected);
    let (mut integers, mut long) = (vec![Integer::ZERO; slice.len()], vec![0i128; slice.len()]);
    let (mut one, mut other, mut sums, mut short) = (tape(), tape(), tape(), tape());
    let filled = noise.many(&mut one, &mut integers).is_ok() && noise.many(&mut other, &mut long).is_ok();
    let integers_hold = integers.iter().zip(expected()).all(|(drawn, expected)| drawn.to_big() == *expected);
    let long_holds = long.iter().zip(expected()).all(|(&drawn, expected)| BigInt::from(drawn) == *expected);
    // Values of both signs and at both ends.
    let values = [0, 7, -7, i64::MAX, i64::MIN, 1 << 40].into_iter().cycle().take(slice.len());
    let mut noised: Vec<i64> = values.clone().collect();
    let count = values.clone().zip(expected()).filter(|(value, expected)| is_clamped(*value, expected)).count();
    let added = noise.added(&mut sums, &mut noised) == Ok(count);
    let sums_hold = noised
        .iter()
        .zip(values.zip(expected()))
        .all(|(&sum, (value, expected))| BigInt::from(sum) == clamped(value, expected));
    let fits = expected().all(|expected| i64::try_from(expected).is_ok());
    let refuses = fits || noise.many(&mut short, &mut vec![0i64; slice.len()]) == Err(FillError::TooWide);
    let used_up = one.is_used_up() && other.is_used_up() && sums.is_used_up();
    filled && integers_hold && long_holds && added && sums_hold && refuses && used_up
}

/// Whether the sum passes 64 bits.
fn is_clamped(value: i64, noise: &BigInt) -> bool {
    clamped(value, noise) != noise + value
}

/// The sum, or the end of 64 bits that it passes.
fn clamped(value: i64, noise: &BigInt) -> BigInt {
    let sum: BigInt = noise + value;
    sum.clamp(i64::MIN.into(), i64::MAX.into())
}

/// Whether a slice of words holds samples that fit.
fn fills_words(noise: &impl Draws, second: u32, slice: &[Crafted]) -> bool {
    let mut words = Words::new(together(slice, second));
    let mut drawn = vec![0i64; slice.len()];
    let filled = noise.many(&mut words, &mut drawn).is_ok() && words.is_used_up();
    filled && drawn.iter().zip(slice).all(|(&drawn, trial)| BigInt::from(drawn) == trial.expected)
}
