//! A factor tilted by e^(θ·loss): its total mass, its characteristic function, and a bound on that over a
//! range of frequencies.
//!
//! With Y the lattice variable of [`Factor`] and x = θ·step, G(θ) = Σ_y P(y)·e^(x·y) = e^log·mass, and the
//! tilted law is P_θ(y) = P(y)·e^(x·y)/G. Its characteristic function at the turn r (the angle 2πr) is φ(r) =
//! e^(2πi·r·centre)·*shape*(r), where the shape is what this module evaluates; the phases of all factors are
//! collected exactly by the caller.
//!
//! * *Finite*: Σ_a w_a·u^(y_a)/Σ_a w_a, u = e^(2πi·r), by Horner's rule.
//! * *Laplace*: with ρ = q·e^-x and u = ρ·e^(−2πi·r) the closed form of its geometric interior,
//!   (1 + u^Δ + (1−q)·(u − u^Δ)/(1 − u))/((1+q)·mass); where ρ > 1 the same with 1/ρ, counted from the other
//!   end.
//! * *Gaussian*: tilting moves the centre to μ = θ·Δ, G = e^(μ²/2σ²)·Σ_y e^(−(y−μ)²/2σ²)/Σ_y e^(−y²/2σ²). For
//!   σ² < 1/2 the sum is taken as it stands. Otherwise by Poisson summation Σ_y e^(−(y−μ)²/2σ²)·e^(2πi·r·y) =
//!   σ√(2π)·e^(2πi·μ·r)·Σ_m e^(−2π²σ²(r−m)²)·e^(−2πi·μ·m): a term or three, whatever σ.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::factor::{Factor, Kind, total};
use crate::exact::{Disc, Enclosure, Positive, Rational, Scaled, Working, exponential};

/// One copy of a factor under the tilt θ.
#[derive(Clone, Debug)]
pub(super) struct Tilted {
    /// The exponent that is taken out of G.
    pub(super) log: Enclosure,
    /// G·e^-log.
    pub(super) mass: Scaled,
    /// The phase that is taken out of φ, in units of Y.
    pub(super) centre: Rational,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Finite {
        /// (gap to the atom below, normalised weight), from the lowest atom up.
        weights: Vec<(u64, Enclosure)>,
        /// What the weights left out may add to the modulus.
        slack: Enclosure,
        pairs: Vec<Twins>,
    },
    Laplace {
        /// Δ, q, ρ ≤ 1, ρ^Δ, and ρ^(Δ−1): not a quotient, since far out ρ is 0 to any number of digits.
        shift: BigUint,
        q: Enclosure,
        rho: Enclosure,
        rho_shift: Enclosure,
        rho_less: Enclosure,
        /// (1+q)·mass.
        whole: Enclosure,
        /// Whether u turns with Y (counted from the lower end) and not against it.
        from_below: bool,
    },
    Dual {
        centre: Rational,
        variance: Rational,
        /// Σ_m e^(−2π²σ²m²)·cos(2πμm).
        whole: Enclosure,
    },
}

/// Two atoms of tilted probabilities a and b, `gap` apart: |a + b·e^(iτ)|² = (a+b)² − 4ab·sin²(τ/2).
#[derive(Clone, Debug)]
struct Twins {
    sum: Scaled,
    product: Scaled,
    gap: u64,
}

/// A range of turns: [from, to]/turns with 0 ≤ from ≤ to.
#[derive(Clone, Debug)]
pub(super) struct Range<'a> {
    pub(super) from: &'a BigUint,
    pub(super) to: &'a BigUint,
    pub(super) turns: &'a BigUint,
}

impl Range<'_> {
    /// The least distance of stride·r from an integer over the range, as a fraction.
    fn distance(&self, stride: &BigUint) -> (BigUint, BigUint) {
        let (from, to) = (self.from * stride, self.to * stride);
        let (low, high) = (&from / self.turns, &to / self.turns);
        let (after, before) = (&from - &low * self.turns, (&high + 1_u32) * self.turns - &to);
        let least = if low == high { after.min(before) } else { BigUint::zero() };
        (least, self.turns.clone())
    }

    /// The greatest distance of stride·r from 0 over the range, at most a half; as a fraction.
    fn farthest(&self, stride: &BigUint) -> (BigUint, BigUint) {
        let to = self.to * stride;
        let half = self.turns.clone();
        // 2·to/(2·turns), at most turns/(2·turns).
        ((to * 2_u32).min(half), self.turns * 2_u32)
    }
}

impl Tilted {
    /// `None` where a number is out of reach at this working precision.
    pub(super) fn new(factor: &Factor, theta: &Rational, working: &Working) -> Option<Self> {
        match &factor.kind {
            Kind::Finite { atoms, total: all, .. } => {
                let rate = factor.step.enclose(working.bits().saturating_add(64)).mul_rational(theta);
                let all = total(all, working)?;
                let mut weights = Vec::with_capacity(atoms.len());
                for (y, atom) in atoms {
                    let power = working.exp(&rate.mul(&Enclosure::from_integer(*y, 0)))?;
                    weights.push((*y, total(atom, working)?.mul(&power)));
                }
                Self::finite(&weights, &all, Enclosure::from_integer(0, 0), Rational::zero(), working)
            }
            Kind::Scattered { atoms, total: all, .. } => {
                let all = total(all, working)?;
                let mut weights = Vec::with_capacity(atoms.len());
                for (place, (loss, atom)) in (0..).zip(atoms) {
                    // A logarithm.
                    working.budget().spend(4 * exponential(working.bits()))?;
                    let power = working.exp(&loss.enclose(working.bits().saturating_add(64)).mul_rational(theta))?;
                    weights.push((place, total(atom, working)?.mul(&power)));
                }
                Self::finite(&weights, &all, Enclosure::from_integer(0, 0), Rational::zero(), working)
            }
            Kind::Laplace { scale, shift } => Self::laplace(scale, shift, theta, working),
            Kind::Gaussian { variance, shift } => {
                let centre = theta * BigInt::from(shift.clone());
                if *variance.get() < Rational::new(1.into(), 2.into()) {
                    Self::narrow_gaussian(variance.get(), &centre, working)
                } else {
                    Self::wide_gaussian(variance.get(), centre, working)
                }
            }
        }
    }

    /// From weights at increasing y, what all of them are divided by in G, and a bound on those that are not
    /// listed.
    fn finite(
        weights: &[(u64, Scaled)],
        all: &Scaled,
        log: Enclosure,
        centre: Rational,
        working: &Working,
    ) -> Option<Self> {
        let bits = working.bits();
        // The powers are large or small together: divide by the greatest, and remember it in `log`.
        let sum = weights.iter().fold(Scaled::zero(bits), |sum, (_, weight)| sum.add(weight));
        let scale = sum.magnitude();
        if weights.is_empty() {
            let shape = Shape::Finite { weights: Vec::new(), slack: Enclosure::from_integer(0, 0), pairs: Vec::new() };
            return Some(Self { log, mass: Scaled::zero(bits), centre, shape });
        }
        let log = log.add(&working.ln_two().mul(&Enclosure::from_integer(scale, 0)));
        let mass = sum.div(all)?.shifted(-scale);
        let mut normal = Vec::with_capacity(weights.len());
        let mut below = 0;
        let mut shares = Vec::with_capacity(weights.len());
        for (y, weight) in weights {
            let share = weight.div(&sum)?;
            normal.push((y - below, share.fixed(bits)?));
            shares.push((*y, share));
            below = *y;
        }
        let slack = Enclosure::from_integer(0, 0);
        Some(Self { log, mass, centre, shape: Shape::Finite { weights: normal, slack, pairs: twins(&shares) } })
    }

    fn laplace(scale: &Positive, shift: &BigUint, theta: &Rational, working: &Working) -> Option<Self> {
        let bits = working.bits();
        let power = |exponent: &Rational| working.exp(&Enclosure::from_rational(exponent, bits.saturating_add(64)));
        let rate = scale.get().recip();
        let delta = BigInt::from(shift.clone());
        // ln ρ = −(1 + 2θ)/s.
        let ln_rho = -(Rational::one() + theta * BigInt::from(2)) * &rate;
        let from_below = ln_rho.is_positive();
        let ln_rho = -ln_rho.abs();
        let log = if from_below { -&rate * &delta } else { theta * BigInt::from(2) * &rate * &delta };
        let q = power(&-&rate)?.fixed(bits)?;
        let rho = power(&ln_rho)?.fixed(bits)?;
        let rho_shift = power(&(&ln_rho * &delta))?.fixed(bits)?;
        let rho_less = power(&(&ln_rho * (&delta - 1)))?.fixed(bits)?;
        let one = Enclosure::from_integer(1, 0);
        // (ρ − ρ^Δ)/(1 − ρ), which is Δ − 1 at ρ = 1.
        let interior = if ln_rho.is_zero() {
            Enclosure::from_integer(&delta - 1, bits)
        } else {
            rho.sub(&rho_shift).max_zero().div(&one.sub(&rho))?
        };
        let whole = one.add(&rho_shift).add(&one.sub(&q).mul(&interior));
        let mass = Scaled::from_enclosure(&whole.div(&one.add(&q))?, bits);
        let centre = if from_below { Rational::zero() } else { Rational::from_integer(delta) };
        let shape = Shape::Laplace { shift: shift.clone(), q, rho, rho_shift, rho_less, whole, from_below };
        Some(Self { log: Enclosure::from_rational(&log, bits.saturating_add(64)), mass, centre, shape })
    }

    /// σ² < 1/2: atoms at distance m from the integer x₀ nearest to μ have weights e^-(m(m + 2(x₀−μ))/2σ²),
    /// at most e^-(m(m−1)/2σ²).
    fn narrow_gaussian(variance: &Rational, centre: &Rational, working: &Working) -> Option<Self> {
        let bits = working.bits();
        let nearest = centre.round();
        let doubled = variance * BigInt::from(2);
        let around = |middle: &Rational, about: &Rational| -> Option<(Vec<(u64, Scaled)>, Enclosure)> {
            // m(m−1)/2σ² > bits + 16 for m > reach, and the weights more than halve from each to the next.
            let reach = (&doubled * BigInt::from(bits.saturating_add(16))).ceil().to_integer().sqrt().to_u64()? + 2;
            let mut weights = Vec::new();
            for index in 0..=2 * reach {
                let m = Rational::from_integer(BigInt::from(index) - BigInt::from(reach));
                let offset = &m + (middle - about) * BigInt::from(2);
                let exponent = -(&m * offset) / &doubled;
                weights.push((index, working.exp(&Enclosure::from_rational(&exponent, bits.saturating_add(64)))?));
            }
            let slack = Rational::new(4.into(), BigInt::one() << bits.saturating_add(16));
            Some((weights, Enclosure::from_bounds(&Rational::zero(), &slack, bits.saturating_add(32))?))
        };
        let (weights, slack) = around(&nearest, centre)?;
        let (plain, plain_slack) = around(&Rational::zero(), &Rational::zero())?;
        let sum = |weights: &[(u64, Scaled)], slack: &Enclosure| {
            weights.iter().fold(Scaled::from_enclosure(slack, bits), |sum, (_, weight)| sum.add(weight))
        };
        let log = &nearest * (centre * BigInt::from(2) - &nearest) / &doubled;
        let reach = weights.len() / 2;
        let first = &nearest - Rational::from_integer(reach.into());
        let log = Enclosure::from_rational(&log, bits.saturating_add(64));
        let mut tilted = Self::finite(&weights, &sum(&plain, &plain_slack), log, first, working)?;
        // The atom at x₀ has weight 1, so that the share of what is not listed is at most the slack itself.
        let listed = sum(&weights, &Enclosure::from_integer(0, 0));
        let grown = sum(&weights, &slack).div(&listed)?;
        tilted.mass = tilted.mass.mul(&grown);
        if let Shape::Finite { slack: of_shape, .. } = &mut tilted.shape {
            // Normalised by the listed sum and not by the whole: another share of the slack.
            *of_shape = slack.add(&slack);
        }
        Some(tilted)
    }

    fn wide_gaussian(variance: &Rational, centre: Rational, working: &Working) -> Option<Self> {
        let bits = working.bits();
        let at_zero = dual_sum(variance, &Rational::zero(), &Rational::zero(), working)?.re();
        let whole = dual_sum(variance, &centre, &Rational::zero(), working)?.re();
        let mass = Scaled::from_enclosure(&whole, bits).div(&Scaled::from_enclosure(&at_zero, bits))?;
        let log = &centre * &centre / (variance * BigInt::from(2));
        let log = Enclosure::from_rational(&log, bits.saturating_add(64));
        let shape = Shape::Dual { centre: centre.clone(), variance: variance.clone(), whole };
        Some(Self { log, mass, centre, shape })
    }

    /// The tilted probabilities of a finite factor's atoms, from the lowest up.
    pub(super) fn weights(&self) -> Option<Vec<Enclosure>> {
        match &self.shape {
            Shape::Finite { weights, .. } => Some(weights.iter().map(|(_, weight)| weight.clone()).collect()),
            _ => None,
        }
    }

    /// The tilted probabilities of every Y = 0, …, Δ of a Laplace factor.
    pub(super) fn atoms(&self, working: &Working) -> Option<Vec<Enclosure>> {
        let Shape::Laplace { shift, q, rho, rho_shift, whole, from_below, .. } = &self.shape else { return None };
        let one = Enclosure::from_integer(1, working.bits());
        let mut atoms = Vec::from([one.div(whole)?]);
        let mut power = one.sub(q).div(whole)?;
        for _ in 1..shift.to_u32()? {
            power = power.mul(rho).at_precision(working.bits());
            atoms.push(power.clone());
        }
        atoms.push(rho_shift.div(whole)?);
        // They are counted from the upper end unless said otherwise.
        if !from_below {
            atoms.reverse();
        }
        Some(atoms)
    }

    /// The shape of φ at the turn index/turns.
    pub(super) fn shape(&self, index: &BigInt, turns: &BigUint, working: &Working) -> Option<Disc> {
        let bits = working.bits();
        match &self.shape {
            Shape::Finite { weights, slack, .. } => {
                let unit = working.turn(index, turns);
                let mut sum = Disc::zero(bits);
                let mut gap_above = 0;
                for (gap, weight) in weights.iter().rev() {
                    sum = match gap_above {
                        0 => sum,
                        1 => sum.mul(&unit),
                        gap => sum.mul(&working.turn(&(index * gap), turns)),
                    };
                    sum = sum.add(&Disc::real(weight, bits));
                    gap_above = *gap;
                }
                Some(sum.widened(slack))
            }
            Shape::Laplace { shift, q, rho, rho_shift, whole, from_below, .. } => {
                let index = if *from_below { index.clone() } else { -index };
                let u = working.turn(&index, turns).mul_real(rho);
                let u_shift = working.turn(&(index * BigInt::from(shift.clone())), turns).mul_real(rho_shift);
                let one = Disc::one(bits);
                let interior = u.sub(&u_shift).mul(&one.sub(&u).recip()?);
                let missing = Enclosure::from_integer(1, bits).sub(q);
                let sum = one.add(&u_shift).add(&interior.mul_real(&missing));
                Some(sum.mul_real(&Enclosure::from_integer(1, bits).div(whole)?))
            }
            Shape::Dual { centre, variance, whole } => {
                let turn = Rational::new(index.clone(), turns.clone().into());
                let sum = dual_sum(variance, centre, &turn, working)?;
                Some(sum.mul_real(&Enclosure::from_integer(1, bits).div(whole)?))
            }
        }
    }

    /// A Laplace shape's two ends alone, (1 + u^Δ)/((1+q)·mass).
    pub(super) fn ends(&self, index: &BigInt, turns: &BigUint, working: &Working) -> Option<Disc> {
        let Shape::Laplace { shift, rho_shift, whole, from_below, .. } = &self.shape else { return None };
        let index = if *from_below { index.clone() } else { -index };
        let u_shift = working.turn(&(index * BigInt::from(shift.clone())), turns).mul_real(rho_shift);
        let sum = Disc::one(working.bits()).add(&u_shift);
        Some(sum.mul_real(&Enclosure::from_integer(1, working.bits()).div(whole)?))
    }

    /// An upper bound on a Laplace shape without its ends, over a range of r.
    pub(super) fn interior_ceiling(&self, stride: &BigUint, range: &Range<'_>, working: &Working) -> Option<Scaled> {
        let Shape::Laplace { shift, q, rho, rho_less, whole, .. } = &self.shape else { return None };
        let bits = working.bits();
        let one = Enclosure::from_integer(1, bits);
        let four = Enclosure::from_integer(4, 0);
        // |1 − x·e^(iτ)|² = (1 − x)² + 4x·sin²(τ/2), above with x = ρ^(Δ−1), below with x = ρ.
        let less: BigUint = shift - 1_u32;
        let (far, turns) = range.farthest(&(stride * less));
        let sine = sine_squared(&far, &turns, working);
        let above = one.sub(rho_less).square().add(&rho_less.mul(&sine).mul(&four));
        let (near, turns) = range.distance(stride);
        let sine = sine_squared(&near, &turns, working);
        let below = one.sub(rho).square().add(&rho.mul(&sine).mul(&four));
        let scaled = |value: &Enclosure| Scaled::from_enclosure(value, bits);
        let interior = scaled(&above).div(&scaled(&below))?.sqrt_upper();
        interior.mul(&scaled(rho)).mul(&scaled(&one.sub(q))).div(&scaled(whole))
    }

    /// An upper bound on |φ(stride·r)| over a range of r.
    pub(super) fn ceiling(&self, stride: &BigUint, range: &Range<'_>, working: &Working) -> Option<Scaled> {
        let bits = working.bits();
        let bound = match &self.shape {
            Shape::Finite { slack, pairs, .. } => {
                let mut bound = Scaled::from_enclosure(slack, bits);
                // What is not paired is 1 less the pairs.
                let mut rest = Enclosure::from_integer(1, bits);
                for pair in pairs {
                    let (near, turns) = range.distance(&(stride * pair.gap));
                    let sine = sine_squared(&near, &turns, working);
                    let square = pair.sum.mul(&pair.sum).fixed(bits)?;
                    let less = pair.product.fixed(bits)?.mul(&sine).mul(&Enclosure::from_integer(4, 0));
                    let squared = Scaled::from_enclosure(&square.sub(&less).max_zero(), bits);
                    bound = bound.add(&squared.sqrt_upper());
                    rest = rest.sub(&pair.sum.fixed(bits)?);
                }
                bound.add(&Scaled::from_enclosure(&rest.max_zero(), bits))
            }
            Shape::Laplace { shift, rho_shift, whole, .. } => {
                // |1 + ρ^Δ·e^(iΔτ)|² = (1 + ρ^Δ)² − 4ρ^Δ·sin²(Δτ/2).
                let (near, turns) = range.distance(&(stride * shift));
                let sine = sine_squared(&near, &turns, working);
                let square = Enclosure::from_integer(1, bits).add(rho_shift).square();
                let ends = square.sub(&rho_shift.mul(&sine).mul(&Enclosure::from_integer(4, 0))).max_zero();
                let ends = Scaled::from_enclosure(&ends, bits).sqrt_upper();
                ends.div(&Scaled::from_enclosure(whole, bits))?.add(&self.interior_ceiling(stride, range, working)?)
            }
            Shape::Dual { variance, whole, .. } => {
                // |Σ_m e^(−2π²σ²(r−m)²)·e^(…)| ≤ Σ_m e^(−2π²σ²(r−m)²), Jacobi's θ₃, whose every factor 1 +
                // 2p·cos(2πr) + p² falls from r = 0 to r = 1/2.
                let (near, turns) = range.distance(stride);
                let turn = Rational::new(near.into(), turns.into());
                let sum = dual_sum(variance, &Rational::zero(), &turn, working)?.re();
                Scaled::from_enclosure(&sum, bits).div(&Scaled::from_enclosure(whole, bits))?
            }
        };
        Some(bound.down_to_zero().at_most_one())
    }
}

/// sin²(π·near/turns) = (1 − cos(2π·near/turns))/2.
fn sine_squared(near: &BigUint, turns: &BigUint, working: &Working) -> Enclosure {
    let cosine = working.turn(&near.clone().into(), turns).re();
    let double = Enclosure::from_integer(1, working.bits()).sub(&cosine).max_zero();
    double.mul_rational(&Rational::new(1.into(), 2.into()))
}

/// Neighbouring atoms in pairs, the heaviest few.
fn twins(shares: &[(u64, Scaled)]) -> Vec<Twins> {
    let pairing = |skip: usize| -> Vec<Twins> {
        let mut pairs: Vec<Twins> = shares
            .iter()
            .skip(skip)
            .step_by(2)
            .zip(shares.iter().skip(skip + 1).step_by(2))
            .map(|((x, a), (y, b))| Twins { sum: a.add(b), product: a.mul(b), gap: y - x })
            .collect();
        pairs.sort_by_key(|pair| core::cmp::Reverse(pair.product.magnitude()));
        pairs.truncate(3);
        pairs
    };
    let (even, odd) = (pairing(0), pairing(1));
    let weight = |pairs: &[Twins]| pairs.first().map_or(i64::MIN, |pair| pair.product.magnitude());
    if weight(&even) >= weight(&odd) { even } else { odd }
}

/// Encloses Σ_m e^(−2π²σ²(r−m)²)·e^(−2πi·μ·m), for σ² ≥ 1/2.
///
/// Terms at a distance of at least d = n − 1/2 from r, n ≥ 1, are e^(−2π²σ²d²), and each further one is
/// smaller by more than e^(−2π²σ²) < 2^-14: together with those of the other side at most 4 times that.
fn dual_sum(variance: &Rational, centre: &Rational, turn: &Rational, working: &Working) -> Option<Disc> {
    let bits = working.bits();
    let nearest = turn.round();
    let pi = working.pi();
    let rate = pi.mul(pi).mul_rational(&(variance * BigInt::from(2)));
    let least = rate.lower();
    let mut sum = Disc::zero(bits);
    let mut n = 0_i64;
    loop {
        let half = Rational::new((2 * n - 1).into(), 2.into());
        // e^-x = 2^-(x/ln 2) ≤ 2^-(7x/5).
        let away = &half * &half * &least * Rational::new(7.into(), 5.into());
        if n > 0 && away > Rational::from_integer(BigInt::from(bits) + 16) {
            let slack = Rational::new(4.into(), BigInt::one() << bits.saturating_add(16));
            let slack = Enclosure::from_bounds(&Rational::zero(), &slack, bits.saturating_add(32))?;
            return Some(sum.widened(&slack));
        }
        for m in [n, -n] {
            let whole = &nearest + Rational::from_integer(m.into());
            let distance = turn - &whole;
            let exponent = rate.mul_rational(&(&distance * &distance)).neg();
            let power = working.exp(&exponent)?.fixed(bits)?;
            let phase = -(&whole * centre);
            let phase = working.turn(phase.numer(), phase.denom().magnitude());
            sum = sum.add(&phase.mul_real(&power));
            if n == 0 {
                break;
            }
        }
        n += 1;
        n.to_u16()?;
    }
}
