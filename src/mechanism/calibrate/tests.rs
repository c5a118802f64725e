//! What calibration finds, against scans of whole grids.

use alloc::{collections::BTreeMap, string::ToString as _};

use num_bigint::BigUint;

use super::{trend, *};
use crate::guarantee::{Attained, Domination, Pair};

/// By any account.
fn calibrate(
    epsilon: &NonNegative,
    delta: &Probability,
    step: &Positive,
    trend: &Trend,
    most_checked: u64,
    account: impl FnMut(&Positive, &NonNegative) -> Result<Enclosure, AccountError>,
) -> Result<Calibration, CalibrateError> {
    calibrate_by(&target(epsilon, delta, step, trend, most_checked), account)
}

fn target(epsilon: &NonNegative, delta: &Probability, step: &Positive, trend: &Trend, most_checked: u64) -> Target {
    Target {
        epsilon: epsilon.clone(),
        delta: delta.clone(),
        step: step.clone(),
        trend: trend.clone(),
        most_checked,
        precision: Precision { digits: 6 },
    }
}

/// Where the pairs are not known to be attained, the same scale meets δ, and nothing is said of smaller ones.
#[test]
fn a_bound_excludes_nothing() {
    let target = target(&whole(1), &probability(1, 100), &positive(1, 4), &Trend::Unknown, 100);
    let plan = |sigma: &Positive, by: Attained| {
        let pair = Pair::Gaussian { variance: sigma.square(), shift: 1u32.into() };
        Plan::of(&Domination::by(pair).attained(by), 1)
    };
    let [attained, bound] =
        [Attained::ByAnswers, Attained::Unknown].map(|by| super::calibrate(&target, |sigma| plan(sigma, by)).unwrap());
    assert_eq!((attained.excluded, bound.excluded), (Excluded::Every, Excluded::Nothing));
    assert_eq!(attained.scale, bound.scale);
}

fn rational(n: i64, d: i64) -> Rational {
    Rational::new(n.into(), d.into())
}

fn positive(n: i64, d: i64) -> Positive {
    Positive::new(rational(n, d)).unwrap()
}

fn whole(n: i64) -> NonNegative {
    NonNegative::new(rational(n, 1)).unwrap()
}

fn probability(n: i64, d: i64) -> Probability {
    Probability::new(rational(n, d)).unwrap()
}

fn gaussian(sigma: &Positive, epsilon: &NonNegative) -> Result<Enclosure, AccountError> {
    let pair = Pair::Gaussian { variance: sigma.square(), shift: 1u32.into() };
    let plan = Plan::of(&Domination::by(pair), 1);
    account::delta(&plan, epsilon, &Precision { digits: 6 }).map(|answer| answer.enclosure)
}

fn laplace(scale: &Positive, epsilon: &NonNegative) -> Result<Enclosure, AccountError> {
    let pair = Pair::Laplace { scale: scale.clone(), shift: 3u32.into() };
    let plan = Plan::of(&Domination::by(pair), 1);
    account::delta(&plan, epsilon, &Precision { digits: 6 }).map(|answer| answer.enclosure)
}

/// At ε = 3, σ = 0.42 gives 0.052 and σ = 0.50 gives 0.101.
#[test]
fn delta_is_not_monotone_in_sigma() {
    let at = |n: i64| gaussian(&positive(n, 100), &whole(3)).unwrap();
    assert!(at(42).lower() > rational(52, 1000) && at(42).upper() < rational(53, 1000));
    assert!(at(50).lower() > rational(100, 1000) && at(50).upper() < rational(102, 1000));
}

/// The scan finds a σ below the one that bisection alone stops at; every smaller one is certified to fail.
#[test]
fn smallest_only_where_every_smaller_one_fails() {
    let (epsilon, delta, step) = (whole(3), probability(53, 1000), positive(1, 100));
    let found = calibrate(&epsilon, &delta, &step, &Trend::Unknown, 1000, gaussian).unwrap();
    assert!(found.is_smallest());
    let first = (1..200).find(|n| gaussian(&positive(*n, 100), &epsilon).unwrap().upper() <= *delta.get()).unwrap();
    assert_eq!(found.scale, positive(first, 100));
    assert!(found.delta.upper() <= *delta.get());
    let (below, fails) = found.below.clone().unwrap();
    assert_eq!(below, positive(first - 1, 100));
    assert!(fails.lower() > *delta.get());
    // Without leave to look at them all, nothing is said of all.
    let hasty = calibrate(&epsilon, &delta, &step, &Trend::Unknown, 10, gaussian).unwrap();
    assert_eq!(hasty.excluded, Excluded::Next);
    assert!(!hasty.is_smallest() && hasty.scale >= found.scale);
    assert!(hasty.asked < found.asked);
    // A wrong claim of monotonicity gives another answer, which is not the smallest: the bug that
    // `Trend::Unknown` is there for.
    let wrong = calibrate(&epsilon, &delta, &step, &Trend::Falls, 10, gaussian).unwrap();
    assert!(wrong.scale > found.scale, "{} {}", wrong.scale, found.scale);
}

#[test]
fn laplace_falls_with_the_scale() {
    let (epsilon, delta, step) = (whole(1), probability(1, 10), positive(1, 8));
    let found = calibrate(&epsilon, &delta, &step, &Trend::Falls, 0, laplace).unwrap();
    let scanned = calibrate(&epsilon, &delta, &step, &Trend::Unknown, 1000, laplace).unwrap();
    assert!(found.is_smallest() && scanned.is_smallest());
    assert_eq!(found.scale, scanned.scale);
    let falling: alloc::vec::Vec<_> = (4..40).map(|n| laplace(&positive(n, 8), &epsilon).unwrap()).collect();
    assert!(falling.windows(2).all(|pair| pair[1].lower() <= pair[0].upper()));
}

#[test]
fn the_classical_sigma() {
    // For ε = 1 and δ = 10^-5 it is 4.8448; the exact answer saves about a fifth.
    let (epsilon, delta) = (positive(1, 1), probability(1, 100_000));
    let classical = Classical::new(&positive(1, 1), &epsilon, &delta);
    let found = calibrate(&epsilon.clone().into(), &delta, &positive(1, 20), &Trend::Unknown, 100, gaussian).unwrap();
    assert!(found.is_smallest());
    let saved = classical.saved(&found.scale).enclose(20).unwrap();
    assert!(saved.lower() > rational(1, 5) && saved.upper() < rational(1, 4), "{saved} {}", found.scale);
    // Far above ε = 1 it fails: at ε = 40 and δ = 1/10 the classical σ is 0.056, and δ is all but 1.
    let (epsilon, delta) = (positive(40, 1), probability(1, 10));
    let classical = Classical::new(&positive(1, 1), &epsilon, &delta);
    assert!(!classical.holds);
    let sigma = Positive::new(classical.sigma.enclose(40).unwrap().upper()).unwrap();
    assert!(gaussian(&sigma, &epsilon.into()).unwrap().lower() > *delta.get());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = calibrate(&whole(1), &probability(1, 1), &positive(1, 1), &Trend::Unknown, 10, gaussian);
    assert_eq!(refused, Err(CalibrateError::Delta));
    let failing = |_: &Positive, _: &NonNegative| Err::<Enclosure, _>(AccountError::OutOfReach);
    let refused = calibrate(&whole(1), &probability(1, 2), &positive(1, 1), &Trend::Unknown, 10, failing);
    assert_eq!(refused, Err(CalibrateError::Account(AccountError::OutOfReach)));
    let never = |_: &Positive, _: &NonNegative| Ok::<_, AccountError>(Enclosure::from_integer(1, 0));
    let refused = calibrate(&whole(1), &probability(1, 2), &positive(1, 1), &Trend::Unknown, 10, never);
    assert_eq!(refused, Err(CalibrateError::NoScale));
    // Undecided is not certified, and says so.
    let vague = |scale: &Positive, _: &NonNegative| {
        let zero = Enclosure::from_integer(0, 0);
        let one = Enclosure::from_integer(1, 0);
        Ok::<_, AccountError>(if *scale.get() < rational(5, 1) { zero.hull(&one) } else { zero })
    };
    let found = calibrate(&whole(1), &probability(1, 2), &positive(1, 1), &Trend::Unknown, 10, vague).unwrap();
    assert_eq!((found.scale, found.excluded), (positive(5, 1), Excluded::Nothing));
}

fn gaussian_trend(sensitivity: u32) -> Trend {
    Trend::Gaussian { sensitivity: sensitivity.into() }
}

fn shifted(sensitivity: u32) -> impl Fn(&Positive, &NonNegative) -> Result<Enclosure, AccountError> {
    move |sigma, epsilon| {
        let pair = Pair::Gaussian { variance: sigma.square(), shift: sensitivity.into() };
        let plan = Plan::of(&Domination::by(pair), 1);
        account::delta(&plan, epsilon, &Precision { digits: 6 }).map(|answer| answer.enclosure)
    }
}

/// What sums and tails exclude, looking at each σ excludes too: the answers are the same, the dip at σ = 0.42
/// among them.
#[test]
fn sums_and_tails_exclude_what_a_scan_excludes() {
    for (sensitivity, epsilon, delta, step) in [
        (1, rational(3, 1), rational(53, 1000), rational(1, 100)),
        (1, rational(1, 1), rational(1, 100), rational(1, 50)),
        (1, rational(1, 10), rational(1, 100), rational(1, 5)),
        (3, rational(2, 1), rational(1, 1000), rational(1, 10)),
        (2, rational(5, 1), rational(1, 10), rational(1, 50)),
    ] {
        let (epsilon, delta) = (NonNegative::new(epsilon).unwrap(), Probability::new(delta).unwrap());
        let step = Positive::new(step).unwrap();
        let scanned = calibrate(&epsilon, &delta, &step, &Trend::Unknown, 1000, shifted(sensitivity)).unwrap();
        let found =
            calibrate(&epsilon, &delta, &step, &gaussian_trend(sensitivity), 1000, shifted(sensitivity)).unwrap();
        assert!(scanned.is_smallest() && found.is_smallest(), "{epsilon}: {found:?}");
        assert_eq!((&found.scale, &found.below), (&scanned.scale, &scanned.below));
        assert!(found.asked < scanned.asked, "{epsilon}: {} {}", found.asked, scanned.asked);
    }
}

/// A grid far too fine to look at each σ, and σ far too large to list: "smallest" all the same.
#[test]
fn wide_noise_is_the_smallest_too() {
    let delta = probability(1, 1_000_000);
    for (epsilon, step) in [(rational(1, 1000), rational(1, 1)), (rational(1, 1_000_000_000), rational(1_000_000, 1))] {
        let epsilon = NonNegative::new(epsilon).unwrap();
        let found =
            calibrate(&epsilon, &delta, &Positive::new(step).unwrap(), &gaussian_trend(1), 200, gaussian).unwrap();
        assert!(found.is_smallest() && found.asked < 100, "{epsilon}: {found:?}");
    }
}

/// No interval that tails exclude holds a σ that meets δ; and the bounds are not idle.
#[test]
fn tails_exclude_no_sigma_that_meets() {
    let mut excluded = 0;
    for (sensitivity, epsilon, delta) in [(1, 3, rational(6, 100)), (1, 1, rational(1, 10)), (4, 2, rational(1, 1000))]
    {
        let (epsilon, sensitivity) = (whole(epsilon), BigUint::from(u32::try_from(sensitivity).unwrap()));
        let wanted = Wanted { epsilon: &epsilon, delta: &delta, sensitivity: &sensitivity };
        let account = shifted(sensitivity.to_string().parse().unwrap());
        // Intervals overlap: each σ is accounted for once.
        let mut fails = BTreeMap::new();
        for from in (10..150).step_by(7) {
            for width in [0, 1, 3, 9] {
                if wanted.none_between(&positive(from, 100), &positive(from + width, 100)) {
                    excluded += 1;
                    for n in from..=from + width {
                        let fails = fails
                            .entry(n)
                            .or_insert_with(|| account(&positive(n, 100), &epsilon).unwrap().lower() > delta);
                        assert!(*fails, "{from} {width} {n}");
                    }
                }
            }
        }
    }
    assert!(excluded > 50, "{excluded}");
}

/// P(X + Y = k)/P(Z = k) is within the factor that sums allow, at variances just inside; and the constant is
/// above what Poisson summation leaves.
#[test]
fn sums_of_gaussian_noise_are_gaussian_noise() {
    use crate::exact::{GaussianPmf, Integer, Pmf, exp_neg};
    // v = 2·2/4 = 1.
    let (_, factor) = trend::to_spare(&whole(1)).unwrap();
    assert!(trend::extends(10, 14, &positive(1, 7)) == (rational(100 * 96, 196 * 49) >= rational(1, 1)));
    let part = GaussianPmf::new(&positive(2, 1), 100).unwrap();
    let whole = GaussianPmf::new(&positive(4, 1), 100).unwrap();
    for k in -8..=8_i64 {
        let sum: Enclosure = (-40..=40_i64)
            .map(|x| part.probability(&Integer::from(x)).mul(&part.probability(&Integer::from(k - x))))
            .sum();
        let ratio = sum.div(&whole.probability(&Integer::from(k))).unwrap();
        assert!(ratio.upper() < factor && ratio.lower() > factor.recip(), "{k}: {ratio}");
        // Not by chance: a tenth of it would not do.
        if k == 0 {
            let tenth = Rational::one() + (&factor - Rational::one()) / rational(10, 1);
            assert!(ratio.upper() > tenth || ratio.lower() < tenth.recip(), "{ratio}");
        }
    }
    // 2π² > 19.739.
    let q = exp_neg(&NonNegative::new(rational(19_739, 1000)).unwrap(), 80).upper();
    let eta = rational(2, 1) * &q / (Rational::one() - q);
    assert!(eta < rational(6, 1_000_000_000));
}
