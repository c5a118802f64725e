//! What must hold of any text given as a release plan. A broken property panics.

use certus_ledger::plan::{PlanError, ReleasePlan};

/// A plan that is accepted has a canonical text and digest that do not depend on when they are asked for; its
/// contributions are bounded. A refusal is one short line.
pub fn plan(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else { return };
    let values = |name: &str| match name {
        "counties.csv" => Ok("county\nKent\nYork\n".to_owned()),
        _ => Err(PlanError::new("values_from", "there is no such file")),
    };
    match ReleasePlan::from_toml(text, &values) {
        Ok(plan) => {
            assert!(!plan.queries.is_empty(), "a plan has queries");
            let again = ReleasePlan::from_toml(text, &values).expect("read once, read twice");
            assert_eq!((plan.canonical(), plan.digest()), (again.canonical(), again.digest()), "one text, one digest");
            for query in &plan.queries {
                let kept = plan.contribution(query);
                assert!(kept.rows >= 1 && kept.groups <= kept.rows && kept.rows_per_group <= kept.rows, "{kept:?}");
            }
        }
        Err(error) => {
            let line = error.to_string();
            assert!(!line.is_empty() && line.chars().count() <= 1000, "an error is short: {line}");
            assert!(!line.chars().any(char::is_control), "an error is one printable line: {line:?}");
        }
    }
}
