//! The program, in process: what it prints, spends and refuses, and in which order.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail by panicking"
)]

mod order;
mod support;

use std::fs;

use support::{fine, folder, json, ledger, left, of_epsilon, people, program, value};

/// Each statistic in one line, with so much budget that the answer is exact.
#[test]
fn one_liners() {
    let folder = folder();
    let data = people(folder.path());
    let exact = |arguments: &[&str]| {
        let all: Vec<&str> = std::iter::once(data.as_str()).chain(arguments.iter().copied()).collect();
        fine(&[&all[..], &["--epsilon", "1e12", "--delta", "1e-9", "--json", "--quiet"]].concat())
    };
    assert_eq!(value(&exact(&["count"])), "2000");
    assert_eq!(value(&exact(&["count", "--where", "age >= 40 AND sex = 'f'"])), "550");
    assert_eq!(value(&exact(&["persons", "--person", "id", "--rows", "3"])), "1000");
    // One row a person.
    assert_eq!(value(&exact(&["count", "--person", "id", "--rows", "1"])), "1000");
    assert_eq!(
        value(&exact(&["sum", "age[0..100]", "--where", "job = 'clerk'"])),
        value(&exact(&["sum", "age", "--column", "age=integer[0..100]", "--where", "job = 'clerk'"]))
    );
    assert_eq!(
        value(&exact(&["sum", "--column", "income[0..9990]/0.5", "--where", "age < 1"])),
        value(&exact(&["sum", "income=number[0..9990]/0.5", "--where", "age = 0"]))
    );
    let mean = value(&exact(&["mean", "income=number[0..10000]/0.5"]));
    assert_eq!(mean, "9991/2");
    assert!(value(&exact(&["variance", "age[0..100]"])).starts_with(['6', '7']));
    assert_eq!(value(&exact(&["median", "age[0..100]", "--candidates", "0..100/10"])), "40");
    assert_eq!(value(&exact(&["quantile", "age[0..100]", "--level", "0.9", "--candidates", "0..100/10"])), "80");
    assert_eq!(value(&exact(&["top_k", "job{clerk,rare0,rare100}", "--k", "1"])), "clerk");
    let histogram = json(&exact(&["histogram", "age[0..100]", "--cuts", "0,45,100"]));
    assert_eq!(histogram["queries"][0]["results"][1]["cell"], "[45, 100]");
    let by_sex = json(&exact(&["count", "--by", "sex{f,m,x}", "--non-negative"]));
    let values: Vec<_> =
        by_sex["queries"][0]["results"].as_array().unwrap().iter().map(|row| row["value"].clone()).collect();
    assert_eq!(values, ["1000", "1000", "0"]);
    // Ten rare jobs of two rows each; one row a person: one person each, below the threshold.
    let jobs = json(&exact(&["persons", "--by", "job", "--threshold", "--person", "id", "--rows", "2"]));
    assert_eq!(jobs["queries"][0]["results"].as_array().unwrap().len(), 1);
    let consistent = json(&exact(&["count", "--by", "sex{f,m}", "--consistent"]));
    assert_eq!(consistent["queries"][0]["results"][2]["cell"], "total");
}

#[test]
fn formats() {
    let folder = folder();
    let data = people(folder.path());
    let shared = ["--by", "sex{f,m}", "--epsilon", "1"];
    let base = [&[data.as_str(), "count"], &shared[..]].concat();
    let table = fine(&base);
    for part in [
        "± at 95 %",
        "sex=f",
        "laplace_vector(scale=1, coordinates=2, sensitivity=1)",
        "epsilon = 1",
        "sampler: fixed",
        "clamped and bounded",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let csv = fine(&[&base[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().count(), 3);
    assert!(csv.starts_with("query,statistic,column,group,cell,value,value_exact,accuracy_95,"), "{csv}");
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["out.csv", "out.json", "out.parquet", "out.txt"] {
        assert_eq!(fine(&[&base[..], &["--output", &path(name)]].concat()), "");
    }
    assert_eq!(&fs::read(path("out.parquet")).unwrap()[..4], b"PAR1");
    assert_eq!(json(&fs::read_to_string(path("out.json")).unwrap())["schema_version"], 1);
    assert!(fs::read_to_string(path("out.csv")).unwrap().starts_with("query,"));
    // What Parquet holds is read by the engine.
    let found = fine(&[
        &path("out.parquet"),
        "count",
        "--where",
        "\"group\" = 'sex=f'",
        "--epsilon",
        "1e12",
        "--json",
        "--quiet",
    ]);
    assert_eq!(value(&found), "1");
}

#[test]
fn a_dry_run_touches_nothing() {
    let folder = folder();
    let ledger = ledger(folder.path(), "1");
    let before = fs::read(&ledger).unwrap();
    // There are no such data.
    let out = fine(&["nobody.csv", "count", "--epsilon", "1/10", "--dry-run", "--ledger", &ledger]);
    assert!(out.contains("laplace(scale=10, sensitivity=1)") && out.contains("31"), "{out}");
    assert_eq!(
        json(&fine(&["x.csv", "count", "--epsilon", "1/10", "--dry-run", "--json"]))["queries"][0]["accuracy"],
        "31"
    );
    assert_eq!(fs::read(&ledger).unwrap(), before);
}

#[test]
fn a_ledger_is_spent_and_stops() {
    let folder = folder();
    let (data, ledger) = (people(folder.path()), ledger(folder.path(), "1/4"));
    let base = [data.as_str(), "count", "--epsilon", "1/10", "--ledger", &ledger, "--json"];
    let first = fine(&[&base[..], &["--release-id", "a"]].concat());
    assert_eq!(left(&ledger), of_epsilon("3/20"));
    // The same release: the same output, at no cost, without the data.
    let gone = folder.path().join("gone.csv");
    fs::rename(&data, &gone).unwrap();
    let again = program(&[&base[..], &["--release-id", "a"]].concat());
    fs::rename(&gone, &data).unwrap();
    assert_eq!((again.status, again.out), (0, first));
    assert_eq!(left(&ledger), of_epsilon("3/20"));
    // Under another plan: refused.
    let other = program(&[data.as_str(), "count", "--epsilon", "1/20", "--ledger", &ledger, "--release-id", "a"]);
    assert_eq!(other.status, 2, "{}", other.err);
    fine(&[&base[..], &["--release-id", "b"]].concat());
    let before = fs::read(&ledger).unwrap();
    let refused = program(&[&base[..], &["--release-id", "c"]].concat());
    assert_eq!((refused.status, refused.out.as_str()), (4, ""));
    assert_eq!(refused.err.lines().count(), 1, "{}", refused.err);
    assert!(refused.err.contains("1/20") && refused.err.contains("1/10"), "{}", refused.err);
    assert_eq!(fs::read(&ledger).unwrap(), before);
    // A head that the ledger does not hold.
    let head = "00".repeat(32);
    let stale = program(&[&base[..], &["--release-id", "a", "--expect-head", &head]].concat());
    assert_eq!(stale.status, 2, "{}", stale.err);
}

#[test]
fn receipts_are_checked_offline() {
    let folder = folder();
    let (data, ledger) = (people(folder.path()), ledger(folder.path(), "1"));
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (receipt, output) = (path("receipt.json"), path("out.json"));
    fine(&[
        &data,
        "mean",
        "age[0..100]",
        "--epsilon",
        "1/2",
        "--ledger",
        &ledger,
        "--release-id",
        "r",
        "--receipt",
        &receipt,
        "--output",
        &output,
    ]);
    let out = fine(&["check-receipt", &receipt, "--ledger", &ledger, "--output", &output]);
    assert!(out.contains("the receipt holds") && out.contains("epsilon = 1/2"), "{out}");
    let text = fs::read_to_string(&receipt).unwrap();
    for (from, to) in [
        ("epsilon = \\\"1/2\\\"", "epsilon = \\\"1/3\\\""),
        ("laplace(scale=4, sensitivity=1)", "laplace(scale=5, sensitivity=1)"),
        ("\"epsilon\": \"1/4\"", "\"epsilon\": \"1/5\""),
        ("\"schema_version\"", "\"version\""),
        ("\"plan_digest\": \"", "\"plan_digest\": \"0"),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        fs::write(path("forged.json"), text.replace(from, to)).unwrap();
        let ran = program(&["check-receipt", &path("forged.json")]);
        assert_eq!((ran.status, ran.err.lines().count()), (2, 1), "{from}: {}", ran.err);
    }
    let head = json(&text)["ledger_head"].as_str().unwrap().to_owned();
    fs::write(path("forged.json"), text.replace(&head, &"0".repeat(64))).unwrap();
    assert_eq!(program(&["check-receipt", &path("forged.json"), "--ledger", &ledger]).status, 2);
    fs::write(path("out2.json"), fs::read_to_string(&output).unwrap().replace("mean", "sum")).unwrap();
    assert_eq!(program(&["check-receipt", &receipt, "--output", &path("out2.json")]).status, 2);
}

/// Each is one line, exit 2, nothing written and nothing spent.
#[test]
fn bad_input() {
    let folder = folder();
    let (data, ledger) = (people(folder.path()), ledger(folder.path(), "1"));
    let plan = folder.path().join("plan.toml");
    fs::write(&plan, "format = \"certus-release/1\"\n[budget]\nepsilon = 1\n[[query]]\nstatistic = \"count\"\n")
        .unwrap();
    let plan = plan.to_str().unwrap();
    let before = (fs::read(&ledger).unwrap(), fs::read_dir(folder.path()).unwrap().count());
    let output = folder.path().join("never.json");
    let output = output.to_str().unwrap();
    for arguments in [
        vec![],
        vec!["people.csv"],
        vec![&data, "counts", "--epsilon", "1"],
        vec![&data, "count"],
        vec![&data, "count", "--epsilon", "0"],
        vec![&data, "count", "--epsilon", "-1"],
        vec![&data, "count", "--epsilon", "1e999999"],
        vec![&data, "count", "--epsilon", "1", "--rho", "1"],
        vec![&data, "count", "--epsilon", "1", "--where", "age >"],
        vec![&data, "count", "--epsilon", "1", "--where", "height = 3"],
        vec![&data, "count", "--epsilon", "1", "--where", "age = 1/2"],
        vec![&data, "sum", "--epsilon", "1"],
        vec![&data, "sum", "age", "--epsilon", "1"],
        vec![&data, "sum", "age[0..]", "--epsilon", "1"],
        vec![&data, "count", "--by", "sex", "--epsilon", "1"],
        vec![&data, "count", "--by", "job", "--threshold", "--epsilon", "1"],
        vec![&data, "count", "--person", "id", "--epsilon", "1"],
        vec![&data, "count", "--person", "nobody", "--rows", "1", "--epsilon", "1"],
        vec![&data, "count", "--k", "1", "--epsilon", "1"],
        vec![&data, "count", "--epsilon", "1", "--format", "parquet"],
        vec![&data, "count", "--epsilon", "1", "--format", "xml"],
        vec![&data, "count", "--epsilon", "1", "--nonsense"],
        vec![&data, "count", "--epsilon", "1", "--accuracy", "1"],
        vec![&data, "count", "--epsilon", "1", "--output", &data],
        vec![&data, "count", "--epsilon", "1", "--data", &data],
        vec!["nobody.txt", "count", "--epsilon", "1"],
        vec![plan],
        vec![plan, "count", "--data", &data],
        vec![plan, "--data", "nobody.txt"],
        vec![plan, "--aggregates", "nobody.csv"],
        vec!["nobody.toml", "--data", &data],
        vec!["check-receipt", plan],
        vec!["check-receipt", "nobody.json"],
    ] {
        let is_check = arguments.first() == Some(&"check-receipt");
        let is_output = arguments.contains(&"--output") || arguments.contains(&"parquet");
        let mut all = arguments.clone();
        if !is_check && !all.is_empty() {
            all.extend(["--ledger", &ledger, "--release-id", "x"]);
            if !is_output {
                all.extend(["--output", output]);
            }
        }
        let ran = program(&all);
        assert_eq!(ran.status, 2, "{arguments:?}: {}", ran.err);
        assert_eq!((ran.out.as_str(), ran.err.lines().count()), ("", 1), "{arguments:?}: {}", ran.err);
        assert!(ran.err.starts_with("error: ") && ran.err.len() < 600, "{}", ran.err);
        let after = (fs::read(&ledger).unwrap(), fs::read_dir(folder.path()).unwrap().count());
        assert_eq!(after, before, "{arguments:?}");
    }
}

#[test]
fn queries_for_engines_and_their_results() {
    let folder = folder();
    let data = people(folder.path());
    for engine in ["datafusion", "spark", "duckdb"] {
        let text = fine(&[&data, "sum", "age[0..100]", "--epsilon", "1", "--emit-sql", engine, "--table", "people"]);
        assert!(text.contains("people") && text.to_lowercase().contains("sum("), "{text}");
    }
    let saved = folder.path().join("aggregates.csv");
    let saved = saved.to_str().unwrap();
    let line = ["sum", "age[0..100]", "--epsilon", "1e12", "--quiet"];
    fine(&[&[data.as_str()], &line[..], &["--save-aggregates", saved]].concat());
    let direct = fine(&[&[data.as_str()], &line[..], &["--json"]].concat());
    let finished = fine(&[&[data.as_str()], &line[..], &["--json", "--aggregates", saved]].concat());
    assert_eq!(value(&direct), value(&finished));
    let ledger = ledger(folder.path(), "1");
    let other = program(
        &[&[data.as_str()], &["sum", "age[0..99]", "--epsilon", "1", "--aggregates", saved, "--ledger", &ledger][..]]
            .concat(),
    );
    assert_eq!(other.status, 2, "{}", other.err);
    assert_eq!(left(&ledger), of_epsilon("1"));
}

#[test]
fn help_has_examples() {
    let help = fine(&["--help"]);
    assert!(help.contains("certus release people.csv count") && help.contains("Exit status"), "{help}");
    assert!(fine(&["--version"]).starts_with("certus-release "));
    assert!(fine(&["check-receipt", "--help"]).contains("--ledger"));
}
