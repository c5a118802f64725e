//! A joint confidence region of two binomial probabilities, tilted towards P(S) − e^ε·Q(S).
//!
//! # The test
//!
//! X ~ Binomial(n, p) and Y ~ Binomial(m, q) are independent counts of an event S, fixed beforehand. A *point* (p, q) is rejected if
//!
//! 1. P_q(Y ≥ y) ≤ β, or
//! 2. P_p(X ≤ x) ≤ β, or
//! 3. cos θ·Φ̄⁻¹(P_p(X ≥ x)) + sin θ·Φ̄⁻¹(P_q(Y ≤ y)) ≥ Φ̄⁻¹(α − 2β), where θ = θ(q) is fixed beforehand.
//!
//! **A true point is rejected with probability at most α.** Each of 1 and 2 has probability at most β. In 3, U = P_p(X ≥ x) and V = P_q(Y ≤ y)
//! are independent p-values, each stochastically at least uniform, so their normal scores are stochastically at most standard normal and
//! independent, and so is their combination with weights of square sum 1 (Stouffer's method with weights; Liptak 1958). A union
//! bound adds up to α.
//!
//! The points that are not rejected form a confidence region R, and **whatever holds on all of R holds at confidence 1 − α, all of it at
//! once**: p − e^ε·q ≥ inf over R, for every ε; and the least e^ε with p ≤ e^ε·q + δ, for every δ. No confidence is divided between them. (A
//! joint region turned into statements on functions of both probabilities: Reiczigel, Abonyi-Tóth and Singer 2008. The nuisance
//! parameter kept to a confidence set, 1 and 2: Berger and Boos 1994.)
//!
//! **It is sharp**, because with tan θ = e^ε·√(q(1 − q)/m) / √(p(1 − p)/n) the edge of R is, to first order, the line p − e^ε·q =
//! p̂ − e^ε·q̂ − z·σ with the σ of that very difference: what the best test for known variances would answer. Two Clopper–Pearson bounds
//! pay for a corner: (σ_p + e^ε·σ_q)·z(α/2). θ may depend on q, on the sample sizes and on the selection part, never on x and y.
//!
//! # The supremum over the nuisance parameter is certified
//!
//! R is covered by cells q ∈ [q₀, q₁], p ≥ p₀. On a cell, P_q(Y ≤ y) is at most its value at q₀ (it falls with q); with b its score,
//! every point with Φ̄⁻¹(P_p(X ≥ x)) ≥ max over the cell's θ of (z − b·sin θ)/cos θ is rejected, and P_p(X ≥ x) rises with p, so [`rejected_below`]
//! gives p₀. With t = tan θ that maximum is of z·√(1 + t²) − b·t, convex in t, so at an end of t's interval. There is no grid of points: a
//! cell speaks for all that is in it, and is cut in two where it costs sharpness.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::normal::score_at_most;
use super::real;
use super::tail::{Tail, rejected_above, rejected_below};

/// β/α.
const TRIM: f64 = 0.02;

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
/// let mut tilted = Region::new(pair, 0.05, Shape::Tilted { slope: e, offset: 0.1 });
/// let mut corner = Region::new(pair, 0.05, Shape::Box { share: 0.5 });
/// assert!(tilted.delta_lower(e) > 0.095 && corner.delta_lower(e) < 0.085);
/// ```
#[derive(Clone, Debug)]
pub struct Region {
    pair: Pair,
    shape: Shape,
    /// Φ̄⁻¹(α − 2β), from above.
    z: f64,
    /// What rule 2 leaves of p.
    p_most: f64,
    cells: Vec<Cell>,
}

impl Region {
    /// The region of these counts.
    #[must_use]
    pub fn new(pair: Pair, alpha: f64, shape: Shape) -> Self {
        let whole = Cell { q0: 0.0, q1: 1.0, p0: 0.0 };
        let mut region = Self { pair, shape, z: f64::INFINITY, p_most: 1.0, cells: vec![whole] };
        // Without samples, or with an α that is none, nothing is rejected.
        if pair.n == 0 || pair.m == 0 || pair.x > pair.n || pair.y > pair.m || !(alpha > 0.0 && alpha < 1.0) {
            return region;
        }
        // Above one half z would be negative, and what is convex above is not: a smaller α is as sound.
        let alpha = alpha.min(0.5);
        let (slope, offset) = match shape {
            Shape::Tilted { slope, offset } => (slope, offset),
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
        region.z = score_at_most(alpha * (1.0 - 2.0 * TRIM));
        let trim = score_at_most(alpha * TRIM);
        region.p_most = rejected_above(pair.n, pair.x, trim);
        region.cells = region.cover(rejected_below(pair.m, pair.y, trim, None));
        region
    }

    /// Cells from `start` to 1: narrow ones about q̂, then wider and wider, until all that is left is rejected.
    fn cover(&self, start: f64) -> Vec<Cell> {
        let m = real(self.pair.m);
        let mean = real(self.pair.y) / m;
        let spread = ((mean * (1.0 - mean)).max(1.0 / m) / m).sqrt();
        let mut cells = Vec::new();
        let mut q0 = start;
        let mut guess = None;
        while q0 < 1.0 {
            let narrow = q0 < mean + NARROW * spread;
            if !narrow {
                // Is everything from here on rejected?
                let rest = self.cell(q0, 1.0, guess);
                if rest.p0 >= self.p_most {
                    break;
                }
            }
            let width = if narrow { spread / CELLS } else { (q0 - mean) * 0.25 };
            let least = LEAST_MEAN / m;
            let q1 = if q0 < least { least } else { (q0 + width).max(q0 * (1.0 + 1e-12)).min(1.0) };
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
        Cell { q0, q1, p0 }
    }

    /// Bounds on t = tan θ over a cell, t² = slope²·(q(1 − q)/m + q²/m²) / (p̃(1 − p̃)/n + 1/n²) at p̃ = min(offset + slope·q, 1).
    ///
    /// The second terms keep both weights positive at the ends of the range, where a variance is 0.
    fn tangent(&self, q0: f64, q1: f64) -> (f64, f64) {
        let Shape::Tilted { slope, offset } = self.shape else { return (0.0, 0.0) };
        let (n, m) = (real(self.pair.n), real(self.pair.m));
        if q1 <= LEAST_MEAN / m {
            return (0.0, 0.0);
        }
        let p = |q: f64| (offset + slope * q).min(1.0);
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
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "thresholds of draws")]
mod tests {
    use super::*;
    use crate::bits::{Bits, seeded};

    fn pair(x: u64, n: u64, y: u64, m: u64) -> Pair {
        Pair { x, n, y, m }
    }

    /// The cover never says more than the test itself, point by point: a fine scan of the region by the definition.
    #[test]
    fn the_cover_is_below_every_point_of_the_region() {
        for (counts, slope, offset) in [
            (pair(4470, 8000, 1298, 8000), 2.7, 0.1),
            (pair(16, 8000, 0, 8000), 1.1, 0.001),
            (pair(120, 400, 0, 400), 2.7, 0.3),
            (pair(30, 1000, 4, 900), 2.7, 0.0),
            (pair(990, 1000, 300, 1000), 3.0, 0.1),
            (pair(50, 50, 0, 60), 2.0, 0.9),
            (pair(3, 50, 3, 50), 1.0, 0.0),
        ] {
            let alpha = 0.05;
            let mut region = Region::new(counts, alpha, Shape::Tilted { slope, offset });
            let bounds = [slope, 1.0, 2.0 * slope].map(|c| (c, region.delta_lower(c)));
            let epsilon = region.epsilon_lower(0.01);
            let (mut least, mut seen) = ([f64::INFINITY; 3], 0);
            let mut least_ratio = f64::INFINITY;
            for i in 0..=600 {
                let q = (f64::from(i) / 600.0).powi(3);
                let v = Tail::of(counts.m, counts.y + 1, q).lower_at_most();
                if Tail::of(counts.m, counts.y, q).upper_at_most() <= alpha * TRIM {
                    continue;
                }
                let (t, _) = region.tangent(q, q);
                let norm = (1.0 + t * t).sqrt();
                for j in 0..=800 {
                    let p = f64::from(j) / 800.0;
                    if Tail::of(counts.n, counts.x + 1, p).lower_at_most() <= alpha * TRIM {
                        break;
                    }
                    let u = Tail::of(counts.n, counts.x, p).upper_at_most();
                    let z =
                        (super::super::normal::score_at_least(u) + t * super::super::normal::score_at_least(v)) / norm;
                    if z < region.z - 1e-6 {
                        seen += 1;
                        for (least, (c, _)) in least.iter_mut().zip(bounds) {
                            *least = least.min(p - c * q);
                        }
                        if q > 0.0 {
                            least_ratio = least_ratio.min(((p - 0.01).max(0.0) / q).ln());
                        }
                        break;
                    }
                }
            }
            assert!(seen > 10, "{counts:?}");
            for (least, (c, bound)) in least.iter().zip(bounds) {
                assert!(bound <= *least, "{counts:?} c {c}: {bound} above {least}");
                assert!(bound > *least - 0.02 - c * 0.02, "{counts:?} c {c}: {bound} far below {least}");
            }
            assert!(epsilon <= least_ratio, "{counts:?}: {epsilon} {least_ratio}");
        }
    }

    /// The score that the combination must reach is that of what the two other rules leave of α.
    #[test]
    fn the_three_rules_share_alpha() {
        let region = Region::new(pair(50, 100, 10, 100), 0.05, Shape::Tilted { slope: 2.0, offset: 0.1 });
        assert!(region.z >= score_at_most(0.05 - 2.0 * 0.05 * TRIM) - 1e-9 && region.z < 1.70, "{}", region.z);
        // Rule 2, and rule 1 through the least q of the cover, at β.
        let beta = Tail::of(100, 51, region.p_most).lower_at_most();
        assert!(beta <= 0.05 * TRIM && beta > 0.05 * TRIM * 0.99, "{beta}");
        let q = region.cells.iter().map(|cell| cell.q0).fold(1.0, f64::min);
        assert!(Tail::of(100, 10, q).upper_at_most() <= 0.05 * TRIM && q > 0.02, "{q}");
    }

    /// As sharp as the test for known variances, nearly: z·σ of the difference, and no corner.
    #[test]
    fn the_bound_is_near_that_of_known_variances() {
        let e = 1_f64.exp();
        for (n, alpha, z, room) in
            [(8_000, 0.05, 1.645, 0.001), (80_000, 0.05, 1.645, 0.0003), (80_000, 0.001, 3.090, 0.0003)]
        {
            let counts = pair(n * 5588 / 10_000, n, n * 1623 / 10_000, n);
            let sigma = ((0.5588 * 0.4412 + e * e * 0.1623 * 0.8377) / real(n)).sqrt();
            let best = counts.excess(e) - z * sigma;
            let found = Region::new(counts, alpha, Shape::Tilted { slope: e, offset: 0.1 }).delta_lower(e);
            assert!(found <= best + 1e-4 && found > best - room, "{n} {alpha}: {found} {best}");
            let corner = Region::new(counts, alpha, Shape::Box { share: 0.5 }).delta_lower(e);
            assert!(corner < found, "{corner} {found}");
        }
    }

    /// The true point of a boundary claim is rejected at most α of the time: 20,000 draws of each, at α = 0.05. The bar is five
    /// standard errors above α (one-sided probability 3·10^-7 each).
    #[test]
    fn coverage() {
        for (n, m, p, q) in [
            (60_u64, 80_u64, 0.5, 0.2),
            (40, 40, 0.9, 0.4),
            (200, 100, 0.05, 0.01),
            (30, 200, 0.02, 0.0),
            (25, 25, 1.0, 0.3),
        ] {
            let mut bits = seeded([n as u8; 32]);
            let mut binomial = |n: u64, p: f64| {
                let threshold = (p * 4_294_967_296.0) as u64;
                (0..n).filter(|_| bits.take(32).unwrap() < threshold).count() as u64
            };
            let slope = 1.5;
            let truth = p - slope * q;
            for shape in [Shape::Tilted { slope, offset: 0.1 }, Shape::Box { share: 0.5 }] {
                let mut known = std::collections::HashMap::new();
                let runs = 20_000;
                let mut missed = 0_u32;
                for _ in 0..runs {
                    let counts = (binomial(n, p), binomial(m, q));
                    let bound = *known
                        .entry(counts)
                        .or_insert_with(|| Region::new(pair(counts.0, n, counts.1, m), 0.05, shape).delta_lower(slope));
                    missed += u32::from(bound > truth);
                }
                assert!(missed < 1000 + 154, "{n} {m} {p} {q} {shape:?}: {missed} of {runs}");
            }
        }
    }

    #[test]
    fn what_is_no_sample_is_no_evidence() {
        for counts in [pair(0, 0, 0, 0), pair(5, 0, 0, 10), pair(5, 10, 0, 0), pair(11, 10, 0, 10)] {
            assert!(Region::new(counts, 0.05, Shape::Tilted { slope: 1.0, offset: 0.0 }).delta_lower(1.0) <= -0.99);
        }
        for alpha in [0.0, -1.0, 1.0, f64::NAN] {
            assert!(Region::new(pair(10, 10, 0, 10), alpha, Shape::Box { share: 0.5 }).delta_lower(1.0) <= -0.99);
        }
        assert_eq!(
            Region::new(pair(0, 10, 0, 10), 0.05, Shape::Tilted { slope: 1.0, offset: 0.0 }).epsilon_lower(0.0),
            f64::NEG_INFINITY
        );
    }
}
