//! Filters, written again from their syntax tree: comparisons of integers, equality of texts.
//!
//! A literal L of a column whose steps are s wide becomes a bound in steps: v·s ≥ L ⇔ v ≥ ⌈L/s⌉, and v·s = L
//! holds for no integer v where L/s is none. What holds never (or always) is still unknown where the column
//! is missing.

use certus::exact::{BigInt, Rational};
use certus_ledger::plan::{Column, Comparison, Literal, Predicate};

use super::{Dialect, SqlError, Writer};

impl Writer<'_> {
    /// A condition in parentheses.
    pub(crate) fn predicate(&self, predicate: &Predicate) -> Result<String, SqlError> {
        Ok(match predicate {
            Predicate::Compare { column, comparison, literal } => self.compare(column, *comparison, literal)?,
            Predicate::Between { column, low, high } => {
                let low = self.compare(column, Comparison::AtLeast, low)?;
                let high = self.compare(column, Comparison::AtMost, high)?;
                format!("({low} AND {high})")
            }
            Predicate::In { column, literals } => self.one_of(column, literals)?,
            Predicate::IsNull { column } => format!("({} IS NULL)", self.column(column)?.1),
            Predicate::And(left, right) => format!("({} AND {})", self.predicate(left)?, self.predicate(right)?),
            Predicate::Or(left, right) => format!("({} OR {})", self.predicate(left)?, self.predicate(right)?),
            Predicate::Not(inner) => format!("(NOT {})", self.predicate(inner)?),
        })
    }

    fn compare(&self, column: &str, comparison: Comparison, literal: &Literal) -> Result<String, SqlError> {
        let (declared, called) = self.column(column)?;
        let wrong = || SqlError::Type(column.to_owned());
        match (literal, comparison) {
            (Literal::Number(value), _) => {
                let value = value / steps(declared).ok_or_else(wrong)?;
                Ok(integer_comparison(&called, comparison, &value))
            }
            (Literal::Text(text), Comparison::Equal | Comparison::NotEqual) => {
                let sign = if comparison == Comparison::Equal { "=" } else { "<>" };
                is_text(declared).then(|| format!("({called} {sign} {})", self.dialect.text(text))).ok_or_else(wrong)
            }
            (Literal::Text(_), _) => Err(wrong()),
        }
    }

    fn one_of(&self, column: &str, literals: &[Literal]) -> Result<String, SqlError> {
        let (declared, called) = self.column(column)?;
        let mut members = Vec::new();
        for literal in literals {
            match (literal, steps(declared)) {
                (Literal::Text(text), None) => members.push(self.dialect.text(text)),
                (Literal::Number(value), Some(step)) => members.extend(step_of(&(value / step)).map(Dialect::integer)),
                _ => return Err(SqlError::Type(column.to_owned())),
            }
        }
        Ok(if members.is_empty() {
            constant(&called, false)
        } else {
            format!("({called} IN ({}))", members.join(", "))
        })
    }
}

/// The width of a step of an integer or number.
fn steps(column: &Column) -> Option<Rational> {
    column.step()
}

fn is_text(column: &Column) -> bool {
    matches!(column, Column::Text { .. })
}

/// A number of steps, where it is a 64-bit integer.
fn step_of(value: &Rational) -> Option<i64> {
    value.is_integer().then(|| i64::try_from(value.to_integer()).ok()).flatten()
}

/// False (or true), and unknown where the column is missing.
fn constant(called: &str, truth: bool) -> String {
    let truth = if truth { "TRUE" } else { "FALSE" };
    format!("(CASE WHEN {called} IS NULL THEN CAST(NULL AS BOOLEAN) ELSE {truth} END)")
}

/// v compared with a rational, as v compared with an integer.
fn integer_comparison(called: &str, comparison: Comparison, value: &Rational) -> String {
    let (sign, bound): (_, BigInt) = match comparison {
        Comparison::Equal | Comparison::NotEqual => {
            let equal = comparison == Comparison::Equal;
            return match step_of(value) {
                Some(step) => format!("({called} {} {})", if equal { "=" } else { "<>" }, Dialect::integer(step)),
                None => constant(called, !equal),
            };
        }
        Comparison::Less => ("<", value.ceil().to_integer()),
        Comparison::AtMost => ("<=", value.floor().to_integer()),
        Comparison::Greater => (">", value.floor().to_integer()),
        Comparison::AtLeast => (">=", value.ceil().to_integer()),
    };
    match i64::try_from(&bound) {
        Ok(bound) => format!("({called} {sign} {})", Dialect::integer(bound)),
        // Beyond every 64-bit integer: above, and "less" holds always; below, and "greater" does.
        Err(_) => constant(called, (bound > BigInt::from(0)) == sign.starts_with('<')),
    }
}
