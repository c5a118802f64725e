//! Bytes to [`properties::number`].
//!
//! New inputs go to the first directory, so give one outside the tree:
//! `cargo +nightly fuzz run number "$(mktemp -d)" fuzz/corpus/number -- -max_total_time=60`
#![no_main]

#[path = "../properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::number(bytes));
