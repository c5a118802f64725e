//! Errors on a grid and of clamped outputs: bounds, since what rounding or clamping adds depends on the
//! answer.

use num_bigint::BigInt;

use super::{Accuracy, AccuracyError};
use crate::{
    exact::{Integer, Probability, Rational},
    mechanism::additive::{Clamped, Grid, OnGrid, OnGridVector},
};

/// g·α. Rounding moves an answer by less than g, so |error| < g·(|noise| + 1): |error| ≥ g·α
/// implies |noise| > α − 1, hence |noise| ≥ α.
fn on_grid(grid: &Grid, law: &impl Accuracy, beta: &Probability) -> Result<Rational, AccuracyError> {
    let alpha = Integer::from(BigInt::from(law.error_bound(beta)?.alpha().clone()));
    Ok(grid.multiple(&alpha))
}

impl<M: Accuracy> OnGrid<M> {
    /// A number a with P(|output − answer| ≥ a) ≤ β, whatever the answer: g·α for the α of the noise.
    /// Rounding adds nothing to it.
    ///
    /// ```
    /// use certus::{
    ///     exact::{NonNegative, Probability, Rational},
    ///     guarantee::{L1, Relation, Sensitivity},
    ///     mechanism::additive::{Grid, LaplaceMechanism, OnGrid, Rounding},
    /// };
    ///
    /// let grid = Grid::new(&Rational::new(1.into(), 100.into()), Rounding::Nearest)?;
    /// let steps = grid.scalar(&Sensitivity::<L1>::new(NonNegative::one(), Relation::ChangeOne));
    /// let noise = LaplaceMechanism::with_epsilon(&steps, &Rational::from_integer(10.into()))?;
    /// let beta = Probability::new(Rational::new(1.into(), 20.into()))?;
    /// // 31 steps: the noise, with room for the rounding.
    /// assert_eq!(OnGrid::new(grid, noise).error_bound(&beta)?, Rational::new(31.into(), 100.into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Accuracy::error_bound`].
    pub fn error_bound(&self, beta: &Probability) -> Result<Rational, AccuracyError> {
        on_grid(self.grid(), self.mechanism(), beta)
    }
}

impl<M: Accuracy> OnGridVector<M> {
    /// The same for the largest error of all coordinates.
    ///
    /// # Errors
    ///
    /// As [`Accuracy::error_bound`].
    pub fn error_bound(&self, beta: &Probability) -> Result<Rational, AccuracyError> {
        on_grid(self.grid(), self.mechanism(), beta)
    }
}

impl<M: Accuracy> Clamped<M> {
    /// A number α with P(|output − answer| ≥ α) ≤ β for every answer in [lower, upper], which clamped noise
    /// moves no further than noise; and never more than upper − lower + 1.
    ///
    /// # Errors
    ///
    /// As [`Accuracy::error_bound`].
    pub fn error_bound(&self, beta: &Probability) -> Result<Integer, AccuracyError> {
        let (lower, upper) = self.bounds();
        let widest = upper.add(&lower.neg()).add(&Integer::from(1));
        Ok(Integer::from(self.mechanism().error_bound(beta)?.alpha().clone()).min(widest))
    }
}
