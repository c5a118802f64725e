//! The choice of an event, on the selection part alone.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use std::sync::OnceLock;

use rayon::prelude::*;

use super::column::Column;
use super::family::{Grouped, read_features};
use super::{Direction, Event, Family, Feature, Goal, Parsed, Prospect, Reading, Score};
use crate::audit::outputs::{Counts, Output};
use crate::audit::statistics::normal::score_at_most;
use crate::audit::statistics::real;
use crate::audit::statistics::region::Pair;

/// An event that won the competition on the selection part.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The event.
    pub event: Event,
    /// Which side is P.
    pub direction: Direction,
    /// Its counts on the selection part, P's first.
    pub seen: Pair,
    /// What it promises.
    pub promise: f64,
    /// How it will be evaluated.
    pub prospect: Prospect,
}

/// The outputs of the selection part as every family reads them, and the two parts that events are fitted and compared on.
///
/// Orders, thresholds and scores are fitted on the training part; the fitted events compete on the validation part, where an event
/// that fits the training samples and not their distribution loses. The winner's threshold is then fitted again on both.
///
/// Outputs that neither part holds are not even read.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    parsed: Vec<Parsed<'a>>,
    columns: Vec<(Feature, Column<'a>)>,
    families: Vec<(usize, Grouped)>,
    /// The score, learned from both parts, once it is known to be the best.
    relearned: OnceLock<Option<(Feature, Column<'a>)>>,
    given: Vec<Event>,
    train: Counts,
    validate: Counts,
    /// The samples that are kept for evaluation.
    kept: (u64, u64),
}

/// A score, which is hard to read and has more to choose, must be better by this share.
const HANDICAP: f64 = 0.06;

/// The most different outputs that are read: of more, the samples are thinned.
const MOST_ROWS: usize = 250_000;

impl<'a> Search<'a> {
    /// Reads the outputs. `given` are events named beforehand, which compete too; `scales` what floats may be multiples of.
    #[must_use]
    pub fn new(
        outputs: &[&'a Output],
        train: &Counts,
        validate: &Counts,
        kept: (u64, u64),
        given: &[Event],
        scales: &[f64],
    ) -> Self {
        let (rows, train, validate) = rows(outputs, train, validate);
        let parsed: Vec<Parsed<'a>> = rows.into_par_iter().map(Parsed::new).collect();
        let mut columns = read_features(&parsed, &train, scales);
        columns.extend(learned(&columns, &train));
        let families = columns
            .par_iter()
            .enumerate()
            .flat_map_iter(|(place, (feature, column))| {
                // A score is a ratio already: its thresholds are all there is to it.
                let ratios = (!matches!(feature, Feature::Score(_))).then_some(Family::Ratios);
                let grouped = |family| (place, Grouped::new(family, column, &train, &validate));
                [Some(Family::Thresholds), ratios].into_iter().flatten().map(grouped).collect::<Vec<_>>()
            })
            .collect();
        Self { parsed, columns, families, relearned: OnceLock::new(), given: given.to_vec(), train, validate, kept }
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
        // Of equals the first wins.
        let mut best = Best(None);
        for (place, grouped) in &self.families {
            let Some((feature, column)) = self.columns.get(*place) else { continue };
            for &direction in directions {
                let prospect = prospect(direction);
                let Some(member) = grouped.best(direction, &prospect) else { continue };
                let promise = prospect.promise(member.seen);
                let handicap = if matches!(feature, Feature::Score(_)) { HANDICAP * promise.abs() } else { 0.0 };
                let family = (feature, column, grouped.family);
                best.compete(
                    promise - handicap,
                    Winner { direction, seen: member.seen, promise, of: Of::Family(family, member) },
                );
            }
        }
        for event in &self.given {
            let (a, b) = self.validate.inside(&event.select_parsed(&self.parsed));
            for &direction in directions {
                let seen = pair((a, b), &self.validate, direction);
                let promise = prospect(direction).promise(seen);
                best.compete(promise, Winner { direction, seen, promise, of: Of::Given(event) });
            }
        }
        let (_, Winner { direction, seen, promise, of }) = best.0?;
        if promise == f64::NEG_INFINITY {
            return None;
        }
        let prospect = prospect(direction);
        let candidate = |event, seen| Candidate { event, direction, seen, promise, prospect };
        match of {
            Of::Given(event) => Some(candidate(event.clone(), seen)),
            // A score is learned again from both parts, and cut where as many are inside: its threshold was compared, and is not fitted to what it learned from.
            Of::Family((Feature::Score(_), ..), member) => {
                let both = self.train.plus(&self.validate);
                let again = self.relearned.get_or_init(|| learned(&self.columns, &both));
                let (feature, column) = again.as_ref()?;
                let (weights, _) = direction.orient(&both.a, &both.b);
                let end = column.end(member.is_from_below(), real(seen.x) / real(seen.n.max(1)), weights);
                Some(candidate(Event { feature: feature.clone(), within: column.within(&[end])? }, seen))
            }
            // A threshold gains by more samples; what has more to choose would fit them.
            Of::Family((feature, column, Family::Thresholds), _) => {
                let both = self.train.plus(&self.validate);
                let again = Grouped::new(Family::Thresholds, column, &both, &both).best(direction, &prospect)?;
                // The promise stays that of the validation, which no fit has touched.
                Some(candidate(again.event(feature, column)?, again.seen))
            }
            Of::Family((feature, column, _), member) => Some(candidate(member.event(feature, column)?, seen)),
        }
    }
}

/// A score, learned from these counts, as a column.
fn learned<'a>(columns: &[(Feature, Column<'a>)], counts: &Counts) -> Option<(Feature, Column<'a>)> {
    let plain = columns.iter().position(|(feature, _)| matches!(feature, Feature::Score(_))).unwrap_or(columns.len());
    let (score, scores) = Score::learn(columns.get(..plain)?, counts)?;
    Some((Feature::Score(Box::new(score)), Column::new(scores.into_iter().map(Reading::Number))))
}

/// Who leads the competition.
struct Winner<'s> {
    direction: Direction,
    seen: Pair,
    promise: f64,
    of: Of<'s>,
}

/// The leader with its rank: of equals the first.
struct Best<'s>(Option<(f64, Winner<'s>)>);

impl<'s> Best<'s> {
    fn compete(&mut self, rank: f64, winner: Winner<'s>) {
        if self.0.as_ref().is_none_or(|(highest, _)| rank > *highest) {
            self.0 = Some((rank, winner));
        }
    }
}

/// Where an event comes from.
enum Of<'s> {
    Given(&'s Event),
    Family((&'s Feature, &'s Column<'s>, Family), super::family::Member),
}

/// The outputs that either part holds, with their counts: thinned evenly where they are too many.
fn rows<'a>(outputs: &[&'a Output], train: &Counts, validate: &Counts) -> (Vec<&'a Output>, Counts, Counts) {
    let held = |train: &Counts, validate: &Counts| -> Vec<bool> {
        let sums = train.a.iter().zip(&train.b).zip(&validate.a).zip(&validate.b);
        sums.map(|(((a, b), c), d)| a + b + c + d > 0).collect()
    };
    let distinct = held(train, validate).into_iter().filter(|held| *held).count();
    let (train, validate) = match distinct.div_ceil(MOST_ROWS) as u64 {
        0 | 1 => (train.clone(), validate.clone()),
        step => (thinned(train, step), thinned(validate, step)),
    };
    let held = held(&train, &validate);
    let keep = |counts: &Counts| {
        let side = |side: &[u64]| side.iter().zip(&held).filter(|(_, held)| **held).map(|(count, _)| *count).collect();
        Counts { a: side(&counts.a), b: side(&counts.b) }
    };
    let rows = outputs.iter().zip(&held).filter(|(_, held)| **held).map(|(output, _)| *output).collect();
    (rows, keep(&train), keep(&validate))
}

/// Every `step`-th sample in the order of the outputs.
fn thinned(counts: &Counts, step: u64) -> Counts {
    let side = |side: &[u64]| {
        let mut before = 0;
        let thin = |count: &u64| {
            let kept = (before + count) / step - before / step;
            before += count;
            kept
        };
        side.iter().map(thin).collect()
    };
    Counts { a: side(&counts.a), b: side(&counts.b) }
}

/// The counts of an event in a part, P's first.
fn pair((a, b): (u64, u64), counts: &Counts, direction: Direction) -> Pair {
    let (n_a, n_b) = counts.samples();
    let ((x, n), (y, m)) = direction.orient((a, n_a), (b, n_b));
    Pair { x, n, y, m }
}
