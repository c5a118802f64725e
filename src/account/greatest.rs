//! The greatest loss of a plan: its pure ε, where it has one.

use alloc::{collections::BTreeMap, vec::Vec};

use num_traits::{One, Zero};

use super::{AccountError, Answer, Direction, Method, cache::Cache, lattice, methods::Accountant, question::Question};
use crate::{
    exact::{Budget, Enclosure, Positive, Rational, Scaled, Working, ln},
    guarantee::{FinitePair, Pair, Weight},
};

/// δ = 0 where ε is at least every loss.
pub(super) struct GreatestLoss;

impl Accountant for GreatestLoss {
    fn delta(&self, question: &Question<'_>, _: &Budget, _: &mut Cache) -> Option<Answer> {
        is_at_most(question.direction, question.epsilon.get()).then(|| Answer::zero(Method::GreatestLoss))
    }
}

/// The least upper bound of a loss.
pub(super) enum Greatest {
    Finite(Enclosure),
    Infinite,
}

impl Greatest {
    pub(super) fn finite(self) -> Option<Enclosure> {
        match self {
            Self::Finite(loss) => Some(loss),
            Self::Infinite => None,
        }
    }
}

/// The greatest loss of a direction, to about so many digits after the point, or relative to itself.
pub(super) fn loss(direction: &Direction, bits: u32) -> Result<Greatest, AccountError> {
    // Where all of it is on lattices a rational one is exact.
    if let Some(greatest) = lattice::greatest_loss(direction, bits) {
        return Ok(Greatest::Finite(greatest));
    }
    let mut sum = Enclosure::from_integer(0, 0);
    for part in direction {
        let mut most: Option<Enclosure> = None;
        for pair in part.pairs() {
            let Greatest::Finite(loss) = of_pair(pair, bits.saturating_add(64)).ok_or(AccountError::OutOfReach)? else {
                return Ok(Greatest::Infinite);
            };
            most = Some(match most {
                Some(most) => larger(&most, &loss),
                None => loss,
            });
        }
        let most = most.ok_or(AccountError::Empty)?;
        sum = sum.add(&most.mul(&Enclosure::from_integer(part.copies(), 0)));
    }
    Ok(Greatest::Finite(sum))
}

/// The larger of two numbers.
fn larger(a: &Enclosure, b: &Enclosure) -> Enclosure {
    let (lower, upper) = (a.lower().max(b.lower()), a.upper().max(b.upper()));
    Enclosure::from_bounds(&lower, &upper, a.precision().max(b.precision())).unwrap_or_else(|| a.hull(b))
}

/// Whether ε is certainly at least every loss of a direction, none of which is infinite.
pub(super) fn is_at_most(direction: &Direction, epsilon: &Rational) -> bool {
    match lattice::is_at_most(direction, epsilon) {
        Some(is) => is,
        None => matches!(loss(direction, 64), Ok(Greatest::Finite(greatest)) if greatest.upper() <= *epsilon),
    }
}

/// With g the greatest loss of (P, Q), that of ((1−r)Q + rP, Q) is ln(1 − r + r·e^g) = g + ln(r +
/// (1−r)·e^-g); with g′ that of (Q, P), that of the reverse is −ln(1 − r + r·e^-g′), e^-∞ being 0. `None` if
/// it is not known.
fn of_pair(pair: &Pair, bits: u32) -> Option<Greatest> {
    let (rate, of, reversed) = match pair {
        Pair::Subsampled { rate, of, reversed } => (rate, of, reversed),
        Pair::Finite(finite) => return of_finite(finite, bits),
        Pair::Laplace { .. } | Pair::Gaussian { .. } => {
            return Some(lattice::greatest_loss_of(pair, bits)?.map_or(Greatest::Infinite, Greatest::Finite));
        }
    };
    let rate = rate.get();
    let miss = Rational::one() - rate;
    // Digits that a small rate takes.
    let small = u32::try_from(rate.denom().bits()).ok()?.checked_mul(2)?;
    let working = Working::new(bits.checked_add(small)?);
    let inner = of_pair(&if *reversed { of.reversed() } else { of.as_ref().clone() }, working.bits())?;
    let power = match &inner {
        Greatest::Finite(loss) => working.exp(&loss.neg())?.fixed(working.bits())?,
        Greatest::Infinite => Enclosure::from_integer(0, 0),
    };
    let ln = |value: Enclosure| working.ln(&Scaled::from_enclosure(&value, working.bits()));
    Some(match inner {
        _ if *reversed => {
            Greatest::Finite(ln(Enclosure::from_rational(&miss, working.bits()).add(&power.mul_rational(rate)))?.neg())
        }
        Greatest::Finite(loss) => {
            let mixed = Enclosure::from_rational(rate, working.bits()).add(&power.mul_rational(&miss));
            Greatest::Finite(loss.add(&ln(mixed)?))
        }
        Greatest::Infinite => Greatest::Infinite,
    })
}

/// ln max_y P(y)/Q(y), on a lattice or not: with weights c·e^-x and c′·e^-x′ of y, and their sums Σ and Σ′,
/// P/Q = (c/c′)·e^(x′−x)·Σ′/Σ. Among the outcomes of one x′ − x the largest c/c′ decides, exactly: a
/// logarithm is taken of these alone.
fn of_finite(pair: &FinitePair, bits: u32) -> Option<Greatest> {
    let mut ratios: BTreeMap<Rational, Rational> = BTreeMap::new();
    for (p, q) in pair.outcomes().iter().filter(|(p, _)| !p.is_zero()) {
        if q.is_zero() {
            return Some(Greatest::Infinite);
        }
        let ratio = p.factor.get() / q.factor.get();
        let most = ratios.entry(q.exponent.get() - p.exponent.get()).or_insert_with(Rational::zero);
        if ratio > *most {
            *most = ratio;
        }
    }
    let losses = ratios.into_iter().map(|(exponent, ratio)| {
        Some(ln(&Positive::new(ratio).ok()?, bits).add(&Enclosure::from_rational(&exponent, bits)))
    });
    let most = losses.collect::<Option<Vec<_>>>()?.into_iter().reduce(|most, loss| larger(&most, &loss))?;
    Some(Greatest::Finite(most.add(&normalisers(pair, bits)?)))
}

/// ln(Σ′/Σ), exactly 0 where both sums are of the same weights, or rational and equal.
fn normalisers(pair: &FinitePair, bits: u32) -> Option<Enclosure> {
    let side = |of: fn(&(Weight, Weight)) -> &Weight| {
        let mut weights: Vec<Weight> = pair.outcomes().iter().map(of).filter(|w| !w.is_zero()).cloned().collect();
        weights.sort();
        weights
    };
    let (p, q) = (side(|outcome| &outcome.0), side(|outcome| &outcome.1));
    if p == q {
        return Some(Enclosure::from_integer(0, 0));
    }
    if p.iter().chain(&q).all(|weight| weight.exponent.get().is_zero()) {
        let sum = |weights: &[Weight]| weights.iter().map(|weight| weight.factor.get()).sum::<Rational>();
        // ln 1 is the point 0.
        return Some(ln(&Positive::new(sum(&q) / sum(&p)).ok()?, bits));
    }
    let working = Working::new(bits.checked_add(64)?);
    working.ln(&lattice::quotient(&q, &p, &working)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{account::Plan, exact::parse, mechanism::domination};
    use num_traits::Signed as _;

    fn directions(spec: &str) -> Vec<Direction> {
        crate::account::simplified::directions(&Plan::of(&domination(&spec.parse().unwrap()).unwrap(), 1))
    }

    /// mpmath: ln(0.9 + 0.1·e) and −ln(0.9 + 0.1/e), −ln(0.9).
    #[test]
    fn subsampled_losses() {
        let known = |spec: &str, direction: usize, text: &str| {
            let found = loss(&directions(spec)[direction], 80).unwrap().finite().unwrap();
            let known = parse(text).unwrap();
            let unit = parse("1e-18").unwrap();
            assert!(found.lower() <= &known + &unit && found.upper() >= known - unit, "{spec}: {found}");
            assert!(found.width() < parse("1e-18").unwrap());
        };
        known("subsampled_laplace(scale=1,rate=0.1)", 0, "0.1585650787404291110009521");
        known("subsampled_laplace(scale=1,rate=0.1)", 1, "0.0652983359988336953631635");
        known("subsampled_gaussian(sigma=1,rate=0.1)", 1, "0.105360515657826301227501");
        assert!(loss(&directions("subsampled_gaussian(sigma=1,rate=0.1)")[0], 80).unwrap().finite().is_none());
    }

    fn finite(outcomes: &[(&str, &str)]) -> Pair {
        let of = |text: &str| crate::exact::Probability::new(parse(text).unwrap()).unwrap();
        Pair::Finite(FinitePair::from_probabilities(outcomes.iter().map(|(p, q)| (of(p), of(q))).collect()).unwrap())
    }

    fn is_near(found: &Enclosure, ratio: &str, copies: u32) {
        let truth = ln(&Positive::new(parse(ratio).unwrap()).unwrap(), 120).mul(&Enclosure::from_integer(copies, 0));
        assert!(found.intersects(&truth) && found.width() < parse("1e-18").unwrap(), "{found} for {truth}");
    }

    /// Losses ln 2, ln 4/3 and −ln 3, on no lattice.
    #[test]
    fn losses_on_no_lattice() {
        let pair = finite(&[("1/2", "1/4"), ("1/3", "1/4"), ("1/6", "1/2")]);
        assert!(lattice::greatest_loss_of(&pair, 80).is_none());
        let of = |direction: Direction| loss(&direction, 80).unwrap().finite();
        let one = |pair: &Pair, copies| of(Direction::of([(alloc::vec![pair.clone()], copies)]));
        is_near(&one(&pair, 1).unwrap(), "2", 1);
        is_near(&one(&pair.reversed(), 7).unwrap(), "3", 7);
        // Beside another, and the larger of two.
        let other = finite(&[("2/3", "1/3"), ("1/3", "2/3")]);
        let both = Direction::of([(alloc::vec![pair.clone()], 2), (alloc::vec![other.clone()], 1)]);
        is_near(&of(both).unwrap(), "8", 1);
        is_near(&of(Direction::of([(alloc::vec![pair.reversed(), other], 1)])).unwrap(), "3", 1);
        // What may be seen on one side only.
        let revealing = finite(&[("1/2", "1/3"), ("1/3", "2/3"), ("1/6", "0")]);
        assert!(one(&revealing, 1).is_none());
        is_near(&one(&revealing.reversed(), 1).unwrap(), "2", 1);
    }

    /// As lattices say it, where there is one; with weights c·e^-x, whose sums are not rational.
    #[test]
    fn finite_pairs_agree_with_their_lattices() {
        for spec in [
            "randomized_response(gamma=1/4)",
            "randomized_response(p=309/500, k=9)",
            "randomized_response(epsilon=3, k=5)",
            "randomized_response(epsilon=1/7)",
        ] {
            let directions = directions(spec);
            let Some([Pair::Finite(pair)]) = directions[0].of_one_copy() else { panic!("{spec}") };
            let found = of_finite(pair, 80).unwrap().finite().unwrap();
            let known = lattice::greatest_loss(&directions[0], 80).unwrap();
            assert!(found.intersects(&known) && found.width() < parse("1e-18").unwrap(), "{spec}: {found} {known}");
        }
        // Unequal sums: P ∝ (1, e^-1), Q ∝ (e^-2, 3); ln(P/Q) = 2 + ln((3 + e^-2)/(1 + 1/e)) = 2.829474… at
        // the first.
        let weight = |factor: &str, exponent: &str| {
            let of = |text: &str| crate::exact::NonNegative::new(parse(text).unwrap()).unwrap();
            Weight { factor: of(factor), exponent: of(exponent) }
        };
        let pair =
            FinitePair::new(alloc::vec![(weight("1", "0"), weight("1", "2")), (weight("1", "1"), weight("3", "0"))]);
        let found = of_finite(&pair.unwrap(), 80).unwrap().finite().unwrap();
        let known = parse("2.829474429").unwrap();
        assert!((found.lower() - known).abs() < parse("1e-6").unwrap(), "{found}");
    }
}
