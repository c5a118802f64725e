//! `certus ledger show`, `verify` and `head`: read a ledger, and write nothing.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::{
    arguments::Look,
    document::{lines, spending},
    expected, failure, path,
};
use crate::{Failure, SCHEMA_VERSION, arguments::Shared};
use certus::exact::Rounding;
use certus_ledger::book::{Blame, Book, BookError, Reading, State};

fn read(options: &Look) -> Result<Result<Reading, BookError>, Failure> {
    let (path, expected) = (path(&options.file)?, expected(options.expect_head.as_deref())?);
    Ok(Book::read(path, expected.as_ref()))
}

pub(super) fn head(options: &Look, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let reading = read(options)?.map_err(|error| failure(&options.file, &error))?;
    if shared.json {
        let (head, records) = (reading.head(), reading.records());
        writeln!(out, "{}", json!({ "schema_version": SCHEMA_VERSION, "head": head, "records": records }))?;
    } else {
        writeln!(out, "{}", reading.head())?;
    }
    Ok(0)
}

/// What is damaged, or not the expected ledger, is a verdict: exit status 1. What cannot be read is an error.
pub(super) fn verify(options: &Look, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let reading = match read(options)? {
        Ok(reading) => reading,
        Err(error) if error.blame() == Blame::Ledger && !matches!(error, BookError::NotAFile) => {
            let problem = error.to_string();
            if shared.json {
                let document = json!({ "schema_version": SCHEMA_VERSION, "valid": false, "problem": problem });
                writeln!(out, "{document}")?;
            } else {
                writeln!(out, "INVALID   {}: {problem}", options.file)?;
            }
            return Ok(1);
        }
        Err(error) => return Err(failure(&options.file, &error)),
    };
    if shared.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "valid": true,
            "head": reading.head(),
            "records": reading.records(),
            "torn_bytes": reading.torn(),
            "head_expected": options.expect_head.is_some(),
        });
        writeln!(out, "{document}")?;
        return Ok(0);
    }
    writeln!(
        out,
        "valid     {}: {} records, each with the hash of the one before it",
        options.file,
        reading.records()
    )?;
    print_end(&reading, out)?;
    match options.expect_head {
        Some(_) => writeln!(out, "expected  the head that was given is in the chain")?,
        None => writeln!(out, "note      without --expect-head, a restored backup or a truncated file is not told")?,
    }
    Ok(0)
}

pub(super) fn show(options: &Look, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let reading = read(options)?.map_err(|error| failure(&options.file, &error))?;
    let state = reading.state();
    if shared.json {
        let mut document = spending(state);
        let fields = [
            ("schema_version", SCHEMA_VERSION.into()),
            ("head", reading.head().to_string().into()),
            ("records", reading.records().into()),
            ("torn_bytes", reading.torn().into()),
            ("releases", releases(state)),
        ];
        if let Some(document) = document.as_object_mut() {
            document.extend(fields.map(|(key, value)| (key.to_owned(), value)));
        }
        writeln!(out, "{document}")?;
        return Ok(0);
    }
    print_spending(state, out)?;
    let count = state.releases().count();
    let without = state.releases().filter(|(_, release)| !release.has_result()).count();
    writeln!(out, "releases  {count}, of which {without} have no result")?;
    for (id, release) in state.releases() {
        let by = release.analyst().map_or_else(String::new, |analyst| format!(", by {analyst}"));
        let result = if release.has_result() { "has a result" } else { "NO result" };
        writeln!(out, "          {id}: paid {} times, {result}{by}", release.debits())?;
    }
    print_end(&reading, out)?;
    Ok(0)
}

fn releases(state: &State) -> Value {
    let release = |(id, release): (&certus_ledger::book::ReleaseId, &certus_ledger::book::Release)| {
        let costs: Vec<_> = release.costs().map(|(spec, copies)| json!({ "spec": spec, "copies": copies })).collect();
        let document = json!({
            "plan": release.plan(),
            "analyst": release.analyst(),
            "debits": release.debits(),
            "has_result": release.has_result(),
            "costs": costs,
        });
        (id.to_string(), document)
    };
    state.releases().map(release).collect::<Map<_, _>>().into()
}

/// A budget is rounded down beside its fraction, and so is what is left of it; what was spent is rounded up.
pub(super) fn print_spending(state: &State, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "ledger    {}", state.ledger())?;
    writeln!(out, "relation  {}", state.relation().key())?;
    let (budget, spent, left) = (state.budget(), state.spent(), state.left());
    let rows = [("budget", budget, Rounding::Down), ("spent", &spent, Rounding::Up), ("left", &left, Rounding::Down)];
    for (name, amount, rounding) in rows {
        for (place, line) in lines(amount, rounding).into_iter().enumerate() {
            writeln!(out, "{:<9} {line}", if place == 0 { name } else { "" })?;
        }
    }
    for (place, analyst) in state.analysts().enumerate() {
        let Some((budget, _, left)) = state.of_analyst(analyst) else { continue };
        let of = |budget| lines(budget, Rounding::Down).join(", ");
        let name = if place == 0 { "analysts" } else { "" };
        writeln!(out, "{name:<9} {analyst}: {} left of {}", of(&left), of(budget))?;
    }
    Ok(())
}

fn print_end(reading: &Reading, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "head      {}", reading.head())?;
    if reading.torn() > 0 {
        let torn = reading.torn();
        writeln!(out, "torn      {torn} bytes of a write that was never acknowledged; the next release cuts them off")?;
    }
    Ok(())
}
