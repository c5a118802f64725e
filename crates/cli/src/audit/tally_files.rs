//! Tallies from files, merged.

use std::{fs::File, io::BufReader};

use super::settings::MOST_SAMPLES;
use crate::Failure;
use certus_audit::outputs::Tally;

/// The tally of all these files together, in whatever order they are given.
pub(super) fn merged(argument: &str, paths: &[String]) -> Result<Tally, Failure> {
    let mut all = Tally::default();
    for path in paths {
        let refused = |what: &dyn std::fmt::Display| Failure::argument(argument, format_args!("{path}: {what}"));
        let file =
            File::open(path).map_err(|error| refused(&format_args!("must be a file that can be read: {error}")))?;
        let tally = Tally::read(BufReader::new(file)).map_err(|error| refused(&error))?;
        all = all.merge(&tally).map_err(|error| refused(&error))?;
    }
    if all.samples() > MOST_SAMPLES {
        return Err(Failure::argument(argument, format_args!("must have at most {MOST_SAMPLES} samples in all")));
    }
    Ok(all)
}
