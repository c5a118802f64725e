//! Running counts by the binary tree.

use alloc::{vec, vec::Vec};
use core::{convert::Infallible, ops::ControlFlow};

use super::{
    NoisyInteger, NoisyVector, StatisticError,
    histogram::{counts, moved_by_one},
};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Domination, Guarantee, Relation},
    mechanism::{Private, opaque_debug},
    sample::{Interpreter, Program, Step},
};

/// The most slots.
const MOST_SLOTS: usize = 1 << 20;

/// How many records came in slots 0 to t, for every t: sums of noisy counts of dyadic runs of slots, the
/// binary tree.
///
/// Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011. The nodes are those of a Fenwick tree,
/// the only ones that prefixes need: node i (from 1) counts the slots (i − 2^v, i] with 2^v the lowest bit of
/// i. A prefix is a sum of at most ⌊log₂ slots⌋ + 1 of them, and a record of slot t is in the nodes t, t +
/// lowbit(t), …: as many at most. A record of another slot is counted nowhere.
///
/// # Guarantee
///
/// Pure, tight, and with an exact pair. A record that comes or goes moves L = ⌊log₂ slots⌋ + 1 nodes by 1
/// (the first slot does): ε = L/scale. One that changes slots leaves the nodes of both alone: it moves as
/// many as the longest path in the tree of nodes, with a root above, has edges
/// ([`FinitePair::responses`](crate::guarantee::FinitePair::responses)). The prefixes tell the nodes, and so
/// nothing is lost.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, guarantee::Relation, mechanism::{Private, statistic::PrefixCounts}};
///
/// let prefixes = PrefixCounts::new(1000, &Positive::new(Rational::from_integer(20.into()))?, Relation::AddRemove)?;
/// let released = prefixes.release(&[0, 0, 17, 999], &mut seeded([0; 32]))?;
/// assert_eq!(released.get().len(), 1000);
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 1/2; neighbours: add or remove one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PrefixCounts {
    slots: usize,
    scale: Positive,
    moved: u32,
    guarantee: Guarantee,
}

impl PrefixCounts {
    /// Over so many slots, with noise of this scale on every node.
    ///
    /// # Errors
    ///
    /// If there are no slots, or more than 2^20.
    pub fn new(slots: usize, scale: &Positive, relation: Relation) -> Result<Self, StatisticError> {
        if !(1..=MOST_SLOTS).contains(&slots) {
            return Err(StatisticError::Slots);
        }
        let (depth, path) = moved_nodes(slots);
        let moved = match relation {
            Relation::AddRemove => depth,
            Relation::ChangeOne => path,
        };
        let epsilon = Rational::from_integer(moved.into()) / scale.get();
        Ok(Self { slots, scale: scale.clone(), moved, guarantee: Guarantee::pure(relation, Real::from(epsilon))? })
    }
}

/// The lowest bit of i ≥ 1.
fn low_bit(i: usize) -> usize {
    1 << i.trailing_zeros().min(usize::BITS - 1)
}

/// The most nodes that one slot is in, and the most that exactly one of two slots is in (or of a slot and
/// none).
///
/// The nodes of a slot are a path to the root 0 above all; those of one of two slots alone are the path
/// between them.
fn moved_nodes(slots: usize) -> (u32, u32) {
    // For each node, the longest path downward so far. A node's children have smaller indices.
    let mut below = vec![0_u32; slots.saturating_add(1)];
    let mut longest = 0;
    for node in 1..=slots {
        let height = below.get(node).copied().unwrap_or(0).saturating_add(1);
        let parent = node.saturating_add(low_bit(node));
        let parent = if parent > slots { 0 } else { parent };
        if let Some(known) = below.get_mut(parent) {
            longest = longest.max(known.saturating_add(height));
            *known = height.max(*known);
        }
    }
    (below.first().copied().unwrap_or(0), longest)
}

impl Private for PrefixCounts {
    type Input = [usize];
    type Release = NoisyPrefixes;
    type Error = Infallible;

    fn on(&self, records: &[usize]) -> Result<NoisyPrefixes, Infallible> {
        let counts = counts(records, self.slots);
        let node = |i: usize| {
            let slots = counts.iter().take(i).skip(i.saturating_sub(low_bit(i)));
            Integer::from(slots.fold(0_u64, |sum, count| sum.saturating_add(*count)))
        };
        let nodes = (1..=self.slots).map(|i| NoisyInteger::new(node(i), &self.scale)).collect();
        Ok(NoisyPrefixes { nodes })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by a record of slot 0 beside none, or by one that changes between the slots at the ends of a
    /// longest path (none, counted nowhere, is the root).
    fn domination(&self) -> Domination {
        moved_by_one(&self.scale, self.moved, self.guarantee.relation())
    }
}

/// The prefix sums of noisy nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoisyPrefixes {
    nodes: NoisyVector,
}

opaque_debug!(NoisyPrefixes);

impl Program for NoisyPrefixes {
    type State = ();
    type Output = Vec<Integer>;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let nodes = on.call(&self.nodes)?;
        let mut prefixes: Vec<Integer> = Vec::with_capacity(nodes.len());
        for (i, node) in (1_usize..).zip(&nodes) {
            // Prefix i is node i, and prefix i − lowbit(i) before it.
            let before = i.checked_sub(low_bit(i).saturating_add(1)).and_then(|place| prefixes.get(place));
            prefixes.push(before.map_or_else(|| node.clone(), |before| before.add(node)));
        }
        Ok(ControlFlow::Break(prefixes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(slot: usize, slots: usize) -> Vec<usize> {
        core::iter::successors(Some(slot), |i| Some(i + low_bit(*i))).take_while(|i| *i <= slots).collect()
    }

    /// By listing the nodes of every slot, and of every two.
    #[test]
    fn as_many_nodes_move_as_stated() {
        for slots in 1..130 {
            let all: Vec<Vec<usize>> =
                core::iter::once(vec![]).chain((1..=slots).map(|slot| nodes(slot, slots))).collect();
            let depth = all.iter().map(Vec::len).max().unwrap();
            assert_eq!(depth, slots.ilog2() as usize + 1);
            let apart = |a: &Vec<usize>, b: &Vec<usize>| {
                a.iter().filter(|i| !b.contains(i)).count() + b.iter().filter(|i| !a.contains(i)).count()
            };
            let path = all.iter().flat_map(|a| all.iter().map(move |b| apart(a, b))).max().unwrap();
            assert_eq!(moved_nodes(slots), (depth.try_into().unwrap(), path.try_into().unwrap()), "{slots}");
        }
        let one = Positive::new(Rational::from_integer(1.into())).unwrap();
        for slots in [0, MOST_SLOTS + 1] {
            assert_eq!(PrefixCounts::new(slots, &one, Relation::AddRemove).unwrap_err(), StatisticError::Slots);
        }
    }
}
