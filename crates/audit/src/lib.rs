//! Evidence about mechanisms: certificates, which enumerate our own, and statistics, for anybody's.
//!
//! ```text
//! outputs ──► events ──► run ──► report
//!               ▲         ▲
//! statistics ───┴─────────┘
//! ```
//!
//! # Coins, and why the level holds
//!
//! A true claim is called false with probability at most α = 1 − confidence. The probability is over the
//! samples *and* over the coins of the audit, so every coin must be independent of what it is applied to.
//! These are all of them:
//!
//! | coins | drawn from | independent of | used for |
//! | --- | --- | --- | --- |
//! | samples | the mechanism's own source; in this process, a seed a shard ([`tallies`]) | each other: shards that come out alike, or share a long run, are refused | the tallies |
//! | split | [`Audit::run`]: the operating system, anew for every run; [`Audit::seed`]: the caller's | samples, mechanism, earlier runs | which samples select, and which are evaluated |
//! | halves of the training part | a fixed seed (`events/score.rs`) | nothing | a learned score: a function of the selection part, as all that is chosen |
//! | order of a batch | [`Sequential::run`]: the caller's; the command has a stream of its own | samples, mechanism, earlier batches | pairs for [`Sequential`], from tallies, which forget the order |
//! | pilot | [`inputs::most_promising`]: samples and split of its own | the audit that follows: a run in common is refused | which pair of inputs is audited |
//! | ties | [`canaries::Canaries`]: the caller's source; the command's is the operating system's | coins and scores of the canaries | which of equal scores are guessed |
//! | replay | `certus replay`: samples of its own, never the audit's; of files, by the user's word | the counterexample: event, direction and counts are a file's | a fixed event, counted once; nothing is split |
//!
//! *The split.* Let the n samples of a side be independent and of one distribution, and let the coins be
//! independent of them. Whatever the counts are, the selection part is a uniform subset of a size that
//! depends on n alone ([`outputs::draw`]), so the order of the samples, which a tally forgets, does not
//! matter: the two parts are distributed as the first k and the last n − k of independent samples. So given
//! the selection part, the evaluated counts of an event that the selection part chose are two independent
//! binomials, which is what [`statistics::region`] needs. *Fixed coins break this*: the parts are then
//! functions of the counts, the evaluated part of an output has a bias that depends on n and on where the
//! output sorts, and there are true claims of three outputs that are called false in every other run. Hence
//! the coins are fresh and secret.
//!
//! *Seeds.* `--seed` and [`Audit::seed`] are for reproduction: the level then assumes a seed that is
//! independent of the mechanism, and the report says so. The command derives each stream above from the seed
//! by [`fresh_seed`], a different output of ChaCha20 for each target, and within a target for pilot, samples
//! and coins, so that no two of them are the same bits.
//!
//! *Batches.* [`Sequential`] bets on a batch before it has seen it. Events and stakes are functions of
//! earlier batches, and the pairs of a batch are independent of those; a tally is put in a random order
//! before it is paired, since paired in its own order (sorted) the two sides would depend on each other.
//!
//! *Many runs.* Each run has its own α. A suite divides α over its targets; whoever audits the same samples
//! again and again until an alarm comes has to add up.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod certify;

#[cfg(feature = "statistics")]
mod batches;
#[cfg(feature = "statistics")]
mod bounds;
#[cfg(feature = "statistics")]
pub mod canaries;
#[cfg(feature = "statistics")]
mod claim;
#[cfg(feature = "statistics")]
pub mod events;
#[cfg(feature = "statistics")]
pub mod inputs;
#[cfg(test)]
#[cfg(feature = "statistics")]
mod level;
#[cfg(feature = "statistics")]
pub mod outputs;
#[cfg(feature = "statistics")]
mod own;
#[cfg(feature = "statistics")]
mod report;
#[cfg(feature = "statistics")]
mod run;
#[cfg(feature = "statistics")]
mod sampled;
#[cfg(feature = "statistics")]
mod sequential;
#[cfg(feature = "statistics")]
pub mod statistics;
#[cfg(test)]
#[cfg(feature = "statistics")]
mod tests;
#[cfg(feature = "statistics")]
pub mod zoo;

#[cfg(feature = "statistics")]
pub use {
    bounds::LowerBounds,
    claim::{Claim, ClaimError, above},
    own::{Own, OwnError},
    report::{CurvePoint, Finding, Report, Verdict},
    run::{Audit, AuditError, LEAST_SAMPLES, MOST_SAMPLES},
    sampled::{SampleError, Sampled, Side, fresh_seed, tallies, tallies_counted},
    sequential::Sequential,
};

/// A first hour with the library.
#[cfg(all(any(doc, doctest), feature = "statistics"))]
#[doc = include_str!("../TUTORIAL.md")]
pub mod tutorial {}
