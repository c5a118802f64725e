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
    /// Which of the table's outputs are in the event.
    pub inside: Vec<bool>,
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
        if let Some((score, scores)) = Score::learn(&read, train) {
            read.push((Feature::Score(Box::new(score)), scores));
        }
        Self { parsed, read, given: given.to_vec(), train, validate, kept }
    }

    /// The best event for a goal at α, over all families and both directions.
    #[must_use]
    pub fn best(&self, goal: Goal, alpha: f64) -> Option<Candidate> {
        self.best_of(goal, alpha, &Direction::BOTH)
    }

    /// The best event for a goal at α, over all families and these directions.
    #[must_use]
    pub fn best_of(&self, goal: Goal, alpha: f64, directions: &[Direction]) -> Option<Candidate> {
        let z = score_at_most(alpha);
        let prospect = |direction: Direction| {
            let (n, m) = direction.orient(self.kept.0, self.kept.1);
            Prospect { goal, n, m, alpha, z }
        };
        let candidate = |event: Event, direction: Direction, inside: Vec<bool>| {
            let prospect = prospect(direction);
            let seen = pair(self.validate, &inside, direction);
            Candidate { event, direction, seen, promise: prospect.promise(seen), prospect, inside }
        };
        let fitted = self.read.par_iter().enumerate().flat_map_iter(|(place, (feature, readings))| {
            let mut families = vec![Family::Thresholds(feature.clone())];
            // A score is a ratio already: its thresholds are all there is to it.
            if !matches!(feature, Feature::Score(_)) {
                families.push(Family::Ratios(feature.clone()));
            }
            families
                .into_iter()
                .flat_map(move |family| directions.iter().map(move |direction| (family.clone(), *direction)))
                .filter_map(move |(family, direction)| {
                    let event = best(&family, readings, self.train, direction, &prospect(direction))?;
                    let mask = event.mask(readings);
                    Some((candidate(event, direction, mask), Some((family, place))))
                })
        });
        let mut all: Vec<(Candidate, Option<(Family, usize)>)> = fitted.collect();
        for event in &self.given {
            let mask = event.mask(&readings(&event.feature, &self.parsed));
            all.extend(directions.iter().map(|direction| (candidate(event.clone(), *direction, mask.clone()), None)));
        }
        // Of equals the first, so that the choice does not depend on threads; a score, which is hard to read, must be clearly better.
        let rank = |candidate: &Candidate| match candidate.event.feature {
            Feature::Score(_) => candidate.promise - 0.03 * candidate.promise.abs(),
            _ => candidate.promise,
        };
        let (winner, origin) =
            all.into_iter().reduce(|best, next| if rank(&next.0) > rank(&best.0) { next } else { best })?;
        if winner.promise == f64::NEG_INFINITY {
            return None;
        }
        // A threshold gains by more samples; what has more to choose would fit them, and a score was trained on some of them.
        let refit = origin.filter(
            |(family, _)| matches!(family, Family::Thresholds(feature) if !matches!(feature, Feature::Score(_))),
        );
        let Some((family, place)) = refit else { return Some(winner) };
        let both = self.train.plus(self.validate);
        let (_, readings) = self.read.get(place)?;
        let Some(event) = best(&family, readings, &both, winner.direction, &winner.prospect) else {
            return Some(winner);
        };
        let inside = event.mask(readings);
        let seen = pair(&both, &inside, winner.direction);
        // The promise stays that of the validation, which no fit has touched.
        Some(Candidate { event, seen, inside, ..winner })
    }
}

/// The counts of an event in a part, P's first.
fn pair(counts: &Counts, mask: &[bool], direction: Direction) -> Pair {
    let (a, b) = counts.inside(mask);
    let (n_a, n_b) = counts.samples();
    let ((x, n), (y, m)) = direction.orient((a, n_a), (b, n_b));
    Pair { x, n, y, m }
}
