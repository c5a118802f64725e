//! Bytes to [`properties::csv`].
#![no_main]

#[path = "../properties/csv.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::csv(bytes));
