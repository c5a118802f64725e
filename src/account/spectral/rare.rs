//! Rare outcomes apart: those of great losses, which no one period suits.
//!
//! Let T be some outcomes of each part (those with Q = 0 among them), C the others, K = C and T. Over the
//! outcomes of all copies that are not all in C, (P − e^ε·Q)₊ = P − e^ε·Q + (e^ε·Q − P)₊, hence
//!
//! ```text
//! δ = δ_C + (P_K* − P_C*) − e^ε·(Q_K* − Q_C*) + e,   0 ≤ e ≤ E_c = c(r)·e^((1+r)ε)·Π M_i^k_i·Σ k_i·T_i/M_i
//! ```
//!
//! for any r ≥ 0, with M_i and T_i the moments at −1−r of all of a part's outcomes and of those in T: (e^v −
//! 1)₊ ≤ c(r)·e^((1+r)v), and Π M_i^k_i − Π C_i^k_i ≤ Π M_i^k_i·Σ k_i·T_i/M_i.
//!
//! The differences come from T's own masses ([`lost`]).

use num_traits::One;

use super::{
    constants::BOUND_BITS,
    outcomes::{LossSum, Part, Side, mass, moment},
    tools::{c, lost, pointed},
};
use crate::exact::{Enclosure, Rational, Scaled, Working};

/// δ − δ_C is in [linear.lower, linear.upper + error].
pub(super) struct Rare {
    pub(super) frequent: LossSum,
    pub(super) linear: Enclosure,
    pub(super) error: Rational,
}

/// With the first outcomes of each part in C, as many as `kept` says.
pub(super) fn apart(
    plan: &LossSum,
    kept: &[usize],
    epsilon: &Enclosure,
    r: &Rational,
    working: &Working,
) -> Option<Rare> {
    let bits = working.bits();
    let (mut p_shares, mut q_shares) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
    let mut frequent = LossSum { parts: alloc::vec::Vec::new() };
    for (part, kept) in plan.parts.iter().zip(kept) {
        let (inside, outside) = part.outcomes.split_at_checked(*kept)?;
        let of = |side: Side, extra: &Scaled| -> Option<Scaled> {
            let rare = mass(outside, side, bits).add(extra);
            match (rare.is_zero(), inside.is_empty()) {
                (true, _) => Some(rare),
                (_, true) => Some(Scaled::one(bits)),
                _ => rare.div(&mass(inside, side, bits).add(&rare)),
            }
        };
        p_shares.push((of(Side::P, &part.never)?, part.copies));
        q_shares.push((of(Side::Q, &Scaled::zero(bits))?, part.copies));
        let zero = Scaled::zero(bits);
        frequent.parts.push(Part { outcomes: inside.to_vec(), copies: part.copies, never: zero.clone(), cut: zero });
    }
    let p = plan.mass_with_never(bits).mul(&lost(&p_shares, working)?);
    let q = plan.mass(Side::Q, bits).mul(&lost(&q_shares, working)?).mul(&working.exp(epsilon)?);
    let error = error(plan, kept, epsilon, r, &Working::within(BOUND_BITS, working.budget()))?;
    Some(Rare { frequent, linear: pointed(&p)?.sub(&pointed(&q)?), error: pointed(&error)?.upper() })
}

/// E_c.
fn error(plan: &LossSum, kept: &[usize], epsilon: &Enclosure, r: &Rational, working: &Working) -> Option<Scaled> {
    let bits = working.bits();
    if plan.parts.iter().zip(kept).all(|(part, kept)| part.outcomes.len() <= *kept) {
        return Some(Scaled::zero(bits));
    }
    let theta = -Rational::one() - r;
    let (mut whole, mut share) = (Scaled::one(bits), Scaled::zero(bits));
    for (part, kept) in plan.parts.iter().zip(kept) {
        let (inside, outside) = part.outcomes.split_at_checked(*kept)?;
        let (within, beyond) = (moment(inside, &theta, working)?, moment(outside, &theta, working)?);
        let all = within.add(&beyond);
        let copies = Scaled::from_rational(&Rational::from_integer(part.copies.into()), bits);
        share = share.add(&copies.mul(&beyond.div(&all)?));
        whole = whole.mul(&all.pow(part.copies));
    }
    let power = working.exp(&epsilon.mul_rational(&-theta))?;
    Some(c(r, working)?.mul(&power).mul(&whole).mul(&share))
}

/// δ ≤ c(θ)·M(θ)·e^(−θε) of finite losses, for any θ > 0.
pub(super) fn chernoff(plan: &LossSum, epsilon: &Enclosure, theta: &Rational, working: &Working) -> Option<Rational> {
    let working = &Working::within(BOUND_BITS, working.budget());
    let power = working.exp(&epsilon.mul_rational(&-theta.clone()))?;
    Some(pointed(&c(theta, working)?.mul(&plan.moment(theta, working)?).mul(&power))?.upper())
}
