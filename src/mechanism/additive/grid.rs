//! A rational grid: how a real-valued answer becomes an integer, and how far apart neighbours are then.

use num_traits::Signed;

use super::AdditiveError;
use crate::{
    exact::{Integer, NonNegative, Positive, Rational, number},
    guarantee::{L1, L2Squared, Sensitivity},
};

/// How a rational is rounded to an integer: each is ⌊x + c⌋ or ⌈x + c⌉ with a constant c, and that is what
/// the sensitivities rest on.
///
/// Rounding half to even, or half away from zero, is not of this kind: ½ and 3/2 go to 0 and 2 (even), −½ and
/// ½ to −1 and 1 (away), twice as far apart as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Rounding {
    /// ⌊x + ½⌋: to the nearest, a half always up.
    Nearest,
    /// ⌊x⌋.
    Down,
    /// ⌈x⌉.
    Up,
}

impl Rounding {
    /// numerator/denominator, rounded; the denominator is positive. At any width, so that what ships is
    /// proven at one that can be.
    fn quotient<T: num_integer::Integer + Clone>(self, numerator: &T, denominator: &T) -> T {
        let double = |value: &T| value.clone() + value.clone();
        match self {
            // ⌊n/d + ½⌋ = ⌊(2n + d)/2d⌋.
            Self::Nearest => (double(numerator) + denominator.clone()).div_floor(&double(denominator)),
            Self::Down => numerator.div_floor(denominator),
            Self::Up => numerator.div_ceil(denominator),
        }
    }
}

/// The multiples of a rational g > 0.
///
/// # How far rounding moves neighbours apart
///
/// With ⌊·⌋, ⌊· + ½⌋ and ⌈·⌉, |round(x) − round(y)| ≤ ⌈|x − y|⌉: a shift by the integer ⌈|x − y|⌉ commutes
/// with the rounding, which does not fall. And ⌈z⌉ < z + 1. So in units of g, if at most m coordinates
/// change:
///
/// * a scalar: ⌈Δ/g⌉;
/// * L1: Σ⌈|dᵢ|/g⌉ < Δ₁/g + m, hence, being an integer, at most ⌈Δ₁/g⌉ + m − 1;
/// * L2: √Σ⌈|dᵢ|/g⌉² ≤ Δ₂/g + √m (Minkowski), hence the integer Σ⌈|dᵢ|/g⌉² ≤ ⌊(Δ₂/g + √m)²⌋.
///
/// ```
/// use certus::{
///     exact::{Integer, NonNegative, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::additive::{Grid, Rounding},
/// };
///
/// // A mean of 50 entries from −1 to 1 has Δ = 2/50; on a grid of 1/100, neighbours are at most 4 steps apart.
/// let (lower, upper) = (Rational::from_integer((-1).into()), Rational::from_integer(1.into()));
/// let mean = Sensitivity::<L1>::of_mean(&lower, &upper, 50)?;
/// let grid = Grid::new(&Rational::new(1.into(), 100.into()), Rounding::Nearest)?;
/// assert_eq!(grid.scalar(&mean).get(), &Rational::from_integer(4.into()));
/// assert_eq!(grid.round(&Rational::new((-1).into(), 200.into())), Integer::from(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::parameters::GridParameters", into = "super::parameters::GridParameters")
)]
pub struct Grid {
    step: Positive,
    rounding: Rounding,
}

fn whole(n: u64) -> Rational {
    Rational::from_integer(n.into())
}

/// A bound that is not negative by construction; |value| if it were.
fn bound(value: &Rational) -> NonNegative {
    NonNegative::new(value.abs()).unwrap_or_else(|_| NonNegative::zero())
}

impl Grid {
    /// The multiples of `step`.
    ///
    /// # Errors
    ///
    /// If the step is not positive.
    pub fn new(step: &Rational, rounding: Rounding) -> Result<Self, AdditiveError> {
        let step = Positive::new(step.clone()).map_err(|_| AdditiveError::Grid)?;
        Ok(Self { step, rounding })
    }

    /// g.
    #[must_use]
    pub fn step(&self) -> &Positive {
        &self.step
    }

    /// How answers are rounded.
    #[must_use]
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// The number of the multiple of g that an answer is rounded to; 0 for a quotient by 0, which only
    /// `Ratio::new_raw` makes.
    #[must_use]
    pub fn round(&self, answer: &Rational) -> Integer {
        let Some(answer) = number(answer) else { return Integer::ZERO };
        let scaled = answer.as_ref() / self.step.get();
        Integer::from(self.rounding.quotient(scaled.numer(), scaled.denom()))
    }

    /// The k-th multiple of g.
    #[must_use]
    pub fn multiple(&self, k: &Integer) -> Rational {
        self.step.get() * Rational::from_integer(k.to_big())
    }

    /// How far rounding may move an answer: g/2 to the nearest, and g (less, in fact) otherwise.
    #[must_use]
    pub fn rounding_error(&self) -> Rational {
        match self.rounding {
            Rounding::Nearest => self.step.get() / whole(2),
            Rounding::Down | Rounding::Up => self.step.get().clone(),
        }
    }

    /// ⌈Δ/g⌉: the distance of rounded scalar answers.
    #[must_use]
    pub fn scalar(&self, sensitivity: &Sensitivity<L1>) -> Sensitivity<L1> {
        Sensitivity::new(bound(&(sensitivity.get() / self.step.get()).ceil()), sensitivity.relation())
    }

    /// ⌈Δ₁/g⌉ + m − 1: the L1 distance of rounded vectors of which at most m = `changed` coordinates change.
    ///
    /// # Errors
    ///
    /// If m is 0.
    pub fn l1(&self, sensitivity: &Sensitivity<L1>, changed: u64) -> Result<Sensitivity<L1>, AdditiveError> {
        let more = changed.checked_sub(1).ok_or(AdditiveError::Changed)?;
        let steps = (sensitivity.get() / self.step.get()).ceil() + whole(more);
        Ok(Sensitivity::new(bound(&steps), sensitivity.relation()))
    }

    /// ⌊(Δ₂/g + √m)²⌋: the squared L2 distance of rounded vectors of which at most m = `changed` coordinates
    /// change.
    ///
    /// # Errors
    ///
    /// If m is 0.
    pub fn l2_squared(
        &self,
        sensitivity: &Sensitivity<L2Squared>,
        changed: u64,
    ) -> Result<Sensitivity<L2Squared>, AdditiveError> {
        if changed == 0 {
            return Err(AdditiveError::Changed);
        }
        // With D = Δ₂²/g²: (√D + √m)² = D + m + √(4Dm).
        let square = sensitivity.get() / self.step.square().get();
        let sum = &square + whole(changed);
        let product = &square * whole(changed) * whole(4);
        // n is at most the floor iff n ≤ D + m, or (n − D − m)² ≤ 4Dm. The floor is ⌊D + m⌋ + ⌊√(4Dm)⌋ or at
        // most 1 more.
        let root = (product.numer() / product.denom()).sqrt();
        let reached = |n: &Rational| *n <= sum || (n - &sum) * (n - &sum) <= product;
        let least = sum.floor() + Rational::from_integer(root);
        let greatest = (0..=2).rev().map(|more| &least + whole(more)).find(reached).unwrap_or(least);
        Ok(Sensitivity::new(bound(&greatest), sensitivity.relation()))
    }
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/mechanism/additive/grid.rs"]
mod proofs;
