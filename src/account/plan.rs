//! What runs, and how often.

use alloc::{vec, vec::Vec};

use super::Direction;
use crate::guarantee::{Attained, Domination, Pair};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    parts: Vec<Part>,
    /// The neighbours that attain the pairs of every part.
    attained: Attained,
}

impl Default for Plan {
    /// Nothing, which any neighbours attain.
    fn default() -> Self {
        Self { parts: Vec::new(), attained: Attained::ByAnswers }
    }
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
        if copies == 0 {
            return self;
        }
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
        self.attained = self.attained.and(domination.attained_by());
        self.parts.sort_by(|a, b| (&a.forward, &a.backward).cmp(&(&b.forward, &b.backward)));
        self
    }

    /// Whether the pairs are those of the mechanisms themselves on some neighbouring inputs, so that an account's lower bounds hold of the mechanisms, too; otherwise
    /// the pairs dominate, the account is an upper bound, and what the mechanisms lose may be less than its *lower* end.
    ///
    /// * **One pair a part**, each attained: by neighbours D, D′ of one relation, which may be taken to be the same for all parts, each mechanism having its own columns of the same records, or its
    ///   own query. Then (M₁(D), M₂(D), …) against (M₁(D′), M₂(D′), …), not adaptive, is the product of the pairs: the composition of the pairs is attained, forward by D, D′ and backward by
    ///   D′, D, and adaptive mechanisms lose no more (they are dominated). Mechanisms for neighbours of different relations have no neighbours in common, and are not attained together.
    /// * **A list of pairs**, each attained: the largest profile is attained at every ε, by neighbours that may differ from one ε to the other. That is enough for a mechanism that runs once and alone. Of two
    ///   runs the account composes the supremum of the profiles, a pair that no two neighbours need attain.
    ///
    /// ```
    /// use certus::account::{Plan, domination};
    ///
    /// let plan = |spec: &str| Ok::<_, certus::mechanism::SpecError>(Plan::new().with(&domination(&spec.parse()?)?, 2));
    /// assert!(plan("gaussian(sigma=2)")?.is_attained());
    /// // Dominated by a randomized response, as is everything that is 1-private.
    /// assert!(!plan("exponential(epsilon=1, candidates=3)")?.is_attained());
    /// # Ok::<(), certus::mechanism::SpecError>(())
    /// ```
    #[must_use]
    pub fn is_attained(&self) -> bool {
        let once = matches!(self.parts.as_slice(), [Part { copies: 1, .. }]);
        self.is_attained_at_once() || (once && self.attained != Attained::Unknown)
    }

    /// Whether the same neighbours attain it at every ε: a list of pairs has several, and what is read off its whole profile, such as a trade-off curve, need be no one's.
    pub(crate) fn is_attained_at_once(&self) -> bool {
        let single = |part: &Part| part.forward.len() <= 1 && part.backward.len() <= 1;
        self.attained != Attained::Unknown && self.parts.iter().all(single)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::domination,
        guarantee::{FinitePair, Relation},
    };

    fn plan(specs: &[(&str, u64)]) -> Plan {
        specs
            .iter()
            .fold(Plan::new(), |plan, (spec, copies)| plan.with(&domination(&spec.parse().unwrap()).unwrap(), *copies))
    }

    #[test]
    fn single_pairs_of_one_relation_are_attained_together() {
        for (specs, is_attained) in [
            (&[("gaussian(sigma=2)", 7), ("laplace(scale=1, sensitivity=2)", 1)][..], true),
            (&[("subsampled_gaussian(sigma=2, rate=1/10)", 7), ("count(scale=2)", 2)], true),
            (&[("laplace(scale=1)", 1), ("histogram(keys=2, scale=1, change_one=1)", 2)], true),
            (&[("randomized_response(gamma=1/4)", 2), ("histogram(keys=2, scale=1, change_one=1)", 2)], true),
            // No neighbours in common.
            (&[("count(scale=2)", 1), ("randomized_response(gamma=1/4)", 1)], false),
            (&[("count(scale=2)", 1), ("count(scale=2, change_one=1)", 1)], false),
            // One bound is enough for the whole to be one, and so is a bound with the pair of what is none.
            (&[("gaussian(sigma=2)", 7), ("exponential(epsilon=1, candidates=3)", 1)], false),
            (&[("randomized_response(epsilon=1)", 1), ("exponential(epsilon=1, candidates=3)", 1)], false),
        ] {
            assert_eq!(plan(specs).is_attained(), is_attained, "{specs:?}");
            let reversed: Vec<_> = specs.iter().rev().copied().collect();
            assert_eq!(plan(&reversed), plan(specs), "{specs:?}");
        }
        assert!(plan(&[("gaussian(sigma=2)", 7), ("exponential(epsilon=1, candidates=3)", 0)]).is_attained());
        assert!(Plan::new().is_attained());
    }

    #[test]
    fn a_list_is_attained_by_itself_alone() {
        let list = "bounded_laplace(scale=2, lower=0, upper=10)";
        assert!(plan(&[(list, 1)]).is_attained() && !plan(&[(list, 1)]).is_attained_at_once());
        assert!(!plan(&[(list, 2)]).is_attained());
        assert!(!plan(&[(list, 1), ("laplace(scale=1)", 1)]).is_attained());
        assert!(!plan(&[(list, 1), (list, 1)]).is_attained());
        // All of the interval: the two answers are its ends, one pair.
        let single = "bounded_laplace(scale=2, lower=0, upper=1)";
        assert!(plan(&[(single, 2), ("laplace(scale=1)", 1)]).is_attained_at_once());
        // Two names of one pair are no list.
        let revealing = || Pair::Finite(FinitePair::revealing());
        let twice = Domination::by_all(vec![revealing(), revealing()]);
        let twice = twice.attained(Attained::ByNeighbours(Relation::AddRemove));
        assert!(Plan::new().with(&twice, 2).is_attained());
    }
}
