//! What features read in many outputs, kept where there is room.

use std::borrow::Cow;

use rayon::prelude::*;

use super::column::Column;
use super::family::{Families, Grouped, features};
use super::{Feature, Parsed, Reading, Score};
use crate::outputs::Counts;

/// So many readings in all are kept even if they are all different, at some 20 bytes each; reading again
/// takes longer.
pub(super) const MOST_KEPT: usize = 2_000_000;

/// Outputs, the features that tell them apart, and what these read.
#[derive(Clone, Debug)]
pub(super) struct Readings<'a> {
    parsed: Vec<Parsed<'a>>,
    features: Vec<Feature>,
    /// By the places of the features; those without room are read again where they are wanted.
    columns: Vec<Option<Column<'a>>>,
}

impl<'a> Readings<'a> {
    /// The features that tell outputs of the training part apart, with their families.
    pub(super) fn new(
        parsed: Vec<Parsed<'a>>,
        train: &Counts,
        validate: &Counts,
        scales: &[f64],
        most_kept: usize,
    ) -> (Self, Families) {
        let all = features(&parsed, train, scales);
        let has_room = parsed.len().saturating_mul(all.len()) <= most_kept;
        let read = |feature: Feature| {
            let column = Column::read(&feature, &parsed);
            column.differs(train).then(|| {
                let families = Grouped::all(&feature, &column, train, validate);
                let is_kept = has_room || column.is_small();
                (feature, is_kept.then_some(column), families)
            })
        };
        let told_apart: Vec<_> = all.into_par_iter().filter_map(read).collect();
        let mut readings = Self { parsed, features: Vec::new(), columns: Vec::new() };
        let mut families = Families::new();
        for (place, (feature, column, own)) in told_apart.into_iter().enumerate() {
            readings.features.push(feature);
            readings.columns.push(column);
            families.extend(own.into_iter().map(|family| (place, family)));
        }
        (readings, families)
    }

    pub(super) fn parsed(&self) -> &[Parsed<'a>] {
        &self.parsed
    }

    pub(super) fn features(&self) -> &[Feature] {
        &self.features
    }

    pub(super) fn feature(&self, place: usize) -> Option<&Feature> {
        self.features.get(place)
    }

    /// Adds a feature with what it read; its place.
    pub(super) fn push(&mut self, feature: Feature, column: Column<'a>) -> usize {
        self.features.push(feature);
        self.columns.push(Some(column));
        self.features.len() - 1
    }

    /// What the feature at a place reads.
    pub(super) fn column(&self, place: usize) -> Option<Cow<'_, Column<'a>>> {
        match self.columns.get(place)? {
            Some(column) => Some(Cow::Borrowed(column)),
            None => Some(Cow::Owned(Column::read(self.feature(place)?, &self.parsed))),
        }
    }

    /// A score, learned from these counts, as a column.
    pub(super) fn learned(&self, counts: &Counts) -> Option<(Feature, Column<'a>)> {
        let is_learned = |feature: &Feature| matches!(feature, Feature::Score(_) | Feature::Digit(_));
        let plain = self.features.iter().position(is_learned).unwrap_or(self.features.len());
        let read = |place| self.column(place);
        let (score, scores) = Score::learn(self.features.get(..plain)?, &read, counts)?;
        Some((Feature::Score(Box::new(score)), Column::new(scores.into_iter().map(Reading::Number))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::Output;

    /// With room for nothing, the columns of few different readings are kept and the others read again:
    /// features, families, columns and the learned score are those of a search that keeps them all.
    #[test]
    fn what_is_read_again_is_what_was_kept() {
        let text =
            |i: u32| format!("{},{},{}.5,{}", i % 3, i * 7 % 400, i * i, if i.is_multiple_of(5) { "x" } else { "3" });
        let outputs: Vec<Output> = (0..2000).map(|i| Output::parse(&text(i))).collect();
        let counts = |odds: u64| Counts {
            a: (0..2000).map(|i| 1 + i % odds).collect(),
            b: (0..2000).map(|i| 1 + u64::from(i % 3 == 0)).collect(),
        };
        let read = |most_kept| {
            let parsed = outputs.iter().map(Parsed::new).collect();
            Readings::new(parsed, &counts(3), &counts(7), &[1.0], most_kept)
        };
        let ((all, all_families), (few, few_families)) = (read(usize::MAX), read(0));
        assert!(all.columns.iter().all(Option::is_some));
        assert!(few.columns.iter().any(Option::is_some) && few.columns.iter().any(Option::is_none));
        assert_eq!((&all.features, format!("{all_families:?}")), (&few.features, format!("{few_families:?}")));
        for place in 0..all.features.len() {
            assert_eq!(format!("{:?}", all.column(place)), format!("{:?}", few.column(place)));
        }
        let learned = all.learned(&counts(3));
        // Terms are drawn again from all of the part with as many bins as they were chosen with: 4 or 24.
        let Some((Feature::Score(score), _)) = &learned else { panic!("{learned:?}") };
        assert!(score.terms.iter().any(|term| term.bins.len() > 4), "{score:?}");
        assert_eq!(format!("{learned:?}"), format!("{:?}", few.learned(&counts(3))));
    }
}
