//! Sample files: one output a line, a column of a CSV file, a field of NDJSON, or raw words.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use crate::{
    audit::outputs::{Output, Recording, Tally},
    cli::{Failure, arguments::Format},
};

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
    Ok(match extension.to_ascii_lowercase().as_str() {
        "csv" => Format::Csv,
        "ndjson" | "jsonl" => Format::Ndjson,
        "f64" => Format::F64,
        "i64" => Format::I64,
        _ => {
            let start = start.get(..length).unwrap_or_default();
            if start.contains(&0) {
                return Err(Failure::argument(
                    argument,
                    format_args!("{path} is not text: --format must say what it is, f64 or i64"),
                ));
            }
            if start.first() == Some(&b'{') { Format::Ndjson } else { Format::Text }
        }
    })
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

    /// Records what a stream in this format holds.
    pub(super) fn record(&self, from: impl Read, limit: u64, recording: &mut Recording) -> Result<(), Failure> {
        if self.column.is_some() && !matches!(self.format, Format::Csv | Format::Ndjson) {
            return Err(Failure::argument("--column", "is for the formats csv and ndjson"));
        }
        match self.format {
            Format::Text => {
                recording.read(from, limit).map_err(|error| self.refused(error))?;
                Ok(())
            }
            Format::Csv => self.csv(from, limit, recording),
            Format::Ndjson => self.ndjson(BufReader::new(from), limit, recording),
            Format::F64 => self.words(from, limit, |bytes| recording.output(&Output::from(f64::from_le_bytes(bytes)))),
            Format::I64 => self.words(from, limit, |bytes| recording.integer(i64::from_le_bytes(bytes))),
        }
    }

    fn refused(&self, what: impl std::fmt::Display) -> Failure {
        Failure::argument(self.argument, format_args!("{}: {what}", self.path))
    }

    fn csv(&self, from: impl Read, limit: u64, recording: &mut Recording) -> Result<(), Failure> {
        let mut reader = csv::ReaderBuilder::new().has_headers(true).from_reader(from);
        let heading = reader.byte_headers().map_err(|error| self.refused(error))?.clone();
        let names: Vec<String> = heading.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let place = match self.column {
            None if names.len() == 1 => 0,
            None => return Err(self.refused(format_args!("has {} columns: --column must name one", names.len()))),
            Some(column) => names.iter().position(|name| name == column).ok_or_else(|| {
                Failure::argument("--column", format_args!("must be one of {}'s: {}", self.path, names.join(", ")))
            })?,
        };
        let mut record = csv::ByteRecord::new();
        let mut read = 0;
        while read < limit && reader.read_byte_record(&mut record).map_err(|error| self.refused(error))? {
            let field = record.get(place).unwrap_or_default();
            if field.contains(&b'\n') {
                return Err(
                    self.refused(format_args!("output {} has a line break in it: an output is one line", read + 1))
                );
            }
            recording.line(field).map_err(|error| self.refused(error))?;
            read += 1;
        }
        Ok(())
    }

    fn ndjson(&self, from: impl BufRead, limit: u64, recording: &mut Recording) -> Result<(), Failure> {
        let mut read = 0;
        for (line, text) in (1_u64..).zip(from.lines()) {
            if read == limit {
                break;
            }
            let text = text.map_err(|error| self.refused(error))?;
            if text.trim().is_empty() {
                continue;
            }
            let wrong = |what: &str| self.refused(format_args!("line {line} {what}"));
            let mut value: serde_json::Value = serde_json::from_str(&text).map_err(|_| wrong("is not a JSON value"))?;
            if let Some(column) = self.column {
                let field = value.as_object_mut().ok_or_else(|| wrong("is not an object, which --column needs"))?;
                value = field.remove(column).ok_or_else(|| wrong("has no such field as --column names"))?;
            }
            let text = printed(&value).ok_or_else(|| {
                wrong("holds an object: an output is a number, a string, null, or a list; --column names a field")
            })?;
            recording.output(&Output::parse(&text));
            read += 1;
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

/// A JSON value as a line of the command protocol: different values are different lines. Numbers keep their text; null is "no output"; a text that could be taken for something
/// else, or is no line, keeps its quotes.
fn printed(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) if text.is_empty() || text.contains(['\n', '\r', '"']) => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let part = |part: &Value| match part {
                Value::Array(_) | Value::Null => Some(part.to_string()),
                part => printed(part),
            };
            Some(parts.iter().map(part).collect::<Option<Vec<_>>>()?.join(","))
        }
        Value::Object(_) => None,
    }
}
