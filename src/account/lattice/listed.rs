//! The total of a few losses, listed value by value under a tilt.

use alloc::vec::Vec;

use num_traits::{One, Zero};

use super::{
    factor::{Factor, Kind},
    tilted::Tilted,
};
use crate::exact::{Enclosure, Rational, Working};

/// The most values that are listed.
const MOST_VALUES: usize = 4096;

/// The values ℓ of Σ losses with their probabilities P_θ(ℓ), all but a share of them, and a bound on that share; `None` if there are too many.
pub(super) fn values(
    factors: &[&Factor],
    theta: &Rational,
    working: &Working,
) -> Option<(Vec<(Enclosure, Enclosure)>, Enclosure)> {
    let bits = working.bits();
    let mut values = Vec::from([(Enclosure::from_integer(0, 0), Enclosure::from_integer(1, bits))]);
    for factor in factors {
        let (first, shares) = shares(factor, theta, working)?;
        let copies = Enclosure::from_integer(factor.copies, 0);
        let base = factor.base(working)?.mul(&copies);
        let step = factor.step.enclose(bits.saturating_add(64));
        if values.len().saturating_mul(shares.len()) > MOST_VALUES {
            return None;
        }
        let mut next = Vec::with_capacity(values.len() * shares.len());
        for (loss, weight) in &values {
            for (offset, share) in shares.iter().enumerate() {
                let y = Enclosure::from_integer(first.checked_add(u64::try_from(offset).ok()?)?, 0);
                next.push((loss.add(&base).add(&step.mul(&y)), weight.mul(share)));
            }
        }
        values = next;
    }
    let listed: Enclosure = values.iter().map(|(_, weight)| weight.clone()).sum();
    let zero = Enclosure::from_integer(0, 0);
    let left_out = Enclosure::from_integer(1, bits).sub(&listed).max_zero().hull(&zero);
    values.retain(|(_, weight)| !weight.upper().is_zero());
    Some((values, left_out))
}

/// P_θ(ΣY = first + i) for the copies of a factor, by repeated squaring; ends below 2^-bits are cut off.
fn shares(factor: &Factor, theta: &Rational, working: &Working) -> Option<(u64, Vec<Enclosure>)> {
    let tilted = Tilted::new(factor, theta, working)?;
    let one = match &factor.kind {
        Kind::Finite { atoms, .. } => {
            let mut one = Vec::new();
            for ((y, _), weight) in atoms.iter().zip(tilted.weights()?) {
                let place = usize::try_from(*y).ok().filter(|place| *place < MOST_VALUES)?;
                one.resize(place, Enclosure::from_integer(0, working.bits()));
                one.push(weight);
            }
            one
        }
        Kind::Laplace { shift, .. } if *shift < MOST_VALUES.into() => tilted.atoms(working)?,
        _ => return None,
    };
    let mut power = (0_u64, one);
    let mut result = (0_u64, Vec::from([Enclosure::from_integer(1, working.bits())]));
    let mut n = factor.copies;
    loop {
        if n & 1 == 1 {
            result = product(&result, &power, working)?;
        }
        n >>= 1;
        if n == 0 {
            return Some(result);
        }
        power = product(&power, &power, working)?;
    }
}

type Law = (u64, Vec<Enclosure>);

fn product(a: &Law, b: &Law, working: &Working) -> Option<Law> {
    if a.1.len() + b.1.len() > 2 * MOST_VALUES {
        return None;
    }
    let bits = working.bits();
    let mut sums = Vec::new();
    sums.resize((a.1.len() + b.1.len()).saturating_sub(1), Enclosure::from_integer(0, bits));
    for (i, x) in a.1.iter().enumerate() {
        for (sum, y) in sums.iter_mut().skip(i).zip(&b.1) {
            *sum = sum.add(&x.mul(y));
        }
    }
    // Cut where nothing of the wanted digits is left: what is lost is seen in the end, as 1 less what is listed.
    let negligible = Rational::new(num_bigint::BigInt::one(), num_bigint::BigInt::one() << (bits - bits / 8));
    let start = sums.iter().position(|sum| sum.upper() > negligible).unwrap_or(0);
    let end = sums.iter().rposition(|sum| sum.upper() > negligible).map_or(sums.len(), |last| last + 1);
    let kept: Vec<Enclosure> = sums.into_iter().take(end).skip(start).collect();
    Some((a.0.checked_add(b.0)?.checked_add(u64::try_from(start).ok()?)?, kept))
}
