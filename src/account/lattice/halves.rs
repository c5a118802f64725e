//! Plans of so few losses that two lists hold all of them: no lattice, no frequencies.
//!
//! The plan is parted into two halves, whose losses a and b are listed ([`listed`](super::listed)) with their
//! probabilities p and, under Q, q = p·e^-loss. Then
//!
//! ```text
//! δ(ε) = Σ_a ( p(a)·Σ_{b > ε−a} p(b) − e^ε·q(a)·Σ_{b > ε−a} q(b) ),
//! 1 − δ(ε) = Σ_a ( p(a)·Σ_{b ≤ ε−a} p(b) + e^ε·q(a)·Σ_{b > ε−a} q(b) )
//! ```
//!
//! (the second where δ is nearly 1, both without infinite losses), and with the second list sorted and summed
//! up from its ends the inner sums are looked up: n + m steps for n·m losses (Horowitz and Sahni 1974). So
//! three Gaussians of unrelated variances, whose common lattice is a thousand times finer than theirs, are
//! some hundred exponentials.
//!
//! **What is left out** of the lists has a probability of at most r under the tilt θ, and adds at most
//! r·M(θ)·e^(−θε) to either: (1 − e^-x)₊·e^(−θx) ≤ 1 for θ > 0, and min(1, e^-x)·e^(−θx) ≤ 1 for −1 < θ < 0.
//!
//! **Ties.** Where a + b cannot be told from ε it is x above it, x at most u, the upper end of its enclosure,
//! or below: its term (1 − e^-x)₊ is in [0, u], and min(1, e^-x) in [1 − u, 1].

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{
    factor::{Factor, Kind},
    frequency_sum::finish,
    listed::{self, Value},
    tilt::{self, Form, Tilt},
    tilted::Tilted,
};
use crate::{
    account::{Answer, Method, Precision, answer::is_narrow, profile::Epsilon},
    exact::{Enclosure, Rational, Scaled, Working, product},
};

/// Digits of a tilt.
const LOW_BITS: u32 = 112;

/// δ(ε) from two lists of at most so many losses each; `None` if there are more, or it is too much work.
pub(super) fn delta(
    factors: &[Factor],
    epsilon: &Epsilon<'_>,
    precision: &Precision,
    most: usize,
    budget: &crate::exact::Budget,
) -> Option<Answer> {
    if !factors.iter().all(|factor| may_be_listed(factor, most)) {
        return None;
    }
    let low = Working::within(LOW_BITS, budget);
    let tilt = tilt::choose(factors, &epsilon(low.bits())?, &low)?;
    let copies = 1 + factors.iter().map(|factor| u128::from(factor.copies)).sum::<u128>();
    let mut bits = precision.bits().checked_add(copies.ilog2())?.checked_add(48)?;
    let mut best: Option<Enclosure> = None;
    for _ in 0..5 {
        let working = Working::within(bits, budget);
        let found = attempt(factors, &tilt, epsilon, most, &working);
        let Some(enclosure) = found.and_then(|value| finish(factors, tilt.form, &value, &working)) else { break };
        let enclosure = match &best {
            Some(best) => best.intersection(&enclosure)?,
            None => enclosure,
        };
        let is_enough = is_narrow(&enclosure, precision);
        best = Some(enclosure);
        if is_enough || bits > 1 << 14 {
            break;
        }
        bits = bits.checked_add(bits / 2)?;
    }
    let enclosure = best?;
    let is_narrow = is_narrow(&enclosure, precision);
    Some(Answer { enclosure, method: Method::ListedLosses, is_narrow })
}

/// Whether a factor may have a list of that length: a look at its size, before anything is computed.
fn may_be_listed(factor: &Factor, most: usize) -> bool {
    let deviations = |variance: &Rational| variance * Rational::from_integer(factor.copies.into());
    let square = Rational::from_integer(BigInt::from(most) * BigInt::from(most));
    match &factor.kind {
        // Some ten standard deviations to either side.
        Kind::Gaussian { variance, .. } => deviations(variance.get()) * BigInt::from(256) < square,
        Kind::Laplace { shift, .. } => *shift < most.into(),
        Kind::Finite { atoms, .. } => atoms.len() <= most,
        Kind::Scattered { atoms, .. } => atoms.len() <= most,
    }
}

/// One half: losses as integers over 2^fine, from below and from above, with p and q over M(θ).
struct Half {
    entries: Vec<Entry>,
    /// The probability under the tilt of all that is listed.
    share: Scaled,
}

struct Entry {
    least: BigInt,
    most: BigInt,
    p: Scaled,
    q: Scaled,
}

impl Half {
    fn new(values: &[Value], theta: &Rational, fine: u32, working: &Working) -> Option<Self> {
        let mut share = Scaled::zero(working.bits());
        let mut entries = Vec::with_capacity(values.len());
        for (loss, of) in values {
            share = share.add(of);
            let p = of.mul(&working.exp(&loss.mul_rational(theta).neg())?);
            let q = p.mul(&working.exp(&loss.neg())?);
            let loss = loss.at_precision(fine);
            let (least, most) = loss.scaled_bounds();
            // Exact where it has fewer digits.
            let up = fine.saturating_sub(loss.precision());
            entries.push(Entry { least: least << up, most: most << up, p, q });
        }
        entries.sort_by(|a, b| a.least.cmp(&b.least));
        Some(Self { entries, share })
    }
}

/// E[(1 − e^(ε−L))₊; L < ∞], or E[min(1, e^(ε−L)); L < ∞].
fn attempt(factors: &[Factor], tilt: &Tilt, epsilon: &Epsilon<'_>, most: usize, working: &Working) -> Option<Scaled> {
    let bits = working.bits();
    let fine = bits.checked_add(64)?;
    let theta = &tilt.theta;
    let (a, b) = parted(factors, theta, most, working)?;
    let (a, b) = (Half::new(&a, theta, fine, working)?, Half::new(&b, theta, fine, working)?);
    // Sums of p up to each of b's losses and of p and q from it on.
    let zero = Scaled::zero(bits);
    let mut below = Vec::from([zero.clone()]);
    for entry in &b.entries {
        below.push(below.last()?.add(&entry.p));
    }
    let mut above = Vec::from([(zero.clone(), zero.clone())]);
    for entry in b.entries.iter().rev() {
        let (p, q) = above.last()?;
        above.push((p.add(&entry.p), q.add(&entry.q)));
    }
    let widest = b.entries.iter().map(|entry| &entry.most - &entry.least).max()?;
    let epsilon = epsilon(fine)?;
    let at = epsilon.at_precision(fine);
    let (least, greatest) = at.scaled_bounds();
    let up = fine.saturating_sub(at.precision());
    let (least, greatest) = (least << up, greatest << up);
    let (mut by_p, mut by_q) = (zero.clone(), zero.clone());
    working.budget().spend(u64::try_from(a.entries.len() + b.entries.len()).ok()?.saturating_mul(8 * product(bits)))?;
    for entry in &a.entries {
        // b > ε − a for certain from `start` on.
        let (from, to) = (&least - &entry.most, &greatest - &entry.least);
        let start = b.entries.partition_point(|other| other.least <= to);
        let (p, q) = above.get(b.entries.len() - start)?;
        by_q = by_q.add(&entry.q.mul(q));
        let edge = &from - &widest;
        let open = b.entries.get(..start)?.iter().rev().take_while(|other| other.least > edge);
        let mut open_ones = zero.clone();
        for other in open.filter(|other| other.most > from) {
            let above = (&other.most - &from).max(BigInt::zero());
            let above = Rational::new(above, BigInt::one() << fine).min(Rational::one());
            open_ones = open_ones.add(&entry.p.mul(&other.p).mul(&Scaled::from_rational(&above, bits).down_to_zero()));
        }
        match tilt.form {
            Form::Right => by_p = by_p.add(&entry.p.mul(p)).add(&open_ones),
            Form::Middle => {
                // An open one is among those below, less what it may be above.
                let counted = entry.p.mul(below.get(start)?);
                by_p = by_p.add(&less(&counted, &open_ones, bits)?);
            }
        }
    }
    let by_q = by_q.mul(&working.exp(&epsilon)?);
    let listed = match tilt.form {
        Form::Right => less(&by_p, &by_q, bits)?,
        Form::Middle => by_p.add(&by_q),
    };
    let one = Scaled::one(bits);
    let left_out = less(&one, &a.share.mul(&b.share), bits)?.down_to_zero();
    let fall = working.exp(&epsilon.mul_rational(theta).neg())?;
    let expectation = listed.add(&fall.mul(&left_out));
    // M(θ) = Π E[e^(θ·loss)]^k.
    let mut exponent = Enclosure::from_integer(0, 0);
    let mut mass = one;
    for factor in factors {
        let tilted = Tilted::new(factor, theta, working)?;
        let log = tilted.log.add(&factor.base(working)?.mul_rational(theta));
        exponent = exponent.add(&log.mul(&Enclosure::from_integer(factor.copies, 0)));
        mass = mass.mul(&tilted.mass.pow(factor.copies));
    }
    Some(mass.mul(&working.exp(&exponent)?).mul(&expectation))
}

/// x − y, where that is not negative.
fn less(x: &Scaled, y: &Scaled, bits: u32) -> Option<Scaled> {
    if y.is_zero() {
        return Some(x.clone());
    }
    // Digits of the larger: what is lost to cancellation is seen in the width.
    let scale = x.magnitude().max(y.magnitude());
    let digits = bits.checked_add(8)?;
    let fixed = |value: &Scaled| value.clone().shifted(-scale).fixed(digits);
    let difference = fixed(x)?.sub(&fixed(y)?).max_zero();
    Some(Scaled::from_enclosure(&difference, digits).shifted(scale))
}

/// The losses of all factors as two lists, about as long as each other.
fn parted(factors: &[Factor], theta: &Rational, most: usize, working: &Working) -> Option<(Vec<Value>, Vec<Value>)> {
    let of = |factor: &Factor, copies: u64| {
        if copies == 0 {
            Some(listed::nothing(working.bits()))
        } else {
            listed::copies(factor, copies, theta, most, working)
        }
    };
    let mut lists = Vec::new();
    for factor in factors {
        // One factor alone, or one whose list would be too long, is a half of its copies in either list.
        let whole = if factors.len() == 1 { None } else { of(factor, factor.copies) };
        match whole {
            Some(list) => lists.push(list),
            None => {
                let half = factor.copies / 2;
                lists.extend([of(factor, half)?, of(factor, factor.copies - half)?]);
            }
        }
    }
    lists.sort_by_key(|list| core::cmp::Reverse(list.len()));
    let (mut a, mut b) = (listed::nothing(working.bits()), listed::nothing(working.bits()));
    for list in &lists {
        let shorter = if a.len() <= b.len() { &mut a } else { &mut b };
        *shorter = listed::joint(shorter, list, most, working)?;
    }
    Some((a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::{Positive, Probability, parse},
        guarantee::{FinitePair, Pair},
    };

    /// δ and 1 − δ from the same lists, at tilts of either sign: whichever identity is used, far from where
    /// it is the better one too.
    #[test]
    fn both_identities_agree() {
        let rational = |text: &str| parse(text).unwrap();
        let of = |text: &str| Probability::new(rational(text)).unwrap();
        let outcomes =
            [("1/2", "1/5"), ("1/4", "1/7"), ("1/4", "23/35")].map(|(p, q)| (of(p), of(q))).into_iter().collect();
        let pair = Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap());
        let gaussian = Pair::Gaussian { variance: Positive::new(rational("9/10")).unwrap(), shift: 2_u32.into() };
        let factors = [Factor::listable(&pair, 3).unwrap(), Factor::listable(&gaussian, 2).unwrap()];
        let working = Working::new(160);
        for text in ["0", "1/2", "20/9", "5", "12"] {
            let epsilon = |bits: u32| Some(Enclosure::from_rational(&rational(text), bits));
            let [right, middle] = [(Form::Right, "1/2"), (Form::Middle, "-17/32")].map(|(form, theta)| {
                let none = Enclosure::from_integer(0, 0);
                let tilt = Tilt { form, theta: rational(theta), cumulant: none, deviation: Rational::one() };
                let value = attempt(&factors, &tilt, &epsilon, 1 << 13, &working).unwrap();
                finish(&factors, form, &value, &working).unwrap()
            });
            assert!(right.intersects(&middle), "{text}: {right} {middle}");
            assert!(
                right.width() < rational("1e-20") && middle.width() < rational("1e-20"),
                "{text}: {right} {middle}"
            );
        }
    }
}
