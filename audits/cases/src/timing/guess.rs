//! What an attacker makes of what he sees of a draw. He learns on every other draw, and is judged on the rest: a machine that grows slower by and by is the same in both.

use super::draws::{Draw, Seen};
use crate::proportion::Proportion;
use crate::roc::{Roc, Scores};

/// The draws at even places, and those at odd ones.
fn every_other<T: Copy>(all: &[T]) -> (Vec<T>, Vec<T>) {
    let from = |start: usize| all.iter().skip(start).step_by(2).copied().collect();
    (from(0), from(1))
}

/// As many bins as what is seen is put into, each as full on the draws to learn from.
const BINS: usize = 48;

/// Classes of |noise|, each half a scale wide, the last open.
const CLASSES: usize = 10;

/// Bins of equal counts.
struct Bins {
    /// The first value of each bin but the lowest.
    edges: Vec<u64>,
}

impl Bins {
    fn new(values: impl Iterator<Item = u64>) -> Self {
        let mut sorted: Vec<u64> = values.collect();
        sorted.sort_unstable();
        let mut edges: Vec<u64> =
            (1..BINS).filter_map(|place| sorted.get(place * sorted.len() / BINS).copied()).collect();
        edges.dedup();
        Self { edges }
    }

    fn of(&self, value: u64) -> usize {
        self.edges.partition_point(|&edge| edge <= value)
    }
}

/// How often a question about the noise is answered right.
#[derive(Clone, Copy, Debug)]
pub struct Large {
    /// By what is seen.
    pub by_seen: Proportion,
    /// By always giving the answer that is the more frequent.
    pub by_nothing: Proportion,
}

/// Guesses whether |noise| is at least its median: in each bin what was more frequent there.
#[must_use]
pub fn is_large(draws: &[Draw], seen: Seen) -> Large {
    let (first, second) = every_other(draws);
    let mut magnitudes: Vec<u64> = first.iter().map(|draw| draw.noise.unsigned_abs()).collect();
    magnitudes.sort_unstable();
    let median = magnitudes.get(magnitudes.len() / 2).copied().unwrap_or(0);
    let is_large = |draw: &Draw| draw.noise.unsigned_abs() >= median;
    let bins = Bins::new(first.iter().map(|draw| draw.seen(seen)));
    let mut leads = [0_i64; BINS];
    for draw in &first {
        if let Some(lead) = leads.get_mut(bins.of(draw.seen(seen))) {
            *lead += if is_large(draw) { 1 } else { -1 };
        }
    }
    let guess = |draw: &Draw| leads.get(bins.of(draw.seen(seen))).is_some_and(|&lead| lead > 0);
    let always = leads.iter().sum::<i64>() > 0;
    Large {
        by_seen: Proportion::of(second.iter().map(|draw| guess(draw) == is_large(draw))),
        by_nothing: Proportion::of(second.iter().map(|draw| always == is_large(draw))),
    }
}

/// How well two answers, 0 and the scale, are told apart: by the released value alone, and with what is seen besides.
///
/// "Positive" is the verdict that the answer is the scale.
#[derive(Clone, Debug)]
pub struct Told {
    /// By the value: all that ε speaks of.
    pub by_value: Roc,
    /// By the value and what is seen.
    pub by_both: Roc,
}

/// Tells the answers 0 and `scale` apart by the likelihood ratio of value and what is seen.
///
/// ln P(o | s)/P(o | 0) is (|o| − |o − s|)/s of the value, plus that of what is seen given the noise that either answer would mean, |o| or |o − s|: estimated
/// from the draws to learn from.
#[must_use]
pub fn tell(draws: &[Draw], seen: Seen, scale: u64) -> Told {
    let (first, second) = every_other(draws);
    let bins = Bins::new(first.iter().map(|draw| draw.seen(seen)));
    let class = |magnitude: u64| {
        usize::try_from(2 * magnitude / scale.max(1)).map_or(CLASSES - 1, |class| class.min(CLASSES - 1))
    };
    // One more than was seen: what never was is not impossible.
    let mut counts = vec![[1.0_f64; BINS]; CLASSES];
    for draw in &first {
        if let Some(count) =
            counts.get_mut(class(draw.noise.unsigned_abs())).and_then(|row| row.get_mut(bins.of(draw.seen(seen))))
        {
            *count += 1.0;
        }
    }
    let log_likelihood = |magnitude: u64, bin: usize| {
        counts
            .get(class(magnitude))
            .map_or(0.0, |row| (row.get(bin).copied().unwrap_or(1.0) / row.iter().sum::<f64>()).ln())
    };
    let scale = i64::try_from(scale).unwrap_or(i64::MAX);
    let score = |draw: &Draw, answer: i64| {
        let released = draw.noise.saturating_add(answer);
        let (from_zero, from_scale) = (released.unsigned_abs(), released.saturating_sub(scale).unsigned_abs());
        let bin = bins.of(draw.seen(seen));
        let value = (from_zero as f64 - from_scale as f64) / scale as f64;
        (value, value + log_likelihood(from_scale, bin) - log_likelihood(from_zero, bin))
    };
    // Thresholds are set on the first half of the scores: again every other one.
    let (thresholds, judged) = every_other(&second);
    let scores: Vec<_> = thresholds.iter().chain(&judged).map(|draw| (score(draw, scale), score(draw, 0))).collect();
    let value: Vec<Scores> = scores.iter().map(|(is, is_not)| Scores { positive: is.0, negative: is_not.0 }).collect();
    let both: Vec<Scores> = scores.iter().map(|(is, is_not)| Scores { positive: is.1, negative: is_not.1 }).collect();
    Told { by_value: Roc::new(&value), by_both: Roc::new(&both) }
}

/// The lower quartile, the median and the upper quartile of what is seen, at the mean of each class of |noise|/scale of this width.
#[must_use]
pub fn by_magnitude(draws: &[Draw], seen: Seen, scale: u64, width: f64, most: f64) -> Vec<(f64, [f64; 3])> {
    let classes = (most / width) as usize;
    let mut values: Vec<(f64, Vec<u64>)> = vec![(0.0, Vec::new()); classes];
    for draw in draws {
        let magnitude = draw.noise.unsigned_abs() as f64 / scale.max(1) as f64;
        if let Some((sum, class)) = values.get_mut((magnitude / width) as usize) {
            *sum += magnitude;
            class.push(draw.seen(seen));
        }
    }
    let quartiles = |(sum, mut class): (f64, Vec<u64>)| {
        class.sort_unstable();
        let at = |quarter: usize| class.get(class.len() * quarter / 4).map(|&value| value as f64);
        Some((sum / class.len() as f64, [at(1)?, at(2)?, at(3)?]))
    };
    values.into_iter().filter_map(quartiles).collect()
}
