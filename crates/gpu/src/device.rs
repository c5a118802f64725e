//! A GPU, and what is on it for all noise: the kernels, and room for their lists.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use certus_gpu_kernel::{launch::Counters, lists::Open};
use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;

use crate::{
    driver::{Context, Kernel, Memory, Module},
    error::GpuError,
    launches::Shape,
    noise::Noise,
    ptx::PTX,
    tables::Prepared,
};

/// A GPU with the kernels on it. A clone is the same GPU.
///
/// It uses the device's primary context, as PyTorch, JAX and CuPy do, so that their pointers and streams are
/// valid for it.
///
/// ```
/// use certus_gpu::{Device, GpuError};
///
/// match Device::new(0) {
///     Ok(device) => println!("{}", device.name()?),
///     Err(GpuError::NoGpu(why)) => println!("there is no GPU: {why}"),
///     Err(other) => return Err(other),
/// }
/// # Ok::<(), GpuError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Device {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    context: Arc<Context>,
    module: Module,
    multiprocessors: u32,
    workspace: Mutex<Workspace>,
}

impl Device {
    /// The GPU with this number, from 0 on, as the driver counts them. The driver compiles the kernels, which
    /// takes a few seconds the first time; it keeps what it compiled.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoGpu`] if there is no driver or no such GPU; if the driver fails.
    pub fn new(ordinal: usize) -> Result<Self, GpuError> {
        let context = Arc::new(Context::new(ordinal)?);
        let multiprocessors = context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let module = Module::new(&context, PTX)?;
        let workspace = Mutex::new(Workspace::new(&context)?);
        Ok(Self { shared: Arc::new(Shared { context, module, multiprocessors, workspace }) })
    }

    /// Puts a distribution's tables on the GPU: those of a [`PreparedGaussian`](certus::sample::PreparedGaussian)
    /// or a [`PreparedLaplace`](certus::sample::PreparedLaplace).
    ///
    /// # Errors
    ///
    /// [`GpuError::NoTables`] for a scale or σ above 2^63; if the driver fails.
    pub fn prepare(&self, noise: impl Into<Prepared>) -> Result<Noise, GpuError> {
        Noise::new(self, noise.into())
    }

    /// Its name.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn name(&self) -> Result<String, GpuError> {
        self.shared.context.name()
    }

    /// How many multiprocessors it has.
    #[must_use]
    pub fn multiprocessors(&self) -> u32 {
        self.shared.multiprocessors
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.shared.context
    }

    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, GpuError> {
        self.shared.module.kernel(name)
    }

    /// The lists, for one launch at a time.
    pub(crate) fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.shared.workspace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the kernels write beside the tensor. It grows to what the largest launch needs, and is kept.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Eight words.
    pub(crate) key: Memory,
    /// [`Counters`], and behind them a length for each list: what is set to 0 before the first kernel.
    pub(crate) counters: Memory,
    /// How far each thread of the first kernel is.
    pub(crate) done: Memory,
    /// The lists' entries.
    pub(crate) entries: Memory,
    /// The processor's list.
    pub(crate) hard: Memory,
}

/// How many bytes the counters take, before the lengths.
pub(crate) const COUNTERS_BYTES: usize = size_of::<Counters>();

impl Workspace {
    fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        let memory = |bytes| Memory::new(context, bytes);
        Ok(Self { key: memory(32)?, counters: memory(0)?, done: memory(0)?, entries: memory(0)?, hard: memory(0)? })
    }

    /// Makes room for a launch of this shape.
    pub(crate) fn grow(&mut self, context: &Arc<Context>, shape: Shape) -> Result<(), GpuError> {
        let needed = [
            (&mut self.counters, COUNTERS_BYTES.saturating_add((shape.blocks as usize).saturating_mul(4))),
            (&mut self.done, shape.count().saturating_mul(4)),
            (&mut self.entries, shape.entries().saturating_mul(size_of::<Open>())),
            (&mut self.hard, (shape.hard_room as usize).saturating_mul(8)),
        ];
        for (memory, bytes) in needed {
            if memory.bytes() < bytes {
                *memory = Memory::new(context, bytes)?;
            }
        }
        Ok(())
    }
}
