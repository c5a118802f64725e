//! How much of a person counts in a query, whatever the data hold.

use super::{Query, ReleasePlan};

/// What is kept of each person, after the query's filter. The engine keeps no more, and the sensitivity
/// rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// m: rows in all.
    pub rows: u32,
    /// g: groups. Never more than rows.
    pub groups: u32,
    /// r: rows in each group. Never more than rows.
    pub rows_per_group: u32,
}

impl Contribution {
    /// Every row is a person.
    pub const ONE: Self = Self { rows: 1, groups: 1, rows_per_group: 1 };
}

impl ReleasePlan {
    /// What is kept of a person in a query. A query without `by` is one group, so that min(m, r) rows are
    /// kept; the cells of a histogram, a quantile or top-k are no groups.
    #[must_use]
    pub fn contribution(&self, query: &Query) -> Contribution {
        let Some(person) = &self.person else { return Contribution::ONE };
        let rows_per_group = person.rows_per_group.min(person.rows);
        if query.by.is_empty() {
            return Contribution { rows: rows_per_group, groups: 1, rows_per_group };
        }
        Contribution { rows: person.rows, groups: person.groups.min(person.rows), rows_per_group }
    }
}
