//! The mechanisms with prepared and fixed-work samplers: Laplace and Gaussian noise, and randomized response.

use alloc::{boxed::Box, string::ToString};

use super::{
    Built, Entry, Typed,
    additive::{from_zero, l1, l2},
    build,
    closed_form::{Integers, Shifted},
    entry,
    keys::{
        SCALE, SENSITIVITY, SIGMA, SIGMA2, missing, positive, probability, ranged, ranged_value, refused, sensitivity,
        some_positive, variance,
    },
};
use crate::{
    exact::{GaussianPmf, Integer, LaplacePmf, NonNegative, Probability, Rational},
    mechanism::{
        Arguments, Excerpt, RandomizedResponse, Spec, SpecError,
        additive::{GaussianMechanism, LaplaceMechanism},
    },
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
    },
    Entry {
        name: "gaussian",
        aliases: &[],
        keys: &[SIGMA, SIGMA2, SENSITIVITY],
        summary: "input + noise, P(noise = k) ∝ e^(-k²/2σ²) on all integers",
        input: "an integer",
        examples: &["gaussian(sigma=10)", "gaussian(sigma2=7/3)"],
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
    },
];

/// The mechanism that `laplace` names.
pub(super) fn laplace(arguments: &mut Arguments<'_>) -> Built<LaplaceMechanism> {
    let scale = some_positive(arguments, "scale")?;
    let distance = sensitivity(arguments, "sensitivity")?;
    let mechanism = LaplaceMechanism::with_scale(&l1(&distance), scale.get());
    let mechanism = mechanism.map_err(|error| refused(arguments, "scale", error))?;
    Ok(Typed::of_answers(mechanism, from_zero(&distance)).on_the_worst().on_paper(
        move |answer: &Integer, precision| {
            Some(Box::new(Shifted { answer: answer.clone(), noise: LaplacePmf::new(&scale, precision) }))
        },
    ))
}

/// The mechanism that `gaussian` names.
pub(super) fn gaussian(arguments: &mut Arguments<'_>) -> Built<GaussianMechanism> {
    let variance = variance(arguments)?;
    let distance = sensitivity(arguments, "sensitivity")?;
    let mechanism = GaussianMechanism::with_variance(&l2(&distance), variance.get());
    let mechanism = mechanism.map_err(|error| refused(arguments, "sigma", error))?;
    Ok(Typed::of_answers(mechanism, from_zero(&distance)).on_the_worst().on_paper(
        move |answer: &Integer, precision| {
            Some(Box::new(Shifted { answer: answer.clone(), noise: GaussianPmf::new(&variance, precision)? }))
        },
    ))
}

/// The mechanism that `randomized_response` names.
pub(super) fn randomized_response(arguments: &mut Arguments<'_>) -> Built<RandomizedResponse> {
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
    let paper = response.clone();
    let neighbours = ("0".to_string(), "1".to_string());
    Ok(Typed::of_data(response, neighbours)
        .on_the_worst()
        .on_paper(move |input: &Integer, precision| Some(Box::new(Integers(Box::new(paper.pmf(input, precision)?))))))
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

/// A spec as one of these mechanisms.
macro_rules! from_spec {
    ($($mechanism:ty: $name:literal, $build:ident;)*) => {$(
        impl TryFrom<&Spec> for $mechanism {
            type Error = SpecError;

            /// The mechanism that the spec names, by the reference sampler; any other name is refused.
            fn try_from(spec: &Spec) -> Result<Self, SpecError> {
                let named = entry(spec.name()).filter(|entry| entry.name == $name);
                let refused = || SpecError::UnknownName { found: Excerpt::new(spec.name()), accepted: $name.to_string() };
                let built = build(named.ok_or_else(refused)?, spec, $build)?;
                Ok(built.into_mechanism())
            }
        }
    )*};
}

from_spec! {
    LaplaceMechanism: "laplace", laplace;
    GaussianMechanism: "gaussian", gaussian;
    RandomizedResponse: "randomized_response", randomized_response;
}
