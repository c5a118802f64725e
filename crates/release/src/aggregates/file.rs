//! The aggregates as a file: CSV, from this program (with a first line that says what it is) or from an
//! engine.
//!
//! A file of ours ends with a row that counts its groups, so that one that was cut short is refused. The
//! result of an engine has no such row: there every group that is lost reads as a group that nobody is in.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use certus_ledger::{
    Digest,
    plan::{Column, ReleasePlan, Statistic},
};

use super::{Aggregates, Fault, Group, RankKey, Reader, Row};
use crate::sql::{BINDING_PLAN, BINDING_RANK, result_columns};

/// The first line of a file of ours.
pub const CONFIDENTIAL: &str = "# CONFIDENTIAL: exact aggregates of personal data, before noise. certus aggregates 1";
/// The first column of the last row, whose cell is the number of groups.
const END: &str = "end";
/// Octets of a file that is read.
const LARGEST: u64 = 1 << 32;

/// An aggregates file that cannot be written or read. No text quotes the file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system's.
    #[error("the aggregates file: {0}")]
    Io(#[from] io::Error),
    /// A first row that is not the plan's.
    #[error("the aggregates file has not the columns of this plan's result")]
    Header,
    /// Another plan.
    #[error("the aggregates are of a plan with the digest {found}, not {asked}")]
    Plan {
        /// In the file.
        found: Digest,
        /// Of the plan at hand.
        asked: Digest,
    },
    /// No row, or more than one, that names the plan, or the rank key.
    #[error("the aggregates file does not name its plan and its rank key exactly once")]
    Binding,
    /// A row.
    #[error("the aggregates file, row {row}: {fault}")]
    Row {
        /// From 1, the header not counted.
        row: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// CSV that cannot be read.
    #[error("the aggregates file is not CSV in UTF-8")]
    Csv,
    /// A last row that is not there, or counts other groups.
    #[error("the aggregates file was cut short")]
    Short,
    /// More than 2^32 octets.
    #[error("the aggregates file is larger than 4 GiB")]
    Large,
}

/// Writes the groups one by one, into a file that only its owner may read, from its creation on.
pub struct Writer<'a> {
    plan: &'a ReleasePlan,
    out: BufWriter<File>,
    keys: usize,
    groups: u64,
}

impl<'a> Writer<'a> {
    /// A new file; one that exists is not replaced.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn create(path: &Path, plan: &'a ReleasePlan, digest: &Digest, rank: &RankKey) -> Result<Self, FileError> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let keys = plan.queries.iter().map(|query| query.by.len()).max().unwrap_or(0);
        let mut writer = Self { plan, out: BufWriter::new(file), keys, groups: 0 };
        writeln!(writer.out, "{CONFIDENTIAL}")?;
        writeln!(writer.out, "{}", result_columns(plan).join(","))?;
        writer.special(BINDING_PLAN, &digest.to_string())?;
        writer.special(BINDING_RANK, &rank.to_string())?;
        Ok(writer)
    }

    fn special(&mut self, first: &str, cell: &str) -> Result<(), FileError> {
        let commas = ",".repeat(self.keys);
        Ok(writeln!(self.out, "{first},{commas}{cell},0,0,0,0,0")?)
    }

    /// A group of the query of this index.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn group(&mut self, place: usize, group: &Group) -> Result<(), FileError> {
        let Some(query) = self.plan.queries.get(place) else { return Err(FileError::Header) };
        let text = |name: &str| match self.plan.columns.get(name) {
            Some(Column::Text { values }) => Some(values.as_deref().unwrap_or_default()),
            Some(Column::Integer { .. } | Column::Number { .. }) | None => None,
        };
        write!(self.out, "{place}")?;
        for position in 0..self.keys {
            let key = group.key.get(position).map_or("", String::as_str);
            let texts = query.by.get(position).is_some_and(|name| text(name).is_some());
            let key = if texts { hex(key) } else { key.to_owned() };
            write!(self.out, ",{key}")?;
        }
        let listed = match &query.statistic {
            Statistic::Histogram { column, .. } | Statistic::TopK { column, .. } => text(column),
            _ => None,
        };
        let cell = match (group.cell, listed) {
            (None, _) => String::new(),
            (Some(cell), None) => cell.to_string(),
            (Some(cell), Some(list)) => {
                hex(usize::try_from(cell).ok().and_then(|cell| list.get(cell)).map_or("", String::as_str))
            }
        };
        let Group { rows, persons, values, sum, squares, .. } = group;
        writeln!(self.out, ",{cell},{rows},{persons},{values},{sum},{squares}")?;
        self.groups += 1;
        Ok(())
    }

    /// The last row; the file is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn finish(mut self) -> Result<(), FileError> {
        let groups = self.groups.to_string();
        self.special(END, &groups)?;
        self.out.flush()?;
        Ok(self.out.get_ref().sync_all()?)
    }
}

fn hex(text: &str) -> String {
    std::iter::once("x".to_owned()).chain(text.bytes().map(|byte| format!("{byte:02x}"))).collect()
}

/// Writes aggregates into a new file of mode 0600.
///
/// # Errors
///
/// The system's; a file that exists is not replaced.
pub fn write(path: &Path, plan: &ReleasePlan, aggregates: &Aggregates) -> Result<(), FileError> {
    let mut writer = Writer::create(path, plan, &aggregates.plan, &aggregates.rank_key)?;
    for (place, groups) in aggregates.queries.iter().enumerate() {
        groups.iter().try_for_each(|group| writer.group(place, group))?;
    }
    writer.finish()
}

/// Reads aggregates for a plan, from a file of ours or from an engine's CSV of the emitted query.
///
/// # Errors
///
/// A file of another plan, cut short, with a group twice, or with numbers that no rows could have.
pub fn read(path: &Path, plan: &ReleasePlan, asked: &Digest) -> Result<Aggregates, FileError> {
    let file = File::open(path)?;
    if file.metadata()?.len() > LARGEST {
        return Err(FileError::Large);
    }
    let mut input = BufReader::new(file.take(LARGEST));
    let ours = input.fill_buf()?.starts_with(CONFIDENTIAL.as_bytes());
    if ours {
        input.read_until(b'\n', &mut Vec::new())?;
    }
    let mut csv = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input);
    let mut record = csv::StringRecord::new();
    let mut next = |record: &mut csv::StringRecord| match csv.read_record(record) {
        Ok(more) => Ok(more),
        Err(error) => Err(match error.into_kind() {
            csv::ErrorKind::Io(error) if error.kind() != io::ErrorKind::InvalidData => FileError::Io(error),
            _ => FileError::Csv,
        }),
    };
    if !next(&mut record)? || !record.iter().eq(result_columns(plan).iter().map(String::as_str)) {
        return Err(FileError::Header);
    }
    let (mut digest, mut rank, mut end) = (None, None, None);
    let mut queries = vec![Vec::new(); plan.queries.len()];
    let (mut reader, mut row) = (Reader::new(plan), 0);
    let cell = result_columns(plan).len() - 6;
    while next(&mut record)? {
        row += 1;
        if end.is_some() {
            return Err(FileError::Short);
        }
        if ours && record.get(0) == Some(END) {
            end = Some(record.get(cell).unwrap_or_default().to_owned());
            continue;
        }
        let fields: Vec<_> = record.iter().collect();
        match reader.row(&fields).map_err(|fault| FileError::Row { row, fault })? {
            Row::Plan(found) if found != *asked => return Err(FileError::Plan { found, asked: *asked }),
            Row::Plan(found) => {
                if digest.replace(found).is_some() {
                    return Err(FileError::Binding);
                }
            }
            Row::Rank(found) => {
                if rank.replace(found).is_some() {
                    return Err(FileError::Binding);
                }
            }
            Row::Group(place, group) => queries.get_mut(place).ok_or(FileError::Header)?.push(group),
        }
    }
    let groups: usize = queries.iter().map(Vec::len).sum();
    if ours && end != Some(groups.to_string()) {
        return Err(FileError::Short);
    }
    match (digest, rank) {
        (Some(plan), Some(rank_key)) => Ok(Aggregates { plan, rank_key, queries }),
        _ => Err(FileError::Binding),
    }
}
