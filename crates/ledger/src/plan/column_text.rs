//! The one-line form: columns, points and budgets as arguments of the command.
//!
//! ```text
//! NAME=integer            NAME=integer[0..120]
//! NAME=number[0..1e5]/0.25     bounds, and the width of the grid
//! NAME=text               NAME=text{f,m,x}
//! NAME[0..120]            an integer with bounds
//! NAME{f,m,x}             a text with a list
//! ```

use certus::{
    exact::{Positive, Rational, parse},
    mechanism::Excerpt,
};

use super::{
    Budget, Column, PlanError,
    read::{
        budget_from,
        column::{of_numbers, steps},
        query::every,
    },
};

/// What is accepted, for whoever wrote something else.
const FORMS: &str =
    "must be NAME=integer[LOWER..UPPER], NAME=number[LOWER..UPPER]/GRID, NAME=text{a,b,c}, NAME=integer or NAME=text";

/// A column of the one-line form, and its name. A name ends at the last `=` before its type, and may hold
/// anything.
///
/// ```
/// use certus_ledger::plan::{Column, column};
///
/// let (name, age) = column("age=integer[0..120]")?;
/// assert_eq!((name.as_str(), age), ("age", Column::Integer { bounds: Some((0, 120)) }));
/// // In steps of a quarter.
/// let (_, income) = column("income=number[0..1e5]/0.25")?;
/// assert_eq!(income.steps(), Some((0, 400_000)));
/// assert!(column("age=number[0..1]").is_err());
/// # Ok::<(), certus_ledger::plan::PlanError>(())
/// ```
///
/// # Errors
///
/// If the text is not one of the forms.
pub fn column(text: &str) -> Result<(String, Column), PlanError> {
    let refused = || PlanError::new("--column", format!("{FORMS}, not {}", Excerpt::new(text)));
    let (head, range, grid, values) = match text.strip_suffix('}') {
        Some(listed) => {
            let (head, values) = listed.split_once('{').ok_or_else(refused)?;
            (head, None, None, Some(values))
        }
        None => match text.rsplit_once('[') {
            Some((head, rest)) if rest.contains(']') => {
                let (range, rest) = rest.split_once(']').ok_or_else(refused)?;
                let grid = match rest.strip_prefix('/') {
                    Some(grid) => Some(grid),
                    None if rest.is_empty() => None,
                    None => return Err(refused()),
                };
                (head, Some(range), grid, None)
            }
            _ => (text, None, None, None),
        },
    };
    let (name, kind) = match head.rsplit_once('=') {
        Some((name, kind @ ("integer" | "number" | "text"))) => (name, kind),
        // A type that is none is not taken for a part of the name.
        Some(_) => return Err(refused()),
        None if values.is_some() => (head, "text"),
        None if grid.is_some() => (head, "number"),
        None if range.is_some() => (head, "integer"),
        None => return Err(refused()),
    };
    let is_text = kind == "text";
    if name.is_empty() || (is_text && range.is_some()) || (!is_text && values.is_some()) {
        return Err(refused());
    }
    let declared = match kind {
        "text" => Column::Text { values: values.map(|values| values.split(',').map(str::to_owned).collect()) },
        _ => {
            let number = |text: &str| parse(text.trim()).map_err(|_| refused());
            let bounds = match range {
                Some(range) => {
                    let (lower, upper) = range.split_once("..").ok_or_else(refused)?;
                    Some((number(lower)?, number(upper)?))
                }
                None => None,
            };
            let grid = grid.map(|grid| Positive::new(number(grid)?).map_err(|_| refused())).transpose()?;
            if kind == "integer" && grid.is_some() {
                return Err(refused());
            }
            of_numbers(kind == "integer", bounds, grid)
                .map_err(|error| error.within(&format!("--column {}", Excerpt::new(name))))?
        }
    };
    Ok((name.to_owned(), declared))
}

/// Points in a column's own unit, as steps: `0,10,20`, or `0..100/5` for every fifth from 0 to 100.
///
/// # Errors
///
/// If the text is neither, a point is off the grid, or there are too many.
pub fn points(argument: &str, text: &str, column: &Column) -> Result<Vec<i64>, PlanError> {
    let width = column.step().unwrap_or_else(|| Rational::from_integer(1.into()));
    let refused = || {
        PlanError::new(
            argument,
            format!("must be numbers with commas between them, or FROM..TO/STEP, not {}", Excerpt::new(text)),
        )
    };
    let step = |text: &str| steps(argument, &parse(text.trim()).map_err(|_| refused())?, &width);
    if let Some((from, rest)) = text.split_once("..") {
        // A step may itself be a fraction: the first slash ends the range.
        let (to, by) = rest.split_once('/').ok_or_else(refused)?;
        return every(step(from)?, step(to)?, step(by)?);
    }
    text.split(',').map(step).collect()
}

/// The budget of `--epsilon`, `--delta` and `--rho`.
///
/// # Errors
///
/// If a number is none, or they do not make a budget.
pub fn budget(epsilon: Option<&str>, delta: Option<&str>, rho: Option<&str>) -> Result<Budget, PlanError> {
    let number = |name: &str, text: Option<&str>| {
        let read =
            |text: &str| parse(text).map_err(|error| PlanError::new(name, format!("{error}: {}", Excerpt::new(text))));
        text.map(read).transpose()
    };
    let positive = |name: &str, text: Option<&str>| {
        let positive = |value| Positive::new(value).map_err(|_| PlanError::new(name, "must be positive (> 0)"));
        number(name, text)?.map(positive).transpose()
    };
    let budget = budget_from(positive("--epsilon", epsilon)?, number("--delta", delta)?, positive("--rho", rho)?);
    budget.map_err(|_| {
        PlanError::new("--epsilon", "the budget must be --epsilon, --epsilon and --delta (below 1), or --rho")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_in_one_line() {
        let text = |values: &[&str]| Column::Text { values: Some(values.iter().map(|&value| value.into()).collect()) };
        for (written, name, declared) in [
            ("age=integer", "age", Column::Integer { bounds: None }),
            ("age[0..120]", "age", Column::Integer { bounds: Some((0, 120)) }),
            ("t=integer[-5..-1]", "t", Column::Integer { bounds: Some((-5, -1)) }),
            ("sex{f,m,x}", "sex", text(&["f", "m", "x"])),
            ("sex=text{f}", "sex", text(&["f"])),
            ("id=text", "id", Column::Text { values: None }),
            ("a=b=integer", "a=b", Column::Integer { bounds: None }),
            ("a[0]=integer[1..2]", "a[0]", Column::Integer { bounds: Some((1, 2)) }),
        ] {
            assert_eq!(column(written), Ok((name.to_owned(), declared)), "{written}");
        }
        let (_, income) = column("income=number[0..1e5]/0.25").unwrap();
        assert_eq!(income.steps(), Some((0, 400_000)));
        assert_eq!(column("income[0..1e5]/0.25").unwrap().1, income);
        for bad in [
            "",
            "age",
            "=integer",
            "age=float[0..1]",
            "age[0..]",
            "age[0...1]",
            "age[0..1",
            "age=number[0..1]",
            "x=number[0..1]/0",
            "x=number[0..1]/-1",
            "x=number[0..1]/0.3",
            "x=integer[0..1]/2",
            "x=text[0..1]",
            "x=integer{a}",
            "x=number",
            "age=integer[0..1.5]",
            "age=integer[0..1e30]",
        ] {
            let error = column(bad).unwrap_err().to_string();
            assert!(error.starts_with("--column") && !error.contains('\n'), "{bad}: {error}");
        }
    }

    #[test]
    fn points_in_one_line() {
        let (_, number) = column("x=number[0..10]/0.5").unwrap();
        assert_eq!(points("--cuts", "0, 2.5,10", &number), Ok(vec![0, 5, 20]));
        assert_eq!(points("--cuts", "0..2/1/2", &number), Ok(vec![0, 1, 2, 3, 4]));
        for bad in ["", "0,,1", "0..2", "0..2/0", "2..0/1", "0.3", "0..1e9/1"] {
            assert!(points("--cuts", bad, &number).is_err(), "{bad}");
        }
    }
}
