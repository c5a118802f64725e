//! Why the program ends early: one line on standard error, and an exit status.

use std::{fmt::Display, io};

use certus::bits::BitsError;
use certus_ledger::book::{Blame, BookError};

use crate::{engine::EngineError, noise::DrawError};

/// The longest error line, in characters.
const LONGEST: usize = 400;

/// Why the program ends early.
#[derive(Debug)]
pub enum Failure {
    /// Bad usage or bad input: exit status 2.
    Usage(String),
    /// The environment failed: exit status 3.
    Environment(String),
    /// The budget refuses: exit status 4.
    Budget(String),
    /// Whoever read the output went away: exit status 0.
    ClosedPipe,
}

impl Failure {
    /// Bad input, in the words of an error.
    pub(super) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// The argument parser's own error, as one line without its usage text.
    pub(super) fn from_parser(error: &clap::Error) -> Self {
        let text = error.to_string();
        let kept = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
            .filter(|line| !line.is_empty());
        let line = kept.collect::<Vec<_>>().join(" ");
        Self::Usage(line.strip_prefix("error: ").unwrap_or(&line).to_owned())
    }

    /// The line for standard error; no control characters, and not endless.
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
        Self::Environment(format!("the output could not be written: {error}"))
    }
}

impl From<BookError> for Failure {
    fn from(error: BookError) -> Self {
        let line = format!("--ledger: {error}");
        match error.blame() {
            Blame::Budget => Self::Budget(line),
            Blame::Caller | Blame::Ledger => Self::Usage(line),
            _ => Self::Environment(line),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let line = format!("the data: {error}");
        match error {
            EngineError::Changed | EngineError::Io(_) | EngineError::Resources { .. } | EngineError::Engine => {
                Self::Environment(line)
            }
            _ => Self::Usage(line),
        }
    }
}

impl From<DrawError> for Failure {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::Aggregates(_) => Self::usage(error),
            _ => Self::Environment(error.to_string()),
        }
    }
}

impl From<BitsError> for Failure {
    fn from(error: BitsError) -> Self {
        Self::Environment(error.to_string())
    }
}
