//! What randomness alone costs: one 64-bit word of ChaCha20.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::{SEED, Sampler, one_by_one};
use crate::group::Group;

/// Raw words, whatever the group.
pub fn words(_: &Group) -> Box<dyn Sampler> {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    one_by_one(move || rng.next_u64().cast_signed())
}
