//! The questions of `certus account`.

use certus::{
    account::{
        Answer, Method, Plan, Precision, PrivacyProfile, TradeOff, attacker_true_positive_rate, delta, epsilon, reach,
    },
    exact::{Enclosure, NonNegative, Probability, Rational, Rounding, decimal, render},
    guarantee::Relation,
    mechanism::{self, Spec},
};
use num_traits::{One as _, Zero as _};
use serde_json::{Value, json};

use crate::{
    SCHEMA_VERSION,
    text::{self, refused},
};

/// Digits of an answer; three more are printed, so that its width shows.
const DIGITS: u32 = 15;

/// The points of a profile.
const POINTS: u32 = 21;

/// Digits after the point of the trade-off curve.
const CURVE_DIGITS: u32 = 6;

/// A question, as text.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// One spec a line.
    pub specs: &'a str,
    /// "epsilon" or "delta", whichever is given, or "profile".
    pub question: &'a str,
    /// The ε or δ.
    pub value: &'a str,
    /// "add_remove", "change_one", or nothing.
    pub relation: &'a str,
}

enum Question {
    Delta(NonNegative),
    Epsilon(Probability),
    Profile,
}

/// The answer, with the keys of the command's document; `specs` are the canonical texts in the order given.
///
/// # Errors
///
/// If an argument is bad, or there is no answer.
pub fn account(asked: &Account<'_>) -> Result<Value, String> {
    let question = match asked.question {
        "epsilon" => Question::Delta(text::non_negative("--epsilon", asked.value)?),
        "delta" => Question::Epsilon(text::delta("--delta", asked.value)?),
        "profile" => Question::Profile,
        _ => return Err(refused("question", "must be epsilon, delta or profile")),
    };
    let relation = match asked.relation {
        "" => None,
        "add_remove" => Some(Relation::AddRemove),
        "change_one" => Some(Relation::ChangeOne),
        _ => return Err(refused("--relation", "must be add_remove or change_one")),
    };
    let (plan, specs) = plan(asked.specs, relation)?;
    let precision = Precision { digits: DIGITS };
    let mut document = match &question {
        Question::Profile => profile(&plan, &precision).map_err(|error| refused("SPEC", error))?,
        Question::Delta(at) => {
            let answer = delta(&plan, at, &precision).map_err(|error| refused("SPEC", error))?;
            let mut document = described(&plan, &answer);
            set(&mut document, "epsilon", render(at.get()).into());
            set(&mut document, "delta", text::short_bounds(&answer.enclosure, DIGITS + 3));
            set(&mut document, "attacker", attacker(&plan, (&point(at.get()), &answer.enclosure), answer.method));
            document
        }
        Question::Epsilon(at) => {
            let answer = epsilon(&plan, at, &precision).map_err(|error| refused("--delta", error))?;
            let mut document = described(&plan, &answer);
            set(&mut document, "epsilon", text::short_bounds(&answer.enclosure, DIGITS + 3));
            set(&mut document, "delta", render(at.get()).into());
            set(&mut document, "attacker", attacker(&plan, (&answer.enclosure, &point(at.get())), answer.method));
            document
        }
    };
    set(&mut document, "schema_version", SCHEMA_VERSION.into());
    set(&mut document, "specs", specs.into());
    set(&mut document, "relation", plan.relation().map(Relation::key).into());
    set(&mut document, "ordered", plan.is_ordered().into());
    set(&mut document, "digits", DIGITS.into());
    Ok(document)
}

fn set(document: &mut Value, key: &str, value: Value) {
    if let Some(fields) = document.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
}

/// The plan, and the canonical texts of what it is of.
fn plan(specs: &str, relation: Option<Relation>) -> Result<(Plan, Vec<String>), String> {
    let (mut plan, mut texts) = (Plan::new(), Vec::new());
    for line in specs.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let spec: Spec = line.parse().map_err(|error| refused("SPEC", error))?;
        let mut domination = mechanism::domination(&spec).map_err(|error| refused("SPEC", error))?;
        if let Some(relation) = relation {
            domination = domination.under(relation).map_err(|error| refused("--relation", error))?;
        }
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        plan = plan.with(&domination, copies).map_err(|error| refused("SPEC", error))?;
        texts.push(spec.to_string());
    }
    if texts.is_empty() {
        return Err(refused("SPEC", "must be given: a mechanism such as gaussian(sigma=10)*100"));
    }
    Ok((plan, texts))
}

/// What goes with every answer.
fn described(plan: &Plan, answer: &Answer) -> Value {
    json!({
        "method": answer.method.to_string(),
        "narrow": answer.is_narrow,
        "attained": answer.is_attained(plan),
        "apart": apart(plan, answer),
    })
}

/// How far the ends of a vector's answer are apart, as a share of the lower one.
fn apart(plan: &Plan, answer: &Answer) -> Option<String> {
    let lower = answer.enclosure.lower();
    let has_two_ends = plan.has_lower_end() && !plan.is_attained();
    (has_two_ends && !lower.is_zero()).then(|| decimal(&(answer.enclosure.width() / lower), 2, Rounding::Up))
}

/// δ at evenly spaced epsilons, from 0 to where it is negligible.
fn profile(plan: &Plan, precision: &Precision) -> Result<Value, certus::account::AccountError> {
    let (last, mut curve) = (reach(plan)?, PrivacyProfile::new(plan));
    let (mut rows, mut methods, mut narrow, mut attained) = (Vec::new(), Vec::new(), true, true);
    for index in 0..POINTS {
        let at = &last * Rational::new(index.into(), (POINTS - 1).into());
        let at = NonNegative::new(at).unwrap_or_else(|_| NonNegative::zero());
        let answer = curve.delta(&at, precision)?;
        let mut row = described(plan, &answer);
        set(&mut row, "epsilon", render(at.get()).into());
        set(&mut row, "delta", text::short_bounds(&answer.enclosure, DIGITS + 3));
        rows.push(row);
        narrow &= answer.is_narrow;
        attained &= answer.is_attained(plan);
        methods.push(answer.method.to_string());
    }
    Ok(json!({ "profile": rows, "method": methods.first(), "narrow": narrow, "attained": attained }))
}

/// A number as an enclosure.
fn point(value: &Rational) -> Enclosure {
    Enclosure::enclosing(value, 256).unwrap_or_else(|| Enclosure::from_integer(0, 256))
}

/// The largest true-positive rates of an attacker, in per cent, at 1 % and 0.1 % false positives, and where
/// they are from: the plan's whole trade-off curve, or this one (ε, δ) where a point of the curve takes long.
fn attacker(plan: &Plan, (epsilon, delta): (&Enclosure, &Enclosure), method: Method) -> Value {
    let share = |of: u32| Probability::new(Rational::new(1.into(), of.into())).ok();
    let Some(rates) = share(100).zip(share(1000)).map(|(a, b)| [a, b]) else { return Value::Null };
    let percent =
        |rate: Rational| decimal(&(rate.min(Rational::one()) * Rational::from_integer(100.into())), 4, Rounding::Up);
    let on_the_curve = || {
        let missed = TradeOff::new(plan, &Precision { digits: CURVE_DIGITS }).at_each(&rates);
        missed.into_iter().map(|missed| Some(percent(Rational::one() - missed?.lower()))).collect::<Option<Vec<_>>>()
    };
    let exact = if method == Method::Spectral { None } else { on_the_curve() };
    let is_exact = exact.is_some();
    let from_one_point = || rates.iter().map(|rate| percent(attacker_true_positive_rate(epsilon, delta, rate).upper()));
    let found = exact.unwrap_or_else(|| from_one_point().collect());
    json!({ "at_1_percent": found.first(), "at_0.1_percent": found.get(1), "from_curve": is_exact })
}
