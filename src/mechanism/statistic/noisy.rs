//! Integers with independent discrete Laplace noise.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use crate::{
    exact::{Integer, Positive},
    mechanism::opaque_debug,
    sample::{Interpreter, Laplace, Program, Step},
};

/// One integer with noise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoisyInteger {
    value: Integer,
    noise: Laplace,
}

impl NoisyInteger {
    pub(super) fn new(value: Integer, scale: &Positive) -> Self {
        Self { value, noise: Laplace::new(scale) }
    }
}

impl Program for NoisyInteger {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(self.value.add(&on.call(&self.noise)?)))
    }
}

/// Several integers, each with fresh noise of its own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoisyVector {
    coordinates: Arc<[NoisyInteger]>,
}

opaque_debug!(NoisyInteger, NoisyVector);

impl FromIterator<NoisyInteger> for NoisyVector {
    fn from_iter<I: IntoIterator<Item = NoisyInteger>>(coordinates: I) -> Self {
        Self { coordinates: coordinates.into_iter().collect() }
    }
}

impl Program for NoisyVector {
    /// The coordinates drawn so far.
    type State = Vec<Integer>;
    type Output = Vec<Integer>;

    fn start(&self) -> Vec<Integer> {
        Vec::new()
    }

    fn step<I: Interpreter>(&self, mut drawn: Vec<Integer>, on: &mut I) -> Step<Self, I> {
        let Some(next) = self.coordinates.get(drawn.len()) else { return Ok(ControlFlow::Break(drawn)) };
        drawn.push(on.call(next)?);
        Ok(ControlFlow::Continue(drawn))
    }
}
