//! Guarantees, sensitivities, pairs and budgets.

use certus::{
    exact::{NonNegative, Positive, Probability, Rational, Real, parse},
    guarantee::{
        Attained, Domination, Filter, FinitePair, GaussianVectors, Guarantee, L1, L2Squared, LInfinity, Odometer, Pair,
        Relation, Released, Sensitivity, Weight,
    },
};

use crate::{Calls, Case, values::*};

fn guarantees() -> Vec<Guarantee> {
    let small = [parse("1e-1000").unwrap(), parse("1").unwrap(), parse("1e6").unwrap()];
    let two = Positive::new(parse("2").unwrap()).unwrap();
    small
        .iter()
        .flat_map(|value| {
            let (relation, value) = (Relation::AddRemove, Real::from(value.clone()));
            let delta = Real::ratio(1, 1_000_000);
            [
                Guarantee::pure(relation, value.clone()),
                Guarantee::approximate(relation, value.clone(), delta),
                Guarantee::zcdp(relation, value.clone()),
                Guarantee::renyi(relation, &two, value),
                Ok(Guarantee::none(relation)),
            ]
        })
        .flatten()
        .collect()
}

fn made(calls: &mut Calls) {
    for value in rationals().into_iter().filter(|value| *value.denom() > 0.into()) {
        let real = Real::from(value.clone());
        for relation in RELATIONS {
            calls.make(format!("pure, approximate and zCDP of {}", shown(&value)), || {
                let approximate = Guarantee::approximate(relation, real.clone(), real.clone());
                (Guarantee::pure(relation, real.clone()), approximate, Guarantee::zcdp(relation, real.clone()))
            });
        }
        for alpha in positives() {
            calls.make(format!("Rényi of order {}, {}", shown(&alpha), shown(&value)), || {
                Guarantee::renyi(Relation::AddRemove, &alpha, real.clone())
            });
        }
    }
}

fn combined(calls: &mut Calls) {
    for guarantee in guarantees() {
        for k in U64 {
            calls.make(format!("{guarantee} k_fold {k}"), || guarantee.k_fold(k).map(|all| all.to_string()));
            calls.make(format!("{guarantee} group {k}"), || guarantee.group(k).map(|all| all.to_string()));
            calls.make(format!("{guarantee} advanced {k}"), || {
                guarantee.advanced(k, &Real::ratio(1, 1_000_000)).map(|all| all.to_string())
            });
        }
        for relation in RELATIONS {
            calls.make(format!("{guarantee} under {relation:?}"), || guarantee.under(relation));
        }
        for rate in probabilities() {
            calls.make(format!("{guarantee} subsampled {}", shown(&rate)), || {
                guarantee.subsampled(&rate).map(|all| all.to_string())
            });
        }
        for alpha in rationals() {
            if *alpha.denom() > 0.into() {
                calls.make(format!("{guarantee} to_renyi {}", shown(&alpha)), || {
                    guarantee.to_renyi(&alpha).map(|all| all.to_string())
                });
            }
        }
        for delta in ["0", "1e-1000", "1e-6", "1"] {
            let delta = Real::from(parse(delta).unwrap());
            calls.make(format!("{guarantee} to_approximate"), || {
                guarantee.to_approximate(&delta).map(|all| all.to_string())
            });
        }
        calls.make(format!("{guarantee} to_zcdp"), || guarantee.to_zcdp().map(|all| all.to_string()));
        for other in guarantees() {
            calls.make(format!("{guarantee} with {other}"), || {
                let both = guarantee.compose(&other).map(|both| both.to_string());
                (
                    both,
                    Guarantee::parallel(&[guarantee.clone(), other.clone()], Relation::ChangeOne)
                        .map(|both| both.to_string()),
                )
            });
            calls.make(format!("a budget of {guarantee} pays {other}"), || {
                let (mut filter, mut odometer) = (Filter::new(guarantee.clone()), Odometer::new(&guarantee));
                (filter.debit(&other), odometer.debit(&other), filter.spent().to_string())
            });
        }
        calls.make("released", || {
            let released = || Released::new(1, guarantee.clone());
            released().map(|value| value + 1).and(released()).map(|both| both.guarantee().to_string())
        });
    }
    // As found in review.
    let approximate = Guarantee::approximate(Relation::AddRemove, Real::from(1), "1e-10".parse().unwrap()).unwrap();
    calls.make("approximate(1, 1e-10).group(100_000)", || approximate.group(100_000).map(|all| all.to_string()));
    calls.make("pure(10^6).to_zcdp()", || pure(1_000_000).to_zcdp().map(|all| all.to_string()));
    let thousand = Rational::from_integer(1_000.into());
    calls.make("pure(100).to_renyi(1000)", || pure(100).to_renyi(&thousand).map(|all| all.to_string()));
    calls.make("a filter of zCDP 1/2 pays pure 10^5", || {
        Filter::new(Guarantee::zcdp(Relation::AddRemove, Real::ratio(1, 2)).unwrap()).debit(&pure(100_000))
    });
}

fn sensitivities(calls: &mut Calls) {
    for relation in RELATIONS {
        calls.make("of_count and of_histogram", || {
            (
                Sensitivity::<L1>::of_count(relation),
                Sensitivity::<L1>::of_histogram(relation),
                Sensitivity::<L2Squared>::of_histogram(relation),
            )
        });
        for value in non_negatives() {
            calls.make(format!("new and under of {}", shown(&value)), || {
                let of = Sensitivity::<LInfinity>::new(value.clone(), relation);
                let one = Sensitivity::<L1>::new(value.clone(), relation).under(Relation::ChangeOne);
                (U64.map(|k| (of.to_l1(k), of.to_l2_squared(k))), one, of.under(Relation::AddRemove))
            });
        }
        for lower in rationals() {
            for upper in rationals() {
                calls.make(format!("of_sum({}, {})", shown(&lower), shown(&upper)), || {
                    let means = U64.map(|records| Sensitivity::<L1>::of_mean(&lower, &upper, records));
                    (Sensitivity::<L1>::of_sum(&lower, &upper, relation), means)
                });
            }
        }
    }
}

fn pairs(calls: &mut Calls) {
    for epsilon in non_negatives() {
        for copies in [0, 1, 100, 20_000, u32::MAX] {
            calls.make(format!("responses({}, {copies})", shown(&epsilon)), || {
                FinitePair::responses(&epsilon, copies).outcomes().len()
            });
        }
        for delta in probabilities() {
            calls.make(format!("approximate({}, {})", shown(&epsilon), shown(&delta)), || {
                FinitePair::approximate(&epsilon, &delta)
            });
        }
        calls.make("FinitePair::new", || {
            let weight = || Weight::rational(epsilon.clone());
            (FinitePair::new(vec![(weight(), weight())]), FinitePair::new(Vec::new()))
        });
    }
    calls.make("responses(1, 20_000)", || FinitePair::responses(&NonNegative::one(), 20_000));
    calls.make("many outcomes", || {
        let one = Probability::new(parse("1/100000").unwrap()).unwrap();
        FinitePair::from_probabilities(vec![(one.clone(), one); 100_000])
    });
    for variance in positives() {
        for n in [0_u64, 1, u64::MAX] {
            calls.make(format!("GaussianVectors({}, {n})", shown(&variance)), || {
                let within = |k: u64| GaussianVectors::within(variance.clone(), n.into(), k.into());
                let rate = Probability::new(parse("1/3").unwrap()).unwrap();
                let each = GaussianVectors::each(variance.clone(), n.into(), n);
                let lines = [within(1), within(n), within(n).subsampled(&rate), each];
                lines.map(|vectors| (vectors.line(n).is_some(), vectors.domination().is_attained()))
            });
        }
    }
    for relation in RELATIONS {
        calls.make("dominations", || {
            let by = || Domination::by(Pair::Finite(FinitePair::revealing())).for_neighbours(relation);
            let both = Attained::ByNeighbours(relation).and(Attained::ByNeighbours(Relation::AddRemove));
            (by().attained(both), by().under(relation), Domination::by_all(Vec::new()))
        });
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "guarantees made",
            covers: &[
                "guarantee/privacy.rs: Guarantee::none",
                "guarantee/privacy.rs: Guarantee::pure",
                "guarantee/privacy.rs: Guarantee::approximate",
                "guarantee/privacy.rs: Guarantee::zcdp",
                "guarantee/privacy.rs: Guarantee::renyi",
            ],
            calls: made,
        },
        Case {
            name: "guarantees combined",
            covers: &[
                "guarantee/amplify.rs: Guarantee::advanced",
                "guarantee/amplify.rs: Guarantee::subsampled",
                "guarantee/compose.rs: Guarantee::compose",
                "guarantee/compose.rs: Guarantee::k_fold",
                "guarantee/compose.rs: Guarantee::parallel",
                "guarantee/convert.rs: Guarantee::to_renyi",
                "guarantee/convert.rs: Guarantee::to_approximate",
                "guarantee/filter.rs: Odometer::new",
                "guarantee/filter.rs: Odometer::debit",
                "guarantee/filter.rs: Filter::new",
                "guarantee/filter.rs: Filter::debit",
                "guarantee/group.rs: Guarantee::group",
                "guarantee/group.rs: Guarantee::under",
                "guarantee/released.rs: Released::new",
                "guarantee/released.rs: Released::map",
                "guarantee/released.rs: Released::and",
            ],
            calls: combined,
        },
        Case {
            name: "sensitivities",
            covers: &[
                "guarantee/sensitivity.rs: Sensitivity::new",
                "guarantee/sensitivity.rs: Sensitivity::under",
                "guarantee/sensitivity.rs: Sensitivity::to_l1",
                "guarantee/sensitivity.rs: Sensitivity::to_l2_squared",
                "guarantee/sensitivity.rs: Sensitivity::of_count",
                "guarantee/sensitivity.rs: Sensitivity::of_sum",
                "guarantee/sensitivity.rs: Sensitivity::of_mean",
                "guarantee/sensitivity.rs: Sensitivity::of_histogram",
            ],
            calls: sensitivities,
        },
        Case {
            name: "pairs",
            covers: &[
                "guarantee/domination.rs: Attained::and",
                "guarantee/domination.rs: Domination::by",
                "guarantee/domination.rs: Domination::by_all",
                "guarantee/domination.rs: Domination::attained",
                "guarantee/domination.rs: Domination::for_neighbours",
                "guarantee/domination.rs: Domination::under",
                "guarantee/line.rs: GaussianVectors::each",
                "guarantee/line.rs: GaussianVectors::line",
                "guarantee/line.rs: GaussianVectors::subsampled",
                "guarantee/line.rs: GaussianVectors::within",
                "guarantee/pair.rs: Weight::rational",
                "guarantee/pair.rs: FinitePair::new",
                "guarantee/pair.rs: FinitePair::from_probabilities",
                "guarantee/pair.rs: FinitePair::revealing",
                "guarantee/worst_case.rs: FinitePair::responses",
                "guarantee/worst_case.rs: FinitePair::approximate",
            ],
            calls: pairs,
        },
    ]
}
