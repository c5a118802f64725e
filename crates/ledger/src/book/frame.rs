//! Records as bytes.
//!
//! ```text
//! 8   magic: ff "certus" 01, the last of which is the version
//! 4   length of the payload in bytes, little-endian
//! 8   sequence number, little-endian; 0 is the opening
//! 32  hash of the previous record; zeros in the opening
//! n   payload: JSON, UTF-8
//! 32  hash of this record: SHA-256 of all of the above
//! ```
//!
//! A record begins at a multiple of 512 bytes, and what is left of its last sector is padding, which nobody
//! reads. The byte ff is in no UTF-8 text, so that no sector within a record looks like the beginning of one.

use std::io;

use super::storage::Storage;
use crate::Digest;

/// Bytes of the sectors that records are aligned to.
pub(super) const SECTOR_BYTES: usize = 512;

/// What every record begins with.
pub(super) const MAGIC: [u8; 8] = *b"\xffcertus\x01";

/// Bytes before the payload.
const HEADER_BYTES: usize = 8 + 4 + 8 + 32;

/// The largest payload: the largest result in hex digits, and the rest of its record.
pub(super) const MAX_PAYLOAD_BYTES: usize = 2 * super::entry::MAX_RESULT_BYTES + 4096;

/// The longest record, padded.
pub(super) const MAX_RECORD_BYTES: u64 = padded((MAX_PAYLOAD_BYTES + HEADER_BYTES + Digest::BYTES) as u64);

/// A whole record whose own hash is right.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) sequence: u64,
    pub(super) previous: Digest,
    pub(super) hash: Digest,
    pub(super) payload: Vec<u8>,
    /// Where the next one begins.
    pub(super) end: u64,
}

/// The next multiple of a sector's bytes. Places in a file are below 2^63.
pub(super) const fn padded(length: u64) -> u64 {
    let sector = SECTOR_BYTES as u64;
    length.div_ceil(sector).saturating_mul(sector)
}

/// The bytes of a record, padded; and its hash.
pub(super) fn encode(sequence: u64, previous: &Digest, payload: &[u8]) -> Option<(Vec<u8>, Digest)> {
    let length = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= MAX_PAYLOAD_BYTES)?;
    let mut bytes = Vec::with_capacity(payload.len() + 2 * SECTOR_BYTES);
    bytes.extend(MAGIC);
    bytes.extend(length.to_le_bytes());
    bytes.extend(sequence.to_le_bytes());
    bytes.extend(previous.as_bytes());
    bytes.extend(payload);
    let hash = Digest::of(&bytes);
    bytes.extend(hash.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(SECTOR_BYTES), 0);
    Some((bytes, hash))
}

/// Reads from a storage through a window, so that many short records take few reads.
pub(super) struct Window<'s, S> {
    storage: &'s mut S,
    length: u64,
    start: u64,
    bytes: Vec<u8>,
}

/// Bytes that a window reads at once.
const WINDOW_BYTES: usize = 1 << 16;

impl<'s, S: Storage> Window<'s, S> {
    pub(super) fn new(storage: &'s mut S) -> io::Result<Self> {
        let length = storage.length()?;
        Ok(Self { storage, length, start: 0, bytes: Vec::new() })
    }

    /// How many bytes the storage has.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// So many bytes from a place on, or nothing where there are fewer. No more is allocated than there is.
    pub(super) fn get(&mut self, offset: u64, count: usize) -> io::Result<Option<&[u8]>> {
        let left = self.length.saturating_sub(offset);
        if left < count as u64 {
            return Ok(None);
        }
        let is_there = |start: u64, bytes: &[u8]| {
            let at = usize::try_from(offset.checked_sub(start)?).ok()?;
            bytes.len().checked_sub(at)?.checked_sub(count).map(|_| at)
        };
        if is_there(self.start, &self.bytes).is_none() {
            let wanted = count.max(WINDOW_BYTES).min(usize::try_from(left).unwrap_or(count));
            self.bytes.resize(wanted, 0);
            let read = self.storage.read(offset, &mut self.bytes)?;
            self.bytes.truncate(read);
            self.start = offset;
        }
        let Some(at) = is_there(self.start, &self.bytes) else {
            // Shorter than its length says.
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        Ok(self.bytes.get(at..).and_then(|bytes| bytes.get(..count)))
    }

    /// The whole record at a place, if there is one.
    pub(super) fn frame(&mut self, offset: u64) -> io::Result<Option<Frame>> {
        let Some(header) = self.get(offset, HEADER_BYTES)? else { return Ok(None) };
        let Some((sequence, previous, length)) = read_header(header) else { return Ok(None) };
        let Some(record) = self.get(offset, HEADER_BYTES + length + Digest::BYTES)? else { return Ok(None) };
        let Some((covered, hash)) = record.split_last_chunk::<{ Digest::BYTES }>() else { return Ok(None) };
        let hash = Digest::from_bytes(*hash);
        if Digest::of(covered) != hash {
            return Ok(None);
        }
        let payload = covered.get(HEADER_BYTES..).unwrap_or_default().to_vec();
        let end = padded(offset.saturating_add(record.len() as u64));
        Ok(Some(Frame { sequence, previous, hash, payload, end }))
    }
}

/// The place in the chain that a record's beginning names: its number, and the hash of the record before it.
pub(super) fn place(bytes: &[u8]) -> Option<(u64, Digest)> {
    read_header(bytes).map(|(sequence, previous, _)| (sequence, previous))
}

/// Sequence number, previous hash and length of the payload; nothing where it is no header of this version.
fn read_header(bytes: &[u8]) -> Option<(u64, Digest, usize)> {
    let rest = bytes.strip_prefix(&MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (sequence, rest) = rest.split_first_chunk::<8>()?;
    let (previous, _) = rest.split_first_chunk::<{ Digest::BYTES }>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok().filter(|length| *length <= MAX_PAYLOAD_BYTES)?;
    Some((u64::from_le_bytes(*sequence), Digest::from_bytes(*previous), length))
}
