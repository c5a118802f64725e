//! A table of TOML, and its values as they are wanted.

use std::borrow::Cow;

use certus::{
    exact::{Positive, Rational, parse},
    mechanism::Excerpt,
};
use toml::de::{DeTable, DeValue};

use crate::plan::{PlanError, limits::MOST_TEXT_BYTES};

/// A table, and what it is called in errors.
pub(super) struct Table<'d, 't> {
    kind: &'static str,
    table: &'d DeTable<'t>,
}

/// The text of a number: a string's, or that of a decimal integer or float, so that 0.1 is 1/10.
pub(super) fn number_text<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    match value {
        DeValue::String(text) => Some(text),
        DeValue::Integer(integer) if integer.radix() == 10 => Some(integer.as_str()),
        DeValue::Float(float) => Some(float.as_str()),
        _ => None,
    }
}

/// An exact number.
pub(super) fn number(key: &str, value: &DeValue<'_>) -> Result<Rational, PlanError> {
    let text = number_text(value).ok_or_else(|| {
        PlanError::new(key, format!("must be a number such as 3, 0.1 or \"1/3\", not {}", kind(value)))
    })?;
    parse(text).map_err(|error| PlanError::new(key, format!("{error}: {}", Excerpt::new(text))))
}

/// A text of moderate length.
pub(super) fn text(key: &str, value: &DeValue<'_>) -> Result<String, PlanError> {
    let text = value.as_str().ok_or_else(|| PlanError::new(key, format!("must be a string, not {}", kind(value))))?;
    Ok(text.to_owned())
}

/// What kind of value it is, in words.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    value.type_str()
}

impl<'d, 't> Table<'d, 't> {
    pub(super) fn new(kind: &'static str, table: &'d DeTable<'t>) -> Self {
        Self { kind, table }
    }

    /// Refuses a key that is not among those known.
    pub(super) fn refuse_unknown(&self, known: &[&str]) -> Result<(), PlanError> {
        match self.table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
            Some(key) => Err(PlanError::new(
                format!("key {}", Excerpt::new(key.get_ref())),
                format!("unknown key of a {}; accepted: {}", self.kind, known.join(", ")),
            )),
            None => Ok(()),
        }
    }

    pub(super) fn value(&self, key: &str) -> Option<&'d DeValue<'t>> {
        self.table.get(key).map(|value| value.get_ref())
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>, PlanError> {
        let text = self.value(key).map(|value| text(key, value)).transpose()?;
        if text.as_ref().is_some_and(|text| text.len() > MOST_TEXT_BYTES) {
            return Err(PlanError::new(key, format!("must have at most {MOST_TEXT_BYTES} bytes")));
        }
        Ok(text)
    }

    /// One of some words.
    pub(super) fn word(&self, key: &str, words: &[&'static str]) -> Result<Option<&'static str>, PlanError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        one_of(key, &text, words).map(Some)
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<Rational>, PlanError> {
        self.value(key).map(|value| number(key, value)).transpose()
    }

    pub(super) fn positive(&self, key: &str) -> Result<Option<Positive>, PlanError> {
        let positive = |value| Positive::new(value).map_err(|_| PlanError::new(key, "must be positive (> 0)"));
        self.number(key)?.map(positive).transpose()
    }

    /// An integer from 1 to 2^32 − 1.
    pub(super) fn count(&self, key: &str) -> Result<Option<u32>, PlanError> {
        let whole = |value: Rational| {
            let whole = if value.is_integer() { u32::try_from(value.to_integer()).ok() } else { None };
            whole.filter(|count| *count > 0).ok_or_else(|| PlanError::new(key, "must be an integer from 1 to 2^32 - 1"))
        };
        self.number(key)?.map(whole).transpose()
    }

    /// A list, each item read by a function.
    pub(super) fn list<T>(
        &self,
        key: &str,
        most: usize,
        item: impl Fn(&DeValue<'_>) -> Result<T, PlanError>,
    ) -> Result<Option<Vec<T>>, PlanError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let list =
            value.as_array().ok_or_else(|| PlanError::new(key, format!("must be a list […], not {}", kind(value))))?;
        if list.len() > most {
            return Err(PlanError::new(key, format!("must have at most {most} items")));
        }
        list.iter().map(|value| item(value.get_ref())).collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn table(&self, key: &'static str) -> Result<Option<Table<'d, 't>>, PlanError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let table = value
            .as_table()
            .ok_or_else(|| PlanError::new(key, format!("must be a table [{key}], not {}", kind(value))))?;
        Ok(Some(Table::new(key, table)))
    }

    /// The tables inside, by name.
    pub(super) fn tables(&self) -> Result<Vec<(String, Table<'d, 't>)>, PlanError> {
        let inner = self.table.iter().map(|(name, value)| {
            let name: &Cow<'_, str> = name.get_ref();
            let table = value.get_ref().as_table().ok_or_else(|| {
                PlanError::new(format!("column {}", Excerpt::new(name)), "must be a table [columns.NAME]")
            })?;
            Ok((name.to_string(), Table::new("column", table)))
        });
        inner.collect()
    }

    /// The `[[key]]` tables: at least one.
    pub(super) fn list_of_tables(&self, key: &'static str) -> Result<Vec<Table<'d, 't>>, PlanError> {
        let refused = || PlanError::new(key, format!("must be given as [[{key}]], with two brackets, at least once"));
        let list = self.value(key).and_then(DeValue::as_array).filter(|list| !list.is_empty()).ok_or_else(refused)?;
        list.iter().map(|value| Ok(Table::new(key, value.get_ref().as_table().ok_or_else(refused)?))).collect()
    }
}

/// The one of some words that a text is.
pub(in crate::plan) fn one_of(key: &str, text: &str, words: &[&'static str]) -> Result<&'static str, PlanError> {
    words
        .iter()
        .find(|word| **word == text)
        .copied()
        .ok_or_else(|| PlanError::new(key, format!("must be one of {}, not {}", words.join(", "), Excerpt::new(text))))
}
