//! Rounding outward is outward.

use super::*;

/// ⌊v/2^bits⌋·2^bits ≤ v < (⌊v/2^bits⌋ + 1)·2^bits, and the mirror image for the ceiling.
fn is_outward(floor: i32, ceil: i32, value: i32, bits: u32) {
    let unit = 1 << bits;
    assert!(floor * unit <= value && value < (floor + 1) * unit);
    assert!((ceil - 1) * unit < value && value <= ceil * unit);
}

/// ⌊n/d⌋ and ⌈n/d⌉ for either sign of either: q·d is at most n, and less than |d| away, in the direction that d's sign says; and the mirror image.
fn divides_outward(divide: impl Fn(&i16, &i16) -> (i16, i16), n: i8, d: i8) {
    let (n, d) = (i16::from(n), i16::from(d));
    let (floor, ceil) = divide(&n, &d);
    let (below, above) = if d > 0 { (n - floor * d, ceil * d - n) } else { (floor * d - n, n - ceil * d) };
    assert!(0 <= below && below < d.abs() && 0 <= above && above < d.abs());
    assert!(ceil - floor == i16::from(below > 0));
}

/// Both roundings, as shipped.
fn shipped(n: &i16, d: &i16) -> (i16, i16) {
    (div_floor(n, d), div_ceil(n, d))
}

/// Planted: the machine's division, which rounds towards zero.
#[cfg(any(test, certus_controls))]
fn towards_zero(n: &i16, d: &i16) -> (i16, i16) {
    (n / d, div_ceil(n, d))
}

/// An order that is told is that of every two members.
fn is_their_order(
    order: impl Fn([&i8; 2], [&i8; 2]) -> Option<Ordering>,
    [a, b]: [i8; 2],
    [c, d]: [i8; 2],
    x: i8,
    y: i8,
) {
    assert!(a <= x && x <= b && c <= y && y <= d);
    if let Some(order) = order([&a, &b], [&c, &d]) {
        assert!(order == x.cmp(&y));
    }
}

/// Planted: intervals that touch are taken for ordered.
#[cfg(any(test, certus_controls))]
fn touching([a, b]: [&i8; 2], [c, d]: [&i8; 2]) -> Option<Ordering> {
    if b <= c { Some(Ordering::Less) } else { order([a, b], [c, d]) }
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ values of 16 bits and shifts up to 12. Slow.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_shifts() {
        let (value, bits): (i16, u32) = (kani::any(), kani::any());
        kani::assume(bits <= 12);
        let value = i32::from(value);
        is_outward(shift_floor(&value, bits), shift_ceil(&value, bits), value, bits);
        kani::cover!(value == -1 && bits == 4, "just below zero");
    }

    /// ∀ numerators of 8 bits and denominators other than 0 of 5, of either sign. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_div_outward() {
        let (n, d): (i8, i8) = (kani::any(), kani::any());
        kani::assume(d != 0 && -16 <= d && d < 16);
        divides_outward(shipped, n, d);
        kani::cover!(n == -7 && d == -2, "both are negative");
    }

    fn any_members() -> ([i8; 2], [i8; 2], i8, i8) {
        let (p, q, x, y): ([i8; 2], [i8; 2], i8, i8) = (kani::any(), kani::any(), kani::any(), kani::any());
        kani::assume(p[0] <= x && x <= p[1] && q[0] <= y && y <= q[1]);
        (p, q, x, y)
    }

    /// ∀ intervals of 8 bits and their members.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_order() {
        let (p, q, x, y) = any_members();
        is_their_order(order, p, q, x, y);
        kani::cover!(order([&p[0], &p[1]], [&q[0], &q[1]]) == Some(Ordering::Equal), "two points");
        kani::cover!(p[1] == q[0] && p[0] < p[1], "they touch");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_order_touching() {
        let (p, q, x, y) = any_members();
        is_their_order(touching, p, q, x, y);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_div_towards_zero() {
        let (n, d): (i8, i8) = (kani::any(), kani::any());
        kani::assume(d != 0 && -16 <= d && d < 16);
        divides_outward(towards_zero, n, d);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_shifts_towards_zero() {
        let (value, bits): (i16, u32) = (kani::any(), kani::any());
        kani::assume(bits <= 12);
        let value = i32::from(value);
        is_outward(value / (1 << bits), shift_ceil(&value, bits), value, bits);
    }
}

#[cfg(test)]
mod properties {
    use super::*;

    #[test]
    fn sixteen_bits_exhaustively() {
        for value in i32::from(i16::MIN)..=i32::from(i16::MAX) {
            for bits in 0..=12 {
                is_outward(shift_floor(&value, bits), shift_ceil(&value, bits), value, bits);
                let big = (shift_floor(&BigInt::from(value), bits), shift_ceil(&BigInt::from(value), bits));
                assert_eq!(big, (shift_floor(&value, bits).into(), shift_ceil(&value, bits).into()));
            }
        }
    }

    #[test]
    fn quotients_of_bytes_exhaustively() {
        for n in i8::MIN..=i8::MAX {
            for d in (i8::MIN..=i8::MAX).filter(|&d| d != 0) {
                divides_outward(shipped, n, d);
            }
        }
    }

    #[test]
    fn orders_exhaustively() {
        let intervals = || (-4..=4i8).flat_map(|a| (a..=4).map(move |b| [a, b]));
        for p in intervals() {
            for q in intervals() {
                for x in p[0]..=p[1] {
                    for y in q[0]..=q[1] {
                        is_their_order(order, p, q, x, y);
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        is_outward(-1 / 16, 0, -1, 4);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_division_is_seen() {
        divides_outward(towards_zero, -7, 2);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_order_is_seen() {
        is_their_order(touching, [0, 1], [1, 2], 1, 1);
    }
}
