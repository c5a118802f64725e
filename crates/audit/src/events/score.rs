//! A learned score: logistic regression on clipped log-ratios of single features.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use core::fmt;
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

/// A step that no longer matters.
const ENOUGH: f64 = 1e-3;

/// A feature's histogram on a part of the samples.
#[derive(Clone, Debug)]
struct Histogram<'c, 'a> {
    feature: &'c Feature,
    column: &'c Column<'a>,
    most: u64,
    /// The groups with their log-ratios.
    groups: Vec<(Group, f64)>,
    /// How well it tells the sides apart.
    worth: f64,
}

impl<'c, 'a> Histogram<'c, 'a> {
    fn new(feature: &'c Feature, column: &'c Column<'a>, counts: &Counts, most: u64) -> Self {
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
        Self { feature, column, most, groups, worth }
    }

    /// The log-ratio of every row.
    fn log_ratios(&self) -> Vec<f64> {
        self.column.spread(&self.groups)
    }

    /// Readable.
    fn bins(&self) -> Vec<Bin> {
        let bin =
            |(group, value): &(Group, f64)| Some(Bin { within: self.column.within(&[*group])?, value: Float(*value) });
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
    /// weight; then the histograms are drawn again from all of the part.
    #[must_use]
    pub(super) fn learn(columns: &[(Feature, Column<'_>)], train: &Counts) -> Option<(Self, Vec<f64>)> {
        let (drawing, weighing) = halves(train)?;
        let (n, m) = drawing.samples();
        let drawn = |(feature, column)| BINS.map(|most| Histogram::new(feature, column, &drawing, most));
        // A word for every other sample is no histogram; and without numbers both are the same.
        let mut terms: Vec<Histogram<'_, '_>> = columns
            .par_iter()
            .flat_map_iter(|(feature, column)| drawn((feature, column)))
            .filter(|one| one.groups.len() > 1 && (one.groups.len() as u64) < (n + m) / 8)
            .collect();
        terms.sort_by(|one, two| two.worth.total_cmp(&one.worth));
        terms.dedup_by(|one, two| one.repeats(two));
        terms.truncate(TERMS);
        if terms.len() < 2 {
            return None;
        }
        let ratios: Vec<Vec<f64>> = terms.par_iter().map(Histogram::log_ratios).collect();
        let (n, m) = weighing.samples();
        let seen: Vec<usize> =
            (0..train.a.len()).filter(|place| count(&weighing.a, *place) + count(&weighing.b, *place) > 0).collect();
        let stride = seen.len().div_ceil(ROWS).max(1);
        let row = |place: &usize| {
            let x = ratios.iter().map(|column| column.get(*place).copied().unwrap_or(0.0)).collect();
            let (p, q) = (count(&weighing.a, *place), count(&weighing.b, *place));
            Row { x, p: real(p) / real(n.max(1)), q: real(q) / real(m.max(1)) }
        };
        let rows: Vec<Row> = seen.iter().step_by(stride).map(row).collect();
        let weights = fit(&rows, terms.len(), 10.0 / real(n.min(m).max(1)));
        let redrawn: Vec<Histogram<'_, '_>> =
            terms.par_iter().map(|term| Histogram::new(term.feature, term.column, train, term.most)).collect();
        let mut scores = vec![0.0; train.a.len()];
        let mut score = Self { terms: Vec::new() };
        for (term, weight) in redrawn.iter().zip(weights) {
            scores.iter_mut().zip(term.log_ratios()).for_each(|(score, ratio)| *score += weight * ratio);
            score.terms.push(Term { feature: term.feature.clone(), bins: term.bins(), weight: Float(weight) });
        }
        Some((score, scores))
    }
}

fn count(counts: &[u64], place: usize) -> u64 {
    counts.get(place).copied().unwrap_or(0)
}

/// A row of the regression: what the terms say, and the shares of the samples of both sides.
#[derive(Clone, Debug)]
struct Row {
    x: Vec<f64>,
    p: f64,
    q: f64,
}

/// Weights w that minimise Σ p·ln(1 + e^-s) + q·ln(1 + e^s) + ridge·|w|²/2 at s = w·x.
fn fit(rows: &[Row], dimension: usize, ridge: f64) -> Vec<f64> {
    let mut weights = vec![0.0; dimension];
    for _ in 0..ROUNDS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| ridge * weight).collect();
        // The upper triangle.
        let mut hessian = vec![vec![0.0; dimension]; dimension];
        for (place, line) in hessian.iter_mut().enumerate() {
            line.iter_mut().skip(place).take(1).for_each(|entry| *entry = ridge);
        }
        for Row { x, p, q } in rows {
            let s: f64 = x.iter().zip(&weights).map(|(x, weight)| x * weight).sum();
            let sigmoid = 1.0 / (1.0 + (-s).exp());
            let slope = q * sigmoid - p * (1.0 - sigmoid);
            let curvature = (p + q) * sigmoid * (1.0 - sigmoid);
            for (place, ((gradient, line), x_i)) in gradient.iter_mut().zip(hessian.iter_mut()).zip(x).enumerate() {
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
        let row = |x: [f64; 2], p, q| Row { x: x.to_vec(), p, q };
        let rows = vec![row([1.0, 0.0], 0.8, 0.2), row([0.0, 1.0], 0.2, 0.2), row([-1.0, 0.0], 0.0, 0.0)];
        let weights = fit(&rows, 2, 1e-9);
        assert!((weights[0] - 4_f64.ln()).abs() < 1e-6 && weights[1].abs() < 1e-6, "{weights:?}");
    }
}
