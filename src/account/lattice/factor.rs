//! One mechanism's loss as a lattice variable: base + step·Y, Y an integer.

use alloc::{vec, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

use super::loss::Loss;
use crate::{
    exact::{Enclosure, NonNegative, Positive, Rational, Scaled, Working},
    guarantee::{FinitePair, Pair, Weight},
};

/// The loss of `copies` independent runs of a mechanism, each base + ln(Σq/Σp) + step·Y, with Y from
/// [`Kind`].
#[derive(Clone, Debug)]
pub(super) struct Factor {
    pub(super) kind: Kind,
    pub(super) base: Loss,
    /// All weights of P and all of Q, where their sums are not known to be equal: the ln(Σq/Σp) above.
    pub(super) sums: Option<(Vec<Weight>, Vec<Weight>)>,
    /// Not negative; 0 if Y is always 0.
    pub(super) step: Loss,
    pub(super) copies: u64,
}

/// The law of Y under P.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Y = y with probability proportional to the sum of its weights; what `total` has beyond them is a loss
    /// of ∞.
    Finite { atoms: Vec<(u64, Vec<Weight>)>, total: Vec<Weight>, is_infinite: bool },
    /// On no lattice: the loss is base + ln(Σq/Σp) + ℓ with probability proportional to the sum of the
    /// weights of ℓ, and the step is 0.
    Scattered { atoms: Vec<(Loss, Vec<Weight>)>, total: Vec<Weight>, is_infinite: bool },
    /// Y = Δ − J: P(J = 0) = 1/(1+q), P(J = j) = (1−q)·q^j/(1+q) for 0 < j < Δ, P(J = Δ) = q^Δ/(1+q); q =
    /// e^(-1/s).
    ///
    /// For y ≤ 0 the loss (|y − Δ| − |y|)/s is Δ/s, for y ≥ Δ it is −Δ/s, and (Δ − 2y)/s between: J is y
    /// clamped to [0, Δ].
    Laplace { scale: Positive, shift: BigUint },
    /// P(Y = y) ∝ e^(-y²/2σ²): the loss ((y − Δ)² − y²)/2σ² is Δ²/2σ² − y·Δ/σ², and −y is distributed as y
    /// is.
    Gaussian { variance: Positive, shift: BigUint },
}

/// The most atoms of a finite pair.
const MOST_ATOMS: usize = 4096;

/// The most of one on no lattice, whose every value is taken by itself.
const MOST_SCATTERED: usize = 128;

impl Factor {
    /// The loss of a pair on a lattice; `None` if it is on none.
    pub(super) fn new(pair: &Pair, copies: u64) -> Option<Self> {
        let ratio = |shift: &BigUint, over: &Positive| Rational::from_integer(shift.clone().into()) / over.get();
        Some(match pair {
            Pair::Laplace { shift, .. } | Pair::Gaussian { shift, .. } if shift.is_zero() => Self::constant(copies),
            Pair::Laplace { scale, shift } => {
                let top = ratio(shift, scale);
                let step = Loss::rational(Rational::from_integer(2.into()) / scale.get());
                if shift.is_one() {
                    // Two atoms, J = 0 and J = 1, with weights 1 and q.
                    let q = Weight { factor: NonNegative::one(), exponent: NonNegative::new(top.clone()).ok()? };
                    let one = Weight::rational(NonNegative::one());
                    let atoms = vec![(0, vec![q.clone()]), (1, vec![one.clone()])];
                    let kind = Kind::Finite { atoms, total: vec![one, q], is_infinite: false };
                    return Some(Self { kind, base: Loss::rational(-top), sums: None, step, copies });
                }
                let kind = Kind::Laplace { scale: scale.clone(), shift: shift.clone() };
                Self { kind, base: Loss::rational(-top), sums: None, step, copies }
            }
            Pair::Gaussian { variance, shift } => {
                let step = ratio(shift, variance);
                let half = Rational::new(BigInt::from(shift.clone()), 2.into());
                let kind = Kind::Gaussian { variance: variance.clone(), shift: shift.clone() };
                Self { kind, base: Loss::rational(&step * half), sums: None, step: Loss::rational(step), copies }
            }
            Pair::Finite(pair) => Self::finite(pair, copies)?,
            Pair::Subsampled { .. } => return None,
        })
    }

    /// The loss of a pair on a lattice, or of one that has few outcomes and is on none; `None` for others.
    pub(super) fn listable(pair: &Pair, copies: u64) -> Option<Self> {
        match pair {
            Pair::Finite(finite) => Self::new(pair, copies).or_else(|| Self::scattered(finite, copies)),
            _ => Self::new(pair, copies),
        }
    }

    /// No loss at all.
    fn constant(copies: u64) -> Self {
        let one = || vec![Weight::rational(NonNegative::one())];
        let kind = Kind::Finite { atoms: vec![(0, one())], total: one(), is_infinite: false };
        Self { kind, base: Loss::zero(), sums: None, step: Loss::zero(), copies }
    }

    fn finite(pair: &FinitePair, copies: u64) -> Option<Self> {
        let (atoms, is_infinite) = losses(pair, MOST_ATOMS)?;
        let (ps, qs) = sides(pair);
        // The least loss, and the greatest step of which the others are multiples.
        let mut base: Option<Loss> = None;
        for (loss, _) in &atoms {
            if base.as_ref().map_or(Some(-1), |base| loss.sub(base).sign())? < 0 {
                base = Some(loss.clone());
            }
        }
        let Some(mut base) = base else {
            // Every loss is infinite.
            let kind = Kind::Finite { atoms: Vec::new(), total: ps, is_infinite };
            return Some(Self { kind, base: Loss::zero(), sums: None, step: Loss::zero(), copies });
        };
        let mut step = Loss::zero();
        for (loss, _) in &atoms {
            let gap = loss.sub(&base);
            if !gap.is_zero() && (step.is_zero() || gap.over(&step).is_none()) {
                step = if step.is_zero() { gap } else { step.common(&gap)? };
            }
        }
        let mut listed: Vec<(u64, Vec<Weight>)> = atoms
            .into_iter()
            .map(|(loss, weights)| {
                let gap = loss.sub(&base);
                let y = if gap.is_zero() { BigInt::zero() } else { gap.over(&step)? };
                Some((y.to_u64()?, weights))
            })
            .collect::<Option<_>>()?;
        listed.sort_by_key(|(y, _)| *y);
        let (shift, sums) = normalisers(&ps, &qs)?;
        base = base.add(&shift);
        let kind = Kind::Finite { atoms: listed, total: ps, is_infinite };
        Some(Self { kind, base, sums, step, copies })
    }

    fn scattered(pair: &FinitePair, copies: u64) -> Option<Self> {
        let (atoms, is_infinite) = losses(pair, MOST_SCATTERED)?;
        let (ps, qs) = sides(pair);
        let (base, sums) = normalisers(&ps, &qs)?;
        let kind = Kind::Scattered { atoms, total: ps, is_infinite };
        Some(Self { kind, base, sums, step: Loss::zero(), copies })
    }

    /// Encloses the loss at Y = 0, of one copy.
    pub(super) fn base(&self, working: &Working) -> Option<Enclosure> {
        let base = self.base.enclose(working.bits());
        let Some((p, q)) = &self.sums else { return Some(base) };
        let ratio = total(q, working)?.div(&total(p, working)?)?;
        Some(base.add(&working.ln(&ratio)?))
    }

    /// The greatest Y, if there is one.
    pub(super) fn top(&self) -> Option<BigUint> {
        match &self.kind {
            Kind::Finite { atoms, .. } => Some(BigUint::from(atoms.last().map_or(0, |(y, _)| *y))),
            Kind::Laplace { shift, .. } => Some(shift.clone()),
            Kind::Gaussian { .. } | Kind::Scattered { .. } => None,
        }
    }

    /// The greatest finite loss of one copy, exactly where it is known to be rational, and enclosed; `None`
    /// if there is none.
    pub(super) fn greatest(&self, working: &Working) -> Option<(Option<Rational>, Enclosure)> {
        let fine = working.bits().saturating_add(64);
        let base = self.base(working)?;
        if let Kind::Scattered { atoms, .. } = &self.kind {
            let losses = atoms.iter().map(|(loss, _)| loss.enclose(fine));
            let most = losses.reduce(|a, b| {
                let (lower, upper) = (a.lower().max(b.lower()), a.upper().max(b.upper()));
                Enclosure::from_bounds(&lower, &upper, a.precision().max(b.precision())).unwrap_or_else(|| a.hull(&b))
            })?;
            return Some((None, base.add(&most)));
        }
        let top = BigInt::from(self.top()?);
        let rational = self.base.as_rational().zip(self.step.as_rational()).filter(|_| self.sums.is_none());
        let exact = rational.map(|(base, step)| base + step * &top);
        Some((exact, base.add(&self.step.enclose(fine).mul(&Enclosure::from_integer(top, 0)))))
    }

    /// Whether a loss of ∞ has positive probability.
    pub(super) fn is_infinite(&self) -> bool {
        matches!(self.kind, Kind::Finite { is_infinite: true, .. } | Kind::Scattered { is_infinite: true, .. })
    }

    /// Encloses the probability that one copy's loss is finite.
    pub(super) fn finite_mass(&self, working: &Working) -> Option<Scaled> {
        let share = |listed: Vec<Weight>, all: &[Weight]| total(&listed, working)?.div(&total(all, working)?);
        match &self.kind {
            Kind::Finite { atoms, total, is_infinite: true } => {
                share(atoms.iter().flat_map(|(_, weights)| weights.iter().cloned()).collect(), total)
            }
            Kind::Scattered { atoms, total, is_infinite: true } => {
                share(atoms.iter().flat_map(|(_, weights)| weights.iter().cloned()).collect(), total)
            }
            _ => Some(Scaled::one(working.bits())),
        }
    }
}

/// The finite losses of a pair but for ln(Σq/Σp), with the weights of P that have them, and whether others
/// are infinite; `None` if they are more than `most`.
#[expect(clippy::type_complexity, reason = "what it says")]
fn losses(pair: &FinitePair, most: usize) -> Option<(Vec<(Loss, Vec<Weight>)>, bool)> {
    let mut atoms: Vec<(Loss, Vec<Weight>)> = Vec::new();
    let mut is_infinite = false;
    for (p, q) in pair.outcomes().iter().filter(|(p, _)| !p.is_zero()) {
        if q.is_zero() {
            is_infinite = true;
            continue;
        }
        let loss = Loss::new(p.factor.get() / q.factor.get(), q.exponent.get() - p.exponent.get())?;
        match atoms.iter_mut().find(|(other, _)| *other == loss) {
            Some((_, weights)) => weights.push(p.clone()),
            None => atoms.push((loss, vec![p.clone()])),
        }
        if atoms.len() > most {
            return None;
        }
    }
    Some((atoms, is_infinite))
}

/// The positive weights of P and of Q, sorted.
fn sides(pair: &FinitePair) -> (Vec<Weight>, Vec<Weight>) {
    let (mut ps, mut qs): (Vec<_>, Vec<_>) = pair.outcomes().iter().cloned().unzip();
    ps.retain(|p| !p.is_zero());
    qs.retain(|q| !q.is_zero());
    ps.sort();
    qs.sort();
    (ps, qs)
}

/// ln(Σq/Σp) where both are rational, or else 0 and the weights to sum up, unless they are the same.
#[expect(clippy::type_complexity, reason = "what it says")]
fn normalisers(ps: &[Weight], qs: &[Weight]) -> Option<(Loss, Option<(Vec<Weight>, Vec<Weight>)>)> {
    if ps == qs {
        return Some((Loss::zero(), None));
    }
    Some(match (rational_sum(ps), rational_sum(qs)) {
        (Some(p), Some(q)) => (Loss::new(q / p, Rational::zero())?, None),
        _ => (Loss::zero(), Some((ps.to_vec(), qs.to_vec()))),
    })
}

/// The sum of weights without exponents.
fn rational_sum(weights: &[Weight]) -> Option<Rational> {
    weights.iter().all(|weight| weight.exponent.get().is_zero()).then(|| weights.iter().map(|w| w.factor.get()).sum())
}

/// Encloses a sum of weights c·e^-x.
pub(super) fn total(weights: &[Weight], working: &Working) -> Option<Scaled> {
    let mut sum = Scaled::zero(working.bits());
    for weight in weights {
        let factor = Scaled::from_rational(weight.factor.get(), working.bits());
        let exponent = Enclosure::from_rational(&-weight.exponent.get(), working.bits().saturating_add(64));
        sum = sum.add(&factor.mul(&working.exp(&exponent)?));
    }
    Some(sum)
}
