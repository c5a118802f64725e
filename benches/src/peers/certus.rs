//! Certus's samplers, on ChaCha20.

use certus::{
    bits::{BitStream, seeded},
    exact::Integer,
    sample::{
        Gaussian, Laplace, PreparedGaussian, PreparedLaplace, Program,
        fixed::{FixedGaussian, FixedLaplace, Mode},
    },
};
use rand_chacha::ChaCha20Rng;

use super::{Preparation, SEED, Sampler, end, one_by_one};
use crate::group::{Group, Noise};

/// The reference samplers: CKS20 on machine words where they fit.
pub fn reference(group: &Group) -> Box<dyn Sampler> {
    match group.noise {
        Noise::Laplace => program(Laplace::new(&group.scale)),
        Noise::Gaussian => program(Gaussian::new(&group.scale)),
    }
}

fn program(sampler: impl Program<Output = Integer>) -> Box<dyn Sampler> {
    let mut bits = seeded(SEED);
    one_by_one(move || word(&sampler.sample(&mut bits).expect("a seeded stream does not fail")))
}

fn word(sample: &Integer) -> i64 {
    sample.to_i64().unwrap_or_else(|| end(*sample < Integer::ZERO))
}

/// The prepared samplers, by their bulk fill.
pub fn prepared(group: &Group) -> Box<dyn Sampler> {
    let bits = seeded(SEED);
    let overflows = group.float() > FITS;
    match group.noise {
        Noise::Laplace => Box::new(Prepared { sampler: PreparedLaplace::new(&group.scale), bits, overflows }),
        Noise::Gaussian => Box::new(Prepared { sampler: PreparedGaussian::new(&group.scale), bits, overflows }),
    }
}

/// Up to this scale, 2^53, a sample passes 64 bits with probability below 2^-1000.
const FITS: f64 = 9_007_199_254_740_992.0;

/// A prepared sampler and its stream.
struct Prepared<S> {
    sampler: S,
    bits: BitStream<ChaCha20Rng>,
    /// A sample may pass 64 bits, which a fill refuses; noise added to zeros is clamped.
    overflows: bool,
}

macro_rules! sampler {
    ($prepared:ty) => {
        impl Sampler for Prepared<$prepared> {
            fn fill(&mut self, samples: &mut [i64]) {
                if self.overflows {
                    samples.fill(0);
                    self.sampler.add_noise(&mut self.bits, samples).expect("a seeded stream does not fail");
                } else {
                    self.sampler.fill(&mut self.bits, samples).expect("a seeded stream does not fail");
                }
            }

            fn preparation(&self) -> Option<Preparation> {
                Some(Preparation { construction: self.sampler.construction(), bytes: self.sampler.memory() })
            }
        }
    };
}
sampler!(PreparedLaplace);
sampler!(PreparedGaussian);

/// The fixed-work samplers, β ≤ 2^-53.
pub fn fixed(group: &Group) -> Box<dyn Sampler> {
    fixed_in(group, Mode::Standard)
}

/// The fixed-work samplers, β ≤ 2^-100.
pub fn fixed_wide(group: &Group) -> Box<dyn Sampler> {
    fixed_in(group, Mode::Wide)
}

fn fixed_in(group: &Group, mode: Mode) -> Box<dyn Sampler> {
    let mut bits = seeded(SEED);
    match group.noise {
        Noise::Laplace => {
            let sampler = FixedLaplace::new(&group.scale, mode).expect("the group is within its reach");
            Box::new(move |samples: &mut [i64]| {
                sampler.fill(&mut bits, samples).expect("a seeded stream does not fail")
            })
        }
        Noise::Gaussian => {
            let sampler = FixedGaussian::new(&group.scale, mode).expect("the group is within its reach");
            Box::new(move |samples: &mut [i64]| {
                sampler.fill(&mut bits, samples).expect("a seeded stream does not fail")
            })
        }
    }
}
