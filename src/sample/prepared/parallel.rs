//! Many samples on many threads, the same whatever their number.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::prelude::*;

use core::sync::atomic::{AtomicUsize, Ordering};

use super::{FillError, Sample};
use crate::bits::{BitStream, Bits, BitsError};

/// How many samples each stream draws.
pub const CHUNK: usize = 1 << 14;

/// Runs `work` on each chunk of a slice, on all threads, with a ChaCha20 stream of the chunk's own.
///
/// A 256-bit key is drawn from `bits`; chunk i reads stream i of the cipher under that key, so that the
/// streams are independent of each other, and what a chunk reads depends on its place alone: not on the
/// threads, nor on the order in which they run.
pub(super) fn in_chunks<T: Send, B: Bits + ?Sized, E: From<BitsError> + Send>(
    bits: &mut B,
    slice: &mut [T],
    work: impl Fn(&mut BitStream<ChaCha20Rng>, &mut [T]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    bits.begin()?;
    let mut words = [0; 4];
    bits.words(&mut words)?;
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let cipher = ChaCha20Rng::from_seed(key);
    slice.par_chunks_mut(CHUNK).enumerate().try_for_each(|(index, chunk)| {
        let mut stream = cipher.clone();
        stream.set_stream(u64::try_from(index).map_err(|_| BitsError::Overflow)?);
        work(&mut BitStream::new(stream), chunk)
    })
}

macro_rules! in_parallel {
    ($name:ident) => {
        impl super::$name {
            /// Fills a slice as [`fill`](Self::fill) does, on all threads of the rayon pool that this runs
            /// in.
            ///
            /// Each [`CHUNK`] samples have a ChaCha20 stream of their own, under one key that is drawn from
            /// `bits`: what the slice holds is a function of the bits drawn, whatever the number of threads.
            ///
            /// # Errors
            ///
            /// As [`fill`](Self::fill).
            pub fn fill_parallel<T: Sample, B: Bits + ?Sized>(
                &self,
                bits: &mut B,
                out: &mut [T],
            ) -> Result<(), FillError> {
                in_chunks(bits, out, |stream, chunk| self.fill(stream, chunk))
            }

            /// Adds noise as [`add_noise`](Self::add_noise) does, on all threads, as
            /// [`fill_parallel`](Self::fill_parallel).
            ///
            /// # Errors
            ///
            /// As [`add_noise`](Self::add_noise).
            pub fn add_noise_parallel<B: Bits + ?Sized>(
                &self,
                bits: &mut B,
                values: &mut [i64],
            ) -> Result<usize, BitsError> {
                let clamped = AtomicUsize::new(0);
                let noised = in_chunks(bits, values, |stream, chunk| {
                    clamped.fetch_add(self.add_noise(stream, chunk)?, Ordering::Relaxed);
                    Ok::<(), BitsError>(())
                });
                // A chunk that fails stops the others, wherever they are.
                noised.inspect_err(|_| values.fill(0))?;
                Ok(clamped.into_inner())
            }
        }
    };
}

in_parallel!(PreparedLaplace);
in_parallel!(PreparedGaussian);

#[cfg(test)]
mod tests {
    use crate::{
        bits::seeded,
        exact::{Positive, parse},
        sample::{PreparedGaussian, PreparedLaplace},
    };
    use alloc::{vec, vec::Vec};

    #[test]
    fn the_same_whatever_the_number_of_threads() {
        let positive = |text: &str| Positive::new(parse(text).unwrap()).unwrap();
        let (laplace, gaussian) = (PreparedLaplace::new(&positive("10")), PreparedGaussian::new(&positive("1e6")));
        let on = |threads: usize| -> (Vec<i64>, Vec<i64>) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut filled, mut noised) = (vec![0i64; 100_001], vec![7i64; 100_001]);
            pool.install(|| {
                laplace.fill_parallel(&mut seeded([1; 32]), &mut filled).unwrap();
                gaussian.add_noise_parallel(&mut seeded([1; 32]), &mut noised).unwrap();
            });
            (filled, noised)
        };
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(5));
        // The chunks differ: they are streams of their own.
        assert_ne!(one.0[..1000], one.0[super::CHUNK..super::CHUNK + 1000]);
    }
}
