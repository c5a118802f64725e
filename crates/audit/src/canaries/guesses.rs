//! How often so many guesses may be right, by Steinke, Nasr and Jagielski (2023): for claims (ε, δ).
//!
//! W ~ Binomial(r, q), q = e^ε/(1 + e^ε). At δ = 0 the number of right guesses is dominated by W, also where
//! r depends on the scores. At δ > 0, r is fixed beforehand, and v or more are right with probability at most
//!
//! ```text
//! P[W ≥ v] + 2mδ·max over 1 ≤ i ≤ v of P[v > W ≥ v − i]/i
//! ```
#![expect(clippy::float_arithmetic, reason = "every bound is moved outward by its error")]

use crate::statistics::{
    exp_bounds, real,
    tail::{SLACK, Tail, mass},
};

/// At least the probability that `v` or more of `r` guesses are right, of `m` canaries, under (ε, δ).
#[must_use]
pub fn p_value(epsilon: f64, delta: f64, m: u64, r: u64, v: u64) -> f64 {
    // What is no claim is not refuted; NaN compares with nothing.
    if v > r || r > m || !(epsilon >= 0.0 && delta >= 0.0) {
        return 1.0;
    }
    let share = |odds: f64| if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
    let (low, high) = exp_bounds(epsilon);
    let (low, high) = (share(low).next_down(), share(high).next_up().min(1.0));
    // W's tail rises with q.
    let most = Tail::of(r, v, high).upper_at_most();
    // Where v is below W's mean, that is about a half, and more.
    if delta <= 0.0 || real(v) <= real(r) * high {
        return if delta <= 0.0 { most.min(1.0) } else { 1.0 };
    }
    // The masses from v − 1 down rise to the mode and then fall, and so does their mean. Each is, as a
    // function of q, greatest at an end of q's bounds, or next to nothing below that where its own peak is
    // between them.
    let (mut sum, mut greatest) = (0.0_f64, 0.0_f64);
    for i in 1..=v {
        sum += mass(r, v - i, low).max(mass(r, v - i, high));
        let mean = sum / real(i);
        greatest = greatest.max(mean);
        if mean < greatest * 0.5 {
            break;
        }
    }
    let more = 2.0 * real(m) * delta * greatest * (1.0 + SLACK);
    (most + more).next_up().min(1.0)
}
