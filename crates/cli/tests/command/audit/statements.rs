//! What an audit says of what it did: of which events, and no more than was shown.

use super::{Folder, certus, json};

fn text(output: &std::process::Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Twenty samples show nothing of a claim of δ = 0.9, and are not called consistent with it; under `--strict`
/// that fails.
#[test]
fn a_handful_of_samples_is_inconclusive() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a.txt", "7\n".repeat(20)), folder.file("b.txt", "8\n".repeat(20)));
    let arguments = ["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1,delta=0.9"];
    let (document, status) = json(&arguments);
    assert_eq!((document["verdict"].as_str(), status), (Some("inconclusive"), 0), "{document}");
    assert!(document["min_detectable_delta"].is_null(), "{document}");
    let strict = certus(&[&arguments[..], &["--strict"]].concat());
    assert_eq!(strict.status.code(), Some(1));
    assert!(text(&strict).contains("not even a δ of 1 would have been seen"), "{}", text(&strict));
}

/// The sentence names the event tested and the kinds that were searched wherever it stands: terminal, page,
/// document, JUnit, help.
#[test]
fn what_would_have_been_seen_is_of_the_events_searched() {
    let folder = Folder::new();
    let (page, junit) = (folder.to("page.html"), folder.to("junit.xml"));
    let arguments = ["audit", "geometric(scale=1)", "--samples", "3000", "--seed", "1"];
    let printed = text(&certus(&[&arguments[..], &["--report", &page, "--junit", &junit]].concat()));
    let (document, _) = json(&arguments);
    let least = document["min_detectable_delta"].as_str().unwrap();
    let searched: Vec<&str> =
        document["searched"].as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
    assert!(searched.contains(&"thresholds of numbers"), "{searched:?}");
    let sentence = format!(
        "in the event tested, a δ of {least} or more would have been seen at least every other time; of the kinds of events searched: {}",
        searched.join(", ")
    );
    assert!(printed.contains(&sentence), "{printed}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&sentence) && page.contains("Kinds of events searched"), "{page}");
    assert!(std::fs::read_to_string(junit).unwrap().contains(&format!("kinds of events searched: {}", searched[0])));
    let help = text(&certus(&["audit", "--help"]));
    assert!(help.contains("of other kinds of events than those searched"), "{help}");
}

/// A sequential audit bets on many events: it shows that some event violates the claim, names the last, and
/// says so. Its δ is a bound, and no estimate.
#[test]
fn a_sequential_audit_names_no_event_as_shown() {
    let folder = Folder::new();
    let (page, found) = (folder.to("page.html"), folder.to("found.json"));
    let arguments = ["audit", "laplace(scale=1)", "--claim", "epsilon=0.3", "--sequential", "--seed", "1"];
    let printed = certus(&[&arguments[..], &["--report", &page, "--counterexample", &found]].concat());
    assert_eq!(printed.status.code(), Some(1));
    let printed = text(&printed);
    assert!(printed.contains("last event played: ") && printed.contains("some event that was played"), "{printed}");
    assert!(!printed.contains("\nevent: "), "{printed}");
    let (document, _) = json(&arguments);
    assert!(document["delta_estimate"].is_null(), "{document}");
    let number = |key: &str| document[key].as_str().unwrap().parse::<f64>().unwrap();
    assert!(number("delta_lower") > 0.0 && number("epsilon_lower") > 0.3, "{document}");
    let statement = document["counterexample"]["statement"].as_str().unwrap();
    assert!(statement.contains("for some event S that was played"), "{statement}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("The last event that was played") && page.contains("for some event S that was played"));
    // A replay tests the event that is named, by itself.
    let (replayed, status) = json(&["replay", &found, "--seed", "2", "--samples", "50000"]);
    assert_eq!((replayed["confirmed"].as_bool(), status), (Some(true), 1), "{replayed}");
    assert!(replayed["delta_estimate"].is_string(), "{replayed}");
}

/// From ε = 36.8 on, 1 and e^ε have no float in common: numbers all the same, and no violation.
#[test]
fn large_claims_have_numbers() {
    for (epsilon, mode) in
        [("36.8", &["--sequential"][..]), ("40", &["--sequential"]), ("100", &["--sequential"]), ("100", &[])]
    {
        let claim = format!("epsilon={epsilon}");
        let arguments =
            [&["audit", "laplace(scale=1)", "--samples", "3000", "--seed", "1", "--claim", &claim], mode].concat();
        let (document, status) = json(&arguments);
        assert_eq!((document["verdict"].as_str(), status), (Some("inconclusive"), 0), "{document}");
        assert_eq!((document["delta_lower"].as_str(), document["epsilon_lower"].as_str()).0, Some("0"), "{document}");
        assert!(!document.to_string().contains("NaN"), "{document}");
    }
}
