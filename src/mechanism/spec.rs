//! The text that names a mechanism: `laplace(scale=5/2)`, `gaussian(sigma=10)*3`.
//!
//! This file knows the grammar and no mechanism. A mechanism's constructor takes what it knows out of
//! [`Arguments`], and [`Arguments::finish`] refuses the rest.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;
use core::str::FromStr;

use num_traits::ToPrimitive;

use super::spec_error::{MAX_ARGUMENTS, MAX_BYTES, MAX_COPIES, MAX_ENTRIES, MAX_NAME};
use super::{Arguments, Excerpt, SpecError};
use crate::exact::{self, Rational};

/// What a key is given.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// `key=5/2`
    Number(Rational),
    /// `key=[1, 1/2]`
    List(Vec<Rational>),
}

/// A mechanism by name, with its arguments and the number of copies: `name(key=value, …)*k`.
///
/// ```text
/// spec     = name ["(" [argument {"," argument}] ")"] ["*" number]
/// argument = name "=" value
/// value    = number | "[" [number {"," number}] "]"
/// name     = (a…z | _) {a…z | 0…9 | _}                            at most 40 bytes
/// number   = see [`exact::parse`]
/// ```
///
/// Spaces and tabs may stand around every token. The number after `*` is an integer from 1 to 10^9, in any
/// notation (`*1000`, `*1e3`). A key stands once. At most 64 arguments, 4,096 entries a list, and 64 KiB, as
/// written and in canonical form.
///
/// [`Display`](fmt::Display) writes the canonical form, with each number as [`exact::render`] writes it, and
/// `spec.to_string().parse() == Ok(spec)` for every spec.
///
/// # Example
///
/// ```
/// use certus::mechanism::Spec;
///
/// let spec: Spec = " gaussian( sigma = 2.5 ) * 1e3".parse()?;
/// assert_eq!(spec.to_string(), "gaussian(sigma=5/2)*1000");
///
/// let mut arguments = spec.reader();
/// let sigma = arguments.take_number("sigma")?;
/// arguments.finish(&["sigma", "sensitivity"])?;
/// # Ok::<(), certus::mechanism::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    name: String,
    arguments: Vec<(String, Value)>,
    copies: Option<NonZeroU32>,
}

impl Spec {
    /// The mechanism's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keys and values, in the order given; no key twice.
    #[must_use]
    pub fn arguments(&self) -> &[(String, Value)] {
        &self.arguments
    }

    /// The `k` of `*k`, at most [`MAX_COPIES`]; nothing if the spec has none.
    #[must_use]
    pub fn copies(&self) -> Option<NonZeroU32> {
        self.copies
    }

    /// The same mechanism, once: without `*k`.
    ///
    /// ```
    /// use certus::mechanism::Spec;
    ///
    /// let spec: Spec = "laplace(scale=2)*10".parse()?;
    /// assert_eq!(spec.without_copies().to_string(), "laplace(scale=2)");
    /// # Ok::<(), certus::mechanism::SpecError>(())
    /// ```
    #[must_use]
    pub fn without_copies(&self) -> Self {
        Self { copies: None, ..self.clone() }
    }

    /// The arguments, for a constructor to take out.
    #[must_use]
    pub fn reader(&self) -> Arguments<'_> {
        Arguments::new(&self.name, &self.arguments)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&exact::render(number)),
            Self::List(entries) => {
                f.write_str("[")?;
                for (index, entry) in entries.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{}", exact::render(entry))?;
                }
                f.write_str("]")
            }
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (index, (key, value)) in self.arguments.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{key}={value}")?;
        }
        f.write_str(")")?;
        self.copies.map_or(Ok(()), |copies| write!(f, "*{copies}"))
    }
}

/// Room that a text must fit in: writing fails once it is used up.
struct Room(usize);

impl fmt::Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.len() > MAX_BYTES {
            return Err(SpecError::TooLong);
        }
        let (name, rest) = word(text).map_err(|found| SpecError::Name { found })?;
        let mut parser = Parser { name, rest };
        let arguments = if parser.skip('(') { parser.arguments()? } else { Vec::new() };
        let copies = if parser.skip('*') { Some(parser.copies()?) } else { None };
        if !parser.rest.is_empty() {
            return Err(SpecError::Trailing { name: name.to_owned(), found: Excerpt::new(parser.rest) });
        }
        let spec = Self { name: name.to_owned(), arguments, copies };
        // So that the canonical form can be read wherever the text could.
        fmt::write(&mut Room(MAX_BYTES), format_args!("{spec}")).map_err(|fmt::Error| SpecError::TooLong)?;
        Ok(spec)
    }
}

/// The text still to read; spaces have been skipped at its start.
struct Parser<'a> {
    name: &'a str,
    rest: &'a str,
}

impl Parser<'_> {
    /// Skips `token` and the spaces after it, if it is next.
    fn skip(&mut self, token: char) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.map_or(self.rest, trim_start);
        rest.is_some()
    }

    /// What follows `(`, up to and with its `)`.
    fn arguments(&mut self) -> Result<Vec<(String, Value)>, SpecError> {
        let mut arguments: Vec<(String, Value)> = Vec::new();
        if self.skip(')') {
            return Ok(arguments);
        }
        loop {
            let name = || self.name.to_owned();
            let (key, rest) = word(self.rest).map_err(|found| SpecError::Key { name: name(), found })?;
            if arguments.iter().any(|(earlier, _)| earlier == key) {
                return Err(SpecError::Twice { name: name(), key: key.to_owned() });
            }
            if arguments.len() >= MAX_ARGUMENTS {
                return Err(SpecError::TooManyArguments { name: name() });
            }
            self.rest = rest;
            if !self.skip('=') {
                return Err(SpecError::NoValue { name: self.name.to_owned(), key: key.to_owned() });
            }
            let value = if self.skip('[') { Value::List(self.list(key)?) } else { Value::Number(self.number(key)?) };
            arguments.push((key.to_owned(), value));
            if self.closed(key, ')')? {
                return Ok(arguments);
            }
        }
    }

    /// What follows `[`, up to and with its `]`.
    fn list(&mut self, key: &str) -> Result<Vec<Rational>, SpecError> {
        let mut entries = Vec::new();
        if self.skip(']') {
            return Ok(entries);
        }
        loop {
            if self.rest.starts_with('[') {
                return Err(SpecError::Nested { name: self.name.to_owned(), key: key.to_owned() });
            }
            if entries.len() >= MAX_ENTRIES {
                return Err(SpecError::TooManyEntries { name: self.name.to_owned(), key: key.to_owned() });
            }
            entries.push(self.number(key)?);
            if self.closed(key, ']')? {
                return Ok(entries);
            }
        }
    }

    /// Whether `closing` is next, and not a comma; neither is an error.
    fn closed(&mut self, key: &str, closing: char) -> Result<bool, SpecError> {
        if self.skip(closing) {
            Ok(true)
        } else if self.skip(',') {
            Ok(false)
        } else {
            let (name, key) = (self.name.to_owned(), key.to_owned());
            Err(SpecError::Unclosed { name, key, closing, found: Excerpt::new(self.rest) })
        }
    }

    /// A number: what stands before the next punctuation.
    fn number(&mut self, key: &str) -> Result<Rational, SpecError> {
        let (text, rest) = split(self.rest, |c| matches!(c, ',' | '=' | '(' | ')' | '[' | ']' | '*'));
        let text = trim_end(text);
        self.rest = rest;
        exact::parse(text).map_err(|source| SpecError::Number {
            name: self.name.to_owned(),
            key: key.to_owned(),
            found: Excerpt::new(text),
            source,
        })
    }

    /// What follows `*`: all of it.
    fn copies(&mut self) -> Result<NonZeroU32, SpecError> {
        let text = trim_end(core::mem::take(&mut self.rest));
        exact::parse(text)
            .ok()
            .filter(Rational::is_integer)
            .and_then(|number| number.to_integer().to_u32())
            .filter(|copies| *copies <= MAX_COPIES)
            .and_then(NonZeroU32::new)
            .ok_or_else(|| SpecError::Copies { name: self.name.to_owned(), found: Excerpt::new(text) })
    }
}

/// The name or key that the text begins with, and what follows it, with the spaces around it skipped;
/// or, if it is malformed, what stands there.
fn word(text: &str) -> Result<(&str, &str), Excerpt> {
    let text = trim_start(text);
    let (word, rest) = split(text, |c| !matches!(c, 'a'..='z' | '0'..='9' | '_'));
    if word.is_empty() || word.len() > MAX_NAME || word.starts_with(|c: char| c.is_ascii_digit()) {
        let (shown, _) = split(text, |c| matches!(c, ',' | '=' | '(' | ')' | '[' | ']' | '*'));
        return Err(Excerpt::new(if shown.is_empty() { text } else { trim_end(shown) }));
    }
    Ok((word, trim_start(rest)))
}

/// The text before the first character that `stops`, and the text from there.
fn split(text: &str, stops: impl Fn(char) -> bool) -> (&str, &str) {
    text.find(stops).and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""))
}

fn trim_start(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

fn trim_end(text: &str) -> &str {
    text.trim_end_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Spec, SpecError> {
        text.parse()
    }

    /// The error's line, checked to be one.
    fn line(text: &str) -> String {
        let line = parse(text).expect_err(text).to_string();
        assert!(!line.chars().any(char::is_control) && line.len() < 300, "{line:?}");
        line
    }

    #[test]
    fn reads_the_grammar() {
        let cases = [
            ("laplace", "laplace()"),
            (" laplace ", "laplace()"),
            ("laplace()", "laplace()"),
            ("laplace( )*2", "laplace()*2"),
            ("_a9*1", "_a9()*1"),
            ("laplace(scale=2.5)", "laplace(scale=5/2)"),
            ("\tlaplace\t( scale = 2.50 , sensitivity=+3 ) * 1e3 ", "laplace(scale=5/2, sensitivity=3)*1000"),
            ("choose(weights=[1,1/2, 0.25 ],k=-1)", "choose(weights=[1, 1/2, 1/4], k=-1)"),
            ("choose(weights=[ ])", "choose(weights=[])"),
            ("x(a=1e-1000)*1000000000", "x(a=1e-1000)*1000000000"),
        ];
        for (text, canonical) in cases {
            let spec = parse(text).expect(text);
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(parse(canonical), Ok(spec));
        }
    }

    #[test]
    fn gives_its_parts() {
        let spec = parse("gaussian(sigma=1/3, at=[2])*7").unwrap();
        assert_eq!(spec.name(), "gaussian");
        assert_eq!(spec.copies(), NonZeroU32::new(7));
        let third = Rational::new(1.into(), 3.into());
        let two = Rational::from_integer(2.into());
        let expected = [("sigma".to_owned(), Value::Number(third)), ("at".to_owned(), Value::List([two].into()))];
        assert_eq!(spec.arguments(), expected);
    }

    #[test]
    fn names_what_is_wrong() {
        let cases = [
            ("", "mechanism name \"\": must be 1 to 40 of a-z, 0-9 and _, and not begin with a digit"),
            ("(a=1)", "mechanism name \"(a=1)\": must be"),
            ("Laplace(scale=1)", "mechanism name \"Laplace\": must be"),
            ("9laplace", "mechanism name \"9laplace\": must be"),
            ("x(=1)", "x: key \"=1)\": must be"),
            ("x(a=1,)", "x: key \")\": must be"),
            ("x(", "x: key \"\": must be"),
            ("x((a=1))", "x: key \"(a=1))\": must be"),
            ("x(a)", "x: a: must be written a=NUMBER or a=[NUMBER, …]"),
            ("x(a=1, b=2, a=1)", "x: a: must be given once, not twice"),
            ("x(a=ten)", "x: a: \"ten\" must be an integer, a decimal"),
            ("x(a=)", "x: a: \"\" must not be empty"),
            ("x(a=1 2)", "x: a: \"1 2\" must be an integer"),
            ("x(a=1/0)", "x: a: \"1/0\" must have a denominator other than zero"),
            ("x(a=1e999999999)", "x: a: \"1e999999999\" must have an exponent from -1000 to 1000"),
            ("x(a=\u{1b}[31m)", r#"x: a: "\u{1b}" must be an integer"#),
            ("x(a=[1,,2])", "x: a: \"\" must not be empty"),
            ("x(a=[1,])", "x: a: \"\" must not be empty"),
            ("x(a=[[1]])", "x: a: must be a list of numbers, not of lists"),
            ("x(a=[1, [2]])", "x: a: must be a list of numbers, not of lists"),
            ("x(a=[1", "x: a: must be followed by `,` or `]`, not by \"\""),
            ("x(a=[1)", "x: a: must be followed by `,` or `]`, not by \")\""),
            ("x(a=1]", "x: a: must be followed by `,` or `)`, not by \"]\""),
            ("x(a=1", "x: a: must be followed by `,` or `)`, not by \"\""),
            ("x(a=[1]2)", "x: a: must be followed by `,` or `)`, not by \"2)\""),
            ("x(a=b=1)", "x: a: \"b\" must be an integer"),
            ("x(a=1))", "x: must end there or in *k (k copies), not in \")\""),
            ("x y", "x: must end there or in *k (k copies), not in \"y\""),
            ("x=1", "x: must end there or in *k (k copies), not in \"=1\""),
            ("x(a=1)\n", "x: must end there or in *k (k copies), not in \"\\n\""),
            ("x()*0", "x: copies \"0\": k in *k must be an integer from 1 to 1000000000"),
        ];
        for (text, expected) in cases {
            let line = line(text);
            assert!(line.starts_with(expected), "{text:?}: {line}");
        }
        for copies in
            ["", "0", "-1", "1.5", "1/2", "1000000001", "1e10", "4294967297", "1e999999999", "2*3", "2)", "two", "[2]"]
        {
            assert_eq!(
                parse(&format!("x()*{copies}")),
                Err(SpecError::Copies { name: "x".into(), found: Excerpt::new(copies) })
            );
        }
    }

    #[test]
    fn holds_each_limit_exactly() {
        let name = |bytes| "n".repeat(bytes);
        assert!(parse(&name(MAX_NAME)).is_ok());
        assert!(matches!(parse(&name(MAX_NAME + 1)), Err(SpecError::Name { .. })));
        assert!(parse(&format!("x({}=1)", name(MAX_NAME))).is_ok());
        assert!(matches!(parse(&format!("x({}=1)", name(MAX_NAME + 1))), Err(SpecError::Key { .. })));

        let arguments = |count| (0..count).map(|index| format!("a{index}=1")).collect::<Vec<_>>().join(",");
        assert!(parse(&format!("x({})", arguments(MAX_ARGUMENTS))).is_ok());
        assert!(matches!(
            parse(&format!("x({})", arguments(MAX_ARGUMENTS + 1))),
            Err(SpecError::TooManyArguments { .. })
        ));

        let list = |count| format!("x(a=[1{}])", ",1".repeat(count - 1));
        assert!(parse(&list(MAX_ENTRIES)).is_ok());
        assert!(matches!(parse(&list(MAX_ENTRIES + 1)), Err(SpecError::TooManyEntries { .. })));

        let padded = |bytes: usize| format!("x{}", " ".repeat(bytes - 1));
        assert!(parse(&padded(MAX_BYTES)).is_ok());
        assert_eq!(parse(&padded(MAX_BYTES + 1)), Err(SpecError::TooLong));
    }

    /// A short text with a long canonical form: `1e-998` is 1/1000…0, of 1,001 bytes.
    #[test]
    fn refuses_what_is_too_long_in_canonical_form() {
        // 5 + 65 · (1,001 + 2) + digits + 2 bytes in canonical form.
        let list = |digits: usize| format!("x(a=[{}{}])", "1e-998,".repeat(65), "9".repeat(digits));
        let canonical = parse(&list(334)).unwrap().to_string();
        assert_eq!(canonical.len(), MAX_BYTES);
        assert_eq!(parse(&canonical).unwrap().to_string(), canonical);
        assert_eq!(parse(&list(335)), Err(SpecError::TooLong));
    }

    fn any_number() -> impl Strategy<Value = Rational> {
        (any::<i64>(), 1..=i64::MAX, -1_000_i32..=1_000, any::<bool>()).prop_map(
            |(numerator, denominator, power, fraction)| {
                if fraction {
                    Rational::new(numerator.into(), denominator.into())
                } else {
                    Rational::from_integer(numerator.into()) * Rational::from_integer(10.into()).pow(power)
                }
            },
        )
    }

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any_number().prop_map(Value::Number),
            prop::collection::vec(any_number(), 0..4).prop_map(Value::List)
        ]
    }

    prop_compose! {
        fn any_spec()(
            name in "[a-z_][a-z0-9_]{0,39}",
            arguments in prop::collection::btree_map("[a-z_][a-z0-9_]{0,39}", any_value(), 0..6),
            copies in prop::option::of(1..=MAX_COPIES),
        ) -> Spec {
            Spec { name, arguments: arguments.into_iter().collect(), copies: copies.and_then(NonZeroU32::new) }
        }
    }

    proptest! {
        #[test]
        fn reads_back_any_spec(spec in any_spec(), space in "[ \t]{0,2}") {
            let canonical = spec.to_string();
            prop_assert_eq!(parse(&canonical), Ok(spec.clone()));
            let spaced: String = canonical
                .chars()
                .filter(|c| *c != ' ')
                .map(|c| if "()[]=,*".contains(c) { format!("{space}{c}{space}") } else { c.to_string() })
                .collect();
            prop_assert_eq!(parse(&spaced), Ok(spec));
        }

        #[test]
        fn refuses_in_one_line(text in "[a-z]{1,3}\\([ a-c=,0-9\\[\\]()*\\n\\x00]{0,20}") {
            if parse(&text).is_err() {
                line(&text);
            }
        }

        #[test]
        fn never_panics(text: String) {
            let _ = parse(&text);
        }
    }
}
