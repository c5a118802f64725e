//! ε(δ): the profile, inverted.
//!
//! δ(ε) falls and is continuous, so that ε(δ) > x wherever the lower bound of δ(x) exceeds δ, and ε(δ) ≤ x wherever the upper bound of δ(x) is
//! at most δ. A bracket is closed by such verdicts alone; where the next trial is made is a guess (a secant of ln δ(ε)), which can make the
//! search longer but not wrong.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{AccountError, Answer, Precision, answer::is_narrow};
use crate::exact::{Enclosure, NonNegative, Positive, Probability, Rational, ln};

/// The most trials.
const MOST_TRIALS: u32 = 80;

/// Beyond this no ε is looked for.
const LARGEST: u32 = 64;

/// An end of the bracket: ε, δ(ε) there, and ln δ(ε) − ln δ unless δ(ε) may be 0.
#[derive(Clone, Debug)]
struct End {
    at: Rational,
    value: Rational,
    excess: Option<Rational>,
}

/// Encloses the smallest ε ≥ 0 with δ(ε) ≤ δ, for a profile δ(ε) that answers at any precision, and a wanted δ > 0 that it reaches.
///
/// # Errors
///
/// Those of the profile, and [`AccountError::NoEpsilon`] if it is still above δ at 2^64.
pub(super) fn epsilon(
    profile: &dyn Fn(&NonNegative, &Precision) -> Result<Answer, AccountError>,
    delta: &Probability,
    precision: &Precision,
) -> Result<Answer, AccountError> {
    let mut search = Search { profile, delta: delta.get(), precision, trials: 0, method: "" };
    search.run()
}

struct Search<'a> {
    profile: &'a dyn Fn(&NonNegative, &Precision) -> Result<Answer, AccountError>,
    delta: &'a Rational,
    precision: &'a Precision,
    trials: u32,
    method: &'static str,
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
        let finest = self.precision.digits.saturating_add(12);
        let mut digits = digits.min(finest);
        loop {
            self.trials += 1;
            let answer = (self.profile)(&epsilon, &Precision { digits })?;
            self.method = answer.method;
            let (lower, upper) = (answer.enclosure.lower(), answer.enclosure.upper());
            let is_above = lower > *self.delta;
            if is_above || upper <= *self.delta {
                let value = (lower + upper) / BigInt::from(2);
                let logarithm = |x: &Rational| Some(ln(&Positive::new(x.clone()).ok()?, 96).lower());
                let excess = logarithm(&value).zip(logarithm(self.delta)).map(|(at, wanted)| at - wanted);
                let end = End { at: at.clone(), value, excess };
                return Ok(if is_above { Side::Below(end) } else { Side::Above(end) });
            }
            if digits >= finest || !answer.is_narrow {
                return Ok(Side::Unknown);
            }
            digits = digits.saturating_mul(2).min(finest);
        }
    }

    fn run(&mut self) -> Result<Answer, AccountError> {
        let mut low = match self.side(&Rational::zero(), 6)? {
            Side::Below(end) => end,
            // δ(0) ≤ δ.
            Side::Above(_) => return Ok(self.answer(&Rational::zero(), &Rational::zero())),
            // δ(0) is δ, as far as can be seen.
            Side::Unknown => End { at: Rational::zero(), value: self.delta.clone(), excess: None },
        };
        let mut high = self.above(&mut low)?;
        let mut sharpness = 3_u32;
        let mut halve = false;
        while self.trials < MOST_TRIALS && !self.is_done(&low.at, &high.at) {
            let (guess, nearer_low) = if halve { (middle(&low.at, &high.at), true) } else { self.guess(&low, &high) };
            // Beyond the guess, seen from the nearer end, by a share of the distance: the root is then between.
            let near = if nearer_low { &low.at } else { &high.at };
            let unit = self.tolerance(&high.at) / BigInt::from(4);
            let margin = (&guess - near).abs() / (BigInt::one() << sharpness) + &unit;
            let trial = if nearer_low { &guess + &margin } else { &guess - &margin };
            let trial = short(&trial, &low.at, &high.at, &unit);
            let before = &high.at - &low.at;
            let relative = (&high.at - &low.at) / &high.at;
            let digits = 3 + decimal_digits(&relative) + sharpness / 3;
            let expected_above = nearer_low;
            let was_above = match self.side(&trial, digits.min(self.precision.digits + 2))? {
                Side::Below(end) => {
                    low = end;
                    false
                }
                Side::Above(end) => {
                    high = end;
                    true
                }
                // The root is too near to tell: try beside it, twice; then leave it at that.
                Side::Unknown => {
                    let mut moved = false;
                    for aside in [&trial + &unit, &trial - &unit] {
                        if aside <= low.at || aside >= high.at {
                            continue;
                        }
                        match self.side(&aside, self.precision.digits + 2)? {
                            Side::Below(end) => (low, moved) = (end, true),
                            Side::Above(end) => (high, moved) = (end, true),
                            Side::Unknown => {}
                        }
                    }
                    if !moved {
                        break;
                    }
                    expected_above
                }
            };
            sharpness = if was_above == expected_above { (sharpness * 2).min(40) } else { (sharpness / 2).max(1) };
            // Not even halved: the next trial is the middle.
            halve = (&high.at - &low.at) * BigInt::from(2) > before;
        }
        Ok(self.answer(&low.at, &high.at))
    }

    /// An ε at which δ(ε) ≤ δ: 1, 2, 4, …, raising the lower end on the way; or 1/2, 1/4, … while that is enough.
    fn above(&mut self, low: &mut End) -> Result<End, AccountError> {
        let mut at = Rational::one();
        let mut found = None;
        for _ in 0..2 * LARGEST {
            match self.side(&at, 6)? {
                Side::Above(end) => {
                    at = &end.at / BigInt::from(16);
                    found = Some(end);
                    if low.at.is_positive() || at < low.at {
                        break;
                    }
                }
                Side::Below(end) => {
                    at = &end.at * BigInt::from(4);
                    *low = end;
                    if found.is_some() {
                        break;
                    }
                }
                Side::Unknown if found.is_some() => break,
                Side::Unknown => at = at * BigInt::from(5) / BigInt::from(4),
            }
        }
        found.ok_or(AccountError::NoEpsilon)
    }

    /// Where the secant crosses, and whether it is nearer to the lower end.
    fn guess(&self, low: &End, high: &End) -> (Rational, bool) {
        let span = &high.at - &low.at;
        let (above, below) = match (&low.excess, &high.excess) {
            (Some(above), Some(below)) => (above.clone(), -below.clone()),
            _ => (&low.value - self.delta, self.delta - &high.value),
        };
        let whole = &above + &below;
        if !whole.is_positive() {
            return (middle(&low.at, &high.at), true);
        }
        let nearer_low = above <= below;
        (&low.at + span * above / whole, nearer_low)
    }

    /// The wanted width at an ε.
    fn tolerance(&self, at: &Rational) -> Rational {
        at / BigInt::from(10).pow(self.precision.digits)
    }

    fn is_done(&self, low: &Rational, high: &Rational) -> bool {
        high - low <= self.tolerance(low)
    }

    fn answer(&self, low: &Rational, high: &Rational) -> Answer {
        // Trials are dyadic: their digits are all there at this precision.
        let digits = low.denom().bits().max(high.denom().bits());
        let precision = u32::try_from(digits).unwrap_or(u32::MAX);
        let enclosure = Enclosure::from_bounds(low, high, precision).unwrap_or_else(|| Enclosure::from_integer(0, 0));
        let is_narrow = is_narrow(&enclosure, self.precision);
        Answer { enclosure, method: self.method, is_narrow }
    }
}

fn middle(a: &Rational, b: &Rational) -> Rational {
    (a + b) / BigInt::from(2)
}

/// About −log10 of a share, from above.
fn decimal_digits(share: &Rational) -> u32 {
    let bits = share.denom().bits().saturating_sub(share.numer().bits());
    u32::try_from(bits * 3 / 10 + 1).unwrap_or(u32::MAX)
}

/// A short dyadic number near x, strictly between low and high: rounded to a fraction of the unit, or of the span.
fn short(x: &Rational, low: &Rational, high: &Rational, unit: &Rational) -> Rational {
    let fine = unit.clone().min((high - low) / BigInt::from(8)) / BigInt::from(4);
    let bits = fine.denom().bits().saturating_sub(fine.numer().bits()) + 1;
    let grid = BigInt::one() << bits;
    let round = |x: &Rational| Rational::new((x * &grid).round().to_integer(), grid.clone());
    let rounded = round(x);
    if rounded > *low && rounded < *high { rounded } else { round(&middle(low, high)) }
}
