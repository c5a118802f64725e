//! A joint confidence region of two binomial probabilities, tilted towards P(S) − e^ε·Q(S).
//!
//! # The test
//!
//! X ~ Binomial(n, p) and Y ~ Binomial(m, q) are independent counts of an event S, fixed beforehand. A
//! *point* (p, q) is rejected if
//!
//! 1. P_q(Y ≥ y) ≤ β, or
//! 2. P_p(X ≤ x) ≤ β, or
//! 3. P_p(X ≥ x) ≤ γ, or
//! 4. P_q(Y ≤ y) ≤ γ, or
//! 5. cos θ·Φ̄⁻¹(P_p(X ≥ x)) + sin θ·Φ̄⁻¹(P_q(Y ≤ y)) ≥ Φ̄⁻¹(α − 2β − 2γ), where θ = θ(q) is fixed
//!    beforehand.
//!
//! **A true point is rejected with probability at most α.** Each of 1 and 2 has probability at most β, each
//! of 3 and 4 at most γ. In 5, U = P_p(X ≥ x) and V = P_q(Y ≤ y) are independent p-values, each
//! stochastically at least uniform, so their normal scores are stochastically at most standard normal and
//! independent, and so is their combination with weights of square sum 1 (Stouffer's method with weights;
//! Liptak 1958). A union bound adds up to α.
//!
//! **Rules 3 and 4 are a box**, p ≥ p₀ and q ≤ q₁ by Clopper and Pearson's bounds, and R lies in it. Rule 5
//! alone bounds nothing where a score is −∞: for x = n, P_p(X ≥ x) is 1 at p = 1, and the points (1, q) would
//! stay for every q.
//!
//! The points that are not rejected form a confidence region R, and **whatever holds on all of R holds at
//! confidence 1 − α, all of it at once**: p − e^ε·q ≥ inf over R, for every ε; and the least e^ε with p ≤
//! e^ε·q + δ, for every δ. No confidence is divided between them. (A joint region turned into statements on
//! functions of both probabilities: Reiczigel, Abonyi-Tóth and Singer 2008. The nuisance parameter kept to a
//! confidence set, 1 and 2: Berger and Boos 1994.)
//!
//! **It is sharp**, because with tan θ = e^ε·√(q(1 − q)/m) / √(p(1 − p)/n) the edge of R is, to first order,
//! the line p − e^ε·q = p̂ − e^ε·q̂ − z·σ with the σ of that very difference: what the best test for known
//! variances would answer. Two Clopper–Pearson bounds pay for a corner: (σ_p + e^ε·σ_q)·z(α/2). θ may depend
//! on q, on the sample sizes and on the selection part, never on x and y. The p of that formula is the p of
//! the line p = δ + e^ε·q, but no more than the p expected ([`Shape::Tilted`]'s `most`): further along the
//! line p(1 − p) vanishes, all weight would be Y's, and a point far to the left of x/n would stay.
//!
//! # The supremum over the nuisance parameter is certified
//!
//! R is covered by cells q ∈ [q₀, q₁], p ≥ p₀, from where rule 1 ends to where rule 4 begins. On a cell,
//! P_q(Y ≤ y) is at most its value at q₀ (it falls with q); with b its score, every point with Φ̄⁻¹(P_p(X ≥
//! x)) ≥ max over the cell's θ of (z − b·sin θ)/cos θ is rejected, and P_p(X ≥ x) rises with p, so
//! [`rejected_below`] gives p₀. With t = tan θ that maximum is of z·√(1 + t²) − b·t, convex in t, so at an
//! end of t's interval. There is no grid of points: a cell speaks for all that is in it.
//!
//! **The cells are fixed before the first question**, a 64th of a standard error of Q's rate wide, so that
//! every answer speaks of the same cover: at its corners (p₀, q₁), p₀ − e^ε·q₁ > δ is the same as ln((p₀ −
//! δ)/q₁) > ε. A cover that is refined while it is asked gives a bound on δ and one on ε that contradict each
//! other.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::normal::score_at_most;
use super::real;
use super::tail::{rejected_above, rejected_below};
use rules::Rules;

pub(super) mod rules;

/// What the counts of an event are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct EventCounts {
    /// Samples of P in the event.
    pub x: u64,
    /// Samples of P.
    pub n: u64,
    /// Samples of Q in the event.
    pub y: u64,
    /// Samples of Q.
    pub m: u64,
}

impl EventCounts {
    /// p̂ − c·q̂.
    #[must_use]
    pub fn excess(&self, c: f64) -> f64 {
        let (p, q) = (real(self.x) / real(self.n.max(1)), real(self.y) / real(self.m.max(1)));
        // Infinity times 0 is no number.
        if self.y == 0 { p } else { p - c * q }
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
        /// The P(S) expected: from there on the weights no longer change. At least ½, the p of the largest
        /// variance.
        most: f64,
    },
    /// p ≥ p₀ and q ≤ q₁, by Clopper and Pearson's bounds: better for a handful of counts, and the check of
    /// the other.
    Box {
        /// The share of α that p₀ has; q₁ has the rest.
        share: f64,
    },
}

/// q ≤ q₁, p ≥ p₀; the cell before bounds q from below, or nothing does.
#[derive(Clone, Copy, Debug)]
struct Cell {
    q1: f64,
    p0: f64,
}

/// A region that holds the true (p, q) with probability at least 1 − α.
///
/// ```
/// use certus_audit::statistics::region::{EventCounts, Region, Shape};
///
/// let pair = EventCounts { x: 4470, n: 8000, y: 1298, m: 8000 };
/// let e = 1_f64.exp();
/// let tilted = Region::new(pair, 0.05, Shape::Tilted { slope: e, offset: 0.1, most: 0.6 });
/// let corner = Region::new(pair, 0.05, Shape::Box { share: 0.5 });
/// assert!(tilted.delta_lower(e) > 0.095 && corner.delta_lower(e) < 0.085);
/// ```
#[derive(Clone, Debug)]
pub struct Region {
    /// What is left of it: no point outside of these cells stays.
    cells: Vec<Cell>,
}

impl Region {
    /// The region of these counts.
    #[must_use]
    pub fn new(pair: EventCounts, alpha: f64, shape: Shape) -> Self {
        let EventCounts { x, n, y, m } = pair;
        let everything = Self { cells: vec![Cell { q1: 1.0, p0: 0.0 }] };
        // Without samples, or with an α that is none, nothing is rejected.
        if n == 0 || m == 0 || x > n || y > m || !(alpha > 0.0 && alpha < 1.0) {
            return everything;
        }
        let cells = match shape {
            Shape::Tilted { .. } => Rules::new((n, m), alpha, shape).map(|rules| cover(&rules, x, y)),
            Shape::Box { share } => corner_scores(alpha, share).map(|(of_p, of_q)| {
                vec![Cell { q1: rejected_above(m, y, of_q), p0: rejected_below(n, x, of_p, None) }]
            }),
        };
        cells.map_or(everything, |cells| Self { cells })
    }

    /// The infimum over the region of a function that rises with p and falls with q, from below; `None` if
    /// the region is empty.
    fn infimum(&self, value: impl Fn(f64, f64) -> f64) -> Option<f64> {
        self.cells.iter().map(|cell| value(cell.p0, cell.q1)).min_by(f64::total_cmp)
    }

    /// A lower bound on P(S) − c·Q(S) at confidence 1 − α, for every c at once; at least −c, at most 1. It
    /// falls as c grows.
    #[must_use]
    pub fn delta_lower(&self, c: f64) -> f64 {
        // An empty region cannot be (p̂, q̂ are in it) but would be no evidence.
        let bound = self.infimum(|p, q| p - c * q).unwrap_or(-c);
        bound - (1.0 + c) * 1e-15
    }

    /// A lower bound on the least ε with P(S) ≤ e^ε·Q(S) + δ at confidence 1 − α, for every δ at once; −∞
    /// where nothing is refuted.
    #[must_use]
    pub fn epsilon_lower(&self, delta: f64) -> f64 {
        let ratio = |p: f64, q: f64| if p > delta { (p - delta) / q.max(1e-300) } else { 0.0 };
        let least = self.infimum(ratio).unwrap_or(0.0);
        if least > 0.0 { least.ln() - 1e-12 } else { f64::NEG_INFINITY }
    }
}

/// The normal scores of the two bounds of [`Shape::Box`], P's first; `None` where the share is none.
pub(super) fn corner_scores(alpha: f64, share: f64) -> Option<(f64, f64)> {
    // As in the rules of a tilted region, α is at most one half.
    let alpha = alpha.min(0.5);
    let is_share = share > 0.0 && share < 1.0;
    is_share.then(|| (score_at_most(alpha * share), score_at_most(alpha * (1.0 - share))))
}

/// All cells that the rules leave something of.
fn cover(rules: &Rules, x: u64, y: u64) -> Vec<Cell> {
    let (p_least, p_most) = rules.p_range(x);
    let span = rules.span(y);
    let mut cells: Vec<Cell> = Vec::new();
    // The boundary is smooth: each cell's p₀ is near the line through those of the two before.
    let mut before: [Option<f64>; 2] = [None, None];
    let mut q1 = span.from;
    for place in span.cells.clone() {
        // The outermost cells end where the span does.
        let q0 = q1;
        q1 = if place + 1 < span.cells.end { rules.edge(place + 1).clamp(q0, span.to) } else { span.to };
        let score = rules.needed(rules.score_of_y(y, q0), (q0, q1));
        let guess = match before {
            [Some(last), Some(other)] => Some(2.0 * last - other),
            [last, _] => last,
        };
        let p0 = if score.is_finite() { rejected_below(rules.n, x, score, guess) } else { 0.0 };
        before = [Some(p0), before[0]];
        let p0 = p0.max(p_least);
        if p0 < p_most {
            cells.push(Cell { q1, p0 });
        }
    }
    cells
}

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod tests;
