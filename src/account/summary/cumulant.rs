//! K(s) = ln E_P[e^(sL)], the cumulant generating function of a bounded loss L = ln(P/Q), with two
//! derivatives. (s)·D_(1+s) = K(s).

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::losses::listed;
use crate::{
    exact::{Enclosure, Positive, Rational, Scaled, Working},
    guarantee::Pair,
};

/// A Laplace pair further apart than this has its sums in closed form.
const FEW: u32 = 64;

/// A loss between two bounds.
pub(super) struct Loss {
    /// T: no loss is above it.
    pub(super) top: Rational,
    /// R: none is more than this below the top.
    pub(super) range: Rational,
    kind: Kind,
}

enum Kind {
    /// P(y), and T − L(y) ≥ 0.
    Listed(Vec<(Scaled, Enclosure)>),
    /// Discrete Laplace noise.
    Laplace { step: Rational, shift: Rational },
}

/// K and its derivatives at a point.
pub(super) struct Cumulant {
    pub(super) value: Enclosure,
    /// K′, the mean of the loss under P·e^(sL), scaled.
    pub(super) slope: Enclosure,
    /// K″, its variance there.
    pub(super) bend: Enclosure,
}

impl Loss {
    /// `None` where losses are unbounded, or too many to list.
    pub(super) fn new(pair: &Pair, working: &Working) -> Option<Self> {
        if let Pair::Laplace { scale, shift } = pair
            && *shift > BigUint::from(FEW)
        {
            return Some(Self::laplace(scale, shift));
        }
        let listed = listed(pair, working)?;
        // Rounded up, so that what is below it is so for certain.
        let top = listed.iter().map(|(_, loss)| loss.upper()).max()?;
        let point = Enclosure::from_rational(&top, working.bits());
        let drops: Vec<_> = listed.into_iter().map(|(mass, loss)| (mass, point.sub(&loss).max_zero())).collect();
        let range = drops.iter().map(|(_, drop)| drop.upper()).max()?;
        Some(Self { top, range, kind: Kind::Listed(drops) })
    }

    fn laplace(scale: &Positive, shift: &BigUint) -> Self {
        let (step, shift) = (scale.get().recip(), Rational::from_integer(BigInt::from(shift.clone())));
        let top = &step * &shift;
        Self { range: &top * BigInt::from(2), top, kind: Kind::Laplace { step, shift } }
    }

    /// With D = T − L and M_n = E[Dⁿ·e^(-sD)]: K = s·T + ln M_0, K′ = T − M_1/M_0, K″ = M_2/M_0 − (M_1/M_0)².
    pub(super) fn at(&self, s: &Rational, working: &Working) -> Option<Cumulant> {
        let bits = working.bits();
        let [none, first, second] = match &self.kind {
            Kind::Listed(drops) => of_listed(drops, s, working)?,
            Kind::Laplace { step, shift } => of_laplace(step, shift, s, working)?,
        };
        let top = Enclosure::from_rational(&self.top, bits);
        let mean = first.div(&none)?.fixed(bits)?;
        let bend = second.div(&none)?.fixed(bits)?.sub(&mean.square()).max_zero();
        let value = if s.is_zero() {
            Enclosure::from_integer(0, bits)
        } else {
            Enclosure::from_rational(&(&self.top * s), bits).add(&working.ln(&none)?.at_precision(bits))
        };
        Some(Cumulant { value, slope: top.sub(&mean), bend })
    }
}

fn of_listed(drops: &[(Scaled, Enclosure)], s: &Rational, working: &Working) -> Option<[Scaled; 3]> {
    let bits = working.bits();
    let mut sums = [Scaled::zero(bits), Scaled::zero(bits), Scaled::zero(bits)];
    for (mass, drop) in drops {
        let mut term = mass.mul(&working.exp(&drop.mul_rational(&-s))?);
        let drop = Scaled::from_enclosure(drop, bits);
        for sum in &mut sums {
            *sum = sum.add(&term);
            term = term.mul(&drop);
        }
    }
    Some(sums)
}

/// D is 2y/s′ for y = 0, …, Δ, s′ the scale, with masses as in [`super::losses`]. With q = e^(-1/s′) and r =
/// q^(1+2s), (1+q)·M_n = (2/s′)ⁿ·(Δⁿ·r^Δ + (1−q)·Σ_(0<y<Δ) yⁿ·r^y), and 1 more for n = 0:
///
/// Σ r^y = (r − r^Δ)/(1−r), Σ y·r^y = (r − Δr^Δ + (Δ−1)r^(Δ+1))/(1−r)²,
/// Σ y²·r^y = (r + r² − r^Δ·(Δ² − (2Δ² − 2Δ − 1)·r + (Δ−1)²·r²))/(1−r)³.
fn of_laplace(step: &Rational, shift: &Rational, s: &Rational, working: &Working) -> Option<[Scaled; 3]> {
    let bits = working.bits();
    let (one, two) = (Rational::one(), Rational::from_integer(2.into()));
    let power =
        |exponent: &Rational| working.exp(&Enclosure::from_rational(&-exponent, bits.saturating_add(64)))?.fixed(bits);
    let steep = step * (&one + &two * s);
    let (q, r, all) = (power(step)?, power(&steep)?, power(&(&steep * shift))?);
    let unit = Enclosure::from_integer(1, bits);
    let (rest, left) = (unit.sub(&r), unit.sub(&q));
    let (square, before) = (shift * shift, shift - &one);
    let zeroth = r.sub(&all).div(&rest)?;
    let first = r.sub(&all.mul_rational(shift)).add(&all.mul(&r).mul_rational(&before)).div(&rest)?.div(&rest)?;
    let inner = Enclosure::from_rational(&square, bits)
        .sub(&r.mul_rational(&(&two * &square - &two * shift - &one)))
        .add(&r.mul(&r).mul_rational(&(&before * &before)));
    let second = r.add(&r.mul(&r)).sub(&all.mul(&inner)).div(&rest)?.div(&rest)?.div(&rest)?;
    let drop = &two * step;
    let sum = |between: &Enclosure, factor: &Rational| all.mul_rational(factor).add(&left.mul(between));
    let sums = [
        unit.add(&sum(&zeroth, &one)),
        sum(&first, shift).mul_rational(&drop),
        sum(&second, &square).mul_rational(&(&drop * &drop)),
    ];
    let whole = unit.add(&q);
    let [a, b, c] = sums.map(|sum| sum.div(&whole).map(|sum| Scaled::from_enclosure(&sum, bits)));
    Some([a?, b?, c?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::parse;

    /// The closed form and the list are two methods for three numbers.
    #[test]
    fn laplace_sums() {
        let working = Working::new(300);
        for (scale, shift) in [("3", 2_u32), ("1/2", 9), ("100", 65), ("40", 700), ("1e6", 80)] {
            let (scale, shift) = (Positive::new(parse(scale).unwrap()).unwrap(), BigUint::from(shift));
            let closed = Loss::laplace(&scale, &shift);
            let drops = |pair: &Pair| {
                let listed = listed(pair, &working).unwrap();
                let top = Enclosure::from_rational(&closed.top, 300);
                listed.into_iter().map(|(mass, loss)| (mass, top.sub(&loss).max_zero())).collect::<Vec<_>>()
            };
            let kind = Kind::Listed(drops(&Pair::Laplace { scale: scale.clone(), shift: shift.clone() }));
            let listed = Loss { top: closed.top.clone(), range: closed.range.clone(), kind };
            for s in ["0", "1/1000", "1", "17/3"] {
                let (s, narrow) = (parse(s).unwrap(), parse("1e-40").unwrap());
                let (a, b) = (closed.at(&s, &working).unwrap(), listed.at(&s, &working).unwrap());
                for (a, b) in [(a.value, b.value), (a.slope, b.slope), (a.bend, b.bend)] {
                    assert!(
                        a.intersects(&b) && a.width() < narrow && b.width() < narrow,
                        "{scale} {shift} {s}: {a} {b}"
                    );
                }
            }
        }
    }
}
