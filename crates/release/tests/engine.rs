//! The engine against a reference: plain code over rows in memory.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod plans;
mod reference;
mod tables;

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Once},
};

use certus_ledger::plan::{Column, Keys, ReleasePlan, Statistic};
use certus_release::{
    aggregates::RankKey,
    engine::{Data, EngineError, Options, aggregate, check_header},
};
use proptest::prelude::*;

fn run(
    plan: &ReleasePlan,
    key: &RankKey,
    path: &Path,
    options: Options,
) -> Vec<Vec<certus_release::aggregates::Group>> {
    reference::of(aggregate(plan, &plans::digest(), key, path, options).unwrap())
}

fn options(partitions: usize) -> Options {
    Options { partitions, ..Options::default() }
}

#[test]
fn a_file_is_aggregated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, "id,age\nx,40\nx,50\ny,30\n,70\nz,\n").unwrap();
    let mut plan = plans::every(None);
    plan.columns.retain(|name, _| name == "age");
    plan.person = Some(certus_ledger::plan::Person { column: "id".to_owned(), rows: 1, groups: 1, rows_per_group: 1 });
    plan.queries.truncate(3);
    let groups = run(&plan, &plans::key(1), &path, Options::default());
    assert_eq!(groups[0][0].rows, 3);
    assert_eq!(groups[1][0].rows, 2);
    assert_eq!(groups[2][0].persons, 3);
}

/// A CSV file of a thousand rows, and a plan for it.
fn thousand(folder: &Path) -> (PathBuf, ReleasePlan) {
    let path = folder.join("table.csv");
    let rows: String = (0..1000).map(|row| format!("{},{}\n", row % 300, row % 90)).collect();
    std::fs::write(&path, format!("i d,age\n{rows}")).unwrap();
    let mut plan = plans::every(plans::person(2, 2, 2));
    plan.columns.retain(|name, _| name == "age");
    plan.queries.truncate(3);
    (path, plan)
}

#[test]
fn a_file_that_changes_gives_no_output() {
    type Change = fn(&Path);
    let append: Change =
        |path| std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"7,7\n").unwrap();
    let cut: Change = |path| File::options().write(true).open(path).unwrap().set_len(100).unwrap();
    let touch: Change = |path| {
        let bytes = std::fs::read(path).unwrap();
        File::options().write(true).open(path).unwrap().write_all(&bytes).unwrap();
    };
    let replace: Change = |path| {
        let other = path.with_extension("other");
        std::fs::copy(path, &other).unwrap();
        std::fs::rename(other, path).unwrap();
    };
    let remove: Change = |path| std::fs::remove_file(path).unwrap();
    for (name, change) in [("append", append), ("cut", cut), ("touch", touch), ("replace", replace), ("remove", remove)]
    {
        let folder = tempfile::tempdir().unwrap();
        let (path, plan) = thousand(folder.path());
        let (once, changed) = (Once::new(), path.clone());
        let progress = Arc::new(move |_, _| once.call_once(|| change(&changed)));
        let options = Options { progress, ..options(2) };
        let error = aggregate(&plan, &plans::digest(), &plans::key(1), &path, options).unwrap_err();
        assert!(matches!(error, EngineError::Changed), "{name}: {error}");
        // Between the check of the header and the reading.
        let (path, plan) = thousand(folder.path());
        let data = Data::open(&plan, &path, Options::default()).unwrap();
        change(&path);
        let error = data.aggregate(&plan, &plans::digest(), &plans::key(1)).unwrap_err();
        assert!(matches!(error, EngineError::Changed), "{name}: {error}");
    }
}

#[test]
fn work_that_is_done_again_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut plan) = thousand(folder.path());
    // All rows of a person count: one row that a partition adds or loses is seen.
    plan.person = plans::person(4, 4, 4);
    let data = Data::open(&plan, &path, options(3)).unwrap();
    let first = data.aggregate(&plan, &plans::digest(), &plans::key(1)).unwrap();
    assert_eq!(data.aggregate(&plan, &plans::digest(), &plans::key(1)).unwrap(), first);
    assert_eq!(first.queries[0][0].rows, 1000);
    assert_eq!(first.queries[2][0].persons, 300);
}

#[test]
fn refusals_speak_of_the_plan_and_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let (path, plan) = thousand(folder.path());
    let refused = |path: &Path, plan: &ReleasePlan| check_header(plan, path).unwrap_err().to_string();
    assert!(check_header(&plan, &path).is_ok());
    let mut other = plan.clone();
    other.columns.insert("height".to_owned(), Column::Integer { bounds: None });
    assert_eq!(refused(&path, &other), "the header has no column \"height\"");
    let mut other = plan.clone();
    other.person =
        Some(certus_ledger::plan::Person { column: "name".to_owned(), rows: 1, groups: 1, rows_per_group: 1 });
    assert_eq!(refused(&path, &other), "the header has no column \"name\"");
    let mut other = plan.clone();
    other.queries.push(plans::query("x", Statistic::Sum { column: "height".to_owned() }, &[], Keys::Public, None));
    assert_eq!(refused(&path, &other), "the column \"height\" is not declared");
    assert_eq!(refused(Path::new("/dev/null"), &plan), "the data are not a plain file, which could be seen to change");
    let text = folder.path().join("table.txt");
    std::fs::copy(&path, &text).unwrap();
    assert_eq!(refused(&text, &plan), "the data are neither a .csv nor a .parquet file");
    let parquet = folder.path().join("table.parquet");
    std::fs::copy(&path, &parquet).unwrap();
    assert_eq!(refused(&parquet, &plan), "the Parquet file's schema cannot be read");
}

#[test]
fn too_little_memory_and_no_spill_space_is_an_error_without_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let rows: String = (0..200_000).map(|row| format!("person {row},{}\n", row % 90)).collect();
    std::fs::write(&path, format!("i d,age\n{rows}")).unwrap();
    let plan = thousand(tempfile::tempdir().unwrap().path()).1;
    let options = Options { memory: 1 << 20, spill_limit: 1, ..options(2) };
    let error = aggregate(&plan, &plans::digest(), &plans::key(1), &path, options).unwrap_err();
    let expected =
        "the aggregation does not fit the memory (1048576 bytes) and the spill space (1 bytes) that it may use";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_agrees_with_plain_code(
        rows in proptest::collection::vec(tables::raw(), 0..60),
        bounds in proptest::option::of((1..6_u32, 1..4_u32, 1..4_u32)),
        byte in 0..4_u8,
        partitions in 1..5_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let plan = plans::every(bounds.and_then(|(m, g, r)| plans::person(m, g, r)));
        let key = plans::key(byte);
        let rows = tables::without_newlines(&rows);
        tables::write_csv(&path, &rows);
        let expected = reference::sorted(reference::aggregate(&plan, &key, &rows));
        prop_assert_eq!(run(&plan, &key, &path, options(partitions)), expected.clone());

        // Another order of the rows, another number of partitions.
        let mut rows = rows;
        rows.reverse();
        tables::write_csv(&path, &rows);
        prop_assert_eq!(run(&plan, &key, &path, options(6 - partitions)), expected);
    }
}
