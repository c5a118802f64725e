//! Exact numbers: rationals, and enclosures of reals computed on integers alone.

mod decimal;
mod enclosure;
mod exp;
mod ln;
mod rational;

pub use decimal::{Rounding, decimal};
pub use enclosure::Enclosure;
pub use exp::{exp_neg, exp_neg_relative};
pub use ln::ln;
pub use rational::{NonNegative, NotNegative, NotPositive, Positive, Rational};
