//! One `[[query]]`.

use std::collections::BTreeMap;

use certus::exact::{Probability, Rational};
use toml::de::DeValue;

use super::{
    column::steps,
    keys,
    table::{Table, number, one_of, text},
};
use crate::plan::{
    After, Column, Keys, Noise, PlanError, Query, Share, Statistic,
    limits::{MOST_CANDIDATES, MOST_COLUMNS, MOST_VALUES},
};

/// The statistics, by name.
pub const STATISTICS: &[&str] =
    &["count", "persons", "sum", "mean", "variance", "histogram", "quantile", "median", "top_k"];

pub(super) fn read(
    table: &Table<'_, '_>,
    columns: &BTreeMap<String, Column>,
    earlier: usize,
) -> Result<Query, PlanError> {
    table.refuse_unknown(keys("query"))?;
    let name = match table.text("name")? {
        Some(name) => name,
        None => format!("query {}", earlier + 1),
    };
    let statistic = statistic(table, columns)?;
    let filter = match table.value("where") {
        Some(value) => Some(text("where", value)?.parse()?),
        None => None,
    };
    let by = table.list("by", MOST_COLUMNS, |value| text("by", value))?.unwrap_or_default();
    let keys = match table.word("keys", &["public", "thresholded"])? {
        Some("thresholded") => Keys::Thresholded,
        _ => Keys::Public,
    };
    let share = match (table.positive("weight")?, table.positive("accuracy")?, table.positive("cost")?) {
        (Some(weight), None, None) => Share::Weight(weight),
        (None, Some(accuracy), None) => Share::Accuracy(accuracy),
        (None, None, Some(cost)) => Share::Cost(cost),
        (None, None, None) => Share::even()?,
        _ => return Err(PlanError::new("weight", "only one of weight, accuracy and cost must be given")),
    };
    let noise = table.word("noise", &["laplace", "gaussian"])?.map(|word| match word {
        "gaussian" => Noise::Gaussian,
        _ => Noise::Laplace,
    });
    let after = table.list("after", 2, |value| {
        let word = text("after", value)?;
        Ok(match one_of("after", &word, &["non_negative", "consistent"])? {
            "consistent" => After::Consistent,
            _ => After::NonNegative,
        })
    })?;
    Ok(Query { name, statistic, filter, by, keys, share, noise, after: after.unwrap_or_default() })
}

fn statistic(table: &Table<'_, '_>, columns: &BTreeMap<String, Column>) -> Result<Statistic, PlanError> {
    let name = table.word("statistic", STATISTICS)?;
    let name = name.ok_or_else(|| PlanError::new("statistic", format!("must be given: {}", STATISTICS.join(", "))))?;
    let wanted: &[&str] = match name {
        "count" | "persons" => &[],
        "histogram" => &["column", "cuts"],
        "quantile" => &["column", "level", "candidates"],
        "median" => &["column", "candidates"],
        "top_k" => &["column", "k"],
        _ => &["column"],
    };
    let all = ["column", "cuts", "level", "candidates", "k"];
    if let Some(key) = all.into_iter().find(|key| !wanted.contains(key) && table.value(key).is_some()) {
        return Err(PlanError::new(key, format!("must not be given for the statistic {name}")));
    }
    let column = match table.text("column")? {
        Some(column) => column,
        None if wanted.is_empty() => String::new(),
        None => return Err(PlanError::new("column", format!("must be given for the statistic {name}"))),
    };
    let width = columns.get(&column).and_then(Column::step).unwrap_or_else(|| Rational::from_integer(1.into()));
    Ok(match name {
        "count" => Statistic::Count,
        "persons" => Statistic::Persons,
        "sum" => Statistic::Sum { column },
        "mean" => Statistic::Mean { column },
        "variance" => Statistic::Variance { column },
        "histogram" => {
            let cut = |value: &DeValue<'_>| steps("cuts", &number("cuts", value)?, &width);
            Statistic::Histogram { cuts: table.list("cuts", MOST_VALUES, cut)?.unwrap_or_default(), column }
        }
        "top_k" => {
            let k = table.count("k")?.ok_or_else(|| PlanError::new("k", "must be given: how many values"))?;
            Statistic::TopK { column, k }
        }
        _ => {
            let half = || Rational::new(1.into(), 2.into());
            let level = if name == "median" { Some(half()) } else { table.number("level")? };
            let level = level.and_then(|level| Probability::new(level).ok());
            let level = level.ok_or_else(|| PlanError::new("level", "must be given: from 0 to 1, such as 0.9"))?;
            let candidates = candidates(table, columns.get(&column), &width)?;
            Statistic::Quantile { column, level, candidates }
        }
    })
}

/// A list of points, from–to–step, or all steps of the column where they are few.
fn candidates(table: &Table<'_, '_>, column: Option<&Column>, width: &Rational) -> Result<Vec<i64>, PlanError> {
    match table.value("candidates") {
        None => {
            let (lower, upper) = column.and_then(Column::steps).unwrap_or((0, 0));
            every(lower, upper, 1)
        }
        Some(DeValue::Table(_)) => {
            let range = table.table("candidates")?;
            let range = range.ok_or_else(|| PlanError::new("candidates", "must be given"))?;
            range.refuse_unknown(keys("candidates"))?;
            let of = |key: &str| {
                let value = range.number(key).map_err(|error| error.within("candidates"))?;
                let value = value.ok_or_else(|| PlanError::new("candidates", "must have from, to and step"))?;
                steps(&format!("candidates: {key}"), &value, width)
            };
            every(of("from")?, of("to")?, of("step")?)
        }
        Some(_) => {
            let point = |value: &DeValue<'_>| steps("candidates", &number("candidates", value)?, width);
            Ok(table.list("candidates", MOST_CANDIDATES, point)?.unwrap_or_default())
        }
    }
}

/// from, from + step, … up to `to`: at most as many as a choice takes.
pub(in crate::plan) fn every(from: i64, to: i64, step: i64) -> Result<Vec<i64>, PlanError> {
    let refused = |what: String| PlanError::new("candidates", what);
    if step <= 0 || from > to {
        return Err(refused("must have from <= to and a positive step".into()));
    }
    let count = to.abs_diff(from) / step.unsigned_abs();
    if usize::try_from(count).map_or(true, |count| count >= MOST_CANDIDATES) {
        return Err(refused(format!(
            "must be at most {MOST_CANDIDATES} points: give candidates = {{ from = …, to = …, step = … }}"
        )));
    }
    Ok((0..=count).map_while(|i| from.checked_add(i64::try_from(i).ok()?.checked_mul(step)?)).collect())
}
