//! Tensors of one's own, in the device's memory.

use std::marker::PhantomData;

use crate::{
    device::Device,
    driver::{self, Memory, Stream},
    element::Element,
    error::GpuError,
};

/// Elements in a device's memory, for those who have none from elsewhere.
#[derive(Debug)]
pub struct Tensor<T> {
    device: Device,
    memory: Memory,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> Tensor<T> {
    /// So many zeros.
    ///
    /// # Errors
    ///
    /// If the driver fails; if there is not so much memory, say.
    pub fn zeros(device: &Device, len: usize) -> Result<Self, GpuError> {
        let bytes = len
            .checked_mul(size_of::<T>())
            .ok_or(GpuError::Driver { action: "reserve memory", reason: "so many elements have no address".into() })?;
        let memory = Memory::new(device.context(), bytes)?;
        let _current = device.context().enter()?;
        // SAFETY: the context is current, and the memory has so many bytes.
        unsafe {
            driver::clear(Stream::default_stream(), memory.at(0), memory.bytes())?;
            driver::wait(Stream::default_stream())?;
        }
        Ok(Self { device: device.clone(), memory, len, element: PhantomData })
    }

    /// A copy of a slice.
    ///
    /// # Errors
    ///
    /// As [`zeros`](Self::zeros).
    pub fn from_slice(device: &Device, from: &[T]) -> Result<Self, GpuError> {
        let tensor = Self::zeros(device, from.len())?;
        let _current = device.context().enter()?;
        // SAFETY: the context is current, and the memory has so many elements.
        unsafe { driver::write(Stream::default_stream(), tensor.memory.at::<T>(0), from) }?;
        Ok(tensor)
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address of the first element, on the device.
    #[must_use]
    pub fn address(&self) -> *mut T {
        self.memory.at(0)
    }

    /// Copies elements from `first` on into a slice.
    ///
    /// # Errors
    ///
    /// If there are not so many, or the driver fails.
    pub fn read(&self, first: usize, to: &mut [T]) -> Result<(), GpuError> {
        if first.checked_add(to.len()).is_none_or(|end| end > self.len) {
            return Err(GpuError::Length { len: self.len as u64, range: to.len() as u64 });
        }
        let _current = self.device.context().enter()?;
        // SAFETY: the context is current, and as many elements are there, which were zeros at first.
        unsafe { driver::read(Stream::default_stream(), to, self.address().wrapping_add(first)) }
    }

    /// All elements.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn to_vec(&self) -> Result<Vec<T>, GpuError> {
        let mut all = vec![T::default(); self.len];
        self.read(0, &mut all)?;
        Ok(all)
    }
}
