//! `certus canaries` and `certus audit --canaries`.

use std::fs;

use super::{Folder, certus, json, refused, scattered};

/// A fair coin for each canary.
fn coin(canary: u64) -> bool {
    scattered(canary) % 2 == 1
}

/// A file of canaries whose score is the coin itself in a share of cases, and otherwise tells nothing.
fn table(count: u64, known_of_ten: u64) -> String {
    let row = |canary: u64| {
        let (noise, is_in) = (scattered(canary + 1_000_000) % 1_000_000, coin(canary));
        let knows = scattered(canary + 2_000_000) % 10 < known_of_ten;
        let score = match (knows, is_in) {
            (true, true) => 2_000_000 + noise,
            (true, false) => noise,
            (false, _) => 1_000_000 + noise,
        };
        format!("{score}e-6,{}\n", u8::from(is_in))
    };
    format!("score,in\n{}", (0..count).map(row).collect::<String>())
}

const CLAIM: [&str; 4] = ["--claim", "epsilon=1,delta=1e-5", "--confidence", "0.95"];

fn audit<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["audit", "--canaries", file], more].concat()
}

#[test]
fn a_model_that_remembers_is_refuted() {
    let folder = Folder::new();
    let file = folder.file("scores.csv", table(1000, 5));
    let (document, status) = json(&audit(&file, &CLAIM));
    assert_eq!((status, document["verdict"].as_str()), (1, Some("violation")), "{document}");
    assert_eq!((document["kind"].as_str(), document["canaries"].as_u64()), (Some("canaries"), Some(1000)));
    assert_eq!(document["guesses"][0]["guesses"], 94, "three times the root: {document}");
    let found: f64 = document["epsilon_lower"].as_str().unwrap().parse().unwrap();
    assert!(found > 2.0 && found < 5.0, "{found}");
    assert_eq!(document["family"], "(epsilon, delta) with delta = 1/100000 and epsilon varied");
    assert_eq!(document["conditions"].as_array().unwrap().len(), 4);
    assert_eq!(document["rates"].as_array().unwrap().len(), 3);
    // All that a document of an audit has.
    for key in ["delta_lower", "delta_estimate", "delta_upper", "min_detectable_delta", "event", "samples_a", "seconds"]
    {
        assert!(document.get(key).is_some(), "{key}");
    }
    let (steinke, _) = json(&audit(&file, &[&CLAIM[..], &["--method", "steinke", "--guesses", "50,100"]].concat()));
    assert_eq!(
        (steinke["verdict"].as_str(), steinke["guesses"][1]["guesses"].as_u64()),
        (Some("violation"), Some(100))
    );
    let text = String::from_utf8(certus(&audit(&file, &CLAIM)).stdout).unwrap();
    assert!(text.contains("violation: the claim is false") && text.contains("You assert:"), "{text}");
    assert_eq!(certus(&audit(&file, &[&CLAIM[..], &["--expect", "violation"]].concat())).status.code(), Some(0));
}

/// What tells nothing, and what tells the wrong thing, is no alarm, and no evidence of privacy.
#[test]
fn no_alarm_is_said_to_be_none() {
    let folder = Folder::new();
    let nothing = folder.file("nothing.csv", table(1000, 0));
    let all = table(1000, 10);
    let inverse = all.lines().skip(1).map(|line| {
        let (score, coin) = line.split_once(',').unwrap();
        format!("{score},{}\n", if coin == "1" { 0 } else { 1 })
    });
    let inverse = folder.file("inverse.csv", format!("score,in\n{}", inverse.collect::<String>()));
    for file in [&nothing, &inverse] {
        let (document, status) = json(&audit(file, &CLAIM));
        assert_eq!((status, document["verdict"].as_str()), (0, Some("inconclusive")), "{document}");
        assert!(document["note"].as_str().unwrap().starts_with("no alarm is not evidence of privacy"));
        assert_eq!(document["epsilon_lower"], "0");
    }
    assert_eq!(certus(&audit(&nothing, &[&CLAIM[..], &["--strict"]].concat())).status.code(), Some(1));
}

#[test]
fn a_plan_and_whether_the_run_was_it() {
    let folder = Folder::new();
    let file = folder.file("scores.csv", table(500, 5));
    let plan = ["--plan", "gaussian(sigma=2)", "--delta", "1e-5", "--confidence", "0.95"];
    let (document, status) = json(&audit(&file, &[&plan[..], &["--independent"]].concat()));
    assert_eq!((status, document["claim_verdict"].as_str()), (1, Some("violation")), "{document}");
    assert_eq!(document["plan_verdict"]["verdict"], "not_the_plan");
    assert_eq!(document["plan_verdict"]["conditions"].as_array().unwrap().len(), 3);
    assert!(document["refuted"].as_str().unwrap().starts_with("gaussian(sigma="), "{document}");
    let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let (found, accounted) = (number(&document["epsilon_lower"]), number(&document["epsilon_accounted"]));
    assert!(found > accounted && accounted > 2.0 && accounted < 2.3, "{document}");
}

#[test]
fn coins_are_drawn_and_committed_to() {
    let folder = Folder::new();
    let (coins, commitment) = (folder.to("coins.csv"), folder.to("commitment.json"));
    let draw = ["canaries", "--draw", "400", "--coins", &coins, "--commit", &commitment];
    let declared = ["--claim", "epsilon=1,delta=1e-5", "--guesses", "60", "--confidence", "0.95"];
    let output = certus(&[&draw[..], &declared].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&coins).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let drawn = fs::read_to_string(&coins).unwrap();
    let drawn: Vec<&str> = drawn.lines().skip(1).collect();
    let ones = drawn.iter().filter(|line| line.split(',').nth(1) == Some("1")).count();
    // Eight standard errors.
    assert!(drawn.len() == 400 && (120..=280).contains(&ones), "{ones}");
    assert!(!fs::read_to_string(&commitment).unwrap().contains(drawn[0].split(',').nth(2).unwrap()));
    refused(&draw, 2, &["--coins", "never replaced"]);
    // A model that remembers: the scores are the coins, in another order.
    let scores = drawn.iter().rev().map(|line| {
        let mut fields = line.split(',');
        format!("{},{}\n", fields.next().unwrap(), fields.next().unwrap())
    });
    let scores = folder.file("scores.csv", format!("canary,score\n{}", scores.collect::<String>()));
    let opened = ["--coins", &coins, "--commitment", &commitment];
    let (document, status) = json(&audit(&scores, &opened));
    assert_eq!((status, document["verdict"].as_str()), (1, Some("violation")), "{document}");
    assert_eq!((document["guesses"][0]["guesses"].as_u64(), document["confidence"].as_str()), (Some(60), Some("0.95")));
    assert!(document["commitment"].is_string());
    for (more, named) in [
        (["--guesses", "61"], "--guesses: must be what was committed to before the scores were seen, [60], not [61]"),
        (["--claim", "epsilon=2"], "--claim: must be what was committed to"),
        (["--confidence", "0.9"], "--confidence: must be what was committed to"),
        (["--method", "steinke"], "--method: must be what was committed to"),
    ] {
        refused(&audit(&scores, &[&opened[..], &more].concat()), 2, &[named]);
    }
    let flipped = fs::read_to_string(&coins).unwrap();
    let flipped = if flipped.contains("\n7,1,") {
        flipped.replace("\n7,1,", "\n7,0,")
    } else {
        flipped.replace("\n7,0,", "\n7,1,")
    };
    let flipped = folder.file("flipped.csv", flipped);
    refused(
        &audit(&scores, &["--coins", &flipped, "--commitment", &commitment]),
        2,
        &["--commitment: must be the commitment to these coins"],
    );
    let edited = fs::read_to_string(&commitment).unwrap().replace("\"epsilon=1,", "\"epsilon=2,");
    let edited = folder.file("edited.json", edited);
    refused(&audit(&scores, &["--coins", &coins, "--commitment", &edited]), 2, &["--commitment"]);
}

/// One line, with the file, the line, the column, and what is accepted.
#[test]
fn bad_files_are_named() {
    let folder = Folder::new();
    for (content, named) in [
        ("", "must begin with a heading"),
        ("score,in\n", "must have a row for each canary"),
        ("value,in\n1,1\n", "line 1: must have a column score (score must be a number"),
        ("score\n1\n", "line 1: must have a column in (in must be 1 (trained on) or 0 (not))"),
        ("score,in\n1,1\nx,0\n", "line 3: column score: must be a number, such as -0.25 or 1e-3, not \"x\""),
        ("score,in\n1,1\nNaN,0\n", "line 3: column score: must be a number"),
        ("score,in\n1,1\n2,yes\n", "line 3: column in: must be 1 (trained on) or 0 (not), not \"yes\""),
        ("score,in\n1,1\n2\n", "line 3: must have as many fields as the heading, 2, not 1"),
        ("score,score,in\n1,1,1\n", "line 1: the column score is there twice"),
        ("score,in,pair\n1,1,a\n2,1,a\n", "line 3: column in: of a pair one must be 1 and the other 0"),
        ("score,in,pair\n1,1,a\n2,0,b\n", "line 2: column pair: must be there twice, and is there once"),
        ("score,in,run\n1,1,5\n2,0,5\n", "line 3: column run: must differ from row to row, and is that of line 2"),
        ("score,in,run,pair\n1,1,5,1\n", "must have a column pair, or a column run, and not both"),
    ] {
        let file = folder.file("bad.csv", content);
        refused(&audit(&file, &CLAIM), 2, &["--canaries: ", "bad.csv: ", named]);
    }
    let file = folder.file("good.csv", table(100, 5));
    for (more, named) in [
        (&["--claim", "epsilon=1", "--guesses", "101"][..], "--guesses: must be an integer from 1 to 100"),
        (&["--claim", "epsilon=1", "--guesses", "5,5"], "--guesses: must be at most 100 different integers"),
        (&["--claim", "epsilon=1", "--relation", "change_one"], "--relation: must be add_remove"),
        (&["--claim", "epsilon=-1"], "--claim: epsilon must be"),
        (&["--claim", "epsilon=1", "--samples", "100"], "--samples"),
        (&["--claim", "epsilon=1", "--independent"], "--independent: whether a run was its plan needs a plan"),
        (&["--plan", "gaussian(sigma=1)", "--method", "steinke"], "--method: steinke is for claims"),
        (&["--plan", "laplce(scale=1)"], "--plan: "),
        (&["--plan", "gaussian(sigma=1)", "--delta", "2"], "--delta: must be a number above 0 and below 1"),
        (&[], "--claim: must be given"),
    ] {
        refused(&audit(&file, more), 2, &[named]);
    }
    refused(&["audit", "--guesses", "5", "laplace(scale=1)"], 2, &["--guesses: is for audits by canaries"]);
    refused(&["canaries", "--draw", "0", "--commit", "c.json"], 2, &["--draw: must be an integer from 1"]);
}

/// One of each pair is in: a claim for change-one neighbours, and no other.
#[test]
fn pairs_change_one() {
    let folder = Folder::new();
    let row = |canary: u64| {
        let (first, second) = if coin(canary) { (1, 0) } else { (0, 1) };
        format!("{first},{first},{canary}\n{second},{second},{canary}\n")
    };
    let file = folder.file("pairs.csv", format!("score,in,pair\n{}", (0..200).map(row).collect::<String>()));
    refused(&audit(&file, &CLAIM), 2, &["--relation: must be change_one"]);
    let (document, status) = json(&audit(&file, &[&CLAIM[..], &["--relation", "change_one"]].concat()));
    assert_eq!((status, document["canaries"].as_u64(), document["pairs"].as_bool()), (1, Some(200), Some(true)));
}

/// A canary's score a run: two binomials, and the split's coins are fresh.
#[test]
fn many_runs() {
    let folder = Folder::new();
    let rows = table(800, 5);
    let rows = (1..).zip(rows.lines().skip(1)).map(|(run, line): (u32, &str)| format!("{line},{run}\n"));
    let file = folder.file("runs.csv", format!("score,in,run\n{}", rows.collect::<String>()));
    let (document, status) = json(&audit(&file, &CLAIM));
    assert_eq!((status, document["design"].as_str()), (1, Some("many_runs")), "{document}");
    assert!(document["delta_lower"].as_str().unwrap().parse::<f64>().unwrap() > 0.1, "{document}");
    assert_eq!(document["runs"], 800);
    refused(
        &audit(&file, &[&CLAIM[..], &["--guesses", "10"]].concat()),
        2,
        &["--guesses: is for the canaries of one run"],
    );
}

#[test]
fn the_page_shows_how_well_they_are_told_apart() {
    let folder = Folder::new();
    let file = folder.file("<scores>.csv", table(1000, 5));
    let page = folder.to("page.html");
    let arguments = audit(&file, &[&CLAIM[..], &["--report", &page]].concat());
    let (document, status) = json(&arguments);
    assert_eq!(status, 1);
    // Of all canaries, from none to all; the claim allows no less than guessing does.
    let roc = document["roc"].as_array().unwrap();
    let (all_in, all_out) = (&document["samples_a"], &document["samples_b"]);
    assert_eq!((&roc[0], roc.last().unwrap()), (&serde_json::json!([0, 0]), &serde_json::json!([all_out, all_in])));
    for point in document["claimed_curve"].as_array().unwrap() {
        let end = |place: usize| point[place].as_str().unwrap().parse::<f64>().unwrap();
        assert!((end(0)..=1.0).contains(&end(1)), "{point}");
    }
    let shown = fs::read_to_string(&page).unwrap();
    for part in ["the claim is false", "class=\"estimate\" points=\"0,178", "class=\"exact\"", "You assert:"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("<script") && !shown.contains("<scores>"), "{shown}");
    // Never over what it reads.
    refused(&audit(&file, &[&CLAIM[..], &["--report", &file]].concat()), 2, &["--report"]);
}
