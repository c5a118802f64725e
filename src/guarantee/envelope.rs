//! A pair from upper bounds of its profile.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{FinitePair, Guarantee, Privacy};
use crate::exact::{Probability, Rational, Real};

/// A pair that dominates every symmetric pair whose profile is at most `delta` at e^ε = `ratio`, for each
/// (ratio, delta) with ratio ≥ 1.
///
/// A profile f, as a function of E = e^ε, is convex, falls, is 1 at E = 0 and at least 1 − E. A symmetric one
/// satisfies f(E) = 1 − E + E·f(1/E), so that a bound at E is one at 1/E as well. The lower convex hull h of
/// the bounds is at least f: on the bounds' ratios the polygon through f is convex and below them, hence
/// below h, and f is below its own polygon, and constant h beyond the last ratio is at least f, which falls.
/// And h is the profile of a pair (Zhu, Dong and Wang 2022, Proposition 8): Q has the mass h′(E+) − h′(E−) on
/// the likelihood ratio E.
///
/// "Connect the dots" of Doroshenko et al. 2022 is this with the profile's own values.
pub(super) fn dominating(bounds: &[(Rational, Rational)]) -> FinitePair {
    let (zero, one) = (Rational::zero(), Rational::one());
    let mut points = Vec::from([(zero.clone(), one.clone())]);
    for (ratio, delta) in bounds.iter().filter(|(ratio, _)| *ratio >= one) {
        let delta = delta.clone().clamp(zero.clone(), one.clone());
        points.push((ratio.recip(), &one - ratio.recip() + &delta / ratio));
        points.push((ratio.clone(), delta));
    }
    points.sort();
    points.dedup_by(|next, kept| next.0 == kept.0);
    // A profile falls: what bounds it at a ratio bounds it at every larger one.
    let mut least = one;
    for (_, delta) in &mut points {
        least = least.min(delta.clone());
        *delta = least.clone();
    }
    let hull = lower_hull(&points);
    pair(&hull).unwrap_or_else(FinitePair::revealing)
}

/// A pair that dominates whatever is ρ-zCDP: through the conversions of δ = 2^-1, …, 2^-40, and on to 2^-200
/// (Canonne, Kamath and Steinke 2020, Proposition 12).
pub(super) fn concentrated(guarantee: &Guarantee) -> FinitePair {
    let exponents = (1..=40_u32).chain((48..=200).step_by(8));
    let bounds: Option<Vec<_>> = exponents
        .map(|exponent| {
            let delta = Rational::new(BigInt::one(), BigInt::one() << exponent);
            let stated = guarantee.to_approximate(&Real::from(delta.clone())).ok()?;
            let Privacy::Approximate { epsilon, .. } = stated.privacy() else { return None };
            // The profile falls, so that δ bounds it at any ratio from e^ε on.
            Some((epsilon.exp().at_most(64)?, delta))
        })
        .collect();
    // Where e^ε is beyond what is formed, nothing is promised.
    bounds.map_or_else(FinitePair::revealing, |bounds| dominating(&bounds))
}

fn slope(a: &(Rational, Rational), b: &(Rational, Rational)) -> Rational {
    (&b.1 - &a.1) / (&b.0 - &a.0)
}

/// The lower convex hull of points sorted by their first coordinate, which are all different.
fn lower_hull(points: &[(Rational, Rational)]) -> Vec<(Rational, Rational)> {
    let mut hull: Vec<(Rational, Rational)> = Vec::new();
    for point in points {
        while let [.., before, last] = hull.as_slice()
            && slope(before, last) >= slope(last, point)
        {
            hull.pop();
        }
        hull.push(point.clone());
    }
    hull
}

/// The pair whose profile is the polygon through these points, from (0, 1) on, and constant after the last.
fn pair(hull: &[(Rational, Rational)]) -> Option<FinitePair> {
    let mut before = -Rational::one();
    let mut outcomes = Vec::with_capacity(hull.len() + 1);
    for (index, point) in hull.iter().enumerate() {
        let after = hull.get(index + 1).map_or_else(Rational::zero, |next| slope(point, next));
        let q = &after - &before;
        if q.is_negative() {
            return None;
        }
        outcomes.push((Probability::new(&q * &point.0).ok()?, Probability::new(q).ok()?));
        before = after;
    }
    // What P has where Q has nothing.
    let (_, revealed) = hull.last()?;
    outcomes.push((Probability::new(revealed.clone()).ok()?, Probability::new(Rational::zero()).ok()?));
    FinitePair::from_probabilities(outcomes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    /// δ of a pair with rational weights at a rational e^ε.
    fn profile(pair: &FinitePair, ratio: &Rational) -> Rational {
        let excess = |p: &Rational, q: &Rational| (p - ratio * q).max(Rational::zero());
        pair.outcomes().iter().map(|(p, q)| excess(p.factor.get(), q.factor.get())).sum()
    }

    /// Through the points of a convex bound the pair's profile passes exactly; a point above the hull is not
    /// reached.
    #[test]
    fn the_profile_passes_through_the_hull() {
        let bounds =
            [(rational(1, 1), rational(2, 5)), (rational(2, 1), rational(1, 8)), (rational(4, 1), rational(1, 100))];
        let pair = dominating(&bounds);
        assert_ne!(pair, FinitePair::revealing());
        for (ratio, delta) in &bounds {
            assert_eq!(profile(&pair, ratio), *delta);
            let mirrored = ratio.recip();
            assert_eq!(profile(&pair, &mirrored), rational(1, 1) - &mirrored + &mirrored * delta);
        }
        assert_eq!(profile(&pair, &rational(100, 1)), rational(1, 100));
        let with_a_loose_one =
            [bounds.as_slice(), &[(rational(3, 1), rational(1, 2)), (rational(9, 1), rational(1, 3))]].concat();
        assert_eq!(dominating(&with_a_loose_one), pair);
    }

    /// The responses with ratio 3: its own values at its only losses give it back.
    #[test]
    fn a_response_comes_back() {
        let pair = dominating(&[(rational(3, 1), rational(0, 1))]);
        for ratio in 1..5 {
            let expected = (rational(3, 4) - rational(ratio, 4)).max(Rational::zero());
            assert_eq!(profile(&pair, &rational(ratio, 1)), expected);
        }
    }
}
