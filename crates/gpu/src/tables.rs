//! A distribution's tables, as the kernels take them.

use certus::{
    bits::{BitsError, Launch},
    exact::Integer,
    sample::{PreparedGaussian, PreparedLaplace, View},
};
use certus_gpu_kernel::construction::{List, Table, Wide};
use certus_kernel::{
    squeeze::Reciprocal,
    table::TableView,
    wide::{Fall, WideView},
};

use crate::error::GpuError;

/// Noise whose tables go on a GPU: from a prepared Gaussian or Laplace, or a reference to one.
#[derive(Clone, Debug)]
pub enum Prepared {
    /// Discrete Gaussian noise.
    Gaussian(PreparedGaussian),
    /// Discrete Laplace noise.
    Laplace(PreparedLaplace),
}

macro_rules! prepared {
    ($($kind:ident $noise:ident)*) => { $(
        impl From<$noise> for Prepared {
            fn from(noise: $noise) -> Self {
                Self::$kind(noise)
            }
        }

        impl From<&$noise> for Prepared {
            fn from(noise: &$noise) -> Self {
                Self::$kind(noise.clone())
            }
        }
    )* };
}

prepared!(Gaussian PreparedGaussian Laplace PreparedLaplace);

impl Prepared {
    /// The tables, borrowed.
    fn view(&self) -> View<'_> {
        match self {
            Self::Gaussian(noise) => noise.view(),
            Self::Laplace(noise) => noise.view(),
        }
    }

    /// Sample `index` of a range, alone, by the shipped sampler: exact, whatever it takes.
    pub(crate) fn sample_at(&self, launch: &Launch, index: u64) -> Result<Integer, BitsError> {
        match self {
            Self::Gaussian(noise) => noise.sample_at(launch, index),
            Self::Laplace(noise) => noise.sample_at(launch, index),
        }
    }
}

/// Where lists are put for the kernels to read.
pub(crate) trait Place {
    /// A list of 32-bit words, put there.
    fn words(&mut self, list: &[u32]) -> Result<List<u32>, GpuError>;

    /// A list of 64-bit words, put there.
    fn long_words(&mut self, list: &[u64]) -> Result<List<u64>, GpuError>;
}

/// The tables that a kernel is given, and whose kernel it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tables {
    /// A table.
    Table(Table),
    /// Buckets, in one word.
    Wide(Wide<0>),
    /// Buckets, in a word and a quarter.
    Wider(Wide<16>),
}

// SAFETY: what the lists are in is kept and never written by whoever keeps the tables.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

impl Tables {
    /// Of a distribution, put where the kernels read them.
    pub(crate) fn new(noise: &Prepared, place: &mut impl Place) -> Result<Self, GpuError> {
        match noise.view() {
            View::Table(of) => table(of, place).map(Self::Table),
            View::Wide(of) => wide(of, place).map(Self::Wide),
            View::Wider(of) => wide(of, place).map(Self::Wider),
            View::Reference => Err(GpuError::NoTables),
        }
    }

    /// The name of the construction in a kernel's.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Wide(_) => "wide",
            Self::Wider(_) => "wider",
        }
    }

    /// Fewer than one slot in so many is open after a glance: a guess, which costs a further launch where it
    /// is wrong.
    pub(crate) fn open_ratio(&self) -> u64 {
        match self {
            Self::Table(_) => 1 << 10,
            Self::Wide(_) => 1 << 6,
            Self::Wider(_) => 1 << 5,
        }
    }
}

fn table(view: TableView<'_, u64>, place: &mut impl Place) -> Result<Table, GpuError> {
    let magnitudes = view.magnitudes();
    Ok(Table { guide: place.words(magnitudes.guide)?, thresholds: place.long_words(magnitudes.thresholds)? })
}

fn wide<const SECOND: u32>(view: WideView<'_, u64, SECOND>, place: &mut impl Place) -> Result<Wide<SECOND>, GpuError> {
    let none = Reciprocal { mantissa: 0, exponent: 0 };
    let Reciprocal { mantissa, exponent } = view.reciprocal.unwrap_or(none);
    Ok(Wide {
        guide: place.words(view.buckets.guide)?,
        thresholds: place.long_words(view.buckets.thresholds)?,
        finer: place.long_words(view.buckets.finer)?,
        sure: place.long_words(view.sure)?,
        prefix: view.layout.prefix,
        offset: view.layout.offset,
        squeeze: view.layout.squeeze,
        is_gaussian: (view.fall == Fall::Gaussian).into(),
        mantissa,
        exponent,
        has_reciprocal: view.reciprocal.is_some().into(),
    })
}
