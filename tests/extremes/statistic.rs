//! Statistics of records.

use certus::{
    exact::{BigInt, Integer, Positive, Probability, parse},
    guarantee::Relation,
    mechanism::{
        Private, RandomizedResponse,
        statistic::{
            Bounds, ClampedSum, Histogram, Mean, MeanOfKnown, MedianTest, OrderedRecords, PrefixCounts, Quantile,
            Rappor, RecordCount, SmoothMedian, StabilityHistogram, Survey, Variance, Waring, laplace_tail,
        },
    },
};

use crate::{Calls, Case, values::*};

/// A release on an input, its guarantee in words, and its pairs.
fn all<M: Private>(mechanism: &M, input: &M::Input) -> (bool, String, usize) {
    let drawn = mechanism.on(input).is_ok_and(|release| drawn(&release));
    (drawn, mechanism.guarantee().to_string(), mechanism.domination().forward().len())
}

fn counts(calls: &mut Calls) {
    for scale in positives() {
        for relation in RELATIONS {
            calls.make(format!("Count({})", shown(&scale)), || {
                RecordCount::new(&scale, relation).map(|count| all(&count, &[true; 9]))
            });
            for keys in USIZE {
                calls.make(format!("Histogram({keys}, {})", shown(&scale)), || {
                    Histogram::new(keys, &scale, relation).map(|histogram| all(&histogram, &[0, usize::MAX]))
                });
                calls.make(format!("PrefixCounts({keys}, {})", shown(&scale)), || {
                    PrefixCounts::new(keys, &scale, relation).map(|counts| all(&counts, &[0, usize::MAX]))
                });
            }
            for threshold in I64 {
                for contributions in U32 {
                    calls.make(format!("StabilityHistogram({}, {threshold}, {contributions})", shown(&scale)), || {
                        StabilityHistogram::<u8>::new(&scale, threshold, contributions, relation)
                            .map(|histogram| all(&histogram, &[vec![1, 2], vec![1]]))
                    });
                }
            }
        }
        for t in I64 {
            calls.make(format!("laplace_tail({}, {t})", shown(&scale)), || {
                laplace_tail(&scale, &BigInt::from(t)).enclose(64)
            });
        }
        for degree in U32 {
            calls.make(format!("Waring({}, {degree})", shown(&scale)), || {
                Waring::new(&scale, degree).map(|noise| drawn(&noise))
            });
        }
    }
    // As found in review: "capacity overflow", and as large as is taken.
    for keys in [1 << 20, (1 << 20) + 1, usize::MAX] {
        calls.make(format!("Histogram({keys}) on records"), || {
            Histogram::new(keys, &one(), Relation::AddRemove).map(|histogram| histogram.on(&[0]).is_ok())
        });
        calls.make(format!("Rappor({keys}) on a value"), || {
            let half = Probability::new(parse("1/2").unwrap()).unwrap();
            Rappor::permanent(keys, 1, &half).map(|rappor| rappor.on(&[0]).is_ok())
        });
    }
}

fn bounds() -> Vec<Bounds> {
    I64.into_iter().flat_map(|lower| I64.map(|upper| Bounds::new(lower, upper))).flatten().collect()
}

fn sums(calls: &mut Calls) {
    for lower in I64 {
        for upper in I64 {
            calls.make(format!("Bounds({lower}, {upper})"), || {
                Bounds::new(lower, upper).map(|bounds| I64.map(|record| bounds.clamp(record)))
            });
        }
    }
    let records = [i64::MIN, i64::MAX, 0];
    for bounds in bounds() {
        for scale in positives() {
            let with = format!("{bounds:?}, {}", shown(&scale));
            for relation in RELATIONS {
                calls.make(format!("ClampedSum({with})"), || {
                    ClampedSum::new(bounds, &scale, relation).map(|sum| {
                        (
                            all(&sum, &records),
                            I64.map(|limit| sum.clone().saturating(limit).map(|sum| all(&sum, &records))),
                        )
                    })
                });
                calls.make(format!("Mean({with})"), || {
                    Mean::new(bounds, &scale, &scale, relation).map(|mean| {
                        (all(&mean, &records), mean.estimate(&integers()), mean.estimate(&[1.into(), 0.into()]))
                    })
                });
                calls.make(format!("Variance({with})"), || {
                    Variance::new(bounds, [scale.clone(), scale.clone(), scale.clone()], relation).map(|variance| {
                        (all(&variance, &records), variance.estimate(&integers()[..3]), variance.estimate(&[]))
                    })
                });
            }
            for count in U64 {
                calls.make(format!("MeanOfKnown({with}, {count})"), || {
                    MeanOfKnown::new(bounds, count, &scale)
                        .map(|mean| (all(&mean, &records), mean.estimate(&Integer::from(i64::MIN))))
                });
            }
        }
    }
}

fn orders(calls: &mut Calls) {
    let decay = |text: &str| Positive::new(parse(text).unwrap()).unwrap();
    let wide = Bounds::new(i64::MIN, i64::MAX).unwrap();
    let ties = vec![5; 200_000];
    let spread: Vec<i64> = (0..20_000).map(|at| at * at).collect();
    // As found in review.
    calls.make("distance_to_instability of 200,000 equal records", || {
        OrderedRecords::new(&ties, wide, 200_000).unwrap().distance_to_instability(10)
    });
    calls.make("smooth_sensitivity(0.999) of 20,000", || {
        OrderedRecords::new(&spread, wide, 20_000).unwrap().smooth_sensitivity(&decay("0.999"))
    });
    calls.make("smooth_sensitivity(0.999) of 20,000 equal records", || {
        OrderedRecords::new(&ties[..20_000], wide, 20_000).unwrap().smooth_sensitivity(&decay("0.999"))
    });
    for count in [13_000, 20_000, 200_000] {
        calls.make(format!("a smooth median of {count} equal records"), || {
            SmoothMedian::new(wide, count, 3, &one(), &decay("0.999"))
                .map(|median| all(&median, &ties[..usize::try_from(count).unwrap()]))
        });
    }
    for records in [&[][..], &[0], &[i64::MIN, i64::MAX, 0]] {
        for k in USIZE {
            calls.make(format!("reach({k}) of {} records", records.len()), || {
                let ordered = OrderedRecords::new(records, wide, records.len() as u64).unwrap();
                (ordered.reach(k), U64.map(|bound| ordered.distance_to_instability(bound)), ordered.median())
            });
        }
        for ratio in positives() {
            calls.make(format!("smooth_sensitivity({}) of {} records", shown(&ratio), records.len()), || {
                OrderedRecords::new(records, wide, records.len() as u64).unwrap().smooth_sensitivity(&ratio)
            });
        }
    }
    for records in U64 {
        for epsilon in positives() {
            for bound in U64 {
                calls.make(format!("MedianTest({records}, {bound}, {})", shown(&epsilon)), || {
                    I64.map(|threshold| {
                        MedianTest::new(wide, records, bound, threshold, &epsilon, &epsilon)
                            .map(|test| all(&test, &[7]))
                    })
                });
            }
            for degree in U32 {
                calls.make(format!("SmoothMedian({records}, {degree}, {})", shown(&epsilon)), || {
                    SmoothMedian::new(wide, records, degree, &epsilon, &decay("1/2")).map(|median| all(&median, &[7]))
                });
            }
        }
    }
    for level in probabilities() {
        for epsilon in positives() {
            calls.make(format!("Quantile({}, {})", shown(&level), shown(&epsilon)), || {
                Quantile::new(&level, wide, &epsilon, Relation::AddRemove)
                    .map(|quantile| all(&quantile, &[i64::MIN, 5, i64::MAX]))
            });
        }
    }
}

fn reports(calls: &mut Calls) {
    for bits in USIZE {
        for set in USIZE {
            for lies in probabilities() {
                calls.make(format!("Rappor({bits}, {set}, {})", shown(&lies)), || {
                    let one_time =
                        Rappor::one_time(bits, set, &lies, &lies, &Probability::new(parse("1").unwrap()).unwrap());
                    let one_time = one_time.map(|rappor| rappor.guarantee().to_string());
                    (Rappor::permanent(bits, set, &lies).map(|rappor| all(&rappor, &[0, usize::MAX])), one_time)
                });
            }
        }
    }
    for answers in U64 {
        for p in probabilities() {
            calls.make(format!("Survey of truth with {}, {answers}", shown(&p)), || {
                Survey::new(RandomizedResponse::truth_with(p.clone(), answers)).map(|survey| {
                    let proportions = U64.map(|of| {
                        survey
                            .proportion(of, u64::MAX)
                            .map(|share| (share.variance(&p).enclose(64), share.interval(&p)))
                    });
                    (all(&survey, &Integer::from(i64::MIN)), proportions)
                })
            });
        }
        for epsilon in non_negatives() {
            calls.make(format!("Survey by {}, {answers}", shown(&epsilon)), || {
                Survey::new(RandomizedResponse::by_epsilon(epsilon.clone(), answers))
                    .map(|survey| all(&survey, &Integer::from(1)))
            });
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "counts",
            covers: &[
                "mechanism/statistic/count.rs: RecordCount::new",
                "mechanism/statistic/histogram.rs: Histogram::new",
                "mechanism/statistic/prefix_counts.rs: PrefixCounts::new",
                "mechanism/statistic/stability_histogram.rs: StabilityHistogram::new",
                "mechanism/statistic/laplace_tail.rs: laplace_tail",
                "mechanism/statistic/waring.rs: Waring::new",
            ],
            calls: counts,
        },
        Case {
            name: "sums",
            covers: &[
                "mechanism/statistic/bounds.rs: Bounds::new",
                "mechanism/statistic/bounds.rs: Bounds::clamp",
                "mechanism/statistic/sum.rs: ClampedSum::new",
                "mechanism/statistic/sum.rs: ClampedSum::saturating",
                "mechanism/statistic/mean.rs: Mean::new",
                "mechanism/statistic/mean.rs: Mean::estimate",
                "mechanism/statistic/mean.rs: MeanOfKnown::new",
                "mechanism/statistic/mean.rs: MeanOfKnown::estimate",
                "mechanism/statistic/variance.rs: Variance::new",
                "mechanism/statistic/variance.rs: Variance::estimate",
            ],
            calls: sums,
        },
        Case {
            name: "medians and quantiles",
            covers: &[
                "mechanism/statistic/order.rs: OrderedRecords::new",
                "mechanism/statistic/order.rs: OrderedRecords::reach",
                "mechanism/statistic/order.rs: OrderedRecords::smooth_sensitivity",
                "mechanism/statistic/order.rs: OrderedRecords::distance_to_instability",
                "mechanism/statistic/median_test.rs: MedianTest::new",
                "mechanism/statistic/smooth_median.rs: SmoothMedian::new",
                "mechanism/statistic/quantile.rs: Quantile::new",
            ],
            calls: orders,
        },
        Case {
            name: "reports",
            covers: &[
                "mechanism/statistic/rappor.rs: Rappor::permanent",
                "mechanism/statistic/rappor.rs: Rappor::one_time",
                "mechanism/statistic/survey.rs: Survey::new",
                "mechanism/statistic/survey.rs: Survey::proportion",
                "mechanism/statistic/proportion.rs: Proportion::variance",
                "mechanism/statistic/proportion.rs: Proportion::interval",
                "mechanism/randomized_response.rs: RandomizedResponse::truth_with",
                "mechanism/randomized_response.rs: RandomizedResponse::by_epsilon",
            ],
            calls: reports,
        },
    ]
}
