//! Parameters as text: exact numbers, and constants.

use std::fmt::Display;

use core_certus::{
    exact::{NonNegative, Positive, Probability, Rational, parse},
    guarantee::Relation,
    sample::{Sampler, fixed::Mode},
};
use num_traits::One;

use crate::{
    noise::{CERTUS_DEFAULT, CERTUS_FIXED, CERTUS_PREPARED, CERTUS_REFERENCE},
    plan::{CERTUS_ADD_REMOVE, CERTUS_AS_STATED, CERTUS_CHANGE_ONE},
    status::Failure,
};

/// The most binary digits of a numerator or denominator, as an account has it.
const MOST_BITS: u64 = 8192;

fn rational(text: &str, name: &str) -> Result<Rational, Failure> {
    let number = parse(text).map_err(|error| Failure::argument(name, error))?;
    if number.numer().bits().max(number.denom().bits()) > MOST_BITS {
        return Err(Failure::argument(name, format_args!("must have at most {MOST_BITS} binary digits")));
    }
    Ok(number)
}

fn ranged<T, E: Display>(text: &str, name: &str, new: impl FnOnce(Rational) -> Result<T, E>) -> Result<T, Failure> {
    new(rational(text, name)?).map_err(|error| Failure::argument(name, error))
}

/// A number above 0.
pub(crate) fn positive(text: &str, name: &str) -> Result<Positive, Failure> {
    ranged(text, name, Positive::new)
}

/// A number of 0 or more.
pub(crate) fn non_negative(text: &str, name: &str) -> Result<NonNegative, Failure> {
    ranged(text, name, NonNegative::new)
}

/// A δ that an ε is asked for: from 0 to below 1.
pub(crate) fn below_one(text: &str, name: &str) -> Result<Probability, Failure> {
    let found = ranged(text, name, Probability::new)?;
    if found.get().is_one() {
        return Err(Failure::argument(name, "must be at least 0 and below 1, such as 0, 1e-6 or 1/1000"));
    }
    Ok(found)
}

/// The sampler of a constant; nothing if it is the default.
pub(crate) fn sampler(constant: i32) -> Result<Option<Sampler>, Failure> {
    match constant {
        CERTUS_DEFAULT => Ok(None),
        CERTUS_PREPARED => Ok(Some(Sampler::Prepared)),
        CERTUS_FIXED => Ok(Some(Sampler::Fixed(Mode::Standard))),
        CERTUS_REFERENCE => Ok(Some(Sampler::Reference)),
        _ => Err(Failure::argument("sampler", "must be CERTUS_DEFAULT, _PREPARED, _FIXED or _REFERENCE")),
    }
}

/// The constant of a sampler's name.
pub(crate) fn constant_of(sampler: &str) -> i32 {
    match sampler {
        "prepared" => CERTUS_PREPARED,
        "fixed" => CERTUS_FIXED,
        _ => CERTUS_REFERENCE,
    }
}

/// The neighbours of a constant; nothing if they are as stated by what is given.
pub(crate) fn optional_relation(constant: i32) -> Result<Option<Relation>, Failure> {
    match constant {
        CERTUS_AS_STATED => Ok(None),
        _ => relation(constant).map(Some),
    }
}

/// The neighbours of a constant.
pub(crate) fn relation(constant: i32) -> Result<Relation, Failure> {
    match constant {
        CERTUS_ADD_REMOVE => Ok(Relation::AddRemove),
        CERTUS_CHANGE_ONE => Ok(Relation::ChangeOne),
        _ => Err(Failure::argument("relation", "must be CERTUS_ADD_REMOVE or CERTUS_CHANGE_ONE")),
    }
}
