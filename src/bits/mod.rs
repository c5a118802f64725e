//! The only door for randomness: fair bits, drawn lazily.
//!
//! Everything above this layer sees randomness through one trait, [`Bits`], whose one question is "the next
//! `count` bits, please". Four kinds of source answer it:
//!
//! * [`BitStream`]: any cryptographic generator of `rand_core`, read word by word, no bit wasted;
//! * [`SystemBits`]: the default, ChaCha20 seeded by the operating system, never shared across a fork
//!   (feature `std`);
//! * [`Key`]: of counter mode, whose samples each have a place of their own;
//! * tapes, for tests and certificates: [`Recorder`], [`Replay`] and [`Enumeration`].
//!
//! There is no global source. A sampler draws from the source that it is handed, or not at all, and a source
//! that fails makes the sampler fail: an error, and no output.

mod key;
mod meter;
mod process;
mod stream;
#[cfg(feature = "std")]
mod system;
mod tape;

pub use key::{Key, Launch, Range};
pub use meter::Meter;
pub(crate) use process::Process;
pub use stream::{BitStream, seeded};
#[cfg(feature = "std")]
pub use system::SystemBits;
pub use tape::{Enumeration, Recorder, Replay, Tape};

/// The widest request that [`Bits::take`] answers.
pub const MAX_TAKE: u32 = 64;

/// Why there are no bits, and hence no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BitsError {
    /// The generator behind the stream reported a failure.
    #[error("the random source failed")]
    Source,
    /// A tape of finite length has no bit left.
    #[error("the tape has no bit left")]
    TapeEnded,
    /// More than [`MAX_TAKE`] bits were asked for at once.
    #[error("more than 64 bits were asked for at once")]
    TooManyAtOnce,
    /// A number outgrew its machine word, as a loop's counter would after 2^64 rounds and centuries of tape:
    /// the draw ends without an output rather than wrap.
    #[error("a counter passed 2^64")]
    Overflow,
    /// A forked child would draw its parent's noise: it makes a key of its own.
    #[error("the key is another process's: a forked child must make its own")]
    Forked,
    /// A [`Range`] of a key has more samples than are asked for, or fewer.
    #[error("the range must have as many samples as there are values")]
    Range,
}

/// A source of independent fair bits.
///
/// **Independent and fair is required, not checked.** A sampler that rejects draws until it accepts, so that
/// it ends with probability 1 on fair bits and never, perhaps, on others: from a source that answers all
/// zeros, or all ones, [`Uniform`](crate::sample::Uniform) of a bound such as 3, a geometric or a Gaussian
/// draw may loop for ever, and from a source of few different words its output is not the stated one. A
/// device whose generator can be stuck has to test it (as SP 800-90B's repetition count does) and report a
/// failure, which ends every draw with an error.
pub trait Bits {
    /// Called once before each sample, and before each bulk of samples, by every function of this library
    /// that draws.
    ///
    /// A source that could have been copied since its last use, as by a fork, renews itself here.
    /// [`take`](Self::take) and [`words`](Self::words) do not: whoever calls them directly calls this first,
    /// or a child repeats its parent's bits.
    ///
    /// # Errors
    ///
    /// If the source cannot be renewed.
    fn begin(&mut self) -> Result<(), BitsError> {
        Ok(())
    }

    /// The next `count` bits, the first of them the most significant of the answer's low `count` bits.
    ///
    /// Taking `a` bits and then `b` bits reads the same bits as taking `a + b` at once. `take(0)` is 0 and
    /// reads nothing.
    ///
    /// # Errors
    ///
    /// If the source fails, or if `count` is over [`MAX_TAKE`]. Nothing is handed out then.
    fn take(&mut self, count: u32) -> Result<u64, BitsError>;

    /// Fills a slice with whole words, for bulk: the bits that [`take(64)`](Self::take) would answer, one
    /// after the other.
    ///
    /// # Errors
    ///
    /// If the source fails. What the slice holds then must not be used.
    #[inline]
    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        for word in words {
            *word = self.take(MAX_TAKE)?;
        }
        Ok(())
    }

    /// Called by a fixed-work sampler with what it has found out from secret bits and is about to act upon in
    /// the open, by a branch.
    ///
    /// Every source ignores it, but those of audits that track what is secret: whatever is not disclosed here
    /// must not be branched on.
    #[inline]
    fn disclose(&mut self, _: &mut [u64]) {}
}

impl<B: Bits + ?Sized> Bits for &mut B {
    fn begin(&mut self) -> Result<(), BitsError> {
        (**self).begin()
    }

    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        (**self).take(count)
    }

    #[inline]
    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        (**self).words(words)
    }

    #[inline]
    fn disclose(&mut self, found: &mut [u64]) {
        (**self).disclose(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every wrapper must pass on the news that a sample begins, since a source behind it may have to renew
    /// itself, and what a fixed-work sampler discloses, since a source behind it may track what is secret.
    #[test]
    fn wrappers_pass_on_what_their_source_must_know() {
        #[derive(Default)]
        struct Knows {
            begun: u32,
            disclosed: u64,
        }
        impl Bits for Knows {
            fn begin(&mut self) -> Result<(), BitsError> {
                self.begun += 1;
                Ok(())
            }
            fn take(&mut self, _: u32) -> Result<u64, BitsError> {
                Ok(0)
            }
            fn disclose(&mut self, found: &mut [u64]) {
                self.disclosed += found.iter().sum::<u64>();
            }
        }
        fn tell(mut wrapper: impl Bits, word: u64) {
            wrapper.begin().unwrap();
            wrapper.disclose(&mut [word]);
        }
        let mut source = Knows::default();
        tell(Meter::new(&mut source), 1);
        tell(Recorder::new(&mut source), 10);
        tell(&mut source, 100);
        assert_eq!((source.begun, source.disclosed), (3, 111));
    }
}
