//! The trade-off curve (f-DP): the least type-II error of a test between neighbouring inputs, for its type-I error.

use alloc::vec::Vec;

use num_traits::{One, Signed, Zero};

use super::ProfilePoint;
use crate::exact::{Enclosure, Probability, Rational};

const BITS: u32 = 128;

/// Encloses the least false-negative rate of any test between two neighbouring inputs, in either order, whose false-positive rate is at most a:
/// the smaller of f(a) and f′(a), where
///
/// f(a) = sup_{ε≥0} max(0, 1 − δ′(ε) − e^ε·a, e^-ε·(1 − δ(ε) − a)), and f′ the same with δ and δ′ exchanged,
///
/// from δ, the profile of (M(D), M(D′)), in `forward`, and δ′, that of (M(D′), M(D)), in `backward`, each at some epsilons of its own, the first of them 0,
/// rising. Where a renaming of the outputs exchanges the two, as for plain Laplace and Gaussian noise, both are the same points.
/// [`delta_both_ways`](crate::account::delta_both_ways) gives them.
///
/// f is the curve of tests of D against D′. With P = M(D), Q = M(D′), and S the outputs on which a test says D′, a = P(S) and its false negatives are b = 1 − Q(S).
/// Q(S) ≤ e^ε·P(S) + δ′(ε) says b ≥ 1 − δ′(ε) − e^ε·a, and the same of the other outputs, P(S̄) ≤ e^ε·Q(S̄) + δ(ε), says b ≥ e^-ε·(1 − δ(ε) − a). All these
/// lines together are the curve, since it is convex (Wasserman and Zhou 2010, Theorem 2.4, for one line and its mirror; Dong, Roth and Su 2022,
/// Propositions 2.11 and 2.12, for the whole of a symmetric curve). The larger of δ and δ′ in place of both would give the convex hull of the smaller of f and f′, and a test that nobody has.
/// Where several pairs dominate, it is the curve of the one pair that has the supremum of their profiles: a lower bound for each.
///
/// Every ε gives a lower bound. The upper bound fills the gaps: δ is convex in t = e^ε, so 1 − δ − t·a is concave in t, and e^-ε(1 − δ − a), its
/// perspective, is concave in e^-ε; a concave function is below the straight line through two neighbouring points, outside of them. Hence more
/// points make it narrower, in proportion to the square of their distance where the profile is smooth, and any points will do.
///
/// `None` if there are fewer than three points either way, they do not rise from 0, or an ε is beyond 2^20.
///
/// ```
/// use certus::{account::{Plan, Precision, delta, trade_off}, exact::{NonNegative, Probability, parse}, mechanism::Mechanism};
///
/// // Randomized response with γ = 1/4: whoever may be wrong about the one in 1/4 of the cases, is wrong about the other in 1/4.
/// let mechanism = Mechanism::from_spec(&"randomized_response(gamma=1/4)".parse()?)?;
/// let plan = Plan::new().with(&mechanism.domination(), 1);
/// let points = ["0", "0.5", "1", "1.5", "2"].map(|text| {
///     let epsilon = NonNegative::new(parse(text).unwrap()).unwrap();
///     let delta = delta(&plan, &epsilon, &Precision::default()).unwrap().enclosure;
///     (epsilon, delta)
/// });
/// // Its two directions are the same.
/// let rate = trade_off(&points, &points, &Probability::new(parse("1/4")?)?).expect("three points");
/// assert!(rate.contains(&parse("1/4")?), "{rate}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn trade_off(
    forward: &[ProfilePoint],
    backward: &[ProfilePoint],
    false_positives: &Probability,
) -> Option<Enclosure> {
    let one = curve(forward, backward, false_positives)?;
    if forward == backward {
        return Some(one);
    }
    let other = curve(backward, forward, false_positives)?;
    Enclosure::from_bounds(&one.lower().min(other.lower()), &one.upper().min(other.upper()), BITS)
}

/// f(a) of tests of D against D′, from δ(ε) and from δ′(ε).
fn curve(forward: &[ProfilePoint], backward: &[ProfilePoint], false_positives: &Probability) -> Option<Enclosure> {
    for points in [forward, backward] {
        let rises = points.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0));
        if points.len() < 3 || !rises || !points.first()?.0.get().is_zero() {
            return None;
        }
    }
    let (one, zero) = (Enclosure::from_integer(1, BITS), Enclosure::from_integer(0, BITS));
    let rate = Enclosure::from_rational(false_positives.get(), BITS);
    let point = |epsilon: &Rational| Enclosure::from_rational(epsilon, BITS).exp(BITS).map(|t| t.at_precision(BITS));
    // (t, 1 − δ′ − t·a), t rising from 1; and (1/t, (1 − δ − a)/t), rising from (0, 0).
    let mut direct: Vec<Node> = Vec::new();
    for (epsilon, delta) in backward {
        let t = point(epsilon.get())?;
        direct.push((t.clone(), one.sub(&delta.at_precision(BITS)).sub(&t.mul(&rate))));
    }
    let mut inverse: Vec<Node> = Vec::from([(zero.clone(), zero)]);
    for (epsilon, delta) in forward.iter().rev() {
        let falling = point(&-epsilon.get())?;
        inverse.push((falling.clone(), falling.mul(&one.sub(&delta.at_precision(BITS)).sub(&rate))));
    }
    let lower = direct.iter().chain(&inverse).map(|(_, y)| y.lower()).max()?.max(Rational::zero());

    // Past the last t: 1 − δ′ − t·a ≤ 1 − t·a; and no more than at the last, if it falls there.
    let [.., before, last] = direct.as_slice() else { return None };
    let beyond = match slope(before, last) {
        Some(slope) if !slope.upper().is_positive() => last.1.upper(),
        _ => (Rational::one() - last.0.lower() * false_positives.get()).max(last.1.upper()),
    };
    // Nobody does better than guessing worse: f(a) ≤ 1 − a.
    let trivial = Rational::one() - false_positives.get();
    let upper = concave_upper(&direct)?.max(concave_upper(&inverse)?).max(beyond).max(Rational::zero()).min(trivial);
    let (lower, upper) = (lower.clone().min(upper.clone()), upper);
    Enclosure::from_bounds(&lower, &upper, BITS)
}

type Node = (Enclosure, Enclosure);

fn slope(a: &Node, b: &Node) -> Option<Enclosure> {
    b.1.sub(&a.1).div(&b.0.sub(&a.0))
}

/// An upper bound on a concave function from its first node to its last.
///
/// Between two neighbours it is below the line through the two before, and below the line through the two after: so below the larger end of either line,
/// and below the point where they meet, if that is the highest of both.
fn concave_upper(nodes: &[Node]) -> Option<Rational> {
    let mut most: Option<Rational> = None;
    for index in 1..nodes.len() {
        let (a, b) = (nodes.get(index - 1)?, nodes.get(index)?);
        let width = b.0.sub(&a.0);
        let left = index.checked_sub(2).and_then(|index| nodes.get(index)).and_then(|before| slope(before, a));
        let right = nodes.get(index + 1).and_then(|after| slope(b, after));
        let mut bounds = Vec::new();
        bounds.extend(left.as_ref().map(|slope| a.1.add(&slope.mul(&width)).upper().max(a.1.upper())));
        bounds.extend(right.as_ref().map(|slope| b.1.sub(&slope.mul(&width)).upper().max(b.1.upper())));
        if let (Some(left), Some(right)) = (left, right) {
            // The left line rises and the right one falls: both are highest where they meet.
            if left.lower().is_positive() && right.upper().is_negative() {
                let along = b.1.sub(&a.1).sub(&right.mul(&width)).div(&left.sub(&right))?;
                bounds.push(a.1.add(&left.mul(&along)).upper());
            }
        }
        let bound = bounds.into_iter().min()?;
        most = Some(most.map_or(bound.clone(), |most| most.max(bound)));
    }
    most
}

#[cfg(test)]
#[allow(clippy::float_arithmetic, reason = "an independent check in doubles")]
mod tests {
    use super::super::tests::{brute, plan, profile, profiles};
    use super::*;
    use crate::exact::parse;

    /// The least type-II error by the Neyman–Pearson lemma: reject where P/Q is least, a part of an outcome at random, as long as P allows.
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
        crate::account::Plan::new().with(&Domination::by(Pair::Finite(pair)), copies)
    }

    /// 0.9·(1 − 0.1) in the one order, 8/9 in the other. The larger δ of both directions says 0.8, which no test reaches.
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
        let plan = crate::account::Plan::new().with(&crate::account::domination(&spec.parse().unwrap()).unwrap(), 1);
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
            let found = trade_off(&forward, &backward, &Probability::new(rate).unwrap()).unwrap();
            proptest::prop_assert!(found.contains(&truth), "{found} {truth}");
            // Without false positives, all rests on δ past the last point, of which points say nothing.
            proptest::prop_assert!(parts == 0 || found.width() < parse("1/5").unwrap(), "{found} {truth}");
        }
    }
}
