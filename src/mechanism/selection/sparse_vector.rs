//! Above threshold, and the sparse vector technique.

use alloc::{sync::Arc, vec::Vec};
use core::{convert::Infallible, ops::ControlFlow};

use super::{NoiseSampler, SelectionNoise, dominated_by_a_response, reaches};
use crate::{
    bits::{Bits, BitsError, Process},
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Domination, Guarantee, GuaranteeError, LInfinity, Sensitivity},
    mechanism::{Private, opaque_debug},
    sample::{Interpreter, Program, Step},
};

/// Why a sparse vector is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// No query may pass.
    #[error("the number of queries that may pass must be at least 1")]
    NonePass,
    /// The sensitivity is 0.
    #[error("the sensitivity of a query must be positive (> 0)")]
    Sensitivity,
    /// The guarantee is none.
    #[error(transparent)]
    Guarantee(#[from] GuaranteeError),
}

/// Why a [`Stream`] does not answer a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The source of randomness failed.
    #[error(transparent)]
    Bits(#[from] BitsError),
    /// Another process began the stream.
    #[error("another process began this stream of queries: a copy that a fork made is not asked")]
    Forked,
}

/// The sparse vector technique: for each of a stream of integer queries, whether it passes a threshold; it
/// ends with the c-th that does.
///
/// Lyu, Su and Li 2017, Algorithm 1 (the threshold's noise is drawn once) with discrete noise: T̂ = T +
/// Lap(Δ/ε₁), and query i passes iff qᵢ + Lap(2cΔ/ε₂) ≥ T̂, with cΔ/ε₂ for monotone queries. c = 1 is *above
/// threshold*. The noise may be one-sided ([`SelectionNoise::Geometric`]).
///
/// # Guarantee
///
/// Pure ε₁ + ε₂, however many queries do not pass, and whichever are chosen after seeing the answers before.
/// Given T̂ = z the answers are independent. For a neighbour pair z with z + Δ, which costs e^(ε₁) at most
/// (and the noise never needs to fall, so that one-sided noise will do). Then a query that did not pass is at
/// least as likely not to pass: q′ − (z + Δ) ≤ q − z. And one that did passes if its noise is higher by at
/// most 2Δ, which costs e^(ε₂/c), at most c times. For monotone queries that rose, its noise need be higher
/// by Δ − (q′ − q) ≤ Δ; for those that fell, pair z with z, and then by q − q′ ≤ Δ (their Theorem 5). Not
/// claimed to be tight, for finitely many queries.
///
/// What is *not* the sparse vector, and not private: no noise on the threshold or on the queries, noise not
/// in proportion to c, answers without end, or the noisy query that passed as an answer (Lyu, Su and Li's
/// Algorithms 3 to 6). For answers, see [`NumericSparseVector`](super::NumericSparseVector).
///
/// ```
/// use certus::{bits::seeded, exact::{Integer, NonNegative, Positive, Rational}, guarantee::{LInfinity, Relation, Sensitivity}};
/// use certus::mechanism::{Private, selection::{SelectionNoise, SparseVector}};
///
/// let half = Positive::new(Rational::new(1.into(), 2.into()))?;
/// let sensitivity = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
/// let mechanism = SparseVector::new(&sensitivity, 100.into(), 1, &half, &half, SelectionNoise::Laplace)?;
/// let queries = [-900, 0, 2000, 2000].map(|query: i64| Integer::from(query));
/// assert_eq!(mechanism.release(&queries, &mut seeded([0; 32]))?.get(), &[false, false, true]);
///
/// // One query at a time, each chosen after the answers so far.
/// let mut bits = seeded([0; 32]);
/// let mut stream = mechanism.stream(&mut bits)?;
/// assert_eq!(stream.ask(&Integer::from(-900), &mut bits)?, Some(false));
/// assert_eq!(stream.ask(&Integer::from(2000), &mut bits)?, Some(true));
/// assert_eq!(stream.ask(&Integer::from(2000), &mut bits)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseVector {
    sensitivity: Positive,
    threshold: Integer,
    /// Invariant: c ≥ 1.
    passes: u64,
    epsilons: (Positive, Positive),
    noise: SelectionNoise,
    monotone: bool,
    guarantee: Guarantee,
}

impl SparseVector {
    /// Queries of this sensitivity, against this threshold, until `passes` have passed; ε₁ for the threshold
    /// and ε₂ for the queries.
    ///
    /// # Errors
    ///
    /// If none may pass, or the sensitivity is 0.
    pub fn new(
        sensitivity: &Sensitivity<LInfinity>,
        threshold: Integer,
        passes: u64,
        epsilon_threshold: &Positive,
        epsilon_queries: &Positive,
        noise: SelectionNoise,
    ) -> Result<Self, ThresholdError> {
        if passes == 0 {
            return Err(ThresholdError::NonePass);
        }
        let relation = sensitivity.relation();
        let sensitivity = Positive::new(sensitivity.get().clone()).map_err(|_| ThresholdError::Sensitivity)?;
        let guarantee = Guarantee::pure(relation, Real::from(epsilon_threshold.get() + epsilon_queries.get()))?;
        let epsilons = (epsilon_threshold.clone(), epsilon_queries.clone());
        Ok(Self { sensitivity, threshold, passes, epsilons, noise, monotone: false, guarantee })
    }

    /// Between any two neighbours all queries move the same way: half the noise. The caller vouches for it.
    #[must_use]
    pub fn monotone(self) -> Self {
        Self { monotone: true, ..self }
    }

    /// ε₁ + ε₂.
    pub(super) fn epsilon(&self) -> Rational {
        self.epsilons.0.get() + self.epsilons.1.get()
    }

    /// c·Δ/ε. Products and quotients of positive numbers are positive: this never falls back, nor do the next
    /// two.
    pub(super) fn scale_of_passes(&self, epsilon: &Positive) -> Positive {
        let scale = self.sensitivity.get() * Rational::from_integer(self.passes.into()) / epsilon.get();
        Positive::new(scale).unwrap_or_else(|_| epsilon.clone())
    }

    fn threshold_noise(&self) -> NoiseSampler {
        let scale = Positive::new(self.sensitivity.get() / self.epsilons.0.get());
        self.noise.at(&scale.unwrap_or_else(|_| self.sensitivity.clone()))
    }

    fn query_noise(&self) -> NoiseSampler {
        let one_way = self.scale_of_passes(&self.epsilons.1);
        let sides: i64 = if self.monotone { 1 } else { 2 };
        let scale = Positive::new(one_way.get() * Rational::from_integer(sides.into()));
        self.noise.at(&scale.unwrap_or(one_way))
    }

    /// The release on these queries.
    pub(super) fn answers(&self, queries: &[Integer]) -> SparseAnswers {
        SparseAnswers {
            queries: queries.into(),
            threshold: self.threshold.clone(),
            passes: self.passes,
            threshold_noise: self.threshold_noise(),
            query_noise: self.query_noise(),
        }
    }

    /// Begins a stream of queries, each of which may be chosen after the answers so far. The whole guarantee
    /// is spent here, and nothing more by asking.
    ///
    /// # Errors
    ///
    /// If the source of bits fails.
    pub fn stream<B: Bits + ?Sized>(&self, bits: &mut B) -> Result<Stream, BitsError> {
        let threshold = self.threshold.add(&self.threshold_noise().sample(bits)?);
        Ok(Stream { threshold, noise: self.query_noise(), left: self.passes, process: Process::this() })
    }
}

impl Private for SparseVector {
    type Input = [Integer];
    type Release = SparseAnswers;
    type Error = Infallible;

    fn on(&self, queries: &[Integer]) -> Result<SparseAnswers, Infallible> {
        Ok(self.answers(queries))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: that of every ε-private mechanism.
    fn domination(&self) -> Domination {
        dominated_by_a_response(&self.epsilon(), self.guarantee.relation())
    }
}

/// A stream of queries against one noisy threshold, which stays secret. It cannot be cloned: a copy would let
/// more pass than was paid for.
///
/// **Fork.** A fork does copy it. So a stream is asked by the process that began it alone: where the process
/// id is another one, [`ask`](Self::ask) refuses, and whoever forks has to hand the stream to one of the two
/// processes beforehand.
pub struct Stream {
    threshold: Integer,
    noise: NoiseSampler,
    left: u64,
    process: Process,
}

impl core::fmt::Debug for Stream {
    /// Without the threshold: it must not be seen.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Stream").field("left", &self.left).finish_non_exhaustive()
    }
}

impl Stream {
    /// Whether a query passes; nothing after the last that may.
    ///
    /// # Errors
    ///
    /// If the source of bits fails, or a fork has copied the stream into this process. Nothing is spent then.
    pub fn ask<B: Bits + ?Sized>(&mut self, query: &Integer, bits: &mut B) -> Result<Option<bool>, AskError> {
        if !self.process.is_this() {
            return Err(AskError::Forked);
        }
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        let passes = Comparison { query: query.clone(), threshold: self.threshold.clone(), noise: self.noise.clone() };
        let passes = passes.sample(bits)?;
        if passes {
            self.left = left;
        }
        Ok(Some(passes))
    }
}

/// Whether a query with noise is at least a threshold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comparison {
    query: Integer,
    threshold: Integer,
    noise: NoiseSampler,
}

impl Program for Comparison {
    type State = ();
    type Output = bool;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(reaches(&self.query.add(&on.call(&self.noise)?), &self.threshold)))
    }
}

/// Which queries pass, up to the last that may.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SparseAnswers {
    queries: Arc<[Integer]>,
    threshold: Integer,
    passes: u64,
    threshold_noise: NoiseSampler,
    query_noise: NoiseSampler,
}

opaque_debug!(Comparison, SparseAnswers);

impl SparseAnswers {
    /// The noisy threshold.
    pub(super) fn draw_threshold<I: Interpreter>(&self, on: &mut I) -> Result<Integer, I::Error> {
        Ok(self.threshold.add(&on.call(&self.threshold_noise)?))
    }

    /// The next query after so many answers, of which so many passed; nothing if there is none or none is
    /// left to pass.
    pub(super) fn next(&self, answered: usize, passed: usize) -> Option<&Integer> {
        let left = u64::try_from(passed).is_ok_and(|passed| passed < self.passes);
        self.queries.get(answered).filter(|_| left)
    }

    /// Whether a query passes a noisy threshold.
    pub(super) fn passes<I: Interpreter>(
        &self,
        query: &Integer,
        threshold: &Integer,
        on: &mut I,
    ) -> Result<bool, I::Error> {
        let noise = self.query_noise.clone();
        on.call(&Comparison { query: query.clone(), threshold: threshold.clone(), noise })
    }
}

impl Program for SparseAnswers {
    /// The noisy threshold once it is drawn, and the answers so far.
    type State = (Option<Integer>, Vec<bool>);
    type Output = Vec<bool>;

    fn start(&self) -> Self::State {
        (None, Vec::new())
    }

    fn step<I: Interpreter>(&self, (threshold, mut answers): Self::State, on: &mut I) -> Step<Self, I> {
        let Some(threshold) = threshold else {
            return Ok(ControlFlow::Continue((Some(self.draw_threshold(on)?), answers)));
        };
        let passed = answers.iter().filter(|passed| **passed).count();
        let Some(query) = self.next(answers.len(), passed) else { return Ok(ControlFlow::Break(answers)) };
        answers.push(self.passes(query, &threshold, on)?);
        Ok(ControlFlow::Continue((Some(threshold), answers)))
    }
}
