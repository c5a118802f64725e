//! Guarantees as text, in the grammar of specs: `pure(epsilon=1)`, `approximate(epsilon=1, delta=1e-6)`,
//! `zcdp(rho=1/2)`, `renyi(alpha=4, epsilon=1)`.

use core_certus::{
    exact::{Positive, Rational, Real, render},
    guarantee::{Guarantee, GuaranteeError, Privacy, Relation},
    mechanism::Spec,
};

use crate::status::Failure;

/// A guarantee of a stated kind, with its parameters checked.
fn guarantee(relation: Relation, privacy: &Privacy) -> Result<Guarantee, GuaranteeError> {
    match privacy {
        Privacy::Pure { epsilon } => Guarantee::pure(relation, epsilon.clone()),
        Privacy::Approximate { epsilon, delta } => Guarantee::approximate(relation, epsilon.clone(), delta.clone()),
        Privacy::Zcdp { rho } => Guarantee::zcdp(relation, rho.clone()),
        Privacy::Renyi { alpha, epsilon } => {
            let alpha = Positive::new(alpha.clone()).map_err(|_| GuaranteeError::Alpha)?;
            Guarantee::renyi(relation, &alpha, epsilon.clone())
        }
        _ => Err(GuaranteeError::KindsDiffer),
    }
}

/// Reads a guarantee; `name` is the argument's.
pub(crate) fn read(text: &str, relation: Relation, name: &str) -> Result<Guarantee, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::argument(name, error);
    let spec: Spec = text.parse().map_err(|error| wrong(&error))?;
    if spec.copies().is_some() {
        return Err(wrong(&"must be one guarantee, without copies (*k)"));
    }
    let keys: &[&str] = match spec.name() {
        "pure" => &["epsilon"],
        "approximate" => &["epsilon", "delta"],
        "zcdp" => &["rho"],
        "renyi" => &["alpha", "epsilon"],
        _ => return Err(wrong(&"must be pure(epsilon=...), approximate(...), zcdp(rho=...) or renyi(...)")),
    };
    let mut arguments = spec.reader();
    let mut numbers: Vec<Rational> = Vec::new();
    for key in keys {
        let number = arguments.take_number(key).map_err(|error| wrong(&error))?;
        numbers.push(number.ok_or_else(|| wrong(&format_args!("must have {key}")))?);
    }
    arguments.finish(keys).map_err(|error| wrong(&error))?;
    let privacy = match (spec.name(), numbers.as_slice()) {
        ("pure", [epsilon]) => Privacy::Pure { epsilon: Real::from(epsilon.clone()) },
        ("approximate", [epsilon, delta]) => {
            Privacy::Approximate { epsilon: Real::from(epsilon.clone()), delta: Real::from(delta.clone()) }
        }
        ("zcdp", [rho]) => Privacy::Zcdp { rho: Real::from(rho.clone()) },
        ("renyi", [alpha, epsilon]) => Privacy::Renyi { alpha: alpha.clone(), epsilon: Real::from(epsilon.clone()) },
        _ => return Err(wrong(&"must have its parameters once each")),
    };
    guarantee(relation, &privacy).map_err(|error| wrong(&error))
}

/// Binary digits of a parameter that is not rational; a budget's all are.
const REAL_BITS: u32 = 128;

/// Writes a guarantee; a parameter that is not rational is rounded up.
pub(crate) fn written(guarantee: &Guarantee) -> Option<String> {
    let number = |value: &Real| match value.exact() {
        Some(value) => Some(render(value)),
        None => value.at_most(REAL_BITS).as_ref().map(render),
    };
    Some(match guarantee.privacy() {
        Privacy::Pure { epsilon } => format!("pure(epsilon={})", number(epsilon)?),
        Privacy::Approximate { epsilon, delta } => {
            format!("approximate(epsilon={}, delta={})", number(epsilon)?, number(delta)?)
        }
        Privacy::Zcdp { rho } => format!("zcdp(rho={})", number(rho)?),
        Privacy::Renyi { alpha, epsilon } => format!("renyi(alpha={}, epsilon={})", render(alpha), number(epsilon)?),
        _ => return None,
    })
}
