//! No arrow backwards: each layer names only those below it, in what ships. Tests may look upwards, and so
//! may documentation.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

#[path = "support/sources.rs"]
mod sources;

use std::{collections::BTreeSet, fs, path::Path};

use sources::sources;

/// Each layer, and those that it may name.
const BELOW: [(&str, &[&str]); 6] = [
    ("bits", &[]),
    ("exact", &[]),
    ("sample", &["bits", "exact"]),
    ("guarantee", &["bits", "exact"]),
    ("account", &["exact", "guarantee"]),
    ("mechanism", &["bits", "exact", "sample", "guarantee", "account"]),
];

/// Files and folders of which the module that holds them says `#[cfg(test)]`.
fn is_of_tests(path: &Path) -> bool {
    let is_test = |part: &std::ffi::OsStr| {
        let name = part.to_str().unwrap().trim_end_matches(".rs");
        ["tests", "extremes", "widths"].contains(&name)
    };
    path.iter().any(is_test)
}

/// The code that ships: no comments, and nothing from the tests of the file on.
fn shipped(text: &str) -> String {
    let code = text.split("mod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The first names of all paths from the root: `crate::a::b`, and each of `crate::{a::b, c}`.
fn named(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, root) in code.match_indices("crate::") {
        let rest = &code[at + root.len()..];
        let first = |text: &str| -> String {
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(first(rest));
            continue;
        };
        let (mut depth, mut begins) = (1, true);
        for (place, character) in list.char_indices() {
            if begins && !character.is_whitespace() {
                found.insert(first(&list[place..]));
                begins = false;
            }
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => begins = true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// What a file of a layer names that is not below it.
fn backwards(layer: &str, code: &str) -> Vec<String> {
    let below = BELOW.iter().find(|(name, _)| *name == layer).map_or(&[][..], |(_, below)| *below);
    let is_layer = |name: &String| BELOW.iter().any(|(layer, _)| layer == name);
    named(code).into_iter().filter(|name| is_layer(name) && name != layer && !below.contains(&name.as_str())).collect()
}

#[test]
fn each_layer_names_only_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (layer, _) in BELOW {
        for path in sources(&root.join(layer)) {
            let file = path.strip_prefix(&root).unwrap().to_owned();
            if is_of_tests(&file) {
                continue;
            }
            let code = shipped(&fs::read_to_string(&path).unwrap());
            wrong.extend(backwards(layer, &code).into_iter().map(|above| format!("{} names {above}", file.display())));
        }
    }
    assert_eq!(wrong.join("\n"), "");
    // Nobody stands below themselves: there is no circle.
    for (place, (layer, below)) in BELOW.iter().enumerate() {
        assert!(below.iter().all(|name| BELOW[..place].iter().any(|(known, _)| known == name)), "{layer}");
    }
}

/// Arrows that are drawn backwards are seen, wherever they stand.
#[test]
fn planted_arrows_are_seen() {
    for code in [
        "use crate::mechanism::Spec;",
        "use crate::{exact::{Real, Rational}, mechanism::{self, Spec}};",
        "use crate::{\n    guarantee::Pair,\n    mechanism::Spec,\n};",
        "fn of(spec: &crate::mechanism::Spec) {}",
    ] {
        assert_eq!(backwards("account", code), ["mechanism"], "{code}");
        assert!(backwards("mechanism", code).is_empty(), "{code}");
    }
    let tests = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::mechanism::Spec;\n}";
    assert!(backwards("account", &shipped(tests)).is_empty());
    assert!(backwards("account", &shipped("/// [`Spec`](crate::mechanism::Spec)\nfn f() {}")).is_empty());
}
