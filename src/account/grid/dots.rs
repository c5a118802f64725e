//! Connect the dots: a curve replaced by piecewise linear ones above and below it, with kinks on a grid of losses alone.
//!
//! **What a measure of losses is worth.** A measure p on losses, +∞ among them, has the curve c(x) = ∫ (1 − x·e^-l)₊ dp(l). For the
//! loss ln(P/Q) under P it is h(x). Composition adds independent losses, and the curve of a composition is
//! ∫ c₁(x·e^-l) dp₂(l). So **if c₁ ≤ c₁′ and c₂ ≤ c₂′ everywhere on x ≥ 0, the composed curves are in that order**: replace one,
//! then the other. Nothing is asked of the total mass of p, nor of ∫ e^-l dp: masses may be rounded, each upward for a
//! pessimistic measure and each downward for an optimistic one, without any to-and-fro between them.
//!
//! A non-increasing convex piecewise linear function with kinks at x₁ < … < x_n, constant c_∞ ≥ 0 beyond, is the curve of the masses
//! pᵢ = xᵢ·(sᵢ − sᵢ₋₁) ≥ 0 at the losses ln xᵢ, with sᵢ the slope to the right of xᵢ, and c_∞ at +∞.
//!
//! * **Pessimistic** (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, section 4): connect (0, 1), (xᵢ, h(xᵢ)) and stay at h(x_n) beyond. Chords
//!   of a convex function lie above it, and h falls. Upper bounds in place of h(xᵢ) raise the chords.
//! * **Optimistic**: of one pair, its outcomes grouped by their loss ([`super::grouped`]). Of several, whose greatest curve is that of none of them,
//!   each cell [xᵢ, xᵢ₊₁] gets a line below h, from the lines that touch at its two ends: either of them or their
//!   mean, whichever leaves small gaps at the ends. vᵢ is the lower of the two cells' lines at xᵢ, so within a cell
//!   the segment from vᵢ to vᵢ₊₁ is below the cell's line; the lower convex hull of the points (xᵢ, vᵢ) is lower still, and convex. At
//!   the left it starts from (0, P(S₀)), on the first line; at the right it ends at c_∞, a lower bound of P(Q = 0).
//!
//! Both are off by the second order in the grid where the losses are dense: the chord by h″·d²/8 at most, the mean of two lines by h″·d²/4 (d = xᵢ₊₁ − xᵢ).
//!
//! **The grid is irrational**, xᵢ = e^(i/2^s), and everything above happens on integers. The pessimistic kinks are at Xᵢ ≤ xᵢ, and
//! each mass is then moved up to the loss ln xᵢ, which raises (1 − x/xᵢ)₊; the optimistic ones at Xᵢ ≥ xᵢ, and moved down.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use super::{
    curve::{Curve, Touch},
    fixed::{Range, exp, shift_up},
    kinks::kinks,
};
use crate::exact::Rational;

/// A grid of losses i/2^step for first ≤ i ≤ last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) step: u32,
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Grid {
    /// The loss i/2^step.
    pub(super) fn loss(&self, i: i64) -> Rational {
        Rational::new(i.into(), BigInt::one() << self.step)
    }

    pub(super) fn points(&self) -> u64 {
        self.last.abs_diff(self.first).saturating_add(1)
    }
}

/// What is known of a curve at the points of a grid, and the pessimistic measure; over 2^bits.
pub(super) struct Dots {
    pub(super) grid: Grid,
    pub(super) bits: u32,
    /// The points xᵢ = e^(i/2^step).
    pub(super) points: Vec<Range>,
    /// The curve at some of the points, the first and the last among them, and which they are.
    pub(super) touches: Vec<Touch>,
    pub(super) places: Vec<usize>,
    /// The curve is that of one pair, and the sets of its touches are among {y : P(y) ≥ x·Q(y)}: of any two one contains the other.
    pub(super) is_of_one: bool,
    /// The pessimistic masses.
    pub(super) upper: Vec<BigInt>,
    /// The mass at +∞.
    pub(super) infinite: Range,
}

/// Connects the dots of the largest of several curves, looked at at every point.
pub(super) fn connect(curves: &mut [Curve], grid: Grid, bits: u32) -> Option<Dots> {
    connect_some(curves, (grid, bits), usize::MAX, &Rational::zero())
}

/// The same, looked at at no more than about `most` points, for a tilt ([`kinks`]).
pub(super) fn connect_some(
    curves: &mut [Curve],
    (grid, bits): (Grid, u32),
    most: usize,
    theta: &Rational,
) -> Option<Dots> {
    let points = abscissas(grid, bits)?;
    let known = kinks((grid, &points), most, theta, |x| highest(curves, x))?;
    let (places, touches): (Vec<usize>, Vec<Touch>) = known.into_iter().unzip();
    // Beyond every finite ratio, only outcomes with Q = 0 are left; a set with Q(S) = 0 has P(S) ≤ P(Q = 0).
    let beyond = highest(curves, &(BigInt::one() << (2 * bits)))?;
    let certain = if beyond.q.upper.is_zero() { beyond.p.lower.clone().max(BigInt::zero()) } else { BigInt::zero() };
    let infinite = Range { lower: certain, upper: touches.last()?.upper.clone() };
    let looked_at: Vec<Range> = places.iter().filter_map(|i| points.get(*i).cloned()).collect();
    let upper = at_places(pessimistic(&looked_at, &touches, bits), &places, points.len());
    Some(Dots { grid, bits, points, touches, places, is_of_one: curves.len() == 1, upper, infinite })
}

/// Masses at some places of so many, nothing at the others.
fn at_places(masses: Vec<BigInt>, places: &[usize], count: usize) -> Vec<BigInt> {
    let mut all = alloc::vec![BigInt::zero(); count];
    for (mass, i) in masses.into_iter().zip(places) {
        if let Some(slot) = all.get_mut(*i) {
            *slot = mass;
        }
    }
    all
}

/// Xᵢ ≤ e^(i/2^step) ≤ Xᵢ′ over 2^bits, by recurrence.
fn abscissas(grid: Grid, bits: u32) -> Option<Vec<Range>> {
    let ratio = Range::of(&exp(&grid.loss(1), bits)?, bits);
    let mut x = Range::of(&exp(&grid.loss(grid.first), bits)?, bits);
    if !x.lower.is_positive() {
        return None;
    }
    let mut points = Vec::new();
    for _ in grid.first..=grid.last {
        let next = x.mul(&ratio, bits);
        points.push(core::mem::replace(&mut x, next));
    }
    Some(points)
}

/// The largest curve at x: the largest upper bound, and the set of a curve that attains it.
fn highest(curves: &mut [Curve], x: &BigInt) -> Option<Touch> {
    let mut highest: Option<Touch> = None;
    for curve in curves {
        let touch = curve.touch(x)?;
        highest = Some(match highest {
            Some(other) if other.upper >= touch.upper => other,
            _ => touch,
        });
    }
    highest
}

/// pᵢ = Xᵢ·(sᵢ − sᵢ₋₁), rounded up, and 0 where rounding left the points concave.
pub(super) fn pessimistic(points: &[Range], touches: &[Touch], bits: u32) -> Vec<BigInt> {
    let slope = |rise: BigInt, run: BigInt| {
        let scaled = rise << bits;
        (scaled.div_floor(&run), scaled.div_ceil(&run))
    };
    let mut masses = Vec::with_capacity(points.len());
    let (mut x_before, mut y_before) = (BigInt::zero(), BigInt::one() << bits);
    let mut last: Option<(BigInt, BigInt)> = None;
    for (x, y) in points.iter().zip(touches.iter().map(|touch| &touch.upper)) {
        let (least, most) = slope(y - &y_before, &x.lower - &x_before);
        if let Some((x, before)) = last {
            masses.push(shift_up(&(x * (most - before)), bits).max(BigInt::zero()));
        }
        last = Some((x.lower.clone(), least));
        (x_before, y_before) = (x.lower.clone(), y.clone());
    }
    if let Some((x, before)) = last {
        masses.push(shift_up(&(x * -before), bits).max(BigInt::zero()));
    }
    masses
}

/// The optimistic masses of the hull, rounded down.
pub(super) fn optimistic(Dots { points, touches, places, infinite, bits, .. }: &Dots) -> Option<Vec<BigInt>> {
    let count = points.len();
    let points: Vec<&Range> = places.iter().filter_map(|i| points.get(*i)).collect();
    let (certain, bits) = (&infinite.lower, *bits);
    let one = BigInt::one() << bits;
    let first = touches.first()?;
    let start = &points.first()?.upper;
    // The cell [0, x₁], with the line that touches at x₁.
    let at_start = first.line(start, bits);
    let (mut value, origin) = if at_start < *certain {
        (certain.clone(), certain.clone())
    } else {
        (at_start, first.p.lower.clone().min(one))
    };
    let mut dots = Vec::with_capacity(points.len() + 1);
    dots.push((BigInt::zero(), origin));
    for (ends, touches) in points.windows(2).zip(touches.windows(2)) {
        let ([left, right], [before, after]) = (ends, touches) else { return None };
        let (at_left, at_right) = cell(before, after, &left.upper, &right.upper, certain, bits);
        dots.push((left.upper.clone(), value.min(at_left)));
        value = at_right;
    }
    dots.push((points.last()?.upper.clone(), certain.clone().min(value)));
    Some(at_places(hull_masses(&dots, bits), places, count))
}

/// A line below the curve between `left` and `right`, as its values at both: no lower than `certain` at the right.
fn cell(before: &Touch, after: &Touch, left: &BigInt, right: &BigInt, certain: &BigInt, bits: u32) -> (BigInt, BigInt) {
    let first = (before.line(left, bits), before.line(right, bits));
    let second = (after.line(left, bits), after.line(right, bits));
    let (gap_left, gap_right) = ((&first.0 - &second.0).abs(), (&second.1 - &first.1).abs());
    let mean = ((&first.0 + &second.0) >> 1_u32, (&first.1 + &second.1) >> 1_u32);
    let preferred = if &gap_right * 2_u32 < gap_left {
        [first, second]
    } else if &gap_left * 2_u32 < gap_right {
        [second.clone(), second]
    } else {
        [mean, second]
    };
    // The constant is a line below the curve too.
    preferred
        .into_iter()
        .find(|(_, at_right)| at_right >= certain)
        .unwrap_or_else(|| (certain.clone(), certain.clone()))
}

/// The lower convex hull of dots (x, y) with rising x and the last y the least (Andrew 1979), and xᵢ·(sᵢ − sᵢ₋₁) at each but the first.
fn hull_masses(dots: &[(BigInt, BigInt)], bits: u32) -> Vec<BigInt> {
    let mut hull: Vec<(usize, &BigInt, &BigInt)> = Vec::new();
    for (i, (x, y)) in dots.iter().enumerate() {
        while let [.., (_, x0, y0), (_, x1, y1)] = hull.as_slice() {
            // The middle one is on or above the line from the one before it to this one.
            if (*y1 - *y0) * (x - *x1) >= (y - *y1) * (*x1 - *x0) {
                hull.pop();
            } else {
                break;
            }
        }
        hull.push((i, x, y));
    }
    let mut masses = alloc::vec![BigInt::zero(); dots.len().saturating_sub(1)];
    let slope = |a: &(usize, &BigInt, &BigInt), b: &(usize, &BigInt, &BigInt)| {
        let (rise, run) = ((b.2 - a.2) << bits, b.1 - a.1);
        (rise.div_floor(&run), rise.div_ceil(&run))
    };
    for (j, here) in hull.iter().enumerate().skip(1) {
        let Some(before) = j.checked_sub(1).and_then(|j| hull.get(j)) else { continue };
        let after = hull.get(j + 1).map_or_else(BigInt::zero, |after| slope(here, after).0);
        let mass = (here.1 * (after - slope(before, here).1)) >> bits;
        if let Some(slot) = here.0.checked_sub(1).and_then(|i| masses.get_mut(i)) {
            *slot = mass.max(BigInt::zero());
        }
    }
    masses
}
