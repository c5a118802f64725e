//! Sample files.

use super::{Folder, certus, json, refused};

/// Multiples of 1/4 between 0 and 5, from a congruence: the same on every run.
fn values(seed: u64, shift: i64) -> Vec<i64> {
    let mut state = seed;
    (0..4000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from((state >> 33) % 20).unwrap() + shift
        })
        .collect()
}

fn text(values: &[i64], line: impl Fn(i64) -> String) -> String {
    values.iter().map(|value| line(*value) + "\n").collect()
}

/// The same outputs in every format give the same verdict and counts.
#[test]
fn every_format() {
    let folder = Folder::new();
    let (a, b) = (values(1, 0), values(2, 7));
    let audit = |name: &str, a: &[u8], b: &[u8], more: &[&str]| {
        let (a, b) = (folder.file(&format!("a{name}"), a), folder.file(&format!("b{name}"), b));
        let arguments = ["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1", "--seed", "5"];
        let (document, status) = json(&[&arguments[..], more].concat());
        assert_eq!((document["verdict"].as_str(), status), (Some("violation"), 1), "{name}: {document}");
        assert_eq!(document["samples_a"], 4000, "{name}");
        (document["counts"].clone(), document["delta_lower"].clone())
    };
    let plain = |values: &[i64]| text(values, |value| value.to_string()).into_bytes();
    let expected = audit(".txt", &plain(&a), &plain(&b), &[]);
    assert_eq!(audit("", &plain(&a), &plain(&b), &[]), expected);
    assert_eq!(audit("crlf.csv", &csv(&a), &csv(&b), &["--column", "answer"]), expected);
    let ndjson = |values: &[i64]| text(values, |value| format!("{{\"answer\": {value}, \"id\": \"x\"}}")).into_bytes();
    assert_eq!(audit(".jsonl", &ndjson(&a), &ndjson(&b), &["--column", "answer"]), expected);
    assert_eq!(audit("sniffed", &ndjson(&a), &ndjson(&b), &["--column", "answer"]), expected);
    let raw = |values: &[i64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(audit(".i64", &raw(&a), &raw(&b), &[]), expected);
    #[expect(clippy::cast_precision_loss, reason = "small integers")]
    let floats = |values: &[i64]| values.iter().flat_map(|value| (*value as f64).to_le_bytes()).collect::<Vec<u8>>();
    // 3.0 is another text than 3, and in another place when the tally is split.
    assert_eq!(audit("raw", &floats(&a), &floats(&b), &["--format", "f64"]).0["p_samples"], expected.0["p_samples"]);
}

fn csv(values: &[i64]) -> Vec<u8> {
    let rows: String = values.iter().map(|value| format!("\"a, \"\"quoted\"\" id\",{value}\r\n")).collect();
    format!("id,answer\r\n{rows}").into_bytes()
}

/// The samples are a file's, and the same; the coins that part them are fresh in every run. That eight runs
/// have the same counts has probability below 10^-9.
#[test]
fn every_run_parts_a_file_anew() {
    let folder = Folder::new();
    let file = |name, values: &[i64]| folder.file(name, text(values, |value| value.to_string()));
    let (a, b) = (file("a", &values(1, 0)), file("b", &values(2, 7)));
    let run = |more: &[&str]| {
        json(&[&["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1"][..], more].concat()).0["counts"]
            .clone()
    };
    let first = run(&[]);
    assert!((0..7).any(|_| run(&[]) != first), "{first}");
    assert_eq!(run(&["--seed", "5"]), run(&["--seed", "5"]));
}

#[test]
fn what_is_refused() {
    let folder = Folder::new();
    let good = folder.file("good.txt", text(&values(1, 0), |value| value.to_string()));
    let claim = ["--claim", "epsilon=1"];
    let refuse = |a: &str, b: &str, more: &[&str], named: &[&str]| {
        refused(&[&["audit", "--samples-a", a, "--samples-b", b][..], &claim, more].concat(), 2, named);
    };
    refuse(&good, &folder.to("missing.txt"), &[], &["--samples-b", "missing.txt"]);
    refuse(&good, &folder.file("b.csv", csv(&values(2, 0))), &[], &["--samples-b", "csv", "text"]);
    refuse(&good, &folder.file("b.json", "{\"x\": 1}\n"), &[], &["--samples-b", "ndjson"]);
    refuse(&good, &folder.file("b.bin", [0, 1, 2, 255]), &[], &["--samples-b", "--format"]);
    refuse(&good, &folder.file("latin1.txt", b"1\n2\n\xe9\n"), &[], &["--samples-b", "line 3", "UTF-8"]);
    refuse(&good, &folder.file("short.txt", "1\n2\n"), &[], &["20 samples"]);
    refuse(&good, &good, &[], &["--samples-b", "same outputs"]);
    refuse(&good, &folder.file("b.txt", "1\n"), &["--column", "x"], &["--column"]);
    let (a, b) = (folder.file("a.csv", csv(&values(1, 0))), folder.file("c.csv", csv(&values(2, 0))));
    refuse(&a, &b, &[], &["--samples-a", "2 columns", "--column"]);
    refuse(&a, &b, &["--column", "nope"], &["--column", "id, answer"]);
    let (a, b) = (folder.file("a.i64", [1; 12]), folder.file("b.i64", [2; 16]));
    refuse(&a, &b, &[], &["--samples-a", "whole words"]);
    let (a, b) = (folder.file("a.jsonl", "{\"x\":{}}\n"), folder.file("b.jsonl", "not json\n"));
    refuse(&a, &b, &[], &["--samples-a", "line 1", "object", "--column"]);
    refuse(&b, &a, &["--column", "x"], &["--samples-a", "line 1", "JSON"]);
    let (a, b) = (folder.file("c.jsonl", "{\"x\":1}\n"), folder.file("d.jsonl", "{\"y\":1}\n"));
    refuse(&a, &b, &["--column", "x"], &["--samples-b", "line 1", "no such field"]);
    let (a, b) = (folder.file("n.csv", "x\n\"1\n2\"\n"), folder.file("m.csv", "x\n1\n"));
    refuse(&a, &b, &[], &["--samples-a", "line break"]);
    assert_eq!(certus(&["audit", "--samples-a", &good, "--claim", "epsilon=1"]).status.code(), Some(2));
}

/// Numbers of NDJSON keep their text, and different values are different outputs.
#[test]
fn the_text_of_json_is_kept() {
    let folder = Folder::new();
    let lines = "0.50\n0.5\n100000000000000000000001\n100000000000000000000002\n1e400\nnull\n\"\"\n\"a\\nb\"\n\"a b\"\n[[1,2],3]\n[1,[2,3]]\n[1,2,3]\n";
    let samples = folder.file("values.jsonl", lines);
    let (document, status) = json(&["tally", &samples, "--output", &folder.to("values.tally")]);
    assert_eq!((document["samples"].as_u64(), document["distinct"].as_u64(), status), (Some(12), Some(12), 0));
}

/// A pipe is read once, from its start.
#[test]
fn pipes_are_files() {
    let certus = env!("CARGO_BIN_EXE_certus");
    let script = format!("seq 1000 1999 | {certus} tally /dev/stdin | head -n 3 | tail -n 2");
    let output = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" 1000 ") && text.contains("values 1000"), "{text}");
}
