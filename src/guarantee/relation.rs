//! Which inputs are neighbours.

/// When two databases are neighbours: what a guarantee protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Relation {
    /// One has a person's record more than the other ("unbounded").
    AddRemove,
    /// They have the same number of records, and differ in one person's ("bounded").
    ChangeOne,
}

impl Relation {
    /// Its name in documents: `add_remove` or `change_one`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::AddRemove => "add_remove",
            Self::ChangeOne => "change_one",
        }
    }
}

impl core::fmt::Display for Relation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::AddRemove => "add or remove one",
            Self::ChangeOne => "change one",
        })
    }
}
