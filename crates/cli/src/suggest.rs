//! What was probably meant: the nearest name or key, and the scale that an ε asks for.

use strsim::damerau_levenshtein;

use super::Failure;
use certus::mechanism::{CATALOGUE, SpecError, entry};

/// A refused spec, with what was probably meant.
pub(super) fn refused(argument: &str, error: &SpecError) -> Failure {
    Failure::argument(argument, with_hint(error))
}

/// The error's line, and a hint where there is one.
pub(super) fn with_hint(error: &SpecError) -> String {
    match hint(error) {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

fn hint(error: &SpecError) -> Option<String> {
    match error {
        SpecError::UnknownName { found, .. } => {
            let names = CATALOGUE.iter().flat_map(|family| family.entries);
            let names = names.flat_map(|entry| entry.aliases.iter().copied().chain([entry.name]));
            nearest(found.to_string().trim_matches('"'), names).map(|name| format!("did you mean {name}?"))
        }
        SpecError::Unknown { name, key, .. } if key == "epsilon" && (name == "laplace" || name == "geometric") => {
            Some("for an epsilon, scale = sensitivity/epsilon: epsilon = 1 is laplace(scale=1)".to_owned())
        }
        SpecError::Unknown { name, key, .. } if key == "epsilon" || key == "delta" => {
            let has_sigma = entry(name)?.keys.iter().any(|(known, _)| *known == "sigma");
            has_sigma.then(|| {
                "sigma for an epsilon and a delta: certus calibrate gaussian --epsilon 1 --delta 1e-6".to_owned()
            })
        }
        SpecError::Unknown { name, key, .. } => {
            let keys = entry(name)?.keys.iter().map(|(key, _)| *key);
            nearest(key, keys).map(|key| format!("did you mean {key}?"))
        }
        _ => None,
    }
}

/// The nearest of some names, if at most a third of the letters differ.
pub(super) fn nearest<'n>(found: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let distances = names.map(|name| (damerau_levenshtein(found, name), name));
    let (distance, name) = distances.min()?;
    (distance * 3 <= name.len().max(found.len())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::mechanism::from_spec;

    #[test]
    fn what_was_meant() {
        for (spec, hint) in [
            ("laplce(scale=1)", "did you mean laplace?"),
            ("gausian(sigma=1)", "did you mean gaussian?"),
            ("histograms(keys=2, scale=1)", "did you mean histogram?"),
            ("laplace(scal=1)", "did you mean scale?"),
            ("gaussian(sigam=1)", "did you mean sigma?"),
            ("laplace(epsilon=1)", "scale = sensitivity/epsilon: epsilon = 1 is laplace(scale=1)"),
            ("gaussian(epsilon=1)", "certus calibrate gaussian --epsilon 1 --delta 1e-6"),
        ] {
            let error = spec.parse().and_then(|spec| from_spec(&spec)).err().unwrap();
            assert!(with_hint(&error).ends_with(hint), "{spec}: {}", with_hint(&error));
        }
        for spec in ["xyz(scale=1)", "laplace(keys=1)", "laplace(scale=0)"] {
            let error = spec.parse().and_then(|spec| from_spec(&spec)).err().unwrap();
            assert_eq!(with_hint(&error), error.to_string());
        }
    }
}
