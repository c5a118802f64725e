//! Draws of a sampler, each with the time that it took.

use std::hint::black_box;
use std::time::Instant;

use certus::bits::{BitStream, Bits, BitsError, Meter};
use certus::sample::fixed::FixedLaplace;
use certus::sample::{Laplace, Program};
use rand_chacha::ChaCha20Rng;

/// A sampler that is timed.
#[derive(Clone, Debug)]
pub enum Sampler {
    /// The reference sampler, after Canonne, Kamath and Steinke 2020: as much work as the noise takes.
    Plain(Laplace),
    /// The same work whatever the noise.
    Fixed(Box<FixedLaplace>),
}

impl Sampler {
    #[inline]
    pub(super) fn draw(&self, bits: &mut impl Bits) -> Result<i64, BitsError> {
        match self {
            Self::Plain(noise) => noise.sample(bits)?.to_i64().ok_or(BitsError::Overflow),
            Self::Fixed(noise) => {
                let mut out = [0];
                noise.fill(bits, &mut out)?;
                Ok(out[0])
            }
        }
    }
}

/// What of a draw can be observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The nanoseconds of one run.
    Once,
    /// The least nanoseconds of several runs on the same random bits: the clock's and the machine's noise taken off.
    Least,
    /// The random bits that it took: work counted rather than timed, the same on every machine.
    Bits,
}

/// One draw.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// What was drawn.
    pub noise: i64,
    once: u64,
    least: u64,
    bits: u64,
}

impl Draw {
    /// What is seen of it.
    #[must_use]
    pub fn seen(&self, seen: Seen) -> u64 {
        match seen {
            Seen::Once => self.once,
            Seen::Least => self.least,
            Seen::Bits => self.bits,
        }
    }
}

/// So many draws, one after the other from one stream. Each is run so many times from the same state of the stream, which gives the same noise.
///
/// # Errors
///
/// If the source fails.
pub fn draws(
    sampler: &Sampler,
    count: u64,
    repeats: u32,
    mut stream: BitStream<ChaCha20Rng>,
    mut each: impl FnMut(u64),
) -> Result<Vec<Draw>, BitsError> {
    (0..count)
        .map(|number| {
            each(number);
            let start = stream.clone();
            let (mut once, mut least, mut noise) = (0, u64::MAX, 0);
            for repeat in 0..repeats.max(1) {
                stream = start.clone();
                let clock = Instant::now();
                noise = black_box(sampler.draw(&mut stream)?);
                let time = u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX);
                if repeat == 0 {
                    once = time;
                }
                least = least.min(time);
            }
            let mut meter = Meter::new(start);
            sampler.draw(&mut meter)?;
            Ok(Draw { noise, once, least, bits: meter.used() })
        })
        .collect()
}
