//! The arguments of a mechanism, taken out one by one by its constructor.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::spec::Value;
use super::spec_error::SpecError;
use crate::exact::Rational;

/// The arguments of a [`Spec`](super::Spec) that no constructor has taken yet.
#[derive(Clone, Debug)]
pub struct Arguments<'a> {
    name: &'a str,
    remaining: Vec<&'a (String, Value)>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(name: &'a str, arguments: &'a [(String, Value)]) -> Self {
        Self { name, remaining: arguments.iter().collect() }
    }

    /// Takes the number given for `key`, if the key is given.
    ///
    /// # Errors
    ///
    /// If the key is given a list.
    pub fn take_number(&mut self, key: &str) -> Result<Option<Rational>, SpecError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number.clone())),
            Some(Value::List(_)) => Err(SpecError::NotANumber { name: self.name.to_owned(), key: key.to_owned() }),
        }
    }

    /// Takes the list given for `key`, if the key is given.
    ///
    /// # Errors
    ///
    /// If the key is given a number.
    pub fn take_list(&mut self, key: &str) -> Result<Option<Vec<Rational>>, SpecError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::List(entries)) => Ok(Some(entries.clone())),
            Some(Value::Number(_)) => Err(SpecError::NotAList { name: self.name.to_owned(), key: key.to_owned() }),
        }
    }

    /// The mechanism's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// Refuses a key that the mechanism does not have, taken or not.
    ///
    /// # Errors
    ///
    /// If an argument that is left has a key not in `accepted`.
    pub fn refuse_unknown(&self, accepted: &[&str]) -> Result<(), SpecError> {
        match self.remaining.iter().find(|(key, _)| !accepted.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => Err(self.unknown(key, accepted)),
        }
    }

    /// Ends the reading: everything given must have been taken.
    ///
    /// # Errors
    ///
    /// If an argument is left: unknown if its key is not in `accepted`, and otherwise not to be combined with
    /// those taken.
    pub fn finish(self, accepted: &[&str]) -> Result<(), SpecError> {
        self.refuse_unknown(accepted)?;
        let Some((key, _)) = self.remaining.first() else {
            return Ok(());
        };
        Err(SpecError::Conflicting { name: self.name.to_owned(), key: key.clone(), accepted: accepted.join(", ") })
    }

    fn unknown(&self, key: &str, accepted: &[&str]) -> SpecError {
        let accepted = if accepted.is_empty() { "none".to_owned() } else { accepted.join(", ") };
        SpecError::Unknown { name: self.name.to_owned(), key: key.to_owned(), accepted }
    }

    fn take(&mut self, key: &str) -> Option<&'a Value> {
        let at = self.remaining.iter().position(|(given, _)| given == key)?;
        Some(&self.remaining.remove(at).1)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::super::Spec;
    use super::*;

    #[test]
    fn gives_each_argument_once() {
        let spec: Spec = "x(a=1/2, b=[1, 2])".parse().unwrap();
        let mut arguments = spec.reader();
        assert_eq!(arguments.take_number("c"), Ok(None));
        assert_eq!(arguments.take_number("a"), Ok(Some(Rational::new(1.into(), 2.into()))));
        assert_eq!(arguments.take_number("a"), Ok(None));
        assert_eq!(arguments.take_list("b").unwrap().map(|list| list.len()), Some(2));
        assert_eq!(arguments.finish(&["a", "b"]), Ok(()));
    }

    #[test]
    fn names_what_is_wrong() {
        let spec: Spec = "x(a=1/2, b=[1, 2])".parse().unwrap();
        let line = |error: SpecError| error.to_string();
        assert_eq!(
            spec.reader().take_list("a").map_err(line),
            Err("x: a: must be a list, such as [1, 1/2], not a number".into())
        );
        assert_eq!(spec.reader().take_number("b").map_err(line), Err("x: b: must be a number, not a list".into()));
        assert_eq!(
            spec.reader().finish(&["scale", "sensitivity"]).map_err(line),
            Err("x: a: unknown key; accepted: scale, sensitivity".into())
        );
        assert_eq!(spec.reader().finish(&[]).map_err(line), Err("x: a: unknown key; accepted: none".into()));
        assert_eq!(
            spec.reader().finish(&["a", "b"]).map_err(line),
            Err("x: a: must not be combined with the other arguments given; accepted, not all together: a, b".into())
        );
    }
}
