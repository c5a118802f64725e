//! The independent oracle of accounts: δ(ε) at 100 digits and more in MPFR, by plain convolution of the losses' probabilities.
//!
//! Nothing is shared with the library's method: no tilt, no characteristic function, no lattice. Each mechanism's probabilities are written
//! down from their definition, k copies are convolved by repeated squaring (or summed as a binomial), and δ = Σ P(ℓ)·(1 − e^(ε−ℓ))₊ is added up.
//! The parameters are random, every seed is fixed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_arithmetic,
    reason = "a test stops where an assumption fails; its sizes are small; the floats are MPFR's"
)]

use certus::account::{Answer, Plan, Precision, delta};
use certus::exact::{NonNegative, Positive, Probability, Rational};
use certus::guarantee::{Domination, FinitePair, Pair};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rug::Float;
use rug::ops::Pow;

/// Bits of the oracle's arithmetic.
const BITS: u32 = 420;

fn between(rng: &mut ChaCha20Rng, low: u64, high: u64) -> u64 {
    low + rng.next_u64() % (high - low + 1)
}

fn float(x: &Rational) -> Float {
    let integer = |n: &num_bigint::BigInt| rug::Integer::from_str_radix(&n.to_str_radix(16), 16).unwrap();
    Float::with_val(BITS, integer(x.numer())) / Float::with_val(BITS, integer(x.denom()))
}

fn rational(n: u64, d: u64) -> Rational {
    Rational::new(n.into(), d.into())
}

/// Probabilities at losses base + step·i, i = 0, 1, ….
#[derive(Clone)]
struct Law {
    base: Float,
    step: Float,
    masses: Vec<Float>,
}

impl Law {
    /// The sum of this and an independent other, on the same step; ends below 10^-110 are cut.
    fn plus(&self, other: &Self) -> Self {
        let mut masses = vec![Float::new(BITS); self.masses.len() + other.masses.len() - 1];
        for (i, a) in self.masses.iter().enumerate() {
            for (j, b) in other.masses.iter().enumerate() {
                masses[i + j] += Float::with_val(BITS, a * b);
            }
        }
        let negligible = Float::with_val(BITS, 10).pow(-110);
        let start = masses.iter().position(|mass| *mass > negligible).unwrap();
        let end = masses.iter().rposition(|mass| *mass > negligible).unwrap();
        let base = Float::with_val(BITS, &self.base + &other.base) + Float::with_val(BITS, &self.step * start);
        Self { base, step: self.step.clone(), masses: masses[start..=end].to_vec() }
    }

    fn copies(&self, mut k: u64) -> Self {
        let mut power = self.clone();
        let mut sum: Option<Self> = None;
        while k > 0 {
            if k & 1 == 1 {
                sum = Some(sum.map_or_else(|| power.clone(), |sum| sum.plus(&power)));
            }
            k >>= 1;
            if k > 0 {
                power = power.plus(&power);
            }
        }
        sum.unwrap()
    }

    fn losses(&self) -> impl Iterator<Item = (Float, &Float)> {
        self.masses.iter().enumerate().map(|(i, mass)| (Float::with_val(BITS, &self.step * i) + &self.base, mass))
    }
}

fn hockey_stick(law: &Law, epsilon: &Float) -> Float {
    let mut sum = Float::new(BITS);
    for (loss, mass) in law.losses() {
        if loss > *epsilon {
            let gap = Float::with_val(BITS, epsilon - &loss);
            sum -= gap.exp_m1() * mass;
        }
    }
    sum
}

/// Over two independent laws whose steps have nothing in common.
fn hockey_stick_of_two(a: &Law, b: &Law, epsilon: &Float) -> Float {
    let mut sum = Float::new(BITS);
    for (loss, mass) in a.losses() {
        sum += hockey_stick(b, &Float::with_val(BITS, epsilon - &loss)) * mass;
    }
    sum
}

fn laplace(scale: &Rational, shift: u64) -> (Pair, Law) {
    let pair = Pair::Laplace { scale: Positive::new(scale.clone()).unwrap(), shift: shift.into() };
    let s = float(scale);
    // P(y) ∝ q^|y|; outcomes y ≤ 0 share a loss, and so do those y ≥ shift.
    let q = Float::with_val(BITS, -s.clone().recip()).exp();
    let one_less = Float::with_val(BITS, 1 - &q);
    let at_zero = one_less.clone() / Float::with_val(BITS, 1 + &q);
    let below = Float::with_val(BITS, &at_zero / &one_less);
    let mut masses = vec![Float::with_val(BITS, &below * Float::with_val(BITS, (&q).pow(shift as u32)))];
    for y in (1..shift).rev() {
        masses.push(Float::with_val(BITS, &at_zero * Float::with_val(BITS, (&q).pow(y as u32))));
    }
    masses.push(below);
    (
        pair,
        Law {
            base: Float::with_val(BITS, -Float::with_val(BITS, shift) / &s),
            step: Float::with_val(BITS, 2) / s,
            masses,
        },
    )
}

fn gaussian(variance: &Rational, shift: u64) -> (Pair, Law) {
    let pair = Pair::Gaussian { variance: Positive::new(variance.clone()).unwrap(), shift: shift.into() };
    let v = float(variance);
    // e^(-y²/2σ²) < 10^-115 beyond.
    let reach = Float::with_val(BITS, &v * 530_u32).sqrt().to_f64() as i64 + 1;
    let weight = |y: i64| Float::with_val(BITS, -Float::with_val(BITS, y * y) / (Float::with_val(BITS, &v * 2))).exp();
    let weights: Vec<Float> = (-reach..=reach).map(weight).collect();
    let total = weights.iter().fold(Float::new(BITS), |sum, weight| sum + weight);
    let masses = weights.into_iter().map(|weight| weight / &total).collect();
    let step = Float::with_val(BITS, shift) / &v;
    let middle = Float::with_val(BITS, &step * shift) / 2_u32;
    (pair, Law { base: middle - Float::with_val(BITS, &step * reach), step, masses })
}

/// The truth with probability n/d among `answers`.
fn response(n: u64, d: u64, answers: u64) -> (Pair, Law) {
    let others = answers - 1;
    let truth = rational(n, d);
    let other = (Rational::from_integer(1.into()) - &truth) / num_bigint::BigInt::from(others);
    let rest = &other * num_bigint::BigInt::from(answers - 2);
    let share = |x: &Rational| Probability::new(x.clone()).unwrap();
    let outcomes = vec![(share(&truth), share(&other)), (share(&other), share(&truth)), (share(&rest), share(&rest))];
    let pair = Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap());
    let loss = float(&(&truth / &other)).ln();
    (pair, Law { base: -loss.clone(), step: loss, masses: vec![float(&other), float(&rest), float(&truth)] })
}

fn ask(parts: &[(&Pair, u64)], epsilon: &Rational) -> Answer {
    let add = |plan: Plan, (pair, copies): &(&Pair, u64)| plan.with(&Domination::by((*pair).clone()), *copies);
    let plan = parts.iter().try_fold(Plan::new(), add).unwrap();
    delta(&plan, &NonNegative::new(epsilon.clone()).unwrap(), &Precision::default()).unwrap()
}

/// The truth is inside, up to the oracle's own error (relative 10^-60 and absolute 10^-100), and the enclosure is as narrow as was asked.
fn check(answer: &Answer, truth: &Float, what: &str) {
    let error = Float::with_val(BITS, truth * Float::with_val(BITS, 10).pow(-60)) + Float::with_val(BITS, 10).pow(-100);
    let (lower, upper) = (float(&answer.enclosure.lower()), float(&answer.enclosure.upper()));
    assert!(lower <= Float::with_val(BITS, truth + &error), "{what}: {} > {truth}", answer.enclosure);
    assert!(upper >= Float::with_val(BITS, truth - &error), "{what}: {} < {truth}", answer.enclosure);
    assert!(answer.is_narrow, "{what}: {}", answer.enclosure);
}

/// A random ε with three decimals, from 0 to about the mean loss and some standard deviations.
fn some_epsilon(rng: &mut ChaCha20Rng, law: &Law) -> Rational {
    let (mut mean, mut square) = (Float::new(BITS), Float::new(BITS));
    for (loss, mass) in law.losses() {
        square += Float::with_val(BITS, &loss * &loss) * mass;
        mean += loss * mass;
    }
    let deviation = Float::with_val(BITS, &square - Float::with_val(BITS, &mean * &mean)).sqrt();
    let reach = (mean + deviation * 10_u32) * 1000_u32;
    rational(between(rng, 0, reach.to_f64() as u64 + 1), 1000)
}

#[test]
fn laplace_compositions() {
    let mut rng = ChaCha20Rng::seed_from_u64(51);
    for round in 0..40 {
        let scale = rational(between(&mut rng, 1, 4000), between(&mut rng, 1, 100));
        let shift = if round % 2 == 0 { 1 } else { between(&mut rng, 1, 12) };
        let k = between(&mut rng, 1, if shift == 1 { 700 } else { 60 });
        let (pair, law) = laplace(&scale, shift);
        let law = law.copies(k);
        let epsilon = some_epsilon(&mut rng, &law);
        let truth = hockey_stick(&law, &float(&epsilon));
        check(&ask(&[(&pair, k)], &epsilon), &truth, &format!("laplace({scale}, {shift})*{k} at {epsilon}"));
    }
}

#[test]
fn responses() {
    let mut rng = ChaCha20Rng::seed_from_u64(52);
    for _ in 0..30 {
        let d = between(&mut rng, 3, 1000);
        let answers = between(&mut rng, 2, 9);
        let n = between(&mut rng, d / answers + 1, d - 1);
        let k = between(&mut rng, 1, 300);
        let (pair, law) = response(n, d, answers);
        let law = law.copies(k);
        let epsilon = some_epsilon(&mut rng, &law);
        let truth = hockey_stick(&law, &float(&epsilon));
        check(&ask(&[(&pair, k)], &epsilon), &truth, &format!("response({n}/{d}, {answers})*{k} at {epsilon}"));
    }
}

#[test]
fn gaussian_compositions() {
    let mut rng = ChaCha20Rng::seed_from_u64(53);
    for round in 0..40 {
        let variance = match round % 4 {
            0 => rational(between(&mut rng, 1, 100), 1000),
            1 => rational(between(&mut rng, 1, 100), 100),
            2 => rational(between(&mut rng, 1, 300), 30),
            _ => rational(between(&mut rng, 1, 9000), between(&mut rng, 1, 30)),
        };
        let shift = between(&mut rng, 1, 5);
        let k = if round % 4 == 3 { 1 } else { between(&mut rng, 1, 40) };
        let (pair, law) = gaussian(&variance, shift);
        let law = law.copies(k);
        let epsilon = some_epsilon(&mut rng, &law);
        let truth = hockey_stick(&law, &float(&epsilon));
        check(&ask(&[(&pair, k)], &epsilon), &truth, &format!("gaussian({variance}, {shift})*{k} at {epsilon}"));
    }
}

#[test]
fn a_thousand_gaussians() {
    let (pair, law) = gaussian(&rational(7, 10), 1);
    let law = law.copies(1000);
    for epsilon in [rational(300, 1), rational(714, 1), rational(1000, 1)] {
        let truth = hockey_stick(&law, &float(&epsilon));
        check(&ask(&[(&pair, 1000)], &epsilon), &truth, &format!("gaussian(7/10)*1000 at {epsilon}"));
    }
}

/// k = 100,000 by the binomial distribution itself, term by term.
#[test]
fn a_hundred_thousand_responses() {
    let k = 100_000_u32;
    for (n, d, epsilons) in [(51, 100, [0, 60, 300]), (501, 1000, [0, 4, 9]), (3, 4, [40_000, 54_900, 70_000])] {
        let (pair, _) = response(n, d, 2);
        let (p, loss) = (float(&rational(n, d)), float(&rational(n, d - n)).ln());
        let rest = Float::with_val(BITS, 1 - &p);
        for epsilon in epsilons {
            let mut mass = Float::with_val(BITS, (&rest).pow(k));
            let mut truth = Float::new(BITS);
            for j in 0..=k {
                let value = Float::with_val(BITS, &loss * (2 * i64::from(j) - i64::from(k)));
                let gap = Float::with_val(BITS, epsilon - value);
                if gap < 0 {
                    truth -= gap.exp_m1() * &mass;
                }
                mass = mass * (k - j) / (j + 1) * &p / &rest;
            }
            let answer = ask(&[(&pair, k.into())], &rational(epsilon, 1));
            check(&answer, &truth, &format!("response({n}/{d})*{k} at {epsilon}"));
        }
    }
}

/// Losses that share a rational lattice, and losses that share none.
#[test]
fn different_mechanisms_together() {
    let mut rng = ChaCha20Rng::seed_from_u64(54);
    for round in 0..24 {
        let (scale, shift) = (rational(between(&mut rng, 1, 200), between(&mut rng, 1, 20)), between(&mut rng, 1, 4));
        let (n, answers) = (between(&mut rng, 51, 99), between(&mut rng, 2, 4));
        let (i, j) = (between(&mut rng, 1, 20), between(&mut rng, 1, 12));
        let variance = rational(between(&mut rng, 1, 60), 10);
        let ((pair_a, law_a), (pair_b, law_b)) = match round % 4 {
            0 => (laplace(&scale, shift), gaussian(&variance, shift)),
            1 => (response(n, 100, answers), gaussian(&variance, 1)),
            2 => (response(n, 100, answers), laplace(&scale, shift)),
            _ => (response(n, 100, answers), response(n - 1, 100, 2)),
        };
        let (law_a, law_b) = (law_a.copies(i), law_b.copies(j));
        let epsilon = some_epsilon(&mut rng, &law_a) + some_epsilon(&mut rng, &law_b);
        let truth = hockey_stick_of_two(&law_a, &law_b, &float(&epsilon));
        check(
            &ask(&[(&pair_a, i), (&pair_b, j)], &epsilon),
            &truth,
            &format!("{pair_a:?}*{i} with {pair_b:?}*{j} at {epsilon}"),
        );
    }
}

/// A sensitivity of millions: nothing but a direct sum for one copy.
#[test]
fn a_large_sensitivity() {
    let (pair, law) = laplace(&rational(70_000, 3), 100_000);
    for epsilon in [rational(0, 1), rational(1, 3), rational(4, 1), rational(4_285_714, 1_000_000)] {
        let truth = hockey_stick(&law, &float(&epsilon));
        check(&ask(&[(&pair, 1)], &epsilon), &truth, &format!("at {epsilon}"));
    }
    let (pair, law) = laplace(&rational(900, 7), 300);
    let law = law.copies(5);
    for epsilon in [rational(0, 1), rational(5, 1), rational(23, 2)] {
        let truth = hockey_stick(&law, &float(&epsilon));
        check(&ask(&[(&pair, 5)], &epsilon), &truth, &format!("at {epsilon}"));
    }
}
