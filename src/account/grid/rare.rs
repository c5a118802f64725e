//! Rare outcomes of large losses, apart from the others.
//!
//! Where losses are of many sizes, one grid and one tilt suit only some of them. Let one copy be C + T, T the outcomes of the largest losses, so rare that n
//! copies hardly have one. For each multiset t of outcomes of T, of which n copies have j, the others are n − j copies of C, and losses add up:
//!
//! δ(ε) = Σ_t w(t)·δ_{n−j}(ε − l(t)), w(t) = n!/((n − j)!·Π c!)·Π p^c,
//!
//! with c the times that an outcome of probability p is in t, and δ_m the curve of m copies of C: a measure of less than 1 in all, and ε of either sign.
//!
//! w(t) is also at least the probability that the rare outcomes *include* t, over all the ways in which they can. So a t that is left out, with all that
//! include it, is booked by its w(t), each of them being worth 1 at most.
//!
//! The sum is right whatever is known of δ_m, which is from 0 to 1. Compositions of C, each with a tilt of its own, are made where most of the answer's width comes
//! from, until it is narrow.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use super::{
    atoms::{self, Atom, Atoms, atoms, nothing},
    chain::Part,
    composition::{Composition, Effort, fineness, of_few, of_joins},
    convolution::Side,
    dots::Grid,
    fixed::{Range, ceil, exp, floor, shift_up},
    log_two_below,
    tilt::{Choice, FINEST, MOST_CUT, finest},
};
use crate::{
    account::Direction,
    exact::{Budget, Enclosure, Rational},
};

/// All copies together have one of the rare outcomes with a probability of at most one in so many.
const RARE: u32 = 8;

/// What is left out, each time 2^-this of δ.
const NEGLIGIBLE: u32 = 34;

/// The answer is narrow when all that is open is 2^-this of it.
const OPEN: u32 = 15;

/// The most multisets.
const MOST: usize = 1 << 12;

/// The most compositions.
const MOST_MADE: usize = 24;

/// Frequent losses are of few sizes.
const EFFORT: Effort = Effort { single: 1 << 16, composed: 1 << 15, sums: 1 << 19 };

/// A multiset of rare outcomes.
struct Pattern {
    /// How many they are.
    size: u64,
    /// w(t), over 2^bits.
    weight: Range,
    /// l(t).
    loss: Enclosure,
}

/// A plan of copies of one part, its rare outcomes apart.
pub(super) struct Rare {
    copies: u64,
    /// The frequent outcomes.
    core: Part,
    /// Their window and their binary digits.
    grid: Grid,
    bits: u32,
    fine: u32,
    /// At least each of their losses.
    greatest: Rational,
    patterns: Vec<Pattern>,
    /// At least what is left out, over 2^bits.
    beyond: BigInt,
    /// Compositions of all copies but so many.
    made: Vec<(u64, Composition)>,
}

impl Rare {
    /// For an ε at which δ is at most about `delta`; `None` where nothing is rare, or the plan is another.
    pub(super) fn new(direction: &Direction, delta: &Rational, budget: &Budget) -> Option<Self> {
        let [(pairs, copies)] = direction.as_slice() else { return None };
        let [pair] = pairs.as_slice() else { return None };
        let log_delta = u32::try_from(-log_two_below(delta)?.min(0)).ok().filter(|log| *log < 1 << 10)?;
        let bits = 384 + 2 * log_delta;
        if !atoms::are_few(pair) {
            return None;
        }
        budget.spend(atoms::cost(pair, bits))?;
        let mut all = atoms(pair, bits, bits)?;
        all.listed.sort_by_key(|atom| atom.loss.lower());
        let negligible = ceil(delta, bits) >> NEGLIGIBLE;
        let rare = rare(&all.listed, *copies, bits);
        let tail = all.listed.split_off(all.listed.len().checked_sub(rare)?);
        let low = lowest(&all.listed, *copies, &negligible)?;
        let high = all.listed.iter().map(|atom| atom.loss.upper()).max()?;
        let step = finest(&low, &high, EFFORT.single, FINEST);
        let place = |loss: BigInt| i64::try_from(loss).ok();
        let grid = Grid { step, first: place(floor(&low, step))?, last: place(ceil(&high, step))? };
        // Left out above: with each copy one chance more.
        let mut patterns = Patterns {
            tail: &tail,
            bits,
            copies: *copies,
            negligible,
            found: Vec::new(),
            beyond: all.above.0.upper * *copies,
        };
        let one = Range::point(BigInt::one() << bits);
        patterns.list(&Pattern { size: 0, weight: one, loss: Enclosure::from_integer(0, bits) }, (0, 0))?;
        let (patterns, beyond) = (patterns.found, patterns.beyond);
        let core = Atoms { listed: all.listed, above: nothing(), below: all.below };
        let choice = Choice { theta: Rational::zero(), cut: 0, grids: [(grid, bits)].into() };
        let fine = fineness(&choice, *copies).filter(|fine| fine + 36 <= bits)?;
        let core = Part::Few(core, grid, bits);
        Some(Self { copies: *copies, core, grid, bits, fine, greatest: high, patterns, beyond, made: Vec::new() })
    }

    /// Makes compositions for ε, where the width of the answer comes from, until that is narrow or the budget is spent.
    pub(super) fn refine(&mut self, epsilon: &Rational, budget: &Budget) {
        let mut known: Vec<Range> = self.patterns.iter().map(|pattern| self.at(pattern, epsilon, &self.made)).collect();
        let mut tried = Vec::new();
        for _ in 0..MOST_MADE {
            let weighted = self.patterns.iter().zip(&known).map(|(pattern, at)| at.mul(&pattern.weight, self.bits));
            let open: Vec<BigInt> = weighted.clone().map(|at| at.upper - at.lower).collect();
            let least: BigInt = weighted.map(|at| at.lower).sum();
            if open.iter().sum::<BigInt>() << OPEN <= least {
                return;
            }
            let Some((i, pattern)) =
                (0..).zip(&self.patterns).filter(|(i, _)| !tried.contains(i)).max_by_key(|(i, _)| open.get(*i))
            else {
                return;
            };
            tried.push(i);
            let x = epsilon - pattern.loss.lower();
            let size = pattern.size;
            let Some(composition) = self.compose(size, &x, budget) else { continue };
            let made = [(size, composition)];
            for (pattern, known) in self.patterns.iter().zip(&mut known) {
                if pattern.size == size {
                    let at = self.at(pattern, epsilon, &made);
                    known.lower = at.lower.max(known.lower.clone());
                    known.upper = at.upper.min(known.upper.clone());
                }
            }
            self.made.extend(made);
        }
    }

    /// All copies but some of the frequent outcomes, made for x.
    fn compose(&self, but: u64, x: &Rational, budget: &Budget) -> Option<Composition> {
        let copies = self.copies.checked_sub(but).filter(|copies| *copies > 0)?;
        let Part::Few(core, ..) = &self.core else { return None };
        let theta = tilt(&core.listed, copies, x, self.fine, self.bits)?;
        budget.spend(of_joins(copies, EFFORT).saturating_add(of_few(EFFORT)))?;
        let cut = u32::try_from(MOST_CUT).ok()?;
        let choice = Choice { theta, cut, grids: [(self.grid, self.bits)].into() };
        Composition::of_parts(&[(&self.core, copies)], &choice, self.fine, EFFORT)
    }

    /// δ_{n−j}(ε − l(t)), as far as some compositions tell, over 2^bits.
    fn at(&self, pattern: &Pattern, epsilon: &Rational, made: &[(u64, Composition)]) -> Range {
        let of_size = || made.iter().filter(|(size, _)| *size == pattern.size).map(|(_, composition)| composition);
        let (low, high) = (epsilon - pattern.loss.upper(), epsilon - pattern.loss.lower());
        let rest = self.copies.saturating_sub(pattern.size);
        let none = low >= &self.greatest * BigInt::from(rest);
        if rest == 0 {
            return Range { lower: complement(&high, self.bits).lower, upper: complement(&low, self.bits).upper };
        }
        let lower = of_size().filter_map(|composition| composition.least(&high)).map(|found| floor(&found, self.bits));
        let upper = of_size().filter_map(|composition| composition.most(&low)).map(|found| ceil(&found, self.bits));
        let most = if none { BigInt::zero() } else { BigInt::one() << self.bits };
        Range { lower: lower.max().unwrap_or_default(), upper: upper.fold(most, BigInt::min) }
    }

    /// δ(ε), rounded to the side.
    fn sum(&self, side: Side, epsilon: &Rational) -> Rational {
        let mut sum = if side == Side::Upper { &self.beyond << self.bits } else { BigInt::zero() };
        for pattern in &self.patterns {
            let at = self.at(pattern, epsilon, &self.made);
            sum += match side {
                Side::Upper => at.upper * &pattern.weight.upper,
                Side::Lower => at.lower * &pattern.weight.lower,
            };
        }
        Rational::new(sum, BigInt::one() << (2 * self.bits)).min(Rational::one())
    }

    /// At most δ(ε).
    pub(super) fn least(&self, epsilon: &Rational) -> Rational {
        self.sum(Side::Lower, epsilon)
    }

    /// At least δ(ε).
    pub(super) fn most(&self, epsilon: &Rational) -> Rational {
        self.sum(Side::Upper, epsilon)
    }
}

/// (1 − e^x)₊, over 2^bits.
fn complement(x: &Rational, bits: u32) -> Range {
    let power = if x.is_negative() { exp(x, bits) } else { None };
    power.map_or_else(|| Range::point(BigInt::zero()), |power| Range::of(&power, bits).clamp(bits).complement(bits))
}

/// How many of the largest losses are rare together: all but one of them at most.
fn rare(listed: &[Atom], copies: u64, bits: u32) -> usize {
    let mut sum = BigInt::zero();
    let is_rare = |atom: &&Atom| {
        sum += &atom.p.upper;
        (&sum * copies * RARE).bits() <= u64::from(bits)
    };
    listed.iter().skip(1).rev().take_while(is_rare).count()
}

/// The least loss that matters: all copies together have one below it with a negligible probability.
fn lowest(listed: &[Atom], copies: u64, negligible: &BigInt) -> Option<Rational> {
    let mut sum = BigInt::zero();
    let is_below = |atom: &&Atom| {
        sum += &atom.p.upper;
        &sum * copies <= *negligible
    };
    let below = listed.iter().take_while(is_below).count();
    Some(listed.get(below).or(listed.last())?.loss.lower())
}

/// The tilt θ under which the loss of so many copies has mean x, to some bits; 0 if it is above without. `None` if no loss is.
fn tilt(listed: &[Atom], copies: u64, x: &Rational, places: u32, bits: u32) -> Option<Rational> {
    let greatest = listed.iter().map(|atom| atom.loss.lower()).max()?;
    let target = floor(x, places);
    let is_below = |theta: &Rational| -> Option<bool> {
        let mut sum = BigInt::zero();
        for atom in listed {
            let loss = atom.loss.lower();
            let factor = Range::of(&exp(&(theta * (&loss - &greatest)), 64)?, 64).clamp(64).lower;
            sum += ((&atom.p.lower * factor) >> bits.min(64)) * (floor(&loss, places) * copies - &target);
        }
        Some(sum.is_negative())
    };
    if !is_below(&Rational::zero())? {
        return Some(Rational::zero());
    }
    if floor(&greatest, places) * copies <= target {
        return None;
    }
    let two = BigInt::from(2);
    let mut high = Rational::new(BigInt::one(), BigInt::from(1024));
    while is_below(&high)? {
        high *= &two;
        if high > Rational::from_integer(BigInt::one() << FINEST) {
            return None;
        }
    }
    let mut low = &high / &two;
    for _ in 0..8 {
        let middle = (&low + &high) / &two;
        if is_below(&middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// The listing of patterns.
struct Patterns<'a> {
    tail: &'a [Atom],
    bits: u32,
    copies: u64,
    negligible: BigInt,
    found: Vec<Pattern>,
    beyond: BigInt,
}

impl Patterns<'_> {
    /// A pattern and those that include it, by outcomes from the last one's on, which it has so many times; `None` if they are too many.
    fn list(&mut self, pattern: &Pattern, (last, times): (usize, u64)) -> Option<()> {
        let left = self.copies.checked_sub(pattern.size)?;
        for (i, atom) in (0..).zip(self.tail).skip(last).filter(|_| left > 0) {
            let times = if i == last { times + 1 } else { 1 };
            let Range { lower, upper } = &pattern.weight;
            let scale = BigInt::from(times);
            let weight = Range {
                lower: ((lower * &atom.p.lower * left) >> self.bits).div_floor(&scale),
                upper: shift_up(&(upper * &atom.p.upper * left), self.bits).div_ceil(&scale),
            };
            if weight.upper <= self.negligible {
                self.beyond += weight.upper;
                continue;
            }
            let larger = Pattern { size: pattern.size + 1, weight, loss: pattern.loss.add(&atom.loss) };
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
