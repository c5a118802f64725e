//! Post-processing by request: it costs nothing.

use certus::exact::Rational;
use certus_ledger::plan::{After, Query};

use super::{Row, Value};
use crate::price::{Part, pull, whole};

/// What is made of noisy numbers, in the order in which it was asked for. A total comes as a row of its own.
///
/// * `consistent`: the least squares of counts c and their total t, with variances v and w: each count
///   becomes c + a·(t − Σc) with a = v/(w + k·v), and the total is their sum.
/// * `non_negative`: what is below 0 becomes 0. Asked for after `consistent`, the total may then be below the
///   sum.
pub(super) fn apply(query: &Query, parts: &[Part], mut rows: Vec<Row>, total: Option<Rational>) -> Vec<Row> {
    for after in &query.after {
        match after {
            After::Consistent => rows = consistent(parts, rows, total.as_ref()),
            After::NonNegative => {
                for row in &mut rows {
                    if let Value::Number(value) = &mut row.value
                        && *value < whole(0)
                    {
                        *value = whole(0);
                    }
                }
            }
        }
    }
    rows
}

fn consistent(parts: &[Part], mut rows: Vec<Row>, total: Option<&Rational>) -> Vec<Row> {
    let law = |place: usize| parts.get(place).and_then(|part: &Part| part.law.variance());
    let (Some(v), Some(w), Some(total)) = (law(0), law(1), total) else { return rows };
    let sum = |rows: &[Row]| -> Rational {
        rows.iter().map(|row| if let Value::Number(value) = &row.value { value.clone() } else { whole(0) }).sum()
    };
    let k = whole(i64::try_from(rows.len()).unwrap_or(i64::MAX));
    let each = pull(&v, &w, &k) * (total - sum(&rows));
    for row in &mut rows {
        if let Value::Number(value) = &mut row.value {
            *value += &each;
        }
    }
    let (all, alpha) = (sum(&rows), rows.first().and_then(|row| row.alpha.clone()));
    let key = rows.first().map(|row| row.key.iter().map(|_| String::new()).collect()).unwrap_or_default();
    rows.push(Row { key, label: Some("total".into()), value: Value::Number(all), alpha });
    rows
}
