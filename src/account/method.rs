//! The name of the method that found an answer.

use core::fmt;

/// The method that found an [`Answer`](super::Answer); its text is what a reader is shown.
///
/// A method is listed once, whichever question it answered: ε(δ) has the method of the δ(ε) that decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Nothing in the plan loses anything.
    NoLoss,
    /// ε is at least the greatest loss, or is the greatest loss.
    GreatestLoss,
    /// The profile of a single pair, or of a few copies of one, in closed form.
    ClosedForm,
    /// The sum over frequencies of a loss on a lattice.
    ExactLattice,
    /// The same, given each value of the losses that are off the lattice.
    ConditionedLattice,
    /// Two lists of all values of the loss.
    ListedLosses,
    /// The integral that a wide discrete Gaussian's sum is close to.
    ContinuousGaussian,
    /// The sum over all joint outcomes.
    Enumeration,
    /// A smoothed sum over frequencies of the characteristic function of the losses.
    Spectral,
    /// Chernoff bounds, from the moments of the loss.
    Chernoff,
    /// Basic composition: the profiles of single copies, added up.
    BasicComposition,
    /// δ is a probability, and no more is known of it.
    Trivial,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoLoss => "no loss",
            Self::GreatestLoss => "greatest loss",
            Self::ClosedForm => "closed form",
            Self::ExactLattice => "exact lattice",
            Self::ConditionedLattice => "exact lattice, conditioned on the other losses",
            Self::ListedLosses => "every loss listed",
            Self::ContinuousGaussian => "the continuous Gaussian's closed form, less than the lattice's step away",
            Self::Enumeration => "enumeration of every outcome",
            Self::Spectral => "smoothed spectral sum",
            Self::Chernoff => "Chernoff bounds",
            Self::BasicComposition => "basic composition",
            Self::Trivial => "a probability",
        })
    }
}
