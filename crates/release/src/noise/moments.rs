//! Means and variances from their noisy parts, with an accuracy that only released numbers say.
//!
//! Of a group, the count N, the centred sum S = Σy and, for a variance, Q = Σ(2y² − w²) are released, y = 2v
//! − lower − upper from −w to w. Each is within its bound of the truth with probability 1 − 0.05/(number of
//! parts), so all are with 95 %: then the truth lies in the box around what was released, and α is the
//! distance from the estimate to the farthest value that the statistic takes in the box.
//!
//! **A total rule.** A noisy count below 1 is taken for 1. The mean of nothing is the middle of the bounds and its
//! variance 0, which is in the box where the count may be 0. Estimates are clamped to the possible range.

use certus::{
    exact::{BigInt, Rational, Rounding, decimal, parse},
    mechanism::AccuracyError,
};
use certus_ledger::plan::Statistic;

use super::Drawing;
use crate::price::{Role, beta, whole};

/// Digits of a released mean or variance.
const DIGITS: u32 = 12;

/// An interval.
#[derive(Clone)]
struct Between {
    low: Rational,
    high: Rational,
}

impl Drawing<'_> {
    /// The estimate of each group and its α, in the unit of the column (squared, for a variance).
    pub(super) fn moments(&self, noisy: &[Vec<BigInt>]) -> Result<Vec<(Rational, Rational)>, AccuracyError> {
        let parts: Vec<_> = self.priced.parts.iter().filter(|part| !matches!(part.role, Role::Keys { .. })).collect();
        let each = beta(u32::try_from(parts.len()).unwrap_or(u32::MAX))?;
        let mut reach = Vec::new();
        for part in &parts {
            // |error| ≥ α has probability at most β, and errors are integers: |error| ≤ α − 1 otherwise.
            let alpha = part.law.alpha(1, &each)?;
            reach.push(Rational::from_integer(BigInt::from(alpha) - 1));
        }
        let groups = noisy.first().map_or(0, Vec::len);
        let at = |part: usize, group: usize| -> Option<(Rational, Between)> {
            let value = Rational::from_integer(noisy.get(part)?.get(group)?.clone());
            let reach = reach.get(part)?;
            Some((value.clone(), Between { low: &value - reach, high: value + reach }))
        };
        let of = |group: usize| -> Option<(Rational, Rational)> {
            let ((n, ns), (s, ss)) = (at(0, group)?, at(1, group)?);
            Some(match self.query.statistic {
                Statistic::Variance { .. } => {
                    let (q, qs) = at(2, group)?;
                    self.variance((&n, &ns), (&s, &ss), (&q, &qs))
                }
                _ => self.mean((&n, &ns), (&s, &ss)),
            })
        };
        (0..groups).map(|group| of(group).ok_or(AccuracyError::OutOfReach)).collect()
    }

    fn mean(&self, n: (&Rational, &Between), s: (&Rational, &Between)) -> (Rational, Rational) {
        let (lower, upper) = self.bounds();
        let (middle, width) = (whole(lower) + whole(upper), whole(upper) - whole(lower));
        let unit = self.step();
        // In steps: (middle + y)/2.
        let in_unit = |y: &Rational| (&middle + y) / whole(2) * &unit;
        let estimate = rounded(&in_unit(&ratio(s.0, n.0, &width)));
        let ys = ratios(s.1, n.1, &width);
        let alpha = farthest(&estimate, &in_unit(&ys.low), &in_unit(&ys.high));
        (estimate, alpha)
    }

    fn variance(
        &self,
        n: (&Rational, &Between),
        s: (&Rational, &Between),
        q: (&Rational, &Between),
    ) -> (Rational, Rational) {
        let (lower, upper) = self.bounds();
        let width = whole(upper) - whole(lower);
        let most = &width * &width;
        let unit = self.step();
        // In steps²: ((Q/N + w²)/2 − (S/N)²)/4, from 0 to w²/4.
        let in_unit = |square: &Rational, mean_squared: &Rational| {
            let variance = ((square + &most) / whole(2) - mean_squared) / whole(4);
            variance.clamp(whole(0), &most / whole(4)) * &unit * &unit
        };
        let y = ratio(s.0, n.0, &width);
        let estimate = rounded(&in_unit(&ratio(q.0, n.0, &most), &(&y * &y)));
        let (ys, squares) = (ratios(s.1, n.1, &width), ratios(q.1, n.1, &most));
        let (low2, high2) = (&ys.low * &ys.low, &ys.high * &ys.high);
        let least = if ys.low <= whole(0) && ys.high >= whole(0) { whole(0) } else { low2.clone().min(high2.clone()) };
        let (mut low, high) = (in_unit(&squares.low, &low2.max(high2)), in_unit(&squares.high, &least));
        if n.1.low < whole(1) {
            low = whole(0);
        }
        let alpha = farthest(&estimate, &low, &high);
        (estimate, alpha)
    }
}

/// S/N with N at least 1, from −most to most.
fn ratio(s: &Rational, n: &Rational, most: &Rational) -> Rational {
    (s / n.clone().max(whole(1))).clamp(-most, most.clone())
}

/// The least and the largest S/N of a box, as far as they are possible; 0 too where N may be 0.
fn ratios(s: &Between, n: &Between, most: &Rational) -> Between {
    let (few, many) = (n.low.clone().max(whole(1)), n.high.clone().max(whole(1)));
    let over = |s: &Rational, n: &Rational| (s / n).clamp(-most, most.clone());
    let mut low = over(&s.low, &few).min(over(&s.low, &many));
    let mut high = over(&s.high, &few).max(over(&s.high, &many));
    if n.low < whole(1) {
        low = low.min(whole(0));
        high = high.max(whole(0));
    }
    Between { low, high }
}

/// Twelve digits: what is released is the decimal, and α is measured from it.
fn rounded(value: &Rational) -> Rational {
    parse(&decimal(value, DIGITS, Rounding::Down)).unwrap_or_else(|_| value.clone())
}

fn farthest(from: &Rational, low: &Rational, high: &Rational) -> Rational {
    (from - low).max(high - from).max(whole(0))
}
