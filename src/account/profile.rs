//! The profile of a single pair, where it has a form of its own.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Answer, Precision, answer::is_narrow, lattice};
use crate::{
    exact::{Enclosure, NonNegative, Rational, Scaled, Working},
    guarantee::{FinitePair, Pair, Weight},
};

/// The ε of a question, to any number of binary digits.
pub(super) type Epsilon<'a> = dyn Fn(u32) -> Option<Enclosure> + 'a;

/// δ(ε) of one pair; `None` if it is out of reach.
pub(super) fn delta(pair: &Pair, epsilon: &NonNegative, precision: &Precision) -> Option<Answer> {
    if lattice::is_bounded_by(pair, epsilon.get()) {
        return Some(Answer { enclosure: Enclosure::from_integer(0, 0), method: "closed form", is_narrow: true });
    }
    let enclosed = |bits: u32| Some(Enclosure::from_rational(epsilon.get(), bits));
    at(pair, &enclosed, precision)
}

/// δ(ε) of one pair at any real ε.
///
/// Subsampling scales and moves the profile (Li, Qardaji and Su 2012; Balle, Barthe and Gaboardi 2018): with D the profile of
/// (P, Q) and D′ that of (Q, P),
/// Σ((1−r)Q + rP − e^ε·Q)₊ = r·D(ln(1 + (e^ε − 1)/r)), and
/// Σ(Q − e^ε((1−r)Q + rP))₊ = c·D′(ln(e^ε·r/c)) with c = 1 − e^ε(1−r), or 0 if c ≤ 0.
fn at(pair: &Pair, epsilon: &Epsilon<'_>, precision: &Precision) -> Option<Answer> {
    match pair {
        Pair::Finite(finite) => direct(finite, epsilon, precision),
        Pair::Subsampled { rate, of, reversed } => {
            let rate = rate.get();
            let zero = || Answer { enclosure: Enclosure::from_integer(0, 0), method: "closed form", is_narrow: true };
            if rate.is_zero() {
                return Some(zero());
            }
            let one = Enclosure::from_integer(1, 0);
            // The factor before the profile of the inner pair.
            let weight = |bits: u32| -> Option<Enclosure> {
                if !reversed {
                    return Some(Enclosure::from_rational(rate, bits));
                }
                let working = Working::new(bits);
                let power = working.exp(&epsilon(bits.saturating_add(64))?)?.fixed(bits)?;
                Some(one.sub(&power.mul_rational(&(Rational::one() - rate))))
            };
            let inner = |bits: u32| -> Option<Enclosure> {
                let working = Working::new(bits.saturating_add(16));
                let power = working.exp(&epsilon(bits.saturating_add(64))?)?.fixed(working.bits())?;
                let ratio = if *reversed {
                    power.mul_rational(rate).div(&weight(working.bits())?)?
                } else {
                    one.add(&power.sub(&one).mul_rational(&rate.recip()))
                };
                working.ln(&Scaled::from_enclosure(&ratio, working.bits()))
            };
            // Whether c > 0.
            let mut bits = 64;
            while !weight(bits)?.lower().is_positive() {
                if !weight(bits)?.upper().is_positive() {
                    return Some(zero());
                }
                bits *= 2;
                if bits > 1 << 12 {
                    return None;
                }
            }
            let of = if *reversed { of.reversed() } else { of.as_ref().clone() };
            let deeper = Precision { digits: precision.digits.saturating_add(1) };
            let answer = at(&of, &inner, &deeper)?;
            // As many digits as the profile's enclosure has, and then some.
            let factor = weight(precision.bits().saturating_add(bits).saturating_add(32))?;
            let product = Scaled::from_enclosure(&answer.enclosure, precision.bits().saturating_add(64))
                .mul(&Scaled::from_enclosure(&factor, precision.bits().saturating_add(64)));
            let enclosure = product.exact()?;
            let is_narrow = is_narrow(&enclosure, precision);
            Some(Answer { enclosure, method: answer.method, is_narrow })
        }
        Pair::Laplace { .. } | Pair::Gaussian { .. } => lattice::at(pair, epsilon, precision),
    }
}

/// Σ max(P(y) − e^ε·Q(y), 0), outcome by outcome.
fn direct(pair: &FinitePair, epsilon: &Epsilon<'_>, precision: &Precision) -> Option<Answer> {
    let mut best = None;
    let mut bits = precision.bits().saturating_add(32);
    for _ in 0..7 {
        let enclosure = direct_at(pair, &epsilon(bits.saturating_add(64))?, bits)?;
        let narrow = is_narrow(&enclosure, precision);
        best = Some(Answer { enclosure, method: "closed form", is_narrow: narrow });
        if narrow {
            break;
        }
        bits = bits.saturating_mul(2);
    }
    best
}

fn direct_at(pair: &FinitePair, epsilon: &Enclosure, bits: u32) -> Option<Enclosure> {
    let working = Working::new(bits);
    let value = |weight: &Weight| {
        let exponent = Enclosure::from_rational(&-weight.exponent.get(), bits.saturating_add(64));
        Scaled::from_rational(weight.factor.get(), bits).mul(&working.exp(&exponent)?).fixed(bits)
    };
    let values =
        pair.outcomes().iter().map(|(p, q)| Some((value(p)?, value(q)?))).collect::<Option<alloc::vec::Vec<_>>>()?;
    let sum_p: Enclosure = values.iter().map(|(p, _)| p.clone()).sum();
    let sum_q: Enclosure = values.iter().map(|(_, q)| q.clone()).sum();
    // P − e^ε·Q with P = p/Σp and Q = q/Σq.
    let power = working.exp(epsilon)?.fixed(bits)?;
    let mut sum = Enclosure::from_integer(0, 0);
    for (p, q) in &values {
        sum = sum.add(&p.div(&sum_p)?.sub(&power.mul(&q.div(&sum_q)?)).max_zero());
    }
    let whole = Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0));
    sum.intersection(&whole)
}

/// The probability of an infinite loss: P(Q = 0).
pub(super) fn infinite_mass(pair: &Pair, working: &Working) -> Option<Enclosure> {
    let zero = Enclosure::from_integer(0, 0);
    Some(match pair {
        Pair::Laplace { .. } | Pair::Gaussian { .. } => zero,
        Pair::Finite(finite) => {
            if !finite.outcomes().iter().any(|(p, q)| q.is_zero() && !p.is_zero()) {
                return Some(zero);
            }
            let revealing = |(p, q): &(Weight, Weight)| q.is_zero().then(|| p.clone());
            let listed: alloc::vec::Vec<Weight> = finite.outcomes().iter().filter_map(revealing).collect();
            let all: alloc::vec::Vec<Weight> = finite.outcomes().iter().map(|(p, _)| p.clone()).collect();
            lattice::share(&listed, &all, working)?
        }
        Pair::Subsampled { rate, of, reversed: false } => infinite_mass(of, working)?.mul_rational(rate.get()),
        // (1 − r)·Q + r·P = 0 where Q > 0 needs r = 1 and P = 0.
        Pair::Subsampled { rate, of, reversed: true } if rate.get().is_one() => infinite_mass(&of.reversed(), working)?,
        Pair::Subsampled { .. } => zero,
    })
}

/// 2^-bits.
#[cfg(test)]
pub(super) fn unit(bits: u32) -> Rational {
    Rational::new(BigInt::one(), BigInt::one() << bits)
}
