//! Different JSON values are different outputs, and the same value is the same output however it is written.

use super::{Folder, json, refused};

/// How many different outputs the lines are.
fn distinct(folder: &Folder, lines: &[&str], column: &[&str]) -> u64 {
    let file = folder.file("x.jsonl", lines.join("\n") + "\n");
    let (document, status) = json(&[&["tally", &file, "--output", &folder.to("x.tally")], column].concat());
    assert_eq!((document["samples"].as_u64(), status), (Some(lines.len() as u64), 0));
    document["distinct"].as_u64().unwrap()
}

/// Values that differ, each from all others.
const DIFFERENT: &[&str] = &[
    "1",
    "\"1\"",
    "1.0",
    "1e0",
    "1E0",
    "1.00",
    "\"1.0\"",
    "-0",
    "0",
    "-0.0",
    "0.0",
    "\"0\"",
    "\"-0\"",
    "\"-\"",
    "true",
    "\"true\"",
    "false",
    "\"false\"",
    "null",
    "\"null\"",
    "\"\"",
    "[]",
    "[null]",
    "[\"\"]",
    "[\"null\"]",
    "[[]]",
    "{}",
    "[{}]",
    "\"[]\"",
    "\"{}\"",
    "\" \"",
    "\"\\n\"",
    "\"\\\\n\"",
    "\"\\r\"",
    "\"\\u0000\"",
    "\"\\\"\\\"\"",
    "[\"a\",\"b\"]",
    "\"a,b\"",
    "\"[a,b]\"",
    "\"[\\\"a\\\",\\\"b\\\"]\"",
    "[\"a,b\"]",
    "[\"a\\\",\\\"b\"]",
    "[\"a\",[\"b\"]]",
    "\"a\"",
    "[\"a\"]",
    "[[\"a\"]]",
    "\"A\"",
    "\"\\\"a\\\"\"",
    "\"\\\"1\\\"\"",
    "\"a b\"",
    "\"a  b\"",
    "\" a\"",
    "\"a \"",
    "[1,2]",
    "[\"1\",\"2\"]",
    "\"1,2\"",
    "[\"1,2\"]",
    "[1,\"2\"]",
    "[2,1]",
    "[1,2,null]",
    "[1,[2]]",
    "[[1],2]",
    "[[1,2]]",
    "[true,1]",
    "[\"true\",1]",
    "[null,1]",
    "[\"null\",1]",
    "[\"\",1]",
    "[[],1]",
    "[{},1]",
    "[1]",
    "[\"1\"]",
    "\"[1]\"",
    "{\"a\":1}",
    "{\"a\":\"1\"}",
    "{\"a\":1.0}",
    "{\"b\":1}",
    "{\"a\":1,\"b\":2}",
    "{\"a\":2,\"b\":1}",
    "{\"a\":{\"b\":2}}",
    "{\"a,b\":1}",
    "{\"a:1\":1}",
    "{\"a\":[1]}",
    "{\"a\":null}",
    "{\"\":1}",
    "\"{\\\"a\\\":1}\"",
    "\"a:1\"",
    "[\"a:1\"]",
    "\"nan\"",
    "\"NaN\"",
    "\"inf\"",
    "[\"nan\"]",
    "100000000000000000000001",
    "100000000000000000000002",
    "1e400",
    "1e401",
    "\"1e400\"",
    "\"é\"",
    "\"e\u{301}\"",
    "\"\\u007f\"",
    "\"\\ufeff\"",
    "\"1/2\"",
    "\"2/4\"",
    "[\"1/2\"]",
    "{\"$serde_json::private::Number\":\"1\"}",
    "{\"$serde_json::private::RawValue\":\"1\"}",
    "{\"$serde_json::private::Number\":\"7\"}",
    "7",
];

/// Ways to write one value.
const SAME: &[&[&str]] = &[
    &["\"a\"", "\"\\u0061\"", "  \"a\"\t"],
    &["\"é\"", "\"\\u00e9\"", "\"\\u00E9\""],
    &["\"\\ud83d\\ude00\"", "\"\u{1f600}\""],
    &["\"/\"", "\"\\/\"", "\"\\u002f\""],
    &["\"\\n\"", "\"\\u000a\"", "\"\\u000A\""],
    &["\"1\"", "\"\\u0031\""],
    &["[1,2]", "[1, 2]", " [ 1 ,2 ] "],
    &["[\"a\",\"b\"]", "[\"\\u0061\", \"b\"]"],
    &["{\"a\":1,\"b\":[2]}", "{\"b\": [ 2 ], \"a\": 1}", "{\"\\u0062\":[2],\"a\":1}"],
    &["{\"x\":{\"a\":1,\"b\":2}}", "{\"x\":{\"b\":2,\"a\":1}}"],
    &["[{\"a\":1,\"b\":2}]", "[{\"b\":2,\"a\":1}]"],
];

#[test]
fn different_values_are_different_outputs() {
    let folder = Folder::new();
    let wrapped: Vec<String> = DIFFERENT.iter().map(|value| format!("{{\"id\":1,\"x\":{value}}}")).collect();
    let lines: Vec<&str> = wrapped.iter().map(String::as_str).collect();
    assert_eq!(distinct(&folder, &lines, &["--column", "x"]), DIFFERENT.len() as u64);
    // Alone on a line an object must be asked into, so that an object with an id is not taken for an output.
    let lines: Vec<&str> = DIFFERENT.iter().copied().filter(|value| !value.starts_with('{')).collect();
    assert_eq!(distinct(&folder, &lines, &[]), lines.len() as u64);
    // Two at a time, so that it is seen which ones are one.
    for (place, one) in wrapped.iter().enumerate().step_by(7) {
        for two in wrapped.iter().skip(place + 1).step_by(5) {
            assert_eq!(distinct(&folder, &[one, two], &["--column", "x"]), 2, "{one} {two}");
        }
    }
}

#[test]
fn the_same_value_is_the_same_output() {
    let folder = Folder::new();
    for same in SAME {
        let wrapped: Vec<String> = same.iter().map(|value| format!("{{\"x\" : {value} }}")).collect();
        let lines: Vec<&str> = wrapped.iter().map(String::as_str).collect();
        assert_eq!(distinct(&folder, &lines, &["--column", "x"]), 1, "{same:?}");
    }
}

/// One line, with the number of the line; what stood there is not repeated.
#[test]
fn what_is_no_value_is_refused() {
    let folder = Folder::new();
    let deep = "[".repeat(500) + &"]".repeat(500);
    for (line, named) in [
        ("{\"x\":4711,\"x\":4712}", "twice"),
        ("{\"x\":1,\"y\":{\"b\":4711,\"a\":1,\"b\":4711}}", "twice"),
        ("{\"x\":[1,{\"a\":4711,\"\\u0061\":4711}]}", "twice"),
        ("{\"x\":1,\"$serde_json::private::Number\":1,\"$serde_json::private::Number\":4711}", "twice"),
        ("{\"y\":4711}", "no such field"),
        ("4711", "object"),
        ("{\"x\":4711", "JSON"),
        ("{\"x\":4711}}", "JSON"),
        ("{\"x\":04711}", "JSON"),
        ("{\"x\":\"4711\\ud800\"}", "JSON"),
        ("{\"x\":NaN}", "JSON"),
        ("{'x':4711}", "JSON"),
        (&format!("{{\"x\":{deep}}}"), "deep"),
    ] {
        let file = folder.file("x.jsonl", format!("{{\"x\":1}}\n{line}\n{{\"x\":2}}\n"));
        refused(&["tally", &file, "--column", "x"], 2, &["FILE", "line 2", named]);
        let said = super::certus(&["tally", &file, "--column", "x"]).stderr;
        assert!(!String::from_utf8(said).unwrap().contains("471"), "{line}");
    }
    let file = folder.file("x.jsonl", "{\"x\":1}\n");
    refused(&["tally", &file], 2, &["FILE", "line 1", "object", "--column"]);
    let file = folder.file("x.jsonl", b"1\n\"\xff\"\n");
    refused(&["tally", &file], 2, &["FILE", "line 2", "UTF-8"]);
}

/// Numbers in strings, in lists and in lists of lists are still numbers for the auditor: shifted noise is
/// seen in each of these forms as in plain text.
#[test]
fn numbers_stay_numbers() {
    let folder = Folder::new();
    let values = |seed: u64, shift: f64| -> Vec<f64> {
        let mut state = seed;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 32).unwrap()) / 4_294_967_296.0
        };
        (0..4000).map(|_| uniform() + uniform() + shift).collect()
    };
    let (a, b) = (values(1, 0.0), values(2, 0.7));
    let forms: [fn(f64) -> String; 8] = [
        |value| format!("{value:?}"),
        |value| format!("\"{value:?}\""),
        |value| format!("[{value:?}]"),
        |value| format!("[{value:?},0.5]"),
        |value| format!("[\"x\",\"{value:?}\"]"),
        |value| format!("\"{value:?},0.5\""),
        |value| format!("[[0.5,1],[2,{value:?}]]"),
        |value| format!("[[{value:?}],[1]]"),
    ];
    for (place, form) in forms.into_iter().enumerate() {
        let file = |name: &str, values: &[f64]| {
            folder.file(name, values.iter().map(|value| form(*value) + "\n").collect::<String>())
        };
        let (a, b) = (file("a.jsonl", &a), file("b.jsonl", &b));
        let (document, status) = json(&["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=0.5"]);
        let lower: f64 = document["delta_lower"].as_str().unwrap().parse().unwrap();
        assert!(status == 1 && lower > 0.2, "form {place}: {document}");
    }
}

/// A number on one side and the same number as a string on the other are told apart, also where no two are
/// alike.
#[test]
fn a_number_and_its_text_are_told_apart() {
    let folder = Folder::new();
    let side = |name: &str, quote: &str, from: u32| {
        let line = |i: u32| format!("{quote}{}.{}{quote}\n", i % 10, i.wrapping_mul(2_654_435_761));
        folder.file(name, (from..from + 2000).map(line).collect::<String>())
    };
    let (a, b) = (side("a.jsonl", "", 0), side("b.jsonl", "\"", 7000));
    let (document, status) = json(&["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=5"]);
    assert_eq!((document["verdict"].as_str(), status), (Some("violation"), 1), "{document}");
    // Through tallies too.
    let [a, b] = [a, b].map(|file| {
        let to = format!("{file}.tally");
        assert_eq!(json(&["tally", &file, "--output", &to]).1, 0);
        to
    });
    let (document, status) = json(&["audit", "--tally-a", &a, "--tally-b", &b, "--claim", "epsilon=5"]);
    assert_eq!((document["verdict"].as_str(), status), (Some("violation"), 1), "{document}");
    assert!(document["notes"].to_string().contains("quotes"), "{document}");
}
