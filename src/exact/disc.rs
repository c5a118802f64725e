//! [`Disc`]: complex numbers, enclosed by discs.

use num_bigint::{BigInt, BigUint};
use num_integer::Roots;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::Enclosure;

/// All z with |z − (re + i·im)| ≤ radius, everything in *ulps* of 2^-precision.
///
/// A rotation of a disc is a disc, where the rotation of a box is wrapped in a box √2 times as wide: a
/// product of many rotations stays narrow. Operands of one operation have the same precision (callers work at
/// one; where they do not, the first one's is taken after rounding the other to it).
///
/// The rule of each operation: *if x is in the first operand and y in the second, the exact x ∘ y is in the
/// result.*
#[derive(Clone, Debug)]
pub(crate) struct Disc {
    re: BigInt,
    im: BigInt,
    radius: BigUint,
    precision: u32,
}

impl Disc {
    pub(super) fn from_parts(re: BigInt, im: BigInt, radius: BigUint, precision: u32) -> Self {
        Self { re, im, radius, precision }
    }

    /// At a coarser precision: each part is rounded down by less than a new ulp.
    pub(super) fn at_precision(&self, precision: u32) -> Self {
        let shift = self.precision.saturating_sub(precision);
        let (re, im) = (&self.re >> shift, &self.im >> shift);
        Self { re, im, radius: (&self.radius >> shift) + 3_u32, precision: self.precision - shift }
    }

    /// A real number: the disc whose diameter is the interval, rounded to ulps.
    pub(crate) fn real(value: &Enclosure, precision: u32) -> Self {
        let value = value.at_precision(precision);
        let (lower, upper) = value.scaled_bounds();
        let re: BigInt = (lower + upper) >> 1_u32;
        // The midpoint was rounded down, so the upper end is the farther one.
        let radius = (upper - &re).magnitude().clone();
        Self { re, im: BigInt::zero(), radius, precision }
    }

    pub(crate) fn zero(precision: u32) -> Self {
        Self { re: BigInt::zero(), im: BigInt::zero(), radius: BigUint::zero(), precision }
    }

    pub(crate) fn one(precision: u32) -> Self {
        Self { re: BigInt::one() << precision, ..Self::zero(precision) }
    }

    /// An upper bound on |re + i·im|, too great by at most one part in 2^28 and two units.
    fn modulus(&self) -> BigUint {
        let shift = self.re.bits().max(self.im.bits()).saturating_sub(30);
        // Each below 2^30 + 1, so the sum of squares is below 2^62.
        let part = |x: &BigInt| (x.magnitude() >> shift).to_u64().unwrap_or(1 << 30) + 1;
        let (a, b) = (part(&self.re), part(&self.im));
        BigUint::from((a * a + b * b).sqrt() + 1) << shift
    }

    /// An upper bound on |z| over the disc, as a real enclosure from 0.
    #[cfg(test)]
    pub(crate) fn modulus_upper(&self) -> Enclosure {
        Enclosure::from_scaled(BigInt::zero(), BigInt::from(self.modulus() + &self.radius), self.precision)
    }

    /// `{x + y}`; exact.
    pub(crate) fn add(&self, other: &Self) -> Self {
        Self {
            re: &self.re + &other.re,
            im: &self.im + &other.im,
            radius: &self.radius + &other.radius,
            precision: self.precision,
        }
    }

    /// `{x − y}`; exact.
    pub(crate) fn sub(&self, other: &Self) -> Self {
        Self {
            re: &self.re - &other.re,
            im: &self.im - &other.im,
            radius: &self.radius + &other.radius,
            precision: self.precision,
        }
    }

    /// The conjugates.
    pub(crate) fn conjugate(mut self) -> Self {
        self.im = -self.im;
        self
    }

    /// i^quarters · x; exact.
    pub(super) fn quarter_turns(self, quarters: u32) -> Self {
        let Self { re, im, radius, precision } = self;
        let (re, im) = match quarters % 4 {
            0 => (re, im),
            1 => (-im, re),
            2 => (-re, -im),
            _ => (im, -re),
        };
        Self { re, im, radius, precision }
    }

    /// `{x · y}`: |xy − ab| ≤ |a|·r_b + |b|·r_a + r_a·r_b for the centres a, b; each part of ab is rounded
    /// down by less than an ulp, so that the centre moves by less than 2.
    pub(crate) fn mul(&self, other: &Self) -> Self {
        let re: BigInt = (&self.re * &other.re - &self.im * &other.im) >> self.precision;
        let im: BigInt = (&self.re * &other.im + &self.im * &other.re) >> self.precision;
        let spread = self.modulus() * &other.radius + (other.modulus() + &other.radius) * &self.radius;
        Self { re, im, radius: (spread >> self.precision) + 3_u32, precision: self.precision }
    }

    /// `{x²}`.
    pub(crate) fn square(&self) -> Self {
        let re: BigInt = (&self.re * &self.re - &self.im * &self.im) >> self.precision;
        let im: BigInt = (&self.re * &self.im) >> (self.precision.saturating_sub(1));
        let spread = (self.modulus() * 2_u32 + &self.radius) * &self.radius;
        Self { re, im, radius: (spread >> self.precision) + 3_u32, precision: self.precision }
    }

    /// `{x · y}` for y real.
    pub(crate) fn mul_real(&self, factor: &Enclosure) -> Self {
        self.mul(&Self::real(factor, self.precision))
    }

    /// `{x^n}`, by squaring.
    pub(crate) fn pow(&self, mut n: u64) -> Self {
        let (mut power, mut result) = (self.clone(), None::<Self>);
        loop {
            if n & 1 == 1 {
                result = Some(result.map_or_else(|| power.clone(), |result| result.mul(&power)));
            }
            n >>= 1;
            if n == 0 {
                return result.unwrap_or_else(|| Self::one(self.precision));
            }
            power = power.square();
        }
    }

    /// `{1 / x}`; `None` if the disc contains 0.
    ///
    /// The centre's inverse is a̅/|a|², each part rounded by less than an ulp; |1/x − 1/a| = |x −
    /// a|/(|x|·|a|) ≤ r/((|a| − r)·|a|).
    pub(crate) fn recip(&self) -> Option<Self> {
        let norm = &self.re * &self.re + &self.im * &self.im;
        // Rounded down.
        let modulus = norm.magnitude().sqrt();
        if modulus <= self.radius || modulus.is_zero() {
            return None;
        }
        let double = 2 * self.precision;
        let re: BigInt = (&self.re << double) / &norm;
        let im: BigInt = -(&self.im << double) / &norm;
        let spread = (&self.radius << double) / (&modulus * (&modulus - &self.radius));
        Some(Self { re, im, radius: spread + 3_u32, precision: self.precision })
    }

    /// The disc widened by a real number's size.
    pub(crate) fn widened(mut self, by: &Enclosure) -> Self {
        let by = by.at_precision(self.precision);
        let (lower, upper) = by.scaled_bounds();
        self.radius += lower.abs().max(upper.abs()).magnitude();
        self
    }

    /// The real parts.
    pub(crate) fn re(&self) -> Enclosure {
        let radius = BigInt::from(self.radius.clone());
        Enclosure::from_scaled(&self.re - &radius, &self.re + &radius, self.precision)
    }

    /// The imaginary parts.
    pub(crate) fn im(&self) -> Enclosure {
        let radius = BigInt::from(self.radius.clone());
        Enclosure::from_scaled(&self.im - &radius, &self.im + &radius, self.precision)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Rational;
    use super::*;

    const PRECISION: u32 = 60;

    /// A complex number as two rationals.
    type Pair = (Rational, Rational);

    fn times((a, b): &Pair, (c, d): &Pair) -> Pair {
        (a * c - b * d, a * d + b * c)
    }

    fn holds(disc: &Disc, (x, y): &Pair) {
        let scale = Rational::from_integer(BigInt::one() << PRECISION);
        let (dx, dy) = (x * &scale - &disc.re, y * &scale - &disc.im);
        let radius = Rational::from_integer(disc.radius.clone().into());
        assert!(&dx * &dx + &dy * &dy <= &radius * &radius, "{disc:?} {x} {y}");
        assert!(disc.re().contains(x) && disc.im().contains(y));
    }

    /// A disc and a point in it.
    fn member() -> impl Strategy<Value = (Disc, Pair)> {
        (any::<i64>(), any::<i64>(), 0_u32..2000, -1000_i64..=1000, -1000_i64..=1000, 0_u32..50).prop_map(
            |(re, im, r, x, y, s)| {
                let (re, im) = (BigInt::from(re >> s), BigInt::from(im >> s));
                let unit = |n: BigInt, step: i64| {
                    // At most radius/√2 away in either part.
                    let away = Rational::new(BigInt::from(step) * r, 1500.into());
                    (Rational::from_integer(n) + away) / (BigInt::one() << PRECISION)
                };
                let point = (unit(re.clone(), x), unit(im.clone(), y));
                (Disc { re, im, radius: r.into(), precision: PRECISION }, point)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn operations_contain((a, x) in member(), (b, y) in member(), n in 0_u64..6) {
            holds(&a, &x);
            holds(&a.add(&b), &(&x.0 + &y.0, &x.1 + &y.1));
            holds(&a.sub(&b), &(&x.0 - &y.0, &x.1 - &y.1));
            holds(&a.mul(&b), &times(&x, &y));
            holds(&a.square(), &times(&x, &x));
            let one = (Rational::one(), Rational::zero());
            holds(&a.pow(n), &(0..n).fold(one, |power, _| times(&power, &x)));
            holds(&a.clone().quarter_turns(3), &times(&x, &(Rational::zero(), -Rational::one())));
            if let Some(inverse) = a.recip() {
                let norm = &x.0 * &x.0 + &x.1 * &x.1;
                holds(&inverse, &(&x.0 / &norm, -&x.1 / &norm));
            }
            let modulus = a.modulus_upper().upper();
            prop_assert!(&x.0 * &x.0 + &x.1 * &x.1 <= &modulus * &modulus);
        }

        #[test]
        fn reals_are_discs(lower in any::<i32>(), width in 0_u32..1000) {
            let low = Rational::new(lower.into(), 7.into());
            let high = &low + Rational::new(width.into(), 3.into());
            let disc = Disc::real(&Enclosure::from_bounds(&low, &high, 70).unwrap(), PRECISION);
            holds(&disc, &(low, Rational::zero()));
            holds(&disc, &(high, Rational::zero()));
        }
    }
}
