//! δ(ε) of a plan: the larger of its two directions'.

use num_traits::Zero;

use super::{
    AccountError, Answer, Direction, Plan, Precision, PrivacyProfile,
    cache::Cache,
    length,
    methods::{self, is_at_most},
    question::{Purpose, Question},
};
use crate::exact::{Budget, NonNegative};

/// Encloses δ(ε) = max over the two directions of Σ_y max(P(y) − e^ε·Q(y), 0), of the whole plan: of its
/// pairs, which are the mechanisms' own where [`Plan::is_attained`], and otherwise bound them from above.
///
/// The work is bounded, by a count and not by a clock. A question that takes more gets the best enclosure
/// found until then, and is not `is_narrow`.
///
/// # Errors
///
/// If there is nothing to account for, or a parameter has more than 8,192 binary digits.
pub fn delta(plan: &Plan, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
    PrivacyProfile::new(plan).delta(epsilon, precision)
}

/// Encloses δ(ε) of (M(D), M(D′)) and of (M(D′), M(D)), D with the person and D′ without, each by itself: the
/// larger of the two is [`delta`]. A curve of tests takes both ([`trade_off`](super::trade_off)). The work is
/// bounded as that of [`delta`].
///
/// ```
/// use certus::account::{Plan, Precision, delta_both_ways};
/// use certus::{exact::{NonNegative, parse}, mechanism::domination};
///
/// let plan = Plan::of(&domination(&"subsampled_laplace(scale=1, rate=1/10)".parse()?)?, 1);
/// let epsilon = NonNegative::new(parse("0.1")?)?;
/// // Whoever is in may show; whoever is not in is one of those who were not sampled: the loss is at most 0.0653.
/// let [forward, backward] = delta_both_ways(&plan, &epsilon, &Precision::default())?;
/// assert!(forward.enclosure.lower() > parse("0.01")? && backward.enclosure.upper() == parse("0")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If there is nothing to account for.
pub fn delta_both_ways(plan: &Plan, epsilon: &NonNegative, precision: &Precision) -> Result<[Answer; 2], AccountError> {
    PrivacyProfile::new(plan).delta_both_ways(epsilon, precision)
}

/// Encloses δ(ε), the largest of all directions'.
pub(super) fn of_directions(
    directions: &[Direction],
    (epsilon, precision): (&NonNegative, &Precision),
    purpose: Purpose<'_>,
    budget: &Budget,
    cache: &mut Cache,
) -> Result<Answer, AccountError> {
    length::refuse_long(directions, epsilon.get())?;
    let count = u64::try_from(directions.len()).unwrap_or(1);
    let mut most: Option<Answer> = None;
    for (left, direction) in (1..=count).rev().zip(directions) {
        // At ε = 0 it is the distance between P and Q, the same from either.
        if most.is_some()
            && epsilon.get().is_zero()
            && directions.first().is_some_and(|first| first.is_reverse_of(direction))
        {
            continue;
        }
        // Most is the first one's: the second is rarely the worst, and seldom near it. What the first leaves
        // is the second's.
        let share = if left == 1 { budget.share(1) } else { budget.part(3, 4) };
        let question = Question { direction, epsilon, precision, purpose };
        if most.as_ref().is_some_and(|most| is_at_most(&question, most, &share)) {
            continue;
        }
        let answer = methods::delta(&question, &share, cache);
        most = Some(most.map_or(answer.clone(), |most| most.max(&answer)));
    }
    most.map(Answer::clamped).ok_or(AccountError::Empty)
}
