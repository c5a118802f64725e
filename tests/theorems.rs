//! The page of theorems, `proofs/coq/THEOREMS.md`, names what is proven: every theorem, and nothing else. No Coq is needed here; that each is
//! proved, and what it assumes, is for `proofs/run --coq`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The axioms of Coq's real numbers: nothing else may be assumed.
const AXIOMS: [&str; 4] = [
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs/coq")
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(folder().join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// The files of the project, as `_CoqProject` lists them.
fn files() -> Vec<String> {
    read("_CoqProject").lines().filter(|line| line.ends_with(".v")).map(String::from).collect()
}

/// The names that the files declare with one of these words.
fn declared(words: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for text in files().iter().map(read) {
        for line in text.lines() {
            let Some((word, rest)) = line.split_once(' ') else { continue };
            if words.contains(&word) {
                names.insert(rest.split([' ', ':', '.']).next().unwrap().into());
            }
        }
    }
    names
}

/// The names between backquotes in the second column of the tables.
fn named(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.map(|row| row.replace("\\|", "").split('|').nth(2).unwrap_or_default().to_string());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(String::from).collect::<Vec<_>>()).collect()
}

#[test]
fn every_theorem_is_on_the_page() {
    let (page, theorems) = (named(&read("THEOREMS.md")), declared(&["Theorem"]));
    assert!(theorems.len() > 90, "the theorems are found");
    let missing: Vec<_> = theorems.difference(&page).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
}

#[test]
fn every_name_on_the_page_exists() {
    let text = read("THEOREMS.md");
    let (proven, beside) = text.split_once("## Side by side").unwrap();
    let absent =
        |page: &str, declared: &BTreeSet<String>| named(page).difference(declared).cloned().collect::<Vec<_>>();
    assert_eq!(absent(proven, &declared(&["Theorem"])), Vec::<String>::new(), "not a theorem");
    let any = declared(&["Theorem", "Definition", "Inductive", "Fixpoint", "Record"]);
    assert_eq!(absent(beside, &any), Vec::<String>::new(), "not declared");
}

#[test]
fn every_file_is_in_the_project() {
    fn walk(path: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                walk(&entry, found);
            } else if entry.extension().is_some_and(|extension| extension == "v") {
                found.insert(entry.strip_prefix(folder()).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(&folder(), &mut found);
    assert_eq!(found, files().into_iter().collect());
}

#[test]
fn the_list_of_assumptions_is_that_of_the_theorems() {
    let mut listed = BTreeSet::new();
    for line in read("assumptions.txt").lines().filter(|line| !line.starts_with('#')) {
        let (name, axioms) = line.split_once(':').unwrap();
        listed.insert(name.rsplit('.').next().unwrap().to_string());
        for axiom in axioms.split_whitespace() {
            assert!(AXIOMS.contains(&axiom), "{name} assumes {axiom}");
        }
    }
    assert_eq!(listed, declared(&["Theorem"]));
}

#[test]
fn nothing_is_admitted() {
    for file in files() {
        let text = read(&file);
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            let forbidden =
                ["Admitted", "admit", "give_up", "Axiom", "Axioms", "Parameter", "Parameters", "Conjecture"];
            assert!(!forbidden.contains(&word), "{word} in {file}");
        }
    }
}
