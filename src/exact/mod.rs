//! Exact numbers: rationals, and enclosures of reals computed on integers alone.

mod decimal;
mod enclosure;
mod exp;
mod integer;
mod ln;
mod natural;
mod pmf;
mod rational;

pub use decimal::{Rounding, decimal};
pub use enclosure::Enclosure;
pub use exp::{exp_neg, exp_neg_relative};
pub use integer::Integer;
pub use ln::ln;
pub use natural::Natural;
pub use pmf::{FinitePmf, GaussianPmf, LaplacePmf, Pmf};
pub use rational::{NonNegative, NotNegative, NotPositive, NotProbability, Positive, Probability, Rational};
