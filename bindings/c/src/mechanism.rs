//! Any mechanism of the catalogue, by its spec.

use std::ffi::c_char;

use core_certus::{
    bits::Bits,
    guarantee::{Guarantee, Relation},
    mechanism::{AnyMechanism, AnyRelease, Spec, from_spec},
};

use crate::{
    border,
    filter::Paid,
    handle::{MechanismHandle, TextHandle, create, find, free},
    number::sampler,
    source::Source,
    status::{CERTUS_BAD_COST, CERTUS_BAD_INPUT, CERTUS_RANDOMNESS, Failure, Status, status},
    text::Text,
};

/// A mechanism and its canonical spec.
pub(crate) struct Mechanism {
    spec: String,
    mechanism: Box<dyn AnyMechanism>,
}

impl Mechanism {
    /// The mechanism of a spec, once.
    pub(crate) fn new(spec: &Spec, constant: i32) -> Result<Self, Failure> {
        if spec.copies().is_some() {
            return Err(Failure::argument("spec", "*k (k copies) is not accepted here: a plan takes copies"));
        }
        let mechanism = from_spec(spec).map_err(|error| Failure::argument("spec", error))?;
        let mechanism = match sampler(constant)? {
            Some(by) => mechanism.with_sampler(by).map_err(|error| Failure::argument("sampler", error))?,
            None => mechanism,
        };
        Ok(Self { spec: spec.to_string(), mechanism })
    }

    /// What one release costs a budget that is for these neighbours.
    ///
    /// Where whoever stated the sensitivity knows for whom it is, the budget's neighbours are taken; what is
    /// for add/remove neighbours is taken as two steps by a budget for change-one ones.
    pub(crate) fn cost(&self, relation: Relation) -> Result<Guarantee, Failure> {
        let nothing = || Failure::of(CERTUS_BAD_COST, "mechanism", "must guarantee something: no budget pays for it");
        if self.mechanism.privacy().is_none() {
            return Err(nothing());
        }
        Ok(self.mechanism.cost(relation)?)
    }

    /// The release on data, before anything is drawn or paid.
    pub(crate) fn on(&self, input: &str) -> Result<Box<dyn AnyRelease>, Failure> {
        if input.contains('\0') {
            return Err(Failure::of(CERTUS_BAD_INPUT, "input", "must not have a zero byte"));
        }
        self.mechanism.on(input).map_err(|error| Failure::of(CERTUS_BAD_INPUT, "input", error))
    }

    /// One output, for a receipt: the one that the command draws first.
    pub(crate) fn draw(&self, release: &dyn AnyRelease, bits: &mut dyn Bits, _: Paid) -> Result<Text, Failure> {
        let mut found = None;
        let mut put = |outcome| found = Some(outcome);
        match self.mechanism.sampler() {
            "fixed" => release.draw_bulk(bits, 1, &mut put),
            _ => release.draw_each(bits, 1, &mut put),
        }?;
        let none = || Failure::new(CERTUS_RANDOMNESS, "nothing was drawn");
        found.map(|outcome| Text(outcome.to_string())).ok_or_else(none)
    }

    /// A release on data.
    pub(crate) fn release(&self, input: &str, source: &Source) -> Result<Text, Failure> {
        let release = self.on(input)?;
        self.draw(&*release, &mut *source.open()?, Paid::elsewhere())
    }
}

/// A mechanism, named as everywhere: name(key=value, ...).
///
/// sampler: CERTUS_DEFAULT, or for Laplace and Gaussian noise another.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_mechanism_new(
    spec: *const c_char,
    sampler: i32,
    mechanism: *mut MechanismHandle,
) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let spec = unsafe { border::text(spec, "spec") }?;
        let spec = spec.parse().map_err(|error| Failure::argument("spec", error))?;
        Mechanism::new(&spec, sampler)
    };
    // SAFETY: the caller's contract.
    unsafe { create(mechanism, make) }
}

/// The canonical spec of a mechanism, into a buffer as certus_text_read.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_mechanism_spec(
    mechanism: MechanismHandle,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    status(|| unsafe { border::give(&find(mechanism)?.spec, buffer, capacity, needed) })
}

/// One release on data, which costs what the mechanism costs: nothing is booked anywhere.
///
/// input: length bytes of text as the command's --input takes it, for example "3" or "1,0,2"; NULL if length
/// is 0. output: a new text, to be read and freed: the command's output. What an error says does not depend
/// on the data; that there is one does.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_mechanism_release(
    mechanism: MechanismHandle,
    input: *const c_char,
    length: usize,
    output: *mut TextHandle,
) -> Status {
    let make = || {
        let mechanism = find(mechanism)?;
        // SAFETY: the caller's contract: `length` bytes.
        mechanism.release(&unsafe { border::bytes(input, length, "input") }?, &Source::System)
    };
    // SAFETY: the caller's contract.
    unsafe { create(output, make) }
}

/// Frees a mechanism.
#[unsafe(no_mangle)]
pub extern "C" fn certus_mechanism_free(mechanism: MechanismHandle) -> Status {
    free(mechanism)
}
