//! `certus account` end to end: what it prints, where, and with which exit status.
//!
//! Every plan here is small enough for any method; what needs the fast ones is in `account_large.rs`.

use std::{fs, path::PathBuf, process::Output};

use certus::exact::parse;

use crate::support::{self, bounds};

fn certus(arguments: &[&str]) -> Output {
    support::certus(&[&["account"], arguments].concat())
}

fn stdout(arguments: &[&str]) -> String {
    let output = certus(arguments);
    assert!(output.stderr.is_empty(), "{arguments:?}");
    support::stdout(&[&["account"], arguments].concat())
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let document = support::json(&[&["account"], arguments].concat());
    assert!(document["seconds"].is_number());
    document
}

fn refused(arguments: &[&str], status: i32, named: &[&str]) {
    support::refused_within(&[&["account"], arguments].concat(), status, named, 1);
}

/// The document without what differs from run to run.
fn timeless(arguments: &[&str]) -> serde_json::Value {
    let mut document = json(arguments);
    document.as_object_mut().unwrap().remove("seconds");
    document
}

/// A folder of its own for each test, emptied first.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("account").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(test: &str, name: &str, text: &str) -> String {
    let path = folder(test).join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const RESPONSE: &str = "randomized_response(gamma=1/4)";

const NOTE: &str = "note      an upper bound: ";

/// Where the pairs only dominate, every answer says so, in words and in JSON; where they are attained, none
/// does.
#[test]
fn an_upper_bound_says_so() {
    // Dominated by a randomized response of ε = 1: δ(0) = tanh(1/2), where no two neighbours have as much.
    let exponential = "exponential(epsilon=1, candidates=3)";
    for (arguments, attained) in [
        (&[RESPONSE, "--epsilon", "1/2"][..], true),
        (&[RESPONSE, "laplace(scale=2)*3", "--delta", "1e-3"], true),
        (&[RESPONSE, "--profile", "--points", "3"], true),
        (&[exponential, "--epsilon", "1/2"], false),
        (&[exponential, "--delta", "1e-3"], false),
        (&[exponential, "laplace(scale=2)*3", "--delta", "1e-3"], false),
        (&[exponential, "--profile", "--points", "3"], false),
        // δ = 0 is below nothing.
        (&[exponential, "--epsilon", "1"], true),
        // A list of pairs: once, and twice.
        (&["rappor(k=3, h=2, f=1/2, p=1/4, q=1/3)", "--epsilon", "1/10"], true),
        (&["rappor(k=3, h=2, f=1/2, p=1/4, q=1/3)*2", "--epsilon", "1/10"], false),
        // What is taken as two steps: a count that a change moves by 1 at most.
        (&["count(scale=2)", "--relation", "change_one", "--epsilon", "1/2"], false),
    ] {
        let (document, text) = (json(arguments), stdout(arguments));
        assert_eq!(document["attained"], attained, "{arguments:?}");
        assert_eq!(text.lines().filter(|line| line.starts_with(NOTE)).count(), usize::from(!attained), "{text}");
        if let Some(rows) = document["profile"].as_array() {
            // The last is at ε = 1, where δ = 0.
            let each: Vec<_> = rows.iter().map(|row| row["attained"].as_bool().unwrap()).collect();
            assert_eq!(each, [attained, attained, true], "{arguments:?}");
        }
    }
    let test = "an_upper_bound_says_so";
    let plan = file(
        test,
        "plan.toml",
        "[[mechanism]]\nspec = 'laplace(scale=1)'\n[[mechanism]]\nspec = 'median(lower=0, upper=7, epsilon=1)'\n",
    );
    assert_eq!(json(&[&plan, "--epsilon", "1"])["attained"], false);
    let picture = folder(test).join("profile.svg").to_str().unwrap().to_owned();
    let (bound, own) =
        ([exponential, "--epsilon", "1", "--plot", &picture], [RESPONSE, "--epsilon", "1", "--plot", &picture]);
    for (arguments, says) in [(bound, true), (own, false)] {
        stdout(&arguments);
        assert_eq!(fs::read_to_string(&picture).unwrap().contains("an upper bound"), says, "{arguments:?}");
    }
    // The summary is of the pairs, too, whatever the answer.
    let summed = [exponential, "--epsilon", "1", "--points", "3", "--summary"];
    assert_eq!(json(&summed)["summary"]["attained"], false);
    assert_eq!(stdout(&summed).lines().last().map(|line| line.starts_with(NOTE)), Some(true));
    assert_eq!(json(&[RESPONSE, "--epsilon", "1", "--points", "3", "--summary"])["summary"]["attained"], true);
    // A pair is what it is asked about.
    let pair = file(test, "masses.csv", "1/2, 1/4\n1/2, 3/4\n");
    assert_eq!(json(&["--pair", &pair, "laplace(scale=1)", "--epsilon", "1/2"])["attained"], true);
    // That no ε will do is known of what is attained alone.
    refused(&["randomized_response(p=1)", "--delta", "1/2"], 2, &["--delta", "no epsilon suffices"]);
    let keys = "stability_histogram(scale=1, threshold=12)";
    refused(&[keys, "--delta", "1e-7"], 2, &["--delta", "no epsilon is known to suffice"]);
}

/// Randomized response with γ = 1/4: δ(0) = 1/2 and δ(ε) = max(0, 3/4 − e^ε/4), so δ(1/2) =
/// 0.3378196823249679632…
#[test]
fn delta_of_an_epsilon() {
    let document = json(&[RESPONSE, "--epsilon", "0.5"]);
    assert_eq!(document["epsilon"], "1/2");
    assert_eq!(document["plan"], serde_json::json!([RESPONSE]));
    assert_eq!((&document["narrow"], document["method"].is_string()), (&true.into(), true));
    let (lower, upper) = bounds(&document["delta"]);
    let truth = [parse("0.337819682324967963").unwrap(), parse("0.337819682324967964").unwrap()];
    assert!(lower <= truth[1] && truth[0] <= upper, "{document}");
    assert!(&upper - &lower <= parse("1e-15").unwrap() * &lower, "{document}");

    let text = stdout(&[RESPONSE, "--epsilon", "0.5"]);
    assert!(text.contains("[0.337819682324967963, 0.337819682324967964]"), "{text}");
    for word in ["plan", RESPONSE, "epsilon = 0.5", "width", "method", "false positives"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    // The exact curve, 3·0.01 and 3·0.001, rounded up: not e^0.5·0.01 + δ = 0.354306….
    assert!(text.contains("at most 3.001% true positives; with 0.1%, at most 0.3001%"), "{text}");
    // A sum over frequencies would take long for a curve: less is said, and it says so.
    let slow = stdout(&["subsampled_gaussian(sigma=2, rate=1/100)*100", "--delta", "1e-6", "--digits", "3"]);
    assert!(slow.contains("(from this epsilon and delta alone: --summary has the curve)"), "{slow}");
}

#[test]
fn a_delta_of_zero_prints_exactly_zero() {
    for epsilon in ["1.1", "2", "100"] {
        let document = json(&[RESPONSE, "--epsilon", epsilon]);
        assert_eq!(document["delta"], serde_json::json!({ "lower": "0", "upper": "0" }), "{epsilon}");
        assert_eq!(document["narrow"], true);
        assert!(stdout(&[RESPONSE, "--epsilon", epsilon]).contains("exactly 0\n"));
    }
}

#[test]
fn digits_narrow_the_answer() {
    for digits in ["1", "15", "60", "300"] {
        let document = json(&[RESPONSE, "--epsilon", "1/3", "--digits", digits]);
        let (lower, upper) = bounds(&document["delta"]);
        // The printed bounds may each be a unit of the third further digit out.
        let asked = parse(&format!("1.02e-{digits}")).unwrap();
        assert!(upper - &lower <= asked * lower, "{digits}: {document}");
        assert_eq!(document["digits"].to_string(), digits);
    }
    refused(&[RESPONSE, "--epsilon", "1", "--digits", "0"], 2, &["--digits", "from 1 to 1000"]);
    refused(&[RESPONSE, "--epsilon", "1", "--digits", "1001"], 2, &["--digits"]);
    refused(&[RESPONSE, "--epsilon", "1", "--digits", "-3"], 2, &["--digits"]);
}

#[test]
fn neither_order_nor_spelling_changes_anything() {
    let a = timeless(&["laplace(scale=1/2)", "randomized_response(p=0.75)*2", RESPONSE, "--epsilon", "1"]);
    let b = timeless(&[RESPONSE, "geometric(scale=0.5)", "randomized_response(p=3/4, k=2)*2", "--epsilon", "1e0"]);
    let c = timeless(&["randomized_response(p=3/4)*3", "laplace(scale=5e-1)", "--epsilon", "2/2"]);
    assert_eq!(a["delta"], b["delta"]);
    assert_eq!(a["delta"], c["delta"]);
    assert_eq!(a, timeless(&[RESPONSE, "randomized_response(p=0.75)*2", "laplace(scale=1/2)", "--epsilon", "1"]));
    assert_eq!(a["plan"], serde_json::json!(["laplace(scale=1/2)", "randomized_response(gamma=1/4)*3"]));
    // Copies are copies.
    let one_by_one = timeless(&[RESPONSE, RESPONSE, RESPONSE, "--epsilon", "1"]);
    assert_eq!(one_by_one, timeless(&["randomized_response(gamma=1/4)*3", "--epsilon", "1"]));
    assert_ne!(one_by_one["delta"], timeless(&["randomized_response(gamma=1/4)*2", "--epsilon", "1"])["delta"]);
}

#[test]
fn profiles() {
    let document = json(&["randomized_response(gamma=1/4)*3", "--profile"]);
    let rows = document["profile"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["epsilon"], &rows[20]["epsilon"]), (21, &"0".into(), &"5".into()));
    // δ(0) = 11/16: the total variation between Binomial(3, 3/4) and Binomial(3, 1/4).
    let (lower, upper) = bounds(&rows[0]["delta"]);
    assert!(lower <= parse("11/16").unwrap() && parse("11/16").unwrap() <= upper);
    // It falls, and a single question gets the same answer.
    for pair in rows.windows(2) {
        assert!(bounds(&pair[1]["delta"]).0 <= bounds(&pair[0]["delta"]).1);
    }
    let single = json(&["randomized_response(gamma=1/4)*3", "--epsilon", rows[7]["epsilon"].as_str().unwrap()]);
    assert_eq!(single["delta"], rows[7]["delta"]);
    assert_eq!(document["narrow"], true);
    // So does a plan without a question.
    assert_eq!(json(&["randomized_response(gamma=1/4)*3"])["profile"], document["profile"]);

    let short = json(&[RESPONSE, "--profile", "--points", "3", "--to", "1"]);
    let epsilons: Vec<_> = short["profile"].as_array().unwrap().iter().map(|row| row["epsilon"].clone()).collect();
    assert_eq!(epsilons, ["0", "1/2", "1"]);
    let text = stdout(&[RESPONSE, "--profile", "--points", "3", "--to", "2"]);
    assert!(
        text.contains("  epsilon  delta\n        0  exactly 0.5\n        1  [0.0704")
            && text.contains("        2  exactly 0\n"),
        "{text}"
    );
    refused(&[RESPONSE, "--points", "1"], 2, &["--points", "from 2 to 1000"]);
    refused(&[RESPONSE, "--to", "-1"], 2, &["--to"]);
    refused(&[RESPONSE, "--to", "0"], 2, &["--to", "above 0"]);
}

#[test]
fn a_plan_file_is_its_specs() {
    let plan = file(
        "plan",
        "plan.toml",
        "[[mechanism]]\nspec = \"randomized_response(gamma=1/4)\"\ncopies = 2\n\n[[mechanism]]\nspec = \"laplace(scale=0.5)\"\n",
    );
    let specs = ["laplace(scale=0.5)", "randomized_response(gamma=1/4)*2"];
    assert_eq!(timeless(&[&plan, "--epsilon", "1"]), timeless(&[specs[0], specs[1], "--epsilon", "1"]));
    // Beside specs, it adds to them.
    let sum = timeless(&["randomized_response(gamma=1/4)*3", specs[0], "--epsilon", "1"]);
    assert_eq!(timeless(&[RESPONSE, &plan, "--epsilon", "1"]), sum);
}

#[test]
fn pairs_of_distributions_from_files() {
    // Randomized response, spelt out; every spelling of it is the same pair.
    let truth = timeless(&[RESPONSE, "--epsilon", "1/2"])["delta"].clone();
    let folder = folder("pairs");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let csv = write("masses.csv", "p,q\n3/4,1/4\n0.25,0.75\n");
    let spaces = write("masses.txt", "# a comment\n0.25 0.75\n7.5e-1\t1/4\n");
    for path in [&csv, &spaces] {
        let document = timeless(&["--pair", path, "--epsilon", "1/2"]);
        assert_eq!(document["delta"], truth);
        assert_eq!(document["plan"], serde_json::json!(["pair(p=[1/4, 3/4], q=[3/4, 1/4])"]));
    }
    let thrice = timeless(&["randomized_response(gamma=1/4)*3", "--epsilon", "1/2"])["delta"].clone();
    assert_eq!(timeless(&["--pair", &format!("{csv}*3"), "--epsilon", "1/2"])["delta"], thrice);
    assert_eq!(timeless(&["--pair", &csv, "--pair", &format!("{spaces}*2"), "--epsilon", "1/2"])["delta"], thrice);
    // In a plan, written out, and by file, relative to the plan.
    let plan = write(
        "plan.toml",
        "[[mechanism]]\np = [\"3/4\", 0.25]\nq = [\"1/4\", 0.75]\n\n[[mechanism]]\npair = \"masses.csv\"\ncopies = 2\n",
    );
    assert_eq!(timeless(&[&plan, "--epsilon", "1/2"])["delta"], thrice);
    // Not symmetric: the worse direction counts. P = (1/2, 1/2), Q = (1/10, 9/10): at ε = ln 2 or so, 1/2 −
    // 2/10 from P, 9/10 − 1 from Q.
    let skew = write("skew.csv", "0.5,0.1\n0.5,0.9\n");
    let weks = write("weks.csv", "0.1,0.5\n0.9,0.5\n");
    // Two pairs that are each other's reverse: their first columns are one input, unless neighbours have no
    // order.
    let both = ["--pair", &skew, "--pair", &weks, "--epsilon", "0"];
    let (ordered, either) = (json(&both), json(&[&both[..], &["--relation", "change_one"]].concat()));
    assert_eq!((&ordered["ordered"], &either["ordered"]), (&true.into(), &false.into()));
    assert!(either["delta"]["lower"].as_str() > ordered["delta"]["upper"].as_str(), "{ordered} {either}");
    let (one, other) = (json(&["--pair", &skew, "--epsilon", "0.7"]), json(&["--pair", &weks, "--epsilon", "0.7"]));
    assert_eq!(one["delta"], other["delta"]);
    assert!(bounds(&one["delta"]).0 > parse("0.298").unwrap(), "{one}");

    for (text, named) in [
        ("1/2,1/2\n1/2,1/3\n", "q: must add up to exactly 1, not 5/6"),
        ("0.3,1\n0.3,0\n0.3,0\n", "p: must add up to exactly 1, not 9/10"),
        ("1/2,1/2\n1/2\n", "line 2: must be two numbers"),
        ("0x1,1\n", "line 1: must be two numbers"),
        ("-1,1/2\n2,1/2\n", "p: must be probabilities"),
        ("", "outcomes"),
        ("p,q\n", "outcomes"),
    ] {
        let bad = write("bad.csv", text);
        refused(&["--pair", &bad, "--epsilon", "1"], 2, &["bad.csv", named]);
    }
    refused(&["--pair", &format!("{csv}*0"), "--epsilon", "1"], 2, &["--pair", "from 1 to 1000000000"]);
    refused(&["--pair", &format!("{csv}*1e12"), "--epsilon", "1"], 2, &["--pair"]);
    refused(&["--pair", "/nonexistent/masses.csv", "--epsilon", "1"], 2, &["/nonexistent/masses.csv"]);
}

#[test]
fn bad_plans_are_refused() {
    for (name, text, named) in [
        ("a.toml", "[[mechanism]]\nspec = \"laplace(scale=1)\"\ncopise = 3\n", "copise"),
        ("b.toml", "[[mechanism]]\nspec = \"laplace(scale=1)\"\ncopies = 0\n", "copies"),
        ("c.toml", "[[mechanism]]\nspec = \"laplace(scale=1)\"\ncopies = 1000000000000\n", "copies"),
        ("d.toml", "[[mechanism]]\np = [0.5, 0.5]\nq = [0.5, 0.4]\n", "q: must add up to exactly 1, not 9/10"),
        ("e.toml", "spec = \"laplace(scale=1)\"\n", "\"spec\": unknown key; accepted: [[mechanism]]"),
        ("f.toml", "[[mechanism\n", "line 1: not TOML"),
        ("g.toml", "", "[[mechanism]]"),
    ] {
        let path = file(&format!("bad-{name}"), name, text);
        refused(&[&path, "--epsilon", "1"], 2, &[name, named]);
    }
    refused(&["/nonexistent/plan.toml", "--epsilon", "1"], 2, &["/nonexistent/plan.toml"]);
    let folder = folder("folder.toml");
    refused(&[folder.to_str().unwrap(), "--epsilon", "1"], 2, &["folder.toml"]);
    fs::write(folder.join("latin.toml"), b"\xff\xfe").unwrap();
    refused(&[folder.join("latin.toml").to_str().unwrap(), "--epsilon", "1"], 2, &["latin.toml", "UTF-8"]);
}

#[test]
fn bad_questions_are_refused() {
    for epsilon in ["-1", "-1e-9", "abc", "NaN", "inf", "1e999999999", ""] {
        refused(&[RESPONSE, "--epsilon", epsilon], 2, &["--epsilon"]);
    }
    for delta in ["1", "1.5", "-1e-9", "abc", "", "2e999999999"] {
        refused(&[RESPONSE, "--delta", delta], 2, &["--delta", "at least 0 and below 1"]);
    }
    refused(&[RESPONSE, "--epsilon", "1", "--delta", "0"], 2, &["--epsilon", "--delta"]);
    refused(&[RESPONSE, "--epsilon", "1", "--profile"], 2, &["--epsilon", "--profile"]);
    refused(&["--epsilon", "1"], 2, &["SPEC", "must be given"]);
    refused(&[], 2, &["SPEC"]);
    for (spec, named) in [
        ("laplace(scale=1)*0", "copies"),
        ("laplace(scale=1)*-1", "copies"),
        ("laplace(scale=1)*1e12", "copies"),
        ("laplace(scale=1)*1/2", "copies"),
        ("laplace(scale=0)", "scale"),
        ("cauchy(scale=1)", "cauchy"),
        ("", "SPEC"),
    ] {
        refused(&[spec, "--epsilon", "1"], 2, &["SPEC", named]);
        refused(&[RESPONSE, spec, "--delta", "0"], 2, &["SPEC", named]);
    }
    for (name, text) in [("--epsilon", "1e999999999"), ("--delta", "1e-999999999"), ("--to", "1e1001")] {
        refused(&[RESPONSE, name, text], 2, &[name, text, "exponent from -1000 to 1000"]);
    }
    for pair in ["", "*3"] {
        refused(&["--pair", pair, "--epsilon", "1"], 2, &["--pair: must name a file", &format!("\"{pair}\"")]);
    }
    let misspelt = "subsampled_gaussian(sigma=1, rate=1/2, rte=1)";
    refused(&[misspelt, "--epsilon", "1"], 2, &["subsampled_gaussian: rte", "sigma, sigma2, sensitivity, rate"]);
    // Points are of a profile: asked for one number alone, they would be ignored.
    for (name, value) in [("--points", "5"), ("--to", "5")] {
        refused(&[RESPONSE, "--epsilon", "1", name, value], 2, &[name, "must not be given"]);
        refused(&[RESPONSE, "--delta", "1e-6", name, value], 2, &[name, "must not be given"]);
        stdout(&[RESPONSE, "--epsilon", "1", name, value, "--summary"]);
    }
    let output = support::command().args(["--seed", "1", "account", RESPONSE]).output();
    assert_eq!(output.unwrap().status.code(), Some(2));
    refused(&[RESPONSE, "--epsilon", "1", "--seed", "xyz"], 2, &["--seed"]);
    refused(&[RESPONSE, "--epsilon", "1", "--seed", "c0ffee"], 2, &["--seed", "draws nothing"]);
}

/// Attribute `key` of an element, as a number.
fn attribute(node: &roxmltree::Node<'_, '_>, key: &str) -> f64 {
    node.attribute(key).unwrap().parse().unwrap()
}

#[test]
fn a_plot_is_well_formed_and_shows_the_profile() {
    let folder = folder("plot");
    let path = folder.join("profile.svg");
    let name = path.to_str().unwrap();
    let plain = timeless(&["randomized_response(gamma=1/4)*3", "--profile"]);
    assert_eq!(timeless(&["randomized_response(gamma=1/4)*3", "--profile", "--plot", name]), plain);
    let text = fs::read_to_string(&path).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.tag_name().namespace()), ("svg", Some("http://www.w3.org/2000/svg")));
    let all = |tag: &str| {
        document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", tag))).collect::<Vec<_>>()
    };
    // A point for every row, further right and no higher than the last; all in the picture.
    let circles: Vec<_> = all("circle").iter().map(|node| (attribute(node, "cx"), attribute(node, "cy"))).collect();
    assert_eq!(circles.len(), 21);
    assert!(circles.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1), "{circles:?}");
    let (wide, high) = (attribute(&root, "width"), attribute(&root, "height"));
    let band = all("polygon")[0].attribute("points").unwrap().to_owned();
    let corners: Vec<(f64, f64)> = band
        .split(' ')
        .map(|corner| corner.split_once(',').unwrap())
        .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
        .collect();
    // And more where the curve bends: its δ ends at 3·ln 3.
    let half = corners.len() / 2;
    assert!(corners.len().is_multiple_of(2) && half > 21 + 5, "{half}");
    assert!(corners.iter().chain(&circles).all(|(x, y)| (0.0..wide).contains(x) && (0.0..high).contains(y)));
    // The upper side is on the points, the lower side below (further down) or on it.
    for (upper, lower) in corners[..half].iter().zip(corners[half..].iter().rev()) {
        assert!(upper.0 == lower.0 && upper.1 <= lower.1 && lower.1 - upper.1 < 0.1, "{upper:?} {lower:?}");
    }
    // δ(0) = 11/16 and δ(13/4) = 0.0189…: the vertical distance is that of their logarithms.
    let labels: Vec<_> = all("text")
        .iter()
        .map(|node| node.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect::<String>())
        .collect();
    assert!(labels.contains(&"ε".into()) && labels.contains(&"δ(ε)".into()), "{labels:?}");
    assert!(labels.iter().any(|label| label == "randomized_response(gamma=1/4)*3"), "{labels:?}");
    assert!(text.contains("prefers-color-scheme:dark"));
    assert!(circles[14..].iter().all(|(_, y)| *y == 420.0) && labels.contains(&"0".into()), "{circles:?}");
    // Two decades, and one for what is 0.
    let decade = (420.0 - 64.0) / 3.0;
    let expected = decade * (0.6875_f64 / 0.018_900_938_793_858_4).log10();
    let found = circles[13].1 - circles[0].1;
    assert!((found - expected).abs() < 0.05, "{found} for {expected}");

    // It replaces, follows a link, and comes with a single question too; nothing else is left in the folder.
    fs::write(&path, "before").unwrap();
    stdout(&[RESPONSE, "--epsilon", "1", "--plot", name]);
    assert!(roxmltree::Document::parse(&fs::read_to_string(&path).unwrap()).is_ok());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_plot_that_cannot_be_written_fails_at_once_and_leaves_nothing() {
    let folder = folder("unwritable");
    let missing = folder.join("no/such/folder.svg");
    refused(&[RESPONSE, "--profile", "--plot", missing.to_str().unwrap()], 3, &["--plot", "folder.svg"]);
    refused(&[RESPONSE, "--profile", "--plot", folder.to_str().unwrap()], 2, &["--plot"]);
    refused(&[RESPONSE, "--profile", "--plot", ""], 2, &["--plot", "must name a file"]);
    // A question that is refused writes no picture, and leaves one that is there.
    let kept = folder.join("kept.svg");
    fs::write(&kept, "before").unwrap();
    refused(&[RESPONSE, "--epsilon", "-1", "--plot", kept.to_str().unwrap()], 2, &["--epsilon"]);
    assert_eq!(fs::read_to_string(&kept).unwrap(), "before");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

/// Three responses with γ = 1/4: ρ = 3·ln 3/2, D_2 = 3·ln(7/3), and the profile's two readings.
#[test]
fn summaries() {
    let plan = "randomized_response(gamma=1/4)*3";
    let document = json(&[plan, "--epsilon", "0.5", "--summary"]);
    let summary = &document["summary"];
    let contains = |value: &serde_json::Value, truth: &str, slack: &str| {
        let ((lower, upper), truth, slack) = (bounds(value), parse(truth).unwrap(), parse(slack).unwrap());
        assert!(lower <= &truth + &slack && &truth - &slack <= upper, "{value} for {truth}");
    };
    contains(&summary["zcdp"]["rho"], "1.64791843300216454", "1e-17");
    let orders = summary["renyi"].as_array().unwrap();
    assert_eq!(orders[1]["order"], "2");
    contains(&orders[1]["divergence"], "2.54189358116161084", "1e-17");
    // By ρ alone, δ would be known to be at most 0.97 or so, where it is 0.586….
    let bound = parse(summary["zcdp"]["delta_upper"].as_str().unwrap()).unwrap();
    assert!(bound >= bounds(&document["delta"]).1 && bound <= parse("1").unwrap(), "{bound}");
    // The best test: all three answers "yes" has the rates 1/64 and 27/64; half of the next outcomes, and so
    // on.
    let rates = summary["trade_off"].as_array().unwrap();
    assert_eq!(rates[1]["false_positives"], "1/100");
    // 1/100 of the 1/64: 27/64 · 64/100 found, 73/100 missed.
    contains(&rates[1]["false_negatives"], "0.73", "0");
    for rate in rates {
        let (lower, upper) = bounds(&rate["false_negatives"]);
        assert!(upper - lower <= parse("1e-8").unwrap(), "{rate}");
    }
    let gaussian = &summary["gaussian_dp"];
    assert_eq!((&gaussian["everywhere"], &gaussian["epsilon_up_to"]), (&true.into(), &"5".into()));
    // At ε = 0, δ = 11/16: μ ≥ 2Φ⁻¹(27/32) = 2.01998….
    let (lower, upper) = bounds(&gaussian["mu"]);
    assert!(lower > parse("2.019").unwrap() && upper < parse("3").unwrap(), "{gaussian}");

    let text = stdout(&[plan, "--profile", "--points", "5", "--summary"]);
    for word in
        ["zCDP      rho = [1.6479184330021", "Renyi     order 1.5", "trade-off at 0.1%", "Gaussian  mu = [2.", "method"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    // Sampling does not lower the ρ of Gaussian noise; its divergences are known at integer orders.
    let sampled = json(&["subsampled_gaussian(sigma=2, rate=1/10)", "--epsilon", "1", "--points", "2", "--summary"]);
    contains(&sampled["summary"]["zcdp"]["rho"], "1/8", "0");
    assert_eq!(sampled["summary"]["renyi"][0]["divergence"], serde_json::Value::Null);
    // ln(1 + (e^(1/4) − 1)/100).
    contains(&sampled["summary"]["renyi"][1]["divergence"], "0.00283622826626", "1e-12");
    // No noise, no summary.
    let nothing = json(&["randomized_response(p=1)", "--summary", "--points", "3"]);
    assert_eq!(nothing["summary"]["zcdp"]["rho"], serde_json::Value::Null);
    assert_eq!(nothing["summary"]["gaussian_dp"], serde_json::Value::Null);
    assert!(stdout(&["randomized_response(p=1)", "--summary", "--points", "3"]).contains("rho = none known"));
}

#[test]
fn help_manual_and_completions_know_it() {
    let help = stdout(&["--help"]);
    for word in ["--epsilon", "--delta", "--profile", "--plot", "--pair", "--digits", "[[mechanism]]", "Examples:"] {
        assert!(help.contains(word), "{word}");
    }
    assert!(!help.contains("--seed"), "an account draws nothing: {help}");
    assert!(help.contains("--json") && help.contains("--quiet") && help.contains("[default: 21]"));
    let whole = |arguments: &[&str]| {
        let output = support::command().args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(whole(&["--help"]).contains("account"));
    assert!(whole(&["man"]).contains("account"));
    assert!(whole(&["completions", "bash"]).contains("account"));
}
