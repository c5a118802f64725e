//! Few losses, at nearly their true places: a list of points on a very fine grid, composed pair by pair.
//!
//! To place one copy on a grid costs something of the second order in its step, and k copies k times that. Where a pair has few outcomes, the first
//! copies are composed here, on losses that are right to 2^-44, or finer where they are small, until there are many; they are placed on a grid
//! ([`super::place`]) then, once for a block of copies instead of once for each.
//!
//! Where they become too many they are thinned ([`super::thin`]), if that is on cells much narrower than the grid's.
//!
//! Losses are rounded up on the pessimistic side and down on the optimistic one; so are those that are merged when they come
//! within t = 2^8 units of each other. Moving a loss by t changes its tilted mass by a factor of at most e^(θt), and 1 + 2θt ≥ e^(θt), 1 − θt ≤ e^(-θt) for θt ≤ 1.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::{
    atoms::Atoms,
    convolution::Side,
    fixed::{Range, ceil, exp, floor, shift_up},
    grouped::Grouped,
    place::Cells,
    pld::{Pld, either},
    tilt::finest,
};
use crate::exact::{Enclosure, Rational};

/// Losses are multiples of 2^-this where they are of the order of 1.
pub(super) const FINE: u32 = 44;

/// Binary digits of e^(θl), or of its leading ones where it is more than 1: the tilted mass of all is 1 or more, and 60 of it are kept.
pub(super) const TILTED: u32 = 160;

/// Points closer than 2^8 of these are merged.
const CLOSE: i64 = 1 << 8;

/// The most points of a block.
pub(super) const MOST_POINTS: usize = 1 << 15;

/// The most points of a grid, where its step cannot be wider.
const MOST_LENGTH: usize = 1 << 20;

/// What a composition may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Sums of two losses.
    pub(super) sums: usize,
    /// The points of the grid that they would be placed on.
    pub(super) grid: usize,
}

/// Points (i, m): tilted mass m·2^-exponent, mass that times e^(-θ(l − anchor)), at the loss l = i·2^-fine. The masses are below 2^61 in all.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    pub(super) side: Side,
    /// Losses are multiples of 2^-fine.
    pub(super) fine: u32,
    pub(super) points: Vec<(i64, u64)>,
    pub(super) exponent: i128,
    pub(super) anchor: Rational,
    /// Tilted mass that is not among the points, as in [`super::pld`]; the masses and it are at most 2^61 together.
    pub(super) slack: u64,
    pub(super) infinite: BigInt,
}

impl Sparse {
    /// One copy, of the losses between `low` and `high`: what is above is brought there, but for a share that is taken for infinite; what is below is moved up, or
    /// dropped.
    pub(super) fn new(
        atoms: &Atoms,
        side: Side,
        theta: &Rational,
        (low, high): (&Rational, &Rational),
        (fine, bits): (u32, u32),
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
                // q = e^-loss is split between e^-high and 0, which raises the curve (Jensen); optimistically it is brought down to the window's end.
                let share = Range::of(&exp(&(high - atom.loss.upper()), bits)?, bits).clamp(bits);
                infinite.upper += shift_up(&(&atom.p.upper * share.complement(bits).upper), bits);
                let brought = match side {
                    Side::Upper => shift_up(&(&atom.p.upper * share.upper), bits),
                    Side::Lower => atom.p.lower.clone(),
                };
                kept.push((Enclosure::from_rational(high, fine), brought));
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
        let short = bits.min(TILTED);
        for (loss, p) in kept {
            // e^(θl) at the true loss, then moved with the loss to the grid: the tilt is that of the place.
            let place = match side {
                Side::Upper => ceil(&loss.upper(), fine),
                Side::Lower => floor(&loss.lower(), fine),
            };
            let at = Rational::new(place.clone(), BigInt::one() << fine);
            let factor = Range::of(&exp(&(theta * at), short)?, short);
            tilted.push((place.to_i64()?, p * if side == Side::Upper { factor.upper } else { factor.lower }));
        }
        // Enclosures of losses need not be in the same order at both ends.
        tilted.sort_by_key(|(place, _)| *place);
        let total: BigInt = tilted.iter().map(|(_, mass)| mass).sum();
        let shift = u32::try_from(total.bits().saturating_sub(60)).ok()?;
        let round = |mass: &BigInt| if side == Side::Upper { shift_up(mass, shift) } else { mass >> shift }.to_u64();
        let points = tilted.iter().map(|(i, mass)| Some((*i, round(mass)?))).collect::<Option<Vec<_>>>()?;
        let exponent = i128::from(bits + short) - i128::from(shift);
        let infinite = super::pld::rescale(&infinite, bits, side);
        Some(Self { side, fine, points, exponent, anchor: Rational::zero(), slack: 0, infinite })
    }

    /// The sum of two independent losses, both ends cut off by 2^-cut of the whole and booked; `None` where that is more than so many sums, or too many points.
    pub(super) fn compose(&self, other: &Self, theta: &Rational, limits: Limits, cut: u32) -> Option<Self> {
        if self.fine != other.fine || self.points.len().saturating_mul(other.points.len()) > limits.sums {
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
        // 2θ·2^(8−fine), over 2^52 rounded up: by more than a mass may change when it is merged.
        let change = theta * Rational::new(BigInt::from(2 * CLOSE), BigInt::one() << self.fine);
        let change = ceil(&change, 52).to_u128().filter(|change| *change < 1 << 50)? + 1;
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
        let most = u64::try_from((a * b) >> shift).ok()? >> cut.min(63);
        let negligible = prune(&mut points, most);
        let (kept, cut_off) = cut_ends(&points, most);
        let slack = match self.side {
            Side::Upper => Side::Upper.shift(whole - a * b, shift).to_u64()? + negligible + cut_off,
            Side::Lower => 0,
        };
        let infinite = either(&self.infinite, &other.infinite, self.side);
        let exponent = self.exponent + other.exponent - i128::from(shift);
        let anchor = &self.anchor + &other.anchor;
        let joint = Self { side: self.side, fine: self.fine, points: kept.to_vec(), exponent, anchor, slack, infinite };
        let few = limits.sums.isqrt();
        let thin = (joint.points.len() > few).then(|| joint.thinned(theta, few, limits.grid)).flatten();
        Some(thin.unwrap_or(joint)).filter(|joint| joint.points.len() <= MOST_POINTS)
    }

    /// Without its ends, each of at most 2^-cut of the whole, which are booked.
    pub(super) fn cut(&self, cut: u32) -> Self {
        let sum: u64 = self.points.iter().map(|(_, mass)| *mass).sum();
        let (points, cut_off) = cut_ends(&self.points, sum >> cut.min(63));
        let slack = if self.side == Side::Upper { self.slack + cut_off } else { 0 };
        Self { points: points.to_vec(), slack, anchor: self.anchor.clone(), infinite: self.infinite.clone(), ..*self }
    }

    /// The step of a grid of at most `most` points for these points.
    pub(super) fn step(&self, most: usize) -> Option<u32> {
        let loss = |i: i64| Rational::new(i.into(), BigInt::one() << self.fine);
        let (low, high) = (loss(self.points.first()?.0), loss(self.points.last()?.0));
        Some(finest(&low, &high, u64::try_from(most).ok()?, self.fine))
    }

    /// The slack when masses are multiplied by e^-x, and rounded up.
    pub(super) fn moved(&self, x: &Rational) -> Option<u64> {
        let factor = exp(&-x.clone(), 64)?.upper().min(Rational::one());
        (Rational::from_integer(self.slack.into()) * factor).ceil().to_integer().to_u64()
    }

    /// On a grid of at most `most` points, after both ends are cut off by 2^-cut of the whole, and booked: of the pessimistic side.
    pub(super) fn split(&self, theta: &Rational, most: usize, cut: u32) -> Option<Pld> {
        if self.side != Side::Upper {
            return None;
        }
        let cut = self.cut(cut);
        let step = cut.step(most)?;
        let (first, masses) = Cells::new(theta, step, self.fine)?.split(&cut.points, MOST_LENGTH)?;
        // Masses times e^(-θd) are those of an anchor further by d, and the slack moves with it.
        let d = Rational::new(BigInt::one(), BigInt::one() << step);
        let slack = cut.moved(&(theta * &d))?;
        let anchor = &self.anchor + d;
        let mut pld = Pld { step, first, masses, exponent: self.exponent, anchor, slack, infinite: cut.infinite };
        pld.normalise();
        Some(pld)
    }

    /// Grouped by the cells of such a grid: of the optimistic side.
    pub(super) fn group(&self, theta: &Rational, most: usize, cut: u32) -> Option<Grouped> {
        if self.side != Side::Lower {
            return None;
        }
        let cut = self.cut(cut);
        let step = cut.step(most)?;
        let (first, cells) = Cells::new(theta, step, self.fine)?.group(&cut.points, MOST_LENGTH)?;
        Grouped::of_cells((step, first), &cells, self.exponent, self.anchor.clone(), cut.infinite)
    }
}

/// Drops points of so little mass, wherever they are, that all of them have at most `most`, and says how much they have: those that are there only because
/// masses are rounded up would multiply.
fn prune(points: &mut Vec<(i64, u64)>, most: u64) -> u64 {
    let each = most / u64::try_from(points.len().max(1)).unwrap_or(u64::MAX);
    let greatest = points.iter().map(|(_, mass)| *mass).max().unwrap_or(0);
    let mut dropped = 0;
    points.retain(|(_, mass)| {
        let is_kept = *mass > each || *mass == greatest;
        dropped += if is_kept { 0 } else { *mass };
        is_kept
    });
    dropped
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::grid::{atoms::atoms, evaluate},
        exact::Probability,
        guarantee::{FinitePair, Pair},
    };

    const LIMITS: Limits = Limits { sums: 1 << 20, grid: 1 << 16 };

    fn four_outcomes() -> Atoms {
        let probability = |n: i64| Probability::new(Rational::new(n.into(), 20.into())).unwrap();
        let outcomes = [(9, 2), (6, 5), (3, 4), (2, 9)].map(|(p, q)| (probability(p), probability(q)));
        atoms(&Pair::Finite(FinitePair::from_probabilities(outcomes.to_vec()).unwrap()), 200, FINE + 36).unwrap()
    }

    /// δ(ε), on a grid of 2^16 points.
    fn delta(sparse: &Sparse, theta: &Rational, epsilon: &Rational) -> Rational {
        match sparse.side {
            Side::Upper => {
                evaluate::most(&sparse.split(theta, 1 << 16, 63).unwrap(), theta, epsilon, &Rational::one()).unwrap()
            }
            Side::Lower => evaluate::least(&sparse.group(theta, 1 << 16, 63).unwrap(), theta, epsilon).unwrap(),
        }
    }

    /// Losses of ln 4.5, ln 1.2 and so on, in a window that ends below the first: either bound moves outward, by the share of q that is above and no more.
    #[test]
    fn what_is_above_the_window_is_split() {
        let (atoms, theta) = (four_outcomes(), Rational::new(1.into(), 2.into()));
        let low = Rational::from_integer((-10).into());
        let at = |side: Side, high: (i64, i64), epsilon: i64| {
            let high = Rational::new(high.0.into(), high.1.into());
            let one = Sparse::new(&atoms, side, &theta, (&low, &high), (FINE, 200)).unwrap();
            delta(&one, &theta, &Rational::new(epsilon.into(), 8.into()))
        };
        let slack = Rational::new(100_001.into(), 100_000.into());
        for n in 0..16 {
            for high in [(1, 1), (3, 2), (5, 4)] {
                let (lower, upper) = (at(Side::Lower, high, n), at(Side::Upper, high, n));
                assert!(
                    lower <= at(Side::Lower, (10, 1), n) * &slack && at(Side::Upper, (10, 1), n) <= upper * &slack,
                    "{n}"
                );
            }
        }
        // ln 4.5 = 1.50408 is 9/20·(1 − e^(3/2 − 1.50408)) = 0.001831 at 3/2, all of it taken for infinite; and 9/20·(1 − e^-1/2) = 0.17706 brought down.
        let upper = at(Side::Upper, (3, 2), 12);
        assert!(
            upper > Rational::new(1831.into(), 1_000_000.into())
                && upper < Rational::new(1834.into(), 1_000_000.into())
        );
        let lower = at(Side::Lower, (3, 2), 8);
        assert!(lower > Rational::new(1770.into(), 10_000.into()) && lower < Rational::new(1771.into(), 10_000.into()));
    }

    /// Cutting off the ends of a composition, much of it, moves either bound outward, and what was cut off from one still counts in the next.
    #[test]
    fn what_is_cut_off_is_booked() {
        let atoms = four_outcomes();
        let (theta, wide) = (Rational::new(1.into(), 2.into()), Rational::from_integer(10.into()));
        for side in [Side::Lower, Side::Upper] {
            let one = Sparse::new(&atoms, side, &theta, (&-wide.clone(), &wide), (FINE, 200)).unwrap();
            let twice = |cut: u32| one.compose(&one, &theta, LIMITS, cut).unwrap();
            let (whole, cut) = (twice(63), twice(3));
            let more = |two: &Sparse| two.compose(&one, &theta, LIMITS, 63).unwrap();
            assert!(cut.points.len() < whole.points.len());
            for (before, after) in [(whole.clone(), cut.clone()), (more(&whole), more(&cut))] {
                for n in 0..12 {
                    let at = |sparse: &Sparse| delta(sparse, &theta, &Rational::new(n.into(), 4.into()));
                    // The two are on different grids; an eighth of the mass was cut off at either end.
                    let slack = Rational::new(1001.into(), 1000.into());
                    match side {
                        Side::Lower => assert!(at(&after) <= at(&before) * slack, "{n}"),
                        Side::Upper => assert!(at(&after) * slack >= at(&before), "{n}"),
                    }
                }
            }
        }
    }
}
