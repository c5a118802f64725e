//! Certus's samplers, on ChaCha20.

use certus::{
    bits::seeded,
    exact::Integer,
    sample::{Gaussian, Laplace, Program},
};

use super::{SEED, Sampler, end, one_by_one};
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
