//! `certus ledger` end to end: what it makes, shows and refuses, and with which exit status.

use std::{fs, path::PathBuf};

use certus::{
    exact::Real,
    guarantee::{Guarantee, Relation},
};
use certus_ledger::{
    Digest,
    book::{Book, Cost, Debit},
};
use serde_json::json;

use crate::support::{certus, json as document, json_and_status, refused, stdout};

/// A folder that goes when this does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("certus-command-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A release by an analyst, with its result.
fn release(file: &str, id: &str, epsilon: (i64, i64)) {
    let guarantee = Guarantee::pure(Relation::AddRemove, Real::ratio(epsilon.0, epsilon.1)).unwrap();
    let cost = Cost { spec: "laplace(scale=3)".parse().unwrap(), copies: 1, guarantee: Some(guarantee) };
    let analyst = Some("ana".parse().unwrap());
    let debit = Debit { release: id.parse().unwrap(), analyst, plan: Digest::of(b"plan"), costs: vec![cost] };
    let mut book = Book::open(file.as_ref(), None).unwrap();
    let debited = book.debit(&debit).unwrap();
    book.record_result(&debited, b"42\n").unwrap();
}

#[test]
fn a_ledger_is_made_and_shown() {
    let folder = Folder::new("made");
    let file = folder.file("people.ledger");
    let made = document(&["ledger", "init", &file, "--epsilon", "1", "--analyst", "ana=1/2", "--analyst", "ben=0.9"]);
    assert_eq!(made["budget"], json!({ "kind": "pure", "epsilon": "1" }));
    assert_eq!(made["analysts"]["ben"]["left"], json!({ "kind": "pure", "epsilon": "9/10" }));
    assert_eq!((&made["relation"], &made["account"]), (&json!("add_remove"), &json!(null)));
    assert_eq!(folder.names(), ["people.ledger"]);
    let first = made["head"].as_str().unwrap().to_owned();
    assert_eq!(stdout(&["ledger", "head", &file]), format!("{first}\n"));
    release(&file, "first", (1, 3));
    let shown = document(&["ledger", "show", &file]);
    assert_eq!(shown["spent"], json!({ "kind": "pure", "epsilon": "1/3" }));
    assert_eq!(shown["left"], json!({ "kind": "pure", "epsilon": "2/3" }));
    assert_eq!(shown["analysts"]["ana"]["left"], json!({ "kind": "pure", "epsilon": "1/6" }));
    let listed = &shown["releases"]["first"];
    assert_eq!(
        (&listed["debits"], &listed["has_result"], &listed["analyst"]),
        (&json!(1), &json!(true), &json!("ana"))
    );
    assert_eq!(listed["costs"], json!([{ "spec": "laplace(scale=3)", "copies": 1 }]));
    let text = stdout(&["ledger", "show", &file, "--expect-head", &first]);
    for line in [
        "spent     epsilon = 1/3 (0.333334)",
        "left      epsilon = 2/3 (0.666666)",
        "analysts  ana: epsilon = 1/6 (0.166666) left of epsilon = 1/2 (0.5)",
        "          first: paid 1 times, has a result, by ana",
    ] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    let head = document(&["ledger", "head", &file]);
    assert_eq!((&head["head"], &head["records"]), (&shown["head"], &json!(3)));
}

#[test]
fn a_declared_plan_is_made_with_its_account() {
    let folder = Folder::new("declared");
    let (file, plan) = (folder.file("a.ledger"), folder.file("plan.toml"));
    fs::write(&plan, "[[mechanism]]\nspec = \"gaussian(sigma=10)\"\ncopies = 100\n").unwrap();
    let specs = ["--declare", &plan, "--declare", "laplace(scale=20)*5"];
    let made = document(
        &[&["ledger", "init", &file, "--delta", "1e-6", "--analyst", "ana=laplace(scale=20)*2"], &specs[..]].concat(),
    );
    let parts = json!({ "gaussian(sigma=10)": 100, "laplace(scale=20)": 5 });
    assert_eq!(made["budget"], json!({ "kind": "declared", "parts": parts }));
    let account = document(&["account", "gaussian(sigma=10)*100", "laplace(scale=20)*5", "--delta", "1e-6"]);
    assert_eq!((&made["account"]["epsilon"], &made["account"]["delta"]), (&account["epsilon"], &account["delta"]));
    let other = folder.file("b.ledger");
    let text = stdout(&[&["ledger", "init", &other, "--epsilon", "5", "--quiet"], &specs[..]].concat());
    assert!(text.contains("\naccount   delta = ["), "{text}");
    // What is for change-one neighbours alone says whom it protects.
    let third = folder.file("c.ledger");
    let made = document(&["ledger", "init", &third, "--declare", "randomized_response(gamma=1/4)"]);
    assert_eq!(made["relation"], "change_one");
}

/// Damage is a verdict: exit status 1. `show` and `head` refuse what they cannot vouch for.
#[test]
fn damage_and_rollback_are_told() {
    let folder = Folder::new("verified");
    let file = folder.file("a.ledger");
    stdout(&["ledger", "init", &file, "--epsilon", "1", "--analyst", "ana=1"]);
    let backup = fs::read(&file).unwrap();
    release(&file, "first", (1, 3));
    let head = stdout(&["ledger", "head", &file]).trim().to_owned();
    let text = stdout(&["ledger", "verify", &file, "--expect-head", &head]);
    assert!(text.starts_with("valid ") && text.contains(&head), "{text}");
    let whole = fs::read(&file).unwrap();

    // A torn write is told and stays.
    fs::write(&file, [&whole[..], b"torn"].concat()).unwrap();
    let verified = document(&["ledger", "verify", &file]);
    assert_eq!((&verified["valid"], &verified["torn_bytes"]), (&json!(true), &json!(4)));
    assert!(stdout(&["ledger", "show", &file]).contains("torn      4 bytes of a write that was never acknowledged"));
    assert_eq!(fs::read(&file).unwrap().len(), whole.len() + 4);

    fs::write(&file, &backup).unwrap();
    assert_eq!(json_and_status(&["ledger", "verify", &file]).1, 0);
    let (verdict, status) = json_and_status(&["ledger", "verify", &file, "--expect-head", &head]);
    assert_eq!((&verdict["valid"], status), (&json!(false), 1));
    assert!(verdict["problem"].as_str().unwrap().contains("a restored backup, a truncated file"), "{verdict}");
    for command in ["show", "head"] {
        refused(&["ledger", command, &file, "--expect-head", &head], 2, &[&head, "is not in its chain"]);
    }

    let mut flipped = whole;
    flipped[600] ^= 1;
    fs::write(&file, flipped).unwrap();
    let output = certus(&["ledger", "verify", &file]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("INVALID   "));
    refused(&["ledger", "show", &file], 2, &[&file, "the ledger is damaged after record 0"]);
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let folder = Folder::new("refused");
    let (new, there, plan) = (folder.file("new.ledger"), folder.file("there"), folder.file("bad.toml"));
    fs::write(&there, "mine").unwrap();
    fs::write(&plan, "[[mechanism]]\nspec = 'laplace(scale=1)'\ncopeis = 3\n").unwrap();
    let before = folder.names().len();
    for (arguments, named) in [
        (vec!["--epsilon", "0"], &["--epsilon", "must be a positive number"][..]),
        (vec!["--epsilon", "-1"], &["--epsilon", "must be a positive number"]),
        (vec!["--epsilon", "NaN"], &["--epsilon"]),
        (vec!["--epsilon", "1e999999999"], &["--epsilon"]),
        (vec!["--rho", "0"], &["--rho"]),
        (vec!["--epsilon", "1", "--delta", "1"], &["--delta", "below 1"]),
        (vec!["--epsilon", "1", "--delta", "-1e-9"], &["--delta"]),
        (vec!["--rho", "1", "--epsilon", "1"], &["--rho", "--epsilon"]),
        (vec!["--delta", "1e-6"], &["--epsilon"]),
        (vec![], &["--epsilon", "--rho", "--declare"]),
        (vec!["--epsilon", "1", "--relation", "both"], &["--relation", "add_remove or change_one"]),
        (vec!["--epsilon", "1", "--analyst", "ana"], &["--analyst", "NAME=E"]),
        (vec!["--epsilon", "1", "--analyst", "=1"], &["--analyst", "1 to 100 printable"]),
        (vec!["--epsilon", "1", "--analyst", "é=1"], &["--analyst", "1 to 100 printable"]),
        (vec!["--epsilon", "1", "--analyst", "ana=2"], &["--analyst", "must lie inside"]),
        (vec!["--epsilon", "1", "--analyst", "ana=0"], &["--analyst", "positive"]),
        (vec!["--epsilon", "1", "--analyst", "ana=1", "--analyst", "ana=1/2"], &["--analyst", "once for a name"]),
        (vec!["--epsilon", "1", "--delta", "1e-6", "--analyst", "ana=1/2"], &["--analyst", "NAME=E,D"]),
        (vec!["--declare", "laplace(scale=0)"], &["--declare", "scale"]),
        (vec!["--declare", "laplace(scale=1)*0"], &["--declare"]),
        (
            vec!["--declare", "laplace(scale=1)", "--epsilon", "1", "--delta", "0"],
            &["--delta", "--epsilon and --declare"],
        ),
        (vec!["--declare", "laplace(scale=1)", "--analyst", "ana=laplace(scale=1)*2"], &["--analyst", "inside"]),
        (vec!["--declare", "randomized_response(gamma=1/4)", "--relation", "add_remove"], &["--declare", "neighbours"]),
        (vec!["--declare", &plan], &["bad.toml", "copeis", "unknown key"]),
        (vec!["--declare", "none.toml"], &["none.toml"]),
        (vec!["--epsilon", "1", "--seed", "1"], &["--seed"]),
        (vec!["--epsilon", "1", "--free"], &["--free"]),
    ] {
        refused(&[&["ledger", "init", &new], &arguments[..]].concat(), 2, named);
    }
    refused(&["ledger", "init", &there, "--epsilon", "1"], 2, &["FILE", "never replaced"]);
    refused(&["ledger", "init", "", "--epsilon", "1"], 2, &["FILE"]);
    refused(&["ledger", "init", "/", "--epsilon", "1"], 2, &["FILE"]);
    refused(&["ledger", "init", &folder.file("no/folder/a"), "--epsilon", "1"], 3, &["could not be written"]);
    refused(&["ledger"], 2, &["init, show, verify or head"]);
    for command in ["show", "verify", "head"] {
        refused(&["ledger", command, &new], 2, &[&new, "could not be opened"]);
        refused(&["ledger", command, folder.0.to_str().unwrap()], 2, &["must be a file"]);
        refused(&["ledger", command, &there, "--expect-head", "12"], 2, &["--expect-head", "64 hex digits"]);
    }
    refused(&["ledger", "show", &there], 2, &[&there, "is no ledger"]);
    assert_eq!(certus(&["ledger", "verify", &there]).status.code(), Some(1));
    // Nothing was written.
    assert_eq!(folder.names().len(), before);
    assert_eq!(fs::read_to_string(&there).unwrap(), "mine");
}
