//! `certus ledger`: makes a ledger, and looks at one.

pub(super) mod arguments;
mod document;
mod init;
mod look;

use std::{io::Write, path::Path};

use self::arguments::Ledger;
use super::{Failure, arguments::Shared};
use certus_ledger::book::{Blame, BookError, Head};

pub(super) fn run(command: &Ledger, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    if shared.seed.is_some() {
        return Err(Failure::argument("--seed", "must not be given: a ledger draws no noise"));
    }
    let status = match command {
        Ledger::Init(options) => init::run(options, shared, out),
        Ledger::Show(options) => look::show(options, shared, out),
        Ledger::Verify(options) => look::verify(options, shared, out),
        Ledger::Head(options) => look::head(options, shared, out),
    }?;
    out.flush()?;
    Ok(status)
}

/// The file that an argument names.
fn path(file: &str) -> Result<&Path, Failure> {
    if file.is_empty() {
        return Err(Failure::argument("FILE", "must name a file, such as people.ledger, not nothing"));
    }
    Ok(Path::new(file))
}

/// The head that a caller holds.
fn expected(text: Option<&str>) -> Result<Option<Head>, Failure> {
    let refused = |text: &str| Failure::value("--expect-head", text, "must be 64 hex digits");
    text.map(|text| text.parse().map_err(|_| refused(text))).transpose()
}

/// A ledger's refusal, with the file's name and an exit status.
fn failure(file: &str, error: &BookError) -> Failure {
    let line = format!("{file}: {error}");
    match (error.blame(), error) {
        (Blame::Budget, _) => Failure::Budget(line),
        // What cannot be read is bad input, as for every file that an argument names.
        (_, BookError::Io { what: "opened", .. }) => Failure::Usage(line),
        (Blame::Environment, _) => Failure::Environment(line),
        _ => Failure::Usage(line),
    }
}
