//! The prepared samplers' own code on machine words of a few bits, on every tape.
//!
//! What ships on words of 64 bits is generic over the word. On 4 to 8 bits a trial has few enough tapes to
//! run them all, and meets every edge within them: the sign, both zeros, every place of a bucket, magnitudes
//! past the signed word and past the word. Two things are checked. The masses of a trial's outputs agree with
//! the closed form; and a slice holds, tape by tape, what single draws give on the same words in the
//! documented order: the first words of a batch, the second parts, and what each slot needs beyond them.
//!
//! The parameter is the user's, divided by a power of two or so, so that the noise reaches past a word of so
//! few bits; that of slices of a wide sampler is narrow, so that tapes of a few bits end.

use core::ops::ControlFlow;
use std::{vec, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::{CertifyError, Progress, flat, flat_by, prepared::closed_form};
use certus::{
    bits::{Bits, BitsError, Enumeration, Recorder, Replay},
    exact::{Enclosure, Integer, Positive, Rational},
    sample::{
        Interpreter, Program, Step,
        hooks::{
            execute,
            machine::{Machine, Short, SignedMachine, of_integer},
            prepared::{
                SignedWord, Trial, Trials,
                bulk::{self, Slot},
                cells::{Cells, Decay},
                table::Table,
                wide::{Layout, Wide},
            },
        },
    },
};

/// log₂ of the entries of guide an octave on short words: more than one, and few enough that some words are
/// settled by it.
const GUIDE: u32 = 1;

/// One trial, and whether it was accepted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Once<C>(C);

impl<C: Trial + Clone + Ord + Send + Sync + 'static> Program for Once<C> {
    type State = ();
    type Output = Option<Integer>;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(match self.0.trial(on)? {
            ControlFlow::Break(sample) => Some(sample),
            ControlFlow::Continue(()) => None,
        }))
    }
}

/// How deep each enumeration goes: the longest tape of a trial and of a slice, in bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    pub(super) trial: u32,
    pub(super) slice: u32,
}

/// Whether a wide sampler's code is right on short words, for the decay divided so that it reaches past them.
pub(super) fn wide_holds(decay: &Decay, depth: Depth, progress: &mut Progress<'_>) -> Result<bool, CertifyError> {
    // Of both, a hundredth to a sixth of the noise is past the word.
    let least = if matches!(decay, Decay::Gaussian { .. }) { 12 } else { 8 };
    let (one, two) = (Layout { prefix: 2, squeeze: 1, offset: 1 }, Layout { prefix: 2, squeeze: 1, offset: 2 });
    // Words often settle a trial.
    let settled = Layout { prefix: 3, squeeze: 1, offset: 1 };
    let single = Layout { prefix: 3, squeeze: 1, offset: 0 };
    Ok(trial_holds::<Short<5>, 0>(&reduced(decay, least), one, true, depth, progress)?
        && trial_holds::<Short<4>, 2>(&reduced(decay, 6), two, true, depth, progress)?
        && trial_holds::<Short<6>, 0>(&narrowest(decay, 2), settled, false, depth, progress)?
        && trial_holds::<Short<4>, 2>(&narrowest(decay, 2), settled, false, depth, progress)?
        && slices_hold(&Wide::<Short<5>, 0, GUIDE>::new(narrowest(decay, 1), single), 3, depth, progress)?
        && slices_hold(&Wide::<Short<4>, 2, GUIDE>::new(narrowest(decay, 2), settled), 2, depth, progress)?)
}

/// Whether a table's code is right on short words.
pub(super) fn table_holds(decay: &Decay, depth: Depth, progress: &mut Progress<'_>) -> Result<bool, CertifyError> {
    fn masses_hold<const BITS: u32>(
        decay: &Decay,
        depth: Depth,
        progress: &mut Progress<'_>,
    ) -> Result<bool, CertifyError> {
        let Some(pmf) = closed_form(decay) else { return Ok(false) };
        let masses = flat(&Trials(Table::<Short<BITS>, GUIDE>::new(decay.clone())), depth.trial, progress)?.masses();
        Ok(super::Certificate::new(&masses, &*pmf).holds())
    }
    let decay = &reduced(decay, 2);
    Ok(masses_hold::<8>(decay, depth, progress)?
        && masses_hold::<4>(decay, depth, progress)?
        && slices_hold(&Table::<Short<5>, GUIDE>::new(decay.clone()), 3, depth, progress)?)
}

/// The decay with its scale or σ divided by a power of two, and perhaps by 4/3, which brings it to [least,
/// 3/2·least).
fn reduced(decay: &Decay, least: u32) -> Decay {
    let divided = |of: &Positive, power: i32| {
        let raised = |n: u32, d: u32| Rational::new(n.into(), d.into()).pow(power);
        let (least, mut value) = (raised(least, 1), of.get().clone());
        while value >= &least * raised(2, 1) {
            value /= raised(2, 1);
        }
        while value < least {
            value *= raised(2, 1);
        }
        if value >= &least * raised(3, 2) {
            value *= raised(3, 4);
        }
        Positive::new(value).unwrap_or_else(|_| of.clone())
    };
    match decay {
        Decay::Laplace { scale } => Decay::Laplace { scale: divided(scale, 1) },
        Decay::Gaussian { variance } => Decay::Gaussian { variance: divided(variance, 2) },
    }
}

/// A decay of the same kind for which the words of a trial often settle it, in buckets of so many places: a
/// scale of two buckets, or a σ of one and a half.
fn narrowest(decay: &Decay, places: u32) -> Decay {
    let positive = |n: u32, d: u32| Positive::new(Rational::new(n.into(), d.into())).ok();
    let of = match decay {
        Decay::Laplace { .. } => positive(2 * places, 1).map(|scale| Decay::Laplace { scale }),
        Decay::Gaussian { .. } => positive(9 * places * places, 4).map(|variance| Decay::Gaussian { variance }),
    };
    of.unwrap_or_else(|| decay.clone())
}

/// Whether a trial yields k with probability f(k)/2w·Σ_b f(bw), for every k that was seen; little mass is
/// missing; and, if it `passes`, some of it is past the machine word.
fn trial_holds<W: Machine, const SECOND: u32>(
    decay: &Decay,
    layout: Layout,
    passes: bool,
    depth: Depth,
    progress: &mut Progress<'_>,
) -> Result<bool, CertifyError> {
    let wide = Wide::<W, SECOND, GUIDE>::new(decay.clone(), layout);
    let (Some(noise), Some(share)) = (closed_form(decay), share(wide.buckets().cells())) else { return Ok(false) };
    let masses = flat(&Once(wide), depth.trial, progress)?.masses();
    let unit = Rational::from_integer(BigInt::one() << masses.precision());
    let of = |mass: &BigUint| Rational::from_integer(mass.clone().into()) / &unit;
    let unresolved = of(masses.unresolved());
    let at_zero = noise.probability(&Integer::ZERO);
    let places = Enclosure::from_integer(BigInt::one() << (layout.offset + 1), 0);
    let (mut holds, mut past) = (unresolved < Rational::new(1.into(), 4.into()), false);
    for (k, lower) in masses.lower().iter().filter_map(|(k, lower)| Some((k.as_ref()?, of(lower)))) {
        let ratio = noise.probability(k).div(&at_zero);
        let Some(expected) = ratio.and_then(|ratio| ratio.mul(&share).div(&places)) else { return Ok(false) };
        holds &= lower <= expected.upper() && expected.lower() <= &lower + &unresolved;
        past |= k.magnitude() >= BigUint::one() << W::BITS;
    }
    Ok(holds && (past || !passes))
}

/// 1/Σ_b f(bw) over b ≥ 0, from the two-sided sum that the closed form of the buckets normalises by.
fn share(buckets: &Cells) -> Option<Enclosure> {
    let zero = closed_form(&buckets.decay)?.probability(&Integer::ZERO);
    zero.add(&zero).div(&zero.add(&Enclosure::from_integer(1, 0)))
}

/// Whether slices of integers and of words, and sums, are what single draws give on the same words, on every
/// tape that ends.
fn slices_hold<C: Trial + Clone + Ord + Send + Sync + 'static>(
    construction: &C,
    slots: usize,
    depth: Depth,
    progress: &mut Progress<'_>,
) -> Result<bool, CertifyError>
where
    Integer: Slot<C::Word>,
    SignedWord<C>: Slot<C::Word>,
{
    let values: Vec<SignedWord<C>> =
        [SignedWord::<C>::default(), SignedWord::<C>::MAX, SignedWord::<C>::MIN].into_iter().take(slots).collect();
    let (mut holds, mut ended) = (true, 0u64);
    let draw = |tapes: &mut Enumeration| {
        let mut whole = Whole(Recorder::new(tapes), C::Word::BITS);
        let mut integers = vec![Integer::ZERO; slots];
        bulk::fill(construction, &mut whole, &mut integers).map_err(|_| BitsError::TapeEnded)?;
        ended += 1;
        let tape = whole.0.cut();
        let replay = || Whole(Replay::new(tape.clone()), C::Word::BITS);
        // One by one.
        let mut single = replay();
        let expected = singles(construction, &mut single.0, slots);
        holds &= expected.as_ref() == Ok(&integers) && single.0.position() == tape.bits().len();
        // As words: the first that does not fit is an error.
        let mut words = vec![SignedWord::<C>::default(); slots];
        let filled = bulk::fill(construction, &mut replay(), &mut words);
        let of_words = |integer: &Integer| of_integer::<SignedWord<C>>(integer);
        match integers.iter().map(of_words).collect::<Option<Vec<_>>>() {
            Some(expected) => holds &= filled.is_ok() && words == expected,
            None => holds &= filled == Err(bulk::FillError::TooWide),
        }
        let mut sums = values.clone();
        let clamped = bulk::add_noise(construction, &mut replay(), &mut sums);
        let exact = |value: SignedWord<C>, noise: &Integer| noise.to_big() + value.into();
        let (least, most) = (SignedWord::<C>::MIN.into().into(), SignedWord::<C>::MAX.into().into());
        let exact: Vec<BigInt> = values.iter().zip(&integers).map(|(&value, noise)| exact(value, noise)).collect();
        holds &= clamped == Ok(exact.iter().filter(|sum| !(&least..=&most).contains(sum)).count());
        holds &= sums
            .iter()
            .zip(exact)
            .all(|(&sum, exact)| BigInt::from(sum.into()) == exact.clamp(least.clone(), most.clone()));
        Ok(())
    };
    flat_by(draw, depth.slice, progress)?;
    Ok(holds && !ended.is_zero())
}

/// The samples of a slice, drawn one by one from the words in the order of a slice.
fn singles<C: Trial + Clone + Ord + Send + Sync + 'static>(
    construction: &C,
    tape: &mut Replay,
    slots: usize,
) -> Result<Vec<Integer>, BitsError> {
    let bits = C::Word::BITS;
    let mut samples = Vec::new();
    while samples.len() < slots {
        let count = C::Word::BATCH.min(slots - samples.len());
        let firsts = (0..count).map(|_| tape.take(bits)).collect::<Result<Vec<_>, _>>()?;
        let mut seconds = Vec::new();
        while C::SECOND > 0 && seconds.len() < count {
            let word = tape.take(bits)?;
            // The highest first; each in the top of a word of its own.
            let parts = (1..=bits / C::SECOND).map(|part| word >> (bits - part * C::SECOND));
            seconds.extend(parts.map(|part| (part % (1 << C::SECOND)) << (bits - C::SECOND)));
        }
        for (index, &first) in firsts.iter().enumerate() {
            let head = core::iter::once(first).chain(seconds.get(index).copied()).collect();
            samples.push(execute(&Trials(construction.clone()), &mut Headed { head, tape })?);
        }
    }
    Ok(samples)
}

/// Some words, and then a tape.
struct Headed<'t> {
    head: Vec<u64>,
    tape: &'t mut Replay,
}

impl Bits for Headed<'_> {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        if self.head.is_empty() { self.tape.take(count) } else { Ok(self.head.remove(0)) }
    }
}

/// A source whose 64-bit words begin with so many bits of the tape: those that a short machine word reads.
struct Whole<B>(B, u32);

impl<B: Bits> Bits for Whole<B> {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        self.0.take(count)
    }

    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        for word in words {
            *word = self.0.take(self.1)? << (64 - self.1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    /// The shipped code on a few bits, on every tape: buckets, squeezes, acceptance, refinement, sign, zero,
    /// the step past the word, batches. An integer scale too with `CERTUS_FULL=1`.
    #[test]
    fn short_words_hold() {
        let depth = Depth { trial: 17, slice: 17 };
        let full = std::env::var_os("CERTUS_FULL").is_some();
        for (n, d) in [(19, 3)].into_iter().chain(full.then_some((5, 1))) {
            let scale = positive(n, d);
            for decay in [Decay::Laplace { scale: scale.clone() }, Decay::Gaussian { variance: scale.square() }] {
                assert!(wide_holds(&decay, depth, &mut |_| ()).unwrap(), "{decay:?}");
                assert!(table_holds(&decay, Depth { trial: 15, slice: 17 }, &mut |_| ()).unwrap(), "{decay:?}");
            }
        }
    }
}
