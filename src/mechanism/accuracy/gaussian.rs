//! The errors of Gaussian noise: sums with an enclosed tail.

use alloc::{boxed::Box, vec::Vec};
use core::cell::OnceCell;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

use super::{Accuracy, Tails};
use crate::{
    exact::{Enclosure, GaussianPmf, Integer, NonNegative, Pmf, Positive, Rational, exp_neg},
    mechanism::additive::{GaussianMechanism, GaussianVector, TruncatedGaussian},
};

/// P(0), P(1), …, up to one below 2^-bits, so narrow that their sums weighed by k² still have a width of
/// about 2^-bits.
struct Listed {
    probabilities: Vec<Enclosure>,
}

impl Listed {
    fn new(variance: &Positive, bits: u32) -> Option<Self> {
        // e^(−k²/2σ²) < 2^-bits from k² ≥ 2σ²·bits on, since ln 2 < 1.
        let reach: BigInt =
            (variance.get() * Rational::from_integer(bits.checked_mul(2)?.into())).ceil().to_integer().sqrt() + 1;
        let reach = reach.to_u64()?;
        let guard = 64 - reach.leading_zeros();
        // Moments weigh a term by k² < 2^(2·guard).
        let pmf = GaussianPmf::new(variance, bits.checked_add(3 * guard)?.checked_add(8)?)?;
        let probabilities = (0..=reach).map(|k| pmf.probability(&Integer::from(k))).collect();
        Some(Self { probabilities })
    }

    /// 2·Σ k^power·P(k), and what the terms beyond the listed add: their ratio is at most
    /// ((n + 1)/n)^power·e^(−(2n+1)/2σ²) from the last listed n on, and falls.
    fn moment(&self, variance: &Positive, power: i32, bits: u32) -> Option<Enclosure> {
        let weigh = |(k, p): (usize, &Enclosure)| p.mul_rational(&Rational::from_integer(k.into()).pow(power));
        let sum: Enclosure = self.probabilities.iter().enumerate().map(weigh).sum();
        let n = BigInt::from(self.probabilities.len().checked_sub(1)?);
        let exponent = Rational::new(&n * 2 + 1, BigInt::from(2)) / variance.get();
        let falling = exp_neg(&NonNegative::new(exponent).ok()?, bits.checked_add(32)?);
        let growth = Rational::new(&n + 1, n.clone()).pow(power);
        let ratio = falling.upper() * growth;
        if ratio >= Rational::one() {
            return None;
        }
        let last = self.probabilities.last()?.upper() * Rational::from_integer(n).pow(power);
        let beyond = last * &ratio / (Rational::one() - ratio);
        let beyond = Enclosure::from_bounds(&Rational::zero(), &beyond, bits.checked_add(2)?)?;
        Some(sum.add(&beyond).mul_rational(&Rational::from_integer(2.into())))
    }
}

/// P(|X| ≥ α) for α = 0, 1, …, as far as they are listed: 1 − P(0) − 2·Σ_{0<k<α} P(k).
fn listed_tails(variance: &Positive, bits: u32) -> Option<Vec<Enclosure>> {
    let listed = Listed::new(variance, bits)?;
    let mut from = Vec::with_capacity(listed.probabilities.len() + 1);
    let mut tail = Enclosure::from_integer(1, bits);
    for (k, p) in listed.probabilities.iter().enumerate() {
        from.push(tail.max_zero());
        tail = tail.sub(p);
        if k > 0 {
            tail = tail.sub(p);
        }
    }
    // What lies beyond is at most the last and at least 0.
    from.push(tail.max_zero().hull(&Enclosure::from_integer(0, 0)));
    Some(from)
}

/// Far out, P(|X| ≥ α) ≤ 2e^(−α²/2σ²) (Canonne, Kamath and Steinke 2020: X is subgaussian) says enough;
/// nearer, probabilities are listed once.
impl Accuracy for GaussianMechanism {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        // 2e^(−α²/2σ²) ≤ 2^-bits from α² ≥ 2σ²·(bits + 1) on, since ln 2 < 1.
        let far = self.variance().get() * Rational::from_integer(bits.checked_add(1)?.checked_mul(2)?.into());
        let negligible = Enclosure::from_scaled(BigInt::zero(), BigInt::one(), bits);
        let listed = OnceCell::new();
        Some(Box::new(move |alpha: &BigUint| {
            if Rational::from_integer((alpha * alpha).into()) >= far {
                return Some(negligible.clone());
            }
            let from = listed.get_or_init(|| listed_tails(self.variance(), bits)).as_ref()?;
            alpha.to_usize().and_then(|alpha| from.get(alpha)).or_else(|| from.last()).cloned()
        }))
    }

    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure> {
        Listed::new(self.variance(), bits.checked_add(8)?)?.moment(self.variance(), 1, bits)
    }

    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure> {
        Listed::new(self.variance(), bits.checked_add(8)?)?.moment(self.variance(), 2, bits)
    }
}

impl Accuracy for GaussianVector {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        self.each().tails(bits)
    }

    fn coordinates(&self) -> u64 {
        GaussianVector::coordinates(self).to_u64().unwrap_or(u64::MAX)
    }

    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure> {
        self.each().mean_absolute_error(bits)
    }

    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure> {
        self.each().mean_squared_error(bits)
    }
}

/// Finite sums over [−b, b].
impl Accuracy for TruncatedGaussian {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        let working = bits.checked_add(20)?;
        let weights = weights(self, working)?;
        let total = two_sided(&weights, |_| Rational::one(), working);
        let mut from: Vec<Enclosure> = Vec::with_capacity(weights.len());
        let mut sum = Enclosure::from_integer(0, working);
        for weight in weights.iter().rev() {
            sum = sum.add(weight);
            from.push(sum.clone());
        }
        from.reverse();
        Some(Box::new(move |alpha: &BigUint| {
            if alpha.is_zero() {
                return Some(Enclosure::from_integer(1, bits));
            }
            match alpha.to_usize().and_then(|alpha| from.get(alpha)) {
                Some(side) => side.mul_rational(&Rational::from_integer(2.into())).div(&total),
                None => Some(Enclosure::from_integer(0, bits)),
            }
        }))
    }

    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure> {
        truncated_moment(self, 1, bits)
    }

    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure> {
        truncated_moment(self, 2, bits)
    }
}

/// e^(−k²/2σ²) for 0 ≤ k ≤ b.
fn weights(noise: &TruncatedGaussian, working: u32) -> Option<Vec<Enclosure>> {
    let double = noise.variance().get() * Rational::from_integer(2.into());
    let exponent = |k: u32| NonNegative::new(Rational::from_integer(BigInt::from(k).pow(2)) / &double).ok();
    (0..=noise.bound()).map(|k| Some(exp_neg(&exponent(k)?, working).at_precision(working))).collect()
}

/// Σ over both sides of f(|k|)·weight.
fn two_sided(weights: &[Enclosure], f: impl Fn(usize) -> Rational, working: u32) -> Enclosure {
    let sum: Enclosure = weights
        .iter()
        .enumerate()
        .map(|(k, weight)| weight.mul_rational(&(f(k) * Rational::from_integer(if k == 0 { 1 } else { 2 }.into()))))
        .sum();
    sum.at_precision(working)
}

fn truncated_moment(noise: &TruncatedGaussian, power: i32, bits: u32) -> Option<Enclosure> {
    // k² ≤ 2^24, and 2^13 terms.
    let working = bits.checked_add(48)?;
    let weights = weights(noise, working)?;
    let moment = two_sided(&weights, |k| Rational::from_integer(k.into()).pow(power), working);
    moment.div(&two_sided(&weights, |_| Rational::one(), working))
}
