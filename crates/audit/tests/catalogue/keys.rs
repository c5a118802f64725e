//! Bad values of every key of every entry: one line that names the key, at once, and never a panic.

use std::time::{Duration, Instant};

use certus::{
    bits::seeded,
    mechanism::{Entry, Spec, SpecError, from_spec},
};

use crate::entries;

/// An example's arguments without a key, and with another value for it.
fn with(entry: &Entry, example: &str, key: &str, value: Option<&str>) -> String {
    let spec: Spec = example.parse().unwrap();
    let mut arguments: Vec<String> = spec
        .arguments()
        .iter()
        .filter(|(given, _)| given != key)
        .map(|(given, value)| format!("{given}={value}"))
        .collect();
    arguments.extend(value.map(|value| format!("{key}={value}")));
    format!("{}({})", entry.name, arguments.join(", "))
}

/// The error's line, checked to be one.
fn line(error: &SpecError) -> String {
    let line = error.to_string();
    assert!(!line.chars().any(char::is_control) && line.chars().count() < 300, "{line:?}");
    line
}

/// What happens with a spec, in no long time: a refusal, or a mechanism that runs on its own example.
fn outcome(spec: &str) -> Result<(), SpecError> {
    let started = Instant::now();
    let mechanism = from_spec(&spec.parse().unwrap())?;
    let _ = mechanism.privacy();
    let _ = mechanism.domination();
    for input in [mechanism.neighbours().0, mechanism.neighbours().1] {
        let release = mechanism.on(input).unwrap_or_else(|error| panic!("{spec} on {input}: {error}"));
        release.draw(&mut seeded([1; 32])).unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{spec} took {:?}", started.elapsed());
    Ok(())
}

const VALUES: [&str; 12] =
    ["0", "-1", "1/3", "1", "1e-30", "-1e1000", "1e1000", "1e-1000", "1e9", "1e12", "9223372036854775807", "65536"];

#[test]
fn every_key_refuses_in_one_line_and_at_once() {
    for entry in entries() {
        for example in entry.examples {
            for (key, accepts) in entry.keys {
                let mut refusals = 0;
                for value in VALUES {
                    let spec = with(entry, example, key, Some(value));
                    match outcome(&spec) {
                        Ok(()) => {}
                        Err(SpecError::Conflicting { .. } | SpecError::Missing { .. }) => refusals += 1,
                        Err(error) => {
                            let line = line(&error);
                            assert!(line.starts_with(entry.name), "{spec}: {line}");
                            assert!(line.contains(key), "{spec}: {line}");
                            refusals += 1;
                        }
                    }
                }
                assert!(refusals > 0, "{}: {key} accepts anything, but is said to be {accepts}", entry.name);
                let list = with(entry, example, key, Some("[1, 2]"));
                assert!(
                    matches!(
                        outcome(&list),
                        Err(SpecError::NotANumber { .. } | SpecError::Conflicting { .. } | SpecError::Missing { .. })
                    ),
                    "{list}"
                );
            }
        }
    }
}

/// A key that is left out is either optional, or said to be missing; one that there is not is said not to be.
#[test]
fn missing_and_unknown_keys() {
    for entry in entries() {
        for example in entry.examples {
            let spec: Spec = example.parse().unwrap();
            let mut missing = 0;
            for (key, _) in spec.arguments() {
                match outcome(&with(entry, example, key, None)) {
                    Ok(()) => {}
                    Err(
                        error @ (SpecError::Missing { .. } | SpecError::Refused { .. } | SpecError::OutOfRange { .. }),
                    ) => {
                        missing += 1;
                        assert!(line(&error).starts_with(entry.name));
                    }
                    Err(error) => panic!("{example} without {key}: {error}"),
                }
            }
            assert!(missing > 0, "{example} without its keys");
            let unknown = outcome(&with(entry, example, "scael", Some("1"))).unwrap_err();
            assert!(matches!(unknown, SpecError::Unknown { .. }) && line(&unknown).contains("scael"));
        }
    }
    let none = from_spec(&"cauchy(scale=1)".parse().unwrap()).err().unwrap();
    assert!(line(&none).contains("cauchy") && line(&none).contains("certus mechanisms"));
}

/// Inputs that are none: one line, the same whatever the input was.
#[test]
fn inputs_are_refused_without_being_repeated() {
    for entry in entries() {
        let mechanism = from_spec(&entry.examples[0].parse().unwrap()).unwrap();
        let lines: Vec<String> = ["secret", "1,secret;", "12345678x", ",", "se cret", "a:secret"]
            .iter()
            .filter_map(|input| mechanism.on(input).err())
            .map(|error| error.to_string())
            .collect();
        assert!(lines.len() >= 2, "{}", entry.name);
        for line in &lines {
            assert!(line.starts_with("must") && line.chars().count() < 300, "{line}");
            assert!(!line.contains("secret") && !line.contains("1234567"), "{line}");
            assert_eq!(line, &lines[0], "{}", entry.name);
        }
    }
}
