//! Ordered records, and how far their median can move within k changes.

use alloc::vec::Vec;

use super::{Bounds, RecordsError, smooth_sensitivity::largest};
use crate::{
    exact::{Integer, Positive, Rational},
    mechanism::opaque_debug,
};

/// n records clamped to bounds, in order: x₁ ≤ x₂ ≤ … ≤ xₙ, and xᵢ = lower for i < 1, upper for i > n.
///
/// Their median is x_m with m = ⌈n/2⌉. Everything here is for change-one neighbours.
#[derive(Clone)]
pub struct OrderedRecords {
    sorted: Vec<i64>,
    bounds: Bounds,
}

opaque_debug!(OrderedRecords);

impl OrderedRecords {
    /// Clamps and sorts `records` records.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    pub fn new(records: &[i64], bounds: Bounds, declared: u64) -> Result<Self, RecordsError> {
        if u64::try_from(records.len()) != Ok(declared) {
            return Err(RecordsError { records: declared });
        }
        let mut sorted: Vec<i64> = records.iter().map(|record| bounds.clamp(*record)).collect();
        sorted.sort_unstable();
        Ok(Self { sorted, bounds })
    }

    /// x_(m + up − down), which may be beyond either end.
    fn at(&self, up: usize, down: usize) -> i64 {
        // m = ⌈n/2⌉ from 1, which is ⌈n/2⌉ − 1 from 0.
        let Some(place) = self.sorted.len().div_ceil(2).saturating_add(up).checked_sub(down.saturating_add(1)) else {
            return self.bounds.lower();
        };
        self.sorted.get(place).copied().unwrap_or(self.bounds.upper())
    }

    /// The median.
    #[must_use]
    pub fn median(&self) -> Integer {
        Integer::from(self.at(0, 0))
    }

    /// A(k): how far one more change can move the median, after k changes at most: the largest of x_(m+t) −
    /// x_(m+t−k−1) over t from 0 to k + 1 (Nissim, Raskhodnikova and Smith 2007, Section 3.1). A(0) is the
    /// local sensitivity.
    #[must_use]
    pub fn reach(&self, k: usize) -> u64 {
        // n changes reach from bound to bound.
        let last = k.min(self.sorted.len()).saturating_add(1);
        (0..=last).map(|t| self.at(t, 0).abs_diff(self.at(t, last))).max().unwrap_or(0)
    }

    /// The smooth sensitivity S = max over k of r^k·A(k), for a decay r = e^-β strictly between 0 and 1.
    ///
    /// It is the least function that is at least the local sensitivity everywhere and at least r times itself
    /// on any neighbour (their Definition 2.2 and Lemma 2.3): A(k) on a neighbour is at most A(k + 1) here.
    #[must_use]
    pub fn smooth_sensitivity(&self, decay: &Positive) -> Rational {
        // A(k) is the largest x_(m+j) − x_(m−i) with i + j = k + 1: here are x_m, x_(m−1), …, x_0 and x_m,
        // x_(m+1), …, x_(n+1).
        let middle = self.sorted.len().div_ceil(2);
        let lower: Vec<i64> = (0..=middle).map(|down| self.at(0, down)).collect();
        let upper: Vec<i64> =
            (0..=self.sorted.len().saturating_sub(middle).saturating_add(1)).map(|up| self.at(up, 0)).collect();
        largest(&lower, &upper, decay)
    }

    /// The number of changes after which the local sensitivity may exceed `bound`: the least k with A(k) >
    /// bound, and n + 1 if there is none. It moves by at most 1 between neighbours, and is 0 only where the
    /// local sensitivity itself exceeds the bound.
    #[must_use]
    pub fn distance_to_instability(&self, bound: u64) -> u64 {
        // A(k) does not fall as k grows: the least k is found by halving.
        let (mut stable, mut end) = (0, self.sorted.len().saturating_add(1));
        while stable < end {
            let middle = stable.midpoint(end);
            if self.reach(middle) <= bound {
                stable = middle.saturating_add(1);
            } else {
                end = middle;
            }
        }
        u64::try_from(stable).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use num_traits::Zero;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    /// All databases of n records in the range.
    fn databases(n: u32, bounds: &Bounds) -> Vec<Vec<i64>> {
        (0..n).fold(vec![vec![]], |shorter, _| {
            shorter
                .iter()
                .flat_map(|data| (bounds.lower()..=bounds.upper()).map(|x| data.iter().copied().chain([x]).collect()))
                .collect()
        })
    }

    fn distance(a: &[i64], b: &[i64]) -> usize {
        a.iter().zip(b).filter(|(a, b)| a != b).count()
    }

    /// By definition, exhaustively: A(k) is the largest local sensitivity within k changes; S is smooth and
    /// at least that; the distance is Lipschitz, and 0 exactly where the local sensitivity exceeds the bound.
    #[test]
    fn reach_smoothness_and_distance_by_definition() {
        for (n, lower, upper) in [(1_u32, 0, 3), (2, -1, 2), (3, 0, 3), (4, 0, 2), (5, 0, 1)] {
            let bounds = Bounds::new(lower, upper).unwrap();
            let all = databases(n, &bounds);
            let ordered: Vec<_> = all.iter().map(|data| OrderedRecords::new(data, bounds, n.into()).unwrap()).collect();
            let median = |i: usize| ordered[i].median().to_i64().unwrap();
            let local: Vec<u64> = (0..all.len())
                .map(|i| {
                    (0..all.len())
                        .filter(|j| distance(&all[i], &all[*j]) == 1)
                        .map(|j| median(i).abs_diff(median(j)))
                        .max()
                        .unwrap()
                })
                .collect();
            for i in 0..all.len() {
                for k in 0..=n as usize {
                    let within =
                        (0..all.len()).filter(|j| distance(&all[i], &all[*j]) <= k).map(|j| local[j]).max().unwrap();
                    assert_eq!(ordered[i].reach(k), within, "{:?} within {k}", all[i]);
                }
                assert_eq!(ordered[i].reach(usize::MAX), bounds.width());
                for decay in [rational(1, 2), rational(9, 10), rational(1, 50)] {
                    let decay = Positive::new(decay).unwrap();
                    let smooth = ordered[i].smooth_sensitivity(&decay);
                    assert!(smooth >= Rational::from_integer(local[i].into()) && smooth > Rational::zero());
                    for j in (0..all.len()).filter(|j| distance(&all[i], &all[*j]) == 1) {
                        assert!(ordered[j].smooth_sensitivity(&decay) >= &smooth * decay.get());
                    }
                }
                for bound in 0..=bounds.width() {
                    let own = ordered[i].distance_to_instability(bound);
                    assert_eq!(own == 0, local[i] > bound);
                    for j in (0..all.len()).filter(|j| distance(&all[i], &all[*j]) == 1) {
                        assert!(ordered[j].distance_to_instability(bound).abs_diff(own) <= 1);
                    }
                }
            }
        }
    }

    /// By the definition, term by term, on random records: ties, records at and beyond the bounds, odd and
    /// even numbers.
    #[test]
    fn smooth_sensitivity_and_distance_are_those_of_every_term() {
        let mut bits = crate::bits::seeded([6; 32]);
        let mut below = |bound: u64| i64::try_from(crate::bits::Bits::take(&mut bits, 32).unwrap() % bound).unwrap();
        for case in 0..400 {
            let n = usize::try_from(below(12)).unwrap() + 1;
            let width = [1, 3, 20, 1_000_000][case % 4];
            let records: Vec<i64> = (0..n).map(|_| below(width + 4) - 2).collect();
            let bounds = Bounds::new(0, i64::try_from(width).unwrap()).unwrap();
            let ordered = OrderedRecords::new(&records, bounds, n.try_into().unwrap()).unwrap();
            let decay = [rational(1, 2), rational(999, 1000), rational(9, 10), rational(1, 50)][case / 4 % 4].clone();
            let terms =
                (0..=n).map(|k| decay.pow(i32::try_from(k).unwrap()) * Rational::from_integer(ordered.reach(k).into()));
            let smooth = ordered.smooth_sensitivity(&Positive::new(decay.clone()).unwrap());
            assert_eq!(smooth, terms.max().unwrap(), "{records:?} {decay}");
            assert_eq!(smooth, Rational::new(smooth.numer().clone(), smooth.denom().clone()));
            for bound in [0, 1, width / 2, width] {
                let stable = (0..=n).take_while(|k| ordered.reach(*k) <= bound).count();
                assert_eq!(ordered.distance_to_instability(bound), u64::try_from(stable).unwrap());
            }
        }
    }

    #[test]
    fn extremes() {
        let bounds = Bounds::new(i64::MIN, i64::MAX).unwrap();
        let records = OrderedRecords::new(&[i64::MIN, i64::MAX], bounds, 2).unwrap();
        assert_eq!((records.median(), records.reach(0)), (Integer::from(i64::MIN), u64::MAX));
        assert_eq!(OrderedRecords::new(&[1], bounds, 2).unwrap_err(), RecordsError { records: 2 });
    }
}
