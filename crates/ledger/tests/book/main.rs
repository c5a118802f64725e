//! The ledger as a caller meets it: refusals, damage, power loss, kill -9 and many processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a test may fail by panicking, and its numbers are small"
)]

mod damage;
mod failures;
mod kill;
mod power_loss;
mod processes;
mod refusals;
mod simulated;
mod support;
