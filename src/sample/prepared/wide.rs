//! Noise too wide for a table: buckets under an envelope, accepted.
//!
//! The magnitude k ≥ 0 has weight f(k) = e^(-k/s) or e^(-k²/2σ²). With w = 2^`offset` ≤ scale/128, bucket b
//! holds k = bw, …, bw + w − 1. A trial
//!
//! 1. draws b with probability ∝ f(bw), by lazy inversion; there are infinitely many buckets, and the last
//!    cell is open;
//! 2. draws an offset o uniform below w, so that k = bw + o is proposed with probability ∝ f(bw)/w;
//! 3. accepts with probability e^-x = f(k)/f(bw), where x = o/s or o·(2bw + o)/2σ², which leaves k with
//!    weight ∝ f(k);
//! 4. gives k a fair sign, and rejects a negative zero: every integer has exactly one magnitude and sign.
//!
//! A rejected trial leaves nothing behind: the next one draws fresh words. All of a trial is in one word, or
//! one and a quarter where w is above 2^36: first bits of the uniform real that b inverts | first bits v of
//! the uniform real V that accepts, if V < e^-x | o | the sign.
//!
//! **Squeezes.** In bucket b, x is at most X, its value at o = w, and e^-x ≥ 1 − x: V < 1 − X accepts
//! whatever o is; `sure` holds ⌊(1 − X)·2^squeeze⌋, and v below it settles all but about one trial in a
//! hundred. Then V is lengthened by a word, and 1 − x + x²/2 − x³/6 ≤ e^-x ≤ 1 − x + x²/2 on integers decides
//! all but a few in 10^8. The last resort is the enclosure of e^-x, as tight as it takes.

use alloc::{sync::Arc, vec::Vec};

use num_bigint::BigUint;
use num_traits::One;

use super::{
    Trial,
    cells::{Cells, Decay},
    inversion::Inversion,
    table::signed_integer,
};
use crate::{
    exact::{Integer, NonNegative, Positive, Rational, exp_neg},
    sample::{Interpreter, machine::Machine},
};

/// The parts of a trial's bits, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// Of the uniform real that finds the bucket.
    pub prefix: u32,
    /// Of the place in the bucket, which has 2^offset places.
    pub offset: u32,
    /// Of the uniform real that accepts.
    pub squeeze: u32,
}

/// log₂ of the entries of guide an octave, as shipped: their width is at most 2^-9 of what is left, where the
/// distance of two thresholds is about 2^-8 of it.
pub const STEPS: u32 = 9;

/// Buckets of 2^offset places; a trial is a machine word and SECOND bits more: 64 and 0 or 16 as shipped. (On
/// short words the guide is short too, or it would settle nothing.)
///
/// Invariant #1: prefix + squeeze + offset + 1 = BITS + SECOND, and the offset is at least SECOND and at most
/// BITS − 2.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wide<W, const SECOND: u32, const GUIDE: u32 = STEPS> {
    decay: Decay,
    layout: Layout,
    buckets: Inversion<GUIDE>,
    /// For each bucket, how many values of v accept whatever the offset, shifted to where v is in the first
    /// word. Invariant #2: at most 2^(BITS − 1 − offset) buckets, so that their magnitudes are below 2^(BITS
    /// − 1).
    sure: Arc<[W]>,
    /// 2^(offset + 1): of either sign.
    places: W,
    reciprocal: Reciprocal<W>,
}

/// 1/s or 1/2σ², in [mantissa, mantissa + 1]·2^-exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reciprocal<W> {
    mantissa: W,
    exponent: u32,
}

/// The number, if it fits two machine words: all do in 128 bits if a word has 64.
fn double<W: Machine>(number: u128) -> Option<u128> {
    (W::BITS == 64 || number >> (2 * W::BITS) == 0).then_some(number)
}

impl<W: Machine> Reciprocal<W> {
    /// Of numerator/denominator ≥ 1, to a word.
    fn new(numerator: &BigUint, denominator: &BigUint) -> Self {
        // denominator·2^exponent/numerator has BITS bits, or one less.
        let exponent = numerator.bits().saturating_sub(denominator.bits()).saturating_add((W::BITS - 1).into());
        let mantissa = (denominator << exponent) / numerator;
        let mantissa = W::cut(u64::try_from(&mantissa).unwrap_or(0));
        Self { mantissa, exponent: u32::try_from(exponent).unwrap_or(u32::MAX) }
    }

    /// amount/s or amount/2σ², in [lower, upper] units of 2^-BITS; `None` if that is 1 or more.
    fn times(self, amount: u128) -> Option<(u128, u128)> {
        // amount is in [top, ceiling]·2^dropped, and top below 2^BITS.
        let dropped = (128 - W::BITS).saturating_sub(amount.leading_zeros());
        let top = amount >> dropped;
        let ceiling = top + u128::from(dropped > 0);
        let shift = self.exponent.checked_sub(dropped)?.checked_sub(W::BITS)?;
        let mantissa = u128::from(self.mantissa.into());
        let lower = (top * mantissa).checked_shr(shift).unwrap_or(0);
        let upper = double::<W>(ceiling.checked_mul(mantissa + 1)?)?.checked_shr(shift).unwrap_or(0) + 1;
        (upper < 1 << W::BITS).then_some((lower, upper))
    }
}

/// e^-x in [lower, upper] units of 2^-BITS, for x in [least, most] units of 2^-BITS, below 1.
///
/// 1 − x + x²/2 − x³/6 and 1 − x + x²/2 are neighbouring partial sums of an alternating series whose terms
/// fall, and both fall in x: the former is taken at the greatest x and rounded down, the latter at the least
/// and rounded up.
fn exponential<W: Machine>(least: u128, most: u128) -> (u128, u128) {
    let one = 1 << W::BITS;
    // Each is below 2^BITS, so squares fit two words.
    let cube = ((((most * most) >> W::BITS) + 1) * most) >> W::BITS;
    let lower = (one - most + ((most * most) >> (W::BITS + 1))).saturating_sub(cube / 6 + 2);
    (lower, one - least + ((least * least) >> (W::BITS + 1)) + 1)
}

impl<W: Machine, const SECOND: u32, const GUIDE: u32> Wide<W, SECOND, GUIDE> {
    /// The buckets of a decay.
    pub fn new(decay: Decay, layout: Layout) -> Self {
        let two_to = |power: u32| BigUint::one() << power;
        let part = |of: &Positive, by: BigUint| {
            let quotient = Rational::new(of.numerator().clone().into(), (of.denominator() * by).into());
            Positive::new(quotient).unwrap_or_else(|_| of.clone())
        };
        // 1/reciprocal, as a fraction.
        let (bucket, numerator, denominator) = match &decay {
            Decay::Laplace { scale } => {
                let bucket = Decay::Laplace { scale: part(scale, two_to(layout.offset)) };
                (bucket, scale.numerator().clone(), scale.denominator())
            }
            Decay::Gaussian { variance } => {
                let bucket = Decay::Gaussian { variance: part(variance, two_to(2 * layout.offset)) };
                (bucket, variance.numerator() * 2u32, variance.denominator())
            }
        };
        let reciprocal = Reciprocal::new(&numerator, denominator);
        let cells = Cells { decay: bucket, folded: false };
        let buckets = Inversion::new(cells, layout.prefix, W::REFILL_BITS, true);
        let count = buckets.reach();
        let most = 1usize.checked_shl((W::BITS - 1).saturating_sub(layout.offset)).unwrap_or(usize::MAX);
        let whole = two_to(layout.squeeze);
        let sure = (0..count.min(most)).map(|bucket| {
            // X·2^squeeze, rounded up.
            let amount = match &decay {
                Decay::Laplace { .. } => two_to(layout.offset),
                Decay::Gaussian { .. } => (BigUint::from(bucket) * 2u32 + 1u32) << (2 * layout.offset),
            };
            let most = (((amount * denominator) << layout.squeeze) + &numerator - 1u32) / &numerator;
            let sure = if most < whole { u64::try_from(&(&whole - most)).unwrap_or(0) } else { 0 };
            W::cut(sure).shifted_up(layout.offset + 1 - SECOND)
        });
        let sure = sure.collect::<Vec<_>>().into();
        Self { decay, layout, buckets, sure, places: W::cut(2).shifted_up(layout.offset), reciprocal }
    }

    /// The buckets, inverted.
    pub fn buckets(&self) -> &Inversion<GUIDE> {
        &self.buckets
    }

    /// How the weights fall.
    pub fn decay(&self) -> &Decay {
        &self.decay
    }

    /// log₂ of the places of a bucket.
    pub fn offset(&self) -> u32 {
        self.layout.offset
    }

    /// How many bits v has.
    pub fn squeeze(&self) -> u32 {
        self.layout.squeeze
    }

    /// For each bucket, how many values of v accept whatever the offset, shifted to where v is in the first
    /// word.
    pub fn sure(&self) -> &[W] {
        &self.sure
    }

    /// Whether every bucket's squeeze accepts only what e^-x accepts, at the end of the bucket where e^-x is
    /// least.
    pub fn squeezes_hold(&self) -> bool {
        let last = (1 << self.layout.offset) - 1;
        let whole = Rational::from_integer((1u64 << self.layout.squeeze << self.below()).into());
        (0u64..).zip(self.sure.iter()).all(|(bucket, &sure)| {
            let bounds = exp_neg(&self.exponent(bucket, last), 64);
            Rational::from_integer(sure.into().into()) <= bounds.lower() * &whole
        })
    }

    /// How many bits of the first word are below v.
    #[inline]
    fn below(&self) -> u32 {
        self.layout.offset + 1 - SECOND
    }

    /// v, where it is in the first word.
    #[inline]
    fn v(&self, first: W) -> W {
        first.and(W::cut(((1 << self.layout.squeeze) - 1) << self.below()))
    }

    /// 2o + 1 if the sign is negative, else 2o: the bits of the first word below v, and those of the second.
    #[inline]
    fn offset_and_sign(&self, first: W, second: W) -> W {
        first.low_bits(self.below()).shifted_up(SECOND).or(second)
    }

    /// k² − (bw)² = o·(2bw + o), or k − bw = o: x as a multiple of 1/2σ² or of 1/s.
    fn amount(&self, bucket: &BigUint, offset: u64) -> BigUint {
        match &self.decay {
            Decay::Laplace { .. } => BigUint::from(offset),
            Decay::Gaussian { .. } => (((bucket << self.layout.offset) << 1u32) + offset) * offset,
        }
    }

    /// The same, where it fits two words.
    fn amount_word(&self, bucket: u64, offset: u64) -> Option<u128> {
        match &self.decay {
            Decay::Laplace { .. } => Some(offset.into()),
            Decay::Gaussian { .. } => {
                let edge = u128::from(bucket).checked_mul(1u128.checked_shl(self.layout.offset + 1)?)?;
                double::<W>(edge.checked_add(offset.into())?.checked_mul(offset.into())?)
            }
        }
    }

    /// x, exactly.
    pub fn exponent(&self, bucket: u64, offset: u64) -> NonNegative {
        let amount = self.amount(&BigUint::from(bucket), offset);
        let quotient = match &self.decay {
            Decay::Laplace { scale } => Rational::from_integer(amount.into()) / scale.get(),
            Decay::Gaussian { variance } => {
                Rational::from_integer(amount.into()) / (variance.get() * Rational::from_integer(2.into()))
            }
        };
        // Not negative, being a quotient of such.
        NonNegative::new(quotient).unwrap_or_else(|_| NonNegative::zero())
    }

    /// Whether V < e^-x, for a V whose first bits are v, as they are in the first word.
    pub fn accept<I: Interpreter>(&self, bucket: u64, offset: u64, v: W, on: &mut I) -> Result<bool, I::Error> {
        let sure = usize::try_from(bucket).ok().and_then(|bucket| self.sure.get(bucket));
        if sure.is_some_and(|&sure| v < sure) {
            return Ok(true);
        }
        let v = v.shifted_down(self.below());
        // V is in [prefix, prefix + 1]·2^-length, and the length is at most 30 + 64.
        let mut length = self.layout.squeeze + W::REFILL_BITS;
        let prefix = u128::from(v.into()) << W::REFILL_BITS | u128::from(on.bits(W::REFILL_BITS)?);
        if let Some((least, most)) = self.amount_word(bucket, offset).and_then(|amount| self.reciprocal.times(amount)) {
            let (lower, upper) = exponential::<W>(least, most);
            // The first BITS digits of V, as far as they are known.
            let (low, high) = match length.checked_sub(W::BITS) {
                Some(dropped) => (prefix >> dropped, (prefix >> dropped) + 1),
                None => (prefix << (W::BITS - length), (prefix + 1) << (W::BITS - length)),
            };
            if high <= lower {
                return Ok(true);
            }
            if low >= upper {
                return Ok(false);
            }
        }
        let x = self.exponent(bucket, offset);
        let mut prefix = BigUint::from(prefix);
        loop {
            let bounds = exp_neg(&x, length.saturating_add(8));
            let scaled = |bound: Rational| (bound.numer().magnitude() << length) / bound.denom().magnitude();
            // prefix + 1 ≤ ⌊lower⌋ accepts; prefix ≥ ⌊upper⌋ + 1 rejects, which is at least the upper bound.
            if prefix < scaled(bounds.lower()) {
                return Ok(true);
            }
            if prefix > scaled(bounds.upper()) {
                return Ok(false);
            }
            prefix = prefix << W::REFILL_BITS | BigUint::from(on.bits(W::REFILL_BITS)?);
            length = length.checked_add(W::REFILL_BITS).ok_or_else(|| on.overflow())?;
        }
    }
}

impl<W: Machine, const SECOND: u32, const GUIDE: u32> Trial for Wide<W, SECOND, GUIDE> {
    type Word = W;
    const SECOND: u32 = SECOND;

    #[inline]
    fn settle(&self, first: W, second: W) -> Option<W::Signed> {
        let bucket = self.buckets.look_up(first.aligned())?;
        let sure = *self.sure.get(usize::try_from(bucket).ok()?)?;
        // 2k + 1 if negative, else 2k; k is below 2^(BITS − 1) by Invariant #2.
        let both = W::cut(bucket).times(self.places).or(self.offset_and_sign(first, second));
        // A zero may be a negative one.
        let settled = (self.v(first) < sure) & (both > W::cut(1));
        settled.then(|| both.shifted_down(1).signed(both))
    }

    #[cold]
    fn resolve<I: Interpreter>(&self, first: W, second: W, on: &mut I) -> Result<Option<Integer>, I::Error> {
        let bucket = match self.buckets.look_up(first.aligned()) {
            Some(bucket) => bucket,
            None => self.buckets.resolve(first.aligned(), on)?,
        };
        let both = self.offset_and_sign(first, second);
        let offset = both.shifted_down(1).into();
        if !self.accept(bucket, offset, self.v(first), on)? {
            return Ok(None);
        }
        // At most 64 + 55 bits.
        let magnitude = match W::of_double(u128::from(bucket) << self.layout.offset | u128::from(offset)) {
            Some(magnitude) => Integer::from(magnitude.into()),
            None => Integer::from((BigUint::from(bucket) << self.layout.offset) + offset),
        };
        // A negative zero is rejected.
        let is_negative_zero = magnitude.is_zero() && both.low_bits(1) == W::cut(1);
        Ok((!is_negative_zero).then(|| signed_integer(magnitude, both)))
    }

    fn memory(&self) -> usize {
        self.buckets.memory() + core::mem::size_of_val(&*self.sure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;
    use proptest::prelude::*;

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    proptest! {
        /// The integer bounds of e^-x hold the enclosure of it.
        #[test]
        fn the_series_encloses_the_exponential(x in 0u64..1 << 60, bits in 0u32..60) {
            let x = x >> bits;
            let (lower, upper) = exponential::<u64>(x.into(), x.into());
            let unit = Rational::from_integer(num_bigint::BigInt::one() << 64);
            let truth = exp_neg(&NonNegative::new(Rational::from_integer(x.into()) / &unit).unwrap(), 80);
            prop_assert!(Rational::from_integer(lower.into()) <= truth.upper() * &unit);
            prop_assert!(Rational::from_integer(upper.into()) >= truth.lower() * &unit);
            prop_assert!(upper - lower <= ((u128::from(x) * u128::from(x)) >> 64) * u128::from(x) / (6 << 64) + 6);
        }

        #[test]
        fn multiples_of_the_reciprocal_are_enclosed(n in 1u64.., d in 1u64.., amount: u128, shift in 0u32..128) {
            let (n, d) = (n.max(d), n.min(d) / 8 + 1);
            prop_assume!(n / d >= 4);
            let amount = amount >> shift;
            let truth = Rational::from_integer(amount.into()) * Rational::new(d.into(), n.into());
            match Reciprocal::<u64>::new(&n.into(), &d.into()).times(amount) {
                Some((lower, upper)) => {
                    let scaled = truth * Rational::from_integer(num_bigint::BigInt::one() << 64);
                    prop_assert!(Rational::from_integer(lower.into()) <= scaled && scaled <= Rational::from_integer(upper.into()));
                    prop_assert!(upper - lower <= 8);
                }
                None => prop_assert!(truth >= Rational::new(1.into(), 2.into())),
            }
        }
    }

    /// Every bucket's squeeze is below e^-x at each end of it, and not by much.
    #[test]
    fn squeezes_are_sure() {
        let layout = Layout { prefix: 32, offset: 8, squeeze: 23 };
        let scale = positive(100_003, 4);
        for decay in [Decay::Laplace { scale: scale.clone() }, Decay::Gaussian { variance: scale.square() }] {
            let wide = Wide::<u64, 0, STEPS>::new(decay, layout);
            for (bucket, &sure) in wide.sure.iter().enumerate() {
                for offset in [0, 1, 255] {
                    let truth = exp_neg(&wide.exponent(bucket as u64, offset), 60);
                    // v is the 23 bits above 8 of offset and a sign.
                    let sure = Rational::new(sure.into(), (1u64 << 32).into());
                    assert!(sure <= truth.lower(), "bucket {bucket}, offset {offset}");
                    let amount = wide.amount(&BigUint::from(bucket), offset);
                    assert_eq!(wide.amount_word(bucket as u64, offset).map(BigUint::from), Some(amount));
                    let loose = Rational::new((bucket as u64 + 10).into(), 4000.into());
                    assert!(offset < 255 || truth.upper() - sure < loose);
                }
            }
        }
    }

    /// How often each of −12, …, 12 is drawn in 200,000 samples, if after a rejection the `reused` bits of
    /// the word are the rejected ones.
    fn counts(wide: &Wide<u64, 0>, reused: u64) -> [u64; 25] {
        let mut bits = crate::bits::seeded([5; 32]);
        let mut counts = [0; 25];
        for _ in 0..200_000 {
            let mut first = crate::bits::Bits::take(&mut bits, 64).unwrap();
            let sample = loop {
                let on = &mut crate::sample::program::Execution { bits: &mut bits };
                if let Some(sample) = wide.settle(first, 0) {
                    break Integer::from(sample);
                }
                if let Some(sample) = wide.resolve(first, 0, on).unwrap() {
                    break sample;
                }
                first = first & reused | on.bits(64).unwrap() & !reused;
            };
            let cell = sample.to_i64().and_then(|sample| usize::try_from(sample + 12).ok());
            if let Some(count) = cell.and_then(|cell| counts.get_mut(cell)) {
                *count += 1;
            }
        }
        counts
    }

    /// **Bits reused after a rejection** are caught by goodness of fit, at 7 standard deviations of some
    /// output (alpha 10^-10): those of the proposal, so that only V is drawn afresh and all are accepted in
    /// the end; those of the offset alone; those of V, which were too great for the last place and are for
    /// the next. The twin reuses none. Wide buckets, so that a third of the trials are rejected.
    #[test]
    fn bits_reused_after_a_rejection_are_caught() {
        let layout = Layout { prefix: 30, offset: 2, squeeze: 31 };
        let scale = positive(4, 1);
        let pmfs: [(Decay, Box<dyn crate::exact::Pmf<Integer>>); 2] = [
            (Decay::Laplace { scale: scale.clone() }, Box::new(crate::exact::LaplacePmf::new(&scale, 60))),
            (
                Decay::Gaussian { variance: scale.square() },
                Box::new(crate::exact::GaussianPmf::new(&scale.square(), 60).unwrap()),
            ),
        ];
        for (decay, pmf) in pmfs {
            let wide = Wide::<u64, 0, STEPS>::new(decay.clone(), layout);
            let is_caught = |reused: u64| {
                (-12i64..).zip(counts(&wide, reused)).any(|(k, count)| {
                    let expected = pmf.probability(&k.into()).lower() * Rational::from_integer(200_000.into());
                    let expected = u64::try_from(expected.to_integer()).unwrap();
                    count.abs_diff(expected).pow(2) > 49 * expected
                })
            };
            assert!(!is_caught(0), "{decay:?}: the twin");
            let (sign, offset, v) = (1, 0b110, ((1 << 31) - 1) << 3);
            for reused in [!(v | sign), offset, v] {
                assert!(is_caught(reused), "{decay:?}: {reused:b}");
            }
        }
    }
}
