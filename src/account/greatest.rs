//! The greatest loss of a plan: its pure ε, where it has one.

use num_traits::{One, Zero};

use super::{AccountError, Direction, lattice};
use crate::{
    exact::{Enclosure, Rational, Scaled, Working},
    guarantee::{Pair, Weight},
};

/// The least upper bound of a loss.
pub(super) enum Greatest {
    Finite(Enclosure),
    Infinite,
}

impl Greatest {
    pub(super) fn finite(self) -> Option<Enclosure> {
        match self {
            Self::Finite(loss) => Some(loss),
            Self::Infinite => None,
        }
    }
}

/// The greatest loss of a direction, to about so many digits after the point, or relative to itself.
pub(super) fn loss(direction: &Direction, bits: u32) -> Result<Greatest, AccountError> {
    // Where all of it is on lattices a rational one is exact.
    if let Some(greatest) = lattice::greatest_loss(direction, bits) {
        return Ok(Greatest::Finite(greatest));
    }
    let mut sum = Enclosure::from_integer(0, 0);
    for (pairs, copies) in direction {
        let mut most: Option<Enclosure> = None;
        for pair in pairs {
            let Greatest::Finite(loss) = of_pair(pair, bits.saturating_add(64)).ok_or(AccountError::OutOfReach)? else {
                return Ok(Greatest::Infinite);
            };
            most = Some(match most {
                Some(most) if most.lower() >= loss.upper() => most,
                Some(most) if loss.lower() >= most.upper() => loss,
                Some(most) => {
                    let (lower, upper) = (most.lower().max(loss.lower()), most.upper().max(loss.upper()));
                    Enclosure::from_bounds(&lower, &upper, most.precision().max(loss.precision()))
                        .unwrap_or_else(|| most.hull(&loss))
                }
                None => loss,
            });
        }
        let most = most.ok_or(AccountError::Empty)?;
        sum = sum.add(&most.mul(&Enclosure::from_integer(*copies, 0)));
    }
    Ok(Greatest::Finite(sum))
}

/// Whether ε is certainly at least every loss of a direction, none of which is infinite.
pub(super) fn is_at_most(direction: &Direction, epsilon: &Rational) -> bool {
    match lattice::is_at_most(direction, epsilon) {
        Some(is) => is,
        None => matches!(loss(direction, 64), Ok(Greatest::Finite(greatest)) if greatest.upper() <= *epsilon),
    }
}

/// With g the greatest loss of (P, Q), that of ((1−r)Q + rP, Q) is ln(1 − r + r·e^g) = g + ln(r + (1−r)·e^-g); with g′ that of (Q, P), that of the
/// reverse is −ln(1 − r + r·e^-g′), e^-∞ being 0. `None` if it is not known.
fn of_pair(pair: &Pair, bits: u32) -> Option<Greatest> {
    let Pair::Subsampled { rate, of, reversed } = pair else {
        return Some(match lattice::greatest_loss_of(pair, bits)? {
            Some(loss) => Greatest::Finite(loss),
            None => Greatest::Infinite,
        });
    };
    let rate = rate.get();
    let miss = Rational::one() - rate;
    // Digits that a small rate takes.
    let small = u32::try_from(rate.denom().bits()).ok()?.checked_mul(2)?;
    let working = Working::new(bits.checked_add(small)?);
    let inner = of_pair(&if *reversed { of.reversed() } else { of.as_ref().clone() }, working.bits())?;
    let power = match &inner {
        Greatest::Finite(loss) => working.exp(&loss.neg())?.fixed(working.bits())?,
        Greatest::Infinite => Enclosure::from_integer(0, 0),
    };
    let ln = |value: Enclosure| working.ln(&Scaled::from_enclosure(&value, working.bits()));
    Some(match inner {
        _ if *reversed => {
            Greatest::Finite(ln(Enclosure::from_rational(&miss, working.bits()).add(&power.mul_rational(rate)))?.neg())
        }
        Greatest::Finite(loss) => {
            let mixed = Enclosure::from_rational(rate, working.bits()).add(&power.mul_rational(&miss));
            Greatest::Finite(loss.add(&ln(mixed)?))
        }
        Greatest::Infinite => Greatest::Infinite,
    })
}

/// The probability of an infinite loss, exactly, where it is rational and short: 1 − Π(1 − p)^k.
pub(super) fn infinite_mass(direction: &Direction) -> Option<Rational> {
    let mut finite = Rational::one();
    for (pairs, copies) in direction {
        let mut most = Rational::zero();
        for pair in pairs {
            most = most.max(of_infinite(pair)?);
        }
        let rest = Rational::one() - most;
        let power = i32::try_from(*copies).ok()?;
        if !rest.is_one() && rest.denom().bits().checked_mul(*copies)? > 1 << 14 {
            return None;
        }
        finite *= rest.pow(power);
    }
    Some(Rational::one() - finite)
}

fn of_infinite(pair: &Pair) -> Option<Rational> {
    match pair {
        Pair::Laplace { .. } | Pair::Gaussian { .. } => Some(Rational::zero()),
        Pair::Finite(finite) => {
            let mut sums = (Rational::zero(), Rational::zero());
            for (p, q) in finite.outcomes() {
                let Weight { factor, exponent } = p;
                if !exponent.get().is_zero() && !p.is_zero() {
                    return None;
                }
                sums.1 += factor.get();
                if q.is_zero() {
                    sums.0 += factor.get();
                }
            }
            Some(sums.0 / sums.1)
        }
        Pair::Subsampled { rate, of, reversed: false } => Some(of_infinite(of)? * rate.get()),
        // Rate 1 is no subsampling, and is not written so.
        Pair::Subsampled { reversed: true, .. } => Some(Rational::zero()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{Plan, domination},
        exact::parse,
    };
    use alloc::vec::Vec;

    fn directions(spec: &str) -> Vec<Direction> {
        super::super::directions(&Plan::new().with(&domination(&spec.parse().unwrap()).unwrap(), 1))
    }

    /// mpmath: ln(0.9 + 0.1·e) and −ln(0.9 + 0.1/e), −ln(0.9).
    #[test]
    fn subsampled_losses() {
        let known = |spec: &str, direction: usize, text: &str| {
            let found = loss(&directions(spec)[direction], 80).unwrap().finite().unwrap();
            let known = parse(text).unwrap();
            let unit = parse("1e-18").unwrap();
            assert!(found.lower() <= &known + &unit && found.upper() >= known - unit, "{spec}: {found}");
            assert!(found.width() < parse("1e-18").unwrap());
        };
        known("subsampled_laplace(scale=1,rate=0.1)", 0, "0.1585650787404291110009521");
        known("subsampled_laplace(scale=1,rate=0.1)", 1, "0.0652983359988336953631635");
        known("subsampled_gaussian(sigma=1,rate=0.1)", 1, "0.105360515657826301227501");
        assert!(loss(&directions("subsampled_gaussian(sigma=1,rate=0.1)")[0], 80).unwrap().finite().is_none());
    }
}
