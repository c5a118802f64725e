//! Halving the grid of a pessimistic distribution: the masses at odd points go to their even neighbours.
//!
//! With d the old step, E = e^d and g = e^(θd): a mass w of the tilted measure moved by +d is w·g there, by −d w/g. An odd mass is split
//! between its neighbours so that its P and its Q are kept: a share 1/(1 + E) goes down and E/(1 + E) up. By Jensen's inequality that raises the
//! curve, (1 − x·q)₊ being convex in q. Shares are rounded up.

use alloc::vec::Vec;

use num_traits::ToPrimitive;

use super::{
    convolution::Side,
    fixed::{Range, exp},
    pld::Pld,
};
use crate::exact::{Enclosure, Rational};

/// Binary digits of a [`Factor`].
pub(super) const BITS: u32 = 62;

/// A factor over 2^62, both bounds; at most 4.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub(super) lower: u128,
    pub(super) upper: u128,
}

impl Factor {
    pub(super) fn new(value: &Enclosure) -> Option<Self> {
        let range = Range::of(value, BITS);
        let (lower, upper) = (range.lower.to_u128()?, range.upper.to_u128()?);
        (upper <= 4 << BITS).then_some(Self { lower, upper })
    }
}

/// The same distribution on the grid of twice the step; `None` if the step is too wide for the tilt.
pub(super) fn coarsen(pld: &Pld, theta: &Rational) -> Option<Pld> {
    let step = pld.step.checked_sub(1)?;
    let d = Rational::new(1.into(), num_bigint::BigInt::from(1) << pld.step);
    let power = |x: Rational| exp(&x, 90);
    let e = power(d.clone())?;
    let sum = e.add(&Enclosure::from_integer(1, 0));
    let mut masses = Vec::with_capacity(pld.masses.len() + 2);
    // Even first and last points, so that every odd one has two neighbours.
    if pld.first.rem_euclid(2) == 1 {
        masses.push(0);
    }
    masses.extend_from_slice(&pld.masses);
    if masses.len() % 2 == 0 {
        masses.push(0);
    }
    let down = Factor::new(&power(-(theta * &d))?.div(&sum)?)?;
    let up = Factor::new(&power(theta * &d)?.mul(&e).div(&sum)?)?;
    let coarse = split(&masses, down, up)?;
    let mut coarse = Pld { step, first: pld.first.div_euclid(2), masses: coarse, ..pld.clone() };
    coarse.normalise();
    Some(coarse)
}

/// Masses are at most 2^61 in all and factors at most 4, so that every sum below is under 2^126.
fn split(masses: &[u64], down: Factor, up: Factor) -> Option<Vec<u64>> {
    let mut from_below = 0;
    let mut coarse = Vec::with_capacity(masses.len() / 2 + 1);
    for pair in masses.chunks(2) {
        let even = u128::from(*pair.first()?);
        let odd = u128::from(pair.get(1).copied().unwrap_or(0));
        coarse.push(Side::Upper.shift((even << BITS) + from_below + odd * down.upper, BITS).to_u64()?);
        from_below = odd * up.upper;
    }
    Some(coarse)
}
