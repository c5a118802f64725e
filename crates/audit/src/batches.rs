//! A sequential audit of whatever can be drawn from: batch after batch, until the claim falls.

use std::num::NonZeroU64;

use certus::{
    bits::{Bits, BitsError},
    sample::Uniform,
};

use super::{
    Sequential,
    outputs::{Output, Tally},
};

/// The first batches, in outputs a side; later ones are half of what was seen.
const BATCH: u64 = 500;

impl Sequential {
    /// Bets on batch after batch, until the claim falls or `most` outputs a side are drawn; answers how many
    /// were.
    ///
    /// `draw` answers so many fresh outputs of either side: of a command, a file or a closure. A tally
    /// forgets the order
    /// of its outputs, and in order the two sides would depend on each other; so each is put in a random
    /// order by `coins`,
    /// which must be independent of all samples.
    ///
    /// ```
    /// use certus::{bits::SystemBits, exact::parse};
    /// use certus_audit::{Claim, Sequential, outputs::Recording};
    ///
    /// let mut audit = Sequential::new(&Claim::new(parse("1")?, parse("0")?)?, 0.999)?;
    /// let side = |value: i64, samples: u64, name: &str| {
    ///     let mut recording = Recording::new();
    ///     (0..samples).for_each(|_| recording.integer(value));
    ///     recording.finish(name)
    /// };
    /// let drawn = audit.run(100_000, &mut SystemBits::new()?, |samples| {
    ///     Ok::<_, certus::bits::BitsError>((side(7, samples, "a"), side(8, samples, "b")))
    /// })?;
    /// assert!(audit.lower().is_refuted && drawn < 2_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `draw`, and if the coins fail.
    pub fn run<E: From<BitsError>>(
        &mut self,
        most: u64,
        coins: &mut impl Bits,
        mut draw: impl FnMut(u64) -> Result<(Tally, Tally), E>,
    ) -> Result<u64, E> {
        let mut drawn = 0;
        while drawn < most && !self.lower().is_refuted {
            let batch = BATCH.max(drawn / 2).min(most - drawn);
            let (a, b) = draw(batch)?;
            let (a, b) = (shuffled(&a, coins)?, shuffled(&b, coins)?);
            self.batch(&a, &b);
            drawn += batch;
        }
        Ok(drawn)
    }
}

/// The outputs of a tally in random order: as if they had been drawn so, since independent samples may be
/// permuted by coins that are independent of them.
fn shuffled(tally: &Tally, bits: &mut impl Bits) -> Result<Vec<Output>, BitsError> {
    let mut outputs: Vec<Output> = Vec::new();
    for (output, count) in tally.iter() {
        outputs.extend((0..count).map(|_| output.clone()));
    }
    // Fisher and Yates.
    for last in (1..outputs.len()).rev() {
        let other = Uniform::word_below(NonZeroU64::MIN.saturating_add(last as u64), bits)?;
        outputs.swap(last, usize::try_from(other).unwrap_or(last));
    }
    Ok(outputs)
}
