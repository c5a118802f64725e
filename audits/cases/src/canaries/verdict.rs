//! The audits of one training: of its claim and of its plan, by directions, and of its claim by sentences.

use certus::{
    bits::Bits,
    exact::{Positive, Probability, from_f64},
    guarantee::Relation,
    mechanism::Spec,
};
use certus_audit::{
    Claim,
    canaries::{Canaries, Canary, Guessing, Method, OneRun, OneRunReport, Pairs, Plans, default_guesses},
};

use super::{CONFIDENCE, arms::Arm};
use crate::{
    CaseError,
    pin::{account::spent, private::RESOLUTION},
};

/// What an accountant was told, with what he says of it.
pub(super) struct ClaimedPlan {
    told: Positive,
    rate: Probability,
    /// At most its ε.
    pub(super) epsilon: f64,
    /// The plan, `dp_sgd(noise_multiplier=8, …)*1000`, and the same with its noise varied.
    pub(super) plans: Plans,
}

impl ClaimedPlan {
    /// What the accountant of this training was told.
    pub(super) fn new(arm: &Arm, steps: u64, coordinates: usize, delta: &Probability) -> Result<Self, CaseError> {
        let (told, rate) = (arm.told.clone(), arm.told_rate.clone());
        let plan: Spec = format!(
            "dp_sgd(noise_multiplier={}, rate={rate}, clip={RESOLUTION}, coordinates={coordinates})*{steps}",
            told.get()
        )
        .parse()?;
        let epsilon = spent(&told, &rate, steps, coordinates, delta)?;
        Ok(Self { told, rate, epsilon, plans: Plans::new(&[plan], Relation::AddRemove, Some(delta.clone()))? })
    }

    /// Whether another training claims the same.
    pub(super) fn is_of(&self, arm: &Arm) -> bool {
        self.told == arm.told && self.rate == arm.told_rate
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

/// The confidence of two verdicts that share the α of one.
fn halved() -> f64 {
    f64::midpoint(CONFIDENCE, 1.0)
}

/// An audit of (ε, δ), whatever the mechanism. With `is_half` of α, where another verdict has the other half.
pub(super) fn of_claim(
    canaries: &Canaries,
    guessing: Guessing,
    epsilon: f64,
    delta: &Probability,
    is_half: bool,
) -> Result<OneRunReport, CaseError> {
    let confidence = if is_half { halved() } else { CONFIDENCE };
    let claim = Claim::new(from_f64(epsilon)?, delta.get().clone())?;
    let audit = OneRun::new(confidence)?.method(Method::Steinke).guessing(guessing).guesses(&guesses(canaries));
    Ok(audit.run(canaries, &mut Pairs::new(claim))?)
}

/// An audit of a plan: of its curve, and of the plan itself, whose conditions hold of directions.
pub(super) fn of_plan(canaries: &Canaries, plans: &mut Plans) -> Result<OneRunReport, CaseError> {
    let audit = OneRun::new(halved())?.guessing(Guessing::Ratios).guesses(&guesses(canaries)).independent();
    Ok(audit.run(canaries, plans)?)
}
