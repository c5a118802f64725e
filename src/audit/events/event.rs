//! An event: which outputs are in S, as a predicate that anybody can read, store and evaluate again.

use core::fmt;

use super::{Feature, Parsed, Reading};
use crate::audit::outputs::Output;

/// A float that is stored as text, so that it reads back as the same float, infinities too.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Real(pub f64);

impl serde::Serialize for Real {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:?}", self.0))
    }
}

impl<'de> serde::Deserialize<'de> for Real {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|_| serde::de::Error::custom("a number as text was expected"))
    }
}

/// from ≤ reading ≤ to.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// The least reading inside.
    pub from: Real,
    /// The greatest.
    pub to: Real,
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
/// use certus::audit::{events::{Event, Feature, Interval, Real, Within}, outputs::Output};
///
/// let low = Interval { from: Real(f64::NEG_INFINITY), to: Real(3.0) };
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

    /// Which of many readings are in the event.
    pub(super) fn mask(&self, readings: &[Reading]) -> Vec<bool> {
        match &self.within {
            Within::Words(words) => {
                let words: std::collections::HashSet<&str> = words.iter().map(String::as_str).collect();
                readings
                    .iter()
                    .map(|reading| matches!(reading, Reading::Word(word) if words.contains(word.as_str())))
                    .collect()
            }
            within => readings.iter().map(|reading| within.contains(reading)).collect(),
        }
    }

    /// Which of many outputs are in the event.
    #[must_use]
    pub fn select(&self, outputs: &[Output]) -> Vec<bool> {
        let readings: Vec<Reading> = outputs.iter().map(|output| self.feature.read(&Parsed::new(output))).collect();
        self.mask(&readings)
    }

    /// Whether an output that was read is in the event.
    #[must_use]
    pub fn holds(&self, parsed: &Parsed<'_>) -> bool {
        self.within.contains(&self.feature.read(parsed))
    }
}

impl Within {
    /// Whether a reading is inside.
    #[must_use]
    pub fn contains(&self, reading: &Reading) -> bool {
        match (self, reading) {
            (Self::Intervals(intervals), Reading::Number(number)) => {
                intervals.iter().any(|Interval { from, to }| from.0 <= *number && *number <= to.0)
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
                for (place, Interval { from, to }) in intervals.iter().take(SHOWN).enumerate() {
                    if place > 0 {
                        f.write_str(" or ")?;
                    }
                    match (from.0, to.0) {
                        (f64::NEG_INFINITY, f64::INFINITY) => write!(f, "{feature} is a number")?,
                        (f64::NEG_INFINITY, to) => write!(f, "{feature} <= {to}")?,
                        (from, f64::INFINITY) => write!(f, "{feature} >= {from}")?,
                        (from, to) if from.to_bits() == to.to_bits() => write!(f, "{feature} = {from}")?,
                        (from, to) => write!(f, "{from} <= {feature} <= {to}")?,
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
        let between = |from: f64, to: f64| Interval { from: Real(from), to: Real(to) };
        let events = [
            (
                Feature::Value,
                Within::Intervals(vec![
                    between(f64::NEG_INFINITY, 0.1),
                    between(2.0, 2.0),
                    between(1.0 / 3.0, f64::INFINITY),
                ]),
                "value <= 0.1 or value = 2 or value >= 0.3333333333333333",
            ),
            (Feature::Output, Within::Words(vec!["a\"b".into(), String::new()]), "output in {\"a\\\"b\", \"\"}"),
            (
                Feature::LowestBit { scale: Real(0.8) },
                Within::Intervals(vec![between(f64::NEG_INFINITY, -54.0)]),
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
        assert!(serde_json::from_str::<Real>("\"abc\"").is_err());
    }
}
