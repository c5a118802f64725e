//! Enclosures: the result contains the sum, product, square or quotient of every two members.

use super::*;

/// Every product of members is between the bounds, and the bounds are such products.
fn contains_products(
    product: impl Fn([&i16; 2], [&i16; 2]) -> (i16, i16),
    [a, b]: [i8; 2],
    [c, d]: [i8; 2],
    x: i8,
    y: i8,
) {
    let [a, b, c, d, x, y] = [a, b, c, d, x, y].map(i16::from);
    assert!(a <= x && x <= b && c <= y && y <= d);
    let (lower, upper) = product([&a, &b], [&c, &d]);
    assert!(lower <= x * y && x * y <= upper);
}

/// The same on numbers of 8 bits, the products included: operands from −8 to 7.
fn contains_products_i8([a, b]: [i8; 2], [c, d]: [i8; 2], x: i8, y: i8) {
    assert!(a <= x && x <= b && c <= y && y <= d);
    let (lower, upper) = product([&a, &b], [&c, &d]);
    assert!(lower <= x * y && x * y <= upper);
}

/// Every sum and every difference of members is between the bounds, and the bounds are such.
fn contains_sums(
    difference: impl Fn([i16; 2], [i16; 2]) -> (i16, i16),
    [a, b]: [i8; 2],
    [c, d]: [i8; 2],
    x: i8,
    y: i8,
) {
    let (a, b, c, d, x, y) = (i16::from(a), i16::from(b), i16::from(c), i16::from(d), i16::from(x), i16::from(y));
    assert!(a <= x && x <= b && c <= y && y <= d);
    let (lower, upper) = sum([a, b], [c, d]);
    assert!(lower <= x + y && x + y <= upper && upper - lower == (b - a) + (d - c));
    let (lower, upper) = difference([a, b], [c, d]);
    assert!(lower <= x - y && x - y <= upper && upper - lower == (b - a) + (d - c));
}

/// Planted: the differences of the bounds.
#[cfg(any(test, certus_controls))]
fn of_the_bounds([a, b]: [i16; 2], [c, d]: [i16; 2]) -> (i16, i16) {
    ((a - c).min(b - d), (a - c).max(b - d))
}

/// Every multiple x·n/d, d > 0, is between the bounds: lower·d ≤ x·n ≤ upper·d.
fn contains_multiples(multiple: impl Fn([&i16; 2], &i16, &i16) -> (i16, i16), [a, b]: [i8; 2], n: i8, d: i8, x: i8) {
    let (a, b, n, d, x) = (i16::from(a), i16::from(b), i16::from(n), i16::from(d), i16::from(x));
    assert!(a <= x && x <= b && d > 0);
    let (lower, upper) = multiple([&a, &b], &n, &d);
    assert!(lower * d <= x * n && x * n <= upper * d);
}

/// Planted: a negative factor is not turned round.
#[cfg(any(test, certus_controls))]
fn not_turned([a, b]: [&i16; 2], n: &i16, d: &i16) -> (i16, i16) {
    (div_floor(&(a * n), d), div_ceil(&(b * n), d))
}

fn contains_squares([a, b]: [i8; 2], x: i8) {
    let [a, b, x] = [a, b, x].map(i16::from);
    assert!(a <= x && x <= b);
    let (lower, upper) = square([&a, &b]);
    assert!(0 <= lower && lower <= x * x && x * x <= upper);
}

/// Every quotient of members x/y, y > 0: lower·y ≤ x ≤ upper·y.
fn contains_quotients([a, b]: [i8; 2], [c, d]: [i8; 2], x: i8, y: i8) {
    let [a, b, c, d, x, y] = [a, b, c, d, x, y].map(i16::from);
    assert!(a <= x && x <= b && 0 < c && c <= y && y <= d);
    let (lower, upper) = quotient([&a, &b], [&c, &d]);
    assert!(lower * y <= x && x <= upper * y);
}

/// Planted: the corners of two non-negative factors, whatever their signs.
#[cfg(any(test, certus_controls))]
fn unsigned([a, b]: [&i16; 2], [c, d]: [&i16; 2]) -> (i16, i16) {
    (a * c, b * d)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// A member of an interval of 8 bits, and the interval.
    fn any_member() -> ([i8; 2], i8) {
        let (a, b, x): (i8, i8, i8) = (kani::any(), kani::any(), kani::any());
        kani::assume(a <= x && x <= b);
        ([a, b], x)
    }

    /// The same of 6 bits: a product of two symbols beside the products of four corners.
    fn any_small_member() -> ([i8; 2], i8) {
        let ([a, b], x) = any_member();
        kani::assume(-32 <= a && b < 32);
        ([a, b], x)
    }

    /// ∀ intervals of 8 bits and their members. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_square() {
        let (p, x) = any_member();
        contains_squares(p, x);
        kani::cover!(p[0] < 0 && p[1] > 0 && x == 0, "zero inside");
    }

    /// ∀ intervals of 6 bits, the divisor's positive, and their members. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_quotient() {
        let ((p, x), (q, y)) = (any_small_member(), any_small_member());
        kani::assume(q[0] > 0);
        contains_quotients(p, q, x, y);
        kani::cover!(p[1] < 0 && q[0] < q[1], "below zero");
    }

    /// ∀ intervals of 8 bits and their members. Slow.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_sum() {
        let ((p, x), (q, y)) = (any_member(), any_member());
        contains_sums(difference, p, q, x, y);
        kani::cover!(p[0] == -128 && q[1] == 127, "past 8 bits");
    }

    /// ∀ intervals from −8 to 7 and their members, on numbers of 8 bits. Slow.
    #[kani::proof]
    #[kani::unwind(4)] // three more corners
    #[kani::solver(kissat)]
    fn verify_product_i8() {
        let ((p, x), (q, y)) = (any_member(), any_member());
        kani::assume(-8 <= p[0] && p[1] < 8 && -8 <= q[0] && q[1] < 8);
        contains_products_i8(p, q, x, y);
        kani::cover!(p[0] < 0 && p[1] > 0 && q[0] < 0 && q[1] > 0, "both straddle zero");
    }

    /// ∀ intervals of 4 bits and their members, ∀ factors n/d with n of 4 bits and d from 1 to 7. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_multiple() {
        let (p, x) = any_member();
        let (n, d): (i8, i8) = (kani::any(), kani::any());
        kani::assume(-8 <= p[0] && p[1] < 8 && -8 <= n && n < 8 && 0 < d && d < 8);
        contains_multiples(multiple, p, n, d, x);
        kani::cover!(n < 0 && p[0] < 0 && p[1] > 0, "turned round");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_difference_of_the_bounds() {
        let ((p, x), (q, y)) = (any_member(), any_member());
        contains_sums(of_the_bounds, p, q, x, y);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_multiple_not_turned() {
        let (p, x) = any_member();
        let (n, d): (i8, i8) = (kani::any(), kani::any());
        kani::assume(-8 <= p[0] && p[1] < 8 && -8 <= n && n < 8 && 0 < d && d < 8);
        contains_multiples(not_turned, p, n, d, x);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_product_unsigned() {
        let ((p, x), (q, y)) = (any_small_member(), any_small_member());
        contains_products(unsigned, p, q, x, y);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_intervals_exhaustively() {
        let intervals = || (-6..=6i8).flat_map(|a| (a..=6).map(move |b| [a, b]));
        for p in intervals() {
            for x in p[0]..=p[1] {
                contains_squares(p, x);
                for q in intervals() {
                    for y in q[0]..=q[1] {
                        contains_products(product, p, q, x, y);
                        contains_products_i8(p, q, x, y);
                        contains_sums(difference, p, q, x, y);
                        if q[0] > 0 {
                            for n in -3..=3 {
                                contains_multiples(multiple, p, n, y, x);
                            }
                            contains_quotients(p, q, x, y);
                        }
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        contains_products(unsigned, [-1, 1], [2, 3], -1, 3);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_difference_is_seen() {
        contains_sums(of_the_bounds, [0, 1], [0, 1], 1, 0);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_multiple_is_seen() {
        contains_multiples(not_turned, [1, 2], -1, 1, 1);
    }

    proptest! {
        #[test]
        fn bytes(mut p: [i8; 3], mut q: [i8; 3]) {
            p.sort_unstable();
            q.sort_unstable();
            contains_squares([p[0], p[2]], p[1]);
            contains_products(product, [p[0], p[2]], [q[0], q[2]], p[1], q[1]);
            contains_sums(difference, [p[0], p[2]], [q[0], q[2]], p[1], q[1]);
            if q[0] > 0 {
                contains_quotients([p[0], p[2]], [q[0], q[2]], p[1], q[1]);
                contains_multiples(multiple, [p[0], p[2]], q[1], q[0], p[1]);
            }
        }
    }
}
