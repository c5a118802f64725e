//! Which factors share a lattice, and which are listed.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::{
    factor::{Factor, Kind},
    loss::Loss,
};
use crate::exact::Rational;

/// The factors that share a lattice, and those whose total loss is listed value by value.
pub(super) struct Split {
    pub(super) step: Loss,
    /// Indices of factors, with their strides on the lattice.
    pub(super) strands: Vec<(usize, BigUint)>,
    /// Indices of the others.
    pub(super) listed: Vec<usize>,
}

/// Puts as much as possible on one lattice, all, or else the class (of losses with a common step) that is the
/// hardest to list; or no more than one factor.
pub(super) fn split(factors: &[Factor], is_merged: bool) -> Option<Split> {
    let mut classes: Vec<(Loss, Vec<usize>)> = Vec::new();
    for (index, factor) in factors.iter().enumerate() {
        if factor.step.is_zero() {
            continue;
        }
        let place = classes
            .iter_mut()
            .filter(|_| is_merged)
            .find_map(|(step, members)| Some((step.common(&factor.step)?, step, members)));
        match place {
            Some((common, step, members)) => {
                *step = common;
                members.push(index);
            }
            None => classes.push((factor.step.clone(), Vec::from([index]))),
        }
    }
    let is_scattered = |factor: &Factor| matches!(factor.kind, Kind::Scattered { .. });
    // The class that stays is the one whose sum has the most values, of a Gaussian those within some standard
    // deviations: about the square of their number.
    let size = |members: &[usize]| -> Rational {
        let square = |factor: &Factor| match (&factor.kind, factor.top()) {
            (Kind::Gaussian { variance, .. }, _) => variance.get() * BigInt::from(512),
            (_, top) => {
                let top = BigInt::from(top.unwrap_or_default());
                Rational::from_integer(&top * &top * BigInt::from(factor.copies))
            }
        };
        let each = members.iter().filter_map(|index| factors.get(*index));
        each.map(|factor| square(factor) * BigInt::from(factor.copies)).sum()
    };
    classes.sort_by_cached_key(|(_, members)| size(members));
    let Some((step, members)) = classes.pop() else {
        if factors.iter().any(is_scattered) {
            return None;
        }
        // A lattice of one point has any step.
        let strands = (0..factors.len()).map(|index| (index, BigUint::zero())).collect();
        return Some(Split { step: Loss::rational(Rational::one()), strands, listed: Vec::new() });
    };
    let mut strands = Vec::new();
    let mut listed = Vec::new();
    for (index, factor) in factors.iter().enumerate() {
        if is_scattered(factor) {
            listed.push(index);
        } else if factor.step.is_zero() {
            strands.push((index, BigUint::zero()));
        } else if members.contains(&index) {
            strands.push((index, factor.step.over(&step)?.to_biguint()?));
        } else {
            listed.push(index);
        }
    }
    Some(Split { step, strands, listed })
}
