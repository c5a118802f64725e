//! What a case is, and the setting that it runs under.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use certus::exact::{Rational, parse};

use crate::Study;
use crate::exact::float;

/// A number that a case takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name: `trials` is `--trials` on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What it is unless told.
    pub default: f64,
    /// What it is in quick mode unless told.
    pub quick: f64,
    /// The least that is accepted.
    pub least: f64,
    /// The most that is accepted.
    pub most: f64,
    /// Whether only integers are accepted.
    pub whole: bool,
}

impl Parameter {
    /// What is accepted, in words.
    #[must_use]
    pub fn accepts(&self) -> String {
        format!("{} from {} to {}", if self.whole { "an integer" } else { "a number" }, self.least, self.most)
    }

    fn read(&self, text: &str) -> Result<Rational, SettingError> {
        let refused = || SettingError::Value { name: self.name.into(), given: excerpt(text), accepts: self.accepts() };
        let value = parse(text).map_err(|_| refused())?;
        let near = float(&value);
        let is_inside = near >= self.least && near <= self.most && (!self.whole || value.is_integer());
        if is_inside { Ok(value) } else { Err(refused()) }
    }
}

/// What a text begins with.
fn excerpt(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

/// A case study.
pub struct Case {
    /// What the command calls it.
    pub name: &'static str,
    /// What the page calls it.
    pub title: &'static str,
    /// The documents' sections that it reproduces, as `000 §3`.
    pub source: &'static str,
    /// One line on what it shows.
    pub about: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// Runs it.
    pub run: fn(&Setting, &dyn Watch) -> Result<Study, CaseError>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a case runs under. The same setting gives the same study, but for what is timed.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Whether to be quick: fewer trials, the same conclusions.
    pub quick: bool,
    /// What all randomness of the case follows from.
    pub seed: u64,
    values: BTreeMap<&'static str, Rational>,
}

/// Why there is no setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The case has no such parameter.
    #[error("--{name}: the case '{case}' has no such parameter; it has {has}")]
    Name {
        /// What was given.
        name: String,
        /// The case.
        case: &'static str,
        /// Its parameters.
        has: String,
    },
    /// The value is none that is accepted.
    #[error("--{name} {given}: must be {accepts}")]
    Value {
        /// The parameter.
        name: String,
        /// What was given.
        given: String,
        /// What is accepted.
        accepts: String,
    },
}

impl Setting {
    /// The setting of a case, with some of its parameters given as text: integers, decimals and fractions, read exactly.
    ///
    /// # Errors
    ///
    /// If a parameter is unknown or out of its range.
    pub fn new(case: &Case, quick: bool, seed: u64, given: &[(&str, &str)]) -> Result<Self, SettingError> {
        let mut values = BTreeMap::new();
        for parameter in case.parameters {
            let default = if quick { parameter.quick } else { parameter.default };
            values.insert(parameter.name, parameter.read(&default.to_string())?);
        }
        for (name, text) in given {
            let Some(parameter) = case.parameters.iter().find(|parameter| parameter.name == *name) else {
                let has: Vec<&str> = case.parameters.iter().map(|parameter| parameter.name).collect();
                let has = if has.is_empty() { "none".to_owned() } else { has.join(", ") };
                return Err(SettingError::Name { name: excerpt(name), case: case.name, has });
            };
            values.insert(parameter.name, parameter.read(text)?);
        }
        Ok(Self { quick, seed, values })
    }

    /// A parameter, exactly. One that the case does not have is 0: a slip that the case's test finds.
    #[must_use]
    pub fn exact(&self, name: &str) -> Rational {
        debug_assert!(self.values.contains_key(name), "{name} is no parameter of the case");
        self.values.get(name).cloned().unwrap_or_default()
    }

    /// A parameter as a float.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        float(&self.exact(name))
    }

    /// A parameter that counts something.
    #[must_use]
    pub fn count(&self, name: &str) -> u64 {
        u64::try_from(self.exact(name).to_integer()).unwrap_or(0)
    }

    /// All parameters, by name.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &Rational)> {
        self.values.iter().map(|(name, value)| (*name, value))
    }
}

/// Who looks on: how far a case has come.
pub trait Watch: Sync {
    /// So much of this is done.
    fn step(&self, what: &str, done: u64, of: u64);
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Watch for Silent {
    fn step(&self, _: &str, _: u64, _: u64) {}
}

/// Why there is no study.
///
/// Every error becomes one by `?`; it is no `std::error::Error` itself, which that forbids.
#[derive(Debug)]
pub enum CaseError {
    /// The parameters do not go together: one line that names them.
    Refused(String),
    /// Something else failed.
    Failed(Box<dyn Error + Send + Sync>),
}

impl<E: Error + Send + Sync + 'static> From<E> for CaseError {
    fn from(error: E) -> Self {
        Self::Failed(Box::new(error))
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(line) => f.write_str(line),
            Self::Failed(error) => error.fmt(f),
        }
    }
}
