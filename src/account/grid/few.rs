//! δ(ε) of few losses, each at its own place: no grid rounds what lies beside ε.
//!
//! With u = l − ε as in [`super::evaluate`], and ε between two multiples of the losses' unit: u is between (j − 1)·2^-fine and j·2^-fine.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use super::{
    convolution::Side,
    evaluate::{finish, halvings, most_of_a_path, scale},
    fixed::{ceil, exp, floor},
    place::{BITS, Bounds, ONE, Powers, SMALL, small_complement},
    sparse::Sparse,
};
use crate::exact::Rational;

/// δ(ε), rounded to the side, no finite loss being above `greatest`; `None` if a number is out of range.
pub(super) fn delta(few: &Sparse, theta: &Rational, epsilon: &Rational, greatest: &Rational) -> Option<Rational> {
    let below = floor(epsilon, few.fine).to_i64()?;
    let above = few.points.get(few.points.partition_point(|(i, _)| *i <= below)..)?;
    let mut sum = 0_u128;
    let mut small = 0;
    if let Some((last, _)) = above.last() {
        let widest = last.checked_sub(below)?.cast_unsigned();
        let digits = u64::BITS - widest.leading_zeros();
        // 2^-small is at least every u.
        small = few.fine.saturating_sub(digits);
        small = if small < SMALL { 0 } else { small };
        let by_theta = Powers::new(theta, few.fine, digits)?;
        let by_loss = Powers::new(&Rational::one(), few.fine, digits)?;
        // 1 − e^-u for u = j·2^-fine, over 2^(62 + small).
        let complement = |j: u64| -> Option<Bounds> {
            if small > 0 || few.fine.saturating_sub(u64::BITS - j.leading_zeros()) >= SMALL {
                return small_complement(j, few.fine, small);
            }
            by_loss.at(j).map(|power| (ONE - power.1, ONE - power.0))
        };
        let unit = Rational::new(BigInt::one(), BigInt::one() << few.fine);
        let between =
            ceil(&exp(&(theta * unit), BITS + 2)?.upper(), BITS).to_u128().filter(|factor| *factor <= 2 * ONE)?;
        for (i, mass) in above {
            let j = (i - below).cast_unsigned();
            let tilt = by_theta.at(j)?;
            // Masses are at most 2^61 in all and the factors at most 2 (over 2^62): below 2^125.
            sum += u128::from(*mass)
                * match few.side {
                    Side::Lower => (tilt.0 * complement(j - 1)?.0) >> BITS,
                    Side::Upper => {
                        let tilt = Side::Upper.shift(tilt.1 * between, BITS);
                        Side::Upper.shift(tilt * complement(j)?.1, BITS)
                    }
                };
        }
    }
    // As of a grid: what the slack stands for has losses too.
    let slack = greatest.clone().min(most_of_a_path(theta)) * Rational::from_integer(BigInt::one() << small);
    // Beside masses that are next to ε, scaled as they are, it may be more than can be written.
    sum = sum.checked_add(ceil(&(slack * BigInt::from(few.slack)), BITS).to_u128()?)?;
    let sum = Rational::new(sum.into(), BigInt::one() << (BITS + small));
    let scale = || scale(&halvings(few.exponent, few.side)?, &few.anchor, few.side, theta, epsilon);
    finish(&sum, scale, &few.infinite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Enclosure;
    use alloc::vec::Vec;
    use num_traits::Zero;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Σ m·e^(-θl)·(1 − e^(ε−l))₊ by its definition, of losses of the order of 1, of 2^-20 and of 2^-60, and ε between them or beside one.
        #[test]
        fn agrees_with_the_definition(
            masses in prop::collection::vec((1_i64..1 << 24, 1_u64..1 << 50), 1..30),
            first in -(1_i64 << 26)..1 << 26,
            twice_theta in 0_i64..9,
            scale in 0_u32..3,
            (at, beside) in (0_usize..30, -3_i64..4),
        ) {
            let fine = 26 + [0, 20, 60][usize::try_from(scale).unwrap()];
            let theta = Rational::new(twice_theta.into(), 2.into()) * (BigInt::one() << (fine - 26));
            let mut place = first;
            let points: Vec<(i64, u64)> = masses.iter().map(|(gap, mass)| { place += gap; (place, *mass) }).collect();
            let loss = |i: i64| Rational::new(i.into(), BigInt::one() << fine);
            let epsilon = (loss(points[at % points.len()].0) + loss(beside) / BigInt::from(4)).max(Rational::zero());
            let mut truth = Enclosure::from_integer(0, 400);
            for (i, mass) in &points {
                if loss(*i) > epsilon {
                    let share = Enclosure::from_integer(1, 400).sub(&exp(&(&epsilon - loss(*i)), 400).unwrap());
                    let mass = Rational::new((*mass).into(), BigInt::one() << 70_u32);
                    truth = truth.add(&exp(&-(&theta * loss(*i)), 400).unwrap().mul(&share).mul_rational(&mass));
                }
            }
            let of = |side: Side| {
                let sparse = Sparse { side, fine, points: points.clone(), exponent: 70, anchor: Rational::zero(), slack: 0, infinite: BigInt::zero() };
                delta(&sparse, &theta, &epsilon, &Rational::one()).unwrap()
            };
            let (lower, upper) = (of(Side::Lower), of(Side::Upper));
            prop_assume!(upper < Rational::one());
            prop_assert!(lower <= truth.upper() && truth.lower() <= upper, "{lower} {upper} for {truth}");
            // A unit of ε beside losses some 2^20 units above it, and 2^-36 or so of rounding; the last of few may be all there is, and next to ε.
            let unit = Rational::new((*points.iter().map(|(_, mass)| mass).max().unwrap()).into(), BigInt::one() << 60_u32) * loss(8);
            prop_assert!(&upper - &lower <= truth.upper() / (BigInt::one() << 30_u32) + unit * exp(&-(&theta * &epsilon), 400).unwrap().upper() * BigInt::from(points.len()), "{lower} {upper}");
        }
    }

    /// A mass next to ε is scaled by as much as its distance is small, and a slack beside it, too: more than can be written is no answer, and not one that is wrong.
    #[test]
    fn slack_beside_a_mass_next_to_epsilon() {
        for slack in [1_u64 << 20, (1 << 23) - (1 << 12), (1 << 23) - 1] {
            let sparse = Sparse {
                side: Side::Upper,
                fine: 44,
                points: [(1, 1_u64 << 60)].into(),
                exponent: 60,
                anchor: Rational::zero(),
                slack,
                infinite: BigInt::zero(),
            };
            let found = delta(&sparse, &Rational::zero(), &Rational::zero(), &Rational::one());
            assert!(found.is_none_or(|most| most >= Rational::new(slack.into(), BigInt::one() << 60_u32)), "{slack}");
        }
    }
}
