//! What the proofs run on: bits that may be anything, and an interpreter that answers one step and remembers what it was asked.
//!
//! A property is a function of plain inputs that asserts. A harness (`verify_…`) calls it with `kani::any()`, a test calls it with every
//! byte or with the words that proptest draws, and a control (`refute_…`) calls it with a planted bug, which Kani and the test must see.

use core::any::Any;

use crate::sample::{Interpreter, Program};

/// Why a step got no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The source failed.
    Bits,
    /// The program that was called failed.
    Call,
    /// A number outgrew its word.
    Overflow,
    /// A program was called that should not have been.
    Unexpected,
}

/// Answers one step: bits from a tape, and the output of programs of one type.
#[derive(Clone, Debug)]
pub(crate) struct Answers<P: Program> {
    /// The tape, its first bit the most significant.
    pub(crate) tape: u128,
    /// How many bits the tape has; then the source fails.
    pub(crate) length: u32,
    /// How many bits were drawn.
    pub(crate) drawn: u32,
    /// The output of whatever `P` is called; none: the call fails.
    pub(crate) output: Option<P::Output>,
    /// The last `P` that was called.
    pub(crate) called: Option<P>,
    /// How many calls there were.
    pub(crate) calls: u32,
}

impl<P: Program> Answers<P> {
    /// A source that fails, and calls that fail.
    pub(crate) fn none() -> Self {
        Self { tape: 0, length: 0, drawn: 0, output: None, called: None, calls: 0 }
    }

    /// Bits from a tape of 128.
    pub(crate) fn tape(tape: u128) -> Self {
        Self { tape, length: 128, ..Self::none() }
    }

    /// Calls that have this output.
    pub(crate) fn output(output: P::Output) -> Self {
        Self { output: Some(output), ..Self::none() }
    }
}

impl<P: Program> Interpreter for Answers<P> {
    type Error = Refusal;

    fn bits(&mut self, count: u32) -> Result<u64, Refusal> {
        assert!(count <= 64, "no more than a word at once");
        if count > self.length - self.drawn {
            return Err(Refusal::Bits);
        }
        let taken = self.tape.checked_shr(128 - count).unwrap_or(0);
        self.tape = self.tape.checked_shl(count).unwrap_or(0);
        self.drawn += count;
        u64::try_from(taken).map_err(|_| Refusal::Bits)
    }

    fn call<Q: Program>(&mut self, program: &Q) -> Result<Q::Output, Refusal> {
        self.calls += 1;
        let program: &dyn Any = program;
        self.called = Some(program.downcast_ref::<P>().ok_or(Refusal::Unexpected)?.clone());
        let output: &dyn Any = self.output.as_ref().ok_or(Refusal::Call)?;
        output.downcast_ref::<Q::Output>().cloned().ok_or(Refusal::Unexpected)
    }

    fn overflow(&mut self) -> Refusal {
        Refusal::Overflow
    }
}

/// Bits that may be anything, from a source that may fail at any time. It has no state, so a loop over it has none but its own.
#[cfg(kani)]
pub(crate) struct Symbolic;

#[cfg(kani)]
impl crate::bits::Bits for Symbolic {
    fn take(&mut self, count: u32) -> Result<u64, crate::bits::BitsError> {
        if kani::any() {
            return Err(crate::bits::BitsError::Source);
        }
        if count > 64 {
            return Err(crate::bits::BitsError::TooManyAtOnce);
        }
        let word: u64 = kani::any();
        Ok(word.checked_shr(64 - count).unwrap_or(0))
    }
}
