//! Audits of one training run, by canaries.
//!
//! Each of m canaries is a record with a fair coin, and is trained on if the coin says so. Whoever has the
//! model gives every canary a score, without the coins, and guesses r of them: the greatest scores "in", the
//! least "out". If more guesses are right than the claim allows, it is false.
//!
//! * [`recursion`]: for any claim that is a curve: (ε, δ), or the profiles of a plan, both directions;
//! * [`guesses`]: for (ε, δ), the bound of Steinke, Nasr and Jagielski;
//! * [`plan`]: for a plan, whether the run was that plan: a narrower question, and a stronger test;
//! * [`rates`]: what an attacker sees, true positives where false ones are rare.
//!
//! [`OneRun`] is the audit: [`Canaries`] and a [`Family`] of claims in, the verdicts and the weakest claim
//! that is refuted out. [`Pairs`] are the claims (ε, δ) of one δ, [`Plans`] a plan with its noise multiplied.
//!
//! **r is fixed before the scores are seen.** At δ > 0 a mechanism may signal r through its scores, and both
//! bounds are then false. Which canaries are guessed may depend on all scores.
//!
//! No alarm is not evidence of privacy: canaries show what these records, these scores and this many of them
//! can show.

mod curve;
mod error;
mod family;
pub mod guesses;
mod one_run;
pub mod plan;
mod plans;
pub mod rates;
pub mod recursion;
mod table;

pub use curve::{Curve, CurveError, ProfilePoint};
pub use error::CanaryError;
pub use family::{Family, Pairs};
pub use one_run::{Guessed, Method, OneRun, OneRunReport, Tested, default_guesses};
pub use plans::Plans;
pub use table::{Canaries, Canary, Guessing, MOST_CANARIES};

#[cfg(test)]
mod tests;
