//! What an account answers: an enclosure, and how it was found.

use std::ffi::c_char;

use core_certus::{
    account,
    exact::{Rational, render},
};

use crate::{
    border::{self, Out},
    float::{at_least, at_most},
    handle::{AnswerHandle, find, free},
    status::{Failure, Status, status},
};

/// The lower bound of an answer: an exact fraction.
pub const CERTUS_LOWER: i32 = 1;
/// The upper bound of an answer: an exact fraction.
pub const CERTUS_UPPER: i32 = 2;
/// The method that found an answer.
pub const CERTUS_METHOD: i32 = 3;

/// What an account answers.
pub(crate) struct Answer {
    lower: Rational,
    upper: Rational,
    method: String,
    is_narrow: bool,
    is_attained: bool,
}

impl Answer {
    /// The answer to a question about a plan.
    pub(crate) fn new(found: &account::Answer, plan: &account::Plan) -> Self {
        Self {
            lower: found.enclosure.lower(),
            upper: found.enclosure.upper(),
            method: found.method.to_string(),
            is_narrow: found.is_narrow,
            is_attained: found.is_attained(plan),
        }
    }
}

/// The bounds as doubles, rounded outward: the truth is from lower to upper.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_answer_bounds(answer: AnswerHandle, lower: *mut f64, upper: *mut f64) -> Status {
    status(|| {
        // SAFETY: the caller's contract.
        let (lower, upper) = unsafe { (Out::new(lower, "lower")?, Out::new(upper, "upper")?) };
        let answer = find(answer)?;
        lower.put(at_most(&answer.lower));
        upper.put(at_least(&answer.upper));
        Ok(())
    })
}

/// CERTUS_LOWER, CERTUS_UPPER or CERTUS_METHOD of an answer, into a buffer as certus_text_read.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_answer_text(
    answer: AnswerHandle,
    field: i32,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    status(|| {
        let answer = find(answer)?;
        let text = match field {
            CERTUS_LOWER => render(&answer.lower),
            CERTUS_UPPER => render(&answer.upper),
            CERTUS_METHOD => answer.method.clone(),
            _ => return Err(Failure::argument("field", "must be CERTUS_LOWER, CERTUS_UPPER or CERTUS_METHOD")),
        };
        // SAFETY: the caller's contract.
        unsafe { border::give(&text, buffer, capacity, needed) }
    })
}

/// Whether an answer is as narrow as its digits ask, and whether its lower bound is the mechanisms' own, too
/// (otherwise only the upper one says something of them): 1 or 0.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_answer_is(answer: AnswerHandle, narrow: *mut i32, attained: *mut i32) -> Status {
    status(|| {
        // SAFETY: the caller's contract.
        let (narrow, attained) = unsafe { (Out::new(narrow, "narrow")?, Out::new(attained, "attained")?) };
        let answer = find(answer)?;
        narrow.put(answer.is_narrow.into());
        attained.put(answer.is_attained.into());
        Ok(())
    })
}

/// Frees an answer.
#[unsafe(no_mangle)]
pub extern "C" fn certus_answer_free(answer: AnswerHandle) -> Status {
    free(answer)
}
