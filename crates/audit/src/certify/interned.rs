//! Values by their numbers: what works on the numbers is compiled once, for all types of values.

use core::cmp::Ordering;
use std::{collections::BTreeMap, vec, vec::Vec};

/// Different values, numbered 0, 1, … as they are met.
pub(super) struct Interned<T> {
    values: Vec<T>,
    order: Order,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { values: Vec::new(), order: Order::default() }
    }
}

impl<T: Ord> Interned<T> {
    /// One value, whose number is 0.
    pub(super) fn of(value: T) -> Self {
        let mut interned = Self::default();
        interned.number(value);
        interned
    }

    /// The number of a value.
    pub(super) fn number(&mut self, value: T) -> usize {
        let values = &self.values;
        let compare = |known: usize| values.get(known).map_or(Ordering::Less, |known| known.cmp(&value));
        let number = self.order.find_or_add(values.len(), &compare);
        if number == self.values.len() {
            self.values.push(value);
        }
        number
    }

    /// The value of a number.
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        self.values.get(number)
    }

    /// What the numbers have, by their values in ascending order; a value without any is left out.
    pub(super) fn in_order<W>(self, mut of: BTreeMap<usize, W>) -> Vec<(T, W)> {
        let mut values: Vec<Option<T>> = self.values.into_iter().map(Some).collect();
        let numbers = self.order.blocks.into_iter().flatten();
        numbers.filter_map(|number| Some((values.get_mut(number)?.take()?, of.remove(&number)?))).collect()
    }
}

/// Numbers in the order of their values, in blocks of bounded length, so that adding one moves few others.
#[derive(Default)]
struct Order {
    /// Invariant: none is empty.
    blocks: Vec<Vec<usize>>,
}

/// The longest block.
const BLOCK: usize = 512;

impl Order {
    /// The number that compares as equal to a value, or else `new`, which takes its place.
    fn find_or_add(&mut self, new: usize, compare: &dyn Fn(usize) -> Ordering) -> usize {
        let begins_at_most = |block: &Vec<usize>| block.first().is_some_and(|first| compare(*first).is_le());
        let block = self.blocks.partition_point(begins_at_most).saturating_sub(1);
        let Some(numbers) = self.blocks.get_mut(block) else {
            self.blocks.push(vec![new]);
            return new;
        };
        match numbers.binary_search_by(|number| compare(*number)) {
            Ok(place) => numbers.get(place).copied().unwrap_or(new),
            Err(place) => {
                numbers.insert(place, new);
                if numbers.len() > BLOCK {
                    let second = numbers.split_off(BLOCK / 2);
                    self.blocks.insert(block + 1, second);
                }
                new
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Rising, falling and scattered, more than fit a block: as a map would have it.
    #[test]
    fn numbers_are_those_of_first_meeting_and_values_come_in_order() {
        let count = 5000_u64;
        let orders: [fn(u64) -> u64; 3] = [|i| i, |i| 10_000 - i, |i| i * 7919 % 4001];
        for of in orders {
            let mut interned = Interned::default();
            let mut met = BTreeMap::new();
            for value in (0..count).map(of) {
                let next = met.len();
                let number = *met.entry(value).or_insert(next);
                assert_eq!(interned.number(value), number);
                assert_eq!(interned.get(number), Some(&value));
            }
            // Every other number has something.
            let of: BTreeMap<usize, usize> = (0..met.len()).step_by(2).map(|number| (number, number)).collect();
            let expected: Vec<(u64, usize)> =
                met.iter().map(|(value, number)| (*value, *number)).filter(|(_, number)| number % 2 == 0).collect();
            assert_eq!(interned.in_order(of), expected);
            assert_eq!(met.values().collect::<BTreeSet<_>>().len(), met.len());
        }
    }
}
