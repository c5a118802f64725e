//! How often each statistic is within its stated α: a million rows, aggregated once, released again and again.
//!
//! ```text
//! cargo run --release --example accuracy -- [RELEASES]
//! ```
//!
//! It fails where a statistic is within its α in less than 93.5 % of the releases, and where the aggregates of
//! five partitions are not those of two.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_precision_loss
)]

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use certus::{
    bits::{Bits as _, SystemBits},
    exact::Rational,
};
use certus_ledger::plan::ReleasePlan;
use certus_release::{
    aggregates::RankKey,
    engine::{Options, aggregate},
    noise::{Draw, Paid, Samplers, Value, draw},
    price::price,
};

const ROWS: u64 = 1_000_000;

const PLAN: &str = r#"
format = "certus-release/1"
[person]
column = "id"
rows = 4
[budget]
epsilon = 2
[columns.age]
type = "integer"
lower = 0
upper = 100
[columns.income]
type = "number"
lower = 0
upper = 100000
grid = 0.5
[columns.sex]
type = "text"
values = ["f", "m", "x"]
[[query]]
name = "count"
statistic = "count"
where = "age >= 18"
[[query]]
name = "persons"
statistic = "persons"
[[query]]
name = "sum"
statistic = "sum"
column = "income"
[[query]]
name = "mean"
statistic = "mean"
column = "income"
[[query]]
name = "variance"
statistic = "variance"
column = "age"
[[query]]
name = "histogram"
statistic = "histogram"
column = "age"
cuts = [0, 20, 40, 60, 80, 100]
[[query]]
name = "by sex"
statistic = "count"
by = ["sex"]
"#;

/// Rows in numbers: the same on every machine.
fn rows() -> Vec<(u64, i64, i64, usize)> {
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..ROWS)
        .map(|row| {
            let (age, income, sex) = (next(110), next(240_000), next(3));
            (row / 4, age.cast_signed(), income.cast_signed(), usize::try_from(sex).unwrap())
        })
        .collect()
}

/// What the statistics are, of clamped values, in plain arithmetic. No person has more than four rows.
fn truths(rows: &[(u64, i64, i64, usize)]) -> BTreeMap<(String, String), f64> {
    let mut truths = BTreeMap::new();
    let mut set = |query: &str, cell: &str, value: f64| truths.insert((query.to_owned(), cell.to_owned()), value);
    let ages: Vec<f64> = rows.iter().map(|row| row.1.min(100) as f64).collect();
    // Half steps, at most 100,000.
    let incomes: Vec<f64> = rows.iter().map(|row| (row.2 as f64 / 2.0).min(100_000.0)).collect();
    let n = rows.len() as f64;
    set("count", "", rows.iter().filter(|row| row.1 >= 18).count() as f64);
    set("persons", "", (ROWS / 4) as f64);
    set("sum", "", incomes.iter().sum());
    set("mean", "", incomes.iter().sum::<f64>() / n);
    let mean = ages.iter().sum::<f64>() / n;
    set("variance", "", ages.iter().map(|age| (age - mean) * (age - mean)).sum::<f64>() / n);
    for (low, high, last) in [(0, 20, false), (20, 40, false), (40, 60, false), (60, 80, false), (80, 100, true)] {
        let inside =
            |age: &&f64| **age >= f64::from(low) && (**age < f64::from(high) || (last && **age <= f64::from(high)));
        let cell = format!("[{low}, {high}{}", if last { ']' } else { ')' });
        set("histogram", &cell, ages.iter().filter(inside).count() as f64);
    }
    for (place, sex) in ["f", "m", "x"].iter().enumerate() {
        set("by sex", sex, rows.iter().filter(|row| row.3 == place).count() as f64);
    }
    truths
}

fn number(value: &Rational) -> f64 {
    certus::exact::decimal(value, 17, certus::exact::Rounding::Down).parse().unwrap()
}

fn main() {
    let releases: u32 = std::env::args().nth(1).map_or(2000, |text| text.parse().unwrap());
    let rows = rows();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("people.csv");
    let mut text = String::from("id,age,income,sex\n");
    for (id, age, income, sex) in &rows {
        writeln!(text, "{id},{age},{}.{},{}", income / 2, income % 2 * 5, ["f", "m", "x"][*sex]).unwrap();
    }
    fs::write(&data, text).unwrap();
    let plan = ReleasePlan::from_toml(PLAN, &|_| panic!("no files")).unwrap();
    let priced = price(&plan).unwrap();
    let mut bits = SystemBits::new().unwrap();
    let mut key = [0; 32];
    key.fill_with(|| u8::try_from(bits.take(8).unwrap()).unwrap());
    let aggregated = |partitions: usize| {
        let options = Options { partitions, ..Options::default() };
        let mut found = aggregate(&plan, &plan.digest(), &RankKey(key), Path::new(&data), options).unwrap();
        // In what order an engine lists groups is its own.
        for groups in &mut found.queries {
            groups.sort_by(|one, two| (&one.key, one.cell).cmp(&(&two.key, two.cell)));
        }
        found
    };
    let found = aggregated(2);
    // Noise that an engine draws, once for every partition or run, would differ.
    assert_eq!(found, aggregated(5), "the same rows give the same aggregates");
    let truths = truths(&rows);
    let mut within: BTreeMap<(String, String), u32> = BTreeMap::new();
    for _ in 0..releases {
        let mut bits = SystemBits::new().unwrap();
        let drawn =
            draw(&plan, &priced, &found, &Paid::Unrecorded, &mut Draw::new(&mut bits, Samplers::Fixed)).unwrap();
        for (query, released) in plan.queries.iter().zip(&drawn) {
            for row in &released.rows {
                let Value::Number(value) = &row.value else { continue };
                let name = (query.name.clone(), row.label.clone().unwrap_or_else(|| row.key.join("/")));
                let alpha = number(row.alpha.as_ref().unwrap());
                // Sums of doubles are exact to far less than an α.
                let is_within = (number(value) - truths[&name]).abs() <= alpha;
                *within.entry(name).or_default() += u32::from(is_within);
            }
        }
    }
    assert_eq!(within.len(), truths.len(), "{within:?}");
    let mut fails = false;
    for ((query, cell), count) in &within {
        let share = f64::from(*count) / f64::from(releases) * 100.0;
        fails |= share < 93.5;
        println!("{query:<10} {cell:<10} {share:6.2} %{}", if share < 93.5 { "  TOO FEW" } else { "" });
    }
    std::process::exit(i32::from(fails));
}
