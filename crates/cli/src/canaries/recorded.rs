//! Audits of canaries whose table the caller holds: the command's own document, and the views of it.
//!
//! For bindings of other languages, which must not say anything else than the command does.
//!
//! ```
//! use certus_cli::canary_report::{audit, text};
//!
//! let rows: String = (0..400).map(|i| format!("{i},{}\n", u8::from(i >= 200))).collect();
//! let options = ["--claim", "epsilon=1,delta=1e-5"];
//! let document = audit(format!("score,in\n{rows}").as_bytes(), &options, None).map_err(|failure| failure.line())?;
//! assert_eq!(document["verdict"], "violation");
//! assert!(text(&document).contains("the claim is false"));
//! # Ok::<(), Option<String>>(())
//! ```

use std::ffi::OsString;

use clap::FromArgMatches as _;
use serde_json::Value;

use super::{super::Failure, TableFile, judge};
use crate::{
    arguments::{Cli, Command},
    source::Source,
};

/// What the table is called.
const TABLE: &str = "canaries";

/// The document of an audit, as `certus audit --canaries FILE --json` prints it, of a table that is no file:
/// the text of a CSV. The options are the command's.
///
/// # Errors
///
/// If the table or an option is refused, or there is no randomness.
pub fn audit(table: &[u8], options: &[&str], seed: Option<[u8; 32]>) -> Result<Value, Failure> {
    let arguments = ["certus", "audit", "--canaries", TABLE].iter().chain(options).map(OsString::from);
    let cli = Cli::command_for_people().try_get_matches_from(arguments);
    let cli = cli.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.map_err(|error| Failure::from_parser(&error, None))?;
    let Command::Audit(options) = cli.command else {
        return Err(Failure::argument("options", "are those of an audit"));
    };
    let table = TableFile::of(TABLE, TABLE, table)?;
    let mut bits = Source::quiet(seed)?;
    Ok(judge(&options, TABLE, &table, seed.is_some(), &mut bits)?.json())
}

/// As the command prints it.
#[must_use]
pub fn text(document: &Value) -> String {
    super::text(document)
}

/// The page that `--report` writes.
#[must_use]
pub fn html(document: &Value) -> String {
    super::page(document)
}
