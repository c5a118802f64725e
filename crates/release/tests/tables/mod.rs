//! Random tables of fields that a reader could stumble over, and files of them.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::{io::Write, path::Path};

use proptest::{prelude::*, sample::select};

use crate::{
    plans::{NASTY_NAME, NASTY_TEXTS},
    reference::Raw,
};

pub const NAMES: [&str; 9] = ["i d", "age", "any", "big", NASTY_NAME, "tenth", "city", "free", "unread, \"too\""];

pub const PERSONS: [&str; 7] = ["", "a", "b", "ü", "it's", " a", "x\0"];
pub const AGES: [&str; 24] = [
    "", "5", " 17", "18 ", "17.0", "17.", "2.5", "-3", "999", "1e3", "abc", "+7", "007", "-0", "nan", "NULL", "10",
    "20", "39", "40", "41", "1", "--1", "٥",
];
pub const INTEGERS: [&str; 13] = [
    "",
    "0",
    "9223372036854775807",
    "9223372036854775808",
    "9223372036854775806",
    "-9223372036854775808",
    "-9223372036854775809",
    "11111111111111111111",
    "99999999999999999999999999999999999999",
    "100000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000001",
    "0x10",
    "1_000",
];
pub const NUMBERS: [&str; 30] = [
    "",
    "0",
    "-0.0",
    "0.125",
    "-0.125",
    "0.3333333333333333",
    "1.0",
    "1e3",
    "2.5E+01",
    "1e400",
    "1e99",
    "-1e99",
    "1e-99",
    "1d",
    "0x10",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    " 4 ",
    ".5",
    "5.",
    ".",
    "e5",
    "1e",
    "1e007",
    "1e100",
    "0.15",
    "-.75",
];

/// A row.
pub fn raw() -> impl Strategy<Value = Raw> {
    let texts: Vec<&str> = NASTY_TEXTS.into_iter().chain(["", "zzz", "a ", "é", "é"]).collect();
    (
        (select(&PERSONS[..]), select(&AGES[..]), select(&INTEGERS[..]), select(&INTEGERS[..])),
        (select(&NUMBERS[..]), select(&NUMBERS[..]), select(texts.clone()), select(texts.clone()), select(texts)),
    )
        .prop_map(|((a, b, c, d), (e, f, g, h, i))| {
            NAMES
                .iter()
                .zip([a, b, c, d, e, f, g, h, i])
                .map(|(name, field)| ((*name).to_owned(), Some(field.to_owned())))
                .collect()
        })
}

/// Rows without line feeds in their fields.
pub fn without_newlines(rows: &[Raw]) -> Vec<Raw> {
    let clean = |field: &Option<String>| field.as_ref().map(|field| field.replace('\n', "/"));
    rows.iter().map(|row| row.iter().map(|(name, field)| (name.clone(), clean(field))).collect()).collect()
}

fn quoted(field: &str, always: bool) -> String {
    if always || field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// Writes a CSV file. Quotes are there where they must, and in every third row everywhere; line ends
/// alternate.
pub fn write_csv(path: &Path, rows: &[Raw]) {
    let mut file = std::fs::File::create(path).unwrap();
    let header: Vec<_> = NAMES.iter().map(|name| quoted(name, false)).collect();
    write!(file, "\u{feff}{}\r\n", header.join(",")).unwrap();
    for (place, row) in rows.iter().enumerate() {
        let fields = NAMES.iter().map(|name| quoted(row[*name].as_deref().unwrap_or_default(), place % 3 == 0));
        let end = if place % 2 == 0 { "\n" } else { "\r\n" };
        write!(file, "{}{end}", fields.collect::<Vec<_>>().join(",")).unwrap();
    }
}
