//! Arithmetic on enclosures: integer arithmetic followed by a shift or a division, rounded down for the lower
//! bound and up for the upper one.
//!
//! The rule of each operation, which its comment argues: *if x is in the first operand and y in the second,
//! the exact x ∘ y is in the result.*

use core::{
    iter::Sum,
    ops::{Add, Mul, Sub},
};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::super::Rational;
use super::{Enclosure, aligned, div_ceil, div_floor, shift_ceil, shift_floor};

impl Enclosure {
    /// `{x + y}`; exact, nothing is rounded.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let (a, b) = aligned(self, other);
        let (lower, upper) = sum([a.lower, a.upper], [b.lower, b.upper]);
        Self { lower, upper, precision: a.precision }
    }

    /// `{x − y}`, `x` and `y` independent; exact, nothing is rounded.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        let (a, b) = aligned(self, other);
        let (lower, upper) = difference([a.lower, a.upper], [b.lower, b.upper]);
        Self { lower, upper, precision: a.precision }
    }

    /// `{−x}`; exact.
    #[must_use]
    pub fn neg(&self) -> Self {
        Self { lower: -&self.upper, upper: -&self.lower, precision: self.precision }
    }

    /// `{x · y}`, `x` and `y` independent, rounded outward to the larger precision.
    ///
    /// ```
    /// use certus::exact::Enclosure;
    ///
    /// let x = Enclosure::from_integer(-2, 0).hull(&Enclosure::from_integer(3, 0));
    /// assert_eq!(x.mul(&x).to_string(), "[-6, 9]");
    /// ```
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        let (lower, upper) = product([&self.lower, &self.upper], [&other.lower, &other.upper]);
        // The products are over 2^(p + q) = 2^(max + min): dropping min bits answers at max.
        let dropped = self.precision.min(other.precision);
        Self {
            lower: shift_floor(&lower, dropped),
            upper: shift_ceil(&upper, dropped),
            precision: self.precision.max(other.precision),
        }
    }

    /// `{x²}`, rounded outward: narrower than `mul` with itself where zero is inside.
    ///
    /// ```
    /// use certus::exact::Enclosure;
    ///
    /// let x = Enclosure::from_integer(-2, 0).hull(&Enclosure::from_integer(3, 0));
    /// assert_eq!(x.square().to_string(), "[0, 9]");
    /// ```
    #[must_use]
    pub fn square(&self) -> Self {
        let (lower, upper) = square([&self.lower, &self.upper]);
        Self {
            lower: shift_floor(&lower, self.precision),
            upper: shift_ceil(&upper, self.precision),
            precision: self.precision,
        }
    }

    /// `{x / y}`, rounded outward to the larger precision; `None` if the divisor contains zero.
    ///
    /// ```
    /// use certus::exact::Enclosure;
    ///
    /// let (one, four) = (Enclosure::from_integer(1, 8), Enclosure::from_integer(4, 8));
    /// assert_eq!(one.div(&four).map(|quarter| quarter.mul(&four)), Some(one.clone()));
    /// assert_eq!(one.div(&four.sub(&four)), None);
    /// ```
    #[must_use]
    pub fn div(&self, divisor: &Self) -> Option<Self> {
        let (mut x, mut y) = aligned(self, divisor);
        if y.upper.is_negative() {
            (x, y) = (x.neg(), y.neg());
        }
        if !y.lower.is_positive() {
            return None;
        }
        // Now y > 0. Both operands are over 2^p, so x/y · 2^p = (x · 2^p) / y on their integers.
        let scaled = [&x.lower << x.precision, &x.upper << x.precision];
        let (lower, upper) = quotient([&scaled[0], &scaled[1]], [&y.lower, &y.upper]);
        Some(Self { lower, upper, precision: x.precision })
    }

    /// `{x · factor}`, rounded outward to this precision once, for a factor over a positive denominator.
    #[must_use]
    pub(crate) fn mul_rational(&self, factor: &Rational) -> Self {
        let (lower, upper) = multiple([&self.lower, &self.upper], factor.numer(), factor.denom());
        Self { lower, upper, precision: self.precision }
    }

    /// `{max(x, 0)}`; exact.
    #[must_use]
    pub fn max_zero(&self) -> Self {
        // max(·, 0) is monotone, so it acts on each bound and keeps their order.
        let zero = BigInt::zero();
        Self {
            lower: self.lower.clone().max(zero.clone()),
            upper: self.upper.clone().max(zero),
            precision: self.precision,
        }
    }
}

/// The least and the greatest sum of a number of `x` and one of `y`.
fn sum<T: Add<Output = T>>([a, b]: [T; 2], [c, d]: [T; 2]) -> (T, T) {
    (a + c, b + d)
}

/// The least and the greatest difference: x − y is least at the least x and the greatest y.
fn difference<T: Sub<Output = T>>([a, b]: [T; 2], [c, d]: [T; 2]) -> (T, T) {
    (a - d, b - c)
}

/// The least multiple of a number of `x` by numerator/denominator, rounded down, and the greatest, rounded
/// up; the denominator is positive.
fn multiple<T: Signed + Integer>([lower, upper]: [&T; 2], numerator: &T, denominator: &T) -> (T, T)
where
    for<'t> &'t T: Mul<Output = T>,
{
    let (at_lower, at_upper) = (lower * numerator, upper * numerator);
    // A negative factor turns the interval round.
    let (lower, upper) = if numerator.is_negative() { (at_upper, at_lower) } else { (at_lower, at_upper) };
    (div_floor(&lower, denominator), div_ceil(&upper, denominator))
}

/// The least and the greatest product of a number of `x` and one of `y`.
fn product<T: Signed + Ord + Clone>(x: [&T; 2], y: [&T; 2]) -> (T, T)
where
    for<'t> &'t T: Mul<Output = T>,
{
    let ([a, b], [c, d]) = (x, y);
    if !a.is_negative() && !c.is_negative() {
        // Both are non-negative: the product rises in each factor.
        return (a * c, b * d);
    }
    // x · y is linear in each factor, so its extremes over the box are at corners.
    let corner = a * c;
    [a * d, b * c, b * d].into_iter().fold((corner.clone(), corner), |(lower, upper), corner| {
        if corner < lower {
            (corner, upper)
        } else if corner > upper {
            (lower, corner)
        } else {
            (lower, upper)
        }
    })
}

/// The least and the greatest square of a number of `x`.
fn square<T: Signed + Ord>([lower, upper]: [&T; 2]) -> (T, T)
where
    for<'t> &'t T: Mul<Output = T>,
{
    let (at_lower, at_upper) = (lower * lower, upper * upper);
    // x² falls up to zero and rises from there.
    if !lower.is_negative() {
        (at_lower, at_upper)
    } else if !upper.is_positive() {
        (at_upper, at_lower)
    } else {
        (T::zero(), at_lower.max(at_upper))
    }
}

/// The least quotient of a number of `x` by one of `y` > 0, rounded down, and the greatest, rounded up.
///
/// The quotient rises in x, so the least is at the least x; there it falls in y if x ≥ 0 (divide by the
/// greatest y) and rises if x < 0 (by the least). The greatest is the mirror image.
fn quotient<T: Signed + Integer>(x: [&T; 2], y: [&T; 2]) -> (T, T) {
    let ([lower, upper], [least, greatest]) = (x, y);
    let least_by = if lower.is_negative() { least } else { greatest };
    let greatest_by = if upper.is_negative() { greatest } else { least };
    (lower.div_floor(least_by), upper.div_ceil(greatest_by))
}

impl<'a> Sum<&'a Enclosure> for Enclosure {
    /// `{Σ x}`; exact. The empty sum is the point 0.
    fn sum<I: Iterator<Item = &'a Enclosure>>(terms: I) -> Self {
        terms.fold(Self::from_integer(0, 0), |total, term| total.add(term))
    }
}

impl Sum for Enclosure {
    /// `{Σ x}`; exact. The empty sum is the point 0.
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::from_integer(0, 0), |total, term| total.add(&term))
    }
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/exact/enclosure/arithmetic.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::super::tests::{assert_tight, member, rational};
    use super::*;

    /// The least and the greatest of a function at the four corners.
    fn corners(a: &Enclosure, b: &Enclosure, f: impl Fn(Rational, Rational) -> Rational) -> (Rational, Rational) {
        let at: Vec<_> =
            [(a.lower(), b.lower()), (a.lower(), b.upper()), (a.upper(), b.lower()), (a.upper(), b.upper())]
                .into_iter()
                .map(|(x, y)| f(x, y))
                .collect();
        (at.iter().min().unwrap().clone(), at.iter().max().unwrap().clone())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn sums_and_differences_are_exact((a, x) in member(), (b, y) in member()) {
            let (sum, difference) = (a.add(&b), a.sub(&b));
            prop_assert!(sum.contains(&(&x + &y)));
            prop_assert!(difference.contains(&(&x - &y)));
            prop_assert_eq!(sum.width(), a.width() + b.width());
            prop_assert_eq!(difference.width(), a.width() + b.width());
            prop_assert_eq!(sum.precision(), a.precision().max(b.precision()));
            prop_assert!(a.neg().contains(&-x));
            prop_assert_eq!(&a.neg().neg(), &a);
            prop_assert_eq!([&a, &b, &difference].into_iter().sum::<Enclosure>(), sum.add(&difference));
            prop_assert_eq!([a, b, difference.clone()].into_iter().sum::<Enclosure>(), sum.add(&difference));
        }

        #[test]
        fn products_contain_and_are_tight((a, x) in member(), (b, y) in member()) {
            let product = a.mul(&b);
            prop_assert!(product.contains(&(x * y)));
            prop_assert_eq!(product.precision(), a.precision().max(b.precision()));
            let (lower, upper) = corners(&a, &b, |x, y| x * y);
            assert_tight(&product, &lower, &upper);
        }

        #[test]
        fn quotients_contain_and_are_tight((a, x) in member(), (b, y) in member()) {
            match a.div(&b) {
                Some(quotient) => {
                    prop_assert!(quotient.contains(&(x / y)));
                    let (lower, upper) = corners(&a, &b, |x, y| x / y);
                    assert_tight(&quotient, &lower, &upper);
                }
                None => prop_assert!(b.contains(&Rational::zero())),
            }
        }

        #[test]
        fn squares_contain_and_are_tight((a, x) in member()) {
            let square = a.square();
            prop_assert!(square.contains(&(&x * &x)));
            let (_, upper) = corners(&a, &a, |x, y| x * y);
            let lower = if a.contains(&Rational::zero()) {
                Rational::zero()
            } else {
                (a.lower() * a.lower()).min(a.upper() * a.upper())
            };
            assert_tight(&square, &lower, &upper);
        }

        #[test]
        fn rational_multiples_contain_and_are_tight((a, x) in member(), factor in rational()) {
            let multiple = a.mul_rational(&factor);
            prop_assert!(multiple.contains(&(&x * &factor)));
            let ends = [a.lower() * &factor, a.upper() * &factor];
            assert_tight(&multiple, ends.iter().min().unwrap(), ends.iter().max().unwrap());
        }

        #[test]
        fn positive_parts_are_exact((a, x) in member()) {
            let zero = Rational::zero();
            let image = a.max_zero();
            prop_assert!(image.contains(&x.max(zero.clone())));
            prop_assert_eq!((image.lower(), image.upper()), (a.lower().max(zero.clone()), a.upper().max(zero)));
        }
    }

    #[test]
    fn the_empty_sum_is_zero() {
        assert_eq!(core::iter::empty::<Enclosure>().sum::<Enclosure>(), Enclosure::from_integer(0, 9));
    }
}
