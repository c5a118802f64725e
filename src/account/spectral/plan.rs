//! δ(ε) of a listed plan: rare outcomes apart, the rest by sums over frequencies that grow until the answer
//! is narrow.

#![expect(clippy::float_arithmetic, reason = "guesses, which affect width and time, never soundness")]

use alloc::vec::Vec;

use num_traits::{Signed, Zero};

use super::{
    blocks::Focus,
    constants::{
        BLOCKS_FOR_ONE, BLOCKS_REACHING_ONE, FEWEST_LIMBS, FIRST_FREQUENCIES, MOST_ATTEMPTS, MOST_FREQUENCIES,
        MOST_LIMBS, REUSE_NATS, TOLERANCE_PARTS,
    },
    frequencies::{units, units_of_part},
    limbs::digits,
    outcomes::{LossSum, Side},
    rare::{self, Rare},
    sketch::{Aim, Guess, RareGuess, Sketch, dyadic, float, log},
    sum::{Bounds, Settings, Spectrum},
    tools::pointed,
};
use crate::exact::{Budget, Enclosure, Rational, Scaled, Working};

/// A plan whose outcomes are listed, and the spectra that were made of it.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) plan: LossSum,
    sketch: Sketch,
    pub(super) working: Working,
    spectra: Vec<Kept>,
}

/// A spectrum of the first outcomes of each part.
#[derive(Debug)]
struct Kept {
    kept: Vec<usize>,
    theta: f64,
    period: f64,
    spectrum: Spectrum,
    last: usize,
}

/// What is asked of a listed plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The relative width.
    pub(super) width: f64,
    /// The most frequencies.
    pub(super) most: usize,
    /// About ln δ, where that is known.
    pub(super) about: Option<f64>,
}

impl Wanted {
    /// So many decimal digits.
    pub(super) fn digits(digits: u32) -> Self {
        Self { width: libm::pow(10.0, -f64::from(digits)), most: MOST_FREQUENCIES, about: None }
    }

    /// About the blocks that make a part of wide noise as narrow: the width falls with their square.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a guess")]
    pub(super) fn blocks(self) -> usize {
        (BLOCKS_FOR_ONE / libm::sqrt(self.width)) as usize
    }

    /// About the relative width that so many blocks of a part reach.
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    pub(super) fn reached_by(blocks: usize) -> f64 {
        let share = BLOCKS_REACHING_ONE / blocks.max(1) as f64;
        share * share
    }
}

/// δ ∈ [lower, upper].
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) lower: Rational,
    pub(super) upper: Rational,
}

impl Found {
    /// (upper − lower)/lower, about; 0 where both are 0.
    pub(super) fn width(&self) -> f64 {
        if self.upper.is_zero() {
            return 0.0;
        }
        if !self.lower.is_positive() || self.lower > self.upper {
            return f64::INFINITY;
        }
        libm::exp(log_of(&(&self.upper - &self.lower)) - log_of(&self.lower))
    }

    pub(super) fn narrow(&mut self, lower: Rational, upper: Rational) {
        if lower > self.lower {
            self.lower = lower;
        }
        if upper < self.upper {
            self.upper = upper;
        }
    }
}

/// ln of a positive rational; −∞ for others.
pub(super) fn log_of(value: &Rational) -> f64 {
    if value.is_positive() { log(&Scaled::from_rational(value, 64)) } else { f64::NEG_INFINITY }
}

impl Listed {
    pub(super) fn new(plan: LossSum, working: Working) -> Self {
        Self { sketch: Sketch::new(&plan), plan, working, spectra: Vec::new() }
    }

    /// About ln δ(ε): Chernoff's bound.
    pub(super) fn log_delta(&self, epsilon: &Rational) -> f64 {
        self.sketch.chernoff(float(&Enclosure::from_rational(epsilon, 128))).1
    }

    /// Where its losses matter for an ε, if δ is about so much.
    pub(super) fn focus(&self, epsilon: &Rational, log_delta: f64, wanted: Wanted) -> Focus {
        let x = float(&Enclosure::from_rational(epsilon, 128));
        let RareGuess { kept, .. } = self.sketch.rare(x, log_delta + libm::log(wanted.width / TOLERANCE_PARTS));
        let (theta, _) = self.sketch.first(&kept).chernoff(x);
        Focus { theta, most: self.sketch.greatest(&kept) }
    }

    /// The limbs that sums will need, if δ is about so much.
    pub(super) fn limbs_for(&self, epsilon: &Rational, log_delta: f64, wanted: Wanted) -> Option<u32> {
        let x = float(&Enclosure::from_rational(epsilon, 128));
        let aim = Aim { epsilon: x, log_delta, room: log_delta + libm::log(wanted.width / TOLERANCE_PARTS) };
        let guesses = self.sketch.guesses(&aim);
        guesses.iter().map(|guess| limbs(&self.plan, guess, &aim, wanted.most)).max()?
    }

    /// Chernoff's tilt.
    pub(super) fn chernoff_tilt(&self, epsilon: &Rational) -> f64 {
        self.sketch.chernoff(float(&Enclosure::from_rational(epsilon, 128))).0
    }

    /// A proven upper bound, Chernoff's, with what is left out and what is infinite.
    pub(super) fn upper_bound(&self, epsilon: &Rational) -> Option<Rational> {
        let bits = self.working.bits();
        let at = Enclosure::from_rational(epsilon, bits.checked_add(64)?);
        let (theta, _) = self.sketch.chernoff(float(&at));
        let bound = rare::chernoff(&self.plan, &at, &dyadic(theta)?, &self.working)?;
        let infinite =
            pointed(&self.plan.mass_with_never(bits))?.upper() - pointed(&self.plan.mass(Side::P, bits))?.lower();
        let infinite = if self.plan.has_never() { infinite } else { Rational::zero() };
        Some(bound + infinite + pointed(&self.plan.cut(bits))?.upper())
    }

    /// Encloses δ(ε) of what is listed, without what is cut off.
    pub(super) fn delta(&mut self, epsilon: &Enclosure, wanted: Wanted, budget: &Budget) -> Option<Found> {
        let (bits, at) = (self.working.bits(), epsilon);
        let all = self.plan.mass_with_never(bits);
        if self.plan.is_empty() {
            // All losses of some part are infinite: Q is 0 wherever P is not.
            let all = pointed(&all)?;
            return Some(Found { lower: all.lower(), upper: all.upper() });
        }
        if !self.plan.has_never() && self.plan.greatest()?.upper() <= epsilon.lower() {
            return Some(Found { lower: Rational::zero(), upper: Rational::zero() });
        }
        // At least P* − e^ε·Q*, and 0. Where e^ε·Q* is above 1 that is negative, and e^ε may be too large to
        // be formed.
        let cost = self.plan.mass(Side::Q, bits).mul(&self.working.exp(at)?);
        let (all, cost) = (pointed(&all)?, if cost.magnitude() > 1 { None } else { pointed(&cost) });
        let certain = cost.map_or_else(Rational::zero, |cost| all.lower() - cost.upper());
        let mut found = Found { lower: certain.max(Rational::zero()), upper: all.upper() };
        let x = float(at);
        let log_delta = wanted.about.unwrap_or_else(|| self.sketch.chernoff(x).1);
        let mut aim = Aim { epsilon: x, log_delta, room: 0.0 };
        let mut last = FIRST_FREQUENCIES.min(wanted.most);
        let mut sign = None;
        for _ in 0..MOST_ATTEMPTS {
            if found.width() <= wanted.width || budget.left() == 0 {
                break;
            }
            aim.room = aim.log_delta + libm::log(wanted.width / TOLERANCE_PARTS);
            let Some(attempt) = self.attempt(at, &aim, last, &mut sign, budget) else { break };
            let Attempt { lower, upper, is_sum } = attempt;
            found.narrow(lower.clone(), upper.clone());
            if let Some(moved) = moved(aim.log_delta, &lower, &upper) {
                aim.log_delta = moved;
                if !lower.is_positive() {
                    last = (2 * last).min(wanted.most);
                }
                continue;
            }
            if !is_sum || last >= wanted.most {
                break;
            }
            last = more(last, found.width() / wanted.width).min(wanted.most);
        }
        Some(found)
    }

    /// One enclosure: rare outcomes apart, the others by Chernoff where that is enough, or by a sum.
    fn attempt(
        &mut self,
        epsilon: &Enclosure,
        aim: &Aim,
        last: usize,
        sign: &mut Option<bool>,
        budget: &Budget,
    ) -> Option<Attempt> {
        let RareGuess { kept, r } = self.rare(aim);
        let Rare { frequent, linear, error } = rare::apart(&self.plan, &kept, epsilon, &dyadic(r)?, &self.working)?;
        let enclose = |lower: Rational, upper: Rational, is_sum: bool| Attempt {
            lower: linear.lower() + lower,
            upper: linear.upper() + upper + &error,
            is_sum,
        };
        let none = Rational::zero;
        if frequent.is_empty() || frequent.greatest()?.upper() <= epsilon.lower() {
            return Some(enclose(none(), none(), false));
        }
        let sketch = self.sketch.first(&kept);
        let (theta, bound) = sketch.chernoff(aim.epsilon);
        if bound < aim.room {
            let bound = rare::chernoff(&frequent, epsilon, &dyadic(theta)?, &self.working)?;
            return Some(enclose(none(), bound, false));
        }
        let mut best: Option<(Bounds, bool)> = None;
        let guesses = sketch.guesses(aim);
        for guess in guesses.iter().filter(|guess| sign.is_none_or(|sign| sign == (guess.theta > 0.0))) {
            let Some(bounds) = self.sum(&frequent, &sketch, &kept, epsilon, aim, guess, last, budget) else { continue };
            let width = &bounds.upper - &bounds.lower;
            if best.as_ref().is_none_or(|(best, _)| width < &best.upper - &best.lower) {
                best = Some((bounds, guess.theta > 0.0));
            }
        }
        let (bounds, is_positive) = best?;
        *sign = Some(is_positive);
        Some(enclose(bounds.lower, bounds.upper, true))
    }

    /// Which outcomes are rare: as for an earlier spectrum where that will do.
    fn rare(&self, aim: &Aim) -> RareGuess {
        let again = |kept: &Kept| self.sketch.rare_again(aim.epsilon, aim.room, &kept.kept);
        self.spectra.iter().rev().find_map(again).unwrap_or_else(|| self.sketch.rare(aim.epsilon, aim.room))
    }

    /// One sum, by a spectrum that was made before if that is as good, or nearly.
    #[expect(clippy::too_many_arguments, reason = "all of one question")]
    fn sum(
        &mut self,
        frequent: &LossSum,
        sketch: &Sketch,
        kept: &[usize],
        epsilon: &Enclosure,
        aim: &Aim,
        guess: &Guess,
        last: usize,
        budget: &Budget,
    ) -> Option<Bounds> {
        let limbs = limbs(frequent, guess, aim, last)?;
        let earlier = self.spectra.iter().enumerate().filter_map(|(index, old)| {
            if old.kept != kept || (old.theta > 0.0) != (guess.theta > 0.0) || old.spectrum.limbs() < limbs {
                return None;
            }
            let at = sketch.guess_at(aim, old.theta)?;
            let cost = at.cost + libm::log(old.period / at.period);
            (old.period >= 0.999 * at.period && cost <= guess.cost + REUSE_NATS).then_some((index, cost, at))
        });
        let earlier = earlier.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _, at)| (index, at));
        let (index, guess) = match earlier {
            Some((index, at)) => (index, at),
            None => {
                let (theta, period) = (dyadic(guess.theta)?, dyadic(guess.period)?);
                budget.spend(u64::try_from(frequent.len()).ok()?.saturating_mul(20_000))?;
                let spectrum = Spectrum::new(frequent, &theta, &period, limbs, &self.working)?;
                self.spectra.push(Kept {
                    kept: kept.to_vec(),
                    theta: guess.theta,
                    period: guess.period,
                    spectrum,
                    last: 0,
                });
                (self.spectra.len() - 1, *guess)
            }
        };
        let of = self.spectra.get_mut(index)?;
        let more = u64::try_from(last.saturating_sub(of.last)).ok()?;
        let each = 6 * u64::from(limbs * limbs) * u64::try_from(frequent.len() + 32).ok()?;
        budget.spend(more.saturating_mul(each))?;
        of.last = of.last.max(last);
        let settings = Settings { kappa: dyadic(guess.kappa)?, tau: dyadic(guess.tau)?, last };
        of.spectrum.enclose(frequent, epsilon, &settings, &self.working)
    }
}

/// What one attempt found, and whether more frequencies may tell more.
struct Attempt {
    lower: Rational,
    upper: Rational,
    is_sum: bool,
}

/// Another idea of ln δ; `None` if the old one is close enough.
pub(super) fn moved(log_delta: f64, lower: &Rational, upper: &Rational) -> Option<f64> {
    let new = if lower.is_positive() {
        log_of(lower)
    } else if upper.is_positive() {
        log_of(upper) - 2.0
    } else {
        log_delta - 3.0
    };
    if (new - log_delta).abs() <= 1.0 {
        return None;
    }
    Some(if new < log_delta { new } else { f64::midpoint(new, log_delta) })
}

/// The frequencies that make an answer as many times narrower: the width falls with their square.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a guess")]
fn more(last: usize, times: f64) -> usize {
    let factor = (1.1 * libm::sqrt(times.min(1e9))).clamp(1.3, 16.0);
    (last as f64 * factor) as usize
}

/// The limbs that a sum needs: rounding is to be below the room that every error has.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
fn limbs(plan: &LossSum, guess: &Guess, aim: &Aim, last: usize) -> Option<u32> {
    let each = units(plan.parts.iter().map(|part| units_of_part(part.outcomes.len(), part.copies, last)), last);
    let w0 = (guess.theta * (guess.theta + 1.0)).abs();
    let log_units = libm::log(each as f64) + libm::log((2 * last + 1) as f64);
    let needed = (guess.log_prefactor - libm::log(guess.period * w0) + log_units - aim.room) / core::f64::consts::LN_2;
    (FEWEST_LIMBS..=MOST_LIMBS).find(|limbs| f64::from(digits(*limbs)) > needed)
}
