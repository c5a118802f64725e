//! The header of a CSV file: where the plan's columns are.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

use super::{COLUMNS, HEADER_BYTES, record::Parser};

/// A header that the plan cannot be served from.
#[derive(Debug, thiserror::Error)]
pub enum HeaderError {
    /// The system's.
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Empty, or longer than 1 MiB.
    #[error("the file has no header of at most 1 MiB in its first line")]
    Length,
    /// Not UTF-8.
    #[error("the header is not in UTF-8")]
    Utf8,
    /// Too many columns.
    #[error("the header has more than 10,000 columns")]
    Columns,
    /// A column of the plan that is not there.
    #[error("the header has no column {0:?}")]
    Absent(String),
    /// A column of the plan that is there more than once.
    #[error("the header has the column {0:?} more than once")]
    Twice(String),
}

/// The first line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    names: Vec<String>,
    /// Where the second line begins.
    pub(crate) end: u64,
}

impl Header {
    /// Reads the header: always one line.
    ///
    /// # Errors
    ///
    /// An empty or over-long first line, text that is not UTF-8, too many columns.
    pub fn read(mut file: &File) -> Result<Self, HeaderError> {
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        file.take(HEADER_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        let line = match bytes.split(|byte| *byte == b'\n').next() {
            Some(line) if line.len() < HEADER_BYTES => line,
            _ => return Err(HeaderError::Length),
        };
        let end = line.len() as u64 + 1;
        let mark = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let text = mark.strip_suffix(b"\r").unwrap_or(mark);
        if text.is_empty() {
            return Err(HeaderError::Length);
        }
        let mut parser = Parser::new(COLUMNS);
        let names = parser.line(text).ok_or(HeaderError::Columns)?;
        let names = names.fields().map(|name| String::from_utf8(name.to_vec()));
        let names = names.collect::<Result<_, _>>().map_err(|_| HeaderError::Utf8)?;
        Ok(Self { names, end })
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// Where a column is.
    ///
    /// # Errors
    ///
    /// It is not there, or twice.
    pub fn place(&self, name: &str) -> Result<usize, HeaderError> {
        let mut places = self.names.iter().enumerate().filter(|(_, column)| *column == name);
        match (places.next(), places.next()) {
            (Some((place, _)), None) => Ok(place),
            (None, _) => Err(HeaderError::Absent(name.to_owned())),
            (Some(_), Some(_)) => Err(HeaderError::Twice(name.to_owned())),
        }
    }
}
