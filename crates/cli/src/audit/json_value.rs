//! JSON values as outputs: different values are different lines, and one value is one line however it is
//! written.
//!
//! | value | line |
//! | --- | --- |
//! | `null` | the empty line, "no output" |
//! | a number, `true`, `false` | as it is written: `1`, `1.0` and `1e0` are three outputs |
//! | a string that could not be taken for anything else | its characters: `yes` |
//! | any other string: empty, `true`, `false` or `null`, begun by a digit or `-`, or with `,`, `[`, `]`, `{`, `}`, `"`, `\` or a control character | in quotes, with the fewest escapes: `"1"`, `"a,b"` |
//! | a list of at least two | its entries with commas between them: `1,2`, as the other formats write a vector |
//! | any other list, and lists in lists | in brackets: `[]`, `[1]`, `[1,2],3` |
//! | an object | its keys in quotes and ascending: `{"a":1,"b":[2]}` |
//!
//! Every line can be read back to its value, since a bare word holds nothing that parts or begins another
//! value; so the lines of two values differ. A key that is there twice has no one value: it is refused,
//! wherever it stands.
//!
//! A value is read by way of its raw text. `serde_json::Value` would take the object
//! `{"$serde_json::private::Number": "1"}` for the number 1, and the last of two equal keys for both.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

/// The most lists and objects that a value may be within.
const DEEPEST: u32 = 100;

/// Why a line holds no output. None of them tells what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ValueError {
    #[error("is not a JSON value")]
    NotJson,
    #[error("has a key twice")]
    Twice,
    #[error("is too deep: a value is within at most {DEEPEST} lists and objects")]
    Deep,
    #[error("is not an object, which --column needs")]
    NoObject,
    #[error("has no such field as --column names")]
    NoField,
    #[error("is an object: --column must name the field that is the output")]
    NoColumn,
}

/// The line of the value in a line of NDJSON, or of the field that a column names.
pub(super) fn line(text: &str, column: Option<&str>) -> Result<String, ValueError> {
    let value: &RawValue = read(text)?;
    let is_object = value.get().starts_with('{');
    let mut line = String::new();
    let Some(column) = column else {
        if is_object {
            return Err(ValueError::NoColumn);
        }
        write(value, 0, &mut line)?;
        return Ok(outermost(value, line));
    };
    if !is_object {
        return Err(ValueError::NoObject);
    }
    // The other fields are looked at too: a key that is there twice is refused wherever it stands.
    let mut found = None;
    for (key, value) in fields(value)? {
        line.clear();
        write(value, 1, &mut line)?;
        if key == column {
            found = Some(outermost(value, std::mem::take(&mut line)));
        }
    }
    found.ok_or(ValueError::NoField)
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ValueError> {
    serde_json::from_str(text).map_err(|_| ValueError::NotJson)
}

/// A whole output has no brackets around two or more entries, and nothing for null.
fn outermost(value: &RawValue, line: String) -> String {
    let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match value.get().as_bytes().first() {
        Some(b'n') => String::new(),
        Some(b'[') if entries(value).is_ok_and(|entries| entries.len() > 1) => inside.unwrap_or(&line).to_owned(),
        _ => line,
    }
}

fn write(value: &RawValue, depth: u32, to: &mut String) -> Result<(), ValueError> {
    if depth > DEEPEST {
        return Err(ValueError::Deep);
    }
    match value.get().as_bytes().first() {
        Some(b'"') => {
            let text: String = read(value.get())?;
            to.push_str(&word(&text));
        }
        Some(b'[') => {
            to.push('[');
            for (place, entry) in entries(value)?.into_iter().enumerate() {
                if place > 0 {
                    to.push(',');
                }
                write(entry, depth + 1, to)?;
            }
            to.push(']');
        }
        Some(b'{') => {
            to.push('{');
            for (place, (key, field)) in fields(value)?.into_iter().enumerate() {
                if place > 0 {
                    to.push(',');
                }
                to.push_str(&quoted(&key));
                to.push(':');
                write(field, depth + 1, to)?;
            }
            to.push('}');
        }
        // A number, true, false or null: as it is written.
        _ => to.push_str(value.get()),
    }
    Ok(())
}

/// The line of a string, as the table has it.
///
/// ```
/// assert_eq!(["yes", "1", "a,b"].map(certus_cli::report::word), ["yes", "\"1\"", "\"a,b\""]);
/// ```
#[must_use]
pub fn word(text: &str) -> String {
    if is_word(text) { text.to_owned() } else { quoted(text) }
}

/// Whether a string needs no quotes: it is no other value, and holds nothing that parts values.
fn is_word(text: &str) -> bool {
    let parts = |c: char| matches!(c, ',' | '[' | ']' | '{' | '}' | '"' | '\\') || c.is_control();
    !matches!(text, "" | "true" | "false" | "null")
        && !text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && !text.contains(parts)
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn entries(value: &RawValue) -> Result<Vec<&RawValue>, ValueError> {
    read(value.get())
}

/// The fields of an object, by ascending keys.
fn fields(value: &RawValue) -> Result<Vec<(String, &RawValue)>, ValueError> {
    let Fields(mut fields) = read(value.get())?;
    fields.sort_by(|(one, _), (two, _)| one.cmp(two));
    let is_twice = fields.windows(2).any(|pair| matches!(pair, [(one, _), (two, _)] if one == two));
    if is_twice { Err(ValueError::Twice) } else { Ok(fields) }
}

/// The fields of an object as they come, none of them left out.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields<'de>, M::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A value of the test's own, which owes nothing to serde.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Json {
        Null,
        Bool(bool),
        Number(String),
        Text(String),
        List(Vec<Json>),
        Object(Vec<(String, Json)>),
    }

    impl Json {
        /// As JSON, every character of a string escaped where `escaped` says, and the fields turned round
        /// where it says.
        fn written(&self, escaped: bool) -> String {
            let text = |text: &str| {
                let all = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
                let few = text.chars().map(|c| match c {
                    '"' => "\\\"".to_owned(),
                    '\\' => "\\\\".to_owned(),
                    c if c < ' ' => format!("\\u{:04X}", u32::from(c)),
                    c => c.to_string(),
                });
                format!("\"{}\"", if escaped { all } else { few.collect() })
            };
            let space = if escaped { " " } else { "" };
            match self {
                Self::Null => "null".to_owned(),
                Self::Bool(value) => value.to_string(),
                Self::Number(number) => number.clone(),
                Self::Text(value) => text(value),
                Self::List(list) => {
                    let list: Vec<String> = list.iter().map(|one| one.written(escaped)).collect();
                    format!("[{space}{}]", list.join(&format!("{space},")))
                }
                Self::Object(fields) => {
                    let mut fields: Vec<String> = fields
                        .iter()
                        .map(|(key, value)| format!("{}{space}:{}", text(key), value.written(escaped)))
                        .collect();
                    if escaped {
                        fields.reverse();
                    }
                    format!("{{{}{space}}}", fields.join(","))
                }
            }
        }
    }

    fn json() -> impl Strategy<Value = Json> {
        let text = "[a1,\"\\[\\]{}: \n\\\\-é]{0,3}|true|null|false|nan|1e5";
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            "-?(0|[1-9][0-9]?)(\\.[0-9]{1,2})?([eE][+-]?[0-9])?".prop_map(Json::Number),
            text.prop_map(Json::Text),
        ];
        leaf.prop_recursive(3, 12, 4, move |inner| {
            let fields = proptest::collection::btree_map(text, inner.clone(), 0..3);
            prop_oneof![
                proptest::collection::vec(inner, 0..4).prop_map(Json::List),
                fields.prop_map(|fields| Json::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn line_of(value: &Json, escaped: bool) -> String {
        line(&format!("{{\"x\":{}}}", value.written(escaped)), Some("x")).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// One value, one line, however it is written; two values, two lines.
        #[test]
        fn lines_are_values((one, two) in (json(), json())) {
            prop_assert_eq!(line_of(&one, false), line_of(&one, true));
            prop_assert_eq!(line_of(&one, false) == line_of(&two, false), one == two, "{:?} {:?}", one, two);
            prop_assert!(!line_of(&one, false).contains('\n'));
            // A value, the list of it alone, and its own text as a string are three.
            let (listed, text) = (Json::List(vec![one.clone()]), Json::Text(one.written(false)));
            prop_assert_ne!(line_of(&one, false), line_of(&listed, false));
            prop_assert_ne!(line_of(&one, false), line_of(&text, false));
            // A string that reads like the line of another value is not that value.
            let like = Json::Text(line_of(&one, false));
            prop_assert_eq!(line_of(&one, false) == line_of(&like, false), one == like);
        }
    }

    #[test]
    fn lines_as_they_are() {
        for (value, expected) in [
            ("null", ""),
            ("1", "1"),
            ("1.0", "1.0"),
            ("1E+5", "1E+5"),
            ("-0", "-0"),
            ("true", "true"),
            ("\"true\"", "\"true\""),
            ("\"yes, no\"", "\"yes, no\""),
            ("\"yes\"", "yes"),
            ("\"\\u0031\"", "\"1\""),
            ("[]", "[]"),
            ("[ 1 ]", "[1]"),
            ("[1, 2]", "1,2"),
            ("[[1,2],3]", "[1,2],3"),
            ("[[1,2]]", "[[1,2]]"),
            ("[null,\"null\"]", "null,\"null\""),
            ("[{\"b\":[2],\"a\":\"x\"}]", "[{\"a\":x,\"b\":[2]}]"),
        ] {
            assert_eq!(line(value, None).as_deref(), Ok(expected), "{value}");
        }
        assert_eq!(line("{\"a\":1}", None), Err(ValueError::NoColumn));
        assert_eq!(line("{\"a\":1}", Some("b")), Err(ValueError::NoField));
        assert_eq!(line("[1]", Some("b")), Err(ValueError::NoObject));
        for twice in
            ["{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":{\"c\":1,\"c\":2}}", "{\"b\":[{\"\\u0063\":1,\"c\":2}],\"a\":1}"]
        {
            assert_eq!(line(twice, Some("a")), Err(ValueError::Twice), "{twice}");
        }
        for bad in ["", " ", "1 2", "[1,]", "{\"a\":1,}", "\"\\ud800\"", "01", "nan", "'a'", "\u{feff}1", "\"\n\""] {
            assert_eq!(line(bad, None), Err(ValueError::NotJson), "{bad}");
        }
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(line(&deep(101), None).is_ok());
        assert_eq!(line(&deep(102), None), Err(ValueError::Deep));
        assert_eq!(line(&deep(100_000), None), Err(ValueError::Deep));
    }
}
