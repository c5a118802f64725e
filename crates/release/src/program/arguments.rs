//! The arguments, as the parser declares them.

use clap::{Args, Parser, ValueEnum};

/// Private statistics from CSV and Parquet, with their accuracy, within a budget.
#[derive(Debug, Parser)]
#[command(
    name = "certus-release",
    version,
    after_help = "Examples:\n  \
        certus release people.csv count --where 'age >= 40' --epsilon 1/10\n  \
        certus release people.csv mean 'income=number[0..1e5]/1' --epsilon 1/2\n  \
        certus release people.csv sum 'hours[0..80]' --by 'sex{f,m,x}' --person id --rows 10 --rho 1/8\n  \
        certus release people.csv persons --by job --threshold --epsilon 1 --delta 1e-9\n  \
        certus release people.csv median 'age[0..120]' --epsilon 1/10\n  \
        certus release people.csv top_k 'county{Kent,York,Devon}' --k 2 --epsilon 1/10\n  \
        certus release plan.toml --data people.parquet --ledger people.ledger --release-id 2026-q3 --receipt receipt.json\n  \
        certus release plan.toml --dry-run\n  \
        certus release plan.toml --emit-sql spark > query.sql\n  \
        certus release plan.toml --aggregates result.csv --ledger people.ledger --release-id 2026-q3\n  \
        certus release check-receipt receipt.json --ledger people.ledger\n\n\
        Exit status: 0 fine, 2 bad usage or input, 3 the environment failed, 4 the budget refuses."
)]
pub(super) struct Cli {
    /// A plan (a file that ends in .toml), or data (.csv or .parquet) followed by a statistic
    #[arg(value_name = "PLAN|DATA")]
    pub(super) input: String,
    /// count, persons, sum, mean, variance, histogram, quantile, median or top_k
    pub(super) statistic: Option<String>,
    /// The statistic's column: its name, or its declaration as for --column
    pub(super) of: Option<String>,
    #[command(flatten)]
    pub(super) one_line: OneLine,
    #[command(flatten)]
    pub(super) run: Run,
}

/// The one-line form of a plan.
#[derive(Args, Debug)]
#[command(next_help_heading = "A plan in one line")]
pub(super) struct OneLine {
    /// A column: 'age=integer[0..120]', 'income=number[0..1e5]/0.25', 'sex=text{f,m,x}'; also 'age[0..120]', 'sex{f,m}'
    #[arg(long, value_name = "DECLARATION")]
    pub(super) column: Vec<String>,
    /// Rows that count, such as "age >= 40 AND sex IN ('f', 'x')"
    #[arg(long = "where", value_name = "FILTER")]
    pub(super) filter: Option<String>,
    /// A column of the groups, by name or declaration; may be given again
    #[arg(long, value_name = "COLUMN")]
    pub(super) by: Vec<String>,
    /// Groups are those that the data have, released where enough persons are in them
    #[arg(long)]
    pub(super) threshold: bool,
    /// The column that identifies a person [default: every row is a person]
    #[arg(long, value_name = "COLUMN")]
    pub(super) person: Option<String>,
    /// The most rows of a person that count
    #[arg(long, value_name = "M", requires = "person")]
    pub(super) rows: Option<u32>,
    /// In at most so many groups [default: M]
    #[arg(long, value_name = "G", requires = "rows")]
    pub(super) groups: Option<u32>,
    /// With at most so many rows in each group [default: M]
    #[arg(long, value_name = "R", requires = "rows")]
    pub(super) rows_per_group: Option<u32>,
    /// The budget: epsilon
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(super) epsilon: Option<String>,
    /// The budget: delta, beside epsilon
    #[arg(long, value_name = "D", allow_hyphen_values = true)]
    pub(super) delta: Option<String>,
    /// The budget: rho, for zCDP
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(super) rho: Option<String>,
    /// Spend only what this error at 95 % takes, in the unit of the column
    #[arg(long, value_name = "ALPHA", allow_hyphen_values = true)]
    pub(super) accuracy: Option<String>,
    /// The noise
    #[arg(long, value_enum)]
    pub(super) noise: Option<NoiseKind>,
    /// A person comes or goes with all rows, or one person's rows become any others
    #[arg(long, value_enum, default_value_t = Neighbours::AddRemove)]
    pub(super) neighbours: Neighbours,
    /// Cut points of a histogram: 0,18,65,120 or 0..120/10
    #[arg(long, value_name = "POINTS", allow_hyphen_values = true)]
    pub(super) cuts: Option<String>,
    /// The level of a quantile, from 0 to 1
    #[arg(long, value_name = "L", allow_hyphen_values = true)]
    pub(super) level: Option<String>,
    /// Candidates of a quantile: 0,10,20 or 0..1e5/500 [default: every step of the column]
    #[arg(long, value_name = "POINTS", allow_hyphen_values = true)]
    pub(super) candidates: Option<String>,
    /// How many values top_k releases
    #[arg(long, value_name = "K")]
    pub(super) k: Option<u32>,
    /// Negative results become 0
    #[arg(long)]
    pub(super) non_negative: bool,
    /// Groups or cells and their total are adjusted to agree
    #[arg(long)]
    pub(super) consistent: bool,
}

/// How a release runs.
#[derive(Args, Debug)]
#[command(next_help_heading = "The release")]
pub(super) struct Run {
    /// The data of a plan: a .csv or .parquet file
    #[arg(long, value_name = "FILE")]
    pub(super) data: Option<String>,
    /// The ledger that is debited before noise is drawn (`certus ledger init` makes one)
    #[arg(long, value_name = "FILE")]
    pub(super) ledger: Option<String>,
    /// The name of this release in the ledger; one whose result is there is printed again at no cost
    #[arg(long, value_name = "ID", requires = "ledger")]
    pub(super) release_id: Option<String>,
    /// Whose budget is debited, beside the dataset's
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub(super) analyst: Option<String>,
    /// The ledger must hold this head, which you saw last
    #[arg(long, value_name = "HEX", requires = "ledger")]
    pub(super) expect_head: Option<String>,
    /// Print cost and expected accuracy; no data are read, nothing is debited
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the aggregation query for an engine, and stop
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub(super) emit_sql: Option<Engine>,
    /// The table that --emit-sql reads
    #[arg(long, value_name = "NAME", default_value = "data", requires = "emit_sql")]
    pub(super) table: String,
    /// Finish a release from the result of the aggregation query
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    pub(super) aggregates: Option<String>,
    /// Aggregate only, into this new CONFIDENTIAL file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["aggregates", "ledger"])]
    pub(super) save_aggregates: Option<String>,
    /// The sampler
    #[arg(long, value_enum, default_value_t = SamplerKind::Fixed)]
    pub(super) sampler: SamplerKind,
    /// Megabytes that the engine may take
    #[arg(long, value_name = "MB")]
    pub(super) memory: Option<u32>,
    /// The folder for what does not fit the memory: it holds rows of the data for a while
    #[arg(long, value_name = "FOLDER")]
    pub(super) spill: Option<String>,
    /// The output's format [default: by the ending of --output, else a table]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<String>,
    /// Write a receipt, which `check-receipt` checks
    #[arg(long, value_name = "FILE")]
    pub(super) receipt: Option<String>,
    /// Show no progress, and no note that nothing is recorded
    #[arg(long)]
    pub(super) quiet: bool,
}

/// Check a receipt, offline.
#[derive(Debug, Parser)]
#[command(name = "certus-release check-receipt", version)]
pub(super) struct CheckReceipt {
    /// The receipt
    pub(super) file: String,
    /// The plan must be this one
    #[arg(long, value_name = "FILE")]
    pub(super) plan: Option<String>,
    /// The debit and result must be in this ledger
    #[arg(long, value_name = "FILE")]
    pub(super) ledger: Option<String>,
    /// The output, as --json printed it, must be this file
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NoiseKind {
    Laplace,
    Gaussian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Neighbours {
    AddRemove,
    ChangeOne,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Engine {
    Datafusion,
    Spark,
    Duckdb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SamplerKind {
    /// By work that says nothing about the noise, where there is such a sampler
    Fixed,
    /// The reference sampler
    Reference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Table,
    Csv,
    Json,
    Parquet,
}
