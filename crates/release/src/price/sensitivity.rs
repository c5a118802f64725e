//! How far a person moves the numbers that are made private.
//!
//! A person keeps at most m rows, in at most g groups, with at most r in each
//! ([`Contribution`](certus_ledger::plan::Contribution)); each row moves a number by at most B. So the rows
//! of groups, k₁, k₂, …, have kᵢ ≤ r, at most g of them, Σkᵢ ≤ m, and
//!
//! > L1 ≤ B·Σkᵢ ≤ B·min(m, g·r),  L2² ≤ B²·Σkᵢ² ≤ B²·min(m², r²·g).
//!
//! A changed person is one out and one in: L1 doubles, L2² quadruples.

use certus::{
    exact::{BigUint, Rational},
    guarantee::Relation,
};
use certus_ledger::plan::{Contribution, Statistic};

use super::{Pricing, Role};

/// The distances of neighbours' answers, in steps: positive integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivities {
    /// Σ |difference|.
    pub l1: BigUint,
    /// Σ difference².
    pub l2_squared: BigUint,
}

impl Sensitivities {
    /// Of numbers that a row moves by at most `by` (0 is taken for 1: a mechanism takes a positive one).
    #[must_use]
    pub fn new(by: &BigUint, kept: Contribution, relation: Relation) -> Self {
        let by = by.max(&BigUint::from(1_u32)).clone();
        let (m, g, r) = (BigUint::from(kept.rows), BigUint::from(kept.groups), BigUint::from(kept.rows_per_group));
        let rows = m.clone().min(&g * &r);
        let squares = m.pow(2).min(r.pow(2) * &g);
        let (l1, l2_squared) = (&by * rows, by.pow(2) * squares);
        match relation {
            Relation::ChangeOne => Self { l1: l1 * 2_u32, l2_squared: l2_squared * 4_u32 },
            _ => Self { l1, l2_squared },
        }
    }

    /// The same, where all numbers are added up to one: it moves by as much as they do together.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self { l1: self.l1.clone(), l2_squared: self.l1.pow(2) }
    }
}

/// How far a score moves, of quantiles and top-k, and whether all scores move the same way.
pub(super) struct Score {
    pub(super) sensitivity: Rational,
    pub(super) is_monotone: bool,
}

impl Pricing<'_> {
    /// Of the statistic's own numbers.
    pub(super) fn sensitivities(&self) -> Sensitivities {
        self.sensitivities_of(Role::Values)
    }

    /// Of the numbers of a part.
    pub(super) fn sensitivities_of(&self, role: Role) -> Sensitivities {
        let kept = self.plan.contribution(self.query);
        let one = BigUint::from(1_u32);
        let column = self.query.statistic.column().and_then(|column| self.plan.columns.get(column));
        let (lower, upper) = column.and_then(|column| column.steps()).unwrap_or((0, 0));
        let width = BigUint::from(upper.abs_diff(lower));
        let relation = self.plan.neighbours;
        match (role, &self.query.statistic) {
            (Role::CentredSum, _) => Sensitivities::new(&width, kept, relation),
            (Role::CentredSquares, _) => Sensitivities::new(&width.pow(2), kept, relation),
            (Role::Values, Statistic::Sum { .. }) => {
                let largest = BigUint::from(lower.unsigned_abs().max(upper.unsigned_abs()));
                Sensitivities::new(&largest, kept, relation)
            }
            (Role::Values, Statistic::Persons) | (Role::Keys { .. }, _) => {
                Sensitivities::new(&one, persons(kept), relation)
            }
            _ => Sensitivities::new(&one, kept, relation),
        }
    }

    /// Of a score −|(1 − level)·below − level·above|: a row that comes or goes moves the inside by at most
    /// max(level, 1 − level). A row that becomes another moves it by at most 1, from one side to the other,
    /// which is less than twice that; and where a person has fewer rows than another, the rest comes or goes.
    pub(super) fn quantile_score(&self, level: &Rational) -> Score {
        let rows = Rational::from_integer(self.rows().into());
        let one = Rational::from_integer(1.into());
        let by = match self.plan.neighbours {
            Relation::ChangeOne => one,
            _ => level.clone().max(one - level),
        };
        Score { sensitivity: rows * by, is_monotone: false }
    }

    /// Of counts of rows: a person's rows come or go together, and all counts rise or all fall; where they
    /// become others, some rise and some fall, none by more than the rows.
    pub(super) fn count_score(&self) -> Score {
        let is_monotone = self.plan.neighbours == Relation::AddRemove;
        Score { sensitivity: Rational::from_integer(self.rows().into()), is_monotone }
    }

    /// min(m, r).
    fn rows(&self) -> u32 {
        let kept = self.plan.contribution(self.query);
        kept.rows.min(kept.rows_per_group)
    }
}

/// A person counts once in each of their groups.
fn persons(kept: Contribution) -> Contribution {
    Contribution { rows_per_group: 1, ..kept }
}
