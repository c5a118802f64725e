//! Exact numbers: rationals, and enclosures of reals computed on integers alone.

mod budget;
mod decimal;
mod disc;
mod enclosure;
mod exp;
mod float;
mod image;
mod integer;
mod ln;
mod natural;
mod normal;
mod ops;
mod parse;
mod pmf;
mod rational;
mod real;
mod render;
mod scaled;
#[cfg(feature = "serde")]
mod serial;
mod working;

pub(crate) use budget::{Budget, exponential, product};
pub use decimal::{Rounding, decimal};
pub(crate) use disc::Disc;
pub use enclosure::Enclosure;
pub use exp::{exp_neg, exp_neg_relative};
pub use float::{NotFiniteError, from_f64};
pub use integer::Integer;
pub use ln::ln;
pub use natural::Natural;
pub use normal::normal_tail;
pub use num_bigint::{BigInt, BigUint};
pub use parse::{MAX_DIGITS, MAX_EXPONENT, NumberError, parse};
pub use pmf::{FinitePmf, GaussianPmf, LaplacePmf, Pmf};
pub(crate) use rational::number;
pub use rational::{
    NegativeError, NonNegative, NotPositiveError, NotProbabilityError, ParameterError, Positive, Probability,
    RangeError, Rational,
};
pub use real::Real;
pub use render::render;
pub(crate) use scaled::Scaled;
pub(crate) use working::Working;
