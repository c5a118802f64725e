//! The audits of one training: of its claim by directions and by sentences, and of its plan by directions.

use certus::{
    bits::Bits,
    exact::{Probability, from_f64},
    guarantee::Relation,
    mechanism::Spec,
};
use certus_audit::{
    Claim,
    canaries::{
        Canaries, Canary, Family, Guessing, Method, OneRun, OneRunReport, Pairs, Plans, Tested, default_guesses, plan,
    },
};

use super::{CONFIDENCE, arms::Arm};
use crate::{
    CaseError,
    pin::{account::spent, private::RESOLUTION},
};

/// What an accountant was told, with what he says of it.
pub(super) struct ClaimedPlan {
    /// At most its ε.
    pub(super) epsilon: f64,
    /// The plan, `dp_sgd(noise_multiplier=8, …)*1000`, and the same with its noise varied.
    plans: Plans,
}

impl ClaimedPlan {
    /// What the accountant of this training was told.
    pub(super) fn new(arm: &Arm, steps: u64, coordinates: usize, delta: &Probability) -> Result<Self, CaseError> {
        let (told, rate) = (&arm.told, &arm.told_rate);
        let plan: Spec = format!(
            "dp_sgd(noise_multiplier={}, rate={rate}, clip={RESOLUTION}, coordinates={coordinates})*{steps}",
            told.get()
        )
        .parse()?;
        let epsilon = spent(told, rate, steps, coordinates, delta)?;
        Ok(Self { epsilon, plans: Plans::new(&[plan], Relation::AddRemove, Some(delta.clone()))? })
    }

    /// Whether a run is told from the plan. All canaries are guessed, and its δ(0) says how many may be right.
    pub(super) fn is_told_from(&mut self, canaries: &Canaries) -> Result<bool, CaseError> {
        let right = canaries.right(Guessing::Ratios, &[canaries.len()]).into_iter().sum();
        let p_value = plan::p_value(&self.plans.distance(0)?, canaries.len(), canaries.len(), right);
        Ok(p_value <= 1.0 - CONFIDENCE)
    }

    /// The same, and the plan with the least noise that it is told from: how much ε it shows, if it is such a plan.
    pub(super) fn along(&mut self, canaries: &Canaries) -> Result<Tested, CaseError> {
        Ok(OneRun::new(CONFIDENCE)?.guessing(Guessing::Ratios).run_plan(canaries, &mut self.plans)?)
    }
}

/// What canaries are, with their scores.
pub(super) fn canaries(scores: &[f64], coins: &[bool], bits: &mut impl Bits) -> Result<Canaries, CaseError> {
    let list = scores.iter().zip(coins).map(|(score, is_in)| Canary { score: *score, is_in: *is_in });
    Ok(Canaries::new(&list.collect::<Vec<_>>(), bits)?)
}

/// How many guesses are made: the surest, and all. Both are fixed by the number of canaries.
fn guesses(canaries: &Canaries) -> Vec<u64> {
    let mut guesses = vec![default_guesses(canaries.len()), canaries.len()];
    guesses.dedup();
    guesses
}

/// More ε than any number of canaries shows: what claims more is audited as if it claimed this.
const MOST: f64 = 100.0;

/// An audit of (ε, δ), whatever the mechanism.
pub(super) fn of_claim(
    canaries: &Canaries,
    guessing: Guessing,
    epsilon: f64,
    delta: &Probability,
) -> Result<OneRunReport, CaseError> {
    let claim = Claim::new(from_f64(epsilon.min(MOST))?, delta.get().clone())?;
    let audit = OneRun::new(CONFIDENCE)?.method(Method::Steinke).guessing(guessing).guesses(&guesses(canaries));
    Ok(audit.run(canaries, &mut Pairs::new(claim))?)
}
