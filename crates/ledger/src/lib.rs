//! What a private release of real data rests on, without an engine that reads the data.
//!
//! * [`book`]: a privacy budget in an append-only file. A debit is on the disk before noise is drawn.
//! * [`plan`]: what is to be released, as a statistician writes it down: columns with public bounds, queries,
//!   budget.

pub mod book;
mod digest;
pub mod plan;

pub use digest::{Digest, DigestError};
