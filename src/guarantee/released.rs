//! What has been released, with its guarantee: whatever is done to it afterwards, the guarantee stays.

use super::{Guarantee, GuaranteeError};

/// A value drawn by a mechanism, and the guarantee under which it was drawn.
///
/// Post-processing cannot weaken a guarantee (Dwork and Roth 2014, Proposition 2.1): [`Released::map`] takes
/// any closure and keeps it. The closure sees the released value and nothing else of the data; one that
/// captured the data would be a release of its own, which no type can see.
///
/// ```
/// use certus::{exact::Real, guarantee::{Guarantee, Relation, Released}};
///
/// let guarantee = Guarantee::pure(Relation::AddRemove, Real::ratio(1, 10))?;
/// let count = Released::new(-3_i64, guarantee.clone());
/// let shown = count.map(|count| count.max(0));
/// assert_eq!((shown.get(), shown.guarantee()), (&0, &guarantee));
/// # Ok::<(), certus::guarantee::GuaranteeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Released<T> {
    value: T,
    guarantee: Guarantee,
}

impl<T> Released<T> {
    /// A value with the guarantee of the mechanism that drew it.
    pub fn new(value: T, guarantee: Guarantee) -> Self {
        Self { value, guarantee }
    }

    /// The value: public now.
    #[must_use]
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Its guarantee.
    #[must_use]
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// Post-processing.
    pub fn map<U>(self, process: impl FnOnce(T) -> U) -> Released<U> {
        Released { value: process(self.value), guarantee: self.guarantee }
    }

    /// Both releases, with the guarantee that they have together.
    ///
    /// # Errors
    ///
    /// If the guarantees do not compose.
    pub fn and<U>(self, other: Released<U>) -> Result<Released<(T, U)>, GuaranteeError> {
        let guarantee = self.guarantee.compose(&other.guarantee)?;
        Ok(Released { value: (self.value, other.value), guarantee })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exact::Real, guarantee::Relation};

    #[test]
    fn two_releases_cost_both() {
        let pure = |n| Guarantee::pure(Relation::AddRemove, Real::from(n)).unwrap();
        let both = Released::new(1, pure(1)).and(Released::new("two", pure(2))).unwrap();
        assert_eq!(both, Released::new((1, "two"), pure(3)));
        let changed = Guarantee::pure(Relation::ChangeOne, Real::from(1)).unwrap();
        assert_eq!(Released::new(1, pure(1)).and(Released::new(1, changed)), Err(GuaranteeError::RelationsDiffer));
    }
}
