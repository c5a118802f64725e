//! Why there is no audit by canaries.

use certus::{
    account::AccountError, bits::BitsError, exact::NumberError, guarantee::GuaranteeError, mechanism::SpecError,
};

use super::{CurveError, table::MOST_CANARIES};

/// Why there is no audit by canaries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanaryError {
    /// There is no canary, or there are too many.
    #[error("an audit needs from 1 to {MOST_CANARIES} canaries")]
    Count,
    /// A score is no number.
    #[error("a score must be a number")]
    Score,
    /// A pair has not exactly one canary that is in.
    #[error("of a pair exactly one canary must be in")]
    Pair,
    /// r is out of range, or is there twice.
    #[error("guesses must be different integers from 1 to the number of canaries, {0}")]
    Guesses(u64),
    /// The confidence is out of range.
    #[error("confidence must be between 0 and 1 (0 < confidence < 1), and at most 1 - 1e-12")]
    Confidence,
    /// Steinke, Nasr and Jagielski's bound is for claims (ε, δ).
    #[error("steinke is for claims of epsilon and delta, and a plan is a curve")]
    Method,
    /// The plan itself is tested where there is one.
    #[error("whether a run was its plan needs a plan")]
    NoPlan,
    /// Profile points are none.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// A plan has no account.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// A mechanism of a plan is none.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A plan is for other neighbours.
    #[error(transparent)]
    Neighbours(#[from] GuaranteeError),
    /// A number of a plan is none.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The source of randomness failed.
    #[error(transparent)]
    Bits(#[from] BitsError),
}
