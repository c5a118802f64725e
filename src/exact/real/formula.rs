//! [`Formula`]: what a [`Real`](super::Real) is made of.
//!
//! A formula is a graph without circles whose nodes may be shared. Sums of many terms and many compositions
//! make it deep, and a value that is composed with itself 30 times has 2^30 paths to its root. So every
//! traversal (enclosing, comparing, dropping) keeps its own stack, and visits a shared node once.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    vec,
    vec::Vec,
};
use core::hash::{Hash, Hasher};

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::exact::{Enclosure, NonNegative, Positive, Rational, exp_neg, exp_neg_relative, ln};

/// A rational, or an operation on other formulas.
#[derive(Clone)]
pub(super) struct Formula(Arc<Node>);

enum Node {
    Rational(Rational),
    Of(Operation, Vec<Formula>),
}

/// An operation: `Sum` takes any number of operands, `Product`, `Quotient`, `Max` and `Min` take two, the
/// others one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Sum,
    Product,
    Quotient,
    Max,
    Min,
    Exp,
    Ln,
    Sqrt,
}

/// e^x is formed up to this x, where it has some 24,000 bits before the point.
const GREATEST_EXPONENT: u32 = 1 << 14;

impl From<Rational> for Formula {
    fn from(value: Rational) -> Self {
        Self(Arc::new(Node::Rational(value)))
    }
}

impl Formula {
    pub(super) fn of(operation: Operation, operands: Vec<Self>) -> Self {
        Self(Arc::new(Node::Of(operation, operands)))
    }

    /// The number, if the formula is one.
    pub(super) fn rational(&self) -> Option<&Rational> {
        match &*self.0 {
            Node::Rational(value) => Some(value),
            Node::Of(..) => None,
        }
    }

    /// x, if the formula is this operation on x alone.
    pub(super) fn operand_of(&self, operation: Operation) -> Option<&Self> {
        match &*self.0 {
            Node::Of(own, operands) if *own == operation => match operands.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            _ => None,
        }
    }

    fn operands(&self) -> &[Self] {
        match &*self.0 {
            Node::Rational(_) => &[],
            Node::Of(_, operands) => operands,
        }
    }

    /// The place of the node: the same for two formulas exactly if they share it.
    fn place(&self) -> *const Node {
        Arc::as_ptr(&self.0)
    }

    /// An enclosure at a working precision, however wide; nothing if an operand is not known to be in the
    /// domain.
    pub(super) fn enclose(&self, working: u32) -> Option<Enclosure> {
        let mut known = BTreeMap::new();
        let mut pending = vec![self];
        while let Some(&formula) = pending.last() {
            let unknown = |operand: &&Self| !known.contains_key(&operand.place());
            let before = pending.len();
            if unknown(&formula) {
                pending.extend(formula.operands().iter().filter(unknown));
            }
            if pending.len() == before {
                pending.pop();
                if unknown(&formula) {
                    let value = formula.evaluate(working, &known)?;
                    known.insert(formula.place(), value);
                }
            }
        }
        known.remove(&self.place())
    }

    /// This node, its operands' enclosures being known.
    fn evaluate(&self, working: u32, known: &BTreeMap<*const Node, Enclosure>) -> Option<Enclosure> {
        let (operation, operands) = match &*self.0 {
            Node::Rational(value) => return Some(Enclosure::from_rational(value, working)),
            Node::Of(operation, operands) => (operation, operands),
        };
        let mut values = operands.iter().map(|operand| known.get(&operand.place()));
        let first = values.next()??;
        Some(match operation {
            Operation::Sum => values.try_fold(first.clone(), |sum, term| Some(sum.add(term?)))?,
            Operation::Product => first.mul(values.next()??),
            Operation::Quotient => first.div(values.next()??)?,
            Operation::Max => {
                let other = values.next()??;
                let (least, most) = (first.lower().max(other.lower()), first.upper().max(other.upper()));
                Enclosure::from_bounds(&least, &most, working)?
            }
            Operation::Min => {
                let other = values.next()??;
                let (least, most) = (first.lower().min(other.lower()), first.upper().min(other.upper()));
                Enclosure::from_bounds(&least, &most, working)?
            }
            Operation::Exp => {
                let (least, most) = (exp(&first.lower(), working)?, exp(&first.upper(), working)?);
                // e^x rises.
                Enclosure::from_bounds(&least.lower(), &most.upper(), working)?
            }
            Operation::Ln => {
                let (least, most) = (Positive::new(first.lower()).ok()?, Positive::new(first.upper()).ok()?);
                ln(&least, working).hull(&ln(&most, working)).at_precision(working)
            }
            Operation::Sqrt => {
                // A number that is not negative may have an enclosure that is, by its rounding.
                if first.upper().is_negative() {
                    return None;
                }
                let (least, most) = (sqrt_floor(&first.lower(), working), sqrt_ceil(&first.upper(), working));
                Enclosure::from_bounds(&least, &most, working)?
            }
        })
    }
}

impl PartialEq for Formula {
    /// Whether both are the same operations on the same rationals.
    fn eq(&self, other: &Self) -> bool {
        let mut seen = BTreeSet::new();
        let mut pending = vec![(self, other)];
        while let Some((a, b)) = pending.pop() {
            // A pair that was met before is compared already, or still pending.
            if Arc::ptr_eq(&a.0, &b.0) || !seen.insert((a.place(), b.place())) {
                continue;
            }
            match (&*a.0, &*b.0) {
                (Node::Rational(a), Node::Rational(b)) if a == b => (),
                (Node::Of(a, of_a), Node::Of(b, of_b)) if a == b && of_a.len() == of_b.len() => {
                    pending.extend(of_a.iter().zip(of_b));
                }
                _ => return false,
            }
        }
        true
    }
}

impl Eq for Formula {}

impl Hash for Formula {
    /// The root alone: equal formulas have equal roots.
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &*self.0 {
            Node::Rational(value) => value.hash(state),
            Node::Of(operation, operands) => (operation, operands.len()).hash(state),
        }
    }
}

impl Drop for Node {
    /// Takes a deep formula apart node by node, where the drop of a field would recurse.
    fn drop(&mut self) {
        let Self::Of(_, operands) = self else { return };
        let mut pending = core::mem::take(operands);
        while let Some(mut formula) = pending.pop() {
            if let Some(Self::Of(_, operands)) = Arc::get_mut(&mut formula.0) {
                pending.append(operands);
            }
        }
    }
}

/// e^x for a rational of either sign.
fn exp(x: &Rational, working: u32) -> Option<Enclosure> {
    if !x.is_positive() {
        return Some(exp_neg(&NonNegative::new(-x).ok()?, working).at_precision(working));
    }
    if *x > Rational::from_integer(GREATEST_EXPONENT.into()) {
        return None;
    }
    // e^x = 1/e^-x. Relative to 2^(1.5·x), a bound of e^x, the reciprocal loses `working` bits after the
    // point.
    let bits = working.checked_add(u32::try_from((x.ceil().to_integer() * 3) / 2).ok()?)?.checked_add(4)?;
    let falling = exp_neg_relative(&NonNegative::new(x.clone()).ok()?, bits)?;
    Enclosure::from_bounds(&falling.upper().recip(), &falling.lower().recip(), working)
}

/// ⌊√x·2^working⌋/2^working, and 0 for x < 0.
fn sqrt_floor(x: &Rational, working: u32) -> Rational {
    if x.is_negative() {
        return Rational::zero();
    }
    Rational::new(scaled_square(x, working).sqrt(), BigInt::one() << working)
}

/// At least √x, for x ≥ 0, by at most 2^(1 − working).
fn sqrt_ceil(x: &Rational, working: u32) -> Rational {
    // √⌊y⌋ ≤ √y < √(⌊y⌋ + 1) ≤ ⌊√⌊y⌋⌋ + 1.
    Rational::new(scaled_square(x, working).sqrt() + 1, BigInt::one() << working)
}

/// ⌊x·4^working⌋.
fn scaled_square(x: &Rational, working: u32) -> BigInt {
    (x * Rational::from_integer(BigInt::one() << (2 * u64::from(working)))).floor().to_integer()
}
