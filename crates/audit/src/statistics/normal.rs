//! Normal scores: the z of which a standard normal variable exceeds with a given probability.
#![expect(clippy::float_arithmetic, reason = "estimates; every score is moved outward by its error")]

use core::f64::consts::SQRT_2;

use statrs::function::erf::erfc_inv;

/// More than the error of `raw` for tails from `LEAST` to 1 − 2^-53: the tests measure it against enclosures
/// of the normal tail.
pub const SLACK: f64 = 1e-8;

/// Tails below this are taken for this much.
const LEAST: f64 = 1e-300;

/// At most the z with P(Z > z) = `tail`.
///
/// The score falls as the tail grows, so a tail taken for more than it is gives a score that is too low,
/// which is the safe side.
#[must_use]
pub fn score_at_least(tail: f64) -> f64 {
    if tail >= 1.0 || tail.is_nan() {
        return f64::NEG_INFINITY;
    }
    raw(tail.max(LEAST)) - SLACK
}

/// At least the z with P(Z > z) = `tail`.
#[must_use]
pub fn score_at_most(tail: f64) -> f64 {
    if tail < LEAST || tail.is_nan() {
        return f64::INFINITY;
    }
    if tail >= 1.0 { -30.0 } else { raw(tail) + SLACK }
}

fn raw(tail: f64) -> f64 {
    // 1 − tail is exact from ½ on, and its score has all its digits.
    if tail > 0.5 { -SQRT_2 * erfc_inv(2.0 * (1.0 - tail)) } else { SQRT_2 * erfc_inv(2.0 * tail) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::{from_f64, normal_tail};

    /// Against the enclosure of Φ̄, which is computed on integers: the score minus the slack is below the
    /// true one, plus it above.
    #[test]
    fn scores_are_within_the_slack() {
        let mut tails: Vec<f64> = (0..=299).step_by(7).map(|power| 10_f64.powi(-power) * 0.9).collect();
        tails.extend((1..80).map(|i| f64::from(i) / 80.0));
        tails.extend((20..53).map(|power| 1.0 - 0.5_f64.powi(power)));
        for tail in tails {
            let exact = from_f64(tail).unwrap();
            let at = |z: f64| normal_tail(&from_f64(z).unwrap(), 120).unwrap();
            assert!(at(score_at_least(tail)).lower() > exact, "{tail:e}");
            assert!(at(score_at_most(tail)).upper() < exact, "{tail:e}");
        }
        assert_eq!(score_at_least(1.0), f64::NEG_INFINITY);
        assert_eq!(score_at_most(0.0), f64::INFINITY);
    }
}
