//! The order of launches that leaves no slot open, wherever the kernels run.
//!
//! A list that is full stops the first kernel or the second; what either has left is launched again, until
//! nothing is left. The tests run this loop with the kernels' functions on the host, thread by thread.

use certus_gpu_kernel::launch::{Counters, PER_BLOCK};

/// How many threads a thread block has.
pub(crate) const THREADS: u32 = 128;

/// How many thread blocks there are for each multiprocessor, at most: many more than run at a time, so that all end
/// together. (This and [`THREADS`] are what was fastest on an H200, of twenty pairs.)
pub(crate) const BLOCKS_PER_MULTIPROCESSOR: u32 = 128;

/// How many samples are drawn at a time: the lists are for so many, at most.
pub(crate) const PIECE: u64 = 1 << 30;

/// How many entries the processor's list has: thirty slots in 10^9 need one.
pub(crate) const HARD_ROOM: u32 = 1024;

/// Entries of a list beyond what is expected: four blocks of open slots, and the ends of a range.
const SPARE_ROOM: u64 = 64;

/// How a launch is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Thread blocks, and lists.
    pub(crate) blocks: u32,
    /// Threads of each.
    pub(crate) threads: u32,
    /// Entries of a list: at least eight.
    pub(crate) room: u32,
    /// Entries of the processor's list: at least one.
    pub(crate) hard_room: u32,
}

impl Shape {
    /// For `len` samples at most, of which fewer than one in `open_ratio` is open after a glance.
    pub(crate) fn new(len: u64, multiprocessors: u32, open_ratio: u64) -> Self {
        let most = u64::from(multiprocessors.max(1).saturating_mul(BLOCKS_PER_MULTIPROCESSOR));
        let blocks = len.div_ceil(PER_BLOCK * u64::from(THREADS)).saturating_add(1).min(most);
        let room = len.div_ceil(open_ratio.max(1)).div_ceil(blocks).saturating_add(SPARE_ROOM);
        let word = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Self { blocks: word(blocks), threads: THREADS, room: word(room), hard_room: HARD_ROOM }
    }

    /// How many threads there are.
    pub(crate) fn count(self) -> usize {
        usize::try_from(u64::from(self.blocks) * u64::from(self.threads)).unwrap_or(usize::MAX)
    }

    /// How many entries all lists have.
    pub(crate) fn entries(self) -> usize {
        usize::try_from(u64::from(self.blocks) * u64::from(self.room)).unwrap_or(usize::MAX)
    }
}

/// What launches the kernels for one range, and settles what they leave.
pub(crate) trait Launches {
    /// Why it cannot.
    type Error;

    /// Empties the lists and launches the first kernel: from the beginning, or from where its threads stopped.
    fn dense(&mut self, goes_on: bool) -> Result<(), Self::Error>;

    /// Empties the processor's list and launches the second kernel.
    fn finish(&mut self) -> Result<(), Self::Error>;

    /// Waits for both, and takes what they have counted since the last time: the counters are 0 after.
    fn counters(&mut self) -> Result<Counters, Self::Error>;

    /// The first `count` places of the processor's list.
    fn hard(&mut self, count: u32) -> Result<Vec<u64>, Self::Error>;

    /// Settles the slot at a place on the processor; and whether its sum or sample passed the type.
    fn settle(&mut self, place: u64) -> Result<bool, Self::Error>;
}

/// Launches until nothing is left; the answer is how many sums or samples passed the type.
pub(crate) fn run<L: Launches>(on: &mut L) -> Result<u64, L::Error> {
    let mut past = 0_u64;
    let mut goes_on = false;
    loop {
        on.dense(goes_on)?;
        let mut stopped = false;
        loop {
            on.finish()?;
            let counters = on.counters()?;
            past = past.saturating_add(counters.past.into());
            stopped |= counters.stopped > 0;
            for place in on.hard(counters.hard.saturating_sub(counters.left))? {
                past = past.saturating_add(on.settle(place)?.into());
            }
            if counters.left == 0 {
                break;
            }
        }
        if !stopped {
            return Ok(past);
        }
        goes_on = true;
    }
}
