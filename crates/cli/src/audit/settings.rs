//! What holds for every target of a run.

use std::time::Duration;

use num_traits::{One, Zero};

use crate::{
    Failure,
    arguments::{Audit, Shared},
    source::count,
};
use certus::exact::{Rational, Rounding, decimal, parse};
use certus_audit::{Claim, above};

/// The outputs a side, where nobody says.
pub(super) const SAMPLES: u64 = 100_000;

/// The most outputs a side.
pub(super) const MOST_SAMPLES: u64 = certus_audit::MOST_SAMPLES;

/// How long a command may take, in seconds, where nobody says; and at most.
const TIMEOUT: u64 = 300;
const LONGEST_TIMEOUT: u64 = 1_000_000;

/// The most shards of a side.
const MOST_SHARDS: u64 = 256;

/// The fewest where nobody says: two of one side show a command that prints the same whatever `CERTUS_SHARD`
/// is, and so has the same noise on both sides.
const FEWEST_SHARDS: u64 = 2;

/// What holds for every target of a run.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) samples: Option<u64>,
    pub(super) confidence: Confidence,
    pub(super) timeout: Duration,
    pub(super) shards: u64,
    pub(super) sequential: bool,
    /// Whether all coins come from `--seed`.
    pub(super) is_seeded: bool,
    pub(super) quiet: bool,
}

/// What the confidence of a seeded run assumes.
pub(super) const ASSUMES: &str = "a seed that is independent of the mechanism";

impl Settings {
    pub(super) fn new(options: &Audit, shared: &Shared) -> Result<Self, Failure> {
        Ok(Self {
            samples: options.samples.as_deref().map(samples).transpose()?,
            confidence: Confidence::parse("--confidence", options.confidence.as_deref().unwrap_or("0.999"))?,
            timeout: timeout("--timeout", options.timeout.as_deref())?,
            shards: shards(options.shards.as_deref())?,
            sequential: options.sequential,
            is_seeded: shared.seed.is_some(),
            quiet: shared.quiet,
        })
    }
}

/// `--samples`.
pub(super) fn samples(text: &str) -> Result<u64, Failure> {
    count("--samples", text, certus_audit::LEAST_SAMPLES, MOST_SAMPLES)
}

/// Seconds.
pub(super) fn timeout(name: &str, text: Option<&str>) -> Result<Duration, Failure> {
    let seconds = text.map_or(Ok(TIMEOUT), |text| count(name, text, 1, LONGEST_TIMEOUT))?;
    Ok(Duration::from_secs(seconds))
}

/// Shards a side: half of the processors each, at least two, or what is asked for.
pub(super) fn shards(text: Option<&str>) -> Result<u64, Failure> {
    match text {
        Some(text) => count("--shards", text, 1, MOST_SHARDS),
        None => Ok((rayon::current_num_threads() as u64 / 2).clamp(FEWEST_SHARDS, MOST_SHARDS)),
    }
}

/// The reciprocal of the least level of a test.
const LEAST_SHARE: i64 = 900_000_000_000;

/// A confidence in (0, 1), exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Confidence(Rational);

impl Confidence {
    /// Any that the statistics take, which is no level below 10^-12.
    pub(super) fn new(value: Rational) -> Option<Self> {
        let most = Rational::one() - Rational::new(1.into(), LEAST_SHARE.into());
        (value > Rational::zero() && value <= most).then_some(Self(value))
    }

    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        let must = "must be between 0 and 1, and at most 1 - 1e-10, such as 0.999";
        let most = Rational::one() - Rational::new(1.into(), 10_000_000_000_i64.into());
        let value = parse(text).ok().filter(|value| *value > Rational::zero() && *value <= most);
        value.map(Self).ok_or_else(|| Failure::value(name, text, must))
    }

    /// That of each of so many tests, so that all of them together have this one: 1 − (1 − C)/n.
    pub(super) fn shared_by(&self, tests: usize) -> Result<Self, Failure> {
        let alpha = (Rational::one() - &self.0) / Rational::from_integer(tests.max(1).into());
        Self::new(Rational::one() - alpha).ok_or_else(|| {
            let must =
                format!("must be smaller for {tests} targets: each has a share of 1 - confidence, at least 1.2e-12");
            Failure::argument("--confidence", must)
        })
    }

    /// The least float that is at least the confidence.
    pub(crate) fn float(&self) -> f64 {
        above(&self.0)
    }
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&decimal(&self.0, 12, Rounding::Down))
    }
}

/// `epsilon=E` or `epsilon=E,delta=D`, in any order.
pub(crate) fn claim(name: &str, text: &str) -> Result<Claim, Failure> {
    const MUST: &str = "must be epsilon=E or epsilon=E,delta=D, such as epsilon=1,delta=1e-6";
    let refused = || Failure::value(name, text, MUST);
    let (mut epsilon, mut delta) = (None, None);
    for part in text.split(',') {
        let (key, value) = part.split_once('=').ok_or_else(refused)?;
        let slot = match key.trim() {
            "epsilon" => &mut epsilon,
            "delta" => &mut delta,
            _ => return Err(refused()),
        };
        let value =
            parse(value.trim()).map_err(|error| Failure::argument(name, format_args!("{}: {error}", key.trim())))?;
        if slot.replace(value).is_some() {
            return Err(Failure::argument(name, format_args!("{} is there twice; {MUST}", key.trim())));
        }
    }
    let epsilon = epsilon.ok_or_else(refused)?;
    Claim::new(epsilon, delta.unwrap_or_else(Rational::zero)).map_err(|error| Failure::argument(name, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims() {
        for good in ["epsilon=1", "epsilon=1,delta=1e-6", "delta=0, epsilon=1/3", "epsilon=0"] {
            assert!(claim("--claim", good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "1",
            "epsilon",
            "epsilon=",
            "epsilon=x",
            "delta=1e-6",
            "epsilon=1,epsilon=2",
            "epsilon=-1",
            "epsilon=1,delta=1",
            "epsilon=1;delta=0",
            "epsilon=101",
            "epsilon=1,",
            "sigma=1",
            "epsilon=1e999999999",
        ] {
            let failure = claim("--claim", bad).unwrap_err();
            assert_eq!(failure.status(), 2, "{bad}");
            assert!(failure.line().unwrap().starts_with("--claim: "), "{bad}");
        }
    }

    #[test]
    fn confidences_are_shared_exactly() {
        let all = Confidence::parse("--confidence", "0.999").unwrap();
        assert_eq!(
            (all.to_string(), all.shared_by(100).unwrap().to_string()),
            ("0.999".to_owned(), "0.99999".to_owned())
        );
        assert!(all.float() >= 0.999 && all.float() < 0.999_000_001);
        assert_eq!(Confidence::parse("--confidence", "0.9999999999").unwrap().shared_by(100).unwrap_err().status(), 2);
        for bad in ["0", "1", "-1", "2", "x", "", "0.99999999999999"] {
            assert!(Confidence::parse("--confidence", bad).is_err(), "{bad}");
        }
    }
}
