//! `certus ledger init`: what may be spent, and by whom, in a new file.

use std::{collections::BTreeMap, io::Write};

use serde_json::{Value, json};

use super::{arguments::Init, document::spending, failure, look::print_spending, path};
use crate::{
    Failure, SCHEMA_VERSION,
    account::{Question, answer_in_words, declared_items, relation},
    arguments::Shared,
    source::number,
};
use certus::{
    exact::{NonNegative, Rational},
    guarantee::Relation,
    mechanism::Spec,
};
use certus_ledger::book::{Amount, Analyst, Book, BookError, Budget, Opening, Parts, PartsError};

pub(super) fn run(options: &Init, shared: &Shared, out: &mut dyn Write) -> Result<u8, Failure> {
    let path = path(&options.file)?;
    let asked = options.relation.as_deref().map(relation).transpose()?;
    let budget = budget(options)?;
    let question = question(options)?;
    let (relation, account) = match &budget {
        Budget::Sum(_) => (asked.unwrap_or(Relation::AddRemove), None),
        Budget::Declared(parts) => {
            let relation = relation_of(parts, asked)?;
            let plan = parts.plan(relation).map_err(|error| refused("--declare", &error))?;
            let answer = question.map(|question| answer_in_words(&plan, &question, shared.quiet)).transpose()?;
            (relation, answer)
        }
    };
    let opening = Opening { relation, analysts: analysts(options, &budget)?, budget };
    let head = Book::create(path, &opening).map_err(|error| match &error {
        BookError::Exists | BookError::NotAFile => Failure::argument("FILE", format_args!("{}: {error}", options.file)),
        BookError::AnalystBudget(_) => Failure::argument("--analyst", error),
        BookError::Opening => Failure::argument(argument(options), error),
        _ => failure(&options.file, &error),
    })?;
    let reading = Book::read(path, Some(&head)).map_err(|error| failure(&options.file, &error))?;
    if shared.json {
        let mut document = spending(reading.state());
        let account = account.map_or(Value::Null, |(_, document)| document);
        let fields = [
            ("schema_version", SCHEMA_VERSION.into()),
            ("file", options.file.clone().into()),
            ("head", json!(head)),
            ("account", account),
        ];
        if let Some(document) = document.as_object_mut() {
            document.extend(fields.map(|(key, value)| (key.to_owned(), value)));
        }
        writeln!(out, "{document}")?;
        return Ok(0);
    }
    writeln!(out, "made      {}", options.file)?;
    print_spending(reading.state(), out)?;
    if let Some((line, _)) = account {
        writeln!(out, "account   {line}")?;
    }
    writeln!(out, "head      {head}")?;
    writeln!(out, "note      keep the latest head outside the file: --expect-head tells a restored backup by it")?;
    Ok(0)
}

/// The argument that gives the budget.
fn argument(options: &Init) -> &'static str {
    match (&options.rho, options.declare.is_empty()) {
        (Some(_), _) => "--rho",
        (None, false) => "--declare",
        (None, true) => "--epsilon",
    }
}

fn refused(argument: &str, error: &PartsError) -> Failure {
    Failure::argument(argument, error)
}

/// A number above 0 of a budget.
fn positive(name: &str, text: &str) -> Result<NonNegative, Failure> {
    let must = "must be a positive number, such as 1, 0.1 or 1/3";
    let value = number(name, text, must)?;
    if value <= Rational::from_integer(0.into()) {
        return Err(Failure::value(name, text, must));
    }
    NonNegative::new(value).map_err(|_| Failure::value(name, text, must))
}

fn delta(name: &str, text: &str) -> Result<NonNegative, Failure> {
    let must = "must be a number at least 0 and below 1, such as 0, 1e-6 or 1/1000";
    let value = Some(number(name, text, must)?).filter(|value| *value < Rational::from_integer(1.into()));
    value.and_then(|value| NonNegative::new(value).ok()).ok_or_else(|| Failure::value(name, text, must))
}

fn budget(options: &Init) -> Result<Budget, Failure> {
    if !options.declare.is_empty() {
        let items = declared_items("--declare", &options.declare)?;
        return declared("--declare", items).map(Budget::Declared);
    }
    let amount = match (&options.rho, &options.epsilon, &options.delta) {
        (Some(rho), _, _) => Amount::Zcdp { rho: positive("--rho", rho)? },
        (None, Some(epsilon), None) => Amount::Pure { epsilon: positive("--epsilon", epsilon)? },
        (None, Some(epsilon), Some(text)) => {
            Amount::Approximate { epsilon: positive("--epsilon", epsilon)?, delta: delta("--delta", text)? }
        }
        (None, None, _) => return Err(Failure::argument("--epsilon", "must be given, or --rho, or --declare")),
    };
    Ok(Budget::Sum(amount))
}

/// Mechanisms, each by its canonical text and as often as it runs.
fn declared(argument: &str, items: Vec<(String, u64)>) -> Result<Parts, Failure> {
    items.into_iter().try_fold(Parts::new(), |parts, (text, copies)| {
        let spec: Spec = text.parse().map_err(|error| Failure::argument(argument, error))?;
        parts.with(&spec, copies).map_err(|error| refused(argument, &error))
    })
}

/// The neighbours that a declared plan is for: those that are asked for, or its own.
fn relation_of(parts: &Parts, asked: Option<Relation>) -> Result<Relation, Failure> {
    if let Some(asked) = asked {
        return Ok(asked);
    }
    // Parts that are for change-one neighbours alone do not convert.
    match parts.plan(Relation::AddRemove) {
        Ok(_) => Ok(Relation::AddRemove),
        Err(first) => {
            parts.plan(Relation::ChangeOne).map(|_| Relation::ChangeOne).map_err(|_| refused("--declare", &first))
        }
    }
}

/// What is asked of a declared plan.
fn question(options: &Init) -> Result<Option<Question>, Failure> {
    if options.declare.is_empty() {
        return Ok(None);
    }
    match (&options.epsilon, &options.delta) {
        (Some(_), Some(_)) => Err(Failure::argument(
            "--delta",
            "must not be given beside --epsilon and --declare: ask for one of the two",
        )),
        (epsilon, delta) => Question::of(epsilon.as_deref(), delta.as_deref()),
    }
}

/// `NAME=BUDGET`, in the kind of the dataset's budget; parts of a declared plan one at a time.
fn analysts(options: &Init, budget: &Budget) -> Result<BTreeMap<Analyst, Budget>, Failure> {
    let mut analysts: BTreeMap<Analyst, Budget> = BTreeMap::new();
    for text in &options.analyst {
        let must = match budget {
            Budget::Sum(Amount::Pure { .. }) => "must be NAME=E, such as ana=1/2",
            Budget::Sum(Amount::Approximate { .. }) => "must be NAME=E,D, such as ana=1/2,1e-6",
            Budget::Sum(Amount::Zcdp { .. }) => "must be NAME=R, such as ana=1/8",
            Budget::Declared(_) => "must be NAME=SPEC*K, such as 'ana=laplace(scale=1)*3'",
        };
        let malformed = || Failure::value("--analyst", text, must);
        let (name, theirs) = text.split_once('=').ok_or_else(malformed)?;
        let name: Analyst = name
            .parse()
            .map_err(|error| Failure::value("--analyst", text, &format!("{must}, and the name {error}")))?;
        let place = "--analyst";
        let amount = match budget {
            Budget::Sum(Amount::Pure { .. }) => Budget::Sum(Amount::Pure { epsilon: positive(place, theirs)? }),
            Budget::Sum(Amount::Zcdp { .. }) => Budget::Sum(Amount::Zcdp { rho: positive(place, theirs)? }),
            Budget::Sum(Amount::Approximate { .. }) => {
                let (first, second) = theirs.split_once(',').ok_or_else(malformed)?;
                Budget::Sum(Amount::Approximate { epsilon: positive(place, first)?, delta: delta(place, second)? })
            }
            Budget::Declared(_) => {
                let earlier = match analysts.remove(&name) {
                    Some(Budget::Declared(parts)) => parts.iter().map(|(text, k)| (text.to_owned(), k)).collect(),
                    _ => Vec::new(),
                };
                let items = declared_items(place, &[theirs.to_owned()])?;
                Budget::Declared(declared(place, [earlier, items].concat())?)
            }
        };
        if analysts.insert(name, amount).is_some() {
            return Err(Failure::value("--analyst", text, "must be given once for a name"));
        }
    }
    Ok(analysts)
}
