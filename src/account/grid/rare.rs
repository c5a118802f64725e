//! A plan of copies of one part, its rare outcomes apart ([`super::apart`]): as they are listed, or in blocks from both sides ([`super::blocks`]).

use super::{
    apart::Apart,
    atoms::{self, Atoms, atoms},
    blocks::{self, blocks},
    convolution::Side,
    log_two_below,
};
use crate::{
    account::Direction,
    exact::{Budget, Rational},
    guarantee::Pair,
};

/// What blocks may leave out on either side, 2^-this of δ.
const LEFT_OUT: u32 = 32;

const BOTH: [Side; 2] = [Side::Lower, Side::Upper];

/// What is asked about.
struct About<'a> {
    copies: u64,
    /// ε, and δ at most about.
    at: (&'a Rational, &'a Rational),
    /// What may be left out, 2^-tail.
    tail: u32,
    /// The binary digits of probabilities and losses.
    bits: u32,
}

impl<'a> About<'a> {
    fn new(copies: u64, epsilon: &'a Rational, delta: &'a Rational) -> Option<Self> {
        let log_delta = u32::try_from(-log_two_below(delta)?.min(0)).ok().filter(|log| *log < 1 << 10)?;
        let log_copies = u64::BITS - copies.leading_zeros();
        let (tail, bits) = (log_delta + log_copies + LEFT_OUT, 192 + log_delta + 2 * log_copies);
        Some(Self { copies, at: (epsilon, delta), tail, bits })
    }

    fn apart(&self, all: Atoms, sides: &[Side], budget: &Budget) -> Option<Apart> {
        Apart::new(all, self.copies, self.at, sides, self.bits, budget)
    }
}

/// δ from both sides.
pub(super) struct Rare {
    upper: Apart,
    /// `None` where the outcomes are listed, and one list serves both.
    lower: Option<Apart>,
}

impl Rare {
    /// Whether the plan is one that it is for: copies of one pair.
    pub(super) fn may_be(direction: &Direction) -> bool {
        matches!(direction.as_slice(), [(pairs, 2..)] if pairs.len() == 1)
    }

    /// For about an ε, at which δ is at most about `delta`; `None` where the plan is another, or a number is out of range.
    pub(super) fn new(direction: &Direction, epsilon: &Rational, delta: &Rational, budget: &Budget) -> Option<Self> {
        let [(pairs, copies)] = direction.as_slice() else { return None };
        let [pair] = pairs.as_slice() else { return None };
        let about = About::new(*copies, epsilon, delta)?;
        if atoms::are_few(pair) {
            budget.spend(atoms::cost(pair, about.bits))?;
            return Some(Self {
                upper: about.apart(atoms(pair, about.bits, about.bits)?, &BOTH, budget)?,
                lower: None,
            });
        }
        budget.spend(blocks::cost(pair, about.tail, about.bits))?;
        Self::in_blocks(pair, &about, budget)
    }

    fn in_blocks(pair: &Pair, about: &About<'_>, budget: &Budget) -> Option<Self> {
        let (lower, upper) = blocks(pair, about.tail, about.bits)?;
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
        let [(pairs, copies)] = direction.as_slice() else { panic!("one part") };
        let in_blocks = Rare::in_blocks(&pairs[0], &About::new(*copies, epsilon, scale).unwrap(), &Budget::unlimited());
        let listed = Rare::new(direction, epsilon, scale, &Budget::unlimited());
        let open = truth(direction, epsilon).upper() / (BigInt::one() << 13_u32) + scale / (BigInt::one() << 20_u32);
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
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Frequent outcomes of small losses and rare ones of any, infinite among them; ε near a rare loss, or a sum of two, or none.
        #[test]
        fn the_truth_is_inside(
            frequent in prop::collection::vec((1_u64 << 20..1 << 21, -2000_i64..2000), 2..4),
            rare in prop::collection::vec((0_u64..400, 0_u64..400), 1..4),
            copies in 1_u64..6,
            (times, beside) in (0_i64..3, -100_i64..100),
        ) {
            let near = |(p, off): &(u64, i64)| (*p, p.checked_add_signed(*off).unwrap());
            let mut weights: Vec<(u64, u64)> = frequent.iter().map(near).collect();
            weights.extend(rare.iter().filter(|weight| **weight != (0, 0)));
            // Rare, and of a large loss.
            weights.push((300, 7));
            let direction: Direction = alloc::vec![(alloc::vec![pair(&weights)], copies)];
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
            let of =
                crate::mechanism::Mechanism::from_spec(&alloc::format!("gaussian(sigma={sigma})").parse().unwrap());
            let of = alloc::boxed::Box::new(of.unwrap().domination().forward()[0].clone());
            let rate = Probability::new(rational(rate)).unwrap();
            let pair = Pair::Subsampled { rate, of, reversed: false };
            for direction in Plan::new().with(&Domination::by(pair), copies).directions() {
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
