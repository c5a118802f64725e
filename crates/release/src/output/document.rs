//! A release as a document: exact numbers as texts.

use certus::{
    exact::{Real, render},
    guarantee::{Guarantee, Privacy},
};
use certus_ledger::plan::{ReleasePlan, Statistic};
use serde::{Deserialize, Serialize};

use super::SCHEMA_VERSION;
use crate::{
    noise::{Released, Value},
    price::{Expected, Priced, Role},
};

/// A release, or with `--dry-run` what it would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The version of this document's form.
    pub schema_version: u32,
    /// Whether nothing was drawn.
    pub dry_run: bool,
    /// The digest of the plan's canonical text.
    pub plan: String,
    /// The name of the release in the ledger, if there is one.
    pub release: Option<String>,
    /// Whom it protects: `add_remove` or `change_one`.
    pub neighbours: String,
    /// What the plan may cost.
    pub budget: CostText,
    /// What it costs.
    pub cost: CostText,
    /// The probability with which an error stays within the stated accuracy.
    pub confidence: String,
    /// What the accuracy is of.
    pub accuracy_of: String,
    /// In the order of the plan.
    pub queries: Vec<QueryText>,
}

/// A cost: ε, ε and δ, or ρ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostText {
    /// `pure`, `approximate` or `zcdp`.
    pub kind: String,
    /// ε.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub epsilon: Option<String>,
    /// δ.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delta: Option<String>,
    /// ρ.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rho: Option<String>,
}

/// A query and its results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryText {
    /// Its name in the plan.
    pub name: String,
    /// Its statistic.
    pub statistic: String,
    /// The column that it is of.
    pub column: Option<String>,
    /// The columns of its groups.
    pub by: Vec<String>,
    /// What it costs.
    pub cost: CostText,
    /// What made it private.
    pub mechanisms: Vec<MechanismText>,
    /// `value` (in the unit of the column), `rank` or `count` (in rows).
    pub accuracy_kind: String,
    /// α at 95 % of each value, where it is known beforehand.
    pub accuracy: Option<String>,
    /// α at 95 % of all values at once, where there are several.
    pub accuracy_all: Option<String>,
    /// The threshold of noisy persons, where keys are thresholded.
    pub threshold: Option<String>,
    /// The results; none with `--dry-run`.
    pub results: Vec<RowText>,
}

/// A mechanism of a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MechanismText {
    /// What it makes private.
    pub role: String,
    /// The spec, as `certus account` takes it.
    pub spec: String,
    /// What it costs.
    pub cost: CostText,
    /// `fixed`, `prepared` or `reference`; nothing with `--dry-run`.
    pub sampler: Option<String>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowText {
    /// The values of the columns of its group.
    pub group: Vec<String>,
    /// The cell of a histogram, the rank of top-k, or `total`.
    pub cell: Option<String>,
    /// The number, exactly, or the word.
    pub value: String,
    /// α at 95 %.
    pub accuracy: Option<String>,
}

impl CostText {
    /// Of a guarantee.
    #[must_use]
    pub fn of(guarantee: &Guarantee) -> Self {
        let text = |value: &Real| Some(value.exact().map_or_else(|| value.to_string(), render));
        let none = Self { kind: String::new(), epsilon: None, delta: None, rho: None };
        match guarantee.privacy() {
            Privacy::Pure { epsilon } => Self { kind: "pure".into(), epsilon: text(epsilon), ..none },
            Privacy::Approximate { epsilon, delta } => {
                Self { kind: "approximate".into(), epsilon: text(epsilon), delta: text(delta), ..none }
            }
            Privacy::Zcdp { rho } => Self { kind: "zcdp".into(), rho: text(rho), ..none },
            _ => Self { kind: guarantee.to_string(), ..none },
        }
    }

    /// In a table: `epsilon = 1/10`.
    #[must_use]
    pub fn shown(&self) -> String {
        let parts = [("epsilon", &self.epsilon), ("delta", &self.delta), ("rho", &self.rho)];
        let parts = parts.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} = {value}")));
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl Role {
    fn key(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::CentredSum => "centred_sum",
            Self::ValueCount => "value_count",
            Self::CentredSquares => "centred_squares",
            Self::Total => "total",
            Self::Keys { .. } => "keys",
            Self::Choice => "choice",
        }
    }
}

impl Document {
    /// Of a priced plan, and of what was released of it; nothing with `--dry-run`.
    #[must_use]
    pub fn new(plan: &ReleasePlan, priced: &Priced, release: Option<&str>, released: Option<&[Released]>) -> Self {
        let queries = plan.queries.iter().zip(&priced.queries).enumerate();
        let queries = queries.map(|(place, (query, priced))| {
            let released = released.and_then(|released| released.get(place));
            let (accuracy_kind, accuracy, accuracy_all) = match &priced.expected {
                Expected::Value { alpha, all } => ("value", Some(render(alpha)), all.as_ref().map(render)),
                Expected::WithRelease => ("value", None, None),
                Expected::Rank { alpha } => ("rank", Some(render(alpha)), None),
                Expected::Count { alpha } => ("count", Some(render(alpha)), None),
            };
            let mechanisms = priced.parts.iter().enumerate().map(|(i, part)| MechanismText {
                role: part.role.key().into(),
                spec: part.spec.to_string(),
                cost: CostText::of(&part.cost),
                sampler: released.and_then(|released| released.samplers.get(i)).map(|&sampler| sampler.into()),
            });
            let threshold = priced.parts.iter().find_map(|part| match part.role {
                Role::Keys { threshold } => Some(threshold.to_string()),
                _ => None,
            });
            QueryText {
                name: query.name.clone(),
                statistic: match &query.statistic {
                    Statistic::Quantile { level, .. } => format!("quantile {}", render(level.get())),
                    statistic => statistic.key().into(),
                },
                column: query.statistic.column().map(Into::into),
                by: query.by.clone(),
                cost: CostText::of(&priced.cost),
                mechanisms: mechanisms.collect(),
                accuracy_kind: accuracy_kind.into(),
                accuracy,
                accuracy_all,
                threshold,
                results: released.map(rows).unwrap_or_default(),
            }
        });
        Self {
            schema_version: SCHEMA_VERSION,
            dry_run: released.is_none(),
            plan: plan.digest().to_string(),
            release: release.map(Into::into),
            neighbours: plan.neighbours.key().into(),
            budget: CostText::of(&priced.budget),
            cost: CostText::of(&priced.cost),
            confidence: "19/20".into(),
            accuracy_of: "the clamped and bounded statistic".into(),
            queries: queries.collect(),
        }
    }

    /// The bytes that the ledger records, and that a receipt names by their digest: JSON on one line.
    ///
    /// # Errors
    ///
    /// Never, as texts are always written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

fn rows(released: &Released) -> Vec<RowText> {
    let row = |row: &crate::noise::Row| RowText {
        group: row.key.clone(),
        cell: row.label.clone(),
        value: match &row.value {
            Value::Number(value) => render(value),
            Value::Word(word) => word.clone(),
        },
        accuracy: row.alpha.as_ref().map(render),
    };
    released.rows.iter().map(row).collect()
}
