//! The first steps of every aggregation: what the declarations make of the table's columns.
//!
//! | declared | from text | from integers | from floats | from decimals | from booleans |
//! | --- | --- | --- | --- | --- | --- |
//! | integer | ` *[+-]?[0-9]{1,38}(\.0*)? *` | itself | where it has no fraction | its text | 0, 1 |
//! | number | [`NUMBER`], at most 100 characters | the nearest double | itself | its text | 0, 1 |
//! | text, person | itself | its digits | no rule | no rule | true, false |
//!
//! What does not match is missing; so are the empty text, NaN and a text that is not on the column's list.
//! Integers of up to 38 digits and infinite floats are then clamped. The words `inf` and `nan` are no
//! numbers.
//!
//! A number x becomes `s = x·q/p + 1/2` for a grid p/q, in IEEE double arithmetic with a rounding after each
//! operation, and then the integer ⌊s⌋. Every engine does the same, bit for bit.

use std::collections::BTreeMap;

use certus_ledger::plan::Column;

use super::{Dialect, Kinds, SqlError, Writer};

/// An integer: sign, digits, a fraction of zeros. Spaces around it are ignored.
pub(crate) const INTEGER: &str = "^ *[+-]?[0-9]{1,38}([.]0*)? *$";
/// What no integer holds. `$` matches before a last line end in Java: this is what excludes it.
const NOT_INTEGER: &str = "[^-+. 0-9]";
/// A number. With at most 100 characters it is below 10^199: no engine's double overflows.
pub(crate) const NUMBER: &str = "^ *[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?0*[0-9]{1,2})? *$";
/// What no number holds.
const NOT_NUMBER: &str = "[^-+. 0-9eE]";
/// Characters of a number.
pub(crate) const NUMBER_CHARACTERS: usize = 100;
/// The largest double below 2^63.
const LARGEST: u64 = 9_223_372_036_854_774_784;

/// The type of a column of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers within 64 bits, with a sign.
    Integer,
    /// Unsigned integers of 64 bits.
    Unsigned,
    /// Floats of at most 64 bits.
    Float,
    /// Decimals of at most 38 digits.
    Decimal,
    /// Texts.
    Text,
    /// Booleans.
    Boolean,
}

/// How the columns of the table come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// As texts, of a CSV file.
    Text,
    /// In these types, of a Parquet file.
    Typed(Kinds),
    /// Canonical already, and called `p`, `c0`, `c1`, …: as the reader of this crate gives them.
    Canonical,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Unsigned => "unsigned integer",
            Self::Float => "float",
            Self::Decimal => "decimal",
            Self::Text => "text",
            Self::Boolean => "boolean",
        }
    }
}

impl Writer<'_> {
    /// Two tables: `parsed` (doubles, decimals, texts) and `canonical` (integers within bounds and texts).
    pub(crate) fn canonical(&self, table: &str, source: &Source) -> Result<String, SqlError> {
        let parts: Result<Vec<_>, _> = table.split('.').map(|part| self.dialect.name(part)).collect();
        let (mut parsed, mut canonical) = (Vec::new(), Vec::new());
        if let Some(person) = &self.plan.person {
            let text = Column::Text { values: None };
            let first = match self.kind(source, &person.column)? {
                Some(kind) => self.parsed(&person.column, &text, kind)?,
                None => "p".to_owned(),
            };
            parsed.push(format!("{first} AS p"));
            canonical.push("p".to_owned());
        }
        for (place, (name, column)) in self.plan.columns.iter().enumerate() {
            let called = format!("c{place}");
            let (first, second) = match self.kind(source, name)? {
                Some(kind) => (self.parsed(name, column, kind)?, self.clamped(&called, column, kind)),
                None => (called.clone(), called.clone()),
            };
            parsed.push(format!("{first} AS {called}"));
            canonical.push(format!("{second} AS {called}"));
        }
        if parsed.is_empty() {
            // Nothing is declared, as in a count of all rows.
            parsed.push("1 AS nothing".to_owned());
            canonical.push("nothing".to_owned());
        }
        Ok(format!(
            "parsed AS (SELECT {}\nFROM {}),\ncanonical AS (SELECT {}\nFROM parsed)",
            parsed.join(",\n  "),
            parts?.join("."),
            canonical.join(",\n  ")
        ))
    }

    /// The type of a column; nothing where it is canonical already.
    fn kind(&self, source: &Source, name: &str) -> Result<Option<Kind>, SqlError> {
        match source {
            Source::Text => Ok(Some(Kind::Text)),
            Source::Canonical => Ok(None),
            Source::Typed(kinds) => find(kinds, name).map(Some),
        }
    }

    /// A column before it is clamped: a DECIMAL(38,0) or BIGINT, the double s, or a text.
    fn parsed(&self, name: &str, column: &Column, kind: Kind) -> Result<String, SqlError> {
        let quoted = self.dialect.name(name)?;
        let varchar = self.dialect.text_type();
        let text = format!("CAST({quoted} AS {varchar})");
        let truth = format!("CASE WHEN {quoted} THEN 1 WHEN NOT {quoted} THEN 0 END");
        Ok(match (column, kind) {
            (Column::Text { .. }, Kind::Text | Kind::Integer | Kind::Unsigned) => format!("NULLIF({text}, '')"),
            (Column::Text { .. }, Kind::Boolean) => {
                format!("CASE WHEN {quoted} THEN 'true' WHEN NOT {quoted} THEN 'false' END")
            }
            (Column::Text { .. }, Kind::Float | Kind::Decimal) => {
                return Err(SqlError::Source { column: name.to_owned(), found: kind.name() });
            }
            (Column::Integer { .. }, Kind::Text | Kind::Decimal) => self.integer_in_text(&text),
            (Column::Integer { .. }, Kind::Integer) => format!("CAST({quoted} AS BIGINT)"),
            (Column::Integer { .. }, Kind::Unsigned) => format!("CAST({quoted} AS DECIMAL(38,0))"),
            (Column::Integer { .. }, Kind::Boolean) => format!("CAST({truth} AS BIGINT)"),
            (Column::Integer { .. }, Kind::Float) => format!("CAST({quoted} AS DOUBLE)"),
            (Column::Number { grid, .. }, _) => {
                let double = match kind {
                    Kind::Text | Kind::Decimal => self.number_in_text(&text),
                    Kind::Boolean => format!("CAST({truth} AS DOUBLE)"),
                    Kind::Integer | Kind::Unsigned | Kind::Float => format!("CAST({quoted} AS DOUBLE)"),
                };
                let (p, q) = grid_parts(grid).ok_or_else(|| SqlError::Grid(name.to_owned()))?;
                format!("{double} * {} / {} + 5e-1", Dialect::double(q), Dialect::double(p))
            }
        })
    }

    /// The decimal that a text holds, if it is an integer.
    fn integer_in_text(&self, text: &str) -> String {
        let dialect = self.dialect;
        format!(
            "CASE WHEN {} AND NOT {} THEN TRY_CAST(split_part({}, '.', 1) AS DECIMAL(38,0)) END",
            dialect.matches(text, INTEGER),
            dialect.matches(text, NOT_INTEGER),
            dialect.trimmed(text)
        )
    }

    /// The double that a text holds, if it is a number.
    fn number_in_text(&self, text: &str) -> String {
        let dialect = self.dialect;
        format!(
            "CASE WHEN length({text}) <= {NUMBER_CHARACTERS} AND {} AND NOT {} THEN TRY_CAST({} AS DOUBLE) END",
            dialect.matches(text, NUMBER),
            dialect.matches(text, NOT_NUMBER),
            dialect.trimmed(text)
        )
    }

    /// A parsed column, within its bounds or on its list.
    fn clamped(&self, called: &str, column: &Column, kind: Kind) -> String {
        let (low, high) = match column {
            Column::Text { values: None } => return called.to_owned(),
            Column::Text { values: Some(values) } => {
                let values: Vec<_> = values.iter().map(|value| self.dialect.text(value)).collect();
                if values.is_empty() {
                    return format!("CAST(NULL AS {})", self.dialect.text_type());
                }
                return format!("CASE WHEN {called} IN ({}) THEN {called} END", values.join(", "));
            }
            Column::Integer { bounds } => bounds.unwrap_or((i64::MIN, i64::MAX)),
            Column::Number { bounds, .. } => *bounds,
        };
        let (low, high) = (Dialect::integer(low), Dialect::integer(high));
        let within = |value: &str| {
            format!("WHEN {value} < {low} THEN {low} WHEN {value} > {high} THEN {high} ELSE CAST({value} AS BIGINT)")
        };
        // NaN is above every number in all three engines, so that it is looked for first.
        let (inner, steps) = match (column, kind) {
            (Column::Number { .. }, _) => (String::new(), format!("CAST(floor({called}) AS BIGINT)")),
            (_, Kind::Float) => {
                (format!("WHEN {called} <> floor({called}) THEN NULL "), format!("CAST({called} AS BIGINT)"))
            }
            _ => return format!("CAST(CASE WHEN {called} IS NULL THEN NULL {} END AS BIGINT)", within(called)),
        };
        let largest = Dialect::double(LARGEST);
        format!(
            "CAST(CASE WHEN {called} IS NULL OR isnan({called}) THEN NULL WHEN {called} >= {largest} THEN {high} \
             WHEN {called} <= -{largest} THEN {low} {inner}{} END AS BIGINT)",
            within(&steps)
        )
    }
}

/// The numerator and denominator of a grid, as long as both are doubles.
pub(crate) fn grid_parts(grid: &certus::exact::Positive) -> Option<(u64, u64)> {
    let small = |value| u64::try_from(value).ok().filter(|value| *value < 1 << 53);
    Some((small(grid.numerator().clone())?, small(grid.denominator().clone())?))
}

/// The type of a column of the file.
fn find(kinds: &BTreeMap<String, Kind>, name: &str) -> Result<Kind, SqlError> {
    kinds.get(name).copied().ok_or_else(|| SqlError::Absent(name.to_owned()))
}
