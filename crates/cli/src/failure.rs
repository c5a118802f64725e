//! Why the command ends early: one line on standard error, and an exit status.

use std::{error::Error, fmt::Display, io};

use certus::{bits::BitsError, mechanism::Excerpt};

/// The longest error line, in characters.
const LONGEST: usize = 400;

/// Why the command ends early.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// An argument is wrong: exit status 2.
    Usage(String),
    /// The environment failed: exit status 3.
    Environment(String),
    /// A budget does not suffice: exit status 4.
    Budget(String),
    /// Whoever read the output went away: that is their right, and exit status 0.
    ClosedPipe,
}

impl Failure {
    /// A bad argument: its name, and what is wrong with it and what is accepted.
    pub(super) fn argument(name: &str, problem: impl Display) -> Self {
        Self::Usage(format!("{name}: {problem}"))
    }

    /// A bad value of an argument, quoted.
    pub(super) fn value(name: &str, value: &str, must: &str) -> Self {
        Self::argument(name, format_args!("{must}, not {}", Excerpt::new(value)))
    }

    /// The argument parser's own error, as one line without its usage text, and what was probably meant.
    pub(super) fn from_parser(error: &clap::Error, hint: Option<String>) -> Self {
        let text = error.to_string();
        let is_bare = error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if is_bare && text.contains("certus ledger [") {
            return Self::Usage(
                "a command of ledger must be given: init, show, verify or head; see certus help ledger".into(),
            );
        }
        if is_bare {
            return Self::Usage(
                "a command must be given: sample, certify, account, calibrate, audit, canaries, tally, replay, ledger (init, show, verify or head), release, mechanisms, completions or man; see --help".into(),
            );
        }
        let kept = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
            .filter(|line| !line.is_empty());
        // The parser's own tips are about spelling; a hint of ours takes their place.
        let kept = kept.take_while(|line| hint.is_none() || !line.starts_with("tip:"));
        let line = kept.collect::<Vec<_>>().join(" ");
        let line = line.strip_prefix("error: ").unwrap_or(&line);
        Self::Usage(hint.as_ref().map_or_else(|| line.to_owned(), |hint| format!("{line}; {hint}")))
    }

    /// The line for standard error, if there is anything to say; no control characters, and not endless.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Usage(line) | Self::Environment(line) | Self::Budget(line) => {
                let mut printable: String =
                    line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(LONGEST).collect();
                if line.chars().nth(LONGEST).is_some() {
                    printable.push('…');
                }
                Some(printable)
            }
            Self::ClosedPipe => None,
        }
    }

    /// The exit status.
    #[must_use]
    pub fn status(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Usage(_) => 2,
            Self::Environment(_) => 3,
            Self::Budget(_) => 4,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        Self::Environment(format!("the output could not be written: {cause}"))
    }
}

impl From<BitsError> for Failure {
    fn from(error: BitsError) -> Self {
        Self::Environment(error.to_string())
    }
}
