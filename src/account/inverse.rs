//! ε(δ): the profile, inverted.
//!
//! δ(ε) falls and is continuous, so that ε(δ) > x wherever the lower bound of δ(x) exceeds δ, and ε(δ) ≤ x
//! wherever the upper bound of δ(x) is at most δ. A bracket is closed by such verdicts alone; where the next
//! trial is made is a guess (a secant of ln δ(ε)), which can make the search longer but not wrong.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{AccountError, Answer, Method, Precision, answer::is_narrow, lattice::power_of_two};
use crate::exact::{Enclosure, NonNegative, Positive, Probability, Rational, ln};

/// The most trials.
const MOST_TRIALS: u32 = 110;

/// Digits that are found first. More are found from there, twice as many each time: the early steps of a
/// search need few, and who asks for more digits than can be had gets no less than who asks for these.
const FIRST_DIGITS: u32 = 15;

/// An ε is looked for to so many more digits than are known of δ; and the most trials that may tell nothing
/// where those are not many.
const STEEP_DIGITS: u32 = 2;
const MOST_UNKNOWN_OF_FEW: u32 = 3;

/// The most trials for each doubling of the digits, which take four or so, and the most of them that may tell
/// nothing.
const MOST_FURTHER: u32 = 16;
const MOST_UNKNOWN: u32 = 3;

/// An ε is looked for from 2^-this to 2^this: numbers of a thousand decimal digits, squared, are within.
const LARGEST: i64 = 1 << 13;

/// An end of the bracket: ε, δ(ε) there, and ln δ(ε) − ln δ unless δ(ε) may be 0.
#[derive(Clone, Debug)]
struct End {
    at: Rational,
    value: Rational,
    excess: Option<Rational>,
}

/// Encloses the smallest ε ≥ 0 with δ(ε) ≤ δ, for a profile δ(ε) that answers at any precision, and a wanted
/// δ > 0 that it reaches. If a `bound` on ε(δ) is known, the search starts from it.
///
/// # Errors
///
/// Those of the profile, and [`AccountError::OutOfReach`] if it is not certainly at most δ up to 2^8192.
pub(super) fn epsilon(
    profile: &mut dyn FnMut(&NonNegative, &Precision) -> Result<Answer, AccountError>,
    delta: &Probability,
    bound: Option<&Rational>,
    precision: &Precision,
) -> Result<Answer, AccountError> {
    let digits = precision.digits.min(FIRST_DIGITS);
    let mut search = Search {
        profile,
        delta: delta.get(),
        bound,
        precision,
        digits,
        limit: precision.digits,
        is_limited: false,
        trials: 0,
        most: MOST_TRIALS,
        unknown: 0,
        method: Method::Trivial,
    };
    search.run()
}

struct Search<'a> {
    profile: &'a mut dyn FnMut(&NonNegative, &Precision) -> Result<Answer, AccountError>,
    delta: &'a Rational,
    bound: Option<&'a Rational>,
    precision: &'a Precision,
    /// The digits that are looked for now.
    digits: u32,
    trials: u32,
    /// The most digits that are looked for: as many as are asked for, or as the profile has.
    limit: u32,
    /// Whether the profile has no more.
    is_limited: bool,
    /// When to end.
    most: u32,
    /// Trials that told nothing.
    unknown: u32,
    method: Method,
}

/// δ(ε) exceeds δ at the lower end, or that is 0; it does not at the upper one.
struct Bracket {
    low: End,
    high: End,
    /// The last trials.
    recent: Vec<End>,
}

impl Bracket {
    /// Closes in on the root by a verdict.
    fn take(&mut self, side: Side) {
        let (end, is_low) = match side {
            Side::Below(end) => (end, true),
            Side::Above(end) => (end, false),
            Side::Unknown => return,
        };
        self.recent.push(end.clone());
        if is_low && end.at > self.low.at {
            self.low = end;
        } else if !is_low && end.at < self.high.at {
            self.high = end;
        }
    }
}

/// On which side of the root a trial lies.
enum Side {
    Below(End),
    Above(End),
    Unknown,
}

impl Search<'_> {
    /// δ(x) against δ, with as many digits as it takes, from `digits` up.
    fn side(&mut self, at: &Rational, digits: u32) -> Result<Side, AccountError> {
        let epsilon = NonNegative::new(at.clone()).map_err(|_| AccountError::OutOfReach)?;
        let finest = self.digits.saturating_add(12);
        let mut digits = digits.min(finest);
        loop {
            self.trials += 1;
            let answer = (self.profile)(&epsilon, &Precision { digits })?;
            self.method = answer.method;
            let (lower, upper) = (answer.enclosure.lower(), answer.enclosure.upper());
            let is_above = lower > *self.delta;
            if is_above || upper <= *self.delta {
                // As many digits as are asked of the root, and some.
                let bits = self.digits.saturating_mul(4).saturating_add(96);
                let value = cut(&((lower + upper) / BigInt::from(2)), bits);
                let logarithm = |x: &Rational| Some(ln(&Positive::new(x.clone()).ok()?, bits).lower());
                let excess = logarithm(&value).zip(logarithm(self.delta)).map(|(at, wanted)| at - wanted);
                let end = End { at: at.clone(), value, excess };
                return Ok(if is_above { Side::Below(end) } else { Side::Above(end) });
            }
            if digits >= finest || !answer.is_narrow {
                self.unknown += 1;
                // A sum over frequencies has some digits and no more: the root has about as many, or some
                // more, as δ falls steeply.
                if answer.method == Method::Spectral && !answer.is_narrow {
                    let is_known = |digits: &u32| is_narrow(&answer.enclosure, &Precision { digits: *digits });
                    let known = (1..self.limit).rev().find(is_known).unwrap_or(1);
                    self.is_limited = true;
                    self.limit = (known + STEEP_DIGITS).min(self.limit);
                    self.digits = self.digits.min(self.limit);
                }
                return Ok(Side::Unknown);
            }
            digits = digits.saturating_mul(2).min(finest);
        }
    }

    fn run(&mut self) -> Result<Answer, AccountError> {
        let low = match self.side(&Rational::zero(), 6)? {
            Side::Below(end) => end,
            // δ(0) ≤ δ.
            Side::Above(_) => return Ok(self.answer(&Rational::zero(), &Rational::zero())),
            // δ(0) is δ, as far as can be seen.
            Side::Unknown => End { at: Rational::zero(), value: self.delta.clone(), excess: None },
        };
        let mut bracket = self.bracket(low)?;
        let mut reached = 0;
        while self.close(&mut bracket)? && self.digits < self.limit {
            reached = self.digits;
            self.go_on(self.digits.saturating_mul(2).min(self.limit));
        }
        // As many as are within reach, of those between.
        let mut beyond = self.digits;
        while reached > 0 && beyond - reached > 1 && !self.is_done(&bracket) {
            self.go_on(u32::midpoint(reached, beyond));
            if self.close(&mut bracket)? {
                reached = self.digits;
            } else {
                beyond = self.digits;
            }
            self.digits = beyond;
        }
        Ok(self.answer(&bracket.low.at, &bracket.high.at))
    }

    /// Looks for so many digits from now on.
    fn go_on(&mut self, digits: u32) {
        self.digits = digits;
        self.most = self.trials.saturating_add(MOST_FURTHER);
        self.unknown = 0;
    }

    /// Whether there is no use in more trials.
    fn is_over(&self) -> bool {
        self.trials >= self.most
            || self.digits > FIRST_DIGITS && self.unknown >= MOST_UNKNOWN
            || self.is_limited && self.unknown >= MOST_UNKNOWN_OF_FEW
    }

    /// Closes the bracket to the wanted width, if that is within reach.
    fn close(&mut self, bracket: &mut Bracket) -> Result<bool, AccountError> {
        // Secants until they agree, then a verdict on either side of where they do; and again, wider, where
        // that fails.
        let mut width = Rational::new(1.into(), 3.into());
        while !self.is_over() && !self.is_done(bracket) {
            let root = self.secants(bracket)?;
            let aside = self.tolerance(&bracket.high.at) * &width;
            for trial in [&root + &aside, &root - &aside] {
                let trial = short(&trial, &aside);
                if trial > bracket.low.at && trial < bracket.high.at {
                    bracket.take(self.side(&trial, self.digits.saturating_add(3))?);
                }
            }
            if !self.is_done(bracket) {
                let unit = self.tolerance(&bracket.high.at) / BigInt::from(16);
                let trial = short(&middle(&bracket.low.at, &bracket.high.at), &unit);
                if trial <= bracket.low.at || trial >= bracket.high.at {
                    break;
                }
                bracket.take(self.side(&trial, self.digits)?);
                width *= BigInt::from(2);
            }
        }
        Ok(self.is_done(bracket))
    }

    /// Follows secants of ln δ(ε) until they move by less than a tenth of the tolerance.
    fn secants(&mut self, bracket: &mut Bracket) -> Result<Rational, AccountError> {
        for _ in 0..24 {
            let (low, high) = (bracket.low.at.clone(), bracket.high.at.clone());
            let step = self.tolerance(&high) / BigInt::from(10);
            let mut root = self.crossing(bracket);
            if root <= low || root >= high {
                root = middle(&low, &high);
            }
            let moved = bracket.recent.last().map_or_else(|| high.clone(), |last| (&last.at - &root).abs());
            if moved <= step {
                return Ok(root);
            }
            // The next secant is as good as the square of this move: no more digits are needed than it has,
            // of the trial or of δ there.
            let trial = short(&root, &(&step + &moved * &moved / &high / BigInt::from(64)));
            if trial <= low || trial >= high {
                return Ok(root);
            }
            let digits = 4 + 2 * decimal_digits(&(&moved / &high));
            let before = &high - &low;
            let side = self.side(&trial, digits.min(self.digits.saturating_add(3)))?;
            if matches!(side, Side::Unknown) {
                return Ok(trial);
            }
            bracket.take(side);
            // Secants that creep from one side: halve once. Of more digits they are good from the start.
            if self.digits <= FIRST_DIGITS
                && (&bracket.high.at - &bracket.low.at) * BigInt::from(2) > before
                && moved > step.clone() * BigInt::from(1000)
            {
                let (low, high) = (bracket.low.at.clone(), bracket.high.at.clone());
                let near = (&high - &low) / BigInt::from(2);
                let jump = (&moved * BigInt::from(4)).min(near);
                let last_is_low = bracket.recent.last().is_some_and(|last| last.at == low);
                let trial = if last_is_low { &low + &jump } else { &high - &jump };
                let trial = short(&trial, &(&jump / BigInt::from(16)));
                if trial > low && trial < high {
                    let digits = 4 + decimal_digits(&(&jump / &high));
                    bracket.take(self.side(&trial, digits)?);
                }
            }
            if self.is_over() {
                return Ok(root);
            }
        }
        Ok(middle(&bracket.low.at, &bracket.high.at))
    }

    /// Where the line through the last two trials crosses, in ln δ(ε) where both have one, in δ(ε) otherwise.
    fn crossing(&self, bracket: &Bracket) -> Rational {
        let [.., a, b] = bracket.recent.as_slice() else { return middle(&bracket.low.at, &bracket.high.at) };
        let (at_a, at_b) = match (&a.excess, &b.excess) {
            (Some(at_a), Some(at_b)) => (at_a.clone(), at_b.clone()),
            _ => (&a.value - self.delta, &b.value - self.delta),
        };
        if at_a == at_b {
            return middle(&bracket.low.at, &bracket.high.at);
        }
        // Of limited length, as the enclosures that they come from are.
        let slope = (&b.at - &a.at) / (&at_b - &at_a);
        cut(&(&b.at - &at_b * slope), self.digits.saturating_mul(4).saturating_add(128))
    }

    /// An ε above the root, and if possible one below it, within a factor of 16: from 1, or the bound that is
    /// known, in steps that double in the exponent, and then halve. So a root of 10^-2000 takes some twenty
    /// trials.
    fn bracket(&mut self, low: End) -> Result<Bracket, AccountError> {
        let start = self.bound.map_or_else(Rational::one, |bound| bound.clone().min(Rational::one()));
        let start = if start.is_positive() { start } else { Rational::one() };
        let bounded = |at: Rational, bound: Option<&Rational>| bound.map_or(at.clone(), |bound| at.min(bound.clone()));
        let mut low = low;
        let mut high: Option<End> = None;
        // Exponents of two on both sides, as far as they are known.
        let (mut below, mut above): (Option<i64>, Option<i64>) = (None, None);
        let (mut exponent, mut step) = (0_i64, 4_i64);
        while exponent.abs() <= LARGEST {
            let at = bounded(&start * power_of_two(exponent), self.bound);
            match self.side(&at, 6)? {
                Side::Above(end) => {
                    (above, high) = (Some(exponent), Some(end));
                    if below.is_some() {
                        break;
                    }
                    exponent -= step;
                }
                Side::Below(end) => {
                    (below, low) = (Some(exponent), end);
                    if above.is_some() || self.bound.is_some_and(|bound| at >= *bound) {
                        break;
                    }
                    exponent += step;
                }
                // So near to the root that it cannot be told from it: a little farther up it can.
                Side::Unknown if high.is_some() => break,
                Side::Unknown => {
                    exponent += 1;
                    step = 1;
                }
            }
            step = step.saturating_mul(2);
            if self.trials >= MOST_TRIALS {
                break;
            }
        }
        while let (Some(from), Some(to)) = (below, above)
            && to - from > 4
        {
            let middle = i64::midpoint(from, to);
            match self.side(&bounded(&start * power_of_two(middle), self.bound), 6)? {
                Side::Above(end) => (above, high) = (Some(middle), Some(end)),
                Side::Below(end) => (below, low) = (Some(middle), end),
                Side::Unknown => break,
            }
        }
        // At the greatest loss δ(ε) is at most δ, which is known to be reached, even if that cannot be seen.
        let at_bound = || {
            let at = self.bound?.clone();
            Some(End { at, value: self.delta.clone(), excess: None })
        };
        let high = high.or_else(at_bound).ok_or(AccountError::OutOfReach)?;
        let recent = Vec::from([low.clone(), high.clone()]);
        Ok(Bracket { low, high, recent })
    }

    /// The wanted width at an ε.
    fn tolerance(&self, at: &Rational) -> Rational {
        at / BigInt::from(10).pow(self.digits)
    }

    fn is_done(&self, bracket: &Bracket) -> bool {
        &bracket.high.at - &bracket.low.at <= self.tolerance(&bracket.low.at)
    }

    fn answer(&self, low: &Rational, high: &Rational) -> Answer {
        between(low, high, self.method, self.precision)
    }
}

/// The answer that a bracket is.
pub(super) fn between(low: &Rational, high: &Rational, method: Method, precision: &Precision) -> Answer {
    // Trials are dyadic: their digits are all there at this precision.
    let digits = low.denom().bits().max(high.denom().bits());
    let digits = u32::try_from(digits).unwrap_or(u32::MAX);
    // The bounds are in order; were they not, both would still be in the answer.
    let point = |at: &Rational| Enclosure::from_rational(at, digits);
    Answer::new(point(low).hull(&point(high)), method, precision)
}

pub(super) fn middle(a: &Rational, b: &Rational) -> Rational {
    (a + b) / BigInt::from(2)
}

/// About −log10 of a share, from above.
fn decimal_digits(share: &Rational) -> u32 {
    let bits = share.denom().bits().saturating_sub(share.numer().bits());
    u32::try_from(bits * 3 / 10 + 1).unwrap_or(u32::MAX)
}

/// A dyadic number within a quarter of the unit of x, or so.
pub(super) fn short(x: &Rational, unit: &Rational) -> Rational {
    let bits = (unit.denom().bits() + 3).saturating_sub(unit.numer().bits());
    let grid = BigInt::one() << bits;
    Rational::new((x * &grid).round().to_integer(), grid)
}

/// x to about so many significant bits.
fn cut(x: &Rational, bits: u32) -> Rational {
    let bits = (x.denom().bits() + u64::from(bits)).saturating_sub(x.numer().bits());
    let grid = BigInt::one() << bits;
    Rational::new((x * &grid).round().to_integer(), grid)
}

#[cfg(test)]
mod tests {
    use core::cell::RefCell;

    use super::*;
    use crate::exact::{exp_neg, parse};

    /// ε(10^-5) of δ(ε) = e^-ε, which is 5·ln 10, from a profile that has so many digits and no more; and the
    /// digits that it was asked for.
    fn of_exponential(digits: u32, known: u32) -> (Answer, Vec<u32>) {
        let asked = RefCell::new(Vec::new());
        let mut profile = |epsilon: &NonNegative, precision: &Precision| {
            asked.borrow_mut().push(precision.digits);
            let bits = Precision { digits: precision.digits.min(known) }.bits() + 40;
            let enclosure = exp_neg(epsilon, bits);
            let unit = Rational::new(1.into(), BigInt::from(10).pow(known));
            let (lower, upper) = (enclosure.lower(), enclosure.upper() * (Rational::one() + unit));
            let enclosure = Enclosure::from_bounds(&lower, &upper, bits + 4 * known).unwrap();
            let is_narrow = is_narrow(&enclosure, precision);
            Ok(Answer { enclosure, method: Method::Trivial, is_narrow })
        };
        let delta = Probability::new(parse("1e-5").unwrap()).unwrap();
        let answer = epsilon(&mut profile, &delta, None, &Precision { digits }).unwrap();
        let truth = ln(&Positive::new(parse("1e5").unwrap()).unwrap(), 4 * digits + 64);
        assert!(answer.enclosure.lower() <= truth.upper() && truth.lower() <= answer.enclosure.upper(), "{answer:?}");
        let asked = asked.borrow().clone();
        (answer, asked)
    }

    /// Three hundred digits take a few trials at as many, and those before take fewer digits.
    #[test]
    fn early_steps_need_few_digits() {
        let (answer, asked) = of_exponential(300, 1000);
        assert!(answer.is_narrow, "{answer:?}");
        let late = asked.iter().filter(|digits| **digits > 160).count();
        assert!(asked.len() <= 60 && late <= 14, "{} trials, {late} late: {asked:?}", asked.len());
        let (_, asked) = of_exponential(15, 1000);
        assert!(asked.len() <= 20, "{} trials: {asked:?}", asked.len());
    }

    /// Who asks for more digits than there are gets those that there are.
    #[test]
    fn more_digits_than_there_are() {
        for known in [17, 24, 40] {
            let mut before: Option<Answer> = None;
            for digits in [5, 10, 15, 20, 30, 50, 200] {
                let (answer, asked) = of_exponential(digits, known);
                assert_eq!(answer.is_narrow, digits < known, "{digits} of {known}: {answer:?}");
                assert!(asked.len() <= 120, "{digits} of {known}: {} trials", asked.len());
                if let Some(before) = before {
                    assert!(answer.enclosure.width() <= before.enclosure.width(), "{digits} of {known}: {answer:?}");
                }
                before = Some(answer);
            }
            // The last digits of a profile are the last of its inverse, but for one or two.
            let width = before.unwrap().enclosure.width();
            let reached = Rational::new(1.into(), BigInt::from(10).pow(known.min(200) - 4));
            assert!(width <= reached, "{known}: {width}");
        }
    }
}
