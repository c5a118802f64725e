//! One output of a mechanism, as it was printed.

use core::fmt::{self, Write as _};
use std::borrow::Cow;
use std::sync::Arc;

use super::Text;

/// One line that a mechanism printed: an integer, a float, a fraction, a word, a comma-separated vector, or
/// nothing.
///
/// An output *is* its text: `1`, `01` and `1.0` are three outputs, since whoever reads the release can tell
/// them apart. What the text means (a number, a vector) is read from it when an event asks. An integer in its
/// shortest form is kept as a machine word: same text, less room.
///
/// A text in quotes or brackets is another output than the text inside, and reads as the same number or
/// vector: `"1"`, as NDJSON writes a string, is not `1`, and both are 1.
///
/// ```
/// use certus_audit::outputs::{Output, Shape};
///
/// assert_eq!(Output::parse("-12"), Output::from(-12));
/// assert_ne!(Output::parse("012"), Output::from(12));
/// assert_eq!(Output::parse("012").number(), Some(12.0));
/// assert_eq!(Output::parse("0.1, -2").shape(), Shape::Vector);
/// assert_eq!(Output::parse("-7/4").number(), Some(-1.75));
/// assert_eq!(Output::parse("").shape(), Shape::Empty);
/// assert_ne!(Output::parse("\"12\""), Output::from(12));
/// assert_eq!((Output::parse("\"12\"").shape(), Output::parse("\"12\"").number()), (Shape::Word, Some(12.0)));
/// assert_eq!(Output::parse("0.10").to_string(), "0.10");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Output(Repr);

/// Invariant: an integer's shortest decimal form is never `Text`, so that equal texts are equal outputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Integer(i64),
    Text(Text),
}

/// What an output's text reads as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Nothing was printed.
    Empty,
    /// Decimal digits, with a sign or not.
    Integer,
    /// Any other number that Rust's `f64` reads, infinities and NaN among them.
    Float,
    /// A fraction of integers, such as `7/100`.
    Fraction,
    /// Parts with commas between them.
    Vector,
    /// Any other text, and all that is in quotes.
    Word,
}

impl Output {
    /// The output whose line reads `text`, without its newline.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match canonical_integer(text.as_bytes()) {
            Some(integer) => Self(Repr::Integer(integer)),
            None => Self(Repr::Text(Text::new(text))),
        }
    }

    /// The text of a chunk that is there, which is no integer in its shortest form; a long one is not copied.
    pub(super) fn in_chunk(chunk: &Arc<String>, start: u32, length: u32) -> Self {
        Self(Repr::Text(Text::in_chunk(chunk, start, length)))
    }

    /// What the text reads as.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match &self.0 {
            Repr::Integer(_) => Shape::Integer,
            Repr::Text(text) => shape(text),
        }
    }

    /// The nearest `f64` of a number, or NaN where the text says so; nothing for other text.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match &self.0 {
            #[expect(
                clippy::cast_precision_loss,
                reason = "the nearest float: an event stays a predicate, whatever the rounding"
            )]
            Repr::Integer(integer) => Some(*integer as f64),
            Repr::Text(text) => number(text),
        }
    }

    /// The parts of a vector, trimmed, without brackets or quotes around the whole; the text itself if it is
    /// no vector.
    #[must_use]
    pub fn parts(&self) -> Vec<Self> {
        match &self.0 {
            Repr::Integer(_) => vec![self.clone()],
            Repr::Text(text) if text.contains(',') => {
                unbracketed(text).split(',').map(|part| Self::parse(part.trim())).collect()
            }
            Repr::Text(_) => vec![self.clone()],
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Integer(integer) => Cow::Owned(integer.to_string()),
            Repr::Text(text) => Cow::Borrowed(text),
        }
    }

    /// The texts of the parts of a vector; nothing for what is no vector.
    pub(crate) fn part_texts(&self) -> Option<impl Iterator<Item = &str>> {
        match &self.0 {
            Repr::Text(text) if text.contains(',') => Some(unbracketed(text).split(',').map(str::trim)),
            _ => None,
        }
    }

    /// The number of bytes of the text.
    #[must_use]
    pub fn length(&self) -> usize {
        match &self.0 {
            Repr::Integer(integer) => {
                let digits = integer.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
                digits + usize::from(*integer < 0)
            }
            Repr::Text(text) => text.len(),
        }
    }

    /// Whether anything was printed.
    #[must_use]
    pub fn is_present(&self) -> bool {
        self.length() > 0
    }

    /// The machine word behind an integer in shortest form.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        match &self.0 {
            Repr::Integer(integer) => Some(*integer),
            Repr::Text(_) => None,
        }
    }
}

impl From<i64> for Output {
    fn from(value: i64) -> Self {
        Self(Repr::Integer(value))
    }
}

impl From<f64> for Output {
    /// The shortest text that reads back as the same float; a NaN shows its sign and payload, which are part
    /// of the output.
    fn from(value: f64) -> Self {
        let mut text = String::new();
        write_float(value, &mut text);
        Self(Repr::Text(Text::new(&text)))
    }
}

/// Appends the text of a float: different bits are different texts, and none is an integer's.
pub(super) fn write_float(value: f64, to: &mut String) {
    // A string takes all that is written.
    let _ = if value.is_nan() && value.to_bits() != f64::NAN.to_bits() {
        write!(to, "nan:{:016x}", value.to_bits())
    } else {
        write!(to, "{value:?}")
    };
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Integer(integer) => integer.fmt(f),
            Repr::Text(text) => text.fmt(f),
        }
    }
}

impl serde::Serialize for Output {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Output {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        if text.contains('\n') {
            return Err(serde::de::Error::custom("an output is one line"));
        }
        Ok(Self::parse(&text))
    }
}

/// The integer that the bytes write in its shortest decimal form (no plus, no leading zero, no `-0`), if it
/// fits a word.
#[inline]
pub(super) fn canonical_integer(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    // 18 digits are below 10^18 < 2^63, and need no check for overflow.
    match digits {
        [] => return None,
        [b'0'] if !negative => return Some(0),
        [b'0', ..] => return None,
        _ if digits.len() > 18 => return core::str::from_utf8(bytes).ok()?.parse().ok().filter(|_| !has_plus(bytes)),
        _ => {}
    }
    let mut value = 0_i64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// `str::parse` takes a plus sign, which is another text.
fn has_plus(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'+')
}

/// As `Output::number` of the part would be.
#[inline]
pub(crate) fn part_number(part: &str) -> Option<f64> {
    match canonical_integer(part.as_bytes()) {
        #[expect(clippy::cast_precision_loss, reason = "the nearest float, as of any integer")]
        Some(integer) => Some(integer as f64),
        // Most words begin with a letter that no number begins with.
        None if part.starts_with(|c: char| c.is_ascii_lowercase() && c != 'i' && c != 'n') => None,
        None => number(part),
    }
}

/// A number, or one in quotes or brackets: a string or a list of one, as NDJSON has them, or an entry of a
/// list in a list.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    plain_number(text).or_else(|| {
        let inside = text.trim_matches(['[', ']', '(', ')', '"', ' ']);
        if inside.len() < text.len() { plain_number(inside) } else { None }
    })
}

fn plain_number(text: &str) -> Option<f64> {
    if text.starts_with("nan:") {
        return Some(f64::NAN);
    }
    text.parse().ok().or_else(|| fraction(text))
}

/// n/d for integers n and d > 0, as exact mechanisms print rationals.
#[expect(
    clippy::cast_precision_loss,
    clippy::float_arithmetic,
    reason = "about the number: an event stays a predicate, whatever the rounding"
)]
fn fraction(text: &str) -> Option<f64> {
    let (n, d) = text.split_once('/')?;
    let (n, d): (i64, i64) = (n.parse().ok()?, d.parse().ok().filter(|d| *d > 0)?);
    Some(n as f64 / d as f64)
}

fn shape(text: &str) -> Shape {
    let trimmed = text.trim();
    if text.is_empty() {
        return Shape::Empty;
    }
    if quoted(trimmed).is_some() {
        return Shape::Word;
    }
    if trimmed.contains(',') {
        return Shape::Vector;
    }
    let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Shape::Integer;
    }
    if fraction(trimmed).is_some() {
        return Shape::Fraction;
    }
    if plain_number(trimmed).is_some() { Shape::Float } else { Shape::Word }
}

/// The text between one pair of quotes; nothing of two strings beside each other.
fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|inside| !inside.contains('"'))
}

/// A list as many languages print it, `[1, 2]` or `(1, 2)`, and in quotes.
fn unbracketed(text: &str) -> &str {
    let text = text.trim();
    let text = quoted(text).map_or(text, str::trim);
    let inside = |open, close| text.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    inside('[', ']').or_else(|| inside('(', ')')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_equal_outputs_and_others_differ() {
        let texts = [
            "0",
            "-0",
            "+0",
            "00",
            "1",
            "+1",
            "01",
            "1.0",
            "-1",
            "",
            " ",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "+223372036854775808",
            "1e3",
            "nan",
            "NaN",
            "inf",
            "-inf",
            "yes",
            "1,2",
            "1, 2",
            "[1, 2]",
            "é",
        ];
        for left in texts {
            assert_eq!(Output::parse(left).to_string(), left);
            assert_eq!(Output::parse(left).length(), left.len(), "{left:?}");
            for right in texts {
                assert_eq!(Output::parse(left) == Output::parse(right), left == right, "{left:?} {right:?}");
            }
        }
        for integer in
            [0, 1, -1, 9, 10, -10, 99, i64::MAX, i64::MIN, 999_999_999_999_999_999, 1_000_000_000_000_000_000]
        {
            assert_eq!(Output::parse(&integer.to_string()), Output::from(integer));
            assert_eq!(Output::from(integer).length(), integer.to_string().len());
        }
    }

    #[test]
    fn shapes() {
        for (text, shape) in [
            ("", Shape::Empty),
            ("007", Shape::Integer),
            ("+5", Shape::Integer),
            ("123456789012345678901234567890", Shape::Integer),
            ("1e-3", Shape::Float),
            ("-inf", Shape::Float),
            ("nan", Shape::Float),
            ("1,", Shape::Vector),
            ("true", Shape::Word),
            ("-", Shape::Word),
            (" ", Shape::Word),
            ("\"1\"", Shape::Word),
            ("\"1,2\"", Shape::Word),
            ("\"1\",\"2\"", Shape::Vector),
            ("[1]", Shape::Word),
        ] {
            assert_eq!(Output::parse(text).shape(), shape, "{text:?}");
        }
        assert_eq!(Output::parse("[1, x,2.5]").parts(), ["1", "x", "2.5"].map(Output::parse));
        assert_eq!(Output::parse("7").parts(), [Output::from(7)]);
        // Read in place, the parts are what they are one by one.
        let mixed = Output::parse("[1, x,2.5,-0,nan,inf,below,1e3, +7,,007,nan:1]");
        let read: Vec<(String, Option<u64>)> =
            mixed.part_texts().unwrap().map(|text| (text.to_owned(), part_number(text).map(f64::to_bits))).collect();
        let one_by_one: Vec<(String, Option<u64>)> =
            mixed.parts().iter().map(|part| (part.to_string(), part.number().map(f64::to_bits))).collect();
        assert_eq!(read, one_by_one);
        assert!(["7", "word"].iter().all(|text| Output::parse(text).part_texts().is_none()));
    }

    /// Quotes and brackets make another output, and the same numbers.
    #[test]
    fn numbers_in_quotes_and_lists_are_read() {
        for text in ["0.5", "\"0.5\"", "[0.5]", "(0.5)", "[\"0.5\"]", "\" 0.5\"", "\"1/2\"", "[[0.5]]"] {
            assert_eq!(Output::parse(text).number(), Some(0.5), "{text}");
            assert_eq!(Output::parse(text).to_string(), text);
        }
        for text in ["\"1,-2\"", "\"[1, -2]\"", "[1],[-2]", "\"1\",\"-2\"", "[\"1\",-2]", "[[1],[-2]]", "1,-2"] {
            let numbers: Vec<f64> = Output::parse(text).part_texts().unwrap().filter_map(part_number).collect();
            assert_eq!(numbers, [1.0, -2.0], "{text}");
            assert_eq!(Output::parse(text).parts().iter().filter_map(Output::number).collect::<Vec<_>>(), numbers);
        }
        assert_eq!(Output::parse("\"a, 1\"").parts(), ["a", "1"].map(Output::parse));
        for text in ["\"", "\"\"", "[]", "[", "()", "\"x\"", "[x]", "\"1\"2", "{1}"] {
            assert_eq!(Output::parse(text).number(), None, "{text}");
        }
    }

    #[test]
    fn a_float_keeps_its_bits() {
        for bits in [0, 1, 1 << 63, 0x3FB9_9999_9999_999A, 0x7FF0_0000_0000_0000, 0x0010_0000_0000_0000] {
            let value = f64::from_bits(bits);
            assert_eq!(Output::from(value).number().map(f64::to_bits), Some(bits));
        }
        let odd = f64::from_bits(0x7FF8_0000_0000_0001);
        assert_ne!(Output::from(odd), Output::from(f64::NAN));
        assert!(Output::from(odd).number().unwrap().is_nan());
    }
}
