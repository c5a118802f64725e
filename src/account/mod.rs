//! Accounts: the smallest δ for an ε, and the smallest ε for a δ, of any number of mechanisms together, enclosed.
//!
//! A [`Plan`] says what runs how often. Its privacy-loss distribution is that of the sum of independent losses
//! ln(P(y)/Q(y)), y drawn from P, and δ(ε) = E[(1 − e^(ε − loss))₊]: no float decides anything, and the answer is
//! an interval that contains the truth.
//!
//! What saturates here, or has a limit, falls to the safe side:
//!
//! * **Digits and bits** (`bits.saturating_add(64)`): fewer digits than wanted make an enclosure wider, never false.
//! * **Steps of work** saturate upwards: what takes 2^64 steps is beyond any budget, and refused.
//! * **Copies** never saturate: a plan has less than 2^64, and they are added up as `u128`.
//! * **δ** is cut to \[0, 1\], in which the truth is.

mod answer;
mod basic;
mod chernoff;
mod curve;
mod direction;
mod dpsgd;
mod greatest;
mod inverse;
mod lattice;
mod length;
mod method;
mod plan;
mod privacy_profile;
mod profile;
mod reference;
mod simplified;
mod spectral;
mod summary;
#[cfg(test)]
mod tests;

pub use answer::{AccountError, Answer, Precision};
pub use direction::{Composed, Direction};
pub use dpsgd::DpSgd;
pub use method::Method;
pub use plan::{Part, Plan};
pub use privacy_profile::PrivacyProfile;
pub use summary::{
    GaussianDp, ProfilePoint, TradeOff, attacker_true_positive_rate, gaussian_dp, renyi, trade_off, zcdp, zcdp_delta,
};

use alloc::vec::Vec;

use num_traits::Zero;

use self::spectral::Memory;
use crate::{
    exact::{Budget, Enclosure, NonNegative, Probability, Rational, Scaled, Working},
    guarantee::Pair,
};

/// Steps that one question may take, about a nanosecond each: some seconds, whatever is asked.
const MOST_STEPS: u64 = 32_000_000_000;

/// Steps of exact lattices and lists, for one ε or for all that a search asks: some seconds. What falls short has a grid's share still.
const LATTICE_STEPS: u64 = 2_000_000_000;

/// Steps of a list that is made for every trial of a search: a second for a hundred of them.
const LISTED_STEPS: u64 = 10_000_000;

/// Up to so many digits a lattice that does not reach them reaches none.
const COARSE_DIGITS: u32 = 6;

/// Encloses δ(ε) = max over the two directions of Σ_y max(P(y) − e^ε·Q(y), 0), of the whole plan: of its pairs, which are the mechanisms' own where [`Plan::is_attained`], and otherwise
/// bound them from above.
///
/// The work is bounded, by a count and not by a clock. A question that takes more gets the best enclosure found until then, and is not `is_narrow`.
///
/// # Errors
///
/// If there is nothing to account for, or a parameter has more than 8,192 binary digits.
pub fn delta(plan: &Plan, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
    PrivacyProfile::new(plan).delta(epsilon, precision)
}

/// Encloses δ(ε) of (M(D), M(D′)) and of (M(D′), M(D)), D with the person and D′ without, each by itself: the larger of the two is [`delta`].
/// A curve of tests takes both ([`trade_off`]). The work is bounded as that of [`delta`].
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

/// Which methods are worth their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Methods {
    All,
    /// No grid: where δ is asked for again and again, and a grid answers all of it by itself.
    Quick,
}

/// δ(ε), the largest of all directions'.
fn of_directions(
    directions: &[Direction],
    epsilon: &NonNegative,
    precision: &Precision,
    methods: Methods,
    budget: &Budget,
    memory: &mut Memory,
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
        // Most is the first one's: the second is rarely the worst, and seldom near it. What the first leaves is the second's.
        let share = if left == 1 { budget.share(1) } else { budget.part(3, 4) };
        if let Some(most) = &most
            && most.method == Method::Spectral
            && spectral::is_at_most(direction, epsilon.get(), &most.enclosure.lower(), &share)
        {
            continue;
        }
        let answer = one_direction(direction, epsilon, precision, methods, &share, memory);
        most = Some(most.map_or(answer.clone(), |most| most.max(&answer)));
    }
    most.map(clamped).ok_or(AccountError::Empty)
}

/// δ is a probability, whatever was rounded on the way.
fn clamped(answer: Answer) -> Answer {
    let enclosure = answer.enclosure.intersection(&whole()).unwrap_or_else(whole);
    Answer { enclosure, ..answer }
}

/// [0, 1].
fn whole() -> Enclosure {
    Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0))
}

/// Encloses ε(δ), the smallest ε ≥ 0 with δ(ε) ≤ δ, of the plan's pairs as in [`delta`]. The work is bounded as there.
///
/// # Errors
///
/// If there is nothing to account for, a parameter has more than 8,192 binary digits, no ε will do, or none
/// is found within the bounds.
pub fn epsilon(plan: &Plan, delta: &Probability, precision: &Precision) -> Result<Answer, AccountError> {
    smallest(directions(plan), delta, precision).map_err(|error| match error {
        AccountError::NoEpsilon if !plan.is_attained() => AccountError::NoEpsilonKnown,
        error => error,
    })
}

/// The smallest ε of the pairs.
fn smallest(directions: Vec<Direction>, delta: &Probability, precision: &Precision) -> Result<Answer, AccountError> {
    if directions.is_empty() {
        return Err(AccountError::Empty);
    }
    length::refuse_long(&directions, delta.get())?;
    let budget = Budget::new(MOST_STEPS);
    let bits = precision.bits().saturating_mul(2).saturating_add(64);
    let mut answers = Vec::new();
    let mut open = Vec::new();
    for direction in directions {
        if delta.get().is_zero() {
            let greatest = greatest::loss(&direction, bits)?.finite().ok_or(AccountError::NoEpsilon)?;
            answers.push(greatest_answer(&greatest, precision));
            continue;
        }
        // Below the probability that the loss is infinite no ε will do; at it, the greatest finite loss.
        let revealed = infinite_mass(&direction, delta.get(), precision).ok_or(AccountError::OutOfReach)?;
        if revealed.lower() > *delta.get() {
            return Err(AccountError::NoEpsilon);
        }
        if greatest::infinite_mass(&direction).is_some_and(|mass| mass == *delta.get())
            && let Some(greatest) = lattice::greatest_finite_loss(&direction, bits)
        {
            answers.push(greatest_answer(&greatest, precision));
            continue;
        }
        // A tie at ε = 0 is seen only where δ(0) is known exactly.
        if let Some(pairs) = direction.of_one_copy()
            && let Some(all) = pairs.iter().map(profile::exact_at_zero).collect::<Option<Vec<_>>>()
            && all.iter().all(|at_zero| at_zero <= delta.get())
        {
            answers.push(greatest_answer(&Enclosure::from_integer(0, 0), precision));
            continue;
        }
        // Bounds that cost nothing may show that δ(0) ≤ δ.
        let at_zero = chernoff::delta(&direction, &NonNegative::zero(), precision);
        if let Some(at_zero) = at_zero.filter(|at_zero| at_zero.enclosure.upper() <= *delta.get()) {
            answers.push(Answer { enclosure: Enclosure::from_integer(0, 0), method: at_zero.method, is_narrow: true });
            continue;
        }
        open.push(direction);
    }
    if !open.is_empty() {
        answers.push(search(&open, delta, precision, &budget)?);
    }
    answers.into_iter().reduce(|most, answer| most.max(&answer)).ok_or(AccountError::Empty)
}

fn greatest_answer(greatest: &Enclosure, precision: &Precision) -> Answer {
    let enclosure = greatest.max_zero();
    let is_narrow = answer::is_narrow(&enclosure, precision);
    Answer { enclosure, method: Method::GreatestLoss, is_narrow }
}

/// ε(δ) for a δ > 0 that every direction reaches.
fn search(
    directions: &[Direction],
    delta: &Probability,
    precision: &Precision,
    budget: &Budget,
) -> Result<Answer, AccountError> {
    let bits = precision.bits().saturating_add(16);
    let greatest = directions.iter().map(|direction| greatest::loss(direction, bits).ok()?.finite());
    let bound = greatest.collect::<Option<Vec<_>>>().and_then(|all| all.iter().map(Enclosure::upper).max());
    let bound = bound.map(|bound| bound.max(Rational::zero()));
    // What was composed for one trial answers the next.
    let memory = core::cell::RefCell::new(Memory::default());
    let profile = |epsilon: &NonNegative, precision: &Precision| {
        let budget = at_most(&budget.share(4), LATTICE_STEPS);
        of_directions(directions, epsilon, precision, Methods::All, &budget, &mut memory.borrow_mut())
    };
    inverse::epsilon(&profile, delta, bound.as_ref(), precision)
}

/// At most so many steps of a budget.
fn at_most(budget: &Budget, steps: u64) -> Budget {
    budget.share(budget.left() / steps + 1)
}

/// Whether a direction has so few copies that their outcomes may be listed.
fn is_few(direction: &Direction) -> bool {
    direction.copies() <= 3
}

/// Whether an answer is known to one part in so many.
fn is_known_to(answer: &Answer, parts: u32) -> bool {
    answer.enclosure.width() * Rational::from_integer(parts.into()) <= answer.enclosure.lower()
}

/// The directions of a plan without what loses nothing: subsampling at rate 1 is none, and at rate 0, at no distance, or where P = Q, there is no loss.
fn directions(plan: &Plan) -> Vec<Direction> {
    let simple = |direction: &Direction| -> Direction {
        let parts = direction.iter().map(|part| {
            let mut pairs: Vec<Pair> = part.pairs().iter().filter_map(simplified::simplified).collect();
            pairs.sort();
            pairs.dedup();
            (pairs, part.copies())
        });
        Direction::of(parts.filter(|(pairs, _)| !pairs.is_empty()))
    };
    let mut directions: Vec<Direction> = plan.directions().iter().map(simple).collect();
    directions.dedup();
    directions
}

/// The probability that a direction's loss is infinite, 1 − Π(1 − p)^k, to digits enough to compare it with δ.
fn infinite_mass(direction: &Direction, delta: &Rational, precision: &Precision) -> Option<Enclosure> {
    let small = u32::try_from(delta.denom().bits()).ok()?;
    let working = Working::new(precision.bits().saturating_add(small).saturating_add(128));
    let one = Enclosure::from_integer(1, 0);
    let mut finite = Scaled::one(working.bits());
    for part in direction {
        let masses =
            part.pairs().iter().map(|pair| profile::infinite_mass(pair, &working)).collect::<Option<Vec<_>>>()?;
        let most = masses.into_iter().max_by(|a, b| a.lower().cmp(&b.lower()))?;
        finite = finite.mul(&Scaled::from_enclosure(&one.sub(&most), working.bits()).pow(part.copies()));
    }
    Some(one.sub(&finite.fixed(working.bits())?).max_zero())
}

/// δ(ε) of one direction, by the first method that reaches it; what falls short is narrowed by the next.
fn one_direction(
    direction: &Direction,
    epsilon: &NonNegative,
    precision: &Precision,
    methods: Methods,
    budget: &Budget,
    memory: &mut Memory,
) -> Answer {
    let zero = |method| Answer { enclosure: Enclosure::from_integer(0, 0), method, is_narrow: true };
    if direction.is_empty() {
        return zero(Method::NoLoss);
    }
    if greatest::is_at_most(direction, epsilon.get()) {
        return zero(Method::GreatestLoss);
    }
    let mut best = chernoff::delta(direction, epsilon, precision).unwrap_or_else(|| Answer {
        enclosure: whole(),
        method: Method::Trivial,
        is_narrow: false,
    });
    // Next to 1 it is all that is wanted, and below 2^-SMALLEST no digits are worth computing.
    if best.is_narrow || best.enclosure.upper() <= lattice::smallest() {
        return best;
    }
    let narrowed = |best: &mut Answer, answer: Option<Answer>| {
        if let Some(answer) = answer {
            *best = if answer.is_narrow { answer } else { best.narrowed_by(&answer, precision) };
        }
        best.is_narrow.then(|| best.clone())
    };
    // The supremum of several profiles is their pointwise maximum, where nothing is composed.
    if let Some(pairs) = direction.of_one_copy() {
        let each = pairs.iter().map(|pair| profile::delta(pair, epsilon, precision, &budget.share(2)));
        let all = each.collect::<Option<Vec<_>>>();
        let most = all.and_then(|all| all.into_iter().reduce(|most, answer| most.max(&answer)));
        if let Some(answer) = narrowed(&mut best, most) {
            return answer;
        }
    }
    let for_lattice = at_most(&budget.share(2), LATTICE_STEPS);
    let on_lattice = lattice::delta(direction, epsilon, precision, &for_lattice);
    if let Some(answer) = narrowed(&mut best, on_lattice.clone()) {
        return answer;
    }
    // More digits than can be had are no reason for fewer than can.
    if methods == Methods::All && precision.digits > COARSE_DIGITS {
        let known = on_lattice.as_ref();
        let deepest =
            lattice::within_reach(direction, epsilon, precision, known, &at_most(&budget.share(3), LATTICE_STEPS));
        narrowed(&mut best, deepest.map(|answer| Answer { is_narrow: false, ..answer }));
    }
    // A few copies of few outcomes each are listed at once, and exactly.
    if is_few(direction)
        && let Some(answer) =
            narrowed(&mut best, reference::delta(direction, epsilon, precision, &budget.share(2)).ok())
    {
        return answer;
    }
    // A spectrum is not what makes an answer narrower than a millionth of itself.
    if methods == Methods::All
        && !is_known_to(&best, 1_000_000)
        && let Some(answer) = narrowed(&mut best, by_spectrum(direction, epsilon, precision, budget, memory))
    {
        return answer;
    }
    if let Some(answer) = narrowed(&mut best, basic::delta(direction, epsilon, precision, &budget.share(2))) {
        return answer;
    }
    best
}

/// δ(ε) by the spectral method.
fn by_spectrum(
    direction: &Direction,
    epsilon: &NonNegative,
    precision: &Precision,
    budget: &Budget,
    memory: &mut Memory,
) -> Option<Answer> {
    let enclosure = spectral::delta(direction, epsilon, precision, budget, memory)?;
    Some(Answer { is_narrow: answer::is_narrow(&enclosure, precision), enclosure, method: Method::Spectral })
}
