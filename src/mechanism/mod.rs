//! Mechanisms: what a release runs, and the text that names one.

mod arguments;
mod catalogue;
mod describe;
mod excerpt;
mod private;
mod randomized_response;
mod release;
mod spec;
mod spec_error;

pub use arguments::Arguments;
pub use catalogue::{CATALOGUE, Entry};
pub use excerpt::Excerpt;
pub use private::{Private, ReleaseError};
pub use randomized_response::RandomizedResponse;
pub use release::{FixedReleaseError, InputError, Mechanism, Release, ResponseTo};
pub use spec::{Spec, Value};
pub use spec_error::{MAX_COPIES, SpecError};
