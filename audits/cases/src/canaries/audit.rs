//! The audits of all trainings: an account of each plan that is claimed, and each training's verdicts.

use std::sync::atomic::{AtomicU64, Ordering};

use certus::exact::Probability;
use certus_audit::canaries::{Canaries, Guessing, OneRunReport, Tested};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{
    Scored,
    arms::Arm,
    verdict::{self, ClaimedPlan},
};
use crate::{CaseError, Watch, pin::account::of_one_number, random};

/// A training and its audits.
pub(super) struct Audited {
    pub(super) arm: Arm,
    /// The ε of what the accountant was told.
    pub(super) claimed: f64,
    /// The ε of what was done; infinite where there is none.
    pub(super) truth: f64,
    /// Of (ε, δ), by directions and the training's history.
    pub(super) by_directions: OneRunReport,
    /// Whether it is told from its plan, by the same.
    pub(super) is_another_plan: bool,
    /// How much ε it shows if it is such a plan, where that was searched.
    pub(super) along: Option<Tested>,
    /// Of (ε, δ), by sentences and the trained model alone.
    pub(super) by_sentences: OneRunReport,
    /// Where the secret's PIN is among the 10,000.
    pub(super) rank: usize,
    /// What directions scored, for the picture.
    pub(super) canaries: Canaries,
}

/// What all audits share.
pub(super) struct Setup<'s> {
    pub(super) seed: u64,
    pub(super) steps: u64,
    pub(super) rate: &'s Probability,
    pub(super) coordinates: usize,
    pub(super) delta: &'s Probability,
    pub(super) coins_of_sentences: &'s [bool],
    pub(super) coins_of_directions: &'s [bool],
}

/// Each training's audits, in order. Whoever claims the same plan has one account of it, which takes seconds.
pub(super) fn all(
    arms: Vec<Arm>,
    scored: Vec<Scored>,
    setup: &Setup<'_>,
    watch: &dyn Watch,
) -> Result<Vec<Audited>, CaseError> {
    let mut groups: Vec<Vec<(u64, Arm, Scored)>> = Vec::new();
    for (place, (arm, scored)) in (0..).zip(arms.into_iter().zip(scored)) {
        let is_same = |group: &&mut Vec<(u64, Arm, Scored)>| group.iter().all(|(_, other, _)| other.claims_as(&arm));
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push((place, arm, scored)),
            None => groups.push(vec![(place, arm, scored)]),
        }
    }
    let (done, count) = (AtomicU64::new(0), groups.len() as u64);
    let audited = groups.into_par_iter().map(|group| {
        let audited = together(group, setup);
        watch.step("auditing", done.fetch_add(1, Ordering::Relaxed) + 1, count);
        audited
    });
    let mut audited: Vec<(u64, Audited)> = audited.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    audited.sort_by_key(|(place, _)| *place);
    Ok(audited.into_iter().map(|(_, audited)| audited).collect())
}

/// Audits trainings that claim the same plan.
fn together(group: Vec<(u64, Arm, Scored)>, setup: &Setup<'_>) -> Result<Vec<(u64, Audited)>, CaseError> {
    let Some((_, first, _)) = group.first() else { return Ok(vec![]) };
    let mut plan = ClaimedPlan::new(first, setup.steps, setup.coordinates, setup.delta)?;
    let each = |(place, arm, scored): (u64, Arm, Scored)| -> Result<(u64, Audited), CaseError> {
        let ties = |name: &str| random::bits(setup.seed, name, place);
        let claimed = plan.epsilon;
        let truth = match &arm.truth {
            Some(_) if arm.is_correct => claimed,
            Some(multiplier) => of_one_number(multiplier, setup.rate, setup.steps, setup.delta)?,
            None => f64::INFINITY,
        };
        let canaries =
            verdict::canaries(&scored.directions, setup.coins_of_directions, &mut ties("ties of directions"))?;
        let pins = verdict::canaries(&scored.sentences, setup.coins_of_sentences, &mut ties("ties of sentences"))?;
        let audited = Audited {
            claimed,
            truth,
            by_directions: verdict::of_claim(&canaries, Guessing::Ratios, claimed, setup.delta)?,
            is_another_plan: plan.is_told_from(&canaries)?,
            along: if arm.is_searched { Some(plan.along(&canaries)?) } else { None },
            by_sentences: verdict::of_claim(&pins, Guessing::Ranks, claimed, setup.delta)?,
            rank: scored.rank,
            canaries,
            arm,
        };
        Ok((place, audited))
    };
    group.into_iter().map(each).collect()
}
