//! `certus audit`, `certus tally` and `certus replay`, end to end.
#![cfg(all(feature = "cli", unix))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail by panicking"
)]

mod audit_file;
mod commands;
mod files;
mod independent;
mod json_values;
mod limits;
mod own;
mod records;
mod replay;
mod statements;
mod tallies;
mod written;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder of its own, which goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("certus-audit-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and tells its path.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn to(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A number that looks drawn at random, another for every i (SplitMix64).
fn scattered(i: u64) -> u64 {
    let x = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

fn certus(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_certus")).args(arguments).output().unwrap()
}

/// The document that a command prints, and its exit status.
fn json(arguments: &[&str]) -> (serde_json::Value, i32) {
    let output = certus(&[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let document = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{arguments:?}: {text} {}", String::from_utf8_lossy(&output.stderr)));
    (document, output.status.code().unwrap())
}

/// One line on standard error that holds all of `named`, this status, and nothing on standard output.
fn refused(arguments: &[&str], status: i32, named: &[&str]) {
    let output = certus(arguments);
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {line}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(line.lines().count(), 1, "{arguments:?}: {line}");
    for named in named {
        assert!(line.contains(named), "{arguments:?}: {line} lacks {named}");
    }
}
