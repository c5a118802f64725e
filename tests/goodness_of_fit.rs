//! Do the samples follow the distribution on paper? Chi-square over 10^6 samples for each of many parameters that nobody listed.
//!
//! The level is 10^-6 for the whole family, divided over its tests; the seeds are fixed. Expected probabilities come from the
//! exact closed forms where the distribution is narrow, and where it is wide from formulas in floats, independent of
//! the library: the test statistic is a float, the sampler under test never sees one.
#![allow(
    clippy::float_arithmetic,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a test may panic, and a test statistic is a float"
)]

#[path = "support/chi_square.rs"]
mod chi_square;
#[path = "support/closed_forms.rs"]
mod closed_forms;

use std::sync::atomic::{AtomicU32, Ordering};

use certus::{
    bits::{Bits, seeded},
    exact::{GaussianPmf, Integer, LaplacePmf, Pmf, Positive, Rational},
    sample::{
        Bernoulli, BernoulliExp, Choice, Gaussian, Geometric, Laplace, PreparedGaussian, PreparedLaplace, Program,
        Uniform, Weight,
    },
};
use chi_square::{ALPHA, Cells, MOST_TESTS, draw, observe, p_value};
use closed_forms::{GeometricPmf, middle, non_negative, positive, probability, rational, to_f64};
use num_bigint::BigUint;
use statrs::function::erf::erfc;

/// Below this scale, every integer has its own cell and its probability from the exact closed form.
const NARROW: f64 = 30.0;

/// Cells of equal probability at wide scales.
const QUANTILES: u32 = 200;

/// From this scale on, k mod 16 and k mod 15 are uniform as far as 10^6 samples can tell: the largest relative deviation is the
/// characteristic function at 2π/m over that at 0, for discrete Laplace about (m/2πs)², which is below 10^-5.
const FINE: f64 = 1000.0;

/// From this scale on, so is k mod 16 within each twentieth of the distribution, whose density varies by a factor e^(±16/s) at most
/// over 16 neighbours.
const VERY_FINE: f64 = 1e6;

/// Fails if the p-value is below the level; counts the family.
fn accept(name: &str, p: f64) {
    static TESTS: AtomicU32 = AtomicU32::new(0);
    let tests = TESTS.fetch_add(1, Ordering::Relaxed) + 1;
    assert!(tests <= MOST_TESTS, "more tests than the level was divided over");
    println!("{name}: p = {p:.3e}");
    assert!(p >= ALPHA, "{name}: p = {p:e} is below {ALPHA:e}");
}

fn number(value: &Integer) -> i128 {
    // All parameters here have outputs far within 2^127; one that is not is in the open tail.
    let saturated = if *value < Integer::ZERO { i128::MIN } else { i128::MAX };
    value.to_i64().map_or_else(|| i128::try_from(value.to_big()).unwrap_or(saturated), i128::from)
}

/// P(k) for k = 0, 1, … until it is below 10^-25, from the exact closed form.
fn table(pmf: &impl Pmf<Integer>) -> Vec<f64> {
    let mut table = vec![];
    loop {
        let p = middle(&pmf.probability(&Integer::from(table.len() as i64)));
        table.push(p);
        if p < 1e-25 {
            return table;
        }
    }
}

/// A cell for each integer of a symmetric narrow distribution, and two open tails beyond the last.
fn symmetric(pmf: &impl Pmf<Integer>) -> Cells {
    let upper = table(pmf);
    let all: Vec<f64> = upper.iter().skip(1).rev().chain(&upper).copied().collect();
    Cells::singles(1 - upper.len() as i128, &all, 0.0, 0.0)
}

/// Edges of equal probability, by bisection, each a multiple of `grain`.
fn quantiles(below: impl Fn(i128) -> f64, grain: i128) -> Cells {
    let edges = (1..QUANTILES).map(|i| {
        let share = f64::from(i) / f64::from(QUANTILES);
        let (mut low, mut high) = (-(1i128 << 110), 1i128 << 110);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if below(middle * grain) < share { low = middle } else { high = middle }
        }
        high * grain
    });
    let cells = Cells::between(edges.collect(), below);
    assert!(cells.len() >= 100, "only {} cells", cells.len());
    cells
}

/// The test of a wide distribution: quantiles, and the fine structure that quantiles cannot see.
fn wide<P: Program<Output = Integer>>(name: &str, program: &P, scale: f64, below: impl Fn(i128) -> f64) {
    let cells = quantiles(below, if scale >= VERY_FINE { 16 } else { 1 });
    let mut observed = vec![0; cells.len()];
    let (mut by_16, mut by_15) = (vec![0; 16], vec![0; 15]);
    let twentieths = cells.len().div_ceil(10);
    let mut joint = vec![0; 16 * twentieths];
    draw(program, name, |output| {
        let k = number(&output);
        let cell = cells.of(k);
        observed[cell] += 1;
        by_16[k.rem_euclid(16) as usize] += 1;
        by_15[k.rem_euclid(15) as usize] += 1;
        joint[cell / 10 * 16 + k.rem_euclid(16) as usize] += 1;
    });
    accept(name, p_value(&observed, cells.probabilities()));
    if scale >= FINE {
        accept(&format!("{name} mod 16"), p_value(&by_16, &[1.0 / 16.0; 16]));
        accept(&format!("{name} mod 15"), p_value(&by_15, &[1.0 / 15.0; 15]));
    }
    if scale >= VERY_FINE {
        let coarse = cells.probabilities().chunks(10).map(|cells| cells.iter().sum::<f64>());
        let expected: Vec<f64> = coarse.flat_map(|p| [p / 16.0; 16]).collect();
        accept(&format!("{name} mod 16 by twentieths"), p_value(&joint, &expected));
    }
}

fn laplace(scale: &Positive) {
    laplace_by(&format!("laplace {scale}"), scale, &Laplace::new(scale));
}

fn laplace_by(name: &str, scale: &Positive, noise: &impl Program<Output = Integer>) {
    let s = to_f64(scale.get());
    if s < NARROW {
        let cells = symmetric(&LaplacePmf::new(scale, closed_forms::PRECISION));
        return accept(name, p_value(&observe(noise, name, &cells, number), cells.probabilities()));
    }
    // With q = e^(-1/s): P(k ≥ m) = q^m/(1 + q) for m ≥ 1, and P(k < m) = P(k > −m) = q^(1 − m)/(1 + q) for m ≤ 0.
    let q_to = |exponent: i128| (-(exponent as f64) / s).exp();
    let below = |m: i128| if m > 0 { 1.0 - q_to(m) / (1.0 + q_to(1)) } else { q_to(1 - m) / (1.0 + q_to(1)) };
    wide(name, noise, s, below);
}

fn gaussian(variance: &Positive) {
    gaussian_by(&format!("gaussian {variance}"), variance, &Gaussian::with_variance(variance));
}

fn gaussian_by(name: &str, variance: &Positive, noise: &impl Program<Output = Integer>) {
    let sigma = to_f64(variance.get()).sqrt();
    if sigma < NARROW {
        let cells = symmetric(&GaussianPmf::new(variance, closed_forms::PRECISION).unwrap());
        return accept(name, p_value(&observe(noise, name, &cells, number), cells.probabilities()));
    }
    if sigma < FINE {
        // Σ of the exact closed form below each edge.
        let upper = table(&GaussianPmf::new(variance, closed_forms::PRECISION).unwrap());
        let reach = upper.len() as i128 - 1;
        let mut cumulative = vec![0.0];
        for k in -reach..=reach {
            cumulative.push(cumulative[cumulative.len() - 1] + upper[k.unsigned_abs() as usize]);
        }
        return wide(name, noise, sigma, |m| cumulative[(m + reach).clamp(0, 2 * reach + 1) as usize]);
    }
    // The sum below m is the integral below m − ½ up to the midpoint rule's φ'/24σ² ≤ 0.0101/σ² ≤ 2·10^-8, and the
    // normaliser is √(2π)σ up to e^(-2π²σ²) (Poisson summation). Over 200 cells such errors move chi-square by less than
    // 10^6·200·(2·10^-8)²·200 < 10^-4.
    wide(name, noise, sigma, |m| 0.5 * erfc(-(m as f64 - 0.5) / (sigma * std::f64::consts::SQRT_2)));
}

fn geometric(scale: &Positive) {
    let name = format!("geometric {scale}");
    let noise = Geometric::new(scale);
    let s = to_f64(scale.get());
    if s < NARROW {
        let cells = Cells::singles(0, &table(&GeometricPmf(scale.clone())), 0.0, 0.0);
        return accept(&name, p_value(&observe(&noise, &name, &cells, number), cells.probabilities()));
    }
    // The edge 0 leaves nothing below it; 10^6 samples see no slope within 16 from scale 10^6 on.
    let mut edges = vec![0];
    edges.extend((1..QUANTILES).map(|i| (-s * (1.0 - f64::from(i) / f64::from(QUANTILES)).ln()).round() as i128));
    let cells = Cells::between(edges, |m| if m <= 0 { 0.0 } else { -(-(m as f64) / s).exp_m1() });
    let mut by_16 = vec![0; 16];
    let mut observed = vec![0; cells.len()];
    draw(&noise, &name, |output| {
        let k = number(&output);
        observed[cells.of(k)] += 1;
        by_16[k.rem_euclid(16) as usize] += 1;
    });
    accept(&name, p_value(&observed, cells.probabilities()));
    if s >= VERY_FINE {
        accept(&format!("{name} mod 16"), p_value(&by_16, &[1.0 / 16.0; 16]));
    }
}

fn uniform(bound: &str) {
    let name = format!("uniform {bound}");
    let n: u128 = bound.parse().unwrap();
    let noise = Uniform::new(BigUint::from(n)).unwrap();
    if n <= 1000 {
        let cells = Cells::singles(0, &vec![1.0 / n as f64; n as usize], 0.0, 0.0);
        return accept(&name, p_value(&observe(&noise, &name, &cells, number), cells.probabilities()));
    }
    // Nothing below 0, nothing from n on, and between them cells of equal width, whose edges are multiples of 16.
    let mut edges: Vec<i128> =
        (0..QUANTILES).map(|i| (n / u128::from(QUANTILES) * u128::from(i)) as i128 / 16 * 16).collect();
    edges.push(n as i128);
    let cells = Cells::between(edges, |m| m as f64 / n as f64);
    let mut observed = vec![0; cells.len()];
    let (mut by_16, mut by_15) = (vec![0; 16], vec![0; 15]);
    draw(&noise, &name, |output| {
        let k = number(&output);
        observed[cells.of(k)] += 1;
        by_16[k.rem_euclid(16) as usize] += 1;
        by_15[k.rem_euclid(15) as usize] += 1;
    });
    accept(&name, p_value(&observed, cells.probabilities()));
    accept(&format!("{name} mod 16"), p_value(&by_16, &[1.0 / 16.0; 16]));
    accept(&format!("{name} mod 15"), p_value(&by_15, &[1.0 / 15.0; 15]));
}

fn coin<P: Program<Output = bool>>(name: &str, program: &P, p: f64) {
    let cells = Cells::singles(0, &[1.0 - p, p], 0.0, 0.0);
    accept(name, p_value(&observe(program, name, &cells, |&up| i128::from(up)), cells.probabilities()));
}

/// Rationals of random sizes from a fixed seed: up to 2^`numerator_bits` over up to 2^`denominator_bits`.
fn random_rationals(seed: u8, many: usize, numerator_bits: u64, denominator_bits: u64) -> Vec<Positive> {
    let mut bits = seeded([seed; 32]);
    let mut below = |most: u64| {
        let size = 1 + bits.take(32).unwrap() % most;
        1 + bits.take(size as u32).unwrap()
    };
    let rationals = (0..many).map(|_| Rational::new(below(numerator_bits).into(), below(denominator_bits).into()));
    rationals.map(|value| Positive::new(value).unwrap()).collect()
}

#[test]
fn laplace_at_narrow_scales() {
    for scale in ["1/100", "1/3", "1", "355/113", "5/2", "29"] {
        laplace(&positive(scale));
    }
}

#[test]
fn laplace_at_wide_scales() {
    for scale in ["49.999999", "1000", "12345.678", "7000001/7", "1e9"] {
        laplace(&positive(scale));
    }
}

/// 40 digits over 40 digits: about 4.3 and about 10^12.
#[test]
fn laplace_on_big_integers() {
    for scale in [
        "5291234567890123456789012345678901234567/1234567890123456789012345678901234567891",
        "1234567890123456789012345678901234567891/987654321098765432109876543",
    ] {
        laplace(&positive(scale));
    }
}

#[test]
fn gaussian_at_narrow_scales() {
    for variance in ["1/100", "1/3", "1", "7/3", "2", "100"] {
        gaussian(&positive(variance));
    }
}

/// On words still: at σ² = 2^40, 2·t·a·b = 2^41.
#[test]
fn gaussian_at_wide_scales() {
    for variance in ["54321.5", "3000001/3", "1099511627776"] {
        gaussian(&positive(variance));
    }
}

/// 2^61 − 1 and 2^80: 2·t·a·b does not fit a word.
#[test]
fn gaussian_on_big_integers() {
    for variance in ["2305843009213693951", "1208925819614629174706176"] {
        gaussian(&positive(variance));
    }
}

#[test]
fn geometric_at_any_scale() {
    for scale in ["1/100", "1/3", "1", "5/2", "13/11", "49.999999", "1234567.25"] {
        geometric(&positive(scale));
    }
}

#[test]
fn uniform_below_any_bound() {
    for bound in ["1", "2", "3", "5", "6", "7", "10", "9223372036854775809", "1000000000000000000000000000000"] {
        uniform(bound);
    }
}

#[test]
fn coins() {
    for p in
        ["0", "1", "1/2", "1/3", "5/8", "999999/1000000", "1/1000000", "123456789012345678901/987654321098765432109"]
    {
        coin(&format!("bernoulli {p}"), &Bernoulli::new(probability(p)), to_f64(&rational(p)));
    }
    for x in ["0", "1/3", "1", "5/2", "30", "123456789012345678901/987654321098765432109"] {
        coin(&format!("bernoulli_exp {x}"), &BernoulliExp::new(&non_negative(x)), (-to_f64(&rational(x))).exp());
    }
}

#[test]
fn choices() {
    let cases: [&[(&str, &str)]; 4] = [
        &[("1", "0")],
        &[("1", "2"), ("0", "-5"), ("3", "1"), ("1/2", "0"), ("2/3", "7/3")],
        &[("1", "-1/3"), ("1", "1/3"), ("0", "0")],
        &[("123456789012345678901", "0"), ("50000000000000000000/3", "-1"), ("98765432109876543210", "1/7")],
    ];
    for (index, case) in cases.into_iter().enumerate() {
        let weigh = |&(c, x): &(&str, &str)| Weight { factor: non_negative(c), exponent: rational(x) };
        let choice = Choice::new(&case.iter().map(weigh).collect::<Vec<_>>()).unwrap();
        let weights: Vec<f64> =
            case.iter().map(|(c, x)| to_f64(&rational(c)) * (-to_f64(&rational(x))).exp()).collect();
        let total: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let cells = Cells::singles(0, &shares, 0.0, 0.0);
        let name = format!("choice {index}");
        accept(&name, p_value(&observe(&choice, &name, &cells, |&i| i as i128), cells.probabilities()));
    }
}

#[test]
fn laplace_at_random_rationals() {
    random_rationals(1, 7, 40, 24).iter().for_each(laplace);
}

#[test]
fn gaussian_at_random_rationals() {
    random_rationals(2, 7, 60, 24).iter().for_each(gaussian);
}

/// The test of the test: what it must reject, it rejects.
mod the_statistic {
    use super::*;

    #[test]
    fn agrees_with_the_tables() {
        // One degree of freedom: 3.841 is the 5 % point. 10 000 tosses with a deviation d have (2d/100)².
        let p = p_value(&[5098, 4902], &[0.5, 0.5]);
        assert!((p / 3.0 - 0.05).abs() < 1e-4, "{p}");
    }

    #[test]
    fn counts_an_empty_cell() {
        // 30 were expected in the third cell: chi-square is at least 30, and p below 10^-6.
        assert!(p_value(&[500_015, 499_985, 0], &[0.5, 0.499_97, 0.000_03]) < 1e-6);
        assert!(p_value(&[500_000, 499_970, 30], &[0.5, 0.499_97, 0.000_03]) > 0.1);
    }

    #[test]
    fn rejects_what_cannot_be() {
        let cells = Cells::singles(0, &[0.5, 0.5], 0.0, 0.0);
        assert_eq!((cells.of(-1), cells.of(0), cells.of(1), cells.of(2), cells.of(i128::MAX)), (0, 1, 2, 3, 3));
        assert!(p_value(&[0, 500_000, 500_000, 0], cells.probabilities()) > 0.1);
        assert!(p_value(&[1, 500_000, 499_999, 0], cells.probabilities()) < ALPHA);
        assert!(p_value(&[0, 500_000, 499_999, 1], cells.probabilities()) < ALPHA);
    }

    #[test]
    fn rejects_too_many_in_cells_too_small_for_chi_square() {
        let probabilities = [0.5, 0.499_998, 1e-6, 1e-6];
        assert!(p_value(&[500_000, 499_996, 2, 2], &probabilities) > 0.1);
        assert!(p_value(&[500_000, 499_972, 14, 14], &probabilities) < ALPHA);
    }
}

/// Of the prepared samplers: tables, wide in one word, 40 digits, and wide in a word and a quarter.
const PREPARED: [&str; 12] = [
    "1/3",
    "1",
    "355/113",
    "10",
    "100",
    "1000",
    "1025.5",
    "1e6",
    "1099511627776",
    "1234567890123456789012345678901234567890/9876543210987654321098765432109876",
    "1234567890123456789012345678901234567890/98765432109876543210987",
    "1152921504606846976",
];

#[test]
fn prepared_laplace() {
    for scale in PREPARED {
        let scale = positive(scale);
        let noise = PreparedLaplace::new(&scale);
        assert_ne!(noise.construction(), "reference");
        laplace_by(&format!("prepared laplace {scale}"), &scale, &noise);
    }
}

#[test]
fn prepared_gaussian() {
    for sigma in PREPARED {
        let variance = positive(sigma).square();
        let noise = PreparedGaussian::with_variance(&variance);
        assert_ne!(noise.construction(), "reference");
        gaussian_by(&format!("prepared gaussian {sigma}"), &variance, &noise);
    }
}

/// What 10^6 samples cannot see: a rejected trial that keeps its bucket and offset would leave the envelope's steps, at most a
/// percent high. So 2·10^7 samples in bulk, and in which eighth of its bucket each falls.
#[test]
fn prepared_bulk_within_buckets() {
    const MANY: usize = 20_000_000;
    // The buckets are 2^(⌊log₂ σ⌋ − 6) wide: in one word, and in a word and a quarter.
    for (sigma, log) in [("1e6", 13), ("1e16", 47)] {
        let noise = PreparedGaussian::new(&positive(sigma));
        let s = to_f64(positive(sigma).get());
        let below = |m: f64| 0.5 * erfc(-(m - 0.5) / (s * std::f64::consts::SQRT_2));
        let eighth = 2f64.powi(log - 3);
        let expected: Vec<f64> = (0..8)
            .map(|part| {
                let share = |cell: i32| {
                    let edge = f64::from(8 * cell + part) * eighth;
                    // Magnitudes from 1 on are of either sign, and 0 has a whole probability of its own.
                    2.0 * (below(edge + eighth) - below(edge.max(0.5)))
                };
                (0..1300).map(share).sum()
            })
            .collect();
        let mut bits = seeded(chi_square::seed(sigma));
        let mut observed = vec![0u64; 8];
        let mut samples = vec![0i64; 10_000];
        for _ in 0..MANY / samples.len() {
            noise.fill(&mut bits, &mut samples).unwrap();
            for sample in &samples {
                observed[(sample.unsigned_abs() >> (log - 3) & 7) as usize] += 1;
            }
        }
        accept(&format!("prepared gaussian {sigma} within buckets"), p_value(&observed, &expected));
    }
}
