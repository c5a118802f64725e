//! The total of a few losses, listed value by value under a tilt.
//!
//! Copies of a loss on a lattice are one integer's law, by repeated squaring; those of a loss on none are
//! listed by how often each of its values occurs, P_θ(c) = k!·Π w_i^(c_i)/c_i!. What is negligible under the
//! tilt is left out on the way, and seen in the end as 1 less what is listed.

use alloc::{vec, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};

use super::{
    factor::{Factor, Kind},
    tilted::Tilted,
};
use crate::exact::{Enclosure, Rational, Scaled, Working, product as steps_of_product};

/// A value of the loss, and its probability under the tilt.
pub(super) type Value = (Enclosure, Scaled);

/// The values ℓ of Σ losses with their probabilities P_θ(ℓ), all but a share of them, and a bound on that
/// share; `None` if there are more than `most`.
pub(super) fn values(
    factors: &[&Factor],
    theta: &Rational,
    most: usize,
    working: &Working,
) -> Option<(Vec<(Enclosure, Enclosure)>, Enclosure)> {
    let bits = working.bits();
    let mut values = nothing(bits);
    for factor in factors {
        values = joint(&values, &copies(factor, factor.copies, theta, most, working)?, most, working)?;
    }
    let mut fixed = Vec::with_capacity(values.len());
    for (loss, share) in values {
        fixed.push((loss, share.fixed(bits)?));
    }
    let listed: Enclosure = fixed.iter().map(|(_, weight)| weight.clone()).sum();
    let zero = Enclosure::from_integer(0, 0);
    let left_out = Enclosure::from_integer(1, bits).sub(&listed).max_zero().hull(&zero);
    fixed.retain(|(_, weight)| !weight.upper().is_zero());
    Some((fixed, left_out))
}

/// No loss, for certain.
pub(super) fn nothing(bits: u32) -> Vec<Value> {
    vec![(Enclosure::from_integer(0, 0), Scaled::one(bits))]
}

/// Shares below 2^-this are left out: there are fewer than 2^16 of them, and 16 digits are the working
/// precision's to spare.
fn negligible(working: &Working) -> i64 {
    -i64::from(working.bits())
}

/// The sums of two independent losses; `None` if they are more than `most`.
pub(super) fn joint(a: &[Value], b: &[Value], most: usize, working: &Working) -> Option<Vec<Value>> {
    let mut sums = Vec::new();
    working.budget().spend(u64::try_from(a.len().saturating_mul(b.len())).ok()?.saturating_mul(30))?;
    for (loss, share) in a {
        for (further, other) in b {
            if share.magnitude().saturating_add(other.magnitude()) < negligible(working) {
                continue;
            }
            if sums.len() == most {
                return None;
            }
            sums.push((loss.add(further), share.mul(other)));
        }
    }
    working.budget().spend(u64::try_from(sums.len()).ok()?.saturating_mul(4 * steps_of_product(working.bits())))?;
    Some(sums)
}

/// The total of some copies of a factor.
pub(super) fn copies(
    factor: &Factor,
    copies: u64,
    theta: &Rational,
    most: usize,
    working: &Working,
) -> Option<Vec<Value>> {
    let tilted = Tilted::new(factor, theta, working)?;
    let base = factor.base(working)?;
    let step = factor.step.enclose(working.bits().saturating_add(64));
    if let Some(one) = law(factor, &tilted, theta, most, working)
        && let Some(law) = power(one, copies, most, working)
    {
        let base = base.mul(&Enclosure::from_integer(copies, 0));
        let value = |(place, share): (u64, Enclosure)| {
            let y = Enclosure::from_integer(&law.first + BigInt::from(place), 0);
            (base.add(&step.mul(&y)), Scaled::from_enclosure(&share, working.bits()))
        };
        return Some((0..).zip(law.shares()).filter(|(_, share)| !share.upper().is_zero()).map(value).collect());
    }
    let losses: Vec<Enclosure> = match &factor.kind {
        Kind::Finite { atoms, .. } => {
            atoms.iter().map(|(y, _)| base.add(&step.mul(&Enclosure::from_integer(*y, 0)))).collect()
        }
        Kind::Scattered { atoms, .. } => {
            atoms.iter().map(|(loss, _)| base.add(&loss.enclose(working.bits().saturating_add(64)))).collect()
        }
        Kind::Laplace { .. } | Kind::Gaussian { .. } => return None,
    };
    let weights: Vec<Scaled> =
        tilted.weights()?.iter().map(|weight| Scaled::from_enclosure(weight, working.bits())).collect();
    counted(&losses, &weights, copies, most, working)
}

/// The sums of k losses of a few values, by how often each occurs; `None` if they are more than `most`.
///
/// After some of the values have been given their numbers, with `left` copies for the rest, of probability w′
/// in all, those numbers are as likely as k!·Π w_i^(c_i)/c_i!·w′^left/left!: where that is negligible, so is
/// all that follows.
fn counted(
    losses: &[Enclosure],
    weights: &[Scaled],
    copies: u64,
    most: usize,
    working: &Working,
) -> Option<Vec<Value>> {
    let bits = working.bits();
    let count = usize::try_from(copies).ok()?;
    if count.checked_mul(weights.len())? > 1 << 16 {
        return None;
    }
    let length = u64::try_from(count.saturating_mul(weights.len())).ok()?;
    working.budget().spend(length.saturating_mul(8 * steps_of_product(bits)))?;
    // w^c/c! for c = 0, …, k.
    let terms = |weight: &Scaled| -> Option<Vec<Scaled>> {
        let mut terms = vec![Scaled::one(bits)];
        for c in 1..=copies {
            let next =
                terms.last()?.mul(weight).div(&Scaled::from_rational(&Rational::from_integer(c.into()), bits))?;
            terms.push(next);
        }
        Some(terms)
    };
    let all = terms(&Scaled::one(bits))?;
    let mut partial = vec![(copies, Enclosure::from_integer(0, 0), Scaled::one(bits).div(all.get(count)?)?)];
    let mut rest = weights.iter().skip(1).rev().fold(vec![Scaled::zero(bits)], |mut sums, weight| {
        let sum = sums.last().map_or_else(|| weight.clone(), |sum| sum.add(weight));
        sums.push(sum);
        sums
    });
    for (loss, weight) in losses.iter().zip(weights) {
        let (here, after) = (terms(weight)?, rest.pop()?);
        let is_last = rest.is_empty();
        let after = terms(&after)?;
        let mut next = Vec::new();
        for (left, sum, share) in &partial {
            working.budget().spend(left.saturating_mul(20))?;
            for c in if is_last { *left } else { 0 }..=*left {
                let (term, later) = (here.get(usize::try_from(c).ok()?)?, after.get(usize::try_from(left - c).ok()?)?);
                let likely = share.magnitude().saturating_add(term.magnitude()).saturating_add(later.magnitude());
                if likely < negligible(working) {
                    continue;
                }
                if next.len() == most {
                    return None;
                }
                next.push((left - c, sum.add(&loss.mul(&Enclosure::from_integer(c, 0))), share.mul(term)));
            }
        }
        working.budget().spend(u64::try_from(next.len()).ok()?.saturating_mul(6 * steps_of_product(bits)))?;
        partial = next;
    }
    Some(partial.into_iter().map(|(_, loss, share)| (loss, share)).collect())
}

/// P(ΣY = first + i), from below and from above, over 2^bits.
struct Law {
    first: BigInt,
    least: Vec<BigUint>,
    most: Vec<BigUint>,
    bits: u32,
}

impl Law {
    fn new(first: BigInt, shares: &[Enclosure], bits: u32) -> Self {
        let (mut least, mut most) = (Vec::new(), Vec::new());
        for share in shares {
            let share = share.at_precision(bits).max_zero();
            let (lower, upper) = share.scaled_bounds();
            least.push(lower.magnitude().clone());
            most.push(upper.magnitude().clone());
        }
        Self { first, least, most, bits }
    }

    fn shares(&self) -> impl Iterator<Item = Enclosure> {
        let share = |(least, most): (&BigUint, &BigUint)| {
            Enclosure::from_scaled(least.clone().into(), most.clone().into(), self.bits)
        };
        self.least.iter().zip(&self.most).map(share)
    }

    /// The law of the sum, without the ends that are negligible; `None` if it is longer than that.
    fn product(&self, other: &Self, longest: usize, working: &Working) -> Option<Self> {
        if self.least.len() + other.least.len() > 2 * longest {
            return None;
        }
        let length = u64::try_from(self.least.len().max(other.least.len())).ok()?.checked_mul(2)?;
        let digits = u32::try_from(length.checked_mul(u64::from(2 * self.bits + 16))?).ok()?;
        working.budget().spend(2 * steps_of_product(digits))?;
        let least: Vec<BigUint> = convolution(&self.least, &other.least, self.bits)?;
        let up = |sum: &BigUint| if sum.is_zero() { sum.clone() } else { ((sum - 1_u32) >> self.bits) + 1_u32 };
        let most: Vec<BigUint> = convolution(&self.most, &other.most, self.bits)?.iter().map(up).collect();
        let least: Vec<BigUint> = least.iter().map(|sum| sum >> self.bits).collect();
        let is_kept = |sum: &BigUint| sum.bits() > u64::from(self.bits / 8);
        let start = most.iter().position(is_kept).unwrap_or(0);
        let end = most.iter().rposition(is_kept).map_or(most.len(), |last| last + 1);
        let kept = |sums: Vec<BigUint>| sums.into_iter().take(end).skip(start).collect();
        let first = &self.first + &other.first + BigInt::from(start);
        Some(Self { first, least: kept(least), most: kept(most), bits: self.bits })
    }
}

/// The coefficients of the product of two polynomials, whose own are below 2^(bits + 1): as one product of
/// two long integers (Kronecker 1882).
fn convolution(a: &[BigUint], b: &[BigUint], bits: u32) -> Option<Vec<BigUint>> {
    // Each sum is below min(|a|, |b|)·2^(2·bits + 2).
    let room = u64::from(2 * bits + 2) + u64::from(usize::BITS - a.len().min(b.len()).leading_zeros());
    let words = usize::try_from(room / 32 + 1).ok()?;
    let pack = |numbers: &[BigUint]| {
        let mut digits = Vec::with_capacity(numbers.len() * words);
        for number in numbers {
            digits.extend(number.iter_u32_digits().chain(core::iter::repeat(0)).take(words));
        }
        BigUint::new(digits)
    };
    let product = pack(a) * pack(b);
    let digits = product.to_u32_digits();
    let count = (a.len() + b.len()).saturating_sub(1);
    let mut sums: Vec<BigUint> = digits.chunks(words).map(BigUint::from_slice).collect();
    sums.resize(count, BigUint::zero());
    Some(sums)
}

/// The law of k copies' sum, by repeated squaring.
fn power(one: Law, copies: u64, longest: usize, working: &Working) -> Option<Law> {
    let mut power = one;
    let mut result: Option<Law> = None;
    let mut n = copies;
    loop {
        if n & 1 == 1 {
            result = Some(match result {
                Some(result) => result.product(&power, longest, working)?,
                None => {
                    Law { first: power.first.clone(), least: power.least.clone(), most: power.most.clone(), ..power }
                }
            });
        }
        n >>= 1;
        if n == 0 {
            return result;
        }
        power = power.product(&power, longest, working)?;
    }
}

/// One copy's law under the tilt; `None` if it is on no lattice, or longer than that.
fn law(factor: &Factor, tilted: &Tilted, theta: &Rational, longest: usize, working: &Working) -> Option<Law> {
    let bits = working.bits();
    let (first, shares) = match &factor.kind {
        Kind::Finite { atoms, .. } => {
            let mut one = Vec::new();
            for ((y, _), weight) in atoms.iter().zip(tilted.weights()?) {
                let place = usize::try_from(*y).ok().filter(|place| *place < longest)?;
                one.resize(place, Enclosure::from_integer(0, bits));
                one.push(weight);
            }
            (BigInt::zero(), one)
        }
        Kind::Laplace { shift, .. } if shift.to_usize().is_some_and(|shift| shift < longest) => {
            (BigInt::zero(), tilted.atoms(working)?)
        }
        Kind::Gaussian { variance, shift } => {
            gaussian(variance.get(), &(theta * BigInt::from(shift.clone())), longest, working)?
        }
        Kind::Scattered { .. } | Kind::Laplace { .. } => return None,
    };
    Some(Law::new(first, &shares, bits))
}

/// P(y) ∝ e^(−(y−μ)²/2σ²) for |y − x₀| ≤ r, x₀ the integer next to μ. With m = y − x₀ and ν = x₀ − μ, |ν| ≤
/// 1/2, the weight relative to that of x₀ is e^(−m(m+2ν)/2σ²) ≤ e^(−m(m−1)/2σ²) for m > 0, and likewise
/// below; each is at most e^(−r/σ²) of the one before it beyond r, so that all that are not listed are at
/// most 2·e^(−r(r+1)/2σ²)/(1 − e^(−r/σ²)) ≤ 4·max(1, σ²/r)·e^(−r(r+1)/2σ²), as 1 − e^-x ≥ min(x, 1)/2.
fn gaussian(
    variance: &Rational,
    mean: &Rational,
    longest: usize,
    working: &Working,
) -> Option<(BigInt, Vec<Enclosure>)> {
    let bits = working.bits();
    let nearest = mean.round();
    let off = (&nearest - mean) * BigInt::from(2);
    let doubled = variance * BigInt::from(2);
    // r(r+1)/2σ² > bits·ln 2.
    let reach = (&doubled * BigInt::from(bits)).ceil().to_integer().sqrt() + 1_u32;
    let span = reach.to_usize().filter(|reach| 2 * reach < longest)?;
    working.budget().spend(u64::try_from(span).ok()?)?;
    let power = |x: Rational| working.exp(&Enclosure::from_rational(&x, bits.saturating_add(64)));
    let mut weights = Vec::with_capacity(2 * span + 1);
    for place in 0..=2 * span {
        let m = Rational::from_integer(BigInt::from(place) - &reach);
        weights.push(power(-(&m * (&m + &off)) / &doubled)?);
    }
    let last = Rational::from_integer(reach.clone());
    let beyond = power(-(&last * (&last + Rational::from_integer(1.into()))) / &doubled)?;
    let listed = weights.iter().fold(Scaled::zero(bits), |sum, weight| sum.add(weight));
    let factor = Rational::from_integer(4.into()) * (variance / &last).max(Rational::from_integer(1.into()));
    let all = listed.add(&beyond.mul(&Scaled::from_rational(&factor, bits)).down_to_zero());
    let shares = weights.iter().map(|weight| weight.div(&all)?.fixed(bits)).collect::<Option<Vec<_>>>()?;
    Some(((nearest - last).to_integer(), shares))
}
