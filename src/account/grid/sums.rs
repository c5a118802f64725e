//! The sums of j rare losses of n copies, j = 0, 1, 2, …: lists of losses and their weights, of one side, that are kept short.
//!
//! The weights of j losses are those of binom(n, j)·T^j, T the rare outcomes of one copy. With j goes to j + 1: T^j times T, and (n − j)/(j + 1).
//!
//! * **Left out.** binom(n, j)·T^j(S) is at least the probability that *some* j copies have rare outcomes with a sum in S, whatever the others have. So what is
//!   left out of a list, with all sums that it would be part of, is booked by its weight: none of it is worth more than 1.
//! * **Kept short.** Losses of a group, from a to b, become fewer, as in [`super::thin`], with P and Q of the whole group: pessimistically two, at a and b, of which
//!   b has (P − e^a·Q)/(1 − e^(a−b)); optimistically one, at ln(P/Q).
//!
//! So every sum has its Q besides: pessimistically at least its share of P and at most its share of Q, optimistically the other way round. A list is right by its weights
//! and losses alone, and by its weights and Q alone.

use alloc::vec::Vec;
use core::cmp::Reverse;

use num_bigint::BigInt;
use num_integer::{Integer as _, Roots as _};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    atoms::Atom,
    convolution::Side,
    fixed::{Range, exp, ln_scaled, shift_up},
};
use crate::exact::{Budget, Rational, exponential};

/// The most losses of one rare outcome, about, of which most of the answer is.
const MOST: usize = 1 << 10;

/// The most sums of several, so that the sums of two lists are some hundred thousands; and the fewest, where the budget is small.
const MOST_SUMS: usize = 1 << 9;
const FEWEST_SUMS: usize = 1 << 7;

/// So many lists, about, may take a share of the budget.
const LISTS: u64 = 64;

/// The most numbers of rare outcomes of each part that are told apart: of each of them what is left of the copies is another plan.
const MOST_KINDS: usize = 1 << 10;

/// The most parts with rare outcomes: each has a plan of all the others beside it.
const MOST_PARTS: usize = 1 << 7;

/// The steps, about, of one of them.
const EACH: u64 = 300;

/// The exponentials, about, of one of those that are left where they are made fewer.
const SHORTER: u64 = 4;

/// A sum of losses, its weight in P and in Q, over 2^bits.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub(super) loss: BigInt,
    pub(super) weight: BigInt,
    /// Pessimistically at most Q, optimistically at least.
    q: BigInt,
}

/// The lists of all numbers of rare outcomes that matter.
pub(super) struct Sums {
    /// So many of each part.
    pub(super) of: Vec<(Vec<u64>, Vec<Sum>)>,
    /// At least what is left out, over 2^bits; 0 on the optimistic side.
    pub(super) beyond: BigInt,
}

/// Which sums matter, over 2^bits.
pub(super) struct Matter {
    /// Those of a list that are of no more than this weight together do not.
    pub(super) weight: BigInt,
    /// Above this loss any may be taken together: there δ is of the form P − e^ε·Q, nearly.
    pub(super) loss: BigInt,
    pub(super) bits: u32,
}

/// Whether so many parts with rare outcomes are too many.
pub(super) fn are_too_many(parts: usize) -> bool {
    parts > MOST_PARTS
}

/// The lists for the rare outcomes of each part, and so many copies of it; `None` if a number is out of range, or the budget spent.
pub(super) fn sums(tails: &[(Vec<Atom>, u64)], side: Side, matter: &Matter, budget: &Budget) -> Option<Sums> {
    let one = || BigInt::one() << matter.bits;
    let none = Sum { loss: BigInt::zero(), weight: one(), q: one() };
    if are_too_many(tails.iter().filter(|(tail, _)| !tail.is_empty()).count()) {
        return None;
    }
    let mut lists = Lists { side, matter, most: 0, beyond: BigInt::zero() };
    // Shorter ones for sums of several.
    let most = usize::try_from((budget.left() / (LISTS * EACH)).sqrt()).unwrap_or(MOST_SUMS);
    lists.most = most.clamp(FEWEST_SUMS, MOST_SUMS);
    let mut all = Vec::from([(Vec::new(), Vec::from([none.clone()]))]);
    for (tail, copies) in tails {
        let of_part = lists.of_part(tail, *copies, budget)?;
        let mut joint = Vec::new();
        for (numbers, list) in &all {
            for (number, other) in (0..).zip([Vec::from([none.clone()])].iter().chain(&of_part)) {
                let list = if number == 0 {
                    list.clone()
                } else if numbers.iter().all(Zero::is_zero) {
                    other.clone()
                } else {
                    let (list, other) = (lists.shorter(list)?, lists.shorter(other)?);
                    lists.product(&list, &other, budget)?
                };
                let numbers: Vec<u64> = numbers.iter().copied().chain([number]).collect();
                // Nothing that matters.
                if !list.is_empty() {
                    joint.push((numbers, list));
                }
            }
        }
        all = lists.heaviest(joint);
    }
    Some(Sums { of: all, beyond: lists.beyond })
}

/// What lists are made for, and what was left out of them.
struct Lists<'a> {
    side: Side,
    matter: &'a Matter,
    /// Of sums of several.
    most: usize,
    beyond: BigInt,
}

impl Lists<'_> {
    /// The lists of 1, 2, … rare outcomes of one part.
    fn of_part(&mut self, tail: &[Atom], copies: u64, budget: &Budget) -> Option<Vec<Vec<Sum>>> {
        let (side, bits) = (self.side, self.matter.bits);
        let of_atom = |atom: &Atom| {
            let loss = Range::of(&atom.loss, bits);
            match side {
                Side::Upper => {
                    // At most P·e^-loss for the loss as it is rounded: e^-w ≥ 1 − w.
                    let width = &loss.upper - &loss.lower;
                    let q = &atom.q.lower - shift_up(&(&atom.q.lower * width), bits);
                    Sum { loss: loss.upper, weight: &atom.p.upper * copies, q: q.max(BigInt::zero()) * copies }
                }
                Side::Lower => Sum { loss: loss.lower, weight: &atom.p.lower * copies, q: &atom.q.upper * copies },
            }
        };
        let mut all = Vec::new();
        // n·T, of one rare outcome.
        let mut list = self.short(tail.iter().map(of_atom).collect(), MOST)?;
        let one = self.shorter(&list)?;
        for j in 1..=copies {
            if list.is_empty() {
                break;
            }
            // Of j + 1: another one, (n − j)/(n·(j + 1)) times.
            let (left, ways) = (copies - j, BigInt::from(copies) * (j + 1));
            let fewer = |one: &Sum| {
                let (up, down) = (|n: &BigInt| (n * left).div_ceil(&ways), |n: &BigInt| (n * left).div_floor(&ways));
                let (weight, q) = match side {
                    Side::Upper => (up(&one.weight), down(&one.q)),
                    Side::Lower => (down(&one.weight), up(&one.q)),
                };
                Sum { loss: one.loss.clone(), weight, q }
            };
            let others: Vec<_> = one.iter().map(fewer).filter(|_| left > 0).collect();
            let next = self.product(if j == 1 { &one } else { &list }, &others, budget)?;
            all.push(core::mem::replace(&mut list, next));
        }
        Some(all)
    }

    /// One of each.
    fn product(&mut self, some: &[Sum], others: &[Sum], budget: &Budget) -> Option<Vec<Sum>> {
        let bits = self.matter.bits;
        budget.spend(u64::try_from(some.len() * others.len()).ok()?.saturating_mul(EACH))?;
        let mut product = Vec::new();
        for (sum, other) in some.iter().flat_map(|sum| others.iter().map(move |other| (sum, other))) {
            let (weight, q) = (&sum.weight * &other.weight, &sum.q * &other.q);
            let (weight, q) = match self.side {
                Side::Upper => (shift_up(&weight, bits), q >> bits),
                Side::Lower => (weight >> bits, shift_up(&q, bits)),
            };
            product.push(Sum { loss: &sum.loss + &other.loss, weight, q });
        }
        if product.len() > self.most {
            budget.spend(u64::try_from(self.most).ok()?.saturating_mul(SHORTER * exponential(bits)))?;
        }
        self.short(product, self.most)
    }

    /// As many kinds as are told apart; the lightest are left out.
    fn heaviest(&mut self, mut kinds: Vec<(Vec<u64>, Vec<Sum>)>) -> Vec<(Vec<u64>, Vec<Sum>)> {
        if kinds.len() > MOST_KINDS {
            kinds.sort_by_cached_key(|(_, list)| Reverse(whole(list).0));
            let lightest = kinds.split_off(MOST_KINDS);
            if self.side == Side::Upper {
                self.beyond += lightest.iter().map(|(_, list)| whole(list).0).sum::<BigInt>();
            }
        }
        kinds
    }

    /// As short as those of sums of several.
    fn shorter(&mut self, list: &[Sum]) -> Option<Vec<Sum>> {
        self.short(list.to_vec(), self.most)
    }

    /// The same sums in rising order, at most about so many, without the negligible ones.
    fn short(&mut self, list: Vec<Sum>, most: usize) -> Option<Vec<Sum>> {
        let (side, matter) = (self.side, self.matter);
        let mut list = sorted(list, matter.bits);
        list.dedup_by(|next, sum| {
            let is_same = next.loss == sum.loss;
            if is_same {
                sum.weight += &next.weight;
                sum.q += &next.q;
            }
            is_same
        });
        // All that is left out is negligible together.
        let each = &matter.weight / list.len().max(1);
        list.retain(|sum| {
            let is_kept = sum.weight > each;
            if !is_kept && side == Side::Upper {
                self.beyond += &sum.weight;
            }
            is_kept
        });
        if list.len() <= most {
            return Some(list);
        }
        // The narrowest groups of which there are few enough, two for each where they are split, and one of all that is high.
        let (low, high) = list.split_at(list.partition_point(|sum| sum.loss <= matter.loss));
        let most = if side == Side::Upper { most / 2 } else { most };
        let width = |n: u32| (BigInt::from(4 + n % 4) << (n / 4)) >> 2_u32;
        let are_few = |n: u32| groups(low, &width(n)).take(most + 1).count() <= most;
        // Nearly all widths from one on will do.
        let (mut narrow, mut wide) = (0, 4 * (matter.bits + 16));
        while wide - narrow > 1 {
            let middle = narrow.midpoint(wide);
            if are_few(middle) { wide = middle } else { narrow = middle }
        }
        let width = Some(width(wide)).filter(|_| are_few(wide))?;
        let short = groups(low, &width).chain([high]).map(|group| match side {
            Side::Upper => split(group, matter.bits),
            Side::Lower => mean(group, matter.bits),
        });
        Some(short.collect::<Option<Vec<_>>>()?.concat())
    }
}

/// In rising order, for the most part told by the leading digits.
fn sorted(list: Vec<Sum>, bits: u32) -> Vec<Sum> {
    let leading = |sum: &Sum| {
        let far = if sum.loss.is_negative() { i128::MIN } else { i128::MAX };
        (&sum.loss >> bits.saturating_sub(96)).to_i128().unwrap_or(far)
    };
    let mut list: Vec<(i128, Sum)> = list.into_iter().map(|sum| (leading(&sum), sum)).collect();
    list.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.loss.cmp(&other.loss)));
    list.into_iter().map(|(_, sum)| sum).collect()
}

/// Losses in rising order, those together that are less than so many units above the first of them.
fn groups<'a>(list: &'a [Sum], width: &BigInt) -> impl Iterator<Item = &'a [Sum]> {
    let mut rest = list;
    core::iter::from_fn(move || {
        let end = &rest.first()?.loss + width;
        let (group, others) = rest.split_at(rest.partition_point(|sum| sum.loss < end));
        rest = others;
        Some(group)
    })
}

/// e^x of a number over 2^bits.
fn power(x: &BigInt, bits: u32) -> Option<Range> {
    Some(Range::of(&exp(&Rational::new(x.clone(), BigInt::one() << bits), bits)?, bits))
}

/// Whether e^x of a number over 2^bits is more than 2^(bits + 2), and so more than any unit in the last place is part of.
fn is_huge(x: &BigInt, bits: u32) -> bool {
    *x > BigInt::from(bits + 2) << bits
}

/// P and Q of a group.
fn whole(group: &[Sum]) -> (BigInt, BigInt) {
    (group.iter().map(|sum| &sum.weight).sum(), group.iter().map(|sum| &sum.q).sum())
}

/// The pessimistic two. At e^a they are worth P − e^a·Q, and below it rises with a slope of at least Q: the group is worth no more at any point.
fn split(group: &[Sum], bits: u32) -> Option<Vec<Sum>> {
    let [first, .., last] = group else { return Some(group.to_vec()) };
    let (p, q) = whole(group);
    let gap = power(&(&first.loss - &last.loss), bits)?.clamp(bits).complement(bits);
    let sum = |loss: &BigInt, weight: BigInt| -> Option<Sum> {
        // Of a loss so far below 0 next to nothing is P, and any Q that is not more will do.
        let q = if is_huge(&-loss, bits) { BigInt::zero() } else { (&weight * power(&-loss, bits)?.lower) >> bits };
        Some(Sum { loss: loss.clone(), weight, q })
    };
    // Too close to be told apart, or too far above: all of it up.
    if gap.lower.is_zero() || is_huge(&first.loss, bits) {
        return Some([sum(&last.loss, p)?].into());
    }
    let rise = power(&first.loss, bits)?;
    let of = |difference: BigInt, gap: &BigInt| (difference << bits).div_ceil(gap).max(BigInt::zero());
    // All of it at b is enough in any case.
    let most = of(&p - ((&q * rise.lower) >> bits), &gap.lower).min(p.clone());
    let least = of(&p - shift_up(&(q * rise.upper), bits), &gap.upper) - BigInt::one();
    let low = (&p - least).clamp(BigInt::zero(), p);
    Some([sum(&first.loss, low)?, sum(&last.loss, most)?].into())
}

/// The optimistic one.
fn mean(group: &[Sum], bits: u32) -> Option<Vec<Sum>> {
    let [_, _, ..] = group else { return Some(group.to_vec()) };
    let (weight, q) = whole(group);
    let ratio = (&q << bits).div_ceil(&weight);
    let loss = Range::of(&ln_scaled(ratio.magnitude(), bits, bits)?.neg(), bits).lower;
    Some([Sum { loss, weight, q }].into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exact::Enclosure;

    const BITS: u32 = 200;

    fn atom((p, loss): (Rational, Rational)) -> Atom {
        let q = Range::of(&exp(&-loss.clone(), BITS).unwrap().mul_rational(&p), BITS);
        Atom { p: Range::of_rational(&p, BITS), q, loss: Enclosure::from_rational(&loss, BITS) }
    }

    /// Σ w·(1 − e^(x − l))₊, which is greatest where losses are.
    fn worth(list: impl IntoIterator<Item = (Rational, Rational)>, x: &Rational) -> Enclosure {
        let mut sum = Enclosure::from_integer(0, BITS);
        for (weight, loss) in list {
            if loss > *x {
                let share = Enclosure::from_integer(1, BITS).sub(&exp(&(x - loss), BITS).unwrap());
                sum = sum.add(&share.mul_rational(&weight)).at_precision(BITS);
            }
        }
        sum
    }

    fn of(list: &[Sum]) -> Vec<(Rational, Rational)> {
        let over = |n: &BigInt| Rational::new(n.clone(), BigInt::one() << BITS);
        list.iter().map(|sum| (over(&sum.weight), over(&sum.loss))).collect()
    }

    /// The list of so many rare outcomes of each part.
    fn at_numbers(sums: &Sums, numbers: &[u64]) -> Vec<(Rational, Rational)> {
        sums.of.iter().find(|(of, _)| of == numbers).map_or_else(Vec::new, |(_, list)| of(list))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Two of forty rare outcomes, hundreds of sums made fewer: what they are worth moves outward at every x, by little; and what is left out is booked.
        #[test]
        fn short_lists_move_outward(
            tail in prop::collection::vec((1_i64..1000, 1_i64..30_000), 36..44),
            copies in 2_u64..5,
            high in 2000_i64..60_000,
            log_negligible in 0_u32..40,
        ) {
            let tail: Vec<(Rational, Rational)> =
                tail.iter().map(|(p, l)| (Rational::new((*p).into(), 1_000_000.into()), Rational::new((*l).into(), 10_000.into()))).collect();
            let atoms: Vec<Atom> = tail.iter().cloned().map(atom).collect();
            let weight = (BigInt::one() << BITS) >> (20 + log_negligible);
            let loss = Rational::new(high.into(), 10_000.into());
            let matter = Matter { weight, loss: super::super::fixed::ceil(&loss, BITS), bits: BITS };
            let tails = [(atoms, copies)];
            let of_side = |side: Side| sums(&tails, side, &matter, &Budget::unlimited()).unwrap();
            let (upper, lower) = (of_side(Side::Upper), of_side(Side::Lower));
            prop_assert!(upper.of.iter().chain(&lower.of).all(|(_, list)| list.len() <= MOST + 2));
            let ways = Rational::from_integer((copies * (copies - 1) / 2).into());
            let pairs = tail.iter().flat_map(|a| tail.iter().map(|b| (&a.0 * &b.0 * &ways, &a.1 + &b.1)));
            let pairs: Vec<_> = pairs.collect();
            let beyond = Rational::new(upper.beyond.clone(), BigInt::one() << BITS);
            for n in 0..6 {
                let x = &loss * Rational::new(n.into(), 5.into());
                let truth = worth(pairs.clone(), &x);
                let at = |sums: &Sums| worth(at_numbers(sums, &[2]), &x);
                let (most, least) = (at(&upper), at(&lower));
                prop_assert!(most.upper() + &beyond >= truth.lower(), "{x}: {most} for {truth}");
                prop_assert!(least.lower() <= truth.upper(), "{x}: {least} for {truth}");
                // Up to `high` nothing is lost but the second order of a 128th of the span, about.
                if beyond == Rational::zero() || log_negligible > 30 {
                    let lost = truth.upper() / BigInt::from(200);
                    prop_assert!(most.upper() <= truth.upper() + &lost && least.lower() + lost + &beyond * BigInt::from(2) >= truth.lower(), "{x}: {least} {most} for {truth}");
                }
            }
        }
    }

    /// One rare outcome of each of two parts, hundreds of sums made fewer.
    #[test]
    fn lists_of_two_parts_move_outward() {
        let rational = |n: i64, of: i64| Rational::new(n.into(), of.into());
        let of_part = |first: i64, by: i64| -> Vec<(Rational, Rational)> {
            (0..40).map(|i| (rational(1 + i * i % 7, 100_000), rational(first + i * by, 10_000))).collect()
        };
        let parts = [of_part(200, 97), of_part(-900, 61)];
        let tails: Vec<(Vec<Atom>, u64)> =
            parts.iter().zip([3, 5]).map(|(part, copies)| (part.iter().cloned().map(atom).collect(), copies)).collect();
        let matter = Matter { weight: BigInt::zero(), loss: BigInt::one() << BITS, bits: BITS };
        let [lower, upper] =
            [Side::Lower, Side::Upper].map(|side| sums(&tails, side, &matter, &Budget::unlimited()).unwrap());
        let [a, b] = &parts;
        let fifteen = Rational::from_integer(15.into());
        let pairs = a.iter().flat_map(|a| b.iter().map(|b| (&a.0 * &b.0 * &fifteen, &a.1 + &b.1)));
        let pairs: Vec<_> = pairs.collect();
        for n in -20..60 {
            let x = rational(n, 100);
            let truth = worth(pairs.clone(), &x);
            let [least, most] = [&lower, &upper].map(|sums| worth(at_numbers(sums, &[1, 1]), &x));
            let lost = truth.upper() / BigInt::from(1000);
            assert!(most.upper() >= truth.lower() && most.lower() <= truth.upper() + &lost, "{x}: {most} for {truth}");
            assert!(
                least.lower() <= truth.upper() && least.upper() + lost >= truth.lower(),
                "{x}: {least} for {truth}"
            );
        }
    }

    /// Of two parts one rare outcome of either matters, and two do not: they are left out, and booked.
    #[test]
    fn what_is_left_out_is_booked() {
        let hundredth = |n: i64| Rational::new(n.into(), 100.into());
        let tails = [3, 5].map(|loss| (Vec::from([atom((hundredth(1), hundredth(loss)))]), 4));
        let matter =
            Matter { weight: (BigInt::one() << BITS) / BigInt::from(100), loss: BigInt::one() << BITS, bits: BITS };
        let all = sums(&tails, Side::Upper, &matter, &Budget::unlimited()).unwrap();
        let kinds: Vec<&[u64]> = all.of.iter().map(|(numbers, _)| numbers.as_slice()).collect();
        assert_eq!(kinds, [&[0, 0][..], &[0, 1], &[1, 0]]);
        // One of either 16 ways, and two of one six ways each.
        let booked = Rational::new(all.beyond, BigInt::one() << BITS);
        assert!(booked >= hundredth(1) * hundredth(28) && booked < hundredth(1) * hundredth(29), "{booked}");
    }

    /// One copy of each of sixty parts, of which any two are too many kinds: the heaviest are kept, and all the others together are no more likely than what is booked.
    #[test]
    fn the_lightest_kinds_are_booked() {
        let chance = |i: i64| Rational::new((1 + i % 7).into(), 400.into());
        let tails: Vec<_> = (0..60).map(|i| (Vec::from([atom((chance(i), chance(i + 3)))]), 1)).collect();
        let matter = Matter { weight: BigInt::zero(), loss: BigInt::one() << BITS, bits: BITS };
        let [lower, upper] =
            [Side::Lower, Side::Upper].map(|side| sums(&tails, side, &matter, &Budget::unlimited()).unwrap());
        let kept = |sums: &Sums| -> Rational {
            let of_kind = |numbers: &[u64]| -> Rational {
                (0..).zip(numbers).map(|(i, n)| if *n > 0 { chance(i) } else { Rational::one() - chance(i) }).product()
            };
            sums.of.iter().map(|(numbers, _)| of_kind(numbers)).sum()
        };
        assert_eq!((upper.of.len(), lower.of.len()), (MOST_KINDS, MOST_KINDS));
        let booked = Rational::new(upper.beyond.clone(), BigInt::one() << BITS);
        let left_out = Rational::one() - kept(&upper);
        assert!(booked >= left_out && booked < &left_out * BigInt::from(2), "{booked} {left_out}");
        // None or one of sixty, and the likeliest two.
        assert!(upper.of.iter().filter(|(numbers, _)| numbers.iter().sum::<u64>() < 2).count() == 61);
        assert_eq!((lower.beyond.clone(), kept(&lower)), (BigInt::zero(), kept(&upper)));
    }

    /// All the weights of 0, 1, 2, … rare outcomes of few copies, of two parts: products of binomials.
    #[test]
    fn weights_are_binomial() {
        let hundredth = |n: i64| Rational::new(n.into(), 100.into());
        let tails = [
            (Vec::from([atom((hundredth(3), hundredth(10))), atom((hundredth(2), hundredth(70)))]), 4),
            (Vec::from([atom((hundredth(10), hundredth(-31)))]), 2),
        ];
        let matter = Matter { weight: BigInt::zero(), loss: BigInt::one() << BITS, bits: BITS };
        for side in [Side::Lower, Side::Upper] {
            let all = sums(&tails, side, &matter, &Budget::unlimited()).unwrap();
            assert_eq!(all.of.len(), 15);
            for (numbers, list) in &all.of {
                let &[i, j] = numbers.as_slice() else { panic!("two parts") };
                assert_eq!(list.len(), usize::try_from(i).unwrap() + 1);
                let ways = [1, 4, 6, 4, 1][usize::try_from(i).unwrap()] * [1, 2, 1][usize::try_from(j).unwrap()];
                let [i, j] = [i, j].map(|n| i32::try_from(n).unwrap());
                let truth = hundredth(5).pow(i) * hundredth(10).pow(j) * BigInt::from(ways);
                let weight: Rational = of(list).into_iter().map(|(weight, _)| weight).sum();
                let off = (weight - truth) * (BigInt::one() << (BITS - 10));
                assert!(off < Rational::one() && off > -Rational::one());
                let rare = of(list).into_iter().map(|(_, loss)| loss).max().unwrap();
                let sum = hundredth(70) * BigInt::from(i) + hundredth(-31) * BigInt::from(j);
                assert!((rare - sum).abs() * (BigInt::one() << (BITS - 10)) < Rational::one());
            }
        }
    }
}
