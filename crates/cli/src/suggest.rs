//! What was probably meant: the nearest name or key, and the scale that an ε asks for.

use std::ffi::OsString;

use strsim::damerau_levenshtein;

use super::Failure;
use certus::mechanism::{CATALOGUE, Excerpt, SpecError, entry};

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
        SpecError::UnknownName { found, .. } => mechanism_near(&bare(found)),
        SpecError::Name { found } => {
            let found = bare(found);
            let is_number = !found.is_empty() && found.bytes().all(|byte| byte.is_ascii_digit());
            if is_number {
                Some(format!("{found} copies are written MECHANISM(…)*{found}"))
            } else {
                mechanism_near(&found.to_lowercase())
            }
        }
        SpecError::Key { name, .. } => {
            let (key, _) = entry(name)?.keys.first()?;
            Some(format!("a value has its key before it: {name}({key}=…)"))
        }
        SpecError::Unclosed { closing, found, .. } if bare(found).is_empty() => {
            Some(format!("the end lacks `{closing}`"))
        }
        SpecError::Missing { name, .. } => Some(format!("see certus mechanisms {name}")),
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

/// What an excerpt holds, without its quotes.
fn bare(found: &Excerpt) -> String {
    found.to_string().trim_matches('"').to_owned()
}

fn mechanism_near(found: &str) -> Option<String> {
    let names = CATALOGUE.iter().flat_map(|family| family.entries);
    let names = names.flat_map(|entry| entry.aliases.iter().copied().chain([entry.name]));
    nearest(found, names).map(|name| format!("did you mean {name}?"))
}

/// What was probably meant by arguments that the parser refuses, the program's name first.
pub(super) fn arguments(arguments: &[OsString]) -> Option<String> {
    let texts: Vec<_> = arguments.iter().skip(1).map(|text| text.to_string_lossy()).collect();
    let (command, rest) = texts.split_first()?;
    let is_mechanism = |text: &str| entry(text).is_some();
    if is_mechanism(command) {
        return Some(format!(
            "{command} is a mechanism: certus sample '{command}(…)', or see certus mechanisms {command}"
        ));
    }
    let has_flag = |name: &str| rest.iter().any(|text| text == name || text.starts_with(&format!("{name}=")));
    if command == "audit" && (has_flag("--epsilon") || has_flag("--delta")) {
        return Some("what is audited is a claim: --claim epsilon=1, or --claim epsilon=1,delta=1e-6".to_owned());
    }
    let name = rest.iter().find(|text| is_mechanism(text))?;
    let key = rest.iter().find(|text| !text.starts_with('-') && text.contains('='))?;
    Some(format!("a mechanism is one argument, in quotes: '{name}({key})'"))
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
            ("Laplace(scale=1)", "did you mean laplace?"),
            ("20*gaussian(sigma=1)", "20 copies are written MECHANISM(…)*20"),
            ("laplace(1)", "a value has its key before it: laplace(scale=…)"),
            ("laplace(scale=1", "the end lacks `)`"),
            ("laplace", "see certus mechanisms laplace"),
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

    #[test]
    fn what_was_meant_by_arguments() {
        let hint = |line: &str| arguments(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for (line, expected) in [
            ("certus count", Some("count is a mechanism: certus sample 'count(…)', or see certus mechanisms count")),
            (
                "certus audit laplace(scale=1) --epsilon 1",
                Some("what is audited is a claim: --claim epsilon=1, or --claim epsilon=1,delta=1e-6"),
            ),
            ("certus sample laplace scale=1", Some("a mechanism is one argument, in quotes: 'laplace(scale=1)'")),
            ("certus sample --what", None),
            ("certus account --epsilon=1 laplace --what", None),
            ("certus", None),
        ] {
            assert_eq!(hint(line).as_deref(), expected, "{line}");
        }
    }
}
