//! Halving a grid: the masses at odd points go to their even neighbours, on the side that the distribution stands for.
//!
//! With d the old step, E = e^d and g = e^(θd): a mass w of the tilted measure moved by +d is w·g there, by −d w/g.
//!
//! * **Pessimistic**: an odd mass is split between its neighbours so that its P and its Q are kept: a share 1/(1 + E) goes down and
//!   E/(1 + E) up. By Jensen's inequality that raises the curve, (1 − x·q)₊ being convex in q. Shares are rounded up.
//! * **Optimistic**: masses move towards each other. A at loss k up by d, and B at loss l > k down by d, keep E[e^-loss] if
//!   A·e^-k·(1 − 1/E) = B·e^-l·(E − 1), that is A·e^-k = E·B·e^-l; k + d ≤ l − d since odd points are 2d apart, so the two do not pass each other, and a
//!   contraction that keeps the mean of q lowers the mean of the convex (1 − x·q)₊. More of B lowers it further, (1 − x·q)₊ falling in q. So from the highest loss downward: an odd mass goes up
//!   as far as there is *credit* E·B·e^-l from masses above it that went down, and what remains goes down and adds to the
//!   credit. In the tilted measure the credit is held as c = credit·e^((1+θ)l) at the loss l at hand: A ≤ c there, B adds E·B, and from one
//!   odd point to the one below c falls by e^(-2(1+θ)d). Credit that nobody takes is lost, and that is all that is: masses
//!   are paired with their nearest neighbours, at the second order.

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
            let decay = -(theta + Rational::from_integer(1.into())) * &d * num_bigint::BigInt::from(2);
            merge(&masses, rise, fall, Factor::new(&e)?, Factor::new(&power(decay)?)?)?
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

fn merge(masses: &[u64], rise: Factor, fall: Factor, e: Factor, decay: Factor) -> Option<Vec<u64>> {
    let scale = |mass: u128, factor: Factor| (mass * factor.lower) >> BITS;
    let mut credit = 0_u128;
    // What comes down from the odd point above the even one at hand.
    let mut down = 0_u128;
    let mut coarse: Vec<u64> = vec![];
    // From the top: each even point with the odd one below it.
    for pair in masses.rchunks(2) {
        let (odd, even) = match pair {
            [odd, even] => (u128::from(*odd), u128::from(*even)),
            [even] => (0, u128::from(*even)),
            _ => return None,
        };
        credit = scale(credit, decay);
        let up = odd.min(credit);
        coarse.push((even + down + scale(up, rise)).to_u64()?);
        down = scale(odd - up, fall);
        // At most E times all the masses, so below 2^63.
        credit = credit - up + scale(odd - up, e);
    }
    coarse.reverse();
    Some(coarse)
}
