//! A learned score: logistic regression on clipped log-ratios of single features.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use core::fmt;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;

use super::column::{Column, Group, Spans};
use super::{Feature, Float, Parsed, Reading, Within};
use crate::outputs::{Counts, draw};
use crate::statistics::real;
use certus::bits::seeded;

/// A set of readings, and the logarithm of how much more often the first side had them.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bin {
    /// The readings.
    pub within: Within,
    /// Their log-ratio, clipped.
    pub value: Float,
}

/// A feature's log-ratio, weighed.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Term {
    /// What is read.
    pub feature: Feature,
    /// The log-ratios; other readings have 0.
    pub bins: Vec<Bin>,
    /// The weight.
    pub weight: Float,
}

/// Σ weight·log-ratio(reading): for independent features and weights 1, the logarithm of the likelihood
/// ratio.
///
/// Each feature's log-ratios come from a histogram of the training part, with a pseudo-count on each side and
/// clipped, so that no single value decides; the weights are those of a logistic regression with a ridge, by
/// Newton's method from a fixed start: the same counts give the same score.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Score {
    /// The terms.
    pub terms: Vec<Term>,
}

/// Log-ratios are clipped to ±CLIP.
const CLIP: f64 = 3.0;

/// Bins of a numeric feature: coarse ones are less noisy, fine ones follow more; the weights decide.
const BINS: [u64; 2] = [4, 24];

/// The fewest samples in a bin.
const LEAST: u64 = 24;

/// The most terms: those features that tell the sides apart best.
const TERMS: usize = 64;

/// The most outputs that the weights are fitted on.
const ROWS: usize = 100_000;

/// Rounds of Newton's method; the problem is convex, and a few are plenty.
const ROUNDS: usize = 8;

/// So many terms are redrawn at once.
const AT_ONCE: usize = 8;

/// A step that no longer matters.
const ENOUGH: f64 = 1e-3;

/// The column of the feature at a place.
type Read<'r, 'c, 'a> = &'r (dyn Fn(usize) -> Option<Cow<'c, Column<'a>>> + Sync);

/// A feature's histogram on a part of the samples.
#[derive(Clone, Debug)]
struct Histogram {
    /// The place of the feature.
    place: usize,
    most: u64,
    /// The groups with their log-ratios.
    groups: Vec<(Group, f64)>,
    /// How well it tells the sides apart.
    worth: f64,
}

impl Histogram {
    fn new(place: usize, column: &Column<'_>, counts: &Counts, most: u64) -> Self {
        let (n, m) = counts.samples();
        let mut worth = 0.0;
        let valued = |group: Group| {
            let (a, b) = (real(group.fit.0), real(group.fit.1));
            let value = ((a + 1.0) / (real(n) + 1.0) / ((b + 1.0) / (real(m) + 1.0))).ln().clamp(-CLIP, CLIP);
            worth += (a / real(n.max(1)) - b / real(m.max(1))) * value;
            (group, value)
        };
        let spans = Spans::Even { most, least: LEAST };
        let groups = column.groups(counts, &Counts::default(), spans).into_iter().map(valued).collect();
        Self { place, most, groups, worth }
    }

    /// The log-ratio of every row of its column.
    fn log_ratios(&self, column: &Column<'_>) -> Vec<f64> {
        column.spread(&self.groups)
    }

    /// Readable.
    fn bins(&self, column: &Column<'_>) -> Vec<Bin> {
        let bin = |(group, value): &(Group, f64)| Some(Bin { within: column.within(&[*group])?, value: Float(*value) });
        self.groups.iter().filter_map(bin).collect()
    }

    /// Whether another has the same worth from the same counts: almost surely the same groups by another
    /// name.
    fn repeats(&self, other: &Self) -> bool {
        let counts = |one: &Self| one.groups.iter().map(|(group, _)| group.fit).collect::<BTreeSet<_>>();
        self.worth.total_cmp(&other.worth).is_eq() && counts(self) == counts(other)
    }
}

/// A term, ready to read many outputs: the same values as its bins, found faster.
#[derive(Clone, Debug)]
struct Lookup<'e> {
    term: &'e Term,
    /// The ends of the intervals, which ascend and part the line: the first that is not below a number holds
    /// it.
    ends: Vec<(f64, f64)>,
    words: HashMap<&'e str, f64>,
    nothing: f64,
}

impl<'e> Lookup<'e> {
    fn new(term: &'e Term) -> Self {
        let mut lookup = Self { term, ends: Vec::new(), words: HashMap::new(), nothing: 0.0 };
        for Bin { within, value } in &term.bins {
            match within {
                Within::Intervals(intervals) => lookup.ends.extend(intervals.iter().map(|one| (one.to.0, value.0))),
                Within::Words(words) => lookup.words.extend(words.iter().map(|word| (word.as_str(), value.0))),
                Within::Read(_) => lookup.nothing = value.0,
            }
        }
        lookup
    }

    fn value(&self, parsed: &Parsed<'_>) -> f64 {
        match self.term.feature.read(parsed) {
            Reading::Nothing => self.nothing,
            Reading::Word(word) => self.words.get(&*word).copied().unwrap_or(0.0),
            Reading::Number(number) => {
                self.ends.get(self.ends.partition_point(|(end, _)| *end < number)).map_or(0.0, |(_, value)| *value)
            }
        }
    }
}

/// A score, ready to read many outputs.
#[derive(Clone, Debug)]
pub(super) struct Reader<'e>(Vec<Lookup<'e>>);

impl Reader<'_> {
    /// The score of an output. From +0 on, in order: the same float as when it was learned.
    pub(super) fn of(&self, parsed: &Parsed<'_>) -> f64 {
        self.0.iter().map(|lookup| lookup.term.weight.0 * lookup.value(parsed)).fold(0.0, |sum, term| sum + term)
    }
}

/// Half of the samples of each side at random, and the other half: two samples that are independent given the
/// distribution. (Every other sample of an output would give both halves the same ratios, and a histogram of
/// noise all the weight.)
///
/// The seed is fixed: the same counts give the same score. It decides nothing else.
fn halves(counts: &Counts) -> Option<(Counts, Counts)> {
    let mut bits = seeded([0; 32]);
    let mut half = |side: &[u64]| draw(side, side.iter().sum::<u64>().div_ceil(2), &mut bits).ok();
    let one = Counts { a: half(&counts.a)?, b: half(&counts.b)? };
    let rest = |all: &[u64], one: &[u64]| all.iter().zip(one).map(|(all, one)| all - one).collect();
    let two = Counts { a: rest(&counts.a, &one.a), b: rest(&counts.b, &one.b) };
    Some((one, two))
}

impl Score {
    /// The score of an output.
    #[must_use]
    pub fn of(&self, parsed: &Parsed<'_>) -> f64 {
        self.reader().of(parsed)
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader(self.terms.iter().map(Lookup::new).collect())
    }

    /// Learns a score from the training part, with the score of every row; `None` where there are not two
    /// features to combine.
    ///
    /// The weights are fitted on other samples than the histograms, so that a histogram of noise has no
    /// weight; then the histograms are drawn again from all of the part. A column is read for each use: all at
    /// once might fill the memory.
    #[must_use]
    pub(super) fn learn(features: &[Feature], read: Read<'_, '_, '_>, train: &Counts) -> Option<(Self, Vec<f64>)> {
        let (drawing, weighing) = halves(train)?;
        let (n, m) = drawing.samples();
        let drawn = |place| {
            let column = read(place);
            let one = |most| Some(Histogram::new(place, column.as_deref()?, &drawing, most));
            BINS.into_iter().filter_map(one).collect::<Vec<_>>()
        };
        // A word for every other sample is no histogram; and without numbers both are the same.
        let mut terms: Vec<Histogram> = (0..features.len())
            .into_par_iter()
            .flat_map_iter(drawn)
            .filter(|one| one.groups.len() > 1 && (one.groups.len() as u64) < (n + m) / 8)
            .collect();
        terms.sort_by(|one, two| two.worth.total_cmp(&one.worth));
        terms.dedup_by(|one, two| one.repeats(two));
        terms.truncate(TERMS);
        if terms.len() < 2 {
            return None;
        }
        let weights = weigh(&terms, read, &weighing);
        let mut scores = vec![0.0; train.a.len()];
        let mut score = Self { terms: Vec::new() };
        let redrawn = |term: &Histogram| {
            let column = read(term.place)?;
            let histogram = Histogram::new(term.place, &column, train, term.most);
            Some((features.get(term.place)?.clone(), histogram.bins(&column), histogram.log_ratios(&column)))
        };
        // A few at a time: the log-ratios of all might fill the memory.
        for (terms, weights) in terms.chunks(AT_ONCE).zip(weights.chunks(AT_ONCE)) {
            let drawn: Option<Vec<_>> = terms.par_iter().map(redrawn).collect();
            for ((feature, bins, ratios), weight) in drawn?.into_iter().zip(weights) {
                scores.iter_mut().zip(ratios).for_each(|(score, ratio)| *score += weight * ratio);
                score.terms.push(Term { feature, bins, weight: Float(*weight) });
            }
        }
        Some((score, scores))
    }
}

/// The weights of the terms, by a regression on a part of the samples.
fn weigh(terms: &[Histogram], read: Read<'_, '_, '_>, counts: &Counts) -> Vec<f64> {
    let (n, m) = counts.samples();
    let seen: Vec<usize> =
        (0..counts.a.len()).filter(|place| count(&counts.a, *place) + count(&counts.b, *place) > 0).collect();
    let seen: Vec<usize> = seen.iter().copied().step_by(seen.len().div_ceil(ROWS).max(1)).collect();
    #[expect(clippy::cast_possible_truncation, reason = "a log-ratio within ±3: half the room is enough")]
    let ratios = |term: &Histogram| -> Vec<f32> {
        let all = read(term.place).map(|column| term.log_ratios(&column)).unwrap_or_default();
        seen.iter().map(|place| all.get(*place).copied().unwrap_or(0.0) as f32).collect()
    };
    let ratios: Vec<Vec<f32>> = terms.par_iter().map(ratios).collect();
    let shares = |place: &usize| {
        let (p, q) = (count(&counts.a, *place), count(&counts.b, *place));
        (real(p) / real(n.max(1)), real(q) / real(m.max(1)))
    };
    let shares: Vec<(f64, f64)> = seen.iter().map(shares).collect();
    fit(&ratios, &shares, 10.0 / real(n.min(m).max(1)))
}

fn count(counts: &[u64], place: usize) -> u64 {
    counts.get(place).copied().unwrap_or(0)
}

/// Weights w that minimise Σ p·ln(1 + e^-s) + q·ln(1 + e^s) + ridge·|w|²/2 at s = w·x, given the columns of x
/// and the shares (p, q) of the samples of both sides in each row.
fn fit(columns: &[Vec<f32>], shares: &[(f64, f64)], ridge: f64) -> Vec<f64> {
    let dimension = columns.len();
    let mut weights = vec![0.0; dimension];
    let mut x = vec![0.0; dimension];
    for _ in 0..ROUNDS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| ridge * weight).collect();
        // The upper triangle.
        let mut hessian = vec![vec![0.0; dimension]; dimension];
        for (place, line) in hessian.iter_mut().enumerate() {
            line.iter_mut().skip(place).take(1).for_each(|entry| *entry = ridge);
        }
        for (row, (p, q)) in shares.iter().enumerate() {
            x.iter_mut().zip(columns).for_each(|(x, column)| *x = f64::from(column.get(row).copied().unwrap_or(0.0)));
            let s: f64 = x.iter().zip(&weights).map(|(x, weight)| x * weight).sum();
            let sigmoid = 1.0 / (1.0 + (-s).exp());
            let slope = q * sigmoid - p * (1.0 - sigmoid);
            let curvature = (p + q) * sigmoid * (1.0 - sigmoid);
            for (place, ((gradient, line), x_i)) in gradient.iter_mut().zip(hessian.iter_mut()).zip(&x).enumerate() {
                *gradient += slope * x_i;
                let factor = curvature * x_i;
                let (line, x) = (line.get_mut(place..).unwrap_or_default(), x.get(place..).unwrap_or_default());
                line.iter_mut().zip(x).for_each(|(entry, x_j)| *entry += factor * x_j);
            }
        }
        for row in 1..dimension {
            let above: Vec<f64> = hessian.iter().take(row).filter_map(|line| line.get(row).copied()).collect();
            hessian
                .iter_mut()
                .skip(row)
                .take(1)
                .for_each(|line| line.iter_mut().zip(&above).for_each(|(entry, above)| *entry = *above));
        }
        let Some(step) = solve(hessian, gradient) else { break };
        weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight = (*weight - step).clamp(-10.0, 10.0));
        if step.iter().all(|step| step.abs() < ENOUGH) {
            break;
        }
    }
    weights
}

/// The solution of a linear system by elimination with pivots; `None` if it is singular.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let dimension = right.len();
    for column in 0..dimension {
        let size =
            |row: &usize| matrix.get(*row).and_then(|line| line.get(column)).map_or(0.0, |entry: &f64| entry.abs());
        let pivot = (column..dimension).max_by(|one, two| size(one).total_cmp(&size(two)))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let line = matrix.get(column)?.clone();
        let (head, value) = (*line.get(column)?, *right.get(column)?);
        if head.abs() < 1e-14 {
            return None;
        }
        for row in column + 1..dimension {
            let target = matrix.get_mut(row)?;
            let factor = *target.get(column)? / head;
            target.iter_mut().zip(&line).for_each(|(entry, above)| *entry -= factor * above);
            *right.get_mut(row)? -= factor * value;
        }
    }
    let mut solution = vec![0.0; dimension];
    for row in (0..dimension).rev() {
        let line = matrix.get(row)?;
        let known: f64 = line.iter().zip(&solution).skip(row + 1).map(|(entry, value)| entry * value).sum();
        *solution.get_mut(row)? = (*right.get(row)? - known) / *line.get(row)?;
    }
    Some(solution)
}

impl fmt::Display for Score {
    /// The terms that weigh most, with their weights.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms: Vec<&Term> = self.terms.iter().collect();
        terms.sort_by(|one, two| two.weight.0.abs().total_cmp(&one.weight.0.abs()));
        for (place, term) in terms.iter().take(4).enumerate() {
            let plus = if place > 0 { " + " } else { "" };
            write!(f, "{plus}{:.3}*logratio({})", term.weight.0, term.feature)?;
        }
        match terms.len().checked_sub(4) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, " + … {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten thousand outputs, two samples of each: at random, half of them have one in each half, and a
    /// quarter both in one. (10,000·10,000/19,999 = 5,000.3 of them with a deviation of about 50: five
    /// deviations, α = 10⁻⁶.)
    #[test]
    fn halves_are_independent() {
        let all = Counts { a: vec![2; 10_000], b: vec![3; 10_000] };
        let (one, two) = halves(&all).unwrap();
        assert_eq!((one.samples(), two.samples()), ((10_000, 15_000), (10_000, 15_000)));
        assert!(one.plus(&two) == all);
        let apart = one.a.iter().filter(|count| **count == 1).count();
        assert!(apart.abs_diff(5_000) < 250, "{apart}");
    }

    #[test]
    fn a_system_is_solved() {
        let solution =
            solve(vec![vec![0.0, 2.0, 1.0], vec![1.0, -1.0, 0.0], vec![3.0, 0.0, -1.0]], vec![5.0, -1.0, 0.0]).unwrap();
        for (found, truth) in solution.iter().zip([0.6, 1.6, 1.8]) {
            assert!((found - truth).abs() < 1e-12, "{solution:?}");
        }
        assert_eq!(solve(vec![vec![1.0, 1.0], vec![1.0, 1.0]], vec![1.0, 2.0]), None);
    }

    /// Two groups with a log-odds of ln 4 per unit of the one feature that matters.
    #[test]
    fn weights_are_the_log_odds() {
        let columns = [vec![1.0, 0.0, -1.0], vec![0.0, 1.0, 0.0]];
        let weights = fit(&columns, &[(0.8, 0.2), (0.2, 0.2), (0.0, 0.0)], 1e-9);
        assert!((weights[0] - 4_f64.ln()).abs() < 1e-6 && weights[1].abs() < 1e-6, "{weights:?}");
    }
}
