//! CSV files, read by a total rule: whatever a row holds, it is a row.
//!
//! * The header is mandatory: one row of at most 1 MiB and 10,000 columns, without or with a byte order mark.
//! * Fields are separated by commas and may be in quotes, in which a quote is doubled (RFC 4180).
//! * A row ends at a line feed (a carriage return before it belongs to it), also within quotes: a quote that
//!   is open there is closed. A stray quote thus changes its own row alone, never those of others.
//! * An empty line is no row.
//! * **A row with more or fewer fields than the header, or of more than 1 MiB, is missing in every column**:
//!   a comma that nobody quoted would otherwise shift values into other columns.
//! * A field that is empty, or not UTF-8, is missing.
//! * What a field means is said in [`value`].
//!
//! Refusals depend on the header alone. Where a range of the file begins or ends changes nothing: each row is
//! read with the range that holds its first byte.

#[cfg(feature = "engine")]
mod columns;
mod header;
mod lines;
mod record;
#[cfg(feature = "engine")]
mod table;
#[cfg(test)]
mod tests;
pub mod value;

pub use header::{Header, HeaderError};
#[cfg(feature = "engine")]
pub use table::CsvTable;

/// The rows of some bytes without a header, of so many fields each, as a file is read in ranges that end at
/// these places: what a fuzz target calls.
///
/// # Errors
///
/// Never: bytes in memory can be read.
pub fn rows(bytes: &[u8], fields: usize, ends: &[u64]) -> std::io::Result<Vec<Vec<Vec<u8>>>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for end in ends.iter().copied().chain([bytes.len() as u64]) {
        let lines = lines::Lines::new(std::io::Cursor::new(bytes), start..end, 0, Box::new(|_| {}))?;
        let mut records = record::Records::new(lines, fields);
        while let Some(record) = records.next()? {
            rows.push((0..fields).map(|place| record.field(place).to_vec()).collect());
        }
        start = end;
    }
    Ok(rows)
}

/// Bytes of a row.
pub const ROW_BYTES: usize = 1 << 20;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 1 << 20;
/// Columns of a file.
pub const COLUMNS: usize = 10_000;
