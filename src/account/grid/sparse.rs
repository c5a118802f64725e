//! Few losses, at nearly their true places: a list of points on a very fine grid, composed pair by pair.
//!
//! A pair with few outcomes leaves most of a grid's cells empty, and there the optimistic dots are off by the first order: a mass can move
//! inward only at the cost of its neighbours, far away. So the first copies are composed here, on losses that are right to
//! 2^-44, until there are many; the dots are connected then, once for a block of copies instead of once for each.
//!
//! Losses are rounded up on the pessimistic side and down on the optimistic one; so are those that are merged when they come
//! within 2^-36 of each other. Moving a loss by t ≤ 2^-36 changes its tilted mass by a factor of at most e^(θt), and 1 + 2θt ≥ e^(θt), 1 − θt ≤ e^(-θt) for θt ≤ 1.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::{
    atoms::Atoms,
    convolution::Side,
    curve::Curve,
    dots::{Grid, connect_from},
    finite::FiniteCurve,
    fixed::{Range, ceil, exp, floor, shift_up},
    pld::{Pld, either},
    tilt::{digits, finest},
};
use crate::exact::Rational;

/// The grid is the multiples of 2^-44.
const FINE: u32 = 44;

/// Points closer than 2^8 of these are merged.
const CLOSE: i64 = 1 << 8;

/// The most products in one composition.
const MOST_PRODUCTS: usize = 1 << 21;

/// The most points of a block.
const MOST_POINTS: usize = 1 << 15;

/// Points (i, m): tilted mass m·2^-exponent, mass that times e^(-θl), at the loss l = i·2^-44. The masses are below 2^61 in all.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    side: Side,
    points: Vec<(i64, u64)>,
    exponent: i128,
    /// Tilted mass that is not among the points, as in [`super::pld`]; the masses and it are at most 2^61 together.
    slack: u64,
    infinite: BigInt,
}

impl Sparse {
    /// One copy, of the losses between `low` and `high`: what is above is taken for infinite, what is below moved up, or dropped.
    pub(super) fn new(
        atoms: &Atoms,
        side: Side,
        theta: &Rational,
        low: &Rational,
        high: &Rational,
        bits: u32,
    ) -> Option<Self> {
        let mut infinite = atoms.above.0.clone();
        // Left out above may be finite: an optimistic account counts only what certainly is infinite, with Q = 0.
        if !atoms.above.1.upper.is_zero() {
            infinite.lower = BigInt::zero();
        }
        let mut below = atoms.below.0.upper.clone();
        let mut kept = Vec::new();
        for atom in &atoms.listed {
            if atom.loss.lower() > *high {
                infinite.upper += &atom.p.upper;
            } else if atom.loss.upper() < *low {
                below += &atom.p.upper;
            } else {
                kept.push((
                    atom.loss.clone(),
                    if side == Side::Upper { atom.p.upper.clone() } else { atom.p.lower.clone() },
                ));
            }
        }
        kept.sort_by_key(|(loss, _)| loss.lower());
        if side == Side::Upper {
            kept.first_mut()?.1 += below;
        }
        let mut tilted = Vec::new();
        for (loss, p) in kept {
            // e^(θl) at the true loss, then moved with the loss to the grid: the tilt is that of the place.
            let place = match side {
                Side::Upper => ceil(&loss.upper(), FINE),
                Side::Lower => floor(&loss.lower(), FINE),
            };
            let at = Rational::new(place.clone(), BigInt::one() << FINE);
            let factor = Range::of(&exp(&(theta * at), bits)?, bits);
            tilted.push((place.to_i64()?, p * if side == Side::Upper { factor.upper } else { factor.lower }));
        }
        let total: BigInt = tilted.iter().map(|(_, mass)| mass).sum();
        let shift = u32::try_from(total.bits().saturating_sub(60)).ok()?;
        let round = |mass: &BigInt| if side == Side::Upper { shift_up(mass, shift) } else { mass >> shift }.to_u64();
        let points = tilted.iter().map(|(i, mass)| Some((*i, round(mass)?))).collect::<Option<Vec<_>>>()?;
        let exponent = i128::from(2 * bits) - i128::from(shift);
        Some(Self { side, points, exponent, slack: 0, infinite: super::pld::rescale(&infinite, bits, side) })
    }

    /// The sum of two independent losses, both ends cut off by 2^-cut of the whole and booked; `None` where there are too many points.
    pub(super) fn compose(&self, other: &Self, theta: &Rational, cut: u32) -> Option<Self> {
        if self.points.len().saturating_mul(other.points.len()) > MOST_PRODUCTS {
            return None;
        }
        let mass = |sparse: &Self| sparse.points.iter().map(|(_, mass)| u128::from(*mass)).sum::<u128>();
        let (a, b) = (mass(self), mass(other));
        let whole = (a + u128::from(self.slack)) * (b + u128::from(other.slack));
        let shift = (u128::BITS - whole.leading_zeros()).saturating_sub(59);
        // The least sum and the greatest, and with them all others, are numbers of 64 bits.
        self.points.first()?.0.checked_add(other.points.first()?.0)?;
        self.points.last()?.0.checked_add(other.points.last()?.0)?.checked_add(CLOSE)?;
        let mut products: Vec<(i64, u128)> = Vec::with_capacity(self.points.len() * other.points.len());
        for (i, a) in &self.points {
            products.extend(other.points.iter().map(|(j, b)| (i + j, u128::from(*a) * u128::from(*b))));
        }
        products.sort_unstable();
        // 2θ·2^-36, over 2^52 rounded up: by more than a mass may change when it is merged.
        let change = ceil(&(theta * BigInt::from(2)), 16).to_u128().filter(|change| *change < 1 << 50)? + 1;
        let mut points: Vec<(i64, u64)> = Vec::new();
        let mut group: Option<(i64, i64, u128)> = None;
        let mut close = |(first, last, mass): (i64, i64, u128)| -> Option<()> {
            let mass = self.side.shift(mass, shift);
            let moved = ((mass * change) >> 52) + 1;
            let place = if self.side == Side::Upper { last } else { first };
            let mass = match (first == last, self.side) {
                (true, _) => mass,
                (false, Side::Upper) => mass + moved,
                (false, Side::Lower) => mass.saturating_sub(moved),
            };
            points.push((place, mass.to_u64()?));
            Some(())
        };
        for (i, mass) in products {
            group = match group {
                Some((first, _, sum)) if i - first <= CLOSE => Some((first, i, sum + mass)),
                Some(done) => {
                    close(done)?;
                    Some((i, i, mass))
                }
                None => Some((i, i, mass)),
            };
        }
        close(group?)?;
        let (kept, cut_off) = cut_ends(&points, u64::try_from((a * b) >> shift).ok()? >> cut.min(63));
        if kept.len() > MOST_POINTS {
            return None;
        }
        let slack = match self.side {
            Side::Upper => Side::Upper.shift(whole - a * b, shift).to_u64()? + cut_off,
            Side::Lower => 0,
        };
        let infinite = either(&self.infinite, &other.infinite, self.side);
        let exponent = self.exponent + other.exponent - i128::from(shift);
        Some(Self { side: self.side, points: kept.to_vec(), exponent, slack, infinite })
    }

    /// The dots connected on a grid of about `most` points, after both ends are cut off by 2^-cut of the whole, and booked.
    pub(super) fn connect(&self, theta: &Rational, most: u64, cut: u32, reserve: u32) -> Option<Pld> {
        let sum: u64 = self.points.iter().map(|(_, mass)| *mass).sum();
        let negligible = sum >> cut.min(63);
        let (points, cut_off) = cut_ends(&self.points, negligible);
        let slack = self.slack + cut_off;
        let loss = |i: i64| Rational::new(i.into(), BigInt::one() << FINE);
        let (low, high) = (loss(points.first()?.0), loss(points.last()?.0));
        let step = finest(&low, &high, most, 40);
        let scale = |loss: &Rational| loss * Rational::from_integer(BigInt::one() << step);
        let grid = Grid {
            step,
            first: scale(&low).floor().to_integer().to_i64()?.checked_sub(1)?,
            last: scale(&high).ceil().to_integer().to_i64()?.checked_add(1)?,
        };
        // log2 of e^(θ·high)/M.
        let top = (theta * &high * Rational::new(3.into(), 2.into())).ceil().to_integer().to_i64()?;
        let whole = i64::from(u64::BITS - sum.leading_zeros()) - i64::try_from(self.exponent).ok()?;
        let rare = u32::try_from(top.saturating_sub(whole).max(0)).ok()?;
        let bits = digits(&low, &high)?.checked_add(step + 96 + reserve)?.checked_add(rare)?.min(1 << 13);
        // Untilted: m·2^-e·e^(-θl), m·2^-e below 2^whole.
        let deep = bits + u32::try_from(whole.max(0)).ok()? + 4;
        let mut listed = Vec::new();
        let mut origin = BigInt::zero();
        for (i, mass) in points {
            let falling = Range::of(&exp(&-(theta * loss(*i)), deep)?, deep);
            let untilted = |factor: &BigInt| Rational::from_integer(factor * *mass);
            let shift = i128::from(deep) + self.exponent - i128::from(bits);
            let shift = u32::try_from(shift).ok()?;
            let p = Range {
                lower: floor(&untilted(&falling.lower), 0) >> shift,
                upper: shift_up(&ceil(&untilted(&falling.upper), 0), shift),
            };
            let ratio = Range::of(&exp(&-loss(*i), bits)?, bits);
            origin += &p.upper;
            listed.push((p.clone(), p.mul(&ratio, bits)));
        }
        let mut curves = [Curve::finite(FiniteCurve::from_masses(listed, bits), bits)];
        let dots = connect_from(&mut curves, grid, bits, &origin)?;
        let mut pld = Pld::new(&dots, self.side, theta)?;
        pld.infinite = either(&pld.infinite, &self.infinite, self.side);
        if self.side == Side::Upper && slack > 0 {
            // The slack in the units of the new masses: its anchor is 0 there, and the last loss here.
            let factor = exp(&-(theta * &pld.anchor), deep + 64)?.upper();
            let power = pld.exponent - self.exponent;
            let scaled = Rational::from_integer(slack.into()) * factor;
            let scaled = if power >= 0 {
                scaled * Rational::from_integer(BigInt::one() << u32::try_from(power).ok()?)
            } else {
                scaled / Rational::from_integer(BigInt::one() << u32::try_from(-power).ok()?)
            };
            pld.slack = scaled.ceil().to_integer().to_u64()?;
        }
        pld.normalise();
        Some(pld)
    }
}

/// All but the ends, each of a mass of at most `most`, and the mass of both.
fn cut_ends(points: &[(i64, u64)], most: u64) -> (&[(i64, u64)], u64) {
    let mut kept = points;
    let (mut below, mut above) = (0, 0);
    while let [(_, mass), rest @ ..] = kept
        && !rest.is_empty()
        && below + mass <= most
    {
        below += mass;
        kept = rest;
    }
    while let [rest @ .., (_, mass)] = kept
        && !rest.is_empty()
        && above + mass <= most
    {
        above += mass;
        kept = rest;
    }
    (kept, below + above)
}
