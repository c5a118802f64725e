//! [`Enclosure`]: a closed interval with dyadic bounds, proven to contain the real number it stands for.
//!
//! The bounds are integers over one power of two. Here they are built, read, compared and rounded; what adds
//! and multiplies them is in [`arithmetic`].

mod arithmetic;

use core::{
    cmp::Ordering,
    ops::{Neg, Shr},
};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::{Rational, number};

/// The closed interval `[lower, upper] · 2^-precision`, with `lower ≤ upper` (Invariant #1).
///
/// Two enclosures are equal when they are the same set, whatever their precisions. Operations on mixed
/// precisions answer at the larger; all but `mul` first bring the coarser operand there, so a cost is that of
/// the finer operand.
///
/// ```
/// use certus::exact::{Enclosure, Rational};
///
/// let third = Rational::new(1.into(), 3.into());
/// let enclosed = Enclosure::enclosing(&third, 8).expect("a number");
/// assert!(enclosed.contains(&third));
/// assert_eq!(enclosed.lower(), Rational::new(85.into(), 256.into()));
/// assert_eq!(enclosed.upper(), Rational::new(86.into(), 256.into()));
/// ```
#[derive(Clone, Debug)]
pub struct Enclosure {
    lower: BigInt,
    upper: BigInt,
    precision: u32,
}

/// `⌊value / 2^bits⌋`. The right shift of a `BigInt`, as of a machine word, rounds toward −∞, also where the
/// value is negative.
///
/// This and what else is generic here runs on big integers; on machine words it is proven.
fn shift_floor<T>(value: &T, bits: u32) -> T
where
    for<'t> &'t T: Shr<u32, Output = T>,
{
    value >> bits
}

/// `⌈value / 2^bits⌉ = −⌊−value / 2^bits⌋`.
fn shift_ceil<T: Neg<Output = T>>(value: &T, bits: u32) -> T
where
    for<'t> &'t T: Neg<Output = T> + Shr<u32, Output = T>,
{
    -(&-value >> bits)
}

/// `⌊numerator / denominator⌋`, for either sign of either.
fn div_floor<T: Integer>(numerator: &T, denominator: &T) -> T {
    numerator.div_floor(denominator)
}

/// `⌈numerator / denominator⌉`, for either sign of either.
fn div_ceil<T: Integer>(numerator: &T, denominator: &T) -> T {
    numerator.div_ceil(denominator)
}

/// `value · 2^-precision` in lowest terms: only the factor two can be shared, so no gcd is taken.
fn dyadic(value: &BigInt, precision: u32) -> Rational {
    let shared = value.trailing_zeros().unwrap_or(u64::from(precision));
    let shared = shared.min(u64::from(precision));
    Rational::new_raw(value >> shared, BigInt::one() << (u64::from(precision) - shared))
}

impl Enclosure {
    /// The narrowest enclosure of `value` at `precision`: a point if `value · 2^precision` is an integer, and
    /// otherwise one unit `2^-precision` wide. Nothing for a quotient by 0, which only `Ratio::new_raw`
    /// makes.
    ///
    /// ```
    /// use certus::exact::{Enclosure, Rational};
    ///
    /// let minus_third = Rational::new((-1).into(), 3.into());
    /// assert_eq!(Enclosure::enclosing(&minus_third, 1).map(|third| third.to_string()).as_deref(), Some("[-0.5, 0]"));
    /// ```
    #[must_use]
    pub fn enclosing(value: &Rational, precision: u32) -> Option<Self> {
        Some(Self::from_rational(number(value)?.as_ref(), precision))
    }

    /// [`enclosing`](Self::enclosing), of a number over a positive denominator.
    #[must_use]
    pub(crate) fn from_rational(value: &Rational, precision: u32) -> Self {
        let scaled = value.numer() << precision;
        // ⌊v⌋ ≤ v ≤ ⌈v⌉ is both containment and Invariant #1.
        Self { lower: div_floor(&scaled, value.denom()), upper: div_ceil(&scaled, value.denom()), precision }
    }

    /// The integer itself, as a point.
    ///
    /// ```
    /// use certus::exact::Enclosure;
    ///
    /// assert_eq!(Enclosure::from_integer(-3, 64).to_string(), "[-3, -3]");
    /// ```
    #[must_use]
    pub fn from_integer(value: impl Into<BigInt>, precision: u32) -> Self {
        let lower = value.into() << precision;
        Self { upper: lower.clone(), lower, precision }
    }

    /// The narrowest enclosure of all of `[lower, upper]` at `precision`; `None` if `lower > upper`, or a
    /// bound is a quotient by 0.
    ///
    /// ```
    /// use certus::exact::{Enclosure, Rational};
    ///
    /// let (zero, half) = (Rational::from_integer(0.into()), Rational::new(1.into(), 2.into()));
    /// assert!(Enclosure::from_bounds(&zero, &half, 4).is_some());
    /// assert!(Enclosure::from_bounds(&half, &zero, 4).is_none());
    /// ```
    #[must_use]
    pub fn from_bounds(lower: &Rational, upper: &Rational, precision: u32) -> Option<Self> {
        let (lower, upper) = (number(lower)?, number(upper)?);
        if lower > upper {
            return None;
        }
        // Floor and ceiling are monotone, so ⌊lower⌋ ≤ ⌈upper⌉.
        Some(Self {
            lower: div_floor(&(lower.numer() << precision), lower.denom()),
            upper: div_ceil(&(upper.numer() << precision), upper.denom()),
            precision,
        })
    }

    /// The hull of two integers over `2^precision`: Invariant #1 in either order.
    pub(crate) fn from_scaled(lower: BigInt, upper: BigInt, precision: u32) -> Self {
        if lower <= upper { Self { lower, upper, precision } } else { Self { lower: upper, upper: lower, precision } }
    }

    /// The bounds as integers over `2^precision`.
    pub(crate) fn scaled_bounds(&self) -> (&BigInt, &BigInt) {
        (&self.lower, &self.upper)
    }

    /// The lower bound, exactly.
    #[must_use]
    pub fn lower(&self) -> Rational {
        dyadic(&self.lower, self.precision)
    }

    /// The upper bound, exactly.
    #[must_use]
    pub fn upper(&self) -> Rational {
        dyadic(&self.upper, self.precision)
    }

    /// `upper − lower`, exactly; zero or greater.
    #[must_use]
    pub fn width(&self) -> Rational {
        dyadic(&(&self.upper - &self.lower), self.precision)
    }

    /// The number of binary digits after the point that the bounds carry.
    #[must_use]
    pub fn precision(&self) -> u32 {
        self.precision
    }

    /// Whether `lower = upper`: the enclosed number is then known exactly.
    #[must_use]
    pub fn is_point(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether `width ≤ 2^-bits`.
    pub(super) fn is_narrow(&self, bits: u32) -> bool {
        let width = &self.upper - &self.lower;
        match self.precision.checked_sub(bits) {
            // width · 2^-precision ≤ 2^-bits  ⇔  width ≤ 2^(precision − bits)
            Some(excess) => width <= BigInt::one() << excess,
            // The bounds are integers over a unit that is itself wider than 2^-bits.
            None => width.is_zero(),
        }
    }

    /// Whether `width ≤ 2^-bits · lower`.
    pub(super) fn is_relatively_narrow(&self, bits: u32) -> bool {
        (&self.upper - &self.lower) << bits <= self.lower
    }

    /// Whether `width · factor ≤ lower`, on the integers: no denominator is written out.
    pub(crate) fn is_narrow_by(&self, factor: &BigInt) -> bool {
        (&self.upper - &self.lower) * factor <= self.lower
    }

    /// Whether `lower ≤ value ≤ upper`; never so of a quotient by 0.
    #[must_use]
    pub fn contains(&self, value: &Rational) -> bool {
        let Some(value) = number(value) else { return false };
        // Multiplied by 2^precision and by the denominator, which is positive.
        let scaled = value.numer() << self.precision;
        &self.lower * value.denom() <= scaled && scaled <= &self.upper * value.denom()
    }

    /// Whether the two share a number.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        let (a, b) = aligned(self, other);
        a.lower <= b.upper && b.lower <= a.upper
    }

    /// The narrowest enclosure that contains both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        let (a, b) = aligned(self, other);
        Self { lower: a.lower.min(b.lower), upper: a.upper.max(b.upper), precision: a.precision }
    }

    /// The numbers that are in both; `None` if there are none. Two enclosures of one truth always intersect,
    /// and the intersection encloses it.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let (a, b) = aligned(self, other);
        let (lower, upper) = (a.lower.max(b.lower), a.upper.min(b.upper));
        (lower <= upper).then_some(Self { lower, upper, precision: a.precision })
    }

    /// The same numbers at another precision: exact if it is finer, rounded outward if it is coarser.
    #[must_use]
    pub fn at_precision(&self, precision: u32) -> Self {
        let (lower, upper) = match precision.checked_sub(self.precision) {
            Some(finer) => (&self.lower << finer, &self.upper << finer),
            None => {
                let coarser = self.precision.saturating_sub(precision);
                (shift_floor(&self.lower, coarser), shift_ceil(&self.upper, coarser))
            }
        };
        Self { lower, upper, precision }
    }

    /// The same integers over a further `2^bits`: `{x · 2^-bits}`, exact. `None` if the precision would
    /// exceed `u32`.
    pub(super) fn scaled_down(self, bits: u32) -> Option<Self> {
        let precision = self.precision.checked_add(bits)?;
        Some(Self { precision, ..self })
    }

    /// The order of the enclosed numbers, if the enclosures decide it: `None` where they overlap without
    /// being one and the same point.
    ///
    /// ```
    /// use core::cmp::Ordering;
    /// use certus::exact::{Enclosure, Rational};
    ///
    /// let third = Enclosure::enclosing(&Rational::new(1.into(), 3.into()), 20).expect("a number");
    /// assert_eq!(third.compare(&Enclosure::from_integer(1, 0)), Some(Ordering::Less));
    /// assert_eq!(third.compare(&third), None);
    /// ```
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let (a, b) = aligned(self, other);
        order([&a.lower, &a.upper], [&b.lower, &b.upper])
    }
}

/// The order of every number of the first interval and every one of the second, if it is one and the same.
fn order<T: Ord>([a, b]: [&T; 2], [c, d]: [&T; 2]) -> Option<Ordering> {
    if b < c {
        Some(Ordering::Less)
    } else if a > d {
        Some(Ordering::Greater)
    } else if a == b && c == d {
        Some(Ordering::Equal)
    } else {
        None
    }
}

/// Both at the larger of their precisions, which is exact for both.
fn aligned(a: &Enclosure, b: &Enclosure) -> (Enclosure, Enclosure) {
    let precision = a.precision.max(b.precision);
    (a.at_precision(precision), b.at_precision(precision))
}

impl PartialEq for Enclosure {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = aligned(self, other);
        a.lower == b.lower && a.upper == b.upper
    }
}

impl Eq for Enclosure {}

#[cfg(any(kani, test))]
#[path = "../../proofs/exact/enclosure.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rationals of both signs, among them zero, integers, dyadics and numbers far smaller and larger than a
    /// unit.
    pub(super) fn rational() -> impl Strategy<Value = Rational> {
        let small = (-20_i64..=20, 1_i64..=12);
        let wide = (any::<i64>(), 1_i64..=i64::MAX);
        prop_oneof![small, wide]
            .prop_map(|(numerator, denominator)| Rational::new(numerator.into(), denominator.into()))
    }

    /// An enclosure and a rational in it, which may be a bound or between: `lower + (upper − lower) · i / 8`.
    pub(super) fn member() -> impl Strategy<Value = (Enclosure, Rational)> {
        (rational(), rational(), any::<bool>(), 0_u32..80, 0_i64..=8).prop_map(|(a, b, narrow, precision, i)| {
            let enclosure = if narrow {
                Enclosure::from_rational(&a, precision)
            } else {
                Enclosure::from_bounds(&a.clone().min(b.clone()), &a.max(b), precision).unwrap()
            };
            let inside = enclosure.lower() + enclosure.width() * Rational::new(i.into(), 8.into());
            (enclosure, inside)
        })
    }

    pub(super) fn ulp(enclosure: &Enclosure) -> Rational {
        Rational::new(BigInt::one(), BigInt::one() << enclosure.precision())
    }

    /// The image is no wider than the exact one, from `lower` to `upper`, by a unit on either side; and
    /// contains it.
    pub(super) fn assert_tight(image: &Enclosure, lower: &Rational, upper: &Rational) {
        assert!(image.lower() <= *lower && image.lower() > lower - ulp(image), "{image} for {lower}");
        assert!(image.upper() >= *upper && image.upper() < upper + ulp(image), "{image} for {upper}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn conversion_rounds_outward_by_less_than_a_unit(x in rational(), precision in 0_u32..100) {
            let enclosed = Enclosure::from_rational(&x, precision);
            assert_tight(&enclosed, &x, &x);
            prop_assert!(enclosed.contains(&x));
            prop_assert!(enclosed.width() <= ulp(&enclosed));
        }

        #[test]
        fn contains_is_the_order_of_rationals((a, _) in member(), x in rational()) {
            prop_assert_eq!(a.contains(&x), a.lower() <= x && x <= a.upper());
        }

        #[test]
        fn bounds_are_in_lowest_terms((a, _) in member()) {
            for bound in [a.lower(), a.upper(), a.width()] {
                let reduced = bound.reduced();
                prop_assert_eq!((bound.numer(), bound.denom()), (reduced.numer(), reduced.denom()));
            }
        }

        #[test]
        fn precision_changes_outward((a, x) in member(), precision in 0_u32..100) {
            let rounded = a.at_precision(precision);
            prop_assert!(rounded.contains(&x));
            prop_assert_eq!(rounded.precision(), precision);
            assert_tight(&rounded, &a.lower(), &a.upper());
            prop_assert!(precision < a.precision() || rounded == a);
        }

        #[test]
        fn hulls_and_intersections_are_those_of_sets((a, x) in member(), (b, y) in member(), z in rational()) {
            let hull = a.hull(&b);
            prop_assert!(hull.contains(&x) && hull.contains(&y));
            prop_assert_eq!(hull.lower(), a.lower().min(b.lower()));
            prop_assert_eq!(hull.upper(), a.upper().max(b.upper()));
            let common = a.intersection(&b);
            prop_assert_eq!(common.is_some(), a.intersects(&b));
            for z in [x, y, z] {
                prop_assert_eq!(common.as_ref().is_some_and(|common| common.contains(&z)), a.contains(&z) && b.contains(&z));
            }
        }

        #[test]
        fn an_order_holds_for_every_member((a, x) in member(), (b, y) in member()) {
            match a.compare(&b) {
                Some(order) => prop_assert_eq!(x.cmp(&y), order),
                None => prop_assert!(a.intersects(&b)),
            }
            prop_assert_eq!(a.compare(&b), b.compare(&a).map(Ordering::reverse));
        }
    }

    #[test]
    fn touching_enclosures_are_undecided_and_equal_points_are_equal() {
        let one = Enclosure::from_integer(1, 3);
        let to_one = Enclosure::from_integer(0, 0).hull(&one);
        let from_one = one.hull(&Enclosure::from_integer(2, 0));
        assert_eq!(to_one.compare(&from_one), None);
        assert!(to_one.intersects(&from_one));
        assert_eq!(to_one.intersection(&from_one), Some(one.clone()));
        assert_eq!(one.compare(&Enclosure::from_integer(1, 70)), Some(Ordering::Equal));
    }
}
