//! Every file of the fuzz corpora through the properties that the fuzz targets check.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fs;
use std::path::Path;

#[path = "../fuzz/properties.rs"]
mod properties;

fn run(target: &str, property: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display()); // shown if the property fails
        property(&fs::read(&path).unwrap());
        files += 1;
    }
    assert!(files >= 30, "{} holds {files} files: fewer than it had", folder.display());
}

#[test]
fn numbers() {
    run("number", properties::number);
}

#[test]
fn specs() {
    run("spec", properties::spec);
}
