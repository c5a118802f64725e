//! Other people's commands: honest, broken, failing, hanging, endless.

use std::{
    fs,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use super::{Folder, json, refused};

/// Uniform on 0 … 9, or shifted: awk's generator is seeded by the shard, which differs from run to run.
fn uniform(from: u32) -> String {
    format!(
        "awk -v n=$CERTUS_SAMPLES -v s=$CERTUS_SHARD 'BEGIN {{ srand(1000 + s); for (i = 0; i < n; i++) print {from} + int(10 * rand()) }}'"
    )
}

const CLAIM: [&str; 2] = ["--claim", "epsilon=1"];

#[test]
fn honest_and_broken_commands() {
    for (shift, shards, verdict, status) in
        [(0, "1", "consistent", 0), (0, "3", "consistent", 0), (2, "2", "violation", 1)]
    {
        let (a, b) = (uniform(0), uniform(shift));
        let arguments = ["audit", "--a", &a, "--b", &b, "--samples", "20000", "--shards", shards];
        let (document, exit) = json(&[&arguments[..], &CLAIM].concat());
        assert_eq!((document["verdict"].as_str(), exit), (Some(verdict), status), "{document}");
        assert_eq!(document["samples_a"], 20_000);
        assert_eq!(document["kind"], "commands");
        assert_eq!(document["commands"][0], a);
    }
}

/// Whether a process whose arguments hold `marker` runs.
fn runs(marker: &str) -> bool {
    let lines = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let is_process = entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        is_process
            && entry.file_name().to_string_lossy() != std::process::id().to_string()
            && String::from_utf8_lossy(&lines(entry)).contains(marker)
    })
}

fn is_gone(marker: &str) -> bool {
    let started = Instant::now();
    while runs(marker) {
        if started.elapsed() > Duration::from_secs(10) {
            return false;
        }
        sleep(Duration::from_millis(20));
    }
    true
}

/// Each failure is status 3, one line with the command's own words, and no child is left.
#[test]
fn commands_that_fail() {
    let folder = Folder::new();
    let good = uniform(0);
    for (place, (bad, named)) in [
        ("echo 1; echo 'it broke' >&2; exit 7", &["--b", "status 7", "it broke", "1 of 1000"][..]),
        ("seq 999; echo 'tired' >&2", &["--b", "999 of the 1000", "tired"]),
        ("no_such_program_at_all", &["--b", "status 127"]),
        ("echo 'going on' >&2; yes", &["--b", "more than the 1000", "going on"]),
        ("seq 1000; echo 'sleepy' >&2; exec sleep MARK", &["--b", "did not end within 2 s", "sleepy"]),
        ("sleep MARK & sleep MARK", &["--b", "did not end within 2 s"]),
        ("seq 1000; kill -9 $$", &["--b", "signal"]),
        ("printf '\\377\\n'; seq 999", &["--b", "UTF-8"]),
        ("tr '\\0' 'x' < /dev/zero", &["--b", "bytes"]),
        ("sleep MARK & seq 999", &["--b"]),
    ]
    .into_iter()
    .enumerate()
    {
        let mark = format!("98765.{}{place}", std::process::id());
        let bad = bad.replace("MARK", &mark);
        let report = folder.to("report.html");
        let arguments = ["audit", "--a", &good, "--b", &bad, "--samples", "1000", "--timeout", "2", "--shards", "1"];
        refused(&[&arguments[..], &CLAIM, &["--report", &report]].concat(), 3, named);
        assert!(!fs::exists(&report).unwrap(), "{bad}");
        assert!(is_gone(&mark), "{bad}: a child was left");
    }
}

/// What a command leaves in the background is ended with it, although the audit went well.
#[test]
fn nothing_is_left_behind() {
    let mark = format!("87654.{}", std::process::id());
    let a = format!("sleep {mark} >/dev/null 2>&1 & {}", uniform(0));
    let b = uniform(0);
    let arguments = ["audit", "--a", &a, "--b", &b, "--samples", "1000"];
    assert_eq!(json(&[&arguments[..], &CLAIM].concat()).1, 0);
    assert!(is_gone(&mark));
}

/// An interrupt ends the command, and its children with it.
#[test]
fn an_interrupt_leaves_no_child() {
    for signal in ["INT", "TERM"] {
        let mark = format!("76543.{}{signal}", std::process::id()).replace("INT", "1").replace("TERM", "2");
        let hang = format!("sleep {mark}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_certus"))
            .args(["audit", "--a", &hang, "--b", &hang, "--claim", "epsilon=1"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        // The command itself has the mark among its arguments: wait for the shell's child.
        while !runs(&format!("sleep\0{mark}")) {
            assert!(started.elapsed() < Duration::from_secs(10));
            sleep(Duration::from_millis(20));
        }
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert!(is_gone(&format!("sleep\0{mark}")), "{signal}");
    }
}

/// A seed that is used by every shard makes shards that are copies of each other.
#[test]
fn copied_shards_are_found_out() {
    let same = "awk -v n=$CERTUS_SAMPLES 'BEGIN { srand(1); for (i = 0; i < n; i++) print int(1000 * rand()) }'";
    let other = same.replace("srand(1)", "srand(2)");
    let arguments = ["audit", "--a", same, "--b", &other, "--samples", "2000", "--shards", "2"];
    refused(&[&arguments[..], &CLAIM].concat(), 3, &["--a", "same outputs"]);
}

/// The shards of every batch, trial and replay have numbers of their own: what seeds itself by them is never
/// bet on with knowledge of it. The claim is true: 5 in 6 and 1 in 6 are within e^1.7 of each other. (With
/// the same numbers again, every run was a violation.)
#[test]
fn seeded_commands_are_never_seen_twice() {
    let response = |truth: u32| {
        format!(
            "awk -v n=$CERTUS_SAMPLES -v s=$CERTUS_SHARD 'BEGIN {{ srand(s); for (i = 0; i < n; i++) print (rand() < 1/6) ? 1 - {truth} : {truth} }}'"
        )
    };
    let (a, b) = (response(0), response(1));
    let arguments = ["audit", "--a", &a, "--b", &b, "--claim", "epsilon=1.7", "--samples", "20000", "--sequential"];
    let (document, status) = json(&[&arguments[..], &["--seed", "1"]].concat());
    assert_eq!((document["verdict"].as_str(), status), (Some("inconclusive"), 0), "{document}");
    assert!(document["min_detectable_delta"].is_null());
    // A command that prints the same whatever its shard is found out.
    let (a, b) = (a.replace("srand(s)", "srand(1)"), b.replace("srand(s)", "srand(2)"));
    let arguments = ["audit", "--a", &a, "--b", &b, "--claim", "epsilon=1.7", "--samples", "20000", "--sequential"];
    refused(&arguments, 3, &["same outputs"]);
}

/// The data are an argument: the pairs around a base are tried, and the worst is found. The sum's scale is
/// for one entry that moves; all of them may.
#[test]
fn a_search_over_inputs_finds_the_worst_pair() {
    let folder = Folder::new();
    let program = folder.file(
        "sum.sh",
        "awk -v n=$CERTUS_SAMPLES -v s=$CERTUS_SHARD -v d=\"$1\" 'BEGIN { srand(s * 7919 + length(d)); m = split(d, v, \",\"); \
         for (j = 1; j <= m; j++) t += v[j]; for (i = 0; i < n; i++) { x = 0; u = rand() - 0.5; \
         x = -2 * (u < 0 ? -1 : 1) * log(1 - 2 * (u < 0 ? -u : u)); printf \"%d\\n\", t + (x < 0 ? int(x - 0.5) : int(x + 0.5)) } }'",
    );
    let command = format!("sh {program} {{}}");
    let arguments =
        ["audit", "--command", &command, "--base", "1,1,1,1,1", "--neighbours", "each", "--samples", "20000"];
    let (document, status) = json(&[&arguments[..], &CLAIM].concat());
    assert_eq!((document["verdict"].as_str(), status), (Some("violation"), 1), "{document}");
    // Everything moved at once: the sum by five, at a scale of two.
    assert!(
        ["2,2,2,2,2", "0,0,0,0,0", "0,2,2,2,2", "2,0,0,0,0"].contains(&document["inputs"][1].as_str().unwrap()),
        "{}",
        document["inputs"]
    );
}
