//! The plan as the user lists it: specs, plan files and pair files, brought to one canonical order.

use std::fmt;

use crate::Failure;
use certus::{
    account::Plan,
    guarantee::{Domination, GuaranteeError, Relation},
    mechanism::{self, MAX_COPIES, Spec},
};

/// One mechanism of a plan, and how often it runs.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// A canonical spec, without its copies.
    text: String,
    domination: Domination,
    copies: u64,
    /// Whether it is for other neighbours than it was by itself: two steps of add/remove.
    is_converted: bool,
}

impl Item {
    /// From what names it, what dominates it, and how often it runs.
    pub(super) fn new(text: String, domination: Domination, copies: u64) -> Self {
        Self { text, domination, copies, is_converted: false }
    }

    /// From a spec, `*k` included. The error does not name where the spec stood.
    pub(super) fn from_spec(text: &str) -> Result<(Self, bool), certus::mechanism::SpecError> {
        let spec: Spec = text.parse()?;
        let domination = mechanism::domination(&spec)?;
        let copies = spec.copies();
        let item = Self::new(spec.without_copies().to_string(), domination, copies.map_or(1, |k| k.get().into()));
        Ok((item, copies.is_some()))
    }

    /// What names it, and how often it runs.
    pub(super) fn named(&self) -> (String, u64) {
        (self.text.clone(), self.copies)
    }

    /// The same, this often.
    pub(super) fn times(self, copies: u64) -> Self {
        Self { copies, ..self }
    }

    /// The same, for the neighbours that are asked for.
    fn under(self, relation: Relation) -> Result<Self, Failure> {
        let from = self.domination.relation();
        let refused = |error: GuaranteeError| {
            let why = match error {
                GuaranteeError::NoTwoSteps => format!("no conversion from add_remove is known for {}", self.text),
                _ => format!("{} is for {}, from which nothing follows", self.text, Relation::ChangeOne.key()),
            };
            let is_change = relation == Relation::ChangeOne;
            let other = if is_change { Relation::AddRemove } else { Relation::ChangeOne };
            Failure::argument("--relation", format_args!("must be {}, not {}: {why}", other.key(), relation.key()))
        };
        let domination = self.domination.under(relation).map_err(refused)?;
        let is_converted = from.is_some_and(|from| from != relation);
        Ok(Self { domination, is_converted, ..self })
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.copies == 1 { f.write_str(&self.text) } else { write!(f, "{}*{}", self.text, self.copies) }
    }
}

/// What is for add/remove and for change-one neighbours in one list has no account: a refusal that says what
/// to ask for.
fn of_one_relation(given: &[Item]) -> Result<(), Failure> {
    let first = |relation| given.iter().find(|item| item.domination.relation() == Some(relation));
    let (Some(comes), Some(changes)) = (first(Relation::AddRemove), first(Relation::ChangeOne)) else { return Ok(()) };
    let must = format!(
        "must all be for the same neighbours: {} is for add_remove and {} for change_one; --relation change_one takes the \
         former as two steps",
        super::shortened(&comes.text),
        super::shortened(&changes.text)
    );
    Err(Failure::argument("SPEC", must))
}

/// A plan with the text of its parts: sorted by text, parts with the same guarantee merged, so that neither
/// order nor spelling of what was given changes it.
#[derive(Debug)]
pub(super) struct Listed {
    items: Vec<Item>,
    plan: Plan,
}

impl Listed {
    /// Merges and sorts what is given, for the neighbours that are asked for, if any are.
    pub(super) fn new(given: Vec<Item>, relation: Option<Relation>) -> Result<Self, Failure> {
        let given = match relation {
            Some(relation) => given.into_iter().map(|item| item.under(relation)).collect::<Result<Vec<_>, _>>()?,
            None => given,
        };
        of_one_relation(&given)?;
        // Of what was given, each with the neighbours that attain it: the texts forget some.
        let plan = given.iter().try_fold(Plan::new(), |plan, item| plan.with(&item.domination, item.copies));
        let plan = plan.map_err(|error| Failure::argument("SPEC", error))?;
        let pairs = |item: &Item| {
            let domination = &item.domination;
            (
                item.is_converted,
                domination.forward().to_vec(),
                domination.backward().to_vec(),
                domination.vectors().cloned(),
            )
        };
        let mut items: Vec<Item> = Vec::new();
        for item in given {
            match items.iter_mut().find(|earlier| pairs(earlier) == pairs(&item)) {
                Some(earlier) => {
                    earlier.copies = earlier.copies.saturating_add(item.copies);
                    // Of two spellings, such as sigma=2 and sigma2=4, the first in the alphabet.
                    if item.text < earlier.text {
                        earlier.text = item.text;
                    }
                }
                None => items.push(item),
            }
        }
        items.sort_by(|a, b| a.text.cmp(&b.text));
        if let Some(item) = items.iter().find(|item| item.copies > MAX_COPIES.into()) {
            let must = format!("must have at most {MAX_COPIES} copies of one mechanism, not {}", item.copies);
            return Err(Failure::argument("SPEC", must));
        }
        Ok(Self { items, plan })
    }

    /// What is accounted for.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The canonical texts.
    pub(super) fn texts(&self) -> Vec<String> {
        self.items.iter().map(ToString::to_string).collect()
    }

    /// Of these, the mechanisms for add/remove neighbours that are taken as two steps, a change.
    pub(super) fn converted(&self) -> Vec<String> {
        self.items.iter().filter(|item| item.is_converted).map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(specs: &[&str]) -> Listed {
        asked(specs, None).unwrap()
    }

    fn asked(specs: &[&str], relation: Option<Relation>) -> Result<Listed, Failure> {
        Listed::new(specs.iter().map(|spec| Item::from_spec(spec).unwrap().0).collect(), relation)
    }

    #[test]
    fn one_relation_a_plan() {
        let (comes, changes) = ("histogram(keys=2, scale=1)", "mean_of_known(lower=-1, records=4, scale=2, upper=1)");
        let (either, sampled) = ("laplace(scale=1, sensitivity=3)", "subsampled_laplace(rate=1/2, scale=1)");
        let line = |specs: &[&str], relation| asked(specs, relation).unwrap_err().line().unwrap();
        let mixed = line(&[changes, either, comes], None);
        assert!(mixed.starts_with("SPEC: must all be for the same neighbours: histogram(keys=2, scale=1) is for add_remove and mean_of_known("), "{mixed}");
        assert!(mixed.ends_with("--relation change_one takes the former as two steps"), "{mixed}");
        let found = asked(&[changes, either, comes], Some(Relation::ChangeOne)).unwrap();
        assert_eq!(found.converted(), [comes]);
        assert_eq!(found.plan().relation(), Some(Relation::ChangeOne));
        let refused = line(&[changes, comes], Some(Relation::AddRemove));
        assert!(refused.starts_with("--relation: must be change_one, not add_remove: mean_of_known("), "{refused}");
        let refused = line(&[changes, sampled], Some(Relation::ChangeOne));
        assert!(refused.starts_with("--relation: must be add_remove, not change_one: no conversion"), "{refused}");
        for (specs, relation, expected) in [
            (&[either][..], None, None),
            (&[either], Some(Relation::ChangeOne), Some(Relation::ChangeOne)),
            (&[either, comes], None, Some(Relation::AddRemove)),
            (&[either, sampled], Some(Relation::AddRemove), Some(Relation::AddRemove)),
        ] {
            let found = asked(specs, relation).unwrap();
            assert_eq!((found.plan().relation(), found.converted().len()), (expected, 0), "{specs:?}");
        }
        // The pair of a count as two steps, and one that is as far apart by itself, are not one part of two
        // copies in the text.
        let both = asked(&["count(scale=1)", "laplace(scale=1, sensitivity=2)"], Some(Relation::ChangeOne)).unwrap();
        assert_eq!(both.texts().len(), 2);
        assert_eq!(both.converted(), ["count(scale=1)"]);
    }

    #[test]
    fn neither_order_nor_spelling_matters() {
        let a = listed(&["gaussian(sigma=2)*3", "laplace(scale=0.5)", "gaussian(sigma2=4)", "geometric(scale=1/2)*2"]);
        let b = listed(&["laplace(scale=1/2)*3", "gaussian(sigma2=4)*4"]);
        assert_eq!(a.plan(), b.plan());
        assert_eq!(a.texts(), ["gaussian(sigma2=4)*4", "geometric(scale=1/2)*3"]);
        let c = listed(&["geometric(scale=1/2)*2", "gaussian(sigma2=4)", "laplace(scale=0.5)", "gaussian(sigma=2)*3"]);
        assert_eq!(a.texts(), c.texts());
        assert_eq!(a.plan(), c.plan());
    }

    #[test]
    fn copies_have_a_limit_together_too() {
        let half = || Item::from_spec("laplace(scale=1)*5e8").unwrap().0;
        assert!(Listed::new(vec![half(), half()], None).is_ok());
        assert!(Listed::new(vec![half(), half(), half()], None).is_err());
    }
}
