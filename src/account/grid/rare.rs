//! Rare outcomes of large losses, apart from the others.
//!
//! Where losses are of many sizes, one grid and one tilt suit only some of them. Let one copy be C + T, T the outcomes of the largest losses, so rare that n
//! copies hardly have one. For each multiset t of outcomes of T, of which n copies have j, the others are n − j copies of C, and losses add up:
//!
//! δ(ε) = Σ_t w(t)·δ_{n−j}(ε − l(t)), w(t) = n!/((n − j)!·Π c!)·Π p^c,
//!
//! with c the times that an outcome of probability p is in t, and δ_m the curve of m copies of C ([`super::frequent`]), at ε of either sign.
//!
//! w(t) is also at least the probability that the rare outcomes *include* t, over all the ways in which they can. So a t that is left out, with all that
//! include it, is booked by its w(t), each of them being worth 1 at most.
//!
//! The sum is right whatever is known of δ_m. More of it is found out where most of the answer's width comes from, until that is narrow.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::{self, Atom, atoms},
    fixed::{Range, ceil, floor, shift_up},
    frequent::{Copies, Frequent},
    log_two_below,
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

/// The most multisets.
const MOST: usize = 1 << 12;

/// The most that is found out.
const MOST_LEARNED: usize = 200;

/// A multiset of rare outcomes.
struct Pattern {
    /// How many they are.
    size: usize,
    /// w(t), over 2^bits.
    weight: Range,
    /// l(t), over 2^bits.
    loss: Range,
}

/// A plan of copies of one part, its rare outcomes apart.
pub(super) struct Rare {
    bits: u32,
    frequent: Frequent,
    patterns: Vec<Pattern>,
    /// All copies but none, but one, but two, …
    rest: Vec<Copies>,
    /// At least what is left out, over 2^bits.
    beyond: BigInt,
    negligible: BigInt,
}

impl Rare {
    /// For an ε at which δ is at most about `delta`; `None` where nothing is rare, or the plan is another.
    pub(super) fn new(direction: &Direction, delta: &Rational, budget: &Budget) -> Option<Self> {
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
        // What is not listed is left out: with each copy one chance more.
        let beyond = (all.above.0.upper + all.below.0.upper) * *copies;
        let mut patterns =
            Patterns { tail: &tail, bits, copies: *copies, negligible: &negligible, found: Vec::new(), beyond };
        let one = Range::point(BigInt::one() << bits);
        patterns.list(&Pattern { size: 0, weight: one, loss: Range::point(BigInt::zero()) }, (0, 0))?;
        let (patterns, beyond) = (patterns.found, patterns.beyond);
        let frequent = Frequent::new(all.listed, *copies, bits)?;
        let sizes = patterns.iter().map(|pattern| pattern.size).max()?;
        let rest = (0..=u64::try_from(sizes).ok()?).map(|size| Some(frequent.copies(copies.checked_sub(size)?)));
        let rest = rest.collect::<Option<_>>()?;
        Some(Self { bits, frequent, patterns, rest, beyond, negligible })
    }

    /// Finds out, for ε, where the width of the answer comes from, until that is narrow or the budget is spent.
    pub(super) fn refine(&mut self, epsilon: &Rational, budget: &Budget) {
        let mut known: Vec<Range> = self.patterns.iter().map(|pattern| self.at(pattern, epsilon)).collect();
        // How often each was the widest: first a cheap bound is tried, then a composition.
        let mut tries = alloc::vec![0_u32; self.patterns.len()];
        for _ in 0..MOST_LEARNED {
            let least: BigInt = known.iter().map(|known| &known.lower).sum();
            let most: BigInt = known.iter().map(|known| &known.upper).sum();
            if (&most - &least) << OPEN <= least {
                return;
            }
            let open = self.patterns.iter().zip(&known).zip(&mut tries).filter(|(_, tries)| **tries < 2);
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
                for (pattern, known) in self.patterns.iter().zip(&mut known).filter(of_size) {
                    *known = self.at(pattern, epsilon);
                }
            }
        }
    }

    /// ε − l(t) is between these.
    fn rest_of(&self, epsilon: &Rational, pattern: &Pattern) -> (Rational, Rational) {
        let places = self.frequent.places();
        let finer = self.bits.saturating_sub(places);
        let Range { lower, upper } = &pattern.loss;
        let (low, high) = (floor(epsilon, places) - shift_up(upper, finer), ceil(epsilon, places) - (lower >> finer));
        let of = |x: BigInt| Rational::new(x, BigInt::one() << places);
        (of(low), of(high))
    }

    /// w(t)·δ_{n−j}(ε − l(t)), as far as it is known, over 2^bits.
    fn at(&self, pattern: &Pattern, epsilon: &Rational) -> Range {
        let (low, high) = self.rest_of(epsilon, pattern);
        let Some(rest) = self.rest.get(pattern.size) else { return Range::point(BigInt::zero()) };
        // Negligible when weighted.
        let narrow = (&self.negligible << self.bits) / pattern.weight.upper.clone().max(BigInt::one());
        self.frequent.at(rest, (&low, &high), &narrow).mul(&pattern.weight, self.bits)
    }

    /// The binary digits after the point that tell ε apart.
    pub(super) fn places(&self) -> u32 {
        self.frequent.places()
    }

    /// Two numbers that δ(ε) is between.
    pub(super) fn delta(&self, epsilon: &Rational) -> (Rational, Rational) {
        let nothing = Range { lower: BigInt::zero(), upper: self.beyond.clone() };
        let sum = self.patterns.iter().fold(nothing, |sum, pattern| sum.add(&self.at(pattern, epsilon)));
        let of = |sum: BigInt| Rational::new(sum, BigInt::one() << self.bits).min(Rational::one());
        (of(sum.lower), of(sum.upper))
    }
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

/// The listing of patterns.
struct Patterns<'a> {
    tail: &'a [Atom],
    bits: u32,
    copies: u64,
    negligible: &'a BigInt,
    found: Vec<Pattern>,
    beyond: BigInt,
}

impl Patterns<'_> {
    /// A pattern and those that include it, by outcomes from the last one's on, which it has so many times; `None` if they are too many.
    fn list(&mut self, pattern: &Pattern, (last, times): (usize, u64)) -> Option<()> {
        let left = self.copies.checked_sub(u64::try_from(pattern.size).ok()?)?;
        for (i, atom) in self.tail.iter().enumerate().skip(last).filter(|_| left > 0) {
            let times = if i == last { times + 1 } else { 1 };
            let Range { lower, upper } = &pattern.weight;
            let scale = BigInt::from(times);
            let weight = Range {
                lower: ((lower * &atom.p.lower * left) >> self.bits).div_floor(&scale),
                upper: shift_up(&(upper * &atom.p.upper * left), self.bits).div_ceil(&scale),
            };
            if weight.upper <= *self.negligible {
                self.beyond += weight.upper;
                continue;
            }
            let larger =
                Pattern { size: pattern.size + 1, weight, loss: pattern.loss.add(&Range::of(&atom.loss, self.bits)) };
            self.list(&larger, (i, times))?;
        }
        if self.found.len() >= MOST {
            return None;
        }
        let Pattern { size, weight, loss } = pattern;
        self.found.push(Pattern { size: *size, weight: weight.clone(), loss: loss.clone() });
        Some(())
    }
}
