//! Gaussian noise on vectors, end to end: both ends of an account, and noise that is calibrated.

use crate::support::{certus, json, stdout};

const VECTOR: &str = "gaussian_vector(sigma=10, coordinates=100, sensitivity2=20)";

fn number(value: &serde_json::Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

/// The document says how far the ends are apart, and so do the words; other plans have no such thing.
#[test]
fn both_ends_are_told() {
    let document = json(&["account", VECTOR, "--delta", "1e-6"]);
    let (lower, upper) = (number(&document["epsilon"]["lower"]), number(&document["epsilon"]["upper"]));
    assert_eq!(document["attained"], false);
    let apart = number(&document["apart"]);
    assert!(lower < upper && (upper / lower - 1.0 - apart).abs() < 0.1 * apart, "{document}");
    let text = stdout(&["account", VECTOR, "--delta", "1e-6"]);
    assert!(text.contains("\nends      ") && !text.contains("\nnote ") && !text.contains("WIDER"), "{text}");
    let profile = json(&["account", VECTOR, "--profile", "--points", "3", "--to", "1"]);
    assert!(profile["profile"].as_array().unwrap().iter().all(|row| row["apart"].is_string()), "{profile}");
    for exact in ["gaussian(sigma=10)*20", "gaussian_histogram(sigma=10, keys=100, bins=20)"] {
        let document = json(&["account", exact, "--delta", "1e-6"]);
        assert_eq!((&document["attained"], &document["apart"]), (&true.into(), &serde_json::Value::Null), "{exact}");
    }
    let bound = json(&["account", "exponential(epsilon=1, candidates=3)", VECTOR, "--delta", "1e-6"]);
    assert_eq!(bound["apart"], serde_json::Value::Null);
}

/// Two vectors with the same pair beside the line, and other numbers of coordinates, are two mechanisms.
#[test]
fn parts_are_told_apart() {
    let of = |coordinates| format!("gaussian_vector(sigma=3, coordinates={coordinates}, sensitivity2=2)");
    let document = json(&["account", &of(100), &of(101), &of(100), "--epsilon", "2"]);
    assert_eq!(document["plan"].as_array().unwrap().len(), 2, "{document}");
}

/// What is found meets δ by `account`, and next to no smaller noise would: a line is close.
#[test]
fn calibrated_noise() {
    let arguments =
        ["--epsilon", "1", "--delta", "1e-6", "--sensitivity2", "100", "--coordinates", "1000", "--step", "1/100"];
    let found = json(&[&["calibrate", "gaussian"], &arguments[..]].concat());
    let spec = found["spec"].as_str().unwrap();
    assert!(spec.starts_with("gaussian_vector(sigma=2113/50, coordinates=1000, sensitivity2=100)"), "{spec}");
    let account = json(&["account", spec, "--epsilon", "1"]);
    assert!(number(&account["delta"]["upper"]) <= 1e-6, "{account}");
    // One coordinate moves by whole steps.
    let one = json(&[
        "calibrate",
        "gaussian",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--sensitivity2",
        "10",
        "--coordinates",
        "1",
        "--step",
        "1/8",
    ]);
    assert!(one["spec"].as_str().unwrap().ends_with("sensitivity=3)"), "{one}");
}

#[test]
fn bad_input_is_refused_in_one_line() {
    for (arguments, line) in [
        (&["laplace", "--coordinates", "2"][..], "--coordinates: must be given for gaussian alone"),
        (&["gaussian", "--delta", "1e-6", "--sensitivity2", "4"], "--sensitivity2: must be given with --coordinates"),
        (&["gaussian", "--delta", "1e-6", "--sensitivity2", "0", "--coordinates", "2"], "--sensitivity2"),
        (&["gaussian", "--delta", "1e-6", "--coordinates", "65537"], "--coordinates"),
    ] {
        let output = certus(&[&["calibrate", "--epsilon", "1"], arguments].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{arguments:?}: {error}");
        assert!(error.contains(line) && output.stdout.is_empty(), "{arguments:?}: {error}");
    }
}
