//! Outputs of a release, one a line, for `certus audit`: in process, each paid for from a throwaway ledger.
//!
//! ```text
//! certus audit --claim epsilon=1 --a 'outputs PLAN a.csv' --b 'outputs PLAN b.csv'
//! ```
//!
//! A third argument plants a bug that the audit must find: `no-clamp`, `no-bound` or `no-threshold`. Or it is
//! `end-to-end`: every output is from `certus ledger init` and `certus release`, two processes, with a ledger of
//! its own. The command `certus` is then that of `$CERTUS_COMMAND`, which finds `certus-release` beside itself or
//! on the PATH.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::{fs, path::Path, process::Command};

use certus::{
    bits::{Bits, BitsError, SystemBits},
    guarantee::Relation,
};
use certus_ledger::{
    book::{Amount, Book, Budget, Opening},
    plan::{Column, ReleasePlan},
};
use certus_release::{
    aggregates::RankKey,
    engine::{Options, aggregate},
    noise::{Draw, Paid, Released, Samplers, Value, draw},
    price::{Role, price},
    program::{World, run},
};

/// Releases that share a ledger: opening one reads all of it.
const PER_LEDGER: u64 = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (plan, data, bug) = (&arguments[0], &arguments[1], arguments.get(2).map(String::as_str));
    let samples: u64 = std::env::var("CERTUS_SAMPLES").unwrap().parse().unwrap();
    match bug {
        None => honest(plan, data, samples),
        Some("end-to-end") => end_to_end(plan, data, samples),
        Some(bug) => planted(plan, data, bug, samples),
    }
}

fn fresh() -> Result<Box<dyn Bits>, BitsError> {
    SystemBits::new().map(|bits| Box::new(bits) as Box<dyn Bits>)
}

/// The whole program, from its arguments to what it prints.
fn honest(plan: &str, data: &str, samples: u64) {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger");
    for sample in 0..samples {
        if sample % PER_LEDGER == 0 {
            let _ = fs::remove_file(&ledger);
            let budget =
                Budget::Sum(Amount::Approximate { epsilon: "1000".parse().unwrap(), delta: "1/2".parse().unwrap() });
            let opening = Opening { relation: Relation::AddRemove, budget, analysts: Default::default() };
            Book::create(&ledger, &opening).unwrap();
        }
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let arguments =
            ["certus-release", plan, "--data", data, "--ledger", ledger.to_str().unwrap(), "--json", "--quiet"];
        let mut world = World { out: &mut out, err: &mut err, bits: &mut fresh };
        let status = run(arguments.iter().map(Into::into), &mut world);
        assert_eq!(status, 0, "{}", String::from_utf8_lossy(&err));
        print(printed(&out), plan);
    }
}

/// The installed command, as a user types it.
fn end_to_end(plan: &str, data: &str, samples: u64) {
    let certus = std::env::var_os("CERTUS_COMMAND").unwrap();
    let folder = tempfile::tempdir().unwrap();
    for sample in 0..samples {
        let ledger = folder.path().join(sample.to_string()).to_str().unwrap().to_owned();
        let answer = |arguments: &[&str]| {
            let done = Command::new(&certus).args(arguments).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            done.stdout
        };
        answer(&["ledger", "init", &ledger, "--epsilon", "1", "--delta", "1e-6"]);
        let out = answer(&["release", plan, "--data", data, "--ledger", &ledger, "--json", "--quiet"]);
        print(printed(&out), plan);
        fs::remove_file(&ledger).unwrap();
    }
}

/// Keys and values of a release that was printed as JSON.
fn printed(out: &[u8]) -> Vec<(String, String)> {
    let document: serde_json::Value = serde_json::from_slice(out).unwrap();
    let queries = document["queries"].as_array().unwrap();
    let rows = queries.iter().flat_map(|query| query["results"].as_array().unwrap());
    let texts = rows.map(|row| {
        let group: Vec<_> = row["group"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        (group.join("/"), row["value"].as_str().unwrap().to_owned())
    });
    texts.collect()
}

/// What is priced is the plan; what is aggregated or drawn is not.
fn planted(path: &str, data: &str, bug: &str, samples: u64) {
    let plan = ReleasePlan::from_file(Path::new(path)).unwrap();
    let (mut priced, mut other) = (price(&plan).unwrap(), plan.clone());
    match bug {
        "no-clamp" => {
            for column in other.columns.values_mut() {
                if let Column::Integer { bounds } = column {
                    *bounds = Some((0, 1_000_000));
                }
            }
        }
        "no-bound" => {
            let person = other.person.as_mut().unwrap();
            (person.rows, person.groups, person.rows_per_group) = (1000, 1000, 1000);
        }
        "no-threshold" => {
            for part in priced.queries.iter_mut().flat_map(|query| &mut query.parts) {
                if let Role::Keys { threshold } = &mut part.role {
                    *threshold = -1_000_000;
                    part.spec = part
                        .spec
                        .to_string()
                        .replace("threshold=", "threshold=-1000000")
                        .parse()
                        .unwrap_or_else(|_| part.spec.clone());
                }
            }
        }
        _ => panic!("{bug} is no-clamp, no-bound or no-threshold"),
    }
    for _ in 0..samples {
        let mut bits = fresh().unwrap();
        let mut key = [0; 32];
        key.fill_with(|| u8::try_from(bits.take(8).unwrap()).unwrap());
        let found = aggregate(&other, &plan.digest(), &RankKey(key), Path::new(data), Options::default()).unwrap();
        let drawn =
            draw(&plan, &priced, &found, &Paid::Unrecorded, &mut Draw::new(&mut *bits, Samplers::Fixed)).unwrap();
        print(drawn.iter().flat_map(texts).collect(), path);
    }
}

fn texts(released: &Released) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::Number(number) => certus::exact::render(number),
        Value::Word(word) => word.clone(),
    };
    released.rows.iter().map(|row| (row.key.join("/"), text(&row.value))).collect()
}

/// A vector of numbers; where the keys are the data's, a word of them.
fn print(rows: Vec<(String, String)>, plan: &str) {
    let words = fs::read_to_string(plan).unwrap().contains("thresholded");
    let shown: Vec<String> = rows.into_iter().map(|(key, value)| if words { key } else { value }).collect();
    println!("{}", if words { format!("keys:{}", shown.join("+")) } else { shown.join(",") });
}
