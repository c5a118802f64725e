//! Inversion of a distribution function by a full scan of a short table, and exactly where that does not
//! decide.

use alloc::{boxed::Box, vec::Vec};
use core::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{Word, lazy::Lazy};
use crate::{
    exact::{Enclosure, NonNegative, Rational, exp_neg},
    sample::Interpreter,
};

/// The scan is unrolled by this many thresholds.
const GROUP: usize = 4;

/// The most thresholds that a table may have.
const MOST: usize = 256;

/// Weights g₀ = 1, gⱼ₊₁ = gⱼ·ρⱼ with ρ₀ = e^-ratio, ρⱼ₊₁ = ρⱼ·e^-fall: a geometric distribution if the fall
/// is 0, and a half Gaussian if it is twice the ratio.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Series {
    pub(super) ratio: NonNegative,
    pub(super) fall: NonNegative,
    /// Whether weights other than the first count twice: those of magnitudes, zero having one sign only.
    pub(super) folded: bool,
    /// How many weights there are, if not infinitely many.
    pub(super) length: Option<usize>,
}

impl Series {
    /// Encloses the partial sums Sⱼ, and the sum of all weights, to a width of about 2^-`precision`.
    pub(super) fn sums(&self, precision: u32) -> Option<(Vec<Enclosure>, Enclosure)> {
        let working = precision.checked_add(32)?;
        let one = Enclosure::from_integer(1, working);
        let negligible = Rational::new(1.into(), BigInt::one() << precision);
        let fall = exp_neg(&self.fall, working).at_precision(working);
        let mut ratio = exp_neg(&self.ratio, working).at_precision(working);
        let (mut weight, mut sum) = (one.clone(), Enclosure::from_integer(0, working));
        let mut sums = Vec::new();
        while weight.upper() >= negligible && self.length != Some(sums.len()) {
            sum = sum.add(&weight);
            sums.push(sum.clone());
            weight = weight.mul(&ratio).at_precision(working);
            ratio = ratio.mul(&fall).at_precision(working);
        }
        if self.length != Some(sums.len()) {
            // The ratios do not rise, so what is left is between 0 and weight/(1 − ratio), if it is
            // infinitely much or not.
            let tail = weight.div(&one.sub(&ratio))?.hull(&Enclosure::from_integer(0, 0));
            sum = sum.add(&tail);
        }
        if self.folded {
            let fold = |sum: &Enclosure| sum.add(sum).sub(&one);
            return Some((sums.iter().map(fold).collect(), fold(&sum)));
        }
        Some((sums, sum))
    }

    /// Bounds of the distribution function Fⱼ = Sⱼ/S for j = 0, 1, …, in units of 2^-`precision`.
    fn cumulative(&self, precision: u32) -> Option<Vec<(BigUint, BigUint)>> {
        let (sums, total) = self.sums(precision.checked_add(8)?)?;
        let unit = BigInt::one() << precision;
        sums.iter()
            .map(|sum| {
                let share = sum.div(&total)?;
                let lower = (share.lower() * &unit).floor().to_integer().to_biguint()?;
                let upper = (share.upper() * &unit).ceil().to_integer().to_biguint()?;
                Some((lower, upper))
            })
            .collect()
    }
}

/// Words in a row on which the kernel says the same.
#[derive(Clone)]
pub struct Run {
    pub(super) first: BigUint,
    pub(super) words: BigUint,
}

impl Run {
    /// Where no word is drawn, there is one way not to draw it, and 0 stands for it.
    pub(super) fn of_nothing_drawn() -> Self {
        Self { first: BigUint::ZERO, words: BigUint::one() }
    }

    /// No word at all.
    pub(super) fn empty() -> Self {
        Self { first: BigUint::ZERO, words: BigUint::ZERO }
    }

    /// The first and the last word; none if the run is empty.
    pub(super) fn ends<W: Word>(&self) -> impl Iterator<Item = W> {
        let last = (self.words > BigUint::ZERO).then(|| &self.first + &self.words - 1u32);
        last.into_iter().flat_map(|last| [self.first.clone(), last]).filter_map(|word| W::from_big(&word))
    }
}

/// The inversion of one distribution function F, by a uniform number of BITS − 1 digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inversion<W> {
    /// ⌊Fⱼ·2^(BITS−1)⌋, not decreasing, in groups: the first group, and the others. The last is filled up
    /// with the greatest number, which nothing is above.
    first: [W; GROUP],
    groups: Box<[[W; GROUP]]>,
    /// The index beyond the last threshold, if the exact path must decide there: the open end.
    open: u64,
    count: usize,
    series: Series,
    /// Fⱼ, bounded more narrowly by far than the words resolve.
    narrow: Vec<(BigUint, BigUint)>,
}

impl<W: Word> Inversion<W> {
    /// The digits of a uniform number here.
    pub(super) const DIGITS: u32 = W::BITS - 1;

    /// The precision of the narrow bounds.
    const NARROW: u32 = W::BITS + 64;

    /// The table; `None` if it would be too long.
    pub(super) fn new(series: Series) -> Option<Self> {
        let mut precision = Self::NARROW;
        let narrow = series.cumulative(precision)?;
        let mut bounds = narrow.clone();
        let thresholds = loop {
            if let Some(thresholds) = Self::floors(&bounds, precision, series.length) {
                break thresholds;
            }
            // Two ends of a bound on either side of a word: about once in 2^64.
            precision = precision.checked_mul(2).filter(|&precision| precision < 1 << 14)?;
            bounds = series.cumulative(precision)?;
        };
        let count = thresholds.len();
        if count > MOST {
            return None;
        }
        let open = if series.length.is_some() { u64::MAX } else { u64::try_from(count).ok()? };
        // At least one more, so that the greatest number is always a threshold: it costs one word, and saves
        // a case.
        let mut groups = Vec::with_capacity(count / GROUP + 1);
        let mut rest = thresholds.into_iter();
        while groups.len() * GROUP < count + 1 {
            groups.push([(); GROUP].map(|()| rest.next().unwrap_or(W::MAX.shifted(1))));
        }
        let first = groups.remove(0);
        Some(Self { first, groups: groups.into(), open, count, series, narrow })
    }

    /// The thresholds, as far as they matter; `None` if the bounds are not narrow enough to tell one.
    fn floors(bounds: &[(BigUint, BigUint)], precision: u32, length: Option<usize>) -> Option<Vec<W>> {
        let shift = precision - Self::DIGITS;
        let greatest = W::MAX.shifted(1).to_big();
        let tail = &greatest >> W::TAIL;
        let mut thresholds = Vec::new();
        for (index, (lower, upper)) in bounds.iter().enumerate() {
            // The last of finitely many is 1: nothing is beyond it.
            if length == Some(index + 1) {
                break;
            }
            let (lower, upper) = (lower >> shift, upper >> shift);
            // At the greatest word only F < 1 matters, which is known.
            if lower != upper && lower < greatest {
                return None;
            }
            let threshold = lower.min(greatest.clone());
            thresholds.push(W::from_big(&threshold)?);
            if length.is_none() && &greatest - threshold <= tail {
                return Some(thresholds);
            }
        }
        length.map(|_| thresholds)
    }

    /// The index that begins with these digits, and 1 if they do not decide it.
    ///
    /// Counts the thresholds below u and looks whether one is equal to it, at all of them, always. If one is,
    /// F is somewhere inside the interval of width 2^-DIGITS that u stands for.
    #[inline]
    pub(super) fn scan(&self, u: W) -> (u64, u64) {
        let (mut below, mut nearest) = (0, u64::MAX);
        let (mut group, mut groups) = (&self.first, self.groups.iter());
        // One jump for each group, at its end; a `for` would add another for no groups at all.
        loop {
            let [a, b, c, d] = group.map(|threshold| threshold.order(u));
            below += (a.0 + b.0) + (c.0 + d.0);
            nearest = nearest.min(a.1.min(b.1)).min(c.1.min(d.1));
            match groups.next() {
                Some(next) => group = next,
                None => break,
            }
        }
        (below, u64::from(nearest == 0) | u64::from(below == self.open))
    }

    /// The index for these digits and more of the same number: decided exactly.
    pub(super) fn settle<I: Interpreter>(&self, u: W, on: &mut I) -> Result<u64, I::Error> {
        let mut uniform = Lazy::new(u, Self::DIGITS);
        let (mut precision, mut finer) = (Self::NARROW, None);
        loop {
            let bounds = finer.as_ref().unwrap_or(&self.narrow);
            if let Some(index) = Self::locate(&uniform, bounds, precision, self.series.length) {
                return Ok(index);
            }
            uniform.extend::<W, I>(on)?;
            if uniform.length() + 16 > precision {
                precision = precision.checked_mul(2).ok_or_else(|| on.overflow())?;
                finer = Some(self.series.cumulative(precision).ok_or_else(|| on.overflow())?);
            }
        }
    }

    /// The first index whose F is above U, if that can be told.
    fn locate(uniform: &Lazy, bounds: &[(BigUint, BigUint)], precision: u32, length: Option<usize>) -> Option<u64> {
        for (index, (lower, upper)) in (0u64..).zip(bounds) {
            let last = length.is_some_and(|length| u64::try_from(length) == Ok(index + 1));
            match uniform.compare(lower, upper, precision) {
                _ if last => return Some(index),
                Some(Ordering::Greater) => {}
                Some(_) => return Some(index),
                None => return None,
            }
        }
        None
    }

    /// How many indices there are before the open end.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The thresholds, without the greatest number at their end.
    pub(super) fn thresholds(&self) -> impl Iterator<Item = W> {
        core::iter::once(&self.first).chain(&self.groups).flatten().copied().take(self.count)
    }

    pub(super) fn series(&self) -> &Series {
        &self.series
    }

    /// The probability that the digits do not decide, exactly: the thresholds themselves, and the open end or
    /// the greatest number.
    pub(super) fn ambiguous(&self) -> Rational {
        let greatest = W::MAX.shifted(1).to_big();
        let beyond = match (self.series.length, self.thresholds().last()) {
            (None, Some(last)) => greatest - last.to_big(),
            // The greatest number itself.
            _ => BigUint::one(),
        };
        let words = beyond + self.count;
        Rational::new(words.into(), BigInt::one() << Self::DIGITS)
    }

    /// For each index, the first word that is settled on it and how many are, by evaluating the scan at both
    /// ends of each run of words.
    ///
    /// The thresholds below u never get fewer as u rises. So if there are as many at the last word of a run
    /// as at its first, no threshold is at or between them but possibly the last, where the scan says that
    /// there is none; and then it says the same at every word of the run. `None` if it does not say at both
    /// ends what it must.
    pub(super) fn settled(&self) -> Option<Vec<Run>> {
        let mut settled = Vec::with_capacity(self.count + 1);
        let mut first = BigUint::ZERO;
        let closed = self.series.length.map(|_| W::MAX.shifted(1));
        for (index, end) in self.thresholds().chain(closed).enumerate() {
            let end = end.to_big();
            let words = if first < end { &end - &first } else { BigUint::ZERO };
            if words > BigUint::ZERO {
                let says = (u64::try_from(index).ok()?, 0);
                if self.scan(W::from_big(&first)?) != says || self.scan(W::from_big(&(&end - 1u32))?) != says {
                    return None;
                }
            }
            settled.push(Run { first, words });
            first = end + 1u32;
        }
        Some(settled)
    }
}
