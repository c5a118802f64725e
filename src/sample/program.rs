//! What a sampler is: a loop over an explicit state, written once and interpreted in several ways.
//!
//! A [`Program`] is plain data (its parameters) with a step: from a state, by drawing bits and calling other
//! programs, either on to another state or out with an output. That one loop is all the control flow there
//! is:
//!
//! * *retry* is a loop whose state is `()`: a rejected trial leaves nothing behind;
//! * *count* is a loop whose state is the count ([`Count`]);
//! * a lazy comparison is a loop whose state is the remainder still to be compared.
//!
//! A program does not know who runs it. An [`Interpreter`] does: [`Program::sample`] draws real bits; the
//! certifier of the audit layer replays every choice of a step and solves the loop exactly. Both see the same
//! code, because there is no other.
//!
//! # What a sampler may not do
//!
//! * *Remember.* A step is a function of the program's value, the state and the answers of the interpreter.
//!   Programs are
//!   `Ord + Sync + 'static` data without closures, so there is no place for a hidden cell unless one is built
//!   on purpose.
//! * *Draw elsewhere.* Its only randomness are the answers of the interpreter, which come from
//!   [`bits`](crate::bits).
//! * *Round, wrap or panic.* No float, no unchecked cast, no index, no `unwrap`, no `unsafe`: lints deny
//!   them. What does not fit
//!   a machine word goes on in big integers ([`Natural`](crate::exact::Natural)), on the same bits.
//! * *Know its callers.* It names `bits`, `exact` and this layer alone (`tests/layers.rs`).
//! * *Change its values*, the bits that it draws or what it makes of them, without saying so: `tests/frozen`,
//!   and for the
//!   reference samplers the model in `proofs/coq`.

use alloc::sync::Arc;
use core::ops::ControlFlow;

use crate::bits::{Bits, BitsError};

/// The outcome of one step: `Break` with the output, or `Continue` from another state.
pub type Step<P, I> = Result<ControlFlow<<P as Program>::Output, <P as Program>::State>, <I as Interpreter>::Error>;

/// A sampler: a loop of steps from [`start`](Self::start) until one of them breaks with an output.
pub trait Program: Clone + Ord + Send + Sync + 'static {
    /// What a step leaves for the next one.
    type State: Clone + Ord;

    /// What the sampler returns.
    type Output: Clone + Ord + 'static;

    /// The state before the first step.
    fn start(&self) -> Self::State;

    /// One step.
    ///
    /// # Errors
    ///
    /// Those of the interpreter, passed on.
    fn step<I: Interpreter>(&self, state: Self::State, on: &mut I) -> Step<Self, I>;

    /// What holds of the state before every step: the invariant by which `execute`'s loop is proven, whatever
    /// its number of rounds.
    #[cfg(kani)]
    fn invariant(&self, _: &Self::State) -> bool {
        true
    }

    /// Draws one sample.
    ///
    /// # Errors
    ///
    /// If the source fails; there is no output then.
    #[inline]
    fn sample<B: Bits + ?Sized>(&self, bits: &mut B) -> Result<Self::Output, BitsError> {
        bits.begin()?;
        execute(self, bits)
    }

    /// Draws `count` samples, as many at a time as is fastest: of the same distribution as
    /// [`sample`](Self::sample)'s, and not the same samples.
    ///
    /// # Errors
    ///
    /// If the source fails; no more samples are put then.
    fn bulk<B: Bits + ?Sized>(
        &self,
        bits: &mut B,
        count: u64,
        put: &mut dyn FnMut(Self::Output),
    ) -> Result<(), BitsError> {
        bits.begin()?;
        for _ in 0..count {
            put(execute(self, bits)?);
        }
        Ok(())
    }
}

/// A program that is shared is the program.
impl<P: Program> Program for Arc<P> {
    type State = P::State;
    type Output = P::Output;

    #[inline]
    fn start(&self) -> P::State {
        (**self).start()
    }

    #[inline]
    fn step<I: Interpreter>(&self, state: P::State, on: &mut I) -> Step<Self, I> {
        (**self).step(state, on)
    }

    #[cfg(kani)]
    fn invariant(&self, state: &P::State) -> bool {
        (**self).invariant(state)
    }

    fn bulk<B: Bits + ?Sized>(
        &self,
        bits: &mut B,
        count: u64,
        put: &mut dyn FnMut(P::Output),
    ) -> Result<(), BitsError> {
        (**self).bulk(bits, count, put)
    }
}

/// Who answers a program's questions.
pub trait Interpreter {
    /// Why a step stops without an outcome.
    type Error;

    /// `count` ≤ 64 fair bits, as [`Bits::take`] orders them.
    ///
    /// # Errors
    ///
    /// If there are none.
    fn bits(&mut self, count: u32) -> Result<u64, Self::Error>;

    /// The output of another program.
    ///
    /// # Errors
    ///
    /// If that program stops without one.
    fn call<P: Program>(&mut self, program: &P) -> Result<P::Output, Self::Error>;

    /// The error of a number that outgrew its word, as a loop's counter may: no output, rather than a wrong
    /// one.
    fn overflow(&mut self) -> Self::Error;
}

/// Runs a program on bits that were begun already: the loop, and nothing else. Not public, since whoever
/// forgot to begin would draw the same in a parent and its child; [`Program::sample`] begins.
#[inline]
pub(crate) fn execute<P: Program, B: Bits + ?Sized>(program: &P, bits: &mut B) -> Result<P::Output, BitsError> {
    let mut state = program.start();
    #[cfg_attr(kani, kani::loop_invariant(program.invariant(&state)))]
    loop {
        match program.step(state, &mut Execution { bits })? {
            ControlFlow::Break(output) => return Ok(output),
            ControlFlow::Continue(next) => state = next,
        }
    }
}

/// The interpreter that draws real bits.
pub struct Execution<'b, B: ?Sized> {
    /// Where the bits come from.
    pub bits: &'b mut B,
}

impl<B: Bits + ?Sized> Interpreter for Execution<'_, B> {
    type Error = BitsError;

    #[inline]
    fn bits(&mut self, count: u32) -> Result<u64, BitsError> {
        self.bits.take(count)
    }

    #[inline]
    fn call<P: Program>(&mut self, program: &P) -> Result<P::Output, BitsError> {
        execute(program, self.bits)
    }

    fn overflow(&mut self) -> BitsError {
        BitsError::Overflow
    }
}

/// How often a coin comes up true before it first comes up false: P(n) = pⁿ·(1−p) for a coin of probability p
/// < 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count<C>(pub C);

impl<C: Program<Output = bool>> Program for Count<C> {
    type State = u64;
    type Output = u64;

    #[inline]
    fn start(&self) -> u64 {
        0
    }

    #[inline]
    fn step<I: Interpreter>(&self, count: u64, on: &mut I) -> Step<Self, I> {
        if !on.call(&self.0)? {
            return Ok(ControlFlow::Break(count));
        }
        let next = count.checked_add(1).ok_or_else(|| on.overflow())?;
        Ok(ControlFlow::Continue(next))
    }
}

/// The same kernel at two widths: on machine words if its parameters fit, else on big integers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width<W, B> {
    /// The parameters fit a machine word.
    Word(W),
    /// They do not.
    Big(B),
}

impl<W: Program, B: Program<Output = W::Output>> Program for Width<W, B> {
    type State = ();
    type Output = W::Output;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let output = match self {
            Self::Word(kernel) => on.call(kernel)?,
            Self::Big(kernel) => on.call(kernel)?,
        };
        Ok(ControlFlow::Break(output))
    }
}

/// Makes a public sampler of a struct with a `kernel`: what the kernel draws is what it draws.
macro_rules! samples_its_kernel {
    ($sampler:ty, $output:ty) => {
        impl $crate::sample::Program for $sampler {
            type State = ();
            type Output = $output;

            #[inline]
            fn start(&self) {}

            #[inline]
            fn step<I: $crate::sample::Interpreter>(&self, (): (), on: &mut I) -> $crate::sample::Step<Self, I> {
                Ok(core::ops::ControlFlow::Break(on.call(&self.kernel)?))
            }
        }
    };
}
pub(crate) use samples_its_kernel;

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/program.rs"]
mod proofs;
