//! The k largest scores after one round of noise.

use alloc::{collections::BTreeSet, sync::Arc, vec::Vec};
use core::{cmp::Reverse, ops::ControlFlow};

use super::{Candidates, NoiseSampler, ScoresError, SelectionError, SelectionNoise, dominated_by_a_response};
use crate::{
    exact::{Integer, Positive, Rational},
    guarantee::{Domination, Guarantee},
    mechanism::{Private, opaque_debug},
    sample::{Interpreter, Program, Step},
};

/// The indices of the k largest uᵢ + Xᵢ, best first, with fresh noise Xᵢ of scale k·span/ε; of equal ones,
/// the lower index first.
///
/// One round of noise for all k: n draws, where peeling with noisy max would take k·n.
///
/// # Guarantee
///
/// Pure ε. Composition does not apply, since the k rounds share their noise; this does. Let x be noise with
/// which D gives the ranking r. For D′ move the noise of the k winners: to xᵢ + (uᵢ − uᵢ′) + Δ in general.
/// Then every winner is Δ above where it was and no loser rose by more, so that D′ gives r too: order, ties
/// and all. The move is one-to-one, and of each of k coordinates by 0 to 2Δ, so that it changes probabilities
/// by at most e^(k·2Δ/scale) = e^ε; it never moves down, so that one-sided noise will do. For monotone scores
/// that rose, the same; that fell, move by uᵢ − uᵢ′ alone: no loser rose. Either is 0 to Δ, which is the
/// span. (Compare Qiao, Su and Zhang 2021, for Laplace noise.) Not claimed to be tight.
///
/// ```
/// use certus::{bits::seeded, exact::{Integer, NonNegative, Positive, Rational}, guarantee::{LInfinity, Relation, Sensitivity}};
/// use certus::mechanism::{Private, selection::{Candidates, SelectionNoise, NoisyTopK}};
///
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
/// let epsilon = Positive::new(Rational::from_integer(1.into()))?;
/// let mechanism = NoisyTopK::new(Candidates::new(3, &sensitivity)?.monotone(), 2, &epsilon, SelectionNoise::Geometric)?;
/// let scores = [7, 300, 120].map(|score: i64| Integer::from(score));
/// assert_eq!(mechanism.release(&scores, &mut seeded([0; 32]))?.get(), &[1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NoisyTopK {
    candidates: Candidates,
    k: usize,
    epsilon: Positive,
    noise: NoiseSampler,
    guarantee: Guarantee,
}

impl NoisyTopK {
    /// The k best of these candidates, with this ε in all and this kind of noise.
    ///
    /// # Errors
    ///
    /// If k is not from 1 to the number of candidates.
    pub fn new(
        candidates: Candidates,
        k: usize,
        epsilon: &Positive,
        noise: SelectionNoise,
    ) -> Result<Self, SelectionError> {
        candidates.at_most_all(k)?;
        let noise = noise.at(&candidates.scale(&share(epsilon, k)));
        Ok(Self { guarantee: candidates.pure(epsilon)?, candidates, k, epsilon: epsilon.clone(), noise })
    }
}

/// ε/k, for k ≥ 1: positive, so that it never falls back.
pub(super) fn share(epsilon: &Positive, k: usize) -> Positive {
    Positive::new(epsilon.get() / Rational::from_integer(k.max(1).into())).unwrap_or_else(|_| epsilon.clone())
}

impl Private for NoisyTopK {
    type Input = [Integer];
    type Release = NoisyRanking;
    type Error = ScoresError;

    fn on(&self, scores: &[Integer]) -> Result<NoisyRanking, ScoresError> {
        self.candidates.counted(scores)?;
        Ok(NoisyRanking { scores: scores.into(), k: self.k, noise: self.noise.clone() })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: that of every ε-private mechanism.
    fn domination(&self) -> Domination {
        dominated_by_a_response(self.epsilon.get(), self.guarantee.relation())
    }
}

/// The indices of the k largest noisy scores, best first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoisyRanking {
    scores: Arc<[Integer]>,
    k: usize,
    noise: NoiseSampler,
}

opaque_debug!(NoisyRanking);

impl Program for NoisyRanking {
    /// How many scores were looked at, and the k largest noisy ones among them: best first, of equal ones the
    /// lower index first.
    type State = (usize, BTreeSet<(Reverse<Integer>, usize)>);
    type Output = Vec<usize>;

    fn start(&self) -> Self::State {
        (0, BTreeSet::new())
    }

    fn step<I: Interpreter>(&self, (seen, mut best): Self::State, on: &mut I) -> Step<Self, I> {
        let Some(score) = self.scores.get(seen) else {
            return Ok(ControlFlow::Break(best.into_iter().map(|(_, index)| index).collect()));
        };
        let entry = (Reverse(score.add(&on.call(&self.noise)?)), seen);
        best.insert(entry);
        if best.len() > self.k {
            best.pop_last();
        }
        Ok(ControlFlow::Continue((seen.saturating_add(1), best)))
    }
}
