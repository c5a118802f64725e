//! Budgets and odometers as text (feature `serde`): a kind, its neighbours, and exact numbers.

use serde::{Deserialize, Serialize, Serializer};

use super::{
    Guarantee, Odometer, Privacy, Relation, SavedFilter,
    filter::{Amount, with},
};
use crate::exact::{NonNegative, Positive, Rational, Real};

/// The kind that a budget counts in.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Pure,
    Approximate,
    Zcdp,
    Renyi { alpha: Positive },
}

/// ε, ρ or Rényi's ε, and δ.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    main: NonNegative,
    delta: NonNegative,
}

/// A saved budget.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    kind: Kind,
    relation: Relation,
    budget: Numbers,
    spent: Numbers,
}

/// Why a text is no saved budget.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum SavedError {
    #[error("more was spent than the budget is")]
    Overspent,
    #[error("alpha must be above 1")]
    Alpha,
}

fn numbers(amount: &Amount) -> Numbers {
    // Amounts are sums of costs, and what is left of them.
    let of = |value: &Rational| NonNegative::new(value.clone()).unwrap_or_else(|_| NonNegative::zero());
    Numbers { main: of(&amount.main), delta: of(&amount.delta) }
}

fn amount(numbers: &Numbers) -> Amount {
    Amount { main: numbers.main.get().clone(), delta: numbers.delta.get().clone() }
}

/// By hand: what `serde` derives from a conversion takes a copy, and a budget has none.
impl Serialize for SavedFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Saved::from(self).serialize(serializer)
    }
}

impl Kind {
    fn of(odometer: &Odometer) -> Self {
        match odometer.like.privacy() {
            Privacy::Pure { .. } => Self::Pure,
            Privacy::Approximate { .. } => Self::Approximate,
            Privacy::Zcdp { .. } => Self::Zcdp,
            // An order is above 1 by its constructor.
            Privacy::Renyi { alpha, .. } => {
                Positive::new(alpha.clone()).map_or(Self::Approximate, |alpha| Self::Renyi { alpha })
            }
        }
    }

    /// Nothing spent, of this kind.
    fn nothing(self) -> Result<Privacy, SavedError> {
        let nothing = Real::from(0);
        Ok(match self {
            Self::Pure => Privacy::Pure { epsilon: nothing },
            Self::Approximate => Privacy::Approximate { epsilon: nothing.clone(), delta: nothing },
            Self::Zcdp => Privacy::Zcdp { rho: nothing },
            Self::Renyi { alpha } if *alpha.get() > Rational::from_integer(1.into()) => {
                Privacy::Renyi { alpha: alpha.get().clone(), epsilon: nothing }
            }
            Self::Renyi { .. } => return Err(SavedError::Alpha),
        })
    }
}

impl From<&SavedFilter> for Saved {
    fn from(saved: &SavedFilter) -> Self {
        let (budget, spent) = (numbers(&saved.budget), numbers(&saved.odometer.spent));
        Self { kind: Kind::of(&saved.odometer), relation: saved.odometer.relation(), budget, spent }
    }
}

impl TryFrom<Saved> for SavedFilter {
    type Error = SavedError;

    fn try_from(saved: Saved) -> Result<Self, SavedError> {
        let (budget, spent) = (amount(&saved.budget), amount(&saved.spent));
        if !spent.fits(&budget) {
            return Err(SavedError::Overspent);
        }
        let like = Guarantee::new(saved.relation, with(&saved.kind.nothing()?, &budget));
        Ok(Self { budget, odometer: Odometer { like, spent } })
    }
}

/// A saved odometer.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedOdometer {
    kind: Kind,
    relation: Relation,
    spent: Numbers,
}

impl From<Odometer> for SavedOdometer {
    fn from(odometer: Odometer) -> Self {
        Self { kind: Kind::of(&odometer), relation: odometer.relation(), spent: numbers(&odometer.spent) }
    }
}

impl TryFrom<SavedOdometer> for Odometer {
    type Error = SavedError;

    fn try_from(saved: SavedOdometer) -> Result<Self, SavedError> {
        let like = Guarantee::new(saved.relation, saved.kind.nothing()?);
        Ok(Self { like, spent: amount(&saved.spent) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::{DebitError, Filter};
    use alloc::string::ToString;

    /// Each kind comes back with what is left of it, and a text in which more was spent than there is does
    /// not.
    #[test]
    fn a_saved_budget_has_what_is_left() {
        let one = Relation::ChangeOne;
        let order = Positive::new(Rational::from_integer(4.into())).unwrap();
        let of = |n, d| Real::ratio(n, d);
        for (budget, cost) in [
            (Guarantee::pure(one, of(1, 1)), Guarantee::pure(one, of(1, 3))),
            (Guarantee::approximate(one, of(1, 1), of(1, 10)), Guarantee::approximate(one, of(1, 3), of(1, 100))),
            (Guarantee::zcdp(one, of(1, 1)), Guarantee::zcdp(one, of(1, 3))),
            (Guarantee::renyi(one, &order, of(1, 1)), Guarantee::renyi(one, &order, of(1, 3))),
        ] {
            let (budget, cost) = (budget.unwrap(), cost.unwrap());
            let mut filter = Filter::new(budget);
            filter.debit(&cost).unwrap();
            let (spent, remaining) = (filter.spent(), filter.remaining());
            let text = serde_json::to_string(&filter.save().unwrap()).unwrap();
            let mut filter = serde_json::from_str::<SavedFilter>(&text).unwrap().restore();
            assert_eq!((filter.spent(), filter.remaining()), (spent, remaining), "{text}");
            assert_eq!((filter.debit(&cost), filter.debit(&cost)), (Ok(()), Ok(())), "{text}");
            assert_eq!(filter.debit(&cost), Err(DebitError::Exceeded), "{text}");
        }
        let counted = Guarantee::renyi(one, &order, of(1, 3)).unwrap();
        let mut odometer = Odometer::new(&counted);
        odometer.debit(&counted).unwrap();
        let text = serde_json::to_string(&odometer).unwrap();
        let mut again = serde_json::from_str::<Odometer>(&text).unwrap();
        assert_eq!(again.spent(), odometer.spent(), "{text}");
        assert_eq!(again.debit(&counted), Ok(()), "{text}");
        let text = r#"{"kind":"pure","relation":"add_remove","budget":{"main":"1","delta":"0"},"spent":{"main":"2","delta":"0"}}"#;
        assert!(serde_json::from_str::<SavedFilter>(text).unwrap_err().to_string().contains("more was spent"));
    }
}
