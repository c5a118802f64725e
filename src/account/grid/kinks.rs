//! At which points of a grid a curve is looked at. Whichever they are, chords are above the curve and groups below it: a bad choice makes an answer wide.
//!
//! Of a subsampled mechanism most outcomes have losses next to 0, and few have large ones, for which the grid must be long. A curve is dear at a point, and points are cheap.
//! What chords and groups lose between two points that are n steps apart is about in proportion to n² and to the tilted mass of the losses between them. So a few
//! points are looked at, and then, as often as may be, the middle of those two of which the most is lost.

use alloc::{
    collections::{BTreeMap, BinaryHeap, btree_map::Entry},
    vec::Vec,
};

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::{
    curve::Touch,
    dots::Grid,
    fixed::{Range, floor},
};
use crate::exact::Rational;

/// So many times as many are looked at as those that are as far from each other as the others.
const ADAPTED: usize = 4;

/// Logarithms are in units of 2^-this of a binary digit.
const LOG_PLACES: u32 = 4;

/// Binary digits of the tilt of one step, in such units.
const TILT_PLACES: u32 = 20;

/// The touches at about `most` points of a grid, by their places; the first point and the last are among them. All, where that is as many.
pub(super) fn kinks(
    (grid, points): (Grid, &[Range]),
    most: usize,
    theta: &Rational,
    mut touch: impl FnMut(&BigInt) -> Option<Touch>,
) -> Option<BTreeMap<usize, Touch>> {
    let mut look = |i: usize| touch(&points.get(i)?.lower);
    let stride = if most >= points.len() { 1 } else { points.len().div_ceil((most / ADAPTED).max(1)).max(1) };
    let mut known = BTreeMap::new();
    for i in (0..points.len()).step_by(stride).chain(points.len().checked_sub(1)) {
        if let Entry::Vacant(place) = known.entry(i) {
            place.insert(look(i)?);
        }
    }
    // log2 e is about 1443/1000.
    let rise = floor(&(theta * grid.loss(1) * Rational::new(1443.into(), 1000.into())), LOG_PLACES + TILT_PLACES);
    let rise = rise.to_i128().unwrap_or(i128::MAX >> 64);
    let lost = |(a, at_a): (usize, &Touch), (b, at_b): (usize, &Touch)| -> Option<(i128, usize, usize)> {
        let (steps, mass) = (b.checked_sub(a)?, &at_a.p.upper - &at_b.p.lower);
        (steps > 1 && mass.is_positive()).then(|| {
            let tilt = rise.saturating_mul(i128::try_from(b).unwrap_or(i128::MAX)) >> TILT_PLACES;
            (log_two(&(mass * steps * steps)).saturating_add(tilt), a, b)
        })
    };
    let all: Vec<_> = known.iter().collect();
    let pairs =
        all.windows(2).filter_map(|pair| if let [(a, p), (b, q)] = pair { lost((**a, p), (**b, q)) } else { None });
    let mut open: BinaryHeap<_> = pairs.collect();
    while known.len() < most {
        let Some((_, a, b)) = open.pop() else { break };
        let middle = a.midpoint(b);
        let here = look(middle)?;
        open.extend(known.get(&a).and_then(|left| lost((a, left), (middle, &here))));
        open.extend(known.get(&b).and_then(|right| lost((middle, &here), (b, right))));
        known.insert(middle, here);
    }
    Some(known)
}

/// About log2 n for n > 0, in units of 2^-[`LOG_PLACES`].
fn log_two(n: &BigInt) -> i128 {
    let bits = n.bits();
    let leading = n >> bits.saturating_sub(u64::from(LOG_PLACES) + 1);
    let rest = leading.to_i128().unwrap_or(0) & ((1 << LOG_PLACES) - 1);
    (i128::from(bits) << LOG_PLACES) + rest
}

#[cfg(test)]
mod tests {
    use num_traits::{One, Zero};
    use proptest::prelude::*;

    use super::*;
    use crate::{
        account::grid::{
            curve::Curve,
            dots::{Dots, connect, connect_some},
            evaluate,
            fixed::exp,
            grouped::Grouped,
            pld::Pld,
        },
        exact::{Positive, Probability},
        guarantee::{FinitePair, Pair},
    };

    const BITS: u32 = 200;

    fn share(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever is looked at, of one curve or the larger of two: δ of one copy is between the bounds.
        #[test]
        fn the_truth_is_inside(
            weights in prop::collection::vec((0_i64..50, 0_i64..50), 2..7),
            other in prop::option::of(prop::collection::vec((1_i64..50, 1_i64..50), 2..4)),
            looks in 1_usize..80,
            (at, twice_theta) in (0_i64..40, 0_i64..5),
        ) {
            let all: Vec<_> = [weights].into_iter().chain(other).collect();
            let sums = |of: &[(i64, i64)]| of.iter().fold((0, 0), |(p, q), (a, b)| (p + a, q + b));
            prop_assume!(all.iter().all(|of| sums(of).0 > 0 && sums(of).1 > 0));
            let outcomes: Vec<Vec<_>> = all.iter().map(|of| of.iter().map(|(a, b)| (share(*a, sums(of).0), share(*b, sums(of).1))).collect()).collect();
            let probability = |x: &Rational| Probability::new(x.clone()).unwrap();
            let curve = |of: &Vec<(Rational, Rational)>| {
                let pair = FinitePair::from_probabilities(of.iter().map(|(p, q)| (probability(p), probability(q))).collect()).unwrap();
                Curve::new(&Pair::Finite(pair), BITS).unwrap()
            };
            let mut curves: Vec<Curve> = outcomes.iter().map(curve).collect();
            let grid = Grid { step: 3, first: -40, last: 36 };
            let (theta, epsilon) = (share(twice_theta, 2), share(at, 10));
            let dots = connect_some(&mut curves, (grid, BITS), looks, &theta).unwrap();
            prop_assert!(dots.places.len() == dots.touches.len() && dots.places.len() <= looks.max(2 + looks / ADAPTED));
            prop_assert!(dots.places.first() == Some(&0) && dots.places.last() == Some(&76));
            let power = exp(&epsilon, BITS).unwrap();
            let truth = |power: &Rational| {
                let of = |of: &Vec<(Rational, Rational)>| of.iter().map(|(p, q)| (p - q * power).max(Rational::zero())).sum::<Rational>();
                outcomes.iter().map(of).max().unwrap()
            };
            let least = evaluate::least(&Grouped::new(&dots, &theta).unwrap(), &theta, &epsilon).unwrap();
            let most = evaluate::most(&Pld::new(&dots, &theta).unwrap(), &theta, &epsilon, &Rational::one()).unwrap();
            prop_assert!(least <= truth(&power.lower()), "{least}");
            prop_assert!(most >= truth(&power.upper()), "{most}");
        }
    }

    /// Of the losses of a small rate the spread is told nearly as well by a sixteenth of the points, and far worse by a coarser grid of as many.
    #[test]
    fn a_few_looks_tell_nearly_all() {
        let of = Pair::Gaussian { variance: Positive::new(share(40_000, 1)).unwrap(), shift: 200_u32.into() };
        let rate = Probability::new(share(1, 100)).unwrap();
        let pair = Pair::Subsampled { rate, of: alloc::boxed::Box::new(of), reversed: false };
        let mut curves = [Curve::new(&pair, BITS).unwrap()];
        let theta = share(2, 1);
        // Σ p·l²·e^(θl).
        let spread = |Dots { grid, upper, .. }: Dots| -> Rational {
            let of = |(mass, i): (&BigInt, i64)| {
                let loss = grid.loss(i);
                Rational::new(mass.clone(), BigInt::one() << BITS)
                    * &loss
                    * &loss
                    * exp(&(&theta * loss), 60).unwrap().upper()
            };
            upper.iter().zip(grid.first..).map(of).sum()
        };
        let grid = |step: u32| Grid { step, first: -(1 << step), last: 4 << step };
        let all = spread(connect(&mut curves, grid(10), BITS).unwrap());
        let some = spread(connect_some(&mut curves, (grid(10), BITS), 5 << 6, &theta).unwrap());
        let coarse = spread(connect(&mut curves, grid(6), BITS).unwrap());
        assert!(all < some && (&some - &all) * BigInt::from(8) < coarse - &all, "{}", (some - &all) / all);
        // And δ from both sides.
        let dots = connect_some(&mut curves, (grid(10), BITS), 5 << 6, &theta).unwrap();
        for epsilon in ["1/100", "1/10"].map(|text| crate::exact::parse(text).unwrap()) {
            let least = evaluate::least(&Grouped::new(&dots, &theta).unwrap(), &theta, &epsilon).unwrap();
            let most = evaluate::most(&Pld::new(&dots, &theta).unwrap(), &theta, &epsilon, &Rational::one()).unwrap();
            assert!(least <= most && &most - &least <= most / BigInt::from(1000), "{least} at {epsilon}");
        }
    }
}
