//! Texts that were made once: a release is drawn, and a budget saved, into a handle, so that a buffer that
//! is too short loses nothing.

use std::ffi::c_char;

use crate::{
    border,
    handle::{TextHandle, find, free},
    status::{Status, status},
};

/// A text that was made.
pub(crate) struct Text(pub(crate) String);

/// Copies a text into a buffer of capacity bytes. needed (or NULL) takes the bytes with the last 0.
///
/// A buffer that is too short is CERTUS_SHORT_BUFFER, and takes the empty text; one of capacity 0 may be
/// NULL. The text stays as it is until it is freed, and may be read again.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_text_read(
    text: TextHandle,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    // SAFETY: the caller's contract.
    status(|| unsafe { border::give(&find(text)?.0, buffer, capacity, needed) })
}

/// Frees a text.
#[unsafe(no_mangle)]
pub extern "C" fn certus_text_free(text: TextHandle) -> Status {
    free(text)
}
