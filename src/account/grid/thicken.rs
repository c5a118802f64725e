//! Another copy added to few losses, until they are many: those that fall into one narrow cell become one, at their mean. Optimistic only.
//!
//! Losses far apart cost an optimistic account most ([`super::place`]: d·D for a gap D), and every block of copies costs it again. A block of more copies has
//! narrower gaps, and there are fewer such blocks. The losses of a block and of one copy are added up pair by pair, and counted in cells of width d₀.
//!
//! **One loss for a cell.** Let tilted masses mᵢ be at losses lo + uᵢ, 0 ≤ uᵢ < d₀, M their sum and ū their mean. Untilted, pᵢ ∝ mᵢ·e^(-θuᵢ).
//!
//! * At their mean q = E_p[e^-u] they are worth less, (1 − x·q)₊ being convex (Jensen), and at any lower loss less still. By Hoeffding's lemma
//!   −ln E_p[e^-u] ≥ E_p[u] − d₀²/8.
//! * E_p[u] ≥ ū − θ·d₀²/4: the mean under mᵢ·e^(-τuᵢ) falls by their variance as τ rises, at most d₀²/4 (Popoviciu).
//! * Their mass at lo, Σ mᵢ·e^(-θuᵢ), is at least M·e^(-θū) (Jensen). So with s = (θ/4 + 1/8)·d₀², a tilted mass of M·e^(-θs) ≥ M·(1 − θs) at the loss lo + ū − s
//!   stands for them all, at the second order of d₀.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use super::fixed::ceil;
use crate::exact::Rational;

/// The most cells.
const MOST_CELLS: u64 = 1 << 18;

/// The most sums of two losses.
const MOST_SUMS: usize = 1 << 24;

/// Binary digits of θs.
const BITS: u32 = 62;

/// The losses i + j, in units of 2^-fine, with masses a·b/2^shift, and those of one cell as one; `None` if they are too many, or too far apart for the tilt.
pub(super) fn thicken(
    block: &[(i64, u64)],
    one: &[(i64, u64)],
    shift: u32,
    theta: &Rational,
    fine: u32,
) -> Option<Vec<(i64, u64)>> {
    if block.len().saturating_mul(one.len()) > MOST_SUMS {
        return None;
    }
    let first = block.first()?.0.checked_add(one.first()?.0)?;
    let last = block.last()?.0.checked_add(one.last()?.0)?;
    let span = last.abs_diff(first);
    // Cells of 2^width units.
    let width = (0..40).find(|width| span >> width < MOST_CELLS)?;
    let count = usize::try_from((span >> width) + 1).ok()?;
    let mask = (1_u64 << width) - 1;
    // M, and Σ mᵢ·uᵢ: below 2^61, and times 2^40.
    let mut cells = alloc::vec![(0_u64, 0_u128); count];
    for (j, b) in one {
        for (i, a) in block {
            let mass = ((u128::from(*a) * u128::from(*b)) >> shift).to_u64()?;
            let above = (i + j).abs_diff(first);
            let cell = cells.get_mut(usize::try_from(above >> width).ok()?)?;
            cell.0 += mass;
            cell.1 += u128::from(mass) * u128::from(above & mask);
        }
    }
    let unit = Rational::new(BigInt::one(), BigInt::one() << fine);
    let across = &unit * BigInt::from(1_u64 << width);
    let s = (theta / BigInt::from(4) + Rational::new(1.into(), 8.into())) * &across * &across;
    let s = (s / &unit).ceil().to_integer();
    // Means are rounded down, by less than a unit.
    let lost = ceil(&(theta * &unit * (&s + 1)), BITS).to_u128().filter(|lost| *lost < 1 << (BITS - 2))?;
    let s = s.to_i64()?;
    let one_loss = |(n, (mass, moment)): (i64, (u64, u128))| {
        let mean = moment.checked_div(mass.into())?.to_i64()?;
        let kept = u128::from(mass) - ((u128::from(mass) * lost) >> BITS) - 1;
        Some(((first + (n << width) + mean).checked_sub(s)?, kept.to_u64()?))
    };
    (0..).zip(cells).filter(|(_, (mass, _))| *mass > 0).map(one_loss).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{account::grid::fixed::exp, exact::Enclosure};
    use num_traits::Zero;
    use proptest::prelude::*;

    /// Σ m·e^(-θl)·(1 − e^(ε−l))₊, of masses over 2^60.
    fn worth(points: &[(i64, u64)], theta: &Rational, fine: u32, epsilon: &Rational) -> Enclosure {
        let mut sum = Enclosure::from_integer(0, 0);
        for (i, mass) in points {
            let loss = Rational::new((*i).into(), BigInt::one() << fine);
            if loss > *epsilon {
                let share = Enclosure::from_integer(1, 0).sub(&exp(&(epsilon - &loss), 120).unwrap());
                let mass = Rational::new((*mass).into(), BigInt::one() << 60_u32);
                sum = sum.add(&exp(&-(theta * loss), 120).unwrap().mul(&share).mul_rational(&mass));
            }
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Never worth more than the sums themselves, at any ε, and less by the second order only.
        #[test]
        fn worth_no_more_than_the_sums(
            mut block in prop::collection::vec((0_i64..1 << 26, 1_u64..1 << 50), 1..40),
            mut one in prop::collection::vec((0_i64..1 << 24, 1_u64..1 << 50), 1..8),
            twice_theta in 0_i64..12,
            at in 0_i64..20,
        ) {
            block.sort_unstable();
            one.sort_unstable();
            // Losses up to about 5, in cells of 2^-15 or so.
            let fine = 24;
            let (theta, epsilon) = (Rational::new(twice_theta.into(), 2.into()), Rational::new(at.into(), 5.into()));
            let product = |a: &u64, b: &u64| ((u128::from(*a) * u128::from(*b)) >> 40_u32).to_u64().unwrap();
            let sums: Vec<(i64, u64)> =
                block.iter().flat_map(|(i, a)| one.iter().map(move |(j, b)| (i + j, product(a, b)))).collect();
            let thick = thicken(&block, &one, 40, &theta, fine).unwrap();
            let of = |points: &[(i64, u64)], epsilon: &Rational| worth(points, &theta, fine, epsilon);
            let (found, truth) = (of(&thick, &epsilon), of(&sums, &epsilon));
            prop_assert!(found.lower() <= truth.upper(), "{found} for {truth}");
            let whole = of(&sums, &Rational::from_integer((-1).into())).upper();
            prop_assert!(found.upper() + whole * Rational::new(1.into(), (1 << 20).into()) >= truth.lower(), "{found} for {truth}");
        }
    }

    /// Two losses at the ends of one cell: the one that stands for them keeps nearly all their mass, nearly at their mean, and below it.
    #[test]
    fn one_for_two() {
        let theta = Rational::from_integer(3.into());
        // Cells of 4 units: the span is 2^19.
        let one = [(0_i64, 1_u64 << 50), (3, 1 << 50), (1 << 19, 1 << 50)];
        let thick = thicken(&[(0, 1 << 50)], &one, 50, &theta, 30).unwrap();
        let [(at, mass), _] = thick.as_slice() else { panic!("{thick:?}") };
        // The mean is 3/2, rounded down; s is below a unit, and is taken for one.
        assert_eq!(*at, 0);
        assert!(*mass < 1 << 51 && *mass > (1 << 51) - (1 << 24), "{mass}");
        assert!(thicken(&[(0, 1 << 50)], &[(0, 1 << 50)], 50, &Rational::zero(), 30).is_some());
    }
}
