//! ε(δ) of a plan: what is known of it without a search, and the search over its profile.

use alloc::vec::Vec;

use num_traits::Zero;

use super::{
    AccountError, Answer, Direction, Method, Plan, Precision,
    cache::Cache,
    chernoff,
    closer::closer,
    delta::of_directions,
    ends::Ends,
    greatest, infinite, inverse, lattice, length,
    methods::MOST_STEPS,
    profile,
    question::{Purpose, Question},
};
use crate::exact::{Budget, Enclosure, NonNegative, Probability, Rational};

/// Encloses ε(δ), the smallest ε ≥ 0 with δ(ε) ≤ δ, of the plan's pairs as in [`delta`](super::delta). The
/// work is bounded as there.
///
/// # Errors
///
/// If there is nothing to account for, a parameter has more than 8,192 binary digits, no ε will do, or none
/// is found within the bounds.
pub fn epsilon(plan: &Plan, delta: &Probability, precision: &Precision) -> Result<Answer, AccountError> {
    let mut ends = Ends::new(plan);
    let found = match ends.exact() {
        Some(side) => smallest(&side.directions, delta, precision),
        None => ends.epsilon(delta.get(), precision, |directions, delta, precision| {
            smallest(directions, &Probability::new(delta.clone()).map_err(|_| AccountError::OutOfReach)?, precision)
        }),
    };
    found.map_err(|error| match error {
        AccountError::NoEpsilon if !plan.is_attained() => AccountError::NoEpsilonKnown,
        error => error,
    })
}

/// Encloses the smallest ε of the pairs: the largest of all directions', of which one search serves those
/// that need any.
fn smallest(directions: &[Direction], delta: &Probability, precision: &Precision) -> Result<Answer, AccountError> {
    if directions.is_empty() {
        return Err(AccountError::Empty);
    }
    length::refuse_long(directions, delta.get())?;
    let mut answers = Vec::new();
    let mut open = Vec::new();
    for direction in directions {
        match without_search(direction, delta.get(), precision)? {
            Some(answer) => answers.push(answer),
            None => open.push(direction.clone()),
        }
    }
    if !open.is_empty() {
        let budget = Budget::new(MOST_STEPS);
        answers.push(Search::new(&open, delta, precision).over_profile(&budget)?);
    }
    answers.into_iter().reduce(|most, answer| most.max(&answer)).ok_or(AccountError::Empty)
}

/// Encloses ε(δ) of one direction where it is the greatest loss or 0; `None` if it has to be searched for.
fn without_search(
    direction: &Direction,
    delta: &Rational,
    precision: &Precision,
) -> Result<Option<Answer>, AccountError> {
    let bits = precision.bits().saturating_mul(2).saturating_add(64);
    let greatest = |loss: &Enclosure| Answer::new(loss.max_zero(), Method::GreatestLoss, precision);
    if delta.is_zero() {
        let loss = greatest::loss(direction, bits)?.finite().ok_or(AccountError::NoEpsilon)?;
        return Ok(Some(greatest(&loss)));
    }
    // Below the probability that the loss is infinite no ε will do; at it, the greatest finite loss.
    let revealed = infinite::mass(direction, delta, precision).ok_or(AccountError::OutOfReach)?;
    if revealed.lower() > *delta {
        return Err(AccountError::NoEpsilon);
    }
    if infinite::exact_mass(direction).is_some_and(|mass| mass == *delta)
        && let Some(loss) = lattice::greatest_finite_loss(direction, bits)
    {
        return Ok(Some(greatest(&loss)));
    }
    // A tie at ε = 0 is seen only where δ(0) is known exactly.
    if let Some(pairs) = direction.of_one_copy()
        && let Some(all) = pairs.iter().map(profile::exact_at_zero).collect::<Option<Vec<_>>>()
        && all.iter().all(|at_zero| at_zero <= delta)
    {
        return Ok(Some(Answer::zero(Method::GreatestLoss)));
    }
    // Bounds that cost nothing may show that δ(0) ≤ δ.
    let at_zero = chernoff::delta(&Question::new(direction, &NonNegative::zero(), precision));
    let at_zero = at_zero.filter(|at_zero| at_zero.enclosure.upper() <= *delta);
    Ok(at_zero.map(|at_zero| Answer::zero(at_zero.method)))
}

/// The search for ε(δ), for a δ > 0 that every direction reaches.
struct Search<'a> {
    directions: &'a [Direction],
    delta: &'a Probability,
    precision: &'a Precision,
    /// At least ε(δ), where every loss is bounded: the greatest.
    bound: Option<Rational>,
}

impl<'a> Search<'a> {
    fn new(directions: &'a [Direction], delta: &'a Probability, precision: &'a Precision) -> Self {
        let bits = precision.bits().saturating_add(16);
        let greatest = directions.iter().map(|direction| greatest::loss(direction, bits).ok()?.finite());
        let bound = greatest.collect::<Option<Vec<_>>>().and_then(|all| all.iter().map(Enclosure::upper).max());
        let bound = bound.map(|bound| bound.max(Rational::zero()));
        Self { directions, delta, precision, bound }
    }

    /// Inverts the profile δ(ε). Its trials share a cache: what one of them computes, the others read.
    fn over_profile(&self, budget: &Budget) -> Result<Answer, AccountError> {
        let mut cache = Cache::default();
        let trials = budget.share(2);
        let mut profile = |epsilon: &NonNegative, precision: &Precision| {
            self.profile((epsilon, precision), Purpose::Trial(self.delta.get()), &trials.share(2), &mut cache)
        };
        let found = inverse::epsilon(&mut profile, self.delta, self.bound.as_ref(), self.precision)?;
        if found.is_narrow || found.method != Method::Spectral {
            return Ok(found);
        }
        // Trials of a method that takes long are rough. A few that are as fine as answers close in further.
        let mut cache = Cache::default();
        let mut profile = |epsilon: &NonNegative, precision: &Precision| {
            self.profile((epsilon, precision), Purpose::Answer, &budget.share(2), &mut cache)
        };
        Ok(closer(&mut profile, self.delta.get(), &found, self.precision))
    }

    fn profile(
        &self,
        at: (&NonNegative, &Precision),
        purpose: Purpose<'_>,
        budget: &Budget,
        cache: &mut Cache,
    ) -> Result<Answer, AccountError> {
        of_directions(self.directions, at, purpose, budget, cache)
    }
}
