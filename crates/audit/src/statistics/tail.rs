//! Binomial tails, and bounds on a probability from a count.
//!
//! `statrs` stops its continued fraction for the incomplete beta function after 140 steps, which is not
//! enough for thousands of samples (a test shows by how much it is off), so the tails are summed here.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::normal::{score_at_least, score_at_most};
use super::real;

/// The relative error of a tail is below this for n up to 10^9.
///
/// The exponent of the mass (Loader's form, below) is a sum of four corrections and two deviances, each
/// within 8 units in the last place of itself; where the mass is above 10^-300 they are below 700, so the
/// mass is within 700·2^-48 < 3·10^-12. The sum has positive terms, each from the last by a factor within 4
/// units in the last place: for the 10·√n terms that matter that is 10·√n·2^-51 < 2·10^-10 at n = 10^9. What
/// is cut off is below 10^-13 of it.
pub const SLACK: f64 = 1e-9;

/// P(X ≥ x) and P(X < x) of X ~ Binomial(n, p): the smaller one as computed, the other as what is missing
/// to 1.
#[derive(Clone, Copy, Debug)]
pub struct Tail {
    small: f64,
    small_is_upper: bool,
    /// The smaller one is 0, and not only too small for a float.
    is_zero: bool,
}

impl Tail {
    /// The tails of Binomial(n, p) at x.
    #[must_use]
    pub fn of(n: u64, x: u64, p: f64) -> Self {
        if x == 0 || p >= 1.0 && x <= n {
            return Self { small: 0.0, small_is_upper: false, is_zero: true };
        }
        if x > n || p <= 0.0 {
            return Self { small: 0.0, small_is_upper: true, is_zero: true };
        }
        let odds = p / (1.0 - p);
        if real(x) >= real(n) * p {
            // The mass at x + j + 1 over that at x + j is (n − x − j)/(x + j + 1)·p/(1 − p): it falls with j,
            // and is below 1.
            let sum = sum(real(n - x), real(x) + 1.0, odds);
            Self { small: mass(n, x, p) * sum, small_is_upper: true, is_zero: false }
        } else {
            // Downward from x − 1: (x − 1 − j)/(n − x + 2 + j)·(1 − p)/p.
            let sum = sum(real(x - 1), real(n - x) + 2.0, 1.0 / odds);
            Self { small: mass(n, x - 1, p) * sum, small_is_upper: false, is_zero: false }
        }
    }

    /// At least P(X ≥ x).
    #[must_use]
    pub fn upper_at_most(&self) -> f64 {
        self.at_most(true)
    }

    /// At least P(X < x).
    #[must_use]
    pub fn lower_at_most(&self) -> f64 {
        self.at_most(false)
    }

    /// At most the normal score of P(X ≥ x).
    #[must_use]
    pub fn upper_score_at_least(&self) -> f64 {
        self.score_at_least(true)
    }

    /// At most the normal score of P(X < x).
    #[must_use]
    pub fn lower_score_at_least(&self) -> f64 {
        self.score_at_least(false)
    }

    fn at_most(&self, upper: bool) -> f64 {
        if upper == self.small_is_upper {
            // Masses below 10^-300 have lost their digits: taken for that much.
            if self.is_zero { 0.0 } else { (self.small * (1.0 + SLACK)).max(1e-300) }
        } else {
            // 1 − small, with the rounding of the subtraction.
            (1.0 - self.small * (1.0 - SLACK) + 1e-15).min(1.0)
        }
    }

    fn score_at_least(&self, upper: bool) -> f64 {
        if upper == self.small_is_upper {
            score_at_least(self.at_most(upper))
        } else {
            // Φ̄⁻¹(1 − s) = −Φ̄⁻¹(s), and s taken for less makes this lower.
            -score_at_most(self.small * (1.0 - SLACK))
        }
    }
}

/// 1 + r₀ + r₀r₁ + … for rⱼ = (above − j)/(below + j)·odds, which fall and are below 1.
fn sum(above: f64, below: f64, odds: f64) -> f64 {
    let (mut above, mut below) = (above, below);
    let (mut term, mut sum) = (1.0, 1.0);
    while above > 0.0 {
        let ratio = above / below * odds;
        term *= ratio;
        sum += term;
        // What follows is below term·(ratio + ratio² + …).
        if term * ratio < sum * (1.0 - ratio) * 1e-14 {
            break;
        }
        above -= 1.0;
        below += 1.0;
    }
    sum
}

/// P(X = x) of Binomial(n, p), 0 < p < 1, as Loader, "Fast and accurate computation of binomial
/// probabilities" (2000) writes it: √(n/(2πx(n − x)))·exp(s(n) − s(x) − s(n − x) − d(x, np) − d(n − x, n(1 −
/// p))), without the cancellation of ln n!.
pub(crate) fn mass(n: u64, x: u64, p: f64) -> f64 {
    let (whole, part, rest) = (real(n), real(x), real(n - x));
    if x == 0 {
        return (whole * (-p).ln_1p()).exp();
    }
    if x == n {
        return (whole * p.ln()).exp();
    }
    let exponent =
        stirling(n) - stirling(x) - stirling(n - x) - deviance(part, whole * p) - deviance(rest, whole * (1.0 - p));
    exponent.exp() * (whole / (core::f64::consts::TAU * part * rest)).sqrt()
}

/// s(n) = ln n! − ln(√(2πn)·(n/e)^n).
///
/// From 16 on the asymptotic series, whose error is below its next term, 1/(1188·n⁹) < 10^-13; below, ln n!
/// itself, which is small.
fn stirling(n: u64) -> f64 {
    let x = real(n);
    if n < 16 {
        let factorial: f64 = (1..=n).map(real).product();
        return factorial.ln() - 0.5 * (core::f64::consts::TAU * x).ln() - x * (x.ln() - 1.0);
    }
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square) / x
}

/// d(x, m) = x·ln(x/m) + m − x: near x = m by its series in v = (x − m)/(x + m), where the terms would
/// cancel.
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    let v = (x - m) / (x + m);
    let (mut sum, mut term, mut odd) = ((x - m) * v, 2.0 * x * v, 3.0);
    // v² ≤ 0.01: eleven terms leave 10^-22.
    for _ in 0..11 {
        term *= v * v;
        sum += term / odd;
        odd += 2.0;
    }
    sum
}

/// A p below which every point rejects: for all p′ ≤ p, the normal score of P(X ≥ x) under Binomial(n, p′) is
/// at least `score`.
///
/// The scores fall as p grows, so it suffices that the score *at* p, from its safe side, is large enough:
/// whatever the search did, that is what is checked. It is within 2^-11 standard errors of the best such p.
/// `guess` only speeds it up.
///
/// With `score` = Φ̄⁻¹(α), this is the Clopper–Pearson (1934) lower bound.
#[must_use]
pub fn rejected_below(n: u64, x: u64, score: f64, guess: Option<f64>) -> f64 {
    if x == 0 {
        return 0.0;
    }
    let excess = |p: f64| Tail::of(n, x, p).upper_score_at_least() - score;
    let mean = real(x) / real(n);
    let spread = ((mean * (1.0 - mean)).max(1.0 / real(n)) / real(n)).sqrt();
    let enough = spread / 2048.0;
    // Invariant: excess(low) ≥ 0 (at 0, P(X ≥ x) = 0), and high is 1 or has excess < 0.
    let (mut low, mut high) = (0.0, 1.0);
    let (mut low_excess, mut high_excess) = (f64::NAN, f64::NAN);
    let mut next = guess.unwrap_or(mean - score * spread);
    for round in 0..200 {
        if high - low <= enough {
            break;
        }
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        let found = excess(next);
        if found >= 0.0 {
            (low, low_excess) = (next, found);
        } else {
            (high, high_excess) = (next, found);
        }
        // The scores are nearly linear in p: step by the slope, and past the root, so that the bracket closes
        // from both sides.
        let step = if round < 3 { found * spread } else { (high - low) * low_excess / (low_excess - high_excess) };
        let nudge = if found >= 0.0 { 0.4 * enough } else { -0.4 * enough };
        next = if round < 3 {
            next + step + nudge
        } else if round % 2 == 0 {
            low + step + nudge
        } else {
            0.5 * (low + high)
        };
    }
    low
}

/// A p above which every point rejects: for all p′ ≥ p, the normal score of P(X ≤ x) is at least `score`.
/// Clopper–Pearson's upper bound for `score` = Φ̄⁻¹(α); the mirror image of [`rejected_below`].
#[must_use]
pub fn rejected_above(n: u64, x: u64, score: f64) -> f64 {
    // n − X ~ Binomial(n, 1 − p), and 1 − low is rounded up.
    (1.0 - rejected_below(n, n.saturating_sub(x), score, None) + 2e-16).min(1.0)
}

#[cfg(test)]
#[expect(
    clippy::excessive_precision,
    clippy::cast_possible_truncation,
    reason = "as oracles printed them; small exponents"
)]
mod tests {
    use super::*;
    use certus::exact::{Rational, from_f64};
    use num_bigint::BigInt;
    use num_traits::{One, Zero};

    /// P(X ≥ x) as a rational, for the float p as the rational that it is.
    fn exact(n: u64, x: u64, p: f64) -> Rational {
        let p = from_f64(p).unwrap();
        let q = Rational::one() - &p;
        let (mut sum, mut term) = (Rational::zero(), num_traits::pow(p.clone(), n as usize));
        for k in (x..=n).rev() {
            sum += &term;
            term = term * BigInt::from(k) / BigInt::from(n - k + 1) * &q / &p;
        }
        sum
    }

    #[test]
    fn tails_hold_against_exact_sums_and_are_close() {
        for n in [1_u64, 2, 7, 40] {
            for x in 0..=n {
                for p in [1.0 / 1_073_741_824.0, 0.015_625, 0.5, 0.75, 0.984_375] {
                    let tail = Tail::of(n, x, p);
                    let upper = exact(n, x, p);
                    let lower = Rational::one() - &upper;
                    for (claimed, truth) in [(tail.upper_at_most(), upper), (tail.lower_at_most(), lower)] {
                        let claimed = from_f64(claimed).unwrap();
                        assert!(claimed >= truth, "n {n} x {x} p {p}");
                        let small = truth < from_f64(1e-3).unwrap();
                        let room =
                            &truth * from_f64(3e-9).unwrap() + from_f64(if small { 2e-15 } else { 3e-9 }).unwrap();
                        assert!(claimed - &truth <= room, "n {n} x {x} p {p}");
                    }
                }
            }
        }
    }

    /// P(X ≥ x) by mpmath 1.3 at 50 digits (regularised incomplete beta function).
    #[test]
    fn tails_agree_with_an_oracle_for_many_samples() {
        for (n, x, p, truth) in ORACLE {
            let tail = Tail::of(n, x, p);
            assert!(
                tail.upper_at_most() >= truth && tail.upper_at_most() <= truth * (1.0 + 3e-9),
                "{n} {x} {p}: {tail:?} {truth}"
            );
        }
    }
    const ORACLE: [(u64, u64, f64, f64); 8] = [
        (8000, 4470, 0.5588, 0.50825998520211900252),
        (8000, 4470, 0.54, 0.00039381716540475985651),
        (8000, 16, 0.0005, 4.8513879100917560665e-6),
        (80000, 13000, 0.16, 0.027363256210861198285),
        (1000000, 1000, 0.0009, 0.00054697360076492484717),
        (1000000, 500500, 0.5, 0.15889734568165276856),
        (10000000, 1623000, 0.1625, 0.95682838805081635535),
        (100000000, 50005000, 0.5, 0.15867945221380291539),
    ];

    /// Why `statrs` does not decide anything here.
    #[test]
    fn the_library_stops_too_early() {
        let (n, x, p) = (10_000_000_u64, 3_000_000_u64, 0.3);
        let theirs = statrs::function::beta::beta_reg(real(x), real(n - x) + 1.0, p);
        let ours = Tail::of(n, x, p).upper_at_most();
        assert!((ours - 0.500_119_295).abs() < 1e-8, "{ours}");
        assert!((theirs - ours).abs() > 0.05, "{theirs}");
        // And of a thousand million samples a "probability" of nearly 4.
        assert!(statrs::function::beta::beta_reg(3e8, 7e8 + 1.0, p) > 3.0);
    }

    /// scipy 1.x `beta.ppf(alpha, x, n - x + 1)` and `beta.ppf(1 - alpha, x + 1, n - x)`.
    #[test]
    fn quantiles_agree_with_an_oracle_and_lie_outside() {
        for (n, x, alpha, lower, upper) in QUANTILES {
            let score = score_at_most(alpha);
            let (low, high) = (rejected_below(n, x, score, None), rejected_above(n, x, score));
            let spread = ((real(x) / real(n)) * (1.0 - real(x) / real(n)) / real(n)).sqrt().max(1.0 / real(n));
            assert!(low <= lower && lower - low < 1e-3 * spread, "{n} {x} {alpha}: {low} {lower}");
            assert!(high >= upper && high - upper < 1e-3 * spread, "{n} {x} {alpha}: {high} {upper}");
        }
        assert_eq!(rejected_below(10, 0, 1.0, None), 0.0);
        assert_eq!(rejected_above(10, 10, 1.0), 1.0);
    }
    const QUANTILES: [(u64, u64, f64, f64, f64); 9] = [
        (10, 3, 0.05, 0.08726443391415033, 0.6066242161054123),
        (500, 150, 0.001, 0.23870518882851494, 0.36673686203140743),
        (8000, 4470, 0.025, 0.547787108956187, 0.5696700655352949),
        (8000, 16, 0.0005, 0.0007491360769594011, 0.004232975795906772),
        (8000, 1, 0.05, 6.411641243784238e-06, 0.0005928443298618085),
        (80000, 13000, 0.001, 0.15849159626765955, 0.16656505463419619),
        (1000000, 1000, 0.025, 0.0009390012079500965, 0.001063918107315228),
        (1000000, 500000, 0.025, 0.49901951919531184, 0.5009804808046882),
        (10000000, 1623000, 0.0005, 0.161916525331257, 0.16268398480637397),
    ];
}
