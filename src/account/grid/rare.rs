//! A plan, its rare outcomes apart ([`super::apart`]): as they are listed, or in blocks from both sides ([`super::blocks`]).

use alloc::vec::Vec;

use super::{
    apart::Apart,
    atoms::{self, Atoms, atoms},
    blocks::{self, blocks},
    convolution::Side,
    log_two_below,
    sums::are_too_many,
};
use crate::{
    account::Direction,
    exact::{Budget, Rational},
    guarantee::Pair,
};

/// What blocks may leave out on either side, 2^-this of δ.
const LEFT_OUT: u32 = 32;

/// The most parts that are put in blocks, each some hundreds.
const MOST_IN_BLOCKS: usize = 1 << 5;

const BOTH: [Side; 2] = [Side::Lower, Side::Upper];

/// Each part's pair, and its copies.
type Parts<'a> = Vec<(&'a Pair, u64)>;

/// What is asked about.
struct About<'a> {
    /// ε, and δ at most about.
    at: (&'a Rational, &'a Rational),
    /// What may be left out, 2^-tail.
    tail: u32,
    /// The binary digits of probabilities and losses.
    bits: u32,
}

impl<'a> About<'a> {
    fn new(parts: &Parts<'_>, epsilon: &'a Rational, delta: &'a Rational) -> Option<Self> {
        let copies = parts.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
        let log_delta = u32::try_from(-log_two_below(delta)?.min(0)).ok().filter(|log| *log < 1 << 10)?;
        let log_copies = u64::BITS - copies.leading_zeros();
        let (tail, bits) = (log_delta + log_copies + LEFT_OUT, 192 + log_delta + 2 * log_copies);
        Some(Self { at: (epsilon, delta), tail, bits })
    }

    fn apart(&self, parts: Vec<(Atoms, u64)>, sides: &[Side], budget: &Budget) -> Option<Apart> {
        Apart::new(parts, self.at, sides, self.bits, budget)
    }
}

/// δ from both sides.
pub(super) struct Rare {
    upper: Apart,
    /// `None` where the outcomes are listed, and one list serves both.
    lower: Option<Apart>,
}

impl Rare {
    /// Whether the plan is one that it is for: copies of some pairs, of which no part takes the worst of several.
    pub(super) fn may_be(direction: &Direction) -> bool {
        parts(direction).is_some()
    }

    /// For about an ε, at which δ is at most about `delta`; `None` where the plan is another, or a number is out of range.
    pub(super) fn new(direction: &Direction, epsilon: &Rational, delta: &Rational, budget: &Budget) -> Option<Self> {
        let parts = parts(direction)?;
        let about = About::new(&parts, epsilon, delta)?;
        let are_few = parts.iter().all(|(pair, _)| atoms::are_few(pair));
        if are_few {
            Self::listed(&parts, &about, budget)
        } else {
            Self::in_blocks(&parts, &about, atoms::are_few, budget)
        }
    }

    fn listed(parts: &Parts<'_>, about: &About<'_>, budget: &Budget) -> Option<Self> {
        let mut all = Vec::new();
        for (pair, copies) in parts {
            budget.spend(atoms::cost(pair, about.bits, about.bits))?;
            all.push((atoms(pair, about.bits, about.bits)?, *copies));
        }
        Some(Self { upper: about.apart(all, &BOTH, budget)?, lower: None })
    }

    /// With some pairs as they are listed still.
    fn in_blocks(parts: &Parts<'_>, about: &About<'_>, is_listed: fn(&Pair) -> bool, budget: &Budget) -> Option<Self> {
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (pair, copies) in parts {
            let (below, above) = if is_listed(pair) {
                budget.spend(atoms::cost(pair, about.bits, about.bits))?;
                let atoms = atoms(pair, about.bits, about.bits)?;
                (atoms.clone(), atoms)
            } else {
                budget.spend(blocks::cost(pair, about.tail, about.bits))?;
                blocks(pair, about.tail, about.bits)?
            };
            lower.push((below, *copies));
            upper.push((above, *copies));
        }
        let upper = about.apart(upper, &[Side::Upper], budget)?;
        Some(Self { upper, lower: Some(about.apart(lower, &[Side::Lower], budget)?) })
    }

    /// Finds out, for ε, where the width of the answer comes from, until that is narrow or the budget is spent.
    pub(super) fn refine(&mut self, epsilon: &Rational, budget: &Budget) {
        match &mut self.lower {
            None => self.upper.refine(epsilon, budget),
            Some(lower) => {
                self.upper.refine(epsilon, &budget.share(2));
                lower.refine(epsilon, budget);
            }
        }
    }

    /// The binary digits after the point that tell ε apart.
    pub(super) fn places(&self) -> u32 {
        self.upper.places()
    }

    /// Two numbers that δ(ε) is between; `None` where the budget is spent.
    pub(super) fn ask(&self, epsilon: &Rational, budget: &Budget) -> Option<(Rational, Rational)> {
        let lower = self.lower.as_ref().unwrap_or(&self.upper);
        budget.spend(self.upper.cost_of(Side::Upper).saturating_add(lower.cost_of(Side::Lower)))?;
        Some(self.delta(epsilon))
    }

    /// Two numbers that δ(ε) is between.
    pub(super) fn delta(&self, epsilon: &Rational) -> (Rational, Rational) {
        (self.lower.as_ref().unwrap_or(&self.upper).least(epsilon), self.upper.most(epsilon))
    }
}

/// The parts of a plan that it is for.
fn parts(direction: &Direction) -> Option<Parts<'_>> {
    let mut parts = Parts::new();
    for part in direction {
        parts.push((part.pair()?, part.copies()));
    }
    // Noise that is added to everything has no outcomes that are rare and large.
    let mixed = parts.iter().filter(|(pair, _)| matches!(pair, Pair::Subsampled { .. } | Pair::Finite(_))).count();
    let in_blocks = parts.iter().filter(|(pair, _)| !atoms::are_few(pair)).count();
    let are_many = parts.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies)) > 1;
    (are_many && !are_too_many(mixed) && in_blocks <= MOST_IN_BLOCKS).then_some(parts)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_traits::One;
    use proptest::prelude::*;

    use super::*;
    use crate::{
        account::{Plan, Precision, reference},
        exact::{Enclosure, NonNegative, Probability, parse},
        guarantee::{Domination, FinitePair},
    };

    fn truth(direction: &Direction, epsilon: &Rational) -> Enclosure {
        let epsilon = NonNegative::new(epsilon.clone()).unwrap();
        reference::delta(direction, &epsilon, &Precision::default(), &Budget::unlimited()).unwrap().enclosure
    }

    /// The truth is inside before anything is found out and after; δ is known to 2^-13 of itself then, but for what is left out of `scale`, if outcomes are
    /// listed. In blocks outcomes so far apart are moved about.
    fn encloses(direction: &Direction, epsilon: &Rational, scale: &Rational) {
        let parts = parts(direction).unwrap();
        let in_blocks =
            Rare::in_blocks(&parts, &About::new(&parts, epsilon, scale).unwrap(), |_| false, &Budget::unlimited());
        let listed = Rare::new(direction, epsilon, scale, &Budget::unlimited());
        // Infinite losses are left out, and booked.
        let infinite = crate::account::greatest::infinite_mass(direction).unwrap() * BigInt::from(2);
        let open = truth(direction, epsilon).upper() / (BigInt::one() << 13_u32)
            + scale / (BigInt::one() << 20_u32)
            + infinite;
        is_enclosed(direction, epsilon, &open, listed.unwrap());
        is_enclosed(direction, epsilon, &Rational::one(), in_blocks.unwrap());
    }

    fn is_enclosed(direction: &Direction, epsilon: &Rational, open: &Rational, mut rare: Rare) {
        let truth = truth(direction, epsilon);
        let budget = Budget::unlimited();
        assert!(rare.upper.is_apart());
        let is_inside = |(lower, upper): &(Rational, Rational)| *lower <= truth.upper() && truth.lower() <= *upper;
        assert!(is_inside(&rare.delta(epsilon)), "{direction:?} at {epsilon}");
        rare.refine(epsilon, &budget);
        let found = rare.delta(epsilon);
        assert!(is_inside(&found), "{direction:?} at {epsilon}: {found:?} for {truth}");
        assert!(&found.1 - &found.0 <= *open, "{direction:?} at {epsilon}: {found:?} for {truth}");
        // What was found out is right elsewhere, too.
        for n in 0..8 {
            let elsewhere = epsilon * Rational::new(n.into(), 4.into());
            let truth = self::truth(direction, &elsewhere);
            let (lower, upper) = rare.delta(&elsewhere);
            assert!(lower <= truth.upper() && truth.lower() <= upper, "{direction:?} at {elsewhere}");
        }
    }

    /// Outcomes of p and q in proportion to the weights.
    fn pair(weights: &[(u64, u64)]) -> Pair {
        let sum = |of: fn(&(u64, u64)) -> u64| weights.iter().map(of).sum::<u64>();
        let (all_p, all_q) = (sum(|weight| weight.0), sum(|weight| weight.1));
        let of = |part: u64, all: u64| Probability::new(Rational::new(part.into(), all.into())).unwrap();
        let outcomes = weights.iter().map(|(p, q)| (of(*p, all_p), of(*q, all_q))).collect();
        Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Frequent outcomes of small losses and rare ones of any, infinite among them, some with another part beside them; ε near a rare loss, or a sum of two, or none.
        #[test]
        fn the_truth_is_inside(
            frequent in prop::collection::vec((1_u64 << 20..1 << 21, -2000_i64..2000), 2..4),
            rare in prop::collection::vec((0_u64..400, 0_u64..400), 1..4),
            other in prop::option::of(prop::collection::vec((1_u64..1 << 12, 1_u64..1 << 12), 2..4)),
            copies in 1_u64..6,
            (times, beside) in (0_i64..3, -100_i64..100),
        ) {
            let near = |(p, off): &(u64, i64)| (*p, p.checked_add_signed(*off).unwrap());
            let mut weights: Vec<(u64, u64)> = frequent.iter().map(near).collect();
            weights.extend(rare.iter().filter(|weight| **weight != (0, 0)));
            // Rare, and of a large loss.
            weights.push((300, 7));
            let mut parts = alloc::vec![(alloc::vec![pair(&weights)], copies)];
            // Of any losses, all frequent or some rare.
            parts.extend(other.map(|other| (alloc::vec![pair(&other)], 2)));
            let direction = Direction::of(parts);
            prop_assume!(Rare::may_be(&direction));
            // ln(300/7) is about 3758/1000.
            let epsilon = Rational::new((times * 3758 + beside).max(0).into(), 1000.into());
            encloses(&direction, &epsilon, &(truth(&direction, &epsilon).upper() + Rational::new(1.into(), BigInt::one() << 30_u32)));
        }
    }

    /// Losses from 10^-6 to 1: both directions, at ε where the losses of 0, 1 and 2 rare outcomes lie.
    #[test]
    fn losses_of_many_sizes() {
        let rational = |text: &str| parse(text).unwrap();
        for (sigma, rate, copies) in [("9/20", "1e-5", 3), ("3/5", "1e-6", 3), ("4/5", "1e-4", 2)] {
            let of = crate::mechanism::from_spec(&alloc::format!("gaussian(sigma={sigma})").parse().unwrap());
            let of = alloc::boxed::Box::new(of.unwrap().domination().forward()[0].clone());
            let rate = Probability::new(rational(rate)).unwrap();
            let pair = Pair::Subsampled { rate, of, reversed: false };
            for direction in Plan::of(&Domination::by(pair), copies).directions() {
                for epsilon in ["0", "1e-5", "1e-3", "1/60", "1/4", "6/5"] {
                    let epsilon = rational(epsilon);
                    let scale = truth(&direction, &epsilon).upper();
                    // Above all losses of the other direction δ is 0, and next to nothing is known of tails beyond 10^-30.
                    if scale > rational("1e-30") {
                        encloses(&direction, &epsilon, &scale);
                    }
                }
            }
        }
    }
}
