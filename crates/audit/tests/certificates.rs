//! The certificates of the shipped samplers: the distribution that the code has, beside the one on paper.
//!
//! For each sampler and parameter: the structural certificate holds with total variation and unresolved mass
//! at most 2^-40; the flat one, which assumes nothing, holds as far as it reaches; their bounds meet for
//! every output; and the two interpreters agree on the number of tapes of every length that end in every
//! output.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(clippy::float_arithmetic, reason = "the closed forms can be turned into floats, which nothing here does")]

#[path = "../../../tests/support/closed_forms.rs"]
mod closed_forms;

use std::{collections::BTreeMap, fmt::Debug};

use certus::{
    exact::{FinitePmf, GaussianPmf, LaplacePmf, Pmf, Rational},
    sample::{Bernoulli, BernoulliExp, Choice, Gaussian, Geometric, Laplace, Program, Uniform, Weight},
};
use certus_audit::certify::{Certificate, flat, structural, tape_counts};
use closed_forms::{CoinPmf, GeometricPmf, PRECISION, UniformPmf, non_negative, positive, probability, rational};

/// Structural: unresolved at most 2^-48.
const DEPTH: u32 = 48;

/// Flat: 2^20 tapes at most.
const FLAT: u32 = 20;

fn certify<P: Program<Output: Debug>>(name: &str, program: &P, pmf: &impl Pmf<P::Output>) {
    let small = Rational::new(1.into(), (1u64 << 40).into());
    let solved = Certificate::new(&structural(program, DEPTH, &mut |_| ()).unwrap(), pmf);
    assert!(solved.holds(), "{name}: the structural certificate fails");
    assert!(*solved.unresolved() <= small, "{name}: unresolved {}", solved.unresolved());
    assert!(*solved.total_variation_upper() <= small, "{name}: tv {}", solved.total_variation_upper());

    let tapes = flat(program, FLAT, &mut |_| ()).unwrap();
    let run = Certificate::new(&tapes.masses(), pmf);
    assert!(run.holds(), "{name}: the flat certificate fails");
    assert!(!run.rows().is_empty(), "{name}: no tape of {FLAT} bits ends");

    let by_value: BTreeMap<_, _> = solved.rows().iter().map(|row| (&row.value, &row.enumerated)).collect();
    for row in run.rows() {
        let solved = by_value.get(&row.value).unwrap_or_else(|| panic!("{name}: {:?} only ends flat", row.value));
        assert!(solved.intersects(&row.enumerated), "{name}: {:?}: {solved} and {}", row.value, row.enumerated);
    }
    let counted = tape_counts(program, FLAT, &mut |_| ()).unwrap();
    assert_eq!(counted, tapes, "{name}: the interpreters count different tapes");
}

fn laplace(scale: &str) {
    let scale = positive(scale);
    certify(&format!("laplace {scale}"), &Laplace::new(&scale), &LaplacePmf::new(&scale, PRECISION));
}

fn gaussian(variance: &str) {
    let variance = positive(variance);
    let pmf = GaussianPmf::new(&variance, PRECISION).unwrap();
    certify(&format!("gaussian {variance}"), &Gaussian::with_variance(&variance), &pmf);
}

#[test]
fn laplace_at_small_scales() {
    for scale in ["1", "5/2", "1/3", "1/7", "13/11"] {
        laplace(scale);
    }
}

#[test]
fn laplace_at_49_999999() {
    laplace("49.999999");
}

#[test]
fn laplace_at_50() {
    laplace("50");
}

#[test]
fn gaussian_at_small_scales() {
    for variance in ["1", "4", "7/3", "1/7", "13/11"] {
        gaussian(variance);
    }
}

/// σ = 50.
#[test]
fn gaussian_at_50() {
    gaussian("2500");
}

/// σ = 49.999999, whose square has a denominator of 10^12.
#[test]
fn gaussian_at_49_999999() {
    gaussian("2499.999900000001");
}

#[test]
fn geometric() {
    for scale in ["1", "5/2", "1/3", "13/11"] {
        let scale = positive(scale);
        certify(&format!("geometric {scale}"), &Geometric::new(&scale), &GeometricPmf(scale));
    }
}

#[test]
fn uniform() {
    for bound in [1u64, 2, 3, 5, 7, 16, 100] {
        certify(&format!("uniform {bound}"), &Uniform::new(bound.into()).unwrap(), &UniformPmf(bound));
    }
}

#[test]
fn bernoulli() {
    for p in ["0", "1", "1/2", "1/3", "5/8", "123456789012345678901/987654321098765432109"] {
        let p = probability(p);
        certify(&format!("bernoulli {p}"), &Bernoulli::new(p.clone()), &CoinPmf::of(&p));
    }
}

#[test]
fn bernoulli_exp() {
    for x in ["0", "1/3", "1", "5/2", "30", "1/123456789012345678901"] {
        let x = non_negative(x);
        certify(&format!("bernoulli_exp {x}"), &BernoulliExp::new(&x), &CoinPmf::exp(&x));
    }
}

#[test]
fn choice() {
    let weights = [("1", "2"), ("0", "0"), ("3", "1"), ("2/3", "7/3")];
    let weigh = |&(c, x): &(&str, &str)| Weight { factor: non_negative(c), exponent: rational(x) };
    let sampler = Choice::new(&weights.iter().map(weigh).collect::<Vec<_>>()).unwrap();
    let listed = weights.iter().enumerate().map(|(i, (c, x))| (i, non_negative(c), non_negative(x)));
    certify("choice", &sampler, &FinitePmf::new(listed.collect(), PRECISION).unwrap());
}
