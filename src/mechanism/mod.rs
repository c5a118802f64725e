//! Mechanisms: what a release runs, and the text that names one.

mod accuracy;
pub mod additive;
mod arguments;
mod calibrate;
mod catalogue;
mod describe;
mod excerpt;
mod private;
mod randomized_response;
mod release;
pub mod selection;
mod spec;
mod spec_error;
#[cfg(feature = "serde")]
mod spec_serial;
pub mod statistic;

pub use accuracy::{Accuracy, AccuracyError, ErrorBound, ScaleForAccuracy, Tails, largest_scale};
pub use arguments::Arguments;
pub use calibrate::{CalibrateError, Calibration, Classical, Excluded, Trend, calibrate};
pub use catalogue::{AnyMechanism, AnyRelease, CATALOGUE, Entry, Family, InputRefused, Output, entry, from_spec};
pub use excerpt::Excerpt;
pub use private::{Private, ReleaseError};
pub use randomized_response::RandomizedResponse;
pub use release::{FixedReleaseError, Mechanism, Release, ResponseTo};
pub use spec::{Spec, Value};
pub use spec_error::{MAX_COPIES, SpecError};
