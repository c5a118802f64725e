//! Properties of accounts, against the reference and against each other: of δ(ε), and of ε(δ).

mod delta;
mod epsilon;
mod vectors;

use proptest::prelude::*;

use super::{
    basic::BasicComposition,
    cache::Cache,
    chernoff::Chernoff,
    methods::{self, Accountant},
    question::Question,
    simplified::directions,
    spectral::Spectral,
    *,
};
use crate::{
    exact::{Budget, Enclosure, NonNegative, Positive, Probability, Rational},
    guarantee::{Attained, Domination, FinitePair, Pair},
};

fn rational(n: i64, d: i64) -> Rational {
    Rational::new(n.into(), d.into())
}

fn positive(n: i64, d: i64) -> Positive {
    Positive::new(rational(n, d)).unwrap()
}

fn non_negative(n: i64, d: i64) -> NonNegative {
    NonNegative::new(rational(n, d)).unwrap()
}

fn probability(n: i64, d: i64) -> Probability {
    Probability::new(rational(n, d)).unwrap()
}

fn gaussian(n: i64, d: i64, shift: u32) -> Pair {
    Pair::Gaussian { variance: positive(n, d), shift: shift.into() }
}

fn laplace(n: i64, d: i64, shift: u32) -> Pair {
    Pair::Laplace { scale: positive(n, d), shift: shift.into() }
}

/// Outcomes with masses proportional to the given ones.
fn finite(masses: &[(i64, i64)]) -> Pair {
    let (p, q): (i64, i64) = (masses.iter().map(|(p, _)| p).sum(), masses.iter().map(|(_, q)| q).sum());
    let outcomes = masses.iter().map(|(a, b)| (probability(*a, p), probability(*b, q))).collect();
    Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap())
}

fn response(n: i64, d: i64) -> Pair {
    finite(&[(n, d - n), (d - n, n)])
}

fn plan(parts: &[(Pair, u64)]) -> Plan {
    let add = |plan: Plan, (pair, copies): &(Pair, u64)| {
        plan.with(&Domination::by(pair.clone()).attained(Attained::ByAnswers), *copies)
    };
    parts.iter().try_fold(Plan::new(), add).unwrap()
}

fn at(parts: &[(Pair, u64)], epsilon: &NonNegative) -> Answer {
    delta(&plan(parts), epsilon, &Precision::default()).unwrap()
}

/// δ(ε) of one direction to fifteen digits, by whichever method reaches it.
fn of_direction(direction: &Direction, epsilon: &NonNegative, budget: &Budget) -> Answer {
    methods::delta(&Question::new(direction, epsilon, &Precision::default()), budget, &mut Cache::default())
}

/// δ(ε) of one direction to eight digits, by the enumeration of every outcome.
fn enumerated(direction: &Direction, epsilon: &NonNegative) -> Option<Answer> {
    reference::delta(&Question::new(direction, epsilon, &Precision { digits: 8 }), &Budget::unlimited())
}

fn small_pair() -> impl Strategy<Value = Pair> {
    prop_oneof![
        (1_i64..40, 1_i64..8, 1_u32..4).prop_map(|(n, d, shift)| laplace(n, d, shift)),
        (1_i64..12, 1_i64..8, 1_u32..3).prop_map(|(n, d, shift)| gaussian(n, d, shift)),
        (1_i64..20).prop_map(|n| response(20 + n, 40)),
        (1_i64..6, 1_i64..6).prop_map(|(a, b)| finite(&[(a + b, a), (a, a + b), (b, b)])),
        // A loss of ∞ with positive probability, and one that is never seen under P.
        (1_i64..6, 1_i64..6).prop_map(|(a, b)| finite(&[(a, 0), (10 * b, 10 * b), (0, a)])),
    ]
}

fn spec_plan(specs: &[&str]) -> Plan {
    let add = |plan: Plan, text: &&str| {
        let spec: crate::mechanism::Spec = text.parse().unwrap();
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        plan.with(&crate::mechanism::domination(&spec).unwrap(), copies)
    };
    specs.iter().try_fold(Plan::new(), add).unwrap()
}
