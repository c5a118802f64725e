//! The stated errors beside the errors of the shipped programs, enumerated.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use certus::{
    exact::{Enclosure, Integer, NonNegative, Positive, Probability, Rational, Real},
    guarantee::{L1, L2Squared, Relation, Sensitivity},
    mechanism::{
        Accuracy, AccuracyError, Private,
        additive::{
            BoundedLaplace, Clamped, GaussianMechanism, Grid, LaplaceMechanism, OnGrid, Rounding, StaircaseMechanism,
            TruncatedGaussian, TruncatedLaplace,
        },
    },
    sample::Program,
};
use certus_audit::certify::{Masses, structural};

fn rational(n: i64, d: i64) -> Rational {
    Rational::new(n.into(), d.into())
}

fn probability(n: i64, d: i64) -> Probability {
    Probability::new(rational(n, d)).unwrap()
}

fn l1(n: i64) -> Sensitivity<L1> {
    Sensitivity::new(NonNegative::new(rational(n, 1)).unwrap(), Relation::ChangeOne)
}

fn l2(n: i64) -> Sensitivity<L2Squared> {
    Sensitivity::new(NonNegative::new(rational(n, 1)).unwrap(), Relation::ChangeOne)
}

fn enumerate<M: Private<Input = Integer, Release: Program<Output = Integer>>>(
    mechanism: &M,
    x: i64,
) -> Masses<Integer> {
    structural(&mechanism.on(&Integer::from(x)).unwrap(), 60, &mut |_| {}).unwrap()
}

/// Σ f(|y − x|)·P(y), from below.
fn expectation(masses: &Masses<Integer>, x: i64, f: impl Fn(u64) -> Rational) -> Rational {
    let unit = Rational::from_integer(BigUint::from(1u32).into())
        / Rational::from_integer((BigUint::from(1u32) << masses.precision()).into());
    masses
        .lower()
        .iter()
        .map(|(y, mass)| f(y.to_i64().unwrap().abs_diff(x)) * Rational::from_integer(mass.clone().into()) * &unit)
        .sum()
}

/// P(|y − x| ≥ α), enclosed by the enumeration.
fn enumerated_tail(masses: &Masses<Integer>, x: i64, alpha: u64) -> Enclosure {
    let lower = expectation(masses, x, |error| rational(i64::from(error >= alpha), 1));
    let total = expectation(masses, x, |_| rational(1, 1));
    Enclosure::from_bounds(&lower, &(&lower + rational(1, 1) - total), 100).unwrap()
}

fn agrees<M>(mechanism: &M)
where
    M: Accuracy + Private<Input = Integer, Release: Program<Output = Integer>>,
{
    let masses = enumerate(mechanism, 0);
    let tails = mechanism.tails(70).unwrap();
    for alpha in 0..20_u64 {
        let (stated, found) = (tails(&alpha.into()).unwrap(), enumerated_tail(&masses, 0, alpha));
        assert!(stated.intersects(&found), "{alpha}: {stated} {found}");
        assert!(stated.width() <= rational(1, 1 << 60), "{alpha}");
    }
    // What is unresolved (2^-60) is at errors of at most a few hundred.
    let close = |stated: Enclosure, found: Rational| {
        assert!(stated.upper() >= found && stated.lower() <= &found + rational(1, 1 << 40), "{stated} {found}");
        assert!(stated.width() <= rational(1, 1 << 50));
    };
    let power = |power: i32| expectation(&masses, 0, |error| Rational::from_integer(error.into()).pow(power));
    close(mechanism.mean_absolute_error(60).unwrap(), power(1));
    close(mechanism.mean_squared_error(60).unwrap(), power(2));
}

#[test]
fn the_stated_errors_are_the_programs() {
    for (n, d) in [(1, 3), (1, 1), (7, 2)] {
        agrees(&LaplaceMechanism::with_scale(&l1(1), &rational(n, d)).unwrap());
        agrees(&GaussianMechanism::with_variance(&l2(1), &rational(n, d)).unwrap());
        for bound in [0, 1, 4, 15] {
            agrees(&TruncatedLaplace::new(&l1(0), &rational(n, d), bound.into()).unwrap());
            agrees(&TruncatedGaussian::new(&l2(0), &rational(n, d), bound, &rational(1, 1)).unwrap());
        }
        for (delta, step) in [(1, 1u32), (3, 1), (3, 2), (3, 3), (5, 2)] {
            agrees(&StaircaseMechanism::new(&l1(delta), &rational(n, d), step.into()).unwrap());
        }
    }
}

/// The worst over all answers is what is stated, and some answer attains it.
#[test]
fn bounded_errors_are_the_worst_over_all_answers() {
    for (scale, width) in [(1, 6), (3, 6), (2, 7), (5, 1), (1, 0)] {
        let mechanism = BoundedLaplace::new(&l1(1), &rational(scale, 1), 0.into(), width.into()).unwrap();
        let masses: Vec<_> = (0..=width).map(|x| (x, enumerate(&mechanism, x))).collect();
        let tails = mechanism.tails(70).unwrap();
        for alpha in 0..=u64::try_from(width + 2).unwrap() {
            let stated = tails(&alpha.into()).unwrap();
            let found: Vec<_> = masses.iter().map(|(x, masses)| enumerated_tail(masses, *x, alpha)).collect();
            assert!(found.iter().all(|found| found.lower() <= stated.upper()), "{scale} {width} {alpha}");
            assert!(found.iter().any(|found| found.intersects(&stated)), "{scale} {width} {alpha}");
        }
    }
}

/// Both sides of every bound, against a plain search.
#[test]
fn the_bound_is_the_smallest() {
    for (n, d) in [(1, 2), (3, 1), (40, 1)] {
        let laplace = LaplaceMechanism::with_scale(&l1(1), &rational(n, d)).unwrap();
        let gaussian = GaussianMechanism::with_sigma(&l2(1), &rational(n, d)).unwrap();
        for beta in [probability(1, 2), probability(1, 20), probability(1, 1_000_000_000)] {
            both_sides(&laplace, &beta);
            both_sides(&gaussian, &beta);
            both_sides(&laplace.clone().vector(1000).unwrap(), &beta);
            both_sides(&gaussian.clone().vector(7).unwrap(), &beta);
        }
        assert_eq!(laplace.error_bound(&probability(1, 1)).unwrap().alpha(), &BigUint::ZERO);
        assert_eq!(laplace.error_bound(&probability(0, 1)), Err(AccuracyError::Beta));
    }
    // Bounded noise never errs by more than its bound.
    let truncated = TruncatedLaplace::new(&l1(1), &rational(5, 1), 9u32.into()).unwrap();
    assert_eq!(truncated.error_bound(&probability(1, 1 << 60)).unwrap().alpha(), &10u32.into());
}

fn both_sides<A: Accuracy>(law: &A, beta: &Probability) {
    let exact = law.error_bound(beta).unwrap();
    let tails = law.tails(300).unwrap();
    // 1 − (1 − t)^k on rationals, for the k of the test.
    let k = i32::try_from(law.coordinates()).unwrap();
    let joint = |alpha: &BigUint| {
        let t = tails(alpha).unwrap().at_precision(200);
        rational(1, 1) - (rational(1, 1) - t.upper()).pow(k)
    };
    assert!(joint(exact.alpha()) <= *beta.get());
    assert!(joint(&(exact.alpha() - 1u32)) > *beta.get());
    assert!(exact.tail().upper() <= *beta.get() && exact.before().unwrap().lower() > *beta.get());
    let union = law.union_bound(beta).unwrap();
    assert!(union.alpha() >= exact.alpha());
    assert!(union.alpha() <= &(exact.alpha() + law.coordinates().min(100)));
}

/// The lemma of the seeds, P(max |Xᵢ| ≥ s·ln(k/β)) ≤ β, is for continuous noise. The discrete tail is 2/(1 +
/// q) times as large, so the threshold is s·ln(2k/((1 + q)β)), rounded up: the union bound, exactly. Without
/// the factor it can fail.
#[test]
fn the_seeds_lemma() {
    for (scale, k, beta) in [(4, 10, probability(1, 20)), (61, 3, probability(1, 100)), (2, 1000, probability(1, 7))] {
        let mechanism = LaplaceMechanism::with_scale(&l1(1), &rational(scale, 1)).unwrap().vector(k).unwrap();
        let q = Real::ratio(-1, scale).exp();
        let share = &Real::from(Rational::from_integer((2 * k).into()) / beta.get()) / &(&Real::from(1) + &q);
        let threshold = (&Real::from(scale) * &share.ln()).enclose(60).unwrap();
        let alpha = threshold.upper().ceil().to_integer();
        assert_eq!(threshold.lower().ceil().to_integer(), alpha);
        assert_eq!(mechanism.union_bound(&beta).unwrap().alpha(), alpha.magnitude());
        // Close to the continuous one: at most ln 2 scales more.
        let continuous =
            (&Real::from(scale) * &Real::from(Rational::from_integer(k.into()) / beta.get()).ln()).enclose(60).unwrap();
        assert!(continuous.lower() <= threshold.upper());
    }
    // s = 1, k = 1, β = 0.0498 > e^-3: ⌈ln(1/β)⌉ = 3, but P(|X| ≥ 3) = 0.0728.
    let beta = probability(498, 10_000);
    let mechanism = LaplaceMechanism::with_scale(&l1(1), &rational(1, 1)).unwrap();
    let continuous = Real::from(beta.get().recip()).ln().enclose(60).unwrap();
    assert_eq!(continuous.upper().ceil().to_integer().to_u64(), Some(3));
    assert_eq!(mechanism.error_bound(&beta).unwrap().alpha(), &4u32.into());
}

/// On a grid, over many answers: no more often than β beyond the bound; clamped, no more often either.
#[test]
fn grids_and_clamps_keep_the_bound() {
    let beta = probability(1, 10);
    for rounding in [Rounding::Nearest, Rounding::Down, Rounding::Up] {
        let grid = Grid::new(&rational(1, 4), rounding).unwrap();
        let noise = LaplaceMechanism::with_scale(&l1(1), &rational(3, 2)).unwrap();
        let mechanism = OnGrid::new(grid, noise);
        let bound = mechanism.error_bound(&beta).unwrap();
        for n in -7..=7 {
            let answer = rational(n, 10);
            let masses = structural(&mechanism.on(&answer).unwrap(), 40, &mut |_| {}).unwrap();
            let unit = Rational::from_integer((BigUint::from(1u32) << masses.precision()).into());
            let far = |output: &Rational| output - &answer >= bound || &answer - output >= bound;
            let beyond: BigUint = masses.lower().iter().filter(|(output, _)| far(output)).map(|(_, mass)| mass).sum();
            assert!(Rational::from_integer(beyond.into()) / unit <= *beta.get());
        }
    }
    let noise = LaplaceMechanism::with_scale(&l1(1), &rational(5, 1)).unwrap();
    let exact = noise.error_bound(&beta).unwrap();
    let wide = Clamped::new(noise.clone(), 0.into(), 1000.into()).unwrap();
    assert_eq!(wide.error_bound(&beta).unwrap(), Integer::from(exact.alpha().clone()));
    let narrow = Clamped::new(noise, 0.into(), 4.into()).unwrap();
    assert_eq!(narrow.error_bound(&beta).unwrap(), Integer::from(5));
}

#[test]
fn scales_for_an_accuracy() {
    let step = Positive::new(rational(1, 10)).unwrap();
    for (alpha, beta, k) in [(5u32, probability(1, 20), 1), (30, probability(1, 1000), 4), (1, probability(9, 10), 1)] {
        let found = LaplaceMechanism::scale_for(&l1(1), k, &alpha.into(), &beta, &step).unwrap();
        assert!(found.tail().upper() <= *beta.get() && found.next().lower() > *beta.get());
        let at = |scale: &Rational| {
            let mechanism = LaplaceMechanism::with_scale(&l1(1), scale).unwrap().vector(k).unwrap();
            mechanism.error_bound(&beta).unwrap().alpha().clone()
        };
        assert!(at(found.scale().get()) <= alpha.into());
        assert!(at(&(found.scale().get() + step.get())) > alpha.into());
        let found = GaussianMechanism::sigma_for(&l2(1), k, &alpha.into(), &beta, &step).unwrap();
        assert!(found.tail().upper() <= *beta.get() && found.next().lower() > *beta.get());
        assert!((found.scale().get() / step.get()).is_integer());
    }
    let coarse = Positive::new(rational(100, 1)).unwrap();
    let refused = |alpha: u32, beta: Probability, step: &Positive| {
        LaplaceMechanism::scale_for(&l1(1), 1, &alpha.into(), &beta, step).err()
    };
    assert_eq!(refused(5, probability(1, 20), &coarse), Some(AccuracyError::NoScale));
    assert_eq!(refused(0, probability(1, 20), &step), Some(AccuracyError::Alpha));
    assert_eq!(refused(5, probability(0, 1), &step), Some(AccuracyError::Beta));
    assert_eq!(refused(5, probability(1, 1), &step), Some(AccuracyError::Beta));
}
