//! The debit comes first, whatever fails after it.

use std::{
    cell::{Cell, RefCell},
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

use certus::bits::{Bits, BitsError, seeded};
use certus_ledger::book::Book;
use certus_release::program::{World, run};

use super::support::{fine, folder, ledger, of_epsilon, people, run_with};

/// Fails at the n-th call, and at all that follow.
struct Failing {
    left: Rc<Cell<u32>>,
    bits: Box<dyn Bits>,
}

impl Failing {
    fn spend(&self) -> Result<(), BitsError> {
        let left = self.left.get().checked_sub(1).ok_or(BitsError::Source)?;
        self.left.set(left);
        Ok(())
    }
}

impl Bits for Failing {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        self.spend()?;
        self.bits.take(count)
    }
    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        self.spend()?;
        self.bits.words(words)
    }
}

/// A source that fails at each of its first 1,000 calls: exit 3, no output, the debit stays; a retry under
/// the same name pays again.
#[test]
fn failing_randomness_is_paid_for() {
    let folder = folder();
    let ledger = ledger(folder.path(), "10000");
    let plan = folder.path().join("plan.toml");
    let text = "format = \"certus-release/1\"\n[budget]\nepsilon = 1\n[columns.age]\ntype = \"integer\"\nlower = 0\nupper = 500\n\
        [[query]]\nstatistic = \"count\"\nby = [\"age\"]\n[[query]]\nstatistic = \"median\"\ncolumn = \"age\"\n";
    fs::write(&plan, text).unwrap();
    let plan = plan.to_str().unwrap();
    let data = people(folder.path());
    let saved = folder.path().join("aggregates.csv");
    let saved = saved.to_str().unwrap();
    fine(&[plan, "--data", &data, "--save-aggregates", saved, "--quiet"]);
    let mut failed = 0_u32;
    let mut calls = 0_u32;
    loop {
        let left_calls = Rc::new(Cell::new(calls));
        let id = format!("r{calls}");
        let arguments = [plan, "--aggregates", saved, "--ledger", &ledger, "--release-id", &id, "--json", "--quiet"];
        let mut bits = || -> Result<Box<dyn Bits>, BitsError> {
            Ok(Box::new(Failing { left: Rc::clone(&left_calls), bits: Box::new(seeded([9; 32])) }))
        };
        let ran = run_with(&arguments, &mut bits);
        let spent = Book::read(Path::new(&ledger), None).unwrap().state().spent();
        assert_eq!(spent, of_epsilon(&(calls + 1).to_string()), "the debit stays");
        if ran.status == 0 {
            break;
        }
        assert_eq!((ran.status, ran.out.as_str(), ran.err.lines().count()), (3, "", 1), "{calls}: {}", ran.err);
        failed += 1;
        calls += 1;
        if calls >= 1_000 {
            break;
        }
    }
    assert!(failed > 100, "{failed} calls");
    let none = run_with(&[plan, "--aggregates", saved, "--json", "--quiet"], &mut || Err(BitsError::Source));
    assert_eq!((none.status, none.out.as_str()), (3, ""));
}

/// The ledger grows before the first bit is drawn, and holds the result before anything is printed.
#[test]
fn debit_then_draw_then_record_then_print() {
    struct Watch {
        ledger: PathBuf,
        lengths: Rc<RefCell<Vec<(&'static str, u64)>>>,
    }
    impl Watch {
        fn note(&self, what: &'static str) {
            self.lengths.borrow_mut().push((what, fs::metadata(&self.ledger).unwrap().len()));
        }
    }
    impl std::io::Write for Watch {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.note("print");
            let reading = Book::read(&self.ledger, None).unwrap();
            assert!(
                reading.state().release(&"r".parse().unwrap()).unwrap().has_result(),
                "printed before it is recorded"
            );
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = folder();
    let (data, ledger) = (people(folder.path()), ledger(folder.path(), "1"));
    let before = fs::metadata(&ledger).unwrap().len();
    let lengths = Rc::new(RefCell::new(Vec::new()));
    let watch = || Watch { ledger: PathBuf::from(&ledger), lengths: Rc::clone(&lengths) };
    let mut bits = || -> Result<Box<dyn Bits>, BitsError> {
        watch().note("bits");
        Ok(Box::new(seeded([3; 32])))
    };
    let (mut out, mut err) = (watch(), Vec::new());
    let arguments =
        ["certus-release", &data, "count", "--epsilon", "1", "--ledger", &ledger, "--release-id", "r", "--quiet"];
    let status = run(arguments.map(Into::into), &mut World { out: &mut out, err: &mut err, bits: &mut bits });
    assert_eq!(status, 0, "{}", String::from_utf8_lossy(&err));
    let lengths = lengths.borrow();
    let drawn: Vec<u64> = lengths.iter().filter(|(what, _)| *what == "bits").map(|(_, length)| *length).collect();
    let printed: Vec<u64> = lengths.iter().filter(|(what, _)| *what == "print").map(|(_, length)| *length).collect();
    assert!(!drawn.is_empty() && drawn.iter().all(|length| *length > before), "drawn before the debit: {lengths:?}");
    assert!(!printed.is_empty() && printed.iter().all(|length| length > drawn.last().unwrap()), "{lengths:?}");
}
