//! ⌊G(j)·2^precision⌋ of a distribution on cells 0, 1, 2, …, by a computation that shares nothing with the prepared samplers' tables but `exp_neg`, and
//! that checks itself: every number is enclosed, and a floor that the enclosure does not determine is an error.

use certus::exact::{BigUint, NonNegative, Positive, Rational, exp_neg};

use crate::fraction;

/// What a weight is: e^(-k/s) or e^(-k²/2σ²).
#[derive(Clone, Copy)]
pub enum Decay<'p> {
    Laplace(&'p Positive),
    Gaussian(&'p Positive),
}

impl Decay<'_> {
    /// Its name and its scale, or its variance.
    pub fn written(self) -> String {
        match self {
            Self::Laplace(scale) => format!("laplace {}", fraction(scale.numerator(), scale.denominator())),
            Self::Gaussian(variance) => format!("gaussian {}", fraction(variance.numerator(), variance.denominator())),
        }
    }

    /// x with f(k) = e^-x.
    pub fn exponent(self, k: &BigUint) -> Rational {
        match self {
            Self::Laplace(scale) => Rational::from_integer(k.clone().into()) / scale.get(),
            Self::Gaussian(variance) => {
                Rational::from_integer((k * k).into()) / (variance.get() * Rational::from_integer(2.into()))
            }
        }
    }
}

/// e^-x in [lower, upper]·2^-bits.
pub fn enclosed(x: Rational, bits: u32) -> Result<(BigUint, BigUint), String> {
    let x = NonNegative::new(x).map_err(|error| error.to_string())?;
    let bounds = exp_neg(&x, bits + 4);
    let scaled = |bound: Rational| bound.numer().magnitude() << bits;
    let lower = scaled(bounds.lower()) / bounds.lower().denom().magnitude();
    let upper = scaled(bounds.upper()) / bounds.upper().denom().magnitude() + 1u32;
    Ok((lower, upper))
}

/// The bounds of e^-x·2^length that `Wide::accept` compares with: V's first bits accept below the first, and reject from the second on.
pub fn shipped(x: Rational, length: u32) -> Result<(BigUint, BigUint), String> {
    let x = NonNegative::new(x).map_err(|error| error.to_string())?;
    let bounds = exp_neg(&x, length + 8);
    let floor = |bound: Rational| (bound.numer().magnitude() << length) / bound.denom().magnitude();
    Ok((floor(bounds.lower()), floor(bounds.upper()) + 1u32))
}

/// The product of two numbers in [lower, upper]·2^-bits.
fn product(a: &(BigUint, BigUint), b: &(BigUint, BigUint), bits: u32) -> (BigUint, BigUint) {
    ((&a.0 * &b.0) >> bits, ((&a.1 * &b.1) >> bits) + 1u32)
}

/// The floors to the first that is all ones, or of the first `most` cells. Cell j has the weight of k = jw; twice, of both signs, if `folded` and j > 0.
pub fn floors(
    decay: Decay<'_>,
    width: &BigUint,
    folded: bool,
    precision: u32,
    most: usize,
) -> Result<Vec<BigUint>, String> {
    let bits = precision + 80;
    let one = BigUint::from(1u32) << bits;
    // f((j + 1)w) = f(jw)·ratio(j), and the ratios fall by the same factor, which is 1 for Laplace.
    let mut weight = (one.clone(), one.clone());
    let mut ratio = enclosed(decay.exponent(width), bits)?;
    let factor = match decay {
        Decay::Laplace(_) => (one.clone(), one),
        Decay::Gaussian(_) => enclosed(decay.exponent(width) * Rational::from_integer(2.into()), bits)?,
    };
    let mut sums: Vec<(BigUint, BigUint)> = Vec::new();
    let (mut lower, mut upper) = (BigUint::ZERO, BigUint::ZERO);
    // Weights fall at least as fast after the last as before it: by a factor of at most 1 − 2^-16, or there are too many cells.
    let tail = loop {
        if weight.1 <= BigUint::from(1u32 << 12) {
            break &weight.1 << 17u32;
        }
        let signs = if folded && !sums.is_empty() { 2u32 } else { 1 };
        (lower, upper) = (lower + &weight.0 * signs, upper + &weight.1 * signs);
        sums.push((lower.clone(), upper.clone()));
        if sums.len() > 1 << 16 {
            return Err("too many cells".into());
        }
        weight = product(&weight, &ratio, bits);
        ratio = product(&ratio, &factor, bits);
    };
    let (least, greatest) = (lower, upper + tail);
    let ones = (BigUint::from(1u32) << precision) - 1u32;
    let mut floors = Vec::new();
    for (lower, upper) in sums.into_iter().take(most) {
        let floor = (lower << precision) / &greatest;
        // G(j) is below 1.
        let other = ((upper << precision) / &least).min(ones.clone());
        if floor != other {
            return Err(format!("the floor of cell {} is not determined", floors.len()));
        }
        let is_last = floor == ones;
        floors.push(floor);
        if is_last {
            break;
        }
    }
    Ok(floors)
}
