//! The default source: ChaCha20, seeded by the operating system.

use core::hint::black_box;

use rand_chacha::ChaCha20Rng;

use super::{BitStream, Bits, BitsError, Process, seeded};

/// ChaCha20 under a 256-bit seed from the operating system; one stream per value, never a global.
///
/// **Fork.** A copy of a generator would give parent and child the same noise, which cancels in a difference.
/// So each sample (each [`Bits::begin`]) compares the process id with the one that seeded the stream, and a
/// child discards what it inherited, buffered bits included, and seeds anew. A fork copies only the thread
/// that calls it, hence never a draw halfway through. What this does not see: a snapshot of a virtual
/// machine, and a child that a pid namespace gives its parent's very number.
///
/// There is no `Clone`: two copies would be the same noise.
///
/// ```
/// use certus::bits::{Bits, SystemBits};
///
/// let mut bits = SystemBits::new()?;
/// assert!(bits.take(1)? < 2);
/// # Ok::<(), certus::bits::BitsError>(())
/// ```
#[derive(Debug)]
pub struct SystemBits {
    stream: BitStream<ChaCha20Rng>,
    process: Process,
}

impl SystemBits {
    /// Seeds a new stream.
    ///
    /// # Errors
    ///
    /// [`BitsError::Source`] if the operating system gives no randomness.
    pub fn new() -> Result<Self, BitsError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|_| BitsError::Source)?;
        let stream = seeded(seed);
        seed = [0; 32];
        black_box(&mut seed);
        Ok(Self { stream, process: Process::this() })
    }

    /// Overwrites the generator's key, and the words and bits that it has buffered: from these, noise that was
    /// drawn could be computed again. (Not where a move left a copy behind, in a register, or in swapped memory.)
    fn erase(&mut self) {
        self.stream = seeded([0; 32]);
        // A compiler leaves out what nobody reads; this, it must take for read.
        black_box(&mut self.stream);
    }
}

impl Drop for SystemBits {
    fn drop(&mut self) {
        self.erase();
    }
}

impl Bits for SystemBits {
    fn begin(&mut self) -> Result<(), BitsError> {
        if !self.process.is_this() {
            *self = Self::new()?;
        }
        Ok(())
    }

    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        self.stream.take(count)
    }

    #[inline]
    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        self.stream.words(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sources_differ() {
        let (mut a, mut b) = (SystemBits::new().unwrap(), SystemBits::new().unwrap());
        assert_ne!(a.take(64).unwrap(), b.take(64).unwrap());
    }

    /// As after a fork: the memory is the parent's, the process is not.
    #[cfg(unix)]
    #[test]
    fn a_child_discards_what_it_inherited() {
        let mut parent = SystemBits::new().unwrap();
        parent.take(1).unwrap();
        let mut child = SystemBits { stream: parent.stream.clone(), process: Process::another() };
        parent.begin().unwrap();
        child.begin().unwrap();
        // 63 buffered bits and the words after them: a shared stream would agree on all of them.
        assert_ne!(parent.take(63).unwrap(), child.take(63).unwrap());
        assert_ne!(parent.take(64).unwrap(), child.take(64).unwrap());
        assert!(child.process.is_this());
    }

    #[test]
    fn nothing_of_the_seed_is_left() {
        let mut bits = SystemBits::new().unwrap();
        bits.take(1).unwrap();
        bits.erase();
        let mut zeros = seeded([0; 32]);
        assert_eq!((bits.take(64), bits.take(64)), (zeros.take(64), zeros.take(64)));
    }

    #[test]
    fn the_same_process_keeps_its_stream() {
        let mut bits = SystemBits::new().unwrap();
        let mut copy = bits.stream.clone();
        bits.begin().unwrap();
        assert_eq!(bits.take(64), copy.take(64));
    }
}
