//! What must hold of any text given as an audit file. A broken property panics.

use certus_cli::{Failure, targets_of_file};

/// Reading runs nothing. Every target has a name of its own; a refusal is one short line that begins with the
/// file's name.
pub fn audit_file(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    match targets_of_file("no-such-folder/audit.toml", text) {
        Ok(mut names) => {
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert!(count > 0 && names.len() == count, "each target has a name of its own");
        }
        Err(failure) => check_line(&failure),
    }
}

fn check_line(failure: &Failure) {
    let line = failure.line().expect("a refusal says something");
    assert!(line.starts_with("no-such-folder/audit.toml: "), "an error begins with the file: {line}");
    assert!(line.chars().count() <= 2000 && !line.chars().any(char::is_control), "one printable line: {line:?}");
}
