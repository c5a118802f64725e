//! Families of events, and the best member of each on given counts.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use std::collections::BTreeSet;

use super::column::{Column, Group, Key, Spans, one_kind};
use super::{Event, Feature, Float, Orientation, Parsed, Prospect};
use crate::outputs::Counts;
use crate::statistics::real;
use crate::statistics::region::EventCounts;

/// Sets of readings of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// reading ≤ t and reading > t.
    Thresholds,
    /// The same near the least and the greatest reading, where few samples are.
    Tails,
    /// The readings, or bins of them, in the order of their estimated likelihood ratio, down to some ratio.
    Ratios,
}

/// The bins for thresholds.
const THRESHOLDS: Spans = Spans::Even { most: 512, least: 0 };

/// The finer ones at both ends, where a violation may be rare and a bin for thresholds would hide it.
const TAILS: Spans = Spans::Tails { share: 512 };

/// The bins for likelihood ratios of numbers: each must hold enough samples for a ratio.
const BINS: Spans = Spans::Even { most: 40, least: 0 };

/// A family of a feature's events, grouped on the counts that it is fitted on.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    pub family: Family,
    groups: Vec<Group>,
    fit: (u64, u64),
    check: (u64, u64),
}

/// The best member of a family: its groups, and what was seen on the part to check it on.
#[derive(Clone, Debug)]
pub(super) struct Member {
    groups: Vec<Group>,
    pub seen: EventCounts,
}

impl Member {
    /// Whether it holds the lowest numbers.
    pub(super) fn is_from_below(&self) -> bool {
        self.groups.iter().any(|group| matches!(group.key, Key::Span { from: 0, .. }))
    }

    /// The event, readable.
    pub(super) fn event(&self, feature: &Feature, column: &Column<'_>) -> Option<Event> {
        Some(Event { feature: feature.clone(), within: column.within(&self.groups)? })
    }
}

/// A half-line of a quantity.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfLine {
    is_rest: bool,
    place: usize,
    pub seen: EventCounts,
}

/// A sum, with what was fitted of one group more: P's first.
fn plus((x, y): (u64, u64), direction: Orientation, group: &Group) -> (u64, u64) {
    let (more_x, more_y) = direction.orient(group.fit.0, group.fit.1);
    (x + more_x, y + more_y)
}

/// Families of events, each with the place of its feature.
pub(super) type Families = Vec<(usize, Grouped)>;

impl Grouped {
    /// The family on a column.
    pub(super) fn new(family: Family, column: &Column<'_>, fit: &Counts, check: &Counts) -> Self {
        let groups = match family {
            // Readings that are nothing are no numbers, above no threshold.
            Family::Thresholds | Family::Tails => {
                let spans = if family == Family::Tails { TAILS } else { THRESHOLDS };
                let mut groups = column.groups(fit, check, spans);
                groups.retain(|group| matches!(group.key, Key::Span { .. }));
                groups
            }
            Family::Ratios => column.groups(fit, check, BINS),
        };
        Self { family, groups, fit: fit.samples(), check: check.samples() }
    }

    /// The families of a feature.
    pub(super) fn all(feature: &Feature, column: &Column<'_>, fit: &Counts, check: &Counts) -> Vec<Self> {
        // A score is a ratio already: its thresholds are all there is to it.
        let kinds: &[Family] = match feature {
            Feature::Score(_) => &[Family::Thresholds],
            _ => &[Family::Thresholds, Family::Ratios, Family::Tails],
        };
        kinds.iter().map(|family| Self::new(*family, column, fit, check)).collect()
    }

    /// Likelihood ratios of groups that are counted already.
    pub(super) fn of_groups(groups: Vec<Group>, fit: &Counts, check: &Counts) -> Self {
        Self { family: Family::Ratios, groups, fit: fit.samples(), check: check.samples() }
    }

    /// The half-lines, with what was fitted: the cut is after the place, and the rest is what is above it.
    pub(super) fn half_lines(&self, direction: Orientation) -> impl Iterator<Item = HalfLine> {
        let ((n, m), (all_x, all_y)) = (
            direction.orient(self.fit.0, self.fit.1),
            self.groups.iter().fold((0, 0), |sum, group| plus(sum, direction, group)),
        );
        let cuts = self.groups.len().saturating_sub(1);
        let below = self.groups.iter().take(cuts).scan((0, 0), move |sum, group| {
            *sum = plus(*sum, direction, group);
            Some(*sum)
        });
        below.enumerate().flat_map(move |(place, (x, y))| {
            [
                HalfLine { is_rest: false, place, seen: EventCounts { x, n, y, m } },
                HalfLine { is_rest: true, place, seen: EventCounts { x: all_x - x, n, y: all_y - y, m } },
            ]
        })
    }

    /// Such a half-line as an event.
    pub(super) fn event(&self, line: HalfLine, feature: &Feature, column: &Column<'_>) -> Option<Event> {
        let groups = if line.is_rest { self.groups.get(line.place + 1..) } else { self.groups.get(..=line.place) };
        Some(Event { feature: feature.clone(), within: column.within(groups?)? })
    }

    /// The best member for a goal, by what was fitted.
    pub(super) fn best(&self, direction: Orientation, prospect: &Prospect) -> Option<Member> {
        let (total_n, total_m) = direction.orient(self.fit.0, self.fit.1);
        let oriented = |group: &Group| direction.orient(group.fit.0, group.fit.1);
        let mut groups = self.groups.clone();
        if self.family == Family::Ratios {
            // Half a sample more on each side: a ratio that a single sample made is not infinite.
            let ratio = |group: &Group| {
                let (x, y) = oriented(group);
                ((real(x) + 0.5) / (real(total_n) + 1.0)) / ((real(y) + 0.5) / (real(total_m) + 1.0))
            };
            groups.sort_by(|one, two| ratio(two).total_cmp(&ratio(one)));
        }
        let (n, m) = groups.iter().map(oriented).fold((0, 0), |(n, m), (x, y)| (n + x, m + y));
        let mut members: [Vec<(f64, EventCounts)>; 2] = [Vec::new(), Vec::new()];
        let [below, above] = &mut members;
        let (mut x, mut y) = (0, 0);
        for (place, group) in groups.iter().enumerate() {
            let (more_x, more_y) = oriented(group);
            (x, y) = (x + more_x, y + more_y);
            let member = |x, y| {
                let pair = EventCounts { x, n: total_n, y, m: total_m };
                (prospect.promise(pair), pair)
            };
            below.push(member(x, y));
            if self.family != Family::Ratios && place + 1 < self.groups.len() {
                above.push(member(n - x, m - y));
            }
        }
        let best = |members: &[(f64, EventCounts)]| {
            let promising = members.iter().enumerate().filter(|(_, (promise, _))| *promise > f64::NEG_INFINITY);
            // Of equals the first.
            promising
                .rev()
                .max_by(|one, two| one.1.0.total_cmp(&two.1.0))
                .map(|(place, (promise, _))| (place, *promise))
        };
        let (is_rest, place) = match (best(below), best(above)) {
            (Some((_, low)), Some((place, high))) if high > low => (true, place),
            (Some((place, _)), _) => (false, place),
            (None, Some((place, _))) => (true, place),
            (None, None) => return None,
        };
        let place = if self.family != Family::Ratios {
            middle(if is_rest { above } else { below }, place, prospect)
        } else {
            place
        };
        let chosen = if is_rest { groups.get(place + 1..) } else { groups.get(..=place) };
        let groups = one_kind(chosen?.to_vec());
        let (a, b) = groups.iter().fold((0, 0), |(a, b), group| (a + group.check.0, b + group.check.1));
        let ((x, n), (y, m)) = direction.orient((a, self.check.0), (b, self.check.1));
        Some(Member { groups, seen: EventCounts { x, n, y, m } })
    }
}

/// Thresholds that are worse by less than this many standard errors are as good as the best.
const AS_GOOD: f64 = 0.5;

/// The middle of the thresholds about the best one that are as good: the best one by chance is anywhere among
/// them, and the truth is flat at its top.
fn middle(members: &[(f64, EventCounts)], best: usize, prospect: &Prospect) -> usize {
    let Some((promise, pair)) = members.get(best) else { return best };
    let enough = promise - AS_GOOD * prospect.error(*pair);
    let is_good = |place: &usize| members.get(*place).is_some_and(|(promise, _)| *promise >= enough);
    let from = (0..=best).rev().take_while(is_good).last().unwrap_or(best);
    let to = (best..members.len()).take_while(is_good).last().unwrap_or(best);
    from + (to - from) / 2
}

/// The most parts of a vector that are looked at one by one.
const PARTS: usize = 24;

/// The most parts of which every two are compared.
const PAIRED: usize = 6;

/// Words of parts are counted if there are hardly more of them than in a handful of answers…
const COUNTED_WORDS: usize = 4;

/// … among so many outputs.
const LOOKED_AT: usize = 1000;

/// The features worth a look, by what the training part holds.
pub(super) fn features(parsed: &[Parsed<'_>], counts: &Counts, scales: &[f64]) -> Vec<Feature> {
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
        features.push(Feature::LowestBit { scale: Float(1.0) });
        for &scale in scales.iter().filter(|scale| scale.is_finite() && **scale != 0.0) {
            features.extend([Feature::LowestBit { scale: Float(scale) }, Feature::OnGrid { step: Float(scale) }]);
        }
        if floats {
            features.push(Feature::OnGrid { step: Float(1.0) });
        }
    }
    features.extend([Feature::Output, Feature::Length]);
    if dimension > 0 {
        features.extend([
            Feature::Dimension,
            Feature::Least,
            Feature::Greatest,
            Feature::Sum,
            Feature::SumOfSizes,
            Feature::Norm,
            Feature::PlaceOfGreatest,
        ]);
        if seen().any(Parsed::has_fraction) {
            let divisors =
                [1.0].into_iter().chain(scales.iter().copied().filter(|scale| scale.is_finite() && *scale != 0.0));
            features.extend(divisors.map(|scale| Feature::LeastLowestBit { scale: Float(scale) }));
        }
        let words: BTreeSet<&str> = seen().take(LOOKED_AT).flat_map(Parsed::words).collect();
        if words.len() <= COUNTED_WORDS {
            features.extend(words.into_iter().map(|word| Feature::Count(word.to_owned())));
        }
        // Many answers to one question: how many are above what half of them are above.
        // Not the first of them, which are the first in the alphabet.
        let stride = parsed.len().div_ceil(LOOKED_AT).max(1);
        let mut parts: Vec<f64> =
            seen().step_by(stride).flat_map(Parsed::numbers).filter(|part| !part.is_nan()).collect();
        parts.sort_unstable_by(f64::total_cmp);
        features.extend(parts.get(parts.len() / 2).map(|middle| Feature::CountAbove(Float(*middle))));
        features.push(Feature::LastPart);
        // Of words alone it is the output, of numbers alone the dimension.
        if seen().any(|parsed| parsed.words().next().is_some())
            && seen().any(|parsed| parsed.numbers().next().is_some())
        {
            features.push(Feature::Pattern);
        }
        for place in 0..dimension.min(PARTS) {
            features.push(Feature::Part(place));
            if seen().any(|parsed| parsed.is_word(place)) {
                features.push(Feature::PartText(place));
            }
            if place > 0 {
                features.push(Feature::Difference(place));
            }
        }
        // Neighbours' differences are above.
        for second in 0..dimension.min(PAIRED) {
            features.push(Feature::Rank(second));
            features.extend((1..second).map(|first| Feature::Apart(first - 1, second)));
        }
    }
    features
}
