//! Ledgers, debits, and bytes in memory in place of a file.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use certus::{
    exact::{Rational, Real, parse},
    guarantee::{Guarantee, Relation},
};
use certus_ledger::{
    Digest,
    book::{Amount, Book, Budget, Cost, Debit, Opening, Storage},
};

pub const RELATION: Relation = Relation::AddRemove;

/// A ledger's name where none is drawn.
pub const ID: &str = "00112233445566778899aabbccddeeff";

pub fn pure(epsilon: &str) -> Budget {
    Budget::Sum(Amount::Pure { epsilon: epsilon.parse().unwrap() })
}

pub fn opening(budget: Budget) -> Opening {
    Opening { relation: RELATION, budget, analysts: BTreeMap::new() }
}

/// A cost in ε.
pub fn cost(epsilon: &str) -> Cost {
    let guarantee = Guarantee::pure(RELATION, Real::from(parse(epsilon).unwrap())).unwrap();
    Cost { spec: "laplace(scale=1)".parse().unwrap(), copies: 1, guarantee: Some(guarantee) }
}

pub fn debit(release: &str, epsilon: &str) -> Debit {
    Debit { release: release.parse().unwrap(), analyst: None, plan: Digest::of(b"plan"), costs: vec![cost(epsilon)] }
}

/// ε of what was spent or is left.
pub fn epsilon(budget: &Budget) -> Rational {
    match budget {
        Budget::Sum(Amount::Pure { epsilon }) => epsilon.get().clone(),
        _ => panic!("not pure"),
    }
}

/// Bytes in memory that outlive the book on them.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub Rc<RefCell<Vec<u8>>>);

impl Memory {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Rc::new(RefCell::new(bytes.to_vec())))
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.borrow().clone()
    }
}

impl Storage for Memory {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.0.borrow().len() as u64)
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        Ok(read_bytes(&self.0.borrow(), offset, into))
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        write_bytes(&mut self.0.borrow_mut(), offset, bytes);
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.borrow_mut().resize(length as usize, 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn read_bytes(from: &[u8], offset: u64, into: &mut [u8]) -> usize {
    let rest = from.get(offset as usize..).unwrap_or_default();
    let count = rest.len().min(into.len());
    into[..count].copy_from_slice(&rest[..count]);
    count
}

pub fn write_bytes(to: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let (start, end) = (offset as usize, offset as usize + bytes.len());
    if to.len() < end {
        to.resize(end, 0);
    }
    to[start..end].copy_from_slice(bytes);
}

/// A ledger in memory with these debits, each with a result.
pub fn written(budget: &str, id: &str, costs: &[&str]) -> Vec<u8> {
    let memory = Memory::default();
    let mut book = Book::create_on(memory.clone(), &opening(pure(budget)), id).unwrap();
    for (place, cost) in costs.iter().enumerate() {
        let debited = book.debit(&debit(&format!("r{place}"), cost)).unwrap();
        book.record_result(&debited, format!("result {place}\n").as_bytes()).unwrap();
    }
    memory.bytes()
}

/// A folder that goes when this does.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("certus-ledger-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Numbers that look random, from a seed: Steele, Lea and Flood 2014 (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % bound
    }
}
