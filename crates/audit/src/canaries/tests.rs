//! Bounds against published and simulated values, and against a linear program solved by hand in small cases.
#![expect(clippy::float_arithmetic, reason = "tests of estimates")]

use statrs::distribution::{ContinuousCDF as _, Normal};

use super::{Curve, ProfilePoint, guesses, plan, recursion};

/// The greatest value that is refuted, by bisection.
fn greatest(refutes: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if refutes(middle) { low = middle } else { high = middle }
    }
    low
}

/// δ(ε) of Gaussian noise whose sensitivity is μ standard deviations.
fn gaussian_delta(mu: f64, epsilon: f64) -> f64 {
    let normal = Normal::standard();
    normal.cdf(mu / 2.0 - epsilon / mu) - epsilon.exp() * normal.cdf(-mu / 2.0 - epsilon / mu)
}

fn gaussian_curve(mu: f64) -> Curve {
    let points: Vec<_> = (0..=400)
        .map(|place| {
            let epsilon = f64::from(place) / 40.0;
            let delta = gaussian_delta(mu, epsilon) + 1e-15;
            ProfilePoint { epsilon, delta_in: delta, delta_out: delta }
        })
        .collect();
    Curve::new(&points).unwrap()
}

/// ε at δ of a μ.
fn gaussian_epsilon(mu: f64, delta: f64) -> f64 {
    greatest(|epsilon| gaussian_delta(mu, epsilon) > delta)
}

/// At 95 %, as the trial that the design comes from has them (0.673, 2.675) and as plain sums in Python do.
#[test]
fn published_values_of_steinke_nasr_and_jagielski() {
    for (m, r, v, delta, expected) in [(1000, 100, 75, 1e-4, 0.672_985), (100_000, 1510, 1439, 1e-5, 2.675_851)] {
        let found = greatest(|epsilon| guesses::p_value(epsilon, delta, m, r, v) <= 0.05);
        assert!((found - expected).abs() < 1e-5, "{m} {r} {v}: {found}");
    }
}

#[test]
fn published_values_of_the_recursion() {
    for (m, r, v, expected) in [(1000, 100, 98, 4.227), (1000, 220, 213, 4.599)] {
        let mu = greatest(|mu| mu > 0.0 && recursion::refutes(&gaussian_curve(mu), m, r, v, 0.05));
        let found = gaussian_epsilon(mu, 1e-5);
        assert!((found - expected).abs() < 2e-3, "{m} {r} {v}: {found}");
    }
}

/// Randomized response on every coin is ε-DP, and has as many right as a binomial: no bound may be below.
#[test]
fn randomized_response_is_within_the_bounds() {
    for (m, epsilon) in [(1, 0.5_f64), (5, 1.0), (20, 0.1), (20, 2.0), (200, 1.0)] {
        let q = epsilon.exp() / (1.0 + epsilon.exp());
        for v in 0..=m {
            let truth = crate::statistics::tail::Tail::of(m, v, q).upper_at_most();
            let bound = recursion::p_value(&Curve::approximate(epsilon, 0.0).unwrap(), m, m, v);
            assert!(bound >= truth * (1.0 - 1e-8), "{m} {epsilon} {v}: {bound} below {truth}");
            let bound = guesses::p_value(epsilon, 0.0, m, m, v);
            assert!((bound - truth).abs() <= truth * 1e-8, "{m} {epsilon} {v}: {bound}, {truth}");
        }
    }
}

/// "With probability δ tell all, otherwise nothing" is (0, δ)-DP: all guesses are right with δ + (1 −
/// δ)·2^-r.
#[test]
fn telling_all_at_times_is_within_the_bounds() {
    for delta in [0.001, 0.05, 0.3] {
        for (m, r) in [(1, 1), (10, 3), (100, 50), (1000, 20)] {
            let truth = delta + (1.0 - delta) * 0.5_f64.powi(i32::try_from(r).unwrap());
            let bound = recursion::p_value(&Curve::approximate(0.0, delta).unwrap(), m, r, r);
            assert!(bound >= truth * (1.0 - 1e-6), "{delta} {m} {r}: {bound} below {truth}");
            assert!(guesses::p_value(0.0, delta, m, r, r) >= truth * (1.0 - 1e-6), "{delta} {m} {r}");
        }
    }
}

/// More right guesses, and smaller claims, are refuted sooner; what cannot be is not.
#[test]
fn p_values_fall() {
    let at = |epsilon: f64, v: u64| recursion::p_value(&Curve::approximate(epsilon, 1e-5).unwrap(), 1000, 100, v);
    assert!(at(1.0, 90) < at(1.0, 80) && at(1.0, 90) < at(2.0, 90));
    assert!((at(1.0, 50) - 1.0).abs() < f64::EPSILON);
    assert!(
        !recursion::refutes(&Curve::approximate(1.0, 0.0).unwrap(), 10, 20, 15, 0.05),
        "more guesses than canaries"
    );
    assert!(!recursion::refutes(&Curve::approximate(1.0, 0.0).unwrap(), 10, 10, 11, 0.05), "more right than guesses");
    assert!((guesses::p_value(f64::NAN, 1e-5, 1000, 100, 100) - 1.0).abs() < f64::EPSILON, "no claim");
    assert!(!recursion::refutes(&Curve::approximate(1.0, 0.0).unwrap(), 10, 0, 0, 0.05), "no guess");
}

/// Gaussian scores, drawn by inversion of a fixed sequence: the plan's own run is not called false too often,
/// and half of its noise is.
#[test]
fn the_plan_is_told_from_half_its_noise() {
    let normal = Normal::standard();
    let mut state = 11_u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (crate::statistics::real(state >> 11) + 0.5) / 9_007_199_254_740_992.0
    };
    let (m, r, mu) = (1000, 200, 1.0);
    let claim = gaussian_curve(mu);
    let mut alarms = |true_mu: f64, guesses: u64| {
        let runs = 200;
        let mut alarms = 0;
        for _ in 0..runs {
            let mut scores: Vec<(f64, bool)> = (0..m)
                .map(|_| {
                    let coin = uniform() < 0.5;
                    (normal.inverse_cdf(uniform()) + if coin { true_mu / 2.0 } else { -true_mu / 2.0 }, coin)
                })
                .collect();
            scores.sort_by(|one, two| two.0.abs().total_cmp(&one.0.abs()));
            let right =
                scores.iter().take(usize::try_from(guesses).unwrap()).filter(|(score, coin)| (*score > 0.0) == *coin);
            alarms += u32::from(plan::p_value(&claim, m, guesses, right.count() as u64) <= 0.05);
        }
        f64::from(alarms) / f64::from(runs)
    };
    for guesses in [r, m] {
        let (honest, halved) = (alarms(mu, guesses), alarms(2.0 * mu, guesses));
        // 5 % and three standard errors of 200 runs.
        assert!(honest <= 0.05 + 3.0 * (0.05 * 0.95 / 200.0_f64).sqrt(), "{guesses}: {honest}");
        assert!(halved > 0.95, "{guesses}: {halved}");
    }
}

/// U's distribution in closed form, where one guess of two is made: both are cut at the same places.
#[test]
fn a_guess_of_two_by_hand() {
    // Under (ε, 0), A(u) = e^ε/(1 + e^ε) whatever u is: the top guess is right with that.
    let curve = Curve::approximate(1.0, 0.0).unwrap();
    let q = 1.0_f64.exp() / (1.0 + 1.0_f64.exp());
    // Below the first cut it is taken for always right: U = max of two is there with 6·10^-6.
    let bound = plan::p_value(&curve, 2, 1, 1);
    assert!(bound >= q && bound - q < 2e-6, "{bound} {q}");
    assert!((plan::p_value(&curve, 2, 2, 2) - q * q).abs() < 1e-9);
}
