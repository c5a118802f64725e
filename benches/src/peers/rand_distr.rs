//! The baseline, **inexact**: floating-point noise, rounded. What people use because exact noise is slow.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, Exp1, Normal};

use super::{SEED, Sampler, one_by_one};
use crate::group::{Group, Noise};

/// Normal noise, or exponential noise with a random sign; rounded to the nearest integer.
pub fn rounded(group: &Group) -> Box<dyn Sampler> {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    let scale = group.float();
    match group.noise {
        // The sign last, on the integer: compiled without a branch. On the float it is a branch that is mispredicted every other
        // time, and the sample costs a third more. The baseline is measured at its best.
        Noise::Laplace => one_by_one(move || {
            let exponential: f64 = Exp1.sample(&mut rng);
            let magnitude = (scale * exponential).round() as i64;
            if rng.random() { -magnitude } else { magnitude }
        }),
        Noise::Gaussian => {
            let normal = Normal::new(0.0, scale).expect("a positive scale");
            one_by_one(move || normal.sample(&mut rng).round() as i64)
        }
    }
}
