//! Bytes to [`properties::predicate`].
#![no_main]

#[path = "../properties/predicate.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::predicate(bytes));
