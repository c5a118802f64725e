//! Mechanisms: what a release runs, and the text that names one.

mod arguments;
mod excerpt;
mod spec;
mod spec_error;

pub use arguments::Arguments;
pub use excerpt::Excerpt;
pub use spec::{Spec, Value};
pub use spec_error::{MAX_COPIES, SpecError};
