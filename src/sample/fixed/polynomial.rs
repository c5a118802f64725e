//! 2^-f for a fraction f, by a polynomial on integers, with a proven bound of its error.
//!
//! The coefficients are not constants to be trusted: they are derived here, with their error, when a sampler
//! is built.
//!
//! 1. With h = f/2^q, q squarings being left for the end, e^(-Lh) with L a rational within 2^-G of ln 2, G =
//!    BITS + 64, differs from 2^-h by at most 2^-G.
//! 2. Its series Σ (−L/2^q)^n f^n/n! to degree N leaves at most (L/2^q)^(N+1)/(N+1)!, for it alternates and
//!    falls.
//! 3. *Economisation*: T*_n, the Chebyshev polynomial on [0, 1], is at most 1 there and begins with 2^(2n−1)
//!    f^n. Subtracting cₙ/2^(2n−1) times it takes the highest term away and costs at most |cₙ|/2^(2n−1); from
//!    degree N down to the one that is kept.
//! 4. The coefficients are rounded to integers Cₙ in units of 2^-BITS, the higher ones on a wide word to
//!    64-bit integers in smaller units.
//! 5. [`Polynomial::at`] evaluates C₀ − f·(C₁ − f·(C₂ − …)) and rounds down once a degree: on a whole word by
//!    less than SLACK units; on 64 bits by less than two of their units, one for the product and one for the
//!    digits of f that are left out.
//! 6. A number below 1 that is off by at most e units is off by at most 2e + 1 once squared, and SLACK for
//!    the product.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Signed, Zero};

use super::Word;
use crate::exact::{Positive, Rational, ln};

/// How many degrees of the series are economised away.
const ECONOMISED: usize = 10;

/// Guard bits of the derivation.
const GUARD: u32 = 64;

/// 2^-f to within [`error`](Self::error) units of 2^-BITS, for 0 ≤ f < 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial<W: Word> {
    /// Invariant: all coefficients, these and then the short ones, do not increase. So each step of Horner's
    /// rule, Cₙ − ⌊f·a⌋ with 0 ≤ a ≤ Cₙ₊₁, is in [0, Cₙ].
    coefficients: W::Coefficients,
    short: W::Short,
    error: BigUint,
}

impl<W: Word> Polynomial<W> {
    /// Derives the coefficients; `None` if they broke the invariant, as those of no width do (a test builds
    /// each).
    pub(super) fn new() -> Option<Self> {
        let kept = W::COEFFICIENTS + W::SHORT;
        let scale = W::BITS + GUARD;
        let (mut series, mut error) = series(kept - 1 + ECONOMISED, scale, W::SQUARINGS)?;
        while series.len() > kept {
            error += economise(&mut series);
        }
        let (mut long, mut short) = (Vec::new(), Vec::new());
        let mut last = BigInt::one() << scale;
        for (n, coefficient) in series.iter().enumerate() {
            let magnitude = if n % 2 == 0 { coefficient.clone() } else { -coefficient };
            // The units of this coefficient are 2^(spare − scale).
            let (spare, greatest) = if n < W::COEFFICIENTS {
                (GUARD, W::MAX.to_big())
            } else {
                (scale.checked_sub(64 + W::SHORT_SHIFT)?, u64::MAX.into())
            };
            let nearest = ((&magnitude + (BigInt::one() << (spare - 1))) >> spare).min(greatest.into());
            let back = &nearest << spare;
            if nearest.is_negative() || back > last {
                return None;
            }
            error += (&back - magnitude).magnitude();
            last = back;
            if n < W::COEFFICIENTS {
                long.push(W::from_big(nearest.magnitude())?);
            } else {
                short.push(u64::try_from(nearest).ok()?);
            }
        }
        // Rounded up, and the evaluation: units a degree, and of the short ones two of theirs.
        let mut error: BigUint = (error >> GUARD) + 1u32 + W::SLACK * u32::try_from(W::COEFFICIENTS).ok()?;
        error += W::from_short(1).to_big() * (2 * W::SHORT);
        for _ in 0..W::SQUARINGS {
            error = error * 2u32 + 1u32 + W::SLACK;
        }
        if 2 * error.bits() > W::BITS.into() {
            return None;
        }
        Some(Self {
            coefficients: W::Coefficients::try_from(&long).ok()?,
            short: W::Short::try_from(&short).ok()?,
            error,
        })
    }

    /// The bound of |at(f) − 2^-f|, in units of 2^-BITS.
    pub(super) fn error(&self) -> &BigUint {
        &self.error
    }

    /// 2^-f for the fraction f, both in units of 2^-BITS: without a branch, an early end or a look-up.
    #[inline]
    pub(super) fn at(&self, f: W) -> W {
        // No difference wraps: see the invariant.
        let mut short = 0;
        for coefficient in self.short.as_ref().iter().rev() {
            short = coefficient.minus(f.head().high_product(short));
        }
        let mut value = W::from_short(short);
        for coefficient in self.coefficients.as_ref().iter().rev() {
            value = coefficient.minus(f.high_product(value));
        }
        for _ in 0..W::SQUARINGS {
            value = value.high_product(value);
        }
        value
    }
}

/// (−L)^n/n! for n = 0 … `last`, L = ln 2/2^`squarings`, in units of 2^-`scale`; and the bound of what the
/// sum is off on [0, 1], in these units.
fn series(last: usize, scale: u32, squarings: u32) -> Option<(Vec<BigInt>, BigUint)> {
    let two = Positive::new(Rational::from_integer(2.into())).ok()?;
    let enclosed = ln(&two, scale);
    let l = (enclosed.lower() * (BigInt::one() << scale)).to_integer() >> squarings;
    let mut terms = Vec::with_capacity(last + 1);
    let mut term = BigInt::one() << scale;
    for n in 1..=last + 1 {
        terms.push(if n % 2 == 1 { term.clone() } else { -term.clone() });
        // Rounded down: off by less than 1, and by less than the last term's error times L/n < 1, so by less
        // than 2 in all.
        term = ((term * &l) >> scale) / n;
    }
    // The first term left out, and two units for each term; two more for L, which the rounding to units may
    // double.
    let error = term.magnitude() + 2 * (last + 2) + 2u32;
    Some((terms, error))
}

/// Takes the highest term away; the answer is the bound of what that costs on [0, 1].
fn economise(series: &mut Vec<BigInt>) -> BigUint {
    let Some(highest) = series.pop() else { return BigUint::zero() };
    let chebyshev = chebyshev(series.len());
    // T*_n begins with 2^(2n−1), for n ≥ 1.
    let shift = 2 * series.len() - 1;
    for (coefficient, factor) in series.iter_mut().zip(&chebyshev) {
        *coefficient -= (&highest * factor) >> shift;
    }
    // |T*_n| ≤ 1, and a unit for the rounding of each coefficient and of this bound.
    (highest.magnitude() >> shift) + series.len() + 1u32
}

/// T*_n, the Chebyshev polynomial of degree n ≥ 1 on [0, 1]: T*_0 = 1, T*_1 = 2f − 1, T*_(n+1) = 2(2f −
/// 1)·T*_n − T*_(n−1).
fn chebyshev(n: usize) -> Vec<BigInt> {
    let (mut before, mut last) = (alloc::vec![BigInt::one()], alloc::vec![-BigInt::one(), BigInt::from(2)]);
    for _ in 1..n {
        let mut next = alloc::vec![BigInt::from_biguint(Sign::NoSign, BigUint::zero()); last.len() + 1];
        for (coefficient, of_last) in next.iter_mut().zip(&last) {
            *coefficient -= of_last * 2;
        }
        for (coefficient, of_last) in next.iter_mut().skip(1).zip(&last) {
            *coefficient += of_last * 4;
        }
        for (coefficient, of_before) in next.iter_mut().zip(&before) {
            *coefficient -= of_before;
        }
        before = core::mem::replace(&mut last, next);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Enclosure, NonNegative, exp_neg};
    use proptest::prelude::*;

    /// 2^-f as e^-x, enclosed to 16 bits beyond the word.
    fn truth<W: Word>(f: W) -> Enclosure {
        let scale = W::BITS + 16;
        let two = Positive::new(Rational::from_integer(2.into())).unwrap();
        let ln_two = ln(&two, scale + 8);
        let f = Rational::new(f.to_big().into(), BigInt::one() << W::BITS);
        let at = |bound: Rational| exp_neg(&NonNegative::new(bound * &f).unwrap(), scale);
        at(ln_two.lower()).hull(&at(ln_two.upper()))
    }

    fn is_within<W: Word>(polynomial: &Polynomial<W>, f: W) -> bool {
        let value = BigInt::from(polynomial.at(f).to_big());
        let unit = BigInt::one() << W::BITS;
        let error = BigInt::from(polynomial.error().clone());
        let (low, high) = (Rational::new(&value - &error, unit.clone()), Rational::new(value + error, unit));
        let truth = truth(f);
        low <= truth.lower() && truth.upper() <= high
    }

    /// Words spread over the whole range, with both ends.
    fn dense<W: Word>(count: u64) -> impl Iterator<Item = W> {
        let step = W::MAX.to_big() / (count - 1);
        (0..count).map(move |i| W::from_big(&(&step * i)).unwrap()).chain([W::MAX])
    }

    #[test]
    fn every_byte_is_within_the_bound() {
        let polynomial = Polynomial::<u8>::new().unwrap();
        assert!(*polynomial.error() <= BigUint::from(9u32), "{polynomial:?}");
        assert!((0..=u8::MAX).all(|f| is_within(&polynomial, f)));
    }

    #[test]
    fn dense_points_are_within_the_bound() {
        let (word, wide) = (Polynomial::<u64>::new().unwrap(), Polynomial::<u128>::new().unwrap());
        assert!(*word.error() <= BigUint::from(64u32), "{word:?}");
        assert!(wide.error().bits() <= 23, "{wide:?}");
        assert!(dense(2000).all(|f| is_within(&word, f)));
        assert!(dense(1000).all(|f| is_within(&wide, f)));
    }

    /// The bound is not idle: one coefficient off by little more than it shows at once.
    #[test]
    fn a_wrong_coefficient_is_caught() {
        for n in 0..u64::COEFFICIENTS {
            let mut wrong = Polynomial::<u64>::new().unwrap();
            wrong.coefficients[n] -= 300;
            assert!(!dense(2000).all(|f| is_within(&wrong, f)), "coefficient {n}");
        }
        for n in 0..3 {
            let mut wrong = Polynomial::<u8>::new().unwrap();
            wrong.coefficients[n] -= 24;
            assert!(!(0..=u8::MAX).all(|f| is_within(&wrong, f)), "coefficient {n}");
        }
    }

    #[test]
    fn chebyshev_polynomials_are_bounded_on_the_unit_interval() {
        for n in 1..20 {
            let coefficients = chebyshev(n);
            assert_eq!(coefficients.last().unwrap(), &(BigInt::one() << (2 * n - 1)));
            for i in 0..=100 {
                let f = Rational::new(i.into(), 100.into());
                let value = coefficients
                    .iter()
                    .rev()
                    .fold(Rational::zero(), |sum, c| sum * &f + Rational::from_integer(c.clone()));
                assert!(value.abs() <= Rational::one());
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn random_points_are_within_the_bound(f: u128) {
            prop_assert!(is_within(&Polynomial::<u64>::new().unwrap(), u64::try_from(f >> 64).unwrap()));
            prop_assert!(is_within(&Polynomial::<u128>::new().unwrap(), f));
        }
    }
}
