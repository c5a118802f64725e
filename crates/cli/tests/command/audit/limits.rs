//! Lines without an end: 1 MiB is the longest, in files, tallies and streams as of commands, and memory is
//! bounded.

use std::process::Command;

use super::{Folder, json, refused};

const LONGEST: usize = 1 << 20;

/// Under a gigabyte of address space, an endless line of zeros is refused: exit status 2, one line, nothing
/// on standard output.
#[test]
fn endless_lines_are_refused() {
    let folder = Folder::new();
    let good = folder.file("good", "1\n".repeat(50));
    let certus = env!("CARGO_BIN_EXE_certus");
    let claim = "--claim epsilon=1";
    let heading = "{ echo x; cat /dev/zero; }";
    for (script, named) in [
        (format!("{certus} audit --samples-a /dev/zero --samples-b {good} {claim}"), "--samples-a"),
        (format!("{certus} audit --samples-a {good} --samples-b /dev/zero {claim}"), "--samples-b"),
        (format!("{certus} audit --samples-a {good} --samples-b /dev/zero --format csv {claim}"), "--samples-b"),
        (format!("{heading} | {certus} tally --format csv"), "standard input"),
        (format!("{{ echo x; printf '\"'; yes; }} | {certus} tally --format csv"), "standard input"),
        (format!("{{ echo x; yes , | tr -d '\\n'; }} | {certus} tally --format csv"), "standard input"),
        (format!("{certus} tally --format csv </dev/zero"), "standard input"),
        (format!("{certus} tally --format ndjson </dev/zero"), "standard input"),
        (format!("{certus} tally </dev/zero"), "standard input"),
        (format!("head -c 4294967296 /dev/zero | {certus} tally"), "standard input"),
        (format!("{certus} audit --tally-a /dev/zero --tally-b {good} {claim}"), "--tally-a"),
        (
            format!(
                "{{ echo certus-tally 1; cat /dev/zero; }} | {certus} audit --tally-a /dev/stdin --tally-b {good} {claim}"
            ),
            "--tally-a",
        ),
    ] {
        let output = Command::new("sh").arg("-c").arg(format!("ulimit -v 1000000; {script}")).output().unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        // What fills the pipe may say that it broke.
        let line = line.lines().find(|line| line.contains("certus") || line.contains(named)).unwrap_or_default();
        assert_eq!(output.status.code(), Some(2), "{script}: {line}");
        assert!(output.stdout.is_empty() && line.contains(named), "{script}: {line}");
    }
}

/// Exactly 1 MiB is a line, in every format and through a tally; one byte more is refused with its number.
#[test]
fn the_longest_line_is_a_mebibyte() {
    let folder = Folder::new();
    for (name, heading, quote) in [("x.txt", "", ""), ("x.csv", "answer\n", ""), ("x.jsonl", "", "\"")] {
        let line = |length: usize| format!("{quote}{}{quote}\n", "x".repeat(length - 2 * quote.len()));
        let file = |length| folder.file(name, format!("{heading}{}{}{quote}a{quote}\n", line(9), line(length)));
        let to = folder.to("x.tally");
        let (document, status) = json(&["tally", &file(LONGEST), "--output", &to]);
        assert_eq!((document["samples"].as_u64(), document["distinct"].as_u64(), status), (Some(3), Some(3), 0));
        let other = folder.file("other", "1\n".repeat(40));
        assert_eq!(json(&["tally", &other, "--output", &folder.to("other.tally")]).1, 0);
        // The tally can be read: it is refused for having three samples, and for nothing else.
        refused(
            &["audit", "--tally-a", &to, "--tally-b", &folder.to("other.tally"), "--claim", "epsilon=1"],
            2,
            &["20 samples"],
        );
        let number = if heading.is_empty() { "line 2" } else { "line 3" };
        refused(&["tally", &file(LONGEST + 1)], 2, &["FILE", number, "1048576"]);
        // Without its newline it is as long.
        let unended = |length| {
            let text = format!("{heading}{}", line(length));
            folder.file(name, text.trim_end())
        };
        assert_eq!(json(&["tally", &unended(LONGEST), "--output", &to]).0["samples"], 1);
        refused(&["tally", &unended(LONGEST + 1)], 2, &["FILE", "1048576"]);
    }
}
