//! Certus
#![cfg_attr(not(feature = "std"), no_std)]
extern crate alloc;
pub mod bits;
pub mod exact;
pub mod mechanism;
