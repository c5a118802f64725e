//! Specs that only an account can name: mechanisms on a Poisson sample of the data, from which nothing can be
//! drawn.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use num_bigint::BigUint;
use num_traits::ToPrimitive as _;

use super::{
    from_spec,
    keys::{moderate, moderate_variance, ranged, refused, required, squared_distance},
};
use crate::{
    exact::{Positive, Probability, render},
    guarantee::{Attained, Domination, GaussianVectors, Pair, Relation},
    mechanism::{Arguments, Spec, SpecError, Value},
};

/// The names that are of a mechanism of the catalogue, and which.
const OF: [(&str, &str); 2] = [("subsampled_gaussian", "gaussian"), ("subsampled_laplace", "laplace")];

/// The most coordinates of a vector that is not drawn.
const MOST_COORDINATES: u64 = 1 << 40;

/// The domination that a spec names, if it is one of these.
pub(in crate::mechanism) fn domination(spec: &Spec) -> Option<Result<Domination, SpecError>> {
    match spec.name() {
        "subsampled_gaussian_vector" => Some(gaussian_vector(spec)),
        "dp_sgd" => Some(dp_sgd(spec)),
        name => OF.iter().find(|(of, _)| *of == name).map(|(_, of)| scalar(spec, of)),
    }
}

/// A number of coordinates that must be given.
fn coordinates(arguments: &mut Arguments<'_>) -> Result<BigUint, SpecError> {
    let must = "must be an integer from 1 to 2^40";
    let value = ranged(arguments, "coordinates", must, |value| {
        let value = if value.is_integer() { value.to_integer().to_u64()? } else { return None };
        (1..=MOST_COORDINATES).contains(&value).then(|| BigUint::from(value))
    })?;
    required(arguments, "coordinates", value)
}

/// The probability that a person is in the sample, which must be given.
fn rate(arguments: &mut Arguments<'_>) -> Result<Probability, SpecError> {
    let rate = ranged(arguments, "rate", "must be from 0 to 1", |value| Probability::new(value).ok())?;
    required(arguments, "rate", rate)
}

fn gaussian_vector(spec: &Spec) -> Result<Domination, SpecError> {
    let mut arguments = spec.reader();
    arguments.refuse_unknown(&["sigma", "sigma2", "coordinates", "sensitivity", "sensitivity2", "rate"])?;
    let variance = moderate_variance(&mut arguments)?;
    let coordinates = coordinates(&mut arguments)?;
    let square = squared_distance(&mut arguments)?;
    let rate = rate(&mut arguments)?;
    arguments.finish(&["sigma", "sigma2", "coordinates", "sensitivity", "sensitivity2", "rate"])?;
    Ok(GaussianVectors::within(variance, square, coordinates).subsampled(&rate).domination())
}

/// σ is noise_multiplier·clip, and the L2 sensitivity the clip norm, in steps of the integer grid that
/// gradients are on.
fn dp_sgd(spec: &Spec) -> Result<Domination, SpecError> {
    let mut arguments = spec.reader();
    arguments.refuse_unknown(&["noise_multiplier", "rate", "clip", "coordinates"])?;
    let multiplier = moderate(&mut arguments, "noise_multiplier")?;
    let rate = rate(&mut arguments)?;
    let clip = arguments.take_number("clip")?;
    let clip = required(&arguments, "clip", clip)?;
    let must =
        "must be a positive integer of at most 75 digits: the clip norm in steps of the grid, such as 2^20 = 1048576";
    let clip = Some(clip).filter(|clip| clip.is_integer() && clip.numer().magnitude().bits() <= 249);
    let clip = clip.and_then(|clip| Positive::new(clip).ok());
    let clip =
        clip.ok_or_else(|| SpecError::OutOfRange { name: spec.name().to_owned(), key: "clip".to_owned(), must })?;
    let coordinates = coordinates(&mut arguments)?;
    let sigma = Positive::new(multiplier.get() * clip.get()).map_err(|error| refused(&arguments, "clip", error))?;
    let square = clip.square().numerator().clone();
    arguments.finish(&["noise_multiplier", "rate", "clip", "coordinates"])?;
    Ok(GaussianVectors::within(sigma.square(), square, coordinates).subsampled(&rate).domination())
}

/// A scalar mechanism of the catalogue, sampled.
fn scalar(spec: &Spec, of: &str) -> Result<Domination, SpecError> {
    let arguments: Vec<String> = spec
        .arguments()
        .iter()
        .filter(|(key, _)| key != "rate")
        .map(|(key, value)| match value {
            Value::Number(number) => format!("{key}={}", render(number)),
            Value::List(list) => format!("{key}=[{}]", list.iter().map(render).collect::<Vec<_>>().join(", ")),
        })
        .collect();
    let inner: Spec = format!("{of}({})", arguments.join(", ")).parse()?;
    // First what the inner mechanism refuses: of a misspelt rate, the key that is unknown says more than the
    // one that is missing.
    let pairs = from_spec(&inner).map_err(|error| renamed(error, spec.name()))?.domination();
    let rate = rate(&mut spec.reader())?;
    let subsampled = |pair: &Pair| Pair::Subsampled { rate: rate.clone(), of: Box::new(pair.clone()), reversed: false };
    let domination = Domination::by_all(pairs.forward().iter().map(subsampled).collect());
    let domination = domination.attained(pairs.attained_by().and(Attained::ByNeighbours(Relation::AddRemove)));
    Ok(domination.for_neighbours(Relation::AddRemove))
}

/// What the inner mechanism refuses, as the subsampled one's refusal: under its name, and with `rate` among
/// its keys.
fn renamed(error: SpecError, name: &str) -> SpecError {
    let name = name.to_owned();
    let with_rate = |accepted: String| format!("{accepted}, rate");
    match error {
        SpecError::NotANumber { key, .. } => SpecError::NotANumber { name, key },
        SpecError::NotAList { key, .. } => SpecError::NotAList { name, key },
        SpecError::Missing { key, .. } => SpecError::Missing { name, key },
        SpecError::OutOfRange { key, must, .. } => SpecError::OutOfRange { name, key, must },
        SpecError::Refused { key, why, .. } => SpecError::Refused { name, key, why },
        SpecError::Unknown { key, accepted, .. } => SpecError::Unknown { name, key, accepted: with_rate(accepted) },
        SpecError::Conflicting { key, accepted, .. } => {
            SpecError::Conflicting { name, key, accepted: with_rate(accepted) }
        }
        other => other,
    }
}
