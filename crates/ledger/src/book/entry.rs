//! What records say, as JSON: exact numbers are strings, and a key that is not known is refused.

use std::collections::BTreeMap;

use certus::{
    guarantee::{Guarantee, Relation},
    mechanism::Spec,
};
use serde::{Deserialize, Serialize};

use super::{Amount, Analyst, BookError, Budget, Parts, ReleaseId, parts::named};
use crate::{
    Digest,
    digest::{from_hex, to_hex},
};

/// The largest payload of an opening or a debit, in bytes.
pub const MAX_ENTRY_BYTES: usize = 1 << 20;

/// The largest result, in bytes.
pub const MAX_RESULT_BYTES: usize = 16 << 20;

/// What a ledger is opened with. It cannot change afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// Whom the budget protects.
    pub relation: Relation,
    /// What may be spent in all.
    pub budget: Budget,
    /// What each analyst may spend of it. A debit by an analyst counts against both.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub analysts: BTreeMap<Analyst, Budget>,
}

/// What a mechanism costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// What runs; `*k` multiplies the copies.
    pub spec: Spec,
    /// How often it runs.
    pub copies: u64,
    /// What **one** run guarantees; a declared plan does not look at it.
    pub guarantee: Option<Guarantee>,
}

/// What is to be booked before noise is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Debit {
    /// The release. A retry of one whose result was lost has the same name, and pays again.
    pub release: ReleaseId,
    /// Whose budget it counts against, beside that of the dataset.
    pub analyst: Option<Analyst>,
    /// The plan of the release. One release has one plan.
    pub plan: Digest,
    /// What runs; at least one mechanism.
    pub costs: Vec<Cost>,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Entry {
    Opening(OpeningEntry),
    Debit(DebitEntry),
    Result(ResultEntry),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpeningEntry {
    /// 128 random bits: no two ledgers have a record in common.
    pub(super) ledger: String,
    pub(super) opening: Opening,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DebitEntry {
    pub(super) release: ReleaseId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) analyst: Option<Analyst>,
    pub(super) plan: Digest,
    pub(super) costs: Vec<CostEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CostEntry {
    /// The canonical spec, without its copies.
    pub(super) spec: String,
    pub(super) copies: u64,
    /// What one run costs, in the kind of the budget and rounded up; nothing in a declared plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) each: Option<Amount>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultEntry {
    pub(super) release: ReleaseId,
    /// The record of the debit that paid for it.
    pub(super) debit: Digest,
    pub(super) output: Output,
}

/// Bytes: as text, or as hex digits where they are no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Output {
    Text(String),
    Hex(String),
}

impl Output {
    pub(super) fn of(bytes: &[u8]) -> Self {
        // What JSON escapes takes two bytes, or six; hex takes two for every byte.
        let escaped = |byte: &u8| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
            0..0x20 => 6,
            _ => 1,
        };
        match std::str::from_utf8(bytes) {
            Ok(text) if bytes.iter().map(escaped).sum::<usize>() <= bytes.len().saturating_mul(2) => {
                Self::Text(text.to_owned())
            }
            _ => Self::Hex(to_hex(bytes)),
        }
    }

    pub(super) fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.into_bytes()),
            Self::Hex(digits) => from_hex(&digits),
        }
    }
}

/// All costs of a debit together, in the kind of a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Charge(Budget);

impl Charge {
    pub(super) fn budget(&self) -> &Budget {
        &self.0
    }
}

impl DebitEntry {
    /// The costs in the kind of a budget: converted where that follows, and rounded up.
    pub(super) fn new(debit: &Debit, relation: Relation, budget: &Budget) -> Result<Self, BookError> {
        let costs = debit.costs.iter().map(|cost| CostEntry::new(cost, relation, budget)).collect::<Result<_, _>>()?;
        Ok(Self { release: debit.release.clone(), analyst: debit.analyst.clone(), plan: debit.plan, costs })
    }

    /// What all costs are together, of the same kind as the budget.
    pub(super) fn charge(&self, budget: &Budget) -> Result<Charge, BookError> {
        if self.costs.is_empty() || self.costs.iter().any(|cost| cost.copies == 0) {
            return Err(BookError::NoCost);
        }
        match budget {
            Budget::Sum(like) => {
                let add = |sum: Amount, cost: &CostEntry| sum.plus(&cost.each.as_ref()?.times(cost.copies));
                let sum = self.costs.iter().try_fold(like.nothing(), add);
                sum.map(|sum| Charge(Budget::Sum(sum))).ok_or(BookError::Kind)
            }
            Budget::Declared(_) => {
                let mut parts = Parts::new();
                let added = self.costs.iter().try_for_each(|cost| parts.add(&cost.spec, cost.copies));
                added.map(|()| Charge(Budget::Declared(parts))).ok_or(BookError::Kind)
            }
        }
    }
}

impl CostEntry {
    fn new(cost: &Cost, relation: Relation, budget: &Budget) -> Result<Self, BookError> {
        let (spec, copies) = named(&cost.spec, cost.copies).ok_or(BookError::NoCost)?;
        let each = match (budget, &cost.guarantee) {
            (Budget::Declared(_), _) => None,
            (Budget::Sum(_), None) => return Err(BookError::Kind),
            (Budget::Sum(_), Some(guarantee)) if guarantee.relation() != relation => {
                return Err(BookError::Relation { budget: relation, cost: guarantee.relation() });
            }
            (Budget::Sum(like), Some(guarantee)) => Some(like.cost(guarantee).map_err(BookError::Guarantee)?),
        };
        Ok(Self { spec, copies, each })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&b""[..], b"epsilon,1\n", "π\n".as_bytes(), &all, &[0; 40], &[0xff; 9]] {
            let output = Output::of(bytes);
            let json = serde_json::to_string(&output).unwrap();
            assert!(json.len() <= 2 * bytes.len() + 64, "{json}");
            assert_eq!(serde_json::from_str::<Output>(&json).unwrap().bytes().as_deref(), Some(bytes));
        }
    }

    #[test]
    fn an_unknown_key_is_refused() {
        let entry = r#"{"debit":{"release":"r","plan":"PLAN","costs":[{"spec":"laplace(scale=1)","copies":2}]}}"#;
        let entry = entry.replace("PLAN", &Digest::of(b"").to_string());
        assert!(matches!(serde_json::from_str(&entry), Ok(Entry::Debit(_))));
        for bad in [
            entry.replace("\"copies\":2", "\"copies\":2,\"free\":true"),
            entry.replace("\"release\":\"r\"", "\"release\":\"r\",\"release\":\"q\""),
            entry.replace("debit", "credit"),
            entry.replace("\"copies\":2", "\"copies\":-2"),
        ] {
            assert!(serde_json::from_str::<Entry>(&bad).is_err(), "{bad}");
        }
    }
}
