//! The trade-off curve (f-DP): the least type-II error of a test between neighbouring inputs, for its type-I error.

use alloc::vec::Vec;

use num_traits::{One, Signed, Zero};

use super::ProfilePoint;
use crate::exact::{Enclosure, Probability, Rational};

const BITS: u32 = 128;

/// Encloses f(a), the least false-negative rate of any test between two neighbouring inputs, in either order, whose false-positive rate is at most a:
///
/// f(a) = sup_{ε≥0} max(0, 1 − δ(ε) − e^ε·a, e^-ε·(1 − δ(ε) − a))
///
/// (Dong, Roth and Su 2022, Proposition 2.13), from δ at some epsilons, the first of them 0, rising. Every ε gives a lower bound. The upper
/// bound fills the gaps: δ is convex in t = e^ε, so 1 − δ − t·a is concave in t, and e^-ε(1 − δ − a), its perspective, is concave in e^-ε; a concave
/// function is below the straight line through two neighbouring points, outside of them. Hence more points make it narrower, in proportion to
/// the square of their distance, and any points will do.
///
/// `None` if there are fewer than three points, they do not rise from 0, or an ε is beyond 2^20.
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
/// let rate = trade_off(&points, &Probability::new(parse("1/4")?)?).expect("three points");
/// assert!(rate.contains(&parse("1/4")?), "{rate}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn trade_off(points: &[ProfilePoint], false_positives: &Probability) -> Option<Enclosure> {
    let rises = points.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0));
    if points.len() < 3 || !rises || !points.first()?.0.get().is_zero() {
        return None;
    }
    let (one, zero) = (Enclosure::from_integer(1, BITS), Enclosure::from_integer(0, BITS));
    let rate = Enclosure::from_rational(false_positives.get(), BITS);
    let point = |epsilon: &Rational| Enclosure::from_rational(epsilon, BITS).exp(BITS).map(|t| t.at_precision(BITS));
    // (t, 1 − δ − t·a), t rising from 1; and (1/t, (1 − δ − a)/t), rising from (0, 0).
    let mut direct: Vec<(Enclosure, Enclosure)> = Vec::new();
    let mut inverse = Vec::from([(zero.clone(), zero)]);
    for (epsilon, delta) in points {
        let delta = delta.at_precision(BITS);
        let t = point(epsilon.get())?;
        direct.push((t.clone(), one.sub(&delta).sub(&t.mul(&rate))));
        let falling = point(&-epsilon.get())?;
        inverse.insert(1, (falling.clone(), falling.mul(&one.sub(&delta).sub(&rate))));
    }
    let lower = direct.iter().chain(&inverse).map(|(_, y)| y.lower()).max()?.max(Rational::zero());

    // Past the last t: 1 − δ − t·a ≤ 1 − t·a; and no more than at the last, if it falls there.
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
    use super::super::tests::{brute, plan, profile};
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
                let found = trade_off(&points, &Probability::new(a.clone()).unwrap()).unwrap();
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
        let found = trade_off(&points, &Probability::new(parse("0.1").unwrap()).unwrap()).unwrap();
        let truth = parse(&alloc::format!("{:.12}", neyman_pearson(&brute("gaussian(sigma=1)"), 0.1))).unwrap();
        assert!(found.contains(&truth), "{found} {truth}");
        assert!(trade_off(&points[1..], &Probability::new(parse("0.1").unwrap()).unwrap()).is_none());
        assert!(trade_off(&points[..2], &Probability::new(parse("0.1").unwrap()).unwrap()).is_none());
    }
}
