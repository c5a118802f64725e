//! The integer at which a probability that falls (or rises) with it passes β.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::AccuracyError;
use crate::exact::{Enclosure, Probability, Rational};

/// The most binary digits that a comparison looks at, or that the integer may have.
const MOST_BITS: u32 = 1 << 12;

/// Up to 2^64 the search doubles the integer at each step, and beyond it squares it: a step of wide noise is
/// expensive, and few people ask beyond 2^64.
const DOUBLING_BITS: u32 = 64;

/// How a probability depends on the integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slope {
    /// It is above β first, and at most β from some integer on.
    Falls,
    /// It is at most β first, and above β from some integer on.
    Rises,
}

/// Two neighbouring integers, the probability passing β between them.
pub(super) struct Crossing {
    pub(super) low: BigUint,
    pub(super) at_low: Enclosure,
    pub(super) high: BigUint,
    pub(super) at_high: Enclosure,
}

/// A search for the crossing. `at` encloses the probability at an integer, to a width of about 2^-bits.
pub(super) struct Search<'b, F> {
    at: F,
    beta: &'b Rational,
    slope: Slope,
    /// Binary digits that the probabilities have now: they grow, where β demands it.
    bits: u32,
}

impl<'b, F> Search<'b, F>
where
    F: FnMut(&BigUint, u32) -> Result<Enclosure, AccuracyError>,
{
    pub(super) fn new(beta: &'b Probability, slope: Slope, at: F) -> Result<Self, AccuracyError> {
        // Enough to tell β from 0, and k times an error from it.
        let bits = u32::try_from(beta.denominator().bits()).ok().and_then(|bits| bits.checked_add(48));
        let bits = bits.filter(|bits| *bits <= MOST_BITS).ok_or(AccuracyError::Undecided)?;
        Ok(Self { at, beta: beta.get(), slope, bits })
    }

    /// Whether n lies before the crossing, and the probability there.
    pub(super) fn probe(&mut self, n: &BigUint) -> Result<(bool, Enclosure), AccuracyError> {
        loop {
            let found = (self.at)(n, self.bits)?;
            if found.upper() <= *self.beta {
                return Ok((self.slope == Slope::Rises, found));
            }
            if found.lower() > *self.beta {
                return Ok((self.slope == Slope::Falls, found));
            }
            if self.bits == MOST_BITS {
                return Err(AccuracyError::Undecided);
            }
            self.bits = self.bits.saturating_mul(2).min(MOST_BITS);
        }
    }

    /// The crossing, which lies after `from`.
    pub(super) fn crossing(&mut self, from: BigUint) -> Result<Crossing, AccuracyError> {
        let (low, high) = self.bracket(from)?;
        self.refine(low, high)
    }

    /// Two integers around the crossing: neighbouring powers of two, or `from` and the next power of two.
    fn bracket(&mut self, from: BigUint) -> Result<(BigUint, BigUint), AccuracyError> {
        let power = |exponent: u32| BigUint::one() << exponent;
        let mut above = u32::try_from(from.bits()).map_err(|_| AccuracyError::OutOfReach)?;
        let mut below = None;
        while self.is_before(&power(above))? {
            if above >= MOST_BITS {
                return Err(AccuracyError::OutOfReach);
            }
            below = Some(above);
            above = if above < DOUBLING_BITS { above + 1 } else { above.saturating_mul(2).min(MOST_BITS) };
        }
        let Some(mut below) = below else {
            self.probe(&power(above))?;
            return Ok((from, power(above)));
        };
        while below + 1 < above {
            let middle = u32::midpoint(below, above);
            if self.is_before(&power(middle))? { below = middle } else { above = middle }
        }
        self.probe(&power(above))?;
        Ok((power(below), power(above)))
    }

    /// Whether n is in reach and before the crossing: noise that is out of reach is so from some integer on.
    fn is_before(&mut self, n: &BigUint) -> Result<bool, AccuracyError> {
        match self.probe(n) {
            Ok((before, _)) => Ok(before),
            Err(AccuracyError::OutOfReach | AccuracyError::Grid) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Quadratic interval refinement (Abbott 2006): the bracket is cut into 2^k equal parts, and the part
    /// that a line through both ends names is tried. Where the crossing is in it, k doubles, so that d digits
    /// take about log d steps; where it is not, k is halved. With k = 1 this is bisection, hence it never
    /// takes many more steps.
    fn refine(&mut self, mut low: BigUint, mut high: BigUint) -> Result<Crossing, AccuracyError> {
        let (mut at_low, mut at_high) = (self.probe(&low)?.1, self.probe(&high)?.1);
        let mut parts_log2 = 2_u32;
        while &low + 1u32 < high {
            let bits = self.bits;
            let width = &high - &low;
            let part = (&width >> parts_log2).max(BigUint::one());
            let left = &low + self.passed(&width, &at_low, &at_high) / &part * &part;
            let right = (&left + &part).min(high.clone());
            let mut is_named_part = true;
            if left > low {
                let (before, found) = self.probe(&left)?;
                is_named_part = before;
                if before { (low, at_low) = (left, found) } else { (high, at_high) = (left, found) }
            }
            if is_named_part && right < high {
                let (before, found) = self.probe(&right)?;
                is_named_part = !before;
                if before { (low, at_low) = (right, found) } else { (high, at_high) = (right, found) }
            }
            parts_log2 = if is_named_part { parts_log2.saturating_mul(2) } else { (parts_log2 / 2).max(1) };
            if self.bits > bits {
                (at_low, at_high) = (self.probe(&low)?.1, self.probe(&high)?.1);
            }
        }
        Ok(Crossing { low, at_low, high, at_high })
    }

    /// How far into a bracket of this width a line from one end to the other passes β: at least 0, below the
    /// width.
    fn passed(&self, width: &BigUint, at_low: &Enclosure, at_high: &Enclosure) -> BigUint {
        let middle = |found: &Enclosure| (found.lower() + found.upper()) / Rational::from_integer(2.into());
        let (from, to) = (middle(at_low), middle(at_high));
        let all = &from - &to;
        if all.is_zero() {
            return width / 2u32;
        }
        let share = (from - self.beta) / all;
        let passed = (share * Rational::from_integer(BigInt::from(width.clone()))).floor().to_integer();
        passed.to_biguint().unwrap_or_default().min(width - 1u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{NonNegative, exp_neg, parse};

    /// e^(−n/s), which falls with n, or e^(−s/n), which rises.
    fn law(scale: &Rational, slope: Slope, n: &BigUint, bits: u32) -> Enclosure {
        let n = Rational::from_integer(n.clone().into());
        let exponent = if slope == Slope::Falls { n / scale } else { scale / n };
        exp_neg(&NonNegative::new(exponent).unwrap(), bits)
    }

    /// The crossing, how many probabilities the search asked for, and the β that it was given.
    fn crossing(scale: &str, beta: &str, slope: Slope) -> (Result<Crossing, AccuracyError>, usize, Rational) {
        let (scale, beta) = (parse(scale).unwrap(), Probability::new(parse(beta).unwrap()).unwrap());
        let mut asked = 0;
        let mut search = Search::new(&beta, slope, |n, bits| {
            asked += 1;
            Ok(law(&scale, slope, n, bits))
        })
        .unwrap();
        let from = if slope == Slope::Falls { BigUint::ZERO } else { BigUint::one() };
        let found = search.crossing(from);
        (found, asked, beta.get().clone())
    }

    #[test]
    fn the_probability_passes_beta_between_neighbours() {
        let scales = ["2", "7/3", "100", "12345/7", "1e9", "1e30", "1e100"];
        // At n = 1 what rises must be at most β: e^-100 is, and e^-2 is not.
        for (slope, scales) in [(Slope::Falls, &scales[..]), (Slope::Rises, &scales[2..])] {
            for scale in scales {
                for beta in ["1/10", "1/3", "1/20", "1/1000", "1e-30"] {
                    let (found, asked, limit) = crossing(scale, beta, slope);
                    let found = found.unwrap();
                    assert_eq!(&found.low + 1u32, found.high, "{scale}, {beta}");
                    let (above, below) = match slope {
                        Slope::Falls => (&found.at_low, &found.at_high),
                        Slope::Rises => (&found.at_high, &found.at_low),
                    };
                    assert!(above.lower() > limit && below.upper() <= limit, "{scale}, {beta}");
                    let scale = parse(scale).unwrap();
                    assert!(law(&scale, slope, &found.low, 600).intersects(&found.at_low));
                    assert!(law(&scale, slope, &found.high, 600).intersects(&found.at_high));
                    assert!(asked < 200, "{scale}, {beta}: {asked}");
                }
            }
        }
    }

    /// The least of 10^1000 and more takes some tens of probabilities: bisection takes 6,600.
    #[test]
    fn a_thousand_digits_take_a_few_steps() {
        let (found, asked, _) = crossing("1e1000", "1/3", Slope::Falls);
        // ln 3 = 1.0986…
        assert!(found.unwrap().high.to_string().starts_with("10986122886681"));
        assert!(asked < 200, "{asked}");
        // This would take more digits than a comparison looks at, and that is soon said.
        let (found, asked, _) = crossing("1e1000", "1e-1000", Slope::Falls);
        assert_eq!(found.err(), Some(AccuracyError::Undecided));
        assert!(asked < 200, "{asked}");
    }
}
