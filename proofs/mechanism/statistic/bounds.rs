//! Clamping is 1-Lipschitz, and one record moves a clamped value no further than the sensitivity says.

use super::*;

/// A clamped record is in range, is the record itself if that is, and the nearer bound if not; clamping does not reverse an order.
fn clamps(clamp: impl Fn(&Bounds, i64) -> i64, bounds: Bounds, a: i64, b: i64) {
    let (x, y) = (clamp(&bounds, a), clamp(&bounds, b));
    assert!(bounds.lower() <= x && x <= bounds.upper());
    assert!(x == a || (a < bounds.lower() && x == bounds.lower()) || (a > bounds.upper() && x == bounds.upper()));
    assert!(a > b || x <= y);
}

/// As a contract: the record itself if it is in range, and the nearer bound if not.
#[cfg(kani)]
pub(super) fn is_nearest(bounds: &Bounds, record: i64, clamped: i64) -> bool {
    clamped
        == if record < bounds.lower() {
            bounds.lower()
        } else if record > bounds.upper() {
            bounds.upper()
        } else {
            record
        }
}

/// Two clamped records are no further apart than the records, nor than the width; none is further from 0 than the magnitude.
fn is_lipschitz(clamp: impl Fn(&Bounds, i64) -> i64, bounds: Bounds, a: i64, b: i64) {
    let (x, y) = (clamp(&bounds, a), clamp(&bounds, b));
    assert!(x.abs_diff(y) <= a.abs_diff(b));
    assert!(x.abs_diff(y) <= bounds.width());
    assert!(x.unsigned_abs() <= bounds.magnitude());
}

/// Planted: wraps round the range.
#[cfg(any(test, certus_controls))]
fn wrapping(bounds: &Bounds, record: i64) -> i64 {
    if record > bounds.upper() { bounds.lower() } else { record.max(bounds.lower()) }
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_bounds() -> Bounds {
        let (lower, upper): (i64, i64) = (kani::any(), kani::any());
        let bounds = Bounds::new(lower, upper);
        assert!(bounds.is_ok() == (lower <= upper));
        kani::assume(bounds.is_ok());
        bounds.unwrap()
    }

    /// ∀ bounds and records of 64 bits.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_clamp() {
        let bounds = any_bounds();
        let (a, b): (i64, i64) = (kani::any(), kani::any());
        clamps(Bounds::clamp, bounds, a, b);
        kani::cover!(a < bounds.lower() && b > bounds.upper(), "both are clamped");
    }

    /// ∀ bounds and records of 64 bits: the contract of clamping, on which sums rely.
    #[kani::proof_for_contract(Bounds::clamp)]
    #[kani::solver(minisat)]
    fn verify_clamp_contract() {
        let _ = any_bounds().clamp(kani::any());
    }

    /// ∀ bounds and records of 16 bits: the distances. Slow.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_clamp_lipschitz() {
        let (lower, upper, a, b): (i16, i16, i16, i16) = (kani::any(), kani::any(), kani::any(), kani::any());
        kani::assume(lower <= upper);
        let bounds = Bounds::new(lower.into(), upper.into());
        is_lipschitz(Bounds::clamp, bounds.unwrap(), a.into(), b.into());
        kani::cover!(lower == i16::MIN && upper == i16::MAX && a == lower && b == upper, "as far as can be");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_clamp_wrapping() {
        clamps(wrapping, any_bounds(), kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for (lower, upper) in [(-128, 127), (-1, 60), (0, 127), (-128, -1), (5, 5)] {
            let bounds = Bounds::new(lower, upper).unwrap();
            for a in i64::from(i8::MIN)..=i64::from(i8::MAX) {
                for b in i64::from(i8::MIN)..=i64::from(i8::MAX) {
                    clamps(Bounds::clamp, bounds, a, b);
                    is_lipschitz(Bounds::clamp, bounds, a, b);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        is_lipschitz(wrapping, Bounds::new(0, 10).unwrap(), 10, 11);
    }

    proptest! {
        #[test]
        fn words(l: i64, u: i64, a: i64, b: i64) {
            clamps(Bounds::clamp, Bounds::new(l.min(u), l.max(u)).unwrap(), a, b);
            is_lipschitz(Bounds::clamp, Bounds::new(l.min(u), l.max(u)).unwrap(), a, b);
        }
    }
}
