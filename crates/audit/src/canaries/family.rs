//! Claims in a row, of which an audit names the weakest that it refutes.
#![expect(clippy::float_arithmetic, reason = "places of claims; each claim is tested as the float that it is")]

use core::ops::RangeInclusive;

use super::{CanaryError, Curve};
use crate::Claim;

/// Claims in a row: place 0 is the claim itself, and **the greater the place, the more a claim allows**, so
/// that a test that refutes one refutes all before it.
///
/// A bound on ε is only known along such a family: to reject one Gaussian curve is not to reject (ε, δ).
pub trait Family {
    /// Which claims they are, in words.
    fn name(&self) -> String;

    /// Where there are claims; 0 among them.
    fn places(&self) -> RangeInclusive<i32>;

    /// The claim as a curve.
    ///
    /// # Errors
    ///
    /// If it has no profile.
    fn curve(&mut self, place: i32) -> Result<Curve, CanaryError>;

    /// The claim by δ(0) alone, which is all that matters where every canary is guessed.
    ///
    /// # Errors
    ///
    /// If it has no profile.
    fn distance(&mut self, place: i32) -> Result<Curve, CanaryError> {
        self.curve(place)
    }

    /// ε and δ, where the claim is nothing else.
    fn pair(&self, place: i32) -> Option<(f64, f64)>;

    /// At most the ε of the claim, at the δ of the family; nothing where no δ is asked for.
    ///
    /// # Errors
    ///
    /// If it has none.
    fn epsilon_below(&mut self, place: i32) -> Result<Option<f64>, CanaryError>;

    /// The claim in words.
    fn member(&mut self, place: i32) -> String;
}

/// (ε, δ) with ε varied and δ as claimed.
#[derive(Clone, Debug)]
pub struct Pairs {
    claim: Claim,
}

/// Places between ε and ε + 1.
const PLACES_A_UNIT: f64 = 4096.0;

/// As far as ε is varied.
const MOST_EPSILON: f64 = 100.0;

impl Pairs {
    /// The claims around this one.
    #[must_use]
    pub fn new(claim: Claim) -> Self {
        Self { claim }
    }

    /// The one that is claimed.
    #[must_use]
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    fn epsilon(&self, place: i32) -> f64 {
        (self.claim.epsilon_above() + f64::from(place) / PLACES_A_UNIT).clamp(0.0, MOST_EPSILON)
    }
}

impl Family for Pairs {
    fn name(&self) -> String {
        format!("(epsilon, delta) with delta = {} and epsilon varied", certus::exact::render(self.claim.delta()))
    }

    fn places(&self) -> RangeInclusive<i32> {
        #[expect(clippy::cast_possible_truncation, reason = "ε is at most 100, and so is 4096·ε below 2^19")]
        let places = |epsilon: f64| (epsilon * PLACES_A_UNIT).floor() as i32;
        let epsilon = self.claim.epsilon_above();
        -places(epsilon)..=places(MOST_EPSILON - epsilon).max(0)
    }

    fn curve(&mut self, place: i32) -> Result<Curve, CanaryError> {
        Ok(Curve::approximate(self.epsilon(place), self.claim.delta_above())?)
    }

    fn pair(&self, place: i32) -> Option<(f64, f64)> {
        Some((self.epsilon(place), self.claim.delta_above()))
    }

    fn epsilon_below(&mut self, place: i32) -> Result<Option<f64>, CanaryError> {
        // Place 0 is tested as the least float above the claim.
        Ok(Some(if place == 0 { crate::bounds::below(self.claim.epsilon()) } else { self.epsilon(place) }))
    }

    fn member(&mut self, place: i32) -> String {
        format!("epsilon = {}", crate::bounds::decimal_below(self.epsilon(place)))
    }
}

/// The greatest place that is refuted, if any is: outwards from the claim in steps that double, and then
/// between the last two. Whatever the search did, **the place that is answered was itself refuted**.
pub(super) fn greatest_refuted(
    places: &RangeInclusive<i32>,
    mut is_refuted: impl FnMut(i32) -> Result<bool, CanaryError>,
) -> Result<Option<i32>, CanaryError> {
    // `low` is refuted, or below all places; `high` is not, or above all.
    let (first, last) = (*places.start(), *places.end());
    let (mut low, mut high) = (first - 1, last + 1);
    // An account of a plan takes a second: few places are asked.
    let mut step = (last.saturating_sub(first) / 32).max(1);
    let upwards = is_refuted(0)?;
    if upwards {
        low = 0
    } else {
        high = 0
    }
    while upwards && high > last && low < last {
        let next = low.saturating_add(step).min(last);
        if is_refuted(next)? {
            low = next
        } else {
            high = next
        }
        step *= 2;
    }
    while !upwards && low < first && high > first {
        let next = high.saturating_sub(step).max(first);
        if is_refuted(next)? {
            low = next
        } else {
            high = next
        }
        step *= 2;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_refuted(middle)? { low = middle } else { high = middle }
    }
    Ok((low >= first).then_some(low))
}

#[cfg(test)]
mod tests {
    use certus::exact::parse;

    use super::*;

    #[test]
    fn the_greatest_is_found_wherever_it_is() {
        for (first, last) in [(-10, 10), (0, 0), (-1, 300), (-300, 0)] {
            for greatest in first - 1..=last {
                let mut asked = 0;
                let found = greatest_refuted(&(first..=last), |place| {
                    asked += 1;
                    assert!((first..=last).contains(&place), "{place}");
                    Ok(place <= greatest)
                });
                assert_eq!(found, Ok((greatest >= first).then_some(greatest)), "{first} {last}");
                assert!(asked <= 20, "{asked}");
            }
        }
    }

    #[test]
    fn pairs_are_around_their_claim() {
        let mut pairs = Pairs::new(Claim::new(parse("1/3").unwrap(), parse("1e-5").unwrap()).unwrap());
        let places = pairs.places();
        assert!(pairs.epsilon(*places.start()) < 1.0 / 4096.0 && pairs.epsilon(*places.end()) > 99.9);
        assert!(pairs.epsilon_below(0).unwrap().unwrap() <= 1.0 / 3.0);
        assert_eq!(pairs.pair(4096).unwrap().1, pairs.claim().delta_above());
    }
}
