//! Vectors of discrete Gaussian noise, and the line that they are no worse than.
//!
//! # The lemma
//!
//! D(σ, v) is v ∈ ℤ^d plus an independent discrete Gaussian of parameter σ on every coordinate. Let ‖v‖₂ ≤ Δ,
//! and η(r) = 2·Σ_{m ≥ 1} e^(−2π²m²r²). By Poisson's summation the sum of e^(−(z − y)²/2r²) over all integers
//! z is r√(2π)·(1 + θ) with |θ| ≤ η(r), whatever y is.
//!
//! Take any 0 < w < σ and h > 0, r² = σ² − w², and M with Δ ≤ M·h. The **line** is one discrete Gaussian on
//! the integers, of variance w²/h², at M against 0. For v = M·h·u, ‖u‖ ≤ 1, and a point k of the line draw x
//! ∈ ℤ^d with weights e^(−(‖y‖² + γ·(u·y)²)/2σ²), y = x − k·h·u, γ = w²/(σ² − w²‖u‖²): those of N(k·h·u, σ²I
//! − w²uu′). Times e^(−k²h²/2w²) they are e^(−‖x‖²/2σ²) times a Gaussian in k. So x has the law D(σ, v), but
//! for the sums that normalise: those over each coordinate, which are constant within η(r), and the one over
//! k, within η(ρ), ρ = w·r/(σ·h). Coordinates in which v is 0 have the same law on both sides, and an integer
//! v has at most ⌊Δ²⌋ others. Hence D(σ, v) against D(σ, 0) is, within
//!
//! > κ = κ(η(r))^min(d, ⌊Δ²⌋)·κ(η(ρ)), κ(e) = (1 + e)/(1 − e),
//!
//! in every probability, a post-processing of the line. (In the words of continuous noise: a rotation makes
//! one coordinate of N(v, s²I), and what is left of the variance rounds it to integers.) If P ≤ κP′ and Q ≥
//! Q′/κ, then
//!
//! > δ_vector(ε) ≤ κ·δ_line(ε − 2·ln κ);
//!
//! and as P ≥ P′/κ and Q ≥ Q′/κ, the vector is the line with probability 1/κ, and otherwise whatever it may
//! be:
//!
//! > δ_vector(ε) ≤ 1 − 1/κ + δ_line(ε)/κ, and 1 − 1/κ ≤ ln κ.
//!
//! Mixtures of both sides, which Poisson's subsampling makes, keep the factor κ; over T steps, each chosen as
//! the analyst likes, it is κ^T. All of this is proven in Coq (`proofs/coq/account/VectorAccount.v`).
//!
//! *Any* w and h will do: they affect how far the line is from the vector, never on which side.

use alloc::{boxed::Box, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{Attained, Domination, FinitePair, Guarantee, Pair, Relation, envelope::concentrated};
use crate::exact::{NonNegative, Positive, Probability, Rational, Real, exp_neg};

/// The grid of a line: so many steps to a σ, or more. Affects width and time, never soundness.
const STEPS_OF_SIGMA: u32 = 1 << 10;

/// All runs of a part together have ln κ of about 1/(this·σ²): ε grows by twice that, and by about ε·r²/2σ²,
/// where r² falls with it. Affects width, never soundness.
const LN_KAPPA_DIVISOR: u32 = 1 << 5;

/// ln 2/2π² = 0.03511…, rounded up: so much of r² makes η(r) half as large. Affects width, never soundness.
const R2_OF_A_BIT: (i64, i64) = (36, 1024);

/// η is not looked at for a larger r². Affects nothing that could be seen.
const LARGEST_R2: u32 = 1 << 8;

/// A number below π².
const PI_SQUARED_BELOW: (i64, i64) = (986_960_440, 100_000_000);

/// Which integer vectors neighbours' answers may differ by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Moves {
    /// All of at most this squared length, with so many coordinates: the line dominates.
    Within { square: BigUint, coordinates: BigUint },
    /// At most so many coordinates, each by at most so much. As the noise is log-concave, each coordinate's
    /// profile rises with its shift, whatever the others are: the largest of these vectors dominates, and no
    /// line is needed.
    Each { by: BigUint, coordinates: u64 },
}

/// Discrete Gaussian noise on every coordinate of an integer vector of a bounded L2 norm, possibly of a
/// Poisson sample: what an account knows of both of its ends.
///
/// The upper end is that of a [`Line`], or of the largest vector where there is one. The lower end is that of
/// a vector that neighbours can differ by.
///
/// ```
/// use certus::{exact::parse, guarantee::{GaussianVectors, Pair}};
///
/// // σ = 100, ‖v‖ ≤ 100, a thousand coordinates: a line that is 1024 steps long.
/// let vectors = GaussianVectors::within("10000".parse()?, 10_000_u32.into(), 1000_u32.into());
/// let line = vectors.line(1).expect("sigma is not small");
/// assert!(matches!(&line.pair, Pair::Gaussian { shift, .. } if *shift == 1025_u32.into()));
/// assert!(line.ln_kappa < parse("1e-5")? && line.lost < parse("1e-3")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GaussianVectors {
    variance: Positive,
    moves: Moves,
    /// The vector whose account is the lower end: by how much how many coordinates move.
    attained: Vec<(BigUint, u64)>,
    /// Which neighbours differ by it.
    by: Attained,
    /// The rate of a Poisson sample.
    rate: Option<Probability>,
}

/// One discrete Gaussian on the integers that a vector is no worse than, within a factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The pair, of (M(D), M(D′)).
    pub pair: Pair,
    /// At least ln κ of one run.
    pub ln_kappa: Rational,
    /// r²/σ²: the share of the variance that the line does without.
    pub lost: Rational,
}

fn whole(n: &BigUint) -> Rational {
    Rational::from_integer(BigInt::from(n.clone()))
}

impl GaussianVectors {
    /// Any integer vectors of at most this squared length.
    #[must_use]
    pub fn within(variance: Positive, square: BigUint, coordinates: BigUint) -> Self {
        let attained = longest(&square, &coordinates);
        Self { variance, moves: Moves::Within { square, coordinates }, attained, by: Attained::ByAnswers, rate: None }
    }

    /// At most so many coordinates move, each by at most so much.
    #[must_use]
    pub fn each(variance: Positive, by: BigUint, coordinates: u64) -> Self {
        let attained = [(by.clone(), coordinates)].into_iter().filter(|(by, n)| !by.is_zero() && *n > 0).collect();
        Self { variance, moves: Moves::Each { by, coordinates }, attained, by: Attained::ByAnswers, rate: None }
    }

    /// The same, whose lower end is that of one coordinate that moves as far as the whole vector may: where
    /// neighbours cannot differ by every vector of that length.
    #[must_use]
    pub fn attained_by_one(self) -> Self {
        Self { attained: self.one(), ..self }
    }

    /// The furthest that one coordinate moves.
    fn one(&self) -> Vec<(BigUint, u64)> {
        let shift = match &self.moves {
            Moves::Within { square, coordinates } if !coordinates.is_zero() => square.sqrt(),
            Moves::Each { by, coordinates: 1.. } => by.clone(),
            _ => BigUint::zero(),
        };
        if shift.is_zero() { Vec::new() } else { Vec::from([(shift, 1)]) }
    }

    /// The same, of which no neighbours are known to differ by the vector of the lower end.
    pub(super) fn not_attained(self) -> Self {
        Self { by: Attained::Unknown, ..self }
    }

    /// The same of a Poisson sample, in which everybody is with this probability.
    #[must_use]
    pub fn subsampled(self, rate: &Probability) -> Self {
        let rate = match &self.rate {
            Some(before) => Probability::new(before.get() * rate.get()).unwrap_or_else(|_| rate.clone()),
            None => rate.clone(),
        };
        let by = self.by.and(Attained::ByNeighbours(Relation::AddRemove));
        // Coordinates share their coin: of the vectors, those of one coordinate alone have a scalar account.
        Self { attained: self.one(), by, rate: Some(rate), ..self }
    }

    /// σ².
    #[must_use]
    pub fn variance(&self) -> &Positive {
        &self.variance
    }

    /// The squared length of the longest vector.
    #[must_use]
    pub fn square(&self) -> BigUint {
        match &self.moves {
            Moves::Within { square, .. } => square.clone(),
            Moves::Each { by, coordinates } => by * by * BigUint::from(*coordinates),
        }
    }

    /// Whether both ends are those of one vector, which dominates: they meet. Of a sample, whose coordinates
    /// share their coin, that is so where at most one moves.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match &self.moves {
            Moves::Each { coordinates, .. } => self.rate.is_none() || *coordinates <= 1,
            Moves::Within { .. } => false,
        }
    }

    fn sampled(&self, pair: Pair) -> Pair {
        match &self.rate {
            None => pair,
            Some(rate) => Pair::Subsampled { rate: rate.clone(), of: Box::new(pair), reversed: false },
        }
    }

    /// The vector that is attained, coordinate by coordinate: a pair, and how many copies of it there are.
    #[must_use]
    pub fn attained(&self) -> Vec<(Pair, u64)> {
        let of = |shift: &BigUint| Pair::Gaussian { variance: self.variance.clone(), shift: shift.clone() };
        self.attained.iter().map(|(shift, copies)| (self.sampled(of(shift)), *copies)).collect()
    }

    /// A pair of the same ρ = Δ²/2σ², and nothing else that is the same: of shift 1 and variance σ²/Δ².
    pub(crate) fn of_its_length(&self) -> Pair {
        let square = self.square();
        if square.is_zero() {
            return Pair::Gaussian { variance: self.variance.clone(), shift: square };
        }
        let variance = Positive::new(self.variance.get() / whole(&square));
        let variance = variance.unwrap_or_else(|_| self.variance.clone());
        self.sampled(Pair::Gaussian { variance, shift: BigUint::one() })
    }

    /// Which neighbours differ by that vector.
    #[must_use]
    pub fn attained_by(&self) -> Attained {
        self.by
    }

    /// What dominates: both ends, and beside them a pair that does so by itself, that of ρ-zCDP. For either
    /// relation, or for add/remove neighbours where it is of a sample.
    #[must_use]
    pub fn domination(self) -> Domination {
        if self.square().is_zero() || self.moved().is_zero() {
            // Nothing moves.
            let none = Pair::Gaussian { variance: self.variance.clone(), shift: BigUint::zero() };
            return Domination::by(none).attained(self.by);
        }
        let rho = whole(&self.square()) / (self.variance.get() * BigInt::from(2));
        // Whichever the relation, it is the same.
        let guarantee = Guarantee::zcdp(Relation::AddRemove, Real::from(rho));
        let pair = Pair::Finite(guarantee.map_or_else(|_| FinitePair::revealing(), |known| concentrated(&known)));
        let domination = Domination::by(self.sampled(pair));
        let domination = if self.rate.is_some() { domination.for_neighbours(Relation::AddRemove) } else { domination };
        domination.of_vectors(self)
    }

    /// The line for so many runs: more of them leave less of κ to each. `None` where σ is too small for one.
    #[must_use]
    pub fn line(&self, runs: u64) -> Option<Line> {
        // About 2^-bits is what each of the factors of κ may have.
        let factors = BigUint::from(runs) * (self.moved() + 1_u32) * LN_KAPPA_DIVISOR * 4_u32;
        let bits = (whole(&factors) * self.variance.get().max(&Rational::one())).ceil().to_integer().bits();
        self.line_with(bits, STEPS_OF_SIGMA)
    }

    /// The most coordinates that are not 0.
    fn moved(&self) -> BigUint {
        match &self.moves {
            Moves::Within { square, coordinates } => square.min(coordinates).clone(),
            Moves::Each { coordinates, .. } => BigUint::from(*coordinates),
        }
    }

    /// The line with r² for so many bits of η, or more, and so many steps to a σ: any will do.
    fn line_with(&self, bits: u64, steps_of_sigma: u32) -> Option<Line> {
        let (square, variance) = (whole(&self.square()), self.variance.get());
        if !square.is_positive() {
            return None;
        }
        // M, and h² = Δ²/M².
        let steps: BigInt = (&square * BigInt::from(u64::from(steps_of_sigma).pow(2)) / variance).ceil().to_integer();
        let steps: BigInt = steps.sqrt() + 1;
        let h2: Rational = &square / (&steps * &steps);
        let least = Rational::new(R2_OF_A_BIT.0.into(), R2_OF_A_BIT.1.into()) * BigInt::from(bits);
        let r2 = least * h2.clone().max(Rational::one());
        let w2: Rational = variance - &r2;
        if !w2.is_positive() {
            return None;
        }
        let rho2 = &w2 * &r2 / (variance * &h2);
        let ln_kappa = ln_factor(&r2)? * whole(&self.moved()) + ln_factor(&rho2)?;
        let pair = Pair::Gaussian { variance: Positive::new(w2 / h2).ok()?, shift: steps.to_biguint()? };
        Some(Line { pair: self.sampled(pair), ln_kappa, lost: r2 / variance })
    }
}

/// At least ln((1 + η)/(1 − η)) ≤ 2η/(1 − η), for η(r) ≤ 2q/(1 − q³) with q = e^(−2π²r²): m² ≥ 1 + 3(m − 1).
fn ln_factor(r2: &Rational) -> Option<Rational> {
    // More would be of no use, and less is an upper bound.
    let r2 = r2.clone().min(Rational::from_integer(LARGEST_R2.into()));
    let exponent = r2 * Rational::new(PI_SQUARED_BELOW.0.into(), PI_SQUARED_BELOW.1.into()) * BigInt::from(2);
    // Digits enough for q, which is about 2^-1.45x.
    let bits = (&exponent * BigInt::from(2)).ceil().to_integer().to_u32()?.checked_add(64)?;
    let q = exp_neg(&NonNegative::new(exponent).ok()?, bits).upper();
    let one = Rational::one();
    let eta = &q * BigInt::from(2) / (&one - &q * &q * &q);
    if eta >= one {
        return None;
    }
    let bound = &eta * BigInt::from(2) / (one - eta);
    // Rounded up to 32 digits.
    let scale = BigInt::one() << (bound.denom().bits().saturating_sub(bound.numer().bits()) + 32);
    Some(Rational::new((bound * &scale).ceil().to_integer(), scale))
}

/// A vector of this squared length, or nearly, as far as the coordinates reach: ones where there are enough
/// of them, and otherwise the largest squares first.
fn longest(square: &BigUint, coordinates: &BigUint) -> Vec<(BigUint, u64)> {
    if let Some(ones) = square.to_u64().filter(|ones| *ones > 0 && square <= coordinates) {
        return Vec::from([(BigUint::one(), ones)]);
    }
    let (mut left, mut free) = (square.clone(), coordinates.clone());
    let mut parts: Vec<(BigUint, u64)> = Vec::new();
    while !left.is_zero() && !free.is_zero() {
        let part = left.sqrt();
        let (count, _) = left.div_rem(&(&part * &part));
        let count = count.min(free.clone()).to_u64().unwrap_or(1).max(1);
        left -= &part * &part * count;
        free -= count;
        parts.push((part, count));
    }
    parts
}

#[cfg(test)]
#[allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "an independent check in doubles"
)]
mod tests;
