//! The command: what it prints, what it writes, and what it refuses.

use std::path::Path;
use std::process::{Command, Output};

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_certus-cases")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// One line on stderr that has these words, nothing on stdout, exit 2.
fn refused(arguments: &[&str], words: &[&str]) {
    let output = command(arguments);
    let line = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {line}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    assert_eq!(line.lines().count(), 1, "{arguments:?}: {line}");
    for word in words {
        assert!(line.contains(word), "{arguments:?}: {line} does not name {word}");
    }
}

/// A folder of this test's own.
fn folder(name: &str) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[test]
fn without_a_name_the_cases_are_listed() {
    let output = command(&[]);
    assert!(output.status.success());
    for case in certus_cases::CASES {
        assert!(
            text(&output.stdout).lines().any(|line| line.starts_with(case.name) && line.contains(case.source)),
            "{}",
            case.name
        );
    }
}

#[test]
fn bad_input_is_refused_in_one_line() {
    refused(&["surveys"], &["surveys", "survey", "averaging"]);
    refused(&["--all"], &["--report"]);
    refused(&["--report", "x"], &["--all"]);
    refused(&["--all", "--report"], &["--report"]);
    refused(&["survey", "--gamma", "0.6"], &["--gamma 0.6", "from 0.01 to 0.49"]);
    refused(&["survey", "--gamma", "-0.1"], &["--gamma -0.1"]);
    refused(&["survey", "--gamma", "NaN"], &["--gamma NaN", "a number"]);
    refused(&["survey", "--gamma", "1e999999999"], &["--gamma"]);
    refused(&["survey", "--gamma", ""], &["--gamma"]);
    refused(&["survey", "--trials", "100.5"], &["--trials 100.5", "an integer"]);
    refused(&["survey", "--trials", "1e30"], &["--trials"]);
    refused(&["survey", "--trials", "100", "--trials", "200"], &["--trials"]);
    refused(&["survey", "--fraction", "0.123"], &["--fraction", "100 people"]);
    refused(&["survey", "--queries", "5"], &["--queries"]);
    refused(&["survey", "--seed", "-1"], &["--seed -1", "integer"]);
    refused(&["survey", "exercises"], &["exercises"]);
    refused(&["averaging", "--epsilon", "2", "--budget", "1"], &["--epsilon", "budget"]);
    // Every parameter of every case names its own range.
    for case in certus_cases::CASES {
        for parameter in case.parameters {
            let flag = format!("--{}", parameter.name);
            refused(&[case.name, &flag, "1e18"], &[&flag, &parameter.most.to_string()]);
            refused(&[case.name, &flag, "-1e18"], &[&flag, &parameter.least.to_string()]);
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_anything_runs() {
    let path = folder("taken");
    std::fs::create_dir_all(&path).unwrap();
    let file = path.join("file");
    std::fs::write(&file, "mine").unwrap();
    for place in [file.clone(), file.join("below")] {
        let place = place.to_str().unwrap();
        refused(&["--all", "--quick", "--report", place], &["--report", place]);
        refused(&["survey", "--plots", place], &["--plots", place]);
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn pictures_are_written_where_they_are_asked_for() {
    let path = folder("pictures");
    let output =
        command(&["survey", "--quick", "--trials", "100", "--samples", "1000", "--plots", path.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("survey-1.svg"));
    let written: Vec<_> = std::fs::read_dir(path).unwrap().collect();
    assert_eq!(written.len(), 3);
    for file in written {
        let svg = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"));
    }
}

#[test]
fn help_names_every_parameter_with_its_range() {
    let output = command(&["survey", "--help"]);
    assert!(output.status.success());
    for word in ["--gamma", "--trials", "--quick", "--seed", "--plots", "from 0.01 to 0.49"] {
        assert!(text(&output.stdout).contains(word), "{word}");
    }
}
