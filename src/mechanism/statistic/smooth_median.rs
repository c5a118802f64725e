//! The median with noise in proportion to its smooth sensitivity.

use core::ops::ControlFlow;

use super::{Bounds, OrderedRecords, RecordsError, StatisticError, Waring};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Domination, Guarantee, Relation},
    mechanism::{Private, opaque_debug, selection::dominated_by_a_response},
    sample::{Interpreter, Program, Step},
};

/// The median of n clamped records, n being public, with noise in proportion to how far this median could
/// move: the smooth sensitivity S of Nissim, Raskhodnikova and Smith 2007, with a rational decay r = e^-β, so
/// that S is rational and computed exactly.
///
/// The noise is symmetric [`Waring`] noise of scale s = S/a and degree d, not Laplace: noise whose scale
/// depends on the data must bear dilation too, and Laplace noise does not without a δ.
///
/// # Guarantee
///
/// Pure ε = (d + 1)·ln(1 + a) + d·ln(1/r), for change-one neighbours. Medians of neighbours are at most S =
/// a·s apart, so that the shift costs at most (1 + a)^(d+1); their scales are at most 1/r apart, which costs
/// at most r^-d; both are proven at [`Waring`]. Not tight: the shift costs most near the median, the dilation
/// far from it.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, mechanism::{Private, statistic::{Bounds, SmoothMedian}}};
///
/// let ratio = |n: i64, d: i64| Positive::new(Rational::new(n.into(), d.into()));
/// // 4·ln(6/5) + 3·ln(20/19) = 0.883
/// let median = SmoothMedian::new(Bounds::new(0, 1_000_000)?, 1001, 3, &ratio(1, 5)?, &ratio(19, 20)?)?;
/// assert!(median.guarantee().to_string().starts_with("pure, epsilon = [0.8831"));
/// let records: Vec<i64> = (500..1501).collect();
/// let released = median.release(&records, &mut seeded([0; 32]))?.get().to_i64().unwrap();
/// assert!((900..1100).contains(&released));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SmoothMedian {
    bounds: Bounds,
    records: u64,
    degree: u32,
    /// a.
    ratio: Positive,
    /// r.
    decay: Positive,
    guarantee: Guarantee,
    /// At least ε.
    epsilon: Rational,
}

/// The most binary digits of the largest power of the decay, r^n: S has as many, and so has the noise's
/// scale.
const MOST_POWER_BITS: u64 = 1 << 17;

impl SmoothMedian {
    /// Of `records` records clamped to `bounds`, with noise of degree d and scale S/`ratio`, and the decay r
    /// of the smooth sensitivity S.
    ///
    /// # Errors
    ///
    /// If there are no records, lower = upper, d is not from 1 to 64, r is not strictly between 0 and 1, or
    /// r^n has more than 2^17 binary digits.
    pub fn new(
        bounds: Bounds,
        records: u64,
        degree: u32,
        ratio: &Positive,
        decay: &Positive,
    ) -> Result<Self, StatisticError> {
        if records == 0 {
            return Err(StatisticError::NoRecords);
        }
        if bounds.width() == 0 {
            return Err(StatisticError::OneValue);
        }
        let one = Rational::from_integer(1.into());
        if *decay.get() >= one {
            return Err(StatisticError::Decay);
        }
        if decay.denominator().bits().checked_mul(records).is_none_or(|bits| bits > MOST_POWER_BITS) {
            return Err(StatisticError::LongDecay);
        }
        // The degree is checked where the noise is made.
        Waring::new(ratio, degree)?;
        let times = |count: u32, x: Rational| &Real::from(i64::from(count)) * &Real::from(x).ln();
        let epsilon = &times(degree.saturating_add(1), one + ratio.get()) + &times(degree, decay.get().recip());
        let at_most = epsilon.at_most(64).ok_or(crate::guarantee::GuaranteeError::Epsilon)?;
        let guarantee = Guarantee::pure(Relation::ChangeOne, epsilon)?;
        Ok(Self { bounds, records, degree, ratio: ratio.clone(), decay: decay.clone(), guarantee, epsilon: at_most })
    }
}

impl Private for SmoothMedian {
    type Input = [i64];
    type Release = MedianWithNoise;
    type Error = RecordsError;

    fn on(&self, records: &[i64]) -> Result<MedianWithNoise, RecordsError> {
        let refused = RecordsError { records: self.records };
        let ordered = OrderedRecords::new(records, self.bounds, self.records)?;
        // S ≥ r^n·(upper − lower) > 0, and the degree was checked.
        let scale = Positive::new(ordered.smooth_sensitivity(&self.decay) / self.ratio.get()).map_err(|_| refused)?;
        Ok(MedianWithNoise { median: ordered.median(), noise: Waring::new(&scale, self.degree).map_err(|_| refused)? })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: not even ε is.
    fn domination(&self) -> Domination {
        dominated_by_a_response(&self.epsilon, self.guarantee.relation())
    }
}

/// A median plus Waring noise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MedianWithNoise {
    median: Integer,
    noise: Waring,
}

opaque_debug!(MedianWithNoise);

impl Program for MedianWithNoise {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(self.median.add(&on.call(&self.noise)?)))
    }
}
