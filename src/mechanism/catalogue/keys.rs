//! Reading keys: what each accepts, said once.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
};
use core::fmt::Display;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive};

use crate::{
    exact::{Integer, Positive, Probability, Rational},
    guarantee::Relation,
    mechanism::{Arguments, SpecError},
};

/// A key, and what it accepts.
pub(super) type Key = (&'static str, &'static str);

pub(super) const SENSITIVITY: Key = (
    "sensitivity",
    "a positive integer, default 1: the distance between neighbours' true answers; never changes the noise",
);
pub(super) const SCALE: Key = ("scale", "a positive number");
pub(super) const SIGMA: Key = ("sigma", "a positive number; or sigma2");
pub(super) const SIGMA2: Key = ("sigma2", "a positive number, the square of sigma; or sigma");
pub(super) const EPSILON: Key = ("epsilon", "a positive number");
pub(super) const CHANGE_ONE: Key =
    ("change_one", "1 if neighbours differ in one record, 0 (the default) if one has a record more than the other");

/// The most coordinates, candidates, keys, slots or bits that a spec may ask for.
pub(super) const MOST: usize = 1 << 16;

/// The number given for a key, if it is given; it must be one that `accept` accepts.
pub(super) fn ranged<T>(
    arguments: &mut Arguments<'_>,
    key: &str,
    must: &'static str,
    accept: impl FnOnce(Rational) -> Option<T>,
) -> Result<Option<T>, SpecError> {
    match arguments.take_number(key)? {
        None => Ok(None),
        Some(value) => ranged_value(arguments, key, must, accept(value)).map(Some),
    }
}

pub(super) fn ranged_value<T>(
    arguments: &Arguments<'_>,
    key: &str,
    must: &'static str,
    value: Option<T>,
) -> Result<T, SpecError> {
    value.ok_or_else(|| SpecError::OutOfRange { name: arguments.name().to_owned(), key: key.to_owned(), must })
}

/// A key that must be given.
pub(super) fn required<T>(arguments: &Arguments<'_>, key: &str, value: Option<T>) -> Result<T, SpecError> {
    value.ok_or_else(|| missing(arguments, key))
}

pub(super) fn missing(arguments: &Arguments<'_>, key: &str) -> SpecError {
    SpecError::Missing { name: arguments.name().to_owned(), key: String::from(key) }
}

/// What the library refuses, as the refusal of a key.
pub(super) fn refused(arguments: &Arguments<'_>, key: &str, why: impl Display) -> SpecError {
    SpecError::Refused { name: arguments.name().to_owned(), key: key.to_owned(), why: why.to_string() }
}

pub(super) fn positive(arguments: &mut Arguments<'_>, key: &str) -> Result<Option<Positive>, SpecError> {
    ranged(arguments, key, "must be positive (> 0)", |value| Positive::new(value).ok())
}

/// The most digits above and below the fraction bar, so that two inputs that are neighbours can always be
/// written down, and nothing takes long.
const MOST_DIGITS: u32 = 150;

/// Whether neither numerator nor denominator has more than [`MOST_DIGITS`].
fn is_short(value: &Rational) -> bool {
    let most = BigInt::from(10).pow(MOST_DIGITS);
    value.numer().magnitude() < most.magnitude() && value.denom().magnitude() < most.magnitude()
}

/// A positive number of moderate size that must be given.
pub(super) fn moderate(arguments: &mut Arguments<'_>, key: &str) -> Result<Positive, SpecError> {
    let must = "must be positive (> 0), with at most 150 digits above and below the fraction bar";
    let value = ranged(arguments, key, must, |value| Positive::new(value).ok().filter(|value| is_short(value.get())))?;
    required(arguments, key, value)
}

/// A positive number that must be given.
pub(super) fn some_positive(arguments: &mut Arguments<'_>, key: &str) -> Result<Positive, SpecError> {
    let value = positive(arguments, key)?;
    required(arguments, key, value)
}

/// A number from 0 to 1, if it is given.
pub(super) fn probability(arguments: &mut Arguments<'_>, key: &str) -> Result<Option<Probability>, SpecError> {
    ranged(arguments, key, "must be from 0 to 1", |value| Probability::new(value).ok())
}

/// σ² of moderate size, given as `sigma` or `sigma2`.
pub(super) fn moderate_variance(arguments: &mut Arguments<'_>) -> Result<Positive, SpecError> {
    let variance = variance(arguments)?;
    if is_short(variance.get()) {
        return Ok(variance);
    }
    Err(refused(
        arguments,
        "sigma or sigma2",
        "must have a square with at most 150 digits above and below the fraction bar",
    ))
}

/// σ², given as `sigma` or `sigma2`.
pub(super) fn variance(arguments: &mut Arguments<'_>) -> Result<Positive, SpecError> {
    Ok(match positive(arguments, "sigma")? {
        Some(sigma) => sigma.square(),
        None => match positive(arguments, "sigma2")? {
            Some(variance) => variance,
            None => return Err(missing(arguments, "sigma or sigma2")),
        },
    })
}

/// A positive integer, by default 1.
pub(super) fn sensitivity(arguments: &mut Arguments<'_>, key: &str) -> Result<BigUint, SpecError> {
    let sensitivity = ranged(arguments, key, "must be a positive integer", |value| {
        if value.is_integer() && value.is_positive() { value.to_integer().to_biguint() } else { None }
    })?;
    Ok(sensitivity.unwrap_or_else(BigUint::one))
}

/// A positive integer of at most 150 digits, by default 1.
pub(super) fn distance(arguments: &mut Arguments<'_>, key: &str) -> Result<BigUint, SpecError> {
    let sensitivity = ranged(arguments, key, "must be a positive integer of at most 150 digits", |value| {
        let fits = value.is_integer() && value.is_positive() && is_short(&value);
        if fits { value.to_integer().to_biguint() } else { None }
    })?;
    Ok(sensitivity.unwrap_or_else(BigUint::one))
}

/// The square of a distance, given as `sensitivity` or `sensitivity2`, a positive integer of at most 150
/// digits, by default 1.
pub(super) fn squared_distance(arguments: &mut Arguments<'_>) -> Result<BigUint, SpecError> {
    let must = "must be a positive integer with a square of at most 150 digits";
    let squared = ranged(arguments, "sensitivity", must, |value| {
        let square = &value * &value;
        let fits = value.is_integer() && value.is_positive() && is_short(&square);
        if fits { square.to_integer().to_biguint() } else { None }
    })?;
    // Both are refused, as a key that was not read.
    squared.map_or_else(|| distance(arguments, "sensitivity2"), Ok)
}

/// A positive number of moderate size, by default 1.
pub(super) fn rational_sensitivity(arguments: &mut Arguments<'_>) -> Result<Positive, SpecError> {
    let must = "must be positive (> 0), with at most 150 digits above and below the fraction bar";
    match ranged(arguments, "sensitivity", must, |value| {
        Positive::new(value).ok().filter(|value| is_short(value.get()))
    })? {
        Some(sensitivity) => Ok(sensitivity),
        None => ranged_value(arguments, "sensitivity", "must be positive (> 0)", Positive::new(Rational::one()).ok()),
    }
}

fn whole(value: &Rational) -> Option<BigInt> {
    value.is_integer().then(|| value.to_integer())
}

/// An integer that must be given.
pub(super) fn integer(arguments: &mut Arguments<'_>, key: &str) -> Result<Integer, SpecError> {
    let must = "must be an integer of at most 150 digits";
    let value = ranged(arguments, key, must, |value| whole(&value).filter(|_| is_short(&value)).map(Integer::from))?;
    required(arguments, key, value)
}

/// An integer of a machine word that must be given.
pub(super) fn word(arguments: &mut Arguments<'_>, key: &str) -> Result<i64, SpecError> {
    let must = "must be an integer from -2^63 to 2^63 - 1";
    let value = ranged(arguments, key, must, |value| whole(&value)?.to_i64())?;
    required(arguments, key, value)
}

/// An integer from 1 to [`MOST`] that must be given.
pub(super) fn size(arguments: &mut Arguments<'_>, key: &str) -> Result<usize, SpecError> {
    let must = "must be an integer from 1 to 65536";
    let value =
        ranged(arguments, key, must, |value| whole(&value)?.to_usize().filter(|size| (1..=MOST).contains(size)))?;
    required(arguments, key, value)
}

/// An integer from 1 to 10000 that must be given.
pub(super) fn up_to_ten_thousand(arguments: &mut Arguments<'_>, key: &str) -> Result<usize, SpecError> {
    let must = "must be an integer from 1 to 10000";
    let value =
        ranged(arguments, key, must, |value| whole(&value)?.to_usize().filter(|value| (1..=10_000).contains(value)))?;
    required(arguments, key, value)
}

/// A positive integer of a machine word that must be given.
pub(super) fn positive_word(arguments: &mut Arguments<'_>, key: &str) -> Result<u64, SpecError> {
    let must = "must be an integer from 1 to 2^63 - 1";
    let value = ranged(arguments, key, must, |value| {
        whole(&value)?.to_i64().filter(|value| *value >= 1).and_then(|value| value.try_into().ok())
    })?;
    required(arguments, key, value)
}

/// 0 or 1, by default 0.
pub(super) fn flag(arguments: &mut Arguments<'_>, key: &str) -> Result<bool, SpecError> {
    let value = ranged(arguments, key, "must be 0 or 1", |value| match whole(&value)?.to_u8()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    })?;
    Ok(value.unwrap_or(false))
}

/// The neighbours of data.
pub(super) fn relation(arguments: &mut Arguments<'_>) -> Result<Relation, SpecError> {
    Ok(if flag(arguments, "change_one")? { Relation::ChangeOne } else { Relation::AddRemove })
}
