//! The privacy-loss distribution: masses at the points of a grid of losses, tilted, with what was dropped on the books.
//!
//! The mass at loss l = i/2^s is mᵢ·2^-e·e^(-θ(l − a)) for an integer mᵢ < 2^61: what is stored is the *tilted* measure, in which
//! the losses near the ε asked for are the likely ones, so that 61 bits resolve them however unlikely they are. Anchors a
//! and exponents e add up under composition.
//!
//! **Slack.** A path, a sequence of losses with sum L, contributes p·(1 − e^(ε − L))₊ to δ(ε). That is 0 for L ≤ ε; for L > ε, with
//! t = p·e^(θ(L − a)) its tilted mass and θ ≥ 0, it is at most p = t·e^(-θ(L − a)) ≤ t·e^(-θ(ε − a)). So dropped paths of tilted mass t in
//! all contribute at most t·e^(-θ(ε − a)), whatever the ε: what is cut off at either end of the window, low losses as well as
//! high ones, is booked by its tilted mass. The slack of a composition is W₁·W₂ − M₁·M₂ with M the sum of the masses and
//! W = M + slack: every path with a dropped member. An optimistic measure just drops them.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::{
    convolution::{MOST_SUM, Side, convolve},
    dots::Dots,
    fixed::{Range, exp},
};
use crate::exact::Rational;

/// The binary digits of a probability of infinite loss.
pub(super) const INFINITE_BITS: u32 = 768;

/// A pessimistic or an optimistic distribution of the loss.
///
/// The masses and the slack together are at most 2^61 (Invariant #1).
#[derive(Clone, Debug)]
pub(super) struct Pld {
    pub(super) side: Side,
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
    pub(super) fn new(dots: &Dots, side: Side, theta: &Rational) -> Option<Self> {
        let bits = dots.bits;
        let falling = Range::of(&exp(&-(theta * dots.grid.loss(1)), bits)?, bits);
        let masses = if side == Side::Upper { &dots.upper } else { &dots.lower };
        let mut factor = Range::point(BigInt::one() << bits);
        let mut tilted: Vec<BigInt> = masses
            .iter()
            .rev()
            .map(|mass| {
                let here = if side == Side::Upper { &factor.upper } else { &factor.lower } * mass;
                factor = factor.mul(&falling, bits);
                here
            })
            .collect();
        tilted.reverse();
        let total: BigInt = tilted.iter().sum();
        let shift = u32::try_from(total.bits().saturating_sub(60)).ok()?;
        let round = |mass: &BigInt| match side {
            Side::Lower => (mass >> shift).to_u64(),
            Side::Upper => super::fixed::shift_up(mass, shift).to_u64(),
        };
        let infinite = rescale(&dots.infinite, bits, side);
        Some(Self {
            side,
            step: dots.grid.step,
            first: dots.grid.first,
            masses: tilted.iter().map(round).collect::<Option<_>>()?,
            exponent: i128::from(2 * bits) - i128::from(shift),
            anchor: dots.grid.loss(dots.grid.last),
            slack: 0,
            infinite,
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
        if self.step != other.step || self.side != other.side {
            return None;
        }
        let mut products = convolve(&self.masses, &other.masses)?;
        let (a, b) = (u128::from(self.sum()), u128::from(other.sum()));
        let whole = (a + u128::from(self.slack)) * (b + u128::from(other.slack));
        // The sum of the rounded masses and slack is below 2^60 + 2^25.
        let shift = (u128::BITS - whole.leading_zeros()).saturating_sub(60);
        let round = |mass: u128| self.side.shift(mass, shift).to_u64();
        let (below, above) = cut_ends(&mut products, whole.checked_shr(cut).unwrap_or(0));
        let first = self.first.checked_add(other.first)?.checked_add(below.1)?;
        Some(Self {
            side: self.side,
            step: self.step,
            first,
            masses: products.into_iter().map(round).collect::<Option<_>>()?,
            exponent: self.exponent + other.exponent - i128::from(shift),
            anchor: &self.anchor + &other.anchor,
            slack: match self.side {
                Side::Upper => round(whole - a * b + below.0 + above)?,
                Side::Lower => 0,
            },
            infinite: either(&self.infinite, &other.infinite, self.side),
        })
    }

    /// Restores Invariant #1 after masses have grown.
    pub(super) fn normalise(&mut self) {
        while self.masses.iter().map(|mass| u128::from(*mass)).sum::<u128>() + u128::from(self.slack) > MOST_SUM.into()
        {
            let round = |mass: u64| mass / 2 + u64::from(self.side == Side::Upper && mass % 2 == 1);
            self.masses.iter_mut().for_each(|mass| *mass = round(*mass));
            self.slack = round(self.slack);
            self.exponent -= 1;
        }
    }
}

/// Cuts off both ends, each of a sum of at most `most`, but for the last that is left: the sum below and how many they were, and the sum above.
fn cut_ends(masses: &mut Vec<u128>, most: u128) -> ((u128, i64), u128) {
    let (mut below, mut first) = (0, 0_usize);
    while let Some(mass) = masses.get(first)
        && below + mass <= most
        && first + 1 < masses.len()
    {
        below += mass;
        first += 1;
    }
    masses.drain(..first);
    let mut above = 0;
    while let [_, .., mass] = masses.as_slice()
        && above + mass <= most
    {
        above += mass;
        masses.pop();
    }
    ((below, i64::try_from(first).unwrap_or(i64::MAX)), above)
}

/// A probability over 2^bits, over 2^768 and on the side.
pub(super) fn rescale(p: &Range, bits: u32, side: Side) -> BigInt {
    let (finer, coarser) = (INFINITE_BITS.saturating_sub(bits), bits.saturating_sub(INFINITE_BITS));
    match side {
        Side::Upper => super::fixed::shift_up(&(&p.upper << finer), coarser).min(BigInt::one() << INFINITE_BITS),
        Side::Lower => (&p.lower << finer) >> coarser,
    }
}

/// 1 − (1 − a)(1 − b), rounded to the side: the probability that either of two losses is infinite.
pub(super) fn either(a: &BigInt, b: &BigInt, side: Side) -> BigInt {
    let one = BigInt::one() << INFINITE_BITS;
    let finite = (&one - a) * (&one - b);
    let finite = match side {
        Side::Upper => finite >> INFINITE_BITS,
        Side::Lower => super::fixed::shift_up(&finite, INFINITE_BITS),
    };
    (one - finite).max(BigInt::zero())
}
