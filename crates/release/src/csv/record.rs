//! The fields of a row.

use std::{
    fs::File,
    io::{self, Read, Seek},
};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};
use memchr::{memchr, memchr_iter};

use super::{
    ROW_BYTES,
    lines::{Line, Lines},
};

/// Reads rows, of as many fields as the header.
pub(crate) struct Records<F = File> {
    lines: Lines<F>,
    parser: Parser,
    fields: usize,
}

/// The fields of a row: in `bytes`, from the first place to the second.
pub(crate) struct Record<'a> {
    bytes: &'a [u8],
    spans: &'a [(usize, usize)],
}

impl<'a> Record<'a> {
    /// A row in which everything is missing.
    const MISSING: Self = Record { bytes: &[], spans: &[] };

    /// As many fields as there are; otherwise the row is missing.
    fn of(self, fields: usize) -> Self {
        if self.spans.len() == fields { self } else { Self::MISSING }
    }

    /// All fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'a [u8]> {
        self.spans.iter().map(|span| self.bytes.get(span.0..span.1).unwrap_or_default())
    }

    /// A field; an empty one where the row is missing.
    pub(crate) fn field(&self, place: usize) -> &'a [u8] {
        let span = self.spans.get(place).copied().unwrap_or_default();
        self.bytes.get(span.0..span.1).unwrap_or_default()
    }
}

impl<F: Read + Seek> Records<F> {
    pub(crate) fn new(lines: Lines<F>, fields: usize) -> Self {
        Self { lines, parser: Parser::new(fields), fields }
    }

    /// The next row.
    pub(crate) fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        let line = loop {
            match self.lines.next()? {
                None => return Ok(None),
                Some(Line::Long) => return Ok(Some(Record::MISSING)),
                Some(Line::At(line)) if matches!(self.lines.bytes(line.clone()), [] | [b'\r']) => {}
                Some(Line::At(line)) => break self.lines.bytes(line),
            }
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Ok(Some(self.parser.line(line).unwrap_or(Record::MISSING).of(self.fields)))
    }
}

/// The fields of a line, by `csv-core`; where it has no quotes, the commas tell them.
pub(crate) struct Parser {
    reader: Reader,
    output: Vec<u8>,
    ends: Vec<usize>,
    spans: Vec<(usize, usize)>,
}

impl Parser {
    pub(crate) fn new(fields: usize) -> Self {
        let reader = ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build();
        let mut parser =
            Self { reader, output: vec![0; ROW_BYTES], ends: vec![0; fields + 1], spans: vec![(0, 0); fields] };
        parser.reset();
        parser
    }

    /// Begins a row. The line feed, an empty line, is there lest a byte order mark be taken from each row.
    fn reset(&mut self) {
        self.reader.reset();
        self.reader.read_record(b"\n", &mut [], &mut []);
    }

    /// A row that is a line, not empty; nothing where it has more fields than there is room for.
    pub(crate) fn line<'a>(&'a mut self, line: &'a [u8]) -> Option<Record<'a>> {
        if memchr(b'"', line).is_none() {
            return self.without_quotes(line);
        }
        let (mut read, mut written, mut ended) = (0, 0, 0);
        let complete = loop {
            // At the end of the line the input is empty: the row ends there, whatever is open.
            let input = line.get(read..).unwrap_or_default();
            let output = self.output.get_mut(written..).unwrap_or_default();
            let ends = self.ends.get_mut(ended..).unwrap_or_default();
            let (result, input, output, ends) = self.reader.read_record(input, output, ends);
            (read, written, ended) = (read + input, written + output, ended + ends);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record => break true,
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull | ReadRecordResult::End => break false,
            }
        };
        self.reset();
        if complete { self.parsed(ended) } else { None }
    }

    fn without_quotes<'a>(&'a mut self, line: &'a [u8]) -> Option<Record<'a>> {
        let (mut start, mut count) = (0, 0);
        for end in memchr_iter(b',', line).chain(std::iter::once(line.len())) {
            *self.spans.get_mut(count)? = (start, end);
            (start, count) = (end + 1, count + 1);
        }
        Some(Record { bytes: line, spans: self.spans.get(..count)? })
    }

    /// The fields that `csv-core` wrote one after another.
    fn parsed(&mut self, fields: usize) -> Option<Record<'_>> {
        let mut start = 0;
        let spans = self.spans.get_mut(..fields)?;
        for (span, end) in spans.iter_mut().zip(&self.ends) {
            *span = (start, *end);
            start = *end;
        }
        Some(Record { bytes: &self.output, spans })
    }
}
