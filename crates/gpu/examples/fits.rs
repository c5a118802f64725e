//! On a GPU: ten fits, each of 10^11 samples, to the probabilities on paper; also of the lowest bits, and of pairs of
//! neighbours. Exits with 1 where a p-value is below 10^-6, divided over all tests, and with 3 where there is no GPU.
//!
//! Probabilities come from the library's exact closed forms where every integer has its own bin, and from formulas in
//! floats, which share no code with the library, where a bin has many.
//!
//! cargo run --release --example fits [samples of each, 10^11 by default]
#![allow(clippy::float_arithmetic, reason = "a test statistic is a float")]

use std::{error::Error, process::ExitCode, time::Instant};

use certus::{
    bits::Key,
    exact::{Enclosure, GaussianPmf, Integer, LaplacePmf, Pmf, Positive, Rounding, decimal, parse},
    sample::{PreparedGaussian, PreparedLaplace},
};
use certus_gpu::{Device, GpuError, Prepared, Tensor, measure};
use statrs::{
    distribution::{ChiSquared, ContinuousCDF},
    function::erf::erfc,
};

/// How many samples are drawn and counted at a time.
const PIECE: u64 = 1 << 28;

/// For the whole family of tests.
const ALPHA: f64 = 1e-6;

/// A bin of a test has at least so many samples in expectation.
const LEAST_EXPECTED: f64 = 1000.0;

/// One distribution, and how it is counted.
struct Fit {
    name: &'static str,
    prepared: Prepared,
    bins: measure::Bins,
    /// Of each bin, of each pattern of lowest bits, and of each class.
    bin: Vec<f64>,
    low: Vec<f64>,
    class: Vec<f64>,
}

fn to_f64(enclosure: &Enclosure) -> Result<f64, Box<dyn Error>> {
    Ok(decimal(&enclosure.lower(), 25, Rounding::Down).parse()?)
}

/// Every integer up to `reach` has its own bin.
fn narrow(
    name: &'static str,
    is_gaussian: bool,
    scale: &str,
    reach: i64,
    class_shift: u32,
) -> Result<Fit, Box<dyn Error>> {
    let scale = Positive::new(parse(scale)?)?;
    let pmf: Box<dyn Pmf<Integer>> = if is_gaussian {
        Box::new(GaussianPmf::new(&scale.square(), 160).ok_or("sigma: too wide for its closed form")?)
    } else {
        Box::new(LaplacePmf::new(&scale, 160))
    };
    let half = (0..=reach).map(|k| to_f64(&pmf.probability(&Integer::from(k)))).collect::<Result<Vec<f64>, _>>()?;
    let (mut bin, mut low, mut class) = (Vec::new(), vec![0.0; 8], vec![0.0; 8]);
    for k in -reach..=reach {
        let p = half[k.unsigned_abs() as usize];
        bin.push(p);
        low[(k & 7) as usize] += p;
        class[((k >> class_shift) + 4).clamp(0, 7) as usize] += p;
    }
    let bins = measure::Bins { count: bin.len() as u32, shift: 0, least: -reach, low_bits: 3, class_shift };
    Ok(Fit { name, prepared: prepared(is_gaussian, &scale), bins, bin, low, class })
}

fn prepared(is_gaussian: bool, scale: &Positive) -> Prepared {
    if is_gaussian { PreparedGaussian::new(scale).into() } else { PreparedLaplace::new(scale).into() }
}

/// P(k ≥ a) for scale or σ 2^log, a not negative: by the integral from a − 1/2 on, which for the discrete Gaussian is
/// right but for a relative error of 1/24σ², and by the geometric sum.
fn tail(is_gaussian: bool, log: u32, a: f64) -> f64 {
    let scale = f64::from(log).exp2();
    if is_gaussian {
        erfc((a - 0.5) / scale / std::f64::consts::SQRT_2) / 2.0
    } else {
        (-a / scale).exp() / (1.0 + (-1.0 / scale).exp())
    }
}

/// P(a ≤ k < b) for 0 ≤ a < b, without cancellation where it matters.
fn between(is_gaussian: bool, log: u32, a: f64, b: f64) -> f64 {
    if is_gaussian {
        return tail(true, log, a) - tail(true, log, b);
    }
    -tail(false, log, a) * ((a - b) / f64::from(log).exp2()).exp_m1()
}

/// Bins of 2^(log − 7) integers; `reach` scales to either side.
fn wide(name: &'static str, is_gaussian: bool, log: u32, reach: i64) -> Result<Fit, Box<dyn Error>> {
    let scale = Positive::new(parse(&(1_u128 << log).to_string())?)?;
    let shift = log - 7;
    let per_side = reach << 7;
    // Of integers with ⌊k/2^shift⌋ = j; −k has the probability of k.
    let p = |j: i64, shift: u32| {
        let width = f64::from(shift).exp2();
        let from = if j >= 0 { j as f64 * width } else { (-j - 1) as f64 * width + 1.0 };
        between(is_gaussian, log, from, from + width)
    };
    let bin = (-per_side..per_side).map(|j| p(j, shift)).collect();
    // Classes of half a scale; the first and the last take all beyond.
    let class_shift = log - 1;
    let mut class: Vec<f64> = (-4..4).map(|c| p(c, class_shift)).collect();
    let inner: f64 = class[1..7].iter().sum();
    // P(k < −3w) and P(k ≥ 3w), w the width of a class.
    let end = 3.0 * f64::from(class_shift).exp2();
    class[0] = tail(is_gaussian, log, end + 1.0);
    class[7] = tail(is_gaussian, log, end);
    assert!((inner + class[0] + class[7] - 1.0).abs() < 1e-9, "the classes' probabilities do not add up to 1");
    let bins = measure::Bins { count: (2 * per_side) as u32, shift, least: -per_side, low_bits: 10, class_shift };
    // 2^10 is a 2,048th of the scale, at most half of it: other frequencies are below what can be seen.
    let low = vec![1.0 / 1024.0; 1024];
    Ok(Fit { name, prepared: prepared(is_gaussian, &scale), bins, bin, low, class })
}

/// The p-value of counts; bins that expect little are put together. What the bins do not have, the first and the last
/// bin have beyond: it is too little to be seen.
fn p_value(counts: &[u64], probabilities: &[f64], total: f64) -> f64 {
    let (mut statistic, mut cells) = (0.0, 0_u32);
    let (mut seen, mut expected) = (0.0, 0.0);
    let mut rest = total;
    for (&count, &p) in counts.iter().zip(probabilities) {
        seen += count as f64;
        expected += p * total;
        // What is left must not be too little, either.
        if expected >= LEAST_EXPECTED && rest - expected >= LEAST_EXPECTED {
            statistic += (seen - expected).powi(2) / expected;
            cells += 1;
            rest -= expected;
            (seen, expected) = (0.0, 0.0);
        }
    }
    let all: u64 = counts.iter().sum();
    assert!(all as f64 == total, "{all} of {total} samples were counted");
    statistic += (seen - expected).powi(2) / rest;
    cells += 1;
    ChiSquared::new(f64::from(cells - 1)).map_or(f64::NAN, |law| law.sf(statistic))
}

fn fits() -> Result<Vec<Fit>, Box<dyn Error>> {
    Ok(vec![
        narrow("Gaussian 1", true, "1", 9, 0)?,
        narrow("Gaussian 10", true, "10", 80, 3)?,
        narrow("Gaussian 1000", true, "1000", 7500, 9)?,
        narrow("Laplace 10", false, "10", 300, 3)?,
        narrow("Laplace 300", false, "300", 8500, 7)?,
        wide("Gaussian 2^11", true, 11, 8)?,
        wide("Gaussian 2^20", true, 20, 8)?,
        wide("Gaussian 2^40", true, 40, 8)?,
        wide("Laplace 2^20", false, 20, 28)?,
        wide("Laplace 2^40", false, 40, 28)?,
    ])
}

fn run() -> Result<bool, Box<dyn Error>> {
    let samples =
        std::env::args().nth(1).map_or(Ok(100_000_000_000), |count| count.parse::<f64>().map(|count| count as u64))?;
    // Whole pieces.
    let samples = samples.div_ceil(PIECE) * PIECE;
    let device = Device::new(0)?;
    println!("{}: {samples} samples of each", device.name()?);
    let fits = fits()?;
    let alpha = ALPHA / (3 * fits.len()) as f64;
    let mut samples_of_piece = Tensor::<i64>::zeros(&device, PIECE as usize)?;
    let mut all_fit = true;
    println!("                       bins   p       lowest bits   p       pairs   p");
    for fit in fits {
        let started = Instant::now();
        let noise = device.prepare(fit.prepared)?;
        let mut counter = measure::Counter::new(&device, fit.bins)?;
        let mut key = Key::new()?;
        for _ in 0..samples / PIECE {
            noise.fill(key.range(PIECE)?, &mut samples_of_piece)?;
            counter.add(&samples_of_piece)?;
        }
        let histogram = counter.histogram()?;
        let pairs: Vec<f64> = fit.class.iter().flat_map(|a| fit.class.iter().map(move |b| a * b)).collect();
        let total = samples as f64;
        let p = [
            p_value(&histogram.bins, &fit.bin, total),
            p_value(&histogram.low, &fit.low, total),
            p_value(&histogram.pairs, &pairs, total / 2.0),
        ];
        // Also where one is no number.
        all_fit &= p.iter().all(|&p| p >= alpha);
        println!(
            "{:<16} {:>10} {:8.4} {:>12} {:8.4} {:>8} {:8.4}   {:.1} s",
            fit.name,
            fit.bin.len(),
            p[0],
            fit.low.len(),
            p[1],
            pairs.len(),
            p[2],
            started.elapsed().as_secs_f64()
        );
    }
    Ok(all_fit)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!("a p-value is below {ALPHA:e} divided over all tests");
            ExitCode::from(1)
        }
        Err(error) if matches!(error.downcast_ref(), Some(GpuError::NoGpu(_))) => {
            eprintln!("SKIPPED: {error}");
            ExitCode::from(3)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}
