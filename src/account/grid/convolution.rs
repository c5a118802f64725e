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
///
/// Each is at most (Σ aᵢ)·(Σ bⱼ) ≤ 2^122, below the product of the primes p and q, both above 2^61.5. Modulo each prime it is
/// a cyclic convolution at least as long as the result, so that nothing wraps round; and the number below p·q with remainders
/// r and s is r + p·((s − r)·p^-1 mod q) (Garner 1959).
pub(super) fn convolve(a: &[u64], b: &[u64]) -> Option<Vec<u128>> {
    let within = |masses: &[u64]| {
        masses.iter().try_fold(0_u64, |sum, mass| sum.checked_add(*mass)).is_some_and(|sum| sum <= MOST_SUM)
    };
    if a.is_empty() || b.is_empty() || !within(a) || !within(b) {
        return None;
    }
    let length = a.len() + b.len() - 1;
    if a.len().min(b.len()) <= 16 {
        return Some(schoolbook(a, b, length));
    }
    let log = length.next_power_of_two().trailing_zeros();
    let product = |transform: Transform| {
        let of_a = transform.of(a);
        if a == b {
            let again = of_a.clone();
            return transform.product(of_a, &again);
        }
        transform.product(of_a, &transform.of(b))
    };
    let first = product(Transform::new(FIRST, log)?);
    let second = product(Transform::new(SECOND, log)?);
    let (p, q) = (FIRST.modulus(), SECOND.modulus());
    let inverse = SECOND.invert(SECOND.reduce(p.into()));
    let join = |(r, s): (u64, u64)| {
        // r < p < 2q, so s + 2q − r is positive.
        let difference = SECOND.reduce(u128::from(s) + 2 * u128::from(q) - u128::from(r));
        u128::from(r) + u128::from(p) * u128::from(SECOND.mul(difference, inverse))
    };
    Some(first.into_iter().zip(second).take(length).map(join).collect())
}

/// By the definition: quick where one of the two is short.
fn schoolbook(a: &[u64], b: &[u64], length: usize) -> Vec<u128> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut product = alloc::vec![0_u128; length];
    for (i, x) in short.iter().enumerate() {
        if *x > 0 {
            for (sum, y) in product.iter_mut().skip(i).zip(long) {
                *sum += u128::from(*x) * u128::from(*y);
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees(a: &[u64], b: &[u64]) {
        assert_eq!(convolve(a, b).unwrap(), schoolbook(a, b, a.len() + b.len() - 1));
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
