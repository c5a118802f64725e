//! Laplace noise as it is often written, in doubles, and what it cannot give.

use certus::bits::{Bits, BitsError};

/// The uniform numbers of a naive sampler are the multiples of this: 2^-52, after 1 − 2|u − ½| of a u of 53 bits.
const STEP: f64 = f64::EPSILON;

/// Their number, 2^52.
const STEPS: u64 = 1 << 52;

/// How far the index of a uniform number is searched beyond what rounding of `exp` can hide: it is off by at most (2 + |ln w|)·w < 3 steps.
const SLACK: u64 = 8;

/// Laplace noise by the inverse of its distribution function (Mironov 2012, §3; what numpy and most textbooks do): ±scale·ln w.
#[derive(Clone, Copy, Debug)]
pub struct Naive {
    /// The scale of the noise.
    pub scale: f64,
}

impl Naive {
    /// The noise of the k-th uniform number.
    fn noise(self, k: u64, is_negative: bool) -> f64 {
        let magnitude = -self.scale * (k as f64 * STEP).ln();
        if is_negative { -magnitude } else { magnitude }
    }

    /// One release of an answer.
    ///
    /// # Errors
    ///
    /// If the source fails.
    pub fn release(self, answer: f64, bits: &mut impl Bits) -> Result<f64, BitsError> {
        let is_negative = bits.take(1)? == 1;
        // From 1 to 2^52: a 0 would be an infinity, which tells nothing new.
        let k = bits.take(52)? + 1;
        Ok(answer + self.noise(k, is_negative))
    }

    /// Whether any uniform number makes this release of this answer.
    ///
    /// answer ⊕ noise = release needs a noise within an ulp of release − answer; the uniform numbers whose logarithm is there are neighbours, and
    /// each is tried. So "no" is certain, up to the same `ln` on the machine that released; "yes" names the number.
    #[must_use]
    pub fn can_release(self, answer: f64, release: f64) -> bool {
        let noise = release - answer;
        let around = ulp(release) + 2.0 * ulp(noise);
        [false, true].into_iter().any(|is_negative| {
            let magnitude = if is_negative { -noise } else { noise };
            let (least, most) = ((magnitude - around).max(0.0), magnitude + around);
            if most < 0.0 {
                return false;
            }
            let index = |noise: f64| (STEPS as f64 * (-noise / self.scale).exp()) as u64;
            let (from, to) = (index(most).saturating_sub(SLACK).max(1), (index(least) + SLACK).min(STEPS));
            // The middle first: it is there most often.
            let middle = from.midpoint(to);
            let outward =
                (0..=to - from + 1).map(|i| if i % 2 == 0 { middle + i / 2 } else { middle.saturating_sub(i / 2 + 1) });
            let mut inside = outward.filter(|k| (from..=to).contains(k));
            inside.any(|k| answer + self.noise(k, is_negative) == release)
        })
    }
}

/// The distance to the next float.
fn ulp(value: f64) -> f64 {
    value.abs().next_up() - value.abs()
}

/// e of the lowest set bit 2^e; nothing of 0.
#[must_use]
pub fn lowest_bit(value: f64) -> Option<i32> {
    let bits = value.to_bits();
    let (exponent, stored) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    let significand = if exponent == 0 { stored } else { stored | 1 << 52 };
    Some(exponent.max(1) - 1075 + significand.trailing_zeros() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::bits::seeded;

    #[test]
    fn what_was_released_can_be() {
        for (answer, scale) in [(0.0, 1.0), (1.0, 1.0), (14_235.0, 10.0), (-3.25, 0.125), (1e9, 3.0)] {
            let (naive, mut bits) = (Naive { scale }, seeded([9; 32]));
            for _ in 0..5_000 {
                let release = naive.release(answer, &mut bits).unwrap();
                assert!(naive.can_release(answer, release), "{answer} {scale} {release}");
            }
            // The ends: the least and the greatest noise.
            for k in [1, 2, STEPS - 1, STEPS] {
                assert!(naive.can_release(answer, answer + naive.noise(k, true)));
            }
        }
    }

    /// All uniform numbers of a small sampler would be: here the neighbours of one, tried one by one over a far wider range.
    #[test]
    fn what_cannot_be_is_not_hidden_by_a_narrow_search() {
        let (naive, mut bits) = (Naive { scale: 1.0 }, seeded([8; 32]));
        let mut ruled_out = 0;
        for _ in 0..300 {
            let release = naive.release(0.0, &mut bits).unwrap();
            if naive.can_release(1.0, release) {
                continue;
            }
            ruled_out += 1;
            let near = (STEPS as f64 * (-(release - 1.0).abs()).exp()) as u64;
            let wide = near.saturating_sub(5_000).max(1)..=(near + 5_000).min(STEPS);
            assert!(wide.into_iter().all(|k| [false, true].iter().all(|&sign| 1.0 + naive.noise(k, sign) != release)));
        }
        assert!(ruled_out > 50, "{ruled_out}");
    }

    #[test]
    fn lowest_bits() {
        assert_eq!(
            [1.0, 0.75, -6.0, 0.0, f64::MIN_POSITIVE].map(lowest_bit),
            [Some(0), Some(-2), Some(1), None, Some(-1022)]
        );
        assert_eq!(lowest_bit(5e-324), Some(-1074));
    }
}
