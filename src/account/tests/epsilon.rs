//! ε(δ), and the greatest loss.

use alloc::{vec, vec::Vec};

use num_traits::Zero;
use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// δ(ε(δ)) = δ: the profile at the two ends of the enclosure lies on the two sides of δ.
    #[test]
    fn the_inverse_brackets(pair in small_pair(), copies in 1_u64..50, d in 1_i64..1_000_000) {
        let wanted = probability(1, d);
        let plan = plan(&[(pair.clone(), copies)]);
        let answer = match epsilon(&plan, &wanted, &Precision::default()) {
            Err(error) => {
                prop_assert_eq!(error, AccountError::NoEpsilon);
                let far = delta(&plan, &non_negative(1_000_000, 1), &Precision::default()).unwrap();
                prop_assert!(far.enclosure.lower() > *wanted.get());
                return Ok(());
            }
            Ok(answer) => answer,
        };
        let value = |at: Rational| delta(&plan, &NonNegative::new(at).unwrap(), &Precision { digits: 20 }).unwrap().enclosure;
        prop_assert!(value(answer.enclosure.upper()).lower() <= *wanted.get());
        prop_assert!(answer.enclosure.lower().is_zero() || value(answer.enclosure.lower()).upper() >= *wanted.get());
        prop_assert!(answer.is_narrow, "{pair:?} * {copies} at 1/{d}: {}", answer.enclosure);
    }
}

#[test]
fn pure_guarantees() {
    let nothing = probability(0, 1);
    let ask = |parts: &[(Pair, u64)]| epsilon(&plan(parts), &nothing, &Precision::default());
    assert_eq!(ask(&[(laplace(20, 1, 3), 10)]).unwrap().enclosure, Enclosure::from_rational(&rational(3, 2), 10));
    assert_eq!(ask(&[(gaussian(20, 1, 3), 1)]), Err(AccountError::NoEpsilon));
    assert_eq!(ask(&[(finite(&[(1, 0), (1, 2)]), 1)]), Err(AccountError::NoEpsilon));
    // 2·ln 3 = 2.19722457733621938…
    let answer = ask(&[(response(3, 4), 2)]).unwrap();
    assert!(answer.is_narrow);
    assert!(answer.enclosure.lower() > rational(219_722_457_733_621_938, 100_000_000_000_000_000));
    assert!(answer.enclosure.upper() < rational(219_722_457_733_621_939, 100_000_000_000_000_000));
}

/// Five thousand losses, of which none is infinite: their greatest, 2·ln(10000/5001). Where there is no ε,
/// none.
#[test]
fn the_greatest_of_many_losses() {
    let masses: Vec<(i64, i64)> = (1..=5000).map(|n| (n + 5000, 10_001 - n)).collect();
    let parts = [(finite(&masses), 2)];
    let found = epsilon(&plan(&parts), &probability(0, 1), &Precision::default()).unwrap();
    let half = found.enclosure.mul_rational(&Rational::new(1.into(), 2.into())).exp(80).unwrap();
    let ratio = Rational::new(10_000.into(), 5_001.into());
    assert!(found.is_narrow && half.lower() <= ratio && ratio <= half.upper(), "{}", found.enclosure);
    let revealing = [(finite(&[(1, 0), (1, 2)]), 2)];
    assert_eq!(epsilon(&plan(&revealing), &probability(1, 2), &Precision::default()), Err(AccountError::NoEpsilon));
}

/// At δ = P(the loss is infinite) the answer is the greatest finite loss: below 0 in one pair, ln 3 in the
/// other.
#[test]
fn ties_at_infinity() {
    let parts = [(finite(&[(1, 0), (2, 3)]), 1)];
    let answer = epsilon(&plan(&parts), &probability(1, 3), &Precision::default()).unwrap();
    assert_eq!(answer.enclosure, Enclosure::from_integer(0, 0));
    let pair = finite(&[(2, 0), (6, 2), (2, 8)]);
    let direction = Direction::of([(vec![pair], 2)]);
    // 1 − (8/10)².
    assert_eq!(infinite::exact_mass(&direction), Some(rational(36, 100)));
    let greatest = lattice::greatest_finite_loss(&direction, 80).unwrap();
    // 2·ln 3 = 2.19722457733621938…
    assert!(
        greatest.lower() > rational(2_197_224_577, 1_000_000_000)
            && greatest.upper() < rational(2_197_224_578, 1_000_000_000)
    );
}

/// ε(δ) at the ends: δ(ε) at both ends of the enclosure is on the right side, and the answer is narrow.
#[test]
fn extreme_inverses() {
    let parse = |text: &str| crate::exact::parse(text).unwrap();
    for (spec, wanted, known) in [
        ("laplace(scale=1e-30)", "0.5", "1e30"),
        ("gaussian(sigma=1e1000)", "1e-10", "0"),
        ("gaussian(sigma=1e-1000)", "0.5", "5e999*1e1000"),
    ] {
        let wanted = Probability::new(parse(wanted)).unwrap();
        let answer = epsilon(&spec_plan(&[spec]), &wanted, &Precision::default()).unwrap();
        let known: Rational = known.split('*').map(parse).product();
        let unit = &known * parse("1e-14");
        assert!(
            answer.enclosure.lower() <= &known + &unit && &known - &unit <= answer.enclosure.upper(),
            "{spec}: {answer:?}"
        );
        assert!(answer.is_narrow, "{spec}: {answer:?}");
    }
}

/// The search for ε starts anywhere and ends narrow: half of everybody a thousand times, far above where a
/// cheap bound would have it.
#[test]
fn a_large_epsilon_of_a_subsampled_plan_is_narrow() {
    let parse = |text: &str| crate::exact::parse(text).unwrap();
    let wanted = Probability::new(parse("1e-8")).unwrap();
    let plan = spec_plan(&["subsampled_gaussian(sigma=0.7,rate=0.5)*1000"]);
    let answer = epsilon(&plan, &wanted, &Precision::default()).unwrap();
    assert!(parse("477.79") < answer.enclosure.lower() && answer.enclosure.upper() < parse("477.80"), "{answer:?}");
}

/// Losses ln 2, ln 4/3 and −ln 3 are on no lattice: δ = 0 is reached at ln 3 all the same, at k·ln 3, and
/// beside others.
#[test]
fn pure_guarantees_on_no_lattice() {
    let pair = finite(&[(6, 3), (4, 3), (2, 6)]);
    let ln_three = Enclosure::from_integer(3, 0).ln(120).unwrap();
    let zero = probability(0, 1);
    for (copies, laplaces) in [(1_u64, 0_u32), (5, 0), (1, 3), (40, 1)] {
        let mut parts = vec![(pair.clone(), copies)];
        if laplaces > 0 {
            parts.push((laplace(2, 1, 1), laplaces.into()));
        }
        let found = epsilon(&plan(&parts), &zero, &Precision::default()).unwrap();
        let truth = ln_three
            .mul(&Enclosure::from_integer(copies, 0))
            .add(&Enclosure::from_rational(&rational(laplaces.into(), 2), 120));
        assert!(found.is_narrow && found.enclosure.intersects(&truth), "{} for {truth}", found.enclosure);
    }
    // ln 3 = 1.0986…: nothing is left at 1.1.
    assert!(at(&[(pair, 1)], &non_negative(11, 10)).enclosure.upper().is_zero());
}

/// Of pairs that only dominate, that no ε suffices is not known.
#[test]
fn no_epsilon_and_none_that_is_known() {
    let pair = finite(&[(1, 0), (9, 10)]);
    let ask = |domination: &Domination| {
        epsilon(&Plan::of(domination, 1), &probability(1, 100), &Precision::default()).unwrap_err()
    };
    let bound = Domination::by(pair);
    assert_eq!(ask(&bound), AccountError::NoEpsilonKnown);
    assert_eq!(ask(&bound.attained(Attained::ByAnswers)), AccountError::NoEpsilon);
}

/// The pairs of a vector of Gaussians have an infinite loss with a probability of 6·10^-61: no ε is known for
/// a δ below, and that is seen at once.
#[test]
fn infinite_losses_are_seen_however_rare() {
    let spec = "gaussian_vector(sigma=2, coordinates=2, sensitivity2=2)".parse().unwrap();
    // The pair that stands beside a line reveals with a probability of 2^-200.
    let pair = crate::mechanism::domination(&spec).unwrap().forward()[0].clone();
    let plan = Plan::of(&Domination::by(pair), 1);
    let delta = |text: &str| Probability::new(crate::exact::parse(text).unwrap()).unwrap();
    let found = epsilon(&plan, &delta("1e-100"), &Precision::default());
    assert_eq!(found, Err(AccountError::NoEpsilonKnown));
    assert!(epsilon(&plan, &delta("1e-59"), &Precision::default()).unwrap().is_narrow);
}
