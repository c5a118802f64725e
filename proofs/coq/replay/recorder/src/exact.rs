//! What `exp_neg` and `ln` answer, bound by bound, at many points: Coq has the same algorithms, proven, and
//! must answer the same.

use std::io::Write;

use certus::exact::{BigInt, Enclosure, NonNegative, Positive, Rational, exp_neg, ln};

use crate::{Outcome, Recording, fraction, over, ten_to};

/// The bounds as integers over 2^digits, and the digits.
fn written(enclosure: &Enclosure) -> String {
    let digits = enclosure.precision();
    let scaled = |bound: Rational| (bound * Rational::from_integer(BigInt::from(1) << digits)).to_integer();
    format!("{} {} {digits}", scaled(enclosure.lower()), scaled(enclosure.upper()))
}

impl<W: Write> Recording<W> {
    fn exponential(&mut self, x: Rational, precision: u32) -> Outcome {
        let x = NonNegative::new(x)?;
        let answer = written(&exp_neg(&x, precision));
        writeln!(self.to, "exp {} {precision} : {answer}", fraction(x.numerator(), x.denominator()))?;
        Ok(())
    }

    fn logarithm(&mut self, x: Rational, precision: u32) -> Outcome {
        let x = Positive::new(x)?;
        let answer = written(&ln(&x, precision));
        writeln!(self.to, "ln {} {precision} : {answer}", fraction(x.numerator(), x.denominator()))?;
        Ok(())
    }
}

/// Points where another branch, length or number of halvings begins, and some between.
fn points() -> Vec<Rational> {
    let two_to = |power: i32| Rational::from_integer(2.into()).pow(power);
    let mut points = vec![over(0, 1), over(1, 1), over(1, 3), over(2, 3), over(3, 2), over(355, 113), over(100, 7)];
    points.extend([over(999_999, 1_000_000), over(1_000_001, 1_000_000), over(7, 1), over(31, 1), over(63, 2)]);
    points.extend([-70, -64, -33, -12, -5, -4, -2, -1, 1, 3, 5].map(two_to));
    points.extend([
        two_to(-64) + over(1, 1),
        over(1, 1) - two_to(-64),
        ten_to(-30),
        ten_to(-9),
        ten_to(25) / over(7, 1),
    ]);
    points
}

pub fn record<W: Write>(to: &mut Recording<W>) -> Outcome {
    // Precisions around the lengths of words, around those that the samplers ask for, and where the guard bits
    // change.
    for precision in [0, 1, 2, 3, 4, 8, 15, 16, 17, 31, 32, 63, 64, 65, 79, 100, 128, 136, 200] {
        for x in points() {
            to.exponential(x, precision)?;
        }
        // x at the precision, where the early answer begins, and on either side of it.
        for add in [-1, 0, 1] {
            if i64::from(precision) + add >= 0 {
                to.exponential(over(i64::from(precision) + add, 1), precision)?;
            }
        }
    }
    to.exponential(over(3, 2), 400)?;
    to.exponential(over(1, 5), 500)?;
    for precision in [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 65, 100, 128, 200] {
        for x in points().into_iter().filter(|x| *x > over(0, 1)) {
            to.logarithm(x, precision)?;
        }
    }
    to.logarithm(over(3, 2), 400)
}
