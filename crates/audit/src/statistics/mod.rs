//! Tests and bounds. **Here, and in what chooses events, floats are allowed**: the numbers are estimates,
//! each with its confidence.
//!
//! A float's error must not turn a false statement into a confident one, so every quantity that a statement
//! rests on is moved outward by more than its error, which is stated where it is computed and measured in
//! tests against exact sums and enclosures.
//!
//! * [`tail`]: binomial tails, with their error; Clopper–Pearson bounds that are checked at the point they
//!   name;
//! * [`normal`]: normal scores of tails;
//! * [`region`]: a joint confidence region of two binomials, and the lower bounds on δ and ε that follow from
//!   it;
//! * [`power`]: the smallest δ that such a region would show every other time;
//! * [`plug_in`]: the empirical privacy loss, the plug-in δ̂(ε) with McDiarmid's upper bound, bands for the
//!   whole curve;
//! * [`betting`]: a test that may stop at any time.

pub mod betting;
pub mod normal;
pub mod plug_in;
pub mod power;
pub mod region;
pub mod tail;

/// A count as a float. Exact below 2^53, which no sample reaches; beyond, the nearest.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53")]
#[must_use]
pub const fn real(count: u64) -> f64 {
    count as f64
}

/// e^ε from both sides: the standard library's exponential is within a few units in the last place, and 2^-40
/// is thousands.
#[expect(clippy::float_arithmetic, reason = "an estimate's float, moved outward")]
#[must_use]
pub fn exp_bounds(epsilon: f64) -> (f64, f64) {
    let middle = epsilon.exp();
    (middle * (1.0 - 9.1e-13), middle * (1.0 + 9.1e-13))
}
