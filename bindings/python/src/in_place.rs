//! Noise onto integers where they lie, for `certus.torch`: sums that leave their type are clamped to its ends.
//!
//! Adding and clamping is post-processing of the exact noisy sum, so that it costs no privacy. Whoever needs to
//! know whether it happened looks at the noisy values.

use certus::bits::BitsError;
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::{
    noise::{Noise, pool},
    number::refused,
    source::{Seeded, draw, failed},
};

/// How many values of 32 bits are widened at a time.
const CHUNK: usize = 1 << 20;

/// Adds an independent sample to each value of a contiguous array of int64 or int32, in place; sums are clamped.
///
/// If the source of randomness fails, every value is 0: those that had no noise yet are private.
#[pyfunction(name = "_add_in_place")]
#[pyo3(signature = (noise, values, *, threads=None, source=None))]
pub(crate) fn add_in_place(
    py: Python<'_>,
    noise: &Bound<'_, Noise>,
    values: &Bound<'_, PyAny>,
    threads: Option<&Bound<'_, PyAny>>,
    source: Option<&Bound<'_, Seeded>>,
) -> PyResult<()> {
    let noise = noise.get();
    let pool = threads.map(|threads| pool(threads, noise)).transpose()?;
    let source = source.map(Bound::get);
    let busy = |_| refused("values", "must be writable, and not in use by another call");
    let apart = |_| refused("values", "must be contiguous");
    if let Ok(wide) = values.cast::<PyArrayDyn<i64>>() {
        let mut borrowed = wide.try_readwrite().map_err(busy)?;
        let values = borrowed.as_slice_mut().map_err(apart)?;
        let added = py.detach(|| {
            draw(source, |bits| noise.add_clamped(bits, pool.as_ref(), values)).inspect_err(|_| values.fill(0))
        });
        return added.map_err(failed);
    }
    let must = |_| refused("values", "must be an array of int64 or int32");
    let mut borrowed = values.cast::<PyArrayDyn<i32>>().map_err(must)?.try_readwrite().map_err(busy)?;
    let values = borrowed.as_slice_mut().map_err(apart)?;
    py.detach(|| add_narrow(noise, source, pool.as_ref(), values)).map_err(failed)
}

/// To 32 bits: exact sums in 64 bits, then clamped.
fn add_narrow(
    noise: &Noise,
    source: Option<&Seeded>,
    pool: Option<&ThreadPool>,
    values: &mut [i32],
) -> Result<(), BitsError> {
    let mut wide = vec![0; CHUNK.min(values.len())];
    let added = draw(source, |bits| {
        values.chunks_mut(CHUNK).try_for_each(|values| {
            let wide = wide.get_mut(..values.len()).unwrap_or_default();
            wide.iter_mut().zip(&*values).for_each(|(wide, value)| *wide = i64::from(*value));
            noise.add_clamped(bits, pool, wide)?;
            values.iter_mut().zip(&*wide).for_each(|(value, wide)| *value = narrow(*wide));
            Ok(())
        })
    });
    added.inspect_err(|_| values.fill(0))
}

/// The nearest number of 32 bits.
fn narrow(wide: i64) -> i32 {
    i32::try_from(wide).unwrap_or(if wide < 0 { i32::MIN } else { i32::MAX })
}
