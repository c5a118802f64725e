#![doc = include_str!("../README.md")]
//!
//! # The map
//!
//! Each layer knows only those before it; data flows one way.
//!
//! ```text
//! bits ──► sample ─────────────────► mechanism ──► audit ──► cli
//!            ▲                           ▲
//! exact ─────┴─► guarantee ──► account ──┘
//! ```
//!
//! * [`bits`]: the only door for randomness; streams, the system's source, tapes;
//! * [`exact`]: integers, rationals, their text; enclosures of e^-x, ln and closed-form probabilities;
//! * [`sample`]: the exact samplers, as programs over an interpreter;
//! * [`guarantee`]: what is guaranteed, and the pairs of distributions that dominate a mechanism's
//!   neighbouring inputs;
//! * [`account`]: the smallest δ for an ε, and the smallest ε for a δ, of such pairs composed;
//! * [`mechanism`]: what a release runs, and the specs that name it;
//! * `audit` (feature `audit`): certificates, which enumerate the samplers' own distributions;
//! * `cli` (feature `cli`): the command.
#![cfg_attr(not(feature = "std"), no_std)]
// Loop contracts are attributes of a loop.
#![cfg_attr(kani, feature(proc_macro_hygiene, stmt_expr_attributes))]

extern crate alloc;
// Tests catch panics.
#[cfg(all(test, not(feature = "std")))]
extern crate std;

pub mod account;
#[cfg(feature = "audit")]
pub mod audit;
pub mod bits;
#[cfg(feature = "cli")]
pub mod cli;
pub mod exact;
pub mod guarantee;
pub mod mechanism;
pub mod prelude;
pub mod sample;

/// The traits of the generators that [`bits::BitStream`] takes, at the version that it takes them of.
pub use rand_core;

#[cfg(any(kani, test))]
#[path = "../proofs/symbolic.rs"]
mod symbolic;

#[cfg(all(any(doc, doctest), feature = "audit"))]
#[doc = include_str!("../docs/TUTORIAL.md")]
pub mod tutorial {}
