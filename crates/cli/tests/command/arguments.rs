//! The command end to end: what it prints, where, and with which exit status.

use std::{io::Read, process::Stdio};

use crate::support::{self, certus, json, stdout};

fn refused(arguments: &[&str], named: &str) {
    support::refused_within(arguments, 2, &[named], 1);
}

#[test]
fn samples_are_one_a_line() {
    let text = stdout(&["sample", "laplace(scale=5/2)", "-n", "1000", "--quiet"]);
    let values: Vec<i64> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(values.len(), 1000);
    // P(|noise| > 100) < 10^-17 a sample, and P(all 1000 equal) is nothing.
    assert!(values.iter().all(|value| value.abs() <= 100));
    assert!(values.iter().any(|value| *value != values[0]));
    assert_ne!(text, stdout(&["sample", "laplace(scale=5/2)", "-n", "1000"]));
    assert_eq!(stdout(&["sample", "laplace(scale=1)", "-n", "0"]), "");
    assert_eq!(stdout(&["sample", "laplace(scale=1)"]).lines().count(), 1);
}

#[test]
fn a_seed_repeats_and_warns() {
    let arguments = ["sample", "gaussian(sigma=3)", "-n", "20", "--seed", "c0ffee"];
    let output = certus(&arguments);
    assert!(String::from_utf8(output.stderr).unwrap().contains("not private"));
    assert_eq!(stdout(&arguments).into_bytes(), output.stdout);
    assert_eq!(stdout(&["sample", "gaussian(sigma=3)", "-n", "20", "--seed", "00C0FFEE"]).into_bytes(), output.stdout);
    assert_ne!(stdout(&["sample", "gaussian(sigma=3)", "-n", "20", "--seed", "c0ffef"]).into_bytes(), output.stdout);
    assert!(certus(&["sample", "laplace(scale=1)"]).stderr.is_empty());
}

#[test]
fn an_input_shifts_and_never_wraps() {
    let at = |input: &str| stdout(&["sample", "laplace(scale=1000)", "-n", "5", "--seed", "1", "--input", input]);
    let (zero, edge) = (at("0"), at("9223372036854775807"));
    for (noise, shifted) in zero.lines().zip(edge.lines()) {
        assert_eq!(shifted.parse::<i128>().unwrap(), noise.parse::<i128>().unwrap() + i128::from(i64::MAX));
    }
    assert_eq!(stdout(&["sample", "randomized_response(p=1, k=5)", "--input", "4"]), "4\n");
    let huge = format!("1{}", "0".repeat(300));
    assert!(stdout(&["sample", "gaussian(sigma=1)", "--input", "1e300"]).len() >= huge.len());
}

#[test]
fn json_of_sample() {
    let document = json(&["sample", "geometric(scale=0.5)", "-n", "7", "--stats", "--seed", "1"]);
    assert_eq!(document["spec"], "geometric(scale=1/2)");
    assert_eq!(document["sampler"], "reference");
    let samples = document["samples"].as_array().unwrap();
    assert!(samples.len() == 7 && samples.iter().all(|sample| sample.as_str().unwrap().parse::<i64>().is_ok()));
    assert!(document["stats"]["random_bits"].as_u64().unwrap() > 0);
    assert!(document["stats"]["seconds"].is_number());
}

/// The bars of the reference samplers: the mean over 10^6 samples, which is far from each bar in standard
/// errors.
#[test]
fn few_random_bits_a_sample() {
    for (spec, most) in [("laplace(scale=1)", 8), ("laplace(scale=355/113)", 18), ("gaussian(sigma=1)", 24)] {
        let document = json(&["sample", spec, "-n", "1e6", "--stats", "--seed", "5"]);
        let used = document["stats"]["random_bits"].as_u64().unwrap();
        assert!(used <= most * 1_000_000, "{spec}: {used} bits for 10^6 samples");
        let output = certus(&["sample", spec, "-n", "10", "--stats"]);
        assert!(String::from_utf8(output.stderr).unwrap().contains("bits a sample"));
    }
}

#[test]
fn the_fixed_sampler_draws_and_is_certified() {
    for spec in ["laplace(scale=5/2)", "laplace(scale=1/4)", "gaussian(sigma2=7/3)", "gaussian(sigma=30)"] {
        let document = json(&["sample", spec, "-n", "50", "--sampler", "fixed", "--seed", "3"]);
        assert_eq!((&document["sampler"], document["samples"].as_array().unwrap().len()), (&"fixed".into(), 50));
        let document = json(&["certify", spec, "--sampler", "fixed"]);
        assert_eq!((&document["sampler"], &document["holds"]), (&"fixed".into(), &true.into()));
        // Below 2^-53.
        assert!(document["total_variation_upper"].as_str().unwrap().parse::<f64>().unwrap() < 1.1e-16);
    }
    let document = json(&["certify", "gaussian(sigma=1)", "--sampler", "fixed", "--mode", "flat"]);
    assert_eq!((&document["holds"], &document["tapes_agree"]), (&true.into(), &true.into()));
    refused(&["sample", "laplace(scale=1e20)", "--sampler", "fixed"], "--sampler");
    refused(&["sample", "randomized_response(p=1/2)", "--sampler", "fixed"], "--sampler");
    refused(&["certify", "gaussian(sigma=1)", "--sampler", "fixed", "--depth", "54"], "--depth");
}

#[test]
fn many_samples_are_prepared() {
    let sampler = |arguments: &[&str]| json(arguments)["sampler"].as_str().unwrap().to_owned();
    assert_eq!(sampler(&["sample", "laplace(scale=1)", "-n", "999"]), "reference");
    assert_eq!(sampler(&["sample", "laplace(scale=1)", "-n", "1000"]), "prepared");
    assert_eq!(sampler(&["sample", "gaussian(sigma=1e12)", "-n", "2", "--sampler", "prepared"]), "prepared");
    assert_eq!(sampler(&["sample", "gaussian(sigma=1e30)", "-n", "1000"]), "reference");
    assert_eq!(sampler(&["sample", "randomized_response(p=1/2)", "-n", "1000"]), "reference");
}

#[test]
fn prepared_certificates_hold() {
    for (spec, most) in [("laplace(scale=5/2)", 1e-15), ("gaussian(sigma=3)", 1e-16), ("gaussian(sigma=1e15)", 1e-20)] {
        let document = json(&["certify", spec, "--sampler", "prepared"]);
        assert_eq!((&document["sampler"], &document["mode"]), (&"prepared".into(), &"edges".into()));
        assert_eq!(document["holds"], true);
        for bound in ["unresolved", "total_variation_upper"] {
            assert!(document[bound].as_str().unwrap().parse::<f64>().unwrap() <= most, "{spec}: {bound}");
        }
        assert_eq!(document["bucket_width"].is_string(), spec.contains("1e15"));
    }
    let document = json(&["certify", "gaussian(sigma=2)", "--sampler", "prepared", "--mode", "flat", "--depth", "16"]);
    assert_eq!((&document["holds"], &document["mode"]), (&true.into(), &"flat".into()));
    refused(&["certify", "randomized_response(p=1/2)", "--sampler", "prepared"], "--sampler");
    refused(&["certify", "gaussian(sigma=1e6)", "--sampler", "prepared", "--mode", "flat"], "--sampler");
}

#[test]
fn certificates_hold() {
    for spec in ["laplace(scale=5/2)", "gaussian(sigma2=7/3)", "randomized_response(epsilon=1, k=5)"] {
        let document = json(&["certify", spec]);
        assert_eq!(document["mode"], "structural");
        assert_eq!(document["depth"], 48);
        assert_eq!(document["sampler"], "reference");
        assert_eq!(document["holds"], true);
        for bound in ["unresolved", "total_variation_upper"] {
            // 2^-40 = 9.09…e-13
            assert!(document[bound].as_str().unwrap().parse::<f64>().unwrap() <= 9.09e-13, "{spec}: {bound}");
        }
        for row in document["pmf"].as_array().unwrap() {
            let of = |key: &str| row[key].as_str().unwrap().parse::<f64>().unwrap();
            assert!(row["value"].as_str().unwrap().parse::<i64>().is_ok());
            assert!(of("lower") <= of("expected_upper") && of("expected_lower") <= of("upper"));
        }
        assert!(stdout(&["certify", spec]).contains("the certificate holds"));
    }
    for entry in json(&["mechanisms"])["mechanisms"].as_array().unwrap() {
        for example in entry["examples"].as_array().unwrap() {
            assert_eq!(json(&["certify", example.as_str().unwrap()])["holds"], true, "{example}");
        }
    }
    let flat = json(&["certify", "laplace(scale=1)", "--mode", "flat", "--depth", "16"]);
    assert_eq!((&flat["mode"], &flat["tapes_agree"], &flat["holds"]), (&"flat".into(), &true.into(), &true.into()));
}

#[test]
fn bad_numbers_and_specs_are_refused() {
    for (spec, named) in [
        ("laplace(scale=0)", "scale"),
        ("laplace(scale=-1)", "scale"),
        ("laplace(scale=1/0)", "scale"),
        ("laplace(scale=abc)", "scale"),
        ("laplace(scale=NaN)", "scale"),
        ("laplace(scale=inf)", "scale"),
        ("laplace(scale=0x10)", "scale"),
        ("laplace(scale=1_000)", "scale"),
        ("laplace(scale=١)", "scale"),
        ("laplace(scale=1e999999999)", "scale"),
        ("laplace(scale=1, scale=1)", "scale"),
        ("laplace(scale=1, sensitivity=0)", "sensitivity"),
        ("gaussian(sigma=1, sigma2=1)", "sigma2"),
        ("gaussian()", "sigma"),
        ("laplace(scael=1)", "scael"),
        ("cauchy(scale=1)", "cauchy"),
        ("laplace(scale=1", "scale"),
        ("laplace(scale=1)*3", "*k"),
        ("laplace(scale=1)*0", "copies"),
        ("", "SPEC"),
        ("laplace(scale=1)\n\u{1b}[31m", "laplace"),
    ] {
        refused(&["sample", spec], named);
        refused(&["certify", spec], named);
    }
    let hostile = format!("laplace(scale={})", "9".repeat(100_000));
    refused(&["sample", &hostile], "SPEC");
    refused(&["sample", &"x".repeat(100_000)], "SPEC");
}

#[test]
fn bad_options_are_refused() {
    let spec = "laplace(scale=1)";
    for n in ["-5", "abc", "1.5", "1e999999999", "18446744073709551616", ""] {
        refused(&["sample", spec, "-n", n], "-n");
    }
    for seed in ["", "xyz", "-1", "0x2a", &"f".repeat(65)] {
        refused(&["sample", spec, "--seed", seed], "--seed");
    }
    refused(&["sample", spec, "--input", "1/2"], "--input");
    refused(&["sample", "randomized_response(p=1/2)", "--input", "yes"], "--input");
    refused(&["sample", spec, "--sampler", "quantum"], "--sampler");
    refused(&["certify", spec, "--depth", "0"], "--depth");
    refused(&["certify", spec, "--depth", "1025"], "--depth");
    refused(&["certify", spec, "--mode", "flat", "--depth", "37"], "--depth");
    refused(&["certify", spec, "--mode", "sideways"], "--mode");
    refused(&["certify", "laplace(scale=1e9)"], "SPEC");
    refused(&["certify", "gaussian(sigma2=1e300)"], "SPEC");
    refused(&["certify", "randomized_response(p=1/2, k=1e9)"], "SPEC");
    refused(&[], "command");
    refused(&["sample"], "SPEC");
    refused(&["sample", spec, "--frobnicate"], "--frobnicate");
    refused(&["frobnicate"], "frobnicate");
    refused(&["completions", "cobol"], "cobol");
}

#[test]
fn help_version_manual_and_completions() {
    for arguments in [&["--help"][..], &["sample", "--help"], &["certify", "--help"]] {
        assert!(stdout(arguments).contains("Examples:"), "{arguments:?}");
    }
    assert!(stdout(&["--version"]).starts_with("certus "));
    assert!(stdout(&["mechanisms"]).contains("gaussian(sigma=10)"));
    assert!(json(&["mechanisms"])["mechanisms"].as_array().unwrap().len() >= 3);
    assert!(stdout(&["completions", "bash"]).contains("certus"));
    assert!(stdout(&["man"]).contains(".TH certus"));
}

#[test]
fn a_closed_pipe_ends_silently() {
    let mut child = support::command()
        .args(["sample", "laplace(scale=1)", "-n", "1e12"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // The pipe is closed here; 10^12 samples would take days.
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
}
