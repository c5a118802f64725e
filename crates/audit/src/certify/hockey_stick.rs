//! δ(ε) between two inputs, from the enumerated masses of the shipped code: an audit without statistics.

use num_bigint::{BigInt, BigUint};

use super::Masses;
use certus::exact::{Enclosure, NonNegative, Rational, exp_neg};

/// Encloses Σ_y max(P(y) − e^ε·Q(y), 0) for the two enumerated distributions.
///
/// Let Lₚ, L_q be the lower bounds and uₚ, u_q what they leave unresolved. With S = {Lₚ > e^ε·L_q}, the truth
/// is at least P(S) − e^ε·Q(S) ≥ Σ_S (Lₚ − e^ε·L_q) − e^ε·u_q, since Q exceeds its lower bounds by u_q in
/// all. And it is at most Σ_S (Lₚ − e^ε·L_q) + uₚ, since raising P by uₚ in all raises the sum by at most as
/// much, and raising Q never does. So the width is uₚ + e^ε·u_q.
///
/// Nothing where the masses of either are incoherent (they add up to more than 1), or e^-ε is nothing at this
/// precision.
///
/// ```
/// use certus_audit::certify::{enumerable, hockey_stick};
/// use certus::exact::{NonNegative, Rational};
///
/// let noise = enumerable(&"laplace(scale=2)".parse()?)?;
/// let masses = |input: &str| noise.structural(input, 60, &mut |_| {}).unwrap();
/// let half = NonNegative::new(Rational::new(1.into(), 2.into())).unwrap();
/// let delta = hockey_stick(&masses("0"), &masses("1"), &half).unwrap();
/// assert!(delta.lower() == Rational::from_integer(0.into()));
/// assert!(delta.upper() < Rational::new(1.into(), (1u64 << 50).into()));
/// # Ok::<(), certus::mechanism::SpecError>(())
/// ```
#[must_use]
pub fn hockey_stick<O: Ord>(p: &Masses<O>, q: &Masses<O>, epsilon: &NonNegative) -> Option<Enclosure> {
    if !p.coherent || !q.coherent {
        return None;
    }
    let precision = p.precision().max(q.precision()).checked_add(16)?;
    let of = |mass: &BigUint, unit: u32| {
        let unit = BigInt::from(BigUint::from(1u32) << unit);
        Enclosure::enclosing(&Rational::new(BigInt::from(mass.clone()), unit), precision)
    };
    // e^-ε·P − Q, divided by e^-ε at the end.
    let falling = exp_neg(epsilon, precision).at_precision(precision);
    let sum = excess(p, q, &falling, precision)?;
    let (slack_p, slack_q) = (of(p.unresolved(), p.precision())?, of(q.unresolved(), q.precision())?);
    let least = sum.sub(&slack_q).max_zero().div(&falling)?;
    let most = sum.add(&slack_p.mul(&falling)).div(&falling)?;
    Some(least.hull(&most))
}

/// Encloses Σ_y max(e^-ε·Lₚ(y) − L_q(y), 0). Outputs without a lower bound under P add nothing.
///
/// On integers: masses in units of u = 2^-precision, e^-ε too, their products in units of u². Only the ends
/// of e^-ε are rounded.
fn excess<O: Ord>(p: &Masses<O>, q: &Masses<O>, falling: &Enclosure, precision: u32) -> Option<Enclosure> {
    let one = BigInt::from(1) << precision;
    let ends = [falling.lower(), falling.upper()].map(|end| end * Rational::from_integer(one.clone()));
    // Whole numbers, as the enclosure is at this precision; rounded outward if they were not.
    let ends = [ends.first()?.floor().to_integer(), ends.last()?.ceil().to_integer()];
    let (finer_p, finer_q) = (precision.checked_sub(p.precision())?, precision.checked_sub(q.precision())?);
    let mut sums = [BigInt::ZERO, BigInt::ZERO];
    for (output, mass) in p.lower() {
        let mass = BigInt::from(mass << finer_p);
        let other = q.lower().get(output).map_or(BigInt::ZERO, |other| BigInt::from(other << finer_q) << precision);
        for (sum, end) in sums.iter_mut().zip(&ends) {
            *sum += (&mass * end - &other).max(BigInt::ZERO);
        }
    }
    let [least, most] = sums.map(|sum| Rational::new(sum, &one * &one));
    Enclosure::from_bounds(&least, &most, precision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::enumerable;
    use certus::mechanism::Outcome;

    fn masses(spec: &str, input: i64, depth: u32) -> Masses<Outcome> {
        let mechanism = enumerable(&spec.parse().unwrap()).unwrap();
        mechanism.structural(&std::format!("{input}"), depth, &mut |_| {}).unwrap()
    }

    fn epsilon(n: i64, d: i64) -> NonNegative {
        NonNegative::new(Rational::new(n.into(), d.into())).unwrap()
    }

    /// δ(ε) = 3/4 − e^ε/4 for a response with γ = 1/4: 1/2 at 0, and 0 from ln 3 on.
    #[test]
    fn responses() {
        let (p, q) = (masses("randomized_response(gamma=1/4)", 0, 60), masses("randomized_response(gamma=1/4)", 1, 60));
        let half = Rational::new(1.into(), 2.into());
        assert!(hockey_stick(&p, &q, &epsilon(0, 1)).unwrap().contains(&half));
        assert!(hockey_stick(&p, &q, &epsilon(109, 100)).unwrap().lower() > Rational::from_integer(0.into()));
        assert!(hockey_stick(&p, &q, &epsilon(110, 100)).unwrap().lower() == Rational::from_integer(0.into()));
    }

    /// The truth of a deep enumeration is inside the bounds of every shallow one, and these are no wider than
    /// the slack allows.
    #[test]
    fn a_shallow_enumeration_encloses_the_deep_one() {
        for spec in ["gaussian(sigma=2)", "laplace(scale=3)"] {
            let deep = |e: &NonNegative| hockey_stick(&masses(spec, 0, 100), &masses(spec, 2, 100), e).unwrap();
            for depth in [3, 6, 12, 24] {
                let (p, q) = (masses(spec, 0, depth), masses(spec, 2, depth));
                for e in [epsilon(0, 1), epsilon(1, 3), epsilon(1, 1)] {
                    let (shallow, truth) = (hockey_stick(&p, &q, &e).unwrap(), deep(&e));
                    assert!(shallow.lower() <= truth.lower() && truth.upper() <= shallow.upper(), "{spec} {depth}");
                    // uₚ + e^ε·u_q with e ≤ 3.
                    assert!(shallow.width() <= Rational::new(5.into(), (1u64 << depth).into()));
                }
            }
        }
    }
}
