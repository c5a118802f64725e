//! Why a plan is refused: one line that names the place, what is wrong and what is accepted.

/// A refusal. Its text speaks of the plan alone, never of data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct PlanError {
    place: String,
    what: String,
}

impl PlanError {
    /// What is wrong, and where.
    #[must_use]
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }

    /// The same, further out: `plan.toml: query 2: level: …`.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        Self { place: format!("{outer}: {}", self.place), what: self.what }
    }
}
