//! The check of an account: what the pairs of a mechanism say of neighbours, beside what its shipped code
//! does on all neighbours of a small domain.
//!
//! At 13 epsilons, for every two neighbours: the certified lower bound of δ between their enumerated releases
//! is at most the upper end of the account, in each direction. Where the pairs are said to be attained, some
//! neighbours' enclosure meets the account's at every one of these epsilons. And the stated guarantee is not
//! refuted by any of them. What is for records that come and go stands, as two steps, for records that
//! change.

use std::{borrow::Borrow, collections::BTreeMap, fmt::Debug};

use certus::{
    account::{self, Answer, Plan, Precision},
    exact::{Enclosure, NonNegative, Rational, Real},
    guarantee::{Domination, Guarantee, Privacy, Relation},
    mechanism::Private,
    sample::Program,
};
use certus_audit::certify::{Masses, hockey_stick, structural};

use crate::{domain::changed_one, exhaustive::rational};

/// How many epsilons are asked, from 0 to 6/5 of what is stated.
const EPSILONS: i64 = 13;

/// What the neighbours of a domain release: each distribution once, and which of them are neighbours, in this
/// order.
pub struct Neighbours<O> {
    masses: Vec<Masses<O>>,
    pairs: Vec<(usize, usize)>,
}

impl<O: Ord + Clone> Neighbours<O> {
    /// Enumerates every release of a domain. `neighbours(a, b)` says whether a and b are neighbours in this
    /// order: where a record comes or goes, a has it.
    pub fn new<T, P: Program<Output = O>>(
        inputs: &[T],
        on: impl Fn(&T) -> P,
        neighbours: impl Fn(&T, &T) -> bool,
        depth: u32,
    ) -> Self {
        let mut places = BTreeMap::new();
        let mut masses = Vec::new();
        // Inputs with the same release are one.
        let place = |input: &T| {
            let program = on(input);
            *places.entry(program).or_insert_with_key(|program| {
                masses.push(structural(program, depth, &mut |_| {}).unwrap());
                masses.len() - 1
            })
        };
        let released: Vec<usize> = inputs.iter().map(place).collect();
        let all = (0..inputs.len()).flat_map(|a| (0..inputs.len()).map(move |b| (a, b)));
        let related = all.filter(|(a, b)| a != b && neighbours(&inputs[*a], &inputs[*b]));
        let mut pairs: Vec<_> = related.map(|(a, b)| (released[a], released[b])).collect();
        assert!(!pairs.is_empty(), "a domain without neighbours shows nothing");
        pairs.sort_unstable();
        pairs.dedup();
        Self { masses, pairs }
    }

    /// δ(ε) of every two neighbours, forward and backward: enclosures of the largest.
    fn worst(&self, at: &NonNegative) -> [Enclosure; 2] {
        let of = |a: usize, b: usize| hockey_stick(&self.masses[a], &self.masses[b], at).unwrap();
        [self.pairs.iter().map(|(a, b)| of(*a, *b)).collect(), self.pairs.iter().map(|(a, b)| of(*b, *a)).collect()]
            .map(|all: Vec<Enclosure>| largest(&all))
    }

    /// The account of the pairs stands; `most` is the ε that is stated, or some other of interest.
    pub fn are_accounted_for(&self, what: &str, domination: &Domination, most: &Rational) {
        let plan = Plan::of(domination, 1);
        assert_eq!(plan.relation(), domination.relation(), "{what}");
        let is_attained = domination.is_attained();
        assert_eq!(plan.is_attained(), is_attained, "{what}");
        let (mut loses, mut told) = (false, false);
        for n in 0..EPSILONS {
            let at = NonNegative::new(most * rational(n, 10)).unwrap();
            let accounted: [Answer; 2] = account::delta_both_ways(&plan, &at, &Precision { digits: 8 }).unwrap();
            let found = self.worst(&at);
            for ((accounted, found), way) in accounted.iter().zip(&found).zip(["forward", "backward"]) {
                let accounted = &accounted.enclosure;
                assert!(found.lower() <= accounted.upper(), "{what} at {at}, {way}: {found} exceeds {accounted}");
            }
            if is_attained {
                let accounted = largest(&accounted.map(|answer| answer.enclosure));
                let found = largest(&found);
                assert!(found.upper() >= accounted.lower(), "{what} at {at}: {found} does not reach {accounted}");
                // Reached, and not only for want of resolution.
                loses |= accounted.lower() > rational(0, 1);
                told |= found.width() * rational(10, 1) < accounted.lower();
            }
        }
        assert!(told || !loses, "{what}: too little to be told from what is unresolved");
    }

    /// No two neighbours refute (ε, δ).
    fn keep(&self, what: &str, epsilon: &Rational, delta: &Rational) {
        let at = NonNegative::new(epsilon.clone()).unwrap();
        let found = largest(&self.worst(&at));
        assert!(found.lower() <= *delta, "{what}: ({epsilon}, {delta}) is refuted: {found}");
    }
}

fn largest(all: &[Enclosure]) -> Enclosure {
    let lower = all.iter().map(Enclosure::lower).max().unwrap();
    let upper = all.iter().map(Enclosure::upper).max().unwrap();
    Enclosure::from_bounds(&lower, &upper, 128).unwrap()
}

/// (ε, δ), each rounded up by at most 2^-80; of zCDP, what follows for δ = 1/1000.
fn parameters(stated: &Guarantee) -> (Rational, Rational) {
    let stated = match stated.privacy() {
        Privacy::Zcdp { .. } => stated.to_approximate(&Real::ratio(1, 1000)).unwrap(),
        _ => stated.clone(),
    };
    match stated.privacy() {
        Privacy::Pure { epsilon } => (epsilon.at_most(80).unwrap(), rational(0, 1)),
        Privacy::Approximate { epsilon, delta } => (epsilon.at_most(80).unwrap(), delta.at_most(80).unwrap()),
        _ => panic!("no other kind is stated here"),
    }
}

/// A mechanism on all neighbours of a domain: its account stands, and its guarantee.
pub fn check<M: Private, T: Borrow<M::Input>>(
    what: &str,
    mechanism: &M,
    inputs: &[T],
    neighbours: impl Fn(&M::Input, &M::Input) -> bool,
    depth: u32,
) where
    M::Error: Debug,
{
    let guarantee = mechanism.guarantee();
    let what = format!("{what}: {guarantee}");
    let on = |input: &T| mechanism.on(input.borrow()).unwrap();
    let all = Neighbours::new(inputs, on, |a, b| neighbours(a.borrow(), b.borrow()), depth);
    let (epsilon, delta) = parameters(&guarantee);
    let domination = mechanism.domination();
    assert_eq!(domination.relation(), Some(guarantee.relation()), "{what}: for which neighbours?");
    all.keep(&what, &epsilon, &delta);
    all.are_accounted_for(&what, &domination, &epsilon);
}

/// A mechanism for records that come and go, on all neighbours of which one record changes: the account of
/// two steps stands.
pub fn check_two_steps<M, T>(what: &str, mechanism: &M, inputs: &[Vec<T>], depth: u32)
where
    M: Private<Input = [T], Error: Debug>,
    T: PartialEq + Clone,
{
    assert_eq!(mechanism.guarantee().relation(), Relation::AddRemove, "{what}");
    let two_steps = mechanism.domination().under(Relation::ChangeOne).unwrap();
    let on = |input: &Vec<T>| mechanism.on(input).unwrap();
    let all = Neighbours::new(inputs, on, |a, b| changed_one(a, b), depth);
    let (epsilon, _) = parameters(&mechanism.guarantee());
    all.are_accounted_for(&format!("two steps of {what}"), &two_steps, &(epsilon * rational(2, 1)));
}
