//! Prepared samplers: built once for a parameter, then exact samples in nanoseconds.
//!
//! [`PreparedLaplace`] and [`PreparedGaussian`] draw from the same distributions as the reference samplers
//! [`Laplace`](super::Laplace) and [`Gaussian`](super::Gaussian), exactly, and pay the exponentials in advance. Three constructions:
//!
//! | scale or σ | construction | memory |
//! | --- | --- | --- |
//! | up to 2^10 | a table of every magnitude, inverted lazily: one 64-bit word a sample | at most 1 MiB |
//! | up to 2^63 | buckets under an envelope, then accepted: one or two words a trial | at most 128 KiB |
//! | beyond | the reference sampler | – |
//!
//! A comparison that the first word leaves open draws more bits and tightens an enclosure until it is decided. Rounding never
//! decides, nothing is clamped, and no output is out of reach.
//!
//! **Time.** A sample's time depends on its value: the table is read where the noise falls. Where somebody could measure it, as
//! another tenant of the machine might, draw with a sampler whose work is fixed.

mod bulk;
mod cells;
mod inversion;
mod table;

use core::ops::ControlFlow;

use self::{cells::Decay, table::Table};
use super::{Gaussian, Interpreter, Laplace, Program, Step, program::Execution};
use crate::{
    bits::{Bits, BitsError},
    exact::{Integer, Positive},
};

pub use bulk::{FillError, Noise, Output};

/// One trial of a construction on `WORDS` words: settled at once, or resolved with more bits.
pub(crate) trait Trial<const WORDS: usize> {
    /// The bits of a word: 64 as shipped.
    const BITS: u32;

    /// The sample, if these words decide it at a glance and it fits.
    fn settle(&self, words: &[u64; WORDS]) -> Option<i64>;

    /// The sample whatever it takes, or nothing if the trial is rejected: then the next one draws fresh words.
    fn resolve<I: Interpreter>(&self, words: &[u64; WORDS], on: &mut I) -> Result<Option<Integer>, I::Error>;

    /// What the tables occupy, in bytes.
    fn memory(&self) -> usize;

    /// Draws a trial's words.
    #[inline]
    fn draw<I: Interpreter>(&self, on: &mut I) -> Result<[u64; WORDS], I::Error> {
        let mut words = [0; WORDS];
        for word in &mut words {
            *word = on.bits(Self::BITS)?;
        }
        Ok(words)
    }

    /// One trial, as a step of a [`Program`].
    #[inline]
    fn trial<I: Interpreter>(&self, on: &mut I) -> Result<ControlFlow<Integer, ()>, I::Error> {
        let words = self.draw(on)?;
        Ok(match self.settle(&words) {
            Some(sample) => ControlFlow::Break(sample.into()),
            None => self.resolve(&words, on)?.map_or(ControlFlow::Continue(()), ControlFlow::Break),
        })
    }
}

/// The widest scale or σ of a table: 2^10.
const WIDEST_TABLE: u32 = 10;

/// The construction that draws, and the reference sampler where there is none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Construction<R> {
    Table(Table<63>),
    Reference(R),
}

impl<R: Program<Output = Integer>> Construction<R> {
    /// `doubled` is log₂ of the square of the scale or σ.
    fn new(decay: Decay, reference: impl FnOnce() -> R) -> Self {
        let doubled = match &decay {
            Decay::Laplace { scale } => Positive::square(scale),
            Decay::Gaussian { variance } => variance.clone(),
        };
        if *doubled.numerator() <= doubled.denominator() << (2 * WIDEST_TABLE) {
            Self::Table(Table::new(decay))
        } else {
            Self::Reference(reference())
        }
    }

    #[inline]
    fn step<I: Interpreter>(&self, on: &mut I) -> Result<ControlFlow<Integer, ()>, I::Error> {
        match self {
            Self::Table(table) => table.trial(on),
            Self::Reference(reference) => Ok(ControlFlow::Break(on.call(reference)?)),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Reference(_) => "reference",
        }
    }

    fn memory(&self) -> usize {
        match self {
            Self::Table(table) => table.memory(),
            Self::Reference(_) => 0,
        }
    }

    fn fill<T: Output, B: Bits + ?Sized>(&self, bits: &mut B, out: &mut [T]) -> Result<(), FillError> {
        bits.begin()?;
        match self {
            Self::Table(table) => bulk::fill(table, bits, out),
            Self::Reference(reference) => bulk::fill_by_reference(reference, bits, out),
        }
    }

    fn add_noise<B: Bits + ?Sized>(&self, bits: &mut B, values: &mut [i64]) -> Result<(), BitsError> {
        bits.begin()?;
        match self {
            Self::Table(table) => bulk::add_noise(table, bits, values),
            Self::Reference(reference) => bulk::add_noise_by_reference(reference, bits, values),
        }
    }
}

macro_rules! prepared {
    ($name:ident, $reference:ident) => {
        impl $name {
            /// Which construction draws: `table`, `wide` or `reference`.
            #[must_use]
            pub fn construction(&self) -> &'static str {
                self.construction.name()
            }

            /// What the tables occupy, in bytes.
            #[must_use]
            pub fn memory(&self) -> usize {
                self.construction.memory()
            }

            /// Fills a slice with independent samples: of [`Integer`]s, or of machine words.
            ///
            /// # Errors
            ///
            /// If the source fails, or if a sample does not fit `T`, which never happens to an [`Integer`]. What the slice
            /// holds then must not be released: that a sample did not fit says something about it.
            ///
            /// For `i64` that has probability below 2^-1000 a sample where the scale is at most 2^53 or σ at most 2^57.
            #[inline]
            pub fn fill<T: Output, B: Bits + ?Sized>(&self, bits: &mut B, out: &mut [T]) -> Result<(), FillError> {
                self.construction.fill(bits, out)
            }

            /// Adds an independent sample to each value. A sum past 64 bits is clamped, never wrapped: the sum is formed exactly,
            /// and clamping it is post-processing.
            ///
            /// # Errors
            ///
            /// If the source fails; values already noised stay so, and none of them may be released as a whole vector.
            #[inline]
            pub fn add_noise<B: Bits + ?Sized>(&self, bits: &mut B, values: &mut [i64]) -> Result<(), BitsError> {
                self.construction.add_noise(bits, values)
            }

            /// An endless iterator of samples; it yields an error where the source fails.
            pub fn samples<'s, B: Bits>(&'s self, bits: B) -> Noise<'s, Self, B> {
                Noise::new(self, bits)
            }
        }

        impl Program for $name {
            type State = ();
            type Output = Integer;

            #[inline]
            fn start(&self) {}

            #[inline]
            fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
                self.construction.step(on)
            }
        }
    };
}

/// Discrete Laplace noise, prepared: P(k) = (1 − e^(-1/s))/(1 + e^(-1/s)) · e^(-|k|/s) for every integer k.
///
/// ```
/// use certus::{bits::SystemBits, exact::{Positive, Rational}, sample::PreparedLaplace};
///
/// let noise = PreparedLaplace::new(&Positive::new(Rational::new(5.into(), 2.into()))?);
/// let mut samples = [0i64; 1000];
/// noise.fill(&mut SystemBits::new()?, &mut samples)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PreparedLaplace {
    construction: Construction<Laplace>,
}

impl PreparedLaplace {
    /// The distribution with scale `s` = `scale`.
    #[must_use]
    pub fn new(scale: &Positive) -> Self {
        let decay = Decay::Laplace { scale: scale.clone() };
        Self { construction: Construction::new(decay, || Laplace::new(scale)) }
    }
}

prepared!(PreparedLaplace, Laplace);

/// Discrete Gaussian noise, prepared: P(k) = e^(-k²/2σ²)/Z for every integer k, with Z = Σ_j e^(-j²/2σ²).
///
/// ```
/// use certus::{bits::SystemBits, exact::{Integer, Positive, Rational}, sample::PreparedGaussian};
///
/// let noise = PreparedGaussian::new(&Positive::new(Rational::from_integer(10.into()))?);
/// let mut bits = SystemBits::new()?;
/// let mut counts = [120, 35, 7];
/// noise.add_noise(&mut bits, &mut counts)?;
/// let some = noise.samples(&mut bits).take(5).collect::<Result<Vec<Integer>, _>>()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PreparedGaussian {
    construction: Construction<Gaussian>,
}

impl PreparedGaussian {
    /// The distribution with standard parameter σ = `sigma`.
    #[must_use]
    pub fn new(sigma: &Positive) -> Self {
        Self::with_variance(&sigma.square())
    }

    /// The distribution with σ² = `variance`, whose root need not be rational.
    #[must_use]
    pub fn with_variance(variance: &Positive) -> Self {
        let decay = Decay::Gaussian { variance: variance.clone() };
        Self { construction: Construction::new(decay, || Gaussian::with_variance(variance)) }
    }
}

prepared!(PreparedGaussian, Gaussian);
