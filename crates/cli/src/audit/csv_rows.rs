//! The rows of a CSV file (RFC 4180), every one of them.
//!
//! The rule is total, so that no row is passed over: a row ends at `\n` or `\r\n`, and at the end of the file
//! if anything stands on the last line. A line without a byte is a row of one empty field. A field that
//! begins with a quote ends at the next quote that is not doubled, and may hold commas and line ends. Refused
//! are a quote without its end, anything between the end of a quoted field and the next comma or line end,
//! and a carriage return that is neither in quotes nor before `\n`. (The crate `csv` skips blank lines
//! whatever it is told: an output that is empty would be lost.)

use std::io::{self, BufRead};

use certus_audit::outputs::LONGEST_LINE_BYTES;

/// Why a row cannot be read. Every variant but the first has the line that the row begins on, from 1.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RowError {
    #[error("{0}")]
    Read(#[from] io::Error),
    #[error("line {0}: the row is longer than {LONGEST_LINE_BYTES} bytes")]
    TooLong(u64),
    #[error("line {0}: a quote is opened and never closed")]
    Unclosed(u64),
    #[error("line {0}: a quote that ends a field must be followed by a comma or the end of the line")]
    AfterQuote(u64),
    #[error("line {0}: a carriage return outside quotes must be followed by a line feed")]
    CarriageReturn(u64),
}

/// One row: its fields one after another, without their quotes.
#[derive(Debug, Default)]
pub(crate) struct Row {
    bytes: Vec<u8>,
    /// Where each field ends in `bytes`.
    ends: Vec<usize>,
    /// The line that it begins on, from 1.
    pub(crate) line: u64,
}

impl Row {
    pub(crate) fn fields(&self) -> usize {
        self.ends.len()
    }

    /// A field, from 0; empty where there is none.
    pub(crate) fn field(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let end = self.ends.get(place).copied();
        start.zip(end).and_then(|(start, end)| self.bytes.get(start..end)).unwrap_or_default()
    }
}

/// Where in a row the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the beginning of a field.
    Start,
    /// In a field without quotes.
    Plain,
    /// Between quotes.
    Quoted,
    /// After a quote that ends a field, or is the first of two.
    Quote,
    /// After a carriage return outside quotes.
    Return,
}

/// A reader of rows.
pub(crate) struct Rows<R> {
    from: R,
    /// The line ends that were read.
    lines: u64,
}

impl<R: BufRead> Rows<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, lines: 0 }
    }

    /// Reads the next row; false at the end of the file.
    pub(crate) fn next(&mut self, row: &mut Row) -> Result<bool, RowError> {
        row.bytes.clear();
        row.ends.clear();
        row.line = self.lines + 1;
        let mut state = State::Start;
        // Bytes of the row so far, the end of its line not counted.
        let mut length = 0;
        loop {
            let chunk = match self.from.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if chunk.is_empty() {
                return match state {
                    State::Quoted => Err(RowError::Unclosed(row.line)),
                    State::Return => Err(RowError::CarriageReturn(row.line)),
                    State::Start | State::Plain | State::Quote if length == 0 => Ok(false),
                    State::Start | State::Plain | State::Quote => {
                        row.ends.push(row.bytes.len());
                        Ok(true)
                    }
                };
            }
            let mut used = 0;
            let mut is_ended = false;
            for &byte in chunk {
                used += 1;
                if byte == b'\n' {
                    self.lines += 1;
                    if state != State::Quoted {
                        is_ended = true;
                        break;
                    }
                }
                state = match (state, byte) {
                    (State::Return, _) => return Err(RowError::CarriageReturn(row.line)),
                    (State::Start, b'"') => State::Quoted,
                    (State::Quoted, b'"') => State::Quote,
                    (State::Quoted, _) | (State::Quote, b'"') => {
                        row.bytes.push(byte);
                        State::Quoted
                    }
                    (State::Start | State::Plain | State::Quote, b',') => {
                        row.ends.push(row.bytes.len());
                        State::Start
                    }
                    (State::Start | State::Plain | State::Quote, b'\r') => State::Return,
                    (State::Quote, _) => return Err(RowError::AfterQuote(row.line)),
                    (State::Start | State::Plain, _) => {
                        row.bytes.push(byte);
                        State::Plain
                    }
                };
                length += usize::from(state != State::Return);
                if length > LONGEST_LINE_BYTES {
                    return Err(RowError::TooLong(row.line));
                }
            }
            self.from.consume(used);
            if is_ended {
                row.ends.push(row.bytes.len());
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn rows(text: &[u8], capacity: usize) -> Result<Vec<Vec<Vec<u8>>>, RowError> {
        let (mut rows, mut row, mut all) =
            (Rows::new(BufReader::with_capacity(capacity, text)), Row::default(), Vec::new());
        while rows.next(&mut row)? {
            all.push((0..row.fields()).map(|place| row.field(place).to_vec()).collect());
        }
        Ok(all)
    }

    fn quoted(field: &str, always: bool) -> String {
        let must = always || field.contains([',', '"', '\r', '\n']);
        if must { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
    }

    /// What would hide rows, or bytes of them, is refused with the line that the row begins on.
    #[test]
    fn what_is_refused() {
        for (text, error) in [
            ("x\n\"1\n2\n3\n", "line 2: a quote is opened and never closed"),
            ("x\n\"", "line 2: a quote is opened and never closed"),
            ("\"a\nb\",1\n\"1\"2\n", "line 3: a quote that ends a field"),
            ("\"1\" \n", "line 1: a quote that ends a field"),
            ("1\r2\n", "line 1: a carriage return"),
            ("1\n2\r", "line 2: a carriage return"),
            ("1\r\r\n", "line 1: a carriage return"),
            ("\"1\"\r2\n", "line 1: a carriage return"),
        ] {
            for capacity in [1, 64] {
                let refused = rows(text.as_bytes(), capacity).unwrap_err().to_string();
                assert!(refused.starts_with(error), "{text:?}: {refused}");
            }
        }
        let row = |length: usize| format!("\"{}\",\r\n", "x".repeat(length - 3));
        assert_eq!(rows(row(LONGEST_LINE_BYTES).as_bytes(), 4096).unwrap().len(), 1);
        assert!(matches!(rows(row(LONGEST_LINE_BYTES + 1).as_bytes(), 4096), Err(RowError::TooLong(1))));
    }

    proptest! {
        /// What is written is read, whatever the chunks; and what the crate `csv` does not skip, it reads as
        /// we do.
        #[test]
        fn what_is_written_is_read(
            records in proptest::collection::vec(
                proptest::collection::vec(("[a,\"\r\n é]{0,4}", any::<bool>()), 1..4), 0..9),
            crlf in any::<bool>(),
            capacity in 1_usize..9,
        ) {
            let end = if crlf { "\r\n" } else { "\n" };
            let row = |row: &Vec<(String, bool)>| {
                row.iter().map(|(field, always)| quoted(field, *always)).collect::<Vec<_>>().join(",")
            };
            let text: String = records.iter().map(|record| row(record) + end).collect();
            let expected: Vec<Vec<Vec<u8>>> = records
                .iter()
                .map(|record| record.iter().map(|(field, _)| field.clone().into_bytes()).collect())
                .collect();
            prop_assert_eq!(&rows(text.as_bytes(), capacity).unwrap(), &expected);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let theirs: Vec<Vec<Vec<u8>>> = reader
                .byte_records()
                .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
                .collect();
            let blank = |fields: &[(String, bool)]| matches!(fields, [(field, false)] if field.is_empty());
            let kept: Vec<_> =
                expected.iter().zip(&records).filter(|(_, record)| !blank(record)).map(|(row, _)| row.clone()).collect();
            prop_assert_eq!(theirs, kept);
        }

        /// Any bytes are rows or refused, and every line end outside quotes ends one row.
        #[test]
        fn any_bytes_are_rows_or_refused(text in "[a,\"\r\n]{0,12}") {
            if let Ok(rows) = rows(text.as_bytes(), 3) && !text.contains('"') {
                let last = usize::from(!text.is_empty() && !text.ends_with('\n'));
                prop_assert_eq!(rows.len(), text.matches('\n').count() + last);
            }
        }
    }
}
