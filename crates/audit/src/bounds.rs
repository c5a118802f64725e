//! Lower bounds on δ and ε that agree about a claim, as numbers and as they are printed.

use super::Claim;
use super::claim::above;
use certus::exact::{Rational, Rounding, decimal, from_f64, parse};

/// Significant digits of a bound that is printed.
const DIGITS: u32 = 6;

/// δ(ε) ≥ `delta` at the claimed ε, and every ε below `epsilon` is refuted at the claimed δ.
///
/// A claim (ε, δ) is refuted where its δ is below the first, and where its ε is below the second: for exact
/// bounds of one region that is the same. These are rounded, in floats and then to six digits, and could
/// disagree about a claim at the edge. So **a claim is called refuted if both bounds refute it as they are
/// printed**, and a bound that refutes a claim alone is lowered to what is claimed, which is sound.
///
/// ```
/// use certus_audit::{Claim, LowerBounds};
/// use certus::exact::parse;
///
/// let claim = Claim::new(parse("1")?, parse("0.01")?)?;
/// assert!(LowerBounds::new(&claim, 0.012, 1.05).is_refuted);
/// // Refuted by less than is printed: not refuted, and no number says otherwise.
/// let edge = LowerBounds::new(&claim, 0.010_000_001, 1.000_004);
/// assert!(!edge.is_refuted && edge.delta <= 0.01 && edge.epsilon <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowerBounds {
    /// From 0 to 1.
    pub delta: f64,
    /// At least 0.
    pub epsilon: f64,
    /// Whether the claim is.
    pub is_refuted: bool,
}

impl LowerBounds {
    /// From two bounds of the same region, or of several; what is below 0, or no number, is taken for 0.
    #[must_use]
    pub fn new(claim: &Claim, delta: f64, epsilon: f64) -> Self {
        // `max` answers the other where one is NaN.
        let (delta, epsilon) = (delta.max(0.0).clamp(0.0, 1.0), epsilon.max(0.0));
        let exceeds = |bound: f64, claimed: &Rational| parse(&decimal_below(bound)).is_ok_and(|bound| bound > *claimed);
        let by_delta = exceeds(delta, claim.delta());
        let by_epsilon = exceeds(epsilon, claim.epsilon());
        let is_refuted = by_delta && by_epsilon;
        let lowered = |bound: f64, claimed: &Rational| if is_refuted { bound } else { bound.min(below(claimed)) };
        Self { delta: lowered(delta, claim.delta()), epsilon: lowered(epsilon, claim.epsilon()), is_refuted }
    }
}

/// The greatest float that is at most a small number.
pub(super) fn below(value: &Rational) -> f64 {
    let above = above(value);
    if from_f64(above).is_ok_and(|above| above == *value) { above } else { above.next_down() }
}

/// A bound from below as a decimal, rounded down.
pub(super) fn decimal_below(value: f64) -> String {
    from_f64(value).map_or_else(|_| "0".to_owned(), |value| decimal(&value, DIGITS, Rounding::Down))
}

/// A bound from above as a decimal, rounded up.
pub(super) fn decimal_above(value: f64) -> String {
    from_f64(value).map_or_else(|_| "1".to_owned(), |value| decimal(&value, DIGITS, Rounding::Up))
}
