#![doc = include_str!("../README.md")]

#[cfg(test)]
mod by_thread;
mod device;
mod driver;
mod element;
mod error;
mod launches;
#[doc(hidden)]
pub mod measure;
mod noise;
mod ptx;
mod rounding;
mod tables;
mod tensor;

pub use device::Device;
pub use driver::Stream;
pub use element::Element;
pub use error::GpuError;
pub use noise::Noise;
pub use rounding::ROUNDING_THREADS;
pub use tables::Prepared;
pub use tensor::Tensor;

pub use certus_gpu_kernel::rounding::Rounding;
