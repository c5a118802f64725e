//! Exact numbers: rationals, and enclosures of reals computed on integers alone.

mod integer;
mod natural;
mod rational;

pub use integer::Integer;
pub use natural::Natural;
pub use rational::{NonNegative, NotNegative, NotPositive, NotProbability, Positive, Probability, Rational};
