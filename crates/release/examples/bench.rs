//! How long an aggregation takes, beside DataFusion alone, and how much memory.
//!
//! ```text
//! cargo run --release --example bench -- generate FILE ROWS
//! cargo run --release --example bench -- ours|emitted|plain FILE person|rows
//! ```
//!
//! `ours` is this crate's engine; `emitted` is DataFusion's own CSV reader running the SQL that `--emit-sql`
//! prints, with the same memory; `plain` is its `SELECT count, sum` on columns of its own types. It prints
//! seconds, the largest resident memory and the result; `SPILL` names the folder for sorts.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../tests/plans/mod.rs"]
mod plans;

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    sync::Arc,
    time::Instant,
};

use certus_ledger::plan::{Column, Keys, Person, ReleasePlan, Statistic};
use certus_release::{
    engine::{self, Options},
    sql::{self, Dialect, Source},
};
use datafusion::{
    arrow::datatypes::{DataType, Field, Schema},
    execution::{memory_pool::FairSpillPool, runtime_env::RuntimeEnvBuilder},
    prelude::{CsvReadOptions, SessionConfig, SessionContext},
};

/// About five rows a person, in random order, 27 bytes each: `100048213377,42,6123456.50`.
fn generate(path: &Path, rows: u64) {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    writeln!(out, "id,age,income").unwrap();
    let mut state = 1_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..rows {
        let (id, age, euros, cents) = (next(rows / 5 + 1), next(90), next(20_000_000), next(100));
        writeln!(out, "{},{age},{euros}.{cents:02}", id + 100_000_000_000).unwrap();
    }
}

fn plan(person: bool) -> ReleasePlan {
    let mut plan = plans::every(None);
    plan.person = person.then(|| Person { column: "id".to_owned(), rows: 3, groups: 3, rows_per_group: 3 });
    plan.columns.clear();
    plan.columns.insert("age".to_owned(), Column::Integer { bounds: Some((0, 120)) });
    plan.columns
        .insert("income".to_owned(), Column::Number { bounds: (0, 1_000_000_000), grid: plans::positive("1/100") });
    let income = Statistic::Sum { column: "income".to_owned() };
    plan.queries = vec![plans::query("sum", income, &[], Keys::Public, None)];
    plan
}

/// A line of /proc/self/status, in MB.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

fn alone(path: &Path, query: &str, types: [DataType; 3]) -> String {
    let options = Options::default();
    let schema = Schema::new(
        ["id", "age", "income"].iter().zip(types).map(|(name, kind)| Field::new(*name, kind, true)).collect::<Vec<_>>(),
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(options.partitions).build().unwrap();
    runtime.block_on(async {
        let pool = Arc::new(FairSpillPool::new(options.memory));
        let environment = RuntimeEnvBuilder::new().with_memory_pool(pool).build_arc().unwrap();
        let config = SessionConfig::new().with_target_partitions(options.partitions);
        let context = SessionContext::new_with_config_rt(config, environment);
        let read = CsvReadOptions::new().schema(&schema).has_header(true);
        context.register_csv("data", path.to_str().unwrap(), read).await.unwrap();
        let batches = context.sql(query).await.unwrap().collect().await.unwrap();
        datafusion::arrow::util::pretty::pretty_format_batches(&batches).unwrap().to_string()
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (what, path) = (arguments[1].as_str(), Path::new(&arguments[2]));
    if what == "generate" {
        return generate(path, arguments[3].parse().unwrap());
    }
    let plan = plan(arguments[3] == "person");
    let (digest, key) = (plans::digest(), plans::key(5));
    let start = Instant::now();
    let result = match what {
        "ours" => {
            let options = Options { spill: std::env::var_os("SPILL").map(Into::into), ..Options::default() };
            format!("{:?}", engine::aggregate(&plan, &digest, &key, path, options).unwrap().queries)
        }
        "emitted" => {
            let query = sql::aggregation(&plan, &digest, &key, Dialect::DataFusion, "data", &Source::Text).unwrap();
            alone(path, &query, [DataType::Utf8, DataType::Utf8, DataType::Utf8])
        }
        "plain" => {
            let query = "SELECT count(*), count(income), sum(income) FROM data";
            alone(path, query, [DataType::Utf8, DataType::Int64, DataType::Float64])
        }
        _ => panic!("ours, emitted or plain"),
    };
    println!(
        "{what} {}: {:.2} s, {} MB resident\n{result}",
        arguments[3],
        start.elapsed().as_secs_f64(),
        status("VmHWM")
    );
}
