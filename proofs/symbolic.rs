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

/// Answers up to two draws by the top bits of words that are given, and no call: all that a step needs which only draws.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// What is drawn from, one after the other.
    pub(crate) words: [u64; 2],
    /// How many draws there were.
    pub(crate) draws: usize,
    /// How many bits were drawn.
    pub(crate) drawn: u32,
}

impl Words {
    pub(crate) fn new(words: [u64; 2]) -> Self {
        Self { words, draws: 0, drawn: 0 }
    }
}

impl Interpreter for Words {
    type Error = Refusal;

    fn bits(&mut self, count: u32) -> Result<u64, Refusal> {
        assert!(count <= 64, "no more than a word at once");
        let word = *self.words.get(self.draws).ok_or(Refusal::Bits)?;
        self.draws += 1;
        self.drawn += count;
        Ok(word.checked_shr(64 - count).unwrap_or(0))
    }

    fn call<Q: Program>(&mut self, _: &Q) -> Result<Q::Output, Refusal> {
        Err(Refusal::Unexpected)
    }

    fn overflow(&mut self) -> Refusal {
        Refusal::Overflow
    }
}

/// Answers calls by the type of what is asked for, one of two, and no draw; and remembers the last program of type `P`.
#[derive(Clone, Debug)]
pub(crate) struct Outputs<A, B, P> {
    first: A,
    second: B,
    /// The last `P` that was called.
    pub(crate) called: Option<P>,
    /// How many calls there were.
    pub(crate) calls: u32,
    /// How many bits were asked for.
    pub(crate) drawn: u32,
}

impl<A: Any, B: Any, P: Program> Outputs<A, B, P> {
    pub(crate) fn new(first: A, second: B) -> Self {
        Self { first, second, called: None, calls: 0, drawn: 0 }
    }
}

impl<A: Any, B: Any, P: Program> Interpreter for Outputs<A, B, P> {
    type Error = Refusal;

    fn bits(&mut self, count: u32) -> Result<u64, Refusal> {
        self.drawn += count;
        Err(Refusal::Bits)
    }

    fn call<Q: Program>(&mut self, program: &Q) -> Result<Q::Output, Refusal> {
        self.calls += 1;
        let program: &dyn Any = program;
        if let Some(program) = program.downcast_ref::<P>() {
            self.called = Some(program.clone());
        }
        let outputs: [&dyn Any; 2] = [&self.first, &self.second];
        let [first, second] = outputs.map(|output| output.downcast_ref::<Q::Output>());
        first.or(second).cloned().ok_or(Refusal::Unexpected)
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
