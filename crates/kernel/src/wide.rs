//! Noise too wide for a table: buckets under an envelope, accepted, as far as machine words decide.
//!
//! The magnitude k ≥ 0 has weight f(k) = e^(-k/s) or e^(-k²/2σ²). With w = 2^`offset`, bucket b holds
//! k = bw, …, bw + w − 1. A trial
//!
//! 1. draws b with probability ∝ f(bw), by lazy inversion;
//! 2. draws an offset o uniform below w, so that k = bw + o;
//! 3. accepts with probability e^-x = f(k)/f(bw), where x = o/s or o·(2bw + o)/2σ²: if a uniform real V is
//!    below it;
//! 4. gives k a fair sign, and rejects a negative zero.
//!
//! A rejected trial leaves nothing behind: the next one draws fresh words. Where machine words do not decide
//! a bucket or an acceptance, a trial says that it is open, and `certus` (`sample::prepared::wide`) goes on
//! with big integers, from the same bits.

use crate::{
    inversion::{InversionView, Resolved},
    layout::{Layout, at_once},
    machine::{Machine, SignedMachine},
    squeeze::{Reciprocal, decided, double, exponential, square_amount},
};

/// log₂ of the entries of guide an octave, as shipped: their width is at most 2^-9 of what is left, where the
/// distance of two thresholds is about 2^-8 of it.
pub const STEPS: u32 = 9;

/// How the weights fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fall {
    /// e^(-k/s): x is o/s.
    Laplace,
    /// e^(-k²/2σ²): x is o·(2bw + o)/2σ².
    Gaussian,
}

/// The borrowed tables of buckets of 2^offset places; a trial is a machine word and SECOND bits more: 64 and
/// 0 or 16 as shipped. The invariants are those of `certus`'s `Wide`.
#[derive(Clone, Copy, Debug)]
pub struct WideView<'t, W, const SECOND: u32, const GUIDE: u32 = STEPS> {
    /// The buckets, inverted.
    pub buckets: InversionView<'t, GUIDE>,
    /// The parts of a trial's bits.
    pub layout: Layout,
    /// How the weights fall.
    pub fall: Fall,
    /// For each near bucket, how many values of v accept whatever the offset, shifted to where v is in the
    /// first word.
    pub sure: &'t [W],
    /// 2^(offset + 1): of either sign.
    pub places: W,
    /// 1/s or 1/2σ².
    pub reciprocal: Option<Reciprocal<W>>,
}

/// Whether V < e^-x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// The bits of V drawn so far say.
    Decided(bool),
    /// V is in [prefix, prefix + 1]·2^-length, and whether it is below e^-x, machine words do not say.
    Open {
        /// The bits of V drawn so far.
        prefix: u128,
        /// How many those are.
        length: u32,
    },
}

/// What a trial comes to on machine words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<S> {
    /// A sample that fits.
    Sample(S),
    /// The next trial draws fresh words.
    Rejected,
    /// It takes big integers to say, or to hold.
    Open,
}

impl<W: Machine, const SECOND: u32, const GUIDE: u32> WideView<'_, W, SECOND, GUIDE> {
    /// The sample of a trial's words, if a look at the guide and at the squeeze settles it.
    #[inline]
    #[must_use]
    pub fn settle(&self, first: W, second: W) -> Option<W::Signed> {
        self.settle_in(self.buckets.look_up(first.aligned())?, first, second)
    }

    /// The same as [`settle`](Self::settle), with the bucket found in the upper half of the word: for
    /// prefixes of 11 to 32 bits, as all that ship.
    #[inline]
    #[must_use]
    pub fn settle_in_upper_half(&self, first: W, second: W) -> Option<W::Signed> {
        let upper = u32::try_from(first.aligned() >> 32).ok()?;
        self.settle_in(self.buckets.look_up_in_upper_half(upper)?, first, second)
    }

    #[inline(always)]
    fn settle_in(&self, bucket: u64, first: W, second: W) -> Option<W::Signed> {
        let sure = *self.sure.get(usize::try_from(bucket).ok()?)?;
        // The bucket is near, or there would be no squeeze.
        let both = self.layout.offset_and_sign(SECOND, first, second);
        at_once(bucket, self.places, both, self.layout.v(SECOND, first) < sure)
    }

    /// Whether V < e^-x, for a V whose first bits are v, as they are in the first word; `draw` gives the next
    /// ones, where the squeeze does not decide.
    ///
    /// # Errors
    ///
    /// Those of `draw`.
    #[inline]
    pub fn accept<E>(
        &self,
        bucket: u64,
        offset: u64,
        v: W,
        draw: impl FnOnce(u32) -> Result<u64, E>,
    ) -> Result<Accepted, E> {
        let sure = usize::try_from(bucket).ok().and_then(|bucket| self.sure.get(bucket));
        if sure.is_some_and(|&sure| v < sure) {
            return Ok(Accepted::Decided(true));
        }
        let v = v.shifted_down(self.layout.below(SECOND));
        // V is in [prefix, prefix + 1]·2^-length, and the length is at most 30 + 64.
        let length = self.layout.squeeze + W::REFILL_BITS;
        let prefix = u128::from(v.into()) << W::REFILL_BITS | u128::from(draw(W::REFILL_BITS)?);
        let amount = self.amount(bucket, offset).and_then(double::<W>);
        let x = amount.and_then(|amount| self.reciprocal?.times(amount));
        let decided = x.and_then(|(least, most)| decided::<W>(prefix, length, exponential::<W>(least, most)));
        Ok(decided.map_or(Accepted::Open { prefix, length }, Accepted::Decided))
    }

    /// k − bw = o or k² − (bw)²: x as a multiple of 1/s or of 1/2σ²; nothing if it outgrows 128 bits.
    #[inline]
    #[must_use]
    pub fn amount(&self, bucket: u64, offset: u64) -> Option<u128> {
        match self.fall {
            Fall::Laplace => Some(offset.into()),
            Fall::Gaussian => square_amount(bucket, offset, self.layout.offset),
        }
    }

    /// A trial on these words, with the bits that `draw` gives where they do not settle it.
    ///
    /// # Errors
    ///
    /// Those of `draw`.
    #[inline]
    pub fn trial<E>(
        &self,
        first: W,
        second: W,
        mut draw: impl FnMut(u32) -> Result<u64, E>,
    ) -> Result<Outcome<W::Signed>, E> {
        let bucket = match self.buckets.look_up(first.aligned()) {
            Some(bucket) => bucket,
            None => match self.buckets.resolve(first.aligned(), &mut draw)? {
                Resolved::Cell(bucket) => bucket,
                Resolved::Open { .. } => return Ok(Outcome::Open),
            },
        };
        let both = self.layout.offset_and_sign(SECOND, first, second);
        match self.accept(bucket, both.shifted_down(1).into(), self.layout.v(SECOND, first), draw)? {
            Accepted::Decided(true) => {}
            Accepted::Decided(false) => return Ok(Outcome::Rejected),
            Accepted::Open { .. } => return Ok(Outcome::Open),
        }
        let Some((magnitude, is_negative)) = self.layout.written(bucket, both) else { return Ok(Outcome::Rejected) };
        let word = i64::try_from(magnitude).ok().and_then(|word| {
            // A word that is not negative has an opposite.
            W::Signed::of_word(if is_negative { word.wrapping_neg() } else { word })
        });
        Ok(word.map_or(Outcome::Open, Outcome::Sample))
    }
}
