//! What a plan must be, whichever way it was written: both forms end here.

mod query;

use std::collections::BTreeSet;

use certus::{exact::Rational, mechanism::Excerpt};

use super::{
    Budget, Column, Comparison, Literal, PlanError, Predicate, ReleasePlan,
    limits::{MOST_COLUMNS, MOST_QUERIES, MOST_STEPS, MOST_TEXT_BYTES, MOST_VALUES},
};

impl ReleasePlan {
    /// The plan, if it is one: names, bounds, lists and filters fit together. Nothing is priced yet.
    ///
    /// # Errors
    ///
    /// One line that names the place, what is wrong and what is accepted.
    pub fn checked(self) -> Result<Self, PlanError> {
        if self.columns.len() > MOST_COLUMNS {
            return Err(PlanError::new("columns", format!("must be at most {MOST_COLUMNS}")));
        }
        for (name, column) in &self.columns {
            let place = format!("column {}", Excerpt::new(name));
            check_name(name).map_err(|what| PlanError::new(&place, what))?;
            column.check().map_err(|error| error.within(&place))?;
        }
        if let Some(person) = &self.person {
            check_name(&person.column).map_err(|what| PlanError::new("person: column", what))?;
            if self.columns.contains_key(&person.column) {
                return Err(PlanError::new("person: column", "must not be declared among the columns too"));
            }
            for (key, value) in
                [("rows", person.rows), ("groups", person.groups), ("rows_per_group", person.rows_per_group)]
            {
                if value == 0 {
                    return Err(PlanError::new(format!("person: {key}"), "must be at least 1"));
                }
            }
        }
        if let Budget::Approximate { delta, .. } = &self.budget {
            let whole = |n: i64| Rational::from_integer(n.into());
            if *delta.get() <= whole(0) || *delta.get() >= whole(1) {
                return Err(PlanError::new("budget: delta", "must be above 0 and below 1"));
            }
        }
        if self.queries.is_empty() || self.queries.len() > MOST_QUERIES {
            return Err(PlanError::new("query", format!("must be given 1 to {MOST_QUERIES} times")));
        }
        let mut names = BTreeSet::new();
        for query in &self.queries {
            let place = format!("query {}", Excerpt::new(&query.name));
            if !names.insert(&query.name) {
                return Err(PlanError::new(place, "name: must be different from all others"));
            }
            query.check(&self).map_err(|error| error.within(&place))?;
        }
        Ok(self)
    }

    /// A declared column that something reads.
    fn column(&self, name: &str) -> Result<&Column, PlanError> {
        self.columns.get(name).ok_or_else(|| {
            let name = Excerpt::new(name);
            let what = format!(
                "{name} is not declared: add [columns.…] for it (in one line: its bounds or values, as \
                 age[0..120] or sex{{f,m}})"
            );
            PlanError::new("column", what)
        })
    }
}

/// A name in a header: some printable text.
fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > MOST_TEXT_BYTES || name.chars().any(char::is_control) {
        return Err(format!("must be a name of 1 to {MOST_TEXT_BYTES} bytes without control characters"));
    }
    Ok(())
}

impl Column {
    fn check(&self) -> Result<(), PlanError> {
        match self {
            Self::Integer { bounds: None } | Self::Text { values: None } => Ok(()),
            Self::Integer { bounds: Some((lower, upper)) } => in_order(*lower, *upper),
            Self::Number { bounds: (lower, upper), .. } => {
                if lower.unsigned_abs().max(upper.unsigned_abs()) > MOST_STEPS.unsigned_abs() {
                    return Err(PlanError::new("grid", "must be wider: bounds are at most 2^53 steps of it"));
                }
                in_order(*lower, *upper)
            }
            Self::Text { values: Some(values) } => check_values(values),
        }
    }
}

fn in_order(lower: i64, upper: i64) -> Result<(), PlanError> {
    if lower <= upper { Ok(()) } else { Err(PlanError::new("lower", "must be at most upper (lower <= upper)")) }
}

fn check_values(values: &[String]) -> Result<(), PlanError> {
    if values.is_empty() || values.len() > MOST_VALUES {
        return Err(PlanError::new("values", format!("must be 1 to {MOST_VALUES} texts")));
    }
    let mut seen = BTreeSet::new();
    for value in values {
        if value.is_empty() || value.len() > MOST_TEXT_BYTES {
            return Err(PlanError::new("values", format!("each must have 1 to {MOST_TEXT_BYTES} bytes")));
        }
        if !seen.insert(value) {
            return Err(PlanError::new("values", format!("{} must be listed once", Excerpt::new(value))));
        }
    }
    Ok(())
}

impl Predicate {
    /// Whether the columns are declared, and compared with literals of their type.
    fn check(&self, plan: &ReleasePlan) -> Result<(), PlanError> {
        let fits = |column: &str, literal: &Literal| {
            let wanted = match (plan.column(column)?, literal) {
                (Column::Text { .. }, Literal::Number(_)) => "a text in single quotes",
                (Column::Integer { .. } | Column::Number { .. }, Literal::Text(_)) => "a number",
                (Column::Text { .. }, Literal::Text(text)) if text.len() > MOST_TEXT_BYTES => "a shorter text",
                _ => return Ok(()),
            };
            Err(PlanError::new("where", format!("{} must be compared with {wanted}", Excerpt::new(column))))
        };
        let is_text = |column: &str| Ok(matches!(plan.column(column)?, Column::Text { .. }));
        let unordered = |column: &str| {
            let what = format!("{} is a text, which is compared by =, <>, IN and IS NULL alone", Excerpt::new(column));
            Err(PlanError::new("where", what))
        };
        match self {
            Self::Compare { column, comparison, literal } => {
                let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                if is_text(column)? && !is_equality {
                    return unordered(column);
                }
                fits(column, literal)
            }
            Self::In { column, literals } => literals.iter().try_for_each(|literal| fits(column, literal)),
            Self::Between { column, low, high } => {
                if is_text(column)? {
                    return unordered(column);
                }
                fits(column, low)?;
                fits(column, high)
            }
            Self::IsNull { column } => plan.column(column).map(|_| ()),
            Self::And(left, right) | Self::Or(left, right) => {
                left.check(plan)?;
                right.check(plan)
            }
            Self::Not(inner) => inner.check(plan),
        }
    }
}
