//! Pointers of the caller: checked, copied, and never kept.
//!
//! Texts are copied before anything else happens and results are written last, so that no reference into the
//! caller's memory lives beside another, whatever the pointers are.

use std::{
    ffi::c_char,
    ptr::{self, NonNull},
    slice,
};

use crate::status::{CERTUS_BAD_UTF8, CERTUS_MISALIGNED, CERTUS_NULL, CERTUS_SHORT_BUFFER, CERTUS_TOO_LONG, Failure};

/// The most bytes of a text that ends with a zero byte, which is not counted.
pub const CERTUS_MOST_TEXT: usize = 1 << 16;

/// A pointer that is neither NULL nor misaligned.
fn checked<T>(pointer: *mut T, name: &str) -> Result<NonNull<T>, Failure> {
    let pointer = NonNull::new(pointer).ok_or_else(|| Failure::of(CERTUS_NULL, name, "must not be NULL"))?;
    if !pointer.is_aligned() {
        return Err(Failure::of(CERTUS_MISALIGNED, name, "must be aligned for what it points to"));
    }
    Ok(pointer)
}

/// An array: a length that memory can hold, and a pointer to it. Of no entries, the pointer may be NULL.
fn array<T>(pointer: *mut T, length: usize, name: &str) -> Result<Option<NonNull<T>>, Failure> {
    if length == 0 {
        return Ok(None);
    }
    let pointer = checked(pointer, name)?;
    // No object has more than isize::MAX bytes; T is not empty.
    if length > isize::MAX.unsigned_abs() / size_of::<T>() {
        return Err(Failure::of(CERTUS_TOO_LONG, name, "must have a length that memory can hold"));
    }
    Ok(Some(pointer))
}

fn utf8(bytes: Vec<u8>, name: &str) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| Failure::of(CERTUS_BAD_UTF8, name, "must be UTF-8"))
}

/// A copy of a text that ends with a zero byte.
///
/// # Safety
///
/// Unless NULL, `pointer` points to bytes that can be read up to a zero byte or, if that is earlier, up to
/// `CERTUS_MOST_TEXT + 1` of them.
pub(crate) unsafe fn text(pointer: *const c_char, name: &str) -> Result<String, Failure> {
    let pointer = checked(pointer.cast::<u8>().cast_mut(), name)?;
    let mut bytes = Vec::new();
    for at in 0..=CERTUS_MOST_TEXT {
        // SAFETY: no byte before this one was zero, and there are at most CERTUS_MOST_TEXT of them.
        match unsafe { pointer.add(at).read() } {
            0 => return utf8(bytes, name),
            byte => bytes.push(byte),
        }
    }
    Err(Failure::of(CERTUS_TOO_LONG, name, format_args!("must have at most {CERTUS_MOST_TEXT} bytes")))
}

/// A copy of a text that may be absent: NULL.
///
/// # Safety
///
/// As of [`text`].
pub(crate) unsafe fn optional_text(pointer: *const c_char, name: &str) -> Result<Option<String>, Failure> {
    // SAFETY: the caller's contract.
    if pointer.is_null() { Ok(None) } else { unsafe { text(pointer, name) }.map(Some) }
}

/// A copy of a text of a stated length.
///
/// # Safety
///
/// Unless NULL, `pointer` points to `length` bytes that can be read.
pub(crate) unsafe fn bytes(pointer: *const c_char, length: usize, name: &str) -> Result<String, Failure> {
    let Some(pointer) = array(pointer.cast::<u8>().cast_mut(), length, name)? else { return Ok(String::new()) };
    let mut copy = Vec::new();
    reserve(&mut copy, length)?;
    // SAFETY: `length` bytes, which the caller lets us read, and no more than an object can have.
    copy.extend_from_slice(unsafe { slice::from_raw_parts(pointer.as_ptr(), length) });
    utf8(copy, name)
}

/// Copies of several texts that end with a zero byte.
///
/// # Safety
///
/// Unless NULL, `pointer` points to `length` pointers, each as [`text`] wants it.
pub(crate) unsafe fn texts(pointer: *const *const c_char, length: usize, name: &str) -> Result<Vec<String>, Failure> {
    let Some(pointer) = array(pointer.cast_mut(), length, name)? else { return Ok(Vec::new()) };
    // SAFETY: there are `length` aligned pointers, and each points to a text or is NULL.
    (0..length).map(|at| unsafe { text(pointer.add(at).read(), name) }).collect()
}

/// The entries of a caller's array, set to zero: what a caller has allocated need not hold anything yet.
///
/// # Safety
///
/// Unless NULL, `pointer` points to `length` entries that can be written, and nobody else touches them as
/// long as the slice lives.
pub(crate) unsafe fn cleared<'a>(pointer: *mut i64, length: usize, name: &str) -> Result<&'a mut [i64], Failure> {
    let Some(pointer) = array(pointer, length, name)? else { return Ok(&mut []) };
    // SAFETY: all zeros are an i64, so that after this there are `length` aligned entries with a value, which
    // are no more than an object can have and the caller's contract makes ours for now.
    unsafe {
        pointer.write_bytes(0, length);
        Ok(slice::from_raw_parts_mut(pointer.as_ptr(), length))
    }
}

/// The entries of a caller's array.
///
/// # Safety
///
/// As of [`cleared`], and the entries have values.
pub(crate) unsafe fn filled<'a>(pointer: *mut i64, length: usize, name: &str) -> Result<&'a mut [i64], Failure> {
    let Some(pointer) = array(pointer, length, name)? else { return Ok(&mut []) };
    // SAFETY: aligned entries with values, no more than an object can have, ours by the caller's contract.
    Ok(unsafe { slice::from_raw_parts_mut(pointer.as_ptr(), length) })
}

/// A place that takes a result.
pub(crate) struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// # Safety
    ///
    /// Unless NULL, `pointer` points to a `T` that can be written as long as this value lives.
    pub(crate) unsafe fn new(pointer: *mut T, name: &str) -> Result<Self, Failure> {
        checked(pointer, name).map(Self)
    }

    pub(crate) fn put(&self, value: T) {
        // SAFETY: it can be written by the contract of `new`, and is aligned. What was there is not dropped:
        // it need not have had a value.
        unsafe { self.0.write(value) }
    }
}

/// Copies a text and a zero byte into a caller's buffer, and says how many bytes they are.
///
/// A buffer that is too short (one of no bytes may be NULL) takes the empty text.
///
/// # Safety
///
/// Unless NULL, `buffer` points to `capacity` bytes and `needed` to a number; both can be written.
pub(crate) unsafe fn give(text: &str, buffer: *mut c_char, capacity: usize, needed: *mut usize) -> Result<(), Failure> {
    let buffer = array(buffer.cast::<u8>(), capacity, "buffer")?;
    let bytes = text.len().saturating_add(1);
    if !needed.is_null() {
        // SAFETY: the caller's contract.
        unsafe { Out::new(needed, "needed") }?.put(bytes);
    }
    let short = || Failure::of(CERTUS_SHORT_BUFFER, "buffer", format_args!("must have {bytes} bytes"));
    let Some(buffer) = buffer else { return Err(short()) };
    if capacity < bytes {
        // SAFETY: the buffer has at least one byte.
        unsafe { buffer.write(0) };
        return Err(short());
    }
    // SAFETY: the buffer has `bytes` bytes at least, of which the text takes all but one; the text is this
    // library's own memory, which the caller has no pointer to.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), buffer.as_ptr(), text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

/// Makes room, or fails where an allocation that cannot be had would end the process.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, length: usize) -> Result<(), Failure> {
    vector.try_reserve_exact(length).map_err(|_| {
        Failure::new(crate::status::CERTUS_MEMORY, "there is not enough memory for a copy of what was handed over")
    })
}
