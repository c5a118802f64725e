//! What an account answers, and how precisely it was asked.

use num_traits::Zero;

use super::{Method, Plan};
use crate::exact::{Enclosure, Rational};

/// How narrow an answer is wanted: relative width ≤ 10^-digits, on both δ and ε.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precision {
    /// The wanted number of significant decimal digits; at least 1.
    pub digits: u32,
}

impl Default for Precision {
    /// Fifteen digits.
    fn default() -> Self {
        Self { digits: 15 }
    }
}

impl Precision {
    /// Binary digits for the wanted decimal ones, with two to spare.
    #[must_use]
    pub fn bits(&self) -> u32 {
        // log2(10) < 10/3 + 1/100.
        self.digits.saturating_mul(10) / 3 + self.digits / 100 + 3
    }
}

/// An enclosure of the answer, the method that found it, and whether it is as narrow as was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Contains the true answer: that of the pairs of the plan. It is the mechanisms' own where these attain
    /// their pairs; otherwise the upper end bounds it, and the lower end says nothing of it
    /// ([`Answer::is_attained`]).
    pub enclosure: Enclosure,
    /// The method that found it.
    pub method: Method,
    /// Whether the relative width is at most the wanted one (or the answer is exactly 0).
    pub is_narrow: bool,
}

impl Answer {
    /// An enclosure that a method found, beside the precision that was asked.
    pub(super) fn new(enclosure: Enclosure, method: Method, precision: &Precision) -> Self {
        Self { is_narrow: is_narrow(&enclosure, precision), enclosure, method }
    }

    /// Exactly 0.
    pub(super) fn zero(method: Method) -> Self {
        Self { enclosure: Enclosure::from_integer(0, 0), method, is_narrow: true }
    }

    /// [0, 1], in which every δ is.
    pub(super) fn trivial() -> Self {
        let enclosure = Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0));
        Self { enclosure, method: Method::Trivial, is_narrow: false }
    }

    /// The answer cut to [0, 1], where it is a δ: a probability, whatever was rounded on the way.
    pub(super) fn clamped(self) -> Self {
        let whole = Self::trivial().enclosure;
        let enclosure = self.enclosure.intersection(&whole).unwrap_or(whole);
        Self { enclosure, ..self }
    }

    /// Whether the answer is known to one part in so many.
    pub(super) fn is_known_to(&self, parts: u32) -> bool {
        self.enclosure.width() * Rational::from_integer(parts.into()) <= self.enclosure.lower()
    }

    /// Whether the lower end is one of what the mechanisms themselves lose, too, and not only of the pairs
    /// that dominate them. `plan` is what was asked about.
    ///
    /// It is where the plan is attained ([`Plan::is_attained`]); and where it is 0, as nothing is below.
    ///
    /// ```
    /// use certus::{account::{Plan, Precision, delta}, exact::{NonNegative, parse}, mechanism::domination};
    ///
    /// let plan = Plan::of(&domination(&"permute_and_flip(epsilon=1, candidates=2)".parse()?)?, 1);
    /// let at = |epsilon: &str| delta(&plan, &NonNegative::new(parse(epsilon).unwrap()).unwrap(), &Precision::default());
    /// // The pair is a randomized response of ε = 1. Any two neighbours are closer to each other.
    /// assert!(!at("1/2")?.is_attained(&plan));
    /// assert!(at("1")?.is_attained(&plan));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_attained(&self, plan: &Plan) -> bool {
        plan.is_attained() || self.enclosure.lower().is_zero()
    }

    /// What two enclosures of the same number say together; the method of the narrower.
    pub(super) fn narrowed_by(&self, other: &Self, precision: &Precision) -> Self {
        // Two enclosures of one truth always intersect.
        let common = self.enclosure.intersection(&other.enclosure);
        debug_assert!(
            common.is_some(),
            "{} by {} and {} by {}",
            self.enclosure,
            self.method,
            other.enclosure,
            other.method
        );
        let common = common.unwrap_or_else(|| self.enclosure.clone());
        let is_first = self.enclosure.width() <= other.enclosure.width();
        let method = if is_first { self.method } else { other.method };
        Self { is_narrow: is_narrow(&common, precision), enclosure: common, method }
    }

    /// The enclosure of the larger of two numbers.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        let (lower, upper) =
            (self.enclosure.lower().max(other.enclosure.lower()), self.enclosure.upper().max(other.enclosure.upper()));
        // Where one is the larger for certain it is the answer, and the other's width is of no account.
        if self.enclosure.upper() <= other.enclosure.lower() {
            return other.clone();
        }
        if other.enclosure.upper() <= self.enclosure.lower() {
            return self.clone();
        }
        let precision = self.enclosure.precision().max(other.enclosure.precision());
        let enclosure = Enclosure::from_bounds(&lower, &upper, precision).unwrap_or_else(|| self.enclosure.clone());
        Self { enclosure, method: self.method, is_narrow: self.is_narrow && other.is_narrow }
    }
}

/// Whether upper − lower ≤ 10^-digits · lower, or both are 0.
#[must_use]
pub fn is_narrow(enclosure: &Enclosure, precision: &Precision) -> bool {
    enclosure.is_narrow_by(&num_bigint::BigInt::from(10u32).pow(precision.digits))
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// There is nothing to account for.
    #[error("a plan must have at least one mechanism")]
    Empty,
    /// A mechanism is for other neighbours than the plan is.
    #[error(
        "all mechanisms of a plan must be for the same neighbours: convert what is for add/remove with `under` first"
    )]
    RelationsDiffer,
    /// A plan of 2^64 copies or more.
    #[error("at most 2^64 - 1 copies in all are accounted for")]
    TooManyCopies,
    /// A parameter, or the ε or δ that is asked about, has too many digits.
    #[error("a parameter must have at most 8192 binary digits")]
    TooLong,
    /// No method reaches the question within its bounds on memory and time.
    #[error("the plan is beyond what can be accounted for within the bounds on memory and time")]
    OutOfReach,
    /// δ(ε) stays above the wanted δ for every ε, of pairs that are attained.
    #[error("no epsilon suffices: whatever it is, the smallest delta stays above the one asked for")]
    NoEpsilon,
    /// δ(ε) of the pairs stays above the wanted δ for every ε, and the pairs only dominate: the mechanisms'
    /// own may fall below it.
    #[error(
        "no epsilon is known to suffice: the delta of the pairs that dominate the plan stays above the one asked for"
    )]
    NoEpsilonKnown,
}
