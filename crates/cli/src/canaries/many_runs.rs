//! Many runs, one canary's score each: the two binomials of an event, which is chosen on a part of the runs.

use super::{declared::Declared, document::Judged};
use crate::Failure;
use certus::{
    account::{Plan, Precision, epsilon},
    bits::Bits,
    exact::Rational,
    mechanism::domination,
};
use certus_audit::{Audit, AuditError, Claim, canaries::Canary, fresh_seed, outputs::Recording};

/// Audits the scores of runs that had the canary against those of runs that had not.
pub(super) fn judge(runs: &[Canary], declared: &Declared, bits: &mut impl Bits) -> Result<Judged, Failure> {
    let claim = match declared.claimed()? {
        Some(claim) => claim,
        None => of_plan(declared)?,
    };
    let refused = |error: AuditError| match error {
        AuditError::Samples => {
            let least = certus_audit::LEAST_SAMPLES;
            let must = format!("must have at least {least} runs with the canary, and {least} without");
            Failure::argument("--canaries", must)
        }
        error => Failure::argument("--canaries", error),
    };
    let side = |is_in: bool, name: &str| {
        let scores: Vec<f64> = runs.iter().filter(|run| run.is_in == is_in).map(|run| run.score).collect();
        let mut recording = Recording::new();
        recording.floats(&scores);
        recording.finish(name)
    };
    let seed = fresh_seed(bits)?;
    let audit = Audit::new(claim.clone(), declared.confidence()?.float()).map_err(refused)?.seed(seed);
    let report = audit.run(&side(true, "in"), &side(false, "out")).map_err(refused)?;
    Ok(Judged::of_many_runs(declared, claim, &report))
}

/// (ε, δ) of a plan at the δ that is asked for, ε from above.
fn of_plan(declared: &Declared) -> Result<Claim, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::argument("--plan", error);
    let Some(delta) = declared.delta()? else {
        return Err(Failure::argument("--delta", "must be given beside --plan where the file has a column run"));
    };
    let relation = declared.neighbours()?;
    let mut plan = Plan::new();
    for spec in declared.specs()? {
        let one = domination(&spec.without_copies()).map_err(|error| refused(&error))?;
        let one = one.under(relation).map_err(|error| refused(&error))?;
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        plan = plan.with(&one, copies).map_err(|error| refused(&error))?;
    }
    let found = epsilon(&plan, &delta, &Precision::default()).map_err(|error| refused(&error))?;
    let epsilon: Rational = found.enclosure.upper();
    Claim::new(epsilon, delta.get().clone()).map_err(|error| refused(&error))
}
