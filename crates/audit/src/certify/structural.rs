//! The structural interpreter: a program's distribution from its structure.
//!
//! One step of a program is a finite tree of choices (bits, and outputs of the programs it calls). The
//! interpreter runs the *shipped* step once for every path through that tree, replaying the path's choices,
//! and weighs where it ended. The loop around the step is then solved, not run: a state that returns to
//! itself with weight r is visited 1/(1 − r) times, and other states pass their weight on until nothing that
//! counts is left. A called program is solved once, by the same means, and remembered by all of its
//! parameters.
//!
//! What this assumes, beyond fair independent bits: that `execute` loops as [`Program`] says, and that a step
//! is a function of its program, its state and the interpreter's answers. The flat mode assumes neither, and
//! is compared with this one tape for tape.

use core::{
    any::{Any, TypeId},
    ops::ControlFlow,
};
use std::{boxed::Box, collections::BTreeMap, rc::Rc, vec::Vec};

use super::{
    CertifyError, Effort, Progress,
    interned::Interned,
    measure::{Measure, Weighing, Weight},
};
use certus::sample::{Interpreter, Program};

/// The most bits that one request may draw to be branched on: 2^14 branches.
const WIDEST_DRAW: u32 = 14;

/// How deep programs may call each other: one that calls itself is solved by nobody.
const DEEPEST_CALL: u32 = 100;

/// The most rounds that a loop may take before its weight is used up.
const MOST_ROUNDS: u32 = 1 << 20;

type Weighed<T> = Vec<(T, Weight)>;

/// Solves programs, and remembers those that it has solved.
pub(super) struct Solver<'p> {
    measure: Weighing,
    solved: BTreeMap<TypeId, Box<dyn Any>>,
    paths: u64,
    effort: Effort,
    calls: u32,
    progress: &'p mut Progress<'p>,
}

impl<'p> Solver<'p> {
    pub(super) fn new(measure: Weighing, progress: &'p mut Progress<'p>) -> Self {
        Self { measure, solved: BTreeMap::new(), paths: 0, effort: Effort::most(), calls: 0, progress }
    }

    /// With no more than this effort.
    pub(super) fn within(self, effort: &Effort) -> Self {
        Self { effort: effort.clone(), ..self }
    }

    /// The weight of every output of a program, in the order of the outputs.
    pub(super) fn distribution<P: Program>(&mut self, program: &P) -> Result<Rc<Weighed<P::Output>>, CertifyError> {
        // In ascending order. (A map would be compiled for every program, and takes longest of all.)
        type Table<P> = Vec<(P, Rc<Weighed<<P as Program>::Output>>)>;
        let find = |table: &Table<P>| table.binary_search_by(|(known, _)| known.cmp(program));
        if let Some(table) = self.solved.get(&TypeId::of::<P>()).and_then(|table| table.downcast_ref::<Table<P>>())
            && let Some((_, known)) = find(table).ok().and_then(|place| table.get(place))
        {
            return Ok(Rc::clone(known));
        }
        self.calls += 1;
        if self.calls > DEEPEST_CALL {
            return Err(CertifyError::Endless);
        }
        let outputs = Rc::new(self.solve(program)?);
        self.calls -= 1;
        let table = self.solved.entry(TypeId::of::<P>()).or_insert_with(|| Box::new(Table::<P>::new()));
        if let Some(table) = table.downcast_mut::<Table<P>>()
            && let Err(place) = find(table)
        {
            table.insert(place, (program.clone(), Rc::clone(&outputs)));
        }
        Ok(outputs)
    }

    /// Solves a program, its states and outputs interned: only its step is compiled for it.
    fn solve<P: Program>(&mut self, program: &P) -> Result<Weighed<P::Output>, CertifyError> {
        let (mut states, mut outputs) = (Interned::of(program.start()), Interned::default());
        let weights = self.solve_loop(&mut |state, explorer| {
            let state = states.get(state).cloned().ok_or(Stop::Failed(CertifyError::Endless))?;
            Ok(match program.step(state, explorer)? {
                ControlFlow::Break(output) => ControlFlow::Break(outputs.number(output)),
                ControlFlow::Continue(next) => ControlFlow::Continue(states.number(next)),
            })
        })?;
        Ok(outputs.in_order(weights))
    }

    /// Solves the loop of steps from state 0: follows the weight of each state, round by round, until it has
    /// all left or counts for nothing.
    fn solve_loop(&mut self, step: &mut NumberedStep<'_>) -> Result<Weights, CertifyError> {
        let mut outputs = Weights::new();
        let mut states = Weights::from([(0, self.measure.one())]);
        let mut rounds = 0;
        while !states.is_empty() {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                return Err(CertifyError::Endless);
            }
            let mut next = Weights::new();
            for (state, weight) in states {
                let (done, mut onward) = self.step(step, state)?;
                let visits = match onward.remove(&state) {
                    Some(again) => self.measure.repeated(&weight, &again).ok_or(CertifyError::Endless)?,
                    None => weight,
                };
                self.pass_on(&mut outputs, &visits, done)?;
                self.pass_on(&mut next, &visits, onward)?;
            }
            states = next;
        }
        Ok(outputs)
    }

    /// Adds visits·weight to the sum of each number.
    fn pass_on(&self, sums: &mut Weights, visits: &Weight, weights: Weights) -> Result<(), CertifyError> {
        for (number, weight) in weights {
            let weight = self.measure.followed_by(visits, &weight);
            if !self.measure.is_zero(&weight) {
                self.measure.add(sums.entry(number).or_insert_with(|| self.measure.zero()), &weight);
            }
        }
        self.effort.check_outputs(sums.len())
    }

    /// The weights of all outcomes of one step: outputs, and states to go on from.
    fn step(&mut self, step: &mut NumberedStep<'_>, state: usize) -> Result<(Weights, Weights), CertifyError> {
        let (mut done, mut onward) = (Weights::new(), Weights::new());
        let mut path = Path::default();
        loop {
            self.paths += 1;
            // A path may take milliseconds, and the clock some 30 ns.
            if self.paths.is_multiple_of(64) {
                self.effort.check_time()?;
            }
            if self.paths.is_multiple_of(4096) {
                (self.progress)(self.paths);
            }
            let weight = self.measure.one();
            path.position = 0;
            let mut explorer = Explorer { solver: self, path: &mut path, weight };
            let outcome = step(state, &mut explorer);
            let weight = explorer.weight;
            let (weights, number) = match outcome {
                Ok(ControlFlow::Break(output)) => (Some(&mut done), output),
                Ok(ControlFlow::Continue(next)) => (Some(&mut onward), next),
                Err(Stop::Negligible) => (None, 0),
                Err(Stop::Failed(error)) => return Err(error),
            };
            if let Some(weights) = weights {
                self.measure.add(weights.entry(number).or_insert_with(|| self.measure.zero()), &weight);
            }
            if !path.advance() {
                return Ok((done, onward));
            }
        }
    }
}

/// Weights by the number of an output or a state.
type Weights = BTreeMap<usize, Weight>;

/// A program's step, from a state's number to that of an output or of the next state.
type NumberedStep<'s> = dyn FnMut(usize, &mut Explorer<'_, '_>) -> Result<ControlFlow<usize, usize>, Stop> + 's;

/// Why a path ends before its step does.
enum Stop {
    /// Too little weight is left to be followed; it stays unresolved.
    Negligible,
    /// The certificate cannot be made.
    Failed(CertifyError),
}

/// The choices of one path through a step's tree, in the order in which the step makes them: depth first, as
/// an odometer.
#[derive(Default)]
struct Path {
    /// Each choice made, and the number of alternatives there.
    choices: Vec<(usize, usize)>,
    position: usize,
}

impl Path {
    /// The alternative to take at the next choice: the one to be replayed, or the first.
    fn choose(&mut self, alternatives: usize) -> usize {
        let choice = match self.choices.get(self.position) {
            Some(&(choice, _)) => choice,
            None => {
                self.choices.push((0, alternatives));
                0
            }
        };
        self.position += 1;
        choice
    }

    /// On to the next path; false when this was the last.
    fn advance(&mut self) -> bool {
        self.choices.truncate(self.position);
        while let Some((choice, alternatives)) = self.choices.pop() {
            if choice + 1 < alternatives {
                self.choices.push((choice + 1, alternatives));
                return true;
            }
        }
        false
    }
}

/// The interpreter that follows one path.
struct Explorer<'s, 'p> {
    solver: &'s mut Solver<'p>,
    path: &'s mut Path,
    weight: Weight,
}

impl Explorer<'_, '_> {
    fn continue_with(&mut self, weight: Weight) -> Result<(), Stop> {
        if self.solver.measure.is_zero(&weight) {
            return Err(Stop::Negligible);
        }
        self.weight = weight;
        Ok(())
    }
}

impl Interpreter for Explorer<'_, '_> {
    type Error = Stop;

    fn bits(&mut self, count: u32) -> Result<u64, Stop> {
        if count > WIDEST_DRAW {
            return Err(Stop::Failed(CertifyError::TooManyOutputs));
        }
        let weight = self.solver.measure.followed_by_bits(&self.weight, count);
        // All alternatives weigh the same: one that is negligible stands for all of them, and makes no
        // choice.
        self.continue_with(weight)?;
        let choice = self.path.choose(1 << count);
        u64::try_from(choice).map_err(|_| Stop::Failed(CertifyError::TooManyOutputs))
    }

    fn call<P: Program>(&mut self, program: &P) -> Result<P::Output, Stop> {
        let outputs = self.solver.distribution(program).map_err(Stop::Failed)?;
        let choice = self.path.choose(outputs.len());
        // No output at all: the whole path is negligible.
        let (output, weight) = outputs.get(choice).ok_or(Stop::Negligible)?;
        let weight = self.solver.measure.followed_by(&self.weight, weight);
        self.continue_with(weight)?;
        Ok(output.clone())
    }

    fn overflow(&mut self) -> Stop {
        Stop::Negligible
    }
}
