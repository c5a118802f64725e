//! An event in words, for whoever must explain it to a colleague, and what such an event often comes from.

use core::fmt::Write as _;

use super::{Digit, Event, Feature, Float, Interval, Place, Within};

/// The most words of a set that is still read at a glance.
const FEW: usize = 3;

/// How many are named of a larger one.
const NAMED: usize = 6;

impl Event {
    /// Whether it is read at a glance: one feature, in one interval or among a few words.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let is_few = match &self.within {
            Within::Intervals(intervals) => intervals.len() == 1,
            Within::Words(words) => words.len() <= FEW,
            Within::Read(_) => true,
        };
        is_few && !matches!(self.feature, Feature::Score(_))
    }

    /// The event as a sentence without its end.
    ///
    /// ```
    /// use certus_audit::events::{Event, Feature, Float, Interval, Within};
    ///
    /// let low = Interval { above: Float(f64::NEG_INFINITY), to: Float(-52.0) };
    /// let event = Event { feature: Feature::LowestBit { scale: Float(1.0) }, within: Within::Intervals(vec![low]) };
    /// assert_eq!(event.words(), "the lowest set bit of the number is at 2^-52 or below");
    /// ```
    #[must_use]
    pub fn words(&self) -> String {
        match (&self.feature, &self.within) {
            (Feature::Score(score), _) => {
                format!("a score learned from {} features is on one side of a threshold", score.terms.len())
            }
            (feature, Within::Intervals(intervals)) => {
                let mut text: Vec<String> =
                    intervals.iter().take(NAMED).map(|interval| numbers(feature, *interval)).collect();
                if intervals.len() > NAMED {
                    text.push(format!("it is in one of {} other intervals", intervals.len() - NAMED));
                }
                text.join(", or ")
            }
            (feature, Within::Words(words)) => among(feature, words),
            (feature, Within::Read(true)) => format!("there is {}", subject(feature)),
            (feature, Within::Read(false)) => format!("there is no such thing as {}", subject(feature)),
        }
    }

    /// What such an event often comes from; nothing where it may be anything.
    #[must_use]
    pub fn usual_cause(&self) -> Option<&'static str> {
        match &self.feature {
            Feature::LowestBit { .. } | Feature::LeastLowestBit { .. } | Feature::OnGrid { .. } => {
                Some("floating-point noise: which numbers can come out depends on the answer it is added to")
            }
            Feature::Special => Some("a NaN or an infinity that goes through, or an overflow"),
            Feature::Presence => Some("on some data there is no output"),
            Feature::Dimension | Feature::Length | Feature::Pattern | Feature::Count(_) => {
                Some("a domain, or a length, that comes from the data")
            }
            Feature::Value
            | Feature::Magnitude
            | Feature::Part(_)
            | Feature::LastPart
            | Feature::Difference(_)
            | Feature::Apart(..)
            | Feature::Least
            | Feature::Greatest
            | Feature::Sum
            | Feature::SumOfSizes
            | Feature::Norm
            | Feature::CountAbove(_) => Some("noise of too small a scale, or a sensitivity that is understated"),
            Feature::Digit(_) => Some("noise that leaves digits of the answer as they are"),
            Feature::Output
            | Feature::Shape
            | Feature::PartText(_)
            | Feature::Rank(_)
            | Feature::PlaceOfGreatest
            | Feature::Score(_) => None,
        }
    }
}

/// What is read, with an article.
fn subject(feature: &Feature) -> String {
    match feature {
        Feature::Output => "the output".to_owned(),
        Feature::Value => "the number".to_owned(),
        Feature::Magnitude => "the number without its sign".to_owned(),
        Feature::Length => "the length of the output in bytes".to_owned(),
        Feature::Presence => "an output".to_owned(),
        Feature::Shape => "the kind of output".to_owned(),
        Feature::Special => "the number".to_owned(),
        Feature::LowestBit { scale } => format!("the lowest set bit of the number{}", divided(*scale)),
        Feature::LeastLowestBit { scale } => format!("the lowest bit that is set in any part{}", divided(*scale)),
        Feature::OnGrid { .. } => "the number".to_owned(),
        Feature::Dimension => "the number of parts".to_owned(),
        Feature::Part(place) => format!("part {} of the output", place + 1),
        Feature::PartText(place) => format!("part {} of the output", place + 1),
        Feature::LastPart => "the last part of the output".to_owned(),
        Feature::Pattern => "the pattern of the output (# is a number)".to_owned(),
        Feature::Count(word) => format!("the number of parts that read {word:?}"),
        Feature::CountAbove(than) => format!("the number of parts above {}", than.0),
        Feature::Difference(place) => format!("part {} less part {}", place + 1, place),
        Feature::Apart(first, second) => format!("part {} less part {}", second + 1, first + 1),
        Feature::Rank(place) => format!("the number of parts below part {}", place + 1),
        Feature::SumOfSizes => "the sum of the parts without their signs".to_owned(),
        Feature::Norm => "the norm of the parts".to_owned(),
        Feature::Least => "the least part".to_owned(),
        Feature::Greatest => "the greatest part".to_owned(),
        Feature::Sum => "the sum of the parts".to_owned(),
        Feature::PlaceOfGreatest => "the place of the greatest part, from 0,".to_owned(),
        Feature::Digit(digit) => of_digit(*digit),
        Feature::Score(_) => "a learned score".to_owned(),
    }
}

fn divided(scale: Float) -> String {
    if scale == Float(1.0) { String::new() } else { format!(", divided by {},", scale.0) }
}

fn of_digit(digit: Digit) -> String {
    let place = |place: Place| match place {
        Place::First(place) => format!("{} from the start", place + 1),
        Place::Last(0) => "1 from the end".to_owned(),
        Place::Last(place) => format!("{} from the end", place + 1),
    };
    match digit {
        Digit::Residue(modulus) => format!("what the integer leaves when it is divided by {modulus}"),
        Digit::LowParity(bits) => format!("the number of ones among the lowest {bits} bits of the integer"),
        Digit::Parity => "the number of ones among the bits of the integer".to_owned(),
        Digit::Character(at) => format!("the character at place {}", place(at)),
        Digit::HexByte(at) => format!("the byte at place {}", place(at)),
        Digit::HexParity => "the number of ones among all bits".to_owned(),
    }
}

/// A feature in an interval.
fn numbers(feature: &Feature, Interval { above, to }: Interval) -> String {
    let subject = subject(feature);
    match (feature, above.0, to.0) {
        (_, f64::NEG_INFINITY, f64::INFINITY) => format!("{subject} is a number"),
        // An exponent, which is an integer.
        (Feature::LowestBit { .. } | Feature::LeastLowestBit { .. }, above, to) => match (above, to) {
            (f64::NEG_INFINITY, to) => format!("{subject} is at 2^{to} or below"),
            (above, f64::INFINITY) => format!("{subject} is above 2^{above}"),
            (above, to) => format!("{subject} is above 2^{above}, and at 2^{to} at most"),
        },
        (_, f64::NEG_INFINITY, to) => format!("{subject} is {to} or less"),
        (_, above, f64::INFINITY) => format!("{subject} is more than {above}"),
        (_, above, to) => format!("{subject} is more than {above}, and {to} at most"),
    }
}

/// A feature among words.
fn among(feature: &Feature, words: &[String]) -> String {
    let first = words.first().map_or("", String::as_str);
    match (feature, words.len()) {
        (Feature::Presence, 1) if first == "absent" => "there is no output".to_owned(),
        (Feature::Presence, 1) => "there is an output".to_owned(),
        (Feature::OnGrid { step }, 1) => {
            let not = if first == "on the grid" { "" } else { "not " };
            format!("the number is {not}a multiple of {}", step.0)
        }
        (Feature::Special, 1) if first == "finite" => "the number is neither 0, nor infinite, nor NaN".to_owned(),
        (feature, 1) => {
            let quoted = if matches!(feature, Feature::Special | Feature::Digit(_) | Feature::Shape) {
                first.to_owned()
            } else {
                format!("{first:?}")
            };
            format!("{} is {quoted}", subject(feature))
        }
        (feature, many) => {
            let mut text = format!("{} is one of {many}: ", subject(feature));
            for (place, word) in words.iter().take(NAMED).enumerate() {
                let _ = write!(text, "{}{word:?}", if place > 0 { ", " } else { "" });
            }
            if many > NAMED {
                text.push_str(", …");
            }
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(feature: Feature, within: Within) -> Event {
        Event { feature, within }
    }

    fn between(above: f64, to: f64) -> Within {
        Within::Intervals(vec![Interval { above: Float(above), to: Float(to) }])
    }

    fn words(words: &[&str]) -> Within {
        Within::Words(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn events_in_words() {
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        let bits = |scale| Feature::LowestBit { scale: Float(scale) };
        let residue = Feature::Digit(Digit::Residue(4.try_into().unwrap()));
        for (event, text) in [
            (event(Feature::Value, between(least, 3.0)), "the number is 3 or less"),
            (event(Feature::Part(1), between(7.5, most)), "part 2 of the output is more than 7.5"),
            (event(Feature::Difference(8), between(0.0, 1.0)), "part 9 less part 8 is more than 0, and 1 at most"),
            (
                event(bits(20.0), between(-50.0, -49.0)),
                "the lowest set bit of the number, divided by 20, is above 2^-50, and at 2^-49 at most",
            ),
            (event(bits(1.0), between(-52.0, most)), "the lowest set bit of the number is above 2^-52"),
            (event(Feature::Presence, words(&["absent"])), "there is no output"),
            (event(Feature::Special, words(&["NaN"])), "the number is NaN"),
            (event(residue, words(&["3"])), "what the integer leaves when it is divided by 4 is 3"),
            (event(Feature::Output, words(&["0,1"])), "the output is \"0,1\""),
            (event(Feature::Output, words(&["a", "b"])), "the output is one of 2: \"a\", \"b\""),
            (
                event(Feature::OnGrid { step: Float(0.25) }, words(&["off the grid"])),
                "the number is not a multiple of 0.25",
            ),
        ] {
            assert_eq!(event.words(), text);
            assert!(event.is_plain(), "{text}");
        }
        let many = event(Feature::Output, words(&["1", "2", "3", "4", "5", "6", "7"]));
        assert_eq!(many.words(), "the output is one of 7: \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", …");
        assert!(!many.is_plain());
    }
}
