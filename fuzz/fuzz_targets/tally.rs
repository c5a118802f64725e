//! Bytes to [`properties::tally`].
#![no_main]

#[path = "../properties/tally.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::tally(bytes));
