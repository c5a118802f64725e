//! Bounds that cost next to nothing, whatever the plan: what is left where no method reaches, and all that is
//! needed where δ is next to 0 or to 1.
//!
//! * **Above.** (1 − e^(ε−L))₊ ≤ e^(θ(L−ε)) for θ > 0, so δ(ε) ≤ e^(−θε)·Π M(θ)^k with M(θ) = E[e^(θL)].
//! * **Above, for small losses.** δ(ε) ≤ δ(0), the total variation distance, which is at most the sum of
//!   those of all copies.
//! * **Below.** 1 − δ(ε) = E[min(1, e^(ε−L))] ≤ e^(θε)·Π M(−θ)^k for 0 ≤ θ ≤ 1.
//!
//! Of the moments upper bounds are enough:
//!
//! * Gaussian: ln M(θ) ≤ θ(1 + θ)·ρ for every real θ, ρ = Δ²/2σ²: completing the square leaves Σ_y
//!   e^(−(y+θΔ)²/2σ²) over Σ_y e^(−y²/2σ²), which is greatest at θΔ integer (Canonne, Kamath and Steinke
//!   2020, Theorem 14). Total variation is at most √(ρ/2) (Pinsker's inequality).
//! * Laplace: with Δ/s = e, L ≤ e and ρ = e²/2 (Bun and Steinke 2016, Proposition 3.3), so ln M(θ) ≤ θ·min(e,
//!   (1 + θ)·ρ) for θ > 0; total variation is at most e/2; M(−1/2) = Σ √(PQ) = q^(Δ/2)·((Δ+1)(1−q) +
//!   2q)/(1+q) ≤ e^(−e/2)·min(Δ + 1, 2 + (Δ+1)/s), with 1 − q ≤ 1/s.
//! * Subsampled at rate r, either direction: Σ A^(1+θ)·B^(−θ) is jointly convex, so M ≤ 1 − r + r·M′ with M′
//!   of what is subsampled; its total variation is r times.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Answer, Method, cache::Cache, lattice::SMALLEST, methods::Accountant, question::Question};
use crate::{
    exact::{BigUint, Budget, Enclosure, Positive, Rational, Scaled, Working, ln},
    guarantee::Pair,
};

/// Binary digits of everything here.
const BITS: u32 = 96;

/// 1 − 2^-this is 1 to as many digits as can be asked for.
const NEXT_TO_ONE: u32 = 1 << 12;

/// Chernoff bounds, or [0, 1] where the moments of a pair are not known.
pub(super) struct Chernoff;

impl Accountant for Chernoff {
    fn delta(&self, question: &Question<'_>, _: &Budget, _: &mut Cache) -> Option<Answer> {
        Some(delta(question).unwrap_or_else(Answer::trivial))
    }
}

/// Encloses δ(ε) of one direction, often widely; `None` if a pair's moments are not known.
pub(super) fn delta(question: &Question<'_>) -> Option<Answer> {
    let Question { direction, epsilon, precision, .. } = *question;
    let parts =
        direction.iter().map(|part| Some((Moments::of(part.pair()?)?, Rational::from_integer(part.copies().into()))));
    let parts: alloc::vec::Vec<(Moments, Rational)> = parts.collect::<Option<_>>()?;
    let epsilon = epsilon.get();
    let working = Working::new(BITS);
    let rho: Rational = parts.iter().map(|(moments, copies)| &moments.rho * copies).sum();
    let upper = above(&parts, &rho, epsilon, &working)?;
    let lower = below(&parts, &rho, epsilon, &working).unwrap_or_else(Rational::zero);
    let digits = u32::try_from(upper.denom().bits().max(lower.denom().bits())).ok()?;
    let enclosure = Enclosure::from_bounds(&lower.min(upper.clone()), &upper, digits.min(1 << 17))?;
    Some(Answer::new(enclosure, Method::Chernoff, precision))
}

/// What is known of a pair's moments.
struct Moments {
    /// ln M(θ) ≤ θ(1 + θ)·ρ for θ > 0, before subsampling.
    rho: Rational,
    /// The greatest loss, before subsampling, if there is one.
    greatest: Option<Rational>,
    /// The product of the rates of subsampling.
    rate: Rational,
    /// At least the total variation distance.
    variation: Rational,
    /// ln M(−1/2) ≤ this, where it is known.
    half: Option<Rational>,
    /// Whether ln M(−θ) ≤ −θ(1 − θ)·ρ for every θ from 0 to 1.
    is_gaussian: bool,
}

impl Moments {
    fn of(pair: &Pair) -> Option<Self> {
        let integer = |n: &BigUint| Rational::from_integer(n.clone().into());
        match pair {
            Pair::Gaussian { variance, shift } => {
                let shift = integer(shift);
                let rho = &shift * &shift / variance.get() / BigInt::from(2);
                let half = Some(-&rho / BigInt::from(4));
                let variation = root(&(&rho / BigInt::from(2))).min(Rational::one());
                Some(Self { rho, greatest: None, rate: Rational::one(), variation, half, is_gaussian: true })
            }
            Pair::Laplace { scale, shift } => {
                let greatest = integer(shift) / scale.get();
                let most = integer(shift) + Rational::one();
                let bracket = most.clone().min(most / scale.get() + Rational::from_integer(2.into()));
                let half = ln(&Positive::new(bracket).ok()?, BITS).upper() - &greatest / BigInt::from(2);
                let rho = &greatest * &greatest / BigInt::from(2);
                let variation = (&greatest / BigInt::from(2)).min(Rational::one());
                Some(Self {
                    rho,
                    greatest: Some(greatest),
                    rate: Rational::one(),
                    variation,
                    half: Some(half),
                    is_gaussian: false,
                })
            }
            Pair::Subsampled { rate, of, .. } => {
                let inner = Self::of(of)?;
                let rate = rate.get();
                let variation = inner.variation * rate;
                Some(Self { rate: inner.rate * rate, variation, half: None, is_gaussian: false, ..inner })
            }
            Pair::Finite(_) => None,
        }
    }

    /// ln M(θ) from above, θ > 0.
    fn ln_moment(&self, theta: &Rational, working: &Working) -> Option<Rational> {
        let by_rho = (Rational::one() + theta) * &self.rho;
        let inner = theta * self.greatest.iter().cloned().fold(by_rho, Rational::min);
        if self.rate.is_one() {
            return Some(inner);
        }
        // M ≤ 1 + r·(M′ − 1) ≤ 1 + r·M′, so ln M ≤ r·M′; and ln M ≤ ln(1 − r + r·M′).
        // Beyond what can be written down the rate is of no account.
        let Some(power) = working.exp(&Enclosure::from_rational(&inner, BITS + 64)) else { return Some(inner) };
        let miss = Scaled::from_rational(&(Rational::one() - &self.rate), BITS);
        let mixed = power.mul(&Scaled::from_rational(&self.rate, BITS));
        let by_logarithm = working.ln(&miss.add(&mixed))?.upper();
        // M′ − 1 = e^x − 1 ≤ x + x² for 0 ≤ x ≤ 1: no digit is lost where M is next to 1.
        if inner <= Rational::one() {
            return Some(((&inner + &inner * &inner) * &self.rate).min(by_logarithm.max(Rational::zero())));
        }
        Some(by_logarithm)
    }
}

/// An upper bound on δ(ε).
fn above(parts: &[(Moments, Rational)], rho: &Rational, epsilon: &Rational, working: &Working) -> Option<Rational> {
    let variation: Rational = parts.iter().map(|(moments, copies)| &moments.variation * copies).sum();
    let mut most = variation.min(Rational::one());
    if *epsilon > *rho && rho.is_positive() {
        // θ(1 + θ)ρ − θε is least here; a larger θ may be better where there is subsampling.
        let natural = (epsilon - rho) / (rho * BigInt::from(2));
        for factor in [1_u32, 4, 16] {
            let theta = short(&(&natural * BigInt::from(factor)));
            let mut exponent = -(&theta * epsilon);
            for (moments, copies) in parts {
                exponent += moments.ln_moment(&theta, working)? * copies;
            }
            if let Some(bound) = power(&exponent, SMALLEST.unsigned_abs().try_into().ok()?, working) {
                most = most.min(bound);
            }
        }
    }
    Some(most)
}

/// A lower bound on δ(ε).
fn below(parts: &[(Moments, Rational)], rho: &Rational, epsilon: &Rational, working: &Working) -> Option<Rational> {
    let half = Rational::new(1.into(), 2.into());
    let exponent = if parts.iter().all(|(moments, _)| moments.is_gaussian) {
        if epsilon >= rho {
            return None;
        }
        // θε − θ(1 − θ)ρ is least at θ = (ρ − ε)/2ρ.
        let gap = rho - epsilon;
        -(&gap * &gap) / (rho * BigInt::from(4))
    } else {
        let mut sum = epsilon * half;
        for (moments, copies) in parts {
            sum += moments.half.clone()? * copies;
        }
        sum
    };
    power(&exponent, NEXT_TO_ONE, working).map(|rest| Rational::one() - rest)
}

/// At least e^x, and at least 2^-most, for x < 0; `None` for others.
fn power(x: &Rational, most: u32, working: &Working) -> Option<Rational> {
    if !x.is_negative() {
        return None;
    }
    let least = Rational::new(BigInt::one(), BigInt::one() << most);
    // e^-x ≤ 2^-x.
    if *x <= -Rational::from_integer(most.into()) {
        return Some(least);
    }
    let bound = working.exp(&Enclosure::from_rational(x, BITS + 64))?.exact()?.upper();
    Some(bound.max(least))
}

/// At least √x.
fn root(x: &Rational) -> Rational {
    let shift = (x.denom().bits() + 128).saturating_sub(x.numer().bits()) & !1;
    let scaled: BigInt = (x * Rational::from_integer(BigInt::one() << shift)).ceil().to_integer();
    Rational::new(scaled.sqrt() + 1, BigInt::one() << (shift / 2))
}

/// A number of few digits near x > 0.
fn short(x: &Rational) -> Rational {
    let unit = x.denom().bits() + 16;
    let bits = unit.saturating_sub(x.numer().bits());
    let grid = BigInt::one() << bits;
    Rational::new((x * &grid).ceil().to_integer(), grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{Direction, Precision, lattice},
        exact::NonNegative,
    };
    use alloc::vec;

    /// Where the exponents decide, for ρ = kΔ²/2σ² below ε and above it: the truth is inside, and the bound
    /// is no trivial one.
    #[test]
    fn the_truth_is_inside_where_bounds_are_sharp() {
        // σ², Δ, k, ε.
        for (variance, shift, copies, epsilon) in
            [(1, 1, 2, 6), (8, 1, 16, 8), (100, 1, 50, 4), (1, 8, 1, 0), (4, 4, 20, 3), (1, 3, 30, 100)]
        {
            let pair = Pair::Gaussian {
                variance: Positive::new(Rational::from_integer(variance.into())).unwrap(),
                shift: BigUint::from(u32::try_from(shift).unwrap()),
            };
            let rho = Rational::new((copies * shift * shift).into(), (2 * variance).into());
            let direction = Direction::of([(vec![pair], u64::try_from(copies).unwrap())]);
            let (precision, budget) = (Precision::default(), Budget::unlimited());
            let epsilon = NonNegative::new(Rational::from_integer(epsilon.into())).unwrap();
            let question = Question::new(&direction, &epsilon, &precision);
            let truth = lattice::delta(&question, &budget).unwrap().enclosure;
            let bounds = delta(&question).unwrap().enclosure;
            assert!(bounds.lower() <= truth.lower() && truth.upper() <= bounds.upper(), "{rho} {bounds} {truth}");
            let is_sharp = if *epsilon.get() > rho {
                bounds.upper() < truth.upper() * BigInt::from(1024)
            } else {
                // 1 − δ is known to within a factor.
                let rest = |x: Rational| Rational::one() - x;
                rest(bounds.lower()) < rest(truth.lower()) * BigInt::from(64)
            };
            assert!(is_sharp, "{rho} {bounds} {truth}");
        }
    }
}
