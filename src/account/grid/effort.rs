//! What an account may take, and about what it takes.

use alloc::{
    collections::{BTreeMap, BinaryHeap},
    vec::Vec,
};
use core::cmp::Reverse;

use super::{
    atoms,
    chain::{MANY_GROUPS, MORE_PLACES, is_listed},
    curve,
    sparse::MOST_POINTS,
    tilt::{Aim, Choice, Sketch, choose},
};
use crate::{
    account::Direction,
    exact::{Budget, product},
};

/// How many points an account may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    /// Of one copy's grid.
    pub(super) single: u64,
    /// Those of them at which its curve is looked at.
    pub(super) looks: u64,
    /// Of a composition's.
    pub(super) composed: usize,
    /// Sums of two losses in one composition of few.
    pub(super) sums: usize,
}

/// Fewer are of no use.
const LEAST_POINTS: usize = 1 << 8;

/// As many sums are as much work as a grid.
const LEAST_SUMS: usize = 1 << 12;

/// The steps of a sum of two losses, on both sides.
const EACH: u64 = 200;

/// Of so many points of a grid one is looked at, at least.
const SPARSEST: u64 = 16;

/// The products of a point that is not looked at: the point itself and its tilt, on both sides.
const POINT: u64 = 6;

/// The binary digits of outcomes that are not cut off.
const KEPT: u32 = 48;

/// How many losses one copy of a part has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Losses {
    /// Listed.
    Few(usize),
    /// Points of a grid.
    Grid(usize),
}

/// The steps of all compositions of parts, so many losses each, and of so many copies, as they are added up in [`super::chain`]: of losses on grids, and of few.
pub(super) fn of_joins(parts: impl IntoIterator<Item = (Losses, u64)>, effort: Effort) -> (u64, u64) {
    let mut alike: BTreeMap<u64, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (losses, copies) in parts {
        let (few, dense) = alike.entry(copies).or_default();
        match losses {
            Losses::Few(outcomes) => few.push(outcomes),
            Losses::Grid(points) => dense.push(points),
        }
    }
    // What they take, if they can be thinned, and what is left of them, if not.
    let mut of_few = OfFew { most: effort.sums, kept: effort.sums.isqrt(), steps: 0 };
    let mut not_thinned = OfFew { most: effort.sums.min(MOST_POINTS), kept: MOST_POINTS, steps: 0 };
    let mut of_grids = OfGrids { most: effort.composed, steps: 0 };
    let (mut few_groups, mut groups) = (Vec::new(), Vec::new());
    for (copies, (few, mut dense)) in alike {
        let left = not_thinned.together(few.clone()).len();
        let few = of_few.together(few);
        if let [one] = few.as_slice()
            && dense.is_empty()
        {
            few_groups.push((*one, copies));
        }
        // Whatever is placed on a grid.
        dense.extend(core::iter::repeat_n(effort.composed / 2, left));
        groups.push((of_grids.together(dense), copies));
    }
    if groups.len() >= MANY_GROUPS {
        of_few.by_digits(&few_groups);
        of_grids.by_digits(&groups);
    } else {
        of_few.by_powers(&few_groups);
        of_grids.by_powers(&groups);
    }
    (of_grids.steps, of_few.steps.saturating_mul(EACH))
}

/// Compositions on grids, which are halved where they are longer than the most.
struct OfGrids {
    most: usize,
    steps: u64,
}

impl OfGrids {
    fn join(&mut self, a: usize, b: usize) -> usize {
        let length = u64::try_from(a.saturating_add(b)).unwrap_or(u64::MAX).max(2).checked_next_power_of_two();
        // Six transforms above and at most fourteen below, twice as long.
        let steps = length.map_or(u64::MAX, |length| (20 * u64::from(length.ilog2())).saturating_mul(length));
        self.steps = self.steps.saturating_add(steps);
        a.saturating_add(b).min(self.most)
    }

    /// All of them, from the shortest.
    fn together(&mut self, blocks: Vec<usize>) -> usize {
        let mut blocks: BinaryHeap<_> = blocks.into_iter().map(Reverse).collect();
        loop {
            match (blocks.pop(), blocks.pop()) {
                (Some(Reverse(a)), Some(Reverse(b))) => blocks.push(Reverse(self.join(a, b))),
                (last, _) => return last.map_or(0, |Reverse(length)| length),
            }
        }
    }

    fn by_powers(&mut self, groups: &[(usize, u64)]) {
        let mut all = Vec::new();
        for (one, copies) in groups {
            let (mut square, mut rest, mut product) = (*one, *copies, None);
            while rest > 0 {
                if rest & 1 == 1 {
                    product = Some(product.map_or(square, |product| self.join(product, square)));
                }
                rest >>= 1;
                if rest > 0 {
                    square = self.join(square, square);
                }
            }
            all.extend(product);
        }
        self.together(all);
    }

    fn by_digits(&mut self, groups: &[(usize, u64)]) {
        let most = groups.iter().map(|(_, copies)| *copies).max().unwrap_or(0);
        let mut total = None;
        for digit in (0..u64::BITS - most.leading_zeros()).rev() {
            let double = total.map(|length| self.join(length, length));
            let some = groups.iter().filter(|(_, copies)| (copies >> digit) & 1 == 1).map(|(one, _)| *one);
            total = Some(self.together(double.into_iter().chain(some).collect()));
        }
    }
}

/// The sums of few losses.
struct OfFew {
    /// The most sums of two.
    most: usize,
    /// The most of them that are kept.
    kept: usize,
    steps: u64,
}

impl OfFew {
    /// About as many as two make; `None` where that is too much work.
    fn join(&mut self, a: usize, b: usize) -> Option<usize> {
        let sums = a.saturating_mul(b);
        (sums <= self.most).then(|| {
            self.steps = self.steps.saturating_add(u64::try_from(sums).unwrap_or(u64::MAX));
            sums.min(self.kept)
        })
    }

    /// What is left when no two can be joined.
    fn together(&mut self, blocks: Vec<usize>) -> Vec<usize> {
        let mut blocks: BinaryHeap<_> = blocks.into_iter().map(Reverse).collect();
        while blocks.len() > 1 {
            let Some((Reverse(a), Reverse(b))) = blocks.pop().zip(blocks.pop()) else { break };
            match self.join(a, b) {
                Some(joint) => blocks.push(Reverse(joint)),
                None => {
                    blocks.extend([Reverse(a), Reverse(b)]);
                    break;
                }
            }
        }
        blocks.into_iter().map(|Reverse(length)| length).collect()
    }

    fn by_powers(&mut self, groups: &[(usize, u64)]) {
        let mut blocks = Vec::new();
        for (one, copies) in groups {
            let (mut length, mut rest) = (*one, *copies);
            while rest > 0 {
                if rest & 1 == 1 {
                    blocks.push(length);
                }
                rest >>= 1;
                match if rest > 0 { self.join(length, length) } else { None } {
                    Some(double) => length = double,
                    None => break,
                }
            }
        }
        self.together(blocks);
    }

    fn by_digits(&mut self, groups: &[(usize, u64)]) {
        let most = groups.iter().map(|(_, copies)| *copies).max().unwrap_or(0);
        let mut total = None;
        for digit in (0..u64::BITS - most.leading_zeros()).rev() {
            let double = total.and_then(|length| self.join(length, length));
            let some = groups.iter().filter(|(_, copies)| (copies >> digit) & 1 == 1).map(|(one, _)| *one);
            total = match self.together(double.into_iter().chain(some).collect()).as_slice() {
                [one] => Some(*one),
                _ => None,
            };
        }
    }
}

/// A choice of grids whose work is within the budget: where it is not, with fewer of what costs the most.
pub(super) fn affordable(
    direction: &Direction,
    sketches: &[Sketch],
    aim: Aim<'_>,
    mut effort: Effort,
    budget: &Budget,
) -> Option<(Choice, Effort)> {
    let all = direction.iter().fold(0_u64, |sum, part| sum.saturating_add(part.copies()));
    let mut choice = choose(sketches, aim, effort.single)?;
    loop {
        let fine = choice.fineness(all)?;
        // Of listed outcomes, and of dots.
        let mut of_singles = (0_u64, 0_u64);
        let mut parts = Vec::new();
        for (part, (grid, bits)) in direction.iter().zip(&choice.grids) {
            if let Some(pair) = part.pair()
                && is_listed(pair, *grid, *bits, fine)
            {
                let cost = atoms::cost(pair, *bits, fine + MORE_PLACES);
                of_singles.0 = of_singles.0.saturating_add(cost).saturating_add(atoms::cost_of_tilts(pair, *bits));
                parts.push((Losses::Few(atoms::count(pair, KEPT)), part.copies()));
            } else {
                let costs = part.pairs().iter().map(|pair| curve::cost(pair, grid.points().min(effort.looks), *bits));
                let costs = costs.chain([grid.points().saturating_mul(POINT * product(*bits))]);
                of_singles.1 = costs.fold(of_singles.1, u64::saturating_add);
                parts.push((Losses::Grid(usize::try_from(grid.points()).ok()?), part.copies()));
            }
        }
        let (of_joins, of_few) = of_joins(parts, effort);
        let cost = [of_singles.0, of_singles.1, of_joins, of_few].into_iter().fold(0, u64::saturating_add);
        if cost <= budget.left() {
            budget.spend(cost)?;
            return Some((choice, effort));
        }
        let least = u64::try_from(LEAST_POINTS).ok()?;
        let dear = [
            (of_singles.1, effort.single > least),
            (of_joins, effort.composed > LEAST_POINTS),
            (of_few, effort.sums > LEAST_SUMS),
        ];
        let (_, which) =
            (0_u32..).zip(dear).filter(|(_, (_, may_be_less))| *may_be_less).map(|(i, (of, _))| (of, i)).max()?;
        match which {
            0 => {
                // Few looks at a fine grid tell as much as more at a coarse one, or more.
                if of_singles.1 > 0 && effort.looks * SPARSEST > effort.single {
                    effort.looks /= 2;
                    continue;
                }
                // Where all are listed, a coarser grid asks for fewer digits, and that is all.
                effort.single = if of_singles.1 > 0 { (effort.single / 2).max(least) } else { least };
                effort.looks = effort.looks.min(effort.single);
                choice = choose(sketches, aim, effort.single)?;
            }
            1 => effort.composed /= 2,
            _ => effort.sums /= 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of few.
    fn few<const N: usize>(parts: [(usize, u64); N], sums: usize) -> u64 {
        let effort = Effort { single: 1, looks: 1, composed: 1, sums };
        of_joins(parts.map(|(outcomes, copies)| (Losses::Few(outcomes), copies)), effort).1
    }

    /// They are added up from the smallest, and at most the root of so many kept.
    #[test]
    fn few_are_added_up() {
        // Two copies of 8 and one of 5: 64 sums, then 5·64.
        assert_eq!(few([(8, 2), (5, 1)], 1 << 20), (64 + 5 * 64) * EACH);
        assert_eq!(few([(8, 2), (5, 1)], 1 << 10), (64 + 5 * 32) * EACH);
        // Of as many copies, one of each first: 5·8, then 40·40.
        assert_eq!(few([(8, 2), (5, 2)], 1 << 20), (40 + 1600) * EACH);
        // 64 are too many to be doubled.
        assert_eq!(few([(64, 3)], 1 << 10), 0);
        // 128, of which 32 are kept, then 32·32 twice.
        assert_eq!(few([(64, 3), (2, 3)], 1 << 10), (128 + 2 * 1024) * EACH);
    }

    /// The joins of grids that are as long as may be: for every part of as many copies one, the binary digits of the copies less one, and as many as are not 0, less one.
    #[test]
    fn joins_of_parts_alike() {
        let joins = |parts: &[u64]| {
            let effort = Effort { single: 1, looks: 1, composed: 1 << 10, sums: 1 };
            let parts = parts.iter().map(|copies| (Losses::Grid(1 << 10), *copies));
            of_joins(parts, effort).0 / (20 * 11 * 2048)
        };
        assert_eq!((joins(&[25]), joins(&[25, 25]), joins(&[25, 25, 4])), (4 + 2, 1 + 6, 1 + 6 + 2 + 1));
        // Of four different numbers: four squares, and as many as there are digits that are not 0, less one.
        assert_eq!(joins(&[25, 25, 4, 5, 6]), 1 + 4 + (3 + 1 + 2 + 2) - 1);
    }

    /// Shorter ones take less: 2·100 points are 256 in a transform, with 100 more 512.
    #[test]
    fn joins_of_short_grids() {
        let joins = |most: usize| {
            let effort = Effort { single: 1, looks: 1, composed: most, sums: 1 };
            of_joins([1, 1, 1].map(|copies| (Losses::Grid(100), copies)), effort).0
        };
        assert_eq!(joins(1 << 10), 20 * (8 * 256 + 9 * 512));
        // The two are halved to 100 points.
        assert_eq!(joins(100), 20 * (8 * 256 + 8 * 256));
    }
}
