//! The outcomes of the parts of a plan, and the sum S of their losses.
//!
//! In one direction a part has outcomes with P, Q and the loss l = ln(P/Q), and runs k times; S is the sum of
//! the losses of all copies, drawn from P, and δ(ε) = E[(1 − e^(ε−S))₊]. Masses need not add up to 1, less
//! where tails are cut off, more where bounds are rounded up; P with an infinite loss is kept apart
//! (`never`). P* and Q* are the products of the parts' masses over all copies. Everything is enclosed: a
//! truth is somewhere in the intervals, the same one wherever it is used.

use alloc::vec::Vec;

use crate::exact::{Enclosure, Rational, Scaled, Working};

/// An outcome of finite loss: P > 0, Q > 0 and ln(P/Q).
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) loss: Enclosure,
    pub(super) p: Scaled,
    pub(super) q: Scaled,
}

/// One direction of one mechanism, run k times.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// By rising loss, about.
    pub(super) outcomes: Vec<Outcome>,
    /// k.
    pub(super) copies: u64,
    /// The P-mass of one copy's outcomes with Q = 0, whose loss is infinite.
    pub(super) never: Scaled,
    /// At least the P-mass of one copy's outcomes that are left out altogether.
    pub(super) cut: Scaled,
}

/// Which of two distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    P,
    Q,
}

impl Outcome {
    pub(super) fn mass(&self, side: Side) -> &Scaled {
        match side {
            Side::P => &self.p,
            Side::Q => &self.q,
        }
    }

    /// P·e^(θ·loss).
    pub(super) fn tilted(&self, theta: &Rational, working: &Working) -> Option<Scaled> {
        Some(self.p.mul(&working.exp(&self.loss.mul_rational(theta))?))
    }
}

/// Σ P or Σ Q of some outcomes.
pub(super) fn mass(outcomes: &[Outcome], side: Side, bits: u32) -> Scaled {
    outcomes.iter().fold(Scaled::zero(bits), |sum, outcome| sum.add(outcome.mass(side)))
}

/// Σ P·e^(θ·loss) of some outcomes.
pub(super) fn moment(outcomes: &[Outcome], theta: &Rational, working: &Working) -> Option<Scaled> {
    let mut sum = Scaled::zero(working.bits());
    for outcome in outcomes {
        sum = sum.add(&outcome.tilted(theta, working)?);
    }
    Some(sum)
}

/// The sum S of the losses of all copies of all parts.
#[derive(Clone, Debug)]
pub(super) struct LossSum {
    pub(super) parts: Vec<Part>,
}

impl LossSum {
    /// M(θ) = Π M_i(θ)^k_i, of finite losses.
    pub(super) fn moment(&self, theta: &Rational, working: &Working) -> Option<Scaled> {
        let mut product = Scaled::one(working.bits());
        for part in &self.parts {
            product = product.mul(&moment(&part.outcomes, theta, working)?.pow(part.copies));
        }
        Some(product)
    }

    /// P* or Q* of finite losses.
    pub(super) fn mass(&self, side: Side, bits: u32) -> Scaled {
        let power = |part: &Part| mass(&part.outcomes, side, bits).pow(part.copies);
        self.parts.iter().fold(Scaled::one(bits), |product, part| product.mul(&power(part)))
    }

    /// P* with the infinite losses.
    pub(super) fn mass_with_never(&self, bits: u32) -> Scaled {
        let power = |part: &Part| mass(&part.outcomes, Side::P, bits).add(&part.never).pow(part.copies);
        self.parts.iter().fold(Scaled::one(bits), |product, part| product.mul(&power(part)))
    }

    /// At least the P-mass of what is left out of all copies: Σ k_i·cut_i. Leaving outcomes out lowers δ by
    /// at most that.
    pub(super) fn cut(&self, bits: u32) -> Scaled {
        let of = |part: &Part| part.cut.mul(&Scaled::from_rational(&Rational::from_integer(part.copies.into()), bits));
        self.parts.iter().fold(Scaled::zero(bits), |sum, part| sum.add(&of(part)))
    }

    /// Whether some loss is infinite.
    pub(super) fn has_never(&self) -> bool {
        self.parts.iter().any(|part| !part.never.is_zero())
    }

    /// Whether some part has no outcome of finite loss.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().any(|part| part.outcomes.is_empty())
    }

    /// The greatest finite loss, enclosed.
    pub(super) fn greatest(&self) -> Option<Enclosure> {
        let mut sum = Enclosure::from_integer(0, 0);
        for part in &self.parts {
            let losses = part.outcomes.iter().map(|outcome| &outcome.loss);
            let greatest = losses.cloned().reduce(|most, loss| {
                // An enclosure of the larger of two numbers.
                if most.upper() <= loss.lower() {
                    loss
                } else if loss.upper() <= most.lower() {
                    most
                } else {
                    most.hull(&loss)
                }
            })?;
            sum = sum.add(&greatest.mul(&Enclosure::from_integer(part.copies, 0)));
        }
        Some(sum)
    }

    /// How many outcomes all parts have.
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.outcomes.len()).sum()
    }
}
