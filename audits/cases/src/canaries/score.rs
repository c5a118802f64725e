//! What the training's history says of each direction: the logarithm of a likelihood ratio.

/// The least noise that a score is computed for: where there is none at all, ratios would be infinite.
const LEAST_SPREAD: f64 = 0.01;

/// The scores of directions, step by step.
///
/// In a step a record that is trained on adds 1 to its own weight of the sum with probability q, and nothing
/// otherwise: with noise of standard deviation s the ratio of densities at x is 1 − q + q·exp((x − ½)/s²).
/// Logarithms add up over steps. **s is estimated from the same sum**, as the median size of what all
/// directions have divided by the normal's 0.6745 (at most a twentieth of them are in a sample): a score that
/// believed the noise that is claimed would miss where there is less. No score sees a coin.
pub(super) struct Scores {
    rate: f64,
    first: usize,
    /// Log-likelihood ratios so far.
    pub(super) ratios: Vec<f64>,
}

impl Scores {
    /// Of so many directions, whose weights begin at `first`, sampled with the rate that is claimed.
    pub(super) fn new(rate: f64, first: usize, directions: usize) -> Self {
        Self { rate, first, ratios: vec![0.0; directions] }
    }

    /// Takes a step's sum, as it is released.
    pub(super) fn see(&mut self, sum: &[f64]) {
        let own = sum.get(self.first..).unwrap_or_default();
        let variance = spread(own).max(LEAST_SPREAD).powi(2);
        for (ratio, x) in self.ratios.iter_mut().zip(own) {
            // Within these bounds the exponential is a float, and 1 − q + q·e^z is not 0 at q = 1.
            let z = ((x - 0.5) / variance).clamp(-30.0, 700.0);
            *ratio += (self.rate * z.exp_m1()).ln_1p();
        }
    }
}

/// The standard deviation of normal numbers of which a few are others.
fn spread(numbers: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = numbers.iter().map(|x| x.abs()).collect();
    let middle = sizes.len() / 2;
    if sizes.is_empty() {
        return 0.0;
    }
    let (_, median, _) = sizes.select_nth_unstable_by(middle, f64::total_cmp);
    *median / 0.6745
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_densities() {
        let density = |x: f64, mean: f64| (-(x - mean).powi(2) / (2.0 * 4.0)).exp();
        // Of seven sizes the median is 2·0.6745.
        let sum = [9.0, 0.3, -1.0, 1.2, -2.0 * 0.6745, 2.5, -3.0, 4.0];
        let mut scores = Scores::new(0.25, 1, 7);
        scores.see(&sum);
        scores.see(&sum);
        for (x, ratio) in sum.iter().skip(1).zip(&scores.ratios) {
            let expected = (0.75 + 0.25 * density(*x, 1.0) / density(*x, 0.0)).ln();
            assert!((ratio - 2.0 * expected).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn without_noise_a_score_is_a_number_and_tells_all() {
        for rate in [0.1, 1.0] {
            let mut scores = Scores::new(rate, 0, 3);
            for _ in 0..1000 {
                scores.see(&[0.0, 1.0, 0.0]);
            }
            assert!(scores.ratios.iter().all(|ratio| ratio.is_finite()), "{:?}", scores.ratios);
            assert!(scores.ratios[1] > 0.0 && scores.ratios[0] < 0.0);
        }
    }
}
