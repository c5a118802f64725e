//! What an answer means: the rates of the best attacker.

use super::{Question, point};
use certus::{
    account::{Answer, Method, Plan, Precision, TradeOff, attacker_true_positive_rate},
    exact::{Probability, Rational, Rounding, decimal},
};
use num_traits::One as _;

/// Digits after the point of the trade-off curve: a hundredth of a per cent, and two more.
const DIGITS: u32 = 6;

/// The attacker's largest true-positive rates at 1% and 0.1% false positives, as a sentence.
///
/// They come from the exact trade-off curve of the whole plan. Where a point of it is a sum over frequencies,
/// which takes long, they come from the one (ε, δ) that was answered, and the sentence says so.
pub(super) fn sentence(plan: &Plan, question: &Question, answer: &Answer) -> String {
    let is_slow = answer.method == Method::Spectral;
    let rates = [(1, 100), (1, 1000)].map(|(n, d)| Probability::new(Rational::new(n.into(), d.into())));
    let [Ok(percent), Ok(permille)] = rates else { return String::new() };
    let rates = [percent, permille];
    let exact = if is_slow { None } else { on_the_curve(plan, &rates) };
    let [percent, permille] = exact.clone().unwrap_or_else(|| from_one_point(question, answer, &rates));
    let origin = if exact.is_some() { "" } else { " (from this epsilon and delta alone: --summary has the curve)" };
    format!(
        "an attacker with 1% false positives has at most {percent}% true positives; with 0.1%, at most {permille}%{origin}"
    )
}

/// From the trade-off curve: 1 less the least false negatives.
fn on_the_curve(plan: &Plan, rates: &[Probability; 2]) -> Option<[String; 2]> {
    let mut curve = TradeOff::new(plan, &Precision { digits: DIGITS });
    let missed = curve.at_each(rates);
    let [Some(percent), Some(permille)] = &missed[..] else { return None };
    Some([percent, permille].map(|missed| in_percent(Rational::one() - missed.lower())))
}

/// From one (ε, δ).
fn from_one_point(question: &Question, answer: &Answer, rates: &[Probability; 2]) -> [String; 2] {
    let (epsilon, delta) = match question {
        Question::Delta(epsilon) => (point(epsilon.get()), answer.enclosure.clone()),
        Question::Epsilon(delta) => (answer.enclosure.clone(), point(delta.get())),
        Question::Profile => (point(&Rational::one()), point(&Rational::one())),
    };
    rates.each_ref().map(|rate| in_percent(attacker_true_positive_rate(&epsilon, &delta, rate).upper()))
}

/// Rounded up.
fn in_percent(rate: Rational) -> String {
    decimal(&(rate.min(Rational::one()) * Rational::from_integer(100.into())), 4, Rounding::Up)
}
