//! Noise with a polynomial tail, all of whose probabilities are rational.

use core::ops::ControlFlow;

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::StatisticError;
use crate::{
    exact::{Integer, Positive},
    sample::{Interpreter, Program, Step},
};

/// The largest degree.
const MOST_DEGREES: u32 = 64;

/// Symmetric Waring noise of scale s and degree d: P(y) = d/(2s + d) · Π_(i=0..d) (s + i)/(s + |y| + i) for
/// every integer y.
///
/// A tail like |y|^-(d+1), the discrete counterpart of the densities 1/(1 + |z|^γ) of Nissim, Raskhodnikova
/// and Smith 2007, Section 2.3, with γ = d + 1. Unlike these, it has rational probabilities and a closed tail
/// for rational s. Moments below d are finite: the mean from d = 2, the variance from d = 3 on.
///
/// Noise in proportion to a smooth sensitivity must hardly change when it is *shifted* and when it is
/// *dilated*. Laplace noise can be shifted, but dilated noise e^(-|y|/s′) against e^(-|y|/s) is out of
/// proportion far out, so that it costs a δ. This noise can be both:
///
/// * shift by Δ ≤ a·s: the ratio is at most Π_i (s + k + Δ + i)/(s + k + i) ≤ (1 + a)^(d+1), being largest at
///   k = 0 and i = 0;
/// * dilation from s to s′ > s: P_s/P_s′ falls from (2s′ + d)/(2s + d) < s′/s at y = 0, and P_s′/P_s rises to
///   (2s + d)/(2s′ + d)·Π_i (s′ + i)/(s + i), of whose d + 1 factors the last, (s′ + d)/(s + d), is at most
///   (2s′ + d)/(2s + d). So both are at most (s′/s)^d.
///
/// # Algorithm
///
/// The magnitude has P(K ≥ k) = N/D(k), with N = Π_(i<d) (s + i) and D(k) = Π_(i<d) (s + k + i): telescoping,
/// P(K = k) = d·N/Π_(i≤d)(s + k + i). It is inverted lazily: a uniform real is revealed bit by bit until it
/// lies between two tails, compared as integers. A fair sign follows; a negative zero is rejected.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, mechanism::statistic::Waring, sample::Program};
///
/// let noise = Waring::new(&Positive::new(Rational::new(5.into(), 2.into()))?, 3)?;
/// println!("{}", noise.sample(&mut seeded([0; 32]))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Waring {
    magnitude: Magnitude,
}

impl Waring {
    /// Noise of this scale and degree.
    ///
    /// # Errors
    ///
    /// If the degree is not from 1 to 64.
    pub fn new(scale: &Positive, degree: u32) -> Result<Self, StatisticError> {
        if !(1..=MOST_DEGREES).contains(&degree) {
            return Err(StatisticError::Degree);
        }
        let (numerator, denominator) = (scale.numerator().clone(), scale.denominator().clone());
        Ok(Self { magnitude: Magnitude { numerator, denominator, degree } })
    }
}

impl Program for Waring {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let magnitude = on.call(&self.magnitude)?;
        let negative = on.bits(1)? == 1;
        // Every integer but a negative zero has one magnitude and sign.
        Ok(match (negative, magnitude.is_zero()) {
            (true, true) => ControlFlow::Continue(()),
            (true, false) => ControlFlow::Break(magnitude.neg()),
            (false, _) => ControlFlow::Break(magnitude),
        })
    }
}

/// K with P(K ≥ k) = Π_(i<d) (s + i)/(s + k + i), for s = numerator/denominator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Magnitude {
    numerator: BigUint,
    denominator: BigUint,
    degree: u32,
}

impl Magnitude {
    /// D(k) times the denominator to the d-th: Π_(i<d) (numerator + (k + i)·denominator). N is D(0).
    fn product(&self, k: &BigUint) -> BigUint {
        (0..self.degree).fold(BigUint::one(), |product, i| product * (&self.numerator + (k + i) * &self.denominator))
    }

    /// The k with N/D(k + 1) ≤ prefix·2^-length, the least one; nothing for a prefix of 0.
    fn reached(&self, whole: &BigUint, prefix: &BigUint) -> Option<BigUint> {
        if prefix.is_zero() {
            return None;
        }
        // whole = N·2^length.
        let is_past = |k: &BigUint| *whole <= prefix * self.product(&(k + 1u32));
        let mut most = BigUint::zero();
        while !is_past(&most) {
            most = (most << 1u32) + 1u32;
        }
        // Not past: below `least`; past: `most`. The last doubling left half of it behind.
        let mut least: BigUint = &most >> 1u32;
        while least < most {
            let middle: BigUint = (&least + &most) >> 1u32;
            if is_past(&middle) { most = middle } else { least = middle + 1u32 }
        }
        Some(most)
    }
}

impl Program for Magnitude {
    /// The first bits of U, and how many they are.
    type State = (BigUint, u32);
    type Output = Integer;

    fn start(&self) -> (BigUint, u32) {
        (BigUint::ZERO, 0)
    }

    fn step<I: Interpreter>(&self, (prefix, length): (BigUint, u32), on: &mut I) -> Step<Self, I> {
        let prefix = (prefix << 1u32) | BigUint::from(on.bits(1)?);
        let length = length.checked_add(1).ok_or_else(|| on.overflow())?;
        // No output is likelier than P(K = 0) = d/(s + d), and none is settled by an interval wider than
        // that.
        let degrees = &self.denominator * self.degree;
        if &self.numerator + &degrees > degrees << length {
            return Ok(ControlFlow::Continue((prefix, length)));
        }
        let whole = self.product(&BigUint::zero()) << length;
        // U is in [prefix, prefix + 1]·2^-length: K = k iff N/D(k + 1) ≤ U < N/D(k).
        Ok(match self.reached(&whole, &prefix) {
            Some(k) if (&prefix + 1u32) * self.product(&k) <= whole => ControlFlow::Break(Integer::from(k)),
            _ => ControlFlow::Continue((prefix, length)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Rational;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    /// P(y) by the formula of the documentation.
    fn probability(s: &Rational, d: u32, y: i64) -> Rational {
        let of = |n: i64| Rational::from_integer(n.into());
        let d = i64::from(d);
        let product: Rational = (0..=d).map(|i| (s + of(i)) / (s + of(y.abs() + i))).product();
        of(d) / (s + s + of(d)) * product
    }

    /// The closed form sums to 1 up to its closed tail; shifts and dilations stay within the bounds, and come
    /// near to them.
    #[test]
    fn shift_and_dilation() {
        for d in 1..5_u32 {
            for s in [rational(1, 3), rational(1, 1), rational(7, 2), rational(40, 1)] {
                let tail = |k: i64| {
                    (0..i64::from(d)).map(|i| (&s + rational(i, 1)) / (&s + rational(k + i, 1))).product::<Rational>()
                };
                let folded = (&s + rational(d.into(), 1)) / (&s + &s + rational(d.into(), 1));
                let inside: Rational = (-30..=30).map(|y| probability(&s, d, y)).sum();
                assert_eq!(inside + tail(31) * &folded * rational(2, 1), rational(1, 1));
                for a in [rational(1, 7), rational(1, 1), rational(3, 1)] {
                    let most: Rational = (0..=d).map(|_| rational(1, 1) + &a).product();
                    let furthest = i64::try_from((&s * &a).floor().to_integer()).unwrap();
                    for y in -40..40 {
                        for shift in 0..=furthest {
                            assert!(probability(&s, d, y) <= probability(&s, d, y + shift) * &most);
                            assert!(probability(&s, d, y + shift) <= probability(&s, d, y) * &most);
                        }
                    }
                }
                for r in [rational(9, 10), rational(1, 2)] {
                    let most: Rational = (0..d).map(|_| r.recip()).product();
                    let wider = &s / &r;
                    for y in [0, 1, 2, 5, 10, 100, 1_000_000] {
                        assert!(probability(&s, d, y) <= probability(&wider, d, y) * &most);
                        assert!(probability(&wider, d, y) <= probability(&s, d, y) * &most);
                    }
                }
            }
            // Wide noise far out attains the dilation: nothing smaller would do.
            let (s, r) = (rational(1_000_000, 1), rational(1, 2));
            let ratio = probability(&(&s / &r), d, 1 << 40) / probability(&s, d, 1 << 40);
            let most: Rational = (0..d).map(|_| r.recip()).product();
            assert!(ratio > most * rational(99, 100));
            let degree = Waring::new(&Positive::new(s).unwrap(), 0);
            assert_eq!(degree.unwrap_err(), StatisticError::Degree);
        }
    }

    /// `reached` is the least k that is past, for every prefix.
    #[test]
    fn reached_is_the_least() {
        let magnitude = Magnitude { numerator: 5u32.into(), denominator: 3u32.into(), degree: 2 };
        let whole = magnitude.product(&BigUint::zero()) << 10u32;
        assert_eq!(magnitude.reached(&whole, &BigUint::zero()), None);
        for prefix in 1..1024_u32 {
            let prefix = BigUint::from(prefix);
            let found = magnitude.reached(&whole, &prefix).unwrap();
            let past = |k: &BigUint| whole <= &prefix * magnitude.product(&(k + 1u32));
            assert!(past(&found) && (found.is_zero() || !past(&(&found - 1u32))), "{prefix}");
        }
    }
}
