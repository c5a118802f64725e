//! Every mechanism of the family on every pair of neighbours of a small domain, enumerated: what it states is
//! never exceeded, and is attained where it claims to be. Mutants of each fail the same check.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]

use core::ops::ControlFlow;
use std::collections::BTreeMap;

use certus::mechanism::additive::*;
use certus::{
    account::{self, Plan, Precision},
    exact::{Enclosure, Integer, NonNegative, Rational},
    guarantee::{Domination, Guarantee, L1, L2Squared, Pair, Privacy, Relation, Sensitivity},
    mechanism::Private,
    sample::{Gaussian, Interpreter, Laplace, Program, Step},
};
use certus_audit::certify::{Masses, hockey_stick, structural};

mod mutants;

const CHANGE: Relation = Relation::ChangeOne;

fn rational(n: i64, d: i64) -> Rational {
    Rational::new(n.into(), d.into())
}

fn epsilon(n: i64, d: i64) -> NonNegative {
    NonNegative::new(rational(n, d)).unwrap()
}

fn l1(n: i64) -> Sensitivity<L1> {
    Sensitivity::new(epsilon(n, 1), CHANGE)
}

fn l2(n: i64) -> Sensitivity<L2Squared> {
    Sensitivity::new(epsilon(n, 1), CHANGE)
}

/// δ(ε) that the pairs state: the largest.
fn stated(domination: &Domination, epsilon: &NonNegative) -> Enclosure {
    let pairs = domination.forward().iter().chain(domination.backward());
    largest(pairs.map(|pair: &Pair| vec![(Domination::by(pair.clone()), 1)]), epsilon)
}

/// The largest δ(ε) of several products of pairs.
fn largest(products: impl Iterator<Item = Vec<(Domination, u64)>>, epsilon: &NonNegative) -> Enclosure {
    let answers = products.map(|product| {
        let plan = product.iter().try_fold(Plan::new(), |plan, (domination, copies)| plan.with(domination, *copies));
        let plan = plan.unwrap();
        account::delta(&plan, epsilon, &Precision { digits: 3 }).unwrap()
    });
    answers.reduce(|a, b| a.max(&b)).unwrap().enclosure
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Some neighbours' certified lower δ is above the stated one.
    Exceeded,
    /// Never above, and some neighbours reach what is stated, but for the slack.
    Tight,
    /// Never above; never reached at some ε either.
    Loose,
}

/// The slack of an enumeration to depth 30: (1 + e^ε)·2^-30 with ε ≤ 3.
fn slack() -> Rational {
    rational(22, 1 << 30)
}

/// All neighbours of a domain, at each ε.
fn check<X, P: Program>(
    domain: &[X],
    are_neighbours: impl Fn(&X, &X) -> bool,
    release: impl Fn(&X) -> P,
    stated: &dyn Fn(&NonNegative) -> Enclosure,
    epsilons: &[NonNegative],
) -> Verdict {
    let masses: Vec<Masses<P::Output>> =
        domain.iter().map(|x| structural(&release(x), 30, &mut |_| {}).unwrap()).collect();
    let mut verdict = Verdict::Tight;
    for epsilon in epsilons {
        let claim = stated(epsilon);
        let mut reached = Rational::from_integer(0.into());
        for (x, p) in domain.iter().zip(&masses) {
            for (_, q) in domain.iter().zip(&masses).filter(|(y, _)| are_neighbours(x, y)) {
                let found = hockey_stick(p, q, epsilon).unwrap();
                if found.lower() > claim.upper() {
                    return Verdict::Exceeded;
                }
                assert!(found.upper() <= claim.upper() + slack());
                reached = reached.max(found.upper());
            }
        }
        if reached < claim.lower() {
            verdict = Verdict::Loose;
        }
    }
    verdict
}

fn check_scalar<M: Private<Input = Integer>>(
    mechanism: &M,
    domain: core::ops::RangeInclusive<i64>,
    distance: i64,
) -> Verdict {
    let inputs: Vec<i64> = domain.collect();
    let epsilons = [epsilon(0, 1), epsilon(1, 3), epsilon(1, 1), epsilon(5, 2)];
    check(
        &inputs,
        |x, y| (x - y).abs() <= distance,
        |x| mechanism.on(&Integer::from(*x)).unwrap(),
        &|epsilon| stated(&mechanism.domination(), epsilon),
        &epsilons,
    )
}

/// The ε and δ that the guarantee states hold between all neighbours, enumerated.
fn check_guarantee<M: Private<Input = Integer>>(mechanism: &M, domain: core::ops::RangeInclusive<i64>, distance: i64) {
    let guarantee = mechanism.guarantee();
    let (stated, delta) = match guarantee.privacy() {
        Privacy::Pure { epsilon } => (epsilon.clone(), certus::exact::Real::from(0)),
        Privacy::Approximate { epsilon, delta } => (epsilon.clone(), delta.clone()),
        other => panic!("{other:?}"),
    };
    // An irrational ε a little more, and for the refutation less.
    let above = NonNegative::new(stated.at_most(40).unwrap()).unwrap();
    let below = NonNegative::new(above.get() * rational(99, 100)).unwrap();
    let delta = delta.enclose(60).unwrap();
    let masses: Vec<_> =
        domain.map(|x| (x, structural(&mechanism.on(&Integer::from(x)).unwrap(), 30, &mut |_| {}).unwrap())).collect();
    let (mut most, mut most_below) = (rational(0, 1), rational(0, 1));
    for (x, p) in &masses {
        for (_, q) in masses.iter().filter(|(y, _)| (x - y).abs() <= distance) {
            let found = hockey_stick(p, q, &above).unwrap();
            assert!(found.lower() <= delta.upper(), "{found} > {delta}");
            most = most.max(found.upper());
            most_below = most_below.max(hockey_stick(p, q, &below).unwrap().lower());
        }
    }
    assert!(most >= delta.lower() && most <= delta.upper() + slack(), "δ is not attained: {most} for {delta}");
    assert!(most_below > delta.upper(), "a smaller ε would do");
}

#[test]
fn laplace() {
    for (n, d) in [(3, 2), (1, 1), (5, 1)] {
        for sensitivity in 1..=3 {
            let mechanism = LaplaceMechanism::with_scale(&l1(sensitivity), &rational(n, d)).unwrap();
            assert_eq!(check_scalar(&mechanism, -1..=3, sensitivity), Verdict::Tight);
            check_guarantee(&mechanism, -1..=3, sensitivity);
        }
    }
}

#[test]
fn gaussian() {
    for (n, d) in [(2, 1), (1, 2)] {
        for sensitivity in 1..=3 {
            let mechanism = GaussianMechanism::with_variance(&l2(sensitivity * sensitivity), &rational(n, d)).unwrap();
            assert_eq!(check_scalar(&mechanism, -1..=3, sensitivity), Verdict::Tight);
        }
    }
}

#[test]
fn truncated_laplace() {
    // Also shifts beyond b + 1, and supports that meet in one point.
    for (scale, bound, sensitivity) in [(2, 4u32, 2), (1, 2, 4), (1, 2, 3), (3, 3, 4), (2, 0, 0)] {
        let mechanism = TruncatedLaplace::new(&l1(sensitivity), &rational(scale, 1), BigUint::from(bound)).unwrap();
        assert_eq!(check_scalar(&mechanism, 0..=4, sensitivity), Verdict::Tight, "{scale} {bound} {sensitivity}");
        if sensitivity <= i64::from(bound) && sensitivity > 0 {
            check_guarantee(&mechanism, 0..=4, sensitivity);
        }
    }
}

#[test]
fn truncated_gaussian() {
    for (variance, bound, sensitivity) in [(2, 4, 2), (9, 3, 1), (1, 2, 4)] {
        let of = |e: &NonNegative| {
            let square = l2(sensitivity * sensitivity);
            TruncatedGaussian::new(&square, &rational(variance, 1), bound, e.get())
        };
        let mechanism = of(&epsilon(1, 1)).unwrap();
        assert_eq!(check_scalar(&mechanism, 0..=4, sensitivity), Verdict::Tight);
        // The closed form is the pair's profile, at every ε.
        for e in [epsilon(0, 1), epsilon(1, 3), epsilon(1, 1), epsilon(3, 1), epsilon(20, 1)] {
            let closed = of(&e).unwrap().delta(60).unwrap();
            assert!(closed.intersects(&stated(&mechanism.domination(), &e)), "{closed}");
        }
    }
}

use num_bigint::BigUint;

/// Beyond what is listed, the (ε, δ) pair bounds the truncated one.
#[test]
fn a_wide_truncation_is_bounded() {
    let listed = TruncatedLaplace::new(&l1(2), &rational(300, 1), 4096u32.into()).unwrap();
    let wide = TruncatedLaplace::new(&l1(2), &rational(300, 1), 4097u32.into()).unwrap();
    let outcomes = |mechanism: &TruncatedLaplace| match mechanism.domination().forward() {
        [Pair::Finite(pair)] => pair.outcomes().len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((outcomes(&wide), outcomes(&listed)), (6, 2 * 4096 + 1 + 2));
    // At the stated ε it gives the stated δ.
    let found = stated(&wide.domination(), &epsilon(2, 300));
    assert!(found.intersects(&wide.delta().enclose(100).unwrap()));
}

#[test]
fn bounded() {
    // Both proposals: n + 1 > 2s and below.
    for (scale, width, sensitivity) in [(1, 5, 2), (4, 5, 1), (4, 5, 2), (1, 4, 4), (3, 4, 9)] {
        let mechanism = BoundedLaplace::new(&l1(sensitivity), &rational(scale, 1), 0.into(), width.into()).unwrap();
        assert_eq!(check_scalar(&mechanism, 0..=width, sensitivity), Verdict::Tight, "{scale} {width} {sensitivity}");
        check_guarantee(&mechanism, 0..=width, sensitivity);
    }
    // A wide one is dominated by the response of the same ε.
    let wide = BoundedLaplace::new(&l1(2), &rational(4, 1), 0.into(), 200.into()).unwrap();
    let e = NonNegative::new(wide.epsilon().at_most(100).unwrap()).unwrap();
    assert_eq!(stated(&wide.domination(), &e).lower(), rational(0, 1));
    let less = NonNegative::new(e.get() * rational(99, 100)).unwrap();
    assert!(stated(&wide.domination(), &less).lower() > rational(0, 1));
}

#[test]
fn staircase() {
    for sensitivity in 1..=4_i64 {
        for step in 1..=sensitivity {
            let r = BigUint::from(step.unsigned_abs());
            let mechanism = StaircaseMechanism::new(&l1(sensitivity), &rational(1, 1), r).unwrap();
            assert_eq!(check_scalar(&mechanism, 0..=4, sensitivity), Verdict::Tight, "{sensitivity} {step}");
            check_guarantee(&mechanism, 0..=4, sensitivity);
        }
    }
}

#[test]
fn clamped() {
    let noisy = LaplaceMechanism::with_scale(&l1(2), &rational(2, 1)).unwrap();
    let mechanism = Clamped::new(noisy, Integer::from(-1), Integer::from(4)).unwrap();
    // Two answers in the interval whose midpoint is: the atoms at the ends still tell the largest ratio.
    assert_eq!(check_scalar(&mechanism, 0..=3, 2), Verdict::Tight);
    check_guarantee(&mechanism, 0..=3, 2);
    for (x, y) in [(5, 4), (-9, -1), (3, 3)] {
        let clamped = Clamped::new(
            TruncatedLaplace::new(&l1(0), &rational(1, 1), 0u32.into()).unwrap(),
            Integer::from(-1),
            Integer::from(4),
        );
        let output = clamped.unwrap().release(&Integer::from(x), &mut certus::bits::seeded([1; 32])).unwrap();
        assert_eq!(output.get(), &Integer::from(y));
    }
}

/// Vectors of two coordinates, each from 0 to 2.
fn vectors() -> Vec<Vec<Integer>> {
    (0..=2).flat_map(|a| (0..=2).map(move |b| vec![Integer::from(a), Integer::from(b)])).collect()
}

fn distances(x: &[Integer], y: &[Integer]) -> Vec<i64> {
    x.iter().zip(y).map(|(a, b)| (a.to_i64().unwrap() - b.to_i64().unwrap()).abs()).collect()
}

#[test]
fn laplace_vectors() {
    for sensitivity in 1..=2 {
        let scalar = LaplaceMechanism::with_scale(&l1(sensitivity), &rational(1, 2)).unwrap();
        let mechanism = scalar.vector(2).unwrap();
        let verdict = check(
            &vectors(),
            |x, y| distances(x, y).iter().sum::<i64>() <= sensitivity,
            |x| mechanism.on(x).unwrap(),
            &|e| stated(&mechanism.domination(), e),
            &[epsilon(0, 1), epsilon(1, 1), epsilon(5, 2)],
        );
        assert_eq!(verdict, Verdict::Tight);
    }
}

/// One coordinate is the worst: every partition of Δ₁, at every loss and between.
#[test]
fn one_coordinate_dominates_every_partition() {
    for scale in [rational(1, 2), rational(1, 1), rational(7, 2)] {
        let pair = |shift: u64| {
            let mechanism = LaplaceMechanism::with_scale(&l1(i64::try_from(shift).unwrap()), &scale).unwrap();
            let Pair::Laplace { .. } = mechanism.domination().forward()[0] else { panic!() };
            mechanism
        };
        // The pair's profile from its Δ + 1 losses, by the closed masses: fast, and independent of the
        // account.
        for e in [rational(0, 1), rational(1, 7), rational(1, 1), rational(3, 2)] {
            let e = NonNegative::new(e).unwrap();
            let whole = profile(&[4], &scale, &e);
            for parts in [vec![3, 1], vec![2, 2], vec![2, 1, 1], vec![1, 1, 1, 1], vec![3], vec![1, 1]] {
                assert!(profile(&parts, &scale, &e).lower() <= whole.upper(), "{parts:?}");
            }
            assert!(whole.intersects(&stated(&pair(4).domination(), &e)));
        }
    }
}

/// δ(ε) of Laplace shifts, from the masses of their losses λ(b − 2y).
fn profile(parts: &[i64], scale: &Rational, epsilon: &NonNegative) -> Enclosure {
    let bits = 80;
    let q =
        |k: i64| certus::exact::exp_neg(&NonNegative::new(rational(k, 1) / scale).unwrap(), bits).at_precision(bits);
    let one = Enclosure::from_integer(1, bits);
    let mut losses = BTreeMap::from([(0_i64, one.clone())]);
    for b in parts {
        let mut next: BTreeMap<i64, Enclosure> = BTreeMap::new();
        for (loss, mass) in &losses {
            for y in 0..=*b {
                let numerator = match y {
                    0 => one.clone(),
                    y if y == *b => q(*b),
                    y => q(y).mul(&one.sub(&q(1))),
                };
                let share = numerator.div(&one.add(&q(1))).unwrap().mul(mass);
                let sum = next.entry(loss + b - 2 * y).or_insert_with(|| Enclosure::from_integer(0, bits));
                *sum = sum.add(&share);
            }
        }
        losses = next;
    }
    let excess = |loss: i64| {
        // 1 − e^(ε − loss), where that is positive.
        let above = rational(loss, 1) / scale - epsilon.get();
        let above = NonNegative::new(above).unwrap_or_else(|_| NonNegative::zero());
        one.sub(&certus::exact::exp_neg(&above, bits).at_precision(bits))
    };
    losses.iter().map(|(loss, mass)| mass.mul(&excess(*loss))).sum()
}

#[test]
fn gaussian_vectors() {
    for square in [1, 2, 4] {
        let scalar = GaussianMechanism::with_variance(&l2(square), &rational(1, 2)).unwrap();
        let mechanism = scalar.vector(2).unwrap();
        let variance = mechanism.each().variance().clone();
        let differences = mechanism.differences().unwrap();
        let exact = |e: &NonNegative| largest(differences.iter().map(|difference| difference.gaussian(&variance)), e);
        let epsilons = [epsilon(0, 1), epsilon(1, 1), epsilon(5, 2)];
        let neighbours =
            |x: &Vec<Integer>, y: &Vec<Integer>| distances(x, y).iter().map(|d| d * d).sum::<i64>() <= square;
        let verdict = check(&vectors(), neighbours, |x| mechanism.on(x).unwrap(), &exact, &epsilons);
        assert_eq!(verdict, Verdict::Tight, "{square}");
        // The pair that the trait gives: the same where it says that it is exact, and never less.
        for e in &epsilons {
            let (pair, truth) = (stated(&mechanism.domination(), e), exact(e));
            assert!(truth.lower() <= pair.upper());
            assert_eq!(pair.intersects(&truth), mechanism.is_exact(), "{pair} {truth}");
        }
    }
    // (1, 1, 1, 1) and (2) are as long, and differ.
    let scalar = GaussianMechanism::with_variance(&l2(4), &rational(1, 4)).unwrap();
    let mechanism = scalar.vector(4).unwrap();
    let variance = mechanism.each().variance().clone();
    let at = |e: &NonNegative| -> Vec<Enclosure> {
        let differences = mechanism.differences().unwrap();
        assert_eq!(differences.len(), 2);
        differences.iter().map(|difference| largest([difference.gaussian(&variance)].into_iter(), e)).collect()
    };
    let profiles = at(&epsilon(1, 1));
    assert!(!profiles[0].intersects(&profiles[1]));
}

#[test]
fn zcdp_is_exact() {
    let histogram = Sensitivity::<L2Squared>::of_histogram(CHANGE);
    let mechanism = GaussianMechanism::with_sigma(&histogram, &rational(10, 1)).unwrap();
    let rho = |guarantee: Guarantee| match guarantee.privacy() {
        Privacy::Zcdp { rho } => rho.exact().cloned().unwrap(),
        other => panic!("{other:?}"),
    };
    // One coordinate cannot move by √2; two can.
    assert_eq!(rho(mechanism.guarantee()), rational(1, 200));
    assert_eq!(rho(mechanism.clone().vector(1).unwrap().guarantee()), rational(1, 200));
    assert_eq!(rho(mechanism.vector(2).unwrap().guarantee()), rational(2, 200));
    let by_rho = GaussianMechanism::with_rho(&histogram, &rational(1, 100)).unwrap();
    assert_eq!(by_rho.variance().get(), &rational(100, 1));
}

#[test]
fn the_seeds_numbers() {
    let exact = |guarantee: Guarantee| match guarantee.privacy() {
        Privacy::Pure { epsilon } => epsilon.exact().cloned().unwrap(),
        other => panic!("{other:?}"),
    };
    let sum = Sensitivity::<L1>::of_sum(&rational(-1, 1), &rational(60, 1), CHANGE).unwrap();
    assert_eq!(sum.get(), &rational(61, 1));
    let mechanism = LaplaceMechanism::with_scale(&sum, &rational(61, 2)).unwrap();
    assert_eq!(exact(mechanism.guarantee()), rational(2, 1));
    let histogram = Sensitivity::<L1>::of_histogram(CHANGE);
    assert_eq!(histogram.get(), &rational(2, 1));
    let mechanism = LaplaceMechanism::with_epsilon(&histogram, &rational(1, 2)).unwrap().vector(9).unwrap();
    assert_eq!(mechanism.each().scale().get(), &rational(4, 1));
    // The mean of n values in [−1, 1], on a grid of 1/n: two steps.
    let mean = Sensitivity::<L1>::of_mean(&rational(-1, 1), &rational(1, 1), 40).unwrap();
    assert_eq!(mean.get(), &rational(2, 40));
    let grid = Grid::new(&rational(1, 40), Rounding::Nearest).unwrap();
    assert_eq!(grid.scalar(&mean).get(), &rational(2, 1));
    // (⌈100·s⌉ + Geo(4))/100.
    let grid = Grid::new(&rational(1, 100), Rounding::Up).unwrap();
    let steps = grid.scalar(&l1(1));
    let exercise = OnGrid::new(grid, LaplaceMechanism::with_scale(&steps, &rational(4, 1)).unwrap());
    assert_eq!(exact(exercise.guarantee()), rational(25, 1));
    // A distance of 5/2 between integers is one of 2; below 1, of none.
    let half = Sensitivity::<L1>::new(NonNegative::new(rational(5, 2)).unwrap(), CHANGE);
    assert_eq!(exact(LaplaceMechanism::with_scale(&half, &rational(1, 1)).unwrap().guarantee()), rational(2, 1));
}

const ROUNDINGS: [Rounding; 3] = [Rounding::Nearest, Rounding::Down, Rounding::Up];

/// All answers n/16 with an 8-bit n, all pairs of them, on several grids.
#[test]
fn rounded_distances_never_exceed_the_declared() {
    for (n, d) in [(1, 16), (1, 10), (3, 16), (1, 1), (5, 2), (7, 3)] {
        for rounding in ROUNDINGS {
            let grid = Grid::new(&rational(n, d), rounding).unwrap();
            let rounded: Vec<i64> = (-128..=127).map(|x| grid.round(&rational(x, 16)).to_i64().unwrap()).collect();
            // The largest distance of rounded answers for each distance of answers.
            let mut measured = vec![0_i64; 256];
            for (i, x) in rounded.iter().enumerate() {
                for (j, y) in rounded.iter().enumerate().skip(i) {
                    measured[j - i] = measured[j - i].max((x - y).abs());
                }
            }
            let mut attained = false;
            for (distance, steps) in measured.iter().enumerate() {
                let distance = i64::try_from(distance).unwrap();
                let sensitivity = Sensitivity::<L1>::new(NonNegative::new(rational(distance, 16)).unwrap(), CHANGE);
                let declared = grid.scalar(&sensitivity);
                assert!(rational(*steps, 1) <= *declared.get(), "{grid:?} {distance}");
                attained |= distance > 0 && rational(*steps, 1) == *declared.get();
            }
            assert!(attained, "{grid:?}");
            // Two coordinates.
            for (a, steps_a) in measured.iter().enumerate().step_by(5) {
                for (b, steps_b) in measured.iter().enumerate().step_by(3) {
                    let (a, b) = (i64::try_from(a).unwrap(), i64::try_from(b).unwrap());
                    let of_l1 = Sensitivity::<L1>::new(NonNegative::new(rational(a + b, 16)).unwrap(), CHANGE);
                    assert!(rational(steps_a + steps_b, 1) <= *grid.l1(&of_l1, 2).unwrap().get());
                    let square = NonNegative::new(rational(a * a + b * b, 256)).unwrap();
                    let of_l2 = Sensitivity::<L2Squared>::new(square, CHANGE);
                    let measured = rational(steps_a * steps_a + steps_b * steps_b, 1);
                    assert!(measured <= *grid.l2_squared(&of_l2, 2).unwrap().get());
                }
            }
        }
    }
}

/// The bounds of the issue, Δ₁/g + m and Δ₂/g + √m, are never exceeded by ours, which are integers.
#[test]
fn grid_bounds_in_closed_form() {
    let grid = Grid::new(&rational(2, 7), Rounding::Nearest).unwrap();
    for n in 0..60 {
        for m in 1..6_i64 {
            let delta = rational(n, 5);
            let changed = m.unsigned_abs();
            let l1 = grid.l1(&Sensitivity::new(NonNegative::new(delta.clone()).unwrap(), CHANGE), changed).unwrap();
            assert!(*l1.get() <= &delta / rational(2, 7) + rational(m, 1));
            let l2 = grid.l2_squared(&Sensitivity::new(NonNegative::new(delta.clone()).unwrap(), CHANGE), changed);
            let l2 = l2.unwrap();
            let real = |x: Rational| certus::exact::Real::from(x);
            let root = &real(&delta * rational(49, 4)).sqrt() + &real(rational(m, 1)).sqrt();
            let square = (&root * &root).enclose(60).unwrap();
            assert!(*l2.get() <= square.upper() && l2.get() + rational(1, 1) > square.lower(), "{n} {m}");
        }
    }
    assert_eq!(grid.l1(&l1(1), 0), Err(AdditiveError::Changed));
    assert_eq!(grid.l2_squared(&l2(1), 0), Err(AdditiveError::Changed));
}

/// Answers that are multiples of 1/6, on a grid of 1/2.
#[test]
fn on_a_grid() {
    for rounding in ROUNDINGS {
        for sensitivity in [rational(1, 3), rational(1, 2), rational(5, 6)] {
            let grid = Grid::new(&rational(1, 2), rounding).unwrap();
            let steps = grid.scalar(&Sensitivity::<L1>::new(NonNegative::new(sensitivity.clone()).unwrap(), CHANGE));
            let mechanism = OnGrid::new(grid, LaplaceMechanism::with_scale(&steps, &rational(3, 2)).unwrap());
            let domain: Vec<Rational> = (-6..=6).map(|n| rational(n, 6)).collect();
            let verdict = check(
                &domain,
                |x, y| (x - y) <= sensitivity && (y - x) <= sensitivity,
                |x| mechanism.on(x).unwrap(),
                &|e| stated(&mechanism.domination(), e),
                &[epsilon(0, 1), epsilon(1, 2), epsilon(1, 1), epsilon(2, 1)],
            );
            assert_eq!(verdict, Verdict::Tight);
        }
    }
    // Without noise the output is the rounded answer itself, a multiple of g.
    for (rounding, expected) in [(Rounding::Nearest, 1), (Rounding::Down, 1), (Rounding::Up, 2)] {
        let grid = Grid::new(&rational(1, 4), rounding).unwrap();
        let silent = TruncatedLaplace::new(&l1(0), &rational(1, 1), 0u32.into()).unwrap();
        let output = OnGrid::new(grid, silent).release(&rational(1, 3), &mut certus::bits::seeded([3; 32])).unwrap();
        assert_eq!(output.get(), &rational(expected, 4));
    }
    let grid = Grid::new(&rational(1, 4), Rounding::Nearest).unwrap();
    let steps = grid.l1(&l1(1), 2).unwrap();
    let vector = LaplaceMechanism::with_scale(&steps, &rational(1, 1)).unwrap().vector(2).unwrap();
    let mechanism = OnGridVector::new(grid, vector);
    let output = mechanism.release(&[rational(1, 3), rational(2, 1)], &mut certus::bits::seeded([3; 32])).unwrap();
    assert!(output.get().iter().all(|x| (x * rational(4, 1)).is_integer()));
    assert_eq!(mechanism.on(&[rational(1, 3)]).err(), Some(LengthError { coordinates: 2 }));
}

/// Noise plus value is clamped or widened, never wrapped: all 8-bit values and all 9-bit noise.
#[test]
fn sums_are_widened_or_clamped() {
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Always(i64);
    impl Program for Always {
        type State = ();
        type Output = Integer;
        fn start(&self) {}
        fn step<I: Interpreter>(&self, (): (), _: &mut I) -> Step<Self, I> {
            Ok(ControlFlow::Break(Integer::from(self.0)))
        }
    }
    let mut bits = certus::bits::seeded([0; 32]);
    for value in i8::MIN..=i8::MAX {
        for noise in -256..=256_i64 {
            let sum = Noisy::new(Integer::from(i64::from(value)), Always(noise)).sample(&mut bits).unwrap();
            assert_eq!(sum, Integer::from(i64::from(value) + noise));
            let clamped = sum.max(Integer::from(-128)).min(Integer::from(127));
            let saturated = (i64::from(value) + noise).clamp(-128, 127);
            assert_eq!(clamped.to_i64(), Some(saturated));
            assert!((saturated - i64::from(value)).abs() <= noise.abs());
        }
    }
    // At the edge of the machine word.
    let sum = Noisy::new(Integer::from(i64::MAX), Always(1)).sample(&mut bits).unwrap();
    assert_eq!(sum.to_big(), BigUint::from(1u64 << 63).into());
}

#[test]
fn each_refusal_names_its_predicate() {
    let zero = rational(0, 1);
    assert_eq!(LaplaceMechanism::with_scale(&l1(1), &zero), Err(AdditiveError::Scale));
    assert_eq!(LaplaceMechanism::with_epsilon(&l1(1), &rational(-1, 1)), Err(AdditiveError::Epsilon));
    assert_eq!(LaplaceMechanism::with_epsilon(&l1(0), &rational(1, 1)), Err(AdditiveError::NoSensitivity));
    assert_eq!(GaussianMechanism::with_sigma(&l2(1), &zero), Err(AdditiveError::Sigma));
    assert_eq!(GaussianMechanism::with_variance(&l2(1), &zero), Err(AdditiveError::Variance));
    assert_eq!(GaussianMechanism::with_rho(&l2(1), &zero), Err(AdditiveError::Rho));
    assert_eq!(GaussianMechanism::with_rho(&l2(0), &rational(1, 1)), Err(AdditiveError::NoSensitivity));
    let scalar = LaplaceMechanism::with_scale(&l1(1), &rational(1, 1)).unwrap();
    assert_eq!(scalar.clone().vector(0), Err(AdditiveError::NoCoordinates));
    assert_eq!(Clamped::new(scalar, 1.into(), 0.into()).err(), Some(AdditiveError::Bounds));
    assert_eq!(TruncatedLaplace::new(&l1(5), &rational(1, 1), 2u32.into()), Err(AdditiveError::Disjoint));
    assert_eq!(TruncatedGaussian::new(&l2(25), &rational(1, 1), 2, &zero), Err(AdditiveError::Disjoint));
    assert_eq!(TruncatedGaussian::new(&l2(25), &rational(1, 1), 5000, &zero), Err(AdditiveError::TooWide(4096)));
    assert_eq!(StaircaseMechanism::new(&l1(3), &rational(1, 1), 4u32.into()), Err(AdditiveError::Step));
    assert_eq!(StaircaseMechanism::new(&l1(3), &rational(1, 1), 0u32.into()), Err(AdditiveError::Step));
    assert_eq!(StaircaseMechanism::new(&l1(0), &rational(1, 1), 1u32.into()), Err(AdditiveError::SensitivityBelowOne));
    assert_eq!(BoundedLaplace::new(&l1(1), &rational(1, 1), 1.into(), 0.into()), Err(AdditiveError::Bounds));
    assert_eq!(Grid::new(&zero, Rounding::Up), Err(AdditiveError::Grid));
    // No input is refused for its value.
    let bounded = BoundedLaplace::new(&l1(1), &rational(1, 1), 0.into(), 3.into()).unwrap();
    assert_eq!(bounded.on(&Integer::from(4)), bounded.on(&Integer::from(3)));
    assert_eq!(bounded.on(&Integer::from(-77)), bounded.on(&Integer::from(0)));
}
