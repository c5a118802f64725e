//! How often an attacker is right where there is something, for how often he is wrong where there is nothing.

use crate::proportion::Proportion;

/// What an attacker's statistic is in one experiment, if what he looks for is there and if it is not.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// It is there.
    pub positive: f64,
    /// It is not.
    pub negative: f64,
}

/// The rates of one threshold.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Negatives that he takes for positives.
    pub false_positives: Proportion,
    /// Positives that he finds.
    pub true_positives: Proportion,
}

impl Point {
    /// `61.3 % [60.1, 62.5] at 0.9 %`: the true positives at the false positives.
    #[must_use]
    pub fn percent(&self, alpha: f64) -> String {
        format!("{} at {:.1} %", self.true_positives.percent(alpha), 100.0 * self.false_positives.estimate())
    }
}

/// An attacker's rates at each of some thresholds.
#[derive(Clone, Debug)]
pub struct Roc {
    /// From the strictest threshold to the loosest.
    pub points: Vec<Point>,
    /// The probability that a positive scores higher than a negative, ties by half.
    pub area: f64,
}

/// The rates of false positives that thresholds are set for.
pub const TARGETS: [f64; 25] = [
    0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5,
    0.6, 0.7, 0.8, 0.9, 0.95, 0.99,
];

impl Roc {
    /// Thresholds are set on the first half of the experiments and the rates counted on the second, so that the counts are binomial.
    #[must_use]
    pub fn new(scores: &[Scores]) -> Self {
        let (first, second) = scores.split_at(scores.len() / 2);
        let mut negatives: Vec<f64> = first.iter().map(|scores| scores.negative).collect();
        negatives.sort_by(|one, two| two.total_cmp(one));
        let point = |target: &f64| {
            let place = (target * negatives.len() as f64) as usize;
            let threshold = negatives.get(place).copied().unwrap_or(f64::NEG_INFINITY);
            Point {
                false_positives: Proportion::of(second.iter().map(|scores| scores.negative > threshold)),
                true_positives: Proportion::of(second.iter().map(|scores| scores.positive > threshold)),
            }
        };
        Self { points: TARGETS.iter().map(point).collect(), area: area(second) }
    }

    /// The point whose threshold was set for this rate of false positives.
    #[must_use]
    pub fn at(&self, target: f64) -> Option<Point> {
        self.points.iter().zip(TARGETS).find(|(_, at)| *at == target).map(|(point, _)| *point)
    }

    /// How many thresholds break a bound on the true-positive rate, for certain: each rate moved outward so that with probability 1 − α
    /// none of all of them is on the wrong side.
    pub fn breaks(&self, alpha: f64, bound: impl Fn(f64) -> f64) -> usize {
        // Two rates a threshold, one side each.
        let share = alpha / (2 * self.points.len().max(1)) as f64;
        let is_over =
            |point: &&Point| point.true_positives.at_least(share) > bound(point.false_positives.at_most(share));
        self.points.iter().filter(is_over).count()
    }

    /// (false positives, true positives), as measured.
    #[must_use]
    pub fn curve(&self) -> Vec<(f64, f64)> {
        self.points.iter().map(|point| (point.false_positives.estimate(), point.true_positives.estimate())).collect()
    }
}

/// Mann and Whitney's statistic over all pairs.
fn area(scores: &[Scores]) -> f64 {
    let mut negatives: Vec<f64> = scores.iter().map(|scores| scores.negative).collect();
    negatives.sort_by(f64::total_cmp);
    let wins = scores.iter().map(|scores| {
        let below = negatives.partition_point(|&score| score < scores.positive);
        let up_to = negatives.partition_point(|&score| score <= scores.positive);
        (below + up_to) as f64 / 2.0
    });
    wins.sum::<f64>() / (scores.len().max(1) as f64).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_knows_is_always_right_and_whoever_does_not_guesses() {
        let knows: Vec<Scores> =
            (0..4_000).map(|i| Scores { positive: 5.0 + f64::from(i % 7), negative: f64::from(i % 5) }).collect();
        let roc = Roc::new(&knows);
        assert!(roc.area == 1.0 && roc.breaks(0.001, |f| std::f64::consts::E * f) > 10);
        let guesses: Vec<Scores> = (0..4_000)
            .map(|i| Scores { positive: f64::from(i * 7 % 4_001), negative: f64::from(i * 11 % 4_001) })
            .collect();
        let roc = Roc::new(&guesses);
        assert!((roc.area - 0.5).abs() < 0.02, "{}", roc.area);
        assert_eq!(roc.breaks(0.001, |f| f), 0);
        // All alike: nothing to tell, no threshold that anybody passes.
        let alike = Roc::new(&[Scores { positive: 1.0, negative: 1.0 }; 100]);
        assert!(alike.area == 0.5 && alike.points.iter().all(|point| point.true_positives.hits == 0));
        assert!(Roc::new(&[]).at(0.01).is_some());
    }
}
