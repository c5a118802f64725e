//! `certus canaries`: fair coins, drawn before training, and a commitment to them.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use serde_json::json;

use super::{
    arguments::Draw,
    commitment::{Coins, Commitment},
    declared::{Declared, Given},
};
use crate::{
    Failure, SCHEMA_VERSION,
    arguments::Shared,
    source::{Source, count, seed},
};
use certus_audit::canaries::MOST_CANARIES;

pub(crate) fn run(options: &Draw, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let canaries = count("--draw", &options.draw, 1, MOST_CANARIES as u64)?;
    let given = Given {
        test: &options.test,
        claim: options.claim.as_deref(),
        confidence: options.confidence.as_deref(),
        relation: None,
    };
    let declared = Declared::new(&given, canaries, None)?;
    if declared.method == "steinke" && !declared.plan.is_empty() {
        return Err(Failure::argument("--method", certus_audit::canaries::CanaryError::Method));
    }
    for (argument, path) in [("--coins", &options.coins), ("--commit", &options.commit)] {
        if Path::new(path).exists() {
            return Err(Failure::argument(argument, format_args!("{path} is there already, and is never replaced")));
        }
    }
    if options.coins == options.commit {
        return Err(Failure::argument("--commit", "must name another file than --coins"));
    }
    let coins = Coins::draw(canaries, &mut Source::new(seed(shared.seed.as_deref())?)?)?;
    let commitment = Commitment::new(declared, &coins)?;
    write_new("--coins", &options.coins, &coins.text(), true)?;
    write_new("--commit", &options.commit, &commitment.text()?, false)?;
    if shared.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "canaries": canaries,
            "declared": commitment.declared,
            "sha256": commitment.sha256,
            "coins": options.coins,
            "commitment": options.commit,
        });
        writeln!(out, "{document}")?;
    } else {
        writeln!(out, "coins       {}: {canaries}, secret until the scores are fixed", options.coins)?;
        writeln!(out, "commitment  {}: publish it before you train", options.commit)?;
        writeln!(out, "sha256      {}", commitment.sha256)?;
        if !commitment.declared.has_null() {
            writeln!(out, "note        neither --claim nor --plan: what will be tested is not committed to")?;
        }
    }
    out.flush()?;
    Ok(0)
}

/// Writes a file that is not there yet; a secret one can be read by its owner alone.
fn write_new(argument: &str, path: &str, content: &str, is_secret: bool) -> Result<(), Failure> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_secret {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    let written = options.open(path).and_then(|mut file| {
        file.write_all(content.as_bytes())?;
        file.sync_all()
    });
    written
        .map_err(|error: io::Error| Failure::Environment(format!("{argument}: {path} could not be written: {error}")))
}
