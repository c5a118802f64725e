//! The C library `certus`: parse, call, return. Everything else is the Rust library's, which is called
//! `core_certus` here.
//!
//! * `status`: what every function returns, and the text of the last error of a thread;
//! * `border`: pointers, and with them nearly all `unsafe` of this crate;
//! * `handle`: the table of what a caller holds; `text`: texts that are handed out;
//! * `number`, `float`, `source`: exact numbers in, enclosures out as doubles, and where bits come from;
//! * `noise`, `mechanism`, `plan` with `answer`, `calibrate`, `guarantee` and `filter`: what is offered;
//! * `testing`: draws under a known seed.
//!
//! **The contract of every function** (the header says it to its callers). A pointer that is not NULL points
//! to memory of the size that the function's description states, which is readable, or writable where
//! something is returned through it, for the length of the call, and which no other thread writes meanwhile.
//! A text ends with a zero byte within the caller's memory. Everything else is checked: NULL, alignment,
//! lengths, UTF-8, handles of any value.
//!
//! **No panic crosses the border**: every function runs inside `status`.
#![allow(clippy::missing_safety_doc, reason = "one contract for all functions, stated above")]

mod answer;
mod border;
mod calibrate;
mod filter;
mod float;
mod guarantee;
mod handle;
mod mechanism;
mod noise;
mod number;
mod plan;
mod source;
mod status;
mod testing;
mod text;

#[cfg(test)]
mod tests;

pub use answer::*;
pub use border::CERTUS_MOST_TEXT;
pub use calibrate::*;
pub use filter::*;
pub use handle::*;
pub use mechanism::*;
pub use noise::*;
pub use plan::*;
pub use status::*;
pub use testing::*;
pub use text::*;
