//! The data that a mechanism runs on: an argument, a file (`@FILE`) or standard input (`-`).
//!
//! What is read is private. A refusal says what a file must be, and neither which line nor what is wrong with
//! it.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead as _, BufReader, Read},
};

use super::{
    Failure,
    audit::csv_rows::{Row, Rows},
    binary::binary,
};
use certus::mechanism::Spec;

/// The most bytes of data: larger files are for `certus release`, which need not hold them.
const MOST_BYTES: u64 = 1 << 30;

/// Data as the mechanism reads them, and whether they came from a file or a stream.
#[derive(Debug)]
pub(super) struct Data<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) is_file: bool,
}

/// What an argument gives: itself, or the records of a file or of standard input, one a line or one a row.
pub(super) fn read<'a>(argument: &str, given: &'a str, column: Option<&str>, spec: &Spec) -> Result<Data<'a>, Failure> {
    let is_file = given == "-" || given.starts_with('@');
    if !is_file {
        return match column {
            Some(_) => Err(Failure::argument("--column", "is for data in a CSV file: --input @FILE, or --input -")),
            None => Ok(Data { text: Cow::Borrowed(given), is_file }),
        };
    }
    let records = records(argument, given, column)?;
    // Of people with several keys each, a line is a person.
    let between = if spec.name() == "stability_histogram" { ";" } else { "," };
    Ok(Data { text: Cow::Owned(records.join(between)), is_file })
}

/// An input and its neighbour.
type Both<'a> = (Cow<'a, str>, Cow<'a, str>);

/// An input and its neighbour, where both are given.
pub(super) fn both<'a>(
    input: Option<&'a str>,
    neighbour: Option<&'a str>,
    spec: &Spec,
) -> Result<Option<Both<'a>>, Failure> {
    let Some((input, neighbour)) = input.zip(neighbour) else { return Ok(None) };
    if input == "-" && neighbour == "-" {
        return Err(Failure::argument("--neighbour", "cannot be standard input as --input is: give a file, @FILE"));
    }
    let input = read("--input", input, None, spec)?;
    Ok(Some((input.text, read("--neighbour", neighbour, None, spec)?.text)))
}

/// The lines of a file, or the fields of one column.
pub(super) fn records(argument: &str, given: &str, column: Option<&str>) -> Result<Vec<String>, Failure> {
    let unreadable = |error: &io::Error| match given.strip_prefix('@') {
        Some(path) => Failure::argument(argument, format_args!("{path} must be a file that can be read: {error}")),
        None => Failure::Environment(format!("{argument}: standard input could not be read: {error}")),
    };
    let from: Box<dyn Read> = match given.strip_prefix('@') {
        Some(path) => Box::new(File::open(path).map_err(|error| unreadable(&error))?),
        None => Box::new(io::stdin()),
    };
    // One byte more tells that there are too many.
    let mut from = BufReader::new(from.take(MOST_BYTES + 1));
    let too_long = || Failure::argument(argument, "must have at most 2^30 bytes: `certus release` takes larger files");
    let start = from.fill_buf().map_err(|error| unreadable(&error))?;
    if let Some(what) = binary(start) {
        return Err(Failure::argument(
            argument,
            format_args!("is {what}: data are lines of text, or CSV with --column"),
        ));
    }
    let Some(column) = column else {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(too_long());
        }
        let text = String::from_utf8(bytes).map_err(|_| Failure::argument(argument, "must be UTF-8 text"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        return Ok(text.lines().map(|line| line.trim().to_owned()).collect());
    };
    let malformed = || Failure::argument(argument, "must be CSV (RFC 4180) in UTF-8, every row as long as its heading");
    let (mut rows, mut row) = (Rows::new(&mut from), Row::default());
    let field = |row: &Row, place: usize| String::from_utf8(row.field(place).to_vec()).map_err(|_| malformed());
    let mut next = |row: &mut Row| rows.next(row).map_err(|_| malformed());
    if !next(&mut row)? {
        return Err(Failure::argument(argument, "must begin with a heading that names its columns"));
    }
    let mut names = (0..row.fields()).map(|place| field(&row, place)).collect::<Result<Vec<_>, _>>()?;
    if let Some(first) = names.first_mut().filter(|first| first.starts_with('\u{feff}')) {
        first.drain(..'\u{feff}'.len_utf8());
    }
    let places: Vec<usize> = (0..).zip(&names).filter(|(_, name)| *name == column).map(|(place, _)| place).collect();
    let [place] = places[..] else {
        return Err(Failure::value("--column", column, &format!("must be one column of {}", names.join(", "))));
    };
    let mut records = Vec::new();
    while next(&mut row)? {
        if row.fields() != names.len() {
            return Err(malformed());
        }
        records.push(field(&row, place)?.trim().to_owned());
    }
    if from.get_ref().limit() == 0 { Err(too_long()) } else { Ok(records) }
}
