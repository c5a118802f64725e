//! Dinur and Nissim 2003: secret bits from counts over random subsets, by least squares.

use certus::{
    bits::Bits,
    exact::Positive,
    sample::{Laplace, Program},
};

use crate::CaseError;

/// What is attacked.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// How many people have a secret bit each.
    pub people: usize,
    /// How many subsets are counted.
    pub queries: usize,
}

impl Counts {
    /// The fraction of the people whose bit is found from counts with discrete Laplace noise of this scale, or with none.
    ///
    /// The attacker knows each subset (half of the people, at random) and its noisy count. He minimises Σ (Σ_{i in subset} x_i − count)² and says 1 where x_i > 1/2.
    pub fn recovered(&self, scale: Option<&Positive>, bits: &mut impl Bits) -> Result<f64, CaseError> {
        let noise = scale.map(Laplace::new);
        let secret = (0..self.people).map(|_| Ok(bits.take(1)? == 1)).collect::<Result<Vec<bool>, CaseError>>()?;
        let (mut subsets, mut counts) = (Vec::new(), Vec::new());
        for _ in 0..self.queries {
            let subset = secret.iter().map(|_| Ok(bits.take(1)? == 1)).collect::<Result<Vec<bool>, CaseError>>()?;
            let count = subset.iter().zip(&secret).filter(|(is_in, bit)| **is_in && **bit).count() as f64;
            let drawn = match &noise {
                Some(noise) => noise.sample(bits)?.to_string().parse::<f64>().unwrap_or(0.0),
                None => 0.0,
            };
            subsets.push(subset);
            counts.push(count + drawn);
        }
        let found = least_squares(&subsets, &counts, self.people);
        let right = found.iter().zip(&secret).filter(|(x, bit)| (**x > 0.5) == **bit).count();
        Ok(right as f64 / self.people as f64)
    }
}

/// The x that minimises |Ax − b|² for a matrix of bits, by conjugate gradients on AᵀAx = Aᵀb (Hestenes and Stiefel 1952): exact after as many steps as x has entries, but
/// for rounding, and then some.
fn least_squares(matrix: &[Vec<bool>], b: &[f64], columns: usize) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let times = |x: &[f64]| -> Vec<f64> {
        matrix.iter().map(|row| row.iter().zip(x).map(|(is_in, x)| if *is_in { *x } else { 0.0 }).sum()).collect()
    };
    let transposed = |y: &[f64]| -> Vec<f64> {
        let mut sums = vec![0.0; columns];
        for (row, y) in matrix.iter().zip(y) {
            for (sum, is_in) in sums.iter_mut().zip(row) {
                *sum += if *is_in { *y } else { 0.0 };
            }
        }
        sums
    };
    let mut x = vec![0.0; columns];
    let mut rest = transposed(b);
    let mut direction = rest.clone();
    let (start, mut size) = (dot(&rest, &rest), dot(&rest, &rest));
    for _ in 0..2 * columns {
        if size <= 1e-20 * start {
            break;
        }
        let image = transposed(&times(&direction));
        let far = size / dot(&direction, &image);
        for ((x, rest), (direction, image)) in x.iter_mut().zip(&mut rest).zip(direction.iter().zip(&image)) {
            *x += far * direction;
            *rest -= far * image;
        }
        let next = dot(&rest, &rest);
        for (direction, rest) in direction.iter_mut().zip(&rest) {
            *direction = rest + next / size * *direction;
        }
        size = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    /// Without noise the counts are met exactly, by the bits themselves; with it, the rest is at right angles to every column.
    #[test]
    fn least_squares_are_least() {
        let mut bits = random::bits(3, "subsets", 0);
        let matrix: Vec<Vec<bool>> = (0..90).map(|_| (0..30).map(|_| bits.take(1).unwrap() == 1).collect()).collect();
        let b: Vec<f64> = (0..90).map(|_| bits.take(6).unwrap() as f64).collect();
        let x = least_squares(&matrix, &b, 30);
        for column in 0..30 {
            let along: f64 = matrix
                .iter()
                .zip(&b)
                .filter(|(row, _)| row[column])
                .map(|(row, b)| b - row.iter().zip(&x).map(|(is_in, x)| f64::from(*is_in) * x).sum::<f64>())
                .sum();
            assert!(along.abs() < 1e-6, "{column}: {along}");
        }
        let counts = Counts { people: 40, queries: 160 };
        assert_eq!(counts.recovered(None, &mut bits).unwrap(), 1.0);
    }
}
