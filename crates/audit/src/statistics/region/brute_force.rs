//! Berger and Boos by brute force: the five rules evaluated point by point, beside the cover that the region
//! is computed by.
//!
//! `CERTUS_FULL=1 cargo test --release -p certus-audit --lib region::brute_force` looks at every tenth (x, y)
//! up to n = 2,000 instead of at some (minutes).
#![expect(clippy::cast_possible_truncation, reason = "places in tables")]

use core::f64::consts::{E, SQRT_2};

use rayon::prelude::*;
use statrs::function::erf::erfc_inv;

use super::super::tail::Tail;
use super::rules::{BOX, LEAST_MEAN};
use super::*;

/// P(X ≥ x) and P(X ≤ x) of Binomial(n, p).
type Tails = (f64, f64);

/// By sums of masses: for a few samples.
fn summed(n: u64, x: u64, p: f64) -> Tails {
    let mass = |k: u64| {
        let choose: f64 = (0..k).map(|i| real(n - i) / real(i + 1)).product();
        choose * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    };
    ((x..=n).map(mass).sum::<f64>().min(1.0), (0..=x).map(mass).sum::<f64>().min(1.0))
}

/// By [`Tail`], which has tests of its own: for many.
fn many(n: u64, x: u64, p: f64) -> Tails {
    (Tail::of(n, x, p).upper_at_most(), Tail::of(n, x + 1, p).lower_at_most())
}

/// Φ̄⁻¹.
fn score(tail: f64) -> f64 {
    SQRT_2 * erfc_inv((2.0 * tail).clamp(0.0, 2.0))
}

/// A point of a grid with its tails at the counts.
struct Point {
    at: f64,
    tails: Tails,
    score: f64,
}

/// The points of one side: P's score is of P(X ≥ x), Q's of P(Y ≤ y).
fn points(n: u64, x: u64, at: &[f64], tails: fn(u64, u64, f64) -> Tails, is_p: bool) -> Vec<Point> {
    let point = |&at: &f64| {
        let tails = tails(n, x, at);
        Point { at, tails, score: score(if is_p { tails.0 } else { tails.1 }) }
    };
    at.iter().map(point).collect()
}

/// Whether a point is rejected, as the documentation of the module has it.
fn is_rejected(p: &Point, q: &Point, (n, m): (u64, u64), alpha: f64, shape: Shape) -> bool {
    let Shape::Tilted { slope, offset, most } = shape else { panic!("no tilt") };
    let (beta, gamma) = (0.01 * alpha, 0.01 * alpha);
    if q.tails.0 <= beta || p.tails.1 <= beta || p.tails.0 <= gamma || q.tails.1 <= gamma {
        return true;
    }
    let line = (offset + slope * q.at).min(most.max(0.5));
    let (n, m) = (real(n), real(m));
    let variance_q = q.at * (1.0 - q.at) / m + q.at * q.at / (m * m);
    let variance_p = line * (1.0 - line) / n + 1.0 / (n * n);
    let t = if q.at * m <= LEAST_MEAN { 0.0 } else { slope * (variance_q / variance_p).sqrt() };
    let needed = score(alpha - 2.0 * beta - 2.0 * gamma) * (1.0 + t * t).sqrt();
    if t == 0.0 { p.score >= needed } else { p.score + t * q.score >= needed }
}

/// The least value of (p, q) over the points that are not rejected.
fn least(
    ps: &[Point],
    qs: &[Point],
    sizes: (u64, u64),
    alpha: f64,
    shape: Shape,
    value: impl Fn(f64, f64) -> f64,
) -> f64 {
    let mut least = f64::INFINITY;
    for q in qs {
        for p in ps {
            let here = value(p.at, q.at);
            if here < least && !is_rejected(p, q, sizes, alpha, shape) {
                least = here;
            }
        }
    }
    least
}

/// From 0 to 1, finer at both ends.
fn everywhere() -> Vec<f64> {
    let mut points: Vec<f64> = (0..=200).map(|i| f64::from(i) / 200.0).collect();
    for power in 3..=12 {
        let end = 10_f64.powi(-power);
        points.extend([end, 3.0 * end, 1.0 - end, 1.0 - 3.0 * end]);
    }
    points
}

/// The ends, and an eighth of a standard error apart about a rate, as far as the tail of a small count
/// reaches.
fn about(x: u64, n: u64) -> Vec<f64> {
    let rate = real(x) / real(n);
    let spread = ((rate * (1.0 - rate)).max(1.0 / real(n)) / real(n)).sqrt();
    let mut points = vec![0.0, 1.0];
    for power in 0..=12 {
        // Half a power of ten apart.
        let end = 10_f64.powf(-0.5 * f64::from(power)) / real(n);
        points.extend([end, 1.0 - end]);
    }
    points.extend((-200..=200).map(|i| rate + f64::from(i) / 8.0 * spread).filter(|p| *p > 0.0 && *p < 1.0));
    points
}

/// A shape that knows what it will see, one that knows nothing, and one that is wrong.
fn shapes(counts: EventCounts, c: f64) -> [Shape; 3] {
    let (p, q) = (real(counts.x) / real(counts.n), real(counts.y) / real(counts.m));
    [
        Shape::Tilted { slope: c, offset: (p - c * q).clamp(0.0, 1.0), most: p },
        Shape::Tilted { slope: c, offset: 0.0, most: 0.9 },
        Shape::Tilted { slope: 2.0, offset: 0.9, most: 1.0 },
    ]
}

/// Every x and y of a few samples: the cover is below every point that stays, and not far below.
#[test]
fn the_cover_is_the_region_of_a_few_samples() {
    let alpha = 0.05;
    let grid = everywhere();
    for (n, m) in [(1, 1), (3, 2), (4, 9), (10, 10)] {
        let counts: Vec<EventCounts> = (0..=n).flat_map(|x| (0..=m).map(move |y| EventCounts { x, n, y, m })).collect();
        counts.into_par_iter().for_each(|counts| {
            let (ps, qs) = (points(n, counts.x, &grid, summed, true), points(m, counts.y, &grid, summed, false));
            for shape in shapes(counts, E) {
                let region = Region::new(counts, alpha, shape);
                for c in [E, 1.0] {
                    let (bound, least) =
                        (region.delta_lower(c), least(&ps, &qs, (n, m), alpha, shape, |p, q| p - c * q));
                    assert!(bound <= least + 1e-7, "{counts:?} {shape:?} c {c}: {bound} above {least}");
                    assert!(bound > least - 0.015 * (1.0 + c), "{counts:?} {shape:?} c {c}: {bound} below {least}");
                }
                let ratio = |p: f64, q: f64| if p > 0.01 { ((p - 0.01) / q).ln() } else { f64::NEG_INFINITY };
                let (bound, least) = (region.epsilon_lower(0.01), least(&ps, &qs, (n, m), alpha, shape, ratio));
                assert!(bound <= least + 1e-7, "{counts:?} {shape:?}: epsilon {bound} above {least}");
            }
        });
    }
}

/// The level, exactly: for every point of a grid, the probability of counts that bound it away is at most α.
#[test]
fn a_true_point_is_bounded_away_with_probability_at_most_alpha() {
    let (alpha, c) = (0.1, 1.5);
    let grid: Vec<f64> = (0..=50).map(|i| f64::from(i) / 50.0).chain([0.003, 0.997]).collect();
    let mass = |n: u64, x: u64, p: f64| {
        let (upper, beyond) = (summed(n, x, p).0, if x < n { summed(n, x + 1, p).0 } else { 0.0 });
        upper - beyond
    };
    for (n, m) in [(16, 16), (9, 25)] {
        for shape in [
            Shape::Tilted { slope: c, offset: 0.0, most: 0.9 },
            Shape::Tilted { slope: c, offset: 0.3, most: 0.6 },
            Shape::Tilted { slope: 4.0, offset: 0.1, most: 1.0 },
        ] {
            let bounds: Vec<(u64, u64, f64)> = (0..=n * m + n + m)
                .into_par_iter()
                .map(|place| {
                    let (x, y) = (place / (m + 1), place % (m + 1));
                    (x, y, Region::new(EventCounts { x, n, y, m }, alpha, shape).delta_lower(c))
                })
                .collect();
            let mut worst = 0.0_f64;
            for &p in &grid {
                let of_x: Vec<f64> = (0..=n).map(|x| mass(n, x, p)).collect();
                for &q in &grid {
                    let of_y: Vec<f64> = (0..=m).map(|y| mass(m, y, q)).collect();
                    let away = bounds.iter().filter(|(.., bound)| *bound > p - c * q);
                    let missed: f64 = away.map(|(x, y, _)| of_x[*x as usize] * of_y[*y as usize]).sum();
                    assert!(missed <= alpha + 1e-9, "{n} {m} {shape:?} at {p}, {q}: {missed}");
                    worst = worst.max(missed);
                }
            }
            // It is a level, and not nothing.
            assert!(worst > alpha / 4.0, "{n} {m} {shape:?}: {worst}");
        }
    }
}

/// Of many samples, at all ends and between, whatever the shape: sound by brute force, sharp by brute force,
/// and never below the box at its share of α.
#[test]
fn the_bound_is_never_below_the_box() {
    let full = std::env::var_os("CERTUS_FULL").is_some();
    let (alpha, c) = (0.001, E);
    let places = |n: u64| -> Vec<u64> {
        if full {
            return (0..=n / 10).map(|tenth| 10 * tenth).collect();
        }
        vec![0, 1, n / 50, n / 5, n / 2, n - n / 10, n - n / 100, n - 1, n]
    };
    for (n, m) in [(2000, 2000), (600, 600), (2000, 150), (200, 1200)] {
        let counts: Vec<EventCounts> = places(n)
            .into_iter()
            .flat_map(|x| places(m).into_iter().map(move |y| EventCounts { x, n, y, m }))
            .collect();
        counts.into_par_iter().for_each(|counts| {
            let spread = |x: u64, n: u64| ((real(x) * real(n - x) / real(n)).max(1.0)).sqrt() / real(n);
            let room = spread(counts.x, n) + c * spread(counts.y, m);
            let (ps, qs) = (
                points(n, counts.x, &about(counts.x, n), many, true),
                points(m, counts.y, &about(counts.y, m), many, false),
            );
            let corner = |alpha: f64| Region::new(counts, alpha, Shape::Box { share: 0.5 }).delta_lower(c);
            for (place, shape) in shapes(counts, c).into_iter().enumerate() {
                let bound = Region::new(counts, alpha, shape).delta_lower(c);
                let least = least(&ps, &qs, (n, m), alpha, shape, |p, q| p - c * q);
                assert!(bound <= least + 1e-7, "{counts:?} {shape:?}: {bound} above {least}");
                // Next to n the last of p is finer than the cover resolves, and the points (p, q) there stay
                // until rule 4 rejects them: an audit forecasts that, and takes `Shape::Box`.
                let is_inside = counts.x + 10 <= n;
                assert!(!is_inside || bound > least - 0.3 * room, "{counts:?} {shape:?}: {bound} far below {least}");
                assert!(bound >= corner(2.0 * BOX * alpha), "{counts:?} {shape:?}: {bound} below the box");
                // Where there is a violation to see, who knows what to expect is hardly worse off than by two
                // Clopper–Pearson bounds of half of α each.
                if place == 0 && corner(alpha) > 0.0 && is_inside {
                    assert!(bound >= corner(alpha) - 0.5 * room, "{counts:?}: {bound}, box {}", corner(alpha));
                }
            }
        });
    }
}

/// The review's: every sample of one side and none of the other, and 539 of 600 against 68, both of which
/// said δ ≥ 0.
#[test]
fn blatant_violations_are_seen() {
    for (counts, blind, informed) in [
        (EventCounts { x: 100_000, n: 100_000, y: 0, m: 100_000 }, 0.999, 0.999),
        (EventCounts { x: 100, n: 100, y: 0, m: 100 }, 0.55, 0.6),
        (EventCounts { x: 99_999, n: 100_000, y: 1, m: 100_000 }, 0.998, 0.999),
        (EventCounts { x: 539, n: 600, y: 68, m: 600 }, 0.42, 0.45),
        (EventCounts { x: 4_950, n: 5_000, y: 50, m: 5_000 }, 0.93, 0.94),
    ] {
        let [knows, knows_nothing, wrong] = shapes(counts, E);
        for (shape, least) in [(knows, informed), (knows_nothing, blind), (wrong, blind - 0.15)] {
            let bound = Region::new(counts, 0.001, shape).delta_lower(E);
            assert!(bound > least && bound < counts.excess(E), "{counts:?} {shape:?}: {bound}");
        }
    }
}
