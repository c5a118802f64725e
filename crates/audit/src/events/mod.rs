//! Events: readable predicates on outputs, and the families that they are chosen from.
//!
//! Choosing may be as clever or as clumsy as it likes: it sees the selection part alone, so the bounds are
//! sound whatever it does.

mod choose;
mod column;
mod digit;
mod event;
mod family;
mod feature;
mod goal;
mod readings;
mod score;
mod words;

pub use choose::{Candidate, Search};
pub use digit::{Digit, Place};
pub use event::{Event, Float, Interval, Within};
pub use family::Family;
pub use feature::{Feature, Parsed, Reading, kinds};
pub use goal::{Goal, Orientation, Prospect};
pub use score::{Bin, Score, Term};
