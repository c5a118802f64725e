//! The traits of the `rand` crate (feature `rand`).
//!
//! `rand` hands a sampler any generator, weak ones included: only a cryptographic one, such as `ChaCha20Rng`,
//! gives private noise. Nor can its samplers fail, so that there is no `Distribution<i64>`: a sample that
//! does not fit would have to be clamped or wrapped. Nor does it know when a sample begins: a generator that
//! a fork has copied is not renewed, and the child draws its parent's noise. There are
//! `Distribution<Integer>`, which holds any, and `Distribution<Option<i64>>`.

use rand::{Rng, distr::Distribution};

use super::{PreparedGaussian, PreparedLaplace};
use crate::{
    bits::{Bits, BitsError, MAX_TAKE},
    exact::Integer,
    sample::{Program, execute},
};

/// The words of a generator, from which a request takes the first bits.
struct Words<'r, R: ?Sized>(&'r mut R);

impl<R: Rng + ?Sized> Bits for Words<'_, R> {
    #[inline]
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        match count {
            0 => Ok(0),
            1..=MAX_TAKE => Ok(self.0.next_u64() >> (MAX_TAKE - count)),
            _ => Err(BitsError::TooManyAtOnce),
        }
    }
}

/// A sample; if a counter outgrew its word, which takes centuries, another one.
fn sample<P: Program<Output = Integer>, R: Rng + ?Sized>(program: &P, rng: &mut R) -> Integer {
    loop {
        if let Ok(sample) = execute(program, &mut Words(rng)) {
            return sample;
        }
    }
}

macro_rules! distribution {
    ($name:ident) => {
        impl Distribution<Integer> for $name {
            #[inline]
            fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Integer {
                sample(self, rng)
            }
        }

        impl Distribution<Option<i64>> for $name {
            #[inline]
            fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<i64> {
                sample(self, rng).to_i64()
            }
        }
    };
}

distribution!(PreparedLaplace);
distribution!(PreparedGaussian);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bits::seeded,
        exact::{Positive, Rational},
    };
    use rand_core::SeedableRng;

    /// A table reads whole words, so that it draws from a generator what it draws from a stream of its bits.
    #[test]
    fn the_same_samples_from_the_generator_itself() {
        let noise = PreparedGaussian::new(&Positive::new(Rational::from_integer(3.into())).unwrap());
        let mut rng = rand_chacha::ChaCha20Rng::from_seed([4; 32]);
        let mut bits = seeded([4; 32]);
        for _ in 0..1000 {
            let expected = Program::sample(&noise, &mut bits).unwrap();
            let sample: Option<i64> = Distribution::sample(&noise, &mut rng);
            assert_eq!(sample, expected.to_i64());
        }
    }
}
