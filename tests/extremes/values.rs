//! Extreme arguments.

use certus::{
    bits::{Bits, BitsError, seeded},
    exact::{Integer, NonNegative, Positive, Probability, Rational, Real, parse},
    guarantee::{Guarantee, L1, L2Squared, LInfinity, Relation, Sensitivity},
    sample::Program,
};

pub const RELATIONS: [Relation; 2] = [Relation::AddRemove, Relation::ChangeOne];
pub const U64: [u64; 4] = [0, 1, 1_000, u64::MAX];
pub const U32: [u32; 4] = [0, 1, 1_000, u32::MAX];
pub const USIZE: [usize; 4] = [0, 1, 1_000, usize::MAX];
pub const I64: [i64; 5] = [i64::MIN, -1, 0, 1, i64::MAX];

/// Numbers of a thousand digits at most, as specs have them.
const NUMBERS: [&str; 7] = ["0", "1", "-1", "1/3", "1e-1000", "1e1000", "-1e1000"];

/// Every kind of rational of at most a thousand digits, those of `new_raw` among them.
pub fn rationals() -> Vec<Rational> {
    let raw = |n: i64, d: i64| Rational::new_raw(n.into(), d.into());
    let mut all: Vec<Rational> = NUMBERS.iter().map(|text| parse(text).unwrap()).collect();
    all.extend([raw(1, 0), raw(0, 0), raw(1, -2), raw(6, 4)]);
    all
}

/// And two of ten thousand digits.
pub fn with_long(mut numbers: Vec<Rational>) -> Vec<Rational> {
    numbers.extend([long(), long().recip()]);
    numbers
}

/// A number of ten thousand digits.
pub fn long() -> Rational {
    Rational::from_integer(7.into()).pow(11_833)
}

pub fn long_positives() -> Vec<Positive> {
    with_long(rationals()).into_iter().filter_map(|value| Positive::new(value).ok()).collect()
}

pub fn long_non_negatives() -> Vec<NonNegative> {
    with_long(rationals()).into_iter().filter_map(|value| NonNegative::new(value).ok()).collect()
}

pub fn long_probabilities() -> Vec<Probability> {
    with_long(rationals()).into_iter().filter_map(|value| Probability::new(value).ok()).collect()
}

pub fn positives() -> Vec<Positive> {
    rationals().into_iter().filter_map(|value| Positive::new(value).ok()).collect()
}

pub fn non_negatives() -> Vec<NonNegative> {
    rationals().into_iter().filter_map(|value| NonNegative::new(value).ok()).collect()
}

pub fn probabilities() -> Vec<Probability> {
    rationals().into_iter().filter_map(|value| Probability::new(value).ok()).collect()
}

pub fn integers() -> Vec<Integer> {
    let wide = parse("1e1000").unwrap().to_integer();
    let mut all: Vec<Integer> = I64.into_iter().map(Integer::from).collect();
    all.extend([Integer::from(wide.clone()), Integer::from(-wide)]);
    all
}

pub fn l1() -> Vec<Sensitivity<L1>> {
    non_negatives().into_iter().map(|value| Sensitivity::new(value, Relation::ChangeOne)).collect()
}

pub fn l2() -> Vec<Sensitivity<L2Squared>> {
    non_negatives().into_iter().map(|value| Sensitivity::new(value, Relation::AddRemove)).collect()
}

pub fn linf() -> Vec<Sensitivity<LInfinity>> {
    non_negatives().into_iter().map(|value| Sensitivity::new(value, Relation::AddRemove)).collect()
}

pub fn one() -> Positive {
    Positive::new(parse("1").unwrap()).unwrap()
}

pub fn pure(epsilon: impl Into<Real>) -> Guarantee {
    Guarantee::pure(Relation::AddRemove, epsilon.into()).unwrap()
}

/// As much of a number as fits a line.
pub fn shown(value: &impl std::fmt::Display) -> String {
    let text = value.to_string();
    if text.len() <= 40 {
        text
    } else {
        format!("{}… ({} characters)", text.chars().take(20).collect::<String>(), text.len())
    }
}

/// Fair bits, as many as a draw of extreme noise may need: a draw that takes more is an error, not a loop.
struct Bounded<B>(B, u64);

impl<B: Bits> Bits for Bounded<B> {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        self.1 = self.1.checked_sub(1).ok_or(BitsError::TapeEnded)?;
        self.0.take(count)
    }
}

/// One draw, whatever comes of it.
pub fn drawn<P: Program>(program: &P) -> bool {
    program.sample(&mut Bounded(seeded([3; 32]), 10_000_000)).is_ok()
}
