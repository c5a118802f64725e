//! What a mechanism guarantees.

use certus::guarantee::{self, Privacy, Relation};
use pyo3::prelude::*;

use crate::enclosure::Enclosure;

/// What is guaranteed, and for which neighbours.
///
/// kind is 'pure' (with epsilon), 'approximate' (epsilon, delta), 'zcdp' (rho) or 'renyi' (alpha, epsilon);
/// what a kind does not have is None. relation is 'add_remove', 'change_one', or None where whoever stated
/// the sensitivity knows for whom.
#[pyclass(module = "certus", frozen, get_all)]
pub(crate) struct Guarantee {
    kind: &'static str,
    epsilon: Option<Enclosure>,
    delta: Option<Enclosure>,
    rho: Option<Enclosure>,
    alpha: Option<Enclosure>,
    relation: Option<&'static str>,
}

impl Guarantee {
    /// That of the library.
    pub(crate) fn of(guarantee: &guarantee::Guarantee) -> Option<Self> {
        Self::new(guarantee.privacy(), Some(guarantee.relation()))
    }

    /// Its kind and its numbers.
    pub(crate) fn numbers(&self) -> String {
        let numbers = [("alpha", &self.alpha), ("epsilon", &self.epsilon), ("delta", &self.delta), ("rho", &self.rho)];
        let numbers = numbers.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?.to_string())));
        let numbers = numbers.map(|(name, value)| format!(", {name} = {value}")).collect::<String>();
        format!("{}{numbers}", self.kind)
    }

    /// All of it.
    pub(crate) fn text(&self) -> String {
        let neighbours = self.relation.unwrap_or("as the stated sensitivity has them");
        format!("{}; neighbours: {neighbours}", self.numbers())
    }

    /// Nothing if a number of it has no value, which no mechanism's has.
    pub(crate) fn new(privacy: &Privacy, relation: Option<Relation>) -> Option<Self> {
        let none = Self {
            kind: "",
            epsilon: None,
            delta: None,
            rho: None,
            alpha: None,
            relation: relation.map(Relation::key),
        };
        let of = Enclosure::of_real;
        Some(match privacy {
            Privacy::Pure { epsilon } => Self { kind: "pure", epsilon: Some(of(epsilon)?), ..none },
            Privacy::Approximate { epsilon, delta } => {
                Self { kind: "approximate", epsilon: Some(of(epsilon)?), delta: Some(of(delta)?), ..none }
            }
            Privacy::Zcdp { rho } => Self { kind: "zcdp", rho: Some(of(rho)?), ..none },
            Privacy::Renyi { alpha, epsilon } => {
                Self { kind: "renyi", alpha: Some(Enclosure::exactly(alpha)), epsilon: Some(of(epsilon)?), ..none }
            }
            _ => return None,
        })
    }
}

#[pymethods]
impl Guarantee {
    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<Guarantee {}>", self.text())
    }
}
