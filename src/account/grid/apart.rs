//! Lists of outcomes of a plan's parts, the rare ones of large losses apart from the others.
//!
//! Where losses are of many sizes, one grid and one tilt suit only some of them. Let one copy be C + T, T the outcomes of the largest losses, so rare that n
//! copies hardly have one. Of n copies with j rare outcomes the others are n − j copies of C, and losses add up:
//!
//! δ(ε) = Σ_j Σ_l w_j(l)·δ_{n−j}(ε − l), w_j = binom(n, j)·T^j,
//!
//! with l the sums of j rare losses ([`super::sums`]), and δ_m the curve of m copies of C ([`super::frequent`]), at ε of either sign. Of several parts, each with its n,
//! C and T, the sum is over a j for each, and weights are products.
//!
//! The sum is right whatever is known of δ_m. More of it is found out where most of the answer's width comes from, until that is narrow.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::{Atom, Atoms},
    convolution::Side,
    fixed::{Range, ceil, floor, shift_up},
    frequent::{Copies, EFFORT, FINER, Frequent, Lesson, power},
    sums::{Matter, Sum, Sums, sums},
};
use crate::exact::{Budget, Rational};

/// All copies together have one of the rare outcomes with a probability of at most one in so many; where parts are many, of the kinds of two and three rare
/// outcomes fewer matter if these are rarer.
const RARE: u32 = 1 << 4;
const RARE_OF_MANY: u32 = 1 << 7;

/// More parts than these are many.
const FEW_PARTS: usize = 4;

/// A loss is large in its part whose square is so many times those of all smaller losses of all its copies together, and those of other parts, whose losses are spread out.
const LARGE: u32 = 4;

/// Losses are spread out where none has one part in so many of all their squares: between those that are not, smaller ones are seen.
const SPREAD: u32 = 32;

/// What is left out, each time 2^-this of δ.
const NEGLIGIBLE: u32 = 28;

/// The answer is narrow when all that is open is 2^-this of it.
const OPEN: u32 = 13;

/// The most that is found out.
const MOST_LEARNED: usize = 200;

/// The most cheap bounds.
const MOST_FAR: usize = 24;

/// A sum of rare losses, and its weight.
struct Pattern {
    /// Which of the numbers of the others is left beside them.
    rest: usize,
    sum: Sum,
}

/// What is known of a pattern at some ε, over 2^bits.
struct Known {
    /// ε − l is between these.
    at: (Rational, Rational),
    /// What is negligible of δ_{n−j}(ε − l).
    narrow: BigInt,
    /// δ_{n−j}(ε − l).
    rest: Range,
    /// w·δ_{n−j}(ε − l).
    weighted: Range,
}

impl Known {
    fn is_open(&self) -> bool {
        &self.rest.upper - &self.rest.lower > self.narrow
    }
}

/// Copies of listed outcomes, the rare ones apart.
pub(super) struct Apart {
    bits: u32,
    frequent: Frequent,
    /// Of the pessimistic side, and of the optimistic one; none of a side that is not asked for.
    patterns: (Vec<Pattern>, Vec<Pattern>),
    /// All copies but those with rare outcomes.
    rest: Vec<Copies>,
    /// At least what is left out, over 2^bits.
    beyond: BigInt,
    negligible: BigInt,
}

impl Apart {
    /// Of outcomes and copies of each part, for about an ε, at which δ is at most about `delta`, and some sides; probabilities and losses are over 2^bits. `None` if a
    /// number is out of range, the budget spent, or nothing rare.
    pub(super) fn new(
        parts: Vec<(Atoms, u64)>,
        (epsilon, delta): (&Rational, &Rational),
        sides: &[Side],
        bits: u32,
        budget: &Budget,
    ) -> Option<Self> {
        let negligible = ceil(delta, bits) >> NEGLIGIBLE;
        let numbers: Vec<u64> = parts.iter().map(|(_, copies)| *copies).collect();
        // What is not listed is left out: with each copy one chance more.
        let unlisted: BigInt =
            parts.iter().map(|(all, copies)| (&all.above.0.upper + &all.below.0.upper) * copies).sum();
        // The others, of which pessimistic masses may be a little more than 1, to the power of as many.
        let whole = parts.iter().fold(BigInt::one() << bits, |whole, (all, copies)| {
            let total = all.listed.iter().map(|atom| &atom.p.upper).sum::<BigInt>() + &all.above.0.upper;
            let power = power(&Range::point(total), *copies, bits).upper;
            shift_up(&(whole * power.max(BigInt::one() << bits)), bits)
        });
        let (others, tails) = split(parts, bits);
        if tails.iter().all(|(tail, _)| tail.is_empty()) {
            return None;
        }
        let frequent = Frequent::new(others, bits)?;
        let loss = ceil(&(epsilon + frequent.bulk(&numbers)), bits);
        let matter = Matter { weight: negligible.clone(), loss, bits };
        let none = || Some(Sums { of: Vec::new(), beyond: BigInt::zero() });
        let of = |side: Side| if sides.contains(&side) { sums(&tails, side, &matter, budget) } else { none() };
        let (upper, lower) = (of(Side::Upper)?, of(Side::Lower)?);
        let beyond = shift_up(&((unlisted + upper.beyond) * whole), bits);
        let mut kinds: Vec<Vec<u64>> = Vec::new();
        let mut of_kinds = |lists: Vec<(Vec<u64>, Vec<Sum>)>| -> Vec<Pattern> {
            let mut patterns = Vec::new();
            for (kind, list) in lists {
                let rest = kinds.iter().position(|other| *other == kind).unwrap_or(kinds.len());
                if rest == kinds.len() {
                    kinds.push(kind);
                }
                patterns.extend(list.into_iter().map(|sum| Pattern { rest, sum }));
            }
            patterns
        };
        let patterns = (of_kinds(upper.of), of_kinds(lower.of));
        let left = |kind: &Vec<u64>| -> Option<Vec<u64>> {
            numbers.iter().zip(kind).map(|(all, some)| all.checked_sub(*some)).collect()
        };
        budget.spend(frequent.cost_of_copies(&numbers).saturating_mul(u64::try_from(kinds.len()).ok()?))?;
        let rest = kinds.iter().map(|kind| Some(frequent.copies(left(kind)?))).collect::<Option<_>>()?;
        Some(Self { bits, frequent, patterns, rest, beyond, negligible })
    }

    /// Finds out, for ε, where the width of the answer comes from, until that is narrow or the budget is spent.
    pub(super) fn refine(&mut self, epsilon: &Rational, budget: &Budget) {
        if budget.spend(self.cost(self.asked(), None)).is_none() {
            return;
        }
        let mut known: Vec<Known> = self.asked().iter().map(|pattern| self.known(pattern, epsilon)).collect();
        // How often each was the widest: first a cheap bound is tried, then a composition, and then a finer one.
        let mut tries = alloc::vec![0_u32; known.len()];
        for _ in 0..MOST_LEARNED {
            let least: BigInt = known.iter().map(|known| &known.weighted.lower).sum();
            let most: BigInt = known.iter().map(|known| &known.weighted.upper).sum();
            // Narrow, or as wide as what is left out.
            if (&most - &least) << OPEN <= least || &self.beyond << OPEN > most {
                return;
            }
            if budget.left() == 0 {
                return;
            }
            let open = known.iter().zip(&mut tries).zip(self.asked()).filter(|((_, tries), _)| **tries < 3);
            let widest = open.max_by_key(|((known, _), _)| &known.weighted.upper - &known.weighted.lower);
            let Some(((at, tries), pattern)) = widest.filter(|((at, _), _)| at.is_open()) else { return };
            *tries += 1;
            let (which, x) = (pattern.rest, at.at.1.clone());
            let Some(rest) = self.rest.get_mut(which) else { return };
            // Many cheap ones cost as much as a composition.
            let lesson = if *tries == 1 && self.frequent.bounds() < MOST_FAR { Lesson::Far } else { Lesson::Near };
            let learned = match lesson {
                Lesson::Far => self.frequent.learn_far(rest.numbers(), &x, budget),
                // Where that was not enough, a finer one, of a part of what is left.
                Lesson::Near if *tries > 2 => self.frequent.learn_near(rest, &x, FINER, &budget.share(4)),
                Lesson::Near => self.frequent.learn_near(rest, &x, EFFORT, budget),
            };
            if learned.is_none() {
                continue;
            }
            // Cheap bounds are of any number of copies.
            let is_told = |pattern: &Pattern| matches!(lesson, Lesson::Far) || pattern.rest == which;
            let told =
                self.asked().iter().zip(&mut known).filter(|(pattern, known)| is_told(pattern) && known.is_open());
            let told: Vec<_> = told.collect();
            if budget.spend(self.cost(told.iter().map(|(pattern, _)| *pattern), Some(lesson))).is_none() {
                return;
            }
            for (pattern, known) in told {
                self.learn(known, pattern, lesson);
            }
        }
    }

    /// Whether any outcome is rare.
    #[cfg(test)]
    pub(super) fn is_apart(&self) -> bool {
        self.asked().len() > 1
    }

    /// Those of a side that is asked for.
    fn asked(&self) -> &[Pattern] {
        let (upper, lower) = &self.patterns;
        if upper.is_empty() { lower } else { upper }
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

    fn known(&self, pattern: &Pattern, epsilon: &Rational) -> Known {
        let (at, narrow) = (self.rest_of(epsilon, pattern), self.narrow(pattern));
        let rest = match self.rest.get(pattern.rest) {
            Some(rest) => self.frequent.at(rest, (&at.0, &at.1), &narrow),
            None => Range::point(BigInt::zero()),
        };
        let weighted = rest.mul(&Range::point(pattern.sum.weight.clone()), self.bits);
        Known { at, narrow, rest, weighted }
    }

    /// With what was learned last besides.
    fn learn(&self, known: &mut Known, pattern: &Pattern, lesson: Lesson) {
        let Some(copies) = self.rest.get(pattern.rest) else { return };
        known.rest = self.frequent.with_last(known.rest.clone(), copies, (&known.at.0, &known.at.1), lesson);
        known.weighted = known.rest.mul(&Range::point(pattern.sum.weight.clone()), self.bits);
    }

    /// Negligible when weighted.
    fn narrow(&self, pattern: &Pattern) -> BigInt {
        (&self.negligible << self.bits) / pattern.sum.weight.clone().max(BigInt::one())
    }

    /// The binary digits after the point that tell ε apart.
    pub(super) fn places(&self) -> u32 {
        self.frequent.places()
    }

    /// The steps, about, that a bound takes.
    pub(super) fn cost_of(&self, side: Side) -> u64 {
        let (upper, lower) = &self.patterns;
        self.cost(if side == Side::Upper { upper } else { lower }, None)
    }

    fn cost<'a>(&self, of: impl IntoIterator<Item = &'a Pattern>, last: Option<Lesson>) -> u64 {
        let each = of.into_iter().filter_map(|pattern| self.rest.get(pattern.rest));
        each.map(|copies| Frequent::cost(copies, last)).fold(0, u64::saturating_add)
    }

    /// At most δ(ε).
    pub(super) fn least(&self, epsilon: &Rational) -> Rational {
        self.over(self.patterns.1.iter().map(|pattern| self.known(pattern, epsilon).weighted.lower).sum())
    }

    /// At least δ(ε).
    pub(super) fn most(&self, epsilon: &Rational) -> Rational {
        let most: BigInt = self.patterns.0.iter().map(|pattern| self.known(pattern, epsilon).weighted.upper).sum();
        self.over(most + &self.beyond)
    }

    fn over(&self, sum: BigInt) -> Rational {
        Rational::new(sum, BigInt::one() << self.bits).min(Rational::one())
    }
}

/// Outcomes of each part, and its copies.
type Outcomes = Vec<(Vec<Atom>, u64)>;

/// Each part's frequent outcomes and its rare ones: of the largest losses of all parts, as many as are rare together, those that are large in their part, down to its first
/// that is not. One outcome of each part is frequent.
fn split(parts: Vec<(Atoms, u64)>, bits: u32) -> (Outcomes, Outcomes) {
    let size = |atom: &Atom| {
        let Range { lower, upper } = Range::of(&atom.loss, bits);
        lower.abs().max(upper.abs())
    };
    let mut others: Outcomes = parts.into_iter().map(|(all, copies)| (all.listed, copies)).collect();
    let mut sizes = Vec::new();
    // The squares of each part's losses in all its copies, added up; how many are rare, and whether more may be.
    let mut rare = Vec::new();
    // Those squares, where they are spread out.
    let mut spread = Vec::new();
    for (part, (listed, copies)) in others.iter_mut().enumerate() {
        listed.sort_by_cached_key(size);
        let (mut squares, mut most) = (BigInt::zero(), BigInt::zero());
        for (i, atom) in listed.iter().enumerate() {
            let (size, chance) = (size(atom), &atom.p.upper * *copies);
            let square = &size * &size * &chance;
            squares += &square;
            most = most.max(square);
            sizes.push((size, part, chance, i > 0));
        }
        spread.push(if most * SPREAD < squares { squares.clone() } else { BigInt::zero() });
        rare.push((squares, 0_usize, true));
    }
    sizes.sort();
    let all: BigInt = spread.iter().sum();
    let rare_are = if others.len() > FEW_PARTS { RARE_OF_MANY } else { RARE };
    let mut sum = BigInt::zero();
    for (size, part, chance, is_another) in sizes.into_iter().rev() {
        let Some((squares, count, is_open)) = rare.get_mut(part) else { break };
        let square = &size * &size;
        *squares -= &square * &chance;
        let together = &sum + chance;
        // One that is not rare leaves all smaller ones of its part frequent, and those of others as they are.
        let beside = spread.get(part).map_or_else(BigInt::zero, |own| &all - own);
        *is_open = *is_open
            && is_another
            && square << bits >= (&*squares).max(&beside) * LARGE
            && (&together * rare_are).bits() <= u64::from(bits);
        if *is_open {
            sum = together;
            *count += 1;
        }
    }
    let tail = |((listed, copies), (_, rare, _)): (&mut (Vec<Atom>, u64), (BigInt, usize, bool))| {
        (listed.split_off(listed.len().saturating_sub(rare)), *copies)
    };
    let tails = others.iter_mut().zip(rare).map(tail).collect();
    (others, tails)
}
