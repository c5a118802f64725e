//! The five rules of a tilted region, and the grid of its cells: all of it is fixed before the counts are
//! seen.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use core::ops::Range;

use super::super::normal::score_at_most;
use super::super::real;
use super::super::tail::{Tail, rejected_above, rejected_below};
use super::Shape;

/// β/α.
pub(in crate::statistics) const TRIM: f64 = 0.01;

/// γ/α.
pub(in crate::statistics) const BOX: f64 = 0.01;

/// Cells in a standard error of Q's rate.
const CELLS: f64 = 64.0;

/// Where Q's samples in the event are fewer than this on average, their absence says nothing, and only P's
/// count (θ = 0).
pub(in crate::statistics) const LEAST_MEAN: f64 = 0.01;

/// The rules for so many samples.
#[derive(Clone, Copy, Debug)]
pub(in crate::statistics) struct Rules {
    pub n: u64,
    pub m: u64,
    slope: f64,
    offset: f64,
    most: f64,
    /// Φ̄⁻¹(α − 2β − 2γ), from above.
    pub z: f64,
    /// Φ̄⁻¹(β), from above.
    trim: f64,
    /// Φ̄⁻¹(γ), from above.
    pub corner: f64,
}

impl Rules {
    /// `None` if the shape is no tilt, or has no slope.
    pub fn new((n, m): (u64, u64), alpha: f64, shape: Shape) -> Option<Self> {
        let Shape::Tilted { slope, offset, most } = shape else { return None };
        if !(slope > 0.0 && slope < 1e200 && (0.0..=1.0).contains(&offset)) {
            return None;
        }
        // NaN is taken for ½, too.
        let most = if most > 0.5 { most.min(1.0) } else { 0.5 };
        // Above one half z would be negative, and what is convex in t is not: a smaller α is as sound.
        let alpha = alpha.min(0.5);
        let z = score_at_most(alpha * (1.0 - 2.0 * TRIM - 2.0 * BOX));
        Some(Self {
            n,
            m,
            slope,
            offset,
            most,
            z,
            trim: score_at_most(alpha * TRIM),
            corner: score_at_most(alpha * BOX),
        })
    }

    /// What rules 3 and 2 leave of p.
    pub fn p_range(&self, x: u64) -> (f64, f64) {
        (rejected_below(self.n, x, self.corner, None), rejected_above(self.n, x, self.trim))
    }

    /// What rules 1 and 4 leave of q.
    pub fn span(&self, y: u64) -> Span {
        let (from, to) = (rejected_below(self.m, y, self.trim, None), rejected_above(self.m, y, self.corner));
        // One more at either end, for the rounding.
        let cells = self.place(from).saturating_sub(1)..self.place(to) + 2;
        Span { from, to, cells }
    }

    /// The cell that holds a q.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 0, and below 10^8 for m up to 10^9"
    )]
    pub fn place(&self, q: f64) -> u64 {
        (q.clamp(0.0, 1.0).sqrt().asin() / self.step()) as u64
    }

    /// The lower edge q = sin²(place·step) of a cell, which is the upper one of the cell before.
    ///
    /// The standard error of a rate q is √(q(1 − q)/m), and d sin²(φ) = 2·√(q(1 − q)) dφ, so that equal steps
    /// of φ are equal shares of a standard error, for every q. The cells are the same for all counts.
    pub fn edge(&self, place: u64) -> f64 {
        let sine = (real(place) * self.step()).min(core::f64::consts::FRAC_PI_2).sin();
        sine * sine
    }

    fn step(&self) -> f64 {
        0.5 / (CELLS * real(self.m).sqrt())
    }

    /// At most the score of P_q(Y ≤ y).
    pub fn score_of_y(&self, y: u64, q: f64) -> f64 {
        Tail::of(self.m, y + 1, q).lower_score_at_least()
    }

    /// The score of P_p(X ≥ x) from which on rule 5 rejects every point of a cell, whose `score_of_y` is at
    /// least `b`.
    pub fn needed(&self, b: f64, cell: (f64, f64)) -> f64 {
        let (least, most) = self.tangent(cell);
        let needed = |t: f64| self.z * (1.0 + t * t).sqrt() - b * t;
        // The rounding of these few operations is far below 10^-9.
        if most == 0.0 { self.z } else { needed(least).max(needed(most)) + 1e-9 }
    }

    /// The score of P_q(Y ≤ y) from which on rule 5 or rule 4 rejects every point of a cell, where that of
    /// P(X ≥ x) is at least `score`: the inverse of `needed`.
    pub fn asked(&self, score: f64, cell: (f64, f64)) -> f64 {
        let (least, most) = self.tangent(cell);
        let asked = |t: f64| {
            let missing = self.z * (1.0 + t * t).sqrt() + 1e-9 - score;
            if t > 0.0 {
                missing / t
            } else if score >= self.z {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }
        };
        asked(least).max(asked(most)).min(self.corner)
    }

    /// Bounds on t = tan θ over a cell, t² = slope²·(q(1 − q)/m + q²/m²) / (p̃(1 − p̃)/n + 1/n²) at p̃ =
    /// min(offset + slope·q, most).
    ///
    /// The second terms keep both weights positive at the ends of the range, where a variance is 0.
    fn tangent(&self, (q0, q1): (f64, f64)) -> (f64, f64) {
        let (n, m) = (real(self.n), real(self.m));
        if q1 <= LEAST_MEAN / m {
            return (0.0, 0.0);
        }
        let p = |q: f64| (self.offset + self.slope * q).min(self.most);
        let (q_least, q_most) = variance(q0, q1);
        let (p_least, p_most) = variance(p(q0), p(q1));
        let square = self.slope * self.slope;
        let least = square * (q_least + q0 * q0 / m) / m / ((p_most + 1.0 / n) / n);
        let most = square * (q_most + q1 * q1 / m) / m / ((p_least + 1.0 / n) / n);
        let least = if q0 < LEAST_MEAN / m { 0.0 } else { least };
        (least.sqrt() * (1.0 - 1e-12), most.sqrt() * (1.0 + 1e-12))
    }
}

/// The least and the greatest p(1 − p) on an interval.
fn variance(from: f64, to: f64) -> (f64, f64) {
    let (one, two) = (from * (1.0 - from), to * (1.0 - to));
    let most = if from <= 0.5 && 0.5 <= to { 0.25 } else { one.max(two) };
    (one.min(two).max(0.0), most)
}

/// What rules 1 and 4 leave of q.
#[derive(Clone, Debug)]
pub(in crate::statistics) struct Span {
    /// Its least q.
    pub from: f64,
    /// Its greatest.
    pub to: f64,
    /// The cells of [`Rules::edge`] that cover it.
    pub cells: Range<u64>,
}
