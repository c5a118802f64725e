//! What a release runs: noise added to an answer, to each coordinate of a vector, or conditioned on a bound.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use num_bigint::BigUint;

use crate::{
    bits::{Bits, BitsError},
    exact::Integer,
    mechanism::opaque_debug,
    sample::{Interpreter, Program, Step},
};

/// answer + noise, widened and never wrapped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Noisy<N> {
    answer: Integer,
    noise: N,
}

impl<N: Program<Output = Integer>> Noisy<N> {
    /// The answer plus the noise.
    #[must_use]
    pub fn new(answer: Integer, noise: N) -> Self {
        Self { answer, noise }
    }
}

impl<N: Program<Output = Integer>> Program for Noisy<N> {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(self.answer.add(&on.call(&self.noise)?)))
    }

    fn bulk<B: Bits + ?Sized>(&self, bits: &mut B, count: u64, put: &mut dyn FnMut(Integer)) -> Result<(), BitsError> {
        self.noise.bulk(bits, count, &mut |noise| put(self.answer.add(&noise)))
    }
}

/// Each answer plus noise of its own, one coordinate a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoisyVector<N> {
    answers: Arc<[Integer]>,
    noise: N,
}

opaque_debug!(Noisy<N>, NoisyVector<N>);

impl<N: Program<Output = Integer>> NoisyVector<N> {
    /// Each answer plus fresh noise.
    #[must_use]
    pub fn new(answers: &[Integer], noise: N) -> Self {
        Self { answers: answers.into(), noise }
    }
}

impl<N: Program<Output = Integer>> Program for NoisyVector<N> {
    /// The coordinates that are done.
    type State = Vec<Integer>;
    type Output = Vec<Integer>;

    fn start(&self) -> Vec<Integer> {
        Vec::new()
    }

    fn step<I: Interpreter>(&self, mut done: Vec<Integer>, on: &mut I) -> Step<Self, I> {
        let Some(answer) = self.answers.get(done.len()) else { return Ok(ControlFlow::Break(done)) };
        done.push(answer.add(&on.call(&self.noise)?));
        Ok(ControlFlow::Continue(done))
    }
}

/// Noise conditioned on |noise| ≤ bound: drawn again until it is, which takes 1/P(|noise| ≤ bound) draws on
/// average, and as long as whoever makes it says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Within<N> {
    bound: BigUint,
    noise: N,
}

impl<N: Program<Output = Integer>> Within<N> {
    /// The noise, given that its magnitude is at most the bound.
    #[must_use]
    pub fn new(bound: BigUint, noise: N) -> Self {
        Self { bound, noise }
    }
}

impl<N: Program<Output = Integer>> Program for Within<N> {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let noise = on.call(&self.noise)?;
        let accepted = noise.magnitude() <= self.bound;
        Ok(if accepted { ControlFlow::Break(noise) } else { ControlFlow::Continue(()) })
    }
}
