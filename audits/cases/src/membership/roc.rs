//! How often an attacker is right about members, for how often he is wrong about others.

use super::trial::Scores;
use crate::proportion::Proportion;

/// The rates of one threshold.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Fresh people who are taken for members.
    pub false_positives: Proportion,
    /// Members who are found.
    pub true_positives: Proportion,
}

/// An attacker's rates at each of some thresholds.
#[derive(Clone, Debug)]
pub struct Roc {
    /// From the strictest threshold to the loosest.
    pub points: Vec<Point>,
    /// The probability that a member scores higher than a fresh person, ties by half.
    pub area: f64,
}

/// The rates of false positives that thresholds are set for.
pub const TARGETS: [f64; 25] = [
    0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7,
    0.8, 0.9, 0.95, 0.99,
];

impl Roc {
    /// Thresholds are set on the first half of the experiments and the rates counted on the second, so that the counts are binomial.
    #[must_use]
    pub fn new(scores: &[Scores]) -> Self {
        let (first, second) = scores.split_at(scores.len() / 2);
        let mut fresh: Vec<f64> = first.iter().map(|scores| scores.fresh).collect();
        fresh.sort_by(|one, two| two.total_cmp(one));
        let point = |target: &f64| {
            let place = (target * fresh.len() as f64) as usize;
            let threshold = fresh.get(place).copied().unwrap_or(f64::NEG_INFINITY);
            Point {
                false_positives: Proportion::of(second.iter().map(|scores| scores.fresh > threshold)),
                true_positives: Proportion::of(second.iter().map(|scores| scores.member > threshold)),
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
        let is_over = |point: &&Point| point.true_positives.at_least(share) > bound(point.false_positives.at_most(share));
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
    let mut fresh: Vec<f64> = scores.iter().map(|scores| scores.fresh).collect();
    fresh.sort_by(f64::total_cmp);
    let wins = scores.iter().map(|scores| {
        let below = fresh.partition_point(|&score| score < scores.member);
        let up_to = fresh.partition_point(|&score| score <= scores.member);
        (below + up_to) as f64 / 2.0
    });
    wins.sum::<f64>() / (scores.len().max(1) as f64).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_knows_is_always_right_and_whoever_does_not_guesses() {
        let knows: Vec<Scores> = (0..4_000).map(|i| Scores { member: 5.0 + f64::from(i % 7), fresh: f64::from(i % 5) }).collect();
        let roc = Roc::new(&knows);
        assert!(roc.area == 1.0 && roc.breaks(0.001, |f| std::f64::consts::E * f) > 10);
        let guesses: Vec<Scores> = (0..4_000).map(|i| Scores { member: f64::from(i * 7 % 4_001), fresh: f64::from(i * 11 % 4_001) }).collect();
        let roc = Roc::new(&guesses);
        assert!((roc.area - 0.5).abs() < 0.02, "{}", roc.area);
        assert_eq!(roc.breaks(0.001, |f| f), 0);
        // All alike: nothing to tell, no threshold that anybody passes.
        let alike = Roc::new(&[Scores { member: 1.0, fresh: 1.0 }; 100]);
        assert!(alike.area == 0.5 && alike.points.iter().all(|point| point.true_positives.hits == 0));
        assert!(Roc::new(&[]).at(0.01).is_some());
    }
}
