//! The lattice as a method of an account: all digits that are asked for, or as many as are within reach.

use super::{
    super::{
        Answer, Precision,
        answer::is_narrow,
        cache::Cache,
        methods::{Accountant, LATTICE_STEPS},
        question::{Purpose, Question},
    },
    delta,
};
use crate::exact::Budget;

/// Up to so many digits a lattice that does not reach them reaches none.
const COARSE_DIGITS: u32 = 6;

/// Exact lattices, and lists of losses.
pub(in super::super) struct Lattice;

impl Accountant for Lattice {
    fn delta(&self, question: &Question<'_>, budget: &Budget, _: &mut Cache) -> Option<Answer> {
        let first = delta(question, &budget.share(2).at_most(LATTICE_STEPS));
        if first.as_ref().is_some_and(|first| first.is_narrow)
            || question.purpose != Purpose::Answer
            || question.precision.digits <= COARSE_DIGITS
        {
            return first;
        }
        // More digits than can be had are no reason for fewer than can.
        let deepest = within_reach(question, first.as_ref(), &budget.share(3).at_most(LATTICE_STEPS));
        let deepest = deepest.map(|answer| Answer { is_narrow: false, ..answer });
        match (first, deepest) {
            (Some(first), Some(deepest)) => Some(first.narrowed_by(&deepest, question.precision)),
            (first, deepest) => first.or(deepest),
        }
    }
}

/// Encloses δ(ε) at as many digits as are within reach, where those of the precision are not: what was known
/// until then has some already.
fn within_reach(question: &Question<'_>, known: Option<&Answer>, budget: &Budget) -> Option<Answer> {
    let wanted = question.precision.digits;
    let reached = match known {
        Some(known) => {
            let has = |digits: &u32| is_narrow(&known.enclosure, &Precision { digits: *digits });
            (1..wanted).rev().find(has).unwrap_or(0)
        }
        // So few that there is no hope for more where they are out of reach.
        None => 5,
    };
    let found = |digits: u32| {
        let precision = Precision { digits };
        delta(&Question { precision: &precision, ..*question }, &budget.share(3)).filter(|answer| answer.is_narrow)
    };
    let (mut low, mut high) = (reached + 1, wanted);
    let mut best = (low < high).then(|| found(low)).flatten()?;
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        match found(middle) {
            Some(answer) => (best, low) = (answer, middle),
            None => high = middle,
        }
    }
    Some(best)
}
