//! The aggregation of a plan as one SQL query, for each of three engines, which give the same rows.
//!
//! ```text
//! table ── parsed ── canonical ──┬── filter ── bound ── aggregate ──┐
//!                                ├── filter ── bound ── aggregate ──┼── UNION ALL: rows of text
//!                                └── …                              │
//!                                    digest of the plan, rank key ──┘
//! ```
//!
//! Nothing that a user wrote reaches an engine but as a quoted name or an escaped literal: predicates are
//! written again from their syntax tree, and past the first step columns are called `p`, `c0`, `c1`, …

mod bound;
mod canonical;
mod cells;
mod dialect;
mod predicate;
mod query;

pub use bound::Bounds;
#[cfg(test)]
pub(crate) use canonical::{INTEGER, NUMBER};
pub use canonical::{Kind, Source};
pub(crate) use canonical::{NUMBER_CHARACTERS, grid_parts};
pub use dialect::Dialect;
pub use query::{BINDING_PLAN, BINDING_RANK, SQUARES_RANGE};

use std::collections::BTreeMap;

use certus_ledger::{
    Digest,
    plan::{Column, ReleasePlan},
};

use crate::aggregates::RankKey;

/// A plan that has no query in SQL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// A query or filter reads a column that the plan does not declare.
    #[error("the column {0:?} is not declared")]
    Undeclared(String),
    /// A statistic, filter or key that a column of this type does not have.
    #[error("the column {0:?} is not of the type that is asked for")]
    Type(String),
    /// A name that the engine's SQL cannot hold: it has a NUL, or (for Spark) "${".
    #[error("the name {0:?} cannot be written in this engine's SQL")]
    Name(String),
    /// A grid whose numerator or denominator is not a double.
    #[error("the grid of the column {0:?} has a numerator or denominator of 2^53 or more")]
    Grid(String),
    /// A variance of a column whose squares could overflow.
    #[error("the column {0:?} has more than 2^30 steps between its bounds, which is too many for a variance")]
    Range(String),
    /// A column of the data whose type has no rule for what the plan declares.
    #[error("the column {column:?} is of type {found}, which the plan's declaration cannot be read from")]
    Source {
        /// Its name.
        column: String,
        /// Its type in the schema.
        found: &'static str,
    },
    /// A column that the data do not have.
    #[error("the data have no column {0:?}")]
    Absent(String),
}

/// What a query is written from.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub plan: &'a ReleasePlan,
    pub rank_key: &'a RankKey,
    pub dialect: Dialect,
    /// Whether the engine has a function for the cells of each query, named by [`cell_function`].
    pub functions: bool,
}

/// What an engine in this process calls the function from a value to its cell, of the query of this index.
pub(crate) fn cell_function(place: usize) -> String {
    format!("certus_cell_{place}")
}

impl<'a> Writer<'a> {
    /// A declared column, and what it is called past the first step.
    fn column(&self, name: &str) -> Result<(&'a Column, String), SqlError> {
        let place = self.plan.columns.keys().position(|key| key == name);
        let column = self.plan.columns.get(name);
        match (column, place) {
            (Some(column), Some(place)) => Ok((column, format!("c{place}"))),
            _ => Err(SqlError::Undeclared(name.to_owned())),
        }
    }

    /// Columns of keys in the longest key of the plan.
    fn key_columns(&self) -> usize {
        self.plan.queries.iter().map(|query| query.by.len()).max().unwrap_or(0)
    }
}

/// The names of the result's columns, all of them texts: `query`, `key_1`, …, `cell`, `n_rows`, `n_persons`,
/// `n_values`, `total`, `squares`.
#[must_use]
pub fn result_columns(plan: &ReleasePlan) -> Vec<String> {
    let keys = plan.queries.iter().map(|query| query.by.len()).max().unwrap_or(0);
    let mut names = vec!["query".to_owned()];
    names.extend((1..=keys).map(|place| format!("key_{place}")));
    names.extend(["cell", "n_rows", "n_persons", "n_values", "total", "squares"].map(str::to_owned));
    names
}

/// The aggregation of all queries, with two rows that say for which plan and by which rank key.
///
/// `table` is a name, with dots between its parts; the parts are quoted here.
///
/// # Errors
///
/// A plan that contradicts itself, or that the source or the dialect cannot serve. The error depends on the
/// plan, the schema and the dialect alone.
pub fn aggregation(
    plan: &ReleasePlan,
    digest: &Digest,
    rank_key: &RankKey,
    dialect: Dialect,
    table: &str,
    source: &Source,
) -> Result<String, SqlError> {
    let writer = Writer { plan, rank_key, dialect, functions: false };
    let mut parts = writer.binding(digest);
    for place in 0..plan.queries.len() {
        parts.extend(writer.query(place)?);
    }
    Ok(format!("WITH {}\n{}", writer.canonical(table, source)?, parts.join("\nUNION ALL\n")))
}

#[cfg(feature = "engine")]
/// The aggregation of one query, without the rows that bind it to the plan: for the engine in this process.
pub(crate) fn aggregation_of(
    plan: &ReleasePlan,
    rank_key: &RankKey,
    table: &str,
    source: &Source,
    place: usize,
) -> Result<String, SqlError> {
    let writer = Writer { plan, rank_key, dialect: Dialect::DataFusion, functions: true };
    let query = writer.query(place)?.unwrap_or_default();
    Ok(format!("WITH {}\n{query}", writer.canonical(table, source)?))
}

/// The types of a file's columns, by name.
pub type Kinds = BTreeMap<String, Kind>;
