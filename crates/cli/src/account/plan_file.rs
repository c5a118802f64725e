//! Plans from TOML: a list of `[[mechanism]]` tables, each a spec, a pair of distributions, or a pair's file.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{listed::Item, pair_file};
use crate::{
    Failure,
    source::count,
    suggest::with_hint,
    toml_file::{kind, number, refuse_unknown, tables, with_document},
};
use certus::{
    exact::{Rational, parse},
    mechanism::MAX_COPIES,
};

/// What a table may hold.
const ACCEPTED: &str = "spec; or p and q; or pair (a file); each with copies";

/// The items of a plan file.
pub(super) fn from_file(path: &str) -> Result<Vec<Item>, Failure> {
    from_text(path, &pair_file::read(path)?)
}

/// The files that a plan names.
pub(super) fn pair_files(path: &str) -> Result<Vec<String>, Failure> {
    with_document(path, &pair_file::read(path)?, |document| {
        let tables = tables(path, document, "mechanism")?;
        let pairs = tables.into_iter().filter_map(|table| table.get("pair")?.get_ref().as_str());
        Ok(pairs.map(|file| beside(path, file)).collect())
    })
}

/// A path in a plan is relative to the plan.
fn beside(plan: &str, file: &str) -> String {
    let path = Path::new(plan).parent().map_or_else(|| file.into(), |folder| folder.join(file));
    path.to_string_lossy().into_owned()
}

fn from_text(path: &str, text: &str) -> Result<Vec<Item>, Failure> {
    with_document(path, text, |document| {
        refuse_unknown(path, document, &["mechanism"], "[[mechanism]]")?;
        let tables = tables(path, document, "mechanism")?;
        let items = (1..).zip(tables).map(|(place, table)| item(path, &format!("{path}: mechanism {place}"), table));
        items.collect()
    })
}

/// One table; `name` says where it stands.
fn item(path: &str, name: &str, table: &DeTable<'_>) -> Result<Item, Failure> {
    let refused = |what: String| Failure::Usage(format!("{name}: {what}"));
    refuse_unknown(name, table, &["spec", "p", "q", "pair", "copies"], ACCEPTED)?;
    let of = |key: &str| table.get(key).map(|value| value.get_ref());
    let text = |key: &str, value: &DeValue<'_>| match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(refused(format!("{key}: must be a string, not {}", kind(value)))),
    };
    let copies = match of("copies") {
        None => None,
        Some(value) => {
            let written = number(value).map_or_else(|| kind(value).to_owned(), str::to_owned);
            Some(count(&format!("{name}: copies"), &written, 1, MAX_COPIES.into())?)
        }
    };
    match (of("spec"), of("p"), of("q"), of("pair")) {
        (Some(spec), None, None, None) => {
            let (item, has_copies) = Item::from_spec(&text("spec", spec)?)
                .map_err(|error| refused(format!("spec: {}", with_hint(&error))))?;
            match copies {
                Some(_) if has_copies => Err(refused("copies: must not be given beside *k in the spec".into())),
                Some(copies) => Ok(item.times(copies)),
                None => Ok(item),
            }
        }
        (None, Some(p), Some(q), None) => {
            let column = |key: &str, value: &DeValue<'_>| {
                numbers(value)
                    .ok_or_else(|| refused(format!("{key}: must be a list of numbers such as \"1/3\", 0.25 or 1")))
            };
            let (p, q) = (column("p", p)?, column("q", q)?);
            if p.len() != q.len() {
                return Err(refused(format!("p and q: must have the same length, not {} and {}", p.len(), q.len())));
            }
            pair_file::from_columns(name, p.into_iter().zip(q).collect(), copies.unwrap_or(1))
        }
        (None, None, None, Some(pair)) => {
            let file = text("pair", pair)?;
            pair_file::from_file(&beside(path, &file), copies.unwrap_or(1))
        }
        _ => Err(refused(format!("must have one of: {ACCEPTED}"))),
    }
}

/// The numbers of a list, each read exactly from its own text.
fn numbers(value: &DeValue<'_>) -> Option<Vec<Rational>> {
    value.as_array()?.iter().map(|entry| parse(number(entry.get_ref())?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::listed::Listed;

    fn texts(text: &str) -> Vec<String> {
        Listed::new(from_text("plan.toml", text).unwrap(), None).unwrap().texts()
    }

    #[test]
    fn a_plan_is_its_specs() {
        let plan = "[[mechanism]]\nspec = \"gaussian(sigma=10)\"\ncopies = 100\n\n[[mechanism]] # in passing\nspec = 'laplace(scale=1)*2'\n";
        assert_eq!(texts(plan), ["gaussian(sigma=10)*100", "laplace(scale=1)*2"]);
    }

    #[test]
    fn numbers_are_read_from_their_text() {
        // As doubles, 0.1 + 0.2 + 0.7 is not 1.
        let plan = "mechanism = [{ p = [0.1, 0.2, 0.7], q = [\"1/3\", \"1/3\", \"1/3\"], copies = \"1e3\" }]";
        assert_eq!(texts(plan), ["pair(p=[1/10, 1/5, 7/10], q=[1/3, 1/3, 1/3])*1000"]);
        assert_eq!(texts("[[mechanism]]\np = [1, 0]\nq = [0, 1e0]"), ["pair(p=[0, 1], q=[1, 0])"]);
    }

    #[test]
    fn each_refusal_names_the_file_the_key_and_what_is_accepted() {
        for (text, expected) in [
            ("", "plan.toml: must have at least one [[mechanism]]"),
            ("mechanism = 3", "plan.toml: must have at least one [[mechanism]]"),
            ("[mechanism]\nspec = 'laplace(scale=1)'", "plan.toml: [mechanism]: must be written [[mechanism]]"),
            ("mechanism = [3]", "plan.toml: must have [[mechanism]] tables"),
            ("[[mechanisms]]\nspec = 'laplace(scale=1)'", "key \"mechanisms\": unknown key; accepted: [[mechanism]]"),
            (
                "[[mechanism]]\nspec = 'laplace(scale=1)'\ncopeis = 3",
                "mechanism 1: key \"copeis\": unknown key; accepted: spec;",
            ),
            (
                "[[mechanism]]\nspec = 'laplace(scale=1)'\n[[mechanism]]\ncopies = 3",
                "mechanism 2: must have one of: spec;",
            ),
            ("[[mechanism]]\nspec = 'laplace(scale=1)'\np = [1]", "mechanism 1: must have one of"),
            ("[[mechanism]]\nspec = 3", "mechanism 1: spec: must be a string, not integer"),
            ("[[mechanism]]\nspec = 'laplace(scale=0)'", "mechanism 1: spec: laplace: scale: must be positive"),
            (
                "[[mechanism]]\nspec = 'laplace(scale=1)'\ncopies = 0",
                "copies: must be an integer from 1 to 1000000000, not \"0\"",
            ),
            ("[[mechanism]]\nspec = 'laplace(scale=1)'\ncopies = 1000000000000", "copies: must be an integer from 1"),
            ("[[mechanism]]\nspec = 'laplace(scale=1)'\ncopies = 1.5", "copies: must be an integer from 1"),
            ("[[mechanism]]\nspec = 'laplace(scale=1)'\ncopies = 0x10", "copies: must be an integer from 1"),
            ("[[mechanism]]\nspec = 'laplace(scale=1)*2'\ncopies = 2", "copies: must not be given beside *k"),
            ("[[mechanism]]\np = [1]\nq = [0.5, 0.5]", "p and q: must have the same length, not 1 and 2"),
            ("[[mechanism]]\np = [0.5, 0.4]\nq = [0.5, 0.5]", "mechanism 1: p: must add up to exactly 1, not 9/10"),
            ("[[mechanism]]\np = [nan]\nq = [1]", "p: must be a list of numbers"),
            ("[[mechanism]]\np = 1\nq = [1]", "p: must be a list of numbers"),
            ("[[mechanism]]\nspec = \n", "plan.toml: line 2: not TOML"),
            ("[[mechanism]]\nspec = 'laplace(scale=1)'\nspec = 'laplace(scale=1)'", "plan.toml: line 3: not TOML"),
        ] {
            let line = from_text("plan.toml", text).map(|_| ()).unwrap_err().line().unwrap();
            assert!(line.starts_with("plan.toml: ") && line.contains(expected), "{text:?}: {line}");
        }
    }
}
