//! The largest value of a concave function of t ≥ 0, from some of its points.

use alloc::vec::Vec;

use num_traits::{Signed, Zero};

use crate::exact::{Enclosure, Rational};

/// t, and the value there.
pub(super) type Node = (Enclosure, Enclosure);

/// What points say of the largest value of a concave g on t ≥ 0 with g(0) = 0.
pub(super) struct Concave<'a> {
    /// From t = 0 on, rising.
    pub(super) nodes: &'a [Node],
    /// A slope that g nowhere exceeds.
    pub(super) steepest: Enclosure,
    /// g(t) ≤ c − a·t: c and a ≥ 0.
    pub(super) falling: (Enclosure, Enclosure),
}

/// Bounds of the largest value, and where a further point says most.
pub(super) struct Highest {
    pub(super) lower: Rational,
    pub(super) upper: Rational,
    /// Between which two nodes the upper bound may be reached: the one before the second, which is past the
    /// last where it is the number of nodes.
    pub(super) cell: usize,
    /// Where the lines meet that make the upper bound, if they do.
    pub(super) meet: Option<Enclosure>,
}

fn slope(a: &Node, b: &Node) -> Option<Enclosure> {
    b.1.sub(&a.1).div(&b.0.sub(&a.0))
}

impl Concave<'_> {
    /// A concave function is below the line through two neighbouring points, outside of them. So between two
    /// neighbours it is below the line through the two before, and below the line through the two after:
    /// below the larger end of either line, and below the point where they meet, if that is the highest of
    /// both.
    pub(super) fn highest(&self) -> Option<Highest> {
        let lower = self.nodes.iter().map(|(_, y)| y.lower()).max()?.max(Rational::zero());
        let mut most = self.beyond()?;
        for cell in 1..self.nodes.len() {
            let (upper, meet) = self.within(cell)?;
            if upper > most.0 {
                most = (upper, cell, meet);
            }
        }
        let (upper, cell, meet) = most;
        Some(Highest { upper: upper.max(lower.clone()), lower, cell, meet })
    }

    /// Past the last node: the line through the last two, and c − a·t.
    fn beyond(&self) -> Option<(Rational, usize, Option<Enclosure>)> {
        let [.., before, last] = self.nodes else { return None };
        let (c, a) = &self.falling;
        let at_last = c.sub(&a.mul(&last.0));
        let past = self.nodes.len();
        let trivial = at_last.upper().max(last.1.upper());
        Some(match slope(before, last) {
            Some(slope) if !slope.upper().is_positive() => (last.1.upper(), past, None),
            Some(slope) if slope.lower().is_positive() => {
                let along = at_last.sub(&last.1).div(&slope.add(a));
                let meet = along.as_ref().map(|along| last.0.add(along));
                let upper = along.map(|along| last.1.add(&slope.mul(&along)).upper());
                (upper.map_or(trivial.clone(), |upper| upper.min(trivial).max(last.1.upper())), past, meet)
            }
            _ => (trivial, past, None),
        })
    }

    /// Between a node and the one before it.
    fn within(&self, cell: usize) -> Option<(Rational, Option<Enclosure>)> {
        let (a, b) = (self.nodes.get(cell.checked_sub(1)?)?, self.nodes.get(cell)?);
        let width = b.0.sub(&a.0);
        let left = match cell.checked_sub(2) {
            Some(before) => slope(self.nodes.get(before)?, a),
            None => Some(self.steepest.clone()),
        };
        let right = self.nodes.get(cell + 1).and_then(|after| slope(b, after));
        // Where no line can be told: no more than c.
        let mut bounds = Vec::from([self.falling.0.upper()]);
        bounds.extend(left.as_ref().map(|slope| a.1.add(&slope.mul(&width)).upper().max(a.1.upper())));
        bounds.extend(right.as_ref().map(|slope| b.1.sub(&slope.mul(&width)).upper().max(b.1.upper())));
        let mut meet = None;
        if let (Some(left), Some(right)) = (left, right) {
            // The left line rises and the right one falls: both are highest where they meet.
            if left.lower().is_positive() && right.upper().is_negative() {
                let along = b.1.sub(&a.1).sub(&right.mul(&width)).div(&left.sub(&right))?;
                bounds.push(a.1.add(&left.mul(&along)).upper());
                meet = Some(a.0.add(&along));
            }
        }
        Some((bounds.into_iter().min()?, meet))
    }
}
