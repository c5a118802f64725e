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
use crate::exact::{NonNegative, Rational, exp_neg};

/// A trial: its words, the digits that the exact path draws after them, and its outcome; nothing if it is
/// rejected.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) words: Vec<u64>,
    pub(crate) more: Vec<u64>,
    pub(crate) expected: Option<BigInt>,
}

/// What an acceptance states about its error, in units of the last place.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    /// E.
    pub(crate) error: BigUint,
    /// How many words are ambiguous.
    pub(crate) window: BigUint,
    /// That of the polynomial.
    pub(crate) polynomial: BigUint,
    /// C.
    pub(crate) factor: BigUint,
    /// Digits of an offset.
    pub(crate) digits: u32,
    /// 1/s, or 1/2σ².
    pub(crate) unit: Rational,
    /// The greatest multiple 2b + 1 of c, or 1 if x does not depend on the bucket.
    pub(crate) last: usize,
    /// Digits of a word.
    pub(crate) bits: u32,
    /// A product is rounded down by less than this.
    pub(crate) slack: u32,
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

/// Words that equal a threshold: its next 64 digits are not all zeros, nor all ones.
fn thresholds<W: Word, S: Shape<W>>(shape: &S, tables: &[&Inversion<W>], runs: [&Vec<Run>; 2], last: u64) -> Vec<Edge> {
    let mut edges = Vec::new();
    let zero = BigUint::ZERO;
    for (index, table) in tables.iter().enumerate() {
        let listed: Vec<BigUint> = table.thresholds().map(Word::to_big).collect();
        for (j, threshold) in listed.iter().enumerate() {
            let (is_new, is_left) = (
                j.checked_sub(1).and_then(|before| listed.get(before)).is_none_or(|before| before < threshold),
                listed.get(j + 1).is_some_and(|after| threshold < after),
            );
            for (applies, digits, cell) in [(is_new, 0, j), (is_left, u64::MAX, j + 1)] {
                let Some(cell) = u64::try_from(cell).ok().filter(|_| applies) else { continue };
                // The other table, if there is one, at the start of its first run that is not empty.
                let other =
                    |runs: &Vec<Run>| (0u64..).zip(runs).find_map(|(other, run)| Some((other, run.bounds().next()?)));
                let Some((other, word)) = runs.get(1 - index).map_or(Some((0, zero.clone())), |runs| other(runs))
                else {
                    continue;
                };
                let (pair, bucket) = if index == 0 {
                    ([threshold, &word], bucket::<W, S>(cell, other))
                } else {
                    ([&word, threshold], bucket::<W, S>(other, cell))
                };
                for negative in [0, 1] {
                    // V = 0 accepts every offset.
                    edges.push(Edge {
                        words: words(shape, pair, negative, last, &zero),
                        more: vec![digits],
                        expected: outcome(shape, bucket, last, negative, true),
                    });
                }
            }
        }
    }
    edges
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
