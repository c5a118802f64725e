//! A learned score: logistic regression on clipped log-ratios of single features.
#![expect(clippy::float_arithmetic, reason = "only the choice of an event depends on it, on the selection part")]

use core::fmt;

use super::family::groups;
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

/// Bins of a numeric feature.
const BINS: u64 = 24;

/// The most terms: those features that tell the sides apart best.
const TERMS: usize = 24;

/// The most outputs that the weights are fitted on.
const ROWS: usize = 20_000;

/// Rounds of Newton's method; the problem is convex, and a dozen is plenty.
const ROUNDS: usize = 12;

impl Score {
    /// The score of an output.
    #[must_use]
    pub fn of(&self, parsed: &Parsed<'_>) -> f64 {
        self.terms.iter().map(|term| term.weight.0 * log_ratio(&term.bins, &term.feature.read(parsed))).sum()
    }

    /// Learns a score from the training part; `None` where there are not two features to combine.
    #[must_use]
    pub(super) fn learn(read: &[(Feature, Vec<Reading>)], train: &Counts) -> Option<Self> {
        let (n, m) = train.samples();
        let mut terms: Vec<(f64, &Feature, &[Reading], Vec<Bin>)> = Vec::new();
        for (feature, readings) in read {
            let groups = groups(readings, train, BINS);
            // A word for every other sample is no histogram.
            if groups.len() < 2 || groups.len() as u64 > (n + m) / 8 {
                continue;
            }
            let mut worth = 0.0;
            let bin = |group: super::family::Group| {
                let (p, q) = ((real(group.a) + 1.0) / (real(n) + 1.0), (real(group.b) + 1.0) / (real(m) + 1.0));
                let value = (p / q).ln().clamp(-CLIP, CLIP);
                worth += (real(group.a) / real(n.max(1)) - real(group.b) / real(m.max(1))) * value;
                Bin { within: group.within, value: Real(value) }
            };
            let bins: Vec<Bin> = groups.into_iter().map(bin).collect();
            terms.push((worth, feature, readings, bins));
        }
        terms.sort_by(|one, two| two.0.total_cmp(&one.0));
        terms.truncate(TERMS);
        if terms.len() < 2 {
            return None;
        }
        let seen: Vec<usize> =
            (0..train.a.len()).filter(|place| count(&train.a, *place) + count(&train.b, *place) > 0).collect();
        let stride = seen.len().div_ceil(ROWS).max(1);
        let row = |place: &usize| {
            let ratios = terms
                .iter()
                .map(|(_, _, readings, bins)| readings.get(*place).map_or(0.0, |reading| log_ratio(bins, reading)));
            (
                ratios.collect::<Vec<f64>>(),
                real(count(&train.a, *place)) / real(n.max(1)),
                real(count(&train.b, *place)) / real(m.max(1)),
            )
        };
        let rows: Vec<_> = seen.iter().step_by(stride).map(row).collect();
        let weights = fit(&rows, terms.len(), 1.0 / real(n.min(m).max(1)));
        let term = |((_, feature, _, bins), weight): ((f64, &Feature, &[Reading], Vec<Bin>), f64)| Term {
            feature: feature.clone(),
            bins,
            weight: Real(weight),
        };
        Some(Self { terms: terms.into_iter().zip(weights).map(term).collect() })
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
