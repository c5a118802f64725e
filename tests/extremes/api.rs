//! The public functions of the library, from its sources.

use std::{collections::BTreeSet, fs, path::Path};

/// Modules that this list leaves out, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("sample/hooks.rs", "no part of the API"),
    ("sample/machine.rs", "not public but for certificates"),
    ("sample/prepared/cells.rs", "not public but for certificates"),
    ("sample/prepared/inversion.rs", "not public but for certificates"),
    ("sample/prepared/layout.rs", "not public but for certificates"),
    ("sample/prepared/squeeze.rs", "not public but for certificates"),
    ("sample/prepared/table.rs", "not public but for certificates"),
    ("sample/prepared/wide.rs", "not public but for certificates"),
    ("sample/fixed/edges.rs", "not public but for certificates"),
    ("sample/fixed/kernel.rs", "not public but for certificates"),
    ("sample/fixed/word.rs", "not public but for certificates"),
    ("account/spectral/", "not public"),
    ("account/lattice/", "not public"),
];

/// `file: Type::function` of each `pub fn` that takes an argument besides `self`, or makes a value from nothing.
fn public_functions() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut found) = (vec![root.clone()], BTreeSet::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            if file.ends_with(".rs") && !LEFT_OUT.iter().any(|(under, _)| file.starts_with(under)) {
                let text = fs::read_to_string(&path).unwrap();
                found.extend(of_file(&text).into_iter().map(|name| format!("{file}: {name}")));
            }
        }
    }
    found
}

fn of_file(text: &str) -> Vec<String> {
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    let (mut found, mut owner) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let code = line.trim_start();
        if code.starts_with("impl") {
            owner = implemented(code);
        } else if line.starts_with('}') {
            owner.clear();
        }
        if let Some(name) = code.strip_prefix("pub fn ").or_else(|| code.strip_prefix("pub const fn ")) {
            let signature = rest.split('{').next().unwrap_or_default();
            let arguments = signature.split_once('(').map_or("", |(_, after)| after).trim_start();
            let name = name.split(['<', '(']).next().unwrap_or_default();
            let is_getter = ["self)", "&self)", "&mut self)", "mut self)"].iter().any(|own| arguments.starts_with(own));
            if !is_getter {
                found.push(if owner.is_empty() { name.to_owned() } else { format!("{owner}::{name}") });
            }
        }
        rest = after;
    }
    found
}

/// The type of an `impl` line, without its parameters.
fn implemented(line: &str) -> String {
    let line = line.strip_prefix("impl").unwrap_or_default();
    let mut depth = 0;
    let mut bare = String::new();
    for character in line.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth == 0 => bare.push(character),
            _ => {}
        }
    }
    let bare = bare.split(" where").next().unwrap_or_default().trim_end_matches(['{', ' ']);
    bare.rsplit(" for ").next().unwrap_or_default().trim().to_owned()
}

#[test]
fn every_public_function_has_a_case() {
    let covered: BTreeSet<String> =
        crate::cases().iter().flat_map(|case| case.covers.iter().map(|name| (*name).to_owned())).collect();
    let found = public_functions();
    let of = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>().join("\n");
    assert_eq!(of(found.difference(&covered).collect()), "", "without a case in tests/extremes");
    assert_eq!(of(covered.difference(&found).collect()), "", "covered, but not in the library");
}
