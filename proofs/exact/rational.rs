//! Rationals: lowest terms and a positive denominator after every operation, the right value, and the order of the reals.
//!
//! `Ratio` is generic; what ships is `Ratio<BigInt>`, and what is proven is the same code on machine words.

use num_rational::Ratio;

/// den > 0, and no number from 2 up divides both: gcd 1. Zero is 0/1.
fn is_normal(value: Ratio<i8>) -> bool {
    let (n, d) = (value.numer().unsigned_abs(), *value.denom());
    let mut normal = d > 0 && (n != 0 || d == 1);
    let mut factor = 2;
    while factor < 16 {
        normal &= n % factor != 0 || d.unsigned_abs() % factor != 0;
        factor += 1;
    }
    normal
}

/// n/d brought to lowest terms is that number.
fn is_reduced(n: i8, d: i8) {
    let value = Ratio::new(n, d);
    assert!(is_normal(value));
    assert!(i16::from(*value.numer()) * i16::from(d) == i16::from(n) * i16::from(*value.denom()));
}

/// The order is that of the reals, by cross-multiplication.
fn is_ordered([a, b, c, d]: [i8; 4]) {
    let (x, y) = (Ratio::new_raw(a, b), Ratio::new_raw(c, d));
    let [a, b, c, d] = [a, b, c, d].map(i16::from);
    assert!(x.cmp(&y) == (a * d).cmp(&(c * b)));
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_within(least: i8, greatest: i8) -> i8 {
        let value: i8 = kani::any();
        kani::assume(least <= value && value <= greatest);
        value
    }

    /// ∀ numerators and denominators from −15 to 15. Slow.
    #[kani::proof]
    #[kani::unwind(15)] // factors to 15; a gcd of 4 bits takes fewer rounds
    #[kani::solver(kissat)]
    fn verify_rational_new() {
        let (n, d) = (any_within(-15, 15), any_within(-15, 15));
        kani::assume(d != 0);
        is_reduced(n, d);
        kani::cover!(n == -6 && d == -4, "both are negative");
    }

    /// ∀ numerators from −7 to 7 over denominators from 1 to 7.
    #[kani::proof]
    #[kani::unwind(9)] // the continued fractions of two numbers of 3 bits
    #[kani::solver(kissat)]
    fn verify_rational_cmp() {
        is_ordered([any_within(-7, 7), any_within(1, 7), any_within(-7, 7), any_within(1, 7)]);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(15)]
    #[kani::solver(kissat)]
    fn refute_rational_raw() {
        let (n, d) = (any_within(-15, 15), any_within(1, 15));
        assert!(is_normal(Ratio::new_raw(n, d)));
    }
}

#[cfg(test)]
mod properties {
    use super::*;

    #[test]
    fn small_rationals_exhaustively() {
        for n in -15..=15 {
            for d in (-15..=15).filter(|&d| d != 0) {
                is_reduced(n, d);
            }
        }
        let rationals = || (-7..=7i8).flat_map(|n| (1..=7i8).map(move |d| (n, d)));
        for (a, b) in rationals() {
            for (c, d) in rationals() {
                is_ordered([a, b, c, d]);
                let (x, y) = (Ratio::new(a, b), Ratio::new(c, d));
                let results = [Some(x + y), Some(x - y), Some(x * y), (c != 0).then(|| x / y)];
                let [a, b, c, d] = [a, b, c, d].map(i32::from);
                let exact = [(a * d + c * b, b * d), (a * d - c * b, b * d), (a * c, b * d), (a * d, b * c)];
                for (result, (n, d)) in results.into_iter().zip(exact) {
                    let Some(result) = result else { continue };
                    assert!(i32::from(*result.numer()) * d == n * i32::from(*result.denom()));
                    assert!(*result.denom() > 0 && num_integer::gcd(*result.numer(), *result.denom()) == 1);
                }
            }
        }
    }

    #[test]
    fn a_planted_bug_is_seen() {
        assert!(!is_normal(Ratio::new_raw(2, 4)));
        assert!(!is_normal(Ratio::new_raw(1, -2)));
    }
}
