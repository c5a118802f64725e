//! Sampling a mechanism in this process.

use std::sync::atomic::{AtomicU64, Ordering};

use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::outputs::{MergeError, Output, Recording, Tally};
use certus::bits::{BitStream, Bits, BitsError, seeded};

/// Which of the two neighbouring inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl Side {
    /// What is true on this side.
    pub fn pick<T>(self, on_a: T, on_b: T) -> T {
        match self {
            Self::A => on_a,
            Self::B => on_b,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.pick("a", "b")
    }
}

/// A mechanism on two neighbouring inputs that can be sampled in this process.
///
/// A closure that draws one output is one:
///
/// ```
/// use certus_audit::{Audit, Claim, Side, Verdict, outputs::Output, tallies};
/// use certus::bits::{BitStream, Bits, BitsError};
/// use certus::exact::parse;
///
/// // An answer that is told 7 times of 8, whatever is claimed of it.
/// let response = |side: Side, bits: &mut BitStream<_>| -> Result<Output, BitsError> {
///     let lie = bits.take(3)? == 0;
///     Ok(Output::from(i64::from(lie != side.pick(false, true))))
/// };
/// let (a, b) = tallies(&response, 100_000, [7; 32])?;
/// let audit = |epsilon: &str| {
///     let claim = Claim::new(parse(epsilon).unwrap(), parse("0").unwrap()).unwrap();
///     Audit::new(claim, 0.999).unwrap().run(&a, &b).unwrap().verdict
/// };
/// // It is private at ln 7 = 1.9459…, and at nothing less.
/// assert_eq!(audit("1.8"), Verdict::Violation);
/// assert_eq!(audit("1.95"), Verdict::Consistent);
/// # Ok::<(), certus_audit::SampleError>(())
/// ```
pub trait Sampled: Sync {
    /// Records so many outputs on one side, drawn from this seed. Every call of one audit has another seed.
    ///
    /// # Errors
    ///
    /// If the source of randomness fails.
    fn record(&self, side: Side, samples: u64, seed: [u8; 32], recording: &mut Recording) -> Result<(), BitsError>;
}

impl<F> Sampled for F
where
    F: Fn(Side, &mut BitStream<ChaCha20Rng>) -> Result<Output, BitsError> + Sync,
{
    fn record(&self, side: Side, samples: u64, seed: [u8; 32], recording: &mut Recording) -> Result<(), BitsError> {
        let mut bits = seeded(seed);
        for _ in 0..samples {
            recording.output(&self(side, &mut bits)?);
        }
        Ok(())
    }
}

/// Why there are no samples.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The source of randomness failed.
    #[error(transparent)]
    Bits(#[from] BitsError),
    /// Two shards are the same: the mechanism does not draw from its seed.
    #[error(transparent)]
    Shards(#[from] MergeError),
}

/// The samples of a shard, and the most shards of a side: they depend on the number of samples alone, so that
/// threads change nothing.
const SHARD: u64 = 1 << 16;
const MOST_SHARDS: u64 = 16;

/// Draws so many samples a side, on all threads. The same seed gives the same tallies.
///
/// # Errors
///
/// If the source of randomness fails, or shards come out alike although their seeds differ.
pub fn tallies(target: &dyn Sampled, samples: u64, seed: [u8; 32]) -> Result<(Tally, Tally), SampleError> {
    tallies_counted(target, samples, seed, &AtomicU64::new(0))
}

/// As [`tallies`], and counts the samples of both sides as they are drawn.
///
/// # Errors
///
/// As there.
pub fn tallies_counted(
    target: &dyn Sampled,
    samples: u64,
    seed: [u8; 32],
    done: &AtomicU64,
) -> Result<(Tally, Tally), SampleError> {
    let shards = (samples / SHARD).clamp(1, MOST_SHARDS);
    let mut seeds = seeded(seed);
    let mut work = Vec::new();
    for side in [Side::A, Side::B] {
        for shard in 0..shards {
            // The first shards have what does not divide.
            let part = samples / shards + u64::from(shard < samples % shards);
            work.push((side, shard, part, fresh_seed(&mut seeds)?));
        }
    }
    let record = |(side, shard, part, seed): (Side, u64, u64, [u8; 32])| -> Result<(Side, Tally), SampleError> {
        let mut recording = Recording::new();
        target.record(side, part, seed, &mut recording)?;
        done.fetch_add(part, Ordering::Relaxed);
        Ok((side, recording.finish(&format!("{}{shard}", side.name()))))
    };
    let drawn: Vec<(Side, Tally)> = work.into_par_iter().map(record).collect::<Result<_, _>>()?;
    let (mut a, mut b) = (Tally::default(), Tally::default());
    for (side, tally) in drawn {
        match side {
            Side::A => a = a.merge(&tally)?,
            Side::B => b = b.merge(&tally)?,
        }
    }
    a.check_apart(&b)?;
    Ok((a, b))
}

/// A seed from a source of bits.
///
/// # Errors
///
/// If the source fails.
pub fn fresh_seed(bits: &mut impl Bits) -> Result<[u8; 32], BitsError> {
    bits.begin()?;
    let mut seed = [0; 32];
    for eight in seed.chunks_exact_mut(8) {
        eight.copy_from_slice(&bits.take(64)?.to_le_bytes());
    }
    Ok(seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_add_up_and_do_not_depend_on_threads() {
        let target = |side: Side, bits: &mut BitStream<ChaCha20Rng>| -> Result<Output, BitsError> {
            Ok(Output::from(i64::try_from(bits.take(5)?).unwrap_or(0) + side.pick(0, 1)))
        };
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for samples in [1, 20, SHARD - 1, SHARD + 1, 3 * SHARD + 5, 40 * SHARD + 7] {
            let (a, b) = tallies(&target, samples, [3; 32]).unwrap();
            assert_eq!((a.samples(), b.samples()), (samples, samples));
            assert_eq!(alone.install(|| tallies(&target, samples, [3; 32])).unwrap(), (a, b));
        }
    }

    #[test]
    fn a_target_that_ignores_its_seed_is_found_out() {
        struct Stuck;
        impl Sampled for Stuck {
            fn record(&self, _: Side, samples: u64, _: [u8; 32], recording: &mut Recording) -> Result<(), BitsError> {
                let mut bits = seeded([1; 32]);
                for _ in 0..samples {
                    recording.integer(bits.take(10)?.cast_signed());
                }
                Ok(())
            }
        }
        assert!(matches!(tallies(&Stuck, 1000, [0; 32]), Err(SampleError::Shards(_))));
    }
}
