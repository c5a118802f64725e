//! Randomized response: the truth, or another of k answers.

use alloc::{vec, vec::Vec};
use core::{convert::Infallible, num::NonZeroU64, ops::ControlFlow};

use num_bigint::{BigInt, BigUint};

use crate::{
    exact::{Enclosure, FinitePmf, Integer, NonNegative, Probability, Rational, Real, exp_neg},
    guarantee::{Attained, Domination, FinitePair, Guarantee, Pair, Relation, Weight},
    mechanism::{Private, opaque_debug},
    sample::{Bernoulli, Interpreter, Program, Step, Uniform},
};

/// One of k answers 0, 1, …, k − 1, from a true one.
///
/// The truth is told with a given probability p (and each other answer with (1 − p)/(k − 1)), or so that each
/// other answer is e^-ε times as likely: p = e^ε/(e^ε + k − 1), irrational, and sampled exactly all the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RandomizedResponse {
    rule: Rule,
    /// Invariant: 2 ≤ answers < 2^63.
    answers: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    TruthWith(Probability),
    ByEpsilon(NonNegative),
}

/// The most answers whose probabilities are listed.
const MOST_LISTED: u64 = 1 << 16;

impl RandomizedResponse {
    /// The truth with probability `p`, among `answers`, 2 to 2^63 − 1 (fewer are taken for 2, more for 2^63 −
    /// 1).
    #[must_use]
    pub fn truth_with(p: Probability, answers: u64) -> Self {
        Self { rule: Rule::TruthWith(p), answers: answers.clamp(2, i64::MAX.unsigned_abs()) }
    }

    /// Each answer but the truth e^-ε times as likely as the truth, among `answers`, 2 to 2^63 − 1 (fewer are
    /// taken for 2, more for 2^63 − 1).
    #[must_use]
    pub fn by_epsilon(epsilon: NonNegative, answers: u64) -> Self {
        Self { rule: Rule::ByEpsilon(epsilon), answers: answers.clamp(2, i64::MAX.unsigned_abs()) }
    }

    /// The number k of answers.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.answers
    }

    /// The probability p of the truth, and that of each other answer, (1 − p)/(k − 1).
    #[must_use]
    pub fn probabilities(&self) -> (Real, Real) {
        let others = Rational::from_integer((self.answers - 1).into());
        let one = Rational::from_integer(1.into());
        match &self.rule {
            Rule::TruthWith(p) => (Real::from(p.get().clone()), Real::from((one - p.get()) / others)),
            Rule::ByEpsilon(epsilon) => {
                let lie = Real::from(-epsilon.get()).exp();
                let total = &Real::from(one) + &(&Real::from(others) * &lie);
                (&Real::from(1) / &total, &lie / &total)
            }
        }
    }

    /// |ln(p/q)| of the probabilities p of the truth and q of another answer; nothing if either is 0.
    pub(super) fn epsilon(&self) -> Option<Real> {
        match &self.rule {
            Rule::ByEpsilon(epsilon) => Some(Real::from(epsilon.clone())),
            Rule::TruthWith(p) => {
                let lie =
                    (Rational::from_integer(1.into()) - p.get()) / Rational::from_integer((self.answers - 1).into());
                let (more, less) = if *p.get() < lie { (lie, p.get().clone()) } else { (p.get().clone(), lie) };
                let zero = Rational::from_integer(0.into());
                (less > zero).then(|| Real::from(more / less).ln())
            }
        }
    }

    fn respond(&self, input: &Integer) -> Kind {
        let truth = self.truth(input);
        // Invariant: at least 2 answers.
        let other = Uniform::below(NonZeroU64::new(self.answers - 1).unwrap_or(NonZeroU64::MIN));
        match &self.rule {
            Rule::TruthWith(p) => Kind::TruthOrOther { coin: Bernoulli::new(p.clone()), other, truth },
            Rule::ByEpsilon(epsilon) => {
                let coin = TruthCoin { epsilon: epsilon.clone(), others: self.answers - 1 };
                Kind::TruthOrOtherByEpsilon { coin, other, truth }
            }
        }
    }

    /// The closed form of the response; nothing if there are too many answers to list.
    #[must_use]
    pub fn pmf(&self, input: &Integer, precision: u32) -> Option<FinitePmf<Integer>> {
        let truth = self.truth(input);
        if self.answers > MOST_LISTED {
            return None;
        }
        let zero = NonNegative::zero();
        let weight = |answer: i64| match &self.rule {
            Rule::TruthWith(p) if answer == truth => Some((NonNegative::new(p.get().clone()).ok()?, zero.clone())),
            Rule::TruthWith(p) => {
                let others = Rational::from_integer((self.answers - 1).into());
                let other = (Rational::from_integer(1.into()) - p.get()) / others;
                Some((NonNegative::new(other).ok()?, zero.clone()))
            }
            Rule::ByEpsilon(epsilon) => {
                let one = NonNegative::new(Rational::from_integer(1.into())).ok()?;
                Some((one, if answer == truth { zero.clone() } else { epsilon.clone() }))
            }
        };
        let weights: Option<Vec<_>> = (0..i64::try_from(self.answers).ok()?)
            .map(|answer| weight(answer).map(|(factor, exponent)| (Integer::from(answer), factor, exponent)))
            .collect();
        FinitePmf::new(weights?, precision)
    }

    /// The responses to two true answers a and b: outcomes a, b, and the k − 2 others as one (they are
    /// equally likely under both, so that merging them changes no profile).
    fn pair(&self) -> FinitePair {
        let others = Rational::from_integer((self.answers - 2).into());
        let one = Rational::from_integer(1.into());
        let (truth, other) = match &self.rule {
            Rule::TruthWith(p) => {
                let lie = (&one - p.get()) / Rational::from_integer((self.answers - 1).into());
                ((p.get().clone(), NonNegative::zero()), (lie, NonNegative::zero()))
            }
            Rule::ByEpsilon(epsilon) => ((one.clone(), NonNegative::zero()), (one, epsilon.clone())),
        };
        let weight = |(factor, exponent): &(Rational, NonNegative), times: &Rational| Weight {
            factor: NonNegative::new(factor * times).unwrap_or_else(|_| NonNegative::zero()),
            exponent: exponent.clone(),
        };
        let single = Rational::from_integer(1.into());
        let (truth, lie, rest) = (weight(&truth, &single), weight(&other, &single), weight(&other, &others));
        // The truth or a lie has positive weight, so this never falls back; if it did, on the safe side.
        FinitePair::new(vec![(truth.clone(), lie.clone()), (lie, truth), (rest.clone(), rest)])
            .unwrap_or_else(|_| FinitePair::revealing())
    }

    /// The answer that is nearest to an input. Any two answers are neighbours, so whatever function of the
    /// input it is, the guarantee holds.
    fn truth(&self, input: &Integer) -> i64 {
        let last = i64::try_from(self.answers - 1).unwrap_or(i64::MAX);
        if *input < Integer::ZERO { 0 } else { input.to_i64().map_or(last, |truth| truth.min(last)) }
    }
}

/// A coin that comes up true with probability p = 1/(1 + others·e^-ε), irrational.
///
/// A uniform real U is revealed bit by bit and compared with ever narrower enclosures of p, until it is on
/// one side of them. The cost does not depend on ε or on the number of others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TruthCoin {
    epsilon: NonNegative,
    others: u64,
}

impl TruthCoin {
    /// Encloses p, to a width of at most about 2^-precision.
    fn probability(&self, precision: u32) -> Option<Enclosure> {
        // The product with others < 2^63 widens the enclosure of e^-ε by as much.
        let working = precision.checked_add(64)?;
        let others = Enclosure::from_integer(self.others, 0);
        let one = Enclosure::from_integer(1, working);
        one.div(&one.add(&others.mul(&exp_neg(&self.epsilon, working))))
    }
}

impl Program for TruthCoin {
    /// The first bits of U, and how many they are.
    type State = (BigUint, u32);
    type Output = bool;

    fn start(&self) -> (BigUint, u32) {
        (BigUint::ZERO, 0)
    }

    fn step<I: Interpreter>(&self, (prefix, length): (BigUint, u32), on: &mut I) -> Step<Self, I> {
        let prefix = (prefix << 1u32) | BigUint::from(on.bits(1)?);
        let length = length.checked_add(1).ok_or_else(|| on.overflow())?;
        let p = self.probability(length.saturating_add(8)).ok_or_else(|| on.overflow())?;
        // U is in [prefix, prefix + 1]·2^-length.
        let unit = BigInt::from(BigUint::from(1u32) << length);
        let (least, most) =
            (Rational::new(prefix.clone().into(), unit.clone()), Rational::new((&prefix + 1u32).into(), unit));
        Ok(if most <= p.lower() {
            ControlFlow::Break(true)
        } else if least >= p.upper() {
            ControlFlow::Break(false)
        } else {
            ControlFlow::Continue((prefix, length))
        })
    }
}

/// An input that is none of the answers is taken for the nearest of them.
impl Private for RandomizedResponse {
    type Input = Integer;
    type Release = Response;
    type Error = Infallible;

    fn on(&self, input: &Integer) -> Result<Response, Infallible> {
        Ok(Response(self.respond(input)))
    }

    /// Pure ε = |ln(p/q)| for a person whose true answer changes; where an answer is certain or impossible,
    /// there is [none](Guarantee::none).
    fn guarantee(&self) -> Guarantee {
        let pure = |epsilon| Guarantee::pure(Relation::ChangeOne, epsilon).ok();
        self.epsilon().and_then(pure).unwrap_or_else(|| Guarantee::none(Relation::ChangeOne))
    }

    /// Attained by any two true answers.
    fn domination(&self) -> Domination {
        Domination::by(Pair::Finite(self.pair())).attained(Attained::ByNeighbours(Relation::ChangeOne))
    }
}

/// The response to one true answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Response(Kind);

/// A coin for the truth; if it fails, one of the other k − 1 answers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    TruthOrOther { coin: Bernoulli, other: Uniform, truth: i64 },
    TruthOrOtherByEpsilon { coin: TruthCoin, other: Uniform, truth: i64 },
}

opaque_debug!(Response, Kind);

impl Program for Response {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let (told, other, truth) = match &self.0 {
            Kind::TruthOrOther { coin, other, truth } => (on.call(coin)?, other, truth),
            Kind::TruthOrOtherByEpsilon { coin, other, truth } => (on.call(coin)?, other, truth),
        };
        if told {
            return Ok(ControlFlow::Break(Integer::from(*truth)));
        }
        // 0 … k − 2, with a gap at the truth.
        let other = on.call(other)?;
        let gap = other >= Integer::from(*truth);
        Ok(ControlFlow::Break(if gap { other.add(&Integer::from(1i64)) } else { other }))
    }
}
