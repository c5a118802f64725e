//! Exact numbers: rationals, and enclosures of reals computed on integers alone.

mod float;
mod parse;
mod rational;
mod render;

pub use float::{NotFinite, from_f64};
pub use parse::{MAX_DIGITS, MAX_EXPONENT, NumberError, parse};
pub use rational::{NonNegative, NotNegative, NotPositive, Positive, Rational};
pub use render::render;
