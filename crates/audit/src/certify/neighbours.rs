//! A stated guarantee beside the enumerated releases on two neighbouring inputs.

use std::{vec, vec::Vec};

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{Masses, hockey_stick};
use certus::{
    account::{self, Plan, Precision},
    exact::{Enclosure, NonNegative, Rational, Real},
    guarantee::{Domination, Guarantee, Privacy, Relation},
};

/// Who says how large δ(ε) may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimant {
    /// The mechanism's stated guarantee.
    Stated,
    /// The account of the mechanism's dominating pairs.
    Account,
}

/// δ at one ε: what is claimed of all neighbours, and what the code does on two of them.
#[derive(Clone, Debug)]
pub struct Point {
    /// ε; an irrational one is rounded up by at most 2^-80, which can only help the claim.
    pub epsilon: NonNegative,
    /// Who claims.
    pub claim: Claimant,
    /// At least the δ that is claimed, by at most a part in 10^5 or 2^-80.
    pub claimed: Rational,
    /// Encloses δ(ε) from the first input to the second.
    pub forward: Enclosure,
    /// Encloses δ(ε) from the second input to the first.
    pub backward: Enclosure,
}

impl Point {
    /// Whether the claim stands: neither certified lower bound is above it. What is refuted is refuted for
    /// good; what stands does so for these two inputs.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.forward.lower() <= self.claimed && self.backward.lower() <= self.claimed
    }
}

/// How finely irrational numbers are rounded up.
const BITS: u32 = 80;

/// The (ε, δ) that a guarantee states, or, of zCDP, implies at δ = 1/100 and 10^-6; nothing where ε cannot be
/// written down.
fn stated(privacy: &Privacy) -> Option<Vec<(NonNegative, Rational)>> {
    let epsilon_of = |epsilon: &Real| NonNegative::new(epsilon.at_most(BITS)?).ok();
    Some(match privacy {
        Privacy::Pure { epsilon } => vec![(epsilon_of(epsilon)?, Rational::zero())],
        Privacy::Approximate { epsilon, delta } => vec![(epsilon_of(epsilon)?, delta.at_most(BITS)?)],
        Privacy::Zcdp { rho } => {
            // The relation is immaterial to a conversion.
            let guarantee = Guarantee::zcdp(Relation::AddRemove, rho.clone()).ok()?;
            let point = |power: u32| {
                let delta = Rational::new(BigInt::one(), BigInt::from(10).pow(power));
                match guarantee.to_approximate(&Real::from(delta.clone())).ok()?.privacy() {
                    Privacy::Approximate { epsilon, .. } => Some((epsilon_of(epsilon)?, delta)),
                    _ => None,
                }
            };
            vec![point(2)?, point(6)?]
        }
        _ => return None,
    })
}

/// Compares the releases on two neighbouring inputs, in both directions, with the stated guarantee, at its ε,
/// and with the account of the dominating pairs, at 0, ε/2 and ε.
///
/// Where nothing is stated, the account alone is asked, at 0 and 1. Nothing if the masses are incoherent, or
/// e^-ε is nothing at their precision.
///
/// ```
/// use certus_audit::certify::{enumerable, neighbours};
/// use certus::mechanism::from_spec;
///
/// let spec = "permute_and_flip(epsilon=1, candidates=2)".parse()?;
/// let (mechanism, enumerable) = (from_spec(&spec)?, enumerable(&spec)?);
/// let masses = |input: &str| enumerable.structural(input, 40, &mut |_| {}).unwrap();
/// let points = |other: &str| {
///     neighbours(&masses("0,0"), &masses(other), mechanism.privacy().as_ref(), &mechanism.domination()).unwrap()
/// };
/// assert!(points("1,-1").iter().all(|point| point.holds()));
/// // No neighbours: both scores moved by 2.
/// assert!(!points("2,-2").iter().all(|point| point.holds()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn neighbours<O: Ord>(
    first: &Masses<O>,
    second: &Masses<O>,
    privacy: Option<&Privacy>,
    domination: &Domination,
) -> Option<Vec<Point>> {
    let claims = match privacy {
        Some(privacy) => stated(privacy)?,
        None => Vec::new(),
    };
    let most = claims.first().map_or_else(NonNegative::one, |(epsilon, _)| epsilon.clone());
    let half = NonNegative::new(most.get() / Rational::from_integer(2.into())).ok()?;
    let plan = Plan::of(domination, 1);
    let accounted = [NonNegative::zero(), half, most].into_iter().filter_map(|epsilon| {
        let delta = account::delta(&plan, &epsilon, &Precision { digits: 5 }).ok()?.enclosure.upper();
        Some((epsilon, Claimant::Account, delta))
    });
    let stated = claims.into_iter().map(|(epsilon, delta)| (epsilon, Claimant::Stated, delta));
    stated
        .chain(accounted)
        .map(|(epsilon, claim, claimed)| {
            let forward = hockey_stick(first, second, &epsilon)?;
            let backward = hockey_stick(second, first, &epsilon)?;
            Some(Point { epsilon, claim, claimed, forward, backward })
        })
        .collect()
}
