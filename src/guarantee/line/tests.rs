//! Lines against vectors that are enumerated, in doubles.

use num_bigint::BigUint;
use num_traits::ToPrimitive as _;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng as _, SeedableRng as _},
};

use super::*;

/// Whatever doubles round.
const SLACK: f64 = 1e-9;

/// (P, Q) of every outcome.
type Listed = Vec<(f64, f64)>;

fn float(x: &Rational) -> f64 {
    let of = |n: &BigInt| n.to_f64().unwrap();
    of(x.numer()) / of(x.denom())
}

/// A discrete Gaussian on the integers from −reach to reach.
fn gaussian(variance: f64, reach: i64) -> Vec<f64> {
    let weights: Vec<f64> = (-reach..=reach).map(|k| (-((k * k) as f64) / 2.0 / variance).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// D(σ, v) against D(σ, 0), by k = v·x: their quotient is e^((2k − ‖v‖²)/2σ²).
fn vector(variance: f64, v: &[i64]) -> Listed {
    let reach = (9.0 * variance.sqrt()) as i64 + 9;
    let noise = gaussian(variance, reach);
    let most: i64 = v.iter().map(|shift| shift.abs() * reach).sum();
    let mut law = vec![0.0; usize::try_from(2 * most + 1).unwrap()];
    law[usize::try_from(most).unwrap()] = 1.0;
    for shift in v {
        let mut next = vec![0.0; law.len()];
        for (place, mass) in law.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            for (x, p) in (-reach..=reach).zip(&noise) {
                let at = i64::try_from(place).unwrap() + shift * x;
                if let Some(cell) = usize::try_from(at).ok().and_then(|at| next.get_mut(at)) {
                    *cell += mass * p;
                }
            }
        }
        law = next;
    }
    let square: i64 = v.iter().map(|shift| shift * shift).sum();
    let quotient = |k: i64| (((2 * k - square) as f64) / 2.0 / variance).exp();
    (-most..=most).zip(law).map(|(k, q)| (q * quotient(k), q)).filter(|(p, q)| p + q > 1e-30).collect()
}

/// A line's pair.
fn scalar(pair: &Pair) -> Listed {
    let Pair::Gaussian { variance, shift } = pair else { panic!("{pair:?}") };
    shifted(float(variance.get()), shift.to_i64().unwrap())
}

fn shifted(variance: f64, shift: i64) -> Listed {
    let reach = (9.0 * variance.sqrt()) as i64 + shift + 9;
    let noise = gaussian(variance, reach);
    let quotient = |k: i64| ((2 * k * shift - shift * shift) as f64 / 2.0 / variance).exp();
    (-reach..=reach).zip(noise).map(|(k, q)| (q * quotient(k), q)).filter(|(p, q)| p + q > 1e-30).collect()
}

fn sampled(of: &Listed, rate: f64) -> Listed {
    of.iter().map(|(p, q)| (rate * p + (1.0 - rate) * q, *q)).collect()
}

fn reversed(of: &Listed) -> Listed {
    of.iter().map(|(p, q)| (*q, *p)).collect()
}

fn beside(a: &Listed, b: &Listed) -> Listed {
    a.iter().flat_map(|(p, q)| b.iter().map(move |(r, s)| (p * r, q * s))).collect()
}

fn delta(of: &Listed, epsilon: f64) -> f64 {
    of.iter().map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
}

/// How many of the bounds of one line are below the truth; and how many there are.
#[derive(Default)]
struct Count {
    all: u32,
    below: u32,
    below_without: u32,
}

impl Count {
    /// Both forms of κ, at some ε; and the line of all of the variance, without κ.
    fn add(&mut self, truth: &Listed, line: &Listed, without: &Listed, ln_kappa: f64) {
        for epsilon in [0.0, 0.3, 1.0, 2.0, 4.0] {
            let truth = delta(truth, epsilon);
            let shifted = ln_kappa.exp() * delta(line, epsilon - 2.0 * ln_kappa);
            let atom = ln_kappa + delta(line, epsilon);
            self.all += 2;
            self.below += u32::from(shifted < truth - SLACK * truth - 1e-14);
            self.below += u32::from(atom < truth - SLACK * truth - 1e-14);
            self.below_without += u32::from(delta(without, epsilon) < truth - SLACK * truth - 1e-14);
        }
    }
}

fn cases() -> u32 {
    if std::env::var_os("CERTUS_FULL").is_some() { 5000 } else { 100 }
}

/// One to three coordinates, σ from 1/2 to 10, shorter vectors too, rates, both directions, two runs of
/// different vectors, whatever the settings: no bound is below the truth. Without κ and with all of the
/// variance many are.
#[test]
fn no_line_is_below_the_truth() {
    let mut random = ChaCha8Rng::seed_from_u64(33);
    let mut below = |n: u32| random.next_u32() % n;
    let mut count = Count::default();
    let mut lines = 0;
    while lines < cases() {
        let dimension = 1 + below(3) as usize;
        let numerator = 1 + below(20);
        let variance = Rational::new((numerator * numerator).into(), 4.into());
        let v: Vec<i64> = (0..dimension).map(|_| i64::from(below(7)) - 3).collect();
        let other: Vec<i64> = v.iter().map(|shift| shift * i64::from(below(2))).collect();
        let length: i64 = v.iter().map(|shift| shift * shift).sum();
        let square = u32::try_from(length).unwrap() + below(3);
        let vectors =
            GaussianVectors::within(Positive::new(variance.clone()).unwrap(), square.into(), BigUint::from(dimension));
        let settings = [(u64::from(4 + below(40)), 4 + below(28)), (u64::from(2 + below(8)), 64)];
        let mut found = settings.iter().filter_map(|(bits, steps)| vectors.line_with(*bits, *steps));
        let Some(line) = found.next() else { continue };
        lines += 1;
        let ln_kappa = float(&line.ln_kappa);
        let variance = float(&variance);
        let (one, two) = (vector(variance, &v), vector(variance, &other));
        let near = scalar(&line.pair);
        let Pair::Gaussian { shift, .. } = &line.pair else { panic!() };
        let steps = shift.to_i64().unwrap();
        let whole = shifted(variance * (steps * steps) as f64 / f64::from(square), steps);
        let rate = [1.0, 0.5, 0.1][below(3) as usize];
        let [one, two, near, whole] = [one, two, near, whole].map(|pair| sampled(&pair, rate));
        for way in [Listed::clone as fn(&Listed) -> Listed, reversed] {
            count.add(&way(&one), &way(&near), &way(&whole), ln_kappa);
            if one.len() * two.len() < 200_000 && near.len() < 400 {
                let (near, whole) = (beside(&near, &near), beside(&whole, &whole));
                count.add(&way(&beside(&one, &two)), &way(&near), &way(&whole), 2.0 * ln_kappa);
            }
        }
    }
    assert_eq!(count.below, 0, "of {}", count.all);
    assert!(count.below_without > count.all / 50, "{} of {}", count.below_without, count.all);
    assert!(count.all >= 15 * cases(), "{}", count.all);
}

/// κ itself, which no profile is sharp enough to see: the law of what is made of a line's point, in one
/// coordinate, is within it of a discrete Gaussian, and not much nearer.
#[test]
fn kappa_is_a_factor_of_probabilities_and_no_smaller_one_is() {
    let mut widest = 0.0_f64;
    for (bits, steps) in [(3, 1), (4, 2), (5, 3), (8, 2), (12, 4), (16, 8)] {
        let variance = 4.0;
        let vectors = GaussianVectors::within(
            Positive::new(Rational::from_integer(4.into())).unwrap(),
            9_u32.into(),
            BigUint::one(),
        );
        let Some(line) = vectors.line_with(bits, steps) else { continue };
        let Pair::Gaussian { variance: on_line, shift } = &line.pair else { panic!() };
        let h = 3.0 / shift.to_f64().unwrap();
        let w2 = float(on_line.get()) * h * h;
        let r2 = variance - w2;
        let reach = (9.0 * variance.sqrt() / h) as i64 + 9;
        let points = gaussian(float(on_line.get()), reach);
        let truth = gaussian(variance, 20);
        // Where all of the variance that is left rounds to integers: the covariance σ² − w² of one
        // coordinate.
        let rounded = |x: i64| -> f64 {
            (-reach..=reach)
                .zip(&points)
                .map(|(k, mass)| {
                    let weight = |z: i64| (-(z as f64 - k as f64 * h).powi(2) / 2.0 / r2).exp();
                    let near = (k as f64 * h).round() as i64;
                    mass * weight(x) / (near - 40..=near + 40).map(weight).sum::<f64>()
                })
                .sum()
        };
        let kappa = float(&line.ln_kappa).exp();
        for x in -12_i64..=12 {
            let quotient = rounded(x) / truth[usize::try_from(x + 20).unwrap()];
            assert!(
                quotient <= kappa + SLACK && quotient >= 1.0 / kappa - SLACK,
                "{bits} {steps} {x}: {quotient} {kappa}"
            );
            widest = widest.max((quotient.ln() / kappa.ln()).abs());
        }
    }
    assert!(widest > 0.02, "nothing comes near it: {widest}");
}

/// Where σ is large, the line is as long as it is fine, and does without next to nothing.
#[test]
fn lines_of_all_sizes() {
    for (sigma, square, coordinates) in [("1", "1", "1"), ("1048576", "1099511627776", "1000000"), ("3", "2", "65536")]
    {
        let square: BigUint = square.parse().unwrap();
        let sigma: Positive = sigma.parse().unwrap();
        let vectors = GaussianVectors::within(sigma.square(), square, coordinates.parse().unwrap());
        let line = vectors.line(1000).unwrap();
        assert!(line.ln_kappa * BigInt::from(1000) < Rational::new(1.into(), 16.into()));
    }
    let small = GaussianVectors::within("1/16".parse().unwrap(), 4_u32.into(), 2_u32.into());
    assert_eq!(small.line(1), None);
    let nothing = GaussianVectors::within("1".parse().unwrap(), BigUint::default(), 2_u32.into());
    assert_eq!((nothing.line(1), nothing.attained().len()), (None, 0));
}

/// Ones where they fit, and squares where they do not.
#[test]
fn the_vector_that_is_attained() {
    let of = |square: u32, coordinates: u32| {
        let parts = longest(&square.into(), &coordinates.into());
        parts.iter().map(|(part, count)| (part.to_u64().unwrap(), *count)).collect::<Vec<_>>()
    };
    assert_eq!(of(5, 5), [(1, 5)]);
    assert_eq!(of(5, 4), [(2, 1), (1, 1)]);
    assert_eq!(of(10_000, 1000), [(100, 1)]);
    assert_eq!(of(8, 3), [(2, 2)]);
    assert_eq!(of(7, 3), [(2, 1), (1, 2)]);
}
