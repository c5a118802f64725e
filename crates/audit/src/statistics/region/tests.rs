//! The region against its own definition, point by point, and against the level that it states.
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "thresholds of draws")]

use super::super::tail::Tail;
use super::rules::TRIM;
use super::*;
use certus::bits::{Bits, seeded};

fn pair(x: u64, n: u64, y: u64, m: u64) -> EventCounts {
    EventCounts { x, n, y, m }
}

/// The score that the combination must reach is that of what the four other rules leave of α.
#[test]
fn the_five_rules_share_alpha() {
    let rules =
        Rules::new((100, 100), 0.05, Shape::Tilted { slope: 2.0, offset: 0.1, most: 0.9 }).expect("a tilted shape");
    let ((p_least, p_most), span) = (rules.p_range(50), rules.span(10));
    // Each rule's own α, as it is: what its bound rejects just so.
    let spent = [
        Tail::of(100, 10, span.from).upper_at_most(),
        Tail::of(100, 51, p_most).lower_at_most(),
        Tail::of(100, 50, p_least).upper_at_most(),
        Tail::of(100, 11, span.to).lower_at_most(),
        statrs::function::erf::erfc(rules.z / core::f64::consts::SQRT_2) / 2.0,
    ];
    let sum: f64 = spent.iter().sum();
    assert!(sum <= 0.05 && sum > 0.05 * 0.99, "{sum}: {spent:?}");
    // Rules 1 and 2 at β.
    assert!(spent[..2].iter().all(|beta| *beta <= 0.05 * TRIM && *beta > 0.05 * TRIM * 0.99), "{spent:?}");
}

/// The cells begin and end where the rules say, and leave no gap; the boundary's corners are within the box.
#[test]
fn cells_cover_the_span() {
    let shape = Shape::Tilted { slope: 2.0, offset: 0.1, most: 0.9 };
    for (n, m) in [(1, 1), (30, 7), (1000, 1000), (2000, 50_000)] {
        let rules = Rules::new((n, m), 0.01, shape).expect("a tilted shape");
        for y in [0, 1, m / 10, m / 2, m - 1, m] {
            let span = rules.span(y);
            assert!(rules.edge(span.cells.start) <= span.from && rules.edge(span.cells.end) >= span.to, "{m} {y}");
            assert!(span.from <= real(y) / real(m) && real(y) / real(m) <= span.to, "{m} {y}");
            // No p is ruled out at all: every cell stays, the first from `from` on, the last up to `to`.
            let cells = cover(&rules, n, y);
            assert_eq!(cells.len() as u64, span.cells.end - span.cells.start, "{m} {y}");
            assert!(cells.windows(2).all(|two| two[0].q1 <= two[1].q1), "{m} {y}");
            assert_eq!(cells.last().map(|cell| cell.q1), Some(span.to), "{m} {y}");
        }
    }
}

/// **Finding: one document refuted a claim and called it consistent**, because cells were cut while a region
/// was asked, for the question that was asked. Every question has one answer, whatever was asked before, and
/// the bounds on δ and on ε refute the same claims.
#[test]
fn all_answers_speak_of_one_cover() {
    let e = 1_f64.exp();
    let counts = [
        (pair(85, 800, 20, 800), 0.04, Shape::Tilted { slope: 1.1 * e, offset: 0.0, most: 0.3 }),
        (pair(3703, 10_000, 1200, 10_000), 0.0008, Shape::Tilted { slope: e, offset: 0.03, most: 0.4 }),
        (pair(3703, 10_000, 1200, 10_000), 0.0008, Shape::Tilted { slope: 2.0, offset: 0.0, most: 0.9 }),
        (pair(40, 100, 1, 100), 0.05, Shape::Tilted { slope: e, offset: 0.2, most: 0.5 }),
        (pair(100, 100, 0, 100), 0.05, Shape::Tilted { slope: 5.0, offset: 0.2, most: 1.0 }),
        (pair(17, 60, 2, 90), 0.1, Shape::Box { share: 0.1 }),
    ];
    for (pair, alpha, shape) in counts {
        let fresh = || Region::new(pair, alpha, shape);
        let epsilons = [1.0, 0.0, 0.25, 0.5, 0.9, 0.99, 1.0, 1.01, 1.5, 2.0, 3.0, 1.0];
        #[allow(unused_mut, reason = "as it was asked when asking changed it")]
        let mut asked = fresh();
        for epsilon in epsilons {
            let bound = fresh().delta_lower(f64::exp(epsilon));
            assert_eq!(bound, asked.delta_lower(f64::exp(epsilon)), "{pair:?} {shape:?} {epsilon}");
            // The claims next to the bound, on either side of it.
            for delta in [bound - 1e-3, bound - 1e-9, bound + 1e-9, bound + 1e-3, bound + 0.1] {
                if !(0.0..1.0).contains(&delta) {
                    continue;
                }
                let other = asked.epsilon_lower(delta);
                assert_eq!(other, fresh().epsilon_lower(delta), "{pair:?} {shape:?} {delta}");
                assert_eq!(bound > delta, other > epsilon, "{pair:?} {shape:?}: {bound} {delta}, {other} {epsilon}");
            }
        }
        let mut sorted = epsilons;
        sorted.sort_by(f64::total_cmp);
        let curve = sorted.map(|epsilon| asked.delta_lower(epsilon.exp()));
        assert!(curve.windows(2).all(|two| two[0] >= two[1]), "{curve:?}");
        assert_eq!(asked.delta_lower(f64::INFINITY), f64::NEG_INFINITY);
    }
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
        let found = Region::new(counts, alpha, Shape::Tilted { slope: e, offset: 0.1, most: 0.9 }).delta_lower(e);
        assert!(found <= best + 1e-4 && found > best - room, "{n} {alpha}: {found} {best}");
        let corner = Region::new(counts, alpha, Shape::Box { share: 0.5 }).delta_lower(e);
        assert!(corner < found, "{corner} {found}");
    }
}

/// The true point of a boundary claim is rejected at most α of the time: 20,000 draws of each, at α = 0.05.
/// The bar is five standard errors above α (one-sided probability 3·10^-7 each).
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
        for shape in [Shape::Tilted { slope, offset: 0.1, most: 0.9 }, Shape::Box { share: 0.5 }] {
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
        assert!(
            Region::new(counts, 0.05, Shape::Tilted { slope: 1.0, offset: 0.0, most: 0.9 }).delta_lower(1.0) <= -0.99
        );
    }
    for alpha in [0.0, -1.0, 1.0, f64::NAN] {
        assert!(Region::new(pair(10, 10, 0, 10), alpha, Shape::Box { share: 0.5 }).delta_lower(1.0) <= -0.99);
    }
    assert_eq!(
        Region::new(pair(0, 10, 0, 10), 0.05, Shape::Tilted { slope: 1.0, offset: 0.0, most: 0.9 }).epsilon_lower(0.0),
        f64::NEG_INFINITY
    );
}
