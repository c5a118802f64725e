//! Accounts of plans, and calibration.

use std::num::NonZeroU64;

use certus::{
    account::{
        DpSgd, Plan, Precision, PrivacyProfile, TradeOff, attacker_true_positive_rate, delta, delta_both_ways, epsilon,
        gaussian_dp, reach, renyi, trade_off, zcdp, zcdp_delta,
    },
    exact::{Enclosure, NonNegative, Positive, Probability, parse},
    guarantee::{L1, Relation, Sensitivity},
    mechanism::{CalibratedNoise, Private, Target, Trend, additive::GaussianMechanism, calibrate, from_spec},
};

use num_bigint::BigUint;

use crate::{Calls, Case, values::*};

const PRECISION: Precision = Precision { digits: 3 };

fn plan(spec: &str, copies: u64) -> Plan {
    Plan::of(&from_spec(&spec.parse().unwrap()).unwrap().domination(), copies)
}

fn plans() -> Vec<(String, Plan)> {
    let mut plans = vec![("no mechanism".to_owned(), Plan::new())];
    for spec in [
        "laplace(scale=1)",
        "laplace(scale=1e-1000)",
        "gaussian(sigma=1)",
        "gaussian(sigma=1e-1000)",
        "gaussian(sigma=1e1000)",
    ] {
        for copies in [1, u64::MAX] {
            plans.push((format!("{spec}*{copies}"), plan(spec, copies)));
        }
    }
    // As found in review: a variance of ten thousand digits.
    let variance = Positive::new(long()).unwrap();
    for variance in [variance.clone(), Positive::new(variance.get().recip()).unwrap()] {
        let gaussian = GaussianMechanism::with_variance(
            &Sensitivity::<L1>::of_count(Relation::AddRemove).to_l2_squared(),
            variance.get(),
        )
        .unwrap();
        plans.push(("a Gaussian with a variance of 10^4 digits".to_owned(), Plan::of(&gaussian.domination(), 1)));
    }
    plans
}

fn accounts(calls: &mut Calls) {
    for (name, plan) in plans() {
        for at in non_negatives() {
            calls.make(format!("delta of {name} at {}", shown(&at)), || {
                delta(&plan, &at, &PRECISION).map(|answer| (answer.is_attained(&plan), answer.max(&answer).enclosure))
            });
        }
        calls.make(format!("delta both ways and a profile of {name}"), || {
            let mut profile = PrivacyProfile::new(&plan);
            let both = (
                profile.delta(&NonNegative::one(), &PRECISION),
                profile.delta_both_ways(&NonNegative::one(), &PRECISION),
            );
            (both, delta_both_ways(&plan, &NonNegative::one(), &PRECISION))
        });
        for at in probabilities() {
            calls.make(format!("epsilon of {name} at {}", shown(&at)), || epsilon(&plan, &at, &PRECISION));
        }
        for alpha in rationals() {
            calls.make(format!("renyi of {name} at {}", shown(&alpha)), || renyi(&plan, &alpha, &PRECISION));
        }
        calls.make(format!("zcdp of {name}"), || zcdp(&plan, &PRECISION));
        calls.make(format!("reach of {name}"), || reach(&plan));
        calls.make(format!("trade-off of {name}"), || {
            let mut curve = TradeOff::new(&plan, &PRECISION).with(&[], &[]);
            let half = Probability::new(parse("1/2").unwrap()).unwrap();
            (curve.at(&half), curve.at_each(std::slice::from_ref(&half)))
        });
    }
    calls.make("a plan of two", || {
        let domination = from_spec(&"laplace(scale=1)".parse().unwrap()).unwrap().domination();
        U64.map(|copies| Plan::of(&domination, u64::MAX).with(&domination, copies).is_ok())
    });
}

fn summaries(calls: &mut Calls) {
    calls
        .make("no points", || (gaussian_dp(&[]), trade_off(&[], &[], &Probability::new(parse("1").unwrap()).unwrap())));
    for rho in positives() {
        for at in non_negatives() {
            calls.make(format!("zcdp_delta({}, {})", shown(&rho), shown(&at)), || zcdp_delta(&rho, &at));
        }
    }
    for one in non_negatives() {
        for f in probabilities() {
            calls.make(format!("attacker({}, {})", shown(&one), shown(&f)), || {
                let of = |value: &NonNegative| Enclosure::enclosing(value.get(), 64).unwrap();
                attacker_true_positive_rate(&of(&one), &of(&NonNegative::zero()), &f)
            });
        }
    }
    for rate in probabilities() {
        for steps in [1, u64::MAX] {
            calls.make(format!("DpSgd({}, {steps})", shown(&rate)), || {
                let run = DpSgd {
                    noise_multiplier: one(),
                    rate: rate.clone(),
                    steps: NonZeroU64::new(steps).unwrap(),
                    clip: NonZeroU64::MIN,
                    coordinates: NonZeroU64::MAX,
                };
                let half = Probability::new(parse("1/2").unwrap()).unwrap();
                (run.delta(&NonNegative::one(), &PRECISION).is_ok(), run.epsilon(&half, &PRECISION).is_ok())
            });
        }
    }
    for step in positives() {
        for at in probabilities() {
            calls.make(format!("calibrate({}, {})", shown(&step), shown(&at)), || {
                let (epsilon, delta, step, trend) = (NonNegative::one(), at.clone(), step.clone(), Trend::Falls);
                let target = Target { epsilon, delta, step, trend, most_checked: 10, precision: PRECISION };
                calibrate(&target, |_| Plan::new()).map(|found| found.is_smallest())
            });
            calls.make(format!("CalibratedNoise of {}, {}", shown(&step), shown(&at)), || {
                let largest = BigUint::from(u64::MAX);
                let noises = [
                    CalibratedNoise::Laplace { sensitivity: largest.clone() },
                    CalibratedNoise::gaussian(largest.pow(2), 1),
                    CalibratedNoise::gaussian(largest, u64::MAX),
                ];
                noises.map(|noise| {
                    let found = noise.calibrate(&step, &at, Some(&step));
                    (found.is_ok(), noise.classical(&step, &at), noise.spec(&step), noise.plan(&step))
                })
            });
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "accounts",
            covers: &[
                "account/answer.rs: Answer::is_attained",
                "account/answer.rs: Answer::max",
                "account/answer.rs: is_narrow",
                "account/delta.rs: delta",
                "account/delta.rs: delta_both_ways",
                "account/epsilon.rs: epsilon",
                "account/plan.rs: Plan::new",
                "account/plan.rs: Plan::of",
                "account/plan.rs: Plan::with",
                "account/privacy_profile.rs: PrivacyProfile::new",
                "account/privacy_profile.rs: PrivacyProfile::delta",
                "account/privacy_profile.rs: PrivacyProfile::delta_both_ways",
                "account/reach.rs: reach",
                "account/summary/renyi.rs: renyi",
                "account/summary/trade_off.rs: TradeOff::new",
                "account/summary/trade_off.rs: TradeOff::with",
                "account/summary/trade_off.rs: TradeOff::at_each",
                "account/summary/trade_off.rs: TradeOff::at",
                "account/summary/zcdp.rs: zcdp",
            ],
            calls: accounts,
        },
        Case {
            name: "summaries and calibration",
            covers: &[
                "account/dpsgd.rs: DpSgd::delta",
                "account/dpsgd.rs: DpSgd::epsilon",
                "account/summary/attacker.rs: attacker_true_positive_rate",
                "account/summary/gaussian.rs: gaussian_dp",
                "account/summary/trade_off.rs: trade_off",
                "account/summary/zcdp.rs: zcdp_delta",
                "mechanism/calibrate.rs: calibrate",
                "mechanism/calibrate/noise.rs: CalibratedNoise::calibrate",
                "mechanism/calibrate/noise.rs: CalibratedNoise::classical",
                "mechanism/calibrate/noise.rs: CalibratedNoise::gaussian",
                "mechanism/calibrate/noise.rs: CalibratedNoise::plan",
                "mechanism/calibrate/noise.rs: CalibratedNoise::spec",
            ],
            calls: summaries,
        },
    ]
}
