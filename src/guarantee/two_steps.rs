//! Two steps of add/remove as one change, on pairs of distributions.
//!
//! A pair (P, Q) has the curve F(α), the largest power of a test at level α: the largest P(S) where Q(S) ≤ α.
//! It is concave, rises from F(0), the probability of an infinite loss, to F(1) = 1, and says as much as the
//! profile: δ(ε) = max over α of F(α) − e^ε·α. The largest of several profiles is that of the concave hull of
//! the curves.
//!
//! A change takes two steps: from D with x to D without, whose pair is (P, Q), and on to D with y, whose pair
//! is (Q, P), with the curve G(α) = 1 − F⁻¹(1 − α). A test that rejects D with y with probability α rejects D
//! with at most G(α), and hence D with x with at most F(G(α)) (Dong, Roth and Su 2022, "Gaussian differential
//! privacy", Theorem 2.14). F∘G is the curve of a pair again, and of a symmetric one; G∘F is another, of the
//! two steps by way of D with both.

use alloc::vec::Vec;

use num_traits::{One, Zero};

use super::{FinitePair, Pair, Weight};
use crate::exact::{Enclosure, Positive, Probability, Rational, exp_neg};

/// Binary digits of irrational probabilities beyond those of the smallest, by which they are rounded to the
/// safe side.
const SPARE_BITS: u32 = 256;

/// The most binary digits of irrational probabilities.
const MOST_BITS: u32 = 8192;

/// A pair that dominates two steps of what these dominate together, (P, Q) and then (Q, P); nothing where
/// none is known.
pub(super) fn pair(pairs: &[Pair]) -> Option<Pair> {
    match pairs {
        [single] => noise(single).or_else(|| finite(pairs)),
        _ => finite(pairs),
    }
}

/// Of noise moved by Δ, the same noise moved by 2Δ: exactly F∘G, where F = G as noise is symmetric.
///
/// For log-concave noise the best tests between two shifts reject beyond a threshold t, and at t with some
/// probability γ. One and the same test (t, γ) is therefore best between 0 and Δ at its level α, best between
/// Δ and 2Δ at the level F(α) that it has there, and best between 0 and 2Δ at α. So its power at 2Δ is
/// F(F(α)), and also that of the curve of the shift 2Δ.
fn noise(pair: &Pair) -> Option<Pair> {
    Some(match pair {
        Pair::Laplace { scale, shift } => Pair::Laplace { scale: scale.clone(), shift: shift * 2u32 },
        Pair::Gaussian { variance, shift } => Pair::Gaussian { variance: variance.clone(), shift: shift * 2u32 },
        // A randomized response of ε has the curve of Laplace noise of scale 1/ε moved by 1.
        Pair::Finite(finite) => Pair::Laplace { scale: response(finite)?, shift: 2u32.into() },
        Pair::Subsampled { .. } => return None,
    })
}

/// 1/ε of a randomized response of ε > 0.
fn response(pair: &FinitePair) -> Option<Positive> {
    let exponent = pair.outcomes().iter().map(|(p, _)| &p.exponent).max()?;
    let scale = Positive::new(exponent.get().clone()).and_then(|epsilon| Positive::new(epsilon.get().recip())).ok()?;
    (*pair == FinitePair::responses(exponent, 1)).then_some(scale)
}

/// Of finite pairs, the curve F∘G itself: F the concave hull of theirs, with irrational probabilities rounded
/// to the safe side.
fn finite(pairs: &[Pair]) -> Option<Pair> {
    let mut vertices = Vec::new();
    for pair in pairs {
        let Pair::Finite(pair) = pair else { return None };
        vertices.extend(curve(masses(pair)?));
    }
    let forward = concave_hull(vertices);
    let backward = reversed(&forward);
    Some(Pair::Finite(from_curve(&composed(&backward, &forward))?))
}

/// Every outcome's probabilities (at least Pᵢ, at most Qᵢ): exactly these where they are rational.
///
/// A test that rejects outcome i with probability φᵢ has Σ φᵢ·Pᵢ and Σ φᵢ·Qᵢ; more of the former for less of
/// the latter is a curve above F.
fn masses(pair: &FinitePair) -> Option<Vec<(Rational, Rational)>> {
    let side = |side: fn(&(Weight, Weight)) -> &Weight| -> Option<Vec<(Rational, Rational)>> {
        let weights: Vec<&Weight> = pair.outcomes().iter().map(side).collect();
        if weights.iter().all(|weight| weight.exponent.get().is_zero()) {
            let total: Rational = weights.iter().map(|weight| weight.factor.get()).sum();
            return Some(weights.iter().map(|weight| weight.factor.get() / &total).map(|p| (p.clone(), p)).collect());
        }
        // e^-x has at most 3x/2 zeros after the binary point.
        let largest = weights.iter().map(|weight| weight.exponent.get()).max()?;
        let zeros = u32::try_from((largest * Rational::new(3.into(), 2.into())).ceil().to_integer()).ok()?;
        let bits = zeros.checked_add(SPARE_BITS).filter(|bits| *bits <= MOST_BITS)?;
        let value = |weight: &Weight| {
            exp_neg(&weight.exponent, bits).at_precision(bits).mul_rational(weight.factor.get()).at_precision(bits)
        };
        let values: Vec<Enclosure> = weights.into_iter().map(value).collect();
        let total = values.iter().fold(Enclosure::from_integer(0, bits), |sum, value| sum.add(value));
        let share = |value: &Enclosure| value.div(&total).map(|share| (share.lower(), share.upper()));
        values.iter().map(share).collect()
    };
    let (p, q) = (side(|(p, _)| p)?, side(|(_, q)| q)?);
    Some(p.into_iter().zip(q).map(|((_, p), (q, _))| (p, q.max(Rational::zero()))).collect())
}

/// A vertex (α, power).
type Vertex = (Rational, Rational);

/// The curve of outcomes with these probabilities, the likeliest under P first; from level 0 to (1, 1), and
/// nowhere above 1.
fn curve(mut masses: Vec<(Rational, Rational)>) -> Vec<Vertex> {
    // p/q against p′/q′, where q or q′ may be 0: an outcome of neither side is left out.
    masses.retain(|(p, q)| !(p.is_zero() && q.is_zero()));
    masses.sort_by(|(p, q), (other_p, other_q)| (other_p * q).cmp(&(p * other_q)));
    let one = Rational::one();
    let mut vertices = Vec::from([(Rational::zero(), Rational::zero())]);
    let (mut level, mut power) = (Rational::zero(), Rational::zero());
    for (p, q) in masses {
        let (next_level, next_power) = (&level + &q, &power + &p);
        if next_power >= one {
            // Where it reaches 1: rounded probabilities add up to a little more.
            let share = if p.is_zero() { Rational::zero() } else { (&one - &power) / &p };
            level += share * q;
            break;
        }
        (level, power) = (next_level, next_power);
        vertices.push((level.clone(), power.clone()));
    }
    vertices.push((level.min(one.clone()), one.clone()));
    vertices.push((one.clone(), one));
    vertices
}

/// The least concave curve above all these points, from level 0 to 1: one vertex a level.
fn concave_hull(mut points: Vec<Vertex>) -> Vec<Vertex> {
    points.sort();
    // Of one level, the highest, which is the last.
    points.reverse();
    points.dedup_by(|next, kept| next.0 == kept.0);
    points.reverse();
    let mut hull: Vec<Vertex> = Vec::new();
    for point in points {
        while let [.., before, last] = hull.as_slice()
            && rise(before, last) * (&point.0 - &last.0) <= rise(last, &point) * (&last.0 - &before.0)
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

fn rise(from: &Vertex, to: &Vertex) -> Rational {
    &to.1 - &from.1
}

/// The curve of (Q, P): (α, power) becomes (1 − power, 1 − α). It is read from the end.
fn reversed(curve: &[Vertex]) -> Vec<Vertex> {
    let one = Rational::one();
    let turned = curve.iter().rev().map(|(level, power)| (&one - power, &one - level));
    // Two at level 0 where F reaches 1 before the end, of which the higher is kept; and none at level 1 where
    // F(0) > 0.
    concave_hull(turned.chain([(one.clone(), one.clone())]).collect())
}

/// The curve at a level from 0 to 1.
fn at(curve: &[Vertex], level: &Rational) -> Rational {
    let after = curve.partition_point(|(other, _)| other < level);
    match (after.checked_sub(1).and_then(|before| curve.get(before)), curve.get(after)) {
        (_, Some((other, power))) if other == level => power.clone(),
        (Some(before), Some(next)) => &before.1 + rise(before, next) * (level - &before.0) / (&next.0 - &before.0),
        (None, Some((_, power))) | (Some((_, power)), None) => power.clone(),
        (None, None) => Rational::one(),
    }
}

/// The second curve after the first: its vertices are those of the first, and where that passes a level of
/// the second's.
fn composed(first: &[Vertex], second: &[Vertex]) -> Vec<Vertex> {
    let mut levels: Vec<Rational> = first.iter().map(|(level, _)| level.clone()).collect();
    for segment in first.windows(2) {
        let [from, to] = segment else { continue };
        let passed = second.iter().map(|(level, _)| level).filter(|level| from.1 < **level && **level < to.1);
        levels.extend(passed.map(|level| &from.0 + (level - &from.1) * (&to.0 - &from.0) / rise(from, to)));
    }
    levels.sort();
    levels.dedup();
    concave_hull(levels.into_iter().map(|level| (level.clone(), at(second, &at(first, &level)))).collect())
}

/// The pair whose curve this is: an outcome for each segment, and one that P alone has for F(0).
fn from_curve(curve: &[Vertex]) -> Option<FinitePair> {
    let probability = |value: Rational| Probability::new(value).ok();
    let (_, told) = curve.first()?;
    let mut outcomes = Vec::from([(probability(told.clone())?, probability(Rational::zero())?)]);
    for segment in curve.windows(2) {
        let [from, to] = segment else { continue };
        outcomes.push((probability(rise(from, to))?, probability(&to.0 - &from.0)?));
    }
    FinitePair::from_probabilities(outcomes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{Plan, Precision, delta},
        exact::NonNegative,
        guarantee::Domination,
    };
    use proptest::prelude::*;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    /// Exactly δ at a rational e^ε, of distributions over the same outcomes.
    fn profile(p: &[Rational], q: &[Rational], ratio: &Rational) -> Rational {
        p.iter().zip(q).map(|(p, q)| (p - ratio * q).max(Rational::zero())).sum()
    }

    fn sides(pair: &FinitePair) -> (Vec<Rational>, Vec<Rational>) {
        let side = |side: fn(&(Weight, Weight)) -> &Weight| {
            pair.outcomes().iter().map(|outcome| side(outcome).factor.get().clone()).collect()
        };
        (side(|(p, _)| p), side(|(_, q)| q))
    }

    fn as_pair(p: &[Rational], q: &[Rational]) -> Pair {
        let probability = |value: &Rational| Probability::new(value.clone()).unwrap();
        let outcomes = p.iter().zip(q).map(|(p, q)| (probability(p), probability(q))).collect();
        Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap())
    }

    fn normal(weights: &[i64]) -> Vec<Rational> {
        let total: i64 = weights.iter().sum();
        weights.iter().map(|weight| rational(*weight, total)).collect()
    }

    fn distribution() -> impl Strategy<Value = Vec<Rational>> {
        prop::collection::vec(0_i64..6, 3)
            .prop_filter_map("no weight", |weights| (weights.iter().sum::<i64>() > 0).then(|| normal(&weights)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Any three distributions, of D with x, D without, and D with y: what dominates each step dominates
        /// both together, either way.
        #[test]
        fn two_steps_are_dominated(with_x in distribution(), without in distribution(), with_y in distribution()) {
            // Forward is "with" first: of x, and of y.
            let listed = [as_pair(&with_x, &without), as_pair(&with_y, &without)];
            let Some(Pair::Finite(both)) = pair(&listed) else { panic!("finite pairs have two steps") };
            let (p, q) = sides(&both);
            for (n, d) in [(1, 9), (1, 3), (2, 3), (1, 1), (7, 5), (5, 2), (8, 1), (40, 1)] {
                let ratio = rational(n, d);
                let bound = profile(&p, &q, &ratio);
                prop_assert!(profile(&with_x, &with_y, &ratio) <= bound);
                prop_assert!(profile(&with_y, &with_x, &ratio) <= bound);
                // The pair is symmetric, as a change is.
                prop_assert_eq!(profile(&q, &p, &ratio), bound);
            }
        }

        /// The concave hull of several curves, not the compositions of each two: a domination is by the
        /// largest profile, which may be another's at every ε.
        #[test]
        fn a_pair_within_the_largest_profile_is_covered(
            a in distribution(), b in distribution(), c in distribution(), d in distribution()
        ) {
            let listed = [as_pair(&a, &b), as_pair(&c, &d)];
            let hull = concave_hull(listed.iter().flat_map(|pair| match pair {
                Pair::Finite(pair) => curve(masses(pair).unwrap()),
                _ => Vec::new(),
            }).collect());
            let within = Pair::Finite(from_curve(&hull).unwrap());
            let of = |pairs: &[Pair]| match pair(pairs) {
                Some(Pair::Finite(pair)) => sides(&pair),
                _ => panic!("finite"),
            };
            let ((p, q), (r, s)) = (of(&listed), of(&[within]));
            for ratio in [rational(1, 2), rational(1, 1), rational(3, 2), rational(6, 1)] {
                prop_assert_eq!(profile(&p, &q, &ratio), profile(&r, &s, &ratio));
            }
        }
    }

    fn at(pair: &Pair, epsilon: &Rational) -> Enclosure {
        let plan = Plan::of(&Domination::by(pair.clone()), 1);
        delta(&plan, &NonNegative::new(epsilon.clone()).unwrap(), &Precision::default()).unwrap().enclosure
    }

    /// Of a response the curve that is composed is that of Laplace noise moved by 2, to the digits that are
    /// kept.
    #[test]
    fn composed_curves_are_those_of_noise() {
        for (n, d) in [(1, 1), (1, 3), (5, 2)] {
            let epsilon = NonNegative::new(rational(n, d)).unwrap();
            let response = Pair::Finite(FinitePair::responses(&epsilon, 1));
            let Some(Pair::Laplace { scale, shift }) = pair(core::slice::from_ref(&response)) else { panic!("noise") };
            assert_eq!((scale.get().recip(), shift), (rational(n, d), 2u32.into()));
            let (composed, noise) =
                (finite(&[response]).unwrap(), Pair::Laplace { scale: scale.clone(), shift: 2u32.into() });
            for k in 0..=22 {
                let epsilon = rational(n, d) * rational(k, 10);
                let (composed, noise) = (at(&composed, &epsilon), at(&noise, &epsilon));
                let apart = (composed.upper() - noise.lower()).max(noise.upper() - composed.lower());
                assert!(apart < rational(1, 1 << 40), "{n}/{d} {k}: {composed} {noise}");
                assert!(composed.upper() >= noise.lower(), "{n}/{d} {k}: {composed} {noise}");
            }
        }
    }

    /// Binomial(n, 1/2) moved by 1 is log-concave noise with rational probabilities: composed it is the same
    /// moved by 2, exactly, what is revealed included.
    #[test]
    fn log_concave_noise_is_moved_twice_as_far() {
        for n in 1..=8_i64 {
            let choose = |k: i64| (0..k).fold(1_i64, |product, i| product * (n - i) / (i + 1));
            let weight = |k: i64| if (0..=n).contains(&k) { choose(k) } else { 0 };
            let moved = |by: i64| normal(&(0..=n + 2).map(|y| weight(y - by)).collect::<Vec<_>>());
            let Some(Pair::Finite(twice)) = pair(&[as_pair(&moved(0), &moved(1))]) else { panic!("finite") };
            let (p, q) = sides(&twice);
            for ratio in [rational(1, 5), rational(1, 1), rational(3, 2), rational(4, 1), rational(100, 1)] {
                assert_eq!(profile(&p, &q, &ratio), profile(&moved(0), &moved(2), &ratio), "{n} {ratio}");
            }
        }
    }

    #[test]
    fn subsampled_pairs_have_none() {
        let of = Pair::Laplace { scale: Positive::new(rational(1, 1)).unwrap(), shift: 1u32.into() };
        let rate = Probability::new(rational(1, 2)).unwrap();
        let sampled = Pair::Subsampled { rate, of: alloc::boxed::Box::new(of.clone()), reversed: false };
        assert_eq!(pair(core::slice::from_ref(&sampled)), None);
        assert_eq!(pair(&[of, sampled]), None);
    }
}
