//! Why a ledger refuses, and who is to blame. The texts speak of public parameters alone.

use std::io;

use certus::{
    bits::BitsError,
    exact::Rounding,
    guarantee::{DebitError, GuaranteeError, Relation},
};

use super::{Budget, Head, name::Analyst, name::ReleaseId};

/// What a debit asked for that a budget has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Whose budget does not suffice; nothing for the budget of the dataset.
    pub analyst: Option<Analyst>,
    /// What the debit would cost.
    pub asked: Budget,
    /// What is left.
    pub left: Budget,
    /// What the budget was at first.
    pub budget: Budget,
}

impl std::fmt::Display for Exceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.analyst {
            None => f.write_str("the budget does not suffice: ")?,
            Some(analyst) => write!(f, "the budget of analyst \"{analyst}\" does not suffice: ")?,
        }
        match (&self.asked, &self.left, &self.budget) {
            (Budget::Sum(asked), Budget::Sum(left), Budget::Sum(budget)) => {
                let (asked, left) = (asked.shown(Rounding::Up), left.shown(Rounding::Down));
                write!(f, "{asked} was asked, and {left} is left of {}", budget.shown(Rounding::Down))?;
            }
            (Budget::Declared(asked), Budget::Declared(left), _) => {
                // The parts that are short, and no others: a plan may have many.
                let short = asked.iter().filter(|(name, copies)| left.copies(name) < *copies);
                for (place, (name, copies)) in short.enumerate() {
                    let comma = if place == 0 { "" } else { "; " };
                    write!(f, "{comma}{name} was asked {copies} times, and is left {} times", left.copies(name))?;
                }
            }
            _ => f.write_str("the kinds differ")?,
        }
        f.write_str("; nothing was spent")
    }
}

/// Who is to blame for an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// The budget does not suffice.
    Budget,
    /// The caller asked for something that is not accepted.
    Caller,
    /// The file is no whole ledger, or not the one that is expected.
    Ledger,
    /// The system failed.
    Environment,
}

/// Why a ledger refuses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file could not be read, written, locked or synced.
    #[error("the ledger could not be {what}: {source}")]
    Io {
        /// What was tried, as a participle.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// There is a file of that name.
    #[error("there is a file of this name already: a ledger is never replaced")]
    Exists,
    /// The name leads to something that is no file.
    #[error("must be a file")]
    NotAFile,
    /// The file does not begin with the opening of a ledger.
    #[error("is no ledger: {0}")]
    NotALedger(&'static str),
    /// The file is damaged in a way that no torn last write explains.
    #[error("the ledger is damaged after record {after} (byte {offset}): {why}")]
    Damaged {
        /// The last whole record of the chain.
        after: u64,
        /// Where the next one should begin.
        offset: u64,
        /// What is wrong there.
        why: &'static str,
    },
    /// The head that the caller holds is not in the chain.
    #[error(
        "the ledger's head is {head}, and the expected head {expected} is not in its chain: a restored backup, a truncated file, or another ledger"
    )]
    UnexpectedHead {
        /// What the caller holds.
        expected: Head,
        /// What the ledger ends with.
        head: Head,
    },
    /// The opening has a budget of which nothing can be spent, or numbers that a ledger does not hold.
    #[error(
        "the budget must be above 0, with delta below 1, fractions of at most 512 bits, or at least one declared part"
    )]
    Opening,
    /// An analyst's budget is of another kind than the dataset's, or larger.
    #[error("the budget of analyst \"{0}\" must lie inside that of the dataset")]
    AnalystBudget(Analyst),
    /// The ledger has no such analyst.
    #[error("the ledger has no analyst \"{0}\": analysts are fixed when it is opened")]
    UnknownAnalyst(Analyst),
    /// The budget does not suffice.
    #[error("{0}")]
    Exceeded(Box<Exceeded>),
    /// A debit without a cost, or of a mechanism that never runs.
    #[error("a debit must have at least one cost, of a mechanism that runs from 1 to 2^64 - 1 times")]
    NoCost,
    /// A cost is not of a kind that the budget counts.
    #[error("the cost must be of the kind that the budget counts")]
    Kind,
    /// A cost does not convert to what the budget counts.
    #[error("the cost does not convert to the kind of the budget: {0}")]
    Guarantee(GuaranteeError),
    /// A cost is for other neighbours than the budget.
    #[error("the cost is for the neighbours {}, and the budget for {}", cost.key(), budget.key())]
    Relation {
        /// Whom the budget protects.
        budget: Relation,
        /// Whom the cost is for.
        cost: Relation,
    },
    /// The filter refuses what was found to fit.
    #[error("the budget refuses: {0}")]
    Debit(DebitError),
    /// The release has another plan.
    #[error("the release \"{0}\" has another plan in this ledger: another plan needs another name")]
    OtherPlan(ReleaseId),
    /// The release was paid for by another analyst.
    #[error("the release \"{0}\" is another analyst's in this ledger: it needs another name")]
    OtherAnalyst(ReleaseId),
    /// The release has a result.
    #[error("the release \"{0}\" has a result in this ledger: it is printed again at no cost")]
    HasResult(ReleaseId),
    /// The result is of a debit that is not in this ledger.
    #[error("the release \"{0}\" has no such debit in this ledger")]
    NotDebited(ReleaseId),
    /// Something is longer than a ledger takes.
    #[error("{what} must have at most {most} bytes")]
    TooLarge {
        /// What is too long.
        what: &'static str,
        /// The most bytes.
        most: usize,
    },
    /// A number of a cost has too many digits.
    #[error("a number of the cost has too many digits")]
    TooManyDigits,
    /// Another process opened the ledger.
    #[error("another process opened this ledger: a copy that a fork made is not used")]
    Forked,
    /// An earlier write or sync failed.
    #[error("an earlier write to the ledger failed: open it again, which reads what is on the disk")]
    Poisoned,
    /// Somebody else wrote to the file, without the lock.
    #[error("the ledger was changed while it was locked: somebody writes to it without its lock")]
    Changed,
    /// The name leads to another file now.
    #[error("the ledger was replaced by another file while it was open")]
    Replaced,
    /// There are no random bits for the name of a new ledger.
    #[error(transparent)]
    Bits(#[from] BitsError),
}

impl BookError {
    /// Who is to blame.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Self::Exceeded(_) | Self::Debit(_) => Blame::Budget,
            Self::NotAFile | Self::NotALedger(_) | Self::Damaged { .. } | Self::UnexpectedHead { .. } => Blame::Ledger,
            Self::Io { .. } | Self::Forked | Self::Poisoned | Self::Changed | Self::Replaced | Self::Bits(_) => {
                Blame::Environment
            }
            _ => Blame::Caller,
        }
    }

    pub(super) fn io(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { what, source }
    }
}
