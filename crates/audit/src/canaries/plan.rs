//! A narrower null: the run was the plan itself.
//!
//! If what is released is a post-processing of independent channels, one for each canary (contributions
//! orthogonal and clipped, the plan's noise; later steps may depend on earlier ones), then a guess is right
//! with probability at most
//!
//! ```text
//! A(u) = min over ε′ ≥ 0 of (½·(δ_in + δ_out)(ε′) + e^ε′·u)/(u·(1 + e^ε′))
//! ```
//!
//! where u is the share of the canaries whose evidence is as strong. Of all m guesses the right ones are then
//! dominated by Binomial(m, A(1)); of the strongest r, by Binomial(r, A(U)), U the r + 1-st smallest of m
//! uniform numbers.
//!
//! **This tests the plan, and not differential privacy**: a mechanism that satisfies the same curve, and
//! whose canaries share a coin of its own, is rejected too. So it is a verdict by itself, "this run was not
//! that plan".
#![expect(clippy::float_arithmetic, reason = "every bound is moved outward by its error")]

use super::Curve;
use crate::statistics::{real, tail::Tail};

/// Points at which U is cut.
const CUTS: u32 = 2_000;

/// At least the probability that `v` or more of the strongest `r` guesses are right, of `m` canaries, under
/// the plan; `r` is fixed beforehand, and may be `m`.
#[must_use]
pub fn p_value(curve: &Curve, m: u64, r: u64, v: u64) -> f64 {
    if r == 0 || r > m || v > r {
        return 1.0;
    }
    let right = |share: f64| Tail::of(r, v, curve.right_at_most(share)).upper_at_most();
    if r == m {
        return right(1.0).min(1.0);
    }
    // A falls with u, and so does the tail g(u). With U's distribution function H, which is a binomial tail,
    // ∫ g dH is at most g(u_0)·H(u_1) + Σ g(u_k)·(H(u_{k+1}) − H(u_k)); summed by parts every H has a weight
    // that is not negative, and is rounded up.
    let distribution = |u: f64| Tail::of(m, r + 1, u).upper_at_most();
    let middle = real(r + 1) / real(m + 1);
    let deviation = (middle * (1.0 - middle) / real(m + 2)).sqrt();
    let cut = |place: u32| (middle + deviation * (f64::from(place) / f64::from(CUTS) * 20.0 - 10.0)).clamp(0.0, 1.0);
    // Below the first cut a guess may be right always.
    let (mut sum, mut before) = (0.0, 1.0);
    for place in 0..=CUTS {
        let u = cut(place);
        let g = right(u).min(before);
        sum += (before - g).next_up() * distribution(u);
        before = g;
    }
    // Each of the sums and products is within a unit in its last place; there are some thousands.
    ((sum + before) * (1.0 + 1e-12)).min(1.0)
}
