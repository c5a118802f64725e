//! The three constructions, as tables in the GPU's memory, and what the kernels ask of them.

use core::ffi::c_void;

use certus_kernel::{
    counter::Tape,
    inversion::InversionView,
    layout::Layout,
    squeeze::Reciprocal,
    table::TableView,
    wide::{self, Fall, WideView},
};

/// A construction, as a kernel uses it. Every method is a choice among the functions of `certus-kernel`, which
/// the processor calls too.
pub trait Construction: Copy {
    /// The bits of the second part: 0 or 16.
    const SECOND: u32;

    /// The sample, if a glance at these words settles it.
    fn settle(&self, first: u64, second: u64) -> Option<i64>;

    /// The sample of the trial of these words, and if it is rejected of those that follow on the tape; nothing
    /// if it takes the processor to say, or to hold.
    fn resolve(&self, first: u64, second: u64, tape: &mut Tape) -> Option<i64>;
}

impl Construction for TableView<'_, u64> {
    const SECOND: u32 = 0;

    #[inline]
    fn settle(&self, first: u64, _: u64) -> Option<i64> {
        self.settle_in_halves((first >> 32) as u32, first as u32).map(i64::from)
    }

    #[inline]
    fn resolve(&self, first: u64, second: u64, _: &mut Tape) -> Option<i64> {
        Construction::settle(self, first, second).or_else(|| self.search(first))
    }
}

impl<const SECOND: u32> Construction for WideView<'_, u64, SECOND> {
    const SECOND: u32 = SECOND;

    #[inline]
    fn settle(&self, first: u64, second: u64) -> Option<i64> {
        self.settle_in_upper_half(first, second)
    }

    #[inline]
    fn resolve(&self, first: u64, second: u64, tape: &mut Tape) -> Option<i64> {
        let (mut first, mut second) = (first, second);
        loop {
            match self.trial(first, second, |_| tape.next_word().ok_or(())).ok()? {
                wide::Outcome::Sample(sample) => return Some(sample),
                wide::Outcome::Rejected => {}
                wide::Outcome::Open => return None,
            }
            first = tape.next_word()?;
            // A whole word for a part of it: its highest bits.
            second = if SECOND == 0 { 0 } else { tape.next_word()? >> (64 - SECOND) };
        }
    }
}

/// A list in the GPU's memory.
#[derive(Debug)]
pub struct List<T> {
    /// Its first element; aligned even where there is none.
    pub first: *const T,
    /// How many elements it has.
    pub len: u64,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> List<T> {
    /// Where each argument is that a kernel takes for it.
    fn arguments(&mut self) -> [*mut c_void; 2] {
        [(&raw mut self.first).cast(), (&raw mut self.len).cast()]
    }

    /// The list as a slice.
    ///
    /// # Safety
    ///
    /// `first` is aligned and points to `len` elements that nobody writes for as long as the slice is used.
    #[inline]
    unsafe fn slice<'t>(self) -> &'t [T] {
        // SAFETY: the caller's.
        unsafe { core::slice::from_raw_parts(self.first, self.len as usize) }
    }
}

/// Tables in the GPU's memory.
pub trait Tables {
    /// What they are, borrowed.
    type View<'t>: Construction;

    /// The tables, borrowed.
    ///
    /// # Safety
    ///
    /// Each [`List`] points to as many elements as it says, which nobody writes while the view is used.
    unsafe fn view<'t>(&self) -> Self::View<'t>;

    /// Where each argument is that a kernel takes before those of the launch.
    fn arguments(&mut self) -> impl IntoIterator<Item = *mut c_void>;
}

/// Those of a table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The guide.
    pub guide: List<u32>,
    /// The thresholds.
    pub thresholds: List<u64>,
}

impl Tables for Table {
    type View<'t> = TableView<'t, u64>;

    #[inline]
    unsafe fn view<'t>(&self) -> TableView<'t, u64> {
        // SAFETY: the caller's.
        unsafe { TableView::new(self.guide.slice(), self.thresholds.slice()) }
    }

    fn arguments(&mut self) -> impl IntoIterator<Item = *mut c_void> {
        let (guide, thresholds) = (self.guide.arguments(), self.thresholds.arguments());
        [guide, thresholds].into_iter().flatten()
    }
}

/// Those of buckets, whose second part has SECOND bits.
#[derive(Clone, Copy, Debug)]
pub struct Wide<const SECOND: u32> {
    /// The guide of the buckets.
    pub guide: List<u32>,
    /// The thresholds of the buckets.
    pub thresholds: List<u64>,
    /// The second look at them.
    pub finer: List<u64>,
    /// For each bucket, how many values of v accept at once.
    pub sure: List<u64>,
    /// The bits that find the bucket.
    pub prefix: u32,
    /// The bits of a place in it.
    pub offset: u32,
    /// The bits of v.
    pub squeeze: u32,
    /// Whether the weights are those of a Gaussian.
    pub is_gaussian: u32,
    /// 1/s or 1/2σ² is in [mantissa, mantissa + 1]·2^-exponent.
    pub mantissa: u64,
    /// As said.
    pub exponent: u32,
    /// Whether there is such a mantissa.
    pub has_reciprocal: u32,
}

impl<const SECOND: u32> Tables for Wide<SECOND> {
    type View<'t> = WideView<'t, u64, SECOND>;

    #[inline]
    unsafe fn view<'t>(&self) -> WideView<'t, u64, SECOND> {
        let layout = Layout { prefix: self.prefix, offset: self.offset, squeeze: self.squeeze };
        // SAFETY: the caller's.
        unsafe {
            WideView {
                buckets: InversionView {
                    width: self.prefix,
                    refill: 64,
                    thresholds: self.thresholds.slice(),
                    finer: self.finer.slice(),
                    guide: self.guide.slice(),
                },
                layout,
                fall: if self.is_gaussian != 0 { Fall::Gaussian } else { Fall::Laplace },
                sure: self.sure.slice(),
                places: layout.places(),
                reciprocal: (self.has_reciprocal != 0)
                    .then_some(Reciprocal { mantissa: self.mantissa, exponent: self.exponent }),
            }
        }
    }
    fn arguments(&mut self) -> impl IntoIterator<Item = *mut c_void> {
        let lists =
            [self.guide.arguments(), self.thresholds.arguments(), self.finer.arguments(), self.sure.arguments()];
        let numbers: [*mut c_void; 7] = [
            (&raw mut self.prefix).cast(),
            (&raw mut self.offset).cast(),
            (&raw mut self.squeeze).cast(),
            (&raw mut self.is_gaussian).cast(),
            (&raw mut self.mantissa).cast(),
            (&raw mut self.exponent).cast(),
            (&raw mut self.has_reciprocal).cast(),
        ];
        lists.into_iter().flatten().chain(numbers)
    }
}
