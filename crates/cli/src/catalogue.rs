//! `certus mechanisms`: every spec with its keys.

use std::io::Write;

use serde_json::json;

use super::{Failure, SCHEMA_VERSION, arguments::Shared, suggest::nearest};
use certus::{
    guarantee::{Privacy, Relation},
    mechanism::{AnyMechanism, CATALOGUE, Entry, Excerpt, entry, from_spec},
};

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

pub(super) fn run(name: Option<&str>, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    if let Some(name) = name {
        return one(name, shared, out);
    }
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

/// All of one mechanism: what it does, what it takes, what it guarantees, and where to go on.
fn one(name: &str, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    if let Some((name, summary, examples)) = ACCOUNT_ONLY.iter().find(|(known, ..)| *known == name) {
        if shared.json {
            let document =
                json!({ "schema_version": SCHEMA_VERSION, "name": name, "summary": summary, "examples": examples });
            writeln!(out, "{document}")?;
            return Ok(0);
        }
        writeln!(out, "{name}: in accounts only\n  {summary}")?;
        for example in *examples {
            writeln!(out, "  certus account '{example}' --delta 1e-6")?;
        }
        return Ok(0);
    }
    let Some(entry) = entry(name) else {
        let names = CATALOGUE.iter().flat_map(|family| family.entries).map(|entry| entry.name);
        let names = names.chain(ACCOUNT_ONLY.iter().map(|(name, ..)| *name));
        let meant = nearest(name, names).map_or_else(String::new, |name| format!("; did you mean {name}?"));
        let given = Excerpt::new(name);
        return Err(Failure::argument(
            "NAME",
            format_args!("must be a mechanism that `certus mechanisms` lists, not {given}{meant}"),
        ));
    };
    let guarantees: Vec<(&str, Option<String>)> = entry.examples.iter().map(|spec| (*spec, guarantee(spec))).collect();
    if shared.json {
        let family = CATALOGUE.iter().find(|family| family.entries.iter().any(|other| other.name == entry.name));
        let mut document = entry_json(family.map_or("", |family| family.name), entry);
        if let Some(document) = document.as_object_mut() {
            document.insert("schema_version".into(), SCHEMA_VERSION.into());
            let guarantees: Vec<_> =
                guarantees.iter().map(|(spec, is)| json!({ "spec": spec, "guarantee": is })).collect();
            document.insert("guarantees".into(), guarantees.into());
        }
        writeln!(out, "{document}")?;
        return Ok(0);
    }
    print(entry, out)?;
    for (spec, guarantee) in guarantees {
        writeln!(out, "{spec}")?;
        if let Some(guarantee) = guarantee {
            writeln!(out, "  guarantees   {guarantee}")?;
        }
        writeln!(out, "  its account  certus account '{spec}' --delta 1e-6")?;
        writeln!(out, "  its audit    certus audit '{spec}'")?;
        writeln!(out, "  certified    certus certify '{spec}'")?;
    }
    Ok(0)
}

/// What a mechanism states of itself, for which neighbours.
fn guarantee(spec: &str) -> Option<String> {
    stated(&*from_spec(&spec.parse().ok()?).ok()?)
}

/// What a mechanism states of itself, in words.
pub(super) fn stated(mechanism: &dyn AnyMechanism) -> Option<String> {
    let privacy = match mechanism.privacy()? {
        Privacy::Pure { epsilon } => format!("pure, epsilon = {epsilon}"),
        Privacy::Approximate { epsilon, delta } => format!("approximate, epsilon = {epsilon}, delta = {delta}"),
        Privacy::Zcdp { rho } => format!("zCDP, rho = {rho}"),
        _ => return None,
    };
    let neighbours = match mechanism.relation() {
        Some(Relation::AddRemove) => "for neighbours of which one has a record more",
        Some(Relation::ChangeOne) => "for neighbours that differ in one record",
        _ => "for answers that differ by the sensitivity",
    };
    Some(format!("{privacy}, {neighbours}"))
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
