//! The seam between the engine and the noise: exact aggregates of the rows that count. **They are
//! confidential.**

mod file;
mod row;

pub use file::{CONFIDENTIAL, FileError, Writer, read, write};
pub use row::{Fault, Reader, Row};

use std::{fmt, str::FromStr};

use certus_ledger::Digest;

/// What noise is added to, for each query of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregates {
    /// The digest of the plan that they are for.
    pub plan: Digest,
    /// The key that rows of one person were ranked by, drawn for this release.
    pub rank_key: RankKey,
    /// In the order of the plan's queries: the groups that the data have, in no particular order. A query
    /// without groups or cells has one group or none (no rows).
    pub queries: Vec<Vec<Group>>,
}

/// 32 bytes that rank the rows of a person: for fairness, not for privacy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankKey(pub [u8; 32]);

/// The exact numbers of one group (or cell of a group), after filter and contribution bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The values of the query's `by` columns, in their order: texts, or integers (steps) in decimal. Rows in
    /// which one of them is missing are in no group.
    pub key: Vec<String>,
    /// The cell, of a histogram (an index of its cells, or of the column's public list), of a quantile
    /// (2i for values strictly between candidates i − 1 and i, 2i + 1 for values equal to candidate i) or of
    /// top-k (an index of the public list). Rows that are in no cell are left out.
    pub cell: Option<u32>,
    /// The number of rows.
    pub rows: u64,
    /// The number of different persons; `rows` where every row is a person. Counted for the statistic of
    /// persons and for thresholded keys alone, otherwise 0. A person of a group is counted once, in one of
    /// its cells.
    pub persons: u64,
    /// The number of rows in which the column of a sum, mean or variance is not missing.
    pub values: u64,
    /// The sum of the column, in steps.
    pub sum: i128,
    /// The sum of squares of 2v − (lower + upper), v in steps: what a variance needs.
    pub squares: i128,
}

impl fmt::Display for RankKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for RankKey {
    type Err = certus_ledger::DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Digest::from_str(text).map(|digest| Self(*digest.as_bytes()))
    }
}
