//! The optimistic distribution of the loss: the outcomes of a pair, grouped by their loss.
//!
//! An attacker who is told only the group of an outcome learns no more: δ of the pair (P(cell), Q(cell)) is at most δ of (P, Q) at every ε, and so is that of
//! compositions. **Any grouping is sound**, and again after every composition; what is lost is of the second order in the width of the cells, whether
//! the losses are dense or few and far apart. To drop outcomes, to lower a P and to raise a Q lowers δ as well.
//!
//! Cell i holds losses from l = i·d on, d = 2^-step, nearly all below l + d. With c = 1 − e^-d it is stored as two integers w and h:
//!
//! P(cell) = w·2^-e·e^(-θ(l − a)), Q(cell) = (w − c·h)·2^-e·e^(-θ(l − a))·e^-l,
//!
//! so h/w, from 0 at a loss of l to 1 at l + d, says where in the cell the group's own loss ln(P/Q) lies, however small d is: the ρ of
//! [`super::place`]. θ, a and e are those of [`super::pld`]: tilted masses.
//!
//! * **Dropping a share**: w′ ≤ w, h′ ≤ h·w′/w keep P/Q or lower it. With w′ = ⌊w/2^s⌋ > w/2^s − 1 it is enough that h′ ≤ h/2^s − h/w.
//! * **Composition**: w = w₁*w₂ and w − c·h = (w₁ − c·h₁)*(w₂ − c·h₂), so h = w₁*h₂ + h₁*(w₂ − c·h₂). Cells i and j make i + j, its losses between l and l + 2d.
//! * **A cell further up**, where h > w: at l + d the group has w·g and g·e^d·(h − w), g = e^(θd). **Down**: w/g and (w + h·e^-d)/g.
//! * **A grid of twice the step**: odd cells go down, and h is over 1 − e^-2d = c·(1 + e^-d).

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    coarsen::{BITS, Factor},
    convolution::{MOST_SUM, Side, products},
    dots::{Dots, optimistic},
    fixed::{Range, exp, shift_up},
    place::REST,
    pld::{either, rescale, within},
};
use crate::exact::{Enclosure, Rational};

/// Groups of outcomes on a grid of losses.
///
/// Every h is at most its w, and the w are at most 2^61 in all (Invariant #1).
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    /// d = 2^-step.
    pub(super) step: u32,
    /// The index of the first cell.
    pub(super) first: i64,
    pub(super) whole: Vec<u64>,
    pub(super) height: Vec<u64>,
    pub(super) exponent: i128,
    pub(super) anchor: Rational,
    /// The probability of an infinite loss, over 2^768.
    pub(super) infinite: BigInt,
}

impl Grouped {
    /// One copy, grouped between the sets that touch the curve at the points of the grid; or the dots below several curves, where h = 0.
    pub(super) fn new(dots: &Dots, theta: &Rational) -> Option<Self> {
        let Dots { grid, bits, infinite, .. } = dots;
        let cells = if dots.is_of_one {
            between_sets(dots)?
        } else {
            optimistic(dots)?.into_iter().map(|mass| (mass, BigInt::zero())).collect()
        };
        let falling = Range::of(&exp(&-(theta * grid.loss(1)), *bits)?, *bits).lower;
        let mut factor = BigInt::one() << *bits;
        let mut tilted: Vec<(BigInt, BigInt)> = Vec::with_capacity(cells.len());
        for (whole, height) in cells.iter().rev() {
            tilted.push((&factor * whole, &factor * height));
            factor = (factor * &falling) >> *bits;
        }
        tilted.reverse();
        let total: BigInt = tilted.iter().map(|(whole, _)| whole).sum();
        let shift = u32::try_from(total.bits().saturating_sub(60)).ok()?;
        let (mut whole, mut height) = (Vec::with_capacity(tilted.len()), Vec::with_capacity(tilted.len()));
        for (w, h) in &tilted {
            let w = (w >> shift).to_u64()?;
            whole.push(w);
            // h ≤ w.
            height.push((h >> shift).to_u64()?.saturating_sub(1).min(w));
        }
        Some(Self {
            step: grid.step,
            first: grid.first,
            whole,
            height,
            exponent: i128::from(2 * bits) - i128::from(shift),
            anchor: grid.loss(grid.last),
            infinite: rescale(infinite, *bits, Side::Lower),
        })
    }

    /// From (w, h) over 2^[`REST`], as [`super::place`] has them, each w below 2^63 and the h at most theirs.
    pub(super) fn of_cells(
        (step, first): (u32, i64),
        cells: &[(u128, u128)],
        exponent: i128,
        anchor: Rational,
        infinite: BigInt,
    ) -> Option<Self> {
        let kept = cells.iter().map(|(w, h)| drop_share(*w, *h, REST)).collect::<Option<Vec<_>>>()?;
        let (whole, height) = kept.into_iter().map(|(w, h)| (w, h.min(w))).unzip();
        let mut grouped = Self { step, first, whole, height, exponent, anchor, infinite };
        grouped.normalise()?;
        Some(grouped)
    }

    /// The sum of two independent losses on the same grid, both ends of a tilted mass of at most 2^-cut of the whole dropped; `None` if it is too long, or the
    /// step too wide for the tilt.
    pub(super) fn compose(&self, other: &Self, theta: &Rational, cut: u32) -> Option<Self> {
        if self.step != other.step {
            return None;
        }
        let factors = Factors::new(theta, self.step)?;
        let (whole, height) = self.products(other, factors.complement)?;
        let total = whole.iter().sum::<u128>();
        let shift = (u128::BITS - total.leading_zeros()).saturating_sub(60);
        let kept = within(&whole, total.checked_shr(cut).unwrap_or(0));
        let first = self.first.checked_add(other.first)?.checked_add(i64::try_from(kept.start).ok()?)?;
        let mut joint = Self {
            step: self.step,
            first,
            whole: alloc::vec![0; kept.len() + 1],
            height: alloc::vec![0; kept.len() + 1],
            exponent: self.exponent + other.exponent - i128::from(shift),
            anchor: &self.anchor + &other.anchor,
            infinite: either(&self.infinite, &other.infinite, Side::Lower),
        };
        let cells = whole.get(kept.clone())?.iter().zip(height.get(kept)?);
        for (i, (w, h)) in cells.enumerate() {
            let (w, h) = drop_share(*w, *h, shift)?;
            if h <= w {
                joint.add(i, (w, h))?;
            } else {
                joint.add(i + 1, factors.up(w, h)?)?;
            }
        }
        joint.normalise()?;
        Some(joint)
    }

    /// w₁*w₂, and w₁*h₂ + h₁*(w₂ − c·h₂) with c·h₂ rounded up.
    fn products(&self, other: &Self, complement: u128) -> Option<(Vec<u128>, Vec<u128>)> {
        let of_q = |(w, h): (&u64, &u64)| {
            w.saturating_sub(Side::Upper.shift(u128::from(*h) * complement, BITS).to_u64().unwrap_or(u64::MAX))
        };
        let q: Vec<u64> = other.whole.iter().zip(&other.height).map(of_q).collect();
        let is_square = self.whole == other.whole && self.height == other.height;
        let mut found = if is_square {
            products(&[&self.whole, &self.height, &q], &[&[(0, 0)], &[(0, 1), (1, 2)]])?
        } else {
            products(&[&self.whole, &self.height, &q, &other.whole, &other.height], &[&[(0, 3)], &[(0, 4), (1, 2)]])?
        };
        let height = found.pop()?;
        Some((found.pop()?, height))
    }

    fn add(&mut self, i: usize, (w, h): (u64, u64)) -> Option<()> {
        *self.whole.get_mut(i)? += w;
        *self.height.get_mut(i)? += h.min(w);
        Some(())
    }

    /// On the grid of twice the step; `None` if that is too wide for the tilt.
    pub(super) fn coarsen(&self, theta: &Rational) -> Option<Self> {
        let step = self.step.checked_sub(1)?;
        let factors = Factors::new(theta, self.step)?;
        let first = self.first.div_euclid(2);
        let length = self.whole.len() / 2 + 1;
        let mut coarse =
            Self { step, first, whole: alloc::vec![0; length], height: alloc::vec![0; length], ..self.clone() };
        for ((i, w), h) in (self.first..).zip(&self.whole).zip(&self.height) {
            let at = usize::try_from(i.div_euclid(2) - first).ok()?;
            let (w, h) = if i.rem_euclid(2) == 1 { factors.down(*w, *h)? } else { (*w, *h) };
            coarse.add(at, (w, factors.halved(h)?))?;
        }
        coarse.normalise()?;
        Some(coarse)
    }

    /// Restores Invariant #1 after masses have grown.
    fn normalise(&mut self) -> Option<()> {
        while self.whole.iter().map(|mass| u128::from(*mass)).sum::<u128>() > MOST_SUM.into() {
            for (w, h) in self.whole.iter_mut().zip(&mut self.height) {
                let (half, of_it) = drop_share((*w).into(), (*h).into(), 1)?;
                (*w, *h) = (half, of_it.min(half));
            }
            self.exponent -= 1;
        }
        Some(())
    }
}

/// (w/2^shift, h/2^shift), rounded so that P/Q is no higher, where h ≤ 2w.
fn drop_share(w: u128, h: u128, shift: u32) -> Option<(u64, u64)> {
    let lost = if shift == 0 { 0 } else { 2 };
    Some((Side::Lower.shift(w, shift).to_u64()?, Side::Lower.shift(h, shift).to_u64()?.saturating_sub(lost)))
}

/// The factors between a cell and its neighbours: lower bounds over 2^62, but for `complement`.
#[derive(Clone, Copy, Debug)]
struct Factors {
    /// At least 1 − e^-d.
    complement: u128,
    /// g = e^(θd).
    rise: u128,
    /// g·e^d; at most 16, since d ≤ 1 and g ≤ 4.
    climb: u128,
    /// 1/g.
    fall: u128,
    /// e^-d.
    decay: u128,
    /// 1/(1 + e^-d).
    half: u128,
}

impl Factors {
    fn new(theta: &Rational, step: u32) -> Option<Self> {
        let d = Rational::new(BigInt::one(), BigInt::one() << step);
        let power = |x: Rational| exp(&x, 90);
        let one = Enclosure::from_integer(1, 0);
        let decay = power(-d.clone())?;
        let lower = |value: &Enclosure| Factor::new(value).map(|factor| factor.lower);
        Some(Self {
            complement: Factor::new(&one.sub(&decay))?.upper,
            rise: lower(&power(theta * &d)?)?,
            climb: Range::of(&power((theta + Rational::one()) * &d)?, BITS).lower.to_u128()?,
            fall: lower(&power(-(theta * &d))?)?,
            half: lower(&one.div(&one.add(&decay))?)?,
            decay: lower(&decay)?,
        })
    }

    /// Of a group with w < h ≤ 2w in the cell above: w·g, of which less than 1 is dropped, so that h loses at most e^d·(h − w)/w ≤ 4.
    fn up(&self, w: u64, h: u64) -> Option<(u64, u64)> {
        let scale = |mass: u64, factor: u128| ((u128::from(mass) * factor) >> BITS).to_u64();
        Some((scale(w, self.rise)?, scale(h.saturating_sub(w), self.climb)?.saturating_sub(4)))
    }

    /// Of a group in the cell below: h loses at most (w + h·e^-d)/w ≤ 2.
    fn down(&self, w: u64, h: u64) -> Option<(u64, u64)> {
        let climbed = u128::from(w) + ((u128::from(h) * self.decay) >> BITS);
        let scale = |mass: u128| ((mass * self.fall) >> BITS).to_u64();
        Some((scale(w.into())?, scale(climbed)?.saturating_sub(2)))
    }

    /// h in a cell of twice the width.
    fn halved(&self, h: u64) -> Option<u64> {
        ((u128::from(h) * self.half) >> BITS).to_u64()
    }
}

/// (P, H) of the differences of the sets S₀ ⊃ S₁ ⊃ … that touch the curve at some of the points x₀ < x₁ < …, and of the last set, over 2^bits.
///
/// H = (P − x·Q)/(1 − e^-d), at most P. Of two such sets one contains the other, so that the one with certainly less P is the smaller; a set that is not certainly
/// smaller than the last one kept is passed over. A group goes to the highest cell that its loss is not below, or, far below, is dropped.
fn between_sets(Dots { grid, bits, points, touches, places, infinite, .. }: &Dots) -> Option<Vec<(BigInt, BigInt)>> {
    let nothing = Range::point(BigInt::zero());
    let complement = Range::of(&exp(&-grid.loss(1), bits + 8)?, bits + 8).complement(bits + 8).upper;
    let mut cells = alloc::vec![(BigInt::zero(), BigInt::zero()); points.len()];
    let mut add = |from: usize, to: usize, p: BigInt, q: &BigInt| {
        for i in (from.saturating_sub(1)..to).rev() {
            let above = &p - shift_up(&(q * &points.get(i)?.upper), *bits);
            if !above.is_negative() {
                let height = (above << (bits + 8)).div_floor(&complement).min(p.clone());
                let cell = cells.get_mut(i)?;
                cell.0 += p;
                cell.1 += height;
                break;
            }
        }
        Some(())
    };
    let mut last: Option<(usize, &Range, &Range)> = None;
    // The last set has the infinite losses, which are counted on their own.
    let end = Range { lower: infinite.lower.clone(), upper: infinite.lower.clone() };
    let sets = touches.iter().map(|touch| (&touch.p, &touch.q)).chain([(&end, &nothing)]);
    for (i, (p, q)) in places.iter().copied().chain([points.len()]).zip(sets) {
        if let Some((at, p_before, q_before)) = last {
            let (p, q) = (&p_before.lower - &p.upper, &q_before.upper - &q.lower);
            if !p.is_positive() {
                continue;
            }
            add(at, i, p, &q)?;
        }
        last = Some((i, p, q));
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::grid::{
            curve::Curve,
            dots::{Grid, connect},
            evaluate,
        },
        exact::Probability,
        guarantee::{FinitePair, Pair},
    };
    use proptest::prelude::*;

    /// Cells of a grid of step 2^-step, with h = w·percent/100.
    fn grouped(step: u32, first: i64, cells: &[(u64, u64)]) -> Grouped {
        let (whole, height) = cells.iter().map(|(w, percent)| (*w, w / 100 * percent)).unzip();
        Grouped { step, first, whole, height, exponent: 60, anchor: Rational::zero(), infinite: BigInt::zero() }
    }

    /// (P, Q) of the cells.
    fn pairs(grouped: &Grouped, theta: &Rational) -> Vec<(Enclosure, Enclosure)> {
        let number = |n: u64| Rational::new(n.into(), BigInt::one() << 60_u32);
        let d = Rational::new(1.into(), BigInt::one() << grouped.step);
        let c = Enclosure::from_integer(1, 200).sub(&exp(&-d.clone(), 200).unwrap());
        let cell = |((i, w), h): ((i64, &u64), &u64)| {
            let l = &d * BigInt::from(i);
            let p = exp(&-(theta * &l), 200).unwrap();
            let q = p.mul(&exp(&-l, 200).unwrap());
            let of_q = Enclosure::from_rational(&number(*w), 200).sub(&c.mul_rational(&number(*h)));
            (p.mul_rational(&number(*w)), q.mul(&of_q))
        };
        (grouped.first..).zip(&grouped.whole).zip(&grouped.height).map(cell).collect()
    }

    /// Σ (P − e^ε·Q)₊.
    fn worth(pairs: &[(Enclosure, Enclosure)], epsilon: &Rational) -> Enclosure {
        let power = exp(epsilon, 200).unwrap();
        pairs.iter().fold(Enclosure::from_integer(0, 200), |sum, (p, q)| sum.add(&p.sub(&q.mul(&power)).max_zero()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is read off is the definition; compositions and wider grids are worth no more than all outcomes told apart, and less by the second order only.
        #[test]
        fn worth_no_more_than_all_outcomes(
            a in prop::collection::vec((0_u64..1 << 50, 0_u64..=100), 1..24),
            b in prop::collection::vec((0_u64..1 << 50, 0_u64..=100), 1..24),
            (first, other) in (-40_i64..40, -40_i64..40),
            twice_theta in 0_i64..9,
            log_scale in 0_u32..3,
            at in -20_i64..60,
        ) {
            // Losses of 1/16, of 2^-14 and of 2^-24, and tilts to match: the 1/16 is to make the second order seen.
            let step = 4 + 10 * log_scale;
            let theta = Rational::new(twice_theta.into(), 2.into()) * BigInt::from(1_u64 << (10 * log_scale));
            let (a, b) = (grouped(step, first, &a), grouped(step, other, &b));
            prop_assume!(a.whole.iter().any(|w| *w > 0) && b.whole.iter().any(|w| *w > 0));
            let d = Rational::new(1.into(), BigInt::one() << step);
            let product = |epsilon: &Rational| {
                let (a, b) = (pairs(&a, &theta), pairs(&b, &theta));
                let all: Vec<_> = a.iter().flat_map(|(p, q)| b.iter().map(|(r, s)| (p.mul(r), q.mul(s)))).collect();
                worth(&all, epsilon)
            };
            // Small losses are read off to 2^-24 of themselves.
            let tiny = |truth: &Rational| truth * Rational::new(1.into(), (1_u64 << 22).into());
            // Of any ε, mostly inside a cell: read off a, of a on a wider grid, and of the product.
            for (found, epsilon, truth, coarse) in [
                (a.clone(), &d * Rational::new((first * 10 + at).into(), 10.into()), None, false),
                (a.coarsen(&theta).unwrap(), &d * Rational::new((first * 10 + at).into(), 10.into()), None, true),
                (a.compose(&b, &theta, 200).unwrap(), &d * Rational::new(((first + other) * 10 + 2 * at).into(), 10.into()), Some(&product), true),
            ] {
                let exact = |epsilon: &Rational| truth.map_or_else(|| worth(&pairs(&a, &theta), epsilon), |truth| truth(epsilon));
                let least = evaluate::least(&found, &theta, &epsilon).unwrap();
                let whole = exact(&(&epsilon - &d * BigInt::from(80)));
                let truth = exact(&epsilon);
                prop_assert!(least <= truth.upper() + tiny(&whole.upper()), "{least} for {truth}");
                // Groups span less than two cells, so that only the mass there is worth less, and by less than (e^2d − 1) of it.
                let mass = exact(&Rational::from_integer((-200).into())).upper();
                let lost = if coarse { mass * &d * BigInt::from(3) } else { tiny(&whole.upper()) };
                // Of no distribution, it may be more than 1, which is not read off.
                prop_assert!(least + lost >= truth.lower().min(Rational::one()), "{truth}");
            }
        }

        /// The outcomes of a pair, some of them with Q = 0, between the sets that touch its curve: worth no more than they are, and where each is in a cell of its own
        /// no less.
        #[test]
        fn between_sets_are_outcomes(weights in prop::collection::vec((1_i64..50, 0_i64..50), 2..7), at in 0_i64..40, fine: bool, twice_theta in 0_i64..5) {
            let (p, q): (i64, i64) = weights.iter().fold((0, 0), |(p, q), (a, b)| (p + a, q + b));
            prop_assume!(q > 0);
            let share = |n: i64, d: i64| Rational::new(n.into(), d.into());
            let outcomes: Vec<_> = weights.iter().map(|(a, b)| (share(*a, p), share(*b, q))).collect();
            let probability = |x: &Rational| Probability::new(x.clone()).unwrap();
            let pair = FinitePair::from_probabilities(outcomes.iter().map(|(p, q)| (probability(p), probability(q))).collect()).unwrap();
            let bits = 300;
            let step = if fine { 9 } else { 1 };
            let grid = Grid { step, first: -(5 << step), last: 5 << step };
            let dots = connect(&mut [Curve::new(&Pair::Finite(pair), bits).unwrap()], grid, bits).unwrap();
            let theta = share(twice_theta, 2);
            let epsilon = share(at, 10);
            let power = exp(&epsilon, 300).unwrap();
            let truth = |power: Rational| outcomes.iter().map(|(p, q)| (p - q * &power).max(Rational::zero())).sum::<Rational>();
            let least = evaluate::least(&Grouped::new(&dots, &theta).unwrap(), &theta, &epsilon).unwrap();
            prop_assert!(least <= truth(power.lower()), "{least}");
            let mut ratios: Vec<_> = outcomes.iter().filter(|(_, q)| !q.is_zero()).map(|(p, q)| p / q).collect();
            ratios.sort();
            ratios.dedup();
            // Cells of 2^-9, and ratios farther apart.
            let apart = ratios.windows(2).all(|pair| &pair[1] / &pair[0] > share(257, 256));
            if fine && apart && ratios.iter().all(|ratio| *ratio < share(140, 1) && *ratio > share(1, 140)) {
                prop_assert!(least * share(1_000_001, 1_000_000) + share(1, 1_000_000_000) >= truth(power.upper()));
            }
        }

        /// To drop a share, to go up and to go down keep P/Q or lower it, and P, of the smallest masses too.
        #[test]
        fn moves_do_not_raise_the_ratio(w in 1_u64..1000, share in 0_u64..=2000, shift in 0_u32..12, log in 0_u32..8, twice_theta in 0_i64..9) {
            let h = w * share / 1000;
            let (step, theta) = (log, Rational::new(twice_theta.into(), BigInt::from(9)));
            let (half, of_it) = drop_share(w.into(), h.into(), shift).unwrap();
            prop_assert!(u128::from(of_it) * u128::from(w) <= u128::from(h) * u128::from(half) && half <= w >> shift);
            let d = Rational::new(1.into(), BigInt::one() << step);
            let factors = Factors::new(&theta, step).unwrap();
            // Q/P·e^l of the group itself, and where it went.
            let c = Enclosure::from_integer(1, 200).sub(&exp(&-d.clone(), 200).unwrap());
            let ratio = |w: u64, h: u64| Enclosure::from_integer(1, 200).sub(&c.mul_rational(&Rational::new(h.into(), w.into())));
            let moved = if h > w { (factors.up(w, h), d.clone()) } else { (factors.down(w, h), -d.clone()) };
            if let (Some((u, v)), by) = moved && u > 0 {
                let mass = exp(&(&theta * &by), 200).unwrap().mul_rational(&Rational::from_integer(w.into()));
                prop_assert!(Rational::from_integer(u.into()) <= mass.upper());
                let after = ratio(u, v).mul(&exp(&-by, 200).unwrap());
                prop_assert!(after.upper() >= ratio(w, h).lower(), "{w} {h} to {u} {v}");
            }
            let halved = Rational::from_integer(factors.halved(h).unwrap().into());
            let twice = Enclosure::from_integer(1, 200).sub(&exp(&(-d * BigInt::from(2)), 200).unwrap());
            prop_assert!((twice.mul_rational(&halved)).lower() <= c.mul_rational(&Rational::from_integer(h.into())).upper());
        }
    }
}
