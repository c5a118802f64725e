//! The chain of records: each names the hash of the one before it. What follows the last one is judged here.

use super::{
    BookError, Head,
    frame::{self, Frame, MAGIC, MAX_RECORD_BYTES, SECTOR_BYTES, Window},
    storage::Storage,
};
use crate::Digest;

/// What a scan of a whole ledger finds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    /// The hash of the last record.
    pub(super) head: Head,
    /// How many records there are.
    pub(super) records: u64,
    /// Where the next one goes.
    pub(super) end: u64,
    /// How many bytes there are.
    pub(super) length: u64,
    /// Bytes of a torn write after the last record.
    pub(super) torn: u64,
    /// Whether the expected head, if any, is in the chain.
    pub(super) has_expected: bool,
}

/// Walks the chain from the opening on, and hands on each record and where it is.
///
/// What comes after the last record is either a torn write, which is told, or damage, which is an error.
pub(super) fn scan(
    storage: &mut impl Storage,
    expected: Option<&Head>,
    mut visit: impl FnMut(&Frame, u64) -> Result<(), BookError>,
) -> Result<Chain, BookError> {
    let failed = BookError::io("read");
    let mut window = Window::new(storage).map_err(&failed)?;
    let length = window.length();
    let (mut head, mut records, mut end, mut last) = (Digest::ZERO, 0_u64, 0_u64, 0_u64);
    let mut has_expected = expected.is_none();
    while end < length {
        let Some(frame) = window.frame(end).map_err(&failed)? else { break };
        if (frame.sequence, frame.previous) != (records, head) {
            if frame.hash == head {
                // The last record once more: a write that the disk did twice.
                break;
            }
            let why = "a whole record stands there that does not continue the chain";
            return Err(damaged(records, end, why));
        }
        visit(&frame, end)?;
        (head, last, end) = (frame.hash, end, frame.end);
        records = records.saturating_add(1);
        has_expected |= expected == Some(&head);
    }
    if records == 0 {
        return Err(BookError::NotALedger("it does not begin with a whole record of this version"));
    }
    let torn = length.saturating_sub(end);
    judge(&mut window, (records, head), last, end)
        .map_err(&failed)?
        .map_or(Ok(()), |why| Err(damaged(records, end, why)))?;
    Ok(Chain { head, records, end, length, torn, has_expected })
}

fn damaged(records: u64, offset: u64, why: &'static str) -> BookError {
    BookError::Damaged { after: records.saturating_sub(1), offset, why }
}

/// Why bytes from `start` on are not what a torn write of one record leaves; nothing if they may be.
///
/// One write leaves at most the bytes of one record, and a sector more where the disk wrote one twice. It
/// leaves no beginning of a record but its own: where there is another, there was a second record, which was
/// written after the first had been synced. A copy of the last record's first sector, or of the torn one's,
/// tells of no other record; the torn one's is what names `next` (its number, and the hash before it): a later
/// record's first sector in its place is not.
fn judge<S: Storage>(
    window: &mut Window<'_, S>,
    next: (u64, Head),
    last: u64,
    start: u64,
) -> std::io::Result<Option<&'static str>> {
    let (length, step) = (window.length(), SECTOR_BYTES as u64);
    if length.saturating_sub(start) > MAX_RECORD_BYTES.saturating_add(step) {
        return Ok(Some("more bytes follow than one torn write leaves"));
    }
    let sector = |window: &mut Window<'_, S>, at: u64| -> std::io::Result<Vec<u8>> {
        let count = usize::try_from(length.saturating_sub(at).min(step)).unwrap_or(0);
        Ok(window.get(at, count)?.unwrap_or_default().to_vec())
    };
    let (last, own) = (sector(window, last)?, sector(window, start)?);
    let is_next = frame::place(&own) == Some(next);
    let mut at = start.saturating_add(step);
    while at < length {
        let found = sector(window, at)?;
        let is_copy = last.starts_with(&found) || is_next && own.starts_with(&found);
        if found.starts_with(&MAGIC) && !is_copy {
            return Ok(Some("a record that is not whole is followed by the beginning of another"));
        }
        at = at.saturating_add(step);
    }
    Ok(None)
}
