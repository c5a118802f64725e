//! Plans and pairs without what loses nothing.

use alloc::{boxed::Box, vec::Vec};

use num_traits::{One, Zero};

use super::{Direction, Plan};
use crate::guarantee::{FinitePair, Pair, Weight};

/// The directions of a plan without what loses nothing: subsampling at rate 1 is none, and at rate 0, at no
/// distance, or where P = Q, there is no loss.
pub(super) fn directions(plan: &Plan) -> Vec<Direction> {
    let simple = |direction: &Direction| -> Direction {
        let parts = direction.iter().map(|part| {
            let mut pairs: Vec<Pair> = part.pairs().iter().filter_map(simplified).collect();
            pairs.sort();
            pairs.dedup();
            (pairs, part.copies())
        });
        Direction::of(parts.filter(|(pairs, _)| !pairs.is_empty()))
    };
    let mut directions: Vec<Direction> = plan.directions().iter().map(simple).collect();
    directions.dedup();
    directions
}

/// A pair without subsampling that is none; `None` if nothing is lost: at rate 0, at no distance, or where
/// P = Q outcome by outcome.
fn simplified(pair: &Pair) -> Option<Pair> {
    match pair {
        Pair::Laplace { shift, .. } | Pair::Gaussian { shift, .. } if shift.is_zero() => None,
        Pair::Subsampled { rate, .. } if rate.get().is_zero() => None,
        Pair::Subsampled { rate, of, reversed } => {
            let of = simplified(of)?;
            Some(match (rate.get().is_one(), reversed) {
                (true, false) => of,
                (true, true) => of.reversed(),
                (false, _) => Pair::Subsampled { rate: rate.clone(), of: Box::new(of), reversed: *reversed },
            })
        }
        Pair::Finite(finite) if is_equal(finite) => None,
        other => Some(other.clone()),
    }
}

/// Whether P = Q: every outcome has the same quotient of its two weights c·e^-x and c′·e^-x′, that of the
/// sums. Such quotients (c/c′)·e^(x′−x) are equal only if both c/c′ and x′ − x are, since e to a rational
/// power other than 0 is irrational.
fn is_equal(pair: &FinitePair) -> bool {
    // Invariant #1 of a finite pair: no outcome has two weights of 0.
    let quotient = |(p, q): &(Weight, Weight)| {
        (!p.is_zero() && !q.is_zero()).then(|| (p.factor.get() / q.factor.get(), q.exponent.get() - p.exponent.get()))
    };
    let mut quotients = pair.outcomes().iter().map(quotient);
    let Some(Some(first)) = quotients.next() else { return false };
    quotients.all(|quotient| quotient.as_ref() == Some(&first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Probability;

    #[test]
    fn what_loses_nothing_is_left_out() {
        let of = |text: &str| crate::mechanism::domination(&text.parse().unwrap()).unwrap();
        let left = |text: &str| of(text).forward().iter().filter_map(simplified).count();
        for lossless in
            ["randomized_response(gamma=0)", "randomized_response(p=1/5, k=5)", "subsampled_gaussian(sigma=2, rate=0)"]
        {
            assert_eq!(left(lossless), 0, "{lossless}");
        }
        for lossy in ["randomized_response(gamma=1/1000)", "randomized_response(epsilon=1/1000, k=3)"] {
            assert_eq!(left(lossy), 1, "{lossy}");
        }
        let weight = |factor: i64, exponent: i64| {
            let of = |n: i64| crate::exact::NonNegative::new(crate::exact::Rational::from_integer(n.into())).unwrap();
            Weight { factor: of(factor), exponent: of(exponent) }
        };
        let finite = |outcomes: &[[(i64, i64); 2]]| {
            let outcomes = outcomes.iter().map(|[p, q]| (weight(p.0, p.1), weight(q.0, q.1))).collect();
            Pair::Finite(FinitePair::new(outcomes).unwrap())
        };
        // Q's weights are P's times 2/e: the same distribution, and so when it is sampled.
        let same = finite(&[[(1, 0), (2, 1)], [(3, 1), (6, 2)]]);
        assert_eq!(simplified(&same), None);
        let rate = Probability::new(crate::exact::parse("1/2").unwrap()).unwrap();
        assert_eq!(simplified(&Pair::Subsampled { rate, of: Box::new(same), reversed: true }), None);
        // Other factors, other exponents, and an outcome of one side.
        for other in [
            finite(&[[(1, 0), (2, 1)], [(3, 1), (5, 2)]]),
            finite(&[[(1, 0), (2, 1)], [(3, 1), (6, 3)]]),
            finite(&[[(1, 0), (1, 0)], [(0, 0), (1, 0)]]),
            finite(&[[(0, 0), (1, 0)], [(1, 0), (0, 0)]]),
        ] {
            assert_eq!(simplified(&other), Some(other.clone()));
        }
    }
}
