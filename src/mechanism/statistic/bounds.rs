//! The range that records are clamped to, and what can be wrong with a statistic's parameters.

use crate::guarantee::GuaranteeError;

/// Why a statistic is none. The text depends on public parameters alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticError {
    /// The bounds are the wrong way round.
    #[error("the lower bound must be at most the upper bound (lower <= upper)")]
    Bounds,
    /// The bounds leave one value alone, where there must be two.
    #[error("the lower bound must be below the upper bound (lower < upper)")]
    OneValue,
    /// There are no records.
    #[error("the number of records must be at least 1")]
    NoRecords,
    /// There are no keys.
    #[error("the number of keys must be at least 1")]
    NoKeys,
    /// There are more keys than counts are kept of.
    #[error("the number of keys must be at most 2^20")]
    TooManyKeys,
    /// A person may contribute nothing.
    #[error("the number of keys a person contributes must be at least 1")]
    NoContribution,
    /// There are no slots, or too many.
    #[error("the number of slots must be from 1 to 2^20")]
    Slots,
    /// A proposed bound is 0.
    #[error("the proposed bound must be at least 1")]
    Proposal,
    /// A factor of decay is not between 0 and 1.
    #[error("the decay e^-beta must be strictly between 0 and 1")]
    Decay,
    /// A power of the decay would be too long a number.
    #[error("the number of records times the binary digits of the decay's denominator must be at most 2^17")]
    LongDecay,
    /// The degree of the noise is 0, or too large.
    #[error("the degree of the noise must be from 1 to 64")]
    Degree,
    /// A limit is 0.
    #[error("the limit of a sum must be at least 1")]
    Limit,
    /// A report has fewer bits than a value sets, or a value sets none.
    #[error("the number of bits a value sets must be from 1 to the number of bits of a report")]
    BitsSet,
    /// A report has more bits than are drawn.
    #[error("the number of bits of a report must be at most 2^20")]
    TooManyBits,
    /// A rate of lies is 0 or too large.
    #[error("f must be greater than 0 and at most 1 (0 < f <= 1)")]
    LieRate,
    /// The probabilities of a report do not rise with the bit.
    #[error("p must be below q (0 <= p < q <= 1)")]
    ReportRates,
    /// The truth, or another answer, is certain or impossible.
    #[error("the probabilities of the truth and of every other answer must be positive")]
    CertainAnswer,
    /// The guarantee is none.
    #[error(transparent)]
    Guarantee(#[from] GuaranteeError),
}

/// There are not as many records as was said in public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have exactly {records} records, the number that was declared public")]
pub struct RecordsError {
    /// How many there must be.
    pub records: u64,
}

/// The range [lower, upper] to which every record is clamped, so that one record moves a statistic only so
/// far.
///
/// ```
/// use certus::mechanism::statistic::{Bounds, StatisticError};
///
/// let bounds = Bounds::new(-1, 60)?;
/// assert_eq!((bounds.clamp(1000), bounds.width()), (60, 61));
/// assert_eq!(Bounds::new(1, 0), Err(StatisticError::Bounds));
/// # Ok::<(), StatisticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    lower: i64,
    upper: i64,
}

impl Bounds {
    /// From `lower` to `upper`, both included.
    ///
    /// # Errors
    ///
    /// If lower > upper.
    pub fn new(lower: i64, upper: i64) -> Result<Self, StatisticError> {
        if lower <= upper { Ok(Self { lower, upper }) } else { Err(StatisticError::Bounds) }
    }

    /// The least value.
    #[must_use]
    pub fn lower(&self) -> i64 {
        self.lower
    }

    /// The greatest value.
    #[must_use]
    pub fn upper(&self) -> i64 {
        self.upper
    }

    /// upper − lower, at most 2^64 − 1.
    #[must_use]
    pub fn width(&self) -> u64 {
        self.upper.abs_diff(self.lower)
    }

    /// max(|lower|, |upper|).
    #[must_use]
    pub fn magnitude(&self) -> u64 {
        self.lower.unsigned_abs().max(self.upper.unsigned_abs())
    }

    /// The value in the range that is nearest to a record.
    #[must_use]
    #[cfg_attr(kani, kani::requires(self.lower <= self.upper))]
    #[cfg_attr(kani, kani::ensures(|clamped| proofs::is_nearest(self, record, *clamped)))]
    pub fn clamp(&self, record: i64) -> i64 {
        record.clamp(self.lower, self.upper)
    }
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/mechanism/statistic/bounds.rs"]
mod proofs;
