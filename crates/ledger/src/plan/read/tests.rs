use super::*;
use crate::plan::{Column, Keys, Predicate, Share, Statistic};
use certus::exact::{Rational, parse};
use proptest::prelude::*;

/// Every kind of table, column, statistic and key.
const WHOLE: &str = include_str!("../../../schema/example.toml");

fn read(text: &str) -> Result<ReleasePlan, String> {
    let values = |file: &str| match file {
        "counties.csv" => Ok("Kent\nYork\n".to_owned()),
        _ => Err(PlanError::new(file, "could not be read")),
    };
    ReleasePlan::from_toml(text, &values).map_err(|error| error.to_string())
}

#[test]
fn the_example_reads_as_it_is_meant() {
    let plan = read(WHOLE).unwrap();
    assert_eq!(plan.neighbours, Relation::AddRemove);
    let person = plan.person.clone().unwrap();
    assert_eq!((person.column.as_str(), person.rows, person.groups, person.rows_per_group), ("id", 10, 3, 2));
    assert_eq!(plan.columns.get("age"), Some(&Column::Integer { bounds: Some((0, 120)) }));
    assert_eq!(plan.columns.get("income").unwrap().steps(), Some((0, 400_000)));
    assert_eq!(plan.columns.get("county").unwrap().keys(), Some(2));
    let query = |name: &str| plan.queries.iter().find(|query| query.name == name).unwrap();
    assert_eq!(query("adults").filter, Some("age >= 18".parse::<Predicate>().unwrap()));
    assert_eq!(query("by job").keys, Keys::Thresholded);
    assert_eq!(query("rich").share, Share::Accuracy(Positive::new(parse("50").unwrap()).unwrap()));
    let Statistic::Quantile { level, candidates, .. } = &query("median age").statistic else { panic!("quantile") };
    assert_eq!((level.get().clone(), candidates.len()), (Rational::new(1.into(), 2.into()), 121));
    let Statistic::Quantile { candidates, .. } = &query("high incomes").statistic else { panic!("quantile") };
    assert_eq!(candidates.last(), Some(&400_000));
}

#[test]
fn the_canonical_text_is_the_same_plan() {
    let plan = read(WHOLE).unwrap();
    let text = plan.canonical();
    assert_eq!(read(&text), Ok(plan.clone()));
    assert_eq!(read(&text).unwrap().canonical(), text);
    // Frozen: a receipt names a plan by it.
    assert_eq!(plan.digest().to_string(), include_str!("../../../schema/example.sha256").trim());
    // Another way to write the same plan.
    let other = WHOLE.replace("0.25", "\"1/4\"").replace("neighbours = \"add_remove\"", "");
    assert_eq!(read(&other).unwrap().digest(), plan.digest());
    assert_ne!(read(&WHOLE.replace("upper = 120", "upper = 121")).unwrap().digest(), plan.digest());
}

const SMALL: &str = r#"
format = "certus-release/1"
[budget]
epsilon = 1
[columns.age]
type = "integer"
lower = 0
upper = 120
[columns.note]
type = "text"
[columns.sex]
type = "text"
values = ["f", "m"]
[columns.id]
type = "integer"
[[query]]
statistic = "count"
"#;

/// Each refusal is one line that names its place.
#[test]
fn what_is_refused() {
    assert!(read(SMALL).is_ok());
    for (from, to, line) in [
        ("certus-release/1", "certus-release/2", "format: must be \"certus-release/1\""),
        ("format", "version", "key \"version\": unknown key of a plan; accepted: format, neighbours"),
        ("epsilon = 1", "", "budget: epsilon: the budget must be"),
        ("epsilon = 1", "epsilon = 0", "budget: epsilon: must be positive"),
        ("epsilon = 1", "epsilon = 0x10", "budget: epsilon: must be a number"),
        ("epsilon = 1", "epsilon = 1e999999", "budget: epsilon: "),
        ("epsilon = 1", "epsilon = 1\ndelta = 0", "budget: delta: must be above 0"),
        ("epsilon = 1", "epsilon = 1\ndelta = 1", "budget: delta: must be above 0"),
        ("epsilon = 1", "epsilon = 1\nrho = 1", "budget: epsilon: the budget must be"),
        ("upper = 120", "", "column \"age\": lower: lower and upper must be given together"),
        ("upper = 120", "upper = -1", "column \"age\": lower: must be at most upper"),
        ("upper = 120", "upper = 1.5", "column \"age\": upper: must be a whole number"),
        ("upper = 120", "upper = 1e30", "column \"age\": upper: must be a whole number"),
        ("upper = 120", "upper = 120\nvalues = [\"a\"]", "column \"age\": values: must not be given"),
        ("[\"f\", \"m\"]", "[\"f\", \"f\"]", "column \"sex\": values: \"f\" must be listed once"),
        ("[\"f\", \"m\"]", "[]", "column \"sex\": values: must be 1 to 65536 texts"),
        ("values = [\"f\", \"m\"]", "values_from = \"no.csv\"", "column \"sex\": values_from: no.csv: could not"),
        ("\"count\"", "\"counts\"", "query 1: statistic: must be one of count, persons"),
        ("\"count\"", "\"sum\"", "query 1: column: must be given"),
        ("\"count\"", "\"sum\"\ncolumn = \"nobody\"", "query \"query 1\": column: \"nobody\" is not declared"),
        ("\"count\"", "\"sum\"\ncolumn = \"id\"", "query \"query 1\": column: \"id\" must have public bounds"),
        (
            "\"count\"",
            "\"mean\"\ncolumn = \"sex\"",
            "query \"query 1\": column: \"sex\" must be an integer or a number",
        ),
        ("\"count\"", "\"count\"\nk = 2", "query 1: k: must not be given for the statistic count"),
        ("\"count\"", "\"top_k\"\ncolumn = \"sex\"\nk = 3", "query \"query 1\": k: must be from 1 to 2"),
        (
            "\"count\"",
            "\"top_k\"\ncolumn = \"note\"\nk = 1",
            "query \"query 1\": column: \"note\" must be a text with a list",
        ),
        ("\"count\"", "\"histogram\"\ncolumn = \"age\"\ncuts = [5]", "query \"query 1\": cuts: must be 2 to"),
        ("\"count\"", "\"histogram\"\ncolumn = \"age\"\ncuts = [5, 5]", "query \"query 1\": cuts: must increase"),
        ("\"count\"", "\"quantile\"\ncolumn = \"age\"", "query 1: level: must be given"),
        ("\"count\"", "\"quantile\"\ncolumn = \"age\"\nlevel = 2", "query 1: level: must be given"),
        ("\"count\"", "\"count\"\nby = [\"note\"]", "query \"query 1\": by: column note: must have a list"),
        ("\"count\"", "\"count\"\nby = [\"sex\", \"sex\"]", "query \"query 1\": by: \"sex\" must be named once"),
        ("\"count\"", "\"count\"\nkeys = \"thresholded\"", "query \"query 1\": keys: thresholded keys need columns"),
        (
            "\"count\"",
            "\"count\"\nby = [\"note\"]\nkeys = \"thresholded\"",
            "query \"query 1\": keys: thresholded keys need a budget",
        ),
        ("\"count\"", "\"median\"\ncolumn = \"age\"\nby = [\"sex\"]", "query \"query 1\": by: must be given for"),
        ("\"count\"", "\"median\"\ncolumn = \"age\"\naccuracy = 1", "query \"query 1\": accuracy: must be asked of"),
        (
            "\"count\"",
            "\"median\"\ncolumn = \"age\"\nnoise = \"laplace\"",
            "query \"query 1\": noise: must not be given",
        ),
        ("\"count\"", "\"count\"\nnoise = \"gaussian\"", "query \"query 1\": noise: gaussian noise needs"),
        ("\"count\"", "\"count\"\nafter = [\"consistent\"]", "query \"query 1\": after: consistent must be asked"),
        ("\"count\"", "\"count\"\nweight = 1\ncost = 1", "query 1: weight: only one of"),
        (
            "\"count\"",
            "\"count\"\nwhere = \"age = 'x'\"",
            "query \"query 1\": where: \"age\" must be compared with a number",
        ),
        ("\"count\"", "\"count\"\nwhere = \"sex < 'x'\"", "query \"query 1\": where: \"sex\" is a text, which"),
        ("\"count\"", "\"count\"\nwhere = \"1/0\"", "query 1: where: character 1: must be a column"),
        ("\"count\"", "\"count\"\nname = \"a\\nb\"", "query \"a\\nb\": name: must be 1 to 100 printable"),
        ("[[query]]", "[query]", "query: must be given as [[query]]"),
        ("[columns.age]", "[columns.age", "line 5: not TOML"),
        ("[budget]", "[person]\ncolumn = \"age\"\nrows = 1\n[budget]", "person: column: must not be declared"),
        ("[budget]", "[person]\ncolumn = \"p\"\n[budget]", "person: rows: must be given"),
        ("[budget]", "[person]\ncolumn = \"p\"\nrows = 0\n[budget]", "person: rows: must be an integer from 1"),
    ] {
        let error = read(&SMALL.replacen(from, to, 1)).expect_err(to);
        assert!(error.starts_with(line), "{to}: {error}");
        assert!(!error.contains('\n') && error.len() < 500, "{error}");
    }
    let twice = format!("{SMALL}name = \"a\"\n[[query]]\nname = \"a\"\nstatistic = \"count\"\n");
    assert!(read(&twice).unwrap_err().contains("must be different"));
    let wide =
        SMALL.replace("upper = 120", "upper = 2000000000").replace("\"count\"", "\"variance\"\ncolumn = \"age\"");
    assert!(read(&wide).unwrap_err().contains("2^30 steps"));
    assert!(read(&" ".repeat(5 << 20)).unwrap_err().contains("at most 4194304 bytes"));
    let groups = SMALL.replace("upper = 120", "upper = 65536").replace("\"count\"", "\"count\"\nby = [\"age\"]");
    assert!(read(&groups).unwrap_err().contains("at most 65536 groups"));
}

#[test]
fn lists_and_queries_are_limited() {
    let values: Vec<String> = (0..65_537).map(|i| format!("\"{i}\"")).collect();
    assert!(read(&SMALL.replace("\"f\", \"m\"", &values.join(","))).unwrap_err().contains("at most 65536 items"));
    let queries = "[[query]]\nstatistic = \"count\"\n".repeat(1_000);
    assert!(read(&format!("{SMALL}{queries}")).unwrap_err().contains("1 to 1000 times"));
    let columns: String = (0..1_001).map(|i| format!("[columns.c{i}]\ntype = \"text\"\n")).collect();
    let many = SMALL.replace("[columns.age]", &format!("{columns}[columns.age]"));
    assert!(read(&many).unwrap_err().contains("columns: must be at most 1000"));
    let long = SMALL.replace("\"f\"", &format!("\"{}\"", "x".repeat(1_001)));
    assert!(read(&long).unwrap_err().contains("1 to 1000 bytes"));
}

fn kind_of(schema: &serde_json::Value, kind: &str) -> Vec<String> {
    let table = match kind {
        "plan" => schema,
        kind => &schema["$defs"][kind],
    };
    let mut keys: Vec<String> = table["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(table["additionalProperties"], serde_json::Value::Bool(false), "{kind}");
    keys.sort();
    keys
}

/// The schema and the parser know the same keys and the same words.
#[test]
fn the_schema_is_the_parser_s() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../schema/release-plan-1.json")).unwrap();
    for (kind, keys) in KEYS {
        let mut keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        keys.sort();
        assert_eq!(kind_of(&schema, kind), keys, "{kind}");
    }
    assert_eq!(schema["properties"]["format"]["const"], FORMAT);
    let words = |value: &serde_json::Value| -> Vec<String> {
        value["enum"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let query = &schema["$defs"]["query"]["properties"];
    assert_eq!(words(&query["statistic"]), STATISTICS);
    // Each word is accepted by the parser, in a plan that needs nothing else for it.
    for word in words(&query["keys"]) {
        assert!(
            !read(&SMALL.replace("\"count\"", &format!("\"count\"\nkeys = \"{word}\"")))
                .is_err_and(|e| e.contains("one of"))
        );
    }
    for word in words(&query["noise"]) {
        assert!(
            !read(&SMALL.replace("\"count\"", &format!("\"count\"\nnoise = \"{word}\"")))
                .is_err_and(|e| e.contains("one of"))
        );
    }
    for word in words(&query["after"]["items"]) {
        assert!(
            !read(&SMALL.replace("\"count\"", &format!("\"count\"\nafter = [\"{word}\"]")))
                .is_err_and(|e| e.contains("one of"))
        );
    }
    for word in words(&schema["properties"]["neighbours"]) {
        assert!(read(&SMALL.replace("[budget]", &format!("neighbours = \"{word}\"\n[budget]"))).is_ok());
    }
    assert_eq!(words(&schema["$defs"]["column"]["properties"]["type"]), ["integer", "number", "text"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any change of a byte gives a plan or one line.
    #[test]
    fn no_text_panics(at in 0_usize..3000, with in any::<char>()) {
        let mut text: Vec<char> = WHOLE.chars().collect();
        let at = at % text.len();
        text[at] = with;
        let text: String = text.into_iter().collect();
        match read(&text) {
            Ok(plan) => prop_assert_eq!(read(&plan.canonical()), Ok(plan)),
            Err(error) => prop_assert!(!error.contains('\n')),
        }
    }
}
