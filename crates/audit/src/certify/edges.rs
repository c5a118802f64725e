//! Crafted trials of the prepared samplers at 64 bits: on both sides of every edge of every field of their
//! words.
//!
//! The fields of a wide trial, from the first bit on: u, which finds the bucket b; v, the first bits of V;
//! the offset o below w; the sign. Their edges: u beside each threshold T(b), where its next 64 bits decide,
//! and beyond the last; v below the squeeze, at it, and at its end, with the first and the last word of V
//! after it; offsets 0, 1, w/2 and w − 1; both signs; a zero; magnitudes beside 2^63 and 2^64. What is
//! expected is bw + o with its sign, in big integers; or, of a trial that is rejected, what the next trials
//! give.
//!
//! Where the thresholds are is read from the table, whose masses are certified beside this. Whether V is
//! accepted is told by 1 − x ≤ e^-x ≤ 1 − x + x²/2 in rationals; where these do not tell, nothing is crafted.

use std::{vec, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::crafted::Crafted;
use certus::{
    exact::{NonNegative, Rational, exp_neg},
    sample::hooks::prepared::{cells::Decay, inversion::Inversion, table::Table, wide::Wide},
};

/// The most buckets past the listed ones that a crafted tape leads to: each is an exponential more.
const DEEPEST_BUCKETS: u64 = 6000;

/// Trials of one sampler.
pub(super) struct Trials {
    /// Whose words are all drawn.
    pub(super) exact: Vec<Crafted>,
    /// Of which the last words may not be.
    pub(super) deep: Vec<Crafted>,
}

/// Where V lies beside the squeeze S, with the word after v.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// v = 0 and v = S − 1: no more of V is drawn.
    Least,
    Below,
    /// v = S, with a word of zeros or of ones after it.
    Squeeze(u64),
    /// v is all ones, and so is the word after it.
    Last,
}

const EVERY: [At; 5] = [At::Below, At::Squeeze(u64::MAX), At::Last, At::Squeeze(0), At::Least];

/// A way to a bucket: u, and the words of the second look.
type Way = (u64, Vec<u64>);

/// The layout of a wide trial, and what its fields mean.
pub(super) struct Fields<'w, const SECOND: u32> {
    wide: &'w Wide<u64, SECOND>,
    /// 1/s or 1/2σ².
    unit: Rational,
    gaussian: bool,
    /// How many buckets have a squeeze.
    squeezed: u64,
}

impl<'w, const SECOND: u32> Fields<'w, SECOND> {
    pub(super) fn new(wide: &'w Wide<u64, SECOND>) -> Self {
        let (unit, gaussian) = match wide.decay() {
            Decay::Laplace { scale } => (scale.get().recip(), false),
            Decay::Gaussian { variance } => ((variance.get() * Rational::from_integer(2.into())).recip(), true),
        };
        let reach = u64::try_from(wide.buckets().reach()).unwrap_or(u64::MAX);
        Self { wide, unit, gaussian, squeezed: reach.min(1 << (63 - wide.offset())) }
    }

    pub(super) fn places(&self) -> u64 {
        1 << self.wide.offset()
    }

    /// The word and the part of a second with these fields.
    fn pack(&self, u: u64, v: u64, offset: u64, negative: u64) -> (u64, u64) {
        let above = u128::from(u) << self.wide.squeeze() | u128::from(v);
        let all = (above << self.wide.offset() | u128::from(offset)) << 1 | u128::from(negative);
        let low = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or(0);
        (low(all >> SECOND), low(all & ((1 << SECOND) - 1)))
    }

    /// x at a place of a bucket: o/s, or o·(2bw + o)/2σ².
    pub(super) fn exponent(&self, bucket: u64, offset: u64) -> Rational {
        let (o, edge) = (BigInt::from(offset), BigInt::from(bucket) << (self.wide.offset() + 1));
        let amount = if self.gaussian { (edge + &o) * o } else { o };
        Rational::from_integer(amount) * &self.unit
    }

    /// S = ⌊(1 − X)·2^squeeze⌋, X being x at the end of the bucket.
    fn squeeze(&self, bucket: u64) -> u64 {
        if bucket >= self.squeezed {
            return 0;
        }
        let below = Rational::one() - self.exponent(bucket, self.places());
        let scaled = (below * (BigInt::one() << self.wide.squeeze())).floor().to_integer();
        u64::try_from(&scaled).unwrap_or(0)
    }

    /// Ways into a bucket: the first and the last u that are settled there, and the neighbours of both its
    /// ends by the second look.
    pub(super) fn ways(&self, bucket: u64) -> Vec<Way> {
        let inversion = self.wide.buckets();
        let ones = (1u64 << inversion.width()) - 1;
        let at = |bucket: usize| inversion.thresholds().get(bucket).copied().unwrap_or(ones);
        let finer = |bucket: usize| inversion.finer().0.get(bucket).copied();
        let Some(this) = usize::try_from(bucket).ok().filter(|&this| finer(this).is_some()) else { return Vec::new() };
        let before = this.checked_sub(1);
        let mut ways = Vec::new();
        let first = before.map_or(0, |before| at(before) + 1);
        if first < at(this) {
            ways.push((first, vec![]));
            ways.push((at(this) - 1, vec![]));
        }
        // Between the finer bits of the two ends, where both have the same u.
        let least =
            before.filter(|&before| at(before) == at(this)).map_or(Some(0), |before| finer(before)?.checked_add(1));
        let most = finer(this).and_then(|finer| finer.checked_sub(1));
        if let Some((least, most)) = least.zip(most).filter(|(least, most)| least <= most) {
            ways.push((at(this), vec![most]));
            ways.push((at(this), vec![least]));
        }
        if let Some(before) = before.filter(|&before| at(before) < at(this))
            && let Some(after) = finer(before).and_then(|finer| finer.checked_add(1))
        {
            ways.push((at(before), vec![after]));
        }
        ways
    }

    /// The crafted trial of these fields, if it can be told what it gives.
    fn craft(&self, bucket: u64, (u, looks): &Way, offset: u64, negative: u64, at: At) -> Option<Crafted> {
        let (squeeze, last) = (self.squeeze(bucket), (1u64 << self.wide.squeeze()) - 1);
        let (v, after) = match at {
            At::Least => (0, None),
            At::Below => (squeeze.checked_sub(1)?, None),
            At::Squeeze(after) => (squeeze, Some(after)),
            At::Last => (last, Some(u64::MAX)),
        };
        // v below the squeeze is accepted as it is, all others with one word more.
        if v > last || (v < squeeze) != after.is_none() {
            return None;
        }
        let accepted = match after {
            None => true,
            Some(after) => {
                let length = self.wide.squeeze() + 64;
                let (x, unit) = (self.exponent(bucket, offset), BigInt::one() << length);
                let low = Rational::new(BigInt::from(v) << 64 | BigInt::from(after), unit.clone());
                let (least, half) = (Rational::one() - &x, Rational::new(1.into(), 2.into()));
                if &low + Rational::new(1.into(), unit) <= least {
                    true
                } else if low >= least + &x * &x * half {
                    false
                } else {
                    return None;
                }
            }
        };
        let (first, second) = self.pack(*u, v, offset, negative);
        let mut more = looks.clone();
        more.extend(after);
        let magnitude = (BigInt::from(bucket) << self.wide.offset()) + offset;
        let is_negative_zero = negative == 1 && magnitude == BigInt::ZERO;
        let expected = if accepted && !is_negative_zero {
            if negative == 1 { -magnitude } else { magnitude }
        } else {
            let (words, next) = self.next(bucket)?;
            more.extend(words);
            next
        };
        Some(Crafted { first, second, more, expected })
    }

    /// The words of two trials after one of a bucket that is rejected: a negative zero, which is rejected
    /// too, and one that is settled; with its sample.
    pub(super) fn next(&self, bucket: u64) -> Option<(Vec<u64>, BigInt)> {
        let (another, mut words) = (if bucket == 2 { 3 } else { 2 }, Vec::new());
        for (bucket, offset, negative) in [(0, 0, 1), (another, 5, 0)] {
            let (u, _) = self.ways(bucket).into_iter().find(|(_, looks)| looks.is_empty())?;
            words.extend(self.words(u, 0, offset, negative));
        }
        Some((words, (BigInt::from(another) << self.wide.offset()) + 5))
    }

    /// The words of a trial that is drawn alone.
    pub(super) fn words(&self, u: u64, v: u64, offset: u64, negative: u64) -> Vec<u64> {
        let (first, second) = self.pack(u, v, offset, negative);
        let second = (SECOND > 0).then(|| second << (64 - SECOND));
        core::iter::once(first).chain(second).collect()
    }

    /// One trial of a bucket past all that is listed, of Laplace noise: U in its middle, by as many words as
    /// that takes.
    fn deep(&self, bucket: u64, offset: u64, negative: u64) -> Option<Crafted> {
        let middle = (BigInt::from(bucket) << (self.wide.offset() + 1)) + (BigInt::one() << self.wide.offset());
        let y = Rational::from_integer(middle) * &self.unit / BigInt::from(2);
        let prefix = self.wide.buckets().width();
        // e^-y > 2^-3y/2, and 64 bits more tell the buckets apart.
        let bits = u32::try_from((&y * BigInt::from(3) / BigInt::from(2)).ceil().to_integer()).ok()? + 64;
        let words = bits.saturating_sub(prefix).div_ceil(64);
        let length = prefix + 64 * words;
        let tail = exp_neg(&NonNegative::new(y).ok()?, length + 16).lower() * (BigInt::one() << length);
        let all = (BigUint::one() << length) - 1u32 - tail.to_integer().magnitude();
        let word = |index: u32| u64::try_from((&all >> (64 * index)) & BigUint::from(u64::MAX)).ok();
        let u = u64::try_from(&all >> (64 * words)).ok()?;
        let (first, second) = self.pack(u, 0, offset, negative);
        let mut more = (0..words).rev().map(word).collect::<Option<Vec<u64>>>()?;
        // V, for there is no squeeze here: it begins with v = 0, which every place accepts.
        more.push(0);
        let magnitude = (BigInt::from(bucket) << self.wide.offset()) + offset;
        Some(Crafted { first, second, more, expected: if negative == 1 { -magnitude } else { magnitude } })
    }
}

/// Every crafted trial of a wide sampler.
pub(super) fn of_wide<const SECOND: u32>(wide: &Wide<u64, SECOND>) -> Trials {
    let (reach, listed) = (wide.buckets().reach(), wide.buckets().finer().0.len());
    let [reach, listed] = [reach, listed].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
    let fields = Fields::new(wide);
    let offsets = [0, 1, fields.places() / 2, fields.places() - 1];
    let mut exact = Vec::new();
    // In every bucket: each way in, with another place, sign and v each time.
    for bucket in 0..listed {
        let turns = (bucket..).zip(fields.ways(bucket).into_iter().cycle().take(EVERY.len()));
        for ((turn, way), at) in turns.zip(EVERY) {
            let offset = *usize::try_from(turn % 4).ok().and_then(|turn| offsets.get(turn)).unwrap_or(&0);
            exact.extend(fields.craft(bucket, &way, offset, turn / 4 % 2, at));
        }
    }
    // Beside 2^63 and 2^64: the last bucket before each, and the first one after it.
    let words: Vec<u64> = [63, 64]
        .into_iter()
        .flat_map(|bits| {
            let bucket = 1u64 << (bits - wide.offset());
            [bucket - 1, bucket]
        })
        .collect();
    // In some buckets: everything together.
    let ends = [0, 1, 2, reach / 2, reach.saturating_sub(1), reach, listed.saturating_sub(1)];
    for bucket in ends.into_iter().chain(words.iter().copied()).filter(|&bucket| bucket < listed) {
        for way in fields.ways(bucket) {
            for offset in offsets {
                for negative in [0, 1] {
                    exact.extend(EVERY.into_iter().filter_map(|at| fields.craft(bucket, &way, offset, negative, at)));
                }
            }
        }
    }
    let beyond = words.into_iter().chain([listed + 1]);
    let beyond = beyond.filter(|&bucket| !fields.gaussian && bucket > listed && bucket < listed + DEEPEST_BUCKETS);
    let deep = beyond.flat_map(|bucket| {
        offsets
            .into_iter()
            .zip([0, 1].into_iter().cycle())
            .filter_map(|(offset, negative)| fields.deep(bucket, offset, negative))
            .collect::<Vec<_>>()
    });
    Trials { deep: deep.collect(), exact }
}

/// Every crafted trial of a table.
pub(super) fn of_table(table: &Table<u64>) -> Trials {
    let inversion = table.magnitudes();
    let thresholds = inversion.thresholds();
    let mut exact = Vec::new();
    let mut push = |u: u64, more: Vec<u64>, magnitude: usize| {
        for negative in [0, 1] {
            let expected = BigInt::from(magnitude) * if negative == 1 { -1 } else { 1 };
            exact.push(Crafted { first: u << 1 | negative, second: 0, more: more.clone(), expected });
        }
    };
    for u in beside(inversion) {
        let magnitude = thresholds.partition_point(|&threshold| threshold < u);
        if thresholds.get(magnitude).is_some_and(|&threshold| threshold > u) {
            push(u, vec![], magnitude);
        }
    }
    // Where the word is the threshold itself: its next 64 bits decide, all zeros or all ones.
    let last = thresholds.len().saturating_sub(1);
    for magnitude in [0, 1, last / 2, last.saturating_sub(2)] {
        let at = |magnitude: usize| thresholds.get(magnitude).copied();
        let Some(u) = at(magnitude) else { continue };
        if magnitude == 0 || at(magnitude - 1) < Some(u) {
            push(u, vec![0], magnitude);
        }
        if at(magnitude + 1) > Some(u) {
            push(u, vec![u64::MAX], magnitude + 1);
        }
    }
    Trials { exact, deep: Vec::new() }
}

/// The words beside every threshold and every edge of the guide.
fn beside<const STEPS: u32>(inversion: &Inversion<STEPS>) -> Vec<u64> {
    let last = (1u64 << inversion.width()) - 1;
    let guide = inversion.guide_edges().flat_map(|u| [u.saturating_sub(1), u]);
    let thresholds = inversion.thresholds().iter().flat_map(|&u| [u.saturating_sub(1), u.saturating_add(1).min(last)]);
    let mut beside: Vec<u64> = guide.chain(thresholds).collect();
    beside.sort_unstable();
    beside.dedup();
    beside
}
