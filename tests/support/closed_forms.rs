//! Closed forms that the library has no need of, and the way from a closed form to a float.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use certus::exact::{Enclosure, Integer, NonNegative, Pmf, Positive, Probability, Rational, exp_neg, parse};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// How far below the point an enclosure goes, in bits.
pub const PRECISION: u32 = 128;

pub fn rational(text: &str) -> Rational {
    parse(text).unwrap()
}

pub fn positive(text: &str) -> Positive {
    Positive::new(rational(text)).unwrap()
}

pub fn non_negative(text: &str) -> NonNegative {
    NonNegative::new(rational(text)).unwrap()
}

pub fn probability(text: &str) -> Probability {
    Probability::new(rational(text)).unwrap()
}

/// The nearest float, but for an error of 2^-256.
pub fn to_f64(value: &Rational) -> f64 {
    let scaled: BigInt = (value.numer() << 256u32) / value.denom();
    scaled.to_f64().unwrap() * 2f64.powi(-256)
}

/// The middle of an enclosure, as a float.
pub fn middle(enclosure: &Enclosure) -> f64 {
    (to_f64(&enclosure.lower()) + to_f64(&enclosure.upper())) / 2.0
}

/// P(k) = (1 − q)·q^k for k ≥ 0, q = e^(-1/s).
pub struct GeometricPmf(pub Positive);

impl Pmf<Integer> for GeometricPmf {
    fn probability(&self, value: &Integer) -> Enclosure {
        if *value < Integer::ZERO {
            return Enclosure::from_integer(0, 0);
        }
        let over_scale =
            |k: BigInt| exp_neg(&NonNegative::new(Rational::from_integer(k) / self.0.get()).unwrap(), PRECISION);
        Enclosure::from_integer(1, 0).sub(&over_scale(1.into())).mul(&over_scale(value.to_big()))
    }
}

/// P(k) = 1/n for 0 ≤ k < n.
pub struct UniformPmf(pub u64);

impl Pmf<Integer> for UniformPmf {
    fn probability(&self, value: &Integer) -> Enclosure {
        let inside = *value >= Integer::ZERO && *value < Integer::from(self.0);
        let share = Rational::new(u8::from(inside).into(), self.0.into());
        Enclosure::enclosing(&share, PRECISION).unwrap()
    }
}

/// P(true) = p.
pub struct CoinPmf(pub Enclosure);

impl CoinPmf {
    pub fn of(p: &Probability) -> Self {
        Self(Enclosure::enclosing(p.get(), PRECISION).unwrap())
    }

    /// P(true) = e^-x.
    pub fn exp(x: &NonNegative) -> Self {
        Self(exp_neg(x, PRECISION))
    }
}

impl Pmf<bool> for CoinPmf {
    fn probability(&self, value: &bool) -> Enclosure {
        if *value { self.0.clone() } else { Enclosure::from_integer(1, 0).sub(&self.0) }
    }
}
