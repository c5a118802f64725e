//! Bytes to [`properties::plan`].
#![no_main]

#[path = "../properties/plan.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::plan(bytes));
