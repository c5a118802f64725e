//! One pair's Rényi divergences.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive as _, Zero};

use super::cumulant::Loss;
use crate::{
    exact::{Enclosure, NonNegative, Positive, Probability, Rational, Scaled, Working, exp_neg},
    guarantee::Pair,
};

fn integer(value: &BigUint) -> Rational {
    Rational::from_integer(BigInt::from(value.clone()))
}

fn falling(x: Rational, bits: u32) -> Option<Enclosure> {
    Some(exp_neg(&NonNegative::new(x).ok()?, bits).at_precision(bits))
}

/// D_α(P‖Q) = ln(Σ_y P(y)^α·Q(y)^(1−α))/(α − 1), for α > 1; nothing where it is infinite, or no closed form
/// is known here.
pub(super) fn renyi(pair: &Pair, alpha: &Rational, bits: u32) -> Option<Enclosure> {
    match pair {
        Pair::Gaussian { variance, shift } => gaussian(variance, shift, alpha, bits),
        Pair::Laplace { scale, shift } => laplace(scale, shift, alpha, bits),
        Pair::Subsampled { rate, of, reversed } if matches!(**of, Pair::Gaussian { .. }) => {
            subsampled_gaussian(rate, of, *reversed, alpha, bits)
        }
        Pair::Finite(_) | Pair::Subsampled { .. } => {
            let (order, working) = (alpha - Rational::one(), Working::new(bits));
            Some(Loss::new(pair, &working)?.at(&order, &working)?.value.mul_rational(&order.recip()))
        }
    }
}

/// The largest order of a binomial sum.
const LARGEST_ORDER: u32 = 1 << 10;

/// Sampled Gaussian noise at an integer order (Mironov, Talwar and Zhang 2019, Section 3.3): with Σ_y
/// P^j·Q^(1−j) = e^(j(j−1)Δ²/2σ²), which of discrete Gaussians an integer apart is exact for every integer j,
///
/// e^((α−1)·D_α) = Σ_y ((1−r)Q + rP)^α·Q^(1−α) = Σ_j C(α, j)·(1−r)^(α−j)·r^j·e^(j(j−1)Δ²/2σ²).
///
/// The divergence of the reverse is no larger, since y ↦ Δ − y exchanges P and Q (Theorem 5 there), and more
/// is not said of it.
fn subsampled_gaussian(
    rate: &Probability,
    of: &Pair,
    reversed: bool,
    alpha: &Rational,
    bits: u32,
) -> Option<Enclosure> {
    let Pair::Gaussian { variance, shift } = of else { return None };
    let order = alpha.is_integer().then(|| alpha.to_integer().to_u32())?.filter(|order| *order <= LARGEST_ORDER)?;
    let working = Working::new(bits.saturating_add(64));
    let bits = working.bits();
    let half = integer(shift) * integer(shift) / (variance.get() * BigInt::from(2));
    let (sampled, missed) =
        (Scaled::from_rational(rate.get(), bits), Scaled::from_rational(&(Rational::one() - rate.get()), bits));
    let (mut sum, mut binomial) = (Scaled::zero(bits), BigInt::one());
    for j in 0..=order {
        let exponent = &half * (BigInt::from(j) * (BigInt::from(j) - 1));
        let weight = sampled.pow(j.into()).mul(&missed.pow((order - j).into()));
        let term = working.exp(&Enclosure::from_rational(&exponent, bits.saturating_add(64)))?.mul(&weight);
        sum = sum.add(&term.mul(&Scaled::from_rational(&Rational::from_integer(binomial.clone()), bits)));
        binomial = binomial * (order - j) / (j + 1);
    }
    let divergence = working.ln(&sum)?.mul_rational(&(alpha - Rational::one()).recip());
    Some(if reversed { divergence.hull(&Enclosure::from_integer(0, 0)).max_zero() } else { divergence })
}

/// Discrete Gaussians Δ apart: P^α·Q^(1−α) ∝ e^(-((y − (1−α)Δ)² + α(1−α)Δ²)/2σ²), so that
///
/// D_α = αΔ²/2σ² + ln(R)/(α − 1), R = Σ_y e^(-(y − (1−α)Δ)²/2σ²)/Σ_y e^(-y²/2σ²) ≤ 1,
///
/// with R = 1 where αΔ is an integer (Canonne, Kamath and Steinke 2020, Proposition 5). Poisson summation
/// turns R into (1 + 2·Σ_m q_m·cos(2πm(1−α)Δ))/(1 + 2·Σ_m q_m) with q_m = e^(-2π²σ²m²), hence R ≥ (1 −
/// 2S)/(1 + 2S) for any S ≥ Σ_{m≥1} q_m.
fn gaussian(variance: &Positive, shift: &BigUint, alpha: &Rational, bits: u32) -> Option<Enclosure> {
    let main = alpha * integer(shift) * integer(shift) / (variance.get() * BigInt::from(2));
    let main = Enclosure::from_rational(&main, bits);
    let offset = (Rational::one() - alpha) * integer(shift);
    if offset.is_integer() {
        return Some(main);
    }
    let one = Enclosure::from_integer(1, bits);
    // 2π² > 19, and Σ_{m≥1} q^(m²) ≤ q/(1 − q).
    let exponent = variance.get() * Rational::from_integer(19.into());
    let ratio = if exponent >= Rational::from_integer(bits.into()) {
        let q = falling(exponent, bits)?;
        let twice = q.div(&one.sub(&q))?.mul(&Enclosure::from_integer(2, 0));
        one.sub(&twice).div(&one.add(&twice))?.hull(&one)
    } else {
        // σ² < bits/19: few terms count.
        let offset = &offset - offset.floor();
        theta(variance, &offset, bits)?.div(&theta(variance, &Rational::zero(), bits)?)?
    };
    let correction = ratio.ln(bits)?.mul_rational(&(alpha - Rational::one()).recip());
    Some(main.add(&correction))
}

/// Σ_y e^(-(y − offset)²/2σ²), for 0 ≤ offset < 1. Beyond distance n ≥ 1 the terms fall faster than by r =
/// e^(-n/σ²) each, on either side.
fn theta(variance: &Positive, offset: &Rational, bits: u32) -> Option<Enclosure> {
    let twice = variance.get() * BigInt::from(2);
    let one = Enclosure::from_integer(1, bits);
    let side = |first: Rational| {
        let mut sum = Enclosure::from_integer(0, bits);
        let mut at = first;
        loop {
            let weight = falling(&at * &at / &twice, bits)?;
            if at >= Rational::one() && &at * &at >= &twice * Rational::from_integer(bits.into()) {
                // (x + 1)² − x² = 2x + 1 ≥ 2x.
                let ratio = falling(&at * BigInt::from(2) / &twice, bits)?;
                let rest = weight.div(&one.sub(&ratio))?.hull(&Enclosure::from_integer(0, 0));
                return Some(sum.add(&rest));
            }
            sum = sum.add(&weight);
            at += Rational::one();
        }
    };
    // y = 0, −1, … is at distance offset, 1 + offset, …; y = 1, 2, … at 1 − offset, 2 − offset, …
    Some(side(offset.clone())?.add(&side(Rational::one() - offset)?))
}

/// Discrete Laplace noise Δ apart, with q = e^(-1/s) and r = e^(-(2α−1)/s): Σ P^α·Q^(1−α) is geometric on y ≤
/// 0, 0 < y < Δ and y ≥ Δ, and
///
/// D_α = Δ/s + ln((1 + r^Δ + (1 − q)·r·(1 − r^(Δ−1))/(1 − r))/(1 + q))/(α − 1).
fn laplace(scale: &Positive, shift: &BigUint, alpha: &Rational, bits: u32) -> Option<Enclosure> {
    if shift.is_zero() {
        return Some(Enclosure::from_integer(0, bits));
    }
    let step = scale.get().recip();
    let steep = (alpha * BigInt::from(2) - Rational::one()) * &step;
    let (one, q, r) = (Enclosure::from_integer(1, bits), falling(step.clone(), bits)?, falling(steep.clone(), bits)?);
    let ends = one.add(&falling(&steep * integer(shift), bits)?);
    let between = one.sub(&falling(&steep * (integer(shift) - Rational::one()), bits)?).mul(&r);
    let middle = one.sub(&q).mul(&between).div(&one.sub(&r))?;
    let moment = ends.add(&middle).div(&one.add(&q))?;
    let most = Enclosure::from_rational(&(step * integer(shift)), bits);
    Some(most.add(&moment.ln(bits)?.mul_rational(&(alpha - Rational::one()).recip())))
}
