//! The integer code of the prepared samplers, on borrowed tables: what a processor and a GPU both run.
//!
//! `certus` builds the tables (`sample::prepared`), which takes big integers, and borrows them to this crate
//! as views. `certus-gpu` copies the same tables to a device and borrows them to the same functions, in a
//! kernel. There is no second copy of any of them.
//!
//! * [`machine`]: machine words, of 64 bits as shipped and of a few where they are enumerated;
//! * [`inversion`]: which cell a uniform real falls in, by a guide and rising thresholds;
//! * [`table`]: a sample of a table, from one word;
//! * [`layout`]: the bits of a wide trial, and the integer that they write;
//! * [`squeeze`]: whether V < e^-x, on machine words;
//! * [`wide`]: a sample of buckets under an envelope;
//! * [`chacha`]: a block of ChaCha20;
//! * [`counter`]: which words of ChaCha20 belong to which sample.
//!
//! # What code here may not do
//!
//! A dependency of a GPU kernel is compiled for the device only where it is generic or `#[inline]`, and a
//! device has no panic handler. So there is no `static` (tables are `const`), every function is `#[inline]`,
//! nothing allocates, nothing indexes a slice, and no arithmetic can overflow: the argument stands beside
//! each line where it is not plain.
//!
//! This crate is no API of its own: it changes with `certus`, without notice.
#![no_std]

pub mod chacha;
pub mod counter;
pub mod inversion;
pub mod layout;
pub mod machine;
pub mod squeeze;
pub mod table;
pub mod wide;
