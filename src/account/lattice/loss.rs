//! Privacy losses as exact numbers ln(ratio) + rest, and the lattice that they span.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::exact::{Enclosure, Positive, Rational, ln};

/// The number ln(ratio) + rest, ratio > 0 (Invariant #1).
///
/// It is 0 only if ratio = 1 and rest = 0: the logarithm of a rational other than 1 is irrational
/// (Hermite–Lindemann: e^r is transcendental for rational r ≠ 0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    ratio: Rational,
    rest: Rational,
}

/// The most binary digits of a ratio that Euclid's algorithm works on.
const LONGEST_RATIO: u64 = 1 << 14;

/// Digits at which a sign is given up.
const FINEST: u32 = 1 << 13;

impl Loss {
    pub(super) fn zero() -> Self {
        Self { ratio: Rational::one(), rest: Rational::zero() }
    }

    pub(super) fn rational(rest: Rational) -> Self {
        Self { ratio: Rational::one(), rest }
    }

    /// ln(ratio) + rest; `None` unless the ratio is positive.
    pub(super) fn new(ratio: Rational, rest: Rational) -> Option<Self> {
        ratio.is_positive().then_some(Self { ratio, rest })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.ratio.is_one() && self.rest.is_zero()
    }

    /// The loss itself, where it is rational.
    pub(super) fn as_rational(&self) -> Option<&Rational> {
        self.ratio.is_one().then_some(&self.rest)
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        Self { ratio: &self.ratio / &other.ratio, rest: &self.rest - &other.rest }
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        Self { ratio: &self.ratio * &other.ratio, rest: &self.rest + &other.rest }
    }

    /// Binary digits of the ratio: of the longer of its numerator and denominator, in lowest terms.
    ///
    /// The ratio of n losses is the nth power, in lowest terms too; so with L digits of the one it has from
    /// n·(L − 1) + 1 to n·L.
    fn length(&self) -> u64 {
        self.ratio.numer().bits().max(self.ratio.denom().bits())
    }

    /// n times; `None` where the ratio would be too long.
    pub(super) fn times(&self, n: &BigInt) -> Option<Self> {
        if self.ratio.is_one() {
            return Some(Self::rational(&self.rest * n));
        }
        let power = n.to_i32()?;
        if self.length().checked_mul(power.unsigned_abs().into())? > LONGEST_RATIO {
            return None;
        }
        Some(Self { ratio: self.ratio.pow(power), rest: &self.rest * n })
    }

    /// Encloses the loss with a width of at most 2^-bits or so.
    pub(super) fn enclose(&self, bits: u32) -> Enclosure {
        let rest = Enclosure::from_rational(&self.rest, bits.saturating_add(2));
        match Positive::new(self.ratio.clone()) {
            Ok(ratio) if !self.ratio.is_one() => ln(&ratio, bits.saturating_add(2)).add(&rest),
            _ => rest,
        }
    }

    /// −1, 0 or 1; `None` if 2^13 digits do not tell.
    pub(super) fn sign(&self) -> Option<i32> {
        let of = |x: &Rational| i32::from(x.is_positive()) - i32::from(x.is_negative());
        if self.ratio.is_one() {
            return Some(of(&self.rest));
        }
        let mut bits = 64;
        while bits <= FINEST {
            let enclosed = self.enclose(bits);
            let (lower, upper) = (of(&enclosed.lower()), of(&enclosed.upper()));
            if lower == upper && lower != 0 {
                return Some(lower);
            }
            bits *= 2;
        }
        None
    }

    /// The integer self/unit; `None` if it is none, or too long to verify.
    pub(super) fn over(&self, unit: &Self) -> Option<BigInt> {
        if self.is_zero() {
            return Some(BigInt::zero());
        }
        if let (Some(a), Some(b)) = (self.as_rational(), unit.as_rational()) {
            let quotient = a / b;
            return quotient.is_integer().then(|| quotient.to_integer());
        }
        let quotient = self.enclose(192).div(&unit.enclose(192))?;
        let nearest = quotient.lower().round().to_integer();
        // A power that is too long for it is not taken.
        if BigInt::from(nearest.magnitude() * (unit.length() - 1)) >= self.length().into() {
            return None;
        }
        (unit.times(&nearest)? == *self).then_some(nearest)
    }

    /// The greatest number of which both are integer multiples, by Euclid's algorithm; `None` if there is
    /// none, or none is found soon.
    ///
    /// If there is one, g, all that the algorithm meets are multiples n·g with |n| falling, and the length of
    /// their ratios does not rise. So where a remainder's is longer than the divisor's there is none: most
    /// pairs of logarithms are told apart by the first step.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        let absolute = |loss: &Self| Some(if loss.sign()? < 0 { Self::zero().sub(loss) } else { loss.clone() });
        let (mut a, mut b) = (absolute(self)?, absolute(other)?);
        if let (Some(x), Some(y)) = (a.as_rational(), b.as_rational()) {
            // gcd(p/q, r/s) = gcd(p·s, r·q)/(q·s).
            let numerator = (x.numer() * y.denom()).gcd(&(y.numer() * x.denom()));
            return Some(Self::rational(Rational::new(numerator, x.denom() * y.denom())));
        }
        for _ in 0..48 {
            if a.over(&b).is_some() {
                return Some(b);
            }
            let quotient = a.enclose(256).div(&b.enclose(256))?.lower().floor().to_integer();
            // It is no integer, and so many digits tell it from one; if they did not, the remainder would be
            // b or more: a step more.
            let rest = a.sub(&b.times(&quotient)?);
            if rest.length() > b.length() {
                return None;
            }
            (a, b) = (b, rest);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    fn log(n: i64, d: i64) -> Loss {
        Loss::new(rational(n, d), Rational::zero()).unwrap()
    }

    #[test]
    fn lattices() {
        assert_eq!(log(9, 1).common(&log(27, 1)), Some(log(3, 1)));
        assert_eq!(log(9, 4).common(&log(8, 27)).unwrap().sign(), Some(1));
        assert_eq!(log(9, 4).common(&log(8, 27)), Some(log(3, 2)));
        assert_eq!(log(3, 1).common(&log(2, 1)), None);
        assert_eq!(
            Loss::rational(rational(1, 6)).common(&Loss::rational(rational(-1, 4))),
            Some(Loss::rational(rational(1, 12)))
        );
        assert_eq!(log(3, 1).common(&Loss::rational(rational(1, 2))), None);
        // Fibonacci multiples of one long loss: as many steps as there can be, and no remainder is longer
        // than what it is of.
        let long = Loss::new(rational(1_000_003, 999_983), rational(1, 7)).unwrap();
        let (a, b) = (long.times(&377.into()).unwrap(), long.times(&610.into()).unwrap());
        assert_eq!((a.common(&b), b.common(&a)), (Some(long.clone()), Some(long)));
        let mixed = Loss::new(rational(3, 1), rational(1, 2)).unwrap();
        assert_eq!(mixed.times(&6.into()).unwrap().common(&mixed.times(&(-4).into()).unwrap()), mixed.times(&2.into()));
        assert_eq!(log(1, 1024).over(&log(2, 1)), Some((-10).into()));
        assert_eq!(log(1025, 1).over(&log(2, 1)), None);
        assert_eq!(Loss::rational(rational(7, 3)).over(&Loss::rational(rational(1, 3))), Some(7.into()));
    }

    #[test]
    fn signs() {
        assert_eq!(log(3, 2).sign(), Some(1));
        assert_eq!(log(2, 3).sign(), Some(-1));
        assert_eq!(Loss::zero().sign(), Some(0));
        // ln 3 = 1.09861228866810969139…
        assert_eq!(
            Loss::new(rational(3, 1), rational(-109_861_228_866_810_969, 100_000_000_000_000_000)).unwrap().sign(),
            Some(1)
        );
        assert_eq!(
            Loss::new(rational(3, 1), rational(-109_861_228_866_810_970, 100_000_000_000_000_000)).unwrap().sign(),
            Some(-1)
        );
    }
}
