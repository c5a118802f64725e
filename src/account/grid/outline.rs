//! The losses of frequent outcomes in outline: enough to choose a tilt.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::Atom,
    fixed::{Range, exp, floor},
    tilt::FINEST,
};
use crate::exact::Rational;

/// Binary digits of probabilities: the rarest of the frequent ones are 10^-50 or so.
const PLACES: u32 = 192;

/// Groups of outcomes: some times as many.
const GROUPS: u32 = 64;

/// P and loss of outcomes, about; those together that are close enough.
pub(super) struct Outline {
    /// Losses are multiples of 2^-fine.
    fine: u32,
    groups: Vec<(BigInt, BigInt)>,
}

impl Outline {
    /// Of outcomes with probabilities over 2^bits.
    pub(super) fn new(listed: &[Atom], bits: u32, fine: u32) -> Self {
        let about = |atom: &Atom| {
            ((&atom.p.lower >> bits.saturating_sub(PLACES)).max(BigInt::one()), floor(&atom.loss.lower(), fine))
        };
        Self { fine, groups: together(listed.iter().map(about).collect()) }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The mean of so many losses and their second moment, over 2^PLACES.
    fn moments(&self, copies: u64) -> (BigInt, BigInt) {
        let mean: BigInt = self.groups.iter().map(|(p, loss)| p * loss).sum();
        let second: BigInt = self.groups.iter().map(|(p, loss)| p * loss * loss).sum();
        (mean * copies, second * copies)
    }

    /// About how far from 0 the loss of some copies lies: its mean, and some deviations.
    pub(super) fn bulk(&self, copies: u64) -> Rational {
        let (mean, variance) = self.moments(copies);
        let deviation = (variance >> PLACES).magnitude().sqrt();
        Rational::new((mean >> PLACES).abs() + BigInt::from(deviation) * 8, BigInt::one() << self.fine)
    }

    /// The mean loss under a tilt, over 2^(fine + PLACES); `None` if the tilt is out of range.
    fn mean(&self, theta: &Rational) -> Option<BigInt> {
        let losses = || self.groups.iter().map(|(_, loss)| loss);
        let end = if theta.is_negative() { losses().min()? } else { losses().max()? };
        let (mut sum, mut whole) = (BigInt::zero(), BigInt::zero());
        for (p, loss) in &self.groups {
            let factor = exp(&(theta * Rational::new(loss - end, BigInt::one() << self.fine)), PLACES)?;
            let weight = p * Range::of(&factor, PLACES).lower;
            sum += &weight * loss;
            whole += weight;
        }
        (sum << PLACES).checked_div(&whole)
    }
}

/// About the distance of x, over 2^fine, from the mean of so many losses, over the variance: a power of 2.
fn first(of: &[(&Outline, u64)], fine: u32, x: &BigInt) -> Rational {
    let (mut distance, mut variance) = (x << PLACES, BigInt::zero());
    for (outline, copies) in of {
        let (mean, second) = outline.moments(*copies);
        distance -= mean;
        variance += second;
    }
    let (above, below) = (distance.bits() + u64::from(fine), variance.bits());
    let power = |n: u64| Rational::from_integer(BigInt::one() << n);
    if above > below { power(above - below) } else { power(below - above).recip() }
}

/// The tilt θ under which so many losses have mean x, to some bits: above 0 or below −1, or 0 where x is between their means under P and Q. `None` where none has.
pub(super) fn tilt(of: &[(&Outline, u64)], fine: u32, x: &Rational) -> Option<Rational> {
    let target = floor(x, fine);
    let is_below = |theta: &Rational| -> Option<bool> {
        let mut mean = BigInt::zero();
        for (outline, copies) in of {
            mean += outline.mean(theta)? * copies;
        }
        Some(mean < &target << PLACES)
    };
    let (two, minus) = (BigInt::from(2), -Rational::one());
    let is_above = is_below(&Rational::zero())?;
    if !is_above && is_below(&minus)? {
        return Some(Rational::zero());
    }
    let theta = |distance: &Rational| if is_above { distance.clone() } else { &minus - distance };
    // Whether the mean is on this side of x still.
    let is_short = |distance: &Rational| is_below(&theta(distance)).map(|below| below == is_above);
    let power = |n: u32| Rational::from_integer(BigInt::one() << n);
    let (most, least) = (power(FINEST), power(10).recip());
    let mut far = first(of, fine, &target).clamp(least.clone(), most.clone());
    while is_short(&far)? {
        far *= &two;
        if far > most {
            return None;
        }
    }
    let mut near = &far / &two;
    while far > least && !is_short(&near)? {
        far = near;
        near = &far / &two;
    }
    for _ in 0..8 {
        let middle = (&near + &far) / &two;
        if is_short(&middle)? {
            near = middle;
        } else {
            far = middle;
        }
    }
    Some(theta(&near))
}

/// P and the mean loss of groups of outcomes: of little P, little of the second moment and a small part of the span each. The least and the greatest are by
/// themselves, so that a mean may be anywhere between them.
fn together(mut about: Vec<(BigInt, BigInt)>) -> Vec<(BigInt, BigInt)> {
    about.sort_unstable_by(|a, b| a.1.cmp(&b.1));
    let last = about.len().saturating_sub(1);
    let moment = |(p, loss): &(BigInt, BigInt)| p * loss * loss;
    let all: (BigInt, BigInt) = (about.iter().map(|(p, _)| p).sum(), about.iter().map(moment).sum());
    let span = about.first().zip(about.last()).map_or_else(BigInt::zero, |(first, last)| &last.1 - &first.1);
    let mut groups = Vec::new();
    // P, P·l and P·l² of a group, and its first loss.
    let mut group: Option<[BigInt; 4]> = None;
    let mean = |[p, of_loss, _, first]: [BigInt; 4]| if p.is_zero() { (p, first) } else { (p.clone(), of_loss / p) };
    for (i, outcome) in about.into_iter().enumerate() {
        let (square, first) = (moment(&outcome), outcome.1.clone());
        let here = [outcome.0.clone(), &outcome.0 * &outcome.1, square, first];
        group = Some(match group {
            None => here,
            Some(group) => {
                let [p, of_loss, square, first] = &group;
                let joint = [p + &here[0], of_loss + &here[1], square + &here[2], first.clone()];
                let is_small = &joint[0] * GROUPS <= all.0 && &joint[2] * GROUPS <= all.1;
                if is_small && (&here[3] - first) * GROUPS <= span && i > 1 && i < last {
                    joint
                } else {
                    groups.push(mean(group));
                    here
                }
            }
        });
    }
    groups.extend(group.map(mean));
    groups
}
