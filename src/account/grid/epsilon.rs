//! ε(δ): a composition made near the answer is asked for δ at many ε.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    Aim, Composition, Effort, FULL, LIGHT, MANY_PARTS, Memory, OPEN, Rare, WIDE, convolution::Side, fixed::ceil,
    log_two_below, sketch, tilt::guess,
};
use crate::{
    account::{Answer, Direction, Method, Precision, answer::is_narrow, greatest},
    exact::{Budget, Enclosure, Probability, Rational},
};

/// The largest ε that is tried, 2^this.
const MOST: u32 = 20;

/// The smallest, 2^-this.
const LEAST: u32 = 1100;

/// How often a light composition is followed.
const LIGHT_ROUNDS: u32 = 8;

/// How often rare outcomes are taken apart for another ε.
const ROUNDS: u32 = 6;

/// A bracket of one part in so many is not worth another composition.
const ENOUGH: u32 = 10_000;

/// A bracket of one part in so many is not searched further.
const NARROW: u32 = 1 << 26;

/// What is tried to narrow a bracket.
#[derive(Clone, Copy, Debug)]
enum Pass {
    /// A composition of the full effort.
    Full,
    /// Rare outcomes apart.
    Apart,
    /// A composition with a lower window.
    Open,
}

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
            && super::is_at_most(
                direction,
                &most.enclosure.lower(),
                delta.get(),
                &budget.share(left),
                &mut Memory::default(),
            )
        {
            continue;
        }
        let answer = if direction.is_empty() {
            Answer { enclosure: Enclosure::from_integer(0, 0), method: Method::Spectral, is_narrow: true }
        } else {
            // Most is the first one's, as for δ.
            let share = if left == 1 { budget.share(1) } else { budget.part(3, 4) };
            one_direction(direction, delta.get(), bound, precision, &share)?
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
    let are_many = direction.len() > MANY_PARTS;
    let sketches = sketch(direction, &budget.share(if are_many { 2 } else { 4 }))?;
    // A first idea takes little, but where each of many parts takes some; the last composition may take all that is left.
    let at = |epsilon: &Rational, effort: Effort, open: Option<u32>| {
        let share = match effort {
            FULL => 1,
            _ if are_many => 3,
            _ => 6,
        };
        let aim = Aim { epsilon, log_delta: log_two_below(delta), open };
        Composition::new(direction, &sketches, aim, effort, &budget.share(share))?.bracket(delta, epsilon)
    };
    // Its own greatest loss is a bound, too.
    let greatest = greatest::loss(direction, 64).ok().and_then(greatest::Greatest::finite).map(|loss| loss.upper());
    let bound = bound.into_iter().chain(&greatest).min();
    let capped = |epsilon: Rational| bound.map_or(epsilon.clone(), |bound| epsilon.min(bound.clone()));
    // A composition is right at every ε, and sharp where it was made: follow it to the answer.
    let start = log_two_below(delta).and_then(|log_delta| guess(&sketches, log_delta));
    let mut guess = capped(start.unwrap_or_else(Rational::one));
    let mut best: Option<(Rational, Rational)> = None;
    let mut stuck = 0;
    for _ in 0..LIGHT_ROUNDS {
        let Some((lower, upper)) = at(&guess, LIGHT, None) else {
            if best.is_some() {
                break;
            }
            // Next to the greatest loss, or above it, there may be none; and none far above all that matters.
            guess *=
                if bound.is_some() { Rational::new(7.into(), 8.into()) } else { Rational::new(1.into(), 8.into()) };
            continue;
        };
        let upper = capped(upper);
        let difference = (&upper - &guess).abs();
        let is_near = difference * BigInt::from(16) < upper;
        guess = upper.clone();
        let before = best.as_ref().map(|(low, high)| high - low);
        let (low, high) = match best {
            Some((low, high)) => (low.max(lower), high.min(upper)),
            None => (lower, upper),
        };
        // Hardly narrower than before.
        let is_stuck = before.is_some_and(|before| (&high - &low) * BigInt::from(8) > before * BigInt::from(7));
        let is_wide = (&high - &low) * BigInt::from(4) > high;
        if is_near && is_wide && !high.is_zero() {
            // It leads nowhere, being sharp nowhere near the answer: somewhere between.
            guess = (&low + &high) / BigInt::from(2);
        }
        best = Some((low, high));
        stuck += u32::from(is_near && is_stuck);
        if guess.is_zero() || is_near && !is_wide || stuck > 1 {
            break;
        }
    }
    // At an end that is certain.
    if let Some((_, high)) = &best {
        guess = high.clone();
    }
    // As usual, with rare outcomes apart where that leaves it wide, or at once where it is unlikely to do; and then with a lower window.
    let is_wide = best.as_ref().is_some_and(|(low, high)| (high - low) * BigInt::from(WIDE) > *high);
    let first = if is_wide { [Pass::Apart, Pass::Full] } else { [Pass::Full, Pass::Apart] };
    for pass in first.into_iter().chain([Pass::Open]) {
        let found = best.clone().filter(|_| !guess.is_zero()).and_then(|known| match pass {
            Pass::Full => at(&guess, FULL, None),
            Pass::Apart => Some(Rare::new(direction, &known.1, delta, budget)?.bracket(delta, known, budget)),
            Pass::Open => at(&guess, FULL, Some(OPEN.ilog2() - 1)),
        });
        best = best.map(|(low, high)| match found {
            Some((lower, upper)) => (low.max(lower), high.min(capped(upper))),
            None => (low, high),
        });
        if best.as_ref().is_some_and(|(low, high)| (high - low) * BigInt::from(ENOUGH) <= *high) {
            break;
        }
    }
    let (lower, upper) = best.or_else(|| Some((Rational::zero(), bound?.clone())))?;
    let digits = u32::try_from(lower.denom().bits().max(upper.denom().bits())).ok()?;
    let enclosure = Enclosure::from_bounds(&lower, &upper, digits.min(4096))?;
    let is_narrow = is_narrow(&enclosure, precision);
    Some(Answer { enclosure, method: Method::Spectral, is_narrow })
}

impl Rare {
    /// A bracket of ε made narrower, as far as the budget goes.
    fn bracket(&mut self, delta: &Rational, known: (Rational, Rational), budget: &Budget) -> (Rational, Rational) {
        let (mut low, mut high) = known;
        // What is known near one ε is sharp near it: once more at the ε that it leads to.
        for _ in 0..ROUNDS {
            self.refine(&((&low + &high) / BigInt::from(2)), budget);
            let mut open = None;
            let mut trials = Trials::default();
            // From 0 there is no end to halving.
            for _ in 0..64 {
                if (&high - &low) * BigInt::from(NARROW) <= high {
                    return (low, high);
                }
                let at = trials.next((&low, &high), self.places());
                let Some((least, most)) = self.ask(&at, budget) else { return (low, high) };
                if least > *delta {
                    trials.is_above(least - delta);
                    low = at;
                } else if most <= *delta {
                    trials.is_not_above(delta - most);
                    high = at;
                } else {
                    open = Some((at, least, most));
                    break;
                }
            }
            let Some(open) = open else { break };
            let width = &high - &low;
            let ask = |at: &Rational| self.ask(at, budget);
            let Some(()) = sides(delta, (&mut low, &mut high), open, self.places(), ask) else { break };
            let is_close = (&high - &low) * BigInt::from(ENOUGH) <= high;
            if is_close || &high - &low == width {
                break;
            }
        }
        (low, high)
    }
}

/// Both ends of a bracket brought nearer to an ε between, at which it is not known whether δ(ε) is above δ: as far as the chord from below tells, or some more.
fn sides(
    delta: &Rational,
    (low, high): (&mut Rational, &mut Rational),
    (at, least, most): (Rational, Rational, Rational),
    places: u32,
    ask: impl Fn(&Rational) -> Option<(Rational, Rational)>,
) -> Option<()> {
    let slope = (ask(low)?.0 - &least) / (&at - &*low);
    if !slope.is_positive() {
        return None;
    }
    let short = |distance: Rational| Rational::new(ceil(&distance, places), BigInt::one() << places);
    let (down, up) = (short((delta - least) / &slope), short((most - delta) / slope));
    let eighths = |n: u32| Rational::new(n.into(), 8.into());
    for n in [9, 12, 20, 40] {
        let below = &at - &down * eighths(n);
        if below > *low && ask(&below)?.0 > *delta {
            *low = below;
            break;
        }
    }
    for n in [9, 12, 20, 40] {
        let above = &at + &up * eighths(n);
        if above < *high && ask(&above)?.1 <= *delta {
            *high = above;
            break;
        }
    }
    Some(())
}

/// Where to ask next between two ε: where the chord of what is known at both meets δ, an end that stays where it is being pulled nearer by half each time, as in the
/// Illinois method; or half-way, every third time and where nothing is known.
#[derive(Default)]
struct Trials {
    count: u32,
    /// How far above δ the lower end is known to be, and how far below the upper end, or some halves of that.
    above: Option<Rational>,
    below: Option<Rational>,
    /// Whether the last trial was above δ.
    was_above: Option<bool>,
}

impl Trials {
    fn next(&mut self, (low, high): (&Rational, &Rational), places: u32) -> Rational {
        self.count += 1;
        let middle = (low + high) / BigInt::from(2);
        let (Some(above), Some(below)) = (&self.above, &self.below) else { return middle };
        if self.count.is_multiple_of(3) || (above + below).is_zero() {
            return middle;
        }
        let at = low + (high - low) * above / (above + below);
        let at = Rational::new(ceil(&at, places), BigInt::one() << places);
        if at > *low && at < *high { at } else { middle }
    }

    fn is_above(&mut self, by: Rational) {
        if self.was_above == Some(true) {
            self.below = self.below.take().map(|below| below / BigInt::from(2));
        }
        (self.above, self.was_above) = (Some(by), Some(true));
    }

    fn is_not_above(&mut self, by: Rational) {
        if self.was_above == Some(false) {
            self.above = self.above.take().map(|above| above / BigInt::from(2));
        }
        (self.below, self.was_above) = (Some(by), Some(false));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{Plan, reference},
        exact::{NonNegative, parse},
        guarantee::{Domination, Pair},
        mechanism::from_spec,
    };
    use alloc::boxed::Box;
    use proptest::prelude::*;

    proptest! {
        /// Of (1 + ε)^-4, known to some more and some less: at the ends it is above δ and is not, whatever the chord tells.
        #[test]
        fn both_ends_stay_outside(
            (low, width, beside) in (0_i64..100, 1_i64..400, 1_i64..99),
            (less, more) in (2_u32..30, 2_u32..30),
            share in 0_i64..100,
        ) {
            let truth = |epsilon: &Rational| (Rational::one() + epsilon).pow(-4);
            let open = |n: u32| Rational::new(BigInt::one(), BigInt::one() << n);
            let known = |epsilon: &Rational| {
                ((truth(epsilon) - open(less)).max(Rational::zero()), truth(epsilon) + open(more))
            };
            let hundredths = |n: i64| Rational::new(n.into(), 100.into());
            let (first, last) = (hundredths(low), hundredths(low + width));
            let at = &first + hundredths(width) * hundredths(beside);
            // δ that is known to be neither above nor below.
            let (least, most) = known(&at);
            let delta = &least + (&most - &least) * hundredths(share);
            let (mut low, mut high) = (first.clone(), last.clone());
            prop_assume!(truth(&low) > delta && truth(&high) <= delta);
            let _ = sides(&delta, (&mut low, &mut high), (at, least, most), 64, |at| Some(known(at)));
            prop_assert!(truth(&low) > delta && truth(&high) <= delta, "{low} {high}");
            prop_assert!(first <= low && low < high && high <= last, "{low} {high}");
        }
    }

    /// Losses from 10^-6 to 1, and δ at ε among them: the bracket narrows to the ε, and at its ends δ is above and is not.
    #[test]
    fn rare_outcomes_apart_narrow_a_bracket() {
        let rational = |text: &str| parse(text).unwrap();
        let of = from_spec(&"gaussian(sigma=3/5)".parse().unwrap()).unwrap().domination();
        let of = Box::new(of.forward()[0].clone());
        let rate = Probability::new(rational("1e-6")).unwrap();
        let plan = Plan::of(&Domination::by(Pair::Subsampled { rate, of, reversed: false }), 3);
        let direction = plan.directions().into_iter().next().unwrap();
        let budget = Budget::unlimited();
        let truth = |epsilon: &Rational| {
            let epsilon = NonNegative::new(epsilon.clone()).unwrap();
            reference::delta(&direction, &epsilon, &Precision::default(), &budget).unwrap().enclosure
        };
        for epsilon in ["1e-6", "1e-3", "1/61", "1/4"] {
            let epsilon = rational(epsilon);
            let delta = truth(&epsilon).lower();
            let wide = (&epsilon / BigInt::from(3), &epsilon * BigInt::from(2));
            let mut rare = Rare::new(&direction, &epsilon, &delta, &budget).unwrap();
            let (low, high) = rare.bracket(&delta, wide, &budget);
            assert!(truth(&low).upper() > delta && truth(&high).lower() <= delta, "{epsilon}: {low} {high}");
            assert!((&high - &low) * BigInt::from(10_000) <= high, "{epsilon}: {low} {high}");
        }
    }
}
