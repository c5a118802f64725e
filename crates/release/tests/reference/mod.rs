//! A reference aggregator: plain code over rows in memory, which shares nothing with the engine but the
//! plan's types.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::float_arithmetic)]
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use certus::exact::Rational;
use certus_ledger::plan::{Column, Comparison, Keys, Literal, Predicate, Query, ReleasePlan, Statistic};
use certus_release::aggregates::{Aggregates, Group, RankKey};
use sha2::{Digest as _, Sha256};

/// A row of the file: fields by name.
pub type Raw = HashMap<String, Option<String>>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Missing,
    Integer(i64),
    Text(String),
}

pub fn canonical(column: &Column, field: Option<&str>) -> Value {
    let field = field.filter(|field| !field.is_empty());
    let Some(field) = field else { return Value::Missing };
    match column {
        Column::Text { values } => {
            if values.as_ref().is_some_and(|values| !values.iter().any(|value| value == field)) {
                return Value::Missing;
            }
            Value::Text(field.to_owned())
        }
        Column::Integer { bounds } => {
            let text = field.trim_matches(' ');
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
            let good = (1..=38).contains(&digits.len())
                && digits.chars().all(|c| c.is_ascii_digit())
                && fraction.chars().all(|c| c == '0');
            if !good {
                return Value::Missing;
            }
            let (low, high) = bounds.unwrap_or((i64::MIN, i64::MAX));
            let value: i128 = whole.parse().unwrap();
            Value::Integer(value.max(low.into()).min(high.into()) as i64)
        }
        Column::Number { bounds, grid } => {
            let text = field.trim_matches(' ');
            let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let digits = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
            let good = field.len() <= 100
                && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
                && digits.matches('.').count() <= 1
                && digits.chars().any(|c| c.is_ascii_digit())
                && !exponent.is_empty()
                && exponent.chars().all(|c| c.is_ascii_digit())
                && exponent.trim_start_matches('0').len() <= 2;
            if !good {
                return Value::Missing;
            }
            let (p, q) = (grid.numerator().to_string(), grid.denominator().to_string());
            let x: f64 = text.parse().unwrap();
            let steps = (x * q.parse::<f64>().unwrap() / p.parse::<f64>().unwrap() + 0.5).floor() as i64;
            Value::Integer(steps.max(bounds.0).min(bounds.1))
        }
    }
}

struct Row {
    person: Option<String>,
    values: HashMap<String, Value>,
}

fn holds(plan: &ReleasePlan, row: &Row, predicate: &Predicate) -> Option<bool> {
    match predicate {
        Predicate::And(a, b) => match (holds(plan, row, a), holds(plan, row, b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Predicate::Or(a, b) => match (holds(plan, row, a), holds(plan, row, b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Predicate::Not(a) => holds(plan, row, a).map(|truth| !truth),
        Predicate::IsNull { column } => Some(row.values[column] == Value::Missing),
        Predicate::In { column, literals } => literals
            .iter()
            .map(|literal| compared(plan, row, column, Comparison::Equal, literal))
            .reduce(|a, b| Some(a? || b?))
            .unwrap(),
        Predicate::Between { column, low, high } => {
            let low = compared(plan, row, column, Comparison::AtLeast, low)?;
            Some(low && compared(plan, row, column, Comparison::AtMost, high)?)
        }
        Predicate::Compare { column, comparison, literal } => compared(plan, row, column, *comparison, literal),
    }
}

fn compared(plan: &ReleasePlan, row: &Row, column: &str, comparison: Comparison, literal: &Literal) -> Option<bool> {
    let order = match (&row.values[column], literal) {
        (Value::Missing, _) => return None,
        (Value::Text(text), Literal::Text(literal)) => text.cmp(literal),
        (Value::Integer(steps), Literal::Number(number)) => {
            (Rational::from_integer((*steps).into()) * plan.columns[column].step().unwrap()).cmp(number)
        }
        _ => panic!("types"),
    };
    Some(match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::AtLeast => order.is_ge(),
    })
}

fn mentioned(predicate: &Predicate, names: &mut BTreeSet<String>) {
    match predicate {
        Predicate::And(a, b) | Predicate::Or(a, b) => {
            mentioned(a, names);
            mentioned(b, names);
        }
        Predicate::Not(a) => mentioned(a, names),
        Predicate::IsNull { column }
        | Predicate::In { column, .. }
        | Predicate::Between { column, .. }
        | Predicate::Compare { column, .. } => {
            names.insert(column.clone());
        }
    }
}

fn statistic_column(query: &Query) -> Option<&String> {
    match &query.statistic {
        Statistic::Count | Statistic::Persons => None,
        Statistic::Sum { column }
        | Statistic::Mean { column }
        | Statistic::Variance { column }
        | Statistic::Histogram { column, .. }
        | Statistic::Quantile { column, .. }
        | Statistic::TopK { column, .. } => Some(column),
    }
}

fn hash(key: &RankKey, person: &str, values: &[&Value]) -> String {
    let mut text: String = key.0.iter().map(|byte| format!("{byte:02x}")).collect();
    text += &format!("v{}:{person};", person.len());
    for value in values {
        text += &match value {
            Value::Missing => "n;".to_owned(),
            Value::Integer(value) => format!("i{value};"),
            Value::Text(value) => format!("v{}:{value};", value.len()),
        };
    }
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The cell of a row; `None` where it is in none.
fn cell(plan: &ReleasePlan, query: &Query, row: &Row) -> Option<Option<u32>> {
    let value = statistic_column(query).map(|column| &row.values[column]);
    let listed = |column: &str, value: &Value| match (&plan.columns[column], value) {
        (Column::Text { values: Some(values) }, Value::Text(text)) => {
            Some(Some(values.iter().position(|value| value == text)? as u32))
        }
        _ => None,
    };
    match (&query.statistic, value) {
        (Statistic::TopK { column, .. }, Some(value)) => listed(column, value),
        (Statistic::Histogram { column, .. }, Some(Value::Text(_))) => listed(column, value?),
        (Statistic::Histogram { .. } | Statistic::Quantile { .. }, Some(Value::Missing)) => None,
        (Statistic::Histogram { cuts, .. }, Some(Value::Integer(v))) => {
            let last = cuts.len() - 2;
            (0..=last)
                .find(|i| cuts[*i] <= *v && (*v < cuts[i + 1] || *i == last && *v == cuts[i + 1]))
                .map(|i| Some(i as u32))
        }
        (Statistic::Quantile { candidates, .. }, Some(Value::Integer(v))) => {
            let below = candidates.iter().filter(|c| *c < v).count();
            Some(Some((2 * below + usize::from(candidates.contains(v))) as u32))
        }
        _ => Some(None),
    }
}

/// The aggregates of a table.
pub fn aggregate(plan: &ReleasePlan, key: &RankKey, raws: &[Raw]) -> Vec<Vec<Group>> {
    let rows: Vec<Row> = raws
        .iter()
        .map(|raw| Row {
            person: plan.person.as_ref().and_then(|person| raw[&person.column].clone()).filter(|text| !text.is_empty()),
            values: plan
                .columns
                .iter()
                .map(|(name, column)| (name.clone(), canonical(column, raw[name].as_deref())))
                .collect(),
        })
        .collect();
    plan.queries.iter().map(|query| one(plan, query, key, &rows)).collect()
}

fn one(plan: &ReleasePlan, query: &Query, key: &RankKey, rows: &[Row]) -> Vec<Group> {
    let mut names: BTreeSet<String> = query.by.iter().cloned().collect();
    names.extend(statistic_column(query).cloned());
    if let Some(filter) = &query.filter {
        mentioned(filter, &mut names);
    }
    let group = |row: &Row| query.by.iter().map(|name| row.values[name].clone()).collect::<Vec<_>>();
    let mut kept: Vec<&Row> = rows
        .iter()
        .filter(|row| plan.person.is_none() || row.person.is_some())
        .filter(|row| query.filter.as_ref().is_none_or(|filter| holds(plan, row, filter) == Some(true)))
        .filter(|row| !group(row).contains(&Value::Missing) && cell(plan, query, row).is_some())
        .collect();
    let mut firsts = BTreeMap::new();
    let counts_persons =
        query.statistic == Statistic::Persons || query.keys == Keys::Thresholded && !query.by.is_empty();
    if let Some(person) = &plan.person {
        let rank = |row: &Row| {
            let read: Vec<&Value> = names.iter().map(|name| &row.values[name]).collect();
            (hash(key, row.person.as_ref().unwrap(), &read), read.into_iter().cloned().collect::<Vec<_>>())
        };
        kept.sort_by_cached_key(|row| (row.person.clone(), rank(row)));
        let mut in_group: HashMap<_, u32> = HashMap::new();
        kept.retain(|row| {
            let count = in_group.entry((row.person.clone(), group(row))).or_default();
            *count += 1;
            *count <= person.rows_per_group
        });
        let mut groups: BTreeMap<&Option<String>, BTreeSet<(String, Vec<Value>)>> = BTreeMap::new();
        for row in &kept {
            let group = group(row);
            let hash = hash(key, row.person.as_ref().unwrap(), &group.iter().collect::<Vec<_>>());
            groups.entry(&row.person).or_default().insert((hash, group));
        }
        if !query.by.is_empty() && person.groups < person.rows {
            kept.retain(|row| {
                groups[&row.person].iter().take(person.groups as usize).any(|(_, other)| *other == group(row))
            });
        }
        let mut in_all: HashMap<_, u32> = HashMap::new();
        kept.retain(|row| {
            let count = in_all.entry(row.person.clone()).or_default();
            *count += 1;
            *count <= person.rows
        });
        for (place, row) in kept.iter().enumerate() {
            firsts.entry((row.person.clone(), group(row))).or_insert(place);
        }
    }
    let mut groups: BTreeMap<(Vec<String>, Option<u32>), Group> = BTreeMap::new();
    if query.by.is_empty()
        && !matches!(query.statistic, Statistic::Histogram { .. } | Statistic::Quantile { .. } | Statistic::TopK { .. })
    {
        groups.insert(
            (vec![], None),
            Group { key: vec![], cell: None, rows: 0, persons: 0, values: 0, sum: 0, squares: 0 },
        );
    }
    for (place, row) in kept.iter().enumerate() {
        let written = |value: &Value| match value {
            Value::Integer(value) => value.to_string(),
            Value::Text(text) => text.clone(),
            Value::Missing => panic!("missing"),
        };
        let name: Vec<String> = group(row).iter().map(written).collect();
        let cell = cell(plan, query, row).unwrap();
        let entry = groups.entry((name.clone(), cell)).or_insert(Group {
            key: name,
            cell,
            rows: 0,
            persons: 0,
            values: 0,
            sum: 0,
            squares: 0,
        });
        entry.rows += 1;
        let first = firsts.get(&(row.person.clone(), group(row))) == Some(&place);
        entry.persons += u64::from(plan.person.is_none() || counts_persons && first);
        if let (
            Statistic::Sum { column } | Statistic::Mean { column } | Statistic::Variance { column },
            Some(Value::Integer(v)),
        ) = (&query.statistic, statistic_column(query).map(|column| &row.values[column]))
        {
            entry.values += 1;
            entry.sum += i128::from(*v);
            if let (
                Statistic::Variance { .. },
                Column::Number { bounds: (low, high), .. } | Column::Integer { bounds: Some((low, high)) },
            ) = (&query.statistic, &plan.columns[column])
            {
                entry.squares += (2 * i128::from(*v) - i128::from(*low) - i128::from(*high)).pow(2);
            }
        }
    }
    groups.into_values().collect()
}

/// Groups in an order of their own.
pub fn sorted(mut queries: Vec<Vec<Group>>) -> Vec<Vec<Group>> {
    for groups in &mut queries {
        groups.sort_by(|a, b| (&a.key, a.cell).cmp(&(&b.key, b.cell)));
    }
    queries
}

pub fn of(aggregates: Aggregates) -> Vec<Vec<Group>> {
    sorted(aggregates.queries)
}
