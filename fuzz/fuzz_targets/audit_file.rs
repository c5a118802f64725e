//! Bytes to [`properties::audit_file`].
#![no_main]

#[path = "../properties/audit_file.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::audit_file(bytes));
