//! Many samples at a time.

use core::ops::ControlFlow;

use super::{Execution, SignedWord, Trial};
use crate::{
    bits::{Bits, BitsError},
    exact::Integer,
    sample::{
        Program, execute,
        machine::{MOST_BATCH, Machine, SignedMachine, of_integer},
    },
};

/// What a slice of samples may hold: [`Integer`], `i64` or `i128`.
pub trait Sample: Sized + Send + sealed::Sealed {
    /// A sample that fits a machine word.
    fn of_word(sample: i64) -> Self;

    /// A sample of any size, if it fits.
    fn of_integer(sample: Integer) -> Option<Self>;

    /// The slice itself, if it is one of machine words.
    fn words(_: &mut [Self]) -> Option<&mut [i64]> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i64 {}
    impl Sealed for i128 {}
    impl Sealed for crate::exact::Integer {}
}

impl Sample for i64 {
    #[inline]
    fn of_word(sample: i64) -> Self {
        sample
    }

    fn of_integer(sample: Integer) -> Option<Self> {
        sample.to_i64()
    }

    fn words(out: &mut [i64]) -> Option<&mut [i64]> {
        Some(out)
    }
}

impl Sample for i128 {
    #[inline]
    fn of_word(sample: i64) -> Self {
        sample.into()
    }

    fn of_integer(sample: Integer) -> Option<Self> {
        sample.to_big().try_into().ok()
    }
}

impl Sample for Integer {
    #[inline]
    fn of_word(sample: i64) -> Self {
        sample.into()
    }

    fn of_integer(sample: Integer) -> Option<Self> {
        Some(sample)
    }
}

/// What a slice may hold of samples on a machine word: an [`Sample`], if that is the word that ships.
pub trait Slot<W: Machine>: Sized {
    /// A sample that fits a machine word.
    fn of_word(sample: W::Signed) -> Self;

    /// A sample of any size, if it fits.
    fn of_integer(sample: Integer) -> Option<Self>;
}

impl<T: Sample> Slot<u64> for T {
    #[inline]
    fn of_word(sample: i64) -> Self {
        <T as Sample>::of_word(sample)
    }

    fn of_integer(sample: Integer) -> Option<Self> {
        <T as Sample>::of_integer(sample)
    }
}

/// On short words: integers, and the words themselves.
mod short {
    use super::{Integer, Slot};
    use crate::sample::machine::{Short, ShortSigned};

    impl<const BITS: u32> Slot<Short<BITS>> for Integer {
        fn of_word(sample: ShortSigned<BITS>) -> Self {
            Self::from(i64::from(sample))
        }

        fn of_integer(sample: Integer) -> Option<Self> {
            Some(sample)
        }
    }

    impl<const BITS: u32> Slot<Short<BITS>> for ShortSigned<BITS> {
        fn of_word(sample: Self) -> Self {
            sample
        }

        fn of_integer(sample: Integer) -> Option<Self> {
            super::of_integer(&sample)
        }
    }
}

/// Why a slice was not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FillError {
    /// There are no bits.
    #[error(transparent)]
    Bits(#[from] BitsError),
    /// A sample does not fit the slice's type. It is neither clamped nor wrapped; an [`Integer`] holds any.
    #[error("a sample does not fit this machine word")]
    TooWide,
}

/// Trials until one is accepted, where the first was not settled.
#[cold]
#[inline(never)]
pub(super) fn slow<C: Trial, B: Bits + ?Sized>(
    construction: &C,
    first: C::Word,
    second: C::Word,
    bits: &mut B,
) -> Result<Integer, BitsError> {
    let on = &mut Execution { bits };
    if let Some(sample) = construction.resolve(first, second, on)? {
        return Ok(sample);
    }
    // Rejected: everything afresh.
    loop {
        if let ControlFlow::Break(sample) = construction.trial(on)? {
            return Ok(sample);
        }
    }
}

/// Draws a sample for each slot, the words of a batch at a time; `put` is handed each, settled or slow.
///
/// A batch draws the words of its first trials, one trial a slot; what a slot needs beyond them, it draws
/// afresh. So each slot is a function of words that no other slot reads.
#[inline]
fn each<C: Trial, T, E: From<BitsError>, B: Bits + ?Sized>(
    construction: &C,
    bits: &mut B,
    slots: &mut [T],
    mut put: impl FnMut(&mut T, Result<SignedWord<C>, Integer>) -> Result<(), E>,
) -> Result<(), E> {
    // How many second parts a word has: four as shipped.
    let parts = usize::try_from(C::Word::BITS.checked_div(C::SECOND).unwrap_or(1)).unwrap_or(1);
    let (mut firsts, mut seconds) = ([0; MOST_BATCH], [C::Word::default(); MOST_BATCH]);
    for slots in slots.chunks_mut(C::Word::BATCH) {
        let firsts = firsts.get_mut(..slots.len()).unwrap_or_default();
        bits.words(firsts)?;
        if C::SECOND > 0 {
            let mut words = [0; MOST_BATCH];
            let words = words.get_mut(..slots.len().div_ceil(parts)).unwrap_or_default();
            bits.words(words)?;
            for (parts, word) in seconds.chunks_exact_mut(parts).zip(words) {
                // The first part is the highest.
                let mut below = C::Word::BITS;
                for part in parts {
                    below -= C::SECOND;
                    *part = C::Word::of_first_bits(*word).shifted_down(below).low_bits(C::SECOND);
                }
            }
        }
        for ((slot, &mut first), &second) in slots.iter_mut().zip(firsts).zip(&seconds) {
            let first = C::Word::of_first_bits(first);
            // Known to the compiler where there is none.
            let second = if C::SECOND > 0 { second } else { C::Word::default() };
            match construction.settle(first, second) {
                Some(sample) => put(slot, Ok(sample))?,
                None => put(slot, Err(slow(construction, first, second, bits)?))?,
            }
        }
    }
    Ok(())
}

pub(crate) fn fill<C: Trial, T: Slot<C::Word>, B: Bits + ?Sized>(
    construction: &C,
    bits: &mut B,
    out: &mut [T],
) -> Result<(), FillError> {
    each(construction, bits, out, |slot, sample| {
        *slot = match sample {
            Ok(sample) => T::of_word(sample),
            Err(sample) => T::of_integer(sample).ok_or(FillError::TooWide)?,
        };
        Ok(())
    })
}

pub(crate) fn fill_by_reference<T: Sample, B: Bits + ?Sized>(
    reference: &impl Program<Output = Integer>,
    bits: &mut B,
    out: &mut [T],
) -> Result<(), FillError> {
    for slot in out {
        *slot = <T as Sample>::of_integer(execute(reference, bits)?).ok_or(FillError::TooWide)?;
    }
    Ok(())
}

pub(crate) fn add_noise<C: Trial, B: Bits + ?Sized>(
    construction: &C,
    bits: &mut B,
    values: &mut [SignedWord<C>],
) -> Result<usize, BitsError> {
    let mut clamped = 0_usize;
    each(construction, bits, values, |value, sample| {
        let (sum, is_clamped) = match sample {
            Ok(sample) => value.clamped_add(sample),
            Err(sample) => clamped_sum(*value, &sample),
        };
        *value = sum;
        clamped = clamped.saturating_add(usize::from(is_clamped));
        Ok(())
    })?;
    Ok(clamped)
}

pub(crate) fn add_noise_by_reference<B: Bits + ?Sized>(
    reference: &impl Program<Output = Integer>,
    bits: &mut B,
    values: &mut [i64],
) -> Result<usize, BitsError> {
    let mut clamped = 0_usize;
    for value in values {
        let is_clamped;
        (*value, is_clamped) = clamped_sum(*value, &execute(reference, bits)?);
        clamped = clamped.saturating_add(usize::from(is_clamped));
    }
    Ok(clamped)
}

/// value + noise, formed exactly, then clamped to the machine word; and whether it was.
pub(super) fn clamped_sum<S: SignedMachine>(value: S, noise: &Integer) -> (S, bool) {
    let sum = noise.add(&Integer::from(value.into()));
    match of_integer::<S>(&sum) {
        Some(sum) => (sum, false),
        None => (if sum < Integer::ZERO { S::MIN } else { S::MAX }, true),
    }
}

/// An endless iterator of samples; an error where the source fails.
#[derive(Debug)]
pub struct Samples<'s, S, B> {
    sampler: &'s S,
    bits: B,
}

impl<'s, S, B> Samples<'s, S, B> {
    pub(super) fn new(sampler: &'s S, bits: B) -> Self {
        Self { sampler, bits }
    }
}

impl<S: Program<Output = Integer>, B: Bits> Iterator for Samples<'_, S, B> {
    type Item = Result<Integer, BitsError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some(self.sampler.sample(&mut self.bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bits::{Meter, Recorder, Replay, seeded},
        exact::{Positive, parse},
        sample::{PreparedGaussian, PreparedLaplace},
    };
    use alloc::{vec, vec::Vec};

    fn positive(text: &str) -> Positive {
        Positive::new(parse(text).unwrap()).unwrap()
    }

    /// A table reads one word a sample, in bulk or one by one, as words or as integers.
    #[test]
    fn bulk_is_the_samples_one_by_one() {
        for scale in ["1/3", "10", "1000"] {
            let noise = PreparedLaplace::new(&positive(scale));
            let mut words = vec![0i64; 1001];
            let (mut integers, mut long) = (vec![Integer::ZERO; 1001], vec![0i128; 1001]);
            let mut values: Vec<i64> = (0..1001).collect();
            noise.fill(&mut seeded([1; 32]), &mut words).unwrap();
            noise.fill(&mut seeded([1; 32]), &mut integers).unwrap();
            noise.fill(&mut seeded([1; 32]), &mut long).unwrap();
            noise.add_noise(&mut seeded([1; 32]), &mut values).unwrap();
            let samples: Vec<_> = noise.samples(seeded([1; 32])).take(1001).map(Result::unwrap).collect();
            assert_eq!(samples.len(), 1001);
            for (i, sample) in samples.into_iter().enumerate() {
                assert_eq!(sample.to_i64(), Some(words[i]));
                assert_eq!((&sample, i128::from(words[i])), (&integers[i], long[i]));
                assert_eq!(values[i], words[i] + i64::try_from(i).unwrap());
            }
        }
    }

    /// In a word and a quarter: 64 first words, then 16 words of four second ones each; what settles, settles
    /// from these.
    #[test]
    fn a_batch_shares_out_its_words() {
        let noise = PreparedGaussian::new(&positive("1e18"));
        let super::super::Construction::Wider(wide) = &noise.construction else { panic!("another construction") };
        let mut recorder = Recorder::new(seeded([2; 32]));
        let mut samples = [0i64; 64];
        fill(wide, &mut recorder, &mut samples).unwrap();
        let mut tape = Replay::new(recorder.cut());
        let firsts: Vec<u64> = (0..64).map(|_| tape.take(64).unwrap()).collect();
        let seconds: Vec<u64> = (0..64).map(|_| tape.take(16).unwrap()).collect();
        let settled: Vec<_> = firsts.iter().zip(&seconds).map(|(&first, &second)| wide.settle(first, second)).collect();
        assert!(settled.iter().flatten().count() > 50);
        for (sample, settled) in samples.iter().zip(settled) {
            assert!(settled.is_none_or(|settled| settled == *sample));
        }
    }

    /// A slice of one is a sample of the program that is certified, bit for bit: so after a rejection, too,
    /// all is drawn afresh.
    #[test]
    fn a_slice_of_one_is_a_sample() {
        for scale in ["1e6", "1099511627776", "1e17"] {
            let (laplace, gaussian) = (PreparedLaplace::new(&positive(scale)), PreparedGaussian::new(&positive(scale)));
            let (mut bulk, mut single) = (Meter::new(seeded([6; 32])), Meter::new(seeded([6; 32])));
            let mut rejected = 0;
            for _ in 0..20_000 {
                let before = single.used();
                let mut slice = [0i64];
                laplace.fill(&mut bulk, &mut slice).unwrap();
                assert_eq!(laplace.sample(&mut single).unwrap().to_i64(), Some(slice[0]));
                gaussian.fill(&mut bulk, &mut slice).unwrap();
                assert_eq!(gaussian.sample(&mut single).unwrap().to_i64(), Some(slice[0]));
                assert_eq!(bulk.used(), single.used());
                // Two trials, a word more of V where the squeeze fails, and another trial.
                rejected += usize::from(single.used() - before >= if scale == "1e17" { 448 } else { 256 });
            }
            assert!(rejected > 50, "{rejected}");
        }
    }

    /// Scale 2^62: one sample in eight passes 64 bits. None is clamped or wrapped; only a sum is clamped.
    #[test]
    fn samples_past_64_bits() {
        let noise = PreparedLaplace::new(&positive("4611686018427387904"));
        assert_eq!(noise.construction(), "wide");
        let mut integers = vec![Integer::ZERO; 1000];
        noise.fill(&mut seeded([3; 32]), &mut integers).unwrap();
        let past = integers.iter().filter(|sample| sample.to_i64().is_none()).count();
        assert!((60..220).contains(&past), "{past}");
        assert!(integers.iter().any(|sample| sample.magnitude() > (num_bigint::BigUint::from(1u32) << 64u32)));
        assert_eq!(noise.fill(&mut seeded([3; 32]), &mut [0i64; 1000]), Err(FillError::TooWide));
        noise.fill(&mut seeded([3; 32]), &mut [0i128; 1000]).unwrap();
        let mut values = [5i64; 1000];
        let clamped = noise.add_noise(&mut seeded([3; 32]), &mut values).unwrap();
        let sums: Vec<(i64, bool)> = integers.iter().map(|sample| clamped_sum(5, sample)).collect();
        assert!(values.iter().zip(&sums).all(|(value, (sum, _))| value == sum));
        assert_eq!(clamped, sums.iter().filter(|(_, is_clamped)| *is_clamped).count());
        assert!((60..220).contains(&clamped), "{clamped}");
        assert!(values.contains(&i64::MAX) && values.contains(&i64::MIN));
    }

    /// What no machine word prepares is the reference's, sample by sample; sums are clamped, and counted.
    #[test]
    fn by_reference_it_is_the_references() {
        let scale = positive("1e19");
        let (noise, reference) = (PreparedLaplace::new(&scale), crate::sample::Laplace::new(&scale));
        assert_eq!(noise.construction(), "reference");
        let (mut filled, mut values) = (vec![Integer::ZERO; 100], vec![7i64; 100]);
        noise.fill(&mut seeded([8; 32]), &mut filled).unwrap();
        let clamped = noise.add_noise(&mut seeded([8; 32]), &mut values).unwrap();
        let mut bits = seeded([8; 32]);
        let expected: Vec<_> = (0..100).map(|_| execute(&reference, &mut bits).unwrap()).collect();
        assert_eq!(filled, expected);
        let sums: Vec<_> = expected
            .iter()
            .map(|sample| (sample.add(&Integer::from(7i64)).to_i64(), *sample < Integer::ZERO))
            .collect();
        for (value, (sum, is_negative)) in values.iter().zip(&sums) {
            assert_eq!(*value, sum.unwrap_or(if *is_negative { i64::MIN } else { i64::MAX }));
        }
        assert_eq!(clamped, sums.iter().filter(|(sum, _)| sum.is_none()).count());
        assert!((10..90).contains(&clamped), "{clamped}");
    }

    /// A slice of machine words is known as one, and no other.
    #[test]
    fn machine_words_are_known() {
        assert_eq!(<i64 as Sample>::words(&mut [3, -4]), Some(&mut [3, -4][..]));
        assert_eq!((<i128 as Sample>::words(&mut [3]), <Integer as Sample>::words(&mut [Integer::ZERO])), (None, None));
    }

    /// Short words take what fits them, and integers take all.
    #[test]
    fn short_words_hold_what_fits() {
        use crate::sample::machine::{Short, ShortSigned};
        type Word = ShortSigned<8>;
        let of = |number: i64| <Word as Slot<Short<8>>>::of_integer(Integer::from(number)).map(i64::from);
        assert_eq!((of(-128), of(127), of(5), of(128), of(-129)), (Some(-128), Some(127), Some(5), None, None));
        let word = of_integer::<Word>(&Integer::from(-7i64)).unwrap();
        assert_eq!(i64::from(<Word as Slot<Short<8>>>::of_word(word)), -7);
        assert_eq!(<Integer as Slot<Short<8>>>::of_word(word), Integer::from(-7i64));
        assert_eq!(<Integer as Slot<Short<8>>>::of_integer(Integer::from(1000i64)), Some(Integer::from(1000i64)));
    }

    #[test]
    fn no_bits_no_noise() {
        let noise = PreparedGaussian::new(&positive("3"));
        let tape = || Replay::new((0..640).map(|i| i % 3 == 0).collect());
        assert_eq!(noise.fill(&mut tape(), &mut [0i64; 11]), Err(FillError::Bits(BitsError::TapeEnded)));
        assert_eq!(noise.fill(&mut tape(), &mut [0i64; 10]), Ok(()));
        assert_eq!(noise.add_noise(&mut tape(), &mut [0; 11]), Err(BitsError::TapeEnded));
    }

    /// From far below 1 to far beyond 2^63: each is built at once, within its bound, and draws.
    #[test]
    fn memory_is_bounded() {
        for (text, construction, most) in [
            ("1e-300", "table", 1 << 20),
            ("1/100", "table", 1 << 20),
            ("1024", "table", 1 << 20),
            ("1024.0001", "wide", 1 << 18),
            ("2047.999", "wide", 1 << 18),
            ("9223372036854775807", "wide", 1 << 18),
            ("9223372036854775808", "reference", 0),
            ("1e300", "reference", 0),
        ] {
            let (laplace, gaussian) = (PreparedLaplace::new(&positive(text)), PreparedGaussian::new(&positive(text)));
            assert_eq!((laplace.construction(), gaussian.construction()), (construction, construction), "{text}");
            assert!(
                laplace.memory() <= most && gaussian.memory() <= most,
                "{text}: {} {}",
                laplace.memory(),
                gaussian.memory()
            );
            let mut bits = seeded([9; 32]);
            laplace.fill(&mut bits, &mut [Integer::ZERO, Integer::ZERO]).unwrap();
            gaussian.fill(&mut bits, &mut [Integer::ZERO, Integer::ZERO]).unwrap();
        }
    }
}
