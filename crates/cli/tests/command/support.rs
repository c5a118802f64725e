//! Runs the command, and reads what it prints.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use certus::exact::{Rational, parse};
use serde_json::Value;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command, with nothing said to it yet.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_certus"));
    command.current_dir(root());
    command
}

pub fn certus(arguments: &[&str]) -> Output {
    command().args(arguments).output().unwrap()
}

/// What a command prints that succeeds.
pub fn stdout(arguments: &[&str]) -> String {
    let output = certus(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The document that a command prints that succeeds.
pub fn json(arguments: &[&str]) -> Value {
    let document: Value = serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).unwrap();
    assert_eq!(document["schema_version"], 1);
    document
}

/// The document that a command prints, and its exit status.
pub fn json_and_status(arguments: &[&str]) -> (Value, i32) {
    let output = certus(&[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let document = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{arguments:?}: {text} {}", String::from_utf8_lossy(&output.stderr)));
    (document, output.status.code().unwrap())
}

/// Refused: this exit status, nothing on standard output, one short line on standard error that holds all of
/// `named`.
pub fn refused(arguments: &[&str], status: i32, named: &[&str]) {
    let output = certus(arguments);
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {line}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(line.lines().count(), 1, "{arguments:?}: {line}");
    assert!(line.starts_with("error: ") && line.len() < 1000, "{arguments:?}: {line}");
    for name in named {
        assert!(line.contains(name), "{arguments:?}: {line} lacks {name}");
    }
}

/// Refused within so many seconds, or ten times as many where others use the machine.
pub fn refused_within(arguments: &[&str], status: i32, named: &[&str], seconds: u64) {
    let started = Instant::now();
    refused(arguments, status, named);
    assert!(started.elapsed() < Duration::from_secs(10 * seconds), "{arguments:?} took {:?}", started.elapsed());
}

/// Both ends of an enclosure in a document.
pub fn bounds(value: &Value) -> (Rational, Rational) {
    let of = |key: &str| parse(value[key].as_str().unwrap()).unwrap();
    (of("lower"), of("upper"))
}
