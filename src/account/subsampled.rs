//! What a spec in a plan says of neighbouring inputs: the mechanisms of the catalogue, and those that only an account can name.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use num_traits::{One, Zero};

use crate::{
    exact::{Probability, render},
    guarantee::{Attained, Domination, FinitePair, Pair, Relation, Weight},
    mechanism::{Mechanism, Spec, SpecError, Value, from_spec},
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
/// use certus::account::domination;
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
    let pairs = Mechanism::from_spec(&inner).map_err(|error| renamed(error, spec.name()))?.domination();
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

/// A pair without subsampling that is none; `None` if nothing is lost: at rate 0, at no distance, or where P = Q outcome by outcome.
pub(super) fn simplified(pair: &Pair) -> Option<Pair> {
    match pair {
        Pair::Laplace { shift, .. } | Pair::Gaussian { shift, .. } if shift.is_zero() => None,
        Pair::Subsampled { rate, .. } if rate.get().is_zero() => None,
        Pair::Subsampled { rate, of, reversed } => {
            let of = simplified(of)?;
            Some(match (rate.get().is_one(), reversed) {
                (true, false) => of,
                (true, true) => of.reversed(),
                (false, _) => Pair::Subsampled { rate: rate.clone(), of: Box::new(of), reversed: *reversed },
            })
        }
        Pair::Finite(finite) if is_equal(finite) => None,
        other => Some(other.clone()),
    }
}

/// Whether P = Q: every outcome has the same quotient of its two weights c·e^-x and c′·e^-x′, that of the sums. Such quotients (c/c′)·e^(x′−x) are equal only if both
/// c/c′ and x′ − x are, since e to a rational power other than 0 is irrational.
fn is_equal(pair: &FinitePair) -> bool {
    // Invariant #1 of a finite pair: no outcome has two weights of 0.
    let quotient = |(p, q): &(Weight, Weight)| {
        (!p.is_zero() && !q.is_zero()).then(|| (p.factor.get() / q.factor.get(), q.exponent.get() - p.exponent.get()))
    };
    let mut quotients = pair.outcomes().iter().map(quotient);
    let Some(Some(first)) = quotients.next() else { return false };
    quotients.all(|quotient| quotient.as_ref() == Some(&first))
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

    #[test]
    fn what_loses_nothing_is_left_out() {
        let left = |text: &str| of(text).unwrap().forward().iter().filter_map(simplified).count();
        for lossless in
            ["randomized_response(gamma=0)", "randomized_response(p=1/5, k=5)", "subsampled_gaussian(sigma=2, rate=0)"]
        {
            assert_eq!(left(lossless), 0, "{lossless}");
        }
        for lossy in ["randomized_response(gamma=1/1000)", "randomized_response(epsilon=1/1000, k=3)"] {
            assert_eq!(left(lossy), 1, "{lossy}");
        }
        let weight = |factor: i64, exponent: i64| {
            let of = |n: i64| crate::exact::NonNegative::new(crate::exact::Rational::from_integer(n.into())).unwrap();
            Weight { factor: of(factor), exponent: of(exponent) }
        };
        let finite = |outcomes: &[[(i64, i64); 2]]| {
            let outcomes = outcomes.iter().map(|[p, q]| (weight(p.0, p.1), weight(q.0, q.1))).collect();
            Pair::Finite(FinitePair::new(outcomes).unwrap())
        };
        // Q's weights are P's times 2/e: the same distribution, and so when it is sampled.
        let same = finite(&[[(1, 0), (2, 1)], [(3, 1), (6, 2)]]);
        assert_eq!(simplified(&same), None);
        let rate = Probability::new(crate::exact::parse("1/2").unwrap()).unwrap();
        assert_eq!(simplified(&Pair::Subsampled { rate, of: Box::new(same), reversed: true }), None);
        // Other factors, other exponents, and an outcome of one side.
        for other in [
            finite(&[[(1, 0), (2, 1)], [(3, 1), (5, 2)]]),
            finite(&[[(1, 0), (2, 1)], [(3, 1), (6, 3)]]),
            finite(&[[(1, 0), (1, 0)], [(0, 0), (1, 0)]]),
            finite(&[[(0, 0), (1, 0)], [(1, 0), (0, 0)]]),
        ] {
            assert_eq!(simplified(&other), Some(other.clone()));
        }
    }
}
