//! Exact products of sequences of non-negative integers, rounded once at the end.

use alloc::vec::Vec;

use super::transform::{FIRST, SECOND, Transform};

/// Which way a number is rounded, and which bound a distribution stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Downward: an optimistic account, at most the truth.
    Lower,
    /// Upward: a pessimistic account, at least the truth.
    Upper,
}

impl Side {
    /// value/2^bits, rounded to this side.
    pub(super) fn shift(self, value: u128, bits: u32) -> u128 {
        if bits >= 128 {
            return u128::from(self == Self::Upper && value > 0);
        }
        let floor = value >> bits;
        match self {
            Self::Lower => floor,
            Self::Upper => floor + u128::from(floor << bits != value),
        }
    }
}

/// The sums of `a` and of `b` are at most this: what [`convolve`] needs to be exact.
pub(super) const MOST_SUM: u64 = 1 << 61;

/// Σ_{i+j=m} aᵢ·bⱼ for every m, exactly; `None` if a sum exceeds 2^61 or the result is longer than a transform.
pub(super) fn convolve(a: &[u64], b: &[u64]) -> Option<Vec<u128>> {
    if a == b {
        return products(&[a], &[&[(0, 0)]])?.pop();
    }
    products(&[a, b], &[&[(0, 1)]])?.pop()
}

/// Sums of one product or two of sequences, each named by its place: Σ_{i+j=m} aᵢ·bⱼ for every m, and of all the (a, b) of a sum. Each sequence is transformed once.
/// `None` if a sequence's sum exceeds 2^61, there are more than two products in a sum, or a result is longer than a transform.
///
/// Each is at most 2·2^61·2^61, below the product of the primes p and q, both above 2^61.99. Modulo each prime it is
/// a cyclic convolution at least as long as the result, so that nothing wraps round; and the number below p·q with remainders
/// r and s is r + p·((s − r)·p^-1 mod q) (Garner 1959).
pub(super) fn products(of: &[&[u64]], sums: &[&[(usize, usize)]]) -> Option<Vec<Vec<u128>>> {
    let within = |masses: &&[u64]| {
        let sum = masses.iter().try_fold(0_u64, |sum, mass| sum.checked_add(*mass));
        !masses.is_empty() && sum.is_some_and(|sum| sum <= MOST_SUM)
    };
    if !of.iter().all(within) || sums.iter().any(|terms| terms.len() > 2) {
        return None;
    }
    let terms = |terms: &[(usize, usize)]| {
        terms.iter().map(|(a, b)| Some((*of.get(*a)?, *of.get(*b)?))).collect::<Option<Vec<_>>>()
    };
    let lengths = |terms: &[(&[u64], &[u64])]| terms.iter().map(|(a, b)| a.len() + b.len() - 1).max();
    let shortest = |terms: &[(&[u64], &[u64])]| terms.iter().map(|(a, b)| a.len().min(b.len())).max();
    let all = sums.iter().map(|sum| terms(sum)).collect::<Option<Vec<_>>>()?;
    if all.iter().all(|terms| shortest(terms).is_some_and(|shortest| shortest <= 16)) {
        let sum = |terms: &Vec<(&[u64], &[u64])>| {
            let mut sum = alloc::vec![0_u128; lengths(terms)?];
            terms.iter().for_each(|(a, b)| schoolbook(a, b, &mut sum));
            Some(sum)
        };
        return all.iter().map(sum).collect();
    }
    let longest = all.iter().filter_map(|terms| lengths(terms)).max()?;
    let log = longest.next_power_of_two().trailing_zeros();
    let modulo = |transform: Transform| -> Option<Vec<Vec<u64>>> {
        let transformed: Vec<_> = of.iter().map(|sequence| transform.of(sequence)).collect();
        let sum = |terms: &[(usize, usize)]| {
            let pairs =
                terms.iter().map(|(a, b)| Some((transformed.get(*a)?.as_slice(), transformed.get(*b)?.as_slice())));
            Some(transform.sum_of_products(&pairs.collect::<Option<Vec<_>>>()?))
        };
        sums.iter().map(|terms| sum(terms)).collect()
    };
    let first = modulo(Transform::new(FIRST, log)?)?;
    let second = modulo(Transform::new(SECOND, log)?)?;
    let (p, q) = (FIRST.modulus(), SECOND.modulus());
    let inverse = SECOND.invert(SECOND.reduce(p.into()));
    let join = |(r, s): (u64, u64)| {
        // r < p < 2q, so s + 2q − r is positive.
        let difference = SECOND.reduce(u128::from(s) + 2 * u128::from(q) - u128::from(r));
        u128::from(r) + u128::from(p) * u128::from(SECOND.mul(difference, inverse))
    };
    let joined =
        first.into_iter().zip(second).zip(&all).map(|((first, second), terms)| {
            Some(first.into_iter().zip(second).take(lengths(terms)?).map(join).collect())
        });
    joined.collect()
}

/// Adds the product, by the definition: quick where one of the two is short.
fn schoolbook(a: &[u64], b: &[u64], product: &mut [u128]) {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    for (i, x) in short.iter().enumerate() {
        if *x > 0 {
            for (sum, y) in product.iter_mut().skip(i).zip(long) {
                *sum += u128::from(*x) * u128::from(*y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn definition(a: &[u64], b: &[u64]) -> Vec<u128> {
        let mut product = alloc::vec![0; a.len() + b.len() - 1];
        schoolbook(a, b, &mut product);
        product
    }

    fn agrees(a: &[u64], b: &[u64]) {
        assert_eq!(convolve(a, b).unwrap(), definition(a, b));
    }

    /// Two products in one sum, of the largest masses, and another sum of the same sequences.
    #[test]
    fn sums_of_products() {
        for length in [5, 40] {
            let mut a = alloc::vec![0; length];
            a[length - 1] = MOST_SUM;
            let b: Vec<u64> = (0..64).map(|k| k << 50_u32).collect();
            let found = products(&[&a, &b], &[&[(0, 0), (0, 0)], &[(0, 1), (1, 0)], &[(1, 1)]]).unwrap();
            let twice = |product: Vec<u128>| product.into_iter().map(|x| 2 * x).collect::<Vec<_>>();
            assert_eq!(found[0], twice(definition(&a, &a)));
            assert_eq!(found[1], twice(definition(&a, &b)));
            assert_eq!(found[2], definition(&b, &b));
            assert!(products(&[&a], &[&[(0, 0), (0, 0), (0, 0)]]).is_none() && products(&[&a], &[&[(0, 1)]]).is_none());
        }
    }

    #[test]
    fn the_largest_masses_do_not_wrap() {
        let mut a = alloc::vec![0; 40];
        a[39] = MOST_SUM;
        agrees(&a, &a);
        let even = alloc::vec![MOST_SUM >> 6; 64];
        agrees(&even, &even);
        a[0] = 1;
        assert!(convolve(&a, &a).is_none());
    }

    #[test]
    fn every_length_up_to_eighty() {
        for i in 17..80_u64 {
            for j in 17..80_u64 {
                let of = |n: u64| (0..n).map(|k| (k * k * 0x9e37_79b9 + n) << 9).collect::<Vec<_>>();
                agrees(&of(i), &of(j));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        #[test]
        fn agrees_with_the_definition(
            a in prop::collection::vec(0..=MOST_SUM >> 12, 17..4000),
            b in prop::collection::vec(0..=MOST_SUM >> 12, 17..4000),
        ) {
            agrees(&a, &b);
            agrees(&a, &a);
        }
    }

    #[test]
    fn shifts_round_to_their_side() {
        for (value, bits, down, up) in [(7, 1, 3, 4), (8, 3, 1, 1), (0, 5, 0, 0), (1, 127, 0, 1), (1, 200, 0, 1)] {
            assert_eq!(Side::Lower.shift(value, bits), down);
            assert_eq!(Side::Upper.shift(value, bits), up);
        }
    }
}
