//! Pairs of many outcomes, and several pairs at once: replaced by pairs of few outcomes from both sides.
//!
//! The largest curve h of the pairs is met at some points x₁ < … < x_n
//! ([`dots`](crate::account::curve::dots)): a curve above it and one below it have few kinks. The one above
//! has them there alone: it is the curve of n outcomes of losses ln xᵢ, and of an infinite loss. The one
//! below is that of n outcomes whose losses are those of tangents or, of one pair, of outcomes told together.
//! The points may be any; they should be close together where P·e^(θl) is large. A cell of width d and tilted
//! mass m is off by about m·d², and is divided into as many as (m·d²)^(1/3) says.
//!
//! **Several pairs** dominate together: at every step an analyst may meet another of them. What is composed
//! is the one pair whose profile is the largest of theirs, never the largest of separate accounts.

#![expect(clippy::float_arithmetic, reason = "guesses, which affect width and time, never soundness")]

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::{
    constants::{COARSE_POINTS, MOST_LISTED_OUTCOMES},
    listing::{self, list},
    outcomes::{Outcome, Part},
    sketch::{exp, log},
};
use crate::{
    account::curve::{
        self, Curve,
        dots::Dots,
        fixed::{Range, floor},
        span,
    },
    exact::{Enclosure, Rational, Scaled, Working, exponential, from_f64},
    guarantee::Pair,
};

/// The part above and the part below.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    pub(super) above: Part,
    pub(super) below: Part,
}

/// Where losses matter: the tilt, and the loss above which none do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Focus {
    pub(super) theta: f64,
    pub(super) most: f64,
}

/// The digits of a curve: those of masses in the tails, and of differences of x as small as the rate.
pub(super) fn curve_bits(pairs: &[Pair], tail: u32) -> u32 {
    let small = pairs.iter().map(listing::small).max().unwrap_or(0);
    tail + 160 + small.saturating_mul(3)
}

/// About the steps that they take.
pub(super) fn cost(pairs: &[Pair], count: usize, tail: u32, bits: u32) -> u64 {
    let points = u64::try_from(count).unwrap_or(u64::MAX).saturating_add(u64::from(COARSE_POINTS));
    let curves =
        pairs.iter().map(|pair| curve::cost(pair, points, curve_bits(pairs, tail))).fold(0, u64::saturating_add);
    curves.saturating_add(points.saturating_mul(3 * exponential(bits)))
}

/// About `count` outcomes for k copies of the pairs, with tails of 2^-tail in the last of them below, and as
/// an infinite loss above.
pub(super) fn blocks(
    pairs: &[Pair],
    copies: u64,
    count: usize,
    focus: Option<Focus>,
    tail: u32,
    working: &Working,
) -> Option<Sides> {
    let bits = curve_bits(pairs, tail);
    let mut curves = pairs.iter().map(|pair| Curve::new(pair, bits)).collect::<Option<Vec<_>>>()?;
    let mut points = Vec::new();
    for pair in pairs {
        points.extend(first_points(pair, tail, bits, working)?);
    }
    let mut dots = Dots::new(&mut curves, sorted(points.clone()), bits)?;
    let is_listed = pairs.iter().all(is_listed);
    if is_listed {
        points.extend(dots.crossings().into_iter().flat_map(|x| [&x - gap(bits), x + gap(bits)]));
    } else {
        points = refined(&dots, count, focus.unwrap_or(Focus { theta: 0.0, most: f64::INFINITY }))?;
    }
    dots = Dots::new(&mut curves, sorted(points), bits)?;
    let loss = |x: &BigInt| working.ln(&Scaled::from_units(x.magnitude(), bits, bits));
    let losses = dots.points.iter().map(loss).collect::<Option<Vec<_>>>()?;
    let of =
        |(masses, infinite): (Vec<BigInt>, BigInt)| part(&losses, &dots, &masses, &infinite, copies, working.bits());
    let below = if pairs.len() == 1 { told(&dots, copies, working)? } else { of(dots.below()?)? };
    Some(Sides { above: of(dots.above()?)?, below })
}

/// Outcomes for whoever is told no more than the cell.
fn told(dots: &Dots, copies: u64, working: &Working) -> Option<Part> {
    let bits = working.bits();
    let over = |n: &BigInt| Scaled::from_units(n.magnitude(), dots.bits, bits);
    let outcome = |(p, q): (BigInt, BigInt)| {
        let (p, q) = (over(&p), over(&q));
        Some(Outcome { loss: working.ln(&p.div(&q)?)?, p, q })
    };
    let outcomes = dots.told().into_iter().map(outcome).collect::<Option<Vec<_>>>()?;
    let zero = Scaled::zero(bits);
    Some(Part { outcomes, copies, never: zero.clone(), cut: zero })
}

fn is_listed(pair: &Pair) -> bool {
    listing::count(pair, 64).is_some_and(|count| count <= MOST_LISTED_OUTCOMES)
}

fn sorted(mut points: Vec<BigInt>) -> Vec<BigInt> {
    points.retain(Signed::is_positive);
    points.sort();
    points.dedup();
    points
}

/// How far from a kink its two sides are met: slopes between them have half of all digits.
fn gap(bits: u32) -> BigInt {
    BigInt::one() << (bits / 2)
}

/// Where a first look is taken: at both sides of every kink of a pair with few outcomes, or evenly by the
/// losses of noise.
fn first_points(pair: &Pair, tail: u32, bits: u32, working: &Working) -> Option<Vec<BigInt>> {
    if is_listed(pair) {
        let part = list(pair, 1, tail, working)?;
        let ratio = |outcome: &Outcome| -> Option<[BigInt; 2]> {
            let Range { lower, upper } = Range::of(&outcome.p.div(&outcome.q)?.fixed(bits)?, bits);
            Some([lower - gap(bits), upper + gap(bits)])
        };
        return Some(part.outcomes.iter().map(ratio).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect());
    }
    evenly(pair, tail, bits)
}

/// [`COARSE_POINTS`] points, evenly by the loss of what is sampled.
fn evenly(pair: &Pair, tail: u32, bits: u32) -> Option<Vec<BigInt>> {
    if let Pair::Subsampled { rate, of, reversed } = pair {
        let (hit, miss) = (floor(rate.get(), bits), floor(&(Rational::one() - rate.get()), bits));
        let mixed = evenly(of, tail, bits)?.into_iter().map(|x| &miss + ((&hit * x) >> bits));
        let inverse = |x: BigInt| (BigInt::one() << (2 * bits)).checked_div(&x);
        return Some(if *reversed { mixed.filter_map(inverse).collect() } else { mixed.collect() });
    }
    let (low, high) = span(pair, tail)?;
    let step = (&high - &low) / BigInt::from(COARSE_POINTS);
    let power = |loss: &Rational| Some(Range::of(&curve::fixed::exp(loss, bits)?, bits).lower);
    let ratio = power(&step)?;
    let mut x = power(&low)?;
    let mut points = Vec::new();
    for _ in 0..=COARSE_POINTS {
        points.push(x.clone());
        x = (x * &ratio) >> bits;
    }
    Some(points)
}

/// About so many points: ten of eleven by what cells are off by, the others evenly.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
fn refined(dots: &Dots, count: usize, focus: Focus) -> Option<Vec<BigInt>> {
    let (masses, _) = dots.above()?;
    let log_of = |x: &BigInt| log(&Scaled::from_units(x.magnitude(), dots.bits, 64));
    let cell = |(ends, masses): (&[BigInt], &[BigInt])| {
        let ([left, right], [before, after]) = (ends, masses) else { return f64::NEG_INFINITY };
        // The width of the loss: (right − left)/left, whose digits a difference of logarithms would not have.
        let (width, loss) = (log_of(&(right - left)) - log_of(left), log_of(left));
        let mass = log_of(before).max(log_of(after)) + focus.theta * loss;
        if loss > focus.most { f64::NEG_INFINITY } else { (mass + 2.0 * width) / 3.0 }
    };
    let cells: Vec<f64> = dots.points.windows(2).zip(masses.windows(2)).map(cell).collect();
    let top = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = cells.iter().map(|cell| exp(cell - top)).collect();
    let even = weights.iter().sum::<f64>() / (10.0 * weights.len() as f64);
    let each = weights.iter().map(|weight| weight + even).sum::<f64>() / count as f64;
    let mut points = Vec::from([dots.points.first()?.clone()]);
    // How much there is of the next point.
    let mut ripe = 0.0;
    for (ends, weight) in dots.points.windows(2).zip(&weights) {
        let [left, right] = ends else { return None };
        let cell = (weight + even) / each;
        let mut at = 1.0 - ripe;
        while at <= cell {
            let place = from_f64(at / cell * 65536.0).ok()?.to_integer();
            points.push(left + (((right - left) * place) >> 16_u32));
            at += 1.0;
        }
        ripe = cell + 1.0 - at;
    }
    points.extend(dots.points.last().cloned());
    Some(points)
}

/// Outcomes of the losses ln x: exactly these masses, which may be any.
fn part(
    losses: &[Enclosure],
    dots: &Dots,
    masses: &[BigInt],
    infinite: &BigInt,
    copies: u64,
    bits: u32,
) -> Option<Part> {
    let over = |n: &BigInt| Scaled::from_units(n.magnitude(), dots.bits, bits);
    let mut outcomes = Vec::new();
    for ((x, loss), mass) in dots.points.iter().zip(losses).zip(masses).filter(|(_, mass)| mass.is_positive()) {
        let p = over(mass);
        outcomes.push(Outcome { loss: loss.clone(), q: p.div(&over(x))?, p });
    }
    Some(Part { outcomes, copies, never: over(infinite), cut: Scaled::zero(bits) })
}
