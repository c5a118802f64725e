//! A learned score: logistic regression on clipped log-ratios of single features.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use core::fmt;
use std::collections::HashMap;

use super::family::{Group, groups};
use super::{Feature, Parsed, Reading, Real, Within};
use crate::audit::outputs::Counts;
use crate::audit::statistics::real;

/// A set of readings, and the logarithm of how much more often the first side had them.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bin {
    /// The readings.
    pub within: Within,
    /// Their log-ratio, clipped.
    pub value: Real,
}

/// A feature's log-ratio, weighed.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Term {
    /// What is read.
    pub feature: Feature,
    /// The log-ratios; other readings have 0.
    pub bins: Vec<Bin>,
    /// The weight.
    pub weight: Real,
}

/// Σ weight·log-ratio(reading): for independent features and weights 1, the logarithm of the likelihood ratio.
///
/// Each feature's log-ratios come from a histogram of the training part, with a pseudo-count on each side and clipped, so that no
/// single value decides; the weights are those of a logistic regression with a ridge, by Newton's method from a fixed start: the same
/// counts give the same score.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Score {
    /// The terms.
    pub terms: Vec<Term>,
}

/// Log-ratios are clipped to ±CLIP.
const CLIP: f64 = 3.0;

/// Bins of a numeric feature: coarse ones are less noisy, fine ones follow more; the weights decide.
const BINS: [u64; 2] = [4, 24];

/// The most terms: those features that tell the sides apart best.
const TERMS: usize = 40;

/// The most outputs that the weights are fitted on.
const ROWS: usize = 20_000;

/// Rounds of Newton's method; the problem is convex, and a few are plenty.
const ROUNDS: usize = 8;

/// A feature's histogram on a part of the samples.
#[derive(Clone, Debug)]
struct Histogram<'a> {
    feature: &'a Feature,
    readings: &'a [Reading],
    most: u64,
    bins: Vec<Bin>,
    /// How well it tells the sides apart.
    worth: f64,
}

impl<'a> Histogram<'a> {
    fn new(feature: &'a Feature, readings: &'a [Reading], counts: &Counts, most: u64) -> Self {
        let (n, m) = counts.samples();
        let mut worth = 0.0;
        let bin = |group: Group| {
            let (p, q) = ((real(group.a) + 1.0) / (real(n) + 1.0), (real(group.b) + 1.0) / (real(m) + 1.0));
            let value = (p / q).ln().clamp(-CLIP, CLIP);
            worth += (real(group.a) / real(n.max(1)) - real(group.b) / real(m.max(1))) * value;
            Bin { within: group.within, value: Real(value) }
        };
        let bins: Vec<Bin> = groups(readings, counts, most).into_iter().map(bin).collect();
        Self { feature, readings, most, bins, worth }
    }

    /// The log-ratio of every output.
    fn log_ratios(&self) -> Vec<f64> {
        let words: HashMap<&str, f64> = self.bins.iter().flat_map(Bin::words).collect();
        // The intervals ascend and part the line, so that the first one whose end is not below a number holds it.
        let ends: Vec<(f64, f64)> = self.bins.iter().filter_map(Bin::end).collect();
        let nothing = log_ratio(&self.bins, &Reading::Nothing);
        let read = |reading: &Reading| match reading {
            Reading::Nothing => nothing,
            Reading::Word(word) => words.get(word.as_str()).copied().unwrap_or(0.0),
            Reading::Number(number) => {
                ends.get(ends.partition_point(|(end, _)| end < number)).map_or(0.0, |(_, value)| *value)
            }
        };
        self.readings.iter().map(read).collect()
    }
}

impl Bin {
    fn words(&self) -> impl Iterator<Item = (&str, f64)> {
        let words = if let Within::Words(words) = &self.within { words.as_slice() } else { &[] };
        words.iter().map(|word| (word.as_str(), self.value.0))
    }

    fn end(&self) -> Option<(f64, f64)> {
        match &self.within {
            Within::Intervals(intervals) => intervals.last().map(|interval| (interval.to.0, self.value.0)),
            _ => None,
        }
    }
}

/// Every other sample of the counts: for the histograms the larger halves, for the weights the smaller ones, alternating.
fn halves(counts: &Counts) -> (Counts, Counts) {
    let first = |counts: &[u64]| -> Vec<u64> {
        counts.iter().zip([0, 1].into_iter().cycle()).map(|(count, odd)| count.div_ceil(2) - count % 2 * odd).collect()
    };
    let one = Counts { a: first(&counts.a), b: first(&counts.b) };
    let rest = |all: &[u64], one: &[u64]| all.iter().zip(one).map(|(all, one)| all - one).collect();
    let two = Counts { a: rest(&counts.a, &one.a), b: rest(&counts.b, &one.b) };
    (one, two)
}

impl Score {
    /// The score of an output.
    #[must_use]
    pub fn of(&self, parsed: &Parsed<'_>) -> f64 {
        let term = |term: &Term| term.weight.0 * log_ratio(&term.bins, &term.feature.read(parsed));
        // From +0 on, in order: the same float as when it was learned.
        self.terms.iter().map(term).fold(0.0, |sum, term| sum + term)
    }

    /// Learns a score from the training part, with the score of every output; `None` where there are not two features to combine.
    ///
    /// The weights are fitted on other samples than the histograms, so that a histogram of noise has no weight; then the histograms are drawn again from
    /// all of the part.
    #[must_use]
    pub(super) fn learn(read: &[(Feature, Vec<Reading>)], train: &Counts) -> Option<(Self, Vec<Reading>)> {
        let (drawing, weighing) = halves(train);
        let (n, m) = drawing.samples();
        let histograms = read
            .iter()
            .flat_map(|(feature, readings)| BINS.map(|most| Histogram::new(feature, readings, &drawing, most)));
        // A word for every other sample is no histogram; and without numbers both are the same.
        let mut terms: Vec<Histogram<'_>> =
            histograms.filter(|one| one.bins.len() > 1 && (one.bins.len() as u64) < (n + m) / 8).collect();
        terms.dedup_by(|one, two| one.feature == two.feature && one.bins == two.bins);
        terms.sort_by(|one, two| two.worth.total_cmp(&one.worth));
        terms.truncate(TERMS);
        if terms.len() < 2 {
            return None;
        }
        let columns: Vec<Vec<f64>> = terms.iter().map(Histogram::log_ratios).collect();
        let (n, m) = weighing.samples();
        let seen: Vec<usize> =
            (0..train.a.len()).filter(|place| count(&weighing.a, *place) + count(&weighing.b, *place) > 0).collect();
        let stride = seen.len().div_ceil(ROWS).max(1);
        let row = |place: &usize| {
            let ratios = columns.iter().map(|column| column.get(*place).copied().unwrap_or(0.0)).collect();
            let (x, y) = (count(&weighing.a, *place), count(&weighing.b, *place));
            (ratios, real(x) / real(n.max(1)), real(y) / real(m.max(1)))
        };
        let rows: Vec<(Vec<f64>, f64, f64)> = seen.iter().step_by(stride).map(row).collect();
        let weights = fit(&rows, terms.len(), 10.0 / real(n.min(m).max(1)));
        let mut scores = vec![0.0; train.a.len()];
        let mut score = Self { terms: Vec::new() };
        for (term, weight) in terms.into_iter().zip(weights) {
            let drawn = Histogram::new(term.feature, term.readings, train, term.most);
            scores.iter_mut().zip(drawn.log_ratios()).for_each(|(score, ratio)| *score += weight * ratio);
            score.terms.push(Term { feature: term.feature.clone(), bins: drawn.bins, weight: Real(weight) });
        }
        Some((score, scores.into_iter().map(Reading::Number).collect()))
    }
}

fn count(counts: &[u64], place: usize) -> u64 {
    counts.get(place).copied().unwrap_or(0)
}

fn log_ratio(bins: &[Bin], reading: &Reading) -> f64 {
    bins.iter().find(|bin| bin.within.contains(reading)).map_or(0.0, |bin| bin.value.0)
}

/// Weights w that minimise Σ p·ln(1 + e^-s) + q·ln(1 + e^s) + ridge·|w|²/2 at s = w·x, for rows (x, p, q).
fn fit(rows: &[(Vec<f64>, f64, f64)], dimension: usize, ridge: f64) -> Vec<f64> {
    let mut weights = vec![0.0; dimension];
    for _ in 0..ROUNDS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| ridge * weight).collect();
        let mut hessian = vec![vec![0.0; dimension]; dimension];
        for (place, line) in hessian.iter_mut().enumerate() {
            line.iter_mut().skip(place).take(1).for_each(|entry| *entry = ridge);
        }
        for (x, p, q) in rows {
            let s: f64 = x.iter().zip(&weights).map(|(x, weight)| x * weight).sum();
            let sigmoid = 1.0 / (1.0 + (-s).exp());
            let slope = q * sigmoid - p * (1.0 - sigmoid);
            let curvature = (p + q) * sigmoid * (1.0 - sigmoid);
            for ((gradient, line), x_i) in gradient.iter_mut().zip(hessian.iter_mut()).zip(x) {
                *gradient += slope * x_i;
                for (entry, x_j) in line.iter_mut().zip(x) {
                    *entry += curvature * x_i * x_j;
                }
            }
        }
        let Some(step) = solve(hessian, gradient) else { break };
        weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight = (*weight - step).clamp(-10.0, 10.0));
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
        let rows = vec![(vec![1.0, 0.0], 0.8, 0.2), (vec![0.0, 1.0], 0.2, 0.2), (vec![-1.0, 0.0], 0.0, 0.0)];
        let weights = fit(&rows, 2, 1e-9);
        assert!((weights[0] - 4_f64.ln()).abs() < 1e-6 && weights[1].abs() < 1e-6, "{weights:?}");
    }
}
