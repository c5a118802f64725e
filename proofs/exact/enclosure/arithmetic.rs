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

    /// ∀ intervals of 8 bits and their members.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_square() {
        let (p, x) = any_member();
        contains_squares(p, x);
        kani::cover!(p[0] < 0 && p[1] > 0 && x == 0, "zero inside");
    }

    /// ∀ intervals of 6 bits, the divisor's positive, and their members.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_quotient() {
        let ((p, x), (q, y)) = (any_small_member(), any_small_member());
        kani::assume(q[0] > 0);
        contains_quotients(p, q, x, y);
        kani::cover!(p[1] < 0 && q[0] < q[1], "below zero");
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
                        if q[0] > 0 {
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

    proptest! {
        #[test]
        fn bytes(mut p: [i8; 3], mut q: [i8; 3]) {
            p.sort_unstable();
            q.sort_unstable();
            contains_squares([p[0], p[2]], p[1]);
            contains_products(product, [p[0], p[2]], [q[0], q[2]], p[1], q[1]);
            if q[0] > 0 {
                contains_quotients([p[0], p[2]], [q[0], q[2]], p[1], q[1]);
            }
        }
    }
}
