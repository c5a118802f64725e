//! What each mechanism says of its neighbouring inputs: the description from which accounts, certificates and audits derive.

use super::Mechanism;
use crate::guarantee::{Domination, Pair};

impl Mechanism {
    /// The pairs that dominate the mechanism's neighbouring inputs.
    ///
    /// Additive noise on answers at most Δ apart is dominated by the noise and its shift by exactly Δ: the profile of a
    /// discrete Laplace or Gaussian pair grows with the shift, both being log-concave. A randomized response has the same pair for any two true answers.
    #[must_use]
    pub fn domination(&self) -> Domination {
        Domination::by(match self {
            Self::Laplace { scale, sensitivity } => Pair::Laplace { scale: scale.clone(), shift: sensitivity.clone() },
            Self::Gaussian { variance, sensitivity } => {
                Pair::Gaussian { variance: variance.clone(), shift: sensitivity.clone() }
            }
            Self::RandomizedResponse(response) => Pair::Finite(response.pair()),
        })
    }
}
