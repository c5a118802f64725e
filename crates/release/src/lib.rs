//! Private statistics from files: aggregated exactly by an engine, made private once, after it and outside
//! it.
//!
//! 1. A plan ([`certus_ledger::plan`]) is priced: mechanisms, costs, accuracy ([`price`]). Nothing is read.
//! 2. The ledger is debited.
//! 3. The data are aggregated exactly, here or by another engine ([`aggregates`]).
//! 4. Noise is drawn, once, and added ([`noise`]).
//! 5. The result is recorded in the ledger, and then printed ([`output`]).

pub mod aggregates;
pub mod csv;
#[cfg(feature = "engine")]
pub mod engine;
pub mod noise;
pub mod output;
pub mod price;
#[cfg(feature = "engine")]
pub mod program;
pub mod sql;
