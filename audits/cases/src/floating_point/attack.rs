//! Attacks on one release of 0 or 1.

use std::collections::BTreeMap;

use certus::bits::{Bits, BitsError};
use certus::sample::{PreparedLaplace, Program};

use super::STEPS;
use super::naive::{Naive, lowest_bit};
use crate::proportion::Proportion;
use crate::random;

/// A mechanism that is attacked, on the answers 0 and 1.
pub(super) enum Mechanism {
    Naive(Naive),
    Grid(Box<PreparedLaplace>),
}

impl Mechanism {
    pub(super) fn release(&self, answer: i64, bits: &mut impl Bits) -> Result<f64, BitsError> {
        match self {
            Self::Naive(naive) => naive.release(answer as f64, bits),
            // Multiples of 2^-10 below 2^42: the division is exact.
            Self::Grid(noise) => {
                let steps = noise.sample(bits)?.to_i64().ok_or(BitsError::Overflow)?.saturating_add(answer * STEPS);
                Ok(steps as f64 / STEPS as f64)
            }
        }
    }

    /// Whether any noise makes this release of this answer.
    fn can_release(&self, answer: i64, release: f64) -> bool {
        match self {
            Self::Naive(naive) => naive.can_release(answer as f64, release),
            // Exact noise gives every integer a positive probability: all multiples of the step, and nothing else.
            Self::Grid(_) => (release * STEPS as f64).fract() == 0.0,
        }
    }
}

/// The only answer of 0 and 1 that can be.
fn only(can_be: impl Fn(i64) -> bool) -> Option<i64> {
    match (can_be(0), can_be(1)) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    }
}

/// One release, of which the attacker knows that its answer is 0 or 1.
#[derive(Clone, Copy)]
pub(super) struct Attacked {
    pub answer: i64,
    pub release: f64,
    /// The only answer that the mechanism can have released so, if there is only one.
    only: Option<i64>,
    /// The only answer that float noise could have made so.
    only_float: Option<i64>,
    /// Whether the mechanism can release the true answer so: if not, the attack is wrong.
    can_be: bool,
    /// What he guesses where he knows nothing.
    coin: i64,
}

/// So many releases of 0 or 1.
pub(super) fn attacked(
    mechanism: &Mechanism,
    naive: Naive,
    trials: u64,
    seed: u64,
    name: &str,
) -> Result<Vec<Attacked>, BitsError> {
    let mut bits = random::bits(seed, name, 0);
    (0..trials)
        .map(|_| {
            let answer = i64::from(bits.take(1)? == 1);
            let coin = i64::from(bits.take(1)? == 1);
            let release = mechanism.release(answer, &mut bits)?;
            Ok(Attacked {
                answer,
                release,
                only: only(|answer| mechanism.can_release(answer, release)),
                only_float: only(|answer| naive.can_release(answer as f64, release)),
                can_be: mechanism.can_release(answer, release),
                coin,
            })
        })
        .collect()
}

/// How often each attack names the answer.
pub(super) struct Successes {
    /// Where only one answer can be, that one; else a coin.
    pub support: Proportion,
    /// The same with the support of float noise, whatever was released.
    pub float_support: Proportion,
    /// By the lowest set bit, which of the two was seen more often with it in the first half; counted on the second.
    pub lowest_bit: Proportion,
    /// The nearer of the two: what the value itself tells, and may tell.
    pub value: Proportion,
    /// The support, and where it does not decide the value.
    pub both: Proportion,
    /// Releases that only one answer can have made.
    pub decided: Proportion,
    /// Releases that their own answer cannot have made: none, if the attack is right.
    pub wronged: u64,
}

impl Successes {
    pub(super) fn of(attacked: &[Attacked]) -> Self {
        let nearer = |one: &Attacked| i64::from(one.release > 0.5);
        let (first, second) = attacked.split_at(attacked.len() / 2);
        let mut seen: BTreeMap<Option<i32>, i64> = BTreeMap::new();
        for one in first {
            *seen.entry(lowest_bit(one.release)).or_default() += 2 * one.answer - 1;
        }
        let learned = |one: &Attacked| match seen.get(&lowest_bit(one.release)) {
            Some(&lead) if lead != 0 => i64::from(lead > 0),
            _ => one.coin,
        };
        let share = |guess: &dyn Fn(&Attacked) -> i64, of: &[Attacked]| {
            Proportion::of(of.iter().map(|one| guess(one) == one.answer))
        };
        Self {
            support: share(&|one| one.only.unwrap_or(one.coin), attacked),
            float_support: share(&|one| one.only_float.unwrap_or(one.coin), attacked),
            lowest_bit: share(&learned, second),
            value: share(&nearer, attacked),
            both: share(&|one| one.only.unwrap_or_else(|| nearer(one)), attacked),
            decided: Proportion::of(attacked.iter().map(|one| one.only.is_some())),
            wronged: attacked.iter().filter(|one| !one.can_be).count() as u64,
        }
    }
}
