//! The acceptance of an offset: a coin of probability e^-x, by one comparison with an integer enclosure of
//! it.

use core::cmp::Ordering;

use num_bigint::BigInt;
use num_bigint::BigUint;
use num_traits::One;

use super::{Word, lazy::Lazy, polynomial::Polynomial};
use super::{edges::Stated, inversion::Run};
use crate::{
    exact::{Enclosure, NonNegative, Positive, Rational, exp_neg, ln},
    sample::Interpreter,
};

/// A coin that accepts the offset r of bucket b, of width w = 2^`digits`, with probability e^-x.
///
/// Quadratic (Gaussian): x = r·(2bw + r)·unit with unit = 1/2σ². Linear (Laplace): x = r·unit with unit =
/// 1/s.
///
/// # The enclosure
///
/// All in units of 2^-BITS. With ρ = r/w, an exact fraction, and c = w²·unit/ln 2 (linear: w·unit/ln 2),
/// e^-x = 2^-y for y = cρ(2b + ρ) (linear: cρ). C = ⌊c⌋ is off by less than d. A product is rounded down, by
/// less than s (SLACK), so t ≈ Cρ is below cρ by less than d + s, and 2bt + tρ, the last rounded down too, is
/// below y by less than (d + s)(2b + 1) + s. The slope of 2^-y is at most ln 2 < 7/10 in size. The whole part
/// of y is a shift, which rounds down by less than 1; the fraction goes to the [`Polynomial`], with its own
/// bound. The sum of these, rounded up, is the error E: e^-x is within E of the approximation A.
///
/// A uniform V begins with the word v, so it is in [v, v + 1). If v < A − E then V < e^-x: accept. If v ≥ A +
/// E then V ≥ e^-x: reject. The 2E words between are ambiguous, and more digits of the same V decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Acceptance<W: Word, const QUADRATIC: bool> {
    polynomial: Polynomial<W>,
    /// C.
    factor: W,
    /// E.
    error: W,
    /// 2E.
    window: W,
    digits: u32,
    unit: NonNegative,
}

impl<W: Word, const QUADRATIC: bool> Acceptance<W, QUADRATIC> {
    /// For buckets b < `buckets`; `None` if the word is too short to tell anything.
    pub(super) fn new(unit: &Positive, digits: u32, buckets: usize) -> Option<Self> {
        if digits == 0 || digits >= W::BITS.min(64) {
            return None;
        }
        let polynomial = Polynomial::new()?;
        let width = BigInt::one() << (if QUADRATIC { 2 * digits } else { digits });
        let two = Positive::new(Rational::from_integer(2.into())).ok()?;
        let scale = W::BITS + 16;
        let c = Enclosure::from_rational(&(unit.get() * width), scale).div(&ln(&two, scale))?;
        let unit_word = BigInt::one() << W::BITS;
        let factor = (c.lower() * &unit_word).floor().to_integer();
        let off = (c.upper() * &unit_word).ceil().to_integer() - &factor;
        let last = if QUADRATIC { 2 * buckets + 1 } else { 1 };
        // y < c·(2b + 1) for b up to the open end, which is a shift by less than the word.
        if c.upper() * BigInt::from(last) >= Rational::from_integer(W::BITS.into()) {
            return None;
        }
        let exponent = (off + W::SLACK) * last + W::SLACK;
        let error = (exponent * 7u32).magnitude() / 10u32 + 1u32 + polynomial.error() + 1u32;
        let window = W::from_big(&(&error * 2u32))?;
        let factor = W::from_big(&factor.to_biguint()?)?;
        let error = W::from_big(&error)?;
        Some(Self { polynomial, factor, error, window, digits, unit: unit.clone().into() })
    }

    /// How many binary digits an offset has.
    #[inline]
    pub(super) fn digits(&self) -> u32 {
        self.digits
    }

    /// A − E: words below it accept, but those that wrap around into the window.
    #[inline]
    pub(super) fn start(&self, bucket: u64, offset: u64) -> W {
        let rho = W::fraction(offset, self.digits);
        let t = self.factor.high_product(rho);
        let (whole, fraction) = if QUADRATIC {
            let (whole, rest) = t.product(2 * bucket);
            let (carry, fraction) = rest.sum(t.high_product(rho));
            (whole + carry, fraction)
        } else {
            (0, t)
        };
        self.polynomial.at(fraction).shifted(whole).minus_or_zero(self.error)
    }

    /// Whether the word v accepts, and 1 if it does not decide.
    #[inline]
    pub(super) fn decide(&self, start: W, v: W) -> (u64, u64) {
        (u64::from(v < start), u64::from(v.minus(start) < self.window))
    }

    /// Whether v and more digits of the same number accept: decided exactly.
    pub(super) fn settle<I: Interpreter>(&self, bucket: u64, offset: u64, v: W, on: &mut I) -> Result<bool, I::Error> {
        let offset = BigInt::from(offset);
        let reach = if QUADRATIC { (BigInt::from(2 * bucket) << self.digits) + &offset } else { BigInt::one() };
        let x = NonNegative::new(self.unit.get() * (offset * reach)).map_err(|_| on.overflow())?;
        let mut uniform = Lazy::new(v, W::BITS);
        loop {
            let precision = uniform.length() + 16;
            let unit = BigInt::one() << precision;
            let probability = exp_neg(&x, precision);
            let lower = (probability.lower() * &unit).floor().to_integer();
            let upper = (probability.upper() * &unit).ceil().to_integer();
            if let Some(order) = uniform.compare(lower.magnitude(), upper.magnitude(), precision) {
                return Ok(order == Ordering::Less);
            }
            uniform.extend::<W, I>(on)?;
        }
    }

    /// x, exactly.
    pub(super) fn exponent(&self, bucket: u64, offset: u64) -> Rational {
        let offset = BigInt::from(offset);
        let edge = (BigInt::from(bucket) << (self.digits + 1)) + &offset;
        self.unit.get() * if QUADRATIC { offset * edge } else { offset }
    }

    /// What is stated about the error, for buckets b < `buckets`.
    pub(super) fn stated(&self, buckets: usize) -> Stated {
        Stated {
            error: self.error.to_big(),
            window: self.window.to_big(),
            polynomial: self.polynomial.error().clone(),
            factor: self.factor.to_big(),
            digits: if QUADRATIC { 2 * self.digits } else { self.digits },
            unit: self.unit.get().clone(),
            last: if QUADRATIC { 2 * buckets + 1 } else { 1 },
            bits: W::BITS,
            slack: W::SLACK,
        }
    }

    #[cfg(test)]
    pub(super) fn window(&self) -> W {
        self.window
    }

    /// The probability that a word does not decide, exactly: 2E words.
    pub(super) fn ambiguous(&self) -> Rational {
        Rational::new(self.window.to_big().into(), BigInt::one() << W::BITS)
    }

    /// The words that accept, and those that reject, by evaluating the comparison at the ends of its three
    /// runs of words.
    ///
    /// `None` if it does not say there what it must.
    pub(super) fn settled(&self, bucket: u64, offset: u64) -> Option<(Run, Run)> {
        let start = self.start(bucket, offset);
        let all = BigUint::one() << W::BITS;
        let (first, window) = (start.to_big(), self.window.to_big());
        let end = &first + &window;
        // The window may pass the last word and go on from the first.
        let wrapped = if end > all { &end - &all } else { BigUint::ZERO };
        let accept = if first > wrapped { &first - &wrapped } else { BigUint::ZERO };
        let reject = if all > end { &all - &end } else { BigUint::ZERO };
        let (accept, reject) = (Run { first: wrapped, words: accept }, Run { first: end, words: reject });
        let says = |run: &Run, says: u64| run.ends().all(|v| self.decide(start, v) == (says, 0));
        (says(&accept, 1) && says(&reject, 0)).then_some((accept, reject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bits::Replay, exact::parse, sample::program::Execution};

    /// Where V begins as e^-x does, the digits that follow decide, however many it takes; and x is what it is said to be.
    fn follows_the_digits<const QUADRATIC: bool>(unit: &str, bucket: u64, offset: u64, exponent: &str) {
        let unit = Positive::new(parse(unit).unwrap()).unwrap();
        let acceptance = Acceptance::<u64, QUADRATIC>::new(&unit, 4, 4).unwrap();
        let x = NonNegative::new(parse(exponent).unwrap()).unwrap();
        assert_eq!(acceptance.exponent(bucket, offset), *x.get());
        // The first 192 digits of e^-x, in three words.
        let bounds = exp_neg(&x, 240);
        let digits = |bound: &Rational| (bound.numer().magnitude() << 192u32) / bound.denom().magnitude();
        let digits = (digits(&bounds.lower()), digits(&bounds.upper()));
        assert_eq!(digits.0, digits.1);
        let word = |index: u32| u64::try_from((&digits.0 >> (128 - 64 * index)) & BigUint::from(u64::MAX)).unwrap();
        let settle = |words: [u64; 3]| {
            let bits = words[1..].iter().flat_map(|word| (0..64).rev().map(move |place| word >> place & 1 == 1));
            let mut tape = Replay::new(bits.collect());
            let accepted = acceptance.settle(bucket, offset, words[0], &mut Execution { bits: &mut tape });
            (accepted.unwrap(), tape.position())
        };
        let [first, second, third] = [word(0), word(1), word(2)];
        assert_eq!(settle([first - 1, 0, 0]), (true, 0));
        assert_eq!(settle([first + 1, 0, 0]), (false, 0));
        for (words, accepted) in [([first, second, third - 1], true), ([first, second, third + 1], false)] {
            let (decided, read) = settle(words);
            assert!(decided == accepted && read > 64, "{words:?}: {decided} after {read} bits");
        }
    }

    #[test]
    fn the_digits_of_the_exponential_are_followed() {
        follows_the_digits::<false>("1/100", 3, 5, "1/20");
        // 5·(2·3·16 + 5)/1000.
        follows_the_digits::<true>("1/1000", 3, 5, "101/200");
    }
}
