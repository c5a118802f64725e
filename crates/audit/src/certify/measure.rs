//! The two ways to weigh a set of tapes: by its mass, and by the number of its tapes of each length.
//!
//! The structural interpreter adds, multiplies and solves loops over whichever [`Measure`] it is given, so
//! that what is compared with the flat enumeration tape for tape is the same interpretation that yields the
//! masses.
//!
//! Which of the two it is, is a value and not a type: the interpreter is compiled once for every program, and
//! there are many.

use std::vec::Vec;

use num_bigint::BigUint;

/// Either way to weigh.
pub(super) enum Weighing {
    Mass(Mass),
    Tapes(Tapes),
}

/// A weight by the measure that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Mass(BigUint),
    Tapes(Vec<u128>),
}

impl Weight {
    /// The mass; nothing if tapes were counted.
    pub(super) fn mass(self) -> BigUint {
        match self {
            Self::Mass(mass) => mass,
            Self::Tapes(_) => BigUint::ZERO,
        }
    }

    /// The tapes; none if masses were added.
    pub(super) fn tapes(self) -> Vec<u128> {
        match self {
            Self::Tapes(tapes) => tapes,
            Self::Mass(_) => Vec::new(),
        }
    }
}

impl Measure for Weighing {
    type Weight = Weight;

    fn one(&self) -> Weight {
        match self {
            Self::Mass(mass) => Weight::Mass(mass.one()),
            Self::Tapes(tapes) => Weight::Tapes(tapes.one()),
        }
    }

    fn zero(&self) -> Weight {
        match self {
            Self::Mass(mass) => Weight::Mass(mass.zero()),
            Self::Tapes(tapes) => Weight::Tapes(tapes.zero()),
        }
    }

    // A weight of the other measure is never met: all are made by this one. It would count as nothing, which
    // is unresolved.
    fn is_zero(&self, weight: &Weight) -> bool {
        match (self, weight) {
            (Self::Mass(mass), Weight::Mass(weight)) => mass.is_zero(weight),
            (Self::Tapes(tapes), Weight::Tapes(weight)) => tapes.is_zero(weight),
            _ => true,
        }
    }

    fn followed_by_bits(&self, weight: &Weight, count: u32) -> Weight {
        match (self, weight) {
            (Self::Mass(mass), Weight::Mass(weight)) => Weight::Mass(mass.followed_by_bits(weight, count)),
            (Self::Tapes(tapes), Weight::Tapes(weight)) => Weight::Tapes(tapes.followed_by_bits(weight, count)),
            _ => self.zero(),
        }
    }

    fn followed_by(&self, first: &Weight, second: &Weight) -> Weight {
        match (self, first, second) {
            (Self::Mass(mass), Weight::Mass(first), Weight::Mass(second)) => {
                Weight::Mass(mass.followed_by(first, second))
            }
            (Self::Tapes(tapes), Weight::Tapes(first), Weight::Tapes(second)) => {
                Weight::Tapes(tapes.followed_by(first, second))
            }
            _ => self.zero(),
        }
    }

    fn add(&self, sum: &mut Weight, term: &Weight) {
        match (self, sum, term) {
            (Self::Mass(mass), Weight::Mass(sum), Weight::Mass(term)) => mass.add(sum, term),
            (Self::Tapes(tapes), Weight::Tapes(sum), Weight::Tapes(term)) => tapes.add(sum, term),
            _ => {}
        }
    }

    fn repeated(&self, weight: &Weight, again: &Weight) -> Option<Weight> {
        match (self, weight, again) {
            (Self::Mass(mass), Weight::Mass(weight), Weight::Mass(again)) => {
                mass.repeated(weight, again).map(Weight::Mass)
            }
            (Self::Tapes(tapes), Weight::Tapes(weight), Weight::Tapes(again)) => {
                tapes.repeated(weight, again).map(Weight::Tapes)
            }
            _ => None,
        }
    }
}

/// The arithmetic of weights of prefix-free sets of tapes.
pub(super) trait Measure {
    /// The weight of a set.
    type Weight: Clone + 'static;

    /// The weight of the empty tape alone: everything.
    fn one(&self) -> Self::Weight;

    /// The weight of no tape.
    fn zero(&self) -> Self::Weight;

    /// Whether a weight is nothing, or too little to be followed any further.
    fn is_zero(&self, weight: &Self::Weight) -> bool;

    /// The set's tapes, each followed by one given string of `count` bits.
    fn followed_by_bits(&self, weight: &Self::Weight, count: u32) -> Self::Weight;

    /// The first set's tapes, each followed by a tape of the second.
    fn followed_by(&self, first: &Self::Weight, second: &Self::Weight) -> Self::Weight;

    /// The union of disjoint sets.
    fn add(&self, sum: &mut Self::Weight, term: &Self::Weight);

    /// weight·(1 + again + again² + …): the set's tapes followed by any number of tapes of `again`. `None` if
    /// that diverges.
    fn repeated(&self, weight: &Self::Weight, again: &Self::Weight) -> Option<Self::Weight>;
}

/// Mass in units of 2^-precision, rounded down: a lower bound of the true mass under every operation, because
/// each is increasing in its arguments and rounds down. What is lost on the way is never attributed to any
/// output.
pub(super) struct Mass {
    pub(super) precision: u32,
}

impl Measure for Mass {
    type Weight = BigUint;

    fn one(&self) -> BigUint {
        BigUint::from(1u32) << self.precision
    }

    fn zero(&self) -> BigUint {
        BigUint::ZERO
    }

    fn is_zero(&self, weight: &BigUint) -> bool {
        *weight == BigUint::ZERO
    }

    fn followed_by_bits(&self, weight: &BigUint, count: u32) -> BigUint {
        weight >> count
    }

    fn followed_by(&self, first: &BigUint, second: &BigUint) -> BigUint {
        (first * second) >> self.precision
    }

    fn add(&self, sum: &mut BigUint, term: &BigUint) {
        *sum += term;
    }

    fn repeated(&self, weight: &BigUint, again: &BigUint) -> Option<BigUint> {
        let one = self.one();
        (*again < one).then(|| (weight << self.precision) / (one - again))
    }
}

/// The number of tapes of each length 0, 1, …, depth; longer tapes are dropped.
///
/// A set of n tapes of length b is prefix-free, so n ≤ 2^b ≤ 2^64: no count overflows, nor does a product of
/// them.
pub(super) struct Tapes {
    pub(super) depth: u32,
}

impl Tapes {
    fn length(&self) -> usize {
        usize::try_from(self.depth).map_or(usize::MAX, |depth| depth.saturating_add(1))
    }
}

impl Measure for Tapes {
    type Weight = Vec<u128>;

    fn one(&self) -> Vec<u128> {
        let mut one = self.zero();
        one.iter_mut().take(1).for_each(|count| *count = 1);
        one
    }

    fn zero(&self) -> Vec<u128> {
        std::vec![0; self.length()]
    }

    fn is_zero(&self, weight: &Vec<u128>) -> bool {
        weight.iter().all(|&count| count == 0)
    }

    fn followed_by_bits(&self, weight: &Vec<u128>, count: u32) -> Vec<u128> {
        let shift = usize::try_from(count).unwrap_or(usize::MAX);
        let shifted = core::iter::repeat_n(0, shift.min(self.length())).chain(weight.iter().copied());
        shifted.take(self.length()).collect()
    }

    fn followed_by(&self, first: &Vec<u128>, second: &Vec<u128>) -> Vec<u128> {
        let mut product = self.zero();
        for (length, &count) in first.iter().enumerate().filter(|&(_, &count)| count > 0) {
            for (sum, &other) in product.iter_mut().skip(length).zip(second) {
                *sum = count.saturating_mul(other).saturating_add(*sum);
            }
        }
        product
    }

    fn add(&self, sum: &mut Vec<u128>, term: &Vec<u128>) {
        for (sum, term) in sum.iter_mut().zip(term) {
            *sum = sum.saturating_add(*term);
        }
    }

    fn repeated(&self, weight: &Vec<u128>, again: &Vec<u128>) -> Option<Vec<u128>> {
        // A loop that returns to its state without reading a bit never ends.
        if again.first() != Some(&0) {
            return None;
        }
        // r = weight + again·r, solved length by length: `again` has no tape of length 0.
        let mut repeated: Vec<u128> = Vec::with_capacity(weight.len());
        for (length, &count) in weight.iter().enumerate() {
            let earlier = repeated.iter().zip(again.iter().take(length.saturating_add(1)).rev());
            let looped = earlier.fold(0u128, |sum, (&r, &a)| r.saturating_mul(a).saturating_add(sum));
            repeated.push(count.saturating_add(looped));
        }
        Some(repeated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn mass_rounds_down() {
        let mass = Mass { precision: 4 };
        let of = |n: u32| BigUint::from(n);
        assert_eq!(mass.followed_by(&of(5), &of(5)), of(1)); // 25/256 = 1.56/16
        assert_eq!(mass.followed_by_bits(&of(5), 1), of(2));
        assert_eq!(mass.repeated(&of(5), &of(6)), Some(of(8))); // (5/16)/(10/16) = 8/16
        assert_eq!(mass.repeated(&of(5), &of(5)), Some(of(7))); // (5/16)/(11/16) = 7.27/16
        assert_eq!(mass.repeated(&of(1), &of(16)), None);
    }

    #[test]
    fn tapes_are_counted_by_length() {
        let tapes = Tapes { depth: 4 };
        let bit = tapes.followed_by_bits(&tapes.one(), 1);
        assert_eq!(bit, vec![0, 1, 0, 0, 0]);
        // (z + z²)² = z² + 2z³ + z⁴
        assert_eq!(tapes.followed_by(&vec![0, 1, 1, 0, 0], &vec![0, 1, 1, 0, 0]), vec![0, 0, 1, 2, 1]);
        // z/(1 − z − z²): Fibonacci
        assert_eq!(tapes.repeated(&bit, &vec![0, 1, 1, 0, 0]), Some(vec![0, 1, 1, 2, 3]));
        assert_eq!(tapes.repeated(&bit, &tapes.one()), None);
        assert_eq!(tapes.followed_by_bits(&bit, 9), tapes.zero());
        assert!(tapes.is_zero(&tapes.zero()) && !tapes.is_zero(&bit));
    }
}
