//! Where to take a sum, guessed in floats: a tilt, a period, which outcomes are rare. **No guess can make an
//! answer wrong, only wide.**
//!
//! Floats are those of `libm`, which are the same on every machine: so is every answer.

#![expect(clippy::float_arithmetic, reason = "guesses, which affect width and time, never soundness")]

use alloc::vec::Vec;

use super::{
    constants::{ALIAS_TILTS, LARGEST_PREFACTOR_NATS, RARE_EXPONENTS, TILTS},
    outcomes::LossSum,
};
use crate::exact::{Enclosure, Rational, Scaled, from_f64};

/// A plan in floats.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    parts: Vec<Strand>,
    /// √(Σ k·E[l²]).
    pub(super) spread: f64,
}

#[derive(Clone, Debug)]
struct Strand {
    losses: Vec<f64>,
    log_p: Vec<f64>,
    copies: f64,
}

/// A tilt θ, a period L, a κ, and the τ of the aliases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    pub(super) theta: f64,
    pub(super) period: f64,
    pub(super) kappa: f64,
    pub(super) tau: f64,
    /// ln(pref).
    pub(super) log_prefactor: f64,
    /// ln of about how many frequencies it takes.
    pub(super) cost: f64,
}

/// What is asked: ε, about ln δ, and ln of what each error may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    pub(super) epsilon: f64,
    pub(super) log_delta: f64,
    pub(super) room: f64,
}

/// How many outcomes of each part stay, and the r of the bound on the others.
#[derive(Clone, Debug)]
pub(super) struct RareGuess {
    pub(super) kept: Vec<usize>,
    pub(super) r: f64,
}

/// The float next to a number; 0 where it is too small for one.
pub(super) fn float(value: &Enclosure) -> f64 {
    let lower = value.lower();
    let size = exp(log(&Scaled::from_rational(&lower, 64)));
    if num_traits::Signed::is_negative(&lower) { -size } else { size }
}

/// ln of a number; −∞ for 0.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
pub(super) fn log(value: &Scaled) -> f64 {
    let (leading, exponent) = value.leading();
    if leading == 0 { f64::NEG_INFINITY } else { libm::log(leading as f64) + exponent as f64 * core::f64::consts::LN_2 }
}

pub(super) fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// A number of few digits next to it; `None` if it is none.
pub(super) fn dyadic(x: f64) -> Option<Rational> {
    from_f64(f64::from_bits(x.to_bits() & !0xfff_ffff)).ok()
}

/// ln c(x), c(x) = x^x/(1 + x)^(1+x).
pub(super) fn log_c(x: f64) -> f64 {
    if x > 0.0 { -libm::log1p(x) - x * libm::log1p(1.0 / x) } else { 0.0 }
}

/// ln(e^a + e^b).
pub(super) fn log_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + libm::log1p(exp(low - high)) }
}

/// n points from a to b, 0 < a < b, evenly by their logarithms.
pub(super) fn geometric(a: f64, b: f64, n: u32) -> impl Iterator<Item = f64> {
    let (from, step) = (libm::log(a), libm::log(b / a) / f64::from(n - 1));
    (0..n).map(move |i| exp(from + step * f64::from(i)))
}

/// The settings of a tilt θ > 0.
fn guess_above(sketch: &Sketch, aim: &Aim, theta: f64, aliases: &[(f64, f64)]) -> Option<Guess> {
    let log_prefactor = sketch.log_moment(theta) - theta * aim.epsilon;
    let right = |(other, bound): &(f64, f64)| {
        let tau = other - theta;
        let period = (bound - aim.room + libm::log(4.0)) / tau;
        (tau > 0.001 * theta && period.is_finite()).then_some((period, tau))
    };
    let (right, tau) = aliases.iter().filter_map(right).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let period = ((core::f64::consts::LN_2 - aim.room) / theta).max(right).max(1e-3 / theta);
    let kappa = libm::sqrt(2.0 * (log_prefactor - aim.room).max(10.0));
    let cost = libm::log(kappa * period * libm::sqrt(theta * (theta + 1.0)))
        + (log_prefactor - aim.log_delta - LARGEST_PREFACTOR_NATS).max(0.0);
    cost.is_finite().then_some(Guess { theta, period, kappa, tau, log_prefactor, cost })
}

/// The settings of a tilt −1 < θ < 0.
fn guess_below(sketch: &Sketch, aim: &Aim, theta: f64, aliases: &[(f64, f64)]) -> Option<Guess> {
    let log_prefactor = sketch.log_moment(theta) - theta * aim.epsilon;
    let left = |(sigma, bound): &(f64, f64)| {
        let tau = sigma + theta;
        let period = (bound + core::f64::consts::LN_2 - aim.room) / tau;
        (tau > 0.001 && period.is_finite()).then_some((period, tau))
    };
    let (left, tau) = aliases.iter().filter_map(left).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let period = ((core::f64::consts::LN_2 - aim.room) / -theta).max(left);
    let kappa = libm::sqrt(2.0 * (log_prefactor - aim.room).max(10.0));
    let cost = libm::log(kappa * period) + 0.5 * log_prefactor;
    cost.is_finite().then_some(Guess { theta, period, kappa, tau, log_prefactor, cost })
}

impl Strand {
    fn log_moment(&self, theta: f64) -> f64 {
        let terms = || self.losses.iter().zip(&self.log_p).map(|(loss, p)| p + theta * loss);
        let top = terms().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY { top } else { top + libm::log(terms().map(|term| exp(term - top)).sum()) }
    }
}

impl Sketch {
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    pub(super) fn new(plan: &LossSum) -> Self {
        let strand = |part: &super::outcomes::Part| Strand {
            losses: part.outcomes.iter().map(|outcome| float(&outcome.loss)).collect(),
            log_p: part.outcomes.iter().map(|outcome| log(&outcome.p)).collect(),
            copies: part.copies as f64,
        };
        Self::of(plan.parts.iter().map(strand).collect())
    }

    fn of(parts: Vec<Strand>) -> Self {
        let second = |part: &Strand| -> f64 {
            part.copies * part.losses.iter().zip(&part.log_p).map(|(loss, p)| exp(*p) * loss * loss).sum::<f64>()
        };
        let spread = libm::sqrt(parts.iter().map(second).sum::<f64>()).max(1e-300);
        Self { parts, spread }
    }

    /// Of the first outcomes of each part.
    pub(super) fn first(&self, kept: &[usize]) -> Self {
        let cut = |(part, kept): (&Strand, &usize)| Strand {
            losses: part.losses.iter().take(*kept).copied().collect(),
            log_p: part.log_p.iter().take(*kept).copied().collect(),
            copies: part.copies,
        };
        Self::of(self.parts.iter().zip(kept).map(cut).collect())
    }

    /// The greatest loss of the first outcomes of each part.
    pub(super) fn greatest(&self, kept: &[usize]) -> f64 {
        let last = |(part, kept): (&Strand, &usize)| part.losses.get(kept.checked_sub(1)?).copied();
        self.parts.iter().zip(kept).filter_map(last).fold(f64::NEG_INFINITY, f64::max)
    }

    /// ln M(θ).
    pub(super) fn log_moment(&self, theta: f64) -> f64 {
        self.parts.iter().map(|part| part.copies * part.log_moment(theta)).sum()
    }

    /// Chernoff's δ ≤ c(θ)·M(θ)·e^(−θε): the best θ, and ln of the bound.
    pub(super) fn chernoff(&self, epsilon: f64) -> (f64, f64) {
        let value = |theta: f64| self.log_moment(theta) - theta * epsilon + log_c(theta);
        self.least(value)
    }

    /// The least value over tilts θ > 0, by a scale of them and golden sections.
    fn least(&self, value: impl Fn(f64) -> f64) -> (f64, f64) {
        let (from, to) = ((0.01 / self.spread).min(1e-4), 200.0 / self.spread + 200.0);
        let scale: Vec<f64> = geometric(from, to, TILTS).collect();
        let values: Vec<f64> = scale.iter().map(|theta| value(*theta)).collect();
        let mut best = (from, f64::INFINITY);
        let mut around = (from, to);
        for (i, (theta, found)) in scale.iter().zip(&values).enumerate() {
            if *found < best.1 {
                best = (*theta, *found);
                let near = |i: usize| scale.get(i).copied();
                around = (near(i.saturating_sub(1)).unwrap_or(from), near(i + 1).unwrap_or(to));
            }
        }
        let (mut low, mut high) = (libm::log(around.0), libm::log(around.1));
        for _ in 0..12 {
            let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
            let (at_a, at_b) = (value(exp(a)), value(exp(b)));
            for (theta, found) in [(exp(a), at_a), (exp(b), at_b)] {
                if found < best.1 {
                    best = (theta, found);
                }
            }
            if at_a < at_b { high = b } else { low = a }
        }
        best
    }

    /// Settings whose aliases and truncation are about e^room, where δ is about e^log_delta: of a tilt above
    /// 0, and where that is not large of one in (−1, 0). The tilts are around Chernoff's, the one of the
    /// least cost: κ·L·√(θ(θ+1)), as the width is about s²·θ(θ+1).
    pub(super) fn guesses(&self, aim: &Aim) -> Vec<Guess> {
        let (best, _) = self.chernoff(aim.epsilon);
        let mut found = Vec::new();
        let aliases = self.aliases_above(aim.epsilon, best);
        let above =
            geometric(0.2 * best, 3.0 * best, TILTS).filter_map(|theta| guess_above(self, aim, theta, &aliases));
        found.extend(above.min_by(|a, b| a.cost.total_cmp(&b.cost)));
        if best < 3.0 {
            let (tilts, aliases) = (self.tilts_below(), self.aliases_below(aim.epsilon));
            let below = tilts.iter().filter_map(|theta| guess_below(self, aim, -theta, &aliases));
            found.extend(below.min_by(|a, b| a.cost.total_cmp(&b.cost)));
        }
        found
    }

    /// The settings of a given tilt.
    pub(super) fn guess_at(&self, aim: &Aim, theta: f64) -> Option<Guess> {
        if theta > 0.0 {
            let (best, _) = self.chernoff(aim.epsilon);
            return guess_above(self, aim, theta, &self.aliases_above(aim.epsilon, best.max(theta)));
        }
        guess_below(self, aim, theta, &self.aliases_below(aim.epsilon))
    }

    /// (σ, ln of c(σ)·M(σ)·e^(−σε)) at tilts σ above Chernoff's and below it.
    fn aliases_above(&self, epsilon: f64, best: f64) -> Vec<(f64, f64)> {
        let bound = |theta: f64| (theta, self.log_moment(theta) - theta * epsilon + log_c(theta));
        geometric(0.1 * best, 40.0 * best, ALIAS_TILTS).map(bound).collect()
    }

    /// Numbers in (0, 1), closer together next to its ends.
    fn tilts_below(&self) -> Vec<f64> {
        let near: Vec<f64> = geometric((0.1 / self.spread).min(0.05), 0.5, TILTS).collect();
        near.iter().copied().chain(near.iter().rev().map(|x| 1.0 - x)).collect()
    }

    /// (σ, ln of M(−σ)·e^(σε)) for 0 < σ ≤ 1.
    fn aliases_below(&self, epsilon: f64) -> Vec<(f64, f64)> {
        let bound = |sigma: f64| (sigma, self.log_moment(-sigma) + sigma * epsilon);
        self.tilts_below().into_iter().chain([1.0]).map(bound).collect()
    }

    /// The most outcomes that may be rare: those of the greatest losses, with E_c ≤ e^room.
    pub(super) fn rare(&self, epsilon: f64, room: f64) -> RareGuess {
        let table = self.rare_table(epsilon);
        let kept_at = |c: f64| -> Vec<usize> {
            self.parts.iter().map(|part| part.losses.partition_point(|loss| *loss <= c)).collect()
        };
        let mut losses: Vec<f64> = self.parts.iter().flat_map(|part| part.losses.iter().copied()).collect();
        losses.sort_by(f64::total_cmp);
        losses.dedup();
        let place = losses.partition_point(|c| least_error(&table, &kept_at(*c)).0 > room);
        let kept = kept_at(losses.get(place).copied().unwrap_or(f64::INFINITY));
        let r = least_error(&table, &kept).1;
        RareGuess { kept, r }
    }

    /// The same outcomes as before, if E_c is small enough of them.
    pub(super) fn rare_again(&self, epsilon: f64, room: f64, kept: &[usize]) -> Option<RareGuess> {
        let (bound, r) = least_error(&self.rare_table(epsilon), kept);
        (bound <= room).then(|| RareGuess { kept: kept.to_vec(), r })
    }

    /// For each r: ln of c(r)·e^((1+r)ε)·M(−1−r), and for each part ln of k·(sum above)/(sum of all), from
    /// the last outcome on.
    fn rare_table(&self, epsilon: f64) -> Vec<RareRow> {
        let exponents = [0.0].into_iter().chain(geometric(0.01, 60.0 / self.spread + 60.0, RARE_EXPONENTS));
        let row = |r: f64| {
            let theta = -1.0 - r;
            let above = |part: &Strand| {
                let whole = part.log_moment(theta) - libm::log(part.copies);
                let mut sum = f64::NEG_INFINITY;
                let falling = part.losses.iter().zip(&part.log_p).rev();
                let mut sums: Vec<f64> = [f64::NEG_INFINITY]
                    .into_iter()
                    .chain(falling.map(|(loss, p)| {
                        sum = log_add(sum, p + theta * loss);
                        sum - whole
                    }))
                    .collect();
                sums.reverse();
                sums
            };
            let base = log_c(r) - theta * epsilon + self.log_moment(theta);
            RareRow { r, base, above: self.parts.iter().map(above).collect() }
        };
        exponents.map(row).collect()
    }
}

/// What one r says of rare outcomes.
struct RareRow {
    r: f64,
    base: f64,
    above: Vec<Vec<f64>>,
}

/// The least ln E_c over r, where so many outcomes of each part are kept, and its r.
fn least_error(table: &[RareRow], kept: &[usize]) -> (f64, f64) {
    let of = |row: &RareRow| {
        let shares =
            row.above.iter().zip(kept).map(|(sums, kept)| sums.get(*kept).copied().unwrap_or(f64::NEG_INFINITY));
        let bound = row.base + shares.fold(f64::NEG_INFINITY, log_add);
        (if bound.is_nan() { f64::INFINITY } else { bound }, row.r)
    };
    table.iter().map(of).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0.0))
}
