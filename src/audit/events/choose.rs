//! The choice of an event, on the selection part alone.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use rayon::prelude::*;

use super::family::{best, read_families, readings};
use super::{Direction, Event, Family, Feature, Goal, Parsed, Prospect, Reading, Score};
use crate::audit::outputs::{Counts, Output};
use crate::audit::statistics::normal::score_at_most;
use crate::audit::statistics::region::Pair;

/// An event that won the competition on the selection part.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The event.
    pub event: Event,
    /// Which side is P.
    pub direction: Direction,
    /// Its counts on the validation part, P's first.
    pub seen: Pair,
    /// What it promises.
    pub promise: f64,
    /// How it will be evaluated.
    pub prospect: Prospect,
}

/// The outputs as every family reads them, and the two parts that events are fitted and compared on.
///
/// Orders, thresholds and scores are fitted on the training part; the fitted events compete on the validation part, where an event
/// that fits the training samples and not their distribution loses. The winner's threshold is then fitted again on both.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    parsed: Vec<Parsed<'a>>,
    read: Vec<(Feature, Vec<Reading>)>,
    given: Vec<Event>,
    train: &'a Counts,
    validate: &'a Counts,
    /// The samples that are kept for evaluation.
    kept: (u64, u64),
}

impl<'a> Search<'a> {
    /// Reads the outputs. `given` are events named beforehand, which compete too; `scales` what floats may be multiples of.
    #[must_use]
    pub fn new(
        outputs: &'a [Output],
        train: &'a Counts,
        validate: &'a Counts,
        kept: (u64, u64),
        given: &[Event],
        scales: &[f64],
    ) -> Self {
        let parsed: Vec<Parsed<'a>> = outputs.iter().map(Parsed::new).collect();
        let mut read = read_families(&parsed, train, scales);
        if let Some(score) = Score::learn(&read, train) {
            let feature = Feature::Score(Box::new(score));
            let scores = readings(&feature, &parsed);
            read.push((feature, scores));
        }
        Self { parsed, read, given: given.to_vec(), train, validate, kept }
    }

    /// The best event for a goal at α, over all families and both directions.
    #[must_use]
    pub fn best(&self, goal: Goal, alpha: f64) -> Option<Candidate> {
        let z = score_at_most(alpha);
        let prospect = |direction: Direction| {
            let (n, m) = direction.orient(self.kept.0, self.kept.1);
            Prospect { goal, n, m, alpha, z }
        };
        let candidate = |event: Event, direction: Direction, mask: &[bool]| {
            let prospect = prospect(direction);
            let seen = pair(self.validate, mask, direction);
            Candidate { event, direction, seen, promise: prospect.promise(seen), prospect }
        };
        let fitted = self.read.par_iter().enumerate().flat_map_iter(|(place, (feature, readings))| {
            let families = [Family::Thresholds(feature.clone()), Family::Ratios(feature.clone())];
            families
                .into_iter()
                .flat_map(move |family| Direction::BOTH.map(|direction| (family.clone(), direction)))
                .filter_map(move |(family, direction)| {
                    let event = best(&family, readings, self.train, direction, &prospect(direction))?;
                    let mask = event.mask(readings);
                    Some((candidate(event, direction, &mask), Some((family, place))))
                })
        });
        let mut all: Vec<(Candidate, Option<(Family, usize)>)> = fitted.collect();
        for event in &self.given {
            let mask = event.mask(&readings(&event.feature, &self.parsed));
            all.extend(Direction::BOTH.map(|direction| (candidate(event.clone(), direction, &mask), None)));
        }
        // Of equals the first, so that the choice does not depend on threads.
        let (winner, origin) =
            all.into_iter().reduce(|best, next| if next.0.promise > best.0.promise { next } else { best })?;
        if winner.promise == f64::NEG_INFINITY {
            return None;
        }
        // A score was trained on the training part, and is trusted only on the other.
        let refit = origin.filter(|(family, _)| !matches!(family.feature(), Feature::Score(_)));
        let Some((family, place)) = refit else { return Some(winner) };
        let both = self.train.plus(self.validate);
        let (_, readings) = self.read.get(place)?;
        let Some(event) = best(&family, readings, &both, winner.direction, &winner.prospect) else {
            return Some(winner);
        };
        let seen = pair(&both, &event.mask(readings), winner.direction);
        // The promise stays that of the validation, which no fit has touched.
        Some(Candidate { event, seen, ..winner })
    }
}

/// The counts of an event in a part, P's first.
fn pair(counts: &Counts, mask: &[bool], direction: Direction) -> Pair {
    let (a, b) = counts.inside(mask);
    let (n_a, n_b) = counts.samples();
    let ((x, n), (y, m)) = direction.orient((a, n_a), (b, n_b));
    Pair { x, n, y, m }
}
