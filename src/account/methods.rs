//! The list of methods: which one is tried when, and for how much of the work.
//!
//! A new method is a file that implements [`Accountant`] and a row of [`METHODS`]. Rows are tried from the
//! first to the last; each one narrows what is known, and the first answer that is as narrow as the question
//! asks ends it.

use super::{
    Answer, Method,
    basic::BasicComposition,
    cache::Cache,
    chernoff::Chernoff,
    greatest::GreatestLoss,
    lattice::{self, Lattice},
    no_loss::NoLoss,
    profile::ClosedForm,
    question::Question,
    reference::Enumeration,
    spectral::{self, Spectral},
};
use crate::exact::Budget;

/// Steps that one question may take, about a nanosecond each: some seconds, whatever is asked.
pub(super) const MOST_STEPS: u64 = 32_000_000_000;

/// Steps of exact lattices and lists, for one ε or for all trials of a search: some seconds. A question that
/// these steps do not answer has the share of the later methods still.
pub(super) const LATTICE_STEPS: u64 = 2_000_000_000;

/// A direction of at most so many copies may have its joint outcomes enumerated.
pub(super) const ENUMERATED_COPIES: u128 = 3;

/// An answer that is known to one part in so many is not made narrower by sums over frequencies.
const FINEST_OF_SPECTRA: u32 = 1_000_000;

/// A method of enclosing δ(ε) of one direction.
pub(super) trait Accountant: Sync {
    /// Encloses δ(ε) within a budget; `None` if the question is out of this method's reach.
    ///
    /// The result is an [`Answer`] and not an enclosure alone since one accountant may have several
    /// [`Method`]s, and says which one answered. The cache is what earlier questions of the same plan left,
    /// and is mutable since a method may leave more there.
    fn delta(&self, question: &Question<'_>, budget: &Budget, cache: &mut Cache) -> Option<Answer>;
}

/// A method's place in the list.
struct Row {
    accountant: &'static dyn Accountant,
    /// Whether the method is tried, given the best answer of the rows before it.
    is_tried: fn(&Question<'_>, Option<&Answer>) -> bool,
    /// The method may spend one part in so many of what is left of the budget.
    share: u64,
}

/// The methods in the order in which they are tried: those that cost nothing, those that are exact, and those
/// that reach everything.
const METHODS: [Row; 8] = [
    Row { accountant: &NoLoss, is_tried: |question, _| question.direction.is_empty(), share: 1 },
    Row { accountant: &GreatestLoss, is_tried: always, share: 1 },
    // Bounds that cost nothing decide where δ is next to 0 or to 1, and are there for all that follow to
    // narrow.
    Row { accountant: &Chernoff, is_tried: always, share: 1 },
    // Each pair has half of what is left when it is asked.
    Row { accountant: &ClosedForm, is_tried: |question, _| question.direction.of_one_copy().is_some(), share: 1 },
    // It takes a half of the budget for all digits, and then a third of what is left for fewer.
    Row { accountant: &Lattice, is_tried: always, share: 1 },
    Row {
        accountant: &Enumeration,
        is_tried: |question, _| question.direction.copies() <= ENUMERATED_COPIES,
        share: 2,
    },
    Row { accountant: &Spectral, is_tried: is_not_known, share: 1 },
    Row { accountant: &BasicComposition, is_tried: always, share: 2 },
];

fn always(_: &Question<'_>, _: Option<&Answer>) -> bool {
    true
}

/// An answer that is known to as many digits is not made narrower by sums over frequencies.
fn is_not_known(_: &Question<'_>, best: Option<&Answer>) -> bool {
    best.is_none_or(|best| !best.is_known_to(FINEST_OF_SPECTRA))
}

/// Encloses δ(ε) of one direction by the first method that answers as narrowly as is asked; what falls short
/// is narrowed by the next.
pub(super) fn delta(question: &Question<'_>, budget: &Budget, cache: &mut Cache) -> Answer {
    let mut best: Option<Answer> = None;
    for Row { accountant, is_tried, share } in &METHODS {
        if !is_tried(question, best.as_ref()) {
            continue;
        }
        let Some(answer) = accountant.delta(question, &budget.share(*share), cache) else { continue };
        let answer = match best {
            Some(best) if !answer.is_narrow => best.narrowed_by(&answer, question.precision),
            _ => answer,
        };
        // Below 2^-SMALLEST no digits are worth computing.
        if answer.is_narrow || answer.enclosure.upper() <= lattice::smallest() {
            return answer;
        }
        best = Some(answer);
    }
    best.unwrap_or_else(Answer::trivial)
}

/// Whether δ(ε) of a direction is shown to be at most what another direction's is at least, so that it need
/// not be enclosed: this is tried where the other's took long.
pub(super) fn is_at_most(question: &Question<'_>, other: &Answer, budget: &Budget) -> bool {
    let Question { direction, epsilon, .. } = question;
    other.method == Method::Spectral
        && spectral::is_at_most(direction, epsilon.get(), &other.enclosure.lower(), &budget.share(4))
}
