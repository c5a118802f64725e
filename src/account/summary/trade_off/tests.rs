//! Curves against the best tests: by Neyman and Pearson, in doubles and exactly.

use super::super::tests::{brute, plan, profile, profiles};
use super::*;
use crate::exact::parse;

/// The least type-II error by the Neyman–Pearson lemma: reject where P/Q is least, a part of an outcome at
/// random, as long as P allows.
fn neyman_pearson(outcomes: &[(f64, f64)], most: f64) -> f64 {
    let mut sorted = outcomes.to_vec();
    sorted.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (mut left, mut missed) = (most, 1.0);
    for (p, q) in sorted {
        let share = if p > 0.0 { (left / p).min(1.0) } else { 1.0 };
        left -= share * p;
        missed -= share * q;
    }
    missed
}

#[test]
fn the_curve_is_that_of_the_best_test() {
    for (spec, last) in [
        ("laplace(scale=1)", "2"),
        ("gaussian(sigma=1)", "6"),
        ("laplace(scale=2, sensitivity=3)", "2"),
        ("randomized_response(gamma=1/4)", "2"),
    ] {
        let points = profile(&plan(&[spec]), last, 40);
        for rate in ["0", "0.001", "0.05", "1/4", "1/2", "0.9", "1"] {
            let a = parse(rate).unwrap();
            let found = trade_off(&points, &points, &Probability::new(a.clone()).unwrap()).unwrap();
            let real: f64 = crate::exact::decimal(&a, 17, crate::exact::Rounding::Down).parse().unwrap();
            let truth = neyman_pearson(&brute(spec), real);
            let (lower, upper): (f64, f64) =
                (found.lower_decimal().parse().unwrap(), found.upper_decimal().parse().unwrap());
            assert!(lower - 1e-9 <= truth && truth <= upper + 1e-9, "{spec} at {rate}: {truth} not in {found}");
            assert!(upper - lower < 0.02, "{spec} at {rate}: {found}");
        }
    }
}

#[test]
fn few_points_enclose_too() {
    let points = profile(&plan(&["gaussian(sigma=1)"]), "3", 3);
    let found = trade_off(&points, &points, &Probability::new(parse("0.1").unwrap()).unwrap()).unwrap();
    let truth = parse(&alloc::format!("{:.12}", neyman_pearson(&brute("gaussian(sigma=1)"), 0.1))).unwrap();
    assert!(found.contains(&truth), "{found} {truth}");
    // The best test's own ε is past the last, on either side of 0.
    let points_near = profile(&plan(&["gaussian(sigma=1)"]), "1/10", 3);
    for (a, real) in [("1/50", 0.02), ("0.1", 0.1), ("0.9", 0.9), ("0.99", 0.99)] {
        let found = trade_off(&points_near, &points_near, &rate(a)).unwrap();
        let truth = parse(&alloc::format!("{:.12}", neyman_pearson(&brute("gaussian(sigma=1)"), real))).unwrap();
        assert!(found.contains(&truth), "{a}: {found} {truth}");
    }
    assert!(trade_off(&points[1..], &points, &Probability::new(parse("0.1").unwrap()).unwrap()).is_none());
    assert!(trade_off(&points, &points[..2], &Probability::new(parse("0.1").unwrap()).unwrap()).is_none());
}

/// The least type-II error, exactly: reject where P/Q is least, a part of the last outcome at random.
fn exact_neyman_pearson(outcomes: &[(Rational, Rational)], most: &Rational) -> Rational {
    // An outcome that never is would compare as equal to every other.
    let mut sorted: Vec<_> = outcomes.iter().filter(|(p, q)| !(p.is_zero() && q.is_zero())).cloned().collect();
    sorted.sort_by(|a, b| (&a.0 * &b.1).cmp(&(&b.0 * &a.1)));
    let (mut left, mut missed) = (most.clone(), Rational::one());
    for (p, q) in sorted {
        let share = if p.is_zero() { Rational::one() } else { (&left / &p).min(Rational::one()) };
        left -= &share * p;
        missed -= share * q;
    }
    missed
}

/// The best test in either order.
fn best_test(outcomes: &[(Rational, Rational)], most: &Rational) -> Rational {
    let reversed: Vec<_> = outcomes.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
    exact_neyman_pearson(outcomes, most).min(exact_neyman_pearson(&reversed, most))
}

fn plan_of(outcomes: &[(Rational, Rational)], copies: u64) -> crate::account::Plan {
    use crate::guarantee::{Domination, FinitePair, Pair};
    let of = |value: &Rational| Probability::new(value.clone()).unwrap();
    let pair = FinitePair::from_probabilities(outcomes.iter().map(|(p, q)| (of(p), of(q))).collect()).unwrap();
    crate::account::Plan::of(&Domination::by(Pair::Finite(pair)), copies)
}

/// 0.9·(1 − 0.1) in the one order, 8/9 in the other. The larger δ of both directions says 0.8, which no test
/// reaches.
#[test]
fn a_revealing_outcome_by_hand() {
    let outcomes = [("9/10", "1"), ("1/10", "0")].map(|(p, q)| (parse(p).unwrap(), parse(q).unwrap()));
    let (tenth, truth) = (parse("1/10").unwrap(), parse("81/100").unwrap());
    assert_eq!(best_test(&outcomes, &tenth), truth);
    let [forward, backward] = profiles(&plan_of(&outcomes, 1), "1", 40);
    let rate = Probability::new(tenth).unwrap();
    let found = trade_off(&forward, &backward, &rate).unwrap();
    assert!(found.contains(&truth) && found.width() < parse("0.02").unwrap(), "{found}");
    assert_eq!(found, trade_off(&backward, &forward, &rate).unwrap());
    let hull = trade_off(&forward, &forward, &rate).unwrap();
    assert!(!hull.contains(&truth), "{hull}");
}

/// Neyman–Pearson in doubles over the outputs: 0.425751… in the one order, 0.559601… in the other.
#[test]
fn subsampled_laplace_in_both_orders() {
    let spec = "subsampled_laplace(scale=1/2, rate=1/2)";
    let plan = crate::account::Plan::of(&crate::mechanism::domination(&spec.parse().unwrap()).unwrap(), 1);
    let [forward, backward] = profiles(&plan, "2", 80);
    let pair: Vec<_> = brute("laplace(scale=1/2)").into_iter().map(|(p, q)| (0.5 * p + 0.5 * q, q)).collect();
    let reversed: Vec<_> = pair.iter().map(|(p, q)| (*q, *p)).collect();
    let orders = [neyman_pearson(&pair, 0.25), neyman_pearson(&reversed, 0.25)];
    assert!((orders[0].min(orders[1]) - 0.425_751).abs() < 1e-6, "{orders:?}");
    assert!((orders[0].max(orders[1]) - 0.559_601).abs() < 1e-6, "{orders:?}");
    let found = trade_off(&forward, &backward, &Probability::new(parse("1/4").unwrap()).unwrap()).unwrap();
    // The upper end is reached, so that the rounding of the doubles shows.
    let (truth, slack) = (orders[0].min(orders[1]), parse("1e-9").unwrap());
    let truth = parse(&alloc::format!("{truth:.12}")).unwrap();
    assert!(found.lower() <= &truth + &slack && &truth - slack <= found.upper(), "{found}");
    assert!(found.width() < parse("0.02").unwrap(), "{found}");
}

fn rate(text: &str) -> Probability {
    Probability::new(parse(text).unwrap()).unwrap()
}

/// Within 10^-8 of the best test, at a few further points: kinks, no kinks, wide noise, and from nothing.
#[test]
fn further_points_find_the_best_test() {
    for (spec, last) in [
        ("laplace(scale=1)", "2"),
        ("gaussian(sigma=1)", "6"),
        ("gaussian(sigma=20, sensitivity=3)", "1"),
        ("laplace(scale=2, sensitivity=3)", "2"),
        ("randomized_response(epsilon=2, k=7)", "3"),
    ] {
        let plan = plan(&[spec]);
        let known = profiles(&plan, last, 8);
        let [forward, backward] = &known;
        let mut curves = [
            TradeOff::new(&plan, &Precision { digits: 8 }).with(forward, backward),
            TradeOff::new(&plan, &Precision { digits: 8 }),
        ];
        for a in ["0.001", "0.05", "1/4", "1/2", "0.9", "1"] {
            let real: f64 =
                crate::exact::decimal(&parse(a).unwrap(), 17, crate::exact::Rounding::Down).parse().unwrap();
            let outcomes = brute(spec);
            let reversed: Vec<_> = outcomes.iter().map(|(p, q)| (*q, *p)).collect();
            let truth = neyman_pearson(&outcomes, real).min(neyman_pearson(&reversed, real));
            for curve in &mut curves {
                let found = curve.at(&rate(a)).unwrap();
                let (lower, upper): (f64, f64) =
                    (found.lower_decimal().parse().unwrap(), found.upper_decimal().parse().unwrap());
                assert!(lower - 1e-11 <= truth && truth <= upper + 1e-11, "{spec} at {a}: {truth} not in {found}");
                assert!(upper - lower < 1.01e-8, "{spec} at {a}: {found}");
            }
        }
    }
}

/// Without false positives a test has what is revealed, and no more; and wide noise has its own scale of ε.
#[test]
fn ends_of_the_curve() {
    let outcomes = [("9/10", "4/5"), ("1/10", "0"), ("0", "1/5")].map(|(p, q)| (parse(p).unwrap(), parse(q).unwrap()));
    let mut curve = TradeOff::new(&plan_of(&outcomes, 3), &Precision { digits: 8 });
    // 1 − (1 − 1/5)³ of the one, 1 − (1 − 1/10)³ of the other.
    let found = curve.at(&rate("0")).unwrap();
    assert!(found.contains(&parse("0.512").unwrap()) && found.width() < parse("1e-8").unwrap(), "{found}");
    let mut wide = TradeOff::new(&plan(&["gaussian(sigma=1099511627776)"]), &Precision { digits: 15 });
    // 1/σ·φ(0) below 1/2.
    let found = wide.at(&rate("1/2")).unwrap();
    let below = parse("1/2").unwrap() - found.lower();
    assert!(below > parse("3.6e-13").unwrap() && below < parse("3.7e-13").unwrap(), "{found}");
    assert!(found.width() < parse("2e-15").unwrap(), "{found}");
    assert!(TradeOff::new(&crate::account::Plan::new(), &Precision::default()).at(&rate("1/2")).is_none());
}

/// Losses far above 1: the best test misses next to nothing, and the upper end says so. mpmath, by the normal
/// approximation: between 10^-9 and 10^-7.
#[test]
fn large_losses() {
    let plan = plan(&["laplace(scale=1000, sensitivity=1000)*100"]);
    let [forward, backward] = profiles(&plan, "100", 20);
    let mut curve = TradeOff::new(&plan, &Precision { digits: 9 }).with(&forward, &backward);
    let found = curve.at(&rate("1/1000")).unwrap();
    assert!(found.lower() > parse("1e-9").unwrap() && found.upper() < parse("1e-7").unwrap(), "{found}");
    let far = plan_of(&[("1/2", "1"), ("1/2", "0")].map(|(p, q)| (parse(p).unwrap(), parse(q).unwrap())), 1);
    let [forward, backward] = profiles(&far, "1000000", 2);
    let found = trade_off(&forward, &backward, &rate("1/4")).unwrap();
    assert!(found.contains(&parse("3/8").unwrap()), "{found}");
}

/// The product over 30 copies by counting, exactly: the binomial of 3/4 and 1/4, a kink every ln 9.
#[test]
fn kinks_are_found() {
    let plan = plan(&["randomized_response(gamma=1/4)*30"]);
    let choose = |n: u32, k: u32| (0..k).fold(Rational::one(), |c, i| c * BigInt::from(n - i) / BigInt::from(i + 1));
    let outcomes: Vec<_> = (0..=30_u32)
        .map(|k| {
            let of = |yes: i32, no: i32| {
                choose(30, k) * Rational::from_integer(3.into()).pow(yes) / Rational::from_integer(4.into()).pow(no)
            };
            let k = i32::try_from(k).unwrap();
            (of(k, 30), of(30 - k, 30))
        })
        .collect();
    let [forward, backward] = profiles(&plan, "30", 40);
    let mut curve = TradeOff::new(&plan, &Precision { digits: 10 }).with(&forward, &backward);
    for a in ["1/1000000", "1/1000", "1/100", "1/20", "1/4"] {
        let (found, truth) = (curve.at(&rate(a)).unwrap(), best_test(&outcomes, &parse(a).unwrap()));
        assert!(found.contains(&truth) && found.width() <= parse("1e-10").unwrap(), "{a}: {found} {truth}");
    }
}

/// Ten steps of DP-SGD, from nothing: against the best tests by Fourier transforms in doubles, on three
/// grids.
#[test]
fn plans_on_a_grid_have_their_best_test() {
    let spec = "subsampled_gaussian(sigma=1, rate=1/10)";
    let plan = crate::account::Plan::of(&crate::mechanism::domination(&spec.parse().unwrap()).unwrap(), 10);
    let rates = ["1/1000", "1/100", "1/10"].map(rate);
    let found = TradeOff::new(&plan, &Precision { digits: 6 }).at_each(&rates);
    for (found, truth) in found.into_iter().zip(["0.9942407027", "0.966023224", "0.804613401"]) {
        let (found, truth, slack) = (found.unwrap(), parse(truth).unwrap(), parse("2e-9").unwrap());
        assert!(found.lower() <= &truth + &slack && &truth - slack <= found.upper(), "{found} {truth}");
        assert!(found.width() < parse("3e-6").unwrap(), "{found}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(12))]

    /// Any pair of finite distributions, alone and twice over, against its best test by enumeration.
    #[test]
    fn finite_pairs_have_their_best_test(
        weights in proptest::collection::vec((0_u32..9, 0_u32..9), 2..5),
        parts in 0_u32..=20,
        copies in 1_u64..3,
    ) {
        let sum = |side: fn(&(u32, u32)) -> u32| weights.iter().map(side).sum::<u32>();
        let (p_sum, q_sum) = (sum(|w| w.0), sum(|w| w.1));
        proptest::prop_assume!(p_sum > 0 && q_sum > 0);
        let of = |n: u32, d: u32| Rational::new(n.into(), d.into());
        let one: Vec<_> = weights.iter().map(|(p, q)| (of(*p, p_sum), of(*q, q_sum))).collect();
        let all: Vec<_> = if copies == 1 {
            one.clone()
        } else {
            one.iter().flat_map(|a| one.iter().map(move |b| (&a.0 * &b.0, &a.1 * &b.1))).collect()
        };
        let [forward, backward] = profiles(&plan_of(&one, copies), "5", 50);
        let rate = of(parts, 20);
        let truth = best_test(&all, &rate);
        let rate = Probability::new(rate).unwrap();
        let near = TradeOff::new(&plan_of(&one, copies), &Precision { digits: 8 }).with(&forward, &backward).at(&rate).unwrap();
        proptest::prop_assert!(near.contains(&truth), "{near} {truth}");
        proptest::prop_assert!(near.width() <= parse("1e-8").unwrap(), "{near} {truth}");
        let found = trade_off(&forward, &backward, &rate).unwrap();
        proptest::prop_assert!(found.contains(&truth), "{found} {truth}");
        // Without false positives, all rests on δ past the last point, of which points say nothing.
        proptest::prop_assert!(parts == 0 || found.width() < parse("1/5").unwrap(), "{found} {truth}");
    }
}
