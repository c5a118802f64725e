//! Plans that lose nothing.

use super::{Answer, Method, cache::Cache, methods::Accountant, question::Question};
use crate::exact::Budget;

/// δ = 0 of a direction that has no parts, once those that lose nothing are left out of it.
pub(super) struct NoLoss;

impl Accountant for NoLoss {
    fn delta(&self, question: &Question<'_>, _: &Budget, _: &mut Cache) -> Option<Answer> {
        question.direction.is_empty().then(|| Answer::zero(Method::NoLoss))
    }
}
