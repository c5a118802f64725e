//! Report noisy max: which score is the largest after noise.

use alloc::sync::Arc;
use core::ops::ControlFlow;

use super::{Candidates, NoiseSampler, ScoresError, SelectionError, SelectionNoise, dominated_by_a_response};
use crate::{
    exact::{Integer, Positive},
    guarantee::{Domination, Guarantee},
    mechanism::{Private, opaque_debug},
    sample::{Interpreter, Program, Step},
};

/// Report noisy max: the index of the largest of uᵢ + Xᵢ, with fresh noise Xᵢ of scale span/ε; of equal ones,
/// the lowest index.
///
/// The index alone: the noisy score that won is not part of the release, and would cost more. Scores are
/// integers.
///
/// # Guarantee
///
/// Pure ε. Fix the others' noise. Then i wins iff Xᵢ ≥ t, where t = max of uⱼ − uᵢ + Xⱼ over j > i, and of
/// the same plus 1 over j < i, to which ties go. Between neighbours every uⱼ − uᵢ moves by at most the span,
/// hence so does t, and P(X ≥ t) ≤ e^(m/scale)·P(X ≥ t + m): at m = span that is e^ε. A fixed order of ties
/// is a constant in t, and costs nothing. (Dwork and Roth 2014, Claim 3.9, for continuous noise and monotone
/// scores; the argument is that of Ding, Kifer, Steinke et al. 2021.) With [`SelectionNoise::Geometric`] it
/// is tight, where the span is an integer: of two candidates, the one that is behind wins with probability
/// exactly e^(-gap/scale)·E[e^(-X/scale)]. With [`SelectionNoise::Laplace`] it is tight as a supremum.
///
/// ```
/// use certus::{bits::seeded, exact::{Integer, NonNegative, Positive, Rational}, guarantee::{LInfinity, Relation, Sensitivity}};
/// use certus::mechanism::{Private, selection::{Candidates, SelectionNoise, NoisyMax}};
///
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
/// let epsilon = Positive::new(Rational::from_integer(1.into()))?;
/// let mechanism = NoisyMax::new(Candidates::new(3, &sensitivity)?.monotone(), &epsilon, SelectionNoise::Geometric)?;
/// let scores = [7, 300, 12].map(|score: i64| Integer::from(score));
/// assert_eq!(mechanism.release(&scores, &mut seeded([0; 32]))?.get(), &1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NoisyMax {
    candidates: Candidates,
    epsilon: Positive,
    noise: NoiseSampler,
    guarantee: Guarantee,
}

impl NoisyMax {
    /// The mechanism for these candidates, this ε and this kind of noise.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive ε excludes.
    pub fn new(candidates: Candidates, epsilon: &Positive, noise: SelectionNoise) -> Result<Self, SelectionError> {
        let noise = noise.at(&candidates.scale(epsilon));
        Ok(Self { guarantee: candidates.pure(epsilon)?, candidates, epsilon: epsilon.clone(), noise })
    }
}

impl Private for NoisyMax {
    type Input = [Integer];
    type Release = NoisyArgmax;
    type Error = ScoresError;

    fn on(&self, scores: &[Integer]) -> Result<NoisyArgmax, ScoresError> {
        self.candidates.counted(scores)?;
        Ok(NoisyArgmax { scores: scores.into(), noise: self.noise.clone() })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: that of every ε-private mechanism.
    fn domination(&self) -> Domination {
        dominated_by_a_response(self.epsilon.get(), self.guarantee.relation())
    }
}

/// The index of the largest noisy score.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoisyArgmax {
    scores: Arc<[Integer]>,
    noise: NoiseSampler,
}

opaque_debug!(NoisyArgmax);

impl Program for NoisyArgmax {
    /// How many scores were looked at, and the index and noisy score of the largest among them.
    type State = (usize, Option<(usize, Integer)>);
    type Output = usize;

    fn start(&self) -> Self::State {
        (0, None)
    }

    fn step<I: Interpreter>(&self, (seen, best): Self::State, on: &mut I) -> Step<Self, I> {
        let Some(score) = self.scores.get(seen) else {
            let (index, _) = best.ok_or_else(|| on.overflow())?;
            return Ok(ControlFlow::Break(index));
        };
        let noisy = score.add(&on.call(&self.noise)?);
        let best = match best {
            // Of equal ones the earlier stays.
            Some((index, largest)) if largest >= noisy => (index, largest),
            _ => (seen, noisy),
        };
        Ok(ControlFlow::Continue((seen.saturating_add(1), Some(best))))
    }
}
