//! What a spec in a plan says of neighbouring inputs: the mechanisms of the catalogue, and those that only an account can name.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use super::{Spec, SpecError, Value, from_spec};
use crate::{
    exact::{Probability, render},
    guarantee::{Attained, Domination, Pair, Relation},
};

/// The names that only plans take, and what each is of.
const SUBSAMPLED: [(&str, &str); 2] = [("subsampled_gaussian", "gaussian"), ("subsampled_laplace", "laplace")];

/// The domination that a spec names, its number of copies aside.
///
/// Beside the catalogue's mechanisms there are `subsampled_gaussian(sigma=…, rate=…)` and `subsampled_laplace(scale=…, rate=…)`: the mechanism on a
/// Poisson sample, in which every person is with probability `rate`, for inputs that differ in one person's presence. Zhu, Dong and Wang 2022, Theorem 11:
/// with (P, Q) the pair of the mechanism on the sample with and without the person, ((1 − r)·Q + r·P, Q) dominates.
/// It is attained where (P, Q) is: by a query that is Δ if the person is in the sample and 0 otherwise, whoever else is. Without the person the release is Q, and with the person P in a share r of the samples and
/// Q in the others.
/// Nothing can be drawn from them without the data, so they are no mechanisms of the catalogue.
///
/// ```
/// use certus::mechanism::domination;
///
/// let spec = "subsampled_gaussian(sigma=2, rate=1/100)*1000".parse()?;
/// assert_eq!(domination(&spec)?.forward().len(), 1);
/// # Ok::<(), certus::mechanism::SpecError>(())
/// ```
///
/// # Errors
///
/// If there is no such mechanism, or a key is missing, unknown, out of range or at odds with another.
pub fn domination(spec: &Spec) -> Result<Domination, SpecError> {
    let Some((_, of)) = SUBSAMPLED.iter().find(|(name, _)| *name == spec.name()) else {
        return Ok(from_spec(spec)?.domination());
    };
    let name = || spec.name().to_owned();
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
    // First what the inner mechanism refuses: of a misspelt rate, the key that is unknown says more than the one that is missing.
    let pairs = from_spec(&inner).map_err(|error| renamed(error, spec.name()))?.domination();
    let rate = spec
        .reader()
        .take_number("rate")?
        .ok_or_else(|| SpecError::Missing { name: name(), key: String::from("rate") })?;
    let out_of_range =
        |_| SpecError::OutOfRange { name: name(), key: String::from("rate"), must: "must be from 0 to 1" };
    let rate = Probability::new(rate).map_err(out_of_range)?;
    let subsampled = |pair: &Pair| Pair::Subsampled { rate: rate.clone(), of: Box::new(pair.clone()), reversed: false };
    let domination = Domination::by_all(pairs.forward().iter().map(subsampled).collect());
    let domination = domination.attained(pairs.attained_by().and(Attained::ByNeighbours(Relation::AddRemove)));
    Ok(domination.for_neighbours(Relation::AddRemove))
}

/// What the inner mechanism refuses, as the subsampled one's refusal: under its name, and with `rate` among its keys.
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn of(text: &str) -> Result<Domination, SpecError> {
        domination(&text.parse().unwrap())
    }

    #[test]
    fn a_subsampled_spec_is_the_pair_mixed() {
        let plain = of("gaussian(sigma=3/2, sensitivity=2)").unwrap();
        let sampled = of("subsampled_gaussian(sigma2=9/4, sensitivity=2, rate=0.25)").unwrap();
        let [Pair::Subsampled { rate, of, reversed: false }] = sampled.forward() else { panic!() };
        assert_eq!((rate.to_string().as_str(), &**of), ("1/4", &plain.forward()[0]));
        assert!(matches!(sampled.backward(), [Pair::Subsampled { reversed: true, .. }]));
    }

    #[test]
    fn refusals_name_the_key() {
        for (text, expected) in [
            ("subsampled_gaussian(sigma=1)", "subsampled_gaussian: rate: must be given"),
            ("subsampled_laplace(scale=1, rate=3/2)", "subsampled_laplace: rate: must be from 0 to 1"),
            ("subsampled_laplace(rate=1/2)", "subsampled_laplace: scale: must be given"),
            ("subsampled_laplace(scale=0, rate=1/2)", "subsampled_laplace: scale: must be positive (> 0)"),
            (
                "subsampled_gaussian(sigma=1, rte=1)",
                "subsampled_gaussian: rte: unknown key; accepted: sigma, sigma2, sensitivity, rate",
            ),
            ("subsampled_laplace(scale=[1], rate=1)", "subsampled_laplace: scale: must be a number, not a list"),
        ] {
            assert_eq!(of(text).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
