//! Guarantees as plain types: the pairs of output distributions that dominate a mechanism's neighbouring inputs.

mod domination;
mod pair;

pub use domination::Domination;
pub use pair::{FinitePair, FinitePairError, Pair, Weight};
