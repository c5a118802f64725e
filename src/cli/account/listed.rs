//! The plan as the user lists it: specs, plan files and pair files, brought to one canonical order.

use std::fmt;

use crate::{
    account::{self, Plan},
    cli::Failure,
    guarantee::Domination,
    mechanism::{MAX_COPIES, Spec},
};

/// One mechanism of a plan, and how often it runs.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// A canonical spec, without its copies.
    text: String,
    domination: Domination,
    copies: u64,
}

impl Item {
    /// From what names it, what dominates it, and how often it runs.
    pub(super) fn new(text: String, domination: Domination, copies: u64) -> Self {
        Self { text, domination, copies }
    }

    /// From a spec, `*k` included. The error does not name where the spec stood.
    pub(super) fn from_spec(text: &str) -> Result<(Self, bool), crate::mechanism::SpecError> {
        let spec: Spec = text.parse()?;
        let domination = account::domination(&spec)?;
        let copies = spec.copies();
        let item = Self::new(spec.without_copies().to_string(), domination, copies.map_or(1, |k| k.get().into()));
        Ok((item, copies.is_some()))
    }

    /// The same, this often.
    pub(super) fn times(self, copies: u64) -> Self {
        Self { copies, ..self }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.copies == 1 { f.write_str(&self.text) } else { write!(f, "{}*{}", self.text, self.copies) }
    }
}

/// A plan with the text of its parts: sorted by text, parts with the same guarantee merged, so that neither order nor spelling
/// of what was given changes it.
#[derive(Debug)]
pub(super) struct Listed {
    items: Vec<Item>,
    plan: Plan,
}

impl Listed {
    /// Merges and sorts.
    pub(super) fn new(given: Vec<Item>) -> Result<Self, Failure> {
        // Of what was given, each with the neighbours that attain it: the texts forget some.
        let plan = given.iter().fold(Plan::new(), |plan, item| plan.with(&item.domination, item.copies));
        let pairs = |item: &Item| (item.domination.forward().to_vec(), item.domination.backward().to_vec());
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(specs: &[&str]) -> Listed {
        Listed::new(specs.iter().map(|spec| Item::from_spec(spec).unwrap().0).collect()).unwrap()
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
        assert!(Listed::new(vec![half(), half()]).is_ok());
        assert!(Listed::new(vec![half(), half(), half()]).is_err());
    }
}
