//! Certus
#![cfg_attr(not(feature = "std"), no_std)]
extern crate alloc;

#[cfg(feature = "audit")]
pub mod audit;
pub mod bits;
#[cfg(feature = "cli")]
pub mod cli;
pub mod exact;
pub mod mechanism;
pub mod sample;
