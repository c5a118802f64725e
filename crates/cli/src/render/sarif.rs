//! SARIF 2.1.0 (OASIS), as code scanning reads it: a result for each target that needs a look.
//!
//! A verdict that is as expected is no result, and neither is a target that was skipped, which is a
//! notification.

use serde_json::{Map, Value, json};

use super::{
    document::{Standing, Target, targets, text, told},
    escape::uri,
};

/// The rules: id, name, level, what it means, what to do.
const RULES: [(&str, &str, &str, &str, &str); 4] = [
    (
        "violation",
        "PrivacyViolation",
        "error",
        "A privacy claim is refuted.",
        "There is an event that is likelier on one input than the claim allows, given its probability on the neighbouring input, at the stated confidence. The counterexample can be replayed on fresh samples: see the message.",
    ),
    (
        "missing-violation",
        "ViolationNotFound",
        "error",
        "A violation was expected, and the samples do not show it.",
        "Either the mechanism was mended, and the expectation is out of date, or the audit has too few samples to see it.",
    ),
    ("inconclusive", "Inconclusive", "note", "The samples are too few to judge a privacy claim.", "Draw more samples."),
    (
        "not-run",
        "NotRun",
        "warning",
        "A target could not be audited.",
        "Nothing is known of its claim: see the message.",
    ),
];

/// The SARIF log of an audit's document.
pub(crate) fn sarif(document: &Value) -> Value {
    let targets = targets(document);
    let file = text(document, "file");
    let results: Vec<Value> = targets.iter().filter_map(|target| result(target, file.as_deref())).collect();
    let notifications: Vec<Value> = targets
        .iter()
        .filter(|target| matches!(target.standing(), Standing::Skipped | Standing::Failed))
        .map(|target| {
            let level = if target.standing() == Standing::Skipped { "note" } else { "error" };
            json!({ "level": level, "message": { "text": message(&format!("{}: {}", target.name(), target.sentence())) } })
        })
        .collect();
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(id, name, level, short, full)| {
            json!({
                "id": id,
                "name": name,
                "shortDescription": { "text": short },
                "fullDescription": { "text": full },
                "help": { "text": full },
                "defaultConfiguration": { "level": level },
                "properties": { "tags": ["privacy", "differential-privacy"] },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "certus", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [{
                "executionSuccessful": !targets.iter().any(|target| target.standing() == Standing::Failed),
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(target: &Target<'_>, file: Option<&str>) -> Option<Value> {
    let id = match target.standing() {
        Standing::Failed => "not-run",
        Standing::Refuted => "violation",
        Standing::Unexpected if target.is_violation() => "violation",
        Standing::Unexpected => "missing-violation",
        Standing::AsExpected | Standing::NotRefuted if target.is_inconclusive() => "inconclusive",
        Standing::AsExpected | Standing::NotRefuted | Standing::Skipped => return None,
    };
    let (index, rule) = RULES.iter().enumerate().find(|(_, rule)| rule.0 == id)?;
    let name = target.name();
    let found = told(target.value).map_or_else(String::new, |told| format!(" Found: {told}."));
    let cause = target.text("cause").map_or_else(String::new, |cause| format!(" Cause: {cause}."));
    let event = target.text("event").map_or_else(String::new, |event| format!("{found}{cause} Event: {event}."));
    let replay = if target.is_violation() { format!(" To see it again, {}", target.replay()) } else { String::new() };
    let mut location = Map::new();
    location.insert(
        "logicalLocations".to_owned(),
        json!([{ "name": name, "fullyQualifiedName": name, "kind": "function" }]),
    );
    if let Some(file) = file.filter(|file| !file.is_empty()) {
        let line = target.value.get("line").and_then(Value::as_u64).filter(|line| *line > 0).unwrap_or(1);
        location.insert(
            "physicalLocation".to_owned(),
            json!({ "artifactLocation": { "uri": uri(file) }, "region": { "startLine": line } }),
        );
    }
    let mut properties = Map::new();
    for field in [
        "epsilon",
        "delta_claimed",
        "delta_lower",
        "delta_estimate",
        "delta_upper",
        "epsilon_lower",
        "confidence",
        "samples_a",
        "samples_b",
    ] {
        if let Some(value) = target.value.get(field).filter(|value| !value.is_null()) {
            properties.insert(field.to_owned(), value.clone());
        }
    }
    Some(json!({
        "ruleId": id,
        "ruleIndex": index,
        "level": rule.2,
        "message": { "text": message(&format!("{name}: {}{event}{replay}", target.sentence())) },
        "locations": [location],
        "partialFingerprints": { "certusClaim/v1": fingerprint(&[id, &name, &target.claim().unwrap_or_default()]) },
        "properties": properties,
    }))
}

/// A plain-text message, in which braces would be places for arguments (§3.11.5) and brackets links
/// (§3.11.6): "{" is written "{{", and what a link needs, "](", is parted.
fn message(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

/// The same for the same target and claim in every run, whatever was counted: FNV-1a on 64 bits, each part
/// with its end marked.
fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}
