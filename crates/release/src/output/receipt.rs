//! A receipt: what was released, at which cost, under which plan, for anyone to check offline.

use std::path::Path;

use certus_ledger::{
    Digest,
    book::{Book, BookError, ReleaseId},
    plan::{PlanError, ReleasePlan},
};
use serde::{Deserialize, Serialize};

use super::{CostText, Document, MechanismText};
use crate::price::{PriceError, price};

/// The version key of a receipt.
pub const FORMAT: &str = "certus-receipt/1";

/// A receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// `certus-receipt/1`.
    pub format: String,
    /// The version of this document's form.
    pub schema_version: u32,
    /// The digest of the canonical plan.
    pub plan_digest: String,
    /// The canonical plan.
    pub plan: String,
    /// The mechanisms and costs, query by query.
    pub queries: Vec<ReceiptQuery>,
    /// What it cost in all.
    pub cost: CostText,
    /// The release in the ledger.
    pub release: Option<String>,
    /// The ledger's head after the result was recorded.
    pub ledger_head: Option<String>,
    /// SHA-256 of the output: of the document that `--json` prints.
    pub output_digest: String,
}

/// A query of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptQuery {
    /// Its name.
    pub name: String,
    /// What it costs.
    pub cost: CostText,
    /// What made it private.
    pub mechanisms: Vec<MechanismText>,
}

/// Why a receipt does not hold.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// It is no receipt.
    #[error("not a receipt of {FORMAT}: {0}")]
    Form(String),
    /// The plan in it is none.
    #[error("the plan in the receipt: {0}")]
    Plan(#[from] PlanError),
    /// The plan in it has no price.
    #[error("the plan in the receipt: {0}")]
    Price(#[from] PriceError),
    /// Two things that must be the same are not.
    #[error("{0} of the receipt does not hold")]
    Differs(&'static str),
    /// The ledger cannot be read, or does not hold the head.
    #[error("the ledger: {0}")]
    Ledger(#[from] BookError),
    /// The ledger has no such release.
    #[error("the ledger has no release {0:?} of this plan with its debit and its result")]
    NoDebit(String),
}

impl Receipt {
    /// Of a release and its document.
    #[must_use]
    pub fn new(plan: &ReleasePlan, document: &Document, output: &[u8], head: Option<&Digest>) -> Self {
        Self {
            format: FORMAT.into(),
            schema_version: super::SCHEMA_VERSION,
            plan_digest: plan.digest().to_string(),
            plan: plan.canonical(),
            queries: queries(document),
            cost: document.cost.clone(),
            release: document.release.clone(),
            ledger_head: head.map(ToString::to_string),
            output_digest: Digest::of(output).to_string(),
        }
    }

    /// Reads a receipt.
    ///
    /// # Errors
    ///
    /// If the text is none.
    pub fn read(text: &str) -> Result<Self, ReceiptError> {
        let receipt: Self = serde_json::from_str(text).map_err(|error| ReceiptError::Form(error.to_string()))?;
        if receipt.format != FORMAT {
            return Err(ReceiptError::Form(format!("its format must be {FORMAT}")));
        }
        Ok(receipt)
    }

    /// Whether it holds by itself: its plan has its digest and its price.
    ///
    /// # Errors
    ///
    /// What does not hold.
    pub fn check(&self) -> Result<ReleasePlan, ReceiptError> {
        let plan =
            ReleasePlan::from_toml(&self.plan, &|file| Err(PlanError::new(file, "must not be named in a receipt")))?;
        if plan.canonical() != self.plan || plan.digest().to_string() != self.plan_digest {
            return Err(ReceiptError::Differs("the plan's digest"));
        }
        let priced = price(&plan)?;
        let again = Document::new(&plan, &priced, self.release.as_deref(), None);
        let without = |queries: &[ReceiptQuery]| -> Vec<ReceiptQuery> {
            let mut queries = queries.to_vec();
            queries.iter_mut().flat_map(|query| &mut query.mechanisms).for_each(|mechanism| mechanism.sampler = None);
            queries
        };
        if without(&self.queries) != queries(&again) || self.cost != again.cost {
            return Err(ReceiptError::Differs("the price"));
        }
        Ok(plan)
    }

    /// Whether an output is the one that was released.
    ///
    /// # Errors
    ///
    /// If it is another.
    pub fn check_output(&self, output: &[u8]) -> Result<(), ReceiptError> {
        let is_it = Digest::of(output).to_string() == self.output_digest;
        if is_it { Ok(()) } else { Err(ReceiptError::Differs("the output's digest")) }
    }

    /// Whether a ledger holds the head, and the debit and result of the release.
    ///
    /// # Errors
    ///
    /// If it does not, or cannot be read.
    pub fn check_ledger(&self, path: &Path) -> Result<(), ReceiptError> {
        let head = self.ledger_head.as_deref().and_then(|head| head.parse::<Digest>().ok());
        let head = head.ok_or(ReceiptError::Differs("the ledger's head"))?;
        let reading = Book::read(path, Some(&head))?;
        let missing = || ReceiptError::NoDebit(self.release.clone().unwrap_or_default());
        let id: ReleaseId = self.release.as_deref().and_then(|id| id.parse().ok()).ok_or_else(missing)?;
        let release = reading.state().release(&id).ok_or_else(missing)?;
        if release.plan().to_string() != self.plan_digest || release.debits() == 0 || !release.has_result() {
            return Err(missing());
        }
        Ok(())
    }
}

fn queries(document: &Document) -> Vec<ReceiptQuery> {
    let query = |query: &super::QueryText| ReceiptQuery {
        name: query.name.clone(),
        cost: query.cost.clone(),
        mechanisms: query.mechanisms.clone(),
    };
    document.queries.iter().map(query).collect()
}
