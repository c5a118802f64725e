//! An event: which outputs are in S, as a predicate that anybody can read, store and evaluate again.

use core::borrow::Borrow;
use core::fmt;
use std::collections::HashSet;

use rayon::prelude::*;

use super::score::Reader;
use super::{Feature, Parsed, Reading};
use crate::outputs::Output;

/// A float that is stored as text, so that it reads back as the same float, infinities too.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Float(pub f64);

impl serde::Serialize for Float {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:?}", self.0))
    }
}

impl<'de> serde::Deserialize<'de> for Float {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|_| serde::de::Error::custom("a number as text was expected"))
    }
}

/// above < reading ≤ to; no bound below if `above` is −∞.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// What readings inside are greater than.
    pub above: Float,
    /// The greatest reading inside.
    pub to: Float,
}

impl Interval {
    /// Whether a number is inside.
    #[must_use]
    pub fn contains(&self, number: f64) -> bool {
        (self.above.0 < number || self.above.0 == f64::NEG_INFINITY) && number <= self.to.0
    }
}

/// The readings that are in the event.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// Numbers in any of these.
    Intervals(Vec<Interval>),
    /// Words among these.
    Words(Vec<String>),
    /// Any reading at all, or none at all.
    Read(bool),
}

/// A set of outputs: those whose reading is within a set.
///
/// ```
/// use certus_audit::{events::{Event, Feature, Interval, Float, Within}, outputs::Output};
///
/// let low = Interval { above: Float(f64::NEG_INFINITY), to: Float(3.0) };
/// let event = Event { feature: Feature::Value, within: Within::Intervals(vec![low]) };
/// assert_eq!(event.to_string(), "value <= 3");
/// assert!(event.contains(&Output::from(2)) && !event.contains(&Output::parse("3.5")));
/// let stored = serde_json::to_string(&event)?;
/// assert_eq!(serde_json::from_str::<Event>(&stored)?, event);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Event {
    /// What it looks at.
    pub feature: Feature,
    /// Which readings are inside.
    pub within: Within,
}

impl Event {
    /// Whether an output is in the event.
    #[must_use]
    pub fn contains(&self, output: &Output) -> bool {
        self.holds(&Parsed::new(output))
    }

    /// Which of many outputs are in the event.
    #[must_use]
    pub fn select<O: Borrow<Output> + Sync>(&self, outputs: &[O]) -> Vec<bool> {
        let matcher = Matcher::new(self);
        outputs
            .par_iter()
            .with_min_len(LEAST_OUTPUTS)
            .map(|output| matcher.holds(&Parsed::new(output.borrow())))
            .collect()
    }

    /// Which of many outputs that were read are in the event.
    pub(super) fn select_parsed(&self, parsed: &[Parsed<'_>]) -> Vec<bool> {
        let matcher = Matcher::new(self);
        parsed.iter().map(|parsed| matcher.holds(parsed)).collect()
    }

    /// Whether an output that was read is in the event.
    #[must_use]
    pub fn holds(&self, parsed: &Parsed<'_>) -> bool {
        self.within.contains(&self.feature.read(parsed))
    }
}

/// The fewest outputs that are worth a thread.
const LEAST_OUTPUTS: usize = 2048;

/// An event, ready to look at many outputs.
struct Matcher<'e> {
    event: &'e Event,
    words: HashSet<&'e str>,
    score: Option<Reader<'e>>,
}

impl<'e> Matcher<'e> {
    fn new(event: &'e Event) -> Self {
        let words = match &event.within {
            Within::Words(words) => words.iter().map(String::as_str).collect(),
            _ => HashSet::new(),
        };
        let score = match &event.feature {
            Feature::Score(score) => Some(score.reader()),
            _ => None,
        };
        Self { event, words, score }
    }

    fn holds(&self, parsed: &Parsed<'_>) -> bool {
        let reading = match &self.score {
            Some(score) => Reading::Number(score.of(parsed)),
            None => self.event.feature.read(parsed),
        };
        match (&self.event.within, &reading) {
            (Within::Words(_), Reading::Word(word)) => self.words.contains(&**word),
            (within, reading) => within.contains(reading),
        }
    }
}

impl Within {
    /// Whether a reading is inside.
    #[must_use]
    pub fn contains(&self, reading: &Reading<'_>) -> bool {
        match (self, reading) {
            (Self::Intervals(intervals), Reading::Number(number)) => {
                intervals.iter().any(|interval| interval.contains(*number))
            }
            (Self::Words(words), Reading::Word(word)) => words.iter().any(|one| one == word),
            (Self::Read(wanted), reading) => (*reading != Reading::Nothing) == *wanted,
            _ => false,
        }
    }
}

/// How many words or intervals are shown.
const SHOWN: usize = 12;

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feature = &self.feature;
        match &self.within {
            Within::Intervals(intervals) => {
                for (place, Interval { above, to }) in intervals.iter().take(SHOWN).enumerate() {
                    if place > 0 {
                        f.write_str(" or ")?;
                    }
                    match (above.0, to.0) {
                        (f64::NEG_INFINITY, f64::INFINITY) => write!(f, "{feature} is a number")?,
                        (f64::NEG_INFINITY, to) => write!(f, "{feature} <= {to}")?,
                        (above, f64::INFINITY) => write!(f, "{feature} > {above}")?,
                        (above, to) => write!(f, "{above} < {feature} <= {to}")?,
                    }
                }
                more(f, intervals.len())
            }
            Within::Words(words) => {
                write!(f, "{feature} in {{")?;
                for (place, word) in words.iter().take(SHOWN).enumerate() {
                    write!(f, "{}{word:?}", if place > 0 { ", " } else { "" })?;
                }
                more(f, words.len())?;
                f.write_str("}")
            }
            Within::Read(true) => write!(f, "{feature} exists"),
            Within::Read(false) => write!(f, "{feature} does not exist"),
        }
    }
}

fn more(f: &mut fmt::Formatter<'_>, length: usize) -> fmt::Result {
    match length.checked_sub(SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => write!(f, " … and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_print_and_come_back_from_storage_bit_by_bit() {
        let between = |above: f64, to: f64| Interval { above: Float(above), to: Float(to) };
        let values = vec![between(f64::NEG_INFINITY, 0.1), between(2.0, 2.5), between(10.0 / 3.0, f64::INFINITY)];
        let bits = vec![between(f64::NEG_INFINITY, -54.0)];
        let events = [
            (
                Feature::Value,
                Within::Intervals(values),
                "value <= 0.1 or 2 < value <= 2.5 or value > 3.3333333333333335",
            ),
            (Feature::Output, Within::Words(vec!["a\"b".into(), String::new()]), "output in {\"a\\\"b\", \"\"}"),
            (
                Feature::LowestBit { scale: Float(0.8) },
                Within::Intervals(bits),
                "exponent of the lowest set bit of value/0.8 <= -54",
            ),
            (Feature::Special, Within::Read(false), "class of the number does not exist"),
        ];
        for (feature, within, text) in events {
            let event = Event { feature, within };
            assert_eq!(event.to_string(), text);
            let stored = serde_json::to_string(&event).unwrap();
            assert_eq!(serde_json::from_str::<Event>(&stored).unwrap(), event, "{stored}");
        }
        assert!(serde_json::from_str::<Event>("{\"feature\":\"value\"}").is_err());
        assert!(serde_json::from_str::<Float>("\"abc\"").is_err());
    }
}
