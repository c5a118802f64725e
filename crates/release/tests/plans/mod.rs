//! Plans and tables that tests share.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "each test uses some of them")]

use std::collections::BTreeMap;

use certus::{
    exact::{Positive, Probability, Rational, parse},
    guarantee::Relation,
};
use certus_ledger::{
    Digest,
    plan::{Budget, Column, Comparison, Keys, Literal, Person, Predicate, Query, ReleasePlan, Share, Statistic},
};
use certus_release::aggregates::RankKey;

pub fn positive(text: &str) -> Positive {
    Positive::new(parse(text).unwrap()).unwrap()
}

pub fn number(text: &str) -> Literal {
    Literal::Number(parse(text).unwrap())
}

pub fn digest() -> Digest {
    Digest::of(b"seven")
}

pub fn key(byte: u8) -> RankKey {
    RankKey([byte; 32])
}

pub fn query(name: &str, statistic: Statistic, by: &[&str], keys: Keys, filter: Option<Predicate>) -> Query {
    Query {
        name: name.to_owned(),
        statistic,
        filter,
        by: by.iter().map(|name| (*name).to_owned()).collect(),
        keys,
        share: Share::Weight(positive("1")),
        noise: None,
        after: Vec::new(),
    }
}

pub fn compare(column: &str, comparison: Comparison, literal: Literal) -> Predicate {
    Predicate::Compare { column: column.to_owned(), comparison, literal }
}

pub fn both(left: Predicate, right: Predicate) -> Predicate {
    Predicate::And(Box::new(left), Box::new(right))
}

pub fn either(left: Predicate, right: Predicate) -> Predicate {
    Predicate::Or(Box::new(left), Box::new(right))
}

pub fn not(inner: Predicate) -> Predicate {
    Predicate::Not(Box::new(inner))
}

/// The name of a column with everything in it that quotes could stumble over.
pub const NASTY_NAME: &str = "in\"co`me 'ü\\";
/// Texts that literals could stumble over.
pub const NASTY_TEXTS: [&str; 9] =
    ["a", "it's", "back\\slash", "\\' OR 1=1 --", "ünïcode☃𝄞", "new\nline", "nul\0x", "${x}", "A"];

/// Columns of every type.
pub fn columns() -> BTreeMap<String, Column> {
    let texts = NASTY_TEXTS.iter().map(|text| (*text).to_owned()).collect();
    BTreeMap::from([
        ("age".to_owned(), Column::Integer { bounds: Some((0, 120)) }),
        ("any".to_owned(), Column::Integer { bounds: None }),
        ("big".to_owned(), Column::Integer { bounds: Some((i64::MIN, i64::MAX)) }),
        (NASTY_NAME.to_owned(), Column::Number { bounds: (-400, 4000), grid: positive("1/4") }),
        ("tenth".to_owned(), Column::Number { bounds: (-1 << 53, 1 << 53), grid: positive("3/10") }),
        ("city".to_owned(), Column::Text { values: Some(texts) }),
        ("free".to_owned(), Column::Text { values: None }),
    ])
}

/// A plan with one query of each kind.
pub fn every(person: Option<Person>) -> ReleasePlan {
    let sum = |column: &str| Statistic::Sum { column: column.to_owned() };
    let income = || NASTY_NAME.to_owned();
    let texts = |texts: &[&str]| texts.iter().map(|text| Literal::Text((*text).to_owned())).collect();
    let level = Probability::new(Rational::new(1.into(), 2.into())).unwrap();
    let adult = compare("age", Comparison::AtLeast, number("17.5"));
    let quarter = compare(NASTY_NAME, Comparison::Less, number("1/3"));
    let queries = vec![
        query("count", Statistic::Count, &[], Keys::Public, None),
        query("adults", Statistic::Count, &[], Keys::Public, Some(adult.clone())),
        query("persons", Statistic::Persons, &[], Keys::Public, None),
        query("sum", sum(NASTY_NAME), &[], Keys::Public, Some(not(both(adult.clone(), quarter.clone())))),
        query("big", sum("big"), &["city"], Keys::Public, None),
        query("mean", Statistic::Mean { column: "tenth".to_owned() }, &["city", "age"], Keys::Public, None),
        query("variance", Statistic::Variance { column: income() }, &[], Keys::Public, None),
        query(
            "histogram",
            Statistic::Histogram { column: income(), cuts: vec![-400, -3, 0, 5, 4000] },
            &[],
            Keys::Public,
            Some(either(quarter, Predicate::IsNull { column: "age".to_owned() })),
        ),
        query(
            "even",
            Statistic::Histogram { column: "age".to_owned(), cuts: vec![10, 20, 30, 40] },
            &["city"],
            Keys::Public,
            None,
        ),
        query("texts", Statistic::Histogram { column: "city".to_owned(), cuts: vec![] }, &[], Keys::Public, None),
        query(
            "median",
            Statistic::Quantile { column: "age".to_owned(), level: level.clone(), candidates: vec![0, 1, 5, 50, 120] },
            &[],
            Keys::Public,
            None,
        ),
        query(
            "quantile",
            Statistic::Quantile { column: income(), level, candidates: vec![-4, 0, 4, 8] },
            &[],
            Keys::Public,
            None,
        ),
        query("top", Statistic::TopK { column: "city".to_owned(), k: 2 }, &[], Keys::Public, None),
        query(
            "keys",
            sum("age"),
            &["free"],
            Keys::Thresholded,
            Some(compare("free", Comparison::NotEqual, Literal::Text("it's".to_owned()))),
        ),
        query(
            "cells",
            Statistic::Histogram { column: "age".to_owned(), cuts: vec![0, 7, 120] },
            &["free"],
            Keys::Thresholded,
            Some(not(Predicate::In { column: "city".to_owned(), literals: texts(&["back\\slash", "nul\0x"]) })),
        ),
        query(
            "in",
            Statistic::Count,
            &[],
            Keys::Public,
            Some(not(Predicate::In {
                column: NASTY_NAME.to_owned(),
                literals: vec![number("1/3"), number("-0.25"), number("10^30".replace("10^30", "1e30").as_str())],
            })),
        ),
        query(
            "equal",
            Statistic::Count,
            &[],
            Keys::Public,
            Some(compare("tenth", Comparison::NotEqual, number("1/7"))),
        ),
        query("beyond", Statistic::Count, &[], Keys::Public, Some(compare("any", Comparison::Less, number("1e30")))),
        query(
            "between",
            Statistic::Persons,
            &["city"],
            Keys::Public,
            Some(Predicate::Between {
                column: "any".to_owned(),
                low: number("-9223372036854775808"),
                high: number("9223372036854775806.5"),
            }),
        ),
    ];
    ReleasePlan {
        neighbours: Relation::AddRemove,
        person,
        columns: columns(),
        budget: Budget::Pure { epsilon: positive("1") },
        queries,
    }
}

pub fn person(rows: u32, groups: u32, rows_per_group: u32) -> Option<Person> {
    Some(Person { column: "i d".to_owned(), rows, groups, rows_per_group })
}
