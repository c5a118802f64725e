//! Gaussian privacy: the one number μ of the Gaussian mechanism that is no more private.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::ProfilePoint;
use crate::exact::{Enclosure, NonNegative, Rational, normal_tail};

const BITS: u32 = 96;

/// The μ of a Gaussian mechanism that a plan is as private as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaussianDp {
    /// Encloses the smallest μ with δ(ε) ≤ δ_μ(ε) for every ε from 0 to `up_to`.
    pub mu: Enclosure,
    /// The last ε that was looked at.
    pub up_to: NonNegative,
    /// Whether δ is 0 from there on, so that the plan is μ-GDP without reserve.
    pub everywhere: bool,
}

/// Encloses the smallest μ such that δ(ε) ≤ δ_μ(ε) for every ε from 0 to the last one given, where
///
/// δ_μ(ε) = Φ̄(ε/μ − μ/2) − e^ε·Φ̄(ε/μ + μ/2)
///
/// is the profile of N(0, 1) and N(μ, 1) (Dong, Roth and Su 2022, Corollary 2.13). If δ is 0 from the last ε
/// on, the plan is μ-GDP; if not, this is what it claims and no more: beyond, δ is at most what it is there.
///
/// Lower bound: a μ whose δ_μ is below δ at one of the points is too small. Upper bound: between two points,
/// δ is convex in t = e^ε and so below its chord; δ_μ is convex in t with derivative −Φ̄(ε/μ + μ/2), and so
/// above its tangents at the two points. A μ is large enough if the tangents stay above the chord, which
/// three inequalities decide.
///
/// `None` if there are fewer than two points, they do not rise from 0, or no μ up to 2^10 is large enough.
///
/// ```
/// use certus::account::{Plan, Precision, delta, gaussian_dp};
/// use certus::{exact::{NonNegative, Rational, parse}, mechanism::from_spec};
///
/// let mechanism = from_spec(&"gaussian(sigma=2)".parse()?)?;
/// let plan = Plan::of(&mechanism.domination(), 1);
/// let points: Vec<_> = (0..=20).map(|i| {
///     let epsilon = NonNegative::new(Rational::new(i.into(), 10.into())).unwrap();
///     let delta = delta(&plan, &epsilon, &Precision { digits: 9 }).unwrap().enclosure;
///     (epsilon, delta)
/// }).collect();
/// // A discrete Gaussian of σ = 2 is nearly a Gaussian: μ is 1/2 and a little more.
/// let found = gaussian_dp(&points).expect("a Gaussian has one");
/// assert!(found.mu.lower() > parse("0.49")? && found.mu.upper() < parse("0.51")?, "{}", found.mu);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn gaussian_dp(points: &[ProfilePoint]) -> Option<GaussianDp> {
    let rises = points.windows(2).all(|pair| matches!(pair, [a, b] if a.0 < b.0));
    let (first, last) = (points.first()?, points.last()?);
    if points.len() < 2 || !rises || !first.0.get().is_zero() {
        return None;
    }
    let everywhere = last.1.upper().is_zero();
    let answer = |mu: Enclosure| Some(GaussianDp { mu, up_to: last.0.clone(), everywhere });
    if points.iter().all(|(_, delta)| delta.upper().is_zero()) {
        return answer(Enclosure::from_integer(0, 0));
    }
    let points = points.iter().map(|(epsilon, delta)| Node::new(epsilon.get(), delta)).collect::<Option<Vec<_>>>()?;
    // The least power of two that suffices, then thirteen digits of either bound.
    let mut power = 10_i32;
    if !suffices(&points, &two_to(power)) {
        return None;
    }
    while power > -40 && suffices(&points, &two_to(power - 1)) {
        power -= 1;
    }
    let unit = two_to(power - 13);
    let upper = least(&unit, |mu| suffices(&points, mu));
    let lower = least(&unit, |mu| !is_too_small(&points, mu)) - &unit;
    let mu = Enclosure::from_bounds(&lower.max(Rational::zero()).min(upper.clone()), &upper, 64)?;
    answer(mu)
}

fn two_to(power: i32) -> Rational {
    let magnitude = Rational::from_integer(BigInt::one() << power.unsigned_abs());
    if power < 0 { magnitude.recip() } else { magnitude }
}

/// The least m·unit, 1 ≤ m ≤ 2^13, that holds, by bisection: it holds at 2^13. Whatever is answered holds.
fn least(unit: &Rational, holds: impl Fn(&Rational) -> bool) -> Rational {
    let (mut low, mut high) = (0_u32, 1_u32 << 13);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if holds(&(unit * BigInt::from(middle))) {
            high = middle;
        } else {
            low = middle;
        }
    }
    unit * BigInt::from(high)
}

/// ε, t = e^ε, and δ.
struct Node {
    epsilon: Rational,
    t: Enclosure,
    delta: Enclosure,
}

impl Node {
    fn new(epsilon: &Rational, delta: &Enclosure) -> Option<Self> {
        let t = Enclosure::from_rational(epsilon, BITS).exp(BITS)?.at_precision(BITS);
        Some(Self { epsilon: epsilon.clone(), t, delta: delta.clone() })
    }
}

/// δ_μ(ε), and Φ̄(ε/μ + μ/2), which is less its derivative in e^ε.
fn curve(node: &Node, mu: &Rational) -> Option<(Enclosure, Enclosure)> {
    let (ratio, half) = (&node.epsilon / mu, mu / BigInt::from(2));
    let falling = normal_tail(&(&ratio + &half), BITS)?;
    let delta = normal_tail(&(ratio - half), BITS)?.sub(&node.t.mul(&falling));
    Some((delta, falling))
}

/// Whether δ_μ is below δ at one of the points.
fn is_too_small(points: &[Node], mu: &Rational) -> bool {
    points.iter().any(|node| curve(node, mu).is_some_and(|(delta, _)| delta.upper() < node.delta.lower()))
}

/// Whether δ_μ ≥ δ is certain from the first point to the last.
fn suffices(points: &[Node], mu: &Rational) -> bool {
    let curves: Option<Vec<_>> = points.iter().map(|node| curve(node, mu)).collect();
    let Some(curves) = curves else { return false };
    let nodes: Vec<_> = points.iter().zip(&curves).collect();
    nodes.windows(2).all(|pair| match pair {
        [a, b] => is_above(*a, *b).unwrap_or(false),
        _ => false,
    })
}

/// Whether the tangents of δ_μ at two neighbouring points stay above the chord of δ between them.
fn is_above(
    (a, (at_a, falling_a)): (&Node, &(Enclosure, Enclosure)),
    (b, (at_b, falling_b)): (&Node, &(Enclosure, Enclosure)),
) -> Option<bool> {
    let exact = |bound: Rational| Enclosure::from_rational(&bound, BITS + 32);
    let (upper_a, upper_b) = (exact(a.delta.upper()), exact(b.delta.upper()));
    // How far δ_μ is above the chord, at either end; and how that distance grows with t there.
    let (over_a, over_b) = (at_a.sub(&upper_a), at_b.sub(&upper_b));
    if over_a.lower().is_negative() || over_b.lower().is_negative() {
        return Some(false);
    }
    let width = b.t.sub(&a.t);
    let chord = upper_b.sub(&upper_a).div(&width)?;
    let (grows_a, grows_b) = (falling_a.add(&chord).neg(), falling_b.add(&chord).neg());
    // The distance is convex. If it grows at a, or falls at b, it is least at an end.
    if !grows_a.lower().is_negative() || !grows_b.upper().is_positive() {
        return Some(true);
    }
    // Else it is at least what it is where the tangents meet: (g_b·o_a − g_a·o_b + g_a·g_b·w)/(g_b − g_a),
    // whose denominator is positive.
    let meet = grows_b.mul(&over_a).sub(&grows_a.mul(&over_b)).add(&grows_a.mul(&grows_b).mul(&width));
    Some(!meet.lower().is_negative())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{plan, profile};
    use super::*;
    use crate::exact::parse;

    fn mu(spec: &str, last: &str, n: u32) -> GaussianDp {
        gaussian_dp(&profile(&plan(&[spec]), last, n)).unwrap()
    }

    /// Randomized response is μ-GDP for μ = 2Φ⁻¹(3/4) = 1.348979…: its curve touches the Gaussian's at (1/4,
    /// 1/4), which is ε = 0.
    #[test]
    fn randomized_response() {
        let found = mu("randomized_response(gamma=1/4)", "1.2", 48);
        assert!(found.everywhere);
        let truth = parse("1.3489795003921634").unwrap();
        assert!(found.mu.contains(&truth) && found.mu.width() < parse("0.01").unwrap(), "{}", found.mu);
    }

    /// A discrete Gaussian is close to a Gaussian of the same σ. At ε = 0, δ is P(0), so that μ ≥ 2Φ⁻¹((1 +
    /// P(0))/2) = 0.50525 for σ = 2.
    #[test]
    fn discrete_gaussians() {
        for (sigma, expected) in [("2", "0.5"), ("3", "1/3")] {
            let found = mu(&alloc::format!("gaussian(sigma={sigma})"), "1", 20);
            assert!(!found.everywhere && found.up_to.get().is_one());
            let expected = parse(expected).unwrap();
            let close = |bound: Rational| (bound - &expected).abs() < &expected * parse("0.02").unwrap();
            assert!(close(found.mu.lower()) && close(found.mu.upper()), "{}", found.mu);
        }
    }

    /// With one interval only, the enclosure is wide and still right.
    #[test]
    fn few_points_enclose_too() {
        let (fine, coarse) = (mu("laplace(scale=1)", "1", 40), mu("laplace(scale=1)", "1", 1));
        assert!(fine.mu.intersects(&coarse.mu) && coarse.mu.lower() <= fine.mu.lower(), "{} {}", fine.mu, coarse.mu);
        assert!(coarse.mu.upper() >= fine.mu.lower());
    }

    /// A rare and telling output: δ(0) is tiny, and μ is decided between the points, where only the tangents
    /// see it.
    #[test]
    fn what_happens_between_two_points_counts() {
        let outcomes = [("0.99", "0.999"), ("0.01", "0.001")].map(|(p, q)| {
            let of = |text| crate::exact::Probability::new(parse(text).unwrap()).unwrap();
            (of(p), of(q))
        });
        let pair = crate::guarantee::FinitePair::from_probabilities(outcomes.to_vec()).unwrap();
        let pair = crate::guarantee::Domination::by(crate::guarantee::Pair::Finite(pair));
        let plan = crate::account::Plan::of(&pair, 1);
        let of = |n| gaussian_dp(&profile(&plan, "2.5", n)).unwrap().mu;
        let (coarse, fine) = (of(1), of(40));
        assert!(fine.lower() > parse("0.4").unwrap() && coarse.upper() >= fine.lower(), "{coarse} {fine}");
    }

    #[test]
    fn no_mu_and_none_needed() {
        assert_eq!(gaussian_dp(&profile(&plan(&["randomized_response(p=1)"]), "1", 4)), None);
        let nothing = mu("randomized_response(gamma=0)", "1", 4);
        assert!(nothing.everywhere && nothing.mu.upper().is_zero());
    }
}
