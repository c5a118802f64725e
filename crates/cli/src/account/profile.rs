//! The privacy profile: δ at epsilons from 0 on.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use certus::{
    account::{AccountError, Answer, Plan, Precision, PrivacyProfile, ProfilePoint, reach},
    exact::{NonNegative, Rational},
};

/// One point of the profile.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) epsilon: NonNegative,
    pub(super) delta: Answer,
}

/// δ at `points` epsilons, evenly spaced from 0 to `last` (or to where δ is negligible); counts them as they
/// are done.
pub(super) fn profile(
    plan: &Plan,
    points: u64,
    last: Option<&NonNegative>,
    precision: &Precision,
    done: &AtomicU64,
) -> Result<Vec<Point>, AccountError> {
    at_each(plan, points, last, done, |profile, epsilon| {
        let delta = profile.delta(&epsilon, precision)?;
        Ok(Point { epsilon, delta })
    })
}

/// δ of (M(D), M(D′)), of (M(D′), M(D)), and the larger of the two, at the same epsilons.
pub(super) struct BothWays {
    pub(super) forward: Vec<ProfilePoint>,
    pub(super) backward: Vec<ProfilePoint>,
    pub(super) larger: Vec<ProfilePoint>,
}

/// As [`profile`], of either direction by itself.
pub(super) fn profile_both_ways(
    plan: &Plan,
    points: u64,
    last: Option<&NonNegative>,
    precision: &Precision,
    done: &AtomicU64,
) -> Result<BothWays, AccountError> {
    let points = at_each(plan, points, last, done, |profile, epsilon| {
        let answers = profile.delta_both_ways(&epsilon, precision)?;
        Ok((epsilon, answers))
    })?;
    let of = |side: fn(&[Answer; 2]) -> Answer| {
        points.iter().map(|(epsilon, answers)| (epsilon.clone(), side(answers).enclosure)).collect()
    };
    Ok(BothWays {
        forward: of(|[forward, _]| forward.clone()),
        backward: of(|[_, backward]| backward.clone()),
        larger: of(|[forward, backward]| forward.max(backward)),
    })
}

/// As many points of a profile are asked one after the other, so that what was composed for one answers the
/// next; however many threads there are.
const TOGETHER: usize = 8;

/// What `of` says at each of the epsilons.
fn at_each<T: Send>(
    plan: &Plan,
    points: u64,
    last: Option<&NonNegative>,
    done: &AtomicU64,
    of: impl Fn(&mut PrivacyProfile, NonNegative) -> Result<T, AccountError> + Sync,
) -> Result<Vec<T>, AccountError> {
    let last = match last {
        Some(last) => last.get().clone(),
        None => reach(plan)?,
    };
    let steps = points.saturating_sub(1).max(1);
    let epsilons: Vec<u64> = (0..points).collect();
    let some = |indices: &[u64]| -> Result<Vec<T>, AccountError> {
        let mut profile = PrivacyProfile::new(plan);
        let each = indices.iter().map(|index| {
            let epsilon = &last * Rational::new((*index).into(), steps.into());
            let found = of(&mut profile, NonNegative::new(epsilon).unwrap_or_else(|_| NonNegative::zero()))?;
            done.fetch_add(1, Ordering::Relaxed);
            Ok(found)
        });
        each.collect()
    };
    let all = epsilons.par_chunks(TOGETHER).map(some).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::mechanism::from_spec;

    fn plan(spec: &str) -> Plan {
        Plan::of(&from_spec(&spec.parse().unwrap()).unwrap().domination(), 1)
    }

    #[test]
    fn a_profile_is_evenly_spaced_up_to_its_reach() {
        let points = profile(&plan("laplace(scale=1)"), 5, None, &Precision::default(), &AtomicU64::new(0)).unwrap();
        let epsilons: Vec<_> = points.iter().map(|point| point.epsilon.to_string()).collect();
        assert_eq!(epsilons, ["0", "1/4", "1/2", "3/4", "1"]);
    }
}
