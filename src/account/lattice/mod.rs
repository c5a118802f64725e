//! Composition on an exact lattice: no loss is rounded, no convolution is taken.
//!
//! **The setting.** The loss of a plan is L = a + h·X, X a sum of independent integer variables ([`factor`]), and
//! δ(ε) = E[(1 − e^(ε−L))₊]. Let ℓ₀ = a + h·n₀ be the first lattice point above ε and β = ℓ₀ − ε. For any θ, with M(θ) = E[e^(θL)] and
//! P_θ(ℓ) = P(ℓ)·e^(θℓ)/M(θ),
//!
//! ```text
//! δ = M(θ)·e^(−θℓ₀)·c₀,   c₀ = Σ_m P_θ(ℓ₀ + hm)·f(m),   f(m) = e^(−θhm)·(1 − e^(−β−hm)) for m ≥ 0, else 0.
//! ```
//!
//! **The trapezoid rule is exact but for aliases.** With φ the characteristic function of X under P_θ, and W(t) = Σ_m f(m)·e^(−imt) in
//! closed form ([`trapezoid`]), the N-point rule gives (1/N)·Σ_j φ(t_j)·e^(−i·n₀·t_j)·W(t_j) = Σ_r c_r at t_j = 2πj/N, where
//! c_r = Σ_m P_θ(ℓ₀ + h(rN + m))·f(m) ≥ 0. So c₀ is at most this sum, and at least this sum less a bound on the others:
//!
//! * r > 0, for θ > 0: Σ_{r>0} c_r ≤ P_θ(L ≥ ℓ₀ + hN)/(1 − e^(−θhN)), as f(m) ≤ e^(−θhm) ≤ 1, and by Chernoff that probability is at most
//!   e^(−η(ε+hN))·M(θ+η)/M(θ) for every η > 0.
//! * r < 0: an n = n₀ − d contributes at most Σ_{r ≥ 1, rN ≥ d} e^(−θh(rN−d)) ≤ min(1, e^(−θh(N−d)))/(1 − e^(−θhN)), and
//!   min(1, x) ≤ x^(η/θ) for 0 < η ≤ θ: in all E_θ[e^(−η(hN − ℓ₀ + L))]/(1 − …) = e^(−η(hN − ℓ₀))·M(θ−η)/M(θ)/(1 − …).
//!
//! **Few frequencies count.** |W(t)| ≤ W(0), so that frequencies at which |φ| ≤ 2^-b add at most 2^-b·W(0) together. [`tilted`] bounds |φ| over
//! whole ranges of frequencies; about a hundred are left whatever N.
//!
//! **Far below the mean loss**, where θ > 0 would have to be tiny, −1 < θ < 0 and 1 − δ = E[min(1, e^(ε−L))] take their place, with
//! f(m) = e^(−θhm)·min(1, e^(−β−hm)) falling on both sides at a rate of at least κ = min(−θ, 1+θ); both sides of aliases are bounded as those
//! for r < 0, with η ≤ κ and a factor of 2.
//!
//! **Nothing here is decided by an approximation**: θ, η, N and the frequencies are found by searches that may stop anywhere, since every
//! bound holds whatever they are. Widths are checked at the end, and what is too wide is computed again.
//!
//! **Ties.** Where the enclosure of β reaches below 0 the first point may really be at or below ε, and its f then is 0 and not
//! 1 − e^-β: the difference is at most e^|β| − 1, by which W is widened.

mod factor;
mod loss;
mod tilt;
mod tilted;
mod trapezoid;

use alloc::vec::Vec;
use core::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use self::{
    factor::Factor,
    loss::Loss,
    tilt::{Aliases, Form, Tilt},
    tilted::Tilted,
    trapezoid::{Kernel, Strand, Threshold},
};
use super::{Answer, Direction, Precision, answer::is_narrow, profile::Epsilon};
use crate::{
    exact::{Enclosure, NonNegative, Rational, Scaled, Working},
    guarantee::{Pair, Weight},
};

/// The most frequencies that are evaluated.
const MOST_FREQUENCIES: usize = 20_000;

/// δ(ε) of a plan whose losses share a lattice; `None` if they do not, or the question is out of this method's reach.
pub(super) fn delta(direction: &Direction, epsilon: &NonNegative, precision: &Precision) -> Option<Answer> {
    let factors = factors(direction)?;
    if is_above_every_loss(&factors, epsilon.get()) {
        return Some(Answer { enclosure: Enclosure::from_integer(0, 0), method: METHOD, is_narrow: true });
    }
    let epsilon = |bits: u32| Some(Enclosure::from_rational(epsilon.get(), bits));
    enclose(&factors, &epsilon, precision)
}

/// δ(ε) of one pair at any real ε.
pub(super) fn at(pair: &Pair, epsilon: &Epsilon<'_>, precision: &Precision) -> Option<Answer> {
    enclose(&[Factor::new(pair, 1)?], epsilon, precision)
}

/// Whether ε is at least every loss of a pair on a lattice.
pub(super) fn is_bounded_by(pair: &Pair, epsilon: &Rational) -> bool {
    Factor::new(pair, 1).is_some_and(|factor| is_above_every_loss(&[factor], epsilon))
}

/// The greatest loss of a plan, enclosed: its pure ε; `None` if there is none, or the losses are on no lattice.
pub(super) fn greatest_loss(direction: &Direction, bits: u32) -> Option<Enclosure> {
    let (exact, enclosed) = maximal_loss(&factors(direction)?, bits)?;
    Some(exact.map_or(enclosed, |exact| Enclosure::from_rational(&exact, bits)))
}

/// Whether every loss of a plan is known to be on a lattice of its own, each.
pub(super) fn is_known(direction: &Direction) -> bool {
    factors(direction).is_some()
}

/// Encloses a share of a sum of weights.
pub(super) fn share(part: &[Weight], whole: &[Weight], working: &Working) -> Option<Enclosure> {
    factor::total(part, working)?.div(&factor::total(whole, working)?)?.fixed(working.bits())
}

const METHOD: &str = "exact lattice";

/// The factors of a plan; `None` if a pair is on no lattice, or there is a choice of pairs.
fn factors(direction: &Direction) -> Option<Vec<Factor>> {
    direction
        .iter()
        .map(|(pairs, copies)| match pairs.as_slice() {
            [pair] => Factor::new(pair, *copies),
            _ => None,
        })
        .collect()
}

/// Whether ε is at least the greatest total loss, so that δ(ε) = 0.
fn is_above_every_loss(factors: &[Factor], epsilon: &Rational) -> bool {
    maximal_loss(factors, 256).is_some_and(|_| {
        let mut bits = 64;
        while bits <= 1 << 12 {
            let Some((exact, enclosed)) = maximal_loss(factors, bits) else { return false };
            if let Some(exact) = exact {
                return *epsilon >= exact;
            }
            match Enclosure::from_rational(epsilon, bits).compare(&enclosed) {
                Some(Ordering::Less) => return false,
                Some(_) => return true,
                None => bits *= 2,
            }
        }
        false
    })
}

/// The greatest total loss, exactly where it is rational, and enclosed; `None` if there is none.
fn maximal_loss(factors: &[Factor], bits: u32) -> Option<(Option<Rational>, Enclosure)> {
    let working = Working::new(bits.saturating_add(64));
    let mut exact = Some(Rational::zero());
    let mut enclosed = Enclosure::from_integer(0, 0);
    for factor in factors {
        if factor.is_infinite() {
            return None;
        }
        let top = BigInt::from(factor.top()?);
        let copies = BigInt::from(factor.copies);
        let rational = factor.base.as_rational().zip(factor.step.as_rational()).filter(|_| factor.sums.is_none());
        exact = exact.zip(rational).map(|(sum, (base, step))| sum + (base + step * &top) * &copies);
        let step = factor.step.enclose(working.bits().saturating_add(64)).mul(&Enclosure::from_integer(top, 0));
        let one = factor.base(&working)?.add(&step);
        enclosed = enclosed.add(&one.mul(&Enclosure::from_integer(copies, 0)));
    }
    Some((exact, enclosed))
}

/// The lattice that all factors share, and their strides on it.
fn lattice(factors: &[Factor]) -> Option<(Loss, Vec<BigUint>)> {
    let mut step = Loss::zero();
    for factor in factors.iter().filter(|factor| !factor.step.is_zero()) {
        step = if step.is_zero() { factor.step.clone() } else { step.common(&factor.step)? };
    }
    let stride = |factor: &Factor| {
        let stride = if factor.step.is_zero() { BigInt::zero() } else { factor.step.over(&step)? };
        stride.to_biguint()
    };
    let strides = factors.iter().map(stride).collect::<Option<_>>()?;
    // A lattice of one point has any step.
    Some((if step.is_zero() { Loss::rational(Rational::one()) } else { step }, strides))
}

/// Encloses δ(ε) for factors on one lattice; the ε may be any real.
fn enclose(factors: &[Factor], epsilon: &Epsilon<'_>, precision: &Precision) -> Option<Answer> {
    let (step, strides) = lattice(factors)?;
    let bits = precision.bits();
    let fine = u32::try_from((-tilt::log_two(&step.enclose(64).upper())).max(0)).ok()?;
    let question = Question { factors, strides: &strides, step: &step, epsilon };
    let low = Working::new(fine.checked_mul(2)?.checked_add(112)?);
    let tilt = tilt::choose(factors, &epsilon(low.bits())?, &low)?;
    let mut effort = Effort { bits, guard: 16 };
    let mut best: Option<Enclosure> = None;
    for _ in 0..6 {
        let Some(found) = question.attempt(&tilt, &effort, &low) else {
            // Too many frequencies: ask for less.
            effort = Effort { bits: effort.bits / 2, guard: effort.guard };
            if effort.bits < 16 || best.is_some() {
                break;
            }
            continue;
        };
        let better = best.as_ref().map_or(Some(found.enclosure.clone()), |best| best.intersection(&found.enclosure));
        let enclosure = better?;
        let narrow = is_narrow(&enclosure, precision);
        best = Some(enclosure);
        if narrow || effort.bits < bits {
            break;
        }
        effort = Effort { bits: effort.bits, guard: effort.guard.saturating_add(found.missing).saturating_add(16) };
    }
    let enclosure = best?;
    let is_narrow = is_narrow(&enclosure, precision);
    Some(Answer { enclosure, method: METHOD, is_narrow })
}

/// How precisely to work.
struct Effort {
    /// Relative bits that are wanted.
    bits: u32,
    /// Further bits, for what is lost on the way.
    guard: u32,
}

struct Question<'a> {
    factors: &'a [Factor],
    strides: &'a [BigUint],
    step: &'a Loss,
    epsilon: &'a Epsilon<'a>,
}

struct Found {
    enclosure: Enclosure,
    /// About how many relative bits are missing.
    missing: u32,
}

impl Question<'_> {
    /// a, the loss at X = 0.
    fn base(&self, working: &Working) -> Option<Enclosure> {
        let mut sum = Enclosure::from_integer(0, 0);
        for factor in self.factors {
            sum = sum.add(&factor.base(working)?.mul(&Enclosure::from_integer(factor.copies, 0)));
        }
        Some(sum)
    }

    /// n₀ and β.
    fn threshold(&self, working: &Working) -> Option<(BigInt, Enclosure)> {
        let fine = working.bits().saturating_add(64);
        let (base, step) = (self.base(working)?, self.step.enclose(fine));
        let gap = (self.epsilon)(fine)?.sub(&base);
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
        let strand = |(factor, stride): (&Factor, &BigUint)| {
            let tilted = Tilted::new(factor, theta, working)?;
            Some(Strand { tilted, stride: stride.clone(), copies: factor.copies })
        };
        self.factors.iter().zip(self.strides).map(strand).collect()
    }

    fn attempt(&self, tilt: &Tilt, effort: &Effort, low: &Working) -> Option<Found> {
        let copies: u64 = self.factors.iter().map(|factor| factor.copies).fold(1, u64::saturating_add);
        let step_low = self.step.enclose(low.bits().saturating_add(64));
        let log = |x: &Rational| u32::try_from(tilt::log_two(x).unsigned_abs()).ok();
        // Digits lost: to the powers, to 1 − e^(−θh) twice, and to 1 − e^-h.
        let rate = step_low.upper() * tilt.theta.abs();
        let lost = copies.ilog2().checked_add(2 * log(&rate)?)?.checked_add(log(&step_low.upper())?)?;
        let working = Working::new(effort.bits.checked_add(effort.guard)?.checked_add(lost)?.checked_add(16)?);
        let (first, excess) = self.threshold(&working)?;
        let thresholds = [Threshold { weight: Enclosure::from_integer(1, 0), first: first.clone(), excess }];
        let step = self.step.enclose(working.bits().saturating_add(64));
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
        let points = points.to_biguint()?;
        let low_strands = self.strands(&tilt.theta, low)?;
        let dropped_bits = wanted + scale;
        let frequencies = trapezoid::frequencies(&low_strands, &points, dropped_bits, MOST_FREQUENCIES, low)?;
        let strands = self.strands(&tilt.theta, &working)?;
        let sum = kernel.sum(&strands, &thresholds, &points, &frequencies, &working)?;
        // Aliases are in [0, alias]; what was dropped is in ±2^-dropped_bits·W(0).
        let zero = Enclosure::from_integer(0, 0);
        let dropped = total.mul_rational(&tilt::power_of_two(-dropped_bits)).hull(&zero);
        let sum = sum.sub(&alias.hull(&zero)).sub(&dropped).add(&dropped);
        let coefficient = sum.max_zero();
        // M(θ)·e^(−θℓ₀) = Π (e^log·mass)^copies·e^(−θ·h·n₀).
        let mut exponent = step.mul(&Enclosure::from_integer(-first, 0)).mul_rational(&tilt.theta);
        let mut mass = Scaled::one(working.bits());
        for strand in &strands {
            exponent = exponent.add(&strand.tilted.log.mul(&Enclosure::from_integer(strand.copies, 0)));
            mass = mass.mul(&strand.tilted.mass.pow(strand.copies));
        }
        let scaled = Scaled::from_enclosure(&coefficient, working.bits());
        let value = mass.mul(&working.exp(&exponent)?).mul(&scaled);
        let enclosure = self.finish(tilt.form, &value, &working)?;
        let relative =
            Scaled::from_enclosure(&Enclosure::from_rational(&coefficient.width(), coefficient.precision()), 64);
        let missing = relative.magnitude() - scaled.floor_magnitude() + i64::from(effort.bits);
        let missing = u32::try_from(missing.max(0)).unwrap_or(u32::MAX).min(2 * working.bits());
        Some(Found { enclosure, missing })
    }

    /// δ from the expectation: with the probability of an infinite loss, or as 1 less the expectation.
    fn finish(&self, form: Form, value: &Scaled, working: &Working) -> Option<Enclosure> {
        let one = Enclosure::from_integer(1, 0);
        let unit = |enclosure: Enclosure| {
            let whole = Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0));
            enclosure.intersection(&whole)
        };
        match form {
            Form::Middle => unit(one.sub(&value.fixed(working.bits())?)),
            Form::Right if self.factors.iter().any(Factor::is_infinite) => {
                let mut finite = Scaled::one(working.bits());
                for factor in self.factors {
                    finite = finite.mul(&factor.finite_mass(working)?.pow(factor.copies));
                }
                unit(one.sub(&finite.fixed(working.bits())?).add(&value.fixed(working.bits())?))
            }
            Form::Right => {
                // Lower than 2^-2^20: no digits are worth writing out.
                if value.magnitude() < -(1 << 20) {
                    return Enclosure::from_bounds(&Rational::zero(), &tilt::power_of_two(-(1 << 20)), 1 << 20);
                }
                unit(value.exact()?)
            }
        }
    }
}
