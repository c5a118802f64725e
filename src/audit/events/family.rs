//! Families of events, and the best member of each on given counts.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use std::collections::BTreeMap;

use super::{Direction, Event, Feature, Interval, Parsed, Prospect, Reading, Real, Within};
use crate::audit::outputs::Counts;
use crate::audit::statistics::real;
use crate::audit::statistics::region::Pair;

/// Sets of readings of a feature.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// reading ≤ t and reading ≥ t.
    Thresholds(Feature),
    /// The readings, or bins of them, in the order of their estimated likelihood ratio, down to some ratio.
    Ratios(Feature),
}

impl Family {
    /// What the events look at.
    #[must_use]
    pub fn feature(&self) -> &Feature {
        match self {
            Self::Thresholds(feature) | Self::Ratios(feature) => feature,
        }
    }
}

/// The most bins for thresholds.
const THRESHOLDS: u64 = 512;

/// The most bins for likelihood ratios of numbers: each must hold enough samples for a ratio.
const BINS: u64 = 40;

/// Words that occur less often are not told apart.
const MOST_WORDS: usize = 4096;

/// A set of readings with its counts.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub within: Within,
    pub a: u64,
    pub b: u64,
}

/// The readings of all outputs.
pub(super) fn readings(feature: &Feature, parsed: &[Parsed<'_>]) -> Vec<Reading> {
    parsed.iter().map(|parsed| feature.read(parsed)).collect()
}

/// Groups readings into at most `most` intervals of about the same weight, one word each, and those without a reading.
pub(super) fn groups(readings: &[Reading], counts: &Counts, most: u64) -> Vec<Group> {
    let mut numbers: Vec<(f64, u64, u64)> = Vec::new();
    let mut words: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut nothing = (0, 0);
    for ((reading, &a), &b) in readings.iter().zip(&counts.a).zip(&counts.b).filter(|((_, a), b)| **a + **b > 0) {
        match reading {
            Reading::Nothing => nothing = (nothing.0 + a, nothing.1 + b),
            Reading::Number(number) => numbers.push((*number, a, b)),
            Reading::Word(word) => {
                let seen = words.entry(word).or_default();
                *seen = (seen.0 + a, seen.1 + b);
            }
        }
    }
    let mut groups = Vec::new();
    if nothing != (0, 0) {
        groups.push(Group { within: Within::Read(false), a: nothing.0, b: nothing.1 });
    }
    groups.extend(intervals(numbers, most));
    // A word seen once says nothing of the next sample, and would only make the event long.
    let mut words: Vec<_> = words.into_iter().filter(|(_, (a, b))| a + b > 1).collect();
    if words.len() > MOST_WORDS {
        words.sort_by_key(|(_, (a, b))| core::cmp::Reverse(a + b));
        words.truncate(MOST_WORDS);
    }
    let group = |(word, (a, b)): (&str, (u64, u64))| Group { within: Within::Words(vec![word.to_owned()]), a, b };
    groups.extend(words.into_iter().map(group));
    groups
}

/// Intervals that cover the line, each but the last with at least 1/`most` of the weight (equal numbers are never parted).
fn intervals(mut numbers: Vec<(f64, u64, u64)>, most: u64) -> Vec<Group> {
    numbers.sort_by(|one, two| one.0.total_cmp(&two.0));
    let weight: u64 = numbers.iter().map(|(_, a, b)| a + b).sum();
    let enough = weight / most.max(1);
    let mut groups: Vec<Group> = Vec::new();
    let mut above = f64::NEG_INFINITY;
    let (mut a, mut b) = (0, 0);
    let mut numbers = numbers.into_iter().peekable();
    while let Some((number, more_a, more_b)) = numbers.next() {
        (a, b) = (a + more_a, b + more_b);
        match numbers.peek() {
            #[expect(clippy::float_cmp, reason = "the very same number")]
            Some((next, ..)) if *next == number => continue,
            // The line is cut between neighbours, so that unseen numbers fall to one of them.
            Some((next, ..)) if a + b > enough => {
                let to = cut(number, *next);
                groups.push(Group { within: between(above, to), a, b });
                (above, a, b) = (to, 0, 0);
            }
            Some(_) => {}
            None => groups.push(Group { within: between(above, f64::INFINITY), a, b }),
        }
    }
    groups
}

/// The shortest decimal about half-way that is at least `low` and below `high`; `low` where none is.
fn cut(low: f64, high: f64) -> f64 {
    let half = low + (high - low) / 2.0;
    if !half.is_finite() || half.abs() > 1e15 {
        return low;
    }
    let rounded =
        |digits: usize| [half, low].into_iter().filter_map(move |number| format!("{number:.digits$}").parse().ok());
    (0..18).flat_map(rounded).find(|cut| (low..high).contains(cut)).unwrap_or(low)
}

fn between(above: f64, to: f64) -> Within {
    Within::Intervals(vec![Interval { above: Real(above), to: Real(to) }])
}

/// The best member of a family for a goal, on these counts.
#[must_use]
pub(super) fn best(
    family: &Family,
    readings: &[Reading],
    counts: &Counts,
    direction: Direction,
    prospect: &Prospect,
) -> Option<Event> {
    let (most, by_ratio) = match family {
        Family::Thresholds(_) => (THRESHOLDS, false),
        Family::Ratios(_) => (BINS, true),
    };
    let mut groups = groups(readings, counts, most);
    let (total_n, total_m) = {
        let (a, b) = counts.samples();
        direction.orient(a, b)
    };
    let oriented = |group: &Group| direction.orient(group.a, group.b);
    if by_ratio {
        // Half a sample more on each side: a ratio that a single sample made is not infinite.
        let ratio = |group: &Group| {
            let (x, y) = oriented(group);
            ((real(x) + 0.5) / (real(total_n) + 1.0)) / ((real(y) + 0.5) / (real(total_m) + 1.0))
        };
        groups.sort_by(|one, two| ratio(two).total_cmp(&ratio(one)));
    } else {
        // Readings that are nothing are no numbers, above no threshold.
        groups.retain(|group| matches!(group.within, Within::Intervals(_)));
    }
    let (n, m) = groups.iter().map(oriented).fold((0, 0), |(n, m), (x, y)| (n + x, m + y));
    let mut found: Option<(f64, usize, bool)> = None;
    let (mut x, mut y) = (0, 0);
    for (place, group) in groups.iter().enumerate() {
        let (more_x, more_y) = oriented(group);
        (x, y) = (x + more_x, y + more_y);
        let mut consider = |x, y, is_rest| {
            let promise = prospect.promise(Pair { x, n: total_n, y, m: total_m });
            if promise > f64::NEG_INFINITY && found.is_none_or(|(best, ..)| promise > best) {
                found = Some((promise, place, is_rest));
            }
        };
        consider(x, y, false);
        if !by_ratio {
            consider(n - x, m - y, true);
        }
    }
    let (_, place, is_rest) = found?;
    let chosen = if is_rest { groups.get(place + 1..) } else { groups.get(..=place) };
    Some(Event { feature: family.feature().clone(), within: union(chosen?)? })
}

/// All of the groups as one set; where numbers and words mix, the numbers: validation tells what that is worth.
fn union(groups: &[Group]) -> Option<Within> {
    let (mut intervals, mut words, mut nothing) = (Vec::new(), Vec::new(), false);
    for group in groups {
        match &group.within {
            Within::Intervals(more) => intervals.extend_from_slice(more),
            Within::Words(more) => words.extend_from_slice(more),
            Within::Read(_) => nothing = true,
        }
    }
    words.sort_unstable();
    intervals.sort_by(|one, two| one.above.0.total_cmp(&two.above.0));
    let mut joined: Vec<Interval> = Vec::new();
    for interval in intervals {
        match joined.last_mut() {
            Some(last) if last.to.0 >= interval.above.0 => last.to = interval.to,
            _ => joined.push(interval),
        }
    }
    match (joined.is_empty(), words.is_empty()) {
        (false, _) => Some(Within::Intervals(joined)),
        (true, false) => Some(Within::Words(words)),
        (true, true) => nothing.then_some(Within::Read(false)),
    }
}

/// The most parts of a vector that are looked at one by one.
const PARTS: usize = 24;

/// The features worth a look, by what the selection part holds.
fn features(parsed: &[Parsed<'_>], counts: &Counts, scales: &[f64]) -> Vec<Feature> {
    let seen = || {
        parsed.iter().zip(&counts.a).zip(&counts.b).filter(|((_, a), b)| **a + **b > 0).map(|((parsed, _), _)| parsed)
    };
    let (mut numbers, mut floats, mut dimension) = (false, false, 0);
    for one in seen() {
        numbers |= one.number().is_some();
        floats |= one.number().is_some_and(|number| number.fract() != 0.0);
        dimension = dimension.max(one.dimension());
    }
    // The plainest first: of equals, the first wins.
    let mut features = vec![Feature::Presence, Feature::Shape];
    if numbers {
        features.extend([Feature::Special, Feature::Value, Feature::Magnitude]);
        features.push(Feature::LowestBit { scale: Real(1.0) });
        for &scale in scales.iter().filter(|scale| scale.is_finite() && **scale != 0.0) {
            features.extend([Feature::LowestBit { scale: Real(scale) }, Feature::OnGrid { step: Real(scale) }]);
        }
        if floats {
            features.push(Feature::OnGrid { step: Real(1.0) });
        }
    }
    features.extend([Feature::Output, Feature::Length]);
    if dimension > 0 {
        features.extend([
            Feature::Dimension,
            Feature::Least,
            Feature::Greatest,
            Feature::Sum,
            Feature::PlaceOfGreatest,
        ]);
        for place in 0..dimension.min(PARTS) {
            features.push(Feature::Part(place));
            if seen().any(|parsed| parsed.is_word(place)) {
                features.push(Feature::PartText(place));
            }
            if place > 0 {
                features.push(Feature::Difference(place));
            }
        }
    }
    features
}

/// The features that tell outputs of the training part apart, with their readings of all outputs.
///
/// Which features these are depends on the training part alone: outputs that only the evaluation part holds are read, and not asked.
pub(super) fn read_families(parsed: &[Parsed<'_>], counts: &Counts, scales: &[f64]) -> Vec<(Feature, Vec<Reading>)> {
    let differ = |readings: &[Reading]| {
        let trained = readings.iter().zip(&counts.a).zip(&counts.b).filter(|((_, a), b)| **a + **b > 0);
        let mut trained = trained.map(|((reading, _), _)| reading);
        trained.next().is_some_and(|first| trained.any(|other| other != first))
    };
    let read = |feature: Feature| {
        let readings = readings(&feature, parsed);
        differ(&readings).then_some((feature, readings))
    };
    features(parsed, counts, scales).into_iter().filter_map(read).collect()
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

    /// The groups part the line: every number is in exactly one, and the counts are those of the samples.
    #[test]
    fn groups_part_the_readings() {
        let readings: Vec<Reading> =
            (0..1000).map(|i| Reading::Number(f64::from(i * 37 % 1000) / 7.0)).chain([Reading::Nothing]).collect();
        let counts = Counts { a: (0..1001).map(|i| i % 5).collect(), b: (0..1001).map(|i| i % 3).collect() };
        for most in [1, 2, 40, 5000] {
            let groups = groups(&readings, &counts, most);
            for (reading, _) in readings.iter().zip(0..) {
                assert_eq!(
                    groups.iter().filter(|group| group.within.contains(reading)).count(),
                    1,
                    "{reading:?} of {most}"
                );
            }
            for group in &groups {
                let mask: Vec<bool> = readings.iter().map(|reading| group.within.contains(reading)).collect();
                assert_eq!(counts.inside(&mask), (group.a, group.b));
            }
        }
    }
}
