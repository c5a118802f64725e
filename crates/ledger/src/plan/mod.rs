//! Release plans: what is to be released, and from which columns.
//!
//! A plan is TOML, or the one-line form of the command; both give a [`ReleasePlan`], whose text and digest
//! are canonical. Nothing here reads data. **A column is what its declaration makes of it**: an integer, a
//! number rounded to a grid and counted in its steps, or one of a list of texts; clamped to the public
//! bounds; or missing. Filters, ranks and statistics all read that, so that every engine computes on
//! integers and texts alone.

mod canonical;
mod check;
mod column_text;
mod contribution;
mod error;
mod keys;
pub mod limits;
mod predicate;
mod read;

pub use column_text::{budget, column, points};
pub use contribution::Contribution;
pub use error::PlanError;
pub use predicate::{Comparison, Literal, Predicate};
pub use read::{FORMAT, KEYS, ReadValues, STATISTICS};

use std::collections::BTreeMap;

use certus::{
    exact::{Positive, Probability, Rational},
    guarantee::Relation,
};

/// What is released, from which columns, within which budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleasePlan {
    /// A person with all their rows added or removed, or one person's rows changed for any others.
    pub neighbours: Relation,
    /// Who contributes rows; nothing where every row is a person.
    pub person: Option<Person>,
    /// The declared columns, by the name that the file's header or schema has.
    pub columns: BTreeMap<String, Column>,
    /// What the release may cost in all.
    pub budget: Budget,
    /// At least one, each with a name of its own.
    pub queries: Vec<Query>,
}

/// The column that identifies a person, and how much of a person counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// A column of the file, taken as text; a row without it is dropped.
    pub column: String,
    /// m: at most so many rows of a person count in a query.
    pub rows: u32,
    /// g: in at most so many groups of a grouped query; m where the plan does not say.
    pub groups: u32,
    /// r: with at most so many rows in each; m where the plan does not say.
    pub rows_per_group: u32,
}

/// What a column holds, and the public bounds that it is clamped to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// 64-bit integers.
    Integer {
        /// Bounds, in which the value is clamped; nothing for a column that only filters read.
        bounds: Option<(i64, i64)>,
    },
    /// Numbers: steps of a grid, v = ⌊x/grid + 1/2⌋ after x was clamped to the bounds.
    Number {
        /// Bounds in steps of the grid.
        bounds: (i64, i64),
        /// The width of a step, in the column's own unit.
        grid: Positive,
    },
    /// Texts.
    Text {
        /// The public list: what is not on it counts as missing. Nothing where keys are thresholded, or only
        /// filters read the column.
        values: Option<Vec<String>>,
    },
}

/// What a release may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Budget {
    /// ε, by Laplace noise.
    Pure {
        /// ε.
        epsilon: Positive,
    },
    /// Summed (ε, δ): Laplace noise, or calibrated Gaussian noise where a query asks for it.
    Approximate {
        /// ε.
        epsilon: Positive,
        /// δ, above 0.
        delta: Probability,
    },
    /// zero-concentrated, by Gaussian noise.
    Zcdp {
        /// ρ.
        rho: Positive,
    },
}

/// One statistic, or one a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// 1 to 100 printable ASCII characters, unique in the plan.
    pub name: String,
    /// What is computed.
    pub statistic: Statistic,
    /// Which rows count; all, where there is none. Rows for which it is neither true nor false do not.
    pub filter: Option<Predicate>,
    /// The groups: none, one for each value (or tuple of values) of these columns.
    pub by: Vec<String>,
    /// How the groups are known.
    pub keys: Keys,
    /// Its part of the budget.
    pub share: Share,
    /// The noise, where the plan chooses it.
    pub noise: Option<Noise>,
    /// What is made of the noisy statistics afterwards, in this order.
    pub after: Vec<After>,
}

/// What is computed of the rows that count. Columns are of type integer or number unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The number of rows, with or without missing values.
    Count,
    /// The number of different persons.
    Persons,
    /// The sum of a column; a missing value adds nothing.
    Sum {
        /// The column.
        column: String,
    },
    /// The mean of the values that are not missing, from a noisy centred sum and a noisy count.
    Mean {
        /// The column.
        column: String,
    },
    /// The variance of the values that are not missing, from three noisy sums.
    Variance {
        /// The column.
        column: String,
    },
    /// How many values fall into each cell.
    Histogram {
        /// A column of any type; a text's cells are its public list.
        column: String,
        /// For numbers: cut points in steps, c0 < c1 < … < ck; the cells are [c0, c1), …, [c(k-1), ck].
        cuts: Vec<i64>,
    },
    /// A quantile, by the exponential mechanism on the points of a public grid.
    Quantile {
        /// The column.
        column: String,
        /// From 0 to 1; 1/2 is the median.
        level: Probability,
        /// The candidates, in steps, increasing, at most 10,000.
        candidates: Vec<i64>,
    },
    /// The most frequent values of a text column with a public list, best first, without their counts.
    TopK {
        /// The column.
        column: String,
        /// How many.
        k: u32,
    },
}

/// How the groups of a query are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Every combination of the columns' public lists is released, also those that nobody is in.
    Public,
    /// Groups that the data have, released where the noisy number of persons reaches a threshold.
    Thresholded,
}

/// How a query's part of the budget is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Share {
    /// In proportion to this.
    Weight(Positive),
    /// As much as this accuracy takes: |error| ≤ α with probability 95 %, in the unit of the column.
    Accuracy(Positive),
    /// This much, in the budget's kind: ε or ρ.
    Cost(Positive),
}

impl Share {
    /// A weight of 1: what a query has that says nothing.
    ///
    /// # Errors
    ///
    /// Never: 1 is positive.
    pub fn even() -> Result<Self, PlanError> {
        let one = Positive::new(Rational::from_integer(1.into()));
        one.map(Self::Weight).map_err(|_| PlanError::new("weight", "must be positive (> 0)"))
    }
}

/// Noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Discrete Laplace.
    Laplace,
    /// Discrete Gaussian.
    Gaussian,
}

/// Post-processing, which costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Negative counts (and sums of a column that is never negative) become 0.
    NonNegative,
    /// Counts and their total, both noisy, are adjusted to agree.
    Consistent,
}

impl Column {
    /// The width of a step in the column's own unit: 1 for integers, nothing for texts.
    #[must_use]
    pub fn step(&self) -> Option<Rational> {
        match self {
            Self::Integer { .. } => Some(Rational::from_integer(1.into())),
            Self::Number { grid, .. } => Some(grid.get().clone()),
            Self::Text { .. } => None,
        }
    }
}
