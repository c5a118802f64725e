//! Sums: exact, in whatever order, and saturated once by a function that moves nothing apart.

use super::*;

/// Saturated is the total itself within the limit, and the nearer of ±limit beyond it; no order is reversed.
fn saturates(saturated: impl Fn(i128, i64) -> i64, limit: i64, a: i128, b: i128) {
    let (x, y) = (saturated(a, limit), saturated(b, limit));
    let wide = i128::from(limit);
    assert!(
        i128::from(x)
            == if a > wide {
                wide
            } else if a < -wide {
                -wide
            } else {
                a
            }
    );
    assert!(a > b || x <= y);
}

/// Two saturated totals are no further apart than the totals.
fn is_lipschitz(saturated: impl Fn(i128, i64) -> i64, limit: i64, a: i128, b: i128) {
    assert!(u128::from(saturated(a, limit).abs_diff(saturated(b, limit))) <= a.abs_diff(b));
}

/// The total of three records is the sum of what each is clamped to.
fn adds_up(bounds: Bounds, [a, b, c]: [i64; 3]) {
    let exact = i128::from(bounds.clamp(a)) + i128::from(bounds.clamp(b)) + i128::from(bounds.clamp(c));
    assert!(total(&[a, b, c], &bounds) == exact);
}

/// A record that changes moves the total by at most the width of the bounds, and one that comes or goes by at most their magnitude: the sensitivities.
///
/// Said of a lone record: the others add the same to both totals, of which [`adds_up`] is the proof.
fn moves_by_the_sensitivity(total: impl Fn(&[i64], &Bounds) -> i128, bounds: Bounds, record: i64, changed: i64) {
    let before = total(&[record], &bounds);
    assert!(before.abs_diff(total(&[changed], &bounds)) <= bounds.width().into());
    assert!(before.abs_diff(total(&[], &bounds)) <= bounds.magnitude().into());
}

/// Planted: records are added as they are.
#[cfg(any(test, certus_controls))]
fn unclamped(records: &[i64], _: &Bounds) -> i128 {
    records.iter().map(|record| i128::from(*record)).sum()
}

/// Planted: wraps to 64 bits.
#[cfg(any(test, certus_controls))]
#[allow(clippy::cast_possible_truncation, reason = "planted")]
fn wrapping(total: i128, limit: i64) -> i64 {
    (total as i64).clamp(-limit, limit)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ totals of 128 bits and limits ≥ 1.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_saturated() {
        let limit: i64 = kani::any();
        kani::assume(limit >= 1);
        let (a, b): (i128, i128) = (kani::any(), kani::any());
        saturates(saturated, limit, a, b);
        kani::cover!(a > i64::MAX.into() && limit == i64::MAX, "beyond the word");
    }

    /// ∀ totals and limits of 16 bits: the distances.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_saturated_lipschitz() {
        let (a, b, limit): (i16, i16, i16) = (kani::any(), kani::any(), kani::any());
        kani::assume(limit >= 1);
        is_lipschitz(saturated, limit.into(), a.into(), b.into());
    }

    /// ∀ bounds and three records of 64 bits. Slow.
    #[kani::proof]
    #[kani::unwind(4)] // three records
    #[kani::solver(minisat)]
    fn verify_total() {
        let bounds = Bounds::new(kani::any(), kani::any());
        kani::assume(bounds.is_ok());
        adds_up(bounds.unwrap(), kani::any());
    }

    fn any_bounds() -> Bounds {
        let (lower, upper): (i16, i16) = (kani::any(), kani::any());
        let bounds = Bounds::new(lower.into(), upper.into());
        kani::assume(bounds.is_ok());
        bounds.unwrap()
    }

    /// ∀ bounds of 16 bits and records of 64, over any clamping of which no more is known than its contract.
    #[kani::proof]
    #[kani::stub_verified(Bounds::clamp)]
    #[kani::unwind(2)] // one record
    #[kani::solver(minisat)]
    fn verify_total_sensitivity() {
        moves_by_the_sensitivity(total, any_bounds(), kani::any(), kani::any());
        kani::cover!(true, "the contract can be met");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(2)]
    #[kani::solver(minisat)]
    fn refute_total_unclamped() {
        moves_by_the_sensitivity(unclamped, any_bounds(), kani::any(), kani::any());
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_saturated_wrapping() {
        let limit: i64 = kani::any();
        kani::assume(limit >= 1);
        saturates(wrapping, limit, kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for limit in [1, 5, 100, 127] {
            for a in -300..=300 {
                for b in -300..=300 {
                    saturates(saturated, limit, a, b);
                    is_lipschitz(saturated, limit, a, b);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        saturates(wrapping, i64::MAX, 1 << 63, (1 << 63) - 1);
    }

    #[test]
    fn sensitivities_exhaustively() {
        for (lower, upper) in (-3..=3).flat_map(|lower| (lower..=3).map(move |upper| (lower, upper))) {
            for (record, changed) in (-9..=9).flat_map(|a| (-9..=9).map(move |b| (a, b))) {
                moves_by_the_sensitivity(total, Bounds::new(lower, upper).unwrap(), record, changed);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_sum_is_seen() {
        moves_by_the_sensitivity(unclamped, Bounds::new(0, 1).unwrap(), 0, 5);
    }

    proptest! {
        #[test]
        fn words(l: i64, u: i64, records: [i64; 3], other: i64, a: i128, b: i128, limit in 1..=i64::MAX) {
            let bounds = Bounds::new(l.min(u), l.max(u)).unwrap();
            adds_up(bounds, records);
            moves_by_the_sensitivity(total, bounds, l, other);
            // Hence it knows no order; a record that changes moves it by at most the width, one that goes by at most the magnitude.
            let [first, second, third] = records;
            let sum = total(&records, &bounds);
            prop_assert_eq!(total(&[third, first, second], &bounds), sum);
            prop_assert!(total(&[first, other, third], &bounds).abs_diff(sum) <= bounds.width().into());
            prop_assert!(total(&[first, third], &bounds).abs_diff(sum) <= bounds.magnitude().into());
            saturates(saturated, limit, a, b);
            is_lipschitz(saturated, limit, a >> 1, b >> 1);
            is_lipschitz(saturated, limit, i128::from(l) + i128::from(u), i128::from(l));
        }
    }
}
