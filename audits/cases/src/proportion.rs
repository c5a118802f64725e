//! A share of trials, and what it says of the probability behind it.

use certus_audit::statistics::normal::score_at_most;
use certus_audit::statistics::tail::{rejected_above, rejected_below};

/// How many of so many independent trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proportion {
    /// How many came out so.
    pub hits: u64,
    /// Of how many.
    pub trials: u64,
}

impl Proportion {
    /// Counts what is true.
    pub fn of(trials: impl IntoIterator<Item = bool>) -> Self {
        trials
            .into_iter()
            .fold(Self::default(), |sum, hit| Self { hits: sum.hits + u64::from(hit), trials: sum.trials + 1 })
    }

    /// hits/trials; 0 of no trials.
    #[must_use]
    pub fn estimate(self) -> f64 {
        self.hits as f64 / self.trials.max(1) as f64
    }

    /// Clopper and Pearson's (1934) lower bound: above the probability in at most a share α of all experiments.
    #[must_use]
    pub fn at_least(self, alpha: f64) -> f64 {
        rejected_below(self.trials.max(1), self.hits, score_at_most(alpha), None)
    }

    /// Their upper bound: below the probability in at most a share α of all experiments.
    #[must_use]
    pub fn at_most(self, alpha: f64) -> f64 {
        rejected_above(self.trials.max(1), self.hits, score_at_most(alpha))
    }

    /// Both, at α/2 each: an interval that misses the probability in at most a share α of all experiments.
    #[must_use]
    pub fn interval(self, alpha: f64) -> (f64, f64) {
        (self.at_least(alpha / 2.0), self.at_most(alpha / 2.0))
    }

    /// `61.3 % [60.1, 62.5]`, with the interval that misses in at most a share α of all experiments; a digit more of what is rare.
    #[must_use]
    pub fn percent(self, alpha: f64) -> String {
        let (lower, upper) = self.interval(alpha);
        let digits = if upper < 0.02 { 2 } else { 1 };
        format!("{:.digits$} % [{:.digits$}, {:.digits$}]", 100.0 * self.estimate(), 100.0 * lower, 100.0 * upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against values in print: 10 of 100 at 95 % is [0.0490, 0.1762]; 0 of 20 has the upper bound 1 − 0.025^(1/20).
    #[test]
    fn intervals_in_print() {
        let (lower, upper) = Proportion { hits: 10, trials: 100 }.interval(0.05);
        assert!((lower - 0.0490).abs() < 1e-3 && (upper - 0.1762).abs() < 1e-3, "{lower} {upper}");
        let (lower, upper) = Proportion { hits: 0, trials: 20 }.interval(0.05);
        assert!(lower == 0.0 && (upper - (1.0 - 0.025_f64.powf(0.05))).abs() < 1e-3, "{upper}");
        assert_eq!(Proportion { hits: 613, trials: 1_000 }.percent(0.05), "61.3 % [58.2, 64.3]");
        assert_eq!(Proportion { hits: 1, trials: 1_000 }.percent(0.05), "0.10 % [0.00, 0.56]");
        assert_eq!(Proportion::of([true, false, true]), Proportion { hits: 2, trials: 3 });
    }
}
