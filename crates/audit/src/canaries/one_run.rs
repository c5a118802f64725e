//! An audit of one run: canaries and a family of claims in, verdicts out.
#![expect(clippy::float_arithmetic, reason = "shares of α, rounded down; every bound is moved outward by its error")]

use super::{Canaries, CanaryError, Curve, Family, Guessing, guesses, plan, recursion};
use crate::statistics::real;

/// Which bound tests a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Mahloujifar, Melis and Chaudhuri's recursion, for any curve.
    Curve,
    /// Steinke, Nasr and Jagielski's, for (ε, δ).
    Steinke,
}

/// An audit of one run, all of it fixed before scores are seen.
///
/// A true claim is called false with probability at most α = 1 − confidence, over the coins of the canaries,
/// whatever the scores are, as long as they were computed without the coins. Several r share α. **The verdict
/// on the plan has an α of its own**: of two verdicts on true statements, one is an alarm with at most 2α.
#[derive(Clone, Debug)]
pub struct OneRun {
    alpha: f64,
    guesses: Option<Vec<u64>>,
    method: Method,
    guessing: Guessing,
    is_independent: bool,
}

/// r guesses, and how many were right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guessed {
    /// r.
    pub guesses: u64,
    /// How many were right.
    pub right: u64,
    /// The share of α.
    pub alpha: f64,
    /// At least the probability of so many under the claim.
    pub p_value: f64,
    /// The least number that would refute the claim, if any does.
    pub needed: Option<u64>,
    /// How many are right, about every other time, of independent canaries that attain the claim's curve.
    pub expected: u64,
}

/// What was found of one null.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// Each r.
    pub guessed: Vec<Guessed>,
    /// Whether the claim is refuted.
    pub is_refuted: bool,
    /// The greatest place of the family that is refuted; nothing where none is.
    pub place: Option<i32>,
    /// At least what the claim's ε has to be: that of the claim at `place`, at the family's δ, or 0. Nothing
    /// where no δ is asked for.
    pub epsilon_lower: Option<f64>,
    /// The same, had as many been right as `expected`: what this many canaries can show of a mechanism that
    /// is exactly at the claim.
    pub epsilon_expected: Option<f64>,
}

/// The verdicts on one run.
#[derive(Clone, Debug, PartialEq)]
pub struct OneRunReport {
    /// On the claim: differential privacy, or a plan's curve.
    pub claim: Tested,
    /// On the plan itself, where its conditions are attested.
    pub plan: Option<Tested>,
}

/// The probability of so many right guesses, from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Null {
    Claim(Method),
    Plan,
}

impl OneRun {
    /// At this confidence, with the guesses of [`default_guesses`], by ranks, by the curve.
    ///
    /// # Errors
    ///
    /// If the confidence is not in (0, 1 − 10^-12].
    pub fn new(confidence: f64) -> Result<Self, CanaryError> {
        // NaN is refused too.
        if !(confidence > 0.0 && confidence <= 1.0 - 1e-12) {
            return Err(CanaryError::Confidence);
        }
        // As many as the decimals that were meant, or a little less.
        let alpha = 1.0 - confidence - f64::EPSILON;
        Ok(Self { alpha, guesses: None, method: Method::Curve, guessing: Guessing::Ranks, is_independent: false })
    }

    /// How many guesses: **fixed before scores are seen**. Several share α evenly.
    #[must_use]
    pub fn guesses(mut self, guesses: &[u64]) -> Self {
        self.guesses = Some(guesses.to_vec());
        self
    }

    /// The bound.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// How scores become guesses.
    #[must_use]
    pub fn guessing(mut self, guessing: Guessing) -> Self {
        self.guessing = guessing;
        self
    }

    /// Also says whether the run was the plan itself, which the caller attests the conditions of: what was
    /// released is a post-processing of independent channels, one a canary ([`super::plan`]).
    #[must_use]
    pub fn independent(mut self) -> Self {
        self.is_independent = true;
        self
    }

    /// Runs the audit.
    ///
    /// # Errors
    ///
    /// If the guesses are out of range, the method is not for this claim, or a plan has no account.
    pub fn run(&self, canaries: &Canaries, family: &mut dyn Family) -> Result<OneRunReport, CanaryError> {
        let m = canaries.len();
        let is_pair = family.pair(0).is_some();
        if self.method == Method::Steinke && !is_pair {
            return Err(CanaryError::Method);
        }
        if self.is_independent && is_pair {
            return Err(CanaryError::NoPlan);
        }
        let guesses = self.guesses.clone().unwrap_or_else(|| vec![default_guesses(m)]);
        let is_twice = |place: usize, r: &u64| guesses.iter().take(place).any(|other| other == r);
        let is_bad = |(place, r): (usize, &u64)| *r == 0 || *r > m || is_twice(place, r);
        if guesses.is_empty() || guesses.iter().enumerate().any(is_bad) {
            return Err(CanaryError::Guesses(m));
        }
        let shares = even(&guesses, self.alpha);
        let claim = self.test(Null::Claim(self.method), canaries, family, &shares)?;
        let plan = if self.is_independent { Some(self.run_plan(canaries, family)?) } else { None };
        Ok(OneRunReport { claim, plan })
    }

    /// Says whether the run was the plan itself, and nothing of the claim: see [`independent`](Self::independent),
    /// whose conditions the caller attests by this. It takes a fraction of the time.
    ///
    /// # Errors
    ///
    /// If the claim is no plan, or it has no account.
    pub fn run_plan(&self, canaries: &Canaries, family: &mut dyn Family) -> Result<Tested, CanaryError> {
        if family.pair(0).is_some() {
            return Err(CanaryError::NoPlan);
        }
        // All of them are guessed: nearly as strong as the best r, whatever that is.
        self.test(Null::Plan, canaries, family, &[(canaries.len(), self.alpha)])
    }

    /// Tests one null, with r and its share of α.
    fn test(
        &self,
        null: Null,
        canaries: &Canaries,
        family: &mut dyn Family,
        shares: &[(u64, f64)],
    ) -> Result<Tested, CanaryError> {
        let m = canaries.len();
        let guesses: Vec<u64> = shares.iter().map(|(r, _)| *r).collect();
        let right = canaries.right(self.guessing, &guesses);
        let (curve, pair) = (null.curve(family, 0)?, family.pair(0));
        let guessed: Vec<Guessed> = shares
            .iter()
            .zip(&right)
            .map(|(&(r, alpha), &right)| {
                let expected = expected(&curve, m, r);
                let p_value = null.p_value(&curve, pair, [m, r, right]);
                let needed = least(r, |v| null.refutes(&curve, pair, [m, r, v], alpha));
                Guessed { guesses: r, right, alpha, p_value, needed, expected }
            })
            .collect();
        let places = family.places();
        let mut bound = |right: &[u64]| -> Result<(Option<i32>, Option<f64>), CanaryError> {
            let place = super::family::greatest_refuted(&places, |place| {
                let (curve, pair) = (null.curve(family, place)?, family.pair(place));
                let mut each = shares.iter().zip(right);
                Ok(each.any(|(&(r, alpha), &v)| null.refutes(&curve, pair, [m, r, v], alpha)))
            })?;
            let epsilon = match place {
                Some(place) => family.epsilon_below(place)?,
                None => family.epsilon_below(0)?.map(|_| 0.0),
            };
            Ok((place, epsilon))
        };
        let (place, epsilon_lower) = bound(&right)?;
        let expected: Vec<u64> = guessed.iter().map(|guessed| guessed.expected).collect();
        let (_, epsilon_expected) = bound(&expected)?;
        Ok(Tested {
            guessed,
            is_refuted: place.is_some_and(|place| place >= 0),
            place,
            epsilon_lower,
            epsilon_expected,
        })
    }
}

impl Null {
    /// What of a claim matters: of the plan itself all canaries are guessed.
    fn curve(self, family: &mut dyn Family, place: i32) -> Result<Curve, CanaryError> {
        match self {
            Self::Claim(_) => family.curve(place),
            Self::Plan => family.distance(place),
        }
    }

    /// Of m canaries, r guesses and v right ones.
    fn p_value(self, curve: &Curve, pair: Option<(f64, f64)>, [m, r, v]: [u64; 3]) -> f64 {
        match (self, pair) {
            (Self::Plan, _) => plan::p_value(curve, m, r, v),
            (Self::Claim(Method::Steinke), Some((epsilon, delta))) => guesses::p_value(epsilon, delta, m, r, v),
            (Self::Claim(_), _) => recursion::p_value(curve, m, r, v),
        }
    }

    fn refutes(self, curve: &Curve, pair: Option<(f64, f64)>, [m, r, v]: [u64; 3], alpha: f64) -> bool {
        match self {
            Self::Claim(Method::Curve) => recursion::refutes(curve, m, r, v, alpha),
            _ => self.p_value(curve, pair, [m, r, v]) <= alpha,
        }
    }
}

/// α in even shares, each rounded down.
fn even(guesses: &[u64], alpha: f64) -> Vec<(u64, f64)> {
    let count = real(guesses.len() as u64);
    guesses.iter().map(|r| (*r, (alpha / count).next_down())).collect()
}

/// The least v up to r that holds, of what holds of all greater ones.
fn least(r: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if !holds(r) {
        return None;
    }
    let (mut low, mut high) = (0, r);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// r·A(r/m), rounded down: the mean number of right guesses of independent canaries that attain the curve.
fn expected(curve: &Curve, m: u64, r: u64) -> u64 {
    let mean = real(r) * curve.right_at_most(real(r) / real(m));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to r")]
    let mean = mean.floor() as u64;
    mean.min(r)
}

/// How many guesses are made where nobody says: 3√m, which is near the best for Gaussian noise of ε from 1 to
/// 8 and a hundred to ten thousand canaries. It depends on m alone, and so is fixed before scores are seen.
#[must_use]
pub fn default_guesses(m: u64) -> u64 {
    m.saturating_mul(9).isqrt().clamp(1, m.max(1))
}

#[cfg(test)]
mod tests {
    use certus::{bits::seeded, exact::parse};

    use super::*;
    use crate::{
        Claim,
        canaries::{Canary, Pairs},
    };

    /// Of m canaries this many of the strongest are known, and of the others nothing.
    fn known(m: u32, known: u32) -> Canaries {
        let canary = |place: u32| {
            let is_in = place.is_multiple_of(2);
            let size = f64::from(m - place) + 1.0;
            Canary { score: if is_in == (place < known || place % 4 < 2) { size } else { -size }, is_in }
        };
        let list: Vec<_> = (0..m).map(canary).collect();
        Canaries::new(&list, &mut seeded([5; 32])).unwrap()
    }

    fn pairs(epsilon: &str) -> Pairs {
        Pairs::new(Claim::new(parse(epsilon).unwrap(), parse("1e-5").unwrap()).unwrap())
    }

    fn audit() -> OneRun {
        OneRun::new(0.95).unwrap().guessing(Guessing::Ratios)
    }

    /// All r together have no more than α, and what one r alone refutes need not be refuted by its share.
    #[test]
    fn several_share_alpha() {
        let canaries = known(400, 100);
        let report = audit().guesses(&[10, 50, 100, 400]).run(&canaries, &mut pairs("1")).unwrap();
        let shares: f64 = report.claim.guessed.iter().map(|guessed| guessed.alpha).sum();
        assert!(shares <= 0.05 && shares > 0.049_999, "{shares}");
        let alone = audit().guesses(&[100]).run(&canaries, &mut pairs("1")).unwrap();
        assert!(alone.claim.epsilon_lower > report.claim.epsilon_lower, "{alone:?} {report:?}");
        for guesses in [&[][..], &[0], &[401], &[5, 5]] {
            assert_eq!(audit().guesses(guesses).run(&canaries, &mut pairs("1")), Err(CanaryError::Guesses(400)));
        }
    }

    /// r depends on the number of canaries alone, whatever their scores are.
    #[test]
    fn guesses_are_fixed_before_scores() {
        for (m, r) in [(1, 1), (2, 2), (100, 30), (1000, 94), (10_000, 300)] {
            assert_eq!(default_guesses(m), r);
        }
        let of = |canaries: &Canaries| audit().run(canaries, &mut pairs("1")).unwrap().claim.guessed[0].guesses;
        assert_eq!((of(&known(400, 0)), of(&known(400, 400))), (60, 60));
    }

    /// The verdict, the p-value, the number that is needed and the bound on ε agree.
    #[test]
    fn what_is_found_agrees() {
        for all in [40, 50, 60, 80, 100] {
            for epsilon in ["0.1", "1", "2", "3"] {
                for method in [Method::Curve, Method::Steinke] {
                    let report =
                        audit().guesses(&[100]).method(method).run(&known(400, all), &mut pairs(epsilon)).unwrap();
                    let Tested { guessed, is_refuted, epsilon_lower, .. } = report.claim;
                    let claimed: f64 = epsilon.parse().unwrap();
                    assert_eq!(is_refuted, guessed[0].p_value <= 0.05, "{guessed:?}");
                    assert_eq!(is_refuted, guessed[0].needed.is_some_and(|needed| guessed[0].right >= needed));
                    assert_eq!(is_refuted, epsilon_lower.unwrap() >= claimed, "{epsilon_lower:?} {claimed}");
                    assert!(report.plan.is_none());
                }
            }
        }
        let independent = audit().independent().run(&known(400, 100), &mut pairs("1"));
        assert_eq!(independent, Err(CanaryError::NoPlan));
        assert_eq!(audit().run_plan(&known(400, 100), &mut pairs("1")), Err(CanaryError::NoPlan));
        assert_eq!(OneRun::new(f64::NAN).unwrap_err(), CanaryError::Confidence);
    }
}
