//! The private sum of a step: each sentence's gradient clipped onto a grid, exact noise on the sum.

use certus::{
    bits::{Bits, BitsError},
    sample::PreparedGaussian,
};

/// How many grid units the norm to which gradients are clipped has.
pub const RESOLUTION: u32 = 1 << 16;

/// A record's gradient: values from a place on, and 0 elsewhere.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// The place of the first value.
    pub first: usize,
    /// The values.
    pub values: Vec<f64>,
}

/// A gradient clipped to norm 1, in units of 1/[`RESOLUTION`]: integers v with Σ v² ≤ RESOLUTION².
///
/// Coordinates are rounded towards 0, so the norm does not grow; and the sum of squares is computed on integers and checked, so that the bound holds
/// whatever the floats before it did (a gradient that is infinite or no number becomes 0). The sensitivity of the sum is hence *exactly* at most
/// RESOLUTION grid units: nothing has to be added for the rounding.
pub fn clipped(gradient: &[f64]) -> Vec<i64> {
    let most = u128::from(RESOLUTION) * u128::from(RESOLUTION);
    let norm = gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut scale = f64::from(RESOLUTION) / norm.max(1.0);
    if !norm.is_finite() {
        return vec![0; gradient.len()];
    }
    loop {
        // A cast saturates, and it rounds towards 0.
        let rounded: Vec<i64> = gradient.iter().map(|x| (x * scale) as i64).collect();
        let squares = rounded.iter().map(|v| u128::from(v.unsigned_abs()).saturating_mul(v.unsigned_abs().into()));
        if squares.fold(0_u128, u128::saturating_add) <= most {
            return rounded;
        }
        scale *= 0.999_999;
    }
}

/// A gradient in units of 1/[`RESOLUTION`], rounded towards 0 and not clipped: a planted bug.
pub fn rounded(gradient: &[f64]) -> Vec<i64> {
    gradient.iter().map(|x| (x * f64::from(RESOLUTION)) as i64).collect()
}

/// The sum of gradients, each on the grid as `on_grid` has it ([`clipped`]), with noise where there is some, as
/// floats in units of the clipping norm.
pub fn summed(
    gradients: &[Gradient],
    weights: usize,
    on_grid: fn(&[f64]) -> Vec<i64>,
    noise: Option<&PreparedGaussian>,
    bits: &mut impl Bits,
) -> Result<Vec<f64>, BitsError> {
    let mut sum = vec![0_i64; weights];
    for gradient in gradients {
        for (total, v) in sum.iter_mut().skip(gradient.first).zip(on_grid(&gradient.values)) {
            *total = total.saturating_add(v);
        }
    }
    if let Some(noise) = noise {
        noise.add_noise(bits, &mut sum)?;
    }
    Ok(sum.into_iter().map(|v| v as f64 / f64::from(RESOLUTION)).collect())
}

/// The sum of gradients as they are.
pub fn added(gradients: &[Gradient], weights: usize) -> Vec<f64> {
    let mut sum = vec![0.0; weights];
    for gradient in gradients {
        for (total, x) in sum.iter_mut().skip(gradient.first).zip(&gradient.values) {
            *total += x;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gradients long and short, at the bound, spread over many coordinates, and broken ones: never above the bound, and near it where they should be.
    #[test]
    fn a_clipped_gradient_is_within_the_bound() {
        let norm = |v: &[i64]| v.iter().map(|v| v.unsigned_abs() as u128 * v.unsigned_abs() as u128).sum::<u128>();
        let most = u128::from(RESOLUTION).pow(2);
        for (size, by) in [(1, 1.0), (1, 1e300), (3, 7.0), (20_000, 0.3), (20_000, 1e-9), (2, f64::MAX), (5, 1e-320)] {
            let gradient: Vec<f64> = (0..size).map(|k| by * f64::from(k % 7 - 3 + i32::from(size < 7) * 4)).collect();
            let v = clipped(&gradient);
            assert!(norm(&v) <= most, "{size} {by}");
            let long = gradient.iter().map(|x| x * x).sum::<f64>() >= 1.0 && by < 1e100;
            assert!(!long || norm(&v) as f64 >= 0.98 * most as f64, "{size} {by}");
        }
        assert_eq!(clipped(&[f64::NAN, 1.0]), [0, 0]);
        assert_eq!(clipped(&[f64::INFINITY, 1.0]), [0, 0]);
        assert_eq!(clipped(&[-0.5, 0.25]), [-(i64::from(RESOLUTION) / 2), i64::from(RESOLUTION) / 4]);
    }
}
