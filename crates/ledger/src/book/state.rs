//! What a ledger says when all its records are read: budgets, what is left of them, and releases.

use std::collections::BTreeMap;

use certus::guarantee::Relation;

use super::{
    Analyst, BookError, Budget, Head, Opening, ReleaseId,
    budget::Spending,
    entry::{CostEntry, DebitEntry, Entry, OpeningEntry, ResultEntry},
};
use crate::Digest;

/// The budget of a ledger and what became of it.
#[derive(Debug)]
pub struct State {
    ledger: String,
    relation: Relation,
    dataset: Spending,
    analysts: BTreeMap<Analyst, Spending>,
    releases: BTreeMap<ReleaseId, Release>,
}

/// A release, as the ledger knows it.
#[derive(Clone, Debug)]
pub struct Release {
    plan: Digest,
    analyst: Option<Analyst>,
    /// The record of each debit: a retry pays again.
    debits: Vec<Head>,
    costs: Vec<CostEntry>,
    /// Where the result is, and its record's hash.
    pub(super) result: Option<(u64, Head)>,
}

impl Release {
    /// The digest of its plan.
    #[must_use]
    pub fn plan(&self) -> Digest {
        self.plan
    }

    /// Who asked for it.
    #[must_use]
    pub fn analyst(&self) -> Option<&Analyst> {
        self.analyst.as_ref()
    }

    /// How often it was paid for.
    #[must_use]
    pub fn debits(&self) -> usize {
        self.debits.len()
    }

    /// Whether its result is in the ledger.
    #[must_use]
    pub fn has_result(&self) -> bool {
        self.result.is_some()
    }

    /// What ran, all debits together: each mechanism's canonical spec, and how often.
    pub fn costs(&self) -> impl Iterator<Item = (&str, u64)> {
        self.costs.iter().map(|cost| (cost.spec.as_str(), cost.copies))
    }
}

impl State {
    /// From the first record.
    pub(super) fn open(entry: OpeningEntry) -> Result<Self, BookError> {
        let OpeningEntry { ledger, opening: Opening { relation, budget, analysts } } = entry;
        let dataset = Spending::new(&budget, relation).ok_or(BookError::Opening)?;
        let inside = |(analyst, theirs): (Analyst, Budget)| {
            let spending = Spending::new(&theirs, relation).filter(|_| theirs.fits(&budget));
            match spending {
                Some(spending) => Ok((analyst, spending)),
                None => Err(BookError::AnalystBudget(analyst)),
            }
        };
        let analysts = analysts.into_iter().map(inside).collect::<Result<_, _>>()?;
        Ok(Self { ledger, relation, dataset, analysts, releases: BTreeMap::new() })
    }

    /// Whether a record may follow. Nothing changes.
    pub(super) fn check(&self, entry: &Entry) -> Result<(), BookError> {
        match entry {
            Entry::Opening(_) => Err(BookError::NotALedger("it has a second opening")),
            Entry::Debit(debit) => self.check_debit(debit),
            Entry::Result(result) => self.check_result(result),
        }
    }

    fn check_debit(&self, debit: &DebitEntry) -> Result<(), BookError> {
        let named = || debit.release.clone();
        match self.releases.get(&debit.release) {
            Some(release) if release.plan != debit.plan => return Err(BookError::OtherPlan(named())),
            Some(release) if release.analyst != debit.analyst => return Err(BookError::OtherAnalyst(named())),
            Some(release) if release.has_result() => return Err(BookError::HasResult(named())),
            _ => {}
        }
        let charge = debit.charge(self.dataset.budget())?;
        if let Some(analyst) = &debit.analyst {
            let spending = self.analysts.get(analyst).ok_or_else(|| BookError::UnknownAnalyst(analyst.clone()))?;
            spending.check(&charge, Some(analyst))?;
        }
        self.dataset.check(&charge, None)
    }

    fn check_result(&self, result: &ResultEntry) -> Result<(), BookError> {
        let release = self.releases.get(&result.release).filter(|release| release.debits.contains(&result.debit));
        let release = release.ok_or_else(|| BookError::NotDebited(result.release.clone()))?;
        if release.has_result() { Err(BookError::HasResult(result.release.clone())) } else { Ok(()) }
    }

    /// Takes a record in that is on the disk: its hash, and where it is.
    pub(super) fn apply(&mut self, entry: Entry, hash: Head, offset: u64) -> Result<(), BookError> {
        self.check(&entry)?;
        match entry {
            Entry::Opening(_) => {}
            Entry::Debit(debit) => {
                let charge = debit.charge(self.dataset.budget())?;
                if let Some(spending) = debit.analyst.as_ref().and_then(|analyst| self.analysts.get_mut(analyst)) {
                    spending.spend(&charge, self.relation)?;
                }
                self.dataset.spend(&charge, self.relation)?;
                let DebitEntry { release, analyst, plan, costs } = debit;
                let new = || Release { plan, analyst, debits: Vec::new(), costs: Vec::new(), result: None };
                let release = self.releases.entry(release).or_insert_with(new);
                release.debits.push(hash);
                release.costs.extend(costs);
            }
            Entry::Result(result) => {
                if let Some(release) = self.releases.get_mut(&result.release) {
                    release.result = Some((offset, hash));
                }
            }
        }
        Ok(())
    }

    /// What names the ledger: 32 hex digits that were drawn when it was made.
    #[must_use]
    pub fn ledger(&self) -> &str {
        &self.ledger
    }

    /// Whom the budget protects.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// What could be spent at first.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        self.dataset.budget()
    }

    /// What has been spent.
    #[must_use]
    pub fn spent(&self) -> Budget {
        self.dataset.spent()
    }

    /// What is left.
    #[must_use]
    pub fn left(&self) -> Budget {
        self.dataset.left()
    }

    /// The analysts.
    pub fn analysts(&self) -> impl Iterator<Item = &Analyst> {
        self.analysts.keys()
    }

    /// What an analyst could spend at first, has spent, and has left.
    #[must_use]
    pub fn of_analyst(&self, analyst: &Analyst) -> Option<(&Budget, Budget, Budget)> {
        let spending = self.analysts.get(analyst)?;
        Some((spending.budget(), spending.spent(), spending.left()))
    }

    /// The releases, by name.
    pub fn releases(&self) -> impl Iterator<Item = (&ReleaseId, &Release)> {
        self.releases.iter()
    }

    /// A release.
    #[must_use]
    pub fn release(&self, id: &ReleaseId) -> Option<&Release> {
        self.releases.get(id)
    }
}
