//! The privacy profile of a plan: δ at epsilons from 0 on.

use certus::{
    account::{self, AccountError, Answer, Plan, Precision, PrivacyProfile},
    exact::{NonNegative, Probability, Rational, parse},
};
use num_traits::{One, Signed};

/// The points where no number is asked for, as of the command.
pub(crate) const POINTS: u64 = 21;

/// Digits after the point of the trade-off curve, where no number is asked for.
pub(crate) const TRADE_OFF_DIGITS: u32 = 8;

/// As many points are asked one after the other, so that what was composed for one answers the next: as the
/// command does, for the same last digits.
const TOGETHER: usize = 8;

/// δ at so many epsilons, evenly spaced from 0 to `last`.
pub(crate) fn profile(
    plan: &Plan,
    last: &Rational,
    points: u64,
    precision: &Precision,
) -> Result<Vec<(NonNegative, Answer)>, AccountError> {
    let steps = points.saturating_sub(1).max(1);
    let at = |index: u64| NonNegative::new(last * Rational::new(index.into(), steps.into()));
    let epsilons: Vec<_> = (0..points).filter_map(|index| at(index).ok()).collect();
    let mut found = Vec::new();
    for some in epsilons.chunks(TOGETHER) {
        let mut profile = PrivacyProfile::new(plan);
        for epsilon in some {
            found.push((epsilon.clone(), profile.delta(epsilon, precision)?));
        }
    }
    Ok(found)
}

/// The least of 1, 2, 5 times a power of ten at which δ is at most 10^-10, or 10^-10 of δ(0) where that is
/// below 10^-6 itself; 1 if δ is that at 0.
pub(crate) fn reach(plan: &Plan) -> Result<Rational, AccountError> {
    let rough = Precision { digits: 2 };
    let number = |text: &str| parse(text).unwrap_or_else(|_| Rational::one());
    let at_zero = account::delta(plan, &NonNegative::zero(), &rough)?.enclosure.upper();
    let small = if at_zero < number("1e-6") { at_zero } else { Rational::one() };
    let Ok(wanted) = Probability::new(small * number("1e-10")) else { return Ok(Rational::one()) };
    let reached = account::epsilon(plan, &wanted, &rough)?.enclosure.upper();
    Ok(if reached.is_positive() { rung(&reached) } else { Rational::one() })
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
