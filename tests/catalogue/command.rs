//! The command on every entry.

use std::{
    process::{Command, Output},
    time::{Duration, Instant},
};

use crate::{entries, examples};

fn certus(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_certus")).args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = certus(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).unwrap()
}

fn refused(arguments: &[&str], named: &str, within: u64) {
    let started = Instant::now();
    let output = certus(arguments);
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{arguments:?}: {line}");
    assert!(output.stdout.is_empty() && line.starts_with("error: ") && line.contains(named), "{arguments:?}: {line}");
    assert!(started.elapsed() < Duration::from_secs(within), "{arguments:?} took {:?}", started.elapsed());
}

#[test]
fn every_example_is_sampled_and_accounted() {
    for example in examples() {
        let text = stdout(&["sample", example, "-n", "25", "--seed", "7"]);
        assert_eq!(text.lines().count(), 25, "{example}");
        let document = json(&["sample", example, "-n", "25", "--seed", "7", "--stats"]);
        let samples: Vec<&str> =
            document["samples"].as_array().unwrap().iter().map(|sample| sample.as_str().unwrap()).collect();
        assert_eq!(samples, text.lines().collect::<Vec<_>>(), "{example}");
        assert!(document["stats"]["random_bits"].as_u64().unwrap() > 0);
        let document = json(&["account", &format!("{example}*2"), "--epsilon", "1/2"]);
        assert!(document["plan"].to_string().contains("*2"), "{example}: {document}");
    }
}

#[test]
fn mechanisms_lists_every_entry_with_its_family() {
    let (text, document) = (stdout(&["mechanisms"]), json(&["mechanisms"]));
    let listed = document["mechanisms"].as_array().unwrap();
    for entry in entries() {
        assert!(text.contains(&format!("\n{}", entry.name)), "{}", entry.name);
        let found = listed.iter().find(|listed| listed["name"] == entry.name).unwrap();
        assert!(found["family"].is_string() && found["input"].is_string());
    }
    let only = document["account_only"].as_array().unwrap();
    assert_eq!(only.len(), 2);
    for entry in only {
        assert!(text.contains(entry["name"].as_str().unwrap()));
        for example in entry["examples"].as_array().unwrap() {
            json(&["account", example.as_str().unwrap(), "--epsilon", "1"]);
        }
    }
}

/// A certificate names its inputs, its claims and both directions; on inputs that are no neighbours it fails, with exit status 1.
#[test]
fn certificates_of_two_inputs() {
    let spec = "permute_and_flip(epsilon=1, candidates=2)";
    let document = json(&["certify", spec]);
    assert_eq!((&document["holds"], &document["sampler"]), (&true.into(), &"reference".into()));
    assert!(document["total_variation_upper"].is_null() && document["pmf"][0]["expected_lower"].is_null());
    assert_eq!(document["inputs"].as_array().unwrap().len(), 2);
    for point in document["privacy"].as_array().unwrap() {
        assert!(point["forward"]["upper"].is_string() && point["backward"]["lower"].is_string());
        assert_eq!(point["holds"], true);
    }
    let text = stdout(&["certify", spec, "--input", "0,0", "--neighbour", "1,-1"]);
    assert!(text.contains("the certificate holds") && text.contains("(stated)"));
    let failed = certus(&["certify", spec, "--input", "0,0", "--neighbour", "5,-5"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8(failed.stdout).unwrap().contains("FAILS"));
    // With a closed form, it is compared too.
    let document = json(&["certify", "exponential(epsilon=1, candidates=3)"]);
    assert!(document["total_variation_upper"].as_str().unwrap().parse::<f64>().unwrap() < 1e-12);
    assert!(document["pmf"][0]["expected_lower"].is_string());
    // The noise with samplers of its own takes two inputs as well.
    assert_eq!(json(&["certify", "gaussian(sigma=2)", "--input", "0", "--neighbour", "1"])["holds"], true);
    let failed = certus(&["certify", "laplace(scale=1)", "--input", "0", "--neighbour", "2"]);
    assert_eq!(failed.status.code(), Some(1));
    let flat = json(&["certify", "count(scale=1/2)", "--mode", "flat", "--depth", "12"]);
    assert_eq!((&flat["tapes_agree"], &flat["holds"]), (&true.into(), &true.into()));
}

#[test]
fn bad_arguments_are_refused() {
    let spec = "exponential(epsilon=1, candidates=3)";
    refused(&["sample", spec, "--input", "1,2"], "--input", 1);
    refused(&["sample", spec, "--input", "a,b,c"], "--input", 1);
    refused(&["sample", spec, "--sampler", "fixed"], "--sampler", 1);
    refused(&["certify", spec, "--sampler", "fixed"], "--sampler", 1);
    refused(&["certify", spec, "--sampler", "prepared"], "--sampler", 1);
    refused(&["certify", spec, "--input", "1,2,3"], "--neighbour", 1);
    refused(&["certify", spec, "--input", "1,2,3", "--neighbour", "1,2"], "--neighbour", 1);
    refused(&["certify", "count(scale=1)*2"], "*k", 1);
    for absurd in [
        "exponential(epsilon=1, candidates=1e9)",
        "laplace_vector(scale=1, coordinates=1e12)",
        "histogram(keys=1e12, scale=1)",
        "prefix_counts(slots=1e9, scale=1)",
        "mean_of_known(scale=1, lower=0, upper=1, records=1e9)",
        "rappor(k=1e9, h=1e9, f=1/2)",
    ] {
        refused(&["sample", absurd], "SPEC", 1);
        refused(&["certify", absurd], "SPEC", 1);
        refused(&["account", absurd, "--epsilon", "1"], "SPEC", 1);
    }
    // Out of reach of an enumeration, and not of the clock.
    for wide in ["histogram(keys=50, scale=1)", "laplace_vector(scale=1e300, coordinates=65536)", "count(scale=1e9)"] {
        refused(&["certify", wide], "too many outputs", 60);
    }
}
