//! An account's lower end is the mechanism's own exactly where its pairs are said to be attained: there, some
//! neighbouring inputs reach it; elsewhere there are mechanisms of which no neighbours do.
//!
//! The shipped code is enumerated on both inputs, and δ(ε) between them compared with the account, at several
//! ε.

use std::ops::ControlFlow;

use certus::{
    account::{self, Plan, Precision},
    exact::{Enclosure, Integer, NonNegative, Positive, Probability, Rational},
    guarantee::{Domination, Pair},
    mechanism::{self, Outcome},
    sample::{Bernoulli, Gaussian, Interpreter, Laplace, Program, Step},
};
use certus_audit::certify::{Masses, enumerable, hockey_stick, structural};

use crate::{build, certificates::epsilon, examples};

/// Bits of unresolved mass: what is not attained by a part in 10^6 shows.
const DEPTH: u32 = 24;

/// Specs whose pairs are attained, and the neighbours that do; without any, those that the catalogue names.
/// Every example of the catalogue that is not here must say that its pairs only dominate.
const ATTAINED: &[(&str, &[(&str, &str)])] = &[
    ("gaussian_histogram(sigma=2, keys=2, bins=2)", &[]),
    ("laplace(scale=5/2)", &[]),
    ("laplace(scale=10, sensitivity=3)", &[]),
    ("gaussian(sigma=10)", &[]),
    ("gaussian(sigma2=7/3)", &[]),
    ("randomized_response(gamma=1/4)", &[]),
    ("randomized_response(p=3/4)", &[]),
    ("randomized_response(epsilon=1, k=5)", &[]),
    ("staircase(epsilon=1, sensitivity=3, step=2)", &[]),
    ("truncated_laplace(scale=1, bound=13)", &[]),
    ("truncated_gaussian(sigma=3, bound=20, epsilon=1)", &[]),
    // Every answer is the first of a pair; which is the worst depends on ε.
    (
        "bounded_laplace(scale=2, lower=0, upper=10)",
        &[("0", "1"), ("1", "2"), ("2", "3"), ("3", "4"), ("4", "5"), ("5", "6"), ("6", "7"), ("8", "9"), ("9", "10")],
    ),
    ("bounded_laplace(scale=2, lower=0, upper=1)", &[]),
    ("laplace_vector(scale=1, coordinates=2, sensitivity=2)", &[]),
    ("gaussian_vector(sigma=1, coordinates=2)", &[]),
    ("gaussian_vector(sigma=1, coordinates=1, sensitivity2=7)", &[]),
    ("laplace_on_grid(scale=1/25, grid=1/100, round=1, sensitivity=1/10)", &[]),
    ("gaussian_on_grid(sigma=1/2, grid=1/8, sensitivity=1/5)", &[]),
    ("rappor(k=4, h=1, f=1/2)", &[]),
    ("rappor(k=4, h=2, f=1/2, p=1/4, q=3/4)", &[]),
    // Not all 2h bits fit: two pairs.
    ("rappor(k=3, h=2, f=1/2, p=1/4, q=1/3)", &[("0,1", "2"), ("2", "0,1")]),
    // Four: which is the worst depends on ε, and it may be the one that falls at two bits and rises at one.
    ("rappor(k=3, h=3, f=1/10, p=1/100, q=17/20)", &[("0,1,2", ""), ("0,1", "2"), ("0", "1,2"), ("", "0,1,2")]),
    ("count(scale=2)", &[]),
    ("count(scale=2, change_one=1)", &[]),
    ("sum(lower=-1, upper=60, scale=61/2, change_one=1)", &[]),
    ("sum(lower=-3, upper=2, scale=2, limit=3)", &[]),
    ("sum(lower=-3, upper=2, scale=2, limit=3, change_one=1)", &[]),
    ("mean_of_known(lower=-1, upper=1, records=4, scale=2)", &[]),
    ("histogram(keys=2, scale=1)", &[]),
    ("histogram(keys=2, scale=1, change_one=1)", &[]),
    ("histogram(keys=1, scale=1, change_one=1)", &[]),
    ("prefix_counts(slots=2, scale=1)", &[]),
    ("prefix_counts(slots=2, scale=1, change_one=1)", &[("0", "7")]),
    ("prefix_counts(slots=3, scale=1/2, change_one=1)", &[("0", "2")]),
];

fn masses(spec: &str, input: &str) -> Masses<Outcome> {
    let masses = enumerable(&spec.parse().unwrap()).unwrap().structural(input, DEPTH, &mut |_| {});
    masses.unwrap_or_else(|error| panic!("{spec} on {input:?}: {error}"))
}

/// Encloses δ(ε) between two enumerated releases, the larger of both directions.
fn between<O: Ord>(a: &Masses<O>, b: &Masses<O>, at: &NonNegative) -> Enclosure {
    let (forward, backward) = (hockey_stick(a, b, at).unwrap(), hockey_stick(b, a, at).unwrap());
    largest(&[forward, backward])
}

fn largest(all: &[Enclosure]) -> Enclosure {
    let lower = all.iter().map(Enclosure::lower).max().unwrap();
    let upper = all.iter().map(Enclosure::upper).max().unwrap();
    Enclosure::from_bounds(&lower, &upper, 128).unwrap()
}

fn plan(specs: &[(&str, u64)]) -> Plan {
    let add = |plan: Plan, (spec, copies): &(&str, u64)| {
        plan.with(&mechanism::domination(&spec.parse().unwrap()).unwrap(), *copies)
    };
    specs.iter().try_fold(Plan::new(), add).unwrap()
}

fn accounted(plan: &Plan, at: &NonNegative) -> Enclosure {
    account::delta(plan, at, &Precision { digits: 8 }).unwrap().enclosure
}

/// 0, and shares of an ε.
fn epsilons(most: &Rational) -> Vec<NonNegative> {
    let share = |n: i64| most * Rational::new(n.into(), 10.into());
    [0, 3, 5, 9].into_iter().map(|n| NonNegative::new(share(n)).unwrap()).collect()
}

/// Some neighbours reach what is accounted for, and none of them exceeds it.
fn assert_reached(what: &str, accounted: &Enclosure, found: &Enclosure) {
    assert!(accounted.lower() > Rational::new(1.into(), 10_000.into()), "{what}: too little to be told from the slack");
    assert!(found.upper() >= accounted.lower(), "{what}: {found} does not reach {accounted}");
    assert!(found.lower() <= accounted.upper(), "{what}: {found} exceeds {accounted}");
}

#[test]
fn what_is_said_to_be_attained_is() {
    for (spec, inputs) in ATTAINED {
        let mechanism = build(spec);
        assert!(mechanism.domination().is_attained(), "{spec} does not say so");
        let plan = plan(&[(spec, 1)]);
        assert!(plan.is_attained(), "{spec}");
        let inputs = if inputs.is_empty() { vec![mechanism.neighbours()] } else { inputs.to_vec() };
        let sides: Vec<_> = inputs.iter().map(|(a, b)| (masses(spec, a), masses(spec, b))).collect();
        for at in epsilons(&epsilon(&mechanism.privacy().unwrap())) {
            let found: Vec<_> = sides.iter().map(|(a, b)| between(a, b, &at)).collect();
            assert_reached(&format!("{spec} at {at}"), &accounted(&plan, &at), &largest(&found));
        }
    }
}

/// A new example of the catalogue is in the list above, and shown, or says that it is a bound.
#[test]
fn every_example_is_decided() {
    for example in examples() {
        let listed = ATTAINED.iter().any(|(spec, _)| *spec == example);
        assert_eq!(build(example).domination().is_attained(), listed, "{example}");
    }
}

/// What an entry's pairs are for is what it says itself: nothing where the spec's sensitivity says it.
#[test]
fn pairs_are_for_the_neighbours_of_the_mechanism() {
    for example in examples() {
        let mechanism = build(example);
        assert_eq!(mechanism.domination().relation(), mechanism.relation(), "{example}");
    }
}

/// Inputs, as vectors of small numbers.
fn vectors(values: &[&str], length: usize) -> Vec<String> {
    (0..length).fold(vec![String::new()], |shorter, done| {
        let comma = if done == 0 { "" } else { "," };
        shorter.iter().flat_map(|start| values.iter().map(move |value| format!("{start}{comma}{value}"))).collect()
    })
}

/// The L1 and the largest distance of two vectors.
fn distances(a: &str, b: &str) -> (Rational, Rational) {
    let number = |text: &str| certus::exact::parse(text).unwrap();
    let apart = a.split(',').zip(b.split(',')).map(|(a, b)| {
        let apart = number(a) - number(b);
        apart.clone().max(-apart)
    });
    apart.fold((Rational::from_integer(0.into()), Rational::from_integer(0.into())), |(sum, most), apart| {
        (sum + &apart, most.max(apart))
    })
}

/// The largest δ(ε) between all neighbours of a domain.
fn worst(spec: &str, inputs: &[String], neighbours: impl Fn(&str, &str) -> bool, at: &NonNegative) -> Enclosure {
    let enumerated: Vec<_> = inputs.iter().map(|input| (input, masses(spec, input))).collect();
    let mut found = vec![];
    for (a, of_a) in &enumerated {
        for (_, of_b) in enumerated.iter().filter(|(b, _)| a < b && (neighbours(a, b) || neighbours(b, a))) {
            found.push(between(of_a, of_b, at));
        }
    }
    largest(&found)
}

/// Of these no neighbours reach the account's *lower* end: without the flag, it would be taken for the
/// mechanism's.
#[test]
fn what_only_dominates_is_not_attained() {
    let text = |inputs: &[&str]| inputs.iter().map(|input| (*input).to_owned()).collect::<Vec<_>>();
    let whole = |n: i64| Rational::from_integer(n.into());
    let moved = |a: &str, b: &str| distances(a, b).1 <= Rational::from_integer(1.into());
    let shorter = |a: &str, b: &str| {
        let records = |text: &str| if text.is_empty() { vec![] } else { text.split(',').map(str::to_owned).collect() };
        let (mut less, more) = (records(a), records(b));
        (0..more.len()).any(|i| {
            less = more.clone();
            less.remove(i);
            less == records(a)
        })
    };
    let people =
        |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| ["x", "y"].contains(&rest.trim_start_matches(';')));
    let scores = [vectors(&["0", "1", "2"], 3), text(&["0,9,9", "1,8,8", "1,9,9", "0,8,8"])].concat();
    type Case<'a> = (&'a str, Vec<String>, &'a dyn Fn(&str, &str) -> bool);
    let cases: Vec<Case<'_>> = vec![
        ("exponential(epsilon=1, candidates=3)", scores.clone(), &moved),
        ("permute_and_flip(epsilon=1, candidates=3)", scores, &moved),
        (
            "mean(lower=0, upper=1, scale_sum=1, scale_count=1)",
            text(&["", "0", "1", "0,0", "0,1", "1,1", "0,1,1"]),
            &shorter,
        ),
        (
            "laplace_vector_on_grid(scale=1/2, grid=1/2, coordinates=2, sensitivity=3/4)",
            vectors(&["-1/4", "-1/8", "0", "1/8", "1/4", "1/2"], 2),
            &|a: &str, b: &str| distances(a, b).0 <= Rational::new(3.into(), 4.into()),
        ),
        // Too wide to list its pairs: a response.
        (
            "bounded_laplace(scale=2, lower=0, upper=129)",
            text(&["0", "1", "2", "64", "65", "127", "128", "129"]),
            &moved,
        ),
        // One output is all that is left.
        ("clamped_gaussian(sigma=2, lower=0, upper=0)", (-3..=3).map(|x| x.to_string()).collect(), &moved),
        // Totals from 0 on saturate at 1, so that a record of 2 moves them by 1.
        ("sum(lower=0, upper=2, scale=2, limit=1)", text(&["", "1", "2", "2,2", "1,2", "0,2"]), &shorter),
        ("stability_histogram(scale=1, threshold=2)", text(&["", "x", "x;x", "x;x;x", "x;y", "x;x;y"]), &people),
    ];
    for (spec, inputs, neighbours) in cases {
        assert!(!build(spec).domination().is_attained(), "{spec} is said to be attained");
        let plan = plan(&[(spec, 1)]);
        assert!(!plan.is_attained(), "{spec}");
        let half = epsilon(&build(spec).privacy().unwrap()) / whole(2);
        let at = NonNegative::new(half).unwrap();
        let answer = account::delta(&plan, &at, &Precision { digits: 8 }).unwrap();
        let found = worst(spec, &inputs, neighbours, &at);
        assert!(found.upper() < answer.enclosure.lower(), "{spec} at {at}: {found} reaches {}", answer.enclosure);
        assert!(!answer.is_attained(&plan), "{spec}");
    }
}

/// The worst of all differences that there are is between the two ends of a vector: noise on answers is the
/// same everywhere.
#[test]
fn a_vector_is_between_its_ends() {
    let spec = "gaussian_vector(sigma=2, coordinates=2, sensitivity2=2)";
    let inputs: Vec<String> = ["0,0", "1,1", "0,1", "1,0"].map(String::from).into();
    let near = |a: &str, b: &str| distances(a, b).0 <= Rational::from_integer(2.into());
    let plan = plan(&[(spec, 1)]);
    assert!(plan.has_lower_end() && !plan.is_attained());
    for at in epsilons(&epsilon(&build(spec).privacy().unwrap())) {
        let (ends, found) = (accounted(&plan, &at), worst(spec, &inputs, near, &at));
        assert!(ends.lower() <= found.upper() && found.lower() <= ends.upper(), "{at}: {found} {ends}");
    }
}

/// Where there is too much to list, or something is rounded, a bound stands in.
#[test]
fn what_stands_in_for_a_pair_is_a_bound() {
    for spec in [
        "rappor(k=70, h=33, f=1/2)",
        "staircase(epsilon=1, sensitivity=5, step=2)",
        "sum(lower=-9223372036854775808, upper=0, scale=1)",
        "gaussian_vector(sigma=1, coordinates=2, sensitivity2=2)",
        "gaussian_vector_on_grid(sigma=1, grid=1, coordinates=1)",
    ] {
        assert!(!build(spec).domination().is_attained(), "{spec}");
    }
}

/// A list of pairs, each attained, composes as their supremum, which none of them attains twice.
#[test]
fn a_list_is_not_attained_twice() {
    for (spec, at) in
        [("rappor(k=3, h=2, f=1/2, p=1/4, q=1/3)", "1/10"), ("bounded_laplace(scale=2, lower=0, upper=3)", "1/2")]
    {
        let domination = mechanism::domination(&spec.parse().unwrap()).unwrap();
        let at = NonNegative::new(certus::exact::parse(at).unwrap()).unwrap();
        let twice = Plan::of(&domination, 2);
        assert!(Plan::of(&domination, 1).is_attained() && !twice.is_attained(), "{spec}");
        let each = |pair: &Pair| accounted(&Plan::of(&Domination::by(pair.clone()), 2), &at);
        let found: Vec<_> = domination.forward().iter().map(each).collect();
        let together = accounted(&twice, &at);
        assert!(largest(&found).upper() < together.lower(), "{spec}: {} {together}", largest(&found));
    }
}

/// The same neighbours attain every part of these plans: one release of both is enumerated.
#[test]
fn plans_are_attained_by_the_same_neighbours() {
    for (parts, release, inputs) in [
        // Two counts that both move.
        (&[("laplace(scale=1)", 2)][..], "laplace_vector(scale=1, coordinates=2, sensitivity=2)", ("0,0", "1,1")),
        (&[("gaussian(sigma=1)", 2)], "gaussian_vector(sigma=1, coordinates=2, sensitivity2=2)", ("0,0", "1,-1")),
        // A record at a bound moves the sum by 1 under noise of scale 2, and the count by 1 under noise of
        // scale 1.
        (
            &[("count(scale=1)", 1), ("laplace(scale=2)", 1)],
            "mean(lower=0, upper=1, scale_sum=2, scale_count=1)",
            ("1", ""),
        ),
    ] {
        let plan = plan(parts);
        assert!(plan.is_attained(), "{parts:?}");
        let (a, b) = (masses(release, inputs.0), masses(release, inputs.1));
        for at in epsilons(&Rational::new(3.into(), 2.into())) {
            assert_reached(&format!("{parts:?} at {at}"), &accounted(&plan, &at), &between(&a, &b, &at));
        }
    }
}

/// Noise on a query that is Δ if the person is in the sample, and 0 otherwise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OnASample<N> {
    is_sampled: Bernoulli,
    shift: Integer,
    noise: N,
}

impl<N: Program<Output = Integer>> Program for OnASample<N> {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let query = if on.call(&self.is_sampled)? { self.shift.clone() } else { Integer::ZERO };
        Ok(ControlFlow::Break(query.add(&on.call(&self.noise)?)))
    }
}

/// With the person, in a share of the samples, and without.
fn assert_subsampled<N: Program<Output = Integer>>(spec: &str, rate: (i64, i64), shift: i64, noise: &N) {
    let sampled = |rate: Rational| {
        let is_sampled = Bernoulli::new(Probability::new(rate).unwrap());
        let program = OnASample { is_sampled, shift: Integer::from(shift), noise: noise.clone() };
        structural(&program, 30, &mut |_| {}).unwrap()
    };
    let (with, without) =
        (sampled(Rational::new(rate.0.into(), rate.1.into())), sampled(Rational::new(0.into(), 1.into())));
    let plan = plan(&[(spec, 1)]);
    assert!(plan.is_attained(), "{spec}");
    for at in epsilons(&Rational::new(1.into(), 4.into())) {
        assert_reached(&format!("{spec} at {at}"), &accounted(&plan, &at), &between(&with, &without, &at));
    }
}

#[test]
fn subsampling_is_attained() {
    let two = Positive::new(Rational::from_integer(2.into())).unwrap();
    let laplace = "subsampled_laplace(scale=2, sensitivity=3, rate=2/5)";
    assert_subsampled(laplace, (2, 5), 3, &Laplace::new(&two));
    let gaussian = "subsampled_gaussian(sigma2=2, sensitivity=2, rate=1/3)";
    assert_subsampled(gaussian, (1, 3), 2, &Gaussian::with_variance(&two));
}
