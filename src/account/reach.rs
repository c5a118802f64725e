//! How far a privacy profile is worth drawing.

use alloc::{vec, vec::Vec};

use num_traits::{One, Signed, Zero};

use super::{AccountError, Plan, Precision, delta, epsilon};
use crate::exact::{NonNegative, Probability, Rational};

/// The largest ε that is looked at: 10^6.
const FURTHEST: u32 = 1_000_000;

/// The least of 1, 2, 5 times a power of ten at which δ ≤ 10^-10, or 10^-10 of δ(0) where that is small
/// itself; where there is none, the least of 1, 2, 5, 10, … at which δ is all but the probability of an
/// infinite loss. Which it is decides where a profile ends, and nothing else.
///
/// # Errors
///
/// If the plan has no account.
pub fn reach(plan: &Plan) -> Result<Rational, AccountError> {
    let rough = Precision { digits: 2 };
    let tenth = Rational::new(1.into(), 10_000_000_000_i64.into());
    let at_zero = delta(plan, &NonNegative::zero(), &rough)?.enclosure.upper();
    let small = if at_zero < Rational::new(1.into(), 1_000_000.into()) { at_zero } else { Rational::one() };
    let Ok(wanted) = Probability::new(small * &tenth) else { return climb(plan) };
    match epsilon(plan, &wanted, &rough) {
        Ok(answer) if answer.enclosure.upper().is_positive() => Ok(rung(&answer.enclosure.upper())),
        Ok(_) => Ok(Rational::one()),
        Err(_) => climb(plan),
    }
}

/// The least of 1, 2, 5 times a power of ten that is no less than x > 0.
fn rung(x: &Rational) -> Rational {
    let ten = Rational::from_integer(10.into());
    let mut decade = Rational::one();
    while decade >= *x {
        decade /= &ten;
    }
    while &decade * &ten < *x {
        decade *= &ten;
    }
    let rungs = [1_u32, 2, 5, 10].map(|n| &decade * Rational::from_integer(n.into()));
    rungs.into_iter().find(|rung| rung >= x).unwrap_or(decade)
}

/// The least of 1, 2, 5, 10, … at which δ is all but what it is at the last that was looked at.
fn climb(plan: &Plan) -> Result<Rational, AccountError> {
    let rough = Precision { digits: 2 };
    let at = |epsilon: &Rational| {
        let epsilon = NonNegative::new(epsilon.clone()).unwrap_or_else(|_| NonNegative::zero());
        delta(plan, &epsilon, &rough).map(|answer| answer.enclosure.upper())
    };
    let negligible = Rational::new(1.into(), 10_000_000_000_i64.into());
    let mut seen = vec![(Rational::one(), at(&Rational::one())?)];
    let is_negligible = seen.iter().all(|(_, delta)| *delta <= negligible);
    for rung in ladder(!is_negligible) {
        let Ok(delta) = at(&rung) else { break };
        let small = delta <= negligible;
        if is_negligible && !small {
            break;
        }
        seen.push((rung, delta));
        if !is_negligible && small {
            break;
        }
    }
    // Falling δ: the last is the least, and within a hundredth of it nothing more is to be seen.
    let least = seen.iter().map(|(_, delta)| delta.clone()).min().unwrap_or_else(Rational::zero);
    let enough = least.max(negligible) * Rational::new(101.into(), 100.into());
    let reached = seen.into_iter().filter(|(_, delta)| *delta <= enough).map(|(epsilon, _)| epsilon).min();
    Ok(reached.unwrap_or_else(Rational::one))
}

/// 2, 5, 10, 20, … up to 10^6, or 1/2, 1/5, 1/10, … down to 10^-6.
fn ladder(up: bool) -> Vec<Rational> {
    let rungs = [2u32, 5, 10].into_iter().cycle().scan((1u32, 0u32), |(decade, index), rung| {
        let value = decade.checked_mul(rung)?;
        *index += 1;
        if rung == 10 {
            *decade = value;
        }
        (value <= FURTHEST).then_some(value)
    });
    rungs
        .map(|rung| if up { Rational::from_integer(rung.into()) } else { Rational::new(1.into(), rung.into()) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exact::parse, mechanism::from_spec};
    use alloc::string::ToString;

    fn plan(spec: &str) -> Plan {
        Plan::of(&from_spec(&spec.parse().unwrap()).unwrap().domination(), 1)
    }

    #[test]
    fn rungs() {
        for (x, least) in [
            ("1", "1"),
            ("1.01", "2"),
            ("5", "5"),
            ("5.1", "10"),
            ("1e-30", "1/1000000000000000000000000000000"),
            ("0.3", "1/2"),
        ] {
            assert_eq!(rung(&parse(x).unwrap()).to_string(), least, "{x}");
        }
    }

    /// However wide the noise: δ falls from δ(0) to 10^-10 of it.
    #[test]
    fn a_profile_is_scaled_to_its_mechanism() {
        let last = reach(&plan("gaussian(sigma=1099511627776)")).unwrap();
        assert!(last > parse("1e-12").unwrap() && last < parse("1e-10").unwrap(), "{last}");
    }

    #[test]
    fn the_ladder() {
        let up: Vec<_> = ladder(true).iter().map(ToString::to_string).collect();
        assert_eq!(up[..4], ["2", "5", "10", "20"]);
        assert_eq!(up.last().unwrap(), "1000000");
        assert_eq!(ladder(false)[1].to_string(), "1/5");
    }

    #[test]
    fn a_profile_reaches_to_where_delta_is_negligible() {
        // Pure mechanisms: δ = 0 from ε = 1/scale on.
        assert_eq!(reach(&plan("laplace(scale=1)")).unwrap(), Rational::one());
        assert_eq!(reach(&plan("laplace(scale=1/3)")).unwrap(), Rational::from_integer(5.into()));
        assert_eq!(reach(&plan("laplace(scale=30)")).unwrap(), Rational::new(1.into(), 20.into()));
        // No noise: δ = 1 everywhere.
        assert_eq!(reach(&plan("randomized_response(p=1)")).unwrap(), Rational::one());
    }
}
