//! How often so many guesses may be right, by Mahloujifar, Melis and Chaudhuri (2024).
//!
//! m canaries with fair coins, r guesses, r fixed beforehand; p_c the probability that c of them are right.
//! For whatever satisfies the claim's curve, and every set T of numbers,
//!
//! ```text
//! (1/m)·Σ_{c∈T} c·p_c ≤ F((1/m)·Σ_{c∈T} (r − c + 1)·p_{c−1})
//! ```
//!
//! If v or more are right with probability τ, then with a = τ·v/m and h = τ·(r − v)/m the sets {i, …, r}, for
//! i = v − 1, …, 0, in turn force mass below v: h′ = max(h, F⁻¹(a)), a + (i/(r − i))·(h′ − h). The masses add
//! up to r/m in a + h; more than that is a contradiction.
#![expect(clippy::float_arithmetic, reason = "every bound is moved outward by its error")]

use super::Curve;
use crate::statistics::real;

/// A number between two floats.
#[derive(Clone, Copy, Debug)]
struct Between(f64, f64);

impl Between {
    /// What two floats give, computed once: within half a unit in the last place.
    fn near(value: f64) -> Self {
        Self(value.next_down().max(0.0), value.next_up())
    }

    fn plus(self, other: Self) -> Self {
        Self((self.0 + other.0).next_down().max(0.0), (self.1 + other.1).next_up())
    }

    /// Times a fraction that is not negative.
    fn times(self, fraction: Self) -> Self {
        Self((self.0 * fraction.0).next_down().max(0.0), (self.1 * fraction.1).next_up())
    }

    /// How much the first is above the second, or 0.
    fn above(self, other: Self) -> Self {
        Self((self.0 - other.1).next_down().max(0.0), (self.1 - other.0).next_up().max(0.0))
    }
}

/// Whether no mechanism of this curve has at least `v` of `r` guesses right, of `m` canaries, with
/// probability `tau` or more. Every rounding is towards "there may be one".
#[must_use]
pub fn refutes(curve: &Curve, m: u64, r: u64, v: u64, tau: f64) -> bool {
    if r == 0 || r > m || v > r || tau <= 0.0 {
        return false;
    }
    let fraction = |over: u64, under: u64| Between::near(real(over) / real(under));
    let tau = Between(tau, tau);
    let mut a = tau.times(fraction(v, m));
    let mut h = tau.times(fraction(r - v, m));
    let whole = fraction(r, m).1;
    let mut inverse = curve.inverse();
    for i in (0..v).rev() {
        if a.plus(h).0 > whole {
            return true;
        }
        let (low, high) = inverse.bounds(a.0, a.1.min(1.0));
        let forced = Between(low.max(h.0), high.max(h.1));
        a = a.plus(forced.above(h).times(fraction(i, r - i)));
        h = forced;
    }
    a.plus(h).0 > whole
}

/// At least the probability that `v` or more are right under the claim: a p-value.
#[must_use]
pub fn p_value(curve: &Curve, m: u64, r: u64, v: u64) -> f64 {
    // What is refuted at τ is refuted at every greater one.
    let (mut low, mut high) = (0.0, 1.0);
    if !refutes(curve, m, r, v, high) {
        return 1.0;
    }
    // On a logarithmic scale, down to 2^-60.
    for _ in 0..60 {
        let middle: f64 = if low == 0.0 && high > 1e-18 { high / 2.0 } else { (low + high) / 2.0 };
        if refutes(curve, m, r, v, middle) {
            high = middle;
        } else {
            low = middle;
        }
        if high - low < high * 1e-6 {
            break;
        }
    }
    high
}
