//! What any mechanism runs on, read from text. A refusal never repeats the text: it may be private.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::borrow::Borrow;

use num_traits::{Signed, ToPrimitive};

use crate::exact::{Integer, Rational, parse};

/// An input is refused: what it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{must}")]
pub struct InputError {
    must: String,
}

impl InputError {
    pub(super) fn new(must: impl Into<String>) -> Self {
        Self { must: must.into() }
    }
}

/// An input as text: a number, or numbers with commas between them (none at all is the empty text).
pub trait ReadInput {
    /// The input, owned.
    type Owned: Borrow<Self>;

    /// What is accepted.
    const MUST: &'static str;

    /// Reads the text; nothing if it is malformed.
    fn read(text: &str) -> Option<Self::Owned>;
}

/// One entry of a list.
trait ReadEntry: Sized {
    fn read_entry(text: &str) -> Option<Self>;
}

fn integer(text: &str) -> Option<num_bigint::BigInt> {
    parse(text).ok().filter(Rational::is_integer).map(|value| value.to_integer())
}

impl ReadEntry for Rational {
    fn read_entry(text: &str) -> Option<Self> {
        parse(text).ok()
    }
}

impl ReadEntry for Integer {
    fn read_entry(text: &str) -> Option<Self> {
        integer(text).map(Self::from)
    }
}

// An integer that is out of a type's range is not refused, which would tell about a record: it is taken for
// one that is in range. Each record is by itself, so that records of neighbours are still those of
// neighbours, and the guarantee holds.

/// 0 or 1: the nearer of them.
impl ReadEntry for bool {
    fn read_entry(text: &str) -> Option<Self> {
        integer(text).map(|value| value.is_positive())
    }
}

/// The nearest that there is: records are clamped to bounds in this range anyway.
impl ReadEntry for i64 {
    fn read_entry(text: &str) -> Option<Self> {
        let value = integer(text)?;
        Some(value.to_i64().unwrap_or(if value.is_negative() { Self::MIN } else { Self::MAX }))
    }
}

/// A key, slot or position; those out of range are none of them, like the largest, which no mechanism has as
/// a key.
impl ReadEntry for usize {
    fn read_entry(text: &str) -> Option<Self> {
        Some(integer(text)?.to_usize().unwrap_or(Self::MAX))
    }
}

/// A key: 1 to 100 printable ASCII characters, none of them a space, a quote, a backslash, `,`, `;` or `:`.
impl ReadEntry for String {
    fn read_entry(text: &str) -> Option<Self> {
        let fits = (1..=100).contains(&text.len());
        let plain = text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, ',' | ';' | ':' | '"' | '\\'));
        (fits && plain).then(|| text.to_owned())
    }
}

fn list<T: ReadEntry>(text: &str, separator: char) -> Option<Vec<T>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    text.split(separator).map(|entry| T::read_entry(entry.trim_matches([' ', '\t']))).collect()
}

impl ReadInput for Integer {
    type Owned = Self;
    const MUST: &'static str = "must be an integer of at most 1000 digits, such as 1234, -5 or 1e6";
    fn read(text: &str) -> Option<Self> {
        Self::read_entry(text)
    }
}

impl ReadInput for Rational {
    type Owned = Self;
    const MUST: &'static str = "must be a number, such as 1234, -0.5 or 355/113";
    fn read(text: &str) -> Option<Self> {
        Self::read_entry(text)
    }
}

/// Lists with commas, and what is accepted.
macro_rules! lists {
    ($($entry:ty: $must:literal;)*) => {
        $(impl ReadInput for [$entry] {
            type Owned = Vec<$entry>;
            const MUST: &'static str = $must;
            fn read(text: &str) -> Option<Vec<$entry>> {
                list(text, ',')
            }
        })*
    };
}

lists! {
    Integer: "must be integers with commas between them, such as 12,0,-7";
    Rational: "must be numbers with commas between them, such as 1,-0.5,355/113";
    bool: "must be records with commas between them, each an integer of at most 1000 digits (1 counts, 0 does not), such as 1,0,1";
    i64: "must be records with commas between them, each an integer of at most 1000 digits, such as 5,17,-3";
    usize: "must be records with commas between them, each an integer of at most 1000 digits, such as 0,2,2";
}

/// People with semicolons between them, and each one's keys with commas.
impl ReadInput for [Vec<String>] {
    type Owned = Vec<Vec<String>>;
    const MUST: &'static str = "must be people with ; between them, and each one's keys with , between them, such as a,b;a;c (a key has no space, colon, quote or backslash)";
    fn read(text: &str) -> Option<Self::Owned> {
        if text.trim().is_empty() {
            return Some(Vec::new());
        }
        text.split(';').map(|person| list(person, ',')).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn lists_of_each_kind() {
        assert_eq!(<[i64]>::read("5, -17,1e3"), Some(vec![5, -17, 1000]));
        assert_eq!(<[i64]>::read(""), Some(vec![]));
        assert_eq!(<[bool]>::read("1,0"), Some(vec![true, false]));
        assert_eq!(<[Rational]>::read("1/2,-0.25").map(|list| list.len()), Some(2));
        let people = <[Vec<String>]>::read("a,b;;c").unwrap();
        assert_eq!(people.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 1]);
        for bad in [",", "1,", "1,,2", "1;2", "x", "1/2", "0x1"] {
            assert_eq!(<[i64]>::read(bad), None, "{bad}");
            assert_eq!(<[usize]>::read(bad), None, "{bad}");
            assert_eq!(<[bool]>::read(bad), None, "{bad}");
        }
        // No integer is refused for its value.
        let beyond = "9223372036854775808,-9223372036854775809,1e999,-1e999";
        assert_eq!(<[i64]>::read(beyond), Some(vec![i64::MAX, i64::MIN, i64::MAX, i64::MIN]));
        assert_eq!(<[usize]>::read("-1,18446744073709551616,7"), Some(vec![usize::MAX, usize::MAX, 7]));
        assert_eq!(<[bool]>::read("2,-1,1e999,01"), Some(vec![true, false, true, true]));
        for bad in ["a b", "a:1", "a,,b", "é", "a\u{1b}"] {
            assert_eq!(<[Vec<String>]>::read(bad), None, "{bad}");
        }
    }
}
