//! The README, the tutorial and the site are true: every command in a `console` block is run, and prints what
//! the block says.
//!
//! `CERTUS_BLESS=1 cargo test -p certus-cli readme` writes what the commands print into the documents.

use std::{fmt::Write as _, fs};

use crate::support;

/// The words of a command line: spaces separate, single quotes hold together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![];
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// What a command prints on standard output.
fn output(line: &str) -> String {
    let arguments = line.strip_prefix("certus ").or_else(|| line.strip_prefix("cargo run --release -- "));
    let arguments = words(arguments.unwrap_or_else(|| panic!("not a command of ours: {line}")));
    let output = support::command().args(arguments).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The document, with what its commands really print; and how many commands it has.
fn rerun(text: &str) -> (String, usize) {
    let (mut rewritten, mut commands, mut inside) = (String::new(), 0, false);
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            writeln!(rewritten, "{line}").unwrap();
            rewritten += &output(command);
            commands += 1;
            continue;
        } else if inside {
            continue;
        }
        writeln!(rewritten, "{line}").unwrap();
    }
    (rewritten, commands)
}

fn check(document: &str, least: usize) {
    let path = support::root().join(document);
    let text = fs::read_to_string(&path).unwrap();
    let (rewritten, commands) = rerun(&text);
    assert!(commands >= least, "{document} has {commands} commands");
    if std::env::var_os("CERTUS_BLESS").is_some() {
        fs::write(&path, rewritten).unwrap();
    } else {
        assert!(text == rewritten, "{document} is not what its commands print; now they print:\n{rewritten}");
    }
}

#[test]
fn readme() {
    check("README.md", 3);
    let lines = fs::read_to_string(support::root().join("README.md")).unwrap().lines().count();
    assert!(lines <= 140, "README.md has {lines} lines");
}

#[test]
fn guide() {
    check("docs/GUIDE.md", 8);
}

#[test]
fn tutorial() {
    check("docs/TUTORIAL.md", 3);
}

/// The pages of the site. A block that opens with "```console full" needs more than the command: site/check runs it.
#[test]
fn site() {
    let pages = fs::read_dir(support::root().join("site/src")).unwrap().map(|page| page.unwrap().file_name());
    let mut pages: Vec<_> =
        pages.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".md")).collect();
    pages.sort();
    assert!(pages.len() > 10, "{pages:?}");
    for page in pages {
        check(&format!("site/src/{page}"), 0);
    }
}
