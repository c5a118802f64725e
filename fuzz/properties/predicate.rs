//! What must hold of any text given as a filter. A broken property panics.

use certus_ledger::plan::Predicate;

/// A filter that is accepted is written as a text that reads back as the same one. A refusal is one short line.
pub fn predicate(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    match text.parse::<Predicate>() {
        Ok(filter) => {
            let written = filter.to_string();
            assert_eq!(written.parse::<Predicate>().as_ref(), Ok(&filter), "{text:?}, written as {written:?}");
        }
        Err(error) => {
            let line = error.to_string();
            assert!(!line.is_empty() && line.chars().count() <= 600, "an error is short: {line}");
            assert!(!line.chars().any(char::is_control), "an error is one printable line: {line:?}");
        }
    }
}
