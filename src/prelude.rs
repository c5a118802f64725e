//! What most programs need: `use certus::prelude::*;`.
//!
//! ```
//! use certus::prelude::*;
//!
//! // A histogram of five counts, under a budget of ρ = 1/50; each person is in one of them.
//! let mut counts = [120, 35, 7, 0, 81];
//! let mut budget = Filter::new(Guarantee::zcdp(Relation::AddRemove, "1/50".parse()?)?);
//! let sensitivity = Sensitivity::<L2Squared>::of_histogram(Relation::AddRemove);
//! let mechanism = GaussianMechanism::with_rho(&sensitivity, &parse("1/100")?)?;
//! let mechanism = mechanism.fixed(Mode::Standard)?.vector(counts.len())?;
//! let released = mechanism.add_noise_within(&mut budget, &mut counts, &mut SystemBits::new()?)?;
//! println!("{counts:?}: {}; left: {}", released.guarantee(), budget.remaining());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The budget pays for the outcome. If the time of the draw can be seen too, what that may tell is in
//! [`sample::fixed`](crate::sample::fixed).

#[cfg(feature = "std")]
pub use crate::bits::SystemBits;
pub use crate::{
    account::{Plan, Precision, delta, epsilon},
    exact::{Integer, NonNegative, Positive, Probability, Rational, parse},
    guarantee::{Filter, Guarantee, L1, L2Squared, LInfinity, Relation, Released, Sensitivity},
    mechanism::{
        Private,
        additive::{GaussianMechanism, LaplaceMechanism},
        from_spec,
    },
    sample::{Program, Sampler, fixed::Mode},
};
