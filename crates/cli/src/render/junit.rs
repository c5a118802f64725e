//! JUnit XML, as GitHub, GitLab and Jenkins read it: a test case for each target.
//!
//! A failure is a verdict that is not the expected one; where nothing was expected, a violation. A target
//! that could not be run is an error.

use std::{borrow::Cow, fmt::Write as _};

use serde_json::Value;

use super::{
    document::{Standing, Target, targets, text, told},
    escape::{attribute, markup},
};

/// The XML of an audit's document.
pub(crate) fn junit(document: &Value) -> String {
    let targets = targets(document);
    let count = |which: &[Standing]| targets.iter().filter(|target| which.contains(&target.standing())).count();
    let totals = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\"",
        targets.len(),
        count(&[Standing::Unexpected, Standing::Refuted]),
        count(&[Standing::Failed]),
        time(document)
    );
    let skipped = count(&[Standing::Skipped]);
    let name = attribute(&text(document, "file").unwrap_or(Cow::Borrowed("certus audit")));
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"certus audit\" {totals}>\n\
         <testsuite name=\"{name}\" {totals} skipped=\"{skipped}\">\n"
    );
    for target in &targets {
        xml.push_str(&case(target));
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

/// Seconds, with at most the three digits that the strictest schema allows.
fn time(value: &Value) -> String {
    let seconds = value.get("seconds").and_then(Value::as_f64).filter(|seconds| *seconds >= 0.0);
    format!("{:.3}", seconds.unwrap_or(0.0))
}

fn case(target: &Target<'_>) -> String {
    let kind = target.text("kind").map_or_else(String::new, |kind| format!(".{kind}"));
    let mut xml = format!(
        "<testcase name=\"{}\" classname=\"{}\" time=\"{}\">",
        attribute(&target.name()),
        attribute(&format!("certus.audit{kind}")),
        time(target.value)
    );
    let sentence = target.sentence();
    let message = match (target.standing(), target.text("expected")) {
        (Standing::Unexpected, Some(expected)) => format!("expected: {expected}. {sentence}"),
        _ => sentence,
    };
    let (message, details) = (attribute(&message), markup(&details(target)));
    let _ = match target.standing() {
        Standing::Unexpected | Standing::Refuted => {
            let kind = if target.is_violation() { "violation" } else { "no-violation" };
            write!(xml, "<failure type=\"{kind}\" message=\"{message}\">{details}</failure>")
        }
        Standing::Failed => write!(xml, "<error type=\"error\" message=\"{message}\"/>"),
        Standing::Skipped => write!(xml, "<skipped message=\"{message}\"/>"),
        Standing::AsExpected | Standing::NotRefuted => write!(xml, "<system-out>{details}</system-out>"),
    };
    xml.push_str("</testcase>\n");
    xml
}

/// What was found, a line each.
fn details(target: &Target<'_>) -> String {
    const FIELDS: [&str; 14] = [
        "verdict",
        "about",
        "spec",
        "epsilon",
        "delta_claimed",
        "delta_lower",
        "delta_estimate",
        "delta_upper",
        "epsilon_lower",
        "min_detectable_delta",
        "confidence",
        "samples_a",
        "samples_b",
        "event",
    ];
    let mut text: String =
        FIELDS.iter().filter_map(|field| Some(format!("{field}: {}\n", target.text(field)?))).collect();
    for (label, line) in [("found", told(target.value)), ("cause", target.text("cause").map(Cow::into_owned))] {
        if let Some(line) = line {
            let _ = writeln!(text, "{label}: {line}");
        }
    }
    for (field, label) in [
        ("inputs", "inputs"),
        ("commands", "commands"),
        ("files", "files"),
        ("searched", "kinds of events searched"),
        ("notes", "note"),
    ] {
        for item in target.texts(field) {
            let _ = writeln!(text, "{label}: {item}");
        }
    }
    if target.is_violation() {
        let _ = writeln!(text, "{}", target.replay());
    }
    text
}
