//! What must hold of any bytes in the place of a ledger, and of any damage to one. The fuzz target and
//! `crates/ledger/tests/corpus.rs` share it; a broken property panics.

use std::{cell::RefCell, collections::BTreeMap, io, rc::Rc, sync::OnceLock};

use certus::{
    exact::{NonNegative, Rational, Real},
    guarantee::{Guarantee, Relation},
};
use certus_ledger::{
    Digest,
    book::{Amount, Book, BookError, Budget, Cost, Debit, Opening, Storage},
};

const SECTOR: usize = 512;

/// The first byte says which: 0, the rest is a file; 1, the rest says how a whole ledger is damaged; 2, the
/// rest is what a whole record says that follows in the chain.
pub fn ledger(bytes: &[u8]) {
    match bytes.split_first() {
        Some((0, file)) => any_file(file),
        Some((1, damage)) => damaged(damage),
        Some((2, payload)) => said(payload),
        _ => {}
    }
}

/// Any file opens or is refused in one short line; once it has been opened, it opens again as it was.
fn any_file(file: &[u8]) {
    let memory = Memory(Rc::new(RefCell::new(file.to_vec())));
    match Book::open_on(memory.clone(), None) {
        Ok(mut book) => {
            let _ = book.debit(&debit("fuzzed", 8));
            let again = Book::open_on(memory, Some(&book.head()));
            let Ok(again) = again else { panic!("a ledger does not open again") };
            assert_eq!((again.head(), again.recovered()), (book.head(), 0));
            assert_eq!(again.state().spent(), book.state().spent());
        }
        Err(error) => check_line(&error),
    }
}

/// A damaged ledger is refused, or is the longest whole beginning of what it was, and then no later record
/// stands in its place.
fn damaged(damage: &[u8]) {
    let whole = whole();
    let records = records(&whole);
    let mut bytes = whole.clone();
    for step in damage.chunks(4).take(8) {
        let &[kind, high, low, value] = step else { break };
        let at = usize::from(u16::from_be_bytes([high, low])) % (bytes.len() + 1);
        hurt(&mut bytes, kind, at, value);
    }
    let is_there = |(at, length): &(usize, usize)| bytes.get(*at..at + length) == whole.get(*at..at + length);
    let first = records.iter().take_while(|record| is_there(record)).count();
    let memory = Memory(Rc::new(RefCell::new(bytes.clone())));
    match Book::open_on(memory, None) {
        Ok(book) => {
            assert!(first > 0, "no record is whole");
            assert_eq!(book.head(), hash(&whole, records[first - 1]), "the longest whole beginning");
            let later = records.iter().skip(first).filter(|record| is_there(record)).count();
            assert_eq!(later, 0, "a record was dropped that others follow");
        }
        Err(error) => check_line(&error),
    }
}

/// A record that is whole and chained is admitted or refused; what was spent before it is still spent, and no
/// more than the budget is.
fn said(payload: &[u8]) {
    let mut bytes = whole();
    let records = records(&bytes);
    let Some(last) = records.last() else { panic!("a ledger has records") };
    let (previous, before) = (hash(&bytes, *last), spent(&bytes));
    let mut record = b"\xffcertus\x01".to_vec();
    record.extend(u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
    record.extend((records.len() as u64).to_le_bytes());
    record.extend(previous.as_bytes());
    record.extend(payload);
    let own = Digest::of(&record);
    record.extend(own.as_bytes());
    bytes.extend(record);
    match Book::open_on(Memory(Rc::new(RefCell::new(bytes))), None) {
        Ok(book) => {
            let after = epsilon(&book.state().spent());
            assert!(before <= after && after <= *NonNegative::one().get());
            assert_eq!(book.head(), own);
        }
        Err(error) => check_line(&error),
    }
}

fn hurt(bytes: &mut Vec<u8>, kind: u8, at: usize, value: u8) {
    let sector = at / SECTOR * SECTOR;
    let end = (sector + SECTOR).min(bytes.len());
    match kind % 7 {
        0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= value),
        1 => bytes.truncate(at),
        2 => bytes.resize(bytes.len() + usize::from(value) * 8, value),
        // A sector once more: at the end, or in the place of another.
        3 => bytes.extend_from_within(sector..end),
        4 => {
            let copy = bytes[sector..end].to_vec();
            let to = usize::from(value) * SECTOR;
            bytes.iter_mut().skip(to).zip(copy).for_each(|(byte, new)| *byte = new);
        }
        5 => bytes[sector..end].fill(value),
        _ => drop(bytes.drain(sector..end)),
    }
}

/// A ledger of an opening, three debits and two results; it is made once.
fn whole() -> Vec<u8> {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(make).clone()
}

fn make() -> Vec<u8> {
    let memory = Memory::default();
    let budget = Budget::Sum(Amount::Pure { epsilon: NonNegative::one() });
    let opening = Opening { relation: Relation::AddRemove, budget, analysts: BTreeMap::new() };
    let Ok(mut book) = Book::create_on(memory.clone(), &opening, "00") else { panic!("a ledger is made") };
    for (release, parts) in [("a", 2), ("b", 4), ("c", 8)] {
        let Ok(debited) = book.debit(&debit(release, parts)) else { panic!("a debit that fits") };
        if parts < 8 && book.record_result(&debited, &[7; 600]).is_err() {
            panic!("a result is kept");
        }
    }
    memory.0.take()
}

/// 1/parts of ε.
fn debit(release: &str, parts: i64) -> Debit {
    let guarantee = Guarantee::pure(Relation::AddRemove, Real::ratio(1, parts)).ok();
    let (Ok(release), Ok(spec)) = (release.parse(), "laplace(scale=1)".parse()) else { panic!("names") };
    Debit { release, analyst: None, plan: Digest::of(b""), costs: vec![Cost { spec, copies: 1, guarantee }] }
}

fn epsilon(budget: &Budget) -> Rational {
    match budget {
        Budget::Sum(Amount::Pure { epsilon }) => epsilon.get().clone(),
        _ => panic!("a pure budget"),
    }
}

fn spent(bytes: &[u8]) -> Rational {
    match Book::open_on(Memory(Rc::new(RefCell::new(bytes.to_vec()))), None) {
        Ok(book) => epsilon(&book.state().spent()),
        Err(error) => panic!("{error}"),
    }
}

/// Where records begin, and how long they are without their padding.
fn records(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&[a, b, c, d]) = bytes.get(at + 8..at + 12) {
        let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(0) + 84;
        found.push((at, length));
        at += length.next_multiple_of(SECTOR);
    }
    found
}

fn hash(bytes: &[u8], (at, length): (usize, usize)) -> Digest {
    let text: String = bytes[at + length - 32..at + length].iter().map(|byte| format!("{byte:02x}")).collect();
    let Ok(digest) = text.parse() else { panic!("a digest") };
    digest
}

/// One line that a terminal can print.
fn check_line(error: &BookError) {
    let line = error.to_string();
    assert!(!line.is_empty() && line.chars().count() <= 300, "an error is short: {line}");
    assert!(!line.chars().any(char::is_control), "an error is one printable line: {line:?}");
}

/// Bytes in memory that outlive the book on them.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Vec<u8>>>);

impl Storage for Memory {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.0.borrow().len() as u64)
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.borrow();
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        let count = rest.len().min(into.len());
        into.iter_mut().zip(rest).for_each(|(byte, new)| *byte = *new);
        Ok(count)
    }

    fn write(&mut self, offset: u64, new: &[u8]) -> io::Result<()> {
        let mut bytes = self.0.borrow_mut();
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let length = bytes.len().max(start + new.len());
        bytes.resize(length, 0);
        bytes.iter_mut().skip(start).zip(new).for_each(|(byte, new)| *byte = *new);
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.borrow_mut().truncate(usize::try_from(length).map_err(io::Error::other)?);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
