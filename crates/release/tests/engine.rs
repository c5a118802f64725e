//! The engine against a reference: plain code over rows in memory.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod plans;
mod reference;
mod tables;

use std::path::Path;

use certus_ledger::plan::ReleasePlan;
use certus_release::{
    aggregates::RankKey,
    csv::Newlines,
    engine::{Options, aggregate},
};
use proptest::prelude::*;

fn run(plan: &ReleasePlan, key: &RankKey, path: &Path, options: Options) -> Vec<Vec<certus_release::aggregates::Group>> {
    reference::of(aggregate(plan, &plans::digest(), key, path, options).unwrap())
}

fn options(partitions: usize, newlines: Newlines) -> Options {
    Options { partitions, newlines, ..Options::default() }
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

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
        tables::write_csv(&path, &rows);
        let expected = reference::sorted(reference::aggregate(&plan, &key, &rows));
        prop_assert_eq!(run(&plan, &key, &path, options(partitions, Newlines::InQuotes)), expected);

        let rows = tables::without_newlines(&rows);
        tables::write_csv(&path, &rows);
        let expected = reference::sorted(reference::aggregate(&plan, &key, &rows));
        prop_assert_eq!(run(&plan, &key, &path, options(partitions, Newlines::EndRows)), expected.clone());
        prop_assert_eq!(run(&plan, &key, &path, options(partitions, Newlines::InQuotes)), expected.clone());

        // Another order of the rows, another number of partitions.
        let mut rows = rows;
        rows.reverse();
        tables::write_csv(&path, &rows);
        prop_assert_eq!(run(&plan, &key, &path, options(6 - partitions, Newlines::EndRows)), expected);
    }
}
