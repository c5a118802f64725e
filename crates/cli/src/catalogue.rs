//! `certus mechanisms`: every spec with its keys.

use std::io::Write;

use serde_json::json;

use super::{Failure, SCHEMA_VERSION, arguments::Shared};
use certus::mechanism::{CATALOGUE, Entry};

/// What `certus account` knows besides: nothing can be drawn from it without the data.
const ACCOUNT_ONLY: &[(&str, &str, &[&str])] = &[
    (
        "subsampled_gaussian",
        "gaussian, with its keys, on a sample that has every person with probability `rate`, for add/remove neighbours; of ONE number, not of a gradient",
        &["subsampled_gaussian(sigma=2, rate=1/100)*1000"],
    ),
    (
        "subsampled_laplace",
        "laplace, with its keys, on a sample that has every person with probability `rate`, for add/remove neighbours",
        &["subsampled_laplace(scale=2, rate=1/100)*1000"],
    ),
    (
        "subsampled_gaussian_vector",
        "gaussian_vector, with its keys and up to 2^40 coordinates, on a sample that has every person with probability `rate`, for add/remove neighbours",
        &["subsampled_gaussian_vector(sigma=100, coordinates=1000, sensitivity2=10000, rate=1/100)*1000"],
    ),
    (
        "dp_sgd",
        "a step of DP-SGD: a vector of `coordinates` integers, of a sample at `rate`, clipped to an L2 norm of `clip` steps of its grid, with Gaussian noise of sigma = noise_multiplier*clip; for add/remove neighbours",
        &["dp_sgd(noise_multiplier=1, rate=1/100, clip=1048576, coordinates=1000000)*1000"],
    ),
];

pub(super) fn run(shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    if shared.json {
        let mechanisms: Vec<_> = CATALOGUE
            .iter()
            .flat_map(|family| family.entries.iter().map(|entry| entry_json(family.name, entry)))
            .collect();
        let account_only: Vec<_> = ACCOUNT_ONLY
            .iter()
            .map(|(name, summary, examples)| json!({ "name": name, "summary": summary, "examples": examples }))
            .collect();
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "mechanisms": mechanisms,
            "account_only": account_only,
        });
        writeln!(out, "{document}")?;
        return Ok(0);
    }
    for family in CATALOGUE {
        writeln!(out, "== {}\n", family.name)?;
        for entry in family.entries {
            print(entry, out)?;
        }
    }
    writeln!(out, "== in accounts only\n")?;
    for (name, summary, examples) in ACCOUNT_ONLY {
        writeln!(out, "{name}\n  {summary}")?;
        for example in *examples {
            writeln!(out, "  certus account '{example}' --delta 1e-6")?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "A number is an integer, a decimal, scientific notation or a fraction, read exactly: 3, 0.1, 1e-6, 355/113."
    )?;
    writeln!(out, "Copies: `certus account` takes 'laplace(scale=5/2)*100', the same mechanism 100 times.")?;
    Ok(0)
}

fn entry_json(family: &str, entry: &Entry) -> serde_json::Value {
    let keys: Vec<_> = entry.keys.iter().map(|(key, accepts)| json!({ "key": key, "accepts": accepts })).collect();
    json!({
        "name": entry.name,
        "family": family,
        "aliases": entry.aliases,
        "summary": entry.summary,
        "input": entry.input,
        "keys": keys,
        "examples": entry.examples,
    })
}

fn print(entry: &Entry, out: &mut dyn Write) -> Result<(), Failure> {
    write!(out, "{}", entry.name)?;
    if !entry.aliases.is_empty() {
        write!(out, " (also {})", entry.aliases.join(", "))?;
    }
    writeln!(out, "\n  {}", entry.summary)?;
    writeln!(out, "  {:<12} {}", "--input", entry.input)?;
    for (key, accepts) in entry.keys {
        writeln!(out, "  {key:<12} {accepts}")?;
    }
    for example in entry.examples {
        writeln!(out, "  certus sample '{example}'")?;
    }
    writeln!(out)?;
    Ok(())
}
