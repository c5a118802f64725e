//! Contribution bounds: which rows of a person count in a query.
//!
//! The rows that pass the filter are ranked by a keyed hash of the person and of every column that the query
//! reads, so that ties are rows that are identical in all that is read. Of these a person keeps
//!
//! 1. in each group, the first r;
//! 2. where g < m, the g groups whose own keyed hashes are first;
//! 3. of what is left, the first m.
//!
//! A step that changes nothing is left out: the first where r ≥ m, the last where g < m and g·r ≤ m.

use std::collections::BTreeSet;

use certus_ledger::plan::{Column, Contribution, Query};

use super::{SqlError, Writer};

/// What binds in one query: nothing where another bound implies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// At most so many rows of a person.
    pub rows: Option<u32>,
    /// In at most so many groups.
    pub groups: Option<u32>,
    /// At most so many rows of a person in a group.
    pub rows_per_group: Option<u32>,
}

impl Bounds {
    /// The bounds of what is kept of a person, which the price rests on too. A query without groups is one group,
    /// so that the bound on rows implies the others.
    #[must_use]
    pub fn of(kept: Contribution, has_groups: bool) -> Self {
        let Contribution { rows, groups, rows_per_group } = kept;
        if !has_groups {
            return Self { rows: Some(rows), groups: None, rows_per_group: None };
        }
        let product = u64::from(groups) * u64::from(rows_per_group);
        if groups < rows && product <= u64::from(rows) {
            return Self { rows: None, groups: Some(groups), rows_per_group: Some(rows_per_group) };
        }
        // The bound on rows is there, and implies what is left out.
        Self {
            rows: Some(rows),
            groups: (groups < rows).then_some(groups),
            rows_per_group: (rows_per_group < rows).then_some(rows_per_group),
        }
    }
}

impl Writer<'_> {
    /// Rows of `rows` (a table in parentheses), bounded, with a column that is 1 in exactly one of the rows
    /// that are kept of each person and group, where `persons` asks for it.
    ///
    /// That column is a rank among the rows that are kept. A rank from before a later step would not do: of
    /// two identical rows, an engine may keep the one that it ranked second in the step before.
    pub(crate) fn bounded(
        &self,
        rows: &str,
        query: &Query,
        reads: &BTreeSet<&str>,
        persons: bool,
    ) -> Result<(String, Option<&'static str>), SqlError> {
        if self.plan.person.is_none() {
            return Ok((rows.to_owned(), None));
        }
        let bounds = Bounds::of(self.plan.contribution(query), !query.by.is_empty());
        let columns = self.called(reads.iter().copied())?;
        let keys = self.called(query.by.iter().map(String::as_str))?;
        let hash = |names: &[&str]| -> Result<String, SqlError> {
            let mut items = vec![format!("'{}'", self.rank_key), self.dialect.encoded_text("p")];
            for name in names {
                let (column, called) = self.column(name)?;
                items.push(match column {
                    Column::Text { .. } => self.dialect.encoded_text(&called),
                    Column::Integer { .. } | Column::Number { .. } => self.dialect.encoded_integer(&called),
                });
            }
            Ok(self.dialect.hash(&items.join(" || ")))
        };
        let order = |first: &str, columns: &[String]| {
            let rest = columns.iter().map(|column| format!(", {column} NULLS FIRST"));
            std::iter::once(first.to_owned()).chain(rest).collect::<String>()
        };
        let row_hash = hash(&reads.iter().copied().collect::<Vec<_>>())?;
        let mut hashed = format!("SELECT *, {row_hash} AS h");
        if bounds.groups.is_some() {
            let by: Vec<_> = query.by.iter().map(String::as_str).collect();
            hashed += &format!(", {} AS gh", hash(&by)?);
        }
        let mut table = format!("({hashed} FROM {rows} AS t1)");
        let in_group: String = keys.iter().map(|key| format!(", {key}")).collect();
        let (mut ranks, mut kept) = (String::new(), Vec::new());
        if let Some(most) = bounds.rows_per_group {
            kept.push(format!("a <= {most}"));
        }
        if bounds.rows_per_group.is_some() {
            ranks += &format!(", row_number() OVER (PARTITION BY p{in_group} ORDER BY {}) AS a", order("h", &columns));
        }
        if let Some(most) = bounds.groups {
            ranks += &format!(", dense_rank() OVER (PARTITION BY p ORDER BY {}) AS b", order("gh", &keys));
            kept.push(format!("b <= {most}"));
        }
        if !ranks.is_empty() {
            table = format!("(SELECT *{ranks} FROM {table} AS t2)");
        }
        if !kept.is_empty() {
            table = format!("(SELECT * FROM {table} AS t3 WHERE {})", kept.join(" AND "));
        }
        let Some(most) = bounds.rows else {
            // Every row that is first in its group is kept, if its group is.
            return Ok((table, persons.then_some("a")));
        };
        let rank = format!("row_number() OVER (PARTITION BY p ORDER BY {}) AS n", order("h", &columns));
        table = format!("(SELECT * FROM (SELECT *, {rank} FROM {table} AS t4) AS t5 WHERE n <= {most})");
        if persons && !keys.is_empty() {
            let rank = format!("row_number() OVER (PARTITION BY p{in_group} ORDER BY {}) AS f", order("h", &columns));
            table = format!("(SELECT *, {rank} FROM {table} AS t6)");
        }
        Ok((table, persons.then_some(if keys.is_empty() { "n" } else { "f" })))
    }

    /// What columns are called past the first step.
    pub(crate) fn called<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<Vec<String>, SqlError> {
        names.map(|name| Ok(self.column(name)?.1)).collect()
    }
}
