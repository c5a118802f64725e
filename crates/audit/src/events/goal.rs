//! What an event is chosen for, and how well it promises to do: normal approximations, which decide nothing
//! but the choice.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use crate::statistics::real;
use crate::statistics::region::{EventCounts, Region, Shape};

/// Which side is P in P(S) ≤ e^ε·Q(S) + δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// The first side.
    AOverB,
    /// The second side.
    BOverA,
}

impl Orientation {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::AOverB, Self::BOverA];

    /// (P's, Q's) of what the two sides have.
    #[must_use]
    pub fn orient<T>(self, a: T, b: T) -> (T, T) {
        match self {
            Self::AOverB => (a, b),
            Self::BOverA => (b, a),
        }
    }
}

/// What the bound is wanted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// A large lower bound on P(S) − c·Q(S).
    Delta {
        /// e^ε.
        c: f64,
        /// The claimed δ.
        delta: f64,
    },
    /// A large lower bound on ln((P(S) − δ)/Q(S)).
    Epsilon {
        /// The claimed δ.
        delta: f64,
    },
}

/// How an event will be evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// What for.
    pub goal: Goal,
    /// P's samples that will count.
    pub n: u64,
    /// Q's.
    pub m: u64,
    /// The α that it will have.
    pub alpha: f64,
    /// Its normal score.
    pub z: f64,
}

/// An event must look good even if the selection part was kind to it by so many of its own standard errors:
/// the best of some forty events was lucky by about two.
const CAUTION: f64 = 2.0;

/// The standard error of an excess p − c·q, as it was seen.
pub(super) fn excess_error(seen: EventCounts, c: f64) -> f64 {
    let rate = |count: u64, of: u64| (real(count) + 0.5) / (real(of) + 1.0);
    let (p, q) = (rate(seen.x, seen.n), rate(seen.y, seen.m));
    (p * (1.0 - p) / real(seen.n.max(1)) + c * c * q * (1.0 - q) / real(seen.m.max(1))).sqrt()
}

impl Prospect {
    /// What bound an event with these counts on the selection part promises.
    #[must_use]
    pub fn promise(&self, seen: EventCounts) -> f64 {
        self.doubted(seen, 0.0)
    }

    /// The same, if the selection part was kind to the event by so many standard errors more.
    #[must_use]
    pub(crate) fn doubted(&self, seen: EventCounts, errors: f64) -> f64 {
        if seen.n == 0 || seen.m == 0 {
            return f64::NEG_INFINITY;
        }
        let rate = |count: u64, of: u64| (real(count) + 0.5) / (real(of) + 1.0);
        let (p, q) = (rate(seen.x, seen.n), rate(seen.y, seen.m));
        let (p_spread, q_spread) = (p * (1.0 - p), q * (1.0 - q));
        // Standard errors of p − c·q on the part to come and on the part seen, for weights w_p and w_q.
        let error = |w_p: f64, w_q: f64, n: u64, m: u64| {
            (w_p * w_p * p_spread / real(n.max(1)) + w_q * w_q * q_spread / real(m.max(1))).sqrt()
        };
        let penalties = |w_p: f64, w_q: f64| {
            let on_seen = error(w_p, w_q, seen.n, seen.m);
            (self.z * error(w_p, w_q, self.n, self.m) + CAUTION * on_seen, errors * on_seen)
        };
        match self.goal {
            Goal::Delta { c, delta } => {
                let (penalty, doubt) = penalties(1.0, c);
                let excess = seen.excess(c) - doubt;
                if excess - penalty > delta {
                    return excess - penalty;
                }
                // Nothing promises a violation: the event that comes closest to one, by its own errors. Below
                // every bound above, and of no two events that differ in it the same.
                let close = (excess - delta) / penalty;
                -2.0 + close / (1.0 + close.abs())
            }
            Goal::Epsilon { delta } => {
                let above = real(seen.x) / real(seen.n) - delta;
                if above <= 0.0 {
                    return f64::NEG_INFINITY;
                }
                // On the logarithms, by the delta method; no rate is believed to be below what the part to
                // come could show.
                let q = q.max(self.z.max(1.0) / real(self.m.max(1)));
                let (penalty, doubt) = penalties(1.0 / above, 1.0 / q);
                (above / q).ln() - penalty - doubt
            }
        }
    }

    /// The standard error of a large promise on the part seen; 0 where nothing is promised.
    #[must_use]
    pub fn error(&self, seen: EventCounts) -> f64 {
        match self.goal {
            Goal::Delta { c, .. } if self.promise(seen) > -1.0 => excess_error(seen, c),
            Goal::Delta { .. } | Goal::Epsilon { .. } => 0.0,
        }
    }

    /// The bound that a region of this shape would give if the part to come looked like the part seen.
    #[must_use]
    pub fn forecast(&self, seen: EventCounts, shape: Shape) -> f64 {
        let scale = |count: u64, of: u64, to: u64| {
            let scaled = (u128::from(count) * u128::from(to) + u128::from(of / 2)) / u128::from(of.max(1));
            u64::try_from(scaled).unwrap_or(to).min(to)
        };
        let pair =
            EventCounts { x: scale(seen.x, seen.n, self.n), n: self.n, y: scale(seen.y, seen.m, self.m), m: self.m };
        let region = Region::new(pair, self.alpha, shape);
        match self.goal {
            Goal::Delta { c, .. } => region.delta_lower(c),
            Goal::Epsilon { delta } => region.epsilon_lower(delta),
        }
    }

    /// The shape that promises the best bound.
    #[must_use]
    pub fn shape(&self, seen: EventCounts) -> Shape {
        let rate = |count: u64, of: u64| (real(count) + 0.5) / (real(of) + 1.0);
        let (p, q) = (rate(seen.x, seen.n), rate(seen.y, seen.m));
        let tilted = match self.goal {
            Goal::Delta { c, .. } => Shape::Tilted { slope: c, offset: (p - c * q).clamp(0.0, 1.0), most: p },
            Goal::Epsilon { delta } => Shape::Tilted { slope: ((p - delta) / q).max(1.0), offset: delta, most: p },
        };
        let shapes = [tilted, Shape::Box { share: 0.5 }, Shape::Box { share: 0.1 }, Shape::Box { share: 0.01 }];
        let forecasts = shapes.map(|shape| (self.forecast(seen, shape), shape));
        forecasts.into_iter().max_by(|one, two| one.0.total_cmp(&two.0)).map_or(tilted, |(_, shape)| shape)
    }
}
