//! Every file of the CSV reader's fuzz corpus through the property that the fuzz target checks.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::{fs, path::Path};

#[path = "../../../fuzz/properties/csv.rs"]
mod properties;

#[test]
fn csv() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/csv");
    let mut files = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display()); // shown if the property fails
        properties::csv(&fs::read(&path).unwrap());
        files += 1;
    }
    assert!(files >= 20, "{} holds {files} files: fewer than it had", folder.display());
}
