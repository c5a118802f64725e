//! Closed forms: the errors of Laplace, truncated and bounded Laplace and staircase noise.

use alloc::boxed::Box;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive, Zero};

use super::{Accuracy, Tails};
use crate::{
    exact::{Enclosure, Positive, Rational, Real},
    mechanism::additive::{BoundedLaplace, LaplaceMechanism, LaplaceVector, StaircaseMechanism, TruncatedLaplace},
};

fn real(n: impl Into<BigInt>) -> Real {
    Real::from(Rational::from_integer(n.into()))
}

/// q^k = e^(−k/s).
fn q(scale: &Positive, k: &BigUint) -> Real {
    Real::from(-(Rational::from_integer(k.clone().into()) / scale.get())).exp()
}

/// Tails from a formula, and 1 at α = 0.
fn tails<'t>(bits: u32, formula: impl Fn(&BigUint) -> Real + 't) -> Option<Tails<'t>> {
    Some(Box::new(
        move |alpha| {
            if alpha.is_zero() { Some(Enclosure::from_integer(1, bits)) } else { formula(alpha).enclose(bits) }
        },
    ))
}

/// P(|X| ≥ α) = 2q^α/(1 + q), E|X| = 2q/(1 − q²), E(X²) = 2q/(1 − q)².
impl Accuracy for LaplaceMechanism {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        let both = &Real::from(1) + &q(self.scale(), &BigUint::one());
        tails(bits, move |alpha| &(&Real::from(2) * &q(self.scale(), alpha)) / &both)
    }

    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure> {
        let q = q(self.scale(), &BigUint::one());
        (&(&Real::from(2) * &q) / &(&Real::from(1) - &(&q * &q))).enclose(bits)
    }

    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure> {
        let q = q(self.scale(), &BigUint::one());
        let rest = &Real::from(1) - &q;
        (&(&Real::from(2) * &q) / &(&rest * &rest)).enclose(bits)
    }
}

impl Accuracy for LaplaceVector {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        self.each().tails(bits)
    }

    fn coordinates(&self) -> u64 {
        LaplaceVector::coordinates(self).to_u64().unwrap_or(u64::MAX)
    }

    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure> {
        self.each().mean_absolute_error(bits)
    }

    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure> {
        self.each().mean_squared_error(bits)
    }
}

/// With N = 1 + q − 2q^(b+1): P(|X| ≥ α) = 2(q^α − q^(b+1))/N for 1 ≤ α ≤ b, and 0 beyond;
/// E|X| = 2q(1 − (b+1)q^b + b·q^(b+1))/((1 − q)N);
/// E(X²) = 2q(1 + q − (b+1)²q^b + (2b² + 2b − 1)q^(b+1) − b²q^(b+2))/((1 − q)²N).
impl Accuracy for TruncatedLaplace {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        let beyond = q(self.scale(), &(self.bound() + 1u32));
        let total = truncated_total(self);
        tails(bits, move |alpha| {
            if alpha > self.bound() {
                return Real::from(0);
            }
            &(&Real::from(2) * &(&q(self.scale(), alpha) - &beyond)) / &total
        })
    }

    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure> {
        let (b, scale) = (self.bound(), self.scale());
        let one = Real::from(1);
        let ratio = q(scale, &BigUint::one());
        let bracket = &(&one - &(&real(b + 1u32) * &q(scale, b))) + &(&real(b.clone()) * &q(scale, &(b + 1u32)));
        let numerator = &(&Real::from(2) * &ratio) * &bracket;
        (&numerator / &(&(&one - &ratio) * &truncated_total(self))).enclose(bits)
    }

    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure> {
        let (b, scale) = (BigInt::from(self.bound().clone()), self.scale());
        let one = Real::from(1);
        let ratio = q(scale, &BigUint::one());
        let at = |more: u32| q(scale, &(self.bound() + more));
        let square = |n: &BigInt| n * n;
        let middle: BigInt = square(&b) * 2 + &b * 2 - 1;
        let bracket = &(&(&(&one + &ratio) - &(&real(square(&(&b + 1))) * &at(0))) + &(&real(middle) * &at(1)))
            - &(&real(square(&b)) * &at(2));
        let rest = &one - &ratio;
        let numerator = &(&Real::from(2) * &ratio) * &bracket;
        (&numerator / &(&(&rest * &rest) * &truncated_total(self))).enclose(bits)
    }
}

/// N = 1 + q − 2q^(b+1).
fn truncated_total(noise: &TruncatedLaplace) -> Real {
    let beyond = q(noise.scale(), &(noise.bound() + 1u32));
    &(&Real::from(1) + &q(noise.scale(), &BigUint::one())) - &(&Real::from(2) * &beyond)
}

/// The worst over all answers x: of the tail, x = lower or the middle. With x counted from the lower bound,
/// an error of α is possible on both sides for α ≤ x ≤ n − α, and from α − 1 to n − α + 1 the mass within α
/// is the same, so that the tail rises with Z(x), up to the middle; nearer to the lower bound it is (q^α −
/// q^(n−x+1))/(1 + q − q^(x+1) − q^(n−x+1)), which falls with x.
///
/// Its moments depend on the answer, and are not stated.
impl Accuracy for BoundedLaplace {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        tails(bits, move |alpha| self.tail_at(&BigUint::ZERO, alpha).max(&self.tail_at(&(self.width() / 2u32), alpha)))
    }

    fn mean_absolute_error(&self, _: u32) -> Option<Enclosure> {
        None
    }

    fn mean_squared_error(&self, _: u32) -> Option<Enclosure> {
        None
    }
}

impl BoundedLaplace {
    /// P(|output − x| ≥ α) for α ≥ 1 and an answer x ≤ n, counted from the lower bound.
    fn tail_at(&self, x: &BigUint, alpha: &BigUint) -> Real {
        let side = |room: &BigUint| {
            if alpha > room { Real::from(0) } else { &q(self.scale(), alpha) - &q(self.scale(), &(room + 1u32)) }
        };
        let right = self.width() - x.min(self.width());
        let both = &Real::from(1) + &q(self.scale(), &BigUint::one());
        let total = &both - &(&q(self.scale(), &(x + 1u32)) + &q(self.scale(), &(&right + 1u32)));
        &(&side(x) + &side(&right)) / &total
    }
}

/// With b = e^−ε, w(u) = 1 for u < r and b for r ≤ u < Δ, S₀ = Σw(u) = r + b(Δ − r), S₁ = Σu·w(u), S₂ =
/// Σu²·w(u) and the total T = 2S₀/(1 − b) − 1: for α = gΔ + u ≥ 1, P(|X| ≥ α) = 2b^g·(Σ_{v ≥ u} w(v) +
/// b·S₀/(1 − b))/T; and, summing gΔ + u and its square over g, E|X| = 2(Δ·S₀·b/(1 − b)² + S₁/(1 − b))/T,
/// E(X²) = 2(Δ²·S₀·b(1 + b)/(1 − b)³ + 2Δ·S₁·b/(1 − b)² + S₂/(1 − b))/T.
impl Accuracy for StaircaseMechanism {
    fn tails(&self, bits: u32) -> Option<Tails<'_>> {
        let sums = StaircaseSums::new(self);
        tails(bits, move |alpha| {
            let (g, u) = alpha.div_rem(self.sensitivity());
            let level = Real::from(-(self.epsilon().get() * Rational::from_integer(g.into()))).exp();
            let (high, low) = if u < *self.step() {
                (self.step() - &u, self.sensitivity() - self.step())
            } else {
                (BigUint::ZERO, self.sensitivity() - &u)
            };
            let here = &real(high) + &(&sums.b * &real(low));
            let further = &(&sums.b * &sums.s0) / &sums.rest;
            &(&(&Real::from(2) * &level) * &(&here + &further)) / &sums.total
        })
    }

    fn mean_absolute_error(&self, bits: u32) -> Option<Enclosure> {
        let sums = StaircaseSums::new(self);
        let squared = &sums.rest * &sums.rest;
        let over_levels = &(&(&real(self.sensitivity().clone()) * &sums.s0) * &sums.b) / &squared;
        let within = &sums.s1 / &sums.rest;
        (&(&Real::from(2) * &(&over_levels + &within)) / &sums.total).enclose(bits)
    }

    fn mean_squared_error(&self, bits: u32) -> Option<Enclosure> {
        let sums = StaircaseSums::new(self);
        let delta = real(self.sensitivity().clone());
        let squared = &sums.rest * &sums.rest;
        let squares =
            &(&(&(&delta * &delta) * &sums.s0) * &(&sums.b * &(&Real::from(1) + &sums.b))) / &(&squared * &sums.rest);
        let products = &(&(&(&Real::from(2) * &delta) * &sums.s1) * &sums.b) / &squared;
        let within = &sums.s2 / &sums.rest;
        (&(&Real::from(2) * &(&(&squares + &products) + &within)) / &sums.total).enclose(bits)
    }
}

struct StaircaseSums {
    b: Real,
    /// 1 − b.
    rest: Real,
    s0: Real,
    s1: Real,
    s2: Real,
    total: Real,
}

impl StaircaseSums {
    fn new(noise: &StaircaseMechanism) -> Self {
        let (delta, r) = (BigInt::from(noise.sensitivity().clone()), BigInt::from(noise.step().clone()));
        // Σ_{u<n} u and Σ_{u<n} u².
        let first = |n: &BigInt| -> BigInt { n * (n - 1) / 2 };
        let second = |n: &BigInt| -> BigInt { n * (n - 1) * (n * 2 - 1) / 6 };
        let b = Real::from(-noise.epsilon().get()).exp();
        let rest = &Real::from(1) - &b;
        let s0 = &real(r.clone()) + &(&b * &real(&delta - &r));
        let s1 = &real(first(&r)) + &(&b * &real(first(&delta) - first(&r)));
        let s2 = &real(second(&r)) + &(&b * &real(second(&delta) - second(&r)));
        let total = &(&(&Real::from(2) * &s0) / &rest) - &Real::from(1);
        Self { b, rest, s0, s1, s2, total }
    }
}
