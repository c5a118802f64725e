//! [`Budget`]: how much work a computation may still do.
//!
//! Counted, not timed: the same question stops at the same place on every machine, so that every answer can
//! be had again. A *step* is about a nanosecond of a processor of 2024; the counts below are rough, and
//! nothing but the effort depends on them.

use alloc::rc::Rc;
use core::cell::Cell;

use num_integer::Roots as _;

/// Steps that are left, shared by all that spend them.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    left: Rc<Cell<u64>>,
    /// What is spent here is spent there too.
    whole: Option<Rc<Budget>>,
}

impl Budget {
    /// So many steps.
    pub(crate) fn new(steps: u64) -> Self {
        Self { left: Rc::new(Cell::new(steps)), whole: None }
    }

    /// More than anything takes.
    pub(crate) fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// The steps that are left.
    pub(crate) fn left(&self) -> u64 {
        self.whole.as_ref().map_or(u64::MAX, |whole| whole.left()).min(self.left.get())
    }

    /// Takes some steps; where there are not as many, all that are left, and says so.
    pub(crate) fn spend(&self, steps: u64) -> Option<()> {
        let is_within = self.whole.as_ref().is_none_or(|whole| whole.spend(steps).is_some());
        let left = self.left.get();
        self.left.set(left.saturating_sub(steps));
        (is_within && steps <= left).then_some(())
    }

    /// At most a share of what is left; what is spent of it is spent of this budget.
    pub(crate) fn share(&self, of: u64) -> Self {
        self.part(1, of)
    }

    /// An equal share of what is left that has at most so many steps.
    pub(crate) fn at_most(&self, steps: u64) -> Self {
        self.share(self.left() / steps.max(1) + 1)
    }

    /// At most some of so many shares.
    pub(crate) fn part(&self, some: u64, of: u64) -> Self {
        let left = self.left();
        let part = if left == u64::MAX { left } else { (left / of.max(1)).saturating_mul(some).min(left) };
        Self { left: Rc::new(Cell::new(part)), whole: Some(Rc::new(self.clone())) }
    }
}

/// Steps of a product of two numbers of so many binary digits: quadratic up to some tens of limbs, and less
/// beyond.
pub(crate) fn product(bits: u32) -> u64 {
    let limbs = u64::from(bits / 64 + 1);
    60 + limbs * limbs.min(32 + limbs / 4)
}

/// Steps of an exponential or a turn: about √bits terms and squarings of two bounds.
pub(crate) fn exponential(bits: u32) -> u64 {
    product(bits) * u64::from(3 * bits.sqrt() + 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_spent() {
        let budget = Budget::new(10);
        let same = budget.clone();
        assert_eq!((budget.spend(4), same.left()), (Some(()), 6));
        let half = budget.share(2);
        assert_eq!((half.left(), half.spend(1), half.left(), budget.left()), (3, Some(()), 2, 5));
        assert_eq!((half.spend(3), budget.left()), (None, 2));
        assert_eq!((same.spend(7), budget.left()), (None, 0));
        assert_eq!(budget.spend(1), None);
        assert_eq!((Budget::new(16).part(3, 4).left(), Budget::new(16).part(9, 4).left()), (12, 16));
        assert_eq!([5, 16, 17].map(|steps| Budget::new(16).at_most(steps).left()), [4, 8, 16]);
    }
}
