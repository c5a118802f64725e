//! Rare outcomes of large losses, apart from the others.
//!
//! Where losses are of many sizes, one grid and one tilt suit only some of them. Let one copy be C + T, T the outcomes of the largest losses, so rare that n
//! copies hardly have one. Of n copies with j rare outcomes the others are n − j copies of C, and losses add up:
//!
//! δ(ε) = Σ_j Σ_l w_j(l)·δ_{n−j}(ε − l), w_j = binom(n, j)·T^j,
//!
//! with l the sums of j rare losses ([`super::sums`]), and δ_m the curve of m copies of C ([`super::frequent`]), at ε of either sign.
//!
//! The sum is right whatever is known of δ_m. More of it is found out where most of the answer's width comes from, until that is narrow.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::{self, Atom, atoms},
    convolution::Side,
    fixed::{Range, ceil, floor, shift_up},
    frequent::{Copies, Frequent},
    log_two_below,
    sums::{Matter, Sum, sums},
};
use crate::{
    account::Direction,
    exact::{Budget, Rational},
};

/// All copies together have one of the rare outcomes with a probability of at most one in so many.
const RARE: u32 = 1 << 4;

/// What is left out, each time 2^-this of δ.
const NEGLIGIBLE: u32 = 28;

/// The answer is narrow when all that is open is 2^-this of it.
const OPEN: u32 = 16;

/// The most that is found out.
const MOST_LEARNED: usize = 200;

/// The steps, about, that a sum's worth takes: some exponentials, and the points of a composition.
const EACH: u64 = 300_000;

/// A sum of so many rare losses, and its weight.
struct Pattern {
    size: usize,
    sum: Sum,
}

/// A plan of copies of one part, its rare outcomes apart.
pub(super) struct Rare {
    bits: u32,
    frequent: Frequent,
    /// Of the pessimistic side, and of the optimistic one.
    patterns: (Vec<Pattern>, Vec<Pattern>),
    /// All copies but none, but one, but two, …
    rest: Vec<Copies>,
    /// At least what is left out, over 2^bits.
    beyond: BigInt,
    negligible: BigInt,
}

impl Rare {
    /// For about an ε, at which δ is at most about `delta`; `None` where nothing is rare, or the plan is another.
    pub(super) fn new(direction: &Direction, epsilon: &Rational, delta: &Rational, budget: &Budget) -> Option<Self> {
        let [(pairs, copies)] = direction.as_slice() else { return None };
        let [pair] = pairs.as_slice() else { return None };
        let log_delta = u32::try_from(-log_two_below(delta)?.min(0)).ok().filter(|log| *log < 1 << 10)?;
        let bits = 192 + log_delta + 2 * (u64::BITS - copies.leading_zeros());
        if !atoms::are_few(pair) {
            return None;
        }
        budget.spend(atoms::cost(pair, bits))?;
        let mut all = atoms(pair, bits, bits)?;
        all.listed.sort_by_key(|atom| atom.loss.upper().abs().max(atom.loss.lower().abs()));
        let tail = all.listed.split_off(all.listed.len().checked_sub(rare(&all.listed, *copies, bits))?);
        let negligible = ceil(delta, bits) >> NEGLIGIBLE;
        let frequent = Frequent::new(all.listed, *copies, bits)?;
        let loss = ceil(&(epsilon + frequent.bulk(*copies)), bits);
        let matter = Matter { weight: negligible.clone(), loss, bits };
        let of = |side: Side| sums(&tail, side, *copies, &matter);
        let (upper, lower) = (of(Side::Upper)?, of(Side::Lower)?);
        // What is not listed is left out: with each copy one chance more.
        let beyond = (all.above.0.upper + all.below.0.upper) * *copies + upper.beyond;
        let sizes = upper.of.len().max(lower.of.len());
        let of_sizes = |lists: Vec<Vec<Sum>>| -> Vec<Pattern> {
            let of_size = |(size, list): (usize, Vec<Sum>)| list.into_iter().map(move |sum| Pattern { size, sum });
            lists.into_iter().enumerate().flat_map(of_size).collect()
        };
        let patterns = (of_sizes(upper.of), of_sizes(lower.of));
        let rest = (0..u64::try_from(sizes).ok()?).map(|size| Some(frequent.copies(copies.checked_sub(size)?)));
        let rest = rest.collect::<Option<_>>()?;
        Some(Self { bits, frequent, patterns, rest, beyond, negligible })
    }

    /// Finds out, for ε, where the width of the answer comes from, until that is narrow or the budget is spent.
    pub(super) fn refine(&mut self, epsilon: &Rational, budget: &Budget) {
        let mut known: Vec<Range> = self.patterns.0.iter().map(|pattern| self.at(pattern, epsilon)).collect();
        // How often each was the widest: first a cheap bound is tried, then a composition.
        let mut tries = alloc::vec![0_u32; known.len()];
        for _ in 0..MOST_LEARNED {
            let least: BigInt = known.iter().map(|known| &known.lower).sum();
            let most: BigInt = known.iter().map(|known| &known.upper).sum();
            if (most - &least) << OPEN <= least {
                return;
            }
            let open = self.patterns.0.iter().zip(&known).zip(&mut tries).filter(|(_, tries)| **tries < 2);
            let Some(((pattern, _), tries)) = open.max_by_key(|((_, known), _)| &known.upper - &known.lower) else {
                return;
            };
            *tries += 1;
            let (size, x) = (pattern.size, self.rest_of(epsilon, pattern).1);
            let Some(rest) = self.rest.get_mut(size) else { return };
            let learned = match *tries {
                1 => self.frequent.learn_far(rest, &x),
                _ => self.frequent.learn_near(rest, &x, budget),
            };
            if learned.is_some() {
                let of_size = |(pattern, _): &(&Pattern, &mut Range)| pattern.size == size;
                let count = self.patterns.0.iter().filter(|pattern| pattern.size == size).count();
                if spend(count, budget).is_none() {
                    return;
                }
                for (pattern, known) in self.patterns.0.iter().zip(&mut known).filter(of_size) {
                    *known = self.at(pattern, epsilon);
                }
            }
        }
    }

    /// ε − l is between these.
    fn rest_of(&self, epsilon: &Rational, pattern: &Pattern) -> (Rational, Rational) {
        let places = self.frequent.places();
        let finer = self.bits.saturating_sub(places);
        let loss = &pattern.sum.loss;
        let (low, high) = (floor(epsilon, places) - shift_up(loss, finer), ceil(epsilon, places) - (loss >> finer));
        let of = |x: BigInt| Rational::new(x, BigInt::one() << places);
        (of(low), of(high))
    }

    /// w·δ_{n−j}(ε − l), as far as it is known, over 2^bits.
    fn at(&self, pattern: &Pattern, epsilon: &Rational) -> Range {
        let (low, high) = self.rest_of(epsilon, pattern);
        let Some(rest) = self.rest.get(pattern.size) else { return Range::point(BigInt::zero()) };
        // Negligible when weighted.
        let narrow = (&self.negligible << self.bits) / pattern.sum.weight.clone().max(BigInt::one());
        self.frequent.at(rest, (&low, &high), &narrow).mul(&Range::point(pattern.sum.weight.clone()), self.bits)
    }

    /// The binary digits after the point that tell ε apart.
    pub(super) fn places(&self) -> u32 {
        self.frequent.places()
    }

    /// Two numbers that δ(ε) is between; `None` where the budget is spent.
    pub(super) fn ask(&self, epsilon: &Rational, budget: &Budget) -> Option<(Rational, Rational)> {
        spend(self.patterns.0.len() + self.patterns.1.len(), budget)?;
        Some(self.delta(epsilon))
    }

    /// Two numbers that δ(ε) is between.
    pub(super) fn delta(&self, epsilon: &Rational) -> (Rational, Rational) {
        let (upper, lower) = &self.patterns;
        let most = upper.iter().map(|pattern| self.at(pattern, epsilon).upper).sum::<BigInt>() + &self.beyond;
        let least = lower.iter().map(|pattern| self.at(pattern, epsilon).lower).sum();
        let of = |sum: BigInt| Rational::new(sum, BigInt::one() << self.bits).min(Rational::one());
        (of(least), of(most))
    }
}

fn spend(patterns: usize, budget: &Budget) -> Option<()> {
    budget.spend(u64::try_from(patterns).ok()?.saturating_mul(EACH))
}

/// How many of the largest losses, which are last, are rare together: all but one of them at most.
fn rare(listed: &[Atom], copies: u64, bits: u32) -> usize {
    let mut sum = BigInt::zero();
    let is_rare = |atom: &&Atom| {
        sum += &atom.p.upper;
        (&sum * copies * RARE).bits() <= u64::from(bits)
    };
    listed.iter().skip(1).rev().take_while(is_rare).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        account::{Plan, Precision, reference},
        exact::{Enclosure, NonNegative, Probability, parse},
        guarantee::{Domination, FinitePair, Pair},
    };

    fn truth(direction: &Direction, epsilon: &Rational) -> Enclosure {
        let epsilon = NonNegative::new(epsilon.clone()).unwrap();
        reference::delta(direction, &epsilon, &Precision::default(), &Budget::unlimited()).unwrap().enclosure
    }

    /// The truth is inside before anything is found out and after; δ is known to 2^-13 of itself then, but for what is left out of `scale`.
    fn encloses(direction: &Direction, epsilon: &Rational, scale: &Rational) {
        let truth = truth(direction, epsilon);
        let budget = Budget::unlimited();
        let mut rare = Rare::new(direction, epsilon, scale, &budget).unwrap();
        assert!(rare.patterns.0.len() > 1);
        let is_inside = |(lower, upper): &(Rational, Rational)| *lower <= truth.upper() && truth.lower() <= *upper;
        assert!(is_inside(&rare.delta(epsilon)), "{direction:?} at {epsilon}");
        rare.refine(epsilon, &budget);
        let found = rare.delta(epsilon);
        assert!(is_inside(&found), "{direction:?} at {epsilon}: {found:?} for {truth}");
        let open = truth.upper() / (BigInt::one() << 13_u32) + scale / (BigInt::one() << 20_u32);
        assert!(&found.1 - &found.0 <= open, "{direction:?} at {epsilon}: {found:?} for {truth}");
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
