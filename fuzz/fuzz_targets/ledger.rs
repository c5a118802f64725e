//! Bytes to [`properties::ledger`].
//!
//! New inputs go to the first directory, so give one outside the tree. Certus forbids unsafe code, and without the
//! address sanitizer an execution takes less time:
//! `cargo +nightly fuzz run -s none ledger "$(mktemp -d)" fuzz/corpus/ledger -- -max_total_time=60 -max_len=4096`
#![no_main]

#[path = "../properties/ledger.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::ledger(bytes));
