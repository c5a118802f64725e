//! The program in process, and a small file of people.

use std::{cell::Cell, fs, path::Path};

use certus::{
    bits::{Bits, BitsError, seeded},
    guarantee::Relation,
};
use certus_ledger::book::{Amount, Book, Budget, Opening};
use certus_release::program::{World, run};

/// What a run leaves.
pub(crate) struct Ran {
    pub(crate) status: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) fn run_with(arguments: &[&str], bits: &mut dyn FnMut() -> Result<Box<dyn Bits>, BitsError>) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("certus-release").chain(arguments.iter().copied()).map(Into::into);
    let status = run(arguments, &mut World { out: &mut out, err: &mut err, bits });
    Ran { status, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// With other bits at each call, as a fresh generator has.
pub(crate) fn program(arguments: &[&str]) -> Ran {
    let count = Cell::new(0_u8);
    run_with(arguments, &mut || {
        count.set(count.get().wrapping_add(1));
        Ok(Box::new(seeded([count.get(); 32])))
    })
}

pub(crate) fn fine(arguments: &[&str]) -> String {
    let ran = program(arguments);
    assert_eq!(ran.status, 0, "{arguments:?}: {}", ran.err);
    ran.out
}

/// id, age, income, sex, job: 1,000 persons with two rows each.
pub(crate) fn people(folder: &Path) -> String {
    let mut text = String::from("id,age,income,sex,job\n");
    for i in 0..2_000 {
        let person = i / 2;
        let job = if person % 100 == 0 { format!("rare{person}") } else { "clerk".into() };
        text += &format!("p{person},{},{}.5,{},{job}\n", person % 90, person * 10, ["f", "m"][person % 2]);
    }
    let path = folder.join("people.csv");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

pub(crate) fn ledger(folder: &Path, epsilon: &str) -> String {
    let path = folder.join("people.ledger");
    let budget = Budget::Sum(Amount::Pure { epsilon: epsilon.parse().unwrap() });
    let opening = Opening { relation: Relation::AddRemove, budget, analysts: Default::default() };
    Book::create(&path, &opening).unwrap();
    path.to_str().unwrap().to_owned()
}

pub(crate) fn left(ledger: &str) -> Budget {
    Book::read(Path::new(ledger), None).unwrap().state().left()
}

pub(crate) fn of_epsilon(epsilon: &str) -> Budget {
    Budget::Sum(Amount::Pure { epsilon: epsilon.parse().unwrap() })
}

pub(crate) fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The value of the first result of the first query.
pub(crate) fn value(text: &str) -> String {
    json(text)["queries"][0]["results"][0]["value"].as_str().unwrap().to_owned()
}
