//! Accounts: the smallest δ for an ε, and the smallest ε for a δ, of any number of mechanisms together,
//! enclosed.
//!
//! A [`Plan`] says what runs how often. Its privacy-loss distribution is that of the sum of independent
//! losses ln(P(y)/Q(y)), y drawn from P, and δ(ε) = E[(1 − e^(ε − loss))₊]: no float decides anything, and
//! the answer is an interval that contains the truth.
//!
//! **Methods.** Each way to enclose δ(ε) is a file with one `Accountant`, which is asked a `Question` and
//! answers with its [`Method`]; `methods` lists them in the order in which they are tried. ε(δ) is searched
//! for over the same list (`epsilon`, `inverse`), and what one question leaves for the next is in a `Cache`.
//!
//! What saturates here, or has a limit, falls to the safe side:
//!
//! * **Digits and bits** (`bits.saturating_add(64)`): fewer digits than wanted make an enclosure wider, never
//!   false.
//! * **Steps of work** saturate upwards: what takes 2^64 steps is beyond any budget, and refused.
//! * **Copies** never saturate: a plan has less than 2^64, and they are added up as `u128`.
//! * **δ** is cut to \[0, 1\], in which the truth is.

mod answer;
mod basic;
mod cache;
mod chernoff;
mod closer;
mod curve;
mod delta;
mod direction;
mod dpsgd;
mod ends;
mod epsilon;
mod greatest;
mod infinite;
mod inverse;
mod lattice;
mod length;
mod method;
mod methods;
mod no_loss;
mod plan;
mod privacy_profile;
mod profile;
mod question;
mod reach;
mod reference;
mod simplified;
mod spectral;
mod summary;
#[cfg(test)]
mod tests;

pub use answer::{AccountError, Answer, Precision};
pub use delta::{delta, delta_both_ways};
pub use direction::{Composed, Direction};
pub use dpsgd::DpSgd;
pub use epsilon::epsilon;
pub use method::Method;
pub use plan::{Part, Plan};
pub use privacy_profile::PrivacyProfile;
pub use reach::reach;
pub use summary::{
    GaussianDp, ProfilePoint, TradeOff, attacker_true_positive_rate, gaussian_dp, renyi, trade_off, zcdp, zcdp_delta,
};
