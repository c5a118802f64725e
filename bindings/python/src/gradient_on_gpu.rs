//! Gradients of single examples on a GPU onto the integer grid, and into their sum, for `certus.torch`.

#![expect(unsafe_code, reason = "an address is Python's word for what is there: one block, with its argument")]

use certus_gpu::{Rounding, Stream};
use pyo3::prelude::*;
use std::ptr::without_provenance_mut;

use crate::{
    gpu::{device, raised},
    gradient::{MOST_BOUND, to_i32},
    number::refused,
};

/// As `_add_rounded`, of tensors at these addresses of a GPU: gradients, factors, halvings, weights, sums, and
/// for each example the sum of squares that each thread of so many thread blocks saw.
///
/// It is queued in the stream, and has not ended when this returns.
#[pyfunction(name = "_gpu_add_rounded")]
#[expect(clippy::too_many_arguments, reason = "numbers that only tensors have together")]
pub(crate) fn gpu_add_rounded(
    py: Python<'_>,
    addresses: [usize; 6],
    length: u64,
    examples: u32,
    bound: i64,
    blocks: u32,
    device: usize,
    stream: usize,
) -> PyResult<()> {
    if !(1..=MOST_BOUND).contains(&bound) {
        return Err(refused("bound", "must be an integer from 1 to 1048576"));
    }
    let queued = py.detach(|| {
        let device = self::device(device)?;
        let [rows, factors, halvings, weights, sums, squares] = addresses;
        let of = Rounding {
            rows: without_provenance_mut(rows),
            factors: without_provenance_mut(factors),
            halvings: without_provenance_mut(halvings),
            weights: without_provenance_mut(weights),
            sums: without_provenance_mut(sums),
            squares: without_provenance_mut(squares),
            length,
            examples,
            bound: to_i32(bound),
        };
        // SAFETY: `certus.torch` gives the addresses of contiguous tensors of this device's primary context, of
        // the types and lengths that `Rounding` says, and the handle of its own current stream of that context,
        // in which PyTorch orders whatever else uses them, the reuse of their memory included.
        unsafe { device.round_at(of, blocks, Stream::from_raw(without_provenance_mut(stream))) }
    });
    queued.map_err(raised)
}
