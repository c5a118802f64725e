//! What each mechanism says of its neighbouring inputs: the description from which accounts, certificates and audits derive.

use super::Mechanism;
use crate::guarantee::{Attained, Domination, Pair, Relation};

impl Mechanism {
    /// The pairs that dominate the mechanism's neighbouring inputs.
    ///
    /// Additive noise on answers at most Δ apart is dominated by the noise and its shift by exactly Δ: the profile of a
    /// discrete Laplace or Gaussian pair grows with the shift, both being log-concave. A randomized response has the same pair for any two true answers.
    ///
    /// All are attained, at every ε: by the answers 0 and Δ, and by any two true answers of a person.
    #[must_use]
    pub fn domination(&self) -> Domination {
        let (pair, by) = match self {
            Self::Laplace { scale, sensitivity } => {
                (Pair::Laplace { scale: scale.clone(), shift: sensitivity.clone() }, Attained::ByAnswers)
            }
            Self::Gaussian { variance, sensitivity } => {
                (Pair::Gaussian { variance: variance.clone(), shift: sensitivity.clone() }, Attained::ByAnswers)
            }
            Self::RandomizedResponse(response) => {
                (Pair::Finite(response.pair()), Attained::ByNeighbours(Relation::ChangeOne))
            }
        };
        Domination::by(pair).attained(by)
    }
}
