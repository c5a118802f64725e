//! Prepared samplers: built once for a parameter, then exact samples in nanoseconds.
//!
//! [`PreparedLaplace`] and [`PreparedGaussian`] draw from the same distributions as the reference samplers
//! [`Laplace`](super::Laplace) and [`Gaussian`](super::Gaussian), exactly, and pay the exponentials in
//! advance. Three constructions:
//!
//! | scale or σ | construction | memory |
//! | --- | --- | --- |
//! | up to 2^10 | a table of every magnitude, inverted lazily: one 64-bit word a sample | at most 1 MiB |
//! | up to 2^63 | buckets under an envelope, then accepted: a word a trial, or a word and a quarter | at most 256 KiB |
//! | beyond | the reference sampler | – |
//!
//! A comparison that the first word leaves open draws more bits and tightens an enclosure until it is
//! decided. Rounding never decides, nothing is clamped, and no output is out of reach.
//!
//! **Counter mode** (`fill_at`, `add_noise_at`): each sample by its place under a [`Key`](crate::bits::Key), the
//! same in one piece or in many, on any number of threads, and on a GPU. The integer code that draws is that of
//! the crate `certus-kernel`, on tables that are borrowed from here.
//!
//! **Time.** A sample's time depends on its value: the table is read where the noise falls. Where somebody
//! could measure it, as another tenant of the machine might, draw with a sampler whose work is fixed.

pub(crate) mod bulk;
pub(crate) mod cells;
mod counter;
#[cfg(feature = "rand")]
mod distribution;
pub(crate) mod inversion;
mod layout;
mod squeeze;
pub(crate) mod table;
pub(crate) mod wide;

use core::ops::ControlFlow;

use self::{
    cells::Decay,
    table::Table,
    wide::{Layout, Wide},
};
use super::{Gaussian, Interpreter, Laplace, Program, Step, machine::Machine, program::Execution};
use crate::{
    bits::{Bits, BitsError},
    exact::{Integer, Positive},
};

pub use bulk::{FillError, Sample, Samples};
pub(super) use bulk::{add_noise_by_reference, fill_by_reference};
pub use counter::View;

/// One trial of a construction, on a first word and perhaps a part of a second: settled at once, or resolved
/// with more bits.
pub trait Trial {
    /// The machine word: 64 bits as shipped.
    type Word: Machine;

    /// The bits of the second part: 0 or 16 as shipped.
    const SECOND: u32;

    /// The sample, if these words decide it at a glance and it fits.
    fn settle(&self, first: Self::Word, second: Self::Word) -> Option<SignedWord<Self>>;

    /// The sample whatever it takes, or nothing if the trial is rejected: then the next one draws fresh
    /// words.
    fn resolve<I: Interpreter>(
        &self,
        first: Self::Word,
        second: Self::Word,
        on: &mut I,
    ) -> Result<Option<Integer>, I::Error>;

    /// What the tables occupy, in bytes.
    fn memory(&self) -> usize;

    /// One trial, as a step of a [`Program`].
    #[inline]
    fn trial<I: Interpreter>(&self, on: &mut I) -> Result<ControlFlow<Integer, ()>, I::Error> {
        let bits = Self::Word::BITS;
        let first = Self::Word::cut(on.bits(bits)?);
        let second = match Self::SECOND {
            0 => Self::Word::default(),
            // A whole word for a part of it, so that later words are the generator's own.
            second => Self::Word::cut(on.bits(bits)?).shifted_down(bits - second),
        };
        Ok(match self.settle(first, second) {
            Some(sample) => ControlFlow::Break(Integer::from(sample.into())),
            None => self.resolve(first, second, on)?.map_or(ControlFlow::Continue(()), ControlFlow::Break),
        })
    }
}

/// A signed machine word of a construction.
pub type SignedWord<C> = <<C as Trial>::Word as Machine>::Signed;

/// Trials until one is accepted: a construction as a [`Program`], which enumerates it at any width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trials<C>(pub C);

impl<C: Trial + Clone + Ord + Send + Sync + 'static> Program for Trials<C> {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        self.0.trial(on)
    }
}

/// The widest scale or σ of a table: 2^10.
const WIDEST_TABLE: u32 = 10;

/// The construction that draws, and the reference sampler where there is none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Construction<R> {
    /// A word indexes a table.
    Table(Table<u64>),
    /// In one word.
    Wide(Wide<u64, 0>),
    /// In a word and a quarter.
    Wider(Wide<u64, 16>),
    /// The reference sampler.
    Reference(R),
}

/// ⌊log₂ x⌋, if x ≥ 1.
fn floor_log2(x: &Positive) -> Option<u32> {
    let (numerator, denominator) = (x.numerator(), x.denominator());
    let length = numerator.bits().checked_sub(denominator.bits())?;
    // 2^(length − 1) < x < 2^(length + 1).
    let log = if *numerator >= denominator << length { length } else { length.checked_sub(1)? };
    u32::try_from(log).ok()
}

impl<R: Program<Output = Integer>> Construction<R> {
    fn new(decay: Decay, reference: impl FnOnce() -> R) -> Self {
        // The square of the scale or σ.
        let square = match &decay {
            Decay::Laplace { scale } => scale.square(),
            Decay::Gaussian { variance } => variance.clone(),
        };
        if *square.numerator() <= square.denominator() << (2 * WIDEST_TABLE) {
            return Self::Table(Table::new(decay));
        }
        // At least 128 and fewer than 256 buckets a scale.
        let offset = floor_log2(&square).and_then(|log| (log / 2).checked_sub(7));
        match offset {
            // 3 to 36: at least 19 bits find the bucket.
            Some(offset) if offset <= 36 => Self::Wide(Wide::new(decay, Layout::share(64, offset))),
            // 37 to 55: at least 16 bits.
            Some(offset) if offset <= 55 => Self::Wider(Wide::new(decay, Layout::share(80, offset))),
            _ => Self::Reference(reference()),
        }
    }

    #[inline]
    fn step<I: Interpreter>(&self, on: &mut I) -> Result<ControlFlow<Integer, ()>, I::Error> {
        match self {
            Self::Table(table) => table.trial(on),
            Self::Wide(wide) => wide.trial(on),
            Self::Wider(wide) => wide.trial(on),
            Self::Reference(reference) => Ok(ControlFlow::Break(on.call(reference)?)),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Wide(_) | Self::Wider(_) => "wide",
            Self::Reference(_) => "reference",
        }
    }

    fn memory(&self) -> usize {
        match self {
            Self::Table(table) => table.memory(),
            Self::Wide(wide) => wide.memory(),
            Self::Wider(wide) => wide.memory(),
            Self::Reference(_) => 0,
        }
    }

    fn fill<T: Sample, B: Bits + ?Sized>(&self, bits: &mut B, out: &mut [T]) -> Result<(), FillError> {
        bits.begin()?;
        match self {
            Self::Table(table) => bulk::fill(table, bits, out),
            Self::Wide(wide) => bulk::fill(wide, bits, out),
            Self::Wider(wide) => bulk::fill(wide, bits, out),
            Self::Reference(reference) => bulk::fill_by_reference(reference, bits, out),
        }
    }

    fn add_noise<B: Bits + ?Sized>(&self, bits: &mut B, values: &mut [i64]) -> Result<usize, BitsError> {
        let noised = bits.begin().and_then(|()| match self {
            Self::Table(table) => bulk::add_noise(table, bits, values),
            Self::Wide(wide) => bulk::add_noise(wide, bits, values),
            Self::Wider(wide) => bulk::add_noise(wide, bits, values),
            Self::Reference(reference) => bulk::add_noise_by_reference(reference, bits, values),
        });
        noised.inspect_err(|_| values.fill(0))
    }
}

macro_rules! prepared {
    ($name:ident, $reference:ident) => {
        impl $name {
            pub(crate) fn shipped(&self) -> &Construction<$reference> {
                &self.construction
            }

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
            /// If the source fails, or if a sample does not fit `T`, which never happens to an [`Integer`].
            /// What the slice holds then must not be released: that a sample did not fit says something about
            /// it.
            ///
            /// For `i64` that has probability below 2^-1000 a sample where the scale is at most 2^53 or σ at
            /// most 2^57.
            #[inline]
            pub fn fill<T: Sample, B: Bits + ?Sized>(&self, bits: &mut B, out: &mut [T]) -> Result<(), FillError> {
                self.construction.fill(bits, out)
            }

            /// Adds an independent sample to each value; the answer is how many sums were clamped.
            ///
            /// A sum past 64 bits is clamped, never wrapped. The sum is formed exactly; clamping it, and
            /// counting how often, is post-processing.
            ///
            /// # Errors
            ///
            /// If the source fails. Every value is then overwritten with 0: those that had no noise yet are
            /// private.
            #[inline]
            pub fn add_noise<B: Bits + ?Sized>(&self, bits: &mut B, values: &mut [i64]) -> Result<usize, BitsError> {
                self.construction.add_noise(bits, values)
            }

            /// An endless iterator of samples; it yields an error where the source fails.
            pub fn samples<'s, B: Bits>(&'s self, bits: B) -> Samples<'s, Self, B> {
                Samples::new(self, bits)
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
