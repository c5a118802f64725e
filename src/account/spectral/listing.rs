//! The outcomes of a pair, one by one: their masses to a number of significant digits, their losses to as
//! many after the point.
//!
//! **Cut-off tails.** Gaussian noise has all integers for outcomes, of which −n, …, n + Δ are listed. What is
//! left out of either distribution has a mass of at most 2·e^(−n²/2σ²)/((e^(n/σ²) − 1)·Z), as (n + j)² ≥ n² +
//! 2nj, and so has any mixture of the two.

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use super::{
    outcomes::{Outcome, Part},
    tools::{exp_minus_one, one_minus_exp},
};
use crate::{
    exact::{Enclosure, GaussianPmf, Integer, Pmf, Positive, Rational, Scaled, Working, exponential, product},
    guarantee::{FinitePair, Pair, Weight},
};

/// P and Q of an outcome, either of which may be 0.
type Masses = (Scaled, Scaled);

/// What a pair's outcomes are, and at least the mass of those that are left out, of P and of Q.
struct Listing {
    outcomes: Vec<Masses>,
    cut: Scaled,
}

/// About how many outcomes a pair has, if Gaussian tails below 2^-tail are left out.
pub(super) fn count(pair: &Pair, tail: u32) -> Option<usize> {
    match pair {
        Pair::Finite(pair) => Some(pair.outcomes().len()),
        Pair::Laplace { shift, .. } => shift.to_usize()?.checked_add(1),
        Pair::Gaussian { variance, shift } => {
            reach(variance, tail)?.checked_mul(2)?.checked_add(1)?.checked_add(shift.to_usize()?)
        }
        Pair::Subsampled { of, .. } => count(of, tail),
    }
}

/// About the steps of a list.
pub(super) fn cost(pair: &Pair, tail: u32, bits: u32) -> u64 {
    let count = count(pair, tail).and_then(|count| u64::try_from(count).ok()).unwrap_or(u64::MAX);
    count.saturating_mul(5 * exponential(bits).saturating_add(20 * product(bits)))
}

/// Digits beyond the common ones that a pair's losses take: losses of a sample at rate r are about as small
/// as r.
pub(super) fn small(pair: &Pair) -> u32 {
    match pair {
        Pair::Subsampled { rate, of, .. } => {
            u32::try_from(rate.get().denom().bits()).unwrap_or(u32::MAX).saturating_add(small(of))
        }
        Pair::Gaussian { .. } | Pair::Laplace { .. } | Pair::Finite(_) => 0,
    }
}

/// The outcomes of k copies of a pair, by rising loss.
pub(super) fn list(pair: &Pair, copies: u64, tail: u32, working: &Working) -> Option<Part> {
    let Listing { outcomes, cut } = masses(pair, tail, working)?;
    let mut part = Part { outcomes: Vec::new(), copies, never: Scaled::zero(working.bits()), cut };
    for (p, q) in outcomes {
        if q.is_zero() {
            part.never = part.never.add(&p);
        } else if !p.is_zero() {
            let loss = working.ln(&p.div(&q)?)?;
            part.outcomes.push(Outcome { loss, p, q });
        }
    }
    // Any order will do: this one lets the rare outcomes be the last.
    part.outcomes.sort_by_cached_key(|outcome| outcome.loss.lower());
    Some(part)
}

fn masses(pair: &Pair, tail: u32, working: &Working) -> Option<Listing> {
    let bits = working.bits();
    match pair {
        Pair::Finite(pair) => finite(pair, working),
        // With a = e^(−1/s), P(Y = y) = (1 − a)/(1 + a)·a^|y|, and Q(y) = P(Δ − y); all y ≤ 0 have one loss,
        // and all y ≥ Δ.
        Pair::Laplace { scale, shift } => {
            let shift = shift.to_u64().filter(|shift| *shift > 0)?;
            let one = Scaled::one(bits);
            let fall = |n: u64| -> Option<Scaled> {
                let x = Rational::from_integer(BigInt::from(n)) / scale.get();
                working.exp(&Enclosure::from_rational(&-x, bits.checked_add(64)?))
            };
            let a = fall(1)?;
            let end = one.div(&one.add(&a))?;
            // 1 − a is as small as 1/s, and has its digits from the series of 1 − e^(−x).
            let middle = one_minus_exp(&Scaled::from_rational(&scale.get().recip(), bits), working)?.mul(&end);
            let mut p = Vec::new();
            for y in 0..=shift {
                let share = if y == 0 || y == shift { &end } else { &middle };
                p.push(share.mul(&fall(y)?));
            }
            let outcomes = p.iter().cloned().zip(p.iter().rev().cloned()).collect();
            Some(Listing { outcomes, cut: Scaled::zero(bits) })
        }
        Pair::Gaussian { variance, shift } => {
            let (reach, shift) = (reach(variance, tail)?, shift.to_usize()?);
            let masses = gaussian(variance, reach.checked_add(shift)?, working)?;
            let at = |y: usize, from: usize| masses.get(y.abs_diff(from)).cloned();
            // y is counted from −n here: the noise is 0 at n, and at n + Δ.
            let last = reach.checked_mul(2)?.checked_add(shift)?;
            let outcomes =
                (0..=last).map(|y| Some((at(y, reach)?, at(y, reach + shift)?))).collect::<Option<Vec<_>>>()?;
            let n = Rational::from_integer(BigInt::from(reach));
            let rise = exp_minus_one(&(n / variance.get()), working)?;
            let cut = masses.get(reach)?.mul(&Scaled::from_rational(&Rational::from_integer(2.into()), bits));
            let cut = cut.div(&rise)?;
            Some(Listing { outcomes, cut })
        }
        Pair::Subsampled { rate, of, reversed } => {
            let Listing { outcomes, cut } = masses(of, tail, working)?;
            let hit = Scaled::from_rational(rate.get(), bits);
            let miss = Scaled::from_rational(&(Rational::one() - rate.get()), bits);
            let mixed = |(p, q): Masses| {
                let mixture = q.mul(&miss).add(&p.mul(&hit));
                if *reversed { (q, mixture) } else { (mixture, q) }
            };
            Some(Listing { outcomes: outcomes.into_iter().map(mixed).collect(), cut })
        }
    }
}

/// Outcomes of one quotient P/Q are one: P = c·e^-x and Q = c′·e^-x′ have the same quotients c/c′·e^(x′−x)
/// only where c/c′ and x′ − x are the same.
fn finite(pair: &FinitePair, working: &Working) -> Option<Listing> {
    let bits = working.bits();
    let value = |weight: &Weight| -> Option<Scaled> {
        let exponent = Enclosure::from_rational(&-weight.exponent.get(), bits.checked_add(64)?);
        Some(Scaled::from_rational(weight.factor.get(), bits).mul(&working.exp(&exponent)?))
    };
    let mut sums = (Scaled::zero(bits), Scaled::zero(bits));
    let mut merged: BTreeMap<Option<(Rational, Rational)>, Masses> = BTreeMap::new();
    let mut alone = Vec::new();
    for (p, q) in pair.outcomes() {
        let masses = (value(p)?, value(q)?);
        sums = (sums.0.add(&masses.0), sums.1.add(&masses.1));
        if p.is_zero() || q.is_zero() {
            alone.push(masses);
            continue;
        }
        let quotient = (p.factor.get() / q.factor.get(), q.exponent.get() - p.exponent.get());
        let slot = merged.entry(Some(quotient)).or_insert_with(|| (Scaled::zero(bits), Scaled::zero(bits)));
        *slot = (slot.0.add(&masses.0), slot.1.add(&masses.1));
    }
    let share = |(p, q): Masses| Some((p.div(&sums.0)?, q.div(&sums.1)?));
    let outcomes = alone.into_iter().chain(merged.into_values()).map(share).collect::<Option<Vec<_>>>()?;
    Some(Listing { outcomes, cut: Scaled::zero(bits) })
}

/// The n from which on e^(−n²/2σ²) < 2^-tail.
fn reach(variance: &Positive, tail: u32) -> Option<usize> {
    let square = variance.get() * Rational::from_integer(tail.checked_mul(2)?.into());
    (square.ceil().to_integer().sqrt() + 1_u32).to_usize()
}

/// P(Y = 0), …, P(Y = count): each is the one before it times e^(−(2y+1)/2σ²), and that is e^(−1/σ²) times
/// the one before.
fn gaussian(variance: &Positive, count: usize, working: &Working) -> Option<Vec<Scaled>> {
    let bits = working.bits();
    let fall = |x: Rational| working.exp(&Enclosure::from_rational(&-x, bits.checked_add(64)?));
    let square = fall(variance.get().recip())?;
    let mut ratio = fall(variance.get().recip() / BigInt::from(2))?;
    // P(0) is not below 1/(3σ + 1).
    let size = u32::try_from(variance.get().numer().bits()).ok()?;
    let first = GaussianPmf::new(variance, bits.checked_add(size)?)?.probability(&Integer::from(0));
    let mut mass = Scaled::from_enclosure(&first, bits);
    let mut masses = Vec::with_capacity(count + 1);
    for _ in 0..=count {
        let next = mass.mul(&ratio);
        masses.push(core::mem::replace(&mut mass, next));
        ratio = ratio.mul(&square);
    }
    Some(masses)
}
