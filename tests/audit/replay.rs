//! Counterexamples: written, and tested again.

use crate::{Folder, certus, json, refused};

#[test]
fn a_counterexample_is_confirmed_and_a_false_one_is_not() {
    let folder = Folder::new();
    let found = folder.to("found.json");
    let arguments = ["audit", "laplace(scale=1)", "--claim", "epsilon=0.8", "--seed", "1", "--samples", "20000"];
    assert_eq!(json(&[&arguments[..], &["--counterexample", &found]].concat()).1, 1);
    let (document, status) = json(&["replay", &found, "--seed", "2"]);
    assert_eq!((document["confirmed"].as_bool(), status), (Some(true), 1), "{document}");
    assert_eq!(document["samples_a"], 20_000);
    let lower: f64 = document["delta_lower"].as_str().unwrap().parse().unwrap();
    assert!((0.08..=0.1326).contains(&lower), "{lower}");

    // The same event against a true claim: no evidence.
    let text = std::fs::read_to_string(&found).unwrap();
    let innocent = folder.file("innocent.json", text.replace("\"epsilon\": \"4/5\"", "\"epsilon\": \"1\""));
    let (document, status) = json(&["replay", &innocent, "--seed", "2", "--samples", "1e5"]);
    assert_eq!((document["confirmed"].as_bool(), status), (Some(false), 0), "{document}");

    for bad in ["{}", "[]", "", "{\"schema_version\": 1}", &text.replace("predicate", "predicament")] {
        refused(&["replay", &folder.file("bad.json", bad)], 2, &["FILE", "counterexample"]);
    }
    refused(&["replay", &found, "--samples", "1"], 2, &["--samples"]);
    refused(&["replay", &found, "--confidence", "2"], 2, &["--confidence"]);
}

#[test]
fn files_are_replayed_on_fresh_files() {
    let folder = Folder::new();
    let draw = |name: &str, input: &str, seed: &str| {
        let output = certus(&["sample", "laplace(scale=1/2)", "-n", "3000", "--input", input, "--seed", seed]);
        folder.file(name, output.stdout)
    };
    let (a, b) = (draw("a", "0", "1"), draw("b", "1", "2"));
    let found = folder.to("found.json");
    let arguments = ["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1", "--counterexample", &found];
    assert_eq!(json(&arguments).1, 1);
    refused(&["replay", &found], 2, &["--samples-a"]);
    // The audit's own are no fresh samples, neither as they were nor on one side alone.
    refused(&["replay", &found, "--samples-a", &a, "--samples-b", &b], 2, &["--samples-a", "fresh"]);
    let (old, (a, b)) = (b, (draw("fresh-a", "0", "3"), draw("fresh-b", "1", "4")));
    refused(&["replay", &found, "--samples-a", &a, "--samples-b", &old], 2, &["--samples-b", "fresh"]);
    let (document, status) = json(&["replay", &found, "--samples-a", &a, "--samples-b", &b]);
    assert_eq!((document["confirmed"].as_bool(), status), (Some(true), 1), "{document}");
}

/// The most blatant violation there is: every sample of one side is an output that the other side never has. It is confirmed at once, whether or not the file says how often it
/// was seen; and of a hundred samples, too.
#[test]
fn a_mechanism_without_noise_is_confirmed() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a", "7\n".repeat(100_000)), folder.file("b", "8\n".repeat(100_000)));
    let found = folder.to("found.json");
    let files = ["--samples-a", &a, "--samples-b", &b];
    let arguments = [&["audit", "--claim", "epsilon=1", "--counterexample", &found][..], &files].concat();
    assert_eq!(json(&arguments).1, 1);
    let mut stored: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&found).unwrap()).unwrap();
    stored["counts"] = serde_json::Value::Null;
    let blind = folder.file("blind.json", stored.to_string());
    let few = (folder.file("few-a", "7\n".repeat(100)), folder.file("few-b", "8\n".repeat(100)));
    for counterexample in [&found, &blind] {
        for (a, b, least) in [(&a, &b, 0.999), (&few.0, &few.1, 0.5)] {
            let (document, status) = json(&["replay", counterexample, "--samples-a", a, "--samples-b", b]);
            assert_eq!((document["confirmed"].as_bool(), status), (Some(true), 1), "{document}");
            let lower: f64 = document["delta_lower"].as_str().unwrap().parse().unwrap();
            assert!(lower > least && lower < 1.0, "{lower}");
        }
    }
}

/// No violation, no counterexample.
#[test]
fn nothing_is_written_without_a_violation() {
    let folder = Folder::new();
    let found = folder.to("none.json");
    let arguments = ["audit", "laplace(scale=1)", "--seed", "1", "--samples", "2000", "--counterexample", &found];
    assert_eq!(json(&arguments).1, 0);
    assert!(!std::fs::exists(found).unwrap());
}
