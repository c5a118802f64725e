//! What several mechanisms cost together.

use std::ffi::c_char;

use core_certus::{
    account::{self, Precision},
    guarantee::Relation,
    mechanism::{Spec, domination},
};

use crate::{
    answer::Answer,
    border,
    handle::{AnswerHandle, PlanHandle, create, find, free},
    number::{below_one, non_negative, optional_relation},
    status::{Failure, Status},
};

/// Of a plan: the neighbours that its mechanisms are for.
pub const CERTUS_AS_STATED: i32 = 0;
/// One input has a person's record more than the other.
pub const CERTUS_ADD_REMOVE: i32 = 1;
/// Inputs have the same number of records, and differ in one person's.
pub const CERTUS_CHANGE_ONE: i32 = 2;

/// The most digits that may be asked for, as of the command.
const MOST_DIGITS: u32 = 1000;

/// Mechanisms that run on the same data, each any number of times.
pub(crate) struct Plan(account::Plan);

impl Plan {
    fn new(specs: &[String], under: Option<Relation>) -> Result<Self, Failure> {
        if specs.is_empty() {
            return Err(account::AccountError::Empty.into());
        }
        let mut plan = account::Plan::new();
        for text in specs {
            let wrong = |error| Failure::argument("specs", error);
            let spec: Spec = text.parse().map_err(wrong)?;
            let copies = spec.copies().map_or(1, |copies| copies.get().into());
            let own = domination(&spec.without_copies()).map_err(wrong)?;
            let taken = match under {
                Some(relation) => own.under(relation).map_err(|error| Failure::argument("relation", error))?,
                None => own,
            };
            plan = plan.with(&taken, copies)?;
        }
        Ok(Self(plan))
    }
}

fn precision(digits: u32) -> Result<Precision, Failure> {
    match digits {
        0 => Ok(Precision::default()),
        1..=MOST_DIGITS => Ok(Precision { digits }),
        _ => Err(Failure::argument("digits", format_args!("must be 0 (the default), or from 1 to {MOST_DIGITS}"))),
    }
}

/// Mechanisms that run on the same data, adaptively or not.
///
/// specs: n texts, each perhaps with copies ("gaussian(sigma=10)*100"). relation: CERTUS_AS_STATED,
/// CERTUS_ADD_REMOVE or CERTUS_CHANGE_ONE, which takes what is for add/remove neighbours as two steps.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_plan_new(
    specs: *const *const c_char,
    n: usize,
    relation: i32,
    plan: *mut PlanHandle,
) -> Status {
    let make = || {
        let under = optional_relation(relation)?;
        // SAFETY: the caller's contract: n texts.
        Plan::new(&unsafe { border::texts(specs, n, "specs") }?, under)
    };
    // SAFETY: the caller's contract.
    unsafe { create(plan, make) }
}

/// The smallest delta at an epsilon, to so many significant digits, or 0 for the default.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_plan_delta(
    plan: PlanHandle,
    epsilon: *const c_char,
    digits: u32,
    answer: *mut AnswerHandle,
) -> Status {
    let make = || {
        let plan = find(plan)?;
        // SAFETY: the caller's contract.
        let epsilon = non_negative(&unsafe { border::text(epsilon, "epsilon") }?, "epsilon")?;
        Ok(Answer::new(&account::delta(&plan.0, &epsilon, &precision(digits)?)?, &plan.0))
    };
    // SAFETY: the caller's contract.
    unsafe { create(answer, make) }
}

/// The smallest epsilon at a delta, to so many significant digits, or 0 for the default.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_plan_epsilon(
    plan: PlanHandle,
    delta: *const c_char,
    digits: u32,
    answer: *mut AnswerHandle,
) -> Status {
    let make = || {
        let plan = find(plan)?;
        // SAFETY: the caller's contract.
        let delta = below_one(&unsafe { border::text(delta, "delta") }?, "delta")?;
        Ok(Answer::new(&account::epsilon(&plan.0, &delta, &precision(digits)?)?, &plan.0))
    };
    // SAFETY: the caller's contract.
    unsafe { create(answer, make) }
}

/// Frees a plan.
#[unsafe(no_mangle)]
pub extern "C" fn certus_plan_free(plan: PlanHandle) -> Status {
    free(plan)
}
