//! What an event looks at in an output.
#![expect(clippy::float_arithmetic, reason = "readings of floats: an event is a predicate whatever their rounding")]

use core::fmt;
use std::borrow::Cow;

use super::{Digit, Float, Score};
use crate::outputs::{Output, Shape, part_number};

/// A number or a word that is read from an output.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Feature {
    /// The text itself.
    Output,
    /// The number.
    Value,
    /// Its absolute value.
    Magnitude,
    /// The number of bytes of the text.
    Length,
    /// Whether anything was printed.
    Presence,
    /// Integer, float, fraction, vector, word or empty.
    Shape,
    /// NaN, an infinity, a signed zero, or another number.
    Special,
    /// The exponent e of the lowest set bit 2^e of the float value/scale; of zero and what is not finite,
    /// none. (Mironov 2012: what float noise plus a value can be depends on the value.)
    LowestBit {
        /// What the value is divided by.
        scale: Float,
    },
    /// The least such exponent of a vector's parts.
    LeastLowestBit {
        /// What the parts are divided by.
        scale: Float,
    },
    /// Whether the value is a multiple of a step, as floats divide.
    OnGrid {
        /// The step.
        step: Float,
    },
    /// The number of parts.
    Dimension,
    /// A part as a number, from 0.
    Part(usize),
    /// A part as text, from 0.
    PartText(usize),
    /// The last part as a number.
    LastPart,
    /// The parts with every number as #: which parts are words, and which.
    Pattern,
    /// How many parts read so.
    Count(String),
    /// How many parts are above a number.
    CountAbove(Float),
    /// A part minus the one before it.
    Difference(usize),
    /// The second of two parts minus the first.
    Apart(usize, usize),
    /// How many parts are below a part.
    Rank(usize),
    /// The least part.
    Least,
    /// The greatest part.
    Greatest,
    /// The sum of the parts.
    Sum,
    /// The sum of the parts without their signs.
    SumOfSizes,
    /// The Euclidean norm of the parts.
    Norm,
    /// The place of the greatest part.
    PlaceOfGreatest,
    /// A residue, a parity or a character; none of a vector.
    Digit(Digit),
    /// A learned score.
    Score(Box<Score>),
}

/// What a feature read.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading<'a> {
    /// The feature does not apply.
    Nothing,
    /// A number, never NaN.
    Number(f64),
    /// A word.
    Word(Cow<'a, str>),
}

/// An output, with its text read once.
#[derive(Clone, Debug)]
pub struct Parsed<'a> {
    output: &'a Output,
    number: Option<f64>,
    parts: Parts<'a>,
}

/// The parts of a vector; none for what is no vector.
#[derive(Clone, Debug)]
enum Parts<'a> {
    /// Numbers alone: their texts are the output's.
    Numbers(Box<[f64]>),
    /// A part at least is a word: all texts, with the numbers that they read as.
    Mixed(Box<[(&'a str, Option<f64>)]>),
}

impl<'a> Parts<'a> {
    fn new(output: &'a Output) -> Self {
        let texts = || output.part_texts().into_iter().flatten();
        let mixed = || Self::Mixed(texts().map(|text| (text, part_number(text))).collect());
        texts().map(part_number).collect::<Option<_>>().map_or_else(mixed, Self::Numbers)
    }
}

impl<'a> Parsed<'a> {
    /// Reads the text.
    #[must_use]
    pub fn new(output: &'a Output) -> Self {
        let one = Self { output, number: None, parts: Parts::new(output) };
        if one.dimension() > 0 { one } else { Self { number: output.number(), ..one } }
    }

    /// What was read.
    pub(super) fn output(&self) -> &'a Output {
        self.output
    }

    /// The number of parts of a vector.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match &self.parts {
            Parts::Numbers(parts) => parts.len(),
            Parts::Mixed(parts) => parts.len(),
        }
    }

    /// The number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        self.number
    }

    /// The texts of the parts.
    fn texts(&self) -> impl Iterator<Item = &'a str> {
        let (read, kept) = match &self.parts {
            Parts::Numbers(_) => (self.output.part_texts(), None),
            Parts::Mixed(parts) => (None, Some(parts.iter())),
        };
        read.into_iter().flatten().chain(kept.into_iter().flatten().map(|(text, _)| *text))
    }

    /// The parts that are no numbers.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a str> {
        let mixed = match &self.parts {
            Parts::Numbers(_) => None,
            Parts::Mixed(parts) => Some(parts),
        };
        mixed.into_iter().flatten().filter(|(_, number)| number.is_none()).map(|(text, _)| *text)
    }

    /// Whether a part is a float with a fraction.
    pub(super) fn has_fraction(&self) -> bool {
        self.numbers().any(|number| number.fract() != 0.0)
    }

    /// Whether a part is there, and is no number.
    pub(super) fn is_word(&self, place: usize) -> bool {
        place < self.dimension() && self.part(place).is_none()
    }

    /// The parts, every number as #.
    fn pattern(&self) -> String {
        let part = |(place, text)| if self.is_word(place) { text } else { "#" };
        self.texts().enumerate().map(part).collect::<Vec<_>>().join(",")
    }

    /// The number of a part.
    fn part(&self, place: usize) -> Option<f64> {
        match &self.parts {
            Parts::Numbers(parts) => parts.get(place).copied(),
            Parts::Mixed(parts) => parts.get(place).and_then(|(_, number)| *number),
        }
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        (0..self.dimension()).filter_map(|place| self.part(place))
    }
}

impl Feature {
    /// Reads an output.
    #[must_use]
    pub fn read<'a>(&self, parsed: &Parsed<'a>) -> Reading<'a> {
        let word = |word: &'static str| Reading::Word(Cow::Borrowed(word));
        let number = |number: Option<f64>| match number {
            Some(number) if !number.is_nan() => Reading::Number(number),
            _ => Reading::Nothing,
        };
        #[expect(clippy::cast_precision_loss, reason = "lengths and places are small")]
        let size = |size: usize| Reading::Number(size as f64);
        match self {
            Self::Output => Reading::Word(parsed.output.text()),
            Self::Value => number(parsed.number),
            Self::Magnitude => number(parsed.number.map(f64::abs)),
            Self::Length => size(parsed.output.length()),
            Self::Presence => word(if parsed.output.is_present() { "present" } else { "absent" }),
            Self::Shape => word(match parsed.output.shape() {
                Shape::Empty => "empty",
                Shape::Integer => "integer",
                Shape::Float => "float",
                Shape::Fraction => "fraction",
                Shape::Vector => "vector",
                Shape::Word => "word",
            }),
            Self::Special => parsed.number.map_or(Reading::Nothing, |number| word(special(number))),
            Self::LowestBit { scale } => number(parsed.number.and_then(|value| lowest_bit(value / scale.0))),
            Self::LeastLowestBit { scale } => {
                number(parsed.numbers().filter_map(|part| lowest_bit(part / scale.0)).min_by(f64::total_cmp))
            }
            Self::OnGrid { step } => parsed.number.map_or(Reading::Nothing, |value| {
                let steps = value / step.0;
                word(if steps.round() == steps { "on the grid" } else { "off the grid" })
            }),
            Self::Dimension => size(parsed.dimension()),
            Self::Part(place) => number(parsed.part(*place)),
            Self::PartText(place) => {
                parsed.texts().nth(*place).map_or(Reading::Nothing, |part| Reading::Word(Cow::Borrowed(part)))
            }
            Self::LastPart => number(parsed.dimension().checked_sub(1).and_then(|last| parsed.part(last))),
            Self::Pattern if parsed.dimension() > 0 => Reading::Word(Cow::Owned(parsed.pattern())),
            Self::Count(word) if parsed.dimension() > 0 => size(parsed.texts().filter(|part| part == word).count()),
            Self::CountAbove(than) if parsed.dimension() > 0 => {
                size(parsed.numbers().filter(|part| *part > than.0).count())
            }
            Self::Pattern | Self::Count(_) | Self::CountAbove(_) => Reading::Nothing,
            Self::Difference(place) => {
                let before = place.checked_sub(1).and_then(|before| parsed.part(before));
                number(parsed.part(*place).zip(before).map(|(part, before)| part - before))
            }
            Self::Apart(first, second) => {
                number(parsed.part(*first).zip(parsed.part(*second)).map(|(first, second)| second - first))
            }
            Self::Rank(place) => parsed.part(*place).map_or(Reading::Nothing, |part| {
                size(parsed.numbers().filter(|other| other.total_cmp(&part).is_lt()).count())
            }),
            Self::Least => number(parsed.numbers().min_by(f64::total_cmp)),
            Self::Greatest => number(parsed.numbers().max_by(f64::total_cmp)),
            Self::Sum => number((parsed.dimension() > 0).then(|| parsed.numbers().sum())),
            Self::SumOfSizes => number((parsed.dimension() > 0).then(|| parsed.numbers().map(f64::abs).sum())),
            Self::Norm => {
                let squares = |parsed: &Parsed<'_>| parsed.numbers().map(|part| part * part).sum::<f64>();
                number((parsed.dimension() > 0).then(|| squares(parsed).sqrt()))
            }
            Self::PlaceOfGreatest => {
                let places = (0..parsed.dimension()).filter_map(|place| Some((place, parsed.part(place)?)));
                places.max_by(|one, two| one.1.total_cmp(&two.1)).map_or(Reading::Nothing, |(place, _)| size(place))
            }
            Self::Digit(digit) if parsed.dimension() == 0 => {
                digit.read(parsed.output).map_or(Reading::Nothing, |word| Reading::Word(Cow::Owned(word)))
            }
            Self::Digit(_) => Reading::Nothing,
            Self::Score(score) => Reading::Number(score.of(parsed)),
        }
    }

    /// Whether its readings are quantities, whose half-lines are events that noise moves in one piece: numbers,
    /// parts and what is made of them, and learned scores; no lengths, and no digits.
    pub(super) fn is_quantity(&self) -> bool {
        matches!(
            self,
            Self::Value
                | Self::Magnitude
                | Self::Part(_)
                | Self::LastPart
                | Self::Count(_)
                | Self::CountAbove(_)
                | Self::Difference(_)
                | Self::Apart(..)
                | Self::Least
                | Self::Greatest
                | Self::Sum
                | Self::SumOfSizes
                | Self::Norm
                | Self::Score(_)
        )
    }

    /// Its kind, in the words of [`kinds`].
    #[must_use]
    pub fn kind(&self) -> &'static str {
        let [single, thresholds, floats, integers, texts, vectors, learned] = kinds();
        match self {
            Self::Output | Self::Presence | Self::Shape => single,
            Self::Value | Self::Magnitude => thresholds,
            Self::Special | Self::LowestBit { .. } | Self::LeastLowestBit { .. } | Self::OnGrid { .. } => floats,
            Self::Digit(Digit::Residue(_) | Digit::LowParity(_) | Digit::Parity) => integers,
            Self::Length | Self::Digit(_) => texts,
            Self::Dimension
            | Self::Part(_)
            | Self::PartText(_)
            | Self::LastPart
            | Self::Pattern
            | Self::Count(_)
            | Self::CountAbove(_)
            | Self::Difference(_)
            | Self::Apart(..)
            | Self::Rank(_)
            | Self::Least
            | Self::Greatest
            | Self::Sum
            | Self::SumOfSizes
            | Self::Norm
            | Self::PlaceOfGreatest => vectors,
            Self::Score(_) => learned,
        }
    }
}

/// The kinds of events that an audit searches, in words: what it found no event of may still be there in
/// another kind.
#[must_use]
pub fn kinds() -> [&'static str; 7] {
    [
        "single outputs",
        "thresholds of numbers",
        "lowest bits of numbers",
        "residues and parities of integers",
        "lengths and characters of texts",
        "parts of vectors",
        "learned scores",
    ]
}

fn special(number: f64) -> &'static str {
    match number {
        _ if number.is_nan() => "NaN",
        f64::INFINITY => "+infinity",
        f64::NEG_INFINITY => "-infinity",
        _ if number == 0.0 && number.is_sign_negative() => "-0",
        _ if number == 0.0 => "+0",
        _ => "finite",
    }
}

/// e such that 2^e is the lowest set bit of a finite float that is not 0.
fn lowest_bit(value: f64) -> Option<f64> {
    if !value.is_finite() || value == 0.0 {
        return None;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52) & 0x7FF;
    let stored = bits & ((1 << 52) - 1);
    let significand = if exponent == 0 { stored } else { stored | (1 << 52) };
    // ±significand·2^(max(exponent, 1) − 1075), below 2^11 in size: exact in 32 bits.
    let unit = i32::try_from(exponent.max(1)).unwrap_or(0) - 1075;
    Some(f64::from(unit) + f64::from(significand.trailing_zeros()))
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output => f.write_str("output"),
            Self::Value => f.write_str("value"),
            Self::Magnitude => f.write_str("|value|"),
            Self::Length => f.write_str("length"),
            Self::Presence => f.write_str("presence"),
            Self::Shape => f.write_str("shape"),
            Self::Special => f.write_str("class of the number"),
            Self::LowestBit { scale: Float(1.0) } => f.write_str("exponent of the lowest set bit of value"),
            Self::LowestBit { scale } => write!(f, "exponent of the lowest set bit of value/{}", scale.0),
            Self::LeastLowestBit { scale: Float(1.0) } => {
                f.write_str("least exponent of the lowest set bits of the parts")
            }
            Self::LeastLowestBit { scale } => {
                write!(f, "least exponent of the lowest set bits of the parts/{}", scale.0)
            }
            Self::LastPart => f.write_str("last part"),
            Self::Pattern => f.write_str("pattern"),
            Self::Count(word) => write!(f, "number of parts {word:?}"),
            Self::CountAbove(than) => write!(f, "number of parts above {}", than.0),
            Self::OnGrid { step } => write!(f, "place on the grid of {}", step.0),
            Self::Dimension => f.write_str("number of parts"),
            Self::Part(place) => write!(f, "part[{place}]"),
            Self::PartText(place) => write!(f, "text of part[{place}]"),
            Self::Difference(place) => write!(f, "part[{place}] - part[{}]", place.saturating_sub(1)),
            Self::Apart(first, second) => write!(f, "part[{second}] - part[{first}]"),
            Self::Rank(place) => write!(f, "number of parts below part[{place}]"),
            Self::SumOfSizes => f.write_str("sum of the parts' sizes"),
            Self::Norm => f.write_str("norm of the parts"),
            Self::Least => f.write_str("least part"),
            Self::Greatest => f.write_str("greatest part"),
            Self::Sum => f.write_str("sum of the parts"),
            Self::PlaceOfGreatest => f.write_str("place of the greatest part"),
            Self::Digit(digit) => digit.fmt(f),
            Self::Score(score) => write!(f, "score({score})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(feature: &Feature, text: &str) -> Reading<'static> {
        match feature.read(&Parsed::new(&Output::parse(text))) {
            Reading::Nothing => Reading::Nothing,
            Reading::Number(number) => Reading::Number(number),
            Reading::Word(word) => Reading::Word(word.into_owned().into()),
        }
    }

    /// The words of a vector are its parts that are no numbers, in their order; of numbers alone there are none.
    #[test]
    fn words_are_no_numbers() {
        for (text, words) in [("x,1,y,2.5,x", vec!["x", "y", "x"]), ("1,2", vec![]), ("x", vec![])] {
            assert_eq!(Parsed::new(&Output::parse(text)).words().collect::<Vec<_>>(), words);
        }
    }

    #[test]
    fn readings() {
        let number = Reading::Number;
        let word = |word: &'static str| Reading::Word(word.into());
        let bit = |scale: f64| Feature::LowestBit { scale: Float(scale) };
        for (feature, text, reading) in [
            (Feature::Output, "007", word("007")),
            (Feature::Length, "007", number(3.0)),
            (Feature::Value, "007", number(7.0)),
            (Feature::Value, "7/4", number(1.75)),
            (Feature::Value, "7/0", Reading::Nothing),
            (Feature::Shape, "7/4", word("fraction")),
            (Feature::Part(1), "x,-1/2", number(-0.5)),
            (Feature::Value, "x", Reading::Nothing),
            (Feature::Value, "nan", Reading::Nothing),
            (Feature::Special, "nan", word("NaN")),
            (Feature::Special, "-0.0", word("-0")),
            (Feature::Special, "0", word("+0")),
            (Feature::Special, "-inf", word("-infinity")),
            (Feature::Presence, "", word("absent")),
            (bit(1.0), "12", number(2.0)),
            (bit(1.0), "0.5", number(-1.0)),
            (bit(1.0), "0.1", number(-55.0)),
            (bit(1.0), "5e-324", number(-1074.0)),
            (bit(1.0), "0", Reading::Nothing),
            (bit(0.5), "12", number(3.0)),
            (Feature::OnGrid { step: Float(0.25) }, "1.75", word("on the grid")),
            (Feature::OnGrid { step: Float(0.25) }, "1.8", word("off the grid")),
            (Feature::Dimension, "1,2,x", number(3.0)),
            (Feature::Part(1), "1,2,x", number(2.0)),
            (Feature::Part(2), "1,2,x", Reading::Nothing),
            (Feature::PartText(2), "1,2,x", word("x")),
            (Feature::Difference(1), "1,4", number(3.0)),
            (Feature::LastPart, "1,4", number(4.0)),
            (Feature::LastPart, "4,x", Reading::Nothing),
            (Feature::Pattern, "x,1,y,nan", word("x,#,y,#")),
            (Feature::Pattern, "x", Reading::Nothing),
            (Feature::Count("x".into()), "x,1,x", number(2.0)),
            (Feature::Count("x".into()), "x", Reading::Nothing),
            (Feature::CountAbove(Float(1.0)), "x,1,2,3", number(2.0)),
            (Feature::CountAbove(Float(1.0)), "2", Reading::Nothing),
            (Feature::LeastLowestBit { scale: Float(1.0) }, "0.1,0.5,x", number(-55.0)),
            (Feature::LeastLowestBit { scale: Float(1.0) }, "0,x", Reading::Nothing),
            (Feature::Greatest, "1,4,x,3", number(4.0)),
            (Feature::PlaceOfGreatest, "1,4,3", number(1.0)),
            (Feature::Sum, "1,4,3", number(8.0)),
            (Feature::Sum, "8", Reading::Nothing),
            (Feature::SumOfSizes, "1,-4,x,3", number(8.0)),
            (Feature::Norm, "-3,4", number(5.0)),
            (Feature::Norm, "5", Reading::Nothing),
            (Feature::Apart(0, 2), "1,9,4", number(3.0)),
            (Feature::Apart(0, 2), "1,9", Reading::Nothing),
            (Feature::Rank(1), "1,4,9,4,x", number(1.0)),
            (Feature::Rank(1), "1,x", Reading::Nothing),
            (Feature::Digit(Digit::Parity), "8", word("odd")),
            (Feature::Digit(Digit::HexParity), "8,9", Reading::Nothing),
        ] {
            assert_eq!(read(&feature, text), reading, "{feature} of {text:?}");
            assert!(kinds().contains(&feature.kind()), "{feature}");
        }
    }
}
