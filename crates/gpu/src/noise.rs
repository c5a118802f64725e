//! Noise on a GPU: a tensor filled, or added to, with the samples of a range of a key.

use certus::bits::{self, BitsError, Range};
use certus_gpu_kernel::{
    launch::{Counters, Launch, PER_BLOCK},
    lists::Lists,
};

use crate::{
    device::{COUNTERS_BYTES, Device, Workspace},
    driver::{self, Kernel, Memory, Stream},
    element::{Element, settled},
    error::GpuError,
    launches::{Launches, PIECE, Shape, run},
    tables::{Place, Prepared, Tables},
    tensor::Tensor,
};
use certus_gpu_kernel::construction::{List, Tables as _};

/// A distribution on a GPU.
///
/// Sample i of a key is the same here as on the processor, bit for bit, whatever the launch, the range or the
/// device.
#[derive(Debug)]
pub struct Noise {
    device: Device,
    prepared: Prepared,
    tables: Tables,
    /// What the tables are in.
    _memory: Vec<Memory>,
}

/// Lists in the device's memory.
struct OnDevice<'d> {
    device: &'d Device,
    memory: Vec<Memory>,
}

impl OnDevice<'_> {
    fn put<T: driver::Plain>(&mut self, list: &[T]) -> Result<List<T>, GpuError> {
        let memory = Memory::new(self.device.context(), size_of_val(list))?;
        let _current = self.device.context().enter()?;
        let first = memory.at::<T>(0);
        if !list.is_empty() {
            // SAFETY: the context is current, and the memory has as many bytes.
            unsafe { driver::write(Stream::default_stream(), first, list) }?;
        }
        self.memory.push(memory);
        Ok(List { first, len: list.len() as u64 })
    }
}

impl Place for OnDevice<'_> {
    fn words(&mut self, list: &[u32]) -> Result<List<u32>, GpuError> {
        self.put(list)
    }

    fn long_words(&mut self, list: &[u64]) -> Result<List<u64>, GpuError> {
        self.put(list)
    }
}

impl Noise {
    pub(crate) fn new(device: &Device, prepared: Prepared) -> Result<Self, GpuError> {
        let mut place = OnDevice { device, memory: Vec::new() };
        let tables = Tables::new(&prepared, &mut place)?;
        Ok(Self { device: device.clone(), prepared, tables, _memory: place.memory })
    }

    /// Fills a tensor with the samples of a range.
    ///
    /// # Errors
    ///
    /// As [`fill_at`](Self::fill_at).
    pub fn fill<T: Element>(&self, range: Range, out: &mut Tensor<T>) -> Result<(), GpuError> {
        // SAFETY: the tensor has so many elements, in the same context, and nobody else has it.
        unsafe { self.fill_at(range, out.address(), out.len() as u64, Stream::default_stream()) }
    }

    /// Adds the samples of a range to a tensor; the answer is how many sums were clamped.
    ///
    /// # Errors
    ///
    /// As [`add_noise_at`](Self::add_noise_at).
    pub fn add_noise<T: Element>(&self, range: Range, values: &mut Tensor<T>) -> Result<u64, GpuError> {
        // SAFETY: as for `fill`.
        unsafe { self.add_noise_at(range, values.address(), values.len() as u64, Stream::default_stream()) }
    }

    /// Fills `len` elements at an address of the device with the samples of a range, in a stream: what is
    /// queued there before is done before, and the samples are there when this returns.
    ///
    /// # Errors
    ///
    /// If the range has another length, or the driver fails; [`GpuError::TooWide`] if a sample does not fit the
    /// type. What the tensor holds after an error must not be released.
    ///
    /// # Safety
    ///
    /// `out` is the address, in the primary context of this device, of `len` elements that nothing else reads
    /// or writes meanwhile but what is queued in `stream`, which is a stream of that context.
    pub unsafe fn fill_at<T: Element>(
        &self,
        range: Range,
        out: *mut T,
        len: u64,
        stream: Stream,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller's.
        let past = range.launch(|launch| unsafe { self.draw(launch, out, len, stream, false) })??;
        if past > 0 { Err(GpuError::TooWide) } else { Ok(()) }
    }

    /// Adds the samples of a range to `len` elements at an address of the device, as
    /// [`fill_at`](Self::fill_at); the answer is how many sums were clamped.
    ///
    /// A sum past the type is clamped, never wrapped: it is formed exactly, and clamping it, and counting how
    /// often, is post-processing.
    ///
    /// # Errors
    ///
    /// If the range has another length, or the driver fails. The elements are then overwritten with 0, as far
    /// as the driver still obeys: those that had no noise yet are private.
    ///
    /// # Safety
    ///
    /// As for [`fill_at`](Self::fill_at).
    pub unsafe fn add_noise_at<T: Element>(
        &self,
        range: Range,
        values: *mut T,
        len: u64,
        stream: Stream,
    ) -> Result<u64, GpuError> {
        // SAFETY: the caller's.
        range.launch(|launch| unsafe { self.draw(launch, values, len, stream, true) })?
    }

    /// # Safety
    ///
    /// As for [`fill_at`](Self::fill_at).
    unsafe fn draw<T: Element>(
        &self,
        range: &bits::Launch,
        out: *mut T,
        len: u64,
        stream: Stream,
        adds: bool,
    ) -> Result<u64, GpuError> {
        if len != range.length() {
            return Err(GpuError::Length { len, range: range.length() });
        }
        if !out.is_aligned() {
            return Err(GpuError::Alignment { size: size_of::<T>() });
        }
        if range.first().checked_add(len).is_none_or(|end| end > u64::MAX - PER_BLOCK) {
            return Err(BitsError::Overflow.into());
        }
        if len == 0 {
            return Ok(0);
        }
        let mut workspace = self.device.workspace();
        let _current = self.device.context().enter()?;
        // SAFETY: the caller's, and the context is current.
        let past = unsafe { self.draw_pieces(range, out, stream, adds, &mut workspace) };
        if past.is_err() && adds {
            // SAFETY: as above; there is nothing to do if it fails.
            let _ = unsafe { driver::clear(stream, out.cast(), (len as usize).saturating_mul(size_of::<T>())) };
            // SAFETY: as above.
            let _ = unsafe { driver::wait(stream) };
        }
        past
    }

    /// # Safety
    ///
    /// As for [`fill_at`](Self::fill_at), and the context is current.
    unsafe fn draw_pieces<T: Element>(
        &self,
        range: &bits::Launch,
        out: *mut T,
        stream: Stream,
        adds: bool,
        workspace: &mut Workspace,
    ) -> Result<u64, GpuError> {
        let shape = Shape::new(range.length().min(PIECE), self.device.multiprocessors(), self.tables.open_ratio());
        workspace.grow(self.device.context(), shape)?;
        let name = |kernel: &str| {
            let what = if adds { "add" } else { "fill" };
            self.device.kernel(&format!("{kernel}_{}_{what}_{}", self.tables.name(), T::NAME))
        };
        let (dense, finish) = (name("dense")?, name("finish")?);
        let mut past = 0_u64;
        let mut done = 0;
        while done < range.length() {
            let first = range.first() + done;
            let piece = (range.length() - done).min(PIECE);
            let mut on = Draw {
                noise: self,
                range,
                skipped: done,
                stream,
                shape,
                adds,
                kernels: (dense, finish),
                launch: Launch {
                    key: workspace.key.at(0),
                    out: out.wrapping_add(done as usize),
                    first,
                    len: piece,
                    lists: Lists {
                        entries: workspace.entries.at(0),
                        lengths: workspace.counters.at(COUNTERS_BYTES),
                        room: shape.room,
                    },
                    done: workspace.done.at(0),
                    goes_on: 0,
                    hard_room: shape.hard_room,
                    hard: workspace.hard.at(0),
                    counters: workspace.counters.at(0),
                },
                has_key: false,
                has_counted: false,
            };
            past = past.saturating_add(run(&mut on)?);
            done += piece;
        }
        Ok(past)
    }
}

/// The launches for one piece, in the caller's stream. The context is current as long as there is one.
struct Draw<'n, T> {
    noise: &'n Noise,
    range: &'n bits::Launch<'n>,
    /// How much of the range was before this piece.
    skipped: u64,
    stream: Stream,
    shape: Shape,
    adds: bool,
    kernels: (Kernel, Kernel),
    launch: Launch<T>,
    /// Whether the key is on the device.
    has_key: bool,
    /// Whether the counters were read and not cleared since.
    has_counted: bool,
}

impl<T: Element> Draw<'_, T> {
    /// Queues the overwriting of the key on the device.
    fn wipe(&mut self) -> Result<(), GpuError> {
        // SAFETY: the key's own memory, of 32 bytes.
        unsafe { driver::clear(self.stream, self.launch.key.cast_mut().cast(), 32) }?;
        self.has_key = false;
        Ok(())
    }

    /// Launches one of the two kernels, with the tables and the launch as its arguments.
    fn launch(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        if !self.has_key {
            self.has_key = true;
            // SAFETY: the context is current, and there is room for a key.
            unsafe { driver::queue(self.stream, self.launch.key.cast_mut(), self.range.key()) }?;
        }
        let (mut tables, mut launch) = (self.noise.tables, self.launch);
        let mut arguments: Vec<_> = match &mut tables {
            Tables::Table(of) => of.arguments().into_iter().collect(),
            Tables::Wide(of) => of.arguments().into_iter().collect(),
            Tables::Wider(of) => of.arguments().into_iter().collect(),
        };
        arguments.extend(launch.arguments());
        // SAFETY: the kernel's name says which tables and which launch it takes. The lists, the counters, the
        // key and `done` are as large as the shape says, and the tensor as the caller of `fill_at` promised;
        // they are kept until the launch is waited for, and nothing else uses them, since the workspace is
        // locked.
        unsafe { kernel.launch(self.stream, self.shape.blocks, self.shape.threads, &mut arguments) }
    }
}

impl<T: Element> Launches for Draw<'_, T> {
    type Error = GpuError;

    fn dense(&mut self, goes_on: bool) -> Result<(), GpuError> {
        let bytes = COUNTERS_BYTES + self.shape.blocks as usize * 4;
        // SAFETY: the counters and the lengths behind them.
        unsafe { driver::clear(self.stream, self.launch.counters.cast(), bytes) }?;
        self.has_counted = false;
        self.launch.goes_on = goes_on.into();
        self.launch(self.kernels.0)
    }

    fn finish(&mut self) -> Result<(), GpuError> {
        if std::mem::take(&mut self.has_counted) {
            // SAFETY: the counters.
            unsafe { driver::clear(self.stream, self.launch.counters.cast(), COUNTERS_BYTES) }?;
        }
        self.launch(self.kernels.1)
    }

    fn counters(&mut self) -> Result<Counters, GpuError> {
        // Before the one wait of a launch, so that nothing is under way after it.
        self.wipe()?;
        let mut words = [0_u32; COUNTERS_BYTES / 4];
        // SAFETY: the counters; they were cleared.
        unsafe { driver::read(self.stream, &mut words, self.launch.counters.cast()) }?;
        self.has_counted = true;
        let [past, stopped, left, hard] = words;
        Ok(Counters { past, stopped, left, hard })
    }

    fn hard(&mut self, count: u32) -> Result<Vec<u64>, GpuError> {
        let mut places = vec![0; count.min(self.shape.hard_room) as usize];
        if !places.is_empty() {
            // SAFETY: the second kernel wrote so many.
            unsafe { driver::read(self.stream, &mut places, self.launch.hard) }?;
        }
        Ok(places)
    }

    fn settle(&mut self, place: u64) -> Result<bool, GpuError> {
        let sample = self.noise.prepared.sample_at(self.range, self.skipped + place)?;
        let at = self.launch.out.wrapping_add(place as usize);
        let mut element = [T::default()];
        // SAFETY: a place of the tensor.
        unsafe {
            let before = if self.adds {
                driver::read(self.stream, &mut element, at)?;
                Some(element[0])
            } else {
                None
            };
            let (after, is_past) = settled(before, &sample);
            driver::write(self.stream, at, &[after])?;
            Ok(is_past)
        }
    }
}

/// Whatever happens, no key is left behind.
impl<T> Drop for Draw<'_, T> {
    fn drop(&mut self) {
        if self.has_key {
            // SAFETY: the key's own memory, of 32 bytes, in the context that is still current. There is nothing
            // to do if it fails: then the driver obeys no longer.
            unsafe {
                let _ = driver::clear(self.stream, self.launch.key.cast_mut().cast(), 32);
                let _ = driver::wait(self.stream);
            }
        }
    }
}
