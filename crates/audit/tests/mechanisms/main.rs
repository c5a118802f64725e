//! What each mechanism states, beside what its shipped code does, on every pair of neighbours of small
//! domains.
//!
//! For each: every input of a small domain is enumerated, by the structural certificate of the program that
//! also draws the release; for every two neighbours, in either order, the certified lower bound of δ at the
//! stated ε is at most the stated δ, and the certified upper bound at most that plus (1 + e^ε)·slack. Where a
//! guarantee claims to be tight, a slightly smaller one is refuted. The pairs of `domination()` are at least
//! as far apart as any two neighbours. And for each there are mutants, wrong in one way, whose stated
//! guarantee this check refutes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may panic")]
#![allow(clippy::borrowed_box, reason = "inputs are unsized, and a list of them is one of boxes")]

mod accounted;
mod catalogue;
mod domain;
mod exhaustive;
mod medians;
mod random_data;
mod responses;
mod selection;
mod statistics;
mod thresholds;
mod truth;
