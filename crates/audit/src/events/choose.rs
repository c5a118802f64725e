//! The choice of an event, on the selection part alone.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use std::borrow::Cow;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::column::Column;
use super::digit::count_digits;
use super::family::{Families, Grouped, Member};
use super::goal::excess_error;
use super::readings::{MOST_KEPT, Readings};
use super::{Event, Family, Feature, Goal, Orientation, Parsed, Prospect, kinds};
use crate::outputs::{Counts, Output};
use crate::statistics::normal::score_at_most;
use crate::statistics::real;
use crate::statistics::region::EventCounts;

/// An event that won the competition on the selection part.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The event.
    pub event: Event,
    /// Which side is P.
    pub direction: Orientation,
    /// Its counts on the selection part, P's first.
    pub seen: EventCounts,
    /// What it promises.
    pub promise: f64,
    /// How it will be evaluated.
    pub prospect: Prospect,
}

/// The outputs of the selection part as every family reads them, and the two parts that events are fitted and
/// compared on.
///
/// Orders, thresholds and scores are fitted on the training part; the fitted events compete on the validation
/// part, where an event that fits the training samples and not their distribution loses. The winner's
/// threshold is then fitted again on both.
///
/// Outputs that neither part holds are not even read.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    readings: Readings<'a>,
    families: Families,
    /// The score, learned from both parts, once it is known to be the best.
    relearned: OnceLock<Option<(Feature, Column<'a>)>>,
    given: Vec<Event>,
    train: Counts,
    validate: Counts,
    /// The samples that are kept for evaluation.
    kept: (u64, u64),
    /// All of the selection part, if the rest is thinned.
    whole: Option<Rows<'a>>,
}

/// Outputs with their counts in both parts.
#[derive(Clone, Debug)]
struct Rows<'a> {
    outputs: Vec<&'a Output>,
    train: Counts,
    validate: Counts,
}

/// Where samples were thinned, the best so many features are read in all of them, as many digits, and the
/// score.
const FINALISTS: usize = 4;

/// A score, which is hard to read and has more to choose, must be better by this share; a digit and a tail,
/// of which there are many, too.
const HANDICAP: f64 = 0.06;

/// The most different outputs that are read: of more, the samples are thinned.
const MOST_ROWS: usize = 250_000;

impl<'a> Search<'a> {
    /// Reads the outputs. `given` are events named beforehand, which compete too; `scales` what floats may be
    /// multiples of.
    #[must_use]
    pub fn new(
        outputs: &[&'a Output],
        train: &Counts,
        validate: &Counts,
        kept: (u64, u64),
        given: &[Event],
        scales: &[f64],
    ) -> Self {
        let whole = Rows::held(outputs, train, validate);
        let step = whole.outputs.len().div_ceil(MOST_ROWS) as u64;
        let (rows, whole) = if step > 1 { (whole.thinned(step), Some(whole)) } else { (whole, None) };
        let Rows { outputs, train, validate } = rows;
        let parsed: Vec<Parsed<'a>> = outputs.into_par_iter().map(Parsed::new).collect();
        let (mut readings, mut families) = Readings::new(parsed, &train, &validate, scales, MOST_KEPT);
        if let Some((score, column)) = readings.learned(&train) {
            let own = Grouped::all(&score, &column, &train, &validate);
            let place = readings.push(score, column);
            families.extend(own.into_iter().map(|family| (place, family)));
        }
        for (digit, words, groups) in count_digits(readings.parsed(), &train, &validate) {
            let place = readings.push(Feature::Digit(digit), Column::of_words(words));
            families.push((place, Grouped::of_groups(groups, &train, &validate)));
        }
        Self { readings, families, relearned: OnceLock::new(), given: given.to_vec(), train, validate, kept, whole }
    }

    /// The readings of a feature: of all samples, or of those that thinning left.
    fn column(&self, place: usize, of_whole: bool) -> Option<Cow<'_, Column<'a>>> {
        match &self.whole {
            Some(whole) if of_whole => {
                Some(Cow::Owned(Column::read_all(self.readings.feature(place)?, &whole.outputs)))
            }
            _ => self.readings.column(place),
        }
    }

    /// The kinds of events that are looked for, each once: what is a violation by none of them alone is not
    /// seen.
    #[must_use]
    pub fn kinds(&self) -> Vec<&'static str> {
        let is_read = |kind: &&str| self.readings.features().iter().any(|feature| feature.kind() == *kind);
        let given = (!self.given.is_empty()).then_some("events named beforehand");
        kinds().into_iter().filter(is_read).chain(given).collect()
    }

    /// The best event for a goal at α, over all families and both directions.
    #[must_use]
    pub fn best(&self, goal: Goal, alpha: f64) -> Option<Candidate> {
        self.best_of(goal, alpha, &Orientation::BOTH)
    }

    /// The best event that is read at a glance ([`Event::is_plain`]).
    #[must_use]
    pub fn best_plain(&self, goal: Goal, alpha: f64) -> Option<Candidate> {
        self.chosen(goal, alpha, &Orientation::BOTH, true)
    }

    /// The most common half-line of which as large a δ was seen as of any, within a standard error: the one of
    /// the largest standard error, since what is rare or nearly certain has a small one.
    ///
    /// Where no event promises a violation, one of few samples that was lucky comes closest to it by its own
    /// errors. A ratio that is a little larger than e^ε everywhere makes the largest δ on the largest event.
    #[must_use]
    pub fn most_common(&self, c: f64, delta: f64, alpha: f64) -> Option<Candidate> {
        let both = self.train.plus(&self.validate);
        // A score was fitted to half of what is counted here.
        let is_half_line = |feature: &Feature| feature.is_quantity() && !matches!(feature, Feature::Score(_));
        let quantities = self.readings.features().iter().enumerate().filter(|(_, feature)| is_half_line(feature));
        let grouped = |(place, feature)| {
            let column = self.column(place, false)?;
            Some((feature, Grouped::new(Family::Thresholds, &column, &both, &both), column))
        };
        let all: Vec<_> = quantities.filter_map(grouped).collect();
        let lines = || {
            all.iter().enumerate().flat_map(|(place, (_, grouped, _))| {
                Orientation::BOTH.into_iter().flat_map(move |direction| {
                    grouped.half_lines(direction).map(move |line| (place, direction, line, line.seen.excess(c)))
                })
            })
        };
        let (.., best, most) = lines().max_by(|one, two| one.3.total_cmp(&two.3))?;
        let enough = most - excess_error(best.seen, c);
        let error = |seen: EventCounts| excess_error(seen, c);
        let common = lines().filter(|(.., excess)| *excess >= enough);
        let (place, direction, line, _) = common.max_by(|one, two| error(one.2.seen).total_cmp(&error(two.2.seen)))?;
        let (feature, grouped, column) = all.get(place)?;
        let (n, m) = direction.orient(self.kept.0, self.kept.1);
        let prospect = Prospect { goal: Goal::Delta { c, delta }, n, m, alpha, z: score_at_most(alpha) };
        let promise = prospect.promise(line.seen);
        Some(Candidate { event: grouped.event(line, feature, column)?, direction, seen: line.seen, promise, prospect })
    }

    /// Where samples were thinned: the families of the best features in all of the selection part.
    fn finals(&self, prospect: &dyn Fn(Orientation) -> Prospect, directions: &[Orientation]) -> Option<Families> {
        let whole = self.whole.as_ref()?;
        let mut places: Vec<usize> = Vec::new();
        // By chance, rare events of thinned samples look better than a true one that is common: digits, of
        // which there are many, have places of their own, and a score has one.
        let kind = |place: usize| match self.readings.feature(place) {
            Some(Feature::Score(_)) => 0,
            Some(Feature::Digit(_)) => 1,
            _ => 2,
        };
        for Ranked { place, .. } in ranked(&self.readings, &self.families, prospect, directions) {
            let alike = places.iter().filter(|other| kind(**other) == kind(place)).count();
            if !places.contains(&place) && alike < FINALISTS {
                places.push(place);
            }
        }
        let families = |place: usize| {
            let column = self.column(place, true)?;
            let own = Grouped::all(self.readings.feature(place)?, &column, &whole.train, &whole.validate);
            Some(own.into_iter().map(move |family| (place, family)))
        };
        Some(places.into_par_iter().filter_map(families).flatten_iter().collect())
    }

    /// The best event for a goal at α, over all families and these directions.
    #[must_use]
    pub fn best_of(&self, goal: Goal, alpha: f64, directions: &[Orientation]) -> Option<Candidate> {
        self.chosen(goal, alpha, directions, false)
    }

    /// The best event for a goal at α, over all families and these directions; of those that are read at a
    /// glance, if it must be one.
    fn chosen(&self, goal: Goal, alpha: f64, directions: &[Orientation], is_plain_only: bool) -> Option<Candidate> {
        let z = score_at_most(alpha);
        let prospect = |direction: Orientation| {
            let (n, m) = direction.orient(self.kept.0, self.kept.1);
            Prospect { goal, n, m, alpha, z }
        };
        // What is read at a glance is told apart by thinned samples too: no column is read again for it.
        let finals = if is_plain_only { None } else { self.finals(&prospect, directions) };
        let is_final = finals.is_some();
        let families = finals.as_ref().unwrap_or(&self.families);
        let event =
            |one: &Ranked| one.member.event(self.readings.feature(one.place)?, &*self.column(one.place, is_final)?);
        let is_wanted = |one: &Ranked| !is_plain_only || event(one).is_some_and(|event| event.is_plain());
        let leader = ranked(&self.readings, families, &prospect, directions).into_iter().find(is_wanted);
        let promised = |one: &Ranked| prospect(one.direction).promise(one.member.seen);
        let mut best = leader.as_ref().map(|one| (one.rank, one.direction, one.member.seen, promised(one), None));
        for event in self.given.iter().filter(|event| !is_plain_only || event.is_plain()) {
            let (validate, mask) = match &self.whole {
                Some(whole) => (&whole.validate, event.select(&whole.outputs)),
                None => (&self.validate, event.select_parsed(self.readings.parsed())),
            };
            let inside = validate.inside(&mask);
            for &direction in directions {
                let seen = pair(inside, validate, direction);
                let promise = prospect(direction).promise(seen);
                // Of equals the first.
                if best.as_ref().is_none_or(|(highest, ..)| promise > *highest) {
                    best = Some((promise, direction, seen, promise, Some(event)));
                }
            }
        }
        let (_, direction, seen, promise, given) = best?;
        if promise == f64::NEG_INFINITY {
            return None;
        }
        let prospect = prospect(direction);
        let candidate = |event, seen| Candidate { event, direction, seen, promise, prospect };
        if let Some(event) = given {
            return Some(candidate(event.clone(), seen));
        }
        let Ranked { place, family, member, .. } = leader.as_ref()?;
        match (self.readings.feature(*place)?, family) {
            // A score is learned again from both parts, and cut where as many are inside: its threshold was
            // compared, and is not fitted to what it learned from.
            (Feature::Score(_), _) => {
                let both = self.train.plus(&self.validate);
                let again = self.relearned.get_or_init(|| self.readings.learned(&both));
                let (feature, column) = again.as_ref()?;
                let (weights, _) = direction.orient(&both.a, &both.b);
                let end = column.end(member.is_from_below(), real(seen.x) / real(seen.n.max(1)), weights);
                Some(candidate(Event { feature: feature.clone(), within: column.within(&[end])? }, seen))
            }
            // A threshold gains by more samples; what has more to choose would fit them.
            (feature, family @ (Family::Thresholds | Family::Tails)) => {
                let whole = self.whole.as_ref().filter(|_| is_final);
                let (train, validate) =
                    whole.map_or((&self.train, &self.validate), |whole| (&whole.train, &whole.validate));
                let both = train.plus(validate);
                let column = self.column(*place, is_final)?;
                let again = Grouped::new(*family, &column, &both, &both).best(direction, &prospect)?;
                // The promise stays that of the validation, which no fit has touched.
                Some(candidate(again.event(feature, &column)?, again.seen))
            }
            (feature, Family::Ratios) => {
                Some(candidate(member.event(feature, &*self.column(*place, is_final)?)?, seen))
            }
        }
    }
}

/// What a family offers in a direction.
struct Ranked {
    /// The place of its feature.
    place: usize,
    family: Family,
    direction: Orientation,
    rank: f64,
    member: Member,
}

/// What each family offers in each direction, the best first, and of equals the first.
///
/// **A half-line of a quantity is taken at its word; anything else must be better by a standard error.** There
/// are few half-lines, and neighbours among them are nearly the same event. Sets of single values, residues
/// and lengths are many, and put together by the order that noise gave: of a violation that is just about to
/// be seen the luckiest of them would beat the half-line that is the truth.
fn ranked(
    readings: &Readings<'_>,
    families: &[(usize, Grouped)],
    prospect: &dyn Fn(Orientation) -> Prospect,
    directions: &[Orientation],
) -> Vec<Ranked> {
    let offers = families.iter().flat_map(|(place, grouped)| {
        directions.iter().filter_map(|&direction| {
            let feature = readings.feature(*place)?;
            let prospect = prospect(direction);
            let member = grouped.best(direction, &prospect)?;
            let is_taken_at_its_word = match grouped.family {
                Family::Thresholds | Family::Tails => feature.is_quantity(),
                Family::Ratios => false,
            };
            let promise = prospect.doubted(member.seen, if is_taken_at_its_word { 0.0 } else { 1.0 });
            let handicap =
                if matches!(feature, Feature::Score(_) | Feature::Digit(_)) { HANDICAP * promise.abs() } else { 0.0 };
            Some(Ranked { place: *place, family: grouped.family, direction, rank: promise - handicap, member })
        })
    });
    let mut offers: Vec<Ranked> = offers.collect();
    offers.sort_by(|one, two| two.rank.total_cmp(&one.rank));
    offers
}

impl<'a> Rows<'a> {
    /// The outputs that either part holds.
    fn held(outputs: &[&'a Output], train: &Counts, validate: &Counts) -> Self {
        let sums = train.a.iter().zip(&train.b).zip(&validate.a).zip(&validate.b);
        let held: Vec<bool> = sums.map(|(((a, b), c), d)| a + b + c + d > 0).collect();
        let keep = |counts: &Counts| Counts { a: those(&counts.a, &held), b: those(&counts.b, &held) };
        Self { outputs: those(outputs, &held), train: keep(train), validate: keep(validate) }
    }

    fn thinned(&self, step: u64) -> Self {
        Self::held(&self.outputs, &thinned(&self.train, step), &thinned(&self.validate, step))
    }
}

/// Those that are held, in as much memory as they take.
fn those<T: Copy>(all: &[T], held: &[bool]) -> Vec<T> {
    let mut those: Vec<T> = all.iter().zip(held).filter(|(_, held)| **held).map(|(one, _)| *one).collect();
    those.shrink_to_fit();
    those
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
fn pair((a, b): (u64, u64), counts: &Counts, direction: Orientation) -> EventCounts {
    let (n_a, n_b) = counts.samples();
    let ((x, n), (y, m)) = direction.orient((a, n_a), (b, n_b));
    EventCounts { x, n, y, m }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(a: &[u64], b: &[u64]) -> Counts {
        Counts { a: a.to_vec(), b: b.to_vec() }
    }

    /// Every step-th sample is kept, wherever it lies, and none is made up.
    #[test]
    fn thinning_keeps_every_so_many() {
        let all = counts(&[3, 0, 5, 1, 1, 7], &[0, 0, 1, 0, 0, 1]);
        assert_eq!(thinned(&all, 1).a, all.a);
        assert_eq!(thinned(&all, 3).a, [1, 0, 1, 1, 0, 2]);
        assert_eq!(thinned(&all, 3).b, [0; 6]);
        for step in 1..20 {
            let thin = thinned(&all, step);
            assert_eq!(thin.a.iter().sum::<u64>(), 17 / step);
            assert!(thin.a.iter().zip(&all.a).all(|(thin, all)| thin <= all));
        }
    }

    /// 600,000 different numbers, a tenth of which, from 900,000 on, one side alone has: more rows than are
    /// read for every feature. The event is chosen among thinned rows, and its threshold and counts are those
    /// of all of them.
    #[test]
    fn finalists_are_read_in_all_of_the_part() {
        let outputs: Vec<Output> = (0..600_000_i64).map(|place| Output::parse(&(place * 5 / 3).to_string())).collect();
        let outputs: Vec<&Output> = outputs.iter().collect();
        let side = |from: usize, part: usize, end: usize| -> Vec<u64> {
            (0..600_000).map(|place| u64::from(place % 4 == from + part && place < end)).collect()
        };
        let part = |part| counts(&side(0, part, 600_000), &side(1, part, 540_000));
        let (train, validate) = (part(0), part(2));
        let search = Search::new(&outputs, &train, &validate, (150_000, 150_000), &[], &[]);
        assert!(search.whole.is_some() && search.readings.parsed().len() <= MOST_ROWS);
        let best = search.best(Goal::Epsilon { delta: 0.0 }, 0.01).unwrap();
        assert_eq!((best.event.feature, best.direction), (Feature::Value, Orientation::AOverB));
        assert_eq!((best.seen.n, best.seen.m), (300_000, 270_000));
        // Less what a bin of 512 may hold.
        assert!(best.seen.x >= 30_000 - 1_200 && best.seen.y == 0, "{:?}", best.seen);
    }
}
