//! For measurements and tests on a GPU: time between two events of a stream, words of ChaCha20 alone, and
//! histograms on the device. No part of the API.

use certus_gpu_kernel::count::{CLASSES, Count};
use cudarc::driver::{result, sys};

use crate::{
    device::Device,
    driver::{self, Memory, Stream},
    error::GpuError,
    launches::{BLOCKS_PER_MULTIPROCESSOR, THREADS},
    tensor::Tensor,
};

/// Milliseconds that the default stream takes for what is queued in it meanwhile.
///
/// # Errors
///
/// Those of the work, and of the driver.
pub fn milliseconds(device: &Device, work: impl FnOnce() -> Result<(), GpuError>) -> Result<f64, GpuError> {
    let _current = device.context().enter()?;
    let failed = || GpuError::driver("measure time");
    let stream = Stream::default_stream();
    let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map_err(failed());
    let (before, after) = (event()?, event()?);
    // SAFETY: two events and a stream of the current context; the events are destroyed after their last use.
    unsafe {
        result::event::record(before, stream.0).map_err(failed())?;
        work()?;
        result::event::record(after, stream.0).map_err(failed())?;
        result::event::synchronize(after).map_err(failed())?;
        let elapsed = result::event::elapsed(before, after).map_err(failed())?;
        result::event::destroy(before).map_err(failed())?;
        result::event::destroy(after).map_err(failed())?;
        Ok(elapsed.into())
    }
}

/// Words of ChaCha20 alone.
#[derive(Debug)]
pub struct Bare {
    device: Device,
    key: Memory,
}

impl Bare {
    /// Under a key.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn new(device: &Device, key: &[u32; 8]) -> Result<Self, GpuError> {
        let on_device = Memory::new(device.context(), 32)?;
        let _current = device.context().enter()?;
        // SAFETY: the key's own memory.
        unsafe { driver::write(Stream::default_stream(), on_device.at(0), key) }?;
        Ok(Self { device: device.clone(), key: on_device })
    }

    /// Writes as many as the tensor has elements: a multiple of eight.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn fill(&self, out: &mut Tensor<i64>) -> Result<(), GpuError> {
        let _current = self.device.context().enter()?;
        let stream = Stream::default_stream();
        let (mut key, mut to, mut len) = (self.key.at::<u32>(0), out.address(), out.len() as u64);
        let blocks = self.device.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR;
        let arguments = &mut [(&raw mut key).cast(), (&raw mut to).cast(), (&raw mut len).cast()];
        // SAFETY: the kernel reads the key and writes the tensor, which are there until it is waited for.
        unsafe {
            self.device.kernel("bare_i64")?.launch(stream, blocks, THREADS, arguments)?;
            driver::wait(stream)
        }
    }
}

/// The words at which keys are on the device, for the time of a launch.
///
/// # Errors
///
/// If the driver fails, or nothing was launched.
pub fn key_words(device: &Device) -> Result<[u32; 8], GpuError> {
    let workspace = device.workspace();
    let _current = device.context().enter()?;
    let mut words = [0; 8];
    // SAFETY: a launch has written them.
    unsafe { driver::read(Stream::default_stream(), &mut words, workspace.key.at(0)) }?;
    Ok(words)
}

/// What is counted of samples.
#[derive(Clone, Copy, Debug)]
pub struct Bins {
    /// Bin j counts samples k with ⌊k/2^shift⌋ = least + j; the first and the last count those beyond, too.
    pub count: u32,
    /// As said.
    pub shift: u32,
    /// As said.
    pub least: i64,
    /// How many of the lowest bits are counted.
    pub low_bits: u32,
    /// Class c is of samples k with ⌊k/2^class_shift⌋ = c − 4; the first and the last are of those beyond, too.
    pub class_shift: u32,
}

impl Bins {
    /// How many counts there are.
    fn places(&self) -> usize {
        self.count as usize + (1 << self.low_bits) + (CLASSES * CLASSES) as usize
    }
}

/// How many of the samples are in each bin, have each pattern of lowest bits, and are in each pair of classes of
/// neighbours.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// Of each bin.
    pub bins: Vec<u64>,
    /// Of each pattern of lowest bits.
    pub low: Vec<u64>,
    /// Of classes (a, b) of samples 2i and 2i + 1, at 8a + b.
    pub pairs: Vec<u64>,
}

/// Counts what tensors hold, on the device, until it is asked for.
#[derive(Debug)]
pub struct Counter {
    device: Device,
    bins: Bins,
    copies: u32,
    counts: Memory,
}

impl Counter {
    /// For such bins.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn new(device: &Device, bins: Bins) -> Result<Self, GpuError> {
        let copies = device.multiprocessors() * 4;
        let counts = Memory::new(device.context(), copies as usize * bins.places() * 4)?;
        let _current = device.context().enter()?;
        let stream = Stream::default_stream();
        // SAFETY: the counts' own memory.
        unsafe {
            driver::clear(stream, counts.at(0), counts.bytes())?;
            driver::wait(stream)?;
        }
        Ok(Self { device: device.clone(), bins, copies, counts })
    }

    /// Adds what a tensor holds: an even number of samples, and of all tensors together fewer than 2^32 times
    /// the number of multiprocessors.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn add(&mut self, samples: &Tensor<i64>) -> Result<(), GpuError> {
        let _current = self.device.context().enter()?;
        let stream = Stream::default_stream();
        let mut count = Count {
            samples: samples.address(),
            len: samples.len() as u64,
            counts: self.counts.at(0),
            copies: self.copies,
            bins: self.bins.count,
            shift: self.bins.shift,
            low_bits: self.bins.low_bits,
            least: self.bins.least,
            class_shift: self.bins.class_shift,
            unused: 0,
        };
        let kernel = self.device.kernel("count_i64")?;
        // SAFETY: the kernel reads the samples and adds to the counts, which were cleared, and of which there are
        // as many as it is told; they are there until it is waited for.
        unsafe {
            kernel.launch(stream, self.copies, THREADS, &mut [(&raw mut count).cast()])?;
            driver::wait(stream)
        }
    }

    /// What was counted.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn histogram(&self) -> Result<Histogram, GpuError> {
        let _current = self.device.context().enter()?;
        let mut counts = vec![0_u32; self.copies as usize * self.bins.places()];
        // SAFETY: as many counts are there, which were cleared.
        unsafe { driver::read(Stream::default_stream(), &mut counts, self.counts.at(0)) }?;
        let mut sums = vec![0_u64; self.bins.places()];
        for copy in counts.chunks_exact(self.bins.places()) {
            for (sum, &count) in sums.iter_mut().zip(copy) {
                *sum += u64::from(count);
            }
        }
        let pairs = sums.split_off(self.bins.count as usize + (1 << self.bins.low_bits));
        let low = sums.split_off(self.bins.count as usize);
        Ok(Histogram { bins: sums, low, pairs })
    }
}
