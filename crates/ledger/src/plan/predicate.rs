//! Filters: a small grammar over declared columns, which is read here and written again for each engine.

mod parse;
mod token;
mod write;

use certus::exact::Rational;

/// Which rows count. The logic is SQL's, of three values: what compares with a missing value is unknown, and
/// a row counts where the whole is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// `age >= 40`
    Compare {
        /// The column.
        column: String,
        /// How.
        comparison: Comparison,
        /// With what.
        literal: Literal,
    },
    /// `sex IN ('f', 'x')`
    In {
        /// The column.
        column: String,
        /// At least one.
        literals: Vec<Literal>,
    },
    /// `age BETWEEN 18 AND 64`, ends included.
    Between {
        /// The column.
        column: String,
        /// From.
        low: Literal,
        /// To.
        high: Literal,
    },
    /// `age IS NULL`
    IsNull {
        /// The column.
        column: String,
    },
    /// Both.
    And(Box<Predicate>, Box<Predicate>),
    /// At least one.
    Or(Box<Predicate>, Box<Predicate>),
    /// Not.
    Not(Box<Predicate>),
}

/// How two values are compared. Texts are compared with = and <> alone: engines sort them in different
/// orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>` or `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// What a column is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// An exact number, in the column's own unit: 40, 0.5, 1e3, 1/3.
    Number(Rational),
    /// A text in single quotes, a quote in it doubled.
    Text(String),
}
