//! Connect the dots: a curve replaced by piecewise linear ones above and below it, with kinks at some points
//! alone.
//!
//! **What a measure of losses is worth.** A measure p on losses, +∞ among them, has the curve c(x) = ∫ (1 −
//! x·e^-l)₊ dp(l). For the loss ln(P/Q) under P it is h(x). Composition adds independent losses, and the
//! curve of a composition is ∫ c₁(x·e^-l) dp₂(l). So **if c₁ ≤ c₁′ and c₂ ≤ c₂′ everywhere on x ≥ 0, the
//! composed curves are in that order**: replace one, then the other. Nothing is asked of the total mass of p,
//! nor of ∫ e^-l dp: masses may be rounded, each upward for a pessimistic measure and each downward for an
//! optimistic one, without any to-and-fro between them.
//!
//! A non-increasing convex piecewise linear function with kinks at x₁ < … < x_n, constant c_∞ ≥ 0 beyond, is
//! the curve of the masses pᵢ = xᵢ·(sᵢ − sᵢ₋₁) ≥ 0 at the losses ln xᵢ, with sᵢ the slope to the right of xᵢ,
//! and c_∞ at +∞.
//!
//! * **Pessimistic** (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, section 4): connect (0, 1), (xᵢ,
//!   h(xᵢ)) and stay at h(x_n) beyond. Chords of a convex function lie above it, and h falls. Upper bounds in
//!   place of h(xᵢ) raise the chords. Of several curves h is the largest: a curve above all of them,
//!   whichever an analyst meets at a step.
//! * **Optimistic**: of one curve, whoever is told only between which points an outcome's ratio lies
//!   ([`Dots::told`]). Of several, whose largest is that of none of them, each cell [xᵢ, xᵢ₊₁] gets a line
//!   below h, from the lines that touch at its two ends: either of them or their mean, whichever leaves small
//!   gaps at the ends. vᵢ is the lower of the two cells' lines at xᵢ, so within a cell the segment from vᵢ to
//!   vᵢ₊₁ is below the cell's line; the lower convex hull of the points (xᵢ, vᵢ) is lower still, and convex.
//!   At the left it starts from (0, P(S₀)), on the first line; at the right it ends at c_∞, a lower bound of
//!   P(Q = 0).
//!
//! All are off by the second order in the distance of the points where losses are dense.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use super::{
    Curve, Touch,
    fixed::{Range, shift_up},
};

/// What is known of the largest of some curves at some points, over 2^bits.
pub(in crate::account) struct Dots {
    pub(in crate::account) bits: u32,
    /// x₁ < … < x_n.
    pub(in crate::account) points: Vec<BigInt>,
    touches: Vec<Touch>,
    /// c_∞, from both sides.
    certain: BigInt,
}

impl Dots {
    pub(in crate::account) fn new(curves: &mut [Curve], points: Vec<BigInt>, bits: u32) -> Option<Self> {
        let touches = points.iter().map(|x| highest(curves, x)).collect::<Option<Vec<_>>>()?;
        // Beyond every finite ratio, only outcomes with Q = 0 are left; a set with Q(S) = 0 has P(S) ≤ P(Q =
        // 0).
        let beyond = highest(curves, &(BigInt::one() << (2 * bits)))?;
        let certain =
            if beyond.q.upper.is_zero() { beyond.p.lower.clone().max(BigInt::zero()) } else { BigInt::zero() };
        Some(Self { bits, points, touches, certain })
    }

    /// The pessimistic masses at the points, and at +∞.
    pub(in crate::account) fn above(&self) -> Option<(Vec<BigInt>, BigInt)> {
        let infinite = self.touches.last()?.upper.clone().max(BigInt::zero());
        Some((pessimistic(&self.points, &self.touches, self.bits), infinite))
    }

    /// Of one curve: (P, Q) of the outcomes between neighbouring points, for whoever is told no more of an
    /// outcome than between which points its ratio lies. The sets that touch contain each other; of their
    /// differences P may be lowered and Q raised.
    pub(in crate::account) fn told(&self) -> Vec<(BigInt, BigInt)> {
        let one = Range::point(BigInt::one() << self.bits);
        let none = Range::point(BigInt::zero());
        let touched = self.touches.iter().map(|touch| (&touch.p, &touch.q));
        let sets: Vec<_> = [(&one, &one)].into_iter().chain(touched).chain([(&none, &none)]).collect();
        let between = |pair: &[(&Range, &Range)]| {
            let [(p_before, q_before), (p, q)] = pair else { return None };
            let (p, q) = (&p_before.lower - &p.upper, &q_before.upper - &q.lower);
            // Where Q may be nothing the loss may be any, and the block is left out.
            (p.is_positive() && q.is_positive()).then_some((p, q))
        };
        sets.windows(2).filter_map(between).collect()
    }

    /// The optimistic masses at the points, and at +∞.
    pub(in crate::account) fn below(&self) -> Option<(Vec<BigInt>, BigInt)> {
        Some((optimistic(self)?, self.certain.clone()))
    }

    /// Where the lines that touch at neighbouring points cross, if that is between them: kinks of the largest
    /// of several curves.
    pub(in crate::account) fn crossings(&self) -> Vec<BigInt> {
        let cells = self.points.windows(2).zip(self.touches.windows(2));
        let crossing = |(ends, touches): (&[BigInt], &[Touch])| {
            let ([left, right], [before, after]) = (ends, touches) else { return None };
            let (p, q) = (&before.p.lower - &after.p.lower, &before.q.lower - &after.q.lower);
            let x = (p << self.bits).checked_div(&q)?;
            (x > *left && x < *right).then_some(x)
        };
        cells.filter_map(crossing).collect()
    }
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
fn pessimistic(points: &[BigInt], touches: &[Touch], bits: u32) -> Vec<BigInt> {
    let slope = |rise: BigInt, run: BigInt| {
        let scaled = rise << bits;
        (scaled.div_floor(&run), scaled.div_ceil(&run))
    };
    let mut masses = Vec::with_capacity(points.len());
    let (mut x_before, mut y_before) = (BigInt::zero(), BigInt::one() << bits);
    let mut last: Option<(BigInt, BigInt)> = None;
    for (x, y) in points.iter().zip(touches.iter().map(|touch| &touch.upper)) {
        let (least, most) = slope(y - &y_before, x - &x_before);
        if let Some((x, before)) = last {
            masses.push(shift_up(&(x * (most - before)), bits).max(BigInt::zero()));
        }
        last = Some((x.clone(), least));
        (x_before, y_before) = (x.clone(), y.clone());
    }
    if let Some((x, before)) = last {
        masses.push(shift_up(&(x * -before), bits).max(BigInt::zero()));
    }
    masses
}

/// The optimistic masses of the hull, rounded down.
fn optimistic(Dots { points, touches, certain, bits }: &Dots) -> Option<Vec<BigInt>> {
    let bits = *bits;
    let one = BigInt::one() << bits;
    let first = touches.first()?;
    // The cell [0, x₁], with the line that touches at x₁.
    let at_start = first.line(points.first()?, bits);
    let (mut value, origin) = if at_start < *certain {
        (certain.clone(), certain.clone())
    } else {
        (at_start, first.p.lower.clone().min(one))
    };
    let mut dots = Vec::with_capacity(points.len() + 1);
    dots.push((BigInt::zero(), origin));
    for (ends, touches) in points.windows(2).zip(touches.windows(2)) {
        let ([left, right], [before, after]) = (ends, touches) else { return None };
        let (at_left, at_right) = cell(before, after, left, right, certain, bits);
        dots.push((left.clone(), value.min(at_left)));
        value = at_right;
    }
    dots.push((points.last()?.clone(), certain.clone().min(value)));
    Some(hull_masses(&dots, bits))
}

/// A line below the curve between `left` and `right`, as its values at both: no lower than `certain` at the
/// right.
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

/// The lower convex hull of dots (x, y) with rising x and the last y the least (Andrew 1979), and xᵢ·(sᵢ −
/// sᵢ₋₁) at each but the first.
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
