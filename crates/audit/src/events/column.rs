//! What a feature reads in many outputs, sorted once.

mod numbers;
mod spans;

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Feature, Float, Interval, Parsed, Reading, Within};
use crate::outputs::{Counts, Output};
use crate::statistics::real;

use numbers::{Numbers, Run};
pub(super) use spans::Spans;

/// The readings of a feature, row by row: every grouping of them is a walk along one order.
#[derive(Clone, Debug)]
pub(super) struct Column<'a> {
    rows: usize,
    numbers: Numbers,
    /// The words, and for every row with a word which one.
    words: Vec<Cow<'a, str>>,
    worded: Vec<(u32, u32)>,
    /// The rows without a reading.
    nothing: Vec<u32>,
}

/// Which readings a group holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// None at all.
    Nothing,
    /// The numbers from a place in their order to below another. Invariant: equal numbers are in one group.
    Span { from: usize, to: usize },
    /// A word.
    Word(usize),
}

/// A set of readings with its counts, (first side, second side): in the part that it was fitted on, and in
/// the part to check it on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub key: Key,
    pub fit: (u64, u64),
    pub check: (u64, u64),
}

/// Words that occur less often are not told apart.
const MOST_WORDS: usize = 4096;

/// The counts of a row.
fn at(counts: &Counts, row: u32) -> (u64, u64) {
    let row = row as usize;
    (counts.a.get(row).copied().unwrap_or(0), counts.b.get(row).copied().unwrap_or(0))
}

/// Adds a row's counts.
fn add(sum: &mut (u64, u64), counts: &Counts, row: u32) {
    let (a, b) = at(counts, row);
    *sum = (sum.0 + a, sum.1 + b);
}

impl<'a> Column<'a> {
    /// Reads every output.
    pub(super) fn read(feature: &Feature, parsed: &[Parsed<'a>]) -> Self {
        Self::new(parsed.iter().map(|parsed| feature.read(parsed)))
    }

    /// Reads every output, and keeps none of what was read of it for others.
    pub(super) fn read_all(feature: &Feature, outputs: &[&'a Output]) -> Self {
        match feature {
            Feature::Score(score) => {
                let reader = score.reader();
                Self::new(outputs.iter().map(|output| Reading::Number(reader.of(&Parsed::new(output)))))
            }
            feature => Self::new(outputs.iter().map(|output| feature.read(&Parsed::new(output)))),
        }
    }

    pub(super) fn new(readings: impl Iterator<Item = Reading<'a>>) -> Self {
        let (mut numbers, mut worded, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
        let (mut words, mut codes) = (Vec::new(), HashMap::new());
        let mut rows = 0;
        // No memory holds 2^32 different outputs.
        for (row, reading) in (0_u32..).zip(readings) {
            rows += 1;
            match reading {
                Reading::Nothing => nothing.push(row),
                Reading::Number(number) => numbers.push((number, row)),
                Reading::Word(word) => match codes.get(&word) {
                    Some(&code) => worded.push((code, row)),
                    None => {
                        let code = u32::try_from(words.len()).unwrap_or(u32::MAX);
                        worded.push((code, row));
                        codes.insert(word.clone(), code);
                        words.push(word);
                    }
                },
            }
        }
        nothing.shrink_to_fit();
        worded.shrink_to_fit();
        Self { rows, numbers: Numbers::new(numbers), words, worded, nothing }
    }

    /// The words alone, whose groups somebody else has counted: no row has a reading.
    pub(super) fn of_words(words: Vec<String>) -> Self {
        let words = words.into_iter().map(Cow::Owned).collect();
        Self { rows: 0, numbers: Numbers::new(Vec::new()), words, worded: Vec::new(), nothing: Vec::new() }
    }

    /// Whether most readings are repeated, so that the column has hardly more than a number a row.
    pub(super) fn is_small(&self) -> bool {
        self.numbers.different() + self.words.len() <= self.rows / 8
    }

    /// Whether two rows that were counted differ.
    pub(super) fn differs(&self, counts: &Counts) -> bool {
        let counted = |row: &u32| at(counts, *row) != (0, 0);
        let numbers = self.numbers.runs().filter(|run| run.rows.iter().any(counted)).take(2).count();
        let mut words = self.worded.iter().filter(|(_, row)| counted(row)).map(|(code, _)| *code);
        let word = words.next();
        numbers + usize::from(word.is_some()) + usize::from(self.nothing.iter().any(counted)) > 1
            || word.is_some_and(|first| words.any(|other| first != other))
    }

    /// Groups: spans of numbers as `spans` says, one word each, and those without a reading.
    pub(super) fn groups(&self, fit: &Counts, check: &Counts, spans: Spans) -> Vec<Group> {
        let mut groups = Vec::new();
        let mut nothing = Group { key: Key::Nothing, fit: (0, 0), check: (0, 0) };
        for &row in &self.nothing {
            add(&mut nothing.fit, fit, row);
            add(&mut nothing.check, check, row);
        }
        groups.extend(Some(nothing).filter(|group| group.fit != (0, 0)));
        self.spans(fit, check, spans, &mut groups);
        groups.extend(self.words(fit, check));
        groups
    }

    fn words(&self, fit: &Counts, check: &Counts) -> Vec<Group> {
        let empty = |code: usize| Group { key: Key::Word(code), fit: (0, 0), check: (0, 0) };
        let mut groups: Vec<Group> = (0..self.words.len()).map(empty).collect();
        for (code, row) in &self.worded {
            if let Some(group) = groups.get_mut(*code as usize) {
                add(&mut group.fit, fit, *row);
                add(&mut group.check, check, *row);
            }
        }
        // A word seen once says nothing of the next sample, and would only make the event long.
        groups.retain(|group| group.fit.0 + group.fit.1 > 1);
        if groups.len() > MOST_WORDS {
            groups.sort_by_key(|group| core::cmp::Reverse(group.fit.0 + group.fit.1));
            groups.truncate(MOST_WORDS);
        }
        groups
    }

    /// A value for every row: that of its group, or 0.
    pub(super) fn spread(&self, groups: &[(Group, f64)]) -> Vec<f64> {
        let mut values = vec![0.0; self.rows];
        let mut set = |row: u32, value: f64| {
            if let Some(entry) = values.get_mut(row as usize) {
                *entry = value;
            }
        };
        let mut by_word = HashMap::new();
        for (group, value) in groups {
            match group.key {
                Key::Nothing => self.nothing.iter().for_each(|row| set(*row, *value)),
                Key::Span { from, to } => {
                    self.numbers.rows(from, to).iter().for_each(|row| set(*row, *value));
                }
                Key::Word(code) => {
                    by_word.insert(code, *value);
                }
            }
        }
        for (code, row) in self.worded.iter().filter(|_| !by_word.is_empty()) {
            set(*row, by_word.get(&(*code as usize)).copied().unwrap_or(0.0));
        }
        values
    }

    /// The readings of some groups as one set; `None` of no group. Groups of one kind alone: see
    /// [`one_kind`].
    pub(super) fn within(&self, groups: &[Group]) -> Option<Within> {
        let mut spans: Vec<(usize, usize)> = Vec::new();
        let mut words = Vec::new();
        for group in groups {
            match group.key {
                Key::Nothing => return Some(Within::Read(false)),
                Key::Span { from, to } => spans.push((from, to)),
                Key::Word(code) => words.extend(self.words.get(code).map(|word| word.clone().into_owned())),
            }
        }
        if !words.is_empty() {
            words.sort_unstable();
            return Some(Within::Words(words));
        }
        spans.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (from, to) in spans {
            match joined.last_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => joined.push((from, to)),
            }
        }
        let interval = |(from, to): (usize, usize)| Interval {
            above: Float(self.cut(from).unwrap_or(f64::NEG_INFINITY)),
            to: Float(self.cut(to).unwrap_or(f64::INFINITY)),
        };
        let intervals: Vec<Interval> = joined.into_iter().map(interval).collect();
        (!intervals.is_empty()).then_some(Within::Intervals(intervals))
    }

    /// The numbers from one end that hold about this share of the weights, as a group.
    #[expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]
    pub(super) fn end(&self, from_below: bool, share: f64, weights: &[u64]) -> Group {
        let weight =
            |rows: &[u32]| -> u64 { rows.iter().map(|row| weights.get(*row as usize).copied().unwrap_or(0)).sum() };
        let length = self.numbers.length();
        let total = weight(self.numbers.rows(0, length));
        let mut sum = 0;
        let mut enough = |run: &Run<'_>| {
            sum += weight(run.rows);
            real(sum) >= share * real(total)
        };
        let key = if from_below {
            Key::Span { from: 0, to: self.numbers.runs().find(&mut enough).map_or(length, |run| run.to) }
        } else {
            Key::Span { from: self.numbers.runs().rev().find(&mut enough).map_or(0, |run| run.from), to: length }
        };
        Group { key, fit: (0, 0), check: (0, 0) }
    }

    /// Where the line is cut before a place in the order: between neighbours, so that unseen numbers fall to
    /// one of them.
    fn cut(&self, place: usize) -> Option<f64> {
        Some(cut(self.numbers.at(place.checked_sub(1)?)?, self.numbers.at(place)?))
    }
}

/// Of groups of several kinds, those that one set can hold: the numbers, else the words.
pub(super) fn one_kind(mut groups: Vec<Group>) -> Vec<Group> {
    let has = |groups: &[Group], kind: fn(&Key) -> bool| groups.iter().any(|group| kind(&group.key));
    for kind in [|key: &Key| matches!(key, Key::Span { .. }), |key: &Key| matches!(key, Key::Word(_))] {
        if has(&groups, kind) {
            groups.retain(|group| kind(&group.key));
            break;
        }
    }
    groups
}

/// The shortest decimal about half-way that is at least `low` and below `high`; `low` where none is.
#[expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]
fn cut(low: f64, high: f64) -> f64 {
    let half = low + (high - low) / 2.0;
    if !half.is_finite() || half.abs() > 1e15 {
        return low;
    }
    let rounded =
        |digits: usize| [half, low].into_iter().filter_map(move |number| format!("{number:.digits$}").parse().ok());
    (0..18).flat_map(rounded).find(|cut| (low..high).contains(cut)).unwrap_or(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_short_and_between() {
        for (low, high, short) in [
            (3.0, 4.0, 3.0),
            (-54.0, -53.0, -54.0),
            (0.123_45, 0.123_99, 0.1237),
            (20.0, 30.0, 25.0),
            (1.0, 1.0_f64.next_up(), 1.0),
        ] {
            assert_eq!(cut(low, high), short);
        }
        assert_eq!(cut(f64::MIN, f64::MAX), f64::MIN);
        assert_eq!(cut(1.0, f64::INFINITY), 1.0);
    }

    /// From either end, whole runs of equal numbers until the share is reached; rows without weight add none.
    #[test]
    fn ends_are_whole_runs() {
        let column = Column::new([2.0, 1.0, 3.0, 2.0, 1.0, 2.0, 9.0].into_iter().map(Reading::Number));
        let end = |from_below, share| match column.end(from_below, share, &[1, 1, 1, 1, 1, 1, 0]).key {
            Key::Span { from, to } => (from, to),
            other => panic!("{other:?}"),
        };
        assert_eq!([0.1, 0.3, 0.4, 0.8, 0.9, 1.0].map(|share| end(true, share).1), [2, 2, 5, 5, 6, 6]);
        assert_eq!([0.1, 0.2, 0.6, 0.7, 1.0].map(|share| end(false, share).0), [5, 2, 2, 0, 0]);
        assert!(end(true, 0.1).0 == 0 && end(false, 0.1).1 == 7);
    }

    /// The groups part the readings: each is in exactly one, in the set that is stored too, and the counts of
    /// both parts are those of the rows.
    #[test]
    fn groups_part_the_readings() {
        let readings: Vec<Reading<'_>> = (0..1000)
            .map(|i| Reading::Number(f64::from(i * 37 % 1000) / 7.0))
            .chain([Reading::Nothing, Reading::Number(-0.0)])
            .chain((0..20).map(|i| Reading::Word(["red", "blue"][i % 2].into())))
            .collect();
        let rows = readings.len() as u64;
        let fit = Counts { a: (0..rows).map(|i| i % 5).collect(), b: (0..rows).map(|i| i % 3).collect() };
        let check = Counts { a: (0..rows).map(|i| i % 2).collect(), b: (0..rows).map(|i| i % 7).collect() };
        let column = Column::new(readings.iter().cloned());
        assert!(column.differs(&fit) && !column.differs(&Counts::default()));
        for spans in
            [1, 2, 40, 5000].map(|most| Spans::Even { most, least: 0 }).into_iter().chain([Spans::Tails { share: 9 }])
        {
            let groups = column.groups(&fit, &check, spans);
            let sets: Vec<Within> = groups.iter().map(|group| column.within(&[*group]).unwrap()).collect();
            for reading in &readings {
                assert_eq!(sets.iter().filter(|set| set.contains(reading)).count(), 1, "{reading:?} of {spans:?}");
            }
            for (group, set) in groups.iter().zip(&sets) {
                let mask: Vec<bool> = readings.iter().map(|reading| set.contains(reading)).collect();
                assert_eq!((fit.inside(&mask), check.inside(&mask)), (group.fit, group.check));
                let spread = column.spread(&[(*group, 2.5)]);
                assert!(spread.iter().zip(&mask).all(|(value, inside)| *value == if *inside { 2.5 } else { 0.0 }));
            }
            let numbers = one_kind(groups.clone());
            let all = column.within(&numbers).unwrap();
            assert_eq!(
                all,
                Within::Intervals(vec![Interval { above: Float(f64::NEG_INFINITY), to: Float(f64::INFINITY) }])
            );
        }
    }
}
