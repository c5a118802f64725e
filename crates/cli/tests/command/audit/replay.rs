//! Counterexamples: written, and tested again.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    process::{Command, Stdio},
};

use super::{Folder, certus, json, refused};

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
    let text = fs::read_to_string(&found).unwrap();
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

/// The most blatant violation there is: every sample of one side is an output that the other side never has.
/// It is confirmed at once, whether or not the file says how often it was seen; and of a hundred samples,
/// too.
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
    assert!(!fs::exists(found).unwrap());
}

/// A counterexample whose commands leave a trace.
fn with_commands(folder: &Folder) -> (String, String) {
    let trace = folder.to("trace");
    let command = |from: u32| {
        format!(
            "echo ran >>{trace}; awk -v n=$CERTUS_SAMPLES -v s=$CERTUS_SHARD 'BEGIN {{ srand(s); for (i = 0; i < n; i++) print {from} + int(9 * rand()) }}'"
        )
    };
    let (a, b) = (command(0), command(5));
    let found = folder.to("found.json");
    let arguments = ["audit", "--a", &a, "--b", &b, "--claim", "epsilon=1", "--samples", "2000"];
    assert_eq!(json(&[&arguments[..], &["--counterexample", &found]].concat()).1, 1);
    fs::remove_file(&trace).unwrap();
    (found, trace)
}

/// Without a terminal and without `--yes` no command of the file is run, and the line says what to do.
#[test]
fn commands_are_not_run_unasked() {
    let folder = Folder::new();
    let (found, trace) = with_commands(&folder);
    let output =
        Command::new(env!("CARGO_BIN_EXE_certus")).args(["replay", &found]).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty() && !fs::exists(&trace).unwrap());
    // The commands are shown, and then the one line.
    assert!(said.contains("awk -v n=$CERTUS_SAMPLES"), "{said}");
    assert!(said.lines().last().unwrap().contains("--yes"), "{said}");
    // An answer through a pipe is nobody's.
    let script = format!("yes | {} replay {found}", env!("CARGO_BIN_EXE_certus"));
    assert_eq!(Command::new("sh").arg("-c").arg(script).output().unwrap().status.code(), Some(2));
    assert!(!fs::exists(&trace).unwrap());
    let (document, status) = json(&["replay", &found, "--yes"]);
    assert_eq!((document["confirmed"].as_bool(), status), (Some(true), 1), "{document}");
    assert!(fs::exists(&trace).unwrap());
}

/// On a terminal the commands are shown, and only a yes runs them.
#[test]
fn on_a_terminal_a_yes_is_asked_for() {
    let folder = Folder::new();
    let (found, trace) = with_commands(&folder);
    // A command that a terminal would show as another.
    let text = fs::read_to_string(&found).unwrap();
    let disguised = text.replacen("echo ran", ": \\u202e\\u001b[2K; echo ran", 1);
    assert_ne!(disguised, text);
    let found = folder.file("disguised.json", disguised);
    for (answer, runs) in
        [("\n", false), ("n\n", false), ("no\n", false), ("yesterday\n", false), ("y\n", true), ("yes\n", true)]
    {
        let nix::pty::OpenptyResult { master, slave } = nix::pty::openpty(None, None).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_certus"))
            .args(["replay", &found])
            .stdin(slave.try_clone().unwrap())
            .stderr(slave)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut terminal = File::from(master);
        // Answered when it is asked, and not before.
        let mut shown = Vec::new();
        while !String::from_utf8_lossy(&shown).contains("[y/N]") {
            let mut buffer = [0; 1024];
            let length = terminal.read(&mut buffer).unwrap();
            assert!(length > 0);
            shown.extend_from_slice(&buffer[..length]);
        }
        assert!(!fs::exists(&trace).unwrap());
        terminal.write_all(answer.as_bytes()).unwrap();
        let mut printed = String::new();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        let status = child.wait().unwrap().code();
        assert_eq!((status, fs::exists(&trace).unwrap()), (Some(if runs { 1 } else { 2 }), runs), "{answer:?}");
        assert_eq!(printed.contains("confirmed"), runs, "{answer:?}: {printed}");
        let shown = String::from_utf8_lossy(&shown);
        assert!(shown.contains("awk -v n=") && !shown.contains(['\u{202e}', '\u{1b}']), "{shown:?}");
        let _ = fs::remove_file(&trace);
    }
}

/// Specs and sample files need no yes, and `--yes` does no harm there.
#[test]
fn what_runs_no_command_needs_no_yes() {
    let folder = Folder::new();
    let found = folder.to("found.json");
    let arguments = ["audit", "laplace(scale=1)", "--claim", "epsilon=0.5", "--samples", "5000"];
    assert_eq!(json(&[&arguments[..], &["--counterexample", &found]].concat()).1, 1);
    assert_eq!(json(&["replay", &found]).1, 1);
    assert_eq!(json(&["replay", &found, "--yes"]).1, 1);
    // A counterexample of commands, replayed on files.
    let (found, trace) = with_commands(&folder);
    let side = |name: &str, from: u64| {
        let line = |i: u64| format!("{}\n", from + i.wrapping_mul(6_364_136_223_846_793_005) % 9);
        folder.file(name, (0..3000).map(line).collect::<String>())
    };
    let (a, b) = (side("a", 0), side("b", 5));
    assert_eq!(json(&["replay", &found, "--samples-a", &a, "--samples-b", &b]).1, 1);
    assert!(!fs::exists(&trace).unwrap());
}
