//! The emitted query on real DuckDB and real Spark, and on DataFusion's own reader: the same aggregates.
//!
//! `tests/engines.py` runs them, with the interpreter that `CERTUS_PYTHON` names; without it the test says
//! SKIPPED, and compares this crate's engine with the reference alone.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::float_arithmetic)]
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_possible_wrap)]

mod plans;
mod reference;
mod tables;

use std::{fs::File, path::Path, process::Command, sync::Arc};

use certus_ledger::plan::{Column, ReleasePlan};
use certus_release::{
    aggregates,
    engine::{Options, aggregate},
    sql::{self, Dialect, Kind, Source},
};
use datafusion::{
    arrow::{
        array::{
            Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
            Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
        },
        datatypes::{DataType, Field, Float32Type, Float64Type, Int32Type},
        util::display::array_value_to_string,
    },
    parquet::arrow::ArrowWriter,
};
use plans::{NASTY_NAME, NASTY_TEXTS};

const ROWS: usize = 600;

/// A generator of indices: any will do.
fn choices(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    }
}

/// Texts; what is empty is null in every second row.
fn text_column(fields: Vec<&str>) -> ArrayRef {
    let null = |(row, field): (usize, &&str)| field.is_empty() && row % 2 == 0;
    Arc::new(fields.iter().enumerate().map(|item| (!null(item)).then_some(*item.1)).collect::<StringArray>())
}

/// All columns as texts: what a CSV file gives.
fn texts() -> (RecordBatch, Source) {
    let mut choose = choices(1);
    let cities: Vec<&str> = NASTY_TEXTS.into_iter().chain(["", "zzz", "a ", "é"]).collect();
    let mut column = |pool: &[&'static str]| text_column((0..ROWS).map(|_| pool[choose(pool.len())]).collect());
    let columns = [
        column(&tables::PERSONS),
        column(&tables::AGES),
        column(&tables::INTEGERS),
        column(&tables::INTEGERS),
        column(&tables::NUMBERS),
        column(&tables::NUMBERS),
        column(&cities),
        column(&cities),
    ];
    (
        RecordBatch::try_from_iter_with_nullable(
            tables::NAMES.into_iter().zip(columns).map(|(name, column)| (name, column, true)),
        )
        .unwrap(),
        Source::Text,
    )
}

fn typed(columns: Vec<(&'static str, ArrayRef, Kind)>) -> (RecordBatch, Source) {
    let kinds = columns.iter().map(|(name, _, kind)| ((*name).to_owned(), *kind)).collect();
    let columns = columns.into_iter().map(|(name, column, _)| (name, column, true));
    (RecordBatch::try_from_iter_with_nullable(columns).unwrap(), Source::Typed(kinds))
}

const FLOATS: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    0.0,
    0.125,
    -0.125,
    1e300,
    -1e300,
    17.0,
    17.5,
    0.15,
    1e15,
    5e-324,
];

fn integers_and_floats() -> (RecordBatch, Source) {
    let mut choose = choices(2);
    let mut some = |most: usize| (0..ROWS).map(|_| choose(most)).collect::<Vec<_>>();
    let longs = [i64::MIN, i64::MAX, 0, 1, -1, 40];
    typed(vec![
        (
            "i d",
            Arc::new(some(9).into_iter().map(|i| (i > 0).then_some(i as i64)).collect::<Int64Array>()),
            Kind::Integer,
        ),
        (
            "age",
            Arc::new(some(150).into_iter().map(|i| (i > 5).then_some(i as i32 - 10)).collect::<Int32Array>()),
            Kind::Integer,
        ),
        ("any", Arc::new(some(7).into_iter().map(|i| longs.get(i).copied()).collect::<Int64Array>()), Kind::Integer),
        (
            "big",
            Arc::new(
                some(4).into_iter().map(|i| [None, Some(u64::MAX), Some(0), Some(1 << 63)][i]).collect::<UInt64Array>(),
            ),
            Kind::Unsigned,
        ),
        (
            NASTY_NAME,
            Arc::new(some(15).into_iter().map(|i| FLOATS.get(i).copied()).collect::<Float64Array>()),
            Kind::Float,
        ),
        (
            "tenth",
            Arc::new(
                some(900)
                    .into_iter()
                    .map(|i| (i > 9).then_some(i as i128 * 12345 - 4_000_000))
                    .collect::<Decimal128Array>()
                    .with_precision_and_scale(20, 5)
                    .unwrap(),
            ),
            Kind::Decimal,
        ),
        (
            "city",
            Arc::new(some(10).into_iter().map(|i| NASTY_TEXTS.get(i).copied()).collect::<DictionaryArray<Int32Type>>()),
            Kind::Text,
        ),
        (
            "free",
            Arc::new(some(3).into_iter().map(|i| [None, Some(true), Some(false)][i]).collect::<BooleanArray>()),
            Kind::Boolean,
        ),
    ])
}

fn other_types() -> (RecordBatch, Source) {
    let mut choose = choices(3);
    let mut some = |most: usize| (0..ROWS).map(|_| choose(most)).collect::<Vec<_>>();
    typed(vec![
        ("i d", text_column(some(7).into_iter().map(|i| tables::PERSONS[i]).collect()), Kind::Text),
        ("age", Arc::new(some(15).into_iter().map(|i| FLOATS.get(i).copied()).collect::<Float64Array>()), Kind::Float),
        (
            "any",
            Arc::new(
                some(40)
                    .into_iter()
                    .map(|i| (i > 3).then_some((i as i128 - 20) * 5_000_000_000))
                    .collect::<Decimal128Array>()
                    .with_precision_and_scale(38, 10)
                    .unwrap(),
            ),
            Kind::Decimal,
        ),
        (
            "big",
            Arc::new(some(3).into_iter().map(|i| [None, Some(true), Some(false)][i]).collect::<BooleanArray>()),
            Kind::Boolean,
        ),
        (
            NASTY_NAME,
            Arc::new(some(15).into_iter().map(|i| FLOATS.get(i).map(|f| *f as f32)).collect::<Float32Array>()),
            Kind::Float,
        ),
        (
            "tenth",
            Arc::new(
                some(7)
                    .into_iter()
                    .map(|i| [i64::MIN, i64::MAX, 0, 3, -3, 1 << 60].get(i).copied())
                    .collect::<Int64Array>(),
            ),
            Kind::Integer,
        ),
        (
            "city",
            text_column(some(10).into_iter().map(|i| NASTY_TEXTS.get(i).copied().unwrap_or_default()).collect()),
            Kind::Text,
        ),
        (
            "free",
            Arc::new(some(20).into_iter().map(|i| (i > 0).then_some(i as i64 - 10)).collect::<Int64Array>()),
            Kind::Integer,
        ),
    ])
}

/// A field of a table as the text that means the same, by the rules that `sql` states.
fn as_text(column: Option<&Column>, array: &ArrayRef, row: usize) -> String {
    if array.is_null(row) {
        return String::new();
    }
    let text = array_value_to_string(array, row).unwrap();
    let float = match array.data_type() {
        DataType::Float32 => f64::from(array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row),
        DataType::Boolean if !matches!(column, Some(Column::Text { .. })) => {
            return u8::from(text == "true").to_string();
        }
        _ => return text,
    };
    let sign = if float < 0.0 { "-" } else { "" };
    match column {
        _ if float.is_nan() => String::new(),
        Some(Column::Integer { .. }) if float.abs() >= 1e18 => format!("{sign}{}", "9".repeat(30)),
        Some(Column::Integer { .. }) if float.fract() != 0.0 => String::new(),
        _ if float.abs() > 1e90 => format!("{sign}1e99"),
        _ if float.abs() < 1e-90 => "0".to_owned(),
        _ => format!("{float}"),
    }
}

/// The rows of a table, as texts.
fn raws(plan: &ReleasePlan, batch: &RecordBatch) -> Vec<reference::Raw> {
    let schema = batch.schema();
    let field = |row, (field, array): (&Arc<Field>, &ArrayRef)| {
        (field.name().clone(), Some(as_text(plan.columns.get(field.name()), array, row)))
    };
    let row = |row| schema.fields().iter().zip(batch.columns()).map(|item| field(row, item)).collect();
    (0..batch.num_rows()).map(row).collect()
}

/// Plans, by names that files can have.
fn all_plans() -> Vec<(String, ReleasePlan)> {
    let bounds = [None, Some((3, 2, 2)), Some((1, 1, 1)), Some((5, 1, 5))];
    let plan = |bound: Option<(u32, u32, u32)>| plans::every(bound.and_then(|(m, g, r)| plans::person(m, g, r)));
    bounds.into_iter().enumerate().map(|(place, bound)| (place.to_string(), plan(bound))).collect()
}

fn parquet(path: &Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn three_engines_give_the_same_aggregates() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for (table, (batch, source)) in [("texts", texts()), ("typed", integers_and_floats()), ("other", other_types())] {
        let path = folder.path().join(format!("{table}.parquet"));
        parquet(&path, &batch);
        for (name, plan) in all_plans() {
            let (digest, key) = (plans::digest(), plans::key(9));
            for (ending, dialect) in
                [("duckdb", Dialect::DuckDb), ("spark", Dialect::Spark), ("datafusion", Dialect::DataFusion)]
            {
                let text = sql::aggregation(&plan, &digest, &key, dialect, table, &source).unwrap();
                std::fs::write(folder.path().join(format!("{table}.{name}.{ending}.sql")), text).unwrap();
            }
            let plain = reference::sorted(reference::aggregate(&plan, &key, &raws(&plan, &batch)));
            let ours = reference::of(aggregate(&plan, &digest, &key, &path, Options::default()).unwrap());
            assert_eq!(ours, plain, "{table}, {name}");
            expected.push((format!("{table}.{name}"), plan, ours));
        }
    }
    let Some(python) = std::env::var_os("CERTUS_PYTHON") else {
        eprintln!("SKIPPED: the emitted SQL was not run on DuckDB and Spark (CERTUS_PYTHON names no interpreter)");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines.py");
    let output = Command::new(python).arg(script).arg(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    eprintln!("{said}");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut compared = 0;
    for engine in ["duckdb", "spark", "datafusion"] {
        if said.contains(&format!("SKIPPED: {engine}")) {
            continue;
        }
        for (name, plan, ours) in &expected {
            let path = folder.path().join(format!("{name}.{engine}.csv"));
            let theirs = aggregates::read(&path, plan, &plans::digest())
                .unwrap_or_else(|error| panic!("{name} {engine}: {error}"));
            for (query, (theirs, ours)) in plan.queries.iter().zip(reference::of(theirs).iter().zip(ours)) {
                assert_eq!(theirs, ours, "{name}, {}: {engine} differs", query.name);
                compared += ours.len();
            }
        }
    }
    eprintln!("{compared} groups compared");
}
