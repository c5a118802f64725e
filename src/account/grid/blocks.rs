//! A pair of many outcomes, replaced by pairs of few from both sides: blocks of outcomes with losses close to each other.
//!
//! The curve h is met at some points x₁ < … < x_n, as in [`super::dots`], here no grid but as close as the losses are: those of a subsampled pair lie as those of
//! the pair that it mixes, at ln(1 − r + r·e^l).
//!
//! * **Above**: the dots connected, a measure of losses ln xᵢ.
//! * **Below**: whoever is told only between which two points an outcome's ratio lies. The sets {P ≥ xᵢ·Q} that touch the curve contain each other; their
//!   differences have P and Q, of which P may be lowered and Q raised.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::{Atom, Atoms, nothing},
    curve::{self, Curve, Touch, span},
    dots::pessimistic,
    fixed::{Range, exp, floor, ln_scaled},
};
use crate::{
    exact::{Enclosure, Rational, exponential},
    guarantee::Pair,
};

/// How many blocks for each binary digit of what is left out: so that the probability of one is like that of the next.
const EACH: u32 = 48;

/// About the steps that they take.
pub(super) fn cost(pair: &Pair, tail: u32, bits: u32) -> u64 {
    let points = u64::from(tail) * u64::from(EACH);
    curve::cost(pair, points, bits).saturating_add(points.saturating_mul(4 * exponential(bits)))
}

/// The pair below and the pair above, of which a share of about 2^-tail is left out; probabilities and losses are over 2^bits.
pub(super) fn blocks(pair: &Pair, tail: u32, bits: u32) -> Option<(Atoms, Atoms)> {
    let points = points(pair, tail, bits)?;
    let mut curve = Curve::new(pair, bits)?;
    let touches: Vec<Touch> = points.iter().map(|x| curve.touch(x)).collect::<Option<_>>()?;
    let all = curve.touch(&BigInt::one())?;
    Some((below(&all, &touches, tail, bits), above(points, &touches, bits)?))
}

/// Where the curve is met, in rising order, over 2^bits: any will do.
fn points(pair: &Pair, tail: u32, bits: u32) -> Option<Vec<BigInt>> {
    let mut points = match pair {
        Pair::Subsampled { rate, of, reversed } => {
            let (hit, miss) = (floor(rate.get(), bits), floor(&(Rational::one() - rate.get()), bits));
            let mixed = points(of, tail, bits)?.into_iter().map(|x| &miss + ((&hit * x) >> bits));
            let apart = thinned(mixed, &hit, floor(&spacing(of, tail)?, bits), bits);
            let inverse = |x: BigInt| (BigInt::one() << (2 * bits)).checked_div(&x);
            if *reversed { apart.into_iter().rev().filter_map(inverse).collect() } else { apart }
        }
        _ => {
            let ratio = Range::of(&exp(&spacing(pair, tail)?, bits)?, bits).lower;
            // At most e^high at last, so that what is there is met.
            let mut x = Range::of(&exp(&span(pair, tail)?.0, bits)?, bits).lower;
            let mut points = Vec::new();
            for _ in 0..=tail.checked_mul(EACH)? {
                points.push(x.clone());
                x = (x * &ratio) >> bits;
            }
            points
        }
    };
    points.dedup();
    points.retain(Signed::is_positive);
    Some(points)
}

/// How far apart losses are met.
fn spacing(pair: &Pair, tail: u32) -> Option<Rational> {
    let (low, high) = span(pair, tail)?;
    Some((high - low) / BigInt::from(tail.checked_mul(EACH)?))
}

/// Of rising points x = 1 − r + r·x′ those that are further apart than so much of x and of r, and the last: mixed, small x′ are hardly told apart.
fn thinned(points: impl Iterator<Item = BigInt>, rate: &BigInt, spacing: BigInt, bits: u32) -> Vec<BigInt> {
    let mut kept: Vec<BigInt> = Vec::new();
    let mut points = points.peekable();
    while let Some(x) = points.next() {
        let is_close = kept.last().is_some_and(|last| &x - last < (rate.min(last) * &spacing) >> bits);
        if !is_close || points.peek().is_none() {
            kept.push(x);
        }
    }
    kept
}

/// ln x of a number over 2^bits.
fn loss(x: &Range, bits: u32) -> Option<Enclosure> {
    let ln = |x: &BigInt| if x.is_positive() { ln_scaled(x.magnitude(), bits, bits) } else { None };
    Some(ln(&x.lower)?.hull(&ln(&x.upper)?))
}

fn above(points: Vec<BigInt>, touches: &[Touch], bits: u32) -> Option<Atoms> {
    let points: Vec<Range> = points.into_iter().map(Range::point).collect();
    let mut listed = Vec::new();
    for (p, x) in pessimistic(&points, touches, bits).into_iter().zip(&points) {
        let over = &p << bits;
        let q = Range { lower: over.div_floor(&x.upper), upper: over.div_ceil(&x.lower) };
        if p.is_positive() {
            listed.push(Atom { p: Range::point(p), q, loss: loss(x, bits)? });
        }
    }
    let infinite = Range { lower: BigInt::zero(), upper: touches.last()?.upper.clone().max(BigInt::zero()) };
    Some(Atoms { listed, above: (infinite, Range::point(BigInt::zero())), below: nothing() })
}

/// `all` is nearly everything; what is less likely than 2^-tail by much is left out.
fn below(all: &Touch, touches: &[Touch], tail: u32, bits: u32) -> Atoms {
    let mut listed = Vec::new();
    let mut last: Option<(&Range, &Range)> = None;
    let none = nothing();
    let sets = [all].into_iter().chain(touches).map(|touch| (&touch.p, &touch.q)).chain([(&none.0, &none.1)]);
    for (p, q) in sets {
        if let Some((p_before, q_before)) = last {
            // Of two sets the one with certainly less is the smaller.
            let (p, q) = (&p_before.lower - &p.upper, &q_before.upper - &q.lower);
            if !p.is_positive() {
                continue;
            }
            // Where Q may be nothing the loss may be any, and the block is left out.
            if q.is_positive() && p.bits() + u64::from(tail) + 16 > u64::from(bits) {
                let over = &p << bits;
                let ratio = Range { lower: over.div_floor(&q), upper: over.div_ceil(&q) };
                if let Some(loss) = loss(&ratio, bits) {
                    listed.push(Atom { p: Range::point(p), q: Range::point(q), loss });
                }
            }
        }
        last = Some((p, q));
    }
    Atoms { listed, above: nothing(), below: nothing() }
}

#[cfg(test)]
mod tests {
    use alloc::{boxed::Box, format};

    use proptest::prelude::*;

    use super::*;
    use crate::{account::grid::atoms::atoms, exact::Probability, mechanism::domination};

    const BITS: u32 = 256;

    /// Σ (p − x·q)₊ at least and at most, over 2^bits, with what is left out above.
    fn worth(of: &Atoms, x: &BigInt) -> Range {
        let mut sum = Range { lower: of.above.0.lower.clone(), upper: of.above.0.upper.clone() };
        for Atom { p, q, .. } in &of.listed {
            sum.lower += (&p.lower - ((x * &q.upper) >> BITS) - 1_u32).max(BigInt::zero());
            sum.upper += (&p.upper - ((x * &q.lower) >> BITS)).max(BigInt::zero());
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Noise of some hundreds of outcomes, listed one by one: at every x blocks are above and below, and by little. Their losses are those of their P and Q.
        #[test]
        fn the_truth_is_between(
            is_laplace: bool,
            scale in 2_u32..40,
            sensitivity in 1_u32..60,
            rate in prop::option::of((1_u64..1000, 0_u32..5)),
            reversed: bool,
            losses in prop::collection::vec(-2000_i64..2000, 8),
        ) {
            let name = if is_laplace { "laplace(scale" } else { "gaussian(sigma" };
            let pair = domination(&format!("{name}={scale}, sensitivity={sensitivity})").parse().unwrap()).unwrap();
            let pair = pair.forward()[0].clone();
            let pair = match rate {
                None => pair,
                Some((n, zeros)) => {
                    let rate = Probability::new(Rational::new(n.into(), BigInt::from(1000) * BigInt::from(10).pow(zeros))).unwrap();
                    Pair::Subsampled { rate, of: Box::new(pair), reversed }
                }
            };
            let truth = atoms(&pair, BITS, BITS).unwrap();
            let (below, above) = blocks(&pair, 64, BITS).unwrap();
            for Atom { p, q, loss } in below.listed.iter().chain(&above.listed) {
                let ratio = exp(&loss.lower(), BITS).unwrap().lower() * Rational::from_integer(q.lower.clone());
                prop_assert!(ratio <= Rational::from_integer(&p.upper + 1_u32));
                let ratio = exp(&loss.upper(), BITS).unwrap().upper() * Rational::from_integer(&q.upper + 1_u32);
                prop_assert!(ratio >= Rational::from_integer(p.lower.clone()));
            }
            // Where losses are: those of the mixed pair are up to about r.
            let scale = rate.map_or_else(Rational::one, |(n, zeros)| Rational::new(n.into(), BigInt::from(1000) * BigInt::from(10).pow(zeros)));
            for loss in losses {
                let x = Range::of(&exp(&(Rational::new(loss.into(), 400.into()) * &scale), BITS).unwrap(), BITS).lower;
                let (least, most, truth) = (worth(&below, &x), worth(&above, &x), worth(&truth, &x));
                prop_assert!(least.lower <= truth.upper && truth.lower <= most.upper);
                // Of the second order of the spacing, and what is left out.
                let open = (floor(&scale, BITS) >> 10_u32) + (BigInt::one() << (BITS - 60));
                prop_assert!(most.upper - least.lower <= open);
            }
        }
    }
}
