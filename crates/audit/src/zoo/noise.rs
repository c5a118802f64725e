//! Noise as it is drawn elsewhere, in floats; and exactly, for the twins.

use rand_chacha::ChaCha20Rng;

use certus::{
    bits::{BitStream, Bits, BitsError, seeded},
    exact::{Positive, Rational},
    sample::{PreparedLaplace, Program},
};

/// Random bits, and the floats that others make of them.
#[derive(Debug)]
pub struct Random(BitStream<ChaCha20Rng>);

impl Random {
    /// From a seed, which must be fresh for every shard.
    #[must_use]
    pub fn new(seed: [u8; 32]) -> Self {
        Self(seeded(seed))
    }

    /// The bits, for an exact sampler.
    pub fn bits(&mut self) -> &mut BitStream<ChaCha20Rng> {
        &mut self.0
    }

    /// A multiple of 2^-53 from 0 to below 1: what `random()` is in most languages.
    pub fn uniform(&mut self) -> Result<f64, BitsError> {
        Ok(self.0.take(53)? as f64 * f64::EPSILON / 2.0)
    }

    /// A fair coin.
    pub fn coin(&mut self) -> Result<bool, BitsError> {
        Ok(self.0.take(1)? == 1)
    }

    /// Whether something of this probability happens.
    pub fn happens(&mut self, p: f64) -> Result<bool, BitsError> {
        Ok(self.uniform()? < p)
    }

    /// Exponential noise by the inverse of its distribution function: −scale·ln(1 − u).
    pub fn exponential(&mut self, scale: f64) -> Result<f64, BitsError> {
        Ok(-scale * (1.0 - self.uniform()?).ln())
    }

    /// Laplace noise by the naive inverse of its distribution function.
    pub fn laplace(&mut self, scale: f64) -> Result<f64, BitsError> {
        let u = self.uniform()? - 0.5;
        Ok(-scale * u.signum() * (1.0 - 2.0 * u.abs()).ln())
    }

    /// Normal noise by Box and Muller.
    pub fn box_muller(&mut self, sigma: f64) -> Result<f64, BitsError> {
        let radius = (-2.0 * (1.0 - self.uniform()?).ln()).sqrt();
        Ok(sigma * radius * (std::f64::consts::TAU * self.uniform()?).cos())
    }

    /// Normal noise by Marsaglia's polar method.
    pub fn polar(&mut self, sigma: f64) -> Result<f64, BitsError> {
        loop {
            let (u, v) = (2.0 * self.uniform()? - 1.0, 2.0 * self.uniform()? - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return Ok(sigma * u * (-2.0 * s.ln() / s).sqrt());
            }
        }
    }
}

/// Exact discrete Laplace noise of this scale.
pub fn exact_laplace(numerator: u32, denominator: u32) -> impl Fn(&mut Random) -> Result<i64, BitsError> + Send {
    let scale = Positive::new(Rational::new(numerator.into(), denominator.max(1).into()));
    let sampler = scale.ok().map(|scale| PreparedLaplace::new(&scale));
    move |random| match &sampler {
        // Noise beyond 2^63 does not happen at scales of at most 2^32.
        Some(sampler) => Ok(sampler.sample(random.bits())?.to_i64().unwrap_or(i64::MAX)),
        None => Ok(0),
    }
}
