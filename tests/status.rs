//! `proofs/STATUS.md` says, function by function, what is proven, certified and tested. It cannot drift:
//! every function of `bits`, `exact`, `sample` and
//! of the crate `certus-kernel` has a row, every row a function, and whatever a row names exists.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The layers of which every function is listed.
const LISTED: [&str; 4] = ["bits", "exact", "kernel", "sample"];

/// What writes text and has no row.
const TEXT: [&str; 3] = ["fmt", "serialize", "deserialize"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder whose name ends so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_str().unwrap().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// The name that a line declares as a function.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let before = line.find("fn ")?;
    let words = ["pub", "pub(crate)", "pub(super)", "const", "async", ""];
    let is_declaration = line[..before].split_whitespace().all(|word| words.contains(&word));
    let name = line[before + 3..].split(['<', '(']).next()?;
    (is_declaration && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}

/// The functions of a file that are not under `#[cfg(test)]` or `#[cfg(kani)]`; the code is formatted, so
/// that indentation says where an item ends.
fn functions(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (mut tests, mut is_next) = (None, false);
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if let Some(outer) = tests {
            if line.trim_start().starts_with('}') && indent <= outer {
                tests = None;
            }
        } else if line.trim_start().starts_with("#[cfg(test)]") || line.trim_start().starts_with("#[cfg(kani)]") {
            is_next = true;
        } else if is_next && !line.trim_start().starts_with(['#', '/']) {
            is_next = false;
            tests = line.ends_with('{').then_some(indent);
        } else if let Some(name) = declared(line) {
            found.insert(name.into());
        }
    }
    found
}

/// The sources of the leaf crate, whose modules are `kernel::…`.
fn kernel() -> PathBuf {
    root().join("crates/kernel/src")
}

/// The functions of the sources by their module: `sample::laplace`, `kernel::layout`.
fn modules() -> BTreeMap<String, BTreeSet<String>> {
    let mut modules = BTreeMap::new();
    for (source, above) in [(root().join("src"), None), (kernel(), Some("kernel"))] {
        let is_test = |path: &PathBuf| path.ends_with("tests.rs") || path.ends_with("widths.rs");
        for path in files(&source, ".rs").into_iter().filter(|path| !is_test(path)) {
            let inner = path.strip_prefix(&source).unwrap().with_extension("");
            let parts = inner.iter().map(|part| part.to_str().unwrap()).filter(|&part| part != "mod");
            let name = above.into_iter().chain(parts).collect::<Vec<_>>().join("::");
            modules.insert(name, functions(&fs::read_to_string(&path).unwrap()));
        }
    }
    modules
}

/// The rows of the page: the function and the cells after it.
fn rows() -> Vec<(String, [String; 5])> {
    let page = fs::read_to_string(root().join("proofs/STATUS.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.contains("::"));
    rows.map(|row| {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect();
        let [function, rest @ ..]: [String; 6] = cells.try_into().unwrap_or_else(|_| panic!("not six cells: {row}"));
        (function.trim_matches('`').to_string(), rest)
    })
    .collect()
}

/// What is between backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn every_function_has_one_row() {
    let rows: Vec<_> = rows().into_iter().map(|(function, _)| function).collect();
    let listed: BTreeSet<_> = rows.iter().cloned().collect();
    assert_eq!(listed.len(), rows.len(), "a function has two rows");
    let (mut every, mut all) = (BTreeSet::new(), BTreeSet::new());
    for (module, functions) in modules() {
        for function in functions.iter().filter(|function| !TEXT.contains(&function.as_str())) {
            let name = format!("{module}::{function}");
            if LISTED.contains(&module.split("::").next().unwrap()) {
                every.insert(name.clone());
            }
            all.insert(name);
        }
    }
    assert!(every.len() > 300, "the functions are found");
    assert_eq!(every.difference(&listed).collect::<Vec<_>>(), Vec::<&String>::new(), "without a row");
    assert_eq!(listed.difference(&all).collect::<Vec<_>>(), Vec::<&String>::new(), "not a function");
}

#[test]
fn every_theorem_named_exists() {
    let mut theorems = BTreeSet::new();
    for path in files(&root().join("proofs/coq"), ".v") {
        let text = fs::read_to_string(path).unwrap();
        let names = text.lines().filter_map(|line| line.strip_prefix("Theorem "));
        theorems.extend(names.map(|rest| rest.split([' ', ':', '.']).next().unwrap().to_string()));
    }
    let rows = rows();
    let named: BTreeSet<_> = rows.iter().flat_map(|(_, cells)| quoted(&cells[0])).collect();
    assert!(named.len() > 40, "the theorems are named");
    for name in named {
        assert!(theorems.contains(name), "{name} is not a theorem of proofs/coq");
    }
}

/// The harnesses of `proofs/` whose names begin so.
fn harnesses(prefix: &str) -> BTreeSet<String> {
    let mut harnesses = BTreeSet::new();
    for path in files(&root().join("proofs"), ".rs") {
        let text = fs::read_to_string(path).unwrap();
        harnesses.extend(text.lines().filter_map(declared).filter(|name| name.starts_with(prefix)).map(String::from));
    }
    assert!(harnesses.len() > 15, "the harnesses are found");
    harnesses
}

#[test]
fn the_harnesses_named_are_those_that_exist() {
    let rows = rows();
    let page = fs::read_to_string(root().join("proofs/STATUS.md")).unwrap();
    // Those that call no function of this crate.
    let others = page.lines().filter(|line| line.starts_with("| no function: ")).flat_map(quoted);
    let named = rows.iter().flat_map(|(_, cells)| quoted(&cells[1])).chain(others);
    let named = named.filter(|name| name.starts_with("verify_")).map(String::from);
    assert_eq!(named.collect::<BTreeSet<_>>(), harnesses("verify_"));
}

/// The bodies of the functions of a file, by name; those of one name together. The code is formatted, so
/// that indentation says where one ends.
fn bodies(text: &str) -> BTreeMap<String, String> {
    let mut bodies: BTreeMap<String, String> = BTreeMap::new();
    let mut open: Option<(&str, usize)> = None;
    for line in text.lines() {
        let code = line.split("//").next().unwrap();
        let indent = line.len() - line.trim_start().len();
        if let Some((name, outer)) = open {
            bodies.get_mut(name).unwrap().push_str(code);
            bodies.get_mut(name).unwrap().push('\n');
            if line.trim_start().starts_with('}') && indent == outer && line.trim_end().ends_with('}') {
                open = None;
            }
        } else if let Some(name) = declared(line) {
            // What follows the name: its arguments, and all of it if it ends on this line.
            let after = code.split_once(name).unwrap().1;
            let body = bodies.entry(name.into()).or_default();
            body.push_str(after);
            body.push('\n');
            open = (!line.trim_end().ends_with(['}', ';'])).then_some((name, indent));
        }
    }
    bodies
}

/// Names and marks, one after the other.
fn tokens(body: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = body.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len()).max(if is_name(first) { 1 } else { 0 });
        let (token, after) = rest.split_at(if length == 0 { first.len_utf8() } else { length });
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// The functions that a body calls, by name: `name(…)`, `name::<…>(…)`, `path::name`, or `name` handed on
/// as an argument where nothing in the body has that name.
fn called(body: &str) -> BTreeSet<&str> {
    let tokens = tokens(body);
    let at = |index: usize| tokens.get(index).copied().unwrap_or_default();
    let mut called = BTreeSet::new();
    let is_bound = |name: &str| {
        (0..tokens.len()).any(|index| {
            at(index) == name && (at(index + 1) == ":" && at(index + 2) != ":" || at(index.wrapping_sub(1)) == "let")
        })
    };
    for (index, &name) in tokens.iter().enumerate() {
        if !name.starts_with(|c: char| c.is_lowercase() || c == '_') {
            continue;
        }
        let before = at(index.wrapping_sub(1));
        let is_path = before == ":" && at(index.wrapping_sub(2)) == ":";
        let is_generic = at(index + 1) == ":" && at(index + 2) == ":" && at(index + 3) == "<";
        let is_argument = ["(", ","].contains(&before) && [")", ","].contains(&at(index + 1)) && !is_bound(name);
        if at(index + 1) == "(" || is_path || is_generic || is_argument {
            called.insert(name);
        }
    }
    called
}

/// The operators, and the functions that they call.
const OPERATORS: [(&str, &str); 5] = [("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "div"), ("-", "neg")];

/// The names that a harness calls: itself, through functions of its own file, through functions of the
/// module that the file is the proofs of, and through
/// `execute`, which calls a program's steps. What else is called is named, and not followed: such a name
/// may be another module's, too.
fn reached(harness: &str, follow: impl Fn(&str) -> Vec<String>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![harness.to_string()];
    while let Some(name) = open.pop() {
        for body in follow(&name) {
            let operators = OPERATORS.iter().filter(|(mark, _)| tokens(&body).contains(mark)).map(|&(_, name)| name);
            for name in called(&body).into_iter().chain(operators) {
                if reached.insert(name.to_string()) {
                    open.push(name.into());
                }
            }
        }
    }
    reached
}

/// A row names a harness only if the harness calls the function of the row.
#[test]
fn a_harness_is_named_only_by_what_it_calls() {
    let read = |path: &Path| bodies(&fs::read_to_string(path).unwrap_or_default());
    let program = read(&root().join("src/sample/program.rs"));
    let mut calls = BTreeMap::new();
    for path in files(&root().join("proofs"), ".rs") {
        let module = read(&root().join("src").join(path.strip_prefix(root().join("proofs")).unwrap()));
        // The part of the module that is in the leaf crate.
        let leaf = read(&kernel().join(path.file_name().unwrap()));
        let proofs = read(&path);
        let follow = |name: &str| {
            let execute = program.get(name).filter(|_| name == "execute");
            [proofs.get(name), module.get(name), leaf.get(name), execute].into_iter().flatten().cloned().collect()
        };
        for harness in proofs.keys().filter(|name| name.starts_with("verify_")) {
            calls.insert(harness.clone(), reached(harness, follow));
        }
    }
    assert!(calls.len() > 50, "the harnesses are read");
    let (search, at_once) = (&calls["verify_search"], &calls["verify_at_once_u64"]);
    assert!(search.contains("find") && !search.contains("settle") && !search.contains("look_up"), "what they call");
    assert!(at_once.contains("signed") && !at_once.contains("exponential"), "what they call");
    let mut wrong = Vec::new();
    for (function, cells) in rows() {
        let name = function.rsplit("::").next().unwrap();
        for harness in quoted(&cells[1]).filter(|name| name.starts_with("verify_")) {
            if !calls.get(harness).is_some_and(|calls| calls.contains(name)) {
                wrong.push(format!("{function} names {harness}, which does not call it"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Where there is no harness, a row says why, by a reason that the page gives and no other.
#[test]
fn what_is_not_proven_has_its_reason() {
    let page = fs::read_to_string(root().join("proofs/STATUS.md")).unwrap();
    let reasons =
        page.lines().filter(|line| line.starts_with("| — ")).map(|line| line.split('|').nth(1).unwrap().trim());
    let reasons: BTreeSet<_> = reasons.collect();
    assert!(reasons.len() > 4, "the reasons are found");
    let mut used = BTreeSet::new();
    for (function, cells) in rows() {
        if !LISTED.contains(&function.split("::").next().unwrap()) || cells[1].starts_with('`') {
            continue;
        }
        let reason = reasons.get(cells[1].as_str());
        used.insert(*reason.unwrap_or_else(|| panic!("{function} is not proven, and does not say why: {}", cells[1])));
        // Tested, then; and proven in Coq, if it says so.
        assert!(cells[3] != "—", "{function} is neither proven nor tested");
        assert!(cells[1] != "— Coq" || cells[0].contains('`'), "{function}: no theorem");
    }
    assert_eq!(used, reasons, "a reason that no row gives");
}

/// The table of harnesses has each of them once, controls included.
#[test]
fn every_harness_has_its_own_row() {
    let page = fs::read_to_string(root().join("proofs/STATUS.md")).unwrap();
    for prefix in ["verify_", "refute_"] {
        let start = format!("| `{prefix}");
        let named = page.lines().filter(|line| line.starts_with(&start)).map(|line| quoted(line).next().unwrap());
        let named: Vec<_> = named.map(String::from).collect();
        assert_eq!(named.iter().cloned().collect::<BTreeSet<_>>(), harnesses(prefix));
        assert_eq!(named.len(), harnesses(prefix).len(), "a harness has two rows");
    }
}

#[test]
fn every_test_named_exists() {
    for (function, cells) in rows() {
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{function}: an empty cell");
        for name in quoted(&cells[3]) {
            let folders =
                ["tests", "crates/audit/tests", "crates/cli/tests/command", "audits"].map(|folder| root().join(folder));
            let is_there = |folder: &PathBuf| folder.join(format!("{name}.rs")).exists() || folder.join(name).exists();
            assert!(folders.iter().any(is_there), "{function}: no test {name}");
        }
        if cells[3].split(", ").any(|name| name == "unit") {
            let module: PathBuf = function.rsplit_once("::").unwrap().0.split("::").collect();
            // The leaf crate's are those of the module that borrows it the tables, too.
            let files = match module.strip_prefix("kernel") {
                Ok(leaf) => vec![
                    kernel().join(leaf),
                    root().join("src/sample").join(leaf),
                    root().join("src/sample/prepared").join(leaf),
                ],
                Err(_) => vec![root().join("src").join(&module)],
            };
            let own = files.iter().flat_map(|file| [file.with_extension("rs"), file.join("mod.rs")]).any(|inner| {
                // Its own tests, or the folder's. The properties in `proofs/` are unit tests too.
                let text = fs::read_to_string(&inner).unwrap_or_default();
                let own = text.contains("#[cfg(test)]") || text.contains("#[cfg(any(kani, test))]");
                own || !text.is_empty() && inner.with_file_name("tests.rs").exists()
            });
            assert!(own, "{function}: no unit tests");
        }
    }
}
