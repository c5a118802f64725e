//! The privacy profile of a plan: δ at epsilons from 0 on.

use certus::{
    account::{AccountError, Answer, Plan, Precision, PrivacyProfile},
    exact::{NonNegative, Rational},
};

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
