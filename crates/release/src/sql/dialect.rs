//! What three engines write differently: names, literals, hashes, tests of texts.

use super::SqlError;

/// An engine that runs the aggregation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// DataFusion 55, which is also the engine in this process.
    DataFusion,
    /// Spark 4.
    Spark,
    /// DuckDB 1.4 and later.
    DuckDb,
}

impl Dialect {
    /// The type of a text.
    pub(crate) fn text_type(self) -> &'static str {
        match self {
            Self::Spark => "STRING",
            Self::DataFusion | Self::DuckDb => "VARCHAR",
        }
    }

    /// A quoted name. A quote in it is doubled.
    pub(crate) fn name(self, name: &str) -> Result<String, SqlError> {
        // Spark replaces ${…} in the text of a query, before it is parsed: no quotes help.
        if name.contains('\0') || self == Self::Spark && name.contains("${") {
            return Err(SqlError::Name(name.to_owned()));
        }
        Ok(match self {
            Self::Spark => format!("`{}`", name.replace('`', "``")),
            Self::DataFusion | Self::DuckDb => format!("\"{}\"", name.replace('"', "\"\"")),
        })
    }

    /// A text literal.
    ///
    /// Spark gives a meaning to backslashes and to ${…} within quotes, versions differ in what '' is, and a
    /// NUL ends DuckDB's query: a text with any of these is written in hexadecimal digits.
    pub(crate) fn text(self, text: &str) -> String {
        let quoted = || format!("'{}'", text.replace('\'', "''"));
        let hex = || text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        match self {
            Self::DataFusion => quoted(),
            Self::DuckDb if text.contains('\0') => format!("decode(from_hex('{}'))", hex()),
            Self::DuckDb => quoted(),
            Self::Spark if text.contains(['\'', '\\', '$']) || text.chars().any(char::is_control) => {
                format!("CAST(X'{}' AS STRING)", hex())
            }
            Self::Spark => quoted(),
        }
    }

    /// A 64-bit integer. The least one has no literal of its own: its digits alone are out of range.
    pub(crate) fn integer(value: i64) -> String {
        if value == i64::MIN { format!("({} - 1)", i64::MIN + 1) } else { value.to_string() }
    }

    /// A double that is an integer below 2^53.
    pub(crate) fn double(value: u64) -> String {
        format!("CAST({value} AS DOUBLE)")
    }

    /// SHA-256 of a text, its first 16 hexadecimal digits. Rows whose 64 bits agree are ranked by their
    /// columns.
    pub(crate) fn hash(self, text: &str) -> String {
        match self {
            Self::DataFusion => format!("substr(encode(sha256({text}), 'hex'), 1, 16)"),
            Self::Spark => format!("substr(sha2({text}, 256), 1, 16)"),
            Self::DuckDb => format!("substr(sha256({text}), 1, 16)"),
        }
    }

    /// A text as an item of an injective encoding: 'n;' where it is missing, otherwise its length in octets
    /// and the text itself.
    pub(crate) fn encoded_text(self, column: &str) -> String {
        let octets = if self == Self::DuckDb { format!("encode({column})") } else { column.to_owned() };
        let varchar = self.text_type();
        format!(
            "CASE WHEN {column} IS NULL THEN 'n;' \
             ELSE 'v' || CAST(octet_length({octets}) AS {varchar}) || ':' || {column} || ';' END"
        )
    }

    /// An integer as an item of the same encoding.
    pub(crate) fn encoded_integer(self, column: &str) -> String {
        let varchar = self.text_type();
        format!("CASE WHEN {column} IS NULL THEN 'n;' ELSE 'i' || CAST({column} AS {varchar}) || ';' END")
    }

    /// A text as 'x' and the hexadecimal digits of its octets: no writer of CSV files needs to quote it.
    pub(crate) fn octets(self, column: &str) -> String {
        match self {
            Self::DataFusion => format!("'x' || encode({column}, 'hex')"),
            Self::Spark => format!("'x' || lower(hex({column}))"),
            Self::DuckDb => format!("'x' || lower(hex({column}))"),
        }
    }

    /// Whether a text matches a regular expression without backslashes somewhere.
    pub(crate) fn matches(self, text: &str, expression: &str) -> String {
        match self {
            Self::DataFusion => format!("{text} ~ '{expression}'"),
            Self::Spark => format!("{text} RLIKE '{expression}'"),
            Self::DuckDb => format!("regexp_matches({text}, '{expression}')"),
        }
    }

    /// A text without the spaces (U+0020 alone) around it.
    pub(crate) fn trimmed(self, text: &str) -> String {
        match self {
            Self::DataFusion => format!("btrim({text}, ' ')"),
            Self::Spark => format!("trim({text})"),
            Self::DuckDb => format!("trim({text}, ' ')"),
        }
    }

    /// The quotient of two integers, of which neither is negative, without its fraction.
    pub(crate) fn quotient(self, dividend: &str, divisor: i64) -> String {
        match self {
            Self::DataFusion => format!("({dividend}) / {divisor}"),
            Self::Spark => format!("({dividend}) div {divisor}"),
            Self::DuckDb => format!("({dividend}) // {divisor}"),
        }
    }
}
