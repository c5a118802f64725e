//! TOML files whose numbers are read exactly, from their own text.

use toml::de::{DeTable, DeValue};

use super::Failure;
use certus::mechanism::Excerpt;

/// Reads a document, and hands it on: it borrows from the text.
pub(super) fn with_document<T>(
    path: &str,
    text: &str,
    read: impl FnOnce(&DeTable<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let document = DeTable::parse(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        Failure::Usage(format!("{path}: line {line}: not TOML: {}", error.message().replace('\n', ", ")))
    })?;
    read(document.get_ref())
}

/// Refuses a key that is not among those known; `accepted` lists them for the reader.
pub(super) fn refuse_unknown(place: &str, table: &DeTable<'_>, known: &[&str], accepted: &str) -> Result<(), Failure> {
    match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
        Some(key) => Err(Failure::Usage(format!(
            "{place}: key {}: unknown key; accepted: {accepted}",
            Excerpt::new(key.get_ref())
        ))),
        None => Ok(()),
    }
}

/// The `[[name]]` tables of a document: at least one.
pub(super) fn tables<'d, 't>(
    path: &str,
    document: &'d DeTable<'t>,
    name: &str,
) -> Result<Vec<&'d DeTable<'t>>, Failure> {
    let refused = |what: String| Failure::Usage(format!("{path}: {what}"));
    let value = document.get(name).map(|value| value.get_ref());
    if value.is_some_and(|value| value.as_table().is_some()) {
        return Err(refused(format!("[{name}]: must be written [[{name}]], with two brackets, once for every {name}")));
    }
    let list = value.and_then(DeValue::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| refused(format!("must have at least one [[{name}]] table")))?;
    let table = |value: &'d toml::Spanned<DeValue<'t>>| {
        value.get_ref().as_table().ok_or_else(|| refused(format!("must have [[{name}]] tables")))
    };
    list.iter().map(table).collect()
}

/// The lines, from 1, that the `[[name]]` tables of a document begin on.
pub(super) fn lines_of(text: &str, document: &DeTable<'_>, name: &str) -> Vec<u64> {
    let list = document.get(name).and_then(|value| value.get_ref().as_array());
    let line = |start: usize| text.get(..start).unwrap_or_default().matches('\n').count() as u64 + 1;
    list.into_iter().flatten().map(|value| line(value.span().start)).collect()
}

/// The text of a number: a string's, or that of a decimal integer or float, so that 0.1 is 1/10.
pub(super) fn number<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    match value {
        DeValue::String(text) => Some(text),
        DeValue::Integer(integer) if integer.radix() == 10 => Some(integer.as_str()),
        DeValue::Float(float) => Some(float.as_str()),
        _ => None,
    }
}

/// What kind of value it is, in words.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    value.type_str()
}
