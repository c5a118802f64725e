//! What a ledger admits and what it refuses, to the last digit.

use std::collections::BTreeMap;

use certus::{
    exact::Real,
    guarantee::{Guarantee, Relation},
};
use certus_ledger::{
    Digest,
    book::{Amount, Blame, Book, BookError, Budget, Cost, Debit, Head, Opening, Parts},
};

use crate::support::{Folder, ID, Memory, RELATION, cost, debit, epsilon, opening, pure};

fn book(opening: &Opening) -> (Book<Memory>, Memory) {
    let memory = Memory::default();
    (Book::create_on(memory.clone(), opening, ID).unwrap(), memory)
}

fn both(epsilon: &str, delta: &str) -> Budget {
    Budget::Sum(Amount::Approximate { epsilon: epsilon.parse().unwrap(), delta: delta.parse().unwrap() })
}

fn parts(specs: &[&str]) -> Parts {
    specs.iter().try_fold(Parts::new(), |parts, spec| parts.with(&spec.parse().unwrap(), 1)).unwrap()
}

fn of(release: &str, costs: Vec<Cost>) -> Debit {
    Debit { costs, ..debit(release, "1") }
}

/// Thirds add up to one exactly; the next crumb is refused, in one line, and nothing is written.
#[test]
fn the_budget_is_spent_to_the_last_digit() {
    let (mut ledger, memory) = book(&opening(pure("1")));
    for release in ["a", "b", "c"] {
        let _ = ledger.debit(&debit(release, "1/3")).unwrap();
    }
    assert_eq!(ledger.state().left(), pure("0"));
    let (before, head) = (memory.bytes(), ledger.head());
    let error = ledger.debit(&debit("d", "1e-30")).unwrap_err();
    assert_eq!(error.blame(), Blame::Budget);
    let line = error.to_string();
    assert!(line.starts_with("the budget does not suffice: epsilon = 1/1000000000000000000000000000000 ("), "{line}");
    assert!(line.ends_with(" was asked, and epsilon = 0 is left of epsilon = 1; nothing was spent"), "{line}");
    assert!(!line.contains('\n'));
    assert_eq!((memory.bytes(), ledger.head()), (before, head));
    // What costs nothing is admitted.
    let _ = ledger.debit(&debit("e", "0")).unwrap();
    let again = Book::open_on(memory, None).unwrap();
    assert_eq!((epsilon(&again.state().spent()), again.head()), (epsilon(&pure("1")), ledger.head()));
}

/// ln 3 in a pure budget, and pure, zCDP and (ε, δ) in budgets of other kinds: what is replayed is what was
/// admitted.
#[test]
fn costs_convert_and_are_replayed_as_they_were_admitted() {
    let ln_three = Guarantee::pure(RELATION, Real::from(3).ln()).unwrap();
    let zcdp = Guarantee::zcdp(RELATION, Real::ratio(1, 8)).unwrap();
    let approximate = Guarantee::approximate(RELATION, Real::ratio(1, 2), Real::ratio(1, 1000)).unwrap();
    let rho = Budget::Sum(Amount::Zcdp { rho: "1".parse().unwrap() });
    for (budget, guarantee, most) in [
        (pure("11"), &ln_three, Some(10)),
        (rho.clone(), &zcdp, Some(8)),
        (rho.clone(), &ln_three, Some(1)),
        (both("2", "1/100"), &approximate, Some(4)),
        (both("100", "1/100"), &approximate, Some(10)),
        (both("2", "0"), &ln_three, Some(1)),
        (pure("1"), &zcdp, None),
        (rho, &approximate, None),
    ] {
        let (mut ledger, memory) = book(&opening(budget));
        let one = Cost { guarantee: Some(guarantee.clone()), ..cost("1") };
        let mut admitted = 0;
        let refused = loop {
            match ledger.debit(&of(&format!("r{admitted}"), vec![one.clone()])) {
                Ok(_) => admitted += 1,
                Err(error) => break error,
            }
        };
        match most {
            Some(most) => assert_eq!((admitted, refused.blame()), (most, Blame::Budget), "{guarantee}"),
            None => assert_eq!((admitted, refused.blame()), (0, Blame::Caller), "{guarantee}"),
        }
        let again = Book::open_on(memory, None).unwrap();
        assert_eq!(again.state().spent(), ledger.state().spent());
        assert_eq!(again.state().left(), ledger.state().left());
    }
}

/// The written cost of ln 3 is at least ln 3: a hundred of them are at least ln 3 · 100.
#[test]
fn irrational_costs_are_never_booked_below_the_truth() {
    let (mut ledger, memory) = book(&opening(pure("1000")));
    let each = Cost { guarantee: Some(Guarantee::pure(RELATION, Real::from(3).ln()).unwrap()), ..cost("1") };
    let _ = ledger.debit(&of("r", vec![Cost { copies: 50, ..each.clone() }, Cost { copies: 50, ..each }])).unwrap();
    let spent = epsilon(&Book::open_on(memory, None).unwrap().state().spent());
    let truth = Real::from(100) * Real::from(3).ln();
    assert!(truth.is_at_most(&spent.clone().into()));
    assert!(Real::from(spent).is_at_most(&(truth + Real::ratio(1, 1 << 60))));
}

/// Copies count, and so does `*k` in a spec; and a cost for other neighbours is refused.
#[test]
fn copies_and_relations_are_looked_at() {
    let (mut ledger, _) = book(&opening(pure("1")));
    let twelve = Cost { spec: "laplace(scale=1)*4".parse().unwrap(), copies: 3, ..cost("1/12") };
    let more = Cost { copies: 4, ..twelve.clone() };
    assert_eq!(ledger.debit(&of("a", vec![more])).unwrap_err().blame(), Blame::Budget);
    let _ = ledger.debit(&of("a", vec![twelve])).unwrap();
    assert_eq!(ledger.state().left(), pure("0"));
    let changed = Guarantee::pure(Relation::ChangeOne, Real::from(0)).unwrap();
    let other = Cost { guarantee: Some(changed), ..cost("0") };
    for (costs, expected) in [
        (vec![other], "the cost is for the neighbours change_one, and the budget for add_remove"),
        (vec![], "a debit must have at least one cost"),
        (vec![Cost { copies: 0, ..cost("0") }], "a debit must have at least one cost"),
        (vec![Cost { copies: u64::MAX, spec: "laplace(scale=1)*2".parse().unwrap(), ..cost("0") }], "a debit must"),
        (vec![Cost { guarantee: None, ..cost("0") }], "the cost must be of the kind that the budget counts"),
    ] {
        let error = ledger.debit(&of("b", costs)).unwrap_err();
        assert_eq!(error.blame(), Blame::Caller);
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    // As often as can be said, and no overflow.
    let most = Cost { copies: u64::MAX, ..cost("1") };
    assert_eq!(ledger.debit(&of("b", vec![most.clone(), most])).unwrap_err().blame(), Blame::Budget);
}

/// A debit by an analyst counts against both budgets, and each can refuse.
#[test]
fn analysts_have_budgets_inside_that_of_the_dataset() {
    let (ana, ben) = ("ana".parse().unwrap(), "ben".parse().unwrap());
    let analysts = BTreeMap::from([(ana, pure("1/2")), (ben, pure("3/4"))]);
    let opening = Opening { analysts, ..opening(pure("1")) };
    let (mut ledger, memory) = book(&opening);
    let by = |name: &str, release: &str, epsilon: &str| Debit {
        analyst: Some(name.parse().unwrap()),
        ..debit(release, epsilon)
    };
    let _ = ledger.debit(&by("ana", "a", "1/3")).unwrap();
    let line = ledger.debit(&by("ana", "b", "1/3")).unwrap_err().to_string();
    let expected = "the budget of analyst \"ana\" does not suffice: epsilon = 1/3 (0.333334) was asked, and epsilon = 1/6 (0.166666) is left of epsilon = 1/2 (0.5); nothing was spent";
    assert_eq!(line, expected);
    let _ = ledger.debit(&by("ben", "c", "1/2")).unwrap();
    // Ben has 1/4, and the dataset 1/6.
    let line = ledger.debit(&by("ben", "d", "1/4")).unwrap_err().to_string();
    assert!(
        line.starts_with("the budget does not suffice: epsilon = 1/4 (0.25) was asked, and epsilon = 1/6"),
        "{line}"
    );
    assert!(matches!(ledger.debit(&by("eve", "e", "0")), Err(BookError::UnknownAnalyst(_))));
    let _ = ledger.debit(&debit("of the owner", "1/6")).unwrap();
    let again = Book::open_on(memory, None).unwrap();
    let left = |name: &str| again.state().of_analyst(&name.parse().unwrap()).unwrap().2;
    assert_eq!((left("ana"), left("ben"), again.state().left()), (pure("1/6"), pure("1/4"), pure("0")));

    for (budget, theirs) in [
        (pure("1"), pure("2")),
        (pure("1"), both("1", "0")),
        (pure("1"), pure("0")),
        (pure("1"), Budget::Declared(parts(&["laplace(scale=1)"]))),
        (Budget::Declared(parts(&["laplace(scale=1)"])), Budget::Declared(parts(&["laplace(scale=1)*2"]))),
    ] {
        let analysts = BTreeMap::from([("ana".parse().unwrap(), theirs)]);
        let made = Book::create_on(Memory::default(), &Opening { analysts, relation: RELATION, budget }, ID);
        assert!(matches!(made, Err(BookError::AnalystBudget(_))));
    }
    for budget in [pure("0"), both("1", "1"), both("0", "1e-6"), Budget::Declared(Parts::new())] {
        let opening = Opening { relation: RELATION, budget, analysts: BTreeMap::new() };
        assert!(matches!(Book::create_on(Memory::default(), &opening, ID), Err(BookError::Opening)));
    }
}

/// Parts in any order, each as often as declared; nothing that is not on the list.
#[test]
fn a_declared_plan_is_ticked_off() {
    let list = parts(&["gaussian(sigma=10)*3", "laplace(scale=5/2)*2"]);
    let analysts = BTreeMap::from([("ana".parse().unwrap(), Budget::Declared(parts(&["gaussian(sigma=10)"])))]);
    let opening = Opening { relation: RELATION, budget: Budget::Declared(list), analysts };
    let (mut ledger, memory) = book(&opening);
    let run = |spec: &str, copies| Cost { spec: spec.parse().unwrap(), copies, guarantee: None };
    let _ = ledger.debit(&of("a", vec![run("laplace(scale=2.5)", 1), run("gaussian(sigma=10)", 2)])).unwrap();
    let line = |error: BookError| (error.blame(), error.to_string());
    let (blame, text) = line(ledger.debit(&of("b", vec![run("gaussian(sigma=10)*2", 1)])).unwrap_err());
    assert_eq!(blame, Blame::Budget);
    assert_eq!(
        text,
        "the budget does not suffice: gaussian(sigma=10) was asked 2 times, and is left 1 times; nothing was spent"
    );
    let (blame, text) = line(ledger.debit(&of("b", vec![run("gaussian(sigma=9)", 1)])).unwrap_err());
    assert!(
        blame == Blame::Budget && text.contains("gaussian(sigma=9) was asked 1 times, and is left 0 times"),
        "{text}"
    );
    // One that is on the list beside one that is not: neither is spent.
    let mixed = vec![run("laplace(scale=5/2)", 1), run("laplace(scale=1)", 1)];
    assert_eq!(line(ledger.debit(&of("b", mixed)).unwrap_err()).0, Blame::Budget);
    let by_ana = |release: &str| Debit {
        analyst: Some("ana".parse().unwrap()),
        ..of(release, vec![run("gaussian(sigma=10)", 1)])
    };
    let _ = ledger.debit(&by_ana("c")).unwrap();
    let text = ledger.debit(&by_ana("d")).unwrap_err().to_string();
    assert!(text.starts_with("the budget of analyst \"ana\" does not suffice"), "{text}");
    let again = Book::open_on(memory, None).unwrap();
    assert_eq!(again.state().left(), Budget::Declared(parts(&["laplace(scale=5/2)"])));
    assert_eq!(again.state().spent(), Budget::Declared(parts(&["laplace(scale=5/2)", "gaussian(sigma=10)*3"])));
}

/// A retry pays again until there is a result, which is then there for nothing; and a name has one plan.
#[test]
fn a_retry_is_a_new_debit_until_there_is_a_result() {
    let (mut ledger, memory) = book(&opening(pure("1")));
    let first = ledger.debit(&debit("a", "1/4")).unwrap();
    assert_eq!(ledger.result_of(first.release()).unwrap(), None);
    let second = ledger.debit(&debit("a", "1/4")).unwrap();
    assert_eq!(ledger.state().left(), pure("1/2"));
    let other = Debit { plan: Digest::of(b"another"), ..debit("a", "1/4") };
    assert!(matches!(ledger.debit(&other), Err(BookError::OtherPlan(_))));

    let all: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let head = ledger.record_result(&second, &all).unwrap();
    assert_eq!(head, ledger.head());
    assert!(matches!(ledger.record_result(&first, b"again"), Err(BookError::HasResult(_))));
    assert!(matches!(ledger.debit(&debit("a", "1/4")), Err(BookError::HasResult(_))));
    let mut again = Book::open_on(memory, Some(&head)).unwrap();
    assert_eq!(again.result_of(first.release()).unwrap(), Some(all));
    assert_eq!(again.state().left(), pure("1/2"));
    let release = again.state().release(first.release()).unwrap();
    assert_eq!((release.debits(), release.has_result()), (2, true));

    // A debit of another ledger pays for nothing here.
    let (mut other, _) = book(&opening(pure("2")));
    let theirs = other.debit(&debit("a", "1")).unwrap();
    assert!(matches!(again.record_result(&theirs, b""), Err(BookError::HasResult(_) | BookError::NotDebited(_))));
    let theirs = other.debit(&debit("b", "1")).unwrap();
    assert!(matches!(again.record_result(&theirs, b""), Err(BookError::NotDebited(_))));
    let _ = again.debit(&debit("b", "1/4")).unwrap();
    assert!(matches!(again.record_result(&theirs, b""), Err(BookError::NotDebited(_))));
}

/// The largest result comes back; one byte more is refused and leaves the ledger usable.
#[test]
fn results_have_a_limit() {
    let (mut ledger, memory) = book(&opening(pure("1")));
    let debited = ledger.debit(&debit("a", "1/4")).unwrap();
    let too_long = vec![b'\n'; certus_ledger::book::MAX_RESULT_BYTES + 1];
    assert!(matches!(ledger.record_result(&debited, &too_long), Err(BookError::TooLarge { .. })));
    let longest = &too_long[1..];
    ledger.record_result(&debited, longest).unwrap();
    let mut again = Book::open_on(memory, None).unwrap();
    assert!(again.result_of(debited.release()).unwrap().unwrap() == longest);
    let long = Cost { spec: format!("laplace(scale={})", "1".repeat(900)).parse().unwrap(), ..cost("0") };
    assert!(matches!(again.debit(&of("b", vec![long; 2000])), Err(BookError::TooLarge { .. })));
    let _ = again.debit(&debit("b", "1/4")).unwrap();
}

/// On a real file: never replaced, found by its head and by earlier ones, and not by another's.
#[test]
fn a_file_is_made_once_and_known_by_its_heads() {
    let folder = Folder::new("heads");
    let path = folder.file("a.ledger");
    let first = Book::create(&path, &opening(pure("1"))).unwrap();
    assert!(matches!(Book::create(&path, &opening(pure("9"))), Err(BookError::Exists)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    let mut book = Book::open(&path, Some(&first)).unwrap();
    let backup = std::fs::read(&path).unwrap();
    let debited = book.debit(&debit("a", "1/2")).unwrap();
    let last = book.record_result(&debited, b"7\n").unwrap();
    drop(book);
    for expected in [first, debited.head(), last] {
        assert_eq!(Book::read(&path, Some(&expected)).unwrap().head(), last);
        assert_eq!(Book::open(&path, Some(&expected)).unwrap().head(), last);
    }
    let stranger: Head = Digest::of(b"stranger");
    assert!(matches!(Book::open(&path, Some(&stranger)), Err(BookError::UnexpectedHead { .. })));
    // A restored backup is a whole ledger: only a head tells.
    std::fs::write(&path, &backup).unwrap();
    assert_eq!(Book::open(&path, None).unwrap().state().left(), pure("1"));
    for expected in [debited.head(), last] {
        let error = Book::open(&path, Some(&expected)).unwrap_err();
        assert_eq!(error.blame(), Blame::Ledger);
        assert!(error.to_string().contains(&expected.to_string()), "{error}");
        assert!(Book::read(&path, Some(&expected)).is_err());
    }
    assert_eq!(std::fs::read(&path).unwrap(), backup);
    // Two ledgers with one opening have no record in common.
    let other = folder.file("b.ledger");
    assert_ne!(Book::create(&other, &opening(pure("1"))).unwrap(), first);
    for (path, expected) in [(folder.path().to_owned(), "must be a file"), (folder.file("none"), "could not be opened")]
    {
        let line = Book::open(&path, None).unwrap_err().to_string();
        assert!(line.contains(expected), "{line}");
    }
}

/// Of many who make a ledger of one name at once, one does, and theirs it is.
#[test]
fn a_ledger_is_made_by_one_alone() {
    let folder = Folder::new("race");
    for round in 0..40 {
        let path = folder.file(&format!("{round}.ledger"));
        let barrier = std::sync::Barrier::new(8);
        let make = || {
            barrier.wait();
            Book::create(&path, &opening(pure("1"))).ok()
        };
        let made: Vec<Head> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            makers.into_iter().filter_map(|maker| maker.join().unwrap()).collect()
        });
        assert_eq!(made, [Book::read(&path, None).unwrap().head()], "round {round}");
    }
}

/// Where another file has its name, nothing is acknowledged.
#[cfg(unix)]
#[test]
fn a_file_that_was_replaced_is_not_written_to() {
    let folder = Folder::new("replaced");
    let path = folder.file("a.ledger");
    Book::create(&path, &opening(pure("1"))).unwrap();
    let backup = std::fs::read(&path).unwrap();
    let mut book = Book::open(&path, None).unwrap();
    let restored = folder.file("restored");
    std::fs::write(&restored, backup).unwrap();
    std::fs::rename(restored, &path).unwrap();
    assert!(matches!(book.debit(&debit("a", "1/2")), Err(BookError::Replaced)));
    assert!(matches!(book.debit(&debit("a", "1/2")), Err(BookError::Poisoned)));
}
