//! Mechanisms: what a release runs, and the text that names one.
//!
//! Counts of records and of candidates are lengths of slices in memory, below 2^64: adding them up or
//! counting one more (`saturating_add(1)`) never saturates. Data are clamped to the bounds that a mechanism
//! was made with, which is part of the mechanism, and its sensitivity is that of clamped data. Where a number
//! is positive or a probability by its formula, its type is made by a constructor that checks it all the
//! same, and the value it would fall back to is never taken.

mod accuracy;
pub mod additive;
mod arguments;
mod calibrate;
mod catalogue;
mod excerpt;
mod opaque;
mod private;
mod randomized_response;
pub mod selection;
mod spec;
mod spec_error;
#[cfg(feature = "serde")]
mod spec_serial;
pub mod statistic;
mod subsampled;

pub use accuracy::{Accuracy, AccuracyError, ErrorBound, ScaleForAccuracy, Tails, largest_scale};
pub use arguments::Arguments;
pub use calibrate::{CalibrateError, CalibratedNoise, Calibration, Classical, Excluded, Target, Trend, calibrate};
pub use catalogue::{
    AnyMechanism, AnyRelease, CATALOGUE, Entry, Family, InputError, Outcome, ReadInput, ToOutcome, Typed, Visitor,
    entry, from_spec, visit,
};
pub use excerpt::Excerpt;
pub(crate) use opaque::opaque_debug;
pub use private::{Private, ReleaseError, SamplerError};
pub use randomized_response::{RandomizedResponse, Response};
pub use spec::{Spec, Value};
pub use spec_error::{MAX_COPIES, SpecError};
pub use subsampled::domination;
