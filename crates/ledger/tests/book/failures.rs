//! A storage that fails: no acknowledgement, a handle that refuses, and a ledger that opens again.

use std::io;

use certus_ledger::book::{Blame, Book, BookError, Storage};

use crate::support::{Folder, ID, Memory, debit, epsilon, opening, pure};

/// Fails at the given call of a kind, after it did half its work.
struct Failing {
    memory: Memory,
    /// Calls until a write fails, or a sync.
    writes: Option<u32>,
    syncs: Option<u32>,
}

fn due(left: &mut Option<u32>) -> bool {
    match left {
        Some(0) => true,
        Some(calls) => {
            *calls -= 1;
            false
        }
        None => false,
    }
}

impl Storage for Failing {
    fn length(&mut self) -> io::Result<u64> {
        self.memory.length()
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.memory.read(offset, into)
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if due(&mut self.writes) {
            self.memory.write(offset, &bytes[..bytes.len() / 2])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.memory.write(offset, bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.memory.truncate(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        if due(&mut self.syncs) { Err(io::Error::other("no sync")) } else { Ok(()) }
    }
}

#[test]
fn a_failed_write_or_sync_acknowledges_nothing_more() {
    for (writes, syncs) in [(Some(0), None), (None, Some(0)), (Some(1), None), (None, Some(1))] {
        let memory = Memory::default();
        drop(Book::create_on(memory.clone(), &opening(pure("1")), ID).unwrap());
        let storage = Failing { memory: memory.clone(), writes, syncs };
        let mut book = Book::open_on(storage, None).unwrap();
        let mut acknowledged = 0;
        let error = loop {
            match book.debit(&debit(&format!("r{acknowledged}"), "1/8")) {
                Ok(_) => acknowledged += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, BookError::Io { .. }) && error.blame() == Blame::Environment, "{error}");
        assert_eq!(acknowledged, writes.or(syncs).unwrap());
        assert!(matches!(book.debit(&debit("x", "1/8")), Err(BookError::Poisoned)));
        assert!(matches!(book.result_of(&"r0".parse().unwrap()), Err(BookError::Poisoned)));
        // What was not acknowledged may be spent or not, and never less than what was.
        let again = Book::open_on(memory, None).unwrap();
        let spent = epsilon(&again.state().spent()) * certus::exact::Rational::from_integer(8.into());
        let expected = if syncs.is_some() { acknowledged + 1 } else { acknowledged };
        assert_eq!(spent, certus::exact::Rational::from_integer(expected.into()));
        assert_eq!(again.recovered() > 0, writes.is_some());
    }
}

/// Somebody who writes without the lock is seen.
#[test]
fn a_ledger_that_others_write_to_is_not_used() {
    let memory = Memory::default();
    let mut book = Book::create_on(memory.clone(), &opening(pure("1")), ID).unwrap();
    memory.0.borrow_mut().extend([0; 512]);
    assert!(matches!(book.debit(&debit("a", "1/8")), Err(BookError::Changed)));
}

/// A disk that is really full: nothing is made, and nothing is left.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_the_environment() {
    let folder = Folder::new("unwritable");
    let nowhere = folder.path().join("no/such/folder/a.ledger");
    let error = Book::create(&nowhere, &opening(pure("1"))).unwrap_err();
    assert_eq!(error.blame(), Blame::Environment);
    let error = Book::create(std::path::Path::new("/proc/a.ledger"), &opening(pure("1"))).unwrap_err();
    assert_eq!(error.blame(), Blame::Environment);
}
