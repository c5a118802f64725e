//! The region against its own definition, point by point, and against the level that it states.
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "thresholds of draws")]

use super::*;
use crate::bits::{Bits, seeded};

fn pair(x: u64, n: u64, y: u64, m: u64) -> Pair {
    Pair { x, n, y, m }
}

/// The score that the combination must reach is that of what the four other rules leave of α.
#[test]
fn the_five_rules_share_alpha() {
    let region = Region::new(pair(50, 100, 10, 100), 0.05, Shape::Tilted { slope: 2.0, offset: 0.1, most: 0.9 });
    // Each rule's own α, as it is: what its bound rejects just so.
    let q_most = region.cells.iter().map(|cell| cell.q1).fold(0.0, f64::max);
    let q_least = region.cells.iter().map(|cell| cell.q0).fold(1.0, f64::min);
    let p_least = region.cells.iter().map(|cell| cell.p0).fold(1.0, f64::min);
    let spent = [
        Tail::of(100, 10, q_least).upper_at_most(),
        Tail::of(100, 51, region.p_most).lower_at_most(),
        Tail::of(100, 50, p_least).upper_at_most(),
        Tail::of(100, 11, q_most).lower_at_most(),
        statrs::function::erf::erfc(region.z / core::f64::consts::SQRT_2) / 2.0,
    ];
    let sum: f64 = spent.iter().sum();
    assert!(sum <= 0.05 && sum > 0.05 * 0.99, "{sum}: {spent:?}");
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
        let found = Region::new(counts, alpha, Shape::Tilted { slope: e, offset: 0.1, most: 0.9 }).delta_lower(e);
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
