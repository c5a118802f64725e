//! Counter mode: sample i of a key is what the shipped trial draws on a tape of its own, whatever the chunks and the threads.
//!
//! The reference here is written plainly, from the page of `certus_kernel::counter`: a tape for each sample, of words that
//! `rand_chacha` gives one at a time, on which the sampler draws as a program, one trial after another.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail by panicking")]

use core::cell::Cell;

use certus::{
    bits::{BitStream, BitsError, Key, seeded},
    exact::{Integer, Positive, parse},
    rand_core::{Rng, SeedableRng, TryCryptoRng, TryRng},
    sample::{FillError, PreparedGaussian, PreparedLaplace, Program, View},
};
use rand_chacha::ChaCha20Rng;

fn positive(text: &str) -> Positive {
    Positive::new(parse(text).unwrap()).unwrap()
}

/// Word `index` of a stream of ChaCha20 under a key: two words of 32 bits, the low one first.
fn word(key: &[u32; 8], stream: u64, index: u128) -> u64 {
    let mut seed = [0; 32];
    seed.chunks_exact_mut(4).zip(key).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    let mut rng = ChaCha20Rng::from_seed(seed);
    rng.set_stream(stream);
    rng.set_word_pos(2 * index);
    u64::from(rng.next_u32()) | u64::from(rng.next_u32()) << 32
}

/// The tape of one sample.
struct Tape<'k> {
    key: &'k [u32; 8],
    sample: u64,
    /// Whether the second word of the first trial is a part of a word of the last stream.
    has_parts: bool,
    read: u64,
    /// The most words that a sample has read of the streams from 1 on.
    most: &'k Cell<u64>,
}

impl TryRng for Tape<'_> {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        panic!("a stream of bits reads whole words")
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let (place, sample) = (self.read, self.sample);
        self.read += 1;
        if place == 0 {
            return Ok(word(self.key, 0, sample.into()));
        }
        if place == 1 && self.has_parts {
            // The first of the four parts of a word is the highest, and a program reads the first 16 bits of a word.
            return Ok(word(self.key, u64::MAX, u128::from(sample / 4)) << (16 * (sample % 4)) & 0xffff << 48);
        }
        let more = place - 1 - u64::from(self.has_parts);
        self.most.set(self.most.get().max(more + 1));
        Ok(word(self.key, 1 + more / 8, u128::from(sample) * 8 + u128::from(more % 8)))
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        panic!("a stream of bits reads whole words")
    }
}

impl TryCryptoRng for Tape<'_> {}

/// What both noises do by the same names.
trait Noise: Program<Output = Integer> {
    fn fill_next<T: certus::sample::Sample>(&self, key: &mut Key, out: &mut [T]) -> Result<(), FillError>;
    fn add_next(&self, key: &mut Key, values: &mut [i64]) -> Result<usize, BitsError>;
    fn alone(&self, key: &mut Key, length: u64, indices: &[u64]) -> Vec<Result<Integer, BitsError>>;
    fn has_parts(&self) -> bool;
}

macro_rules! noise {
    ($($name:ident)*) => {$(
        impl Noise for $name {
            fn fill_next<T: certus::sample::Sample>(&self, key: &mut Key, out: &mut [T]) -> Result<(), FillError> {
                self.fill_at(key.range(out.len() as u64)?, out)
            }
            fn add_next(&self, key: &mut Key, values: &mut [i64]) -> Result<usize, BitsError> {
                self.add_noise_at(key.range(values.len() as u64)?, values)
            }
            fn alone(&self, key: &mut Key, length: u64, indices: &[u64]) -> Vec<Result<Integer, BitsError>> {
                let range = key.range(length).unwrap();
                range.launch(|launch| indices.iter().map(|&index| self.sample_at(launch, index)).collect()).unwrap()
            }
            fn has_parts(&self) -> bool {
                matches!(self.view(), View::Wider(_))
            }
        }
    )*};
}

noise!(PreparedLaplace PreparedGaussian);

/// A key that somebody knows, and its words.
fn key(seed: u8) -> (Key, [u32; 8]) {
    let key = || Key::drawn_from(&mut seeded([seed; 32])).unwrap();
    (key(), key().range(0).unwrap().launch(|launch| *launch.key()).unwrap())
}

/// The samples from number `first` on, drawn one by one on their tapes; and the most words of the streams from 1 on.
fn on_tapes(noise: &impl Noise, words: &[u32; 8], first: u64, count: u64) -> (Vec<Integer>, u64) {
    let (most, has_parts) = (Cell::new(0), noise.has_parts());
    let sample = |sample| {
        let tape = Tape { key: words, sample, has_parts, read: 0, most: &most };
        Program::sample(noise, &mut BitStream::new(tape)).unwrap()
    };
    ((first..first + count).map(sample).collect(), most.get())
}

/// A range from an odd place on is, sample by sample, what the trial draws on the samples' tapes.
fn is_the_trial(name: &str, noise: &impl Noise, is_wide: bool, count: usize, odd: u64) {
    let (mut key, words) = key(1);
    key.range(odd).unwrap().launch(|_| ()).unwrap();
    let mut filled = vec![Integer::ZERO; count];
    noise.fill_next(&mut key, &mut filled).unwrap();
    let (expected, most) = on_tapes(noise, &words, odd, count as u64);
    for (index, (sample, expected)) in filled.iter().zip(&expected).enumerate() {
        assert_eq!(sample, expected, "{name}: sample {index} after {odd}");
    }
    // What no first word settles is there, and is drawn from the streams from 1 on.
    assert!(most > 0 || !is_wide, "{name}: no sample needs more than its first trial");
    println!("{name}: {count} samples from {odd} on, at most {most} words of streams 1, 2, …");
}

/// Twelve parameters: tables, buckets of one word and of a word and a quarter, of both noises.
#[test]
fn samples_are_what_the_trial_draws_on_their_tapes() {
    for (sigma, odd) in
        [("1", 1), ("10", 77), ("1000", (1 << 32) + 1), ("2048", 3), ("1048576", 63), ("1099511627776", 16_385)]
    {
        let noise = PreparedGaussian::new(&positive(sigma));
        is_the_trial(&format!("gaussian of {sigma}"), &noise, noise.construction() == "wide", 100_000, odd);
    }
    for (scale, odd) in [("1/3", 5), ("10", 65), ("1000", 127), ("1048576", 1_000_003), ("1099511627776", 7)] {
        let noise = PreparedLaplace::new(&positive(scale));
        is_the_trial(&format!("laplace of {scale}"), &noise, noise.construction() == "wide", 100_000, odd);
    }
    let noise = PreparedGaussian::new(&positive("1125899906842624"));
    assert!(noise.has_parts());
    for (odd, count) in [(1, 100_000), (2, 1000), (3, 1000), (61, 1000), (66, 1000)] {
        is_the_trial("gaussian of 2^50", &noise, true, count, odd);
    }
}

/// The reference sampler, where there is no table: samples that read a second block, and more.
#[test]
fn a_tape_goes_on_from_block_to_block() {
    let noise = PreparedLaplace::new(&positive("1e19"));
    assert_eq!(noise.construction(), "reference");
    let (mut key, words) = key(2);
    let mut filled = vec![Integer::ZERO; 3000];
    noise.fill_next(&mut key, &mut filled).unwrap();
    let (expected, most) = on_tapes(&noise, &words, 0, 3000);
    assert!(most > 16, "a third block is read: {most}");
    assert!(filled == expected);
}

/// In one piece or in many, of any lengths, on any number of threads.
fn whatever_the_chunks(noise: &(impl Noise + Sync), count: usize) {
    let whole = |count| {
        let mut filled = vec![0_i64; count];
        noise.fill_next(&mut key(3).0, &mut filled).unwrap();
        filled
    };
    // No longer than a chunk of any thread.
    let mut pieces = vec![0_i64; count];
    let (mut key_of_pieces, mut rest) = (key(3).0, &mut pieces[..]);
    for length in [1, 2, 61, 64, 0, 63, 127, 5, 1000].into_iter().cycle() {
        let Some(piece) = rest.split_off_mut(..length) else { break };
        noise.fill_next(&mut key_of_pieces, piece).unwrap();
    }
    noise.fill_next(&mut key_of_pieces, rest).unwrap();
    assert!(pieces.iter().filter(|sample| **sample == 0).count() < count / 5);
    assert!(whole(count) == pieces, "one piece and many");
    assert!(whole(count / 2 + 1)[..] == pieces[..=count / 2]);
    #[cfg(feature = "parallel")]
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| whole(count)) == pieces, "{threads} threads");
        // Added to values, the samples are the same.
        let mut values = vec![7_i64; count];
        let clamped = pool.install(|| noise.add_next(&mut key(3).0, &mut values)).unwrap();
        assert_eq!(clamped, 0);
        assert!(values.iter().zip(&pieces).all(|(value, sample)| value - 7 == *sample), "{threads} threads");
    }
}

#[test]
fn chunks_and_threads_change_nothing() {
    whatever_the_chunks(&PreparedLaplace::new(&positive("10")), 50_001);
    whatever_the_chunks(&PreparedGaussian::new(&positive("1048576")), 40_003);
    whatever_the_chunks(&PreparedGaussian::new(&positive("1125899906842624")), 33_002);
}

/// A sum past 64 bits is clamped and counted; a sample past them is none, unless an integer holds it; one alone is the same.
#[test]
fn sums_are_clamped_and_samples_are_not() {
    for (scale, value) in
        [("10", i64::MAX), ("1e6", i64::MIN), ("1e15", i64::MAX), ("4611686018427387904", 5), ("1e30", 3)]
    {
        let noise = PreparedLaplace::new(&positive(scale));
        let mut exact = vec![Integer::ZERO; 20_000];
        noise.fill_next(&mut key(4).0, &mut exact).unwrap();
        let mut sums = vec![value; 20_000];
        let clamped = noise.add_next(&mut key(4).0, &mut sums).unwrap();
        let mut past = 0;
        for (sum, noise) in sums.iter().zip(&exact) {
            let exact = noise.add(&value.into());
            past += usize::from(exact.to_i64().is_none());
            let end = if exact < Integer::ZERO { i64::MIN } else { i64::MAX };
            assert_eq!(*sum, exact.to_i64().unwrap_or(end), "{scale} {value}");
        }
        assert_eq!(clamped, past, "{scale} {value}");
        let words = noise.fill_next(&mut key(4).0, &mut vec![0_i64; 20_000]);
        let fits = exact.iter().all(|sample| sample.to_i64().is_some());
        assert_eq!(words, if fits { Ok(()) } else { Err(FillError::TooWide) }, "{scale}");
        let alone = noise.alone(&mut key(4).0, 20_000, &[0, 1, 63, 64, 9_999, 19_999, 20_000, u64::MAX]);
        let expected = [0, 1, 63, 64, 9_999, 19_999].map(|index: usize| Ok(exact[index].clone()));
        assert_eq!(alone[..6], expected, "{scale}");
        assert_eq!(alone[6..], [Err(BitsError::Range), Err(BitsError::Range)]);
    }
}

/// A range of another length draws nothing, and leaves no value without noise.
#[test]
fn a_range_has_as_many_samples_as_the_slice() {
    let noise = PreparedGaussian::new(&positive("10"));
    let (mut key, _) = key(5);
    for length in [0, 9, 11] {
        let mut filled = [77_i64; 10];
        let refused = noise.fill_at(key.range(length).unwrap(), &mut filled);
        assert_eq!((refused, filled), (Err(FillError::Bits(BitsError::Range)), [77; 10]));
        let mut values = [77_i64; 10];
        let refused = noise.add_noise_at(key.range(length).unwrap(), &mut values);
        assert_eq!((refused, values), (Err(BitsError::Range), [0; 10]));
    }
}

/// One key's ranges are never the same samples: neither as they follow one another, nor drawn out of their order.
#[test]
fn no_sample_is_drawn_twice() {
    let noise = PreparedGaussian::new(&positive("1e15"));
    let (mut key, _) = key(6);
    let ranges: Vec<_> = (0..20).map(|_| key.range(50).unwrap()).collect();
    let mut all = Vec::new();
    for range in ranges.into_iter().rev() {
        let mut filled = [0_i64; 50];
        noise.fill_at(range, &mut filled).unwrap();
        all.extend(filled);
    }
    all.sort_unstable();
    // Two of a thousand samples are equal with a probability below 10^-9.
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
}

/// The first samples under a key that is known. A change of these changes the noise of every key: the changelog says so.
#[test]
fn samples_are_frozen() {
    let drawn = ["10", "1048576", "1125899906842624", "1e20"].map(|sigma| {
        let mut filled = vec![Integer::ZERO; 5];
        PreparedGaussian::new(&positive(sigma)).fill_next(&mut key(7).0, &mut filled).unwrap();
        filled.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    });
    let expected = [
        "1 6 -4 -3 14",
        "70387 654306 -399874 -278490 1431769",
        "74008510031694 695697122932371 -424985839703174 296970142536256 1534003284355112",
        "7493580942896213810 -68547962049069170215 -78982260931226870062 -30232665629466033577 2376380418055622644",
    ];
    assert_eq!(drawn, expected);
}
