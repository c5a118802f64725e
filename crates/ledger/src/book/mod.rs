//! The budget of a dataset, in an append-only file.
//!
//! A [`Book`] is a ledger that is open: [`Book::debit`] books a cost, or refuses it, and has synced the
//! record when it returns a [`Debited`]; only then is noise drawn. [`Book::record_result`] keeps what was
//! drawn, before it is printed; [`Book::result_of`] gives it back at no cost. [`Book::read`] looks and writes
//! nothing.
//!
//! ```
//! use std::collections::BTreeMap;
//! use certus::{exact::Real, guarantee::{Guarantee, Relation}};
//! use certus_ledger::{Digest, book::{Amount, Book, Budget, Cost, Debit, Opening}};
//!
//! # let folder = std::env::temp_dir().join(format!("certus-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let path = folder.join("people.ledger");
//! # let _ = std::fs::remove_file(&path);
//! let budget = Budget::Sum(Amount::Pure { epsilon: "1".parse()? });
//! Book::create(&path, &Opening { relation: Relation::AddRemove, budget, analysts: BTreeMap::new() })?;
//!
//! let mut book = Book::open(&path, None)?;
//! let guarantee = Some(Guarantee::pure(Relation::AddRemove, Real::ratio(1, 3))?);
//! let cost = Cost { spec: "laplace(scale=3)".parse()?, copies: 1, guarantee };
//! let plan = Digest::of(b"a plan");
//! let debit = Debit { release: "first".parse()?, analyst: None, plan, costs: vec![cost] };
//! let debited = book.debit(&debit)?; // on the disk
//! let head = book.record_result(&debited, b"42\n")?; // on the disk, and may be printed
//! assert_eq!(book.result_of(&debit.release)?.as_deref(), Some(&b"42\n"[..]));
//! assert_eq!(book.state().left(), Budget::Sum(Amount::Pure { epsilon: "2/3".parse()? }));
//! # drop(book);
//! # let _ = Book::read(&path, Some(&head))?;
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a crash leaves
//!
//! **The disk.** It is assumed that what was written before a successful sync stays as it is; that bytes
//! outside a write are not changed by it; and that a write during which the power fails leaves of its bytes,
//! in 512-byte sectors, any that are new, torn at any byte, lost, zero or written twice, the last of them
//! perhaps behind its place, but no beginning of another record. Records begin on sectors, so that no write
//! touches the sector of an earlier record.
//!
//! **The rule.** At most one write is in flight, and it is acknowledged after its sync alone. So the ledger is
//! the longest chain of whole records from the opening on. What follows is cut off if one torn write can have
//! left it: it was never acknowledged, and nothing was drawn for it. A whole record that was not acknowledged
//! counts as spent. Everything else is damage, and refused: a whole record that does not continue the chain,
//! the beginning of a second record behind one that is not whole, more bytes than one record has. So damage
//! to any record but the last is refused.
//!
//! **What nothing inside the file can tell.** A file that ends after a whole record may have been longer: a
//! restored backup and a truncated file are whole ledgers. And damage to the last record, after it was
//! synced, looks like a torn write of it. (Where the last record is a result, no budget comes back: its
//! release pays again.) Whoever keeps the last head that they saw, outside the file, and hands it to
//! [`Book::open`] learns of both: it must be in the chain. It need not be the last, as another process may
//! have appended since.
//!
//! **Whom it does not stop.** Who can write the file can write another whole ledger. The chain makes that
//! visible to whoever holds a head, and to nobody else.
//!
//! **The lock** is the system's lock of the file (`flock` on Unix): it goes when its holder dies, also by
//! `kill -9`. A process that was forked while the ledger was open, and lives on, holds it too. On a network
//! file system it is as good as that system's locks.

mod amount;
mod budget;
mod chain;
mod entry;
mod error;
mod frame;
mod name;
mod open;
mod parts;
mod state;
mod storage;

pub use amount::Amount;
pub use budget::Budget;
pub use entry::{Cost, Debit, MAX_ENTRY_BYTES, MAX_RESULT_BYTES, Opening};
pub use error::{Blame, BookError, Exceeded};
pub use name::{Analyst, NameError, ReleaseId};
pub use open::{Book, Debited, Reading};
pub use parts::{Parts, PartsError};
pub use state::{Release, State};
pub use storage::{Disk, Storage};

/// The hash of a ledger's last record, and so of all of it.
pub type Head = crate::Digest;
