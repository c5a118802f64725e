//! `certus audit --canaries` and `certus canaries`: audits of training runs.

pub(super) mod arguments;
mod commitment;
mod declared;
mod document;
pub(super) mod draw;
mod many_runs;
mod print;
pub mod recorded;
mod table_file;

use std::{io::Write, time::Instant};

use serde_json::Value;

use self::{
    commitment::{Coins, Commitment},
    declared::{Declared, Given},
    document::Judged,
    table_file::TableFile,
};
use super::{
    Failure,
    arguments::{Audit, Expect, Shared},
    audit::thousandths,
    progress::{Progress, watched},
    render,
    source::{Source, seed},
    whole_file::{WholeFile, check_apart},
};
use certus::{bits::Bits, guarantee::Relation};
use certus_audit::{
    Verdict,
    canaries::{Canaries, Canary, CanaryError, Family, OneRun, Pairs, Plans, rates::rates},
};

/// The false positive rates at which true ones are told.
const RATES: [f64; 3] = [0.001, 0.01, 0.1];

/// What is only for canaries is refused without them.
pub(super) fn refuse_without(options: &Audit) -> Result<(), Failure> {
    match options.of_canaries.test.given() {
        Some(name) => Err(Failure::argument(name, "is for audits by canaries: --canaries FILE must be given")),
        None => Ok(()),
    }
}

pub(super) fn audit(options: &Audit, path: &str, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let report = options.report.as_deref().map(|path| WholeFile::to("--report", path, "canaries.html")).transpose()?;
    let of = &options.of_canaries;
    let inputs =
        [("--canaries", Some(path)), ("--coins", of.coins.as_deref()), ("--commitment", of.commitment.as_deref())];
    let inputs = inputs.into_iter().filter_map(|(argument, path)| Some((argument.to_owned(), path?.to_owned())));
    check_apart(&report.iter().collect::<Vec<_>>(), &inputs.collect::<Vec<_>>())?;
    let table = TableFile::read("--canaries", path)?;
    let progress = Progress::new(Some(0), "auditing", shared.quiet);
    let judged = watched(progress, |_| {
        let mut bits = Source::new(seed(shared.seed.as_deref())?)?;
        judge(options, path, &table, shared.seed.is_some(), &mut bits)
    })?;
    let document = judged.json();
    if let Some(report) = &report {
        report.write(page(&document).as_bytes())?;
    }
    if shared.json {
        writeln!(out, "{document}")?;
    } else {
        print::print(&document, shared.color.is_on(), out)?;
    }
    out.flush()?;
    let is_violation = judged.verdict == Verdict::Violation;
    let is_failure = match options.expect {
        Some(Expect::Violation) => !is_violation,
        Some(Expect::NoViolation) | None => is_violation || (options.strict && judged.verdict == Verdict::Inconclusive),
    };
    Ok(u8::from(is_failure))
}

/// What `--report` writes of a document.
fn page(document: &Value) -> String {
    render::canaries(document, print::verdict(document), &print::claimed(document), &text(document))
}

/// What the command prints of a document.
fn text(document: &Value) -> String {
    let mut text = Vec::new();
    // A vector takes all that is written.
    let _ = print::print(document, false, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Judges a table by what was declared.
fn judge(
    options: &Audit,
    name: &str,
    table: &TableFile,
    is_seeded: bool,
    bits: &mut impl Bits,
) -> Result<Judged, Failure> {
    let of = &options.of_canaries;
    let commitment = of.commitment.as_deref().map(|path| Commitment::read("--commitment", path)).transpose()?;
    let canaries = scored(table, of.coins.as_deref(), commitment.as_ref())?;
    let given = Given {
        test: &of.test,
        claim: options.claim.as_deref(),
        confidence: options.confidence.as_deref(),
        relation: of.relation.as_deref(),
    };
    let is_paired = table.has("pair");
    if is_paired && table.has("run") {
        return Err(table.refused("line 1: must have a column pair, or a column run, and not both"));
    }
    if is_paired && of.coins.is_some() {
        return Err(table.refused("line 1: pairs have their coins in the column in, and --coins has none of pairs"));
    }
    let pairs = if is_paired { table.pairs(&canaries)? } else { Vec::new() };
    let count = if is_paired { pairs.len() } else { canaries.len() } as u64;
    let committed = commitment.as_ref().map(|commitment| &commitment.declared);
    let declared = Declared::new(&given, count, committed)?;
    if let Some(committed) = committed {
        declared.check(committed)?;
    }
    if !declared.has_null() {
        let must = "must be given, such as --claim epsilon=1,delta=1e-6, or --plan SPEC";
        return Err(Failure::argument("--claim", must));
    }
    // A pair in which one is exchanged for the other is no record that comes or goes.
    let relation = declared.neighbours()?;
    match (is_paired, relation) {
        (true, Relation::AddRemove) => {
            let must = "must be change_one: of a pair one is in, and a claim for add_remove says nothing of that";
            return Err(Failure::argument("--relation", must));
        }
        (false, Relation::ChangeOne) => {
            let must = "must be add_remove: a canary is in or not, and only a file with a column pair changes one";
            return Err(Failure::argument("--relation", must));
        }
        _ => {}
    }
    let started = Instant::now();
    let mut judged = if table.has("run") {
        table.names("run")?;
        refuse_with_runs(&of.test)?;
        many_runs::judge(&canaries, &declared, bits)?
    } else {
        let canaries = match pairs.as_slice() {
            [] => Canaries::new(&canaries, bits),
            pairs => Canaries::of_pairs(pairs, bits),
        };
        one_run(&canaries.map_err(|error| table.refused(error))?, &declared)?
    };
    judged.seconds = thousandths(started.elapsed());
    judged.file = name.to_owned();
    judged.commitment = commitment.map(|commitment| commitment.sha256);
    judged.is_seeded = is_seeded;
    Ok(judged)
}

/// What is of guesses has no meaning where every run is counted.
fn refuse_with_runs(test: &arguments::Test) -> Result<(), Failure> {
    let given = [
        ("--guesses", test.guesses.is_some()),
        ("--method", test.method.is_some()),
        ("--scores", test.scores.is_some()),
        ("--independent", test.independent),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::argument(name, "is for the canaries of one run: the file has a column run")),
        None => Ok(()),
    }
}

/// The scores with their coins: the file's own, or those that were drawn, which are checked.
fn scored(table: &TableFile, coins: Option<&str>, commitment: Option<&Commitment>) -> Result<Vec<Canary>, Failure> {
    let scores = table.scores()?;
    let Some(path) = coins else {
        let coins = table.coins()?;
        return Ok(scores.into_iter().zip(coins).map(|(score, is_in)| Canary { score, is_in }).collect());
    };
    let coins = Coins::read("--coins", path)?;
    if let Some(commitment) = commitment {
        commitment.check(&coins)?;
    }
    if coins.len() != table.rows() {
        let (coins, rows) = (coins.len(), table.rows());
        return Err(table.refused(format_args!("must have a row for each of the {coins} coins, not {rows}")));
    }
    // By their numbers, or in their order.
    let numbers = if table.has("canary") { table.numbers("canary")? } else { (1..).take(scores.len()).collect() };
    let mut canaries = Vec::with_capacity(scores.len());
    for (row, (number, score)) in numbers.into_iter().zip(scores).enumerate() {
        let is_in = coins.coin(number);
        let refused = || table.refused_row(row, format_args!("column canary: must be from 1 to {}", coins.len()));
        canaries.push(Canary { score, is_in: is_in.ok_or_else(refused)? });
    }
    if table.has("in") && table.coins()?.iter().ne(canaries.iter().map(|canary| &canary.is_in)) {
        return Err(table.refused("column in: must be the coins that were drawn, where it is there"));
    }
    Ok(canaries)
}

/// The canaries of one run.
fn one_run(canaries: &Canaries, declared: &Declared) -> Result<Judged, Failure> {
    let refused = |error: CanaryError| {
        let argument = match &error {
            CanaryError::Guesses(_) => "--guesses",
            CanaryError::Method => "--method",
            CanaryError::NoPlan => "--independent",
            CanaryError::Confidence => "--confidence",
            CanaryError::Count | CanaryError::Score | CanaryError::Pair => "--canaries",
            _ if declared.plan.is_empty() => "--claim",
            _ => "--plan",
        };
        Failure::argument(argument, error)
    };
    let confidence = declared.confidence()?;
    let audit = OneRun::new(confidence.float()).map_err(refused)?;
    let audit = audit.guesses(&declared.guesses).method(declared.method()).guessing(declared.guessing());
    let audit = if declared.independent { audit.independent() } else { audit };
    let claim = declared.claimed()?;
    let (mut pairs, mut plans);
    let family: &mut dyn Family = match &claim {
        Some(claim) => {
            pairs = Pairs::new(claim.clone());
            &mut pairs
        }
        None => {
            let (specs, delta) = (declared.specs()?, declared.delta()?);
            plans = Plans::new(&specs, declared.neighbours()?, delta).map_err(refused)?;
            &mut plans
        }
    };
    let report = audit.run(canaries, family).map_err(refused)?;
    let rates = if canaries.is_paired() { Vec::new() } else { rates(canaries, &RATES, 0.05) };
    Ok(Judged::of_one_run(declared, claim, canaries, &report, family, rates))
}
