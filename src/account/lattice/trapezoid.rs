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
}

/// One threshold: the losses above ε are base + h·n for n ≥ first, and the first of them exceeds ε by `excess`.
#[derive(Clone, Debug)]
pub(super) struct Threshold {
    /// What the sum for this threshold is multiplied by; at most 1.
    pub(super) weight: Enclosure,
    pub(super) first: BigInt,
    /// β, which may be negative by its own width.
    pub(super) excess: Enclosure,
}

/// The indices, from 1 on, of the frequencies at which |φ| may exceed 2^-bits; `None` if there are more than `most`.
pub(super) fn frequencies(
    strands: &[Strand],
    points: &BigUint,
    bits: i64,
    most: usize,
    working: &Working,
) -> Option<Vec<BigUint>> {
    let half: BigUint = (points - 1_u32) / 2_u32;
    let mut found = Vec::new();
    if half.is_zero() {
        return Some(found);
    }
    let mut pending = vec![(BigUint::one(), half)];
    let mut visited = 0_usize;
    while let Some((from, to)) = pending.pop() {
        visited += 1;
        if visited > most.saturating_mul(4).saturating_add(1000) {
            return None;
        }
        let range = Range { from: &from, to: &to, turns: points };
        let mut ceiling = Scaled::one(working.bits());
        for strand in strands {
            let bound = strand.tilted.ceiling(&strand.stride, &range, working)?;
            ceiling = ceiling.mul(&bound.pow(strand.copies));
        }
        if ceiling.magnitude() <= -bits {
            continue;
        }
        let count = &to - &from + 1_u32;
        if count <= BigUint::from(4_u32) {
            let mut index = from;
            while index <= to {
                found.push(index.clone());
                index += 1_u32;
            }
            if found.len() > most {
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
        let falls = thresholds.iter().map(fall).collect::<Option<_>>()?;
        Some(Self { form, ratio, second, falls })
    }

    /// W(t) of every threshold at e^(it), the transform of f.
    ///
    /// Right: f(m) = z^-m·(1 − e^(−β−hm)), m ≥ 0, so that with a = e^(−it)/z,
    /// W = 1/(1−a) − e^-β/(1−a·e^-h) = ((1 − e^-β) + a·(e^-β − e^-h))/((1−a)(1−a·e^-h)).
    /// Middle: f(m) = z^-m·e^(−β−hm) for m ≥ 0 and z^-m for m < 0, so that W = e^-β/(1 − e^(−it)·e^-h/z) + z·e^(it)/(1 − z·e^(it)).
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

    /// W(0) weighted over all thresholds: the sum of f, and of its transform a bound everywhere.
    pub(super) fn total(&self, thresholds: &[Threshold], working: &Working) -> Option<Enclosure> {
        let transforms = self.transforms(&Disc::one(working.bits()), working)?;
        Some(transforms.iter().zip(thresholds).map(|(w, threshold)| w.re().max_zero().mul(&threshold.weight)).sum())
    }

    /// (1/N)·Σ_j φ(t_j)·Σ_b weight_b·e^(−i·first_b·t_j)·W_b(t_j) over the listed frequencies, their mirror images and 0.
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
        for index in frequencies {
            let index = BigInt::from(index.clone());
            let mut product = Disc::one(bits);
            for strand in strands {
                let turned = &index * BigInt::from(strand.stride.clone());
                product = product.mul(&strand.tilted.shape(&turned, points, working)?.pow(strand.copies));
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
