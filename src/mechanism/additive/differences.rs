//! The differences that an L2 sensitivity allows between neighbouring vectors of integers.

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::BigUint;

use crate::{
    exact::Positive,
    guarantee::{Attained, Domination, Pair},
};

/// The most differences that are listed. All of them are, whatever the number of coordinates, for Δ₂² ≤ 128.
pub const MOST_DIFFERENCES: usize = 4096;

/// A difference of two vectors up to signs and order: how many coordinates move by how much.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// By how much (at least 1), and how many coordinates.
    shifts: BTreeMap<u64, u64>,
}

impl Difference {
    /// The coordinates that move: by how much, and how many.
    #[must_use]
    pub fn shifts(&self) -> &BTreeMap<u64, u64> {
        &self.shifts
    }

    /// Its pair under Gaussian noise, which is a product: for each shift the pair of one coordinate, and how
    /// many copies of it. As an account's plan: `plan.with(&domination, copies)` for each. Attained by two
    /// vectors that differ by it, and for whichever neighbours the sensitivity was stated.
    #[must_use]
    pub fn gaussian(&self, variance: &Positive) -> Vec<(Domination, u64)> {
        let of = |shift: &u64| Pair::Gaussian { variance: variance.clone(), shift: BigUint::from(*shift) };
        self.shifts
            .iter()
            .map(|(shift, copies)| (Domination::by(of(shift)).attained(Attained::ByAnswers), *copies))
            .collect()
    }

    /// So many coordinates, each by so much.
    pub(super) fn equal(shift: u64, coordinates: u64) -> Self {
        Self { shifts: [(shift, coordinates)].into_iter().filter(|(shift, _)| *shift > 0).collect() }
    }

    fn new(parts: &[u64]) -> Self {
        let mut shifts = BTreeMap::new();
        for part in parts {
            *shifts.entry(*part).or_insert(0) += 1;
        }
        Self { shifts }
    }
}

/// The maximal differences d of at most `coordinates` parts with Σd² ≤ `square`: those of which no coordinate
/// can move further.
///
/// The others are dominated by one of these: moving one coordinate further dominates (the largest shift is
/// the worst), also beside the other coordinates. Nothing if there are more than [`MOST_DIFFERENCES`].
pub(super) fn maximal(square: u64, coordinates: usize) -> Option<Vec<Difference>> {
    let mut found = Vec::new();
    extend(square, square.isqrt(), coordinates, &mut Vec::new(), &mut found)?;
    Some(found)
}

/// Adds parts that do not rise, each at most `largest`, to those there are; `left` is what remains of the
/// square.
fn extend(left: u64, largest: u64, free: usize, parts: &mut Vec<u64>, found: &mut Vec<Difference>) -> Option<()> {
    // Another coordinate can move by 1 if there is one and 1 is left.
    if left == 0 || free == 0 {
        // The smallest part grows the cheapest: by 2d + 1.
        let grows = parts.last().is_some_and(|smallest| 2 * smallest < left);
        if !grows {
            found.push(Difference::new(parts));
        }
        return (found.len() <= MOST_DIFFERENCES).then_some(());
    }
    let greatest = largest.min(left.isqrt());
    // The last free coordinate moves as far as it can.
    let least = if free == 1 { greatest } else { 1 };
    for part in (least..=greatest).rev() {
        parts.push(part);
        // Invariant: part² ≤ left.
        extend(left - part * part, part, free - 1, parts, found)?;
        parts.pop();
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{collections::BTreeSet, vec};

    /// All vectors of so many coordinates, by brute force: the maximal ones are exactly those that are
    /// listed.
    #[test]
    fn exactly_the_maximal_ones() {
        for coordinates in 1..=4usize {
            for square in 0..=20u64 {
                let mut vectors = vec![vec![]];
                for _ in 0..coordinates {
                    vectors = vectors
                        .iter()
                        .flat_map(|v: &Vec<u64>| (0..=4u64).map(move |x| [v.as_slice(), &[x]].concat()))
                        .collect();
                }
                let norm = |v: &[u64]| v.iter().map(|x| x * x).sum::<u64>();
                let maximal = vectors.iter().filter(|v| {
                    norm(v) <= square
                        && (0..coordinates).all(|i| {
                            let mut further = (*v).clone();
                            further[i] += 1;
                            norm(&further) > square
                        })
                });
                let expected: BTreeSet<Difference> = maximal
                    .map(|v| Difference::new(&v.iter().copied().filter(|x| *x > 0).collect::<Vec<_>>()))
                    .collect();
                let listed = super::maximal(square, coordinates).unwrap();
                assert_eq!(listed.len(), expected.len(), "{square} in {coordinates}");
                assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), expected, "{square} in {coordinates}");
            }
        }
    }

    #[test]
    fn the_stated_bound() {
        assert!((0..=128).all(|square| maximal(square, usize::MAX).is_some()));
        assert_eq!(maximal(1000, usize::MAX), None);
        // One coordinate: always one difference.
        assert_eq!(maximal(1 << 60, 1).unwrap().len(), 1);
    }
}
