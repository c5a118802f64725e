//! Planted bugs: each detector must see them, and must not see one in the right twin of each.
//!
//! A mutant passes through chi-square at 10^6 samples, the structural certificate, and the flat certificate,
//! which sees a bias where it exceeds the mass that its short tapes leave unresolved. The twin, the same code
//! with its bug switched off, passes through the same function and comes out clean.
#![allow(
    clippy::float_arithmetic,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "a test may panic, and a test statistic is a float"
)]

#[path = "../../../tests/support/chi_square.rs"]
mod chi_square;
#[path = "../../../tests/support/closed_forms.rs"]
mod closed_forms;
mod mutants;

use std::fmt::Debug;

use certus::{
    bits::{Meter, seeded},
    exact::{GaussianPmf, Integer, LaplacePmf, Pmf},
    sample::{self, Program},
};
use certus_audit::certify::{Certificate, flat, structural, tape_counts};
use chi_square::{ALPHA, Cells, observe, p_value};
use closed_forms::{CoinPmf, GeometricPmf, PRECISION, UniformPmf, middle, non_negative, positive, probability};
use mutants::{Bell, Below, Bug, Coin, CoinExp, Magnitude, Remembers, TwoSided};

/// The depth of the flat certificates.
const FLAT: u32 = 18;

/// Which detectors found a program wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Caught {
    chi_square: bool,
    structural: bool,
    flat: bool,
    /// The flat and the structural interpreter disagree about the number of tapes.
    tie: bool,
}

const CLEAN: Caught = Caught { chi_square: false, structural: false, flat: false, tie: false };
const WRONG: Caught = Caught { chi_square: true, structural: true, flat: true, tie: false };

/// Outputs that have a cell of their own: from −reach to reach.
trait Numbered: Ord + Clone + Debug + 'static {
    fn number(&self) -> i128;
    fn all(reach: i64) -> Vec<Self>;
}

impl Numbered for Integer {
    fn number(&self) -> i128 {
        i128::from(self.to_i64().unwrap())
    }
    fn all(reach: i64) -> Vec<Self> {
        (-reach..=reach).map(Self::from).collect()
    }
}

impl Numbered for bool {
    fn number(&self) -> i128 {
        i128::from(*self)
    }
    fn all(_: i64) -> Vec<Self> {
        vec![false, true]
    }
}

fn detect<P: Program<Output: Numbered>>(program: &P, pmf: &impl Pmf<P::Output>) -> Caught {
    let singles = P::Output::all(40);
    let probabilities: Vec<f64> = singles.iter().map(|output| middle(&pmf.probability(output))).collect();
    let beyond = (1.0 - probabilities.iter().sum::<f64>()).max(0.0) / 2.0;
    let cells = Cells::singles(singles[0].number(), &probabilities, beyond, beyond);
    let p = p_value(&observe(program, "mutants", &cells, Numbered::number), cells.probabilities());
    let tapes = flat(program, FLAT, &mut |_| ()).unwrap();
    let masses = structural(program, 48, &mut |_| ()).unwrap();
    let certificate = Certificate::new(&tapes.masses(), pmf);
    let caught = Caught {
        chi_square: p < ALPHA,
        structural: !Certificate::new(&masses, pmf).holds(),
        flat: !certificate.holds(),
        tie: tape_counts(program, FLAT, &mut |_| ()).unwrap() != tapes,
    };
    println!("{caught:?} p = {p:e}, flat unresolved {:.2e}", closed_forms::to_f64(certificate.unresolved()));
    caught
}

/// The mutant is caught by exactly the detectors expected; its twin by none, and draws what the shipped
/// sampler draws.
fn caught<P, S>(bug: Bug, expected: Caught, make: impl Fn(Bug) -> P, shipped: &S, pmf: &impl Pmf<P::Output>)
where
    P: Program<Output: Numbered> + Debug,
    S: Program<Output = P::Output>,
{
    let (mutant, twin) = (make(bug), make(Bug::None));
    println!("{mutant:?}");
    assert_eq!(detect(&mutant, pmf), expected, "{mutant:?}");
    assert_eq!(detect(&twin, pmf), CLEAN, "{twin:?}");
    let (mut one, mut other) = (Meter::new(seeded([9; 32])), Meter::new(seeded([9; 32])));
    for _ in 0..10_000 {
        assert_eq!(twin.sample(&mut one), shipped.sample(&mut other), "{twin:?} is no twin");
        assert_eq!(one.used(), other.used(), "{twin:?} is no twin");
    }
}

fn laplace(bug: Bug, expected: Caught, numerator: u64, denominator: u64) {
    let scale = positive(&format!("{numerator}/{denominator}"));
    let pmf = LaplacePmf::new(&scale, PRECISION);
    caught(bug, expected, |bug| TwoSided { bug, numerator, denominator }, &sample::Laplace::new(&scale), &pmf);
}

fn geometric(bug: Bug, numerator: u64, denominator: u64) {
    let scale = positive(&format!("{numerator}/{denominator}"));
    let shipped = sample::Geometric::new(&scale);
    caught(bug, WRONG, |bug| Magnitude { bug, numerator, denominator }, &shipped, &GeometricPmf(scale));
}

fn uniform(bug: Bug, bound: u64) {
    let shipped = sample::Uniform::new(bound.into()).unwrap();
    caught(bug, WRONG, |bug| Below { bug, bound }, &shipped, &UniformPmf(bound));
}

fn bernoulli_exp(bug: Bug, numerator: u64, denominator: u64) {
    let x = non_negative(&format!("{numerator}/{denominator}"));
    let shipped = sample::BernoulliExp::new(&x);
    caught(bug, WRONG, |bug| CoinExp { bug, numerator, denominator }, &shipped, &CoinPmf::exp(&x));
}

#[test]
fn sign_bias() {
    // 1/64 of each side: below the 0.23 that tapes of 18 bits leave unresolved.
    laplace(Bug::SignBias, Caught { flat: false, ..WRONG }, 1, 1);
}

#[test]
fn negative_zero() {
    laplace(Bug::NegativeZero, WRONG, 1, 1);
}

#[test]
fn uniform_accepts_its_bound() {
    uniform(Bug::AcceptsTheBound, 5);
}

#[test]
fn uniform_below_one_less() {
    uniform(Bug::BelowOneLess, 5);
}

#[test]
fn modulo_bias() {
    uniform(Bug::ModuloBias, 5);
}

#[test]
fn truncated_series() {
    bernoulli_exp(Bug::TruncatedSeries, 1, 3);
}

#[test]
fn wrong_parity() {
    bernoulli_exp(Bug::WrongParity, 1, 3);
}

fn a_tie_is_false(bits: u32, expected: Caught) {
    let (numerator, denominator) = (1, 3);
    let p = probability("1/3");
    let pmf = CoinPmf::of(&p);
    let make = |bug| Coin { bug, numerator, denominator };
    caught(Bug::TieIsFalse(bits), expected, make, &sample::Bernoulli::new(p), &pmf);
}

#[test]
fn a_tie_after_four_bits_is_false() {
    a_tie_is_false(4, WRONG);
}

/// A bias of 2^-8/3, three standard deviations of 10^6 samples, is below what chi-square can tell at this
/// level. The certificates need no luck, at 16 bits of 2^-16/3 as at 8.
#[test]
fn a_tie_after_more_bits_is_false() {
    a_tie_is_false(8, Caught { chi_square: false, ..WRONG });
    a_tie_is_false(16, Caught { chi_square: false, ..WRONG });
}

#[test]
fn floor_of_scale() {
    geometric(Bug::FloorOfScale, 5, 2);
}

#[test]
fn counts_by_e() {
    geometric(Bug::CountsByE, 5, 2);
}

#[test]
fn sigma_for_variance() {
    let pmf = GaussianPmf::new(&positive("4"), PRECISION).unwrap();
    let shipped = sample::Gaussian::new(&positive("2"));
    caught(Bug::SigmaForVariance, WRONG, |bug| Bell { bug, sigma: 2 }, &shipped, &pmf);
}

#[test]
fn swapped() {
    laplace(Bug::Swapped, WRONG, 5, 2);
}

/// The structural interpreter is blind to a hidden cell; the flat one is not, and the two do not agree.
#[test]
fn hidden_state() {
    let mutant = Remembers(std::sync::Arc::default());
    let caught = detect(&mutant, &UniformPmf(3));
    assert_eq!(caught, Caught { chi_square: true, structural: false, flat: true, tie: true });
    assert_eq!(detect(&Below { bug: Bug::None, bound: 3 }, &UniformPmf(3)), CLEAN);
}
