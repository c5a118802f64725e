//! Handles: numbers that name what a caller holds.
//!
//! A handle is no pointer, so that one that was freed, is of another kind, or was never made is found out by
//! looking it up. The upper 32 bits are the generation of a slot, which goes up when the slot is freed: no
//! number is ever given out twice. Whoever looks a handle up shares what it names (`Arc`), and a thread that
//! frees it meanwhile takes nothing away.

use std::{
    any::Any,
    sync::{Arc, PoisonError, RwLock},
};

use crate::{
    answer::Answer,
    border::Out,
    calibrate::Calibration,
    filter::Budget,
    mechanism::Mechanism,
    noise::Noise,
    plan::Plan,
    status::{CERTUS_BAD_HANDLE, CERTUS_MEMORY, Failure, Status, status},
    text::Text,
};

/// A slot of the table.
struct Slot {
    /// At least 1, so that no handle is 0.
    generation: u32,
    object: Option<Arc<dyn Any + Send + Sync>>,
}

/// All that callers hold.
struct Table {
    slots: Vec<Slot>,
    /// Slots that hold nothing and may be used again.
    free: Vec<u32>,
    live: usize,
}

/// Each change is one step: after a panic, of which there is none, the table would be as before or after it.
static TABLE: RwLock<Table> = RwLock::new(Table { slots: Vec::new(), free: Vec::new(), live: 0 });

/// The generation and the slot of a handle.
const fn parts(id: u64) -> (u64, u64) {
    (id >> 32, id & 0xFFFF_FFFF)
}

impl Table {
    fn insert(&mut self, object: Arc<dyn Any + Send + Sync>) -> Option<u64> {
        let at = match self.free.pop() {
            Some(at) => at,
            None => {
                let at = u32::try_from(self.slots.len()).ok()?;
                self.slots.push(Slot { generation: 1, object: None });
                at
            }
        };
        let slot = self.slots.get_mut(usize::try_from(at).ok()?)?;
        slot.object = Some(object);
        self.live = self.live.saturating_add(1);
        Some((u64::from(slot.generation) << 32) | u64::from(at))
    }

    fn slot(&mut self, id: u64) -> Option<&mut Slot> {
        let (generation, at) = parts(id);
        self.slots.get_mut(usize::try_from(at).ok()?).filter(|slot| u64::from(slot.generation) == generation)
    }

    fn get(&self, id: u64) -> Option<Arc<dyn Any + Send + Sync>> {
        let (generation, at) = parts(id);
        let slot = self.slots.get(usize::try_from(at).ok()?)?;
        if u64::from(slot.generation) == generation { slot.object.clone() } else { None }
    }

    fn remove(&mut self, id: u64) -> Option<Arc<dyn Any + Send + Sync>> {
        let slot = self.slot(id)?;
        let object = slot.object.take()?;
        // After 2^32 generations the slot is not used again.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(u32::try_from(parts(id).1).ok()?);
        }
        self.live = self.live.saturating_sub(1);
        Some(object)
    }
}

/// A handle of one kind.
pub(crate) trait Handle: Copy {
    /// What it names.
    type Object: Any + Send + Sync;
    /// The word for it in errors.
    const NAME: &'static str;

    fn of(id: u64) -> Self;
    fn id(self) -> u64;
}

macro_rules! handles {
    ($($handle:ident($object:ty), $name:literal;)*) => { $(
        impl Handle for $handle {
            type Object = $object;
            const NAME: &'static str = $name;

            fn of(id: u64) -> Self {
                Self { id }
            }

            fn id(self) -> u64 {
                self.id
            }
        }
    )* };
}

handles! {
    NoiseHandle(Noise), "noise";
    MechanismHandle(Mechanism), "mechanism";
    PlanHandle(Plan), "plan";
    AnswerHandle(Answer), "answer";
    CalibrationHandle(Calibration), "calibration";
    FilterHandle(Budget), "filter";
    TextHandle(Text), "text";
}

fn bad<H: Handle>() -> Failure {
    let why = "must be a handle of this kind that was not freed";
    Failure::of(CERTUS_BAD_HANDLE, H::NAME, why)
}

/// What a handle names.
pub(crate) fn find<H: Handle>(handle: H) -> Result<Arc<H::Object>, Failure> {
    let object = TABLE.read().unwrap_or_else(PoisonError::into_inner).get(handle.id());
    object.and_then(|object| object.downcast().ok()).ok_or_else(bad::<H>)
}

/// Forgets a handle of its kind: what it names is dropped when no other thread uses it.
pub(crate) fn free<H: Handle>(handle: H) -> Status {
    status(|| forget(handle))
}

/// As [`free`], within a call.
pub(crate) fn forget<H: Handle>(handle: H) -> Result<(), Failure> {
    find(handle)?;
    let removed = TABLE.write().unwrap_or_else(PoisonError::into_inner).remove(handle.id());
    // Dropped here, when the lock is free again. Of two threads that free it at once, one is refused.
    removed.map(drop).ok_or_else(bad::<H>)
}

/// Puts what was made into the table, and its handle where the caller wants it.
///
/// The place is checked first, and holds the null handle unless all went well.
///
/// # Safety
///
/// As of [`Out::new`].
pub(crate) unsafe fn create<H: Handle>(place: *mut H, make: impl FnOnce() -> Result<H::Object, Failure>) -> Status {
    status(|| {
        // SAFETY: the caller's contract.
        let place = unsafe { Out::new(place, H::NAME) }?;
        place.put(H::of(0));
        let object = Arc::new(make()?);
        let id = TABLE.write().unwrap_or_else(PoisonError::into_inner).insert(object);
        let id = id.ok_or_else(|| Failure::new(CERTUS_MEMORY, "there are too many handles"))?;
        place.put(H::of(id));
        Ok(())
    })
}

/// How many handles, of all kinds, have been made and not freed: 0 where nothing is leaked.
#[unsafe(no_mangle)]
pub extern "C" fn certus_live_handles() -> usize {
    TABLE.read().unwrap_or_else(PoisonError::into_inner).live
}

/// Laplace or Gaussian noise. {0} is the null handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NoiseHandle {
    /// A number that means nothing but to this library.
    pub id: u64,
}

/// A mechanism. {0} is the null handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MechanismHandle {
    /// A number that means nothing but to this library.
    pub id: u64,
}

/// Mechanisms that run on the same data. {0} is the null handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PlanHandle {
    /// A number that means nothing but to this library.
    pub id: u64,
}

/// What an account answers. {0} is the null handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AnswerHandle {
    /// A number that means nothing but to this library.
    pub id: u64,
}

/// A scale that was found. {0} is the null handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CalibrationHandle {
    /// A number that means nothing but to this library.
    pub id: u64,
}

/// A budget. {0} is the null handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FilterHandle {
    /// A number that means nothing but to this library.
    pub id: u64,
}

/// A text that was made once, to be read as often as one likes. {0} is the null handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TextHandle {
    /// A number that means nothing but to this library.
    pub id: u64,
}
