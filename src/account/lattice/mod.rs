//! Composition on an exact lattice: no loss is rounded, no convolution is taken.
//!
//! **The setting.** The loss of a plan is L = a + h·X, X a sum of independent integer variables ([`factor`]),
//! and δ(ε) = E[(1 − e^(ε−L))₊]. Let ℓ₀ = a + h·n₀ be the first lattice point above ε and β = ℓ₀ − ε. For any
//! θ, with M(θ) = E[e^(θL)] and P_θ(ℓ) = P(ℓ)·e^(θℓ)/M(θ),
//!
//! ```text
//! δ = M(θ)·e^(−θℓ₀)·c₀,   c₀ = Σ_m P_θ(ℓ₀ + hm)·f(m),   f(m) = e^(−θhm)·(1 − e^(−β−hm)) for m ≥ 0, else 0.
//! ```
//!
//! **The trapezoid rule is exact but for aliases.** With φ the characteristic function of X under P_θ, and
//! W(t) = Σ_m f(m)·e^(−imt) in closed form ([`trapezoid`]), the N-point rule gives (1/N)·Σ_j
//! φ(t_j)·e^(−i·n₀·t_j)·W(t_j) = Σ_r c_r at t_j = 2πj/N, where c_r = Σ_m P_θ(ℓ₀ + h(rN + m))·f(m) ≥ 0. So c₀
//! is at most this sum, and at least this sum less a bound on the others:
//!
//! * r > 0, for θ > 0: Σ_{r>0} c_r ≤ P_θ(L ≥ ℓ₀ + hN)/(1 − e^(−θhN)), as f(m) ≤ e^(−θhm) ≤ 1, and by Chernoff
//!   that probability is at most e^(−η(ε+hN))·M(θ+η)/M(θ) for every η > 0.
//! * r < 0: an n = n₀ − d contributes at most Σ_{r ≥ 1, rN ≥ d} e^(−θh(rN−d)) ≤ min(1, e^(−θh(N−d)))/(1 −
//!   e^(−θhN)), and min(1, x) ≤ x^(η/θ) for 0 < η ≤ θ: in all E_θ[e^(−η(hN − ℓ₀ + L))]/(1 − …) = e^(−η(hN −
//!   ℓ₀))·M(θ−η)/M(θ)/(1 − …).
//!
//! **Few frequencies count.** [`tilted`] bounds |φ| over whole ranges of frequencies, [`trapezoid`] |W|,
//! which falls as 1/t²: a range whose bounds multiply to next to nothing is dropped, and booked. Some dozens
//! are left whatever N.
//!
//! **Far below the mean loss**, where θ > 0 would have to be tiny, −1 < θ < 0 and 1 − δ = E[min(1, e^(ε−L))]
//! take their place, with f(m) = e^(−θhm)·min(1, e^(−β−hm)) falling on both sides at a rate of at least κ =
//! min(−θ, 1+θ); both sides of aliases are bounded as those for r < 0, with η ≤ κ and a factor of 2.
//!
//! **Nothing here is decided by an approximation**: θ, η, N and the frequencies are found by searches that
//! may stop anywhere, since every bound holds whatever they are. Widths are checked at the end, and what is
//! too wide is computed again.
//!
//! **Losses off the lattice** (randomized response beside a Gaussian: ln 3 and 1/σ² have no common step) are
//! listed value by value: δ(ε) = Σ_j P(ℓ_j)·δ′(ε − ℓ_j) with δ′ of the rest. One tilt and one characteristic
//! function serve all j, so that each costs a phase a frequency; and Σ_j P_θ(ℓ_j)·(bound of j) of the
//! Chernoff bounds above is the same bound with M of the whole. ([`listed`])
//!
//! **Few losses** in all are two lists, and no lattice is needed at all: [`halves`].
//!
//! **Ties.** Where the enclosure of β reaches below 0 the first point may really be at or below ε, and its f
//! then is 0 and not 1 − e^-β: the difference is at most e^|β| − 1, by which W is widened.

mod accountant;
mod factor;
mod frequency_sum;
mod greatest;
mod halves;
mod listed;
mod loss;
mod partial;
mod smooth;
mod split;
#[cfg(test)]
mod tests;
mod tilt;
mod tilted;
mod trapezoid;

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::Zero;

use self::{
    factor::{Factor, Kind},
    frequency_sum::{Effort, FrequencySum, finish},
    greatest::is_above_every_loss,
    loss::Loss,
    split::{Split, split},
    tilt::{Form, Tilt},
};
use super::{Answer, Direction, Method, Precision, answer::is_narrow, profile::Epsilon, question::Question};
use crate::{
    exact::{Budget, Enclosure, NonNegative, Rational, Scaled, Working},
    guarantee::{Pair, Weight},
};

/// The most frequencies where there is another way.
const FEW_FREQUENCIES: usize = 1_500;

/// Up to so many copies of a Laplace pair the closed form comes first.
const FEW_COPIES: u64 = 12;

/// Relative bits that are asked of a peeled Laplace pair: its frequencies thin out slowly.
const PEELED_BITS: u32 = 34;

/// A δ below 2^-this is only bounded.
pub(super) const SMALLEST: i64 = 1 << 16;

/// Digits enough to write 2^-[`SMALLEST`] down.
const PRECISION_OF_SMALLEST: u32 = 1 << 16;

/// The most frequencies that are evaluated.
const MOST_FREQUENCIES: usize = 10_000;

/// δ(ε) of a plan whose losses share a lattice; `None` if they do not, or the question is out of this
/// method's reach.
pub(super) fn delta(question: &Question<'_>, budget: &Budget) -> Option<Answer> {
    let Question { direction, epsilon, precision, .. } = *question;
    let factors = factors_by(direction, Factor::listable)?;
    if factors.iter().any(|factor| matches!(&factor.kind, Kind::Finite { atoms, .. } if atoms.is_empty())) {
        // Every loss is infinite.
        return Some(Answer {
            enclosure: Enclosure::from_integer(1, 0),
            method: Method::ExactLattice,
            is_narrow: true,
        });
    }
    if is_above_every_loss(&factors, epsilon.get()) {
        return infinite(&factors, precision);
    }
    let epsilon = |bits: u32| Some(Enclosure::from_rational(epsilon.get(), bits));
    if let [part] = direction.parts()
        && let Some(pair) = part.pair()
        && let Some(answer) = few(pair, part.copies(), &epsilon, precision, budget)
    {
        return Some(answer);
    }
    enclose(&factors, &epsilon, precision, budget)
}

/// δ(ε) of one pair at any real ε.
pub(super) fn at(pair: &Pair, epsilon: &Epsilon<'_>, precision: &Precision, budget: &Budget) -> Option<Answer> {
    few(pair, 1, epsilon, precision, budget).or_else(|| enclose(&[Factor::new(pair, 1)?], epsilon, precision, budget))
}

/// A few copies of a Laplace pair, in closed form, if that is narrow.
fn few(pair: &Pair, copies: u64, epsilon: &Epsilon<'_>, precision: &Precision, budget: &Budget) -> Option<Answer> {
    let Pair::Laplace { scale, shift } = pair else { return None };
    if copies > FEW_COPIES {
        return None;
    }
    partial::delta(scale, shift, copies, epsilon, precision, &budget.share(3)).filter(|answer| answer.is_narrow)
}

/// The closed form and the sum over frequencies, of copies of a Laplace pair.
#[cfg(test)]
pub(super) fn both(pair: &Pair, copies: u64, epsilon: &NonNegative, precision: &Precision) -> Option<(Answer, Answer)> {
    let factors = [Factor::new(pair, copies)?];
    let epsilon = |bits: u32| Some(Enclosure::from_rational(epsilon.get(), bits));
    let [Factor { kind: Kind::Laplace { scale, shift }, .. }] = &factors else { return None };
    let budget = Budget::unlimited();
    let closed = partial::delta(scale, shift, copies, &epsilon, precision, &budget)?;
    Some((closed, by_frequencies(&factors, &split(&factors, true)?, &epsilon, precision, FEW_FREQUENCIES, &budget)?))
}

/// The continuous form and the sum over frequencies, of copies of a Gaussian pair.
#[cfg(test)]
pub(super) fn smooth_and_summed(
    variance: &crate::exact::Positive,
    shift: u32,
    copies: u64,
    epsilon: &NonNegative,
    precision: &Precision,
) -> Option<(Answer, Answer)> {
    let factors = [Factor::new(&Pair::Gaussian { variance: variance.clone(), shift: shift.into() }, copies)?];
    let epsilon = |bits: u32| Some(Enclosure::from_rational(epsilon.get(), bits));
    let smooth = smooth::delta(variance, &shift.into(), copies, &epsilon, precision)?;
    let split = split(&factors, true)?;
    Some((smooth, by_frequencies(&factors, &split, &epsilon, precision, MOST_FREQUENCIES, &Budget::unlimited())?))
}

/// 2^-[`SMALLEST`].
pub(super) fn smallest() -> Rational {
    tilt::power_of_two(-SMALLEST)
}

/// Encloses a share of a sum of weights.
pub(super) fn share(part: &[Weight], whole: &[Weight], working: &Working) -> Option<Enclosure> {
    quotient(part, whole, working)?.fixed(working.bits())
}

/// Encloses a sum of weights over another, relative to itself.
pub(super) fn quotient(part: &[Weight], whole: &[Weight], working: &Working) -> Option<Scaled> {
    factor::total(part, working)?.div(&factor::total(whole, working)?)
}

pub(super) use self::{
    accountant::Lattice,
    greatest::{greatest_finite_loss, greatest_loss, greatest_loss_of, is_at_most, is_bounded_by},
    tilt::power_of_two,
};

/// Lists so short that they come first, and the longest.
const SHORT_LISTS: usize = 1 << 10;
const LONG_LISTS: usize = 1 << 13;

/// The factors of a plan; `None` if a pair is on no lattice, or there is a choice of pairs.
fn factors(direction: &Direction) -> Option<Vec<Factor>> {
    factors_by(direction, Factor::new)
}

fn factors_by(direction: &Direction, of: impl Fn(&Pair, u64) -> Option<Factor>) -> Option<Vec<Factor>> {
    direction.iter().map(|part| of(part.pair()?, part.copies())).collect()
}

/// The probability that a loss is infinite, 1 − Π(1 − p)^k: the point 0 where none can be.
fn infinite(factors: &[Factor], precision: &Precision) -> Option<Answer> {
    let mut bits = precision.bits().saturating_add(64);
    loop {
        let enclosure = if factors.iter().any(Factor::is_infinite) {
            let working = Working::new(bits);
            Enclosure::from_integer(1, 0).sub(&finite_mass(factors, &working)?.fixed(bits)?).max_zero()
        } else {
            Enclosure::from_integer(0, 0)
        };
        let is_narrow = is_narrow(&enclosure, precision);
        if is_narrow || bits > 1 << 12 {
            return Some(Answer { enclosure, method: Method::ExactLattice, is_narrow });
        }
        bits *= 2;
    }
}

/// Π(1 − p)^k, the probability that every loss is finite.
fn finite_mass(factors: &[Factor], working: &Working) -> Option<Scaled> {
    factors.iter().try_fold(Scaled::one(working.bits()), |product, factor| {
        Some(product.mul(&factor.finite_mass(working)?.pow(factor.copies)))
    })
}

/// Encloses δ(ε); the ε may be any real.
fn enclose(factors: &[Factor], epsilon: &Epsilon<'_>, precision: &Precision, budget: &Budget) -> Option<Answer> {
    match factors {
        [Factor { kind: Kind::Laplace { scale, shift }, copies, .. }] => {
            // Two atoms that do not decay: with few copies, or a sensitivity small against the scale, many
            // frequencies count.
            let closed = || partial::delta(scale, shift, *copies, epsilon, precision, &budget.share(3));
            let few = *copies <= FEW_COPIES;
            let merged = split(factors, true)?;
            let summed = || by_frequencies(factors, &merged, epsilon, precision, FEW_FREQUENCIES, &budget.share(3));
            let summed = if few { None } else { summed() };
            if let Some(answer) = summed.filter(|answer| answer.is_narrow).or_else(closed) {
                return Some(answer);
            }
        }
        [Factor { kind: Kind::Gaussian { variance, shift }, copies, .. }]
            if smooth::can_be_narrow(variance, *copies, precision) =>
        {
            let answer = smooth::delta(variance, shift, *copies, epsilon, precision);
            if let Some(answer) = answer.filter(|answer| answer.is_narrow) {
                return Some(answer);
            }
        }
        _ => return of_any(factors, epsilon, precision, budget),
    }
    by_frequencies(factors, &split(factors, true)?, epsilon, precision, MOST_FREQUENCIES, budget)
}

/// Encloses δ(ε) of a plan of several kinds, or of a finite one: the cheapest first. Lists that are short; a
/// common lattice, which may be so fine that many frequencies count; one factor's own, with the others
/// listed, which is not; longer lists; and all the frequencies there are.
fn of_any(factors: &[Factor], epsilon: &Epsilon<'_>, precision: &Precision, budget: &Budget) -> Option<Answer> {
    let listed = |most: usize| halves::delta(factors, epsilon, precision, most, &budget.share(3));
    let summed = |is_merged: bool| {
        by_frequencies(factors, &split(factors, is_merged)?, epsilon, precision, FEW_FREQUENCIES, &budget.share(3))
    };
    let is_one = factors.len() == 1;
    let ways: [&dyn Fn() -> Option<Answer>; 4] = [
        &|| if is_one { None } else { listed(SHORT_LISTS) },
        &|| summed(true),
        &|| if is_one { None } else { summed(false) },
        &|| listed(LONG_LISTS),
    ];
    let mut best: Option<Answer> = None;
    for way in ways {
        let Some(answer) = way() else { continue };
        if answer.is_narrow {
            return Some(answer);
        }
        best = Some(best.map_or(answer.clone(), |best| best.narrowed_by(&answer, precision)));
    }
    let all = split(factors, true)
        .and_then(|split| by_frequencies(factors, &split, epsilon, precision, MOST_FREQUENCIES, budget));
    match (best, all) {
        (Some(best), Some(all)) => Some(best.narrowed_by(&all, precision)),
        (best, all) => best.or(all),
    }
}

/// Encloses δ(ε) by at most so many frequencies; where there are more, a single Laplace pair is peeled.
fn by_frequencies(
    factors: &[Factor],
    split: &Split,
    epsilon: &Epsilon<'_>,
    precision: &Precision,
    most: usize,
    budget: &Budget,
) -> Option<Answer> {
    let fine = u32::try_from((-tilt::log_two(&split.step.enclose(64).upper())).max(0)).ok()?;
    let low = Working::within(fine.checked_mul(2)?.checked_add(112)?, budget);
    let tilt = tilt::choose(factors, &epsilon(low.bits())?, &low)?;
    // Chernoff: δ ≤ M(θ)·e^(−θε) for θ > 0. Below 2^-2^20 no digits are worth computing.
    if tilt.form == Form::Right && !factors.iter().any(Factor::is_infinite) {
        let exponent = tilt.cumulant.sub(&epsilon(low.bits())?.mul_rational(&tilt.theta));
        if exponent.upper() < Rational::from_integer((-SMALLEST).into()) {
            let enclosure =
                Enclosure::from_bounds(&Rational::zero(), &tilt::power_of_two(-SMALLEST), PRECISION_OF_SMALLEST)?;
            return Some(Answer { enclosure, method: Method::ExactLattice, is_narrow: false });
        }
    }
    let peeled = if most > FEW_FREQUENCIES { peel(factors) } else { None };
    let sum = FrequencySum { factors, split, epsilon, most, is_peeled: peeled.is_some() };
    let wanted = if peeled.is_some() { precision.bits().min(PEELED_BITS) } else { precision.bits() };
    let mut effort = Effort { bits: wanted, guard: 16 };
    let mut best: Option<Enclosure> = None;
    for _ in 0..6 {
        let attempt = || {
            let (mut found, working) = sum.attempt(&tilt, &effort, &low)?;
            if let Some(ends) = &peeled {
                found.value = found.value.add(&ends_alone(ends, &tilt, epsilon, &effort, &low)?);
            }
            Some((finish(factors, tilt.form, &found.value, &working)?, found))
        };
        let Some((enclosure, found)) = attempt() else {
            // Too many frequencies: leave it to another method, or ask for less.
            effort = Effort { bits: effort.bits * 2 / 3, guard: 8 };
            if effort.bits < 16 || best.is_some() || most <= FEW_FREQUENCIES {
                break;
            }
            continue;
        };
        let enclosure = match &best {
            Some(best) => best.intersection(&enclosure)?,
            None => enclosure,
        };
        let narrow = is_narrow(&enclosure, precision);
        best = Some(enclosure);
        let is_tiny = best.as_ref().is_some_and(|best| best.upper() <= smallest());
        if narrow || is_tiny || effort.bits < wanted || peeled.is_some() {
            break;
        }
        effort = Effort { bits: effort.bits, guard: effort.guard.saturating_add(found.missing).saturating_add(16) };
    }
    let enclosure = best?;
    let is_narrow = is_narrow(&enclosure, precision);
    let method = if split.listed.is_empty() { Method::ExactLattice } else { Method::ConditionedLattice };
    Some(Answer { enclosure, method, is_narrow })
}

/// The event that every copy of a Laplace pair is at an end, as a factor: two atoms of P-mass 1/(1+q) and
/// q^Δ/(1+q), a step of 2Δ/s apart.
///
/// It does not decay: its characteristic function is as large at every multiple of 2π/Δ as it is at 0. On a
/// lattice of its own, Δ times as coarse, that is no matter; and in what remains every term has a copy in the
/// interior, which decays.
fn peel(factors: &[Factor]) -> Option<Factor> {
    let [Factor { kind: Kind::Laplace { scale, shift }, base, copies, .. }] = factors else { return None };
    let rate = scale.get().recip();
    let reach = &rate * BigInt::from(shift.clone());
    let weight = |x: Rational| Some(Weight { factor: NonNegative::one(), exponent: NonNegative::new(x).ok()? });
    let (one, q, lowest) = (weight(Rational::zero())?, weight(rate)?, weight(reach.clone())?);
    let atoms = Vec::from([(0, Vec::from([lowest])), (1, Vec::from([one.clone()]))]);
    let kind = Kind::Finite { atoms, total: Vec::from([one, q]), is_infinite: false };
    let step = Loss::rational(reach * BigInt::from(2));
    Some(Factor { kind, base: base.clone(), sums: None, step, copies: *copies })
}

/// The expectation over that event.
fn ends_alone(ends: &Factor, tilt: &Tilt, epsilon: &Epsilon<'_>, effort: &Effort, low: &Working) -> Option<Scaled> {
    let factors = core::slice::from_ref(ends);
    let split = split(factors, true)?;
    let cumulant = tilt::cumulant(factors, &tilt.theta, low)?;
    let tilt = Tilt { cumulant, ..tilt.clone() };
    let sum = FrequencySum { factors, split: &split, epsilon, most: MOST_FREQUENCIES, is_peeled: false };
    Some(sum.attempt(&tilt, effort, low)?.0.value)
}
