//! Gradients of single examples, rounded to integers and added up where they lie, for the Python package's
//! `certus.torch`.

use certus_gpu_kernel::rounding::Rounding;

use crate::{device::Device, driver::Stream, error::GpuError, launches::THREADS};

/// How many threads there are in each of the thread blocks of [`Device::round_at`].
pub const ROUNDING_THREADS: u32 = THREADS;

impl Device {
    /// Queues the rounding and addition of gradients, in a stream, in so many thread blocks; it has not ended
    /// when this returns.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    ///
    /// # Safety
    ///
    /// The pointers are addresses in the primary context of this device, with what [`Rounding`] says behind
    /// them for `blocks` times [`ROUNDING_THREADS`] threads, and nothing else reads or writes it meanwhile but
    /// what is queued in `stream`, which is a stream of that context.
    pub unsafe fn round_at(&self, mut of: Rounding, blocks: u32, stream: Stream) -> Result<(), GpuError> {
        if of.length == 0 || of.examples == 0 || blocks == 0 {
            return Ok(());
        }
        let kernel = self.kernel("round_f32")?;
        let _current = self.context().enter()?;
        // SAFETY: the caller's; the kernel takes this alone.
        unsafe { kernel.launch(stream, blocks, ROUNDING_THREADS, &mut [(&raw mut of).cast()]) }
    }
}

#[cfg(test)]
#[expect(clippy::float_arithmetic, reason = "gradients are floats")]
mod tests {
    use certus_gpu_kernel::{
        launch::Thread,
        rounding::{Rounding, halvings, round, rounded},
    };

    const BOUND: i32 = 1 << 20;

    /// Sums, and each example's sum of squares, of the kernel's body run thread by thread.
    fn on_host(rows: &[f32], factors: &[f32], halved: &[i64], weights: &[i64], size: u32) -> (Vec<i64>, Vec<i64>) {
        let (examples, length) = (factors.len(), rows.len() / factors.len());
        let blocks = 2;
        let threads = (blocks * size) as usize;
        let (mut sums, mut squares) = (vec![0; length], vec![0; examples * threads]);
        let of = Rounding {
            rows: rows.as_ptr(),
            factors: factors.as_ptr(),
            halvings: halved.as_ptr(),
            weights: weights.as_ptr(),
            sums: sums.as_mut_ptr(),
            squares: squares.as_mut_ptr(),
            length: length as u64,
            examples: examples as u32,
            bound: BOUND,
        };
        for block in 0..blocks {
            for index in 0..size {
                // SAFETY: the vectors have as many numbers as the shape says.
                unsafe { round(&of, Thread { block, index, blocks, size }) };
            }
        }
        (sums, squares.chunks(threads).map(|part| part.iter().sum()).collect())
    }

    /// Every coordinate of every example is added once, whatever the number of threads, and so is its square.
    #[test]
    fn all_coordinates_are_rounded_and_added() {
        let length = 131;
        let rows: Vec<f32> = (0..3 * length).map(|i| (i as f32 - 200.0) * 1.75).collect();
        let (factors, halved, weights) = ([1.0, 2.5, 3.0], [0, 1, 3], [1, -1, 0]);
        let z = |example: usize, at: usize| -> i64 {
            let steps = f64::from(rows[example * length + at] * factors[example]).trunc() as i64;
            steps / (1 << halved[example])
        };
        for size in [1, 3, 8, 200] {
            let (sums, squares) = on_host(&rows, &factors, &halved, &weights, size);
            for (at, sum) in sums.iter().enumerate() {
                assert_eq!(
                    *sum,
                    (0..3).map(|example| z(example, at) * weights[example]).sum::<i64>(),
                    "size {size}, {at}"
                );
            }
            for (example, square) in squares.iter().enumerate() {
                assert_eq!(*square, (0..length).map(|at| z(example, at).pow(2)).sum::<i64>());
            }
        }
    }

    /// Towards zero, clamped at both ends, NaN to 0; halving ends at 0 on both sides.
    #[test]
    fn the_rule_is_total() {
        let of = |coordinate| rounded(coordinate, 1.0, BOUND, 0);
        assert_eq!([0.99, -0.99, 1.99, -1.99].map(of), [0, 0, 1, -1]);
        assert_eq!([1e30, -1e30, f32::INFINITY, f32::NEG_INFINITY].map(of), [BOUND, -BOUND, BOUND, -BOUND]);
        assert_eq!(of(f32::NAN), 0);
        for times in 0..=30 {
            for z in [-BOUND, -12_345, -9, -8, -7, -1, 0, 1, 7, 8, 9, 12_345, BOUND] {
                assert_eq!(rounded(z as f32, 1.0, BOUND, times), z / (1 << times), "{z} halved {times} times");
            }
        }
        assert_eq!([0, 1, 20, 30, 31, i64::MAX, -1].map(halvings), [0, 1, 20, 30, 30, 30, 0]);
    }

    /// Squares of a thread's many largest coordinates stop at the greatest number: they do not wrap.
    #[test]
    fn squares_do_not_wrap() {
        let mut squares = [i64::MAX - 5];
        let (rows, mut sums) = ([1e30_f32; 8], [0_i64; 8]);
        let of = Rounding {
            rows: rows.as_ptr(),
            factors: [1.0].as_ptr(),
            halvings: [0].as_ptr(),
            weights: [1].as_ptr(),
            sums: sums.as_mut_ptr(),
            squares: squares.as_mut_ptr(),
            length: 8,
            examples: 1,
            bound: BOUND,
        };
        // SAFETY: one thread, and as many numbers as that needs.
        unsafe { round(&of, Thread { block: 0, index: 0, blocks: 1, size: 1 }) };
        assert_eq!(squares, [i64::MAX]);
    }
}
