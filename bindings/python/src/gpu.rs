//! Noise onto what lies on a GPU, for `certus.torch`: by address and stream, in the device's primary context,
//! which is PyTorch's.
//!
//! The driver is loaded, and the kernels are compiled, at the first use of a device. A device is kept for as long
//! as the process lives, and a sampler's tables on a device for as long as the sampler does: a step of training
//! builds neither. Every call has a key of its own, fresh from the operating system, so that no two calls and no
//! two processes share a sample.

#![expect(unsafe_code, reason = "an address is Python's word for what is there: one block, with its argument")]

use std::sync::{Arc, Mutex, PoisonError};

use certus::{
    bits::{BitsError, Key},
    sample::{GaussianNoise, LaplaceNoise},
};
use certus_gpu::{Device, Element, GpuError, Prepared, Stream};
use pyo3::{
    exceptions::{PyOverflowError, PyRuntimeError, PyValueError},
    prelude::*,
};

use crate::{
    noise::{Drawn, Noise},
    number::refused,
    source::{Seeded, draw, failed},
};

/// What was made for a device, by the device's number.
type ByDevice<T> = Mutex<Vec<(usize, T)>>;

/// A sampler's tables on the devices that it was used on.
pub(crate) type OnGpus = ByDevice<Arc<certus_gpu::Noise>>;

/// The devices that were used.
static DEVICES: ByDevice<Device> = Mutex::new(Vec::new());

/// What is kept for a device, made at the first use. What cannot be made is tried again by the next call.
fn kept<T: Clone>(
    by_device: &ByDevice<T>,
    device: usize,
    make: impl FnOnce() -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    let mut kept = by_device.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, of_it)) = kept.iter().find(|(number, _)| *number == device) {
        return Ok(of_it.clone());
    }
    let made = make()?;
    kept.push((device, made.clone()));
    Ok(made)
}

/// A device, which is started at its first use.
pub(crate) fn device(number: usize) -> Result<Device, GpuError> {
    kept(&DEVICES, number, || Device::new(number))
}

/// Integers on a GPU, as Python tells of them.
struct Place {
    address: usize,
    length: u64,
    device: usize,
    stream: usize,
}

/// What becomes of them.
#[derive(Clone, Copy)]
enum Work {
    Add,
    Fill,
}

impl Place {
    /// Adds noise to what is there, or fills it; the answer is how many sums were clamped.
    fn draw<T: Element>(&self, noise: &Noise, work: Work, source: Option<&Seeded>) -> Result<u64, GpuError> {
        let tables = kept(&noise.on_gpus, self.device, || {
            let device = device(self.device)?;
            device.prepare(prepared(noise).ok_or(GpuError::NoTables)?).map(Arc::new)
        })?;
        let range = draw::<_, BitsError>(source, |bits| Key::drawn_from(bits)?.range(self.length))?;
        let first = std::ptr::without_provenance_mut::<T>(self.address);
        // SAFETY: `certus.torch` gives the address of a contiguous tensor of `length` elements of this type in
        // this device's primary context, which it holds until this returns, and the handle of its own current
        // stream of that context, in which PyTorch orders whatever else uses the tensor. Nothing else does
        // meanwhile, as with any operation in place: whoever has the tensor on two streams has to order them.
        unsafe {
            let stream = Stream::from_raw(std::ptr::without_provenance_mut(self.stream));
            match work {
                Work::Add => tables.add_noise_at(range, first, self.length, stream),
                Work::Fill => tables.fill_at(range, first, self.length, stream).map(|()| 0),
            }
        }
    }
}

/// The tables that go on a GPU; nothing for noise that is drawn without.
fn prepared(noise: &Noise) -> Option<Prepared> {
    match &noise.drawn {
        Drawn::Laplace(LaplaceNoise::Prepared(noise)) => Some(noise.into()),
        Drawn::Gaussian(GaussianNoise::Prepared(noise)) => Some(noise.into()),
        Drawn::Laplace(_) | Drawn::Gaussian(_) => None,
    }
}

/// Draws without the interpreter's lock, into 32 or 64 bits.
fn draw_onto(
    py: Python<'_>,
    noise: &Noise,
    place: &Place,
    bits: u32,
    work: Work,
    source: Option<&Bound<'_, Seeded>>,
) -> PyResult<u64> {
    let source = source.map(Bound::get);
    let drawn = match bits {
        32 => py.detach(|| place.draw::<i32>(noise, work, source)),
        64 => py.detach(|| place.draw::<i64>(noise, work, source)),
        _ => return Err(refused("bits", "must be 32 or 64")),
    };
    drawn.map_err(raised)
}

/// What is raised.
pub(crate) fn raised(error: GpuError) -> PyErr {
    match error {
        GpuError::Bits(error) => failed(error),
        GpuError::NoTables => PyValueError::new_err(
            "noise: must be of the prepared sampler, with a scale or sigma of at most 2^63, on a GPU",
        ),
        GpuError::Length { .. } | GpuError::Alignment { .. } => PyValueError::new_err(error.to_string()),
        GpuError::TooWide => PyOverflowError::new_err(error.to_string()),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Adds an independent sample to each of `length` integers of so many bits at an address of a GPU, in a stream;
/// sums are clamped, and the answer is how many were.
///
/// Where noise cannot be drawn the integers are 0, as far as the driver still obeys; where the GPU, the tables or
/// the bits are not to be had beforehand, they are what they were.
#[pyfunction(name = "_gpu_add_noise")]
#[pyo3(signature = (noise, address, length, bits, device, stream, *, source=None))]
#[expect(clippy::too_many_arguments, reason = "numbers that only a tensor has together")]
pub(crate) fn gpu_add_noise(
    py: Python<'_>,
    noise: &Bound<'_, Noise>,
    address: usize,
    length: u64,
    bits: u32,
    device: usize,
    stream: usize,
    source: Option<&Bound<'_, Seeded>>,
) -> PyResult<u64> {
    draw_onto(py, noise.get(), &Place { address, length, device, stream }, bits, Work::Add, source)
}

/// Writes independent samples, as `_gpu_add_noise` adds them; OverflowError if one does not fit.
#[pyfunction(name = "_gpu_fill")]
#[pyo3(signature = (noise, address, length, bits, device, stream, *, source=None))]
#[expect(clippy::too_many_arguments, reason = "numbers that only a tensor has together")]
pub(crate) fn gpu_fill(
    py: Python<'_>,
    noise: &Bound<'_, Noise>,
    address: usize,
    length: u64,
    bits: u32,
    device: usize,
    stream: usize,
    source: Option<&Bound<'_, Seeded>>,
) -> PyResult<()> {
    let place = Place { address, length, device, stream };
    draw_onto(py, noise.get(), &place, bits, Work::Fill, source).map(drop)
}
