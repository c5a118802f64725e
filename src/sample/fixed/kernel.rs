//! A construction as a sampler: one trial a step, or many at a time.

use core::ops::ControlFlow;

use super::shape::Visit;
use super::{
    Word,
    acceptance::Acceptance,
    digits::{Digits, NoOffset},
    shape::{Bucketed, Direct, Shape, Words},
    word::Noise,
};
use crate::{
    bits::{Bits, BitsError},
    exact::{Integer, NonNegative, Positive, Rational},
    sample::{
        Interpreter, Program, Step,
        machine::{Machine, of_integer},
    },
};

/// The most trials that are made at a time.
const BATCH: usize = 32;

/// The most 64-bit words that a trial draws: three numbers of two words, and an offset.
const MOST_WORDS: usize = 7;

/// Fixed-work noise at one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel<W: Word> {
    /// One table.
    Direct(Direct<W>),
    /// A table of buckets, and offsets.
    Bucketed(Bucketed<W>),
    /// A table a digit.
    Digits(Digits<W, NoOffset>),
    /// A table a digit, and offsets.
    WideDigits(Digits<W, Acceptance<W, false>>),
}

/// Runs a generic function on whichever shape there is.
macro_rules! on_shape {
    ($kernel:expr, $shape:ident => $run:expr) => {
        match $kernel {
            Kernel::Direct($shape) => $run,
            Kernel::Bucketed($shape) => $run,
            Kernel::Digits($shape) => $run,
            Kernel::WideDigits($shape) => $run,
        }
    };
}

impl<W: Word> Kernel<W> {
    /// Discrete Gaussian noise with σ² = `variance`.
    pub fn gaussian(variance: &Positive) -> Option<Self> {
        let digits = super::shape::gaussian_digits(variance, W::FEWEST);
        let doubled = Rational::from_integer(2.into()) * variance.get();
        let unit = Positive::new(doubled.recip()).ok()?;
        if digits > 0 {
            return Bucketed::new(&unit, digits).map(Self::Bucketed);
        }
        let fall = NonNegative::new(variance.get().recip()).ok()?;
        Direct::new(unit, fall).map(Self::Direct)
    }

    /// Discrete Laplace noise with the given scale.
    pub fn laplace(scale: &Positive) -> Option<Self> {
        let digits = super::shape::laplace_digits(scale, W::FEWEST);
        if digits > 0 {
            return Digits::wide(scale, digits).map(Self::WideDigits);
        }
        // A direct table has about scale·TAIL·ln 2 thresholds: 40 are faster than two tables.
        if scale.get() * Rational::from_integer(W::TAIL.into()) > Rational::from_integer(57.into()) {
            return Digits::narrow(scale).map(Self::Digits);
        }
        Direct::new(Positive::new(scale.get().recip()).ok()?, NonNegative::zero()).map(Self::Direct)
    }

    /// Bounds the probability that a sample takes the exact path.
    pub fn beta(&self) -> Option<Rational> {
        on_shape!(self, shape => shape.beta())
    }

    /// Fills a slice.
    pub(crate) fn fill<B: Bits + ?Sized>(&self, bits: &mut B, out: &mut [Noise<W>]) -> Result<(), BitsError> {
        bits.begin()?;
        on_shape!(self, shape => fill(shape, bits, out))
    }

    /// Visits what is settled, see [`Shape::settled`]; the answer is the number of digits.
    pub fn settled(&self, visit: &mut Visit<'_>) -> Option<u32> {
        on_shape!(self, shape => shape.settled(visit).map(|()| shape.settled_digits()))
    }

    /// Tapes on both sides of every edge, and what they give.
    pub fn edges(&self) -> Option<alloc::vec::Vec<super::Edge>> {
        on_shape!(self, shape => super::edges::edges(shape))
    }

    /// What the acceptance states about its error, if there is one.
    pub fn stated(&self) -> Option<super::Stated> {
        on_shape!(self, shape => shape.stated())
    }
}

impl<W: Word> Program for Kernel<W> {
    type State = ();
    type Output = Integer;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        on_shape!(self, shape => step(shape, on))
    }
}

/// What the tests look at and drive.
#[cfg(test)]
impl<W: Word> Kernel<W> {
    /// Whether there is a second table, and whether there are offsets.
    pub(super) fn draws(&self) -> (bool, bool) {
        fn of<W: Word, S: Shape<W>>(_: &S) -> (bool, bool) {
            (S::SECOND, S::OFFSET)
        }
        on_shape!(self, shape => of::<W, _>(shape))
    }

    /// How many 64-bit words a trial draws.
    pub(super) fn own_words(&self) -> u64 {
        let (second, offset) = self.draws();
        let word = u64::try_from(W::FROM).unwrap();
        word * (1 + u64::from(second) + u64::from(offset)) + u64::from(offset)
    }

    pub(super) fn digits(&self) -> u32 {
        on_shape!(self, shape => shape.digits())
    }

    pub(super) fn trial(&self, words: &Words<W>) -> super::shape::Trial<Noise<W>> {
        on_shape!(self, shape => shape.trial(words))
    }

    pub(super) fn settle<I: Interpreter>(&self, words: &Words<W>, on: &mut I) -> Result<Option<Integer>, I::Error> {
        on_shape!(self, shape => shape.settle(words, on))
    }

    /// The thresholds of each table.
    pub(super) fn thresholds(&self) -> alloc::vec::Vec<alloc::vec::Vec<W>> {
        on_shape!(self, shape => shape.thresholds())
    }

    /// The first word of the acceptance's window, and the window's width.
    pub(super) fn window(&self, words: &Words<W>) -> Option<(W, W)> {
        on_shape!(self, shape => shape.window(words))
    }
}

/// One trial.
#[inline]
fn step<W: Word, S: Shape<W>, I: Interpreter>(shape: &S, on: &mut I) -> Result<ControlFlow<Integer>, I::Error> {
    let words = draw(shape, on)?;
    let trial = shape.trial(&words);
    let found = if trial.ambiguous != 0 {
        shape.settle(&words, on)?
    } else if trial.accepted != 0 {
        Some(Integer::from(trial.candidate.into()))
    } else {
        None
    };
    Ok(found.map_or(ControlFlow::Continue(()), ControlFlow::Break))
}

/// The words of one trial.
#[inline]
fn draw<W: Word, S: Shape<W>, I: Interpreter>(shape: &S, on: &mut I) -> Result<Words<W>, I::Error> {
    let mut words = Words { first: W::draw(on)?, ..Words::default() };
    if S::SECOND {
        words.second = W::draw(on)?;
    }
    if S::OFFSET {
        words.offset = W::draw_digits(on, shape.digits())?;
        words.accept = W::draw(on)?;
    }
    Ok(words)
}

/// The words of one trial, in the same order, from 64-bit words that were drawn in bulk.
#[inline]
fn assemble<W: Word, S: Shape<W>>(shape: &S, raw: &[u64]) -> Words<W> {
    let mut raw = raw.iter().copied();
    let mut next = || raw.next().unwrap_or(0);
    let mut word = || {
        let high = next();
        W::from_words(high, if W::FROM == 2 { next() } else { 0 })
    };
    let mut words = Words { first: word(), ..Words::default() };
    if S::SECOND {
        words.second = word();
    }
    if S::OFFSET {
        let mut raw = raw;
        words.offset = raw.next().unwrap_or(0).wrapping_shr(64 - shape.digits());
        let high = raw.next().unwrap_or(0);
        words.accept = W::from_words(high, raw.next().unwrap_or(0));
    }
    words
}

/// How many 64-bit words a trial draws.
const fn words_a_trial<W: Word, S: Shape<W>>() -> usize {
    let mut words = W::FROM;
    if S::SECOND {
        words += W::FROM;
    }
    if S::OFFSET {
        words += 1 + W::FROM;
    }
    words
}

/// Fills a slice: as many trials at a time as there are samples missing, so that none is thrown away.
fn fill<W: Word, S: Shape<W>, B: Bits + ?Sized>(
    shape: &S,
    bits: &mut B,
    out: &mut [Noise<W>],
) -> Result<(), BitsError> {
    let mut raw = [0; BATCH * MOST_WORDS];
    let mut words = [Words::default(); BATCH];
    let mut candidates = [Noise::<W>::default(); BATCH];
    let mut position = 0;
    while position < out.len() {
        let count = BATCH.min(W::Machine::BATCH).min(out.len() - position);
        let raw = raw.get_mut(..count * words_a_trial::<W, S>()).unwrap_or_default();
        bits.words(raw)?;
        for (words, raw) in words.iter_mut().zip(raw.chunks_exact(words_a_trial::<W, S>())) {
            *words = assemble(shape, raw);
        }
        let words = words.get(..count).unwrap_or_default();
        let candidates = candidates.get_mut(..count).unwrap_or_default();
        let mut found = fixed_work_trials(shape, words, candidates);
        // Which trials are accepted says nothing about the samples; whether one is ambiguous does, which is
        // what β is for.
        bits.disclose(&mut found);
        let [mut accepted, ambiguous] = found;
        if ambiguous != 0 {
            accepted = settle(shape, words, candidates, found, bits)?;
        }
        for candidate in candidates {
            if let Some(sample) = out.get_mut(position) {
                *sample = *candidate;
            }
            // Written over by the next one, unless it is accepted. At most `count` are.
            position += usize::from(accepted & 1 == 1);
            accepted >>= 1;
        }
    }
    Ok(())
}

/// The kernel: every trial in full, none of it decided by a branch or an address. The answer has a bit a
/// trial, the first the least significant: which are accepted, and which are ambiguous.
#[inline(never)]
fn fixed_work_trials<W: Word, S: Shape<W>>(shape: &S, words: &[Words<W>], candidates: &mut [Noise<W>]) -> [u64; 2] {
    let (mut accepted, mut ambiguous, mut index) = (0, 0, 0);
    for (words, candidate) in words.iter().zip(candidates) {
        let trial = shape.trial(words);
        *candidate = trial.candidate;
        // At most BATCH < 64 trials.
        accepted |= trial.accepted.wrapping_shl(index);
        ambiguous |= trial.ambiguous.wrapping_shl(index);
        index += 1;
    }
    [accepted, ambiguous]
}

/// The exact path, for the trials that need it; the answer is which are accepted, after all.
#[cold]
#[inline(never)]
fn settle<W: Word, S: Shape<W>, B: Bits + ?Sized>(
    shape: &S,
    words: &[Words<W>],
    candidates: &mut [Noise<W>],
    [mut accepted, ambiguous]: [u64; 2],
    bits: &mut B,
) -> Result<u64, BitsError> {
    for (index, (words, candidate)) in (0..64).zip(words.iter().zip(candidates)) {
        let bit = 1u64 << index;
        if ambiguous & bit != 0 {
            let settled = shape.settle(words, &mut crate::sample::program::Execution { bits: &mut *bits })?;
            accepted = if settled.is_some() { accepted | bit } else { accepted & !bit };
            // Past the word only beyond 128 scales: an error, for this is no place to wrap.
            let noise = settled.unwrap_or(Integer::ZERO);
            *candidate = of_integer::<Noise<W>>(&noise).ok_or(BitsError::Overflow)?;
        }
    }
    Ok(accepted)
}
