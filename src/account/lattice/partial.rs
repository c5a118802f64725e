//! A few copies of one Laplace pair, whatever its sensitivity: sums of binomials in closed form.
//!
//! With n = ΣJ over k copies ([`Kind::Laplace`](super::factor::Kind)) the loss is (kΔ − 2n)/s, and from the
//! generating function P(n) = q^n·c_n/(1+q)^k, c_n = [u^n] (1 − qu + u^Δ·(q − u))^k/(1 − u)^k. Expanding the
//! numerator, Σ_a Σ_b d_ab·u^(aΔ+b) with d_ab = C(k,a)·[u^b] (1−qu)^(k−a)·(q−u)^a, and [u^i] (1−u)^-k =
//! C(i+k−1, k−1): for M the last n with a loss above ε,
//!
//! ```text
//! (1+q)^k·δ = Σ_{n≤M} c_n·(q^n − e^(ε−kΔ/s)·q^-n)
//!           = Σ_ab d_ab·( q^e·S_k(M−e) − e^(ε−kΔ/s)·q^-M·T_k(M−e) ),   e = aΔ + b,
//! S_r(R) = Σ_{i≤R} C(i+r−1, r−1)·q^i,        (1−q)·S_r(R) = S_{r−1}(R) − C(R+r−1, r−1)·q^(R+1),       S_0 = 1,
//! T_r(R) = Σ_{i≤R} C(i+r−1, r−1)·q^(R−i),    (1−q)·T_r(R) = C(R+r−1, r−1) − q·T_{r−1}(R),             T_0 = q^R.
//! ```
//!
//! The terms are large and cancel, by about k·log2(s) digits, which are carried. The cost is about k² steps,
//! for any Δ and s.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use super::super::{Answer, Method, Precision, answer::is_narrow, profile::Epsilon};
use crate::exact::{Budget, Enclosure, Positive, Rational, Scaled, Working, product};

/// The most copies.
const MOST_COPIES: u32 = 128;

/// δ(ε) of k copies; `None` if there are too many.
pub(super) fn delta(
    scale: &Positive,
    shift: &BigUint,
    copies: u64,
    epsilon: &Epsilon<'_>,
    precision: &Precision,
    budget: &Budget,
) -> Option<Answer> {
    let k = u32::try_from(copies).ok().filter(|k| *k <= MOST_COPIES)?;
    let size = shift.bits().max((scale.numerator() / scale.denominator()).bits());
    let lost = u64::from(k).checked_mul(size + 4)?;
    let mut bits = u32::try_from(lost).ok()?.checked_add(precision.bits())?.checked_add(64)?;
    let mut best = None;
    for _ in 0..5 {
        // About ten products and quotients in each of the k² steps.
        if bits > 1 << 16 || budget.spend(u64::from(k * k + 20) * 20 * product(bits)).is_none() {
            break;
        }
        if let Some(enclosure) = attempt(scale, shift, k, epsilon, bits) {
            let narrow = is_narrow(&enclosure, precision);
            best = Some(Answer { enclosure, method: Method::ClosedForm, is_narrow: narrow });
            if narrow {
                break;
            }
        }
        bits = bits.saturating_mul(2);
    }
    best
}

fn attempt(scale: &Positive, shift: &BigUint, k: u32, epsilon: &Epsilon<'_>, bits: u32) -> Option<Enclosure> {
    let working = Working::new(bits);
    let fine = bits.saturating_add(64);
    let one = Enclosure::from_integer(1, bits);
    let delta = BigInt::from(shift.clone());
    let total = &delta * BigInt::from(k);
    let epsilon = epsilon(fine)?;
    // M = ⌊(kΔ − εs)/2⌋ from above: one whose loss is at ε, or seems so, may be among them.
    let reach = (Rational::from_integer(total.clone()) - epsilon.lower() * scale.get()) / BigInt::from(2);
    let last = reach.floor().to_integer();
    if last.is_negative() {
        return Some(Enclosure::from_integer(0, 0));
    }
    // At the last n the loss may be below ε by as much as this, and 1 − e^(ε−loss) is not to be counted as
    // negative.
    let loss = Rational::from_integer(&total - &last * 2) / scale.get();
    let below = (epsilon.upper() - loss).max(Rational::zero());
    let slack = Enclosure::from_bounds(&Rational::zero(), &(below * BigInt::from(2)), fine)?;
    let rate = scale.get().recip();
    let power = |n: &BigInt| {
        let exponent = Enclosure::from_rational(&(-(&rate * n)), fine);
        working.exp(&exponent)?.fixed(bits)
    };
    let q = power(&BigInt::one())?;
    let rise = one.sub(&q);
    // e^(ε − kΔ/s)·q^-M = e^(ε − (kΔ − M)/s).
    let weight = epsilon.sub(&Enclosure::from_rational(&(&rate * (&total - &last)), fine));
    let weight = working.exp(&weight)?.fixed(bits)?;
    let mut sum = Enclosure::from_integer(0, bits);
    for a in 0..=k {
        let start = &last - &delta * BigInt::from(a);
        if start.is_negative() {
            break;
        }
        let (mut r, mut binomial) = (start.clone(), BigInt::one());
        // S_k, T_k and C(R+k−1, k−1) at R = M − aΔ.
        let (at_r, mut below_q) = (power(&r)?, power(&(&delta * BigInt::from(a)))?);
        let after = at_r.mul(&q);
        let (mut s, mut t) = (one.clone(), at_r);
        for order in 1..=k {
            if order > 1 {
                // C(R+r−1, r−1) from C(R+r−2, r−2).
                binomial = binomial * (&r + BigInt::from(order - 1)) / BigInt::from(order - 1);
            }
            let whole = Enclosure::from_integer(binomial.clone(), 0);
            s = s.sub(&after.mul(&whole)).div(&rise)?.at_precision(bits);
            t = Enclosure::from_integer(binomial.clone(), bits).sub(&q.mul(&t)).div(&rise)?.at_precision(bits);
        }
        let mut at_r = power(&r)?;
        for coefficient in coefficients(a, k, &q, &one)? {
            let term = below_q.mul(&s).sub(&weight.mul(&t));
            sum = sum.add(&coefficient.mul(&term)).at_precision(bits);
            // From R to R − 1.
            let whole = Enclosure::from_integer(binomial.clone(), 0);
            s = s.sub(&at_r.mul(&whole));
            t = t.sub(&whole).div(&q)?.at_precision(bits);
            at_r = at_r.div(&q)?.at_precision(bits);
            below_q = below_q.mul(&q);
            if r.is_zero() {
                break;
            }
            // C(R+k−2, k−1) = C(R+k−1, k−1)·R/(R+k−1).
            binomial = binomial * &r / (&r + BigInt::from(k - 1));
            r -= 1;
        }
    }
    let whole = Scaled::from_enclosure(&one.add(&q), bits).pow(k.into());
    let value = sum.add(&slack.mul(&one)).max_zero();
    let delta = Scaled::from_enclosure(&value, bits).div(&whole)?.exact()?;
    delta.intersection(&Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0)))
}

/// d_ab for b = 0, …, k: the coefficients of C(k,a)·(1−qu)^(k−a)·(q−u)^a.
fn coefficients(a: u32, k: u32, q: &Enclosure, one: &Enclosure) -> Option<Vec<Enclosure>> {
    let mut polynomial = Vec::from([one.clone()]);
    let mut choose = BigInt::one();
    for factor in 0..k {
        // (constant, slope) of the next factor.
        let (constant, slope) = if factor < a { (q.clone(), one.neg()) } else { (one.clone(), q.neg()) };
        let zero = Enclosure::from_integer(0, one.precision());
        let mut next = Vec::with_capacity(polynomial.len() + 1);
        let mut before = &zero;
        for coefficient in polynomial.iter().chain([&zero]) {
            next.push(coefficient.mul(&constant).add(&before.mul(&slope)));
            before = coefficient;
        }
        polynomial = next;
        if factor < a {
            choose = choose * BigInt::from(k - factor) / BigInt::from(factor + 1);
        }
    }
    let choose = Enclosure::from_integer(choose, 0);
    Some(polynomial.iter().map(|coefficient| coefficient.mul(&choose)).collect())
}
