//! What a release runs: a mechanism on an input.

use alloc::boxed::Box;
use core::{convert::Infallible, ops::ControlFlow};

use num_bigint::BigUint;

use super::{RandomizedResponse, opaque_debug, randomized_response::Response};
use crate::{
    exact::{Enclosure, GaussianPmf, Integer, LaplacePmf, Pmf, Positive},
    sample::{
        Gaussian, Interpreter, Laplace, PreparedGaussian, PreparedLaplace, Program, Step,
        fixed::{FixedError, FixedGaussian, FixedLaplace, Mode},
    },
};

/// A mechanism: what is released about an integer answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mechanism {
    /// The answer plus discrete Laplace noise.
    Laplace {
        /// The scale of the noise.
        scale: Positive,
        /// The distance between neighbours' true answers; it changes the guarantee, never the noise.
        sensitivity: BigUint,
    },
    /// The answer plus discrete Gaussian noise.
    Gaussian {
        /// σ².
        variance: Positive,
        /// The distance between neighbours' true answers; it changes the guarantee, never the noise.
        sensitivity: BigUint,
    },
    /// The answer, or another one.
    RandomizedResponse(RandomizedResponse),
}

/// Why a mechanism has no fixed-work release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedReleaseError {
    /// The fixed-work sampler does not take the parameter.
    #[error(transparent)]
    Sampler(#[from] FixedError),
    /// The mechanism adds no noise.
    #[error("the fixed-work sampler draws laplace and gaussian noise only")]
    NoNoise,
}

impl Mechanism {
    /// The mechanism on an input, with fixed-work samplers: drawing the noise says nothing about it, but for an event of probability β.
    ///
    /// # Errors
    ///
    /// If there is no fixed-work sampler for the mechanism.
    pub fn fixed_on(&self, input: Integer, mode: Mode) -> Result<Release, FixedReleaseError> {
        Ok(match self {
            Self::Laplace { scale, .. } => Release::FixedLaplace(FixedLaplace::new(scale, mode)?, input),
            Self::Gaussian { variance, .. } => {
                Release::FixedGaussian(FixedGaussian::with_variance(variance, mode)?, input)
            }
            Self::RandomizedResponse(_) => return Err(FixedReleaseError::NoNoise),
        })
    }

    /// The mechanism on an input, with the reference samplers. A randomized response takes an input that is
    /// none of its answers for the nearest of them.
    ///
    /// # Errors
    ///
    /// None: every input is taken.
    pub fn on(&self, input: Integer) -> Result<Release, Infallible> {
        Ok(match self {
            Self::Laplace { scale, .. } => Release::Laplace(Laplace::new(scale), input),
            Self::Gaussian { variance, .. } => Release::Gaussian(Gaussian::with_variance(variance), input),
            Self::RandomizedResponse(response) => Release::Response(ResponseTo(response.on(&input))),
        })
    }

    /// The mechanism on an input, with prepared samplers where there are any: slower to build, and then much faster.
    ///
    /// # Errors
    ///
    /// None: every input is taken.
    pub fn prepared_on(&self, input: Integer) -> Result<Release, Infallible> {
        Ok(match self {
            Self::Laplace { scale, .. } => Release::PreparedLaplace(PreparedLaplace::new(scale), input),
            Self::Gaussian { variance, .. } => {
                Release::PreparedGaussian(PreparedGaussian::with_variance(variance), input)
            }
            Self::RandomizedResponse(_) => self.on(input)?,
        })
    }

    /// Whether few enough outputs matter for all of them to be enumerated: a scale, σ or number of answers of at most `widest`.
    #[must_use]
    pub fn is_enumerable(&self, widest: u32) -> bool {
        let bound = BigUint::from(widest);
        match self {
            Self::Laplace { scale, .. } => *scale.numerator() <= bound * scale.denominator(),
            Self::Gaussian { variance, .. } => *variance.numerator() <= bound.pow(2) * variance.denominator(),
            Self::RandomizedResponse(response) => response.answers() <= widest.into(),
        }
    }

    /// The closed form of what is released on an input, to a width of about 2^-`precision`; nothing if that would take too
    /// long to write down.
    #[must_use]
    pub fn pmf(&self, input: Integer, precision: u32) -> Option<Box<dyn Pmf<Integer>>> {
        let shift = |noise: Box<dyn Pmf<Integer>>| -> Box<dyn Pmf<Integer>> {
            Box::new(Shifted { noise, minus_input: input.neg() })
        };
        match self {
            Self::Laplace { scale, .. } => Some(shift(Box::new(LaplacePmf::new(scale, precision)))),
            Self::Gaussian { variance, .. } => Some(shift(Box::new(GaussianPmf::new(variance, precision)?))),
            Self::RandomizedResponse(response) => Some(Box::new(response.pmf(&input, precision)?)),
        }
    }
}

struct Shifted {
    noise: Box<dyn Pmf<Integer>>,
    minus_input: Integer,
}

impl Pmf<Integer> for Shifted {
    fn probability(&self, value: &Integer) -> Enclosure {
        self.noise.probability(&value.add(&self.minus_input))
    }
}

/// A mechanism on an input: a [`Program`] whose sample is the release.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Release {
    /// Discrete Laplace noise, and the input.
    Laplace(Laplace, Integer),
    /// Discrete Gaussian noise, and the input.
    Gaussian(Gaussian, Integer),
    /// Discrete Laplace noise, prepared, and the input.
    PreparedLaplace(PreparedLaplace, Integer),
    /// Discrete Gaussian noise, prepared, and the input.
    PreparedGaussian(PreparedGaussian, Integer),
    /// Discrete Laplace noise by fixed work, and the input.
    FixedLaplace(FixedLaplace, Integer),
    /// Discrete Gaussian noise by fixed work, and the input.
    FixedGaussian(FixedGaussian, Integer),
    /// A randomized response.
    Response(ResponseTo),
}

impl Release {
    /// The name of the sampler that draws: `reference`, `prepared` or `fixed`.
    #[must_use]
    pub fn sampler(&self) -> &'static str {
        match self {
            Self::PreparedLaplace(noise, _) if noise.construction() != "reference" => "prepared",
            Self::PreparedGaussian(noise, _) if noise.construction() != "reference" => "prepared",
            Self::FixedLaplace(..) | Self::FixedGaussian(..) => "fixed",
            _ => "reference",
        }
    }
}

/// A randomized response to one input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResponseTo(Response);

opaque_debug!(Release, ResponseTo);

impl Program for Release {
    type State = ();
    type Output = Integer;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(match self {
            Self::Laplace(noise, input) => on.call(noise)?.add(input),
            Self::Gaussian(noise, input) => on.call(noise)?.add(input),
            Self::PreparedLaplace(noise, input) => on.call(noise)?.add(input),
            Self::PreparedGaussian(noise, input) => on.call(noise)?.add(input),
            Self::FixedLaplace(noise, input) => on.call(noise)?.add(input),
            Self::FixedGaussian(noise, input) => on.call(noise)?.add(input),
            Self::Response(response) => on.call(&response.0)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::seeded;

    fn mechanism(text: &str) -> Mechanism {
        Mechanism::from_spec(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_input_shifts_the_noise() {
        for text in ["laplace(scale=5/2)", "gaussian(sigma=3)"] {
            let mechanism = mechanism(text);
            let edge = Integer::from(i64::MAX);
            let (at_zero, at_edge) = (mechanism.on(Integer::ZERO).unwrap(), mechanism.on(edge.clone()).unwrap());
            let (mut a, mut b) = (seeded([5; 32]), seeded([5; 32]));
            for _ in 0..100 {
                let noise = at_zero.sample(&mut a).unwrap();
                assert_eq!(at_edge.sample(&mut b).unwrap(), noise.add(&edge));
            }
            let (zero, shifted) = (mechanism.pmf(Integer::ZERO, 60).unwrap(), mechanism.pmf(edge.clone(), 60).unwrap());
            assert_eq!(shifted.probability(&edge.add(&2.into())), zero.probability(&2.into()));
        }
    }

    /// An error would tell that the input is none of the answers.
    #[test]
    fn a_response_takes_any_input_for_the_nearest_answer() {
        for spec in ["randomized_response(p=1/2, k=3)", "randomized_response(epsilon=1, k=3)"] {
            let response = mechanism(spec);
            for (input, answer) in [(Integer::from(3), 2_i64), (Integer::from(u64::MAX), 2), (Integer::from(-1), 0)] {
                let answer = Integer::from(answer);
                assert_eq!(response.on(input.clone()), response.on(answer.clone()));
                let [of_input, of_answer] = [input, answer].map(|input| response.pmf(input, 60).unwrap());
                for output in 0..3_i64 {
                    assert_eq!(of_input.probability(&output.into()), of_answer.probability(&output.into()));
                }
            }
        }
    }

    /// The number of answers and ε do not slow a response down: each of these draws fewer than 200 bits.
    #[test]
    fn a_response_is_quick_whatever_its_parameters() {
        for spec in ["epsilon=50, k=1000000000000", "epsilon=1e-1000, k=9223372036854775807", "epsilon=1e1000, k=2"] {
            let response = mechanism(&alloc::format!("randomized_response({spec})")).on(Integer::from(1)).unwrap();
            let mut bits = crate::bits::Meter::new(seeded([2; 32]));
            for _ in 0..20 {
                response.sample(&mut bits).unwrap();
            }
            assert!(bits.used() < 20 * 200, "{spec}: {}", bits.used());
        }
    }

    #[test]
    fn certain_truth_and_certain_lie() {
        let mut bits = seeded([1; 32]);
        let (truth, lie) = (mechanism("randomized_response(gamma=1/2)"), mechanism("randomized_response(p=0)"));
        for _ in 0..20 {
            assert_eq!(truth.on(Integer::from(1)).unwrap().sample(&mut bits).unwrap(), Integer::from(1));
            assert_eq!(lie.on(Integer::from(1)).unwrap().sample(&mut bits).unwrap(), Integer::ZERO);
        }
    }
}
