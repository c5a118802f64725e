//! Guarantees as plain types, and their algebra.
//!
//! A [`Guarantee`] says how far apart the outputs on neighbouring inputs may be ([`Privacy`]) and which
//! inputs are neighbours ([`Relation`]). Guarantees compose, hold for groups and convert; a [`Filter`] keeps
//! a budget. Beside them, [`Pair`]s of distributions describe a mechanism exactly: from these, `account`
//! computes the smallest δ for an ε.

mod amplify;
mod compose;
mod convert;
mod domination;
mod envelope;
#[cfg(test)]
mod extremes;
mod filter;
#[cfg(feature = "serde")]
mod filter_serial;
mod group;
mod line;
mod pair;
mod privacy;
mod relation;
mod released;
mod sensitivity;
mod two_steps;
mod worst_case;

pub use domination::{Attained, Domination};
pub use filter::{DebitError, Filter, Odometer, SavedFilter};
pub use line::{GaussianVectors, Line};
pub use pair::{FinitePair, FinitePairError, Pair, Weight};
pub use privacy::{Guarantee, GuaranteeError, Privacy};
pub use relation::Relation;
pub use released::Released;
pub use sensitivity::{L1, L2Squared, LInfinity, Sensitivity, SensitivityError};
