//! The tail of the normal distribution, enclosed.
//!
//! With φ(x) = e^(-x²/2)/√(2π), and Φ̄(x) = P(Z > x) = erfc(x/√2)/2 of a standard normal Z. Every bound is
//! right at any working precision; how narrow it is, is checked, and what is too wide is computed again.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::working::pi;
use super::{Enclosure, NonNegative, Rational, exp_neg, exp_neg_relative, number};

/// Encloses Φ̄(x) = P(Z > x) with `width ≤ 2^-bits · lower`; `None` if |x| exceeds 2^15, bits 2^30, or x is a
/// quotient by 0.
///
/// ```
/// use certus::exact::{normal_tail, parse};
///
/// let tail = normal_tail(&parse("1.96").unwrap(), 40).expect("1.96 is small");
/// assert!(tail.to_string().starts_with("[0.02499789514"), "{tail}");
/// let far = normal_tail(&parse("40").unwrap(), 40).expect("40 is small");
/// assert!(far.to_string().starts_with("[3.65589354"), "{far}");
/// ```
#[must_use]
pub fn normal_tail(x: &Rational, bits: u32) -> Option<Enclosure> {
    let x = number(x)?.into_owned();
    tail(&x, bits)
}

/// [`normal_tail`], of a number over a positive denominator.
fn tail(x: &Rational, bits: u32) -> Option<Enclosure> {
    if x.abs() > Rational::from_integer((1 << 15).into()) || bits > 1 << 30 {
        return None;
    }
    if x.is_negative() {
        // Φ̄(x) = 1 − Φ̄(−x) ≥ 1/2: relative and absolute widths differ by a bit at most.
        let other = tail(&-x, bits + 2)?;
        return Some(Enclosure::from_integer(1, 0).sub(&other.at_precision(bits + 8)));
    }
    if x.is_zero() {
        return Some(Enclosure::from_scaled(BigInt::one(), BigInt::one(), 1));
    }
    let square = x * x;
    let is_far = square >= Rational::from_integer((2 * (bits + 16)).into());
    let mut guard = 32;
    loop {
        let enclosed = if is_far { asymptotic(x, &square, bits + guard)? } else { series(x, &square, bits + guard)? };
        if enclosed.is_relatively_narrow(bits) {
            return Some(enclosed);
        }
        guard *= 2;
    }
}

/// Φ̄(x) = 1/2 − φ(x)·Σ_{n≥0} x^(2n+1)/(2n+1)!!, for x > 0 (Abramowitz and Stegun 26.2.11). The terms are
/// positive.
///
/// From the first term on whose successor is at most half of it, what remains is between 0 and twice the next
/// term.
fn series(x: &Rational, square: &Rational, bits: u32) -> Option<Enclosure> {
    // Φ̄(x) > 2^-(3x²/4 + x + 3), and so many digits cancel.
    let lost = (square * Rational::new(3.into(), 4.into()) + x).ceil().to_integer().to_u32()?;
    let working = bits.checked_add(lost)?.checked_add(8)?;
    // Of x² as many digits as of a term, and no quotient of long numbers: a term is a product and a division
    // by a word.
    let enclosed = Enclosure::from_rational(square, working);
    let settled = (square * BigInt::from(2)).ceil().to_integer().to_u32()?;
    let mut term = Enclosure::from_rational(x, working);
    let mut sum = Enclosure::from_integer(0, working);
    let mut odd = 3_u32;
    loop {
        sum = sum.add(&term);
        term = term.mul(&enclosed).mul_rational(&Rational::new_raw(BigInt::one(), odd.into()));
        // x²/odd ≤ 1/2, and the term is at most 2^-working.
        if odd >= settled && *term.scaled_bounds().1 <= BigInt::one() {
            break;
        }
        odd = odd.checked_add(2)?;
    }
    let rest = term.add(&term).hull(&Enclosure::from_integer(0, 0));
    let density = exp_neg(&half(square)?, working).at_precision(working).div(&root_of_two_pi(working))?;
    let below = density.mul(&sum.add(&rest));
    let tail = Enclosure::from_scaled(BigInt::one(), BigInt::one(), 1).sub(&below);
    Some(tail.max_zero())
}

/// Φ̄(x) = φ(x)/x·(1 − 1/x² + 1·3/x⁴ − 1·3·5/x⁶ + …), for x > 0: the series diverges, but what is left out is
/// of the sign of the first term that is, and smaller (Abramowitz and Stegun 26.2.12).
fn asymptotic(x: &Rational, square: &Rational, bits: u32) -> Option<Enclosure> {
    let working = bits.checked_add(8)?;
    let inverse = Enclosure::from_rational(&square.recip(), working);
    let negligible = BigInt::from(1 << 8);
    let last = square.ceil().to_integer().to_u32()?;
    let mut term = Enclosure::from_integer(1, working);
    let mut sum = Enclosure::from_integer(0, 0);
    let mut odd = 1_u32;
    let mut positive = true;
    // Terms fall while odd < x²; they are far below 2^-bits before that.
    while *term.scaled_bounds().1 > negligible && odd < last {
        sum = if positive { sum.add(&term) } else { sum.sub(&term) };
        term = term.mul(&inverse).mul(&Enclosure::from_integer(odd, 0));
        odd = odd.checked_add(2)?;
        positive = !positive;
    }
    let rest = term.hull(&term.neg());
    let falling = exp_neg_relative(&half(square)?, bits)?;
    let factor = sum.add(&rest).mul_rational(&x.recip()).div(&root_of_two_pi(working))?;
    Some(falling.mul(&factor))
}

fn half(square: &Rational) -> Option<NonNegative> {
    NonNegative::new(square / BigInt::from(2)).ok()
}

/// Encloses √(2π) to about 2^-working.
fn root_of_two_pi(working: u32) -> Enclosure {
    // (√y)·2^w = √(y·4^w), and the integer root is its floor.
    let two_pi = pi(2 * working + 8).mul(&Enclosure::from_integer(2, 0));
    let scale = Rational::from_integer(BigInt::one() << (2 * working));
    let root = |y: Rational| (y * &scale).floor().to_integer().magnitude().sqrt();
    Enclosure::from_scaled(root(two_pi.lower()).into(), (root(two_pi.upper()) + 1_u32).into(), working)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::parse;

    #[test]
    fn pi_and_its_root() {
        let known = parse("3.14159265358979323846264338327950288419716939937510").unwrap();
        let pi = pi(200);
        assert!((pi.lower() - &known).abs() < parse("1e-45").unwrap() && pi.width() < parse("1e-45").unwrap());
        let root = root_of_two_pi(100);
        assert!(root.square().intersects(&pi.add(&pi)) && root.width() < parse("1e-29").unwrap(), "{root}");
    }

    /// Values of Φ̄ to 20 digits, by mpmath.
    #[test]
    fn known_values() {
        for (x, known) in [
            ("0", "0.5"),
            ("1", "0.15865525393145705141"),
            ("-1", "0.84134474606854294858"),
            ("0.001", "0.49960105778608893742"),
            ("5", "2.8665157187919391167e-7"),
            ("12", "1.7764821120776789977e-33"),
            ("30", "4.9067139271481870595e-198"),
        ] {
            for bits in [20, 60] {
                let tail = normal_tail(&parse(x).unwrap(), bits).unwrap();
                let known = parse(known).unwrap();
                let unit = &known * parse("1e-18").unwrap();
                assert!(tail.lower() <= &known + &unit && &known - &unit <= tail.upper(), "{x}: {tail}");
                assert!(tail.width() <= tail.lower() / (BigInt::one() << bits), "{x}: {tail}");
            }
        }
        assert_eq!(normal_tail(&parse("1e5").unwrap(), 20), None);
    }

    /// The two expansions agree where both reach, and so do both signs.
    #[test]
    fn expansions_agree() {
        for x in ["13", "47/3", "20"] {
            let x = parse(x).unwrap();
            let square = &x * &x;
            let (near, far) = (series(&x, &square, 60).unwrap(), asymptotic(&x, &square, 60).unwrap());
            assert!(near.intersects(&far), "{near} {far}");
        }
        for x in ["1/7", "2", "9"] {
            let x = parse(x).unwrap();
            let sum = normal_tail(&x, 80).unwrap().add(&normal_tail(&-x, 80).unwrap());
            assert!(sum.contains(&Rational::one()), "{sum}");
        }
    }
}
