//! A joint confidence region of two binomial probabilities, tilted towards P(S) − e^ε·Q(S).
//!
//! # The test
//!
//! X ~ Binomial(n, p) and Y ~ Binomial(m, q) are independent counts of an event S, fixed beforehand. A *point* (p, q) is rejected if
//!
//! 1. P_q(Y ≥ y) ≤ β, or
//! 2. P_p(X ≤ x) ≤ β, or
//! 3. P_p(X ≥ x) ≤ γ, or
//! 4. P_q(Y ≤ y) ≤ γ, or
//! 5. cos θ·Φ̄⁻¹(P_p(X ≥ x)) + sin θ·Φ̄⁻¹(P_q(Y ≤ y)) ≥ Φ̄⁻¹(α − 2β − 2γ), where θ = θ(q) is fixed beforehand.
//!
//! **A true point is rejected with probability at most α.** Each of 1 and 2 has probability at most β, each of 3 and 4 at most γ. In 5,
//! U = P_p(X ≥ x) and V = P_q(Y ≤ y) are independent p-values, each stochastically at least uniform, so their normal scores are
//! stochastically at most standard normal and independent, and so is their combination with weights of square sum 1 (Stouffer's method
//! with weights; Liptak 1958). A union bound adds up to α.
//!
//! **Rules 3 and 4 are a box**, p ≥ p₀ and q ≤ q₁ by Clopper and Pearson's bounds, and R lies in it. Rule 5 alone bounds nothing where a
//! score is −∞: for x = n, P_p(X ≥ x) is 1 at p = 1, and the points (1, q) would stay for every q.
//!
//! The points that are not rejected form a confidence region R, and **whatever holds on all of R holds at confidence 1 − α, all of it at
//! once**: p − e^ε·q ≥ inf over R, for every ε; and the least e^ε with p ≤ e^ε·q + δ, for every δ. No confidence is divided between them. (A
//! joint region turned into statements on functions of both probabilities: Reiczigel, Abonyi-Tóth and Singer 2008. The nuisance
//! parameter kept to a confidence set, 1 and 2: Berger and Boos 1994.)
//!
//! **It is sharp**, because with tan θ = e^ε·√(q(1 − q)/m) / √(p(1 − p)/n) the edge of R is, to first order, the line p − e^ε·q =
//! p̂ − e^ε·q̂ − z·σ with the σ of that very difference: what the best test for known variances would answer. Two Clopper–Pearson bounds
//! pay for a corner: (σ_p + e^ε·σ_q)·z(α/2). θ may depend on q, on the sample sizes and on the selection part, never on x and y.
//! The p of that formula is the p of the line p = δ + e^ε·q, but no more than the p expected ([`Shape::Tilted`]'s `most`): further along the
//! line p(1 − p) vanishes, all weight would be Y's, and a point far to the left of x/n would stay.
//!
//! # The supremum over the nuisance parameter is certified
//!
//! R is covered by cells q ∈ [q₀, q₁], p ≥ p₀, which end where rule 4 rejects. On a cell, P_q(Y ≤ y) is at most its value at q₀ (it falls with q); with b its score,
//! every point with Φ̄⁻¹(P_p(X ≥ x)) ≥ max over the cell's θ of (z − b·sin θ)/cos θ is rejected, and P_p(X ≥ x) rises with p, so [`rejected_below`]
//! gives p₀. With t = tan θ that maximum is of z·√(1 + t²) − b·t, convex in t, so at an end of t's interval. There is no grid of points: a
//! cell speaks for all that is in it, and is cut in two where it costs sharpness.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::normal::score_at_most;
use super::real;
use super::tail::{Tail, rejected_above, rejected_below};

/// β/α.
const TRIM: f64 = 0.01;

/// γ/α.
const BOX: f64 = 0.01;

/// Cells within this many standard errors of q̂ are narrow.
const NARROW: f64 = 8.0;

/// Narrow cells in a standard error.
const CELLS: f64 = 6.0;

/// Where Q's samples in the event are fewer than this on average, their absence says nothing, and only P's count (θ = 0).
const LEAST_MEAN: f64 = 0.01;

/// How often the worst cell is cut.
const CUTS: usize = 200;

/// What the counts of an event are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pair {
    /// Samples of P in the event.
    pub x: u64,
    /// Samples of P.
    pub n: u64,
    /// Samples of Q in the event.
    pub y: u64,
    /// Samples of Q.
    pub m: u64,
}

impl Pair {
    /// p̂ − c·q̂.
    #[must_use]
    pub fn excess(&self, c: f64) -> f64 {
        real(self.x) / real(self.n.max(1)) - c * real(self.y) / real(self.m.max(1))
    }
}

/// The shape of the region, to be fixed before the counts are seen: any shape is sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// The region above, best for bounds on p − `slope`·q near `offset`.
    Tilted {
        /// e^ε.
        slope: f64,
        /// The δ expected.
        offset: f64,
        /// The P(S) expected: from there on the weights no longer change. At least ½, the p of the largest variance.
        most: f64,
    },
    /// p ≥ p₀ and q ≤ q₁, by Clopper and Pearson's bounds: better for a handful of counts, and the check of the other.
    Box {
        /// The share of α that p₀ has; q₁ has the rest.
        share: f64,
    },
}

/// q₀ ≤ q ≤ q₁, p ≥ p₀.
#[derive(Clone, Copy, Debug)]
struct Cell {
    q0: f64,
    q1: f64,
    p0: f64,
}

/// A region that holds the true (p, q) with probability at least 1 − α.
///
/// ```
/// use certus::audit::statistics::region::{Pair, Region, Shape};
///
/// let pair = Pair { x: 4470, n: 8000, y: 1298, m: 8000 };
/// let e = 1_f64.exp();
/// let mut tilted = Region::new(pair, 0.05, Shape::Tilted { slope: e, offset: 0.1, most: 0.6 });
/// let mut corner = Region::new(pair, 0.05, Shape::Box { share: 0.5 });
/// assert!(tilted.delta_lower(e) > 0.095 && corner.delta_lower(e) < 0.085);
/// ```
#[derive(Clone, Debug)]
pub struct Region {
    pair: Pair,
    shape: Shape,
    /// Φ̄⁻¹(α − 2β − 2γ), from above.
    z: f64,
    /// What rule 2 leaves of p.
    p_most: f64,
    /// What rule 3 leaves of p.
    p_least: f64,
    cells: Vec<Cell>,
}

impl Region {
    /// The region of these counts.
    #[must_use]
    pub fn new(pair: Pair, alpha: f64, shape: Shape) -> Self {
        let whole = Cell { q0: 0.0, q1: 1.0, p0: 0.0 };
        let mut region = Self { pair, shape, z: f64::INFINITY, p_most: 1.0, p_least: 0.0, cells: vec![whole] };
        // Without samples, or with an α that is none, nothing is rejected.
        if pair.n == 0 || pair.m == 0 || pair.x > pair.n || pair.y > pair.m || !(alpha > 0.0 && alpha < 1.0) {
            return region;
        }
        // Above one half z would be negative, and what is convex above is not: a smaller α is as sound.
        let alpha = alpha.min(0.5);
        let (slope, offset) = match shape {
            Shape::Tilted { slope, offset, .. } => (slope, offset),
            Shape::Box { share } => {
                if share > 0.0 && share < 1.0 {
                    let p0 = rejected_below(pair.n, pair.x, score_at_most(alpha * share), None);
                    let q1 = rejected_above(pair.m, pair.y, score_at_most(alpha * (1.0 - share)));
                    region.cells = vec![Cell { q0: 0.0, q1, p0 }];
                }
                return region;
            }
        };
        if !(slope > 0.0 && slope < 1e200 && (0.0..=1.0).contains(&offset)) {
            return region;
        }
        region.z = score_at_most(alpha * (1.0 - 2.0 * TRIM - 2.0 * BOX));
        let (trim, corner) = (score_at_most(alpha * TRIM), score_at_most(alpha * BOX));
        region.p_most = rejected_above(pair.n, pair.x, trim);
        region.p_least = rejected_below(pair.n, pair.x, corner, None);
        let (start, end) = (rejected_below(pair.m, pair.y, trim, None), rejected_above(pair.m, pair.y, corner));
        region.cells = region.cover(start, end);
        region
    }

    /// Cells from `start` to `end`: narrow ones about q̂, then wider and wider, until all that is left is rejected.
    fn cover(&self, start: f64, end: f64) -> Vec<Cell> {
        let m = real(self.pair.m);
        let mean = real(self.pair.y) / m;
        let spread = ((mean * (1.0 - mean)).max(1.0 / m) / m).sqrt();
        let mut cells = Vec::new();
        let mut q0 = start;
        let mut guess = None;
        while q0 < end {
            let narrow = q0 < mean + NARROW * spread;
            if !narrow {
                // Is everything from here on rejected?
                let rest = self.cell(q0, end, guess);
                if rest.p0 >= self.p_most {
                    break;
                }
            }
            let width = if narrow { spread / CELLS } else { (q0 - mean) * 0.25 };
            let least = LEAST_MEAN / m;
            let q1 = if q0 < least { least } else { (q0 + width).max(q0 * (1.0 + 1e-12)) }.min(end);
            let cell = self.cell(q0, q1, guess);
            guess = Some(cell.p0);
            if cell.p0 < self.p_most {
                cells.push(cell);
            }
            q0 = q1;
        }
        cells
    }

    fn cell(&self, q0: f64, q1: f64, guess: Option<f64>) -> Cell {
        let b = Tail::of(self.pair.m, self.pair.y + 1, q0).lower_score_at_least();
        let (least, most) = self.tangent(q0, q1);
        let needed = |t: f64| self.z * (1.0 + t * t).sqrt() - b * t;
        // The rounding of these few operations is far below 10^-9.
        let score = if most == 0.0 { self.z } else { needed(least).max(needed(most)) + 1e-9 };
        let p0 = if score.is_finite() { rejected_below(self.pair.n, self.pair.x, score, guess) } else { 0.0 };
        Cell { q0, q1, p0: p0.max(self.p_least) }
    }

    /// Bounds on t = tan θ over a cell, t² = slope²·(q(1 − q)/m + q²/m²) / (p̃(1 − p̃)/n + 1/n²) at p̃ = min(offset + slope·q, most).
    ///
    /// The second terms keep both weights positive at the ends of the range, where a variance is 0.
    fn tangent(&self, q0: f64, q1: f64) -> (f64, f64) {
        let Shape::Tilted { slope, offset, most } = self.shape else { return (0.0, 0.0) };
        // NaN is taken for ½, too.
        let most = if most > 0.5 { most.min(1.0) } else { 0.5 };
        let (n, m) = (real(self.pair.n), real(self.pair.m));
        if q1 <= LEAST_MEAN / m {
            return (0.0, 0.0);
        }
        let p = |q: f64| (offset + slope * q).min(most);
        let (q_least, q_most) = variance(q0, q1);
        let (p_least, p_most) = variance(p(q0), p(q1));
        let square = slope * slope;
        let least = square * (q_least + q0 * q0 / m) / m / ((p_most + 1.0 / n) / n);
        let most = square * (q_most + q1 * q1 / m) / m / ((p_least + 1.0 / n) / n);
        let least = if q0 < LEAST_MEAN / m { 0.0 } else { least };
        (least.sqrt() * (1.0 - 1e-12), most.sqrt() * (1.0 + 1e-12))
    }

    /// The infimum over the region of a function that rises with p and falls with q, from below; `None` if the region is empty.
    fn infimum(&mut self, value: impl Fn(f64, f64) -> f64) -> Option<f64> {
        let worst = |cells: &[Cell]| {
            let values = cells.iter().map(|cell| value(cell.p0, cell.q1)).enumerate();
            values.min_by(|one, two| one.1.total_cmp(&two.1))
        };
        if self.z.is_finite() {
            let m = real(self.pair.m);
            let mean = real(self.pair.y) / m;
            let enough = ((mean * (1.0 - mean)).max(0.1 / m) / m).sqrt() / 64.0;
            for _ in 0..CUTS {
                let Some((place, _)) = worst(&self.cells) else { break };
                let Some(cell) = self.cells.get(place).copied() else { break };
                if cell.q1 - cell.q0 <= enough {
                    break;
                }
                let middle = 0.5 * (cell.q0 + cell.q1);
                self.cells.swap_remove(place);
                for (q0, q1) in [(cell.q0, middle), (middle, cell.q1)] {
                    let half = self.cell(q0, q1, Some(cell.p0));
                    // What the whole cell rejects, its halves reject.
                    let p0 = half.p0.max(cell.p0);
                    if p0 < self.p_most {
                        self.cells.push(Cell { p0, ..half });
                    }
                }
            }
        }
        worst(&self.cells).map(|(_, least)| least)
    }

    /// A lower bound on P(S) − c·Q(S) at confidence 1 − α, for every c at once; at least −c, at most 1.
    #[must_use]
    pub fn delta_lower(&mut self, c: f64) -> f64 {
        // An empty region cannot be (p̂, q̂ are in it) but would be no evidence.
        let bound = self.infimum(|p, q| p - c * q).unwrap_or(-c);
        bound - (1.0 + c) * 1e-15
    }

    /// A lower bound on the least ε with P(S) ≤ e^ε·Q(S) + δ at confidence 1 − α, for every δ at once; −∞ where nothing is refuted.
    #[must_use]
    pub fn epsilon_lower(&mut self, delta: f64) -> f64 {
        let ratio = |p: f64, q: f64| if p > delta { (p - delta) / q.max(1e-300) } else { 0.0 };
        let least = self.infimum(ratio).unwrap_or(0.0);
        if least > 0.0 { least.ln() - 1e-12 } else { f64::NEG_INFINITY }
    }
}

/// The least and the greatest p(1 − p) on an interval.
fn variance(from: f64, to: f64) -> (f64, f64) {
    let (one, two) = (from * (1.0 - from), to * (1.0 - to));
    let most = if from <= 0.5 && 0.5 <= to { 0.25 } else { one.max(two) };
    (one.min(two).max(0.0), most)
}

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod tests;
