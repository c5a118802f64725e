//! How much noise a guarantee needs: Laplace and Gaussian noise by the distance of neighbours' answers.

use alloc::{format, string::String};

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::{CalibrateError, Calibration, Classical, Target, Trend, calibrate};
use crate::{
    account::{Plan, Precision},
    exact::{Positive, Probability, Rational, render},
    mechanism::domination,
};

/// The digits of each δ that is compared with the wanted one.
const DIGITS: u32 = 12;

/// How many questions may be asked to exclude smaller scales, of one answer and of vectors.
const MOST_CHECKED: u64 = 4000;
const MOST_CHECKED_OF_VECTORS: u64 = 50;

/// Binary digits of the formula that a step is derived from.
const GUIDE_BITS: u32 = 64;

/// Noise whose scale is looked for, and how far the true answers of neighbours are apart.
///
/// ```
/// use certus::{exact::{Positive, Probability, parse}, mechanism::CalibratedNoise};
///
/// let noise = CalibratedNoise::Gaussian { sensitivity: 1u32.into() };
/// let (epsilon, delta) = (Positive::new(parse("1")?)?, Probability::new(parse("1e-5")?)?);
/// let (found, step) = noise.calibrate(&epsilon, &delta, None)?;
/// assert_eq!(noise.spec(&found.scale), "gaussian(sigma=3741/1000)");
/// assert_eq!(step.get(), &parse("0.001")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CalibratedNoise {
    /// `laplace`, on one answer that moves by so much.
    Laplace {
        /// The distance.
        sensitivity: BigUint,
    },
    /// `gaussian`, on one answer that moves by so much.
    Gaussian {
        /// The distance.
        sensitivity: BigUint,
    },
    /// `gaussian_vector`, on several answers.
    GaussianVector {
        /// The square of their L2 distance.
        square: BigUint,
        /// How many they are.
        coordinates: u64,
    },
}

impl CalibratedNoise {
    /// The most answers of a vector, as in a spec.
    pub const MOST_COORDINATES: u64 = 1 << 16;

    /// Gaussian noise on so many answers: where there is one, an integer, it moves by whole steps.
    #[must_use]
    pub fn gaussian(square: BigUint, coordinates: u64) -> Self {
        match coordinates {
            0 | 1 => Self::Gaussian { sensitivity: square.sqrt() },
            _ => Self::GaussianVector { square, coordinates },
        }
    }

    /// The name of the mechanism's scale: `scale`, or `sigma`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Laplace { .. } => "scale",
            Self::Gaussian { .. } | Self::GaussianVector { .. } => "sigma",
        }
    }

    /// The mechanism that has this scale.
    #[must_use]
    pub fn spec(&self, scale: &Positive) -> String {
        let (key, scale) = (self.key(), render(scale.get()));
        match self {
            Self::Laplace { sensitivity } | Self::Gaussian { sensitivity } => {
                let name = if key == "scale" { "laplace" } else { "gaussian" };
                if sensitivity.is_one() {
                    format!("{name}({key}={scale})")
                } else {
                    format!("{name}({key}={scale}, sensitivity={sensitivity})")
                }
            }
            Self::GaussianVector { square, coordinates } => {
                format!("gaussian_vector(sigma={scale}, coordinates={coordinates}, sensitivity2={square})")
            }
        }
    }

    /// What is accounted for at a scale: nothing at all where there is no such mechanism, which no account
    /// meets.
    #[must_use]
    pub fn plan(&self, scale: &Positive) -> Plan {
        let found = self.spec(scale).parse().and_then(|spec| domination(&spec));
        found.map_or_else(|_| Plan::new(), |domination| Plan::of(&domination, 1))
    }

    /// The formula of the textbooks: Δ/ε, or Δ·√(2·ln(1.25/δ))/ε; nothing where δ is 0 and it has one.
    #[must_use]
    pub fn classical(&self, epsilon: &Positive, delta: &Probability) -> Option<Classical> {
        let square = match self {
            Self::Laplace { sensitivity } => {
                let scale = Rational::from_integer(sensitivity.clone().into()) / epsilon.get();
                return Some(Classical { sigma: scale.into(), holds: true });
            }
            Self::Gaussian { sensitivity } => sensitivity.pow(2),
            Self::GaussianVector { square, .. } => square.clone(),
        };
        let square = Positive::new(Rational::from_integer(square.into())).ok()?;
        (!delta.get().is_zero()).then(|| Classical::new(&square, epsilon, delta))
    }

    /// The smallest scale that is certified to meet (ε, δ) on the multiples of a step, and the step: the one
    /// given, or a power of ten that is about a thousandth of the answer.
    ///
    /// # Errors
    ///
    /// If none is found, or no formula says about where it is, so that a step must be given.
    pub fn calibrate(
        &self,
        epsilon: &Positive,
        delta: &Probability,
        step: Option<&Positive>,
    ) -> Result<(Calibration, Positive), CalibrateError> {
        if let Some(step) = step {
            return Ok((self.on(epsilon, delta, step)?, step.clone()));
        }
        let guide = self.classical(epsilon, delta).and_then(|classical| classical.sigma.enclose(GUIDE_BITS));
        let mut step = guide.and_then(|guide| thousandth(&guide.upper())).ok_or(CalibrateError::NoStep)?;
        loop {
            let found = self.on(epsilon, delta, &step)?;
            // The formula may have been far above the answer.
            match thousandth(found.scale.get()) {
                Some(finer) if finer.get() < step.get() => step = finer,
                _ => return Ok((found, step)),
            }
        }
    }

    fn on(&self, epsilon: &Positive, delta: &Probability, step: &Positive) -> Result<Calibration, CalibrateError> {
        // Gaussian noise never has a δ of 0.
        if !matches!(self, Self::Laplace { .. }) && delta.get().is_zero() {
            return Err(CalibrateError::NoScale);
        }
        let (trend, most_checked) = match self {
            Self::Laplace { .. } => (Trend::Falls, MOST_CHECKED),
            Self::Gaussian { sensitivity } => (Trend::Gaussian { sensitivity: sensitivity.clone() }, MOST_CHECKED),
            Self::GaussianVector { .. } => (Trend::Unknown, MOST_CHECKED_OF_VECTORS),
        };
        let target = Target {
            epsilon: epsilon.clone().into(),
            delta: delta.clone(),
            step: step.clone(),
            trend,
            most_checked,
            precision: Precision { digits: DIGITS },
        };
        calibrate(&target, |scale| self.plan(scale))
    }
}

/// The largest power of ten that is at most a thousandth of a number.
fn thousandth(number: &Rational) -> Option<Positive> {
    let ten = Rational::from_integer(10.into());
    // The number of decimal digits of either part, to within one: 2^10 > 10^3.
    let digits = |bits: u64| i64::try_from(bits).ok().map(|bits| bits * 3 / 10);
    let exponent = digits(number.numer().bits())? - digits(number.denom().bits())? - 3;
    let mut step = ten.pow(i32::try_from(exponent).ok()?);
    let thousand = Rational::from_integer(1000.into());
    while &step * &thousand > *number {
        step /= &ten;
    }
    while &step * &thousand * &ten <= *number {
        step *= &ten;
    }
    Positive::new(step).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::parse;

    #[test]
    fn a_thousandth_is_a_power_of_ten() {
        for (number, step) in
            [("1", "1/1000"), ("9.99", "1/1000"), ("1e40", "1e37"), ("1e-40", "1e-43"), ("7", "1/1000")]
        {
            assert_eq!(*thousandth(&parse(number).unwrap()).unwrap().get(), parse(step).unwrap(), "{number}");
        }
    }

    #[test]
    fn a_delta_of_zero() {
        let (one, zero) = ("1".parse::<Positive>().unwrap(), Probability::new(parse("0").unwrap()).unwrap());
        let found = |noise: CalibratedNoise| noise.calibrate(&one, &zero, Some(&one)).map(|(found, _)| found.scale);
        assert_eq!(found(CalibratedNoise::Laplace { sensitivity: 2u32.into() }), Ok("2".parse().unwrap()));
        assert_eq!(found(CalibratedNoise::gaussian(4u32.into(), 1)), Err(CalibrateError::NoScale));
        assert_eq!(found(CalibratedNoise::gaussian(4u32.into(), 3)), Err(CalibrateError::NoScale));
    }

    #[test]
    fn specs_are_those_of_the_catalogue() {
        let scale = Positive::new(parse("5/2").unwrap()).unwrap();
        for (noise, spec) in [
            (CalibratedNoise::Laplace { sensitivity: 1u32.into() }, "laplace(scale=5/2)"),
            (CalibratedNoise::Gaussian { sensitivity: 3u32.into() }, "gaussian(sigma=5/2, sensitivity=3)"),
            (CalibratedNoise::gaussian(9u32.into(), 1), "gaussian(sigma=5/2, sensitivity=3)"),
            (CalibratedNoise::gaussian(9u32.into(), 4), "gaussian_vector(sigma=5/2, coordinates=4, sensitivity2=9)"),
        ] {
            assert_eq!(noise.spec(&scale), spec);
            assert_ne!(noise.plan(&scale), Plan::new(), "{spec}");
        }
    }
}
