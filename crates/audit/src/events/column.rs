//! What a feature reads in many outputs, sorted once.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Feature, Float, Interval, Parsed, Reading, Within};
use crate::outputs::{Counts, Output};
use crate::statistics::real;

/// The readings of a feature, row by row: every grouping of them is a walk along one order.
#[derive(Clone, Debug)]
pub(super) struct Column<'a> {
    rows: usize,
    /// Ascending numbers, with their rows.
    numbers: Vec<(f64, usize)>,
    /// The words, and for every row with a word which one.
    words: Vec<Cow<'a, str>>,
    worded: Vec<(usize, usize)>,
    /// The rows without a reading.
    nothing: Vec<usize>,
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

/// How numbers are grouped in spans.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spans {
    /// Of about the same weight.
    Even {
        /// About how many there are at most: each but the last has more than 1/`most` of the weight…
        most: u64,
        /// … and at least this weight.
        least: u64,
    },
    /// Ever finer ones towards both ends, and one for all between.
    Tails {
        /// Each tail has 1/`share` of the weight.
        share: u64,
    },
}

/// Words that occur less often are not told apart.
const MOST_WORDS: usize = 4096;

/// The counts of a row.
fn at(counts: &Counts, row: usize) -> (u64, u64) {
    (counts.a.get(row).copied().unwrap_or(0), counts.b.get(row).copied().unwrap_or(0))
}

/// Adds a row's counts.
fn add(sum: &mut (u64, u64), counts: &Counts, row: usize) {
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
        for (row, reading) in readings.enumerate() {
            rows = row + 1;
            match reading {
                Reading::Nothing => nothing.push(row),
                Reading::Number(number) => numbers.push((number, row)),
                Reading::Word(word) => match codes.get(&word) {
                    Some(&code) => worded.push((code, row)),
                    None => {
                        worded.push((words.len(), row));
                        codes.insert(word.clone(), words.len());
                        words.push(word);
                    }
                },
            }
        }
        // Which of equal numbers comes first does not matter: they are never parted.
        numbers.sort_unstable_by(|one: &(f64, usize), two| one.0.total_cmp(&two.0));
        Self { rows, numbers, words, worded, nothing }
    }

    /// The words alone, whose groups somebody else has counted: no row has a reading.
    pub(super) fn of_words(words: Vec<String>) -> Self {
        let words = words.into_iter().map(Cow::Owned).collect();
        Self { rows: 0, numbers: Vec::new(), words, worded: Vec::new(), nothing: Vec::new() }
    }

    /// Whether two rows that were counted differ.
    pub(super) fn differs(&self, counts: &Counts) -> bool {
        let counted = |row: &usize| at(counts, *row) != (0, 0);
        let mut numbers = self.numbers.iter().filter(|(_, row)| counted(row)).map(|(number, _)| *number);
        let mut words = self.worded.iter().filter(|(_, row)| counted(row)).map(|(code, _)| *code);
        let (number, word, nothing) = (numbers.next(), words.next(), self.nothing.iter().any(counted));
        usize::from(number.is_some()) + usize::from(word.is_some()) + usize::from(nothing) > 1
            || number.is_some_and(|first| numbers.any(|other| first.total_cmp(&other).is_ne()))
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

    /// Spans that cover all numbers.
    fn spans(&self, fit: &Counts, check: &Counts, spans: Spans, groups: &mut Vec<Group>) {
        let weight: u64 = self.numbers.iter().map(|(_, row)| at(fit, *row)).map(|(a, b)| a + b).sum();
        let (enough, tails) = match spans {
            Spans::Even { most, least } => ((weight / most.max(1)).max(least.saturating_sub(1)), Vec::new()),
            Spans::Tails { share } => (u64::MAX, self.tail_cuts(fit, weight / share.max(1))),
        };
        let mut tails = tails.into_iter().peekable();
        let empty = |from| Group { key: Key::Span { from, to: self.numbers.len() }, fit: (0, 0), check: (0, 0) };
        let mut group = empty(0);
        let mut from = 0;
        let nexts = self.numbers.iter().skip(1).map(Some).chain([None]);
        for ((to, &(number, row)), next) in (1..).zip(&self.numbers).zip(nexts) {
            add(&mut group.fit, fit, row);
            add(&mut group.check, check, row);
            let is_cut = tails.next_if_eq(&to).is_some() || group.fit.0 + group.fit.1 > enough;
            #[expect(clippy::float_cmp, reason = "the very same number")]
            let ends = match next {
                Some((next, _)) => is_cut && *next != number,
                None => true,
            };
            if ends {
                groups.push(Group { key: Key::Span { from, to }, ..group });
                from = to;
                group = empty(from);
            }
        }
    }

    /// Where the two tails are cut, as ascending places in the order of the numbers.
    ///
    /// From either end the cuts are at the order statistics 1, 2, 4, … of the weight, as far as
    /// `most_weight`, and between two of them where the gap between neighbours is widest: a rare leak that
    /// lies apart from all else is then a span of its own, whatever its number of samples; one that does not
    /// is one to within a factor of two.
    fn tail_cuts(&self, fit: &Counts, most_weight: u64) -> Vec<usize> {
        let length = self.numbers.len();
        let mut cuts = self.tail_from((0..length).map(|place| (place, place + 1)), fit, most_weight);
        cuts.extend(self.tail_from((0..length).rev().map(|place| (place, place)), fit, most_weight));
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// The cuts of one tail, given the places from its end inward, each with the place of the cut that
    /// follows it.
    #[expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]
    fn tail_from(&self, inward: impl Iterator<Item = (usize, usize)>, fit: &Counts, most_weight: u64) -> Vec<usize> {
        let mut cuts = Vec::new();
        let (mut weight, mut next_statistic) = (0, 1_u64);
        let mut widest: Option<(f64, usize)> = None;
        for (place, cut) in inward {
            let Some((_, row)) = self.numbers.get(place) else { break };
            let (a, b) = at(fit, *row);
            weight += a + b;
            if weight > most_weight {
                break;
            }
            let neighbours = cut.checked_sub(1).and_then(|low| self.numbers.get(low)).zip(self.numbers.get(cut));
            // Equal numbers are never parted.
            let Some(gap) = neighbours.filter(|(low, high)| low.0 < high.0).map(|(low, high)| high.0 - low.0) else {
                continue;
            };
            if weight >= next_statistic {
                cuts.extend(widest.take().map(|(_, cut)| cut));
                cuts.push(cut);
                // Samples never number 2^63; a statistic that did not move would only cut more.
                next_statistic = (weight + 1).checked_next_power_of_two().unwrap_or(weight);
            } else if gap > widest.map_or(0.0, |(gap, _)| gap) {
                widest = Some((gap, cut));
            }
        }
        cuts.extend(widest.map(|(_, cut)| cut));
        cuts
    }

    fn words(&self, fit: &Counts, check: &Counts) -> Vec<Group> {
        let empty = |code| Group { key: Key::Word(code), fit: (0, 0), check: (0, 0) };
        let mut groups: Vec<Group> = (0..self.words.len()).map(empty).collect();
        for (code, row) in &self.worded {
            if let Some(group) = groups.get_mut(*code) {
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
        let mut set = |row: usize, value: f64| {
            if let Some(entry) = values.get_mut(row) {
                *entry = value;
            }
        };
        let mut by_word = HashMap::new();
        for (group, value) in groups {
            match group.key {
                Key::Nothing => self.nothing.iter().for_each(|row| set(*row, *value)),
                Key::Span { from, to } => {
                    self.numbers.get(from..to).unwrap_or_default().iter().for_each(|(_, row)| set(*row, *value));
                }
                Key::Word(code) => {
                    by_word.insert(code, *value);
                }
            }
        }
        for (code, row) in self.worded.iter().filter(|_| !by_word.is_empty()) {
            set(*row, by_word.get(code).copied().unwrap_or(0.0));
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
        let weight = |row: &usize| weights.get(*row).copied().unwrap_or(0);
        let total: u64 = self.numbers.iter().map(|(_, row)| weight(row)).sum();
        let mut sum = 0;
        let mut enough = |(_, row): &(f64, usize)| {
            sum += weight(row);
            real(sum) >= share * real(total)
        };
        let length = self.numbers.len();
        // Equal numbers stay together.
        let key = if from_below {
            let place = self.numbers.iter().position(&mut enough).unwrap_or(length);
            let last = self.numbers.get(place).map_or(f64::INFINITY, |(number, _)| *number);
            Key::Span { from: 0, to: self.numbers.partition_point(|(number, _)| *number <= last) }
        } else {
            let place = self.numbers.iter().rposition(&mut enough).unwrap_or(0);
            let first = self.numbers.get(place).map_or(f64::NEG_INFINITY, |(number, _)| *number);
            Key::Span { from: self.numbers.partition_point(|(number, _)| *number < first), to: length }
        };
        Group { key, fit: (0, 0), check: (0, 0) }
    }

    /// Where the line is cut before a place in the order: between neighbours, so that unseen numbers fall to
    /// one of them.
    fn cut(&self, place: usize) -> Option<f64> {
        let (low, _) = self.numbers.get(place.checked_sub(1)?)?;
        let (high, _) = self.numbers.get(place)?;
        Some(cut(*low, *high))
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

    /// Of 10,000 samples in a row, the first seven and the last five lie apart: they are spans, beside those
    /// of 1, 2 and 4 samples and more, up to the weight of a common span. Spans of even weight have them
    /// among others.
    #[test]
    fn tails_are_cut_finer_and_where_they_gap() {
        let value = |place: i32| {
            f64::from(place) + if place < 7 { -900.0 } else { 0.0 } + if place < 9_995 { 0.0 } else { 900.0 }
        };
        let column = Column::new((0..10_000).rev().map(|place| Reading::Number(value(place))));
        let fit = Counts { a: vec![1; 10_000], b: vec![0; 10_000] };
        let ends = |spans| -> Vec<usize> {
            let groups = column.groups(&fit, &Counts::default(), spans);
            groups.iter().map(|group| if let Key::Span { to, .. } = group.key { to } else { 0 }).collect()
        };
        assert_eq!(ends(Spans::Even { most: 100, least: 0 }).first(), Some(&101));
        let fine = ends(Spans::Tails { share: 100 });
        let low = [1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 33, 64, 65];
        let high = [9_935, 9_936, 9_967, 9_968, 9_983, 9_984, 9_991, 9_992, 9_995, 9_996, 9_997, 9_998, 9_999, 10_000];
        assert_eq!(fine, [&low[..], &high].concat());
        // All alike: there is nothing to cut.
        let column = Column::new((0..100).map(|_| Reading::Number(f64::INFINITY)));
        let fit = Counts { a: vec![1; 100], b: vec![0; 100] };
        assert_eq!(column.groups(&fit, &Counts::default(), Spans::Tails { share: 10 }).len(), 1);
    }
}
