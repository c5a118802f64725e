//! ε(δ): a composition made near the answer is asked for δ at many ε.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    Aim, CLOSE, Composition, Effort, FULL, LIGHT, METHOD, OPEN, Rare, convolution::Side, log_two_below, sketch,
    tilt::guess,
};
use crate::{
    account::{Answer, Direction, Precision, answer::is_narrow},
    exact::{Budget, Enclosure, Probability, Rational},
};

/// The largest ε that is tried, 2^this.
const MOST: u32 = 20;

/// The smallest, 2^-this.
const LEAST: u32 = 1100;

/// Encloses the smallest ε ≥ 0 with δ(ε) ≤ δ in every direction, for δ > 0, which is at most `bound` if that is given; `None` if the plan is out of reach.
pub(crate) fn epsilon(
    directions: &[Direction],
    delta: &Probability,
    bound: Option<&Rational>,
    precision: &Precision,
    budget: &Budget,
) -> Option<Answer> {
    let mut most: Option<Answer> = None;
    for (direction, left) in directions.iter().zip((1..=u64::try_from(directions.len()).ok()?).rev()) {
        // δ(ε) ≤ δ at an ε that another direction needs at least.
        if let Some(most) = &most
            && super::is_at_most(direction, &most.enclosure.lower(), delta.get(), &budget.share(left))
        {
            continue;
        }
        let answer = if direction.is_empty() {
            Answer { enclosure: Enclosure::from_integer(0, 0), method: METHOD, is_narrow: true }
        } else {
            one_direction(direction, delta.get(), bound, precision, &budget.share(left))?
        };
        most = Some(most.map_or_else(|| answer.clone(), |most: Answer| most.max(&answer)));
    }
    most
}

fn one_direction(
    direction: &Direction,
    delta: &Rational,
    bound: Option<&Rational>,
    precision: &Precision,
    budget: &Budget,
) -> Option<Answer> {
    // Wide noise on a fine grid may take an eighth; without a sketch there is no answer at all.
    let sketches = sketch(direction, &budget.share(4))?;
    // A first idea takes little; the last composition may take all that is left.
    let at = |epsilon: &Rational, effort: Effort, open: Option<u32>| {
        let share = if effort == FULL { budget.share(1) } else { budget.share(6) };
        let aim = Aim { epsilon, log_delta: log_two_below(delta), open };
        Composition::new(direction, &sketches, aim, effort, &share)?.bracket(delta, epsilon)
    };
    let capped = |epsilon: Rational| bound.map_or(epsilon.clone(), |bound| epsilon.min(bound.clone()));
    // A composition is right at every ε, and sharp where it was made: follow it to the answer.
    let start = log_two_below(delta).and_then(|log_delta| guess(&sketches, log_delta));
    let mut guess = capped(start.unwrap_or_else(Rational::one));
    let mut best: Option<(Rational, Rational)> = None;
    for round in 0..5 {
        let Some((lower, upper)) = at(&guess, if round == 4 { FULL } else { LIGHT }, None) else { break };
        let upper = capped(upper);
        let difference = (&upper - &guess).abs();
        let is_near = difference * BigInt::from(16) < upper;
        guess = upper.clone();
        best = Some(match best {
            Some((low, high)) => (low.max(lower), high.min(upper)),
            None => (lower, upper),
        });
        if guess.is_zero() {
            break;
        }
        if is_near && round < 4 {
            // As usual, with rare outcomes apart where that leaves it wide, and then with a lower window.
            let passes: [&dyn Fn(&(Rational, Rational)) -> Option<(Rational, Rational)>; 3] =
                [&|_| at(&guess, FULL, None), &|known| rare_bracket(direction, delta, known, budget), &|_| {
                    at(&guess, FULL, Some(OPEN.ilog2() - 1))
                }];
            for pass in passes {
                best = best.map(|(low, high)| match pass(&(low.clone(), high.clone())) {
                    Some((lower, upper)) => (low.max(lower), high.min(capped(upper))),
                    None => (low, high),
                });
                if best.as_ref().is_some_and(|(low, high)| (high - low) * BigInt::from(CLOSE * 50) <= *high) {
                    break;
                }
            }
            break;
        }
    }
    let (lower, upper) = best?;
    let digits = u32::try_from(lower.denom().bits().max(upper.denom().bits())).ok()?;
    let enclosure = Enclosure::from_bounds(&lower, &upper, digits.min(4096))?;
    let is_narrow = is_narrow(&enclosure, precision);
    Some(Answer { enclosure, method: METHOD, is_narrow })
}

/// A bracket of ε made narrower with rare outcomes apart.
fn rare_bracket(
    direction: &Direction,
    delta: &Rational,
    known: &(Rational, Rational),
    budget: &Budget,
) -> Option<(Rational, Rational)> {
    let mut rare = Rare::new(direction, delta, budget)?;
    let (mut low, mut high) = known.clone();
    let middle = |low: &Rational, high: &Rational| (low + high) / BigInt::from(2);
    // What is known near one ε is sharp near it: once more at the ε that it leads to.
    for _ in 0..2 {
        rare.refine(&middle(&low, &high), budget);
        let mut open = None;
        for _ in 0..30 {
            let at = middle(&low, &high);
            let (least, most) = rare.delta(&at);
            if least > *delta {
                low = at;
            } else if most <= *delta {
                high = at;
            } else {
                open = Some(at);
                break;
            }
        }
        // Between what is certainly above and what is certainly not.
        let Some(open) = open else { break };
        let (mut below, mut above) = (open.clone(), open);
        for _ in 0..8 {
            let at = middle(&low, &below);
            if rare.delta(&at).0 > *delta {
                low = at;
            } else {
                below = at;
            }
            let at = middle(&above, &high);
            if rare.delta(&at).1 <= *delta {
                high = at;
            } else {
                above = at;
            }
        }
    }
    Some((low, high))
}

impl Composition {
    /// ε between which the answer lies: at the upper, the pessimistic δ is at most δ; at the lower, the optimistic one is above δ, or ε = 0.
    ///
    /// It is looked for from the ε on for which the composition was made: far below, tilted masses are too small to be seen.
    fn bracket(&self, delta: &Rational, made_for: &Rational) -> Option<(Rational, Rational)> {
        let is_above = |side: Side, epsilon: &Rational| {
            let found = if side == Side::Upper { self.most(epsilon)? } else { self.least(epsilon)? };
            Some(found > *delta)
        };
        let search = |side: Side| -> Option<(Rational, Rational)> {
            // Optimistic masses are not seen from so far below, and prove nothing there.
            if side == Side::Upper && !is_above(side, &Rational::zero())? {
                return Some((Rational::zero(), Rational::zero()));
            }
            let made_for = &made_for.clone().max(Rational::new(BigInt::one(), BigInt::one() << LEAST));
            let mut high = made_for.clone();
            let mut low = Rational::zero();
            // By a sixteenth of it first, then by more.
            let aside = |parts: u32| made_for / BigInt::from(parts);
            if is_above(side, &high)? {
                low = high.clone();
                for parts in [16, 8, 4, 2] {
                    high = made_for + aside(parts);
                    if !is_above(side, &high)? {
                        break;
                    }
                    low = high.clone();
                }
                while is_above(side, &high)? {
                    low = high.clone();
                    high *= BigInt::from(2);
                    if high > Rational::from_integer(BigInt::one() << MOST) {
                        return None;
                    }
                }
            } else {
                for parts in [16, 8, 4] {
                    let lower = made_for - aside(parts);
                    if is_above(side, &lower)? {
                        low = lower;
                        break;
                    }
                    high = lower;
                }
                for halvings in 0..LEAST {
                    // Below the step nothing more is told apart.
                    if low.is_positive() || halvings > self.places() + MOST {
                        break;
                    }
                    let lower = &high / BigInt::from(2);
                    if is_above(side, &lower)? {
                        low = lower;
                    } else {
                        high = lower;
                    }
                }
            }
            for _ in 0..36 {
                let middle = (&low + &high) / BigInt::from(2);
                if is_above(side, &middle)? {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Some((low, high))
        };
        // The optimistic bracket's lower end is certain; the pessimistic one's upper end too, if there is one.
        Some((search(Side::Lower)?.0, search(Side::Upper)?.1))
    }
}
