//! The outputs of both sides, and how often each fell in each part of the split.

use super::{Output, Tally, draw};
use crate::bits::{Bits, BitsError};

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
/// The split is a function of the merged counts and a seed, so it does not depend on the order of merging, and the parts are
/// independent samples: conditionally on the multiset, a uniform subset of exchangeable samples.
#[derive(Clone, Debug)]
pub struct Table {
    outputs: Vec<Output>,
    train: Counts,
    validate: Counts,
    evaluate: Counts,
}

/// The selection part is a fifth of the samples, half of it to fit and half to compare…
const SELECTION_SHARE: u64 = 5;

/// … at least this many a side, unless that is more than two fifths…
const SELECTION_LEAST: u64 = 400;

/// … and at most this many, which is plenty to choose an event by.
const SELECTION_MOST: u64 = 1_000_000;

impl Table {
    /// Splits both sides at random.
    ///
    /// # Errors
    ///
    /// If the source of bits fails.
    pub fn split<B: Bits>(a: &Tally, b: &Tally, bits: &mut B) -> Result<Self, BitsError> {
        let mut outputs: Vec<Output> = a.iter().chain(b.iter()).map(|(output, _)| output.clone()).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let [mut train, mut validate, mut evaluate] = [Counts::default(), Counts::default(), Counts::default()];
        for (tally, train, validate, evaluate) in
            [(a, &mut train.a, &mut validate.a, &mut evaluate.a), (b, &mut train.b, &mut validate.b, &mut evaluate.b)]
        {
            let all: Vec<u64> = outputs.iter().map(|output| tally.count(output)).collect();
            let samples = tally.samples();
            let least = SELECTION_LEAST.min(samples / SELECTION_SHARE * 2);
            let size = (samples / SELECTION_SHARE).clamp(least, SELECTION_MOST.max(least));
            let selection = draw(&all, size, bits)?;
            *evaluate = all.iter().zip(&selection).map(|(all, selected)| all - selected).collect();
            *train = draw(&selection, size / 2, bits)?;
            *validate = selection.iter().zip(train.iter()).map(|(selected, train)| selected - train).collect();
        }
        Ok(Self { outputs, train, validate, evaluate })
    }

    /// The outputs, ascending.
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
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
