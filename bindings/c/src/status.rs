//! What a function returns: 0, or the number of an error, of which the thread keeps a text.

use std::{
    cell::RefCell,
    ffi::{CStr, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
};

use core_certus::{
    account::AccountError,
    bits::BitsError,
    guarantee::{DebitError, GuaranteeError},
};

use crate::border;

/// What every function returns: CERTUS_OK, or one of the errors that follow.
pub type Status = i32;

/// The call did what it says.
pub const CERTUS_OK: Status = 0;
/// A handle is null, was freed, is of another kind, or was never made.
pub const CERTUS_BAD_HANDLE: Status = 1;
/// A pointer is NULL where it must not be.
pub const CERTUS_NULL: Status = 2;
/// A pointer is not aligned for what it points to.
pub const CERTUS_MISALIGNED: Status = 3;
/// A text is not UTF-8.
pub const CERTUS_BAD_UTF8: Status = 4;
/// A text has more than CERTUS_MOST_TEXT bytes, or a length is more than memory can hold.
pub const CERTUS_TOO_LONG: Status = 5;
/// A buffer is too short for a text; nothing is lost, and `needed` says how long it must be.
pub const CERTUS_SHORT_BUFFER: Status = 6;
/// A parameter is refused: a number, a spec, a constant.
pub const CERTUS_BAD_ARGUMENT: Status = 7;
/// The data are not an input of the mechanism.
pub const CERTUS_BAD_INPUT: Status = 8;
/// A sample, or a value with its noise, does not fit 64 bits.
pub const CERTUS_OVERFLOW: Status = 9;
/// The budget does not suffice; nothing was spent, and nothing was drawn.
pub const CERTUS_BUDGET: Status = 10;
/// A cost is of another kind, or for other neighbours, than the budget counts.
pub const CERTUS_BAD_COST: Status = 11;
/// A fork copied this budget: it is spent, and saved, by the process that made it alone.
pub const CERTUS_FORKED: Status = 12;
/// The operating system gave no randomness.
pub const CERTUS_RANDOMNESS: Status = 13;
/// There is not enough memory.
pub const CERTUS_MEMORY: Status = 14;
/// There is no answer to the question: no epsilon suffices, or none is found within bounds.
pub const CERTUS_NO_ANSWER: Status = 15;
/// A bug of this library; what was asked for was not done, but a budget may have paid for it.
pub const CERTUS_INTERNAL: Status = 16;

/// A buffer of so many bytes takes every error's text.
pub const CERTUS_ERROR_BYTES: usize = 1024;

/// Why a call did not do what it says. The text depends on public parameters alone.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// A refusal that names the argument.
    pub(crate) fn of(status: Status, name: &str, why: impl std::fmt::Display) -> Self {
        Self::new(status, format!("{name}: {why}"))
    }

    /// A parameter that is refused.
    pub(crate) fn argument(name: &str, why: impl std::fmt::Display) -> Self {
        Self::of(CERTUS_BAD_ARGUMENT, name, why)
    }
}

impl From<BitsError> for Failure {
    fn from(error: BitsError) -> Self {
        Self::new(CERTUS_RANDOMNESS, error.to_string())
    }
}

impl From<DebitError> for Failure {
    fn from(error: DebitError) -> Self {
        let status = match error {
            DebitError::Exceeded => CERTUS_BUDGET,
            DebitError::Forked => CERTUS_FORKED,
            _ => CERTUS_BAD_COST,
        };
        Self::new(status, error.to_string())
    }
}

impl From<GuaranteeError> for Failure {
    fn from(error: GuaranteeError) -> Self {
        Self::new(CERTUS_BAD_COST, error.to_string())
    }
}

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::NoEpsilon | AccountError::NoEpsilonKnown | AccountError::OutOfReach => {
                Self::new(CERTUS_NO_ANSWER, error.to_string())
            }
            AccountError::RelationsDiffer => Self::argument(
                "specs",
                "must all be for the same neighbours: CERTUS_CHANGE_ONE takes those for add/remove as two steps",
            ),
            error => Self::new(CERTUS_BAD_ARGUMENT, error.to_string()),
        }
    }
}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a text for this thread; on a thread that is ending there is nothing left to keep it.
fn remember(mut text: String) {
    let most = CERTUS_ERROR_BYTES - 1;
    text.truncate((0..=most).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0));
    let _ = LAST.try_with(|last| last.replace(text));
}

/// Runs the body of a function: an error becomes its number, and a panic ends here.
///
/// What a body touches is safe to touch after a panic: the table and the budgets are behind locks that are
/// taken again after one, and each changes in one step.
pub(crate) fn status(body: impl FnOnce() -> Result<(), Failure>) -> Status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CERTUS_OK,
        Ok(Err(Failure { status, text })) => {
            remember(text);
            status
        }
        // What the panic says may be about private data.
        Err(_) => {
            remember("a bug of this library: please report what was called".to_owned());
            CERTUS_INTERNAL
        }
    }
}

/// The version of this library, such as "0.1.0"; it is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn certus_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// A few words for a status; they are never freed, and never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn certus_status_text(status: Status) -> *const c_char {
    let text: &CStr = match status {
        CERTUS_OK => c"done",
        CERTUS_BAD_HANDLE => c"a handle is null, freed, of another kind, or was never made",
        CERTUS_NULL => c"a pointer is NULL",
        CERTUS_MISALIGNED => c"a pointer is not aligned",
        CERTUS_BAD_UTF8 => c"a text is not UTF-8",
        CERTUS_TOO_LONG => c"a text or a length is too long",
        CERTUS_SHORT_BUFFER => c"a buffer is too short",
        CERTUS_BAD_ARGUMENT => c"a parameter is refused",
        CERTUS_BAD_INPUT => c"the data are not an input of the mechanism",
        CERTUS_OVERFLOW => c"a result does not fit 64 bits",
        CERTUS_BUDGET => c"the budget does not suffice: nothing was spent",
        CERTUS_BAD_COST => c"a cost is not of a kind that the budget counts",
        CERTUS_FORKED => c"a fork copied this budget: it is not spent",
        CERTUS_RANDOMNESS => c"there is no randomness",
        CERTUS_MEMORY => c"there is not enough memory",
        CERTUS_NO_ANSWER => c"there is no answer to the question",
        CERTUS_INTERNAL => c"a bug of the library",
        _ => c"no status of this library",
    };
    text.as_ptr()
}

/// The text of the last error of this thread: which argument, and what is accepted. It is empty before the
/// first one, and what succeeds leaves it alone. It never depends on private data.
///
/// A buffer of CERTUS_ERROR_BYTES is always long enough. needed (or NULL) takes the bytes with the last 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn certus_last_error(buffer: *mut c_char, capacity: usize, needed: *mut usize) -> Status {
    let text = LAST.try_with(|last| last.borrow().clone()).unwrap_or_default();
    // SAFETY: the caller's contract; the buffer has `capacity` bytes.
    let given = catch_unwind(AssertUnwindSafe(|| unsafe { border::give(&text, buffer, capacity, needed) }));
    // The error that was asked about stays the last one.
    given.map_or(CERTUS_INTERNAL, |given| given.map_or_else(|failure| failure.status, |()| CERTUS_OK))
}
