//! The kinds of events that an audit looks for, in words.

use super::Feature;

impl Feature {
    /// The kind of events that look at this, in a few words: thresholds of it, and sets of its readings.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Output => "text",
            Self::Value => "value",
            Self::Magnitude => "|value|",
            Self::Length => "length",
            Self::Presence => "presence",
            Self::Shape => "shape",
            Self::Special => "class of the number",
            Self::LowestBit { .. } => "lowest set bit",
            Self::LeastLowestBit { .. } => "least of the parts' lowest set bits",
            Self::OnGrid { .. } => "multiples of a step",
            Self::Dimension => "number of parts",
            Self::Part(_) => "single parts",
            Self::PartText(_) => "texts of single parts",
            Self::LastPart => "last part",
            Self::Pattern => "pattern of words and numbers",
            Self::Count(_) => "number of parts that are one word",
            Self::CountAbove(_) => "number of parts above a number",
            Self::Difference(_) => "differences of neighbouring parts",
            Self::Least => "least part",
            Self::Greatest => "greatest part",
            Self::Sum => "sum of the parts",
            Self::PlaceOfGreatest => "place of the greatest part",
            Self::Score(_) => "learned score",
        }
    }
}
