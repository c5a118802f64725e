//! The outcomes of a pair whose losses are few: their probabilities, and their losses to many digits.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    finite::masses,
    fixed::{Range, ceil, exp, ln_scaled, shift_up},
    sparse::TILTED,
};
use crate::{
    exact::{
        Enclosure, GaussianPmf, Integer, LaplacePmf, NonNegative, Pmf, Positive, Rational, exp_neg, exponential, ln,
        product,
    },
    guarantee::Pair,
};

/// The most outcomes that are listed.
const MOST: u64 = 1 << 12;

/// An outcome of finite loss: P, Q over 2^bits, and ln(P/Q).
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) p: Range,
    pub(super) q: Range,
    pub(super) loss: Enclosure,
}

/// A pair's outcomes; those of the largest losses and of the least may be left out, their P and Q known.
#[derive(Clone, Debug)]
pub(super) struct Atoms {
    pub(super) listed: Vec<Atom>,
    /// (P, Q) of what is left out above, infinite losses among it.
    pub(super) above: (Range, Range),
    /// (P, Q) of what is left out below.
    pub(super) below: (Range, Range),
}

pub(super) fn nothing() -> (Range, Range) {
    (Range::point(BigInt::zero()), Range::point(BigInt::zero()))
}

/// Whether a pair's outcomes may be few.
pub(super) fn are_few(pair: &Pair) -> bool {
    match pair {
        Pair::Finite(pair) => u64::try_from(pair.outcomes().len()).is_ok_and(|outcomes| outcomes <= MOST),
        Pair::Laplace { shift, .. } => *shift < MOST.into(),
        Pair::Gaussian { variance, .. } => *variance.numerator() < variance.denominator() * MOST,
        Pair::Subsampled { of, .. } => are_few(of),
    }
}

/// Whether the outcomes of such a pair are still so few with probabilities over 2^bits.
pub(super) fn are_few_of(pair: &Pair, bits: u32) -> bool {
    match pair {
        Pair::Gaussian { .. } => count(pair, bits) < usize::try_from(MOST).unwrap_or(usize::MAX),
        Pair::Subsampled { of, .. } => are_few_of(of, bits),
        Pair::Finite(_) | Pair::Laplace { .. } => true,
    }
}

/// About as many as a pair has, of probabilities over 2^bits.
pub(super) fn count(pair: &Pair, bits: u32) -> usize {
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    let count = match pair {
        Pair::Finite(pair) => Some(pair.outcomes().len()),
        Pair::Laplace { shift, .. } => shift.to_usize().and_then(|shift| shift.checked_add(1)),
        Pair::Gaussian { variance, .. } => {
            let reach = (variance.get() * Rational::from_integer(BigInt::from(2 * bits))).ceil().to_integer().sqrt();
            reach.to_usize().and_then(|reach| reach.checked_mul(2))
        }
        Pair::Subsampled { of, .. } => Some(count(of, bits)),
    };
    count.unwrap_or(most).min(most)
}

/// About the steps that a pair's atoms take: of probabilities over 2^bits and losses of `places` binary digits.
pub(super) fn cost(pair: &Pair, bits: u32, places: u32) -> u64 {
    let each = match pair {
        Pair::Finite(_) | Pair::Laplace { .. } => 4 * exponential(bits),
        Pair::Gaussian { .. } => 10 * product(bits),
        // An exponential and a logarithm.
        Pair::Subsampled { of, .. } => {
            let mixed =
                u64::try_from(count(pair, bits)).unwrap_or(u64::MAX).saturating_mul(6 * exponential(2 * places));
            return cost(of, bits, places).saturating_add(mixed);
        }
    };
    u64::try_from(count(pair, bits)).unwrap_or(u64::MAX).saturating_mul(each)
}

/// And those of their tilts, on both sides.
pub(super) fn cost_of_tilts(pair: &Pair, bits: u32) -> u64 {
    u64::try_from(count(pair, bits)).unwrap_or(u64::MAX).saturating_mul(2 * exponential(bits.min(TILTED)))
}

/// Probabilities over 2^bits and losses of `places` binary digits; `None` where there are too many.
pub(super) fn atoms(pair: &Pair, bits: u32, places: u32) -> Option<Atoms> {
    match pair {
        Pair::Finite(pair) => {
            let mut atoms = Atoms { listed: Vec::new(), above: nothing(), below: nothing() };
            for (p, q) in masses(pair, bits)? {
                if q.upper.is_zero() {
                    atoms.above = (atoms.above.0.add(&p), q);
                } else if p.upper.is_zero() {
                    atoms.below = (p, atoms.below.1.add(&q));
                } else if p.lower.bits() > 100 && q.lower.bits() > 100 {
                    // The ratio is known to 99 bits.
                    let ln = |value: &BigInt| ln_scaled(value.magnitude(), bits, places);
                    let least = ln(&p.lower)?.sub(&ln(&q.upper)?);
                    let most = ln(&p.upper)?.sub(&ln(&q.lower)?);
                    atoms.listed.push(Atom { p, q, loss: least.hull(&most) });
                } else {
                    return None;
                }
            }
            (u64::try_from(atoms.listed.len()).ok()? <= MOST && !atoms.listed.is_empty()).then_some(atoms)
        }
        Pair::Laplace { scale, shift } => {
            let shift = shift.to_u64().filter(|shift| (1..MOST).contains(shift))?;
            let pmf = LaplacePmf::new(scale, bits + 4);
            let power = |n: u64| {
                let x = NonNegative::new(Rational::from_integer(n.into()) / scale.get()).ok()?;
                Some(exp_neg(&x, bits + 4).at_precision(bits + 4))
            };
            let one = Enclosure::from_integer(1, bits + 4);
            // P(Y ≤ 0) = 1/(1 + q), P(Y ≥ Δ) = q^Δ/(1 + q), and Q is P turned round: Q(y) = P(Δ − y).
            let share = one.div(&one.add(&power(1)?))?;
            let p: Vec<Range> = (0..=shift)
                .map(|y| {
                    let p = match y {
                        0 => share.clone(),
                        y if y == shift => share.mul(&power(shift)?),
                        y => pmf.probability(&Integer::from(y)),
                    };
                    Some(Range::of(&p, bits))
                })
                .collect::<Option<_>>()?;
            let loss =
                |y: u64| (Rational::from_integer(shift.into()) - Rational::from_integer((2 * y).into())) / scale.get();
            let atom = |((y, p), q): ((u64, &Range), &Range)| Atom {
                p: p.clone(),
                q: q.clone(),
                loss: Enclosure::from_rational(&loss(y), places),
            };
            let listed = (0..).zip(&p).zip(p.iter().rev()).map(atom).collect();
            Some(Atoms { listed, above: nothing(), below: nothing() })
        }
        Pair::Gaussian { variance, shift } => {
            let shift = shift.to_i64().filter(|shift| *shift > 0 && shift.unsigned_abs() < MOST)?;
            let reach =
                (variance.get() * Rational::from_integer(BigInt::from(2 * bits))).ceil().to_integer().sqrt() + 1_u32;
            let reach = reach.to_i64().filter(|reach| 2 * reach.unsigned_abs() < MOST)?;
            let masses = gaussian(variance, usize::try_from(reach + shift).ok()?, bits)?;
            let at = |y: i64| masses.get(usize::try_from(y.unsigned_abs()).ok()?).cloned();
            let loss = |y: i64| {
                let twice = Rational::from_integer((BigInt::from(shift) - BigInt::from(2 * y)) * shift);
                Enclosure::from_rational(&(twice / variance.get() / BigInt::from(2)), places)
            };
            let atom = |y: i64| Some(Atom { p: at(y)?, q: at(y - shift)?, loss: loss(y) });
            let listed = (-reach..=reach + shift).map(atom).collect::<Option<Vec<_>>>()?;
            // Beyond, either side has at most P(reach)·(1 + 2σ²/(2·reach + 1)), as for the tails of [`super::gaussian`].
            let rest = Rational::one() + variance.get() * BigInt::from(2) / BigInt::from(2 * reach + 1);
            let upper = ceil(&(Rational::from_integer(at(reach)?.upper) * rest), 0);
            let tail = Range { lower: BigInt::zero(), upper };
            Some(Atoms { listed, above: (tail.clone(), tail.clone()), below: (tail.clone(), tail) })
        }
        Pair::Subsampled { rate, of, reversed } => {
            let inner = atoms(of, bits, places)?;
            let (hit, miss) = (rate.get(), Rational::one() - rate.get());
            let (hit_range, miss_range) = (Range::of_rational(hit, bits), Range::of_rational(&miss, bits));
            let mixed = |(p, q): (&Range, &Range)| {
                let mixture = q.mul(&miss_range, bits).add(&p.mul(&hit_range, bits));
                if *reversed { (q.clone(), mixture) } else { (mixture, q.clone()) }
            };
            let small = u32::try_from(hit.denom().bits()).ok()?;
            let high = Rational::from_integer(places.checked_add(small)?.into());
            let double = 2 * places;
            let (hit_range_twice, miss_range_twice) =
                (Range::of_rational(hit, double), Range::of_rational(&miss, double));
            let ln_hit = Positive::new(hit.clone()).ok().map(|hit| ln(&hit, places));
            let ln_mixture = |loss: &Enclosure| -> Option<Enclosure> {
                // ln(1 − r + r·e^l) is more than l + ln r by at most e^-l/r, and here that is less than 2^-places.
                if loss.lower() > high {
                    let sum = loss.add(ln_hit.as_ref()?);
                    let unit = Enclosure::from_rational(&Rational::new(BigInt::one(), BigInt::one() << places), places);
                    return Some(sum.hull(&sum.add(&unit)));
                }
                let mut power = Range::of(&exp(&loss.lower(), double)?, double);
                // e^w ≤ 1 + 2w for w ≤ 1.
                let width = Some(ceil(&loss.width(), double)).filter(|width| *width <= BigInt::one() << double)?;
                power.upper += shift_up(&(&power.upper * (width << 1_u32)), double);
                let Range { lower, upper } = miss_range_twice.add(&power.mul(&hit_range_twice, double));
                if !lower.is_positive() {
                    return None;
                }
                let least = ln_scaled(lower.magnitude(), double, places)?;
                // ln b ≤ ln a + (b − a)/a.
                let gap = Rational::new(((upper - &lower) << double).div_ceil(&lower), BigInt::one() << double);
                Enclosure::from_bounds(&least.lower(), &(least.upper() + gap), places + 8)
            };
            let mut listed = Vec::new();
            for atom in &inner.listed {
                let (p, q) = mixed((&atom.p, &atom.q));
                let loss = ln_mixture(&atom.loss)?;
                listed.push(Atom { p, q, loss: if *reversed { loss.neg() } else { loss } });
            }
            let (above, below) = (mixed((&inner.above.0, &inner.above.1)), mixed((&inner.below.0, &inner.below.1)));
            // Outcomes with P = 0 have a finite loss once mixed: only negligible ones may be left out.
            let negligible = |(p, q): &(Range, Range)| p.upper.bits() < 64 && q.upper.bits() < 64;
            if !negligible(&inner.below) || !negligible(&inner.above) && *reversed {
                return None;
            }
            Some(if *reversed { Atoms { listed, above: below, below: above } } else { Atoms { listed, above, below } })
        }
    }
}

/// P(0), …, P(count) of discrete Gaussian noise, over 2^bits: each is the one before it times e^(-(2y + 1)/2σ²), and that is e^(-1/σ²) times the one before. Every factor is at
/// most 1, so that n of them are off by less than 4n² of the last of some digits more.
fn gaussian(variance: &Positive, count: usize, bits: u32) -> Option<Vec<Range>> {
    let guard = 2 * (usize::BITS - count.leading_zeros()) + 4;
    let wide = bits + guard;
    let power = |x: Rational| Some(Range::of(&exp_neg(&NonNegative::new(x).ok()?, wide), wide).clamp(wide));
    let square = power(variance.get().recip())?;
    let mut ratio = power(variance.get().recip() / BigInt::from(2))?;
    let mut mass = Range::of(&GaussianPmf::new(variance, wide)?.probability(&Integer::from(0)), wide).clamp(wide);
    let mut masses = Vec::with_capacity(count + 1);
    for _ in 0..=count {
        masses.push(Range { lower: &mass.lower >> guard, upper: shift_up(&mass.upper, guard) }.clamp(bits));
        mass = mass.mul(&ratio, wide);
        ratio = ratio.mul(&square, wide);
    }
    Some(masses)
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::*;
    use crate::exact::Probability;

    /// By recurrence they are what they are by themselves, to the last digits.
    #[test]
    fn gaussian_masses() {
        for (variance, count) in [((1, 9), 12), ((1, 1), 40), ((49, 25), 70), ((4000, 1), 2000)] {
            let variance = Positive::new(Rational::new(variance.0.into(), variance.1.into())).unwrap();
            for bits in [100, 400] {
                let pmf = GaussianPmf::new(&variance, bits + 64).unwrap();
                for (y, mass) in (0..).zip(gaussian(&variance, count, bits).unwrap()).step_by(1 + count / 20) {
                    let exact = Range::of(&pmf.probability(&Integer::from(y)), bits);
                    assert!(mass.lower <= exact.upper && exact.lower <= mass.upper, "{y}");
                    assert!(&mass.upper - &mass.lower <= BigInt::from(2), "{y}");
                }
            }
        }
    }

    /// A mixed loss is that of its definition, ln(1 − r + r·e^l), whether l is a number that can be written or not.
    #[test]
    fn mixed_losses() {
        for (variance, rate) in [((4, 9), (1, 100)), ((1, 3), (1, 1_000_000)), ((5, 1), (9, 10))] {
            let variance = Positive::new(Rational::new(variance.0.into(), variance.1.into())).unwrap();
            let rate = Rational::new(rate.0.into(), rate.1.into());
            let of = Pair::Gaussian { variance, shift: 1_u32.into() };
            let inner = atoms(&of, 200, 400).unwrap();
            let mixed =
                Pair::Subsampled { rate: Probability::new(rate.clone()).unwrap(), of: Box::new(of), reversed: false };
            for (atom, inner) in atoms(&mixed, 200, 90).unwrap().listed.iter().zip(&inner.listed) {
                let ratio = exp(&inner.loss.lower(), 600)
                    .unwrap()
                    .hull(&exp(&inner.loss.upper(), 600).unwrap())
                    .mul_rational(&rate);
                let ratio = ratio.add(&Enclosure::from_rational(&(Rational::one() - &rate), 600));
                let back = exp(&atom.loss.lower(), 600).unwrap().hull(&exp(&atom.loss.upper(), 600).unwrap());
                assert!(back.lower() <= ratio.upper() && ratio.lower() <= back.upper(), "{}", atom.loss);
                assert!(atom.loss.width() <= Rational::new(1.into(), BigInt::one() << 85_u32), "{}", atom.loss);
            }
        }
    }

    /// Losses beyond the digits that are kept, and the same with so many more digits that they are not beyond; both ways.
    #[test]
    fn mixed_losses_beyond_the_digits() {
        let rational = |n: i64, of: i64| Rational::new(n.into(), of.into());
        for (reversed, shift) in [(false, 1_u32), (true, 1), (false, 5)] {
            let of = Pair::Laplace { scale: Positive::new(rational(1, 400)).unwrap(), shift: shift.into() };
            let rate = Probability::new(rational(3, 1000)).unwrap();
            let pair = Pair::Subsampled { rate, of: Box::new(of), reversed };
            let (short, long) = (atoms(&pair, 1 << 13, 100).unwrap(), atoms(&pair, 1 << 13, 3000).unwrap());
            assert_eq!(short.listed.len(), long.listed.len());
            for (short, long) in short.listed.iter().zip(&long.listed) {
                assert!(short.loss.intersection(&long.loss).is_some(), "{} {}", short.loss, long.loss);
                assert!(short.loss.width() < Rational::new(BigInt::one(), BigInt::one() << 90_u32));
            }
        }
    }
}
