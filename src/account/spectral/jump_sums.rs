//! Which outcomes are jumps, and which sums of them are listed: chosen in floats, which affect width and
//! time, never soundness.
//!
//! The jumps of a part are taken one after the other, by falling P. That c₁, …, c_j copies have the first j
//! of them has the P-mass Π binom(k − c₁ − … − c_(i−1), c_i)·P_i^c_i times what the others weigh, which
//! bounds all that follows: where it is next to nothing, nothing that follows is listed.

#![expect(clippy::float_arithmetic, reason = "guesses, which affect width and time, never soundness")]

use alloc::vec::Vec;

use super::{
    constants::{MOST_JUMP_STEPS, MOST_JUMP_SUMS},
    outcomes::{LossSum, Part},
    sketch::{exp, float, log, log_add},
};

/// So many of the copies that are left of a part have this outcome, after the steps before this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) before: Option<usize>,
    pub(super) part: usize,
    pub(super) outcome: usize,
    pub(super) count: u64,
    /// Copies of the part that no step before this one has taken: at least `count`.
    pub(super) left: u64,
}

/// The sums of jumps that are listed, each of another multiset of jumps.
#[derive(Clone, Debug, Default)]
pub(super) struct JumpSums {
    /// For each part, which of its outcomes are jumps.
    pub(super) is_jump: Vec<Vec<bool>>,
    /// Each after those that it names.
    pub(super) steps: Vec<Step>,
    /// The last step of each sum; `None` of the one without jumps.
    pub(super) ends: Vec<Option<usize>>,
}

/// One outcome that is a jump, and ln of its share of it and those after it, and of their share.
struct Level {
    part: usize,
    outcome: usize,
    log_share: f64,
    log_others: f64,
    /// k, if it is the first of its part.
    copies: Option<u64>,
}

/// The jumps beyond the smallest size whose list is short; `None` if there is none with any jump.
pub(super) fn choose(plan: &LossSum, room: f64) -> Option<JumpSums> {
    let losses = plan.parts.iter().flat_map(|part| &part.outcomes).map(|outcome| float(&outcome.loss).abs());
    let mut sizes: Vec<f64> = losses.collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let _ = sizes.pop();
    let place = sizes.partition_point(|size| beyond(plan, *size, room).is_none());
    beyond(plan, *sizes.get(place)?, room)
}

/// The sums of jumps, the outcomes of |loss| > size, but for those of a P-mass of e^room in all; `None` if
/// they are too many.
pub(super) fn beyond(plan: &LossSum, size: f64, room: f64) -> Option<JumpSums> {
    let is_jump = |part: &Part| part.outcomes.iter().map(|outcome| float(&outcome.loss).abs() > size).collect();
    let mut sums = JumpSums { is_jump: plan.parts.iter().map(is_jump).collect(), ..JumpSums::default() };
    let least = room - libm::log(number(MOST_JUMP_STEPS as u64));
    let parts = plan.parts.iter().zip(&sums.is_jump).enumerate();
    let levels: Vec<Level> = parts.flat_map(|(index, (part, is_jump))| levels(index, part, is_jump, least)).collect();
    let mut open = Vec::from([(0_usize, 0_u64, 0.0_f64, None)]);
    let mut visited = 0_usize;
    while let Some((depth, left, mass, before)) = open.pop() {
        let Some(level) = levels.get(depth) else {
            sums.ends.push(before);
            continue;
        };
        let left = level.copies.unwrap_or(left);
        let mode = most_likely(left, level);
        if mode.min(left - mode) > MOST_JUMP_SUMS as u64 {
            return None;
        }
        let mut take = |count: u64| -> bool {
            let mass = mass + log_binomial(left, count, level);
            if mass.is_nan() || mass < least {
                return false;
            }
            let step = Step { before, part: level.part, outcome: level.outcome, count, left };
            let next = if count == 0 {
                before
            } else {
                sums.steps.push(step);
                sums.steps.len().checked_sub(1)
            };
            open.push((depth + 1, left - count, mass, next));
            visited += 1;
            visited < MOST_JUMP_STEPS
        };
        let _ = (mode..=left).find(|count| !take(*count));
        let _ = (0..mode).rev().find(|count| !take(*count));
        if visited >= MOST_JUMP_STEPS || sums.ends.len() + open.len() > MOST_JUMP_SUMS + levels.len() {
            return None;
        }
    }
    (sums.ends.len() <= MOST_JUMP_SUMS).then_some(sums)
}

/// The jumps of a part by falling P, without those that next to never are seen.
fn levels(index: usize, part: &Part, is_jump: &[bool], least: f64) -> Vec<Level> {
    let of = |jump: bool| {
        let some = part.outcomes.iter().zip(is_jump).enumerate().filter(move |(_, (_, is_jump))| **is_jump == jump);
        some.map(|(place, (outcome, _))| (place, log(&outcome.p)))
    };
    let mut jumps: Vec<(usize, f64)> = of(true).collect();
    jumps.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut others = of(false).fold(f64::NEG_INFINITY, |sum, (_, p)| log_add(sum, p));
    let mut unseen = f64::NEG_INFINITY;
    let mut levels = Vec::new();
    for (outcome, p) in jumps {
        unseen = log_add(unseen, p + libm::log(number(part.copies)));
        if unseen < least {
            continue;
        }
        let both = log_add(p, others);
        let log_share = p - both;
        let log_others = if log_share < -1.0 { libm::log1p(-exp(log_share)) } else { others - both };
        levels.push(Level { part: index, outcome, log_share, log_others, copies: None });
        others = both;
    }
    levels.reverse();
    if let Some(first) = levels.first_mut() {
        first.copies = Some(part.copies);
    }
    levels
}

/// About the most likely count of an outcome.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a guess")]
fn most_likely(left: u64, level: &Level) -> u64 {
    if level.log_others == f64::NEG_INFINITY {
        return left;
    }
    (((number(left) + 1.0) * exp(level.log_share)) as u64).min(left)
}

/// ln of the probability of a count.
fn log_binomial(left: u64, count: u64, level: &Level) -> f64 {
    let Some(others) = left.checked_sub(count) else { return f64::NEG_INFINITY };
    let power = |log: f64, n: u64| if n == 0 { 0.0 } else { log * number(n) };
    let few = count.min(others);
    let ways = if left < 1 << 40 {
        let log_factorial = |n: u64| libm::lgamma(number(n) + 1.0);
        log_factorial(left) - log_factorial(few) - log_factorial(left - few)
    } else {
        number(few) * libm::log(number(left)) - libm::lgamma(number(few) + 1.0)
    };
    ways + power(level.log_share, count) + power(level.log_others, others)
}

/// A number of copies, about.
#[expect(clippy::cast_precision_loss, reason = "a guess")]
pub(super) fn number(n: u64) -> f64 {
    n as f64
}
