//! Propose, test, release: the median, where it is stable.

use core::ops::ControlFlow;

use num_bigint::BigInt;

use super::{
    Bounds, OrderedRecords, RecordsError, StatisticError, laplace_tail, stability_histogram::dominated_by_approximate,
};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Domination, Guarantee, Relation},
    mechanism::{Private, opaque_debug, selection::reaches},
    sample::{Interpreter, Laplace, Program, Step},
};

/// Propose-test-release for the median of n clamped records, n being public: propose a bound b of its local
/// sensitivity, test in private whether the data are far from violating it, and only then release the median
/// with noise for b.
///
/// Dwork and Lei 2009. With γ the number of changes after which the local sensitivity can exceed b, draw X
/// and Y of discrete Laplace noise: if γ + X ≥ τ, the release is the median + Y, and otherwise nothing.
///
/// # Guarantee
///
/// (ε₁ + ε₂, δ) for change-one neighbours, with X of scale 1/ε₁, Y of scale b/ε₂ and δ = P(X ≥ τ) exactly. If
/// γ ≥ 1 for one of two neighbours, its local sensitivity is at most b, so that their medians are at most b
/// apart, and their γ at most 1: pure ε₁ + ε₂. If γ = 0 for both, either releases with probability δ, and the
/// two agree on releasing nothing. Tight as a supremum: medians that are far apart where γ = 0.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, mechanism::{Private, statistic::{Bounds, MedianTest}}};
///
/// let one = Positive::new(Rational::from_integer(1.into()))?;
/// let test = MedianTest::new(Bounds::new(0, 1_000_000)?, 1001, 50, 15, &one, &one)?;
/// let tight: Vec<i64> = (500..1501).collect();
/// assert!(test.release(&tight, &mut seeded([0; 32]))?.get().is_some());
/// let split: Vec<i64> = (0..1001).map(|i| if i < 501 { 0 } else { 1_000_000 }).collect();
/// assert!(test.release(&split, &mut seeded([0; 32]))?.get().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MedianTest {
    bounds: Bounds,
    records: u64,
    bound: u64,
    threshold: i64,
    scales: (Positive, Positive),
    epsilon: Rational,
    guarantee: Guarantee,
}

impl MedianTest {
    /// Of `records` records clamped to `bounds`, with the proposed bound b, the threshold τ of the test, ε₁
    /// for the test and ε₂ for the release.
    ///
    /// # Errors
    ///
    /// If there are no records, or b is 0.
    pub fn new(
        bounds: Bounds,
        records: u64,
        bound: u64,
        threshold: i64,
        epsilon_test: &Positive,
        epsilon_release: &Positive,
    ) -> Result<Self, StatisticError> {
        if records == 0 {
            return Err(StatisticError::NoRecords);
        }
        let scale = |numerator: u64, epsilon: &Positive| {
            let scale = Rational::from_integer(numerator.into()) / epsilon.get();
            Positive::new(scale).map_err(|_| StatisticError::Proposal)
        };
        let scales = (scale(1, epsilon_test)?, scale(bound, epsilon_release)?);
        let epsilon = epsilon_test.get() + epsilon_release.get();
        let delta = laplace_tail(&scales.0, &BigInt::from(threshold));
        let guarantee = Guarantee::approximate(Relation::ChangeOne, Real::from(epsilon.clone()), delta)?;
        Ok(Self { bounds, records, bound, threshold, scales, epsilon, guarantee })
    }
}

impl Private for MedianTest {
    type Input = [i64];
    type Release = TestedMedian;
    type Error = RecordsError;

    fn on(&self, records: &[i64]) -> Result<TestedMedian, RecordsError> {
        let ordered = OrderedRecords::new(records, self.bounds, self.records)?;
        Ok(TestedMedian {
            distance: Integer::from(ordered.distance_to_instability(self.bound)),
            threshold: Integer::from(self.threshold),
            median: ordered.median(),
            test_noise: Laplace::new(&self.scales.0),
            release_noise: Laplace::new(&self.scales.1),
        })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: the neighbours that attain ε are others than those that attain δ.
    fn domination(&self) -> Domination {
        dominated_by_approximate(&self.epsilon, &self.guarantee)
    }
}

/// A noisy median if a noisy distance reaches the threshold, and nothing otherwise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestedMedian {
    distance: Integer,
    threshold: Integer,
    median: Integer,
    test_noise: Laplace,
    release_noise: Laplace,
}

opaque_debug!(TestedMedian);

impl Program for TestedMedian {
    type State = bool;
    type Output = Option<Integer>;

    fn start(&self) -> bool {
        false
    }

    fn step<I: Interpreter>(&self, passed: bool, on: &mut I) -> Step<Self, I> {
        if passed {
            return Ok(ControlFlow::Break(Some(self.median.add(&on.call(&self.release_noise)?))));
        }
        let passes = reaches(&self.distance.add(&on.call(&self.test_noise)?), &self.threshold);
        Ok(if passes { ControlFlow::Continue(true) } else { ControlFlow::Break(None) })
    }
}
