//! Sample files: one output a line, a column of a CSV file, a field of NDJSON, or raw words.
//!
//! No record is dropped: each is an output, or the file is refused with the line that holds none. Text that
//! begins with the byte order mark of UTF-8 is read without it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::Path,
};

use super::{
    csv_rows::{Row, Rows},
    json_value, npy,
    settings::MOST_SAMPLES,
};
use crate::{Failure, arguments::Format, binary::binary};
use certus_audit::outputs::{LONGEST_LINE_BYTES, LineError, Output, Recording, Tally};

/// The byte order mark of UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// A file of outputs, and how it is read.
#[derive(Clone, Debug)]
pub(super) struct SampleFile<'a> {
    /// What names it in an error.
    pub(super) argument: &'a str,
    pub(super) path: &'a str,
    pub(super) format: Format,
    pub(super) column: Option<&'a str>,
}

/// The format of both files: what is asked for, or what both look like.
pub(super) fn format_of_both(
    (argument_a, a): (&str, &str),
    (argument_b, b): (&str, &str),
    asked: Option<Format>,
) -> Result<Format, Failure> {
    if let Some(format) = asked {
        return Ok(format);
    }
    match (sniffed(argument_a, a)?, sniffed(argument_b, b)?) {
        (of_a, of_b) if of_a != of_b => Err(Failure::argument(
            argument_b,
            format_args!(
                "must have the format of {argument_a}: {b} looks like {}, {a} like {}",
                of_b.name(),
                of_a.name()
            ),
        )),
        (of_a, _) => Ok(of_a),
    }
}

/// What a file looks like: by its name, or by how it begins.
fn sniffed(argument: &str, path: &str) -> Result<Format, Failure> {
    let mut start = [0; 512];
    let mut file = open(argument, path)?;
    // What a pipe has shown is gone: it is not looked at.
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let length = if is_file { file.read(&mut start).map_err(|error| unreadable(argument, path, &error))? } else { 0 };
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let start = start.get(..length).unwrap_or_default();
    let is_raw = ["f64", "i64"].iter().any(|raw| extension.eq_ignore_ascii_case(raw));
    if let Some(what) = binary(start).filter(|_| !is_raw) {
        return Err(Failure::argument(
            argument,
            format_args!("{path} is {what}: samples are text, CSV, NDJSON, .npy, or raw f64 or i64"),
        ));
    }
    let format = match extension.to_ascii_lowercase().as_str() {
        "csv" => Format::Csv,
        "ndjson" | "jsonl" => Format::Ndjson,
        "f64" => Format::F64,
        "i64" => Format::I64,
        _ if start.starts_with(npy::MAGIC) => Format::Npy,
        "npy" => Format::Npy,
        _ => {
            let start = start.strip_prefix(MARK).unwrap_or(start);
            if start.first() == Some(&b'{') { Format::Ndjson } else { Format::Text }
        }
    };
    if start.contains(&0) && matches!(format, Format::Csv | Format::Ndjson | Format::Text) {
        return Err(Failure::argument(
            argument,
            format_args!("{path} is not text: --format must say what it is, f64, i64 or npy"),
        ));
    }
    Ok(format)
}

pub(super) fn open(argument: &str, path: &str) -> Result<File, Failure> {
    File::open(path).map_err(|error| unreadable(argument, path, &error))
}

fn unreadable(argument: &str, path: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::argument(argument, format_args!("{path} must be a file that can be read: {error}"))
}

impl SampleFile<'_> {
    /// The tally of the file's first outputs, at most `limit`.
    pub(super) fn tally(&self, id: &str, limit: u64) -> Result<Tally, Failure> {
        let file = open(self.argument, self.path)?;
        let mut recording = Recording::new();
        self.record(file, limit, &mut recording)?;
        Ok(recording.finish(id))
    }

    /// Records what a stream in this format holds, at most `limit` outputs.
    pub(super) fn record(&self, from: impl Read, limit: u64, recording: &mut Recording) -> Result<(), Failure> {
        if self.column.is_some() && !matches!(self.format, Format::Csv | Format::Ndjson) {
            return Err(Failure::argument("--column", "is for the formats csv and ndjson"));
        }
        // One more than may be tells that there are too many.
        let limit = limit.min(MOST_SAMPLES + 1);
        match self.format {
            Format::Text => {
                let from = self.without_mark(from)?;
                recording.read(from, limit).map_err(|error| self.refused(error))?;
            }
            Format::Csv => self.csv(BufReader::new(self.without_mark(from)?), limit, recording)?,
            Format::Ndjson => self.ndjson(BufReader::new(self.without_mark(from)?), limit, recording)?,
            Format::F64 => {
                self.words(from, limit, |bytes| recording.output(&Output::from(f64::from_le_bytes(bytes))))?;
            }
            Format::I64 => self.words(from, limit, |bytes| recording.integer(i64::from_le_bytes(bytes)))?,
            Format::Npy => npy::record(BufReader::new(from), limit, recording).map_err(|what| self.refused(what))?,
        }
        if recording.samples() > MOST_SAMPLES {
            return Err(self.refused(format_args!("must have at most {MOST_SAMPLES} samples")));
        }
        Ok(())
    }

    fn refused(&self, what: impl std::fmt::Display) -> Failure {
        Failure::argument(self.argument, format_args!("{}: {what}", self.path))
    }

    /// The stream after its byte order mark, if it has one.
    fn without_mark<R: Read>(&self, mut from: R) -> Result<impl Read + use<R>, Failure> {
        let mut start = Vec::new();
        from.by_ref().take(MARK.len() as u64).read_to_end(&mut start).map_err(|error| self.refused(error))?;
        if start == MARK {
            start.clear();
        }
        Ok(Cursor::new(start).chain(from))
    }

    fn csv(&self, from: impl BufRead, limit: u64, recording: &mut Recording) -> Result<(), Failure> {
        let (mut rows, mut row) = (Rows::new(from), Row::default());
        let has_heading = rows.next(&mut row).map_err(|error| self.refused(error))?;
        if !has_heading || (row.fields() == 1 && row.field(0).is_empty()) {
            return Err(self.refused("must begin with a heading that names its columns"));
        }
        let names: Vec<String> =
            (0..row.fields()).map(|place| String::from_utf8_lossy(row.field(place)).into_owned()).collect();
        let place = self.place(&names)?;
        let width = names.len();
        let mut read = 0;
        while read < limit && rows.next(&mut row).map_err(|error| self.refused(error))? {
            let line = row.line;
            if row.fields() != width {
                let (columns, fields) = (counted(width, "column"), counted(row.fields(), "field"));
                let blank = if row.fields() == 1 && row.field(0).is_empty() { "it is blank, which is " } else { "" };
                return Err(
                    self.refused(format_args!("line {line} must have {columns}, as the heading has: {blank}{fields}"))
                );
            }
            let field = row.field(place);
            if field.contains(&b'\n') {
                return Err(
                    self.refused(format_args!("line {line} has a line break in its output: an output is one line"))
                );
            }
            recording.line(field).map_err(|error| match error {
                LineError::NotUtf8 { .. } => self.refused(format_args!("line {line} is not UTF-8 text")),
                error => self.refused(error),
            })?;
            read += 1;
        }
        Ok(())
    }

    /// Which column of a CSV file holds the outputs.
    fn place(&self, names: &[String]) -> Result<usize, Failure> {
        let Some(column) = self.column else {
            return match names {
                [_] => Ok(0),
                _ => Err(self.refused(format_args!("has {} columns: --column must name one", names.len()))),
            };
        };
        let places: Vec<usize> = (0..).zip(names).filter(|(_, name)| *name == column).map(|(place, _)| place).collect();
        match places[..] {
            [place] => Ok(place),
            [] => {
                Err(Failure::argument("--column", format_args!("must be one of {}'s: {}", self.path, names.join(", "))))
            }
            _ => Err(Failure::argument(
                "--column",
                format_args!("must be the name of one column: {} has {} columns of this name", self.path, places.len()),
            )),
        }
    }

    fn ndjson(&self, mut from: impl BufRead, limit: u64, recording: &mut Recording) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        for line in 1..=limit {
            let wrong = |what: &dyn std::fmt::Display| self.refused(format_args!("line {line} {what}"));
            bytes.clear();
            // One byte more for the newline, which tells a line of just this length from a longer one.
            let most = LONGEST_LINE_BYTES as u64 + 1;
            from.by_ref().take(most).read_until(b'\n', &mut bytes).map_err(|error| self.refused(error))?;
            if bytes.is_empty() {
                break;
            }
            if bytes.last() == Some(&b'\n') {
                bytes.pop();
            } else if bytes.len() > LONGEST_LINE_BYTES {
                return Err(wrong(&format_args!("is longer than {LONGEST_LINE_BYTES} bytes")));
            }
            let text = std::str::from_utf8(&bytes).map_err(|_| wrong(&"is not UTF-8 text"))?;
            let output = json_value::line(text, self.column).map_err(|error| wrong(&error))?;
            recording.output(&Output::parse(&output));
        }
        Ok(())
    }

    fn words(&self, from: impl Read, limit: u64, mut record: impl FnMut([u8; 8])) -> Result<(), Failure> {
        let mut from = BufReader::with_capacity(1 << 16, from);
        for _ in 0..limit {
            let mut word = [0; 8];
            let mut filled = 0;
            while let Some(rest) = word.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                match from.read(rest) {
                    Ok(0) => break,
                    Ok(length) => filled += length,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(self.refused(error)),
                }
            }
            match filled {
                0 => break,
                8 => record(word),
                _ => return Err(self.refused("must be whole words of 8 bytes each")),
            }
        }
        Ok(())
    }
}

/// A number of things, in words.
fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
