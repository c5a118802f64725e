//! No format drops a record: what was written as n records is n samples.

use std::collections::BTreeMap;

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::{Folder, certus, json, refused};

/// A congruence, the same on every run.
fn bits(seed: u64, length: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 40
    };
    (0..length).map(|_| next()).collect()
}

/// Silent half of the time on one input, never on the other: no finite ε covers that, in any format.
#[test]
fn silence_is_an_output_in_every_format() {
    let folder = Folder::new();
    let answers = |seed: u64, silent: bool| -> Vec<Option<u64>> {
        bits(seed, 20_000).into_iter().map(|word| (!silent || word & 1 == 0).then_some(word >> 1 & 7)).collect()
    };
    let (a, b) = (answers(1, true), answers(2, false));
    let rows = |answers: &[Option<u64>], silence: &str| -> String {
        answers.iter().map(|one| one.map_or_else(|| silence.to_owned(), |value| value.to_string()) + "\n").collect()
    };
    for (name, heading, silence) in
        [("x.csv", "answer\n", ""), ("y.csv", "answer\n", "\"\""), ("x.txt", "", ""), ("x.jsonl", "", "null")]
    {
        let a = folder.file(&format!("a{name}"), format!("{heading}{}", rows(&a, silence)));
        let b = folder.file(&format!("b{name}"), format!("{heading}{}", rows(&b, silence)));
        let (document, status) = json(&["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=3"]);
        assert_eq!((document["samples_a"].as_u64(), document["samples_b"].as_u64()), (Some(20_000), Some(20_000)));
        assert_eq!((document["verdict"].as_str(), status), (Some("violation"), 1), "{name}: {document}");
    }
}

/// The values of a tally file with their counts, read by nothing of ours.
fn counts(tally: &str) -> BTreeMap<String, u64> {
    let lines = tally.split('\n').skip_while(|line| !line.starts_with("values ")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("end "));
    lines.map(|line| line.split_once(' ').map(|(n, text)| (text.to_owned(), n.parse().unwrap())).unwrap()).collect()
}

/// The tally of a file, as its values.
fn tallied(file: &str, more: &[&str]) -> BTreeMap<String, u64> {
    let output = certus(&[&["tally", file], more].concat());
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    counts(&String::from_utf8(output.stdout).unwrap())
}

fn counted<'a>(texts: impl Iterator<Item = &'a String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text.clone()).or_insert(0) += 1);
    counts
}

/// A field of CSV by RFC 4180; quoted where it must be, or asked to be.
fn field(text: &str, quoted: bool) -> String {
    let must = text.contains([',', '"', '\r', '\n']);
    if must || quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// What is written as n records gives n samples, and these: text, CSV of one column and of several, NDJSON,
/// raw words, and a tally of a tally's file. The writers are these few lines, and share nothing with the
/// readers.
#[test]
fn n_records_are_n_samples_in_every_format() {
    let folder = Folder::new();
    // Empty ones, blanks, quotes, commas, carriage returns, numbers, words.
    let text = prop_oneof![
        3 => Just(String::new()),
        2 => "[ \"',ar\r;-]{0,5}",
        1 => "-?[0-9]{1,20}",
        1 => "[a-zé\u{feff}]{1,9}",
    ];
    let record = (text, any::<bool>(), any::<i64>());
    let shape = (any::<bool>(), any::<bool>(), any::<bool>());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[23; 32]);
    let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::with_cases(48) }, rng);
    let strategy = (proptest::collection::vec(record, 0..40), shape);
    let result = runner.run(&strategy, |(records, (crlf, bom, ends))| {
        let texts: Vec<String> = records.iter().map(|(text, ..)| text.clone()).collect();
        let expected = counted(texts.iter());
        let end = if crlf { "\r\n" } else { "\n" };
        let mark = if bom { "\u{feff}" } else { "" };
        let assembled = |name: &str, heading: &str, rows: Vec<String>, end: &str| {
            let mut content = format!("{mark}{heading}{}", rows.join(end));
            // The last line may lack its end, unless there is nothing on it.
            if !rows.is_empty() && (ends || rows.last().is_some_and(String::is_empty)) {
                content.push_str(end);
            }
            folder.file(name, content)
        };

        // A line of text has its carriage return.
        let file = assembled("x.txt", "", texts.clone(), "\n");
        // A file that begins with U+FEFF is marked, so that an unmarked one must not begin so.
        if bom || !texts.first().is_some_and(|text| text.starts_with('\u{feff}')) {
            prop_assert_eq!(&tallied(&file, &["--format", "text"]), &expected);
        }

        let rows = records.iter().map(|(text, quoted, _)| field(text, *quoted)).collect();
        let file = assembled("one.csv", &format!("answer{end}"), rows, end);
        prop_assert_eq!(&tallied(&file, &[]), &expected);

        let rows = records.iter().map(|(text, quoted, word)| {
            let other = field(if *quoted { "two\nlines, \"quoted\"" } else { "" }, false);
            format!("{other},{},{word}", field(text, *quoted))
        });
        let file = assembled("many.csv", &format!("id,\"answer\",n{end}"), rows.collect(), end);
        prop_assert_eq!(&tallied(&file, &["--column", "answer"]), &expected);

        let rows = records.iter().map(|(text, quoted, word)| {
            let value = if *quoted { word.to_string() } else { serde_json::to_string(text).unwrap() };
            format!("{{\"id\": [1, null], \"answer\": {value}}}")
        });
        let file = assembled("x.jsonl", "", rows.collect(), end);
        let samples: u64 = tallied(&file, &["--column", "answer"]).values().sum();
        prop_assert_eq!(samples, records.len() as u64);

        let words: Vec<String> = records.iter().map(|(.., word)| word.to_string()).collect();
        let raw: Vec<u8> = records.iter().flat_map(|(.., word)| word.to_le_bytes()).collect();
        prop_assert_eq!(tallied(&folder.file("x.i64", &raw), &[]), counted(words.iter()));
        let samples: u64 = tallied(&folder.file("x.f64", &raw), &[]).values().sum();
        prop_assert_eq!(samples, records.len() as u64);
        Ok(())
    });
    result.unwrap();
}

/// Commands and tallies: every line is a sample, the empty ones too.
#[test]
fn n_lines_of_commands_and_tallies_are_n_samples() {
    let folder = Folder::new();
    let side = |name: &str, seed: u64| {
        let lines =
            bits(seed, 997).into_iter().map(|word| if word % 3 == 0 { String::new() } else { word.to_string() });
        let lines: String = lines.map(|line| line + "\n").collect();
        folder.file(name, lines.strip_suffix('\n').filter(|rest| !rest.ends_with('\n')).unwrap_or(&lines))
    };
    let (a, b) = (side("a", 3), side("b", 4));
    let claim = ["--claim", "epsilon=1"];
    let (document, _) = json(&[&["audit", "--samples-a", &a, "--samples-b", &b], &claim[..]].concat());
    assert_eq!((document["samples_a"].as_u64(), document["samples_b"].as_u64()), (Some(997), Some(997)));
    let (on_a, on_b) = (format!("cat {a}"), format!("cat {b}"));
    let commands = ["audit", "--a", &on_a, "--b", &on_b, "--samples", "997", "--shards", "1"];
    let (document, _) = json(&[&commands[..], &claim].concat());
    assert_eq!((document["samples_a"].as_u64(), document["samples_b"].as_u64()), (Some(997), Some(997)));
    let [a, b] = [a, b].map(|file| {
        let to = format!("{file}.tally");
        assert_eq!(json(&["tally", &file, "--output", &to]).0["samples"], 997);
        to
    });
    let (document, _) = json(&[&["audit", "--tally-a", &a, "--tally-b", &b], &claim[..]].concat());
    assert_eq!((document["samples_a"].as_u64(), document["samples_b"].as_u64()), (Some(997), Some(997)));
}

/// What a CSV file may look like, and what is refused with its line; nothing is skipped.
#[test]
fn the_rows_of_csv() {
    let folder = Folder::new();
    let count = |content: &str, column: &str| {
        let file = folder.file("x.csv", content);
        let more: &[&str] = if column.is_empty() { &[] } else { &["--column", column] };
        let mut found: Vec<String> = Vec::new();
        for (text, count) in tallied(&file, more) {
            (0..count).for_each(|_| found.push(text.clone()));
        }
        found
    };
    for (content, column, expected) in [
        ("x\n1\n2\n", "", &["1", "2"][..]),
        ("x\n1\n2", "", &["1", "2"]),
        ("x\n\n1\n\n", "", &["", "", "1"]),
        ("x\r\n\r\n1\r\n\r\n", "", &["", "", "1"]),
        ("x\n1\n\"\"", "", &["", "1"]),
        ("\u{feff}x\n1\n", "", &["1"]),
        ("\u{feff}\"x\"\n1\n", "x", &["1"]),
        ("x\n", "", &[]),
        ("x", "", &[]),
        ("x,y\n\"a\nb\",1\n,\n", "y", &["", "1"]),
        ("x,y\n1,\n", "y", &[""]),
        ("x\n\"a,\"\"b\"\n", "", &["a,\"b"]),
        ("x\na\"b\n", "", &["a\"b"]),
        ("x\n \"a\"\n", "", &[" \"a\""]),
    ] {
        assert_eq!(count(content, column), expected, "{content:?}");
    }
    for (content, named) in [
        ("", &["heading"][..]),
        ("\nx\n1\n", &["heading"]),
        ("x,y\n1,2\n\n3,4\n", &["line 3", "2 columns"]),
        ("x,y\n1\n", &["line 2", "2 columns"]),
        ("x,y\n1,2,3\n", &["line 2", "2 columns"]),
        ("y\n1,2\n", &["line 2", "1 column"]),
        ("y,y\n1,2\n", &["--column", "2 columns"]),
        ("y\n\"1\n2\n", &["line 2", "quote"]),
        ("y\n\"1\"2\n", &["line 2", "quote"]),
        ("y\n1\r2\n", &["line 2", "carriage return"]),
        ("x,y\n\"a\nb\",1\n\n", &["line 4", "2 columns"]),
    ] {
        let file = folder.file("x.csv", content);
        refused(&["tally", &file, "--column", "y"], 2, named);
    }
}

/// A blank line of NDJSON is no JSON value: it is refused, and not passed over.
#[test]
fn a_blank_line_of_ndjson_is_refused() {
    let folder = Folder::new();
    for content in ["1\n\n2\n", "1\n  \n2\n", "1\n\n"] {
        refused(&["tally", &folder.file("x.jsonl", content)], 2, &["FILE", "line 2", "JSON"]);
    }
}

/// A side with fewer samples is said: in the document, on the terminal, on the page, and in JUnit.
#[test]
fn fewer_samples_on_a_side_are_said() {
    let folder = Folder::new();
    let lines = |seed: u64, length: usize| {
        bits(seed, length).into_iter().map(|word| format!("{}\n", word % 5)).collect::<String>()
    };
    let (a, b) = (folder.file("a", lines(1, 3000)), folder.file("b", lines(2, 1999)));
    let arguments = ["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1"];
    let (document, status) = json(&arguments);
    let notes: Vec<&str> = document["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    assert_eq!((notes.len(), status), (1, 0), "{document}");
    assert!(notes[0].contains("1999") && notes[0].contains("3000"), "{notes:?}");
    let (report, junit) = (folder.to("report.html"), folder.to("audit.xml"));
    let output = certus(&[&arguments[..], &["--report", &report, "--junit", &junit]].concat());
    assert!(String::from_utf8(output.stdout).unwrap().contains(notes[0]));
    for file in [report, junit] {
        assert!(std::fs::read_to_string(&file).unwrap().contains(notes[0]), "{file}");
    }
    // In a suite, beside the name of the target.
    let file = folder.file(
        "targets.toml",
        "[[target]]\nname = \"ours\"\nsamples_a = \"a\"\nsamples_b = \"b\"\nclaim = { epsilon = 1 }\n",
    );
    let text = String::from_utf8(certus(&["audit", &file]).stdout).unwrap();
    assert!(text.lines().any(|line| line.contains("ours") && line.contains(notes[0])), "{text}");
    // As many on both sides: nothing to say.
    let b = folder.file("b", lines(2, 3000));
    let (document, _) = json(&["audit", "--samples-a", &a, "--samples-b", &b, "--claim", "epsilon=1"]);
    assert_eq!(document["notes"], serde_json::json!([]));
}

/// One file with CRLF and one with LF differ in every line; that is said beside the verdict, of text files,
/// tallies and commands, and in a replay.
#[test]
fn line_ends_that_differ_are_said() {
    let folder = Folder::new();
    let file = |name: &str, seed: u64, end: &str| {
        let lines = bits(seed, 2000).into_iter().map(|word| format!("{}{end}", word % 5));
        folder.file(name, lines.collect::<String>())
    };
    let (a, b) = (file("a", 1, "\r\n"), file("b", 2, "\n"));
    let found = folder.to("found.json");
    let noted = |arguments: &[&str]| {
        let (document, _) = json(arguments);
        let notes = document["notes"].to_string();
        assert!(notes.contains("side a end in CRLF") && notes.contains("side b in LF"), "{document}");
    };
    let claim = ["--claim", "epsilon=1"];
    noted(&["audit", "--samples-a", &a, "--samples-b", &b, claim[0], claim[1], "--counterexample", &found]);
    let (fresh_a, fresh_b) = (file("fresh-a", 3, "\r\n"), file("fresh-b", 4, "\n"));
    noted(&["replay", &found, "--samples-a", &fresh_a, "--samples-b", &fresh_b]);
    let (on_a, on_b) = (format!("cat {a}"), format!("cat {b}"));
    noted(&["audit", "--a", &on_a, "--b", &on_b, "--samples", "2000", "--shards", "1", claim[0], claim[1]]);
    let [tally_a, tally_b] = [&a, &b].map(|file| {
        let to = format!("{file}.tally");
        assert_eq!(json(&["tally", file, "--output", &to]).1, 0);
        to
    });
    noted(&["audit", "--tally-a", &tally_a, "--tally-b", &tally_b, claim[0], claim[1]]);
    let text = String::from_utf8(certus(&["audit", "--samples-a", &a, "--samples-b", &b, claim[0], claim[1]]).stdout);
    assert!(text.unwrap().contains("CRLF"));
    // The same line ends on both sides: nothing to say.
    for end in ["\n", "\r\n"] {
        let (a, b) = (file("a", 1, end), file("b", 2, end));
        let (document, status) = json(&["audit", "--samples-a", &a, "--samples-b", &b, claim[0], claim[1]]);
        assert_eq!((&document["notes"], status), (&serde_json::json!([]), 0), "{document}");
    }
}
