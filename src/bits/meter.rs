//! Counting the bits that a sampler draws.

use super::{Bits, BitsError};

/// Passes bits on from another source and counts them.
#[derive(Clone, Debug)]
pub struct Meter<B> {
    source: B,
    used: u64,
}

impl<B: Bits> Meter<B> {
    /// Counts from zero.
    pub fn new(source: B) -> Self {
        Self { source, used: 0 }
    }

    /// How many bits were handed out so far.
    pub fn used(&self) -> u64 {
        self.used
    }
}

impl<B: Bits> Bits for Meter<B> {
    fn begin(&mut self) -> Result<(), BitsError> {
        self.source.begin()
    }

    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        let taken = self.source.take(count)?;
        self.used = self.used.saturating_add(u64::from(count));
        Ok(taken)
    }

    #[inline]
    fn words(&mut self, words: &mut [u64]) -> Result<(), BitsError> {
        self.source.words(words)?;
        let count = u64::try_from(words.len()).unwrap_or(u64::MAX).saturating_mul(64);
        self.used = self.used.saturating_add(count);
        Ok(())
    }

    #[inline]
    fn disclose(&mut self, found: &mut [u64]) {
        self.source.disclose(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{Replay, Tape};

    #[test]
    fn failed_requests_are_not_counted() {
        let mut meter = Meter::new(Replay::new("10110".parse::<Tape>().unwrap()));
        assert_eq!(meter.take(3), Ok(0b101));
        assert_eq!(meter.take(3), Err(BitsError::TapeEnded));
        assert_eq!(meter.take(2), Ok(0b10));
        assert_eq!(meter.used(), 5);
    }
}
