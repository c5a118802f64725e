//! The declaration of a column.

use certus::{
    exact::{Positive, Rational},
    mechanism::Excerpt,
};

use super::{
    ReadValues, keys,
    table::{Table, text},
};
use crate::plan::{Column, PlanError, limits::MOST_VALUES};

pub(super) fn read(table: &Table<'_, '_>, read_values: ReadValues<'_>) -> Result<Column, PlanError> {
    table.refuse_unknown(keys("column"))?;
    let kind = table.word("type", &["integer", "number", "text"])?;
    let kind = kind.ok_or_else(|| PlanError::new("type", "must be given: integer, number or text"))?;
    let refuse = |unwanted: &[&str]| match unwanted.iter().find(|key| table.value(key).is_some()) {
        Some(key) => Err(PlanError::new(*key, format!("must not be given for a column of type {kind}"))),
        None => Ok(()),
    };
    match kind {
        "text" => {
            refuse(&["lower", "upper", "grid"])?;
            let listed = table.list("values", MOST_VALUES, |value| text("values", value))?;
            let values = match (listed, table.text("values_from")?) {
                (Some(_), Some(_)) => return Err(PlanError::new("values_from", "must not be given beside values")),
                (None, Some(file)) => {
                    let text = read_values(&file).map_err(|error| error.within("values_from"))?;
                    Some(values_of(&text).map_err(|error| error.within(&format!("values_from: {file}")))?)
                }
                (listed, None) => listed,
            };
            Ok(Column::Text { values })
        }
        _ => {
            refuse(&["values", "values_from"])?;
            if kind == "integer" {
                refuse(&["grid"])?;
            }
            let bounds = match (table.number("lower")?, table.number("upper")?) {
                (Some(lower), Some(upper)) => Some((lower, upper)),
                (None, None) => None,
                _ => return Err(PlanError::new("lower", "lower and upper must be given together")),
            };
            let grid = table.positive("grid")?;
            of_numbers(kind == "integer", bounds, grid)
        }
    }
}

/// A column of integers, or of numbers on a grid, by its bounds in its own unit.
pub(in crate::plan) fn of_numbers(
    is_integer: bool,
    bounds: Option<(Rational, Rational)>,
    grid: Option<Positive>,
) -> Result<Column, PlanError> {
    let unit = Rational::from_integer(1.into());
    let width = grid.as_ref().map_or(&unit, Positive::get);
    let bounds = match bounds {
        None => None,
        Some((lower, upper)) => Some((steps("lower", &lower, width)?, steps("upper", &upper, width)?)),
    };
    if is_integer {
        return Ok(Column::Integer { bounds });
    }
    match (bounds, grid) {
        (Some(bounds), Some(grid)) => Ok(Column::Number { bounds, grid }),
        _ => Err(PlanError::new(
            "type",
            "a column of numbers must have public bounds (lower, upper) and the width of its grid (grid)",
        )),
    }
}

/// How many steps of a grid a number is: a whole number of them.
pub(in crate::plan) fn steps(key: &str, value: &Rational, width: &Rational) -> Result<i64, PlanError> {
    let steps = value / width;
    let whole = if steps.is_integer() { i64::try_from(steps.to_integer()).ok() } else { None };
    whole.ok_or_else(|| {
        let written = certus::exact::render(value);
        let what = format!(
            "must be a whole number of grid steps (of 1 for integers) that fits 64 bits, not {}",
            Excerpt::new(&written)
        );
        PlanError::new(key, what)
    })
}

/// The values of a file: one a line, without a header; in double quotes, a quote in it doubled, if it starts
/// with one. An empty line is no value.
fn values_of(text: &str) -> Result<Vec<String>, PlanError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut values = Vec::new();
    for (number, line) in (1_usize..).zip(text.lines()) {
        if line.is_empty() {
            continue;
        }
        if values.len() >= MOST_VALUES {
            return Err(PlanError::new(format!("line {number}"), format!("must have at most {MOST_VALUES} values")));
        }
        let value = if line.starts_with('"') {
            unquoted(line)
        } else {
            Some(line.to_owned()).filter(|line| !line.contains(','))
        };
        values.push(value.ok_or_else(|| {
            PlanError::new(
                format!("line {number}"),
                "must be one value: a comma or quote in it needs double quotes around it",
            )
        })?);
    }
    Ok(values)
}

fn unquoted(line: &str) -> Option<String> {
    let inner = line.strip_prefix('"')?.strip_suffix('"')?;
    let single = inner.replace("\"\"", "");
    (!single.contains('"')).then(|| inner.replace("\"\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_one_a_line() {
        let values = values_of("\u{feff}a\r\n\n\"b,\"\"c\"\"\"\nd e\n").unwrap();
        assert_eq!(values, ["a", "b,\"c\"", "d e"]);
        for bad in ["a,b\n", "\"a\"b\"\n", "\"a\n"] {
            assert!(values_of(bad).is_err(), "{bad}");
        }
    }
}
