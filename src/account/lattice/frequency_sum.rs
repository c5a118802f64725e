//! The sum over frequencies of a loss on a lattice, at one tilt, and what it says of δ.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use super::{
    PRECISION_OF_SMALLEST, SMALLEST, Split,
    factor::Factor,
    finite_mass, listed,
    tilt::{self, Aliases, Form, Tilt},
    tilted::Tilted,
    trapezoid::{self, Kernel, Strand, Threshold},
};
use crate::{
    account::profile::Epsilon,
    exact::{Enclosure, Rational, Scaled, Working, exponential, product},
};

/// The most values of the listed losses.
const MOST_VALUES: usize = 1 << 12;

/// How precisely to work.
pub(super) struct Effort {
    /// Relative bits that are wanted.
    pub(super) bits: u32,
    /// Further bits, for what is lost on the way.
    pub(super) guard: u32,
}

/// The sum for δ at one ε, of factors that are split in one way.
pub(super) struct FrequencySum<'a> {
    pub(super) factors: &'a [Factor],
    pub(super) split: &'a Split,
    pub(super) epsilon: &'a Epsilon<'a>,
    /// The most frequencies.
    pub(super) most: usize,
    /// Whether the event that every copy is at an end is left out.
    pub(super) is_peeled: bool,
}

/// What one attempt found.
pub(super) struct Found {
    /// E[(1 − e^(ε−L))₊; L < ∞], or E[min(1, e^(ε−L))].
    pub(super) value: Scaled,
    /// About how many relative bits are missing.
    pub(super) missing: u32,
}

impl FrequencySum<'_> {
    /// a, the loss at X = 0 of the factors on the lattice.
    fn base(&self, working: &Working) -> Option<Enclosure> {
        let mut sum = Enclosure::from_integer(0, 0);
        for (index, _) in &self.split.strands {
            let factor = self.factors.get(*index)?;
            sum = sum.add(&factor.base(working)?.mul(&Enclosure::from_integer(factor.copies, 0)));
        }
        Some(sum)
    }

    /// n₀ and β where ε is less by `loss`.
    fn threshold(&self, base: &Enclosure, loss: &Enclosure, working: &Working) -> Option<(BigInt, Enclosure)> {
        let fine = working.bits().saturating_add(64);
        let step = self.split.step.enclose(fine);
        let gap = (self.epsilon)(fine)?.sub(base).sub(loss);
        let place = gap.div(&step)?;
        // Every n ≤ n₀ − 1 ≤ place is at or below ε for certain, and n₀ + 1 above it.
        let first: BigInt = place.lower().floor().to_integer() + 1;
        if place.upper() >= Rational::from_integer(&first + 1) {
            return None;
        }
        let excess = step.mul(&Enclosure::from_integer(first.clone(), 0)).sub(&gap);
        // The bound on right aliases takes this for granted.
        if excess.lower() < -step.lower() / BigInt::from(1024) {
            return None;
        }
        Some((first, excess))
    }

    fn strands(&self, theta: &Rational, working: &Working) -> Option<Vec<Strand>> {
        let strand = |(index, stride): &(usize, BigUint)| {
            let factor = self.factors.get(*index)?;
            let tilted = Tilted::new(factor, theta, working)?;
            Some(Strand { tilted, stride: stride.clone(), copies: factor.copies, is_peeled: self.is_peeled })
        };
        self.split.strands.iter().map(strand).collect()
    }

    /// The thresholds, one for each value of the listed losses, and a bound on the weight of those values
    /// that are left out.
    ///
    /// With ℓ_j a value of the listed losses, the others must exceed ε − ℓ_j = a + h·n_j − β_j, and
    /// P(ℓ_j)·e^(−θ·h·n_j) = e^(−θ(ε−a))·P(ℓ_j)·e^(θℓ_j)·e^(−θβ_j): the weight is P_θ(ℓ_j)·e^(−θβ_j), and the
    /// rest common to all.
    fn thresholds(&self, tilt: &Tilt, working: &Working) -> Option<(Vec<Threshold>, Enclosure)> {
        let base = self.base(working)?;
        let zero = Enclosure::from_integer(0, 0);
        if self.split.listed.is_empty() {
            let (first, excess) = self.threshold(&base, &zero, working)?;
            let weight = Enclosure::from_integer(1, 0);
            return Some((Vec::from([Threshold { weight, first, excess }]), zero));
        }
        let factors: Vec<&Factor> = self.split.listed.iter().filter_map(|index| self.factors.get(*index)).collect();
        let (values, left_out) = listed::values(&factors, &tilt.theta, MOST_VALUES, working)?;
        let mut thresholds = Vec::with_capacity(values.len());
        for (loss, share) in &values {
            let (first, excess) = self.threshold(&base, loss, working)?;
            let fall = working.exp(&excess.mul_rational(&-&tilt.theta))?.fixed(working.bits())?;
            thresholds.push(Threshold { weight: share.mul(&fall), first, excess });
        }
        Some((thresholds, left_out))
    }

    /// The expectation, and the precision at which it was found; `None` where there are too many frequencies,
    /// or too much work.
    pub(super) fn attempt(&self, tilt: &Tilt, effort: &Effort, low: &Working) -> Option<(Found, Working)> {
        let copies = 1 + self.factors.iter().map(|factor| u128::from(factor.copies)).sum::<u128>();
        let step_low = self.split.step.enclose(low.bits().saturating_add(64));
        let log = |x: &Rational| u32::try_from(tilt::log_two(x).unsigned_abs()).ok();
        // Digits lost: to the powers, to 1 − e^(−θh) twice, and to 1 − e^-h.
        let rate = step_low.upper() * tilt.theta.abs();
        let lost = copies.ilog2().checked_add(2 * log(&rate)?)?.checked_add(log(&step_low.upper())?)?;
        let bits = effort.bits.checked_add(effort.guard)?.checked_add(lost)?.checked_add(16)?;
        let working = Working::within(bits, low.budget());
        let (thresholds, left_out) = self.thresholds(tilt, &working)?;
        let step = self.split.step.enclose(working.bits().saturating_add(64));
        let kernel = Kernel::new(tilt.form, &tilt.theta, &step, &thresholds, &working)?;
        let total = kernel.total(&thresholds, &working)?;
        // c₀ is about W(0)·P_θ(n₀) or more: W(0) over some standard deviations.
        let spread = (&tilt.deviation / step_low.upper()).max(Rational::one());
        let scale = tilt::log_two(&spread) + 4;
        let wanted = i64::from(effort.bits) + i64::from(effort.guard) / 2;
        let alias_bits = u32::try_from((wanted + scale - tilt::log_two(&total.upper())).max(8)).ok()?;
        let aliases = Aliases::new(self.factors, tilt, &(self.epsilon)(low.bits())?, &step_low, low)?;
        let points = aliases.points(alias_bits, &step_low)?;
        let alias = aliases.bound(&points, &step, &working)?;
        // A listed value's weight P_θ(ℓ_j)·e^(−θβ_j), β_j ≤ h, is at most P_θ(ℓ_j) times this.
        let most = match tilt.form {
            Form::Middle if !self.split.listed.is_empty() => {
                working.exp(&step.mul_rational(&tilt.theta.abs()))?.fixed(working.bits())?
            }
            _ => Enclosure::from_integer(1, 0),
        };
        let (alias, left_out) = (alias.mul(&most), left_out.mul(&most));
        let points = points.to_biguint()?;
        let low_strands = self.strands(&tilt.theta, low)?;
        let dropped_bits = wanted + scale - tilt::log_two(&total.upper());
        let frequencies = trapezoid::frequencies(&low_strands, &kernel, &points, dropped_bits + 4, self.most, low)?;
        // A frequency is a few exponentials for every strand, and a turn for every threshold: not begun if
        // there is no hope to end it.
        let each =
            4 * u64::try_from(low_strands.len() + thresholds.len()).ok()? * exponential(bits) + 200 * product(bits);
        if each.saturating_mul(u64::try_from(frequencies.listed.len()).ok()?) / 2 > low.budget().left() {
            return None;
        }
        let strands = self.strands(&tilt.theta, &working)?;
        let sum = kernel.sum(&strands, &thresholds, &points, &frequencies.listed, &working)?;
        // Aliases are in [0, alias], what was dropped is in ±dropped.
        let zero = Enclosure::from_integer(0, 0);
        let dropped = frequencies.dropped.fixed(working.bits())?.hull(&zero);
        let sum = sum.sub(&alias.hull(&zero)).sub(&dropped).add(&dropped).add(&left_out.hull(&zero));
        let coefficient = sum.max_zero();
        // M(θ)·e^(−θℓ₀) = Π (e^log·mass)^copies·e^(−θ·h·n₀); with listed losses M(θ)·e^(−θ(ε−a)) of the
        // whole.
        let mut exponent = match thresholds.as_slice() {
            [only] if self.split.listed.is_empty() => step.mul(&Enclosure::from_integer(-&only.first, 0)),
            _ => self.base(&working)?.sub(&(self.epsilon)(working.bits().saturating_add(64))?),
        };
        exponent = exponent.mul_rational(&tilt.theta);
        let mut mass = Scaled::one(working.bits());
        for strand in &strands {
            exponent = exponent.add(&strand.tilted.log.mul(&Enclosure::from_integer(strand.copies, 0)));
            mass = mass.mul(&strand.tilted.mass.pow(strand.copies));
        }
        for factor in self.split.listed.iter().filter_map(|index| self.factors.get(*index)) {
            let tilted = Tilted::new(factor, &tilt.theta, &working)?;
            let one = tilted.log.add(&factor.base(&working)?.mul_rational(&tilt.theta));
            exponent = exponent.add(&one.mul(&Enclosure::from_integer(factor.copies, 0)));
            mass = mass.mul(&tilted.mass.pow(factor.copies));
        }
        let scaled = Scaled::from_enclosure(&coefficient, working.bits());
        let value = mass.mul(&working.exp(&exponent)?).mul(&scaled);
        let relative =
            Scaled::from_enclosure(&Enclosure::from_rational(&coefficient.width(), coefficient.precision()), 64);
        let missing = relative.magnitude() - scaled.floor_magnitude() + i64::from(effort.bits);
        let missing = u32::try_from(missing.max(0)).unwrap_or(u32::MAX).min(2 * working.bits());
        Some((Found { value, missing }, working))
    }
}

/// δ from the expectation: with the probability of an infinite loss, or as 1 less the expectation.
pub(super) fn finish(factors: &[Factor], form: Form, value: &Scaled, working: &Working) -> Option<Enclosure> {
    let one = Enclosure::from_integer(1, 0);
    let unit = |enclosure: Enclosure| {
        let whole = Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0));
        enclosure.intersection(&whole)
    };
    match form {
        Form::Middle => unit(one.sub(&value.fixed(working.bits())?)),
        Form::Right if factors.iter().any(Factor::is_infinite) => {
            let finite = finite_mass(factors, working)?;
            unit(one.sub(&finite.fixed(working.bits())?).add(&value.fixed(working.bits())?))
        }
        Form::Right => {
            if value.magnitude() < -SMALLEST {
                return Enclosure::from_bounds(
                    &Rational::zero(),
                    &tilt::power_of_two(-SMALLEST),
                    PRECISION_OF_SMALLEST,
                );
            }
            unit(value.exact()?)
        }
    }
}
