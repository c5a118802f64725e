//! Draws under a seed that somebody knows: for tests, never for a release. Nothing but the call is seeded.

use std::ffi::c_char;

use crate::{
    border,
    handle::{MechanismHandle, NoiseHandle, TextHandle, create, find},
    source::Source,
    status::{Status, status},
};

/// FOR TESTS ONLY, NOT PRIVATE: certus_noise_fill from the beginning of the stream of a seed, 1 to 64
/// hexadecimal digits, as the command's --seed.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_testing_noise_fill(
    noise: NoiseHandle,
    seed: *const c_char,
    out: *mut i64,
    n: usize,
) -> Status {
    status(|| {
        let noise = find(noise)?;
        // SAFETY: the caller's contract.
        let source = Source::of_hexadecimal(&unsafe { border::text(seed, "seed") }?)?;
        // SAFETY: the caller's contract: n entries.
        let out = unsafe { border::cleared(out, n, "out") }?;
        noise.fill_from(&source, out)
    })
}

/// FOR TESTS ONLY, NOT PRIVATE: certus_noise_add, as certus_testing_noise_fill.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_testing_noise_add(
    noise: NoiseHandle,
    seed: *const c_char,
    values: *mut i64,
    n: usize,
) -> Status {
    status(|| {
        let noise = find(noise)?;
        // SAFETY: the caller's contract.
        let source = Source::of_hexadecimal(&unsafe { border::text(seed, "seed") }?)?;
        // SAFETY: the caller's contract: n entries that have values.
        let values = unsafe { border::filled(values, n, "values") }?;
        noise.add_from(&source, values)
    })
}

/// FOR TESTS ONLY, NOT PRIVATE: certus_mechanism_release, as certus_testing_noise_fill.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_testing_mechanism_release(
    mechanism: MechanismHandle,
    seed: *const c_char,
    input: *const c_char,
    length: usize,
    output: *mut TextHandle,
) -> Status {
    let make = || {
        let mechanism = find(mechanism)?;
        // SAFETY: the caller's contract.
        let source = Source::of_hexadecimal(&unsafe { border::text(seed, "seed") }?)?;
        // SAFETY: the caller's contract: `length` bytes.
        mechanism.release(&unsafe { border::bytes(input, length, "input") }?, &source)
    };
    // SAFETY: the caller's contract.
    unsafe { create(output, make) }
}

/// FOR TESTS ONLY: panics, as a bug would; what returns is CERTUS_INTERNAL.
#[unsafe(no_mangle)]
#[must_use]
pub extern "C" fn certus_testing_panic() -> Status {
    #[expect(clippy::panic, reason = "a test asks for it")]
    status(|| panic!("asked for by certus_testing_panic"))
}
