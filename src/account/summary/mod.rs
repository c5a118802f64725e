//! What an account says in other words: zero-concentrated, Rényi and Gaussian privacy, the trade-off curve,
//! and what an attacker can do.
//!
//! All derive from the same pairs or from the profile δ(ε); all are enclosures, or bounds that say so.

mod attacker;
mod concave;
mod cumulant;
mod gaussian;
mod losses;
mod moments;
mod renyi;
mod supremum;
mod trade_off;
mod zcdp;

use alloc::vec::Vec;

pub use attacker::attacker_true_positive_rate;
pub use gaussian::{GaussianDp, gaussian_dp};
pub use renyi::renyi;
pub use trade_off::{TradeOff, trade_off};
pub use zcdp::{zcdp, zcdp_delta};

use super::{Plan, Precision, answer::is_narrow, simplified::directions};
use crate::{
    exact::{Enclosure, NonNegative, Rational},
    guarantee::Pair,
};

/// A point (ε, δ(ε)) of a privacy profile.
pub type ProfilePoint = (NonNegative, Enclosure);

/// The most binary digits that a summary is computed with.
const MOST_BITS: u32 = 1 << 14;

/// Computes again with more bits until the enclosure is as narrow as asked, or stops getting narrower.
fn refined(precision: &Precision, at: impl Fn(u32) -> Option<Enclosure>) -> Option<Enclosure> {
    let mut bits = precision.bits().saturating_add(64);
    let mut found = at(bits)?;
    while !is_narrow(&found, precision) && bits < MOST_BITS {
        bits = bits.saturating_mul(2);
        let next = at(bits)?;
        let stuck = next.width() * Rational::from_integer(2.into()) > found.width();
        found = next;
        if stuck {
            break;
        }
    }
    Some(found)
}

/// The larger over the two directions of the sum over all runs of what `of` says of their pair; what loses
/// nothing is left out.
fn total(plan: &Plan, of: impl Fn(&Pair) -> Option<Enclosure>) -> Option<Enclosure> {
    let sums = directions(plan).into_iter().map(|direction| {
        let terms = direction.iter().map(|part| {
            // Several pairs: the supremum of their profiles is the profile of a pair that is none of them.
            Some(of(part.pair()?)?.mul_rational(&Rational::from_integer(part.copies().into())))
        });
        Some(terms.collect::<Option<Vec<_>>>()?.into_iter().sum::<Enclosure>())
    });
    let sums = sums.collect::<Option<Vec<_>>>()?;
    let lower = sums.iter().map(Enclosure::lower).max()?;
    let upper = sums.iter().map(Enclosure::upper).max()?;
    Enclosure::from_bounds(&lower, &upper, sums.first()?.precision())
}

#[cfg(test)]
#[allow(clippy::float_arithmetic, reason = "an independent check in doubles")]
mod tests {
    use alloc::string::ToString as _;

    use super::*;
    use crate::mechanism::{Spec, from_spec};

    pub(super) fn plan(specs: &[&str]) -> Plan {
        let add = |plan: Plan, spec: &&str| {
            let spec: Spec = spec.parse().unwrap();
            plan.with(&from_spec(&spec).unwrap().domination(), spec.copies().map_or(1, |k| k.get().into()))
        };
        specs.iter().try_fold(Plan::new(), add).unwrap()
    }

    /// (P(y), Q(y)) of one mechanism in doubles, by the definition.
    pub(super) fn brute(spec: &str) -> Vec<(f64, f64)> {
        let text = |value: &crate::exact::NonNegative| value.get().clone();
        let real =
            |value: Rational| crate::exact::decimal(&value, 17, crate::exact::Rounding::Down).parse::<f64>().unwrap();
        let domination = from_spec(&spec.parse().unwrap()).unwrap().domination();
        let noise = |weight: &dyn Fn(f64) -> f64, shift: f64| {
            let outputs: Vec<f64> = (-400..=400).map(f64::from).collect();
            let sum: f64 = outputs.iter().map(|y| weight(*y)).sum();
            outputs.iter().map(|y| (weight(*y) / sum, weight(*y - shift) / sum)).collect::<Vec<_>>()
        };
        let outcomes = match &domination.forward()[0] {
            Pair::Laplace { scale, shift } => {
                let scale = real(scale.get().clone());
                noise(&|y| (-y.abs() / scale).exp(), shift.to_string().parse().unwrap())
            }
            Pair::Gaussian { variance, shift } => {
                let variance = real(variance.get().clone());
                noise(&|y| (-y * y / 2.0 / variance).exp(), shift.to_string().parse().unwrap())
            }
            Pair::Finite(pair) => {
                let weight = |weight: &crate::guarantee::Weight| {
                    real(text(&weight.factor)) * (-real(text(&weight.exponent))).exp()
                };
                let (p, q): (f64, f64) = pair
                    .outcomes()
                    .iter()
                    .map(|(p, q)| (weight(p), weight(q)))
                    .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
                pair.outcomes().iter().map(|outcome| (weight(&outcome.0) / p, weight(&outcome.1) / q)).collect()
            }
            pair => panic!("{pair:?}"),
        };
        outcomes.into_iter().filter(|(p, q)| *p > 1e-290 && *q > 1e-290).collect()
    }

    /// δ at n + 1 epsilons from 0 to `last`.
    pub(super) fn profile(plan: &Plan, last: &str, n: u32) -> Vec<ProfilePoint> {
        let last = crate::exact::parse(last).unwrap();
        (0..=n)
            .map(|index| {
                let epsilon = NonNegative::new(&last * Rational::new(index.into(), n.into())).unwrap();
                let delta = crate::account::delta(plan, &epsilon, &Precision { digits: 10 }).unwrap().enclosure;
                (epsilon, delta)
            })
            .collect()
    }

    /// δ of either direction at the same epsilons.
    pub(super) fn profiles(plan: &Plan, last: &str, n: u32) -> [Vec<ProfilePoint>; 2] {
        let last = crate::exact::parse(last).unwrap();
        let of = |index: u32| {
            let epsilon = NonNegative::new(&last * Rational::new(index.into(), n.into())).unwrap();
            crate::account::delta_both_ways(plan, &epsilon, &Precision { digits: 10 })
                .unwrap()
                .map(|answer| (epsilon.clone(), answer.enclosure))
        };
        let (forward, backward) = (0..=n).map(|index| of(index).into()).unzip();
        [forward, backward]
    }
}
