//! Fewer losses: those that lie close together become one, or two.
//!
//! Losses that lie in clusters, many times over, become many without filling a grid: sums of some large steps and of tiny ones. Those of a group, all within
//! T = 2^width units above its first, a sixteenth of the step of the grid that the losses would be placed on otherwise, are replaced; what is lost is of the
//! second order in the group's own extent, which is little beside what a grid would lose.
//!
//! * **Pessimistic**: each loss, u above the first of its group and the last of it W above, is split between the two, a share
//!   ρ = (1 − e^-u)/(1 − e^-W) to the last: this keeps P and Q. The tilted masses are m·e^(-θu)·(1 − ρ) and m·e^(θ(W − u))·ρ, each times e^(-θT) for an anchor further by T.
//! * **Optimistic**: they become one at their mean q. With P = Σ m·e^(-θu) and H = Σ m·e^(-θu)·(1 − e^-u)/(1 − e^-T) that is the u with
//!   1 − e^-u = (1 − e^-T)·H/P, so that u ≥ (1 − e^-T)·H/P ≥ T·(1 − T/2)·H/P. It is put there, and its tilted mass, P·e^(θu), is at least P·(1 + θu).

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use super::{
    convolution::{MOST_SUM, Side},
    fixed::{ceil, floor},
    place::{BITS, Bounds, ONE, Powers, series},
    sparse::Sparse,
};
use crate::exact::Rational;

/// Groups are narrower than a grid's step by 2^-this.
const NARROWER: u32 = 4;

/// And than 2^-this.
const NARROW: u32 = 12;

/// Binary digits after the point of the sums of a group: with them they are below 2^63.
const REST: u32 = 2;

/// Runs of points that are within 2^width of their first.
fn groups(points: &[(i64, u64)], width: u32) -> impl Iterator<Item = &[(i64, u64)]> {
    let mut rest = points;
    core::iter::from_fn(move || {
        let (first, _) = rest.first()?;
        let (group, others) = rest.split_at(rest.partition_point(|(i, _)| i.abs_diff(*first) >> width == 0));
        rest = others;
        Some(group)
    })
}

/// The factors of a group's losses.
struct Group {
    width: u32,
    fine: u32,
    /// e^(-θu).
    tilt: Powers,
}

impl Group {
    fn new(theta: &Rational, width: u32, fine: u32) -> Option<Self> {
        Some(Self { width, fine, tilt: Powers::new(theta, fine, width + 2)? })
    }

    /// (1 − e^-u)/(1 − e^-w) for u ≤ w in units, by [`series`].
    fn share(&self, u: u64, w: u64) -> Option<Bounds> {
        let (here, whole) = (series(u.into(), self.fine), series(w.into(), self.fine));
        // u/w is within a unit of 2^-62.
        let ratio = (u128::from(u) << BITS).checked_div(w.into())?;
        let share = ((ratio * here.0) / whole.1, ((ratio + 1) * here.1).div_ceil(whole.0));
        Some((share.0.min(ONE), share.1.min(ONE)))
    }

    /// The first and the last, each with its tilted mass times e^(-θT), rounded up.
    fn split(&self, group: &[(i64, u64)]) -> Option<Vec<(i64, u64)>> {
        let (first, last) = (group.first()?.0, group.last()?.0);
        let (w, t) = (last.abs_diff(first), 1_u64 << self.width);
        let mut sums = [0_u128; 2];
        for (i, mass) in group {
            let u = i.abs_diff(first);
            let (least, most) = if w == 0 { (0, 0) } else { self.share(u, w)? };
            // Masses below 2^61 in all, and factors of at most 1 over 2^62.
            let part = |steps: u64, share: u128| {
                let factor = Side::Upper.shift(self.tilt.at(steps)?.1 * share, BITS);
                Some(Side::Upper.shift(u128::from(*mass) * factor, BITS - REST))
            };
            let [lower, upper] = &mut sums;
            *lower += part(t + u, ONE - least)?;
            *upper += part(t + u - w, most)?;
        }
        let whole = |sum: u128| Side::Upper.shift(sum, REST).to_u64();
        let ends = [(first, whole(sums[0])?), (last, whole(sums[1])?)];
        Some(ends.into_iter().take(if w == 0 { 1 } else { 2 }).collect())
    }

    /// One at the mean q, its tilted mass rounded down; `None` for one of no mass. `shorter` and `tilt` are 1 − T/2 and θT over 2^62, rounded down.
    fn mean(&self, group: &[(i64, u64)], shorter: u128, tilt: u128) -> Option<Option<(i64, u64)>> {
        let first = group.first()?.0;
        let (mut whole, mut height) = (0_u128, 0_u128);
        for (i, mass) in group {
            let u = i.abs_diff(first);
            let kept = (u128::from(*mass) * self.tilt.at(u)?.0) >> (BITS - REST);
            whole += kept;
            height += (kept * self.share(u, 1 << self.width)?.0) >> BITS;
        }
        if whole == 0 {
            return Some(None);
        }
        // u/T, and the whole units of it. Sums are below 2^63, and the height at most the whole.
        let share = (((height << BITS) / whole) * shorter) >> BITS;
        let units = (share << self.width) >> BITS;
        let share = (units << BITS) >> self.width;
        let w = whole >> REST;
        let mass = w + ((w * ((tilt * share) >> BITS)) >> BITS);
        Some(Some((first.checked_add(units.to_i64()?)?, mass.to_u64()?)))
    }
}

impl Sparse {
    /// At most about `few` points in place of these, in the narrowest groups that do; `None` where there are none so narrow.
    pub(super) fn thinned(&self, theta: &Rational, few: usize, grid: usize) -> Option<Self> {
        let step = self.step(grid)?.checked_add(NARROWER)?.max(NARROW);
        let widest = self.fine.checked_sub(step)?.min(58);
        // A group has two ends where it is split.
        let most = if self.side == Side::Upper { few / 2 } else { few };
        let is_few = |width: &u32| groups(&self.points, *width).take(most + 1).count() <= most;
        if !is_few(&widest) {
            return None;
        }
        let width = (0..=widest).find(is_few)?;
        let t = Rational::new(BigInt::one() << width, BigInt::one() << self.fine);
        let group = Group::new(theta, width, self.fine)?;
        let (points, slack, anchor) = match self.side {
            Side::Upper => {
                let ends = groups(&self.points, width).map(|points| group.split(points)).collect::<Option<Vec<_>>>()?;
                (ends.concat(), self.moved(&(theta * &t))?, &self.anchor + t)
            }
            Side::Lower => {
                let shorter = ONE.checked_sub(ceil(&(&t / BigInt::from(2)), BITS).to_u128()?)?;
                let tilt = floor(&(theta * &t), BITS).to_u128().filter(|tilt| *tilt < ONE / 8)?;
                let means = groups(&self.points, width).map(|points| group.mean(points, shorter, tilt));
                (means.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect(), 0, self.anchor.clone())
            }
        };
        let total = points.iter().map(|(_, mass)| u128::from(*mass)).sum::<u128>() + u128::from(slack);
        let thin = Self { points, slack, anchor, infinite: self.infinite.clone(), ..*self };
        (total <= MOST_SUM.into() && !thin.points.is_empty()).then_some(thin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::grid::few;
    use num_traits::Zero;
    use proptest::prelude::*;

    fn sparse(side: Side, points: &[(i64, u64)], fine: u32) -> Sparse {
        let (points, anchor, infinite) = (points.to_vec(), Rational::zero(), BigInt::zero());
        Sparse { side, fine, points, exponent: 60, anchor, slack: 1 << 10, infinite }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Clusters, of losses of the order of 1 and of 2^-20: fewer points, and bounds that move outward at every ε, by the second order of the clusters' extent.
        #[test]
        fn bounds_move_outward(
            clusters in prop::collection::vec((1_i64..1 << 20, prop::collection::vec((0_i64..1 << 7, 1_u64..1 << 50), 1..12)), 2..12),
            twice_theta in 0_i64..9,
            log_scale in 0_u32..2,
            (at, beside) in (0_usize..12, -200_i64..200),
        ) {
            let mut points = Vec::new();
            let mut start = -(1_i64 << 21);
            for (gap, cluster) in &clusters {
                start += gap + (1 << 10);
                let mut places: Vec<_> = cluster.iter().map(|(above, mass)| (start + above, *mass)).collect();
                places.sort_unstable();
                places.dedup_by_key(|(i, _)| *i);
                points.extend(places);
            }
            let fine = 20 + 20 * log_scale;
            let theta = Rational::new(twice_theta.into(), 2.into()) * BigInt::from(1_u64 << (20 * log_scale));
            let near = points[at % points.len()].0 + beside;
            let epsilon = Rational::new(near.into(), BigInt::one() << fine);
            for side in [Side::Lower, Side::Upper] {
                let whole = sparse(side, &points, fine);
                // Groups of 2^7 units or fewer: the clusters.
                let few = 2 * clusters.len();
                let Some(thin) = whole.thinned(&theta, few, 1 << 8) else { continue };
                prop_assert!(thin.points.len() <= few);
                let of = |sparse: &Sparse, epsilon: &Rational| few::delta(sparse, &theta, epsilon, &Rational::from_integer(100.into())).unwrap();
                let (before, after) = (of(&whole, &epsilon), of(&thin, &epsilon));
                // What is rounded, of all that is above the first loss.
                let all = of(&whole, &Rational::new(points[0].0.into(), BigInt::one() << fine));
                let tiny = &all / (BigInt::one() << 36_u32);
                match side {
                    Side::Lower => prop_assert!(after <= &before + &tiny),
                    Side::Upper => prop_assert!(&after + &tiny >= before),
                }
                // Outside the clusters nothing is lost but the second order, and a unit of the losses: of all that is 2^21 units and more above, 2^-19.
                if points.iter().all(|(i, _)| i.abs_diff(near) > 1 << 7) {
                    let far = of(&whole, &Rational::new((-(1_i64 << 22)).into(), BigInt::one() << fine));
                    let lost = far / (BigInt::one() << 19_u32);
                    prop_assert!(after <= &before + &lost && after + lost >= before, "{side:?}");
                }
            }
        }
    }

    /// Where the losses fill a grid they are not thinned.
    #[test]
    fn dense_losses_stay() {
        let points: Vec<(i64, u64)> = (0..4096).map(|i| (i << 8, 1 << 40)).collect();
        assert!(sparse(Side::Upper, &points, 20).thinned(&Rational::one(), 100, 1 << 10).is_none());
    }
}
