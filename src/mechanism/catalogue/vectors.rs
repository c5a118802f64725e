//! Noise on vectors of integer answers.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use super::{
    Built, Entry, Typed,
    closed_form::{Product, Shifted, laplaces},
    keys::{
        Key, SCALE, SIGMA, SIGMA2, distance, flag, moderate, moderate_variance, ranged, refused, size, squared_distance,
    },
};
use crate::{
    exact::{GaussianPmf, Integer, NonNegative, Pmf, Positive, Rational},
    guarantee::{L1, L2Squared, Relation, Sensitivity},
    mechanism::{
        Arguments, Outcome,
        additive::{GaussianMechanism, GaussianVector, LaplaceMechanism, LaplaceVector},
    },
};

pub(super) const COORDINATES: Key = ("coordinates", "an integer from 1 to 65536: the number of answers");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "laplace_vector",
        aliases: &[],
        keys: &[
            SCALE,
            COORDINATES,
            ("sensitivity", "a positive integer, default 1: the L1 distance between neighbours' true answers"),
        ],
        summary: "each input + Laplace noise of its own",
        input: "integers with commas between them",
        examples: &["laplace_vector(scale=1, coordinates=2, sensitivity=2)"],
    },
    Entry {
        name: "gaussian_vector",
        aliases: &[],
        keys: &[
            SIGMA,
            SIGMA2,
            COORDINATES,
            (
                "sensitivity",
                "a positive integer, default 1: the L2 distance between neighbours' true answers; or sensitivity2",
            ),
            ("sensitivity2", "a positive integer, the square of the L2 distance; or sensitivity"),
        ],
        summary: "each input + Gaussian noise of its own",
        input: "integers with commas between them",
        examples: &["gaussian_vector(sigma=2, coordinates=2, sensitivity2=2)"],
    },
    Entry {
        name: "gaussian_histogram",
        aliases: &[],
        keys: &[
            SIGMA,
            SIGMA2,
            ("keys", "an integer from 1 to 65536: the number of counts"),
            ("bins", "an integer from 1 to keys, default 1: the most counts that one person changes"),
            ("each", "a positive integer, default 1: the most that one person changes a count by"),
            ("shared", "1 if all that a person changes may fall on one count, 0 (the default) if on different ones"),
        ],
        summary: "each count + Gaussian noise of its own, where one person changes few counts by little",
        input: "integers with commas between them",
        examples: &["gaussian_histogram(sigma=2, keys=2, bins=2)"],
    },
];

fn bound(value: BigUint) -> NonNegative {
    NonNegative::new(Rational::from_integer(BigInt::from(value))).unwrap_or_else(|_| NonNegative::one())
}

/// The vector 0 and one that has these coordinates first.
fn from_zero(first: &[BigUint], coordinates: usize) -> (String, String) {
    let far: Vec<String> = first
        .iter()
        .map(ToString::to_string)
        .chain(core::iter::repeat_with(|| "0".to_string()))
        .take(coordinates)
        .collect();
    (vec!["0"; coordinates].join(","), far.join(","))
}

pub(super) fn laplace_vector(arguments: &mut Arguments<'_>) -> Built<LaplaceVector> {
    let scale = moderate(arguments, "scale")?;
    let coordinates = size(arguments, "coordinates")?;
    let distance = distance(arguments, "sensitivity")?;
    // One coordinate that moves by all of it is the worst.
    let neighbours = from_zero(core::slice::from_ref(&distance), coordinates);
    let each = LaplaceMechanism::with_scale(&Sensitivity::<L1>::new(bound(distance), Relation::AddRemove), scale.get());
    let mechanism = each.and_then(|each| each.vector(coordinates));
    let mechanism = mechanism.map_err(|error| refused(arguments, "scale", error))?;
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(move |answers: &[Integer], precision| {
        Some(laplaces(answers.iter().map(|answer| (answer.clone(), scale.clone())).collect(), precision))
    }))
}

/// A difference within the square that is maximal: the largest coordinate first.
fn greedy(mut square: BigUint, coordinates: usize) -> Vec<BigUint> {
    let mut parts = Vec::new();
    while !square.is_zero() && parts.len() < coordinates {
        let part = square.sqrt();
        square -= part.pow(2);
        parts.push(part);
    }
    parts
}

pub(super) fn gaussian_vector(arguments: &mut Arguments<'_>) -> Built<GaussianVector> {
    let variance = moderate_variance(arguments)?;
    let coordinates = size(arguments, "coordinates")?;
    let square = squared_distance(arguments)?;
    let neighbours = from_zero(&greedy(square.clone(), coordinates), coordinates);
    let stated = Sensitivity::<L2Squared>::new(bound(square), Relation::AddRemove);
    let mechanism = GaussianMechanism::with_variance(&stated, variance.get()).and_then(|each| each.vector(coordinates));
    let mechanism = mechanism.map_err(|error| refused(arguments, "sigma", error))?;
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(on_paper(variance)))
}

/// At most m distinct counts, each by at most r: r in each of m. Where they may be one count, it moves by
/// m·r, and no difference is longer.
pub(super) fn gaussian_histogram(arguments: &mut Arguments<'_>) -> Built<GaussianVector> {
    let variance = moderate_variance(arguments)?;
    let keys = size(arguments, "keys")?;
    let bins = ranged(arguments, "bins", "must be an integer from 1 to keys", |bins| {
        let bins = if bins.is_integer() { usize::try_from(bins.to_integer()).ok()? } else { return None };
        (1..=keys).contains(&bins).then_some(bins)
    })?;
    let bins = bins.unwrap_or(1);
    let each = distance(arguments, "each")?;
    let is_shared = flag(arguments, "shared")?;
    let (moved, by) = if is_shared { (1, each * bins) } else { (bins, each) };
    let neighbours = from_zero(&vec![by.clone(); moved], keys);
    let stated = Sensitivity::<L2Squared>::new(bound(by.pow(2)), Relation::AddRemove);
    let mechanism = GaussianMechanism::with_variance(&stated, variance.get());
    let mechanism =
        mechanism.and_then(|each| if is_shared { each.shared_histogram(keys) } else { each.histogram(keys, bins) });
    let mechanism = mechanism.map_err(|error| refused(arguments, "sigma", error))?;
    Ok(Typed::of_answers(mechanism, neighbours).on_paper(on_paper(variance)))
}

/// The probabilities of each answer on paper, beside each other.
fn on_paper(variance: Positive) -> impl Fn(&[Integer], u32) -> Option<Box<dyn Pmf<Outcome>>> + Send + Sync {
    move |answers: &[Integer], precision| {
        let noise = GaussianPmf::new(&variance, precision)?;
        let each = |answer: &Integer| -> Box<dyn Pmf<Outcome>> {
            Box::new(Shifted { answer: answer.clone(), noise: noise.clone() })
        };
        Some(Box::new(Product::new(answers.iter().map(each))))
    }
}
