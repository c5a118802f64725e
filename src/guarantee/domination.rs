//! What a mechanism says of its neighbouring inputs.

use alloc::{vec, vec::Vec};

use super::Pair;

/// The pairs that dominate a mechanism M on neighbouring inputs D, D′.
///
/// The inputs are ordered: under add/remove neighbours D has the person and D′ has not; under change-one the order is immaterial, and
/// both lists are the same. For every such D, D′ and every ε, the profile of (M(D), M(D′)) at ε is at most the largest
/// profile of `forward`, and that of (M(D′), M(D)) at most the largest of `backward`. The supremum of several profiles is itself
/// the profile of a pair, so a list of pairs composes as that one pair does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domination {
    forward: Vec<Pair>,
    backward: Vec<Pair>,
}

impl Domination {
    /// One pair that dominates for D, D′; its reverse for D′, D.
    #[must_use]
    pub fn by(pair: Pair) -> Self {
        Self { backward: vec![pair.reversed()], forward: vec![pair] }
    }

    /// Several pairs for D, D′; their reverses for D′, D.
    #[must_use]
    pub fn by_all(pairs: Vec<Pair>) -> Self {
        Self { backward: pairs.iter().map(Pair::reversed).collect(), forward: pairs }
    }

    /// The pairs for (M(D), M(D′)).
    #[must_use]
    pub fn forward(&self) -> &[Pair] {
        &self.forward
    }

    /// The pairs for (M(D′), M(D)).
    #[must_use]
    pub fn backward(&self) -> &[Pair] {
        &self.backward
    }
}
