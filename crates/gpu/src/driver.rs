//! The few calls of CUDA's driver that are made here, each in a function that says what it needs.
//!
//! A thread has a *current* context, on which calls act. Here it is set for a scope and put back after, since
//! others, PyTorch among them, take theirs for granted. The context is the device's primary one, which PyTorch,
//! JAX and CuPy use: their pointers and streams are valid in it.

use std::{ffi::CString, marker::PhantomData, sync::Arc};

use cudarc::driver::{result, sys};

use crate::error::{GpuError, reason};

/// A stream of the caller's: `cudaStream_t`, as `torch.cuda.current_stream().cuda_stream` is; null is the
/// default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(pub(crate) sys::CUstream);

// SAFETY: a stream is a handle, which the driver lets any thread use.
unsafe impl Send for Stream {}

impl Stream {
    /// The device's default stream.
    #[must_use]
    pub fn default_stream() -> Self {
        Self(std::ptr::null_mut())
    }

    /// A stream by its handle.
    ///
    /// # Safety
    ///
    /// It is a stream of the primary context of the device that it is used with, and is there for as long as
    /// it is used.
    #[must_use]
    pub unsafe fn from_raw(stream: *mut core::ffi::c_void) -> Self {
        Self(stream.cast())
    }
}

/// A device's primary context, retained.
#[derive(Debug)]
pub(crate) struct Context {
    device: sys::CUdevice,
    context: sys::CUcontext,
}

// SAFETY: a context is a handle, which the driver lets any thread use.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// Puts the thread's context back when it is dropped.
pub(crate) struct Current {
    before: Option<sys::CUcontext>,
    /// Not sent to another thread.
    thread: PhantomData<*const ()>,
}

impl Drop for Current {
    fn drop(&mut self) {
        // SAFETY: it was current before, or it is none. There is nothing to do if it fails.
        let _ = unsafe { result::ctx::set_current(self.before.unwrap_or(std::ptr::null_mut())) };
    }
}

impl Context {
    /// Of the device with this number, from 0 on.
    pub(crate) fn new(ordinal: usize) -> Result<Self, GpuError> {
        let none = |why: String| Err(GpuError::NoGpu(why));
        // SAFETY: this looks for a library and loads it: the driver's, whose start has no precondition.
        if !unsafe { sys::is_culib_present() } {
            return none("the library of NVIDIA's driver (libcuda) is not installed".into());
        }
        if let Err(error) = result::init() {
            return none(reason(error));
        }
        let mut version = 0;
        // SAFETY: it writes a number to where it is told.
        let asked = unsafe { sys::cuDriverGetVersion(&raw mut version) };
        if asked.result().is_err() || version < 12_000 {
            return none("NVIDIA's driver is older than CUDA 12.0".into());
        }
        let count = match result::device::get_count() {
            Ok(count) => usize::try_from(count).unwrap_or(0),
            Err(error) => return none(reason(error)),
        };
        let number = i32::try_from(ordinal).ok().filter(|_| ordinal < count);
        let Some(number) = number else {
            return none(format!("device {ordinal} was asked for, and the driver finds {count}"));
        };
        let device = result::device::get(number).map_err(GpuError::driver("find the device"))?;
        // SAFETY: the device is there.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(GpuError::driver("use the device"))?;
        Ok(Self { device, context })
    }

    /// Makes this the thread's context until what is given is dropped.
    pub(crate) fn enter(&self) -> Result<Current, GpuError> {
        let before = result::ctx::get_current().map_err(GpuError::driver("name its context"))?;
        // SAFETY: the context is retained.
        unsafe { result::ctx::set_current(self.context) }.map_err(GpuError::driver("enter its context"))?;
        Ok(Current { before, thread: PhantomData })
    }

    /// A number that the driver knows of the device.
    pub(crate) fn attribute(&self, attribute: sys::CUdevice_attribute) -> Result<u32, GpuError> {
        // SAFETY: the device is there.
        let number = unsafe { result::device::get_attribute(self.device, attribute) };
        Ok(u32::try_from(number.map_err(GpuError::driver("describe the device"))?).unwrap_or(0))
    }

    /// The device's name.
    pub(crate) fn name(&self) -> Result<String, GpuError> {
        result::device::get_name(self.device).map_err(GpuError::driver("name the device"))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, and released once. There is nothing to do if it fails.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// Kernels, compiled by the driver for the device.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    module: sys::CUmodule,
}

// SAFETY: a module is a handle, which the driver lets any thread use.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// A kernel of a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel(sys::CUfunction);

// SAFETY: a kernel is a handle, which the driver lets any thread use.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Module {
    /// Of PTX.
    pub(crate) fn new(context: &Arc<Context>, ptx: &str) -> Result<Self, GpuError> {
        let unread = |_| GpuError::Driver { action: "read the kernels", reason: "their text has a zero byte".into() };
        let ptx = CString::new(ptx).map_err(unread)?;
        let _current = context.enter()?;
        // SAFETY: the text is PTX, and ends with a zero byte.
        let module = unsafe { result::module::load_data(ptx.as_ptr().cast()) };
        Ok(Self { context: context.clone(), module: module.map_err(GpuError::driver("compile the kernels"))? })
    }

    /// The kernel of this name; valid as long as the module is.
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, GpuError> {
        let unread = |_| GpuError::Driver { action: "find a kernel", reason: "its name has a zero byte".into() };
        let name = CString::new(name).map_err(unread)?;
        let _current = self.context.enter()?;
        // SAFETY: the module is loaded.
        let kernel = unsafe { result::module::get_function(self.module, name) };
        kernel.map(Kernel).map_err(GpuError::driver("find a kernel"))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.enter() {
            // SAFETY: loaded once, unloaded once, and no kernel of it is used after. There is nothing to do if
            // it fails.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}

impl Kernel {
    /// Queues a launch of so many thread blocks of so many threads; the arguments are copied.
    ///
    /// # Safety
    ///
    /// The context is current and `stream` is one of its streams. The arguments are those that the kernel
    /// takes, in order, with the same sizes and layouts; they are as the kernel demands until it has ended.
    pub(crate) unsafe fn launch(
        self,
        stream: Stream,
        blocks: u32,
        threads: u32,
        arguments: &mut [*mut core::ffi::c_void],
    ) -> Result<(), GpuError> {
        // SAFETY: the caller's.
        unsafe { result::launch_kernel(self.0, (blocks, 1, 1), (threads, 1, 1), 0, stream.0, arguments) }
            .map_err(GpuError::driver("launch a kernel"))
    }
}

/// Waits until all that is queued in a stream has ended.
///
/// # Safety
///
/// The stream's context is current.
pub(crate) unsafe fn wait(stream: Stream) -> Result<(), GpuError> {
    // SAFETY: the caller's.
    unsafe { result::stream::synchronize(stream.0) }.map_err(GpuError::driver("end a launch"))
}

/// Memory of the device, of so many bytes; what it holds at first is undefined.
#[derive(Debug)]
pub(crate) struct Memory {
    context: Arc<Context>,
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl Memory {
    /// So many bytes, at a multiple of 256.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        // A buffer of no bytes would have no address.
        let bytes = bytes.max(16);
        let _current = context.enter()?;
        // SAFETY: the context is current.
        let address = unsafe { result::malloc_sync(bytes) }.map_err(GpuError::driver("reserve memory"))?;
        Ok(Self { context: context.clone(), address, bytes })
    }

    /// Its length.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its address on the device, `offset` bytes on.
    pub(crate) fn at<T>(&self, offset: usize) -> *mut T {
        std::ptr::without_provenance_mut(usize::try_from(self.address).unwrap_or(0).wrapping_add(offset))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.enter() {
            // SAFETY: reserved once and freed once; the driver waits until nothing uses it. There is nothing
            // to do if it fails.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Numbers that may be copied to and from a device as the bytes that they are.
///
/// # Safety
///
/// Any bytes are a value, and a value has no padding.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: integers.
unsafe impl Plain for u8 {}
// SAFETY: integers.
unsafe impl Plain for u32 {}
// SAFETY: integers.
unsafe impl Plain for u64 {}
// SAFETY: integers.
unsafe impl Plain for i32 {}
// SAFETY: integers.
unsafe impl Plain for i64 {}

/// Queues a copy to an address of the device; the source may be changed when this returns.
///
/// # Safety
///
/// The stream's context is current, and the address has room.
pub(crate) unsafe fn queue<T: Plain>(stream: Stream, to: *mut T, from: &[T]) -> Result<(), GpuError> {
    // SAFETY: the caller's; from memory that is not page-locked, the driver takes a copy before this returns.
    unsafe { result::memcpy_htod_async(to.addr() as u64, from, stream.0) }
        .map_err(GpuError::driver("copy to the device"))
}

/// Copies to an address of the device, in a stream, and waits for it.
///
/// # Safety
///
/// As for [`queue`].
pub(crate) unsafe fn write<T: Plain>(stream: Stream, to: *mut T, from: &[T]) -> Result<(), GpuError> {
    // SAFETY: the caller's.
    unsafe {
        queue(stream, to, from)?;
        wait(stream)
    }
}

/// Copies from an address of the device when all that is queued in the stream has ended.
///
/// # Safety
///
/// The stream's context is current, and as much is there, all of it written before.
pub(crate) unsafe fn read<T: Plain>(stream: Stream, to: &mut [T], from: *const T) -> Result<(), GpuError> {
    // SAFETY: the caller's; `to` outlives the copy, which this waits for.
    unsafe {
        result::memcpy_dtoh_async(to, from.addr() as u64, stream.0)
            .map_err(GpuError::driver("copy from the device"))?;
        wait(stream)
    }
}

/// Queues the writing of zeros to `bytes` bytes.
///
/// # Safety
///
/// The stream's context is current, and the address has room.
pub(crate) unsafe fn clear(stream: Stream, at: *mut u8, bytes: usize) -> Result<(), GpuError> {
    // SAFETY: the caller's.
    unsafe { result::memset_d8_async(at.addr() as u64, 0, bytes, stream.0) }.map_err(GpuError::driver("clear memory"))
}
