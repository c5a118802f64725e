//! Functions from a value to its cell, for cuts that are not evenly spaced: a search by halves.

use std::sync::Arc;

use certus_ledger::plan::{ReleasePlan, Statistic};
use datafusion::{
    arrow::{
        array::{AsArray, Int64Array},
        datatypes::{DataType, Int64Type},
    },
    common::{Result, exec_err},
    logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf},
};

use crate::sql::cell_function;

/// The functions of a plan's histograms and quantiles of numbers.
pub(super) fn functions(plan: &ReleasePlan) -> impl Iterator<Item = ScalarUDF> {
    plan.queries.iter().enumerate().filter_map(|(place, query)| match &query.statistic {
        Statistic::Histogram { cuts, .. } => Some(function(place, cuts, histogram)),
        Statistic::Quantile { candidates, .. } => Some(function(place, candidates, quantile)),
        Statistic::Count
        | Statistic::Persons
        | Statistic::Sum { .. }
        | Statistic::Mean { .. }
        | Statistic::Variance { .. }
        | Statistic::TopK { .. } => None,
    })
}

fn function(place: usize, cuts: &[i64], cell: fn(&[i64], i64) -> usize) -> ScalarUDF {
    let cuts = cuts.to_vec();
    let apply = move |arguments: &[ColumnarValue]| -> Result<ColumnarValue> {
        let values = match arguments {
            [value] => value.clone().into_array(1)?,
            _ => return exec_err!("a cell is of one value"),
        };
        let Some(values) = values.as_primitive_opt::<Int64Type>() else { return exec_err!("a cell is of an integer") };
        let cells = values.iter().map(|value| value.and_then(|value| i64::try_from(cell(&cuts, value)).ok()));
        Ok(ColumnarValue::Array(Arc::new(cells.collect::<Int64Array>())))
    };
    create_udf(&cell_function(place), vec![DataType::Int64], DataType::Int64, Volatility::Immutable, Arc::new(apply))
}

/// The cell of a value from the first cut to the last: how many inner cuts are at most the value.
fn histogram(cuts: &[i64], value: i64) -> usize {
    let inner = cuts.get(1..cuts.len().saturating_sub(1)).unwrap_or_default();
    inner.partition_point(|cut| *cut <= value)
}

/// 2i strictly between candidates i − 1 and i, 2i + 1 at candidate i.
fn quantile(candidates: &[i64], value: i64) -> usize {
    let below = candidates.partition_point(|candidate| *candidate < value);
    2 * below + usize::from(candidates.get(below) == Some(&value))
}
