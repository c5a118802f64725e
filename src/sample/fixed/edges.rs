//! Tapes of the fixed-work samplers whose outcomes are known: on both sides of every edge of every word of a
//! trial.
//!
//! What a trial must give is written in big integers from the documented layout: ±(b·2^digits + r), where b
//! is the index of the only table, or 8·(index of the second) + (index of the first); nothing for a negative
//! zero or an offset that is not accepted. The edges of a table are the ends of its runs of words, and its
//! thresholds, where the next 64 digits decide; those of the acceptance, the ends of its runs, and the digits
//! of e^-x themselves.

use alloc::{vec, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{
    Word,
    inversion::{Inversion, Run},
    shape::Shape,
};
use crate::exact::{Enclosure, NonNegative, Rational, exp_neg};

/// A trial: its words, the digits that the exact path draws after them, and its outcome; nothing if it is
/// rejected.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Its words.
    pub words: Vec<u64>,
    /// What the exact path draws after them.
    pub more: Vec<u64>,
    /// Its outcome.
    pub expected: Option<BigInt>,
}

/// What an acceptance states about its error, in units of the last place.
#[derive(Clone, Debug)]
pub struct Stated {
    /// E.
    pub error: BigUint,
    /// How many words are ambiguous.
    pub window: BigUint,
    /// That of the polynomial.
    pub polynomial: BigUint,
    /// C.
    pub factor: BigUint,
    /// Digits of an offset.
    pub digits: u32,
    /// 1/s, or 1/2σ².
    pub unit: Rational,
    /// The greatest multiple 2b + 1 of c, or 1 if x does not depend on the bucket.
    pub last: usize,
    /// Digits of a word.
    pub bits: u32,
    /// A product is rounded down by less than this.
    pub slack: u32,
}

/// Bits that nothing should read.
const NOISE: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// How far from e^-x these digits of V decide, in units of their last place: the exact path encloses it to
/// 2^-16 of a unit, with some of these lost.
const NEAR: u32 = 256;

/// The 64-bit words of a number.
fn raw<W: Word>(word: &BigUint) -> Vec<u64> {
    let part = |index: usize| u64::try_from(&((word >> (64 * index)) & BigUint::from(u64::MAX))).unwrap_or(0);
    (0..W::FROM).rev().map(part).collect()
}

/// The words of a trial, in the order in which it draws them. What is not drawn is left out.
fn words<W: Word, S: Shape<W>>(
    shape: &S,
    tables: [&BigUint; 2],
    negative: u32,
    offset: u64,
    accept: &BigUint,
) -> Vec<u64> {
    let [first, second] = tables;
    let mut words = raw::<W>(&((first << 1u32) + negative));
    if S::SECOND {
        // The last bit goes unused.
        words.extend(raw::<W>(&((second << 1u32) + 1u32)));
    }
    if S::OFFSET {
        words.push(offset << (64 - shape.digits()) | NOISE >> shape.digits());
        words.extend(raw::<W>(accept));
    }
    words
}

/// What the fields of a trial mean.
fn outcome<W: Word, S: Shape<W>>(shape: &S, bucket: u64, offset: u64, negative: u32, accepted: bool) -> Option<BigInt> {
    let magnitude = (BigInt::from(bucket) << shape.digits()) + offset;
    let is_negative_zero = negative == 1 && magnitude == BigInt::ZERO && shape.rejects_negative_zero();
    (accepted && !is_negative_zero).then(|| if negative == 1 { -magnitude } else { magnitude })
}

/// The bucket of the indices of the tables.
fn bucket<W: Word, S: Shape<W>>(first: u64, second: u64) -> u64 {
    if S::SECOND { 8 * second + first } else { first }
}

/// Every edge of a construction; nothing if its own account of where they are does not hold.
pub(super) fn edges<W: Word, S: Shape<W>>(shape: &S) -> Option<Vec<Edge>> {
    let tables = shape.tables();
    let runs = tables.iter().map(|table| table.settled()).collect::<Option<Vec<Vec<Run>>>>()?;
    let none = vec![Run::of_nothing_drawn()];
    let (first, second) = (runs.first()?, runs.get(1).unwrap_or(&none));
    let last = (1u64 << shape.digits()) - 1;
    let mut offsets = vec![0, 1.min(last), last / 2, last];
    offsets.dedup();
    let mut edges = Vec::new();
    for (high, of_high) in (0u64..).zip(second) {
        for (low, of_low) in (0u64..).zip(first) {
            let bucket = bucket::<W, S>(low, high);
            for &offset in &offsets {
                let (accept, reject) = shape.decided(bucket, offset)?;
                for (decided, accepted) in [(accept, true), (reject, false)] {
                    let ends = of_low.bounds().zip(of_high.bounds()).zip(decided.bounds());
                    for ((low, high), accept) in ends {
                        for negative in [0, 1] {
                            edges.push(Edge {
                                words: words(shape, [&low, &high], negative, offset, &accept),
                                more: Vec::new(),
                                expected: outcome(shape, bucket, offset, negative, accepted),
                            });
                        }
                    }
                }
            }
        }
    }
    edges.extend(thresholds(shape, &tables, [first, second], last));
    if S::OFFSET {
        edges.extend(exponentials(shape, [first, second], last));
    }
    Some(edges)
}

/// Words that equal a threshold, whose next 64 digits are not all zeros, nor all ones; and words past the
/// last one.
fn thresholds<W: Word, S: Shape<W>>(shape: &S, tables: &[&Inversion<W>], runs: [&Vec<Run>; 2], last: u64) -> Vec<Edge> {
    let mut edges = Vec::new();
    let zero = BigUint::ZERO;
    for (index, table) in tables.iter().enumerate() {
        // The other table, if there is one, at the start of its first run that is not empty.
        let other = |runs: &Vec<Run>| (0u64..).zip(runs).find_map(|(other, run)| Some((other, run.bounds().next()?)));
        let Some((other, word)) = runs.get(1 - index).map_or(Some((0, zero.clone())), |runs| other(runs)) else {
            continue;
        };
        for (u, cell, more) in open(table) {
            let (pair, bucket) = if index == 0 {
                ([&u, &word], bucket::<W, S>(cell, other))
            } else {
                ([&word, &u], bucket::<W, S>(other, cell))
            };
            // V = 0 accepts every offset; the first word that rejects one in this bucket may accept it in the
            // one before.
            let rejects = shape.decided(bucket, last).and_then(|(_, reject)| reject.bounds().next());
            for (accept, accepted) in [(Some(&zero), true), (rejects.as_ref().filter(|_| S::OFFSET), false)] {
                let Some(accept) = accept else { continue };
                edges.extend([0, 1].map(|negative| Edge {
                    words: words(shape, pair, negative, last, accept),
                    more: more.clone(),
                    expected: outcome(shape, bucket, last, negative, accepted),
                }));
            }
        }
    }
    edges
}

/// The words of a table that do not decide, with their index and the digits that do.
fn open<W: Word>(table: &Inversion<W>) -> Vec<(BigUint, u64, Vec<u64>)> {
    let listed: Vec<BigUint> = table.thresholds().map(Word::to_big).collect();
    let mut open = Vec::new();
    for (j, threshold) in (0u64..).zip(&listed) {
        let at = |j: u64| usize::try_from(j).ok().and_then(|j| listed.get(j));
        if j.checked_sub(1).and_then(at).is_none_or(|before| before < threshold) {
            open.push((threshold.clone(), j, vec![0]));
        }
        if at(j + 1).is_some_and(|after| threshold < after) {
            open.push((threshold.clone(), j + 1, vec![u64::MAX]));
        }
    }
    // Past the last threshold, where no digit more is needed.
    let greatest = W::MAX.shifted(1).to_big();
    let past = listed.last().map(|last| [last + 1u32, &greatest - 1u32]);
    let past = past.into_iter().flatten().filter(|u| table.series().length.is_none() && listed.last() < Some(u));
    open.extend(past.filter_map(|u| Some((u.clone(), located(table, &u)?, vec![]))));
    open
}

/// The index of every number that begins with these digits, if it is one and the same: from the sums of the
/// weights by their definition.
fn located<W: Word>(table: &Inversion<W>, u: &BigUint) -> Option<u64> {
    let (series, precision) = (table.series(), W::BITS + 64);
    let (mut sums, mut sum) = (Vec::new(), Enclosure::from_integer(0, precision));
    let negligible = Rational::new(1.into(), BigInt::one() << (W::BITS + 32));
    for j in 0u32.. {
        // g_j = e^-(j·ratio + j(j − 1)/2·fall).
        let steps = |n: u64| Rational::from_integer(n.into());
        let j = u64::from(j);
        let x = series.ratio.get() * steps(j) + series.fall.get() * steps(j * j.saturating_sub(1) / 2);
        let weight = exp_neg(&NonNegative::new(x).ok()?, precision);
        let weight = if series.folded && j > 0 { weight.add(&weight) } else { weight };
        sum = sum.add(&weight);
        sums.push(sum.clone());
        if weight.upper() < negligible {
            break;
        }
    }
    // What is left is less than 2^16 of the last weights.
    let rest =
        Enclosure::from_bounds(&Rational::from_integer(0.into()), &(negligible * BigInt::from(1 << 16)), precision)?;
    let (unit, total) = (BigInt::one() << (W::BITS - 1), sum.add(&rest));
    let (low, high) = (Rational::from_integer(u.clone().into()), Rational::from_integer((u + 1u32).into()));
    let shares = sums.iter().map(|sum| sum.div(&total)).collect::<Option<Vec<_>>>()?;
    let index = shares.iter().position(|share| share.lower() * &unit >= high)?;
    let is_after =
        index.checked_sub(1).and_then(|before| shares.get(before)).is_none_or(|share| share.upper() * &unit <= low);
    u64::try_from(index).ok().filter(|_| is_after)
}

/// V beside e^-x, from which it differs in the last of 64 digits more than a word has, but for a few.
fn exponentials<W: Word, S: Shape<W>>(shape: &S, runs: [&Vec<Run>; 2], last: u64) -> Vec<Edge> {
    let mut edges = Vec::new();
    let [first, second] = runs;
    for (high, of_high) in (0u64..).zip(second) {
        for (low, of_low) in (0u64..).zip(first) {
            let Some((low_word, high_word)) = of_low.bounds().next().zip(of_high.bounds().next()) else { continue };
            let bucket = bucket::<W, S>(low, high);
            for offset in [1, last / 2, last] {
                let Some(x) = NonNegative::new(shape.exponent(bucket, offset)).ok().filter(|_| offset > 0) else {
                    continue;
                };
                let length = W::BITS + 64;
                let bounds = exp_neg(&x, length + 32);
                let scaled = |bound: Rational| (bound.numer().magnitude() << length) / bound.denom().magnitude();
                for (v, accepted) in [(scaled(bounds.lower()) - NEAR, true), (scaled(bounds.upper()) + NEAR, false)] {
                    if v.bits() > length.into() {
                        continue;
                    }
                    let more = u64::try_from(&(&v & BigUint::from(u64::MAX))).unwrap_or(0);
                    edges.push(Edge {
                        words: words(shape, [&low_word, &high_word], 1, offset, &(v >> 64u32)),
                        more: vec![more],
                        expected: outcome(shape, bucket, offset, 1, accepted),
                    });
                }
            }
        }
    }
    edges
}

impl Run {
    /// The first and the last word; none if the run is empty.
    fn bounds(&self) -> impl Iterator<Item = BigUint> {
        let last = (self.words > BigUint::ZERO).then(|| &self.first + &self.words - BigUint::one());
        last.into_iter().flat_map(|last| [self.first.clone(), last])
    }
}
