//! Samples that depend on each other: seeds that are used twice, files that are parts of others, audits' own
//! samples again.

use std::fs;

use super::{Folder, certus, json, refused};

const CLAIM: [&str; 2] = ["--claim", "epsilon=1"];

fn drawn(input: &str, seed: &str, count: &str) -> String {
    let output = certus(&["sample", "laplace(scale=1/2)", "-n", count, "--input", input, "--seed", seed]);
    String::from_utf8(output.stdout).unwrap()
}

/// All lines but some.
fn without(text: &str, is_left_out: impl Fn(usize) -> bool) -> String {
    let kept = text.lines().enumerate().filter(|(place, _)| !is_left_out(*place));
    kept.map(|(_, line)| format!("{line}\n")).collect()
}

/// The audit's own files, less one line or one third, at any place; one side alone; and with the sides
/// exchanged. (All of them were "fresh samples" that confirmed.)
#[test]
fn a_part_of_the_audits_own_samples_is_not_fresh() {
    let folder = Folder::new();
    let (a, b) = (drawn("0", "1", "3000"), drawn("1", "2", "3000"));
    let file = |name: &str, content: &str| folder.file(name, content);
    let (own_a, own_b) = (file("a", &a), file("b", &b));
    let found = folder.to("found.json");
    let arguments = ["audit", "--samples-a", &own_a, "--samples-b", &own_b, "--counterexample", &found];
    assert_eq!(json(&[&arguments[..], &CLAIM].concat()).1, 1);
    let (fresh_a, fresh_b) = (file("fresh-a", &drawn("0", "3", "3000")), file("fresh-b", &drawn("1", "4", "3000")));
    for (from, to) in [(0, 1), (1500, 1501), (2999, 3000), (0, 1000), (1000, 2000), (2000, 3000)] {
        let less = |text: &str| without(text, |place| (from..to).contains(&place));
        let (less_a, less_b) = (file("less-a", &less(&a)), file("less-b", &less(&b)));
        for (on_a, on_b) in [(&less_a, &less_b), (&less_a, &fresh_b), (&fresh_a, &less_b), (&less_b, &less_a)] {
            refused(&["replay", &found, "--samples-a", on_a, "--samples-b", on_b], 2, &["--samples-a", "fresh"]);
        }
    }
    // What is fresh is so by the user's word, and that is said.
    let files = ["--samples-a", &fresh_a, "--samples-b", &fresh_b];
    let (document, status) = json(&[&["replay", &found][..], &files].concat());
    assert_eq!((document["confirmed"].as_bool(), status), (Some(true), 1), "{document}");
    assert!(document["freshness"].as_str().unwrap().starts_with("the user's word; no long run"), "{document}");
    let said = String::from_utf8(certus(&[&["replay", &found][..], &files].concat()).stdout).unwrap();
    assert!(said.contains("freshness: the user's word") && !said.contains("fresh samples"), "{said}");
    // A file of version 0.1.0 has nothing to compare with, but whole recordings.
    let mut old: serde_json::Value = serde_json::from_str(&fs::read_to_string(&found).unwrap()).unwrap();
    assert!(old.as_object_mut().unwrap().remove("runs").unwrap().is_array());
    let old = file("old.json", &old.to_string());
    let (document, status) = json(&[&["replay", &old][..], &files].concat());
    assert_eq!((document["confirmed"].as_bool(), status), (Some(true), 1), "{document}");
    assert!(document["freshness"].as_str().unwrap().starts_with("the user's word; FILE does not say"), "{document}");
    refused(&["replay", &old, "--samples-a", &own_a, "--samples-b", &own_b], 2, &["--samples-a", "fresh"]);
}

/// One side is a part of the other: its beginning, its end, its middle, or all of it but one line; of
/// numbers, of bits and of rare ones.
#[test]
fn a_side_that_is_a_part_of_the_other_is_refused() {
    let folder = Folder::new();
    let numbers = drawn("0", "1", "4000");
    let parity = |text: &str, modulus: i64| -> String {
        text.lines().map(|line| format!("{}\n", u8::from(line.parse::<i64>().unwrap() % modulus == 0))).collect()
    };
    let rare = |text: &str| -> String {
        text.lines().map(|line| if line.parse::<i64>().unwrap().abs() > 2 { "x\n" } else { "0\n" }).collect()
    };
    let long = drawn("0", "2", "60000");
    for all in [numbers.clone(), parity(&numbers, 2), rare(&long)] {
        let lines = all.lines().count();
        for (from, to) in [(0, lines / 2), (lines / 2, lines), (lines / 4, lines / 4 * 3), (0, lines - 1), (1, lines)] {
            let part = without(&all, |place| !(from..to).contains(&place));
            let (a, b) = (folder.file("a", &all), folder.file("b", part));
            for (on_a, on_b) in [(&a, &b), (&b, &a)] {
                let arguments = ["audit", "--samples-a", on_a, "--samples-b", on_b];
                refused(&[&arguments[..], &CLAIM].concat(), 2, &["--samples-b", "same outputs"]);
            }
        }
    }
    // The same in tallies, as they come from two machines.
    let tally = |name: &str, text: &str| {
        let (file, to) = (folder.file(name, text), folder.to(&format!("{name}.tally")));
        assert_eq!(json(&["tally", &file, "--output", &to]).1, 0);
        to
    };
    let (a, b) = (tally("all", &numbers), tally("part", &without(&numbers, |place| place == 7)));
    refused(&[&["audit", "--tally-a", &a, "--tally-b", &b][..], &CLAIM].concat(), 2, &["--tally-b", "same outputs"]);
    refused(&[&["audit", "--tally-a", &a, "--tally-a", &b, "--tally-b", &b][..], &CLAIM].concat(), 2, &["--tally-a"]);
}

/// A replay refuses a side that is a part of the other, as an audit does: its files may be fresh, and still
/// depend on each other.
#[test]
fn a_replay_of_a_part_of_the_other_side_is_refused() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a", drawn("0", "1", "3000")), folder.file("b", drawn("1", "2", "3000")));
    let found = folder.to("found.json");
    let arguments = ["audit", "--samples-a", &a, "--samples-b", &b, "--counterexample", &found];
    assert_eq!(json(&[&arguments[..], &CLAIM].concat()).1, 1);
    let fresh = drawn("0", "3", "3000");
    let all = folder.file("all", &fresh);
    for (from, to) in [(0, 2999), (0, 1500), (1500, 3000)] {
        let part = folder.file("part", without(&fresh, |place| !(from..to).contains(&place)));
        for (on_a, on_b) in [(&all, &part), (&part, &all)] {
            let arguments = ["replay", &found, "--samples-a", on_a, "--samples-b", on_b];
            refused(&arguments, 2, &["--samples-b", "same outputs"]);
        }
    }
}

/// A seed that is the same in every run: on both sides the noise is the same, although no two lines of the
/// sides are. (With one shard a side, as two processors had, nobody noticed; nor with two of unequal
/// lengths.)
#[test]
fn commands_that_share_a_seed_are_refused() {
    let stuck = |from: u32| {
        format!(
            "awk -v n=$CERTUS_SAMPLES 'BEGIN {{ srand(1); for (i = 0; i < n; i++) print {from} + int(9 * rand()) }}'"
        )
    };
    let (a, b) = (stuck(0), stuck(100));
    for samples in [&["--samples", "2000"][..], &["--samples", "2001"], &["--samples", "2001", "--shards", "2"]] {
        let arguments = ["audit", "--a", &a, "--b", &b];
        refused(&[&arguments[..], &CLAIM, samples].concat(), 3, &["--a", "same outputs"]);
    }
    // With one shard it cannot be seen, and that is said.
    let (document, _) =
        json(&[&["audit", "--a", &a, "--b", &b, "--samples", "2000", "--shards", "1"][..], &CLAIM].concat());
    assert!(document["notes"].to_string().contains("--shards 1"), "{document}");
}

/// A batch of 500 with a dozen rare outputs says too little to be known again; batch after batch does. (Every
/// batch was bet on with knowledge of it.)
#[test]
fn rare_outputs_that_come_again_are_noticed() {
    let rare = |word: &str, seed: u32| {
        format!(
            "awk -v n=$CERTUS_SAMPLES 'BEGIN {{ srand({seed}); for (i = 0; i < n; i++) print (rand() < 0.02) ? \"{word}\" : \"no\" }}'"
        )
    };
    let (a, b) = (rare("yes", 1), rare("yes", 2));
    let arguments = ["audit", "--a", &a, "--b", &b, "--samples", "20000", "--sequential"];
    refused(&[&arguments[..], &CLAIM].concat(), 3, &["same outputs"]);
}

/// A command that counts its seeds modulo eight: the two trials have them all, and the audit has them again.
#[test]
fn an_audit_of_the_pilots_samples_is_refused() {
    let folder = Folder::new();
    let program = folder.file(
        "noise.sh",
        "awk -v n=$CERTUS_SAMPLES -v s=$((CERTUS_SHARD % 8)) -v d=\"$1\" 'BEGIN { srand(s + 1); for (i = 0; i < n; i++) print d + int(9 * rand()) }'",
    );
    let command = format!("sh {program} {{}}");
    let arguments = ["audit", "--command", &command, "--base", "5", "--samples", "2000", "--shards", "2"];
    refused(&[&arguments[..], &CLAIM].concat(), 3, &["same outputs"]);
    // With seeds of their own it is audited.
    let text = fs::read_to_string(&program).unwrap();
    fs::write(&program, text.replace("$((CERTUS_SHARD % 8))", "$CERTUS_SHARD")).unwrap();
    assert_eq!(json(&[&arguments[..], &CLAIM].concat()).0["verdict"], "violation");
}
