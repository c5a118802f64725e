//! Exact numbers.

use std::time::Duration;

use certus::exact::{
    Enclosure, FinitePmf, GaussianPmf, Integer, LaplacePmf, NonNegative, Pmf, Positive, Probability, Rational, Real,
    Rounding, decimal, exp_neg, exp_neg_relative, from_f64, ln, normal_tail, parse, render,
};

use crate::{Calls, Case, processor_time, slow, values::*};

/// Digits that somebody may ask for; time grows with them, and so their number is not extreme.
const BITS: [u32; 4] = [0, 1, 64, 2_000];

/// What must be seen to go wrong.
pub fn controls() -> Vec<Case> {
    vec![
        Case { name: "control: panics", covers: &[], calls: |calls| calls.make("a panic", || panic!("on purpose")) },
        Case {
            name: "control: slow",
            covers: &[],
            calls: |calls| {
                calls.make("a loop that is too long", || {
                    let started = processor_time();
                    while processor_time().saturating_sub(started) <= slow() + Duration::from_millis(100) {
                        (0..10_000_u32).for_each(|i| {
                            std::hint::black_box(i);
                        });
                    }
                });
            },
        },
    ]
}

fn enclosures() -> Vec<Enclosure> {
    with_long(rationals())
        .iter()
        .flat_map(|value| [0, 64].map(|bits| Enclosure::enclosing(value, bits)))
        .flatten()
        .collect()
}

fn text(calls: &mut Calls) {
    for value in with_long(rationals()) {
        for digits in [0, 1, 17, 10_000] {
            for rounding in [Rounding::Down, Rounding::Up] {
                calls.make(format!("decimal({}, {digits}, {rounding:?})", shown(&value)), || {
                    decimal(&value, digits, rounding)
                });
            }
        }
        calls.make(format!("render({})", shown(&value)), || render(&value));
        calls.make("Positive::new", || Positive::new(value.clone()).map(|value| value.square()));
        calls.make("NonNegative::new", || NonNegative::new(value.clone()));
        calls.make("Probability::new", || Probability::new(value.clone()));
    }
    let long = "9".repeat(1_000_000);
    for text in ["", "-", "1/0", "0/0", "1e1001", "1e-99999999999", "+0.0e+0000", "é", &long, &format!("1/{long}")] {
        calls.make(format!("parse({} characters)", text.len()), || parse(text));
    }
    for value in [0.0, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::MIN, f64::INFINITY, f64::NAN] {
        calls.make(format!("from_f64({value})"), || from_f64(value));
    }
    calls.make("NonNegative::zero and one", || (NonNegative::zero(), NonNegative::one()));
}

fn enclose(calls: &mut Calls) {
    for value in with_long(rationals()) {
        for bits in BITS {
            calls.make(format!("enclosing({}, {bits})", shown(&value)), || Enclosure::enclosing(&value, bits));
            calls.make(format!("normal_tail({}, {bits})", shown(&value)), || normal_tail(&value, bits.min(500)));
        }
        calls.make("from_integer", || Enclosure::from_integer(value.numer().clone(), 2_000));
        for other in with_long(rationals()) {
            calls.make(format!("from_bounds({}, {})", shown(&value), shown(&other)), || {
                Enclosure::from_bounds(&value, &other, 64)
            });
        }
    }
    for one in enclosures() {
        for bits in BITS {
            calls.make(format!("at_precision, exp, ln of {} at {bits}", shown(&one)), || {
                (one.at_precision(bits), one.exp(bits), one.ln(bits))
            });
        }
        for value in with_long(rationals()) {
            calls.make(format!("{} contains {}", shown(&one), shown(&value)), || one.contains(&value));
        }
        for other in enclosures() {
            calls.make(format!("{} with {}", shown(&one), shown(&other)), || {
                let sets = (one.intersects(&other), one.hull(&other), one.intersection(&other), one.compare(&other));
                (sets, one.add(&other), one.sub(&other), one.mul(&other), one.div(&other))
            });
        }
    }
}

fn functions(calls: &mut Calls) {
    for bits in BITS {
        for x in long_non_negatives() {
            calls.make(format!("exp_neg({}, {bits})", shown(&x)), || exp_neg(&x, bits));
            calls.make(format!("exp_neg_relative({}, {bits})", shown(&x)), || exp_neg_relative(&x, bits));
        }
        for x in long_positives() {
            calls.make(format!("ln({}, {bits})", shown(&x)), || ln(&x, bits));
        }
    }
    for value in positives() {
        for bits in [0, 64, 200] {
            for at in integers() {
                calls.make(format!("LaplacePmf({}, {bits}) at {}", shown(&value), shown(&at)), || {
                    LaplacePmf::new(&value, bits).probability(&at)
                });
                calls.make(format!("GaussianPmf({}, {bits}) at {}", shown(&value), shown(&at)), || {
                    GaussianPmf::new(&value, bits).map(|pmf| pmf.probability(&at))
                });
            }
        }
    }
    for factor in long_non_negatives() {
        for exponent in long_non_negatives() {
            calls.make(format!("FinitePmf({}, {})", shown(&factor), shown(&exponent)), || {
                FinitePmf::new(
                    vec![(0, factor.clone(), exponent.clone()), (1, NonNegative::one(), NonNegative::one())],
                    64,
                )
                .map(|pmf| pmf.probability(&0))
            });
        }
    }
    for one in integers() {
        for other in integers() {
            calls.make("Integer::add", || one.add(&other).neg().magnitude() == Integer::ZERO.magnitude());
        }
    }
}

fn reals(calls: &mut Calls) {
    for n in I64 {
        for d in I64 {
            calls.make(format!("Real::ratio({n}, {d})"), || Real::ratio(n, d).enclose(64));
        }
    }
    let numbers: Vec<Rational> = with_long(rationals()).into_iter().filter(|value| *value.denom() > 0.into()).collect();
    for value in &numbers {
        let real = Real::from(value.clone());
        for bits in [0, 64, 500] {
            calls.make(format!("{} and its e^x and ln at {bits}", shown(value)), || {
                (real.enclose(bits), real.exp().enclose(bits), real.ln().enclose(bits), real.exp().at_most(bits))
            });
        }
        for other in &numbers {
            let other = Real::from(other.clone());
            calls.make(format!("{} beside {}", shown(value), shown(&other)), || {
                let order = (real.compare(&other), real.is_at_most(&other));
                (order, real.max(&other).enclose(64), real.min(&other).enclose(64), (&real / &other).enclose(64))
            });
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "numbers as text",
            covers: &[
                "exact/decimal.rs: decimal",
                "exact/render.rs: render",
                "exact/parse.rs: parse",
                "exact/float.rs: from_f64",
                "exact/rational.rs: $name::new",
                "exact/rational.rs: NonNegative::zero",
                "exact/rational.rs: NonNegative::one",
            ],
            calls: text,
        },
        Case {
            name: "enclosures",
            covers: &[
                "exact/enclosure.rs: Enclosure::enclosing",
                "exact/enclosure.rs: Enclosure::from_integer",
                "exact/enclosure.rs: Enclosure::from_bounds",
                "exact/enclosure.rs: Enclosure::contains",
                "exact/enclosure.rs: Enclosure::intersects",
                "exact/enclosure.rs: Enclosure::hull",
                "exact/enclosure.rs: Enclosure::intersection",
                "exact/enclosure.rs: Enclosure::at_precision",
                "exact/enclosure.rs: Enclosure::compare",
                "exact/enclosure/arithmetic.rs: Enclosure::add",
                "exact/enclosure/arithmetic.rs: Enclosure::sub",
                "exact/enclosure/arithmetic.rs: Enclosure::mul",
                "exact/enclosure/arithmetic.rs: Enclosure::div",
                "exact/image.rs: Enclosure::exp",
                "exact/image.rs: Enclosure::ln",
                "exact/normal.rs: normal_tail",
            ],
            calls: enclose,
        },
        Case {
            name: "exponentials and probabilities",
            covers: &[
                "exact/exp.rs: exp_neg",
                "exact/exp.rs: exp_neg_relative",
                "exact/ln.rs: ln",
                "exact/pmf.rs: LaplacePmf::new",
                "exact/pmf.rs: GaussianPmf::new",
                "exact/pmf.rs: FinitePmf::new",
                "exact/integer.rs: Integer::add",
            ],
            calls: functions,
        },
        Case {
            name: "reals",
            covers: &[
                "exact/real.rs: Real::ratio",
                "exact/real.rs: Real::enclose",
                "exact/real.rs: Real::at_most",
                "exact/real.rs: Real::compare",
                "exact/real.rs: Real::is_at_most",
                "exact/real.rs: Real::max",
                "exact/real.rs: Real::min",
            ],
            calls: reals,
        },
    ]
}
