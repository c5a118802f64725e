//! The last digits of ε(δ): a bracket, closed further by a profile that is finer than the one that found it.

use num_bigint::BigInt;
use num_traits::Signed;

use super::{
    AccountError, Answer, Precision,
    inverse::{between, middle, short},
};
use crate::exact::{NonNegative, Positive, Rational, ln};

/// The most trials.
const MOST_TRIALS: u32 = 8;

/// A bracket of ε(δ), closed by a few trials. Where they are made is a guess; what they say is a verdict, as
/// in a search.
///
/// Secants of ln δ(ε) tell where the root is about, and how far to either side of it δ(ε) is told from δ:
/// there the next trials are made, and farther out where that was too near.
pub(super) fn closer(
    profile: &mut dyn FnMut(&NonNegative, &Precision) -> Result<Answer, AccountError>,
    delta: &Rational,
    found: &Answer,
    precision: &Precision,
) -> Answer {
    let (mut low, mut high) = (found.enclosure.lower(), found.enclosure.upper());
    close(profile, delta, (&mut low, &mut high), precision);
    between(&low, &high, found.method, precision)
}

/// Moves the ends by verdicts alone, as far as it gets.
fn close(
    profile: &mut dyn FnMut(&NonNegative, &Precision) -> Result<Answer, AccountError>,
    delta: &Rational,
    (low, high): (&mut Rational, &mut Rational),
    precision: &Precision,
) -> Option<()> {
    let bits = precision.bits().saturating_add(96);
    let logarithm = |x: &Rational| Some(ln(&Positive::new(x.clone()).ok()?, bits).lower());
    let wanted = logarithm(delta)?;
    let half = |low: &Rational, high: &Rational| short(&middle(low, high), &((high - low) / BigInt::from(64)));
    let mut trial = half(low, high);
    let mut before: Option<(Rational, Rational)> = None;
    let mut times = 1;
    for _ in 0..MOST_TRIALS {
        if trial <= *low || trial >= *high {
            break;
        }
        let answer = profile(&NonNegative::new(trial.clone()).ok()?, precision).ok()?;
        let (lower, upper) = (answer.enclosure.lower(), answer.enclosure.upper());
        if lower > *delta {
            low.clone_from(&trial);
        } else if upper <= *delta {
            high.clone_from(&trial);
        } else {
            times *= 2;
        }
        let (under, over) = (logarithm(&lower)? - &wanted, logarithm(&upper)? - &wanted);
        let here = (trial.clone(), middle(&under, &over));
        let Some(other) = before.replace(here.clone()) else {
            // Two trials make a secant: the second is where the bracket is open still.
            trial = half(if times > 1 { &trial } else { low }, high);
            continue;
        };
        if here.0 == other.0 {
            break;
        }
        // ln δ(ε) falls by so much a unit.
        let fall = (&here.1 - &other.1) / (&other.0 - &here.0);
        if !fall.is_positive() {
            break;
        }
        let root = &here.0 + &here.1 / &fall;
        let aside = (&over - &under) / &fall * BigInt::from(times);
        let far = &aside * BigInt::from(2);
        let next = if &*high - &root > far {
            &root + &aside
        } else if &root - &*low > far {
            &root - &aside
        } else {
            break;
        };
        trial = short(&next, &(&aside / BigInt::from(4)));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::Method,
        exact::{Enclosure, exp_neg, parse},
    };

    /// ε(10^-5) of δ(ε) = e^-ε, which is 5·ln 10 = 11.5129…, from [11, 12], by a profile of seven digits.
    #[test]
    fn the_last_digits_of_a_bracket() {
        let mut trials = 0;
        let mut profile = |epsilon: &NonNegative, precision: &Precision| {
            trials += 1;
            let unit = parse("1.0000001").unwrap();
            let (lower, upper) = (exp_neg(epsilon, 80).lower(), exp_neg(epsilon, 80).upper() * unit);
            let enclosure = Enclosure::from_bounds(&lower, &upper, 120).unwrap();
            Ok(Answer::new(enclosure, Method::Spectral, precision))
        };
        let precision = Precision { digits: 15 };
        let found = between(&parse("11").unwrap(), &parse("12").unwrap(), Method::Spectral, &precision);
        let closed = closer(&mut profile, &parse("1e-5").unwrap(), &found, &precision).enclosure;
        let truth = ln(&Positive::new(parse("1e5").unwrap()).unwrap(), 120);
        assert!(closed.lower() <= truth.lower() && truth.upper() <= closed.upper(), "{closed}");
        assert!(closed.width() < parse("1e-6").unwrap() && trials <= MOST_TRIALS, "{closed} by {trials}");
    }
}
