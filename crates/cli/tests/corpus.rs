//! Every file of the fuzz corpora of tallies and audit files through the properties that the fuzz targets check.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use std::{fs, path::Path};

#[path = "../../../fuzz/properties/audit_file.rs"]
mod audit_file;
#[path = "../../../fuzz/properties/tally.rs"]
mod tally;

fn run(target: &str, property: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display()); // shown if the property fails
        property(&fs::read(&path).unwrap());
        files += 1;
    }
    assert!(files >= 20, "{} holds {files} files: fewer than it had", folder.display());
}

#[test]
fn tallies() {
    run("tally", tally::tally);
}

#[test]
fn audit_files() {
    run("audit_file", audit_file::audit_file);
}
