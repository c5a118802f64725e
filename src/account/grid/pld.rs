//! The pessimistic privacy-loss distribution: masses at the points of a grid of losses, tilted, with what was dropped on the books.
//!
//! The mass at loss l = i/2^s is mᵢ·2^-e·e^(-θ(l − a)) for an integer mᵢ < 2^61: what is stored is the *tilted* measure, in which
//! the losses near the ε asked for are the likely ones, so that 61 bits resolve them however unlikely they are. Anchors a
//! and exponents e add up under composition.
//!
//! **Slack.** A path, a sequence of losses with sum L, contributes p·(1 − e^(ε − L))₊ to δ(ε). That is 0 for L ≤ ε; for L > ε, with
//! t = p·e^(θ(L − a)) its tilted mass and θ ≥ 0, it is at most p = t·e^(-θ(L − a)) ≤ t·e^(-θ(ε − a)). So dropped paths of tilted mass t in
//! all contribute at most t·e^(-θ(ε − a)), whatever the ε: what is cut off at either end of the window, low losses as well as
//! high ones, is booked by its tilted mass. The slack of a composition is W₁·W₂ − M₁·M₂ with M the sum of the masses and
//! W = M + slack: every path with a dropped member.

use alloc::vec::Vec;
use core::ops::Range;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::{
    convolution::{MOST_SUM, Side, convolve},
    dots::Dots,
    fixed::{self, exp, shift_up},
};
use crate::exact::Rational;

/// The binary digits of a probability of infinite loss.
pub(super) const INFINITE_BITS: u32 = 768;

/// A pessimistic distribution of the loss: masses are rounded up.
///
/// The masses and the slack together are at most 2^61 (Invariant #1).
#[derive(Clone, Debug)]
pub(super) struct Pld {
    /// The grid is the multiples of 2^-step.
    pub(super) step: u32,
    /// The index of the first mass.
    pub(super) first: i64,
    pub(super) masses: Vec<u64>,
    pub(super) exponent: i128,
    pub(super) anchor: Rational,
    /// Tilted mass that is not among the masses.
    pub(super) slack: u64,
    /// The probability of an infinite loss, over 2^768.
    pub(super) infinite: BigInt,
}

impl Pld {
    /// One copy: the masses of connected dots times e^(θ(l − a)), a the last loss.
    pub(super) fn new(dots: &Dots, theta: &Rational) -> Option<Self> {
        let bits = dots.bits;
        let falling = fixed::Range::of(&exp(&-(theta * dots.grid.loss(1)), bits)?, bits);
        let mut factor = BigInt::one() << bits;
        let mut tilted: Vec<BigInt> = dots
            .upper
            .iter()
            .rev()
            .map(|mass| {
                let here = &factor * mass;
                factor = shift_up(&(&factor * &falling.upper), bits);
                here
            })
            .collect();
        tilted.reverse();
        let total: BigInt = tilted.iter().sum();
        let shift = u32::try_from(total.bits().saturating_sub(60)).ok()?;
        let round = |mass: &BigInt| shift_up(mass, shift).to_u64();
        Some(Self {
            step: dots.grid.step,
            first: dots.grid.first,
            masses: tilted.iter().map(round).collect::<Option<_>>()?,
            exponent: i128::from(2 * bits) - i128::from(shift),
            anchor: dots.grid.loss(dots.grid.last),
            slack: 0,
            infinite: rescale(&dots.infinite, bits, Side::Upper),
        })
    }

    pub(super) fn sum(&self) -> u64 {
        self.masses.iter().sum()
    }

    /// The distribution of the sum of two independent losses on the same grid; `None` if it is too long to be computed.
    ///
    /// Both ends are cut off, each of a tilted mass of at most 2^-cut of the whole, and booked: before masses are rounded, since upward the least of them become
    /// one unit each, too many to be cut off then.
    pub(super) fn compose(&self, other: &Self, cut: u32) -> Option<Self> {
        if self.step != other.step {
            return None;
        }
        let mut products = convolve(&self.masses, &other.masses)?;
        let (a, b) = (u128::from(self.sum()), u128::from(other.sum()));
        let whole = (a + u128::from(self.slack)) * (b + u128::from(other.slack));
        // The sum of the rounded masses and slack is below 2^60 + 2^25.
        let shift = (u128::BITS - whole.leading_zeros()).saturating_sub(60);
        let round = |mass: u128| Side::Upper.shift(mass, shift).to_u64();
        let kept = within(&products, whole.checked_shr(cut).unwrap_or(0));
        let first = self.first.checked_add(other.first)?.checked_add(i64::try_from(kept.start).ok()?)?;
        let cut_off: u128 = products.iter().sum::<u128>() - products.get(kept.clone())?.iter().sum::<u128>();
        products.truncate(kept.end);
        products.drain(..kept.start);
        Some(Self {
            step: self.step,
            first,
            masses: products.into_iter().map(round).collect::<Option<_>>()?,
            exponent: self.exponent + other.exponent - i128::from(shift),
            anchor: &self.anchor + &other.anchor,
            slack: round(whole - a * b + cut_off)?,
            infinite: either(&self.infinite, &other.infinite, Side::Upper),
        })
    }

    /// Restores Invariant #1 after masses have grown.
    pub(super) fn normalise(&mut self) {
        while self.masses.iter().map(|mass| u128::from(*mass)).sum::<u128>() + u128::from(self.slack) > MOST_SUM.into()
        {
            let round = |mass: u64| mass / 2 + mass % 2;
            self.masses.iter_mut().for_each(|mass| *mass = round(*mass));
            self.slack = round(self.slack);
            self.exponent -= 1;
        }
    }
}

/// What is left when both ends are cut off, each of a sum of at most `most`: one mass at least.
pub(super) fn within(masses: &[u128], most: u128) -> Range<usize> {
    let (mut below, mut start) = (0, 0_usize);
    while let [mass, _, ..] = masses.get(start..).unwrap_or_default()
        && below + mass <= most
    {
        below += mass;
        start += 1;
    }
    let (mut above, mut end) = (0, masses.len());
    while let [_, .., mass] = masses.get(start..end).unwrap_or_default()
        && above + mass <= most
    {
        above += mass;
        end -= 1;
    }
    start..end
}

/// A probability over 2^bits, over 2^768 and on the side.
pub(super) fn rescale(p: &fixed::Range, bits: u32, side: Side) -> BigInt {
    let (finer, coarser) = (INFINITE_BITS.saturating_sub(bits), bits.saturating_sub(INFINITE_BITS));
    match side {
        Side::Upper => shift_up(&(&p.upper << finer), coarser).min(BigInt::one() << INFINITE_BITS),
        Side::Lower => (&p.lower << finer) >> coarser,
    }
}

/// 1 − (1 − a)(1 − b), rounded to the side: the probability that either of two losses is infinite.
pub(super) fn either(a: &BigInt, b: &BigInt, side: Side) -> BigInt {
    let one = BigInt::one() << INFINITE_BITS;
    let finite = (&one - a) * (&one - b);
    let finite = match side {
        Side::Upper => finite >> INFINITE_BITS,
        Side::Lower => shift_up(&finite, INFINITE_BITS),
    };
    (one - finite).max(BigInt::zero())
}
