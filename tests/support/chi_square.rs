//! Pearson's chi-square test (Pearson 1900), with the two mistakes that let a broken sampler pass ruled out: a cell that
//! received nothing contributes its full expected count, and both tails are cells.
//!
//! Cells are pooled with their neighbours until each expects at least [`LEAST_EXPECTED`] (Cochran 1954 asks for 5). What pooling
//! would hide is tested beside it: the hits of all cells that expect less, together, against their binomial distribution;
//! and that nothing at all falls where hardly anything can.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use certus::{bits::seeded, sample::Program};
use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF};

/// Samples drawn for each parameter.
pub const SAMPLES: u64 = 1_000_000;

/// The probability that any test of the family rejects a correct sampler, for random seeds; the seeds are fixed.
pub const FAMILY_ALPHA: f64 = 1e-6;

/// The family: at most as many tests as this (Bonferroni).
pub const MOST_TESTS: u32 = 400;

/// The level of one test.
pub const ALPHA: f64 = FAMILY_ALPHA / MOST_TESTS as f64;

/// The least expected count of a pooled cell.
pub const LEAST_EXPECTED: f64 = 10.0;

/// A partition of the integers, and the probability of each cell.
pub struct Cells {
    /// Cell i is [edges\[i − 1\], edges\[i\]); the first and the last are open.
    edges: Vec<i128>,
    probabilities: Vec<f64>,
}

impl Cells {
    /// A cell for each of `first`, `first` + 1, … with these probabilities, between two open tails with these.
    pub fn singles(first: i128, probabilities: &[f64], below: f64, above: f64) -> Self {
        let edges = (0..=probabilities.len()).map(|i| first + i as i128).collect();
        let probabilities = [&[below], probabilities, &[above]].concat();
        Self { edges, probabilities }
    }

    /// Cells between these edges, from P(k < edge).
    pub fn between(mut edges: Vec<i128>, below: impl Fn(i128) -> f64) -> Self {
        edges.dedup();
        let cumulative: Vec<f64> =
            [0.0].into_iter().chain(edges.iter().map(|&edge| below(edge))).chain([1.0]).collect();
        Self { edges, probabilities: cumulative.windows(2).map(|pair| pair[1] - pair[0]).collect() }
    }

    /// Which cell a value is in.
    pub fn of(&self, value: i128) -> usize {
        self.edges.partition_point(|&edge| edge <= value)
    }

    pub fn len(&self) -> usize {
        self.probabilities.len()
    }

    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }
}

/// The p-value of observed counts: three times the least of the three tests', or 1.
pub fn p_value(observed: &[u64], probabilities: &[f64]) -> f64 {
    assert_eq!(observed.len(), probabilities.len());
    let sum: f64 = probabilities.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the cells' probabilities add up to {sum}");
    let total: u64 = observed.iter().sum();
    let expected: Vec<f64> = probabilities.iter().map(|&p| p.max(0.0) * total as f64).collect();
    let least =
        pooled(observed, &expected).min(scarce(observed, &expected, total)).min(unreachable(observed, &expected));
    (3.0 * least).min(1.0)
}

/// Chi-square of the pooled cells.
fn pooled(observed: &[u64], expected: &[f64]) -> f64 {
    let mut pools: Vec<(u64, f64)> = vec![];
    let mut open = (0, 0.0);
    for (&o, &e) in observed.iter().zip(expected) {
        open = (open.0 + o, open.1 + e);
        if open.1 >= LEAST_EXPECTED {
            pools.push(open);
            open = (0, 0.0);
        }
    }
    match pools.last_mut() {
        Some(last) => *last = (last.0 + open.0, last.1 + open.1),
        None => pools.push(open),
    }
    if pools.len() < 2 {
        return 1.0;
    }
    let statistic: f64 = pools.iter().map(|&(o, e)| (o as f64 - e).powi(2) / e).sum();
    ChiSquared::new((pools.len() - 1) as f64).unwrap().sf(statistic)
}

/// The hits of all the cells that expect less than [`LEAST_EXPECTED`]: are there too many?
fn scarce(observed: &[u64], expected: &[f64], total: u64) -> f64 {
    let cells = || observed.iter().zip(expected).filter(|&(_, &e)| e < LEAST_EXPECTED);
    let hits: u64 = cells().map(|(&o, _)| o).sum();
    let mean: f64 = cells().map(|(_, &e)| e).sum();
    match hits.checked_sub(1) {
        None => 1.0,
        // P(any hit) ≤ the mean.
        Some(_) if mean < 1e-6 => mean,
        Some(fewer) => Binomial::new(mean / total as f64, total).unwrap().sf(fewer),
    }
}

/// The least likely cells, which together expect less than a tenth of [`ALPHA`]: one hit rejects.
fn unreachable(observed: &[u64], expected: &[f64]) -> f64 {
    let mut cells: Vec<(f64, u64)> = expected.iter().copied().zip(observed.iter().copied()).collect();
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut mean = 0.0;
    for (e, o) in cells {
        mean += e;
        if mean >= ALPHA / 10.0 {
            break;
        }
        if o > 0 {
            return mean;
        }
    }
    1.0
}

/// A fixed seed for each name.
pub fn seed(name: &str) -> [u8; 32] {
    let mut seed = [0u8; 32];
    for (i, byte) in name.bytes().enumerate() {
        seed[i % 32] = seed[i % 32].rotate_left(3) ^ byte;
    }
    seed
}

/// Draws [`SAMPLES`] and hands each to `count`.
pub fn draw<P: Program>(program: &P, name: &str, mut count: impl FnMut(P::Output)) {
    let mut bits = seeded(seed(name));
    for _ in 0..SAMPLES {
        count(program.sample(&mut bits).unwrap());
    }
}

/// How often each cell is hit.
pub fn observe<P: Program>(program: &P, name: &str, cells: &Cells, number: impl Fn(&P::Output) -> i128) -> Vec<u64> {
    let mut observed = vec![0; cells.len()];
    draw(program, name, |output| observed[cells.of(number(&output))] += 1);
    observed
}
