//! Any integer mechanism on a rational grid.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::Grid;
use crate::{
    exact::{Integer, Rational},
    guarantee::{Attained, Domination, Guarantee},
    mechanism::{Private, SamplerError, opaque_debug},
    sample::{Interpreter, Program, Sampler, Step},
};

/// A rational answer, rounded to a grid; an integer mechanism on the number of steps; the output a multiple
/// of g.
///
/// The mechanism must be built for the sensitivity of the *rounded* answers: [`Grid::scalar`]. Multiplying by
/// g afterwards is post-processing, so its guarantee and its pairs are this mechanism's.
///
/// ```
/// use certus::{
///     exact::{NonNegative, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::{Grid, LaplaceMechanism, OnGrid, Rounding}},
/// };
///
/// // (⌈100·s⌉ + Geo(4))/100 for a sum s of sensitivity 1: ε = 100/4.
/// let grid = Grid::new(&Rational::new(1.into(), 100.into()), Rounding::Up)?;
/// let steps = grid.scalar(&Sensitivity::<L1>::new(NonNegative::one(), Relation::ChangeOne));
/// let mechanism = OnGrid::new(grid, LaplaceMechanism::with_scale(&steps, &Rational::from_integer(4.into()))?);
/// assert_eq!(mechanism.guarantee().to_string(), "pure, epsilon = 25; neighbours: change one");
/// # Ok::<(), certus::mechanism::additive::AdditiveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct OnGrid<M> {
    grid: Grid,
    mechanism: M,
}

impl<M: Private<Input = Integer>> OnGrid<M> {
    /// A mechanism, built for the sensitivity of rounded answers, on a grid.
    #[must_use]
    pub fn new(grid: Grid, mechanism: M) -> Self {
        Self { grid, mechanism }
    }
}

impl<M> OnGrid<M> {
    /// The grid.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The mechanism on the number of steps.
    #[must_use]
    pub fn mechanism(&self) -> &M {
        &self.mechanism
    }
}

impl<M: Private<Input = Integer>> Private for OnGrid<M>
where
    <M::Release as Program>::Output: Steps,
{
    type Input = Rational;
    type Release = Scaled<M::Release>;
    type Error = M::Error;

    fn on(&self, input: &Rational) -> Result<Scaled<M::Release>, M::Error> {
        let steps = self.mechanism.on(&self.grid.round(input))?;
        Ok(Scaled { grid: self.grid.clone(), steps })
    }

    fn guarantee(&self) -> Guarantee {
        self.mechanism.guarantee()
    }

    fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError> {
        Ok(Self { mechanism: self.mechanism.with_sampler(sampler)?, ..self })
    }

    fn sampler(&self) -> &'static str {
        self.mechanism.sampler()
    }

    /// Attained where the mechanism's are: every number of steps is that of some answer, and ⌈Δ/g⌉ steps
    /// apart are answers of Δ ([`Grid::scalar`]); times g, outputs that differ still do.
    fn domination(&self) -> Domination {
        self.mechanism.domination()
    }
}

/// A vector of rational answers, each rounded to a grid; an integer mechanism on the numbers of steps.
///
/// The mechanism must be built for the sensitivity of the *rounded* answers: [`Grid::l1`] or
/// [`Grid::l2_squared`], with the number of coordinates that one person changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct OnGridVector<M> {
    grid: Grid,
    mechanism: M,
}

impl<M: Private<Input = [Integer]>> OnGridVector<M> {
    /// A mechanism, built for the sensitivity of rounded answers, on a grid.
    #[must_use]
    pub fn new(grid: Grid, mechanism: M) -> Self {
        Self { grid, mechanism }
    }
}

impl<M> OnGridVector<M> {
    /// The grid.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The mechanism on the numbers of steps.
    #[must_use]
    pub fn mechanism(&self) -> &M {
        &self.mechanism
    }
}

impl<M: Private<Input = [Integer]>> Private for OnGridVector<M>
where
    <M::Release as Program>::Output: Steps,
{
    type Input = [Rational];
    type Release = Scaled<M::Release>;
    type Error = M::Error;

    fn on(&self, input: &[Rational]) -> Result<Scaled<M::Release>, M::Error> {
        let steps: Vec<Integer> = input.iter().map(|answer| self.grid.round(answer)).collect();
        Ok(Scaled { grid: self.grid.clone(), steps: self.mechanism.on(&steps)? })
    }

    fn guarantee(&self) -> Guarantee {
        self.mechanism.guarantee()
    }

    fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError> {
        Ok(Self { mechanism: self.mechanism.with_sampler(sampler)?, ..self })
    }

    fn sampler(&self) -> &'static str {
        self.mechanism.sampler()
    }

    /// Not known to be attained: the sensitivity of rounded vectors ([`Grid::l1`], [`Grid::l2_squared`])
    /// allows for every coordinate's rounding, and no difference need have all of it in one coordinate, where
    /// the pair of a vector has it.
    fn domination(&self) -> Domination {
        self.mechanism.domination().attained(Attained::Unknown)
    }
}

mod steps {
    use super::{Grid, Integer, Rational, Vec};

    /// A number of steps, or a vector of them.
    pub trait Steps {
        /// The multiple of g, or the vector of them.
        type Multiple: Clone + Ord + 'static;
        /// Times g.
        fn times(&self, grid: &Grid) -> Self::Multiple;
    }

    impl Steps for Integer {
        type Multiple = Rational;
        fn times(&self, grid: &Grid) -> Rational {
            grid.multiple(self)
        }
    }

    impl Steps for Vec<Integer> {
        type Multiple = Vec<Rational>;
        fn times(&self, grid: &Grid) -> Vec<Rational> {
            self.iter().map(|k| grid.multiple(k)).collect()
        }
    }
}
use steps::Steps;

/// What a program draws, times g.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scaled<P> {
    grid: Grid,
    steps: P,
}

opaque_debug!(Scaled<P>);

impl<P: Program<Output: Steps>> Program for Scaled<P> {
    type State = ();
    type Output = <P::Output as Steps>::Multiple;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(on.call(&self.steps)?.times(&self.grid)))
    }
}
