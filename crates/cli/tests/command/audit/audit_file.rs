//! Audit files.

use super::{Folder, certus, json, refused};

const FILE: &str = r#"
[defaults]
samples = 30000
confidence = 0.999
timeout = 20

[[target]]
name = "good"
about = "noise as it should be"
spec = "laplace(scale=1)"
claim = { epsilon = 1 }
expect = "no-violation"

[[target]]
name = "bad"
spec = "laplace(scale=1/2)"
inputs = [0, 1]
claim = { epsilon = "1/2", delta = 0.001 }
expect = "violation"

[[target]]
name = "commands"
a = "seq 1 $CERTUS_SAMPLES"
b = "cat numbers"
samples = 100
claim = { epsilon = 1 }
expect = "violation"

[[target]]
name = "elsewhere"
a = "no_such_program"
b = "no_such_program"
requires = "command -v no_such_program"
claim = { epsilon = 1 }
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("numbers", (1001..=1100).map(|i| format!("{i}\n")).collect::<String>());
    folder
}

#[test]
fn a_file_of_targets() {
    let folder = folder();
    let file = folder.file("targets.toml", FILE);
    let (document, status) = json(&["audit", &file, "--seed", "1", "--shards", "1"]);
    let verdicts: Vec<&str> = document["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|target| target["verdict"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!((verdicts, status), (vec!["consistent", "violation", "violation", "-"], 0), "{document}");
    assert_eq!(document["as_expected"], true);
    assert!(document["targets"][3]["skipped"].as_str().unwrap().contains("no_such_program"));
    // Four targets share the confidence.
    assert_eq!(document["targets"][0]["confidence"], "0.99975");
    assert_eq!(document["targets"][0]["samples_a"], 30000);

    // A verdict that differs from what was expected: status 1.
    let file = folder.file("wrong.toml", FILE.replacen("\"violation\"", "\"no-violation\"", 1));
    let (document, status) = json(&["audit", &file, "--seed", "1", "--shards", "1"]);
    assert_eq!(
        (document["as_expected"].as_bool(), document["targets"][1]["as_expected"].as_bool(), status),
        (Some(false), Some(false), 1)
    );
    let text = String::from_utf8(certus(&["audit", &file, "--seed", "1", "--shards", "1"]).stdout).unwrap();
    assert!(text.contains("UNEXPECTED") && text.contains("skipped: elsewhere"), "{text}");
    // Only some of them.
    let (document, _) = json(&["audit", &file, "--only", "good"]);
    assert_eq!(document["targets"].as_array().unwrap().len(), 1);
}

/// What a target requires is tried where the file is, and not for ever.
#[test]
fn requirements_are_of_the_folder() {
    let folder = folder();
    let file = folder.file(
        "requires.toml",
        FILE.replace("command -v no_such_program", "test -f numbers && exit 1; test -f numbers"),
    );
    assert!(json(&["audit", &file, "--seed", "1", "--only", "elsewhere"]).0["targets"][0]["skipped"].is_string());
    let file = folder.file(
        "here.toml",
        FILE.replace("command -v no_such_program", "test -f numbers").replace(
            "a = \"no_such_program\"\nb = \"no_such_program\"",
            "a = \"seq 1 $CERTUS_SAMPLES\"\nb = \"cat numbers\"\nsamples = 100",
        ),
    );
    let (document, status) = json(&["audit", &file, "--only", "elsewhere", "--shards", "1"]);
    assert_eq!((document["targets"][0]["verdict"].as_str(), status), (Some("violation"), 1), "{document}");
    let text = String::from_utf8(certus(&["audit", &file, "--only", "elsewhere", "--shards", "1"]).stdout).unwrap();
    assert!(text.contains("1 NOT as expected"), "{text}");
    let file = folder.file(
        "hangs.toml",
        FILE.replace("command -v no_such_program", "sleep 54321").replace("timeout = 20", "timeout = 1"),
    );
    assert!(json(&["audit", &file, "--only", "elsewhere"]).0["targets"][0]["skipped"].is_string());
}

/// A target that cannot run is no verdict: status 3, and the others are told.
#[test]
fn a_target_that_fails() {
    let folder = folder();
    let file = folder.file("fails.toml", FILE.replace("cat numbers", "echo broken >&2; exit 4"));
    let output = certus(&["audit", &file, "--seed", "1"]);
    assert_eq!(output.status.code(), Some(3));
    let (text, line) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(text.contains("FAILED") && text.contains("good"), "{text}");
    assert!(line.contains("commands") && line.contains("status 4") && line.contains("broken"), "{line}");
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    for (from, to, named) in [
        ("[defaults]", "[default]", "unknown key"),
        ("samples = 30000", "sample = 20000", "unknown key"),
        ("samples = 30000", "samples = 1", "samples"),
        ("confidence = 0.999", "confidence = 2", "confidence"),
        ("name = \"good\"", "nome = \"good\"", "unknown key"),
        ("name = \"good\"", "name = \"bad\"", "name"),
        ("name = \"good\"", "name = 5", "name"),
        ("spec = \"laplace(scale=1)\"", "spec = \"laplace(scale=0)\"", "spec"),
        ("spec = \"laplace(scale=1)\"", "", "must have one of"),
        ("spec = \"laplace(scale=1)\"", "spec = \"laplace(scale=1)\"\na = \"x\"\nb = \"y\"", "must have one of"),
        ("claim = { epsilon = 1 }\nexpect = \"no-violation\"", "claim = { epsilon = -1 }", "epsilon"),
        ("claim = { epsilon = 1 }\nexpect = \"no-violation\"", "claim = { delta = 0 }", "claim"),
        ("claim = { epsilon = 1 }\nexpect = \"no-violation\"", "claim = 1", "claim"),
        ("expect = \"no-violation\"", "expect = \"yes\"", "expect"),
        ("b = \"cat numbers\"", "", "must have one of"),
        ("inputs = [0, 1]", "inputs = [0]", "inputs"),
        ("inputs = [0, 1]", "inputs = [\"x\", 1]", "inputs: "),
        ("inputs = [0, 1]", "inputs = [0, 1]\nb = \"x\"", "no meaning"),
        ("[[target]]", "[[target", "not TOML"),
    ] {
        assert!(FILE.contains(from), "{from}");
        let file = folder.file("mistake.toml", FILE.replacen(from, to, 1));
        refused(&["audit", &file], 2, &["mistake.toml", named]);
    }
    // Nothing runs where a file is missing.
    let marker = folder.to("it-ran");
    let runs = FILE.replace("cat numbers", &format!("touch {marker}; cat numbers"));
    let missing = format!(
        "{runs}\n[[target]]\nname = \"late\"\ntally_a = \"no.tally\"\ntally_b = \"no.tally\"\nclaim = {{ epsilon = 1 }}\n"
    );
    refused(&["audit", &folder.file("late.toml", missing)], 2, &["tally_a", "no.tally"]);
    assert!(!std::fs::exists(&marker).unwrap());
    let sequential = FILE.replace(
        "a = \"seq 1 $CERTUS_SAMPLES\"\nb = \"cat numbers\"",
        "samples_a = \"numbers\"\nsamples_b = \"numbers\"",
    );
    refused(&["audit", &folder.file("sequential.toml", sequential), "--sequential"], 2, &["--sequential"]);
    refused(&["audit", &folder.file("empty.toml", "")], 2, &["[[target]]"]);
    refused(&["audit", &folder.to("missing.toml")], 2, &["missing.toml"]);
    let good = folder.file("good.toml", FILE);
    refused(&["audit", &good, "--claim", "epsilon=1"], 2, &["--claim"]);
}
