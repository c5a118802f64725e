//! The aggregates file: what is written is read, and what no rows could have is refused.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod plans;

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use certus_ledger::{Digest, plan::ReleasePlan};
use certus_release::aggregates::{Aggregates, CONFIDENTIAL, Fault, FileError, Group, read, write};

fn group(key: &[&str], cell: Option<u32>, numbers: (u64, u64, u64), sums: (i128, i128)) -> Group {
    let key = key.iter().map(|key| (*key).to_owned()).collect();
    Group { key, cell, rows: numbers.0, persons: numbers.1, values: numbers.2, sum: sums.0, squares: sums.1 }
}

/// A plan and what it could have given.
fn specimen() -> (ReleasePlan, Aggregates) {
    let plan = plans::every(plans::person(3, 2, 2));
    let mut queries = vec![Vec::new(); plan.queries.len()];
    for (place, query) in plan.queries.iter().enumerate() {
        queries[place] = match query.name.as_str() {
            "count" => vec![group(&[], None, (9, 0, 0), (0, 0))],
            "persons" => vec![group(&[], None, (9, 5, 0), (0, 0))],
            "big" => {
                vec![group(&["it's"], None, (2, 0, 2), (-(1 << 64), 0)), group(&["nul\0x"], None, (1, 0, 0), (0, 0))]
            }
            "mean" => vec![group(&["new\nline", "7"], None, (2, 0, 1), (-5, 0))],
            "variance" => vec![group(&[], None, (3, 0, 3), (7, 4400 * 4400))],
            "histogram" => vec![group(&[], Some(3), (1, 0, 0), (0, 0))],
            "top" => vec![group(&[], Some(7), (1, 0, 0), (0, 0))],
            "cells" => vec![group(&["☃,\""], Some(0), (1, 1, 0), (0, 0)), group(&["☃,\""], Some(1), (2, 0, 0), (0, 0))],
            _ => Vec::new(),
        };
    }
    (plan, Aggregates { plan: plans::digest(), rank_key: plans::key(3), queries })
}

fn reads(path: &Path, text: &str) -> Result<Aggregates, FileError> {
    fs::write(path, text).unwrap();
    read(path, &specimen().0, &plans::digest())
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aggregates");
    let (plan, aggregates) = specimen();
    write(&path, &plan, &aggregates).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(read(&path, &plan, &plans::digest()).unwrap(), aggregates);
    assert!(fs::read_to_string(&path).unwrap().starts_with("# CONFIDENTIAL"));
    // What exists is not replaced: its mode may be another.
    assert!(matches!(write(&path, &plan, &aggregates), Err(FileError::Io(_))));
    let other = Digest::of(b"eight");
    let error = read(&path, &plan, &other).unwrap_err().to_string();
    assert_eq!(error, format!("the aggregates are of a plan with the digest {}, not {other}", plans::digest()));
}

#[test]
fn a_file_that_is_not_whole_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aggregates");
    let (plan, aggregates) = specimen();
    write(&path, &plan, &aggregates).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for gone in 1..lines.len() {
        let mut kept = lines.clone();
        kept.remove(gone);
        assert!(reads(&path, &(kept.join("\n") + "\n")).is_err(), "line {gone}");
        assert!(reads(&path, &(lines[..gone].join("\n") + "\n")).is_err(), "cut at {gone}");
    }
    for twice in 1..lines.len() {
        let mut more = lines.clone();
        more.insert(twice, lines[twice]);
        assert!(reads(&path, &(more.join("\n") + "\n")).is_err(), "line {twice} twice");
    }
    // As an engine gives it: without the first line and the last.
    let theirs = lines[1..lines.len() - 1].join("\n");
    assert_eq!(reads(&path, &theirs).unwrap(), aggregates);
    // Work that was done twice: the same group, or the whole result, once more.
    assert!(matches!(
        reads(&path, &format!("{theirs}\n{}\n", lines[4])),
        Err(FileError::Row { fault: Fault::Twice, .. })
    ));
    assert!(matches!(reads(&path, &format!("{theirs}\n{}\n", lines[2])), Err(FileError::Binding)));
    assert!(matches!(reads(&path, CONFIDENTIAL), Err(FileError::Header)));
    assert!(matches!(reads(&path, &theirs.replace("n_rows", "rows")), Err(FileError::Header)));
    assert!(matches!(reads(&path, "\u{0}\u{ff}"), Err(FileError::Header)));
}

#[test]
fn numbers_that_no_rows_could_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aggregates");
    let head = format!(
        "query,key_1,key_2,cell,n_rows,n_persons,n_values,total,squares\nplan,,,{},0,0,0,0,0\nrank,,,{},0,0,0,0,0\n",
        plans::digest(),
        plans::key(3)
    );
    let fault = |row: &str| match reads(&path, &format!("{head}{row}\n")) {
        Err(FileError::Row { fault, .. }) => Some(fault),
        Ok(_) => None,
        Err(other) => panic!("{other}"),
    };
    for good in [
        "0,,,,5,0,0,0,0",
        "2,,,,5,5,0,0,0",
        "3,,,,2,0,2,-800,0",
        "6,,,,1,0,1,4000,19360000",
        "4,x61,,,1,0,0,0,0",
        "7,,,3,1,0,0,0,0",
    ] {
        assert_eq!(fault(good), None, "{good}");
    }
    let bad = [
        ("0,,,,-5,0,0,0,0", Fault::Number),
        ("0,,,,05,0,0,0,0", Fault::Number),
        ("0,,,,5e3,0,0,0,0", Fault::Number),
        ("0,,,,18446744073709551616,0,0,0,0", Fault::Number),
        ("0,,,,5,0,0,NULL,0", Fault::Number),
        ("0,,,,5,0,0,1,0", Fault::Impossible),
        ("0,,,,5,1,0,0,0", Fault::Impossible),
        ("0,,,0,5,0,0,0,0", Fault::Cell),
        ("0,x61,,,5,0,0,0,0", Fault::Key),
        ("2,,,,5,6,0,0,0", Fault::Impossible),
        ("2,,,,5,0,0,0,0", Fault::Impossible),
        ("3,,,,1,0,2,0,0", Fault::Impossible),
        ("3,,,,2,0,2,-801,0", Fault::Impossible),
        ("3,,,,2,0,2,8001,0", Fault::Impossible),
        ("6,,,,1,0,1,4000,19360001", Fault::Impossible),
        ("6,,,,1,0,1,4000,-1", Fault::Impossible),
        ("4,x61,,,0,0,0,0,0", Fault::Impossible),
        ("4,x7a,,,1,0,0,0,0", Fault::Key),
        ("4,61,,,1,0,0,0,0", Fault::Key),
        ("4,x6,,,1,0,0,0,0", Fault::Key),
        ("4,xff,,,1,0,0,0,0", Fault::Key),
        ("5,x61,121,,1,0,0,0,0", Fault::Key),
        ("7,,,4,1,0,0,0,0", Fault::Cell),
        ("7,,,,1,0,0,0,0", Fault::Cell),
        ("12,,,x7a,1,0,0,0,0", Fault::Cell),
        ("19,,,,1,0,0,0,0", Fault::Query),
        ("end,,,1,0,0,0,0,0", Fault::Query),
        ("0,,,,5,0,0,0", Fault::Fields),
        ("0,,,,5,0,0,0,0,0", Fault::Fields),
    ];
    for (row, expected) in bad {
        assert_eq!(fault(row), Some(expected), "{row}");
    }
}
