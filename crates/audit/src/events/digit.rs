//! Digits: what an integer leaves when it is divided, and what stands at one place of a text.
//!
//! A leak in a digit is in no threshold and in no single output. There are many such features, each with few
//! readings: they are counted in one walk over the outputs, and no column of readings is kept.

use core::fmt;
use core::num::NonZeroU16;
use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Parsed;
use super::column::{Group, Key};
use crate::outputs::{Counts, Output};

/// A part of an integer or of a text that has few values.
///
/// An integer is an output of decimal digits, with a sign or not, of at most 128 bits. A text of hexadecimal
/// digits has an even number of them, and nothing else.
///
/// ```
/// use certus_audit::{events::{Digit, Event, Feature, Place, Within}, outputs::Output};
///
/// let last = Event { feature: Feature::Digit(Digit::Character(Place::Last(0))), within: Within::Words(vec!["x".into()]) };
/// assert_eq!(last.to_string(), "character[-1] in {\"x\"}");
/// assert!(last.contains(&Output::parse("0x")) && !last.contains(&Output::parse("x0")));
/// let odd = Event { feature: Feature::Digit(Digit::Parity), within: Within::Words(vec!["odd".into()]) };
/// assert!(odd.contains(&Output::from(7)) && !odd.contains(&Output::from(5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Digit {
    /// The least non-negative number that an integer is congruent to by this modulus.
    Residue(NonZeroU16),
    /// Whether the number of ones among the lowest so many bits of an integer is odd; at most 64, in two's
    /// complement.
    LowParity(u8),
    /// Whether the number of all its ones is odd, in two's complement of any even number of bits.
    Parity,
    /// A character of a text.
    Character(Place),
    /// A byte of a text of hexadecimal digits, two of which are one.
    HexByte(Place),
    /// Whether the number of ones among all bits of a text of hexadecimal digits is odd.
    HexParity,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// From the start, which is 0.
    First(usize),
    /// From the end, which is 0.
    Last(usize),
}

/// An output, as digits are read from it.
#[derive(Clone, Debug)]
struct Digits<'a> {
    text: Cow<'a, str>,
    is_ascii: bool,
    is_hex: bool,
    integer: Option<i128>,
    /// The integer modulo [`MULTIPLE`], which knows the residues by all of its divisors.
    small: u32,
}

/// The least common multiple of 1, 2, …, 16.
const MULTIPLE: u32 = 720_720;

impl<'a> Digits<'a> {
    /// Reads an output; not the text of an integer in shortest form, if nobody asks for it.
    fn new(output: &'a Output, is_text_read: bool) -> Self {
        let (text, integer): (_, Option<i128>) = match output.integer() {
            Some(integer) if !is_text_read => (Cow::Borrowed(""), Some(integer.into())),
            Some(integer) => (output.text(), Some(integer.into())),
            None => (output.text(), output.text().parse().ok()),
        };
        let is_hex = is_text_read
            && !text.is_empty()
            && text.len() % 2 == 0
            && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let small = match output.integer() {
            Some(integer) => u32::try_from(integer.rem_euclid(MULTIPLE.into())),
            None => u32::try_from(integer.unwrap_or(0).rem_euclid(MULTIPLE.into())),
        };
        Self { is_ascii: text.is_ascii(), is_hex, integer, small: small.unwrap_or(0), text }
    }
}

impl Place {
    /// From the start, among so many.
    fn of(self, length: usize) -> Option<usize> {
        match self {
            Self::First(place) => Some(place),
            Self::Last(place) => length.checked_sub(place)?.checked_sub(1),
        }
    }
}

impl Digit {
    /// The reading as a number, of which there are few.
    fn code(self, digits: &Digits<'_>) -> Option<u32> {
        let bytes = digits.text.as_bytes();
        match self {
            Self::Residue(modulus) => {
                let modulus = u32::from(modulus.get());
                let integer = digits.integer?;
                if MULTIPLE.is_multiple_of(modulus) {
                    Some(digits.small % modulus)
                } else {
                    u32::try_from(integer.rem_euclid(modulus.into())).ok()
                }
            }
            Self::LowParity(bits) => {
                let low = u32::from(bits.min(64));
                let mask = 1_i128.checked_shl(low).unwrap_or(0).wrapping_sub(1);
                Some((digits.integer? & mask).count_ones() % 2)
            }
            Self::Parity => Some(digits.integer?.count_ones() % 2),
            Self::Character(place) if digits.is_ascii => bytes.get(place.of(bytes.len())?).copied().map(u32::from),
            Self::Character(Place::First(place)) => digits.text.chars().nth(place).map(u32::from),
            Self::Character(Place::Last(place)) => digits.text.chars().nth_back(place).map(u32::from),
            Self::HexByte(place) if digits.is_hex => {
                let from = place.of(bytes.len() / 2)?.checked_mul(2)?;
                let (high, low) = (nibble(*bytes.get(from)?), nibble(*bytes.get(from + 1)?));
                Some(high << 4 | low)
            }
            Self::HexParity if digits.is_hex => {
                Some(bytes.iter().map(|byte| nibble(*byte).count_ones()).sum::<u32>() % 2)
            }
            Self::HexByte(_) | Self::HexParity => None,
        }
    }

    /// The reading of a code.
    fn word(self, code: u32) -> String {
        match self {
            Self::Residue(_) => code.to_string(),
            Self::LowParity(_) | Self::Parity | Self::HexParity => if code == 0 { "even" } else { "odd" }.to_owned(),
            Self::Character(_) => char::from_u32(code).map_or_else(String::new, String::from),
            Self::HexByte(_) => format!("{code:02x}"),
        }
    }

    /// Whether it reads the text rather than the integer.
    fn is_of_text(self) -> bool {
        matches!(self, Self::Character(_) | Self::HexByte(_) | Self::HexParity)
    }

    /// Reads an output; nothing where there is no such digit.
    pub(super) fn read(self, output: &Output) -> Option<String> {
        self.code(&Digits::new(output, self.is_of_text())).map(|code| self.word(code))
    }
}

/// The value of a hexadecimal digit.
fn nibble(byte: u8) -> u32 {
    char::from(byte).to_digit(16).unwrap_or(0)
}

/// Integers are divided by 2 … 16, and by this: their lowest eight bits.
const LOW_BITS: u16 = 256;

/// The numbers of low bits whose parity is looked at.
const LOW_PARITIES: [u8; 3] = [8, 16, 32];

/// So many places from either end of a text are looked at, of characters and of bytes.
const PLACES: usize = 8;

/// The digits worth a look, by what the training part holds.
fn searched<'a, 'p: 'a>(seen: impl Iterator<Item = &'a Parsed<'p>>) -> Vec<Digit> {
    let (mut has_integers, mut has_texts, mut has_hex) = (false, false, false);
    // The least and the greatest length of a text, in bytes.
    let mut lengths: Option<(usize, usize)> = None;
    for parsed in seen.filter(|parsed| parsed.dimension() == 0) {
        let output = parsed.output();
        let length = output.length();
        lengths = lengths.map_or(Some((length, length)), |(least, most)| Some((least.min(length), most.max(length))));
        if output.integer().is_some() {
            has_integers = true;
        } else if length > 0 {
            let digits = Digits::new(output, true);
            has_texts = true;
            has_integers |= digits.integer.is_some();
            has_hex |= digits.is_hex;
        }
    }
    let mut digits = Vec::new();
    if has_integers {
        digits.extend((2..=16).chain([LOW_BITS]).filter_map(NonZeroU16::new).map(Digit::Residue));
        digits.extend(LOW_PARITIES.map(Digit::LowParity));
        digits.push(Digit::Parity);
    }
    if has_texts {
        let length = lengths.filter(|(least, most)| least == most).map(|(length, _)| length);
        digits.extend(places(length).into_iter().map(Digit::Character));
        if has_hex {
            digits.extend(places(length.map(|length| length / 2)).into_iter().map(Digit::HexByte));
            digits.push(Digit::HexParity);
        }
    }
    digits
}

/// The first and the last places; of texts that all have one length, also the two in the middle, and none
/// twice.
fn places(length: Option<usize>) -> Vec<Place> {
    let Some(length) = length else {
        return (0..PLACES).map(Place::First).chain((0..PLACES).map(Place::Last)).collect();
    };
    let mut places: Vec<usize> = (0..length.min(PLACES)).collect();
    places.extend([length.saturating_sub(1) / 2, length / 2].into_iter().filter(|place| *place < length));
    places.extend(length.saturating_sub(PLACES)..length);
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(Place::First).collect()
}

/// The counts of a reading: both sides in the part to fit on, and in the part to check on.
type Cell = [u64; 4];

/// The counts of every reading of a digit.
#[derive(Clone, Debug, Default)]
struct Cells {
    /// By code, for codes below 256.
    few: Vec<Cell>,
    /// For all others: characters beyond Latin.
    rest: BTreeMap<u32, Cell>,
}

impl Cells {
    fn add(&mut self, code: u32, counts: Cell) {
        let cell = match usize::try_from(code) {
            Ok(place) if place < 256 => {
                if place >= self.few.len() {
                    self.few.resize(256.min((place + 1).next_power_of_two()), [0; 4]);
                }
                self.few.get_mut(place)
            }
            _ => Some(self.rest.entry(code).or_insert([0; 4])),
        };
        if let Some(cell) = cell {
            cell.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The readings with their groups. As of words, one that was fitted on a single sample says nothing of
    /// the next.
    fn groups(&self, digit: Digit) -> (Vec<String>, Vec<Group>) {
        let cells = (0..).zip(&self.few).chain(self.rest.iter().map(|(code, cell)| (*code, cell)));
        let held = cells.filter(|(_, [a, b, ..])| a + b > 1);
        let group = |(place, (code, [a, b, c, d])): (usize, (u32, &Cell))| {
            (digit.word(code), Group { key: Key::Word(place), fit: (*a, *b), check: (*c, *d) })
        };
        held.enumerate().map(group).unzip()
    }
}

/// Every digit that tells outputs of the training part apart, with its readings and their groups.
pub(super) fn count_digits(
    parsed: &[Parsed<'_>],
    train: &Counts,
    validate: &Counts,
) -> Vec<(Digit, Vec<String>, Vec<Group>)> {
    let fit = train.a.iter().zip(&train.b);
    let rows = || parsed.iter().zip(fit.clone().zip(validate.a.iter().zip(&validate.b)));
    let digits = searched(rows().filter(|(_, ((a, b), _))| **a + **b > 0).map(|(parsed, _)| parsed));
    let is_text_read = digits.iter().any(|digit| digit.is_of_text());
    let mut cells = vec![Cells::default(); digits.len()];
    for (parsed, ((a, b), (c, d))) in rows().filter(|(parsed, _)| !digits.is_empty() && parsed.dimension() == 0) {
        let read = Digits::new(parsed.output(), is_text_read);
        for (digit, cells) in digits.iter().zip(&mut cells) {
            if let Some(code) = digit.code(&read) {
                cells.add(code, [*a, *b, *c, *d]);
            }
        }
    }
    let groups = digits.iter().zip(&cells).map(|(digit, cells)| (*digit, cells.groups(*digit)));
    groups.filter(|(_, (words, _))| words.len() > 1).map(|(digit, (words, groups))| (digit, words, groups)).collect()
}

impl fmt::Display for Place {
    /// As Python counts: from 0 on, and from −1 backward.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First(place) => write!(f, "[{place}]"),
            Self::Last(place) => write!(f, "[-{}]", place.saturating_add(1)),
        }
    }
}

impl fmt::Display for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Residue(modulus) => write!(f, "value mod {modulus}"),
            Self::LowParity(bits) => write!(f, "parity of the lowest {bits} bits"),
            Self::Parity => f.write_str("parity of all bits"),
            Self::Character(place) => write!(f, "character{place}"),
            Self::HexByte(place) => write!(f, "byte{place}"),
            Self::HexParity => f.write_str("parity of all hexadecimal bits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residue(modulus: u16) -> Digit {
        Digit::Residue(NonZeroU16::new(modulus).unwrap())
    }

    #[test]
    fn readings() {
        let (first, last) =
            (|place| Digit::Character(Place::First(place)), |place| Digit::Character(Place::Last(place)));
        for (digit, text, reading) in [
            (residue(7), "-1", Some("6")),
            (residue(7), "0012", Some("5")),
            (residue(7), "170141183460469231731687303715884105727", Some("1")),
            (residue(7), "170141183460469231731687303715884105728", None),
            (residue(256), "-1", Some("255")),
            (residue(256), "511", Some("255")),
            (residue(17), "-1", Some("16")),
            (residue(16), "9223372036854775807", Some("15")),
            (residue(3), "1.0", None),
            (residue(3), "x", None),
            (Digit::LowParity(8), "256", Some("even")),
            (Digit::LowParity(8), "-1", Some("even")),
            (Digit::LowParity(1), "-1", Some("odd")),
            (Digit::LowParity(16), "256", Some("odd")),
            (Digit::LowParity(255), "-1", Some("even")),
            (Digit::LowParity(0), "5", Some("even")),
            (Digit::Parity, "7", Some("odd")),
            (Digit::Parity, "-2", Some("odd")),
            (Digit::Parity, "+5", Some("even")),
            (Digit::Parity, "0.5", None),
            (first(0), "-12", Some("-")),
            (last(0), "-12", Some("2")),
            (last(3), "-12", None),
            (first(3), "-12", None),
            (first(1), "äöü", Some("ö")),
            (last(0), "äöü", Some("ü")),
            (last(usize::MAX), "abc", None),
            (Digit::HexByte(Place::First(1)), "0aFf", Some("ff")),
            (Digit::HexByte(Place::Last(1)), "0aFf", Some("0a")),
            (Digit::HexByte(Place::Last(2)), "0aFf", None),
            (Digit::HexByte(Place::First(usize::MAX)), "0aFf", None),
            (Digit::HexByte(Place::First(0)), "1234", Some("12")),
            (Digit::HexByte(Place::First(0)), "123", None),
            (Digit::HexByte(Place::First(0)), "0xff", None),
            (Digit::HexParity, "0f10", Some("odd")),
            (Digit::HexParity, "ff", Some("even")),
            (Digit::HexParity, "", None),
        ] {
            assert_eq!(digit.read(&Output::parse(text)).as_deref(), reading, "{digit} of {text:?}");
        }
        // A modulus of zero is none.
        assert!(serde_json::from_str::<Digit>("{\"residue\":0}").is_err());
    }

    /// What is counted in one walk is what is read one by one, of integers and texts together, and no vector
    /// is a text.
    #[test]
    fn counts_are_those_of_the_readings() {
        let texts = (0..400_i64).flat_map(|i| {
            [(i * 7919 - 500).to_string(), format!("{:08x}", i * 65_537), format!("ü{i}"), format!("{i},1")]
        });
        let outputs: Vec<Output> = texts.map(|text| Output::parse(&text)).collect();
        let parsed: Vec<Parsed<'_>> = outputs.iter().map(Parsed::new).collect();
        let side = |step: u64| -> Vec<u64> { (0..outputs.len() as u64).map(|i| i * step % 4).collect() };
        let (train, validate) = (Counts { a: side(1), b: side(3) }, Counts { a: side(5), b: side(7) });
        let counted = count_digits(&parsed, &train, &validate);
        assert!(counted.len() > 40, "{}", counted.len());
        for (digit, words, groups) in counted {
            assert!(words.len() > 1 && words.len() == groups.len());
            for (place, group) in groups.iter().enumerate() {
                let is_in = |output: &Output| {
                    Parsed::new(output).dimension() == 0 && digit.read(output).as_ref() == words.get(place)
                };
                let mask: Vec<bool> = outputs.iter().map(is_in).collect();
                assert_eq!(group.key, Key::Word(place));
                assert_eq!((train.inside(&mask), validate.inside(&mask)), (group.fit, group.check), "{digit}");
            }
        }
    }

    #[test]
    fn places_are_those_at_the_ends_and_in_the_middle() {
        let of = |length| places(length).into_iter().map(|place| place.to_string()).collect::<String>();
        assert_eq!(of(Some(0)), "");
        assert_eq!(of(Some(3)), "[0][1][2]");
        assert_eq!(of(Some(19)), "[0][1][2][3][4][5][6][7][9][11][12][13][14][15][16][17][18]");
        assert_eq!(of(Some(20)), "[0][1][2][3][4][5][6][7][9][10][12][13][14][15][16][17][18][19]");
        assert_eq!(of(None), "[0][1][2][3][4][5][6][7][-1][-2][-3][-4][-5][-6][-7][-8]");
    }
}
