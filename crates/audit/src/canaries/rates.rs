//! What an attacker sees: the share of canaries that are found, where few others are taken for them.
#![expect(clippy::float_arithmetic, reason = "estimates; every bound is moved outward by its error")]

use super::Canaries;
use crate::statistics::{
    normal::score_at_most,
    real,
    tail::{rejected_above, rejected_below},
};

/// A share of a count, with Clopper and Pearson's interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The interval's ends, each at half of α.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
}

/// True positives where false ones are rare: canaries whose score is at least `threshold`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The false positive rate that the threshold was chosen for.
    pub wanted: f64,
    /// The threshold.
    pub threshold: f64,
    /// Of those that are in, the share above it.
    pub true_positives: Share,
    /// Of those that are out.
    pub false_positives: Share,
}

impl Share {
    fn new(count: u64, of: u64, alpha: f64) -> Self {
        let score = score_at_most(alpha / 2.0);
        let (lower, upper) = if of == 0 {
            (0.0, 1.0)
        } else {
            (rejected_below(of, count, score, None), rejected_above(of, count, score))
        };
        Self { count, of, lower, upper }
    }
}

/// The true positive rates at these false positive rates.
///
/// Each threshold is the least with at most that share of false positives among the canaries of even places,
/// and both shares are counted on the others. **They describe this attack, and no verdict rests on them**:
/// the intervals are those of independent canaries, which one run need not have.
#[must_use]
pub fn rates(canaries: &Canaries, wanted: &[f64], alpha: f64) -> Vec<Rate> {
    let part = |is_odd: usize, is_in: bool| {
        let of_part = canaries.iter().enumerate().filter(move |(place, _)| place % 2 == is_odd);
        of_part.map(|(_, canary)| canary).filter(move |canary| canary.is_in == is_in).map(|canary| canary.score)
    };
    let mut chosen: Vec<f64> = part(0, false).collect();
    chosen.sort_unstable_by(|one, two| two.total_cmp(one));
    let rate = |wanted: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
        let allowed = (real(chosen.len() as u64) * wanted.clamp(0.0, 1.0)).floor() as usize;
        // Above the greatest score that is one too many.
        let threshold = chosen.get(allowed).map_or(f64::NEG_INFINITY, |score| score.next_up());
        let share = |is_in: bool| {
            let above = part(1, is_in).filter(|score| *score >= threshold).count() as u64;
            Share::new(above, part(1, is_in).count() as u64, alpha)
        };
        Rate { wanted, threshold, true_positives: share(true), false_positives: share(false) }
    };
    wanted.iter().map(|wanted| rate(*wanted)).collect()
}

/// A point of the receiver operating characteristic: canaries whose score is at least some threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RocPoint {
    /// Of those that are out, so many.
    pub false_positives: u64,
    /// Of those that are in, so many.
    pub true_positives: u64,
}

/// The receiver operating characteristic of all canaries, from none to all of them, in at most `most` points
/// and one; equal scores are on one side of a threshold together.
#[must_use]
pub fn roc(canaries: &Canaries, most: usize) -> Vec<RocPoint> {
    let mut scores: Vec<(f64, bool)> = canaries.iter().map(|canary| (canary.score, canary.is_in)).collect();
    scores.sort_unstable_by(|one, two| two.0.total_cmp(&one.0));
    let mut points = vec![RocPoint { false_positives: 0, true_positives: 0 }];
    let (mut now, mut places) = (RocPoint { false_positives: 0, true_positives: 0 }, Vec::new());
    for (place, (score, is_in)) in scores.iter().enumerate() {
        *(if *is_in { &mut now.true_positives } else { &mut now.false_positives }) += 1;
        if scores.get(place + 1).is_none_or(|(next, _)| next != score) {
            places.push(now);
        }
    }
    // As many of them as are asked for, the last among them.
    let step = places.len().div_ceil(most.max(1)).max(1);
    points.extend(places.iter().rev().step_by(step).rev());
    points
}

#[cfg(test)]
mod tests {
    use certus::bits::seeded;

    use super::*;
    use crate::canaries::Canary;

    #[test]
    fn the_curve_goes_from_none_to_all() {
        // Two of three above all others, the third in a tie with one that is out.
        let list = [(5.0, true), (4.0, true), (3.0, true), (3.0, false), (1.0, false)];
        let list = list.map(|(score, is_in)| Canary { score, is_in });
        let canaries = Canaries::new(&list, &mut seeded([1; 32])).unwrap();
        let points = |most| {
            let point = |point: RocPoint| (point.false_positives, point.true_positives);
            roc(&canaries, most).into_iter().map(point).collect::<Vec<_>>()
        };
        assert_eq!(points(10), [(0, 0), (0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(points(2), [(0, 0), (0, 2), (2, 3)]);
        assert_eq!(points(0), [(0, 0), (2, 3)]);
    }

    /// Every score of those that are in is above all others: all are found, and none is mistaken.
    #[test]
    fn a_model_that_remembers_is_seen() {
        let list: Vec<_> = (0..400).map(|place| Canary { score: f64::from(place), is_in: place >= 200 }).collect();
        let canaries = Canaries::new(&list, &mut seeded([1; 32])).unwrap();
        for rate in rates(&canaries, &[0.001, 0.01, 0.1], 0.05) {
            assert_eq!((rate.true_positives.count, rate.true_positives.of), (100, 100));
            assert!(rate.true_positives.lower > 0.96 && rate.true_positives.upper >= 1.0, "{rate:?}");
            // A tenth is what was wished for, and one or two of the other half are between.
            assert!(rate.false_positives.count <= 12 && rate.false_positives.lower <= rate.wanted, "{rate:?}");
        }
    }
}
