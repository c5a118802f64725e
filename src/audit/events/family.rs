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
    let mut words: Vec<_> = words.into_iter().collect();
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
    let mut from = f64::NEG_INFINITY;
    let (mut a, mut b) = (0, 0);
    let mut numbers = numbers.into_iter().peekable();
    while let Some((number, more_a, more_b)) = numbers.next() {
        (a, b) = (a + more_a, b + more_b);
        match numbers.peek() {
            #[expect(clippy::float_cmp, reason = "the very same number")]
            Some((next, ..)) if *next == number => continue,
            // The line is cut half-way between neighbours, so that unseen numbers fall to the nearer one.
            Some((next, ..)) if a + b > enough => {
                let half = number + (next - number) / 2.0;
                let to = if half.is_finite() && half < *next { half } else { number };
                groups.push(Group { within: between(from, to), a, b });
                (from, a, b) = (to.next_up(), 0, 0);
            }
            Some(_) => {}
            None => groups.push(Group { within: between(from, f64::INFINITY), a, b }),
        }
    }
    groups
}

fn between(from: f64, to: f64) -> Within {
    Within::Intervals(vec![Interval { from: Real(from), to: Real(to) }])
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
    intervals.sort_by(|one, two| one.from.0.total_cmp(&two.from.0));
    let mut joined: Vec<Interval> = Vec::new();
    for interval in intervals {
        match joined.last_mut() {
            Some(last) if last.to.0.next_up() >= interval.from.0 => last.to = interval.to,
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
    let mut features = vec![Feature::Output, Feature::Presence, Feature::Shape, Feature::Length];
    if numbers {
        features.extend([Feature::Value, Feature::Magnitude, Feature::Special]);
        features.push(Feature::LowestBit { scale: Real(1.0) });
        for &scale in scales.iter().filter(|scale| scale.is_finite() && **scale != 0.0) {
            features.extend([Feature::LowestBit { scale: Real(scale) }, Feature::OnGrid { step: Real(scale) }]);
        }
        if floats {
            features.push(Feature::OnGrid { step: Real(1.0) });
        }
    }
    if dimension > 0 {
        features.extend([
            Feature::Dimension,
            Feature::Least,
            Feature::Greatest,
            Feature::Sum,
            Feature::PlaceOfGreatest,
        ]);
        for place in 0..dimension.min(PARTS) {
            features.extend([Feature::Part(place), Feature::PartText(place)]);
            if place > 0 {
                features.push(Feature::Difference(place));
            }
        }
    }
    features
}

/// Every family that has two different readings to tell apart.
pub(super) fn read_families<'a>(
    parsed: &[Parsed<'a>],
    counts: &Counts,
    scales: &[f64],
) -> Vec<(Feature, Vec<Reading>)> {
    let read = |feature: Feature| {
        let readings = readings(&feature, parsed);
        (feature, readings)
    };
    features(parsed, counts, scales)
        .into_iter()
        .map(read)
        .filter(|(_, readings)| readings.windows(2).any(|pair| matches!(pair, [one, two] if one != two)))
        .collect()
}
