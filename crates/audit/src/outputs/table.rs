//! The outputs of both sides, and how often each fell in each part of the split.

use core::cmp::Ordering;

use super::{Output, Tally, draw};
use certus::bits::{Bits, BitsError};

/// What a part of the samples is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Orders and scores are fitted here.
    Train,
    /// Fitted events compete here.
    Validate,
    /// The winner is counted here, and nothing else ever looks.
    Evaluate,
}

/// Counts of both sides, in the order of a table's outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The first side.
    pub a: Vec<u64>,
    /// The second.
    pub b: Vec<u64>,
}

impl Counts {
    /// The samples of both sides.
    #[must_use]
    pub fn samples(&self) -> (u64, u64) {
        (self.a.iter().sum(), self.b.iter().sum())
    }

    /// The samples of both sides in an event, given which outputs are.
    #[must_use]
    pub fn inside(&self, event: &[bool]) -> (u64, u64) {
        let sum =
            |counts: &[u64]| counts.iter().zip(event).filter(|(_, inside)| **inside).map(|(count, _)| count).sum();
        (sum(&self.a), sum(&self.b))
    }

    /// Both parts together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let add = |one: &[u64], two: &[u64]| one.iter().zip(two).map(|(one, two)| one + two).collect();
        Self { a: add(&self.a, &other.a), b: add(&self.b, &other.b) }
    }
}

/// Every output that either side printed, and the counts of the three parts.
///
/// The split is a function of the merged counts and a seed, so it does not depend on the order of merging,
/// and the parts are independent samples: conditionally on the multiset, a uniform subset of exchangeable
/// samples.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    outputs: Vec<&'a Output>,
    train: Counts,
    validate: Counts,
    evaluate: Counts,
}

/// The selection part is a fifth of the samples, half of it to fit and half to compare…
const SELECTION_SHARE: u64 = 5;

/// … and of what is above this many a side, a third: what a fifth of so many does not show is hard to find…
const MANY: u64 = 20_000;

/// … at least this many a side, unless that is more than two fifths…
const SELECTION_LEAST: u64 = 400;

/// … and at most this many, which is plenty to choose an event by.
const SELECTION_MOST: u64 = 10_000_000;

/// The size of the selection part. It depends on the number of samples alone, or the parts would not be
/// independent.
fn selection_size(samples: u64) -> u64 {
    let least = SELECTION_LEAST.min(samples / SELECTION_SHARE * 2);
    let size = samples.min(MANY) / SELECTION_SHARE + samples.saturating_sub(MANY) / 3;
    size.clamp(least, SELECTION_MOST)
}

impl<'a> Table<'a> {
    /// Splits both sides at random.
    ///
    /// # Errors
    ///
    /// If the source of bits fails.
    pub fn split<B: Bits>(a: &'a Tally, b: &'a Tally, bits: &mut B) -> Result<Self, BitsError> {
        let (outputs, all_a, all_b) = align(a, b);
        let [mut train, mut validate, mut evaluate] = [Counts::default(), Counts::default(), Counts::default()];
        for (mut all, train, validate, evaluate) in [
            (all_a, &mut train.a, &mut validate.a, &mut evaluate.a),
            (all_b, &mut train.b, &mut validate.b, &mut evaluate.b),
        ] {
            let size = selection_size(all.iter().sum());
            let mut selection = draw(&all, size, bits)?;
            all.iter_mut().zip(&selection).for_each(|(all, selected)| *all -= selected);
            *evaluate = all;
            *train = draw(&selection, size / 2, bits)?;
            selection.iter_mut().zip(train.iter()).for_each(|(selected, train)| *selected -= train);
            *validate = selection;
        }
        Ok(Self { outputs, train, validate, evaluate })
    }

    /// The same selection part, and the sides of the evaluation part exchanged.
    #[cfg(test)]
    pub(crate) fn with_evaluation_exchanged(mut self) -> Self {
        core::mem::swap(&mut self.evaluate.a, &mut self.evaluate.b);
        self
    }

    /// The outputs, ascending.
    #[must_use]
    pub fn outputs(&self) -> &[&'a Output] {
        &self.outputs
    }

    /// The counts of a part.
    #[must_use]
    pub fn counts(&self, part: Part) -> &Counts {
        match part {
            Part::Train => &self.train,
            Part::Validate => &self.validate,
            Part::Evaluate => &self.evaluate,
        }
    }
}

/// The outputs of both tallies, ascending, and the counts of each side.
fn align<'a>(a: &'a Tally, b: &'a Tally) -> (Vec<&'a Output>, Vec<u64>, Vec<u64>) {
    let most = a.distinct() + b.distinct();
    let (mut outputs, mut all_a, mut all_b) =
        (Vec::with_capacity(most), Vec::with_capacity(most), Vec::with_capacity(most));
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return (outputs, all_a, all_b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((one, _)), Some((two, _))) => one.cmp(two),
        };
        let (one, two) =
            (if order.is_le() { left.next() } else { None }, if order.is_ge() { right.next() } else { None });
        outputs.extend(one.or(two).map(|(output, _)| output));
        all_a.push(one.map_or(0, |(_, count)| count));
        all_b.push(two.map_or(0, |(_, count)| count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::Recording;
    use certus::bits::seeded;

    /// Every output once, and every sample in exactly one part.
    #[test]
    fn a_split_parts_the_samples() {
        let side = |id: &str, step: i64| {
            let mut recording = Recording::new();
            (0..2000_i64).for_each(|i| recording.integer(i * step % 77));
            (0..500).for_each(|i| recording.line(format!("w{}", i % (10 + step)).as_bytes()).unwrap());
            recording.finish(id)
        };
        let (a, b) = (side("a", 3), side("b", 7));
        let table = Table::split(&a, &b, &mut seeded([1; 32])).unwrap();
        assert!(table.outputs().windows(2).all(|pair| pair[0] < pair[1]));
        let all = table.counts(Part::Train).plus(table.counts(Part::Validate)).plus(table.counts(Part::Evaluate));
        for (place, output) in table.outputs().iter().enumerate() {
            assert_eq!((all.a[place], all.b[place]), (a.count(output), b.count(output)), "{output}");
        }
        assert_eq!(all.samples(), (2500, 2500));
        assert_eq!(table.counts(Part::Train).samples(), (250, 250));
        assert_eq!(table.counts(Part::Evaluate).samples(), (2000, 2000));
    }
}
