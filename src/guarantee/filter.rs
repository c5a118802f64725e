//! Budgets: a filter stops before a budget is passed, an odometer says what has been spent.

use core::ops::Add;

use super::{Guarantee, GuaranteeError, Privacy, Relation};
use crate::{
    bits::Process,
    exact::{Rational, Real},
};

/// Why a debit is refused. Nothing is spent then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DebitError {
    /// The budget would be passed, or it cannot be told that it would not.
    #[error("the budget does not suffice: nothing was spent")]
    Exceeded,
    /// Another process made the budget.
    #[error("another process made this budget: a copy that a fork made is not spent")]
    Forked,
    /// The cost is not of a kind that this budget counts.
    #[error(transparent)]
    Kind(#[from] GuaranteeError),
}

/// What is left to spend of a guarantee's parameters: (ε, δ), or one of ε, ρ and Rényi's ε (beside a δ of 0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Amount<T = Rational> {
    pub(super) main: T,
    pub(super) delta: T,
}

/// Binary digits of a cost that is irrational, rounded up.
const COST_BITS: u32 = 128;

impl Amount {
    fn of(privacy: &Privacy) -> Option<Self> {
        let (main, delta) = match privacy {
            Privacy::Pure { epsilon } | Privacy::Renyi { epsilon, .. } => (epsilon, &Real::from(0)),
            Privacy::Approximate { epsilon, delta } => (epsilon, delta),
            Privacy::Zcdp { rho } => (rho, &Real::from(0)),
        };
        // Rounded up: what is booked is at least what is spent.
        Some(Self { main: main.at_most(COST_BITS)?, delta: delta.at_most(COST_BITS)? })
    }

    fn zero() -> Self {
        Self { main: Rational::from_integer(0.into()), delta: Rational::from_integer(0.into()) }
    }
}

/// Over any ordered numbers, so that what ships is proven on some that can be.
impl<T: Ord> Amount<T>
where
    for<'a> &'a T: Add<Output = T>,
{
    fn add(&self, other: &Self) -> Self {
        Self { main: &self.main + &other.main, delta: &self.delta + &other.delta }
    }

    pub(super) fn fits(&self, budget: &Self) -> bool {
        self.main <= budget.main && self.delta <= budget.delta
    }

    /// What is spent after a cost, if the budget suffices.
    fn debited(&self, cost: &Self, budget: &Self) -> Option<Self> {
        Some(self.add(cost)).filter(|after| after.fits(budget))
    }
}

/// The kind of a guarantee with other parameters.
pub(super) fn with(like: &Privacy, amount: &Amount) -> Privacy {
    let (main, delta) = (Real::from(amount.main.clone()), Real::from(amount.delta.clone()));
    match like {
        Privacy::Pure { .. } => Privacy::Pure { epsilon: main },
        Privacy::Approximate { .. } => Privacy::Approximate { epsilon: main, delta },
        Privacy::Zcdp { .. } => Privacy::Zcdp { rho: main },
        Privacy::Renyi { alpha, .. } => Privacy::Renyi { alpha: alpha.clone(), epsilon: main },
    }
}

/// Says at any time what has been spent, of a kind of guarantee, by releases chosen adaptively with
/// adaptively chosen parameters.
///
/// The sum of what was spent is a guarantee at any time that is fixed beforehand: for one looked up at a time
/// chosen by what was released, the budget of a [`Filter`] is the guarantee (Rogers, Roth, Ullman and Vadhan
/// 2016).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(into = "super::filter_serial::SavedOdometer", try_from = "super::filter_serial::SavedOdometer")
)]
pub struct Odometer {
    /// The kind and the relation; its parameters are not used.
    pub(super) like: Guarantee,
    pub(super) spent: Amount,
}

impl Odometer {
    /// Counts in the kind of `like`, for its neighbours; its parameters do not matter.
    #[must_use]
    pub fn new(like: &Guarantee) -> Self {
        Self { like: like.clone(), spent: Amount::zero() }
    }

    /// What has been spent.
    #[must_use]
    pub fn spent(&self) -> Guarantee {
        Guarantee::new(self.relation(), with(self.like.privacy(), &self.spent))
    }

    /// The neighbours that it counts for.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.like.relation()
    }

    /// Books a cost.
    ///
    /// # Errors
    ///
    /// If the cost is for other neighbours, or of a kind that does not convert. Nothing is booked then.
    pub fn debit(&mut self, cost: &Guarantee) -> Result<(), DebitError> {
        self.spent = self.spent.add(&self.cost(cost)?);
        Ok(())
    }

    /// A cost in the kind that is counted.
    fn cost(&self, cost: &Guarantee) -> Result<Amount, DebitError> {
        if cost.relation() != self.like.relation() {
            return Err(GuaranteeError::RelationsDiffer.into());
        }
        let alike = cost.as_kind_of(&self.like)?;
        let is_alike = match (alike.privacy(), self.like.privacy()) {
            (Privacy::Renyi { alpha: a, .. }, Privacy::Renyi { alpha: b, .. }) => a == b,
            (a, b) => core::mem::discriminant(a) == core::mem::discriminant(b),
        };
        if !is_alike {
            return Err(GuaranteeError::KindsDiffer.into());
        }
        Amount::of(alike.privacy()).ok_or(DebitError::Exceeded)
    }
}

/// A budget that is never passed: a release is debited before it is drawn, or refused.
///
/// With costs chosen adaptively, everything released while debits were admitted has the budget as its
/// guarantee: the sums for pure and (ε, δ) by Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6 (and
/// Whitehouse, Ramdas, Rogers and Wu 2023), for Rényi and zCDP by Feldman and Zrnic 2021. It cannot be
/// cloned: a copy of a budget would be spent a second time.
///
/// **Fork.** A fork does copy it. So a budget is spent by the process that made it alone: where the process
/// id is another one, [`debit`](Self::debit) refuses, and a child that is to release something is given a
/// budget of its own.
///
/// ```
/// use certus::{exact::Real, guarantee::{DebitError, Filter, Guarantee, Relation}};
///
/// let pure = |n, d| Guarantee::pure(Relation::AddRemove, Real::ratio(n, d));
/// let mut filter = Filter::new(pure(1, 1)?);
/// filter.debit(&pure(3, 4)?)?;
/// assert_eq!(filter.debit(&pure(1, 3)?), Err(DebitError::Exceeded));
/// filter.debit(&pure(1, 4)?)?; // exactly all
/// assert_eq!(filter.spent(), pure(1, 1)?);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Filter {
    budget: Amount,
    /// Invariant: its sum fits the budget.
    odometer: Odometer,
    process: Process,
}

impl Filter {
    /// A budget with nothing spent. An irrational budget is rounded down by at most 2^-127.
    #[must_use]
    pub fn new(budget: Guarantee) -> Self {
        let rounded = Amount::of(budget.privacy()).unwrap_or_else(Amount::zero);
        let exact = |value: &Real, rounded: Rational| match value.exact() {
            Some(_) => rounded,
            // An upper bound less its greatest error is a lower bound.
            None => rounded - Rational::new(1.into(), num_bigint::BigInt::from(1u32) << COST_BITS),
        };
        let zero = Rational::from_integer(0.into());
        let amount = match budget.privacy() {
            Privacy::Approximate { epsilon, delta } => {
                Amount { main: exact(epsilon, rounded.main), delta: exact(delta, rounded.delta) }
            }
            Privacy::Pure { epsilon } | Privacy::Renyi { epsilon, .. } => {
                Amount { main: exact(epsilon, rounded.main), delta: zero }
            }
            Privacy::Zcdp { rho } => Amount { main: exact(rho, rounded.main), delta: zero },
        };
        Self { budget: amount, odometer: Odometer::new(&budget), process: Process::this() }
    }

    /// Books a cost if the budget suffices. To be called before the release is drawn, so that a crash loses
    /// noise and never budget.
    ///
    /// # Errors
    ///
    /// If the budget does not suffice, the cost does not convert to its kind, or a fork has copied the budget
    /// into this process. Nothing is spent then.
    pub fn debit(&mut self, cost: &Guarantee) -> Result<(), DebitError> {
        if !self.process.is_this() {
            return Err(DebitError::Forked);
        }
        let cost = self.odometer.cost(cost)?;
        self.odometer.spent = self.odometer.spent.debited(&cost, &self.budget).ok_or(DebitError::Exceeded)?;
        Ok(())
    }

    /// What has been spent.
    #[must_use]
    pub fn spent(&self) -> Guarantee {
        self.odometer.spent()
    }

    /// What is left: a debit of this, in the budget's kind, is admitted.
    #[must_use]
    pub fn remaining(&self) -> Guarantee {
        let (budget, spent) = (&self.budget, &self.odometer.spent);
        // Invariant: what is spent fits.
        let left = Amount { main: &budget.main - &spent.main, delta: &budget.delta - &spent.delta };
        Guarantee::new(self.relation(), with(self.odometer.like.privacy(), &left))
    }

    /// What a file is to hold of it. The budget is gone from here: whoever is to spend what is left restores
    /// it.
    ///
    /// # Errors
    ///
    /// If a fork has copied the budget into this process: what the copy holds is not what the first has spent
    /// since, and would be spent again.
    pub fn save(self) -> Result<SavedFilter, DebitError> {
        if !self.process.is_this() {
            return Err(DebitError::Forked);
        }
        Ok(SavedFilter { budget: self.budget, odometer: self.odometer })
    }

    /// The neighbours that the budget is for.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.odometer.like.relation()
    }
}

/// A budget that is being kept, by a file or by another process; with feature `serde`, as text.
///
/// **A file that is restored twice spends twice.** Nothing here can see that: only a ledger can, which books
/// every release where all who release look. So a saved budget is restored by one process, which saves it
/// again when it is done, and never from a backup.
///
/// ```
/// use certus::{exact::Real, guarantee::{Filter, Guarantee, Relation}};
///
/// let pure = |n, d| Guarantee::pure(Relation::AddRemove, Real::ratio(n, d));
/// let mut filter = Filter::new(pure(1, 1)?);
/// filter.debit(&pure(3, 4)?)?;
/// let filter = filter.save()?.restore();
/// assert_eq!(filter.remaining(), pure(1, 4)?);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(try_from = "super::filter_serial::Saved"))]
pub struct SavedFilter {
    pub(super) budget: Amount,
    /// Invariant: its sum fits the budget.
    pub(super) odometer: Odometer,
}

impl SavedFilter {
    /// The budget, with what was spent of it, in this process.
    #[must_use]
    pub fn restore(self) -> Filter {
        Filter { budget: self.budget, odometer: self.odometer, process: Process::this() }
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/guarantee/filter.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: Relation = Relation::AddRemove;

    fn pure(n: i64, d: i64) -> Guarantee {
        Guarantee::pure(ONE, Real::ratio(n, d)).unwrap()
    }

    #[test]
    fn irrational_costs_are_booked_rounded_up() {
        let ln_three = Guarantee::pure(ONE, Real::from(3).ln()).unwrap();
        let mut odometer = Odometer::new(&ln_three);
        for _ in 0..100 {
            odometer.debit(&ln_three).unwrap();
        }
        let Privacy::Pure { epsilon } = odometer.spent().privacy().clone() else { panic!("kind") };
        let truth = &Real::from(100) * &Real::from(3).ln();
        assert!(truth.is_at_most(&epsilon));
        assert!(epsilon.is_at_most(&(&truth + &"1e-35".parse().unwrap())));
        // A budget of ln 3 is rounded down and a cost of ln 3 up: refused, on the safe side.
        assert_eq!(Filter::new(ln_three.clone()).debit(&ln_three), Err(DebitError::Exceeded));
    }

    /// Ambiguous, and hence no program, if a type can be cloned.
    trait CannotBeCloned<Ambiguity> {
        const HOLDS: bool = true;
    }
    impl<T> CannotBeCloned<()> for T {}
    impl<T: Clone> CannotBeCloned<u8> for T {}

    /// A budget that is cloned is spent twice: a filter that could be would not compile here.
    #[test]
    fn a_budget_cannot_be_cloned() {
        const { assert!(<Filter as CannotBeCloned<_>>::HOLDS) }
    }

    #[test]
    fn kinds_and_neighbours() {
        let mut filter = Filter::new(Guarantee::zcdp(ONE, Real::from(1)).unwrap());
        // ε = 1 costs tanh(1/2) = 0.46….
        assert_eq!(filter.debit(&pure(1, 1)), Ok(()));
        assert_eq!(filter.debit(&pure(1, 1)), Ok(()));
        assert_eq!(filter.debit(&pure(1, 1)), Err(DebitError::Exceeded));
        let approximate = Guarantee::approximate(ONE, Real::from(0), Real::ratio(1, 1000)).unwrap();
        assert_eq!(filter.debit(&approximate), Err(DebitError::Kind(GuaranteeError::KindsDiffer)));
        let changed = Guarantee::zcdp(Relation::ChangeOne, Real::from(0)).unwrap();
        assert_eq!(filter.debit(&changed), Err(DebitError::Kind(GuaranteeError::RelationsDiffer)));
        // A pure budget cannot pay for zCDP.
        let zcdp = Guarantee::zcdp(ONE, Real::from(0)).unwrap();
        assert_eq!(Filter::new(pure(1, 1)).debit(&zcdp), Err(DebitError::Kind(GuaranteeError::KindsDiffer)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// From any state that debits reach, a debit keeps spent ≤ budget or is refused and changes nothing.
        #[test]
        fn the_budget_is_never_passed(costs in prop::collection::vec((0i64..50, 1i64..40, 0i64..20), 1..40)) {
            let budget = Guarantee::approximate(ONE, Real::from(3), Real::ratio(1, 100)).unwrap();
            let mut filter = Filter::new(budget);
            let (mut epsilon, mut delta) = (Rational::from_integer(0.into()), Rational::from_integer(0.into()));
            for (n, d, m) in costs {
                let cost = (Rational::new(n.into(), d.into()), Rational::new(m.into(), 1000.into()));
                let guarantee = Guarantee::approximate(ONE, cost.0.clone().into(), cost.1.clone().into()).unwrap();
                let fits = &epsilon + &cost.0 <= Rational::from_integer(3.into())
                    && &delta + &cost.1 <= Rational::new(1.into(), 100.into());
                let before = filter.spent();
                if fits {
                    prop_assert_eq!(filter.debit(&guarantee), Ok(()));
                    epsilon += cost.0;
                    delta += cost.1;
                } else {
                    prop_assert_eq!(filter.debit(&guarantee), Err(DebitError::Exceeded));
                    prop_assert_eq!(filter.spent(), before);
                }
                let spent = Privacy::Approximate { epsilon: epsilon.clone().into(), delta: delta.clone().into() };
                prop_assert_eq!(filter.spent(), Guarantee::new(ONE, spent));
            }
        }
    }
}
