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

/// Rounds of points that are put between others where the curve bends, and the most of them.
const ROUNDS: usize = 4;
const MOST_BETWEEN: usize = 48;

/// How far the slope of log10 δ may turn between two points, in decades: a third of one is seen.
const TURN: f64 = 0.3;

/// The points of a picture: `points`, this one if it is within them, and more where the curve has corners.
#[expect(clippy::float_arithmetic, reason = "where a point is drawn; what is drawn there is an enclosure")]
pub(super) fn with_corners(
    plan: &Plan,
    mut points: Vec<Point>,
    asked: Option<&Point>,
    precision: &Precision,
) -> Result<Vec<Point>, AccountError> {
    let last =
        points.last().map(|point| point.epsilon.get().clone()).unwrap_or_else(|| Rational::from_integer(0.into()));
    points.extend(asked.filter(|asked| *asked.epsilon.get() < last).cloned());
    points.sort_by(|one, two| one.epsilon.get().cmp(two.epsilon.get()));
    points.dedup_by(|one, two| one.epsilon.get() == two.epsilon.get());
    let mut profile = PrivacyProfile::new(plan);
    let mut room = MOST_BETWEEN;
    for _ in 0..ROUNDS {
        let height = |point: &Point| certus_audit::above(&point.delta.enclosure.upper()).max(1e-30).log10();
        let drops: Vec<f64> =
            points.iter().zip(points.iter().skip(1)).map(|(one, two)| height(one) - height(two)).collect();
        let turns = |place: usize| {
            let drop = |place: usize| drops.get(place).copied();
            let next = place.checked_add(1).and_then(drop);
            let before = place.checked_sub(1).and_then(drop);
            let here = drop(place).unwrap_or(0.0);
            [before, next].into_iter().flatten().any(|other| (here - other).abs() > TURN)
        };
        let between: Vec<Rational> = (0..drops.len())
            .filter(|place| turns(*place))
            .filter_map(|place| {
                Some(
                    (points.get(place)?.epsilon.get() + points.get(place + 1)?.epsilon.get())
                        / Rational::from_integer(2.into()),
                )
            })
            .take(room)
            .collect();
        room -= between.len();
        for epsilon in between {
            let epsilon = NonNegative::new(epsilon).unwrap_or_else(|_| NonNegative::zero());
            points.push(Point { delta: profile.delta(&epsilon, precision)?, epsilon });
        }
        points.sort_by(|one, two| one.epsilon.get().cmp(two.epsilon.get()));
    }
    Ok(points)
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

    /// Randomized response has a corner at ln 3, where its δ ends: points gather there, and the asked one is among them.
    #[test]
    fn a_picture_has_the_corners_of_the_curve() {
        let (plan, precision) = (plan("randomized_response(gamma=1/4)"), Precision { digits: 6 });
        let last = NonNegative::new(Rational::from_integer(2.into())).unwrap();
        let points = profile(&plan, 21, Some(&last), &precision, &AtomicU64::new(0)).unwrap();
        let asked = points
            .get(3)
            .cloned()
            .map(|point| Point { epsilon: NonNegative::new(Rational::new(1.into(), 3.into())).unwrap(), ..point });
        let drawn = with_corners(&plan, points, asked.as_ref(), &precision).unwrap();
        let near = |point: &&Point| (certus_audit::above(point.epsilon.get()) - 1.0986).abs() < 0.05;
        assert!(drawn.iter().filter(near).count() >= 5 && drawn.len() <= 22 + MOST_BETWEEN, "{}", drawn.len());
        assert!(drawn.iter().any(|point| point.epsilon.to_string() == "1/3"));
        assert!(drawn.windows(2).all(|two| two[0].epsilon.get() < two[1].epsilon.get()));
    }

    #[test]
    fn a_profile_is_evenly_spaced_up_to_its_reach() {
        let points = profile(&plan("laplace(scale=1)"), 5, None, &Precision::default(), &AtomicU64::new(0)).unwrap();
        let epsilons: Vec<_> = points.iter().map(|point| point.epsilon.to_string()).collect();
        assert_eq!(epsilons, ["0", "1/4", "1/2", "3/4", "1"]);
    }
}
