//! What Miri looks at: every way in which memory of the caller is read and written, through the functions
//! themselves. What the answers are is tested from C, in `tests`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::{
    ffi::{CStr, CString, c_char},
    mem::MaybeUninit,
    ptr, thread,
};

use crate::*;

fn laplace(scale: &CStr, sampler: i32) -> NoiseHandle {
    let mut noise = NoiseHandle { id: 9 };
    // SAFETY: a text, and a place for a handle.
    assert_eq!(unsafe { certus_laplace_new(scale.as_ptr(), sampler, &mut noise) }, CERTUS_OK);
    noise
}

fn last_error() -> String {
    let mut buffer = [1; CERTUS_ERROR_BYTES];
    // SAFETY: a buffer of its length.
    assert_eq!(unsafe { certus_last_error(buffer.as_mut_ptr(), buffer.len(), ptr::null_mut()) }, CERTUS_OK);
    // SAFETY: a text was put there.
    unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_str().unwrap().to_owned()
}

/// Memory that nobody has written to may take noise.
#[test]
fn fresh_memory_is_filled() {
    let noise = laplace(c"5/2", CERTUS_REFERENCE);
    let mut out = [const { MaybeUninit::<i64>::uninit() }; 8];
    // SAFETY: eight entries, which need no value.
    assert_eq!(unsafe { certus_noise_fill(noise, out.as_mut_ptr().cast(), 8) }, CERTUS_OK);
    // SAFETY: they have been written.
    let drawn: Vec<i64> = out.iter().map(|entry| unsafe { entry.assume_init() }).collect();
    assert!(drawn.iter().all(|sample| sample.abs() < 1000));
    let mut values = [10, 20, 30];
    // SAFETY: three entries.
    assert_eq!(unsafe { certus_noise_add(noise, values.as_mut_ptr(), 3) }, CERTUS_OK);
    // SAFETY: no entries.
    assert_eq!(unsafe { certus_noise_add(noise, ptr::null_mut(), 0) }, CERTUS_OK);
    // SAFETY: the pointer is refused before it is used.
    assert_eq!(unsafe { certus_noise_fill(noise, values.as_mut_ptr().byte_add(1), 1) }, CERTUS_MISALIGNED);
    assert_eq!(certus_noise_free(noise), CERTUS_OK);
    assert_eq!(certus_noise_free(noise), CERTUS_BAD_HANDLE);
}

#[test]
fn sums_that_do_not_fit_leave_nothing() {
    let noise = laplace(c"1000", CERTUS_REFERENCE);
    let mut values = [i64::MAX; 16];
    values[0] = 3;
    // SAFETY: sixteen entries, and a text.
    assert_eq!(unsafe { certus_testing_noise_add(noise, c"1".as_ptr(), values.as_mut_ptr(), 16) }, CERTUS_OVERFLOW);
    assert_eq!(values, [0; 16]);
    certus_noise_free(noise);
}

#[test]
fn texts_come_and_go() {
    let (mut mechanism, mut output) = (MechanismHandle { id: 0 }, TextHandle { id: 0 });
    let spec = c"laplace(scale=2)";
    // SAFETY: a text, and a place for a handle.
    assert_eq!(unsafe { certus_mechanism_new(spec.as_ptr(), CERTUS_DEFAULT, &mut mechanism) }, CERTUS_OK);
    // SAFETY: two bytes, and a place for a handle.
    assert_eq!(unsafe { certus_mechanism_release(mechanism, c"41".as_ptr(), 2, &mut output) }, CERTUS_OK);
    let mut needed = 0;
    // SAFETY: no bytes, and a place for a number.
    assert_eq!(unsafe { certus_text_read(output, ptr::null_mut(), 0, &mut needed) }, CERTUS_SHORT_BUFFER);
    let mut buffer: Vec<c_char> = vec![1; needed];
    // SAFETY: a buffer that is longer than what is said of it.
    let short = unsafe { certus_text_read(output, buffer.as_mut_ptr(), needed - 1, ptr::null_mut()) };
    assert_eq!((short, buffer[0], buffer[1]), (CERTUS_SHORT_BUFFER, 0, 1));
    // SAFETY: a buffer of its length.
    assert_eq!(unsafe { certus_text_read(output, buffer.as_mut_ptr(), needed, ptr::null_mut()) }, CERTUS_OK);
    assert_eq!(buffer[needed - 1], 0);
    // SAFETY: the pointers are refused before they are used.
    unsafe {
        assert_eq!(certus_mechanism_release(mechanism, ptr::null(), 1, &mut output), CERTUS_NULL);
        assert_eq!(certus_mechanism_release(mechanism, spec.as_ptr(), usize::MAX, &mut output), CERTUS_TOO_LONG);
    }
    assert_eq!(output.id, 0);
    // SAFETY: two bytes that are no text.
    assert_eq!(unsafe { certus_mechanism_release(mechanism, c"\xC3(".as_ptr(), 2, &mut output) }, CERTUS_BAD_UTF8);
    assert_eq!(last_error(), "input: must be UTF-8");
    certus_mechanism_free(mechanism);
}

/// The place for a handle may be where the text is: the text is copied, then the handle written.
#[test]
fn a_place_may_overlap_a_text() {
    let mut memory = [0_u64; 2];
    let place = memory.as_mut_ptr();
    // SAFETY: sixteen bytes, which hold a text of three and then a handle.
    unsafe {
        place.cast::<u8>().add(8).copy_from(c"5/2".as_ptr().cast(), 4);
        let scale = place.cast::<u8>().add(8).cast::<c_char>();
        assert_eq!(certus_laplace_new(scale, CERTUS_REFERENCE, place.add(1).cast()), CERTUS_BAD_ARGUMENT);
    }
    // The null handle was put there first: eight zero bytes, an empty text.
    assert_eq!((memory[1], last_error().starts_with("scale: ")), (0, true));
}

#[test]
fn several_specs_and_a_long_text() {
    let (mut plan, mut answer) = (PlanHandle { id: 0 }, AnswerHandle { id: 0 });
    let specs = [c"laplace(scale=2)".as_ptr(), c"laplace(scale=3)".as_ptr(), ptr::null()];
    // SAFETY: so many texts.
    unsafe {
        assert_eq!(certus_plan_new(specs.as_ptr(), 2, CERTUS_AS_STATED, &mut plan), CERTUS_OK);
        assert_eq!(certus_plan_delta(plan, c"10".as_ptr(), 2, &mut answer), CERTUS_OK);
        let (mut lower, mut upper) = (9.0, 9.0);
        assert_eq!(certus_answer_bounds(answer, &mut lower, &mut upper), CERTUS_OK);
        assert_eq!((lower, upper), (0.0, 0.0));
        certus_answer_free(answer);
        certus_plan_free(plan);
        assert_eq!(certus_plan_new(specs.as_ptr(), 3, CERTUS_AS_STATED, &mut plan), CERTUS_NULL);
    }
    let mut noise = NoiseHandle { id: 0 };
    // No zero byte within reach: exactly as many bytes are read as are there.
    let long = vec![b'1'; CERTUS_MOST_TEXT + 1];
    // SAFETY: the longest text that is read, and one byte more.
    let status = unsafe { certus_laplace_new(long.as_ptr().cast(), CERTUS_DEFAULT, &mut noise) };
    assert_eq!((status, noise.id), (CERTUS_TOO_LONG, 0));
}

#[test]
fn a_budget_is_saved_and_restored() {
    let (mut filter, mut saved) = (FilterHandle { id: 0 }, TextHandle { id: 0 });
    let mut buffer: [c_char; 300] = [0; 300];
    // SAFETY: texts, places for handles, and a buffer of its length.
    unsafe {
        assert_eq!(certus_filter_new(CERTUS_ADD_REMOVE, c"pure(epsilon=1)".as_ptr(), &mut filter), CERTUS_OK);
        assert_eq!(certus_filter_pay(filter, CERTUS_ADD_REMOVE, c"pure(epsilon=1/3)".as_ptr()), CERTUS_OK);
        assert_eq!(certus_filter_save(filter, &mut saved), CERTUS_OK);
        assert_eq!(certus_filter_save(filter, &mut saved), CERTUS_BAD_HANDLE);
        assert_eq!(saved.id, 0);
        assert_eq!(certus_filter_new(CERTUS_ADD_REMOVE, c"pure(epsilon=1)".as_ptr(), &mut filter), CERTUS_OK);
        // 1/p of many primes p: a denominator that no saved text has room for. The budget stays.
        for prime in (2..2000_u32).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d > 0)) {
            let cost = CString::new(format!("pure(epsilon=1/{prime}000)")).unwrap();
            assert_eq!(certus_filter_pay(filter, CERTUS_ADD_REMOVE, cost.as_ptr()), CERTUS_OK);
            if cfg!(miri) && prime > 20 {
                break;
            }
        }
        if !cfg!(miri) {
            assert_eq!(certus_filter_save(filter, &mut saved), CERTUS_TOO_LONG);
        }
        assert_eq!(certus_filter_pay(filter, CERTUS_ADD_REMOVE, c"pure(epsilon=1/3)".as_ptr()), CERTUS_OK);
        let status = certus_filter_spent(filter, buffer.as_mut_ptr(), buffer.len(), ptr::null_mut());
        assert_eq!(status, if cfg!(miri) { CERTUS_OK } else { CERTUS_SHORT_BUFFER });
    }
    certus_filter_free(filter);
}

/// Freed by one thread while others use it.
#[test]
fn threads_share_and_free() {
    let noise = laplace(c"3", CERTUS_REFERENCE);
    let freed: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut values = [1, 2];
                    // SAFETY: two entries.
                    let status = unsafe { certus_noise_add(noise, values.as_mut_ptr(), 2) };
                    assert!(status == CERTUS_OK || (status, values) == (CERTUS_BAD_HANDLE, [1, 2]));
                    usize::from(certus_noise_free(noise) == CERTUS_OK)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(freed, 1);
}

#[test]
fn a_panic_ends_at_the_border() {
    assert_eq!(certus_testing_panic(), CERTUS_INTERNAL);
    assert!(!last_error().contains("asked for"));
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    assert_eq!(border::reserve(&mut Vec::<i64>::new(), usize::MAX).unwrap_err().status, CERTUS_MEMORY);
}

/// An error's text is cut where a letter ends.
#[test]
fn long_errors_are_cut() {
    let text = "é".repeat(CERTUS_ERROR_BYTES);
    assert_eq!(status::status(|| Err(status::Failure::new(CERTUS_BAD_ARGUMENT, text))), CERTUS_BAD_ARGUMENT);
    assert_eq!(last_error().len(), CERTUS_ERROR_BYTES - 2);
}
