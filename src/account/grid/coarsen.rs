//! Halving a grid: the masses at odd points go to their even neighbours, on the side that the distribution stands for.
//!
//! With d the old step, E = e^d and g = e^(θd): a mass w of the tilted measure moved by +d is w·g there, by −d w/g.
//!
//! * **Pessimistic**: an odd mass is split between its neighbours so that its P and its Q are kept: a share 1/(1 + E) goes down and
//!   E/(1 + E) up. By Jensen's inequality that raises the curve, (1 − x·q)₊ being convex in q. Shares are rounded up.
//! * **Optimistic**: an even point takes A from the odd point below and B from the one above. Merging masses of losses l − d and l + d at l lowers
//!   the curve if the mean of e^-loss falls no lower than e^-l, (1 − x·q)₊ being convex and falling in q: A·E + B/E ≤ A + B, that is
//!   **B ≥ E·A**. In the tilted measure B ≥ E·g²·A. What is left of an odd mass when both its neighbours have taken theirs goes down,
//!   which lowers the curve as well. A is a fourth of both neighbours' masses together: for dense losses
//!   the two takings add up to the odd mass but for the second order, and little is left.

use alloc::{vec, vec::Vec};

use num_traits::ToPrimitive;

use super::{
    convolution::Side,
    fixed::{Range, exp},
    pld::Pld,
};
use crate::exact::{Enclosure, Rational};

/// Binary digits of the factors.
const BITS: u32 = 62;

/// A factor over 2^62, both bounds; at most 4.
#[derive(Clone, Copy, Debug)]
struct Factor {
    lower: u128,
    upper: u128,
}

impl Factor {
    fn new(value: &Enclosure) -> Option<Self> {
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
    let coarse = match pld.side {
        Side::Upper => {
            let down = Factor::new(&power(-(theta * &d))?.div(&sum)?)?;
            let up = Factor::new(&power(theta * &d)?.mul(&e).div(&sum)?)?;
            split(&masses, down, up)?
        }
        Side::Lower => {
            let rise = Factor::new(&power(theta * &d)?)?;
            let fall = Factor::new(&power(-(theta * &d))?)?;
            let ratio =
                Factor::new(&power((theta * num_bigint::BigInt::from(2) + Rational::from_integer(1.into())) * &d)?)?;
            merge(&masses, rise, fall, ratio)?
        }
    };
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

fn merge(masses: &[u64], rise: Factor, fall: Factor, ratio: Factor) -> Option<Vec<u64>> {
    let mut coarse: Vec<u64> = vec![];
    // The odd mass below the even point at hand, and what is left of it.
    let (mut below, mut left) = (0_u128, 0_u128);
    for pair in masses.chunks(2) {
        let even = u128::from(*pair.first()?);
        let above = u128::from(pair.get(1).copied().unwrap_or(0));
        let within = (above << BITS) / ratio.upper;
        let taken = left.min(within).min((below + within) / 4);
        let matched = Side::Upper.shift(taken * ratio.upper, BITS);
        // What the point below keeps goes down to the last even point.
        if let Some(last) = coarse.last_mut() {
            *last += (((left - taken) * fall.lower) >> BITS).to_u64()?;
        }
        coarse.push((even + ((taken * rise.lower + matched * fall.lower) >> BITS)).to_u64()?);
        (below, left) = (above, above - matched);
    }
    Some(coarse)
}
