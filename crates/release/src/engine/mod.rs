//! The engine in this process: DataFusion, over CSV (by [`crate::csv`]) or Parquet.
//!
//! What can fail fails by the plan, the header or schema and the file's metadata, before a row is read
//! ([`Data::open`]); past that, by a file that changes ([`EngineError::Changed`]) or by the machine: a disk
//! that is full, spill space that is used up, a Parquet page that cannot be decoded. No error's text holds
//! data, but whether the machine suffices may depend on it: give it room, and keep the debit.
//!
//! Groups are given one by one ([`Data::for_each_group`]), as many as the data have: a limit on their number
//! would be a refusal that depends on the data. Whoever draws noise for thresholded keys from them keeps
//! those that pass alone; memory then depends on what is released.

mod cells;
mod error;
mod identity;
mod open;
mod parquet;
mod run;

pub use error::{ChangedError, EngineError};
pub use identity::Identity;
pub use open::{Data, Options};

use std::path::Path;

use certus_ledger::{Digest, plan::ReleasePlan};

use crate::aggregates::{Aggregates, RankKey};

/// Checks a file's header or schema against a plan: for use before the budget is debited.
///
/// # Errors
///
/// As [`Data::open`].
pub fn check_header(plan: &ReleasePlan, data: &Path) -> Result<(), EngineError> {
    Data::open(plan, data, Options::default()).map(|_| ())
}

/// Aggregates a file.
///
/// # Errors
///
/// As [`Data::open`] and [`Data::for_each_group`].
pub fn aggregate(
    plan: &ReleasePlan,
    digest: &Digest,
    rank_key: &RankKey,
    data: &Path,
    options: Options,
) -> Result<Aggregates, EngineError> {
    Data::open(plan, data, options)?.aggregate(plan, digest, rank_key)
}
