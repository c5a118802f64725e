//! Rationals: lowest terms and a positive denominator after every operation, the right value, and the order of the reals.
//!
//! `Ratio` is generic; what ships is `Ratio<BigInt>`, and what is proven is the same code on machine words.

use num_rational::Ratio;

/// den > 0, and `factor`, any number from 2 up, does not divide both: gcd 1. Zero is 0/1.
fn is_normal(value: Ratio<i8>, factor: u8) -> bool {
    let (n, d) = (value.numer().unsigned_abs(), *value.denom());
    d > 0 && (n != 0 || d == 1) && (n % factor != 0 || d.unsigned_abs() % factor != 0)
}

/// n/d brought to lowest terms is that number.
fn is_reduced(n: i8, d: i8, factor: u8) {
    let value = Ratio::new(n, d);
    assert!(is_normal(value, factor));
    assert!(i16::from(*value.numer()) * i16::from(d) == i16::from(n) * i16::from(*value.denom()));
}

/// The order is that of the reals, by cross-multiplication.
fn is_ordered([a, b, c, d]: [i8; 4]) {
    let (x, y) = (Ratio::new_raw(a, b), Ratio::new_raw(c, d));
    let [a, b, c, d] = [a, b, c, d].map(i16::from);
    assert!(x.cmp(&y) == (a * d).cmp(&(c * b)));
}

/// What an operation on rationals does.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Add,
    Sub,
    Mul,
    Div,
}

/// The result of an operation on a/b and c/d in lowest terms is in lowest terms, and that number, by cross-multiplication.
fn stays_normal(operation: Operation, [a, b, c, d]: [i8; 4], factor: u8) {
    let (x, y) = (Ratio::new_raw(a, b), Ratio::new_raw(c, d));
    let (a, b, c, d) = (i16::from(a), i16::from(b), i16::from(c), i16::from(d));
    let (result, n, d) = match operation {
        Operation::Add => (x + y, a * d + c * b, b * d),
        Operation::Sub => (x - y, a * d - c * b, b * d),
        Operation::Mul => (x * y, a * c, b * d),
        Operation::Div => (x / y, a * d, b * c),
    };
    assert!(is_normal(result, factor));
    assert!(i16::from(*result.numer()) * d == n * i16::from(*result.denom()));
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_within(least: i8, greatest: i8) -> i8 {
        let value: i8 = kani::any();
        kani::assume(least <= value && value <= greatest);
        value
    }

    fn any_factor() -> u8 {
        let factor: u8 = kani::any();
        kani::assume(factor >= 2);
        factor
    }

    /// ∀ numerators and denominators from −15 to 15, ∀ factors. Slow.
    #[kani::proof]
    #[kani::unwind(9)] // a gcd of 4 bits takes fewer rounds
    #[kani::solver(kissat)]
    fn verify_rational_new() {
        let (n, d) = (any_within(-15, 15), any_within(-15, 15));
        kani::assume(d != 0);
        is_reduced(n, d, any_factor());
        kani::cover!(n == -6 && d == -4, "both are negative");
    }

    /// Two rationals in lowest terms, with numerators from −7 to 7 over denominators from 1 to 7.
    fn any_two() -> [i8; 4] {
        let (a, b, c, d) = (any_within(-7, 7), any_within(1, 7), any_within(-7, 7), any_within(1, 7));
        // Common factors up to 7 are multiples of these; of 0/d all of d is one.
        let lowest = |n: i8, d: i8| [2, 3, 5, 7].iter().all(|f| n % f != 0 || d % f != 0);
        kani::assume(lowest(a, b) && lowest(c, d));
        [a, b, c, d]
    }

    /// ∀ rationals with numerators from −7 to 7 over denominators from 1 to 7, ∀ factors. Slow.
    #[kani::proof]
    #[kani::unwind(9)] // a gcd of 5 bits takes fewer rounds
    #[kani::solver(kissat)]
    fn verify_rational_add() {
        let two = any_two();
        stays_normal(Operation::Add, two, any_factor());
        kani::cover!(two == [1, 2, -1, 2], "to zero");
        kani::cover!(two == [1, 2, 1, 3], "a common denominator");
    }

    /// ∀ rationals with numerators from −7 to 7 over denominators from 1 to 7, ∀ factors. Slow.
    #[kani::proof]
    #[kani::unwind(9)] // a gcd of 5 bits takes fewer rounds
    #[kani::solver(kissat)]
    fn verify_rational_sub() {
        stays_normal(Operation::Sub, any_two(), any_factor());
    }

    /// ∀ rationals with numerators from −7 to 7 over denominators from 1 to 7, ∀ factors. Slow.
    #[kani::proof]
    #[kani::unwind(9)] // a gcd of 5 bits takes fewer rounds
    #[kani::solver(kissat)]
    fn verify_rational_mul() {
        stays_normal(Operation::Mul, any_two(), any_factor());
    }

    /// ∀ rationals with numerators from −7 to 7 over denominators from 1 to 7, the divisor's not 0, ∀ factors. Slow.
    #[kani::proof]
    #[kani::unwind(9)] // a gcd of 5 bits takes fewer rounds
    #[kani::solver(kissat)]
    fn verify_rational_div() {
        let two = any_two();
        kani::assume(two[2] != 0);
        stays_normal(Operation::Div, two, any_factor());
        kani::cover!(two == [2, 1, -2, 3], "by a negative number");
    }

    /// ∀ numerators from −7 to 7 over denominators from 1 to 7. Slow.
    #[kani::proof]
    #[kani::unwind(9)] // the continued fractions of two numbers of 3 bits
    #[kani::solver(kissat)]
    fn verify_rational_cmp() {
        is_ordered([any_within(-7, 7), any_within(1, 7), any_within(-7, 7), any_within(1, 7)]);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_rational_raw() {
        let (n, d) = (any_within(-15, 15), any_within(1, 15));
        assert!(is_normal(Ratio::new_raw(n, d), any_factor()));
    }
}

#[cfg(test)]
mod properties {
    use super::*;

    #[test]
    fn small_rationals_exhaustively() {
        for n in -15..=15 {
            for d in (-15..=15).filter(|&d| d != 0) {
                (2..=u8::MAX).for_each(|factor| is_reduced(n, d, factor));
            }
        }
        let rationals = || (-7..=7i8).flat_map(|n| (1..=7i8).map(move |d| (n, d)));
        for (a, b) in rationals() {
            for (c, d) in rationals() {
                is_ordered([a, b, c, d]);
                if num_integer::gcd(a, b) == 1 && num_integer::gcd(c, d) == 1 {
                    for factor in 2..=50 {
                        for operation in [Operation::Add, Operation::Sub, Operation::Mul] {
                            stays_normal(operation, [a, b, c, d], factor);
                        }
                        if c != 0 {
                            stays_normal(Operation::Div, [a, b, c, d], factor);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_planted_bug_is_seen() {
        assert!(!is_normal(Ratio::new_raw(2, 4), 2));
        assert!(!is_normal(Ratio::new_raw(1, -2), 2));
    }
}
