//! Small domains, all of them, and their neighbours.

use certus::exact::{Integer, Rational};

/// All vectors of a length over some values.
pub fn vectors<T: Clone>(values: &[T], length: usize) -> Vec<Vec<T>> {
    (0..length).fold(vec![vec![]], |shorter, _| {
        let longer = |start: &Vec<T>| {
            values.iter().map(|value| [start.clone(), vec![value.clone()]].concat()).collect::<Vec<_>>()
        };
        shorter.iter().flat_map(longer).collect()
    })
}

/// All multisets of at most so many of the values, each in order.
pub fn multisets<T: Clone + Ord>(values: &[T], most: usize) -> Vec<Vec<T>> {
    (0..=most).flat_map(|length| vectors(values, length)).filter(|data| data.is_sorted()).collect()
}

/// Whether the second is the first without one of its records, both in order.
pub fn removed_one<T: PartialEq + Clone>(a: &[T], b: &[T]) -> bool {
    (0..a.len()).any(|i| {
        let mut less = a.to_vec();
        less.remove(i);
        less == b
    })
}

/// Whether they have the same number of records and all but one in common, both in order.
pub fn changed_one<T: PartialEq + Clone>(a: &[T], b: &[T]) -> bool {
    let without = |data: &[T], i: usize| {
        let mut less = data.to_vec();
        less.remove(i);
        less
    };
    a.len() == b.len() && (0..a.len()).any(|i| (0..b.len()).any(|j| without(a, i) == without(b, j)))
}

/// Scores that moved by at most 1 each.
pub fn moved(a: &[i64], b: &[i64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1)
}

/// Scores that all rose, by at most 1 each.
pub fn rose(a: &[i64], b: &[i64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (0..=1).contains(&(b - a)))
}

pub fn rationals(scores: &[i64]) -> Vec<Rational> {
    scores.iter().map(|score| Rational::from_integer((*score).into())).collect()
}

pub fn integers(scores: &[i64]) -> Vec<Integer> {
    scores.iter().map(|score| Integer::from(*score)).collect()
}

pub fn boxed<T: Clone>(inputs: &[Vec<T>]) -> Vec<Box<[T]>> {
    inputs.iter().map(|input| input.clone().into_boxed_slice()).collect()
}
