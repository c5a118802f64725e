//! Bytes to [`properties::spec`].
//!
//! New inputs go to the first directory, so give one outside the tree:
//! `cargo +nightly fuzz run spec "$(mktemp -d)" fuzz/corpus/spec -- -max_total_time=60`
#![no_main]

#[path = "../properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::spec(bytes));
