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

use certus_kernel::wide::{Accepted, Fall, WideView};
use num_bigint::BigUint;

use super::{
    Trial,
    cells::{Bounds, Cells, Decay},
    inversion::{Inversion, decide},
    layout,
    squeeze::{Reciprocal, reciprocal, sure},
};
use crate::{
    exact::{Integer, Natural, NonNegative, Positive, Rational, exp_neg},
    sample::{Interpreter, machine::Machine},
};

pub use super::layout::Layout;
pub use certus_kernel::wide::STEPS;

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
    reciprocal: Option<Reciprocal<W>>,
}

/// k² − (bw)² = o·(2bw + o) or k − bw = o, with w = 2^bits: x as a multiple of 1/2σ² or of 1/s.
fn amount(decay: &Decay, bucket: u64, offset: u64, bits: u32) -> BigUint {
    let offset = BigUint::from(offset);
    match decay {
        Decay::Laplace { .. } => offset,
        Decay::Gaussian { .. } => ((BigUint::from(bucket) << (bits + 1)) + &offset) * offset,
    }
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
        let reciprocal = reciprocal(&numerator, denominator);
        let cells = Cells { decay: bucket, folded: false };
        let buckets = Inversion::new(cells, layout.prefix, W::REFILL_BITS, true);
        let count = buckets.reach();
        let sure = (0u64..).take(count.min(layout.near::<W>())).map(|bucket| {
            // X, at the end of the bucket.
            let amount = amount(&decay, bucket, 1 << layout.offset, layout.offset);
            layout.among(SECOND, sure(&(amount * denominator), &numerator, layout.squeeze))
        });
        let sure = sure.collect::<Vec<_>>().into();
        Self { decay, layout, buckets, sure, places: layout.places(), reciprocal }
    }

    /// The buckets, borrowed.
    #[inline]
    pub fn view(&self) -> WideView<'_, W, SECOND, GUIDE> {
        let fall = match self.decay {
            Decay::Laplace { .. } => Fall::Laplace,
            Decay::Gaussian { .. } => Fall::Gaussian,
        };
        let Self { layout, ref buckets, ref sure, places, reciprocal, .. } = *self;
        WideView { buckets: buckets.view(), layout, fall, sure, places, reciprocal }
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
        let whole = Rational::from_integer((1u64 << self.layout.squeeze << self.layout.below(SECOND)).into());
        (0u64..).zip(self.sure.iter()).all(|(bucket, &sure)| {
            let bounds = exp_neg(&self.exponent(bucket, last), 64);
            Rational::from_integer(sure.into().into()) <= bounds.lower() * &whole
        })
    }

    /// x, exactly.
    pub fn exponent(&self, bucket: u64, offset: u64) -> NonNegative {
        let amount = amount(&self.decay, bucket, offset, self.layout.offset);
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
        let (prefix, length) = match self.view().accept(bucket, offset, v, |count| on.bits(count))? {
            Accepted::Decided(accepted) => return Ok(accepted),
            Accepted::Open { prefix, length } => (prefix, length),
        };
        let x = self.exponent(bucket, offset);
        // V finds one of two cells: below e^-x, and from there to 1.
        let bounds = |cell, length: u32| {
            let scaled = |bound: Rational| (bound.numer().magnitude() << length) / bound.denom().magnitude();
            if cell == 0 {
                let bounds = exp_neg(&x, length.saturating_add(8));
                Bounds { lower: scaled(bounds.lower()), upper: scaled(bounds.upper()) + 1u32 }
            } else {
                let whole = BigUint::one() << length;
                Bounds { lower: whole.clone(), upper: whole }
            }
        };
        Ok(decide(BigUint::from(prefix), length, W::REFILL_BITS, 0, bounds, on)? == 0)
    }
}

impl<W: Machine, const SECOND: u32, const GUIDE: u32> Trial for Wide<W, SECOND, GUIDE> {
    type Word = W;
    const SECOND: u32 = SECOND;

    #[inline]
    fn settle(&self, first: W, second: W) -> Option<W::Signed> {
        self.view().settle(first, second)
    }

    #[cold]
    fn resolve<I: Interpreter>(&self, first: W, second: W, on: &mut I) -> Result<Option<Integer>, I::Error> {
        let bucket = match self.buckets.look_up(first.aligned()) {
            Some(bucket) => bucket,
            None => self.buckets.resolve(first.aligned(), on)?,
        };
        let both = self.layout.offset_and_sign(SECOND, first, second);
        let accepted = self.accept(bucket, both.shifted_down(1).into(), self.layout.v(SECOND, first), on)?;
        Ok(if accepted { layout::integer(self.layout, bucket, both) } else { None })
    }

    fn memory(&self) -> usize {
        self.buckets.memory() + core::mem::size_of_val(&*self.sure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
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
                    let big = amount(&wide.decay, bucket as u64, offset, 8);
                    assert_eq!(wide.view().amount(bucket as u64, offset).map(BigUint::from), Some(big));
                    let loose = Rational::new((bucket as u64 + 10).into(), 4000.into());
                    assert!(offset < 255 || truth.upper() - sure < loose);
                }
            }
        }
    }

    /// Buckets of 2^25 places at scale 2^32, and 8 bits of v, so that a value of v is wide beside what a squeeze gives away.
    fn eight_bits_of_v() -> (Wide<u64, 0>, u64) {
        let wide =
            Wide::new(Decay::Laplace { scale: positive(1 << 32, 1) }, Layout { prefix: 30, offset: 25, squeeze: 8 });
        (wide, (1 << 25) - 1)
    }

    /// What certificates ask for is what the trials use.
    #[test]
    fn certificates_see_what_is_drawn() {
        let (mut wide, last) = eight_bits_of_v();
        assert_eq!((wide.offset(), wide.squeeze(), wide.sure()), (25, 8, &*wide.sure.clone()));
        assert_eq!(wide.memory(), wide.buckets().memory() + 8 * wide.sure().len());
        assert!(wide.squeezes_hold());
        // As many values of v as e^-x accepts at the last place, and one unit of the first word more.
        for (bucket, more, holds) in [(0, 0, true), (0, 1, false), (100, 0, true), (100, 1, false)] {
            let accepted =
                exp_neg(&wide.exponent(bucket, last), 64).lower() * Rational::from_integer((1u64 << 34).into());
            let mut sure = wide.sure.to_vec();
            *sure.get_mut(usize::try_from(bucket).unwrap()).unwrap() =
                u64::try_from(accepted.to_integer()).unwrap() + more;
            let before = core::mem::replace(&mut wide.sure, sure.into());
            assert_eq!(wide.squeezes_hold(), holds, "bucket {bucket}, {more} more");
            wide.sure = before;
        }
    }

    /// The values of v that a squeeze accepts read nothing more; the next one asks V, and V decides, to the last bit that bounds e^-x.
    #[test]
    fn v_decides_where_the_squeeze_does_not() {
        let (wide, last) = eight_bits_of_v();
        let accept = |v: u64, words: &[u64]| {
            let bits = words.iter().flat_map(|word| (0..64).rev().map(move |place| word >> place & 1 == 1));
            let mut tape = crate::bits::Replay::new(bits.collect());
            let accepted = wide.accept(0, last, v << 26, &mut crate::sample::program::Execution { bits: &mut tape });
            accepted.map(|accepted| (accepted, tape.position()))
        };
        let sure = wide.sure[0] >> 26;
        assert_eq!(accept(sure - 1, &[]), Ok((true, 0)));
        assert_eq!(accept(sure, &[0]), Ok((true, 64)));
        assert_eq!(accept(sure, &[u64::MAX]), Ok((false, 64)));
        let first = |v: u64| v << 26 | last << 1;
        assert_eq!(wide.settle(first(sure - 1), 0), Some(i64::try_from(last).unwrap()));
        assert_eq!(wide.settle(first(sure), 0), None);
        // V as e^-x begins, in 72 bits: below it, if zeros follow.
        let bounds = exp_neg(&wide.exponent(0, last), 80);
        let begins = |bound: Rational| (bound.numer().magnitude() << 72u32) / bound.denom().magnitude();
        assert_eq!(begins(bounds.lower()), begins(bounds.upper()));
        let v = u128::try_from(begins(bounds.lower())).unwrap();
        let (high, low) = (u64::try_from(v >> 64).unwrap(), u64::try_from(v & u128::from(u64::MAX)).unwrap());
        assert_eq!(accept(high, &[low, 0]), Ok((true, 128)));
        assert_eq!(accept(high, &[low, u64::MAX]), Ok((false, 128)));
    }

    /// What a GPU settles by the upper half is what the processor settles; what it decides of a trial on
    /// machine words, from the same words, is what big integers decide; and it leaves few open.
    #[test]
    fn a_trial_on_machine_words_is_the_trial() {
        fn check<const SECOND: u32>(wide: &Wide<u64, SECOND>) {
            use certus_kernel::wide::Outcome;
            let mut bits = crate::bits::seeded([9; 32]);
            let mut take = |count| crate::bits::Bits::take(&mut bits, count).unwrap();
            let (mut drawn, mut open) = (0, 0);
            for i in 0..40_000u32 {
                // As they come, and where the bucket's bits are a threshold's, so that they take a second look.
                let (mut first, second) = (take(64), take(SECOND));
                if i % 3 == 0 {
                    let thresholds = wide.buckets().thresholds();
                    let width = wide.buckets().width();
                    first = first >> width | thresholds[i as usize % thresholds.len()] << (64 - width);
                }
                assert_eq!(wide.view().settle_in_upper_half(first, second), wide.settle(first, second));
                let more = [take(64), take(64), take(64), take(64)];
                let mut read = 0;
                let outcome = wide.view().trial(first, second, |count| {
                    assert_eq!(count, 64);
                    read += 1;
                    more.get(read - 1).copied().ok_or(())
                });
                let tape = more.iter().flat_map(|word| (0..64).rev().map(move |place| word >> place & 1 == 1));
                let mut replay = crate::bits::Replay::new(tape.collect());
                let exact = wide.resolve(first, second, &mut crate::sample::program::Execution { bits: &mut replay });
                match outcome.unwrap() {
                    Outcome::Sample(sample) => assert_eq!(exact, Ok(Some(Integer::from(sample)))),
                    Outcome::Rejected => assert_eq!(exact, Ok(None)),
                    Outcome::Open => {
                        open += 1;
                        continue;
                    }
                }
                assert_eq!(replay.position(), 64 * read);
                drawn += usize::from(read > 0);
            }
            assert!(drawn > 10_000 && open < 20, "{drawn} {open}");
        }
        for scale in [1 << 12, 1 << 20, 1 << 40] {
            let scale = positive(scale, 1);
            let layout = |offset| Layout::share(64, offset);
            let offset = u32::try_from(scale.numerator().bits()).unwrap() - 8;
            check(&Wide::<u64, 0>::new(Decay::Laplace { scale: scale.clone() }, layout(offset)));
            check(&Wide::<u64, 0>::new(Decay::Gaussian { variance: scale.square() }, layout(offset)));
        }
        let (scale, layout) = (positive(1 << 50, 1), Layout::share(80, 43));
        check(&Wide::<u64, 16>::new(Decay::Laplace { scale: scale.clone() }, layout));
        check(&Wide::<u64, 16>::new(Decay::Gaussian { variance: scale.square() }, layout));
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
