//! The public API, listed from the sources: a change of it is seen, and meant.
//!
//! `CERTUS_BLESS=1 cargo test --test api` writes the lists. Read the diff: what goes or changes breaks somebody.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

#[path = "support/sources.rs"]
mod sources;

use std::{fs, path::Path};

use sources::sources;

/// What is `pub` for the other packages of this repository alone.
const NOT_PUBLIC: [&str; 4] =
    ["src/sample/hooks.rs", "src/account/spectral/", "src/account/lattice/", "src/sample/machine.rs"];

/// The declarations of a file that begin with `pub`, a line each, up to their body; the variants of enums and
/// the methods of
/// traits with them.
fn declarations(text: &str) -> Vec<String> {
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let (mut found, mut inside) = (Vec::new(), "");
    for (at, line) in lines.iter().enumerate() {
        let (bare, indent) = (line.trim_start(), line.len() - line.trim_start().len());
        if indent == 0 {
            inside =
                ["pub enum ", "pub trait ", "impl"].into_iter().find(|start| line.starts_with(start)).unwrap_or("");
            if inside == "impl" {
                found.push(bare.trim_end_matches(" {").to_owned());
            }
        }
        let is_variant = inside == "pub enum " && indent == 4 && bare.starts_with(|c: char| c.is_ascii_uppercase());
        let is_method = inside == "pub trait " && indent == 4 && (bare.starts_with("fn ") || bare.starts_with("type "));
        let is_field = bare.starts_with("pub ") && bare.ends_with(',') && !bare.contains("fn ");
        if is_variant || is_field {
            found.push(line.trim_end_matches([',', '{', ' ']).to_owned());
        } else if bare.starts_with("pub ") || is_method {
            // The code is formatted: a declaration ends where a line does.
            let is_use = bare.starts_with("pub use ");
            let is_last = |line: &&str| line.ends_with(';') || (!is_use && line.ends_with(['{', '}']));
            let length = lines.iter().skip(at).take_while(|line| !is_last(line)).count() + 1;
            let words = lines.iter().skip(at).take(length).flat_map(|line| line.split_whitespace());
            let whole = words.collect::<Vec<_>>().join(" ");
            found.push(format!("{}{}", " ".repeat(indent), whole.trim_end_matches([';', '{', ' '])));
        }
    }
    // An `impl` without anything public below it says nothing.
    let is_impl = |line: &str| line.starts_with("impl");
    let next_is_inside = |at: usize| found.get(at + 1).is_some_and(|next: &String| next.starts_with(' '));
    (0..found.len()).filter(|&at| !is_impl(&found[at]) || next_is_inside(at)).map(|at| found[at].clone()).collect()
}

fn check(package: &str, folder: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut listed = String::new();
    for path in sources(&root.join(folder)) {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let declared = declarations(&fs::read_to_string(&path).unwrap());
        if declared.is_empty() || NOT_PUBLIC.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        listed += &format!("# {name}\n{}\n\n", declared.join("\n"));
    }
    let path = root.join("tests/api").join(format!("{package}.txt"));
    if std::env::var_os("CERTUS_BLESS").is_some() {
        fs::write(&path, &listed).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap();
    let gone: Vec<&str> = known.lines().filter(|line| !listed.lines().any(|new| new == *line)).collect();
    let new: Vec<&str> = listed.lines().filter(|line| !known.lines().any(|old| old == *line)).collect();
    assert!(known == listed, "{package}: no more: {gone:#?}; new: {new:#?}; CERTUS_BLESS=1 if it is meant");
}

#[test]
fn certus() {
    check("certus", "src");
}

#[test]
fn certus_audit() {
    check("certus-audit", "crates/audit/src");
}
