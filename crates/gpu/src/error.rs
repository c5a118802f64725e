//! Why there is no noise.

use certus::bits::BitsError;
use cudarc::driver::DriverError;

/// Why a GPU did not do what was asked. No text depends on what a tensor holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is none, or no driver of one.
    #[error("there is no GPU: {0}")]
    NoGpu(String),
    /// A call of the driver failed.
    #[error("the GPU's driver could not {action}: {reason}")]
    Driver {
        /// What it was asked for.
        action: &'static str,
        /// What it says.
        reason: String,
    },
    /// The scale or σ is past 2^63, and has no tables.
    #[error(
        "noise: a scale or sigma above 2^63 has no tables for a GPU; up to 2^63 is accepted, and the processor draws any"
    )]
    NoTables,
    /// The tensor is not as long as the range.
    #[error("out: it has {len} elements, and the range has {range} samples: as many are accepted")]
    Length {
        /// The tensor's.
        len: u64,
        /// The range's.
        range: u64,
    },
    /// The tensor's address is no multiple of its elements' size.
    #[error("out: its address is not a multiple of {size}, the size of an element, as it must be")]
    Alignment {
        /// Of an element, in bytes.
        size: usize,
    },
    /// A sample does not fit the tensor's type. It is neither clamped nor wrapped; what the tensor holds must
    /// not be released.
    #[error("a sample does not fit the tensor's type")]
    TooWide,
    /// There are no bits.
    #[error(transparent)]
    Bits(#[from] BitsError),
}

impl GpuError {
    /// Of a call of the driver.
    pub(crate) fn driver(action: &'static str) -> impl FnOnce(DriverError) -> Self {
        move |error| Self::Driver { action, reason: reason(error) }
    }
}

/// What the driver says of an error, in its own words.
pub(crate) fn reason(error: DriverError) -> String {
    match error.error_string() {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) => format!("error {}", error.0 as u32),
    }
}
