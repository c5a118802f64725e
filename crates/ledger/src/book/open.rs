//! A ledger that is open: debits, results, and what they leave.

use std::path::Path;

use certus::bits::{Bits as _, SystemBits};

use super::{
    BookError, Debit, Head, MAX_ENTRY_BYTES, MAX_RESULT_BYTES, Opening, ReleaseId, State,
    chain::{Chain, scan},
    entry::{DebitEntry, Entry, OpeningEntry, Output, ResultEntry},
    frame::{self, Frame, Window},
    storage::{self, Disk, Storage},
};
use crate::Digest;

/// A ledger that this process has for itself, to debit and to record results.
///
/// While it lives, the file is locked. It is used by the process that opened it alone: a copy that a fork
/// made refuses. After a failed write or sync it refuses everything, as nobody knows what is on the disk:
/// open the ledger again.
#[derive(Debug)]
pub struct Book<S = Disk> {
    storage: S,
    state: State,
    chain: Chain,
    recovered: u64,
    process: u32,
    /// Whether a write or sync may have failed.
    is_poisoned: bool,
}

/// A ledger as it was when it was read.
#[derive(Debug)]
pub struct Reading {
    state: State,
    chain: Chain,
}

/// A debit that is on the disk: what a release must hold before it draws.
///
/// Only [`Book::debit`] makes one, after the record is synced. It is not copied: one debit pays for one draw.
#[derive(Debug)]
#[must_use = "a debit is spent, whether or not something is drawn"]
pub struct Debited {
    release: ReleaseId,
    record: Head,
}

impl Debited {
    /// The release that is paid for.
    #[must_use]
    pub fn release(&self) -> &ReleaseId {
        &self.release
    }

    /// The hash of the debit's record: the ledger's head when it was written.
    #[must_use]
    pub fn head(&self) -> Head {
        self.record
    }
}

impl Book {
    /// Makes a ledger in a new file, and returns its head.
    ///
    /// # Errors
    ///
    /// If there is something of that name, the budgets are no valid ones, or the system fails. A crash leaves
    /// nothing under that name, or the whole ledger.
    pub fn create(path: &Path, opening: &Opening) -> Result<Head, BookError> {
        let name = path.file_name().ok_or(BookError::NotAFile)?.to_string_lossy();
        let id = random_id()?;
        let (bytes, head) = first_record(opening, &id)?;
        storage::create(path, &bytes, &format!(".{name}.{id}.part"))?;
        Ok(head)
    }

    /// Opens a ledger, and waits until nobody has it: no other process, and no other [`Book`] of this one.
    ///
    /// The whole chain is verified. A torn last write is cut off ([the rule](super)). Where the caller holds
    /// a head, it must be in the chain, as the last or as an earlier one: others may have appended since.
    ///
    /// # Errors
    ///
    /// If the file is damaged, the expected head is not in its chain, or the system fails. Nothing is written
    /// then.
    pub fn open(path: &Path, expected: Option<&Head>) -> Result<Self, BookError> {
        Self::open_on(Disk::exclusive(path)?, expected)
    }

    /// Reads a ledger, and waits until nobody writes to it. Nothing is written: a torn last write stays.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn read(path: &Path, expected: Option<&Head>) -> Result<Reading, BookError> {
        Reading::on(&mut Disk::shared(path)?, expected)
    }
}

impl<S: Storage> Book<S> {
    /// Makes a ledger on a storage, which must be empty. What names the ledger should be random: records of
    /// two ledgers of one name can be exchanged.
    ///
    /// # Errors
    ///
    /// As for [`Book::create`].
    pub fn create_on(mut storage: S, opening: &Opening, id: &str) -> Result<Self, BookError> {
        if storage.length().map_err(BookError::io("read"))? != 0 {
            return Err(BookError::Exists);
        }
        let (bytes, _) = first_record(opening, id)?;
        storage.write(0, &bytes).map_err(BookError::io("written"))?;
        storage.sync().map_err(BookError::io("synced"))?;
        Self::open_on(storage, None)
    }

    /// Opens the ledger on a storage.
    ///
    /// # Errors
    ///
    /// As for [`Book::open`].
    pub fn open_on(mut storage: S, expected: Option<&Head>) -> Result<Self, BookError> {
        let Reading { state, mut chain } = Reading::on(&mut storage, expected)?;
        let recovered = chain.torn;
        if recovered > 0 {
            storage.truncate(chain.end).map_err(BookError::io("recovered"))?;
            // Before anything is written in its place.
            storage.sync().map_err(BookError::io("synced"))?;
            (chain.torn, chain.length) = (0, chain.end);
        }
        Ok(Self { storage, state, chain, recovered, process: std::process::id(), is_poisoned: false })
    }

    /// Books a debit, if the budget suffices, and syncs it. To be called before noise is drawn.
    ///
    /// A release that was debited before, and has no result, pays again: nobody knows what became of the
    /// noise that was drawn.
    ///
    /// # Errors
    ///
    /// If a budget does not suffice, the release has a result or another plan, or a cost does not convert to
    /// the kind of the budget: nothing is written then. Also if the system fails: then the debit may be on
    /// the disk or not, and the ledger must be opened again.
    pub fn debit(&mut self, debit: &Debit) -> Result<Debited, BookError> {
        let entry = DebitEntry::new(debit, self.state.relation(), self.state.budget())?;
        let record = self.append(&Entry::Debit(entry), "a debit", MAX_ENTRY_BYTES)?;
        Ok(Debited { release: debit.release.clone(), record })
    }

    /// Keeps the result of a release, and syncs it. To be called before it is printed; the head after it.
    ///
    /// # Errors
    ///
    /// If the release has a result, or the debit is of another ledger, or the result is larger than
    /// [`MAX_RESULT_BYTES`]; or the system fails.
    pub fn record_result(&mut self, debited: &Debited, output: &[u8]) -> Result<Head, BookError> {
        if output.len() > MAX_RESULT_BYTES {
            return Err(BookError::TooLarge { what: "a result", most: MAX_RESULT_BYTES });
        }
        let (release, debit) = (debited.release.clone(), debited.record);
        let entry = ResultEntry { release, debit, output: Output::of(output) };
        self.append(&Entry::Result(entry), "a result", frame::MAX_PAYLOAD_BYTES)
    }

    /// The result of a release, if the ledger has one: printed again, it costs nothing.
    ///
    /// # Errors
    ///
    /// If the system fails, or somebody changed the file meanwhile.
    pub fn result_of(&mut self, release: &ReleaseId) -> Result<Option<Vec<u8>>, BookError> {
        self.check_usable()?;
        let Some((offset, hash)) = self.state.release(release).and_then(|release| release.result) else {
            return Ok(None);
        };
        let failed = BookError::io("read");
        let frame = Window::new(&mut self.storage).and_then(|mut window| window.frame(offset)).map_err(failed)?;
        let frame = frame.filter(|frame| frame.hash == hash).ok_or(BookError::Changed)?;
        match serde_json::from_slice(&frame.payload) {
            Ok(Entry::Result(result)) => result.output.bytes().map(Some).ok_or(BookError::Changed),
            _ => Err(BookError::Changed),
        }
    }

    /// The hash of the last record.
    #[must_use]
    pub fn head(&self) -> Head {
        self.chain.head
    }

    /// Budgets and releases.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Bytes of a torn last write that were cut off when the ledger was opened.
    #[must_use]
    pub fn recovered(&self) -> u64 {
        self.recovered
    }

    /// Gives the storage back.
    #[must_use]
    pub fn into_storage(self) -> S {
        self.storage
    }

    fn check_usable(&self) -> Result<(), BookError> {
        if self.process != std::process::id() {
            return Err(BookError::Forked);
        }
        if self.is_poisoned { Err(BookError::Poisoned) } else { Ok(()) }
    }

    /// Writes a record and syncs it. Whatever fails after the first byte leaves the book unusable.
    fn append(&mut self, entry: &Entry, what: &'static str, most: usize) -> Result<Head, BookError> {
        self.check_usable()?;
        let payload = serde_json::to_vec(entry).map_err(|_| BookError::TooManyDigits)?;
        if payload.len() > most {
            return Err(BookError::TooLarge { what, most });
        }
        // What is checked is what will be read, not what was meant to be written.
        let entry: Entry = serde_json::from_slice(&payload).map_err(|_| BookError::TooManyDigits)?;
        self.state.check(&entry)?;
        let Chain { head, records, end, length, .. } = self.chain;
        let (bytes, hash) = frame::encode(records, &head, &payload).ok_or(BookError::TooLarge { what, most })?;

        self.is_poisoned = true;
        if self.storage.length().map_err(BookError::io("read"))? != length {
            return Err(BookError::Changed);
        }
        self.storage.write(end, &bytes).map_err(BookError::io("written"))?;
        self.storage.sync().map_err(BookError::io("synced"))?;
        // What is synced where nobody looks is not acknowledged.
        if !self.storage.is_in_place().map_err(BookError::io("found"))? {
            return Err(BookError::Replaced);
        }
        self.state.apply(entry, hash, end)?;
        self.chain.head = hash;
        self.chain.records = records.saturating_add(1);
        self.chain.end = end.saturating_add(bytes.len() as u64);
        self.chain.length = self.chain.end;
        self.is_poisoned = false;
        Ok(hash)
    }
}

impl Reading {
    /// Reads the ledger on a storage, and writes nothing.
    ///
    /// # Errors
    ///
    /// As for [`Book::open`].
    pub fn on(storage: &mut impl Storage, expected: Option<&Head>) -> Result<Self, BookError> {
        let mut state = None;
        let chain = scan(storage, expected, |frame, offset| {
            let entry = read_entry(frame)?;
            match (&mut state, entry) {
                (None, Entry::Opening(opening)) => {
                    state = Some(State::open(opening)?);
                    Ok(())
                }
                (None, _) => Err(BookError::NotALedger("its first record is no opening")),
                (Some(state), entry) => {
                    let refused = |_| BookError::Damaged {
                        after: frame.sequence.saturating_sub(1),
                        offset,
                        why: "a record stands there that would have been refused",
                    };
                    state.apply(entry, frame.hash, offset).map_err(refused)
                }
            }
        })?;
        if let Some(expected) = expected.filter(|_| !chain.has_expected) {
            return Err(BookError::UnexpectedHead { expected: *expected, head: chain.head });
        }
        let state = state.ok_or(BookError::NotALedger("it is empty"))?;
        Ok(Self { state, chain })
    }

    /// The hash of the last record.
    #[must_use]
    pub fn head(&self) -> Head {
        self.chain.head
    }

    /// How many records there are, the opening included.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.chain.records
    }

    /// Bytes of a torn last write, which the next process that opens the ledger cuts off.
    #[must_use]
    pub fn torn(&self) -> u64 {
        self.chain.torn
    }

    /// Budgets and releases.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }
}

fn read_entry(frame: &Frame) -> Result<Entry, BookError> {
    serde_json::from_slice(&frame.payload)
        .map_err(|_| BookError::NotALedger("a record is whole, and of no kind that this version knows"))
}

/// The record that opens a ledger; it is one that can be read.
fn first_record(opening: &Opening, id: &str) -> Result<(Vec<u8>, Head), BookError> {
    let entry = OpeningEntry { ledger: id.to_owned(), opening: opening.clone() };
    let payload = serde_json::to_vec(&Entry::Opening(entry)).map_err(|_| BookError::Opening)?;
    let too_large = BookError::TooLarge { what: "the opening", most: MAX_ENTRY_BYTES };
    if payload.len() > MAX_ENTRY_BYTES {
        return Err(too_large);
    }
    match serde_json::from_slice(&payload) {
        Ok(Entry::Opening(entry)) => State::open(entry)?,
        _ => return Err(BookError::Opening),
    };
    frame::encode(0, &Digest::ZERO, &payload).ok_or(too_large)
}

/// 128 random bits, as hex digits.
fn random_id() -> Result<String, BookError> {
    let mut bits = SystemBits::new()?;
    Ok(format!("{:016x}{:016x}", bits.take(64)?, bits.take(64)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Amount, Budget, Cost, Storage};
    use certus::guarantee::{Guarantee, Relation};
    use std::io;

    /// Bytes that this test alone looks at.
    #[derive(Debug, Default)]
    struct Memory(Vec<u8>);

    impl Storage for Memory {
        fn length(&mut self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }

        fn read(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
            let rest = self.0.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
            let count = rest.len().min(into.len());
            into[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }

        fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
            self.0.resize(usize::try_from(offset).unwrap(), 0);
            self.0.extend(bytes);
            Ok(())
        }

        fn truncate(&mut self, length: u64) -> io::Result<()> {
            self.0.truncate(usize::try_from(length).unwrap());
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// In a child that a fork made, the number of the process is another one: nothing is booked or given
    /// back.
    #[test]
    fn a_forked_copy_refuses() {
        let budget = Budget::Sum(Amount::Zcdp { rho: "1".parse().unwrap() });
        let opening = Opening { relation: Relation::AddRemove, budget, analysts: Default::default() };
        let mut book = Book::create_on(Memory::default(), &opening, "00").unwrap();
        let guarantee = Guarantee::zcdp(Relation::AddRemove, "1/4".parse().unwrap()).ok();
        let costs = vec![Cost { spec: "gaussian(sigma=1)".parse().unwrap(), copies: 1, guarantee }];
        let debit = Debit { release: "a".parse().unwrap(), analyst: None, plan: Digest::of(b""), costs };
        let debited = book.debit(&debit).unwrap();
        let written = book.storage.0.clone();
        book.process = book.process.wrapping_add(1);
        assert!(matches!(book.debit(&debit), Err(BookError::Forked)));
        assert!(matches!(book.record_result(&debited, b""), Err(BookError::Forked)));
        assert!(matches!(book.result_of(debited.release()), Err(BookError::Forked)));
        assert_eq!(book.storage.0, written);
    }
}
