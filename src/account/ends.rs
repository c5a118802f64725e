//! The two ends of an account: what a plan loses at most, and what it loses at least.
//!
//! Of most plans both are those of its pairs. Of Gaussian noise on vectors they are apart: the upper end is
//! that of a line (or of the pairs that stand for it, where that is less), within the factor κ; the lower end
//! is that of a vector that neighbours can differ by
//! ([`GaussianVectors`](crate::guarantee::GaussianVectors)).

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    AccountError, Answer, Direction, Plan, Precision,
    cache::Cache,
    delta::of_directions,
    infinite, methods,
    question::{Purpose, Question},
    simplified::directions,
};
use crate::exact::{Budget, Enclosure, NonNegative, Rational};

/// Where a line does without more than one part in so many of the variance, the pairs are looked at as well.
/// Affects width and time, never soundness.
const LOST_PARTS: u32 = 16;

/// No end is looked for to more digits where the ends are apart. Affects width and time, never soundness.
const MOST_DIGITS: u32 = 7;

/// One end, and what was composed of it.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) directions: Vec<Direction>,
    /// At least ln κ: what is accounted for is within κ of these directions, or less.
    ln_kappa: Rational,
    pub(super) cache: Cache,
}

/// Both ends of a plan.
#[derive(Debug)]
pub(super) struct Ends {
    /// Each of them loses at least as much as the plan.
    above: Vec<Side>,
    /// It loses no more; nothing where the ends are the same.
    below: Option<Side>,
}

impl Side {
    fn of(plan: &Plan) -> Self {
        Self { directions: directions(plan), ln_kappa: Rational::zero(), cache: Cache::default() }
    }

    /// ε − 2·ln κ, where that is not negative; otherwise ε, and ln κ is for an atom of infinite loss.
    fn shifted(&self, epsilon: &NonNegative) -> (NonNegative, bool) {
        let shifted = epsilon.get() - &self.ln_kappa * BigInt::from(2);
        NonNegative::new(shifted).map_or_else(|_| (epsilon.clone(), false), |shifted| (shifted, true))
    }

    /// At least δ, from at least that of the directions at the shifted ε: κ·δ, κ ≤ 1/(1 − ln κ), or ln κ + δ.
    fn scaled(&self, delta: &Rational, is_shifted: bool) -> Rational {
        let scaled = if is_shifted { delta / (Rational::one() - &self.ln_kappa) } else { delta + &self.ln_kappa };
        scaled.min(Rational::one())
    }

    /// δ of all directions, or of one.
    fn delta(&mut self, of: Of, at: (&NonNegative, &Precision), budget: &Budget) -> Result<Answer, AccountError> {
        match of {
            Of::All => of_directions(&self.directions, at, Purpose::Answer, budget, &mut self.cache),
            Of::One(index) => {
                super::length::refuse_long(&self.directions, at.0.get())?;
                // What has one direction is the same in both.
                let direction = self.directions.get(index).or(self.directions.last()).ok_or(AccountError::Empty)?;
                Ok(methods::delta(&Question::new(direction, at.0, at.1), budget, &mut self.cache).clamped())
            }
        }
    }
}

/// Which directions a question is of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    All,
    One(usize),
}

impl Ends {
    pub(super) fn new(plan: &Plan) -> Self {
        let pairs = || Side::of(plan);
        if !plan.has_vectors() {
            return Self { above: Vec::from([pairs()]), below: None };
        }
        // Where there are too many coordinates to count, nothing is known to be lost.
        let below = plan.below().unwrap_or_default();
        let Some((line, ln_kappa, lost)) = plan.above().filter(|(_, ln_kappa, _)| *ln_kappa < Rational::one()) else {
            return Self { above: Vec::from([pairs()]), below: Some(Side::of(&below)) };
        };
        let is_exact = ln_kappa.is_zero() && line.directions() == below.directions();
        let mut above = Vec::from([Side { ln_kappa, ..Side::of(&line) }]);
        if lost * BigInt::from(LOST_PARTS) > Rational::one() {
            above.push(pairs());
        }
        Self { above, below: (!is_exact).then(|| Side::of(&below)) }
    }

    /// How many directions there are: two, or one where they are the same.
    pub(super) fn directions(&self) -> usize {
        self.above.iter().chain(&self.below).map(|side| side.directions.len()).max().unwrap_or(0)
    }

    /// Where both ends are of the same pairs, these.
    pub(super) fn exact(&mut self) -> Option<&mut Side> {
        match (self.above.as_mut_slice(), &self.below) {
            ([side], None) if side.ln_kappa.is_zero() => Some(side),
            _ => None,
        }
    }

    /// Encloses δ(ε).
    pub(super) fn delta(
        &mut self,
        of: Of,
        epsilon: &NonNegative,
        precision: &Precision,
        budget: &Budget,
    ) -> Result<Answer, AccountError> {
        if let Some(side) = self.exact() {
            return side.delta(of, (epsilon, precision), budget);
        }
        let digits = Precision { digits: precision.digits.min(MOST_DIGITS) };
        let mut upper: Option<(Rational, Answer)> = None;
        for side in &mut self.above {
            let (at, is_shifted) = side.shifted(epsilon);
            let answer = side.delta(of, (&at, &digits), &budget.share(2))?;
            let most = side.scaled(&answer.enclosure.upper(), is_shifted);
            if upper.as_ref().is_none_or(|(least, _)| most < *least) {
                upper = Some((most, answer));
            }
        }
        let (upper, answer) = upper.ok_or(AccountError::Empty)?;
        let lower = match &mut self.below {
            Some(side) if !side.directions.is_empty() => {
                side.delta(of, (epsilon, &digits), budget).map_or_else(|_| Rational::zero(), |at| at.enclosure.lower())
            }
            _ => Rational::zero(),
        };
        Ok(Answer::new(between(&lower, &upper), answer.method, precision))
    }

    /// Encloses the probability of an infinite loss of a direction.
    pub(super) fn revealed(&self, index: usize, precision: &Precision) -> Option<Enclosure> {
        let mass = |side: &Side| {
            let direction = side.directions.get(index).or(side.directions.last())?;
            infinite::mass(direction, &Rational::one(), precision)
        };
        let first = self.above.first()?;
        let above = mass(first)?;
        let Some(below) = &self.below else { return Some(above) };
        let lower = if below.directions.is_empty() { Rational::zero() } else { mass(below)?.lower() };
        Some(between(&lower, &first.scaled(&above.upper(), false)))
    }

    /// Encloses ε(δ), from a search over the directions of one end.
    pub(super) fn epsilon(
        &self,
        delta: &Rational,
        precision: &Precision,
        search: impl Fn(&[Direction], &Rational, &Precision) -> Result<Answer, AccountError>,
    ) -> Result<Answer, AccountError> {
        let digits = Precision { digits: precision.digits.min(MOST_DIGITS) };
        let mut upper: Option<(Rational, Answer)> = None;
        let mut refused = AccountError::Empty;
        for side in &self.above {
            // κ·δ(ε − 2·ln κ) ≤ δ, where δ(ε − 2·ln κ) ≤ (1 − ln κ)·δ.
            let wanted = delta * (Rational::one() - &side.ln_kappa);
            match search(&side.directions, &wanted, &digits) {
                Ok(answer) => {
                    let most = answer.enclosure.upper() + &side.ln_kappa * BigInt::from(2);
                    if upper.as_ref().is_none_or(|(least, _)| most < *least) {
                        upper = Some((most, answer));
                    }
                }
                Err(error) => refused = error,
            }
        }
        let Some((upper, answer)) = upper else { return Err(refused) };
        let lower = match &self.below {
            Some(side) if !side.directions.is_empty() => search(&side.directions, delta, &digits)
                .map_or_else(|_| Rational::zero(), |answer| answer.enclosure.lower()),
            _ => Rational::zero(),
        };
        Ok(Answer::new(between(&lower, &upper), answer.method, precision))
    }
}

/// Both ends as an enclosure.
fn between(lower: &Rational, upper: &Rational) -> Enclosure {
    debug_assert!(lower <= upper, "the ends are crossed: {lower} {upper}");
    let (lower, upper) = (lower.clone().min(upper.clone()), lower.clone().max(upper.clone()));
    let leading = upper.denom().bits().saturating_sub(upper.numer().bits()).min(1 << 20);
    let bits = u32::try_from(leading).unwrap_or(0).saturating_add(96);
    let lower = if lower.is_negative() { Rational::zero() } else { lower };
    Enclosure::from_bounds(&lower, &upper, bits).unwrap_or_else(|| Answer::trivial().enclosure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{delta, epsilon},
        exact::{Probability, parse},
        mechanism::domination,
    };

    fn number(text: &str) -> Rational {
        parse(text).unwrap()
    }

    /// κ is never dropped: with ln κ = 1/10, δ(1) is e^(1/10)·δ(8/10) or a little more, and next to 0 an atom
    /// is added.
    #[test]
    fn kappa_is_paid() {
        let plan = Plan::of(&domination(&"gaussian(sigma=2)".parse().unwrap()).unwrap(), 3);
        let ends = || Ends { above: Vec::from([Side { ln_kappa: number("1/10"), ..Side::of(&plan) }]), below: None };
        let (precision, budget) = (Precision { digits: 7 }, Budget::new(methods::MOST_STEPS));
        let at = |text: &str| NonNegative::new(number(text)).unwrap();
        let exact = |text: &str| delta(&plan, &at(text), &precision).unwrap().enclosure;
        for of in [Of::All, Of::One(0)] {
            let found = ends().delta(of, &at("1"), &precision, &budget).unwrap().enclosure;
            let factor = found.upper() / exact("8/10").upper();
            assert!(factor > number("1.1051") && factor < number("1.112"), "{factor}");
            let near = ends().delta(of, &at("1/20"), &precision, &budget).unwrap().enclosure;
            assert!((near.upper() - exact("1/20").upper() - number("1/10")) < number("1e-6"), "{near}");
            assert!(near.upper() >= exact("1/20").lower() + number("0.0951"), "{near}");
        }
        let wanted = Probability::new(number("9e-6")).unwrap();
        let least = epsilon(&plan, &wanted, &precision).unwrap().enclosure;
        let search = |directions: &[Direction], delta: &Rational, precision: &Precision| {
            assert_eq!(*delta, number("9e-6"));
            assert_eq!(directions, Side::of(&plan).directions);
            epsilon(&plan, &Probability::new(delta.clone()).unwrap(), precision)
        };
        let found = ends().epsilon(&number("1e-5"), &precision, search).unwrap().enclosure;
        assert!((found.upper() - least.upper() - number("1/5")) < number("1e-6"), "{found} {least}");
        assert!(found.upper() >= least.lower() + number("1/5"), "{found} {least}");
    }
}
