//! Mechanisms on answers and scores, and what names them.

use certus::{
    bits::seeded,
    exact::{BigUint, Integer, NonNegative, Positive, Probability, Rational, Real, parse},
    guarantee::{Filter, Guarantee, LInfinity, Relation, Sensitivity, Weight},
    mechanism::{
        Accuracy, Classical, Excerpt, Outcome, Private, Spec,
        additive::{
            AdditiveError, BoundedLaplace, Clamped, GaussianMechanism, Grid, LaplaceMechanism, Noisy, NoisyVector,
            OnGrid, OnGridVector, Rounding, Staircase, StaircaseMechanism, TruncatedGaussian, TruncatedLaplace, Within,
        },
        entry, from_spec,
        selection::{
            Candidates, Exponential, Inversion, NoisyMax, NoisyTopK, NumericSparseVector, Peeling, PermuteAndFlip,
            SelectionNoise, SparseVector,
        },
    },
    sample::{Laplace, Sampler, fixed::Mode},
};

use crate::{Calls, Case, values::*};

/// A release on an input, its guarantee in words, and its pairs.
fn all<M: Private>(mechanism: &M, input: &M::Input) -> (bool, String, usize) {
    let drawn = mechanism.on(input).is_ok_and(|release| drawn(&release));
    (drawn, mechanism.guarantee().to_string(), mechanism.domination().forward().len())
}

fn additive(calls: &mut Calls) {
    let (l1, l2) = (l1(), l2());
    for value in rationals() {
        for (one, two) in l1.iter().zip(&l2) {
            let with = format!("{}, {}", shown(one.get()), shown(&value));
            calls.make(format!("Laplace({with})"), || {
                let scale = LaplaceMechanism::with_scale(one, &value)
                    .map(|laplace| integers().iter().map(|x| all(&laplace, x)).collect::<Vec<_>>().len());
                let vectors = USIZE.map(|length| {
                    LaplaceMechanism::with_scale(one, &value)
                        .and_then(|laplace| laplace.vector(length))
                        .map(|vector| all(&vector, &[0.into()]))
                });
                (scale, LaplaceMechanism::with_epsilon(one, &value).map(|laplace| all(&laplace, &0.into())), vectors)
            });
            calls.make(format!("in place ({with})"), || {
                let mut budget = Filter::new(Guarantee::pure(one.relation(), Real::from(1)).unwrap());
                let of = |length: usize| LaplaceMechanism::with_scale(one, &value).and_then(|one| one.vector(length));
                let mut bits = seeded([1; 32]);
                let all = [1, 7].map(|length| {
                    let vector = of(length)?.with_sampler(Sampler::Prepared)?;
                    let mut answers = [i64::MAX; 7];
                    let paid = vector.add_noise_within(&mut budget, &mut answers, &mut bits).is_ok();
                    Ok::<_, AdditiveError>((paid, vector.add_noise(&mut answers, &mut bits).is_ok()))
                });
                let fixed = LaplaceMechanism::with_scale(one, &value).map(|one| one.fixed(Mode::Wide).is_ok());
                let also = GaussianMechanism::with_variance(two, &value).map(|two| two.fixed(Mode::Standard).is_ok());
                (all, fixed, also)
            });
            calls.make(format!("Gaussian({with})"), || {
                let variance = GaussianMechanism::with_variance(two, &value).map(|gaussian| all(&gaussian, &0.into()));
                let sigma = GaussianMechanism::with_sigma(two, &value).map(|gaussian| all(&gaussian, &0.into()));
                (variance, sigma, GaussianMechanism::with_rho(two, &value).map(|gaussian| all(&gaussian, &0.into())))
            });
            for length in USIZE {
                calls.make(format!("Gaussian vector({with}, {length})"), || {
                    GaussianMechanism::with_variance(two, &value).and_then(|gaussian| gaussian.vector(length)).map(
                        |vector| {
                            let differences = vector
                                .differences()
                                .into_iter()
                                .flatten()
                                .map(|one| one.gaussian(&Positive::new(value.clone()).unwrap()).len());
                            (all(&vector, &[0.into()]), differences.sum::<usize>())
                        },
                    )
                });
                calls.make(format!("Gaussian histogram({with}, {length})"), || {
                    let gaussian = GaussianMechanism::with_variance(two, &value)?;
                    let shared = gaussian.clone().shared_histogram(length)?;
                    let histogram = gaussian.histogram(length, length.min(3))?;
                    let delta = Probability::new(parse("1e-6").unwrap()).unwrap();
                    let known = histogram.guarantee_at(&delta).is_ok();
                    Ok::<_, AdditiveError>((all(&histogram, &[0.into()]), all(&shared, &[0.into()]), known))
                });
            }
        }
    }
}

fn bounded(calls: &mut Calls) {
    let (l1, l2) = (l1(), l2());
    let ends = integers();
    for value in rationals() {
        // 0, 1/3, 10^1000 and a half.
        for (one, two) in l1.iter().zip(&l2).step_by(2) {
            let with = format!("{}, {}", shown(one.get()), shown(&value));
            for bound in [0_u32, 1, 1_000, u32::MAX] {
                calls.make(format!("TruncatedLaplace({with}, {bound})"), || {
                    TruncatedLaplace::new(one, &value, bound.into()).map(|noise| all(&noise, &0.into()))
                });
                calls.make(format!("TruncatedGaussian({with}, {bound})"), || {
                    TruncatedGaussian::new(two, &value, bound, &parse("1").unwrap())
                        .map(|noise| (noise.delta(20), all(&noise, &0.into())))
                });
                calls.make(format!("Staircase({with}, {bound})"), || {
                    StaircaseMechanism::new(one, &value, bound.into()).map(|noise| all(&noise, &0.into()))
                });
            }
            for (lower, upper) in ends.iter().zip(ends.iter().rev()) {
                calls.make(format!("BoundedLaplace({with}, {}, {})", shown(lower), shown(upper)), || {
                    BoundedLaplace::new(one, &value, lower.clone(), upper.clone()).map(|noise| all(&noise, &0.into()))
                });
            }
        }
        calls.make(format!("Grid({})", shown(&value)), || {
            [Rounding::Nearest, Rounding::Up, Rounding::Down].map(|rounding| {
                Grid::new(&value, rounding).map(|grid| {
                    let rounded: Vec<Integer> = rationals().iter().map(|answer| grid.round(answer)).collect();
                    let moved: Vec<_> =
                        l1.iter().map(|of| (grid.scalar(of), U64.map(|changed| grid.l1(of, changed)))).collect();
                    let squared: Vec<_> = l2.iter().map(|of| U64.map(|changed| grid.l2_squared(of, changed))).collect();
                    (
                        rounded,
                        moved.len(),
                        squared.len(),
                        integers().iter().map(|k| grid.multiple(k)).collect::<Vec<_>>().len(),
                    )
                })
            })
        });
    }
    for (lower, upper) in ends.iter().zip(ends.iter().rev()) {
        calls.make(format!("Clamped({}, {})", shown(lower), shown(upper)), || {
            let laplace = LaplaceMechanism::with_scale(&l1[1], &parse("1").unwrap()).unwrap();
            Clamped::new(laplace, lower.clone(), upper.clone()).map(|clamped| {
                let bounds: Vec<_> = probabilities().iter().map(|beta| clamped.error_bound(beta).is_ok()).collect();
                (all(&clamped, upper), bounds)
            })
        });
    }
    for scale in positives() {
        calls.make(format!("noise of scale {}", shown(&scale)), || {
            let noise = || Laplace::new(&scale);
            let within = Within::new(BigUint::from(u64::MAX), Laplace::new(&one()));
            (
                drawn(&Noisy::new(i64::MAX.into(), noise())),
                drawn(&NoisyVector::new(&integers(), noise())),
                drawn(&within),
            )
        });
        for size in [0_u32, 1, u32::MAX] {
            calls.make(format!("Staircase::new({}, {size})", shown(&scale)), || {
                Staircase::new(&scale, size.into(), size.into()).map(|noise| drawn(&noise))
            });
        }
    }
}

fn accuracy(calls: &mut Calls) {
    for step in positives() {
        for beta in probabilities() {
            let with = format!("{}, {}", shown(&step), shown(&beta));
            for alpha in [BigUint::ZERO, BigUint::from(u64::MAX)] {
                calls.make(format!("scale_for and sigma_for({with}, {alpha})"), || {
                    let one = LaplaceMechanism::scale_for(&l1()[1], 1, &alpha, &beta, &step)
                        .map(|found| found.scale().clone());
                    (
                        one,
                        GaussianMechanism::sigma_for(&l2()[1], 1, &alpha, &beta, &step)
                            .map(|found| found.scale().clone()),
                    )
                });
                calls.make(format!("largest_scale({with}, {alpha})"), || {
                    certus::mechanism::largest_scale(&alpha, &beta, &step, |scale| {
                        LaplaceMechanism::with_scale(&l1()[1], scale.get()).ok()
                    })
                    .map(|found| found.scale().clone())
                });
            }
            calls.make(format!("error bounds on a grid({with})"), || {
                let grid = Grid::new(step.get(), Rounding::Up).unwrap();
                let laplace = LaplaceMechanism::with_scale(&l1()[1], step.get()).unwrap();
                let vector = OnGridVector::new(grid.clone(), laplace.clone().vector(3).unwrap()).error_bound(&beta);
                (laplace.error_bound(&beta).is_ok(), OnGrid::new(grid, laplace).error_bound(&beta), vector)
            });
        }
        for delta in probabilities() {
            calls.make(format!("Classical({}, {})", shown(&step), shown(&delta)), || {
                let classical = Classical::new(&step, &step, &delta);
                positives().iter().map(|scale| classical.saved(scale).enclose(64)).collect::<Vec<_>>().len()
            });
        }
    }
}

fn candidates(count: usize) -> Candidates {
    Candidates::new(count, &Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove)).unwrap()
}

fn selection(calls: &mut Calls) {
    for sensitivity in linf() {
        for count in USIZE {
            calls.make(format!("Candidates({count}, {})", shown(sensitivity.get())), || {
                Candidates::new(count, &sensitivity)
            });
        }
        for epsilon in positives() {
            for scores in [vec![Rational::from_integer(0.into()); 3], rationals()] {
                calls.make(
                    format!("choices among {} of {}, {}", scores.len(), shown(sensitivity.get()), shown(&epsilon)),
                    || {
                        let among = Candidates::new(scores.len(), &sensitivity)?;
                        let exponential =
                            Exponential::new(among.clone(), epsilon.clone()).map(|choice| all(&choice, &scores[..]));
                        let flips =
                            PermuteAndFlip::new(among.clone(), epsilon.clone()).map(|choice| all(&choice, &scores[..]));
                        let peeled = [0, 1, 3, usize::MAX].map(|k| {
                            Peeling::new(among.clone(), k, epsilon.clone()).map(|choice| all(&choice, &scores[..]))
                        });
                        Ok::<_, certus::mechanism::selection::SelectionError>((exponential, flips, peeled))
                    },
                );
            }
            for noise in [SelectionNoise::Laplace, SelectionNoise::Geometric] {
                calls.make(
                    format!("noisy choices of {}, {}, {noise:?}", shown(sensitivity.get()), shown(&epsilon)),
                    || {
                        let (among, scores) = (Candidates::new(7, &sensitivity)?, integers());
                        let most =
                            NoisyMax::new(among.clone(), &epsilon, noise).map(|choice| all(&choice, &scores[..]));
                        let top = [0, 7, usize::MAX].map(|k| {
                            NoisyTopK::new(among.clone(), k, &epsilon, noise).map(|choice| all(&choice, &scores[..]))
                        });
                        Ok::<_, certus::mechanism::selection::SelectionError>((most, top, drawn(&noise.at(&epsilon))))
                    },
                );
                for passes in U64 {
                    calls.make(
                        format!("sparse vector of {}, {}, {passes}", shown(sensitivity.get()), shown(&epsilon)),
                        || {
                            let test = SparseVector::new(&sensitivity, 0.into(), passes, &epsilon, &epsilon, noise)?;
                            let mut bits = seeded([1; 32]);
                            let asked = test.stream(&mut bits).map(|mut stream| {
                                integers().iter().map(|query| stream.ask(query, &mut bits).is_ok()).count()
                            });
                            let answers = NumericSparseVector::new(test.clone(), &epsilon)
                                .map(|answers| all(&answers, &integers()[..]));
                            Ok::<_, certus::mechanism::selection::ThresholdError>((
                                all(&test, &integers()[..]),
                                asked,
                                answers,
                            ))
                        },
                    );
                }
            }
        }
    }
    for factor in non_negatives() {
        for exponent in non_negatives() {
            calls.make(format!("Inversion({}, {})", shown(&factor), shown(&exponent)), || {
                let one = Weight { factor: NonNegative::one(), exponent: NonNegative::one() };
                Inversion::new(vec![Weight { factor: factor.clone(), exponent: exponent.clone() }, one])
                    .map(|choice| drawn(&choice))
            });
        }
    }
    // As found in review.
    for scores in [|at: i64| at, |_| 0, |at: i64| at * 1_000_000_000_000] {
        let of = |n: i64| (0..n).map(scores).collect::<Vec<i64>>();
        calls.make("Peeling, n = k = 2000", || {
            let scores: Vec<Rational> =
                of(2_000).into_iter().map(|score| Rational::from_integer(score.into())).collect();
            Peeling::new(candidates(2_000), 2_000, one())
                .map(|peeling| peeling.on(&scores).is_ok_and(|release| drawn(&release)))
        });
        calls.make("NoisyTopK, n = k = 100,000", || {
            let scores: Vec<Integer> = of(100_000).into_iter().map(Integer::from).collect();
            NoisyTopK::new(candidates(100_000), 100_000, &one(), SelectionNoise::Laplace)
                .map(|top| top.on(&scores).is_ok_and(|release| drawn(&release)))
        });
    }
    calls.make("Peeling, n = k = 1,000,000", || Peeling::new(candidates(1_000_000), 1_000_000, one()).is_err());
}

fn named(calls: &mut Calls) {
    for text in [
        "",
        "x",
        "laplace()",
        "laplace(scale=0)",
        "laplace(scale=1e1000)*4294967295",
        "gaussian(sigma=1e-1000)",
        &"(".repeat(70_000),
    ] {
        calls.make(format!("a spec of {} characters", text.len()), || {
            let spec: Spec = text.parse()?;
            let mut arguments = spec.reader();
            let taken = (arguments.take_number("scale"), arguments.take_list("scale"));
            let known = (arguments.refuse_unknown(&["scale"]), arguments.finish(&[]));
            let pairs = certus::mechanism::domination(&spec).map(|domination| domination.forward().len());
            Ok::<_, certus::mechanism::SpecError>((
                taken,
                known,
                pairs,
                entry(spec.name()).is_some(),
                from_spec(&spec).is_ok(),
            ))
        });
        calls.make("Excerpt::new", || Excerpt::new(text));
    }
    for text in [
        "laplace(scale=1e1000)",
        "laplace(scale=1e-1000)",
        "gaussian(sigma=1e-1000)",
        "gaussian(sigma=1e1000)",
        "randomized_response(epsilon=1e1000, k=2)",
    ] {
        let spec: Spec = text.parse().unwrap();
        for input in integers() {
            calls.make(format!("{text} on {}", shown(&input)), || {
                let mut bits = seeded([3; 32]);
                for sampler in [Sampler::Reference, Sampler::Prepared, Sampler::Fixed(Mode::Wide)] {
                    let Ok(mechanism) = from_spec(&spec).unwrap().with_sampler(sampler) else { continue };
                    let text = certus::exact::render(&Rational::from_integer(input.to_big()));
                    let release = mechanism.on(&text).unwrap();
                    release.draw(&mut bits).unwrap();
                    release.draw_each(&mut bits, 2, &mut drop).unwrap();
                    release.draw_bulk(&mut bits, 2, &mut drop).unwrap();
                    let pmf = mechanism.closed_form(&text, 64);
                    pmf.map(|pmf| pmf.probability(&Outcome::Integer(input.clone())));
                }
            });
        }
    }
    let _ = Probability::new(parse("1").unwrap());
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "noise on answers",
            covers: &[
                "mechanism/additive/gaussian.rs: GaussianMechanism::fixed",
                "mechanism/additive/in_place.rs: $mechanism::add_noise",
                "mechanism/additive/in_place.rs: $mechanism::add_noise_within",
                "mechanism/additive/laplace.rs: LaplaceMechanism::fixed",
                "mechanism/additive/laplace.rs: LaplaceMechanism::with_scale",
                "mechanism/additive/laplace.rs: LaplaceMechanism::with_epsilon",
                "mechanism/additive/laplace.rs: LaplaceMechanism::vector",
                "mechanism/additive/gaussian.rs: GaussianMechanism::with_sigma",
                "mechanism/additive/gaussian.rs: GaussianMechanism::with_variance",
                "mechanism/additive/gaussian.rs: GaussianMechanism::with_rho",
                "mechanism/additive/gaussian.rs: GaussianMechanism::vector",
                "mechanism/additive/gaussian.rs: GaussianMechanism::histogram",
                "mechanism/additive/gaussian.rs: GaussianMechanism::shared_histogram",
                "mechanism/additive/gaussian_vector.rs: GaussianVector::guarantee_at",
                "mechanism/additive/differences.rs: Difference::gaussian",
            ],
            calls: additive,
        },
        Case {
            name: "bounded noise and grids",
            covers: &[
                "mechanism/additive/bounded.rs: BoundedLaplace::new",
                "mechanism/additive/clamped.rs: Clamped::new",
                "mechanism/additive/grid.rs: Grid::new",
                "mechanism/additive/grid.rs: Grid::round",
                "mechanism/additive/grid.rs: Grid::multiple",
                "mechanism/additive/grid.rs: Grid::scalar",
                "mechanism/additive/grid.rs: Grid::l1",
                "mechanism/additive/grid.rs: Grid::l2_squared",
                "mechanism/additive/noisy.rs: Noisy::new",
                "mechanism/additive/noisy.rs: NoisyVector::new",
                "mechanism/additive/noisy.rs: Within::new",
                "mechanism/additive/staircase.rs: Staircase::new",
                "mechanism/additive/staircase.rs: StaircaseMechanism::new",
                "mechanism/additive/truncated.rs: TruncatedLaplace::new",
                "mechanism/additive/truncated.rs: TruncatedGaussian::new",
                "mechanism/additive/truncated.rs: TruncatedGaussian::delta",
                "mechanism/accuracy/on_grid.rs: Clamped::error_bound",
            ],
            calls: bounded,
        },
        Case {
            name: "accuracy",
            covers: &[
                "mechanism/accuracy/on_grid.rs: OnGrid::error_bound",
                "mechanism/accuracy/on_grid.rs: OnGridVector::error_bound",
                "mechanism/accuracy/scale.rs: largest_scale",
                "mechanism/accuracy/scale.rs: LaplaceMechanism::scale_for",
                "mechanism/accuracy/scale.rs: GaussianMechanism::sigma_for",
                "mechanism/additive/on_grid.rs: OnGrid::new",
                "mechanism/additive/on_grid.rs: OnGridVector::new",
                "mechanism/calibrate/classical.rs: Classical::new",
                "mechanism/calibrate/classical.rs: Classical::saved",
            ],
            calls: accuracy,
        },
        Case {
            name: "selection",
            covers: &[
                "mechanism/selection/candidates.rs: Candidates::new",
                "mechanism/selection/exponential.rs: Exponential::new",
                "mechanism/selection/inversion.rs: Inversion::new",
                "mechanism/selection/noise.rs: SelectionNoise::at",
                "mechanism/selection/noisy_max.rs: NoisyMax::new",
                "mechanism/selection/noisy_top_k.rs: NoisyTopK::new",
                "mechanism/selection/numeric_sparse_vector.rs: NumericSparseVector::new",
                "mechanism/selection/peeling.rs: Peeling::new",
                "mechanism/selection/permute_and_flip.rs: PermuteAndFlip::new",
                "mechanism/selection/sparse_vector.rs: SparseVector::new",
                "mechanism/selection/sparse_vector.rs: SparseVector::stream",
                "mechanism/selection/sparse_vector.rs: Stream::ask",
            ],
            calls: selection,
        },
        Case {
            name: "specs and releases",
            covers: &[
                "mechanism/arguments.rs: Arguments::take_number",
                "mechanism/arguments.rs: Arguments::take_list",
                "mechanism/arguments.rs: Arguments::refuse_unknown",
                "mechanism/arguments.rs: Arguments::finish",
                "mechanism/catalogue/mod.rs: entry",
                "mechanism/catalogue/mod.rs: from_spec",
                "mechanism/catalogue/mod.rs: visit",
                "mechanism/catalogue/typed.rs: Typed::with_sampler",
                "mechanism/catalogue/typed.rs: Typed::on",
                "mechanism/catalogue/typed.rs: Typed::closed_form",
                "mechanism/excerpt.rs: Excerpt::new",
                "mechanism/randomized_response.rs: RandomizedResponse::pmf",
                "mechanism/subsampled.rs: domination",
            ],
            calls: named,
        },
    ]
}
