//! What an account says in other words: zero-concentrated, Rényi and Gaussian privacy, the trade-off curve, and what an attacker can do.
//!
//! All derive from the same pairs or from the profile δ(ε); all are enclosures, or bounds that say so.

mod attacker;

pub use attacker::attacker_true_positive_rate;
