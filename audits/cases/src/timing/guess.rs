//! What an attacker makes of what he sees of a draw. He learns on the first half of the draws, and is judged on the second.

use certus::bits::{Bits, BitsError};

use super::draws::{Draw, Seen};
use crate::proportion::Proportion;

/// As many bins as what is seen is put into, each as full on the first half.
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
        let mut edges: Vec<u64> = (1..BINS).filter_map(|place| sorted.get(place * sorted.len() / BINS).copied()).collect();
        edges.dedup();
        Self { edges }
    }

    fn of(&self, value: u64) -> usize {
        self.edges.partition_point(|&edge| edge <= value)
    }
}

/// Guesses whether |noise| is at least its median: in each bin what was more frequent there.
#[must_use]
pub fn is_large(draws: &[Draw], seen: Seen) -> Proportion {
    let (first, second) = draws.split_at(draws.len() / 2);
    let mut magnitudes: Vec<u64> = first.iter().map(|draw| draw.noise.unsigned_abs()).collect();
    magnitudes.sort_unstable();
    let median = magnitudes.get(magnitudes.len() / 2).copied().unwrap_or(0);
    let is_large = |draw: &Draw| draw.noise.unsigned_abs() >= median;
    let bins = Bins::new(first.iter().map(|draw| draw.seen(seen)));
    let mut leads = [0_i64; BINS];
    for draw in first {
        if let Some(lead) = leads.get_mut(bins.of(draw.seen(seen))) {
            *lead += if is_large(draw) { 1 } else { -1 };
        }
    }
    let guess = |draw: &Draw| leads.get(bins.of(draw.seen(seen))).is_some_and(|&lead| lead > 0);
    Proportion::of(second.iter().map(|draw| guess(draw) == is_large(draw)))
}

/// How often two answers, 0 and the scale, are told apart: by the released value alone, and with what is seen besides.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// By the value, which is the best that ε-privacy knows of.
    pub by_value: Proportion,
    /// By the value and what is seen.
    pub by_both: Proportion,
}

/// Tells the answers 0 and `scale` apart by the likelihood ratio of value and what is seen.
///
/// ln P(o | 0)/P(o | s) is (|o − s| − |o|)/s of the value, plus that of what is seen given the noise that either answer would mean, |o| or |o − s|: estimated
/// from the first half.
///
/// # Errors
///
/// If the source of the answers fails.
pub fn tell(draws: &[Draw], seen: Seen, scale: u64, bits: &mut impl Bits) -> Result<Told, BitsError> {
    let (first, second) = draws.split_at(draws.len() / 2);
    let bins = Bins::new(first.iter().map(|draw| draw.seen(seen)));
    let class = |magnitude: u64| usize::try_from(2 * magnitude / scale.max(1)).map_or(CLASSES - 1, |class| class.min(CLASSES - 1));
    // One more than was seen: what never was is not impossible.
    let mut counts = vec![[1.0_f64; BINS]; CLASSES];
    for draw in first {
        if let Some(count) = counts.get_mut(class(draw.noise.unsigned_abs())).and_then(|row| row.get_mut(bins.of(draw.seen(seen)))) {
            *count += 1.0;
        }
    }
    let log_likelihood = |magnitude: u64, bin: usize| {
        counts.get(class(magnitude)).map_or(0.0, |row| (row.get(bin).copied().unwrap_or(1.0) / row.iter().sum::<f64>()).ln())
    };
    let scale = i64::try_from(scale).unwrap_or(i64::MAX);
    let (mut by_value, mut by_both) = (Vec::new(), Vec::new());
    for draw in second {
        let is_zero = bits.take(1)? == 1;
        let coin = bits.take(1)? == 1;
        let released = draw.noise.saturating_add(if is_zero { 0 } else { scale });
        let (from_zero, from_scale) = (released.unsigned_abs(), released.saturating_sub(scale).unsigned_abs());
        let bin = bins.of(draw.seen(seen));
        let value = (from_scale as f64 - from_zero as f64) / scale as f64;
        let both = value + log_likelihood(from_zero, bin) - log_likelihood(from_scale, bin);
        for (score, right) in [(value, &mut by_value), (both, &mut by_both)] {
            let guess = if score == 0.0 { coin } else { score > 0.0 };
            right.push(guess == is_zero);
        }
    }
    Ok(Told { by_value: Proportion::of(by_value), by_both: Proportion::of(by_both) })
}

/// The lower quartile, the median and the upper quartile of what is seen, for each class of |noise|/scale of this width.
#[must_use]
pub fn by_magnitude(draws: &[Draw], seen: Seen, scale: u64, width: f64, most: f64) -> Vec<(f64, [f64; 3])> {
    let classes = (most / width) as usize;
    let mut values: Vec<Vec<u64>> = vec![Vec::new(); classes];
    for draw in draws {
        let place = (draw.noise.unsigned_abs() as f64 / scale.max(1) as f64 / width) as usize;
        if let Some(class) = values.get_mut(place) {
            class.push(draw.seen(seen));
        }
    }
    let quartiles = |(place, mut class): (usize, Vec<u64>)| {
        class.sort_unstable();
        let at = |quarter: usize| class.get(class.len() * quarter / 4).map(|&value| value as f64);
        Some(((place as f64 + 0.5) * width, [at(1)?, at(2)?, at(3)?]))
    };
    values.into_iter().enumerate().filter_map(quartiles).collect()
}
