//! One release, step by step. What is refused is refused before the debit, by the plan and the header alone.

use std::{
    fs,
    io::{IsTerminal as _, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use certus_ledger::{
    Digest,
    book::{Analyst, Book, Debit, ReleaseId},
    plan::{ReleasePlan, limits::MOST_BYTES},
};

use super::{
    Failure, World,
    arguments::{Cli, Engine, Format, Run, SamplerKind},
    one_line,
    write::WholeFile,
};
use crate::{
    aggregates::{self, Aggregates, RankKey},
    engine::{Data, EngineError, Options},
    noise::{Draw, Paid, Samplers, draw},
    output::{Document, Receipt, csv, dry_run_table, parquet, table},
    price::{Priced, price},
    sql,
};

/// The plan, and the data if the one-line form names them.
fn plan_of(cli: &Cli) -> Result<(ReleasePlan, Option<String>), Failure> {
    if cli.input.ends_with(".toml") {
        if cli.statistic.is_some() {
            return Err(Failure::Usage("STATISTIC: must not be given beside a plan, which has its queries".into()));
        }
        let plan = ReleasePlan::from_file(Path::new(&cli.input)).map_err(Failure::usage)?;
        return Ok((plan, cli.run.data.clone()));
    }
    if cli.run.data.is_some() {
        return Err(Failure::Usage("--data: must be given beside a plan (.toml) alone".into()));
    }
    let Some(statistic) = &cli.statistic else {
        return Err(Failure::Usage("STATISTIC: must follow the data: count, persons, sum, mean, variance, histogram, quantile, median or top_k".into()));
    };
    let plan = one_line::plan(statistic, cli.of.as_deref(), &cli.one_line).map_err(Failure::usage)?;
    Ok((plan, Some(cli.input.clone())))
}

/// The text of a small file.
pub(super) fn read_text(argument: &str, path: &str) -> Result<String, Failure> {
    let refused = |error: std::io::Error| Failure::Usage(format!("{argument}: {path} could not be read: {error}"));
    let mut text = String::new();
    // A receipt holds a plan and its specs.
    fs::File::open(path).and_then(|file| file.take(4 * MOST_BYTES).read_to_string(&mut text)).map_err(refused)?;
    Ok(text)
}

pub(super) fn run(cli: &Cli, world: &mut World<'_>) -> Result<(), Failure> {
    let (plan, data) = plan_of(cli)?;
    let priced = price(&plan).map_err(Failure::usage)?;
    let run = &cli.run;
    let output = Output::of(run, &cli.input, data.as_deref())?;
    if run.dry_run {
        return output.print(&Document::new(&plan, &priced, None, None), world);
    }
    if let Some(engine) = run.emit_sql {
        return emit_sql(&plan, engine, &run.table, world);
    }
    if let Some(ledger) = &run.ledger {
        return with_ledger(ledger, &plan, &priced, run, data.as_deref(), &output, world);
    }
    let source = Source::of(&plan, run, data.as_deref())?;
    if let Some(path) = &run.save_aggregates {
        let found = source.aggregates(&plan, world)?;
        return aggregates::write(Path::new(path), &plan, &found)
            .map_err(|error| Failure::Environment(format!("--save-aggregates: {error}")));
    }
    if !run.quiet {
        writeln!(world.err, "note: no ledger was given (--ledger): nothing records what this release spends")?;
    }
    let document = drawn(&plan, &priced, None, &Paid::Unrecorded, run, &source, world)?;
    output.finish(&plan, &document, None, world)
}

/// Debit first; the result is in the ledger before it is printed. The ledger is not locked while data are
/// read: it is opened again for the result, and must still hold the debit.
fn with_ledger(
    ledger: &str,
    plan: &ReleasePlan,
    priced: &Priced,
    run: &Run,
    data: Option<&str>,
    output: &Output,
    world: &mut World<'_>,
) -> Result<(), Failure> {
    let expected = run.expect_head.as_deref().map(str::parse::<Digest>).transpose();
    let expected = expected.map_err(|error| Failure::Usage(format!("--expect-head: {error}")))?;
    let release = match &run.release_id {
        Some(id) => id.parse::<ReleaseId>().map_err(|error| Failure::Usage(format!("--release-id: {error}")))?,
        None => fresh_id(world)?,
    };
    let analyst = run.analyst.as_deref().map(str::parse::<Analyst>).transpose();
    let analyst = analyst.map_err(|error| Failure::Usage(format!("--analyst: {error}")))?;
    let mut book = Book::open(Path::new(ledger), expected.as_ref())?;
    if let Some(recorded) = book.result_of(&release)? {
        let is_it = book.state().release(&release).is_some_and(|release| release.plan() == plan.digest());
        if !is_it {
            return Err(Failure::Usage("--release-id: names a release of another plan".into()));
        }
        if !run.quiet {
            writeln!(
                world.err,
                "note: release {} is in the ledger: it is printed again, at no cost",
                release.as_str()
            )?;
        }
        let document: Document = serde_json::from_slice(&recorded)
            .map_err(|_| Failure::Usage("--ledger: holds a result that this version does not read".into()))?;
        return output.finish(plan, &document, Some(&book.head()), world);
    }
    let source = Source::of(plan, run, data)?;
    let debit = Debit { release: release.clone(), analyst, plan: plan.digest(), costs: priced.costs() };
    let debited = book.debit(&debit)?;
    let head = book.head();
    drop(book);
    let paid = Paid::ByLedger(debited);
    let document = drawn(plan, priced, Some(release.as_str()), &paid, run, &source, world)?;
    let bytes = document.to_bytes().map_err(|error| Failure::Environment(error.to_string()))?;
    let mut book = Book::open(Path::new(ledger), Some(&head))?;
    let head = match &paid {
        Paid::ByLedger(debited) => book.record_result(debited, &bytes)?,
        Paid::Unrecorded => book.head(),
    };
    drop(book);
    if !run.quiet {
        writeln!(world.err, "note: release {}; the ledger's head is {head}", release.as_str())?;
    }
    output.finish(plan, &document, Some(&head), world)
}

/// Aggregates and draws, by a fresh generator.
fn drawn(
    plan: &ReleasePlan,
    priced: &Priced,
    release: Option<&str>,
    paid: &Paid,
    run: &Run,
    source: &Source,
    world: &mut World<'_>,
) -> Result<Document, Failure> {
    let found = source.aggregates(plan, world)?;
    let samplers = match run.sampler {
        SamplerKind::Fixed => Samplers::Fixed,
        SamplerKind::Reference => Samplers::Reference,
    };
    let mut bits = (world.bits)()?;
    let released = draw(plan, priced, &found, paid, &mut Draw::new(&mut *bits, samplers))?;
    Ok(Document::new(plan, priced, release, Some(&released)))
}

/// 32 random bytes.
fn random_bytes(world: &mut World<'_>) -> Result<[u8; 32], Failure> {
    let mut bits = (world.bits)()?;
    bits.begin()?;
    let mut bytes = [0; 32];
    for byte in &mut bytes {
        *byte = u8::try_from(bits.take(8)?).unwrap_or(0);
    }
    Ok(bytes)
}

fn fresh_id(world: &mut World<'_>) -> Result<ReleaseId, Failure> {
    let id: String = random_bytes(world)?.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    id.parse().map_err(Failure::usage)
}

fn emit_sql(plan: &ReleasePlan, engine: Engine, table: &str, world: &mut World<'_>) -> Result<(), Failure> {
    let dialect = match engine {
        Engine::Datafusion => sql::Dialect::DataFusion,
        Engine::Spark => sql::Dialect::Spark,
        Engine::Duckdb => sql::Dialect::DuckDb,
    };
    let key = RankKey(random_bytes(world)?);
    let text = sql::aggregation(plan, &plan.digest(), &key, dialect, table, &sql::Source::Text);
    writeln!(world.out, "{}", text.map_err(|error| Failure::Usage(format!("--emit-sql: {error}")))?)?;
    Ok(())
}

/// Where the aggregates come from.
enum Source {
    Data(Box<Data>),
    File(Box<Aggregates>),
}

impl Source {
    /// Checks the header or schema; no row is read.
    fn of(plan: &ReleasePlan, run: &Run, data: Option<&str>) -> Result<Self, Failure> {
        if let Some(path) = &run.aggregates {
            // Read before the debit: another plan's file costs nothing.
            let found = aggregates::read(Path::new(path), plan, &plan.digest());
            let found = found.map_err(|error| Failure::usage(format!("--aggregates: {error}")))?;
            return Ok(Self::File(Box::new(found)));
        }
        let Some(data) = data else {
            return Err(Failure::Usage("--data: must name the .csv or .parquet file that the plan is for".into()));
        };
        let mut options = Options::default();
        if let Some(megabytes) = run.memory {
            options.memory = usize::try_from(megabytes).unwrap_or(usize::MAX).saturating_mul(1 << 20);
        }
        options.spill = run.spill.as_ref().map(PathBuf::from);
        if !run.quiet && std::io::stderr().is_terminal() {
            options.progress = Arc::new(progress());
        }
        match Data::open(plan, Path::new(data), options) {
            Ok(data) => Ok(Self::Data(Box::new(data))),
            // A name that leads nowhere is bad input; what fails later is the machine's.
            Err(EngineError::Io(error)) => Err(Failure::Usage(format!("the data: {data} could not be read: {error}"))),
            Err(error) => Err(error.into()),
        }
    }

    fn aggregates(&self, plan: &ReleasePlan, world: &mut World<'_>) -> Result<Aggregates, Failure> {
        match self {
            Self::File(found) => Ok(Aggregates::clone(found)),
            Self::Data(data) => {
                let key = RankKey(random_bytes(world)?);
                Ok(data.aggregate(plan, &plan.digest(), &key)?)
            }
        }
    }
}

/// Tells every percent on a line that is written over.
fn progress() -> impl Fn(u64, u64) + Send + Sync {
    let shown = AtomicU64::new(0);
    move |read, total| {
        let percent = u64::try_from(u128::from(read) * 100 / u128::from(total.max(1))).unwrap_or(100);
        if shown.fetch_max(percent, Ordering::Relaxed) < percent {
            let end = if percent >= 100 { "\n" } else { "" };
            let _ = write!(std::io::stderr(), "\raggregating: {percent} %{end}");
        }
    }
}

/// Where the results go, and in which format; checked before anything is debited.
struct Output {
    format: Format,
    file: Option<WholeFile>,
    receipt: Option<WholeFile>,
}

impl Output {
    fn of(run: &Run, input: &str, data: Option<&str>) -> Result<Self, Failure> {
        let inputs: Vec<&str> =
            [Some(input), data, run.ledger.as_deref(), run.aggregates.as_deref()].into_iter().flatten().collect();
        let to = |argument, name: &Option<String>| {
            name.as_deref().map(|name| WholeFile::to(argument, name, &inputs)).transpose()
        };
        let (file, receipt) = (to("--output", &run.output)?, to("--receipt", &run.receipt)?);
        if run.output.is_some() && run.output == run.receipt {
            return Err(Failure::Usage("--receipt: must name another file than --output".into()));
        }
        let format = match (run.json, run.format, file.as_ref().map(|file| file.ending()).as_deref()) {
            (true, ..) => Format::Json,
            (_, Some(format), _) => format,
            (_, None, Some("csv")) => Format::Csv,
            (_, None, Some("json")) => Format::Json,
            (_, None, Some("parquet")) => Format::Parquet,
            _ => Format::Table,
        };
        if format == Format::Parquet && file.is_none() {
            return Err(Failure::Usage("--format: parquet needs --output FILE".into()));
        }
        Ok(Self { format, file, receipt })
    }

    fn bytes(&self, document: &Document) -> Result<Vec<u8>, Failure> {
        Ok(match self.format {
            Format::Table if document.dry_run => dry_run_table(document).into_bytes(),
            Format::Table => table(document).into_bytes(),
            Format::Csv => csv(document).into_bytes(),
            Format::Json => document.to_bytes().map_err(|error| Failure::Environment(error.to_string()))?,
            Format::Parquet => parquet(document).map_err(|error| Failure::Environment(error.to_string()))?,
        })
    }

    fn print(&self, document: &Document, world: &mut World<'_>) -> Result<(), Failure> {
        let bytes = self.bytes(document)?;
        match &self.file {
            Some(file) => file.write(&bytes),
            None => {
                world.out.write_all(&bytes)?;
                Ok(world.out.flush()?)
            }
        }
    }

    /// Prints a release, and its receipt.
    fn finish(
        &self,
        plan: &ReleasePlan,
        document: &Document,
        head: Option<&Digest>,
        world: &mut World<'_>,
    ) -> Result<(), Failure> {
        self.print(document, world)?;
        if let Some(receipt) = &self.receipt {
            let bytes = document.to_bytes().map_err(|error| Failure::Environment(error.to_string()))?;
            let text = serde_json::to_string_pretty(&Receipt::new(plan, document, &bytes, head));
            receipt.write(text.map_err(|error| Failure::Environment(error.to_string()))?.as_bytes())?;
        }
        Ok(())
    }
}
