use roxmltree::{Document, Node};
use serde_json::{Value, json};

use super::{escape, html, junit, sarif};

/// What a name, an event or a command may hold.
const HOSTILE: &str =
    "</title><script>alert(1)</script>]]>\"'&<img src=x onerror=y>\u{0}\u{1b}\u{202e}\u{fffe}\r\n{0}[x](http://e)";

/// A target with every field.
fn full(name: &str) -> Value {
    json!({
        "target": name, "about": "what it does", "kind": "zoo", "spec": "laplace(scale=1)", "inputs": ["0", "1"], "commands": null, "files": null,
        "expected": "violation", "as_expected": true, "verdict": "violation", "epsilon": "1/2", "delta_claimed": "1e-6", "delta_lower": "0.0812",
        "delta_estimate": "0.09", "delta_upper": "0.12", "epsilon_lower": "1.2", "min_detectable_delta": "0.01",
        "delta_exact": {"lower": "0.09100", "upper": "0.09123"}, "confidence": "0.99999", "samples_a": 100_000, "samples_b": 200_000,
        "event": "value <= 3", "direction": "b over a", "counts": {"p_inside": 1234, "p_samples": 50_000, "q_inside": 99, "q_samples": 50_001},
        "curve": [
            {"epsilon": "0", "lower": "0.2", "estimate": "0.3", "plug_in": "0.31", "upper": "0.4", "exact": {"lower": "0.29", "upper": "0.30"}},
            {"epsilon": "0.5", "lower": "0.0812", "estimate": "0.09", "plug_in": "0.1", "upper": "0.12", "exact": {"lower": "0.091", "upper": "0.092"}},
            {"epsilon": "1", "lower": "0", "estimate": "0", "plug_in": "0.001", "upper": null, "exact": null}
        ],
        "losses": {"edges": ["-1", "0", "1"], "estimated": ["0.3", "0.6"], "exact": ["0.31", "0.59"], "estimated_infinite": "0.1", "exact_infinite": "0.1"},
        "counterexample": {"event": "value <= 3"}, "replay": "certus replay found.json", "notes": ["side b has fewer samples"], "error": null, "seconds": 1.25
    })
}

fn with(mut target: Value, fields: &[(&str, Value)]) -> Value {
    for (field, value) in fields {
        target[*field] = value.clone();
    }
    target
}

fn suite(targets: &[Value]) -> Value {
    json!({"schema_version": 1, "confidence": "0.999", "as_expected": true, "seconds": 61.2, "file": "audits/my file#1.toml", "targets": targets})
}

/// One target of every standing.
fn every_standing() -> Value {
    suite(&[
        full("as expected"),
        with(full("an alarm"), &[("expected", json!("no-violation")), ("as_expected", json!(false))]),
        with(
            full("missed"),
            &[("verdict", json!("consistent")), ("as_expected", json!(false)), ("counterexample", Value::Null)],
        ),
        with(full("refuted"), &[("expected", Value::Null), ("as_expected", Value::Null)]),
        with(
            full("open"),
            &[("verdict", json!("inconclusive")), ("expected", Value::Null), ("as_expected", Value::Null)],
        ),
        json!({"target": "skipped", "about": "", "kind": "commands", "verdict": null, "skipped": "not installed", "error": null}),
        json!({"target": "failed", "about": "", "kind": "commands", "verdict": null, "skipped": null, "error": "exit 7"}),
    ])
}

/// Every field of every object, one at a time, missing, null, and of a wrong kind.
fn damaged() -> Vec<Value> {
    let whole = suite(&[full("a target")]);
    let mut documents = vec![
        json!(null),
        json!([]),
        json!({}),
        json!("text"),
        suite(&[]),
        suite(&[json!({}), json!(null), json!(7)]),
        full("alone"),
    ];
    for epsilons in [["1", "1", "1"], ["", "", "0"], ["-1e308", "0", "1e308"], ["0", "1e-320", "2e-320"]] {
        let mut document = whole.clone();
        for (point, epsilon) in epsilons.into_iter().enumerate() {
            document["targets"][0]["curve"][point]["epsilon"] = json!(epsilon);
        }
        documents.push(document);
    }
    for edges in [["1", "1", "1"], ["1", "0", "2"], ["-1e308", "0", "1e308"], ["0", "1e-320", "2e-320"]] {
        let mut document = whole.clone();
        document["targets"][0]["losses"]["edges"] = json!(edges);
        documents.push(document);
    }
    let mut damage = |path: &str| {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name).to_owned();
        let replacements = [
            json!(null),
            json!(-7),
            json!(""),
            json!("NaN"),
            json!("1e400"),
            json!("1e308"),
            json!(1e-308),
            json!("-1/0"),
            json!([]),
            json!({}),
            json!(true),
            json!(HOSTILE),
            json!([{}, null]),
        ];
        for replacement in replacements {
            let mut document = whole.clone();
            *document.pointer_mut(path).unwrap() = replacement;
            documents.push(document);
        }
        let mut document = whole.clone();
        if let Some(object) = document.pointer_mut(&parent).and_then(Value::as_object_mut) {
            object.remove(&name);
        }
        documents.push(document);
    };
    let mut paths = Vec::new();
    walk(&whole, "", &mut paths);
    paths.iter().for_each(|path| damage(path));
    documents
}

fn walk(value: &Value, path: &str, paths: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let path = format!("{path}/{name}");
        paths.push(path.clone());
        walk(child, &path, paths);
    }
}

/// The drawings of a page, each of which must be XML.
fn drawings(page: &str) -> Vec<&str> {
    let mut drawings = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find("<svg") {
        let (mut depth, mut end) = (0, start);
        loop {
            let tail = &rest[end..];
            let (open, close) =
                (tail.find("<svg").unwrap_or(usize::MAX), tail.find("</svg>").expect("a drawing has an end"));
            if open < close {
                depth += 1;
                end += open + 4;
            } else {
                depth -= 1;
                end += close + 6;
            }
            if depth == 0 {
                break;
            }
        }
        drawings.push(&rest[start..end]);
        rest = &rest[end..];
    }
    drawings
}

/// The page as XML, so that its elements can be found: what HTML need not close, closed.
fn as_xml(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1.split_once("<script>").unwrap().0;
    let closed = body
        .replace("<wbr>", "<wbr/>")
        .replace("<br>", "<br/>")
        .replace(" hidden ", " hidden=\"\" ")
        .replace(" open>", " open=\"\">");
    format!("<body>{}</body>", closed.replace(" data-unexpected>", " data-unexpected=\"\">"))
}

fn all_text(node: Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.is_text().then(|| node.text()).flatten()).collect()
}

#[test]
fn a_page_shows_the_documents_numbers_and_no_others() {
    let document = every_standing();
    let page = as_xml(&html(&document));
    let page = Document::parse(&page).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for node in page.descendants() {
        let (Some(field), Some(target)) = (node.attribute("data-field"), node.attribute("data-target")) else {
            continue;
        };
        let value = document.pointer(&format!("/targets/{target}/{}", field.replace('.', "/"))).unwrap();
        let expected = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        assert_eq!(all_text(node), expected, "{field}");
        let is_table = node.ancestors().any(|node| node.attribute("class") == Some("targets"));
        seen.insert((target.to_owned(), field.to_owned(), is_table));
    }
    for target in ["0", "1", "2", "3", "4"] {
        let table = [
            "epsilon",
            "delta_claimed",
            "delta_lower",
            "delta_estimate",
            "delta_upper",
            "delta_exact.lower",
            "delta_exact.upper",
            "target",
        ];
        assert!(table.iter().all(|field| seen.contains(&(target.to_owned(), (*field).to_owned(), true))), "{target}");
        let section = [
            "epsilon_lower",
            "min_detectable_delta",
            "confidence",
            "samples_a",
            "samples_b",
            "seconds",
            "counts.p_inside",
            "counts.q_samples",
        ];
        assert!(
            section.iter().all(|field| seen.contains(&(target.to_owned(), (*field).to_owned(), false))),
            "{target}"
        );
    }
    let count =
        |name: &str| page.descendants().find(|node| node.attribute("data-count") == Some(name)).map(all_text).unwrap();
    assert_eq!(
        ["targets", "violations", "consistent", "inconclusive", "unexpected", "not_run"].map(count),
        ["7", "3", "1", "1", "2", "2"]
    );
    let curve = page.descendants().find(|node| node.attribute("class") == Some("curve")).unwrap();
    let cells: Vec<String> = curve.descendants().filter(|node| node.has_tag_name("td")).map(all_text).collect();
    assert_eq!(&cells[7..14], ["0.5", "0.0812", "0.09", "0.1", "0.12", "0.091", "0.092"]);
    assert_eq!(&cells[14..21], ["1", "0", "0", "0.001", "–", "–", "–"]);
}

#[test]
fn the_counterexample_says_which_side_is_which() {
    let page = html(&full("one"));
    assert!(page.contains("P = b (<code>1</code>)") && page.contains("Q = a (<code>0</code>)"));
    assert!(page.contains("certus replay found.json"));
    let turned = html(&with(full("one"), &[("direction", json!("a over b"))]));
    assert!(turned.contains("P = a (<code>0</code>)") && turned.contains("Q = b (<code>1</code>)"));
    let kept = html(&with(full("one"), &[("verdict", json!("consistent"))]));
    assert!(!kept.contains("certus replay") && kept.contains("The event that was tested"));
}

#[test]
fn headlines_say_what_matters() {
    let fine = |verdict: &str| {
        with(full("x"), &[("verdict", json!(verdict)), ("expected", Value::Null), ("as_expected", Value::Null)])
    };
    for (document, headline) in [
        (every_standing(), "2 verdicts of 7 targets are not as expected"),
        (suite(&[full("x"), full("y")]), "All 2 verdicts are as expected"),
        (suite(&[full("x"), json!({"target": "y", "skipped": "no"})]), "The verdict is as expected, 1 skipped"),
        (suite(&[full("x"), json!({"target": "y", "error": "no"})]), "1 of 2 targets could not be run"),
        (suite(&[fine("violation"), fine("consistent")]), "1 claim refuted"),
        (suite(&[json!({"target": "y", "skipped": "no"})]), "Nothing was run: all was skipped"),
        (suite(&[]), "Nothing was run: there is no target"),
        (suite(&[fine("inconclusive")]), "Too few samples to judge"),
        (fine("violation"), "The claim is refuted"),
        (fine("consistent"), "The claim is not refuted"),
        (fine("inconclusive"), "Too few samples to judge"),
        (json!({}), "1 of 1 target could not be run"),
    ] {
        assert!(html(&document).contains(&format!("<span>{headline}</span>")), "{headline}");
    }
}

#[test]
fn texts_from_outside_stay_texts() {
    let fields = [
        "target",
        "about",
        "kind",
        "spec",
        "event",
        "direction",
        "confidence",
        "delta_lower",
        "expected",
        "verdict",
        "seconds",
    ];
    let mut target = full(HOSTILE);
    for field in fields {
        target[field] = json!(HOSTILE);
    }
    let target = with(
        target,
        &[
            ("inputs", Value::Null),
            ("commands", json!([HOSTILE, HOSTILE])),
            ("counterexample", json!({HOSTILE: HOSTILE})),
        ],
    );
    let refuted = with(target.clone(), &[("verdict", json!("violation")), ("as_expected", json!(false))]);
    let targets =
        [target, refuted, json!({"target": HOSTILE, "error": HOSTILE}), json!({"target": HOSTILE, "skipped": HOSTILE})];
    let document = with(suite(&targets), &[("file", json!(HOSTILE)), ("confidence", json!(HOSTILE))]);
    let page = html(&document);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(
        !page.contains("<img")
            && !page.contains("</title><script")
            && !page.contains(['\u{0}', '\u{1b}', '\u{202e}', '\u{fffe}'])
    );
    let page = as_xml(&page);
    let page = Document::parse(&page).unwrap();
    assert!(
        page.descendants().all(|node| !node.has_tag_name("script")
            && node.attributes().all(|attribute| !attribute.name().starts_with("on")))
    );
    // And no text is lost but for what XML cannot hold.
    assert!(all_text(page.root()).contains("</title><script>alert(1)</script>]]>\"'&<img src=x onerror=y>"));
    let alone = html(&with(full(HOSTILE), &[("event", json!(HOSTILE))]));
    assert!(alone.matches("<script").count() == 1 && !alone.contains("<img") && alone.matches("</head>").count() == 1);
    let xml = junit(&document);
    let xml = Document::parse(&xml).unwrap();
    let names: Vec<_> = xml
        .descendants()
        .filter_map(|node| node.has_tag_name("testcase").then(|| node.attribute("name")).flatten())
        .collect();
    assert_eq!(names, ["</title><script>alert(1)</script>]]>\"'&<img src=x onerror=y>\r\n{0}[x](http://e)"; 4]);
    let log = sarif(&document);
    let message = log.pointer("/runs/0/results/0/message/text").unwrap().as_str().unwrap();
    assert!(message.contains("{{0}}") && !message.contains("]("));
}

#[test]
fn drawings_are_xml_with_a_name_whatever_the_document_holds() {
    let mut count = 0;
    for document in damaged().iter().chain([&every_standing()]) {
        let page = html(document);
        for drawing in drawings(&page) {
            count += 1;
            let parsed = Document::parse(drawing).unwrap_or_else(|error| panic!("{error}: {drawing}"));
            let root = parsed.root_element();
            assert!(
                root.attribute("aria-label").is_some()
                    || root.attribute("aria-hidden").is_some()
                    || root
                        .children()
                        .any(|node| node.has_tag_name("title")
                            || node.has_tag_name(("http://www.w3.org/2000/svg", "title")))
            );
            for number in ["NaN", "inf"] {
                assert!(
                    !drawing.contains(&format!("{number} "))
                        && !drawing.contains(&format!("{number},"))
                        && !drawing.contains(&format!("\"{number}")),
                    "{drawing}"
                );
            }
        }
        assert!(page.ends_with("</html>\n") && Document::parse(&as_xml(&page)).is_ok());
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn junit_has_a_case_a_target_and_totals_that_agree() {
    let text = junit(&every_standing());
    let xml = Document::parse(&text).unwrap();
    let root = xml.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let suite = root.children().find(Node::is_element).unwrap();
    for node in [root, suite] {
        let total = |name: &str| node.attribute(name).unwrap();
        assert_eq!(["tests", "failures", "errors", "time"].map(total), ["7", "3", "1", "61.200"]);
    }
    assert_eq!(suite.attribute("skipped"), Some("1"));
    let cases: Vec<Node<'_, '_>> = suite.children().filter(Node::is_element).collect();
    let outcome = |case: &Node<'_, '_>| case.children().find(Node::is_element).unwrap().tag_name().name().to_owned();
    let outcomes: Vec<String> = cases.iter().map(outcome).collect();
    assert_eq!(outcomes, ["system-out", "failure", "failure", "failure", "system-out", "skipped", "error"]);
    assert!(cases.iter().all(|case| case.tag_name().name() == "testcase"
        && case.attribute("classname").is_some()
        && case.attribute("time").is_some()));
    let failure = cases[1].children().find(Node::is_element).unwrap();
    assert_eq!(
        failure.attribute("message").unwrap(),
        "expected: no-violation. The claim ε = 0.5, δ = 1e-6 is refuted at confidence 0.99999: δ is at least 0.0812."
    );
    assert!(failure.text().unwrap().contains("event: value <= 3\n"));
    let single = junit(&with(full("one"), &[("expected", Value::Null), ("as_expected", Value::Null)]));
    assert!(single.contains("tests=\"1\" failures=\"1\" errors=\"0\""));
}

#[test]
fn sarif_has_what_the_schema_requires() {
    for document in damaged().iter().chain([&every_standing()]) {
        let log = sarif(document);
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert!(run["tool"]["driver"]["name"].is_string() && run["invocations"][0]["executionSuccessful"].is_boolean());
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for result in run["results"].as_array().unwrap() {
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            assert_eq!((&rule["id"], &rule["defaultConfiguration"]["level"]), (&result["ruleId"], &result["level"]));
            assert!(result["locations"].as_array().is_some_and(|locations| locations.len() == 1));
        }
    }
    let log = sarif(&every_standing());
    let results = log["runs"][0]["results"].as_array().unwrap();
    let ids: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["violation", "missing-violation", "violation", "inconclusive", "not-run"]);
    assert_eq!(
        results[0].pointer("/locations/0/physicalLocation/artifactLocation/uri").unwrap(),
        "audits/my%20file%231.toml"
    );
    assert_eq!(log.pointer("/runs/0/invocations/0/executionSuccessful").unwrap(), false);
    assert_eq!(log.pointer("/runs/0/invocations/0/toolExecutionNotifications").unwrap().as_array().unwrap().len(), 2);
    let prints: std::collections::BTreeSet<String> =
        results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
    assert_eq!(prints.len(), results.len());
    // Another run counts otherwise, and is the same alert.
    let again =
        sarif(&suite(&[with(full("an alarm"), &[("as_expected", json!(false)), ("delta_lower", json!("0.07"))])]));
    assert_eq!(again.pointer("/runs/0/results/0/partialFingerprints"), results[0].get("partialFingerprints"));
}

#[test]
fn a_page_of_a_hundred_targets_is_small() {
    let point = |index: usize| {
        json!({"epsilon": format!("0.{index:02}"), "lower": "0.123456", "estimate": "0.123456", "plug_in": "0.123456", "upper": "0.123456",
        "exact": {"lower": "0.1234567890123456789", "upper": "0.1234567890123456790"}})
    };
    let curve: Vec<Value> = (0..40).map(point).collect();
    let bins: Vec<&str> = vec!["0.0123456"; 60];
    let edges: Vec<String> = (0..=60).map(|edge| format!("{edge}.5")).collect();
    let losses =
        json!({"edges": edges, "estimated": bins, "exact": bins, "estimated_infinite": "0", "exact_infinite": "0"});
    let targets: Vec<Value> = (0..100)
        .map(|index| with(full(&format!("target_{index}")), &[("curve", json!(curve)), ("losses", losses.clone())]))
        .collect();
    let page = html(&suite(&targets));
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert_eq!(page, html(&suite(&targets)));
}

#[test]
fn texts_are_cut_and_paths_are_uris() {
    assert!(html(&with(full("x"), &[("event", json!("é".repeat(100_000)))])).len() < 60_000);
    assert_eq!(escape::uri("a b/ü%.toml"), "a%20b/%C3%BC%25.toml");
    assert_eq!(escape::uri("/tmp/x.toml"), "file:///tmp/x.toml");
    assert_eq!(escape::attribute("a\n\u{b}<"), "a&#10;&lt;");
}
