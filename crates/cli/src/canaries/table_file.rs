//! Files of canaries: CSV with a heading, and every field of it checked.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead, BufReader},
};

use crate::{
    Failure,
    audit::csv_rows::{Row, Rows},
};
use certus::mechanism::Excerpt;
use certus_audit::canaries::{Canary, MOST_CANARIES};

/// The rows of a file of canaries.
#[derive(Debug)]
pub(super) struct TableFile {
    argument: &'static str,
    path: String,
    /// The line of each row.
    lines: Vec<u64>,
    columns: BTreeMap<&'static str, Vec<String>>,
}

/// The columns that are read; others are passed over.
const COLUMNS: [&str; 6] = ["canary", "score", "in", "pair", "run", "salt"];

impl TableFile {
    /// Reads a file.
    pub(super) fn read(argument: &'static str, path: &str) -> Result<Self, Failure> {
        let refused = |what: &dyn std::fmt::Display| Failure::argument(argument, format_args!("{path}: {what}"));
        let file = File::open(path).map_err(|error| refused(&format_args!("must be a CSV file: {error}")))?;
        Self::of(argument, path, BufReader::new(file))
    }

    /// Reads a table that has this name.
    pub(super) fn of(argument: &'static str, path: &str, reader: impl BufRead) -> Result<Self, Failure> {
        let refused = |what: &dyn std::fmt::Display| Failure::argument(argument, format_args!("{path}: {what}"));
        let (mut rows, mut row) = (Rows::new(reader), Row::default());
        let mut next = |row: &mut Row| rows.next(row).map_err(|error| refused(&error));
        if !next(&mut row)? {
            return Err(refused(&"must begin with a heading that names its columns, such as score,in"));
        }
        let width = row.fields();
        let mut places: Vec<(usize, &'static str)> = Vec::new();
        for place in 0..width {
            let bytes = row.field(place);
            // The mark that some programs put before UTF-8.
            let name = if place == 0 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
            let Some(known) = COLUMNS.iter().find(|known| known.as_bytes() == name.trim_ascii()) else { continue };
            if places.iter().any(|(_, other)| other == known) {
                return Err(refused(&format_args!("line 1: the column {known} is there twice")));
            }
            places.push((place, known));
        }
        let mut table = Self { argument, path: path.to_owned(), lines: Vec::new(), columns: BTreeMap::new() };
        for (_, name) in &places {
            table.columns.insert(name, Vec::new());
        }
        while next(&mut row)? {
            if row.fields() != width {
                let (line, fields) = (row.line, row.fields());
                let what = format!("line {line}: must have as many fields as the heading, {width}, not {fields}");
                return Err(refused(&what));
            }
            if table.lines.len() >= MOST_CANARIES {
                return Err(refused(&format_args!("must have at most {MOST_CANARIES} canaries")));
            }
            table.lines.push(row.line);
            for (place, name) in &places {
                let text = String::from_utf8_lossy(row.field(*place).trim_ascii()).into_owned();
                table.columns.entry(name).or_default().push(text);
            }
        }
        if table.lines.is_empty() {
            return Err(table.refused("must have a row for each canary, and has none"));
        }
        Ok(table)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is such a column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// A refusal that names the file.
    pub(super) fn refused(&self, what: impl std::fmt::Display) -> Failure {
        Failure::argument(self.argument, format_args!("{}: {what}", self.path))
    }

    /// A refusal that names a row's line.
    pub(super) fn refused_row(&self, row: usize, what: impl std::fmt::Display) -> Failure {
        let line = self.lines.get(row).copied().unwrap_or(0);
        self.refused(format_args!("line {line}: {what}"))
    }

    /// A column, each field read by `read`; what is wrong is named with its line, and what is accepted.
    pub(super) fn column<T>(
        &self,
        name: &str,
        must: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, Failure> {
        let Some(fields) = self.columns.get(name) else {
            return Err(self.refused(format_args!("line 1: must have a column {name} ({name} {must})")));
        };
        let field = |(row, text): (usize, &String)| {
            let refused = || self.refused_row(row, format_args!("column {name}: {must}, not {}", Excerpt::new(text)));
            read(text).ok_or_else(refused)
        };
        fields.iter().enumerate().map(field).collect()
    }

    /// The scores.
    pub(super) fn scores(&self) -> Result<Vec<f64>, Failure> {
        self.column("score", "must be a number, such as -0.25 or 1e-3", |text| {
            text.parse::<f64>().ok().filter(|score| !score.is_nan())
        })
    }

    /// The coins.
    pub(super) fn coins(&self) -> Result<Vec<bool>, Failure> {
        self.column("in", "must be 1 (trained on) or 0 (not)", |text| match text {
            "1" => Some(true),
            "0" => Some(false),
            _ => None,
        })
    }

    /// Positive integers, none of them twice.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<u64>, Failure> {
        let must = "must be an integer of 1 or more";
        let numbers = self.column(name, must, |text| text.parse().ok().filter(|number| *number > 0))?;
        self.once(name, &numbers)?;
        Ok(numbers)
    }

    /// Names, none of them twice.
    pub(super) fn names(&self, name: &str) -> Result<Vec<String>, Failure> {
        let must = "must be a name or a number";
        let names = self.column(name, must, |text| (!text.is_empty()).then(|| text.to_owned()))?;
        self.once(name, &names)?;
        Ok(names)
    }

    fn once<T: Ord>(&self, name: &str, values: &[T]) -> Result<(), Failure> {
        let mut seen = BTreeMap::new();
        for (row, value) in values.iter().enumerate() {
            if let Some(earlier) = seen.insert(value, row) {
                let line = self.lines.get(earlier).copied().unwrap_or(0);
                let must = format!("column {name}: must differ from row to row, and is that of line {line}");
                return Err(self.refused_row(row, must));
            }
        }
        Ok(())
    }

    /// The two canaries of each pair, in the order of the file.
    pub(super) fn pairs(&self, canaries: &[Canary]) -> Result<Vec<[Canary; 2]>, Failure> {
        let must = "must be a name or a number";
        let names = self.column("pair", must, |text| (!text.is_empty()).then(|| text.to_owned()))?;
        let mut open: BTreeMap<&String, usize> = BTreeMap::new();
        let mut closed: BTreeMap<&String, ()> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (row, (name, canary)) in names.iter().zip(canaries).enumerate() {
            if closed.contains_key(name) {
                return Err(self.refused_row(row, "column pair: must be there twice, and is there a third time"));
            }
            let Some(first) = open.remove(name) else {
                open.insert(name, row);
                continue;
            };
            let Some(one) = canaries.get(first) else { continue };
            if one.is_in == canary.is_in {
                return Err(self.refused_row(row, "column in: of a pair one must be 1 and the other 0"));
            }
            closed.insert(name, ());
            pairs.push([*one, *canary]);
        }
        match open.values().min() {
            Some(row) => Err(self.refused_row(*row, "column pair: must be there twice, and is there once")),
            None => Ok(pairs),
        }
    }
}
