//! Grid rounding: |round(x) − round(y)| ≤ ⌈|x − y|⌉, and no further from x than it says.

use super::*;

/// x = a/d and y = b/d: rounded, they are at most ⌈|x − y|⌉ apart; x moves by less than 1 in the direction stated, or by at most ½; an
/// integer stays.
fn is_lipschitz(round: impl Fn(Rounding, &i16, &i16) -> i16, rounding: Rounding, a: i8, b: i8, d: u8) {
    let (a, b, d) = (i16::from(a), i16::from(b), i16::from(d));
    let (x, y) = (round(rounding, &a, &d), round(rounding, &b, &d));
    let (steps, distance) = ((x - y).abs(), (a - b).abs());
    // steps ≤ ⌈distance/d⌉ iff steps = 0 or (steps − 1)·d < distance.
    assert!(steps == 0 || (steps - 1) * d < distance);
    let moved = x * d - a;
    match rounding {
        // A half goes up.
        Rounding::Nearest => assert!(-d < 2 * moved && 2 * moved <= d),
        Rounding::Down => assert!(-d < moved && moved <= 0),
        Rounding::Up => assert!(0 <= moved && moved < d),
    }
}

/// Planted: a half goes away from zero, which takes −½ and ½ to −1 and 1.
#[cfg(test)]
fn half_away(_: Rounding, a: &i16, d: &i16) -> i16 {
    if *a < 0 { -((-2 * a + d) / (2 * d)) } else { (2 * a + d) / (2 * d) }
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
