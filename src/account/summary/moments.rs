//! One pair's Rényi divergences, its Kullback–Leibler divergence, and its largest loss.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::{
    exact::{Enclosure, NonNegative, Positive, Rational, exp_neg},
    guarantee::{FinitePair, Pair, Weight},
};

fn integer(value: &BigUint) -> Rational {
    Rational::from_integer(BigInt::from(value.clone()))
}

fn falling(x: Rational, bits: u32) -> Option<Enclosure> {
    Some(exp_neg(&NonNegative::new(x).ok()?, bits).at_precision(bits))
}

/// D_α(P‖Q) = ln(Σ_y P(y)^α·Q(y)^(1−α))/(α − 1), for α > 1; nothing where it is infinite, or no closed form is known here.
pub(super) fn renyi(pair: &Pair, alpha: &Rational, bits: u32) -> Option<Enclosure> {
    match pair {
        Pair::Gaussian { variance, shift } => gaussian(variance, shift, alpha, bits),
        Pair::Laplace { scale, shift } => laplace(scale, shift, alpha, bits),
        Pair::Finite(pair) => {
            let order = alpha - Rational::one();
            let terms =
                losses(pair, bits)?.into_iter().map(|(p, loss)| Some(p.mul(&loss.mul_rational(&order).exp(bits)?)));
            let moment = terms.collect::<Option<Vec<_>>>()?.into_iter().sum::<Enclosure>();
            Some(moment.ln(bits)?.mul_rational(&order.recip()))
        }
        Pair::Subsampled { .. } => None,
    }
}

/// Discrete Gaussians Δ apart: P^α·Q^(1−α) ∝ e^(-((y − (1−α)Δ)² + α(1−α)Δ²)/2σ²), so that
///
/// D_α = αΔ²/2σ² + ln(R)/(α − 1), R = Σ_y e^(-(y − (1−α)Δ)²/2σ²)/Σ_y e^(-y²/2σ²) ≤ 1,
///
/// with R = 1 where αΔ is an integer (Canonne, Kamath and Steinke 2020, Proposition 5). Poisson summation turns R into
/// (1 + 2·Σ_m q_m·cos(2πm(1−α)Δ))/(1 + 2·Σ_m q_m) with q_m = e^(-2π²σ²m²), hence R ≥ (1 − 2S)/(1 + 2S) for any S ≥ Σ_{m≥1} q_m.
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

/// Σ_y e^(-(y − offset)²/2σ²), for 0 ≤ offset < 1. Beyond distance n ≥ 1 the terms fall faster than by r = e^(-n/σ²) each, on either side.
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

/// Discrete Laplace noise Δ apart, with q = e^(-1/s) and r = e^(-(2α−1)/s): Σ P^α·Q^(1−α) is geometric on y ≤ 0, 0 < y < Δ and y ≥ Δ, and
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

/// KL(P‖Q) = Σ_y P(y)·ln(P(y)/Q(y)), the limit of D_α as α falls to 1.
pub(super) fn kullback_leibler(pair: &Pair, bits: u32) -> Option<Enclosure> {
    match pair {
        Pair::Gaussian { variance, shift } => {
            // The mean loss: that of (Δ² − 2yΔ)/2σ² under a symmetric P.
            let exact = integer(shift) * integer(shift) / (variance.get() * BigInt::from(2));
            Some(Enclosure::from_rational(&exact, bits))
        }
        Pair::Laplace { scale, shift } => laplace_kullback_leibler(scale, shift, bits),
        Pair::Finite(pair) => Some(losses(pair, bits)?.into_iter().map(|(p, loss)| p.mul(&loss)).sum()),
        Pair::Subsampled { .. } => None,
    }
}

/// The loss is Δ/s with mass 1/(1+q), −Δ/s with mass q^Δ/(1+q), and (Δ − 2y)/s with mass c·q^y for 0 < y < Δ, c = (1−q)/(1+q). With
/// Σ q^y = q(1 − q^(Δ−1))/(1−q) and Σ y·q^y = q(1 − Δq^(Δ−1) + (Δ−1)q^Δ)/(1−q)² the mean is
///
/// (Δ(1 − q^Δ) + Δq(1 − q^(Δ−1)) − 2q(1 − Δq^(Δ−1) + (Δ−1)q^Δ)/(1−q))/(s(1+q)).
fn laplace_kullback_leibler(scale: &Positive, shift: &BigUint, bits: u32) -> Option<Enclosure> {
    if shift.is_zero() {
        return Some(Enclosure::from_integer(0, bits));
    }
    let (step, delta) = (scale.get().recip(), integer(shift));
    let one = Enclosure::from_integer(1, bits);
    let power = |n: Rational| falling(&step * n, bits);
    let (q, all, all_but_one) = (power(Rational::one())?, power(delta.clone())?, power(&delta - Rational::one())?);
    let ends = one.sub(&all).mul_rational(&delta);
    let masses = q.mul(&one.sub(&all_but_one)).mul_rational(&delta);
    let weighted = one.sub(&all_but_one.mul_rational(&delta)).add(&all.mul_rational(&(&delta - Rational::one())));
    let weighted = q.mul(&weighted).mul(&Enclosure::from_integer(2, 0)).div(&one.sub(&q))?;
    let sum = ends.add(&masses).sub(&weighted).div(&one.add(&q))?;
    Some(sum.mul_rational(&step))
}

/// sup_y |ln(P(y)/Q(y))|: the ε of pure privacy, in either direction; nothing where it is infinite.
pub(super) fn largest_loss(pair: &Pair, bits: u32) -> Option<Enclosure> {
    match pair {
        Pair::Laplace { scale, shift } => Some(Enclosure::from_rational(&(integer(shift) / scale.get()), bits)),
        Pair::Finite(finite) => {
            let forth = losses(finite, bits)?;
            let Pair::Finite(reversed) = pair.reversed() else { return None };
            let back = losses(&reversed, bits)?;
            let most = forth.iter().chain(&back).map(|(_, loss)| loss.upper()).max()?;
            let least = forth.iter().chain(&back).map(|(_, loss)| loss.lower()).max()?;
            Enclosure::from_bounds(&least, &most, bits)
        }
        Pair::Gaussian { shift, .. } if shift.is_zero() => Some(Enclosure::from_integer(0, bits)),
        Pair::Gaussian { .. } | Pair::Subsampled { .. } => None,
    }
}

/// P(y) and ln(P(y)/Q(y)) of every outcome with P(y) > 0; nothing if one of them has Q(y) = 0.
fn losses(pair: &FinitePair, bits: u32) -> Option<Vec<(Enclosure, Enclosure)>> {
    let value = |weight: &Weight| exp_neg(&weight.exponent, bits).at_precision(bits).mul_rational(weight.factor.get());
    let sum = |side: fn(&(Weight, Weight)) -> &Weight| {
        pair.outcomes().iter().map(|outcome| value(side(outcome))).sum::<Enclosure>()
    };
    let (p_sum, q_sum) = (sum(|outcome| &outcome.0), sum(|outcome| &outcome.1));
    // ln(Σq/Σp), exactly 0 where the weights are the same.
    let normalisers = if p_sum == q_sum && p_sum.is_point() {
        Enclosure::from_integer(0, bits)
    } else {
        q_sum.ln(bits)?.sub(&p_sum.ln(bits)?)
    };
    let terms = pair.outcomes().iter().filter(|(p, _)| !p.is_zero()).map(|(p, q)| {
        let factors = Positive::new(p.factor.get() / nonzero(q.factor.get())?).ok()?;
        let exponents = Enclosure::from_rational(&(q.exponent.get() - p.exponent.get()), bits);
        let loss = crate::exact::ln(&factors, bits).add(&exponents).add(&normalisers);
        Some((value(p).div(&p_sum)?, loss))
    });
    terms.collect()
}

fn nonzero(value: &Rational) -> Option<&Rational> {
    (!value.is_zero()).then_some(value)
}
