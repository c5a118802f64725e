//! The smoothed sum over frequencies, and what it says of δ.
//!
//! ```text
//! z = θ + it    w = z(z+1)    t_m = 2πm/L, |m| ≤ M    T = t_(M+1)    s = κ/T    pref = e^(−θε)·M(θ)
//! F(t) = e^(−itε)·Π φ_i(t)^k_i    G(t) = F(t)·e^(s²w/2)
//! A = pref/L·Σ_m G(t_m)/w_m       B = s²·e^(s²/8)·pref/L·Σ_m G(t_m)
//! ```
//!
//! **For θ > 0: A − aliases − B ≤ δ ≤ A. For −1 < θ < 0: P* + A − B ≤ δ ≤ P* + A + aliases**, but for
//! truncation and rounding, which are added on either side. Any settings are sound; bad ones make an answer
//! wide.
//!
//! * **The upper bound.** Compose the plan with a fictitious Gaussian mechanism of loss Y ~ N(s²/2, s²),
//!   E[e^(zY)] = e^(s²w/2). Whoever ignores its output does as well as before, so δ ≤ δ′. As ∫(1 −
//!   e^(−u))₊·e^(−zu) du = 1/w, Poisson's summation says that A over all m is Σ_j e^(θjL)·δ′(ε + jL), all of
//!   whose terms are ≥ 0, and δ′(ε) is the one of j = 0.
//! * **The lower bound.** δ′ ≤ δ + E[b(S − ε)] with b(u) = s/√(2π)·e^(−u/2 − u²/2s²) (`docs/spectral.md`),
//!   whose transform is s²·e^(s²/8)·e^(s²w/2): B over all m is Σ_j e^(θjL)·E[b(S − ε − jL)] ≥ E[b(S − ε)].
//! * **Aliases**, the terms j ≠ 0 of A, θ > 0: for j < 0 δ′ ≤ P*, in all P*/(e^(θL) − 1); for j > 0 δ′(y) ≤
//!   c(σ)·M(σ)·e^(s²σ(σ+1)/2)·e^(−σy) with σ = θ + τ, in all c(σ)·M(σ)·e^(s²σ(σ+1)/2 − σε)/(e^(τL) − 1), for
//!   any τ > 0.
//! * **−1 < θ < 0.** Beyond the pole at z = 0, whose residue is P*, the integral is −H, H(x) = E[min(1,
//!   e^(x−S−Y))] ≥ 0: −A is Σ_j e^(θjL)·H(ε + jL). For j > 0 H ≤ P*, in all P*/(e^(−θL) − 1); for j < 0
//!   min(1, e^v) ≤ e^(σv) for 0 ≤ σ ≤ 1, in all M(−σ)·e^(−s²σ(1−σ)/2)·e^(σε)/(e^((σ+θ)L) − 1), of which the
//!   factor with s is at most 1, for any σ in (−θ, 1].
//! * **Truncation.** |F| ≤ 1, |w| ≥ t² and t_(m+1)² − t_m² ≥ 2T·t₁ from T on: Σ_(m>M) e^(−s²t²/2) ≤ R =
//!   e^(−κ²/2)/(1 − e^(−s²T·t₁)). A misses at most pref·(2/L)·e^(s²w₀/2)·R/T², B at most s²·e^(s²/8) times
//!   that without 1/T², with w₀ = θ(θ+1).

use alloc::{boxed::Box, vec::Vec};

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    constants::{BOUND_BITS, LIMBS_GUARD_BITS},
    frequencies::{Frequencies, KERNEL_GUARD_BITS, Kernel, Turning, Window, frequencies, units, units_of_part},
    limbs::digits,
    outcomes::{LossSum, Side},
    tools::{c, exp_minus_one, floor_units, leading_zeros, one_minus_exp, pointed, scaled, turn},
};
use crate::exact::{Enclosure, Rational, Scaled, Working};

/// How a sum is taken, of a θ > 0 or −1 < θ < 0 and an L > 0; none of it can make an answer wrong.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// κ > 0.
    pub(super) kappa: Rational,
    /// τ > 0 for the aliases: σ = θ + τ where θ > 0, σ = min(1, τ − θ) where θ < 0.
    pub(super) tau: Rational,
    /// M.
    pub(super) last: usize,
}

/// What the sum found: δ is in [lower, upper], and of these which term is how much.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) lower: Rational,
    pub(super) upper: Rational,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests leave each term out, and see it missed"))]
    pub(super) errors: Errors,
}

/// What was added to the upper bound and taken from the lower one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Errors {
    /// B: below alone.
    pub(super) smoothing: Rational,
    /// Of A: on both sides.
    pub(super) truncation: Rational,
    /// Of B: below alone.
    pub(super) truncation_of_smoothing: Rational,
    /// Below for θ > 0, above for θ < 0.
    pub(super) aliases: Rational,
    /// On both sides.
    pub(super) rounding: Rational,
}

/// Π φ_i^k_i of one plan, one θ and one L: it answers any ε, with any κ and any M.
#[derive(Debug)]
pub(super) struct Spectrum {
    theta: Rational,
    period: Rational,
    /// M(θ).
    moment: Scaled,
    /// P*.
    mass: Scaled,
    /// t₁.
    step: Enclosure,
    /// (Outcomes, copies) of each part.
    parts: Vec<(usize, u64)>,
    limbs: u32,
    frequencies: Box<dyn Frequencies>,
}

/// The working digits of a sum of so many limbs, whose losses take so many more.
pub(super) fn working_bits(limbs: u32, small: u32) -> u32 {
    digits(limbs).saturating_add(LIMBS_GUARD_BITS).saturating_add(small)
}

impl Spectrum {
    /// Of a plan of finite losses; `None` where a loss is not known well enough for so many limbs.
    pub(super) fn new(
        plan: &LossSum,
        theta: &Rational,
        period: &Rational,
        limbs: u32,
        working: &Working,
    ) -> Option<Self> {
        let fine = digits(limbs);
        let bits = working.bits();
        let floor = |value: &Enclosure| floor_units(value, fine);
        let mut moments = Scaled::one(bits);
        let mut turning = Vec::new();
        for part in &plan.parts {
            let tilted: Vec<Scaled> =
                part.outcomes.iter().map(|outcome| outcome.tilted(theta, working)).collect::<Option<_>>()?;
            let whole = tilted.iter().fold(Scaled::zero(bits), |sum, of| sum.add(of));
            moments = moments.mul(&whole.pow(part.copies));
            let weight = |of: &Scaled| floor(&of.div(&whole)?.fixed(bits)?);
            let weights = tilted.iter().map(weight).collect::<Option<_>>()?;
            let turned = |loss: &Enclosure| {
                let disc = turn(&loss.mul_rational(&period.recip()), working);
                Some((floor(&disc.0)?, floor(&disc.1)?))
            };
            let turns = part.outcomes.iter().map(|outcome| turned(&outcome.loss)).collect::<Option<_>>()?;
            turning.push(Turning { weights, turns, copies: part.copies });
        }
        let step = working.pi().mul_rational(&(Rational::from_integer(2.into()) / period));
        let w0 = theta * (theta + Rational::one());
        let kernel_bits = fine + KERNEL_GUARD_BITS;
        let units = |value: &Enclosure| floor_units(value, kernel_bits);
        let over = w0.abs().recip();
        let kernel = Kernel {
            one: w0.signum().to_integer() << kernel_bits,
            square: units(&step.square().mul_rational(&over))?,
            linear: units(&step.mul_rational(&((theta * BigInt::from(2) + Rational::one()) * &over)))?,
        };
        let parts = plan.parts.iter().map(|part| (part.outcomes.len(), part.copies)).collect();
        Some(Self {
            theta: theta.clone(),
            period: period.clone(),
            moment: moments,
            mass: plan.mass(Side::P, bits),
            step,
            parts,
            limbs,
            frequencies: frequencies(limbs, &turning, &kernel)?,
        })
    }

    /// Encloses δ(ε).
    pub(super) fn enclose(
        &mut self,
        plan: &LossSum,
        epsilon: &Enclosure,
        at: &Settings,
        working: &Working,
    ) -> Option<Bounds> {
        let bits = working.bits();
        let (theta, period, one) = (&self.theta, &self.period, Rational::one());
        let positive = theta.is_positive();
        let w0 = theta * (theta + &one);
        let number = |value: &Rational| Scaled::from_rational(value, bits);
        let enclosed = |value: &Rational| Enclosure::from_rational(value, bits + 64);
        // s² = (κ/T)².
        let step = scaled(&self.step, bits);
        let end = step.mul(&number(&Rational::from_integer(BigInt::from(at.last) + 1)));
        let s = number(&at.kappa).div(&end)?;
        let s2 = s.mul(&s);
        let s2_enclosed = s2.fixed(bits.checked_add(64)?.checked_add(leading_zeros(&s2))?)?;
        let exponent = enclosed(&-theta.clone()).mul(epsilon).add(&s2_enclosed.mul_rational(&(&w0 / BigInt::from(2))));
        // pref/L, with the factor of the bell at t = 0.
        let prefactor = working.exp(&exponent)?.mul(&self.moment).div(&number(period))?;
        let twice = theta * BigInt::from(2) + &one;
        let turns = s2_enclosed.mul_rational(&(twice / BigInt::from(2))).sub(epsilon).mul_rational(&period.recip());
        let fine = digits(self.limbs);
        let floor = |value: &Enclosure| floor_units(value, fine);
        let (cosine, sine) = turn(&turns, working);
        let a = s2_enclosed.mul(&self.step.square()).mul_rational(&Rational::new((-1).into(), 2.into()));
        let bell = |exponent: &Enclosure| floor(&working.exp(exponent)?.fixed(bits)?);
        let window = Window {
            turn: (floor(&cosine)?, floor(&sine)?),
            bell: (bell(&a)?, bell(&a.mul_rational(&Rational::from_integer(2.into())))?),
        };
        self.frequencies.extend(at.last);
        let sums = self.frequencies.sums(&window, at.last)?;
        // What one frequency is off by, which must be below 1/2 for the units to be counted as they are (and
        // be a number: sums of units saturate).
        let each =
            units(self.parts.iter().map(|(outcomes, copies)| units_of_part(*outcomes, *copies, at.last)), at.last);
        if each == u128::MAX || !(BigInt::from(each) >> (fine - 1)).is_zero() {
            return None;
        }
        let count = BigInt::from(at.last) * 2_u32 + 1_u32;
        let off = Rational::new(BigInt::from(each) * &count, BigInt::one() << fine);
        let sum = |units: BigInt| Enclosure::from_scaled(units.clone(), units, fine);
        let over_w0 = number(&w0.abs().recip());
        let bump = s2.mul(&working.exp(&s2_enclosed.mul_rational(&Rational::new(1.into(), 8.into())))?);
        let main = pointed(&prefactor.mul(&over_w0))?.mul(&sum(sums.main));
        let smoothing = pointed(&prefactor.mul(&bump))?.mul(&sum(sums.excess)).max_zero().upper();
        let rounding = prefactor.mul(&over_w0.add(&bump)).mul(&number(&off));
        // Σ_(m > M) e^(−s²t²/2), but for the factor at t = 0.
        let kappa2 = enclosed(&(&at.kappa * &at.kappa / BigInt::from(-2)));
        let tail = s2.mul(&end).mul(&step);
        let bells = working.exp(&kappa2)?.div(&one_minus_exp(&tail, working)?)?;
        let truncated = prefactor.mul(&bells).mul(&number(&Rational::from_integer(2.into())));
        let truncation = truncated.div(&end.mul(&end))?;
        let truncation_of_smoothing = truncated.mul(&bump);
        // Of aliases a bound is enough, to fewer digits.
        let working = &Working::within(BOUND_BITS, working.budget());
        let near = |rate: &Rational| exp_minus_one(&(rate * period), working);
        let aliases = if positive {
            let sigma = theta + &at.tau;
            let square = &sigma * (&sigma + &one) / BigInt::from(2);
            let exponent = s2_enclosed.mul_rational(&square).sub(&epsilon.mul_rational(&sigma));
            let right = c(&sigma, working)?.mul(&plan.moment(&sigma, working)?).mul(&working.exp(&exponent)?);
            self.mass.div(&near(theta)?)?.add(&right.div(&near(&at.tau)?)?)
        } else {
            let sigma = (&at.tau - theta).min(one.clone());
            let left = plan.moment(&-sigma.clone(), working)?.mul(&working.exp(&epsilon.mul_rational(&sigma))?);
            self.mass.div(&near(&-theta.clone())?)?.add(&left.div(&near(&(sigma + theta))?)?)
        };
        let most = |value: &Scaled| Some(pointed(value)?.upper());
        let errors = Errors {
            smoothing,
            truncation: most(&truncation)?,
            truncation_of_smoothing: most(&truncation_of_smoothing)?,
            aliases: most(&aliases)?,
            rounding: most(&rounding)?,
        };
        let both = &errors.truncation + &errors.rounding;
        let below = &both + &errors.smoothing + &errors.truncation_of_smoothing;
        let none = Rational::zero();
        let (aliases_below, aliases_above) = if positive { (&errors.aliases, &none) } else { (&none, &errors.aliases) };
        let middle = if positive { main } else { main.add(&pointed(&self.mass)?) };
        Some(Bounds {
            lower: middle.lower() - below - aliases_below,
            upper: middle.upper() + both + aliases_above,
            errors,
        })
    }

    pub(super) fn limbs(&self) -> u32 {
        self.limbs
    }
}
