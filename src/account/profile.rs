//! The profile of a single pair, in closed form.

use alloc::vec::Vec;

use num_traits::{One, Signed, Zero};

use super::{
    Answer, Method, Precision, answer::is_narrow, cache::Cache, lattice, methods::Accountant, question::Question,
};
use crate::{
    exact::{Budget, Enclosure, NonNegative, Positive, Rational, Scaled, Working, ln},
    guarantee::{FinitePair, Pair, Weight},
};

/// The ε of a question, to any number of binary digits.
pub(super) type Epsilon<'a> = dyn Fn(u32) -> Option<Enclosure> + 'a;

/// The profile of a direction in which nothing is composed: the pointwise maximum of its pairs' profiles.
pub(super) struct ClosedForm;

impl Accountant for ClosedForm {
    fn delta(&self, question: &Question<'_>, budget: &Budget, _: &mut Cache) -> Option<Answer> {
        let Question { direction, epsilon, precision, .. } = *question;
        let each = direction.of_one_copy()?.iter().map(|pair| delta(pair, epsilon, precision, &budget.share(2)));
        each.collect::<Option<Vec<_>>>()?.into_iter().reduce(|most, answer| most.max(&answer))
    }
}

/// δ(ε) of one pair; `None` if it is out of reach.
pub(super) fn delta(pair: &Pair, epsilon: &NonNegative, precision: &Precision, budget: &Budget) -> Option<Answer> {
    if lattice::is_bounded_by(pair, epsilon.get()) {
        return Some(zero());
    }
    // At ε = 0 a pair of rational probabilities has a rational δ: halves are told as halves.
    if epsilon.get().is_zero()
        && let Some(exact) = exact_at_zero(pair)
    {
        let enclosure = Enclosure::from_rational(&exact, precision.bits().saturating_add(64));
        if is_narrow(&enclosure, precision) {
            return Some(Answer { enclosure, method: Method::ClosedForm, is_narrow: true });
        }
    }
    let enclosed = |bits: u32| Some(Enclosure::from_rational(epsilon.get(), bits));
    at(pair, &enclosed, precision, budget)
}

fn zero() -> Answer {
    Answer::zero(Method::ClosedForm)
}

/// δ(ε) of one pair at any real ε.
fn at(pair: &Pair, epsilon: &Epsilon<'_>, precision: &Precision, budget: &Budget) -> Option<Answer> {
    match pair {
        Pair::Finite(finite) => direct(finite, epsilon, precision, budget),
        Pair::Subsampled { rate, .. } if rate.get().is_zero() => Some(zero()),
        Pair::Subsampled { rate, of, reversed } if rate.get().is_one() => {
            at(&if *reversed { of.reversed() } else { of.as_ref().clone() }, epsilon, precision, budget)
        }
        Pair::Subsampled { rate, of, reversed } => subsampled(rate.get(), of, *reversed, epsilon, precision, budget),
        Pair::Laplace { .. } | Pair::Gaussian { .. } => lattice::at(pair, epsilon, precision, budget),
    }
}

/// δ(ε) of a subsampled pair, 0 < r < 1.
///
/// Subsampling scales and moves the profile (Li, Qardaji and Su 2012; Balle, Barthe and Gaboardi 2018): with
/// D the profile of (P, Q) and D′ that of (Q, P), Σ((1−r)Q + rP − e^ε·Q)₊ = r·D(ln(1 + (e^ε − 1)/r)), and Σ(Q
/// − e^ε((1−r)Q + rP))₊ = c·D′(ln(e^ε·r/c)) with c = 1 − e^ε(1−r), or 0 if c ≤ 0.
///
/// With u = e^-ε − (1 − r) that is e^ε·u·D′(ln(r/u)), and the other's inner ε is ε + ln(u′/r) with u′ = 1 −
/// (1−r)·e^-ε: numbers up to 1, however large ε is.
fn subsampled(
    rate: &Rational,
    of: &Pair,
    reversed: bool,
    epsilon: &Epsilon<'_>,
    precision: &Precision,
    budget: &Budget,
) -> Option<Answer> {
    let miss = Rational::one() - rate;
    // c > 0 only for ε < ln(1/(1−r)).
    if reversed && epsilon(64)?.lower() >= ln(&Positive::new(miss.recip()).ok()?, 64).upper() {
        return Some(zero());
    }
    // u ≥ 0 is small where r is, or c.
    let small = u32::try_from(rate.denom().bits()).ok()?;
    let falling = |working: &Working| -> Option<Enclosure> {
        working.exp(&epsilon(working.bits().saturating_add(64))?.neg())?.fixed(working.bits())
    };
    let part = |working: &Working| -> Option<Enclosure> {
        let falling = falling(working)?;
        Some(if reversed {
            falling.sub(&Enclosure::from_rational(&miss, working.bits()))
        } else {
            Enclosure::from_integer(1, 0).sub(&falling.mul_rational(&miss))
        })
    };
    // Whether u > 0, and at which precision that is seen.
    let mut extra = small.saturating_add(64);
    loop {
        let working = Working::within(extra, budget);
        let found = part(&working)?;
        if found.lower().is_positive() {
            break;
        }
        if !found.upper().is_positive() {
            return Some(zero());
        }
        extra = extra.checked_mul(2).filter(|extra| *extra <= 1 << 14)?;
    }
    let inner = |bits: u32| -> Option<Enclosure> {
        let working = Working::within(bits.checked_add(extra)?, budget);
        let part = Scaled::from_enclosure(&part(&working)?, working.bits());
        let rate = Scaled::from_rational(rate, working.bits());
        Some(if reversed {
            working.ln(&rate.div(&part)?)?
        } else {
            working.ln(&part.div(&rate)?)?.add(&epsilon(working.bits())?).max_zero()
        })
    };
    let of = if reversed { of.reversed() } else { of.clone() };
    let deeper = Precision { digits: precision.digits.saturating_add(1) };
    let answer = at(&of, &inner, &deeper, budget)?;
    // As many digits as the profile's enclosure has, and then some.
    let working = Working::within(precision.bits().checked_add(extra)?.checked_add(32)?, budget);
    let factor = if reversed {
        let scaled = |enclosure: &Enclosure| Scaled::from_enclosure(enclosure, working.bits());
        scaled(&part(&working)?).div(&scaled(&falling(&working)?))?
    } else {
        Scaled::from_rational(rate, working.bits())
    };
    let product = Scaled::from_enclosure(&answer.enclosure, precision.bits().saturating_add(64)).mul(&factor);
    let enclosure = product.exact()?;
    Some(Answer::new(enclosure, answer.method, precision))
}

/// Σ max(P(y) − e^ε·Q(y), 0), outcome by outcome.
fn direct(pair: &FinitePair, epsilon: &Epsilon<'_>, precision: &Precision, budget: &Budget) -> Option<Answer> {
    let mut best = None;
    let mut bits = precision.bits().saturating_add(32);
    for _ in 0..7 {
        let enclosure = direct_at(pair, &epsilon(bits.saturating_add(64))?, bits, budget);
        let Some(enclosure) = enclosure else { break };
        let narrow = is_narrow(&enclosure, precision);
        best = Some(Answer { enclosure, method: Method::ClosedForm, is_narrow: narrow });
        if narrow {
            break;
        }
        bits = bits.saturating_mul(2);
    }
    best
}

fn direct_at(pair: &FinitePair, epsilon: &Enclosure, bits: u32, budget: &Budget) -> Option<Enclosure> {
    let working = Working::within(bits, budget);
    let value = |weight: &Weight| {
        let exponent = Enclosure::from_rational(&-weight.exponent.get(), bits.saturating_add(64));
        Scaled::from_rational(weight.factor.get(), bits).mul(&working.exp(&exponent)?).fixed(bits)
    };
    let values = pair.outcomes().iter().map(|(p, q)| Some((value(p)?, value(q)?))).collect::<Option<Vec<_>>>()?;
    let sum_p: Enclosure = values.iter().map(|(p, _)| p.clone()).sum();
    let sum_q: Enclosure = values.iter().map(|(_, q)| q.clone()).sum();
    // (P − e^ε·Q)₊ = P·(1 − e^ε·Q/P)₊ with P = p/Σp and Q = q/Σq: e^ε itself may be too long to write down.
    let power = working.exp(epsilon)?;
    let (one, none) = (Enclosure::from_integer(1, 0), Enclosure::from_integer(0, 0));
    let scaled = |value: &Enclosure| Scaled::from_enclosure(value, bits);
    let mut sum = none.clone();
    for (p, q) in &values {
        let (p, q) = (p.div(&sum_p)?, q.div(&sum_q)?);
        if q.upper().is_zero() {
            sum = sum.add(&p);
            continue;
        }
        sum = sum.add(&match power.mul(&scaled(&q)).div(&scaled(&p)) {
            Some(ratio) if ratio.floor_magnitude() > 1 => continue,
            Some(ratio) => p.mul(&one.sub(&ratio.fixed(bits)?).max_zero()),
            None => p.max_zero().hull(&none),
        });
    }
    let whole = Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0));
    sum.intersection(&whole)
}

/// δ(0), the total variation distance, exactly, of a pair of rational probabilities.
pub(super) fn exact_at_zero(pair: &Pair) -> Option<Rational> {
    let Pair::Finite(pair) = pair else { return None };
    let (mut sums, mut masses) = ((Rational::zero(), Rational::zero()), Vec::new());
    for (p, q) in pair.outcomes() {
        let is_rational = |weight: &Weight| weight.is_zero() || weight.exponent.get().is_zero();
        if !is_rational(p) || !is_rational(q) {
            return None;
        }
        sums = (sums.0 + p.factor.get(), sums.1 + q.factor.get());
        masses.push((p.factor.get(), q.factor.get()));
    }
    Some(masses.into_iter().map(|(p, q)| (p / &sums.0 - q / &sums.1).max(Rational::zero())).sum())
}
