//! The mechanisms with prepared and fixed-work samplers: Laplace and Gaussian noise, and randomized response.

use alloc::{boxed::Box, string::ToString};

use super::{
    AnyMechanism, AnyRelease, Entry, InputRefused, Output,
    closed_form::Integers,
    input::ReadInput,
    keys::{
        SCALE, SENSITIVITY, SIGMA, SIGMA2, missing, positive, probability, ranged, ranged_value, sensitivity,
        some_positive, variance,
    },
};
use crate::{
    exact::{Integer, NonNegative, Pmf, Probability, Rational, Real, render},
    guarantee::{Domination, Privacy, Relation},
    mechanism::{Arguments, Mechanism, RandomizedResponse, SpecError},
};

/// Laplace and Gaussian noise, and randomized response.
pub(super) const WITH_SAMPLERS: &[Entry] = &[
    Entry {
        name: "laplace",
        aliases: &["geometric"],
        keys: &[SCALE, SENSITIVITY],
        summary: "input + noise, P(noise = k) ∝ e^(-|k|/scale) on all integers",
        input: "an integer",
        examples: &["laplace(scale=5/2)", "laplace(scale=10, sensitivity=3)"],
        build: laplace,
    },
    Entry {
        name: "gaussian",
        aliases: &[],
        keys: &[SIGMA, SIGMA2, SENSITIVITY],
        summary: "input + noise, P(noise = k) ∝ e^(-k²/2σ²) on all integers",
        input: "an integer",
        examples: &["gaussian(sigma=10)", "gaussian(sigma2=7/3)"],
        build: gaussian,
    },
    Entry {
        name: "randomized_response",
        aliases: &[],
        keys: &[
            (
                "gamma",
                "a number from 0 to 1/2: truth with probability 1/2 + gamma, between two answers; or p, or epsilon",
            ),
            (
                "p",
                "a number from 0 to 1: truth with probability p, else one of the other answers; or gamma, or epsilon",
            ),
            ("epsilon", "a positive number: each other answer e^-epsilon times as likely as the truth; or gamma, or p"),
            ("k", "an integer from 2 to 2^63 - 1, default 2: the number of answers, which are 0, 1, …, k - 1"),
        ],
        summary: "the input itself, or another of k answers",
        input: "an answer, 0, 1, …, k - 1; any other integer is taken for the nearest of them",
        examples: &[
            "randomized_response(gamma=1/4)",
            "randomized_response(p=3/4)",
            "randomized_response(epsilon=1, k=5)",
        ],
        build: randomized_response,
    },
];

fn laplace(arguments: &mut Arguments<'_>) -> Result<Box<dyn AnyMechanism>, SpecError> {
    let scale = some_positive(arguments, "scale")?;
    boxed(Mechanism::Laplace { scale, sensitivity: sensitivity(arguments, "sensitivity")? })
}

fn gaussian(arguments: &mut Arguments<'_>) -> Result<Box<dyn AnyMechanism>, SpecError> {
    let variance = variance(arguments)?;
    boxed(Mechanism::Gaussian { variance, sensitivity: sensitivity(arguments, "sensitivity")? })
}

fn randomized_response(arguments: &mut Arguments<'_>) -> Result<Box<dyn AnyMechanism>, SpecError> {
    let half = Rational::new(1.into(), 2.into());
    let gamma = ranged(arguments, "gamma", "must be from 0 to 1/2", |gamma| {
        if gamma > half { None } else { Probability::new(gamma).ok() }
    })?;
    let response = if let Some(gamma) = gamma {
        let p = ranged_value(arguments, "gamma", "must be from 0 to 1/2", Probability::new(gamma.get() + half).ok())?;
        RandomizedResponse::truth_with(p, 2)
    } else if let Some(p) = probability(arguments, "p")? {
        RandomizedResponse::truth_with(p, answers(arguments)?)
    } else if let Some(epsilon) = positive(arguments, "epsilon")? {
        RandomizedResponse::by_epsilon(NonNegative::from(epsilon), answers(arguments)?)
    } else {
        return Err(missing(arguments, "gamma, p or epsilon"));
    };
    boxed(Mechanism::RandomizedResponse(response))
}

fn answers(arguments: &mut Arguments<'_>) -> Result<u64, SpecError> {
    let answers = ranged(arguments, "k", "must be an integer from 2 to 2^63 - 1", |k| {
        if !k.is_integer() {
            return None;
        }
        i64::try_from(k.to_integer()).ok()?.try_into().ok().filter(|&k: &u64| k >= 2)
    })?;
    Ok(answers.unwrap_or(2))
}

#[expect(clippy::unnecessary_wraps, reason = "what an entry's function returns")]
fn boxed(mechanism: Mechanism) -> Result<Box<dyn AnyMechanism>, SpecError> {
    let far = match &mechanism {
        Mechanism::Laplace { sensitivity, .. } | Mechanism::Gaussian { sensitivity, .. } => {
            render(&Rational::from_integer(sensitivity.clone().into()))
        }
        Mechanism::RandomizedResponse(_) => "1".to_string(),
    };
    Ok(Box::new(Sampled { mechanism, far }))
}

/// A [`Mechanism`], and the neighbour of the input 0.
struct Sampled {
    mechanism: Mechanism,
    far: alloc::string::String,
}

fn read(input: &str) -> Result<Integer, InputRefused> {
    Integer::read(input).ok_or_else(|| InputRefused::new(Integer::MUST))
}

impl AnyMechanism for Sampled {
    fn on(&self, input: &str) -> Result<Box<dyn AnyRelease>, InputRefused> {
        let Ok(release) = self.mechanism.on(read(input)?);
        Ok(Box::new(release))
    }

    fn privacy(&self) -> Option<Privacy> {
        let of = |distance: &num_bigint::BigUint| Rational::from_integer(distance.clone().into());
        Some(match &self.mechanism {
            Mechanism::Laplace { scale, sensitivity } => {
                Privacy::Pure { epsilon: Real::from(of(sensitivity) / scale.get()) }
            }
            Mechanism::Gaussian { variance, sensitivity } => {
                let twice = variance.get() + variance.get();
                Privacy::Zcdp { rho: Real::from(of(&sensitivity.pow(2)) / twice) }
            }
            Mechanism::RandomizedResponse(response) => Privacy::Pure { epsilon: response.epsilon()? },
        })
    }

    fn relation(&self) -> Option<Relation> {
        matches!(self.mechanism, Mechanism::RandomizedResponse(_)).then_some(Relation::ChangeOne)
    }

    fn domination(&self) -> Domination {
        self.mechanism.domination()
    }

    fn neighbours(&self) -> (&str, &str) {
        ("0", &self.far)
    }

    fn closed_form(&self, input: &str, precision: u32) -> Option<Box<dyn Pmf<Output>>> {
        Some(Box::new(Integers(self.mechanism.pmf(read(input).ok()?, precision)?)))
    }

    fn noise(&self) -> Option<&Mechanism> {
        Some(&self.mechanism)
    }
}
