//! What is audited, and how its samples come.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use clap::ValueEnum as _;
use num_traits::Zero;
use serde_json::{Value, json};

use super::{
    files::SampleFile,
    settings::{SAMPLES, Settings},
    tally_files,
};
use crate::{
    Failure,
    arguments::{Expect, Format, Sampler},
    suggest,
};
use certus::{
    account,
    exact::{NonNegative, Probability, Rational, Rounding, decimal, parse},
    guarantee::Privacy,
    mechanism::{AnyMechanism, Entry, Spec, entry, from_spec},
    sample::{self, fixed::Mode},
};
use certus_audit::{Claim, Own, OwnError, SampleError, Sampled, outputs::Tally, tallies_counted, zoo::Specimen};

/// Something to audit, with what is claimed of it.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) claim: Claim,
    pub(super) expect: Option<Expect>,
    /// Outputs a side, if it has a number of its own.
    pub(super) samples: Option<u64>,
    pub(super) scales: Vec<f64>,
    pub(super) origin: Origin,
    /// A command that must succeed, or the target is skipped.
    pub(super) requires: Option<String>,
    /// How long its commands may take, if it has a bound of its own, and where they run.
    pub(super) timeout: Option<Duration>,
    pub(super) folder: Option<String>,
    /// The line of the audit file that it begins on.
    pub(super) line: Option<u64>,
}

/// Where the samples come from.
#[derive(Debug)]
pub(super) enum Origin {
    Mechanism {
        spec: Spec,
        own: Box<Own>,
        inputs: (String, String),
        sampler: Sampler,
    },
    Zoo(&'static Specimen),
    Commands {
        a: String,
        b: String,
        arguments: (String, String),
    },
    Search {
        command: String,
        pairs: Vec<(String, String)>,
        argument: String,
    },
    Samples {
        a: String,
        b: String,
        format: Format,
        column: Option<String>,
        arguments: (String, String),
    },
    Tallies {
        a: Vec<String>,
        b: Vec<String>,
        arguments: (String, String),
    },
    /// A function of another language that ran before the audit, on these inputs.
    Function {
        inputs: (String, String),
    },
}

/// The most copies that are audited together.
const MOST_COPIES: u64 = 100;

/// What a spec, its inputs and its claim are called where they were given.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpecArguments<'a> {
    pub(super) spec: &'a str,
    pub(super) inputs: &'a str,
    pub(super) claim: &'a str,
}

impl SpecArguments<'static> {
    /// On the command line.
    pub(super) const OF_COMMAND: Self = Self { spec: "SPEC", inputs: "--input", claim: "--claim" };
}

impl Target {
    /// A target with nothing but a name, a claim and samples.
    pub(super) fn new(name: &str, claim: Claim, origin: Origin) -> Self {
        Self {
            name: name.to_owned(),
            about: String::new(),
            claim,
            expect: None,
            samples: None,
            scales: Vec::new(),
            origin,
            requires: None,
            timeout: None,
            folder: None,
            line: None,
        }
    }

    /// The files that its samples are read from, each with the argument that named it.
    pub(super) fn files(&self) -> Vec<(&str, &str)> {
        let (a, b, arguments): (&[String], &[String], _) = match &self.origin {
            Origin::Samples { a, b, arguments, .. } => (std::slice::from_ref(a), std::slice::from_ref(b), arguments),
            Origin::Tallies { a, b, arguments } => (a, b, arguments),
            _ => return Vec::new(),
        };
        let a = a.iter().map(|path| (arguments.0.as_str(), path.as_str()));
        a.chain(b.iter().map(|path| (arguments.1.as_str(), path.as_str()))).collect()
    }

    /// How many outputs a side this run draws; of files, at most.
    pub(super) fn wanted(&self, settings: &Settings) -> u64 {
        let of_files = matches!(self.origin, Origin::Samples { .. } | Origin::Tallies { .. });
        settings.samples.or(self.samples).unwrap_or(if of_files { u64::MAX } else { SAMPLES })
    }

    /// How many outputs of both sides are drawn in all, for a bar; of files nobody knows.
    pub(super) fn work(&self, settings: &Settings) -> u64 {
        match &self.origin {
            Origin::Samples { .. } | Origin::Tallies { .. } => 0,
            Origin::Search { pairs, .. } => {
                2 * (self.wanted(settings)
                    + certus_audit::inputs::pilot_samples(self.wanted(settings)) * pairs.len() as u64)
            }
            _ => 2 * self.wanted(settings),
        }
    }

    /// The samples of both sides.
    pub(super) fn draw(
        &self,
        samples: u64,
        settings: &Settings,
        seed: [u8; 32],
        done: &Arc<AtomicU64>,
    ) -> Result<(Tally, Tally), Failure> {
        match &self.origin {
            Origin::Mechanism { own, .. } => sampled(&**own, samples, seed, done),
            Origin::Zoo(specimen) => sampled(*specimen, samples, seed, done),
            Origin::Commands { a, b, arguments } => {
                self.run_both((&arguments.0, a), (&arguments.1, b), samples, settings, done)
            }
            Origin::Search { command, pairs, argument } => {
                let (a, b) = pairs.first().ok_or_else(|| Failure::argument(argument, "has no pair of inputs"))?;
                let (a, b) = (super::search::with_data(command, a), super::search::with_data(command, b));
                self.run_both((argument, &a), (argument, &b), samples, settings, done)
            }
            Origin::Samples { a, b, format, column, arguments } => {
                let file = |argument, path| SampleFile { argument, path, format: *format, column: column.as_deref() };
                let a = file(&arguments.0, a).tally("a", samples)?;
                let b = file(&arguments.1, b).tally("b", samples)?;
                done.fetch_add(a.samples() + b.samples(), Ordering::Relaxed);
                Ok((a, b))
            }
            Origin::Tallies { a, b, arguments } => {
                Ok((tally_files::merged(&arguments.0, a)?, tally_files::merged(&arguments.1, b)?))
            }
            Origin::Function { .. } => Err(Failure::Environment(format!("{}: cannot be drawn from here", self.name))),
        }
    }

    /// Starts its commands once for all batches; nothing where it has none.
    #[cfg(unix)]
    pub(super) fn kept(
        &self,
        settings: &Settings,
        done: &Arc<AtomicU64>,
    ) -> Result<Option<super::kept::Kept>, Failure> {
        let (a, b, arguments) = match &self.origin {
            Origin::Commands { a, b, arguments } => (a.clone(), b.clone(), arguments.clone()),
            Origin::Search { command, pairs, argument } => {
                let (a, b) = pairs.first().ok_or_else(|| Failure::argument(argument, "has no pair of inputs"))?;
                let commands = [a, b].map(|data| super::search::with_data(command, data));
                let [a, b] = commands;
                (a, b, (argument.clone(), argument.clone()))
            }
            _ => return Ok(None),
        };
        let timeout = self.timeout.unwrap_or(settings.timeout);
        let terms = super::commands::Terms { shards: settings.shards, timeout, folder: self.folder.clone() };
        let sides = ((arguments.0.as_str(), a.as_str()), (arguments.1.as_str(), b.as_str()));
        super::kept::Kept::start(sides, self.wanted(settings), &terms, done).map(Some)
    }

    #[cfg(unix)]
    fn run_both(
        &self,
        a: (&str, &str),
        b: (&str, &str),
        samples: u64,
        settings: &Settings,
        done: &Arc<AtomicU64>,
    ) -> Result<(Tally, Tally), Failure> {
        let timeout = self.timeout.unwrap_or(settings.timeout);
        let terms = super::commands::Terms { shards: settings.shards, timeout, folder: self.folder.clone() };
        super::commands::both((a, b), samples, &terms, done)
    }

    #[cfg(not(unix))]
    fn run_both(
        &self,
        a: (&str, &str),
        _: (&str, &str),
        _: u64,
        _: &Settings,
        _: &Arc<AtomicU64>,
    ) -> Result<(Tally, Tally), Failure> {
        Err(Failure::argument(a.0, "commands can be audited on Unix systems only: give sample files instead"))
    }

    /// What the document says of where the samples come from.
    pub(super) fn origin_json(&self) -> Value {
        match &self.origin {
            Origin::Mechanism { spec, inputs, sampler, .. } => {
                json!({
                    "kind": "mechanism",
                    "spec": spec.to_string(),
                    "inputs": [inputs.0, inputs.1],
                    "sampler": sampler.to_possible_value().map(|value| value.get_name().to_owned()),
                })
            }
            Origin::Zoo(specimen) => json!({ "kind": "zoo", "specimen": specimen.name }),
            Origin::Commands { a, b, .. } => json!({ "kind": "commands", "commands": [a, b], "folder": self.folder }),
            Origin::Search { command, pairs, .. } => {
                let (a, b) = pairs.first().cloned().unwrap_or_default();
                let commands = [&a, &b].map(|data| super::search::with_data(command, data));
                json!({ "kind": "commands", "commands": commands, "inputs": [a, b], "folder": self.folder })
            }
            Origin::Samples { a, b, .. } => json!({ "kind": "samples", "files": [a, b] }),
            Origin::Tallies { a, b, .. } => json!({ "kind": "tallies", "files": [a, b] }),
            Origin::Function { inputs } => json!({ "kind": "function", "inputs": [inputs.0, inputs.1] }),
        }
    }

    /// A mechanism of the catalogue; without a claim, that which it states.
    pub(super) fn of_spec(
        SpecArguments { spec: argument, inputs: inputs_argument, claim: claim_argument }: SpecArguments<'_>,
        text: &str,
        claim: Option<Claim>,
        inputs: Option<(&str, &str)>,
        sampler: Sampler,
    ) -> Result<Self, Failure> {
        let refused = |error| suggest::refused(argument, &error);
        let spec: Spec = text.parse().map_err(refused)?;
        let mechanism = from_spec(&spec).map_err(refused)?;
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        if copies > MOST_COPIES {
            return Err(Failure::argument(
                argument,
                format_args!("must have at most {MOST_COPIES} copies in an audit"),
            ));
        }
        let (a, b) = inputs.unwrap_or_else(|| mechanism.neighbours());
        let own = Own::new(&spec, (a, b), drawn_by(&spec, sampler)?).map_err(|error| match error {
            OwnError::Sampler(error) => Failure::argument("--sampler", error),
            OwnError::Input(error) => Failure::argument(inputs_argument, error),
            error => Failure::argument(argument, error),
        })?;
        let claim = match claim {
            Some(claim) => claim,
            None => stated(&*mechanism, &own, copies).ok_or_else(|| {
                Failure::argument(
                    claim_argument,
                    format_args!("must be given: {spec} states no guarantee with an epsilon of at most 100"),
                )
            })?,
        };
        let about = entry(spec.name()).map_or_else(String::new, |entry| entry.summary.to_owned());
        let name = spec.to_string();
        let origin = Origin::Mechanism { spec, own: Box::new(own), inputs: (a.to_owned(), b.to_owned()), sampler };
        Ok(Self { about, ..Self::new(&name, claim, origin) })
    }

    /// A specimen of the zoo.
    pub(super) fn of_specimen(specimen: &'static Specimen) -> Option<Self> {
        let claim = Claim::new(parse(specimen.epsilon).ok()?, parse(specimen.delta).ok()?).ok()?;
        Some(Self {
            about: specimen.about.to_owned(),
            expect: Some(if specimen.broken { Expect::Violation } else { Expect::NoViolation }),
            samples: Some(specimen.samples),
            scales: specimen.scales.to_vec(),
            ..Self::new(specimen.name, claim, Origin::Zoo(specimen))
        })
    }

    /// The mechanism behind it, if it is ours.
    pub(super) fn own(&self) -> Option<&Own> {
        match &self.origin {
            Origin::Mechanism { own, .. } => Some(own),
            _ => None,
        }
    }
}

fn sampled(
    target: &dyn Sampled,
    samples: u64,
    seed: [u8; 32],
    done: &Arc<AtomicU64>,
) -> Result<(Tally, Tally), Failure> {
    tallies_counted(target, samples, seed, done).map_err(|error| match error {
        SampleError::Bits(error) => error.into(),
        error => Failure::Environment(error.to_string()),
    })
}

/// The sampler that was asked for; `auto` is the prepared one, where there is one.
fn drawn_by(spec: &Spec, sampler: Sampler) -> Result<sample::Sampler, Failure> {
    let has_samplers = entry(spec.name()).is_some_and(Entry::has_samplers);
    match sampler {
        Sampler::Reference => Ok(sample::Sampler::Reference),
        Sampler::Auto if !has_samplers => Ok(sample::Sampler::Reference),
        _ if !has_samplers => Err(Failure::argument("--sampler", "must be auto or reference for this mechanism")),
        Sampler::Auto | Sampler::Prepared => Ok(sample::Sampler::Prepared),
        Sampler::Fixed => Ok(sample::Sampler::Fixed(Mode::Standard)),
    }
}

/// The digits that an irrational ε or δ is rounded up to.
const DIGITS: u32 = 12;

/// What a mechanism states of itself, rounded up; of zCDP, the account's δ at the ε where δ is about 1/100,
/// which samples can see.
fn stated(mechanism: &dyn AnyMechanism, own: &Own, copies: u64) -> Option<Claim> {
    let up = |value: Rational| parse(&decimal(&value, DIGITS, Rounding::Up)).ok();
    let k = Rational::from_integer(copies.into());
    match mechanism.privacy()? {
        Privacy::Pure { epsilon } => Claim::new(up(epsilon.at_most(80)? * k)?, Rational::zero()).ok(),
        Privacy::Approximate { epsilon, delta } if copies == 1 => {
            Claim::new(up(epsilon.at_most(80)?)?, up(delta.at_most(80)?)?).ok()
        }
        _ => {
            let hundredth = Probability::new(Rational::new(1.into(), 100.into())).ok()?;
            let rough = account::Precision { digits: 3 };
            let epsilon = account::epsilon(own.plan(), &hundredth, &rough).ok()?.enclosure.upper();
            let epsilon = parse(&decimal(&epsilon, 2, Rounding::Up)).ok()?;
            let delta = own.accounted(&NonNegative::new(epsilon.clone()).ok()?)?.upper();
            Claim::new(epsilon, parse(&decimal(&delta, 6, Rounding::Up)).ok()?).ok()
        }
    }
}
