//! Budgets: paid from before anything is drawn, saved and restored.

use std::{
    ffi::c_char,
    process,
    sync::{Mutex, PoisonError},
};

use core_certus::{
    guarantee::{DebitError, Filter, Guarantee, SavedFilter},
    mechanism::Spec,
};

use crate::{
    border,
    guarantee::{read, written},
    handle::{FilterHandle, MechanismHandle, TextHandle, create, find, forget, free},
    mechanism::Mechanism,
    noise::CERTUS_DEFAULT,
    number::relation,
    source::Source,
    status::{CERTUS_BAD_HANDLE, CERTUS_INTERNAL, CERTUS_TOO_LONG, Failure, Status, status},
    text::Text,
};

/// A receipt, without which nothing is drawn: whoever draws has paid before.
pub(crate) struct Paid(());

impl Paid {
    /// The caller of this library books elsewhere, or not at all.
    pub(crate) fn elsewhere() -> Self {
        Self(())
    }
}

/// A budget that threads share.
pub(crate) struct Budget {
    /// Nothing once it has been saved: it is then spent by whoever restores it.
    filter: Mutex<Option<Filter>>,
    /// Who made it. The filter refuses debits of a forked child by itself, and a child must not save it
    /// either.
    process: u32,
}

impl Budget {
    fn new(filter: Filter) -> Self {
        Self { filter: Mutex::new(Some(filter)), process: process::id() }
    }

    /// Works with the filter, one thread at a time; after a panic, of which there is none, it is as before
    /// the debit or after it.
    fn with<T>(&self, work: impl FnOnce(&mut Filter) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut filter = self.filter.lock().unwrap_or_else(PoisonError::into_inner);
        work(filter.as_mut().ok_or_else(gone)?)
    }

    /// What one release of a mechanism costs, so many times.
    fn cost(&self, mechanism: &Mechanism, copies: u64) -> Result<Guarantee, Failure> {
        let relation = self.with(|filter| Ok(filter.relation()))?;
        Ok(mechanism.cost(relation)?.k_fold(copies)?)
    }

    fn pay(&self, cost: &Guarantee) -> Result<Paid, Failure> {
        self.with(|filter| Ok(filter.debit(cost)?))?;
        Ok(Paid(()))
    }

    /// Takes the budget out, as text. It stays where it is if it cannot be written.
    fn save(&self) -> Result<Text, Failure> {
        if process::id() != self.process {
            return Err(DebitError::Forked.into());
        }
        let mut place = self.filter.lock().unwrap_or_else(PoisonError::into_inner);
        let saved = place.take().ok_or_else(gone)?.save()?;
        match serde_json::to_string(&saved) {
            Ok(text) => Ok(Text(text)),
            Err(_) => {
                *place = Some(saved.restore());
                Err(Failure::of(CERTUS_TOO_LONG, "filter", "what was spent has too many digits to be written"))
            }
        }
    }
}

/// Another thread saved it while this one looked it up.
fn gone() -> Failure {
    Failure::of(CERTUS_BAD_HANDLE, "filter", "must be a budget that was not saved")
}

/// A budget with nothing spent.
///
/// relation: CERTUS_ADD_REMOVE or CERTUS_CHANGE_ONE. budget: "pure(epsilon=1)",
/// "approximate(epsilon=1, delta=1e-6)", "zcdp(rho=1/2)" or "renyi(alpha=4, epsilon=1)".
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_new(relation: i32, budget: *const c_char, filter: *mut FilterHandle) -> Status {
    let make = || {
        let relation = self::relation(relation)?;
        // SAFETY: the caller's contract.
        let budget = unsafe { border::text(budget, "budget") }?;
        Ok(Budget::new(Filter::new(read(&budget, relation, "budget")?)))
    };
    // SAFETY: the caller's contract.
    unsafe { create(filter, make) }
}

/// Pays a cost, written as a budget and for these neighbours, if the budget suffices.
///
/// To be called before what is paid for is drawn. CERTUS_BUDGET if it does not suffice. Nothing is spent
/// unless CERTUS_OK is returned.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_pay(filter: FilterHandle, relation: i32, cost: *const c_char) -> Status {
    status(|| {
        let filter = find(filter)?;
        let relation = self::relation(relation)?;
        // SAFETY: the caller's contract.
        let cost = unsafe { border::text(cost, "cost") }?;
        filter.pay(&read(&cost, relation, "cost")?).map(|_| ())
    })
}

/// Pays what a mechanism costs, so many times as its spec says ("laplace(scale=10)*3"). As certus_filter_pay.
///
/// What is for add/remove neighbours is taken as two steps by a budget for change-one ones; where a spec's
/// sensitivity is somebody's word, it is taken to be for the budget's neighbours.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_pay_spec(filter: FilterHandle, spec: *const c_char) -> Status {
    status(|| {
        let filter = find(filter)?;
        // SAFETY: the caller's contract.
        let spec = unsafe { border::text(spec, "spec") }?;
        let spec: Spec = spec.parse().map_err(|error| Failure::argument("spec", error))?;
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        let mechanism = Mechanism::new(&spec.without_copies(), CERTUS_DEFAULT)?;
        filter.pay(&filter.cost(&mechanism, copies)?).map(|_| ())
    })
}

/// Pays for a release and draws it: certus_filter_pay_spec and certus_mechanism_release in one call.
///
/// Everything is checked and the randomness had before anything is paid, and it is paid before anything is
/// drawn. Nothing is spent unless CERTUS_OK is returned (but if the random source fails halfway, or by a bug
/// of this library: CERTUS_RANDOMNESS, CERTUS_INTERNAL).
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_release(
    filter: FilterHandle,
    mechanism: MechanismHandle,
    input: *const c_char,
    length: usize,
    output: *mut TextHandle,
) -> Status {
    let make = || {
        let (filter, mechanism) = (find(filter)?, find(mechanism)?);
        // SAFETY: the caller's contract: `length` bytes.
        let input = unsafe { border::bytes(input, length, "input") }?;
        let release = mechanism.on(&input)?;
        let cost = filter.cost(&mechanism, 1)?;
        let mut bits = Source::System.open()?;
        let paid = filter.pay(&cost)?;
        mechanism.draw(&*release, &mut *bits, paid)
    };
    // SAFETY: the caller's contract.
    unsafe { create(output, make) }
}

/// What has been spent, written as a budget, into a buffer as certus_text_read.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_spent(
    filter: FilterHandle,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    status(|| {
        let spent = find(filter)?.with(|filter| Ok(filter.spent()))?;
        // SAFETY: the caller's contract.
        unsafe { border::give(&text_of(&spent)?, buffer, capacity, needed) }
    })
}

/// What is left, written as a budget, into a buffer as certus_text_read: paying it is admitted.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_remaining(
    filter: FilterHandle,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    status(|| {
        let left = find(filter)?.with(|filter| Ok(filter.remaining()))?;
        // SAFETY: the caller's contract.
        unsafe { border::give(&text_of(&left)?, buffer, capacity, needed) }
    })
}

fn text_of(guarantee: &Guarantee) -> Result<String, Failure> {
    written(guarantee).ok_or_else(|| Failure::new(CERTUS_INTERNAL, "a budget has a number without a value"))
}

/// Takes a budget out of this process, as a text to be read, kept and freed. The filter's handle is freed.
///
/// If anything is wrong, the budget stays where it is.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_save(filter: FilterHandle, saved: *mut TextHandle) -> Status {
    let make = || {
        let text = find(filter)?.save()?;
        // Another thread may have freed the handle meanwhile; the budget was still to be had.
        let _ = forget(filter);
        Ok(text)
    };
    // SAFETY: the caller's contract.
    unsafe { create(saved, make) }
}

/// The budget of a saved text, with what was spent of it.
///
/// A text that is restored twice is spent twice, and nothing here can see that: restore it once, and save it
/// again when you are done.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_filter_restore(saved: *const c_char, filter: *mut FilterHandle) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let saved = unsafe { border::text(saved, "saved") }?;
        let saved: SavedFilter = serde_json::from_str(&saved).map_err(|error| Failure::argument("saved", error))?;
        Ok(Budget::new(saved.restore()))
    };
    // SAFETY: the caller's contract.
    unsafe { create(filter, make) }
}

/// Frees a budget: what is left of it is gone.
#[unsafe(no_mangle)]
pub extern "C" fn certus_filter_free(filter: FilterHandle) -> Status {
    free(filter)
}
