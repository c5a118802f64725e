//! Every mechanism that a spec can name: its keys, an example, and how it is built.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use num_bigint::BigUint;
use num_traits::{One, Signed};

use super::{Arguments, Excerpt, Mechanism, RandomizedResponse, Spec, SpecError};
use crate::exact::{NonNegative, Positive, Probability, Rational};

/// One mechanism of the catalogue.
#[derive(Debug)]
pub struct Entry {
    /// The name in a spec.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// The keys, and what each accepts.
    pub keys: &'static [(&'static str, &'static str)],
    /// The output's distribution.
    pub summary: &'static str,
    /// Specs that work.
    pub examples: &'static [&'static str],
    build: fn(&mut Arguments<'_>) -> Result<Mechanism, SpecError>,
}

const SENSITIVITY: (&str, &str) = (
    "sensitivity",
    "a positive integer, default 1: the distance between neighbours' true answers; never changes the noise",
);

/// The catalogue, in the order in which it is shown.
pub static CATALOGUE: &[Entry] = &[
    Entry {
        name: "laplace",
        aliases: &["geometric"],
        keys: &[("scale", "a positive number"), SENSITIVITY],
        summary: "input + noise, P(noise = k) ∝ e^(-|k|/scale) on all integers",
        examples: &["laplace(scale=5/2)", "laplace(scale=10, sensitivity=3)"],
        build: laplace,
    },
    Entry {
        name: "gaussian",
        aliases: &[],
        keys: &[
            ("sigma", "a positive number; or sigma2"),
            ("sigma2", "a positive number, the square of sigma; or sigma"),
            SENSITIVITY,
        ],
        summary: "input + noise, P(noise = k) ∝ e^(-k²/2σ²) on all integers",
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
        examples: &[
            "randomized_response(gamma=1/4)",
            "randomized_response(p=3/4)",
            "randomized_response(epsilon=1, k=5)",
        ],
        build: randomized_response,
    },
];

impl Entry {
    fn is_named(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

impl Mechanism {
    /// The mechanism that a spec names. Its number of copies, `*k`, is for whoever composes.
    ///
    /// # Errors
    ///
    /// If there is no such mechanism, or a key is missing, unknown, out of range or at odds with another.
    pub fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        let entry =
            CATALOGUE.iter().find(|entry| entry.is_named(spec.name())).ok_or_else(|| SpecError::UnknownName {
                found: Excerpt::new(spec.name()),
                accepted: CATALOGUE.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
            })?;
        let mut arguments = spec.reader();
        // An unknown key is reported before a missing one: a misspelt key is both.
        let keys: Vec<_> = entry.keys.iter().map(|(key, _)| *key).collect();
        arguments.refuse_unknown(&keys)?;
        let mechanism = (entry.build)(&mut arguments)?;
        arguments.finish(&keys)?;
        Ok(mechanism)
    }
}

fn laplace(arguments: &mut Arguments<'_>) -> Result<Mechanism, SpecError> {
    let Some(scale) = positive(arguments, "scale")? else { return Err(missing(arguments, "scale")) };
    Ok(Mechanism::Laplace { scale, sensitivity: sensitivity(arguments)? })
}

fn gaussian(arguments: &mut Arguments<'_>) -> Result<Mechanism, SpecError> {
    let variance = match positive(arguments, "sigma")? {
        Some(sigma) => sigma.square(),
        None => match positive(arguments, "sigma2")? {
            Some(variance) => variance,
            None => return Err(missing(arguments, "sigma or sigma2")),
        },
    };
    Ok(Mechanism::Gaussian { variance, sensitivity: sensitivity(arguments)? })
}

fn randomized_response(arguments: &mut Arguments<'_>) -> Result<Mechanism, SpecError> {
    let half = Rational::new(1.into(), 2.into());
    let gamma = ranged(arguments, "gamma", "must be from 0 to 1/2", |gamma| {
        if gamma > half { None } else { Probability::new(gamma).ok() }
    })?;
    let response = if let Some(gamma) = gamma {
        let p = ranged_value(arguments, "gamma", "must be from 0 to 1/2", Probability::new(gamma.get() + half).ok())?;
        RandomizedResponse::truth_with(p, 2)
    } else if let Some(p) = ranged(arguments, "p", "must be from 0 to 1", |p| Probability::new(p).ok())? {
        RandomizedResponse::truth_with(p, answers(arguments)?)
    } else if let Some(epsilon) = positive(arguments, "epsilon")? {
        RandomizedResponse::by_epsilon(NonNegative::from(epsilon), answers(arguments)?)
    } else {
        return Err(missing(arguments, "gamma, p or epsilon"));
    };
    Ok(Mechanism::RandomizedResponse(response))
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

fn sensitivity(arguments: &mut Arguments<'_>) -> Result<BigUint, SpecError> {
    let sensitivity = ranged(arguments, "sensitivity", "must be a positive integer", |value| {
        if value.is_integer() && value.is_positive() { value.to_integer().to_biguint() } else { None }
    })?;
    Ok(sensitivity.unwrap_or_else(BigUint::one))
}

fn positive(arguments: &mut Arguments<'_>, key: &str) -> Result<Option<Positive>, SpecError> {
    ranged(arguments, key, "must be positive (> 0)", |value| Positive::new(value).ok())
}

/// The number given for a key, if it is given; it must be one that `accept` accepts.
fn ranged<T>(
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

fn ranged_value<T>(arguments: &Arguments<'_>, key: &str, must: &'static str, value: Option<T>) -> Result<T, SpecError> {
    value.ok_or_else(|| SpecError::OutOfRange { name: arguments.name().to_owned(), key: key.to_owned(), must })
}

fn missing(arguments: &Arguments<'_>, key: &str) -> SpecError {
    SpecError::Missing { name: arguments.name().to_owned(), key: String::from(key) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn build(text: &str) -> Result<Mechanism, SpecError> {
        Mechanism::from_spec(&text.parse()?)
    }

    #[test]
    fn every_example_builds() {
        for entry in CATALOGUE {
            assert!(!entry.examples.is_empty());
            for example in entry.examples {
                assert!(build(example).is_ok(), "{example}");
            }
            for alias in entry.aliases {
                let example = entry.examples[0];
                assert_eq!(build(&example.replacen(entry.name, alias, 1)), build(example));
            }
        }
    }

    #[test]
    fn sigma_and_its_square_are_one_parameter() {
        assert_eq!(build("gaussian(sigma=3/2)"), build("gaussian(sigma2=2.25)"));
        assert_eq!(build("randomized_response(gamma=1/4)"), build("randomized_response(p=0.75, k=2)"));
    }

    #[test]
    fn each_refusal_names_the_argument_and_what_is_accepted() {
        for (text, expected) in [
            ("laplace(scale=0)", "laplace: scale: must be positive (> 0)"),
            ("laplace(scale=-1)", "laplace: scale: must be positive (> 0)"),
            ("laplace()", "laplace: scale: must be given"),
            ("laplace", "laplace: scale: must be given"),
            ("laplace(scal=1)", "laplace: scal: unknown key; accepted: scale, sensitivity"),
            ("laplace(scale=1, sensitivity=1/2)", "laplace: sensitivity: must be a positive integer"),
            ("laplace(scale=1, sensitivity=0)", "laplace: sensitivity: must be a positive integer"),
            ("laplace(scale=[1])", "laplace: scale: must be a number, not a list"),
            ("gaussian(sensitivity=2)", "gaussian: sigma or sigma2: must be given"),
            ("gaussian(sigma2=0)", "gaussian: sigma2: must be positive (> 0)"),
            ("randomized_response(k=3)", "randomized_response: gamma, p or epsilon: must be given"),
            ("randomized_response(gamma=0.51)", "randomized_response: gamma: must be from 0 to 1/2"),
            ("randomized_response(p=1.1)", "randomized_response: p: must be from 0 to 1"),
            ("randomized_response(epsilon=0)", "randomized_response: epsilon: must be positive (> 0)"),
            ("randomized_response(p=1, k=1)", "randomized_response: k: must be an integer from 2 to 2^63 - 1"),
            ("randomized_response(p=1, k=1e30)", "randomized_response: k: must be an integer from 2 to 2^63 - 1"),
            ("cauchy(scale=1)", "mechanism \"cauchy\": unknown; accepted: laplace, gaussian, randomized_response"),
        ] {
            assert_eq!(build(text).unwrap_err().to_string(), expected, "{text}");
        }
        for text in
            ["gaussian(sigma=1, sigma2=1)", "randomized_response(p=1/2, gamma=0)", "randomized_response(gamma=0, k=3)"]
        {
            assert!(matches!(build(text), Err(SpecError::Conflicting { .. })), "{text}");
        }
    }
}
