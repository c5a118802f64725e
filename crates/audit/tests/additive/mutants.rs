//! Planted bugs: each must fail the check that its right twin passes.

use super::*;

/// What a mechanism states, and another program runs.
fn verdict<P: Program>(claims: &Domination, domain: &[i64], distance: i64, release: impl Fn(i64) -> P) -> Verdict {
    check(
        domain,
        |x, y| (x - y).abs() <= distance,
        |x| release(*x),
        &|e| stated(claims, e),
        &[epsilon(0, 1), epsilon(1, 2), epsilon(1, 1), epsilon(2, 1)],
    )
}

const DOMAIN: [i64; 5] = [0, 1, 2, 3, 4];

#[test]
fn sensitivity_halved() {
    let halved = LaplaceMechanism::with_scale(&l1(1), &rational(2, 1)).unwrap();
    let release = |x: i64| halved.on(&Integer::from(x)).unwrap();
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 1, release), Verdict::Tight);
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 2, release), Verdict::Exceeded);
    let halved = GaussianMechanism::with_variance(&l2(1), &rational(2, 1)).unwrap();
    let release = |x: i64| halved.on(&Integer::from(x)).unwrap();
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 1, release), Verdict::Tight);
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 2, release), Verdict::Exceeded);
    let halved = StaircaseMechanism::new(&l1(2), &rational(1, 1), 1u32.into()).unwrap();
    let release = |x: i64| halved.on(&Integer::from(x)).unwrap();
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 2, release), Verdict::Tight);
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 4, release), Verdict::Exceeded);
    let halved = BoundedLaplace::new(&l1(1), &rational(2, 1), 0.into(), 4.into()).unwrap();
    let release = |x: i64| halved.on(&Integer::from(x)).unwrap();
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 1, release), Verdict::Tight);
    assert_eq!(verdict(&halved.domination(), &DOMAIN, 2, release), Verdict::Exceeded);
}

/// The scale halved, ε·Δ taken for Δ/ε, the variance taken for σ.
#[test]
fn too_little_noise() {
    let stated = LaplaceMechanism::with_scale(&l1(2), &rational(2, 1)).unwrap().domination();
    let positive = |n, d| certus::exact::Positive::new(rational(n, d)).unwrap();
    let release = |x: i64| Noisy::new(Integer::from(x), Laplace::new(&positive(1, 1)));
    assert_eq!(verdict(&stated, &DOMAIN, 2, release), Verdict::Exceeded);
    let stated = GaussianMechanism::with_variance(&l2(1), &rational(4, 1)).unwrap().domination();
    let release = |x: i64| Noisy::new(Integer::from(x), Gaussian::with_variance(&positive(2, 1)));
    assert_eq!(verdict(&stated, &DOMAIN, 1, release), Verdict::Exceeded);
}

/// `|noise| < bound` for `≤`: the support is smaller, and more outputs tell all. With the right bound it
/// holds again.
#[test]
fn strict_truncation() {
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Strictly(BigUint, Laplace);
    impl Program for Strictly {
        type State = ();
        type Output = Integer;
        fn start(&self) {}
        fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
            let noise = on.call(&self.1)?;
            let accepted = noise.magnitude() < self.0;
            Ok(if accepted { ControlFlow::Break(noise) } else { ControlFlow::Continue(()) })
        }
    }
    let mechanism = TruncatedLaplace::new(&l1(1), &rational(2, 1), 4u32.into()).unwrap();
    let strictly = |bound: u32| {
        let noise = Laplace::new(mechanism.scale());
        move |x: i64| Noisy::new(Integer::from(x), Strictly(bound.into(), noise.clone()))
    };
    assert_eq!(verdict(&mechanism.domination(), &DOMAIN, 1, strictly(4)), Verdict::Exceeded);
    assert_eq!(verdict(&mechanism.domination(), &DOMAIN, 1, strictly(5)), Verdict::Tight);
    // More room than stated is private, and not what was stated.
    assert_eq!(verdict(&mechanism.domination(), &DOMAIN, 1, strictly(6)), Verdict::Loose);
}

/// One draw for both coordinates: their difference is told exactly.
#[test]
fn noise_reused() {
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Reused(Vec<Integer>, Laplace);
    impl Program for Reused {
        type State = ();
        type Output = Vec<Integer>;
        fn start(&self) {}
        fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
            let noise = on.call(&self.1)?;
            Ok(ControlFlow::Break(self.0.iter().map(|x| x.add(&noise)).collect()))
        }
    }
    let mechanism = LaplaceMechanism::with_scale(&l1(2), &rational(1, 2)).unwrap().vector(2).unwrap();
    let noise = Laplace::new(mechanism.each().scale());
    let verdict = check(
        &vectors(),
        |x, y| distances(x, y).iter().sum::<i64>() <= 2,
        |x| Reused(x.clone(), noise.clone()),
        &|e| stated(&mechanism.domination(), e),
        &[epsilon(1, 1), epsilon(5, 2)],
    );
    assert_eq!(verdict, Verdict::Exceeded);
}

/// A negative zero that is not rejected makes 0 twice as likely as its step allows.
#[test]
fn zero_counted_twice() {
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct TwoZeros(certus::sample::Geometric);
    impl Program for TwoZeros {
        type State = ();
        type Output = Integer;
        fn start(&self) {}
        fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
            let magnitude = on.call(&self.0)?;
            Ok(ControlFlow::Break(if on.bits(1)? == 1 { magnitude.neg() } else { magnitude }))
        }
    }
    let mechanism = LaplaceMechanism::with_scale(&l1(1), &rational(1, 1)).unwrap();
    let noise = TwoZeros(certus::sample::Geometric::new(mechanism.scale()));
    let release = |x: i64| Noisy::new(Integer::from(x), noise.clone());
    assert_eq!(verdict(&mechanism.domination(), &DOMAIN, 1, release), Verdict::Exceeded);
}

/// The normaliser forgotten: bounded noise with the ε of unbounded noise.
#[test]
fn bounded_with_the_plain_epsilon() {
    let plain = LaplaceMechanism::with_scale(&l1(1), &rational(2, 1)).unwrap();
    let bounded = BoundedLaplace::new(&l1(1), &rational(2, 1), 0.into(), 4.into()).unwrap();
    let release = |x: i64| bounded.on(&Integer::from(x)).unwrap();
    assert_eq!(verdict(&plain.domination(), &DOMAIN, 1, release), Verdict::Exceeded);
}

fn half_to_even(x: &Rational) -> i64 {
    use num_traits::ToPrimitive;
    let down = x.floor().to_integer().to_i64().unwrap();
    let rest = x - x.floor();
    match rest.cmp(&rational(1, 2)) {
        core::cmp::Ordering::Less => down,
        core::cmp::Ordering::Greater => down + 1,
        core::cmp::Ordering::Equal => down + down.rem_euclid(2),
    }
}

fn half_away(x: &Rational) -> i64 {
    use num_traits::{Signed, ToPrimitive};
    let magnitude = (x.abs() + rational(1, 2)).floor().to_integer().to_i64().unwrap();
    if x.is_negative() { -magnitude } else { magnitude }
}

/// Half to even and half away from zero: neighbours 1 apart are rounded 2 apart, and the release exceeds what
/// is stated for ⌈Δ/g⌉ = 1.
#[test]
fn the_two_rounding_traps() {
    assert_eq!((half_to_even(&rational(1, 2)), half_to_even(&rational(3, 2))), (0, 2));
    assert_eq!((half_away(&rational(-1, 2)), half_away(&rational(1, 2))), (-1, 1));
    let grid = Grid::new(&rational(1, 1), Rounding::Nearest).unwrap();
    let steps = grid.scalar(&l1(1));
    assert_eq!(steps.get(), &rational(1, 1));
    let mechanism = LaplaceMechanism::with_scale(&steps, &rational(1, 1)).unwrap();
    let domain: Vec<Rational> = (-4..=4).map(|n| rational(n, 2)).collect();
    let neighbours = |x: &Rational, y: &Rational| x - y <= rational(1, 1) && y - x <= rational(1, 1);
    let verdict = |round: &dyn Fn(&Rational) -> i64| {
        check(
            &domain,
            neighbours,
            |x| mechanism.on(&Integer::from(round(x))).unwrap(),
            &|e| stated(&mechanism.domination(), e),
            &[epsilon(1, 2), epsilon(1, 1)],
        )
    };
    assert_eq!(verdict(&half_to_even), Verdict::Exceeded);
    assert_eq!(verdict(&half_away), Verdict::Exceeded);
    assert_eq!(verdict(&|x| grid.round(x).to_i64().unwrap()), Verdict::Tight);
}
