#![doc = include_str!("../README.md")]
//!
//! # The map
//!
//! Each layer knows only those before it; data flows one way.
//!
//! ```text
//! bits ──► sample ─────────────────► mechanism ──► (certus-audit) ──► (certus-cli)
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
//!
//! Evidence is a package of its own, `certus-audit`: certificates, which enumerate the samplers' own
//! distributions, and the auditor of anybody's. The command is `certus-cli`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "std"), no_std)]
// Loop contracts are attributes of a loop.
#![cfg_attr(kani, feature(proc_macro_hygiene, stmt_expr_attributes))]

extern crate alloc;
// Tests catch panics.
#[cfg(all(test, not(feature = "std")))]
extern crate std;

pub mod account;
pub mod bits;
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
