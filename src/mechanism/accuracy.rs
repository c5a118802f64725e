//! Accuracy: how large the error of an additive mechanism is, certified on both sides.

mod bound;
mod closed;
mod crossing;
mod gaussian;
mod on_grid;
mod scale;

use alloc::boxed::Box;

use num_bigint::BigUint;

use crate::exact::{Enclosure, Probability};

pub use bound::ErrorBound;
pub use scale::{ScaleForAccuracy, largest_scale};

/// Why there is no answer about accuracy. The text depends on public parameters alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccuracyError {
    /// β is not above 0 (or, for a wanted scale, not below 1).
    #[error("beta must be a probability above 0 (0 < beta <= 1; below 1 for a wanted scale)")]
    Beta,
    /// α = 0 is met by no noise: an error is always at least 0.
    #[error("alpha must be at least 1")]
    Alpha,
    /// The step of a grid is not positive, or no point of it gives a mechanism.
    #[error("the grid must be positive (step > 0)")]
    Grid,
    /// The smallest scale of the grid already errs too often.
    #[error("no scale of the grid meets alpha with beta: a finer grid is needed")]
    NoScale,
    /// Beyond what is computed: more than 2^22 terms, or α of more than 4096 binary digits.
    #[error("the noise is too wide for its error to be computed")]
    OutOfReach,
    /// The probability of an error and β do not part within 4096 binary digits.
    #[error("beta is too close to the probability of an error to be told apart from it")]
    Undecided,
}

/// α ↦ P(|error| ≥ α) of one coordinate, enclosed.
pub type Tails<'t> = Box<dyn Fn(&BigUint) -> Option<Enclosure> + 't>;

/// An additive mechanism, as far as its error goes, which does not depend on the answer (where it does, it is
/// the worst over all answers).
///
/// ```
/// use certus::{
///     exact::{Probability, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Accuracy, additive::LaplaceMechanism},
/// };
///
/// let count = Sensitivity::<L1>::of_count(Relation::AddRemove);
/// let mechanism = LaplaceMechanism::with_epsilon(&count, &Rational::new(1.into(), 10.into()))?;
/// let beta = Probability::new(Rational::new(1.into(), 20.into()))?;
/// // With probability at least 95 %, the error is below 31; 30 could not be promised.
/// let bound = mechanism.error_bound(&beta)?;
/// assert_eq!(bound.alpha(), &31u32.into());
/// assert!(bound.tail().upper() <= *beta.get());
/// assert!(bound.before().is_some_and(|tail| tail.lower() > *beta.get()));
/// // Ten such counts: the largest error.
/// assert_eq!(mechanism.vector(10)?.error_bound(&beta)?.alpha(), &54u32.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Accuracy {
    /// The tails of one coordinate's error, enclosed to widths of about 2^-bits; nothing if that is out of
    /// reach.
    fn tails(&self, bits: u32) -> Option<Tails<'_>>;

    /// How many coordinates have independent errors of this kind.
    fn coordinates(&self) -> u64 {
        1
    }

    /// E|error| of one coordinate, to a width of about 2^-bits; nothing if it depends on the answer or is out
    /// of reach.
    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure>;

    /// E(error²) of one coordinate, which is its variance where the noise is symmetric; nothing as above.
    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure>;

    /// The smallest α with P(max |error| ≥ α) ≤ β, exactly: over k coordinates the probability is 1 − (1 −
    /// t)^k for a tail t of one.
    ///
    /// # Errors
    ///
    /// If β is 0, or the noise is out of reach.
    fn error_bound(&self, beta: &Probability) -> Result<ErrorBound, AccuracyError> {
        bound::smallest(self, beta, bound::Joint::Exact)
    }

    /// The smallest α with k·P(|error| ≥ α) ≤ β, the union bound: never smaller than
    /// [`Accuracy::error_bound`].
    ///
    /// # Errors
    ///
    /// If β is 0, or the noise is out of reach.
    fn union_bound(&self, beta: &Probability) -> Result<ErrorBound, AccuracyError> {
        bound::smallest(self, beta, bound::Joint::Union)
    }
}
