//! A disk whose power fails: what was not synced may be there, in part or not at all.

use std::{cell::RefCell, io, rc::Rc};

use certus_ledger::book::Storage;

use crate::support::{read_bytes, write_bytes};

pub const SECTOR: usize = 512;

/// What was asked of the disk since the last sync.
#[derive(Clone, Debug)]
pub enum Pending {
    Write(u64, Vec<u8>),
    Truncate(u64),
}

/// What a disk holds: what is certain, and what is under way.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    pub durable: Vec<u8>,
    pub pending: Vec<Pending>,
}

impl Contents {
    pub fn of(bytes: &[u8]) -> Self {
        Self { durable: bytes.to_vec(), pending: Vec::new() }
    }

    /// As a process sees it while the power is on.
    pub fn seen(&self) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        self.pending.iter().for_each(|step| apply(&mut bytes, step));
        bytes
    }
}

fn apply(bytes: &mut Vec<u8>, step: &Pending) {
    match step {
        Pending::Write(offset, data) => write_bytes(bytes, *offset, data),
        Pending::Truncate(length) => bytes.resize(*length as usize, 0),
    }
}

/// Records what the disk holds after every call: a crash may come at any of them.
#[derive(Clone, Debug, Default)]
pub struct Simulated {
    pub now: Rc<RefCell<Contents>>,
    pub moments: Rc<RefCell<Vec<Contents>>>,
}

impl Simulated {
    pub fn of(bytes: &[u8]) -> Self {
        Self { now: Rc::new(RefCell::new(Contents::of(bytes))), moments: Rc::default() }
    }

    fn note(&self) {
        self.moments.borrow_mut().push(self.now.borrow().clone());
    }
}

impl Storage for Simulated {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.now.borrow().seen().len() as u64)
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        Ok(read_bytes(&self.now.borrow().seen(), offset, into))
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.now.borrow_mut().pending.push(Pending::Write(offset, bytes.to_vec()));
        self.note();
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.now.borrow_mut().pending.push(Pending::Truncate(length));
        self.note();
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut now = self.now.borrow_mut();
        *now = Contents::of(&now.seen());
        drop(now);
        self.note();
        Ok(())
    }
}

/// What the disk may hold after the power failed: each image is handed on.
///
/// Steps before the last are done or all lost. Of the last, if it is a write, each sector may be lost, be
/// zeros, or be torn at the given bytes with zeros, ones or the old bytes behind; the file may end there; it
/// may have been written from the last sector to the first; and a sector may be there twice.
pub fn images(contents: &Contents, tears: &[usize], visit: &mut impl FnMut(&[u8])) {
    visit(&contents.durable);
    let Some((last, earlier)) = contents.pending.split_last() else { return };
    visit(&contents.seen());
    let mut before = contents.durable.clone();
    earlier.iter().for_each(|step| apply(&mut before, step));
    visit(&before);
    let (offset, data) = match last {
        Pending::Write(offset, data) => (*offset, data.as_slice()),
        Pending::Truncate(_) => return,
    };
    let after = contents.seen();
    let start = offset as usize;
    let sectors = data.len().div_ceil(SECTOR);
    for sector in 0..sectors {
        let (from, to) = (start + sector * SECTOR, (start + (sector + 1) * SECTOR).min(start + data.len()));
        // This sector lost, the others written; and with zeros in place of all before, or of all after it.
        let mut image = after.clone();
        image[from..to].fill(0);
        visit(&image);
        image[start..to].fill(0);
        visit(&image);
        let mut image = after.clone();
        image[from..].fill(0);
        visit(&image);
        image.truncate(from);
        visit(&image);
        for &tear in tears.iter().filter(|tear| from + **tear < to) {
            let cut = from + tear;
            // The file ends in the middle.
            visit(&after[..cut]);
            for fill in [0, 0xff, 0x5a] {
                // The rest of this sector, with the others there, lost, or zeros.
                let mut image = after.clone();
                image[cut..to].fill(fill);
                visit(&image);
                visit(&image[..to]);
                image[to..].fill(0);
                visit(&image);
            }
            // The end of the sector is there, and its beginning is not.
            let mut image = after.clone();
            image[from..cut].fill(0);
            visit(&image);
        }
        // A sector that is there once more, in the place of the next or after the last.
        let mut image = after.clone();
        let copy = after[from..to].to_vec();
        write_bytes(&mut image, to as u64, &copy);
        visit(&image);
        let mut image = after.clone();
        image.extend(&copy);
        visit(&image);
        // In place of all before it.
        let mut image = before.clone();
        write_bytes(&mut image, offset, &copy);
        visit(&image);
    }
    // Longer than was written.
    let mut image = after;
    image.resize(image.len() + SECTOR, 0);
    visit(&image);
}
