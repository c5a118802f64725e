//! The bytes of a range of a file, in lines.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
};

use memchr::memchr;

use super::ROW_BYTES;

/// Bytes that are read at once.
const READ_BYTES: usize = 1 << 19;

/// Reads lines, each without its line feed.
pub(crate) struct Lines<F = File> {
    file: F,
    buffer: Vec<u8>,
    /// What is read and not yet given.
    rest: Range<usize>,
    /// How much of `rest` is known to have no line feed.
    searched: usize,
    /// Where `rest` begins in the file.
    offset: u64,
    /// Lines that begin here or beyond are another range's.
    end: u64,
    /// Told how many bytes were read.
    progress: Box<dyn Fn(u64) + Send>,
    ended: bool,
}

/// A line.
pub(crate) enum Line {
    /// Where its bytes are, until the next is read.
    At(Range<usize>),
    /// It has more than [`ROW_BYTES`].
    Long,
}

impl<F: Read + Seek> Lines<F> {
    /// The lines that begin in a range of bytes. `first` is where the first line of the file's data begins.
    pub(crate) fn new(
        mut file: F,
        range: Range<u64>,
        first: u64,
        progress: Box<dyn Fn(u64) + Send>,
    ) -> io::Result<Self> {
        // The line that the byte before the range is in was begun before: it is skipped to its end.
        let inside = range.start > first;
        let offset = if inside { range.start - 1 } else { first };
        file.seek(SeekFrom::Start(offset))?;
        let buffer = vec![0; ROW_BYTES + READ_BYTES];
        let end = range.end;
        let mut lines = Self { file, buffer, rest: 0..0, searched: 0, offset, end, progress, ended: false };
        if inside {
            lines.skip()?;
        }
        Ok(lines)
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        if self.offset >= self.end {
            return Ok(None);
        }
        let line = loop {
            if let Some(line) = self.whole() {
                break line;
            }
            if self.rest.len() > ROW_BYTES {
                self.skip()?;
                return Ok(Some(Line::Long));
            }
            if self.ended {
                if self.rest.is_empty() {
                    return Ok(None);
                }
                break self.take(self.rest.len(), 0);
            }
            self.fill()?;
        };
        Ok(Some(if line.len() > ROW_BYTES { Line::Long } else { Line::At(line) }))
    }

    /// The bytes of a line.
    pub(crate) fn bytes(&self, line: Range<usize>) -> &[u8] {
        self.buffer.get(line).unwrap_or_default()
    }

    /// The next line, if its end is in the buffer.
    fn whole(&mut self) -> Option<Range<usize>> {
        let unsearched = self.buffer.get(self.rest.start + self.searched..self.rest.end)?;
        match memchr(b'\n', unsearched) {
            Some(length) => Some(self.take(self.searched + length, 1)),
            None => {
                self.searched = self.rest.len();
                None
            }
        }
    }

    /// Gives so many bytes away, and passes over some more.
    fn take(&mut self, length: usize, more: usize) -> Range<usize> {
        let line = self.rest.start..self.rest.start + length;
        self.rest.start += length + more;
        self.offset += (length + more) as u64;
        self.searched = 0;
        line
    }

    /// Passes over the rest of a line.
    fn skip(&mut self) -> io::Result<()> {
        while self.whole().is_none() {
            self.take(self.rest.len(), 0);
            if self.ended {
                break;
            }
            self.fill()?;
        }
        Ok(())
    }

    /// Reads more. The rest has at most [`ROW_BYTES`], so that there is room.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.rest.clone(), 0);
        self.rest = 0..self.rest.len();
        let room = self.buffer.get_mut(self.rest.end..).unwrap_or_default();
        let room = if room.len() > READ_BYTES { room.get_mut(..READ_BYTES).unwrap_or_default() } else { room };
        let read = loop {
            match self.file.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.rest.end += read;
        self.ended = read == 0;
        (self.progress)(read as u64);
        Ok(())
    }
}
