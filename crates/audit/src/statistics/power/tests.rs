//! The stated δ against sums over the region's own answers.
//!
//! `CERTUS_FULL=1 cargo test --release -p certus-audit --lib power -- --nocapture` looks at all 45 tests, of
//! up to 2,000
//! samples a side (minutes).

use rayon::prelude::*;

use super::super::normal::score_at_most;
use super::super::region::{EventCounts, Region};
use super::*;
use crate::events::{Goal, Prospect};

/// ln 0!, ln 1!, …
fn log_factorials(to: u64) -> Vec<f64> {
    let mut logs = vec![0.0];
    for k in 1..=to {
        logs.push(logs.last().unwrap() + real(k).ln());
    }
    logs
}

/// All masses of Binomial(n, p).
fn binomial(n: u64, p: f64, logs: &[f64]) -> Vec<f64> {
    let log = |k: u64| logs[usize::try_from(k).unwrap()];
    let power = |p: f64, k: u64| if k == 0 { 0.0 } else { real(k) * p.ln() };
    (0..=n).map(|k| (log(n) - log(k) - log(n - k) + power(p, k) + power(1.0 - p, n - k)).exp()).collect()
}

/// Which counts the region itself refutes the claim for: beside each x, all y below this.
pub(crate) struct Exact {
    test: Test,
    refuted: Vec<u64>,
    logs: Vec<f64>,
}

impl Exact {
    pub(crate) fn new(test: Test) -> Self {
        let Test { n, m, alpha, shape, c, delta } = test;
        let is_refuted = |x: u64, y: u64| Region::new(EventCounts { x, n, y, m }, alpha, shape).delta_lower(c) > delta;
        // From what is to be tested, which need not be right, to what is.
        let refuted = |x: u64| {
            let mut y = test.last_refuting(x).map_or(0, |last| last + 1);
            while y <= m && is_refuted(x, y) {
                y += 1;
            }
            while y > 0 && !is_refuted(x, y - 1) {
                y -= 1;
            }
            y
        };
        Self { test, refuted: (0..=n).into_par_iter().map(refuted).collect(), logs: log_factorials(n.max(m)) }
    }

    pub(crate) fn power(&self, p: f64, q: f64) -> f64 {
        let (of_x, of_y) = (binomial(self.test.n, p, &self.logs), binomial(self.test.m, q, &self.logs));
        let mut below = vec![0.0];
        of_y.iter().for_each(|mass| below.push(below.last().unwrap() + mass));
        of_x.iter().zip(&self.refuted).map(|(mass, y)| mass * below[usize::try_from(*y).unwrap()]).sum()
    }

    /// The least power over events with a δ of at least `delta`: on the line, and above it.
    pub(crate) fn least(&self, delta: f64, places: u32) -> f64 {
        let most = (1.0 - delta) / self.test.c;
        let at = |place: u32| {
            let q = most * (f64::from(place) / f64::from(places)).powi(2);
            let line = (self.test.c * q + delta).min(1.0);
            let above = [0.0, 0.02, 0.2, 0.7, 0.95, 0.99, 1.0].map(|share| self.power(line + share * (1.0 - line), q));
            above.into_iter().fold(1.0, f64::min)
        };
        (0..=places).into_par_iter().map(at).reduce(|| 1.0, f64::min)
    }
}

/// 45 tests as an audit would choose them, of which at least 40 see something: sample sizes, and claims with
/// what the selection part saw.
fn tests() -> Vec<Test> {
    let sizes =
        [(24, 24), (69, 69), (100, 100), (60, 140), (200, 200), (300, 200), (500, 500), (1000, 400), (2000, 2000)];
    let claims = [
        (1.0, 0.0, (0.6, 0.2)),
        (0.1, 0.0, (0.05, 0.0)),
        (0.5, 0.05, (0.97, 0.5)),
        (2.0, 0.01, (0.3, 0.1)),
        (1.0, 0.3, (0.999, 0.2)),
    ];
    let test = |(n, m): (u64, u64), (epsilon, delta, (p, q)): (f64, f64, (f64, f64))| {
        let (alpha, c) = (0.0008, f64::exp(epsilon));
        let prospect = Prospect { goal: Goal::Delta { c, delta }, n, m, alpha, z: score_at_most(alpha) };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
        let seen = EventCounts { x: (p * 1000.0) as u64, n: 1000, y: (q * 1000.0) as u64, m: 1000 };
        Test { n, m, alpha, shape: prospect.shape(seen), c, delta }
    };
    sizes.into_iter().flat_map(|sizes| claims.map(|claim| test(sizes, claim))).collect()
}

/// The bar: the stated δ has a power of one half or more at every feasible (p, q), and nine tenths of it has
/// not.
#[test]
fn what_is_said_to_be_seen_is_seen_every_other_time() {
    let full = std::env::var_os("CERTUS_FULL").is_some();
    let (mut none, mut some) = (0, 0);
    for test in tests().into_iter().filter(|test| full || test.n <= 100) {
        let exact = Exact::new(test);
        let Some(least) = test.smallest_seen() else {
            let power = exact.power(1.0, 0.0);
            println!("{test:?}: none, power of a δ of 1 {power:.4}");
            assert!(power < 0.5, "{test:?}: {power}");
            none += 1;
            continue;
        };
        let places = if full { 400 } else { 150 };
        let (at, below) = (exact.least(least, places), exact.least(0.9 * least, places));
        println!("{test:?}: {least:.5}, power {at:.4}, of nine tenths of it {below:.4}");
        some += 1;
        assert!(at >= 0.5, "{test:?}: {least} has a power of {at}");
        assert!(below < 0.5, "{test:?}: nine tenths of {least} have a power of {below}");
    }
    assert!(none > 0 && some >= if full { 40 } else { 15 }, "{none} {some}");
}

/// Every y* is the region's own, or one off where rounding decides, at the sizes that an audit has: against
/// regions beside it.
#[test]
fn the_staircase_is_the_regions() {
    for test in tests().into_iter().filter(|test| test.n >= 500).chain([Test { n: 40_000, m: 30_000, ..tests()[40] }]) {
        let Test { n, m, alpha, shape, c, delta } = test;
        for place in [3, 10, 30, 50, 70, 90, 97, 100] {
            let x = n * place / 100;
            let is_refuted = |y: u64| Region::new(EventCounts { x, n, y, m }, alpha, shape).delta_lower(c) > delta;
            // A 50th of a standard error of y, at least one.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
            let room = |y: u64| (real(y).sqrt() / 50.0) as u64 + 1;
            match test.last_refuting(x) {
                None => assert!(!is_refuted(0), "{test:?} {x}"),
                Some(y) => {
                    assert!(is_refuted(y.saturating_sub(room(y) - 1)), "{test:?} {x} {y}");
                    assert!(!is_refuted((y + room(y) + 1).min(m)), "{test:?} {x} {y}");
                }
            }
        }
    }
}

/// The more samples, the smaller; and never below the claimed δ.
#[test]
fn more_samples_see_more() {
    for (epsilon, delta) in [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (3.0, 1e-6), (0.5, 0.9)] {
        let c = f64::exp(epsilon);
        let shape = Shape::Tilted { slope: c, offset: delta, most: 0.9 };
        let seen: Vec<f64> = [100, 1000, 10_000, 100_000]
            .into_iter()
            .map(|n| Test { n, m: n, alpha: 0.001, shape, c, delta }.smallest_seen().unwrap_or(2.0))
            .collect();
        assert!(seen.windows(2).all(|two| two[0] > two[1]) && seen[3] > delta, "{epsilon} {delta}: {seen:?}");
        assert!(seen[3] < delta + 0.07, "{epsilon} {delta}: {seen:?}");
    }
    // No count could refute these.
    let shape = Shape::Tilted { slope: 2.0, offset: 0.0, most: 0.9 };
    let test = Test { n: 1000, m: 1000, alpha: 0.001, shape, c: 2.0, delta: 0.0 };
    for none in [
        Test { n: 0, ..test },
        Test { m: 0, ..test },
        Test { alpha: 0.0, ..test },
        Test { c: f64::INFINITY, ..test },
        Test { c: 1e40, ..test },
        Test { delta: 0.9999, ..test },
        Test { shape: Shape::Box { share: 2.0 }, ..test },
    ] {
        assert_eq!(none.smallest_seen(), None, "{none:?}");
    }
}
