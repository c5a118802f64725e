//! Many processes at once: the sum is exact, and never above the budget.

use std::{
    env,
    path::Path,
    process::{Child, Command, Stdio},
};

use certus::exact::Rational;
use certus_ledger::book::{Blame, Book};

use crate::support::{Folder, debit, epsilon, opening, pure};

/// Runs the test of this name in a process of its own, with a job.
pub fn child(test: &str, job: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads", "1"])
        .env("CERTUS_LEDGER_JOB", job)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// What a process is to do, if it is a child.
pub fn job() -> Option<Vec<String>> {
    Some(env::var("CERTUS_LEDGER_JOB").ok()?.split('|').map(str::to_owned).collect())
}

/// A child: so many debits of 1/1000, each with the ledger opened anew, or some at a time. It writes how many
/// were admitted.
#[test]
fn child_that_debits() {
    let Some(job) = job() else { return };
    let [path, name, count, at_once] = job.as_slice() else { panic!("{job:?}") };
    let (count, at_once): (u64, u64) = (count.parse().unwrap(), at_once.parse().unwrap());
    let (mut admitted, mut done) = (0, 0);
    while done < count {
        let mut book = Book::open(Path::new(path), None).unwrap();
        for _ in 0..at_once.min(count - done) {
            match book.debit(&debit(&format!("{name}-{done}"), "1/1000")) {
                Ok(_) => admitted += 1,
                Err(error) => assert_eq!(error.blame(), Blame::Budget, "{error}"),
            }
            done += 1;
        }
    }
    std::fs::write(format!("{path}.{name}"), format!("{admitted}")).unwrap();
}

fn run(processes: u64, debits: u64, at_once: u64, budget: u64) {
    let folder = Folder::new(&format!("processes-{debits}-{budget}"));
    let path = folder.file("shared.ledger");
    Book::create(&path, &opening(pure(&format!("{budget}/1000")))).unwrap();
    let started = std::time::Instant::now();
    let job = |name: u64| format!("{}|p{name}|{debits}|{at_once}", path.display());
    let children: Vec<Child> = (0..processes).map(|name| child("processes::child_that_debits", &job(name))).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let admitted = |name| std::fs::read_to_string(format!("{}.p{name}", path.display())).unwrap();
    let admitted: u64 = (0..processes).map(|name| admitted(name).parse::<u64>().unwrap()).sum();
    let expected = budget.min(processes * debits);
    let state = Book::read(&path, None).unwrap();
    println!("{admitted} debits admitted in {:?}", started.elapsed());
    assert_eq!(admitted, expected);
    assert_eq!(epsilon(&state.state().spent()), Rational::new(expected.into(), 1000.into()));
    assert_eq!((state.records(), state.torn()), (expected + 1, 0));
}

#[test]
fn the_sum_of_many_processes_is_exact() {
    run(8, 12, 1, 1000);
    run(8, 12, 2, 50);
}

#[test]
#[ignore = "minutes, 8 processes of 1000 debits each, twice: `.ci/run --full` runs it"]
fn the_sum_of_many_processes_is_exact_at_length() {
    run(8, 1000, 5, 8000);
    run(8, 1000, 5, 5000);
}
