//! Amounts of privacy loss, as exact numbers: what a budget is, what a release costs, what is left.

use std::fmt;

use certus::{
    exact::{BigInt, NonNegative, Rational, Rounding, decimal, render},
    guarantee::{DebitError, Guarantee, GuaranteeError, Odometer, Privacy, Relation},
};
use serde::{Deserialize, Serialize};

/// The longest numerator and denominator of a cost that is written as it is. One with a longer fraction is
/// rounded up, so that a ledger's sums stay short.
const EXACT_BITS: u64 = 512;

/// Binary digits after the point of a cost that is rounded up.
const ROUNDED_BITS: u32 = 128;

/// The digits of a decimal that stands beside a fraction.
const SHOWN_DIGITS: u32 = 6;

/// A sum of privacy losses, of a kind that adds up for adaptively chosen mechanisms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Amount {
    /// ε-privacy.
    Pure {
        /// ε ≥ 0.
        epsilon: NonNegative,
    },
    /// (ε, δ)-privacy; both are summed.
    Approximate {
        /// ε ≥ 0.
        epsilon: NonNegative,
        /// δ ≥ 0.
        delta: NonNegative,
    },
    /// ρ-zCDP.
    Zcdp {
        /// ρ ≥ 0.
        rho: NonNegative,
    },
}

impl Amount {
    /// A guarantee's numbers. Nothing for Rényi's kind, and for a number that is not rational.
    pub(super) fn exactly(guarantee: &Guarantee) -> Option<Self> {
        let exact = |value: &certus::exact::Real| NonNegative::new(value.exact()?.clone()).ok();
        Some(match guarantee.privacy() {
            Privacy::Pure { epsilon } => Self::Pure { epsilon: exact(epsilon)? },
            Privacy::Approximate { epsilon, delta } => {
                Self::Approximate { epsilon: exact(epsilon)?, delta: exact(delta)? }
            }
            Privacy::Zcdp { rho } => Self::Zcdp { rho: exact(rho)? },
            _ => return None,
        })
    }

    /// What a guarantee costs in the kind of this budget: converted where it follows, and never less. An
    /// irrational number is rounded up by at most 2^-128, and so is one with a fraction of more than 512
    /// bits.
    pub(super) fn cost(&self, guarantee: &Guarantee) -> Result<Self, GuaranteeError> {
        let like = self.guarantee(guarantee.relation()).ok_or(GuaranteeError::KindsDiffer)?;
        let mut odometer = Odometer::new(&like);
        odometer.debit(guarantee).map_err(|error| match error {
            DebitError::Kind(error) => error,
            _ => GuaranteeError::KindsDiffer,
        })?;
        let cost = Self::exactly(&odometer.spent()).ok_or(GuaranteeError::KindsDiffer)?;
        Ok(cost.map(rounded_up))
    }

    /// The guarantee with these numbers; nothing where δ is 1 or more, which is none.
    pub(super) fn guarantee(&self, relation: Relation) -> Option<Guarantee> {
        match self {
            Self::Pure { epsilon } => Guarantee::pure(relation, epsilon.clone().into()),
            Self::Approximate { epsilon, delta } => {
                Guarantee::approximate(relation, epsilon.clone().into(), delta.clone().into())
            }
            Self::Zcdp { rho } => Guarantee::zcdp(relation, rho.clone().into()),
        }
        .ok()
    }

    /// The numbers, each with its name.
    pub(super) fn numbers(&self) -> Vec<(&'static str, &Rational)> {
        match self {
            Self::Pure { epsilon } => vec![("epsilon", epsilon.get())],
            Self::Approximate { epsilon, delta } => vec![("epsilon", epsilon.get()), ("delta", delta.get())],
            Self::Zcdp { rho } => vec![("rho", rho.get())],
        }
    }

    /// Its name in documents: `pure`, `approximate` or `zcdp`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Pure { .. } => "pure",
            Self::Approximate { .. } => "approximate",
            Self::Zcdp { .. } => "zcdp",
        }
    }

    /// Nothing, of this kind.
    pub(super) fn nothing(&self) -> Self {
        self.clone().map(|_| NonNegative::zero())
    }

    /// So many times this.
    pub(super) fn times(&self, copies: u64) -> Self {
        let factor = Rational::from_integer(copies.into());
        self.clone().map(|number| non_negative(number.get() * &factor))
    }

    /// Both together; nothing where their kinds differ.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let add = |a: &NonNegative, b: &NonNegative| non_negative(a.get() + b.get());
        Some(match (self, other) {
            (Self::Pure { epsilon: a }, Self::Pure { epsilon: b }) => Self::Pure { epsilon: add(a, b) },
            (Self::Approximate { epsilon: a, delta: c }, Self::Approximate { epsilon: b, delta: d }) => {
                Self::Approximate { epsilon: add(a, b), delta: add(c, d) }
            }
            (Self::Zcdp { rho: a }, Self::Zcdp { rho: b }) => Self::Zcdp { rho: add(a, b) },
            _ => return None,
        })
    }

    /// Whether it is of the same kind, and no number of it is larger.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.numbers(), other.numbers());
        self.kind() == other.kind() && mine.iter().zip(theirs).all(|((_, mine), (_, theirs))| *mine <= theirs)
    }

    /// Whether ε or ρ is above 0, δ is below 1, and every number is short.
    pub(super) fn is_budget(&self) -> bool {
        let numbers = self.numbers();
        let is_spendable = numbers.first().is_some_and(|(_, main)| **main > Rational::from_integer(0.into()));
        is_spendable && self.guarantee(Relation::AddRemove).is_some() && numbers.iter().all(|(_, n)| is_short(n))
    }

    fn map(self, of: impl Fn(NonNegative) -> NonNegative) -> Self {
        match self {
            Self::Pure { epsilon } => Self::Pure { epsilon: of(epsilon) },
            Self::Approximate { epsilon, delta } => Self::Approximate { epsilon: of(epsilon), delta: of(delta) },
            Self::Zcdp { rho } => Self::Zcdp { rho: of(rho) },
        }
    }

    /// The numbers as fractions, with decimals beside those that are no short decimal.
    #[must_use]
    pub fn shown(&self, rounding: Rounding) -> String {
        let each = |(name, number): (&str, &Rational)| {
            let (exact, near) = (render(number), decimal(number, SHOWN_DIGITS, rounding));
            if exact == near { format!("{name} = {exact}") } else { format!("{name} = {exact} ({near})") }
        };
        self.numbers().into_iter().map(each).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(Rounding::Up))
    }
}

fn is_short(number: &Rational) -> bool {
    number.numer().bits().max(number.denom().bits()) <= EXACT_BITS
}

/// Itself, or the next multiple of 2^-128.
fn rounded_up(number: NonNegative) -> NonNegative {
    if is_short(number.get()) {
        return number;
    }
    let grid = Rational::from_integer(BigInt::from(1) << ROUNDED_BITS);
    non_negative((number.get() * &grid).ceil() / grid)
}

/// Sums, products and roundings up of what is not negative.
fn non_negative(value: Rational) -> NonNegative {
    NonNegative::new(value).unwrap_or_else(|_| NonNegative::zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::{Positive, Real};

    fn pure(text: &str) -> Amount {
        Amount::Pure { epsilon: text.parse().unwrap() }
    }

    /// ln 3, a fraction of a thousand bits, and ε as ρ: never below the truth.
    #[test]
    fn costs_are_rounded_up() {
        let relation = Relation::AddRemove;
        let ln_three = Guarantee::pure(relation, Real::from(3).ln()).unwrap();
        let Amount::Pure { epsilon } = pure("1").cost(&ln_three).unwrap() else { panic!("kind") };
        assert!(Real::from(3).ln().is_at_most(&epsilon.clone().into()));
        let above = Real::from(epsilon) - Real::from(3).ln();
        assert!(above.is_at_most(&Real::from(Rational::new(1.into(), BigInt::from(1) << 127))));

        let long = Rational::new(BigInt::from(3).pow(1000), BigInt::from(5).pow(800));
        let cost = pure("1").cost(&Guarantee::pure(relation, long.clone().into()).unwrap()).unwrap();
        let (_, number) = cost.numbers()[0];
        let close = Rational::new(1.into(), BigInt::from(1) << 128);
        assert!(*number >= long && number - &long <= close);
        assert!(!is_short(&long) && is_short(number));
        // Exactly what is short.
        let third = Guarantee::pure(relation, Real::ratio(1, 3)).unwrap();
        assert_eq!(pure("1").cost(&third), Ok(pure("1/3")));
        let rho = Amount::Zcdp { rho: "1".parse().unwrap() };
        let Amount::Zcdp { rho: cost } = rho.cost(&third).unwrap() else { panic!("kind") };
        assert!(*cost.get() <= Rational::new(1.into(), 18.into()) && *cost.get() > Rational::new(1.into(), 20.into()));
        let zcdp = Guarantee::zcdp(relation, Real::from(1)).unwrap();
        assert_eq!(pure("1").cost(&zcdp), Err(GuaranteeError::KindsDiffer));
        let order = Positive::new(Rational::from_integer(2.into())).unwrap();
        let renyi = Guarantee::renyi(relation, &order, Real::from(1)).unwrap();
        assert!(pure("1").cost(&renyi).is_err() && rho.cost(&renyi).is_err());
    }

    #[test]
    fn sums_and_comparisons_are_exact() {
        let both = |e: &str, d: &str| Amount::Approximate { epsilon: e.parse().unwrap(), delta: d.parse().unwrap() };
        let sum = both("1/3", "1e-9").times(3).plus(&both("0", "1e-9")).unwrap();
        assert_eq!(sum, both("1", "4e-9"));
        assert!(sum.fits(&both("1", "4e-9")) && !sum.fits(&both("1", "3.999e-9")) && !sum.fits(&both("0.9", "1")));
        assert!(!sum.fits(&pure("5")) && pure("5").plus(&sum).is_none());
        assert!(pure("1e-9").is_budget() && !pure("0").is_budget() && !both("1", "1").is_budget());
        assert_eq!(both("1/3", "1/2").to_string(), "epsilon = 1/3 (0.333334), delta = 1/2 (0.5)");
        assert_eq!(pure("1/3").shown(Rounding::Down), "epsilon = 1/3 (0.333333)");
        let json = serde_json::to_string(&sum).unwrap();
        assert_eq!(json, r#"{"approximate":{"epsilon":"1","delta":"1/250000000"}}"#);
        assert_eq!(serde_json::from_str::<Amount>(&json).unwrap(), sum);
        for bad in [r#"{"pure":{"epsilon":1}}"#, r#"{"pure":{"epsilon":"-1"}}"#, r#"{"pure":{"epsilon":"1","x":"1"}}"#]
        {
            assert!(serde_json::from_str::<Amount>(bad).is_err(), "{bad}");
        }
    }
}
