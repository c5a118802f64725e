//! Bytes to [`properties::spec`].
//!
//! New inputs go to the first directory, so give one outside the tree. Certus forbids unsafe code, and without the
//! address sanitizer an execution takes less time:
//! `cargo +nightly fuzz run -s none spec "$(mktemp -d)" fuzz/corpus/spec -- -max_total_time=60 -max_len=600`
#![no_main]

#[path = "../properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::spec(bytes));
