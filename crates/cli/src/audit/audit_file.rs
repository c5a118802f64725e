//! Audit files: many targets, what is claimed of each, and what is expected.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{
    files, scales, search,
    settings::{Confidence, MOST_SAMPLES, Settings, timeout},
    tally_files,
    target::{Origin, SpecArguments, Target},
};
use crate::{
    Failure,
    account::read_text,
    arguments::{Audit, Expect, Format, Neighbours},
    source::count,
    toml_file::{kind, lines_of, number, refuse_unknown, tables, with_document},
};
use certus::exact::{Rational, parse};
use certus_audit::{Claim, LEAST_SAMPLES};
use clap::ValueEnum as _;
use num_traits::Zero;

const DEFAULTS: &[&str] = &["samples", "confidence", "timeout"];

const KEYS: &[&str] = &[
    "name",
    "about",
    "claim",
    "expect",
    "samples",
    "scales",
    "timeout",
    "requires",
    "spec",
    "inputs",
    "a",
    "b",
    "command",
    "base",
    "neighbours",
    "pairs",
    "samples_a",
    "samples_b",
    "format",
    "column",
    "tally_a",
    "tally_b",
];

/// The first keys are for targets of every kind.
const OF_ALL: usize = 8;

/// What a target's samples come from.
const ORIGINS: &str = "spec; a and b; command with base or pairs; samples_a and samples_b; tally_a and tally_b";

/// The targets of a file. What it says of the whole run is taken over where no argument says otherwise.
pub(super) fn targets(path: &str, options: &Audit, settings: &mut Settings) -> Result<Vec<Target>, Failure> {
    targets_of(path, &read_text(path)?, options, settings)
}

/// The same, of a file that was read. Nothing is run.
pub(super) fn targets_of(
    path: &str,
    text: &str,
    options: &Audit,
    settings: &mut Settings,
) -> Result<Vec<Target>, Failure> {
    with_document(path, text, |document| {
        refuse_unknown(path, document, &["defaults", "target"], "[defaults] and [[target]]")?;
        let samples = defaults(path, document, options, settings)?;
        let tables = tables(path, document, "target")?;
        let mut targets = Vec::new();
        let lines = lines_of(text, document, "target");
        for ((place, table), line) in (1..).zip(tables).zip(lines) {
            let target = Table { path, place: format!("{path}: target {place}"), table }.target(options)?;
            if targets.iter().any(|other: &Target| other.name == target.name) {
                return Err(Failure::Usage(format!(
                    "{path}: target {place}: name: must be of its own, not {} again",
                    target.name
                )));
            }
            targets.push(Target { samples: target.samples.or(samples), line: Some(line), ..target });
        }
        Ok(targets)
    })
}

fn defaults(
    path: &str,
    document: &DeTable<'_>,
    options: &Audit,
    settings: &mut Settings,
) -> Result<Option<u64>, Failure> {
    let place = format!("{path}: defaults");
    let Some(value) = document.get("defaults").map(|value| value.get_ref()) else { return Ok(None) };
    let table = value.as_table().ok_or_else(|| Failure::Usage(format!("{place}: must be a table, [defaults]")))?;
    refuse_unknown(&place, table, DEFAULTS, &DEFAULTS.join(", "))?;
    let table = Table { path, place, table };
    if let Some(confidence) = table.number("confidence")?
        && options.confidence.is_none()
    {
        settings.confidence = Confidence::parse(&table.key("confidence"), confidence)?;
    }
    if let Some(seconds) = table.number("timeout")?
        && options.timeout.is_none()
    {
        settings.timeout = timeout(&table.key("timeout"), Some(seconds))?;
    }
    table.samples()
}

/// A table of the file, and where it stands.
struct Table<'a, 't> {
    path: &'a str,
    place: String,
    table: &'a DeTable<'t>,
}

impl<'a, 't> Table<'a, 't> {
    fn key(&self, key: &str) -> String {
        format!("{}: {key}", self.place)
    }

    fn refused(&self, what: impl std::fmt::Display) -> Failure {
        Failure::Usage(format!("{}: {what}", self.place))
    }

    fn of(&self, key: &str) -> Option<&'a DeValue<'t>> {
        self.table.get(key).map(|value| value.get_ref())
    }

    fn text(&self, key: &str) -> Result<Option<String>, Failure> {
        let Some(value) = self.of(key) else { return Ok(None) };
        match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(self.refused(format_args!("{key}: must be a string, not {}", kind(value)))),
        }
    }

    fn number(&self, key: &str) -> Result<Option<&'a str>, Failure> {
        let Some(value) = self.of(key) else { return Ok(None) };
        let text = number(value);
        text.map(Some).ok_or_else(|| self.refused(format_args!("{key}: must be a number, not {}", kind(value))))
    }

    fn samples(&self) -> Result<Option<u64>, Failure> {
        let text = self.number("samples")?;
        text.map(|text| count(&self.key("samples"), text, LEAST_SAMPLES, MOST_SAMPLES)).transpose()
    }

    /// A list of texts or numbers, as texts; one alone counts as a list.
    fn list(&self, key: &str) -> Result<Option<Vec<String>>, Failure> {
        let Some(value) = self.of(key) else { return Ok(None) };
        let wrong = || self.refused(format_args!("{key}: must be a list of strings or numbers"));
        let entries = match value.as_array() {
            Some(list) => list.iter().map(|entry| number(entry.get_ref()).map(str::to_owned)).collect(),
            None => number(value).map(|text| vec![text.to_owned()]),
        };
        entries.map(Some).ok_or_else(wrong)
    }

    /// Two texts.
    fn two(&self, key: &str) -> Result<Option<(String, String)>, Failure> {
        let Some(list) = self.list(key)? else { return Ok(None) };
        match <[String; 2]>::try_from(list) {
            Ok([a, b]) => Ok(Some((a, b))),
            Err(_) => Err(self.refused(format_args!("{key}: must be a list of two"))),
        }
    }

    fn claim(&self) -> Result<Option<Claim>, Failure> {
        let Some(value) = self.of("claim") else { return Ok(None) };
        let must = "claim: must be { epsilon = E, delta = D }, where delta may be left out";
        let table = value.as_table().ok_or_else(|| self.refused(must))?;
        let table = Table { path: self.path, place: self.key("claim"), table };
        refuse_unknown(&table.place, table.table, &["epsilon", "delta"], "epsilon and delta")?;
        let read = |key: &str| -> Result<Option<Rational>, Failure> {
            let text = table.number(key)?;
            text.map(|text| parse(text).map_err(|error| table.refused(format_args!("{key}: {error}")))).transpose()
        };
        let epsilon = read("epsilon")?.ok_or_else(|| self.refused(must))?;
        let claim = Claim::new(epsilon, read("delta")?.unwrap_or_else(Rational::zero));
        claim.map(Some).map_err(|error| table.refused(error))
    }

    /// A path is relative to the file.
    fn beside(&self, path: &str) -> String {
        let folder = Path::new(self.path).parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or_else(|| path.to_owned(), |folder| folder.join(path).to_string_lossy().into_owned())
    }

    fn folder(&self) -> Option<String> {
        let folder = Path::new(self.path).parent().filter(|folder| !folder.as_os_str().is_empty())?;
        Some(folder.to_string_lossy().into_owned())
    }

    fn target(&self, options: &Audit) -> Result<Target, Failure> {
        refuse_unknown(&self.place, self.table, KEYS, &KEYS.join(", "))?;
        let claim = self.claim()?;
        let mut target = self.origin(options, claim)?;
        if let Some(name) = self.text("name")? {
            target.name = name;
        }
        if let Some(about) = self.text("about")? {
            target.about = about;
        }
        target.expect = match self.text("expect")? {
            None => None,
            Some(text) => Some(
                Expect::from_str(&text, false)
                    .map_err(|_| self.refused(format_args!("expect: must be \"violation\" or \"no-violation\"")))?,
            ),
        };
        target.samples = self.samples()?;
        target.timeout = match self.number("timeout")? {
            Some(seconds) => Some(timeout(&self.key("timeout"), Some(seconds))?),
            None => None,
        };
        target.scales = scales(&self.key("scales"), &self.list("scales")?.unwrap_or_default())?;
        target.requires = self.text("requires")?;
        target.folder = self.folder();
        Ok(target)
    }

    fn origin(&self, options: &Audit, claim: Option<Claim>) -> Result<Target, Failure> {
        let keys = ["spec", "a", "command", "samples_a", "tally_a"];
        let given: Vec<&str> = keys.into_iter().filter(|key| self.of(key).is_some()).collect();
        let wrong = || self.refused(format_args!("must have one of: {ORIGINS}"));
        let [kind] = given[..] else { return Err(wrong()) };
        let own: &[&str] = match kind {
            "spec" => &["spec", "inputs"],
            "a" => &["a", "b"],
            "command" => &["command", "base", "neighbours", "pairs"],
            "samples_a" => &["samples_a", "samples_b", "format", "column"],
            _ => &["tally_a", "tally_b"],
        };
        let other = KEYS.iter().skip(OF_ALL).find(|key| self.of(key).is_some() && !own.contains(key));
        if let Some(other) = other {
            return Err(self.refused(format_args!("{other}: has no meaning beside {kind}")));
        }
        if kind == "tally_a" && self.of("samples").is_some() {
            return Err(self.refused("samples: has no meaning for tallies: all that they counted is audited"));
        }
        if kind == "spec" {
            let spec = self.text("spec")?.ok_or_else(wrong)?;
            let inputs = self.two("inputs")?;
            if inputs.is_some() && claim.is_none() {
                return Err(
                    self.refused("claim: must be given beside inputs: what the spec guarantees is for neighbours")
                );
            }
            let inputs = inputs.as_ref().map(|(a, b)| (a.as_str(), b.as_str()));
            let [spec_key, inputs_key, claim_key] = ["spec", "inputs", "claim"].map(|key| self.key(key));
            let arguments = SpecArguments { spec: &spec_key, inputs: &inputs_key, claim: &claim_key };
            return Target::of_spec(arguments, &spec, claim, inputs, options.sampler);
        }
        let claim = claim.ok_or_else(|| self.refused("claim: must be given, such as { epsilon = 1 }"))?;
        let arguments = |a: &str, b: &str| (self.key(a), self.key(b));
        let both = |a: &str, b: &str| -> Result<(String, String), Failure> {
            Ok((self.text(a)?.ok_or_else(wrong)?, self.text(b)?.ok_or_else(wrong)?))
        };
        let origin = match kind {
            "a" => {
                let (a, b) = both("a", "b")?;
                Origin::Commands { a, b, arguments: arguments("a", "b") }
            }
            "command" => {
                let command = self.text("command")?.ok_or_else(wrong)?;
                if !command.contains(search::PLACE) {
                    return Err(self.refused("command: must hold {} where its data go"));
                }
                Origin::Search { command, pairs: self.pairs()?, argument: self.key("command") }
            }
            "samples_a" => {
                let (a, b) = both("samples_a", "samples_b")?;
                let (a, b) = (self.beside(&a), self.beside(&b));
                let format = match self.text("format")? {
                    None => None,
                    Some(text) => Some(
                        Format::from_str(&text, false)
                            .map_err(|_| self.refused("format: must be text, csv, ndjson, f64 or i64"))?,
                    ),
                };
                let names = arguments("samples_a", "samples_b");
                files::open(&names.0, &a)?;
                files::open(&names.1, &b)?;
                let format = files::format_of_both((&names.0, &a), (&names.1, &b), format)?;
                Origin::Samples { a, b, format, column: self.text("column")?, arguments: names }
            }
            _ => {
                let files = |key: &str| -> Result<Vec<String>, Failure> {
                    let files = self.list(key)?.ok_or_else(wrong)?;
                    Ok(files.iter().map(|path| self.beside(path)).collect())
                };
                let (a, b, names) = (files("tally_a")?, files("tally_b")?, arguments("tally_a", "tally_b"));
                // Refused before anything runs.
                tally_files::merged(&names.0, &a)?;
                tally_files::merged(&names.1, &b)?;
                Origin::Tallies { a, b, arguments: names }
            }
        };
        Ok(Target::new(&self.place, claim, origin))
    }

    /// The pairs of data of a command: those that are listed, and the patterns around a base.
    fn pairs(&self) -> Result<Vec<(String, String)>, Failure> {
        let mut pairs = Vec::new();
        if let Some(value) = self.of("pairs") {
            let wrong = || self.refused("pairs: must be a list of pairs, such as [[\"0\", \"1\"], [\"1,1\", \"1,2\"]]");
            for pair in value.as_array().ok_or_else(wrong)? {
                let pair = pair.get_ref().as_array().ok_or_else(wrong)?;
                let sides: Option<Vec<String>> =
                    pair.iter().map(|side| number(side.get_ref()).map(str::to_owned)).collect();
                let sides = sides.and_then(|sides| <[String; 2]>::try_from(sides).ok());
                let [a, b] = sides.ok_or_else(wrong)?;
                pairs.push((a, b));
            }
        }
        if let Some(base) = self.list("base")? {
            let neighbours = match self.text("neighbours")? {
                None => Neighbours::One,
                Some(text) => Neighbours::from_str(&text, false)
                    .map_err(|_| self.refused("neighbours: must be one, record or each"))?,
            };
            pairs.extend(search::patterns(&self.key("base"), &base.join(","), neighbours)?);
        }
        if pairs.is_empty() {
            return Err(self.refused("command: needs pairs, or a base"));
        }
        Ok(pairs)
    }
}
