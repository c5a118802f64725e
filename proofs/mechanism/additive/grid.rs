//! Grid rounding: |round(x) − round(y)| ≤ ⌈|x − y|⌉, and no further from x than it says.

use super::*;

/// x = a/d, rounded, moves by less than 1 in the direction stated, or by at most ½.
fn moves_as_stated(rounding: Rounding, x: i16, a: i16, d: i16) -> bool {
    let moved = x * d - a;
    match rounding {
        // A half goes up.
        Rounding::Nearest => -d < 2 * moved && 2 * moved <= d,
        Rounding::Down => -d < moved && moved <= 0,
        Rounding::Up => 0 <= moved && moved < d,
    }
}

/// Whatever moves as stated moves no two numbers a/d and b/d further apart than ⌈|a − b|/d⌉: |x − y| is 0, or (|x − y| − 1)·d < |a − b|.
fn is_within(x: i16, y: i16, a: i16, b: i16, d: i16) -> bool {
    let (steps, distance) = ((x - y).abs(), (a - b).abs());
    steps == 0 || (steps - 1) * d < distance
}

/// x = a/d and y = b/d: rounded, they are at most ⌈|x − y|⌉ apart; x moves by less than 1 in the direction stated, or by at most ½; an
/// integer stays.
fn is_lipschitz(round: impl Fn(Rounding, &i16, &i16) -> i16, rounding: Rounding, a: i8, b: i8, d: u8) {
    let (a, b, d) = (i16::from(a), i16::from(b), i16::from(d));
    let (x, y) = (round(rounding, &a, &d), round(rounding, &b, &d));
    assert!(is_within(x, y, a, b, d));
    assert!(moves_as_stated(rounding, x, a, d));
}

/// Planted: a half goes away from zero, which takes −½ and ½ to −1 and 1.
#[cfg(any(test, certus_controls))]
fn half_away(_: Rounding, a: &i16, d: &i16) -> i16 {
    if *a < 0 { -((-2 * a + d) / (2 * d)) } else { (2 * a + d) / (2 * d) }
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_quotient() -> (i16, i16) {
        let (a, d): (i8, u8) = (kani::any(), kani::any());
        kani::assume(1 <= d && d <= 15);
        (a.into(), d.into())
    }

    fn rounds(round: impl Fn(Rounding, &i16, &i16) -> i16, rounding: Rounding) {
        let (a, d) = any_quotient();
        assert!(moves_as_stated(rounding, round(rounding, &a, &d), a, d));
        kani::cover!(a == -3 && d == 6, "minus a half");
    }

    /// ∀ numerators of 8 bits over denominators from 1 to 15.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_round_nearest() {
        rounds(Rounding::quotient, Rounding::Nearest);
    }

    /// ∀ numerators of 8 bits over denominators from 1 to 15.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_round_down() {
        rounds(Rounding::quotient, Rounding::Down);
    }

    /// ∀ numerators of 8 bits over denominators from 1 to 15.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_round_up() {
        rounds(Rounding::quotient, Rounding::Up);
    }

    /// ∀ numerators of 6 bits over denominators from 1 to 7, ∀ roundings that move as stated, which the shipped ones do. Slow.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_round_lipschitz() {
        let (x, y, a, b, d): (i8, i8, i8, i8, i8) = (kani::any(), kani::any(), kani::any(), kani::any(), kani::any());
        kani::assume(1 <= d && d <= 7 && -32 <= a && a < 32 && -32 <= b && b < 32);
        kani::assume(-33 <= x && x <= 33 && -33 <= y && y <= 33);
        let (x, y, a, b, d) = (i16::from(x), i16::from(y), i16::from(a), i16::from(b), i16::from(d));
        let rounding = match kani::any::<u8>() {
            0 => Rounding::Nearest,
            1 => Rounding::Down,
            _ => Rounding::Up,
        };
        kani::assume(moves_as_stated(rounding, x, a, d) && moves_as_stated(rounding, y, b, d));
        assert!(is_within(x, y, a, b, d));
        kani::cover!(d == 7 && (x - y).abs() == 2 && (a - b).abs() == 8, "as far as stated");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_round_half_away() {
        rounds(half_away, Rounding::Nearest);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Rounding; 3] = [Rounding::Nearest, Rounding::Down, Rounding::Up];

    #[test]
    fn bytes_exhaustively() {
        for d in 1..=15 {
            for a in i8::MIN..=i8::MAX {
                for b in i8::MIN..=i8::MAX {
                    for rounding in ALL {
                        is_lipschitz(Rounding::quotient, rounding, a, b, d);
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        is_lipschitz(half_away, Rounding::Nearest, -1, 1, 2);
    }

    proptest! {
        /// What is rounded is what is proven: the same as ⌊x + ½⌋, ⌊x⌋ and ⌈x⌉ of rationals.
        #[test]
        fn rationals(n: i64, d in 1i64.., g in 1i64.., h in 1i64..) {
            let (answer, step) = (Rational::new(n.into(), d.into()), Rational::new(g.into(), h.into()));
            let scaled = &answer / &step;
            let half = Rational::new(1.into(), 2.into());
            let expected = [(&scaled + half).floor(), scaled.floor(), scaled.ceil()];
            for (rounding, expected) in ALL.into_iter().zip(expected) {
                let grid = Grid::new(&step, rounding).unwrap();
                prop_assert_eq!(grid.round(&answer).to_big(), expected.to_integer());
            }
        }
    }
}
