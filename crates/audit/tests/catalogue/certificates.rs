//! Each example draws, certifies and accounts; what is stated of it stands, and what is not so is refuted.

use certus::{
    account::{self, Plan, Precision},
    bits::seeded,
    exact::{NonNegative, Rational, Real},
    guarantee::{Domination, FinitePair, Guarantee, Pair, Privacy, Relation},
    mechanism::{self, Outcome},
};
use certus_audit::certify::{Certificate, Claimant, Masses, enumerable, neighbours};

use crate::{build, entries, examples};

/// Bits of unresolved mass: enough to tell a hundredth from nothing, in a few seconds for all.
const DEPTH: u32 = 24;

fn masses(spec: &str, input: &str) -> Masses<Outcome> {
    enumerable(&spec.parse().unwrap()).unwrap().structural(input, DEPTH, &mut |_| {}).unwrap()
}

fn sides(spec: &str) -> [Masses<Outcome>; 2] {
    let mechanism = build(spec);
    let (first, second) = mechanism.neighbours();
    [masses(spec, first), masses(spec, second)]
}

/// ε, of zCDP that at δ = 1/100.
pub fn epsilon(privacy: &Privacy) -> Rational {
    match privacy {
        Privacy::Pure { epsilon } | Privacy::Approximate { epsilon, .. } => epsilon.at_most(80).unwrap(),
        Privacy::Zcdp { rho } => {
            let guarantee = Guarantee::zcdp(Relation::AddRemove, rho.clone()).unwrap();
            epsilon(guarantee.to_approximate(&Real::ratio(1, 100)).unwrap().privacy())
        }
        _ => panic!("no other kind is stated"),
    }
}

#[test]
fn every_entry_has_a_name_of_its_own() {
    let mut names: Vec<&str> =
        entries().flat_map(|entry| core::iter::once(&entry.name).chain(entry.aliases)).copied().collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    for entry in entries() {
        assert!(!entry.examples.is_empty() && !entry.summary.is_empty() && !entry.input.is_empty(), "{}", entry.name);
        for alias in entry.aliases {
            let (a, b) = (build(entry.examples[0]), build(&entry.examples[0].replacen(entry.name, alias, 1)));
            assert_eq!((a.domination(), a.neighbours()), (b.domination(), b.neighbours()), "{alias}");
        }
    }
}

/// Built, drawn from on both inputs, enumerated, compared with the closed form where there is one, and with
/// what is stated and accounted.
#[test]
fn every_example_stands() {
    for example in examples() {
        let mechanism = build(example);
        let (first, second) = mechanism.neighbours();
        assert_ne!(first, second, "{example}: nothing would be compared");
        let enumerated = sides(example);
        for (input, masses) in [first, second].into_iter().zip(&enumerated) {
            let release = mechanism.on(input).unwrap();
            let mut bits = seeded([3; 32]);
            for _ in 0..200 {
                let output = release.draw(&mut bits).unwrap();
                // 200 draws miss a mass of 2^-20 with probability over 0.9998, for this seed in any case.
                assert!(masses.lower().contains_key(&output), "{example} on {input}: {output}");
            }
            if let Some(pmf) = mechanism.closed_form(input, 80) {
                assert!(Certificate::new(masses, &*pmf).holds(), "{example} on {input}: not the closed form");
            }
            // Outputs that differ print differently.
            let mut lines: Vec<String> = masses.lower().keys().map(ToString::to_string).collect();
            lines.sort();
            lines.dedup();
            assert_eq!(lines.len(), masses.lower().len(), "{example}");
            assert!(!lines.iter().any(|line| line.chars().any(char::is_control)), "{example}");
        }
        let [a, b] = &enumerated;
        let points = neighbours(a, b, mechanism.privacy().as_ref(), &mechanism.domination()).unwrap();
        assert!(points.iter().any(|point| point.claim == Claimant::Stated), "{example} states nothing");
        assert!(
            points.iter().filter(|point| point.claim == Claimant::Account).count() == 3,
            "{example} has no account"
        );
        for point in &points {
            assert!(point.holds(), "{example} is refuted: {point:?}");
        }
        let spec = example.parse().unwrap();
        assert_eq!(mechanism::domination(&spec).unwrap(), mechanism.domination(), "{example}");
    }
}

/// The two modes count the same tapes.
#[test]
fn every_example_flat() {
    for example in examples() {
        let mechanism = build(example);
        let (input, enumerable) = (mechanism.neighbours().0, enumerable(&example.parse().unwrap()).unwrap());
        let flat = enumerable.flat(input, 9, &mut |_| {}).unwrap();
        assert_eq!(flat, enumerable.tape_counts(input, 9, &mut |_| {}).unwrap(), "{example}");
    }
}

/// Mechanisms whose default neighbours come within a tenth of what is stated: of the others, the mutants
/// below say less.
const TIGHT: [&str; 26] = [
    "laplace",
    "randomized_response",
    "staircase",
    "truncated_laplace",
    "truncated_gaussian",
    "bounded_laplace",
    "clamped_laplace",
    "laplace_vector",
    "laplace_on_grid",
    "rappor",
    "exponential",
    "permute_and_flip",
    "noisy_max",
    "count",
    "sum",
    "mean",
    "mean_of_known",
    "variance",
    "histogram",
    "stability_histogram",
    "prefix_counts",
    "median_test",
    "gaussian",
    "gaussian_vector",
    "gaussian_on_grid",
    "clamped_gaussian",
];

/// A mutant that states 9/10 of its ε (or δ, or √ρ) is refuted on the default neighbours of whatever is
/// tight; one that states a tenth, of everything.
#[test]
fn what_states_too_little_is_refuted() {
    let share = |real: &Real, n: i64, d: i64| &Real::ratio(n, d) * real;
    for entry in entries() {
        for example in entry.examples {
            let mechanism = build(example);
            let refuted = |n: i64, d: i64| {
                let stated = match mechanism.privacy().unwrap() {
                    Privacy::Pure { epsilon } => Privacy::Pure { epsilon: share(&epsilon, n, d) },
                    Privacy::Approximate { epsilon, delta } => {
                        Privacy::Approximate { epsilon, delta: share(&delta, n, d) }
                    }
                    Privacy::Zcdp { rho } => Privacy::Zcdp { rho: share(&rho, n * n, 2 * d * d) },
                    other => panic!("{other:?}"),
                };
                let [a, b] = sides(example);
                // The account is not what is tested: it may say anything.
                let anything = Domination::by(Pair::Finite(FinitePair::revealing()));
                let points = neighbours(&a, &b, Some(&stated), &anything).unwrap();
                points.iter().any(|point| !point.holds())
            };
            if TIGHT.contains(&entry.name) {
                assert!(refuted(9, 10), "{example} is not refuted at 9/10");
            } else {
                assert!(refuted(1, 10), "{example} is not refuted at a tenth");
            }
        }
    }
}

/// A mutant whose noise is halved, under the guarantee and the account of the whole.
#[test]
fn halved_noise_is_refuted() {
    for (whole, halved) in [
        ("laplace(scale=2)", "laplace(scale=1)"),
        ("gaussian(sigma=2)", "gaussian(sigma=1)"),
        ("truncated_laplace(scale=2, bound=20)", "truncated_laplace(scale=1, bound=20)"),
        ("truncated_gaussian(sigma=4, bound=20, epsilon=1)", "truncated_gaussian(sigma=2, bound=20, epsilon=1)"),
        ("bounded_laplace(scale=2, lower=0, upper=10)", "bounded_laplace(scale=1, lower=0, upper=10)"),
        ("clamped_laplace(scale=2, lower=0, upper=10)", "clamped_laplace(scale=1, lower=0, upper=10)"),
        ("laplace_vector(scale=2, coordinates=2)", "laplace_vector(scale=1, coordinates=2)"),
        ("gaussian_vector(sigma=2, coordinates=2)", "gaussian_vector(sigma=1, coordinates=2)"),
        ("laplace_on_grid(scale=2, grid=1/2)", "laplace_on_grid(scale=1, grid=1/2)"),
        ("gaussian_on_grid(sigma=2, grid=1/2)", "gaussian_on_grid(sigma=1, grid=1/2)"),
        ("count(scale=2)", "count(scale=1)"),
        ("sum(scale=2, lower=0, upper=2)", "sum(scale=1, lower=0, upper=2)"),
        ("mean(lower=0, upper=1, scale_sum=2, scale_count=2)", "mean(lower=0, upper=1, scale_sum=1, scale_count=1)"),
        ("histogram(keys=2, scale=2)", "histogram(keys=2, scale=1)"),
        ("prefix_counts(slots=2, scale=2)", "prefix_counts(slots=2, scale=1)"),
        ("stability_histogram(scale=2, threshold=12)", "stability_histogram(scale=1, threshold=2)"),
    ] {
        let stated = build(whole);
        let (first, second) = stated.neighbours();
        let [a, b] = [masses(halved, first), masses(halved, second)];
        let points = neighbours(&a, &b, stated.privacy().as_ref(), &stated.domination()).unwrap();
        for claim in [Claimant::Stated, Claimant::Account] {
            assert!(points.iter().any(|point| point.claim == claim && !point.holds()), "{halved} {claim:?}");
        }
        if let Some(pmf) = stated.closed_form(first, 80) {
            assert!(!Certificate::new(&a, &*pmf).holds(), "{halved}: the closed form of {whole}");
        }
    }
}

/// The account of every example, at its own ε and twice composed, says no more than what is stated.
#[test]
fn accounts_agree_with_what_is_stated() {
    for example in examples() {
        let mechanism = build(example);
        let privacy = mechanism.privacy().unwrap();
        let at = NonNegative::new(epsilon(&privacy)).unwrap();
        let delta = |copies, at: &NonNegative| {
            let plan = Plan::of(&mechanism.domination(), copies);
            account::delta(&plan, at, &Precision { digits: 6 }).unwrap().enclosure
        };
        let stated = match &privacy {
            Privacy::Approximate { delta, .. } => delta.at_most(80).unwrap(),
            // At an ε between those that the pair of a vector passes through, it is a bound of the
            // conversion: less than twice.
            Privacy::Zcdp { .. } => Rational::new(2.into(), 100.into()),
            _ => Rational::from_integer(0.into()),
        };
        // Rounding of the account itself: a part in 10^6, or next to nothing.
        let little = &stated / Rational::from_integer(100_000.into()) + Rational::new(1.into(), (1_u64 << 60).into());
        assert!(delta(1, &at).lower() <= &stated + little, "{example}");
        assert!(delta(2, &at).upper() >= delta(1, &at).lower(), "{example}");
    }
}
