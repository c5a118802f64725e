//! Exact numbers: rationals, and enclosures of reals computed on integers alone.

mod rational;

pub use rational::{NonNegative, NotNegative, NotPositive, Positive, Rational};
