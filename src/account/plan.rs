//! What runs, and how often.

use alloc::{vec, vec::Vec};

use super::Direction;
use crate::guarantee::{Domination, Pair};

/// One mechanism's domination, and how many copies of it run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    forward: Vec<Pair>,
    backward: Vec<Pair>,
    copies: u64,
}

/// Mechanisms that run on the same data, each any number of times, adaptively or not.
///
/// The order in which they are added does not matter: parts are sorted and equal ones merged (Invariant #1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    parts: Vec<Part>,
}

impl Plan {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `copies` runs of a mechanism.
    #[must_use]
    pub fn with(mut self, domination: &Domination, copies: u64) -> Self {
        let sorted = |pairs: &[Pair]| {
            let mut pairs = pairs.to_vec();
            pairs.sort();
            pairs.dedup();
            pairs
        };
        let (forward, backward) = (sorted(domination.forward()), sorted(domination.backward()));
        match self.parts.iter_mut().find(|part| part.forward == forward && part.backward == backward) {
            Some(part) => part.copies = part.copies.saturating_add(copies),
            None => self.parts.push(Part { forward, backward, copies }),
        }
        self.parts.retain(|part| part.copies > 0);
        self.parts.sort_by(|a, b| (&a.forward, &a.backward).cmp(&(&b.forward, &b.backward)));
        self
    }

    /// The parts, sorted.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What to compose for (M(D), M(D′)) and for (M(D′), M(D)); one of them where they are the same.
    #[must_use]
    pub fn directions(&self) -> Vec<Direction> {
        if self.parts.is_empty() {
            return Vec::new();
        }
        let forward: Direction = self.parts.iter().map(|part| (part.forward.clone(), part.copies)).collect();
        let backward: Direction = self.parts.iter().map(|part| (part.backward.clone(), part.copies)).collect();
        if forward == backward { vec![forward] } else { vec![forward, backward] }
    }
}
