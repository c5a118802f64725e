//! The command end to end: what it prints, where, and with which exit status.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail by panicking"
)]

mod account;
mod account_large;
mod arguments;
#[cfg(unix)]
mod audit;
mod calibrate;
mod catalogue;
mod front_door;
mod ledger;
mod readme;
#[cfg(unix)]
mod release;
mod support;
mod vectors;
