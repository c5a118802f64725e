//! Gradients of single examples onto the integer grid, and into their sum: the processor's form of the rule
//! that `certus/torch/rounding.py` states.
//!
//! This is the one file of the package with float arithmetic: a multiplication, and a rounding. It decides nothing about
//! privacy, as whatever it gives is rounded to an integer in [−bound, bound], and what is bounded is the
//! integers' own norm, which the caller compares.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use rayon::prelude::*;

use crate::number::refused;

/// The largest bound: 2^20 steps a clip norm.
pub(crate) const MOST_BOUND: i64 = 1 << 20;

/// How many coordinates are taken at a time: few enough that their sums stay in the processor's first cache,
/// and that the squares of 2^12 numbers of at most 2^20 are at most 2^52 together, far below a wrap.
const BLOCK: usize = 1 << 12;

/// 2^23: floats from here to 2^24 are the integers.
const UNIT: f32 = 8_388_608.0;

/// The fewest numbers for which threads pay.
const FEW: usize = 1 << 20;

/// Adds `weight`·z to `sums` for every example, where z is its gradient times `factor`, truncated towards zero
/// to an integer in [−bound, bound] (NaN to 0) and then divided by 2^`halvings`, towards zero; and adds Σ z² to
/// its `squares`, which stop at bound² + 1. A weight is −1, 0 or 1.
#[pyfunction(name = "_add_rounded")]
#[pyo3(signature = (gradients, factors, halvings, weights, bound, sums, squares, *, threads=1))]
#[expect(clippy::too_many_arguments, reason = "one array for each part of the rule, for certus.torch alone")]
pub(crate) fn add_rounded(
    py: Python<'_>,
    gradients: PyReadonlyArray2<'_, f32>,
    factors: PyReadonlyArray1<'_, f32>,
    halvings: PyReadonlyArray1<'_, i64>,
    weights: PyReadonlyArray1<'_, i64>,
    bound: i64,
    mut sums: PyReadwriteArray1<'_, i64>,
    mut squares: PyReadwriteArray1<'_, i64>,
    threads: usize,
) -> PyResult<()> {
    if !(1..=MOST_BOUND).contains(&bound) {
        return Err(refused("bound", "must be an integer from 1 to 1048576"));
    }
    let apart = |name: &'static str| move |_| refused(name, "must be contiguous");
    let gradients = gradients.as_slice().map_err(apart("gradients"))?;
    let (factors, weights) =
        (factors.as_slice().map_err(apart("factors"))?, weights.as_slice().map_err(apart("weights"))?);
    let halvings = halvings.as_slice().map_err(apart("halvings"))?;
    let (sums, squares) =
        (sums.as_slice_mut().map_err(apart("sums"))?, squares.as_slice_mut().map_err(apart("squares"))?);
    let examples = squares.len();
    let lengths = [factors.len(), halvings.len(), weights.len()];
    if lengths != [examples; 3] || Some(gradients.len()) != examples.checked_mul(sums.len()) {
        return Err(refused("gradients", "must be a row of as many coordinates as sums for every example"));
    }
    let rules: Vec<Rule> = factors
        .iter()
        .zip(halvings)
        .zip(weights)
        .map(|((factor, halvings), weight)| Rule {
            factor: *factor,
            bound: to_f32(bound),
            halved: halved(*halvings),
            weight: *weight,
        })
        .collect();
    let rounded = Gradients { rows: gradients, length: sums.len(), rules };
    py.detach(|| {
        if threads <= 1 || gradients.len() < FEW {
            rounded.add(sums, 0, squares, bound);
            return Ok(());
        }
        let failed = |error| PyRuntimeError::new_err(format!("threads: {error}"));
        // Threads of this call alone: a pool that outlives it would be gone in a forked child.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)?;
        let part = sums.len().div_ceil(threads).next_multiple_of(BLOCK);
        let parts: Vec<Vec<i64>> = pool.install(|| {
            let parts = sums.par_chunks_mut(part).enumerate().map(|(index, sums)| {
                let mut squares = vec![0; examples];
                rounded.add(sums, index.saturating_mul(part), &mut squares, bound);
                squares
            });
            parts.collect()
        });
        for part in parts {
            squares.iter_mut().zip(part).for_each(|(square, more)| *square = stopped(*square, more, bound));
        }
        Ok(())
    })
}

/// What is done to one example's coordinates.
struct Rule {
    factor: f32,
    bound: f32,
    /// 2^halvings; any number of them above 31 leaves nothing of 21 bits.
    halved: i32,
    weight: i64,
}

impl Rule {
    /// The integer of a coordinate: what `(coordinate * factor) as i32`, clamped, is, in instructions that every
    /// processor has for several numbers at once.
    ///
    /// The magnitude is clamped to the bound, at most 2^20, and NaN to 0. In a + 2^23, a float of 24 bits, the last
    /// bit is a unit: it is a rounded to the nearest integer, and one less where that is above a. The sign comes
    /// back as −r = !r + 1. Division truncates towards zero too, so that −1 halves to 0.
    #[inline]
    #[expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "the file's first paragraph; r ≤ 2^20")]
    fn round(&self, coordinate: f32) -> i32 {
        let steps = coordinate * self.factor;
        let magnitude = steps.abs();
        let magnitude = if magnitude < self.bound { magnitude } else { self.bound };
        let magnitude = if steps.is_nan() { 0.0 } else { magnitude };
        let nearest = (magnitude + UNIT).to_bits().wrapping_sub(UNIT.to_bits()).cast_signed();
        let below = nearest.wrapping_sub(i32::from(nearest as f32 > magnitude));
        let sign = steps.to_bits().cast_signed() >> 31;
        (below ^ sign).wrapping_sub(sign)
    }
}

/// Rows of gradients, one for each rule.
struct Gradients<'a> {
    rows: &'a [f32],
    length: usize,
    rules: Vec<Rule>,
}

impl Gradients<'_> {
    /// Adds the coordinates from `first` on to `sums`, and their squares to `squares`.
    fn add(&self, sums: &mut [i64], first: usize, squares: &mut [i64], bound: i64) {
        for (block, sums) in sums.chunks_mut(BLOCK).enumerate() {
            let first = first.saturating_add(block.saturating_mul(BLOCK));
            let rows = self.rows.chunks_exact(self.length.max(1));
            for ((row, rule), square) in rows.zip(&self.rules).zip(&mut *squares) {
                let row = row.get(first..).unwrap_or_default();
                *square = stopped(*square, add_row(row, rule, sums), bound);
            }
        }
    }
}

/// Adds one example's coordinates to a block of sums; the answer is the sum of their squares.
///
/// A block has at most 2^12 numbers of at most 2^20, so the sum of squares is at most 2^52. The additions to
/// `sums` wrap where 2^43 examples would have gone before, which no machine has seen.
fn add_row(row: &[f32], rule: &Rule, sums: &mut [i64]) -> i64 {
    let mut integers = [0; BLOCK];
    let integers = integers.get_mut(..row.len().min(sums.len())).unwrap_or_default();
    integers.iter_mut().zip(row).for_each(|(z, coordinate)| *z = rule.round(*coordinate));
    // Almost no example is halved.
    if rule.halved > 1 {
        integers.iter_mut().for_each(|z| *z = z.checked_div(rule.halved).unwrap_or(0));
    }
    let square = integers.iter().fold(0_u64, |square, z| {
        let magnitude = u64::from(z.unsigned_abs());
        square.wrapping_add(magnitude.wrapping_mul(magnitude))
    });
    let pairs = sums.iter_mut().zip(integers);
    if rule.weight == 1 {
        pairs.for_each(|(sum, z)| *sum = sum.wrapping_add(i64::from(*z)));
    } else {
        pairs.for_each(|(sum, z)| *sum = sum.wrapping_add(i64::from(*z).wrapping_mul(rule.weight)));
    }
    i64::try_from(square).unwrap_or(i64::MAX)
}

/// The sum, which stops at bound² + 1: a block above the bound's square fails before it is added.
fn stopped(square: i64, block: i64, bound: i64) -> i64 {
    let over = bound.saturating_mul(bound).saturating_add(1);
    if block >= over { over } else { square.saturating_add(block).min(over) }
}

/// A bound of at most 2^20.
pub(crate) fn to_i32(bound: i64) -> i32 {
    i32::try_from(bound).unwrap_or(i32::MAX)
}

/// A bound of at most 2^20, which a float holds.
#[expect(clippy::cast_precision_loss, reason = "24 bits are enough for it")]
fn to_f32(bound: i64) -> f32 {
    bound as f32
}

/// 2^halvings, or 2^30, which leaves nothing of a number below 2^30.
fn halved(halvings: i64) -> i32 {
    u32::try_from(halvings).ok().and_then(|halvings| 1_i32.checked_shl(halvings.min(30))).unwrap_or(1 << 30)
}
