//! The sum itself: N points of a tilted characteristic function, those that count.

use alloc::{vec, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use super::{
    tilt::Form,
    tilted::{Range, Tilted},
};
use crate::exact::{Disc, Enclosure, Rational, Scaled, Working};

/// A tilted factor, how many lattice steps its unit is, and how often it runs.
pub(super) struct Strand {
    pub(super) tilted: Tilted,
    pub(super) stride: BigUint,
    pub(super) copies: u64,
    /// Whether the event that every copy of a Laplace pair is at one of its ends is left out: φ^k − A^k for
    /// φ^k, A the ends' part of φ.
    pub(super) is_peeled: bool,
}

impl Strand {
    /// φ^k, or φ^k − A^k, but for its phase.
    fn power(&self, index: &BigInt, turns: &BigUint, working: &Working) -> Option<Disc> {
        let turned = index * BigInt::from(self.stride.clone());
        let power = self.tilted.shape(&turned, turns, working)?.pow(self.copies);
        if !self.is_peeled {
            return Some(power);
        }
        Some(power.sub(&self.tilted.ends(&turned, turns, working)?.pow(self.copies)))
    }

    /// An upper bound on it over a range; |φ^k − A^k| ≤ k·|φ − A|·max(|φ|, |A|)^(k−1).
    fn ceiling(&self, range: &Range<'_>, working: &Working) -> Option<Scaled> {
        let ceiling = self.tilted.ceiling(&self.stride, range, working)?;
        if !self.is_peeled {
            return Some(ceiling.pow(self.copies));
        }
        let interior = self.tilted.interior_ceiling(&self.stride, range, working)?;
        let copies = Scaled::from_rational(&Rational::from_integer(self.copies.into()), working.bits());
        Some(ceiling.pow(self.copies.saturating_sub(1)).mul(&interior).mul(&copies))
    }
}

/// One threshold: the losses above ε are base + h·n for n ≥ first, and the first of them exceeds ε by
/// `excess`.
#[derive(Clone, Debug)]
pub(super) struct Threshold {
    /// What the sum for this threshold is multiplied by; at most 1.
    pub(super) weight: Enclosure,
    pub(super) first: BigInt,
    /// β, which may be negative by its own width.
    pub(super) excess: Enclosure,
}

/// The frequencies that are summed, and a bound on what the others would add.
pub(super) struct Frequencies {
    /// Indices, from 1 on.
    pub(super) listed: Vec<BigUint>,
    pub(super) dropped: Scaled,
}

/// Finds frequencies to drop: ranges whose whole share (2/N)·Σ|φ|·|W| is below 2^-bits of the sum; `None` if
/// more than `most` remain.
pub(super) fn frequencies(
    strands: &[Strand],
    kernel: &Kernel,
    points: &BigUint,
    bits: i64,
    most: usize,
    working: &Working,
) -> Option<Frequencies> {
    let half: BigUint = (points - 1_u32) / 2_u32;
    let mut found = Frequencies { listed: Vec::new(), dropped: Scaled::zero(working.bits()) };
    if half.is_zero() {
        return Some(found);
    }
    let whole = Scaled::from_rational(&Rational::from_integer(points.clone().into()), working.bits());
    let mut pending = vec![(BigUint::one(), half)];
    let mut visited = 0_usize;
    while let Some((from, to)) = pending.pop() {
        visited += 1;
        working.go_on()?;
        if visited > most.saturating_mul(2).saturating_add(500) {
            return None;
        }
        let range = Range { from: &from, to: &to, turns: points };
        let count = &to - &from + 1_u32;
        let twice = Rational::from_integer(BigInt::from(count.clone() * 2_u32));
        let share = Scaled::from_rational(&twice, working.bits()).div(&whole)?;
        let mut bound = kernel.ceiling(&range, working)?.mul(&share);
        for strand in strands {
            bound = bound.mul(&strand.ceiling(&range, working)?);
        }
        if bound.magnitude() <= -bits {
            found.dropped = found.dropped.add(&bound.down_to_zero());
            continue;
        }
        if count <= BigUint::from(4_u32) {
            let mut index = from;
            while index <= to {
                found.listed.push(index.clone());
                index += 1_u32;
            }
            if found.listed.len() > most {
                return None;
            }
            continue;
        }
        // Small frequencies are where the mass is: split there, the geometric mean of the ends.
        let middle: BigUint = (&from * &to).sqrt().max(from.clone()).min(&to - 1_u32);
        pending.push((&middle + 1_u32, to));
        pending.push((from, middle));
    }
    Some(found)
}

/// What every frequency shares.
pub(super) struct Kernel {
    form: Form,
    /// e^(−θh), or e^(θh)… z^-1 for the right form, z for the middle one: below 1.
    ratio: Enclosure,
    /// e^-h for the right form; e^-h/z for the middle one: below 1.
    second: Enclosure,
    /// e^-β of each threshold, and what β below 0 may add.
    falls: Vec<(Enclosure, Enclosure)>,
    /// Weighted over the thresholds, at least |(1 − e^-β) + a·(e^-β − e^-h)| in the right form, and at least
    /// 1 and e^-β in the middle one.
    most: Enclosure,
}

impl Kernel {
    pub(super) fn new(
        form: Form,
        theta: &Rational,
        step: &Enclosure,
        thresholds: &[Threshold],
        working: &Working,
    ) -> Option<Self> {
        let bits = working.bits();
        let power = |x: &Enclosure| working.exp(&x.neg())?.fixed(bits);
        let ratio = power(&step.mul_rational(&theta.abs()))?;
        let second = match form {
            Form::Right => power(step)?,
            Form::Middle => power(&step.mul_rational(&(Rational::one() + theta)))?,
        };
        let fall = |threshold: &Threshold| {
            let below = threshold.excess.neg().max_zero();
            // e^s − 1 ≤ 2s for 0 ≤ s ≤ 1.
            let slack = below.add(&below);
            Some((power(&threshold.excess)?, slack))
        };
        let falls = thresholds.iter().map(fall).collect::<Option<Vec<_>>>()?;
        let one = Enclosure::from_integer(1, bits);
        let zero = Enclosure::from_integer(0, 0);
        let mut most = zero.clone();
        for ((fall, slack), threshold) in falls.iter().zip(thresholds) {
            let (up, down) = (one.sub(fall), fall.sub(&second));
            let size = match form {
                // |x| ≤ max(x, −x), and the slack is over denominators that are below 4.
                Form::Right => {
                    up.hull(&up.neg()).add(&down.hull(&down.neg())).add(&slack.mul(&Enclosure::from_integer(4, 0)))
                }
                Form::Middle => one.hull(fall).add(slack),
            };
            most = most.add(&size.mul(&threshold.weight).hull(&zero));
        }
        Some(Self { form, ratio, second, falls, most })
    }

    /// W(t) of every threshold at e^(it), the transform of f.
    ///
    /// Right: f(m) = z^-m·(1 − e^(−β−hm)), m ≥ 0, so that with a = e^(−it)/z,
    /// W = 1/(1−a) − e^-β/(1−a·e^-h) = ((1 − e^-β) + a·(e^-β − e^-h))/((1−a)(1−a·e^-h)).
    /// Middle: f(m) = z^-m·e^(−β−hm) for m ≥ 0 and z^-m for m < 0, so that W = e^-β/(1 − e^(−it)·e^-h/z) +
    /// z·e^(it)/(1 − z·e^(it)).
    fn transforms(&self, unit: &Disc, working: &Working) -> Option<Vec<Disc>> {
        let bits = working.bits();
        let one = Disc::one(bits);
        let one_real = Enclosure::from_integer(1, bits);
        let back = unit.clone().conjugate();
        match self.form {
            Form::Right => {
                let a = back.mul_real(&self.ratio);
                let inverse = one.sub(&a).mul(&one.sub(&a.mul_real(&self.second))).recip()?;
                let transform = |(fall, slack): &(Enclosure, Enclosure)| {
                    let constant = Disc::real(&one_real.sub(fall), bits);
                    let sum = constant.add(&a.mul_real(&fall.sub(&self.second)));
                    sum.mul(&inverse).widened(slack)
                };
                Some(self.falls.iter().map(transform).collect())
            }
            Form::Middle => {
                let onward = one.sub(&back.mul_real(&self.second)).recip()?;
                let up = unit.mul_real(&self.ratio);
                let backward = up.mul(&one.sub(&up).recip()?);
                let transform =
                    |(fall, slack): &(Enclosure, Enclosure)| onward.mul_real(fall).add(&backward).widened(slack);
                Some(self.falls.iter().map(transform).collect())
            }
        }
    }

    /// An upper bound on Σ_b weight_b·|W_b(t)| over a range of t, weights being at most 1 in all (or what
    /// `new` was given to scale by).
    ///
    /// |1 − x·e^(it)|² = (1−x)² + 4x·sin²(t/2) rises up to t = π, so that denominators are least at the start
    /// of the range.
    fn ceiling(&self, range: &Range<'_>, working: &Working) -> Option<Scaled> {
        let bits = working.bits();
        let cosine = working.turn(&range.from.clone().into(), range.turns).re();
        // 2·sin²(t/2) = 1 − cos t.
        let rise = Enclosure::from_integer(1, bits).sub(&cosine).max_zero();
        let modulus = |x: &Enclosure| {
            let square =
                Enclosure::from_integer(1, bits).sub(x).square().add(&x.mul(&rise).mul(&Enclosure::from_integer(2, 0)));
            Scaled::from_enclosure(&square, bits)
        };
        let scaled = |x: &Enclosure| Scaled::from_enclosure(x, bits);
        let one = Scaled::one(bits);
        match self.form {
            Form::Right => {
                let below = modulus(&self.ratio).mul(&modulus(&self.ratio.mul(&self.second)));
                one.div(&below).map(|inverse| inverse.sqrt_upper().mul(&scaled(&self.most)))
            }
            Form::Middle => {
                let onward = one.div(&modulus(&self.second))?.sqrt_upper();
                let backward = one.div(&modulus(&self.ratio))?.sqrt_upper();
                Some(onward.add(&backward).mul(&scaled(&self.most)))
            }
        }
    }

    /// W(0) weighted over all thresholds: the sum of f, and of its transform a bound everywhere.
    pub(super) fn total(&self, thresholds: &[Threshold], working: &Working) -> Option<Enclosure> {
        let transforms = self.transforms(&Disc::one(working.bits()), working)?;
        Some(transforms.iter().zip(thresholds).map(|(w, threshold)| w.re().max_zero().mul(&threshold.weight)).sum())
    }

    /// (1/N)·Σ_j φ(t_j)·Σ_b weight_b·e^(−i·first_b·t_j)·W_b(t_j) over the listed frequencies, their mirror
    /// images and 0.
    pub(super) fn sum(
        &self,
        strands: &[Strand],
        thresholds: &[Threshold],
        points: &BigUint,
        frequencies: &[BigUint],
        working: &Working,
    ) -> Option<Enclosure> {
        let bits = working.bits();
        let mut centre = Rational::zero();
        for strand in strands {
            let times = BigInt::from(strand.copies) * BigInt::from(strand.stride.clone());
            centre += &strand.tilted.centre * times;
        }
        let mut sum = self.total(thresholds, working)?;
        for strand in strands.iter().filter(|strand| strand.is_peeled) {
            sum = sum.mul(&strand.power(&BigInt::zero(), points, working)?.re());
        }
        for index in frequencies {
            working.go_on()?;
            let index = BigInt::from(index.clone());
            let mut product = Disc::one(bits);
            for strand in strands {
                product = product.mul(&strand.power(&index, points, working)?);
            }
            let transforms = self.transforms(&working.turn(&index, points), working)?;
            let mut inner = Disc::zero(bits);
            for (transform, threshold) in transforms.iter().zip(thresholds) {
                let turned = (&centre - &threshold.first) * &index;
                let denominator = turned.denom().magnitude() * points;
                let phase = working.turn(turned.numer(), &denominator);
                inner = inner.add(&phase.mul(transform).mul_real(&threshold.weight));
            }
            let term = product.mul(&inner).re();
            sum = sum.add(&term).add(&term);
        }
        let share = Rational::new(BigInt::one(), points.clone().into());
        Some(sum.mul_rational(&share))
    }
}
