//! `certus calibrate`, end to end: what it finds is what `certus account` says of it.

use crate::support::{certus, json};

fn number(value: &serde_json::Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

/// The answer meets δ and the next smaller multiple does not, by `account`, which is asked anew.
#[test]
fn the_account_agrees() {
    for (arguments, epsilon, delta) in [
        (vec!["gaussian"], "1", "1e-5"),
        (vec!["gaussian", "--sensitivity", "3", "--step", "1/8"], "1/2", "1e-9"),
        // Not monotone: a bisection alone ends above the dip.
        (vec!["gaussian", "--step", "0.01"], "3", "0.053"),
        (vec!["gaussian"], "1e-9", "1e-6"),
        (vec!["laplace", "--sensitivity", "3"], "1", "1e-3"),
        (vec!["geometric", "--sensitivity", "61"], "2", "0"),
    ] {
        let found = json(&[&["calibrate", "--epsilon", epsilon, "--delta", delta], &arguments[..]].concat());
        assert_eq!((&found["smallest"], &found["excluded"]), (&true.into(), &"every".into()), "{arguments:?}");
        let at = |spec: &serde_json::Value| json(&["account", spec.as_str().unwrap(), "--epsilon", epsilon]);
        let wanted: f64 = delta.parse().unwrap();
        assert!(number(&at(&found["spec"])["delta"]["upper"]) <= wanted, "{found}");
        assert!(number(&at(&found["below"]["spec"])["delta"]["lower"]) > wanted, "{found}");
        assert!(number(&found["delta"]["lower"]) <= number(&at(&found["spec"])["delta"]["upper"]));
        assert!(number(&at(&found["spec"])["delta"]["lower"]) <= number(&found["delta"]["upper"]));
    }
}

/// (ε, δ) = (1, 10^-5): √(2·ln(1.25·10^5)) = 4.8448, and the seeds' sum of entries in {−1..60} has scale 61/2
/// at ε = 2.
#[test]
fn textbook_values() {
    let found = json(&["calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-5"]);
    assert!((number(&found["classical"]["lower"]) - 4.84480526).abs() < 1e-8);
    assert_eq!((&found["classical_holds"], found["spec"].as_str()), (&true.into(), Some("gaussian(sigma=3741/1000)")));
    assert!((number(&found["saved"]["lower"]) - (1.0 - 3.741 / 4.84480526)).abs() < 1e-8);
    let found = json(&["calibrate", "laplace", "--epsilon", "2", "--sensitivity", "61", "--step", "1/2"]);
    assert_eq!(found["spec"], "laplace(scale=61/2, sensitivity=61)");
    let output = certus(&["calibrate", "gaussian", "--epsilon", "40", "--delta", "0.1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("proven for epsilon up to 1 only; it FAILS here"), "{text}");
}

#[test]
fn bad_input_is_refused_in_one_line() {
    for (arguments, named) in [
        (vec!["gaussian", "--epsilon", "0", "--delta", "1e-5"], "--epsilon"),
        (vec!["gaussian", "--epsilon", "-1", "--delta", "1e-5"], "--epsilon"),
        (vec!["gaussian", "--epsilon", "1"], "--delta"),
        (vec!["gaussian", "--epsilon", "1", "--delta", "1"], "--delta"),
        (vec!["laplace", "--epsilon", "1", "--delta", "-0.1"], "--delta"),
        (vec!["laplace", "--epsilon", "NaN"], "--epsilon"),
        (vec!["laplace", "--epsilon", "1e999999999"], "--epsilon"),
        (vec!["laplace", "--epsilon", "1", "--sensitivity", "0"], "--sensitivity"),
        (vec!["laplace", "--epsilon", "1", "--sensitivity", "1/2"], "--sensitivity"),
        (vec!["laplace", "--epsilon", "1", "--step", "0"], "--step"),
        (vec!["laplace"], "--epsilon"),
        (vec!["cauchy", "--epsilon", "1"], "NAME"),
    ] {
        let output = certus(&[&["calibrate"], &arguments[..]].concat());
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}: {line}");
        assert!(line.lines().count() == 1 && line.contains(named), "{arguments:?}: {line}");
    }
}
