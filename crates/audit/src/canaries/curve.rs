//! The claim as a curve: F(b), an upper bound on the probability of an event under P by that under Q.
#![expect(clippy::float_arithmetic, reason = "every bound is moved outward by its error")]

use crate::statistics::exp_bounds;

/// A point of a privacy profile, or of two: P(S) ≤ d + c·Q(S) for every event S.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    c: f64,
    d: f64,
}

/// F(b) = the least of d + c·b over some lines: a concave curve, which is at least the claim's own.
///
/// A canary's coin is fair, and a guess may be "in" or "out". With the profiles of both directions, δ_in (the
/// canary is in against out) and δ_out, every ε′ gives c = e^ε′ and d = ½·(δ_in + δ_out)(ε′). **They are
/// averaged, not symmetrised**: the maximum of the two would be sound too, and weaker. Any finite list of ε′
/// with upper bounds on δ is sound; a list that lacks points only makes F larger, and the audit weaker.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Of falling c: those that are least somewhere, in the order of rising b.
    lines: Vec<Line>,
}

/// One point of a claim's profiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfilePoint {
    /// ε′ ≥ 0.
    pub epsilon: f64,
    /// At least δ(ε′) of the canary in against out.
    pub delta_in: f64,
    /// At least δ(ε′) of out against in.
    pub delta_out: f64,
}

/// Why points are those of no profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// An ε is negative, infinite or no number.
    #[error("epsilon must be a finite number of 0 or more")]
    Epsilon,
    /// A δ is none.
    #[error("delta must be from 0 to 1")]
    Delta,
}

impl Curve {
    /// The curve of some profile points.
    ///
    /// A point at ε′ is one at −ε′ too, of the other direction: P ≤ e^ε′·Q + δ is 1 − P(S) ≥ 1 − δ −
    /// e^ε′·Q(S); for complements, and with the sides exchanged, P(S) ≤ 1 − e^-ε′·(1 − δ − Q(S)).
    ///
    /// # Errors
    ///
    /// If an ε is negative, infinite or no number, or a δ outside of \[0, 1\].
    pub fn new(points: &[ProfilePoint]) -> Result<Self, CurveError> {
        let mut lines = vec![Line { c: 0.0, d: 1.0 }];
        for point in points {
            // NaN is refused too: it compares with nothing.
            if !(point.epsilon >= 0.0 && point.epsilon.is_finite()) {
                return Err(CurveError::Epsilon);
            }
            if [point.delta_in, point.delta_out].iter().any(|delta| !(0.0..=1.0).contains(delta)) {
                return Err(CurveError::Delta);
            }
            let delta = ((point.delta_in + point.delta_out) / 2.0).next_up().clamp(0.0, 1.0);
            let (_, c) = exp_bounds(point.epsilon);
            lines.push(Line { c: c.max(1.0), d: delta });
            // e^-ε′ rounded down in 1 − e^-ε′·(1 − δ), and up where it is the slope.
            let (low, high) = exp_bounds(-point.epsilon);
            lines.push(Line { c: high.min(1.0), d: (1.0 - (low * (1.0 - delta)).next_down()).next_up() });
        }
        Ok(Self { lines: envelope(lines) })
    }

    /// The claim (ε, δ), in both directions.
    ///
    /// # Errors
    ///
    /// As [`Curve::new`].
    pub fn approximate(epsilon: f64, delta: f64) -> Result<Self, CurveError> {
        Self::new(&[ProfilePoint { epsilon, delta_in: delta, delta_out: delta }])
    }

    /// F(b) rounded up.
    #[must_use]
    pub fn at_most(&self, b: f64) -> f64 {
        self.lines.iter().map(|line| (line.d + (line.c * b).next_up()).next_up()).fold(1.0, f64::min)
    }

    /// At least the probability that a guess is right whose evidence is among the strongest share u, of
    /// independent canaries: the least of (d + c·u)/(u·(1 + c)).
    pub(super) fn right_at_most(&self, share: f64) -> f64 {
        if share <= 0.0 {
            return 1.0;
        }
        // Four roundings, each of half a unit in the last place.
        let right = |line: &Line| (line.d + line.c * share) / (share * (1.0 + line.c)) * (1.0 + 4.0 * f64::EPSILON);
        self.lines.iter().filter(|line| line.c >= 1.0).map(right).fold(1.0, f64::min)
    }

    /// Reads F⁻¹ at arguments that rise.
    pub(super) fn inverse(&self) -> Inverse<'_> {
        Inverse { lines: &self.lines, place: 0 }
    }
}

/// F⁻¹(a) = the least b with F(b) ≥ a = the greatest of (a − d)/c, at arguments that rise: the line that
/// decides moves on, and never back.
pub(super) struct Inverse<'c> {
    lines: &'c [Line],
    place: usize,
}

impl Inverse<'_> {
    /// Bounds on F⁻¹ where a is between these; the lower end is never below 0.
    pub(super) fn bounds(&mut self, low: f64, high: f64) -> (f64, f64) {
        let at = |line: &Line, a: f64| {
            if line.c > 0.0 {
                (a - line.d) / line.c
            } else if a > line.d {
                f64::INFINITY
            } else {
                0.0
            }
        };
        while let Some([now, next]) = self.lines.get(self.place..self.place + 2)
            && at(next, low) > at(now, low)
        {
            self.place += 1;
        }
        let Some(line) = self.lines.get(self.place) else { return (0.0, f64::INFINITY) };
        // The difference is of numbers below 2, so that its error is below 2^-53; the quotient's is half a
        // unit in its last place.
        let least = at(line, low - f64::EPSILON).next_down().max(0.0);
        // `high` may have passed corners that `low` has not.
        let mut most = at(line, high + f64::EPSILON);
        for further in self.lines.iter().skip(self.place + 1) {
            let next = at(further, high + f64::EPSILON);
            if next < most {
                break;
            }
            most = next;
        }
        (least, most.next_up())
    }
}

/// The lines that are least somewhere on b ≥ 0, from the steepest, which is least at 0.
fn envelope(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by(|one, two| one.d.total_cmp(&two.d).then(one.c.total_cmp(&two.c)));
    let mut kept: Vec<Line> = Vec::new();
    for line in lines {
        // With a greater d, only a smaller slope is ever least.
        if kept.last().is_some_and(|last| line.c >= last.c) {
            continue;
        }
        while let [.., before, last] = kept.as_slice() {
            // Where `last` takes over from `before`, and where `line` does from `last`.
            let takes_over = |one: &Line, two: &Line| (two.d - one.d) / (one.c - two.c);
            if takes_over(last, &line) <= takes_over(before, last) {
                kept.pop();
            } else {
                break;
            }
        }
        kept.push(line);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_of_a_pair() {
        let curve = Curve::approximate(1.0, 0.01).unwrap();
        // δ + e^ε·b near 0, 1 − e^-ε·(1 − δ − b) further on.
        assert!((curve.at_most(0.0) - 0.01).abs() < 1e-11);
        assert!((curve.at_most(0.1) - (0.01 + 0.1_f64 * 1.0_f64.exp())).abs() < 1e-11);
        assert!((curve.at_most(0.5) - (1.0 - (-1.0_f64).exp() * 0.49)).abs() < 1e-11);
        assert!(curve.at_most(0.995) <= 1.0);
    }

    #[test]
    fn lines_that_are_nowhere_least_are_left_out() {
        let points = [(0.0, 0.3), (0.5, 0.2999), (1.0, 0.1), (2.0, 0.0)];
        let points = points.map(|(epsilon, delta)| ProfilePoint { epsilon, delta_in: delta, delta_out: delta });
        let curve = Curve::new(&points).unwrap();
        for b in (0..=100).map(|b| f64::from(b) / 100.0) {
            let all = points.iter().map(|point| point.delta_in + point.epsilon.exp() * b);
            let mirrored = points.iter().map(|point| 1.0 - (-point.epsilon).exp() * (1.0 - point.delta_in - b));
            let least = all.chain(mirrored).fold(1.0, f64::min);
            assert!((curve.at_most(b) - least).abs() < 1e-11, "{b}");
        }
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for epsilon in [f64::NAN, -1.0, f64::INFINITY] {
            assert_eq!(Curve::approximate(epsilon, 0.0), Err(CurveError::Epsilon), "{epsilon}");
        }
        for delta in [f64::NAN, -1e-9, 1.5] {
            assert_eq!(Curve::approximate(1.0, delta), Err(CurveError::Delta), "{delta}");
        }
    }

    #[test]
    fn the_inverse_undoes_the_curve() {
        let points = [(0.0, 0.3), (0.5, 0.2), (1.0, 0.1), (2.0, 0.03)];
        let points = points.map(|(epsilon, delta)| ProfilePoint { epsilon, delta_in: delta, delta_out: delta / 2.0 });
        let curve = Curve::new(&points).unwrap();
        let mut inverse = curve.inverse();
        for b in (0..100).map(|b| f64::from(b) / 100.0) {
            let a = curve.at_most(b);
            let (low, high) = inverse.bounds(a, a);
            assert!(low <= b + 1e-9 && (high >= b - 1e-9 || a >= 1.0), "{b}: {low} {high}");
            assert!(a >= 1.0 || (high - low).abs() < 1e-9, "{b}: {low} {high}");
        }
    }
}
