//! Further noise on an integer answer: in steps, truncated, conditioned on bounds, clamped.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec::Vec,
};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

use super::{
    Built, Entry, Outcome, Typed,
    closed_form::Staircase,
    keys::{
        EPSILON, Key, SCALE, SENSITIVITY, SIGMA, SIGMA2, distance, integer, moderate, moderate_variance, ranged,
        refused, required,
    },
};
use crate::{
    exact::{FinitePmf, Integer, NonNegative, Pmf, Positive, Rational, render},
    guarantee::{L1, L2Squared, Relation, Sensitivity},
    mechanism::{
        Arguments, SpecError,
        additive::{
            BoundedLaplace, Clamped, GaussianMechanism, LaplaceMechanism, StaircaseMechanism, TruncatedGaussian,
            TruncatedLaplace,
        },
    },
};

const BOUND: Key = ("bound", "an integer from 0 to 4096, at least half the sensitivity: |noise| <= bound, always");
const LOWER: Key = ("lower", "an integer, the least output");
const UPPER: Key = ("upper", "an integer, the greatest output");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "staircase",
        aliases: &[],
        keys: &[
            EPSILON,
            ("step", "an integer from 1 to the sensitivity: where the first step down is"),
            SENSITIVITY_OF_STEPS,
        ],
        summary: "input + noise, P(noise = k) ∝ e^(-epsilon·floor((|k| + sensitivity - step)/sensitivity)) on all integers",
        input: "an integer",
        examples: &["staircase(epsilon=1, sensitivity=5, step=2)"],
    },
    Entry {
        name: "truncated_laplace",
        aliases: &[],
        keys: &[SCALE, BOUND, SENSITIVITY],
        summary: "input + Laplace noise conditioned on |noise| <= bound; approximate, with an exact delta",
        input: "an integer",
        examples: &["truncated_laplace(scale=1, bound=13)"],
    },
    Entry {
        name: "truncated_gaussian",
        aliases: &[],
        keys: &[
            SIGMA,
            SIGMA2,
            BOUND,
            ("epsilon", "a positive number, at most 64: what delta is stated for"),
            SENSITIVITY,
        ],
        summary: "input + Gaussian noise conditioned on |noise| <= bound; approximate, with the delta of an epsilon",
        input: "an integer",
        examples: &["truncated_gaussian(sigma=3, bound=20, epsilon=1)"],
    },
    Entry {
        name: "bounded_laplace",
        aliases: &[],
        keys: &[SCALE, LOWER, UPPER, SENSITIVITY],
        summary: "input + Laplace noise, the output conditioned on lower <= output <= upper; an epsilon above sensitivity/scale",
        input: "an integer; beyond lower or upper it is taken for that",
        examples: &["bounded_laplace(scale=2, lower=0, upper=10)"],
    },
    Entry {
        name: "clamped_laplace",
        aliases: &[],
        keys: &[SCALE, LOWER, UPPER, SENSITIVITY],
        summary: "input + Laplace noise, the output moved to the nearer of lower and upper where it is beyond",
        input: "an integer",
        examples: &["clamped_laplace(scale=2, lower=0, upper=10)"],
    },
    Entry {
        name: "clamped_gaussian",
        aliases: &[],
        keys: &[SIGMA, SIGMA2, LOWER, UPPER, SENSITIVITY],
        summary: "input + Gaussian noise, the output moved to the nearer of lower and upper where it is beyond",
        input: "an integer",
        examples: &["clamped_gaussian(sigma=2, lower=0, upper=10)"],
    },
];

const SENSITIVITY_OF_STEPS: Key = (
    "sensitivity",
    "a positive integer, default 1: the distance between neighbours' true answers, and the width of a step",
);

fn whole(value: &BigUint) -> Rational {
    Rational::from_integer(BigInt::from(value.clone()))
}

pub(super) fn l1(distance: &BigUint) -> Sensitivity<L1> {
    let distance = NonNegative::new(whole(distance)).unwrap_or_else(|_| NonNegative::one());
    Sensitivity::new(distance, Relation::AddRemove)
}

pub(super) fn l2(distance: &BigUint) -> Sensitivity<L2Squared> {
    l1(distance).to_l2_squared()
}

/// The answers 0 and Δ.
pub(super) fn from_zero(distance: &BigUint) -> (String, String) {
    ("0".to_string(), render(&whole(distance)))
}

/// The answers `lower` and `lower` + Δ, or `upper` if that is less.
fn from_lower(lower: &Integer, upper: &Integer, distance: &BigUint) -> (String, String) {
    let far = lower.add(&Integer::from(distance.clone())).min(upper.clone());
    (lower.to_string(), far.to_string())
}

/// `lower` and `upper`, in order.
fn bounds(arguments: &mut Arguments<'_>) -> Result<(Integer, Integer), SpecError> {
    let (lower, upper) = (integer(arguments, "lower")?, integer(arguments, "upper")?);
    if lower > upper {
        return Err(refused(arguments, "lower and upper", "must have lower <= upper"));
    }
    Ok((lower, upper))
}

/// The values around an answer, each with weight e^-x(distance).
fn around(
    answer: &Integer,
    offsets: core::ops::RangeInclusive<i64>,
    exponent: impl Fn(u64) -> Rational,
    precision: u32,
) -> Option<Box<dyn Pmf<Outcome>>> {
    let weight = |k: i64| {
        let value = Outcome::Integer(answer.add(&Integer::from(k)));
        Some((value, NonNegative::one(), NonNegative::new(exponent(k.unsigned_abs())).ok()?))
    };
    let weights: Option<Vec<_>> = offsets.map(weight).collect();
    Some(Box::new(FinitePmf::new(weights?, precision)?))
}

pub(super) fn staircase(arguments: &mut Arguments<'_>) -> Built<StaircaseMechanism> {
    let epsilon = moderate(arguments, "epsilon")?;
    let distance = distance(arguments, "sensitivity")?;
    let must = "must be an integer from 1 to the sensitivity";
    let step = ranged(arguments, "step", must, |step| {
        let step = if step.is_integer() { step.to_integer().to_biguint()? } else { return None };
        (BigUint::one() <= step && step <= distance).then_some(step)
    })?;
    let step = required(arguments, "step", step)?;
    let mechanism = StaircaseMechanism::new(&l1(&distance), epsilon.get(), step.clone())
        .map_err(|error| refused(arguments, "epsilon", error))?;
    let neighbours = from_zero(&distance);
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answer: &Integer, precision| {
        Some(Box::new(Staircase::new(answer.clone(), &epsilon, &distance, &step, precision)?))
    }))
}

/// b. More than a few thousand rejections a sample are refused: noise of `width` is within the bound with
/// probability above about bound/width.
fn bound(arguments: &mut Arguments<'_>, width_key: &str, width: &Rational) -> Result<u32, SpecError> {
    let bound = ranged(arguments, "bound", "must be an integer from 0 to 4096", |bound| {
        if bound.is_integer() { bound.to_integer().to_u32().filter(|bound| *bound <= 4096) } else { None }
    })?;
    let bound = required(arguments, "bound", bound)?;
    if *width > Rational::from_integer((u64::from(bound) * 1000 + 1000).into()) {
        return Err(refused(arguments, width_key, "must be at most 1000 times bound + 1, or a sample takes too long"));
    }
    Ok(bound)
}

pub(super) fn truncated_laplace(arguments: &mut Arguments<'_>) -> Built<TruncatedLaplace> {
    let scale = moderate(arguments, "scale")?;
    let bound = bound(arguments, "scale", scale.get())?;
    let distance = distance(arguments, "sensitivity")?;
    let mechanism = TruncatedLaplace::new(&l1(&distance), scale.get(), bound.into())
        .map_err(|error| refused(arguments, "scale, bound and sensitivity", error))?;
    let neighbours = from_zero(&distance);
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answer: &Integer, precision| {
        let exponent = |k: u64| Rational::from_integer(k.into()) / scale.get();
        around(answer, -i64::from(bound)..=bound.into(), exponent, precision)
    }))
}

pub(super) fn truncated_gaussian(arguments: &mut Arguments<'_>) -> Built<TruncatedGaussian> {
    let variance = moderate_variance(arguments)?;
    let must = "must be positive (> 0) and at most 64";
    let most = Rational::from_integer(64.into());
    let epsilon =
        ranged(arguments, "epsilon", must, |value| Positive::new(value).ok().filter(|value| *value.get() <= most))?;
    let epsilon = required(arguments, "epsilon", epsilon)?;
    // At least σ.
    let width = variance.get().numer().sqrt() + 1;
    let bound = bound(
        arguments,
        "sigma",
        &(Rational::from_integer(width) / Rational::from_integer(variance.get().denom().sqrt())),
    )?;
    let distance = distance(arguments, "sensitivity")?;
    let mechanism = TruncatedGaussian::new(&l2(&distance), variance.get(), bound, epsilon.get())
        .map_err(|error| refused(arguments, "sigma, bound and sensitivity", error))?;
    let neighbours = from_zero(&distance);
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answer: &Integer, precision| {
        let twice = variance.get() + variance.get();
        let exponent = |k: u64| Rational::from_integer(BigInt::from(k).pow(2)) / &twice;
        around(answer, -i64::from(bound)..=bound.into(), exponent, precision)
    }))
}

pub(super) fn bounded_laplace(arguments: &mut Arguments<'_>) -> Built<BoundedLaplace> {
    let scale = moderate(arguments, "scale")?;
    let (lower, upper) = bounds(arguments)?;
    let distance = distance(arguments, "sensitivity")?;
    let neighbours = from_lower(&lower, &upper, &distance);
    let mechanism = BoundedLaplace::new(&l1(&distance), scale.get(), lower.clone(), upper.clone())
        .map_err(|error| refused(arguments, "scale", error))?;
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answer: &Integer, precision| {
        let answer = &answer.clone().max(lower.clone()).min(upper.clone());
        let below = lower.add(&answer.neg()).to_i64().filter(|below| *below >= -MOST_LISTED)?;
        let above = upper.add(&answer.neg()).to_i64().filter(|above| *above <= MOST_LISTED)?;
        around(answer, below..=above, |k| Rational::from_integer(k.into()) / scale.get(), precision)
    }))
}

/// The farthest that the probabilities on paper are listed.
const MOST_LISTED: i64 = 1 << 14;

pub(super) fn clamped_laplace(arguments: &mut Arguments<'_>) -> Built<Clamped<LaplaceMechanism>> {
    let scale: Positive = moderate(arguments, "scale")?;
    let (lower, upper) = bounds(arguments)?;
    let distance = distance(arguments, "sensitivity")?;
    let neighbours = from_lower(&lower, &upper.clone().max(lower.add(&Integer::from(distance.clone()))), &distance);
    let noisy = LaplaceMechanism::with_scale(&l1(&distance), scale.get());
    let noisy = noisy.map_err(|error| refused(arguments, "scale", error))?;
    let mechanism = Clamped::new(noisy, lower, upper).map_err(|error| refused(arguments, "lower and upper", error))?;
    Ok(Typed::of_answers(mechanism, neighbours))
}

pub(super) fn clamped_gaussian(arguments: &mut Arguments<'_>) -> Built<Clamped<GaussianMechanism>> {
    let variance = moderate_variance(arguments)?;
    let (lower, upper) = bounds(arguments)?;
    let distance = distance(arguments, "sensitivity")?;
    let neighbours = from_lower(&lower, &upper.clone().max(lower.add(&Integer::from(distance.clone()))), &distance);
    let noisy = GaussianMechanism::with_variance(&l2(&distance), variance.get());
    let noisy = noisy.map_err(|error| refused(arguments, "sigma", error))?;
    let mechanism = Clamped::new(noisy, lower, upper).map_err(|error| refused(arguments, "lower and upper", error))?;
    Ok(Typed::of_answers(mechanism, neighbours))
}
